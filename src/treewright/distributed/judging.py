"""How good trees are on rows of a table in partitions that they were not grown on."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.data.fingerprint import encoded_hashes, fingerprint
from treewright.data.schema import Schema
from treewright.distributed.coding import Partition
from treewright.distributed.open_rows import OpenRows
from treewright.distributed.parts import Part, Parts
from treewright.distributed.table import OpenTable, column_name
from treewright.evaluation import CrossValidation, EvaluationSums
from treewright.growing.grow_tree import class_factor
from treewright.growing.recipe import AnyRecipe
from treewright.model_selection.smoothed_pruning import Array, Judge, collapse_alphas
from treewright.pruning import CostComplexity, Pruned
from treewright.pruning.cost_complexity import alphas_of, between, weakest_links
from treewright.pruning.losses import Loss, Risk
from treewright.pruning.nested import LossSums, losses_of_each
from treewright.tree import Tree
from treewright.tree.shrinkage import shrunk_by_each


def dataset_of(partition: Partition, schema: Schema, parts: Parts) -> Dataset:
    """Give the rows of a partition that are in some parts, as they are in memory."""
    inside = partition.taken(parts)
    n_rows = int(inside.sum())

    def columns(given: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
        chosen = np.empty((n_rows, len(given)), kind, order="F")
        for place, column in enumerate(given):
            chosen[:, place] = column[inside]
        return chosen

    weight = None if partition.weight is None else partition.weight[inside]
    numbers, codes = columns(partition.numbers, np.float64), columns(partition.categories, np.int32)
    return Dataset(schema, numbers, codes, partition.target[inside], weight)


@dataclass(frozen=True)
class HeldOutLosses:
    """The losses of all prunings of a tree on the rows of some parts, by strength of shrinkage."""

    tree: Tree
    parts: Parts
    strengths: tuple[float, ...]
    leaf_from: tuple[Array, ...]
    """The alpha from which each node is a leaf, for each strength."""
    steps: tuple[Array, ...]
    """The alphas at which to look, for each strength."""
    loss: Loss | None
    factor: Array | None
    """On the weight of each class."""

    def ask(self, partition: Partition) -> list[LossSums]:
        """Judge by the rows of one partition."""
        rows = dataset_of(partition, self.tree.schema, self.parts)
        if not len(rows):
            return [LossSums.nothing(len(each)) for each in self.steps]
        if self.factor is not None:
            weight = self.factor[np.asarray(rows.target)]
            rows = rows.weighted(weight if rows.weight is None else weight * rows.weight)
        smooth = shrunk_by_each(self.tree, self.strengths)
        return losses_of_each(smooth, rows, self.leaf_from, self.steps, self.loss)

    def join(self, one: list[LossSums], other: list[LossSums]) -> list[LossSums]:
        """Add two up."""
        return [a + b for a, b in zip(one, other, strict=True)]


def judge_by_folds(
    rows: OpenRows,
    recipe_of: Callable[[Parts], AnyRecipe],
    n_folds: int,
    seed: int,
    parts: Parts = (),
    *,
    risk: Risk | None = None,
) -> Judge:
    """Judge by folds of some parts, by the numbers of their rows: a tree is grown for each.

    Parameters
    ----------
    rows : OpenRows
    recipe_of : callable
        Gives the recipe for some parts.
    n_folds, seed : int
    parts : Parts
        The rows that are parted.
    risk : str or None
        What trees are pruned by, see `CostComplexity`.

    Returns
    -------
    callable
        As `choose_smoothed` asks for losses.
    """

    def judge(strengths: Sequence[float], steps: Sequence[Array], loss: Loss | None) -> list[LossSums]:
        sums = [LossSums.nothing(len(each)) for each in steps]
        for fold in range(n_folds):
            part = Part(n_folds, fold, seed)
            growing = (*parts, part)
            recipe = recipe_of(growing)
            tree = rows.grow(recipe, growing)
            question = HeldOutLosses(
                tree,
                (*parts, part.others),
                tuple(strengths),
                tuple(collapse_alphas(shrunk_by_each(tree, strengths), risk)),
                tuple(steps),
                loss,
                class_factor(cast(Dataset, rows.as_a_whole(growing)), recipe),
            )
            sums = question.join(sums, rows.ask(question))
        return sums

    return judge


def prune_by_folds(
    tree: Tree, pruner: CostComplexity, rows: OpenRows, recipe: AnyRecipe, parts: Parts = ()
) -> Pruned:
    """Prune a tree by cost-complexity, alpha chosen by folds that go by the numbers of the rows."""
    links = weakest_links(tree, pruner.risk)
    steps, n_folds = between(alphas_of(links.path())), int(cast(int, pruner.cv))
    of_repeats = []
    for repeat in range(pruner.repeats):
        seed = pruner.random_state + repeat
        judge = judge_by_folds(rows, lambda _: recipe, n_folds, seed, parts, risk=pruner.risk)
        of_repeats += judge([0.0], [steps], pruner.risk)
    mean = np.mean([sums.mean for sums in of_repeats], axis=0)
    se = np.mean([sums.se for sums in of_repeats], axis=0)
    return pruner.choose(links, mean, se)


@dataclass(frozen=True)
class Judged:
    """What a model is worth on the rows of some parts."""

    model: Any
    schema: Schema
    parts: Parts
    near: float
    """A number near the mean of the target."""

    def ask(self, partition: Partition) -> EvaluationSums | None:
        """Judge by the rows of one partition."""
        rows = dataset_of(partition, self.schema, self.parts)
        if not len(rows):
            return None
        target = np.asarray(rows.target)
        truth = target if self.schema.classes is None else self.schema.classes[target]
        return EvaluationSums.of(self.model, rows, truth, rows.weight, near=self.near)

    def join(self, one: EvaluationSums | None, other: EvaluationSums | None) -> EvaluationSums | None:
        """Add two up."""
        return one or other if one is None or other is None else one + other


def cross_validate_parts(
    model: Any, rows: OpenRows, n_folds: int, seed: int, begin_fold: Callable[[int], None]
) -> CrossValidation:
    """Fit a model anew for every fold, pruning included, and judge it by the rows that it was not shown.

    Parameters
    ----------
    model : estimator
        It stays as it is.
    rows : OpenRows
    n_folds, seed : int
        How many folds, by the numbers of the rows.
    begin_fold : callable
        Is told the fold that begins.
    """
    sums: EvaluationSums | None = None
    sizes, seconds = [], []
    for fold in range(n_folds):
        begin_fold(fold)
        part, fitted = Part(n_folds, fold, ~seed), copy.copy(model)  # other folds than those that prune
        begin = time.perf_counter()
        fitted._fit_parts(rows, (part,))
        seconds.append(time.perf_counter() - begin)
        if fold == 0:  # the same of all folds, as their sums are added
            near = near_of(fitted)
        question = Judged(fitted, rows.schema, (part.others,), near)
        sums = question.join(sums, rows.ask(question))
        if hasattr(fitted, "tree_"):
            sizes.append((fitted.tree_.n_leaves, fitted.tree_.depth))
    assert sums is not None
    leaves, depth = np.mean(sizes, axis=0).tolist() if sizes else (None, None)
    return CrossValidation(sums.evaluation(), n_folds, leaves, depth, float(np.mean(seconds)))


def near_of(model: Any) -> float:
    """Give a number near the mean of the target that a model was learned from, or 0 if it has no trees."""
    trees = getattr(model, "trees_", None)
    tree = getattr(model, "tree_", None) if trees is None else trees[0]
    return 0.0 if tree is None else float(tree.node_value[0, 0])


@dataclass(frozen=True)
class Fingerprint:
    """By which rows a model was learned (data/fingerprint.py)."""

    schema: Schema

    def ask(self, partition: Partition) -> tuple[int, ...]:
        """Look at the rows of one partition."""
        rows = dataset_of(partition, self.schema, ())
        return fingerprint(encoded_hashes(self.schema, rows.numbers, rows.codes, np.asarray(rows.target)))

    def join(self, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
        """Keep the smallest of both."""
        return fingerprint(np.array([*one, *other], np.uint64))


def judge_files(
    model: Any,
    names: Sequence[str],
    files: OpenTable,
    target: Any,
    weight: Any,
    *,
    progress: Callable[[str, int, int], None] | None = None,
) -> EvaluationSums:
    """Judge a model by the rows of files, in one pass that keeps no predictions.

    Parameters
    ----------
    model : estimator
        It is fitted.
    names : sequence of str
        Its features.
    files : OpenTable
    target, weight : str
        Names of the target and of the column of weights, if there is one.
    progress : callable or None
        Is told what is done, in which pass, and of how many rows.
    """
    given = [column_name(files, target, "y")]
    if weight is not None:
        given.append(column_name(files, weight, "sample_weight"))
    near = near_of(model)
    sums: EvaluationSums | None = None
    n_done = 0
    for rows in files.batches([*names, *given]):
        weights = None if weight is None else rows.column(weight).to_numpy()
        truth = rows.column(target)
        part = EvaluationSums.of(model, rows.select(list(names)), truth, weights, near=near)
        sums = part if sums is None else sums + part
        n_done += len(rows)
        if progress is not None:
            progress("judging", 1, n_done)
    assert sums is not None
    return sums
