"""Equations: a linear model at every node of a regression tree, as flat arrays (Quinlan, 1992)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.formatting.text import number_text, printable, sum_text
from treewright.tree.splits import Table, array_types, concatenated_ranges, freeze, same_arrays

if TYPE_CHECKING:
    from treewright.data import Dataset, Schema

EQUATION_ARRAYS = array_types(
    "float64 constant",
    "int64 begin",
    "int32 feature code",
    "float64 coefficient gain fill range",
)
"""The types of the arrays; among those of a tree their names begin with ``equation_``."""

PREFIX = "equation_"


class Term(NamedTuple):
    """A term of an equation: a coefficient times a number, or an amount for some categories.

    Attributes
    ----------
    feature : int
    codes : tuple of int
        The categories, or positions, that the amount counts for; none for a number.
    coefficient : float
        What the number is multiplied by, or the amount.
    """

    feature: int
    codes: tuple[int, ...]
    coefficient: float


@dataclass(frozen=True, eq=False)
class Equations:
    """What each node says of a row: a constant and a few terms, held to the range of the training target.

    A term is a coefficient times a number, or an amount that counts if the feature has one category or
    position. A value that is missing, and a category that training has not seen, counts as the feature's
    `fill`. The core adds the terms up in their order (`core/predict/equations.hpp`), and so do the page and
    what is exported.

    Parameters
    ----------
    constant : float64 array of n nodes
    begin : int64 array of n + 1
        Node i has the terms ``begin[i]:begin[i + 1]``.
    feature, code : int32 arrays of m terms
        The feature of a term; −1 for its number, or the category that the amount counts for.
    coefficient, gain : float64 arrays of m terms
        What the number is multiplied by, or the amount; what the term saves of the node's sum of squares.
    fill : float64 array of all features
        What stands for a value that is missing: a number, or a category's code.
    range : float64 array of 2
        The lowest and the highest number that is predicted.
    """

    constant: NDArray[np.float64]
    begin: NDArray[np.int64]
    feature: NDArray[np.int32]
    code: NDArray[np.int32]
    coefficient: NDArray[np.float64]
    gain: NDArray[np.float64]
    fill: NDArray[np.float64]
    range: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze(self, EQUATION_ARRAYS)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Equations | None:
        """Take the equations out of the arrays of a tree; None if it has none."""
        if PREFIX + "constant" not in arrays:
            return None
        return cls(**{name: arrays[PREFIX + name] for name in EQUATION_ARRAYS})

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give the arrays by the names that they have among those of a tree."""
        return {PREFIX + name: getattr(self, name) for name in EQUATION_ARRAYS}

    def take(self, nodes: NDArray[Any]) -> Equations:
        """Give the equations of some nodes."""
        sizes = np.diff(self.begin)[nodes]
        kept = concatenated_ranges(self.begin[nodes], sizes)
        return replace(
            self,
            constant=self.constant[nodes],
            begin=np.concatenate(([0], np.cumsum(sizes))),
            **{name: getattr(self, name)[kept] for name in ("feature", "code", "coefficient", "gain")},
        )

    def say(
        self, rows: Dataset, row: NDArray[np.int64], node: NDArray[np.int64], threads: int = 1
    ) -> NDArray[np.float64]:
        """Give what each of the nodes says of the row beside it."""
        at, sizes = rows.schema.position, rows.schema.n_categories
        return _core.evaluate_equations(
            self._core_arrays, rows.numbers, rows.codes, at, sizes, row, node, threads
        )

    @cached_property
    def _core_arrays(self) -> dict[str, NDArray[Any]]:
        return self.arrays()

    def entries(self, node: int) -> Iterator[tuple[int, int, float]]:
        """Go over the terms of a node as they are stored: feature, code and coefficient."""
        terms = slice(*self.begin[node : node + 2].tolist())
        return zip(
            self.feature[terms].tolist(),
            self.code[terms].tolist(),
            self.coefficient[terms].tolist(),
            strict=True,
        )

    def terms(self, node: int) -> list[Term]:
        """List the terms of a node as one reads them: categories of equal amount are one term."""
        found = []
        for (feature, _, coefficient), entries in groupby(
            sorted(self.entries(node), key=lambda entry: (entry[0], entry[1] >= 0, entry[2])),
            key=lambda entry: (entry[0], entry[1] >= 0, entry[2]),
        ):
            codes = tuple(sorted(code for _, code, _ in entries if code >= 0))
            found.append(Term(feature, codes, coefficient))
        return found

    def words(self, schema: Schema, node: int, max_categories: int | None = None) -> str:
        """Write the equation of a node, as in ``31.2 − 0.006·weight, + 2.9 if origin in {2, 3}``."""
        terms = self.terms(node)
        numbers = [term for term in terms if not term.codes]
        names = ["", *(printable(schema.names[term.feature]) for term in numbers)]
        factors = [float(self.constant[node]), *(term.coefficient for term in numbers)]
        words = sum_text(factors[1:], names[1:])
        sign = " − " if words.startswith("−") else " + "
        words = number_text(factors[0]).replace("-", "−") + (sign + words.removeprefix("−") if words else "")
        for term in terms:
            if term.codes:
                held = Table(term.feature, dict.fromkeys(term.codes, 0), 1)
                condition = held.condition(schema, 0, max_categories=max_categories)
                amount = number_text(abs(term.coefficient))
                words += f", {'−' if term.coefficient < 0 else '+'} {amount} if {condition}"
        return words

    def limits(self, schema: Schema, nodes: NDArray[Any]) -> list[str]:
        """Say what stands for missing values in the equations of some nodes, and what they are held to."""
        kept = concatenated_ranges(self.begin[nodes], np.diff(self.begin)[nodes])
        filled = [
            f"{printable(schema.names[feature])} = {schema.columns[feature].text(float(self.fill[feature]))}"
            for feature in np.unique(self.feature[kept]).tolist()
        ]
        low, high = (number_text(float(end)).replace("-", "−") for end in self.range)
        held = f"predictions are held to {low} … {high}"
        return [f"missing values count in equations as {', '.join(filled)}"] * bool(filled) + [held]

    def by_feature(self, node: int, row: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give what each feature of a row adds to the equation of a node, beyond what its fill would.

        Parameters
        ----------
        node : int
        row : float array of all features
            Numbers, positions and codes; NaN is missing.
        """
        known = np.where(np.isnan(row), self.fill, row)
        added = np.zeros(len(row))
        for feature, code, coefficient in self.entries(node):
            value, usual = known[feature], self.fill[feature]
            if code < 0:
                added[feature] += coefficient * value - coefficient * usual
            else:
                added[feature] += coefficient * (float(value == code) - float(usual == code))
        return added

    def gain_by_feature(self, nodes: NDArray[Any]) -> NDArray[np.float64]:
        """Add up by feature what the terms of some nodes save of the sums of squares."""
        kept = concatenated_ranges(self.begin[nodes], np.diff(self.begin)[nodes])
        return np.bincount(self.feature[kept], self.gain[kept], minlength=len(self.fill)).astype(np.float64)

    def at_fill(self) -> NDArray[np.float64]:
        """Give what each node says of a row that misses every value, before it is held to the range."""
        value = self.fill[self.feature]
        added = np.where(self.code < 0, self.coefficient * value, self.coefficient * (value == self.code))
        owner = np.repeat(np.arange(len(self.constant)), np.diff(self.begin))
        return self.constant + np.bincount(owner, added, minlength=len(self.constant))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Equations):
            return NotImplemented
        return all(same_arrays(getattr(self, name), getattr(other, name)) for name in EQUATION_ARRAYS)

    __hash__ = None  # type: ignore[assignment]  # equal by content, as arrays are
