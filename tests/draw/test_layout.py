"""The layout of trees: no node over another, parents in the middle, as tight as a second layout has it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.trees import chain, random_tree
from treewright.draw.layout import centres, level_starts, levels


def outlines(tree, breadth, gap):
    """A second layout, by the definition: subtrees as lists of (left, right), pushed apart level by level."""
    below = {}
    for node in reversed(range(len(tree))):
        extents, places = [], []
        for child in tree.children(node):
            of_child, push = below[child], 0.0
            if places:
                shared = min(len(extents), len(of_child))
                push = max(extents[level][1] - of_child[level][0] for level in range(shared)) + gap
            places.append(push)
            moved = [(left + push, right + push) for left, right in of_child]
            extents = [
                (
                    extents[level][0] if level < len(extents) else moved[level][0],
                    moved[level][1] if level < len(moved) else extents[level][1],
                )
                for level in range(max(len(extents), len(moved)))
            ]
        middle = (places[0] + places[-1]) / 2 if places else 0.0
        half = breadth[node] / 2
        below[node] = [(-half, half), *[(left - middle, right - middle) for left, right in extents]]
    return below[0]


@given(st.integers(0, 10**6), st.integers(0, 30), st.integers(0, 20))
def test_nodes_of_a_level_keep_their_order_and_their_distance(seed, n_splits, gap):
    tree = random_tree(seed, n_splits)
    breadth = np.random.default_rng(seed).uniform(1, 50, len(tree))
    x = centres(tree, breadth, float(gap))
    order = {node: place for place, node in enumerate(tree.walk())}
    for level in levels(tree):
        row = sorted(level.tolist(), key=order.__getitem__)
        for left, right in pairwise(row):
            assert x[right] - x[left] >= (breadth[left] + breadth[right]) / 2 + gap - 1e-9
    assert np.isclose((x - breadth / 2).min(), 0)


@given(st.integers(0, 10**6), st.integers(1, 30))
def test_a_parent_stands_over_the_middle_of_its_children(seed, n_splits):
    tree = random_tree(seed, n_splits)
    x = centres(tree, np.random.default_rng(seed).uniform(1, 50, len(tree)), 3.0)
    for node in np.flatnonzero(tree.n_children):
        children = tree.children(node)
        assert np.isclose(x[node], (x[children[0]] + x[children[-1]]) / 2)


@given(st.integers(0, 10**6), st.integers(0, 30))
def test_the_drawing_is_as_wide_as_a_second_layout_has_it(seed, n_splits):
    tree = random_tree(seed, n_splits)
    breadth = np.random.default_rng(seed).uniform(1, 50, len(tree))
    x = centres(tree, breadth, 4.0)
    lefts, rights = zip(*outlines(tree, breadth, 4.0), strict=True)
    assert np.isclose((x + breadth / 2).max(), max(rights) - min(lefts))
    for depth, level in enumerate(levels(tree)):
        assert np.isclose((x - breadth / 2)[level].min(), lefts[depth] - min(lefts))


def test_levels_begin_below_the_thickest_node_above() -> None:
    tree = random_tree(3, 8)
    thickness = np.arange(1.0, len(tree) + 1)
    y = level_starts(tree, thickness, 5.0)
    for node in range(1, len(tree)):
        assert y[node] == pytest.approx(
            max(
                y[tree.parent[node]] + thickness[other] + 5
                for other in levels(tree)[tree.node_depth[node] - 1]
            )
        )


def test_a_very_deep_tree_needs_no_recursion() -> None:
    tree = chain(20_000)
    x = centres(tree, np.full(len(tree), 2.0), 1.0)
    right = np.arange(0, len(tree), 2)  # each stands half a pair right of the one above
    assert np.allclose(np.diff(x[right]), 1.5)
