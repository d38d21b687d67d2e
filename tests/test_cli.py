"""The command line: every command on good and on bad input, as a shell runs it."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.cli import main
from treewright.cli.app import COMMANDS, Commands, treewright
from treewright.model_file import read_model, write_model
from treewright.pruning import CostComplexity

TABLES = Path(tw.__file__).parent / "tables"
IRIS = str(TABLES / "iris.csv")
TENNIS = str(TABLES / "tennis.csv")
MPG = str(TABLES / "mpg.csv")
LABOR = str(TABLES / "labor.csv")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder of its own; give exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        captured = capfd.readouterr()
        return status, captured.out, captured.err

    return run_command


@pytest.fixture
def iris(run: Run) -> str:
    """A model of the irises, in the folder of the test."""
    assert run("fit", IRIS, "--target", "species", "--folds", "0", "--quiet") == (0, "", "")
    return "iris.tw"


def shell(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "treewright", *arguments],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


# ---- the program -----------------------------------------------------------------------------------------


def test_help_lists_every_command_and_loads_nothing_slow() -> None:
    code = (
        "import sys; from treewright.cli import main; status = main(['--help']); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules})); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *text, modules = done.stdout.splitlines()
    assert all(any(line.split()[:1] == [name] for line in text) for name in COMMANDS)
    assert not {"sklearn", "scipy", "duckdb", "rich", "pandas", "pyarrow"} & set(modules.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(run: Run, name: str) -> None:
    status, out, _ = run(name, "--help")
    assert status == 0
    assert f"Usage: treewright {name}" in out
    assert f"  treewright {name}" in out.partition("Examples:")[2]


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    context = click.Context(treewright)
    assert isinstance(treewright, Commands)
    for name, (_, summary) in COMMANDS.items():
        command = treewright.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help is not None
        words = command.help.partition("\n")[0].rstrip(".")
        assert words.startswith(summary.split(",")[0].rstrip(".")[:20])


def test_options_of_the_same_name_are_spelled_alike_everywhere() -> None:
    context = click.Context(treewright)
    helps: dict[str, set[str]] = {}
    for name in COMMANDS:
        command = treewright.get_command(context, name)  # type: ignore[attr-defined]
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.name in (
                "as_json",
                "quiet",
                "debug",
                "encoding",
            ):
                helps.setdefault(str(parameter.name), set()).add(str(parameter.help))
    assert all(len(texts) == 1 for texts in helps.values())


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["fitt", IRIS], 2, "Did you mean 'fit'?"),
        (["fit", IRIS, "--targt", "species"], 2, "--target"),
        (["fit", IRIS], 2, "Add --target NAME; "),
        (["fit"], 2, "Missing argument 'DATA...'"),
        (["fit", IRIS, "-t", "speces"], 3, "Did you mean 'species'?"),
        (["fit", IRIS, "-t", "species", "--ignore", "petal widht"], 3, "Did you mean 'petal width'?"),
        (["fit", IRIS, "-t", "species", "--algorithm", "c45.5"], 2, "Unknown algorithm 'c45.5'"),
        (["fit", IRIS, "-t", "species", "--criterion", "ginni"], 2, "Did you mean 'gini'?"),
        (["fit", IRIS, "-t", "species", "--missing", "surogate"], 2, "Did you mean 'surrogate'?"),
        (["fit", IRIS, "-t", "species", "--pruner", "pesimistic"], 2, "Did you mean 'pessimistic'?"),
        (
            ["fit", IRIS, "-t", "species", "--pruner", "error_based:cg=1"],
            2,
            "Unknown setting of error_based 'cg'",
        ),
        (["fit", IRIS, "-t", "species", "--pruner", "error_based:cf=9"], 2, "cf"),
        (["fit", IRIS, "-t", "species", "--set", "max_bin=4"], 2, "Did you mean 'max_bins'?"),
        (["fit", IRIS, "-t", "species", "--set", "max_bins"], 2, "has no form NAME=VALUE"),
        (["fit", IRIS, "-t", "species", "--max-depth", "0"], 2, "'max_depth' parameter"),
        (
            ["fit", IRIS, "-t", "species", "--costs", "[[0,1],[1,0]]"],
            2,
            "a row and a column for each of the 3",
        ),
        (["fit", IRIS, "-t", "species", "--costs", "nonsense"], 2, "neither a file nor JSON"),
        (["fit", IRIS, "-t", "species", "--ordinal", "x"], 2, "has no form NAME=LOW,…,HIGH"),
        (["fit", IRIS, "-t", "species", "--output", "/no/where.tw"], 2, "there is no folder '/no'"),
        (
            ["fit", IRIS, "-t", "species", "-a", "id3"],
            2,
            "id3 knows categories only, and 'sepal length' is numeric",
        ),
        (
            ["fit", IRIS, "-t", "species", "-a", "cart", "--pruner", "pessimistic"],
            2,
            "cart prunes by cost-complexity",
        ),
        (["fit", MPG, "-t", "mpg", "-a", "c4.5"], 2, "c4.5 learns classes only"),
        (["fit", IRIS, "-t", "species", "--formula", "x ~ ."], 2, "two targets"),
        (["fit", IRIS, "--formula", "species ~"], 3, "the formula 'species ~'"),
        (["fit", IRIS, "-t", "species", "-w", "petal"], 3, "has no column 'petal'"),
        (["fit", "nothing.csv", "-t", "y"], 3, "cannot read 'nothing.csv': there is no such file"),
        (["show", "nothing.tw"], 4, "cannot read 'nothing.tw'"),
        (["show", IRIS], 4, "is no treewright model"),
        (["predict", IRIS, IRIS], 4, "is no treewright model"),
        (["convert", IRIS, "-o", "a.xlsx"], 2, "Unknown form of file '.xlsx'"),
        (["convert", IRIS, "-o", "/no/where.csv"], 2, "there is no folder '/no'"),
        (["compare", IRIS, "-t", "species", "--pruners", "pesimistic"], 2, "Did you mean 'pessimistic'?"),
        (["completion", "tcsh"], 2, "'tcsh' is not one of"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run: Run, arguments: list[str], status: int, message: str) -> None:
    found, _, errors = run(*arguments)
    assert (found, len(errors.splitlines())) == (status, 1)
    assert message in errors
    assert os.listdir() == []


def test_a_traceback_is_shown_on_request(run: Run) -> None:
    with pytest.raises(tw.errors.DataError):
        run("fit", "nothing.csv", "-t", "y", "--debug")
    done = shell("fit", "nothing.csv", "-t", "y")
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)


def test_output_to_a_file_has_no_escape_codes_and_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m treewright demo iris | head -2",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[0] == "150 irises: which species?"
    assert "\x1b" not in done.stdout
    assert "Traceback" not in done.stderr


# ---- fit -------------------------------------------------------------------------------------------------


def test_fit_saves_the_model_that_python_makes(run: Run) -> None:
    status, out, errors = run("fit", IRIS, "--target", "species")
    frame = pd.read_csv(IRIS)
    model = tw.DecisionTreeClassifier(pruner=CostComplexity(cv=10, se=1), random_state=0)
    model.fit(frame.drop(columns="species"), frame["species"])
    saved = tw.load("iris.tw")
    assert (status, errors) == (0, "")
    assert saved.tree_ == model.tree_
    assert saved.target_name_ == "species"  # type: ignore[attr-defined]
    assert str(model.tree_) in out
    assert "saved to iris.tw" in out


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
        (["--missing", "fractional", "--balanced"], "DecisionTreeClassifier", {"class_weight": "balanced"}),
        (["-a", "rules", "--set", "cf=0.1"], "RuleClassifier", {"cf": 0.1}),
        (["--set", "splits=multiway"], "DecisionTreeClassifier", {"splits": ("multiway",)}),
        (["--costs", "[[0, 1], [5, 0]]"], "DecisionTreeClassifier", {"costs": [[0, 1], [5, 0]]}),
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
    assert (status, errors) == (0, "")


def test_the_report_shows_hostile_names_as_text(run: Run) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    frame = pd.DataFrame({hostile: range(40), "y": [hostile if i > 20 else "b" for i in range(40)]})
    frame.to_csv("a.csv", index=False)
    status, _, _ = run("fit", "a.csv", "-t", "y", "--html", "a.html", "--no-save")
    page = Path("a.html").read_text()
    assert (status, "<img" in page, "<script" in page) == (0, False, False)
    assert page.count("&lt;img") >= 2


def test_the_same_table_gives_the_same_file(run: Run) -> None:
    run("fit", LABOR, "-t", "contract", "-o", "one.tw", "--folds", "0", "--jobs", "1", "-q")
    run("fit", LABOR, "-t", "contract", "-o", "two.tw", "--folds", "0", "--jobs", "1", "-q")
    assert Path("one.tw").read_bytes() == Path("two.tw").read_bytes()


# ---- predict ---------------------------------------------------------------------------------------------


def test_predict_gives_what_the_model_predicts(run: Run, iris: str) -> None:
    status, _, errors = run("predict", iris, IRIS, "--keep", "species", "--proba", "--leaf", "-o", "p.csv")
    answers, X = pd.read_csv("p.csv"), pd.read_csv(IRIS).drop(columns="species")
    model = tw.load(iris)
    assert (status, errors) == (0, "")
    assert answers.columns.tolist() == [
        "species",
        "prediction",
        "p setosa",
        "p versicolor",
        "p virginica",
        "leaf",
    ]
    assert answers["prediction"].tolist() == model.predict(X).tolist()
    assert answers["leaf"].tolist() == model.apply(X).tolist()
    assert np.array_equal(answers.filter(like="p ").to_numpy(), model.predict_proba(X))


@pytest.mark.parametrize("suffix", ["tsv", "jsonl", "json", "parquet", "feather", "csv.gz"])
def test_predict_writes_every_form(run: Run, iris: str, suffix: str) -> None:
    assert run("predict", iris, IRIS, "-o", f"p.{suffix}", "--keep", "*")[0] == 0
    assert run("convert", f"p.{suffix}", "-o", "again.csv")[0] == 0
    answers = pd.read_csv("again.csv")
    X = pd.read_csv(IRIS).drop(columns="species")
    assert answers["prediction"].tolist() == tw.load(iris).predict(X).tolist()


def test_predict_goes_over_a_long_table_in_parts_and_in_order(run: Run, iris: str) -> None:
    frame = pd.read_csv(IRIS).drop(columns="species")
    long = pd.concat([frame.iloc[::-1]] * 1500, ignore_index=True)
    long.to_parquet("long.parquet")
    assert run("predict", iris, "long.parquet", "-o", "p.parquet")[0] == 0
    assert pd.read_parquet("p.parquet")["prediction"].tolist() == tw.load(iris).predict(long).tolist()


def test_predict_reads_standard_input_and_writes_standard_output(tmp_path: Path) -> None:
    assert shell("fit", IRIS, "-t", "species", "--folds", "0", "-q", cwd=tmp_path).returncode == 0
    done = shell("predict", "iris.tw", "-", cwd=tmp_path, input=Path(IRIS).read_text())
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr, lines[0], len(lines)) == (0, "", "prediction", 151)


def test_a_disk_that_is_full_is_named_and_leaves_the_old_answers(
    run: Run, iris: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("p.csv").write_text("old")

    def full(*arguments: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    status, _, errors = run("predict", iris, IRIS, "-o", "p.csv")
    assert (status, errors) == (1, "cannot write 'p.csv': No space left on device.\n")
    assert Path("p.csv").read_text() == "old"
    assert sorted(os.listdir()) == ["iris.tw", "p.csv"]


def test_columns_are_found_by_name_and_read_as_at_fit(run: Run) -> None:
    Path("a.csv").write_text("code,x,y\n" + "".join(f"{i % 2}k,{i},{i % 2}\n" for i in range(40)))
    Path("b.csv").write_text("extra,x,code\n1,1,0k\n2,2,?\n3,3,new\n")
    run("fit", "a.csv", "-t", "y", "-q", "--folds", "0")
    status, out, errors = run("predict", "a.tw", "b.csv")
    assert (status, len(out.splitlines())) == (0, 4)
    assert (
        "'code' of 'b.csv' has values that the model has never seen in 1 row, first 'new' (line 4)" in errors
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "sepal length,sepal width\n1,2\n",
            "lacks 2 of the model's 4 columns: 'petal length', 'petal width'",
        ),
        ("sepal length,sepal width,petal length,petal widht\n1,2,3,4\n", "Did you mean 'petal widht'?"),
        ("sepal length,sepal width,petal length,petal width\n1,2,3,4\n1,2,x,4\n", "holds 'x' (line 3)"),
        (
            "sepal length,sepal width,petal length,petal width\n1,2,3,inf\n",
            "holds an infinite number (line 2)",
        ),
    ],
)
def test_a_table_of_another_form_leaves_the_old_answers_alone(
    run: Run, iris: str, text: str, message: str
) -> None:
    Path("b.csv").write_text(text)
    Path("p.csv").write_text("old")
    status, _, errors = run("predict", iris, "b.csv", "-o", "p.csv")
    assert (status, message in errors) == (3, True)
    assert Path("p.csv").read_text() == "old"
    assert sorted(os.listdir()) == ["b.csv", "iris.tw", "p.csv"]


def test_a_category_never_seen_is_refused_where_the_model_says_so(run: Run) -> None:
    run("fit", TENNIS, "-t", "PlayTennis", "--set", "unseen=error", "-o", "t.tw", "-q", "--folds", "0")
    Path("b.csv").write_text("Outlook,Temperature,Humidity,Wind\nFoggy,Hot,High,Weak\n")
    status, _, errors = run("predict", "t.tw", "b.csv")
    assert (status, "first 'Foggy' (line 2), and the model refuses such" in errors) == (3, True)


# ---- the other commands ----------------------------------------------------------------------------------


def test_show_prints_the_tree_and_single_nodes(run: Run) -> None:
    run("fit", LABOR, "-t", "contract", "-a", "cart", "--pruner", "none", "-o", "l.tw", "-q", "--folds", "0")
    tree = tw.load("l.tw").tree_
    assert str(tree) in run("show", "l.tw")[1]
    _, out, _ = run("show", "l.tw", "--node", "0")
    assert all(split.condition(tree.schema, 0) in out for split in tree[0].surrogates + tree[0].competitors)
    found = json.loads(run("show", "l.tw", "--node", "0", "--json")[1])
    assert (found["count"], len(found["competitors"])) == (57, len(tree[0].competitors))
    assert "nodes below" in run("show", "l.tw", "--depth", "0")[1] or len(tree) == 1
    assert run("show", "l.tw", "--node", "99")[0] == 2


def test_evaluate_agrees_with_the_score_of_the_model(run: Run, iris: str) -> None:
    found = json.loads(run("evaluate", iris, IRIS, "--json")[1])
    frame = pd.read_csv(IRIS)
    score = tw.load(iris).score(frame.drop(columns="species"), frame["species"])  # type: ignore[attr-defined]
    assert found["error"] == pytest.approx(1 - score)
    assert run("evaluate", iris, TENNIS)[0] == 3


def test_models_of_rules_remember_their_target_too(run: Run) -> None:
    assert run("fit", IRIS, "-t", "species", "-a", "rules", "-q", "--folds", "0")[0] == 0
    assert run("evaluate", "iris.tw", IRIS)[0] == 0
    assert run("explain", "iris.tw", IRIS)[0] == 2
    assert run("predict", "iris.tw", IRIS, "--leaf")[0] == 2


def test_the_name_of_a_target_is_text(run: Run, iris: str) -> None:
    header, arrays = read_model(iris)
    write_model("odd.tw", header | {"target": 3}, arrays)
    status, _, errors = run("show", "odd.tw")
    assert (status, "the name of its target is no text" in errors) == (4, True)


def test_prune_writes_a_smaller_model_and_says_what_it_did(run: Run) -> None:
    run("fit", IRIS, "-t", "species", "--pruner", "none", "-q", "--folds", "0")
    status, out, _ = run("prune", "iris.tw", "--method", "pessimistic", "--report")
    before, after = tw.load("iris.tw"), tw.load("iris-pruned.tw")
    assert status == 0
    assert after.tree_ == tw.prune(before, "pessimistic").tree_
    assert str(tw.prune(before, "pessimistic").report_) in out  # type: ignore[attr-defined]
    assert f"{before.tree_.n_leaves} leaves before, {after.tree_.n_leaves} now" in out


def test_rules_are_those_of_the_model_and_travel(run: Run, iris: str) -> None:
    rules = tw.load(iris).rules()  # type: ignore[union-attr]
    assert run("rules", iris) == (0, f"{rules}\n", "")
    assert run("rules", iris, "--format", "markdown", "-o", "r.md")[0] == 0
    assert Path("r.md").read_text() == rules.to_markdown() + "\n"
    assert run("rules", iris, IRIS, "--prune", "-o", "r.tw")[0] == 0
    frame = pd.read_csv(IRIS)
    pruned = rules.prune(frame.drop(columns="species"), frame["species"])
    assert run("show", "r.tw") == (0, f"{pruned}\n", "")
    assert run("predict", "r.tw", IRIS, "-o", "p.csv")[0] == 0
    assert (
        pd.read_csv("p.csv")["prediction"].tolist() == pruned.predict(frame.drop(columns="species")).tolist()
    )
    assert json.loads(run("rules", iris, "--json")[1]) == json.loads(json.dumps(rules.to_dict()))
    assert run("rules", iris, "--prune")[0] == 2


def test_explain_says_what_the_model_says_of_the_row(run: Run, iris: str) -> None:
    row = pd.read_csv(IRIS).drop(columns="species").iloc[119].to_dict()
    model = tw.load(iris)
    assert run("explain", iris, IRIS, "--row", "120") == (0, f"{model.explain(row)}\n", "")
    goal = ["--wanted", "setosa", "--fixed", "petal width", "--down", "petal length"]
    expected = model.explain(row, wanted="setosa", fixed=["petal width"], directions={"petal length": "down"})
    assert run("explain", iris, IRIS, "--row", "120", *goal)[1] == f"{expected}\n"
    where = ["--where", "species = 'virginica' and \"petal length\" > 6"]
    assert json.loads(run("explain", iris, IRIS, *where, "--json")[1])
    assert run("explain", iris, IRIS, "--row", "151")[0] == 2
    assert run("explain", iris, IRIS, "--row", "1", *where)[0] == 2


def test_a_category_never_seen_is_explained_by_its_name(run: Run) -> None:
    run("fit", TENNIS, "-t", "PlayTennis", "-o", "t.tw", "-q", "--folds", "0")
    Path("b.csv").write_text("Outlook,Temperature,Humidity,Wind\nFoggy,Hot,High,Weak\n")
    status, out, _ = run("explain", "t.tw", "b.csv")
    assert (status, "Foggy" in out) == (0, True)


def test_prune_asks_for_the_rows_it_needs(run: Run, iris: str) -> None:
    status, _, errors = run("prune", iris, "--method", "reduced_error")
    assert (status, "needs rows: add DATA" in errors) == (2, True)
    assert run("prune", iris, IRIS, "--method", "reduced_error", "-o", "r.tw")[0] == 0
    assert run("prune", iris, IRIS, "--method", "cost_complexity:cv=5", "-o", "c.tw")[0] == 0


def test_cv_and_fit_find_the_same(run: Run) -> None:
    cv = json.loads(run("cv", IRIS, "-t", "species", "--folds", "5", "--json")[1])
    fit = json.loads(run("fit", IRIS, "-t", "species", "--folds", "5", "--json", "--no-save")[1])
    assert cv["confusion"] == fit["cross_validation"]["confusion"]


def test_compare_puts_learners_and_prunings_side_by_side(run: Run) -> None:
    arguments = ["compare", IRIS, "-t", "species", "--folds", "3", "--learners", "cart,c4.5,id3"]
    status, out, _ = run(*arguments, "--pruners", "none,pessimistic", "--json")
    found = json.loads(out)
    assert status == 0
    assert set(found["found"]) == {"tree, unpruned", "tree, pessimistic", "cart", "c4.5"}
    assert "knows categories only" in found["refused"]["id3"]
    assert (
        found["found"]["tree, unpruned"]["mean_leaves"] >= found["found"]["tree, pessimistic"]["mean_leaves"]
    )
    assert "c4.5" in run(*arguments, "--pruners", "none")[1]


def test_inspect_describes_tables_and_models(run: Run, iris: str) -> None:
    found = json.loads(run("inspect", LABOR, "--json")[1])
    assert (found["rows"], len(found["columns"])) == (57, 17)
    assert sum(column["missing"] for column in found["columns"]) == 326
    model = json.loads(run("inspect", iris, "--json")[1])
    assert (model["kind"], model["target"], model["trees"]) == ("DecisionTreeClassifier", "species", 1)
    assert [feature["name"] for feature in model["features"]] == pd.read_csv(IRIS).columns[:4].tolist()
    assert "fields separated by comma" in run("inspect", LABOR)[1]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "arrow", "arff", "csv.zst"])
def test_convert_loses_nothing(run: Run, suffix: str) -> None:
    assert run("convert", LABOR, "-o", f"a.{suffix}")[0] == 0
    assert run("convert", f"a.{suffix}", "-o", "b.csv")[0] == 0
    expected = pd.read_csv(LABOR, na_values="?", keep_default_na=False)
    pd.testing.assert_frame_equal(
        pd.read_csv("b.csv", keep_default_na=False, na_values=[""]), expected, check_dtype=False
    )


def test_demo_shows_a_tree_and_copies_tables(run: Run) -> None:
    status, out, _ = run("demo", "tennis")
    assert (status, "all rows" in out, "fit data.csv" in out) == (0, True, True)
    assert run("demo", "mpg", "--copy")[0] == 0
    assert Path("mpg.csv").read_text() == Path(MPG).read_text()


@pytest.mark.parametrize("installed", [False, True])
def test_the_last_lines_of_the_demo_run_where_the_program_is_not_on_the_path(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: bool
) -> None:
    if installed:  # as `make demo` finds it: in the environment's folder below this one
        script = tmp_path / "my environment" / "treewright"
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -m treewright "$@"\n')
        script.chmod(0o755)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "my environment"))
    monkeypatch.setenv("PATH", "")
    _, out, _ = run("demo", "tennis")
    program = out.rpartition(" fit data.csv")[0].splitlines()[-1].strip()
    done = subprocess.run([*shlex.split(program), "--version"], capture_output=True, text=True, check=False)
    assert done.stdout.split()[-1] == tw.__version__
    assert program.startswith("'my environment/") == installed


def test_the_demo_names_the_program_alone_where_it_is_on_the_path(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "treewright").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "\n  treewright fit data.csv" in run("demo", "tennis")[1]


def test_completion_is_a_script_that_knows_the_program(run: Run) -> None:
    status, out, _ = run("completion", "bash")
    assert (status, "_TREEWRIGHT_COMPLETE" in out) == (0, True)
    environment = os.environ | {
        "_TREEWRIGHT_COMPLETE": "bash_complete",
        "COMP_WORDS": "treewright pre",
        "COMP_CWORD": "1",
    }
    assert "plain,predict" in shell(env=environment).stdout


def test_ctrl_c_ends_a_long_fit_with_130_and_no_file(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.normal(size=(60_000, 8)), columns=[f"f{i}" for i in range(8)])
    frame["y"] = generator.integers(0, 2, len(frame))
    frame.to_parquet(tmp_path / "noise.parquet")
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "treewright", "fit", "noise.parquet", "-t", "y"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # the table is read, growing begins
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.strip()) == (130, "interrupted; nothing was written")
    assert os.listdir(tmp_path) == ["noise.parquet"]
