"""Recipe: every choice of the grower, as plain names and numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from treewright._module_names import public
from treewright.criteria import CLASSIFICATION, REGRESSION
from treewright.growing.user_criteria import MeritFunction
from treewright.parameter_types import (
    FACTOR_WORDS,
    LARGEST_FACTOR,
    SMALLEST_FACTOR,
    Domain,
    check_parameters,
    is_factor,
    is_number,
    is_whole,
    name_or_function,
    number,
    one_of,
    whole,
    whole_or_share,
)

if TYPE_CHECKING:
    from treewright.data import Dataset
    from treewright.trace.records import CandidateAccount
    from treewright.tree import Tree

SPLITS: dict[str, str] = {
    "threshold": "numeric and ordinal features: x <= t",
    "interval": "numeric and ordinal features: several intervals, as many as pay for themselves in bits",
    "hyperplane": "several numeric features: a weighted sum <= t, or a threshold where that is as good",
    "sphere": "several numeric features: within a distance from a centre",
    "median": "numeric and ordinal features: the median of the widest, whatever the target",
    "subset": "categorical features: two groups of categories",
    "multiway": "categorical features: one branch per category",
    "one_vs_rest": "categorical features: one category against all others",
}
"""The forms of splits the grower may look for, by name."""

CATEGORY_SPLITS = ("subset", "multiway", "one_vs_rest")
"""The forms for categorical features; the others are for numbers."""

PLAIN_SPLITS = ("interval", "hyperplane", "sphere", "median")
"""The forms that only the plain engine of the core looks for."""

MISSING: dict[str, str] = {
    "direction": "a row without the value follows the side learned for it, else the larger one",
    "available": "a row without the value is left out of the search and follows the largest branch",
    "value": "missing is a value of its own: a branch of its own, or the better side",
    "fractional": "a row without the value goes down every branch with its share, as in C4.5",
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


def _is_max_features(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value in (None, "sqrt", "log2")
    return bool(value >= 1) if is_whole(value) else is_number(value) and 0 < value <= 1


def _is_tuple_of(test: Callable[[Any], bool], value: Any) -> bool:
    return value is None or (isinstance(value, tuple) and len(value) > 0 and all(map(test, value)))


def _is_class_weight(value: Any) -> bool:
    if isinstance(value, str):
        return value == "balanced"
    return _is_tuple_of(is_factor, value)


def _are_splits(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) > 0 and all(name in SPLITS for name in value)


def _is_missing(value: Any) -> bool:
    if isinstance(value, str):
        return value in MISSING
    policies = value.values() if isinstance(value, Mapping) else value
    return isinstance(value, (Mapping, tuple)) and all(policy in MISSING for policy in policies)


_is_row_of_costs = partial(_is_tuple_of, is_factor)

DOMAINS: dict[str, Domain] = {
    "criterion": name_or_function(*CLASSIFICATION, *REGRESSION),
    "splits": Domain(
        _are_splits, f"a tuple of names among {{{', '.join(map(repr, SPLITS))}}}", tuple(SPLITS)
    ),
    "splitter": one_of("best", "random"),
    "missing": Domain(
        _is_missing,
        f"a str among {{{', '.join(map(repr, MISSING))}}} or a dict of such by feature",
        tuple(MISSING),
    ),
    "max_surrogates": whole(0),
    "use_surrogates": Domain(lambda value: is_whole(value) and value in (0, 1, 2), "0, 1 or 2"),
    "order": one_of(*ORDERS),
    "max_depth": whole(1, none=True),
    "max_leaf_nodes": whole(2, none=True),
    "max_nodes": whole(1, none=True),
    "min_samples_split": whole_or_share(2, all_of_it=True),
    "min_samples_leaf": whole_or_share(1, all_of_it=False),
    "min_weight_fraction_leaf": number(0.0, 0.5),
    "min_impurity_decrease": number(0.0),
    "min_merit": Domain(lambda value: is_number(value) and value < inf, "a float below inf"),
    "max_features": Domain(
        _is_max_features,
        "an int in the range [1, inf), a float in the range (0.0, 1.0], a str among {'sqrt', 'log2'} or None",
        ("sqrt", "log2"),
    ),
    "random_state": Domain(
        lambda value: is_whole(value) and 0 <= value < 2**63, "an int in the range [0, 9223372036854775807]"
    ),
    "ties": one_of("first", "last", "random"),
    "max_bins": whole(2, none=True),
    "max_competitors": whole(0),
    "max_terms": whole(2, none=True),
    "cut": one_of("midpoint", "observed"),
    "category_order": one_of("auto", "node", "once"),
    "class_weight": Domain(
        _is_class_weight,
        f"'balanced', a tuple of a factor per class ({FACTOR_WORDS}) or None",
        ("balanced",),
    ),
    "priors": Domain(
        lambda value: value is None or (_is_tuple_of(is_factor, value) and any(value)),
        f"a tuple of a prior per class ({FACTOR_WORDS}), not all 0, or None",
    ),
    "costs": Domain(
        partial(_is_tuple_of, _is_row_of_costs),
        f"a tuple with a tuple of costs ({FACTOR_WORDS}) for every true class or None",
    ),
    "monotonic": Domain(
        partial(_is_tuple_of, lambda sign: sign in (-1, 0, 1)), "a tuple of -1, 0 or 1 per feature or None"
    ),
    "interaction": Domain(
        partial(_is_tuple_of, partial(_is_tuple_of, is_whole)),
        "a tuple of groups, each a tuple of feature numbers, or None",
    ),
    "feature_costs": Domain(
        partial(_is_tuple_of, lambda cost: is_factor(cost) and cost > 0),
        f"a tuple of a number from {SMALLEST_FACTOR:g} to {LARGEST_FACTOR:g} per feature or None",
    ),
    "significance": number(0.0, 1.0, none=True),
    "complexity": number(0.0),
    "risk_threshold": number(0.0, none=True),
    "bayes_risk": number(0.0),
}
"""What each choice of a `Recipe` may be."""


@public
@dataclass(frozen=True)
class Recipe:
    """Every choice of the grower; it prints, compares, hashes and travels.

    Limits that scikit-learn gives as a share of the rows or features stay shares here: `grow` turns them
    into numbers when it meets the data.

    Parameters
    ----------
    criterion : str or callable
        What makes a split good: a name of `criteria.CLASSIFICATION` or `criteria.REGRESSION`, or a function
        of the statistics of a node and of its candidates' branches.
    splits : tuple of str
        Forms of splits to look for, names of `SPLITS`; the best merit wins.
    splitter : {"best", "random"}
        Look at every cut of a feature, or at one drawn at random (Geurts, Ernst & Wehenkel, 2006).
    missing : str or tuple of str
        What becomes of rows without a value, a name of `MISSING`, or one for each feature.
    max_surrogates : int
        Under the policy "surrogate", how many stand-in splits a node keeps.
    use_surrogates : {0, 1, 2}
        Under the policy "surrogate", rows without the value stay at the node (0), follow the surrogates or
        stay (1), or follow the surrogates or the majority (2).
    order : str
        Which node is split next, a name of `ORDERS`.
    max_depth, max_leaf_nodes, max_nodes : int or None
        Bounds on the size of the tree.
    min_samples_split, min_samples_leaf : int or float
        Fewest rows (or share of the rows) of a node that is split, and of a branch.
    min_weight_fraction_leaf : float
        Least share of the total weight in a branch.
    min_impurity_decrease : float
        Least decrease of the whole tree's impurity by a split.
    min_merit : float
        A split's merit must exceed this; −inf takes every split.
    max_features : int, float, {"sqrt", "log2"} or None
        How many features, drawn at random, each node looks at.
    random_state : int
        Seed of all drawing.
    ties : {"first", "last", "random"}
        Which of equally good candidates wins; with "random" the first in an order of the features that is
        drawn for each node.
    max_bins : int or None
        Look at no more than this many quantile cuts of a numeric feature; `None` looks at all.
    max_competitors : int
        How many of the best splits on other features each node remembers.
    max_terms : int or None
        Most features of a hyperplane or sphere.
    cut : {"midpoint", "observed"}
        Cut half-way between neighbouring values, or at the largest value of the data not above that.
    category_order : {"auto", "node", "once"}
        Order the categories for subset splits anew at each node (exact), or once by the whole target; "auto"
        does so once for features of more than 256 categories, where ordering at each node fits noise.
    class_weight : "balanced", tuple of float or None
        A factor on the weight of each class, in class order.
    priors : tuple of float or None
        The classes' shares to grow for, in class order.
    costs : tuple of tuples of float or None
        Cost of predicting (column) what truly is (row).
    monotonic : tuple of int or None
        For each feature 1 if the prediction may only rise with it, −1 if it may only fall, 0 if it is free.
    interaction : tuple of tuples of int or None
        Groups of features that may share a path.
    feature_costs : tuple of float or None
        What it costs to look at each feature: merits are divided by it when candidates are compared, those of
        splits on several features by the sum.
    significance : float or None
        Largest p-value of a split, corrected for the number of candidates.
    complexity : float
        The price of a node: a split must lower the whole tree's impurity by as much for each branch.
    risk_threshold, bayes_risk : float or None, float
        Growing ends when the tree's risk per row is within the threshold of the Bayes risk.

    Examples
    --------
    >>> recipe = Recipe("gini", max_depth=3)
    >>> recipe == Recipe("gini", max_depth=3), recipe.splits
    (True, ('threshold', 'subset'))
    >>> Recipe("ginni")
    Traceback (most recent call last):
        ...
    ValueError: The 'criterion' parameter of Recipe must be a str among {...} or a callable. Got 'ginni'
    instead. Did you mean 'gini'?
    """

    criterion: str | MeritFunction
    splits: tuple[str, ...] = ("threshold", "subset")
    splitter: str = "best"
    missing: str | tuple[str, ...] = "direction"
    max_surrogates: int = 5
    use_surrogates: int = 2
    order: str = "depth_first"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    max_nodes: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    min_merit: float = -inf
    max_features: int | float | str | None = None
    random_state: int = 0
    ties: str = "first"
    max_bins: int | None = None
    max_competitors: int = 0
    max_terms: int | None = None
    cut: str = "midpoint"
    category_order: str = "auto"
    class_weight: str | tuple[float, ...] | None = None
    priors: tuple[float, ...] | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    monotonic: tuple[int, ...] | None = None
    interaction: tuple[tuple[int, ...], ...] | None = None
    feature_costs: tuple[float, ...] | None = None
    significance: float | None = None
    complexity: float = 0.0
    risk_threshold: float | None = None
    bayes_risk: float = 0.0

    def __post_init__(self) -> None:
        check_parameters("Recipe", self.__dict__, DOMAINS)

    @property
    def core_criterion(self) -> str:
        """The name by which the core knows the criterion."""
        return "function" if callable(self.criterion) else self.criterion

    @classmethod
    def of_checked(cls, choices: Mapping[str, Any]) -> Recipe:
        """Make a recipe of choices that an estimator has checked already, in a tenth of the time."""
        recipe = object.__new__(cls)
        recipe.__dict__.update(choices)
        return recipe


class ProgramRecipe(ABC):
    """A recipe that a program of its own carries out; the presets have such.

    Whatever takes a `Recipe` to grow trees (`grow`, cross-validation, comparisons, traces) takes such a one
    as well.
    """

    criterion: str
    merit_name: ClassVar[str]
    max_depth: int | None = None
    feature_costs: tuple[float, ...] | None = None
    max_leaf_nodes: ClassVar[None] = None
    monotonic: ClassVar[None] = None
    ties: ClassVar[str] = "first"
    random_state: int = 0

    @abstractmethod
    def grow(self, dataset: Dataset, *, n_jobs: int | None = None, progress: Any = None) -> Tree:
        """Grow a tree, see `treewright.grow`."""

    def class_factor(self, dataset: Dataset) -> Any:
        """Give the factor on the weight of each class of a dataset, or None."""
        return None

    @property
    def impurity_factor(self) -> float:
        """How many times the impurity by `treewright.criteria` the program writes down."""
        return 1.0

    def unpruned(self) -> ProgramRecipe:
        """Give the recipe without the pruning that is part of the program."""
        return self

    @abstractmethod
    def without_limits(self) -> ProgramRecipe:
        """Give the recipe that splits whatever can be split, to see what a leaf had to choose from."""

    @property
    @abstractmethod
    def limits(self) -> dict[str, Any]:
        """What may have kept a node from being split, by the names of the parameters."""

    def passed_over(
        self, candidates: Sequence[CandidateAccount], rows: Dataset
    ) -> tuple[frozenset[str], str]:
        """Name the features whose candidates were not compared by merit, and say in words why.

        Parameters
        ----------
        candidates : sequence of CandidateAccount
            Those of a node.
        rows : Dataset
            What the whole tree was grown on.
        """
        return frozenset(), ""


AnyRecipe = Recipe | ProgramRecipe
"""Whatever says how to grow."""
