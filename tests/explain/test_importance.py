"""Importances: equal to other programs where these measure the same, honest about many-valued features."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from treewright import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    datasets,
)


def noisy_table(n_rows: int = 1200) -> tuple[pd.DataFrame, pd.Series]:
    """A number that matters, a coin that does not, and a code of 200 values that does not either."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "code": pd.Categorical(rng.choice([f"k{i}" for i in range(200)], n_rows)),
            "x": rng.normal(size=n_rows),
            "coin": pd.Categorical(rng.choice(["heads", "tails"], n_rows)),
        }
    )
    return X, (X["x"] > 0) ^ pd.Series(rng.random(n_rows) < 0.2)


def test_a_code_of_many_values_is_unmasked() -> None:
    X, y = noisy_table()
    model = DecisionTreeClassifier(category_order="node", max_depth=3).fit(X[:600], y[:600])
    with pytest.warns(
        UserWarning, match=r"feature 'code' has \d+ values and \d+ % of the decrease of impurity"
    ):
        found = model.importances(X[600:], y[600:])
    assert found.favoured == ("code",)
    assert "← favoured" in str(found).splitlines()[1] + str(found).splitlines()[2]
    measures = found.to_dict()
    assert measures["code"]["impurity"] > 0.1
    assert measures["code"]["held_out"] < 0.02
    assert measures["x"]["held_out"] > 0.5
    assert measures["x"]["permutation"] > 5 * measures["x"]["spread"] > 0


def test_without_rows_a_feature_of_very_many_categories_is_suspect() -> None:
    X, y = noisy_table()
    model = DecisionTreeClassifier(category_order="node", max_depth=3).fit(X[:600], y[:600])
    with pytest.warns(UserWarning, match="feature 'code' has 199 values"):  # its categories
        found = model.importances()
    assert found.permutation is None
    assert found.impurity == pytest.approx(model.feature_importances_)


def test_features_that_matter_are_not_suspected() -> None:
    X, y = datasets.load_iris()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = DecisionTreeClassifier(max_depth=3).fit(X[::2], y[::2]).importances(X[1::2], y[1::2])
    assert found.favoured == ()


def test_on_the_training_rows_it_is_the_decrease_of_the_gini_index() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    assert model.importances(X, y).held_out == pytest.approx(model.feature_importances_)
    peer = SklearnTree(max_depth=3, random_state=0).fit(X, y)
    assert model.importances().impurity.sum() == pytest.approx(peer.feature_importances_.sum())


def test_on_the_training_rows_it_is_the_decrease_of_the_variance() -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(max_depth=4).fit(X, y)
    assert model.importances(X, y).held_out == pytest.approx(model.feature_importances_)


def test_shared_rows_count_in_parts() -> None:
    X, y = datasets.load_labor()
    model = C45Classifier().fit(X, y)
    found = model.importances(X, y)
    assert found.held_out is not None
    # the splits together take away what lies between the root's and the leaves' squared errors
    share, target = model.predict_proba(X), (np.asarray(y)[:, None] == model.classes_).astype(float)
    assert found.held_out[model.feature_importances_ == 0] == pytest.approx(0)
    assert ((target - share) ** 2).sum() < ((target - target.mean(axis=0)) ** 2).sum()


def test_shuffling_costs_what_scikit_learn_says() -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(min_samples_leaf=5).fit(X[::2], y[::2])
    found = model.importances(X[1::2], y[1::2], n_repeats=40)
    peer = permutation_importance(model, X[1::2], y[1::2], n_repeats=40, random_state=1)
    assert found.permutation is not None
    error = np.sqrt((found.spreads["permutation"] ** 2 + peer.importances_std**2) / 40)
    assert (np.abs(found.permutation - peer.importances_mean) <= 4 * error + 1e-12).all()
    assert found.spreads["permutation"] == pytest.approx(peer.importances_std, rel=0.6, abs=1e-3)


def test_the_same_seed_gives_the_same_figures() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    first, again, other = (model.importances(X, y, random_state=seed).permutation for seed in (3, 3, 4))
    assert first is not None
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_weights_count_as_rows() -> None:
    X, y = datasets.load_iris()
    weight = np.arange(150) % 3
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    repeated = np.repeat(np.arange(150), weight)
    by_weight = model.importances(X, y, weight).held_out
    assert by_weight == pytest.approx(model.importances(X.iloc[repeated], y.iloc[repeated]).held_out)


def test_a_bad_number_of_repeats_is_named() -> None:
    X, y = datasets.load_iris()
    with pytest.raises(ValueError, match="n_repeats must be at least 1, got 0"):
        DecisionTreeClassifier().fit(X, y).importances(X, y, n_repeats=0)


def test_training_rows_are_not_called_held_out() -> None:
    X, y = datasets.load_iris()
    for model in (
        DecisionTreeClassifier(max_depth=2).fit(X, y),
        DecisionTreeClassifier(max_depth=2, class_weight="balanced").fit(X, y),
    ):
        found = model.importances(X, y)
        assert found.on_training_rows
        assert "training rows" in str(found).splitlines()[0]
        assert "held out" not in str(found)
    others = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2]).importances(X[1::2], y[1::2])
    assert not others.on_training_rows
    assert "held out" in str(others).splitlines()[0]
    forest = RandomForestClassifier(25, max_depth=2, random_state=0).fit(X, y).importances(X, y)
    assert "held out" in str(forest).splitlines()[0]  # of each tree the rows that it has not drawn
