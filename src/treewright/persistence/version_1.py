"""Files of version 1, whose trees had the children of a node side by side, renumbered in preorder."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.tree.splits import concatenated_ranges
from treewright.tree.topology import preorder

Arrays = dict[str, NDArray[Any]]

BY_NODE = ("parent", "default_branch", "count", "weight", "node_value", "impurity", "risk", "merit")
BY_NODE_OF_CART = ("own_complexity", "own_credit")
BY_SPLIT = ("{}_kind", "{}_feature", "{}_threshold", "{}_score", "{}_adjusted", "own_{}_rows", "own_{}_below")


def renumbered(arrays: Arrays) -> Arrays:
    """Give the arrays of a file of version 1 as files have them now; forests and rules have not changed.

    Raises
    ------
    ModelFileError
        If the arrays differ in length or are no trees; what else may be wrong with them, validation finds.
    """
    if "parent" not in arrays:
        return arrays
    try:
        return _renumbered(arrays)
    except (KeyError, IndexError, ValueError, TypeError):
        raise ModelFileError("the model is broken: its arrays are not those of trees of version 1") from None


def _renumbered(arrays: Arrays) -> Arrays:
    given = dict(arrays)
    given["node_value"] = given.pop("value")
    first_child, n_children = given.pop("first_child"), given.pop("n_children")
    begin = _cut(given["tree_begin"], len(given["parent"]))
    number, order = np.empty((2, begin[-1]), np.int64)
    for first, last in pairwise(begin.tolist()):
        here = slice(first, last)
        number[here] = _numbers(given["parent"][here], first_child[here], n_children[here])
        order[first + number[here]] = np.arange(first, last)
    for name in (*BY_NODE, *BY_NODE_OF_CART):
        if name in given:
            given[name] = given[name][order]
    tree = np.repeat(begin[:-1], np.diff(begin))
    above = given["parent"]
    given["parent"] = np.where(above < 0, -1, number[np.maximum(above, 0) + tree]).astype(np.int32)
    for prefix in ("split", "competitor"):
        taken = _take(given, f"{prefix}_begin", order, len(given[f"{prefix}_kind"]))
        for name in (pattern.format(prefix) for pattern in BY_SPLIT):
            if name in given:
                given[name] = given[name][taken]
        entries = _take(given, f"{prefix}_pool_begin", taken, len(given[f"{prefix}_pool_index"]))
        for name in (f"{prefix}_pool_index", f"{prefix}_pool_value"):
            given[name] = given[name][entries]
    return given


def _numbers(parent: NDArray[Any], first_child: NDArray[Any], n_children: NDArray[Any]) -> NDArray[np.int64]:
    """Give the number in preorder of each node of one tree."""
    ids = np.arange(len(parent))
    if parent[0] != -1 or (parent[1:] < 0).any() or (parent[1:] >= ids[1:]).any():
        raise ValueError
    if (np.bincount(parent[1:], minlength=len(parent)) != n_children).any():
        raise ValueError
    place = ids[1:] - first_child[parent[1:]]
    if (place < 0).any() or (place >= n_children[parent[1:]]).any():
        raise ValueError
    return preorder(parent)


def _take(arrays: Arrays, name: str, owners: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Put the lists of owners into another order, and give which entries they take."""
    begin = _cut(arrays[name], total)
    sizes = np.diff(begin)[owners]
    arrays[name] = np.concatenate(([0], np.cumsum(sizes)))
    return concatenated_ranges(begin[owners], sizes)


def _cut(begin: NDArray[Any], total: int) -> NDArray[np.int64]:
    """Give where lists begin, after proving that they cut so many entries into parts."""
    if begin.dtype != np.int64 or begin[0] != 0 or begin[-1] != total or (np.diff(begin) < 0).any():
        raise ValueError
    return begin
