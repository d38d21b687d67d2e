"""Models of random cases in other languages: every export answers as its model does, or is refused.

Each is run on the rows that `certify` makes of the model's own boundaries, and on rows drawn at random beside
them.
"""

from __future__ import annotations

import warnings
from typing import Any

import treewright as tw
from fuzz.cases import Case
from fuzz.invariants import REFUSALS, unforeseen
from treewright.errors import ExportError
from treewright.export.write import TARGETS

MOST_ROWS = 300
RUN: dict[str, tuple[int, str, dict[str, Any]]] = {  # each in one case of so many
    "python": (1, "python", {}),
    "json": (2, "json", {}),
    "sqlite": (2, "sql", {"dialect": "sqlite"}),
    "duckdb": (5, "sql", {"dialect": "duckdb"}),
    "onnx": (3, "onnx", {}),
    "treelite": (3, "treelite", {}),
    "javascript": (20, "javascript", {}),
    "c": (20, "c", {}),
}
READ = sorted({"dot", "mermaid", "markdown", "latex", "pmml", "java", "c", "javascript"} & set(TARGETS))
"""What is written and not run: it need only not fail."""


def check(case: Case, seed: int = 0) -> str | None:
    """Say which export of a case's model does not answer as it does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = case.fit()
        except REFUSALS:
            return None
        for name, (times, target, options) in RUN.items():
            if seed % times == 0 and (found := _wrong(model, target, options)):
                return f"{name}: {found}"
        for target in READ:
            if found := _written(model, target, {})[1]:
                return f"{target}: {found}"
    return None


def _written(model: Any, target: str, options: dict[str, Any]) -> tuple[Any, str | None]:
    """Export a model, and say what goes wrong; `ExportError` is a refusal."""
    try:
        return model.export(target, **options), None
    except ExportError as problem:
        return None, unforeseen(problem)
    except Exception as problem:
        return None, f"{type(problem).__name__}: {problem}"


def _wrong(model: Any, target: str, options: dict[str, Any]) -> str | None:
    artefact, found = _written(model, target, options)
    if artefact is None:
        return found
    try:
        certificate = tw.certify(model, artefact, target, max_rows=MOST_ROWS, n_random=20, **options)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    if certificate.mismatches:
        return f"{certificate.mismatches} of {certificate.rows} rows; {certificate.examples[0]}"
    return None
