"""Writing of tables to CSV, Parquet and other forms, atomically."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from treewright.errors import DataError
from treewright.files.delimited import literal
from treewright.files.kinds import Reading
from treewright.files.staged_table import Staged, quoted_name
from treewright.files.workspace import Workspace
from treewright.formatting.suggestions import unknown_name
from treewright.formatting.text import printable
from treewright.persistence.atomic_file import whole_file

FORMS: dict[str, str] = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
    ".json": "FORMAT json, ARRAY true",
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
}
"""How DuckDB writes each form, by the end of the file's name."""

PACKED = {".gz": "gzip", ".zst": "zstd"}
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What text begins with that spreadsheets work out (OWASP, CSV injection)."""

ARROW = (".arrow", ".feather", ".ipc")
SUFFIXES = (*FORMS, *ARROW, ".arff")


def suffix_of(path: str) -> tuple[str, str]:
    """Give the end of a name that says what the file holds, and the one that says how it is packed.

    Examples
    --------
    >>> suffix_of("a.csv.gz"), suffix_of("-")
    (('.csv', '.gz'), ('.csv', ''))
    """
    if path == "-":
        return ".csv", ""
    stem, end = os.path.splitext(path.lower())
    if end in PACKED:
        return os.path.splitext(stem)[1], end
    return end, ""


def check_output(path: str, for_spreadsheets: bool = False) -> None:
    """Refuse a file that cannot be written, before any work is done."""
    suffix, packed = suffix_of(path)
    if for_spreadsheets and suffix not in (".csv", ".tsv"):
        raise ValueError(f"cannot write {path!r} for spreadsheets: it must be a .csv or .tsv file.")
    if suffix not in SUFFIXES:
        raise ValueError(unknown_name("form of file", suffix or os.path.basename(path), SUFFIXES))
    if packed and suffix not in (".csv", ".tsv", ".jsonl", ".ndjson", ".json"):
        raise ValueError(f"cannot write {path!r}: {suffix} files are packed as they are, leave out {packed}.")
    folder = os.path.dirname(os.path.abspath(path))
    if path != "-" and not os.path.isdir(folder):
        raise ValueError(f"cannot write {path!r}: there is no folder {folder!r}.")
    if os.path.isdir(path):
        raise ValueError(f"cannot write {path!r}: it is a folder.")


def write_query(workspace: Workspace, query: str, path: str, for_spreadsheets: bool = False) -> None:
    """Write the answer of a query, to standard output if `path` is `"-"`.

    With `for_spreadsheets`, text that such a program would take for a formula gets a quote before it. On a
    terminal, characters that it would obey are written as escapes.
    """
    suffix, packed = suffix_of(path)
    if for_spreadsheets:
        query = _without_formulas(workspace, query)
    if path == "-":
        spool = workspace.folder / "standard-output"
        _copy(workspace, query, spool, FORMS[suffix])
        _to_standard_output(spool)
        return
    with _written_whole(path) as beside:
        if suffix in ARROW:
            _write_arrow(workspace, query, beside)
        else:
            how = FORMS[suffix] + (f", COMPRESSION {PACKED[packed]}" if packed else "")
            _copy(workspace, query, beside, how)


def _to_standard_output(spool: Path) -> None:
    if sys.stdout.isatty():
        with open(spool, encoding="utf-8", newline="\n") as text:
            sys.stdout.writelines(printable(line.removesuffix("\n")) + "\n" for line in text)
        sys.stdout.flush()
        return
    with open(spool, "rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _without_formulas(workspace: Workspace, query: str) -> str:
    """Put a quote before text that begins like a formula and is no number."""
    answer = workspace.connection.sql(query)
    columns = []
    for name, kind in zip(answer.columns, answer.types, strict=True):
        column, shown = quoted_name(name), f"'{name}" if name[:1] in FORMULA_SIGNS else name
        if str(kind) == "VARCHAR":
            signs = ", ".join(map(literal, FORMULA_SIGNS))
            formula = f"left({column}, 1) IN ({signs}) AND TRY_CAST({column} AS DOUBLE) IS NULL"
            column = f"CASE WHEN {formula} THEN {literal(chr(39))} || {column} ELSE {column} END"
        columns.append(f"{column} AS {quoted_name(shown)}")
    return f"SELECT {', '.join(columns)} FROM ({query})"


def write_table(
    workspace: Workspace,
    staged: Staged,
    readings: Sequence[Reading],
    path: str,
    for_spreadsheets: bool = False,
) -> None:
    """Write the staged table, each column as what it was taken as."""
    columns = ", ".join(f"{reading.value} AS {quoted_name(reading.name)}" for reading in readings)
    if suffix_of(path)[0] != ".arff":
        write_query(workspace, f"SELECT {columns} FROM staged", path, for_spreadsheets)
        return
    with _written_whole(path) as beside, open(beside, "w", encoding="utf-8", newline="\n") as file:
        _write_arff(workspace, staged, readings, file)


@contextmanager
def _written_whole(path: str) -> Iterator[Path]:
    """Write a file whole or not at all, and say in one sentence why it cannot be."""
    import duckdb

    try:
        with whole_file(path) as beside:
            yield beside
    except (OSError, duckdb.IOException) as problem:
        raise OSError(f"cannot write {path!r}: {_reason(problem)}.") from None


def _reason(problem: Exception) -> str:
    """Say why a file cannot be written; DuckDB puts the system's reason into a sentence or into JSON."""
    said = getattr(problem, "strerror", None) or str(problem).splitlines()[0]
    known = map(os.strerror, (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EIO))
    return next((reason for reason in known if reason in str(problem)), said)


