"""The best tree by trying all of them: slow, and plain enough to be believed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Found:
    """A best tree: what it costs with its leaves, how many these are, and its tests.

    A tree is `None` for a leaf, else (feature, what, missing_left, left, right); `what` is the largest number
    that goes left, ("=", code), ("in", codes on the left) or "known".
    """

    objective: float
    n_leaves: int
    tree: tuple | None


class Reference:
    """All trees on a table: columns of numbers (NaN) or of codes (−1), and the cost of each row by label."""

    def __init__(self, numbers, codes, y, *, weight=None, costs=None, factor=None, alpha=0.0):
        n = len(y)
        self.columns = [("number", np.asarray(column, float)) for column in numbers]
        self.columns += [("code", np.asarray(column, int)) for column in codes]
        weight = np.ones(n) if weight is None else np.asarray(weight, float)
        self.y, self.regression = np.asarray(y), np.asarray(y).dtype.kind == "f"
        if not self.regression:
            k = int(self.y.max()) + 1 if costs is None else len(costs)
            factor = np.ones(k) if factor is None else np.asarray(factor, float)
            costs = 1.0 - np.eye(k) if costs is None else np.asarray(costs, float)
            weight = weight * factor[self.y]
            self.row_costs = weight[:, None] * costs[self.y]
        self.weight, self.total, self.alpha = weight, weight.sum(), alpha
        self.best = cache(self._best)
        self.everything = (1 << n) - 1
        self.n = n

    def rows(self, mask):
        return np.array([i for i in range(self.n) if mask >> i & 1])

    def leaf(self, rows):
        if self.regression:
            y, w = self.y[rows], self.weight[rows]
            return float((w * (y - (w * y).sum() / w.sum()) ** 2).sum()) / self.total + self.alpha
        return float(self.row_costs[rows].sum(axis=0).min()) / self.total + self.alpha

    def tests(self, rows):
        """Yield all tests of a node in the order of ties, with the rows that go left."""
        for feature, (kind, column) in enumerate(self.columns):
            x = column[rows]
            missing = np.isnan(x) if kind == "number" else x < 0
            known = np.unique(x[~missing])
            sides = (True, False) if missing.any() else (False,)
            if kind == "number":
                for cut, _ in pairwise(known):
                    for left in sides:
                        yield feature, float(cut), left, (x <= cut) | (missing & left)
            else:
                for code in known:
                    for left in sides:
                        yield feature, ("=", int(code)), left, (x == code) | (missing & left)
            if missing.any():
                yield feature, "known", False, ~missing

    def subsets(self, rows):
        """Yield all groupings of categories, for branches that are leaves; the first goes left."""
        for feature, (kind, column) in enumerate(self.columns):
            if kind != "code":
                continue
            x = column[rows]
            groups = [code for code in np.unique(x) if code >= 0] + [-1] * int((x < 0).any())
            for number in range(2 ** (len(groups) - 1) - 1):
                left = [groups[0], *(g for i, g in enumerate(groups[1:]) if number >> i & 1)]
                inside = np.isin(x, left)
                if inside.any() and not inside.all():
                    yield feature, ("in", tuple(map(int, left))), inside

    def _best(self, mask, depth, leaves):
        rows = self.rows(mask)
        best = Found(self.leaf(rows), 1, None)
        if depth == 0 or leaves < 2:
            return best

        def offer(objective, n_leaves, tree):
            nonlocal best
            if objective < best.objective - TOLERANCE or (
                objective < best.objective + TOLERANCE and n_leaves < best.n_leaves
            ):
                best = Found(objective, n_leaves, tree)

        two = [(f, 0, what, None, inside) for f, what, inside in self.subsets(rows)]
        two += [(f, 1, what, left, inside) for f, what, left, inside in self.tests(rows)]
        for feature, group in _grouped(two):
            for _, what, left, inside in group:
                if inside.all() or not inside.any():
                    continue
                one, other = rows[inside], rows[~inside]
                if left is None:  # a subset: two leaves
                    offer(self.leaf(one) + self.leaf(other), 2, (feature, what, None, None, None))
                    continue
                a, b = sum(1 << int(i) for i in one), sum(1 << int(i) for i in other)
                most = min(2 ** (depth - 1), leaves - 1)
                shares = [(k, leaves - k) for k in range(1, leaves)] if leaves < 2 * most else [(most, most)]
                for share, rest in shares:
                    x, y = self.best(a, depth - 1, share), self.best(b, depth - 1, rest)
                    tree = feature, what, left, x.tree, y.tree
                    offer(x.objective + y.objective, x.n_leaves + y.n_leaves, tree)
        return best

    def solve(self, depth, leaves=None):
        return self.best(self.everything, depth, min(leaves or 2**depth, 2**depth))


def _grouped(tests):
    """Tests by feature; subsets come before tests of one category, which are among them."""
    for feature in sorted({test[0] for test in tests}):
        mine = (test for test in tests if test[0] == feature)
        yield feature, [test[1:] for test in sorted(mine, key=lambda test: test[1])]
