"""Optimal trees: the best of all trees of a depth and a number of leaves, with a proof."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import InvalidParameterError

from treewright import _core
from treewright.data import Dataset, Schema
from treewright.data.dataset import Task
from treewright.estimators.base import estimator
from treewright.estimators.fitted_tree import ClassReader, NumberReader
from treewright.estimators.fitting import LEARNER_DOMAINS, Learner
from treewright.formatting.axes import axes_for
from treewright.growing.grow_tree import Progress, class_factor, core_table, threads
from treewright.growing.parameters import CLASSIFIER_DOMAINS, class_factors, class_priors, cost_rows
from treewright.growing.recipe import ProgramRecipe, Recipe
from treewright.parameter_types import Domain, check_parameters, number, one_of, whole
from treewright.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
Watch = Callable[[float, float], None]

OPTIMAL_DOMAINS: dict[str, Domain] = {
    "max_depth": whole(1, none=True),
    "max_leaf_nodes": whole(1, none=True),
    "alpha": number(0.0),
    "time_limit": number(0.0, none=True),
    "work_limit": whole(0, none=True),
    "memory_limit": whole(0, none=True),
    "on_interrupt": one_of("raise", "keep"),
    **{name: domain for name, domain in LEARNER_DOMAINS.items() if name != "trace"},
    "trace": Domain(lambda value: value is False, "False, as no step of the search is a step of the tree"),
}
"""What the parameters of optimal trees may be."""


@dataclass(frozen=True)
class Proof:
    """What is known of a tree: its objective, a bound that no tree is below, and whether these meet."""

    objective: float
    lower_bound: float
    optimal: bool
    n_solved: int


@dataclass(frozen=True)
class OptimalRecipe(ProgramRecipe):
    """Every choice of the search for the best tree, those of classes in class order."""

    merit_name: ClassVar[str] = "decrease of the mean risk"

    criterion: str
    max_depth: int | None = 3
    max_leaves: int | None = None
    alpha: float = 0.0
    time_limit: float | None = None
    work_limit: int | None = None
    memory_limit: int | None = None
    keep: bool = False
    class_weight: str | tuple[float, ...] | None = None
    priors: tuple[float, ...] | None = None
    costs: tuple[tuple[float, ...], ...] | None = None

    def grow(self, dataset: Dataset, *, n_jobs: int | None = None, progress: Progress | None = None) -> Tree:
        """Find the best tree."""
        return self.solve(dataset, n_jobs)[0]

    def solve(
        self, dataset: Dataset, n_jobs: int | None = None, watch: Watch | None = None
    ) -> tuple[Tree, Proof]:
        """Find the best tree, and tell what is proven of it.

        Parameters
        ----------
        dataset : Dataset
            The rows to learn from.
        n_jobs : int or None
            Threads, see `treewright.growing.grow_tree.threads`.
        watch : callable or None
            Told the best objective and the lower bound now and then.
        """
        options = self._options(dataset, n_jobs, watch)
        found = _core.grow_optimal(*core_table(dataset), dataset.weight, options)
        proof = Proof(*(found.pop(name) for name in ("objective", "lower_bound", "optimal", "n_solved")))
        return Tree.from_arrays(dataset.schema, found, options["costs"]), proof

    def root_choices(self, dataset: Dataset, n_jobs: int | None = None) -> Array:
        """Give the best objective for each feature at the root."""
        options = self._options(dataset, n_jobs, None)
        return _core.optimal_root_choices(*core_table(dataset), dataset.weight, options)

    def frontier(self, dataset: Dataset, n_jobs: int | None = None) -> Array:
        """Give the best objective for up to 1, 2, … leaves."""
        options = self._options(dataset, n_jobs, None)
        return _core.optimal_frontier(*core_table(dataset), dataset.weight, options)

    def class_factor(self, dataset: Dataset) -> Array | None:
        """Give the factor that class weights or priors put on the weight of each class."""
        if dataset.schema.classes is None:
            return None
        return class_factor(dataset, Recipe("error", class_weight=self.class_weight, priors=self.priors))

    def without_limits(self) -> OptimalRecipe:
        """Give the recipe that splits whatever can be split."""
        return replace(self, max_depth=1, max_leaves=None, alpha=0.0)

    @property
    def limits(self) -> dict[str, Any]:
        """What may have kept a node from being split."""
        return {"max_depth": self.max_depth, "alpha": self.alpha}

    def _options(self, dataset: Dataset, n_jobs: int | None, watch: Watch | None) -> dict[str, Any]:
        """Write the choices as the core reads them; −1 is no limit."""
        depth = (self.max_leaves or 1) - 1 if self.max_depth is None else self.max_depth
        return {
            "max_depth": min(int(depth), 2**30),
            "max_leaf_nodes": min(int(self.max_leaves or 0), 2**31),
            "alpha": float(self.alpha),
            "time_limit": -1.0 if self.time_limit is None else float(self.time_limit),
            "work_limit": -1 if self.work_limit is None else min(int(self.work_limit), 2**62),
            "memory_limit": -1 if self.memory_limit is None else min(int(self.memory_limit), 2**62),
            "keep": self.keep,
            "class_factor": self.class_factor(dataset),
            "costs": None if self.costs is None else np.array(self.costs),
            "threads": threads(n_jobs),
            "progress": watch,
        }


class Frontier(dict[int, float]):
    """The best objective for up to so many leaves, by the number of leaves; NaN where none was proven."""

    def plot(self, *others: Tree, labels: tuple[str, ...] = (), ax: Axes | None = None) -> Axes:
        """Draw the objective against the number of leaves, with other trees of the same rows beside it.

        Parameters
        ----------
        *others : Tree
            Trees of the same training rows, such as a greedy one and its prunings; their mean risk is drawn.
        labels : tuple of str
            What they are called.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.
        """
        ax = axes_for(ax, "Best tree of each size", "leaves", "objective on the training rows")
        ax.plot(list(self), list(self.values()), "o-", label="optimal")
        for number_, tree in enumerate(others):
            risk = float(tree.risk[tree.leaves].sum() / tree.weight[0])
            label = labels[number_] if number_ < len(labels) else f"tree {number_ + 1}"
            ax.plot([tree.n_leaves], [risk], "s", label=label)
        ax.legend()
        return ax


@estimator
class OptimalEstimator(Learner):
    """What the two optimal trees share; see `OptimalTreeClassifier` for the parameters."""

    allowed: ClassVar[dict[str, Domain]] = OPTIMAL_DOMAINS

    max_depth: int | None = 3
    max_leaf_nodes: int | None = None
    alpha: float = 0.0
    time_limit: float | None = None
    work_limit: int | None = None
    memory_limit: int | None = None
    on_interrupt: str = "raise"

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the best tree.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            NumPy array, pandas, polars or Arrow table, list of rows or SciPy sparse matrix.
        y : array-like of shape (n_rows,)
            The target.
        sample_weight : array-like of shape (n_rows,) or None
            Weight of each row; rows of weight zero change nothing.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.
        """
        check_parameters(type(self).__name__, self.__dict__, self.allowed, InvalidParameterError)
        if self.max_depth is None and self.max_leaf_nodes is None:
            raise InvalidParameterError(
                f"The 'max_depth' parameter of {type(self).__name__} may be None only if 'max_leaf_nodes' "
                "bounds the tree. Got None for both."
            )
        dataset = self._dataset(X, y, sample_weight)
        recipe = self._recipe(dataset.schema)
        tree, proof = recipe.solve(dataset, self.n_jobs, _progress_line(self.verbose))
        self._adopt(tree)
        self._forget_pruning()
        self._adopt_proof(proof)
        self._question = dataset, recipe
        return self

    def _recipe(self, schema: Schema) -> OptimalRecipe:
        return OptimalRecipe(
            criterion="error" if self.task == "classification" else "squared_error",
            max_depth=self.max_depth,
            max_leaves=self.max_leaf_nodes,
            alpha=self.alpha,
            time_limit=self.time_limit,
            work_limit=self.work_limit,
            memory_limit=self.memory_limit,
            keep=self.on_interrupt == "keep",
        )

    def _adopt(self, tree: Tree) -> None:
        super()._adopt(tree)
        for name in (*_PROVEN, *_ANSWERS, "_question"):  # of the tree there was before
            self.__dict__.pop(name, None)

    def _adopt_proof(self, proof: Proof) -> None:
        self.objective_ = float(proof.objective)
        self.lower_bound_ = float(proof.lower_bound)
        self.gap_ = self.objective_ - self.lower_bound_
        self.optimal_ = bool(proof.optimal)
        self.n_solved_ = int(proof.n_solved)

    @property
    def root_choices_(self) -> dict[str, float]:
        """The best objective for each feature at the root, by its name; infinite if it cannot part the rows.

        Worked out when it is first asked for, within the limits of `fit`; NaN where they did not suffice.
        """
        if "_root_choices" not in self.__dict__:
            dataset, recipe = self._asked("root_choices_")
            best = recipe.root_choices(dataset, self.n_jobs)
            self._root_choices = dict(zip(dataset.schema.names, best.tolist(), strict=True))
        return self._root_choices

    @property
    def frontier_(self) -> Frontier:
        """The best objective for up to 1, 2, … leaves, by the number of leaves.

        Worked out when it is first asked for, within the limits of `fit`; NaN where they did not suffice.
        """
        if "_frontier" not in self.__dict__:
            dataset, recipe = self._asked("frontier_")
            self._frontier = Frontier(enumerate(recipe.frontier(dataset, self.n_jobs).tolist(), 1))
        return self._frontier

    def _asked(self, attribute: str) -> tuple[Dataset, OptimalRecipe]:
        """Give the rows and the recipe of `fit`, for what is worked out later."""
        self._fitted_tree()
        try:
            return self._question
        except AttributeError:
            raise AttributeError(
                f"{attribute} is worked out from the training rows, which are not kept in files and pickles "
                "nor after pruning: fit the model again, or ask for it before."
            ) from None

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state.pop("_question", None)
        return state

    def _own_arrays(self) -> dict[str, Array]:
        if not hasattr(self, "objective_"):
            return {}
        own = {"proof": np.array([float(getattr(self, name)) for name in _PROVEN])}
        if "_root_choices" in self.__dict__:
            own["root_choices"] = np.array(list(self._root_choices.values()))
        if "_frontier" in self.__dict__:
            own["frontier"] = np.array(list(self._frontier.values()))
        return own

    def _adopt_own(self, arrays: dict[str, NDArray[Any]]) -> None:
        if not arrays:
            return
        proof = np.asarray(arrays.pop("proof", ()), float)
        if proof.shape != (len(_PROVEN),):
            raise ValueError("it has no sound proof of its tree")
        objective, lower_bound, _, optimal, n_solved = proof.tolist()
        self._adopt_proof(Proof(objective, lower_bound, bool(optimal), int(n_solved)))
        names = self.tree_.schema.names
        choices = arrays.pop("root_choices", None)
        if choices is not None:
            if np.shape(choices) != (len(names),):
                raise ValueError("its root choices are not one for each feature")
            self._root_choices = dict(zip(names, choices.tolist(), strict=True))
        frontier = arrays.pop("frontier", None)
        if frontier is not None:
            self._frontier = Frontier(enumerate(np.ravel(frontier).tolist(), 1))
        super()._adopt_own(arrays)


