"""Runtimes: where artefacts are run to be certified, each the one that a user would run it in."""

from __future__ import annotations

import atexit
import csv
import io
import json
import math
import os
import platform
import re
import shutil
import struct
import subprocess
import tempfile
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import Column
from treewright.errors import ExportError
from treewright.export.program import UNSEEN, Input, Program
from treewright.export.witness import Rows
from treewright.tree.decision import decide


class NotInstalledError(Exception):
    """A runtime that is not there; the words say what to install."""


class _Refused:
    """Stands for the answer of a row that is refused."""

    def __repr__(self) -> str:
        return "REFUSED"


REFUSED = _Refused()


@dataclass(frozen=True, eq=False)
class Outcome:
    """What rows were answered: a label or number each, and class probabilities where there are any."""

    prediction: list[Any]
    proba: NDArray[np.float64] | None = None


class Runtime(ABC):
    """Runs artefacts of one target.

    Parameters
    ----------
    artefact : str or bytes
    options : mapping
        How it is to be run, if it does not say so itself.
    """

    name: str

    def __init__(self, artefact: Any, options: Mapping[str, Any]) -> None:
        self.artefact = artefact
        self.options = options

    @abstractmethod
    def version(self) -> str:
        """Give the version; raises NotInstalledError."""

    @abstractmethod
    def run(self, program: Program, rows: Rows) -> Outcome:
        """Answer rows."""

    def suited(self, rows: Rows) -> Rows:
        """Give the rows that the target has a form for."""
        return rows


class NoRuntime(Runtime):
    """What is read, not run."""

    name = "none"

    def version(self) -> str:
        raise NotInstalledError("it is read by people: nothing runs it")

    def run(self, program: Program, rows: Rows) -> Outcome:
        raise NotImplementedError


class PythonRuntime(Runtime):
    """The interpreter that runs treewright."""

    name = "Python"

    def version(self) -> str:
        return platform.python_version()

    def run(self, program: Program, rows: Rows) -> Outcome:
        space: dict[str, Any] = {"__name__": "artefact"}
        exec(compile(self.artefact, "artefact.py", "exec"), space)
        names = [one.name for _, one in rows.inputs]
        columns = [[plain_value(value) for value in rows.column(at)] for at, _ in rows.inputs]
        table = zip(*columns, strict=True) if columns else (() for _ in range(len(rows)))
        prediction: list[Any] = []
        proba = None if program.classes is None else np.full((len(rows), program.width), np.nan)
        for at, values in enumerate(table):
            row = dict(zip(names, values, strict=True))
            try:
                prediction.append(space["predict"](row))
                if proba is not None:
                    proba[at] = space["predict_proba"](row)
            except ValueError:
                prediction.append(REFUSED)
        return Outcome(prediction, proba)


class JSONRuntime(PythonRuntime):
    """The same interpreter, by a module that is written from the JSON alone."""

    name = "treewright"

    def version(self) -> str:
        from treewright import __version__

        return __version__

    def run(self, program: Program, rows: Rows) -> Outcome:
        from treewright.export.json_program import read_json
        from treewright.export.python import export_python

        self.artefact = export_python(read_json(self.artefact))
        return super().run(program, rows)


def plain_value(value: Any) -> Any:
    """Give a value as text and JSON have it: moments in ISO 8601, durations as a count of their unit."""
    if isinstance(value, np.datetime64):
        return str(value)
    return int(value.astype(np.int64)) if isinstance(value, np.timedelta64) else value


# ---- programs of their own -----------------------------------------------------------------------------


def program_path(name: str, package: str) -> str:
    """Find a program; raises NotInstalledError."""
    path = shutil.which(name)
    if path is None:
        raise NotInstalledError(f"{name} is not installed: apt-get install {package}")
    return path


