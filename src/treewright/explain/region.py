"""Regions: the rows that meet conditions, and the distance of the nearest of them from a row."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from treewright.explain.row import Row
from treewright.tree import Tree
from treewright.tree.conditions import Condition, Interval, Side, Values

Cost = tuple[int, float]
"""How many features change, and by how much in all, each in its own scale."""

ROOM = 0.01
"""A number may be moved beyond a cut by this much of its scale, to one that is short to write."""

LARGEST_WHOLE = 2.0**52
"""From here on every number is whole, and there may be none that is larger by one."""


@dataclass(frozen=True, eq=False)
class Measure:
    """What changes of a row cost, and which are allowed.

    The cost of several is their sum, each in units of its feature's scale.

    Parameters
    ----------
    row : Row
        The row to be changed.
    scales : tuple of float
        The change of each number that counts as one; categories always change by one.
    whole : frozenset of int
        Features that only take whole numbers.
    bounds : dict of feature to Condition
        What must hold for the changed row anyway: fixed features keep their value.
    """

    row: Row
    scales: tuple[float, ...]
    whole: frozenset[int]
    bounds: Mapping[int, Interval | Values]

    @classmethod
    def of(
        cls,
        trees: Sequence[Tree],
        row: Row,
        fixed: Collection[Any] = (),
        directions: Mapping[Any, str] | None = None,
        scales: Mapping[Any, float] | None = None,
    ) -> Measure:
        """Measure changes by the span of the cuts that the trees make, unless scales are given."""
        schema = row.schema
        given = {schema.feature(key, "scales"): float(scale) for key, scale in (scales or {}).items()}
        for feature, scale in given.items():
            if not (scale > 0 and math.isfinite(scale)):
                raise ValueError(f"scales[{schema.names[feature]!r}] must be above 0, got {scale}.")
        cuts = cuts_by_feature(trees)
        spans = tuple(_span(row, feature, cuts.get(feature)) for feature in range(len(schema.columns)))
        whole = {
            feature
            for feature, column in enumerate(schema.columns)
            if column.kind == "ordinal" or (_is_whole(row[feature]) and _halves(cuts.get(feature)))
        }
        bounds = {feature: _keep(row, feature) for feature in (schema.feature(key, "fixed") for key in fixed)}
        for key, direction in (directions or {}).items():
            feature = schema.feature(key, "directions")
            bounds[feature] = _only(row, feature, direction)
        chosen = tuple(given.get(feature, span) for feature, span in enumerate(spans))
        return cls(row, chosen, frozenset(whole), bounds)

    @cached_property
    def unknown(self) -> frozenset[int]:
        """The features whose value is missing or unseen."""
        features = range(len(self.row.schema.columns))
        return frozenset(feature for feature in features if self.row.is_unknown(feature))

    def price(self, feature: int, condition: Interval | Values) -> Cost:
        """Give the cost of moving a feature to where a condition holds."""
        x = self.row[feature]
        if feature in self.unknown:
            return 1, 1.0
        if isinstance(condition, Values):
            return (0, 0.0) if x in condition.codes else (1, 1.0)
        if condition.low < x <= condition.high:
            return 0, 0.0
        low, high = self._ends(feature, condition)
        return 1, self.distance(feature, low if x <= condition.low else high)

    def distance(self, feature: int, value: float) -> float:
        """Give how far a number is from the row's own, in its feature's scale."""
        x, scale = self.row[feature], self.scales[feature]
        apart = abs(value - x)
        return apart / scale if apart < math.inf else abs(value / scale - x / scale)

    def is_empty(self, feature: int, condition: Interval | Values) -> bool:
        """Say whether no value meets a condition."""
        if isinstance(condition, Values):
            return not condition.codes
        if condition.low >= condition.high:
            return True
        low, high = self._ends(feature, condition)
        return feature in self.whole and low > high

    def _ends(self, feature: int, condition: Interval) -> tuple[float, float]:
        """Give the least and largest value, or the bound where there is no least."""
        if feature not in self.whole:
            return condition.low, condition.high
        low, high = (end if math.isinf(end) else math.floor(end) for end in (condition.low, condition.high))
        return low + 1, high

    def value(self, feature: int, condition: Interval | Values) -> float:
        """Give a value that meets a condition, near the row's own and short to write."""
        x = self.row[feature]
        if isinstance(condition, Values):
            return x if x in condition.codes else min(condition.codes)
        if condition.low < x <= condition.high:
            return x
        low, high = self._ends(feature, condition)
        upwards = x <= condition.low if not math.isnan(x) else math.isfinite(low)
        if not (math.isfinite(low) or math.isfinite(high)):
            return 0.0
        if feature in self.whole:
            return low if upwards else high
        room = ROOM * self.scales[feature]
        if upwards:
            farthest = max(condition.low + room, math.nextafter(condition.low, math.inf))
            return short_number(condition.low, min(condition.high, farthest), upwards)
        return short_number(max(condition.low, condition.high - room), condition.high, upwards)


