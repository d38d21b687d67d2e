"""Pruning methods against brute force over all prunings, against their definitions, and worked by hand."""

from __future__ import annotations

from dataclasses import replace
from math import comb, log, log2, sqrt

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import treewright as tw
from prunings import (
    all_prunings,
    leaves_of,
    random_holdout,
    random_trees,
    smallest_of_cheapest,
    splits_above,
)
from trees import Inner, Leaf, build, chain, mixed_schema, random_tree
from treewright import pruning
from treewright.data import Column, Schema
from treewright.pruning.chi_square import split_p_values
from treewright.pruning.cost_complexity import weakest_links
from treewright.pruning.description_length import exception_bits, share_bits, split_bits
from treewright.pruning.losses import held_out_loss, training_errors
from treewright.pruning.minimal_size import Frontier
from treewright.pruning.structural_risk import log_splits
from treewright.splits import Table, Threshold
from treewright.tree import Tree

COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]])


def naive_loss(tree: Tree, rows: tw.Dataset) -> np.ndarray:
    """Loss of the rows at every node, row by row up the tree; for trees that share no rows."""
    loss = np.zeros(len(tree))
    ends = tree.route(rows.numbers, rows.codes)
    for row, end in enumerate(ends):
        weight = 1.0 if rows.weight is None else rows.weight[row]
        node = int(end)
        while node >= 0:
            if not tree.is_classifier:
                each = (rows.target[row] - tree.value[node, 0]) ** 2
            elif tree.costs is not None:
                each = tree.costs[rows.target[row], tree.label[node]]
            else:
                each = float(rows.target[row] != tree.label[node])
            loss[node] += weight * each
            node = int(tree.parent[node])
    return loss


def without_sharing(tree: Tree) -> Tree:
    return replace(
        tree,
        default_branch=np.where((tree.default_branch < 0) & (tree.n_children > 0), 0, tree.default_branch),
    )


def cost_of(leaves: frozenset[int], cost: np.ndarray) -> float:
    return float(cost[list(leaves)].sum())


# ---- reduced error ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_reduced_error_gives_the_smallest_of_the_most_accurate_prunings(weighted):
    for seed, grown in random_trees(40):
        tree = without_sharing(grown)
        if seed % 4 == 1 and tree.value.shape[1] == 3:
            tree = replace(tree, costs=COSTS)
        rows = random_holdout(seed, tree, weighted=weighted)
        loss = naive_loss(tree, rows)
        np.testing.assert_allclose(held_out_loss(tree, rows), loss, rtol=1e-9, atol=1e-6)
        ours = leaves_of(tree, pruning.ReducedError()(tree, rows))
        best = smallest_of_cheapest({leaves: cost_of(leaves, loss) for leaves in all_prunings(tree)})
        assert ours in best


def test_reduced_error_finds_the_end_of_the_frontier_of_minimal_size():
    for seed, tree in random_trees(40, n_splits=30):
        loss = held_out_loss(tree, random_holdout(seed, tree))
        frontier = Frontier(tree, loss, np.zeros(len(tree)), 0.0)
        pruned = pruning.ReducedError()(tree, random_holdout(seed, tree))
        assert pruned.n_leaves == frontier.leaves[-1]
        assert cost_of(leaves_of(tree, pruned), loss) == pytest.approx(frontier.cost[-1])


def test_a_node_that_no_held_out_row_reaches_is_pruned():
    tree = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "b"]).tree_
    rows = tw.Dataset(tree.schema, np.array([[1.0]]), np.empty((1, 0), np.int32), np.array([0], np.int32))
    assert pruning.ReducedError()(tree, rows).n_leaves == 1


def greedily(tree: Tree, loss: np.ndarray) -> list[int]:
    """Greedy pruning by the book: try every node, take the best, until it hurts."""
    collapsed: list[int] = []
    while True:
        now = tree.collapse(collapsed)
        alive = leaves_of(tree, now)
        gains = {}
        for node in splits_above(tree, alive):
            below = [leaf for leaf in alive if node in splits_above(tree, frozenset([leaf]))]
            gains[node] = (cost_of(frozenset(below), loss) - loss[node], len(below), -node)
        if not gains or max(gains.values())[0] < -1e-9:
            return collapsed
        collapsed.append(max(gains, key=lambda node: (round(gains[node][0], 9), *gains[node][1:])))


def test_greedy_reduced_error_takes_the_best_node_every_time():
    differ = 0
    for seed, tree in random_trees(200, n_splits=10):
        rows = random_holdout(seed, tree)
        result = pruning.ReducedError("greedy").prune(tree, rows)
        steps = greedily(tree, held_out_loss(tree, rows))
        assert leaves_of(tree, result.tree) == leaves_of(tree, tree.collapse(steps))
        np.testing.assert_array_less(np.diff(result.report.before), 1e-6)  # no step hurts
        differ += result.tree.n_leaves != pruning.ReducedError()(tree, rows).n_leaves
    assert differ  # greedy is not bottom-up


