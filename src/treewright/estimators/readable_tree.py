"""TreeClassifier and TreeRegressor: one readable tree, as accurate as one tree can be, without tuning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright.data import Dataset, Schema
from treewright.data.dataset import Task
from treewright.data.identifiers import identifier_prices
from treewright.distributed import is_dask, is_open
from treewright.distributed.judging import judge_by_folds
from treewright.distributed.open_rows import OpenRows, RowsAsAWhole
from treewright.distributed.parts import Parts
from treewright.estimators.base import estimator, public_estimator
from treewright.estimators.base_tree import (
    NO_DATA,
    TreeEstimator,
    predict_log_proba,
    predict_proba,
    score,
)
from treewright.forest.guide import grow_on_smoothed, smoothed_targets
from treewright.growing.grow_tree import grow, progress_bar
from treewright.growing.linear_leaves import RIDGES, smallest_leaf, with_equations
from treewright.growing.parameters import recipe_choices
from treewright.growing.recipe import Recipe
from treewright.model_selection.smoothed_pruning import (
    Fold,
    choose_smoothed,
    drawn_folds,
    prune_smoothed,
    single_leaf_note,
)
from treewright.model_selection.validated_pruning import apply_class_weights
from treewright.pruning import CostComplexity, Pruned
from treewright.tree import Tree
from treewright.tree.monotone import collapse_to_order

FEW_ROWS = 2000
"""Up to so many rows alpha is cross-validated with several draws of folds: one alone hangs on chance."""
REPEATS = 5
GUIDED_ROWS = 1000
"""Up to so many rows guide="auto" asks a forest."""
FEWEST_TO_PRUNE = 10
"""Of fewer rows no folds are made; the tree is pruned as little as a leaf is worth a row."""


@estimator
class ReadableTree(TreeEstimator):
    """What the two learners share; see `TreeClassifier` for the parameters."""

    # parameters: written by tools/generate_parameters.py
    max_depth: int | None = None
    min_samples_leaf: int = 2
    random_state: int = 0
    max_leaf_nodes: int | None = None
    monotonic_cst: Mapping[Any, int] | ArrayLike | None = None
    alpha: float | None = None
    shrinkage: float | None = None
    guide: str | None = None
    missing: str | Mapping[Any, str] = "direction"
    cut: str = "short"
    cv: int | Sequence[tuple[ArrayLike, ArrayLike]] = 5
    # end of parameters

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        """Grow the tree, choose its size, and smooth what it predicts."""
        if is_open(X) or is_dask(X):
            self._fit_open_table(X, y, sample_weight)
            return
        dataset = self._dataset(X, y, sample_weight)
        recipe, unit = self._recipe(dataset.schema), _unit(dataset)
        recipe = replace(recipe, feature_costs=identifier_prices(dataset))
        progress = progress_bar(self.verbose)
        guided = self.guide == "forest" or (self.guide == "auto" and len(dataset) <= GUIDED_ROWS)
        if getattr(self, "leaves", "constant") == "linear":
            self._fit_linear(dataset, recipe, unit, self._folds(dataset, sample_weight))
            return
        if guided:
            smoothed = smoothed_targets(dataset, recipe, self.random_state, self.n_jobs)

        @cache  # folds are of few sizes
        def with_least(share: float) -> Recipe:
            return replace(recipe, min_weight_fraction_leaf=share)

        def grow_on(rows: NDArray[np.int64]) -> Tree:
            part = dataset.take(rows) if len(rows) < len(dataset) else dataset
            own = with_least(_least_share(part, self.min_samples_leaf * unit))
            if guided:
                return grow_on_smoothed(dataset, smoothed, rows, own, self.n_jobs)
            told = progress if part is dataset else None
            return grow(part, own, n_jobs=self.n_jobs, progress=told, warn_of_odd=part is dataset)

        pruner, folds = self._pruner(len(dataset)), self._folds(dataset, sample_weight)
        pruned, strength = prune_smoothed(
            dataset,
            grow_on,
            pruner,
            folds,
            shrinkage=self.shrinkage,
            unit=unit,
            judged=lambda held_out, growing: apply_class_weights(held_out, recipe, growing),
        )
        self._keep_smoothed(pruned, strength, recipe.monotonic or ())
        self._remember(pruner, pruned)

    def _keep_smoothed(self, pruned: Pruned, strength: float, signs: Sequence[int] = ()) -> None:
        """Take the tree that was chosen, less what breaks the order it must keep."""
        tree = collapse_to_order(pruned.tree, signs) if any(signs) else pruned.tree
        note = single_leaf_note(pruned)
        self._set_tree(replace(tree, note=note) if note else tree)
        self.shrinkage_ = strength

    def _refuse_of_open_tables(self) -> None:
        """Refuse what needs all rows in memory."""
        if self.guide == "forest":
            raise ValueError(
                "guide='forest' needs the table in memory: an open table has no forest that guides."
            )
        if getattr(self, "leaves", "constant") == "linear":
            raise ValueError("leaves='linear' needs the table in memory: an open table has constant leaves.")
        if not isinstance(self.cv, int):
            raise ValueError(
                "cv as a list of rows needs the table in memory: of an open table give the number of folds."
            )

    def _fit_parts(self, rows: OpenRows, parts: Parts) -> None:
        """Fit the rows of some parts of a table in partitions; folds go by the numbers of the rows."""
        whole = rows.as_a_whole(parts)
        unit = _unit(whole)

        def recipe_of(parts: Parts) -> Recipe:
            least = _least_share(rows.as_a_whole(parts), self.min_samples_leaf * unit)
            return replace(self._recipe(rows.schema), min_weight_fraction_leaf=least)

        pruner, n_folds = self._pruner(len(whole)), int(cast(int, self.cv))
        n_draws = int(len(whole) >= FEWEST_TO_PRUNE)
        judge = judge_by_folds(rows, recipe_of, n_folds, self.random_state, parts)
        tree = rows.grow(recipe_of(parts), parts)
        pruned, strength = choose_smoothed(tree, pruner, judge, n_draws, shrinkage=self.shrinkage, unit=unit)
        self._keep_smoothed(pruned, strength)
        self._remember(pruner, pruned)

    def _fit_linear(
        self, dataset: Dataset, recipe: Recipe, unit: float, folds: Sequence[Sequence[Fold]]
    ) -> None:
        """Grow a tree of linear leaves, choose its size, and how far equations are drawn to those above."""
        if self.guide == "forest":
            raise ValueError("guide='forest' goes with leaves='constant', not with leaves='linear'.")
        if any(recipe.monotonic or ()):
            raise ValueError("monotonic_cst goes with leaves='constant', not with leaves='linear'.")

        def grow_on(rows: NDArray[np.int64], ridge: float) -> Tree:
            part = dataset.take(rows) if len(rows) < len(dataset) else dataset
            share = _least_share(part, smallest_leaf(part, self.min_samples_leaf, unit))
            own = replace(recipe, min_weight_fraction_leaf=share)
            grown = grow(part, own, n_jobs=self.n_jobs, warn_of_odd=part is dataset)
            return with_equations(grown, part, ridge=ridge, unit=unit)

        pruner = self._pruner(len(dataset))
        ridges = RIDGES if self.shrinkage is None else (self.shrinkage,)
        found = [
            prune_smoothed(dataset, partial(grow_on, ridge=ridge), pruner, folds, shrinkage=0.0)[0]
            for ridge in ridges
        ]
        losses = [
            0.0 if pruned.path is None or pruned.path.held_out is None else float(pruned.path.held_out.min())
            for pruned in found
        ]
        best = int(np.argmin(losses))
        self._set_tree(found[best].tree)
        self.shrinkage_ = ridges[best]
        self._remember(pruner, found[best])

    def _recipe(self, schema: Schema) -> Recipe:
        choices = recipe_choices(self._declared_as.__name__, self.__dict__, schema)
        choices["criterion"] = "gini" if self._task == "classification" else "squared_error"
        choices["fair_categories"] = True
        choices["min_samples_leaf"] = 1  # rows count by weight, see `_fit`
        if self.max_leaf_nodes is not None:
            choices["order"] = "best_first"
        return Recipe.of_checked(choices)

    def _pruner(self, n_rows: int) -> CostComplexity:
        """Say how the size of the tree is chosen."""
        if self.alpha is not None or n_rows < FEWEST_TO_PRUNE:
            return CostComplexity(alpha=1 / n_rows if self.alpha is None else self.alpha)
        return CostComplexity(cv=self.cv if isinstance(self.cv, int) else len(self.cv), se=cast(Any, self).se)

    def _folds(self, dataset: Dataset, sample_weight: ArrayLike | None) -> list[list[Fold]]:
        """Give the folds to cross-validate with, of each time that they are drawn."""
        if len(dataset) < FEWEST_TO_PRUNE:
            return []
        if isinstance(self.cv, int):
            repeats = REPEATS if len(dataset) <= FEW_ROWS else 1
            return drawn_folds(dataset, self.cv, repeats, self.random_state)
        counted = np.ones(len(dataset), bool) if sample_weight is None else np.asarray(sample_weight) > 0
        place = np.cumsum(counted) - 1  # rows of weight zero are not there
        return [[tuple(place[rows][counted[rows]] for rows in map(np.asarray, pair)) for pair in self.cv]]


def _unit(rows: Dataset | RowsAsAWhole) -> float:
    """Weight that counts as a row: one, or where weights are shares of a whole their mean."""
    return min(1.0, rows.total_weight() / len(rows))


def _least_share(rows: Dataset | RowsAsAWhole, least: float) -> float:
    """Give the weight of the smallest leaf as a share of all, a little less for rounding."""
    return min(0.5, least / rows.total_weight() * (1 - 1e-12))


@public_estimator
class TreeClassifier(ClassifierMixin, ReadableTree):
    """One readable decision tree that predicts classes, as accurate as one tree can be without tuning.

    Columns of any kind are learned as they are; one of identifiers or of many random categories does no harm.
    The size of the tree is chosen by cross-validation, class probabilities are smoothed, and cuts stand at
    the shortest decimal between two values. The page on the learner says what it does and why.

    Parameters
    ----------
    min_samples_leaf : int
        The least number of training rows in a leaf, or the least weight.
    random_state : int
        Seed of the folds and of the forest that guides.
    alpha : float or None
        The price of a leaf, in mean cost on the training rows: larger is a smaller tree. None chooses it by
        cross-validation.
    shrinkage : float or None
        Draw what a node predicts towards what the nodes above it predict: a branch counts by n / (n +
        shrinkage), n being the weight of the node that branches (Agarwal et al., 2022). 0 does not; None
        chooses it by cross-validation.
    guide : {"forest", "auto"} or None
        Grow the tree on targets that a forest has smoothed, each row by the trees that have not drawn it:
        better probabilities from a larger tree, in about three times the time. "auto" does so for tables of
        up to 1,000 rows.
    cv : int or list of pairs of arrays
        Folds of the cross-validation that chooses the size of the tree: how many, or of each the rows to grow
        on and those to judge by. Rows that are the same share a fold; up to 2,000 rows it is done several
        times.
    se : float
        Take the smallest tree whose cross-validated loss is within `se` standard errors, or 3 %, of the
        least; 0 takes that of the least.
    **parameters
        `max_depth`, `max_leaf_nodes`, `class_weight`, `monotonic_cst`, `costs`, `missing`, `cut`,
        `categorical_features`, `ordinal_features`, `n_jobs` and `verbose` are those of
        `DecisionTreeClassifier`, with the default `cut="short"`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    pruner_, report_, path_ : CostComplexity, Report, PruningPath
        What pruned the tree, what it compared and did, and the trees there were to choose from.
    shrinkage_ : float
        How far predictions are drawn towards those of nodes above.
    classes_ : ndarray of shape (n_classes,)
        The class labels; `predict_proba` has a column for each.
    n_classes_, n_features_in_, n_outputs_ : int
        Numbers of classes, features and targets.
    feature_names_in_ : ndarray of str
        Names of the features, if the table had any.

    Examples
    --------
    >>> from treewright import datasets
    >>> model = TreeClassifier().fit(*datasets.load_iris())
    >>> model.tree_.n_leaves
    5
    """

    _task: ClassVar[Task] = "classification"

    # parameters: written by tools/generate_parameters.py
    class_weight: Mapping[Any, float] | list[Mapping[Any, float]] | str | None = None
    costs: ArrayLike | None = None
    se: float = 0.25
    # end of parameters

    __metadata_request__predict_proba: ClassVar = NO_DATA
    predict_proba = predict_proba
    predict_log_proba = predict_log_proba
    score = score


@public_estimator
class TreeRegressor(RegressorMixin, ReadableTree):
    """One readable decision tree that predicts numbers, as accurate as one tree can be without tuning.

    When fitted it has the attributes of `TreeClassifier`, without `classes_` and `n_classes_`.

    Parameters
    ----------
    leaves : {"constant", "linear"}
        What a leaf predicts: a number, or a linear equation of few terms (M5; Quinlan, 1992), which is drawn
        to that of the node above by the weight of `shrinkage` rows, and held to the range of the target. It
        takes leaves of at least ten rows.
    se : float
        Take the smallest tree whose cross-validated loss is within `se` standard errors of the least.
    **parameters
        All others are those of `TreeClassifier`, without `class_weight` and `costs`.

    Examples
    --------
    >>> from treewright import datasets
    >>> model = TreeRegressor(max_depth=2).fit(*datasets.load_mpg())
    >>> model.get_n_leaves()
    4
    >>> X, y = datasets.load_mpg()
    >>> model = TreeRegressor(leaves="linear", max_depth=0).fit(X[["weight", "model year"]], y)
    >>> print(model.tree_)
    398 rows, 1 node, 1 leaf, depth 0; [mean]
    <BLANKLINE>
    all rows  → −14.23 − 0.006664·weight + 0.757·model year   (n=398, mean loss 11.98)  [23.5146]
    <BLANKLINE>
    missing values count in equations as weight = 2970, model year = 76.01
    predictions are held to 9 … 46.6
    """

    _task: ClassVar[Task] = "regression"

    # parameters: written by tools/generate_parameters.py
    leaves: str = "constant"
    se: float = 0.1
    # end of parameters

    score = score
