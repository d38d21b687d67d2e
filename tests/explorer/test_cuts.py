"""What Teach tells of cuts, in Node.js: every cut, its gain and the best of them."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import DecisionTreeClassifier, DecisionTreeRegressor

PROGRAM = """
const { Cuts, spreadOver } = await import("./model/cuts.js");
const cuts = new Cuts(given.pairs, given.classes);
answer({
  best: cuts.best(given.measure),
  gains: cuts.gains(given.measure),
  again: cuts.cuts.map((cut) => cuts.gain(cut, given.measure)),
  ends: [-1e9, 1e9].map((cut) => cuts.gain(cut, given.measure)),
  spread: spreadOver(cuts.sorted.map(([value]) => value), 40),
});
"""


def told(run_in_node, x, y, classes, measure) -> dict:
    return run_in_node(
        PROGRAM,
        {"pairs": np.column_stack([x, y]).tolist(), "classes": classes, "measure": measure},
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_rows", [5, 700])
def test_the_best_cut_of_numbers_is_the_best_of_all(run_in_node, seed, n_rows) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=n_rows)
    y = 1e6 + np.where(x > 0.3, 3.0, 0.0) + random.normal(size=n_rows)
    found = told(run_in_node, x, y, None, "variance")
    tree = DecisionTreeRegressor(max_depth=1).fit(x[:, None], y).tree_
    assert found["best"]["cut"] == pytest.approx(tree.splits.threshold[0])
    assert found["best"]["gain"] == pytest.approx(tree.merit[0], rel=1e-6)
    assert len(found["gains"]) == n_rows - 1
    assert found["again"] == [one["gain"] for one in found["gains"]]


@pytest.mark.parametrize(("measure", "criterion"), [("entropy", "entropy"), ("Gini", "gini")])
def test_the_best_cut_of_classes_is_the_best_of_all(run_in_node, measure, criterion) -> None:
    random = np.random.default_rng(1)
    x = random.integers(0, 400, 900) / 8
    y = (x + random.normal(0, 20, 900) > 30).astype(int) + (x > 45)
    found = told(run_in_node, x, y, 3, measure)
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(x[:, None], y).tree_
    assert found["best"] == {
        "cut": pytest.approx(tree.splits.threshold[0]),
        "gain": pytest.approx(tree.merit[0]),
    }


def test_no_cut_has_a_gain_of_rounding(run_in_node) -> None:
    x = np.arange(30) / 10
    found = told(run_in_node, x, np.tile([0, 1, 1], 10), 2, "error")
    assert min(one["gain"] for one in found["gains"] if one["gain"]) > 1e-3
    assert 0 in [one["gain"] for one in found["gains"]]
    assert found["ends"] == [0, 0]


def test_drawn_rows_are_a_fair_sample_of_all_values(run_in_node) -> None:
    x = np.arange(1000.0)
    drawn = np.array(told(run_in_node, x, np.zeros(1000), 2, "Gini")["spread"])
    assert drawn.tolist() == (np.arange(40) * 25 + 12).tolist()
