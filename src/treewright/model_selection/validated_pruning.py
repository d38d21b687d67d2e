"""`prune`: pruning by training rows, a holdout set or cross-validation; grow and prune in one."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.data import Dataset, Schema
from treewright.data.dataset import labelled_rows
from treewright.data.folds import each_fold, fold_numbers, holdout_split
from treewright.errors import DataError
from treewright.growing.grow_tree import Progress, class_factor, grow
from treewright.growing.recipe import AnyRecipe, Recipe
from treewright.pruning import CostComplexity, EarlyStopping, Pruned, Pruner, Simplify, pruner_of
from treewright.pruning.cost_complexity import Links, alphas_of, between, leaf_alphas, weakest_links
from treewright.pruning.early_stopping import best_first_order, losses_by_splits, resized
from treewright.pruning.losses import Risk
from treewright.pruning.nested import LossSums, nested_losses
from treewright.pruning.path import PruningPath
from treewright.tree import Tree
from treewright.tree.monotone import collapse_to_order

if TYPE_CHECKING:
    from treewright.tree.model import TreeModel

Model = TypeVar("Model", bound="TreeModel | Tree")
AnyPruner = Callable[..., Any]


def prune(
    model: Model,
    pruner: AnyPruner | str,
    X: Any = None,
    y: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Model:
    """Prune a fitted model or a tree; what is given stays as it is.

    Parameters
    ----------
    model : estimator or Tree
        A fitted model of one tree, or the tree itself.
    pruner : Pruner, callable or str
        How to prune: an instance such as `treewright.pruning.ReducedError()`, a function from tree to tree,
        or a name of `treewright.pruning.PRUNERS`.
    X, y, sample_weight
        The rows that the pruner needs: for some none, for some the training rows, for some rows held
        out from training. Held-out rows of a class that the model has never seen are left out: no
        pruning gets them right. For a tree, X may be a `Dataset` that has its target.

    Returns
    -------
    estimator or Tree
        A fitted model like the one given, with the pruned tree as `tree_`, the pruner as `pruner_`, what it
        did as `report_` and, if it chose from a sequence of trees, that sequence as `path_`. Of a tree, the
        pruned tree.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, pruning
    >>> X, y = datasets.load_iris()
    >>> model = DecisionTreeClassifier().fit(X, y)
    >>> pruned = prune(model, pruning.Pessimistic())
    >>> model.get_n_leaves(), pruned.get_n_leaves(), pruned.pruner_
    (9, 4, Pessimistic(correction=0.5, se=1.0, count='all'))
    """
    method, rows = pruner_of(pruner), None
    if isinstance(model, Tree):
        if isinstance(X, Dataset):
            rows = X
        elif X is not None:
            numbers, codes = model.schema.encode(X)
            rows, kept = labelled_rows(model.schema, numbers, codes, y, sample_weight, name="the tree")
            method = _with_folds_of(method, kept)
        return prune_tree(model, method, rows, None).tree  # type: ignore[return-value]
    tree = model._fitted_tree()
    if X is not None:
        rows, kept = _encoded(model, tree, X, y, sample_weight)
        method = _with_folds_of(method, kept)
    pruned = prune_tree(tree, method, rows, model._recipe(tree.schema), n_jobs=model.n_jobs)
    smaller = copy.copy(model)
    smaller._set_tree(pruned.tree)
    card = getattr(model, "card_", None)
    if card is not None:  # its evaluation is not of this tree
        vars(smaller)["card_"] = replace(card, evaluation=None)
    smaller._remember(method, pruned)
    return smaller


def simplify(model: Model, by: str = "class") -> Model:
    """Merge the branches of a fitted model that say the same; no prediction changes.

    Parameters
    ----------
    model : estimator or Tree
        A fitted model of one tree, or the tree itself; it stays as it is.
    by : {"class", "proba"}
        What must be the same, see `treewright.pruning.Simplify`.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> model = DecisionTreeClassifier(max_depth=3).fit(*datasets.load_iris())
    >>> model.get_n_leaves(), simplify(model).get_n_leaves()
    (5, 4)
    """
    return prune(model, Simplify(by))  # type: ignore[arg-type]  # the pruner checks the name


def grow_and_prune(
    dataset: Dataset,
    recipe: AnyRecipe,
    pruners: Sequence[AnyPruner],
    *,
    holdout: float = 1 / 3,
    held_out: Dataset | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Pruned:
    """Grow a tree and prune it by one method after the other.

    This is the whole of `fit`: what needs held-out rows is given them, what needs folds grows their trees.

    Parameters
    ----------
    dataset : Dataset
        The rows to learn from. If a pruner needs held-out rows, a share of them is not grown on.
    recipe : Recipe
        How to grow.
    pruners : sequence of Pruner or callable
        How to prune.
    holdout : float
        The share of the rows to hold out if needed, stratified by class and drawn by the recipe's seed.
    held_out : Dataset or None
        Rows that were held out already; the dataset is without them.
    n_jobs, progress
        As for `grow`.
    """
    growing = dataset
    for pruner in pruners:
        _check_targets(dataset.schema, pruner)
    if held_out is None and any(needs(pruner) == "holdout" for pruner in pruners):
        growing, held_out = holdout_split(dataset, holdout, recipe.random_state)

    def prune_by(pruner: AnyPruner, tree: Tree, recipe: AnyRecipe = recipe) -> Pruned:
        rows = held_out if needs(pruner) == "holdout" else growing
        return prune_tree(tree, pruner, rows, recipe, grown_on=growing, n_jobs=n_jobs)

    first, *others = pruners
    for part in _further_and_further(recipe, first):
        tree = grow(growing, part, n_jobs=n_jobs, progress=progress)
        pruned = prune_by(first, tree, part)
        if part == recipe or tree.n_leaves < (part.max_leaf_nodes or 0) or _has_stopped(pruned):
            break
    for pruner in others:
        pruned = prune_by(pruner, pruned.tree)
    return replace(pruned, grown=(tree, growing))


def _further_and_further(recipe: AnyRecipe, pruner: AnyPruner) -> Iterator[AnyRecipe]:
    """Give recipes of larger and larger trees, up to the one asked for, where growing may be stopped early.

    A tree of so many leaves, grown best first, is the larger one as it stood at that size, and all smaller
    ones together cost a third of the last. Not so where a split into many branches may not fit, where what
    grows depends on the order, or where a program of its own grows it.
    """
    if isinstance(recipe, Recipe) and isinstance(pruner, EarlyStopping) and _stops_anywhere(recipe, pruner):
        n_leaves, most = 256, recipe.max_leaf_nodes or 1_000_000
        while n_leaves < most and recipe.max_nodes is None and recipe.risk_threshold is None:
            yield replace(recipe, order="best_first", max_leaf_nodes=n_leaves)
            n_leaves *= 4
    yield recipe


def _stops_anywhere(recipe: Recipe, pruner: EarlyStopping) -> bool:
    fixed = any(recipe.monotonic or ()) or {"multiway", "interval"} & set(recipe.splits)
    return pruner.patience is not None and not fixed


def _has_stopped(pruned: Pruned) -> bool:
    """Whether growing was stopped before the tree had its size."""
    report = pruned.report
    return report is not None and len(report.node) < int(np.count_nonzero(report.tree.n_children))


def prune_tree(
    tree: Tree,
    pruner: AnyPruner,
    rows: Dataset | None,
    recipe: AnyRecipe | None,
    *,
    grown_on: Dataset | None = None,
    n_jobs: int | None = None,
) -> Pruned:
    """Prune a tree by a method, on rows weighed as the recipe weighs classes.

    A method that asks for cross-validation grows the trees of its folds by the recipe.

    Parameters
    ----------
    tree : Tree
    pruner : Pruner or callable
    rows : Dataset or None
        The rows that the pruner needs.
    recipe : Recipe or None
        How the tree was grown, and others are for cross-validation; `None` if no recipe grew it.
    grown_on : Dataset or None
        The rows that the tree was grown on, if they are not those that the pruner needs.
    n_jobs : int or None
        Threads for growing.
    """
    _check_targets(tree.schema, pruner)
    if tree.schema.outputs:
        rows = None  # what prunes trees of several targets looks at no rows
    pruned = _pruned(tree, pruner, rows, recipe, grown_on=grown_on, n_jobs=n_jobs)
    return _in_order(pruned, recipe)


def _check_targets(schema: Schema, pruner: AnyPruner) -> None:
    """Refuse what prunes by one target where there are several."""
    if not schema.outputs or (not isinstance(pruner, Pruner) and needs(pruner) == "nothing"):
        return
    risk = pruner.risk if isinstance(pruner, CostComplexity) and pruner.alpha is not None else ""
    if risk not in (None, "impurity"):
        name = type(pruner).__name__ + (f"(risk={risk!r})" if risk else "")
        raise ValueError(
            f"{name} prunes by one target, and there are {len(schema.outputs)}: use ccp_alpha, or "
            "CostComplexity(alpha=..., risk='impurity')."
        )


def _pruned(
    tree: Tree,
    pruner: AnyPruner,
    rows: Dataset | None,
    recipe: AnyRecipe | None,
    *,
    grown_on: Dataset | None,
    n_jobs: int | None,
) -> Pruned:
    if isinstance(pruner, CostComplexity | EarlyStopping) and pruner.cv is not None:
        if tree.equations is not None:
            raise DataError(
                f"{type(pruner).__name__}(cv=...) grows trees of constant leaves: give alpha= or holdout=."
            )
        if recipe is None:
            instead = "alpha or holdout" if isinstance(pruner, CostComplexity) else "cv=None"
            raise DataError(
                f"{type(pruner).__name__}(cv=...) grows further trees, and nobody says how this one was "
                f"grown: give {instead} instead."
            )
        rows = pruner.require_rows(rows)
        if isinstance(pruner, EarlyStopping):
            return _stopped(tree, pruner, rows, recipe, n_jobs)
        return _cross_validated(tree, pruner, rows, recipe, n_jobs)
    weighed = rows if rows is None or recipe is None else apply_class_weights(rows, recipe, grown_on or rows)
    if isinstance(pruner, Pruner):
        return pruner.prune(tree, weighed)
    return Pruned(pruner(tree) if needs(pruner) == "nothing" else pruner(tree, weighed), None)


def _in_order(pruned: Pruned, recipe: AnyRecipe | None) -> Pruned:
    """Collapse what pruning has put out of order, where the tree is to be monotone."""
    if recipe is None or not any(recipe.monotonic or ()):
        return pruned
    return replace(pruned, tree=collapse_to_order(pruned.tree, recipe.monotonic or ()))


def needs(pruner: AnyPruner) -> str:
    """Say which rows a pruner needs; one that does not say needs none."""
    return getattr(pruner, "needs", "nothing")


def apply_class_weights(rows: Dataset, recipe: AnyRecipe, grown_on: Dataset) -> Dataset:
    """Give rows with the weights that a recipe's class weights or priors, found on other rows, give them."""
    factor = class_factor(grown_on, recipe)
    if factor is None or rows.target is None:
        return rows
    weight = factor[rows.target]
    return rows.weighted(weight if rows.weight is None else weight * rows.weight)


