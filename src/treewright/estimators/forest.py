"""RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier and ExtraTreesRegressor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright.data import Dataset
from treewright.data.dataset import Task
from treewright.distributed import is_dask, predict_lazily
from treewright.errors import warn
from treewright.estimators.base import public_estimator
from treewright.estimators.base_forest import ForestEstimator, class_chances
from treewright.estimators.base_tree import predict_log_proba, score
from treewright.estimators.outputs import decided, labels, numbers, probabilities
from treewright.estimators.tree import (
    DecisionTree,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    without_friedman,
)

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
    max_depth : int or None
        The greatest depth of each tree; None means no limit.
    bootstrap : bool
        Whether each tree draws its rows with replacement; if not, it grows on all.
    oob_score : bool or callable
        Whether to score each row by the trees that have not drawn it. The score is accuracy or R², or
        ``oob_score(y_true, y_pred)``, classes as codes.
    n_jobs : int or None
        Threads; None and −1 use all cores. The forest is the same for every number.
    random_state : int, RandomState or None
        Seed of all that is drawn at random.
    verbose : int or bool
        Show progress and the remaining time in the terminal.
    warm_start : bool
        Whether `fit` keeps the trees there are and adds to them up to `n_estimators`.
    class_weight : dict, list of dicts, "balanced", "balanced_subsample" or None
        Factor on the weight of each class. With `bootstrap` it is one on the chance of its rows to be drawn;
        "balanced_subsample" makes the classes that a tree has drawn weigh the same in it.
    max_samples : int, float or None
        How many rows, or what share of them, each tree draws, whatever they weigh; as many as there are by
        default.
    vote : {"soft", "hard"}
        Whether a tree gives each class the probability of its leaf, or its whole vote to one.
    missing : str or dict of feature to str
        What becomes of rows that miss the value a split asks for, as for `DecisionTreeClassifier`, except for
        "ignore".
    **parameters
        `min_samples_split`, `min_samples_leaf`, `min_weight_fraction_leaf`, `max_features`, `max_leaf_nodes`,
        `min_impurity_decrease`, `ccp_alpha`, `monotonic_cst`, `shrinkage`, `splits`, `max_terms`,
        `max_surrogates`, `use_surrogates`, `category_order`, `max_bins`, `unseen`, `inf`,
        `categorical_features` and `ordinal_features` are those of `DecisionTreeClassifier`, with the defaults
        `max_features="sqrt"` and `category_order="once"`.

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
        Score and class probabilities by the trees that have not drawn the row, if `oob_score`.

    Examples
    --------
    >>> X, y = [["sunny", 30], ["rain", 20], ["sunny", 18], ["rain", 25]] * 5, ["no", "yes", "yes", "yes"] * 5
    >>> model = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> model.predict([["sunny", 29]]).tolist()
    ['no']
    """

    _task: ClassVar[Task] = "classification"
    _tree_kind: ClassVar[type[DecisionTree]] = DecisionTreeClassifier

    # parameters: written by tools/generate_parameters.py
    criterion: str = "gini"
    max_features: int | float | str | None = "sqrt"
    class_weight: Mapping[Any, float] | list[Mapping[Any, float]] | str | None = None
    vote: str = "soft"
    # end of parameters

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

    def predict_proba(self, X: Any) -> Any:
        """Mean class probabilities of each row's leaves, one column for each of `classes_`.

        Of several targets there is a list with such an array for each.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.predict_proba(X[:1]).tolist()
        [[1.0, 0.0, 0.0]]
        """
        if is_dask(X):
            return predict_lazily(X, self.predict_proba, self._fitted_schema().names, self.classes_)
        return probabilities(self._fitted_trees().schema, self._means(X))

    predict_log_proba = predict_log_proba
    score = score

    def predict(self, X: Any) -> Any:
        """Class of each row, the one of the largest mean probability; of several targets a column each.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.predict(X[:2]).tolist()
        ['setosa', 'setosa']
        """
        schema = self._fitted_trees().schema
        if is_dask(X):
            return predict_lazily(X, self.predict, schema.names, None)
        return labels(schema, decided(schema, self._means(X)))


@public_estimator
class RandomForestRegressor(RegressorMixin, ForestEstimator):
    """A random forest that predicts numbers; it takes scikit-learn's parameters with scikit-learn's meanings.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}
        What leaves predict and are judged by, as for `DecisionTreeRegressor`.
    **parameters
        All others are those of `RandomForestClassifier`, without `class_weight` and `vote`, with the default
        `max_features=1.0`.

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

    _task: ClassVar[Task] = "regression"
    _tree_kind: ClassVar[type[DecisionTree]] = DecisionTreeRegressor

    # parameters: written by tools/generate_parameters.py
    criterion: str = "squared_error"
    max_features: int | float | str | None = 1.0
    # end of parameters

    def __post_init__(self) -> None:
        self.criterion = without_friedman(self.criterion)

    score = score

    def predict(self, X: Any) -> Any:
        """Mean over the trees of what each row's leaf predicts.

        Examples
        --------
        >>> from treewright import RandomForestRegressor, datasets
        >>> X, y = datasets.load_mpg()
        >>> RandomForestRegressor(10, random_state=0).fit(X, y).predict(X[:2]).shape
        (2,)
        """
        if is_dask(X):
            return predict_lazily(X, self.predict, self._fitted_schema().names, None)
        return numbers(self._fitted_trees().schema, self._means(X))


@public_estimator
class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomised trees that predict classes: cuts are drawn too (Geurts, Ernst & Wehenkel, 2006).

    Each node draws one cut for each feature it looks at and takes the best of them; trees grow on all rows
    unless `bootstrap` is set.

    Parameters
    ----------
    **parameters
        They are those of `RandomForestClassifier`, with the default `bootstrap=False`.

    Examples
    --------
    >>> model = ExtraTreesClassifier(10, random_state=0).fit([[1], [2], [8], [9]], [0, 0, 1, 1])
    >>> model.predict([[0], [10]]).tolist()
    [0, 1]
    """

    _splitter: ClassVar[str] = "random"

    # parameters: written by tools/generate_parameters.py
    bootstrap: bool = False
    # end of parameters


@public_estimator
class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomised trees that predict numbers; see `ExtraTreesClassifier`.

    Parameters
    ----------
    **parameters
        They are those of `RandomForestRegressor`, with the default `bootstrap=False`.

    Examples
    --------
    >>> X, y = [[1], [2], [8], [9]], [0.0, 0.0, 1.0, 1.0]
    >>> ExtraTreesRegressor(10, random_state=0).fit(X, y).predict([[0], [10]]).tolist()
    [0.0, 1.0]
    """

    _splitter: ClassVar[str] = "random"

    # parameters: written by tools/generate_parameters.py
    bootstrap: bool = False
    # end of parameters
