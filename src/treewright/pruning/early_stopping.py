"""Early stopping: best-first growing until held-out rows, or cross-validation, gain no more.

The splits of a grown tree are gone through in the order in which best-first growing makes them, the one that
lowers the whole tree's impurity most first; the result is the tree as it stood when growing should have
stopped. One pass of the rows down the tree judges all of its stages, so that growing need not be interrupted
for each: it goes to 256 leaves, then to four times as many, until a stage inside was the last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.parameter_types import Domain, is_whole, whole
from treewright.pruning.nested import LossSums, nested_losses
from treewright.pruning.path import NestedPrunings, PruningPath
from treewright.pruning.pruner import Needs, Pruned, Pruner
from treewright.tree import Tree

Array = NDArray[np.float64]
Ids = NDArray[np.int64]


def _is_cv(value: Any) -> bool:
    return value is None or (bool(value >= 2) if is_whole(value) else False)


@dataclass(frozen=True)
class EarlyStopping(Pruner):
    """Stop growing, best first, when it no longer helps rows that the tree has not seen.

    Parameters
    ----------
    cv : int or None
        None watches held-out rows (an estimator holds out its `holdout` share); a number finds the
        number of splits by as many folds of cross-validation, and makes as many on all rows.
    patience : int or None
        Stop after so many splits in a row without gain, and go back to where it was best; 1 stops at the
        first split that does not help, None looks at all of them.
    random_state : int
        Seed of the folds.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = DecisionTreeClassifier(early_stopping=EarlyStopping(cv=5)).fit(X, y)
    >>> model.get_n_leaves()
    4
    """

    domains: ClassVar[dict[str, Domain]] = {
        "cv": Domain(_is_cv, "an int from 2 on or None"),
        "patience": whole(1, none=True),
        "random_state": whole(0),
    }

    cv: int | None = None
    patience: int | None = 10
    random_state: int = 0

    @property
    def needs(self) -> Needs:
        """The rows that the method looks at beside the tree."""
        return "holdout" if self.cv is None else "training"

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the tree as it was when growing should have stopped, see `Pruner.prune`."""
        if self.cv is not None:
            raise ValueError(
                f"{self} grows further trees: use it as early_stopping or pruner of an estimator."
            )
        return self.stop(tree, losses_by_splits(tree, self.require_rows(rows)))

    def stop(self, tree: Tree, losses: LossSums) -> Pruned:
        """Cut a tree back to the number of splits of least loss, as far as patience looks.

        Parameters
        ----------
        tree : Tree
        losses : LossSums
            Of the tree after each number of splits, from none on.
        """
        loss = losses.mean
        n_splits, seen = self._stages(loss)
        order = best_first_order(tree)
        collapse = np.zeros(len(tree), bool)
        collapse[order[n_splits:]] = True
        before, after = np.zeros(len(tree)), np.zeros(len(tree))
        before[order], after[order] = loss[:-1], loss[1:]
        shown = order[: min(seen, len(order))]
        report = self.report(
            tree,
            "loss per row",
            shown,
            before=before,
            after=after,
            collapse=collapse,
            columns=("before", "split"),
        )
        path = replace(
            self._path(tree, order), held_out=loss[::-1], se=losses.se[::-1], chosen=len(order) - n_splits
        )
        return Pruned(tree.collapse(collapse), report, path)

    def _stages(self, loss: Array) -> tuple[int, int]:
        """The number of splits of least loss, and how many were looked at."""
        best = 0
        for splits in range(1, len(loss)):
            if loss[splits] < loss[best] - 1e-12 * abs(loss[best]):
                best = splits
            elif self.patience is not None and splits - best >= self.patience:
                return best, splits
        return best, len(loss) - 1

    def _path(self, tree: Tree, order: Ids) -> PruningPath:
        gained = (tree.n_children[order] - 1).astype(np.int64)
        below = np.array([tree.risk[tree.children(node)].sum() for node in order.tolist()])
        leaves = 1 + np.concatenate(([0], np.cumsum(gained)))
        risk = tree.risk[0] + np.concatenate(([0.0], np.cumsum(below - tree.risk[order])))
        leaf_from = np.full(len(tree), np.inf)
        leaf_from[order] = np.arange(len(order), 0, -1)  # splits are undone last first
        prunings = NestedPrunings(tree, leaf_from)
        return PruningPath(leaves[::-1], risk[::-1] / tree.weight[0], prunings=prunings)


def best_first_order(tree: Tree) -> Ids:
    """Give the nodes that are split, in the order in which best-first growing splits them.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> order = best_first_order(tree)
    >>> order[:2].tolist(), len(order)
    ([0, 2], 8)
    """
    impure = tree.weight * tree.impurity
    inside = np.bincount(np.maximum(tree.parent, 0)[1:], impure[1:], minlength=len(tree))
    decrease = (impure - inside).tolist()
    n_children = tree.n_children.tolist()
    order, waiting, age = [], [(0.0, 0, 0)], 0
    while waiting:
        node = heappop(waiting)[2]
        if not n_children[node]:
            continue
        order.append(node)
        for child in tree.children(node):
            if n_children[child]:
                age += 1
                heappush(waiting, (-decrease[child], age, child))
    return np.array(order, np.int64)


def losses_by_splits(tree: Tree, rows: Dataset) -> LossSums:
    """Give the losses on some rows of a tree after each number of splits, best first, from none on."""
    order = best_first_order(tree)
    undone = np.full(len(tree), np.inf)
    undone[order] = len(order) - np.arange(len(order))  # splits are undone last first
    sums = nested_losses(tree, rows, undone, np.arange(len(order) + 1.0))
    return replace(sums, loss=sums.loss[::-1], loss_twice=sums.loss_twice[::-1], squares=sums.squares[::-1])


def resized(losses: LossSums, n_trees: int) -> LossSums:
    """Give losses for so many trees: those of a tree that stopped growing stay what they are."""

    def fitted(column: Array) -> Array:
        return np.concatenate([column, np.full(max(n_trees - len(column), 0), column[-1])])[:n_trees]

    return replace(
        losses,
        loss=fitted(losses.loss),
        loss_twice=fitted(losses.loss_twice),
        squares=fitted(losses.squares),
    )
