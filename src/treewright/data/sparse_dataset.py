"""SparseDataset: rows to learn from of which only numbers other than zero are stored."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.data.columns import Column
from treewright.data.dataset import Codes, Dataset, Numbers, Task, read_task_target
from treewright.data.encoding import refuse_infinities
from treewright.data.schema import Infinities, Schema, no_rows
from treewright.data.sparse import SparseColumns, readable, refuse_gaps
from treewright.data.target import read_weight


class SparseDataset(Dataset):
    """A dataset of stored numbers: growers take its `columns`, who asks for `numbers` has them dense.

    Parameters
    ----------
    schema : Schema
        Of numeric features only.
    columns : SparseColumns
    target, weight, labels
        As of a Dataset.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> dataset = Dataset.from_table(csr_array([[0, 2.0], [1.0, 0]]))
    >>> dataset.columns.value, dataset.numbers
    (array([1., 2.]), array([[0., 2.],
           [1., 0.]]))
    """

    columns: SparseColumns

    def __init__(
        self,
        schema: Schema,
        columns: SparseColumns,
        target: Codes | Numbers | None = None,
        weight: Numbers | None = None,
        labels: NDArray[Any] | None = None,
    ) -> None:
        codes = np.empty((len(columns), 0), np.int32, order="F")
        own = {"schema": schema, "columns": columns, "codes": codes}
        self.__dict__.update(own, target=target, weight=weight, labels=labels)

    def __len__(self) -> int:
        return len(self.columns)

    @cached_property
    def numbers(self) -> Numbers:
        """The whole table, unless it is too large to be made dense."""
        return self.columns.dense()

    def values(self, feature: int) -> NDArray[Any]:
        """Give the numbers of a feature."""
        return self.columns.column(feature)

    def take(self, rows: NDArray[Any]) -> SparseDataset:
        """Give some rows, by their numbers or by a mask, under the same schema."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        target = None if self.target is None else self.target[rows]
        weight = None if self.weight is None else self.weight[rows]
        labels = None if self.labels is None else self.labels[rows]
        return SparseDataset(self.schema, self.columns.take(rows), target, weight, labels)

    def weighted(self, weight: Numbers | None) -> SparseDataset:
        """Give the same rows with other weights."""
        return SparseDataset(self.schema, self.columns, self.target, weight, self.labels)

    def with_target(self, target: Codes | Numbers) -> SparseDataset:
        """Give the same rows with another target."""
        return SparseDataset(self.schema, self.columns, target, self.weight, self.labels)

    def dense(self, reason: str) -> Dataset:
        """Give the same rows dense, unless they are too many; the reason names what needs that."""
        numbers = self.columns.dense(reason)
        return Dataset(self.schema, numbers, self.codes, self.target, self.weight, self.labels)


def read_sparse_table(
    X: Any,
    y: Any,
    *,
    task: Task | None,
    sample_weight: ArrayLike | None,
    missing: str,
    inf: Infinities,
    estimator: str,
    threads: int,
    keep_labels: bool,
    declared_classes: bool,
) -> SparseDataset | None:
    """Read a sparse matrix as `Dataset.from_table` does; `None` if columns must be read one by one."""
    readable_X = readable(X)
    if readable_X is None:
        return None
    X, n_rows = readable_X, X.shape[0]
    if not all(X.shape):
        raise no_rows(X.shape, estimator)
    classes, target = read_task_target(y, task, n_rows, estimator, declared_classes)
    weight, counted = read_weight(sample_weight, n_rows)
    columns = _checked(SparseColumns.of(X, threads), counted, inf, missing)
    labels = np.arange(n_rows) if keep_labels else None
    dataset = SparseDataset(Schema.unnamed(X.shape[1]), columns, target, weight, labels)
    dataset = dataset if counted is None else dataset.take(counted)
    schema = _with_booleans(dataset.schema, dataset.columns.is_boolean).with_classes(classes)
    return SparseDataset(schema, dataset.columns, dataset.target, dataset.weight, dataset.labels)


def _checked(
    columns: SparseColumns, counted: NDArray[np.bool_] | None, inf: Infinities, missing: str
) -> SparseColumns:
    """Refuse or replace infinities, and refuse missing values if they are to be."""
    with np.errstate(all="ignore"):
        if np.isfinite(columns.value.sum()):
            return columns
    if inf == "extreme":
        largest = np.finfo(np.float64).max
        value = np.clip(columns.value, -largest, largest)
        columns = SparseColumns(columns.shape, columns.begin, columns.row, value)
    odd = ~np.isfinite(columns.value)
    owner = np.searchsorted(columns.begin, np.flatnonzero(odd), side="right") - 1
    for position in np.unique(owner):
        values, name = columns.column(int(position)), f"x{position}"
        refuse_infinities(name, values, counted)
        gaps = np.isnan(values)
        refuse_gaps(name, gaps if counted is None else gaps & counted, missing)
    return columns


def _with_booleans(schema: Schema, boolean: NDArray[np.bool_]) -> Schema:
    """Mark the columns that hold nothing but 0 and 1."""
    if not boolean.any():
        return schema
    columns = (
        Column(column.name, boolean=True) if is_boolean else column
        for column, is_boolean in zip(schema.columns, boolean.tolist(), strict=True)
    )
    return Schema(tuple(columns))
