"""Count what a reader of treewright goes through: modules, layers, calls from file to file, and their time.

    python tools/count_calls.py

It counts the treewright of the interpreter that runs it, so that two versions, each in an environment of its
own, can be put side by side. A call counts if a function of one file of treewright calls one of another.
Times are those of the processor, the least of several runs.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pandas as pd
from sklearn.datasets import load_iris

import treewright
from treewright import DecisionTreeClassifier

PACKAGE = Path(treewright.__file__).parent
ROOT = PACKAGE.parent.parent
CO_GENERATOR = 0x20


def calls_between_files(action: Callable[[], object]) -> int:
    """Count the calls from one file of the package to another; a generator counts when it is first run."""
    home, count, begun = f"{PACKAGE}{os.sep}", 0, set[FrameType]()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        caller = frame.f_back
        if event != "call" or caller is None:
            return
        code: CodeType = frame.f_code
        if code.co_flags & CO_GENERATOR:
            if frame in begun:
                return
            begun.add(frame)
        one, other = caller.f_code.co_filename, code.co_filename
        count += one != other and one.startswith(home) and other.startswith(home)

    sys.setprofile(watch)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def least_time(action: Callable[[], object], repeats: int) -> float:
    """Give the least processor time of an action in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def least_time_of_process(words: list[str], folder: str, repeats: int = 8) -> float:
    """Give the least processor time of a command in seconds."""
    times = []
    for _ in range(repeats):
        start = os.times()
        subprocess.run([sys.executable, *words], cwd=folder, check=True, capture_output=True)
        end = os.times()
        times.append(end.children_user - start.children_user + end.children_system - start.children_system)
    return min(times)


def command_line(words: list[str], folder: str) -> Callable[[], object]:
    """Make an action of a command of treewright, run in this process."""

    def run() -> None:
        before = sys.argv, Path.cwd()
        sys.argv = ["treewright", *words]
        os.chdir(folder)
        try:
            with contextlib.suppress(SystemExit):
                runpy.run_module("treewright", run_name="__main__", alter_sys=True)
        finally:
            sys.argv = before[0]
            os.chdir(before[1])

    return run


def silently(action: Callable[[], object]) -> object:
    """Run an action, its screen thrown away."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return action()


def n_layers() -> int:
    """Count the layers of the import contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return max(len(contract.get("layers", ())) for contract in contracts)


def main() -> None:
    """Print the counts."""
    print(f"treewright {treewright.__version__}")
    sizes = [path.read_text().count("\n") for path in PACKAGE.rglob("*.py")]
    flat = len(list(PACKAGE.glob("*.py")))
    print(f"{len(sizes)} modules ({flat} flat), {sum(sizes)} lines, {n_layers()} layers")
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = DecisionTreeClassifier(n_jobs=1).fit(X, y)
    own = [kind for kind in type(model).__mro__ if kind.__module__.startswith("treewright")]
    names = [n for n in dir(model) if not n.startswith("_") and n not in model.get_params()]
    print(f"{len(own)} classes of our own in an estimator, {len(names)} public names that are not parameters")
    print(f"\n{'':28}{'calls':>6}{'ms':>9}")

    def row(name: str, calls: int | str, seconds: float) -> None:
        print(f"{name:28}{calls:>6}{1000 * seconds:9.3f}")

    for name, action in {
        "fit, NumPy": lambda: model.fit(X, y),
        "fit, pandas": lambda: model.fit(frame, y),  # and this model explains the row
        "explain and print": lambda: print(model.explain(frame[100:101])),
    }.items():
        silently(action)  # what is loaded or kept at the first time is not counted
        calls = silently(lambda action=action: calls_between_files(action))
        repeats = 3000 if name.startswith("fit") else 300
        row(name, calls, silently(lambda action=action, n=repeats: least_time(action, n)))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(PACKAGE / "tables" / "iris.csv", folder)
        words = ["fit", "iris.csv", "--target", "species"]
        calls = silently(lambda: calls_between_files(command_line(words, folder)))
        row("treewright fit iris.csv", calls, least_time_of_process(["-m", "treewright", *words], folder))
        row("import treewright", "", least_time_of_process(["-c", "import treewright"], folder))
        estimator = "from treewright import DecisionTreeClassifier"
        row("import of an estimator", "", least_time_of_process(["-c", estimator], folder))


if __name__ == "__main__":
    main()
