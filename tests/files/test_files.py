"""Files of every form, packing and separator give the same table, whole, in parts and by query."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import os
import tempfile
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from helpers.written import EXPECTED, SMALL, read, values, write
from treewright.errors import DataError
from treewright.files import Choices, TextOptions, Workspace, guess, read_table


def test_a_table_is_read_with_its_kinds_and_gaps(tmp_path: Path, workspace: Workspace) -> None:
    assert values(read(workspace, write(tmp_path, "a.csv", SMALL))) == EXPECTED


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.csv.gz", gzip.compress),
        ("a.csv.bz2", bz2.compress),
        ("a.csv.xz", lzma.compress),
        ("named-wrongly.csv", gzip.compress),
        ("tabs.tsv", lambda text: text.replace(b",", b"\t")),
        ("semicolons.csv", lambda text: text.replace(b",", b";")),
        ("bars.txt", lambda text: text.replace(b",", b"|")),
        ("blanks.csv", lambda text: text.replace(b",", b" , ")),
        ("quotes.csv", lambda text: text.replace(b"dog", b'"dog"')),
        ("windows.csv", lambda text: text.replace(b"\n", b"\r\n")),
        ("old-mac.csv", lambda text: text.replace(b"\n", b"\r")),
        ("mixed.csv", lambda text: text.replace(b"yes\n", b"yes\r\n")),
        ("bom.csv", lambda text: b"\xef\xbb\xbf" + text),
        ("utf-16.csv", lambda text: text.decode().encode("utf-16")),
        ("no-last-line-end.csv", bytes.rstrip),
        ("blank-lines.csv", lambda text: text.replace(b"\n3", b"\n\n3") + b"\n\n"),
    ],
)
def test_packing_separators_and_line_ends_change_nothing(
    tmp_path: Path, workspace: Workspace, name: str, pack: Any
) -> None:
    assert values(read(workspace, write(tmp_path, name, pack(SMALL.encode())))) == EXPECTED


def test_a_zip_archive_of_one_table_is_read_and_of_two_refused(tmp_path: Path, workspace: Workspace) -> None:
    for names in (["a.csv"], ["a.csv", "b.csv"]):
        with zipfile.ZipFile(tmp_path / f"{len(names)}.zip", "w") as archive:
            for name in names:
                archive.writestr(name, SMALL)
    assert values(read(workspace, str(tmp_path / "1.zip"))) == EXPECTED
    with pytest.raises(DataError, match=r"the archive holds 2 files where one table belongs"):
        workspace.stage([str(tmp_path / "2.zip")])


def test_a_packed_file_that_grows_beyond_reason_is_refused(tmp_path: Path, workspace: Workspace) -> None:
    bomb = lzma.compress(b"0" * 50_000_000)
    with pytest.raises(DataError, match="grows more than 1000-fold"):
        workspace.stage([write(tmp_path, "bomb.csv.xz", bomb)])


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather", "jsonl", "json"])
def test_typed_forms_give_the_same_table(tmp_path: Path, workspace: Workspace, suffix: str) -> None:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    table = pa.table(EXPECTED)
    path = str(tmp_path / f"a.{suffix}")
    if suffix == "parquet":
        pyarrow.parquet.write_table(table, path)
    elif suffix in ("arrow", "feather"):
        pyarrow.feather.write_feather(table, path)
    else:
        lines = [str(row).replace("None", "null").replace("'", '"') for row in table.to_pylist()]
        text = "\n".join(lines) if suffix == "jsonl" else f"[{', '.join(lines)}]"
        write(tmp_path, f"a.{suffix}", text)
    assert values(read(workspace, path)) == EXPECTED


def test_files_of_one_form_are_read_one_after_the_other(tmp_path: Path, workspace: Workspace) -> None:
    head, *rows = SMALL.splitlines()
    write(tmp_path, "part-2.csv", "\n".join([head, *rows[2:]]))
    write(tmp_path, "part-1.csv", "\n".join([head, *rows[:2]]))
    assert values(read(workspace, str(tmp_path / "part-*.csv"))) == EXPECTED


def test_files_with_other_columns_are_not_read_together(tmp_path: Path, workspace: Workspace) -> None:
    first, second = write(tmp_path, "a.csv", "x,y\n1,2\n"), write(tmp_path, "b.csv", "x,z\n1,2\n")
    with pytest.raises(DataError, match=r"b.csv' has the columns 'x', 'z', but .*a.csv' has 'x', 'y'"):
        workspace.stage([first, second])


def test_a_pipe_is_read_to_its_end(tmp_path: Path, workspace: Workspace) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(SMALL,))
    writer.start()
    table = read(workspace, str(pipe))
    writer.join()
    assert values(table) == EXPECTED


texts_of_any_kind = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), texts_of_any_kind),
        min_size=1,
        max_size=20,
    )
)
def test_what_python_writes_is_what_is_read(rows: list[tuple[float, str]]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        open(f"{folder}/a.csv", "w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([("number", "text"), *((repr(number), f"k{text}k") for number, text in rows)])
        file.flush()
        found = values(read_table(f"{folder}/a.csv", options=TextOptions(delimiter=",", header=True)))
    assert found == {"number": [number for number, _ in rows], "text": [f"k{text}k" for _, text in rows]}


def test_a_query_sees_typed_columns_of_the_table_data(tmp_path: Path, workspace: Workspace) -> None:
    staged = workspace.stage([write(tmp_path, "a.csv", SMALL)])
    answer = workspace.query(staged, "select pet, age * 2 as double_age from data where age > 1;", Choices())
    table = workspace.load(answer, guess(workspace, answer, Choices()))
    assert values(table) == {"pet": ["dog", "dog"], "double_age": [7.0, 14.0]}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select nothing from data", "the query cannot be answered: .*nothing"),
        ("select * from data where age > 100", "the query gives no rows"),
    ],
)
def test_a_query_without_an_answer(tmp_path: Path, workspace: Workspace, query: str, message: str) -> None:
    staged = workspace.stage([write(tmp_path, "a.csv", SMALL)])
    with pytest.raises(DataError, match=message):
        workspace.query(staged, query, Choices())


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_parts_together_are_the_table(tmp_path: Path, workspace: Workspace, size: int) -> None:
    rows = [(i, f"k{i % 5}") for i in range(50)]
    staged = workspace.stage([write(tmp_path, "a.csv", "x,c\n" + "".join(f"{x},{c}\n" for x, c in rows))])
    readings = guess(workspace, staged, Choices())
    found: list[tuple[Any, ...]] = []
    for begin, part in workspace.chunks(staged, readings, size):
        assert begin == len(found)
        found += zip(*values(part).values(), strict=True)
    assert found == rows


def test_estimators_take_a_table_as_it_is(tmp_path: Path, workspace: Workspace) -> None:
    table = read(workspace, write(tmp_path, "a.csv", SMALL))
    model = tw.DecisionTreeClassifier().fit(table.features(["age", "pet"]), table["y"])
    import pandas as pd

    frame = pd.DataFrame(EXPECTED)
    assert model.tree_ == tw.DecisionTreeClassifier().fit(frame[["age", "pet"]], frame["y"]).tree_
    assert (
        model.predict(table.features(["age", "pet"])).tolist()
        == model.predict(frame[["age", "pet"]]).tolist()
    )


def test_other_encodings_are_read_on_request(tmp_path: Path, workspace: Workspace) -> None:
    path = write(tmp_path, "a.csv", "city,y\nZürich,1\nKöln,2\n".encode("cp1252"))
    assert values(read(workspace, path, encoding="cp1252"))["city"] == ["Zürich", "Köln"]


@pytest.mark.parametrize(
    "name", ["a\tb", 'quote " inside', "it's", "ümläut", "select", "</script>", "x" * 500]
)
def test_odd_column_names_survive(tmp_path: Path, workspace: Workspace, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    table = read(workspace, write(tmp_path, "a.csv", f"{quoted},y\n1,a\n2,b\n"))
    assert table.names == [name, "y"]


def test_names_that_differ_in_case_only_are_two_columns(tmp_path: Path, workspace: Workspace) -> None:
    table = read(workspace, write(tmp_path, "a.csv", "age,Age,AGE\n1,x,2.5\n2,y,3.5\n"))
    assert values(table) == {"age": [1, 2], "Age": ["x", "y"], "AGE": [2.5, 3.5]}


def test_a_thousand_columns_are_read(tmp_path: Path, workspace: Workspace) -> None:
    names = [f"f{index}" for index in range(1000)]
    text = (
        ",".join(names) + "\n" + "".join(",".join(str(i * r) for i in range(1000)) + "\n" for r in range(3))
    )
    table = read(workspace, write(tmp_path, "a.csv", text))
    assert table.names == names
    assert values(table)["f999"] == [0, 999, 1998]


def test_columns_in_their_hundreds_are_read_as_one_by_one(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({f"n{i}": random.normal(size=7).round(3) for i in range(230)})
    whole = pd.DataFrame({f"w{i}": random.integers(0, 9, 7) for i in range(210)})
    words = pd.DataFrame({f"c{i}": random.choice([f"v{i}", "shared", None], 7) for i in range(230)})
    frame = pd.concat([frame, whole, words, pd.DataFrame({"empty": [None] * 7})], axis=1)
    order = random.permutation(frame.columns)
    frame[order].to_csv(tmp_path / "wide.csv", index=False)
    table = read_table(str(tmp_path / "wide.csv"))
    assert list(table.columns) == order.tolist()
    for name in order:
        column = table[name]
        if name[0] in "ce":
            found = [None if code < 0 else column.categories[code] for code in column.codes.tolist()]
            assert found == frame[name].astype(object).where(frame[name].notna(), None).tolist()
            assert list(column.categories) == sorted(frame[name].dropna().unique())
        else:
            assert column.values.tolist() == frame[name].tolist()


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_a_table_of_many_columns_is_found_out_by_the_first(
    sign: str, header: bool, tmp_path: Path, workspace: Workspace
) -> None:
    rows = [[f"{row * at / 2}" for at in range(1200)] for row in range(1, 4)]
    lines = ([[f"f{at}" for at in range(1200)]] if header else []) + rows
    table = read(workspace, write(tmp_path, "a.csv", "".join(sign.join(line) + "\n" for line in lines)))
    assert table.names == [f"{'f' if header else 'x'}{at}" for at in range(1200)]
    assert values(table)[table.names[-1]] == [599.5, 1199.0, 1798.5]


def test_quotes_hide_separators_of_many_columns(tmp_path: Path, workspace: Workspace) -> None:
    names = [f"f{at}" for at in range(700)]
    text = ",".join(names) + "\n" + "".join('"a,b",' * 699 + f"{row}\n" for row in range(3))
    assert values(read(workspace, write(tmp_path, "a.csv", text)))["f699"] == [0, 1, 2]
