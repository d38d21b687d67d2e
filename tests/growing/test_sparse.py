"""Sparse tables grow the trees of dense ones, predict the same, and are never made dense as a whole."""

from __future__ import annotations

import resource
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

import treewright as tw
from treewright import Dataset, Recipe, grow
from treewright.data import sparse
from treewright.data.sparse_dataset import SparseDataset
from treewright.errors import DataError
from treewright.persistence.trees import tree_to_bytes

FORMS = (sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix, sp.coo_array)


def table(random: np.random.Generator, *, missing: bool = True) -> tuple[Any, NDArray[np.float64]]:
    """A random table, sparse and dense: ties, values below and above zero, stored zeros, missing values."""
    shape = int(random.integers(2, 120)), int(random.integers(1, 12))
    values = (
        random.normal(size=shape),
        random.integers(-3, 4, size=shape).astype(float),
        random.integers(1, 3, size=shape).astype(float),
    )[random.integers(3)]
    dense = np.where(random.random(shape) < random.choice([0.02, 0.1, 0.3, 0.6, 1.0]), values, 0.0)
    if missing and random.random() < 0.4:
        dense[random.random(shape) < 0.1] = np.nan
    stored = sp.csr_array(dense)
    stored.data[random.random(stored.nnz) < 0.1] = 0.0
    return FORMS[random.integers(len(FORMS))](stored), stored.toarray()


def target(random: np.random.Generator, X: NDArray[np.float64], n_classes: int) -> NDArray[Any]:
    """Classes, or numbers if there are none, that hang on the first column."""
    if not n_classes:
        return np.abs(random.normal(size=len(X)) + np.nan_to_num(X[:, 0]))
    noise: NDArray[Any] = random.integers(0, n_classes, size=len(X))
    return np.where(random.random(len(X)) < 0.5, noise, (np.nan_to_num(X[:, 0]) > 0).astype(int))


def weights(random: np.random.Generator, n: int) -> NDArray[np.float64] | None:
    if random.random() < 0.5:
        return None
    weight = random.choice([0.0, 0.3, 1.0, 2.0], size=n) + (random.random(n) if random.random() < 0.5 else 0)
    return weight if weight.any() else None


