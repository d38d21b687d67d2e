"""Trees of plain thresholds as pickles keep them: bytes of their arrays, but those that follow from others.

A pickle runs code when it is read: who trusts it needs no proof of what is in it, only that the tree cannot
lead outside of its arrays. Model files are for everyone else, and proved (`persistence.validation`); other
trees are pickled as their bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data import Schema
from treewright.errors import ModelFileError
from treewright.tree import Tree

_BY_NODE = (("count", "i8"), ("weight", "f8"), ("impurity", "f8"), ("risk", "f8"), ("merit", "f8"))
_NARROW_BY_NODE = (("parent", "i4"), ("default_branch", "i4"))
"""Wide types come first, so that every array is aligned."""


def is_plain(tree: Tree) -> bool:
    """Whether a tree has no more than thresholds and what its rows say of nodes."""
    more = tree.observed is not None or tree.equations is not None or len(tree.competitors) > 0
    return not more and not tree.splits.kind.any()


def plain_state(tree: Tree) -> tuple[Any, ...]:
    """Give the arguments of `plain_from_state`."""
    own, splits = vars(tree), tree.splits
    n_splits = np.diff(tree.split_begin)
    if len(n_splits) and n_splits.max() > 255:
        raise ValueError("a node has more splits than a plain tree may have")
    arrays = [
        tree.node_value,
        *(own[name] for name, _ in _BY_NODE),
        splits.threshold,
        splits.score,
        *(own[name] for name, _ in _NARROW_BY_NODE),
        splits.feature,
        n_splits.astype(np.uint8),
    ]
    data = b"".join([array.data for array in arrays])
    return tree.schema, (len(tree), len(splits)), data, tree.costs, tree.note


def plain_from_state(schema: Schema, size: tuple[int, int], data: bytes, costs: Any, note: str) -> Tree:
    """Make the tree that `plain_state` was given."""
    n_nodes, n_splits = size
    at = 0

    def take(kind: str, length: int) -> Any:
        nonlocal at
        array = np.frombuffer(data, kind, length, at)
        at += array.nbytes
        return array

    width = schema.n_outputs * (schema.n_classes or 1)
    arrays = {"node_value": take("f8", n_nodes * width).reshape(n_nodes, width)}
    arrays.update([(name, take(kind, n_nodes)) for name, kind in _BY_NODE])
    arrays["split_threshold"], arrays["split_score"] = take("f8", n_splits), take("f8", n_splits)
    arrays.update([(name, take(kind, n_nodes)) for name, kind in _NARROW_BY_NODE])
    arrays["split_feature"] = feature = take("i4", n_splits)
    arrays["split_begin"] = split_begin = np.zeros(n_nodes + 1, np.int64)
    take("u1", n_nodes).cumsum(out=split_begin[1:])
    if split_begin[-1] != n_splits or (
        n_splits and not -1 < feature.min() <= feature.max() < len(schema.columns)
    ):
        raise ModelFileError("the pickle is broken: its splits are not those of its nodes and features")
    arrays["competitor_begin"] = np.zeros(n_nodes + 1, np.int64)
    arrays["split_kind"], arrays["split_pool_begin"] = (
        np.zeros(n_splits, np.uint8),
        np.zeros(n_splits + 1, np.int64),
    )
    arrays["split_pool_index"], arrays["split_pool_value"] = np.empty(0, np.int32), np.empty(0)
    tree = Tree.from_arrays(schema, arrays, costs)
    if note:
        vars(tree)["note"] = note
    return tree
