"""What a node predicts is one rule: labels, predictions, explanations, rules and scores never disagree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import treewright as tw
from treewright.tree.decision import decide

NEARLY = 0.1 + 0.2  # above 0.3 by rounding alone
X = pd.DataFrame({"x": [0.0, 0.0, 0.0, 1.0]})
Y = ["a", "b", "b", "b"]
WEIGHT = [0.3, 0.1, 0.2, 5.0]  # where x is 0 the classes weigh the same
TIED = X.iloc[[0]]


def test_the_heaviest_wins_and_of_equals_the_first() -> None:
    weight = np.array([[[1, 3, 3], [0.3, NEARLY, 0.1]], [[0, 0, 0], [0.3, 0.3001, 0.1]]])
    assert decide(weight).tolist() == [[1, 0], [0, 1]]


def test_the_cheapest_wins_and_of_equals_the_first() -> None:
    costs = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert decide(np.array([[2.0, 2.0], [2.0, 1.0], [1.0, 2.0], [0.3, NEARLY]]), costs).tolist() == [
        0,
        0,
        1,
        0,
    ]
    assert decide(np.array([0.3, NEARLY]), costs, exact=True) == 1
    assert decide(np.array([1.0, 2.0]), np.array([[0.0, 3.0], [1.0, 0.0]])) == 0


def test_a_near_tie_goes_the_same_way_everywhere() -> None:
    model = tw.DecisionTreeClassifier().fit(X, Y, WEIGHT)
    tree = model.tree_
    leaf = model.apply(TIED)[0]
    assert tree.node_value[leaf].tolist() == [0.3, NEARLY]
    assert tree.label[leaf] == 0
    assert model.predict(TIED).tolist() == ["a"]
    assert tree.schema.classes[decide(model.predict_proba(TIED), tree.costs)].tolist() == ["a"]
    assert model.explain(TIED).prediction == "a"
    assert model.explain(X.iloc[[3]]).change.prediction == "a"
    assert model.rules().predict(TIED).tolist() == ["a"]
    rows = X.iloc[[0, 3]]
    assert model.score(rows, ["a", "b"]) == 1
    lost = model.importances(rows, ["a", "b"], n_repeats=20).permutation
    assert lost[0] > 0  # an exchange of the two puts both in the wrong class


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_a_near_tie_goes_the_same_way_in_a_forest(vote: str) -> None:
    forest = tw.RandomForestClassifier(3, vote=vote, bootstrap=False, random_state=0).fit(X, Y, WEIGHT)
    explained = forest.explain(TIED)
    assert explained.says == pytest.approx(forest.predict_proba(TIED)[0], abs=1e-9)
    assert forest.predict(TIED).tolist() == [explained.prediction] == ["a"]


def shared_tables() -> list[tuple[pd.DataFrame, NDArray[Any]]]:
    """Tables of as many rows of either class: one whose category is missing is as likely of either."""
    found = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        category = random.integers(0, 4, 14)
        found.append((pd.DataFrame({"c": np.array(list("pqrs"))[category]}), np.array(["a", "b"] * 7)))
    return found


def test_a_row_whose_shares_tie_but_for_rounding_goes_the_same_way_everywhere() -> None:
    unknown = pd.DataFrame({"c": [None]})
    above = 0
    for table, y in shared_tables():
        choices: dict[str, Any] = {"missing": "fractional", "splits": ("multiway",)}
        for model in (tw.DecisionTreeClassifier(**choices), tw.C45Classifier(pruner=None)):
            share = model.fit(table, y).predict_proba(unknown)[0]
            assert share == pytest.approx([0.5, 0.5])
            above += share[1] > share[0]
            assert model.predict(unknown).tolist() == [model.explain(unknown).prediction] == ["a"]
    assert above > 0  # or the test could not fail


@pytest.mark.parametrize("missing", ["available", "fractional"])
@pytest.mark.parametrize("laplace", [0, 1])
def test_costs_that_tie_but_for_rounding_go_the_same_way_everywhere(missing: str, laplace: float) -> None:
    """Where rounding decides, whoever decides has the same rounding."""
    chosen = set()
    for seed in range(20):
        random = np.random.default_rng(seed)
        table = pd.DataFrame({"c": random.choice(list("pqr"), 40)})
        y = np.resize(list("abc"), 40)
        costs = [[0, 0.1, 0.1], [0.1, 0, 0.1], [0.1, 0.1, 0]]
        model = tw.DecisionTreeClassifier(
            costs=costs, priors=[1 / 3] * 3, missing=missing, laplace=laplace, splits=("multiway",)
        ).fit(table, y)
        rows = pd.DataFrame({"c": ["p", "q", "r", None]})
        predicted = model.predict(rows).tolist()
        assert [model.explain(rows.iloc[[i]]).prediction for i in range(4)] == predicted
        assert [model.classes_[model.tree_.label[leaf]] for leaf in model.apply(rows.iloc[:3])] == predicted[
            :3
        ]
        assert model.rules().predict(rows.iloc[:3]).tolist() == predicted[:3]
        chosen |= set(predicted)
    assert chosen == {"a", "b", "c"}


def test_smoothed_shares_are_shown_but_do_not_decide() -> None:
    """Three rows against one, and a mistake on the one costs 2.5: smoothed by one each it would be dearer."""
    table = pd.DataFrame({"x": [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]})
    model = tw.DecisionTreeClassifier(costs=[[0, 1], [2.5, 0]], laplace=1)
    model.fit(table, ["a", "a", "a", "b", "b", "b"])
    row = table.iloc[[0]]
    explained = model.explain(row)
    assert explained.says == pytest.approx(model.predict_proba(row)[0]) == [4 / 6, 2 / 6]
    assert model.predict(row).tolist() == [explained.prediction] == ["a"]
    change = explained.change
    assert change.prediction == "b"
    assert model.predict(pd.DataFrame({"x": [change.to_dict()["changes"]["x"]["to"]]})).tolist() == ["b"]
