"""CARTClassifier and CARTRegressor: surrogates, cost-complexity pruning; as the book or as rpart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import fsum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright.data import Dataset, Schema
from treewright.data.columns import Unseen
from treewright.data.dataset import Task
from treewright.data.schema import Infinities
from treewright.errors import DataError
from treewright.estimators.base import InvalidParameterError, estimator, public_estimator
from treewright.estimators.base_tree import NO_DATA, TreeEstimator, predict_log_proba, predict_proba
from treewright.estimators.presets.cart_recipe import CARTRecipe, GrownCART
from treewright.estimators.presets.cart_statistics import CARTFigures
from treewright.estimators.presets.cp_table import CPTable, choose_row, cp_table, fold_numbers, folds_of_rows
from treewright.estimators.presets.training_rows import (
    Mask,
    fill_target,
    has_values,
    refuse_too_many_groupings,
)
from treewright.growing.grow_tree import class_factor, progress_bar
from treewright.growing.parameters import recipe_choices
from treewright.growing.recipe import Recipe
from treewright.parameter_types import LARGEST_FACTOR, SMALLEST_FACTOR
from treewright.tree import Tree

Array = NDArray[np.float64]


@estimator
class CARTEstimator(TreeEstimator):
    """What the two CARTs share; see `CARTClassifier` for the parameters."""

    # parameters: written by tools/generate_parameters.py
    max_depth: int = 30
    min_samples_split: int = 20
    min_samples_leaf: int = 7
    cp: float = 0.01
    max_surrogates: int = 5
    use_surrogates: int = 2
    surrogate_style: int = 0
    max_competitors: int = 4
    feature_costs: Mapping[Any, float] | ArrayLike | None = None
    cv: int | ArrayLike | None = 10
    se: float | None = None
    unseen: Unseen = "missing"
    inf: Infinities = "error"
    predicates: Any = None
    trace: bool = False
    compat: str | None = None
    # end of parameters

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        """Grow the tree, cross-validate its prunings, and prune it if `se` asks to."""
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
        self._set_tree(tree)
        self._forget_pruning()
        self.cp_table_, self._figures = table, figures
        self._keep_trace(grown.tree, dataset, recipe)

    def _exposure(self, y: Any) -> tuple[Any, Array | None]:
        """Part the target from the time in which it was counted, if it has one."""
        return y, None

    def _used_rows(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Dataset, Mask]:
        """Read the rows to learn from, and tell which of those given they are.

        rpart leaves out rows without a target, and rows without any value; a weight is a value to it.
        """
        if isinstance(X, Dataset):
            return X, np.ones(len(X), bool)
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

    def _recipe(self, schema: Schema) -> CARTRecipe:
        return CARTRecipe(**self._choices(schema))

    def _choices(self, schema: Schema) -> dict[str, Any]:
        """Put the parameters in the terms of the recipe."""
        choices = recipe_choices(self._declared_as.__name__, self.__dict__, schema, "CARTRecipe")
        if self.trace:
            choices["max_competitors"] = len(schema.columns)
        return choices

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

    def _set_tree(self, tree: Tree) -> None:
        super()._set_tree(tree)
        for name in ("cp_table_", "_figures"):  # of the tree there was before
            self.__dict__.pop(name, None)

    def _own_arrays(self) -> dict[str, Array]:
        if not hasattr(self, "_figures"):
            return {}
        return vars(self._figures) | {"cp_table": self.cp_table_.to_array()}

    def _set_own_arrays(self, arrays: dict[str, NDArray[Any]]) -> None:
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
        """For each node the cp at which it collapses.

        Examples
        --------
        >>> from treewright import CARTClassifier, datasets
        >>> model = CARTClassifier(cv=None).fit(*datasets.load_iris())
        >>> model.complexity_.round(2).tolist()
        [0.5, 0.01, 0.44, 0.0, 0.01]
        """
        return self._as_grown("complexity_").complexity / (self.tree_.risk[0] or 1.0)

    @property
    def variable_importance_(self) -> dict[str, float]:
        """Importance of each feature as rpart counts it, largest first.

        A split counts its improvement, and each of its surrogates that times its adjusted agreement: a
        feature that was masked by a better one is seen. `feature_importances_` counts splits alone.

        Examples
        --------
        >>> from treewright import CARTClassifier, datasets
        >>> model = CARTClassifier(cv=None).fit(*datasets.load_iris())
        >>> {name: round(value, 1) for name, value in model.variable_importance_.items()}
        {'petal width': 89.0, 'petal length': 81.3, 'sepal length': 54.1, 'sepal width': 36.0}
        """
        total = self._as_grown("variable_importance_").credit.sum(axis=0)
        names = self.tree_.schema.names
        order = np.argsort(-total, kind="stable")
        return {names[feature]: float(total[feature]) for feature in order if total[feature] > 0}

    def summary(self, decimals: int = 7) -> str:
        r"""Describe the tree node by node, as `summary` of an rpart tree does.

        Parameters
        ----------
        decimals : int
            Significant digits of numbers.

        Examples
        --------
        >>> from treewright import CARTClassifier, datasets
        >>> model = CARTClassifier(cv=None).fit(*datasets.load_iris())
        >>> print("\n".join(model.summary(4).splitlines()[:4]))
          n= 150
        <BLANKLINE>
                CP  nsplit  rel error
        1 0.500000       0   1.000000
        """
        from treewright.estimators.presets.summary import cart_summary

        return cart_summary(self, self._as_grown("summary"), decimals)


@public_estimator
class CARTClassifier(ClassifierMixin, CARTEstimator):
    """CART for classes (Breiman, Friedman, Olshen & Stone, 1984): surrogates, priors, costs, cp.

    Parameters
    ----------
    criterion : {"gini", "entropy"}
        What a split should lower.
    max_depth : int
        The greatest depth of the tree.
    min_samples_split : int
        The least number of training rows in a node that is split.
    min_samples_leaf : int
        The least number of training rows in a leaf, counting those whose value of the split's feature is
        known.
    cp : float
        A split must lower the error by this share of the root's; those that do not are undone while growing.
    max_surrogates : int
        How many surrogate splits a node keeps for rows that miss the value it asks for.
    surrogate_style : {0, 1}
        Agreement is counted over all rows with a known split (0), or over those that also know the surrogate
        (1).
    cv : int, array-like or None
        Folds of the cross-validation of `cp_table_`: how many, or the fold of each row. The folds of a number
        are dealt over the rows in order of the target, so that they are alike.
    se : float or None
        Prune to the smallest tree whose cross-validated error is within `se` standard errors of the least.
    compat : {"rpart"} or None
        Grow the tree of R's rpart ("rpart"), node for node, its oddities included.
    **parameters
        `priors`, `costs`, `laplace`, `use_surrogates`, `max_competitors`, `feature_costs`, `unseen`, `inf`,
        `categorical_features`, `ordinal_features`, `predicates`, `trace`, `n_jobs` and `verbose` are those of
        `DecisionTreeClassifier`, with the default `max_competitors=4`.

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

    _task: ClassVar[Task] = "classification"

    # parameters: written by tools/generate_parameters.py
    criterion: str = "gini"
    priors: Mapping[Any, float] | ArrayLike | None = None
    costs: ArrayLike | None = None
    laplace: float | bool = 0
    # end of parameters

    __metadata_request__predict_proba: ClassVar = NO_DATA
    predict_proba = predict_proba
    predict_log_proba = predict_log_proba

    def _choices(self, schema: Schema) -> dict[str, Any]:
        choices = super()._choices(schema)
        if choices["priors"] is not None:
            choices["priors"] = _shares(choices["priors"], schema.n_classes)
        return choices

    def _used_rows(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Dataset, Mask]:
        dataset, used = super()._used_rows(X, y, sample_weight)
        if self.priors is not None:  # refuses those that leave no weight
            class_factor(dataset, Recipe("gini", priors=self._choices(dataset.schema)["priors"]))
        if self.compat == "rpart" and len(np.asarray(dataset.schema.classes)) > 2:
            refuse_too_many_groupings(dataset)
        return dataset, used

    def _class_values(self, tree: Tree) -> Array:
        """Class weights; rpart takes classes that weigh less than one row in all as if they weighed one."""
        if self.compat != "rpart" or not hasattr(self, "_figures"):
            return tree.node_value
        return tree.node_value * np.minimum(self._figures.class_weight, 1.0)


