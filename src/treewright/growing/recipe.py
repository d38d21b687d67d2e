"""Recipe: every choice of the grower, as plain names and numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from treewright._module_names import public
from treewright.growing.parameters import parameters_of
from treewright.growing.user_criteria import MeritFunction
from treewright.parameter_types import Domain, check_parameters

if TYPE_CHECKING:
    from treewright.data import Dataset
    from treewright.trace.records import CandidateAccount
    from treewright.tree import Tree

CATEGORY_SPLITS = ("subset", "multiway", "one_vs_rest")
"""The forms for categorical features; the others are for numbers."""

PLAIN_SPLITS = ("interval", "hyperplane", "sphere", "median")
"""The forms that only the plain engine of the core looks for."""

DOMAINS: dict[str, Domain] = {name: choice.domain for name, choice in parameters_of("Recipe").items()}
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
    random_state : int
        Seed of all that is drawn at random.
    max_leaf_nodes : int or None
        The greatest number of leaves; the nodes are then split best first.
    min_impurity_decrease : float
        A node is split only if that lowers the impurity of the whole tree by at least this much.
    min_merit : float
        A split's merit must exceed this; −inf takes every split.
    class_weight : "balanced", tuple of float or None
        Factor on the weight of each class, in class order.
    monotonic : tuple of int or None
        For each feature 1 if the prediction may only rise with it, −1 if it may only fall, 0 if it may do
        both.
    interaction : tuple of tuples of int or None
        Groups of features that may share a path.
    priors : tuple of float or None
        The classes' shares to grow for, in class order.
    costs : tuple of tuples of float or None
        Cost of predicting a class (column) where another is true (row).
    splits : tuple of str
        Forms of splits to look for; the best one wins. They are "threshold", "interval", "hyperplane",
        "sphere" and "median" for numeric and ordinal features, "subset", "multiway" and "one_vs_rest" for
        categorical ones, and "predicate" for your own, see the page on splits.
    max_intervals : int or None
        Most intervals of an "interval" split, the best of all ways to make them. None makes cuts one inside
        the other as long as they pay for themselves in bits.
    max_terms : int or None
        Most features of a hyperplane or sphere; by default as many as pay for themselves.
    missing : str or tuple of str
        What becomes of rows without a value, a name of `MISSING`, or one for each feature.
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
    ties : {"first", "last", "random"} or tuple of int
        Which of equally good splits wins; "random" looks at the features in an order drawn for each node, a
        tuple is an order of preference.
    stop_on_constant : bool
        Whether a node becomes a leaf where no split gains anything and the first feature not yet used has one
        value only, as some textbooks have ID3; if not, such features are passed over.
    order : {"depth_first", "breadth_first", "best_first"}
        Which node to split next. `max_leaf_nodes` makes the default "best_first".
    max_nodes : int or None
        The greatest number of nodes.
    max_competitors : int
        How many of the best splits on other features each node remembers.
    feature_costs : tuple of float or None
        What it costs to look at each feature: merits are divided by it when candidates are compared, those of
        splits on several features by the sum.
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

    # parameters: written by tools/generate_parameters.py
    criterion: str | MeritFunction
    splitter: str = "best"
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: int | float | str | None = None
    random_state: int = 0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_merit: float = -inf
    class_weight: str | tuple[float, ...] | None = None
    monotonic: tuple[int, ...] | None = None
    interaction: tuple[tuple[int, ...], ...] | None = None
    priors: tuple[float, ...] | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    splits: tuple[str, ...] = ("threshold", "subset")
    max_intervals: int | None = None
    max_terms: int | None = None
    missing: str | tuple[str, ...] = "direction"
    max_surrogates: int = 5
    use_surrogates: int = 2
    cut: str = "midpoint"
    category_order: str = "auto"
    category_search: str = "exchange"
    fair_categories: bool = False
    max_groups: int = 2
    max_bins: int | None = None
    ties: str | tuple[int, ...] = "first"
    stop_on_constant: bool = False
    order: str = "depth_first"
    max_nodes: int | None = None
    max_competitors: int = 0
    feature_costs: tuple[float, ...] | None = None
    min_gain: float | None = None
    significance: float | None = None
    complexity: float = 0.0
    risk_threshold: float | None = None
    bayes_risk: float = 0.0
    # end of parameters

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
    missing: ClassVar[str]
    max_depth: int | None = None
    feature_costs: tuple[float, ...] | None = None
    max_leaf_nodes: int | None = None
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