def call(*command: str, folder: str, what: str) -> str:
    """Run a program and give what it writes; raises ExportError with its own words if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode:
        words = (done.stderr or done.stdout).decode(errors="replace").split()
        raise ExportError(f"{what} failed: {' '.join(words)[-500:]}")
    return done.stdout.decode()  # as bytes: line ends are data


def json_value(value: Any) -> Any:
    """Give a value as JSON has it; what JSON has no form for stands in an object."""
    value = plain_value(value)
    if isinstance(value, float) and math.isinf(value):
        return {"infinite": 1 if value > 0 else -1}
    if isinstance(value, int) and abs(value) > 2**53:
        return {"whole": str(value)}
    return value


class NodeRuntime(Runtime):
    """Node.js."""

    name = "Node.js"

    def version(self) -> str:
        return call(program_path("node", "nodejs"), "--version", folder=".", what="node").strip().lstrip("v")

    def run(self, program: Program, rows: Rows) -> Outcome:
        content = {
            "names": [one.name for _, one in rows.inputs],
            "columns": [[json_value(value) for value in rows.column(at)] for at, _ in rows.inputs],
            "rows": len(rows),
        }
        script = "const treewright = (" in self.artefact
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "rows.json").write_text(json.dumps(content), encoding="utf-8")
            model = self.artefact + ("\nmodule.exports = treewright;\n" if script else "")
            name = "model.cjs" if script else "model.mjs"
            Path(folder, name).write_text(model, encoding="utf-8")
            Path(folder, "run.mjs").write_text(_NODE.replace("MODEL", name), encoding="utf-8")
            call(program_path("node", "nodejs"), "run.mjs", folder=folder, what="node")
            answers = json.loads(Path(folder, "answers.json").read_text(encoding="utf-8"))
        return outcome_of(answers, program)


def outcome_of(answers: list[Any], program: Program) -> Outcome:
    """Read answers: null for a refused row, else a label and probabilities, or a number alone."""
    prediction = [REFUSED if one is None else _label(one[0]) for one in answers]
    if program.classes is None:
        return Outcome(prediction)
    nothing = [math.nan] * program.width
    return Outcome(prediction, np.array([nothing if one is None else one[1] for one in answers], dtype=float))


def _label(value: Any) -> Any:
    return int(value["whole"]) if isinstance(value, dict) else value


_NODE = """
import * as module from "./MODEL";
import { readFileSync, writeFileSync } from "node:fs";

const model = module.default ?? module;
const { names, columns, rows } = JSON.parse(readFileSync("rows.json", "utf8"));
const read = (value) =>
  value === null || typeof value !== "object" ? value : "whole" in value ? BigInt(value.whole) : value.infinite * Infinity;
const shown = (value) => (typeof value === "bigint" ? { whole: String(value) } : value);
const answers = [];
for (let at = 0; at < rows; ++at) {
  const row = Object.create(null);
  names.forEach((name, place) => (row[name] = read(columns[place][at])));
  try {
    const answer = [shown(model.predict(row))];
    if (model.predict_proba) answer.push(model.predict_proba(row));
    answers.push(answer);
  } catch (problem) {
    if (!(problem instanceof RangeError)) throw problem;
    answers.push(null);
  }
}
writeFileSync("answers.json", JSON.stringify(answers));
"""


class CRuntime(Runtime):
    """The system's C compiler."""

    name = "cc"
    flags: tuple[str, ...] = ("-std=c99", "-O1")

    def version(self) -> str:
        shown = call(program_path("cc", "gcc"), "--version", folder=".", what="cc")
        return shown.splitlines()[0].split(" ", 1)[-1]

    def run(self, program: Program, rows: Rows) -> Outcome:
        found = re.search(r"^(int|double) (\w*)predict\(const double", self.artefact, re.MULTILINE)
        if found is None:
            raise ExportError("the artefact defines no function predict(const double *row).")
        places = [at for at, _ in rows.inputs]
        batch = program.width + 2
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "model.c").write_text(self.artefact, encoding="utf-8", errors="surrogatepass")
            harness = _C_CLASSES if program.classes is not None else _C_NUMBERS
            Path(folder, "run.c").write_text(harness.replace("PREFIX", found[2]), encoding="utf-8")
            rows.x[:, places].tofile(Path(folder, "rows"))
            call(program_path("cc", "gcc"), *self.flags, "run.c", "-o", "run", folder=folder, what="cc")
            call(str(Path(folder, "run")), str(len(rows)), folder=folder, what="the compiled artefact")
            answers = np.fromfile(Path(folder, "answers")).reshape(len(rows), -1)
        one, many = answers[:, 0], answers[:, 1]
        if not np.array_equal(one, many, equal_nan=True):
            raise ExportError("predict and predict_rows of the artefact give different answers.")
        if program.classes is None:
            return Outcome([REFUSED if math.isnan(value) else value for value in one.tolist()])
        assert answers.shape[1] == batch
        return Outcome(
            [
                program.classes[int(label)] if label >= 0 else REFUSED if math.isnan(proba) else None
                for label, proba in answers[:, [0, 2]].tolist()
            ],
            answers[:, 2:],
        )


