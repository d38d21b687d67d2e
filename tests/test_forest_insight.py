"""What many trees tell: importance, proximity, quantiles, standard errors, held to loops and simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import treewright as tw
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
    found = forest.importance()
    np.testing.assert_allclose(found.mean, by_tree.mean(axis=0))
    np.testing.assert_allclose(found.spread, by_tree.std(axis=0, ddof=1))
    np.testing.assert_allclose(forest.feature_importances_, found.mean / found.mean.sum())


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
    assert forest.importance().order[0] == 3  # the bias there is to correct
    for kind in ("corrected", "permutation"):
        found = forest.importance(kind, X, y)
        assert found.order[-1] == 3, kind
        standard_error = found.spread[3] / np.sqrt(200)
        assert abs(found.mean[3]) < 0.1 * found.mean[0] + 3 * standard_error


def test_shadows_are_as_important_as_noise() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 6)), rng.integers(0, 2, 200)
    found = tw.RandomForestClassifier(300, random_state=0).fit(X, y).importance("corrected", X, y)
    assert abs(found.mean.mean()) < 0.05 * found.spread.mean()


def test_permutation_importance_by_hand(iris: Any) -> None:
    forest, X, y = iris
    found = forest.importance("permutation", X, y, random_state=5, n_repeats=20)
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
    np.testing.assert_allclose(found.mean, np.mean(by_tree, axis=0), atol=0.01)
    assert "petal" not in str(found)
    assert str(found).splitlines()[0].startswith(f"x{found.order[0]} ")


def test_importances_say_what_they_need(iris: Any) -> None:
    forest, X, y = iris
    with pytest.raises(ValueError, match=r"Unknown kind of importance 'permutaton': .*'permutation'"):
        forest.importance("permutaton")
    with pytest.raises(ValueError, match="needs X and y"):
        forest.importance("permutation")
    with pytest.raises(ValueError, match="X must have the 150 rows of the fit"):
        forest.importance("permutation", X[:10], y[:10])
    with pytest.raises(ValueError, match="set bootstrap=True"):
        tw.ExtraTreesClassifier(5).fit(X, y).importance("permutation", X, y)


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
