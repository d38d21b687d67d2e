"""Pruning methods side by side, and accuracy against size."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright import pruning
from treewright.data import Dataset
from treewright.data.folds import fold_numbers


def noisy(seed: int = 0, n: int = 240) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0.5) ^ (rng.random(n) < 0.2)).astype(int)


def test_all_methods_stand_in_one_table():
    X, y = noisy()
    table = tw.compare_pruners(tw.DecisionTreeClassifier(), X, y, cv=4)
    assert [method.name for method in table] == [
        "unpruned",
        *(name for name in pruning.PRUNERS if name != "simplify"),
    ]
    lines = str(table).splitlines()
    assert len(lines) == 1 + len(table)
    assert lines[0].split() == [
        "pruner",
        "leaves",
        "depth",
        "train",
        "error",
        "validation",
        "error",
        "seconds",
    ]
    full = table["unpruned"]
    assert full.train_error == 0
    assert all(method.leaves <= full.leaves for method in table)
    assert all(method.seconds >= 0 for method in table)


def test_the_errors_are_those_of_fitting_in_every_fold():
    X, y = noisy()
    model = tw.DecisionTreeClassifier()
    table = tw.compare_pruners(model, X, y, cv=4, pruners=[pruning.Pessimistic()], random_state=3)
    folds = fold_numbers(Dataset.from_table(X, y, task="classification"), 4, 3)
    for name, pruner in (("unpruned", None), ("Pessimistic()", pruning.Pessimistic())):
        wrong, leaves = [], []
        for fold in range(4):
            fitted = tw.DecisionTreeClassifier(pruner=pruner).fit(X[folds != fold], y[folds != fold])
            wrong += (fitted.predict(X[folds == fold]) != y[folds == fold]).tolist()
            leaves.append(fitted.get_n_leaves())
        rate = np.mean(wrong)
        assert table[name].validation_error == pytest.approx(rate)
        assert table[name].se == pytest.approx(np.sqrt(rate * (1 - rate) / len(y)))
        assert table[name].leaves == np.mean(leaves)


def test_own_callables_names_and_explicit_folds_are_compared():
    X, y = noisy()

    def stump(tree):
        return tree.collapse(tree.node_depth == 1)

    own = {"one split": stump, "mild": pruning.ErrorBased(cf=0.4), "reduced": "reduced_error"}
    table = tw.compare_pruners(tw.DecisionTreeClassifier(), X, y, cv=np.arange(240) % 3, pruners=own)
    assert [method.name for method in table] == ["unpruned", "one split", "mild", "reduced"]
    assert table["one split"].leaves == 2
    listed = tw.compare_pruners(tw.DecisionTreeClassifier(), X, y, cv=3, pruners=[stump, stump])
    assert [method.name for method in listed] == ["unpruned", "stump", "stump (2)"]


def test_regression_is_compared_by_squared_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.sign(X[:, 0]) + rng.normal(size=200)
    table = tw.compare_pruners(tw.DecisionTreeRegressor(), X, y, cv=3)
    assert table["unpruned"].train_error == 0
    assert table["cost_complexity"].validation_error < table["unpruned"].validation_error
    assert 0.9 < table["cost_complexity"].validation_error < 1.6  # the noise has variance one


def test_the_curve_rises_on_training_rows_and_falls_on_others():
    X, y = noisy(n=900)
    curve = tw.overfitting_curve(tw.DecisionTreeClassifier(), X, y)
    growing, pruned = curve.growing, curve.pruning
    assert growing["nodes"].tolist() == list(range(1, int(growing["nodes"][-1]) + 1, 2))
    assert pruned["nodes"][0] == growing["nodes"][-1]
    assert pruned["nodes"][-1] == 1
    assert growing["training"][-1] == 1.0
    assert growing["test"].max() > growing["test"][-1] + 0.03  # it has overfitted
    assert pruned["pruning"].max() > pruned["pruning"][0] + 0.03  # and pruning undoes that
    for rows in ("training", "pruning", "test"):
        assert growing[rows][-1] == pytest.approx(pruned[rows][0])
        assert growing[rows][0] == pytest.approx(pruned[rows][-1])


def test_the_curve_is_that_of_trees_grown_to_every_size():
    X, y = noisy(n=200)
    curve = tw.overfitting_curve(tw.DecisionTreeClassifier(), X, y, random_state=1)
    from treewright.data.folds import holdout_split

    rest, tested = holdout_split(Dataset.from_table(X, y, task="classification"), 1 / 3, 1)
    growing, _ = holdout_split(rest, 1 / 3, 2)
    for leaves in (2, 5, 9):
        tree = tw.grow(growing, tw.Recipe("gini", order="best_first", max_leaf_nodes=leaves))
        accuracy = np.mean(tree.label[tree.route(tested.numbers, tested.codes)] == tested.target)
        assert curve.growing["test"][leaves - 1] == pytest.approx(accuracy)
        assert curve.growing["nodes"][leaves - 1] == tree.node_count


def test_tables_and_curves_are_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, y = noisy(n=120)
    table = tw.compare_pruners(
        tw.DecisionTreeClassifier(), X, y, cv=3, pruners=["pessimistic", "error_based"]
    )
    axes = table.plot()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "unpruned",
        "pessimistic",
        "error_based",
    ]
    lines = tw.overfitting_curve(tw.DecisionTreeClassifier(), X, y).plot().get_lines()
    assert len(lines) == 6
    path = tw.DecisionTreeClassifier(pruner="cost_complexity").fit(X, y).path_
    assert path.plot(pyplot.subplots()[1]).get_ylabel() == "loss per row"
    frontier = tw.DecisionTreeClassifier(pruner=pruning.MinimalSize("structural_risk")).fit(X, y).path_
    assert np.array_equal(frontier.plot().get_lines()[1].get_ydata(), frontier.penalised)
    pyplot.close("all")