def test_the_example_of_the_lecture_by_hand():
    """A tree as in figure 8.6 of the lecture: holdout rows as (ones, zeros), labels from training."""
    schema = Schema((Column("a"), Column("b"), Column("c")), np.array([0, 1]))
    tree = build(
        schema,
        Inner(
            Threshold(0, 0.5),
            [
                Inner(Threshold(1, 0.5), [Leaf(5, [5, 0]), Leaf(4, [0, 4])]),  # as a leaf: 0
                Inner(
                    Threshold(1, 0.5),
                    [Leaf(6, [0, 6]), Inner(Threshold(2, 0.5), [Leaf(3, [3, 0]), Leaf(2, [0, 2])])],
                ),  # as a leaf: 1
            ],
        ),
    )
    # Leaves in the order above get these rows of (ones, zeros): left of the root a tie, right of it one
    # pruning that helps and one that does not.
    seen = [
        ((0, 0, 0), (1, 2)),
        ((0, 1, 0), (2, 2)),
        ((1, 0, 0), (4, 0)),
        ((1, 1, 0), (2, 1)),
        ((1, 1, 1), (0, 3)),
    ]
    cells, target = [], []
    for cell, (ones, zeros) in seen:
        cells += [cell] * (ones + zeros)
        target += [1] * ones + [0] * zeros
    rows = tw.Dataset(
        schema, np.array(cells, float), np.empty((len(cells), 0), np.int32), np.array(target, np.int32)
    )
    result = pruning.ReducedError().prune(tree, rows)
    # Deepest first: node 6 (label 0: 2 ones wrong against 2 + 3 in its leaves) is pruned; node 2 (label 1:
    # 4 zeros wrong against 0 + 2) is kept; node 1 (label 0: 3 ones wrong against 1 + 2) ties and is pruned;
    # the root (label 1 by 12 to 8: 8 zeros wrong against 3 + 2) is kept.
    assert [tuple(decision) for decision in result.report] == [
        (6, 5.0, 2.0, "collapse"),
        (2, 2.0, 4.0, "keep"),
        (1, 3.0, 3.0, "collapse"),
        (0, 5.0, 8.0, "keep"),
    ]
    assert leaves_of(tree, result.tree) == {1, 5, 6}


# ---- the frontier and its hull ---------------------------------------------------------------------------


def test_minimal_size_is_the_frontier_of_all_prunings():
    for seed, tree in random_trees(40):
        cost = np.round(np.random.default_rng(seed).integers(0, 30, len(tree)) / 7, 6)
        frontier = Frontier(tree, cost, np.ones(len(tree)), 1.0)
        least: dict[int, float] = {}
        for leaves in all_prunings(tree):
            least[len(leaves)] = min(least.get(len(leaves), np.inf), cost_of(leaves, cost))
        best, points = np.inf, []
        for size in sorted(least):
            if least[size] < best - 1e-9:
                best = least[size]
                points.append((size, best))
        assert frontier.leaves.tolist() == [size for size, _ in points]
        np.testing.assert_allclose(frontier.cost, [value for _, value in points])
        for point, (size, value) in enumerate(points):
            leaves = leaves_of(tree, tree.collapse(frontier.collapse(point)))
            assert len(leaves) == size
            assert cost_of(leaves, cost) == pytest.approx(value)
            assert frontier.carried[point] == len(leaves) + len(splits_above(tree, leaves))


@pytest.mark.parametrize("few_points", [0, 4096])
def test_both_ways_of_joining_give_the_same_frontier(few_points, monkeypatch):
    tree = random_tree(3, n_splits=60, n_classes=2)
    expected = Frontier(tree, tree.risk, tree.risk, 0.0)
    monkeypatch.setattr(pruning.minimal_size, "FEW_POINTS", few_points)
    frontier = Frontier(tree, tree.risk, tree.risk, 0.0)
    assert frontier.leaves.tolist() == expected.leaves.tolist()
    np.testing.assert_allclose(frontier.cost, expected.cost)
    small = Frontier(tree, tree.risk, tree.risk, 0.0, max_leaves=20)
    inside = expected.leaves <= 20
    assert small.leaves.tolist() == expected.leaves[inside].tolist()
    np.testing.assert_allclose(small.cost, expected.cost[inside])


def lower_hull(x: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    hull: list[tuple[float, float]] = []
    for point in zip(x.tolist(), y.tolist(), strict=True):
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0) > 1e-9:
                break
            hull.pop()
        hull.append(point)
    return hull


