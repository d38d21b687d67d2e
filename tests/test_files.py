"""Files: what users name is found, unpacked, staged and typed; every fault is named by its line."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import os
import tempfile
import threading
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.columns import RawCodes, RawNumbers
from treewright.errors import DataError, DataTypeError
from treewright.files import (
    Choices,
    Table,
    TextOptions,
    Workspace,
    as_at_fit,
    guess,
    parse_formula,
    read_table,
    staging,
)

SMALL = "id,age,pet,y\n1,3.5,dog,yes\n2,?,cat,no\n3,NA,,yes\n4,7,dog,no\n"


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with Workspace() as opened:
        yield opened


def write(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def read(workspace: Workspace, *given: str, choices: Choices | None = None, **options: Any) -> Table:
    staged = workspace.stage(given, TextOptions(**options))
    return workspace.load(staged, guess(workspace, staged, choices or Choices()))


def values(table: Table) -> dict[str, list[Any]]:
    """The values of every column, as one would write them; None is missing."""
    found = {}
    for name, raw in table.columns.items():
        if isinstance(raw, RawCodes):
            found[name] = [None if code < 0 else raw.categories[code] for code in raw.codes.tolist()]
        else:
            known = raw.values.tolist()
            found[name] = [
                None if gap else value for gap, value in zip(raw.gaps.tolist(), known, strict=True)
            ]
    return found


EXPECTED = {
    "id": [1, 2, 3, 4],
    "age": [3.5, None, None, 7.0],
    "pet": ["dog", "cat", None, "dog"],
    "y": ["yes", "no", "yes", "no"],
}


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


# ---- kinds -----------------------------------------------------------------------------------------------


def test_kinds_are_decided_by_all_values_of_a_column(tmp_path: Path, workspace: Workspace) -> None:
    text = "x,y\n" + "".join(f"{i},a\n" for i in range(30_000)) + "oops,b\n"
    path = write(tmp_path, "late.csv", text)
    with pytest.warns(UserWarning, match=r"30000 numbers and 1 other value, first 'oops' \(line 30002\)"):
        table = read(workspace, path)
    assert isinstance(table["x"], RawCodes)


def test_strict_refuses_a_number_column_with_text(tmp_path: Path, workspace: Workspace) -> None:
    path = write(tmp_path, "late.csv", "x\n" + "1\n" * 20 + "oops\n")
    with pytest.raises(DataTypeError, match=r"first 'oops' \(line 22\)"):
        read(workspace, path, choices=Choices(strict=True))


def test_a_text_that_is_to_be_missing_makes_the_column_numeric(tmp_path: Path, workspace: Workspace) -> None:
    table = read(
        workspace, write(tmp_path, "a.csv", "x,y\n1,a\n-999,b\nunknown,a\n"), missing=("unknown", "-999")
    )
    assert values(table)["x"] == [1, None, None]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["1", "2", "-3"], [1, 2, -3]),
        (["1.5", "2e3", ".5"], [1.5, 2000.0, 0.5]),
        (["9007199254740993", "1", "2"], [9007199254740993, 1, 2]),
        (["nan", "1", "2"], [None, 1.0, 2.0]),
        (["1_000", "2", "3"], ["1_000", "2", "3"]),
        (["0x10", "2", "3"], ["0x10", "2", "3"]),
        (["true", "false", "true"], ["true", "false", "true"]),
        (["2020-01-02", "2020-02-30", "2020-03-01"], ["2020-01-02", "2020-02-30", "2020-03-01"]),
    ],
)
def test_what_is_a_number(
    tmp_path: Path, workspace: Workspace, fields: list[str], expected: list[Any]
) -> None:
    path = write(tmp_path, "a.csv", "x,y\n" + "".join(f"{field},k\n" for field in fields))
    assert values(read(workspace, path))["x"] == expected


def test_decimal_commas_are_numbers_where_semicolons_separate(tmp_path: Path, workspace: Workspace) -> None:
    assert values(read(workspace, write(tmp_path, "a.csv", "x;y\n1,5;a\n-2,25;b\n3;a\n")))["x"] == [
        1.5,
        -2.25,
        3.0,
    ]


def test_numbers_in_fancy_dress_stay_text_with_a_hint(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.warns(UserWarning, match="'x' .* thousands marks, per cent or money signs"):
        table = read(workspace, write(tmp_path, "a.csv", 'x,y\n"1,000",a\n"2,500",b\n'))
    assert isinstance(table["x"], RawCodes)


def test_dates_are_dates_and_zones_are_told_apart(tmp_path: Path, workspace: Workspace) -> None:
    text = "day,moment\n2020-01-02,2020-01-02T10:00:00+02:00\n2021-05-06,2020-01-02T10:00:00Z\n"
    table = read(workspace, write(tmp_path, "a.csv", text))
    day, moment = table["day"], table["moment"]
    assert isinstance(day, RawNumbers)
    assert isinstance(moment, RawNumbers)
    assert day.values.astype("datetime64[D]").astype(str).tolist() == ["2020-01-02", "2021-05-06"]
    assert (moment.values[1] - moment.values[0]) == np.timedelta64(2, "h")


def test_users_have_the_last_word_about_kinds(tmp_path: Path, workspace: Workspace) -> None:
    text = "zip,grade,flag\n01234,low,1\n00501,high,0\n01234,mid,1\n"
    choices = Choices(categorical=("zip",), ordinal={"grade": ("low", "mid", "high")}, numeric=("flag",))
    table = read(workspace, write(tmp_path, "a.csv", text), choices=choices)
    grade = table["grade"]
    assert values(table)["zip"] == ["01234", "00501", "01234"]
    assert isinstance(grade, RawCodes)
    assert (grade.codes.tolist(), grade.ordered) == ([0, 2, 1], True)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            Choices(numeric=("pet",)),
            r"'pet' .* is to be numeric and holds 'dog' \(line 2\), which is no number",
        ),
        (Choices(categorical=("pett",)), r"has no column 'pett', .* Did you mean 'pet'\?"),
        (
            Choices(ordinal={"pet": ("dog", "eel")}),
            r"holds 'cat' \(line 3\), which its order dog, eel does not name",
        ),
        (
            Choices(categorical=("pet",), numeric=("pet",)),
            "'pet' is called numeric, categorical or ordinal twice",
        ),
    ],
)
def test_a_choice_that_does_not_fit_is_refused(
    tmp_path: Path, workspace: Workspace, choices: Choices, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read(workspace, write(tmp_path, "a.csv", SMALL), choices=choices)


def test_a_column_of_lists_is_refused_by_name(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(DataTypeError, match=r"column 'tags' .* holds BIGINT\[\] values"):
        read(workspace, write(tmp_path, "a.jsonl", '{"x": 1, "tags": [1, 2]}\n{"x": 2, "tags": [3]}\n'))


def test_columns_are_read_as_at_fit_whatever_they_look_like(tmp_path: Path, workspace: Workspace) -> None:
    model = tw.DecisionTreeClassifier().fit([[1.5, "1"], [2.5, "2"]], ["a", "b"])
    staged = workspace.stage([write(tmp_path, "a.csv", "x0,x1\n3,1\n4,?\n")])
    table = workspace.load(staged, as_at_fit(workspace, staged, model.tree_.schema.columns))
    assert values(table) == {"x0": [3, 4], "x1": ["1", None]}


def test_a_number_column_that_became_text_is_named(tmp_path: Path, workspace: Workspace) -> None:
    model = tw.DecisionTreeClassifier().fit([[1.5], [2.5]], ["a", "b"])
    staged = workspace.stage([write(tmp_path, "a.csv", "x0,z\n3,a\nabc,b\n")])
    with pytest.raises(DataTypeError, match=r"'x0' .* was numeric at fit and holds 'abc' \(line 3\)"):
        as_at_fit(workspace, staged, model.tree_.schema.columns)


def test_many_categories_are_coded_in_order(tmp_path: Path, workspace: Workspace) -> None:
    names = [f"k{i:05}" for i in range(20_000)]
    path = write(tmp_path, "a.csv", "x,y\n" + "".join(f"{name},1\n" for name in reversed(names)))
    raw = read(workspace, path)["x"]
    assert isinstance(raw, RawCodes)
    assert raw.categories == tuple(names)
    assert raw.codes.tolist() == list(range(20_000))[::-1]


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


# ---- queries and parts -----------------------------------------------------------------------------------


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


# ---- faults ----------------------------------------------------------------------------------------------

BAD_FILES = {
    "ragged": ("a,b\n1,2\n3\n", "line 3 has 1 field, the header has 2"),
    "too wide": ("a,b\n1,2\n3,4,5\n6,7\n", "line 3 has 3 fields, the header has 2"),
    "open quote": ('a,b\n1,"x\n2,y\n', "the quote opened on line 2 is never closed"),
    "latin": (b"a,b\n1,x\n2,caf\xe9\n", "line 3, byte 0xE9 is not UTF-8: try --encoding latin-1"),
    "empty": ("", "it is empty"),
    "header only": ("a,b\n", "it has no rows, only a header"),
    "twice": ("a,a,y\n1,2,3\n", "line 1 of .*: column name 'a' occurs 2 times"),
    "pickle": (b"\x80\x04\x95abc", "it is a pickle, which treewright does not open"),
}


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


# ---- formulas --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "features"),
    [
        ("y ~ .", ["id", "a b", "c-d"]),
        ("y ~ . - id", ["a b", "c-d"]),
        ("y ~ a b + `c-d`", ["a b", "c-d"]),
        ("y~'c-d'+id", ["c-d", "id"]),
        ("y ~ . - id - 'c-d'", ["a b"]),
    ],
)
def test_formulas_select_features(formula: str, features: list[str]) -> None:
    assert parse_formula(formula).select(["id", "a b", "c-d", "y"], "'a.csv'") == features


@pytest.mark.parametrize("formula", ["", "y", "~ .", "y ~", "y ~ a +", "y ~ + a", "y ~ a ~ b", "y ~ `a"])
def test_a_formula_of_no_form_is_refused(formula: str) -> None:
    with pytest.raises(DataError, match="the formula"):
        parse_formula(formula)


def test_a_formula_naming_an_unknown_column_is_refused() -> None:
    with pytest.raises(DataError, match=r"has no column 'idd', .* Did you mean 'id'\?"):
        parse_formula("y ~ . - idd").select(["id", "y"], "'a.csv'")


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
