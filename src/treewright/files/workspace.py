"""Workspace: an embedded DuckDB database with the table read, and columns or files taken from it.

Every file, whatever its form, becomes the table `staged` of a DuckDB database whose memory is limited, and
which spills into a private folder beyond that. So pipes can be looked at twice, and any range of rows of a
table of any size can be read without reading those before it.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from treewright.data.arrays import array_column
from treewright.data.columns import Raw, RawCodes, RawNumbers
from treewright.errors import DataError, raise_if_interrupted
from treewright.files.column_batches import MOST_COLUMNS, MOST_FIELDS, Coding, alike, codings, stack
from treewright.files.delimited import LONGEST_LINE, literal
from treewright.files.field_readers import MACROS
from treewright.files.kinds import Choices, Reading, guess
from treewright.files.staged_table import TEXT, Staged, TextOptions, quoted_name
from treewright.files.staging import CHUNK_ROWS, stage
from treewright.files.table import Table

MOST_MEMORY = 4 << 30
"""Bytes of memory that the database takes at most; what is beyond is spilled to the disk."""


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

    def __init__(self, memory: int | None = None, inside: Path | None = None) -> None:
        """Say how much memory the database may use, on one thread, and where its folder is made."""
        self._memory, self._inside = memory, inside

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="treewright-", dir=self._inside)
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
        raise_if_interrupted(problem)

    @property
    def folder(self) -> Path:
        """The private folder."""
        return Path(self._folder.name)

    @cached_property
    def connection(self) -> Any:
        """The database; it never looks for anything on a network."""
        import duckdb

        config: dict[str, Any] = {
            "autoinstall_known_extensions": "false",
            "temp_directory": str(self.folder / "spilled"),
            "memory_limit": f"{self._memory or _memory_limit()}B",
        }
        # Where memory is short the table stands in a file: packed, and not held before it is spilled.
        database = ":memory:" if self._memory is None else str(self.folder / "staged.duckdb")
        connection = duckdb.connect(
            database, config=config | ({} if self._memory is None else {"threads": "1"})
        )
        connection.execute("SET TimeZone = 'UTC'")
        with suppress(
            duckdb.InvalidInputException
        ):  # in notebooks without ipywidgets there is no bar to switch off
            connection.execute("SET enable_progress_bar = false")
        connection.execute(MACROS)
        return connection

    @property
    def lines(self) -> str:
        """SQL options for the longest line of text, and for what is read of it at a time."""
        if self._memory is None:
            return f"max_line_size={LONGEST_LINE}"
        return f"max_line_size={self._memory // 32}, buffer_size={self._memory // 16}"

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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the query may mend what a hint is about
            readings = guess(self, staged, choices, texts)
        values |= {reading.name: reading.value for reading in readings}
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

    def counts(
        self, form: str, columns: Sequence[str], readers: Sequence[str], rows: str = ""
    ) -> list[list[int]]:
        """Count for each text column the fields that each reader can read, of all rows or of some."""
        listed = ", ".join(f"count({reader}(v))" for reader in readers)
        return [
            list(map(int, counts))
            for part in alike(columns, lambda column: form)
            for _, *counts in self.answer(
                f"SELECT k, {listed} FROM (SELECT k, {form.format('v')} AS v FROM {stack(part, rows)}) "
                "GROUP BY k ORDER BY k"
            )
        ]

    def first(self, condition: str, value: str) -> tuple[int, Any] | None:
        """Find the first row of which a condition holds, and a value of it."""
        found = self.answer(f"SELECT rowid, {value} FROM staged WHERE {condition} ORDER BY rowid LIMIT 1")
        return (int(found[0][0]), found[0][1]) if found else None

    # ---- out -----------------------------------------------------------------------------------------------

    def load(
        self, staged: Staged, readings: Sequence[Reading], begin: int = 0, end: int | None = None
    ) -> Table:
        """Read columns of the staged table into memory, or a range of its rows."""
        rows = "" if begin == 0 and end is None else f" WHERE rowid >= {begin}"
        rows += "" if end is None else f" AND rowid < {end}"
        n_rows = (staged.n_rows if end is None else end) - begin
        coded = self._coded(readings)
        raw: dict[str, Raw] = {}

        def way(reading: Reading) -> tuple[str, str]:
            return reading.form, coded[reading.name].kind if reading.is_coded else ""

        texts = [reading for reading in readings if reading.is_coded or staged.kind(reading.name) == TEXT]
        for part in alike(texts, way, max(1, min(MOST_COLUMNS, MOST_FIELDS // max(n_rows, 1)))):
            for reading, array in zip(part, self._stacked(part, way(part[0])[1], rows), strict=True):
                raw[reading.name] = _raw(reading, array, coded.get(reading.name))
        others = [reading for reading in readings if reading.name not in raw]
        for part in alike(others, lambda _: ""):
            columns = ", ".join(f"{reading.value} AS v{index}" for index, reading in enumerate(part))
            arrays = self.connection.execute(f"SELECT {columns} FROM staged{rows}").fetchnumpy()
            for index, reading in enumerate(part):
                raw[reading.name] = _raw(reading, arrays[f"v{index}"], None)
        ordered = {reading.name: raw[reading.name] for reading in readings}
        return Table(staged.name, ordered, lambda row: staged.locate(begin + row))

    def _stacked(self, readings: Sequence[Reading], kind: str, rows: str) -> Sequence[Any]:
        """Read columns that are read in one way, codes of a type or values; an array for each."""
        value = readings[0].form.format("v")
        if readings[0].is_coded:
            value = f"enum_code({value}::{kind})" if kind else "NULL::INTEGER"
        table = stack([reading.column for reading in readings], rows)
        array = self.connection.execute(f"SELECT {value} AS v FROM {table}").fetchnumpy()["v"]
        columns: Sequence[Any] = array.reshape(-1, len(readings)).T.copy()
        return columns

    def chunks(
        self, staged: Staged, readings: Sequence[Reading], size: int = CHUNK_ROWS
    ) -> Iterator[tuple[int, Table]]:
        """Go over the staged table in parts, each with the number of its first row."""
        for begin in range(0, staged.n_rows, size):
            yield begin, self.load(staged, readings, begin, min(begin + size, staged.n_rows))

    def categories(self, readings: Sequence[Reading]) -> dict[str, tuple[str, ...]]:
        """List the categories of those columns that have any, in order."""
        return {name: coding.categories for name, coding in self._coded(readings).items()}

    def append(self, table: str, columns: Mapping[str, Any]) -> None:
        """Append arrays to a table of the database."""
        self.connection.register("appended", dict(columns))
        self.connection.execute(f"INSERT INTO {table} SELECT * FROM appended")
        self.connection.unregister("appended")

    def _coded(self, readings: Sequence[Reading]) -> dict[str, Coding]:
        """Say how the columns of categories are coded; types are made once, many columns at a time."""
        coded = [reading for reading in readings if reading.is_coded]
        new = [reading for reading in coded if reading not in self._codings]
        for part in alike(new, lambda reading: (reading.form, reading.categories)):
            kind, known = f"category_{len(self._codings)}", part[0].categories
            if known is None:
                found = codings(self, part[0].form, [reading.column for reading in part], kind)
            else:
                kind = kind if known else ""
                if known:
                    self.connection.execute(f"CREATE TYPE {kind} AS ENUM ({', '.join(map(literal, known))})")
                found = [Coding(kind, np.arange(len(known)), known)] * len(part)
            self._codings.update(zip(part, found, strict=True))
        return {reading.name: self._codings[reading] for reading in coded}

    @cached_property
    def _codings(self) -> dict[Reading, Coding]:
        return {}


def read_table(
    *given: str, choices: Choices | None = None, options: TextOptions | None = None, query: str | None = None
) -> Table:
    r"""Read files into memory, each column as what the user says or all its values suggest.

    Parameters
    ----------
    *given : str
        Files of one form, patterns, the stem of C4.5 files, or `"-"`.
    choices : Choices or None
        What columns are, where the guess is not right.
    options : TextOptions or None
        How text files are read, where the guess is not right.
    query : str or None
        SQL over the table `data`, whose answer is read instead.

    Returns
    -------
    Table
        Its `features(names)` and its columns, `table[name]`, are what estimators take.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("age,pet\n3,dog\n30,cat\n")
    ...     table = read_table(f"{folder}/a.csv")
    >>> model = DecisionTreeClassifier().fit(table.features(["age"]), table["pet"])
    >>> model.predict(table.features(["age"])).tolist()
    ['dog', 'cat']
    """
    choices = choices or Choices()
    with Workspace() as workspace:
        staged = workspace.stage(given, options)
        if query is not None:
            staged = workspace.query(staged, query, choices)
        table = workspace.load(staged, guess(workspace, staged, choices))
    return Table(table.name, table.columns)  # what was unpacked to find a line is gone


def _memory_limit() -> int:
    """Give the bytes that the database may hold in memory: a quarter of the machine's, within reason."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says
        return MOST_MEMORY
    return max(MOST_MEMORY // 8, min(MOST_MEMORY, machine // 4))


def _raw(reading: Reading, array: Any, coding: Coding | None) -> Raw:
    """Take what a query gave for a column as raw values; codes if there are categories."""
    values, gaps = _parted(array)
    if coding is not None:
        places = values.astype(np.int64)
        codes = np.append(coding.codes, -1)[places if gaps is None else np.where(gaps, -1, places)]
        return RawCodes(codes, coding.categories, reading.categories is not None, reading.kind == "ordinal")
    if values.dtype.kind in "biufmM":
        return RawNumbers(values, gaps)
    return array_column(reading.name, values, gaps)


def _parted(values: Any) -> tuple[Any, Any]:
    """Part a masked array in its values and its gaps."""
    if isinstance(values, np.ma.MaskedArray):
        gaps = np.ma.getmaskarray(values)
        return np.asarray(values.data), (gaps if gaps.any() else None)
    return np.asarray(values), None
