"""CSV and other delimited text, read by DuckDB; errors name the line."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from treewright.errors import DataError
from treewright.files.sources import Source, bad_json, refuse, refuse_bad_bytes

if TYPE_CHECKING:
    import duckdb

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of the longest line that is read."""

MOST_COLUMNS = 100_000
"""Fields of the longest first line that is read."""

WIDE = 500
"""Fields by which a table is looked into that has more."""

SAMPLE = 8 << 20
"""Bytes of a wide table that are looked into."""

PIECE = 1 << 20
"""Bytes that are looked through for line ends at a time."""

SIGNS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}
"""Separators that a command line cannot easily say, by name."""


@dataclass(frozen=True)
class Dialect:
    """How the fields of a file are separated, and what they are called.

    Parameters
    ----------
    delimiter, quote, comment : str
        Signs; an empty `comment` is none.
    skip : int
        Lines before the header or the first row.
    header : bool
        Whether there is a line of names.
    names : tuple of str
        Name of each column: `x0, x1, …` where the file has none.
    """

    delimiter: str
    quote: str
    comment: str
    skip: int
    header: bool
    names: tuple[str, ...]

    def scan(self, paths: Sequence[Path], lines: str) -> str:
        """Write the expression that reads files of this dialect, every field as text in `c0, c1, …`."""
        columns = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(len(self.names)))
        files = ", ".join(literal(str(path)) for path in paths)
        return (
            f"read_csv([{files}], auto_detect=false, delim={literal(self.delimiter)}, "
            f"quote={literal(self.quote)}, escape={literal(self.quote)}, comment={literal(self.comment)}, "
            f"skip={self.skip}, header={str(self.header).lower()}, strict_mode=true, "
            f"{lines}, columns={{{columns}}})"
        )

    def records(self, path: Path) -> Iterator[tuple[int, list[str]]]:
        """Go over the records of a file, the header too, each with the number of its first line."""
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
            for _ in range(self.skip):
                next(file, None)
            reader = csv.reader(file, delimiter=self.delimiter, quotechar=self.quote or None)
            begin = self.skip + 1
            for record in reader:
                blank = not record or (self.comment and record[0].startswith(self.comment))
                if not blank or (not record and len(self.names) == 1):
                    yield begin, record
                begin = self.skip + reader.line_num + 1

    def locate(self, source: Source, row: int) -> str:
        """Say on which line a row stands, counting as an editor does."""
        for given, path in zip(source.given, source.paths, strict=True):
            records = self.records(path)
            if self.header:
                next(records, None)
            for line, _ in records:
                if row == 0:
                    return f"line {line}" if len(source.paths) == 1 else f"line {line} of {given!r}"
                row -= 1
        return f"row {row + 1}"


