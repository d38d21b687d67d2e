"""Topology of a tree: parents, children, depths, ancestors and paths from the root."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree.splits import read_only

_ROWS_AT_ONCE = 1 << 16


class Topology:
    """What three arrays tell of a tree: children have consecutive ids, each larger than its parent's."""

    parent: NDArray[np.int32]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self)

    @cached_property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(np.count_nonzero(self.n_children == 0))

    @cached_property
    def leaves(self) -> NDArray[np.int64]:
        """The ids of the leaves."""
        return read_only(np.flatnonzero(self.n_children == 0), np.int64)

    @cached_property
    def node_depth(self) -> NDArray[np.int32]:
        """The number of branches between the root and each node."""
        step = np.ones(len(self), np.int32)
        step[0] = 0
        return read_only(over_ancestors(self.parent, step, np.add), np.int32)

    @cached_property
    def depth(self) -> int:
        """The depth of the deepest leaf; 0 for a tree of one leaf."""
        return int(self.node_depth.max())

    @property
    def max_depth(self) -> int:
        """scikit-learn's name of :attr:`depth`."""
        return self.depth

    def is_leaf(self, node: int) -> bool:
        """Whether a node has no branches."""
        return bool(self.n_children[node] == 0)

    def children(self, node: int) -> range:
        """Return the ids of a node's children, in branch order; none for a leaf."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def walk(self) -> Iterator[int]:
        """Go over the node ids depth first, each node before its children, in branch order."""
        first_child, n_children = self.first_child.tolist(), self.n_children.tolist()
        stack = [0]
        while stack:
            node = stack.pop()
            yield node
            first = first_child[node]
            stack.extend(reversed(range(first, first + n_children[node])))

    def below(self, nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the mask of the nodes that have one of the given nodes above them."""
        step = nodes[np.maximum(self.parent, 0)]
        step[0] = False
        return over_ancestors(self.parent, step, np.logical_or)

    def paths(self, leaf: NDArray[Any]) -> Any:
        """Return the nodes from the root to each given one: a sparse matrix with 1 where a row passes."""
        from scipy.sparse import csr_matrix

        begin = np.zeros(len(leaf) + 1, np.int64)
        np.cumsum(self.node_depth[leaf] + 1, out=begin[1:])
        narrow = np.int32 if begin[-1] < 2**31 else np.int64  # what scipy would turn them into
        passed, ones = np.empty(begin[-1], narrow), np.empty(begin[-1], np.int64)
        for first in range(0, len(leaf), _ROWS_AT_ONCE):  # Ctrl-C is heard in between
            node = leaf[first : first + _ROWS_AT_ONCE]
            place = begin[first + 1 : first + 1 + len(node)] - 1
            ones[begin[first] : begin[first + len(node)]] = 1
            while len(node):
                passed[place] = node
                below_root = node != 0
                node, place = self.parent[node[below_root]], place[below_root] - 1
        return csr_matrix((ones, passed, begin.astype(narrow)), shape=(len(leaf), len(self)))


def over_ancestors(parent: NDArray[np.integer], step: NDArray[Any], combine: np.ufunc) -> NDArray[Any]:
    """Combine for each node the steps from it up to the root.

    Each pass doubles the distance a node has seen (pointer jumping; Wyllie, 1979), so that a chain of a
    million nodes takes twenty passes over the arrays and no recursion. The root's step must change nothing.
    """
    total, jump = step, np.maximum(parent, 0)
    while jump.any():
        total = combine(total, total[jump])
        jump = jump[jump]
    return total
