"""Tables in memory, of any library, as named columns, each taken as what it is or is said to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.data.columns import Raw, RawCodes, RawNumbers
from treewright.data.encoding import learn
from treewright.data.frames import read, read_series
from treewright.data.objects import typed
from treewright.errors import DataError
from treewright.files.field_readers import look_alike
from treewright.files.kinds import Choices
from treewright.files.table import Table
from treewright.formatting.text import some

NAME = "the table"
"""What errors call a table that has no name."""


def columns_of(source: Any) -> dict[str, Raw]:
    """Take a frame, a mapping of columns, an array or rows as columns by name.

    Examples
    --------
    >>> columns_of({"age": [3, None], "pet": ["dog", "cat"]})["pet"].categories
    ('cat', 'dog')
    """
    if isinstance(source, Mapping):
        return {str(name): column_of(str(name), values) for name, values in source.items()}
    raw = read(source)
    return {raw.name(at): raw.column(at) for at in range(raw.n_features)}


def has_names(source: Any) -> bool:
    """Tell whether the columns of a table have names."""
    return isinstance(source, Mapping) or read(source).names is not None


def memory_table(columns: dict[str, Raw], choices: Choices, na: Sequence[str] = ()) -> Table:
    """Make a table of columns, taken as the user says and with some texts missing."""
    lengths = {name: len(column.gaps) for name, column in columns.items()}
    first = next(iter(lengths.values()), 0)
    for name, length in lengths.items():
        if length != first:
            raise DataError(f"column {name!r} has {length} rows, and others have {first}.")
    columns = _as_said(columns, choices, NAME)
    return Table(NAME, {name: _without(column, na) for name, column in columns.items()})


def column_of(name: str, values: Any) -> Raw:
    """Take the values of one column: a series, an array or a list."""
    raw = read_series(name, values)
    if raw is not None:
        return raw
    array = values if isinstance(values, np.ndarray) else None
    if array is not None and array.ndim == 1 and array.dtype.kind in "biufmM":
        return RawNumbers(array)
    return typed(name, values.tolist() if array is not None else values)


def _as_said(columns: dict[str, Raw], choices: Choices, where: str) -> dict[str, Raw]:
    """Take columns as the kinds that the user says they are."""
    choices.check(list(columns), where)
    said: dict[str, Raw] = {}
    for name in choices.categorical:
        column, codes = learn(name, columns[name], "categorical")
        said[name] = RawCodes(codes, column.categories)
    for name, order in choices.ordinal.items():
        _, places = learn(name, columns[name], "ordinal", order)
        codes = np.where(np.isnan(places), -1, np.nan_to_num(places)).astype(np.int32)
        said[name] = RawCodes(codes, order, declared=True, ordered=True)
    for name in choices.numeric:
        raw = columns[name]
        if isinstance(raw, RawCodes):
            said[name] = _as_numbers(name, raw)
    return columns | said


def _as_numbers(name: str, raw: RawCodes) -> RawNumbers:
    values = []
    for category in raw.categories:
        try:
            values.append(float(category))
        except (TypeError, ValueError):
            raise DataError(f"column {name!r} is called numeric, and holds {category!r}.") from None
    return RawNumbers(np.append(values, np.nan)[raw.codes])


def _without(raw: Raw, texts: Sequence[str]) -> Raw:
    """Take some texts of a column as missing."""
    if not isinstance(raw, RawCodes):
        return raw
    return raw.hide(np.append([category in texts for category in raw.categories], [False])[raw.codes])


def odd_texts(table: Table, names: Sequence[str], choices: Choices) -> list[str]:
    """Say which columns are text and look like numbers or dates, unless they are said to be categories."""
    notes = []
    for name in names:
        raw = table[name]
        if not isinstance(raw, RawCodes) or raw.declared or name in choices.categorical:
            continue
        texts = [category for category in raw.categories if isinstance(category, str)]
        what, marks = look_alike(texts)
        if what and len(texts) == len(raw.categories):
            but = f", but for {some(marks)}" if marks else ""
            turned = "pandas.to_numeric" if what == "numbers" else "pandas.to_datetime"
            notes.append(
                f"column {name!r} of {table.name} is text that looks like {what}{but}: it is taken as "
                f"categories; turn it into {what} before ({turned}), or name it as categorical."
            )
    return notes


def kind_of(raw: Raw) -> str:
    """Say what a column in memory is taken as."""
    if isinstance(raw, RawCodes):
        return "ordinal" if raw.ordered else "categorical"
    kind = raw.values.dtype.kind
    return {"b": "categorical", "m": "date", "M": "date"}.get(kind, "numeric")
