"""Certificates: every wrong export that changes an answer is caught, and what is not run is not certified."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.exporting import model
from treewright.errors import ExportError
from treewright.export import export_model
from treewright.export.comparisons import Cut, Lookup
from treewright.export.program import Answers, Node, Program, TreeBody
from treewright.export.program_of_model import program_of
from treewright.export.witness import extreme_rows, total


def small_model(kind: str) -> Any:
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(160, 2)) * [1, 1000], columns=["a", "b"])
    X["c"] = pd.Categorical(rng.choice(list("uvwx"), 160))
    score = X["a"] * X["b"] / 1000 + X["c"].cat.codes.to_numpy() % 2 + rng.normal(0, 0.2, 160)
    X = X.mask(rng.random(X.shape) < 0.1)
    if kind == "number":
        return tw.DecisionTreeRegressor(max_leaf_nodes=12).fit(X, score)
    missing = "surrogate" if kind == "surrogate" else "direction"
    return tw.DecisionTreeClassifier(max_leaf_nodes=12, missing=missing).fit(X, np.digitize(score, [0.1, 1]))


def with_node(program: Program, node: Node) -> Program:
    body = program.bodies[0]
    assert isinstance(body, TreeBody)
    nodes = tuple(node if other.id == node.id else other for other in body.nodes)
    return replace(program, bodies=(TreeBody(nodes, body.ends, body.answers),))


def moved(test: Cut) -> Iterator[tuple[str, Cut]]:
    cut = test.cuts[0]
    others = {
        "float32": float(np.float32(cut)),
        "< for <=": math.nextafter(cut, -math.inf),
        "15 digits": float(f"{cut:.15g}"),
        "next": math.nextafter(cut, math.inf),
    }
    return ((name, replace(test, cuts=(other,))) for name, other in others.items() if other != cut)


def mutants(program: Program) -> Iterator[tuple[str, Program]]:
    """Programs that differ from one in one test, one direction or one answer."""
    body = program.bodies[0]
    assert isinstance(body, TreeBody)
    for node in body.nodes:
        for place, test in enumerate(node.tests):
            if isinstance(test, Cut):
                others: list[tuple[str, Any]] = list(moved(test)) if math.isfinite(test.cuts[0]) else []
            else:
                others = [
                    (f"code {code}", Lookup(test.quantity, {**test.branches, code: 1 - branch}))
                    for code, branch in test.branches.items()
                ]
            for name, other in others:
                tests = (*node.tests[:place], other, *node.tests[place + 1 :])
                yield f"node {node.id} test {place} {name}", with_node(program, replace(node, tests=tests))
        if node.tests and node.default >= 0:
            flipped = replace(node, default=1 - node.default)
            yield f"node {node.id} direction", with_node(program, flipped)
    answers = body.answers
    for end in range(len(answers.proba)):
        proba, label = answers.proba.copy(), None if answers.label is None else answers.label.copy()
        if label is None:
            proba[end] = np.nextafter(proba[end], np.inf)
        else:
            proba[end] = np.roll(proba[end], 1)
            label[end] = (label[end] + 1) % proba.shape[1]
        wrong = TreeBody(body.nodes, body.ends, Answers(label, proba, proba))
        yield f"end {end} classes", replace(program, bodies=(wrong,))


def every_row(*programs: Program) -> list[dict[str, Any]]:
    """Rows of all combinations of what may matter to the programs: cuts, their neighbours, codes, missing."""
    values: list[set[float]] = [set() for _ in programs[0].inputs]
    for program in programs:
        for _, test in program.bodies[0].all_tests():
            plane = program.oblique(test.quantity)
            at, weight = (test.quantity, 1.0) if plane is None else plane.terms[0][:2]
            assert plane is None or (len(plane.terms) == 1 and abs(weight) == 1)
            for cut in test.cuts if isinstance(test, Cut) else ():
                near = (math.nextafter(cut, -math.inf), cut, math.nextafter(cut, math.inf))
                values[at].update(weight * x for x in near if math.isfinite(x))
    columns: list[list[Any]] = []
    for one, cuts in zip(programs[0].inputs, values, strict=True):
        columns.append([None, *(one.column.categories or sorted(cuts))] + ["?"] * bool(one.column.categories))
    names = [one.name for one in programs[0].inputs]
    return [dict(zip(names, row, strict=True)) for row in product(*columns)]


def answers_of(text: str, rows: list[dict[str, Any]]) -> list[Any]:
    space: dict[str, Any] = {}
    exec(text, space)
    return [
        space["predict_proba"](row) if "predict_proba" in space else space["predict"](row) for row in rows
    ]


@pytest.mark.parametrize("kind", ["class", "number", "surrogate"])
def test_every_mutant_that_changes_an_answer_is_caught(kind: str) -> None:
    fitted = small_model(kind)
    right = program_of(fitted)
    text = export_model(right, "python")
    changed = 0
    for name, wrong in mutants(right):
        mutant = export_model(wrong, "python")
        caught = bool(tw.certify(fitted, mutant, "python").mismatches)
        rows = every_row(right, wrong)
        changes = answers_of(str(text), rows) != answers_of(str(mutant), rows)
        assert caught == changes, name
        changed += changes
    assert changed > 40


@pytest.mark.parametrize(
    "target",
    ["c", "javascript", "java", "json", "onnx", "pmml", "treelite", "duckdb", "sqlite", "postgresql"],
)
def test_a_mutant_is_caught_in_every_runtime(target: str) -> None:
    fitted = model("iris")
    wrong = next(mutant for name, mutant in mutants(program_of(fitted)) if name.endswith("< for <="))
    is_sql = target in ("duckdb", "sqlite", "postgresql")
    options = {"dialect": target} if is_sql else {}
    target = "sql" if is_sql else target
    if target in ("onnx", "treelite"):
        pytest.importorskip(target)
    certificate = tw.certify(fitted, export_model(wrong, target, **options), target)
    if certificate.mismatches is None:
        pytest.skip(certificate.reason)
    assert certificate.mismatches
    assert not certificate.certified
    assert "by the model" in str(certificate)


def test_what_is_not_run_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    fitted = model("iris")
    certificate = tw.certify(fitted, fitted.export("c"), "c")
    assert (certificate.rows, certificate.mismatches, certificate.certified) == (0, None, False)
    assert str(certificate) == "not run: c (cc is not installed: apt-get install gcc)"


def test_a_file_can_be_certified(tmp_path: Any) -> None:
    fitted = model("iris")
    assert fitted.export("python", tmp_path / "iris.py") is None
    certificate = tw.certify(fitted, tmp_path / "iris.py", "python")
    assert certificate.certified
    assert certificate.rows > 40
    assert certificate.to_dict()["mismatches"] == 0


def test_a_target_that_nothing_runs_is_not_certified() -> None:
    fitted = model("iris")
    assert tw.certify(fitted, fitted.export("dot"), "dot").mismatches is None
    with pytest.raises(ExportError, match="there is no runtime to certify 'cobol' in"):
        tw.certify(fitted, "x\n", "cobol")


def test_what_cannot_be_exported_is_refused() -> None:
    with pytest.raises(ExportError, match=r"target 'sq' is unknown\. Did you mean 'sql'"):
        model("iris").export("sq")
    with pytest.raises(ExportError, match="export to python has no option 'dialect'; it has form"):
        model("iris").export("python", dialect="sqlite")
    with pytest.raises(ExportError, match="dict cannot be exported"):
        export_model({}, "sql")
    fitted = tw.DecisionTreeClassifier(predicates=[("big", lambda t: t["x"] > 2)])
    fitted.fit(pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), [0, 0, 1, 1])
    if any(feature == 1 for feature in fitted.tree_.splits.feature):
        with pytest.raises(ExportError, match="predicate 'big' is a function"):
            fitted.export("sql")


@pytest.mark.parametrize(
    ("target", "options"),
    [("python", {}), ("json", {}), ("sql", {"dialect": "sqlite"}), ("sql", {"dialect": "duckdb"})],
)
@pytest.mark.parametrize(
    "times", [pd.to_timedelta([3, -5, -5, -2], "h"), pd.to_datetime([3, -5, -5, -2], unit="D")]
)
def test_times_that_are_categories(times: Any, target: str, options: dict[str, Any]) -> None:
    model = tw.C45Classifier(binary_splits=True, categorical_features=["x"])
    model.fit(pd.DataFrame({"x": times}), list("baab"))
    assert not tw.certify(model, model.export(target, **options), target, **options).mismatches


def test_categories_that_sql_cannot_tell_apart_are_refused() -> None:
    frame = pd.DataFrame({"x": pd.to_datetime([3, -5, -5, -2], unit="ns")})
    model = tw.C45Classifier(binary_splits=True, categorical_features=["x"]).fit(frame, list("baab"))
    with pytest.raises(ExportError, match="microsecond"):
        model.export("sql", dialect="sqlite")


def test_rows_whose_sums_leave_the_doubles_are_asked_for() -> None:
    program = program_of(model("any 2"))
    totals = [total(oblique, row) for oblique in program.obliques for row in extreme_rows(program)]
    assert {math.inf, -math.inf} <= set(totals)
    assert any(map(math.isnan, totals))
    assert not extreme_rows(program_of(model("iris")))
