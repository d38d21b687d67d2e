"""Minimal size is the frontier of all prunings, and cost-complexity pruning its hull."""

from __future__ import annotations

import pickle
from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest

import treewright as tw
from helpers.prunings import (
    all_prunings,
    cost_of,
    leaves_of,
    random_holdout,
    random_trees,
    splits_above,
)
from helpers.trees import chain, random_tree
from treewright import pruning
from treewright.pruning.cost_complexity import weakest_links
from treewright.pruning.losses import held_out_loss, training_errors
from treewright.pruning.minimal_size import Frontier
from treewright.tree import Tree


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
        points.reverse()
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
        hull = lower_hull(frontier.leaves[::-1].astype(float), frontier.cost[::-1])
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


def smallest_pruning(k: int, tree: Tree, errors: list[int], node: int = 0) -> tuple[float, list[int]]:
    """Mansour's prune(k, T), line by line: the size of the smallest pruning with k errors, and its leaves."""
    if tree.is_leaf(node):
        return (1 if errors[node] <= k else inf), [node]
    if errors[node] <= k:
        return 1, [node]
    best, leaves = inf, [node]
    left, right = tree.children(node)
    for i in range(k + 1):
        s0, p0 = smallest_pruning(i, tree, errors, left)
        s1, p1 = smallest_pruning(k - i, tree, errors, right)
        if s0 + s1 + 1 < best:
            best, leaves = s0 + s1 + 1, p0 + p1
    return best, leaves


@pytest.mark.parametrize("seed", range(12))
def test_errors_gives_what_the_dynamic_programme_of_the_lecture_gives(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (26, 3)), rng.integers(0, 2 + seed % 2, 26)
    tree = tw.DecisionTreeClassifier(max_leaf_nodes=8).fit(X, y).tree_
    errors = training_errors(tree).astype(int).tolist()
    least = sum(errors[leaf] for leaf in tree.leaves.tolist())
    for k in range(errors[0] + 2):
        size, leaves = smallest_pruning(k, tree, errors)
        if k < least:
            assert size == inf
            with pytest.raises(ValueError, match=rf"errors={k}\) .* the least .* is {least}\."):
                pruning.MinimalSize(errors=k)(tree)
            continue
        pruned = pruning.MinimalSize(errors=k).prune(tree)
        assert pruned.tree.node_count == size
        assert training_errors(pruned.tree)[pruned.tree.leaves].sum() <= k
        assert pruned.path[pruned.path.chosen].tree == pruned.tree
        assert len(leaves) == pruned.tree.n_leaves


def test_leaves_gives_the_fewest_errors_of_all_prunings_of_no_more_leaves():
    for seed, grown in random_trees(40):
        share = 7 if seed % 4 == 1 else 1
        tree = replace(grown, weight=grown.weight / share, risk=grown.risk / share)
        for k in range(1, tree.n_leaves + 2):
            pruned = pruning.MinimalSize(leaves=k)(tree)
            least = min(cost_of(leaves, tree.risk) for leaves in all_prunings(tree) if len(leaves) <= k)
            assert pruned.n_leaves <= k
            assert pruned.risk[pruned.leaves].sum() == pytest.approx(least)


def test_every_point_of_every_path_has_its_tree():
    X, y = tw.datasets.load_iris()
    grown = tw.DecisionTreeClassifier().fit(X[::2], y[::2])
    for pruner in (
        pruning.MinimalSize(),
        pruning.MinimalSize(errors=1),
        pruning.MinimalSize("structural_risk", max_leaves=4),
        pruning.CostComplexity(holdout=True),
        pruning.CostComplexity(alpha=0.01, risk="impurity"),
        pruning.EarlyStopping(patience=None),
    ):
        model = tw.prune(grown, pruner, X[1::2], y[1::2])
        path = pickle.loads(pickle.dumps(model.path_))
        assert [point.chosen for point in path].count(True) <= 1
        for point in path:
            assert point.tree.n_leaves == point.leaves == point.tree.leaves.size
            impure = pruner == pruning.CostComplexity(alpha=0.01, risk="impurity")
            risk = point.tree.weight * point.tree.impurity if impure else point.tree.risk
            assert risk[point.tree.leaves].sum() / 75 == pytest.approx(point.risk)
        chosen = [point.tree for point in path if point.chosen]
        assert chosen in ([], [model.tree_])
        assert path[-1].leaves == 1
        assert path[-1].tree.node_count == 1


def test_a_path_without_its_tree_says_so():
    path = pruning.PruningPath(np.array([2, 1]), np.array([0.0, 0.5]))
    assert path[1].alpha is None
    with pytest.raises(ValueError, match="figures only"):
        path[1].tree  # noqa: B018
    with pytest.raises(IndexError):
        path[2]


def test_errors_and_leaves_need_no_other_rows_and_are_one_question():
    X, y = tw.datasets.load_iris()
    model = tw.DecisionTreeClassifier(pruner=pruning.MinimalSize(errors=4)).fit(X, y)
    assert (model.tree_.count[0], model.get_n_leaves()) == (150, 4)
    for settings in ({"errors": 1, "leaves": 2}, {"leaves": 2, "select": "structural_risk"}):
        with pytest.raises(ValueError, match="one of 'errors', 'leaves' and 'select'"):
            pruning.MinimalSize(**settings)
    for settings, said in (({"errors": -1}, "'errors' parameter"), ({"leaves": 0}, "'leaves' parameter")):
        with pytest.raises(ValueError, match=said):
            pruning.MinimalSize(**settings)


def test_errors_of_numbers_are_their_squares():
    tree = tw.DecisionTreeRegressor().fit([[1], [2], [3], [4]], [0.0, 1.0, 5.0, 7.0]).tree_
    assert pruning.MinimalSize(errors=2.5)(tree).n_leaves == 2  # ½ on the left, 2 on the right
    assert pruning.MinimalSize(errors=2.4)(tree).n_leaves == 3


def test_a_tree_too_large_for_the_whole_frontier_is_looked_at_as_far_as_asked():
    pruned = pruning.MinimalSize(leaves=3).prune(chain(200_000))
    assert pruned.tree.n_leaves <= 3
    assert pruned.path.leaves.max() <= 3
    with pytest.raises(ValueError, match="set max_leaves"):
        pruning.MinimalSize(errors=3)(chain(200_000))
