"""What kind a column of a file is: guessed from all its values, chosen by the user, or as at fit."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.written import SMALL, read, values, write
from treewright.data.columns import RawCodes, RawNumbers
from treewright.errors import DataError, DataTypeError
from treewright.files import Choices, Workspace, as_at_fit, read_table


def test_kinds_are_decided_by_all_values_of_a_column(tmp_path: Path, workspace: Workspace) -> None:
    text = "x,y\n" + "".join(f"{i},a\n" for i in range(30_000)) + "oops,b\n"
    path = write(tmp_path, "late.csv", text)
    with pytest.warns(UserWarning, match=r"30000 numbers and 1 other value, first 'oops' \(line 30002\)"):
        table = read(workspace, path)
    assert isinstance(table["x"], RawCodes)


def test_a_late_fraction_makes_whole_numbers_floats(tmp_path: Path, workspace: Workspace) -> None:
    text = "x,y,z\n" + "".join(f"{i},{i}.5,{i}\n" for i in range(3000)) + "0.25,7,7\n"
    table = read(workspace, write(tmp_path, "late.csv", text))
    assert [table[name].values.dtype.kind for name in "xyz"] == ["f", "f", "i"]
    assert [values(table)[name][-1] for name in "xyz"] == [0.25, 7, 7]


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


MARKED = [
    (",", ['"1,000"', '"2,500.5"', "10", "-7"], [1000.0, 2500.5, 10.0, -7.0]),
    (",", ["$12.50", '"$1,000,000"', "-$3"], [12.5, 1e6, -3.0]),
    (",", ["12%", "3.5 %", "100%"], [12.0, 3.5, 100.0]),
    (",", ["1 000", "12'500", "5"], [1000.0, 12500.0, 5.0]),
    (";", ["1.000,50 €", "20 €"], [1000.5, 20.0]),
]


@pytest.mark.parametrize(("delimiter", "fields", "expected"), MARKED)
def test_numbers_with_marks_and_signs(
    tmp_path: Path, workspace: Workspace, delimiter: str, fields: list[str], expected: list[float]
) -> None:
    text = f"x{delimiter}y\n" + "".join(f"{field}{delimiter}k\n" for field in fields)
    path = write(tmp_path, "a.csv", text)
    with pytest.warns(UserWarning, match="'x' .* is read as numbers without "):
        table = read(workspace, path)
    assert values(table)["x"] == expected


@pytest.mark.parametrize("fields", [["$5", "€6"], ["12%", "7"], ["$5", "5%"]])
def test_numbers_of_several_signs_are_numbers_on_request_only(
    tmp_path: Path, workspace: Workspace, fields: list[str]
) -> None:
    path = write(tmp_path, "a.csv", "x,y\n" + "".join(f"{field},k\n" for field in fields))
    with pytest.warns(UserWarning, match="'x' .* taken as categories; --numeric 'x'"):
        assert isinstance(read(workspace, path)["x"], RawCodes)
    with Workspace() as another:
        asked = values(read(another, path, choices=Choices(numeric=("x",))))["x"]
    assert asked == [float(field.strip("$€%")) for field in fields]


@pytest.mark.parametrize(
    "fields", [['"1,5"', '"2,5"'], ["1.000.5", "2"], ['"10,00"', '"1,000"'], ["5 kg", "6 kg"]]
)
def test_what_is_no_marked_number(tmp_path: Path, workspace: Workspace, fields: list[str]) -> None:
    path = write(tmp_path, "a.csv", "x,y\n" + "".join(f"{field},k\n" for field in fields))
    assert isinstance(read(workspace, path)["x"], RawCodes)


def test_dates_with_dots_have_the_day_first(tmp_path: Path, workspace: Workspace) -> None:
    text = "day,at\n1.2.2020,31.12.2019 23:59\n,01.01.2020 00:00:30\n28.02.2021,2.1.2020 10:30:00.25\n"
    day, at = values(read(workspace, write(tmp_path, "a.csv", text))).values()
    assert np.array(day, "datetime64[s]").astype("datetime64[D]").astype(str).tolist() == [
        "2020-02-01",
        "NaT",
        "2021-02-28",
    ]
    assert np.array(at, "datetime64[ms]").astype(str).tolist() == [
        "2019-12-31T23:59:00.000",
        "2020-01-01T00:00:30.000",
        "2020-01-02T10:30:00.250",
    ]


@pytest.mark.parametrize("fields", [["31.12.2019", "12.31.2019"], ["1.2.20", "2.2.20"], ["1.2.2020", "soon"]])
def test_what_is_no_date_with_dots(tmp_path: Path, workspace: Workspace, fields: list[str]) -> None:
    path = write(tmp_path, "a.csv", "x,y\n" + "".join(f"{field},k\n" for field in fields))
    assert values(read(workspace, path))["x"] == fields


def test_a_model_reads_dates_with_dots_as_at_fit(tmp_path: Path, workspace: Workspace) -> None:
    rows = "".join(f"{1 + i % 28}.{1 + i % 12}.{2000 + i},{'ab'[i > 9]}\n" for i in range(20))
    model = tw.fit(write(tmp_path, "a.csv", f"day,y\n{rows}"), "y", folds=0).model
    staged = workspace.stage([write(tmp_path, "b.csv", "day\n3.3.2001\n3.3.2018\n")])
    table = workspace.load(staged, as_at_fit(workspace, staged, model.tree_.schema.columns))
    assert model.predict(table.features(["day"])).tolist() == ["a", "b"]


def _told(message: str, reading: Callable[[], Any]) -> Any:
    """Do something that gives several notes, of which one is as it should be."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        found = reading()
    assert any(re.search(message, str(note.message)) for note in notes)
    return found


