"""Input files: finds, unpacks and decodes what a user names (patterns, archives, text encodings)."""

from __future__ import annotations

import bz2
import codecs
import glob
import gzip
import json
import lzma
import os
import re
import shutil
import stat
import sys
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from treewright.errors import DataError
from treewright.formatting.suggestions import nearest

Form: TypeAlias = Literal["csv", "json", "parquet", "arrow", "arff", "c4.5"]

PACKED: dict[bytes, str] = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"PK\x03\x04": "zip",
}
"""How packed files begin."""

BOMS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"} | {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SUFFIXES: dict[str, Form] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arff": "arff",
}
MOST_EXPANSION = 1000
"""A packed file that grows more than this many times is no honest table."""

MOST_TEXT = 1 << 28
"""Bytes of a file that are looked into at once to say what is wrong."""

CHUNK = 1 << 20
Stamp: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Source:
    """One file, or several of the same form.

    Parameters
    ----------
    name : str
        What the user wrote, in quotes, for errors.
    given : tuple of str
        Name of each file as the user knows it.
    paths : tuple of Path
        The plain files.
    form : str
        What they hold.
    stamps : tuple
        Size and time of each file when it was found; None for pipes.
    """

    name: str
    given: tuple[str, ...]
    paths: tuple[Path, ...]
    form: Form
    stamps: tuple[Stamp | None, ...] = ()

    def refuse_changed(self) -> None:
        """Raise an error if a file is not what it was when it was found: half of it may be read."""
        for name, stamp in zip(self.given, self.stamps, strict=True):
            if stamp is not None and _stamp(name) != stamp:
                raise refuse(name, "it changed while it was read; try again when it is complete")


def find_source(given: Sequence[str], folder: Path, encoding: str | None = None) -> Source:
    """Find the files that a user names, and make them plain.

    Parameters
    ----------
    given : sequence of str
        Files, patterns such as `"part-*.csv"`, the stem of C4.5 files, or `"-"` for standard input.
    folder : Path
        A private folder for what has to be unpacked.
    encoding : str or None
        How text is encoded; UTF-8, or what the first bytes say, if None.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = Path(name, "a.csv").write_text("x,y")
    ...     find_source([f"{name}/*.csv"], Path(name)).form
    'csv'
    """
    if encoding is not None:
        try:
            codecs.lookup(encoding)
        except LookupError:
            raise DataError(f"unknown encoding {encoding!r}: use one such as latin-1 or cp1252.") from None
    names = [name for each in given for name in _expanded(each)]
    stamps = tuple(_stamp(name) for name in names)
    opened = [_open(name, folder, encoding) for name in names]
    forms = sorted({form for _, form in opened})
    title = "standard input" if given[0] == "-" else repr(given[0])
    title += f" and {len(given) - 1} more" if len(given) > 1 else ""
    if len(forms) > 1:
        raise DataError(f"{title}: the files are of different forms ({', '.join(forms)}); give one form.")
    return Source(title, tuple(names), tuple(path for path, _ in opened), opened[0][1], stamps)


def _stamp(name: str) -> Stamp | None:
    """Size and time of a file; None for a pipe and for what is not there."""
    try:
        about = os.stat(name)
    except OSError:
        return None
    return (about.st_size, about.st_mtime_ns) if stat.S_ISREG(about.st_mode) else None


def refuse(name: str, reason: str) -> DataError:
    """Build the error for a file that cannot be read."""
    return DataError(f"cannot read {'standard input' if name == '-' else repr(name)}: {reason}.")


def _expanded(given: str) -> list[str]:
    if given.endswith(".names"):
        given = given.removesuffix(".names")
    elif given == "-" or os.path.lexists(given):
        return [given]
    if os.path.exists(f"{given}.names"):
        return [f"{given}.data"]
    if glob.has_magic(given):
        found = sorted(name for name in glob.glob(given, recursive=True) if os.path.isfile(name))
        if not found:
            raise refuse(given, "no file is called like that")
        return found
    parent = os.path.dirname(given) or "."
    if not os.path.isdir(parent):
        raise refuse(given, f"there is no folder {parent!r}")
    hint = nearest(os.path.basename(given), os.listdir(parent))
    raise (
        refuse(given, "there is no such file")
        if not hint
        else DataError(f"cannot read {given!r}: there is no such file.{hint}")
    )


