"""`treewright export`: a model in the language of another program."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from helpers.command_line import IRIS, Run


def test_a_query_scores_a_table(run: Run, iris: str) -> None:
    options = ("--to", "sql", "--dialect", "sqlite", "--table", "flowers", "--proba", "-o", "score.sql")
    status, out, _ = run("export", iris, *options)
    assert (status, "written to score.sql" in out) == (0, True)
    frame = pd.read_csv(IRIS)
    database = sqlite3.connect(":memory:")
    frame.to_sql("flowers", database, index=False)
    found = pd.read_sql(Path("score.sql").read_text(encoding="utf-8"), database)
    database.close()
    model = tw.load(iris)
    assert found[frame.columns].equals(frame)
    assert found["prediction"].tolist() == model.predict(frame.drop(columns="species")).tolist()  # type: ignore[attr-defined]
    assert list(found.columns[-3:]) == ["p_setosa", "p_versicolor", "p_virginica"]


def test_the_result_is_certified(run: Run, iris: str) -> None:
    status, out, _ = run(
        "export", iris, "--to", "python", "-o", "iris.py", "--certify", "--random-rows", "50"
    )
    assert status == 0
    assert "certified: python in Python" in out
    found = json.loads(run("export", iris, "--to", "json", "--certify", "--json")[1])
    assert found["certificate"]["mismatches"] == 0
    assert found["certificate"]["rows"] >= 10


def test_what_the_model_is_stands_first(run: Run, iris: str) -> None:
    _, out, _ = run("export", iris, "--to", "c", "--set", "prefix=iris_")
    first = out.split("#include")[0]
    assert "treewright" in first
    assert "written 20" in first
    assert "petal" in first
    assert "iris_predict(" in out


def test_the_help_has_examples(run: Run) -> None:
    _, out, _ = run("export", "--help")
    assert "treewright export iris.tw --to sql --table flowers --output score.sql" in out
    assert "mermaid" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--to", "sqll"), "Did you mean 'sql'?"),
        (("--to", "sql", "--dialect", "oracle"), "dialect 'oracle' is unknown"),
        (("--to", "python", "--set", "colour=1"), "has no option 'colour'"),
        (("--to", "c", "--set", "prefix=1x"), "prefix must be"),
    ],
)
def test_mistakes_are_told_in_a_sentence(run: Run, iris: str, arguments: tuple[str, ...], words: str) -> None:
    status, _, errors = run("export", iris, *arguments)
    assert status == 2
    assert words in errors
