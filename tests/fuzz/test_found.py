"""What the fuzzer has found, reduced: none of it may come back."""

from __future__ import annotations

from typing import Any

import pytest
from numpy import inf, nan

import treewright as tw
from fuzz import model_files
from fuzz.cases import Case, Values
from fuzz.invariants import check, loaded, saved
from treewright import DecisionTreeClassifier, OptimalTreeClassifier
from treewright.errors import ModelFileError


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
    """A case of one or two columns of numbers or categories."""
    given = {"x": x} | ({"z": z} if z else {})
    columns = {
        column: ("category" if any(isinstance(value, str) for value in values) else "number", values)
        for column, values in given.items()
    }
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
    found(
        "a branch of rows that weigh nothing",
        "ID3Classifier",
        (1, 0, 2),
        x=("a", "d", "c"),
        class_weight={0: 3.0, 1: 3.0, 2: 0.0},
    ),
    found(
        "a mean of numbers whose sum is beyond all",
        "DecisionTreeRegressor",
        (1.0, 1.0, 3.0, 1.0, 3.0),
        x=(nan, 9007199254740994.0, -1.7976931348623155e308, -2.2e-308, -1.7976931348623155e308),
        missing="mean",
    ),
    found(
        "a mean of values that weigh nothing",
        "DecisionTreeClassifier",
        (0, 1, 1, 2, 2),
        x=(nan, 1.0, 2.0, 5.0, 6.0),
        z=(1.0, 2.0, 3.0, 7.0, 8.0),
        missing="mean",
        class_weight={0: 1.0, 1: 1.0, 2: 0.0},
    ),
    found(
        "Weka's class of shared rows",
        "ID3Classifier",
        ("0", "0", "0", "1", "0", "1", "1"),
        x=(None, None, None, "b", "a", "b", "b"),
        missing="fractional_counts",
        compat="weka",
    ),
    found(
        "a competitor with a branch without events",
        "DecisionTreeRegressor",
        (0.0, 0.3, 0.3),
        x=(1.25, -1.0, -1.0),
        z=("i", "f", "k"),
        criterion="poisson",
        splits=("interval", "subset"),
        max_competitors=3,
    ),
]


FILES = [  # what is changed in the file of which model
    pytest.param(
        DecisionTreeClassifier(missing={"x0": "mean", "x1": "direction"}),
        ("header", ("parameters", "missing", "pairs", 1, 0), "builtins.eval"),
        id="a-policy-of-no-feature",
    ),
    pytest.param(
        DecisionTreeClassifier(ordinal_features={0: [0, 1]}),
        ("header", ("schema", "columns", 0, "categories"), []),
        id="a-cut-of-no-categories",
    ),
    pytest.param(OptimalTreeClassifier(), ("entry", ("own_proof", 4), inf), id="endless-work-of-a-proof"),
]


@pytest.mark.parametrize(("model", "change"), FILES)
def test_files_that_the_fuzzer_made(model: Any, change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model.fit([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1])
    monkeypatch.setattr(model_files, "model_bytes", lambda _: saved(model))
    with pytest.raises(ModelFileError):
        loaded(model_files.CraftedFile(0, (change,)).content())


def test_a_warning_where_code_has_no_name() -> None:
    code = "tw.RandomForestClassifier(2, oob_score=True, random_state=0).fit([[0.0], [1.0]], [0, 1])"
    with pytest.warns(UserWarning, match="OOB"):
        exec(code, {"tw": tw})


@pytest.mark.parametrize("case", FOUND)
def test_what_the_fuzzer_found(case: Case) -> None:
    assert check(case) is None  # seed 0: all that holds is asked


@pytest.mark.parametrize("learner", [tw.TreeClassifier, tw.TreeRegressor])
def test_a_table_of_few_distinct_rows_is_learned(learner: Any) -> None:
    X, y = [[0.3]] * 20 + [[0.1 + 0.2]] * 20, [0] * 20 + [1] * 20
    assert learner().fit(X, y).predict(X).round().tolist() == y
