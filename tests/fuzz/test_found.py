"""What the fuzzer has found, reduced: none of it may come back."""

from __future__ import annotations

from typing import Any

import pytest
from numpy import nan

from fuzz.cases import Case, Values
from fuzz.invariants import check


def found(
    name: str,
    learner: str,
    y: Values,
    weight: Values | None = None,
    *,
    x: Values,
    z: Values = (),
    **parameters: Any,
) -> Any:
    """A case of one or two columns of numbers."""
    columns = {"x": ("number", x)} | ({"z": ("number", z)} if z else {})
    case = Case(learner, parameters, columns, y, weight)
    return pytest.param(case, id=name.replace(" ", "-"))


FOUND = [
    found(
        "surrogates of a tree that is pruned to a leaf",
        "DecisionTreeRegressor",
        (3.0, 4.0, 0.0, 4.0),
        x=(3.0, 1.0, 2.0, 0.0),
        z=(1.0, 3.0, 0.0, 2.0),
        criterion="poisson",
        ccp_alpha=1.0,
        missing="surrogate",
    ),
    found(
        "costs of one class",
        "DecisionTreeClassifier",
        ("0",),
        x=(0.0,),
        pruner="structural_risk",
        costs=[[0.0]],
    ),
    found(
        "a deviance below zero by rounding",
        "CARTRegressor",
        (0.2, 0.1, 0.4, 0.0, 0.0, 0.4, 0.2, 0.0, 0.0, 0.2),
        x=(1.0, 0.0, nan, nan, 0.0, nan, 1.0, 0.0, nan, 1.0),
        criterion="poisson",
        min_samples_split=2,
        min_samples_leaf=1,
        cv=None,
    ),
    found(
        "no standard error of an infinite one",
        "CARTRegressor",
        (0.4, 0.0),
        x=(0.0, 1.0),
        criterion="poisson",
        cv=2,
        se=0.0,
    ),
    found(
        "no events where all rows with some are left out",
        "CARTRegressor",
        (4.0, 0.0),
        x=(nan, 1.0),
        criterion="poisson",
        compat="rpart",
        cv=None,
    ),
    found(
        "a share of a row that weighs next to nothing",
        "DecisionTreeRegressor",
        (4.0, 0.0, 4.0),
        (1.0, 1.0, 1e-12),
        x=(1.0, 0.0, nan),
        missing="fractional",
    ),
    found(
        "no row held out of one",
        "C45Classifier",
        ("a",),
        x=(0.0,),
        pruner="minimal_size",
        compat="j48",
    ),
    found(
        "a forest of rows that no tree draws",
        "ExtraTreesClassifier",
        (0,),
        x=(0.0,),
        class_weight={0: 0.0},
        bootstrap=True,
    ),
]


@pytest.mark.parametrize("case", FOUND)
def test_what_the_fuzzer_found(case: Case) -> None:
    assert check(case) is None
