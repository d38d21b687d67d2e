"""Subtrees: takes one out of a tree, or puts one in the place of a node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Tree
from treewright.tree.splits import COLUMN_TYPES, SplitTable, concatenated_ranges

Ids = NDArray[np.int64]

STATISTICS = ("count", "weight", "node_value", "impurity", "risk")
CONTENT = ("default_branch", "merit")


def graft(tree: Tree, node: int, branch: Tree) -> Tree:
    """Give the tree in which a node has the split and the branches of another tree's root.

    The node keeps its own statistics; what was below it is gone.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "b"]).tree_
    >>> graft(tree.collapse([2]), 2, subtree(tree, 2)) == tree
    True
    """
    node = range(len(tree))[node]
    stock = tree.collapse([node])  # what comes before a node is not below it: the node keeps its number
    before, after = np.arange(node + 1), np.arange(node + 1, len(stock))
    size, added = len(stock), len(branch) - 1
    content = np.concatenate([before, size + 1 + np.arange(added), after])
    statistics = content.copy()
    content[node] = size  # the split of the other tree's root
    new_id = np.concatenate([before, after + added])
    parent = np.concatenate([stock.parent[before], node + branch.parent[1:], new_id[stock.parent[after]]])
    is_decided = None
    if stock.decided is not None or branch.decided is not None:
        is_decided = np.concatenate([_decided(stock), _decided(branch)])[statistics]
        is_decided[node] = -1 if added else is_decided[node]
    return Tree(
        schema=tree.schema,
        parent=parent.astype(np.int32),
        **_columns([stock, branch], CONTENT, content),
        **_columns([stock, branch], STATISTICS, statistics),
        **_observed([stock, branch], statistics),
        decided=is_decided,
        **_lists([stock, branch], content),
        costs=tree.costs,
    )


def subtree(tree: Tree, node: int) -> Tree:
    """Give a node and all below it as a tree of its own."""
    node = range(len(tree))[node]
    is_root = np.arange(len(tree)) == node
    nodes = np.flatnonzero(tree.below(is_root) | is_root)
    parent = tree.parent[nodes] - np.int32(node)
    parent[0] = -1
    return Tree(
        schema=tree.schema,
        parent=parent,
        **_columns([tree], CONTENT + STATISTICS, nodes),
        **_observed([tree], nodes),
        decided=None if tree.decided is None else tree.decided[nodes],
        **_lists([tree], nodes),
        costs=tree.costs,
    )


def _columns(sources: Sequence[Tree], names: Sequence[str], nodes: Ids) -> dict[str, Any]:
    """Give arrays of nodes of several trees, counted through, as fields of a tree."""
    return {name: np.concatenate([getattr(tree, name) for tree in sources])[nodes] for name in names}


def _observed(sources: Sequence[Tree], nodes: Ids) -> dict[str, Any]:
    """Give what was observed at nodes of several trees, if any of them predicts something else."""
    if all(tree.observed is None for tree in sources):
        return {}
    return {"observed": np.concatenate([tree.training_value for tree in sources])[nodes]}


def _decided(tree: Tree) -> NDArray[np.int32]:
    return np.full(len(tree), -1, np.int32) if tree.decided is None else tree.decided


def _lists(sources: Sequence[Tree], nodes: Ids) -> dict[str, Any]:
    """Give the lists of splits of nodes of several trees, counted through, as fields of a tree."""
    fields: dict[str, Any] = {}
    for begin, table in (("split_begin", "splits"), ("competitor_begin", "competitors")):
        tables: list[SplitTable] = [getattr(tree, table) for tree in sources]
        before = np.cumsum([0, *map(len, tables[:-1])])
        begins = [getattr(tree, begin) + shift for tree, shift in zip(sources, before, strict=True)]
        starts = np.concatenate([of_tree[:-1] for of_tree in begins])[nodes]
        sizes = np.concatenate([np.diff(of_tree) for of_tree in begins])[nodes]
        fields[begin] = np.concatenate(([0], np.cumsum(sizes)))
        fields[table] = concatenated(tables).take(concatenated_ranges(starts, sizes))
    return fields


def concatenated(tables: Sequence[SplitTable]) -> SplitTable:
    """Put the splits of several tables one after the other in one.

    Examples
    --------
    >>> from treewright.tree.splits import Threshold
    >>> one = SplitTable.from_splits([Threshold(0, 1.5)])
    >>> list(concatenated([one, one]))
    [Threshold(feature=0, threshold=1.5), Threshold(feature=0, threshold=1.5)]
    """
    columns = {name: np.concatenate([getattr(table, name) for table in tables]) for name in COLUMN_TYPES}
    pools = np.cumsum([0, *(len(table.pool_index) for table in tables)])
    begins = [table.pool_begin[:-1] + pool for table, pool in zip(tables, pools[:-1], strict=True)]
    columns["pool_begin"] = np.concatenate([*begins, pools[-1:]])
    if any(table.adjusted is not None for table in tables):
        none = (np.zeros(len(table)) for table in tables)
        known = [
            zeros if table.adjusted is None else table.adjusted
            for table, zeros in zip(tables, none, strict=True)
        ]
        columns["adjusted"] = np.concatenate(known)
    return SplitTable(**columns)
