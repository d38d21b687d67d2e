"""Hierarchical shrinkage: what nodes predict, drawn towards what the nodes above them predict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.tree.tree import Tree


def shrunk(tree: Tree, strength: float) -> Tree:
    """Draw the prediction of each node towards those of the nodes above it (Agarwal et al., 2022).

    On the way from the root to a node the prediction changes with every branch. The change counts by the
    share n / (n + strength), where n is the weight of the node that branches: what few rows say counts less.
    The class weights, or means, of the training rows stay with the tree as `observed`.

    Parameters
    ----------
    tree : Tree
        It stays as it is.
    strength : float
        The weight of a node of which half is believed; 0 changes nothing.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
    >>> shrunk(tree, 4.0).shares.tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    if strength == 0 or len(tree) == 1:
        return tree
    parent, said = tree.parent[1:], tree.shares
    share = tree.weight[parent] / (tree.weight[parent] + strength)
    change = (said[1:] - said[parent]) * share[:, None]
    predicted = np.array(said)
    for depth in range(1, tree.depth + 1):
        nodes = np.flatnonzero(tree.node_depth == depth)
        predicted[nodes] = predicted[tree.parent[nodes]] + change[nodes - 1]
    if tree.is_classifier:
        predicted = np.maximum(predicted, 0.0)
        predicted *= (np.where(tree.weight > 0, tree.weight, 1.0) / predicted.sum(axis=1))[:, None]
    observed = tree.node_value if tree.observed is None else tree.observed
    return replace(tree, node_value=predicted, observed=observed)
