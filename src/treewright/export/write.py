"""Targets: what a model can be written as, and how."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from treewright.errors import ExportError
from treewright.export.program_of_model import program_of
from treewright.formatting.suggestions import nearest


@dataclass(frozen=True)
class Target:
    """What writes a target, what its files are called, and what it is."""

    module: str
    function: str
    suffix: str
    summary: str

    def writer(self) -> Callable[..., str | bytes]:
        """Load what writes it."""
        function: Callable[..., str | bytes] = getattr(import_module(self.module), self.function)
        return function


def _target(name: str, suffix: str, summary: str) -> Target:
    return Target(f"treewright.export.{name}", f"export_{name}", suffix, summary)


TARGETS: dict[str, Target] = {
    "sql": _target("sql", ".sql", "a SELECT for DuckDB, SQLite or PostgreSQL"),
    "python": _target("python", ".py", "a module without imports"),
    "c": _target("c", ".c", "one file of C99 without dependencies"),
    "javascript": _target("javascript", ".mjs", "an ES module, or a script for a page"),
    "java": _target("java", ".java", "a class without dependencies"),
    "onnx": _target("onnx", ".onnx", "a TreeEnsemble in double precision for ONNX Runtime"),
    "treelite": _target("treelite", ".treelite", "a model of treelite: binary trees, sets of categories"),
    "pmml": _target("pmml", ".pmml", "a model of PMML 4.4"),
    "json": Target(
        "treewright.export.json_program", "export_json", ".json", "plain values, to read back or elsewhere"
    ),
    "dot": Target("treewright.export.diagrams", "export_dot", ".dot", "a graph for Graphviz"),
    "mermaid": Target(
        "treewright.export.diagrams", "export_mermaid", ".mmd", "a flowchart for Markdown pages"
    ),
    "markdown": Target(
        "treewright.export.policy", "export_markdown", ".md", "the policy as a list, to be read"
    ),
    "latex": Target("treewright.export.policy", "export_latex", ".tex", "the policy for papers and slides"),
}
"""Every target by name."""


def export_model(model: Any, target: str, **options: Any) -> str | bytes:
    """Write a fitted model as something else.

    Parameters
    ----------
    model : fitted model of treewright, or RuleSet
    target : str
        One of `TARGETS`.
    **options
        Of the target.

    Returns
    -------
    str or bytes
    """
    if target not in TARGETS:
        hint = nearest(str(target), TARGETS)
        raise ExportError(f"target {target!r} is unknown.{hint} Targets are {', '.join(TARGETS)}.")
    write = TARGETS[target].writer()
    allowed = [name for name in inspect.signature(write).parameters if name != "program"]
    for name in options:
        if name not in allowed:
            has = f"it has {', '.join(allowed)}" if allowed else "it has none"
            raise ExportError(f"export to {target} has no option {name!r}; {has}.")
    return write(program_of(model), **options)
