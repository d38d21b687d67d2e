"""RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier and ExtraTreesRegressor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright import _core
from treewright.data import Dataset
from treewright.data.dataset import Task
from treewright.errors import warn
from treewright.estimators.base import public_estimator
from treewright.estimators.forest_fitting import ForestEstimator
from treewright.estimators.forest_parameters import (
    FOREST_CLASSIFIER_DOMAINS,
    FOREST_REGRESSOR_DOMAINS,
    class_chances,
)
from treewright.estimators.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    TreeEstimator,
    without_friedman,
)
from treewright.parameter_types import Domain
from treewright.tree.decision import decide

Array = NDArray[np.float64]


@public_estimator
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
        How many rows, or what share of them, each tree draws, whatever they weigh; as many as there are by
        default.
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
        Mean share of each feature in the decrease of impurity; see `importances` for better ones.
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
    allowed: ClassVar[dict[str, Domain]] = FOREST_CLASSIFIER_DOMAINS
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
        return _core.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the one of the largest mean share."""
        best = decide(self.predict_proba(X))
        labels: NDArray[Any] = self.classes_.take(best)
        return labels


@public_estimator
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
    allowed: ClassVar[dict[str, Domain]] = FOREST_REGRESSOR_DOMAINS
    tree_kind: ClassVar[type[TreeEstimator]] = DecisionTreeRegressor

    criterion: str = "squared_error"
    max_features: int | float | str | None = 1.0

    def __post_init__(self) -> None:
        self.criterion = without_friedman(self.criterion)

    def predict(self, X: Any) -> Array:
        """Mean over the trees of what each row's leaf predicts."""
        return self._means(X).ravel()


@public_estimator
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


@public_estimator
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