def _copy(workspace: Workspace, query: str, path: Path, how: str) -> None:
    workspace.connection.execute(f"COPY ({query}) TO {literal(str(path))} ({how})")


def _write_arrow(workspace: Workspace, query: str, path: Path) -> None:
    try:
        import pyarrow as pa
    except ImportError:
        raise DataError("Arrow files need pyarrow: pip install pyarrow.") from None
    reader = workspace.connection.sql(query).to_arrow_reader()
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _write_arff(workspace: Workspace, staged: Staged, readings: Sequence[Reading], file: TextIO) -> None:
    """Write ARFF: declarations, then rows."""
    file.write(f"@relation {_quoted(Path(staged.name.strip(chr(39))).stem or 'table')}\n\n")
    categories = workspace.categories(readings)
    for reading in readings:
        file.write(f"@attribute {_quoted(reading.name)} {_arff_type(reading, categories)}\n")
    file.write("\n@data\n")
    for _, table in workspace.chunks(staged, readings):
        columns = [_arff_values(table[reading.name], reading) for reading in readings]
        file.writelines(",".join(row) + "\n" for row in zip(*columns, strict=True))


def _arff_type(reading: Reading, categories: Mapping[str, tuple[str, ...]]) -> str:
    if reading.kind == "numeric":
        return "numeric"
    if reading.kind == "date":
        return 'date "yyyy-MM-dd HH:mm:ss"'
    if not reading.is_text:
        return "{false, true}"
    return "{" + ", ".join(map(_quoted, categories[reading.name])) + "}"


def _arff_values(raw: Any, reading: Reading) -> list[str]:
    gaps = raw.gaps.tolist()
    if hasattr(raw, "codes"):
        words = [*map(_quoted, raw.categories), "?"]
        return [words[code] for code in raw.codes.tolist()]
    values = raw.values
    if values.dtype.kind == "M":
        texts = [f"'{text.replace('T', ' ')}'" for text in np.datetime_as_string(values, unit="s").tolist()]
    elif values.dtype.kind == "b":
        texts = [str(value).lower() for value in values.tolist()]
    else:
        texts = [repr(value).removesuffix(".0") for value in values.tolist()]
    return ["?" if gap else text for gap, text in zip(gaps, texts, strict=True)]


def _quoted(text: str) -> str:
    plain = text and not any(sign in text for sign in " ,{}'\"%\\\t\n\r?")
    if plain:
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return "'" + escaped.replace("\t", "\\t") + "'"
