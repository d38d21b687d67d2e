"""Nested: the losses of a sequence of nested trees, all in one pass of the rows down the largest of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.descent import place
from treewright.pruning.losses import row_loss
from treewright.tree import Tree, over_ancestors

Array = NDArray[np.float64]


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
        return self.loss / self.weight

    @property
    def se(self) -> Array:
        """Standard error of each mean; √(e (1 − e) / n) for an error rate e of n rows of weight one."""
        mean = self.mean
        variance = self.squares - 2 * mean * self.loss_twice + mean**2 * self.weight_squared
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)) / self.weight)


def nested_losses(tree: Tree, rows: Dataset, leaf_from: Array, steps: Array) -> LossSums:
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
    """
    n_trees = len(steps)
    steps = np.minimum(
        steps, np.finfo(float).max
    )  # what never happens does not happen at the last step either
    # A node is a leaf of the trees from first to last.
    first = np.searchsorted(steps, np.where(tree.n_children == 0, -np.inf, leaf_from))
    last = np.searchsorted(steps, there_until(tree, leaf_from))
    parts = place(tree, rows)
    assert rows.target is not None
    target, weight, node = rows.target[parts.row], parts.weight, parts.node
    starts = np.zeros(len(node), np.int64)  # a row that stays at a node ends there in every tree that has it
    sums = np.zeros((3, n_trees + 1))
    while len(node):
        ends_here = np.flatnonzero(starts < last[node])
        at, w = node[ends_here], weight[ends_here]
        loss = row_loss(tree, target[ends_here], at)
        for row, term in enumerate((w * loss, w**2 * loss, (w * loss) ** 2)):
            sums[row] += np.bincount(starts[ends_here], term, minlength=n_trees + 1)
            sums[row] -= np.bincount(last[at], term, minlength=n_trees + 1)
        climbing = tree.parent[node] >= 0
        target, weight, node = (
            target[climbing],
            weight[climbing],
            tree.parent[node[climbing]].astype(np.int64),
        )
        starts = first[node]
    loss, loss_twice, squares = np.cumsum(sums, axis=1)[:, :n_trees]
    total = np.ones(len(rows)) if rows.weight is None else rows.weight
    return LossSums(float(total.sum()), float((total**2).sum()), loss, loss_twice, squares)


def there_until(tree: Tree, leaf_from: Array) -> Array:
    """Give the step at which a node above each node collapses; infinite if none ever does."""
    above = np.where(tree.parent >= 0, leaf_from[np.maximum(tree.parent, 0)], np.inf)
    return over_ancestors(tree.parent, above, np.minimum)
