"""Cost-complexity pruning of a tree whose predictions are smoothed: alpha is chosen by what they come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.data.folds import folds_by_content
from treewright.pruning import CostComplexity, Pruned
from treewright.pruning.cost_complexity import Links, alphas_of, between, weakest_links
from treewright.pruning.losses import Loss
from treewright.pruning.nested import LossSums, NestedRows
from treewright.tree import Tree
from treewright.tree.shrinkage import shrunk_by_each

Grow = Callable[[NDArray[np.int64]], Tree]
"""Grows a tree on some of the rows, by their numbers."""
Fold = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Numbers of the rows to grow on, and of those to judge by."""

STRENGTHS = (3.0, 10.0, 30.0, 100.0)
"""Strengths of shrinkage to choose from."""


def drawn_folds(rows: Dataset, n_folds: int, repeats: int, seed: int) -> list[list[Fold]]:
    """Draw folds several times, see `folds_by_content`."""
    of_repeats = []
    for repeat in range(repeats):
        folds = folds_by_content(rows, n_folds, seed + repeat)
        pairs = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in np.unique(folds)]
        of_repeats.append([pair for pair in pairs if len(pair[0])])  # none if all rows are the same
    return [folds for folds in of_repeats if folds]


def prune_smoothed(
    rows: Dataset,
    grow_on: Grow,
    pruner: CostComplexity,
    folds: Sequence[Sequence[Fold]],
    *,
    shrinkage: float | None,
    unit: float = 1.0,
    judged: Callable[[Dataset, Dataset], Dataset] = lambda held_out, _: held_out,
) -> tuple[Pruned, float]:
    """Grow a tree and prune it by cost-complexity, to be shrunk.

    The nested sequence is that of the errors on the training rows. The tree of the sequence, and how far its
    predictions are shrunk, are chosen by cross-validation of the shrunken class probabilities (their Brier
    score), which tells trees apart that make the same errors and hangs less on the folds than counts of
    errors do; under costs by these, of numbers by the squared error.

    Parameters
    ----------
    rows : Dataset
        The rows to learn from.
    grow_on : callable
        Grows a tree on some of them.
    pruner : CostComplexity
        Its `alpha`, or the standard errors to grant: `se`.
    folds : list of lists of pairs of row numbers
        The folds, of each time they were drawn.
    shrinkage : float or None
        See `shrunk`; None chooses from `STRENGTHS`.
    unit : float
        Weight of a row.
    judged : callable
        Gives held-out rows with the weights that count, also given the rows that were grown on.

    Returns
    -------
    Pruned, and the shrinkage
    """
    tree = grow_on(np.arange(len(rows)))
    strengths = [unit * strength for strength in (STRENGTHS if shrinkage is None else (shrinkage,))]
    if not folds and pruner.alpha is None:  # all rows are the same: there is nothing to choose
        pruner = CostComplexity(alpha=0.0)
    if pruner.alpha is not None and (len(strengths) == 1 or not folds):
        pruned, strength = pruner.prune(tree), strengths[len(strengths) // 2]
    else:
        links = weakest_links(tree)
        sums = _losses(tree, links, rows, folds, grow_on=grow_on, strengths=strengths, judged=judged)
        if pruner.alpha is None:
            best = int(np.argmin([each.mean.min() for each in sums]))
            # Draws of folds are no further rows: a mean over them is hardly surer than one of them.
            pruned = pruner.choose(links, sums[best].mean, sums[best].se * np.sqrt(len(folds)))
        else:
            pruned = pruner.prune(tree)
            step = int(np.searchsorted(alphas_of(links.path()), pruner.alpha, "right")) - 1
            best = int(np.argmin([each.mean[step] for each in sums]))
        strength = strengths[best]
    return replace(pruned, grown=(tree, rows)), strength


def _losses(
    tree: Tree,
    links: Links,
    rows: Dataset,
    folds: Sequence[Sequence[Fold]],
    *,
    grow_on: Grow,
    strengths: Sequence[float],
    judged: Callable[[Dataset, Dataset], Dataset],
) -> list[LossSums]:
    """Losses of every tree of the sequence, by strength of shrinkage; means over the draws of folds."""
    steps = between(alphas_of(links.path()))
    loss: Loss | None = "brier" if tree.is_classifier and tree.costs is None else None
    sums = [LossSums.nothing(len(steps))] * len(strengths)
    for growing, held_out in (pair for pairs in folds for pair in pairs):
        part = grow_on(growing)
        leaf_from = weakest_links(part).leaf_from()
        others = judged(rows.take(held_out), rows.take(growing))
        nested = NestedRows.of(part, others, leaf_from, steps)
        sums = [
            total + nested.losses(smooth, loss)
            for total, smooth in zip(sums, shrunk_by_each(part, strengths), strict=True)
        ]
    return sums
