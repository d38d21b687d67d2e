"""`make demo` where something is missing: one sentence says what, and how to get it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "tools" / "environment"
REAL = Path(sys.executable).resolve()

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a script of POSIX shells")


def program(folder: Path, name: str, script: str) -> None:
    """Put a program into a folder."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def python_that(trick: str) -> str:
    """A Python in which something is not as in ours."""
    return f"""exec '{REAL}' -c 'import importlib.util, os, sys
{trick}
exec(sys.stdin.read())'"""


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> Path:
    """A machine on which nothing can be called but a compiler that compiles everything."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "cat", "printf", "env"):
        (folder / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    program(folder, "c++", "cat >/dev/null")
    return folder


def said(machine: Path) -> str:
    """What making the environment says there; it fails and leaves nothing."""
    environment = machine.parent / "environment"
    run = subprocess.run(
        ["/bin/sh", SCRIPT, environment],
        env={"PATH": str(machine)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert not environment.exists()
    assert "sudo apt-get install g++ python3-dev python3-venv" in run.stderr
    return run.stderr


def test_no_compiler(machine: Path) -> None:
    (machine / "c++").unlink()
    assert "cannot be built here: there is no C++ compiler." in said(machine)


def test_a_compiler_that_does_not_know_the_language(machine: Path) -> None:
    program(machine, "c++", "cat >/dev/null; exit 1")
    assert "the compiler 'c++' does not know C++20" in said(machine)


def test_no_python(machine: Path) -> None:
    assert "there is no Python 3.11 or newer." in said(machine)


@pytest.mark.parametrize(
    ("trick", "reason"),
    [
        ("sys.version_info = (3, 9, 2)", "python3 is Python 3.9, and 3.11 or newer is needed."),
        ("importlib.util.find_spec = lambda name: None", "python3 has no venv module."),
        ("os.path.exists = lambda path: False", "python3 has no header files (Python.h)."),
    ],
)
def test_a_python_that_will_not_do(machine: Path, trick: str, reason: str) -> None:
    program(machine, "python3", python_that(trick))
    assert reason in said(machine)


def test_the_first_python_that_will_do_is_taken(machine: Path) -> None:
    program(machine, "python3", python_that("sys.version_info = (3, 9, 2)"))
    making = f'case $1 in -m) echo "$@" > "{machine.parent}/made" ;; --version) echo Python ;; esac'
    program(machine, "python3.12", f'[ "$1" = - ] && exec cat >/dev/null\n{making}')
    run = subprocess.run(
        ["/bin/sh", SCRIPT, "there"], env={"PATH": str(machine)}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert (machine.parent / "made").read_text().split() == ["-m", "venv", "--clear", "there"]
