"""The executable specification of the policies for missing values: what each does to the rows of a node.

*Shares.* A node holds rows with weights. Under `fractional` a row without the value goes down every branch
with its share of the weight of the rows that have it, unless less than 1e-9 of the lightest row is left of
it; merits count for the known share of the weight and, for the gain ratio, rows without the value gain
nothing and are a branch of their own. Limits on rows are then limits on weight too, a row being worth what
the lightest row weighs (all but 1e-9 of it).

*Fills.* `mean`, `median` and `mode` (the heaviest value, the smallest of equals) are those of the node's rows
that know the value, by weight; categories always have their mode. `class_mode` is the mode of the rows of the
same class; where the class knows none, and for new rows, of all.

*Surrogates.* After `available`'s search the rows without the value follow the first of the split's surrogates
that knows them, else by `use_surrogates` the heaviest branch, or they stay. A surrogate is the cut (in either
direction, at least two rows of known branch on each side) or the table of another feature that agrees with
the split on most weight. It must beat sending everybody to the heaviest branch; the best are kept, ties in
the order of the features.

*Value.* A missing category is one more category, where branches of their own are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from helpers.reference_criteria import Array, divide, weighted_median

if TYPE_CHECKING:
    from helpers.reference import Node, Reference
    from helpers.reference_search import Candidate

SHARE, STAY = -1, -2
FILLS = ("mean", "median", "mode", "class_mode")
CRUMB = 1e-9


def mode(values: Array, weights: Array) -> float:
    """The heaviest value, the smallest of equals."""
    distinct, group = np.unique(values, return_inverse=True)
    return float(distinct[np.bincount(group, weights).argmax()])


def fill_value(policy: str, categorical: bool, values: Array, weights: Array) -> float:
    """What stands for a missing value among these known ones."""
    if categorical or policy in ("mode", "class_mode"):
        return mode(values, weights)
    return (
        float(np.average(values, weights=weights)) if policy == "mean" else weighted_median(values, weights)
    )


def filled(learner: Reference, node: Node, feature: int) -> tuple[Array, float | None]:
    """A feature's values at a node as its policy sees them, and the value for new rows, if it fills."""
    x, policy = learner.x[feature][node.rows].copy(), learner.policies[feature]
    lost = np.isnan(x)
    if policy == "value":  # where the policy keeps its name: one more category
        x[lost] = learner.n_categories[feature]
    if policy not in FILLS or lost.all():
        return x, None
    categorical = learner.n_categories[feature] > 0
    for_all = fill_value(policy, categorical, x[~lost], node.weights[~lost])
    fill = np.full(len(x), for_all)
    if policy == "class_mode":
        target = learner.target[node.rows]
        for label in np.unique(target[lost]):
            like = ~lost & (target == label)
            if like.any():
                fill[target == label] = mode(x[like], node.weights[like])
    x[lost] = fill[lost]
    return x, for_all


def known_gain_ratio(gain: Array, branch_weights: Array, total: float) -> Array:
    """C4.5's gain ratio where rows lack the value (Quinlan, 1993, ch. 3)."""
    known = branch_weights.sum(axis=1)
    share = (
        np.column_stack([branch_weights, np.where(total - known > 1e-12 * total, total - known, 0)]) / total
    )
    return divide(known / total * gain, -(share * np.log2(np.where(share > 0, share, 1))).sum(axis=1))


@dataclass(frozen=True)
class StandIn:
    """A surrogate: its feature, its agreement, and the branch of each row of the node, −1 if unknown."""

    feature: int
    agreement: float
    branch: NDArray[np.intp]
    cut: float | None = None


def ways(split: Candidate, x: Array) -> NDArray[np.intp]:
    """Branch of each value, −1 where the split does not answer."""
    if split.cuts is not None:
        return np.where(np.isnan(x), -1, np.searchsorted(split.cuts, x, side="left"))
    if split.table is None:
        return np.where(np.isnan(x), -1, np.where(x <= split.threshold, 0, 1))
    return np.array([-1 if np.isnan(value) else split.table.get(int(value), -1) for value in x], dtype=int)


