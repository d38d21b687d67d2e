"""Reduced-error pruning gives the smallest of the prunings that are best on other rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from helpers.prunings import (
    COSTS,
    all_prunings,
    cost_of,
    leaves_of,
    random_holdout,
    random_trees,
    smallest_of_cheapest,
    splits_above,
)
from helpers.trees import Inner, Leaf, build
from treewright import pruning
from treewright.data import Column, Schema
from treewright.pruning.losses import held_out_loss
from treewright.pruning.minimal_size import Frontier
from treewright.tree import Tree
from treewright.tree.splits import Threshold


def naive_loss(tree: Tree, rows: tw.Dataset) -> np.ndarray:
    """Loss of the rows at every node, row by row up the tree; for trees that share no rows."""
    loss = np.zeros(len(tree))
    ends = tree.route(rows.numbers, rows.codes)
    for row, end in enumerate(ends):
        weight = 1.0 if rows.weight is None else rows.weight[row]
        node = int(end)
        while node >= 0:
            if not tree.is_classifier:
                each = (rows.target[row] - tree.node_value[node, 0]) ** 2
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


@pytest.mark.parametrize("weighted", [False, True])
def test_reduced_error_gives_the_smallest_of_the_most_accurate_prunings(weighted):
    for seed, grown in random_trees(40):
        tree = without_sharing(grown)
        if seed % 4 == 1 and tree.node_value.shape[1] == 3:
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
        assert pruned.n_leaves == frontier.leaves[0]
        assert cost_of(leaves_of(tree, pruned), loss) == pytest.approx(frontier.cost[0])


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
    # Deepest first: node 6 (label 0: 2 ones wrong against 2 + 3 in its leaves) is pruned; node 4 (label 1:
    # 4 zeros wrong against 0 + 2) is kept; node 1 (label 0: 3 ones wrong against 1 + 2) ties and is pruned;
    # the root (label 1 by 12 to 8: 8 zeros wrong against 3 + 2) is kept.
    assert [tuple(decision) for decision in result.report] == [
        (6, 5.0, 2.0, "collapse"),
        (4, 2.0, 4.0, "keep"),
        (1, 3.0, 3.0, "collapse"),
        (0, 5.0, 8.0, "keep"),
    ]
    assert leaves_of(tree, result.tree) == {1, 5, 6}
