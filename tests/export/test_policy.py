"""Trees and rules as text for papers and slides."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.exporting import MAKERS, model

HOSTILE = r"\input{x} 100% $a_1$ #1 & {~^} [b], c=d <i>*x*</i> | `y`"


@pytest.mark.parametrize("name", MAKERS)
def test_every_leaf_and_rule_is_told_once(name: str) -> None:
    fitted = model(name)
    markdown, latex = fitted.export("markdown"), fitted.export("latex")
    n_ends = markdown.count("**.") if "Otherwise" in markdown else markdown.count("→ **")
    assert n_ends == latex.count(r"\textbf{") > 0
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")


def test_a_policy_can_be_read() -> None:
    fitted = tw.DecisionTreeClassifier(max_depth=1).fit(*tw.datasets.load_iris())
    assert fitted.export("markdown").endswith(
        "- all rows\n"
        "  - petal length ≤ 2.45 → **setosa (100 %)**\n"
        "  - petal length \\> 2.45 or missing → **versicolor (50 %)**\n"
    )
    inner = fitted.export("latex", standalone=False)
    assert "[{petal length $\\le$ 2.45\\\\\\textbf{setosa (100 \\%)}}" in inner
    assert "documentclass" not in inner


def test_names_are_no_commands(tmp_path: Path) -> None:
    X = pd.DataFrame({HOSTILE: [1.0, 2.0, 3.0, 4.0]})
    fitted = tw.DecisionTreeClassifier().fit(X, np.array([HOSTILE, HOSTILE, "b", "b"]))
    latex = "\n".join(line for line in fitted.export("latex").splitlines() if not line.startswith("%"))
    assert r"\input" not in latex
    assert "<i>" not in fitted.export("markdown")
    if shutil.which("pdflatex"):
        (tmp_path / "model.tex").write_text(fitted.export("latex"), encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "model.tex"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


def test_columns_are_listed_below_their_heading() -> None:
    fitted = tw.DecisionTreeClassifier(max_depth=1).fit(*tw.datasets.load_iris())
    assert "- columns:\n  - petal " in fitted.export("markdown")


@pytest.mark.parametrize("target", ["c", "javascript", "python", "markdown"])
def test_the_branch_that_missing_values_take_says_so(target: str) -> None:
    X = [[1.0], [2.0], [3.0], [np.nan], [np.nan]]
    told = tw.DecisionTreeClassifier().fit(X, [0, 0, 1, 1, 1]).export(target)
    assert told.count("or missing") == 1
    assert told.count("2.5 or missing") == 1
    refusing = tw.DecisionTreeClassifier(missing="error").fit(X[:3], [0, 0, 1]).export(target)
    assert "or missing" not in refusing
