"""Subtrees below the large nodes: grown in memory from all rows of a node, then put below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data.schema import Schema
from treewright.distributed.questions import RowsAt

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Subtree:
    """A node whose subtree is grown in memory."""

    node: int
    depth: int
    seed: int
    count: int
    place: int
    """In the tree of large nodes, in preorder."""


@dataclass(frozen=True)
class SubtreeTask:
    """How subtrees are grown."""

    rows: RowsAt
    subtrees: tuple[Subtree, ...]
    schema: Schema
    options: dict[str, Any]
    total_weight: float
    orders: tuple[NDArray[np.int32] | None, ...]
    """Of each feature, the order of its categories if they are grown on as ranks."""

    def grow(self, subtree: Subtree, numbers: Any, codes: Any, target: Any, weight: Any) -> Arrays:
        """Grow one subtree from its rows, in the order of the table."""
        options = dict(self.options)
        if options.get("max_depth") is not None and options["max_depth"] >= 0:
            options["max_depth"] -= subtree.depth
        arrays: Arrays = _core.grow_subtree(
            np.asfortranarray(numbers),
            np.asfortranarray(codes),
            self.schema.position,
            self.schema.n_categories,
            np.ascontiguousarray(target),
            self.schema.n_classes,
            weight,
            options,
            subtree.seed,
            self.total_weight,
            list(self.orders),
        )
        return arrays


NODE_ARRAYS = ("default_branch", "count", "weight", "node_value", "impurity", "risk", "merit")
SPLIT_ARRAYS = ("kind", "feature", "threshold", "score")


def join_trees(tree: Arrays, subtrees: Mapping[int, Arrays]) -> Arrays:
    """Put subtrees in the place of leaves of a tree; all arrays are in preorder.

    Parameters
    ----------
    tree : dict of arrays
        As the core gives them.
    subtrees : dict of int to such
        By the leaf whose place they take.
    """
    n_nodes = len(tree["parent"])
    size = np.ones(n_nodes, np.int64)
    for leaf, below in subtrees.items():
        size[leaf] = len(below["parent"])
    begin = np.concatenate([[0], np.cumsum(size)])
    # A run of nodes of the tree itself, then a subtree, then the next run.
    pieces: list[tuple[Arrays, int, int, int]] = []
    at = 0
    for leaf in sorted(subtrees):
        pieces += [(tree, at, leaf, -1), (subtrees[leaf], 0, int(size[leaf]), leaf)]
        at = leaf + 1
    pieces = [piece for piece in [*pieces, (tree, at, n_nodes, -1)] if piece[1] < piece[2]]
    parent = []
    for arrays, first, end, leaf in pieces:
        own = arrays["parent"][first:end].astype(np.int64)
        if leaf < 0:
            parent.append(np.where(own >= 0, begin[own], -1))
        else:
            parent.append(np.where(own >= 0, own + begin[leaf], begin[tree["parent"][leaf]] if leaf else -1))
    joined: Arrays = {"parent": np.concatenate(parent).astype(np.int32)}
    for name in NODE_ARRAYS:
        joined[name] = np.concatenate([arrays[name][first:end] for arrays, first, end, _ in pieces])
    joined |= _joined_splits([piece[:3] for piece in pieces])
    joined["competitor_begin"] = np.zeros(len(joined["parent"]) + 1, np.int64)
    return joined


def _joined_splits(pieces: Sequence[tuple[Arrays, int, int]]) -> Arrays:
    """The splits of runs of nodes, one behind the other."""
    counts, tables, pool_counts, pools = [], [], [], []
    for arrays, first, end in pieces:
        begin = arrays["split_begin"]
        counts.append(np.diff(begin[first : end + 1]))
        if "split_kind" not in arrays or begin[first] == begin[end]:
            continue
        low, high = int(begin[first]), int(begin[end])
        tables.append([arrays[f"split_{name}"][low:high] for name in SPLIT_ARRAYS])
        pool = arrays["split_pool_begin"]
        pool_counts.append(np.diff(pool[low : high + 1]))
        inside = slice(int(pool[low]), int(pool[high]))
        pools.append([arrays["split_pool_index"][inside], arrays["split_pool_value"][inside]])
    joined = {"split_begin": _starts(counts)}
    if tables:
        columns = (np.concatenate(column) for column in zip(*tables, strict=True))
        joined |= dict(zip((f"split_{name}" for name in SPLIT_ARRAYS), columns, strict=True))
        joined["split_pool_begin"] = _starts(pool_counts)
        joined["split_pool_index"], joined["split_pool_value"] = map(np.concatenate, zip(*pools, strict=True))
    return joined


def _starts(counts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
