"""The workspace: files staged as one table of an embedded database, and columns or files made of it.

Every file, whatever its form, becomes the table `staged` of a DuckDB database whose memory is limited, and
which spills into a private folder beyond that. So pipes can be looked at twice, and any range of rows of a
table of any size can be read without reading those before it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np

from treewright.data.arrays import array_column
from treewright.data.columns import Raw, RawCodes, RawNumbers
from treewright.errors import DataError
from treewright.files.delimited import literal
from treewright.files.kinds import MACROS, Choices, Reading, guess
from treewright.files.staged import TEXT, Staged, TextOptions, quoted_name
from treewright.files.staging import CHUNK_ROWS, stage
from treewright.files.table import Table

MOST_MEMORY = 4 << 30
"""Bytes of memory that the database takes at most; what is beyond is spilled to the disk."""

MOST_EXPRESSIONS = 60
"""Columns that one query is asked for."""

Value = TypeVar("Value")


class Workspace:
    r"""A private database for one command; use it in a `with` block, at the end of which it is gone.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("age,pet\n3,dog\n?,cat\n")
    ...     with Workspace() as workspace:
    ...         staged = workspace.stage([f"{folder}/a.csv"])
    ...         table = workspace.load(staged, guess(workspace, staged, Choices()))
    >>> table["age"].gaps, table["pet"].categories
    (array([False,  True]), ('cat', 'dog'))
    """

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="treewright-")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if "connection" in self.__dict__:
            self.connection.close()
        self._folder.cleanup()

    @property
    def folder(self) -> Path:
        """The private folder."""
        return Path(self._folder.name)

    @cached_property
    def connection(self) -> Any:
        """The database; it never looks for anything on a network."""
        import duckdb

        connection = duckdb.connect(
            config={
                "autoinstall_known_extensions": "false",
                "temp_directory": str(self.folder / "spilled"),
                "memory_limit": f"{_memory_limit()}B",
            }
        )
        connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        connection.execute(MACROS)
        return connection

    # ---- in ------------------------------------------------------------------------------------------------

    def stage(self, given: Sequence[str], options: TextOptions | None = None) -> Staged:
        """Read files into the table `staged`.

        Parameters
        ----------
        given : sequence of str
            Files, patterns, the stem of C4.5 files, or `"-"`.
        options : TextOptions or None
            How to read text files.
        """
        return stage(self, given, options or TextOptions())

    def query(self, staged: Staged, query: str, choices: Choices) -> Staged:
        """Put the answer of a query in the place of the staged table, which the query calls `data`."""
        import duckdb

        texts = [name for name, kind in staged.columns.items() if kind == TEXT]
        values = {name: staged.value(name) for name in staged.names}
        values |= {reading.name: reading.value for reading in guess(self, staged, choices, texts)}
        columns = ", ".join(f"{value} AS {quoted_name(name)}" for name, value in values.items())
        self.connection.execute("ALTER TABLE staged RENAME TO staged_before")
        self.connection.execute(f"CREATE VIEW data AS SELECT {columns} FROM staged_before")
        try:
            self.connection.execute(f"CREATE TABLE staged AS {query.strip().rstrip(';')}")
        except duckdb.Error as problem:
            first = str(problem).splitlines()[0]
            raise DataError(f"the query cannot be answered: {first} (the table is called data).") from None
        answer = self.described(staged.name)
        known = {name: column for name, column in staged.declared.items() if name in answer.columns}
        if not answer.n_rows:
            raise DataError("the query gives no rows.")
        return Staged(
            staged.name,
            answer.columns,
            answer.n_rows,
            declared={name: column for name, column in known.items() if column.kind != "ignore"},
            target=staged.target if staged.target in answer.columns else None,
            weight=staged.weight if staged.weight in answer.columns else None,
        )

    def described(self, name: str, text: Sequence[str] | None = None, **known: Any) -> Staged:
        """Describe the staged table; the columns of text files have names that SQL does not know."""
        ((n_rows,),) = self.answer("SELECT count(*) FROM staged")
        if text is not None:
            return Staged(name, dict.fromkeys(text, TEXT), int(n_rows), **known)
        columns = {str(column): str(kind) for column, kind, *_ in self.answer("DESCRIBE staged")}
        return Staged(name, columns, int(n_rows), **known)

    # ---- looking -------------------------------------------------------------------------------------------

    def answer(self, query: str) -> list[tuple[Any, ...]]:
        """Give all rows of a query's answer."""
        rows: list[tuple[Any, ...]] = self.connection.execute(query).fetchall()
        return rows

    def counts(self, values: Sequence[str]) -> list[int]:
        """Count for each expression the rows in which it has a value."""
        found: list[int] = []
        for part in _parts(values):
            listed = ", ".join(f"count({value})" for value in part)
            found += map(int, self.answer(f"SELECT {listed} FROM staged")[0])
        return found

    def first(self, condition: str, value: str) -> tuple[int, Any] | None:
        """Find the first row of which a condition holds, and a value of it."""
        found = self.answer(f"SELECT rowid, {value} FROM staged WHERE {condition} ORDER BY rowid LIMIT 1")
        return (int(found[0][0]), found[0][1]) if found else None

    # ---- out -----------------------------------------------------------------------------------------------

    def load(
        self, staged: Staged, readings: Sequence[Reading], begin: int = 0, end: int | None = None
    ) -> Table:
        """Read columns of the staged table into memory, or a range of its rows."""
        coded = {reading.name: self._coded(reading) for reading in readings if _is_coded(reading)}
        rows = "" if begin == 0 and end is None else f" WHERE rowid >= {begin}"
        rows += "" if end is None else f" AND rowid < {end}"
        raw: dict[str, Raw] = {}
        for part in _parts(readings):
            columns = ", ".join(
                f"{coded[reading.name][0] if reading.name in coded else reading.value} AS v{index}"
                for index, reading in enumerate(part)
            )
            arrays = self.connection.execute(f"SELECT {columns} FROM staged{rows}").fetchnumpy()
            for index, reading in enumerate(part):
                categories = coded[reading.name][1] if reading.name in coded else None
                raw[reading.name] = _raw(reading, arrays[f"v{index}"], categories)
        return Table(staged.name, raw, lambda row: staged.locate(begin + row))

    def chunks(
        self, staged: Staged, readings: Sequence[Reading], size: int = CHUNK_ROWS
    ) -> Iterator[tuple[int, Table]]:
        """Go over the staged table in parts, each with the number of its first row."""
        for begin in range(0, staged.n_rows, size):
            yield begin, self.load(staged, readings, begin, min(begin + size, staged.n_rows))

    def categories(self, reading: Reading) -> tuple[str, ...]:
        """List the categories of a column, in order."""
        return self._coded(reading)[1]

    def append(self, table: str, columns: Mapping[str, Any]) -> None:
        """Append arrays to a table of the database."""
        self.connection.register("appended", dict(columns))
        self.connection.execute(f"INSERT INTO {table} SELECT * FROM appended")
        self.connection.unregister("appended")

    def _coded(self, reading: Reading) -> tuple[str, tuple[str, ...]]:
        """Make the type that codes the categories of a column; give SQL for the code, and the categories."""
        value, key = reading.value, (reading.value, reading.categories)
        if key not in self._types:
            if reading.categories is not None:
                found = reading.categories
                listed = f"SELECT unnest([{', '.join(map(literal, found))}])"
            else:
                listed = f"SELECT DISTINCT {value} FROM staged WHERE {value} IS NOT NULL ORDER BY 1"
                found = tuple(text for (text,) in self.answer(listed))
            kind = f"category_{len(self._types)}"
            if found:
                self.connection.execute(f"CREATE TYPE {kind} AS ENUM ({listed})")
            self._types[key] = kind, found
        kind, found = self._types[key]
        return (f"enum_code({value}::{kind})" if found else "NULL::INTEGER"), found

    @cached_property
    def _types(self) -> dict[tuple[str, tuple[str, ...] | None], tuple[str, tuple[str, ...]]]:
        return {}


