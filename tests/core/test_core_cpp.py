"""The tests of the core that need no Python (`core/tests/`), compiled and run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def test_the_core_passes_its_own_tests() -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    compilers = [os.environ.get("CXX") or "c++", "g++", "clang++"]
    if shutil.which("cmake", path=path) is None:
        pytest.skip("cmake is not installed")
    if not any(shutil.which(compiler, path=path) for compiler in compilers):
        pytest.skip("there is no C++ compiler")
    run = subprocess.run(
        [ROOT / "tools" / "test_core", "build/core-tests"],
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert run.stdout.endswith(" passed, 0 failed\n")
