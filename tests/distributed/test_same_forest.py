"""The forest of a table in files is that of the same rows in memory, byte for byte, however they are cut."""

import numpy as np
import pyarrow as pa
import pytest

import treewright as tw
from helpers.open_tables import TABLES, N, regression_table, table_of, weights_of, write
from treewright.distributed.drawn import Drawn
from treewright.distributed.memory import LEAST_SUBTREE, Budget
from treewright.distributed.parts import Part

CLASSES = {"n_estimators": 4, "random_state": 5}


@pytest.fixture(autouse=True)
def few_rows_in_memory(request, monkeypatch):
    """Subtrees of few rows, so that partitions are asked about many nodes."""
    many = "categories" in getattr(getattr(request.node, "callspec", None), "params", {}).values()
    monkeypatch.setattr(Budget, "subtree_rows", LEAST_SUBTREE if many else 700)


def assert_same(expected, found):
    assert len(expected.trees_) == len(found.trees_)
    for one, other in zip(expected.trees_, found.trees_, strict=True):
        for name, array in one.arrays().items():
            assert array.tobytes() == other.arrays()[name].tobytes(), name
    for name, array in expected.trees_.arrays.items():
        assert array.dtype == found.trees_.arrays[name].dtype, name
        assert array.tobytes() == found.trees_.arrays[name].tobytes(), name
    assert expected.trees_.schema == found.trees_.schema
    assert np.array_equal(expected.draws_.times(1), found.draws_.times(1))


def in_memory(model, table, weight=None):
    given = None if weight is None else np.asarray(table[weight])
    return model.fit(table.drop(["y"] if weight is None else ["y", weight]), table["y"], given)


@pytest.mark.parametrize("name", TABLES)
def test_full_depth_for_any_partitioning(name, tmp_path):
    table = table_of(name)
    expected = in_memory(tw.RandomForestClassifier(**CLASSES), table)
    for n_files in (1, 3, 17):
        folder = tmp_path / str(n_files)
        folder.mkdir()
        opened = write(table, folder, n_files)
        found = tw.RandomForestClassifier(**CLASSES).fit(opened, "y")
        assert_same(expected, found)
    rows, y = table.drop(["y"]), np.asarray(table["y"])
    assert (found.predict(opened) == expected.predict(rows)).all()
    assert (found.predict_proba(opened) == expected.predict_proba(rows)).all()
    assert (found.apply(opened) == expected.apply(rows)).all()
    assert found.score(opened, "y") == expected.score(rows, y)
    assert str(found.evaluate(opened, "y")) == str(expected.evaluate(rows, y))


def test_ten_trees(tmp_path):
    table = table_of("seven classes")
    expected = in_memory(tw.RandomForestClassifier(10, random_state=5), table)
    for n_files in (1, 3, 17):
        folder = tmp_path / str(n_files)
        folder.mkdir()
        found = tw.RandomForestClassifier(10, random_state=5).fit(write(table, folder, n_files), "y")
        assert_same(expected, found)


@pytest.mark.parametrize(
    "model",
    [
        tw.RandomForestClassifier(2, random_state=1, max_depth=7),
        tw.RandomForestClassifier(2, random_state=1, max_samples=0.4, class_weight="balanced"),
        tw.ExtraTreesClassifier(2, random_state=1, class_weight="balanced", max_depth=7),
    ],
    ids=str,
)
@pytest.mark.parametrize("weighed", [False, True])
def test_a_fold_is_a_table_of_its_own(model, weighed, tmp_path):
    """The forest of some rows is that of memory on them, as cross-validation grows it."""
    table, part = table_of("three classes"), Part(3, 1, seed=4)
    if weighed:
        table = table.append_column("w", pa.array(weights_of("tenths", np.random.default_rng(3))))
    weight = "w" if weighed else None
    rows = table.take(np.flatnonzero(part.takes(np.arange(N))))
    expected = in_memory(type(model)(**model.get_params()), rows, weight)
    with model._open_rows(write(table, tmp_path, 3), "y", weight) as opened:
        model._fit_parts(opened, (part,))
    assert_same(expected, model)


@pytest.mark.parametrize("name", TABLES)
def test_cuts_that_are_drawn(name, tmp_path):
    table = table_of(name)
    expected = in_memory(tw.ExtraTreesClassifier(**CLASSES), table)
    for n_files in (1, 7):
        folder = tmp_path / str(n_files)
        folder.mkdir()
        found = tw.ExtraTreesClassifier(**CLASSES).fit(write(table, folder, n_files), "y")
        assert_same(expected, found)


