"""Runtimes of models: ONNX Runtime, treelite, scikit-learn, JPMML-Evaluator."""

from __future__ import annotations

import math
import warnings
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from treewright.export.comparisons import UNSEEN, Input
from treewright.export.program import Program
from treewright.export.runtimes.base import (
    QUICK_JAVA,
    REFUSED,
    NotInstalledError,
    Outcome,
    Runtime,
    package_version,
    program_path,
)
from treewright.export.witness import Rows
from treewright.tree.decision import decide


class ModelRuntime(Runtime):
    """Runs models that have no way to refuse a row."""

    def suited(self, rows: Rows) -> Rows:
        return rows.take(~rows.refused())


class ONNXRuntime(ModelRuntime):
    """ONNX Runtime."""

    name = "onnxruntime"

    def version(self) -> str:
        return package_version("onnxruntime")

    def run(self, program: Program, rows: Rows) -> Outcome:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        model = self.artefact.encode() if isinstance(self.artefact, str) else self.artefact
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        matrix = session.get_modelmeta().custom_metadata_map["inputs"] == "matrix"
        feed = {"X": matrix_of(program, rows)} if matrix else self._columns(rows)
        names = {one.name for one in session.get_inputs()}
        found = session.run(None, {name: values for name, values in feed.items() if name in names})
        prediction = found[0].tolist()
        return Outcome(prediction, None if program.classes is None else found[1])

    @staticmethod
    def _columns(rows: Rows) -> dict[str, Any]:
        feed: dict[str, Any] = {"X": np.zeros((len(rows), 1))}
        for at, one in rows.inputs:
            values: list[Any] = rows.x[:, at].tolist()
            if one.has_codes:
                values = rows.column(at)
            if any(isinstance(category, str) for category in one.column.categories):
                texts = ["" if value is None else value for value in values]
                feed[one.name] = np.array(texts, dtype=object).reshape(-1, 1)
            else:
                numbers = [math.nan if value is None else float(value) for value in values]
                feed[one.name] = np.array(numbers).reshape(-1, 1)
        return feed


def matrix_of(program: Program, rows: Rows) -> NDArray[np.float64]:
    """Give rows as a matrix of all columns of the table, categories as codes."""
    x = np.zeros((len(rows), program.schema.n_inputs))
    for at, one in rows.inputs:
        x[:, one.feature] = known_codes(program, one, rows.x[:, at])
    return x


def known_codes(program: Program, one: Input, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give codes as models take them that have no categories: one never seen is missing, or −1."""
    if not one.has_codes or program.unseen(one) == "coded":
        return x
    return np.where(x == UNSEEN, np.nan, x)


class TreeliteRuntime(ModelRuntime):
    """treelite's own interpreter; the class is the one of most weight."""

    name = "treelite"

    def version(self) -> str:
        return package_version("treelite")

    def run(self, program: Program, rows: Rows) -> Outcome:
        import treelite

        data = self.artefact.encode() if isinstance(self.artefact, str) else self.artefact
        model = treelite.Model.deserialize_bytes(data)
        said = treelite.gtil.predict(model, matrix_of(program, rows), nthread=1).reshape(len(rows), -1)
        if program.classes is None:
            return Outcome(said[:, 0].tolist())
        return Outcome([program.classes[best] for best in decide(said).tolist()], said)


class SklearnRuntime(Runtime):
    """scikit-learn, which compares numbers of single precision; the export is an estimator."""

    name = "scikit-learn"

    def version(self) -> str:
        return version("scikit-learn")

    def suited(self, rows: Rows) -> Rows:
        """Rows of single precision, on and beside what boundaries are there."""
        rows = rows.take(~rows.refused())
        with np.errstate(over="ignore"):
            x = rows.x.astype(np.float32).astype(np.float64)
        every = [x]
        for beside in (-np.inf, np.inf):
            every.append(np.nextafter(x.astype(np.float32), np.float32(beside)).astype(np.float64))
        return Rows(rows.program, np.where(np.isinf(np.concatenate(every)), 0.0, np.concatenate(every)))

    def run(self, program: Program, rows: Rows) -> Outcome:
        x = matrix_of(program, rows).astype(np.float32)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            prediction = self.artefact.predict(x).tolist()
            proba = None if program.classes is None else self.artefact.predict_proba(x)
        return Outcome(prediction, proba)


class JPMMLRuntime(ModelRuntime):
    """JPMML-Evaluator, in a Java virtual machine of this process; PMML refuses only what a row is asked for."""

    name = "JPMML-Evaluator"
    _backend: ClassVar[Any] = None

    def version(self) -> str:
        program_path("java", "default-jdk-headless")
        try:
            return version("jpmml-evaluator")
        except PackageNotFoundError:
            raise NotInstalledError("jpmml-evaluator is not installed: pip install jpmml-evaluator") from None

    def suited(self, rows: Rows) -> Rows:
        """Rows whose sums do not leave the doubles: the evaluator refuses others."""
        rows = super().suited(rows)
        huge = (np.abs(rows.x) > 1e150) & np.isfinite(rows.x)
        return rows.take(np.flatnonzero(~huge.any(axis=1))) if rows.program.obliques else rows

    def run(self, program: Program, rows: Rows) -> Outcome:
        import jpype
        import pandas as pd
        from jpmml_evaluator import make_evaluator
        from jpmml_evaluator.jpype import JPypeBackend

        if JPMMLRuntime._backend is None:
            with patch.object(jpype, "startJVM", partial(jpype.startJVM, *QUICK_JAVA)):
                JPMMLRuntime._backend = JPypeBackend()
        text = self.artefact.encode() if isinstance(self.artefact, str) else self.artefact
        evaluator = make_evaluator(text, backend=JPMMLRuntime._backend)
        columns: dict[str, Any] = {} if rows.inputs else {"none": pd.Series(0.0, index=range(len(rows)))}
        for at, one in rows.inputs:
            values = rows.column(at)
            if any(type(category) is int for category in one.column.categories):
                values = [None if value is None else float(value) for value in values]
            columns[one.name] = pd.Series(values, dtype=object)
        table = pd.DataFrame(columns, index=range(len(rows)))
        found = evaluator.evaluateAll(table, parallelism=1)
        failed = found["errors"].notna() if "errors" in found else pd.Series(False, index=table.index)
        wrong = [str(one) for one in found["errors"][failed]] if "errors" in found else []
        answers = found["prediction"].tolist()
        if program.classes is None:
            said = [REFUSED if bad else answer for answer, bad in zip(answers, failed, strict=True)]
            return Outcome(said)
        label_of = {str(label): label for label in program.classes}
        prediction = [
            REFUSED if bad else label_of.get(str(answer), (answer, wrong[:1]))
            for answer, bad in zip(answers, failed, strict=True)
        ]
        names = [f"probability({label})" for label in program.classes]
        return Outcome(prediction, found[names].to_numpy(dtype=float))
