"""Importance: how much each feature matters to a forest, by impurity, less its bias, or by shuffling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Column, Dataset, Schema
from treewright.forest.draws import Draws
from treewright.forest.growing import grow_trees
from treewright.forest.trees import Trees
from treewright.grow import threads
from treewright.names import unknown_name
from treewright.tree import Tree

if TYPE_CHECKING:
    from treewright.forest.estimators import ForestEstimator

Array = NDArray[np.float64]

KINDS: dict[str, str] = {
    "impurity": "mean share in the decrease of impurity",
    "corrected": "decrease of impurity beyond that of a shuffled copy of the feature",
    "permutation": "loss of accuracy on rows not drawn when the feature is shuffled among them",
}
"""The kinds of importance, by name."""


@dataclass(frozen=True, eq=False)
class Importance:
    """How much each feature matters.

    Parameters
    ----------
    names : tuple of str
        The features.
    mean : float array
        Mean over the trees.
    spread : float array
        Standard deviation between the trees; divided by √trees it is the standard error of the mean.
    kind : str
        A name of `KINDS`.

    Examples
    --------
    >>> print(Importance(("a", "b"), np.array([0.25, 0.75]), np.array([0.1, 0.2]), "impurity"))
    b  0.75 ± 0.2
    a  0.25 ± 0.1
    """

    names: tuple[str, ...]
    mean: Array
    spread: Array
    kind: str

    @property
    def order(self) -> NDArray[np.int64]:
        """The features, the most important first."""
        return np.argsort(-self.mean, kind="stable")

    def __str__(self) -> str:
        width = max(map(len, self.names))
        return "\n".join(
            f"{self.names[f]:<{width}}  {self.mean[f]:.3g} ± {self.spread[f]:.3g}" for f in self.order
        )


def importance(
    forest: ForestEstimator, kind: str, X: Any, y: Any, *, random_state: int = 0, n_repeats: int = 1
) -> Importance:
    """Give one kind of importance of a fitted forest; see `FittedForest.importance`."""
    if kind not in KINDS:
        raise ValueError(unknown_name("kind of importance", kind, KINDS))
    trees = forest._fitted_trees()
    if kind == "impurity":
        return impurity_importance(trees)
    if X is None or y is None:
        raise ValueError(f"importance(kind={kind!r}) needs X and y: the rows of the fit.")
    rows = forest._training_rows(X, y)
    if kind == "corrected":
        return corrected_importance(forest, rows, random_state)
    return permutation_importance(
        trees,
        forest.draws_,
        rows,
        random_state=random_state,
        n_repeats=n_repeats,
        n_threads=threads(forest.n_jobs),
    )


def impurity_importance(trees: Trees) -> Importance:
    """Share of each feature in the decrease of impurity of each tree (Breiman et al., 1984, ch. 5.3)."""
    shares = np.array([tree.compute_feature_importances() for tree in trees if len(tree) > 1])
    if not len(shares):
        shares = np.zeros((1, len(trees.schema.columns)))
    return _of_trees(trees.schema.names, shares, "impurity")


def corrected_importance(forest: ForestEstimator, rows: Dataset, random_state: int) -> Importance:
    """Decrease of impurity by each feature less that by its shadow (Nembrini, König & Wright, 2018).

    Another forest is grown on the features and a copy of each with its rows shuffled. Whatever a feature
    gains because it has many values, its shadow gains as well, so that the difference is 0 on average for a
    feature that says nothing of the target.
    """
    n_features = len(rows.schema.columns)
    random = np.random.default_rng(random_state)
    # In mixed order, since the first of equally good features wins.
    order = random.permutation(2 * n_features)
    doubled = _with_shadows(rows, order, random.permutation(len(rows)))
    recipe = forest._recipe(doubled)
    if isinstance(recipe.missing, tuple) or recipe.monotonic is not None:
        raise ValueError(
            "importance(kind='corrected') needs one policy for all missing values and no monotonic_cst."
        )
    trees = grow_trees(doubled, recipe, forest.draws_, n_jobs=forest.n_jobs)
    removed = np.empty((len(trees), 2 * n_features))
    for at, tree in enumerate(trees):
        removed[at, order] = tree.compute_feature_importances(normalize=False)
    return _of_trees(rows.schema.names, removed[:, :n_features] - removed[:, n_features:], "corrected")


def _with_shadows(rows: Dataset, order: NDArray[np.int64], shuffled: NDArray[np.int64]) -> Dataset:
    """Add to each feature a copy of it with its rows shuffled, and put all of them in an order."""
    schema, n_features = rows.schema, len(rows.schema.columns)
    columns: list[Column] = []
    numbers: list[NDArray[Any]] = []
    codes: list[NDArray[Any]] = []
    for at in order.tolist():
        feature = at % n_features
        column, position = schema.columns[feature], schema.position[feature]
        values = (rows.codes if column.kind == "categorical" else rows.numbers)[:, position]
        name = column.name if at < n_features else f"shadow {feature} of {column.name}"
        columns.append(Column(name, column.kind, column.categories, column.unit, column.offset))
        (codes if column.kind == "categorical" else numbers).append(
            values if at < n_features else values[shuffled]
        )
    return Dataset(
        Schema(tuple(columns), schema.classes, True),
        _matrix(numbers, len(rows), np.float64),
        _matrix(codes, len(rows), np.int32),
        rows.target,
        rows.weight,
    )


def _matrix(columns: list[NDArray[Any]], n_rows: int, dtype: Any) -> NDArray[Any]:
    matrix = np.empty((n_rows, len(columns)), dtype, order="F")
    for at, column in enumerate(columns):
        matrix[:, at] = column
    return matrix


def permutation_importance(
    trees: Trees,
    draws: Draws,
    rows: Dataset,
    *,
    random_state: int = 0,
    n_repeats: int = 1,
    n_threads: int = 1,
) -> Importance:
    """Loss on the rows a tree has not drawn, when one feature is shuffled among them (Breiman, 2001, §10)."""
    if not draws.n_draws:
        raise ValueError("importance(kind='permutation') needs rows out of bag: set bootstrap=True.")
    losses = np.zeros((len(trees), len(rows.schema.columns)))
    for at, tree in enumerate(trees):
        left_out = np.flatnonzero(draws.out_of_bag(at))
        if len(left_out) == 0:
            continue
        random = np.random.default_rng([random_state, at])
        losses[at] = _tree_losses(tree, rows.take(left_out), random, n_repeats, n_threads)
    return _of_trees(rows.schema.names, losses, "permutation")


def _tree_losses(
    tree: Tree, rows: Dataset, random: np.random.Generator, n_repeats: int, n_threads: int
) -> Array:
    """By how much the tree's error on the rows rises when each feature is shuffled."""
    losses = np.zeros(len(rows.schema.columns))
    before = _error(tree, rows, n_threads)
    used = {feature for split in tree.splits for feature in _features(split)}
    for feature in sorted(used):
        column = int(rows.schema.position[feature])
        table = rows.codes if rows.schema.n_categories[feature] else rows.numbers
        kept = table[:, column].copy()
        for _ in range(n_repeats):
            table[:, column] = kept[random.permutation(len(kept))]
            losses[feature] += (_error(tree, rows, n_threads) - before) / n_repeats
        table[:, column] = kept
    return losses


def _features(split: Any) -> tuple[int, ...]:
    return split.features if hasattr(split, "features") else (split.feature,)


def _error(tree: Tree, rows: Dataset, n_threads: int) -> float:
    said = tree.spread(rows.numbers, rows.codes, tree.value, n_threads)
    if tree.is_classifier:
        return float(np.mean(said.argmax(axis=1) != rows.target))
    return float(np.mean((said.ravel() - np.asarray(rows.target)) ** 2))


def _of_trees(names: Any, by_tree: Array, kind: str) -> Importance:
    spread = by_tree.std(axis=0, ddof=1) if len(by_tree) > 1 else np.zeros(by_tree.shape[1])
    return Importance(tuple(names), by_tree.mean(axis=0), spread, kind)
