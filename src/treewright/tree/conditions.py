"""Conditions of branches: intervals, sets of categories and sides, joined by feature, tested on tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import value_text
from treewright.formatting.text import printable
from treewright.tree.splits import (
    UNANSWERED,
    Hyperplane,
    Sphere,
    Split,
    Table,
    Threshold,
    bound_words,
    branch_of,
    feature_cuts,
)

if TYPE_CHECKING:
    from treewright.data import Schema

LISTED = 3
"""Up to this many categories are listed; of more, the shorter of those allowed and those ruled out."""


@dataclass(frozen=True)
class Rows:
    """Encoded rows of a table, or some of them, to test conditions on."""

    schema: Schema
    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, chosen: NDArray[np.int64]) -> Rows:
        """Give some of the rows."""
        return Rows(self.schema, self.numbers[chosen], self.codes[chosen])

    def values(self, feature: int, rows: NDArray[np.int64] | slice) -> NDArray[Any]:
        """Numbers or codes of a feature."""
        position = self.schema.position[feature]
        table = self.codes if self.schema.n_categories[feature] else self.numbers
        return np.asarray(table[rows, position])


@dataclass(frozen=True)
class Interval:
    """A number or a position in an order lies above `low` and is at most `high`; or it is missing.

    Parameters
    ----------
    feature : int
    low, high : float
        Infinite where there is no bound. Both are +inf if only missing values will do.
    missing : bool
        Whether a missing value will do.
    below : bool
        Whether it reads as *at least the number after* `low` and *below that after* `high`, see `Threshold`.
    """

    feature: int
    low: float = -math.inf
    high: float = math.inf
    missing: bool = False
    below: bool = field(default=False, compare=False, repr=False)

    @property
    def features(self) -> tuple[int, ...]:
        """The features that are asked for."""
        return (self.feature,)

    def holds(self, rows: Rows, chosen: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.bool_]:
        """Say for each row, or each of those chosen, whether the condition holds."""
        x = rows.values(self.feature, chosen)
        inside = (x > self.low) & (x <= self.high)  # false for NaN
        return inside | np.isnan(x) if self.missing else inside

    def join(self, other: Interval) -> Interval:
        """Give the condition that both hold."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return replace(self, low=low, high=max(low, high), missing=self.missing and other.missing)

    def weaker(self) -> list[Condition | None]:
        """List what is left when one part of the condition is dropped; None is nothing."""
        if math.isinf(self.low) or math.isinf(self.high):
            return [None]
        return [replace(self, low=-math.inf), replace(self, high=math.inf)]

    def words(self, schema: Schema, *, decimals: int | None = None, max_categories: int | None = None) -> str:
        """Say the condition, as in ``2.45 < petal length ≤ 4.75``."""
        column = schema.columns[self.feature]
        name = printable(column.name)
        if self.low == math.inf:
            return f"{name} is missing"
        if self.low == -math.inf and self.high == math.inf:
            return f"{name} is known"
        if self.low == -math.inf or self.high == math.inf:
            above = self.high == math.inf
            cut = Threshold(self.feature, self.low if above else self.high, self.below)
            return cut.condition(schema, int(above), decimals=decimals)
        if column.kind == "ordinal" and math.floor(self.low + 1) == math.floor(self.high):
            return f"{name} = {value_text(column, self.high)}"
        (_, low), (under, high) = (bound_words(cut, 0, self.below) for cut in (self.low, self.high))
        low_text, high_text = (value_text(column, bound, decimals) for bound in (low, high))
        return f"{low_text} {'≤' if self.below else '<'} {name} {under} {high_text}"


@dataclass(frozen=True)
class Values:
    """A category is one of `codes`; or it is missing."""

    feature: int
    codes: frozenset[int]
    missing: bool = False

    @property
    def features(self) -> tuple[int, ...]:
        """The features that are asked for."""
        return (self.feature,)

    def holds(self, rows: Rows, chosen: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.bool_]:
        """Say for each row, or each of those chosen, whether the condition holds."""
        will_do = np.zeros(rows.schema.n_categories[self.feature] + 1, bool)
        will_do[list(self.codes)] = True
        will_do[-1] = self.missing  # where code −1 looks
        return np.asarray(will_do[np.maximum(rows.values(self.feature, chosen), -1)])

    def join(self, other: Values) -> Values:
        """Give the condition that both hold."""
        return Values(self.feature, self.codes & other.codes, self.missing and other.missing)

    def weaker(self) -> list[Condition | None]:
        """List what is left when one part of the condition is dropped: nothing."""
        return [None]

    def words(self, schema: Schema, *, decimals: int | None = None, max_categories: int | None = None) -> str:
        """Say the condition, as in ``outlook = Sunny``, ``colour in {blue, red}`` or ``colour ≠ red``."""
        column = schema.columns[self.feature]
        name, others = printable(column.name), set(range(len(column.categories))) - self.codes
        if not self.codes:
            return f"{name} is missing"
        if not others:
            return f"{name} is known"
        negated = len(self.codes) > LISTED and len(others) < len(self.codes)
        listed = sorted(others if negated else self.codes)
        if len(listed) == 1:
            return f"{name} {'≠' if negated else '='} {value_text(column, listed[0])}"
        table = Table(self.feature, dict.fromkeys(listed, 0), 1)
        return table.condition(schema, 0, max_categories=max_categories).replace(
            f"{name} in {{", f"{name} {'not ' * negated}in {{", 1
        )


