"""Pruning methods against brute force over all prunings, against their definitions, and worked by hand."""

from __future__ import annotations

from dataclasses import replace
from math import comb, log, log2, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

import treewright as tw
from helpers.prunings import (
    COSTS,
    all_prunings,
    cost_of,
    leaves_of,
    random_trees,
    smallest_of_cheapest,
    splits_above,
)
from helpers.trees import Inner, Leaf, build, mixed_schema, random_tree
from treewright import pruning
from treewright.data import Column, Schema
from treewright.pruning.chi_square import split_p_values
from treewright.pruning.description_length import exception_bits, share_bits, split_bits
from treewright.pruning.losses import training_errors
from treewright.pruning.structural_risk import log_splits
from treewright.tree import Tree
from treewright.tree.splits import Table, Threshold

# ---- costs that add up -----------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.0, 0.003, 0.02, 0.1])
def test_penalised_is_the_smallest_of_the_cheapest(alpha):
    for _, tree in random_trees(40):
        risk = tree.risk / tree.weight[0]
        cost = {
            leaves: cost_of(leaves, risk) + alpha * (len(leaves) + len(splits_above(tree, leaves)))
            for leaves in all_prunings(tree)
        }
        assert leaves_of(tree, pruning.Penalised(alpha)(tree)) in smallest_of_cheapest(cost)


def test_penalised_equals_cost_complexity_at_twice_the_alpha_on_binary_trees():
    X, y = tw.datasets.load_iris()
    tree = tw.DecisionTreeClassifier().fit(X, y).tree_
    for alpha in (0.001, 0.004, 0.01, 0.2):
        assert pruning.Penalised(alpha)(tree) == pruning.CostComplexity(2 * alpha)(tree)


def static_error(counts: np.ndarray, prior: np.ndarray, m: float, costs: np.ndarray) -> float:
    shares = (counts + m * prior) / (counts.sum() + m)
    return min(sum(shares[i] * costs[i, j] for i in range(len(counts))) for j in range(len(counts)))


@pytest.mark.parametrize("m", [0.5, 2.0, 20.0, None])
def test_minimum_error_backs_up_the_lesser_error(m):
    for seed, grown in random_trees(30):
        if not grown.is_classifier:
            continue
        k = grown.node_value.shape[1]
        tree = replace(grown, costs=COSTS) if k == 3 and seed % 2 else grown
        costs = 1 - np.eye(k) if tree.costs is None else tree.costs
        prior = np.full(k, 1 / k) if m is None else tree.node_value[0] / tree.node_value[0].sum()
        static = [static_error(value, prior, k if m is None else m, costs) for value in tree.node_value]
        backed, collapse = list(static), []
        for node in reversed(range(len(tree))):
            if tree.is_leaf(node):
                continue
            branches = tree.weight[list(tree.children(node))] @ np.array(backed)[list(tree.children(node))]
            branches /= tree.weight[node]
            if static[node] <= branches + 1e-12:
                collapse.append(node)
            else:
                backed[node] = branches
        assert pruning.MinimumError(m)(tree) == tree.collapse(collapse)


def test_laplace_error_is_that_of_niblett_and_bratko():
    tree = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "a", "b"]).tree_
    report = pruning.MinimumError(m=None).prune(tree).report
    root = list(report)[-1]
    assert root.after == pytest.approx((4 - 3 + 2 - 1) / (4 + 2))


def test_the_least_expected_error_need_not_be_the_majority():
    """At a node of [1, 1] the prior of the root decides, not the order of the classes."""
    schema = mixed_schema(2)
    tree = build(schema, Inner(Threshold(0, 0.5), [Leaf(2, [1, 1]), Leaf(8, [1, 7])]))
    report = pruning.MinimumError(m=2).prune(tree).report
    expected = (2 - 1 + 2 * 0.2) / 4 * 2 + (8 - 7 + 2 * 0.2) / 10 * 8
    assert report[0].before == pytest.approx(expected / 10)


@pytest.mark.parametrize("code", ["exceptions", "shares"])
def test_description_length_is_the_shortest_of_all_prunings(code):
    for _, tree in random_trees(40):
        if not tree.is_classifier:
            continue
        leaf_bits = exception_bits(tree) if code == "exceptions" else share_bits(tree)
        bits = split_bits(tree)
        length = {
            leaves: cost_of(leaves, leaf_bits)
            + len(leaves)
            + sum(1 + bits[node] for node in splits_above(tree, leaves))
            for leaves in all_prunings(tree)
        }
        assert leaves_of(tree, pruning.DescriptionLength(code)(tree)) in smallest_of_cheapest(length)


