"""ARFF and C4.5's files: what they declare is read, and what they do not declare is refused by line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from scipy.io import arff as scipy_arff

import treewright as tw
from helpers.written import read
from treewright.data.columns import RawCodes
from treewright.errors import DataError
from treewright.files import Choices, Table, TextOptions, Workspace, guess
from treewright.files.output import write_table

GOLF_NAMES = """| Quinlan's golf, as C4.5 comes with it
Play, Don't Play.

outlook: sunny, overcast, rain.
temperature: continuous.
humidity: continuous.
windy: true, false.
"""

GOLF_DATA = """sunny, 85, 85, false, Don't Play
sunny, 80, 90, true, Don't Play
overcast, 83, 78, false, Play
rain, 70, 96, false, Play
rain, 68, 80, false, Play
rain, 65, 70, true, Don't Play
overcast, 64, 65, true, Play
sunny, 72, 95, false, Don't Play
sunny, 69, 70, false, Play
rain, 75, 80, false, Play
sunny, 75, 70, true, Play
overcast, 72, 90, true, Play
overcast, 81, 75, false, Play
rain, 71, 80, true, Don't Play
"""

ARFF = """% a comment
@RELATION 'odd things'
@attribute "a b" numeric
@ATTRIBUTE c {x, 'y z', "q,r"}   % declared
@attribute d date "yyyy-MM-dd"
@attribute t string
@attribute class {no, yes}