@pytest.mark.parametrize(
    "parameters",
    [
        {"bootstrap": True, "criterion": "entropy", "max_depth": 8},
        {"max_features": None, "min_samples_leaf": 10},
        {"max_features": 1, "class_weight": "balanced"},
        {"category_order": "node", "max_depth": 5},
    ],
    ids=str,
)
def test_parameters_of_drawn_cuts(parameters, tmp_path):
    table = table_of("few categories")
    model = tw.ExtraTreesClassifier(**(CLASSES | {"n_estimators": 2} | parameters))
    expected = in_memory(tw.ExtraTreesClassifier(**model.get_params()), table)
    assert_same(expected, model.fit(write(table, tmp_path, 3), "y"))


@pytest.mark.parametrize(
    "parameters",
    [
        {"criterion": "entropy", "max_depth": 8},
        {"max_features": 1},
        {"max_features": None, "max_depth": 6},
        {"max_features": 0.8, "min_samples_leaf": 20},
        {"max_samples": 0.3, "min_weight_fraction_leaf": 0.01},
        {"max_samples": 0.3, "min_weight_fraction_leaf": 0.01, "max_features": None},
        {"bootstrap": False, "max_features": 2},
        {"class_weight": "balanced_subsample"},
        {"class_weight": "balanced"},
        {"class_weight": "balanced", "bootstrap": False},
        {"category_order": "node", "max_depth": 5},
        {"min_impurity_decrease": 1e-3},
        {"ccp_alpha": 1e-3},
        {"shrinkage": 10.0},
    ],
    ids=str,
)
def test_parameters(parameters, tmp_path):
    table = table_of("few categories")
    model = tw.RandomForestClassifier(**(CLASSES | {"n_estimators": 2} | parameters))
    expected = in_memory(tw.RandomForestClassifier(**model.get_params()), table)
    found = model.fit(write(table, tmp_path, 3), "y")
    if "shrinkage" in parameters:
        assert list(expected.trees_) == list(found.trees_)
    else:
        assert_same(expected, found)


@pytest.mark.parametrize("kind", ["tenths", "all sizes", "whole"])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"bootstrap": False}, {"bootstrap": False, "class_weight": "balanced", "max_depth": 6}],
    ids=str,
)
def test_weights(kind, parameters, tmp_path):
    rng = np.random.default_rng(7)
    weight = rng.integers(0, 3, N).astype(float) if kind == "whole" else weights_of(kind, rng)
    table = table_of("few categories").append_column("w", pa.array(weight))
    model = tw.RandomForestClassifier(**(CLASSES | {"n_estimators": 2} | parameters))
    expected = in_memory(tw.RandomForestClassifier(**model.get_params()), table, "w")
    assert_same(expected, model.fit(write(table, tmp_path, 5), "y", "w"))


@pytest.mark.parametrize("kind", [tw.RandomForestRegressor, tw.ExtraTreesRegressor])
@pytest.mark.parametrize("name", ["heavy tails", "few categories"])
@pytest.mark.parametrize("parameters", [{}, {"max_features": 2, "max_depth": 9}], ids=str)
def test_regression(kind, name, parameters, tmp_path):
    table = regression_table(name)
    model = kind(2, random_state=3, **parameters)
    expected = in_memory(kind(**model.get_params()), table)
    opened = write(table, tmp_path, 3)
    found = model.fit(opened, "y")
    assert_same(expected, found)
    assert (found.predict(opened) == expected.predict(table.drop(["y"]))).all()


@pytest.mark.parametrize(
    "model",
    [
        tw.RandomForestClassifier(oob_score=True),
        tw.RandomForestClassifier(warm_start=True),
        tw.RandomForestClassifier(max_leaf_nodes=8),
        tw.RandomForestClassifier(missing="surrogate"),
    ],
    ids=str,
)
def test_what_is_refused_is_named(model, tmp_path):
    with pytest.raises(ValueError, match="table in memory"):
        model.fit(write(table_of("numbers"), tmp_path, 2), "y")


def test_draws_by_other_chances_are_other_draws():
    """A block of draws is kept for the partitions after it, and never for another table's."""
    even, first = np.ones(100), np.r_[1.0, np.zeros(99)]
    assert Drawn(100, 1, 50, even).times(0, 100)[0] < 50
    assert Drawn(100, 1, 50, first).times(0, 100)[0] == 50
    assert Drawn(100, 1, 50).times(0, 100)[0] < 50