def _memory_limit() -> int:
    """Give the bytes that the database may hold in memory: a quarter of the machine's, within reason."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says
        return MOST_MEMORY
    return max(MOST_MEMORY // 8, min(MOST_MEMORY, machine // 4))


def _is_coded(reading: Reading) -> bool:
    return reading.kind in ("categorical", "ordinal") and reading.is_text


def _parts(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Part what is asked of many columns: the time to plan a query grows faster than their number."""
    for begin in range(0, len(values), MOST_EXPRESSIONS):
        yield values[begin : begin + MOST_EXPRESSIONS]


def _raw(reading: Reading, array: Any, categories: tuple[str, ...] | None) -> Raw:
    """Take what a query gave for a column as raw values; codes if there are categories."""
    values, gaps = _parted(array)
    if categories is not None:
        codes = values.astype(np.int64) if gaps is None else np.where(gaps, -1, values.astype(np.int64))
        return RawCodes(codes, categories, reading.categories is not None, reading.kind == "ordinal")
    if values.dtype.kind in "biufmM":
        return RawNumbers(values, gaps)
    return array_column(reading.name, values, gaps)


def _parted(values: Any) -> tuple[Any, Any]:
    """Part a masked array in its values and its gaps."""
    if isinstance(values, np.ma.MaskedArray):
        gaps = np.ma.getmaskarray(values)
        return np.asarray(values.data), (gaps if gaps.any() else None)
    return np.asarray(values), None
