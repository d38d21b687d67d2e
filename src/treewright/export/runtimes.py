"""Runtimes: where artefacts are run to be certified, each the one that a user would run it in."""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
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


RUNTIMES: dict[str, type[Runtime]] = {"python": PythonRuntime}


def runtime_of(target: str, artefact: Any, options: Mapping[str, Any]) -> Runtime:
    """Give the runtime of a target."""
    if target not in RUNTIMES:
        raise ExportError(f"there is no runtime to certify {target!r} in; there are {', '.join(RUNTIMES)}.")
    return RUNTIMES[target](artefact, options)
