"""`fit`, `cv` and `evaluate` with `--memory`: what they do on a file that is read."""

import json
import os
import re
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.data.folds import folds_by_number

N = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("big")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=N), "plan": rng.choice(["a", "b", "c"], N)})
    frame["number"] = 3 * frame["x"] + rng.normal(size=N)
    frame["y"] = np.where(((frame["x"] > 0.5) & (frame["plan"] != "b")) ^ (rng.random(N) < 0.1), "yes", "no")
    frame.loc[::20, "x"] = np.nan
    for number in range(3):
        frame[number * N // 3 : (number + 1) * N // 3].to_parquet(place / f"{number}.parquet", index=False)
    frame.to_csv(place.parent / "whole.csv", index=False)
    return place


@pytest.fixture
def said(run):
    """Run a command that must go well; gives its output."""

    def run_command(*arguments):
        code, output, errors = run(*map(str, arguments))
        assert code == 0, errors
        return output

    return run_command


def frame_of(folder):
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.iterdir())], ignore_index=True)


def test_fit_gives_the_tree_of_memory_and_its_error(said, folder, tmp_path):
    saved = tmp_path / "model.tw"
    found = json.loads(
        said(
            "fit",
            f"{folder}/*.parquet",
            "-t",
            "y",
            "--ignore",
            "number",
            "--memory",
            "64MB",
            "-o",
            saved,
            "--json",
        )
    )
    frame = frame_of(folder)
    of_row = folds_by_number(np.arange(N), 5, 0)
    folds = [(np.flatnonzero(of_row != fold), np.flatnonzero(of_row == fold)) for fold in range(5)]
    expected = tw.TreeClassifier(cv=folds).fit(frame[["x", "plan"]], frame["y"])
    model = tw.load(saved)
    assert model.tree_ == expected.tree_
    assert model.target_name_ == "y"
    assert model.card_.rows == N
    assert found["cross_validation"]["rows"] == N
    read = json.loads(
        said("fit", f"{folder}/*.parquet", "-t", "y", "--ignore", "number", "--no-save", "--json")
    )
    assert found["cross_validation"]["error"] == pytest.approx(read["cross_validation"]["error"], abs=0.01)
    assert found["data"]["rows"] == read["data"]["rows"]
    text = said("fit", folder, "-t", "y", "--ignore", "number", "--memory", "64MB", "--no-save", "--folds", 2)
    assert "plan     categorical  3: a, b, c" in text
    assert "150" in text.splitlines()[2]  # values of x are missing
    # Whoever judges it by its own rows is told, as the file knows them.
    assert "rows that the model was learned from" in said("evaluate", saved, f"{folder}/*.parquet")


def test_evaluate_gives_the_same_figures(said, folder, tmp_path):
    frame = frame_of(folder)
    for target, model in (("y", tw.TreeClassifier()), ("number", tw.TreeRegressor())):
        model.fit(frame[["x", "plan"]], frame[target])
        model.save(tmp_path / "m.tw")
        command = ("evaluate", tmp_path / "m.tw", f"{folder}/*.parquet", "--target", target, "--json")
        read, opened = json.loads(said(*command)), json.loads(said(*command, "--memory", "16MB"))
        for name, value in opened.items():
            if isinstance(value, float):
                assert value == pytest.approx(read[name], rel=1e-9), name
            elif name != "calibration":
                assert value == read[name], name


def test_cv_judges_numbers(said, folder):
    command = ("cv", f"{folder}/*.parquet", "-t", "number", "--ignore", "y", "--folds", 4, "--json")
    read, opened = json.loads(said(*command)), json.loads(said(*command, "--memory", "64MB"))
    assert opened["rows"] == read["rows"] == N
    assert opened["baseline_mean_squared_error"] == pytest.approx(read["baseline_mean_squared_error"])
    assert opened["mean_squared_error"] == pytest.approx(read["mean_squared_error"], rel=0.1)


