"""Judging a grown tree by recomputing every node and every split from the raw rows.

A grower's own figures prove nothing: a wrong cut or a misrouted row comes with figures to match. `check_tree`
routes the rows itself, recomputes the statistics, and asks of every split whether any candidate is better. It
does not mind how ties were broken, so it also judges trees that part from the reference at one.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf

import numpy as np
import pytest

from helpers.reference import Node, Reference, scale
from helpers.reference_criteria import merit, statistics, total_weight
from helpers.reference_search import Candidate, Rows
from treewright.data import Dataset
from treewright.growing.recipe import Recipe
from treewright.tree import Tree
from treewright.tree.splits import INTERVALS

CLOSE = 1e-9


def stored_split(tree: Tree, node: int) -> Candidate:
    """A node's split in the reference's form."""
    at = tree.split_begin[node]
    feature, default = int(tree.splits.feature[at]), int(tree.default_branch[node])
    score, n_branches = float(tree.splits.score[at]), int(tree.n_children[node])
    if tree.splits.kind[at] == 0:
        return Candidate(feature, score, default, threshold=float(tree.splits.threshold[at]))
    pool = slice(tree.splits.pool_begin[at], tree.splits.pool_begin[at + 1])
    if tree.splits.kind[at] == INTERVALS:
        cuts = tuple(tree.splits.pool_value[pool].tolist())
        return Candidate(feature, score, default, n_branches=n_branches, cuts=cuts)
    codes, branches = tree.splits.pool_index[pool].tolist(), tree.splits.pool_value[pool].tolist()
    assert codes == sorted(set(codes))
    table = {code: int(branch) for code, branch in zip(codes, branches, strict=True)}
    return Candidate(feature, score, default, table=table, n_branches=n_branches)


def check_tree(tree: Tree, dataset: Dataset, recipe: Recipe, judged: Collection[int] | None = None) -> None:
    """Assert that every node (or every one of `judged`) is what the recipe asks for.

    Counts are checked at all nodes; statistics, merits and stops at the judged ones.
    """
    learner = Reference(dataset, recipe)
    rows: list[Rows | None] = [None] * len(tree)
    depth = np.zeros(len(tree), dtype=int)
    rows[0] = learner.rows
    for node in range(len(tree)):
        here = rows[node]
        assert here is not None, f"no parent has node {node} for a child"
        assert tree.count[node] == len(here), (
            f"node {node} counts {tree.count[node]} rows, {len(here)} arrive"
        )
        judge = judged is None or node in judged
        expected = None
        if judge and len(here):
            expected = learner.node(here, int(depth[node]))
            check_statistics(tree, node, expected, recipe)
        if tree.n_children[node] == 0:
            check_leaf(tree, node)
            missed = None if expected is None else learner.best(expected)
            assert missed is None or not fits(tree, recipe, missed), f"node {node} is not split by {missed}"
            continue
        split = stored_split(tree, node)
        if expected is not None:
            check_split(learner, tree, node, expected, split)
        branch = split.branch(learner.x[split.feature][here])
        for b in range(split.n_branches):
            child = tree.children(node)[b]
            assert tree.parent[child] == node
            rows[child], depth[child] = here[branch == b], depth[node] + 1
            if not np.any(branch == b):
                np.testing.assert_array_equal(tree.node_value[child], tree.node_value[node])
        rows[node] = None  # let go of memory


def fits(tree: Tree, recipe: Recipe, split: Candidate) -> bool:
    """Whether the finished tree, which is never smaller than it was before, has room for one more split."""
    return tree.n_leaves + split.n_branches - 1 <= (
        recipe.max_leaf_nodes or inf
    ) and tree.node_count + split.n_branches <= (recipe.max_nodes or inf)


def check_statistics(tree: Tree, node: int, expected: Node, recipe: Recipe) -> None:
    at = f"node {node}"
    assert tree.weight[node] == pytest.approx(expected.weight, rel=CLOSE), at
    np.testing.assert_allclose(tree.node_value[node], expected.value, rtol=CLOSE, atol=1e-12, err_msg=at)
    spread = (
        1.0 if recipe.criterion not in ("squared_error", "absolute_error", "poisson") else expected.impurity
    )
    if recipe.criterion == "poisson":  # a difference of terms as large as the mean
        spread = max(spread, float(expected.value[0]))
    assert tree.impurity[node] == pytest.approx(expected.impurity, rel=CLOSE, abs=1e-12 * spread), at
    assert tree.risk[node] == pytest.approx(expected.risk, rel=CLOSE, abs=1e-12 * spread * expected.weight), (
        at
    )


def check_leaf(tree: Tree, node: int) -> None:
    assert tree.children(node) == []
    assert tree.merit[node] == 0
    assert tree.split_begin[node] == tree.split_begin[node + 1]


def check_split(learner: Reference, tree: Tree, node: int, expected: Node, split: Candidate) -> None:
    recipe, at = learner.recipe, f"node {node}, {split}"
    assert expected.count >= learner.least_rows_to_split, at
    assert expected.depth < (recipe.max_depth or inf), at
    assert np.ptp(learner.target[expected.rows]) > 0, f"{at} splits a pure node"
    worth = recomputed_merit(learner, expected, split)
    candidates = list(learner.candidates(expected))
    assert candidates, f"{at} should be a leaf"
    best = max(candidates, key=lambda candidate: candidate.merit)
    slack = CLOSE * max(abs(best.merit), 1e-3 * scale(recipe.criterion, expected))
    if recipe.criterion == "poisson":  # a difference of terms as large as the mean
        slack = max(slack, 1e-12 * float(expected.value[0]))
    assert worth == pytest.approx(best.merit, rel=0, abs=slack), f"{at} is worth {worth}, but {best} exists"
    assert tree.merit[node] == split.merit == pytest.approx(worth, rel=0, abs=slack), at
    assert worth > recipe.min_merit - slack, at
    assert learner.decrease(expected, split) >= recipe.min_impurity_decrease - slack, at
    if split.threshold is not None and split.threshold != inf:
        check_threshold(learner, expected, split)


def recomputed_merit(learner: Reference, node: Node, split: Candidate) -> float:
    """A split's merit from the rows it sends each way; fails if a branch is too small."""
    criterion = learner.recipe.criterion
    x, y, w = (column[node.rows] for column in (learner.x[split.feature], learner.target, learner.weight))
    lost, branch = np.isnan(x), split.branch(x)
    lines = statistics(criterion, y, w, learner.n_classes)
    together = learner.recipe.missing == "direction"
    judged = np.ones(len(x), dtype=bool) if together else ~lost
    sizes = np.bincount(branch[judged], minlength=split.n_branches)
    sides = np.stack([lines[judged & (branch == b)].sum(axis=0) for b in range(split.n_branches)])
    weights = total_weight(criterion, sides)
    big = (sizes >= max(learner.least_rows, 1)) & (weights >= learner.least_weight * (1 - CLOSE))
    assert big.sum() >= 2, f"{split} makes branches of {sizes} rows and {weights} weight"
    known = ~lost
    known_weights = np.bincount(branch[known], w[known], minlength=split.n_branches)
    check_default(learner, split, lost, sizes, known_weights)
    share = 1.0 if together else float(w[~lost].sum() / w.sum())
    return share * float(merit(criterion, sides[None], np.unique(y))[0])


