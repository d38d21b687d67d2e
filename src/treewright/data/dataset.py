"""Dataset: a table of any kind as matrices of numbers and category codes, with target and weights."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright._module_names import public
from treewright.data.arrays import RawTable
from treewright.data.columns import Category, Column, Kind, Raw, RawCodes, RawNumbers, feature_number
from treewright.data.encoding import EXACT, learn, refuse_infinities
from treewright.data.frames import read
from treewright.data.objects import categories_of
from treewright.data.predicates import read_predicates
from treewright.data.schema import Infinities, Schema, no_rows
from treewright.data.several_targets import (
    Output,
    first_column,
    n_columns,
    read_known,
    read_several,
)
from treewright.data.sparse import NOT_IN_SPARSE, is_sparse, refuse_gaps
from treewright.data.target import read_classes, read_numbers, read_target, read_weight
from treewright.errors import DataError, DataTypeError, warn
from treewright.formatting.suggestions import unknown_name

Task: TypeAlias = Literal["classification", "regression"]
Numbers: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]

HAS_MISSING, HAS_INFINITE = 1, 2
"""Flags of a column, as the core gives them."""


@public
@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows to learn from, as the core reads them; ARCHITECTURE.md describes each field.

    Parameters
    ----------
    schema : Schema
        What the columns and classes are.
    numbers : float64 array of shape (n_rows, n_numbers), Fortran order
        Numeric and ordinal features; NaN is missing.
    codes : int32 array of shape (n_rows, n_codes), Fortran order
        Categorical features; −1 is missing.
    target : int32 or float64 array of shape (n_rows,), or None
        Class codes, or numbers; of several targets a column for each.
    weight : float64 array of shape (n_rows,), or None
        `None` if every row counted one.
    labels : array of shape (n_rows,), or None
        What the rows are called in the table, where that is to be told.

    Examples
    --------
    >>> dataset = Dataset.from_table([[21, "dog"], [None, "cat"]], ["no", "yes"], task="classification")
    >>> dataset.numbers.tolist(), dataset.codes.tolist(), dataset.target.tolist()
    ([[21.0], [nan]], [[1], [0]], [0, 1])
    >>> dataset.schema.classes.tolist(), dataset.schema.columns[1].categories
    (['no', 'yes'], ('cat', 'dog'))
    """

    schema: Schema
    numbers: Numbers
    codes: Codes
    target: Codes | Numbers | None = None
    weight: Numbers | None = None
    labels: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"Dataset({len(self)} rows, {len(self.schema.columns)} features)"

    @classmethod
    def from_table(
        cls,
        X: Any,
        y: Any = None,
        *,
        task: Task | None = None,
        sample_weight: ArrayLike | None = None,
        categorical_features: Any = None,
        ordinal_features: Any = None,
        predicates: Any = None,
        missing: str = "direction",
        inf: Infinities = "error",
        estimator: str = "this estimator",
        threads: int = 1,
        keep_labels: bool = False,
        declared_classes: bool = False,
        several_targets: bool = False,
    ) -> Dataset:
        """Read a table, its target and its weights.

        Text, category, Enum and bool columns are categorical; ordered pandas and Arrow categories are
        ordinal, as are columns named in `ordinal_features`; numbers, dates, times and durations are numeric.
        The truth values of a plain array are the numbers 0 and 1, which a tree splits in the same two groups.

        Parameters
        ----------
        X : table
            NumPy array, pandas, polars or Arrow table, list of rows or scipy sparse matrix.
        y : array-like or None
            The target, unless there is no task.
        task : {"classification", "regression"} or None
        sample_weight : array-like, number or None
            Rows of weight zero are left out; their labels still count as classes.
        categorical_features : "from_dtype", names, indexes or mask, or None
            Further columns that are categorical.
        ordinal_features : names, indexes or mask, or None
            Columns that are ordinal; a dict gives the values of each from low to high.
        predicates : list or dict of expressions and functions, or None
            Boolean features to work out of the others, see `treewright.data.predicates`.
        missing : str
            `"error"` refuses missing values; any other policy lets them pass.
        inf : {"error", "extreme"}
            Refuse infinities, or take them as the largest finite numbers.
        estimator : str
            Who asks, for errors.
        threads : int
            How many threads may copy a large matrix.
        keep_labels : bool
            Keep what rows are called: by the index of a pandas table, by their place in others, from 0 on.
        declared_classes : bool
            Whether the categories of a categorical target that no row has are classes too.
        several_targets : bool
            Whether `y` may have several columns, a target each; refused if not, and one column warned of.

        Raises
        ------
        DataError
            If anything in the data cannot be used; the message names the column and the row.

        Examples
        --------
        >>> from treewright import Dataset
        >>> Dataset.from_table([[21, "dog"], [None, "cat"]], ["no", "yes"], task="classification")
        Dataset(2 rows, 2 features)
        """
        refuse_partitions(X, estimator)
        n_targets = n_columns(y) if several_targets and task is not None else 0
        several = n_targets > 1
        if n_targets == 1:
            _check_index(X, y)
            y = first_column(y)
        plain = categorical_features is None and ordinal_features is None and predicates is None
        if is_sparse(X) and plain and not several:  # several targets grow on dense columns
            from treewright.data.sparse_dataset import read_sparse_table

            sparse = read_sparse_table(
                X,
                y,
                task=task,
                sample_weight=sample_weight,
                missing=missing,
                inf=inf,
                estimator=estimator,
                threads=threads,
                keep_labels=keep_labels,
                declared_classes=declared_classes,
            )
            if sparse is not None:
                return sparse
        matrix = _matrix(X, threads)
        table = _matrix_table(matrix[0]) if matrix is not None else read(X)
        n_rows = table.n_rows
        if not n_rows or not table.n_features:
            raise no_rows((n_rows, table.n_features), estimator)
        if matrix is None:
            _check_index(X, y)
        outputs: tuple[Output, ...] = ()
        classes: NDArray[Any] | None = None
        target: Codes | Numbers | None
        if several and task is not None:
            outputs, target = read_several(y, task, n_rows, estimator, declared=declared_classes)
        else:
            classes, target = read_task_target(y, task, n_rows, estimator, declared_classes)
        weight, counted = read_weight(sample_weight, n_rows)
        kinds = categorical_features, ordinal_features
        schema, numbers, codes = _read_features(table, matrix, kinds, counted, inf)
        schema = schema if classes is None else schema.with_classes(classes)
        schema = schema.with_outputs(outputs) if outputs else schema
        if predicates is not None:
            schema, codes = schema.with_predicates(read_predicates(predicates), X, numbers, codes)
        labels = _labels(X, n_rows) if keep_labels else None
        dataset = cls(schema, numbers, codes, target, weight, labels)
        if missing in ("error", NOT_IN_SPARSE):
            _refuse_missing(dataset, counted, missing)
        return dataset if counted is None else dataset.take(counted)

    def values(self, feature: int) -> NDArray[Any]:
        """Give the numbers or codes of a feature, as a view.

        Examples
        --------
        >>> from treewright import Dataset
        >>> rows = Dataset.from_table([[21, "dog"], [None, "cat"]], ["no", "yes"], task="classification")
        >>> rows.values(0).tolist(), rows.values(1).tolist()
        ([21.0, nan], [1, 0])
        """
        table = self.codes if self.schema.n_categories[feature] else self.numbers
        return table[:, self.schema.position[feature]]

    def is_missing(self, feature: int) -> NDArray[np.bool_]:
        """Say which rows miss the value of a feature.

        Examples
        --------
        >>> from treewright import Dataset
        >>> rows = Dataset.from_table([[21, "dog"], [None, "cat"]], ["no", "yes"], task="classification")
        >>> rows.is_missing(0).tolist()
        [False, True]
        """
        values = self.values(feature)
        return values < 0 if self.schema.n_categories[feature] else np.isnan(values)

    def total_weight(self) -> float:
        """Sum up the weights of all rows.

        Examples
        --------
        >>> from treewright import Dataset
        >>> rows = Dataset.from_table([[21, "dog"], [None, "cat"]], ["no", "yes"], task="classification")
        >>> rows.total_weight()
        2.0
        """
        return float(len(self)) if self.weight is None else _core.total_weight(self.weight)

    def class_totals(self) -> tuple[Numbers, Numbers]:
        """Count the rows of each class, and sum up their weights.

        Examples
        --------
        >>> from treewright import Dataset
        >>> rows = Dataset.from_table([[21, "dog"], [None, "cat"]], ["no", "yes"], task="classification")
        >>> count, weight = rows.class_totals()
        >>> count.tolist()
        [1.0, 1.0]
        """
        target = np.asarray(self.target)
        rows = np.bincount(target, minlength=self.schema.n_classes).astype(np.float64)
        if self.weight is None:
            return rows, rows
        return rows, _core.class_weights(target, self.weight, self.schema.n_classes)

    def weighted(self, weight: Numbers | None) -> Dataset:
        """Give the same rows with other weights.

        Examples
        --------
        >>> from treewright import Dataset
        >>> rows = Dataset.from_table([[21, "dog"], [None, "cat"]], ["no", "yes"], task="classification")
        >>> import numpy as np
        >>> rows.weighted(np.array([1.0, 3.0])).total_weight()
        4.0
        """
        return Dataset(self.schema, self.numbers, self.codes, self.target, weight, self.labels)

    def with_target(self, target: Codes | Numbers) -> Dataset:
        """Give the same rows with another target.

        Examples
        --------
        >>> from treewright import Dataset
        >>> rows = Dataset.from_table([[21, "dog"], [None, "cat"]], ["no", "yes"], task="classification")
        >>> import numpy as np
        >>> rows.with_target(np.array([1, 1], np.int32)).target.tolist()
        [1, 1]
        """
        return Dataset(self.schema, self.numbers, self.codes, target, self.weight, self.labels)

    def for_target(self, target: str | int) -> Dataset:
        """Give the rows with one of their several targets.

        Examples
        --------
        >>> from treewright import Dataset
        >>> two = [[1.0, 5.0], [2.0, 6.0]]
        >>> rows = Dataset.from_table([[1.0], [2.0]], two, task="regression", several_targets=True)
        >>> rows.for_target(1).target.tolist()
        [5.0, 6.0]
        """
        place = self.schema.output(target)
        own = None if self.target is None else self.target[:, place]
        return replace(self, schema=self.schema.for_target(place), target=own)

    def take(self, rows: NDArray[Any]) -> Dataset:
        """Give some rows, by their numbers or by a mask, under the same schema.

        Examples
        --------
        >>> dataset = Dataset.from_table([[1.0], [2.0], [3.0]])
        >>> dataset.take(np.array([2, 0])).numbers.ravel()
        array([3., 1.])
        """
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        # Transposed, since the columns are what lies together in memory.
        numbers, codes = np.take(self.numbers.T, rows, axis=1).T, np.take(self.codes.T, rows, axis=1).T
        target = None if self.target is None else self.target[rows]
        weight = None if self.weight is None else self.weight[rows]
        labels = None if self.labels is None else self.labels[rows]
        return Dataset(self.schema, numbers, codes, target, weight, labels)


