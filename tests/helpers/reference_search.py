"""The candidates of the executable specification: every split of one feature at one node, with its merit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from helpers.reference_criteria import Array, merit, statistics, total_weight, weighted_median
from helpers.reference_forms import interval_cuts, step_cuts
from helpers.reference_missing import FILLS, filled, known_gain_ratio

if TYPE_CHECKING:
    from helpers.reference import Node, Reference

Rows = NDArray[np.intp]

EQUAL = 1e-11  # merits nearer than this share of the node's scale are ties


@dataclass(frozen=True)
class Candidate:
    """A split with its merit: a threshold, several cuts, or a table from category code to branch."""

    feature: int
    merit: float
    default_branch: int
    threshold: float | None = None
    table: dict[int, int] | None = None
    n_branches: int = 2
    cuts: tuple[float, ...] | None = None

    def branch(self, x: Array) -> Rows:
        """Branch of each value of its feature; missing and unlisted values follow the default."""
        if self.cuts is not None:
            return np.where(np.isnan(x), self.default_branch, np.searchsorted(self.cuts, x))
        if self.table is None:
            assert self.threshold is not None
            known = np.where(x <= self.threshold, 0, 1)
            return np.where(np.isnan(x), self.default_branch, known)
        branch = np.full(len(x), self.default_branch)
        for code, way in self.table.items():
            branch[x == code] = way
        return branch


class Search:
    """The candidates of one feature at one node."""

    def __init__(self, learner: Reference, node: Node, feature: int) -> None:
        self.learner, self.node, self.feature = learner, node, feature
        self.criterion = learner.recipe.criterion
        x, _ = filled(learner, node, feature)
        y, w = learner.target[node.rows], node.weights
        self.levels = np.unique(y)
        lines = statistics(self.criterion, y, w, learner.n_classes)
        lost = np.isnan(x)
        self.known_share = float(w[~lost].sum() / w.sum())
        self.values, group = np.unique(x[~lost], return_inverse=True)
        self.groups = np.zeros((len(self.values), lines.shape[1]))  # statistics of each distinct known value
        np.add.at(self.groups, group, lines[~lost])
        self.group_counts = np.bincount(group, minlength=len(self.values))
        self.lost, self.lost_count = lines[lost].sum(axis=0), int(lost.sum())
        self.direction = learner.policies[feature] in ("direction", "value", *FILLS)

    def thresholds(self) -> Iterator[Candidate]:
        column = self.learner.x[self.feature][self.learner.rows]
        left, counts = np.cumsum(self.groups, axis=0)[:-1], np.cumsum(self.group_counts)[:-1]
        for side in self.sides_of_missing():
            for cut, worth, default in self.binary(left, counts, side):
                low, high = self.values[cut], self.values[cut + 1]
                threshold = low / 2 + high / 2
                threshold = low if threshold >= high else threshold
                if self.learner.recipe.cut == "observed":
                    threshold = column[column <= threshold].max()
                yield Candidate(self.feature, worth, default, threshold=float(threshold))
            if side == 1 and len(self.values):
                for _, worth, _ in self.binary(
                    self.groups.sum(axis=0)[None], self.group_counts.sum()[None], side
                ):
                    yield Candidate(self.feature, worth, 1, threshold=inf)

    def intervals(self) -> Iterator[Candidate]:
        learner, rows = self.learner, self.node.rows[~np.isnan(self.learner.x[self.feature][self.node.rows])]
        x, y, w = learner.x[self.feature][rows], learner.target[rows], learner.weight[rows]
        find = interval_cuts if learner.n_classes else step_cuts
        cuts = find(
            x, y.astype(int) if learner.n_classes else y, w, max(learner.least_rows, 1), learner.least_weight
        )
        if not cuts:
            return
        branches = np.zeros((len(cuts) + 1, self.groups.shape[1]))
        np.add.at(branches, np.searchsorted(cuts, self.values), self.groups)
        default = int(total_weight(self.criterion, branches).argmax())
        if self.direction:
            branches[default] += self.lost
        if self.criterion == "poisson" and (branches[:, 1] <= 0).any():
            return  # a branch without events would predict a rate of zero
        worth = float(merit(self.criterion, branches[None], self.levels)[0])
        worth *= 1 if self.direction else self.known_share
        if learner.recipe.cut == "observed":
            column = learner.x[self.feature][learner.rows]
            cuts = [float(column[column <= cut].max()) for cut in cuts]
        yield Candidate(self.feature, worth, default, n_branches=len(branches), cuts=tuple(cuts))

    def median(self) -> Iterator[Candidate]:
        """The allowed cut that is nearest to the middle of the weight, for both sides of missing values."""
        learner = self.learner
        known = total_weight(self.criterion, self.groups)
        below, counts = np.cumsum(known)[:-1], np.cumsum(self.group_counts)[:-1]
        allowed = np.minimum(counts, self.group_counts.sum() - counts) >= max(learner.least_rows, 1)
        allowed &= np.minimum(below, known.sum() - below) >= learner.least_weight
        if not allowed.any():
            return
        distance = np.where(allowed, np.abs(below - known.sum() / 2), inf)
        cut = int(np.flatnonzero(distance <= distance.min() + EQUAL * known.sum())[0])
        threshold = self.values[cut] / 2 + self.values[cut + 1] / 2
        same = [c for c in self.thresholds() if c.threshold is not None and c.threshold < inf]
        if learner.recipe.cut == "observed":
            column = learner.x[self.feature][learner.rows]
            threshold = column[column <= threshold].max()
        yield from (candidate for candidate in same if candidate.threshold == threshold)

    def subset(self) -> Iterator[Candidate]:
        k = len(self.values)
        if self.learner.n_classes <= 2:
            for key in self.order_keys():
                yield from self.tables(np.tri(k, dtype=bool), np.argsort(key, kind="stable"))
        else:  # bit j of a Gray code sends level j + 1 to branch 1; level 0 stays in branch 0
            places = np.arange(2 ** max(k - 1, 0))[:, None]
            codes = places ^ places >> 1
            on_left = np.hstack([codes >= 0, codes >> np.arange(k - 1) & 1 == 0])[:, :k]
            yield from self.tables(on_left, np.arange(k))

    def order_keys(self) -> list[Array]:
        """What the categories present are ordered by before they are cut."""
        if self.learner.orders_once(self.feature):
            return [self.learner.overall_means(self.feature)[self.values.astype(int)]]
        weight = total_weight(self.criterion, self.groups)
        if self.criterion != "absolute_error":
            return [self.groups[:, 1] / weight]
        medians = np.array([weighted_median(self.levels, group) for group in self.groups])
        return [medians, self.groups @ self.levels / weight]

    def one_vs_rest(self) -> Iterator[Candidate]:
        k = len(self.values)
        one_or_all = np.vstack([np.eye(k, dtype=bool), np.ones((1, k), dtype=bool)])  # all: known | missing
        yield from self.tables(one_or_all, np.arange(k))

    def tables(self, on_left: NDArray[np.bool_], order: Rows) -> Iterator[Candidate]:
        """Candidates of which line i sends the values `order[on_left[i]]` to branch 0."""
        left, counts = on_left @ self.groups[order], on_left @ self.group_counts[order]
        for side in self.sides_of_missing():
            for line, worth, default in self.binary(left, counts, side):
                table = {
                    int(self.values[level]): int(not on_left[line, at]) for at, level in enumerate(order)
                }
                yield Candidate(self.feature, worth, default, table=table)

    def multiway(self) -> Iterator[Candidate]:
        learner, k = self.learner, self.learner.n_codes(self.feature)
        at = self.values.astype(int)
        branches, counts = np.zeros((k, self.groups.shape[1])), np.zeros(k, dtype=int)
        branches[at], counts[at] = self.groups, self.group_counts
        default = int(total_weight(self.criterion, branches).argmax())
        if self.direction and len(at):
            branches[default] += self.lost
            counts[default] += self.lost_count
        weight = total_weight(self.criterion, branches)
        large = (counts >= max(learner.least_rows, 1)) & (weight >= learner.least_weight)
        if large.sum() < 2 or (self.criterion == "poisson" and (branches[counts > 0, 1] == 0).any()):
            return
        worth = float(self.worth(branches[None])[0])
        yield Candidate(self.feature, worth, default, table={c: c for c in range(k)}, n_branches=k)

    def sides_of_missing(self) -> tuple[int | None, ...]:
        """The branches that rows with a missing value are tried in, one after the other."""
        return (1, 0) if self.direction and self.lost_count else (None,)

    def binary(self, left: Array, counts: Rows, side: int | None) -> Iterator[tuple[int, float, int]]:
        """Index, merit and default branch of each allowed split whose known rows go left as given."""
        if not len(self.values):
            return
        sides = np.stack([left, self.groups.sum(axis=0) - left], axis=1)
        sizes = np.stack([counts, self.group_counts.sum() - counts], axis=1)
        weights = total_weight(self.criterion, sides)
        if side is not None:
            sides[:, side] += self.lost
            sizes[:, side] += self.lost_count
            default = np.full(len(left), side)
        elif self.direction:
            default = (sizes[:, 1] >= sizes[:, 0]).astype(int)
        else:
            default = (weights[:, 1] > weights[:, 0] * (1 + 1e-12)).astype(int)
        merits = self.merits(sides, sizes)
        for cut in np.flatnonzero(merits > -inf):
            yield int(cut), float(merits[cut]), int(default[cut])

    def merits(self, sides: Array, sizes: Rows) -> Array:
        """Merit of each split, -inf where a branch is too small."""
        learner, weights = self.learner, total_weight(self.criterion, sides)
        least_rows = max(learner.least_rows, 1)
        allowed = (sizes >= least_rows).all(axis=1) & (weights >= learner.least_weight).all(axis=1)
        allowed &= weights.min(axis=1) > 1e-13 * weights.sum(axis=1)  # more than the rounding of sums
        if self.criterion == "poisson":
            allowed &= (sides[:, :, 1] > 0).all(axis=1)
        merits = np.full(len(sides), -inf)
        if allowed.any():
            merits[allowed] = self.worth(sides[allowed])
        return merits

    def worth(self, branches: Array) -> Array:
        """Merit of each split, for the rows that know the value."""
        if self.criterion == "gain_ratio" and self.learner.policies[self.feature] == "fractional":
            gain = merit("entropy", branches, self.levels)
            return known_gain_ratio(gain, total_weight(self.criterion, branches), self.node.weight)
        return merit(self.criterion, branches, self.levels) * (1 if self.direction else self.known_share)
