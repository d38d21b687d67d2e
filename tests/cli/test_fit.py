"""The commands that learn from a table: `treewright fit`, `cv` and `compare`."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.command_line import IRIS, LABOR, MPG, TENNIS, Run
from helpers.interrupting import interrupt
from treewright.pruning import Pessimistic


def test_fit_saves_the_model_that_python_makes(run: Run) -> None:
    status, out, errors = run("fit", IRIS, "--target", "species")
    frame = pd.read_csv(IRIS)
    model = tw.TreeClassifier(random_state=0)
    model.fit(frame.drop(columns="species"), frame["species"])
    saved = tw.load("iris.tw")
    assert (status, errors) == (0, "")
    assert saved.tree_ == model.tree_
    assert saved.target_name_ == "species"  # type: ignore[attr-defined]
    assert str(model.tree_) in out
    assert "saved to iris.tw" in out


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB", "--algorithm", "decision_tree")])
def test_one_fold_is_refused_in_a_sentence(run: Run, memory: tuple[str, ...]) -> None:
    status, out, errors = run("fit", IRIS, "-t", "species", "--folds", "1", *memory)
    assert (status, out, os.listdir()) == (2, "", [])
    assert "folds=1 leaves no rows to learn from: use 2 or more, or 0 to judge nothing." in errors


def test_json_says_what_the_screen_says(run: Run) -> None:
    status, out, _ = run("fit", IRIS, "-t", "species", "--json", "--no-save")
    found = json.loads(out)
    confusion = np.array(found["cross_validation"]["confusion"])
    assert status == 0
    assert confusion.sum(axis=1).tolist() == [50, 50, 50]
    assert found["cross_validation"]["error"] == pytest.approx(1 - np.trace(confusion) / 150)
    assert found["data"]["task"] == "classification"
    assert [feature["kind"] for feature in found["data"]["features"]] == ["numeric"] * 4
    assert found["model"]["tree"]["count"] == 150
    assert found["output"] is None
    assert os.listdir() == []


def test_numbers_are_guessed_to_be_a_regression(run: Run) -> None:
    _, out, _ = run("fit", MPG, "-t", "mpg", "--json", "--no-save", "--folds", "5")
    found = json.loads(out)
    assert found["data"]["task"] == "regression"
    assert 0.7 < found["cross_validation"]["r2"] < 1


@pytest.mark.parametrize(
    ("options", "kind", "attributes"),
    [
        (["-a", "id3"], "ID3Classifier", {"criterion": "entropy"}),
        (["-a", "C4.5", "--set", "confidence=0.1"], "C45Classifier", {"confidence": 0.1}),
        (["-a", "cart", "--set", "max-surrogates=2"], "CARTClassifier", {"max_surrogates": 2}),
        (["--criterion", "entropy", "--max-depth", "2"], "DecisionTreeClassifier", {"max_depth": 2}),
        (["--missing", "fractional", "--balanced"], "TreeClassifier", {"class_weight": "balanced"}),
        (["--pruner", "pessimistic"], "DecisionTreeClassifier", {"pruner": Pessimistic()}),
        (["-a", "decision_tree", "--max-depth", "2"], "DecisionTreeClassifier", {"max_depth": 2}),
        (["-a", "rules", "--set", "cf=0.1"], "RuleClassifier", {"cf": 0.1}),
        (["--set", "splits=multiway"], "DecisionTreeClassifier", {"splits": ("multiway",)}),
        (["--costs", "[[0, 1], [5, 0]]"], "TreeClassifier", {"costs": [[0, 1], [5, 0]]}),
    ],
)
def test_options_reach_the_learner(
    run: Run, options: list[str], kind: str, attributes: dict[str, Any]
) -> None:
    status, _, errors = run("fit", TENNIS, "-t", "PlayTennis", "--folds", "0", "-o", "t.tw", *options)
    model = tw.load("t.tw")
    assert (status, errors, type(model).__name__) == (0, "", kind)
    assert {name: getattr(model, name) for name in attributes} == attributes


def test_columns_may_be_chosen_left_out_weighted_and_queried(run: Run) -> None:
    grades = ["low", "mid", "high"]
    rows = [f"{i},{i % 3},{grades[i % 3]},{i % 2},{i % 3 == 2}\n" for i in range(60)]
    Path("a.csv").write_text("id,zip,grade,w,y\n" + "".join(rows))
    columns = ["--categorical", "zip", "--ordinal", "grade=low,mid,high", "--weight", "w"]
    query = ["--query", "select * from data where id < 50"]
    status, out, _ = run(
        "fit", "a.csv", "--formula", "y ~ . - id", *columns, *query, "--json", "--folds", "0"
    )
    found = json.loads(out)
    kinds = {feature["name"]: feature["kind"] for feature in found["data"]["features"]}
    assert (status, kinds, found["data"]["rows"]) == (0, {"zip": "categorical", "grade": "ordinal"}, 50)
    assert tw.load("a.tw").tree_.count[0] == 25  # every other row weighs nothing


def test_rows_without_a_target_are_left_out_with_a_note(run: Run) -> None:
    Path("a.csv").write_text("x,y\n" + "".join(f"{i},{'' if i == 4 else 'ab'[i % 2]}\n" for i in range(40)))
    status, out, errors = run("fit", "a.csv", "-t", "y", "--json", "--folds", "0")
    assert (status, json.loads(out)["data"]["rows"]) == (0, 39)
    assert errors == "note: 1 row without a value of the target 'y' left out, first at line 6.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,a\ninf,b\n", "column 'x' of 'a.csv' holds an infinite number (line 3)"),
        ("x,y\n1,\n2,?\n", "column 'y' of 'a.csv', the target, has no values"),
        ("y\na\nb\n", "has no columns to learn from besides the target 'y'"),
        ("x,w,y\n1,-1,a\n2,1,b\n", "should hold weights, and holds -1 (line 2)"),
        ("x,w,y\n1,k,a\n2,1,b\n", "should hold weights, and holds no numbers"),
    ],
)
def test_bad_tables_are_refused_with_exit_code_3(run: Run, text: str, message: str) -> None:
    Path("a.csv").write_text(text)
    weight = ["-w", "w"] if ",w," in text else []
    status, _, errors = run("fit", "a.csv", "-t", "y", *weight)
    assert (status, message in errors, os.listdir()) == (3, True, ["a.csv"])


@pytest.mark.parametrize("text", ["x,w,y\n1,1,a\ninf,1,b\n", "x,w,y\n1,1,a\n2,-3,b\n"])
def test_lines_of_packed_tables_are_named_too(run: Run, iris: str, text: str) -> None:
    Path("a.csv.gz").write_bytes(gzip.compress(text.encode()))
    status, _, errors = run("fit", "a.csv.gz", "-t", "y", "-w", "w")
    assert (status, "(line 3)" in errors) == (3, True)


@pytest.mark.parametrize("rows", [1, 2, 3, 10])
def test_few_rows_are_no_trouble(run: Run, rows: int) -> None:
    Path("a.csv").write_text("x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(rows)))
    status, _, errors = run("fit", "a.csv", "-t", "y")
    one_class = "note: the target 'y' has one class only: there is nothing to tell apart.\n"
    assert (status, errors) == (0, one_class if rows == 1 else "")


def test_the_report_shows_hostile_names_as_text(run: Run) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    frame = pd.DataFrame({hostile: range(40), "y": [hostile if i > 20 else "b" for i in range(40)]})
    frame.to_csv("a.csv", index=False)
    status, _, _ = run("fit", "a.csv", "-t", "y", "--html", "a.html", "--no-save")
    page = Path("a.html").read_text()
    assert (status, "<img" in page) == (0, False)
    assert page.count("&lt;img") >= 2


def test_a_report_is_a_web_page(run: Run) -> None:
    status, _, errors = run("fit", LABOR, "-t", "contract", "--html", "a.pdf")
    assert status == 2
    assert "--html a.pdf must end in .html or .htm" in errors
    assert not Path("a.pdf").exists()


def test_the_same_table_gives_the_same_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")  # a model says when it was learned
    run("fit", LABOR, "-t", "contract", "-o", "one.tw", "--folds", "0", "--jobs", "1", "-q")
    run("fit", LABOR, "-t", "contract", "-o", "two.tw", "--folds", "0", "--jobs", "1", "-q")
    assert Path("one.tw").read_bytes() == Path("two.tw").read_bytes()


@pytest.mark.parametrize("buffered", ["", "1"], ids=["all at once", "line by line"])
def test_a_reader_of_the_first_line_keeps_the_model(tmp_path: Path, buffered: str) -> None:
    command = [sys.executable, "-m", "treewright", "fit", str(LABOR), "-t", "contract", "--folds", "0"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONUNBUFFERED": buffered},
    ) as fit:
        assert fit.stdout is not None
        fit.stdout.readline()
        fit.stdout.close()
    assert tw.load(next(tmp_path.glob("*.tw"))).tree_.n_leaves > 1


def test_cv_and_fit_find_the_same(run: Run) -> None:
    cv = json.loads(run("cv", IRIS, "-t", "species", "--folds", "5", "--json")[1])
    fit = json.loads(run("fit", IRIS, "-t", "species", "--folds", "5", "--json", "--no-save")[1])
    assert cv["confusion"] == fit["cross_validation"]["confusion"]


def test_compare_puts_learners_and_prunings_side_by_side(run: Run) -> None:
    arguments = ["compare", IRIS, "-t", "species", "--folds", "3", "--learners", "cart,c4.5,id3"]
    status, out, _ = run(*arguments, "--pruners", "none,pessimistic", "--json")
    found = json.loads(out)
    assert status == 0
    assert set(found["found"]) == {"decision_tree, unpruned", "decision_tree, pessimistic", "cart", "c4.5"}
    assert "knows categories only" in found["refused"]["id3"]
    leaves = {name: one["mean_leaves"] for name, one in found["found"].items()}
    assert leaves["decision_tree, unpruned"] >= leaves["decision_tree, pessimistic"]
    assert "c4.5" in run(*arguments, "--pruners", "none")[1]


def test_ctrl_c_ends_a_long_fit_with_130_and_no_file(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.normal(size=(200_000, 8)), columns=[f"f{i}" for i in range(8)])
    frame["y"] = generator.integers(0, 2, len(frame))
    frame.to_parquet(tmp_path / "noise.parquet")
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "treewright", "fit", "noise.parquet", "-t", "y"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the table is read, growing begins
        time.sleep(0.5)
        _, errors = interrupt(process, seconds=20)
    assert (process.returncode, errors.strip()) == (130, "interrupted; nothing was written")
    assert os.listdir(tmp_path) == ["noise.parquet"]


def test_a_tree_too_deep_for_nested_json_is_saved_and_told_in_a_line(run: Run) -> None:
    """The whole of a tree of any depth is in the export, which lists its nodes."""
    rows = "".join(f"{number},{number % 2}\n" for number in range(600))
    Path("deep.csv").write_text(f"x,y\n{rows}")
    words = ("-t", "y", "-a", "decision_tree", "--pruner", "none", "--folds", "0", "--json")
    for command in (("fit", "deep.csv", *words), ("show", "deep.tw", "--json")):
        status, out, errors = run(*command)
        assert (status, out) == (2, "")
        assert "too deep to be nested in JSON" in errors
        assert errors.count("\n") == 1
    assert tw.load("deep.tw").get_depth() > 500
    status, out, _ = run("export", "deep.tw", "--to", "json")
    assert status == 0
    assert len(json.loads(out)["trees"][0]["nodes"]) > 1000