@dataclass(frozen=True, eq=False)
class Region:
    """The rows that meet conditions: one for each of some features, and sides of splits over several.

    Parameters
    ----------
    measure : Measure
    conditions : dict of feature to Condition
    sides : tuple of Side
    kept : frozenset of int
        Features whose value is missing and stays so.
    """

    measure: Measure
    conditions: Mapping[int, Interval | Values]
    sides: tuple[Side, ...] = ()
    kept: frozenset[int] = frozenset()

    def meet(self, conditions: Sequence[Condition]) -> Region | None:
        """Give the part in which further conditions hold; None if they hold nowhere."""
        found, sides = dict(self.conditions), self.sides
        for condition in conditions:
            if isinstance(condition, Side):
                sides = (*sides, replace(condition, missing=False))
                continue
            feature = condition.feature
            before = found.get(feature, self.measure.bounds.get(feature))
            joint = condition if before is None else before.join(condition)  # type: ignore[arg-type]
            if self.measure.is_empty(feature, joint):
                return None
            found[feature] = joint
        return Region(self.measure, found, sides, self.kept)

    @cached_property
    def cost(self) -> Cost:
        """Give the least that a row of the region costs, sides not counted."""
        unknown = self.measure.unknown
        prices = [
            self.measure.price(feature, condition)
            for feature, condition in self.conditions.items()
            if feature not in unknown
        ]
        count, distance = sum(count for count, _ in prices), sum(distance for _, distance in prices)
        filled = len(unknown) - len(self.kept)
        return count + filled, distance + filled

    def span(self, feature: int) -> tuple[float, float]:
        """Give the bounds of a number in the region."""
        condition = self.conditions.get(feature, self.measure.bounds.get(feature))
        return (condition.low, condition.high) if isinstance(condition, Interval) else (-math.inf, math.inf)

    def changes(self) -> dict[int, float]:
        """Give the values that bring the row into the region at its cost, sides not counted."""
        row, found = self.measure.row, {}
        for feature in self.conditions.keys() | (self.measure.unknown - self.kept):
            condition = self.conditions.get(feature, self.measure.bounds.get(feature))
            value = self.measure.value(feature, condition or _anything(row, feature))
            if value != row[feature]:
                found[feature] = value
        return dict(sorted(found.items()))


def short_number(low: float, high: float, upwards: bool) -> float:
    """Give a number above `low` and at most `high` in few digits, near `low` or near `high`.

    The explorer's page repeats it (`model/region.js`).

    Examples
    --------
    >>> short_number(1.75, 1.77, upwards=True), short_number(2.41, 2.4499999999999997, upwards=False)
    (1.76, 2.44)
    """
    near, size = low if upwards else high, min(max(abs(low), abs(high)), sys.float_info.max)
    largest = Decimal(repr(size)).adjusted() + 1 if size else 0
    for decimals in range(max(-largest, -308), min(17 - largest, 323)):  # powers of ten that are numbers
        steps = math.floor(near / float(f"1e{-decimals}")) + upwards
        number = float(f"{steps}e{-decimals}")
        if low < number <= high and number < math.inf:
            return number
    return min(math.nextafter(low, math.inf), high) if upwards else high


def cuts_by_feature(trees: Sequence[Tree]) -> dict[int, np.ndarray[Any, np.dtype[np.float64]]]:
    """Give the thresholds that trees compare each feature with, surrogates included, each once."""
    found: dict[int, set[float]] = {}
    for tree in trees:
        for feature, cuts in tree.splits.cuts().items():
            found.setdefault(feature, set()).update(cuts)
    return {feature: np.array(sorted(cuts)) for feature, cuts in found.items()}


def _span(row: Row, feature: int, cuts: Any) -> float:
    column = row.schema.columns[feature]
    if column.kind == "ordinal":
        return float(max(len(column.categories) - 1, 1))
    if column.kind == "categorical":
        return 1.0
    cuts = [] if cuts is None else cuts.tolist()
    if len(cuts) > 1:
        span = cuts[-1] - cuts[0]
    else:  # one cut says nothing of the spread: take the size of the numbers
        span = max((abs(number) for number in (*cuts, row[feature]) if not math.isnan(number)), default=1.0)
    return min(span, sys.float_info.max) if span > 0 else 1.0


def _is_whole(number: float) -> bool:
    return math.isnan(number) or (float(number).is_integer() and abs(number) < LARGEST_WHOLE)


def _halves(cuts: Any) -> bool:
    return cuts is not None and bool(np.all((cuts % 0.5 == 0) & (np.abs(cuts) < LARGEST_WHOLE)))


def _keep(row: Row, feature: int) -> Interval | Values:
    """Give the condition that a feature stays as it is."""
    x = row[feature]
    if row.schema.n_categories[feature]:
        return Values(feature, frozenset() if row.is_unknown(feature) else frozenset([int(x)]))
    if math.isnan(x):  # no value will do
        return Interval(feature, math.inf, math.inf)
    return Interval(feature, math.nextafter(x, -math.inf), x)


def _only(row: Row, feature: int, direction: str) -> Interval:
    """Give the condition that a feature moves in one direction only."""
    name, x = row.schema.names[feature], row[feature]
    if row.schema.n_categories[feature]:
        raise ValueError(f"directions names {name!r}, whose categories have no order: use fixed.")
    if direction not in ("up", "down"):
        raise ValueError(f"directions[{name!r}] must be 'up' or 'down', got {direction!r}.")
    if math.isnan(x):
        return Interval(feature)
    return (
        Interval(feature, low=math.nextafter(x, -math.inf))
        if direction == "up"
        else Interval(feature, high=x)
    )


def _anything(row: Row, feature: int) -> Interval | Values:
    n_categories = int(row.schema.n_categories[feature])
    return Values(feature, frozenset(range(n_categories))) if n_categories else Interval(feature)
