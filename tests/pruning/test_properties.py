"""What holds for all pruning methods: results are prunings, reports say how, settings are refused by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from helpers.prunings import (
    COSTS,
    cost_of,
    leaves_of,
    random_holdout,
    random_trees,
)
from helpers.trees import Leaf, build, chain, mixed_schema
from treewright import pruning
from treewright.pruning.losses import training_errors

PLAIN = [
    pruning.Pessimistic(),
    pruning.MinimumError(),
    pruning.MinimumError(None),
    pruning.CostComplexity(0.01),
    pruning.CostComplexity(0.01, risk="impurity"),
    pruning.CostComplexity(0.01, risk="log_loss"),
    pruning.Pessimistic(count="used"),
    pruning.MinimalSize(leaves=3),
    pruning.ErrorBased(raising=False),
    pruning.ErrorBased(raising=False, bound="binomial"),
    pruning.ChiSquare(),
    pruning.StructuralRisk(scale=0.1),
    pruning.MinimalSize("structural_risk"),
    pruning.DescriptionLength(),
    pruning.Penalised(0.01),
    pruning.Simplify(),
    pruning.Simplify("proba"),
    pruning.Collapse(),
]
HOLDOUT = [
    pruning.ReducedError(),
    pruning.ReducedError("greedy"),
    pruning.CostComplexity(holdout=True),
    pruning.CostComplexity(holdout=True, se=1),
    pruning.MinimalSize(),
]
LOG_LOSS = [
    pruning.ReducedError(risk="log_loss"),
    pruning.ReducedError("greedy", risk="log_loss"),
    pruning.CostComplexity(holdout=True, risk="log_loss"),
    pruning.MinimalSize(risk="log_loss"),
    pruning.Penalised(0.01, risk="log_loss"),
]
FOR_NUMBERS = [
    pruning.CostComplexity(0.01),
    pruning.CostComplexity(0.01, risk="squared_error"),
    pruning.Penalised(0.01),
    pruning.StructuralRisk(scale=0.1, loss_bound=100.0),
    pruning.MinimalSize("structural_risk"),
    pruning.Simplify(),
    pruning.Collapse(),
    *HOLDOUT,
]


@pytest.mark.parametrize("pruner", PLAIN + HOLDOUT + LOG_LOSS, ids=str)
def test_the_result_is_a_pruning_and_the_report_says_how(pruner):
    for seed, tree in random_trees(30, n_splits=20):
        if not tree.is_classifier:
            continue
        result = pruner.prune(tree, random_holdout(seed, tree) if pruner.needs == "holdout" else None)
        leaves = leaves_of(tree, result.tree)
        inner = [node for node in leaves if not tree.is_leaf(node)]
        assert set(inner) <= set(result.report.collapsed.tolist())
        assert tree.collapse(result.report.collapsed) == result.tree
        assert str(result.report).startswith(str(pruner))


@pytest.mark.parametrize("pruner", FOR_NUMBERS, ids=str)
def test_those_that_make_sense_for_regression_prune_numbers(pruner):
    for seed, tree in random_trees(12, n_splits=20, n_classes=0):
        rows = random_holdout(seed, tree) if pruner.needs == "holdout" else None
        leaves_of(tree, pruner(tree, rows))


@pytest.mark.parametrize(
    "pruner",
    [
        pruning.Pessimistic(),
        pruning.MinimumError(),
        pruning.ErrorBased(),
        pruning.ErrorBased(raising=False),
        pruning.ChiSquare(),
        pruning.DescriptionLength(),
    ],
    ids=str,
)
def test_the_others_refuse_numbers_in_one_sentence(pruner):
    tree = tw.DecisionTreeRegressor().fit([[1], [2], [3]], [0.0, 1.0, 3.0]).tree_
    with pytest.raises(ValueError, match=f"{type(pruner).__name__} counts errors, .* use CostComplexity"):
        pruner(tree)


IDEMPOTENT = [
    pruner
    for pruner in PLAIN + HOLDOUT
    # these judge by the tree as it was grown, or grant something to smaller trees again
    if not isinstance(pruner, (pruning.Pessimistic, pruning.MinimalSize, pruning.StructuralRisk))
    and pruner not in (pruning.ReducedError("greedy"), pruning.CostComplexity(holdout=True, se=1))
] + [pruning.StructuralRisk(scale=0.1, n_splits=50)]


@pytest.mark.parametrize("pruner", IDEMPOTENT, ids=str)
def test_pruning_twice_is_pruning_once(pruner):
    for seed, tree in random_trees(30, n_splits=20, n_classes=2):
        rows = random_holdout(seed, tree) if pruner.needs == "holdout" else None
        once = pruner(tree, rows)
        assert pruner(once, rows) == once


@pytest.mark.parametrize("pruner", PLAIN, ids=str)
def test_weights_count_as_rows(pruner):
    rng = np.random.default_rng(1)
    X, y, times = rng.normal(size=(80, 3)), rng.integers(0, 2, 80), rng.integers(1, 4, 80)
    weighted = tw.DecisionTreeClassifier().fit(X, y, sample_weight=times).tree_
    repeated = tw.DecisionTreeClassifier().fit(np.repeat(X, times, axis=0), np.repeat(y, times)).tree_
    if isinstance(pruner, (pruning.StructuralRisk, pruning.MinimalSize, pruning.DescriptionLength)):
        # these count rows where they speak of sample sizes and of cuts
        weighted = replace(weighted, count=repeated.count)
    assert np.array_equal(pruner(weighted).node_value, pruner(repeated).node_value)


def test_pruning_a_leaf_gives_the_leaf():
    tree = build(mixed_schema(2), Leaf(3, [1, 2]))
    for pruner in PLAIN + HOLDOUT + [pruning.ErrorBased()]:
        rows = None if pruner.needs == "nothing" else random_holdout(0, tree)
        result = pruner.prune(tree, rows)
        assert result.tree == tree
        assert len(result.report) == 0


@pytest.mark.parametrize(
    "pruner", [p for p in PLAIN + HOLDOUT if not isinstance(p, pruning.MinimalSize)], ids=str
)
def test_a_tree_as_deep_as_it_has_splits_is_no_trouble(pruner):
    tree = chain(20_000)
    rng = np.random.default_rng(0)
    rows = tw.Dataset(
        tree.schema,
        rng.uniform(0, 20, (50, 1)),
        np.empty((50, 0), np.int32),
        rng.integers(0, 2, 50).astype(np.int32),
    )
    assert pruner(tree, rows if pruner.needs == "holdout" else None).n_leaves <= tree.n_leaves


def test_simplify_changes_no_prediction():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    model = tw.DecisionTreeClassifier(max_depth=6, costs=COSTS).fit(X, y)
    smaller = tw.simplify(model)
    assert smaller.get_n_leaves() < model.get_n_leaves()
    assert np.array_equal(model.predict(X), smaller.predict(X))
    same = tw.simplify(model, by="proba")
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X))


def test_collapse_makes_no_more_training_errors():
    for _, tree in random_trees(30, n_splits=20, n_classes=3):
        pruned = pruning.Collapse()(tree)
        errors = training_errors(tree)
        assert cost_of(leaves_of(tree, pruned), errors) <= errors[tree.leaves].sum() + 1e-2
        smallest = pruning.Penalised(0.0, risk="error")(tree)
        assert pruned.n_leaves <= smallest.n_leaves


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: pruning.ReducedError("top_down"),
            "'strategy' parameter of ReducedError .*'bottom_up', 'greedy'",
        ),
        (lambda: pruning.MinimumError(-1), "'m' parameter of MinimumError"),
        (
            lambda: pruning.ErrorBased(cf=0),
            r"'cf' parameter of ErrorBased must be a float in the range \(0.0, 1.0\)",
        ),
        (lambda: pruning.ErrorBased(bound="c5"), "'bound' parameter"),
        (lambda: pruning.CostComplexity(alpha=-1), "'alpha' parameter of CostComplexity"),
        (lambda: pruning.CostComplexity(cv=1), "'cv' parameter of CostComplexity"),
        (lambda: pruning.CostComplexity(cv=[1, 1, 1]), "at least two different fold numbers"),
        (lambda: pruning.CostComplexity(alpha=0.1, cv=5), "one of 'alpha', 'cv' and 'holdout'"),
        (lambda: pruning.CostComplexity(0.1, risk="gini"), "'risk' parameter"),
        (lambda: pruning.ReducedError(risk="error"), "'risk' parameter of ReducedError"),
        (lambda: pruning.Pessimistic(count="leaves"), "'count' parameter of Pessimistic .*'all', 'used'"),
        (lambda: pruning.StructuralRisk(delta=0), "'delta' parameter"),
        (lambda: pruning.MinimalSize(max_leaves=0), "'max_leaves' parameter"),
        (lambda: pruning.DescriptionLength("huffman"), "'code' parameter"),
        (lambda: pruning.Simplify("shape"), "'by' parameter"),
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_a_risk_that_the_tree_does_not_have_is_refused():
    numbers = tw.DecisionTreeRegressor().fit([[1], [2], [3]], [0.0, 1.0, 3.0]).tree_
    with pytest.raises(ValueError, match="use one of 'squared_error', 'impurity'"):
        pruning.CostComplexity(0.1, risk="error")(numbers)
    classes = tw.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "a"]).tree_
    with pytest.raises(ValueError, match="use one of 'error', 'cost', 'impurity'"):
        pruning.Penalised(0.1, risk="squared_error")(classes)
