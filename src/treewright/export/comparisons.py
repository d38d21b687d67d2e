"""What a program compares: inputs, sums of them, ascending cuts, and lookups of codes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from treewright.data.columns import Column
from treewright.data.predicates import Predicate

UNSEEN = -1
"""The code of a category never seen that follows the largest branch."""


@dataclass(frozen=True)
class Input:
    """A column that the model asks for, or a predicate that is worked out of such columns."""

    feature: int
    column: Column
    predicate: Predicate | None = None

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.column.name

    @property
    def has_codes(self) -> bool:
        """Whether the number of the input stands for a category: a code, or a position in an order."""
        return self.column.kind != "numeric"


@dataclass(frozen=True)
class Plane:
    """The sum of weight · x over (input, weight), from left to right."""

    terms: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Ball:
    """The sum of scale · (x − centre) · (x − centre) over (input, centre, scale), from left to right."""

    terms: tuple[tuple[int, float, float], ...]


Oblique: TypeAlias = Plane | Ball


@dataclass(frozen=True)
class Cut:
    """The branch is the number of ascending cuts that lie below the quantity; unanswered if it is NaN.

    With `below` it is told as the model tells it, see `Threshold`.
    """

    quantity: int
    cuts: tuple[float, ...]
    below: bool = field(default=False, compare=False, repr=False)

    @property
    def n_branches(self) -> int:
        """One more than there are cuts."""
        return len(self.cuts) + 1

    def branch(self, x: float) -> int | None:
        """Give the branch of a quantity; None if it is unanswered."""
        return None if math.isnan(x) else sum(x > cut for cut in self.cuts)

    def bounds(self, branch: int) -> tuple[float, float]:
        """Give what the quantity is above, and what it is at most, on a branch."""
        ends = (-math.inf, *self.cuts, math.inf)
        return ends[branch], ends[branch + 1]


@dataclass(frozen=True)
class Lookup:
    """The branch of each code; a code that is not listed, and NaN, are unanswered."""

    quantity: int
    branches: Mapping[int, int]

    def branch(self, x: float) -> int | None:
        """Give the branch of a quantity; None if it is unanswered."""
        return None if math.isnan(x) else self.branches.get(int(x))

    def codes(self, branch: int) -> tuple[int, ...]:
        """Give the codes of a branch, ascending."""
        return tuple(sorted(code for code, taken in self.branches.items() if taken == branch))


Test: TypeAlias = Cut | Lookup