@DATA
1, x, 2020-01-01, 'it\\'s', no
% between
?, 'y z', ?, "say, hi", yes
2.5, "q,r", '2021-02-03', ?, yes
{0 5, 1 'y z', 2 "2021-02-03", 3 w}
"""


def texts(table: Table, name: str) -> list[str | None]:
    raw = table[name]
    assert isinstance(raw, RawCodes)
    return [None if code < 0 else str(raw.categories[code]) for code in raw.codes.tolist()]


def golf(folder: Path, names: str = GOLF_NAMES, data: str = GOLF_DATA) -> Path:
    (folder / "golf.names").write_text(names)
    (folder / "golf.data").write_text(data)
    return folder / "golf.data"


@pytest.mark.parametrize("named", ["golf", "golf.data", "golf.names"])
def test_c45_files_are_found_by_stem_and_by_either_name(
    tmp_path: Path, workspace: Workspace, named: str
) -> None:
    golf(tmp_path)
    staged = workspace.stage([str(tmp_path / named)])
    assert (staged.n_rows, staged.target) == (14, "class")
    assert staged.names == ["outlook", "temperature", "humidity", "windy", "class"]


def test_c45_rows_may_be_packed_and_in_another_encoding(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "g.names").write_bytes("n\xe4he, weit.\nx: continuous.\n".encode("latin-1"))
    (tmp_path / "g.data").write_bytes(gzip.compress("1, n\xe4he\n2, weit\n".encode("latin-1")))
    staged = workspace.stage([str(tmp_path / "g.data")], TextOptions(encoding="latin-1"))
    table = workspace.load(staged, guess(workspace, staged, Choices()))
    assert texts(table, "class") == ["n\xe4he", "weit"]


def test_c45_grows_the_tree_of_the_book_from_its_files(tmp_path: Path, workspace: Workspace) -> None:
    table = read(workspace, golf(tmp_path))
    model = tw.C45Classifier().fit(table.features(table.names[:4]), table["class"])
    # Quinlan (1993), ch. 2: the decision tree of the golf data
    assert model.text().splitlines() == [
        "outlook = sunny",
        "|   humidity <= 75: Play (2.0)",
        "|   humidity > 75: Don't Play (3.0)",
        "outlook = overcast: Play (4.0)",
        "outlook = rain",
        "|   windy = true: Don't Play (2.0)",
        "|   windy = false: Play (3.0)",
    ]


def test_c45_names_may_use_everything_the_format_has(tmp_path: Path, workspace: Workspace) -> None:
    names = r"""play.        | C5.0 names the target
    size \: of it: [ordered] small,
        middle sized, large.  | over two lines
    when: date.
    code: discrete 10.
    label: label.
    case weight: continuous.
    play: no\, never, yes.
    """
    data = "small,2020-01-02,k1,row one,2,yes.\nmiddle   sized,?,k2,row two,1,no\\, never\n"
    staged = workspace.stage([str(golf(tmp_path, names, data))])
    assert (staged.target, staged.weight) == ("play", "case weight")
    readings = guess(workspace, staged, Choices())
    table = workspace.load(staged, readings)
    assert texts(table, "size : of it") == ["small", "middle sized"]
    assert texts(table, "play") == ["yes", "no, never"]
    assert {reading.name: reading.kind for reading in readings}["size : of it"] == "ordinal"
    assert staged.declared["label"].kind == "ignore"


@pytest.mark.parametrize(
    ("names", "data", "message"),
    [
        (
            GOLF_NAMES,
            "sunny, 85, 85, false\n" * 2 + "foggy, 1, 2, true, Play\n",
            "line 3 .*: 'foggy' is not declared",
        ),
        (GOLF_NAMES, "sunny, 85\n", "line 1 .* has 2 values, declared are 5"),
        (GOLF_NAMES + "speed: quick.\n", GOLF_DATA, "line 8 .*: 'speed' has the unknown type 'quick'"),
        (GOLF_NAMES + "ratio := a / b.\n", GOLF_DATA, "line 8 .*: 'ratio' is a formula"),
        ("windy: true, false.\n", GOLF_DATA, "line 1 .*: the classes or the target's name come first"),
        (GOLF_NAMES + "windy: true, false.\n", GOLF_DATA, "declares the column 'windy' 2 times"),
        (
            GOLF_NAMES,
            "sunny, hot, 85, false, Play\n",
            r"'temperature' .* declared numeric and holds 'hot' \(line 1\)",
        ),
    ],
)
def test_c45_faults_are_named_by_line(
    tmp_path: Path, workspace: Workspace, names: str, data: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read(workspace, golf(tmp_path, names, data))


def test_arff_has_quotes_dates_strings_and_sparse_rows(tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / "a.arff"
    path.write_text(ARFF)
    staged = workspace.stage([str(path)])
    table = workspace.load(staged, guess(workspace, staged, Choices()))
    assert staged.target == "class"
    numbers = table["a b"]
    assert numbers.gaps.tolist() == [False, True, False, False]
    assert texts(table, "c") == ["x", "y z", "q,r", "y z"]
    assert texts(table, "t") == ["it's", "say, hi", None, "w"]
    assert texts(table, "class") == ["no", "yes", "yes", "no"]  # a sparse row's unwritten value is the first
    assert table["c"].categories == ("x", "y z", "q,r")  # type: ignore[union-attr]


def test_arff_is_read_as_scipy_reads_it(tmp_path: Path, workspace: Workspace) -> None:
    rows = [f"{i / 7},{'abc'[i % 3]},{-i}" for i in range(50)]
    head = ["@relation r", "@attribute x real", "@attribute k {c,b,a}", "@attribute n integer", "@data"]
    path = tmp_path / "a.arff"
    path.write_text("\n".join(head + rows))
    data, _ = scipy_arff.loadarff(str(path))
    table = read(workspace, path)
    assert table["x"].values.tolist() == data["x"].tolist()  # type: ignore[union-attr]
    assert texts(table, "k") == [text.decode() for text in data["k"].tolist()]


def test_arff_weights_are_the_weights_of_rows(tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / "a.arff"
    path.write_text("@relation r\n@attribute x real\n@attribute y {a,b}\n@data\n1,a,{2.5}\n2,b\n")
    staged = workspace.stage([str(path)])
    table = workspace.load(staged, guess(workspace, staged, Choices()))
    assert staged.weight is not None
    assert table[staged.weight].values.tolist() == [2.5, 1.0]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("head", "rows", "message"),
    [
        ("@attribute x complex", "1", "line 2 .*: column 'x' has the unknown type 'complex'"),
        ("@attribute x {a,b}", "a\nc", r"line 5 .*: 'c' is not declared for 'x', known are 'a', 'b'"),
        ("@attribute x real", "1\n2,3", "line 5 .* has 2 values, declared are 1"),
        ("@attribute x real", "one", r"'x' .* is declared numeric and holds 'one' \(line 4\)"),
        ("@attribute x {a,b", "a", "line 2 .*: the list of values of 'x' is not closed"),
        ('@attribute d date "QQQ"', "1", "line 2 .*: the date format 'QQQ' has other letters"),
        ("@attribute d date", "yesterday", "line 4 .*: 'yesterday' is no date of the declared form"),
        ("@attribute x real", "{5 1}", "line 4 .*: cannot read '5 1' as a column and its value"),
        ("@attribute x real", "'1", "line 4 .*: cannot read .*; close the quotes"),
        ("@attribut x real", "1", "line 2 .*: expected @attribute or @data"),
        ("", "1", "declares no column"),
    ],
)
def test_arff_faults_are_named_by_line(
    tmp_path: Path, workspace: Workspace, head: str, rows: str, message: str
) -> None:
    path = tmp_path / "a.arff"
    path.write_text(f"@relation r\n{head}\n@data\n{rows}\n")
    with pytest.raises(DataError, match=message):
        read(workspace, path)


def test_arff_that_is_written_reads_back(tmp_path: Path, workspace: Workspace) -> None:
    source, written = tmp_path / "a.arff", tmp_path / "b.arff"
    source.write_text(ARFF)
    staged = workspace.stage([str(source)])
    write_table(workspace, staged, guess(workspace, staged, Choices()), str(written))
    table = workspace.load(staged, guess(workspace, staged, Choices()))
    with Workspace() as other:
        again = read(other, written)
        assert again.names == table.names
        for name in ("c", "t", "class"):
            assert texts(again, name) == texts(table, name)
        assert again["d"].gaps.tolist() == table["d"].gaps.tolist()
        assert again["d"].values[0] == table["d"].values[0]  # type: ignore[union-attr]
