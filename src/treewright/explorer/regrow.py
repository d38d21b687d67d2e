"""Regrowing for the editor: grows subtrees below a node from the rows that reach it.

A split that is forced, and what grows below it, is counted on the training rows by the recipe that grew the
tree, so that an edited tree is as sound as a grown one.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Dataset
from treewright.errors import DataError
from treewright.growing.grow_tree import Progress, class_factor, grow
from treewright.growing.recipe import Recipe
from treewright.pruning.losses import row_loss
from treewright.pruning.recount import impurity_name
from treewright.tree import Tree
from treewright.tree.model import TreeModel
from treewright.tree.routing import place
from treewright.tree.splits import NO_SPLITS, Split, SplitTable
from treewright.tree.subtrees import graft


@dataclass(frozen=True, eq=False)
class Regrower:
    """Grows branches for a tree, in the way in which the whole was grown.

    That is the model's own recipe; of a tree without a model it is told from the tree.

    Attributes
    ----------
    tree, training : Tree, Dataset
        The tree that is edited, and the rows that it was grown on.
    model : estimator or Tree
        Says how it was grown, if it knows.
    progress : callable or None
        Told how far growing is; see `treewright.grow`.
    """

    tree: Tree
    training: Dataset
    model: Any
    progress: Progress | None = None

    @cached_property
    def recipe(self) -> Recipe:
        """How the tree was grown; a plain recipe of its own impurity if nobody knows."""
        known = self.model._recipe(self.tree.schema) if isinstance(self.model, TreeModel) else None
        if isinstance(known, Recipe):
            return known
        return Recipe(impurity_name(self.tree) if self.tree.is_classifier else "squared_error")

    @cached_property
    def weighed(self) -> Dataset:
        """The training rows with the weights that the recipe gives to classes."""
        factor, target = class_factor(self.training, self.recipe), self.training.target
        if factor is None or target is None:
            return self.training
        return replace(self.training, weight=factor[target])

    def rows_at(self, node: int) -> Dataset:
        """Give the training rows that come to a node, those that are shared by their share."""
        parts = place(self.tree, self.weighed)
        below = self.tree.below(np.arange(len(self.tree)) == node)
        here = below[parts.node] | (parts.node == node)
        weight = np.bincount(parts.row[here], parts.weight[here], len(self.training)).astype(np.float64)
        rows = np.flatnonzero(weight > 0)
        if not len(rows):
            raise DataError(f"no training row comes to node {node}: there is nothing to grow from.")
        is_whole = self.weighed.weight is None and bool((weight[rows] == 1).all())
        return replace(self.weighed.take(rows), weight=None if is_whole else weight[rows])

    def grown(self, rows: Dataset, max_depth: int | None, level: int) -> Tree:
        """Grow rows by the recipe as if they were at a level of the tree; 0 levels give a leaf."""
        recipe, n_rows = self.recipe, len(self.training)
        left = None if recipe.max_depth is None else max(0, recipe.max_depth - level)
        deepest = left if max_depth is None else max_depth
        settled = replace(
            recipe,
            max_depth=deepest or (None if deepest is None else 1),
            class_weight=None,  # the rows have them in their weights
            priors=None,
            min_samples_split=_whole(recipe.min_samples_split, n_rows, 2),
            min_samples_leaf=_whole(recipe.min_samples_leaf, n_rows, 1),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a branch has one class only is nothing odd here
            tree = grow(rows, settled, progress=self.progress)
        return tree.collapse([0]) if deepest == 0 else tree

    def with_split(self, node: int, split: Split, max_depth: int | None) -> Tree:
        """Give the tree in which a node has a split, its branches grown from the rows that take them."""
        rows, level = self.rows_at(node), int(self.tree.node_depth[node])
        stump = _stump(self.grown(rows, 0, level), split)
        parts = place(stump, rows)
        branches = []
        for branch in range(split.n_branches):
            taken = np.unique(parts.row[parts.node == 1 + branch])
            if not len(taken):
                raise DataError(f"the split leaves branch {branch} of node {node} without rows.")
            branches.append(self.grown(rows.take(taken), max_depth, level + 1))
        tree = graft(self.tree, node, _counted(stump, branches))
        for branch, below in enumerate(branches):
            if not below.is_leaf(0):
                tree = graft(tree, tree.children(same_place(self.tree, tree, node))[branch], below)
        return tree

    def _loss(self, tree: Tree, target: NDArray[Any], node: int) -> NDArray[np.float64]:
        """Give what a leaf costs each of its rows, in the measure of the tree's risk."""
        value = float(tree.node_value[node, 0])
        match None if tree.is_classifier else self.recipe.criterion:
            case "absolute_error":
                return np.asarray(np.abs(target - value))
            case "poisson":
                if value <= 0:
                    raise ValueError(f"label={value!r} must be above 0: the tree predicts rates.")
                return np.asarray(
                    target * _core.log(np.where(target > 0, target, value) / value) - target + value
                )
        return row_loss(tree, target, np.full(len(target), node))

    def relabelled(self, node: int, value: float) -> Tree:
        """Give the tree in which a leaf predicts a class, by its code, or a number, at what that costs.

        What its rows say stays beside it: their counts, and the probabilities of classes.
        """
        tree = self.tree
        decided = np.full(len(tree), -1, np.int32) if tree.decided is None else tree.decided.copy()
        decided[node] = int(value) if tree.is_classifier else 0
        said = replace(tree, decided=decided)
        if not tree.is_classifier:
            values = tree.node_value.copy()
            values[node] = value
            said = replace(said, node_value=values, observed=tree.training_value)
        if not tree.count[node]:
            return said
        rows, risk = self.rows_at(node), tree.risk.copy()
        weight = np.ones(len(rows)) if rows.weight is None else rows.weight
        assert rows.target is not None
        risk[node] = (weight * self._loss(said, rows.target, node)).sum()
        return replace(said, risk=risk)


