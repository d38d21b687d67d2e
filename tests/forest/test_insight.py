"""What many trees tell: importance, proximity, quantiles, standard errors, held to loops and simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import treewright as tw
from helpers.oracles import load
from treewright.forest import LeafRows, Proximity


@pytest.fixture(scope="module")
def iris() -> tuple[Any, Any, Any]:
    X, y = load_iris(return_X_y=True)
    return tw.RandomForestClassifier(60, random_state=0).fit(X, y), X, y


@pytest.fixture(scope="module")
def diabetes() -> tuple[Any, Any, Any]:
    X, y = load_diabetes(return_X_y=True)
    return tw.RandomForestRegressor(60, random_state=0, max_features=3, min_samples_leaf=3).fit(X, y), X, y


# ---- importance ------------------------------------------------------------------------------------


def test_impurity_importance_is_the_mean_of_the_trees(iris: Any) -> None:
    forest, _, _ = iris
    by_tree = np.array([tree.feature_importances_ for tree in forest])
    found = forest.importances()
    np.testing.assert_allclose(found.impurity, by_tree.mean(axis=0))
    np.testing.assert_allclose(found.spreads["impurity"], by_tree.std(axis=0, ddof=1))
    np.testing.assert_allclose(forest.feature_importances_, found.impurity / found.impurity.sum())
    assert found.permutation is None


def noise_of_many_levels(n: int = 600) -> tuple[pd.DataFrame, Any]:
    """Three features that matter less and less, and one of a thousand levels that does not."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.integers(0, 2, n).astype(float) for name in "abc"})
    table["noise"] = pd.Categorical([f"level {k}" for k in rng.integers(0, 1000, n)])
    score = 2.0 * table["a"] + 1.5 * table["b"] + 1.0 * table["c"] + rng.normal(size=n)
    return table, (score > score.median()).to_numpy()


@pytest.mark.parametrize("category_order", ["once", "node"])
def test_noise_of_many_levels_comes_last_once_corrected(category_order: str) -> None:
    X, y = noise_of_many_levels()
    forest = tw.RandomForestClassifier(
        200, random_state=0, max_features=2, category_order=category_order
    ).fit(X, y)
    with pytest.warns(UserWarning, match="'noise' has .* values and"):
        found = forest.importances(X, y, corrected=True)
    assert found.favoured == ("noise",)
    assert found.ranked()[0] == "noise"  # the bias there is to correct
    for measure in ("corrected", "held_out", "permutation"):
        assert found.ranked(measure)[-1] == "noise", measure
    for measure in ("corrected", "permutation"):
        values, standard_error = getattr(found, measure), found.spreads[measure][3] / np.sqrt(200)
        assert abs(values[3]) < 0.1 * values[0] + 3 * standard_error, measure


@pytest.mark.filterwarnings("ignore:feature .* may be chance")
def test_shadows_are_as_important_as_noise() -> None:
    means = []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(100, 4)), rng.integers(0, 2, 100)
        forest = tw.RandomForestClassifier(20, random_state=seed).fit(X, y)
        means.append(forest.importances(X, y, corrected=True, random_state=seed).corrected.mean())
    assert abs(np.mean(means)) < 3 * np.std(means) / np.sqrt(24)
    assert np.std(means) < 0.05  # the impurity there is to take away is 0.5


@pytest.mark.parametrize("setting", [{"monotonic_cst": [1, 1, 1, 0]}, {"missing": {"a": "mean"}}], ids=str)
def test_a_shadow_is_treated_as_its_feature_is(setting: dict[str, Any]) -> None:
    X, y = noise_of_many_levels()
    forest = tw.RandomForestClassifier(50, random_state=0, **setting).fit(X, y)
    with pytest.warns(UserWarning, match="'noise' has .* this may be chance"):
        found = forest.importances(X, y, corrected=True)
    assert set(found.ranked("corrected")[:2]) == {"a", "b"}


