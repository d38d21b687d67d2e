"""The row to explain, read from a dict, a pandas Series, a table of one row, a list or an array."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import MAJORITY, MISSING, RawNumbers, Unseen, plain, plain_value, value_text
from treewright.data.frames import read
from treewright.data.schema import Infinities
from treewright.errors import DataError
from treewright.formatting.suggestions import nearest
from treewright.formatting.text import printable, quoted

if TYPE_CHECKING:
    from treewright.data import Schema


@dataclass(frozen=True, eq=False)
class Row:
    """A row as a tree's arrays have it.

    Parameters
    ----------
    schema : Schema
    numbers, codes : arrays
        As the rows of a `Dataset`: one entry for each numeric and ordinal, and each categorical feature.
    unseen : dict of feature to str
        Categories that training has not seen, as they were given.
    """

    schema: Schema
    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]
    unseen: Mapping[int, str] = field(default_factory=dict)

    def __getitem__(self, feature: int) -> float:
        """Give the number or code of a feature; NaN is missing, −2 an unseen value that is none."""
        position = self.schema.position[feature]
        if not self.schema.n_categories[feature]:
            return float(self.numbers[position])
        code = int(self.codes[position])
        return math.nan if code == MISSING else code

    def is_unknown(self, feature: int) -> bool:
        """Say whether a value is missing or unseen."""
        value = self[feature]
        return math.isnan(value) or (value < 0 and bool(self.schema.n_categories[feature]))

    def text(self, feature: int) -> str:
        """Write the value of a feature."""
        if feature in self.unseen:
            return quoted(self.unseen[feature])
        value = self[feature]
        return "missing" if math.isnan(value) else value_text(self.schema.columns[feature], value)

    def plain(self, feature: int) -> Any:
        """Give the value of a feature as a plain value; None is missing."""
        if feature in self.unseen:
            return self.unseen[feature]
        value, column = self[feature], self.schema.columns[feature]
        if math.isnan(value):
            return None
        if column.kind == "categorical":
            return plain(column.categories[int(value)])
        return plain_value(column, value)

    def changed(self, values: Mapping[int, float]) -> Row:
        """Give the row with other numbers or codes for some features."""
        numbers, codes = self.numbers.copy(), self.codes.copy()
        for feature, value in values.items():
            table = codes if self.schema.n_categories[feature] else numbers
            table[self.schema.position[feature]] = value
        unseen = {feature: text for feature, text in self.unseen.items() if feature not in values}
        return Row(self.schema, numbers, codes, unseen)


def read_row(
    row: Any,
    schema: Schema,
    *,
    unseen: Unseen = "missing",
    missing: str = "direction",
    inf: Infinities = "error",
    estimator: str = "this estimator",
) -> Row:
    """Read one row: a dict, a pandas Series, a frame of one row, a list or an array.

    Examples
    --------
    >>> from treewright.data import Column, Schema
    >>> schema = Schema((Column("age"), Column("pet", "categorical", ("cat", "dog"))), None, True)
    >>> read_row({"pet": "dog", "age": 41}, schema).text(1)
    'dog'
    >>> read_row({"pet": "dog"}, schema)
    Traceback (most recent call last):
    ...
    treewright.errors.DataError: the row has no value for 'age'; give None for one that is missing.
    """
    table = _as_table(row, schema)
    given = row if table is None else table
    numbers, codes = schema.encode(
        given,
        unseen="majority" if unseen == "missing" else unseen,
        missing=missing,
        inf=inf,
        check_names=table is None,
        estimator=estimator,
    )
    if len(numbers) != 1:
        raise DataError(f"one row is explained at a time, got {len(numbers)}: pass X.iloc[[i]] or X[[i]].")
    schema.refuse_infinities(numbers)
    codes = codes.astype(np.int32, copy=True)
    never_seen = {
        feature: _raw_text(given, feature)
        for feature in np.flatnonzero(schema.n_categories).tolist()
        if codes[0, schema.position[feature]] == MAJORITY
    }
    if unseen == "missing":
        codes[codes == MAJORITY] = MISSING
    return Row(schema, numbers[0].astype(np.float64), codes[0], never_seen)


def _as_table(row: Any, schema: Schema) -> list[list[Any]] | None:
    """Give a row that is no table of its own as a list of one row; None if it is a table."""
    if isinstance(row, Mapping) or (hasattr(row, "index") and hasattr(row, "items") and np.ndim(row) == 1):
        named = dict(row.items())
        if not schema.named and set(named) == set(range(len(schema.columns))):
            return [[named[feature] for feature in range(len(schema.columns))]]
        _check_names(list(named), schema)
        return [[named[name] for name in schema.names]]
    if isinstance(row, np.ndarray):
        return [row.tolist() if row.dtype.kind not in "mM" else list(row)] if row.ndim == 1 else None
    if isinstance(row, Sequence) and not isinstance(row, str):
        inner = row[0] if len(row) else None
        is_table = isinstance(inner, Sized) and not isinstance(inner, str | bytes)
        return None if is_table else [list(row)]
    return None


def _check_names(given: list[Any], schema: Schema) -> None:
    for name in given:
        if name not in schema.names:
            raise DataError(f"the row has {name!r}, which is no feature.{nearest(name, schema.names)}")
    for name in schema.names:
        if name not in given:
            raise DataError(f"the row has no value for {name!r}; give None for one that is missing.")


def _raw_text(given: Any, feature: int) -> str:
    """Write a value as it was given."""
    column = read(given).column(feature)
    value = column.values[0] if isinstance(column, RawNumbers) else column.categories[column.codes[0]]
    return printable(str(plain(value)))
