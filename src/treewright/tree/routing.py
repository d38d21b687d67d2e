"""Routes rows, whole or fractional, from any node to the leaves, and sums statistics per node.

The core routes whole rows from the root and says which branch a row takes at any node. What it does not do
is rare and vectorised here, one level of the tree at a time: rows that start elsewhere, as when a branch is
raised, and rows that are shared over all branches of a node because its split is unanswered (Quinlan, 1993,
ch. 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.tree.topology import sum_below

if TYPE_CHECKING:
    from treewright.data import Dataset
    from treewright.tree import Tree
    from treewright.tree.equations import Equations

Ids = NDArray[np.int64]
Array = NDArray[np.float64]
Branches = NDArray[np.int32]

SHARE, STAY = -1, -2
"""Values of `default_branch`: the row goes down every branch in parts, or stays at the node."""


class Parts(NamedTuple):
    """Parts of rows at nodes of a tree: a whole row is one part of its full weight."""

    row: Ids
    node: Ids
    weight: Array

    def take(self, chosen: NDArray[Any] | slice) -> Parts:
        """Give some of the parts, by a mask, by their numbers or by a slice."""
        return Parts(self.row[chosen], self.node[chosen], self.weight[chosen])


@dataclass(frozen=True, eq=False)
class Shape:
    """The shape of a tree while it is being edited: which nodes are leaves, and whose split each node has.

    Parameters
    ----------
    content : int array of n nodes
        The node of the tree whose split and children each node has: itself, unless a branch was raised.
    is_leaf : bool array of n nodes
    weight : float array of n nodes
        What rows are shared by.
    """

    content: Ids
    is_leaf: NDArray[np.bool_]
    weight: Array

    @classmethod
    def of(cls, tree: Tree) -> Shape:
        """Give the shape of a tree as it is."""
        return cls(np.arange(len(tree)), tree.n_children == 0, tree.weight)


@dataclass(frozen=True, eq=False)
class Descent:
    """A tree and the rows that go down it."""

    tree: Tree
    rows: Dataset

    def start(self) -> Parts:
        """Put every row whole at the root."""
        n_rows = len(self.rows)
        weight = np.ones(n_rows) if self.rows.weight is None else self.rows.weight
        return Parts(np.arange(n_rows), np.zeros(n_rows, np.int64), weight)

    def route(self, parts: Parts, shape: Shape | None = None, share_by_rows: bool = False) -> Parts:
        """Follow the splits from where the parts are to where they end.

        Parameters
        ----------
        parts : Parts
            Where to start.
        shape : Shape or None
            The tree's shape, if it is being edited.
        share_by_rows : bool
            Share by the weights of those parts that a split answers for, not by those of the nodes. All parts
            of a node must then come to it together.
        """
        shape = shape or Shape.of(self.tree)
        if not self.tree.shares_rows:
            return self._route_whole(parts, shape)
        ended = []
        while len(parts.row):
            on_its_way = ~shape.is_leaf[parts.node]
            ended.append(parts.take(~on_its_way))
            parts = parts.take(on_its_way)
            branch, _ = self.answer(parts.row, parts.node, shape)
            ended.append(parts.take(branch == STAY))
            parts = _step(self.tree, shape, parts, branch, share_by_rows)
        return Parts(*(np.concatenate(columns) for columns in zip(*ended, strict=True))) if ended else parts

    def _route_whole(self, parts: Parts, shape: Shape) -> Parts:
        """The same where no row is shared: there are as many parts all the way."""
        node = parts.node.copy()
        moving = np.flatnonzero(~shape.is_leaf[node])
        while len(moving):
            at = node[moving]
            branch, _ = self.answer(parts.row[moving], at, shape)
            below = np.where(branch == STAY, at, self.tree.child(shape.content[at], np.maximum(branch, 0)))
            node[moving] = below
            moving = moving[(below != at) & ~shape.is_leaf[below]]
        return parts._replace(node=node)

    def branch(self, row: Ids, node: Ids) -> Branches:
        """Branch of each row at a node, whether it comes there or not; `SHARE` or `STAY` if unanswered."""
        return self.answer(row, node)[0]

    def answer(self, row: Ids, node: Ids, shape: Shape | None = None) -> tuple[Branches, Branches]:
        """Give the branch of each row at an inner node, and what decided.

        Parameters
        ----------
        row, node : int arrays
            Pairs of a row and a node, whether the row comes there or not.
        shape : Shape or None
            The tree's shape, if it is being edited.

        Returns
        -------
        branch : int array
            `SHARE` or `STAY` where no split answers and the node has no branch for such rows.
        by : int array
            Which of the node's splits answered: 0 is the split, others are its surrogates; `UNANSWERED` if
            none did, `UNSEEN` for a category that training has not seen, which takes the largest branch.
        """
        arrays, content = self.tree.core_arrays, node
        if shape is not None:
            arrays, content = arrays | {"weight": shape.weight}, shape.content[node]
        return _core.branch(
            arrays, self.rows.numbers, self.rows.codes, self.tree.schema.position, row, content
        )


def _step(tree: Tree, shape: Shape, parts: Parts, branch: Branches, share_by_rows: bool) -> Parts:
    """Move parts into the branches they take, those that are shared into all of them."""
    content, whole = shape.content[parts.node], branch >= 0
    child = tree.child(content[whole], branch[whole]).astype(np.int64)
    moved = Parts(parts.row[whole], child, parts.weight[whole])
    shared = branch == SHARE
    if not shared.any():
        return moved
    sizes = tree.n_children[content[shared]]
    children = tree.all_children(content[shared]).astype(np.int64)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    weight = shape.weight
    if share_by_rows:
        known = np.bincount(moved.node, moved.weight, minlength=len(weight))
        of_node = np.bincount(owner, known[children])[owner]
        weight = weight.copy()
        weight[children] = np.where(of_node > 0, known[children], weight[children])
    total = np.bincount(owner, weight[children])
    share = weight[children] / np.where(total > 0, total, 1.0)[owner]
    pieces = Parts(parts.row[shared][owner], children, parts.weight[shared][owner] * share)
    pieces = pieces.take(share > 0)
    return Parts(*(np.concatenate(columns) for columns in zip(moved, pieces, strict=True)))


def place(tree: Tree, rows: Dataset) -> Parts:
    """Give the parts of all rows where they end in a tree."""
    descent = Descent(tree, rows)
    parts = descent.start()
    if tree.shares_rows:
        return descent.route(parts)
    return parts._replace(node=tree.route(rows.numbers, rows.codes).astype(np.int64))


def predict_equations(
    tree: Tree, equations: Equations, numbers: Array, codes: NDArray[np.int32], threads: int = 1
) -> Array:
    """Give what the equations of the nodes that each row ends in say of it, by its share in each."""
    from treewright.data import Dataset

    rows = Dataset(tree.schema, numbers, codes)
    if not tree.shares_rows:
        leaf = tree.route(numbers, codes, threads).astype(np.int64)
        return equations.say(rows, np.arange(len(leaf)), leaf, threads)[:, None]
    tree.schema.refuse_infinities(numbers)
    parts = place(tree, rows)
    said = parts.weight * equations.say(rows, parts.row, parts.node, threads)
    return np.bincount(parts.row, said, minlength=len(rows)).astype(np.float64)[:, None]


def is_grown_on(tree: Tree, rows: Dataset) -> bool:
    """Tell whether rows are those that a tree was grown on, as far as it knows: as many at every node.

    Where each of them weighed one, as many of each class.

    Examples
    --------
    >>> from treewright import Dataset, Recipe, grow
    >>> rows = Dataset.from_table([[1.0], [2.0], [4.0]], ["a", "a", "b"], task="classification")
    >>> tree = grow(rows, Recipe("gini"))
    >>> is_grown_on(tree, rows), is_grown_on(tree, rows.take(np.array([0, 1])))
    (True, False)
    """
    if tree.schema.outputs:
        return all(
            is_grown_on(tree.for_target(place), rows.for_target(place)) for place in range(tree.n_outputs)
        )
    seen = tree.tally(rows)
    weight = seen.sum(axis=1) if tree.is_classifier else seen[:, 0]
    filled = tree.weight > 0  # a branch of no weight has the class weights of the node above
    if np.allclose(weight, tree.weight):
        return not tree.is_classifier or np.allclose(seen[filled], tree.training_value[filled])
    return not np.allclose(tree.weight, tree.count) and np.allclose(weight, tree.count)


def tally(tree: Tree, rows: Dataset) -> Array:
    """Count rows through a tree, see `Tree.tally`."""
    if rows.target is None:
        raise ValueError("Cannot count rows through the tree: the dataset has no target.")
    return tally_parts(tree, place(tree, rows), rows.target)


def tally_parts(tree: Tree, parts: Parts, target: NDArray[Any]) -> Array:
    """Add up parts of rows at the nodes they have come to, and at all nodes above."""
    return sum_below(tree.parent, tally_ends(tree, parts, target))


def tally_ends(tree: Tree, parts: Parts, target: NDArray[Any]) -> Array:
    """Add up parts of rows at the nodes they have come to, and only there."""
    n_nodes, weight = len(tree), parts.weight
    if tree.is_classifier:
        n_classes = tree.node_value.shape[1]
        slot = parts.node * n_classes + target[parts.row]
        return np.bincount(slot, weight, n_nodes * n_classes).astype(np.float64).reshape(n_nodes, n_classes)
    above = target[parts.row] - tree.node_value[0, 0]
    moments = (weight, weight * above, weight * above**2)
    return np.stack([np.bincount(parts.node, moment, minlength=n_nodes) for moment in moments], axis=1)


def count_rows(tree: Tree, parts: Parts) -> Ids:
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
