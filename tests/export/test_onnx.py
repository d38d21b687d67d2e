"""Models of ONNX, run by ONNX Runtime on rows on and beside every boundary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.exporting import MAKERS, model
from treewright.errors import ExportError
from treewright.export.program import SHARE, TreeBody
from treewright.export.program_of_model import program_of

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def is_held(fitted: Any) -> bool:
    """Whether no node has surrogates or shares rows, and every leaf has a class or a number."""
    program = program_of(fitted)
    bodies = program.bodies
    if program.linear is not None:
        return False
    nodes = [node for body in bodies if isinstance(body, TreeBody) for node in body.nodes if node.tests]
    return all(len(node.tests) == 1 and node.default != SHARE for node in nodes) and all(
        body.answers.label is None or (body.answers.label >= 0).all() for body in bodies
    )


@pytest.mark.parametrize("inputs", ["matrix", "columns"])
@pytest.mark.parametrize("name", MAKERS)
def test_a_graph_answers_as_the_model_does(name: str, inputs: str) -> None:
    fitted = model(name)
    if not is_held(fitted):
        with pytest.raises(ExportError, match="which onnx cannot hold"):
            fitted.export("onnx", inputs=inputs)
    elif name == "dated categories" and inputs == "columns":
        with pytest.raises(ExportError, match="column 'day' has categories of several types or of times"):
            fitted.export("onnx", inputs=inputs)
    else:
        certificate = tw.certify(fitted, fitted.export("onnx", inputs=inputs), "onnx", n_random=1000)
        assert certificate.mismatches == 0, str(certificate)
        assert certificate.rows > 0


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
