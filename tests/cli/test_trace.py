"""`treewright trace`: the learner's account of a file, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from helpers.command_line import IRIS, MPG, TENNIS, Run


def test_trace_prints_what_python_prints(run: Run) -> None:
    frame = pd.read_csv(TENNIS)
    model = tw.ID3Classifier(trace=True).fit(frame.drop(columns="PlayTennis"), frame["PlayTennis"])
    arguments = ("trace", TENNIS, "--target", "PlayTennis", "--algorithm", "id3")
    assert run(*arguments) == (0, f"{model.trace_}\n", "")
    assert run(*arguments, "--nodes", "1")[1] == f"{model.trace_.to_text(max_nodes=1)}\n"
    said = run(*arguments, "--node", "5")[1].splitlines()
    assert said[0] == "node 5: Outlook = Sunny"
    assert [line.split()[0] for line in said[4:9]] == ["1", "2", "8", "9", "11"]  # days, counted from 1


@pytest.mark.parametrize("algorithm", ["tree", "cart", "c4.5"])
def test_every_tree_has_its_account(run: Run, algorithm: str) -> None:
    status, out, errors = run("trace", IRIS, "-t", "species", "-a", algorithm, "--json")
    found = json.loads(out)
    assert (status, errors) == (0, "")
    assert found["nodes"][0]["counts"] == {"setosa": 50.0, "versicolor": 50.0, "virginica": 50.0}
    assert found["nodes"][0]["decision"].startswith("split on petal")


def test_numbers_and_pages(run: Run) -> None:
    assert "mean 23.51" in run("trace", MPG, "-t", "mpg", "--max-depth", "1")[1]
    status, out, _ = run("trace", MPG, "-t", "mpg", "--max-depth", "1", "--html", "steps.html")
    assert (status, out) == (0, "written to steps.html\n")
    page = Path("steps.html").read_text("utf-8")
    assert page.startswith('<!doctype html>\n<meta charset=utf-8>\n<div class="tw-trace">')
    assert "<script" not in page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["-a", "forest"],
            "RandomForestClassifier is no single tree: use --algorithm decision_tree, cart, c4.5 or id3",
        ),
        (["-a", "rules"], "RuleClassifier is no single tree"),
        (["--node", "99"], "--node 99: the tree has the nodes 0 to"),
        (["--html", "nowhere/steps.html"], "there is no folder"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_sentence(run: Run, options: list[str], words: str) -> None:
    status, out, errors = run("trace", TENNIS, "-t", "PlayTennis", *options)
    assert (status, out) == (2, "")
    assert words in errors
    assert errors.count("\n") == 1


def test_classes_in_an_order_of_ones_own(run: Run) -> None:
    """S4's tie: one green mushroom of each kind is toxic if that class comes first."""
    rows = "Color,Edibility\ngreen,toxic\ngreen,edible\nred,toxic\n"
    Path("m.csv").write_text(rows, "utf-8")
    arguments = ("trace", "m.csv", "-t", "Edibility", "-a", "id3", "--json")
    for order, first in (((), "edible"), (("--classes", "toxic,edible"), "toxic")):
        status, out, errors = run(*arguments, *order)
        assert (status, errors) == (0, "")
        nodes = json.loads(out)["nodes"]
        assert next(iter(nodes[0]["counts"])) == first
        assert next(n for n in nodes if n["path"] == ["Color = green"])["decision"] == f"leaf: {first}"
    frame = pd.read_csv(MPG)
    frame["big"] = (frame["cylinders"] > 4).astype(int)
    frame.to_csv("n.csv", index=False)
    out = run(
        "trace", "n.csv", "-t", "big", "--classes", "1", "--classes", "0", "--json", "--max-depth", "1"
    )[1]
    assert list(json.loads(out)["nodes"][0]["counts"]) == ["1", "0"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("Yes", "classes must name every class of the target 'PlayTennis': No is left out"),
        ("Yes,no", "classes names 'no', which is no class of the target 'PlayTennis'"),
    ],
)
def test_an_order_of_classes_is_whole(run: Run, given: str, words: str) -> None:
    status, out, errors = run("trace", TENNIS, "-t", "PlayTennis", "--classes", given)
    assert (status, out) == (3, "")
    assert words in errors
