"""Trees of plain thresholds as pickles keep them: bytes of their arrays, but those that follow from others.

A pickle runs code when it is read: who trusts it needs no proof of what is in it, only that the tree cannot
lead outside of its arrays. Model files are for everyone else, and proved (`persistence.validation`); other
trees are pickled as their bytes.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.errors import ModelFileError
from treewright.tree import Tree

_BY_NODE = ("weight", "impurity", "risk", "merit")
_NO_INDEX, _NO_VALUE = np.empty(0, np.int32), np.empty(0)
_MANY_NODES = 500
"""Up to here one piece of bytes for all arrays costs less than one for each."""


def is_plain(tree: Tree) -> bool:
    """Whether a tree has no more than thresholds, one for each node, and what its rows say of nodes."""
    more = (tree.observed, tree.decided, tree.equations, tree.splits.adjusted)
    return all(each is None for each in more) and not len(tree.competitors) and not tree.splits.kind.any()


def plain_state(tree: Tree, protocol: int) -> tuple[Any, ...]:
    """Give the arguments of `plain_from_state`."""
    own, splits = vars(tree), tree.splits
    begin = tree.split_begin
    n_splits = begin[1:] - begin[:-1]
    if len(splits) > 255 and n_splits.max() > 255:
        raise ValueError("a node has more splits than a plain tree may have")
    # Wide types come first, so that every array is aligned.
    arrays = [
        tree.node_value,
        *[own[name] for name in _BY_NODE],
        splits.threshold,
        splits.score,
        tree.count,
        tree.parent,
        tree.default_branch,
        splits.feature,
        n_splits.astype(np.uint8),
    ]
    data: Any
    if protocol >= 5 and len(tree) >= _MANY_NODES:
        data = [pickle.PickleBuffer(array) for array in arrays]  # written as they are, without a copy
    else:
        data = b"".join([array.data for array in arrays])
    return tree.schema, (len(tree), len(splits)), data, tree.costs, tree.note


def plain_from_state(
    schema: Schema, size: tuple[int, int], data: bytes | list[bytes], costs: Any, note: str
) -> Tree:
    """Make the tree that `plain_state` was given."""
    n, n_splits = size
    width = schema.n_outputs * (schema.n_classes or 1)
    parts = _parts(data, n, n_splits, width) if isinstance(data, bytes) else _buffers(data)
    value, weight, impurity, risk, merit, threshold, score, count, parent, default, feature, splits_of = parts
    split_begin, zeros = np.zeros((2, max(n, n_splits) + 1), np.int64)
    split_begin = split_begin[: n + 1]
    np.add.accumulate(splits_of, out=split_begin[1:])
    if split_begin[n] != n_splits or (n_splits and feature.view(np.uint32).max() >= len(schema.columns)):
        raise ModelFileError("the pickle is broken: its splits are not those of its nodes and features")
    split_begin.setflags(write=False)
    zeros.setflags(write=False)
    arrays = {
        "parent": parent,
        "default_branch": default,
        "count": count,
        "weight": weight,
        "node_value": value.reshape(n, width),
        "impurity": impurity,
        "risk": risk,
        "merit": merit,
        "split_begin": split_begin,
        "competitor_begin": zeros[: n + 1],
        "split_kind": zeros.view(np.uint8)[:n_splits],
        "split_feature": feature,
        "split_threshold": threshold,
        "split_score": score,
        "split_pool_begin": zeros[: n_splits + 1],
        "split_pool_index": _NO_INDEX,
        "split_pool_value": _NO_VALUE,
    }
    tree = Tree.from_read_only(schema, arrays, costs)
    if note:
        vars(tree)["note"] = note
    return tree


def _parts(data: bytes, n: int, n_splits: int, width: int) -> tuple[NDArray[Any], ...]:
    """Give the arrays of a small tree: one look at the bytes for each type, and parts of that."""
    n_values, n_numbers = n * width, (width + len(_BY_NODE)) * n
    numbers = np.frombuffer(data, np.float64, n_numbers + 2 * n_splits)
    at = numbers.nbytes
    count = np.frombuffer(data, np.int64, n, at)
    places = np.frombuffer(data, np.int32, 2 * n + n_splits, at + count.nbytes)
    splits_of = np.frombuffer(data, np.uint8, n, at + count.nbytes + places.nbytes)
    weight, impurity, risk, merit = numbers[n_values:n_numbers].reshape(len(_BY_NODE), n)
    middle = n_numbers + n_splits
    return (
        *(numbers[:n_values], weight, impurity, risk, merit, numbers[n_numbers:middle], numbers[middle:]),
        *(count, places[:n], places[n : 2 * n], places[2 * n :], splits_of),
    )


def _buffers(data: list[bytes]) -> list[NDArray[Any]]:
    kinds = [np.float64] * (len(_BY_NODE) + 3) + [np.int64] + [np.int32] * 3 + [np.uint8]
    return [np.frombuffer(part, kind) for part, kind in zip(data, kinds, strict=True)]