def test_bits_of_leaves_and_splits_by_hand():
    schema = Schema(
        (Column("x"), Column("colour", "categorical", ("red", "green", "blue")), Column("y"), Column("z")),
        np.array(["a", "b"]),
    )
    tree = build(
        schema,
        Inner(
            Threshold(0, 0.5),
            [Inner(Table(1, {0: 0, 1: 1, 2: 0}, 2), [Leaf(2, [2, 0]), Leaf(2, [0, 2])]), Leaf(5, [1, 4])],
        ),
    )
    bits = split_bits(tree)
    assert bits[0] == pytest.approx(2 + log2(8))  # one of four features, one of eight cuts between nine rows
    assert bits[1] == pytest.approx(2 + log2(3))  # three ways to part three colours
    assert bits[4] == 0
    assert exception_bits(tree)[4] == pytest.approx(1 + log2(5 / 2 + 1) + log2(comb(5, 1)))
    # one b in five under the mean over all shares: chances multiply (n_c + 1/2) / (n + 1)
    chance = (1 / 2) * (3 / 4) * (5 / 6) * (7 / 8) * (1 / 10)
    assert share_bits(tree)[4] == pytest.approx(-log2(chance))


# ---- tests and bounds ------------------------------------------------------------------------------------


def pessimistically(tree: Tree, used: bool, node: int = 0) -> list[int]:
    """Quinlan's rule from the top down; gives the nodes that are pruned."""
    if tree.is_leaf(node):
        return []
    below = [leaf for leaf in tree.leaves.tolist() if node in splits_above(tree, frozenset([leaf]))]
    errors = training_errors(tree)
    subtree = sum(errors[leaf] + 0.5 * (tree.weight[leaf] > 0 or not used) for leaf in below)
    n = tree.weight[node]
    if errors[node] + 0.5 <= subtree + sqrt(max(subtree * (n - subtree) / n, 0)) + 1e-12:
        return [node]
    return [pruned for child in tree.children(node) for pruned in pessimistically(tree, used, child)]


def test_pessimistic_pruning_goes_from_the_top_down():
    for _, tree in random_trees(60, n_splits=9):
        if tree.is_classifier:
            assert pruning.Pessimistic()(tree) == tree.collapse(pessimistically(tree, used=False))


def test_pessimistic_pruning_counts_leaves_without_rows_unless_told_not_to():
    rng = np.random.default_rng(1)
    differ = 0
    for _ in range(60):
        X = pd.DataFrame(rng.integers(0, 4, (30, 3)), columns=list("abc")).astype("category")
        tree = tw.ID3Classifier().fit(X, rng.integers(0, 2, 30)).tree_
        every, used = pruning.Pessimistic()(tree), pruning.Pessimistic(count="used")(tree)
        assert every == tree.collapse(pessimistically(tree, used=False))
        assert used == tree.collapse(pessimistically(tree, used=True))
        differ += every != used
    assert differ > 5


def test_p_values_are_those_of_the_contingency_tables():
    tree = random_tree(5, n_splits=8, n_classes=3)
    p_values = split_p_values(tree)
    for node in range(len(tree)):
        if tree.is_leaf(node):
            assert p_values[node] == 1
            continue
        table = tree.node_value[list(tree.children(node))]
        table = table[:, table.sum(axis=0) > 0]
        expected = chi2_contingency(table, correction=False).pvalue if table.shape[1] > 1 else 1.0
        assert p_values[node] == pytest.approx(expected, abs=1e-12)


def test_chi_square_looks_only_at_nodes_between_leaves():
    """A strong split below a weak one keeps both; XOR is the example that stopping early would lose."""
    X = [[a, b] for a in (0, 1) for b in (0, 1) for _ in range(10)]
    y = [a ^ b for a, b in X]
    tree = tw.DecisionTreeClassifier().fit(X, y).tree_
    assert split_p_values(tree)[0] == pytest.approx(1)
    assert pruning.ChiSquare(0.01)(tree) == tree
    rng = np.random.default_rng(0)
    noise = tw.DecisionTreeClassifier(max_depth=2).fit(rng.normal(size=(40, 2)), rng.integers(0, 2, 40)).tree_
    assert pruning.ChiSquare(alpha=1e-9)(noise).n_leaves == 1


