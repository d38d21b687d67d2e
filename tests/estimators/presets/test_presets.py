"""The presets against the recorded answers of rpart and Weka's J48, and what they do beyond them."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.oracles import ORACLES, program_table, programs
from treewright.data import Dataset
from treewright.errors import ModelFileError
from treewright.estimators.presets.c45_recipe import C45Recipe
from treewright.persistence.container import read_model, write_model

CONTROL = [
    *("criterion", "min_samples_split", "min_samples_leaf", "cp", "max_depth", "max_competitors"),
    *("max_surrogates", "use_surrogates", "surrogate_style", "priors", "costs", "feature_costs"),
]


def recorded(program: str) -> list[Any]:
    """One parameter set, named dataset-option, for every recorded answer of a program."""
    return [
        pytest.param(name, option, id=f"{name}-{option}")
        for name, options in programs()[program].items()
        for option in options
    ]


def masked(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with holes: row i misses feature i mod p."""
    frame = frame.copy()
    for j, column in enumerate(frame.columns):
        frame.loc[frame.index[np.arange(len(frame)) % frame.shape[1] == j], column] = np.nan
    return frame


def splits(tree: Any) -> list[tuple[str, float | None]]:
    found, stack = [], [tree.to_dict()]
    while stack:
        node = stack.pop()
        if node.get("branches"):
            found.append((node["split"]["feature"], node["split"].get("threshold")))
            stack += node["branches"]
    return found


def assert_same_splits(ours: list[Any], theirs: list[Any]) -> None:
    def key(split: Any) -> tuple[str, float]:
        return split[0], np.inf if split[1] is None else split[1]

    ours, theirs = sorted(ours, key=key), sorted(theirs, key=key)
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    for (_, our_cut), (_, their_cut) in zip(ours, theirs, strict=True):
        assert (our_cut is None) == (their_cut is None)
        if our_cut is not None:
            assert our_cut == pytest.approx(their_cut, rel=1e-9, abs=1e-12)


def same_partition(ours: Any, theirs: Any) -> bool:
    pairs = set(zip(ours, theirs, strict=True))
    return len(pairs) == len(set(ours)) == len(set(theirs))


# rpart


def fit_like_rpart(name: str, option: str, **changed: Any) -> tuple[Any, pd.DataFrame, dict[str, Any]]:
    record = programs()["rpart"][name][option]
    X, y = program_table(name)
    keep = np.setdiff1d(np.arange(len(X)), record.get("dropped", []))
    weight = np.arange(len(X))[keep] % 3 + 1.0 if record.get("weighted") else None
    parameters = {key: record[key] for key in CONTROL if key in record}
    learner = tw.CARTClassifier if record["method"] == "class" else tw.CARTRegressor
    model = learner(**parameters | {"compat": "rpart", "cv": record.get("folds")} | changed)
    # row i of the recorded answers is row i of the table: holes are made before rows are dropped
    holes = masked(X).iloc[keep]
    return model.fit(X.iloc[keep], y.iloc[keep], sample_weight=weight), holes, record


@pytest.mark.parametrize(("name", "option"), recorded("rpart"))
def test_rpart_same_tree(name: str, option: str) -> None:
    model, holes, record = fit_like_rpart(name, option)
    assert model.tree_.n_leaves == record["n_leaves"]
    if "cuts" in record:
        assert_same_splits(splits(model.tree_), record["cuts"])
    X, _ = program_table(name)
    whole = X.iloc[np.setdiff1d(np.arange(len(X)), record.get("dropped", []))]
    for rows, where in ((whole, record["where"]), (holes, record.get("masked"))):
        if where is None:
            continue
        nodes = np.delete(where, record.get("dropped", [])).tolist() if len(where) == len(X) else where
        assert same_partition(model.apply(rows).tolist(), nodes)
        said = [record["says"][str(node)] for node in nodes]
        if record["method"] == "class":
            assert np.asarray(model.predict(rows)).astype(str).tolist() == [str(label) for label in said]
        else:
            np.testing.assert_allclose(model.predict(rows), said, rtol=1e-7)