def same_place(tree: Tree, other: Tree, node: int) -> int:
    """Find the node of another tree that is reached by the same branches."""
    way = []
    while node:
        way.append(int(tree.branch[node]))
        node = int(tree.parent[node])
    at = 0
    for branch in reversed(way):
        at = other.children(at)[branch]
    return at


def _whole(limit: int | float, n_rows: int, least: int) -> int:
    """Turn a share of all rows into a number of rows."""
    return limit if isinstance(limit, int) else max(least, math.ceil(limit * n_rows))


def _stump(root: Tree, split: Split) -> Tree:
    """Make a tree of a root and its branches, all with the root's statistics."""
    size, n_branches = 1 + split.n_branches, split.n_branches
    names = ("count", "weight", "node_value", "impurity", "risk", "merit")
    statistics: dict[str, Any] = {name: np.repeat(getattr(root, name)[:1], size, axis=0) for name in names}
    return Tree(
        schema=root.schema,
        parent=np.array([-1] + [0] * n_branches, np.int32),
        default_branch=np.array([0] + [-1] * n_branches, np.int32),
        **statistics,
        split_begin=np.array([0] + [1] * size, np.int64),
        splits=SplitTable.from_splits([split]),
        competitor_begin=np.zeros(size + 1, np.int64),
        competitors=NO_SPLITS,
        costs=root.costs,
    )


def _counted(stump: Tree, branches: list[Tree]) -> Tree:
    """Give a stump the statistics of its branches; what misses the split goes where most rows go."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(stump, name)[:1], *(getattr(tree, name)[:1] for tree in branches)])
        for name in ("count", "weight", "node_value", "impurity", "risk")
    }
    weight, impurity = columns["weight"][1:], columns["impurity"]
    merit = np.zeros(len(stump))
    merit[0] = impurity[0] - (weight * impurity[1:]).sum() / max(weight.sum(), np.finfo(float).tiny)
    default = stump.default_branch.copy()
    default[0] = int(weight.argmax())
    return replace(stump, **columns, merit=merit, default_branch=default)