SLASHED = [
    (["3/4/2020", "12/31/2020"], "month, as '12/31/2020' \\(line 3\\) does", ["2020-03-04", "2020-12-31"]),
    (["3/4/2020", "31/12/2020"], "day, as '31/12/2020' \\(line 3\\) does", ["2020-04-03", "2020-12-31"]),
    (["13-4-2020", "1-12-2020"], "day, as '13-4-2020'", ["2020-04-13", "2020-12-01"]),
    (
        ["13/4/2020", "-", "1/2/2020"],
        "'-' \\(line 3\\) taken as missing",
        ["2020-04-13", "NaT", "2020-02-01"],
    ),
    (["12/31/2020 1:05 PM", "1/2/2020 11:00 AM"], "month", ["2020-12-31", "2020-01-02"]),
]


@pytest.mark.parametrize(("fields", "message", "days"), SLASHED)
def test_dates_with_slashes_are_read_in_the_order_that_their_values_show(
    tmp_path: Path, workspace: Workspace, fields: list[str], message: str, days: list[str]
) -> None:
    path = write(tmp_path, "a.csv", "when,y\n" + "".join(f"{field},k\n" for field in fields))
    when = _told(message, lambda: read(workspace, path))["when"]
    assert isinstance(when, RawNumbers)
    found = np.where(when.gaps, np.datetime64("NaT"), when.values.astype("datetime64[D]"))
    assert found.astype(str).tolist() == days


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (["3/4/2020", "12/11/2020"], "'when' of .* may begin with the day or the month"),
        (["3/4/20", "31/12/20"], "'when' of .* looks like dates, with .* years of two digits"),
        (["31/12/2020", "12/31/2020"], "'when' of .* looks like dates"),
    ],
)
def test_dates_whose_order_is_not_known_are_told_of(
    tmp_path: Path, workspace: Workspace, fields: list[str], message: str
) -> None:
    path = write(tmp_path, "a.csv", "when,y\n" + "".join(f"{field},k\n" for field in fields))
    with pytest.warns(UserWarning, match=message):
        assert values(read(workspace, path))["when"] == fields


def test_a_query_says_the_order_of_dates(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "when,y\n3/4/2020,a\n12/11/2020,b\n")
    query = 'select * replace (strptime("when", \'%m/%d/%Y\') as "when") from data'
    when = read_table(path, query=query)["when"].values.astype("datetime64[D]").astype(str).tolist()
    assert when == ["2020-03-04", "2020-12-11"]


def test_a_model_refuses_dates_whose_order_it_cannot_know(tmp_path: Path, workspace: Workspace) -> None:
    rows = "".join(f"{1 + i}/{1 + i % 12}/{2000 + i},{'ab'[i > 9]}\n" for i in range(20))
    with pytest.warns(UserWarning, match="begin with the day"):
        model = tw.fit(write(tmp_path, "a.csv", f"day,y\n{rows}"), "y", folds=0).model
    columns = model.tree_.schema.columns
    for name, fields in (("b.csv", "13/3/2001\n3/3/2018\n"), ("c.csv", "2001-03-13\n2018-03-03\n")):
        with Workspace() as another:
            staged = another.stage([write(tmp_path, name, f"day\n{fields}")])
            table = another.load(staged, as_at_fit(another, staged, columns))
        assert model.predict(table.features(["day"])).tolist() == ["a", "b"]
    staged = workspace.stage([write(tmp_path, "d.csv", "day\n3/4/2001\n")])
    with pytest.raises(DataTypeError, match=r"'3/4/2001' \(line 2\), and no value says whether the day"):
        as_at_fit(workspace, staged, columns)


