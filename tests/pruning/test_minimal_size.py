"""Minimal size is the frontier of all prunings, and cost-complexity pruning its hull."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

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
from treewright.pruning.losses import held_out_loss
from treewright.pruning.minimal_size import Frontier


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
