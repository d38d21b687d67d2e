"""Sparse tables: only numbers other than zero are stored, in columns to grow on and in rows to predict."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data.encoding import EXACT, count_rows, refuse_infinities, refuse_missing
from treewright.errors import DataError

Numbers = NDArray[np.float64]

MOST_DENSE = 1 << 27
"""Most values of a sparse table that is made dense, where what is asked for needs that: one gibibyte."""

BLOCK = 1 << 22
"""Values of a block of rows that is made dense to be predicted, where a model cannot take sparse rows."""

NOT_IN_SPARSE = "not in sparse"
"""The policy for missing values of who takes them in dense tables only, as scikit-learn does."""


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """Columns of numbers other than zero, as the core grows on them.

    Parameters
    ----------
    shape : tuple of two int
        Rows and columns.
    begin : int64 array of n_columns + 1
        Where the numbers of each column begin.
    row : uint32 array
        The row of each number.
    value : float64 array
        The numbers, ascending in each column, those missing (NaN) last.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> columns = SparseColumns.of(csr_array([[0, 2.0], [-1.0, 1.0]]))
    >>> columns.begin.tolist(), columns.row.tolist(), columns.value.tolist()
    ([0, 1, 3], [1, 1, 0], [-1.0, 1.0, 2.0])
    """

    shape: tuple[int, int]
    begin: NDArray[np.int64]
    row: NDArray[np.uint32]
    value: Numbers

    @classmethod
    def of(cls, X: Any, threads: int = 1) -> SparseColumns:
        """Take the columns of a canonical sparse matrix of SciPy, by rows or by columns."""
        begin, index, value = _arrays(X)
        return cls(
            X.shape,
            *_core.sparse_columns(begin, index, value, X.shape[0], X.shape[1], X.format == "csr", threads),
        )

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def parts(self) -> tuple[NDArray[np.int64], NDArray[np.uint32], Numbers]:
        """The arrays, as the core takes them."""
        return self.begin, self.row, self.value

    def column(self, position: int) -> Numbers:
        """One column, dense."""
        stored = slice(self.begin[position], self.begin[position + 1])
        values = np.zeros(self.shape[0])
        values[self.row[stored]] = self.value[stored]
        return values

    def take(self, rows: NDArray[Any]) -> SparseColumns:
        """Some rows by their numbers, each as often as it is named."""
        times = np.bincount(rows, minlength=self.shape[0])
        first = np.cumsum(times) - times
        places = np.argsort(rows, kind="stable")  # those of row 0, of row 1, …
        copies = times[self.row]
        stored = np.repeat(np.arange(len(self.row)), copies)
        copy = np.arange(len(stored)) - np.repeat(np.cumsum(copies) - copies, copies)
        row, value = places[first[self.row[stored]] + copy], self.value[stored]
        owner = _owners(self.begin)[stored]
        if len(rows) > 1 and (np.diff(rows) < 0).any():  # of equal values the lower row comes first
            order = np.lexsort((row, value, owner))
            row, value = row[order], value[order]
        begin = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=self.shape[1]))])
        return SparseColumns((len(rows), self.shape[1]), begin.astype(np.int64), row.astype(np.uint32), value)

    def dense(self, reason: str = "what is asked for") -> Numbers:
        """All columns side by side, unless that is too much."""
        refuse_large(self.shape, reason)
        numbers = np.zeros(self.shape, order="F")
        numbers[self.row, _owners(self.begin)] = self.value
        return numbers

    @cached_property
    def is_boolean(self) -> NDArray[np.bool_]:
        """Whether each column holds nothing but 0 and 1, where it is known."""
        odd = ~((self.value == 1) | np.isnan(self.value))
        owner = _owners(self.begin)
        odd_columns = np.bincount(owner[odd], minlength=self.shape[1])
        gaps = np.bincount(owner[np.isnan(self.value)], minlength=self.shape[1])
        boolean: NDArray[np.bool_] = (odd_columns == 0) & (gaps < self.shape[0])
        return boolean


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows of numbers, zeros left out, as they are to be predicted.

    They are stored as `SparseColumns` are, row by row: `begin` says where the numbers of each row begin, and
    `column` the column of each number. Numbers of single precision stay so.
    """

    shape: tuple[int, int]
    begin: NDArray[np.int64]
    column: NDArray[np.int32]
    value: NDArray[np.floating[Any]]

    @classmethod
    def of(cls, X: Any) -> SparseRows:
        """Take the rows of a canonical sparse matrix of SciPy; single precision stays as it is."""
        return cls(X.shape, *_arrays(X if X.format == "csr" else X.tocsr(), narrow=True))

    @classmethod
    def of_columns(cls, columns: SparseColumns) -> SparseRows:
        """Take the rows of stored columns."""
        from scipy.sparse import csc_array

        return cls.of(csc_array((columns.value, columns.row, columns.begin), columns.shape))

    def refuse(self, flags: int, missing: str) -> None:
        """Refuse infinities and missing values; `flags` say what was met: 1 = missing, 2 = infinite."""
        if not flags:
            return
        for position in np.unique(self.column[~np.isfinite(self.value)]):
            stored = self.column == position
            values = np.zeros(self.shape[0])
            values[_owners(self.begin)[stored]] = self.value[stored]
            refuse_infinities(f"x{position}", values)
            refuse_gaps(f"x{position}", np.isnan(values), missing)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def parts(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.floating[Any]], int]:
        """The arrays and the number of columns, as the core takes them."""
        return self.begin, self.column, self.value, self.shape[1]


