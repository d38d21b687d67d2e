"""Optimal trees: the best of all trees of a depth and a number of leaves, with a proof."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright.data import Dataset, Schema
from treewright.data.columns import Unseen
from treewright.data.dataset import Task
from treewright.data.schema import Infinities
from treewright.errors import warn
from treewright.estimators.base import InvalidParameterError, estimator, public_estimator
from treewright.estimators.base_tree import NO_DATA, TreeEstimator, predict_log_proba, predict_proba
from treewright.estimators.optimal_recipe import OptimalRecipe, Proof, Watch
from treewright.formatting.axes import axes_for
from treewright.growing.parameters import recipe_choices
from treewright.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


class Frontier(dict[int, float]):
    """The best objective for up to so many leaves, by the number of leaves; NaN where none was proven."""

    def plot(self, *others: Tree, labels: tuple[str, ...] = (), ax: Axes | None = None) -> Axes:
        """Draw the objective against the number of leaves, with other trees of the same rows beside it.

        Parameters
        ----------
        *others : Tree
            Trees of the same training rows, such as a greedy one and its prunings; their mean loss is drawn.
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
class OptimalEstimator(TreeEstimator):
    """What the two optimal trees share; see `OptimalTreeClassifier` for the parameters."""

    # parameters: written by tools/generate_parameters.py
    max_depth: int | None = 3
    max_leaf_nodes: int | None = None
    alpha: float = 0.0
    time_limit: float | None = None
    work_limit: int | None = None
    memory_limit: int | None = None
    on_interrupt: str = "raise"
    unseen: Unseen = "missing"
    inf: Infinities = "error"
    predicates: Any = None
    # end of parameters

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        """Find the best tree."""
        if self.max_depth is None and self.max_leaf_nodes is None:
            raise InvalidParameterError(
                f"The 'max_depth' parameter of {type(self).__name__} may be None only if 'max_leaf_nodes' "
                "bounds the tree. Got None for both."
            )
        begin = monotonic()
        dataset = self._dataset(X, y, sample_weight)
        recipe = self._recipe(dataset.schema)
        tree, proof = recipe.solve(dataset, self.n_jobs, _progress_line(self.verbose), begin)
        self._set_tree(tree)
        self._forget_pruning()
        self._set_proof(proof)
        self._question = dataset, recipe
        if proof.memory_limited and not proof.optimal:
            warn(
                f"memory_limit={self.memory_limit} ended the search: no tree is proven better than "
                f"{proof.lower_bound:.6g}, and this one has {proof.objective:.6g}."
            )

    def _recipe(self, schema: Schema) -> OptimalRecipe:
        choices = recipe_choices(self._declared_as.__name__, self.__dict__, schema, "OptimalRecipe")
        return OptimalRecipe("error" if self._task == "classification" else "squared_error", **choices)

    def _set_tree(self, tree: Tree) -> None:
        super()._set_tree(tree)
        for name in (*_PROVEN, *_ANSWERS, "_question"):  # of the tree there was before
            self.__dict__.pop(name, None)

    def _set_proof(self, proof: Proof) -> None:
        self.objective_ = float(proof.objective)
        self.lower_bound_ = float(proof.lower_bound)
        self.gap_ = self.objective_ - self.lower_bound_
        self.optimal_ = bool(proof.optimal)
        self.n_solved_ = int(proof.n_solved)
        self.memory_limited_ = bool(proof.memory_limited)

    @property
    def root_choices_(self) -> dict[str, float]:
        """The best objective for each feature at the root, by its name; infinite if it cannot part the rows.

        Worked out when it is first asked for, within the limits of `fit`; NaN where they did not suffice.

        Examples
        --------
        >>> from treewright import OptimalTreeClassifier, datasets
        >>> model = OptimalTreeClassifier(max_depth=2).fit(*datasets.load_iris())
        >>> {feature: round(objective, 3) for feature, objective in model.root_choices_.items()}
        {'sepal length': 0.06, 'sepal width': 0.14, 'petal length': 0.04, 'petal width': 0.04}
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

        Examples
        --------
        >>> from treewright import OptimalTreeClassifier, datasets
        >>> model = OptimalTreeClassifier(max_depth=2).fit(*datasets.load_iris())
        >>> {leaves: round(objective, 3) for leaves, objective in model.frontier_.items()}
        {1: 0.667, 2: 0.333, 3: 0.04, 4: 0.04}
        """
        if "_frontier" not in self.__dict__:
            dataset, recipe = self._asked("frontier_")
            self._frontier = Frontier(enumerate(recipe.frontier(dataset, self.n_jobs).tolist(), 1))
        return self._frontier

    def _is_there(self, name: str) -> bool:
        # Notebooks and editors ask for whatever is listed: a look at the model starts no search.
        if name in ("root_choices_", "frontier_"):
            return f"_{name.removesuffix('_')}" in self.__dict__
        return super()._is_there(name)

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
        state = super().__getstate__()
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

    def _set_own_arrays(self, arrays: dict[str, NDArray[Any]]) -> None:
        if not arrays:
            return
        proof = np.asarray(arrays.pop("proof", ()), float)
        if proof.shape != (len(_PROVEN),) or not np.isfinite(proof).all():
            raise ValueError("it has no sound proof of its tree")
        objective, lower_bound, _, optimal, n_solved, limited = proof.tolist()
        self._set_proof(Proof(objective, lower_bound, bool(optimal), int(n_solved), bool(limited)))
        names = self.tree_.schema.names
        choices = arrays.pop("root_choices", None)
        if choices is not None:
            if np.shape(choices) != (len(names),):
                raise ValueError("its root choices are not one for each feature")
            self._root_choices = dict(zip(names, choices.tolist(), strict=True))
        frontier = arrays.pop("frontier", None)
        if frontier is not None:
            self._frontier = Frontier(enumerate(np.ravel(frontier).tolist(), 1))
        super()._set_own_arrays(arrays)