def literal(text: str) -> str:
    """Write text as SQL does, in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def refuse_long_lines(given: str, path: Path) -> None:
    """Refuse a file with a line that is no row of a table, before it is looked into for minutes."""
    at = begin = 0  # how much was read, and where its last line begins
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            sign = b"\n" if b"\n" in piece else b"\r"
            first, last = piece.find(sign), piece.rfind(sign)
            if at + (first if first >= 0 else len(piece)) - begin > LONGEST_LINE:
                file.seek(0)
                number = 1 + sum(file.read(PIECE).count(b"\n") for _ in range(0, begin, PIECE))
                raise refuse(given, f"line {number} is longer than {LONGEST_LINE >> 20} MB")
            at, begin = at + len(piece), begin if last < 0 else at + last + 1
        file.seek(0)
        header = file.readline(LONGEST_LINE)
    signs = max(header.count(sign) for sign in (b",", b";", b"\t", b"|"))
    if signs >= MOST_COLUMNS:
        raise refuse(given, f"line 1 has {signs + 1} fields, and a table may have {MOST_COLUMNS} columns")


def _narrow(path: Path, sign: str | None) -> bytes | None:
    """Give the first lines of a wide table, cut after `WIDE` fields, unless quotes may hide separators.

    DuckDB takes seconds to look into thousands of columns, and the first tell as much.
    """
    signs = [sign.encode()] if sign else [b",", b";", b"\t", b"|"]
    with open(path, "rb") as file:
        start = file.read(SAMPLE)
    lines = start.split(b"\n")
    sign_of = max(signs, key=lines[0].count)
    if lines[0].count(sign_of) < WIDE or b'"' in start or b"'" in start:
        return None
    whole = lines[:-1] if len(start) == SAMPLE else lines  # the last may go on
    return b"\n".join(sign_of.join(line.rstrip(b"\r").split(sign_of)[:WIDE]) for line in whole)


def sniff(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    delimiter: str | None,
    header: bool | None,
    lines: str = f"max_line_size={LONGEST_LINE}",
) -> Dialect:
    """Find out how the fields of files are separated and called.

    DuckDB tells separators and header by trying them on the first rows (van den Burg, Nazábal & Sutton, 2019,
    describe the problem). Quotes are always `"`, unless the file plainly uses another sign: a stray quote is
    then an error with a line number, not a guess.
    """
    if delimiter is not None and (len(SIGNS.get(delimiter, delimiter)) != 1 or delimiter in "\"'\r\n"):
        raise ValueError(f"delimiter {delimiter!r} must be one sign, no quote, or one of {', '.join(SIGNS)}.")
    options = ["strict_mode=true", "ignore_errors=true", lines]
    if delimiter is None and source.given[0].lower().endswith((".tsv", ".tab", ".tsv.gz")):
        delimiter = "\t"
    if delimiter is not None:
        options.append(f"delim={literal(SIGNS.get(delimiter, delimiter))}")
    if header is not None:
        options.append(f"header={str(header).lower()}")
    path = source.paths[0]
    part = _narrow(path, SIGNS.get(delimiter, delimiter) if delimiter is not None else None)
    with TemporaryDirectory() as folder:
        look = path if part is None else Path(folder, "part.csv")
        if part is not None:
            look.write_bytes(part)
        found = connection.execute(
            f"SELECT Delimiter, Quote, Comment, SkipRows, HasHeader, len(Columns) "
            f"FROM sniff_csv({literal(str(look))}, {', '.join(options)})"
        ).fetchall()
    ((sign, quote, comment, skip, has_header, width),) = found
    dialect = Dialect(
        delimiter=SIGNS.get(delimiter, delimiter) if delimiter is not None else sign.replace("\\t", "\t"),
        quote="'" if quote == "'" else '"',
        comment="#" if comment == "#" else "",
        skip=int(skip),
        header=bool(has_header),
        names=tuple(f"x{index}" for index in range(width)),
    )
    if not dialect.header and part is None:
        return dialect
    if not dialect.header:
        _, record = next(dialect.records(path), (1, []))
        return replace(dialect, names=tuple(f"x{index}" for index in range(len(record))))
    named = Dialect(**{**vars(dialect), "names": _header(dialect, source, 0)})
    for index in range(1, len(source.paths)):
        names = _header(dialect, source, index)
        if names != named.names:
            raise DataError(
                f"{source.given[index]!r} has the columns {', '.join(map(repr, names))}, but "
                f"{source.given[0]!r} has {', '.join(map(repr, named.names))}: read together they must agree."
            )
    return named


def _header(dialect: Dialect, source: Source, index: int) -> tuple[str, ...]:
    """Read the names in the first line of a file."""
    line, record = next(dialect.records(source.paths[index]), (1, []))
    names = tuple(text.strip() or f"x{position}" for position, text in enumerate(record))
    for name, count in Counter(names).items():
        if count > 1:
            times = f"occurs {count} times"
            raise DataError(f"line {line} of {source.given[index]!r}: column name {name!r} {times}.")
    return names


def explain(problem: Exception, source: Source, dialect: Dialect | None) -> DataError:
    """Say in one sentence why DuckDB could not read a file."""
    message = str(problem)
    line = re.search(r"Line: (\d+)", message)
    file = re.search(r"^\s*file = (.*)$", message, re.MULTILINE)
    paths = [str(path) for path in source.paths]
    index = paths.index(file[1]) if file and file[1] in paths else 0
    given = source.given[index]
    where = f"line {line[1]}" if line else "some line"
    if "unicode" in message.lower() or "utf-8" in message.lower():
        try:
            refuse_bad_bytes(given, source.paths[index])
        except DataError as found:
            return found
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if counts:
        width = "the header has" if dialect is None or dialect.header else "the first has"
        fields = "1 field" if counts[2] == "1" else f"{counts[2]} fields"
        return refuse(given, f"{where} has {fields}, {width} {counts[1]}")
    if "unterminated quote" in message:
        return refuse(given, f"the quote opened on {where} is never closed")
    if "Malformed JSON" in message:
        return refuse(given, bad_json(source.paths[index]))
    if dialect is not None and not dialect.names:
        return refuse(given, "it has nothing but empty lines")
    if "Maximum line size" in message:
        limit = re.search(r"Maximum line size of (\d+) bytes", message)
        return refuse(given, f"{where} is longer than {(int(limit[1]) if limit else LONGEST_LINE) >> 20} MB")
    first = message.splitlines()[0].partition(": ")[2] or message.splitlines()[0]
    return refuse(given, f"{where}: {first.rstrip('.')}" if line else first.rstrip("."))
