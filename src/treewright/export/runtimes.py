"""Runtimes: where artefacts are run to be certified, each the one that a user would run it in."""

from __future__ import annotations

import json
import math
import platform
import re
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ExportError
from treewright.export.program import Program
from treewright.export.witness import Rows


class NotInstalled(Exception):
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
        """Give the version; raises NotInstalled."""

    @abstractmethod
    def run(self, program: Program, rows: Rows) -> Outcome:
        """Answer rows."""

    def suited(self, rows: Rows) -> Rows:
        """Give the rows that the target has a form for."""
        return rows


class PythonRuntime(Runtime):
    """This interpreter."""

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


def plain_value(value: Any) -> Any:
    """Give a value as text and JSON have it: moments in ISO 8601, durations as a count of their unit."""
    if isinstance(value, np.datetime64):
        return str(value)
    return int(value.astype(np.int64)) if isinstance(value, np.timedelta64) else value


# ---- programs of their own -----------------------------------------------------------------------------


def program_path(name: str, package: str) -> str:
    """Find a program; raises NotInstalled."""
    path = shutil.which(name)
    if path is None:
        raise NotInstalled(f"{name} is not installed: apt-get install {package}")
    return path


def call(*command: str, folder: str, what: str) -> str:
    """Run a program and give what it writes; raises ExportError with its own words if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise ExportError(f"{what} failed: {' '.join((done.stderr or done.stdout).split())[-500:]}")
    return done.stdout


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


RUNTIMES: dict[str, type[Runtime]] = {"python": PythonRuntime, "javascript": NodeRuntime, "c": CRuntime}


def runtime_of(target: str, artefact: Any, options: Mapping[str, Any]) -> Runtime:
    """Give the runtime of a target."""
    if target not in RUNTIMES:
        raise ExportError(f"there is no runtime to certify {target!r} in; there are {', '.join(RUNTIMES)}.")
    return RUNTIMES[target](artefact, options)