def stand_ins(learner: Reference, node: Node, split: Candidate, branch: NDArray[np.intp]) -> list[StandIn]:
    """The surrogates of a split, best first."""
    known = branch >= 0
    size = np.bincount(branch[known], node.weights[known], minlength=split.n_branches)
    found = []
    for feature, column in enumerate(learner.x):
        x = column[node.rows]
        if feature == split.feature:
            continue
        if learner.n_categories[feature]:
            candidate = like_table(feature, x, branch, node.weights, split.n_branches)
        elif split.n_branches == 2:
            candidate = like_cut(feature, x, branch, node.weights)
        else:
            continue
        if candidate is not None:
            agreement = candidate.agreement / size.sum()
            majority = size.max() / size.sum()
            if agreement - majority > 1e-10 * (1 - majority):
                found.append(StandIn(feature, agreement, candidate.branch, candidate.cut))
    best: list[StandIn] = []
    for (
        one
    ) in found:  # by insertion, so that agreements that differ by rounding stay in the order of the features
        at = next(
            (i for i, other in enumerate(best) if one.agreement > other.agreement * (1 + 1e-11)), len(best)
        )
        best.insert(at, one)
    return best[: learner.recipe.max_surrogates]


def like_cut(feature: int, x: Array, branch: NDArray[np.intp], weights: Array) -> StandIn | None:
    """The cut that agrees with two branches on most weight; of equals the lowest."""
    both = ~np.isnan(x) & (branch >= 0)
    best, values = None, np.unique(x[~np.isnan(x)])
    most = max((weights[both & (branch == b)].sum() for b in (0, 1)), default=0.0)
    for low, high in pairwise(values):
        below = x <= low
        if min((both & below).sum(), (both & ~below).sum()) < 2:
            continue
        for lower in (0, 1):
            way = np.where(below, lower, 1 - lower)
            agreement = weights[both & (way == branch)].sum()
            if agreement > most * (1 + 1e-12):
                most = agreement
                way = np.where(np.isnan(x), -1, way)
                best = StandIn(feature, agreement, way, float((low + high) / 2))
    return best


def like_table(
    feature: int, x: Array, branch: NDArray[np.intp], weights: Array, n_branches: int
) -> StandIn | None:
    """Each category where most of its weight goes, the first of equal branches."""
    agreement, way, present = 0.0, np.full(len(x), -1), 0
    for code in np.unique(x[~np.isnan(x) & (branch >= 0)]):
        here = (x == code) & (branch >= 0)
        size = np.bincount(branch[here], weights[here], minlength=n_branches)
        way[x == code] = size.argmax()
        agreement += size.max()
        present += 1
    return StandIn(feature, agreement, way) if present > 1 else None


def send(learner: Reference, node: Node, split: Candidate) -> list[tuple[NDArray[np.intp], Array]]:
    """The rows of each branch, with their weights."""
    x, _ = filled(learner, node, split.feature)
    branch = ways(split, x)
    if learner.policies[split.feature] == "surrogate" and learner.recipe.use_surrogates > 0:
        for one in stand_ins(learner, node, split, branch.copy()):
            branch = np.where(branch < 0, one.branch, branch)
    known = branch >= 0
    size = np.bincount(branch[known], node.weights[known], minlength=split.n_branches)
    parts = []
    for b in range(split.n_branches):
        here = known & (branch == b)
        weights = np.where(here, node.weights, 0.0)
        if split.default_branch == SHARE:
            weights = np.where(known, weights, node.weights * size[b] / size.sum())
            here = here | (~known & (weights > CRUMB * learner.lightest))
        elif split.default_branch == b:
            here = here | ~known
            weights = np.where(here, node.weights, 0.0)
        parts.append((node.rows[here], weights[here]))
    return parts


def settled_default(learner: Reference, node: Node, split: Candidate) -> int:
    """The branch of a row whose value is missing, once the split is chosen."""
    policy = learner.policies[split.feature]
    if policy in ("direction", "value"):
        return split.default_branch
    if policy == "fractional":
        return SHARE
    if policy == "surrogate" and learner.recipe.use_surrogates < 2:
        return STAY
    x, fill = filled(learner, node, split.feature)
    branch = ways(split, x)
    if fill is not None:
        own = int(ways(split, np.array([fill]))[0])
        if own >= 0:
            return own
    size = np.bincount(branch[branch >= 0], node.weights[branch >= 0], minlength=split.n_branches)
    return int((size > size.max() * (1 - 1e-12)).argmax())
