"""The tree: its shape, routing, edits, equality, and a chain of a million nodes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.trees import (
    WEATHER,
    Inner,
    Leaf,
    build,
    chain,
    mixed_schema,
    random_rows,
    random_tree,
    tennis_tree,
)
from treewright.data import Column, Schema
from treewright.errors import DataError
from treewright.persistence.validation import validate
from treewright.tree import Tree
from treewright.tree.splits import Hyperplane, Intervals, Sphere, Split, Table, Threshold

seeds = st.integers(0, 10**6)


@pytest.fixture
def tennis() -> Tree:
    return tennis_tree()


# ---- shape ---------------------------------------------------------------------------------------


def test_the_shape_of_a_known_tree(tennis: Tree) -> None:
    assert repr(tennis) == "Tree(8 nodes, 5 leaves, depth 2, 2 classes)"
    assert (len(tennis), tennis.node_count, tennis.n_leaves, tennis.depth, tennis.max_depth) == (
        8,
        8,
        5,
        2,
        2,
    )
    assert tennis.children(0) == [1, 4, 5]
    assert tennis.branch.tolist() == [-1, 0, 0, 1, 1, 2, 0, 1]
    assert tennis.child(np.array([0, 0, 5]), np.array([0, 2, 1])).tolist() == [1, 5, 7]
    assert tennis.all_children(np.array([5, 4, 0])).tolist() == [6, 7, 1, 4, 5]
    assert not tennis.is_leaf(0)
    assert tennis.is_leaf(2)
    assert tennis.children(2) == []
    assert tennis.leaves.tolist() == [2, 3, 4, 6, 7]
    assert list(tennis.walk()) == list(range(8))


def test_a_node_is_a_view(tennis: Tree) -> None:
    node = tennis[1]
    assert (node.id, node.parent, node.depth, node.count, node.weight, node.label) == (1, 0, 1, 5, 5.0, 0)
    assert node.children == [2, 3]
    assert node.split == Table(1, {0: 0, 1: 1}, 2)
    assert node.value.tolist() == [3.0, 2.0]
    assert node.impurity == pytest.approx(1 - (3 / 5) ** 2 - (2 / 5) ** 2)
    assert node.risk == pytest.approx(2)
    assert (node.surrogates, node.competitors) == ([], [])
    assert tennis[-1].id == 7
    assert tennis[-1].split is None
    assert [node.id for node in tennis] == list(range(8))
    assert [node.id for node in reversed(tennis)] == list(range(8))[::-1]
    with pytest.raises(IndexError):
        tennis[8]
    with pytest.raises(AttributeError):
        node.count = 3


def test_a_node_lists_surrogates_and_competitors() -> None:
    surrogates, competitors = (Threshold(2, 1.0), Table(1, {0: 0, 2: 1}, 2)), (Threshold(3, 0.5),)
    plan = Inner(Threshold(0, 2.0), [Leaf(1, [1, 0]), Leaf(1, [0, 1])], 1, surrogates, competitors)
    root = build(mixed_schema(), plan)[0]
    assert (root.split, tuple(root.surrogates), tuple(root.competitors)) == (
        Threshold(0, 2.0),
        surrogates,
        competitors,
    )
    assert root.default_branch == 1


@given(seeds)
def test_depths_equal_those_counted_up_to_the_root(seed: int) -> None:
    tree = random_tree(seed, n_splits=12)
    for node in tree:
        steps, at = 0, node.id
        while at:
            at, steps = tree[at].parent, steps + 1
        assert node.depth == steps


@given(seeds)
def test_the_walk_is_depth_first(seed: int) -> None:
    tree = random_tree(seed, n_splits=12)

    def visit(node: int) -> Iterator[int]:
        yield node
        for child in tree.children(node):
            yield from visit(child)

    assert list(tree.walk()) == list(visit(0))


def test_arrays_cannot_be_written_to_nor_attributes_set(tennis: Tree) -> None:
    for array in tennis.arrays().values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        tennis.weight = tennis.weight  # type: ignore[misc]


# ---- labels --------------------------------------------------------------------------------------


def test_the_label_is_the_heaviest_class_and_ties_go_to_the_earlier() -> None:
    assert build(mixed_schema(3), Leaf(7, [1, 3, 3])).label.tolist() == [1]


def test_weights_that_differ_by_rounding_tie() -> None:
    """Shares of rows that add up to the same weight, as under missing="fractional"."""
    assert 0.1 + 0.2 > 0.3
    assert build(mixed_schema(2), Leaf(2, [0.3, 0.1 + 0.2])).label.tolist() == [0]
    assert build(mixed_schema(2), Leaf(2, [0.3, 0.3001])).label.tolist() == [1]


def test_under_costs_the_label_is_the_cheapest_class() -> None:
    costs = np.array([[0, 1], [10, 0]])  # calling a "yes" (row 1) "no" (column 0) costs ten
    tree = build(mixed_schema(), Inner(Threshold(0, 1.0), [Leaf(9, [8, 1]), Leaf(12, [11, 1])]), costs)
    # expected costs: node 1: no 10, yes 8; node 2: no 10, yes 11
    assert tree.label.tolist() == [1, 1, 0]


def test_a_regression_tree_has_no_label() -> None:
    tree = build(mixed_schema(0), Leaf(2, [1.5]))
    assert not hasattr(tree, "label")
    assert repr(tree) == "Tree(1 node, 1 leaf, depth 0, regression)"


# ---- routing -------------------------------------------------------------------------------------


def branch_of(split: Split | None, row: dict[int, Any]) -> int | None:
    """Which branch a row takes; None if the split is unanswered, −1 for a category never seen."""
    assert split is not None
    match split:
        case Threshold():
            answer = row[split.feature]
        case Table():
            code = row[split.feature]
            return -1 if code == -2 else split.branches.get(code)
        case Hyperplane():
            answer = sum(w * row[f] for f, w in zip(split.features, split.weights, strict=True))
        case Intervals():
            x = row[split.feature]
            return None if np.isnan(x) else sum(x > cut for cut in split.cuts)
        case Sphere():
            terms = zip(split.features, split.centres, split.scales, strict=True)
            answer = sum(scale * (row[f] - centre) ** 2 for f, centre, scale in terms)
    return None if np.isnan(answer) else int(answer > split.threshold)


def route_one(tree: Tree, row: dict[int, Any]) -> int:
    node = tree[0]
    while not node.is_leaf:
        answers = (branch_of(split, row) for split in [node.split, *node.surrogates])
        branch = next((answer for answer in answers if answer is not None), node.default_branch)
        if branch == -2:
            return node.id
        if branch == -1:
            branch = int(np.argmax(tree.weight[list(node.children)]))
        node = tree[node.children[branch]]
    return node.id


@given(seeds, st.sampled_from([1, 2]))
def test_routing_equals_following_the_splits_one_row_at_a_time(seed: int, threads: int) -> None:
    tree = random_tree(seed)
    numbers, codes = random_rows(seed)
    rows = [
        {0: n[0], 2: n[1], 3: n[2], 1: c[0], 4: c[1]}
        for n, c in zip(numbers.tolist(), codes.tolist(), strict=True)
    ]
    expected = [route_one(tree, row) for row in rows]
    assert tree.route(numbers, codes, threads).tolist() == expected
    if not tree.shares_rows:
        assert tree.predict_value(numbers, codes, threads).tolist() == tree.node_value[expected].tolist()


def test_the_packed_walk_equals_following_the_splits() -> None:
    tree = chain(20)
    numbers = np.array([[-3.0], [0.5], [0.6], [7.5], [19.5], [99.0], [np.nan]])
    assert tree._packed is not None
    expected = [route_one(tree, {0: number}) for (number,) in numbers.tolist()]
    assert tree.route(numbers, np.empty((7, 0), np.int32)).tolist() == expected


@pytest.mark.parametrize("split", [Threshold(0, 0.5), Hyperplane((0, 1), (1.0, 1.0), 0.5)])
def test_infinities_are_refused_by_the_name_of_their_column(split: Split) -> None:
    schema = Schema((Column("age"), Column("width")), np.array(["a", "b"]), True)
    tree = build(schema, Inner(split, [Leaf(1, [1, 0]), Leaf(1, [0, 1])]))
    rows = np.array([[0.0, 1.0], [1.0, -np.inf]])
    with pytest.raises(DataError, match="infinity in column 'width'"):
        tree.route(rows, np.empty((2, 0), np.int32))


def test_one_leaf_takes_rows_without_numbers() -> None:
    tree = build(WEATHER, Leaf(3, [1, 2]))
    assert tree.route(np.empty((4, 0)), np.zeros((4, 3), np.int32)).tolist() == [0, 0, 0, 0]


def test_rows_of_another_shape_are_refused(tennis: Tree) -> None:
    with pytest.raises(DataError, match=r"0 numbers and 3 codes, got arrays of shape \(2, 1\) and \(2, 3\)"):
        tennis.route(np.zeros((2, 1)), np.zeros((2, 3), np.int32))
    with pytest.raises(DataError, match="shape"):
        tennis.route(np.zeros((2, 0)), np.zeros((3, 3), np.int32))


# ---- edits ---------------------------------------------------------------------------------------


def same_node(one: Tree, node: int, other: Tree, twin: int) -> bool:
    names = ("count", "weight", "impurity", "risk")
    return all(getattr(one[node], name) == getattr(other[twin], name) for name in names) and bool(
        np.all(one[node].value == other[twin].value)
    )


def same_splits(one: Tree, node: int, other: Tree, twin: int) -> bool:
    names = ("split", "surrogates", "competitors", "default_branch", "merit")
    return all(getattr(one[node], name) == getattr(other[twin], name) for name in names)


def assert_same(tree: Tree, edited: Tree, below: Callable[[int], int | None]) -> None:
    """Hold an edited tree to the whole: each node has what hangs below `below(node)`, None is a leaf."""
    validate(edited.arrays(), edited.schema)
    pairs, reached = [(0, 0)], 0
    while pairs:
        node, twin = pairs.pop()
        reached += 1
        assert same_node(tree, node, edited, twin)
        source = below(node)
        if source is None:
            assert edited.is_leaf(twin)
        else:
            assert same_splits(tree, source, edited, twin)
            pairs += zip(tree.children(source), edited.children(twin), strict=True)
    assert reached == len(edited)


@given(seeds, st.data())
def test_collapse_keeps_everything_but_what_hangs_below(seed: int, data: Any) -> None:
    tree = random_tree(seed, n_splits=10)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(tree), max_size=len(tree))))
    collapsed = tree.collapse(mask)
    assert_same(tree, collapsed, lambda node: None if mask[node] else node)
    assert tree.collapse(np.flatnonzero(mask)) == collapsed


@given(seeds, st.data())
def test_raising_puts_a_branch_in_its_parents_place(seed: int, data: Any) -> None:
    tree = random_tree(seed, n_splits=10)
    place = data.draw(st.sampled_from([node.id for node in tree if not node.is_leaf]))
    branch = data.draw(st.integers(0, len(tree.children(place)) - 1))
    raised = tree.raise_branch(place, branch)
    assert_same(tree, raised, lambda node: tree.children(place)[branch] if node == place else node)


def test_collapsing_nothing_changes_nothing(tennis: Tree) -> None:
    assert tennis.collapse([]) == tennis
    assert tennis.collapse(np.zeros(8, bool)) == tennis
    assert tennis.collapse([0]).node_count == 1


def test_a_branch_that_is_not_there_cannot_be_raised(tennis: Tree) -> None:
    with pytest.raises(ValueError, match="branch=3 of node 0 cannot be raised: it has 3 branches"):
        tennis.raise_branch(0, 3)
    with pytest.raises(ValueError, match="branch=0 of node 2 cannot be raised"):
        tennis.raise_branch(2, 0)


# ---- equality, pickling --------------------------------------------------------------------------


@given(seeds)
def test_equality_is_by_content(seed: int) -> None:
    tree = random_tree(seed)
    assert Tree.from_arrays(tree.schema, tree.arrays()) == tree
    name = sorted(tree.arrays())[seed % len(tree.arrays())]
    if tree.arrays()[name].size:
        changed = tree.arrays()[name].copy()
        changed.flat[-1] += 1
        assert Tree.from_arrays(tree.schema, tree.arrays() | {name: changed}) != tree
    assert Tree.from_arrays(tree.schema, tree.arrays(), np.eye(2)) != tree
    assert Tree.from_arrays(mixed_schema(3), tree.arrays()) != tree


@given(seeds, st.sampled_from([0, 2, 3]))
def test_pickling_and_copying_give_an_equal_tree(seed: int, n_classes: int) -> None:
    tree = random_tree(seed, n_classes=n_classes)
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree
    if n_classes:
        costly = Tree.from_arrays(tree.schema, tree.arrays(), 1 - np.eye(n_classes))
        assert pickle.loads(pickle.dumps(costly)) == costly


# ---- the readable form ---------------------------------------------------------------------------


def test_to_dict_of_a_known_tree(tennis: Tree) -> None:
    described = tennis.to_dict()
    assert described["split"] == {
        "kind": "multiway",
        "feature": "outlook",
        "groups": [["Sunny"], ["Overcast"], ["Rain"]],
    }
    assert [branch["value"] for branch in described["branches"]] == [[3, 2], [0, 4], [2, 3]]
    assert described["branches"][1] == {
        "count": 4,
        "weight": 4.0,
        "value": [0, 4],
        "impurity": 0.0,
        "risk": 0.0,
    }
    assert described["branches"][0]["branches"][0]["value"] == [3, 0]


def test_to_dict_says_where_unanswered_rows_go_and_what_stands_in() -> None:
    plan = Inner(
        Threshold(0, 2.0),
        [Leaf(2, [1.0]), Inner(Threshold(2, 0.0), [Leaf(1, [2.0]), Leaf(1, [3.0])], -2)],
        -1,
        (Threshold(2, 1.0),),
        (Threshold(3, 1.0),),
    )
    described = build(mixed_schema(0), plan).to_dict()
    assert described["missing"] == "share"
    assert described["branches"][1]["missing"] == "stay"
    assert described["value"] == 1.75
    assert [split["feature"] for split in described["surrogates"]] == ["width"]
    assert [split["threshold"] for split in described["competitors"]] == ["middle"]


# ---- a chain of a million nodes ------------------------------------------------------------------


@pytest.fixture(scope="module")
def deep() -> Tree:
    return chain(500_000)


def test_a_chain_of_a_million_nodes_has_depth_and_dictionary(deep: Tree) -> None:
    assert deep.depth == 500_000
    described, depth = deep.to_dict(), 0
    while "branches" in described:
        described, depth = described["branches"][1], depth + 1
    assert depth == 500_000


def test_a_chain_of_a_million_nodes_routes_and_collapses(deep: Tree) -> None:
    rows = np.array([[0.0], [250_000.0], [1e9]])
    codes = np.empty((3, 0), np.int32)
    assert deep.node_depth[deep.route(rows, codes)].tolist() == [1, 250_001, 500_000]
    shorter = deep.collapse([500_000])  # the inner nodes have even ids
    assert (shorter.depth, len(shorter)) == (250_000, 500_001)
    assert shorter.node_depth[shorter.route(rows, codes)].tolist() == [1, 250_000, 250_000]
    assert deep.raise_branch(0, 1).depth == 499_999


def test_a_chain_of_a_million_nodes_pickles(deep: Tree) -> None:
    assert pickle.loads(pickle.dumps(deep)) == deep
