"""The commands that read a saved model: `treewright show`, `evaluate`, `prune`, `rules` and `explain`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from helpers.command_line import IRIS, LABOR, TENNIS, Run
from treewright.persistence.container import read_model, write_model


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
    for estimate in ("holdout", "smoothed"):
        X, y = tw.datasets.load_iris()
        expected = str(rules.prune(X, y, estimate=estimate))
        assert run("rules", iris, IRIS, "--prune", "--estimate", estimate)[1] == f"{expected}\n"
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
    run("fit", TENNIS, "-t", "PlayTennis", "-a", "c4.5", "-o", "t.tw", "-q", "--folds", "0")
    Path("b.csv").write_text("Outlook,Temperature,Humidity,Wind\nFoggy,Hot,High,Weak\n")
    status, out, _ = run("explain", "t.tw", "b.csv")
    assert (status, "Foggy" in out) == (0, True)


def test_prune_asks_for_the_rows_it_needs(run: Run, iris: str) -> None:
    status, _, errors = run("prune", iris, "--method", "reduced_error")
    assert (status, "needs rows: add DATA" in errors) == (2, True)
    assert run("prune", iris, IRIS, "--method", "reduced_error", "-o", "r.tw")[0] == 0
    assert run("prune", iris, IRIS, "--method", "cost_complexity:cv=5", "-o", "c.tw")[0] == 0


def test_one_node_names_the_features_that_its_surrogates_leave_out(run: Run) -> None:
    frame = pd.DataFrame({"a": range(40), "b": [2 * k for k in range(40)], "c": [k % 2 for k in range(40)]})
    frame["y"] = ["no"] * 20 + ["yes"] * 20
    frame.to_csv("data.csv", index=False)
    assert run("fit", "data.csv", "-t", "y", "-a", "cart", "-q", "--folds", "0", "-o", "cart.tw")[0] == 0
    out = run("show", "cart.tw", "--node", "0")[1]
    assert "left out: c (no better than following the larger branch" in out
    found = json.loads(run("show", "cart.tw", "--node", "0", "--json")[1])
    assert found["left_out_of_surrogates"] == ["c"]
    assert [one["feature"] for one in found["surrogates"]] == ["b"]


@pytest.mark.parametrize("command", [["show"], ["rules"], ["explain", IRIS]])
def test_reading_a_tree_does_not_wait_for_scikit_learn(run: Run, iris: str, command: list[str]) -> None:
    code = (
        "import sys; from treewright.cli import main; "
        f"status = main([{command[0]!r}, {iris!r}, *{command[1:]!r}]); "
        "assert status == 0 and not {'sklearn', 'scipy', 'pandas'} & set(sys.modules), sorted(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-300:]


@pytest.mark.parametrize("algorithm", ["tree", "decision_tree", "cart", "c4.5", "forest"])
def test_a_tree_is_shown_as_its_estimator_has_it(run: Run, algorithm: str) -> None:
    run("fit", LABOR, "-t", "contract", "-a", algorithm, "-q", "--folds", "0", "-o", "a.tw")
    model = tw.load("a.tw")
    frame = pd.read_csv(LABOR, na_values="?")
    row = frame[list(model.feature_names_in_)].iloc[4]
    assert (
        str(model.explain(row.where(row.notna(), None).to_dict()))
        in run("explain", "a.tw", LABOR, "--row", "5")[1]
    )
    if algorithm != "forest":
        assert str(model.tree_) in run("show", "a.tw")[1]
        assert str(model.rules()) in run("rules", "a.tw")[1]