@dataclass(frozen=True)
class Side:
    """A row lies on one side of a split that looks at several features; or it misses one of them."""

    split: Hyperplane | Sphere
    branch: int
    missing: bool = False

    @property
    def features(self) -> tuple[int, ...]:
        """The features that are asked for."""
        return self.split.features

    def holds(self, rows: Rows, chosen: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.bool_]:
        """Say for each row, or each of those chosen, whether the condition holds."""
        branch = branch_of(self.split, rows, np.arange(len(rows))[chosen])
        return np.isin(branch, [self.branch, UNANSWERED] if self.missing else [self.branch])

    def weaker(self) -> list[Condition | None]:
        """List what is left when one part of the condition is dropped: nothing."""
        return [None]

    def words(self, schema: Schema, *, decimals: int | None = None, max_categories: int | None = None) -> str:
        """Say the condition, as in ``0.8·a − 0.3·b ≤ 1.9``."""
        return self.split.condition(schema, self.branch, decimals=decimals)


Condition: TypeAlias = Interval | Values | Side


def on_branch(split: Split, branch: int, schema: Schema, default_branch: int) -> Condition:
    """Give what holds on a branch of a split; what the split leaves unanswered is on the default branch.

    Examples
    --------
    >>> from treewright.data import Column, Schema
    >>> schema = Schema((Column("age"), Column("pet", "categorical", ("cat", "dog", "fish"))))
    >>> on_branch(Threshold(0, 30.5), 1, schema, default_branch=0).words(schema)
    'age > 30.5'
    >>> on_branch(Table(1, {0: 0, 1: 1}, 2), 0, schema, default_branch=0).words(schema)  # no fish was there
    'pet in {cat, fish}'
    >>> turned = Hyperplane((0,), (-1.0,), -30.0, below=True)  # −age ≤ −30
    >>> on_branch(turned, 0, schema, default_branch=0).words(schema)
    'age ≥ 30'
    """
    condition = replace(answered(split, branch), missing=branch == default_branch)
    if condition.missing and isinstance(condition, Values) and isinstance(split, Table):
        everything = range(int(schema.n_categories[split.feature]))
        return replace(condition, codes=condition.codes | (frozenset(everything) - split.branches.keys()))
    return condition


def answered(split: Split, branch: int) -> Condition:
    """Give what holds for the known rows that a split sends to a branch."""
    if isinstance(split, Table):
        return Values(split.feature, frozenset(split.groups[branch]))
    cuts = feature_cuts(split)
    ends = (-math.inf, *cuts, math.inf)
    if not isinstance(split, Hyperplane | Sphere):
        return Interval(split.feature, ends[branch], ends[branch + 1], below=getattr(split, "below", False))
    if not cuts:
        return Side(split, branch)
    place = len(cuts) - branch  # it runs the other way
    return Interval(split.features[0], ends[place], ends[place + 1], below=getattr(split, "below", False))


def joined(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Join the conditions on each feature to one, in the order in which the features come first.

    Examples
    --------
    >>> from treewright.data import Column, Schema
    >>> schema = Schema((Column("age"),))
    >>> [condition.words(schema) for condition in joined([Interval(0, low=30), Interval(0, high=50)])]
    ['30 < age ≤ 50']
    """
    found: dict[Any, Condition] = {}
    for condition in conditions:
        key = condition if isinstance(condition, Side) else condition.feature
        before = found.get(key)
        found[key] = condition if before is None or isinstance(condition, Side) else before.join(condition)  # type: ignore[union-attr, arg-type]
    return tuple(found.values())


def condition_words(
    condition: Condition,
    schema: Schema,
    *,
    decimals: int | None = None,
    max_categories: int | None = 8,
    missing: bool = False,
) -> str:
    """Say a condition, and if asked to whether a missing value will do too."""
    words = condition.words(schema, decimals=decimals, max_categories=max_categories)
    return (
        f"{words} or missing"
        if missing and condition.missing and not words.endswith(" is missing")
        else words
    )
