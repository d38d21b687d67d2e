"""Feature importance of a forest: impurity decrease, debiased, on out-of-bag rows, by permutation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Column, Dataset, Schema
from treewright.data.dataset import stacked
from treewright.explain.importance import (
    Importances,
    held_out_decrease,
    permutation_losses,
    training_decrease,
    with_rows,
    without_rows,
)
from treewright.forest.bootstrap import Draws
from treewright.forest.growing import grow_trees
from treewright.forest.trees import Trees
from treewright.growing.grow_tree import Progress, progress_bar, threads
from treewright.growing.recipe import Recipe

if TYPE_CHECKING:
    from treewright.tree.model import ForestModel

Array = NDArray[np.float64]


def forest_importances(
    forest: ForestModel,
    rows: Dataset | None,
    *,
    out_of_bag: bool,
    corrected: bool,
    n_repeats: int,
    random_state: int,
) -> Importances:
    """Measure the importance of each feature for a forest; see `RandomForestClassifier.importances`."""
    trees, draws = forest._fitted_trees(), forest.draws_
    by_tree = {"impurity": impurity_shares(trees)}
    if rows is None:
        impurity = by_tree["impurity"].mean(axis=0)
        return without_rows(trees.schema, impurity, draws.n_rows, spreads=_spreads(by_tree))
    if out_of_bag and not draws.n_draws:
        raise ValueError("importances(X, y) needs rows that trees have not drawn: set bootstrap=True.")
    if corrected:
        by_tree["corrected"] = corrected_decreases(forest, rows, random_state)
    judges = Judges(rows, draws if out_of_bag else None)
    by_tree["permutation"] = permutation_by_tree(
        trees,
        judges,
        random_state=random_state,
        n_repeats=n_repeats,
        n_threads=threads(forest.n_jobs),
        progress=progress_bar(forest.verbose, "shuffling"),
    )
    means = {name: each.mean(axis=0) for name, each in by_tree.items()}
    spreads = _spreads(by_tree)
    return with_rows(
        trees.schema,
        means.pop("impurity"),
        rows,
        means["permutation"] > 2 * spreads["permutation"] / np.sqrt(len(trees)),
        held_out=held_out_shares(trees, judges),
        spreads=spreads,
        **means,
    )


@dataclass(frozen=True, eq=False)
class Judges:
    """The rows that judge each tree: those of the fit that it has not drawn or, without draws, all rows."""

    rows: Dataset
    draws: Draws | None

    def of(self, tree: int) -> Dataset:
        """Give the rows that judge a tree."""
        chosen = np.ones(len(self.rows), bool) if self.draws is None else self.draws.out_of_bag(tree)
        if self.rows.weight is not None:
            chosen &= self.rows.weight > 0
        return self.rows.take(np.flatnonzero(chosen))


def _spreads(by_tree: dict[str, Array]) -> dict[str, Array]:
    """Standard deviation between the trees, of each measure."""
    return {name: each.std(axis=0, ddof=min(len(each) - 1, 1)) for name, each in by_tree.items()}


def impurity_shares(trees: Trees) -> Array:
    """Share of each feature in the decrease of impurity of each tree that has a split."""
    each = [tree.compute_feature_importances() for tree in trees if len(tree) > 1]
    return np.array(each) if each else np.zeros((1, len(trees.schema.columns)))


def held_out_shares(trees: Trees, judges: Judges) -> Array:
    """What each tree's splits are worth on the rows that judge it (Li, Wang, Basu, Kumbier & Yu, 2019).

    As a share of what they take away on the rows it has drawn.
    """
    grown, held_out = 0.0, np.zeros(len(trees.schema.columns))
    for at, tree in enumerate(trees):
        rows = judges.of(at)
        if len(rows):
            value = tree.class_probabilities
            grown += training_decrease(tree, value)
            held_out += held_out_decrease(tree, value, rows)
    return held_out / max(grown, 1e-300)


def corrected_decreases(forest: ForestModel, rows: Dataset, random_state: int) -> Array:
    """Decrease of impurity by each feature less that by its shadow (Nembrini, König & Wright, 2018).

    Another forest is grown on the features and a copy of each with its rows shuffled. Whatever a feature
    gains because it has many values, its shadow gains as well, so that the difference is 0 on average for a
    feature that says nothing of the target.
    """
    n_features = len(rows.schema.columns)
    random = np.random.default_rng(random_state)
    order = random.permutation(2 * n_features)  # of the columns, which decides between equal splits
    doubled = _with_shadows(rows, order, random.permutation(len(rows)))
    recipe = _for_shadows(forest._recipe(rows), order % n_features)
    progress = progress_bar(forest.verbose, "growing with shadows")
    trees = grow_trees(doubled, recipe, forest.draws_, n_jobs=forest.n_jobs, progress=progress)
    removed = np.empty((len(trees), 2 * n_features))
    for at, tree in enumerate(trees):
        removed[at, order] = tree.compute_feature_importances(normalize=False)
    return removed[:, :n_features] - removed[:, n_features:]


def _for_shadows(recipe: Recipe, feature_of: NDArray[np.int64]) -> Recipe:
    """Return the recipe with what it says of each feature said of its shadow too."""
    missing, monotonic = recipe.missing, recipe.monotonic
    if not isinstance(missing, str):
        missing = tuple(missing[feature] for feature in feature_of.tolist())
    if monotonic is not None:
        monotonic = tuple(monotonic[feature] for feature in feature_of.tolist())
    return replace(recipe, missing=missing, monotonic=monotonic)


def _with_shadows(rows: Dataset, order: NDArray[np.int64], shuffled: NDArray[np.int64]) -> Dataset:
    """Add to each feature a copy of it with its rows shuffled, and put all of them in an order."""
    schema, n_features = rows.schema, len(rows.schema.columns)
    columns: list[Column] = []
    numbers: list[NDArray[Any]] = []
    codes: list[NDArray[Any]] = []
    for at in order.tolist():
        feature = at % n_features
        column, values = schema.columns[feature], rows.values(feature)
        name = column.name if at < n_features else f"shadow {feature} of {column.name}"
        columns.append(Column(name, column.kind, column.categories, column.unit, column.offset))
        (codes if column.kind == "categorical" else numbers).append(
            values if at < n_features else values[shuffled]
        )
    return Dataset(
        Schema(tuple(columns), schema.classes, True, outputs=schema.outputs),
        stacked(numbers, len(rows), np.float64),
        stacked(codes, len(rows), np.int32),
        rows.target,
        rows.weight,
    )


def permutation_by_tree(
    trees: Trees,
    judges: Judges,
    *,
    random_state: int = 0,
    n_repeats: int = 1,
    n_threads: int = 1,
    progress: Progress | None = None,
) -> Array:
    """By how much the error of each tree on the rows that judge it rises when a feature is shuffled.

    Breiman (2001, §10), with the error of each tree by itself as in his program and in randomForest.
    """
    losses = np.zeros((len(trees), len(trees.schema.columns)))
    for at, tree in enumerate(trees):
        rows = judges.of(at)
        if len(rows):
            random = np.random.default_rng([random_state, at])
            losses[at] = permutation_losses(tree, rows, random, n_repeats, n_threads).mean(axis=0)
        if progress is not None:
            progress((at + 1) / len(trees))
    return losses
