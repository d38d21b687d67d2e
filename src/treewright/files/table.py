"""Table: named columns read from a file, ready for an estimator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.arrays import RawTable
from treewright.data.columns import Raw
from treewright.errors import DataError
from treewright.formatting.suggestions import nearest


def unknown_column(name: str, names: Sequence[str], where: str) -> DataError:
    """Build the error for a column that is not there.

    Examples
    --------
    >>> str(unknown_column("agee", ["age", "sex"], "'a.csv'"))
    "'a.csv' has no column 'agee', it has 'age', 'sex'. Did you mean 'age'?"
    """
    listed = ", ".join(map(repr, names[:10])) + (f", … ({len(names)} in all)" if len(names) > 10 else "")
    return DataError(f"{where} has no column {name!r}, it has {listed or 'none'}.{nearest(name, names)}")


def row_number(row: int) -> str:
    """Say where a row stands in a file that has no lines."""
    return f"row {row + 1}"


@dataclass(frozen=True, eq=False)
class Table:
    """A table in memory: raw columns by name.

    Parameters
    ----------
    name : str
        What it was read from, for errors.
    columns : dict of str to RawNumbers or RawCodes
        The values; all columns have as many rows.
    locate : callable
        Says where in the file a row stands, as in `"line 7"`.

    Examples
    --------
    >>> from treewright.data.columns import RawNumbers
    >>> table = Table("a.csv", {"age": RawNumbers(np.array([3.0, 5.0])), "y": RawNumbers(np.array([0, 1]))})
    >>> len(table), table.features(["age"]).names, table["y"].values
    (2, ('age',), array([0, 1]))
    """

    name: str
    columns: dict[str, Raw]
    locate: Callable[[int], str] = field(default=row_number)

    @property
    def names(self) -> list[str]:
        """Name of each column."""
        return list(self.columns)

    def __len__(self) -> int:
        return next((len(raw.gaps) for raw in self.columns.values()), 0)

    def __getitem__(self, name: str) -> Raw:
        """Give the values of one column."""
        if name not in self.columns:
            raise unknown_column(name, self.names, self.name)
        return self.columns[name]

    def features(self, names: Sequence[str]) -> RawTable:
        """Give some columns as what estimators take."""
        columns = [self[name] for name in names]
        return RawTable(len(self), len(names), tuple(names), columns.__getitem__)

    def take(self, rows: NDArray[Any]) -> Table:
        """Give some rows, by their numbers or by a mask."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        columns = {name: raw.take(rows) for name, raw in self.columns.items()}
        return Table(self.name, columns, lambda row: self.locate(int(rows[row])))