_PROVEN = ("objective_", "lower_bound_", "gap_", "optimal_", "n_solved_")
_ANSWERS = ("_root_choices", "_frontier")


@estimator
class OptimalTreeClassifier(ClassReader, OptimalEstimator):
    """The classification tree of least training error, or cost, among all trees of a depth and a size.

    A greedy learner takes the split that looks best by itself; this one looks at all trees, and proves that
    none is better. The objective is the mean cost of the training rows, plus `alpha` for each leaf. Of equally
    good trees it takes one of the fewest leaves, then at each node, from the root down, the first feature and
    the lowest cut. Numbers and ordered categories are cut at any value; of a category one value is told from
    all others, and, where both branches are leaves, any set of values from the rest; missing values go to
    either side, or apart from all others.

    Parameters
    ----------
    max_depth : int or None
        Most levels of splits. Each level multiplies the work; None needs `max_leaf_nodes`.
    max_leaf_nodes : int or None
        Most leaves; None: as many as the depth allows.
    alpha : float
        The price of a leaf, in mean cost: 0.01 asks of every split to lower the training error by 1 %.
    time_limit : float or None
        Seconds after which the best tree so far is given, with what is proven of it.
    work_limit : int or None
        The same after so many subproblems (`n_solved_`): the tree is the same on every machine. One thread.
    memory_limit : int or None
        Bytes that the search may use for what it remembers; with less it takes longer.
    on_interrupt : {"raise", "keep"}
        On Ctrl-C, raise KeyboardInterrupt, or give the best tree so far.
    class_weight : dict, "balanced" or None
        Factor on the weight of each class.
    priors : dict or array-like or None
        The classes' shares to learn for, instead of those of the data.
    costs : array-like of shape (n_classes, n_classes) or None
        Cost of predicting a class (column) where another is true (row).
    laplace : float or bool
        What `predict_proba` adds to the weight of every class of a leaf; `True` is 1.
    unseen, inf, categorical_features, ordinal_features, predicates
        As for `DecisionTreeClassifier`.
    trace : bool
        Must be False.
    n_jobs : int or None
        Threads; `None` and −1 use all cores. The tree is the same for every number.
    verbose : int or bool
        Show the best objective, the lower bound and the gap in the terminal.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    objective_ : float
        Mean cost of the training rows, plus `alpha` for each leaf.
    lower_bound_ : float
        No tree of this depth and size has a smaller objective.
    gap_ : float
        `objective_` less `lower_bound_`.
    optimal_ : bool
        Whether it is proven that no tree is better.
    n_solved_ : int
        How many subproblems were solved.
    root_choices_ : dict of str to float
        The best objective for each feature at the root.
    frontier_ : dict of int to float
        The best objective for up to so many leaves; `frontier_.plot()` draws it.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    Examples
    --------
    Exclusive or: no first split helps by itself, and a greedy tree may never see the second.

    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, ["no", "yes", "yes", "no"])
    >>> model.objective_, model.optimal_
    (0.0, True)
    >>> model.frontier_
    {1: 0.5, 2: 0.5, 3: 0.25, 4: 0.0}
    """

    task: ClassVar[Task] = "classification"
    allowed: ClassVar[dict[str, Domain]] = OPTIMAL_DOMAINS | {
        name: CLASSIFIER_DOMAINS[name] for name in ("class_weight", "laplace")
    }

    class_weight: Mapping[Any, float] | str | None = None
    priors: Mapping[Any, float] | ArrayLike | None = None
    costs: ArrayLike | None = None
    laplace: float | bool = 0

    def _recipe(self, schema: Schema) -> OptimalRecipe:
        classes = schema.classes.tolist() if schema.classes is not None else []
        return replace(
            super()._recipe(schema),
            class_weight=class_factors(self.class_weight, classes),
            priors=class_priors(self.priors, classes),
            costs=cost_rows(self.costs, len(classes)),
        )