_C_CLASSES = """
#include "model.c"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    size_t n = (size_t)atol(argv[argc - 1]), row;
    double *rows = malloc((n * PREFIXN_COLUMNS + 1) * sizeof *rows), answer[2 + PREFIXN_CLASSES];
    double *proba = malloc(n * PREFIXN_CLASSES * sizeof *proba);
    int *labels_of = malloc(n * sizeof *labels_of);
    FILE *in = fopen("rows", "rb"), *out = fopen("answers", "wb");
    if (!rows || !proba || !labels_of || !in || !out) return 1;
    if (fread(rows, sizeof *rows, n * PREFIXN_COLUMNS, in) != n * PREFIXN_COLUMNS) return 1;
    PREFIXpredict_rows(rows, n, labels_of);
    PREFIXpredict_proba_rows(rows, n, proba);
    for (row = 0; row < n; ++row) {
        const double *x = rows + row * PREFIXN_COLUMNS;
        answer[0] = PREFIXpredict(x);
        answer[1] = labels_of[row];
        if (PREFIXpredict_proba(x, answer + 2) != labels_of[row]) return 2;
        if (memcmp(answer + 2, proba + row * PREFIXN_CLASSES, PREFIXN_CLASSES * sizeof *proba)) return 3;
        fwrite(answer, sizeof *answer, 2 + PREFIXN_CLASSES, out);
    }
    return fclose(out);
}
"""

_C_NUMBERS = """
#include "model.c"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    size_t n = (size_t)atol(argv[argc - 1]), row;
    double *rows = malloc((n * PREFIXN_COLUMNS + 1) * sizeof *rows), *many = malloc(n * sizeof *many), answer[2];
    FILE *in = fopen("rows", "rb"), *out = fopen("answers", "wb");
    if (!rows || !many || !in || !out) return 1;
    if (fread(rows, sizeof *rows, n * PREFIXN_COLUMNS, in) != n * PREFIXN_COLUMNS) return 1;
    PREFIXpredict_rows(rows, n, many);
    for (row = 0; row < n; ++row) {
        answer[0] = PREFIXpredict(rows + row * PREFIXN_COLUMNS);
        answer[1] = many[row];
        fwrite(answer, sizeof *answer, 2, out);
    }
    return fclose(out);
}
"""


