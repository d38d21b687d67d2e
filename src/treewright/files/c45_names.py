"""C4.5 and C5.0 files: `.names` declares classes and features, `.data` and `.test` hold the rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from treewright.errors import DataError
from treewright.files.declared_columns import Declared, DeclaredTable, Row, refuse_repeated
from treewright.files.sources import refuse, refuse_bad_bytes
from treewright.formatting.text import counted

CLASS = "class"
"""What the target is called where `.names` lists the classes and gives it no name."""

CASE_WEIGHT = "case weight"
_UNESCAPED_BAR = re.compile(r"(?<!\\)\|")
_END = re.compile(r"(?<!\\)\.(?=\s|$)")
_COLON = re.compile(r"(?<!\\):")
_COMMA = re.compile(r"(?<!\\),")
_ESCAPE = re.compile(r"\\(.)")
_BLANKS = re.compile(r"\s+")


def open_c45(path: Path, where: str) -> DeclaredTable:
    r"""Read the `.names` beside a `.data` or `.test` file.

    Parameters
    ----------
    path : Path
        The file of rows.
    where : str
        What it is called, for errors.

    References
    ----------
    J. R. Quinlan, C4.5: Programs for Machine Learning, 1993, ch. 9; the attribute types of C5.0 that need no
    formula are read too.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "g.names").write_text("no, yes.\nwind: weak, strong.\nheat: continuous.\n")
    ...     _ = Path(folder, "g.data").write_text("weak, 30, yes\n")
    ...     table = open_c45(Path(folder, "g.data"), "'g.data'")
    ...     list(table.rows()), table.target
    ([(1, ['weak', '30', 'yes'])], 'class')
    """
    names_file = path.with_suffix(".names")
    if not names_file.is_file():
        raise refuse(str(names_file), "there is no such file")
    refuse_bad_bytes(str(names_file), names_file)
    text = names_file.read_text(encoding="utf-8-sig")
    entries = _entries(text)
    if not entries:
        raise DataError(f"{str(names_file)!r} is empty: it should list the classes, then the features.")
    target, columns = _columns(entries, repr(str(names_file)))
    refuse_repeated(columns, repr(str(names_file)))
    weight = CASE_WEIGHT if any(column.name == CASE_WEIGHT for column in columns) else None
    return DeclaredTable(columns, target, weight, lambda: _rows(path, where, columns, target))


def _entries(text: str) -> list[tuple[int, str]]:
    """Part a `.names` at its full stops, each entry with the line it begins on."""
    entries: list[tuple[int, str]] = []
    begin, words = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        rest = _UNESCAPED_BAR.split(line)[0]
        # A line with a colon begins an entry even if the stop before it was forgotten.
        if words.strip() and _COLON.search(rest) and (_COLON.search(words) or not entries):
            entries.append((begin, words.strip()))
            words = ""
        begin = begin if words.strip() else number
        while (stop := _END.search(rest)) is not None:
            words += " " + rest[: stop.start()]
            if words.strip():
                entries.append((begin, words.strip()))
            begin, words, rest = number, "", rest[stop.end() :]
        words += " " + rest
    if words.strip():
        entries.append((begin, words.strip()))
    return entries


def _columns(entries: list[tuple[int, str]], where: str) -> tuple[str, tuple[Declared, ...]]:
    """Read the classes and the features: C4.5 lists the classes first, C5.0 may name the target instead."""
    (first_line, first), *rest = entries
    features = [_feature(number, entry, where) for number, entry in rest if not _is_selection(entry)]
    if _COLON.search(first):
        raise DataError(
            f"line {first_line} of {where}: the classes or the target's name come first, found {first!r}."
        )
    classes = tuple(map(_clean, _COMMA.split(first)))
    if len(classes) == 1 and any(feature.name == classes[0] for feature in features):
        return classes[0], tuple(features)
    if len(classes) == 1:
        raise DataError(
            f"line {first_line} of {where}: {classes[0]!r} is neither a list of classes nor a feature."
        )
    return CLASS, (*features, Declared(CLASS, "categorical", classes))


def _is_selection(entry: str) -> bool:
    return bool(re.match(r"attributes\s+(included|excluded)\s*:", entry, re.IGNORECASE))


def _feature(number: int, entry: str, where: str) -> Declared:
    parts = _COLON.split(entry, maxsplit=1)
    name = _clean(parts[0])
    if len(parts) == 1:
        raise DataError(f"line {number} of {where}: expected 'feature: values.', found {entry[:40]!r}.")
    rest = parts[1].strip()
    if rest.startswith("="):
        raise DataError(
            f"line {number} of {where}: {name!r} is a formula, which is not read; compute it with --query."
        )
    word = rest.lower()
    if word == "continuous":
        return Declared(name, "numeric")
    if word in ("ignore", "label"):
        return Declared(name, "ignore")
    if word in ("date", "timestamp"):
        return Declared(name, "date")
    if re.fullmatch(r"discrete(\s+\d+)?", word) or word == "time":
        return Declared(name, "categorical")
    ordered = re.match(r"\[ordered\]\s*", rest, re.IGNORECASE)
    values = tuple(map(_clean, _COMMA.split(rest[ordered.end() :] if ordered else rest)))
    if len(values) < 2 or not all(values):
        raise DataError(
            f"line {number} of {where}: {name!r} has the unknown type {rest[:40]!r}; known are continuous, "
            "discrete, ignore, date and a list of values."
        )
    return Declared(name, "ordinal" if ordered else "categorical", values)


def _rows(path: Path, where: str, columns: tuple[Declared, ...], target: str) -> Iterator[Row]:
    if not path.is_file():
        raise refuse(str(path), "there is no such file")
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            text = (_UNESCAPED_BAR.split(line)[0] if "|" in line else line).strip()
            if not text:
                continue
            fields = _fields(text)
            if len(fields) == len(columns) - 1 and columns[-1].name == target:
                fields.append("?")  # .cases have no class
            if len(fields) != len(columns):
                found = f"has {counted(len(fields), 'value')}, declared are {len(columns)}"
                raise DataError(f"line {number} of {where} {found}.")
            yield (
                number,
                [
                    _checked(column, value, number, where)
                    for column, value in zip(columns, fields, strict=True)
                ],
            )


def _checked(column: Declared, value: str, number: int, where: str) -> str | None:
    if value in ("?", ""):
        return None
    if value == "N/A" and (column.categories is None or "N/A" not in column.categories):
        return None
    return column.check(value, number, where) if column.kind != "ignore" else value


def _fields(text: str) -> list[str]:
    if "\\" not in text:
        stripped = text.removesuffix(".") if not re.search(r"\d\.$", text) else text
        return [_BLANKS.sub(" ", field.strip()) for field in stripped.split(",")]
    stripped = _END.sub("", text) if _END.search(text) and text.endswith(".") else text
    return [_clean(field) for field in _COMMA.split(stripped)]


def _clean(text: str) -> str:
    """Drop blanks around a name, those doubled inside it, and what escapes its signs."""
    return _ESCAPE.sub(r"\1", _BLANKS.sub(" ", text.strip()))
