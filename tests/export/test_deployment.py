"""All that docs/export.md says of deployment is run as it stands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.cli import main
from treewright.export.runtimes.base import NotInstalledError
from treewright.export.runtimes.databases import PostgreSQLServer

PAGE = (Path(__file__).parent.parent.parent / "docs" / "export.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Deployment")[2].partition("\n## ")[0]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the commands of the page have been run."""
    monkeypatch.chdir(tmp_path)
    for line in re.findall(r"^\$ treewright (.*)$", blocks("console")[0], re.MULTILINE):
        if "onnx" not in line or can_import("onnx"):
            assert main(line.split()) == 0
    return tmp_path


def can_import(name: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(name) is not None


def expected() -> Any:
    return tw.load("iris.tw").predict(pd.read_csv("iris.csv").drop(columns="species"))  # type: ignore[attr-defined]


def functions() -> dict[str, Any]:
    space: dict[str, Any] = {}
    for code in blocks("python"):
        exec(code, space)
    return space


@pytest.mark.usefixtures("folder")
def test_duckdb_scores_the_table() -> None:
    found = functions()["score_in_duckdb"]()
    assert found["prediction"].tolist() == expected().tolist()
    assert list(found.columns) == [*pd.read_csv("iris.csv").columns, "prediction"]


@pytest.mark.usefixtures("folder")
def test_postgresql_has_a_view() -> None:
    try:
        server = PostgreSQLServer.running()
    except NotInstalledError as problem:
        pytest.skip(str(problem))
    place = os.environ | {"PGHOST": server.folder, "PGUSER": "postgres", "PGDATABASE": "postgres"}
    done = subprocess.run(
        ["sh", "-ec", blocks("sh")[0]], env=place, check=True, capture_output=True, text=True
    )
    subprocess.run(["psql", "-qc", "DROP TABLE flowers CASCADE"], env=place, check=True, capture_output=True)
    assert int(done.stdout.split()[-1]) == (expected() == pd.read_csv("iris.csv")["species"]).sum()


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")
def test_a_c_program_predicts(folder: Path) -> None:
    (folder / "main.c").write_text(blocks("c")[0], encoding="utf-8")
    done = subprocess.run(["sh", "-ec", blocks("sh")[1]], check=True, capture_output=True, text=True)
    assert done.stdout == "versicolor\n"


@pytest.mark.usefixtures("folder")
def test_onnx_runtime_scores_the_table() -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    rows = pd.read_csv("iris.csv").drop(columns="species").to_numpy(np.float64)
    assert functions()["score_by_onnx"](rows).tolist() == expected().tolist()


def test_a_page_predicts(folder: Path, browser: Any) -> None:
    (folder / "page.html").write_text(blocks("html")[0], encoding="utf-8")
    page = browser.new_page()
    page.goto(f"file://{folder}/page.html")
    assert page.text_content("#answer") == "versicolor"
    page.fill("#length", "1.2")
    assert page.text_content("#answer") == "setosa"
    page.close()
