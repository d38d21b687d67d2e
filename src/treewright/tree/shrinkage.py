"""Hierarchical shrinkage: what nodes predict, drawn towards what the nodes above them predict."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.tree.decision import costs_of
from treewright.tree.tree import Tree


def shrunk(tree: Tree, strength: float) -> Tree:
    """Draw the prediction of each node towards those of the nodes above it (Agarwal et al., 2022).

    On the way from the root to a node the prediction changes with every branch. The change counts by the
    share n / (n + strength), where n is the weight of the node that branches: what few rows say counts less.
    The class weights, or means, of the training rows stay with the tree as `observed`; the risk of its nodes
    is what the classes that they now lead to cost on these rows.

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
    >>> shrunk(tree, 4.0).class_probabilities.tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    return shrunk_by_each(tree, [strength])[0] if strength else tree


def shrunk_by_each(tree: Tree, strengths: Sequence[float]) -> list[Tree]:
    """Give the tree, or several side by side, shrunk by several strengths, see `shrunk`."""
    if tree.depth == 0:
        return [tree] * len(strengths)
    parent, said = np.maximum(tree.parent, 0), tree.class_probabilities  # of roots no change is asked for
    weight = tree.weight[parent][:, None]
    whole = weight + np.array(strengths)  # nodes × strengths
    share = np.divide(weight, whole, out=np.ones_like(whole), where=whole > 0)  # of no rows and no strength
    change = (said - said[parent])[:, None, :] * share[:, :, None]
    predicted = np.repeat(said[:, None, :], len(strengths), axis=1)
    order = np.argsort(tree.node_depth, kind="stable")
    levels = np.searchsorted(tree.node_depth[order], np.arange(1, tree.depth + 2))
    for begin, end in pairwise(levels.tolist()):
        nodes = order[begin:end]
        predicted[nodes] = predicted[parent[nodes]] + change[nodes]
    if tree.is_classifier:
        predicted = np.maximum(predicted, 0.0)
        total = np.where(tree.weight > 0, tree.weight, 1.0)[:, None]
        predicted *= (total / predicted.sum(axis=2))[:, :, None]
        # Nothing is above a root: it says what it said, to the last bit.
        predicted[order[: levels[0]]] = tree.node_value[order[: levels[0]], None]
    of_each = zip(strengths, predicted.swapaxes(0, 1), strict=True)
    return [_predicting(tree, value) if strength else tree for strength, value in of_each]


def _predicting(tree: Tree, value: NDArray[np.float64]) -> Tree:
    """Give the tree with other predictions, and what these cost on the training rows."""
    if not tree.is_classifier:
        return tree.predicting(value)
    label = tree.decide(value / value.sum(axis=1, keepdims=True) if tree.shares_rows else value)
    return tree.predicting(value, costs_of(label, tree.training_value, tree.costs))
