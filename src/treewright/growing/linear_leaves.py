"""Linear leaves: an equation of few terms for every node of a regression tree.

Quinlan (1992), *Learning with continuous classes*; Wang & Witten (1997), *Inducing model trees for continuous
classes*. `core/linear/equations.hpp` says how the terms of a node are chosen and weighed. Numbers enter as
they are. The categories of a feature are put in the order of their mean target, positions keep theirs, and
each cut of the order is a column; so an equation has an amount for each group of categories. Coefficients are
rounded where that moves no prediction by more than a share of the target's spread: the equation that is shown
is the one that predicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Dataset
from treewright.data.columns import Column
from treewright.tree import Tree
from treewright.tree.equations import Equations
from treewright.tree.routing import place
from treewright.tree.topology import sum_below

Array = NDArray[np.float64]

RIDGES = (3.0, 10.0)
"""Weights of rows by which the equation of a node may be drawn to that of the node above."""
PRICE = 1.5
"""How many times a number that is estimated counts in what is expected of further rows."""
MOST_CATEGORIES = 32
"""A feature of more categories is left to the splits: groups of them are no term to read."""
MOST_COLUMNS = 40
"""So many columns are offered to equations, those of the features that go best with the target."""
SMALLEST_LEAF = 10
"""Fewer rows than these tell no equation."""
SMALLEST_SCALE = 1e-150
"""Numbers that differ by less are taken as one: the coefficients would be too large for any target."""
SMALLEST_SHARE = 1 / 256
"""Leaves have at least this share of the rows: nobody reads a thousand equations."""
ROUNDED = 5e-4
"""By how much of the target's standard deviation a coefficient may be off for the sake of few digits."""
CHUNK = 1 << 14
"""Rows whose columns are worked out at a time."""


def with_equations(tree: Tree, rows: Dataset, *, ridge: float = RIDGES[0], unit: float = 1.0) -> Tree:
    """Give a regression tree an equation at every node.

    Parameters
    ----------
    tree, rows : Tree, Dataset
        The tree, which stays as it is, and the rows that it was grown on.
    ridge : float
        Weight of rows by which the equation of a node is drawn to that of the node above; the root's is not
        drawn.
    unit : float
        The weight that counts as a row.

    Returns
    -------
    Tree
        Its `risk` is what is expected of further rows: the sum of squares that the equation leaves, times
        (n + v) / (n − v) for n rows and v numbers that are estimated, each counted `PRICE` times.

    Examples
    --------
    >>> from treewright import Dataset, Recipe, grow
    >>> table, target = [[x] for x in range(20)], [3.0 + 2 * x for x in range(20)]
    >>> rows = Dataset.from_table(table, target, task="regression")
    >>> tree = with_equations(grow(rows, Recipe("squared_error", max_depth=0)), rows)
    >>> tree.equations.constant.tolist(), tree.equations.terms(0)
    ([3.0], [Term(feature=0, codes=(), coefficient=2.0)])
    """
    assert rows.target is not None
    y = rows.target.astype(np.float64, copy=False)
    target = _Scaled.of(y, _weight(rows))
    design = _Design.of(rows, target)
    parts = place(tree, rows)
    width = design.size + 2
    sums = np.zeros((len(tree), width * width))
    for begin in range(0, len(parts.row), CHUNK):
        some = parts.take(slice(begin, begin + CHUNK))
        z = design.columns(rows, some.row)
        _core.add_products(z, target(y[some.row]), some.weight, some.node, sums)
    found = _core.fit_equations(tree.parent, sum_below(tree.parent, sums), design.size, ridge, PRICE, unit)
    return replace(
        tree,
        equations=design.equations(found, target),
        risk=found["risk"] * target.scale * target.scale,
    )


def smallest_leaf(rows: Dataset, min_samples_leaf: int, unit: float) -> float:
    """Give the weight of the smallest leaf that may have an equation."""
    total = float(len(rows) if rows.weight is None else rows.weight.sum())
    return max(min_samples_leaf * unit, SMALLEST_LEAF * unit, SMALLEST_SHARE * total)


def _weight(rows: Dataset) -> Array:
    return np.ones(len(rows)) if rows.weight is None else rows.weight


def _mean(values: Array, weight: Array) -> float:
    return float((values * weight).sum() / weight.sum())


