"""What runtimes share: how exported code is run, what came of it, what is not installed."""

from __future__ import annotations

import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ExportError
from treewright.export.program import Program
from treewright.export.witness import Rows


class NotInstalledError(Exception):
    """A runtime that is not there; the words say what to install."""


class _Refused:
    """Stands for the answer of a row that is refused."""

    def __repr__(self) -> str:
        return "REFUSED"


REFUSED = _Refused()

QUICK_JAVA = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
"""How to start Java for work of seconds: it takes half the time."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What rows were answered: a label or number each, and class probabilities where there are any."""

    prediction: list[Any]
    proba: NDArray[np.float64] | None = None


class Runtime(ABC):
    """Runs exports to one target.

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


def plain_value(value: Any) -> Any:
    """Give a value as text and JSON have it: moments in ISO 8601, durations as a count of their unit."""
    if isinstance(value, np.datetime64):
        return str(value)
    return int(value.astype(np.int64)) if isinstance(value, np.timedelta64) else value


def package_version(name: str) -> str:
    """Give the version of a Python package; raises NotInstalledError."""
    try:
        return str(import_module(name).__version__)
    except ImportError:
        raise NotInstalledError(f"{name} is not installed: pip install {name}") from None


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
