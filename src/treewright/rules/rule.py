"""Rule: conditions, prediction, and the training rows behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.tree.conditions import Condition, Rows, condition_words

if TYPE_CHECKING:
    from treewright.data import Schema

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rule:
    """IF all conditions hold THEN the class, or the number, that fits the rows of which they hold.

    A rule out of a tree is the path to a leaf, the conditions on one feature joined.

    Parameters
    ----------
    conditions : tuple of Condition
        At most one for each feature; none at all for what holds otherwise.
    value : float array
        Weight of each class among the rows covered, or the number predicted.
    label : int
        Code of the class predicted; 0 for a number.
    count : int
        How many rows are covered.
    weight : float
        Their weight.
    risk : float
        Weight of the rows covered that are of another class, or their sum of squares about the number.
    """

    conditions: tuple[Condition, ...]
    value: Array
    label: int
    count: int
    weight: float
    risk: float = field(repr=False)

    @cached_property
    def confidence(self) -> float:
        """Share of the predicted class among the rows covered; NaN if there are none."""
        return float(self.value[self.label] / self.weight) if self.weight > 0 else np.nan

    @property
    def n_tests(self) -> int:
        """The number of bounds, value lists and sides that are tested."""
        return sum(len(condition.weaker()) for condition in self.conditions)

    def covers(self, rows: Rows, chosen: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Give the rows, or those of the chosen, for which all conditions hold."""
        left = np.arange(len(rows)) if chosen is None else chosen
        for condition in self.conditions:
            left = left[condition.holds(rows, left)]
        return left

    def premise(
        self,
        schema: Schema,
        *,
        decimals: int | None = None,
        max_categories: int | None = 8,
        missing: bool = False,
    ) -> list[str]:
        """Say each condition."""
        return [
            condition_words(
                condition, schema, decimals=decimals, max_categories=max_categories, missing=missing
            )
            for condition in self.conditions
        ]


def first_rule(rules: Sequence[Rule], rows: Rows) -> NDArray[np.int64]:
    """Give the position of the first rule that covers each row; `len(rules)` where none does."""
    which = np.full(len(rows), len(rules), np.int64)
    left = np.arange(len(rows))
    for position, rule in enumerate(rules):
        covered = rule.covers(rows, left)
        if len(covered):
            which[covered] = position
            left = left[which[left] == len(rules)]
    return which