def _short(number: float, tolerance: float) -> float:
    """Give the number of the fewest digits that is as near as this.

    Examples
    --------
    >>> _short(0.123456, 0.001), _short(-1234.5, 20), _short(0.0001, 0.001)
    (0.123, -1230.0, 0.0)
    """
    if abs(number) <= tolerance:
        return 0.0
    rounded = (float(f"{number:.{digits}g}") for digits in range(1, 17))
    return next((short for short in rounded if abs(short - number) <= tolerance), number)


def _all_short(numbers: Array, tolerance: float) -> Array:
    """Give every number in the fewest digits."""
    short = np.zeros(numbers.shape)
    for cell in zip(*np.nonzero(np.abs(numbers) > tolerance), strict=True):
        short[cell] = _short(float(numbers[cell]), tolerance)
    return short


@dataclass(frozen=True)
class _Scaled:
    """Numbers about a centre, in units of their standard deviation."""

    centre: float
    scale: float
    furthest: float
    """The largest distance from the centre."""

    @classmethod
    def of(cls, values: Array, weight: Array, centre: float | None = None) -> _Scaled:
        centre = _mean(values, weight) if centre is None else centre
        with np.errstate(over="ignore", invalid="ignore"):
            away = np.abs(values - centre)
        furthest = float(away.max())
        if not 0 < furthest < np.inf:
            return cls(centre, 1.0, furthest)
        return cls(centre, furthest * float(np.sqrt(_mean((away / furthest) ** 2, weight))), furthest)

    def __call__(self, values: Array) -> Array:
        return (values - self.centre) / self.scale

    @property
    def varies(self) -> bool:
        """Whether the numbers differ, and neither differences nor quotients leave the doubles."""
        return 0 < self.furthest < np.inf and self.scale > SMALLEST_SCALE


@dataclass(frozen=True, eq=False)
class _Number:
    """A numeric feature: one column, a value that is missing is the mean to four digits."""

    feature: int
    fill: float
    scaled: _Scaled

    size = 1

    def columns(self, values: Array) -> Array:
        return self.scaled(np.where(np.isnan(values), self.fill, values))[:, None]

    def amounts(self, by_column: Array, spread: float) -> tuple[NDArray[np.int32], Array, Array]:
        """Give a code, each node's coefficient of it, and what that adds to a row of the mean."""
        tolerance = ROUNDED * spread / self.scaled.furthest
        coefficient = _all_short(by_column * spread / self.scaled.scale, tolerance)
        return np.array([-1], np.int32), coefficient, coefficient[:, 0] * self.fill


@dataclass(frozen=True, eq=False)
class _Groups:
    """A feature of categories or positions: a column for each cut of their order."""

    feature: int
    fill: int
    rank: NDArray[np.int64]
    """Place of each code in the order."""
    centre: Array
    """Share of the rows above each cut."""
    scale: Array

    @property
    def size(self) -> int:
        return len(self.centre)

    def columns(self, values: Array) -> Array:
        place = self.rank[np.where(np.isnan(values) | (values < 0), self.fill, values).astype(np.int64)]
        return ((place[:, None] > np.arange(self.size)) - self.centre) / self.scale

    def amounts(self, by_column: Array, spread: float) -> tuple[NDArray[np.int32], Array, Array]:
        """Give the codes, each node's amounts, none for the most frequent category, and their mean."""
        amount = np.zeros((len(by_column), self.size + 1))
        np.cumsum(by_column * spread / self.scale, axis=1, out=amount[:, 1:])
        by_rank = _all_short(amount - amount[:, [self.rank[self.fill]]], ROUNDED * spread)
        share = -np.diff(np.concatenate(([1.0], self.centre, [0.0])))
        return np.arange(len(self.rank), dtype=np.int32), by_rank[:, self.rank], (share * by_rank).sum(axis=1)


