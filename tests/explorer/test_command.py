"""`treewright explore`: from files to the page, and what is refused."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

import treewright as tw
from helpers.interrupting import interrupt
from treewright.cli import main

TABLES = Path(tw.__file__).parent / "tables"
IRIS = str(TABLES / "iris.csv")


@pytest.fixture(name="model")
def _model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["fit", IRIS, "--target", "species", "--folds", "0", "--quiet", "--pruner", "none"]) == 0
    return "iris.tw"


def content(path: str) -> dict:
    page = Path(path).read_text(encoding="utf-8")
    return json.loads(re.search(r'application/json">(.*?)</script>', page, re.DOTALL)[1])


def test_a_model_becomes_a_page(model, capsys) -> None:
    assert main(["explore", model, "--data", IRIS, "--validation", IRIS, "--html", "page.html"]) == 0
    assert "saved to page.html" in capsys.readouterr().out
    found = content("page.html")
    assert found["classes"] == ["setosa", "versicolor", "virginica"]
    assert found["rows"]["total"] == [150, 150]
    assert found["path"]["validation"]["mean"][0] == 0


def test_a_table_becomes_a_page_judged_by_a_third_of_its_rows(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explore", IRIS, "--target", "species", "--html", "page.html", "--quiet"]) == 0
    assert content("page.html")["rows"]["total"] == [100, 50]
    mpg = str(TABLES / "mpg.csv")
    assert main(["explore", mpg, "--target", "mpg", "--html", "mpg.html", "--quiet"]) == 0
    assert content("mpg.html")["classes"] is None
    votes = str(TABLES / "votes.csv")
    assert main(["explore", votes, "-t", "party", "-a", "c4.5", "--html", "votes.html", "--quiet"]) == 0
    assert content("votes.html")["rows"] is not None


FOREST = [IRIS, "-t", "species", "-a", "forest", "--trees", "5", "--quiet"]


def test_a_forest_becomes_a_page_and_is_not_edited(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explore", *FOREST, "--html", "page.html"]) == 0
    assert content("page.html")["forest"]["curve"]["measure"] == "error"
    monkeypatch.setattr(tw.RandomForestClassifier, "fit", None)  # it is said before anything is grown
    assert main(["explore", *FOREST, "--save", "edited.tw"]) == 2
    assert "a forest is looked at and not edited" in capsys.readouterr().err


def test_a_forest_is_served(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    briefly = ["--no-browser", "--idle-minutes", "0.001"]
    assert main(["explore", *FOREST, *briefly]) == 0
    assert "Exploring at http://127.0.0.1:" in capsys.readouterr().out
    assert main(["fit", *FOREST, "--folds", "0", "--output", "forest.tw"]) == 0
    assert main(["explore", "forest.tw", "--data", IRIS, *briefly]) == 0
    assert "Exploring at http://127.0.0.1:" in capsys.readouterr().out


def test_a_taken_port_is_said_before_anything_is_grown(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("treewright.cli.explore.read_training_table", None)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert main(["explore", IRIS, "-t", "species", "--no-browser", "--port", port]) == 1
    errors = capsys.readouterr().err
    assert (
        errors == f"cannot listen at 127.0.0.1, port {port}: another program does; port 0 takes a free one.\n"
    )


def test_a_tree_too_large_for_a_browser_is_shown_pruned(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("treewright.explorer.page_data.MOST_NODES", 11)
    assert main(["explore", str(TABLES / "mpg.csv"), "-t", "mpg", "--html", "page.html"]) == 0
    assert "it is shown pruned to" in capsys.readouterr().err
    assert 3 <= len(content("page.html")["tree"]["parent"]) <= 11


def test_a_model_knows_the_name_of_its_target(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = tw.datasets.load_iris()
    assert y.name == "species"
    for name, model in {
        "a.tw": tw.TreeClassifier(),
        "b.tw": tw.RandomForestClassifier(n_estimators=2),
    }.items():
        model.fit(X, y).save(name)
        assert main(["explore", name, "--data", str(TABLES / "iris.csv"), "--html", "page.html"]) == 0
    assert not hasattr(tw.TreeClassifier().fit(X, y.to_list()), "target_name_")


def test_the_history_of_an_edited_model_is_shown(model, capsys) -> None:
    X, y = tw.datasets.load_iris()
    tw.edit(tw.load(model), X, y).prune(2).undo().relabel(1, "virginica").fitted().save("edited.tw")
    assert main(["show", "edited.tw"]) == 0
    assert "edited by hand: prune 2, undo, relabel 1" in capsys.readouterr().out
    assert main(["show", "edited.tw", "--json"]) == 0
    assert [entry["edit"] for entry in json.loads(capsys.readouterr().out)["edits"]] == [
        "prune",
        "undo",
        "relabel",
    ]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--host", "192.0.2.1"], "--allow-remote says that this is meant"),
        (["--host", "0.0.0.0", "--allow-remote"], "one address of this machine"),
        (["--host", "192.0.2.1", "--allow-remote"], "cannot listen at 192.0.2.1"),
    ],
)
def test_an_address_is_listened_at_only_if_it_is_this_machines(model, capsys, more, words) -> None:
    assert main(["explore", model, "--data", IRIS, "--no-browser", *more]) != 0
    assert words in capsys.readouterr().err


def test_what_is_refused(model, capsys) -> None:
    assert main(["explore", model]) == 2
    assert "exploring needs rows: add --data FILE" in capsys.readouterr().err
    assert main(["explore", "none.tw", "--data", IRIS]) == 4
    assert main(["explore", model, "--data", IRIS, "--html", "nowhere/page.html"]) == 2
    assert main(["explore", model, "--data", "none.csv", "--html", "page.html"]) != 0
    assert not Path("page.html").exists()


def test_it_serves_until_it_is_interrupted(model) -> None:
    command = [sys.executable, "-m", "treewright", "explore", model, "--data", IRIS, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            address = re.fullmatch(r"Exploring at http://(127\.0\.0\.1):(\d+)/#token=\S+\n", line)
            connection = HTTPConnection(address[1], int(address[2]), timeout=300)
            connection.request("GET", "/")
            assert connection.getresponse().status == 200
            connection.close()
            _, errors = interrupt(process)
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "")
