"""Runtimes: where exported code and models are run to be certified, each the one that a user would run it in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from treewright.errors import ExportError
from treewright.export.runtimes.base import Runtime
from treewright.export.runtimes.databases import DuckDBRuntime, PostgreSQLRuntime, SQLiteRuntime, SQLRuntime
from treewright.export.runtimes.languages import (
    CRuntime,
    JavaRuntime,
    JSONRuntime,
    NodeRuntime,
    PythonRuntime,
)
from treewright.export.runtimes.libraries import JPMMLRuntime, ONNXRuntime, SklearnRuntime, TreeliteRuntime

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


def runtime_of(target: str, artefact: Any, options: Mapping[str, Any]) -> Runtime | None:
    """Give the runtime of a target; None for one that is read by people."""
    if target == "sql":
        return _database(artefact, options)
    if target in ("dot", "mermaid", "markdown", "latex"):
        return None
    if target not in RUNTIMES:
        known = ", ".join(["sql", *RUNTIMES])
        raise ExportError(f"there is no runtime to certify {target!r} in; there are those of {known}.")
    return RUNTIMES[target](artefact, options)
