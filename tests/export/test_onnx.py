"""Models of ONNX, run by ONNX Runtime on rows on and beside every boundary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.exporting import MAKERS, examination, model
from treewright.errors import ExportError
from treewright.export.onnx import export_onnx
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
        certificate = examination(name).certify(fitted.export("onnx", inputs=inputs), "onnx")
        assert certificate.mismatches == 0, str(certificate)
        assert certificate.rows > 0


def test_classes_as_likely_but_for_rounding_are_a_tie() -> None:
    X, y = [[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 0]
    fitted = tw.ExtraTreesClassifier(2, random_state=0).fit(X, y, sample_weight=[1.0, 1 + 3e-13, 1.0, 1.0])
    proba = fitted.predict_proba([[0.0]])[0]
    assert proba[0] < proba[1]
    certificate = tw.certify(fitted, fitted.export("onnx"), "onnx")
    assert certificate.mismatches == 0, str(certificate)
    assert fitted.predict([[0.0]]).tolist() == [0]


def test_factors_next_to_one_count() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    program = program_of(
        tw.DecisionTreeClassifier(splits=("hyperplane",), max_depth=1).fit(X, X.sum(axis=1) > 1)
    )
    factor = 1 + 9e-9
    (plane,) = program.obliques
    program = replace(program, obliques=(replace(plane, terms=((0, factor), (1, factor))),))
    (cut,) = program.bodies[0].nodes[0].tests[0].cuts  # type: ignore[union-attr]
    rows = cut / 2 * (1 + np.array([[0.0, 0.0], [-1e-9, 0.0], [-3e-8, 0.0], [1e-9, 1e-9]]))
    session = onnxruntime.InferenceSession(export_onnx(program, inputs="matrix"))
    label, _ = session.run(None, {"X": rows})
    above = factor * rows[:, 0] + factor * rows[:, 1] > cut
    assert above.tolist() == [True, True, False, True]
    assert label.tolist() == above.tolist()


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
