"""NumPy arrays, lists of rows and sparse matrices as raw columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import Raw, RawNumbers
from treewright.data.encoding import EXACT
from treewright.data.objects import typed
from treewright.data.sparse import check_places
from treewright.errors import DataError, DataTypeError

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RawTable:
    """A table as columns: how many, what they are called (`None`: they have no names) and how to read one.

    `source` is the table that columns were taken out of by name.
    """

    n_rows: int
    n_features: int
    names: tuple[str, ...] | None
    column: Callable[[int], Raw]
    source: Any = None

    def name(self, feature: int) -> str:
        """Name of a column; `x0, x1, …` if they have none."""
        return self.names[feature] if self.names is not None else f"x{feature}"

    def take(self, rows: NDArray[Any]) -> RawTable:
        """Give some rows, by their numbers."""
        return RawTable(
            len(rows), self.n_features, self.names, lambda feature: self.column(feature).take(rows)
        )


def read_array(X: NDArray[Any]) -> RawTable:
    """Take an array as columns; what a masked array masks is missing.

    Examples
    --------
    >>> read_array(np.array([[1, 2], [3, 4]])).column(1).values
    array([2, 4])
    """
    if isinstance(X, np.matrix):
        raise DataTypeError("np.matrix is not supported. Please convert to a numpy array with np.asarray.")
    if X.dtype.names is not None:
        raise DataError("X is a structured array: pass a DataFrame, for example pandas.DataFrame(X).")
    if X.ndim != 2:
        raise _not_a_table("scalar" if X.ndim == 0 else f"{X.ndim}D")
    masked = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else None
    values = np.asarray(X)

    def column(feature: int) -> Raw:
        missing = None if masked is None else masked[:, feature]
        return array_column(f"x{feature}", values[:, feature], missing)

    return RawTable(X.shape[0], X.shape[1], None, column)


def array_column(name: str, values: NDArray[Any], missing: Mask | None = None) -> Raw:
    """Take one column of an array as raw values: numbers and times by their type, objects value by value.

    Examples
    --------
    >>> array_column("x0", np.array(["b", "a"])).categories
    ('a', 'b')
    """
    kind = values.dtype.kind
    if kind == "c":
        raise DataError(f"Complex data not supported: column {name!r} is {values.dtype}.")
    if kind == "b":
        # A truth value of a plain array is the number it counts as.
        return RawNumbers(values.astype(np.uint8), missing)
    if kind in "iufmM":
        return RawNumbers(values, missing)
    return typed(name, values.tolist() if missing is None else with_none(values, missing))


def with_none(values: NDArray[Any], missing: Mask) -> NDArray[Any]:
    """Copy an array as objects, with `None` for what is missing.

    Examples
    --------
    >>> with_none(np.array([1, 2]), np.array([True, False]))
    array([None, 2], dtype=object)
    """
    objects = values.astype(object)
    objects[missing] = None
    return objects


def read_rows(X: list[Any] | tuple[Any, ...]) -> RawTable:
    """Take rows as columns.

    Examples
    --------
    >>> read_rows([[1, "b"], [2, "a"]]).column(0).values
    array([1, 2])
    """
    if X and isinstance(X[0], Mapping):
        raise DataError(f"X is a list of {type(X[0]).__name__} objects: pass a DataFrame.")
    try:
        array = np.asarray(X)
    except ValueError:  # rows of different lengths, or lists among their values
        array = np.empty((0, 0), dtype=object)
    # Text would turn its whole row into text, and a float may swallow the last digits of a whole number.
    exact = array.dtype.kind in "biu" or (array.dtype.kind == "f" and not np.any(np.abs(array) >= EXACT))
    if array.ndim != 2 or exact:
        return read_array(array)
    rows = [list(row) if hasattr(row, "__iter__") else [] for row in X]
    for row, values in enumerate(rows):
        if len(values) != len(rows[0]):
            raise DataError(f"row {row} of X has {len(values)} values, row 0 has {len(rows[0])}.")
    return RawTable(
        len(rows), len(rows[0]), None, lambda feature: typed(f"x{feature}", [row[feature] for row in rows])
    )


def read_sparse(X: Any) -> RawTable:
    """Take a scipy sparse matrix as columns, each made dense when it is read; what is not stored is zero.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> read_sparse(csr_array([[0, 2], [1, 0]])).column(1).values
    array([2, 0])
    """
    if X.ndim != 2:
        raise _not_a_table(f"{X.ndim}D")
    check_places(X)
    columns = X.tocsc()
    if not columns.has_canonical_format:
        columns = columns.copy()  # what is the user's stays untouched
        columns.sum_duplicates()

    def column(feature: int) -> Raw:
        stored = slice(columns.indptr[feature], columns.indptr[feature + 1])
        values = np.zeros(X.shape[0], dtype=X.dtype)
        values[columns.indices[stored]] = columns.data[stored]
        return array_column(f"x{feature}", values)

    return RawTable(X.shape[0], X.shape[1], None, column)


def _not_a_table(what: str) -> DataError:
    return DataError(
        f"Expected 2D array, got {what} array instead. Reshape your data with X.reshape(-1, 1) if it is one "
        "feature, or X.reshape(1, -1) if it is one row."
    )
