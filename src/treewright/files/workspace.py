"""The workspace: files staged as one table of an embedded database, and columns or files made of it.

Every file, whatever its form, becomes the table `staged` of a DuckDB database whose memory is limited, and
which spills into a private folder beyond that. So pipes can be looked at twice, and any range of rows of a
table of any size can be read without reading those before it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from treewright.data.arrays import array_column
from treewright.data.columns import Raw, RawCodes, RawNumbers
from treewright.errors import DataError
from treewright.files import delimited
from treewright.files.arff import open_arff
from treewright.files.arrow import arrow_batches
from treewright.files.c45_names import open_c45
from treewright.files.declared import Declared, DeclaredTable
from treewright.files.delimited import literal
from treewright.files.kinds import MACROS, Choices, Reading, guess, quoted_name
from treewright.files.sources import Source, find_source, refuse, transcode
from treewright.files.table import Table, row_number, unknown_column

MISSING_TEXTS = ("", "?", "NA")
"""Fields of text files that are missing values."""

MOST_MEMORY = 4 << 30
"""Bytes of memory that the database takes at most; what is beyond is spilled to the disk."""

CHUNK_ROWS = 100_000
"""Rows that are in memory at a time where a table is gone over in parts."""


@dataclass(frozen=True)
class Staged:
    """What was staged: the columns, and what is known of them.

    Parameters
    ----------
    name : str
        What the user wrote, for errors.
    columns : dict of str to str
        DuckDB's type of each column; `"TEXT"` where the file has nothing but text.
    n_rows : int
    locate : callable
        Says where in the file a row stands.
    declared : mapping of str to Declared
        What the file itself says about columns.
    target, weight : str or None
        The target and the weights, if the file says so.
    dialect : Dialect or None
        How the fields of delimited text are separated.
    """

    name: str
    columns: dict[str, str]
    n_rows: int
    locate: Callable[[int], str] = row_number
    declared: Mapping[str, Declared] = field(default_factory=dict)
    target: str | None = None
    weight: str | None = None
    dialect: delimited.Dialect | None = None

    @property
    def names(self) -> list[str]:
        """Name of each column."""
        return list(self.columns)

    @property
    def has_decimal_commas(self) -> bool:
        """Whether a comma may be the sign of decimals: it does not separate fields."""
        return self.dialect is not None and self.dialect.delimiter != ","

    def kind(self, name: str) -> str:
        """DuckDB's type of a column."""
        if name not in self.columns:
            raise unknown_column(name, self.names, self.name)
        return self.columns[name]


