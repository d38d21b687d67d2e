"""Facts that the textbooks print: tables small enough to be worked by hand, theorems one can try out.

The lectures: Mansour (potentials, figure 8.4), Ramesh (PlayTennis, the cars, temperatures), Vandin (Boolean
functions), and Stein and Lettmann (the mushrooms).
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright import _core, criteria
from treewright.datasets import load_cars, load_mushrooms, load_tennis

STRICTLY_CONCAVE = ["gini", "entropy", "sqrt"]


def shape(tree: Any) -> Any:
    """A tree of categories as nested dictionaries: {feature: {category: subtree or class}}."""

    def at(node: int) -> Any:
        if tree.n_children[node] == 0:
            return str(tree.schema.classes[tree.label[node]])
        split = tree[node].split
        column = tree.schema.columns[split.feature]
        ways = {column.categories[code]: at(tree.children(node)[b]) for code, b in split.branches.items()}
        return {column.name: ways}

    return at(0)


def table_of(feature: pd.Series, target: pd.Series) -> Any:
    """Counts of each category (lines) in each class (columns)."""
    return np.ascontiguousarray(pd.crosstab(feature, target), dtype=float)


# PlayTennis

GAINS = {"Outlook": 0.247, "Humidity": 0.152, "Wind": 0.048, "Temperature": 0.029}
TENNIS = {
    "Outlook": {
        "Sunny": {"Humidity": {"High": "No", "Normal": "Yes"}},
        "Overcast": "Yes",
        "Rain": {"Wind": {"Weak": "Yes", "Strong": "No"}},
    }
}


@pytest.mark.parametrize("feature", GAINS)
def test_tennis_gains(feature: str) -> None:
    X, y = load_tennis(frame="pandas")
    table = table_of(X[feature], y)
    assert round(criteria.merit("entropy", table), 3) == GAINS[feature]
    assert round(_core.merit("entropy", table), 3) == GAINS[feature]


def test_tennis_gain_of_the_root_is_kept_in_the_tree() -> None:
    tree = tw.ID3Classifier().fit(*load_tennis(frame="pandas")).tree_
    assert round(float(tree.merit[0]), 3) == 0.247
    assert round(float(tree.impurity[0]), 3) == 0.940


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_tennis_tree(frame: Any) -> None:
    X, y = load_tennis(frame=frame)
    model = tw.ID3Classifier().fit(X, y)
    assert shape(model.tree_) == TENNIS
    assert model.score(X, y) == 1


def test_tennis_with_the_noisy_day_grows_more_below_sunny() -> None:
    """After one mislabelled day temperature (0.585) beats humidity (0.459) on sunny days: a larger tree."""
    X, y = load_tennis(noisy=True, frame="pandas")
    model = tw.ID3Classifier().fit(X, y)
    assert shape(model.tree_) == {
        "Outlook": {
            "Sunny": {
                "Temperature": {
                    "Hot": "No",
                    "Mild": {"Humidity": {"High": "No", "Normal": "Yes"}},
                    "Cool": "Yes",
                }
            },
            "Overcast": "Yes",
            "Rain": {"Wind": {"Weak": "Yes", "Strong": "No"}},
        }
    }
    assert model.score(X, y) == 1
    sunny = model.tree_.children(0)[0]
    assert round(float(model.tree_.merit[sunny]), 3) == 0.585


# Five mushrooms


@pytest.mark.parametrize(("feature", "expected"), [("Color", 0.4), ("Size", 0.55), ("Points", 0.4)])
def test_mushrooms_conditional_entropies(feature: str, expected: float) -> None:
    X, y = load_mushrooms(frame="pandas")
    table = table_of(X[feature], y)
    conditional = criteria.impurity("entropy", table.sum(axis=0)) - criteria.merit("entropy", table)
    assert round(conditional, 2) == expected


FROM_POINTS = {
    "Points": {"yes": {"Color": {"red": "toxic", "brown": "edible", "green": "toxic"}}, "no": "edible"}
}
FROM_COLOR = {
    "Color": {"red": {"Size": {"small": "toxic", "large": "edible"}}, "brown": "edible", "green": "edible"}
}


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        (["Points", "Color", "Size"], FROM_POINTS),  # as the lecture has it; the empty branch green is a tie
        (["Color", "Size", "Points"], FROM_COLOR),
    ],
)
def test_mushrooms_ties_go_to_the_first_feature(features: list[str], expected: dict[str, Any]) -> None:
    X, y = load_mushrooms(frame="pandas")
    assert shape(tw.ID3Classifier().fit(X[features], y).tree_) == expected


# Fifteen cars


def test_cars_tree_and_its_one_error() -> None:
    X, y = load_cars(frame="pandas")
    model = tw.ID3Classifier().fit(X, y)
    assert shape(model.tree_) == {
        "Fuel economy": {
            "good": "no",
            "average": "no",
            "bad": {
                "Weight": {
                    "average": "yes",
                    "light": {"Turbo": {"no": "no", "yes": "yes"}},
                    "heavy": {
                        "Engine": {
                            "small": "no",  # no such car: the majority of the heavy ones
                            "medium": "no",  # three cars that no feature tells apart
                            "large": "no",
                        }
                    },
                }
            },
        }
    }
    # The M3 is fast, the IS350 and the E320 are not, and no feature tells them apart.
    wrong = np.flatnonzero(np.asarray(model.predict(X)) != np.asarray(y))
    assert wrong.tolist() == [3]


# Figure 8.4: half the rows become pure, yet the observed error does not move


def test_figure_8_4_potentials() -> None:
    for name, before, after in [("gini", 0.32, 0.24), ("error", 0.20, 0.20)]:
        assert criteria.potential(name, 0.8) == pytest.approx(before)
        split = 0.5 * criteria.potential(name, 0.6) + 0.5 * criteria.potential(name, 1.0)
        assert split == pytest.approx(after)


@pytest.mark.parametrize("name", ["error", *STRICTLY_CONCAVE])
def test_potentials_are_normalised_and_symmetric(name: str) -> None:
    q = np.linspace(0, 1, 101)
    value = criteria.potential(name, q)
    assert value[0] == value[-1] == 0
    assert value[50] == pytest.approx(0.5)
    np.testing.assert_allclose(value, value[::-1], atol=1e-15)
    assert np.all(value >= np.minimum(q, 1 - q) - 1e-15), "no potential lies below the observed error"


def test_figure_8_5_orders_the_potentials() -> None:
    """From inner to outer: observed error, Gini, entropy, square root."""
    q = np.linspace(0.01, 0.99, 99)
    curves = [criteria.potential(name, q) for name in ("error", "gini", "entropy", "sqrt")]
    for inner, outer in pairwise(curves):
        assert np.all(inner <= outer + 1e-15)


def test_figure_8_4_error_is_indifferent_to_the_split_that_gini_makes() -> None:
    table = np.array([[2.0, 3.0], [0.0, 5.0]])
    assert _core.merit("error", table) == pytest.approx(0, abs=1e-15)
    assert _core.merit("gini", table) == pytest.approx(0.32 - 0.24)


# Temperatures


def test_temperatures_are_cut_at_54_and_85() -> None:
    X = np.array([40.0, 48, 60, 72, 80, 90])[:, None]
    y = ["No", "No", "Yes", "Yes", "Yes", "No"]
    tree = tw.DecisionTreeClassifier(criterion="entropy").fit(X, y).tree_
    assert tree.splits.threshold.tolist() == [54, 85]
    assert tree.merit[0] == pytest.approx(0.459147917027)


# Boolean functions


@pytest.mark.parametrize(
    "criterion", ["gini", "entropy", "error", "sqrt", "gain_ratio", "twoing", "chi_square"]
)
def test_greedy_is_blind_to_xor_at_the_root_and_right_below(criterion: str) -> None:
    X = np.array(list(product([0.0, 1.0], repeat=2)))
    y = np.logical_xor(X[:, 0], X[:, 1])
    model = tw.DecisionTreeClassifier(criterion=criterion).fit(X, y)
    assert model.tree_.merit[0] == pytest.approx(0, abs=1e-15)
    assert model.tree_.node_count == 7
    assert np.all(model.tree_.merit[model.tree_.children(0)] > 0)
    assert model.score(X, y) == 1


def test_greedy_grows_past_irrelevant_features_before_it_sees_xor() -> None:
    """With x2 xor x3 of four features the first two are cut in vain: exact, but four times too large."""
    X = np.array(list(product([0.0, 1.0], repeat=4)))
    y = np.logical_xor(X[:, 2], X[:, 3])
    model = tw.DecisionTreeClassifier(ties="first").fit(X, y)
    assert model.score(X, y) == 1
    assert model.get_n_leaves() == 16


@pytest.mark.parametrize("n_inputs", [1, 2, 3])
def test_every_boolean_function_is_represented(n_inputs: int) -> None:
    X = np.array(list(product([0.0, 1.0], repeat=n_inputs)))
    for outputs in product([False, True], repeat=2**n_inputs):
        y = np.array(outputs)
        model = tw.DecisionTreeClassifier().fit(X, y)
        assert (model.predict(X) == y).all()
        assert model.get_depth() <= n_inputs


@given(outputs=st.integers(0, 2**16 - 1))
def test_boolean_functions_of_four_inputs_are_represented(outputs: int) -> None:
    X = np.array(list(product([0.0, 1.0], repeat=4)))
    y = (outputs >> np.arange(16)) & 1
    words = np.where(X > 0, "true", "false")
    assert (tw.DecisionTreeClassifier().fit(X, y).predict(X) == y).all()
    assert (tw.ID3Classifier().fit(words, y).predict(words) == y).all()


# Convexity: no split raises the impurity

counts = st.lists(st.integers(0, 50), min_size=3, max_size=3)


@pytest.mark.parametrize("criterion", ["error", *STRICTLY_CONCAVE])
@given(branches=st.lists(counts, min_size=2, max_size=4).filter(lambda table: np.sum(table) > 0))
def test_no_split_raises_the_impurity(criterion: str, branches: list[list[int]]) -> None:
    table = np.array(branches, dtype=float)
    for merit in (criteria.merit(criterion, table), _core.merit(criterion, table)):
        assert merit >= -1e-14


@pytest.mark.parametrize("criterion", STRICTLY_CONCAVE)
@given(one=counts.filter(sum), other=counts.filter(sum))
def test_a_split_that_changes_the_class_shares_lowers_a_strictly_concave_impurity(
    criterion: str, one: list[int], other: list[int]
) -> None:
    table = np.array([one, other], dtype=float)
    shares = table / table.sum(axis=1, keepdims=True)
    merit = criteria.merit(criterion, table)
    if np.ptp(shares, axis=0).max() == 0:
        assert merit == pytest.approx(0, abs=1e-14)
    else:
        assert merit > 0


@given(table=st.lists(counts, min_size=2, max_size=2).filter(lambda table: min(map(sum, table)) > 0))
def test_core_and_formulas_agree_on_every_criterion(table: list[list[int]]) -> None:
    numbers = np.array(table, dtype=float)
    for criterion in criteria.CLASSIFICATION:
        assert _core.merit(criterion, numbers) == pytest.approx(criteria.merit(criterion, numbers), abs=1e-12)