def _open(name: str, folder: Path, encoding: str | None) -> tuple[Path, Form]:
    """Give the plain file behind a name, and what it holds."""
    try:
        path = _on_disk(name, folder)
        start = _start(path)
        packing = next((packing for magic, packing in PACKED.items() if start.startswith(magic)), None)
        plain_name = name
        if packing is not None:
            path = _unpack(name, path, packing, folder)
            start = _start(path)
            plain_name = re.sub(r"\.(gz|bz2|xz|zip|zst)$", "", name, flags=re.IGNORECASE)
        if not start:
            raise refuse(name, "it is empty")
        form = _form(plain_name, start, name)
        if form in ("csv", "json", "arff", "c4.5"):
            bom = next((kind for mark, kind in BOMS.items() if start.startswith(mark)), None)
            used = encoding or bom
            if used is not None and codecs.lookup(used).name not in ("utf-8", "utf-8-sig"):
                path = transcode(name, path, folder, used)
            elif form in ("arff", "c4.5"):
                refuse_bad_bytes(name, path)
            if form == "c4.5" and path.parent == folder:  # the declarations move with the rows
                names = f"{os.path.splitext(plain_name)[0]}.names"
                transcode(names, Path(names), folder, used or "utf-8").rename(path.with_suffix(".names"))
        return path, form
    except OSError as problem:
        raise refuse(name, problem.strerror or str(problem)) from None


def _on_disk(name: str, folder: Path) -> Path:
    """Copy a pipe to the disk: tables are looked at more than once."""
    if name == "-":
        path = folder / "standard-input"
        with open(path, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, CHUNK)
        return path
    path = Path(name)
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise refuse(name, f"it is a folder; try {os.path.join(name, '*')!r}")
    if stat.S_ISREG(mode):
        return path
    copied = _new(folder)
    with open(path, "rb") as pipe, open(copied, "wb") as file:
        shutil.copyfileobj(pipe, file, CHUNK)
    return copied


