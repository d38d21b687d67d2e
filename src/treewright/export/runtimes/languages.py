"""Runtimes of source code: Python, Node.js, the C compiler, a Java Development Kit."""

from __future__ import annotations

import json
import math
import platform
import re
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import ExportError
from treewright.export.program import Program
from treewright.export.runtimes.base import (
    QUICK_JAVA,
    REFUSED,
    Outcome,
    Runtime,
    call,
    plain_value,
    program_path,
)
from treewright.export.witness import Rows


class PythonRuntime(Runtime):
    """The interpreter that runs treewright."""

    name = "Python"

    def version(self) -> str:
        return platform.python_version()

    def run(self, program: Program, rows: Rows) -> Outcome:
        space: dict[str, Any] = {"__name__": "artefact"}
        exec(compile(self.artefact, "artefact.py", "exec"), space)
        names = [one.name for _, one in rows.inputs]
        columns = [rows.column(at, plain_value) for at, _ in rows.inputs]
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

        given, self.artefact = self.artefact, export_python(read_json(self.artefact))
        try:
            return super().run(program, rows)
        finally:
            self.artefact = given  # the certificate is of the JSON


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
            "columns": [rows.column(at, json_value) for at, _ in rows.inputs],
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
            raise ExportError("the exported code defines no function predict(const double *row).")
        places = [at for at, _ in rows.inputs]
        batch = program.width + 2
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "model.c").write_text(self.artefact, encoding="utf-8", errors="surrogatepass")
            harness = _C_CLASSES if program.classes is not None else _C_NUMBERS
            Path(folder, "run.c").write_text(harness.replace("PREFIX", found[2]), encoding="utf-8")
            rows.x[:, places].tofile(Path(folder, "rows"))
            call(program_path("cc", "gcc"), *self.flags, "run.c", "-o", "run", folder=folder, what="cc")
            call(str(Path(folder, "run")), str(len(rows)), folder=folder, what="the compiled program")
            answers = np.fromfile(Path(folder, "answers")).reshape(len(rows), -1)
        one, many = answers[:, 0], answers[:, 1]
        if not np.array_equal(one, many, equal_nan=True):
            raise ExportError("predict and predict_rows of the exported code give different answers.")
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
        return self.run_all([(self, program, rows)])[0]

    @classmethod
    def run_all(cls, jobs: Sequence[tuple[JavaRuntime, Program, Rows]]) -> list[Outcome]:
        """Compile and run classes of several names at once, which takes little longer than one of them."""
        with tempfile.TemporaryDirectory() as folder:
            names = [runtime._write_class(folder) for runtime, *_ in jobs]
            Path(folder, "TreewrightRun.java").write_text(_JAVA, encoding="utf-8")
            for at, (_, _, rows) in enumerate(jobs):
                cls._write(Path(folder, f"rows{at}"), rows)
            quick = [f"-J{option}" for option in QUICK_JAVA]
            sources = [path.name for path in Path(folder).glob("*.java")]
            javac = program_path("javac", "default-jdk-headless")
            call(
                *(javac, *quick, "-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", ".", *sources),
                folder=folder,
                what="javac",
            )
            java = program_path("java", "default-jdk-headless")
            call(java, *QUICK_JAVA, "-cp", ".", "TreewrightRun", *names, folder=folder, what="java")
            return [
                cls._read(Path(folder, f"answers{at}"), program, rows)
                for at, (_, program, rows) in enumerate(jobs)
            ]

    def _write_class(self, folder: str) -> str:
        """Write the source of a class; gives its full name."""
        name = re.search(r"^public final class ([\w$]+) \{$", self.artefact, re.MULTILINE)
        package = re.search(r"^package ([\w$.]+);$", self.artefact, re.MULTILINE)
        if name is None:
            raise ExportError("the exported code has no public class.")
        Path(folder, f"{name[1]}.java").write_text(self.artefact, encoding="utf-8")
        return f"{package[1]}.{name[1]}" if package else name[1]

    @staticmethod
    def _read(path: Path, program: Program, rows: Rows) -> Outcome:
        prediction: list[Any] = []
        proba = None if program.classes is None else np.full((len(rows), program.width), np.nan)
        for at, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
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
        with open(path, "wb") as file:
            file.write(struct.pack(">ii", len(rows), len(rows.inputs)))
            for at, one in rows.inputs:
                file.write(_java_text(one.name))
                file.writelines(rows.column(at, _java_value))


def _java_value(value: Any) -> bytes:
    value = plain_value(value)
    if value is None:
        return b"N"
    if isinstance(value, bool):
        return b"T" if value else b"F"
    if isinstance(value, float):
        return b"D" + struct.pack(">d", value)
    return (b"I" if isinstance(value, int) else b"S") + _java_text(str(value))


def _java_text(text: str) -> bytes:
    data = text.encode("utf-16-be", "surrogatepass")
    return struct.pack(">i", len(data) // 2) + data


_JAVA = """
import java.io.*;
import java.lang.reflect.*;
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

    static List<Map<String, Object>> rows(String path) throws IOException {
        List<Map<String, Object>> rows = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(path)))) {
            int n = in.readInt(), columns = in.readInt();
            for (int at = 0; at < n; ++at) rows.add(new HashMap<>());
            for (int column = 0; column < columns; ++column) {
                String name = text(in);
                for (Map<String, Object> row : rows) row.put(name, value(in));
            }
        }
        return rows;
    }

    public static void main(String[] models) throws Exception {
        for (int at = 0; at < models.length; ++at) {
            Class<?> model = Class.forName(models[at]);
            Method predict = model.getMethod("predict", Map.class), predictProba = null;
            List<Object> classes = null;
            if (predict.getReturnType() != double.class) {
                predictProba = model.getMethod("predictProba", Map.class);
                Object labels = model.getField("CLASSES").get(null);
                classes = new ArrayList<>();
                for (int label = 0; label < Array.getLength(labels); ++label) classes.add(Array.get(labels, label));
            }
            try (PrintWriter out = new PrintWriter("answers" + at, "UTF-8")) {
                for (Map<String, Object> row : rows("rows" + at)) {
                    StringBuilder line = new StringBuilder();
                    try {
                        Object said = predict.invoke(null, row);
                        if (predictProba == null) {
                            line.append(Double.toHexString((Double) said));
                        } else {
                            line.append(said == null ? -1 : classes.indexOf(said));
                            for (double one : (double[]) predictProba.invoke(null, row))
                                line.append(' ').append(Double.toHexString(one));
                        }
                    } catch (InvocationTargetException problem) {
                        if (!(problem.getCause() instanceof IllegalArgumentException)) throw problem;
                        line = new StringBuilder("refused");
                    }
                    out.println(line);
                }
            }
        }
    }
}
"""
