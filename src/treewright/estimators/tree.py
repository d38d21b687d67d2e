"""DecisionTreeClassifier and DecisionTreeRegressor: parameters, fit, and the recipe they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils._param_validation import InvalidParameterError

from treewright.criteria import ALIASES
from treewright.data import Dataset, Schema
from treewright.data.dataset import Task
from treewright.errors import warn
from treewright.estimators.base import estimator, public_estimator
from treewright.estimators.fitted_tree import ClassReader, NumberReader
from treewright.estimators.fitting import Learner
from treewright.growing.grow_tree import count_features
from treewright.growing.parameters import (
    CLASSIFIER_DOMAINS,
    REGRESSOR_DOMAINS,
    SAME_IN_RECIPE,
    SHARED_DOMAINS,
    check_counts,
    class_factors,
    class_priors,
    cost_rows,
    costs_of_features,
    interaction_groups,
    missing_policies,
    monotonic_signs,
)
from treewright.growing.recipe import Recipe
from treewright.growing.user_criteria import MeritFunction
from treewright.model_selection.validated_pruning import AnyPruner, needs
from treewright.parameter_types import Domain, check_parameters
from treewright.pruning import CostComplexity, EarlyStopping, pruner_of
from treewright.pruning.cost_complexity import weakest_links
from treewright.tree import Tree


@estimator
class TreeEstimator(Learner):
    """What the estimators of a single tree share; see `DecisionTreeClassifier` for the parameters."""

    allowed: ClassVar[dict[str, Domain]] = SHARED_DOMAINS
    min_merit: ClassVar[float] = -np.inf  # as scikit-learn: a split need not gain anything by itself

    criterion: str | MeritFunction
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
    feature_costs: Mapping[Any, float] | ArrayLike | None = None
    significance: float | None = None
    complexity: float = 0.0
    risk_threshold: float | None = None
    bayes_risk: float = 0.0
    early_stopping: EarlyStopping | str | None = None
    splits: tuple[str, ...] = ("threshold", "subset")
    missing: str | Mapping[Any, str] = "direction"
    max_surrogates: int = 5
    use_surrogates: int = 2
    order: str = "depth_first"
    max_nodes: int | None = None
    ties: str = "first"
    max_bins: int | None = None
    max_competitors: int = 0
    max_terms: int | None = None
    cut: str = "midpoint"
    category_order: str = "auto"
    pruner: AnyPruner | str | None = None
    holdout: float = 1 / 3

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, check_input: bool = True) -> Self:
        """Grow the tree, and prune it if asked to.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            NumPy array, pandas, polars or Arrow table, list of rows or SciPy sparse matrix.
        y : array-like of shape (n_rows,)
            The target.
        sample_weight : array-like of shape (n_rows,) or None
            Weight of each row; rows of weight zero change nothing.
        check_input : bool
            Accepted for scikit-learn's sake: input is always checked.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.
        """
        # A class made from one of these two may allow less than the defaults here.
        sound = _DEFAULTS if self.allowed in (CLASSIFIER_DOMAINS, REGRESSOR_DOMAINS) else {}
        check_parameters(type(self).__name__, self.__dict__, self.allowed, InvalidParameterError, sound=sound)
        dataset = self._dataset(X, y, sample_weight)
        self._learn(dataset, self._recipe(dataset.schema), self._pruners(), holdout=self.holdout)
        return self

    def _dataset(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Dataset:
        if self.criterion == "poisson":
            check_counts(y)
        return super()._dataset(X, y, sample_weight)

    def _pruners(self) -> list[AnyPruner]:
        """List what prunes the tree after it is grown."""
        pruners: list[AnyPruner] = []
        if self.early_stopping is not None:
            named = {"holdout": EarlyStopping(), "cv": EarlyStopping(cv=5)}
            given = self.early_stopping
            pruners.append(named[given] if isinstance(given, str) else given)
        if self.ccp_alpha > 0:
            pruners.append(CostComplexity(self.ccp_alpha, risk="impurity"))
        if self.pruner is not None:
            pruners.append(pruner_of(self.pruner))
        return pruners

    def _recipe(self, schema: Schema) -> Recipe:
        return Recipe.of_checked(self._choices(schema))

    def _choices(self, schema: Schema) -> dict[str, Any]:
        """Put the parameters in the recipe's terms."""
        watched = self.max_leaf_nodes is not None or self.risk_threshold is not None
        best_first = watched and self.order == "depth_first"
        draws = self.splitter == "random" or self.max_features is not None or self.ties == "random"
        draws = draws or any(needs(pruner) == "holdout" for pruner in self._pruners())
        # hyperplanes draw where to start, but without a seed the same tree must come out each time
        draws = draws or ("hyperplane" in self.splits and self.random_state is not None)
        seed = self.random_state if draws else 0
        if seed is None or isinstance(seed, np.random.RandomState):
            seed = check_random_state(seed).randint(2**31 - 1)
        given = self.__dict__
        return {name: given[name] for name in SAME_IN_RECIPE} | {
            "criterion": ALIASES.get(self.criterion, self.criterion)
            if isinstance(self.criterion, str)
            else self.criterion,
            "splits": tuple(self.splits),
            "missing": missing_policies(self.missing, schema),
            "order": "best_first" if best_first else self.order,
            "min_merit": self.min_merit,
            "max_competitors": len(schema.columns) if self.trace else self.max_competitors,
            "random_state": seed,
            "monotonic": monotonic_signs(self.monotonic_cst, schema),
            "interaction": interaction_groups(self.interaction_cst, schema),
            "feature_costs": costs_of_features(self.feature_costs, schema),
            "class_weight": None,
            "priors": None,
            "costs": None,
        }

    def _adopt(self, tree: Tree) -> None:
        super()._adopt(tree)
        self.max_features_ = count_features(self.max_features, len(tree.schema.columns))

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
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


