"""Schema: names, kinds and categories of features, classes of the target, and encoding of new rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.data.arrays import RawTable
from treewright.data.columns import Column, Unseen, feature_number
from treewright.data.encoding import encode, refuse_infinities, refuse_missing
from treewright.data.frames import read
from treewright.data.predicates import Predicate, bound
from treewright.data.several_targets import Output
from treewright.data.sparse import NOT_IN_SPARSE, SparseRows, is_sparse, readable, refuse_large
from treewright.errors import DataError, warn

Infinities: TypeAlias = Literal["error", "extreme"]
Numbers: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]

FLOAT64, INT32 = np.dtype(np.float64), np.dtype(np.int32)
ARRAYS = {np.ndarray, np.memmap}


@dataclass(frozen=True, eq=False)
class Schema:
    """Names, kinds and categories of the features, and the classes of the target.

    Parameters
    ----------
    columns : tuple of Column
        The features.
    classes : ndarray or None
        Labels in class order; `None` for regression. Of several targets the codes that the labels of any
        of them have.
    named : bool
        Whether the table had names of its own; without them features are called `x0, x1, …`.
    predicates : tuple of Predicate
        What works out the last features, which no table has.
    outputs : tuple of Output
        The targets where there are several, all of them classes or all of them numbers; empty for one.

    Examples
    --------
    >>> schema = Schema((Column("age"), Column("pet", "categorical", ("cat", "dog"))), None, True)
    >>> schema.names, schema.position, schema.n_categories
    (('age', 'pet'), array([0, 0], dtype=int32), array([0, 2], dtype=int32))
    >>> schema.columns[0].text(38.5), schema.columns[1].text(1)
    ('38.5', 'dog')
    """

    columns: tuple[Column, ...]
    classes: NDArray[Any] | None = None
    named: bool = False
    predicates: tuple[Predicate, ...] = ()
    outputs: tuple[Output, ...] = ()

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def unnamed(cls, n_features: int) -> Schema:
        """Give the schema of numeric features without names; it is made once for each number of them."""
        return _unnamed(n_features)

    def with_classes(self, classes: NDArray[Any] | None) -> Schema:
        """Give the same features with other classes; what was worked out about the features is kept."""
        schema = object.__new__(Schema)
        schema.__dict__.update(self.__dict__, classes=classes)
        return schema

    def __reduce__(self) -> tuple[Callable[..., Schema], tuple[Any, ...]]:
        """Pickle columns without what is worked out of them; numbers without names by how many there are."""
        if not self.named and not self.predicates and self.columns == _unnamed(len(self.columns)).columns:
            return _numbered, (len(self.columns), self.classes, self.outputs)
        return Schema, (self.columns, self.classes, self.named, self.predicates, self.outputs)

    def with_outputs(self, outputs: tuple[Output, ...]) -> Schema:
        """Give the same features with several targets."""
        classes = [output.classes for output in outputs if output.classes is not None]
        schema = self.with_classes(np.arange(max(map(len, classes))) if classes else None)
        schema.__dict__["outputs"] = outputs
        return schema

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return len(self.outputs) or 1

    def output(self, target: str | int) -> int:
        """Give the place of one of several targets, by its name or its place."""
        return feature_number(target, [output.name for output in self.outputs], "target")

    def for_target(self, target: str | int) -> Schema:
        """Give the same features with one of the several targets."""
        schema = self.with_classes(self.outputs[self.output(target)].classes)
        schema.__dict__["outputs"] = ()
        return schema

    def require_one_target(self, what: str, error: type[Exception] = DataError) -> None:
        """Refuse what only models of one target can do."""
        if self.outputs:
            names = ", ".join(output.name for output in self.outputs[:5])
            more = ", …" if len(self.outputs) > 5 else ""
            raise error(f"{what} one target, and this model has {len(self.outputs)}: {names}{more}.")

    @property
    def n_classes(self) -> int:
        """Number of classes, 0 where the target is a number; of several targets the most that one has."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def n_inputs(self) -> int:
        """Number of features that a table must have."""
        return len(self.columns) - len(self.predicates)

    def with_predicates(
        self, predicates: tuple[Predicate, ...], X: Any, numbers: Numbers, codes: Codes
    ) -> tuple[Schema, Codes]:
        """Give the schema with further features worked out of the others, and the codes with theirs."""
        names = {column.name for column in self.columns}
        for predicate in predicates:
            if predicate.name in names:
                raise DataError(f"predicate {predicate.name!r} has the name of a column: call it otherwise.")
        columns = (*self.columns, *(predicate.column for predicate in predicates))
        schema = Schema(columns, self.classes, self.named, predicates, self.outputs)
        return schema, schema._worked_out(X, numbers, codes)

    def bound(self, given: Any) -> Schema:
        """Give the schema with functions that a file could only name filled in from those given."""
        schema = object.__new__(Schema)
        schema.__dict__.update(self.__dict__, predicates=bound(self.predicates, given))
        return schema

    def _worked_out(self, X: Any, numbers: Numbers, codes: Codes) -> Codes:
        """Codes with a column for each predicate."""
        if not self.predicates:
            return codes
        columns = self.columns[: self.n_inputs]
        X = X.source if isinstance(X, RawTable) else X  # functions know the table as it came
        further = [predicate.codes(X, columns, numbers, codes) for predicate in self.predicates]
        return np.asfortranarray(np.column_stack([codes, *further]).astype(np.int32, copy=False))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each feature."""
        return tuple(column.name for column in self.columns)

    def feature(self, key: str | int, parameter: str = "feature") -> int:
        """Give the number of a feature by its name or its number, which a parameter names."""
        return feature_number(key, self.names, parameter)

    @property
    def number_names(self) -> tuple[str, ...]:
        """Name of each column of `numbers`."""
        return tuple(column.name for column in self.columns if column.kind != "categorical")

    @cached_property
    def position(self) -> Codes:
        """Column of each feature in `numbers`, or in `codes` if it is categorical."""
        categorical = np.array([column.kind == "categorical" for column in self.columns], dtype=bool)
        position = np.where(categorical, np.cumsum(categorical), np.cumsum(~categorical)) - 1
        return _read_only(position.astype(np.int32))

    @cached_property
    def n_categories(self) -> Codes:
        """Number of categories of each feature; 0 for numeric and ordinal ones, at least 1 for others."""
        sizes = [max(len(c.categories), 1) if c.kind == "categorical" else 0 for c in self.columns]
        return _read_only(np.array(sizes, dtype=np.int32))

    @cached_property
    def n_numbers_and_codes(self) -> tuple[int, int]:
        """Number of columns of `numbers` and of `codes`."""
        n_codes = int(np.count_nonzero(self.n_categories))
        return len(self.columns) - n_codes, n_codes

    @cached_property
    def truth_values(self) -> list[int]:
        """The features that are truth values: False goes left, True right."""
        sizes = self.n_categories.tolist()
        return [feature for feature, size in enumerate(sizes) if size == 2 and self.columns[feature].is_truth]

    @cached_property
    def _is_plain(self) -> bool:
        """Whether a float64 matrix is already what this schema stores."""
        return all(c.kind == "numeric" and c.unit is None and c.offset == 0 for c in self.columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        own, others = ((s.columns, s.named, s.predicates, s.outputs) for s in (self, other))
        if own != others:
            return False
        if self.classes is None or other.classes is None:
            return self.classes is other.classes
        return np.array_equal(self.classes, other.classes)

    def encode(
        self,
        X: Any,
        *,
        unseen: Unseen = "missing",
        missing: str = "direction",
        inf: Infinities = "error",
        check_names: bool = True,
        estimator: str = "this estimator",
    ) -> tuple[Numbers, Codes]:
        """Encode the rows of a table as the training rows were.

        Parameters
        ----------
        X : table
            Of any kind that `Dataset.from_table` takes, with the same features.
        unseen : {"missing", "majority", "error"}
            What a category that training has not seen becomes: code −1, code −2, or an error.
        missing : str
            `"error"` refuses missing values; any other policy lets them pass.
        inf : {"error", "extreme"}
            Refuse infinities, or take them as the largest finite numbers. A plain float64 array is given
            back as it is under `"error"`: whoever routes its rows meets the infinities on the way.
        check_names : bool
            Compare the names of the features with those at fit.
        estimator : str
            Who asks, for errors.

        Returns
        -------
        numbers, codes
            As in a `Dataset`, but in any memory order.

        Examples
        --------
        >>> schema = Schema((Column("x0"), Column("x1", "categorical", ("a", "b"))))
        >>> schema.encode([[0.5, "b"], [None, "z"]])
        (array([[0.5],
               [nan]]), array([[ 1],
               [-1]], dtype=int32))
        """
        if type(X) in ARRAYS:
            if X.dtype != FLOAT64 and X.dtype.kind in "fiu" and X.dtype.itemsize <= 4:
                X = X.astype(np.float64)
        elif is_sparse(X):
            refuse_large(X.shape, "what is asked for")
            X = self._dense(X, missing)
        if (
            type(X) in ARRAYS
            and X.dtype == FLOAT64
            and X.ndim == 2
            and inf == "error"
            and missing != "error"
            and self._is_plain
            and X.flags.aligned
        ):
            if X.shape[1] != len(self.columns) or not X.shape[0]:
                raise self._wrong_shape(X.shape, estimator)
            if self.named and check_names:
                warn(f"X does not have valid feature names, but {estimator} was fitted with feature names")
            return np.asarray(X), np.empty((X.shape[0], 0), INT32)
        table = read(X)
        if check_names:
            self._check_names(table, estimator)
        if table.n_features != self.n_inputs or not table.n_rows:
            raise self._wrong_shape((table.n_rows, table.n_features), estimator)
        numbers, codes = self._encode_table(table, unseen, missing, inf)
        return numbers, self._worked_out(X, numbers, codes)

    def sparse_rows(
        self,
        X: Any,
        *,
        inf: Infinities = "error",
        check_names: bool = True,
        estimator: str = "this estimator",
    ) -> SparseRows | None:
        """Give the rows of a sparse matrix as they are; `None` if X is none, or there are more than numbers.

        Whoever routes them must look at what was met on the way: `SparseRows.refuse`.
        """
        if not self._is_plain or self.predicates or not is_sparse(X) or inf != "error":
            return None
        matrix = readable(X)
        if matrix is None:
            return None
        if X.shape[1] != len(self.columns) or not X.shape[0]:
            raise self._wrong_shape(X.shape, estimator)
        if self.named and check_names:
            warn(f"X does not have valid feature names, but {estimator} was fitted with feature names")
        return SparseRows.of(matrix)

    def _dense(self, X: Any, missing: str) -> Any:
        """A sparse matrix made dense, if numbers are all that is stored."""
        matrix = readable(X) if self._is_plain else None
        if matrix is None:
            return X
        if missing == NOT_IN_SPARSE and np.isnan(matrix.data).any():
            SparseRows.of(matrix).refuse(1, missing)
        return matrix.toarray()

    def arrange(self, X: Any) -> RawTable:
        """Take the features out of a table by name: in any order, beside any other columns.

        Parameters
        ----------
        X : table
            With column names, the names of all features among them.

        Raises
        ------
        DataError
            If the schema or the table has no names, or the table lacks a feature.

        Examples
        --------
        >>> import pandas as pd
        >>> schema = Schema((Column("age"), Column("size")), None, True)
        >>> schema.arrange(pd.DataFrame({"size": [1.8], "id": [7], "age": [30.0]})).names
        ('age', 'size')
        """
        table = read(X)
        if table.names is None or not self.named:
            without = "X has no column names" if table.names is None else "the model was fitted without them"
            raise DataError(f"reorder=True takes features by name, but {without}.")
        place = {name: feature for feature, name in enumerate(table.names)}
        names = self.names[: self.n_inputs]
        lost = [name for name in names if name not in place]
        if lost:
            raise DataError(
                "X lacks features that were seen at fit time: " + ", ".join(map(repr, lost)) + "."
            )
        chosen = [place[name] for name in names]
        return RawTable(table.n_rows, len(chosen), names, lambda feature: table.column(chosen[feature]), X)

    def _encode_table(
        self, table: RawTable, unseen: Unseen, missing: str, inf: Infinities
    ) -> tuple[Numbers, Codes]:
        n_codes = int(np.count_nonzero(self.n_categories[: self.n_inputs]))
        numbers = np.empty((table.n_rows, self.n_inputs - n_codes), order="F")
        codes = np.empty((table.n_rows, n_codes), dtype=np.int32, order="F")
        for feature, column in enumerate(self.columns[: self.n_inputs]):
            raw = table.column(feature)
            if missing == "error":
                refuse_missing(column.name, raw.gaps)
            values = encode(column, raw.finite() if inf == "extreme" else raw, unseen)
            if column.kind == "categorical":
                codes[:, self.position[feature]] = values
            else:
                refuse_infinities(column.name, values)
                numbers[:, self.position[feature]] = values
        return numbers, codes

    def _wrong_shape(self, shape: tuple[int, ...], estimator: str) -> DataError:
        if shape[1] != self.n_inputs:
            expected = self.n_inputs
            return DataError(
                f"X has {shape[1]} features, but {estimator} is expecting {expected} features as input."
            )
        return no_rows(shape, estimator)

    def _check_names(self, table: RawTable, estimator: str) -> None:
        """Compare names by scikit-learn's rules, in its words."""
        if table.names is None:
            if self.named:
                warn(f"X does not have valid feature names, but {estimator} was fitted with feature names")
        elif not self.named:
            warn(f"X has feature names, but {estimator} was fitted without feature names")
        elif table.names != (inputs := self.names[: self.n_inputs]):
            unseen, lost = sorted(set(table.names) - set(inputs)), sorted(set(inputs) - set(table.names))
            message = "The feature names should match those that were passed during fit.\n"
            if unseen:
                message += "Feature names unseen at fit time:\n" + _listed(unseen)
            if lost:
                message += "Feature names seen at fit time, yet now missing:\n" + _listed(lost)
            if not unseen and not lost:
                message += "Feature names must be in the same order as they were in fit.\n"
            raise DataError(message)

    def refuse_infinities(self, numbers: Numbers) -> None:
        """Raise the error that names the first column with infinities, if there are any.

        Examples
        --------
        >>> Schema((Column("age"),)).refuse_infinities(np.array([[1.0], [np.inf]]))
        Traceback (most recent call last):
        ...
        treewright.errors.DataError: infinity in column 'age' (1 row, first 1). Clean it or set inf='extreme'.
        """
        for name, values in zip(self.number_names, numbers.T, strict=True):
            refuse_infinities(name, values)


@lru_cache(maxsize=64)
def _unnamed(n_features: int) -> Schema:
    schema = Schema(tuple(Column(f"x{feature}") for feature in range(n_features)))
    # Worked out here, so that every copy has them from the start.
    _ = schema.position, schema.n_categories, schema.n_numbers_and_codes, schema.truth_values
    _ = schema.names, schema._is_plain
    return schema


def _numbered(n_features: int, classes: NDArray[Any] | None, outputs: tuple[Output, ...] = ()) -> Schema:
    schema = _unnamed(n_features)
    return schema.with_outputs(outputs) if outputs else schema.with_classes(classes)


def no_rows(shape: tuple[int, ...], estimator: str) -> DataError:
    """Build the error for a table without rows or without features, in scikit-learn's words."""
    what = "0 sample(s)" if not shape[0] else "0 feature(s)"
    return DataError(
        f"Found array with {what} (shape={shape}) while a minimum of 1 is required by {estimator}."
    )


def _read_only(array: Codes) -> Codes:
    array.flags.writeable = False
    return array


def _listed(names: list[str]) -> str:
    return "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")
