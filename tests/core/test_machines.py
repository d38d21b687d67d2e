"""The same bytes on every machine: models grown as if on other processors, and what the package may call."""

from __future__ import annotations

import ast
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath as umath

import treewright
from helpers import machines
from treewright import _core

FOUND = {name for name, found in umath.__cpu_features__.items() if found}
DISPATCHED = [name for name in umath.__cpu_dispatch__ if name in FOUND]
"""What this processor has beyond what NumPy asks of all, the oldest first."""


def other_processors() -> dict[str, dict[str, str]]:
    """Settings under which OpenBLAS, NumPy and the C library take this processor for a lesser one."""
    without = {"NPY_DISABLE_CPU_FEATURES": " ".join(DISPATCHED)}
    if platform.machine() not in ("x86_64", "AMD64"):
        return {"plain": without}
    found = {
        "old": {"OPENBLAS_CORETYPE": "Prescott", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA", **without}
    }
    if {"AVX2", "FMA3"} <= FOUND:
        found["Haswell"] = {
            "OPENBLAS_CORETYPE": "Haswell",
            "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL",
            "NPY_DISABLE_CPU_FEATURES": " ".join(DISPATCHED[1:]),
        }
        found["Zen"] = {"OPENBLAS_CORETYPE": "Zen", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA"}
    return found


def grown_with(settings: dict[str, str]) -> dict[str, str]:
    program = [sys.executable, "-W", "ignore", machines.__file__]
    run = subprocess.run(program, env=os.environ | settings, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    hashes: dict[str, str] = json.loads(run.stdout)
    return hashes


@pytest.fixture(scope="module")
def here() -> dict[str, str]:
    return grown_with({})


@pytest.mark.parametrize("processor", other_processors())
def test_every_kind_of_model_has_the_same_bytes_on_another_processor(
    processor: str, here: dict[str, str]
) -> None:
    there = grown_with(other_processors()[processor])
    assert [name for name in here if here[name] != there[name]] == []


LIBRARIES = """
import numpy as np
x = [np.random.default_rng(n).random(n) for n in range(1, 99)]
print([a @ a for a in x], [np.log(a).tolist() for a in x])
"""


def test_the_libraries_do_take_this_processor_for_another() -> None:
    """If they did not, the tests above would show nothing."""
    settings = [{}, *other_processors().values()]
    program = [sys.executable, "-c", LIBRARIES]
    said = {subprocess.check_output(program, env=os.environ | one) for one in settings}
    assert len(said) > 1 or platform.machine() not in ("x86_64", "AMD64")


# ---- what the package may call ---------------------------------------------------------------------

VARYING = {
    "numpy": "cbrt convolve dot einsum exp exp2 expm1 float_power hypot inner interp linalg log log10 log1p "
    "log2 logaddexp matmul polynomial power tensordot vdot",
    "math": "cbrt erf erfc exp exp2 expm1 gamma hypot lgamma log log10 log1p log2 pow",
    "scipy": "linalg optimize special stats",
    "statistics": "NormalDist",
}
"""Functions whose last bit depends on the processor or the C library, by package."""

NEITHER_DECIDES_NOR_IS_STORED = {
    "bounds.py": "bounds on the error of a tree, for its reader",
    "draw": "what is drawn",
    "explain/explanation.py": "the width of an interval, for its reader",
    "explain/oblique_region.py": "where to look for a nearest change; what is found is checked",
    "explain/shapley.py": "Shapley values",
    "explorer/report_charts.py": "where the ticks of an axis stand",
    "export/text.py": "to how many digits a number is printed",
    "figures.py": "the width of an interval, for its reader",
    "forest/jackknife.py": "standard errors of predictions",
    "forest/proximity.py": "products of whole numbers, which are exact",
    "forest/quantiles.py": "products with ones and zeros, which are exact",
}


class Calls(ast.NodeVisitor):
    """The functions of `VARYING` that a module names, and its matrix products."""

    def __init__(self) -> None:
        self.packages: dict[str, str] = {}
        self.found: list[str] = []

    def visit_Import(self, node: ast.Import) -> None:
        self.packages |= {name.asname or name.name: name.name for name in node.names}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        package, _, part = (node.module or "").partition(".")
        self.named(package, [part] if part else [name.name for name in node.names])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name):
            self.named(self.packages.get(node.value.id, ""), [node.attr])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            self.found.append("@")
        self.generic_visit(node)

    def named(self, package: str, names: list[str]) -> None:
        self.found += [f"{package}.{name}" for name in names if name in VARYING.get(package, "").split()]


def varying(path: Path) -> list[str]:
    calls = Calls()
    calls.visit(ast.parse(path.read_text(encoding="utf-8")))
    return calls.found


def test_what_decides_or_is_stored_calls_nothing_that_varies() -> None:
    package = Path(treewright.__file__).parent
    found = {path.relative_to(package).as_posix(): varying(path) for path in sorted(package.rglob("*.py"))}
    excused = tuple(NEITHER_DECIDES_NOR_IS_STORED)
    assert {name: calls for name, calls in found.items() if calls and not name.startswith(excused)} == {}
    needless = [
        name for name in excused if not any(calls for path, calls in found.items() if path.startswith(name))
    ]
    assert not needless


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("nm") is None, reason="nothing to read symbols with"
)
def test_the_core_asks_the_c_library_for_nothing_that_varies() -> None:
    needed = subprocess.check_output(["nm", "-D", "-u", _core.__file__], text=True).split()
    names = {symbol.partition("@")[0] for symbol in needed}
    assert "ldexp" in names  # or this reads no symbols
    assert not names & {*VARYING["math"].split(), "cos", "sin", "tan", "tgamma", "fma"}
