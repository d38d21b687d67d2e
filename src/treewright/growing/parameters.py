"""Every parameter of every estimator and recipe, declared once: type, range, default, description.

An entry of `PARAMETERS` is all that is written down of a parameter. Validation, recipes and the options of
the command line read it when they run; signatures, docstrings, `docs/parameters.md` and the list of choices
in `core/base/recipe.hpp` are written from it by `tools/generate_parameters.py`, and `make lint` checks them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING as REQUIRED
from dataclasses import replace
from functools import cache, partial
from math import inf
from sys import float_info
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from treewright.criteria import CLASSIFICATION, REGRESSION
from treewright.data import Schema
from treewright.growing.parameter_conversion import (
    class_factors,
    class_priors,
    cost_rows,
    costs_of_features,
    interaction_groups,
    known_criterion,
    missing_policies,
    monotonic_signs,
    order_of_preference,
    split_forms,
)
from treewright.parameter_types import (
    FACTOR_WORDS,
    LARGEST_FACTOR,
    SMALLEST_FACTOR,
    Domain,
    is_factor,
    is_number,
    is_whole,
    name_or_function,
    number,
    one_of,
    truth,
    whole,
    whole_or_share,
)
from treewright.pruning import PRUNERS, EarlyStopping

SPLITS: dict[str, str] = {
    "threshold": "numeric and ordinal features: x <= t",
    "interval": "numeric and ordinal features: several intervals, as many as pay for themselves in bits, or "
    "the best of up to max_intervals",
    "hyperplane": "several numeric features: a weighted sum <= t, or a threshold where that is as good",
    "sphere": "several numeric features: within a distance from a centre",
    "median": "numeric and ordinal features: the median of the widest, whatever the target",
    "subset": "categorical features: two groups of categories",
    "multiway": "categorical features: one branch per category",
    "one_vs_rest": "categorical features: one category against all others",
    "predicate": "predicates of the user's own: false against true, and no other categorical features",
}
"""The forms of splits the grower may look for, by name."""

MISSING: dict[str, str] = {
    "direction": "a row without the value follows the side learned for it, else the larger one",
    "available": "a row without the value is left out of the search and follows the largest branch",
    "value": "missing is a value of its own: a branch of its own, or the better side",
    "fractional": "a row without the value goes down every branch with its share, as in C4.5",
    "fractional_counts": "the same, and gains are worked out from the fractional counts",
    "surrogate": "a row without the value follows the split on another feature that agrees best, as in CART",
    "mean": "the mean of the feature at the node is filled in; categories take their mode",
    "median": "the median of the feature at the node is filled in; categories take their mode",
    "mode": "the most frequent value of the feature at the node is filled in",
    "class_mode": "as mode, while growing among the rows of the same class",
    "ignore": "rows without the value are left out of growing, and follow the largest branch",
    "error": "refuse missing values",
}
"""What becomes of a row whose value is missing, by name."""

ORDERS: dict[str, str] = {
    "depth_first": "finish the first branch before the next",
    "breadth_first": "level by level",
    "best_first": "the split that lowers the tree's impurity most comes first",
}
"""The order in which nodes are split, by name."""


class Parameter(NamedTuple):
    """All that is written down of a parameter.

    Parameters
    ----------
    name : str
    domain : Domain
        What it may be.
    default : object
    text : str
        What it does. The first sentence is also what the command line and the table of the docs say.
    owners : frozenset of str
        The classes that have it: estimators, and recipes, whose choice of the same name it becomes.
    defaults : dict
        The defaults of owners that have another.
    choice : str
        The name of the recipe's choice, if it has another.
    convert : callable or None
        Gives what the recipe takes, from the value and the schema of the table.
    core : str
        Type and default of the choice in the core, as C++ writes them; its default stands for None.
    positional : bool
        Whether it may be given without its name.
    """

    name: str
    domain: Domain
    default: Any
    text: str
    owners: frozenset[str]
    defaults: Mapping[str, Any] = MappingProxyType({})
    choice: str = ""
    convert: Callable[[Any, Schema], Any] | None = None
    core: str = ""
    positional: bool = False


CLASSIFIER, REGRESSOR = "DecisionTreeClassifier", "DecisionTreeRegressor"
TREES = frozenset({CLASSIFIER, REGRESSOR, "ID3Classifier"})
C45 = frozenset({"C45Classifier"})
CART = frozenset({"CARTClassifier", "CARTRegressor"})
FORESTS = frozenset(
    {"RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"}
)
OPTIMAL = frozenset({"OptimalTreeClassifier", "OptimalTreeRegressor"})
RULES = frozenset({"RuleClassifier"})
RECIPE, C45_RECIPE, CART_RECIPE, OPTIMAL_RECIPE = (
    frozenset({name}) for name in ("Recipe", "C45Recipe", "CARTRecipe", "OptimalRecipe")
)
GROWN = TREES | RECIPE
"""Estimators of one tree that is grown by a `Recipe`, and the recipe."""
LEARNERS = frozenset({"TreeClassifier", "TreeRegressor"})
"""treewright's own: good without any parameter."""
ONE_TREE = TREES | C45 | CART | OPTIMAL | LEARNERS
ESTIMATORS = ONE_TREE | FORESTS | RULES
CLASSIFIERS = frozenset(name for name in ESTIMATORS if name.endswith("Classifier"))


def _of_classes(owners: frozenset[str]) -> frozenset[str]:
    return owners & CLASSIFIERS


# ---- what values may be ----------------------------------------------------------------------------------