def check_default(learner: Reference, split: Candidate, lost: Rows, sizes: Rows, weights: Rows) -> None:
    """Where rows with a missing value go, unless a direction was learned from some."""
    if learner.recipe.missing == "direction" and not is_multiway(split):
        if not lost.any():
            assert split.default_branch == int(sizes[1] >= sizes[0]), split
    else:
        assert weights[split.default_branch] >= weights.max() * (1 - CLOSE), split
        lighter = weights[: split.default_branch] < weights.max() * (1 - 1e-14)
        assert lighter.all(), f"{split} does not send missing values to the first of the heaviest branches"


def is_multiway(split: Candidate) -> bool:
    """Whether every category has a branch of its own; of two branches either way of seeing it will do."""
    return split.cuts is not None or (split.table is not None and split.n_branches > 2)


def check_threshold(learner: Reference, node: Node, split: Candidate) -> None:
    """A threshold must be exactly the middle of its two neighbours, or the value observed below it."""
    assert split.threshold is not None
    x = learner.x[split.feature][node.rows]
    low, high = x[x <= split.threshold].max(), x[x > split.threshold].min()
    middle = low / 2 + high / 2
    middle = low if middle >= high else middle
    if learner.recipe.cut == "observed":
        column = learner.x[split.feature][learner.rows]
        middle = column[column <= middle].max()
    assert split.threshold == middle
