"""Statistics of nodes counted anew on the rows that reach them after subtree raising."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.arithmetic import matmul
from treewright.tree import Tree
from treewright.tree.decision import decide
from treewright.tree.routing import Parts, sum_below, tally_parts

Array = NDArray[np.float64]

NODE_IMPURITIES: dict[str, Callable[[Array], Array]] = {
    "gini": lambda q: 1 - (q**2).sum(axis=1),
    "entropy": lambda q: -(q * _core.log2(np.where(q > 0, q, 1.0))).sum(axis=1) + 0.0,
    "error": lambda q: 1 - q.max(axis=1),
    "sqrt": lambda q: np.sqrt(q * (1 - q)).sum(axis=1) / 2,
}
"""The impurities that classification trees have, of class shares (see `treewright.criteria`)."""


def errors_of(value: Array, decisive: Array, costs: Array | None) -> Array:
    """Weight outside the class that each row of decisive class weights leads to."""
    return np.asarray(value.sum(axis=1) - value[np.arange(len(value)), decide(decisive, costs)])


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
    shares = value / value.sum(axis=1, keepdims=True)
    risk = errors_of(value, value, None) if tree.costs is None else matmul(value, tree.costs).min(axis=1)
    return replace(
        tree,
        count=_count_rows(tree, parts),
        weight=weight,
        value=value,
        impurity=NODE_IMPURITIES[impurity_name(tree)](shares),
        risk=np.where(weight > 0, risk, 0.0),
    )


def impurity_name(tree: Tree) -> str:
    """Tell by which impurity a tree's nodes were measured: their numbers say so."""
    shares = tree.value / tree.value.sum(axis=1, keepdims=True)
    filled = tree.weight > 0
    gap = {
        name: float(np.abs(impurity(shares[filled]) - tree.impurity[filled]).max(initial=0.0))
        for name, impurity in NODE_IMPURITIES.items()
    }
    return min(gap, key=lambda name: gap[name])


def _with_parents_where_empty(tree: Tree, value: Array) -> Array:
    """An empty branch predicts what its parent would."""
    value = value.copy()
    for node in np.flatnonzero(value.sum(axis=1) <= 0).tolist():  # parents come first
        value[node] = value[max(tree.parent[node], 0)]
    return value


def _count_rows(tree: Tree, parts: Parts) -> NDArray[np.int64]:
    """Count the rows that reach each node, shared ones as one each."""
    row, node = parts.row, parts.node
    if not len(row) or np.bincount(row).max() == 1:  # whole rows add up
        own = np.bincount(node, minlength=len(tree)).astype(float)
        return sum_below(tree.parent, own[:, None])[:, 0].astype(np.int64)
    n_rows = int(row.max()) + 1
    pairs = []
    while len(node):
        pairs.append(node * n_rows + row)
        climbing = tree.parent[node] >= 0
        row, node = row[climbing], tree.parent[node[climbing]].astype(np.int64)
    return np.bincount(np.unique(np.concatenate(pairs)) // n_rows, minlength=len(tree))
