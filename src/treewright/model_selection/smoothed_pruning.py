"""Cost-complexity pruning of a tree whose predictions are smoothed: alpha is chosen by what they come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.data.folds import folds_by_content
from treewright.formatting.text import figure, quoted
from treewright.pruning import CostComplexity, Pruned
from treewright.pruning.cost_complexity import alphas_of, between, leaf_alphas, weakest_links
from treewright.pruning.losses import Loss, Risk
from treewright.pruning.nested import LossSums, losses_of_each
from treewright.tree import Tree
from treewright.tree.conditions import on_branch
from treewright.tree.routing import Parts, place
from treewright.tree.shrinkage import shrunk, shrunk_by_each
from treewright.tree.side_by_side import side_by_side

Grow = Callable[[NDArray[np.int64]], Tree]
"""Grows a tree on some of the rows, by their numbers."""
Fold = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Numbers of the rows to grow on, and of those to judge by."""

Array = NDArray[np.float64]
Judge = Callable[[Sequence[float], Sequence[Array], Loss | None], list[LossSums]]

STRENGTHS = (10.0, 30.0, 100.0)
"""Strengths of shrinkage to choose from, for classes."""
STRENGTHS_OF_NUMBERS = (1.0, 3.0, *STRENGTHS)
"""The same for numbers: where they have outliers, leaves of few rows are believed at once."""

LONGEST_SPLIT = 200
"""Letters of a split that a note tells."""

JUDGED_AT_ONCE = 25_000
"""Of so many rows at most folds are judged together, trees and held-out rows of each beside the others."""