MARKS_OF_NOTHING = ["-", "--", ".", "—", "None", "<NA>", "n.a.", "#DIV/0!"]


@pytest.mark.parametrize("mark", MARKS_OF_NOTHING)
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["1", "2.5"], [1.0, 2.5, None]),
        (["$1", "$2"], [1.0, 2.0, None]),
        (['"1,200"', "7"], [1200.0, 7.0, None]),
        (["1", "2"], [1, 2, None]),
    ],
)
def test_marks_are_missing_where_all_other_fields_are_numbers(
    tmp_path: Path, workspace: Workspace, mark: str, fields: list[str], expected: list[Any]
) -> None:
    text = "x,y\n" + "".join(f"{field},k\n" for field in [*fields, f" {mark} "])
    path = write(tmp_path, "a.csv", text)
    table = _told(
        r"'x' of .* is read as numbers: .* \(line 4\) taken as missing", lambda: read(workspace, path)
    )
    assert values(table)["x"] == expected


def test_marks_are_categories_where_other_fields_are_text(tmp_path: Path, workspace: Workspace) -> None:
    text = "sign,size,all\n+,5,-\n-,large,-\n-,-,-\n"
    table = read(workspace, write(tmp_path, "a.csv", text))
    assert values(table) == {"sign": ["+", "-", "-"], "size": ["5", "large", "-"], "all": ["-", "-", "-"]}


def test_marks_are_told_of_with_their_number_and_users_have_the_last_word(
    tmp_path: Path, workspace: Workspace
) -> None:
    path = write(tmp_path, "a.csv", "x,y\n1,a\n-,b\n2,a\n-,b\n.,a\n")
    with pytest.warns(UserWarning, match=r"'-' \(line 3\) and 2 more fields like it taken as missing"):
        assert values(read(workspace, path))["x"] == [1, None, 2, None, None]
    for choices, expected in (
        (Choices(numeric=("x",)), [1, None, 2, None, None]),
        (Choices(categorical=("x",)), ["1", "-", "2", "-", "."]),
    ):
        with Workspace() as another, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "column 'x' of .* is read as numbers")
            found = values(read(another, path, choices=choices))["x"]
        assert found == expected


def test_strict_takes_no_mark_for_missing(tmp_path: Path, workspace: Workspace) -> None:
    path = write(tmp_path, "late.csv", "x\n" + "1\n" * 20 + "-\n")
    with pytest.raises(DataTypeError, match=r"first '-' \(line 22\)"):
        read(workspace, path, choices=Choices(strict=True))


def test_what_a_file_declares_numeric_has_no_marks(tmp_path: Path, workspace: Workspace) -> None:
    path = write(
        tmp_path, "a.arff", "@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n1,a\n-,b\n"
    )
    with pytest.raises(DataTypeError, match="is declared numeric and holds '-'"):
        read(workspace, path)


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


@pytest.mark.parametrize("mark", ["N/A", "n/a", "#N/A", "NaN", "NULL", "null"])
def test_usual_marks_are_missing_in_any_column(tmp_path: Path, workspace: Workspace, mark: str) -> None:
    lines = [f"${i}.50,{mark if i % 3 else 'red'}" for i in range(30)]
    text = "charge,colour\n" + "\n".join([*lines, f"{mark},red"]) + "\n"
    with pytest.warns(UserWarning, match="read as numbers without the sign"):
        table = read(workspace, write(tmp_path, "marks.csv", text))
    assert (table["charge"].gaps.sum(), np.nanmax(table["charge"].values)) == (1, 29.5)
    assert (table["colour"].categories, table["colour"].gaps.sum()) == (("red",), 20)


def test_marked_numbers_with_a_few_other_values_are_noticed(tmp_path: Path, workspace: Workspace) -> None:
    text = "charge\n" + "".join(f"${i}.50\n" for i in range(30)) + "waived\n"
    with pytest.warns(UserWarning, match=r"30 numbers and 1 other value, first 'waived' \(line 32\)"):
        assert isinstance(read(workspace, write(tmp_path, "w.csv", text))["charge"], RawCodes)


def test_numbers_that_begin_with_a_zero_are_told_of(tmp_path: Path, workspace: Workspace) -> None:
    path = write(tmp_path, "a.csv", "zip,x\n99501,0\n01234,0.5\n")
    with pytest.warns(UserWarning, match=r"'zip' of .* some begin with a zero, as '01234' \(line 3\) does"):
        assert values(read(workspace, path)) == {"zip": [99501, 1234], "x": [0.0, 0.5]}
