"""Estimators: the scikit-learn face of forests; parameters become a recipe and draws, these the trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError

from treewright.data import Dataset
from treewright.data.columns import Unseen
from treewright.data.dataset import Task
from treewright.data.schema import Infinities
from treewright.data.target import read_weight
from treewright.errors import warn
from treewright.estimators import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    TreeEstimator,
    estimator,
    without_friedman,
)
from treewright.forest.draws import Draws
from treewright.forest.fitted import FittedForest
from treewright.forest.growing import grow_trees
from treewright.forest.parameters import (
    FOREST_CLASSIFIER_RULES,
    FOREST_REGRESSOR_RULES,
    OF_THE_TREES,
    class_chances,
    count_draws,
)
from treewright.grow import count_features, progress_bar
from treewright.recipe import Recipe, Rule, check_parameters

Array = NDArray[np.float64]


@estimator
class ForestEstimator(FittedForest):
    """What all forests share; see `RandomForestClassifier` for the parameters."""

    allowed: ClassVar[dict[str, Rule]]
    task: ClassVar[Task]
    splitter: ClassVar[str] = "best"
    tree_kind: ClassVar[type[TreeEstimator]]

    n_estimators: int = field(default=100, kw_only=False)
    criterion: str
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: int | float | str | None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = True
    oob_score: bool | Callable[..., float] = False
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int | bool = 0
    warm_start: bool = False
    ccp_alpha: float = 0.0
    max_samples: int | float | None = None
    monotonic_cst: ArrayLike | None = None
    splits: tuple[str, ...] = ("threshold", "subset")
    max_terms: int | None = None
    missing: str | Mapping[Any, str] = "direction"
    max_surrogates: int = 5
    use_surrogates: int = 2
    max_bins: int | None = None
    category_order: str = "once"
    unseen: Unseen = "missing"
    inf: Infinities = "error"
    categorical_features: Any = None
    ordinal_features: Any = None

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            NumPy array, pandas, polars or Arrow table, list of rows or SciPy sparse matrix.
        y : array-like of shape (n_rows,)
            The target.
        sample_weight : array-like of shape (n_rows,) or None
            With `bootstrap`, the chance of each row to be drawn; without, its weight in every tree.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.
        """
        name = type(self).__name__
        check_parameters(name, self.__dict__, self.allowed, InvalidParameterError)
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_samples` cannot be set if `bootstrap=False`. "
                "Either switch to `bootstrap=True` or set `max_samples=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        dataset, chance, counted = self._rows(X, y, sample_weight)
        before = self.trees_ if self.warm_start and self.__sklearn_is_fitted__() else None
        n_more = self._count_more(before)
        draws = self._draws(dataset, chance, before)
        grown = before
        if n_more:
            new = Draws(draws.n_rows, draws.seeds[-n_more:], draws.n_draws, draws.chance, draws.balanced)
            grown = grow_trees(
                dataset if counted is None else dataset.take(counted),
                self._recipe(dataset),
                new,
                ccp_alpha=self.ccp_alpha,
                n_jobs=self.n_jobs,
                progress=progress_bar(self.verbose),
            )
            grown = grown if before is None else before.joined(grown)
        if grown is None:
            raise RuntimeError("a forest grows at least one tree")
        self._adopt(grown, draws)
        self.max_features_ = count_features(self.max_features, self.n_features_in_)
        if self.oob_score and (n_more or not hasattr(self, "oob_score_")):
            self._score_out_of_bag(dataset)
        elif not self.oob_score:
            self._forget_out_of_bag()
        return self

    def _count_more(self, before: Sequence[Any] | None) -> int:
        n_before = 0 if before is None else len(before)
        if self.n_estimators < n_before:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={n_before} when warm_start==True"
            )
        if self.n_estimators == n_before:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.")
        return self.n_estimators - n_before

    def _rows(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[Dataset, Array | None, NDArray[np.bool_] | None]:
        """Read all rows, the chance of each to be drawn, and without draws which of them count."""
        dataset = self._tree_estimator()._dataset(X, y, None)
        weight, counted = read_weight(sample_weight, len(dataset))
        factor = self._class_factor(dataset, weight)
        if factor is not None and dataset.target is not None:
            weight = factor[dataset.target] * (1.0 if weight is None else weight)
        if self.bootstrap:
            return dataset, weight, None
        return Dataset(dataset.schema, dataset.numbers, dataset.codes, dataset.target, weight), None, counted

    def _class_factor(self, dataset: Dataset, weight: Array | None) -> Array | None:
        """Factor on the weight of each class, if there are classes and factors."""
        return None

    def _draws(self, dataset: Dataset, chance: Array | None, before: Any) -> Draws:
        """Seeds for all trees, those grown before included, and what is drawn with them."""
        state = check_random_state(self.random_state)
        seeds = state.randint(np.iinfo(np.int32).max, size=self.n_estimators).astype(np.uint64)
        if before is not None:
            seeds[: len(before)] = self.draws_.seeds
        n_draws = count_draws(self.max_samples, len(dataset), chance) if self.bootstrap else 0
        balanced = bool(n_draws) and getattr(self, "class_weight", None) == "balanced_subsample"
        return Draws(len(dataset), seeds, n_draws, chance, balanced)

    def _recipe(self, dataset: Dataset) -> Recipe:
        return self._tree_estimator()._recipe(dataset.schema)

    def _tree_estimator(self, seed: int = 0) -> TreeEstimator:
        """Make an estimator of one tree that grows as this forest's trees do."""
        shared = {name: getattr(self, name) for name in OF_THE_TREES}
        return self.tree_kind(**shared, splitter=self.splitter, random_state=seed, n_jobs=1)

    @property
    def estimators_(self) -> Sequence[TreeEstimator]:
        """The trees as fitted estimators, made when they are asked for."""
        self._fitted_trees()
        return TreeEstimators(self)

    def __len__(self) -> int:
        return len(self._fitted_trees())

    def __getitem__(self, index: int) -> TreeEstimator:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[TreeEstimator]:
        return iter(self.estimators_)

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows that each tree has drawn, as often as it has."""
        self._fitted_trees()
        draws = self.draws_
        return [draws.rows(tree) for tree in range(len(draws.seeds))]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags


class TreeEstimators(Sequence[TreeEstimator]):
    """The trees of a forest as estimators of one tree each; none is kept."""

    def __init__(self, forest: ForestEstimator) -> None:
        self.forest = forest

    def __len__(self) -> int:
        return len(self.forest.trees_)

    @overload
    def __getitem__(self, index: int) -> TreeEstimator: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeEstimator]: ...
    def __getitem__(self, index: int | slice) -> TreeEstimator | list[TreeEstimator]:
        if isinstance(index, slice):
            return [self[at] for at in range(len(self))[index]]
        at = range(len(self))[index]
        made = self.forest._tree_estimator(int(self.forest.draws_.seeds[at]))
        made._adopt(self.forest.trees_[at])
        return made

    def __iter__(self) -> Iterator[TreeEstimator]:
        return (self[at] for at in range(len(self)))


@estimator
class RandomForestClassifier(ClassifierMixin, ForestEstimator):
    """A random forest that predicts classes; it takes scikit-learn's parameters with scikit-learn's meanings.

    Every tree grows on rows drawn with replacement, and every node looks at a few features drawn at random
    (Breiman, 2001). Beyond scikit-learn's forest, text and category columns are learned as they are, cuts
    are exact in 64 bits, and `n_jobs` changes no result.

    Parameters
    ----------
    n_estimators : int
        How many trees.
    criterion : str
        What makes a split good, as for `DecisionTreeClassifier`.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        Where trees stop, as for `DecisionTreeClassifier`.
    max_features : int, float, {"sqrt", "log2"} or None
        How many features, drawn at random, each node looks at.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        Bounds on every tree, as for `DecisionTreeClassifier`.
    bootstrap : bool
        Whether each tree draws its rows; if not, it grows on all.
    oob_score : bool or callable
        Whether to predict each row by the trees that have not drawn it, and score these predictions by
        accuracy or by ``oob_score(y_true, y_pred)``, classes as codes.
    n_jobs : int or None
        Threads; `None` and −1 use all cores. The forest is the same for every number.
    random_state : int, RandomState or None
        Seed of all drawing.
    verbose : int or bool
        Show progress and the remaining time in the terminal.
    warm_start : bool
        Whether `fit` keeps the trees there are and adds to them up to `n_estimators`.
    class_weight : dict, "balanced", "balanced_subsample" or None
        Factor on the chance of each class's rows to be drawn (or on their weight, without `bootstrap`);
        "balanced_subsample" makes the classes that a tree has drawn weigh the same in it.
    max_samples : int, float or None
        How many rows, or what share of them, each tree draws; as many as there are by default.
    vote : {"soft", "hard"}
        Whether a tree gives each class its leaf's share, or its whole vote to one.
    splits, max_terms, missing, max_surrogates, use_surrogates, max_bins, category_order
        As for `DecisionTreeClassifier`; the policy "ignore" is not for forests.
    unseen, inf, categorical_features, ordinal_features
        As for `DecisionTreeClassifier`.

    Attributes
    ----------
    trees_ : Trees
        The trees in compact form; ``trees_[i]`` is an ordinary `Tree`.
    estimators_ : sequence of DecisionTreeClassifier
        The trees as estimators, made when they are asked for.
    estimators_samples_ : list of arrays
        The rows that each tree has drawn.
    draws_ : Draws
        The seed of each tree, and what is drawn with it.
    classes_, n_classes_, n_features_in_, n_outputs_, feature_names_in_
        As for `DecisionTreeClassifier`.
    feature_importances_ : ndarray of shape (n_features,)
        Mean share of each feature in the decrease of impurity; see `importance` for better ones.
    oob_score_, oob_decision_function_ : float, ndarray of shape (n_rows, n_classes)
        Score and class shares by the trees that have not drawn the row, if `oob_score`.

    Examples
    --------
    >>> X, y = [["sunny", 30], ["rain", 20], ["sunny", 18], ["rain", 25]] * 5, ["no", "yes", "yes", "yes"] * 5
    >>> model = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> model.predict([["sunny", 29]]).tolist()
    ['no']
    """

    task: ClassVar[Task] = "classification"
    allowed: ClassVar[dict[str, Rule]] = FOREST_CLASSIFIER_RULES
    tree_kind: ClassVar[type[TreeEstimator]] = DecisionTreeClassifier

    criterion: str = "gini"
    max_features: int | float | str | None = "sqrt"
    class_weight: Mapping[Any, float] | str | None = None
    vote: str = "soft"

    def _class_factor(self, dataset: Dataset, weight: Array | None) -> Array | None:
        kind = self.class_weight
        if kind is None or (kind == "balanced_subsample" and self.bootstrap):
            return None
        if isinstance(kind, str) and self.warm_start:
            warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for warm_start '
                "if the fitted data differs from the full dataset: give the factors in a dict."
            )
        return class_chances(kind, dataset, weight)

    def predict_proba(self, X: Any) -> Array:
        """Mean over the trees of the class shares of each row's leaf, one column for each of `classes_`."""
        return self._means(X)

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithm of `predict_proba`, −inf where a class has no share."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the one of the largest mean share."""
        best = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_.take(best)
        return labels


@estimator
class RandomForestRegressor(RegressorMixin, ForestEstimator):
    """A random forest that predicts numbers; it takes scikit-learn's parameters with scikit-learn's meanings.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}
        What leaves predict and are judged by, as for `DecisionTreeRegressor`.
    max_features : int, float, {"sqrt", "log2"} or None
        How many features, drawn at random, each node looks at; all by default, as in scikit-learn.
    **parameters
        All others are those of `RandomForestClassifier`, except for what concerns classes.

    Attributes
    ----------
    oob_score_, oob_prediction_ : float, ndarray of shape (n_rows,)
        R² and predictions by the trees that have not drawn the row, if `oob_score`.

    Examples
    --------
    >>> X, y = [[1], [2], [3], [4]] * 5, [1.0, 1.0, 5.0, 7.0] * 5
    >>> RandomForestRegressor(20, random_state=0).fit(X, y).predict([[1.5]]).tolist()
    [1.0]
    """

    task: ClassVar[Task] = "regression"
    allowed: ClassVar[dict[str, Rule]] = FOREST_REGRESSOR_RULES
    tree_kind: ClassVar[type[TreeEstimator]] = DecisionTreeRegressor

    criterion: str = "squared_error"
    max_features: int | float | str | None = 1.0

    def __post_init__(self) -> None:
        self.criterion = without_friedman(self.criterion)

    def predict(self, X: Any) -> Array:
        """Mean over the trees of what each row's leaf predicts."""
        return self._means(X).ravel()


@estimator
class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomised trees that predict classes: cuts are drawn too (Geurts, Ernst & Wehenkel, 2006).

    Each node draws one cut for each feature it looks at and takes the best of them; trees grow on all rows
    unless `bootstrap` is set. The parameters are those of `RandomForestClassifier`.

    Examples
    --------
    >>> model = ExtraTreesClassifier(10, random_state=0).fit([[1], [2], [8], [9]], [0, 0, 1, 1])
    >>> model.predict([[0], [10]]).tolist()
    [0, 1]
    """

    splitter: ClassVar[str] = "random"
    bootstrap: bool = False


@estimator
class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomised trees that predict numbers; see `ExtraTreesClassifier`.

    Examples
    --------
    >>> model = ExtraTreesRegressor(10, random_state=0).fit([[1], [2], [8], [9]], [0.0, 0.0, 1.0, 1.0])
    >>> model.predict([[0], [10]]).tolist()
    [0.0, 1.0]
    """

    splitter: ClassVar[str] = "random"
    bootstrap: bool = False