def test_cost_complexity_trees_are_the_corners_of_the_hull_of_the_frontier():
    for _, tree in random_trees(60, n_splits=25):
        path = weakest_links(tree).path()
        frontier = Frontier(tree, np.asarray(tree.risk), tree.risk, 0.0)
        hull = lower_hull(frontier.leaves.astype(float), frontier.cost)
        assert path.leaves[::-1].tolist() == [leaves for leaves, _ in hull]
        np.testing.assert_allclose(path.risk[::-1] * tree.weight[0], [risk for _, risk in hull], atol=1e-9)


def test_minimal_size_chooses_the_best_of_the_frontier():
    for seed, tree in random_trees(20, n_splits=12):
        rows = random_holdout(seed, tree)
        chosen = pruning.MinimalSize().prune(tree, rows)
        total = float(len(rows))
        assert chosen.path.held_out.min() == pytest.approx(chosen.path.held_out[chosen.path.chosen])
        ours = cost_of(leaves_of(tree, chosen.tree), held_out_loss(tree, rows)) / total
        assert ours == pytest.approx(chosen.path.held_out.min())
        assert chosen.tree.n_leaves == chosen.path.leaves[chosen.path.chosen]
        structural = pruning.MinimalSize("structural_risk").prune(tree)
        size = structural.tree.node_count
        risk = structural.path.risk[structural.path.chosen]
        assert structural.path.penalised.min() == pytest.approx(risk + sqrt(size / tree.count[0]))


def test_minimal_size_refuses_what_would_not_end_and_says_what_to_do():
    with pytest.raises(ValueError, match="max_leaves"):
        pruning.MinimalSize("structural_risk")(chain(200_000))
    assert pruning.MinimalSize("structural_risk", max_leaves=5)(chain(20_000)).n_leaves <= 5


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
        k = grown.value.shape[1]
        tree = replace(grown, costs=COSTS) if k == 3 and seed % 2 else grown
        costs = 1 - np.eye(k) if tree.costs is None else tree.costs
        prior = np.full(k, 1 / k) if m is None else tree.value[0] / tree.value[0].sum()
        static = [static_error(value, prior, k if m is None else m, costs) for value in tree.value]
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
    assert bits[2] == 0
    assert exception_bits(tree)[2] == pytest.approx(1 + log2(5 / 2 + 1) + log2(comb(5, 1)))
    # one b in five under the mean over all shares: chances multiply (n_c + 1/2) / (n + 1)
    chance = (1 / 2) * (3 / 4) * (5 / 6) * (7 / 8) * (1 / 10)
    assert share_bits(tree)[2] == pytest.approx(-log2(chance))


# ---- tests and bounds ------------------------------------------------------------------------------------


def pessimistically(tree: Tree, node: int = 0) -> list[int]:
    """Quinlan's rule from the top down; gives the nodes that are pruned."""
    if tree.is_leaf(node):
        return []
    below = [leaf for leaf in tree.leaves.tolist() if node in splits_above(tree, frozenset([leaf]))]
    errors = training_errors(tree)
    subtree = sum(errors[leaf] + 0.5 * (tree.weight[leaf] > 0) for leaf in below)
    n = tree.weight[node]
    if errors[node] + 0.5 <= subtree + sqrt(max(subtree * (n - subtree) / n, 0)) + 1e-12:
        return [node]
    return [pruned for child in tree.children(node) for pruned in pessimistically(tree, child)]


def test_pessimistic_pruning_goes_from_the_top_down():
    for _, tree in random_trees(60, n_splits=9):
        if tree.is_classifier:
            assert pruning.Pessimistic()(tree) == tree.collapse(pessimistically(tree))


def test_p_values_are_those_of_the_contingency_tables():
    tree = random_tree(5, n_splits=8, n_classes=3)
    p_values = split_p_values(tree)
    for node in range(len(tree)):
        if tree.is_leaf(node):
            assert p_values[node] == 1
            continue
        table = tree.value[list(tree.children(node))]
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


@pytest.mark.parametrize("scale", [0.05, 0.2, 1.0])
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
            penalty = scale * sqrt(((tree.node_depth[node] + size) * log(7) + log(10)) / m)
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


def test_structural_risk_of_a_regression_needs_a_bound():
    tree = tw.DecisionTreeRegressor().fit([[1], [2], [3], [4]], [0.0, 0.1, 0.9, 1.0]).tree_
    with pytest.raises(ValueError, match="loss_bound"):
        pruning.StructuralRisk()(tree)
    assert pruning.StructuralRisk(loss_bound=1.0)(tree).n_leaves == 1
    assert pruning.StructuralRisk(loss_bound=1.0, scale=0)(tree) == tree


# ---- what holds for all ----------------------------------------------------------------------------------

PLAIN = [
    pruning.Pessimistic(),
    pruning.MinimumError(),
    pruning.MinimumError(None),
    pruning.CostComplexity(0.01),
    pruning.CostComplexity(0.01, risk="impurity"),
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


@pytest.mark.parametrize("pruner", PLAIN + HOLDOUT, ids=str)
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
    assert np.array_equal(pruner(weighted).value, pruner(repeated).value)


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