def _start(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(4096)


def _new(folder: Path) -> Path:
    return folder / f"plain-{len(list(folder.iterdir()))}"


def _unpack(name: str, path: Path, packing: str, folder: Path) -> Path:
    """Unpack a file into the private folder, unless it grows beyond reason."""
    plain, size, limit = _new(folder), 0, MOST_EXPANSION * max(path.stat().st_size, 1024)
    try:
        with _unpacked(name, path, packing) as packed, open(plain, "wb") as file:
            while chunk := packed.read(CHUNK):
                size += len(chunk)
                if size > limit:
                    raise refuse(name, f"it grows more than {MOST_EXPANSION}-fold when it is unpacked")
                file.write(chunk)
    except (EOFError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, RuntimeError) as problem:
        raise refuse(name, f"its {packing} packing is damaged ({problem})") from None
    return plain


def _unpacked(name: str, path: Path, packing: str) -> AbstractContextManager[Any]:
    if packing == "gzip":
        return gzip.open(path)
    if packing == "bzip2":
        return bz2.open(path)
    if packing == "xz":
        return lzma.open(path)
    if packing == "zstandard":
        return _unpacked_zstandard(name, path)
    archive = zipfile.ZipFile(path)
    inside = [entry for entry in archive.namelist() if not entry.endswith("/")]
    if len(inside) != 1:
        raise refuse(name, f"the archive holds {len(inside)} files where one table belongs")
    return archive.open(inside[0])


def _unpacked_zstandard(name: str, path: Path) -> AbstractContextManager[Any]:
    """Open Zstandard with what is there: Python's own from 3.14 on, or pyarrow."""
    try:
        zstd: Any = import_module("compression.zstd")
    except ImportError:
        try:
            import pyarrow
        except ImportError:
            raise refuse(name, "Zstandard files need Python 3.14 or pyarrow: pip install pyarrow") from None
        stream: AbstractContextManager[Any] = pyarrow.input_stream(str(path), compression="zstd")
        return stream
    opened: AbstractContextManager[Any] = zstd.open(path)
    return opened


def transcode(name: str, path: Path, folder: Path, encoding: str = "utf-8") -> Path:
    """Copy text as UTF-8 with plain line ends; a byte that does not belong is named with its line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     latin = Path(name, "a.csv")
    ...     _ = latin.write_bytes("café".encode("latin-1"))
    ...     transcode("a.csv", latin, Path(name), "latin-1").read_text("utf-8")
    'café'
    """
    plain = _new(folder)
    line = 1
    try:
        with open(path, encoding=encoding) as text, open(plain, "w", encoding="utf-8", newline="\n") as file:
            while chunk := text.read(CHUNK):
                line += chunk.count("\n")
                file.write(chunk)
    except UnicodeError:
        if codecs.lookup(encoding).name == "utf-8":
            refuse_bad_bytes(name, path)
        raise refuse(name, f"it is no {encoding} text after line {line}") from None
    return plain


def refuse_bad_bytes(name: str, path: Path) -> None:
    """Refuse text that is not UTF-8."""
    bad = first_bad_byte(path)
    if bad is not None:
        raise refuse(name, f"line {bad[0]}, byte 0x{bad[1]:02X} is not UTF-8: try --encoding latin-1")


def first_bad_byte(path: Path) -> tuple[int, int] | None:
    r"""Find the line and the value of the first byte that is not UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = Path(name, "a.csv").write_bytes(b"a\nb\xe9")
    ...     first_bad_byte(Path(name, "a.csv"))
    (2, 233)
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError as problem:
                return number, line[problem.start]
    return None


def _form(name: str, start: bytes, given: str) -> Form:
    """Tell what a file holds: by how it begins, and for text by its name too."""
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith((b"ARROW1", b"FEA1")):
        return "arrow"
    stem, suffix = os.path.splitext(name)
    suffix = suffix.lower()
    if suffix in (".data", ".test", ".cases") and os.path.exists(f"{stem}.names"):
        return "c4.5"
    if re.match(rb"(?:\xef\xbb\xbf)?(?:\s|%[^\n]*\n)*@relation\b", start, re.IGNORECASE):
        return "arff"
    if start.startswith((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")):
        raise refuse(given, "it is a pickle, which treewright does not open")
    if start[8:].startswith(b'{"__metadata__":{"format":"treewright"'):
        raise refuse(given, "it is a treewright model where a table belongs")
    form = SUFFIXES.get(suffix)
    if start and form in ("parquet", "arrow"):
        raise refuse(given, f"it is no {suffix[1:]} file, or it is damaged")
    if form is None and start.lstrip()[:1] in (b"{", b"["):
        return "json"
    return form or "csv"


def bad_json(path: Path) -> str:
    r"""Say where text is no JSON, be it one value or several, one after the other.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = Path(name, "a.jsonl").write_text('{"a": 1}\n{"a": 2\n')
    ...     bad_json(Path(name, "a.jsonl"))
    "line 2 is no JSON: expecting ',' delimiter"
    """
    if path.stat().st_size > MOST_TEXT:
        return "it is no JSON"
    text, at = path.read_text("utf-8", errors="replace").rstrip(), 0
    read = json.JSONDecoder().raw_decode
    try:
        while begin := re.compile(r"\S").search(text, at):
            _, at = read(text, begin.start())
    except json.JSONDecodeError as problem:
        return f"line {problem.lineno} is no JSON: {problem.msg[0].lower()}{problem.msg[1:]}"
    except (RecursionError, ValueError):
        pass  # too deep, or a number too long, for Python as well
    return "it is no JSON"
