"""A pytest plugin: tests of scikit-learn, or of what builds on it, with our classes in the place of its own.

`python -m pytest -p helpers.sklearn_swap --pyargs sklearn.ensemble.tests.test_voting` runs the tests of that
module that name a class of ours.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import pytest
import sklearn.ensemble
import sklearn.inspection
import sklearn.model_selection
import sklearn.tree

import treewright as tw
from treewright.estimators.base import estimator


@estimator
class ExtraTreeClassifier(tw.DecisionTreeClassifier):
    """Our classifier with the defaults of scikit-learn's extremely randomised tree."""

    splitter: str = "random"
    max_features: int | float | str | None = "sqrt"


@estimator
class ExtraTreeRegressor(tw.DecisionTreeRegressor):
    """Our regressor with the defaults of scikit-learn's extremely randomised tree."""

    splitter: str = "random"
    max_features: int | float | str | None = 1.0


TREES: dict[str, Any] = {
    "DecisionTreeClassifier": tw.DecisionTreeClassifier,
    "DecisionTreeRegressor": tw.DecisionTreeRegressor,
    "ExtraTreeClassifier": ExtraTreeClassifier,
    "ExtraTreeRegressor": ExtraTreeRegressor,
}
FORESTS: dict[str, Any] = {
    name: getattr(tw, name)
    for name in (
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
    )
}
NAMED = re.compile(r"\b(" + "|".join([*TREES, *FORESTS]) + r")\b")


def swap() -> None:
    """Offer our classes where scikit-learn offers its own; what it has imported by now keeps them."""
    assert isinstance(tw.DecisionTreeClassifier(), sklearn.tree.BaseDecisionTree)  # registers ours as theirs
    for package, ours in ((sklearn.tree, TREES), (sklearn.ensemble, FORESTS)):
        for name, kind in ours.items():
            setattr(package, name, kind)


def pytest_configure(config: pytest.Config) -> None:
    """Swap before test modules are imported."""
    config.addinivalue_line("markers", "thread_unsafe: a mark of scikit-learn's")
    if first := config.getoption("--import-first"):
        importlib.import_module(first)
    swap()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the plugin."""
    parser.addoption("--left-out", default="", help="tests that are not run, separated by blanks")
    parser.addoption("--all-tests", action="store_true", help="also those that name no class of ours")
    parser.addoption(
        "--import-first", default="", help="a package whose classes inherit from scikit-learn's own"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that name a class of ours, without those left out."""
    left_out = config.getoption("--left-out").split()
    every = config.getoption("--all-tests")
    dropped = [item for item in items if not (every or names_ours(item)) or is_left_out(item, left_out)]
    config.hook.pytest_deselected(items=dropped)
    gone = set(map(id, dropped))
    items[:] = [item for item in items if id(item) not in gone]


def names_ours(item: Any) -> bool:
    """Whether a test names a class of ours, or is given one."""
    source = inspect.getsource(item.obj)
    body = source[source.find("def ") :]
    given = getattr(item, "callspec", None)
    return bool(NAMED.search(body) or (given and NAMED.search(item.name + repr(given.params))))


def is_left_out(item: Any, left_out: list[str]) -> bool:
    """Whether a test is on the list, as `module.test` or `module.test:word of its parameters`."""
    parameters = item.name.partition("[")[2]
    place = f"{item.module.__name__}.{item.originalname}"
    return any(
        place.endswith("." + entry.partition(":")[0]) and entry.partition(":")[2] in parameters
        for entry in left_out
    )
