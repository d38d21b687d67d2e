"""`treewright predict`: what a saved model says of the rows of any file."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.command_line import IRIS, TENNIS, Run, shell


def test_predict_gives_what_the_model_predicts(run: Run, iris: str) -> None:
    status, _, errors = run("predict", iris, IRIS, "--keep", "species", "--proba", "--leaf", "-o", "p.csv")
    answers, X = pd.read_csv("p.csv", dtype=str), pd.read_csv(IRIS).drop(columns="species")
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
    assert answers["leaf"].astype(int).tolist() == model.apply(X).tolist()
    shares = [[float(text) for text in row] for row in answers.filter(like="p ").to_numpy()]
    assert np.array_equal(shares, model.predict_proba(X))


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


ATTACK = ["=HYPERLINK(1)", "@SUM(1)", "+1+cmd", "-2+3", "=1", "plain", "-5", "+7.5", "a=b"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz"])
@pytest.mark.parametrize("command", ["predict", "convert"])
def test_formulas_are_quoted_for_spreadsheets(run: Run, suffix: str, command: str) -> None:
    frame = pd.DataFrame({"x": range(len(ATTACK)), "=name": ATTACK, "y": list("ab" * 4 + "a")})
    frame.to_csv("rows.csv", index=False)
    assert run("fit", "rows.csv", "-t", "y", "--ignore", "=name", "--folds", "0", "-q", "-o", "m.tw")[0] == 0
    words = (
        ("predict", "m.tw", "rows.csv", "--keep", "*") if command == "predict" else ("convert", "rows.csv")
    )
    assert run(*words, "-o", f"p.{suffix}")[0] == 0
    plain = pd.read_csv(f"p.{suffix}", sep="\t" if suffix == "tsv" else ",", dtype=str)
    assert plain["=name"].tolist() == ATTACK
    assert run(*words, "-o", f"p.{suffix}", "--spreadsheet")[0] == 0
    safe = pd.read_csv(f"p.{suffix}", sep="\t" if suffix == "tsv" else ",", dtype=str)
    assert safe["'=name"].tolist() == [*(f"'{text}" for text in ATTACK[:5]), "plain", "-5", "+7.5", "a=b"]
    assert safe["x"].tolist() == [str(number) for number in range(len(ATTACK))]
    status, _, errors = run(*words, "-o", "p.parquet", "--spreadsheet")
    assert (status, errors) == (
        2,
        "cannot write 'p.parquet' for spreadsheets: it must be a .csv or .tsv file.\n",
    )


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of POSIX")
def test_a_terminal_is_given_nothing_to_obey(run: Run, tmp_path: Path) -> None:
    import pty

    evil = "\x1b[2J\x9b31mred\x07"
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": ["plain", "plain", evil, evil]})
    frame.to_csv("rows.csv", index=False)
    assert run("fit", "rows.csv", "-t", "y", "--folds", "0", "-q", "-o", "m.tw")[0] == 0
    for words in (("predict", "m.tw", "rows.csv"), ("inspect", "m.tw"), ("inspect", "m.tw", "--json")):
        ours, theirs = pty.openpty()
        with subprocess.Popen([sys.executable, "-m", "treewright", *words], stdout=theirs) as process:
            os.close(theirs)
            shown = b""
            with suppress(OSError), open(ours, "rb", buffering=0) as terminal:  # an error when they are gone
                while piece := terminal.read(65536):
                    shown += piece
        assert process.returncode == 0
        assert b"red" in shown
        assert b"\x1b[2J" not in shown
        assert b"\x07" not in shown
        assert "\x9b".encode() not in shown
        if words[0] == "predict":
            piped = shell(*words, cwd=tmp_path).stdout
            assert evil in piped  # a file or a program gets what the class is called