def _cross_validated(
    tree: Tree, pruner: CostComplexity, rows: Dataset, recipe: AnyRecipe, n_jobs: int | None
) -> Pruned:
    """Choose alpha by cross-validation: one tree for each fold, judged at all alphas in one pass."""
    links = weakest_links(tree, pruner.risk)
    grow_on = partial(grow, recipe=recipe, n_jobs=n_jobs)
    of_repeats = [
        _judged_by_folds(links, rows, folds, recipe, grow_on=grow_on, risk=pruner.risk)
        for folds in _folds(pruner, rows)
    ]
    mean = np.mean([sums.mean for sums in of_repeats], axis=0)
    se = np.mean([sums.se for sums in of_repeats], axis=0)
    return pruner.choose(links, mean, se)


def _judged_by_folds(
    links: Links,
    rows: Dataset,
    folds: NDArray[np.int64],
    recipe: AnyRecipe,
    *,
    grow_on: Callable[[Dataset], Tree],
    risk: Risk | None = None,
) -> LossSums:
    """Judge each pruning by those of the folds' trees at the same alpha, on rows that they were not shown."""
    steps = between(alphas_of(links.path()))
    sums = LossSums.nothing(len(steps))
    for growing, held_out in each_fold(rows, folds):
        fold_tree = grow_on(growing)
        leaf_from = leaf_alphas(fold_tree, risk)
        sums += nested_losses(
            fold_tree, apply_class_weights(held_out, recipe, growing), leaf_from, steps, risk
        )
    return sums


