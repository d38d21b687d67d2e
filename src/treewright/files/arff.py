"""ARFF files of Weka: the header that declares columns, dense and sparse rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from treewright.errors import DataError
from treewright.files.declared_columns import Declared, DeclaredTable, Row, refuse_repeated
from treewright.formatting.text import counted

WEIGHT = "instance weight"
"""What the column is called that the weights of rows, written in braces behind them, are read into."""

_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_WORD = re.compile(rf"\s*(?:{_QUOTED}|([^\s,{{}}'\"%]+))")
_VALUE = re.compile(rf"\s*(?:{_QUOTED}|([^,'\"%]*))\s*(,|$|%)")
_PAIR = re.compile(rf"\s*(\d+)\s+(?:{_QUOTED}|([^\s,'\"]+))\s*(,|$)")
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_WEIGHT = re.compile(r",\s*\{([^{}]*)\}\s*$")
_ATTRIBUTE = re.compile(r"@attribute\b", re.IGNORECASE)
_DATE_PARTS = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}
_ISO = "yyyy-MM-dd'T'HH:mm:ss"


def open_arff(path: Path, where: str) -> DeclaredTable:
    r"""Read the header of an ARFF file.

    The target is the last column, as Weka takes it. Values of a nominal column must be declared. A sparse
    row's unwritten values are 0, or the first value of a nominal column, as the format has it.

    Parameters
    ----------
    path : Path
        The file, in UTF-8.
    where : str
        What it is called, for errors.

    References
    ----------
    I. H. Witten, E. Frank, M. A. Hall & C. J. Pal, Data Mining, 4th edition, 2016, appendix on ARFF.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.arff")
    ...     _ = path.write_text("@relation r\n@attribute x real\n@attribute y {a, 'b c'}\n@data\n1,a\n")
    ...     table = open_arff(path, "'a.arff'")
    ...     list(table.rows()), table.target
    ([(5, ['1', 'a'])], 'y')
    """
    columns: list[Declared] = []
    formats: dict[int, str] = {}
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            text = line.strip()
            word = text.split(None, 1)[0].lower() if text else ""
            if not text or text.startswith("%") or word == "@relation":
                continue
            if word == "@data":
                break
            if not _ATTRIBUTE.match(text):
                raise DataError(
                    f"line {number} of {where}: expected @attribute or @data, found {text[:40]!r}."
                )
            column, date_format = _attribute(text, number, where)
            if date_format:
                formats[len(columns)] = date_format
            columns.append(column)
        else:
            raise DataError(f"{where} has no line @data.")
    if not columns:
        raise DataError(f"{where} declares no column: there is no @attribute before @data.")
    declared = tuple(columns)
    refuse_repeated(declared, where)
    rows = _Rows(path, where, declared, formats, number, _has_weights(path, number))
    if rows.weighted:
        declared += (Declared(WEIGHT, "numeric"),)
    return DeclaredTable(declared, columns[-1].name, WEIGHT if rows.weighted else None, rows.read)


def _attribute(text: str, number: int, where: str) -> tuple[Declared, str | None]:
    """Read one declaration, and the format of its dates if it has some."""
    name = _WORD.match(text, _ATTRIBUTE.match(text).end())  # type: ignore[union-attr]  # the caller looked
    if name is None:
        raise DataError(f"line {number} of {where}: the column has no name.")
    title, rest = _text(name), text[name.end() :].strip()
    if rest.startswith("{"):
        end = rest.rfind("}")
        if end < 0:
            raise DataError(f"line {number} of {where}: the list of values of {title!r} is not closed.")
        categories = tuple(
            value for value in _values(rest[1:end], f"line {number} of {where}") if value is not None
        )
        return Declared(title, "categorical", tuple(dict.fromkeys(categories))), None
    words = rest.split(None, 1)
    kind = words[0].lower() if words else ""
    if kind in ("numeric", "real", "integer"):
        return Declared(title, "numeric"), None
    if kind == "string":
        return Declared(title, "categorical"), None
    if kind == "date":
        given = words[1].split("%")[0].strip().strip("\"'") if len(words) > 1 else _ISO
        return Declared(title, "date"), _python_format(given or _ISO, number, where)
    raise DataError(
        f"line {number} of {where}: column {title!r} has the unknown type {rest[:40]!r}; known are numeric, "
        "real, integer, string, date and {value, value, …}."
    )


def _python_format(given: str, number: int, where: str) -> str:
    """Turn the pattern of a date in Java's letters into Python's."""
    parts = re.split(r"('[^']*'|yyyy|yy|MM|dd|HH|mm|ss)", given)
    written = "".join(_DATE_PARTS.get(part, part.strip("'").replace("%", "%%")) for part in parts)
    if re.search(r"[A-Za-z]", "".join(part for part in parts if part not in _DATE_PARTS and part[:1] != "'")):
        raise DataError(
            f"line {number} of {where}: the date format {given!r} has other letters than "
            f"{', '.join(_DATE_PARTS)}."
        )
    return written


@dataclass(frozen=True)
class _Rows:
    """The rows of a file whose header has been read."""

    path: Path
    where: str
    columns: tuple[Declared, ...]
    formats: dict[int, str]  # of the dates, by column
    header: int  # lines before the rows
    weighted: bool

    def read(self) -> Iterator[Row]:
        """Go over the rows."""
        with open(self.path, encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                text = line.strip()
                if number > self.header and text and not text.startswith("%"):
                    yield number, self._row(text, number)

    def _row(self, text: str, number: int) -> list[str | None]:
        place = f"line {number} of {self.where}"
        weight = _WEIGHT.search(text) if self.weighted else None
        body = text[: weight.start()] if weight else text
        values = self._sparse(body, place) if body.startswith("{") else _values(body, place)
        if len(values) != len(self.columns):
            raise DataError(f"{place} has {counted(len(values), 'value')}, declared are {len(self.columns)}.")
        row = [
            column.check(value, number, self.where)
            for column, value in zip(self.columns, values, strict=True)
        ]
        for position, written in self.formats.items():
            row[position] = _date(row[position], written, place)
        if self.weighted:
            row.append(weight[1].strip() if weight else "1")
        return row

    def _sparse(self, text: str, place: str) -> list[str | None]:
        """Read `{index value, index value}`."""
        if not text.endswith("}"):
            raise DataError(f"{place}: the sparse row is not closed.")
        row: list[str | None] = [
            column.categories[0] if column.categories else "0" for column in self.columns
        ]
        inside, at = text[1:-1].strip(), 0
        while at < len(inside):
            pair = _PAIR.match(inside, at)
            if pair is None or int(pair[1]) >= len(row):
                raise DataError(
                    f"{place}: cannot read {inside[at : at + 40]!r} as a column and its value; columns are "
                    f"0 to {len(row) - 1}."
                )
            quoted = pair[2] if pair[2] is not None else pair[3]
            row[int(pair[1])] = (
                _unescaped(quoted) if quoted is not None else None if pair[4] == "?" else pair[4]
            )
            at = pair.end()
        return row


def _values(text: str, place: str) -> list[str | None]:
    """Part a line at its commas; `?` is missing unless it is quoted."""
    if "'" not in text and '"' not in text and "%" not in text:
        return [None if value in ("?", "") else value for value in map(str.strip, text.split(","))]
    values: list[str | None] = []
    at = 0
    while True:
        match = _VALUE.match(text, at)
        if match is None:
            raise DataError(f"{place}: cannot read {text[at : at + 40]!r}; close the quotes.")
        bare = match[3]
        values.append(_text(match) if bare is None else None if bare.strip() in ("?", "") else bare.strip())
        at = match.end()
        if match[4] != ",":
            return values


def _date(value: str | None, written: str, place: str) -> str | None:
    if value is None:
        return None
    try:
        return datetime.strptime(value, written).isoformat(sep=" ")
    except ValueError:
        raise DataError(f"{place}: {value!r} is no date of the declared form.") from None


def _has_weights(path: Path, header: int) -> bool:
    """Whether some row has a weight behind it."""
    with open(path, encoding="utf-8-sig") as file:
        return any(number > header and _WEIGHT.search(line) for number, line in enumerate(file, 1))


def _text(match: re.Match[str]) -> str:
    quoted = match[1] if match[1] is not None else match[2]
    return match[3] if quoted is None else _unescaped(quoted)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), text)
