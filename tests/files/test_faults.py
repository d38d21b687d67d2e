"""A file that is damaged, missing or of no form is refused in one sentence that names the line."""

from __future__ import annotations

import gzip
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.written import EXPECTED, SMALL, read, write
from treewright.errors import DataError, DataTypeError
from treewright.files import Choices, Workspace, read_table, staging

BAD_FILES = {
    "ragged": ("a,b\n1,2\n3\n", "line 3 has 1 field, the header has 2"),
    "too wide": ("a,b\n1,2\n3,4,5\n6,7\n", "line 3 has 3 fields, the header has 2"),
    "open quote": ('a,b\n1,"x\n2,y\n', "the quote opened on line 2 is never closed"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x01", "line 1, byte 0x89 is not UTF-8: try --encoding latin-1"),
    "half of UTF-16": (b"\xff\xfea\x00,\x00\x01", "it is no utf-16 text after line 1"),
    "latin": (b"a,b\n1,x\n2,caf\xe9\n", "line 3, byte 0xE9 is not UTF-8: try --encoding latin-1"),
    "empty": ("", "it is empty"),
    "empty lines": ("\n\n\n", "it has nothing but empty lines"),
    "empty lines of Windows": ("\r\n" * 9000, "it has nothing but empty lines"),
    "empty when unpacked": (gzip.compress(b""), "it is empty"),
    "header only": ("a,b\n", "it has no rows, only a header"),
    "twice": ("a,a,y\n1,2,3\n", "line 1 of .*: column name 'a' occurs 2 times"),
    "pickle": (b"\x80\x04\x95abc", "it is a pickle, which treewright does not open"),
    "long line": (f"a,b\n1,2\n3,{'x' * (65 << 20)}\n", "line 3 is longer than 64 MB"),
    "long first line": (b"x" * (65 << 20), "line 1 is longer than 64 MB"),
    "wide": ("a," * 100_000 + "b\n", "line 1 has 100001 fields, and a table may have 100000 columns"),
}


BAD_JSON = {
    '{"a": 1}\n{"a": 2\n\n': "line 2 is no JSON: expecting ',' delimiter",
    '{"a": 1}\nhello\n': "line 2 is no JSON: expecting value",
    '[{"a": 1},\n{"a":': "line 2 is no JSON: expecting value",
    '{"a":' * 2000: "it is no JSON",
}


@pytest.mark.parametrize("content", BAD_JSON, ids=range(len(BAD_JSON)))
def test_json_is_refused_with_its_line(tmp_path: Path, workspace: Workspace, content: str) -> None:
    with pytest.raises(DataError, match=f": {BAD_JSON[content]}.$"):
        workspace.stage([write(tmp_path, "bad.json", content)])


@pytest.mark.parametrize("fault", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, workspace: Workspace, fault: str) -> None:
    content, message = BAD_FILES[fault]
    with pytest.raises(DataError, match=message) as caught:
        workspace.stage([write(tmp_path, "bad.csv", content)])
    assert "\n" not in str(caught.value)


def test_lines_are_counted_as_an_editor_does(tmp_path: Path, workspace: Workspace) -> None:
    text = 'x,y\n1,"two\nlines"\n2,b\n\n' + "3,c\n" * 20 + "oops,d\n"
    path = write(tmp_path, "a.csv", text)
    line = text.splitlines().index("oops,d") + 1
    with pytest.raises(DataTypeError, match=rf"'oops' \(line {line}\)"):
        read(workspace, path, choices=Choices(numeric=("x",)))


def test_lines_of_several_files_are_told_apart(tmp_path: Path, workspace: Workspace) -> None:
    first, second = write(tmp_path, "a.csv", "x,y\n1,a\n"), write(tmp_path, "b.csv", "x,y\n2,a\noops,b\n")
    with pytest.raises(DataTypeError, match=r"'oops' \(line 3 of '.*b.csv'\)"):
        read(workspace, first, second, choices=Choices(numeric=("x",)))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing.csv", "there is no such file"),
        ("smal.csv", r"there is no such file. Did you mean 'small.csv'\?"),
        ("no-*.csv", "no file is called like that"),
        ("nowhere/a.csv", "there is no folder"),
        ("folder", "it is a folder"),
        ("cut.parquet", "cut.parquet"),
        ("text.parquet", "it is no parquet file, or it is damaged"),
        ("cut.csv.gz", "its gzip packing is damaged"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, workspace: Workspace, name: str, message: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    (tmp_path / "folder").mkdir()
    write(tmp_path, "small.csv", SMALL)
    pyarrow.parquet.write_table(pa.table(EXPECTED), tmp_path / "whole")
    write(tmp_path, "cut.parquet", (tmp_path / "whole").read_bytes()[:-20])
    write(tmp_path, "text.parquet", SMALL)
    write(tmp_path, "cut.csv.gz", gzip.compress(os.urandom(5000))[:-500])
    with pytest.raises(DataError, match=message):
        workspace.stage([str(tmp_path / name)])


def test_a_damaged_arrow_file_is_refused_and_crashes_nothing(tmp_path: Path, workspace: Workspace) -> None:
    import pyarrow as pa
    import pyarrow.feather

    path = tmp_path / "a.arrow"
    pyarrow.feather.write_feather(
        pa.table({"k": ["one", "three", "x"] * 50}), path, compression="uncompressed"
    )
    data = bytearray(path.read_bytes())
    offsets = np.cumsum([0, 3, 5, 1, 3], dtype=np.int32).tobytes()
    at = data.index(offsets) + 8
    data[at : at + 4] = np.int32(2**30).tobytes()  # a text that would end far behind the file
    path.write_bytes(data)
    with pytest.raises(DataError, match="it is no sound Arrow file"):
        workspace.stage([str(path)])


def outcome(path: str) -> str:
    """What becomes of a file: nothing to say, or one sentence."""
    try:
        with Workspace() as workspace, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(workspace, path)
    except DataError as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("form", ["csv", "jsonl", "arff"])
def test_damaged_files_give_a_table_or_one_sentence(tmp_path: Path, form: str) -> None:
    whole = {
        "csv": SMALL.encode(),
        "jsonl": b'{"a": 1, "b": "x"}\n{"a": 2.5, "b": null}\n',
        "arff": b"@relation r\n@attribute x real\n@attribute y {a,'b c'}\n@data\n1,a\n?,'b c'\n{0 3}\n",
    }[form]
    generator = np.random.default_rng(0)
    for _ in range(25):
        data = bytearray(whole)
        for _ in range(generator.integers(1, 4)):
            data[generator.integers(len(data))] = generator.choice(list(b"\x00\n\r\"',;{}%\xff?9"))
        path = write(tmp_path, f"a.{form}", bytes(data[: generator.integers(1, len(data) + 1)]))
        assert "\n" not in outcome(path)


def test_an_unknown_encoding_is_refused(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(DataError, match="unknown encoding 'latin-99'"):
        read(workspace, write(tmp_path, "a.csv", SMALL), encoding="latin-99")


@pytest.mark.parametrize("change", ["longer", "gone"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "growing.csv"
    path.write_text(SMALL)
    read = staging._delimited

    def meddle(*given: Any) -> Any:
        staged = read(*given)
        path.unlink() if change == "gone" else path.write_text(SMALL + "5,8,cat,yes\n")
        return staged

    monkeypatch.setattr(staging, "_delimited", meddle)
    with pytest.raises(DataError, match=r"growing\.csv': it changed while it was read"):
        read_table(str(path))
