"""TreeClassifier and TreeRegressor of files: the tree that the same folds give in memory."""

import numpy as np
import pyarrow as pa
import pytest

import treewright as tw
from helpers.open_tables import N, regression_table, table_of, weights_of, write
from treewright.data.folds import folds_by_number
from treewright.distributed.memory import LEAST_SUBTREE, Budget


@pytest.fixture(autouse=True)
def few_rows_in_memory(monkeypatch):
    """Subtrees of few rows, so that partitions are asked about several nodes."""
    monkeypatch.setattr(Budget, "subtree_rows", LEAST_SUBTREE)


def folds(n_rows, n_folds=5, seed=0):
    """The folds of an open table as in memory they are given."""
    of_row = folds_by_number(np.arange(n_rows), n_folds, seed)
    return [(np.flatnonzero(of_row != fold), np.flatnonzero(of_row == fold)) for fold in range(n_folds)]


def assert_same_model(found, expected):
    assert found.tree_.schema == expected.tree_.schema
    theirs = expected.tree_.arrays()
    for name, array in found.tree_.arrays().items():
        assert array.tobytes() == theirs[name].tobytes(), name
    assert found.shrinkage_ == expected.shrinkage_
    np.testing.assert_allclose(found.path_.held_out, expected.path_.held_out, rtol=1e-12)


@pytest.mark.parametrize("name", ["three classes", "few categories", "missing"])
def test_classes(name, tmp_path):
    table = table_of(name)
    X, y = table.drop_columns(["y"]), table["y"]
    expected = tw.TreeClassifier(cv=folds(N)).fit(X, y)
    found = tw.TreeClassifier().fit(write(table, tmp_path, 3), "y")
    assert 2 < found.tree_.n_leaves < 500
    assert_same_model(found, expected)
    assert found.pruner_ == expected.pruner_


@pytest.mark.parametrize("name", ["numbers", "heavy tails"])
def test_numbers(name, tmp_path):
    table = regression_table(name)
    expected = tw.TreeRegressor(cv=folds(N, 3, 7)).fit(table.drop_columns(["y"]), table["y"])
    found = tw.TreeRegressor(cv=3, random_state=7).fit(write(table, tmp_path, 4), "y")
    assert_same_model(found, expected)


@pytest.mark.parametrize(
    "parameters",
    [{"class_weight": "balanced"}, {"alpha": 0.002}, {"alpha": 0.002, "shrinkage": 5.0}, {"shrinkage": 0.0}],
    ids=str,
)
def test_parameters_and_weights(parameters, tmp_path):
    table = table_of("numbers").append_column("w", pa.array(weights_of("tenths", np.random.default_rng(1))))
    X, y, w = table.drop_columns(["y", "w"]), table["y"], table["w"].to_numpy()
    expected = tw.TreeClassifier(cv=folds(N), max_depth=9, **parameters).fit(X, y, w)
    found = tw.TreeClassifier(max_depth=9, **parameters).fit(write(table, tmp_path, 3), "y", "w")
    for name, array in found.tree_.arrays().items():
        assert array.tobytes() == expected.tree_.arrays()[name].tobytes(), name


def test_few_rows_have_no_folds(tmp_path):
    table = table_of("numbers").slice(0, 8)
    found = tw.TreeClassifier().fit(write(table, tmp_path, 2), "y")
    assert found.tree_ == tw.TreeClassifier().fit(table.drop_columns(["y"]), table["y"]).tree_