_DEFAULTS = {**vars(Learner), **vars(TreeEstimator)}


@public_estimator
class DecisionTreeClassifier(ClassReader, TreeEstimator):
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
        Look at every cut of a feature, or at one drawn at random.
    max_depth : int or None
        Depth at which to stop.
    min_samples_split, min_samples_leaf : int or float
        Fewest rows, or share of all rows, of a node that is split, and of a branch.
    min_weight_fraction_leaf : float
        Least share of the total weight in a branch.
    max_features : int, float, {"sqrt", "log2"} or None
        How many features, drawn at random, each node looks at; all by default.
    random_state : int, RandomState or None
        Seed of what is drawn at random. With the defaults nothing is.
    max_leaf_nodes : int or None
        Bound on the leaves; the nodes are then split best first.
    min_impurity_decrease : float
        Least decrease of the whole tree's impurity by a split.
    class_weight : dict, "balanced" or None
        Factor on the weight of each class.
    ccp_alpha : float
        Cost-complexity pruning: the price of a leaf, in impurity.
    monotonic_cst : array-like of −1, 0 or 1, dict of feature to such, or None
        Whether the prediction may only fall (−1) or rise (1) with a feature: the share of the second class,
        or of more classes the mean of their positions in `classes_`.
    interaction_cst : list of groups of features, "pairwise", "no_interactions" or None
        Features that may be asked for on one path; features of no group form one of their own.
    feature_costs : array-like, dict of feature to cost, or None
        What it costs to look at each feature: merits are divided by it when splits are compared.
    significance : float or None
        Split only where branch and target are related at this level, by a chi-square test, corrected for the
        number of splits there were to choose from.
    complexity : float
        The price of a node: a split must lower the whole tree's impurity by as much for each branch.
    risk_threshold, bayes_risk : float or None, float
        Stop growing, best first, when the share of training errors is within the threshold of this risk.
    early_stopping : "holdout", "cv", EarlyStopping or None
        Stop growing, best first, when it no longer helps rows kept aside (a share of `holdout`), or by
        cross-validation; `treewright.pruning.EarlyStopping` has the settings.
    priors : dict or array-like or None
        The classes' shares to grow for, instead of those of the data.
    costs : array-like of shape (n_classes, n_classes) or None
        Cost of predicting a class (column) where another is true (row). Leaves predict the cheapest class.
    laplace : float or bool
        What `predict_proba` adds to the weight of every class of a leaf; `True` is 1.
    splits : tuple of str
        Forms of splits to look for, the best merit wins: "threshold", "interval", "hyperplane", "sphere" and
        "median" for numeric and ordinal features, "subset", "multiway" and "one_vs_rest" for categorical
        ones; see the page on splits.
    missing : str or dict of feature to str
        What becomes of rows that miss the value a split asks for, for all features or by feature (name or
        index; the others learn a direction): "direction", "available", "value", "fractional", "surrogate",
        "mean", "median", "mode", "class_mode", "ignore" or "error"; see the page on missing values.
    max_surrogates, use_surrogates : int
        Under the policy "surrogate": how many stand-in splits a node keeps, and what becomes of rows that
        miss the value: they stay at the node (0), follow the surrogates or stay (1), or follow the
        surrogates or the majority (2).
    order : {"depth_first", "breadth_first", "best_first"}
        Which node to split next. `max_leaf_nodes` makes the default "best_first".
    max_nodes : int or None
        Bound on the nodes.
    ties : {"first", "last", "random"}
        Which of equally good splits wins; "random" looks at the features in an order drawn for each node.
    max_bins : int or None
        Look at no more than this many quantile cuts of a numeric feature; all by default.
    max_competitors : int
        How many of the best splits on other features each node remembers.
    max_terms : int or None
        Most features of a hyperplane or sphere; by default as many as pay for themselves.
    cut : {"midpoint", "observed"}
        Cut half-way between neighbouring values, or at the largest value of the data not above that.
    category_order : {"auto", "node", "once"}
        Order the categories for subset splits anew at each node (exact), or once by the whole target; "auto"
        does so once for features of more than 256 categories, where ordering at each node fits noise.
    unseen : {"missing", "error", "majority"}
        What to do when predicting for a category that was never seen: treat it as missing, refuse it, or
        follow the largest branch.
    inf : {"error", "extreme"}
        Refuse infinite numbers, or take them as the largest finite ones.
    categorical_features, ordinal_features : list of names, indices or a mask, or None
        Columns to take as categories, or as ordered categories, beyond those that say so themselves.
    predicates : list or dict of expressions and functions, or None
        Boolean features of your own, offered beside the others: expressions over the columns such as
        ``"width > 2 * height"``, functions that are given the table and give a truth value for each row, or
        pairs of a name and such.
    pruner : Pruner, callable, str or None
        How to prune the grown tree: an instance such as `treewright.pruning.ErrorBased()`, a name of
        `treewright.pruning.PRUNERS`, or a function from tree to tree.
    holdout : float
        The share of the rows, stratified by class, that is kept aside from growing if the pruner needs rows
        that the tree has not seen.
    trace : bool
        Keep the learner's own account of every node: each candidate with its counts, gain and gain ratio,
        what was chosen and why. `trace_` holds the training rows with it.
    n_jobs : int or None
        Threads; `None` and −1 use all cores.
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

    task: ClassVar[Task] = "classification"
    allowed: ClassVar[dict[str, Domain]] = CLASSIFIER_DOMAINS

    criterion: str | MeritFunction = "gini"
    class_weight: Mapping[Any, float] | str | None = None
    priors: Mapping[Any, float] | ArrayLike | None = None
    costs: ArrayLike | None = None
    laplace: float | bool = 0

    def _choices(self, schema: Schema) -> dict[str, Any]:
        classes = schema.classes.tolist() if schema.classes is not None else []
        return super()._choices(schema) | {
            "class_weight": class_factors(self.class_weight, classes),
            "priors": class_priors(self.priors, classes),
            "costs": cost_rows(self.costs, len(classes)),
        }


@public_estimator
class DecisionTreeRegressor(NumberReader, TreeEstimator):
    """A decision tree that predicts numbers; it takes scikit-learn's parameters with scikit-learn's meanings.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"} or callable
        What leaves predict and are judged by: the mean and squared error, the median and absolute error, or
        the mean and Poisson deviance; or a function of your own, see the page on criteria.
    **parameters
        All others are those of `DecisionTreeClassifier`, except for what concerns classes; `significance` is
        that of an F test.

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

    task: ClassVar[Task] = "regression"
    allowed: ClassVar[dict[str, Domain]] = REGRESSOR_DOMAINS

    criterion: str | MeritFunction = "squared_error"

    def __post_init__(self) -> None:
        self.criterion = without_friedman(self.criterion)


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