@public_estimator
class CARTRegressor(RegressorMixin, CARTEstimator):
    """CART for numbers: squared error, or event counts by Poisson deviance.

    Parameters
    ----------
    criterion : {"squared_error", "poisson"}
        What a split should lower. The target of "poisson" is a count of events, or has two columns: the time
        in which events were counted, and their number; what is predicted is their rate.
    shrink : float or None
        How far "poisson" rates are drawn towards the overall rate. It is the coefficient of variation that
        rates are thought to have, 0 if they are not drawn. None is rpart's 1 with compat="rpart", else 0.
    **parameters
        All others are those of `CARTClassifier`, without `priors`, `costs` and `laplace`.

    Examples
    --------
    >>> model = CARTRegressor(min_samples_split=2, min_samples_leaf=1, cv=None)
    >>> model.fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 5.0]).predict([[0], [10]]).tolist()
    [1.0, 5.0]
    """

    _task: ClassVar[Task] = "regression"

    # parameters: written by tools/generate_parameters.py
    criterion: str = "squared_error"
    shrink: float | None = None
    # end of parameters

    def _choices(self, schema: Schema) -> dict[str, Any]:
        choices = super()._choices(schema)
        if self.shrink is None:
            choices["shrink"] = 1.0 if self.compat == "rpart" else 0.0
        return choices

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
