"""Rows that start anywhere in a tree, rows in parts, and what adds up at the nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.prunings import random_holdout
from helpers.trees import Inner, Leaf, build, chain, mixed_schema, random_rows, random_tree
from treewright import DecisionTreeClassifier
from treewright.data import Dataset
from treewright.errors import DataError
from treewright.tree.routing import Descent, place
from treewright.tree.splits import Table, Threshold
from treewright.tree.topology import sum_below


def whole(tree):
    """The tree with a branch for every unanswered row."""
    shared = (tree.default_branch == -1) & (tree.n_children > 0)
    return replace(tree, default_branch=np.where(shared, 0, tree.default_branch))


@given(seed=st.integers(0, 10_000), n_classes=st.sampled_from([0, 2, 3]))
def test_whole_rows_end_where_the_core_routes_them(seed, n_classes):
    tree = whole(random_tree(seed, seed % 9, n_classes))
    rows = random_holdout(seed, tree, n_rows=80)
    descent = Descent(tree, rows)
    parts = descent.route(descent.start())
    assert sorted(parts.row.tolist()) == list(range(80))
    expected = tree.route(rows.numbers, rows.codes)
    assert np.array_equal(parts.node[np.argsort(parts.row)], expected)
    assert np.array_equal(place(tree, rows).node, expected)
    if n_classes:
        assert np.array_equal(tree.class_codes(rows.numbers, rows.codes), tree.label[expected])


LAYOUTS = {
    "row by row": np.ascontiguousarray,
    "column by column": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_rows_in_bulk_go_where_each_goes_alone(layout):
    # rows are looked at in blocks: some without gaps, one with a single gap, the last shorter than the others
    generator = np.random.default_rng(0)
    X = generator.standard_normal((2_055, 5)).round(1)
    with_gaps = np.where(generator.random(X.shape) < 0.3, np.nan, X)
    tree = DecisionTreeClassifier().fit(with_gaps, generator.integers(0, 3, len(X))).tree_
    used = int(tree.splits.feature[0])
    X[1_500, used] = np.nan
    codes = np.empty((len(X), 0), np.int32)
    alone = [tree.route(X[i : i + 1], codes[:1])[0] for i in range(len(X))]
    assert tree.route(layout(X), codes).tolist() == alone
    assert tree.class_codes(layout(X), codes).tolist() == tree.label[alone].tolist()
    X[1_501, (used + 1) % 5] = -np.inf
    for end in (tree.route, tree.class_codes):
        with pytest.raises(DataError, match="infinity in column"):
            end(layout(X), codes)


def test_a_row_without_an_answer_is_shared_by_weight():
    schema = mixed_schema(2)
    tree = build(
        schema,
        Inner(
            Threshold(0, 0.0),
            [
                Leaf(3, [3, 0]),
                Inner(
                    Table(1, {0: 0, 1: 1, 2: 2}, 3), [Leaf(2, [1, 1]), Leaf(4, [0, 4]), Leaf(0, [1, 5])], -1
                ),
            ],
            -1,
        ),
    )
    nothing = Dataset(
        schema,
        np.full((1, 3), np.nan),
        np.full((1, 2), -1, np.int32),
        np.array([1], np.int32),
        np.array([2.0]),
    )
    parts = place(tree, nothing)
    shares = dict(zip(parts.node.tolist(), parts.weight.tolist(), strict=True))
    assert shares == pytest.approx({1: 2 * 3 / 9, 3: 2 * 6 / 9 * 2 / 6, 4: 2 * 6 / 9 * 4 / 6})
    np.testing.assert_allclose(tree.tally(nothing)[:, 1], [2, 2 / 3, 4 / 3, 4 / 9, 8 / 9, 0])


@given(seed=st.integers(0, 10_000))
def test_no_weight_is_lost_on_the_way(seed):
    tree = random_tree(seed, seed % 9, 2)
    tree = replace(tree, default_branch=np.where(tree.n_children > 0, -1, tree.default_branch))
    rows = random_holdout(seed, tree, weighted=True)
    tally = tree.tally(rows)
    assert tally[0].sum() == pytest.approx(rows.weight.sum())
    for node in range(len(tree)):
        if not tree.is_leaf(node):
            np.testing.assert_allclose(tally[list(tree.children(node))].sum(axis=0), tally[node])


def test_a_tally_counts_classes_and_moments():
    for n_classes in (0, 3):
        tree = whole(random_tree(8, 7, n_classes))
        rows = random_holdout(1, tree, weighted=True)
        ends = tree.route(rows.numbers, rows.codes)
        above = tree.below
        for node in range(len(tree)):
            ids = np.arange(len(tree))
            inside = (above(ids == node) | (ids == node))[ends]
            w, y = rows.weight[inside], rows.target[inside]
            if n_classes:
                expected = np.bincount(y, w, minlength=3)
            else:
                distance = y - tree.node_value[0, 0]
                expected = [w.sum(), (w * distance).sum(), (w * distance**2).sum()]
            np.testing.assert_allclose(tree.tally(rows)[node], expected)


def test_a_tally_needs_a_target():
    tree = random_tree(0)
    numbers, codes = random_rows(0)
    with pytest.raises(ValueError, match="no target"):
        tree.tally(Dataset(tree.schema, numbers, codes))


@given(seed=st.integers(0, 10_000), n_splits=st.integers(0, 40))
def test_sums_over_everything_below(seed, n_splits):
    tree = random_tree(seed, n_splits)
    own = np.random.default_rng(seed).integers(0, 9, (len(tree), 2)).astype(float)
    expected = own.copy()
    for node in reversed(range(1, len(tree))):
        expected[tree.parent[node]] += expected[node]
    assert np.array_equal(sum_below(tree.parent, own), expected)


def test_a_chain_of_many_nodes_is_tallied():
    tree = chain(50_000)
    rows = Dataset(
        tree.schema,
        np.arange(0, 50_000, 10.0)[:, None],
        np.empty((5000, 0), np.int32),
        np.zeros(5000, np.int32),
    )
    tally = tree.tally(rows)
    assert tally[0].tolist() == [5000, 0]
    assert tally[2, 0] == 4999  # one row went left at the first split
