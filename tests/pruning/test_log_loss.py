"""Log loss as the risk: −log₂ of the probability that a node gives to the class of a row."""

from __future__ import annotations

from math import log, log2

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

import treewright as tw
from helpers import prunings
from treewright import criteria, pruning
from treewright.pruning.losses import held_out_loss, row_loss, training_risk


def table(seed: int, n_rows: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n_rows, 3))
    return X, np.where(rng.random(n_rows) < 0.3, rng.integers(0, 3, n_rows), X[:, 0] % 3)


def test_on_training_rows_it_is_weight_times_entropy():
    for _, tree in prunings.random_trees(30, n_splits=12):
        if tree.is_classifier:
            entropy = [
                weight * criteria.impurity("entropy", value)
                for weight, value in zip(tree.weight, tree.node_value, strict=True)
            ]
            np.testing.assert_allclose(training_risk(tree, "log_loss"), entropy, atol=1e-9)
    X, y = table(0)
    grown = tw.DecisionTreeClassifier(criterion="entropy").fit(X, y).tree_
    bits, impurity = (
        pruning.CostComplexity(0.0, risk=risk).prune(grown).path for risk in ("log_loss", "impurity")
    )
    np.testing.assert_allclose(bits.alpha, impurity.alpha, atol=1e-9)
    assert bits.leaves.tolist() == impurity.leaves.tolist()


def test_on_other_rows_a_class_never_seen_has_the_least_probability_of_scikit_learn():
    for seed, tree in prunings.random_trees(30, n_splits=12):
        if not tree.is_classifier or tree.shares_rows:
            continue
        rows = prunings.random_holdout(seed, tree, weighted=True)
        loss = np.zeros(len(tree))
        shares = tree.node_value / tree.node_value.sum(axis=1, keepdims=True)
        for row, leaf in enumerate(tree.route(rows.numbers, rows.codes).tolist()):
            node = leaf
            while node >= 0:
                loss[node] -= rows.weight[row] * log2(max(shares[node, rows.target[row]], 2**-52))
                node = int(tree.parent[node])
        np.testing.assert_allclose(held_out_loss(tree, rows, "log_loss"), loss, atol=1e-9)
        root = np.zeros(len(rows), np.int64)
        assert (rows.weight * row_loss(tree, rows.target, root, "log_loss")).sum() == pytest.approx(loss[0])
        best = prunings.smallest_of_cheapest(
            {leaves: prunings.cost_of(leaves, loss) for leaves in prunings.all_prunings(tree)}
        )
        assert prunings.leaves_of(tree, pruning.ReducedError(risk="log_loss")(tree, rows)) in best


@pytest.mark.parametrize(
    "pruner",
    [
        pruning.CostComplexity(holdout=True, risk="log_loss"),
        pruning.MinimalSize(risk="log_loss"),
    ],
    ids=str,
)
def test_trees_are_chosen_by_the_log_loss_of_scikit_learn(pruner):
    X, y = table(1)
    V, v = table(2)
    pruned = tw.prune(tw.DecisionTreeClassifier().fit(X, y), pruner, V, v)
    for point in pruned.path_:
        model = tw.prune(pruned, lambda tree, point=point: point.tree)
        found = log_loss(v, model.predict_proba(V), labels=model.classes_) / log(2)
        assert point.held_out == pytest.approx(found, rel=1e-6)
    least = min(point.held_out for point in pruned.path_)
    assert log_loss(v, pruned.predict_proba(V)) / log(2) == pytest.approx(least, rel=1e-6)


def test_cross_validation_chooses_by_log_loss_too():
    X, y = table(3, 300)
    pruned = tw.prune(
        tw.DecisionTreeClassifier().fit(X, y), pruning.CostComplexity(cv=5, risk="log_loss"), X, y
    )
    root = criteria.impurity("log_loss", np.bincount(y))
    assert pruned.path_[-1].held_out == pytest.approx(root, rel=0.02)
    assert pruned.path_[pruned.path_.chosen].held_out == pytest.approx(pruned.path_.held_out.min())
    assert 1 < pruned.get_n_leaves() < 30


def test_rows_of_one_class_and_empty_branches_cost_nothing():
    X = pd.DataFrame({"a": pd.Categorical(["u", "v", "v"], categories=["u", "v", "w"])})
    tree = tw.ID3Classifier().fit(X, ["yes", "no", "no"]).tree_
    assert training_risk(tree, "log_loss")[1:].tolist() == [0.0, 0.0, 0.0]
    assert pruning.CostComplexity(0.1, risk="log_loss")(tree).n_leaves == 3
    alone = tw.DecisionTreeClassifier().fit([[1]], ["yes"]).tree_
    assert training_risk(alone, "log_loss").tolist() == [0.0]


def test_numbers_have_no_log_loss():
    model = tw.DecisionTreeRegressor().fit([[1], [2], [3]], [0.0, 1.0, 3.0])
    for pruner in (
        pruning.CostComplexity(0.1, risk="log_loss"),
        pruning.CostComplexity(holdout=True, risk="log_loss"),
        pruning.ReducedError(risk="log_loss"),
        pruning.MinimalSize(risk="log_loss"),
    ):
        with pytest.raises(ValueError, match="Unknown risk for this tree 'log_loss'"):
            tw.prune(model, pruner, [[1], [2]], [0.0, 1.0])
