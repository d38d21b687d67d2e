"""CARTClassifier and CARTRegressor: surrogates, cost-complexity pruning; as the book or as rpart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import fsum, inf
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import InvalidParameterError

from treewright.data import Dataset, Schema
from treewright.errors import DataError
from treewright.estimators.base import estimator, public_estimator
from treewright.estimators.fitted_tree import ClassReader, NumberReader
from treewright.estimators.fitting import LEARNER_DOMAINS, Learner
from treewright.estimators.presets.cart_recipe import CARTRecipe, GrownCART
from treewright.estimators.presets.cart_statistics import CARTFigures
from treewright.estimators.presets.cp_table import CPTable, choose_row, cp_table, fold_numbers, folds_of_rows
from treewright.estimators.presets.training_rows import (
    Mask,
    fill_target,
    has_values,
    refuse_too_many_groupings,
)
from treewright.growing.grow_tree import progress_bar
from treewright.growing.parameters import (
    CLASS_DOMAINS,
    SHARED_DOMAINS,
    check_counts,
    class_priors,
    cost_rows,
    costs_of_features,
)
from treewright.parameter_types import (
    LARGEST_FACTOR,
    SMALLEST_FACTOR,
    Domain,
    check_parameters,
    is_whole,
    number,
    one_of,
    whole,
)
from treewright.tree import Tree

Array = NDArray[np.float64]


CART_DOMAINS: dict[str, Domain] = {
    "criterion": one_of("gini", "entropy"),
    "min_samples_split": whole(1),
    "min_samples_leaf": whole(1),
    "cp": number(-inf),
    "max_depth": Domain(
        lambda value: is_whole(value) and 1 <= value <= 1000, "an int in the range [1, 1000]"
    ),
    **{
        name: SHARED_DOMAINS[name]
        for name in ("max_surrogates", "use_surrogates", "max_competitors", "feature_costs")
    },
    "surrogate_style": Domain(lambda value: is_whole(value) and value in (0, 1), "0 or 1"),
    "cv": Domain(
        lambda value: value is None or (value >= 2 if is_whole(value) else np.ndim(value) == 1),
        "an int from 2 on, an array with the fold of each row or None",
    ),
    "se": number(0.0, none=True),
    "compat": one_of("rpart", none=True),
    **LEARNER_DOMAINS,
}
"""What the parameters of both CARTs may be."""


@estimator
class CARTEstimator(Learner):
    """What the two CARTs share; see `CARTClassifier` for the parameters."""

    allowed: ClassVar[dict[str, Domain]] = CART_DOMAINS

    criterion: str
    min_samples_split: int = 20
    min_samples_leaf: int = 7
    cp: float = 0.01
    max_depth: int = 30
    max_surrogates: int = 5
    use_surrogates: int = 2
    surrogate_style: int = 0
    max_competitors: int = 4
    feature_costs: ArrayLike | Mapping[Any, float] | None = None
    cv: int | ArrayLike | None = 10
    se: float | None = None
    compat: str | None = None

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree, cross-validate its prunings, and prune it if `se` asks to.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            NumPy array, pandas, polars or Arrow table, list of rows or SciPy sparse matrix.
        y : array-like of shape (n_rows,)
            The target.
        sample_weight : array-like of shape (n_rows,) or None
            Weight of each row; rows of weight zero change nothing.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.
        """
        check_parameters(type(self).__name__, self.__dict__, self.allowed, InvalidParameterError)
        if self.se is not None and self.cv is None:
            raise InvalidParameterError(
                f"The 'se' parameter of {type(self).__name__} needs cross-validation: give 'cv', or se=None."
            )
        y, exposure = self._exposure(y)
        dataset, used = self._used_rows(X, y, sample_weight)
        folds = None if self.cv is None else folds_of_rows(self.cv, dataset, used)
        recipe, progress = self._recipe(dataset.schema), progress_bar(self.verbose)
        if exposure is not None:
            recipe = replace(recipe, exposure=exposure[used])
        grown = recipe.grow_with_prices(dataset, self.n_jobs, progress)
        table = self._cp_table(dataset, recipe, grown, folds)
        tree, figures = grown.tree, grown.figures
        if self.se is not None:
            cheap = figures.complexity <= table.price[choose_row(table, self.se)]
            tree, figures = figures.collapsed(tree, cheap)
        self._adopt(tree)
        self._forget_pruning()
        self.cp_table_, self._figures = table, figures
        self._keep_trace(grown.tree, dataset, recipe)
        return self

    def _exposure(self, y: Any) -> tuple[Any, Array | None]:
        """Part the target from the time in which it was counted, if it has one."""
        return y, None

    def _used_rows(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Dataset, Mask]:
        """Read the rows to learn from, and tell which of those given they are.

        rpart leaves out rows without a target, and rows without any value; a weight is a value to it.
        """
        has_target = None
        if self.compat == "rpart":
            y, has_target = fill_target(y)
        dataset = self._dataset(X, y, sample_weight)
        used = np.ones(len(dataset), bool)
        if np.ndim(sample_weight) == 1:  # type: ignore[arg-type]
            used = np.asarray(sample_weight, dtype=float) > 0  # others are not read
        keep = np.ones(len(dataset), bool) if has_target is None else has_target[used]
        if self.compat == "rpart" and sample_weight is None:
            keep &= has_values(dataset)
        if not keep.any():
            raise DataError(f"none of the {len(used)} rows has a target and a value to learn from.")
        if not keep.all():
            dataset = dataset.take(keep)
            used[used] = keep
        return dataset, used

    def _dataset(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Dataset:
        if self.criterion == "poisson":
            check_counts(y)
        return super()._dataset(X, y, sample_weight)

    def _recipe(self, schema: Schema) -> CARTRecipe:
        return CARTRecipe(
            criterion=self.criterion,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            cp=self.cp,
            max_depth=self.max_depth,
            max_surrogates=self.max_surrogates,
            use_surrogates=self.use_surrogates,
            surrogate_style=self.surrogate_style,
            max_competitors=len(schema.columns) if self.trace else self.max_competitors,
            feature_costs=costs_of_features(self.feature_costs, schema),
            compat=self.compat,
        )

    def _cp_table(
        self, dataset: Dataset, recipe: CARTRecipe, grown: GrownCART, folds: NDArray[Any] | None
    ) -> CPTable:
        """List the nested prunings, with their cross-validated risk if there are folds."""
        tree, complexity = grown.tree, grown.figures.complexity
        price = np.concatenate([complexity[:1], np.maximum(complexity[1:], self.cp * tree.risk[0])])
        table = cp_table(tree, price)
        if folds is None:
            return table
        folds = fold_numbers(folds, rpart=self.compat == "rpart")
        if self.compat == "rpart" and len(tree) == 1:  # rpart has nothing to validate there
            return table.validated(np.zeros(1), np.zeros(1))
        error, squared = recipe.validate(
            dataset,
            folds,
            table.price,
            largest_improve=grown.largest_improve,
            n_jobs=self.n_jobs,
            progress=progress_bar(self.verbose),
        )
        weight = float(len(dataset) if dataset.weight is None else dataset.weight.sum())
        known = np.isfinite(
            squared
        )  # no events were expected where a held-out row has some: infinite deviance
        finite = np.where(known, error, 0.0)
        spread = np.where(known, np.sqrt(np.maximum(squared - finite**2 / weight, 0.0)), np.inf)
        scale = tree.risk[0] or 1.0
        return table.validated(error / scale, spread / scale)

    def _adopt(self, tree: Tree) -> None:
        super()._adopt(tree)
        for name in ("cp_table_", "_figures"):  # of the tree there was before
            self.__dict__.pop(name, None)

    def _own_arrays(self) -> dict[str, Array]:
        if not hasattr(self, "_figures"):
            return {}
        return vars(self._figures) | {"cp_table": self.cp_table_.to_array()}

    def _adopt_own(self, arrays: dict[str, NDArray[Any]]) -> None:
        if arrays:
            table = CPTable.from_array(arrays.pop("cp_table", np.empty(0)))
            self._figures, self.cp_table_ = CARTFigures.checked(arrays, self.tree_), table

    def _as_grown(self, asked: str) -> CARTFigures:
        """Give the figures of the tree, if it is as `fit` made it."""
        self._fitted_tree()
        try:
            return self._figures
        except AttributeError:
            raise AttributeError(
                f"{asked} is that of a tree as `fit` makes it, and this one was pruned since: "
                "see print(model.tree_) and feature_importances_"
            ) from None

    @property
    def complexity_(self) -> Array:
        """For each node the cp at which it collapses."""
        return self._as_grown("complexity_").complexity / (self.tree_.risk[0] or 1.0)

    @property
    def variable_importance_(self) -> dict[str, float]:
        """Importance of each feature as rpart counts it, largest first.

        A split counts its improvement, and each of its surrogates that times its adjusted agreement: a
        feature that was masked by a better one is seen. `feature_importances_` counts splits alone.
        """
        total = self._as_grown("variable_importance_").credit.sum(axis=0)
        names = self.tree_.schema.names
        order = np.argsort(-total, kind="stable")
        return {names[feature]: float(total[feature]) for feature in order if total[feature] > 0}

    def summary(self, decimals: int = 7) -> str:
        """Describe the tree node by node, as `summary` of an rpart tree does.

        Parameters
        ----------
        decimals : int
            Significant digits of numbers.
        """
        from treewright.estimators.presets.summary import cart_summary

        return cart_summary(self, self._as_grown("summary"), decimals)


@public_estimator
class CARTClassifier(ClassReader, CARTEstimator):
    """CART for classes (Breiman, Friedman, Olshen & Stone, 1984): surrogates, priors, costs, cp.

    Parameters
    ----------
    criterion : {"gini", "entropy"}
        What a split should lower.
    min_samples_split, min_samples_leaf : int
        Fewest rows of a node that is split, and of a branch among the rows whose split is answered.
    cp : float
        A split must pay this share of the root's risk; splits that do not are undone while growing.
    max_depth : int
        Depth at which to stop.
    max_surrogates : int
        How many stand-in splits each node keeps for rows that miss the value it asks for.
    use_surrogates : {0, 1, 2}
        Rows with a missing value stay at the node; follow the surrogates, else stay; or follow the
        surrogates, else the majority.
    surrogate_style : {0, 1}
        Agreement is counted over all rows with a known split (0), or over those that also know the
        surrogate (1).
    max_competitors : int
        How many of the best splits on other features each node remembers.
    priors : dict or array-like or None
        The classes' shares to grow for, instead of those of the data.
    costs : array-like of shape (n_classes, n_classes) or None
        Cost of predicting a class (column) where another is true (row).
    feature_costs : array-like or dict of name to cost, or None
        The improvement of a split is divided by the cost of its feature.
    cv : int, array-like or None
        Folds of the cross-validation of `cp_table_`: how many, or the fold of each row. The folds of a
        number are dealt over the rows in order of the target, so that they are alike.
    se : float or None
        Prune to the smallest tree whose cross-validated error is within `se` standard errors of the least.
    compat : {"rpart"} or None
        "rpart" grows the tree of R's rpart node for node, its oddities included.
    laplace : float or bool
        What `predict_proba` adds to the weight of every class of a leaf; `True` is 1.
    unseen, inf, categorical_features, ordinal_features, n_jobs, verbose
        As for `DecisionTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    cp_table_ : CPTable
        The nested prunings, with the columns `cp, nsplit, rel_error, xerror, xstd`.
    variable_importance_ : dict
        Importance of each feature, surrogates included.
    complexity_ : ndarray
        For each node the cp at which it collapses.

    Examples
    --------
    >>> X = [[18, "a"], [25, "a"], [31, None], [44, "b"], [52, "b"], [60, "b"]]
    >>> y = ["low", "low", "low", "high", "high", "high"]
    >>> model = CARTClassifier(min_samples_split=2, min_samples_leaf=1, cv=None).fit(X, y)
    >>> model.predict([[None, "b"]]).tolist()  # the second column stands in for the first
    ['high']
    """

    task = "classification"
    allowed: ClassVar[dict[str, Domain]] = CART_DOMAINS | CLASS_DOMAINS

    criterion: str = "gini"
    priors: Mapping[Any, float] | ArrayLike | None = None
    costs: ArrayLike | None = None
    laplace: float | bool = 0

    def _recipe(self, schema: Schema) -> CARTRecipe:
        assert schema.classes is not None
        classes = schema.classes.tolist()
        priors = class_priors(self.priors, classes)
        return replace(
            super()._recipe(schema),
            priors=None if priors is None else _shares(priors, len(classes)),
            costs=cost_rows(self.costs, len(classes)),
        )

    def _used_rows(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Dataset, Mask]:
        dataset, used = super()._used_rows(X, y, sample_weight)
        if self.compat == "rpart" and len(np.asarray(dataset.schema.classes)) > 2:
            refuse_too_many_groupings(dataset)
        return dataset, used

    def _class_values(self, tree: Tree) -> Array:
        """Class weights; rpart takes classes that weigh less than one row in all as if they weighed one."""
        if self.compat != "rpart" or not hasattr(self, "_figures"):
            return tree.value
        return tree.value * np.minimum(self._figures.class_weight, 1.0)


@public_estimator
class CARTRegressor(NumberReader, CARTEstimator):
    """CART for numbers: squared error, or event counts by Poisson deviance.

    Parameters
    ----------
    criterion : {"squared_error", "poisson"}
        What a split should lower. The target of "poisson" is a count of events, or has two columns: the time
        in which events were counted, and their number; what is predicted is their rate.
    shrink : float or None
        How far "poisson" rates are drawn towards the overall rate: the coefficient of variation that rates
        are thought to have, 0 if they are not drawn. None is rpart's 1 with compat="rpart", else 0.
    **parameters
        All others are those of `CARTClassifier`, except for what concerns classes.

    Examples
    --------
    >>> model = CARTRegressor(min_samples_split=2, min_samples_leaf=1, cv=None)
    >>> model.fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 5.0]).predict([[0], [10]]).tolist()
    [1.0, 5.0]
    """

    task = "regression"
    allowed: ClassVar[dict[str, Domain]] = CART_DOMAINS | {
        "criterion": one_of("squared_error", "poisson"),
        "shrink": number(0.0, none=True),
    }

    criterion: str = "squared_error"
    shrink: float | None = None

    def _recipe(self, schema: Schema) -> CARTRecipe:
        default = 1.0 if self.compat == "rpart" else 0.0
        return replace(super()._recipe(schema), shrink=default if self.shrink is None else self.shrink)

    def _exposure(self, y: Any) -> tuple[Any, Array | None]:
        if self.criterion != "poisson" or np.ndim(y) != 2 or np.shape(y)[1] != 2:
            return y, None
        time, events = np.asarray(y, dtype=float).T
        wrong = (time < SMALLEST_FACTOR) | (time > LARGEST_FACTOR)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                "the first column of y, the time of counting, must be above 0, from "
                f"{SMALLEST_FACTOR:g} to {LARGEST_FACTOR:g}: row {row} has {time[row]}."
            )
        if self.trace:
            raise InvalidParameterError(
                "The 'trace' parameter of CARTRegressor must be False if y has the time of counting."
            )
        return np.where(np.isnan(time), np.nan, events), time


def _shares(priors: tuple[float, ...], n_classes: int) -> tuple[float, ...]:
    """Scale priors to sum to one, but for rounding."""
    if len(priors) != n_classes:
        raise ValueError(f"priors must have a number for each of the {n_classes} classes, got {len(priors)}.")
    total = fsum(priors)
    return tuple(map(_fraction, priors if abs(total - 1.0) < 1e-9 else [prior / total for prior in priors]))


def _fraction(share: float) -> float:
    """Give the simple fraction that a share is in fifteen digits, as R prints it: ties hang on the rest."""
    simple = float(Fraction(share).limit_denominator(1000))
    return simple if abs(simple - share) < 1e-14 else share
