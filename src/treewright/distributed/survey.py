"""What the columns of a table are, found by one pass: enough of their values to have its schema.

A few rows stand for all: the least and the greatest number of a column, one that is neither 0 nor 1, times
that need fine units, every category. The schema of these rows is that of the table, as `Dataset.from_table`
finds it; so there is one place that decides what a column is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treewright.data.times import STORED, UNITS
from treewright.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass
class ColumnSurvey:
    """Values that stand for those of a column."""

    values: list[Any] = field(default_factory=list)
    """Categories, each once; examples of numbers; times in ticks of `unit`."""
    holds: Literal["categories", "numbers", "times"] = "categories"
    order: list[Any] | None = None
    """The values of a dictionary, if all parts of the table have the same."""
    is_ordered: bool = False
    unit: str = ""
    n_missing: int = 0


@dataclass
class TableSurvey:
    """What was found of all columns, and a sample of the rows."""

    columns: list[ColumnSurvey]
    n_rows: int
    sample: list[Any]
    """Arrow tables."""


@dataclass(frozen=True)
class Survey:
    """The question of what the columns hold."""

    n_sampled: int
    """Rows of each partition that are in the sample."""
    target: str
    weight: str | None
    categories: frozenset[str]
    """Columns whose values are all kept, as those of text are: classes, and numbers that are categories."""

    def ask(self, rows: pa.Table) -> TableSurvey:
        """Look at the rows of one partition."""
        known = rows if self.weight is None else rows.filter(np.asarray(rows.column(self.weight)) != 0)
        columns = [
            _survey((rows if name == self.target else known).column(name), name in self.categories)
            for name in rows.column_names
        ]
        sample = known.take(np.arange(0, len(known), max(1, len(known) // self.n_sampled)))
        return TableSurvey(columns, len(rows), [sample])

    def join(self, one: TableSurvey, other: TableSurvey) -> TableSurvey:
        """Put what was found of two partitions together."""
        columns = [_join(a, b) for a, b in zip(one.columns, other.columns, strict=True)]
        return TableSurvey(columns, one.n_rows + other.n_rows, one.sample + other.sample)


def example_rows(survey: TableSurvey, schema: pa.Schema) -> pa.Table:
    """Give rows that have the schema of the whole table: every example of every column."""
    import pyarrow as pa

    # Half of them repeat another, where the table has as many: no column looks like an identifier by them.
    n_rows = max(len(column.values) + 1 for column in survey.columns)
    n_rows = max(n_rows, min(2 * n_rows, survey.n_rows))
    columns = []
    for found, kind in zip(survey.columns, schema.types, strict=True):
        values = found.values + (found.values[:1] or [None]) * (n_rows - len(found.values))
        if found.n_missing and len(values) > len(found.values):
            values[-1] = None
        if found.holds == "times":
            ticks = pa.int32() if kind.bit_width == 32 else pa.int64()
            columns.append(pa.array(values, ticks).view(kind))
            continue
        if not pa.types.is_dictionary(kind):
            columns.append(pa.array(values, kind))
            continue
        names = found.order if found.order is not None else sorted(found.values, key=_by_kind)
        place = {value: code for code, value in enumerate(names)}
        codes = pa.array([None if value is None else place[value] for value in values], pa.int32())
        dictionary = pa.array(names, kind.value_type)
        columns.append(pa.DictionaryArray.from_arrays(codes, dictionary, ordered=kind.ordered))
    return pa.table(columns, schema.names)


def _by_kind(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _survey(column: Any, all_values: bool) -> ColumnSurvey:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, types = column.type, pa.types
    n_missing = column.null_count
    if (types.is_floating(kind) or types.is_integer(kind)) and not all_values:
        known = column.drop_null().to_numpy()
        if types.is_floating(kind):
            gaps = np.isnan(known)
            n_missing += int(gaps.sum())
            known = known[~gaps]
        return ColumnSurvey(_telling_numbers(known), "numbers", n_missing=n_missing)
    if types.is_temporal(kind) and not all_values:
        unit = "D" if types.is_date32(kind) else "ms" if types.is_date64(kind) else kind.unit
        known = _one_array(column).drop_null().view(pa.int32() if kind.bit_width == 32 else pa.int64())
        return ColumnSurvey(_telling_times(known.to_numpy(), unit), "times", unit=unit, n_missing=n_missing)
    if types.is_dictionary(kind):  # declared categories count, whether or not rows have them, as in memory
        names = _one_array(column).dictionary.drop_null().to_pylist()
        return ColumnSurvey(names, order=names, is_ordered=kind.ordered, n_missing=n_missing)
    return ColumnSurvey(pc.unique(column.drop_null()).to_pylist(), n_missing=n_missing)


def _one_array(column: Any) -> Any:
    import pyarrow as pa

    return (
        pa.concat_arrays(column.unify_dictionaries().chunks)
        if column.num_chunks
        else pa.array([], column.type)
    )


def _telling_numbers(known: Any) -> list[Any]:
    """The least, the greatest, and one that is neither 0 nor 1."""
    if not len(known):
        return []
    others = known[(known != 0) & (known != 1)]
    return [known.min().item(), known.max().item(), *others[:1].tolist()]


def _telling_times(ticks: Any, unit: str) -> list[int]:
    """The first and the last moment, and one that is not whole in each coarser unit."""
    if not len(ticks):
        return []
    ticks = ticks.astype(np.int64)
    telling = [int(ticks.min()), int(ticks.max())]
    for coarser in STORED:
        step, remainder = divmod(UNITS[coarser], UNITS[unit])
        if remainder == 0 and step > 1 and (odd := ticks % step).any():
            telling.append(int(ticks[odd.argmax()]))
    return telling


def _join(one: ColumnSurvey, other: ColumnSurvey) -> ColumnSurvey:
    if one.is_ordered and one.order != other.order:
        raise DataError(
            f"an ordered category has the values {one.order} in one part of the table "
            f"and {other.order} in another."
        )
    values = list(dict.fromkeys(one.values + other.values))
    if one.holds == "numbers":
        values = _telling_numbers(np.array(values))
    elif one.holds == "times":
        values = _telling_times(np.array(values), one.unit)
    order = one.order if one.order == other.order else None
    return replace(one, values=values, order=order, n_missing=one.n_missing + other.n_missing)


def concatenated(tables: Sequence[Any]) -> Any:
    """Give several Arrow tables as one."""
    import pyarrow as pa

    return pa.concat_tables([table.unify_dictionaries() for table in tables]).unify_dictionaries()
