"""Recipe: every choice of the grower, as plain names and numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from treewright._module_names import public
from treewright.criteria import Superclasses
from treewright.growing.parameters import parameters_of
from treewright.growing.user_criteria import MeritFunction
from treewright.parameter_types import Domain, check_parameters

if TYPE_CHECKING:
    from treewright.data import Dataset
    from treewright.trace.records import Candidate
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
    random_state : int
        Seed of all that is drawn at random.
    min_merit : float
        A split's gain must exceed this; −inf takes every split.
    class_weight : "balanced", tuple of float or None
        Factor on the weight of each class, in class order.
    monotonic : tuple of int or None
        For each feature 1 if the prediction may only rise with it, −1 if it may only fall, 0 if it may do
        both.
    interaction : tuple of tuples of int or None
        Groups of features that may share a path.
    priors : tuple of float or None
        Prior probabilities of the classes, in class order.
    costs : tuple of tuples of float or None
        Cost of predicting a class (column) where another is true (row).
    missing : str or tuple of str
        What becomes of rows without a value, a name of `MISSING`, or one for each feature.
    ties : {"first", "last", "random"} or tuple of int
        Which of equally good splits wins; "random" looks at the features in an order that the seed and the
        place of the node decide, a tuple is an order of preference.
    stop_on_constant : bool
        Whether a node becomes a leaf where no split gains anything and the first feature not yet used has one
        value only, as some textbooks have ID3; if not, such features are passed over.
    feature_costs : tuple of float or None
        What it costs to look at each feature: gains are divided by it when candidates are compared, those of
        splits on several features by the sum.
    **parameters
        `splitter`, `max_depth`, `min_samples_split`, `min_samples_leaf`, `min_weight_fraction_leaf`,
        `max_features`, `max_leaf_nodes`, `min_impurity_decrease`, `splits`, `max_intervals`, `max_terms`,
        `max_surrogates`, `use_surrogates`, `cut`, `category_order`, `category_search`, `fair_categories`,
        `max_groups`, `max_bins`, `order`, `max_nodes`, `max_competitors`, `min_gain`, `significance`,
        `complexity`, `risk_threshold` and `bayes_risk` are those of `DecisionTreeClassifier`.

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
        """The name by which the core knows the criterion; "function" is one that it asks.

        Examples
        --------
        >>> from treewright import Recipe
        >>> Recipe("entropy").core_criterion
        'entropy'
        """
        if type(self.criterion) is Superclasses and "multiway" not in self.splits:
            return f"superclasses_{self.criterion.criterion}"
        return "function" if callable(self.criterion) else self.criterion

    @classmethod
    def of_checked(cls, choices: Mapping[str, Any]) -> Recipe:
        """Make a recipe of choices that an estimator has checked already, in a tenth of the time.

        Examples
        --------
        >>> from treewright import Recipe
        >>> Recipe.of_checked(vars(Recipe("gini", max_depth=2))).max_depth
        2
        """
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

    def passed_over(self, candidates: Sequence[Candidate], rows: Dataset) -> tuple[frozenset[str], str]:
        """Name the features whose candidates were not compared, and say in words why.

        Parameters
        ----------
        candidates : sequence of Candidate
            Those of a node.
        rows : Dataset
            What the whole tree was grown on.
        """
        return frozenset(), ""


AnyRecipe = Recipe | ProgramRecipe
"""Whatever says how to grow."""
