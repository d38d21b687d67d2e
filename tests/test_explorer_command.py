"""`treewright explore`: from files to the page, and what is refused."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

import treewright as tw
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
        line = process.stdout.readline()
        address = re.fullmatch(r"Exploring at http://(127\.0\.0\.1):(\d+)/#token=\S+\n", line)
        connection = HTTPConnection(address[1], int(address[2]), timeout=30)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        connection.close()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
