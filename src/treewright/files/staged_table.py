"""The table that DuckDB has read: its columns and their names in SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from treewright.files.declared_columns import Declared
from treewright.files.delimited import Dialect
from treewright.files.table import row_number, unknown_column

TEXT = "TEXT"
"""The type of a column of a file that has nothing but text."""


@dataclass(frozen=True)
class TextOptions:
    """How text files are read, where the guess is not right.

    Parameters
    ----------
    encoding : str or None
    delimiter : str or None
    header : bool or None
    missing : tuple of str
        Further fields that are missing values, beside those of `MISSING_TEXTS`.
    """

    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Staged:
    """A staged table: its columns, and what is known of them.

    The rows stand in DuckDB, on disk where memory does not hold them.

    Parameters
    ----------
    name : str
        What the user wrote, for errors.
    columns : dict of str to str
        DuckDB's type of each column; `"TEXT"` where the file has nothing but text. Columns of text are called
        `c0, c1, …` in SQL, where names that differ in case only would be the same.
    n_rows : int
    locate : callable
        Says where in the file a row stands.
    declared : mapping of str to Declared
        What the file itself says about columns.
    target, weight : str or None
        The target and the weights, if the file says so.
    dialect : Dialect or None
        How the fields of delimited text are separated.
    """

    name: str
    columns: dict[str, str]
    n_rows: int
    locate: Callable[[int], str] = row_number
    declared: Mapping[str, Declared] = field(default_factory=dict)
    target: str | None = None
    weight: str | None = None
    dialect: Dialect | None = None

    @property
    def names(self) -> list[str]:
        """Name of each column."""
        return list(self.columns)

    @property
    def has_decimal_commas(self) -> bool:
        """Whether a comma may be the sign of decimals: it does not separate fields."""
        return self.dialect is not None and self.dialect.delimiter != ","

    def kind(self, name: str) -> str:
        """DuckDB's type of a column."""
        if name not in self.columns:
            raise unknown_column(name, self.names, self.name)
        return self.columns[name]

    @cached_property
    def _identifiers(self) -> dict[str, str]:
        return {
            name: f"c{index}" if kind == TEXT else quoted_name(name)
            for index, (name, kind) in enumerate(self.columns.items())
        }

    def identifier(self, name: str) -> str:
        """Name a column as SQL does."""
        return self._identifiers[name]

    @property
    def form(self) -> str:
        """SQL for a value, `{}` its column; delimited text has no blanks around it, and missing values."""
        return "{}" if self.dialect is None else "field({})"

    def value(self, name: str) -> str:
        """Write SQL for the values of a column."""
        return self.form.format(self.identifier(name))


def quoted_name(name: str) -> str:
    """Write a name as SQL does.

    Examples
    --------
    >>> print(quoted_name('6" pipe'))
    "6"" pipe"
    """
    return '"' + name.replace('"', '""') + '"'
