"""ARFF, the files of Weka: a header that declares every column, then dense or sparse rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from treewright.errors import DataError
from treewright.files.declared import Declared, DeclaredTable, Row, refuse_repeated

WEIGHT = "instance weight"
"""What the column is called that the weights of rows, written in braces behind them, are read into."""

_WORD = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,{}'"%]+))""")
_VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"{}%]*))\s*(,|$|(?=\{)|(?=%))""")
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_WEIGHT = re.compile(r",\s*\{([^{}]*)\}\s*$")
_ATTRIBUTE = re.compile(r"@attribute\b", re.IGNORECASE)
_DATE_PARTS = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}
_ISO = "yyyy-MM-dd'T'HH:mm:ss"


def open_arff(path: Path, where: str) -> DeclaredTable:
    """Read the header of an ARFF file.

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
    ...     _ = path.write_text("@relation r\\n@attribute x real\\n@attribute y {a, 'b c'}\\n@data\\n1,'b c'\\n")
    ...     table = open_arff(path, "'a.arff'")
    ...     list(table.rows()), table.target
    ([(5, ['1', 'b c'])], 'y')
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
    weighted = _has_weights(path, number)
    if weighted:
        declared += (Declared(WEIGHT, "numeric"),)
    return DeclaredTable(
        declared,
        columns[-1].name,
        WEIGHT if weighted else None,
        lambda: _rows(path, where, tuple(columns), formats, number, weighted),
    )


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
        categories = tuple(value for value in _values(rest[1:end], number, where) if value is not None)
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


def _rows(
    path: Path,
    where: str,
    columns: tuple[Declared, ...],
    formats: dict[int, str],
    header: int,
    weighted: bool,
) -> Iterator[Row]:
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            text = line.strip()
            if number <= header or not text or text.startswith("%"):
                continue
            weight = _WEIGHT.search(text) if weighted else None
            body = text[: weight.start()] if weight else text
            values = _sparse(body, columns, number, where) if body.startswith("{") else None
            if values is None:
                values = _values(body, number, where)
            if len(values) != len(columns):
                raise DataError(
                    f"line {number} of {where} has {len(values)} values, {len(columns)} columns are declared."
                )
            checked = [
                column.check(value, number, where) for column, value in zip(columns, values, strict=True)
            ]
            for position, written in formats.items():
                checked[position] = _date(checked[position], written, number, where)
            if weighted:
                checked.append(weight[1].strip() if weight else "1")
            yield number, checked


def _values(text: str, number: int, where: str) -> list[str | None]:
    """Part a line at its commas; `?` is missing unless it is quoted."""
    if "'" not in text and '"' not in text and "%" not in text:
        return [None if value in ("?", "") else value for value in map(str.strip, text.split(","))]
    values: list[str | None] = []
    at = 0
    while True:
        match = _VALUE.match(text, at)
        if match is None:
            raise DataError(
                f"line {number} of {where}: cannot read {text[at : at + 40]!r}; close the quotes."
            )
        bare = match[3]
        values.append(_text(match) if bare is None else None if bare.strip() in ("?", "") else bare.strip())
        at = match.end()
        if match[4] != ",":
            return values


def _sparse(text: str, columns: tuple[Declared, ...], number: int, where: str) -> list[str | None]:
    """Read `{index value, index value}`."""
    if not text.endswith("}"):
        raise DataError(f"line {number} of {where}: the sparse row is not closed.")
    row: list[str | None] = [column.categories[0] if column.categories else "0" for column in columns]
    inside = text[1:-1].strip()
    for pair in _values(inside, number, where) if inside and "'" not in inside and '"' not in inside else ():
        index, _, value = (pair or "").partition(" ")
        _place(row, index, value.strip(), number, where)
    if "'" in inside or '"' in inside:
        for match in re.finditer(r"(\d+)\s+(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s,]+))", inside):
            value = (
                match[4]
                if match[4] is not None
                else _unescaped(match[2] if match[2] is not None else match[3])
            )
            _place(row, match[1], value, number, where)
    return row


def _place(row: list[str | None], index: str, value: str, number: int, where: str) -> None:
    if not index.isdigit() or int(index) >= len(row) or not value:
        raise DataError(
            f"line {number} of {where}: {index!r} is no column of a sparse row; columns are 0 to {len(row) - 1}."
        )
    row[int(index)] = None if value == "?" else value


def _date(value: str | None, written: str, number: int, where: str) -> str | None:
    if value is None:
        return None
    try:
        return datetime.strptime(value, written).isoformat(sep=" ")
    except ValueError:
        raise DataError(f"line {number} of {where}: {value!r} is no date of the declared form.") from None


def _has_weights(path: Path, header: int) -> bool:
    """Whether some row has a weight behind it."""
    with open(path, encoding="utf-8-sig") as file:
        return any(number > header and _WEIGHT.search(line) for number, line in enumerate(file, 1))


def _text(match: re.Match[str]) -> str:
    quoted = match[1] if match[1] is not None else match[2]
    return match[3] if quoted is None else _unescaped(quoted)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), text)
