"""Columns: name, kind, categories and unit of a feature; raw values; stored values as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor, isfinite, isnan
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.data import times
from treewright.errors import DataError
from treewright.formatting.suggestions import nearest
from treewright.formatting.text import number_text, quoted, shortest, some

Category: TypeAlias = str | bool | int | float | np.datetime64 | np.timedelta64
Kind: TypeAlias = Literal["numeric", "categorical", "ordinal"]
Unseen: TypeAlias = Literal["missing", "majority", "error"]

MISSING, MAJORITY = -1, -2
"""Codes of a value that is missing, and of an unseen value that follows the largest branch."""

LARGEST = float(np.finfo(np.float64).max)
"""The largest float64 number."""


MISSING_TEXTS = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
"""Fields of text files that are missing values."""


def is_row_labels(name: str) -> bool:
    """Tell whether pandas has written the labels of rows, and no column, under a name.

    Examples
    --------
    >>> is_row_labels("__index_level_0__"), is_row_labels("level")
    (True, False)
    """
    return re.fullmatch(r"__index_level_\d+__", name) is not None


def feature_number(key: Any, names: Sequence[str], parameter: str = "feature") -> int:
    """Find a feature by its name or its number.

    Parameters
    ----------
    key : str or int
    names : sequence of str
        The names of all features.
    parameter : str
        Where the feature was named, for errors.

    Examples
    --------
    >>> feature_number("b", ["a", "b"]), feature_number(0, ["a", "b"])
    (1, 0)
    """
    if isinstance(key, str) and key in names:
        return names.index(key)
    if isinstance(key, int | np.integer) and not isinstance(key, bool) and 0 <= key < len(names):
        return int(key)
    raise DataError(
        f"{parameter} names {key!r}, which is no feature: use one of {some(names)}, or a number from 0 to "
        f"{len(names) - 1}.{nearest(key, names)}"
    )


@dataclass(frozen=True)
class Column:
    """One feature: its name, what kind of values it has and how they are stored.

    Parameters
    ----------
    name : str
    kind : {"numeric", "categorical", "ordinal"}
    categories : tuple
        Value of each code, or of each position of an ordinal feature.
    unit : str or None
        NumPy type of a column of times, such as `"datetime64[s]"`; moments with a time zone are kept in UTC.
    offset : int
        A stored number is the value less the offset.
    boolean : bool
        Whether the rows learned from have no numbers but 0 and 1, so that there is one way to part them.

    Examples
    --------
    >>> Column("size", "ordinal", ("small", "large")).text(0.5)
    'small'
    >>> Column("born", unit="datetime64[D]", offset=18262).text(1.5)
    '2020-01-02T12:00'
    """

    name: str
    kind: Kind = "numeric"
    categories: tuple[Category, ...] = ()
    unit: str | None = None
    offset: int = 0
    boolean: bool = False

    @cached_property
    def code_of(self) -> dict[Category, int]:
        """Code of each category."""
        return {category: code for code, category in enumerate(self.categories)}

    @property
    def is_truth(self) -> bool:
        """Whether the categories are False and True, in this order, or these words, as files have them.

        Examples
        --------
        >>> Column("new", "categorical", (False, True)).is_truth
        True
        >>> Column("new", "categorical", ("false", "true")).is_truth
        True
        >>> Column("new", "categorical", ("no", "yes")).is_truth
        False
        """
        words = tuple(str(value).lower() for value in self.categories)
        return words == ("false", "true") and all(isinstance(value, bool | str) for value in self.categories)

    def category(self, number: float) -> Category:
        """Give the category of a code or position; a cut between two positions admits the lower."""
        return self.categories[floor(min(max(number, 0), len(self.categories) - 1))]

    def text(self, number: float) -> str:
        """Write a stored number or code as words: what is shown is what is used.

        Categories are written by name, moments as ISO 8601 dates in the shortest form that is exact, numbers
        in the fewest digits that give them back.
        """
        if isnan(number) or (self.kind == "categorical" and number == MISSING):
            return "missing"
        if self.kind != "numeric":
            return self._category_text(number)
        if self.unit is not None and isfinite(number):
            return times.text(Fraction(number) + self.offset, self.unit)
        return shortest(number, self.offset)

    def _category_text(self, number: float) -> str:
        if number < 0:
            return "unseen"
        category = self.category(number)
        return shortest(category) if isinstance(category, float) else str(plain(category))


@dataclass(frozen=True)
class RawNumbers:
    """Raw numbers, truth values or times; `missing` marks the gaps that are no NaN or NaT."""

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Which rows are missing."""
        kind = self.values.dtype.kind
        gaps: NDArray[np.bool_]
        if kind == "f":
            gaps = np.isnan(self.values)
        elif kind in "mM":
            gaps = np.isnat(self.values)
        else:
            gaps = np.zeros(len(self.values), dtype=bool)
        return gaps if self.missing is None else gaps | self.missing

    def finite(self) -> RawNumbers:
        """Take infinities as the largest numbers of float64."""
        if self.values.dtype.kind != "f":
            return self
        wide = np.promote_types(self.values.dtype, np.float64)
        values = self.values.astype(wide)
        return RawNumbers(np.nan_to_num(values, nan=np.nan, posinf=LARGEST, neginf=-LARGEST), self.missing)

    def take(self, rows: NDArray[Any]) -> RawNumbers:
        """Give some rows, by their numbers."""
        return RawNumbers(self.values[rows], None if self.missing is None else self.missing[rows])

    def hide(self, rows: NDArray[np.bool_]) -> RawNumbers:
        """Make some rows missing."""
        return RawNumbers(self.values, rows if self.missing is None else self.missing | rows)


