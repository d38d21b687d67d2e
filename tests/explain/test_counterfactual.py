"""The nearest change that leads to another prediction is the one that brute force finds."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.explaining import POLICIES, hand_made, models, share_of
from helpers.trees import random_rows, random_tree
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, datasets
from treewright.explain import Row, explain_row, follow, goal_of, nearest_change, read_row
from treewright.explain.region import Measure, cuts_by_feature
from treewright.tree.splits import Hyperplane, Sphere

SIZES = ["small", "medium", "large", "huge"]


def test_dates_and_ordered_categories_change_to_values_of_their_kind() -> None:
    X = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=40, freq="D"),
            "size": pd.Categorical(SIZES * 10, SIZES, ordered=True),
        }
    )
    y = (X["day"] > "2024-01-20") & (X["size"] >= "large")
    model = DecisionTreeClassifier().fit(X, y)
    explained = model.explain(X.iloc[[32]])
    assert explained.prediction is False
    assert explained.change is not None
    assert explained.change.to_dict()["changes"] == {"size": {"from": "small", "to": "large"}}
    fixed = model.explain(X.iloc[[3]], fixed=["size"]).change
    assert fixed is not None
    # the first large one after the 20th is of the 23rd, and the cut lies half a day before
    assert fixed.to_dict()["changes"] == {"day": {"from": "2024-01-04", "to": "2024-01-23"}}


def cells(measure: Measure, tree: tw.Tree, feature: int) -> list[tuple[float, tuple[int, float]]]:
    """Give a value in every cell of a feature, with the least cost of getting into the cell."""
    row, schema = measure.row, tree.schema
    x = row[feature]
    found = [(x, (0, 0.0))]
    if schema.n_categories[feature]:
        return found + [(float(c), (1, 1.0)) for c in range(schema.n_categories[feature]) if c != x]
    ends = [-math.inf, *cuts_by_feature([tree]).get(feature, np.empty(0)).tolist(), math.inf]
    for low, high in itertools.pairwise(ends):
        if math.isnan(x):
            inside = high if math.isfinite(high) else low + 1 if math.isfinite(low) else 0.0
            found.append((inside, (1, 1.0)))
        elif x <= low:
            step = math.floor(low) + 1 if feature in measure.whole else low
            if step <= high:
                value = step if feature in measure.whole else math.nextafter(low, math.inf)
                found.append((value, (1, (step - x) / measure.scales[feature])))
        elif x > high:
            step = math.floor(high) if feature in measure.whole else high
            if step > low:
                found.append((step, (1, (x - step) / measure.scales[feature])))
    return found


def brute_force_of_forest(trees: list[tw.Tree], row: Any, measure: Measure) -> tuple[int, float]:
    """Try every combination of cells, a cell being whatever no tree cuts."""
    every = [sorted({cell for tree in trees for cell in cells(measure, tree, f)}) for f in range(3)]
    best = (99, 0.0)
    for choice in itertools.product(*every):
        cost = (sum(c for _, (c, _) in choice), sum(d for _, (_, d) in choice))
        if cost < best:
            changed = row.changed({f: v for f, (v, (c, _)) in enumerate(choice) if c})
            said = [follow(tree, changed).says(share_of(tree)) for tree in trees]
            if np.mean(said, axis=0).argmax() == 1:
                best = cost
    return best


@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_change_for_a_forest_is_the_one_brute_force_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((200, 3))
    y = X.sum(axis=1) + rng.normal(0, 0.2, 200) > 1.6
    trees = []
    for _ in range(5):
        drawn = rng.integers(0, 200, 200)
        trees.append(DecisionTreeClassifier(max_depth=2).fit(X[drawn], y[drawn]).tree_)
    row = read_row([0.2, 0.3, 0.25], trees[0].schema)
    explained = explain_row(trees, row, [share_of(tree) for tree in trees])
    assert explained.prediction is False
    assert explained.change is not None
    assert explained.change.is_proven
    expected = brute_force_of_forest(trees, row, Measure.of(trees, row))
    assert explained.change.found.cost[0] == expected[0]
    assert explained.change.found.cost[1] == pytest.approx(
        expected[1], abs=0.02
    )  # to a number short to write


def test_a_search_that_is_stopped_says_so() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((500, 12))
    y = (X**2).sum(axis=1) + rng.normal(0, 0.3, 500) > 4
    drawn = [rng.integers(0, 500, 500) for _ in range(30)]
    trees = [DecisionTreeClassifier(max_features=3, random_state=0).fit(X[d], y[d]).tree_ for d in drawn]
    row = read_row(np.full(12, 0.3), trees[0].schema)
    explained = explain_row(trees, row, [share_of(tree) for tree in trees], time_limit=0.1)
    assert explained.change is not None
    assert not explained.change.is_proven
    assert "there may be a nearer one" in str(explained)
    after = explained.change.after
    assert np.mean([follow(tree, after).says(share_of(tree)) for tree in trees], axis=0).argmax() == 1


def brute_force(
    tree: tw.Tree, row: Any, measure: Measure, wanted: set[int], fixed: set[int]
) -> tuple[int, float] | None:
    """Try every combination of cells."""
    columns = [
        cells(measure, tree, feature)[: 1 if feature in fixed else None]
        for feature in range(len(tree.schema.columns))
    ]
    best = None
    share = tree.node_value / tree.node_value.sum(axis=1, keepdims=True)
    for choice in itertools.product(*columns):
        cost = (sum(c for _, (c, _) in choice), sum(d for _, (_, d) in choice))
        if best is not None and cost >= best:
            continue
        changed = row.changed({f: v for f, (v, (c, _)) in enumerate(choice) if c})
        if int(np.argmax(follow(tree, changed).says(share))) in wanted:
            best = cost
    return best


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("fixed", [(), ("a",), ("b", "c")])
def test_the_nearest_change_is_the_one_brute_force_finds(policy: str, fixed: tuple[str, ...]) -> None:
    model, X = models(
        policy, seed=4, splits=("threshold", "multiway") if policy == "value" else ("threshold", "subset")
    )
    tree = model.tree_
    share = tree.node_value / tree.node_value.sum(axis=1, keepdims=True)
    found = 0
    for i in range(0, len(X), 9):
        row = read_row(X.iloc[i], tree.schema)
        says = follow(tree, row).says(share)
        label = int(np.argmax(says))
        for wanted in (None, *(c for c in range(3) if c != label)):
            goal = goal_of(wanted, tree, says, label)
            assert goal is not None
            measure = Measure.of([tree], row, fixed)
            change = nearest_change([tree], [share], row, goal, fixed=fixed)
            expected = brute_force(tree, row, measure, set(goal.labels), {list(X).index(f) for f in fixed})
            assert (change is None) == (expected is None)
            if change is not None and expected is not None:
                found += 1
                assert change.found.cost[0] == expected[0]
                assert change.found.cost[1] == pytest.approx(expected[1])
                assert change.label in goal.labels
                assert len(change.found.changes) == expected[0]
                assert change.is_proven
    assert found > 3


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_surrogates_of_fewer_branches_than_their_node_are_changed_through(seed: int) -> None:
    tree = random_tree(seed, 6)
    for numbers, codes in zip(*(array[:5] for array in random_rows(seed)), strict=True):
        explained = explain_row([tree], Row(tree.schema, numbers, codes), [tree.class_probabilities])
        if explained.change is not None:
            assert explained.change.label != explained.label


def test_a_direction_is_kept_to() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    free = model.explain(X.iloc[60], wanted="setosa").change
    assert free is not None
    assert free.to_dict()["changes"].keys() == {"petal length"}
    assert model.explain(X.iloc[60], wanted="setosa", directions={"petal length": "up"}).change is None
    assert "there is none within what may change" in str(
        model.explain(X.iloc[60], wanted="setosa", fixed=["petal length"])
    )


def test_changes_are_measured_by_the_spread_of_rows_if_they_are_given() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    change = model.explain(X.iloc[70], scales=X).change
    assert change is not None
    [(name, moved)] = change.to_dict()["changes"].items()
    assert (name, moved["from"]) == ("petal width", 1.8)
    assert change.found.cost[1] == pytest.approx(0.05 / X["petal width"].std(ddof=0))


def test_the_changed_row_is_predicted_as_promised() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    for i in range(0, 150, 10):
        change = model.explain(X.iloc[i]).change
        assert change is not None
        after = X.iloc[[i]].copy()
        for name, moved in change.to_dict()["changes"].items():
            after[name] = moved["to"]
        assert model.predict(after)[0] == change.prediction != model.predict(X.iloc[[i]])[0]


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        ("higher", lambda now, then: then > now),
        ("lower", lambda now, then: then < now),
        (30, lambda now, then: then >= 30),
        (14.5, lambda now, then: then <= 14.5),
        ((28, 33), lambda now, then: 28 <= then <= 33),
        ((None, 13.5), lambda now, then: then <= 13.5),
    ],
)
def test_a_number_is_brought_to_what_is_wanted(wanted: Any, holds: Any) -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(max_depth=5).fit(X, y)
    row = X.iloc[[150]]
    assert model.explain(row).change is None
    explained = model.explain(row, wanted=wanted)
    assert explained.change is not None
    assert holds(explained.prediction, explained.change.prediction)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"wanted": "rose"}, "wanted='rose' is no class: use one of 'setosa'"),
        ({"wanted": "setosa"}, "already"),
        (
            {"fixed": ["petal lenght"]},
            "fixed names 'petal lenght', which is no feature: .* Did you mean 'petal length'",
        ),
        ({"directions": {"petal length": "sideways"}}, "must be 'up' or 'down', got 'sideways'"),
        ({"scales": {"petal length": 0}}, "must be above 0"),
    ],
)
def test_what_cannot_be_looked_for_is_refused_by_name(choices: dict[str, Any], words: str) -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match=words):
        model.explain(X.iloc[0], **choices)


def test_a_search_without_time_does_not_say_that_there_is_none() -> None:
    X, y = datasets.load_iris()
    explained = DecisionTreeClassifier().fit(X, y).explain(X.iloc[0], time_limit=0)
    assert explained.change is None
    assert "none was found in time" in str(explained)


def change_of(tree: tw.Tree, row: list[float], **limits: Any) -> Any:
    share, read = share_of(tree), read_row(row, tree.schema)
    says = follow(tree, read).says(share)
    goal = goal_of("b", tree, says, int(np.argmax(says)))
    assert goal is not None
    return nearest_change([tree], [share], read, goal, scales={"x": 1, "y": 1}, **limits)


def test_one_feature_crosses_a_plane() -> None:
    tree = hand_made([Hyperplane((0, 1), (1.0, 2.0), 3.0)], [-1, 0, 0], 2)
    change = change_of(tree, [0.0, 0.0])  # y above 1.5 is nearer than x above 3
    assert list(change.found.changes) == [1]
    assert change.found.cost[1] == pytest.approx(1.5, abs=0.02)
    assert change.is_proven
    fixed = change_of(tree, [0.0, 0.0], fixed=["y"])
    assert fixed.found.cost[1] == pytest.approx(3.0, abs=0.02)


def test_two_features_go_to_the_nearest_point_between_planes() -> None:
    planes = [
        Hyperplane((0, 1), (1.0, 1.0), 10.0),  # x + y > 10
        Hyperplane((0, 1), (1.0, -1.0), 1.0),  # x − y ≤ 1
        Hyperplane((0, 1), (1.0, -1.0), -1.0),  # x − y > −1
    ]
    tree = hand_made(planes, [-1, 0, 0, 2, 3, 3, 2], 5)
    change = change_of(tree, [0.0, 0.0])
    assert change.found.cost[0] == 2
    assert change.found.cost[1] == pytest.approx(10.0, abs=0.03)
    assert change.prediction == "b"
    assert change.is_proven


def test_a_sphere_is_entered_and_left() -> None:
    sphere = Sphere((0, 1), (5.0, 5.0), (1.0, 1.0), 4.0)
    entered = change_of(hand_made([sphere], [-1, 0, 0], 1), [0.0, 0.0])
    assert entered.found.cost[0] == 2  # no single feature gets there
    assert entered.found.cost[1] == pytest.approx(2 * (5 - math.sqrt(2)), abs=0.03)
    assert not entered.is_proven
    left = change_of(hand_made([sphere], [-1, 0, 0], 2), [5.0, 4.0])
    assert left.found.changes.keys() == {1}
    assert left.found.cost[1] == pytest.approx(1.0, abs=0.02)
    assert left.is_proven
