"""What other programs rely on: the form of what is exported, and one sentence where there is none."""

from __future__ import annotations

import inspect
import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.exporting import model
from treewright.errors import ExportError
from treewright.export.write import TARGETS


def holed() -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.where(X[:, 0] > 0, "b", "a")
    X[rng.random(X.shape) < 0.2] = np.nan
    return tw.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)


def test_python_takes_one_mapping_and_every_way_to_say_that_a_value_is_missing() -> None:
    fitted = holed()
    space: dict[str, Any] = {}
    exec(fitted.export("python"), space)
    for name in ("predict", "predict_proba"):
        assert len(inspect.signature(space[name]).parameters) == 1
    expected = fitted.predict_proba([[math.nan, 0.3]])[0].tolist()
    for nothing in (None, math.nan, np.float64("nan")):
        assert list(space["predict_proba"]({"x0": nothing, "x1": 0.3})) == expected
    assert "import" not in [line.split()[0] for line in fitted.export("python").splitlines() if line.split()]


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_javascript_takes_one_object_and_every_way_to_say_that_a_value_is_missing(tmp_path: Path) -> None:
    fitted = holed()
    fitted.export("javascript", tmp_path / "model.mjs")
    (tmp_path / "run.mjs").write_text(
        "import { predict, predict_proba } from './model.mjs';\n"
        "const rows = [null, NaN, undefined].map((nothing) => ({x0: nothing, x1: 0.3}));\n"
        "console.log(JSON.stringify([predict.length, predict_proba.length, rows.map(predict), "
        "rows.map((row) => Array.from(predict_proba(row)))]));\n"
    )
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, check=True, capture_output=True, text=True)
    one, two, labels, probabilities = json.loads(done.stdout)
    assert (one, two) == (1, 1)
    row = [[math.nan, 0.3]]
    assert labels == [fitted.predict(row)[0]] * 3
    assert probabilities == [fitted.predict_proba(row)[0].tolist()] * 3


@pytest.mark.parametrize("target", [*TARGETS, "sklearn"])
def test_several_targets_are_refused_in_one_sentence(target: str) -> None:
    X, y = tw.datasets.load_iris()
    both = np.column_stack([y, np.asarray(y)[::-1]])
    fitted = tw.DecisionTreeClassifier(max_depth=2).fit(X, both)
    with pytest.raises(ExportError, match="exports hold models of one target, and this model has 2: y0, y1"):
        fitted.to_sklearn() if target == "sklearn" else fitted.export(target)


@pytest.mark.parametrize("target", [name for name in TARGETS if name not in ("json", "onnx", "treelite")])
def test_an_artefact_begins_with_what_it_is(target: str) -> None:
    fitted = model("iris")
    head = fitted.export(target)[:1500]
    assert "treewright" in head
    if target in ("sql", "c", "python", "javascript", "java", "pmml"):
        assert all(
            word in head for word in ("DecisionTreeClassifier", "written 20", "petal length", "leaves")
        )


def test_without_a_path_the_text_or_the_bytes_are_given() -> None:
    fitted = model("iris")
    for target in TARGETS:
        if target in ("onnx", "treelite"):
            pytest.importorskip(target)
        content = fitted.export(target)
        assert isinstance(content, bytes if target in ("onnx", "treelite") else str)