@pytest.mark.filterwarnings("ignore:feature .* may be chance")
def test_what_the_splits_are_worth_out_of_bag_by_hand(diabetes: Any) -> None:
    forest, X, y = diabetes
    grown, held_out = 0.0, np.zeros(10)
    for rows, tree in zip(forest.estimators_samples_, forest.trees_, strict=True):
        out = np.setdiff1d(np.arange(len(y)), rows)
        paths = tree.paths(tree.apply(X[out]).astype(np.int32)).toarray()
        drawn = tree.paths(tree.apply(X[rows]).astype(np.int32)).toarray()
        for node in np.flatnonzero(tree.n_children):
            children = tree.children(node)
            for passed, at in ((paths, out), (drawn, rows)):
                error = [
                    np.sum(passed[:, n] * (y[at] - tree.node_value[n, 0]) ** 2) for n in (node, *children)
                ]
                decrease = (error[0] - error[1] - error[2]) / len(at)
                if at is out:
                    held_out[tree.feature[node]] += decrease
                else:
                    grown += decrease
    np.testing.assert_allclose(forest.importances(X, y).held_out, held_out / grown)


def test_permutation_importance_by_hand(iris: Any) -> None:
    forest, X, y = iris
    found = forest.importances(X, y, random_state=5, n_repeats=20)
    rng = np.random.default_rng(0)
    by_tree = []
    for rows, tree in zip(forest.estimators_samples_, forest, strict=True):
        out = np.setdiff1d(np.arange(len(y)), rows)
        losses = []
        for feature in range(4):
            loss = 0.0
            for _ in range(20):
                shuffled = X[out].copy()
                shuffled[:, feature] = rng.permutation(shuffled[:, feature])
                loss += np.mean(tree.predict(shuffled) != y[out]) - np.mean(tree.predict(X[out]) != y[out])
            losses.append(loss / 20)
        by_tree.append(losses)
    np.testing.assert_allclose(found.permutation, np.mean(by_tree, axis=0), atol=0.01)
    np.testing.assert_allclose(found.spreads["permutation"], np.std(by_tree, axis=0, ddof=1), atol=0.02)
    assert str(found).splitlines()[0].split() == [
        "feature", "impurity", "held", "out", "permutation", "spread", "values"
    ]  # fmt: skip


RECORDED_IMPORTANCES = {  # randomForest 4.7-1.1, 300 trees, mean over 20 seeds: impurity, permutation
    "preg": (28.9997, 0.01554),
    "plas": (89.0239, 0.06757),
    "pres": (30.8998, 0.00247),
    "skin": (24.0082, 0.00425),
    "insu": (25.0986, 0.00680),
    "mass": (57.2264, 0.02749),
    "pedi": (43.4060, 0.00721),
    "age": (47.7746, 0.02559),
}


def test_importances_are_those_of_randomforest() -> None:
    X, y, _ = load("diabetes")
    theirs, permuted = (np.array(column) for column in zip(*RECORDED_IMPORTANCES.values(), strict=True))
    found = tw.RandomForestClassifier(600, max_features=2, random_state=0).fit(X, y).importances(X, y)
    assert found.names == tuple(RECORDED_IMPORTANCES)
    np.testing.assert_allclose(found.impurity, theirs / theirs.sum(), rtol=0.05)
    error = np.hypot(found.spreads["permutation"] / np.sqrt(600), 0.0015 / np.sqrt(20))
    assert (abs(found.permutation - permuted) < 4 * error).all()


def test_importances_say_what_they_need(iris: Any) -> None:
    forest, X, y = iris
    with pytest.raises(ValueError, match=r"Unknown measure of importance 'permutaton': .*'permutation'"):
        forest.importances(X, y).ranked("permutaton")
    with pytest.raises(ValueError, match="needs X and y, the rows of the fit"):
        forest.importances(X)
    with pytest.raises(ValueError, match="needs X and y, the rows of the fit"):
        forest.importances(corrected=True)
    with pytest.raises(ValueError, match="X must have the 150 rows of the fit"):
        forest.importances(X[:10], y[:10])
    with pytest.raises(ValueError, match="y has the class 7, which RandomForestClassifier has not seen"):
        forest.importances(X, np.where(y == 2, 7, y))
    with pytest.raises(ValueError, match="set bootstrap=True"):
        tw.ExtraTreesClassifier(5).fit(X, y).importances(X, y)
    with pytest.raises(ValueError, match="n_repeats must be at least 1, got 0"):
        forest.importances(X, y, n_repeats=0)


# ---- proximity -------------------------------------------------------------------------------------


