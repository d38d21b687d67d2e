"""TreeClassifier and TreeRegressor: scikit-learn's checks, useless columns, useful ones of many values."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    parametrize_with_checks,
)

import treewright as tw


@parametrize_with_checks([tw.TreeClassifier(), tw.TreeRegressor()])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("kind", [tw.TreeClassifier, tw.TreeRegressor])
def test_a_guided_tree_takes_a_weight_for_repeated_rows(kind: Any) -> None:
    check_sample_weight_equivalence_on_dense_data(kind.__name__, kind(guide="forest"))


def test_neither_order_nor_repetition_changes_a_guided_tree() -> None:
    X, y = tw.datasets.load_votes()
    order = np.random.default_rng(0).permutation(len(X))
    tree = tw.TreeClassifier(guide="forest").fit(X, y).tree_
    mixed = tw.TreeClassifier(guide="forest").fit(X.iloc[order], y.iloc[order]).tree_
    assert mixed.splits.feature.tolist() == tree.splits.feature.tolist()
    np.testing.assert_allclose(mixed.node_value, tree.node_value)


def test_a_guided_tree_shows_true_counts_beside_smoothed_probabilities() -> None:
    X, y = tw.datasets.load_iris()
    model = tw.TreeClassifier(guide="forest").fit(X, y)
    tree, leaf = model.tree_, model.apply(X)
    expected = []
    for node in np.flatnonzero(tree.n_children == 0):
        rows = [int((np.asarray(y)[leaf == node] == label).sum()) for label in model.classes_]
        share = tree.class_probabilities[node].max()
        assert share < 1
        expected.append(f"(n={sum(rows)},{100 * share:.0f}%){rows}".replace(" ", ""))
    lines = [line.split("(", 1)[1] for line in str(tree).splitlines() if "→" in line]
    shown = ["(" + re.sub(r"(?<=\d) +(?=\d)", ",", line).replace(" ", "") for line in lines]
    assert sorted(shown) == sorted(expected)


@pytest.fixture(scope="module")
def shops() -> tuple[pd.DataFrame, np.ndarray]:
    """Sales of 150 shops, half of which sell well; beside the shop, numbers that tell little."""
    generator = np.random.default_rng(1)
    shop = generator.integers(0, 150, 3000)
    good = generator.random(150) < 0.5
    chance = np.where(good[shop], 0.85, 0.15)
    frame = pd.DataFrame(generator.normal(size=(3000, 3)), columns=["a", "b", "c"])
    frame["shop"] = [f"shop {number:03d}" for number in shop]
    return frame, np.where(generator.random(3000) < chance, "yes", "no")


def test_a_column_of_many_values_that_tells_is_used(shops: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = shops
    model = tw.TreeClassifier().fit(frame[:2000], y[:2000])
    assert model.tree_.schema.names[model.tree_.splits.feature[0]] == "shop"
    assert model.score(frame[2000:], y[2000:]) > 0.8  # .85 is all that can be known, .5 without the shop


@pytest.mark.parametrize("kind", ["text", "categories", "number"])
def test_a_useless_column_does_no_harm(kind: str) -> None:
    X, y = tw.datasets.load_votes()
    order = np.random.default_rng(0).permutation(len(X))
    groups = {"text": len(X), "categories": len(X) // 2}
    column = order if kind == "number" else [f"v{number % groups[kind]}" for number in order]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = [
            tw.fit(table, y, ignore=["physician fee freeze"]).evaluation.evaluation.error  # type: ignore[union-attr]
            for table in (X, X.assign(useless=column))
        ]
    assert scores[1] < scores[0] + 0.03


def test_cart_on_few_rows_lowers_its_folds_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="cv=10 folds are more than the 5 rows"):
        model = tw.CARTClassifier().fit([[1], [2], [3], [4], [5]], list("aabbb"))
    assert model.get_n_leaves() == 1
