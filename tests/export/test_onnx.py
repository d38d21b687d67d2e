"""Models of ONNX, run by ONNX Runtime on rows on and beside every boundary."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.exporting import MAKERS, model
from treewright.errors import ExportError

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

REFUSED = [
    name
    for name in MAKERS
    if name.endswith((" surrogate", " fractional", " stay", "shared", "shared hard"))
    or name
    in ("laplace", "cart", "cart rpart", "c45", "c45 j48", "unseen majority", "id3 weka", "cart number")
    or name.startswith("any ")
]


@pytest.mark.parametrize("inputs", ["matrix", "columns"])
@pytest.mark.parametrize("name", [name for name in MAKERS if name not in REFUSED])
def test_a_graph_answers_as_the_model_does(name: str, inputs: str) -> None:
    fitted = model(name)
    if name == "dated categories" and inputs == "columns":
        with pytest.raises(ExportError, match="column 'day' has categories of several types or of times"):
            fitted.export("onnx", inputs=inputs)
        return
    certificate = tw.certify(fitted, fitted.export("onnx", inputs=inputs), "onnx", n_random=1000)
    assert certificate.mismatches == 0, str(certificate)
    assert certificate.rows > 0


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_hold_is_refused_or_the_same(name: str) -> None:
    fitted = model(name)
    content = None
    with suppress(ExportError):
        content = fitted.export("onnx", inputs="matrix")
    if content is None:
        with pytest.raises(ExportError, match="which onnx cannot hold"):
            fitted.export("onnx", inputs="matrix")
        return
    assert tw.certify(fitted, content, "onnx", n_random=1000).mismatches == 0


def test_surrogates_are_refused_by_node_and_feature() -> None:
    with pytest.raises(
        ExportError, match=r"node \d+ splits on '\w+' with surrogates, which onnx cannot hold"
    ):
        model("threshold surrogate").export("onnx")


def test_numbers_are_one_matrix_of_doubles() -> None:
    X, y = tw.datasets.load_iris()
    fitted = tw.DecisionTreeClassifier().fit(X, y)
    session = onnxruntime.InferenceSession(fitted.export("onnx"))
    given: Any = session.get_inputs()
    assert [(one.name, one.type, one.shape) for one in given] == [("X", "tensor(double)", ["rows", 4])]
    label, proba = session.run(["prediction", "probabilities"], {"X": np.asarray(X, dtype=float)})
    assert label.tolist() == fitted.predict(X).tolist()
    assert np.array_equal(proba, fitted.predict_proba(X))
