"""Topology of a tree: parents, children, depths, ancestors and paths from the root."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.tree.splits import concatenated_ranges, read_only

_ROWS_AT_ONCE = 1 << 16


class Topology:
    """What the parents of nodes tell of a tree whose nodes are numbered in preorder.

    A node comes before its branches, and all of a branch before the next one: the first child of a node is
    the node after it, and the nodes below it are those up to where its subtree ends.
    """

    parent: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def node_count(self) -> int:
        """The number of nodes.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.node_count
        3
        """
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
        """scikit-learn's name of :attr:`depth`.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.max_depth
        1
        """
        return self.depth

    def is_leaf(self, node: int) -> bool:
        """Whether a node has no branches.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.is_leaf(0), tree.is_leaf(1)
        (False, True)
        """
        return bool(self.n_children[node] == 0)

    @cached_property
    def _children(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Where the children of each node begin, and all children: what finds them by their branch."""
        begin, children = _core.children(self.parent)
        return read_only(begin, np.int32), read_only(children, np.int32)

    @cached_property
    def n_children(self) -> NDArray[np.int32]:
        """The number of branches of each node, 0 at leaves."""
        return read_only(np.diff(self._children[0]), np.int32)

    @cached_property
    def branch(self) -> NDArray[np.int32]:
        """Which branch of its parent each node is; −1 for the root."""
        begin, children = self._children
        branch = np.full(len(self), -1, np.int32)
        branch[children] = np.arange(len(children), dtype=np.int32) - begin[self.parent[children]]
        return read_only(branch, np.int32)

    def children(self, node: int) -> list[int]:
        """Return the ids of a node's children, in branch order; none for a leaf.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.children(0)
        [1, 2]
        """
        begin, children = self._children
        own: list[int] = children[begin[node] : begin[node + 1]].tolist()
        return own

    def child(self, node: NDArray[Any], branch: NDArray[Any]) -> NDArray[np.int32]:
        """Return the children that branches of nodes lead to.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> import numpy as np
        >>> tree.child(np.array([0, 0]), np.array([0, 1])).tolist()
        [1, 2]
        """
        begin, children = self._children
        return np.asarray(children[begin[node] + branch])

    def all_children(self, nodes: NDArray[Any]) -> NDArray[np.int32]:
        """Return the children of nodes, those of the first before those of the second.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> import numpy as np
        >>> tree.all_children(np.array([0])).tolist()
        [1, 2]
        """
        begin, children = self._children
        return np.asarray(children[concatenated_ranges(begin[nodes], self.n_children[nodes])])

    def walk(self) -> Iterator[int]:
        """Go over the node ids depth first, each node before its children: as they are numbered.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> list(tree.walk())
        [0, 1, 2]
        """
        return iter(range(len(self)))

    def below(self, nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the mask of the nodes that have one of the given nodes above them.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> import numpy as np
        >>> tree.below(np.array([True, False, False])).tolist()
        [False, True, True]
        """
        step = nodes[np.maximum(self.parent, 0)]
        step[0] = False
        return over_ancestors(self.parent, step, np.logical_or)

    def paths(self, leaf: NDArray[Any]) -> Any:
        """Return the nodes from the root to each given one: a sparse matrix with 1 where a row passes.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.paths(tree.apply([[1.5], [7.0]])).toarray().tolist()
        [[1, 1, 0], [1, 0, 1]]
        """
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


def sum_below(parent: NDArray[Any], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up, for each node, what it and all nodes below it have.

    Each pass doubles the depth that a node has summed over, so that a chain of a million nodes takes twenty
    passes.

    Examples
    --------
    >>> sum_below(np.array([-1, 0, 0, 2]), np.array([[1.0], [2.0], [3.0], [4.0]])).ravel().tolist()
    [10.0, 2.0, 7.0, 4.0]
    """
    total = np.array(own, dtype=np.float64)
    width = total.shape[1]
    jump = np.asarray(parent, dtype=np.int64)
    while (below := np.flatnonzero(jump >= 0)).size:
        above = jump[below]
        cell = above[:, None] * width + np.arange(width)
        total += np.bincount(cell.ravel(), total[below].ravel(), minlength=total.size).reshape(total.shape)
        jump = np.where(jump >= 0, jump[jump], -1)
    return total


def preorder(parent: NDArray[Any]) -> NDArray[np.int64]:
    """Number the nodes of a tree in preorder, siblings in the order that they have.

    Parameters
    ----------
    parent : int array of n nodes
        The parent of each node, which comes before it; −1 for the root.

    Examples
    --------
    >>> preorder(np.array([-1, 0, 0, 1, 1])).tolist()
    [0, 1, 4, 2, 3]
    """
    size = sum_below(parent, np.ones((len(parent), 1)))[:, 0].astype(np.int64)
    order = np.argsort(parent, kind="stable")
    before = np.cumsum(size[order]) - size[order]
    first = np.searchsorted(parent[order], parent[order])
    step = np.empty(len(parent), np.int64)
    step[order] = 1 + before - before[first]  # the parent, and all older siblings with what is below them
    step[0] = 0
    return over_ancestors(parent, step, np.add)
