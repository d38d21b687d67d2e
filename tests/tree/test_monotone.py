"""Monotone constraints hold on the finished tree, and the proof of it is one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, is_monotone
from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe
from treewright.pruning import EarlyStopping
from treewright.tree import Tree
from treewright.tree.monotone import collapse_to_order, find_violation, predictions
from treewright.tree.splits import Hyperplane, Threshold

pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")


def table(seed: int, n_classes: int = 0, weighted: bool = False, missing: float = 0.1) -> Dataset:
    """Two numbers, a category and a small number, with holes; the target leans on all of them."""
    random = np.random.default_rng(seed)
    n = 300
    X = np.column_stack(
        [random.normal(size=n), random.integers(0, 6, n), random.integers(0, 5, n), random.normal(size=n)]
    ).astype(object)
    numbers = X.astype(float)
    score = numbers[:, 0] - 0.5 * numbers[:, 1] + np.sin(numbers[:, 2]) + random.normal(size=n)
    X[random.random(X.shape) < missing] = np.nan
    target: Any = np.exp(score / 3)
    if n_classes:
        target = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    weight = random.uniform(0.2, 3, n) if weighted else None
    task: Any = "classification" if n_classes else "regression"
    return Dataset.from_table(X, target, task=task, sample_weight=weight, categorical_features=[2])


def brute_force(tree: Tree, feature: int, sign: int) -> bool:
    """Try every combination of a value from every cell that the splits cut, and missing ones."""
    columns: list[list[Any]] = []
    for number, column in enumerate(tree.schema.columns):
        if column.kind == "categorical":
            columns.append([*column.categories, None])
            continue
        cuts = sorted({s.threshold for s in tree.splits if getattr(s, "feature", -1) == number})
        known = sorted(
            {c for c in cuts if np.isfinite(c)} | {max([c for c in cuts if np.isfinite(c)] + [0]) + 1}
        )
        columns.append(known if number == feature else [*known, np.nan])
    rows = np.array(list(product(*columns)), dtype=object)
    values = sign * predictions(tree)[tree.apply(rows)]
    others = [c for c in range(rows.shape[1]) if c != feature]
    groups: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for row, value in zip(rows, values, strict=True):
        groups.setdefault(tuple(str(row[c]) for c in others), []).append((row[feature], value))
    return all((np.diff([value for _, value in sorted(group)]) >= 0).all() for group in groups.values())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("criterion", "n_classes"),
    [
        ("squared_error", 0),
        ("absolute_error", 0),
        ("poisson", 0),
        ("gini", 2),
        ("entropy", 2),
        ("gini", 4),
        ("hellinger", 3),
        ("twoing", 5),
    ],
)
@pytest.mark.parametrize("splits", [("threshold", "subset"), ("threshold", "multiway")])
def test_a_constrained_tree_is_proved_monotone(
    criterion: str, n_classes: int, weighted: bool, splits: tuple[str, ...]
) -> None:
    for seed in range(3):
        dataset = table(seed, n_classes, weighted)
        free = grow(dataset, Recipe(criterion, splits=splits), n_jobs=1)
        assert not is_monotone(free, 0)
        for signs in ((1, -1, 0, 0), (0, 1, 0, -1)):
            tree = grow(dataset, Recipe(criterion, splits=splits, monotonic=signs), n_jobs=1)
            assert tree.depth > 2
            for feature, sign in enumerate(signs):
                if sign:
                    assert find_violation(tree, feature, sign) is None


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "hellinger"])
def test_whole_weights_keep_classes_in_order(criterion: str) -> None:
    for seed in range(12):
        dataset = table(seed, 3).take(np.arange(80))
        weight = np.random.default_rng(seed).integers(1, 4, len(dataset)) * 0.25
        signs = (1, -1, 0, 0)
        tree = grow(replace(dataset, weight=weight), Recipe(criterion, monotonic=signs), n_jobs=1)
        assert len(tree) > 1
        for feature, sign in enumerate(signs[:2]):
            assert find_violation(tree, feature, sign) is None


@given(data=st.data())
def test_the_proof_agrees_with_trying_every_cell(data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 10_000))
    n_classes = data.draw(st.sampled_from([0, 2, 3]))
    dataset = table(seed, n_classes, missing=data.draw(st.sampled_from([0.0, 0.2])))
    dataset = dataset.take(np.arange(data.draw(st.integers(5, 60))))
    criterion = "gini" if n_classes else "squared_error"
    missing = data.draw(st.sampled_from(["direction", "available"]))
    depth = data.draw(st.integers(1, 4))
    tree = grow(dataset, Recipe(criterion, max_depth=depth, missing=missing), n_jobs=1)
    feature, sign = data.draw(st.sampled_from([0, 1, 3])), data.draw(st.sampled_from([1, -1]))
    assert is_monotone(tree, feature, sign) == brute_force(tree, feature, sign)


def test_medians_are_kept_in_order() -> None:
    X = np.arange(12.0)[:, None]
    y = np.array([0, 0, 9, 1, 1, 1, 0, 5, 5, 2, 6, 6.0])
    model = DecisionTreeRegressor(criterion="absolute_error", monotonic_cst=[1]).fit(X, y)
    assert (np.diff(model.predict(X)) >= 0).all()
    assert is_monotone(model, "x0")


def test_classes_in_order_rise_by_their_mean_position() -> None:
    random = np.random.default_rng(3)
    X = random.uniform(size=(400, 2))
    y = np.digitize(X[:, 0] + random.normal(scale=0.3, size=400), [0.3, 0.7])
    model = DecisionTreeClassifier(monotonic_cst={"x0": 1}).fit(X, y)
    grid = np.column_stack([np.linspace(0, 1, 200), np.full(200, 0.5)])
    assert (np.diff(model.predict_proba(grid) @ [0, 1, 2]) >= -1e-12).all()
    assert is_monotone(model, "x0")
    assert not is_monotone(model, "x1")


def test_costs_of_mistakes_do_not_turn_the_order() -> None:
    costs = [[0, 5, 9], [1, 0, 2], [7, 1, 0]]
    for seed in range(5):
        dataset = table(seed, 3)
        recipe = Recipe("gini", costs=tuple(map(tuple, costs)), monotonic=(1, -1, 0, 0))
        tree = grow(dataset, recipe, n_jobs=1)
        assert is_monotone(tree, 0)
        assert is_monotone(tree, 1, -1)


def test_a_violation_names_two_nodes_in_the_wrong_order() -> None:
    model = DecisionTreeRegressor().fit([[1], [2], [3], [4]], [1.0, 3.0, 2.0, 4.0])
    found = find_violation(model, 0)
    assert found is not None
    value = model.tree_.node_value[:, 0]
    assert value[found.lower] == found.lower_value > found.upper_value == value[found.upper]


@pytest.mark.parametrize(
    ("feature", "sign", "words"),
    [
        ("widht", 1, "Did you mean 'width'"),
        (7, 1, "feature names 7, which is no feature: .* from 0 to 1"),
        ("colour", 1, "categorical"),
        ("width", 0, "sign"),
    ],
)
def test_odd_questions_get_a_clear_sentence(feature: Any, sign: int, words: str) -> None:
    import pandas as pd

    X = pd.DataFrame({"width": [1, 2, 3], "colour": ["a", "b", "a"]})
    model = DecisionTreeRegressor().fit(X, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=words):
        is_monotone(model, feature, sign)


def test_what_other_features_say_is_not_cut_off() -> None:
    """Of a sum, both halves by the rising feature span nearly the whole range of the other."""
    random = np.random.default_rng(4)
    X = random.uniform(-2, 2, size=(4000, 2))
    y = X[:, 0] + 3 * X[:, 1] ** 2
    tree = DecisionTreeRegressor(monotonic_cst=[1, 0], max_leaf_nodes=100).fit(X, y).tree_
    assert is_monotone(tree, 0)
    fresh = random.uniform(-2, 2, size=(2000, 2))
    missed = fresh[:, 0] + 3 * fresh[:, 1] ** 2 - tree.node_value[tree.apply(fresh), 0]
    assert (missed**2).mean() < 0.05 * y.var()


@pytest.mark.parametrize("order", ["depth_first", "breadth_first", "best_first"])
@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_in_any_order_and_up_to_any_size(order: str, n_classes: int) -> None:
    dataset, criterion = table(7, n_classes), "gini" if n_classes else "squared_error"
    for max_leaf_nodes in (5, 20, None):
        recipe = Recipe(criterion, monotonic=(1, -1, 0, 0), order=order, max_leaf_nodes=max_leaf_nodes)
        tree = grow(dataset, recipe, n_jobs=1)
        assert tree.n_leaves >= 5
        assert tree.n_leaves <= (max_leaf_nodes or len(dataset))
        assert is_monotone(tree, 0)
        assert is_monotone(tree, 1, -1)


@pytest.mark.parametrize("pruner", ["cost_complexity", "reduced_error", "pessimistic", EarlyStopping()])
def test_pruned_trees_are_monotone_too(pruner: Any) -> None:
    random = np.random.default_rng(1)
    X = random.uniform(-2, 2, size=(600, 3))
    score = X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=600)
    model = DecisionTreeClassifier(monotonic_cst=[1, 0, 0], pruner=pruner).fit(X, score > 0)
    assert is_monotone(model, 0)
    assert model.get_n_leaves() > 1


def test_collapsing_ends_with_a_tree_in_order_and_leaves_one_in_order_alone() -> None:
    free = grow(table(3), Recipe("squared_error"), n_jobs=1)
    ordered = collapse_to_order(free, (1, -1, 0, 0))
    assert is_monotone(ordered, 0)
    assert is_monotone(ordered, 1, -1)
    assert 1 < len(ordered) < len(free)
    assert collapse_to_order(ordered, (1, -1, 0, 0)) is ordered


def test_intervals_part_rows_like_any_cuts() -> None:
    X = np.arange(300.0)[:, None]
    up_and_down = DecisionTreeClassifier(splits=("interval",)).fit(X, np.repeat([0, 1, 0], 100))
    assert up_and_down.tree_[0].split.n_branches == 3
    assert not is_monotone(up_and_down, 0)
    assert not is_monotone(up_and_down, 0, -1)
    up = DecisionTreeClassifier(splits=("interval",)).fit(X, np.repeat([0, 1, 2], 100))
    assert is_monotone(up, 0)


def test_a_surrogate_on_the_feature_parts_rows_too() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=400)
    X = np.column_stack([x, -x + 0.01 * random.normal(size=400)])  # the second stands in for the first
    y = (x > 0).astype(float)
    holes = X.copy()
    holes[::9, 0] = np.nan
    model = DecisionTreeRegressor(missing="surrogate", max_depth=1).fit(holes, y)
    low, high = model.predict([[np.nan, -3.0], [np.nan, 3.0]])
    assert low > high  # so the prediction falls with the second feature, for rows without the first
    assert not is_monotone(model, 1)


def test_a_surrogate_that_runs_the_other_way_parts_rows_too() -> None:
    a = np.arange(60.0)
    b = np.where(a % 10 == 0, a, 60 - a)  # mostly, b falls as a rises
    y = (a > 30).astype(float)
    a[::12] = np.nan
    model = DecisionTreeRegressor(missing="surrogate", max_depth=1).fit(np.column_stack([a, b]), y)
    root = model.tree_[0]
    assert isinstance(root.split, Threshold)
    assert root.split.feature == 0
    assert root.surrogates == [Hyperplane((1,), (-1.0,), -29.5)]
    low, high = model.predict([[np.nan, 0.0], [np.nan, 60.0]])
    assert low > high
    assert not is_monotone(model, 1)


def test_what_is_not_certain_is_said_to_be_so() -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(300, 2))
    straight = DecisionTreeRegressor(max_depth=4).fit(X, np.sin(3 * X[:, 0]))
    violation = find_violation(straight, 0)
    assert violation is not None
    assert violation.certain
    oblique = DecisionTreeClassifier(splits=("hyperplane",), random_state=0).fit(X, abs(X.sum(axis=1)) < 0.7)
    violation = find_violation(oblique, 0)
    assert violation is not None
    assert not violation.certain


def test_rows_left_out_of_the_search_are_refused() -> None:
    with pytest.raises(ValueError, match="missing='direction'"):
        grow(table(0), Recipe("squared_error", missing="available", monotonic=(1, 0, 0, 0)))
