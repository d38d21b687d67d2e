"""scikit-learn's own test modules with our classes in the place of its own.

A test module that wants to be such a suite calls `suite` and `tests_of`, puts the tests into its globals, and
imports the two fixtures; its `LEFT_OUT` says what is not run and why, as `test`, `test:word of its
parameters` or `:word of any parameters`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest
import sklearn

if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9):
    pytest.skip("what is left out is listed for the tests of scikit-learn 1.9", allow_module_level=True)


def suite(module_name: str, package: ModuleType, ours: Mapping[str, Any]) -> ModuleType:
    """Execute a test module of scikit-learn while its package offers our classes."""
    spec = importlib.util.find_spec(module_name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for name, kind in ours.items():
            patch.setattr(package, name, kind)
        spec.loader.exec_module(module)
    return module


def tests_of(*modules: ModuleType) -> dict[str, Any]:
    """The test functions of modules."""
    return {
        name: _with_lists_of_values(test)
        for module in modules
        for name, test in vars(module).items()
        if name.startswith("test_")
    }


def _with_lists_of_values(test: Any) -> Any:
    """Give a test's parametrizations as lists; newer versions of pytest refuse mere iterators."""
    test.pytestmark = [
        pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs).mark
        if mark.name == "parametrize"
        else mark
        for mark in getattr(test, "pytestmark", [])
    ]
    return test


@pytest.fixture
def global_random_seed() -> int:
    """The seed that scikit-learn's tests take when none is chosen."""
    return 42


@pytest.fixture(autouse=True)
def leave_out(request: pytest.FixtureRequest) -> None:
    """Skip what the module's LEFT_OUT names."""
    for left_out, reason in request.module.LEFT_OUT.items():
        test, _, word = left_out.partition(":")
        if test in ("", request.node.originalname) and word in request.node.name.partition("[")[2]:
            pytest.skip(reason)


def named(left_out: Mapping[str, str]) -> set[str]:
    """The tests that a LEFT_OUT names."""
    return {test.partition(":")[0] for test in left_out} - {""}
