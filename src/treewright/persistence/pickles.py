"""Trees of plain thresholds as pickles keep them: bytes of their arrays, but those that follow from others.

A pickle runs code when it is read: who trusts it needs no proof of what is in it, only that the tree cannot
lead outside of its arrays. Model files are for everyone else, and proved (`persistence.validation`); other
trees are pickled as their bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.errors import ModelFileError
from treewright.tree import Tree
from treewright.tree.splits import NO_SPLITS, SplitTable, read_only

_BY_NODE = ("weight", "impurity", "risk", "merit")
_NO_INDEX, _NO_VALUE = np.empty(0, np.int32), np.empty(0)
_FEW_SPLITS = 500
"""Up to here lists cost less than arrays."""


def is_plain(tree: Tree) -> bool:
    """Whether a tree has no more than thresholds, one for each node, and what its rows say of nodes."""
    more = (tree.observed, tree.decided, tree.equations, tree.splits.adjusted)
    only_thresholds = not len(tree.competitors) and not np.count_nonzero(tree.splits.kind)
    return only_thresholds and all(each is None for each in more)


def plain_state(tree: Tree) -> tuple[Any, ...]:
    """Give the arguments of `plain_from_state`."""
    own, splits = vars(tree), tree.splits
    begin = tree.split_begin.astype(np.uint8)  # the differences of these are right up to 255
    n_splits = begin[1:] - begin[:-1]
    if len(splits) != np.count_nonzero(n_splits) and np.diff(tree.split_begin).max() > 255:
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
        n_splits,
    ]
    data = b"".join([array.data for array in arrays])  # one piece costs less than one for each
    return tree.schema, (len(tree), len(splits)), data, tree.costs, tree.note


def plain_from_state(schema: Schema, size: tuple[int, int], data: bytes, costs: Any, note: str) -> Tree:
    """Make the tree that `plain_state` was given."""
    n, n_splits = size
    width = schema.n_outputs * (schema.n_classes or 1)
    parts = _parts(data, n, n_splits, width)
    value, weight, impurity, risk, merit, threshold, score, count, parent, default, feature, splits_of = parts
    split_begin = np.empty(n + 1, np.int64)
    split_begin[0] = 0
    np.add.accumulate(splits_of, out=split_begin[1:])
    used = feature.view(np.uint32)  # −1 is beyond all features
    last = max(used.tolist() if n_splits < _FEW_SPLITS else [used.max()], default=0)
    if split_begin[n] != n_splits or last >= len(schema.columns):
        raise ModelFileError("the pickle is broken: its splits are not those of its nodes and features")
    split_begin.setflags(write=False)
    zeros = _zeros(max(n, n_splits) + 1)
    splits = NO_SPLITS
    if n_splits:
        splits = object.__new__(SplitTable)
        vars(splits).update(
            kind=zeros.view(np.uint8)[:n_splits],
            feature=feature,
            threshold=threshold,
            score=score,
            pool_begin=zeros[: n_splits + 1],
            pool_index=_NO_INDEX,
            pool_value=_NO_VALUE,
            adjusted=None,
        )
    # As `Tree.from_read_only` makes it, in half the time.
    tree = object.__new__(Tree)
    vars(tree).update(
        schema=schema,
        parent=parent,
        default_branch=default,
        count=count,
        weight=weight,
        node_value=value.reshape(n, width),
        impurity=impurity,
        risk=risk,
        merit=merit,
        split_begin=split_begin,
        splits=splits,
        competitor_begin=zeros[: n + 1],
        competitors=NO_SPLITS,
        costs=None if costs is None else read_only(costs, np.float64),
        observed=None,
        decided=None,
        equations=None,
        note=note,
    )
    return tree


def _zeros(n: int) -> NDArray[np.int64]:
    """Give at least `n` zeros; most trees share the same."""
    if n <= len(_ZEROS):
        return _ZEROS
    zeros = np.zeros(n, np.int64)
    zeros.setflags(write=False)
    return zeros


_ZEROS: NDArray[np.int64] = np.empty(0, np.int64)
_ZEROS = _zeros(2**16)


def _parts(data: bytes, n: int, n_splits: int, width: int) -> tuple[NDArray[Any], ...]:
    """Give the arrays of a tree: one look at the bytes for each type, and parts of that."""
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