class JavaRuntime(Runtime):
    """A Java Development Kit."""

    name = "Java"

    def version(self) -> str:
        shown = call(program_path("javac", "default-jdk-headless"), "-version", folder=".", what="javac")
        return shown.split()[-1] if shown.split() else "unknown"

    def run(self, program: Program, rows: Rows) -> Outcome:
        name = re.search(r"^public final class ([\w$]+) \{$", self.artefact, re.MULTILINE)
        package = re.search(r"^package ([\w$.]+);$", self.artefact, re.MULTILINE)
        if name is None:
            raise ExportError("the artefact has no public class.")
        full = f"{package[1]}.{name[1]}" if package else name[1]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, f"{name[1]}.java").write_text(self.artefact, encoding="utf-8")
            harness = (
                _JAVA.replace("MODEL", full)
                .replace("ANSWER", _JAVA_CLASSES if program.classes is not None else _JAVA_NUMBERS)
                .replace("MODEL", full)
            )
            Path(folder, "TreewrightRun.java").write_text(harness, encoding="utf-8")
            self._write(Path(folder, "rows"), rows)
            quick = ("-J-XX:TieredStopAtLevel=1", "-J-Xshare:auto", "-proc:none", "-nowarn")
            javac = program_path("javac", "default-jdk-headless")
            sources = (f"{name[1]}.java", "TreewrightRun.java")
            call(javac, *quick, "-encoding", "UTF-8", "-d", ".", *sources, folder=folder, what="javac")
            run = (
                program_path("java", "default-jdk-headless"),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                ".",
                "TreewrightRun",
            )
            call(*run, folder=folder, what="java")
            lines = Path(folder, "answers").read_text(encoding="utf-8").splitlines()
        prediction: list[Any] = []
        proba = None if program.classes is None else np.full((len(rows), program.width), np.nan)
        for at, line in enumerate(lines):
            if line == "refused":
                prediction.append(REFUSED)
                continue
            first, *others = line.split()
            if proba is None or program.classes is None:
                prediction.append(float.fromhex(first))
                continue
            prediction.append(program.classes[int(first)] if int(first) >= 0 else None)
            proba[at] = [float.fromhex(one) for one in others]
        return Outcome(prediction, proba)

    @staticmethod
    def _write(path: Path, rows: Rows) -> None:
        """Write rows, column by column: a letter for the type of a value, then its bytes."""
        columns = [(one.name, rows.column(at)) for at, one in rows.inputs]
        with open(path, "wb") as file:
            file.write(struct.pack(">ii", len(rows), len(columns)))
            for name, values in columns:
                file.write(_java_text(name))
                for value in map(plain_value, values):
                    if value is None:
                        file.write(b"N")
                    elif isinstance(value, bool):
                        file.write(b"T" if value else b"F")
                    elif isinstance(value, float):
                        file.write(b"D" + struct.pack(">d", value))
                    else:
                        file.write((b"I" if isinstance(value, int) else b"S") + _java_text(str(value)))


