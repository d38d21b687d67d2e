"""Which of equally good splits wins: by chance in the trees and forests that stand for scikit-learn's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree

import treewright as tw

TREES = [tw.DecisionTreeClassifier, tw.DecisionTreeRegressor]
ENSEMBLES = ["RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"]


def shape(model: Any) -> tuple[Any, ...]:
    """The questions of a tree."""
    tree = model.tree_
    return tree.children_left.tolist(), tree.feature.tolist(), tree.threshold.tolist()


def grid(seed: int = 0, n_rows: int = 300, n_features: int = 6) -> tuple[Any, Any]:
    """A table of few values, so that many splits are equal."""
    random = np.random.default_rng(seed)
    return random.integers(0, 4, (n_rows, n_features)).astype(float), random.integers(0, 3, n_rows)


def test_who_leaves_ties_to_chance() -> None:
    assert [kind().ties for kind in TREES] == ["random", "random"]
    assert tw.ID3Classifier().ties == "first"
    assert tw.TreeClassifier()._recipe(tw.DecisionTreeClassifier().fit(*grid()).tree_.schema).ties == "first"


@pytest.mark.parametrize("kind", TREES)
def test_a_table_has_one_tree_without_a_seed(kind: Any) -> None:
    X, y = grid()
    assert shape(kind().fit(X, y)) == shape(kind().fit(X, y)) == shape(kind(max_features=1.0).fit(X, y))
    assert len({str(shape(kind(random_state=seed).fit(X, y))) for seed in range(5)}) == 5


@pytest.mark.parametrize("drawn", [{"splitter": "random"}, {"max_features": 2}])
def test_what_else_is_drawn_is_another_each_time_without_a_seed(drawn: dict[str, Any]) -> None:
    X, y = grid()
    grown = [shape(tw.DecisionTreeClassifier(**drawn).fit(X, y)) for _ in range(2)]
    assert grown[0] != grown[1]


@pytest.mark.parametrize("n_features", [3, 40])
@pytest.mark.parametrize("ties", ["random", "first"])
def test_equal_features_win_equally_often(ties: str, n_features: int) -> None:
    X = np.repeat([[0.0], [1.0]], 4, axis=0) * np.ones(n_features)
    y = np.repeat([0, 1], 4)
    n_trees = 20 * n_features
    roots = Counter(
        int(tw.DecisionTreeClassifier(ties=ties, random_state=seed).fit(X, y).tree_.feature[0])
        for seed in range(n_trees)
    )
    if ties == "first":
        assert roots == {0: n_trees}
        return
    times = np.array([roots[feature] for feature in range(n_features)])
    chi_square = ((times - 20) ** 2 / 20).sum()
    assert chi_square < n_features - 1 + 5 * np.sqrt(2 * (n_features - 1))


@pytest.mark.parametrize("kind", TREES)
def test_the_choice_does_not_depend_on_how_often_rows_are_repeated(kind: Any) -> None:
    """Whoever searches: few rows are searched in sorted lists, many in histograms."""
    X, y = grid(1)
    once = shape(kind(random_state=3).fit(X, y))
    for times in (2, 3, 70):
        assert shape(kind(random_state=3).fit(np.repeat(X, times, axis=0), np.repeat(y, times))) == once
    assert shape(kind(random_state=3).fit(X, y, sample_weight=np.full(len(y), 0.1))) == once


def test_the_choice_does_not_depend_on_threads_nor_on_other_columns() -> None:
    X, y = grid(2, 30_000)
    alone = tw.DecisionTreeClassifier(random_state=1, max_depth=8, n_jobs=1).fit(X, y)
    assert shape(tw.DecisionTreeClassifier(random_state=1, max_depth=8, n_jobs=4).fit(X, y)) == shape(alone)
    constant = np.c_[X, np.zeros((len(X), 3))]
    assert shape(tw.DecisionTreeClassifier(random_state=1, max_depth=8).fit(constant, y)) == shape(alone)


def test_a_search_that_values_all_features_agrees_with_one_that_stops_at_the_first_pure_split() -> None:
    """Competitors need all features; a criterion of Python is asked for all of them at once."""
    X, y = grid(3, 80)
    whole = tw.DecisionTreeClassifier(random_state=5).fit(X, y)
    assert shape(tw.DecisionTreeClassifier(random_state=5, max_competitors=3).fit(X, y)) == shape(whole)
    shares = tw.DecisionTreeClassifier(random_state=5, missing="fractional").fit(X, y)
    assert shape(shares) == shape(whole)


def friedman(seed: int, n_rows: int, informative: str) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.random((n_rows, 15))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    y += random.normal(size=n_rows)
    return (X if informative == "first" else X[:, ::-1].copy()), y


def mean_error(ties: str, informative: str) -> float:
    """Mean squared error on fresh rows of Friedman's function, over draws of 200 rows."""
    errors = []
    for seed in range(60):
        X, y = friedman(seed, 200, informative)
        fresh, truth = friedman(seed + 1000, 500, informative)
        model = tw.DecisionTreeRegressor(ties=ties, random_state=seed).fit(X, y)
        errors.append(np.mean((model.predict(fresh) - truth) ** 2))
    return float(np.mean(errors))


def test_accuracy_does_not_depend_on_the_order_of_columns() -> None:
    """With `ties="first"` informative columns that come last cost several per cent."""
    first, last = (mean_error("first", place) for place in ("first", "last"))
    assert last > 1.02 * first
    first, last = (mean_error("random", place) for place in ("first", "last"))
    assert abs(last / first - 1) < 0.02


def fitted_trees(package: Any, **parameters: Any) -> Callable[[Any], None]:
    def fit(random_state: Any) -> None:
        X, y = grid()
        for name in ("DecisionTreeClassifier", "DecisionTreeRegressor"):
            model = getattr(package, name)(random_state=random_state, **parameters)
            model.fit(X, y)
            model.cost_complexity_pruning_path(X, y)

    return fit


def fitted_forest(package: Any, name: str, **parameters: Any) -> Callable[[Any], None]:
    def fit(random_state: Any) -> None:
        X, y = grid()
        model = getattr(package, name)(3, random_state=random_state, warm_start=True, **parameters).fit(X, y)
        model.set_params(n_estimators=5).fit(X, y)

    return fit


def next_numbers(fit: Callable[[Any], None]) -> tuple[int, int]:
    """What NumPy's own stream, and one that is handed in, give after a fit."""
    before = np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(7)  # noqa: NPY002 (scripts that use scikit-learn do)
        fit(None)
        own = int(np.random.randint(10**9))  # noqa: NPY002
    finally:
        np.random.set_state(before)  # noqa: NPY002
    handed = np.random.RandomState(7)
    fit(handed)
    return own, int(handed.randint(10**9))


@pytest.mark.parametrize(
    "parameters", [{}, {"ties": "first"}, {"splitter": "random"}, {"max_features": 2}, {"max_leaf_nodes": 4}]
)
def test_numpys_stream_is_where_scikit_learn_leaves_it_after_trees(parameters: dict[str, Any]) -> None:
    theirs = {name: value for name, value in parameters.items() if name != "ties"}
    assert next_numbers(fitted_trees(tw, **parameters)) == next_numbers(fitted_trees(sklearn.tree, **theirs))


@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("parameters", [{}, {"bootstrap": True, "max_samples": 0.5}])
def test_numpys_stream_is_where_scikit_learn_leaves_it_after_forests(
    name: str, parameters: dict[str, Any]
) -> None:
    ours, theirs = (
        next_numbers(fitted_forest(package, name, **parameters)) for package in (tw, sklearn.ensemble)
    )
    assert ours == theirs