def proximity_by_hand(forest: Any, X: Any, out_of_bag: bool) -> Any:
    leaf = forest.apply(X)
    counts = np.ones_like(leaf, dtype=bool)
    if out_of_bag:
        counts = np.stack([forest.draws_.out_of_bag(t) for t in range(leaf.shape[1])], axis=1)
    n = len(X)
    near = np.eye(n)
    for i in range(n):
        for j in range(n):
            both = counts[i] & counts[j]
            if i != j and both.any():
                near[i, j] = np.mean(leaf[i, both] == leaf[j, both])
    return near


@pytest.mark.parametrize("out_of_bag", [False, True])
def test_proximity_by_hand(iris: Any, out_of_bag: bool) -> None:
    forest, X, y = iris
    near = forest.proximity(X, out_of_bag=out_of_bag)
    full = near.full()
    np.testing.assert_allclose(full, proximity_by_hand(forest, X, out_of_bag), atol=1e-6)
    np.testing.assert_allclose(near.sparse().toarray(), full, atol=1e-12)
    kept = near.sparse(0.5).toarray()
    np.testing.assert_allclose(kept, np.where(full > 0.5, full, 0.0), atol=1e-12)
    neighbours, proximities = near.nearest(3)
    np.fill_diagonal(full, -1.0)
    np.testing.assert_allclose(proximities, -np.sort(-full, axis=1)[:, :3], atol=1e-6)
    assert np.mean(y[neighbours] == y[:, None]) > 0.9


def test_an_odd_row_is_an_outlier(iris: Any) -> None:
    forest, X, y = iris
    labels = y.copy()
    labels[10] = 2  # the first species, said to be the third
    measure = forest.proximity(X).outliers(labels)
    assert measure.argmax() == 10
    assert measure[10] > 10
    assert np.median(measure[labels == 2]) == pytest.approx(0.0)


def test_outliers_by_hand(iris: Any) -> None:
    forest, X, y = iris
    near = proximity_by_hand(forest, X, out_of_bag=False)
    np.fill_diagonal(near, 0.0)
    squares = np.array([np.sum(near[row, y == y[row]] ** 2) for row in range(len(y))])
    measure = len(y) / squares
    for label in range(3):
        median = np.median(measure[y == label])
        deviation = np.mean(abs(measure[y == label] - median))
        measure[y == label] = (measure[y == label] - median) / deviation
    np.testing.assert_allclose(forest.proximity(X).outliers(y), measure, rtol=1e-6, atol=1e-9)


def test_rows_that_share_no_leaf_come_last_in_their_order() -> None:
    near = Proximity(np.array([[0], [0], [1], [2], [1]]), np.array([0, 3]))
    neighbours, proximities = near.nearest(3)
    assert neighbours.tolist() == [[1, 2, 3], [0, 2, 3], [4, 0, 1], [0, 1, 2], [2, 0, 1]]
    assert proximities.tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert near.sparse().nnz == 9


def test_neighbours_must_be_there() -> None:
    near = Proximity(np.zeros((3, 2), int), np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="k must be from 1 to 2"):
        near.nearest(3)


# ---- quantiles -------------------------------------------------------------------------------------


def test_quantiles_by_hand(diabetes: Any) -> None:
    forest, X, y = diabetes
    rows = forest.leaf_rows(X, y)
    train, new = forest.apply(X), forest.apply(X[:20])
    order = np.argsort(y, kind="stable")
    for row in range(20):
        same = train == new[row]
        weight = (same / same.sum(axis=0)).mean(axis=1)
        reached = np.cumsum(weight[order])
        expected = [y[order][np.searchsorted(reached, q - 1e-9)] for q in (0.1, 0.5, 0.9)]
        assert rows.quantiles(X[row : row + 1], [0.1, 0.5, 0.9])[0].tolist() == expected
    mean = rows.weights(X[:20]) @ rows.target
    direct = [np.mean([y[train[:, t] == new[r, t]].mean() for t in range(60)]) for r in range(20)]
    np.testing.assert_allclose(mean, direct)


def test_intervals_cover_what_they_promise() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(3000, 2))
    y = X[:, 0] + rng.normal(size=3000) * (1 + X[:, 1])  # the spread depends on the second feature
    forest = tw.RandomForestRegressor(100, min_samples_leaf=10, random_state=0).fit(X[:2000], y[:2000])
    ends = forest.leaf_rows(X[:2000], y[:2000]).interval(X[2000:], 0.9)
    inside = (ends[:, 0] <= y[2000:]) & (y[2000:] <= ends[:, 1])
    assert 0.86 < inside.mean() < 0.95
    width = ends[:, 1] - ends[:, 0]
    wide, narrow = width[X[2000:, 1] > 0.5].mean(), width[X[2000:, 1] < -0.5].mean()
    assert wide > 3 * narrow


