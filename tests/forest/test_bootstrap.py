"""Rows are drawn as often as said, by chance alone, by weight or by class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

import treewright as tw
from treewright import _core
from treewright.forest.bootstrap import Draws


def test_rows_are_drawn_as_often_as_said() -> None:
    X, y = load_iris(return_X_y=True)
    for max_samples, drawn in ((None, 150), (40, 40), (0.5, 75), (300, 300)):
        forest = tw.RandomForestClassifier(4, max_samples=max_samples, random_state=0).fit(X, y)
        assert [len(rows) for rows in forest.estimators_samples_] == [drawn] * 4
        assert [tree.weight[0] for tree in forest.trees_] == [drawn] * 4
    everything = tw.ExtraTreesClassifier(2, random_state=0).fit(X, y)
    assert np.array_equal(everything.estimators_samples_[1], np.arange(150))


@pytest.mark.parametrize("weight", [1e-9, 0.25, 2.0, 1e9, 1e27])
def test_weights_change_no_number_of_draws(weight: float) -> None:
    X, y = load_iris(return_X_y=True)
    for max_samples, drawn in ((None, 150), (40, 40), (0.5, 75), (1.0, 150)):
        plain = tw.RandomForestClassifier(2, max_samples=max_samples, random_state=0).fit(X, y)
        forest = tw.RandomForestClassifier(2, max_samples=max_samples, random_state=0)
        forest.fit(X, y, np.full(150, weight))
        assert [len(rows) for rows in forest.estimators_samples_] == [drawn] * 2
        assert forest.draws_.n_draws == plain.draws_.n_draws


@pytest.mark.parametrize("max_samples", [2**32, 10**30, 1e30, 1.7e308])
def test_more_draws_than_can_be_counted_are_refused(max_samples: float) -> None:
    with pytest.raises(ValueError, match="makes each tree draw more than 4294967295 rows"):
        tw.RandomForestClassifier(2, max_samples=max_samples).fit([[1], [2]], [0, 1])


@pytest.mark.parametrize("n_rows", [1, 2, 5, 65_536, 65_537])
def test_a_seed_draws_the_rows_that_it_draws_in_scikit_learn(n_rows: int) -> None:
    chance = np.random.default_rng(0).integers(0, 3, n_rows) + 0.5 * (np.arange(n_rows) == 0)
    for seed in (0, 1, 2**31 - 2):
        seeds = np.array([seed], np.uint64)
        as_theirs = np.random.RandomState(seed).randint(0, n_rows, 1000)
        assert np.array_equal(Draws(n_rows, seeds, 1000).rows(0), np.sort(as_theirs))
        as_theirs = np.random.RandomState(seed).choice(n_rows, 1000, p=chance / chance.sum())
        assert np.array_equal(Draws(n_rows, seeds, 1000, chance).rows(0), np.sort(as_theirs))


@pytest.mark.parametrize("sample_weight", [None, np.arange(150) % 4])
def test_forests_draw_the_rows_that_those_of_scikit_learn_draw(sample_weight: Any) -> None:
    if sample_weight is not None and tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9):
        pytest.skip("weights are no chances to be drawn in older versions of scikit-learn")
    X, y = load_iris(return_X_y=True)
    settings = {"n_estimators": 3, "max_samples": 100, "max_depth": 1, "random_state": 5}
    ours = tw.RandomForestClassifier(**settings).fit(X, y, sample_weight)
    theirs = RandomForestClassifier(**settings).fit(X, y, sample_weight)
    for at, tree in enumerate(theirs.estimators_):
        assert ours.estimators_[at].random_state == tree.random_state
        drawn = ours.trees_[at].node_value[0]
        np.testing.assert_allclose(drawn / drawn.sum(), tree.tree_.value[0, 0])


def test_drawing_is_uniform() -> None:
    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(400, max_depth=1, random_state=0).fit(X, y)
    times = sum(forest.draws_.times(tree).astype(float) for tree in range(400))
    assert np.abs(times - 400).max() < 5 * np.sqrt(400)
    assert abs(np.mean([forest.draws_.out_of_bag(t).mean() for t in range(400)]) - np.exp(-1)) < 0.005


def test_weights_are_chances_to_be_drawn() -> None:
    X, y = load_iris(return_X_y=True)
    weight = np.where(np.arange(150) < 75, 0.0, 1.0)
    weight[149] = 50.0
    forest = tw.RandomForestClassifier(100, max_depth=1, random_state=0).fit(X, y, sample_weight=weight)
    times = sum(forest.draws_.times(tree).astype(float) for tree in range(100))
    assert (times[:75] == 0).all()
    expected = 100 * 150 * 50 / weight.sum()
    assert abs(times[149] - expected) < 5 * np.sqrt(expected)


def test_without_draws_weights_are_those_of_the_rows() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.arange(len(y)) % 3 / 2
    forest = tw.RandomForestClassifier(2, bootstrap=False, random_state=0).fit(X, y, sample_weight=weight)
    alone = tw.DecisionTreeClassifier(
        max_features="sqrt", ties="random", random_state=int(forest.draws_.seeds[1])
    )
    assert forest.trees_[1] == alone.fit(X, y, sample_weight=weight).tree_


def test_classes_are_balanced_in_drawing_or_in_each_sample() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    y = y * (np.arange(len(y)) % 4 > 0)
    chance = tw.RandomForestClassifier(50, class_weight="balanced", max_depth=1, random_state=0).fit(X, y)
    shares = np.mean([tree.node_value[0] / tree.node_value[0].sum() for tree in chance.trees_], axis=0)
    np.testing.assert_allclose(shares, 0.5, atol=0.02)
    each = tw.RandomForestClassifier(5, class_weight="balanced_subsample", max_depth=1, random_state=0)
    for tree in each.fit(X, y).trees_:
        np.testing.assert_allclose(tree.node_value[0], tree.node_value[0].sum() / 2, rtol=1e-12)
    never = tw.RandomForestClassifier(5, class_weight={0: 1, 1: 0}, random_state=0).fit(X, y)
    assert all(tree.node_value[0, 1] == 0 for tree in never.trees_)


def test_the_core_refuses_draws_of_the_wrong_length() -> None:
    options = Draws(5, np.ones(1, np.uint64), 3).options()
    with pytest.raises(ValueError, match="chance must have a number for every row"):
        _core.draw_rows(5, options | {"chance": np.ones(4)}, 0)


def test_the_core_reads_chances_of_another_type() -> None:
    n = 400_000
    options = Draws(n, np.ones(1, np.uint64), 1000).options()
    chance = np.random.default_rng(0).integers(0, 9, n)
    expected = _core.draw_rows(n, options | {"chance": chance.astype(float)}, 0)
    for given in (chance.astype(np.float32), np.repeat(chance, 2).astype(float)[::2]):
        np.testing.assert_array_equal(_core.draw_rows(n, options | {"chance": given}, 0), expected)
    with pytest.raises(RuntimeError):
        _core.draw_rows(3, options | {"chance": [1.0, 2.0, 3.0]}, 0)  # no array
