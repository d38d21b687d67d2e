"""Reading of files of every form into one DuckDB table."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.columns import MISSING_TEXTS, is_row_labels
from treewright.errors import DataError
from treewright.files import delimited
from treewright.files.arff import open_arff
from treewright.files.arrow import arrow_batches
from treewright.files.c45_names import open_c45
from treewright.files.declared_columns import DeclaredTable
from treewright.files.delimited import literal
from treewright.files.sources import Source, find_source, refuse, transcode
from treewright.files.staged_table import Staged, TextOptions, quoted_name
from treewright.files.table import row_number

if TYPE_CHECKING:
    from treewright.files.workspace import Workspace

CHUNK_ROWS = 100_000
"""Rows that are in memory at a time where a table is gone over in parts."""


def stage(workspace: Workspace, given: Sequence[str], options: TextOptions) -> Staged:
    """Read the files that a user names into the table `staged`."""
    import duckdb

    source = find_source(given, workspace.folder, options.encoding)
    try:
        if source.form == "csv":
            staged = _delimited(workspace, source, options)
        elif source.form in ("arff", "c4.5"):
            staged = _declared(workspace, source)
        else:
            staged = _typed(workspace, source)
    except duckdb.Error as problem:
        source.refuse_changed()
        raise delimited.explain(problem, source, None) from None
    source.refuse_changed()
    if not staged.n_rows:
        raise refuse(given[0], "it has no rows" + (", only a header" if source.form == "csv" else ""))
    return staged


def _delimited(workspace: Workspace, source: Source, options: TextOptions) -> Staged:
    """Read delimited text; where line ends are mixed, once more with plain ones."""
    import duckdb

    dialect = None
    for given, path in zip(source.given, source.paths, strict=True):
        delimited.refuse_long_lines(given, path)
    try:
        dialect = delimited.sniff(
            workspace.connection, source, options.delimiter, options.header, workspace.lines
        )
        _read_delimited(workspace, source, dialect, options)
    except duckdb.Error as problem:
        if "state machine" not in str(problem) and "sniffing" not in str(problem):
            raise delimited.explain(problem, source, dialect) from None
        plain = [transcode(*file, workspace.folder) for file in zip(source.given, source.paths, strict=True)]
        source = replace(source, paths=tuple(plain))
        try:
            dialect = delimited.sniff(
                workspace.connection, source, options.delimiter, options.header, workspace.lines
            )
            _read_delimited(workspace, source, dialect, options)
        except duckdb.Error as again:
            raise delimited.explain(again, source, dialect) from None
    return workspace.described(
        source.name, text=dialect.names, locate=partial(dialect.locate, source), dialect=dialect
    )


def _read_delimited(
    workspace: Workspace, source: Source, dialect: delimited.Dialect, options: TextOptions
) -> None:
    missing = ", ".join(literal(text) for text in (*MISSING_TEXTS, *options.missing))
    workspace.connection.execute(
        f"CREATE OR REPLACE MACRO field(c) AS CASE WHEN trim(c) NOT IN ({missing}) THEN trim(c) END"
    )
    workspace.connection.execute(
        f"CREATE TABLE staged AS SELECT * FROM {dialect.scan(source.paths, workspace.lines)}"
    )


def _declared(workspace: Workspace, source: Source) -> Staged:
    tables = [
        (open_arff if source.form == "arff" else open_c45)(path, repr(given))
        for path, given in zip(source.paths, source.given, strict=True)
    ]
    if any(table.columns != tables[0].columns for table in tables):
        raise DataError(f"{source.name}: the files declare different columns.")
    columns = tables[0].columns
    listed = ", ".join(f"c{index} VARCHAR" for index in range(len(columns)))
    workspace.connection.execute(f"CREATE TABLE staged ({listed})")
    lines = [array("q", _append(workspace, table)) for table in tables]

    def locate(row: int) -> str:
        for given, of_file in zip(source.given, lines, strict=True):
            if row < len(of_file):
                return f"line {of_file[row]}" + (f" of {given!r}" if len(lines) > 1 else "")
            row -= len(of_file)
        return row_number(row)

    return workspace.described(
        source.name,
        text=[column.name for column in columns],
        locate=locate,
        declared={column.name: column for column in columns},
        target=tables[0].target,
        weight=tables[0].weight,
    )


def _append(workspace: Workspace, table: DeclaredTable) -> Iterator[int]:
    """Append the rows of a declared table, and give the line of each."""
    rows = table.rows()
    while batch := list(islice(rows, CHUNK_ROWS)):
        texts = zip(*(values for _, values in batch), strict=True)
        workspace.append("staged", {f"c{index}": _objects(column) for index, column in enumerate(texts)})
        yield from (line for line, _ in batch)


def _typed(workspace: Workspace, source: Source) -> Staged:
    files = "[" + ", ".join(literal(str(path)) for path in source.paths) + "]"
    if source.form == "arrow":
        return _arrow(workspace, source)
    if source.form == "json":
        scan = f"read_json({files}, sample_size=-1, union_by_name=true)"
    else:
        scan = f"read_parquet({files}, hive_partitioning=false)"
    described = workspace.answer(f"DESCRIBE SELECT * FROM {scan}")
    # What JSON gives no one type is text.
    columns = ", ".join(
        f"({quoted_name(name)}->>'$') AS {quoted_name(name)}" if kind == "JSON" else quoted_name(name)
        for name, kind, *_ in described
        if not is_row_labels(name)
    )
    workspace.connection.execute(f"CREATE TABLE staged AS SELECT {columns} FROM {scan}")
    return workspace.described(source.name)


def _arrow(workspace: Workspace, source: Source) -> Staged:
    """Read Arrow files batch by batch; what a damaged file holds is proved sound before it is used."""
    names: list[str] | None = None
    for given, path in zip(source.given, source.paths, strict=True):
        for batch in arrow_batches(path, given):
            if names is None:
                names = batch.schema.names
                workspace.connection.register("batch", batch)
                workspace.connection.execute("CREATE TABLE staged AS SELECT * FROM batch")
            else:
                if batch.schema.names != names:
                    raise refuse(given, f"its columns are not those of {source.given[0]!r}")
                workspace.connection.register("batch", batch)
                workspace.connection.execute("INSERT INTO staged SELECT * FROM batch")
            workspace.connection.unregister("batch")
    if names is None:
        raise refuse(source.given[0], "it has no rows")
    return workspace.described(source.name)


def _objects(column: Sequence[Any]) -> Any:
    objects = np.empty(len(column), dtype=object)
    objects[:] = column
    return objects