@dataclass(frozen=True, eq=False)
class _Design:
    """The columns that equations are made of."""

    features: tuple[_Number | _Groups, ...]
    fill: Array
    range: Array

    @property
    def size(self) -> int:
        return sum(feature.size for feature in self.features)

    @classmethod
    def of(cls, rows: Dataset, target: _Scaled) -> _Design:
        """Choose the columns by the rows to learn from."""
        assert rows.target is not None
        weight, y = _weight(rows), target(rows.target.astype(np.float64, copy=False))
        offered = [
            found
            for feature, column in enumerate(rows.schema.columns)
            if (found := _offered(feature, column, _values(rows, feature), y, weight)) is not None
        ]
        if sum(feature.size for feature in offered) > MOST_COLUMNS:
            offered = list(_best(offered, rows, y * weight))
        fill = np.zeros(len(rows.schema.columns))
        for one in offered:
            fill[one.feature] = one.fill
        return cls(tuple(offered), fill, np.array([rows.target.min(), rows.target.max()]))

    def columns(self, rows: Dataset, row: NDArray[np.int64]) -> Array:
        """Give the columns of some rows."""
        every = [one.columns(_values(rows, one.feature)[row]) for one in self.features]
        return np.concatenate([np.empty((len(row), 0)), *every], axis=1)

    def equations(self, found: dict[str, NDArray[np.generic]], target: _Scaled) -> Equations:
        """Write what was found in units of the table, in few digits."""
        by_column = np.asarray(found["coefficient"], np.float64)
        gain = np.asarray(found["gain"], np.float64).reshape(len(by_column), self.size)
        said, first = target.centre + target.scale * by_column[:, 0], 0
        feature, code = (np.empty(0, np.int32) for _ in range(2))
        amount, gains = (np.empty((len(by_column), 0)) for _ in range(2))
        for one in self.features:
            its = slice(first, first := first + one.size)
            codes, amounts, added = one.amounts(by_column[:, 1:][:, its], target.scale)
            n_terms = np.maximum(np.count_nonzero(amounts, axis=1), 1)
            share = gain[:, its].sum(axis=1) * target.scale**2 / n_terms
            feature = np.append(feature, np.full(len(codes), one.feature, np.int32))
            code = np.append(code, codes)
            amount = np.append(amount, amounts, axis=1)
            gains = np.append(gains, np.repeat(share[:, None], len(codes), axis=1), axis=1)
            said -= added
        if target.varies:
            said = _all_short(said, ROUNDED * target.scale)
        node, term = np.nonzero(amount)
        begin = np.searchsorted(node, np.arange(len(by_column) + 1))
        terms = (feature[term], code[term], amount[node, term], gains[node, term])
        return Equations(said, begin, *terms, self.fill, self.range)


def _values(rows: Dataset, feature: int) -> Array:
    """Give a column of the table as numbers: values, positions, or codes."""
    at = rows.schema.position[feature]
    is_code = rows.schema.columns[feature].kind == "categorical"
    return rows.codes[:, at].astype(np.float64) if is_code else rows.numbers[:, at]


def _offered(
    feature: int, column: Column, values: Array, y: Array, weight: Array
) -> _Number | _Groups | None:
    """Make the columns of a feature; None if it is left to the splits."""
    known = ~np.isnan(values) & ((column.kind != "categorical") | (values >= 0))
    if not known.any() or column.unit is not None or column.offset:
        return None  # moments, and numbers too large to be exact
    if column.kind == "numeric":
        with np.errstate(over="ignore", invalid="ignore"):
            fill = float(f"{_mean(values[known], weight[known]):.4g}")
        scaled = _Scaled.of(np.where(known, values, fill), weight, fill)
        return _Number(feature, fill, scaled) if np.isfinite(fill) and scaled.varies else None
    n_categories = len(column.categories)
    if not 2 <= n_categories <= MOST_CATEGORIES:
        return None
    code, n = values[known].astype(np.int64), n_categories
    of_code = np.bincount(code, weight[known], n)
    sums = np.bincount(code, (y * weight)[known], n)
    fill_code = int(np.argmax(of_code))
    mean = np.where(of_code > 0, sums / np.where(of_code > 0, of_code, 1.0), 0.0)
    order = np.arange(n) if column.kind == "ordinal" else np.argsort(mean, kind="stable")
    of_code[fill_code] += weight[~known].sum()
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    centre = 1 - np.cumsum(of_code[order])[:-1] / of_code.sum()
    scale = np.sqrt(np.maximum(centre * (1 - centre), 0.0))
    return _Groups(feature, fill_code, rank, centre, np.where(scale > 0, scale, 1.0))


def _best(offered: Iterable[_Number | _Groups], rows: Dataset, y: Array) -> Iterator[_Number | _Groups]:
    """Take the features whose columns go best with the target, as many as there is place for."""
    score = {
        one.feature: float(np.abs((one.columns(_values(rows, one.feature)) * y[:, None]).sum(axis=0)).max())
        for one in offered
    }
    left, kept = MOST_COLUMNS, set()
    for one in sorted(offered, key=lambda one: -score[one.feature]):
        if one.size <= left:
            left -= one.size
            kept.add(one.feature)
    return (one for one in offered if one.feature in kept)
