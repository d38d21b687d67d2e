"""Losses of nested trees: all prunings of a sequence in one pass of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.errors import DataError
from treewright.pruning.losses import Loss, row_loss
from treewright.tree import Tree
from treewright.tree.routing import Parts, place
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
            raise DataError(
                "the held-out rows weigh nothing: every one is of a class of weight 0. Leave these classes "
                "out, or hold out more rows."
            )
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
    tree, rows : Tree, Dataset
        The largest tree, and the rows to predict, with their target.
    leaf_from : array of n nodes
        The step from which each node is collapsed, infinite for those that never are; leaves may have any.
    steps : array, ascending
        The steps at which to look.
    risk : str or None
        The loss, see `row_loss`.
    """
    return losses_of_each([tree], rows, [leaf_from], [steps], risk)[0]


def losses_of_each(
    trees: Sequence[Tree],
    rows: Dataset,
    leaf_from: Sequence[Array],
    steps: Sequence[Array],
    risk: Loss | None = None,
    *,
    parts: Parts | None = None,
) -> list[LossSums]:
    """Give the losses of several trees that differ in what their nodes predict, see `nested_losses`.

    The trees stand side by side as one, so that small ones take hardly longer than one of them. Each may
    be several trees itself (`side_by_side`) of which rows go through one: `parts` says where they end.
    """
    tree, copies = trees[0], np.arange(len(trees))
    slots = np.cumsum([0, *(len(each) + 1 for each in steps)])  # a step more for what no tree ends
    parts = place(tree, rows) if parts is None else parts
    root = copies * len(tree)
    parent = np.where(tree.parent >= 0, tree.parent + root[:, None], -1).ravel()
    until = there_until(parent, np.concatenate(leaf_from)).reshape(len(trees), -1)
    starts = [np.where(tree.n_children == 0, -np.inf, each) for each in leaf_from]
    # A node is a leaf of the trees from first up to last, many of none: rows climb past those.
    first, last = (
        np.concatenate(
            [
                slot + np.searchsorted(_ever(at), when)
                for slot, at, when in zip(slots[:-1], steps, whens, strict=True)
            ]
        )
        for whens in (starts, until)
    )
    above = _nearest_above(parent, first < last)
    # A row that stays at a node ends there in every tree that has it.
    row, weight = np.tile(parts.row, len(trees)), np.tile(parts.weight, len(trees))
    node, begin = (parts.node + root[:, None]).ravel(), np.repeat(slots[:-1], len(parts.row))
    ended = []
    while len(node):
        ended.append((row, weight, node, begin))
        node = above[node]
        climbing = np.flatnonzero(node >= 0)
        row, weight, node = row[climbing], weight[climbing], node[climbing]
        begin = first[node]
    row, weight, node, begin = map(np.concatenate, zip(*ended, strict=True))
    end = np.maximum(last[node], begin)
    weighed = weight * _loss_at(trees, rows, row, node, risk)
    changes = [
        np.bincount(begin, term, slots[-1]) - np.bincount(end, term, slots[-1])
        for term in (weighed, weight * weighed, weighed**2)
    ]
    total = np.ones(len(rows)) if rows.weight is None else rows.weight
    weights = float(total.sum()), float((total**2).sum())
    return [
        LossSums(*weights, *(np.cumsum(change[here : there - 1]) for change in changes))
        for here, there in pairwise(slots.tolist())
    ]


def _ever(steps: Array) -> Array:
    """Give the steps with a last one that is finite: what never happens does not at the last step either."""
    return np.minimum(steps, np.finfo(float).max)


def _loss_at(
    trees: Sequence[Tree], rows: Dataset, row: Ids, node: Ids, risk: Loss | None
) -> NDArray[np.float64]:
    """Give the losses of rows at nodes, those of the second tree numbered after those of the first."""
    assert rows.target is not None
    size, target = len(trees[0]), rows.target[row]
    if trees[0].equations is not None:
        return np.asarray((target - trees[0].equations.say(rows, row, node % size)) ** 2)
    loss, copy = np.empty(len(row)), node // size
    for at, tree in enumerate(trees):
        own = slice(None) if len(trees) == 1 else copy == at
        loss[own] = row_loss(tree, target[own], node[own] % size, risk)
    return loss


def nested_errors(tree: Tree, errors: Array, n_rows: int, leaf_from: Array, steps: Array) -> LossSums:
    """Give the same of rows that weigh one and end in one leaf each, by the errors of each node as a leaf.

    `held_out_loss` tells them: rows need not be sent through the tree again.
    """
    first = np.searchsorted(steps, np.where(tree.n_children == 0, -np.inf, leaf_from))
    last = np.maximum(np.searchsorted(steps, there_until(tree.parent, leaf_from)), first)
    loss = np.cumsum(_change(first, last, errors, len(steps)))
    return LossSums(float(n_rows), float(n_rows), loss, loss, loss)


def _change(starts: Ids, ends: Ids, term: Array, n_trees: int) -> Array:
    """Give by how much the sum of terms differs from one tree to the next."""
    size = n_trees + 1  # one more for what no tree ends
    return np.asarray((np.bincount(starts, term, size) - np.bincount(ends, term, size))[:n_trees])


def _nearest_above(parent: NDArray[np.integer], chosen: NDArray[np.bool_]) -> Ids:
    """Give for each node the nearest of the chosen nodes above it, −1 if there is none."""
    above = parent.astype(np.int64)
    step = np.where((above >= 0) & chosen[above], above, -1)
    return over_ancestors(parent, step, np.maximum)  # ids rise from the root


def there_until(parent: NDArray[np.integer], leaf_from: Array) -> Array:
    """Give the step at which a node above each node collapses; infinite if none ever does."""
    above = np.where(parent >= 0, leaf_from[np.maximum(parent, 0)], np.inf)
    return over_ancestors(parent, above, np.minimum)