def recipe(random: np.random.Generator, n_classes: int, n_features: int, seed: int) -> Recipe:
    """Any recipe that sparse tables grow by."""
    criteria = ("gini", "entropy", "twoing") if n_classes else ("squared_error", "poisson")
    rare: dict[str, Any] = {
        "max_features": int(random.integers(1, n_features + 1)),
        "min_samples_leaf": int(random.integers(1, 8)),
        "min_samples_split": int(random.integers(2, 20)),
        "max_depth": int(random.integers(1, 6)),
        "min_impurity_decrease": 0.01,
        "min_weight_fraction_leaf": 0.05,
        "max_leaf_nodes": int(random.integers(2, 12)),
    }
    chosen = {name: value for name, value in rare.items() if random.random() < 0.3}
    if "max_leaf_nodes" in chosen:
        chosen["order"] = "best_first"
    if n_classes and random.random() < 0.2:
        chosen["class_weight"] = "balanced"
    return Recipe(
        str(random.choice(criteria)),
        splitter=str(random.choice(["best", "best", "random"])),
        ties=str(random.choice(["first", "last", "random"])),
        random_state=seed,
        **chosen,
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_tree_of_a_sparse_table_is_that_of_the_dense_one_byte_for_byte(seed: int) -> None:
    random = np.random.default_rng(seed)
    for case in range(15):
        X, dense = table(random)
        n_classes = int(random.choice([0, 2, 2, 3, 5]))
        y, weight = target(random, dense, n_classes), weights(random, len(dense))
        by = recipe(random, n_classes, dense.shape[1], case)
        task: Any = "classification" if n_classes else "regression"
        stored = Dataset.from_table(X, y, task=task, sample_weight=weight)
        assert isinstance(stored, SparseDataset)
        whole = Dataset.from_table(dense, y, task=task, sample_weight=weight)
        assert stored.schema == whole.schema
        tree = grow(stored, by, warn_of_odd=False)
        assert "numbers" not in vars(stored)  # nobody asked for the table as a whole
        assert tree_to_bytes(tree) == tree_to_bytes(grow(whole, by, warn_of_odd=False)), by


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["RandomForest", "ExtraTrees"])
@pytest.mark.parametrize("task", ["Classifier", "Regressor"])
def test_the_forest_of_a_sparse_table_is_that_of_the_dense_one(kind: str, task: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    X, dense = table(random, missing=False)
    y, weight = target(random, dense, 3 if task == "Classifier" else 0), weights(random, len(dense))
    model = getattr(tw, kind + task)
    options: dict[str, Any] = {
        "random_state": seed,
        "bootstrap": bool(random.integers(2)),
        "n_jobs": 1 + seed % 2,
    }
    options["max_features"] = random.choice(["sqrt", None])
    options["oob_score"] = options["bootstrap"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows are out of no bag
        ours = model(7, **options).fit(X, y, weight)
        theirs = model(7, **options).fit(dense, y, weight)
    assert ours.trees_ == theirs.trees_
    assert np.array_equal(ours.predict(X), theirs.predict(dense))
    assert np.array_equal(ours.apply(X), theirs.apply(dense))
    assert (ours.decision_path(X)[0] != theirs.decision_path(dense)[0]).nnz == 0
    if task == "Classifier":
        assert np.array_equal(ours.predict_proba(X), theirs.predict_proba(dense))
    if options["oob_score"]:
        told = "oob_decision_function_" if task == "Classifier" else "oob_prediction_"
        assert np.array_equal(getattr(ours, told), getattr(theirs, told), equal_nan=True)


@pytest.mark.parametrize("density", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("number", [np.float64, np.float32, np.int32, np.bool_])
def test_rows_end_where_dense_ones_do(density: float, number: Any) -> None:
    random = np.random.default_rng(0)
    dense = np.where(random.random((400, 60)) < density, random.normal(size=(400, 60)), 0).astype(number)
    y = (dense[:, :5].sum(1) + random.normal(size=400) > 0.3).astype(int)
    tree = tw.DecisionTreeClassifier(random_state=0).fit(dense, y)
    forest = tw.RandomForestRegressor(9, random_state=0).fit(dense, y)
    for form in FORMS:
        X = form(dense)
        assert np.array_equal(tree.apply(X), tree.apply(dense))
        assert np.array_equal(tree.predict_proba(X), tree.predict_proba(dense))
        assert (tree.decision_path(X) != tree.decision_path(dense)).nnz == 0
        assert tree.score(X, y) == tree.score(dense, y)
        assert np.array_equal(forest.predict(X), forest.predict(dense))
        assert np.array_equal(forest.apply(X), forest.apply(dense))


def test_memory_goes_by_stored_values() -> None:
    random, n = np.random.default_rng(0), 100_000
    column = random.integers(0, n, size=5 * n)
    X = sp.csr_array((np.ones(5 * n), column, np.arange(0, 5 * n + 1, 5)), shape=(n, n))
    y = (column.reshape(n, 5) < n // 8).any(axis=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model = tw.DecisionTreeClassifier(max_depth=2, n_jobs=1).fit(X, y)
    model.predict(X)
    tw.RandomForestClassifier(2, max_depth=2, random_state=0, n_jobs=1).fit(X, y).predict(X)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_000_000  # kB; dense it is 80 GB


# ---- what sparse tables do not take ---------------------------------------------------------------


def test_missing_values_are_refused_as_scikit_learn_does() -> None:
    X = sp.csr_array(np.array([[0, 1.0], [np.nan, 2.0], [0, 3.0]]))
    for model in (tw.DecisionTreeClassifier(), tw.RandomForestRegressor(2), tw.ExtraTreesClassifier(2)):
        with pytest.raises(DataError, match=r"Input X contains NaN: column 'x0' \(1 row, first 1\)"):
            model.fit(X, [0, 1, 1])
        model.fit(X.toarray(), [0, 1, 1])
        with pytest.raises(DataError, match="Input X contains NaN"):
            model.predict(X)


def test_infinities_are_refused_or_taken_as_extremes() -> None:
    X = sp.csc_array(np.array([[0, 1.0], [np.inf, 2.0], [0, 3.0]]))
    with pytest.raises(DataError, match=r"infinity in column 'x0' \(1 row, first 1\)"):
        tw.DecisionTreeClassifier().fit(X, [0, 1, 1])
    model = tw.DecisionTreeClassifier(inf="extreme").fit(X, [0, 1, 0])
    assert model.predict(X).tolist() == [0, 1, 0]
    with pytest.raises(DataError, match="infinity in column 'x0'"):
        tw.DecisionTreeClassifier().fit(X.toarray()[[0, 2]], [0, 1]).predict(X)


DENSE_ONLY: dict[str, Any] = {
    "criterion='absolute_error'": {"criterion": "absolute_error"},
    "monotonic": {"monotonic_cst": [1, 0]},
    "max_bins": {"max_bins": 4},
}


@pytest.mark.parametrize("name", DENSE_ONLY)
def test_what_needs_a_dense_table_makes_small_ones_dense_and_refuses_large_ones(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = sp.csr_array(np.array([[0, 1.0], [2.0, 2.0], [0, 3.0]])), [1.0, 2.0, 2.0]
    model = tw.DecisionTreeRegressor(**DENSE_ONLY[name])
    assert model.fit(X, y).tree_ == model.fit(X.toarray(), y).tree_
    monkeypatch.setattr(sparse, "MOST_DENSE", 5)
    with pytest.raises(DataError, match=rf"^X is sparse, and {name} needs it dense: 3 × 2 values"):
        model.fit(X, y)


def _broken(form: str, part: str, value: int) -> Any:
    X = sp.csr_array(np.eye(3)).asformat(form)
    getattr(X, part)[1] = value
    return X


@pytest.mark.parametrize("value", [77, -77])
@pytest.mark.parametrize(
    ("form", "part"),
    [(form, part) for form in ("csr", "csc") for part in ("indices", "indptr")]
    + [("coo", "row"), ("coo", "col")],
)
@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_broken_matrix_is_refused(form: str, part: str, value: int, canonical: bool) -> None:
    """Before SciPy reads or writes where there is nothing: it does not look, and ends the process."""
    y = [0, 1, 1]
    X = _broken(form, part, value)
    X.has_canonical_format = canonical
    for learner in (
        tw.DecisionTreeClassifier,
        tw.CARTClassifier,
        tw.C45Classifier,
        tw.RandomForestClassifier,
    ):
        with pytest.raises(DataError, match=r"^X is a sparse matrix whose indices do not fit its shape\.$"):
            learner().fit(X, y)
        with pytest.raises(DataError, match=r"^X is a sparse matrix whose indices do not fit its shape\.$"):
            learner().fit(np.eye(3), y).predict(X)
