"""What holds for every grown tree, whatever the table: properties that need no second implementation."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import treewright as tw
from helpers.recompute import check_tree
from helpers.tables import large_table, small_rows
from treewright import criteria
from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe
from treewright.persistence.trees import tree_from_bytes, tree_to_bytes
from treewright.tree import Tree
from treewright.tree.splits import SplitTable, Threshold

# Tables drawn at random may have nothing to split on.
pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")

CRITERIA = [*criteria.CLASSIFICATION, *criteria.REGRESSION]
CATEGORY_SPLITS = ["subset", "multiway", "one_vs_rest"]


@st.composite
def recipes(draw: st.DrawFn, criterion: str) -> Recipe:
    return Recipe(
        criterion,
        splits=("threshold", draw(st.sampled_from(CATEGORY_SPLITS))),
        missing=draw(st.sampled_from(["available", "direction"])),
        order=draw(st.sampled_from(["depth_first", "breadth_first", "best_first"])),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2, 0.2])),
    )


def same_splits(one: Tree, other: Tree, *, thresholds: bool = True) -> bool:
    """Whether two trees ask the same questions in the same places, if need be at other numbers."""
    names = ["kind", "feature", "pool_index", "pool_value", *(["threshold"] if thresholds else [])]
    return (
        np.array_equal(one.parent, other.parent)
        and np.array_equal(one.default_branch, other.default_branch)
        and all(np.array_equal(getattr(one.splits, name), getattr(other.splits, name)) for name in names)
    )


# Shape and statistics


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_shape_and_statistics_hang_together(criterion: str, data: st.DataObject) -> None:
    dataset, recipe = data.draw(small_rows(criterion)).dataset(), data.draw(recipes(criterion))
    tree = grow(dataset, recipe, n_jobs=1)
    assert tree.parent[0] == -1
    end = np.arange(1, len(tree) + 1)
    for node in reversed(range(len(tree))):
        children = tree.children(node)
        for branch, child in enumerate(children):
            assert child == end[node], "a subtree stands together, after its parent and the branches before"
            assert (tree.parent[child], tree.branch[child]) == (node, branch)
            end[node] = end[child]
        if not children:
            continue
        assert tree.count[children].sum() == tree.count[node]
        assert tree.weight[children].sum() == pytest.approx(tree.weight[node])
        assert tree.risk[children].sum() <= tree.risk[node] + 1e-9
        full = tree.count[children] > 0
        if tree.is_classifier:
            np.testing.assert_allclose(tree.node_value[children][full].sum(axis=0), tree.node_value[node])
            np.testing.assert_allclose(tree.node_value[node].sum(), tree.weight[node])
        if not full.all():
            assert np.all(tree.node_value[children][~full] == tree.node_value[node])
    assert end[0] == len(tree)


@pytest.mark.parametrize("criterion", ["error", "gini", "entropy", "sqrt", *criteria.REGRESSION])
@given(data=st.data())
def test_merit_is_the_decrease_of_impurity(criterion: str, data: st.DataObject) -> None:
    dataset, recipe = data.draw(small_rows(criterion)).dataset(), data.draw(recipes(criterion))
    tree = grow(dataset, replace(recipe, missing="direction"), n_jobs=1)
    for node in np.flatnonzero(tree.n_children):
        children = tree.children(node)
        after = (tree.weight[children] * tree.impurity[children]).sum() / tree.weight[node]
        assert tree.merit[node] == pytest.approx(tree.impurity[node] - after, abs=1e-12)
        assert tree.merit[node] >= -1e-12


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_training_rows_reach_the_leaves_that_counted_them(criterion: str, data: st.DataObject) -> None:
    dataset, recipe = data.draw(small_rows(criterion)).dataset(), data.draw(recipes(criterion))
    tree = grow(dataset, recipe, n_jobs=1)
    leaf = tree.route(dataset.numbers, dataset.codes)
    weight = np.ones(len(dataset)) if dataset.weight is None else dataset.weight
    counted = np.bincount(leaf[weight > 0], minlength=len(tree))
    leaves = tree.n_children == 0
    assert np.array_equal(counted[leaves], tree.count[leaves])
    assert counted[~leaves].sum() == 0
    np.testing.assert_array_equal(tree.predict_value(dataset.numbers, dataset.codes), tree.node_value[leaf])
    if tree.is_classifier:
        target = np.asarray(dataset.target)
        for node in np.unique(leaf[weight > 0]):
            here = leaf == node
            seen = np.bincount(target[here], weight[here], minlength=tree.node_value.shape[1])
            np.testing.assert_allclose(tree.node_value[node], seen)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@given(data=st.data())
def test_a_stored_tree_is_the_same_tree(criterion: str, data: st.DataObject) -> None:
    tree = grow(data.draw(small_rows(criterion)).dataset(), data.draw(recipes(criterion)), n_jobs=1)
    assert tree_from_bytes(tree_to_bytes(tree)) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


# Changes of the table that must not change the tree


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_monotone_transforms_of_a_feature_keep_the_partition(criterion: str, data: st.DataObject) -> None:
    rows, recipe = data.draw(small_rows(criterion)), data.draw(recipes(criterion))
    bend: Any = data.draw(st.sampled_from([np.exp, np.cbrt, lambda x: 1000 * x - 7, lambda x: x**3 + x]))
    bent = rows.X.copy()
    for name in bent.columns:
        if name.startswith("n"):
            bent[name] = bend(bent[name])
    before = grow(rows.dataset(), recipe, n_jobs=1)
    after = grow(replace(rows, X=bent).dataset(), recipe, n_jobs=1)
    assert same_splits(before, after, thresholds=False)
    assert np.array_equal(before.count, after.count)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_the_order_of_rows_does_not_matter(criterion: str, data: st.DataObject) -> None:
    rows, recipe = data.draw(small_rows(criterion)), data.draw(recipes(criterion))
    order = data.draw(st.permutations(range(len(rows.X))))
    before, after = (grow(table.dataset(), recipe, n_jobs=1) for table in (rows, rows.take(order)))
    assert same_splits(before, after)
    assert np.array_equal(before.count, after.count)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_weight_two_is_the_row_twice(criterion: str, data: st.DataObject) -> None:
    rows = data.draw(small_rows(criterion, weighted=False))
    recipe = replace(data.draw(recipes(criterion)), min_samples_leaf=1)
    n = len(rows.X)
    twice = np.array(data.draw(st.lists(st.integers(1, 2), min_size=n, max_size=n)))
    # Rows count once or twice, so the branch with more rows, where later missing values go, may differ.
    weighted = grow(rows.take(np.arange(n), weight=twice.astype(float)).dataset(), recipe, n_jobs=1)
    repeated = grow(rows.take(np.repeat(np.arange(n), twice)).dataset(), recipe, n_jobs=1)
    default = np.zeros_like(weighted.default_branch)
    assert same_splits(
        replace(weighted, default_branch=default),
        replace(repeated, default_branch=default[: len(repeated)]),
    )
    np.testing.assert_allclose(weighted.weight, repeated.weight)
    np.testing.assert_allclose(weighted.node_value, repeated.node_value)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_rows_of_weight_zero_change_nothing(criterion: str, data: st.DataObject) -> None:
    rows, recipe = data.draw(small_rows(criterion)), data.draw(recipes(criterion))
    weight = np.ones(len(rows.X)) if rows.weight is None else rows.weight
    kept = rows.take(np.flatnonzero(weight > 0), weight[weight > 0])
    before = grow(kept.dataset(), recipe, n_jobs=1)
    after = grow(replace(rows, weight=weight).dataset(), recipe, n_jobs=1)
    assert same_splits(before, after)
    for name in ("count", "weight", "impurity", "risk", "merit"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    # A label that only rows without weight have is still a class; nothing has it.
    seen = np.array([True])
    if after.schema.classes is not None and before.schema.classes is not None:
        seen = np.isin(after.schema.classes, before.schema.classes)
    np.testing.assert_array_equal(after.node_value[:, seen], before.node_value)
    assert np.all(after.node_value[:, ~seen] == 0)


@given(data=st.data())
def test_class_weights_are_weights_of_the_rows(data: st.DataObject) -> None:
    dataset, recipe = data.draw(small_rows("gini")).dataset(), data.draw(recipes("gini"))
    n_classes = grow(dataset, recipe, n_jobs=1).node_value.shape[1]
    factors = st.lists(st.sampled_from([0.5, 1.0, 4.0]), min_size=n_classes, max_size=n_classes)
    factor = np.array(data.draw(factors))
    weight = np.ones(len(dataset)) if dataset.weight is None else dataset.weight
    by_class = grow(dataset, replace(recipe, class_weight=tuple(factor.tolist())), n_jobs=1)
    by_row = grow(replace(dataset, weight=weight * factor[dataset.target]), recipe, n_jobs=1)
    assert by_class == by_row


@given(data=st.data())
def test_as_many_bins_as_values_are_exact(data: st.DataObject) -> None:
    """Bins are of the whole column: a node may cut elsewhere between its values, but cuts the same rows."""
    dataset, recipe = data.draw(small_rows("entropy")).dataset(), data.draw(recipes("entropy"))
    exact, binned = (grow(dataset, replace(recipe, max_bins=bins), n_jobs=1) for bins in (None, 255))
    assert same_splits(exact, binned, thresholds=False)
    assert np.array_equal(exact.count, binned.count)


# Costs, priors and random choices


@given(data=st.data())
def test_costs_set_label_and_risk(data: st.DataObject) -> None:
    dataset, recipe = data.draw(small_rows("gini")).dataset(), data.draw(recipes("gini"))
    n_classes = grow(dataset, recipe, n_jobs=1).node_value.shape[1]
    assume(n_classes > 1)
    cells = st.lists(st.integers(1, 9), min_size=n_classes, max_size=n_classes)
    costs = np.array(data.draw(st.lists(cells, min_size=n_classes, max_size=n_classes)), dtype=float)
    np.fill_diagonal(costs, 0)
    tree = grow(dataset, replace(recipe, costs=tuple(map(tuple, costs.tolist()))), n_jobs=1)
    for node in range(len(tree)):
        expected = tree.node_value[node] @ costs  # cost of each answer
        assert expected[tree.label[node]] == pytest.approx(expected.min())
        if tree.count[node]:
            assert tree.risk[node] == pytest.approx(expected.min(), abs=1e-12)


@given(data=st.data())
def test_priors_are_the_class_shares_of_the_root(data: st.DataObject) -> None:
    dataset = data.draw(small_rows("gini", weighted=False)).dataset()
    shares = np.arange(1.0, grow(dataset, Recipe("gini"), n_jobs=1).node_value.shape[1] + 1)
    shares /= shares.sum()
    recipe = replace(data.draw(recipes("gini")), priors=tuple(shares.tolist()))
    tree = grow(dataset, recipe, n_jobs=1)
    np.testing.assert_allclose(tree.node_value[0] / tree.weight[0], shares, atol=1e-12)
    assert tree.weight[0] == pytest.approx(len(dataset))


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@given(data=st.data(), seed=st.integers(0, 2**31))
def test_random_ties_are_ties_and_repeatable(criterion: str, data: st.DataObject, seed: int) -> None:
    dataset = data.draw(small_rows(criterion)).dataset()
    recipe = replace(data.draw(recipes(criterion)), ties="random", random_state=seed)
    tree = grow(dataset, recipe, n_jobs=1)
    check_tree(tree, dataset, recipe)
    assert grow(dataset, recipe, n_jobs=2) == tree


@pytest.mark.parametrize("change", [{"splitter": "random"}, {"max_features": 1}, {"max_features": "sqrt"}])
def test_random_choices_follow_the_seed_and_not_the_threads(change: dict[str, Any]) -> None:
    dataset = large_table(2_000, "classification", n_classes=3, missing=True)
    recipes_ = [Recipe("gini", random_state=seed, **change) for seed in (1, 2)]
    first, other = (grow(dataset, recipe, n_jobs=1) for recipe in recipes_)
    assert first != other
    assert grow(dataset, recipes_[0], n_jobs=2) == first
    assert np.all(first.impurity[(first.n_children == 0)] == 0), "every row can be told apart"


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_predictions_are_monotone_where_asked(criterion: str, sign: int) -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(400, 3))
    noisy = X[:, 0] + np.sin(5 * X[:, 1]) + random.normal(size=400)
    if criterion == "gini":
        dataset = Dataset.from_table(X, noisy > 0, task="classification")
    else:
        dataset = Dataset.from_table(X, noisy, task="regression")
    tree = grow(dataset, Recipe(criterion, monotonic=(sign, 0, 0)), n_jobs=1)
    assert tree.node_count > 10
    grid = np.repeat(X[:50], 40, axis=0)
    grid[:, 0] = np.tile(np.linspace(-3, 3, 40), 50)
    value = tree.predict_value(np.asfortranarray(grid), np.zeros((len(grid), 0), np.int32))
    shown = value[:, 1] / value.sum(axis=1) if criterion == "gini" else value[:, 0]
    steps = np.diff(shown.reshape(50, 40), axis=1) * sign
    assert np.all(steps >= -1e-12)


# A chain: as deep as a tree can be


def check_deep_model(model: Any, X: Any, y: Any, folder: Path) -> None:
    """Print, save, load and predict."""
    assert str(model.tree_).count("\n") >= model.tree_.node_count
    model.save(folder / "chain.tw")
    loaded = tw.load(folder / "chain.tw")
    assert loaded.tree_ == model.tree_
    assert (loaded.predict(X) == y).all()


@pytest.mark.parametrize("n", [5_001, pytest.param(50_001, marks=pytest.mark.slow)])
def test_a_chain_grows(n: int, tmp_path: Path) -> None:
    """Where classes alternate along a line, every best cut splits off one row."""
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    model = tw.DecisionTreeClassifier().fit(X, y)
    assert (model.tree_.node_count, model.get_n_leaves(), model.get_depth()) == (2 * n - 1, n, n - 1)
    assert (model.predict(X) == y).all()
    assert model.feature_importances_.tolist() == [1.0]
    check_deep_model(model, X, y, tmp_path)


@pytest.mark.slow
def test_a_chain_of_a_million_nodes_prints_saves_loads_and_predicts(tmp_path: Path) -> None:
    """The tree of the test above for half a million rows, made by hand: node 2j cuts off row j."""
    n = 500_001
    node = np.arange(2 * n - 1)
    inner = (node % 2 == 0) & (node < 2 * n - 2)
    rows_below = np.where(node % 2 == 0, n - node // 2, 1)
    ones = np.where(node % 2 == 0, n // 2 - node // 4, (node // 2) % 2)
    model = tw.DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    model.tree_ = Tree(
        schema=model.tree_.schema,
        parent=np.where(node == 0, -1, (node - 1) // 2 * 2),
        default_branch=np.where(inner, 1, -1),
        count=rows_below,
        weight=rows_below,
        node_value=np.stack([rows_below - ones, ones], axis=1),
        impurity=np.zeros(len(node)),
        risk=np.minimum(ones, rows_below - ones),
        merit=np.zeros(len(node)),
        split_begin=np.concatenate(([0], np.cumsum(inner))),
        splits=SplitTable.from_splits([Threshold(0, j + 0.5) for j in range(n - 1)]),
        competitor_begin=np.zeros(len(node) + 1, np.int64),
        competitors=SplitTable.from_splits([]),
    )
    few = np.array([0, 1, 2, 77_777, n - 2, n - 1])
    assert model.tree_.depth == n - 1
    assert model.apply(few[:, None].astype(float)).tolist() == [1, 3, 5, 155_555, 2 * n - 3, 2 * n - 2]
    check_deep_model(model, few[:, None].astype(float), few % 2, tmp_path)