@pytest.mark.parametrize(("name", "option"), recorded("rpart"))
def test_rpart_same_cp_table_and_importance(name: str, option: str) -> None:
    model, _, record = fit_like_rpart(name, option)
    for column, theirs in record["cp_table"].items():
        np.testing.assert_allclose(model.cp_table_[column], theirs, rtol=1e-6, atol=1e-9, err_msg=column)
    if "importance" in record:
        assert model.variable_importance_ == pytest.approx(record["importance"], rel=1e-6)


def test_cross_validation_without_compat_reads_the_costs_the_right_way_round() -> None:
    """Predicting the dear class for all rows, the root's cross-validated error is its error."""
    model, _, record = fit_like_rpart("stagec", "gini_cv_loss", compat=None)
    assert record["cp_table"]["xerror"][0] == 3.0  # rpart charges the transposed matrix
    assert model.cp_table_["xerror"][0] == pytest.approx(1.0)


def test_one_standard_error_takes_the_smallest_tree_within_reach() -> None:
    model, _, _ = fit_like_rpart("stagec", "gini_cv", se=1.0)
    cp = model.cp_table_
    limit = cp["xerror"].min() + cp["xstd"][cp["xerror"].argmin()]
    row = int(np.argmax(cp["xerror"] <= limit))
    assert model.tree_.n_leaves == cp["nsplit"][row] + 1
    least, _, _ = fit_like_rpart("stagec", "gini_cv", se=0.0)
    assert least.tree_.n_leaves == cp["nsplit"][cp["xerror"].argmin()] + 1


def test_perfect_categorical_stand_in_is_refused_by_rpart_alone() -> None:
    """rpart counts agreeing and disagreeing rows where it means rows sent left and right."""
    rng = np.random.default_rng(0)
    x = np.arange(40.0)
    twin = np.where(x < 20, "low", "high")
    y = (x >= 20) ^ (rng.random(40) < 0.1)
    frame = pd.DataFrame({"x": x, "twin": pd.Categorical(twin)})
    frame.loc[[3, 30], "x"] = np.nan
    parameters = {
        "cv": None,
        "min_samples_split": 2,
        "min_samples_leaf": 2,
        "max_depth": 1,
        "max_competitors": 0,
    }
    book = tw.CARTClassifier(**parameters).fit(frame, y)
    rpart = tw.CARTClassifier(**parameters, compat="rpart").fit(frame, y)
    assert book.tree_[0].split.feature == rpart.tree_[0].split.feature == 0
    assert [stand_in.feature for stand_in in book.tree_[0].surrogates] == [1]
    assert rpart.tree_[0].surrogates == []
    assert book.apply(frame)[3] != book.apply(frame)[30]


