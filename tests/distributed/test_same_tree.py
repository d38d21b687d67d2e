"""The tree of a table in files is that of the same rows in memory, byte for byte, however they are cut."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from helpers.open_tables import (
    TABLES,
    N,
    assert_same,
    in_memory,
    regression_table,
    table_of,
    weights_of,
    write,
)
from treewright.distributed.memory import LEAST_SUBTREE, Budget


@pytest.fixture(autouse=True)
def few_rows_in_memory(request, monkeypatch):
    """Subtrees of few rows, so that partitions are asked about many nodes."""
    many = (
        "categories" in request.node.callspec.params.values() if hasattr(request.node, "callspec") else False
    )
    monkeypatch.setattr(Budget, "subtree_rows", LEAST_SUBTREE if many else 700)


NUMBERS = ["numbers", "missing", "few categories", "categories", "noise", "heavy tails", "far from zero"]
CLASSES = [(tw.DecisionTreeClassifier, table_of, name) for name in TABLES]
REGRESSION = [(tw.DecisionTreeRegressor, regression_table, name) for name in NUMBERS]


@pytest.mark.parametrize(
    ("learner", "make", "name"),
    [*CLASSES, *REGRESSION, (tw.DecisionTreeRegressor, regression_table, "few values")],
)
def test_depth_8_for_any_partitioning(learner, make, name, tmp_path):
    table = make(name)
    expected = in_memory(learner(max_depth=8), table)
    assert len(expected) > 50
    for n_files in (1, 3, 17):
        folder = tmp_path / str(n_files)
        folder.mkdir()
        assert_same(expected, learner(max_depth=8).fit(write(table, folder, n_files), "y").tree_)


@pytest.mark.parametrize(("learner", "make", "name"), [*CLASSES, *REGRESSION])
def test_full_depth_and_shuffled_rows(learner, make, name, tmp_path):
    table = make(name)
    expected = in_memory(learner(), table)
    shuffled = table.take(np.random.default_rng(0).permutation(len(table)))
    assert_same(expected, learner().fit(write(shuffled, tmp_path, 5), "y").tree_)


@pytest.mark.parametrize(
    "parameters",
    [
        {"criterion": "entropy", "max_depth": 6},
        {"criterion": "sqrt", "max_depth": 6},
        {"criterion": "error", "max_depth": 6},
        {"ties": "random", "random_state": 3},
        {"ties": "first", "min_samples_leaf": 40},
        {"max_features": 2, "random_state": 4},
        {"splitter": "random", "random_state": 4},
        {"min_samples_leaf": 0.002, "min_samples_split": 0.01},
        {"min_weight_fraction_leaf": 0.01, "min_impurity_decrease": 2e-4},
        {"category_order": "once", "max_depth": 5},
        {"category_order": "node", "max_depth": 4},
        {"splits": ("threshold", "multiway"), "max_depth": 4},
        {"ccp_alpha": 0.001},
        {"cut": "short", "max_depth": 6},
    ],
    ids=str,
)
def test_parameters(parameters, tmp_path):
    table = table_of("few categories")
    expected = in_memory(tw.DecisionTreeClassifier(**parameters), table)
    found = tw.DecisionTreeClassifier(**parameters).fit(write(table, tmp_path, 3), "y").tree_
    assert_same(expected, found)


def test_whole_weights_and_rows_without(tmp_path):
    rng = np.random.default_rng(5)
    table = table_of("few categories").append_column("w", pa.array(rng.integers(0, 4, N).astype(float)))
    expected = in_memory(tw.DecisionTreeClassifier(max_depth=7), table, "w")
    found = tw.DecisionTreeClassifier(max_depth=7).fit(write(table, tmp_path, 4), "y", "w").tree_
    assert_same(expected, found)


def test_partitions_where_all_rows_count_one_or_none(tmp_path):
    table = table_of("numbers").append_column("w", pa.array(np.repeat([1.0, 0.0, 2.0], N // 3)))
    expected = in_memory(tw.DecisionTreeClassifier(max_depth=5), table, "w")
    found = tw.DecisionTreeClassifier(max_depth=5).fit(write(table, tmp_path, 3), "y", "w").tree_
    assert_same(expected, found)


@pytest.mark.parametrize("name", ["numbers", "three classes", "few categories", "categories"])
@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": "balanced"},
        {"class_weight": "balanced", "criterion": "entropy", "max_depth": 6},
        {"class_weight": "balanced", "min_weight_fraction_leaf": 0.003, "min_impurity_decrease": 1e-4},
    ],
    ids=str,
)
def test_class_weights_whose_sums_round(name, parameters, tmp_path):
    table = table_of(name)
    expected = in_memory(tw.DecisionTreeClassifier(**parameters), table)
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    for n_files, rows in ((1, table), (17, shuffled)):
        folder = tmp_path / str(n_files)
        folder.mkdir()
        found = tw.DecisionTreeClassifier(**parameters).fit(write(rows, folder, n_files), "y").tree_
        assert_same(expected, found)


@pytest.mark.parametrize("kind", ["tenths", "all sizes"])
@pytest.mark.parametrize("parameters", [{}, {"class_weight": "balanced", "max_depth": 8}], ids=str)
def test_weights_whose_sums_round(kind, parameters, tmp_path):
    table = table_of("few categories")
    table = table.append_column("w", pa.array(weights_of(kind, np.random.default_rng(7))))
    expected = in_memory(tw.DecisionTreeClassifier(**parameters), table, "w")
    shuffled = table.take(np.random.default_rng(2).permutation(len(table)))
    found = tw.DecisionTreeClassifier(**parameters).fit(write(shuffled, tmp_path, 7), "y", "w").tree_
    assert_same(expected, found)


def test_priors_and_costs_by_weights_that_round(tmp_path):
    table = table_of("three classes")
    table = table.append_column("w", pa.array(weights_of("tenths", np.random.default_rng(3))))
    parameters = {"priors": [0.5, 0.3, 0.2], "costs": [[0, 1, 2], [3, 0, 1], [1, 1, 0]], "max_depth": 7}
    expected = in_memory(tw.DecisionTreeClassifier(**parameters), table, "w")
    found = tw.DecisionTreeClassifier(**parameters).fit(write(table, tmp_path, 5), "y", "w").tree_
    assert_same(expected, found)


@pytest.mark.parametrize("kind", ["tenths", "all sizes"])
def test_regression_by_weights_whose_sums_round(kind, tmp_path):
    table = regression_table("heavy tails")
    table = table.append_column("w", pa.array(weights_of(kind, np.random.default_rng(4))))
    parameters = {"min_weight_fraction_leaf": 1e-4, "min_impurity_decrease": 1e-9}
    expected = in_memory(tw.DecisionTreeRegressor(**parameters), table, "w")
    shuffled = table.take(np.random.default_rng(5).permutation(len(table)))
    found = tw.DecisionTreeRegressor(**parameters).fit(write(shuffled, tmp_path, 3), "y", "w").tree_
    assert_same(expected, found)


def test_numbers_that_are_categories_and_classes(tmp_path, monkeypatch):
    monkeypatch.setattr(Budget, "subtree_rows", LEAST_SUBTREE)  # of 300 categories, which have ranks
    rng = np.random.default_rng(2)
    code = rng.integers(0, 300, N)
    y = (code * 7919 % 5 + (rng.random(N) < 0.1)) % 5
    table = pa.table({"code": code, "grade": code % 9, "x": rng.normal(size=N), "y": y})
    kinds = {"categorical_features": ["code"], "ordinal_features": {"grade": [8, 7, 6, 5, 4, 3, 2, 1, 0]}}
    expected = in_memory(tw.DecisionTreeClassifier(**kinds), table)
    found = tw.DecisionTreeClassifier(**kinds).fit(write(table, tmp_path, 3), "y")
    assert found.classes_.tolist() == [0, 1, 2, 3, 4]
    assert_same(expected, found.tree_)


def test_nodes_below_the_limit_of_a_subtree_are_grown_whole(tmp_path):
    table = table_of("numbers").slice(0, 50)
    expected = in_memory(tw.DecisionTreeClassifier(), table)
    assert_same(expected, tw.DecisionTreeClassifier().fit(write(table, tmp_path, 3), "y").tree_)


def test_one_class_is_a_leaf(tmp_path):
    table = pa.table({"x": np.arange(20_000.0), "y": ["a"] * 20_000})
    found = tw.DecisionTreeClassifier().fit(write(table, tmp_path, 2), "y").tree_
    assert_same(in_memory(tw.DecisionTreeClassifier(), table), found)
    assert len(found) == 1


def test_predictions_are_in_the_order_of_the_files(tmp_path):
    table = table_of("few categories")
    opened = write(table, tmp_path, 3)
    model = tw.DecisionTreeClassifier(max_depth=6).fit(opened, "y")
    X = table.drop_columns(["y"])
    np.testing.assert_array_equal(model.predict(opened), model.predict(X))
    np.testing.assert_array_equal(model.predict_proba(opened), model.predict_proba(X))
    np.testing.assert_array_equal(model.apply(opened), model.apply(X))
    assert model.score(opened, "y") == model.score(X, table["y"].to_numpy())
    assert model.evaluate(opened, "y").figures == model.evaluate(X, table["y"].to_numpy()).figures
    assert model.target_name_ == "y"


def test_weights_count_where_those_of_a_file_are_all_one(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0, 1.0, 2.0], "y": ["a", "b", "b", "b"], "w": [1.0, 1.0, 3.0, 2.0]})
    frame[:2].to_parquet(tmp_path / "0.parquet")
    frame[2:].to_parquet(tmp_path / "1.parquet")
    model = tw.DecisionTreeClassifier().fit(tw.open_table(tmp_path), "y", sample_weight="w")
    assert model.tree_ == tw.DecisionTreeClassifier().fit(frame[["x"]], frame["y"], frame["w"]).tree_