def _java_text(text: str) -> bytes:
    data = text.encode("utf-16-be", "surrogatepass")
    return struct.pack(">i", len(data) // 2) + data


_JAVA_CLASSES = """
                    Object label = MODEL.predict(row);
                    line.append(label == null ? -1 : java.util.Arrays.asList(MODEL.CLASSES).indexOf(label));
                    for (double one : MODEL.predictProba(row)) line.append(' ').append(Double.toHexString(one));
"""

_JAVA_NUMBERS = """
                    line.append(Double.toHexString(MODEL.predict(row)));
"""

_JAVA = """
import java.io.*;
import java.math.BigInteger;
import java.util.*;

public class TreewrightRun {
    static String text(DataInputStream in) throws IOException {
        char[] text = new char[in.readInt()];
        for (int at = 0; at < text.length; ++at) text[at] = in.readChar();
        return new String(text);
    }

    static Object value(DataInputStream in) throws IOException {
        switch (in.readByte()) {
            case 'N': return null;
            case 'T': return true;
            case 'F': return false;
            case 'D': return in.readDouble();
            case 'I': return new BigInteger(text(in));
            default: return text(in);
        }
    }

    public static void main(String[] arguments) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream("rows")));
             PrintWriter out = new PrintWriter("answers", "UTF-8")) {
            int n = in.readInt(), columns = in.readInt();
            List<Map<String, Object>> rows = new ArrayList<>();
            for (int at = 0; at < n; ++at) rows.add(new HashMap<>());
            for (int column = 0; column < columns; ++column) {
                String name = text(in);
                for (Map<String, Object> row : rows) row.put(name, value(in));
            }
            for (Map<String, Object> row : rows) {
                StringBuilder line = new StringBuilder();
                try {ANSWER
                } catch (IllegalArgumentException refused) {
                    line = new StringBuilder("refused");
                }
                out.println(line);
            }
        }
    }
}
"""


# ---- other programs' models ------------------------------------------------------------------------------


class ONNXRuntime(Runtime):
    """ONNX Runtime."""

    name = "onnxruntime"

    def version(self) -> str:
        try:
            import onnxruntime
        except ImportError:
            raise NotInstalledError("onnxruntime is not installed: pip install onnxruntime") from None
        return str(onnxruntime.__version__)

    def suited(self, rows: Rows) -> Rows:
        """A graph has no way to refuse a row."""
        return rows.take(~rows.refused())

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
    if not one.has_codes or (program.unseen_is_code and one.column.kind == "categorical"):
        return x
    return np.where(x == UNSEEN, np.nan, x)


class TreeliteRuntime(Runtime):
    """treelite's own interpreter; the class is the one of most weight."""

    name = "treelite"

    def version(self) -> str:
        try:
            import treelite
        except ImportError:
            raise NotInstalledError("treelite is not installed: pip install treelite") from None
        return str(treelite.__version__)

    def suited(self, rows: Rows) -> Rows:
        """A model of treelite has no way to refuse a row."""
        return rows.take(~rows.refused())

    def run(self, program: Program, rows: Rows) -> Outcome:
        import treelite

        data = self.artefact.encode() if isinstance(self.artefact, str) else self.artefact
        model = treelite.Model.deserialize_bytes(data)
        said = treelite.gtil.predict(model, matrix_of(program, rows), nthread=1).reshape(len(rows), -1)
        if program.classes is None:
            return Outcome(said[:, 0].tolist())
        return Outcome([program.classes[best] for best in decide(said).tolist()], said)


class SklearnRuntime(Runtime):
    """scikit-learn, which compares numbers of single precision; the artefact is an estimator."""

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


class JPMMLRuntime(Runtime):
    """JPMML-Evaluator, in a Java virtual machine of this process."""

    name = "JPMML-Evaluator"
    _backend: ClassVar[Any] = None

    def version(self) -> str:
        program_path("java", "default-jdk-headless")
        try:
            return version("jpmml-evaluator")
        except PackageNotFoundError:
            raise NotInstalledError("jpmml-evaluator is not installed: pip install jpmml-evaluator") from None

    def suited(self, rows: Rows) -> Rows:
        """PMML refuses a value only where a row is asked for it."""
        return rows.take(~rows.refused())

    def run(self, program: Program, rows: Rows) -> Outcome:
        import pandas as pd
        from jpmml_evaluator import make_evaluator
        from jpmml_evaluator.jpype import JPypeBackend

        if JPMMLRuntime._backend is None:
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


# ---- databases -----------------------------------------------------------------------------------------

ID = "treewright row id"


class SQLRuntime(Runtime):
    """A database that runs a query over a table of the rows, in parentheses as any subquery."""

    types: ClassVar[dict[str, str]]

    @property
    def table(self) -> str:
        """The table that the query reads, quoted."""
        given = self.options.get("table")
        found = re.search(r"^-- table: (.*)$", self.artefact, re.MULTILINE)
        return found[1] if found else quote("data" if given is None else given)

    def columns(self, rows: Rows) -> list[tuple[str, str, list[Any]]]:
        """Give the name, type and values of each column; missing numbers are NULL and NaN by turns."""
        found = [(ID, self.types["whole"], list(range(len(rows))))]
        for at, one in rows.inputs:
            values = rows.column(at)
            kind = self._kind(one.column)
            if kind == "number":
                values = [self.nothing(row) if value is None else value for row, value in enumerate(values)]
            found.append((one.name, self.types[kind], values))
        return found

    def nothing(self, row: int) -> Any:
        """Give a missing number."""
        return math.nan if row % 2 else None

    def suited(self, rows: Rows) -> Rows:
        """A column of truth values can hold no third one."""
        x = rows.x.copy()
        for at, one in rows.inputs:
            if one.has_codes and self._kind(one.column) == "truth":
                x[x[:, at] == UNSEEN, at] = np.nan
        return Rows(rows.program, x)

    @staticmethod
    def _kind(column: Column) -> str:
        if column.kind == "numeric":
            if column.unit is None:
                return "large" if column.offset else "number"
            return column.unit.partition("[")[0] + ("_ns" if column.unit.endswith("[ns]") else "")
        kinds = {type(category) for category in column.categories}
        for kind, name in ((str, "text"), (np.datetime64, "datetime64"), (np.timedelta64, "timedelta64")):
            if kind in kinds:
                return name
        return "number" if float in kinds else "truth" if kinds == {bool} else "large" if kinds else "text"

    def query(self, program: Program) -> str:
        """Give the query for the answers alone, in the order of the rows."""
        proba = [quote(f"p_{label}") for label in program.classes or []] if self.has_proba(program) else []
        names = ", ".join([quote(ID), "prediction", *proba])
        return f"SELECT {names} FROM (\n{self.artefact}\n) AS answers ORDER BY {quote(ID)}"

    def has_proba(self, program: Program) -> bool:
        """Whether the query gives class probabilities."""
        return program.classes is not None and "p_<class>" in self.artefact

    def outcome(self, program: Program, answers: list[Any]) -> Outcome:
        """Read the answers of the query."""
        if len(answers) != len({row[0] for row in answers}):
            raise ExportError("the query gives some rows twice.")
        prediction = [row[1] for row in answers]
        if not self.has_proba(program):
            return Outcome(prediction)
        return Outcome(prediction, np.array([row[2:] for row in answers], dtype=float))


def quote(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


class DuckDBRuntime(SQLRuntime):
    """DuckDB."""

    name = "DuckDB"
    types: ClassVar[dict[str, str]] = {
        "whole": "BIGINT",
        "large": "HUGEINT",
        "number": "DOUBLE",
        "text": "VARCHAR",
        "truth": "BOOLEAN",
        "datetime64": "TIMESTAMP",
        "datetime64_ns": "TIMESTAMP_NS",
        "timedelta64": "INTERVAL",
        "timedelta64_ns": "INTERVAL",
    }

    def version(self) -> str:
        try:
            import duckdb
        except ImportError:
            raise NotInstalledError("duckdb is not installed: pip install duckdb") from None
        return str(duckdb.__version__)

    def run(self, program: Program, rows: Rows) -> Outcome:
        import duckdb

        columns = self.columns(rows)
        declared = ", ".join(f"{quote(name)} {kind}" for name, kind, _ in columns)
        with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
            path = Path(folder, "rows.csv")
            write_csv(path, columns)
            schema, dot, _ = self.table.rpartition(".")
            if dot:
                database.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            database.execute(f"CREATE TABLE {self.table} ({declared})")
            database.execute(
                f"COPY {self.table} FROM '{path}' (FORMAT csv, HEADER false, NULLSTR '\\N', QUOTE '\"', ESCAPE '\"', PARALLEL false)"
            )
            return self.outcome(program, database.execute(self.query(program)).fetchall())


def write_csv(path: Path, columns: list[tuple[str, str, list[Any]]]) -> None:
    r"""Write columns for a database to copy; missing values are \N, all others are quoted."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        for row in zip(*(values for *_, values in columns), strict=True):
            file.write(",".join(_csv(value) for value in row) + "\n")


def _csv(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, np.datetime64):
        return f'"{value}"'.replace("T", " ")
    if isinstance(value, np.timedelta64):
        return f'"{int(value.astype("m8[us]").astype(np.int64))} microseconds"'
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value).replace("inf", "Infinity")
    return '"' + str(value).replace('"', '""') + '"'


class SQLiteRuntime(SQLRuntime):
    """SQLite, as Python has it."""

    name = "SQLite"
    types: ClassVar[dict[str, str]] = dict.fromkeys(
        ("whole", "large", "truth", "timedelta64", "timedelta64_ns"), "INTEGER"
    ) | {"number": "REAL", "text": "TEXT", "datetime64": "TEXT", "datetime64_ns": "TEXT"}

    def version(self) -> str:
        try:
            import sqlite3
        except ImportError:
            raise NotInstalledError("this Python has no sqlite3") from None
        return sqlite3.sqlite_version

    def nothing(self, row: int) -> Any:
        return None

    def run(self, program: Program, rows: Rows) -> Outcome:
        import sqlite3

        columns = self.columns(rows)
        declared = ", ".join(f"{quote(name)} {kind}" for name, kind, _ in columns)
        table = self.table.rpartition(".")[2] if self.table.startswith('"main".') else self.table
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute(f"CREATE TABLE {table} ({declared})")
            values = zip(*([plain_value(one) for one in values] for *_, values in columns), strict=True)
            database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", values)
            return self.outcome(program, database.execute(self.query(program)).fetchall())


class PostgreSQLRuntime(SQLRuntime):
    """PostgreSQL: a server of its own, on a socket of its own."""

    name = "PostgreSQL"
    types: ClassVar[dict[str, str]] = {
        "whole": "bigint",
        "large": "numeric",
        "number": "float8",
        "text": "text",
        "truth": "boolean",
        "datetime64": "timestamp",
        "datetime64_ns": "timestamp",
        "timedelta64": "interval",
        "timedelta64_ns": "interval",
    }

    def version(self) -> str:
        return call(
            str(Path(server_programs(), "postgres")), "--version", folder="/", what="postgres"
        ).split()[2]

    def suited(self, rows: Rows) -> Rows:
        """PostgreSQL counts time in microseconds."""
        x = super().suited(rows).x
        for at, one in rows.inputs:
            if (one.column.unit or "").endswith("[ns]"):
                known = np.isfinite(x[:, at])
                offset = one.column.offset
                ticks = [int(tick) + offset for tick in x[known, at].tolist()]
                x[known, at] = [float(tick - tick % 1000 - offset) for tick in ticks]
        return Rows(rows.program, x)

    def run(self, program: Program, rows: Rows) -> Outcome:
        columns = self.columns(rows)
        declared = ", ".join(f"{quote(name)} {kind}" for name, kind, _ in columns)
        with tempfile.TemporaryDirectory() as folder:
            write_csv(Path(folder, "rows.csv"), columns)
            schema, dot, _ = self.table.rpartition(".")
            script = [
                "SET client_min_messages = warning;",
                "SET jit = off;",
                "BEGIN;",
                f"CREATE SCHEMA IF NOT EXISTS {schema};" if dot else "",
                f"CREATE TABLE {self.table} ({declared});",
                f"COPY {self.table} FROM STDIN WITH (FORMAT csv, NULL '\\N');",
                Path(folder, "rows.csv").read_bytes().decode() + "\\.",
                f"COPY ({self.query(program)}) TO STDOUT WITH (FORMAT csv, NULL '\\N');",
                "ROLLBACK;",
            ]
            Path(folder, "run.sql").write_bytes("\n".join(script).encode())
            socket = PostgreSQLServer.running().folder
            command = (
                "psql",
                "-X",
                "-q",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                socket,
                "-U",
                "postgres",
                "-d",
                "postgres",
            )
            text = call(*command, "-f", "run.sql", folder=folder, what="psql")
        answers = []
        for row in csv.reader(io.StringIO(text, newline="")):
            said = [None if cell == "\\N" else cell for cell in row]
            answers.append(
                [
                    int(row[0]),
                    self._label(said[1], program),
                    *(math.nan if one is None else float(one) for one in said[2:]),
                ]
            )
        return self.outcome(program, answers)

    @staticmethod
    def _label(text: str | None, program: Program) -> Any:
        if text is None or program.classes is None:
            return None if text is None else float(text)
        for label in program.classes:
            if isinstance(label, str) and text == label:
                return label
            if isinstance(label, bool):
                if text == ("t" if label else "f"):
                    return label
            elif isinstance(label, int | float) and text not in ("t", "f") and float(text) == label:
                return label
        return text


def server_programs() -> Path:
    """Find the folder with the programs of a PostgreSQL server; raises NotInstalledError."""
    program_path("psql", "postgresql")
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NotInstalledError("postgres is not installed: apt-get install postgresql")


class PostgreSQLServer:
    """A server that ends with this process, on a socket in a folder of its own."""

    _one: ClassVar[PostgreSQLServer | None] = None

    @classmethod
    def running(cls) -> PostgreSQLServer:
        """Give the server, started when it is first asked for."""
        if cls._one is None:
            cls._one = cls()
        return cls._one

    def __init__(self) -> None:
        programs = server_programs()
        self._folder = tempfile.TemporaryDirectory(prefix="treewright-")
        self.folder = self._folder.name
        data = str(Path(self.folder, "data"))
        # A server refuses to run as root.
        user: dict[str, Any] = {"user": "postgres"} if hasattr(os, "geteuid") and os.geteuid() == 0 else {}
        if user:
            shutil.chown(self.folder, "postgres")
        quiet: dict[str, Any] = {
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": self.folder,
        }
        make = [
            str(programs / "initdb"),
            "-D",
            data,
            "-A",
            "trust",
            "-U",
            "postgres",
            "-N",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        subprocess.run(make, check=True, **quiet, **user)
        options = [
            "-c",
            "listen_addresses=",
            "-c",
            "fsync=off",
            "-c",
            "unix_socket_directories=" + self.folder,
        ]
        self._process = subprocess.Popen([str(programs / "postgres"), "-D", data, *options], **quiet, **user)
        atexit.register(self.stop)
        ready = ["psql", "-X", "-h", self.folder, "-U", "postgres", "-d", "postgres", "-c", "SELECT 1"]
        for _ in range(600):
            if subprocess.run(ready, check=False, **quiet).returncode == 0:
                return
            time.sleep(0.1)
        raise ExportError("the PostgreSQL server did not start within a minute.")

    def stop(self) -> None:
        """End the server and remove what it wrote."""
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()


DATABASES: dict[str, type[SQLRuntime]] = {
    "duckdb": DuckDBRuntime,
    "sqlite": SQLiteRuntime,
    "postgresql": PostgreSQLRuntime,
}

RUNTIMES: dict[str, type[Runtime]] = {
    "python": PythonRuntime,
    "javascript": NodeRuntime,
    "c": CRuntime,
    "java": JavaRuntime,
    "json": JSONRuntime,
    "onnx": ONNXRuntime,
    "pmml": JPMMLRuntime,
    "treelite": TreeliteRuntime,
    "sklearn": SklearnRuntime,
}


def _database(artefact: Any, options: Mapping[str, Any]) -> Runtime:
    found = re.search(r"^-- dialect: (\w+)$", artefact, re.MULTILINE)
    dialect = options.get("dialect") or (found[1] if found else "duckdb")
    if dialect not in DATABASES:
        raise ExportError(f"dialect {dialect!r} is unknown. Dialects are {', '.join(DATABASES)}.")
    return DATABASES[dialect](artefact, options)


def runtime_of(target: str, artefact: Any, options: Mapping[str, Any]) -> Runtime:
    """Give the runtime of a target."""
    if target == "sql":
        return _database(artefact, options)
    if target in ("dot", "mermaid", "markdown", "latex"):
        return NoRuntime(artefact, options)
    if target not in RUNTIMES:
        known = ", ".join(["sql", *RUNTIMES])
        raise ExportError(f"there is no runtime to certify {target!r} in; there are those of {known}.")
    return RUNTIMES[target](artefact, options)
