"""Losses of nested trees: all prunings of a sequence in one pass of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.errors import DataError
from treewright.pruning.losses import Loss, row_loss
from treewright.tree import Tree
from treewright.tree.routing import place
from treewright.tree.topology import over_ancestors

Array = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class LossSums:
    """Sums over rows of the losses of several trees: those of folds add up to means and standard errors.

    Attributes
    ----------
    weight, weight_squared : float
        Sums of the rows' weights w, and of w².
    loss, loss_twice, squares : arrays with an entry for each tree
        Sums of w · loss, w² · loss and w² · loss².
    """

    weight: float
    weight_squared: float
    loss: Array
    loss_twice: Array
    squares: Array

    @classmethod
    def nothing(cls, n_trees: int) -> LossSums:
        """Give the sums of no rows."""
        return cls(0.0, 0.0, *np.zeros((3, n_trees)))

    def __add__(self, other: LossSums) -> LossSums:
        return LossSums(
            self.weight + other.weight,
            self.weight_squared + other.weight_squared,
            self.loss + other.loss,
            self.loss_twice + other.loss_twice,
            self.squares + other.squares,
        )

    @property
    def mean(self) -> Array:
        """Mean loss of each tree."""
        if self.weight <= 0:
            raise DataError("the held-out rows weigh nothing: every one is of a class of weight 0.")
        return self.loss / self.weight

    @property
    def se(self) -> Array:
        """Standard error of each mean; √(e (1 − e) / n) for an error rate e of n rows of weight one."""
        mean = self.mean
        variance = self.squares - 2 * mean * self.loss_twice + mean**2 * self.weight_squared
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)) / self.weight)


def nested_losses(
    tree: Tree, rows: Dataset, leaf_from: Array, steps: Array, risk: Loss | None = None
) -> LossSums:
    """Losses of the trees that collapsing nodes one after the other gives.

    Parameters
    ----------
    tree : Tree
        The largest tree.
    rows : Dataset
        The rows to predict, with their target.
    leaf_from : array of n nodes
        The step from which each node is collapsed, infinite for those that never are; leaves may have any.
    steps : array, ascending
        The steps at which to look.
    risk : str or None
        The loss, see `row_loss`.
    """
    return NestedRows.of(tree, rows, leaf_from, steps).losses(tree, risk)


@dataclass(frozen=True)
class NestedRows:
    """Where rows end in trees that collapsing nodes gives: those of several predictions are judged by it.

    Attributes
    ----------
    rows : Dataset
    row, weight, node : arrays
        A row, its weight, or the part of it, and a node that it ends at,
    starts, ends : int arrays
        in the trees from here up to there.
    n_trees : int
    """

    rows: Dataset
    row: Ids
    weight: Array
    node: Ids
    starts: Ids
    ends: Ids
    n_trees: int

    @classmethod
    def of(cls, tree: Tree, rows: Dataset, leaf_from: Array, steps: Array) -> NestedRows:
        """Send rows through a tree; see `nested_losses`."""
        n_trees = len(steps)
        steps = np.minimum(steps, np.finfo(float).max)  # what never happens does not at the last step either
        # A node is a leaf of the trees from first up to last, many of none: rows climb past those.
        first = np.searchsorted(steps, np.where(tree.n_children == 0, -np.inf, leaf_from))
        last = np.searchsorted(steps, there_until(tree, leaf_from))
        above = _nearest_above(tree, first < last)
        parts = place(tree, rows)
        # A row that stays at a node ends there in every tree that has it.
        row, weight, node, starts = parts.row, parts.weight, parts.node, np.zeros(len(parts.row), np.int64)
        ended = []
        while len(node):
            ended.append((row, weight, node, starts))
            node = above[node]
            climbing = np.flatnonzero(node >= 0)
            row, weight, node = row[climbing], weight[climbing], node[climbing]
            starts = first[node]
        row, weight, node, starts = map(np.concatenate, zip(*ended, strict=True))
        return cls(rows, row, weight, node, starts, np.maximum(last[node], starts), n_trees)

    def losses(self, tree: Tree, risk: Loss | None = None) -> LossSums:
        """Sum up the losses by what the nodes of the tree predict."""
        assert self.rows.target is not None
        target = self.rows.target[self.row]
        if tree.equations is None:
            loss = row_loss(tree, target, self.node, risk)
        else:
            loss = (target - tree.equations.say(self.rows, self.row, self.node)) ** 2
        weighed = self.weight * loss
        loss, loss_twice, squares = (
            np.cumsum(_change(self.starts, self.ends, term, self.n_trees))
            for term in (weighed, self.weight * weighed, weighed**2)
        )
        total = np.ones(len(self.rows)) if self.rows.weight is None else self.rows.weight
        return LossSums(float(total.sum()), float((total**2).sum()), loss, loss_twice, squares)


def _change(starts: Ids, ends: Ids, term: Array, n_trees: int) -> Array:
    """Give by how much the sum of terms differs from one tree to the next."""
    size = n_trees + 1  # one more for what no tree ends
    return np.asarray((np.bincount(starts, term, size) - np.bincount(ends, term, size))[:n_trees])


def _nearest_above(tree: Tree, chosen: NDArray[np.bool_]) -> Ids:
    """Give for each node the nearest of the chosen nodes above it, −1 if there is none."""
    parent = tree.parent.astype(np.int64)
    step = np.where((parent >= 0) & chosen[parent], parent, -1)
    return over_ancestors(tree.parent, step, np.maximum)  # ids rise from the root


def there_until(tree: Tree, leaf_from: Array) -> Array:
    """Give the step at which a node above each node collapses; infinite if none ever does."""
    above = np.where(tree.parent >= 0, leaf_from[np.maximum(tree.parent, 0)], np.inf)
    return over_ancestors(tree.parent, above, np.minimum)
