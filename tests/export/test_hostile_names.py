"""Names and values of any text are data in every target, never code."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import ExportError

NAMES = [
    "it's",
    'say "no"',
    "a\nb\r\tc",
    "*/ int main() { return 1; } /*",
    "'); DROP TABLE data; --",
    '"; DROP TABLE data; --',
    "</script><script>alert(1)</script>",
    "${process.exit(1)} `x`",
    "\\u000a \\ \\' %s {x}",
    "\u2028 ü 漢 🎄 \u202e",
    "__proto__",
    "constructor",
    "SELECT",
    "'''\"\"\"",
    "-- ",
    "??/ ??'",
]
TARGETS = ["python", "javascript", "c", "java", "json", "onnx", "pmml", "duckdb", "sqlite", "postgresql"]


@cache
def hostile_model() -> Any:
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame({name: rng.normal(size=n) for name in NAMES})
    X["kind 'of' \"thing\""] = pd.Categorical(rng.choice(NAMES, n), NAMES)
    score = sum(np.sign(X[name]) * (place + 1) for place, name in enumerate(NAMES))
    effect = X.iloc[:, -1].cat.codes.to_numpy() % 3 * 40
    y = np.array(NAMES[:4])[np.digitize(score + effect, [-30, 20, 70])]
    return tw.DecisionTreeClassifier(random_state=0).fit(X, y)


REFUSED = {"\x01": {"pmml"}, "\x00": {"pmml", "sql"}, "\uffff": {"pmml"}, "\ud800": {"pmml", "sql", "onnx"}}
"""What some targets have no way to write; the others do."""


@pytest.mark.parametrize("odd", REFUSED)
@pytest.mark.parametrize("where", ["category", "class"])
@pytest.mark.parametrize("target", ["python", "c", "json", "onnx", "pmml", "sql"])
def test_characters_that_a_target_cannot_hold_are_refused(target: str, where: str, odd: str) -> None:
    if target == "onnx":
        pytest.importorskip("onnx")
    kinds = np.array([f"a{odd}a" if where == "category" else "a", "b", "c", "d"], object)
    X = pd.DataFrame({"kind": pd.Series(np.tile(kinds, 50), dtype=object)})
    y = np.where(np.arange(200) % 4 < 2, f"y{odd}es" if where == "class" else "yes", "no")
    fitted = tw.DecisionTreeClassifier().fit(X, y)
    if target in REFUSED[odd]:
        with pytest.raises(ExportError, match="cannot hold"):
            fitted.export(target)
    else:
        assert not tw.certify(fitted, fitted.export(target), target).mismatches


@pytest.mark.parametrize("form", ["auto", "table"])
@pytest.mark.parametrize("target", TARGETS)
def test_names_are_data(target: str, form: str) -> None:
    fitted = hostile_model()
    is_sql = target in ("duckdb", "sqlite", "postgresql")
    has_form = target not in ("java", "json", "onnx", "pmml")
    if target == "onnx":
        pytest.importorskip("onnx")
    options: dict[str, Any] = {"form": form} if has_form else {}
    if is_sql:
        options |= {"dialect": target, "table": "t\"; DROP TABLE x; -- '\\", "proba": True}
    artefact = fitted.export("sql" if is_sql else target, **options)
    certificate = tw.certify(fitted, artefact, "sql" if is_sql else target, n_random=100)
    if certificate.mismatches is None:
        pytest.skip(certificate.reason)
    assert certificate.mismatches == 0, str(certificate)


@pytest.mark.parametrize("name", ["prediction", "Prediction", "p_b"])
def test_a_column_may_not_be_called_as_an_answer_of_the_query(name: str) -> None:
    fitted = tw.DecisionTreeClassifier().fit(pd.DataFrame({name: [1.0, 2.0]}), ["a", "b"])
    with pytest.raises(ExportError, match=f"column '{name}' has the name of an answer"):
        fitted.export("sql", proba=True)
