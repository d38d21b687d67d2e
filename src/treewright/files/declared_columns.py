"""Declared columns: names and types that ARFF and C4.5 files state themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from treewright.errors import DataError

DeclaredKind: TypeAlias = Literal["numeric", "categorical", "ordinal", "date", "ignore"]
Row: TypeAlias = tuple[int, list[str | None]]
"""The number of a line, and its values; None is missing."""


@dataclass(frozen=True)
class Declared:
    """What a file says about one of its columns.

    Parameters
    ----------
    name : str
    kind : {"numeric", "categorical", "ordinal", "date", "ignore"}
    categories : tuple of str or None
        The values there may be, in order; None if any may.
    """

    name: str
    kind: DeclaredKind
    categories: tuple[str, ...] | None = None

    def check(self, value: str | None, line: int, where: str) -> str | None:
        """Give a value back if the column may have it.

        Examples
        --------
        >>> Declared("size", "categorical", ("S", "L")).check("M", 7, "'a.arff'")
        Traceback (most recent call last):
        ...
        treewright.errors.DataError: line 7 of 'a.arff': 'M' is not declared for 'size', known are 'S', 'L'.
        """
        if value is None or self.categories is None or value in self._known:
            return value
        listed = ", ".join(map(repr, self.categories[:20])) + (", …" if len(self.categories) > 20 else "")
        raise DataError(
            f"line {line} of {where}: {value!r} is not declared for {self.name!r}, known are {listed}."
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset(self.categories or ()))

    _known = frozenset[str]()


@dataclass(frozen=True)
class DeclaredTable:
    """A file that has been opened: its columns, and a way to go over its rows.

    Parameters
    ----------
    columns : tuple of Declared
    target, weight : str or None
        The columns that the file says to be the target, and the weight of each row.
    rows : callable
        Goes over the rows.
    """

    columns: tuple[Declared, ...]
    target: str | None
    weight: str | None
    rows: Callable[[], Iterator[Row]]


def refuse_repeated(columns: tuple[Declared, ...], where: str) -> None:
    """Refuse a table that declares a column twice."""
    for name, count in Counter(column.name for column in columns).items():
        if count > 1:
            raise DataError(f"{where} declares the column {name!r} {count} times.")