def refuse_partitions(X: Any, estimator: str) -> None:
    """Refuse a table in partitions where one in memory is needed."""
    dask = sys.modules.get("dask.dataframe")
    if getattr(X, "is_partitioned", False) or (dask is not None and isinstance(X, dask.DataFrame)):
        raise DataTypeError(
            f"{estimator} needs its table in memory; DecisionTreeClassifier learns from open tables and Dask."
        )


def _labels(X: Any, n_rows: int) -> NDArray[Any]:
    """What the rows of a table are called."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return np.asarray(X.index.to_numpy())
    return np.arange(n_rows)


def _matrix(X: Any, threads: int) -> tuple[Numbers, NDArray[np.uint8]] | None:
    """Take a plain array of numbers as columns, with flags; `None` if it is anything else."""
    if type(X) is np.memmap:
        X = X.view(np.ndarray)
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size:
        return None
    dtype = X.dtype
    if dtype.char in "df" and dtype.isnative and X.flags.aligned:
        if dtype.char == "d" and X.flags.f_contiguous:
            return X, _flags(X)
        return _core.columns(X, threads)
    if dtype.kind in "biu" and (dtype.itemsize < 8 or (X.min() >= -EXACT and X.max() <= EXACT)):
        return X.astype(np.float64, order="F"), np.zeros(X.shape[1], np.uint8)
    if dtype.kind == "f" and dtype.itemsize <= 8:
        numbers = X.astype(np.float64, order="F")
        return numbers, _flags(numbers)
    return None


def _flags(numbers: Numbers) -> NDArray[np.uint8]:
    """Whether each column has missing or infinite values: its sum tells at once that it has none."""
    with np.errstate(all="ignore"):
        suspect = ~np.isfinite(numbers.sum(axis=0))
    flags = np.zeros(numbers.shape[1], np.uint8)
    for column in np.flatnonzero(suspect):
        values = numbers[:, column]
        flags[column] = HAS_MISSING * np.isnan(values).any() + HAS_INFINITE * np.isinf(values).any()
    return flags


def _matrix_table(numbers: Numbers) -> RawTable:
    return RawTable(len(numbers), numbers.shape[1], None, lambda feature: RawNumbers(numbers[:, feature]))


def read_task_target(
    y: Any, task: Task | None, n_rows: int, estimator: str, declared_classes: bool
) -> tuple[NDArray[Any] | None, Codes | Numbers | None]:
    """Read the target of a task: its classes, if there are any, and the class or number of each row."""
    if task == "classification":
        return read_classes(y, n_rows, estimator, declared=declared_classes)
    if task == "regression":
        return None, read_numbers(y, n_rows, estimator)
    if task is not None:
        raise DataError(unknown_name("task", task, get_args(Task)))
    if y is not None:
        raise DataError("y was given without a task: add task='classification' or task='regression'.")
    return None, None


def _check_index(X: Any, y: Any) -> None:
    """Rows are matched by position: warn if the index of a pandas target disagrees.

    An index 0, 1, … says nothing of rows: pandas gives it to a table that is made of an array.
    """
    pandas = sys.modules.get("pandas")
    if (
        pandas is None
        or not isinstance(X, pandas.DataFrame)
        or not isinstance(y, (pandas.Series, pandas.DataFrame))
    ):
        return
    if X.index is y.index or len(X) != len(y) or X.index.equals(y.index):
        return
    if set(X.index) == set(y.index):
        warn("X and y have the same index in another order; rows are matched by position.")
    elif not any(index.equals(pandas.RangeIndex(len(X))) for index in (X.index, y.index)):
        warn("X and y have indexes of different rows; rows are matched by position.")


@dataclass(frozen=True)
class _Kinds:
    """Which features the user calls categorical or ordinal, and the orders of the latter."""

    categorical: frozenset[int]
    ordinal: Mapping[int, tuple[Category, ...] | None]

    def of(self, feature: int, raw: Raw) -> Kind:
        if feature in self.ordinal:
            return "ordinal"
        if isinstance(raw, RawCodes):
            return "ordinal" if raw.ordered and feature not in self.categorical else "categorical"
        return "categorical" if feature in self.categorical or raw.values.dtype.kind == "b" else "numeric"


def _kinds(table: RawTable, categorical_features: Any, ordinal_features: Any) -> _Kinds:
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        categorical_features = None
    categorical = _select("categorical_features", categorical_features, table)
    orders: Sequence[Any] = ()
    if isinstance(ordinal_features, Mapping):
        ordinal_features, orders = list(ordinal_features), list(ordinal_features.values())
    ordinal = _select("ordinal_features", ordinal_features, table)
    both = sorted(set(categorical) & set(ordinal))
    if both:
        raise DataError(
            f"column {table.name(both[0])!r} is named in categorical_features and in ordinal_features."
        )
    order_of = {
        feature: _order(table.name(feature), order) for feature, order in zip(ordinal, orders, strict=False)
    }
    return _Kinds(frozenset(categorical), {feature: order_of.get(feature) for feature in ordinal})


def chosen_features(X: Any, categorical_features: Any, ordinal_features: Any) -> list[str]:
    """Name the features of a table that the user calls categorical or ordinal.

    Examples
    --------
    >>> import pyarrow as pa
    >>> chosen_features(pa.table({"a": [1], "b": [2], "c": [3]}), ["c"], None)
    ['c']
    """
    table = read(X)
    kinds = _kinds(table, categorical_features, ordinal_features)
    return [table.name(feature) for feature in sorted({*kinds.categorical, *kinds.ordinal})]


def _order(name: str, values: Iterable[Any]) -> tuple[Category, ...]:
    order = categories_of(values)
    if len(set(order)) != len(order) or not order:
        raise DataError(
            f"the order of column {name!r} in ordinal_features is empty or repeats a value: {order}."
        )
    return order


def _select(parameter: str, chosen: Any, table: RawTable) -> list[int]:
    """Features chosen by name, by index or by mask."""
    if chosen is None:
        return []
    if isinstance(chosen, str) or not isinstance(chosen, Iterable):
        raise DataError(f"{parameter} must be a list of names or indexes, or a mask; got {chosen!r}.")
    choices = list(chosen)
    if choices and all(isinstance(choice, (bool, np.bool_)) for choice in choices):
        if len(choices) != table.n_features:
            raise DataError(
                f"the mask {parameter} has {len(choices)} entries, X has {table.n_features} features."
            )
        return np.flatnonzero(choices).tolist()
    names = [table.name(feature) for feature in range(table.n_features)]
    return [feature_number(choice, names, parameter) for choice in choices]


def _read_features(
    table: RawTable,
    matrix: tuple[Numbers, NDArray[np.uint8]] | None,
    kinds: tuple[Any, Any],
    counted: NDArray[np.bool_] | None,
    inf: Infinities,
) -> tuple[Schema, Numbers, Codes]:
    """Read the columns: a matrix of numbers as it is, unless some of them are said to be of another kind."""
    if matrix is not None and all(one is None for one in kinds):
        schema, flags = Schema.unnamed(table.n_features), matrix[1].tolist()
        numbers, codes = matrix[0], np.empty((table.n_rows, 0), np.int32)
    else:
        hidden = None if counted is None else ~counted
        schema, numbers, codes = _learn(table, _kinds(table, *kinds), hidden, inf)
        flags = _flags(numbers).tolist()
    if any(flags):
        numbers = _check_numbers(schema, numbers, flags, counted, inf)
    return _with_booleans(schema, numbers, counted), numbers, codes


def _learn(
    table: RawTable, kinds: _Kinds, hidden: NDArray[np.bool_] | None, inf: Infinities
) -> tuple[Schema, Numbers, Codes]:
    """Read every column; those rows that do not count teach nothing."""
    columns: list[Column] = []
    numbers: list[NDArray[Any]] = []
    codes: list[NDArray[Any]] = []
    for feature in range(table.n_features):
        name, raw = table.name(feature), table.column(feature)
        if hidden is not None:
            raw = raw.hide(hidden)
        if inf == "extreme":
            raw = raw.finite()
        column, values = learn(name, raw, kinds.of(feature, raw), kinds.ordinal.get(feature))
        columns.append(column)
        (codes if column.kind == "categorical" else numbers).append(values)
    schema = Schema(tuple(columns), None, table.names is not None)
    return schema, stacked(numbers, table.n_rows, np.float64), stacked(codes, table.n_rows, np.int32)


def stacked(columns: list[NDArray[Any]], n_rows: int, dtype: type) -> NDArray[Any]:
    """Put columns side by side, each of them in one piece of memory."""
    matrix: NDArray[Any] = np.empty((n_rows, len(columns)), dtype=dtype, order="F")
    for position, values in enumerate(columns):
        matrix[:, position] = values
    return matrix


def _check_numbers(
    schema: Schema, numbers: Numbers, flags: Iterable[int], counted: NDArray[np.bool_] | None, inf: Infinities
) -> Numbers:
    """Refuse or replace the infinities of flagged columns, in rows that count."""
    if inf == "extreme":
        return RawNumbers(numbers).finite().values
    for position, (name, flag) in enumerate(zip(schema.number_names, flags, strict=True)):
        if flag & HAS_INFINITE:
            refuse_infinities(name, numbers[:, position], counted)
    return numbers


def _with_booleans(schema: Schema, numbers: Numbers, counted: NDArray[np.bool_] | None) -> Schema:
    """Mark the numeric columns that hold nothing but 0 and 1, in rows that count."""
    first = numbers[0 if counted is None else int(counted.argmax())]
    suspects = [place for place, value in enumerate(first.tolist()) if value in (0.0, 1.0) or isnan(value)]
    if not suspects:
        return schema
    if counted is None:
        found = set(np.flatnonzero(_core.zeros_and_ones(numbers)).tolist())
    else:
        rows = np.asfortranarray(numbers[counted][:, suspects])
        found = {suspects[place] for place in np.flatnonzero(_core.zeros_and_ones(rows))}
    if not found:
        return schema
    place = schema.position.tolist()
    columns = (
        Column(column.name, "numeric", boolean=True)
        if column.kind == "numeric" and column.unit is None and not column.offset and place[i] in found
        else column
        for i, column in enumerate(schema.columns)
    )
    return Schema(tuple(columns), schema.classes, schema.named)


def _refuse_missing(dataset: Dataset, counted: NDArray[np.bool_] | None, missing: str) -> None:
    for feature, column in enumerate(dataset.schema.columns):
        gaps = dataset.is_missing(feature)
        refuse_gaps(column.name, gaps if counted is None else gaps & counted, missing)


def labelled_rows(
    schema: Schema,
    numbers: NDArray[np.float64],
    codes: NDArray[np.int32],
    y: Any,
    sample_weight: ArrayLike | None = None,
    *,
    name: str,
) -> tuple[Dataset, NDArray[np.bool_]]:
    """Put encoded rows and their target together, and say which rows were kept.

    Rows of no weight are left out, and those of a class that the schema does not know.

    Parameters
    ----------
    schema : Schema
    numbers, codes : arrays
        The rows, as the schema encodes them.
    y, sample_weight : array-like
        Their target and weights, as given.
    name : str
        Who asks, for errors.
    """
    schema.refuse_infinities(numbers)
    n_rows = len(numbers)
    weight, counted = read_weight(sample_weight, n_rows)
    kept = np.ones(n_rows, bool) if counted is None else counted
    if schema.outputs:
        target = read_known(y, schema.outputs, n_rows, name)
    else:
        target = read_target(y, schema.classes, n_rows, name)
    if schema.classes is not None:
        kept = kept & (target >= 0 if target.ndim == 1 else (target >= 0).all(axis=1))
        if not kept.any():
            known = ", ".join(map(repr, schema.classes.tolist()))
            raise DataError(f"y has no row of a class that {name} knows: {known}.")
    rows = Dataset(schema, np.asfortranarray(numbers), np.asfortranarray(codes), target, weight)
    return (rows if kept.all() else rows.take(kept)), kept
