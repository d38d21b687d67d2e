"""What the fuzzer has found, reduced: none of it may come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy import inf, nan
from scipy.sparse import csr_array

import treewright as tw
from fuzz import model_files
from fuzz.cases import Case, Values
from fuzz.invariants import check, loaded, saved
from treewright import DecisionTreeClassifier, OptimalTreeClassifier
from treewright.errors import DataError, ModelFileError
from treewright.pruning import CostComplexity


def found(
    name: str,
    learner: str,
    y: Values,
    weight: Values | None = None,
    *,
    x: Values,
    z: Values = (),
    form: str = "pandas",
    **parameters: Any,
) -> Any:
    """A case of one or two columns of numbers or categories."""
    given = {"x": x} | ({"z": z} if z else {})
    columns = {
        column: ("category" if any(isinstance(value, str) for value in values) else "number", values)
        for column, values in given.items()
    }
    case = Case(learner, parameters, columns, y, weight, form)
    return pytest.param(case, id=name.replace(" ", "-"))


LARGEST = 1.7976931348623157e308
FOUND = [
    found(
        "a light row beside the largest costs",
        "DecisionTreeClassifier",
        ("1", "0", "2", "1", "3", "1", "0"),
        (1e12, 1e12, 1.0, 1e12, 1.0, 1e12, 1.0),
        x=(9007199254740994.0, -0.0, -1e300, 9007199254740994.0, 0.1, 0.30000000000000004, 1e300),
        form="csr",
        costs=[[0.0, 2.0, 1e6, 1.0], [1.0, 0.0, 0.0, 5.0], [1.0, 1e-06, 0.0, 2.0], [5.0, 0.0, 1e-06, 0.0]],
    ),
    found(
        "rows that a guided tree shares",
        "TreeClassifier",
        (0, 0, 1, 1, 1, 1),
        (3.0, 3.0, 0.5, 1.0, 0.5, 3.0),
        x=(2.0, 1.25, 3.5, 2.0, 2.75, 2.0),
        z=("a", None, None, None, None, "b"),
        missing="fractional",
        guide="auto",
    ),
    found(
        "held-out rows of a class of no weight",
        "DecisionTreeClassifier",
        (0, 1, 0),
        x=(0.0, 0.0, 0.0),
        early_stopping="holdout",
        class_weight={0: 0.0, 1: 1.0},
        random_state=0,
    ),
    found(
        "a change to beyond a number next to the largest",
        "DecisionTreeClassifier",
        (1, 0),
        x=(1e-300, LARGEST),
        cut="observed",
    ),
    found(
        "a change to beyond the number before the largest",
        "DecisionTreeClassifier",
        (0, 2),
        x=(1.7976931348623155e308, LARGEST),
    ),
    found(
        "held-out deviances that round to less than none",
        "CARTRegressor",
        tuple(0.1 * (row % 5) for row in range(20)),
        x=tuple(float(row % 5) for row in range(20)),
        criterion="poisson",
        min_samples_split=2,
        min_samples_leaf=1,
    ),
    found(
        "equations of numbers next to zero",
        "TreeRegressor",
        (4.484661099455225, 4.203274165831848, -3.97855468358114),
        (1.0, 1e-15, 1e-15),
        x=(nan, nan, 1e-308),
        leaves="linear",
    ),
    found(
        "balanced classes that no two folds have",
        "TreeClassifier",
        (1.0, 2.0, 4.0, 0.0, 0.0, 0.0, 2.0, 0.0, 3.0, 5.0),
        x=(0.0,) * 10,
        class_weight="balanced",
    ),
    found(
        "priors that leave no weight",
        "CARTClassifier",
        (1, 5),
        (0.0, 1.0),
        x=(1.0, 0.0),
        priors=[1.0, 0.0],
    ),
    found(
        "the page of an optimal tree that may mistake a class",
        "OptimalTreeClassifier",
        ("c1", "c0", "c1", "c0"),
        x=(0.0, 1.0, 2.0, 3.0),
        costs=[[0.0, 1.0], [0.0, 0.0]],
    ),
    found(
        "the trace of a row that weighs next to nothing",
        "DecisionTreeRegressor",
        (999999.0, 999995.5, 999998.0),
        (1.0, 1e-12, 1e12),
        x=(-0.5, 1.5, -0.125),
        trace=True,
    ),
    found(
        "rows held out that Weka leaves unclassified",
        "ID3Classifier",
        ("1", "0", "2", "2", "0", "1"),
        x=("c", "a", "j", "k", "g", "c"),
        pruner="reduced_error",
        compat="weka",
        random_state=0,
    ),
    found(
        "rules of a tree that takes infinities",
        "DecisionTreeClassifier",
        ("c0", "c1"),
        x=(-inf, 0.0),
        inf="extreme",
    ),
    found(
        "a tree with shrinkage that is pruned to a leaf",
        "DecisionTreeClassifier",
        ("1", "0"),
        (1e12, 1.0),
        x=(nan, 0.0),
        shrinkage=20.0,
        pruner=CostComplexity(alpha=0.01),
    ),
    found(
        "branches that weigh the same but for rounding in a sparse table",
        "ExtraTreesRegressor",
        (0.0, 1.0, 1.0, 1.0),
        (1e12, 1e12, 1.0, 1.0),
        x=(0.0, 1.0, 2.0, 3.0),
        form="csc",
        missing="available",
        n_estimators=4,
        random_state=0,
    ),
    found(
        "the distance to a cut that is farther than the largest number",
        "DecisionTreeClassifier",
        (1, 0, 0),
        x=(1.7976931348623155e308, -1.7976931348623155e308, 1e150),
    ),
    found(
        "what would change a forest with cuts at the largest number",
        "RandomForestClassifier",
        (0, 1, 0, 1, 0, 1),
        x=(LARGEST, 0.0, 1.7976931348623155e308, 1.0, LARGEST, -LARGEST),
        n_estimators=4,
        random_state=3,
    ),
    found(
        "a guide where rows are ignored",
        "TreeClassifier",
        (2, 0, 2, 0),
        x=("g", None, "g", "h"),
        missing="ignore",
        guide="auto",
        cv=2,
    ),
    found(
        "a branch of no weight behind many",  # the values of its parent had moved
        "C45Classifier",
        ("c2", "c3", "c0", "c1", "c2"),
        (1.0, 1e12, 1e12, 1e-12, 1.0),
        x=("d", "k", "b", "i", "h"),
    ),
    found(
        "classes of no weight in a forest of two targets",
        "ExtraTreesClassifier",
        (("0", "3"), ("0", "1")),
        x=(0.0, 1.0),
        class_weight=[{"0": 0.0}, {"1": 1.0, "3": 1.0}],
        n_estimators=2,
        random_state=0,
    ),
    found(
        "the page of a forest that draws no rows",
        "ExtraTreesClassifier",
        (0, 1),
        x=(0.0, 1.0),
        n_estimators=2,
        random_state=0,
    ),
    found("the page of a column without values", "DecisionTreeClassifier", (0, 1), x=(nan, nan)),
    found(
        "the page of numbers as far apart as numbers are",
        "TreeRegressor",
        (0.0, 1.0) * 9,
        x=(LARGEST, -LARGEST) * 9,
    ),
    found("the page of infinities", "CARTClassifier", (0, 1), x=(inf, 0.0), inf="extreme"),
    found("linear leaves on categories", "TreeRegressor", (-4.0, 1.0), x=("a", "b"), leaves="linear"),
    found(
        "a guide on a sparse table",
        "TreeClassifier",
        (0, 1) * 9,
        x=(0.0, 1.0) * 9,
        form="csr",
        guide="forest",
    ),
    found(
        "the trace of a sparse table", "DecisionTreeClassifier", (0, 1), x=(0.0, 1.0), form="csc", trace=True
    ),
    found(
        "the largest numbers in a sparse table",
        "DecisionTreeRegressor",
        (0.0, 1.0),
        x=(LARGEST, 1e308),
        form="coo",
    ),
    found(
        "shares of a row that has no weight",
        "DecisionTreeClassifier",
        (4, 5, 2, 3, 0),
        x=(1.0, 2.0, nan, 0.0, 3.0),
        missing="fractional",
        priors=[0.2, 0.0, 1.0, 0.0, 5.0],
    ),
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
        "cuts around rows without a value alone",
        "DecisionTreeRegressor",
        (2.0, 0.0, 3.0),
        x=(1.0, nan, 0.0),
        splits=("interval",),
        missing="mean",
        cut="observed",
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
    pytest.param(
        DecisionTreeClassifier(),
        ("entry", ("default_branch", 0), -1),
        id="shared-rows-of-several-targets",
    ),
    pytest.param(OptimalTreeClassifier(), ("entry", ("own_proof", 4), inf), id="endless-work-of-a-proof"),
]


@pytest.mark.parametrize(("model", "change"), FILES)
def test_files_that_the_fuzzer_made(
    model: Any, change: Any, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    several = "several-targets" in request.node.callspec.id
    model.fit([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [(0, 1), (1, 1), (1, 0)] if several else [0, 1, 1])
    monkeypatch.setattr(model_files, "model_bytes", lambda _: saved(model))
    with pytest.raises(ModelFileError):
        loaded(model_files.CraftedFile(0, (change,)).content())


@pytest.mark.parametrize("y", [[0, 1], [(0, 1), (1, 1)]])
def test_sparse_tables_with_gaps_are_refused_by_fit_as_by_predict(y: Any) -> None:
    for learner in (tw.DecisionTreeClassifier, tw.RandomForestClassifier):
        with pytest.raises(ValueError, match="Sparse tables take no missing values"):
            learner().fit(csr_array([[0.0], [nan]]), y)


def test_rows_of_lists_keep_the_last_digit_of_whole_numbers() -> None:
    X = [[1.0, 2**53 + 3, True], [2.0, 2**53 + 1, False], [0.0, 2**53 - 2, False]]
    model = tw.DecisionTreeRegressor(splitter="random", random_state=22).fit(X, [1.0, -2.0, -1.0])
    assert [model.predict([row]).item() for row in X] == [1.0, -2.0, -1.0]


def test_an_unknown_parameter_is_told_those_there_are() -> None:
    with pytest.raises(TypeError, match="It has alpha, categorical_features, cut"):
        tw.TreeRegressor(zzz=1)


def test_a_warning_where_code_has_no_name() -> None:
    code = "tw.RandomForestClassifier(2, oob_score=True, random_state=0).fit([[0.0], [1.0]], [0, 1])"
    with pytest.warns(UserWarning, match="OOB"):
        exec(code, {"tw": tw})


@pytest.mark.parametrize("case", FOUND)
def test_what_the_fuzzer_found(case: Case) -> None:
    assert check(case) is None  # seed 0: all that holds is asked


@pytest.mark.parametrize("weight", [1.0, 2.0, 1 / 32, 3.0])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "error"])
def test_equal_branches_are_in_order_whatever_rows_weigh(weight: float, criterion: str) -> None:
    model = tw.DecisionTreeClassifier(monotonic_cst=[-1], criterion=criterion, max_depth=1)
    X, y = [[1.0], [6.0], [21.0]] * 4, [0, 2, 1] * 4  # on either side of 13.5 the mean is 1
    tree = model.fit(X, y, sample_weight=[weight] * 12).tree_
    assert tree.splits.threshold.tolist() == model.fit(X, y).tree_.splits.threshold.tolist()
    if criterion != "error":
        assert tree.splits.threshold.tolist() == [13.5]


@pytest.mark.parametrize(
    "learner", ["DecisionTreeClassifier", "DecisionTreeRegressor", "RandomForestClassifier"]
)
@pytest.mark.parametrize("gap", [1.0, None])
def test_an_open_table_that_may_miss_nothing(learner: str, gap: float | None, tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [0.0, gap, 2.0, 3.0], "y": [0, 0, 1, 1]})
    frame.to_parquet(tmp_path / "rows.parquet")
    model = getattr(tw, learner)(missing="error", random_state=0)
    if gap is None:
        with pytest.raises(DataError, match="missing='error' refuses"):
            model.fit(tw.open_table(tmp_path), "y")
        return
    expected = saved(getattr(tw, learner)(missing="error", random_state=0).fit(frame[["x"]], frame["y"]))
    assert saved(model.fit(tw.open_table(tmp_path), "y")) == expected


@pytest.mark.parametrize("learner", [tw.TreeClassifier, tw.TreeRegressor])
def test_a_table_of_few_distinct_rows_is_learned(learner: Any) -> None:
    X, y = [[0.3]] * 20 + [[0.1 + 0.2]] * 20, [0] * 20 + [1] * 20
    assert learner().fit(X, y).predict(X).round().tolist() == y


def test_rules_take_infinities_as_the_tree_does_that_they_are_made_of() -> None:
    X, y = [[-inf], [0.0], [inf], [inf]] * 3, [0, 0, 1, 1] * 3
    model = tw.DecisionTreeClassifier(inf="extreme").fit(X, y)
    assert model.rules().predict_proba(X, inf="extreme").tolist() == model.predict_proba(X).tolist()
    assert tw.RuleClassifier(tree=model).fit(X, y).predict(X).tolist() == y
    for refused in (model.rules().predict, lambda X: model.rules().prune(X, y)):
        with pytest.raises(DataError, match="infinity in column 'x0'"):
            refused(X)


@pytest.mark.parametrize("learner", [tw.DecisionTreeClassifier, tw.RandomForestClassifier])
@pytest.mark.parametrize(
    ("labels", "again"),
    [("1003", "1003"), ("0123", "0123"), ("2013", "2013"), ("1023021", "1023021"), ("0011", "1100")],
    ids=lambda labels: f"classes-{labels}",
)
def test_a_target_given_twice_orders_categories_as_once(learner: Any, labels: str, again: str) -> None:
    X = pd.DataFrame({"x": pd.Categorical(list("dhhacbe"[: len(labels)]))})
    options: dict[str, Any] = {"category_order": "once", "random_state": 0, "max_depth": 1}
    if learner is tw.RandomForestClassifier:
        options |= {"n_estimators": 1, "bootstrap": False}
    targets = list(labels), [list(pair) for pair in zip(labels, again, strict=True)]
    once, twice = (learner(**options).fit(X, y) for y in targets)
    one, two = (getattr(model, "estimators_", [model])[0].tree_.merit[0] for model in (once, twice))
    assert one > 0
    assert two == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize("kind", ["boolean", "string", "category"])
def test_a_column_that_was_all_gaps_at_fit_takes_values_as_unseen_ones(kind: str) -> None:
    value = True if kind == "boolean" else "a"
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "z": pd.array([None] * 4, dtype=kind)})
    later = X.assign(z=pd.array([value, None, value, None], dtype=kind))
    model = tw.DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    assert model.predict(later).tolist() == [0, 0, 1, 1]
    rules = tw.RuleClassifier(estimate="holdout").fit(
        later[["z"]].iloc[[1, 3, 1, 3, 1, 0]], [0, 0, 0, 0, 1, 0]
    )
    assert rules.predict(later[["z"]]).tolist() == [0, 0, 0, 0]  # wherever the one value is held out
    with pytest.raises(DataError, match="unseen value"):
        tw.DecisionTreeClassifier(unseen="error").fit(X, [0, 0, 1, 1]).predict(later)


def test_the_loss_of_heavy_classes_is_not_rounded_by_their_weight() -> None:
    weights = [{0: 3.0, 1: 1e9}, {0: 0.0, 1: 3.0}, {0: 1e9, 1: 1.0}]
    X, y = [[0.0], [1.0]], [[1, 1, 0], [0, 1, 0]]
    for times in (1, 3, 7):
        model = tw.DecisionTreeClassifier(class_weight=weights, max_depth=1).fit(X * times, y * times)
        assert model.tree_.risk[0] == times * 3.0 * 3.0 * 1e9 / 3


@pytest.mark.parametrize("missing", ["median", "mode"])
def test_where_half_the_weight_lies_is_not_decided_by_rounding(missing: Any) -> None:
    X = pd.DataFrame({"x": pd.array([False, False, True, False, True], dtype="boolean")})
    y = np.array(["a", "a", "b", "a", "b"])
    branches = set()
    for times in range(1, 30):
        rows = np.tile(np.arange(5), times)
        model = tw.DecisionTreeClassifier(missing=missing, priors=[1.0, 1.0], min_samples_leaf=times)
        branches.add(int(model.fit(X.iloc[rows], y[rows]).tree_.default_branch[0]))
    assert branches == {0}


def test_branches_of_no_rows_are_shrunk_without_a_warning() -> None:
    x = ["e", "j", "c", "k", "g", "i", "g", "c", "k", "k"]
    X = pd.DataFrame({"x": pd.Categorical(x), "z": [0.0, 3.0, 1.0, nan, nan, 4.0, nan, 2.0, nan, nan]})
    y = ["0", "4", "4", "6", "2", "4", "4", "1", "4", "4"]
    learner = tw.TreeClassifier(
        missing="class_mode", min_samples_leaf=1, shrinkage=0.0, guide="forest", random_state=32
    )
    assert np.allclose(learner.fit(X, y).predict_proba(X).sum(axis=1), 1.0)
