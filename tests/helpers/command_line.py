"""What tests of the command line share: bundled tables as files, and the program in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import treewright as tw

TABLES = Path(tw.__file__).parent / "tables"
IRIS = str(TABLES / "iris.csv")
TENNIS = str(TABLES / "tennis.csv")
MPG = str(TABLES / "mpg.csv")
LABOR = str(TABLES / "labor.csv")

Run = Callable[..., tuple[int, str, str]]
"""The fixture `run` of conftest.py: a command's arguments to its exit code, output and errors."""


def shell(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "treewright", *arguments],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
