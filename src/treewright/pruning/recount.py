"""Statistics of nodes counted anew on the rows that reach them after subtree raising."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arithmetic import matmul
from treewright.criteria import CLASSIFICATION, NODE_IMPURITY, impurity_of_shares
from treewright.tree import Tree
from treewright.tree.decision import decide, searched_weights
from treewright.tree.routing import Parts, count_rows, tally_parts

Array = NDArray[np.float64]

OWN_IMPURITIES = [name for name in CLASSIFICATION if name not in NODE_IMPURITY]
NODE_IMPURITIES = tuple(dict.fromkeys(("gini", "entropy", *OWN_IMPURITIES)))
"""The impurities that classification trees have, the most usual first."""


def errors_of(value: Array, vote_weights: Array, costs: Array | None) -> Array:
    """Weight outside the class that each row of `vote_weights` leads to."""
    return np.asarray(value.sum(axis=1) - value[np.arange(len(value)), decide(vote_weights, costs)])


def recount(tree: Tree, parts: Parts, target: NDArray[Any]) -> Tree:
    """Give the same tree with the statistics of the rows that have come to its leaves.

    Parameters
    ----------
    tree : Tree
        A classification tree.
    parts : Parts
        Where the rows are.
    target : int32 array
        The class of each row.
    """
    value = tally_parts(tree, parts, target)
    weight = value.sum(axis=1)
    value = _with_parents_where_empty(tree, value)
    risk = errors_of(value, value, None) if tree.costs is None else matmul(value, tree.costs).min(axis=1)
    return replace(
        tree,
        count=count_rows(tree, parts),
        weight=weight,
        node_value=value,
        impurity=impurity_of_shares(impurity_name(tree), _searched_shares(value, tree.costs)),
        risk=np.where(weight > 0, risk, 0.0),
    )


def impurity_name(tree: Tree) -> str:
    """Tell by which impurity a tree's nodes were measured: their numbers say so."""
    shares, filled = _searched_shares(tree.node_value, tree.costs), tree.weight > 0
    gap = {
        name: float(np.abs(impurity_of_shares(name, shares[filled]) - tree.impurity[filled]).max(initial=0.0))
        for name in NODE_IMPURITIES
    }
    return min(gap, key=lambda name: gap[name])


def _searched_shares(value: Array, costs: Array | None) -> Array:
    """Class shares as impurities are measured by them."""
    weights = searched_weights(value, costs)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _with_parents_where_empty(tree: Tree, value: Array) -> Array:
    """An empty branch predicts what its parent would."""
    value = value.copy()
    for node in np.flatnonzero(value.sum(axis=1) <= 0).tolist():  # parents come first
        value[node] = value[max(tree.parent[node], 0)]
    return value