def test_test_of_rpart_is_below_the_cut() -> None:
    X, y = [[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"]
    parameters = {"min_samples_split": 2, "min_samples_leaf": 1, "cv": None}
    assert tw.CARTClassifier(**parameters, compat="rpart").fit(X, y).predict([[3.0]]).tolist() == ["b"]
    assert tw.CARTClassifier(**parameters).fit(X, y).predict([[3.0]]).tolist() == ["a"]
    assert "x0 < 3" in str(tw.CARTClassifier(**parameters, compat="rpart").fit(X, y).tree_)


def test_summary_says_what_rpart_says() -> None:
    """Line for line, but for spaces and trailing zeros; the table has holes, so that surrogates send rows."""
    X, y = program_table("stagec")
    ours = plain_lines(tw.CARTClassifier(compat="rpart", cv=None).fit(X, y).summary())
    theirs = plain_lines((ORACLES / "stagec_summary.txt").read_text())
    assert ours == theirs
    assert any("(6 split)" in line for line in ours)


def plain_lines(text: str) -> list[str]:
    """The lines of a summary, numbers to five digits, spaces as one."""

    def short(number: re.Match[str]) -> str:
        return f"{float(number[0]):.5g}"

    lines = [re.sub(r"\d+\.?\d*(e-?\d+)?", short, line) for line in text.splitlines()]
    lines = [" ".join(re.sub("= +", "=", line).split()) for line in lines]
    return [line for line in lines if line]


# Weka's J48


@pytest.mark.parametrize(("name", "option"), recorded("j48"))
def test_j48_same_tree(name: str, option: str) -> None:
    record = programs()["j48"][name][option]
    X, y = program_table(name)
    model = tw.C45Classifier(**record["parameters"]).fit(X, y)
    assert (model.tree_.n_leaves, model.tree_.node_count) == (record["n_leaves"], record["size"])
    assert_same_splits(splits(model.tree_), record["cuts"])
    if "predicted" in record:
        theirs = np.asarray(record["classes"])[record["predicted"]]
        assert np.asarray(model.predict(X)).astype(str).tolist() == theirs.tolist()
    if "masked" in record:
        order = [record["classes"].index(str(label)) for label in model.classes_]
        theirs = np.asarray(record["masked"])[:, order]
        np.testing.assert_allclose(model.predict_proba(masked(X))[: len(theirs)], theirs, atol=2e-6)


def test_error_based_estimates_of_the_book() -> None:
    """Quinlan (1993, p. 42): three leaves of 6, 9 and 1 rows cost 3.273 errors, one of 16 costs 2.512."""
    X = [["a"]] * 6 + [["b"]] * 9 + [["c"]]
    y = ["democrat"] * 15 + ["republican"]
    grown = tw.C45Classifier(min_samples_leaf=1, pruner=None, collapse=False).fit(X, y)
    assert grown.tree_.n_leaves == 3
    for compat in (None, "j48", "release8"):
        assert tw.C45Classifier(min_samples_leaf=1, compat=compat).fit(X, y).tree_.n_leaves == 1


def test_deep_trees_are_safe() -> None:
    """Classes that take turns along a feature make a chain of nodes; nothing may recurse."""
    n = 3000
    X, y = np.arange(float(n))[:, None], np.arange(n) % 2
    model = tw.C45Classifier(min_samples_leaf=1, pruner=None, collapse=False, mdl=False).fit(X, y)
    assert model.tree_.n_leaves > 1
    assert tw.C45Classifier(min_samples_leaf=1).fit(X, y).tree_.n_leaves >= 1


def test_deep_trees_that_are_given_up_are_safe() -> None:
    """Rows that weigh less and less are split off one by one: too long a chain to free by recursion."""
    n = 8000
    X, y, weight = -np.arange(float(n))[:, None], np.arange(n) % 2, 1.05 ** np.arange(n)
    dataset = replace(Dataset.from_table(X, y, task="classification"), weight=weight)  # of any size
    recipe = C45Recipe(min_samples_leaf=1, mdl=False).unpruned()
    raised: list[BaseException] = []

    def refuse(share: float) -> None:
        if share > 0.3:
            raise InterruptedError

    def grow() -> None:
        try:
            recipe.grow(dataset, n_jobs=1, progress=refuse)
        except InterruptedError as error:
            raised.append(error)

    usual = threading.stack_size(128 * 1024)
    try:
        thread = threading.Thread(target=grow)
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    assert raised


def test_text_of_c45_gives_cases_and_errors() -> None:
    X, y = program_table("weather_nominal")
    text = tw.C45Classifier(compat="j48").fit(X, y).text()
    assert text.splitlines() == [
        "outlook = sunny",
        "|   humidity = high: no (3.0)",
        "|   humidity = normal: yes (2.0)",
        "outlook = overcast: yes (4.0)",
        "outlook = rainy",
        "|   windy = TRUE: no (2.0)",
        "|   windy = FALSE: yes (3.0)",
    ]


@pytest.mark.parametrize(
    ("learner", "parameter", "value"),
    [
        (tw.C45Classifier, "confidence", 1.5),
        (tw.C45Classifier, "compat", "weka"),
        (tw.CARTClassifier, "use_surrogates", 3),
        (tw.CARTClassifier, "cv", 1),
        (tw.CARTRegressor, "criterion", "gini"),
    ],
)
def test_bad_parameters_are_named(learner: Any, parameter: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {learner.__name__}"):
        learner(**{parameter: value}).fit([[1.0], [2.0]], [0, 1])


def test_rpart_drops_rows_without_any_value_unless_they_are_weighed() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, np.nan]})
    learner = tw.CARTClassifier(min_samples_split=2, min_samples_leaf=1, cv=None, compat="rpart")
    y = list("uuvvv")
    assert learner.fit(X, y).tree_.count[0] == 4
    assert learner.fit(X, y, sample_weight=np.ones(5)).tree_.count[0] == 5
    assert learner.set_params(compat=None).fit(X, y).tree_.count[0] == 5