def _is_max_features(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value in (None, "sqrt", "log2")
    return bool(value >= 1) if is_whole(value) else is_number(value) and 0 < value <= 1


def _is_array(value: Any, n_dimensions: int) -> bool:
    """Whether a value is an array of numbers, all rows of one length."""
    try:
        return np.asarray(value, dtype=float).ndim == n_dimensions
    except (TypeError, ValueError, OverflowError):
        return False


def _is_max_samples(value: Any) -> bool:
    return value is None or (
        value >= 1 if is_whole(value) else is_number(value) and 0 < value <= float_info.max
    )


def _is_seed(value: Any) -> bool:
    return is_whole(value) and 0 <= value < 2**63


def _is_tuple_of(test: Callable[[Any], bool], value: Any) -> bool:
    return value is None or (isinstance(value, tuple) and len(value) > 0 and all(map(test, value)))


def _is_class_weight(names: tuple[str, ...], value: Any) -> bool:
    if isinstance(value, str):
        return value in names
    if isinstance(value, list):
        return len(value) > 0 and all(isinstance(one, Mapping) for one in value)
    return value is None or isinstance(value, Mapping)


def _are_class_factors(value: Any) -> bool:
    if isinstance(value, str):
        return value == "balanced"
    return _is_tuple_of(is_factor, value)


def _is_ties(is_order: Callable[[Any], bool], value: Any) -> bool:
    if isinstance(value, str):
        return value in ("first", "last", "random")
    return value is not None and is_order(value)


def _are_splits(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) > 0 and all(name in SPLITS for name in value)


def _is_missing(refused: tuple[str, ...], value: Any) -> bool:
    if isinstance(value, str):
        return value in MISSING and value not in refused
    policies = value.values() if isinstance(value, Mapping) else value
    return isinstance(value, (Mapping, tuple)) and all(
        policy in MISSING and policy not in refused for policy in policies
    )


def _is_early_stopping(value: Any) -> bool:
    if isinstance(value, str):
        return value in ("holdout", "cv")
    return value is None or isinstance(value, EarlyStopping)


def _is_pruner(value: Any) -> bool:
    if isinstance(value, str):
        return value in PRUNERS
    return value is None or (callable(value) and not isinstance(value, type))


def _are_folds(value: Any) -> bool:
    if is_whole(value):
        return bool(value >= 2)
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(len(pair) == 2 for pair in value)


def _names(*names: str) -> str:
    return f"{{{', '.join(map(repr, names))}}}"


ANYTHING = Domain(lambda value: True, "anything")
SEED = Domain(_is_seed, "an int in the range [0, 9223372036854775807]", type="int", described="int")
OPEN_UNIT = Domain(
    lambda value: is_number(value) and 0 < value < 1,
    "a float in the range (0.0, 1.0)",
    type="float",
    described="float",
)
SPLIT_FORMS = Domain(
    _are_splits, f"a tuple of names among {_names(*SPLITS)}", tuple(SPLITS), "tuple[str, ...]", "tuple of str"
)
POLICY = Domain(
    partial(_is_missing, ()),
    f"a str among {_names(*MISSING)} or a dict of such by feature",
    tuple(MISSING),
    "str | Mapping[Any, str]",
    "str or dict of feature to str",
)
N_FEATURES = Domain(
    _is_max_features,
    "an int in the range [1, inf), a float in the range (0.0, 1.0], a str among {'sqrt', 'log2'} or None",
    ("sqrt", "log2"),
    "int | float | str | None",
    'int, float, {"sqrt", "log2"} or None',
)
RANDOM_STATE = Domain(
    lambda value: _is_seed(value) or value is None or isinstance(value, np.random.RandomState),
    "an int in the range [0, 9223372036854775807], a 'numpy.random.RandomState' or None",
    type="int | np.random.RandomState | None",
    described="int, RandomState or None",
)
BY_FEATURE = Domain(
    lambda value: value is None or isinstance(value, Mapping) or _is_array(value, 1),
    "an array-like, a dict of feature to cost or None",
    type="Mapping[Any, float] | ArrayLike | None",
    described="array-like, dict of feature to cost, or None",
)
CLASS_WEIGHT = Domain(
    partial(_is_class_weight, ("balanced",)),
    "a dict, a list of dicts (one for each target), the str 'balanced' or None",
    ("balanced",),
    "Mapping[Any, float] | list[Mapping[Any, float]] | str | None",
    'dict, list of dicts, "balanced" or None',
)
N_JOBS = Domain(
    lambda value: value is None or (is_whole(value) and value != 0),
    "an int other than 0 or None",
    type="int | None",
    described="int or None",
)
VERBOSE = Domain(
    lambda value: isinstance(value, bool) or (is_whole(value) and value >= 0),
    "an int from 0 on",
    type="int | bool",
    described="int or bool",
)
PRUNER = Domain(
    _is_pruner,
    f"a str among {_names(*PRUNERS)}, a pruner, a callable from tree to tree or None",
    tuple(PRUNERS),
    "AnyPruner | str | None",
    "Pruner, callable, str or None",
)

# ---- the parameters, in the order of signatures: those of scikit-learn first, in its order ---------------

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("n_estimators", whole(1), 100, "How many trees.", FORESTS, positional=True),
    Parameter(
        "tree",
        Domain(
            lambda value: value is None or (hasattr(value, "fit") and hasattr(value, "rules")),
            "a classifier of treewright with a single tree or None",
            described="estimator or None",
        ),
        None,
        "Grows the tree: any classifier of treewright with a single tree. None is C4.5 without pruning, as "
        "pruning is left to the rules.",
        RULES,
    ),
    Parameter(
        "estimate",
        replace(one_of("pessimistic", "holdout", "smoothed"), type="Estimate"),
        "pessimistic",
        "Judge rules by an upper confidence limit of their error on the rows the tree was grown on; by their "
        "error on held-out rows, which keeps all rules (Mitchell, 1997); or by that error, smoothed.",
        RULES,
    ),
    Parameter(
        "cf",
        OPEN_UNIT,
        0.25,
        "Confidence factor of the pessimistic estimate; smaller prunes more.",
        RULES,
    ),
    Parameter(
        "choose",
        truth(none=True),
        None,
        "Choose the rules of each class by description length, and put the classes in order. If not, all "
        'rules are put in the order of their estimated errors. None does unless the estimate is "holdout".',
        RULES,
    ),
    Parameter(
        "criterion",
        name_or_function(*CLASSIFICATION, *REGRESSION),
        REQUIRED,
        "What makes a split good: a name of `criteria.CLASSIFICATION` or `criteria.REGRESSION`, or a "
        "function of the statistics of a node and of its candidates' branches.",
        RECIPE,
        core='std::string = "gini"',
    ),
    Parameter(
        "criterion",
        name_or_function(*CLASSIFICATION, "log_loss"),
        "gini",
        'What makes a split good: "gini", "entropy" (or "log_loss"), "error", "sqrt", "gain_ratio", '
        '"twoing", "chi_square" or "hellinger", see `treewright.criteria`; or a function of your own, see '
        "the page on criteria.",
        _of_classes(TREES),
        {"ID3Classifier": "entropy"},
        convert=known_criterion,
    ),
    Parameter(
        "criterion",
        replace(
            name_or_function(*REGRESSION),
            described='{"squared_error", "absolute_error", "poisson"} or callable',
        ),
        "squared_error",
        "What leaves predict and are judged by: the mean and squared error, the median and absolute error, "
        "or the mean and Poisson deviance; or a function of your own, see the page on criteria.",
        TREES - CLASSIFIERS,
        convert=known_criterion,
    ),
    Parameter(
        "criterion",
        replace(one_of(*CLASSIFICATION, "log_loss"), described="str"),
        "gini",
        "What makes a split good, as for `DecisionTreeClassifier`.",
        _of_classes(FORESTS),
    ),
    Parameter(
        "criterion",
        one_of(*REGRESSION),
        "squared_error",
        "What leaves predict and are judged by, as for `DecisionTreeRegressor`.",
        FORESTS - CLASSIFIERS,
    ),
    Parameter(
        "criterion", one_of("gini", "entropy"), "gini", "What a split should lower.", _of_classes(CART)
    ),
    Parameter(
        "criterion",
        one_of("squared_error", "poisson"),
        "squared_error",
        'What a split should lower. The target of "poisson" is a count of events, or has two columns: the '
        "time in which events were counted, and their number; what is predicted is their rate.",
        CART - CLASSIFIERS,
    ),
    Parameter(
        "criterion",
        one_of("gini", "entropy", "squared_error", "poisson"),
        REQUIRED,
        "What a split should lower.",
        CART_RECIPE,
    ),
    Parameter(
        "splitter",
        one_of("best", "random"),
        "best",
        "Look at every cut of a feature, or at one drawn at random (Geurts, Ernst & Wehenkel, 2006).",
        GROWN,
    ),
    Parameter(
        "max_depth",
        whole(0, none=True),
        None,
        "The greatest depth of the tree; 0 is a single leaf, None means no limit.",
        GROWN | LEARNERS,
        core="int64_t = -1",
    ),
    Parameter(
        "max_depth",
        whole(1, none=True),
        None,
        "The greatest depth of each tree; None means no limit.",
        FORESTS,
    ),
    Parameter(
        "max_depth",
        Domain(
            lambda value: is_whole(value) and 1 <= value <= 1000,
            "an int in the range [1, 1000]",
            type="int",
            described="int",
        ),
        30,
        "The greatest depth of the tree.",
        CART | CART_RECIPE,
    ),
    Parameter(
        "max_depth",
        whole(1, none=True),
        3,
        "Most levels of splits. Each multiplies the work; None needs `max_leaf_nodes`.",
        OPTIMAL | OPTIMAL_RECIPE,
    ),
    Parameter(
        "min_samples_split",
        whole_or_share(2, all_of_it=True),
        2,
        "The least number of training rows in a node that is split; a float is a share of all training rows.",
        GROWN | FORESTS,
        core="int64_t = 2",
    ),
    Parameter(
        "min_samples_split",
        whole(1),
        20,
        "The least number of training rows in a node that is split.",
        CART | CART_RECIPE,
    ),
    Parameter(
        "min_samples_leaf",
        whole_or_share(1, all_of_it=False),
        1,
        "The least number of training rows in a leaf: a split that would leave fewer rows in a branch is not "
        "made. A float is a share of all training rows.",
        GROWN | FORESTS,
        core="int64_t = 1",
    ),
    Parameter(
        "min_samples_leaf",
        whole(1),
        2,
        "The least number of training rows in a leaf, or the least weight.",
        LEARNERS,
    ),
    Parameter(
        "min_samples_leaf",
        whole(1),
        7,
        "The least number of training rows in a leaf, counting those whose value of the split's feature is "
        "known.",
        CART | CART_RECIPE,
    ),
    Parameter(
        "min_samples_leaf",
        number(1.0),
        2,
        "The least number of training rows (sum of weights) in at least two branches of a split; C4.5's -m, "
        "Weka's -M.",
        C45 | C45_RECIPE,
    ),
    Parameter(
        "min_weight_fraction_leaf",
        number(0.0, 0.5),
        0.0,
        "The least weight of a leaf, as a share of the total weight of all training rows.",
        GROWN | FORESTS,
    ),
    Parameter(
        "max_features",
        N_FEATURES,
        None,
        "How many features, drawn at random, each node looks at; None is all.",
        GROWN | FORESTS,
        dict.fromkeys(_of_classes(FORESTS), "sqrt") | dict.fromkeys(FORESTS - CLASSIFIERS, 1.0),
        core="int64_t = 0",
    ),
    Parameter(
        "random_state",
        RANDOM_STATE,
        None,
        "Seed of what is drawn at random. With None a fixed seed decides between equal splits, so that a "
        "table has one tree; what else is drawn is another each time.",
        TREES,
    ),
    Parameter(
        "random_state",
        SEED,
        0,
        "Seed of all that is drawn at random.",
        RECIPE,
        core="uint64_t = 0",
    ),
    Parameter(
        "random_state",
        SEED,
        0,
        "Seed of the choice of held-out rows.",
        C45 | C45_RECIPE | RULES,
    ),
    Parameter(
        "random_state",
        SEED,
        0,
        "Seed of the folds and of the forest that guides.",
        LEARNERS,
    ),
    Parameter(
        "max_leaf_nodes",
        whole(2, none=True),
        None,
        "The greatest number of leaves; the nodes are then split best first.",
        GROWN | FORESTS | LEARNERS,
        core="int64_t = -1",
    ),
    Parameter(
        "max_leaf_nodes",
        whole(1, none=True),
        None,
        "Most leaves; None is as many as the depth allows.",
        OPTIMAL | OPTIMAL_RECIPE,
    ),
    Parameter(
        "min_impurity_decrease",
        number(0.0),
        0.0,
        "A node is split only if that lowers the impurity of the whole tree by at least this much.",
        GROWN | FORESTS,
        core="double = 0",
    ),
    Parameter(
        "min_merit",
        Domain(
            lambda value: is_number(value) and value < inf,
            "a float below inf",
            type="float",
            described="float",
        ),
        -inf,
        "A split's gain must exceed this; −inf takes every split.",
        RECIPE,
        core="double = -no_limit",
    ),
    Parameter(
        "bootstrap",
        truth(),
        True,
        "Whether each tree draws its rows with replacement; if not, it grows on all.",
        FORESTS,
        dict.fromkeys(("ExtraTreesClassifier", "ExtraTreesRegressor"), False),
    ),
    Parameter(
        "oob_score",
        Domain(
            lambda value: truth().test(value) or callable(value),
            "a bool or a callable",
            type="bool | Callable[..., float]",
            described="bool or callable",
        ),
        False,
        "Whether to score each row by the trees that have not drawn it. The score is accuracy or R², or "
        "``oob_score(y_true, y_pred)``, classes as codes.",
        FORESTS,
    ),
    Parameter(
        "n_jobs",
        N_JOBS,
        None,
        "Threads; None and −1 use all cores. The forest is the same for every number.",
        FORESTS,
    ),
    Parameter("random_state", RANDOM_STATE, None, "Seed of all that is drawn at random.", FORESTS),
    Parameter("verbose", VERBOSE, 0, "Show progress and the remaining time in the terminal.", FORESTS),
    Parameter(
        "warm_start",
        truth(),
        False,
        "Whether `fit` keeps the trees there are and adds to them up to `n_estimators`.",
        FORESTS,
    ),
    Parameter(
        "class_weight",
        CLASS_WEIGHT,
        None,
        "Factor on the weight of each class; of several targets a list with a dict for each, and the factors "
        "of a row's classes are multiplied.",
        _of_classes(TREES | OPTIMAL | LEARNERS),
        convert=class_factors,
    ),
    Parameter(
        "class_weight",
        Domain(
            _are_class_factors,
            f"'balanced', a tuple of a factor per class ({FACTOR_WORDS}) or None",
            ("balanced",),
            "str | tuple[float, ...] | None",
            '"balanced", tuple of float or None',
        ),
        None,
        "Factor on the weight of each class, in class order.",
        RECIPE | OPTIMAL_RECIPE,
    ),
    Parameter(
        "class_weight",
        replace(
            CLASS_WEIGHT,
            test=partial(_is_class_weight, ("balanced", "balanced_subsample")),
            words="a dict, a list of dicts (one for each target), a str among {'balanced', "
            "'balanced_subsample'} or None",
            names=("balanced", "balanced_subsample"),
            described='dict, list of dicts, "balanced", "balanced_subsample" or None',
        ),
        None,
        "Factor on the weight of each class. With `bootstrap` it is one on the chance of its rows to be "
        'drawn; "balanced_subsample" makes the classes that a tree has drawn weigh the same in it.',
        _of_classes(FORESTS),
    ),
    Parameter(
        "ccp_alpha",
        number(0.0),
        0.0,
        "Cost-complexity pruning: the price of a leaf, in impurity.",
        TREES | FORESTS,
    ),
    Parameter(
        "max_samples",
        Domain(
            _is_max_samples,
            "an int in the range [1, inf), a float in the range (0.0, inf) or None",
            type="int | float | None",
            described="int, float or None",
        ),
        None,
        "How many rows, or what share of them, each tree draws, whatever they weigh; as many as there are by "
        "default.",
        FORESTS,
    ),
    Parameter(
        "monotonic_cst",
        replace(
            BY_FEATURE,
            words="an array-like, a dict of feature to -1, 0 or 1, or None",
            type="Mapping[Any, int] | ArrayLike | None",
            described="array-like of −1, 0 or 1, dict of feature to such, or None",
        ),
        None,
        "Whether the prediction may only fall (−1) or rise (1) with a feature. Of classes it is the "
        "probability of the second, or of more classes the mean of their positions in `classes_`.",
        TREES | FORESTS | LEARNERS,
        choice="monotonic",
        convert=monotonic_signs,
    ),
    Parameter(
        "monotonic",
        Domain(
            partial(_is_tuple_of, lambda sign: sign in (-1, 0, 1)),
            "a tuple of -1, 0 or 1 per feature or None",
            type="tuple[int, ...] | None",
            described="tuple of int or None",
        ),
        None,
        "For each feature 1 if the prediction may only rise with it, −1 if it may only fall, 0 if it may "
        "do both.",
        RECIPE,
        core="std::vector<int8_t> = {}",
    ),
    # ---- beyond scikit-learn ---------------------------------------------------------------------------
    Parameter(
        "interaction_cst",
        Domain(
            lambda value: (
                value in ("pairwise", "no_interactions")
                if isinstance(value, str)
                else value is None or isinstance(value, Iterable)
            ),
            "a str among {'pairwise', 'no_interactions'}, a list of groups of features or None",
            ("pairwise", "no_interactions"),
            "str | Iterable[Iterable[Any]] | None",
            'list of groups of features, "pairwise", "no_interactions" or None',
        ),
        None,
        "Features that may be asked for on one path; features of no group form one of their own.",
        TREES,
        choice="interaction",
        convert=interaction_groups,
    ),
    Parameter(
        "interaction",
        Domain(
            partial(_is_tuple_of, partial(_is_tuple_of, is_whole)),
            "a tuple of groups, each a tuple of feature numbers, or None",
            type="tuple[tuple[int, ...], ...] | None",
            described="tuple of tuples of int or None",
        ),
        None,
        "Groups of features that may share a path.",
        RECIPE,
        core="FeatureGroups = {}",
    ),
    Parameter(
        "alpha",
        number(0.0),
        0.0,
        "The price of a leaf, in mean cost: 0.01 asks of every split to lower the training error by 1 %.",
        OPTIMAL | OPTIMAL_RECIPE,
    ),
    Parameter(
        "alpha",
        number(0.0, none=True),
        None,
        "The price of a leaf, in mean cost on the training rows: larger is a smaller tree. None chooses it "
        "by cross-validation.",
        LEARNERS,
    ),
    Parameter(
        "time_limit",
        number(0.0, none=True),
        None,
        "Seconds after which the best tree so far is given, with what is proven of it.",
        OPTIMAL | OPTIMAL_RECIPE,
    ),
    Parameter(
        "work_limit",
        whole(0, none=True),
        None,
        "Subproblems (`n_solved_`) after which the best tree so far is given, the same on every machine. "
        "The search then runs in one thread.",
        OPTIMAL | OPTIMAL_RECIPE,
    ),
    Parameter(
        "memory_limit",
        whole(0, none=True),
        None,
        "Bytes that the search may use for what it remembers. With too few it takes longer, or ends with the "
        "best tree so far; `memory_limited_` says so.",
        OPTIMAL | OPTIMAL_RECIPE,
    ),
    Parameter(
        "on_interrupt",
        one_of("raise", "keep"),
        "raise",
        "On Ctrl-C, raise KeyboardInterrupt, or give the best tree so far.",
        OPTIMAL | OPTIMAL_RECIPE,
    ),
    Parameter(
        "cp",
        number(-inf),
        0.01,
        "A split must lower the error by this share of the root's; those that do not are undone while "
        "growing.",
        CART | CART_RECIPE,
    ),
    Parameter(
        "confidence",
        replace(OPEN_UNIT, words="a float in the range (0, 1)"),
        0.25,
        "Confidence level of the pruning; smaller prunes more. Above 0.5 the errors seen are taken as they "
        "are.",
        C45 | C45_RECIPE,
    ),
    Parameter(
        "pruner",
        PRUNER,
        None,
        "How to prune the grown tree: an instance such as `treewright.pruning.ErrorBased()`, a name of "
        "`treewright.pruning.PRUNERS`, or a function from tree to tree.",
        TREES,
    ),
    Parameter(
        "pruner",
        replace(PRUNER, described='"error_based", Pruner, callable, str or None'),
        "error_based",
        "How to prune: Quinlan's way by default, another pruner of `treewright.pruning`, or not at all.",
        C45,
    ),
    Parameter(
        "prune",
        truth(),
        True,
        "Whether the grown tree is pruned by an upper limit on the error rate.",
        C45_RECIPE,
    ),
    Parameter(
        "holdout",
        OPEN_UNIT,
        1 / 3,
        "The share of the rows, stratified by class, that is held out from growing if the pruner needs rows "
        "that the tree has not seen.",
        TREES,
    ),
    Parameter(
        "holdout",
        OPEN_UNIT,
        1 / 3,
        "The share of the rows, stratified by class, that is held out from growing if the pruner needs rows "
        'that the tree has not seen. With compat="j48" and pruner="reduced_error" it is the last of '
        "1 / `holdout` parts as Weka parts the rows: J48's -R, and -N 3 for a third.",
        C45,
    ),
    Parameter(
        "holdout",
        OPEN_UNIT,
        1 / 3,
        'The share of the rows, stratified by class, that is held out for "holdout" and "smoothed".',
        RULES,
    ),
    Parameter(
        "early_stopping",
        Domain(
            _is_early_stopping,
            "a str among {'holdout', 'cv'}, an EarlyStopping or None",
            ("holdout", "cv"),
            "EarlyStopping | str | None",
            '"holdout", "cv", EarlyStopping or None',
        ),
        None,
        "Stop growing, best first, when it no longer helps held-out rows (a share of `holdout`), or by "
        "cross-validation. `treewright.pruning.EarlyStopping` has the settings.",
        TREES,
    ),
    Parameter(
        "priors",
        replace(
            BY_FEATURE,
            words="an array-like of a prior per class, a dict of class to prior or None",
            type="Mapping[Any, float] | ArrayLike | None",
            described="dict or array-like or None",
        ),
        None,
        "Prior probabilities of the classes, instead of those of the data.",
        _of_classes(TREES | CART | OPTIMAL),
        convert=class_priors,
    ),
    Parameter(
        "priors",
        Domain(
            lambda value: value is None or (_is_tuple_of(is_factor, value) and any(value)),
            f"a tuple of a prior per class ({FACTOR_WORDS}), not all 0, or None",
            type="tuple[float, ...] | None",
            described="tuple of float or None",
        ),
        None,
        "Prior probabilities of the classes, in class order.",
        RECIPE | CART_RECIPE | OPTIMAL_RECIPE,
    ),
    Parameter(
        "costs",
        Domain(
            lambda value: value is None or _is_array(value, 2),
            "an array-like with a row and a column of numbers for each class or None",
            type="ArrayLike | None",
            described="array-like of shape (n_classes, n_classes) or None",
        ),
        None,
        "Cost of predicting a class (column) where another is true (row). Leaves predict the cheapest class.",
        _of_classes(TREES | CART | OPTIMAL | LEARNERS),
        convert=cost_rows,
    ),
    Parameter(
        "costs",
        Domain(
            partial(_is_tuple_of, partial(_is_tuple_of, is_factor)),
            f"a tuple with a tuple of costs ({FACTOR_WORDS}) for every true class or None",
            type="tuple[tuple[float, ...], ...] | None",
            described="tuple of tuples of float or None",
        ),
        None,
        "Cost of predicting a class (column) where another is true (row).",
        RECIPE | CART_RECIPE | OPTIMAL_RECIPE,
        core="Numbers = {}",
    ),
    Parameter(
        "laplace",
        Domain(
            lambda value: isinstance(value, bool) or is_factor(value),
            f"a float, {FACTOR_WORDS}, or a bool",
            type="float | bool",
            described="float or bool",
        ),
        0,
        "What `predict_proba` adds to the weight of every class of a leaf; True is 1.",
        _of_classes(ONE_TREE - LEARNERS),
        dict.fromkeys(C45, False),
    ),
    Parameter(
        "shrinkage",
        number(0.0),
        0.0,
        "Draw what a node predicts towards what the nodes above it predict: a branch counts by n / (n + "
        "shrinkage), n being the weight of the node that branches (Agarwal et al., 2022). 0 does not.",
        TREES | FORESTS,
    ),
    Parameter(
        "shrinkage",
        number(0.0, none=True),
        None,
        "Draw what a node predicts towards what the nodes above it predict: a branch counts by n / (n + "
        "shrinkage), n being the weight of the node that branches (Agarwal et al., 2022). 0 does not; None "
        "chooses it by cross-validation.",
        LEARNERS,
    ),
    Parameter(
        "leaves",
        one_of("constant", "linear"),
        "constant",
        "What a leaf predicts: a number, or a linear equation of few terms (M5; Quinlan, 1992), which is "
        "drawn to that of the node above by the weight of `shrinkage` rows, and held to the range of the "
        "target. It takes leaves of at least ten rows.",
        frozenset({"TreeRegressor"}),
    ),
    Parameter(
        "guide",
        one_of("forest", "auto", none=True),
        None,
        "Grow the tree on targets that a forest has smoothed, each row by the trees that have not drawn it: "
        'better probabilities from a larger tree, in about three times the time. "auto" does so for tables '
        "of up to 1,000 rows.",
        LEARNERS,
    ),
    Parameter(
        "vote",
        one_of("soft", "hard"),
        "soft",
        "Whether a tree gives each class the probability of its leaf, or its whole vote to one.",
        _of_classes(FORESTS),
    ),
    Parameter(
        "splits",
        SPLIT_FORMS,
        ("threshold", "subset"),
        'Forms of splits to look for; the best one wins. They are "threshold", "interval", "hyperplane", '
        '"sphere" and "median" for numeric and ordinal features, "subset", "multiway" and "one_vs_rest" for '
        'categorical ones, and "predicate" for your own, see the page on splits.',
        GROWN | FORESTS,
        {"ID3Classifier": ("multiway",)},
        convert=split_forms,
    ),
    Parameter(
        "max_intervals",
        whole(2, none=True),
        None,
        'Most intervals of an "interval" split, the best of all ways to make them. None makes cuts one '
        "inside the other as long as they pay for themselves in bits.",
        GROWN,
        core="int = 0",
    ),
    Parameter(
        "max_terms",
        whole(2, none=True),
        None,
        "Most features of a hyperplane or sphere; by default as many as pay for themselves.",
        GROWN | FORESTS,
        core="size_t = SIZE_MAX",
    ),
    Parameter(
        "missing",
        POLICY,
        "direction",
        "What becomes of rows that miss the value a split asks for, for all features or by feature (name or "
        'index; the others learn a direction): "direction", "available", "value", "fractional", '
        '"fractional_counts", "surrogate", "mean", "median", "mode", "class_mode", "ignore" or "error". See '
        "the page on missing values.",
        TREES | LEARNERS,
        {"ID3Classifier": "error"},
        convert=missing_policies,
    ),
    Parameter(
        "missing",
        replace(
            POLICY,
            test=partial(_is_missing, ("ignore",)),
            words=f"{POLICY.words}, and not 'ignore', which forests do not have",
        ),
        "direction",
        "What becomes of rows that miss the value a split asks for, as for `DecisionTreeClassifier`, except "
        'for "ignore".',
        FORESTS,
    ),
    Parameter(
        "missing",
        replace(POLICY, type="str | tuple[str, ...]", described="str or tuple of str"),
        "direction",
        "What becomes of rows without a value, a name of `MISSING`, or one for each feature.",
        RECIPE,
    ),
    Parameter(
        "max_surrogates",
        whole(0),
        5,
        "How many surrogate splits a node keeps for rows that miss the value it asks for "
        '(missing="surrogate").',
        GROWN | FORESTS,
        core="int = 5",
    ),
    Parameter(
        "max_surrogates",
        whole(0),
        5,
        "How many surrogate splits a node keeps for rows that miss the value it asks for.",
        CART | CART_RECIPE,
    ),
    Parameter(
        "use_surrogates",
        Domain(
            lambda value: is_whole(value) and value in (0, 1, 2),
            "0, 1 or 2",
            type="int",
            described="{0, 1, 2}",
        ),
        2,
        "Rows with a missing value stay at the node (0), follow the surrogates or else stay (1), or follow "
        "the surrogates or else the majority (2).",
        GROWN | FORESTS | CART | CART_RECIPE,
        core="int = 2",
    ),
    Parameter(
        "surrogate_style",
        Domain(lambda value: is_whole(value) and value in (0, 1), "0 or 1", type="int", described="{0, 1}"),
        0,
        "Agreement is counted over all rows with a known split (0), or over those that also know the "
        "surrogate (1).",
        CART | CART_RECIPE,
    ),
    Parameter(
        "cut",
        one_of("midpoint", "observed", "short"),
        "midpoint",
        "Cut half-way between neighbouring values, at the largest value of the data not above that, or at "
        "the shortest decimal between the two.",
        GROWN | LEARNERS,
        dict.fromkeys(LEARNERS, "short"),
    ),
    Parameter(
        "cut",
        one_of("midpoint", "observed"),
        "observed",
        "Cut half-way between neighbouring values, or at the largest value of the data not above that.",
        C45 | C45_RECIPE,
    ),
    Parameter(
        "category_order",
        one_of("auto", "node", "once"),
        "auto",
        "Order the categories for subset splits anew at each node (exact), or once by the whole target. "
        '"auto" does so once for features of more than 256 categories, where ordering at each node fits '
        "noise, unless `significance` tests splits.",
        GROWN | FORESTS,
        dict.fromkeys(FORESTS, "once"),
        core="CategoryOrder = CategoryOrder::automatic",
    ),
    Parameter(
        "category_search",
        one_of("exchange", "descent"),
        "exchange",
        "How groups of more than twelve categories are found for three and more classes: the best cut of "
        "several orders, then by exchange of single categories, or by descent (Chou, 1991).",
        GROWN,
        core="GroupsBy = GroupsBy::exchange",
    ),
    Parameter(
        "fair_categories",
        truth(),
        False,
        "Judge groups of categories by what they tell beyond chance: the more values a feature has and the "
        "fewer rows they have, the more of their differences is chance. Identifiers are then not split on; "
        "see the page on splits.",
        GROWN,
        core="bool = false",
    ),
    Parameter(
        "max_groups",
        whole(2),
        2,
        'Most groups of categories that a "subset" split makes.',
        GROWN,
        core="int = 2",
    ),
    Parameter(
        "max_bins",
        whole(2, none=True),
        None,
        "Look at no more than this many quantile cuts of a numeric feature; all by default.",
        GROWN | FORESTS,
        core="int = 0",
    ),
    Parameter(
        "ties",
        Domain(
            partial(_is_ties, lambda value: isinstance(value, (list, tuple)) and len(value) > 0),
            "a str among {'first', 'last', 'random'} or a list of features",
            ("first", "last", "random"),
            "str | Sequence[Any]",
            '{"first", "last", "random"} or list of features',
        ),
        "first",
        'Which of equally good splits wins. "random" looks at the features in an order that the seed and the '
        "place of the node decide, so that the order of the columns does not matter; a list of features "
        "(names or indices) is an order of preference, the others come after them.",
        TREES,
        dict.fromkeys((CLASSIFIER, REGRESSOR), "random"),
        convert=order_of_preference,
    ),
    Parameter(
        "ties",
        Domain(
            partial(_is_ties, partial(_is_tuple_of, is_whole)),
            "a str among {'first', 'last', 'random'} or a tuple of feature numbers",
            ("first", "last", "random"),
            "str | tuple[int, ...]",
            '{"first", "last", "random"} or tuple of int',
        ),
        "first",
        'Which of equally good splits wins; "random" looks at the features in an order that the seed and the '
        "place of the node decide, a tuple is an order of preference.",
        RECIPE,
        core="Ties = Ties::first",
    ),
    Parameter(
        "stop_on_constant",
        truth(),
        False,
        "Whether a node becomes a leaf where no split gains anything and the first feature not yet used has "
        "one value only, as some textbooks have ID3; if not, such features are passed over.",
        RECIPE | {"ID3Classifier"},
        core="bool = false",
    ),
    Parameter(
        "order",
        one_of(*ORDERS),
        "depth_first",
        'Which node to split next. `max_leaf_nodes` makes the default "best_first".',
        GROWN,
        core="Order = Order::depth_first",
    ),
    Parameter(
        "max_nodes", whole(1, none=True), None, "The greatest number of nodes.", GROWN, core="int64_t = -1"
    ),
    Parameter(
        "max_competitors",
        whole(0),
        0,
        "How many of the best splits on other features each node remembers.",
        GROWN | C45 | C45_RECIPE | CART | CART_RECIPE,
        dict.fromkeys(CART | CART_RECIPE, 4),
        core="int = 0",
    ),
    Parameter(
        "feature_costs",
        BY_FEATURE,
        None,
        "What it costs to look at each feature: gains are divided by it when splits are compared.",
        TREES | CART,
        convert=costs_of_features,
    ),
    Parameter(
        "feature_costs",
        Domain(
            partial(_is_tuple_of, lambda cost: is_factor(cost) and cost > 0),
            f"a tuple of a number from {SMALLEST_FACTOR:g} to {LARGEST_FACTOR:g} per feature or None",
            type="tuple[float, ...] | None",
            described="tuple of float or None",
        ),
        None,
        "What it costs to look at each feature: gains are divided by it when candidates are compared, those "
        "of splits on several features by the sum.",
        RECIPE | CART_RECIPE,
        core="Numbers = {}",
    ),
    Parameter(
        "min_gain",
        number(0.0, none=True),
        None,
        "A split must lower the impurity of its node by more than this, whatever the node's share of the "
        "rows; 0 stops where no split lowers it.",
        GROWN,
        core="double = -no_limit",
    ),
    Parameter(
        "significance",
        number(0.0, 1.0, none=True),
        None,
        "Split only where branch and target are related at this level of significance. The test is "
        "chi-square, of numbers F, corrected for the number of splits there were to choose from.",
        GROWN,
        core="double = 1",
    ),
    Parameter(
        "complexity",
        number(0.0),
        0.0,
        "The price of a node: a split must lower the whole tree's impurity by as much for each branch.",
        GROWN,
        core="double = 0",
    ),
    Parameter(
        "risk_threshold",
        number(0.0, none=True),
        None,
        "Stop growing, best first, when the training error per row is within this of `bayes_risk`.",
        GROWN,
    ),
    Parameter(
        "bayes_risk", number(0.0), 0.0, "The error that nobody can avoid, see `risk_threshold`.", GROWN
    ),
    Parameter(
        "subtree_raising",
        truth(),
        True,
        "Whether pruning may put a node's largest branch in its place.",
        C45 | C45_RECIPE,
    ),
    Parameter(
        "collapse",
        truth(),
        True,
        "Whether subtrees that do not lower the training error become leaves before pruning. A pruner that "
        "has held-out rows decides alone.",
        C45 | C45_RECIPE,
    ),
    Parameter(
        "binary_splits",
        truth(),
        False,
        "Test one category against all others, instead of a branch for each category.",
        C45 | C45_RECIPE,
    ),
    Parameter(
        "mdl",
        truth(),
        True,
        "Whether numeric cuts pay for the choice among them, log2(cuts) / rows bits.",
        C45 | C45_RECIPE,
    ),
    Parameter(
        "cv",
        Domain(
            _are_folds,
            "an int from 2 on, or a list of pairs of row numbers: to grow on, and to judge by",
            type="int | Sequence[tuple[ArrayLike, ArrayLike]]",
            described="int or list of pairs of arrays",
        ),
        5,
        "Folds of the cross-validation that chooses the size of the tree: how many, or of each the rows to "
        "grow on and those to judge by. Rows that are the same share a fold; up to 2,000 rows it is done "
        "several times.",
        LEARNERS,
    ),
    Parameter(
        "cv",
        Domain(
            lambda value: value is None or (value >= 2 if is_whole(value) else np.ndim(value) == 1),
            "an int from 2 on, an array with the fold of each row or None",
            type="int | ArrayLike | None",
            described="int, array-like or None",
        ),
        10,
        "Folds of the cross-validation of `cp_table_`: how many, or the fold of each row. The folds of a "
        "number are dealt over the rows in order of the target, so that they are alike.",
        CART,
    ),
    Parameter(
        "se",
        number(0.0, none=True),
        None,
        "Prune to the smallest tree whose cross-validated error is within `se` standard errors of the least.",
        CART,
    ),
    Parameter(
        "se",
        number(0.0),
        0.25,
        "Take the smallest tree whose cross-validated loss is within `se` standard errors, or 3 %, of the "
        "least; 0 takes that of the least.",
        LEARNERS & CLASSIFIERS,
    ),
    Parameter(
        "se",
        number(0.0),
        0.1,
        "Take the smallest tree whose cross-validated loss is within `se` standard errors of the least.",
        LEARNERS - CLASSIFIERS,
    ),
    Parameter(
        "shrink",
        number(0.0, none=True),
        None,
        'How far "poisson" rates are drawn towards the overall rate. It is the coefficient of variation that '
        'rates are thought to have, 0 if they are not drawn. None is rpart\'s 1 with compat="rpart", else 0.',
        CART - CLASSIFIERS,
    ),
    Parameter(
        "shrink",
        number(0.0),
        0.0,
        'How far "poisson" rates are drawn towards the overall rate.',
        CART_RECIPE,
    ),
    Parameter(
        "unseen",
        replace(one_of("missing", "error", "majority"), type="Unseen"),
        "missing",
        "What to do when predicting for a category that was never seen: treat it as missing, refuse it, or "
        "follow the largest branch.",
        (ONE_TREE | FORESTS) - LEARNERS,
    ),
    Parameter(
        "inf",
        replace(one_of("error", "extreme"), type="Infinities"),
        "error",
        "Refuse infinite numbers, or take them as the largest finite ones.",
        (ONE_TREE | FORESTS) - LEARNERS,
    ),
    Parameter(
        "categorical_features",
        replace(ANYTHING, described="list of names, indices or a mask, or None"),
        None,
        "Columns to take as categories, beyond those that say so themselves.",
        ONE_TREE | FORESTS,
    ),
    Parameter(
        "ordinal_features",
        replace(
            ANYTHING, described="list of names, indices or a mask, or dict of name to categories, or None"
        ),
        None,
        "Columns to take as ordered categories, beyond those that say so themselves.",
        ONE_TREE | FORESTS,
    ),
    Parameter(
        "predicates",
        Domain(
            lambda value: value is None or (isinstance(value, Iterable) and not isinstance(value, str)),
            "a list or a dict of expressions and functions, or None",
            described="list or dict of expressions and functions, or None",
        ),
        None,
        "Boolean features of your own, offered beside the others. They are expressions over the columns such "
        'as ``"width > 2 * height"``, functions that are given the table and give a truth value for each '
        "row, or pairs of a name and such.",
        ONE_TREE - LEARNERS,
    ),
    Parameter(
        "trace",
        truth(),
        False,
        "Keep every step of the learner, at every node: each candidate with its counts, gain and gain ratio, "
        "what was chosen and why. `trace_` holds the training rows with it.",
        ONE_TREE - OPTIMAL - LEARNERS,
    ),
    Parameter("n_jobs", N_JOBS, None, "Threads; None and −1 use all cores.", ONE_TREE),
    Parameter("verbose", VERBOSE, 0, "Show progress in the terminal.", (ONE_TREE - OPTIMAL) | RULES),
    Parameter(
        "verbose",
        VERBOSE,
        0,
        "Show the best objective, the lower bound and the gap in the terminal.",
        OPTIMAL,
    ),
    Parameter(
        "compat",
        one_of("weka", none=True),
        None,
        'Grow the tree of Weka\'s `Id3` ("weka"), node for node. Among gains that are equal but for rounding '
        "its arithmetic decides, a node whose best gain is within 1e-6 of zero is a leaf, and rows that end "
        "in a leaf without training rows stay unclassified: `predict` gives them `None` (in an array of "
        "objects), `predict_proba` zeros. Explanations and rules say of them what the leaf's parent does.",
        frozenset({"ID3Classifier"}),
    ),
    Parameter(
        "compat",
        one_of("j48", "release8", none=True),
        None,
        "Grow the tree of Weka's J48 (\"j48\"), or with the pruning figures of Quinlan's Release 8 "
        '("release8"), node for node.',
        C45 | C45_RECIPE,
    ),
    Parameter(
        "compat",
        one_of("rpart", none=True),
        None,
        'Grow the tree of R\'s rpart ("rpart"), node for node, its oddities included.',
        CART | CART_RECIPE,
    ),
)
"""Every parameter. One of another kind, default or meaning elsewhere has an entry for each."""