def is_sparse(X: Any) -> bool:
    """Whether a table is a sparse matrix or array of SciPy, of two dimensions."""
    if type(X) is np.ndarray:
        return False  # at once: rows are predicted one by one
    scipy = sys.modules.get("scipy.sparse")
    return scipy is not None and scipy.issparse(X) and X.ndim == 2


def readable(X: Any) -> Any:
    """Give a sparse matrix by rows or columns, each place once; `None` if it has more than plain numbers.

    Whole numbers beyond 2⁵³ are such, and complex ones: those who read columns one by one know of them.
    """
    check_places(X)
    kind, size = X.dtype.kind, X.dtype.itemsize
    if kind not in "biuf" or (kind == "f" and size > 8):
        return None
    X = X if X.format in ("csr", "csc") else X.tocsr()
    if kind in "iu" and size == 8 and X.nnz and (X.data.min() < -EXACT or X.data.max() > EXACT):
        return None
    if not X.has_canonical_format:
        X = X.copy()  # what is the user's stays untouched
        X.sum_duplicates()
    return X


def check_places(X: Any) -> None:
    """Refuse a sparse matrix that says numbers stand where it has no place: SciPy would look there."""
    if X.format in ("csr", "csc"):
        lines, width = X.shape if X.format == "csr" else X.shape[::-1]
        begin, n_stored = X.indptr, min(len(X.indices), len(X.data))
        fits = len(begin) == lines + 1 and begin[0] == 0 and begin[-1] <= n_stored
        fits = fits and bool((begin[1:] >= begin[:-1]).all()) and _within(X.indices[: begin[-1]], width)
    else:
        fits = X.format != "coo" or (_within(X.row, X.shape[0]) and _within(X.col, X.shape[1]))
    if not fits:
        raise DataError("X is a sparse matrix whose indices do not fit its shape.")


def _within(index: NDArray[np.integer[Any]], size: int) -> bool:
    return not len(index) or (int(index.min()) >= 0 and int(index.max()) < size)


def refuse_large(shape: tuple[int, int], reason: str) -> None:
    """Raise the error for a sparse table that would have to be made dense and is too large for that."""
    if shape[0] * shape[1] > MOST_DENSE:
        raise DataError(
            f"X is sparse, and {reason} needs it dense: {shape[0]} × {shape[1]} values are more than "
            f"{MOST_DENSE}. Leave that out, take fewer rows or columns, or pass X.toarray()."
        )


def refuse_gaps(name: str, gaps: NDArray[np.bool_], missing: str) -> None:
    """Refuse missing values in a column of a sparse table, if the policy says so, in scikit-learn's words."""
    rows = np.flatnonzero(gaps)
    if missing == "error":
        refuse_missing(name, gaps)
    elif missing == NOT_IN_SPARSE and len(rows):
        raise DataError(
            f"Input X contains NaN: column {name!r} ({count_rows(rows)}). Sparse tables take no missing "
            "values, as in scikit-learn: fill them, or pass X.toarray()."
        )


def row_blocks(X: Any) -> Iterator[Any]:
    """Give the rows of a sparse matrix in blocks that may be made dense."""
    check_places(X)
    X = X.tocsr()
    n = max(1, BLOCK // max(X.shape[1], 1))
    for first in range(0, X.shape[0], n):
        yield X[first : first + n]


def _owners(begin: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the column, or row, that each stored number is in."""
    return np.repeat(np.arange(len(begin) - 1), np.diff(begin))


def _arrays(X: Any, narrow: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
    """What a matrix by rows or columns is made of, in the core's types."""
    kept = np.float32 if narrow and X.data.dtype == np.float32 else np.float64
    return (
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        X.data.astype(kept, copy=False),
    )
