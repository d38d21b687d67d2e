"""DecisionTreeClassifier and DecisionTreeRegressor: parameters, and the recipe they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch, check_random_state

from treewright.data import Schema
from treewright.data.columns import Unseen
from treewright.data.dataset import Task
from treewright.data.schema import Infinities
from treewright.errors import warn
from treewright.estimators.base import public_estimator
from treewright.estimators.base_tree import (
    NO_DATA,
    TreeEstimator,
    predict_log_proba,
    predict_proba,
    score,
)
from treewright.growing.grow_tree import count_features
from treewright.growing.parameters import recipe_choices
from treewright.growing.recipe import Recipe
from treewright.growing.user_criteria import MeritFunction
from treewright.model_selection.validated_pruning import AnyPruner, needs
from treewright.pruning import CostComplexity, EarlyStopping, pruner_of
from treewright.pruning.cost_complexity import weakest_links


def cost_complexity_pruning_path(self: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
    """Alphas at which cost-complexity pruning would collapse a node, and the impurity left after each.

    Parameters
    ----------
    X, y, sample_weight
        As for `fit`.

    Returns
    -------
    sklearn.utils.Bunch
        With the arrays `ccp_alphas` and `impurities`; the first entry is the unpruned tree.

    Examples
    --------
    >>> path = DecisionTreeClassifier().cost_complexity_pruning_path([[1], [2], [3]], ["a", "b", "a"])
    >>> path.ccp_alphas.round(3).tolist()
    [0.0, 0.222]
    """
    unpruned = clone(self).set_params(ccp_alpha=0.0, pruner=None).fit(X, y, sample_weight)
    links = weakest_links(unpruned.tree_, "impurity")
    # What is saved may seem negative by rounding.
    alphas, impurities = np.maximum(links.alpha, 0.0), np.maximum.accumulate(links.risk)
    return Bunch(ccp_alphas=alphas, impurities=impurities)


@public_estimator
class DecisionTreeClassifier(ClassifierMixin, TreeEstimator):
    """A decision tree that predicts classes; it takes scikit-learn's parameters with scikit-learn's meanings.

    Changing the import is enough to move from `sklearn.tree.DecisionTreeClassifier`. Beyond it, text and
    category columns are learned as they are, cuts are exact in 64 bits, and `n_jobs` changes no result.

    Parameters
    ----------
    criterion : str or callable
        What makes a split good: "gini", "entropy" (or "log_loss"), "error", "sqrt", "gain_ratio", "twoing",
        "chi_square" or "hellinger", see `treewright.criteria`; or a function of your own, see the page on
        criteria.
    splitter : {"best", "random"}
        Look at every cut of a feature, or at one drawn at random (Geurts, Ernst & Wehenkel, 2006).
    max_depth : int or None
        The greatest depth of the tree; 0 is a single leaf, None means no limit.
    min_samples_split : int or float
        The least number of training rows in a node that is split; a float is a share of all training rows.
    min_samples_leaf : int or float
        The least number of training rows in a leaf: a split that would leave fewer rows in a branch is not
        made. A float is a share of all training rows.
    min_weight_fraction_leaf : float
        The least weight of a leaf, as a share of the total weight of all training rows.
    max_features : int, float, {"sqrt", "log2"} or None
        How many features, drawn at random, each node looks at; None is all.
    random_state : int, RandomState or None
        Seed of what is drawn at random. With None a fixed seed decides between equal splits, so that a table
        has one tree; what else is drawn is another each time.
    max_leaf_nodes : int or None
        The greatest number of leaves; the nodes are then split best first.
    min_impurity_decrease : float
        A node is split only if that lowers the impurity of the whole tree by at least this much.
    class_weight : dict, list of dicts, "balanced" or None
        Factor on the weight of each class; of several targets a list with a dict for each, and the factors of
        a row's classes are multiplied.
    ccp_alpha : float
        Cost-complexity pruning: the price of a leaf, in impurity.
    monotonic_cst : array-like of −1, 0 or 1, dict of feature to such, or None
        Whether the prediction may only fall (−1) or rise (1) with a feature. Of classes it is the probability
        of the second, or of more classes the mean of their positions in `classes_`.
    interaction_cst : list of groups of features, "pairwise", "no_interactions" or None
        Features that may be asked for on one path; features of no group form one of their own.
    pruner : Pruner, callable, str or None
        How to prune the grown tree: an instance such as `treewright.pruning.ErrorBased()`, a name of
        `treewright.pruning.PRUNERS`, or a function from tree to tree.
    holdout : float
        The share of the rows, stratified by class, that is held out from growing if the pruner needs rows
        that the tree has not seen.
    early_stopping : "holdout", "cv", EarlyStopping or None
        Stop growing, best first, when it no longer helps held-out rows (a share of `holdout`), or by
        cross-validation. `treewright.pruning.EarlyStopping` has the settings.
    priors : dict or array-like or None
        Prior probabilities of the classes, instead of those of the data.
    costs : array-like of shape (n_classes, n_classes) or None
        Cost of predicting a class (column) where another is true (row). Leaves predict the cheapest class.
    laplace : float or bool
        What `predict_proba` adds to the weight of every class of a leaf; True is 1.
    shrinkage : float
        Draw what a node predicts towards what the nodes above it predict: a branch counts by n / (n +
        shrinkage), n being the weight of the node that branches (Agarwal et al., 2022). 0 does not.
    splits : tuple of str
        Forms of splits to look for; the best one wins. They are "threshold", "interval", "hyperplane",
        "sphere" and "median" for numeric and ordinal features, "subset", "multiway" and "one_vs_rest" for
        categorical ones, and "predicate" for your own, see the page on splits.
    max_intervals : int or None
        Most intervals of an "interval" split, the best of all ways to make them. None makes cuts one inside
        the other as long as they pay for themselves in bits.
    max_terms : int or None
        Most features of a hyperplane or sphere; by default as many as pay for themselves.
    missing : str or dict of feature to str
        What becomes of rows that miss the value a split asks for, for all features or by feature (name or
        index; the others learn a direction): "direction", "available", "value", "fractional",
        "fractional_counts", "surrogate", "mean", "median", "mode", "class_mode", "ignore" or "error". See the
        page on missing values.
    max_surrogates : int
        How many surrogate splits a node keeps for rows that miss the value it asks for (missing="surrogate").
    use_surrogates : {0, 1, 2}
        Rows with a missing value stay at the node (0), follow the surrogates or else stay (1), or follow the
        surrogates or else the majority (2).
    cut : {"midpoint", "observed", "short"}
        Cut half-way between neighbouring values, at the largest value of the data not above that, or at the
        shortest decimal between the two.
    category_order : {"auto", "node", "once"}
        Order the categories for subset splits anew at each node (exact), or once by the whole target. "auto"
        does so once for features of more than 256 categories, where ordering at each node fits noise, unless
        `significance` tests splits.
    category_search : {"exchange", "descent"}
        How groups of more than twelve categories are found for three and more classes: the best cut of
        several orders, then by exchange of single categories, or by descent (Chou, 1991).
    fair_categories : bool
        Judge groups of categories by what they tell beyond chance: the more values a feature has and the
        fewer rows they have, the more of their differences is chance. Identifiers are then not split on; see
        the page on splits.
    max_groups : int
        Most groups of categories that a "subset" split makes.
    max_bins : int or None
        Look at no more than this many quantile cuts of a numeric feature; all by default.
    ties : {"first", "last", "random"} or list of features
        Which of equally good splits wins. "random" looks at the features in an order that the seed and the
        place of the node decide, so that the order of the columns does not matter; a list of features (names
        or indices) is an order of preference, the others come after them.
    order : {"depth_first", "breadth_first", "best_first"}
        Which node to split next. `max_leaf_nodes` makes the default "best_first".
    max_nodes : int or None
        The greatest number of nodes.
    max_competitors : int
        How many of the best splits on other features each node remembers.
    feature_costs : array-like, dict of feature to cost, or None
        What it costs to look at each feature: gains are divided by it when splits are compared.
    min_gain : float or None
        A split must lower the impurity of its node by more than this, whatever the node's share of the rows;
        0 stops where no split lowers it.
    significance : float or None
        Split only where branch and target are related at this level of significance. The test is chi-square,
        of numbers F, corrected for the number of splits there were to choose from.
    complexity : float
        The price of a node: a split must lower the whole tree's impurity by as much for each branch.
    risk_threshold : float or None
        Stop growing, best first, when the training error per row is within this of `bayes_risk`.
    bayes_risk : float
        The error that nobody can avoid, see `risk_threshold`.
    unseen : {"missing", "error", "majority"}
        What to do when predicting for a category that was never seen: treat it as missing, refuse it, or
        follow the largest branch.
    inf : {"error", "extreme"}
        Refuse infinite numbers, or take them as the largest finite ones.
    categorical_features : list of names, indices or a mask, or None
        Columns to take as categories, beyond those that say so themselves.
    ordinal_features : list of names, indices or a mask, or dict of name to categories, or None
        Columns to take as ordered categories, beyond those that say so themselves.
    predicates : list or dict of expressions and functions, or None
        Boolean features of your own, offered beside the others. They are expressions over the columns such as
        ``"width > 2 * height"``, functions that are given the table and give a truth value for each row, or
        pairs of a name and such.
    trace : bool
        Keep every step of the learner, at every node: each candidate with its counts, gain and gain ratio,
        what was chosen and why. `trace_` holds the training rows with it.
    n_jobs : int or None
        Threads; None and −1 use all cores.
    verbose : int or bool
        Show progress in the terminal.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    pruner_, report_, path_ : Pruner, Report, PruningPath
        What pruned the tree, what it compared and did, and, if it chose from several, the trees there were.
    trace_ : Trace
        How the tree was grown, if `trace` is set: to print, to read as data, to show in a notebook.
    classes_ : ndarray of shape (n_classes,)
        The class labels; `predict_proba` has a column for each.
    n_classes_, n_features_in_, n_outputs_, max_features_ : int
        Numbers of classes, features, targets, and features looked at by each node.
    feature_names_in_ : ndarray of str
        Names of the features, if the table had any.

    Examples
    --------
    >>> X, y = [["sunny", 30], ["rain", 20], ["sunny", 18]], ["no", "yes", "yes"]
    >>> model = DecisionTreeClassifier().fit(X, y)
    >>> model.predict([["sunny", 29]]).tolist()
    ['no']
    """

    _task: ClassVar[Task] = "classification"
    _several_targets: ClassVar[bool] = True

    # parameters: written by tools/generate_parameters.py
    criterion: str | MeritFunction = "gini"
    splitter: str = "best"
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: int | float | str | None = None
    random_state: int | np.random.RandomState | None = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    class_weight: Mapping[Any, float] | list[Mapping[Any, float]] | str | None = None
    ccp_alpha: float = 0.0
    monotonic_cst: Mapping[Any, int] | ArrayLike | None = None
    interaction_cst: str | Iterable[Iterable[Any]] | None = None
    pruner: AnyPruner | str | None = None
    holdout: float = 1 / 3
    early_stopping: EarlyStopping | str | None = None
    priors: Mapping[Any, float] | ArrayLike | None = None
    costs: ArrayLike | None = None
    laplace: float | bool = 0
    shrinkage: float = 0.0
    splits: tuple[str, ...] = ("threshold", "subset")
    max_intervals: int | None = None
    max_terms: int | None = None
    missing: str | Mapping[Any, str] = "direction"
    max_surrogates: int = 5
    use_surrogates: int = 2
    cut: str = "midpoint"
    category_order: str = "auto"
    category_search: str = "exchange"
    fair_categories: bool = False
    max_groups: int = 2
    max_bins: int | None = None
    ties: str | Sequence[Any] = "random"
    order: str = "depth_first"
    max_nodes: int | None = None
    max_competitors: int = 0
    feature_costs: Mapping[Any, float] | ArrayLike | None = None
    min_gain: float | None = None
    significance: float | None = None
    complexity: float = 0.0
    risk_threshold: float | None = None
    bayes_risk: float = 0.0
    unseen: Unseen = "missing"
    inf: Infinities = "error"
    predicates: Any = None
    trace: bool = False
    # end of parameters

    __metadata_request__predict_proba: ClassVar = NO_DATA
    predict_proba = predict_proba
    predict_log_proba = predict_log_proba
    cost_complexity_pruning_path = cost_complexity_pruning_path

    score = score

    def _recipe(self, schema: Schema) -> Recipe:
        return _recipe(self, schema)

    def _pruners(self) -> list[AnyPruner]:
        return _pruners(self)


@public_estimator
class DecisionTreeRegressor(RegressorMixin, TreeEstimator):
    """A decision tree that predicts numbers; it takes scikit-learn's parameters with scikit-learn's meanings.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"} or callable
        What leaves predict and are judged by: the mean and squared error, the median and absolute error, or
        the mean and Poisson deviance; or a function of your own, see the page on criteria.
    **parameters
        All others are those of `DecisionTreeClassifier`, without `class_weight`, `priors`, `costs` and
        `laplace`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    n_features_in_, n_outputs_, max_features_ : int
        Numbers of features, targets, and features looked at by each node.
    feature_names_in_ : ndarray of str
        Names of the features, if the table had any.

    Examples
    --------
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 7.0])
    >>> model.predict([[0], [10]]).tolist()
    [1.0, 6.0]
    """

    _task: ClassVar[Task] = "regression"
    _several_targets: ClassVar[bool] = True

    # parameters: written by tools/generate_parameters.py
    criterion: str | MeritFunction = "squared_error"
    splitter: str = "best"
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: int | float | str | None = None
    random_state: int | np.random.RandomState | None = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0
    monotonic_cst: Mapping[Any, int] | ArrayLike | None = None
    interaction_cst: str | Iterable[Iterable[Any]] | None = None
    pruner: AnyPruner | str | None = None
    holdout: float = 1 / 3
    early_stopping: EarlyStopping | str | None = None
    shrinkage: float = 0.0
    splits: tuple[str, ...] = ("threshold", "subset")
    max_intervals: int | None = None
    max_terms: int | None = None
    missing: str | Mapping[Any, str] = "direction"
    max_surrogates: int = 5
    use_surrogates: int = 2
    cut: str = "midpoint"
    category_order: str = "auto"
    category_search: str = "exchange"
    fair_categories: bool = False
    max_groups: int = 2
    max_bins: int | None = None
    ties: str | Sequence[Any] = "random"
    order: str = "depth_first"
    max_nodes: int | None = None
    max_competitors: int = 0
    feature_costs: Mapping[Any, float] | ArrayLike | None = None
    min_gain: float | None = None
    significance: float | None = None
    complexity: float = 0.0
    risk_threshold: float | None = None
    bayes_risk: float = 0.0
    unseen: Unseen = "missing"
    inf: Infinities = "error"
    predicates: Any = None
    trace: bool = False
    # end of parameters

    cost_complexity_pruning_path = cost_complexity_pruning_path

    def __post_init__(self) -> None:
        self.criterion = without_friedman(self.criterion)

    score = score

    def _recipe(self, schema: Schema) -> Recipe:
        return _recipe(self, schema)

    def _pruners(self) -> list[AnyPruner]:
        return _pruners(self)


DecisionTree = DecisionTreeClassifier | DecisionTreeRegressor


def _recipe(model: DecisionTree, schema: Schema) -> Recipe:
    """Put the parameters in the terms of a recipe."""
    choices = recipe_choices(model._declared_as.__name__, model.__dict__, schema)
    watched = model.max_leaf_nodes is not None or model.risk_threshold is not None
    if watched and model.order == "depth_first":
        choices["order"] = "best_first"
    if model.trace:
        schema.require_one_target("trace=True follows the growing for")
        choices["max_competitors"] = len(schema.columns)
    choices["random_state"] = _seed(model, len(schema.columns))
    return Recipe.of_checked(choices)


def _seed(model: DecisionTree, n_features: int) -> int:
    """Give the seed of the core.

    Where `random_state` is None or a generator a number is drawn whether it is needed or not: so scikit-learn
    does, and scripts that seed NumPy stay in step with it.
    """
    seed = model.random_state
    if seed is not None and not isinstance(seed, np.random.RandomState):
        return seed
    drawn = int(check_random_state(seed).randint(2**31 - 1))
    draws = model.splitter == "random" or count_features(model.max_features, n_features) < n_features
    draws = draws or any(needs(pruner) == "holdout" for pruner in _pruners(model))
    # with nothing but ties to decide, and for hyperplanes to start from, one seed gives one tree
    return drawn if draws or seed is not None else 0


def _pruners(model: DecisionTree) -> list[AnyPruner]:
    """List what prunes the tree after it is grown."""
    pruners: list[AnyPruner] = []
    if model.early_stopping is not None:
        named = {"holdout": EarlyStopping(), "cv": EarlyStopping(cv=5)}
        given = model.early_stopping
        pruners.append(named[given] if isinstance(given, str) else given)
    if model.ccp_alpha > 0:
        pruners.append(CostComplexity(model.ccp_alpha, risk="impurity"))
    if model.pruner is not None:
        pruners.append(pruner_of(model.pruner))
    return pruners


def without_friedman(criterion: str | MeritFunction) -> Any:
    """Give the criterion that scikit-learn's deprecated "friedman_mse" always was."""
    if isinstance(criterion, str) and criterion == "friedman_mse":
        warn(
            'criterion="friedman_mse" is deprecated: it always chose the splits of "squared_error", '
            "which is used instead.",
            FutureWarning,
        )
        return "squared_error"
    return criterion
