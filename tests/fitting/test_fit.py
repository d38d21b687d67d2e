"""`treewright.fit`: the same from a file, a frame or columns, and what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.command_line import IRIS, LABOR, MPG, Run
from treewright.errors import DataError


def iris() -> pd.DataFrame:
    return pd.read_csv(IRIS)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (lambda: IRIS, "species"),
        (lambda: Path(IRIS), "species"),
        (lambda: [IRIS], "species"),
        (iris, "species"),
        (lambda: iris().to_dict("list"), "species"),
        (lambda: iris().drop(columns="species"), iris()["species"]),
        (lambda: iris().drop(columns="species"), iris()["species"].tolist()),
    ],
    ids=["file", "path", "files", "frame", "mapping", "series beside", "list beside"],
)
def test_any_table_gives_the_same_tree(source: Any, target: Any) -> None:
    result = tw.fit(source(), target, folds=0)
    expected = tw.TreeClassifier().fit(iris().drop(columns="species"), iris()["species"])
    assert result.model.tree_ == expected.tree_
    assert result.evaluation is None


def test_polars_arrow_and_arrays_are_tables_too() -> None:
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    tree = tw.fit(iris(), "species", folds=0).model.tree_
    assert tw.fit(pl.from_pandas(iris()), "species", folds=0).model.tree_ == tree
    assert tw.fit(pa.Table.from_pandas(iris()), "species", folds=0).model.tree_ == tree
    array = iris().drop(columns="species").to_numpy()
    model = tw.fit(array, iris()["species"].to_numpy(), folds=0).model
    assert model.score(array, iris()["species"]) > 0.95  # rows without names are predicted too


def test_the_command_is_a_shell_over_it(run: Run) -> None:
    _, out, _ = run("fit", LABOR, "-t", "contract", "--no-save")
    result = tw.fit(LABOR, "contract")
    assert out.split("\n\n", 1)[1].removesuffix("\n\nnothing was saved\n") == str(result).split("\n\n", 1)[1]


def test_the_report_shows_the_columns_the_tree_and_its_error(tmp_path: Path) -> None:
    result = tw.fit(MPG, "mpg", folds=3, max_depth=3)
    text = str(result)
    assert "horsepower    numeric" in text
    assert "all rows" in text
    assert "cross-validation in 3 folds" in text
    assert result.evaluation is not None
    assert f"R² {result.evaluation.evaluation.r2:.3f}" in text  # type: ignore[union-attr]
    page = result.to_html(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text("utf-8") == page
    assert "<svg" in result._repr_html_()
    assert "<html" not in result._repr_html_()
    result.save(tmp_path / "a.tw")
    assert tw.load(tmp_path / "a.tw").tree_ == result.model.tree_
    assert tw.load(tmp_path / "a.tw").target_name_ == "mpg"  # type: ignore[attr-defined]


def test_columns_in_memory_are_taken_as_it_is_said() -> None:
    grades = ["low", "mid", "high"]
    frame = pd.DataFrame(
        {
            "zip": [10 * (i % 3) for i in range(60)],
            "grade": [grades[i % 3] for i in range(60)],
            "size": [str(i) for i in range(60)],
            "note": ["none" if i % 2 else "some" for i in range(60)],
            "w": [1.0] * 60,
            "y": ["a" if i % 3 == 2 else "b" for i in range(60)],
        }
    )
    asked: dict[str, Any] = {"categorical": ["zip"], "ordinal": {"grade": grades}, "numeric": ["size"]}
    data = tw.fit(frame, "y", weight="w", na=["none"], folds=0, **asked).data
    assert data.kinds == {
        "zip": "categorical",
        "grade": "ordinal",
        "size": "numeric",
        "note": "categorical",
        "w": "numeric",
        "y": "categorical",
    }
    assert data.features == ["zip", "grade", "size", "note"]
    assert int(data.table["note"].gaps.sum()) == 30
    assert data.has_missing


def test_rows_without_a_target_are_left_out_with_their_weights() -> None:
    frame = pd.DataFrame({"x": range(40), "y": ["a", "b"] * 20})
    frame.loc[4, "y"] = None
    weight = np.arange(40) % 3
    data = tw.fit(frame, "y", weight=weight, folds=0).data
    assert (len(data), data.n_left_out) == (39, 1)
    assert data.weight is not None
    assert data.weight.tolist() == np.delete(weight, 4).tolist()
    assert "1 row without a value of the target 'y' left out, first at row 5" in data.notes[0]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"target": None}, "which column is to be predicted"),
        ({"target": "specis"}, "the table has no column 'specis'.*Did you mean 'species'"),
        ({"algorithm": "forrest"}, "Did you mean 'forest'"),
        ({"algorithm": "tree", "criterion": "entropy"}, "use the algorithm decision_tree"),
        ({"max_dept": 3}, "TreeClassifier has no parameter 'max_dept'. Did you mean 'max_depth'"),
        ({"delimiter": ","}, "delimiter is for files, and the table is a DataFrame"),
        ({"numeric": ["species"]}, "column 'species' is called numeric, and holds 'setosa'"),
        ({"weight": "w"}, "has no column 'w'"),
        ({"target": ["a"] * 3}, "has 3 rows, and others have 150"),
    ],
)
def test_what_is_wrong_is_said(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tw.fit(iris(), **({"target": "species"} | asked))


def test_parameters_that_only_a_decision_tree_has_lead_to_one() -> None:
    assert type(tw.fit(iris(), "species", folds=0, criterion="entropy").model) is tw.DecisionTreeClassifier
    assert type(tw.fit(iris(), "species", folds=0, pruner="pessimistic").model) is tw.DecisionTreeClassifier
    assert type(tw.fit(iris(), "species", folds=0, max_depth=2).model) is tw.TreeClassifier
    model = tw.fit(iris(), "species", folds=0, algorithm="cart").model
    assert (type(model), model.cv, model.se) == (tw.CARTClassifier, 10, 1.0)


@pytest.mark.parametrize(
    ("target", "note"),
    [
        (["a"] * 24, "has one class only: there is nothing to tell apart"),
        ([f"person {k}" for k in range(24)], "has 24 classes in 24 rows: it looks like an identifier"),
        (["a", "b"] * 12, None),
    ],
)
def test_a_target_of_which_little_can_be_learned_is_named(target: list[str], note: str | None) -> None:
    result = tw.fit({"x": range(24), "y": target}, "y", folds=0)
    assert [note in said for said in result.data.notes] == ([True] if note else [])


def test_a_target_that_names_thousands_of_rows_is_refused() -> None:
    for n_rows in (2000, 10_000):  # five rows of each: nodes times classes take gigabytes
        table = {"x": range(n_rows), "id": [f"person {k % 2000}" for k in range(n_rows)]}
        with pytest.raises(
            DataError, match=rf"'id' .* has 2000 classes in {n_rows} rows: it looks like an identifier"
        ):
            tw.fit(table, "id")


def test_numbers_that_are_classes_are_listed_as_such() -> None:
    table = {"x": list(range(60)), "again": [0, 1] * 30}
    assert "target again: classes, 2: 0, 1  (task regression" in str(tw.fit(table, "again", folds=0))


def test_text_in_memory_that_looks_like_numbers_or_dates_is_told_of() -> None:
    table = {
        "price": ["$1,200", "-", "$90", ""] * 5,
        "when": ["31/12/2020", "2/1/2021", "3/1/2021", "4/1/2021"] * 5,
        "zip": ["01234", "99501", "99502", "99503"] * 5,
        "pet": ["dog", "-", "cat", "7"] * 5,
        "y": ["a", "b", "a", "b"] * 5,
    }
    notes = tw.fit(table, "y", folds=0).data.notes
    assert len(notes) == 2
    assert "'price' of the table is text that looks like numbers, but for '', '-'" in notes[0]
    assert "'when' of the table is text that looks like dates: it is taken as categories" in notes[1]
    assert tw.fit(table, "y", folds=0, categorical=["price", "when"]).data.notes == ()
    assert tw.fit({"y": table["y"], "x": [1, 2, 3, 4] * 5}, "y", folds=0).data.notes == ()


def test_what_reading_a_file_came_upon_stands_in_the_notes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "1,a\n2,b\n3,a\n4,b\n" * 5 + "-,a\n")
    for _ in range(2):  # a warning that was given before is noted again
        with pytest.warns(UserWarning, match="is read as numbers: '-' "):
            result = tw.fit(path, "y", folds=0)
        assert "is read as numbers: '-' (line 22) taken as missing" in result.data.notes[0]
        assert "note: column 'x'" in str(result)