@dataclass(frozen=True)
class TextOptions:
    """How text files are read, where the guess is not right.

    Parameters
    ----------
    encoding : str or None
    delimiter : str or None
    header : bool or None
    missing : tuple of str
        Further fields that are missing values, beside an empty one, `?` and `NA`.
    """

    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ()


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
        import duckdb

        options = options or TextOptions()
        source = find_source(given, self.folder, options.encoding)
        try:
            if source.form == "csv":
                staged = self._stage_delimited(source, options)
            elif source.form in ("arff", "c4.5"):
                staged = self._stage_declared(source)
            else:
                staged = self._stage_typed(source)
        except duckdb.Error as problem:
            raise delimited.explain(problem, source, None) from None
        if not staged.n_rows:
            raise refuse(given[0], "it has no rows" + (", only a header" if source.form == "csv" else ""))
        return staged

    def query(self, staged: Staged, query: str, choices: Choices) -> Staged:
        """Put the answer of a query in the place of the staged table, which the query calls `data`."""
        import duckdb

        texts = [name for name, kind in staged.columns.items() if kind == "TEXT"]
        values = {name: quoted_name(name) for name in staged.names}
        values |= {reading.name: reading.value for reading in guess(self, staged, choices, texts)}
        columns = ", ".join(f"{value} AS {quoted_name(name)}" for name, value in values.items())
        self.connection.execute("ALTER TABLE staged RENAME TO staged_before")
        self.connection.execute(f"CREATE VIEW data AS SELECT {columns} FROM staged_before")
        try:
            self.connection.execute(f"CREATE TABLE staged AS {query.strip().rstrip(';')}")
        except duckdb.Error as problem:
            first = str(problem).splitlines()[0]
            raise DataError(f"the query cannot be answered: {first} (the table is called data).") from None
        answer = self._described(staged.name)
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

    def _stage_delimited(self, source: Source, options: TextOptions) -> Staged:
        """Read delimited text; where line ends are mixed, once more with plain ones."""
        import duckdb

        dialect = None
        try:
            dialect = delimited.sniff(self.connection, source, options.delimiter, options.header)
            self._read_delimited(source, dialect, options)
        except duckdb.Error as problem:
            if "state machine" not in str(problem) and "sniffing" not in str(problem):
                raise delimited.explain(problem, source, dialect) from None
            plain = [transcode(*file, self.folder) for file in zip(source.given, source.paths, strict=True)]
            source = replace(source, paths=tuple(plain))
            try:
                dialect = delimited.sniff(self.connection, source, options.delimiter, options.header)
                self._read_delimited(source, dialect, options)
            except duckdb.Error as again:
                raise delimited.explain(again, source, dialect) from None
        return self._described(
            source.name, text=True, locate=partial(dialect.locate, source), dialect=dialect
        )

    def _read_delimited(self, source: Source, dialect: delimited.Dialect, options: TextOptions) -> None:
        missing = ", ".join(literal(text) for text in (*MISSING_TEXTS, *options.missing))
        columns = ", ".join(
            f"CASE WHEN trim(c{index}) NOT IN ({missing}) THEN trim(c{index}) END AS {quoted_name(name)}"
            for index, name in enumerate(dialect.names)
        )
        self.connection.execute(f"CREATE TABLE staged AS SELECT {columns} FROM {dialect.scan(source.paths)}")

    def _stage_declared(self, source: Source) -> Staged:
        tables = [
            (open_arff if source.form == "arff" else open_c45)(path, repr(given))
            for path, given in zip(source.paths, source.given, strict=True)
        ]
        if any(table.columns != tables[0].columns for table in tables):
            raise DataError(f"{source.name}: the files declare different columns.")
        columns = tables[0].columns
        listed = ", ".join(f"{quoted_name(column.name)} VARCHAR" for column in columns)
        self.connection.execute(f"CREATE TABLE staged ({listed})")
        lines: list[tuple[str, int]] = []
        for table, given in zip(tables, source.given, strict=True):
            lines += [(given, line) for line in self._append(table)]

        def locate(row: int) -> str:
            given, line = lines[row]
            return f"line {line}" if len(tables) == 1 else f"line {line} of {given!r}"

        return self._described(
            source.name,
            text=True,
            locate=locate,
            declared={column.name: column for column in columns},
            target=tables[0].target,
            weight=tables[0].weight,
        )

    def _append(self, table: DeclaredTable) -> Iterator[int]:
        """Append the rows of a declared table, and give the line of each."""
        rows = table.rows()
        while batch := list(islice(rows, CHUNK_ROWS)):
            texts = zip(*(values for _, values in batch), strict=True)
            self.append("staged", {f"c{index}": _objects(column) for index, column in enumerate(texts)})
            yield from (line for line, _ in batch)

    def _stage_typed(self, source: Source) -> Staged:
        files = "[" + ", ".join(literal(str(path)) for path in source.paths) + "]"
        if source.form == "arrow":
            return self._stage_arrow(source)
        if source.form == "json":
            scan = f"read_json({files}, sample_size=-1, union_by_name=true)"
        else:
            scan = f"read_parquet({files}, hive_partitioning=false)"
        described = self.answer(f"DESCRIBE SELECT * FROM {scan}")
        # What JSON gives no one type is text.
        columns = ", ".join(
            f"({quoted_name(name)}->>'$') AS {quoted_name(name)}" if kind == "JSON" else quoted_name(name)
            for name, kind, *_ in described
        )
        self.connection.execute(f"CREATE TABLE staged AS SELECT {columns} FROM {scan}")
        return self._described(source.name)

    def _stage_arrow(self, source: Source) -> Staged:
        """Read Arrow files batch by batch; what a damaged file holds is proved sound before it is used."""
        names: list[str] | None = None
        for given, path in zip(source.given, source.paths, strict=True):
            for batch in arrow_batches(path, given):
                if names is None:
                    names = batch.schema.names
                    self.connection.register("batch", batch)
                    self.connection.execute("CREATE TABLE staged AS SELECT * FROM batch")
                else:
                    if batch.schema.names != names:
                        raise refuse(given, f"its columns are not those of {source.given[0]!r}")
                    self.connection.register("batch", batch)
                    self.connection.execute("INSERT INTO staged SELECT * FROM batch")
                self.connection.unregister("batch")
        if names is None:
            raise refuse(source.given[0], "it has no rows")
        return self._described(source.name)

    def _described(self, name: str, text: bool = False, **known: Any) -> Staged:
        described = self.answer("DESCRIBE staged")
        columns = {column: "TEXT" if text else str(kind) for column, kind, *_ in described}
        ((n_rows,),) = self.answer("SELECT count(*) FROM staged")
        return Staged(name, columns, int(n_rows), **known)

    # ---- looking -------------------------------------------------------------------------------------------

    def answer(self, query: str) -> list[tuple[Any, ...]]:
        """Give all rows of a query's answer."""
        rows: list[tuple[Any, ...]] = self.connection.execute(query).fetchall()
        return rows

    def counts(self, values: Sequence[str]) -> list[int]:
        """Count for each expression the rows in which it has a value."""
        if not values:
            return []
        listed = ", ".join(f"count({value})" for value in values)
        return [int(count) for count in self.answer(f"SELECT {listed} FROM staged")[0]]

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
        columns = ", ".join(
            f"{coded[reading.name][0] if reading.name in coded else reading.value} AS c{index}"
            for index, reading in enumerate(readings)
        )
        rows = "" if begin == 0 and end is None else f" WHERE rowid >= {begin}"
        rows += "" if end is None else f" AND rowid < {end}"
        arrays = self.connection.execute(f"SELECT {columns} FROM staged{rows}").fetchnumpy()
        raw: dict[str, Raw] = {}
        for index, reading in enumerate(readings):
            values, gaps = _parted(arrays[f"c{index}"])
            if reading.name in coded:
                categories = coded[reading.name][1]
                codes = (
                    values.astype(np.int64) if gaps is None else np.where(gaps, -1, values.astype(np.int64))
                )
                ordered = reading.kind == "ordinal"
                raw[reading.name] = RawCodes(codes, categories, reading.categories is not None, ordered)
            elif values.dtype.kind in "biufmM":
                raw[reading.name] = RawNumbers(values, gaps)
            else:
                raw[reading.name] = array_column(reading.name, values, gaps)
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


def _objects(column: Sequence[Any]) -> Any:
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array


def _parted(values: Any) -> tuple[Any, Any]:
    """Part a masked array in its values and its gaps."""
    if isinstance(values, np.ma.MaskedArray):
        gaps = np.ma.getmaskarray(values)
        return np.asarray(values.data), (gaps if gaps.any() else None)
    return np.asarray(values), None