_PROVEN = ("objective_", "lower_bound_", "gap_", "optimal_", "n_solved_", "memory_limited_")
_ANSWERS = ("_root_choices", "_frontier")


@public_estimator
class OptimalTreeClassifier(ClassifierMixin, OptimalEstimator):
    """The classification tree of least training error, or cost, among all trees of a depth and a size.

    A greedy learner takes the split that looks best by itself; this one looks at all trees, and proves that
    none is better. The objective is the mean cost of the training rows, plus `alpha` for each leaf. Among
    equals it takes one of the fewest leaves, then at each node, from the root down, the first feature and
    the lowest cut. Numbers and ordered categories are cut at any value; of a category one value is told from
    all others, and, where both branches are leaves, any set of values from the rest; missing values go to
    either side, or apart from all others.

    Parameters
    ----------
    max_depth : int or None
        Most levels of splits. Each multiplies the work; None needs `max_leaf_nodes`.
    max_leaf_nodes : int or None
        Most leaves; None is as many as the depth allows.
    alpha : float
        The price of a leaf, in mean cost: 0.01 asks of every split to lower the training error by 1 %.
    time_limit : float or None
        Seconds after which the best tree so far is given, with what is proven of it.
    work_limit : int or None
        Subproblems (`n_solved_`) after which the best tree so far is given, the same on every machine. The
        search then runs in one thread.
    memory_limit : int or None
        Bytes that the search may use for what it remembers. With too few it takes longer, or ends with the
        best tree so far; `memory_limited_` says so.
    on_interrupt : {"raise", "keep"}
        On Ctrl-C, raise KeyboardInterrupt, or give the best tree so far.
    verbose : int or bool
        Show the best objective, the lower bound and the gap in the terminal.
    **parameters
        `class_weight`, `priors`, `costs`, `laplace`, `unseen`, `inf`, `categorical_features`,
        `ordinal_features`, `predicates` and `n_jobs` are those of `DecisionTreeClassifier`.

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
    memory_limited_ : bool
        Whether `memory_limit` made the search slower or ended it.
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

    _task: ClassVar[Task] = "classification"

    # parameters: written by tools/generate_parameters.py
    class_weight: Mapping[Any, float] | list[Mapping[Any, float]] | str | None = None
    priors: Mapping[Any, float] | ArrayLike | None = None
    costs: ArrayLike | None = None
    laplace: float | bool = 0
    # end of parameters

    __metadata_request__predict_proba: ClassVar = NO_DATA
    predict_proba = predict_proba
    predict_log_proba = predict_log_proba


@public_estimator
class OptimalTreeRegressor(RegressorMixin, OptimalEstimator):
    """The regression tree of least squared error among all trees of a depth and a size.

    The objective is the mean squared error of the training rows, plus `alpha` for each leaf.

    Parameters
    ----------
    **parameters
        They are those of `OptimalTreeClassifier`, without `class_weight`, `priors`, `costs` and `laplace`.

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

    _task: ClassVar[Task] = "regression"

    # parameters: written by tools/generate_parameters.py
    # end of parameters


def _progress_line(verbose: int | bool) -> Watch | None:
    """Make a line on standard error that tells how far the proof is, or None where nobody would see it."""
    if not verbose or not sys.stderr.isatty():
        return None
    start = monotonic()

    def show(best: float, lower: float) -> None:
        passed = monotonic() - start
        words = f"best {best:.6g}, lower bound {lower:.6g}, gap {best - lower:.3g}, {passed:.1f} s"
        sys.stderr.write(f"\r{words:<78}")
        sys.stderr.flush()

    return show
