"""The cp table of rpart: nested prunings, their errors and cross-validated errors, the 1-SE choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.data.folds import by_name
from treewright.errors import warn
from treewright.formatting.html_table import html_table
from treewright.formatting.text import counted
from treewright.tree import Tree

Array = NDArray[np.float64]


TITLES = ("CP", "nsplit", "rel error", "xerror", "xstd")
"""What R calls the columns."""


@dataclass(frozen=True)
class CPTable:
    """The nested prunings of a tree, the smallest first, as R's `printcp` lists them.

    It is read like a mapping from the names of the columns to arrays.

    Attributes
    ----------
    cp : ndarray of float
        Price of a split, as a share of the root's risk, down to which the pruning is best.
    nsplit : ndarray of int
        Splits of the pruning.
    rel_error : ndarray of float
        Its risk on the training rows, as a share of the root's.
    xerror, xstd : ndarray of float or None
        Its cross-validated risk in the same unit, and the standard error of that.
    price : ndarray of float
        `cp` in units of risk.

    Examples
    --------
    >>> from treewright import CARTClassifier
    >>> model = CARTClassifier(min_samples_split=2, min_samples_leaf=1, cv=None)
    >>> print(model.fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).cp_table_)
            CP  nsplit  rel error
    1 1.000000       0   1.000000
    2 0.010000       1   0.000000
    """

    cp: Array
    nsplit: NDArray[np.int64]
    rel_error: Array
    price: Array
    xerror: Array | None = None
    xstd: Array | None = None

    def to_array(self) -> Array:
        """Give the columns as one array, `price` first; :meth:`from_array` reads it."""
        return np.column_stack([self.price, *(self[name] for name in self.keys())]).astype(float)

    @classmethod
    def from_array(cls, array: NDArray[Any]) -> CPTable:
        """Read what :meth:`to_array` gave.

        Raises
        ------
        ValueError
            If the array cannot be a cp table.
        """
        if array.ndim != 2 or array.shape[1] not in (4, 6) or not len(array):
            raise ValueError(f"its cp table has the shape {array.shape}")
        price, cp, nsplit, rel_error, *validated = array.T
        if not np.isfinite(array[:, :4]).all() or not (array[:, 4:] >= 0).all():
            raise ValueError("its cp table holds numbers that are not finite, or negative errors")
        if (nsplit != np.floor(nsplit)).any() or nsplit[0] != 0 or (np.diff(nsplit) <= 0).any():
            raise ValueError("its cp table does not count splits")
        return cls(cp, nsplit.astype(np.int64), rel_error, price, *validated)

    def keys(self) -> list[str]:
        """Return the names of the columns."""
        columns = ["cp", "nsplit", "rel_error"]
        return columns if self.xerror is None else [*columns, "xerror", "xstd"]

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.keys():
            raise KeyError(name)
        column: NDArray[Any] = getattr(self, name)
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.cp)

    def validated(self, xerror: Array, xstd: Array) -> CPTable:
        """Give the table with the results of a cross-validation."""
        return replace(self, xerror=np.maximum(xerror, 0.0), xstd=xstd)  # deviances round to less than none

    def _texts(self) -> dict[str, list[str]]:
        """Give the values of each column as they are written, by its title."""
        return {
            title: [f"{value:d}" if name == "nsplit" else f"{value:.6f}" for value in self[name].tolist()]
            for title, name in zip(TITLES, self.keys(), strict=False)
        }

    def _repr_html_(self) -> str:
        texts = self._texts()
        rows = list(zip(*texts.values(), strict=True))
        return html_table("prunings, smallest first", list(texts), rows, range(len(texts)))

    def __str__(self) -> str:
        columns = []
        for title, values in self._texts().items():
            width = max(len(title), *map(len, values)) + (title != TITLES[0])
            columns.append([text.rjust(width) for text in [title, *values]])
        width = len(str(len(self)))
        labels = ["".rjust(width), *(str(row + 1).rjust(width) for row in range(len(self)))]
        return "\n".join(" ".join(line) for line in zip(labels, *columns, strict=True))


def cp_table(tree: Tree, complexity: Array) -> CPTable:
    """List the nested prunings of a grown tree, given the price of a split that collapses each node."""
    price = np.unique(complexity)[::-1]
    scale = tree.risk[0] or 1.0
    inner = tree.n_children > 0
    above = np.concatenate([[np.inf], complexity[tree.parent[1:]]])
    risk = [tree.risk[(complexity <= cost) & (above > cost)].sum() for cost in price]
    nsplit = [np.count_nonzero(inner & (complexity > cost)) for cost in price]
    return CPTable(price / scale, np.array(nsplit), np.array(risk) / scale, price.copy())


def choose_row(table: CPTable, se: float) -> int:
    """Row of the smallest pruning whose error is within `se` standard errors of the least."""
    if table.xerror is None or table.xstd is None:
        raise ValueError("the cp table has no cross-validated errors to choose by.")
    least = int(table.xerror.argmin())
    beyond = se * table.xstd[least] if se > 0 else 0.0  # the error may be infinite
    return int(np.argmax(table.xerror <= table.xerror[least] + beyond))


def folds_of_rows(cv: Any, dataset: Dataset, used: NDArray[np.bool_]) -> NDArray[Any]:
    """Give the fold of each row of the dataset, as it is named.

    A number of folds is dealt over the rows in the order of the target, classes by their names, rows of equal
    target in row order; of fewer rows each is a fold. An array has the fold of each row of the dataset, or of
    all rows given, of which it has those `used`.
    """
    n_rows = len(dataset)
    if np.ndim(cv) == 0:
        if cv > n_rows:
            warn(f"cv={cv} folds are more than the {counted(n_rows, 'row')}: every row is a fold of its own.")
        folds = np.empty(n_rows, np.int32)
        classes, target = dataset.schema.classes, np.asarray(dataset.target)
        target = target if classes is None else by_name(classes, target)
        folds[np.argsort(target, kind="stable")] = np.arange(n_rows) % cv + 1
        return folds
    given = np.asarray(cv)
    if len(given) == len(used):
        given = given[used]
    if len(given) != n_rows:
        raise ValueError(f"cv must have the fold of each of the {n_rows} rows, got {len(given)}.")
    return given


def fold_numbers(folds: NDArray[Any], *, rpart: bool) -> NDArray[np.int32]:
    """Number the folds from 0; −1 is never held out.

    rpart counts the different folds, and holds out those of the numbers from 1 to that count, be there rows
    of them or not.

    Examples
    --------
    >>> fold_numbers(np.array([7, 2, 2, 1]), rpart=False)
    array([2, 1, 1, 0], dtype=int32)
    >>> fold_numbers(np.array([7, 2, 2, 1]), rpart=True)
    array([-1,  1,  1,  0], dtype=int32)
    """
    names, numbers = np.unique(folds, return_inverse=True)
    if rpart and names.dtype.kind in "iuf":
        numbers = np.where((folds >= 1) & (folds <= len(names)), folds - 1, -1)
    return numbers.astype(np.int32).reshape(-1)