@cache
def parameters_of(owner: str) -> dict[str, Parameter]:
    """Give the parameters of an estimator or recipe by name, with its own defaults, in order.

    Examples
    --------
    >>> list(parameters_of("C45Classifier"))[:3], parameters_of("CARTClassifier")["max_depth"].default
    (['min_samples_leaf', 'random_state', 'confidence'], 30)
    """
    mine = {entry.name: entry for entry in PARAMETERS if owner in entry.owners}
    own = {name: entry.defaults[owner] for name, entry in mine.items() if owner in entry.defaults}
    return mine | {name: mine[name]._replace(default=default) for name, default in own.items()}


@cache
def _paths(
    owner: str, recipe: str
) -> tuple[dict[str, Any], tuple[str, ...], tuple[tuple[str, str, Any], ...]]:
    """Tell how parameters become choices: the defaults of choices, those taken as given, those converted."""
    choices, same, converted = parameters_of(recipe), [], []
    for entry in parameters_of(owner).values():
        choice = entry.choice or entry.name
        if choice not in choices:
            continue
        if entry.convert is None:
            same.append(entry.name)
        else:
            converted.append((entry.name, choice, entry.convert))
    defaults = {name: entry.default for name, entry in choices.items() if entry.default is not REQUIRED}
    return defaults, tuple(same), tuple(converted)


def recipe_choices(
    owner: str, values: Mapping[str, Any], schema: Schema, recipe: str = "Recipe"
) -> dict[str, Any]:
    """Put the parameters of an estimator in the terms of its recipe.

    Parameters
    ----------
    owner, recipe : str
        The classes.
    values : dict
        The estimator's parameters by name.
    schema : Schema
        That of the table to grow on.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> values = vars(DecisionTreeClassifier(criterion="log_loss", monotonic_cst={"x1": 1}))
    >>> choices = recipe_choices("DecisionTreeClassifier", values, Schema.unnamed(2))
    >>> choices["criterion"], choices["monotonic"]
    ('entropy', (0, 1))
    """
    defaults, same, converted = _paths(owner, recipe)
    choices = defaults.copy()
    for name in same:
        choices[name] = values[name]
    for name, choice, convert in converted:
        value = values[name]
        choices[choice] = None if value is None else convert(value, schema)
    return choices