SLACK = 0.03
"""Share of the least cross-validated loss that a smaller tree of classes may cost, unless `se` is 0.

In large tables standard errors are so small that hundreds of leaves would be kept for what nobody notices.
"""
SLACK_OF_GAIN = 1 / 8
"""Share of what the best tree gains upon a single leaf that `SLACK` may come to at most.

Where little can be known, 3 % of the loss are most of it.
"""


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
    """Grow a tree, shrink what its nodes predict, and prune it by cost-complexity.

    The nested sequence is that of the errors which shrunken predictions make on the training rows: a split
    that changes no class once few rows count for less saves nothing, and goes first. The tree of the
    sequence, and how far its predictions are shrunk, are chosen by cross-validation of the shrunken class
    probabilities (their Brier score), which tells trees apart that make the same errors and hangs less on the
    folds than counts of errors do; under costs by these, of numbers by the squared error.

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
        See `shrunk`; None chooses from `STRENGTHS`, or `STRENGTHS_OF_NUMBERS`.
    unit : float
        Weight of a row.
    judged : callable
        Gives held-out rows with the weights that count, also given the rows that were grown on.

    Returns
    -------
    Pruned, and the shrinkage
        The tree is shrunk, as is the one that was grown.
    """
    tree = grow_on(np.arange(len(rows)))

    def judge(strengths: Sequence[float], steps: Sequence[Array], loss: Loss | None) -> list[LossSums]:
        sums = [LossSums.nothing(len(each)) for each in steps]
        at_once = 1 if tree.equations is not None else max(1, JUDGED_AT_ONCE // len(rows))
        for some in _in_groups([pair for pairs in folds for pair in pairs], at_once):
            grown = [grow_on(growing) for growing, _ in some]
            others = [judged(rows.take(held_out), rows.take(growing)) for growing, held_out in some]
            smooth = shrunk_by_each(side_by_side(grown), strengths)
            parts = _places(grown, others)
            those = _one_after_another(rows, [held_out for _, held_out in some], others)
            of_some = losses_of_each(smooth, those, collapse_alphas(smooth), steps, loss, parts=parts)
            sums = [total + one for total, one in zip(sums, of_some, strict=True)]
        return sums

    pruned, strength = choose_smoothed(tree, pruner, judge, len(folds), shrinkage=shrinkage, unit=unit)
    return replace(pruned, grown=(shrunk(tree, strength), rows)), strength


def _in_groups(folds: Sequence[Fold], size: int) -> list[Sequence[Fold]]:
    """Part folds in groups of a size."""
    return [folds[begin : begin + size] for begin in range(0, len(folds), size)]


def _places(trees: Sequence[Tree], held_out: Sequence[Dataset]) -> Parts:
    """Give where rows held out from each tree end, the trees standing side by side and the rows in order."""
    node, row = (np.cumsum([0, *map(len, each)]).tolist() for each in (trees, held_out))
    of_each = [place(tree, rows) for tree, rows in zip(trees, held_out, strict=True)]
    moved = [
        Parts(parts.row + first_row, parts.node + first_node, parts.weight)
        for parts, first_row, first_node in zip(of_each, row[:-1], node[:-1], strict=True)
    ]
    return Parts(*map(np.concatenate, zip(*moved, strict=True)))


def _one_after_another(
    rows: Dataset, numbers: Sequence[NDArray[np.int64]], judged: Sequence[Dataset]
) -> Dataset:
    """Give the rows of several folds as one table, with the weights that they are judged with."""
    weights = [each.weight for each in judged if each.weight is not None]
    return rows.take(np.concatenate(numbers)).weighted(np.concatenate(weights) if weights else None)


def choose_smoothed(
    tree: Tree,
    pruner: CostComplexity,
    judge: Judge,
    n_draws: int,
    *,
    shrinkage: float | None,
    unit: float = 1.0,
) -> tuple[Pruned, float]:
    """Choose a tree of the nested sequence, and how far it is shrunk, by the losses of held-out rows.

    Parameters
    ----------
    tree : Tree
        The largest, as it was grown.
    judge : callable
        Gives the losses of all folds, for each strength of shrinkage at all steps of its sequence.
    n_draws : int
        How often folds were drawn; not at all if there is nothing to choose.
    pruner, shrinkage, unit
        As for `prune_smoothed`.
    """
    to_choose_from = STRENGTHS if tree.is_classifier else STRENGTHS_OF_NUMBERS
    strengths = [unit * strength for strength in (to_choose_from if shrinkage is None else (shrinkage,))]
    middle = len(strengths) // 2
    smooth = shrunk_by_each(tree, strengths)

    def unjudged() -> tuple[Pruned, float]:
        as_it_is = CostComplexity(alpha=0.0) if pruner.alpha is None else pruner
        return as_it_is.prune(smooth[middle]), strengths[middle]

    if not n_draws or (pruner.alpha is not None and len(strengths) == 1):
        return unjudged()  # all rows are the same, or there is nothing to choose
    links = [weakest_links(each) for each in smooth]
    alphas = [alphas_of(each.path()) for each in links]
    loss: Loss | None = "brier" if tree.is_classifier and tree.costs is None else None
    sums = judge(strengths, [between(each) for each in alphas], loss)
    if sums[0].weight <= 0:  # every fold holds out classes that no other row has, so that none is judged
        return unjudged()
    if pruner.alpha is None:
        best = _first_of_least([each.mean.min() for each in sums])
        # Draws of folds are no further rows: a mean over them is hardly surer than one of them.
        se = sums[best].se * np.sqrt(n_draws)
        slack = _slack(sums[best].mean) if pruner.se and tree.is_classifier else 0.0
        return pruner.choose(links[best], sums[best].mean, se, slack), strengths[best]
    steps = [int(np.searchsorted(each, pruner.alpha, "right")) - 1 for each in alphas]
    best = _first_of_least([each.mean[step] for each, step in zip(sums, steps, strict=True)])
    return pruner.prune(smooth[best]), strengths[best]


def single_leaf_note(pruned: Pruned) -> str:
    """Say why a tree is a single leaf, and what the best split would come to; empty if it has branches."""
    path, tree = pruned.path, pruned.tree
    if len(tree) > 1 or tree.impurity[0] <= 0 or path is None or path.prunings is None:
        return ""
    whole = path.prunings.tree
    split = whole[0].split
    if split is None:
        return "a single leaf: within the limits that are set no split has a gain"
    condition = on_branch(split, 0, tree.schema, int(whole.default_branch[0]))
    first = condition.words(tree.schema, max_categories=5)
    first = first if len(first) <= LONGEST_SPLIT else first[:LONGEST_SPLIT] + "…"
    if len(path) == 1 and tree.is_classifier:
        label = quoted(str(tree[0].label))
        return (
            f"a single leaf: {label} is predicted on both sides of any split that holds; the first would be "
            f"{first}"
        )
    if path.held_out is None:
        return f"a single leaf: no split is worth the price of a leaf, alpha; the first would be {first}"
    best = int(np.argmin(path.held_out[:-1]))
    loss = "squared error" if not tree.is_classifier else "Brier score" if tree.costs is None else "cost"
    scale = 0.5 if loss == "Brier score" and tree.schema.n_classes == 2 else 1.0  # as `evaluate` has it
    before, after = (figure(scale * path.held_out[at]) for at in (-1, best))
    return (
        f"a single leaf: no split holds up in cross-validation; the first would be {first}, and the best "
        f"tree with it, of {path.leaves[best]} leaves, takes the {loss} from {before} to {after} (less is "
        "better)"
    )


def _slack(losses: Array) -> float:
    """Give what a smaller tree may cost by the losses of all trees, the last of them a single leaf."""
    least = float(losses.min())
    return min(SLACK * least, SLACK_OF_GAIN * (float(losses[-1]) - least))


def _first_of_least(losses: Sequence[float]) -> int:
    """Find the least loss, of those equal but for rounding the first: rows are added up in any order."""
    return int(np.argmax(np.array(losses) <= min(losses) * (1 + 1e-9)))


def collapse_alphas(smooth: Sequence[Tree], risk: Risk | None = None) -> list[Array]:
    """Give the alphas from which nodes are leaves, of a tree that was shrunk by several strengths."""
    if smooth[0].is_classifier:
        return [leaf_alphas(each, risk) for each in smooth]
    return [leaf_alphas(smooth[0], risk)] * len(smooth)  # shrinking changes no node's risk