@pytest.mark.parametrize("scale", [0.05, 0.2, 1.0, "lecture"])
def test_structural_risk_by_its_formula(scale):
    for _, tree in random_trees(40, n_splits=9):
        if not tree.is_classifier:
            continue
        pruner = pruning.StructuralRisk(delta=0.1, scale=scale, n_splits=7)
        now, collapsed = tree, []
        for node in reversed(range(len(tree))):
            if tree.is_leaf(node):
                continue
            leaves = [leaf for leaf in leaves_of(tree, now) if node in splits_above(tree, frozenset([leaf]))]
            size = len(leaves) + sum(
                node in {a, *splits_above(tree, frozenset([a]))}
                for a in splits_above(tree, frozenset(leaves))
            )
            m = tree.count[node]
            factor = 1 if scale == "lecture" else scale
            penalty = factor * sqrt(((tree.node_depth[node] + size) * log(7) + log(10)) / m)
            if tree.risk[leaves].sum() / tree.weight[node] + penalty > tree.risk[node] / tree.weight[node]:
                collapsed.append(node)
                now = tree.collapse(collapsed)
        assert pruner(tree) == tree.collapse(collapsed)


def test_structural_risk_counts_the_splits_there_were():
    columns = (
        Column("x"),
        Column("size", "ordinal", ("s", "m", "l")),
        Column("c", "categorical", tuple("abcd")),
    )
    schema = Schema(columns, np.array(["a", "b"]))
    tree = build(schema, Inner(Threshold(0, 0.5), [Leaf(5, [5, 0]), Leaf(6, [0, 6])]))
    assert np.exp(log_splits(tree)) == pytest.approx(10 + 2 + 7)
    multiway = build(
        schema, Inner(Table(2, {0: 0, 1: 1, 2: 2}, 3), [Leaf(5, [5, 0]), Leaf(6, [0, 6]), Leaf(1, [1, 0])])
    )
    assert np.exp(log_splits(multiway)) == pytest.approx(11 + 2 + 1)


@pytest.mark.parametrize("form", ["int", "float", "frame", "mixed", "truth", "missing"])
def test_numbers_0_and_1_alone_are_boolean_attributes(form, tmp_path):
    """As many splits as attributes, whether a tree uses them or not (Mansour's n)."""
    rng = np.random.default_rng(0)
    B = rng.integers(0, 2, (100, 5))
    y = B[:, 0] ^ (rng.random(100) < 0.1)
    X, n = {"int": (B, 5), "float": (B.astype(float), 5), "frame": (pd.DataFrame(B), 5)}.get(form, (None, 5))
    if form == "truth":
        X = pd.DataFrame(B.astype(bool))
    elif form == "missing":
        X = np.where(rng.random(B.shape) < 0.1, np.nan, B)
    elif form == "mixed":
        X, n = np.column_stack([B, rng.normal(size=100)]), 5 + 99
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert log_splits(model.tree_) == pytest.approx(log(n))
    assert log_splits(model.tree_, 1000) == pytest.approx(log(n if n == 5 else 5 + 999))
    model.save(tmp_path / "model.tw")
    assert log_splits(tw.load(tmp_path / "model.tw").tree_) == pytest.approx(log(n))


def test_what_is_0_or_1_is_told_by_the_rows_that_count():
    X = np.array([[0.0, 0.0, np.nan], [1.0, 2.0, np.nan], [3.0, 1.0, np.nan]])
    tree = tw.DecisionTreeClassifier().fit(X, ["a", "b", "a"], sample_weight=[1, 1, 0]).tree_
    assert [column.boolean for column in tree.schema.columns] == [True, False, False]
    assert [c.boolean for c in tw.Dataset.from_table(X[::-1]).schema.columns] == [False, False, False]
    dates = pd.DataFrame({"day": np.array(["1970-01-01", "1970-01-02"], "datetime64[D]")})
    assert not tw.Dataset.from_table(dates).schema.columns[0].boolean


def test_structural_risk_of_a_regression_needs_a_bound():
    tree = tw.DecisionTreeRegressor().fit([[1], [2], [3], [4]], [0.0, 0.1, 0.9, 1.0]).tree_
    with pytest.raises(ValueError, match="loss_bound"):
        pruning.StructuralRisk()(tree)
    assert pruning.StructuralRisk(loss_bound=1.0, scale="lecture")(tree).n_leaves == 1
    assert pruning.StructuralRisk(loss_bound=1.0, scale=0)(tree) == tree


def test_a_slice_of_a_report_is_a_report() -> None:
    X, y = tw.datasets.load_iris()
    report = tw.DecisionTreeClassifier(pruner="pessimistic").fit(X, y).report_
    assert len(report) > 3
    assert list(report[1:3]) == [report[1], report[2]]
    assert str(report[1:3]).count("\n") == str(report).count("\n") - (len(report) - 2)
