"""`compare_pruners`: pruning methods side by side, cross-validated on the same trees."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.data import Dataset
from treewright.data.folds import each_fold, fold_numbers, holdout_split
from treewright.formatting.axes import axes_for, legend, name_sizes
from treewright.formatting.colours import CLASS_COLOURS, class_colour
from treewright.formatting.html_table import html_table
from treewright.formatting.text_table import aligned
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import AnyRecipe, ProgramRecipe
from treewright.model_selection.validated_pruning import AnyPruner, apply_class_weights, needs, prune_tree
from treewright.pruning import PRUNERS, Pruner, pruner_of
from treewright.pruning.nested import LossSums, nested_losses
from treewright.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.tree.model import TreeModel


UNPRUNED = "unpruned"
MARKS = ("o", "D", "^")
"""What stands for a method: another for each round of the colours."""
FOR_NUMBERS = ("reduced_error", "cost_complexity", "minimal_size")
"""The methods without settings that prune trees which predict numbers."""
HEAD = ["pruner", "leaves", "depth", "train error", "validation error", "seconds"]


@dataclass(frozen=True)
class ComparedPruner:
    """What one pruning method came to, on the mean of all folds.

    Attributes
    ----------
    name : str
        The method.
    leaves, depth : float
        Size of the pruned trees.
    train_error, validation_error : float
        Mean loss on the rows grown on, and on those left out: share of errors, cost, or squared error.
    se : float
        Standard error of the validation error.
    seconds : float
        Time to prune a tree; growing it is not counted, growing others to cross-validate is.
    """

    name: str
    leaves: float
    depth: float
    train_error: float
    validation_error: float
    se: float
    seconds: float


@dataclass(frozen=True)
class Comparison:
    """Pruning methods side by side: a sequence of `ComparedPruner` that prints as a table."""

    methods: tuple[ComparedPruner, ...]

    def __len__(self) -> int:
        return len(self.methods)

    def __iter__(self) -> Iterator[ComparedPruner]:
        return iter(self.methods)

    def __getitem__(self, name: str) -> ComparedPruner:
        """Give the line of one method, by its name."""
        return next(method for method in self.methods if method.name == name)

    def __str__(self) -> str:
        return "\n".join(aligned(HEAD, self._lines(), right=(1, 2, 3, 4, 5)))

    def _repr_html_(self) -> str:
        return html_table("pruning methods side by side", HEAD, self._lines(), (1, 2, 3, 4, 5))

    def _lines(self) -> list[list[str]]:
        return [
            [
                method.name,
                f"{method.leaves:.1f}",
                f"{method.depth:.1f}",
                f"{method.train_error:.4f}",
                f"{method.validation_error:.4f} ± {method.se:.4f}",
                f"{method.seconds:.4f}",
            ]
            for method in self.methods
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw validation error against the number of leaves, with standard errors.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.
        """
        ax = axes_for(ax, "Pruning methods: error against size", "leaves", "validation error")
        for code, method in enumerate(self.methods):
            ax.errorbar(
                method.leaves,
                method.validation_error,
                method.se,
                color=class_colour(code),
                marker=MARKS[code // len(CLASS_COLOURS) % len(MARKS)],
                capsize=3,
                label=method.name,
            )
        ax.set_xscale("log")
        name_sizes(ax.xaxis)
        legend(ax)
        return ax


def compare_pruners(
    model: TreeModel,
    X: Any,
    y: Any,
    cv: int | ArrayLike = 5,
    *,
    pruners: Sequence[AnyPruner | str] | Mapping[str, AnyPruner | str] | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
) -> Comparison:
    """Cross-validate pruning methods on the same trees.

    In every fold one tree is grown on all its training rows, and one on those that are left when a share of
    them (the model's `holdout`) is held out; each method prunes the one that it can.

    Parameters
    ----------
    model : estimator
        Says how to grow; it need not be fitted, and stays as it is. Its own pruning is not done.
    X, y, sample_weight
        As for its `fit`.
    cv : int or array-like of fold numbers
        Folds, stratified by class.
    pruners : list of Pruner, callable or str, or dict of them by name; None takes all that suit the target
    random_state : int
        Seed of folds and of what is held out.

    Returns
    -------
    Comparison
        A table to print, to go through and to `plot()`.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> table = compare_pruners(DecisionTreeClassifier(), X, y, pruners=["pessimistic", "reduced_error"])
    >>> [method.name for method in table]
    ['unpruned', 'pessimistic', 'reduced_error']
    >>> table["pessimistic"].leaves < table["unpruned"].leaves
    True
    """
    dataset = model._dataset(X, y, sample_weight)
    recipe: AnyRecipe = model._recipe(dataset.schema)
    if isinstance(recipe, ProgramRecipe):
        recipe = recipe.unpruned()
    methods = _named(pruners, regression=dataset.schema.classes is None)
    folds = fold_numbers(dataset, cv, random_state) if isinstance(cv, int) else np.asarray(cv)
    outcomes: dict[str, list[_Outcome]] = {name: [] for name in methods}
    for growing, validation in each_fold(dataset, folds):
        trees = _FoldTrees(growing, recipe, model, random_state)
        judged = apply_class_weights(validation, recipe, growing)
        for name, pruner in methods.items():
            outcomes[name].append(trees.outcome(pruner, judged))
    return Comparison(tuple(_line(name, of_folds) for name, of_folds in outcomes.items()))


@dataclass(frozen=True)
class _Outcome:
    """One method in one fold."""

    tree: Tree
    train: LossSums
    validation: LossSums
    seconds: float


class _FoldTrees:
    """The trees of one fold: grown on all its rows, and on what is left when some are held out."""

    def __init__(self, growing: Dataset, recipe: AnyRecipe, model: TreeModel, seed: int) -> None:
        self._recipe, self._n_jobs = recipe, model.n_jobs
        self._all = growing
        self._part, self._aside = holdout_split(growing, getattr(model, "holdout", 1 / 3), seed)
        self._trees: dict[bool, Tree] = {}

    def outcome(self, pruner: AnyPruner | None, validation: Dataset) -> _Outcome:
        """Prune, and judge the result."""
        held_out = pruner is not None and needs(pruner) == "holdout"
        grown_on = self._part if held_out else self._all
        if held_out not in self._trees:
            self._trees[held_out] = grow(grown_on, self._recipe, n_jobs=self._n_jobs)
        tree, begin = self._trees[held_out], time.perf_counter()
        if pruner is not None:
            rows = self._aside if held_out else self._all
            tree = prune_tree(tree, pruner, rows, self._recipe, grown_on=grown_on, n_jobs=self._n_jobs).tree
        seconds = time.perf_counter() - begin
        train = apply_class_weights(grown_on, self._recipe, grown_on)
        return _Outcome(tree, _losses(tree, train), _losses(tree, validation), seconds)


def _losses(tree: Tree, rows: Dataset) -> LossSums:
    return nested_losses(tree, rows, np.full(len(tree), np.inf), np.zeros(1))


def _line(name: str, folds: list[_Outcome]) -> ComparedPruner:
    train = sum((fold.train for fold in folds), LossSums.nothing(1))
    validation = sum((fold.validation for fold in folds), LossSums.nothing(1))
    return ComparedPruner(
        name,
        float(np.mean([fold.tree.n_leaves for fold in folds])),
        float(np.mean([fold.tree.depth for fold in folds])),
        float(train.mean[0]),
        float(validation.mean[0]),
        float(validation.se[0]),
        float(np.mean([fold.seconds for fold in folds])),
    )


def _named(pruners: Any, regression: bool) -> dict[str, AnyPruner | None]:
    """Put the methods under names that differ, the unpruned tree first."""
    if pruners is None:
        pruners = FOR_NUMBERS if regression else [name for name in PRUNERS if name != "simplify"]
    named = pruners if isinstance(pruners, Mapping) else {}
    methods: dict[str, AnyPruner | None] = {UNPRUNED: None}
    for pruner in [] if named else pruners:
        method = pruner_of(pruner)
        name = pruner if isinstance(pruner, str) else _name_of(method)
        methods[name if name not in methods else f"{name} ({len(methods)})"] = method
    return methods | {name: pruner_of(pruner) for name, pruner in named.items()}


def _name_of(pruner: AnyPruner) -> str:
    return str(pruner) if isinstance(pruner, Pruner) else getattr(pruner, "__name__", str(pruner))