def cross_validated_path(model: TreeModel, tree: Tree, rows: Dataset, n_folds: int) -> PruningPath:
    """Cross-validate the cost-complexity path of a fitted tree: `held_out` and `se` of each of its prunings.

    The tree of each fold is fitted as the model was, by its own limits and pruner, and then pruned further;
    so the first entry is the cross-validated error of the model itself.

    Parameters
    ----------
    model : estimator
        Says how its tree was fitted.
    tree : Tree
        Its tree, or one like it.
    rows : Dataset
        The rows that it was grown on.
    n_folds : int
        How many folds.
    """
    links, folds = weakest_links(tree), fold_numbers(rows, n_folds, 0)
    sums = _judged_by_folds(links, rows, folds, model._recipe(tree.schema), grow_on=partial(refitted, model))
    return links.path().choose(sums.mean, 0.0, measure="held_out", se=sums.se)


def refitted(model: TreeModel, rows: Dataset) -> Tree:
    """Give the tree that the model's way of fitting, its pruner included, grows on other rows.

    Folds given row by row are of the rows of the fit: here their number counts.
    """
    other = copy.copy(model)
    for name, value in other.get_params(deep=False).items():
        if name in ("verbose", "trace"):
            setattr(other, name, False)
        elif name == "cv" and value is not None and not isinstance(value, int):
            setattr(other, name, len(value) if np.ndim(value[0]) else len(np.unique(value)))
        elif name == "pruner":
            setattr(other, name, _with_number_of_folds(value))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is odd about a fold is no news of the model
        other._fit(rows, None, None)
        pruner = _with_number_of_folds(getattr(model, "pruner_", None))
        if pruner is None or pruner == getattr(other, "pruner_", None):
            return other._fitted_tree()
        recipe = other._recipe(rows.schema)  # it was pruned after it was fitted
        if needs(pruner) == "holdout":
            return grow_and_prune(rows, recipe, [pruner], n_jobs=model.n_jobs).tree
        return prune_tree(other._fitted_tree(), pruner, rows, recipe, n_jobs=model.n_jobs).tree