def test_quantiles_respect_weights_and_refuse_nonsense(diabetes: Any, iris: Any) -> None:
    forest, X, y = diabetes
    weight = (np.arange(len(y)) % 2).astype(float)
    odd = LeafRows.of(forest, X, y, weight).quantiles(X[:30], [0.0, 1.0])
    assert np.isin(odd, y[weight > 0]).all()
    with pytest.raises(ValueError, match="q must be numbers from 0 to 1"):
        forest.leaf_rows(X, y).quantiles(X, [1.5])
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        forest.leaf_rows(X, y).interval(X, 90)
    with pytest.raises(ValueError, match="quantiles need numbers"):
        iris[0].leaf_rows(iris[1], iris[2])


# ---- standard errors -------------------------------------------------------------------------------


def test_standard_errors_by_hand(diabetes: Any) -> None:
    forest, X, _ = diabetes
    said = np.array([tree.predict(X[:4]) for tree in forest])
    times = np.array([forest.draws_.times(t) for t in range(60)], float)
    for row in range(4):
        deviation = said[:, row] - said[:, row].mean()
        covariance = np.array([np.mean((times[:, i] - 1) * deviation) for i in range(len(X))])
        variance = np.sum(covariance**2) - len(X) / 60**2 * np.sum(deviation**2)
        assert forest.standard_error(X[:4])[row] == pytest.approx(np.sqrt(max(variance, 0.0)))


def test_rows_with_other_chances_have_other_expected_draws() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    weight = rng.uniform(0.2, 3, 60)
    forest = tw.RandomForestRegressor(50, max_samples=30, random_state=0).fit(X, y, sample_weight=weight)
    said = np.array([tree.predict(X[:5]) for tree in forest])
    times = np.array([forest.draws_.times(t) for t in range(50)], float) - 30 * weight / weight.sum()
    deviation = said - said.mean(axis=0)
    variance = np.sum((times.T @ deviation / 50) ** 2, axis=0) - 30 / 50 * (deviation**2).mean(axis=0)
    np.testing.assert_allclose(forest.standard_error(X[:5]), np.sqrt(np.maximum(variance, 0)))


def test_many_rows_are_worked_out_in_parts(diabetes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    forest, X, y = diabetes

    def work() -> list[Any]:
        near = forest.proximity(X, out_of_bag=True)
        found = [forest.standard_error(X[:50]), forest.leaf_rows(X, y).quantiles(X, [0.2, 0.7])]
        return [*found, near.full(), near.sparse(0.1).toarray(), *near.nearest(4), near.outliers(y > 100)]

    whole = work()
    for module in ("jackknife", "quantiles", "proximity"):
        monkeypatch.setattr(f"treewright.forest.{module}.ROWS_AT_ONCE", 37)
    for one, other in zip(whole, work(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_standard_errors_follow_the_spread_between_training_sets() -> None:
    def table(seed: int) -> tuple[Any, Any]:
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, size=(100, 2))
        return X, X[:, 0] + rng.normal(size=100)

    at = np.array([[0.5, 0.0], [0.0, 0.5]])
    kind = tw.RandomForestRegressor
    truth = np.std(
        [kind(200, random_state=s, min_samples_leaf=5).fit(*table(s)).predict(at) for s in range(60)], axis=0
    )
    said = np.mean(
        [kind(2000, random_state=s, min_samples_leaf=5).fit(*table(s)).standard_error(at) for s in range(6)],
        axis=0,
    )
    np.testing.assert_allclose(said, truth, rtol=0.5)


def test_classes_have_an_error_for_each_share() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    forest = tw.RandomForestClassifier(200, random_state=0).fit(X, y)
    errors = forest.standard_error(X[:10])
    assert errors.shape == (10, 2)
    np.testing.assert_allclose(errors[:, 0], errors[:, 1], atol=1e-9)  # the shares sum to one
    with pytest.raises(ValueError, match="set bootstrap=True"):
        tw.ExtraTreesClassifier(5).fit(X, y).standard_error(X)