@estimator
class OptimalTreeRegressor(NumberReader, OptimalEstimator):
    """The regression tree of least squared error among all trees of a depth and a size.

    The objective is the mean squared error of the training rows, plus `alpha` for each leaf.

    Parameters
    ----------
    **parameters
        Those of `OptimalTreeClassifier`, except for what concerns classes.

    Attributes
    ----------
    tree_, objective_, lower_bound_, gap_, optimal_, n_solved_, root_choices_, frontier_
        As for `OptimalTreeClassifier`.

    Examples
    --------
    >>> model = OptimalTreeRegressor(max_depth=2).fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 7.0])
    >>> model.predict([[0], [3], [10]]).tolist(), model.get_n_leaves()
    ([1.0, 5.0, 7.0], 3)
    """

    task: ClassVar[Task] = "regression"


def _progress_line(verbose: int | bool) -> Watch | None:
    """Make a line on standard error that tells how far the proof is, or None where nobody would see it."""
    if not verbose or not sys.stderr.isatty():
        return None
    start = monotonic()

    def show(best: float, lower: float) -> None:
        words = f"best {best:.6g}, lower bound {lower:.6g}, gap {best - lower:.3g}, {monotonic() - start:.1f} s"
        sys.stderr.write(f"\r{words:<78}")
        sys.stderr.flush()

    return show