def _with_number_of_folds(pruner: Any) -> Any:
    if isinstance(pruner, CostComplexity) and isinstance(pruner.cv, tuple):
        return replace(pruner, cv=len(set(pruner.cv)))
    return pruner


def _stopped(
    tree: Tree, pruner: EarlyStopping, rows: Dataset, recipe: AnyRecipe, n_jobs: int | None
) -> Pruned:
    """Choose the number of splits by cross-validation."""
    assert pruner.cv is not None
    n_trees = len(best_first_order(tree)) + 1
    sums = LossSums.nothing(n_trees)
    for growing, held_out in each_fold(rows, fold_numbers(rows, pruner.cv, pruner.random_state)):
        fold_tree = grow(growing, recipe, n_jobs=n_jobs)
        sums += resized(losses_by_splits(fold_tree, apply_class_weights(held_out, recipe, growing)), n_trees)
    return pruner.stop(tree, sums)


def _folds(pruner: CostComplexity, rows: Dataset) -> Iterator[NDArray[np.int64]]:
    if isinstance(pruner.cv, int):
        for repeat in range(pruner.repeats):
            yield fold_numbers(rows, pruner.cv, pruner.random_state + repeat)
        return
    folds = np.asarray(pruner.cv)
    if len(folds) != len(rows):
        raise DataError(
            f"cv has {len(folds)} fold numbers, but there are {len(rows)} rows to cross-validate with."
        )
    yield folds


def _with_folds_of(pruner: AnyPruner, kept: NDArray[np.bool_]) -> AnyPruner:
    """Leave out the fold numbers of rows that are left out."""
    if isinstance(pruner, CostComplexity) and isinstance(pruner.cv, tuple) and len(pruner.cv) == len(kept):
        return replace(pruner, cv=tuple(np.asarray(pruner.cv)[kept].tolist()))
    return pruner


def _encoded(
    model: TreeModel, tree: Tree, X: Any, y: Any, sample_weight: ArrayLike | None
) -> tuple[Dataset, NDArray[np.bool_]]:
    """Read rows as the model reads them, and say which were kept."""
    numbers, codes = model._encode(X, tree)
    return labelled_rows(tree.schema, numbers, codes, y, sample_weight, name=type(model).__name__)