@dataclass(frozen=True)
class RawCodes:
    """Raw categories as codes, −1 for missing; `declared` if the domain and its order belong to the type."""

    codes: NDArray[Any]
    categories: tuple[Category, ...]
    declared: bool = False
    ordered: bool = False

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Which rows are missing."""
        gaps: NDArray[np.bool_] = self.codes < 0
        return gaps

    def finite(self) -> RawCodes:
        """Give the same: no category is infinite."""
        return self

    def take(self, rows: NDArray[Any]) -> RawCodes:
        """Give some rows, by their numbers."""
        return RawCodes(self.codes[rows], self.categories, self.declared, self.ordered)

    def hide(self, rows: NDArray[np.bool_]) -> RawCodes:
        """Make some rows missing."""
        return RawCodes(np.where(rows, MISSING, self.codes), self.categories, self.declared, self.ordered)


Raw: TypeAlias = RawNumbers | RawCodes


def plain(value: Any) -> Any:
    """Give a value as a user would write it: dates as text, NumPy numbers as Python's."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        ticks, unit = times.ticks_of("", np.atleast_1d(np.asarray(value)))
        return times.text(int(ticks[0]), f"{type(value).__name__}[{unit}]")
    return value.item() if isinstance(value, np.generic) else value


def value_text(column: Column, number: float, decimals: int | None = None) -> str:
    """Write a stored number or code of a feature as what it stands for: a number, a date, a category.

    Examples
    --------
    >>> value_text(Column("width"), 0.8), value_text(Column("size", "ordinal", ("small", "large")), 0.5)
    ('0.8', 'small')
    """
    if column.kind != "numeric":
        return quoted(column.text(number))
    if decimals is None or column.unit is not None:
        return column.text(number)
    return number_text(number + column.offset, decimals)


def plain_value(column: Column, number: float) -> Any:
    """Return a stored number of a feature as a plain value: a number, a date's text, an ordinal category.

    Examples
    --------
    >>> plain_value(Column("width"), 0.8), plain_value(Column("size", "ordinal", ("small", "large")), 0.5)
    (0.8, 'small')
    """
    if column.kind == "ordinal":
        return plain(column.category(number))
    if column.unit is not None and isfinite(number):
        return column.text(number)
    # whole numbers are added as such: exact beyond 2**53
    return column.offset + (int(number) if column.offset and number.is_integer() else number)
