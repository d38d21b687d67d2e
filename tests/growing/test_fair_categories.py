"""Identifiers and many random categories are not split on; many categories that tell something are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe


def a_table(seed: int, n: int = 400) -> tuple[pd.DataFrame, Any, Any]:
    """A number that tells half of the target, and the target as classes and as numbers."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    number = x + rng.normal(size=n)
    return pd.DataFrame({"x": x}), (number > 0).astype(int), number


def names(rng: np.random.Generator, n: int, n_names: int) -> Any:
    codes = rng.permutation(n) if n_names == n else rng.integers(0, n_names, n)
    return pd.Categorical([f"name {code}" for code in codes])


@pytest.mark.parametrize("share", [1.0, 0.5, 0.2])
@pytest.mark.parametrize("kind", [tw.DecisionTreeClassifier, tw.DecisionTreeRegressor])
def test_identifiers_and_random_categories_lose_against_a_number_that_tells_something(
    kind: Any, share: float
) -> None:
    for seed in range(5):
        X, classes, numbers = a_table(seed)
        X["name"] = names(np.random.default_rng(seed + 100), len(X), int(share * len(X)))
        y = classes if kind is tw.DecisionTreeClassifier else numbers
        unfair, fair = (kind(max_depth=1, fair_categories=fairly).fit(X, y).tree_ for fairly in (False, True))
        assert fair.feature[0] == 0
        assert share < 1 or unfair.feature[0] == 1


def test_a_column_of_one_row_each_is_never_split() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"name": names(rng, 200, 200)})
    for y in (rng.integers(0, 3, 200), rng.normal(size=200)):
        kind = tw.DecisionTreeRegressor if y.dtype == float else tw.DecisionTreeClassifier
        assert kind(fair_categories=True).fit(X, y).get_n_leaves() == 1


@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_a_postcode_that_tells_the_target_is_used(n_classes: int) -> None:
    """1,000 rows of 100 postcodes, each with a level of its own, beside a number that tells little."""
    rng = np.random.default_rng(1)
    n, n_codes = 2000, 100
    level = rng.normal(size=n_codes)
    code = rng.integers(0, n_codes, n)
    X = pd.DataFrame({"x": rng.normal(size=n), "postcode": pd.Categorical([f"{c:05d}" for c in code])})
    number = 2 * level[code] + 0.3 * X["x"].to_numpy() + rng.normal(size=n)
    if n_classes:
        y: Any = np.searchsorted(np.quantile(number, np.arange(1, n_classes) / n_classes), number)
        model: Any = tw.TreeClassifier()
        plain: Any = tw.TreeClassifier()
    else:
        y, model, plain = number, tw.TreeRegressor(), tw.TreeRegressor()
    train, test = np.arange(n) < n // 2, np.arange(n) >= n // 2
    model.fit(X[train], y[train])
    assert model.tree_.feature[0] == 1
    without = plain.fit(X.loc[train, ["x"]], y[train])
    assert model.score(X[test], y[test]) > without.score(X.loc[test, ["x"]], y[test]) + 0.15


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "chi_square", "hellinger"])
@pytest.mark.parametrize(
    "splits", [("threshold", "subset"), ("threshold", "multiway"), ("threshold", "one_vs_rest")]
)
def test_every_criterion_and_form_is_fair(criterion: str, splits: tuple[str, ...]) -> None:
    X, y, _ = a_table(7)
    X["name"] = names(np.random.default_rng(3), len(X), len(X))
    dataset = Dataset.from_table(X, y, task="classification")
    recipe = Recipe(criterion, splits=splits, fair_categories=True, max_depth=2)
    tree = grow(dataset, recipe, n_jobs=1)
    assert set(tree.feature[tree.n_children > 0].tolist()) == {0}


def test_two_categories_are_judged_as_they_are() -> None:
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"a": pd.Categorical(rng.choice(["u", "v"], 60)), "b": rng.normal(size=60)})
    y = rng.integers(0, 2, 60)
    fair, plain = (
        tw.DecisionTreeClassifier(fair_categories=fairly).fit(X, y).tree_ for fairly in (True, False)
    )
    assert fair == plain


def test_large_and_small_nodes_judge_alike() -> None:
    rng = np.random.default_rng(2)
    n = 20_000
    code = rng.integers(0, 500, n)
    X = pd.DataFrame(
        {"c": pd.Categorical(code.astype(str)), "d": pd.Categorical(rng.integers(0, 9000, n).astype(str))}
    )
    X["x"] = rng.normal(size=n)
    y = (np.sin(code) + X["x"] + rng.normal(size=n) > 0).astype(int)
    dataset = Dataset.from_table(X, y, task="classification")
    recipe = Recipe("gini", fair_categories=True, max_depth=4)
    tree = grow(dataset, recipe, n_jobs=1)
    shared = grow(dataset, Recipe("gini", fair_categories=True, max_depth=4, missing="fractional"), n_jobs=1)
    assert np.array_equal(tree.feature, shared.feature)
    assert np.array_equal(tree.count, shared.count)
    assert set(tree.feature[tree.n_children > 0].tolist()) == {0, 2}


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"criterion": "absolute_error"}, "'absolute_error' are not"),
        ({"criterion": "squared_error", "category_order": "once"}, "category_order='once'"),
    ],
)
def test_what_cannot_be_fair_is_refused(choices: dict[str, Any], words: str) -> None:
    dataset = Dataset.from_table([["a"], ["b"], ["c"]], [1.0, 2.0, 3.0], task="regression")
    with pytest.raises(ValueError, match=words):
        grow(dataset, Recipe(**choices, fair_categories=True))


def test_monotone_trees_stay_monotone_with_fair_categories() -> None:
    rng = np.random.default_rng(4)
    n = 300
    X = pd.DataFrame({"x": rng.normal(size=n), "c": pd.Categorical(rng.integers(0, 20, n).astype(str))})
    y = (X["x"] + rng.normal(size=n) + (X["c"].cat.codes % 2) > 0.5).astype(int)
    model = tw.TreeClassifier(monotonic_cst={"x": 1}).fit(X, y)
    assert tw.is_monotone(model, "x")