def test_a_decision_tree_is_pruned_by_folds(said, folder, tmp_path):
    saved = tmp_path / "model.tw"
    options = ("--ignore", "number", "--algorithm", "decision_tree", "--folds", 0, "-o", saved)
    said("fit", folder, "-t", "y", "--memory", "64MB", *options)
    frame = frame_of(folder)
    pruner = tw.pruning.CostComplexity(cv=tuple(folds_by_number(np.arange(N), 10, 0).tolist()), se=1)
    expected = tw.DecisionTreeClassifier(random_state=0, pruner=pruner).fit(frame[["x", "plan"]], frame["y"])
    assert tw.load(saved).tree_ == expected.tree_
    assert 1 < expected.tree_.n_leaves < 20


@pytest.mark.parametrize("target", ["y", "number"])
def test_a_forest_is_grown_and_judged(said, folder, tmp_path, target):
    saved, other = tmp_path / "model.tw", "number" if target == "y" else "y"
    options = ("-t", target, "--ignore", other, "--algorithm", "forest", "--trees", 5, "--folds", 3, "--json")
    found = json.loads(said("fit", folder, "--memory", "64MB", *options, "-o", saved))
    frame = frame_of(folder)
    kind = tw.RandomForestClassifier if target == "y" else tw.RandomForestRegressor
    expected = kind(5, random_state=0).fit(frame[["x", "plan"]], frame[target])
    assert list(tw.load(saved).trees_) == list(expected.trees_)
    assert found["model"]["kind"] == kind.__name__
    error = "error" if target == "y" else "mean_squared_error"
    read = json.loads(said("cv", f"{folder}/*.parquet", *options))
    opened = json.loads(said("cv", folder, "--memory", "64MB", *options))
    assert opened == {**found["cross_validation"], "seconds": opened["seconds"]}
    assert opened["rows"] == N
    assert opened[error] == pytest.approx(read[error], rel=0.15)
    assert "5 trees" in said("fit", folder, "--memory", "64MB", *options[:-1], "--no-save")


def test_predictions_within_some_memory_are_the_same(said, folder, tmp_path):
    frame = frame_of(folder)
    tw.DecisionTreeClassifier(max_depth=4).fit(frame[["x", "plan"]], frame["y"]).save(tmp_path / "m.tw")
    command = ("predict", tmp_path / "m.tw", f"{folder}/*.parquet", "--proba")
    assert said(*command, "--memory", "64MB") == said(*command)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--query", "select 1"), "query needs the table in memory"),
        (("--algorithm", "forest", "--set", "oob_score=true"), "oob_score needs the table in memory"),
        (("--html", "page.html"), "--html needs the table in memory"),
        (("--numeric", "x"), "numeric needs the table in memory"),
        (("--algorithm", "c4.5"), "needs the table in memory"),
    ],
    ids=str,
)
def test_what_needs_memory_is_refused_by_name(run, options, words, folder):
    code, _, errors = run("fit", str(folder), "-t", "y", "--memory", "64MB", "--no-save", *options)
    assert code != 0
    assert words in errors


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_shows_passes_rows_and_time(folder):
    program = "import sys; from treewright.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program]
    options = ["-t", "y", "--ignore", "number", "--memory", "16MB", "--no-save", "--folds", "2"]
    here, there = os.openpty()
    with subprocess.Popen(
        [*command, "fit", str(folder), *options], stdout=subprocess.DEVNULL, stderr=there
    ) as process:
        os.close(there)
        shown = b""
        with suppress(OSError):  # which is how a terminal says that nobody writes any more
            while piece := os.read(here, 4096):
                shown += piece
        os.close(here)
    assert process.returncode == 0
    lines = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", shown).decode().replace("\r", "\n")
    for words in ("reading, pass 1 ", "growing, pass 3 ", "fold 2 of 2, pass ", " million rows", "left of"):
        assert words in lines