@pytest.mark.parametrize("cv", [None, 5])
def test_files_keep_what_cart_knows_of_its_tree(tmp_path: Path, cv: int | None) -> None:
    X, y = program_table("labor")
    model = tw.CARTClassifier(min_samples_leaf=2, min_samples_split=4, cp=0.0, cv=cv).fit(X, y)
    model.save(tmp_path / "model.tw")
    same: Any = tw.load(tmp_path / "model.tw")
    assert same.variable_importance_ == model.variable_importance_
    assert same.summary() == model.summary()
    assert list(same.cp_table_) == list(model.cp_table_)
    for column in model.cp_table_:
        np.testing.assert_array_equal(same.cp_table_[column], model.cp_table_[column])
    header, arrays = read_model(tmp_path / "model.tw")
    for broken in (
        {"own_credit": arrays["own_credit"][1:]},
        {"own_cp_table": arrays["own_cp_table"][::-1].copy()},
        {"own_more": arrays["own_complexity"]},
    ):
        write_model(tmp_path / "broken.tw", header, arrays | broken)
        with pytest.raises(ModelFileError, match="the model is broken"):
            tw.load(tmp_path / "broken.tw")


def test_a_pruned_tree_has_no_figures_of_the_grown_one() -> None:
    X, y = program_table("labor")
    pruned = tw.prune(
        tw.CARTClassifier(cp=0.0, min_samples_leaf=1, cv=None).fit(X, y), tw.pruning.Pessimistic()
    )
    assert not hasattr(pruned, "cp_table_")
    with pytest.raises(AttributeError, match="pruned since"):
        pruned.summary()


def test_models_travel(tmp_path: Path) -> None:
    X, y = program_table("labor")
    for model in (tw.C45Classifier(), tw.CARTClassifier(cv=None)):
        model.fit(X, y).save(tmp_path / "model.tw")
        again = tw.load(tmp_path / "model.tw")
        assert type(again) is type(model)
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.filterwarnings("ignore:.*folds")
@pytest.mark.parametrize("n_rows", [1, 2, 5])
@pytest.mark.parametrize("parameters", [{}, {"se": 1.0}, {"compat": "rpart"}, {"cp": -1.0}])
def test_a_table_of_fewer_rows_than_folds_is_validated_row_by_row(n_rows, parameters) -> None:
    X, y = tw.datasets.load_mushrooms()
    small = {"min_samples_split": 2, "min_samples_leaf": 1} | parameters
    model = tw.CARTClassifier(**small).fit(X[:n_rows], y[:n_rows])
    if n_rows > 1:
        one_by_one = tw.CARTClassifier(**small, cv=list(range(1, n_rows + 1))).fit(X[:n_rows], y[:n_rows])
        assert model.cp_table_.xerror.tolist() == one_by_one.cp_table_.xerror.tolist()
    assert np.isfinite(model.cp_table_.xerror).all()
    assert tw.CARTClassifier(**parameters).fit(X[:n_rows], y[:n_rows]).get_n_leaves() == 1
