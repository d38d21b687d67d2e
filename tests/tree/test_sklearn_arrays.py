"""A tree under scikit-learn's names holds what scikit-learn's holds."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

import treewright as tw
from helpers.trees import Inner, Leaf, build, mixed_schema, tennis_tree
from treewright.data import Column, Schema
from treewright.tree import Tree
from treewright.tree.splits import Hyperplane, Table, Threshold


@pytest.fixture
def tennis() -> Tree:
    return tennis_tree()


def lift(fitted: Any, schema: Schema) -> Tree:
    """Build our tree from a fitted tree of scikit-learn."""
    theirs = fitted.tree_

    def plan(node: int) -> Leaf | Inner:
        if theirs.children_left[node] == -1:
            counts = theirs.value[node, 0] * theirs.weighted_n_node_samples[node]
            return Leaf(int(theirs.n_node_samples[node]), np.round(counts).tolist())
        default = 1 - int(theirs.missing_go_to_left[node])
        split = Threshold(int(theirs.feature[node]), float(theirs.threshold[node]))
        return Inner(split, [plan(theirs.children_left[node]), plan(theirs.children_right[node])], default)

    return build(schema, plan(0))


@pytest.fixture(scope="module")
def irises() -> tuple[Any, Any, Tree]:
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    schema = Schema(tuple(Column(f"x{i}") for i in range(4)), np.arange(3))
    return X, fitted, lift(fitted, schema)


def test_scikit_learns_names_hold_what_scikit_learn_holds(irises: tuple[Any, Any, Tree]) -> None:
    _, fitted, tree = irises
    theirs = fitted.tree_
    pairs = [(0, 0)]
    while pairs:
        one, two = pairs.pop()
        for name in ("feature", "n_node_samples", "weighted_n_node_samples", "missing_go_to_left"):
            assert getattr(tree, name)[one] == getattr(theirs, name)[two]
        assert tree.threshold[one] == pytest.approx(theirs.threshold[two], rel=1e-15)
        sides = [
            (getattr(tree, side)[one], getattr(theirs, side)[two])
            for side in ("children_left", "children_right")
        ]
        if tree.is_leaf(one):
            assert sides == [(-1, -1), (-1, -1)]
        else:
            pairs += sides
    for name in ("n_features", "n_outputs", "max_n_classes", "node_count", "n_leaves", "max_depth"):
        assert getattr(tree, name) == getattr(theirs, name), name
    assert tree.n_classes.tolist() == theirs.n_classes.tolist()


@pytest.mark.parametrize("normalize", [True, False])
def test_importances_equal_scikit_learns(irises: tuple[Any, Any, Tree], normalize: bool) -> None:
    _, fitted, tree = irises
    expected = fitted.tree_.compute_feature_importances(normalize)
    np.testing.assert_allclose(tree.compute_feature_importances(normalize), expected, rtol=1e-12)


def test_paths_are_those_to_the_leaves(irises: tuple[Any, Any, Tree]) -> None:
    X, fitted, tree = irises
    paths = tree.decision_path(X)
    assert paths.shape == (len(X), len(tree))
    assert paths.sum(axis=1).ravel().tolist()[0] == fitted.decision_path(X).sum(axis=1).ravel().tolist()[0]
    for row, leaf in enumerate(tree.apply(X)):
        passed = set(paths[[row]].indices.tolist())
        assert leaf in passed
        assert passed - {0} == {node for node in passed if tree.parent[node] in passed}
    assert tree.capacity == tree.node_count


def test_rows_end_where_scikit_learns_end(irises: tuple[Any, Any, Tree]) -> None:
    X, fitted, tree = irises
    ours, theirs = tree.route(X, np.empty((len(X), 0), np.int32)), fitted.apply(X)
    assert len(set(zip(ours.tolist(), theirs.tolist(), strict=True))) == len(set(theirs.tolist()))
    assert (tree.label[ours] == fitted.predict(X)).all()


def test_importances_count_multiway_and_oblique_splits(tennis: Tree) -> None:
    gini = {node.id: node.weight * node.impurity for node in tennis}
    sunny, overcast, rain = tennis.children(0)
    outlook = gini[0] - gini[sunny] - gini[overcast] - gini[rain]
    expected = np.array([outlook, gini[sunny], gini[rain]]) / 14
    np.testing.assert_allclose(tennis.compute_feature_importances(normalize=False), expected)
    oblique = build(
        mixed_schema(), Inner(Hyperplane((0, 2), (1.0, 1.0), 0.0), [Leaf(1, [1, 0]), Leaf(1, [0, 1])])
    )
    assert oblique.compute_feature_importances().tolist() == [0.5, 0, 0.5, 0, 0]
    assert build(mixed_schema(), Leaf(2, [1, 1])).compute_feature_importances().tolist() == [0] * 5


@pytest.mark.parametrize("name", ["children_left", "children_right", "threshold", "missing_go_to_left"])
def test_a_multiway_tree_has_no_left_and_right(tennis: Tree, name: str) -> None:
    with pytest.raises(ValueError, match=r"not binary \(node 0 has 3 branches\)"):
        getattr(tennis, name)


def test_subset_splits_have_no_threshold() -> None:
    tree = build(mixed_schema(), Inner(Table(1, {0: 0, 1: 1, 2: 1}, 2), [Leaf(1, [1, 0]), Leaf(1, [0, 1])]))
    assert tree.feature.tolist() == [1, -2, -2]
    assert tree.children_right.tolist() == [2, -1, -1]
    with pytest.raises(ValueError, match="no thresholds"):
        _ = tree.threshold


@pytest.mark.parametrize("trees", [tw, sklearn.tree], ids=["ours", "theirs"])
def test_what_is_written_into_value_is_predicted(trees: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model = trees.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    value, leaf = model.tree_.value, model.apply(X[:1])[0]
    value /= value.sum(axis=2, keepdims=True)  # as treeinterpreter does: it changes nothing
    before = model.predict_proba(X)
    value[leaf] = [[0.1, 0.2, 0.7]]
    assert model.predict(X[:1]).tolist() == [2]
    assert model.predict_proba(X[:1]).tolist() == [[0.1, 0.2, 0.7]]
    value[leaf] = [[0.2, 0.7, 0.1]]
    assert model.tree_.predict(X[:1].astype(np.float32)).ravel().tolist() == [0.2, 0.7, 0.1]
    assert pickle.loads(pickle.dumps(model)).predict(X[:1]).tolist() == [1]
    other = model.apply(X) != leaf
    assert_array_equal(model.predict_proba(X)[other], before[other])
    numbers = trees.DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    numbers.tree_.value[numbers.apply(X[:1])[0]] = 9
    assert numbers.predict(X[:1]).tolist() == [9]


@pytest.mark.parametrize("forests", [tw, sklearn.ensemble], ids=["ours", "theirs"])
def test_what_is_written_into_the_trees_of_a_forest_is_predicted(forests: Any) -> None:
    X, y = load_iris(return_X_y=True)
    forest = forests.RandomForestClassifier(3, random_state=0).fit(X, y)
    before = forest.predict_proba(X)
    assert all(tree.tree_.value.shape[1:] == (1, 3) for tree in forest.estimators_)
    assert_array_equal(forest.predict_proba(X), before)
    for share in (0.25, 0.5):
        for tree in forest.estimators_:
            tree.tree_.value[:] = [[share, share, 1 - 2 * share]]
        assert forest.predict_proba(X[:1]).tolist() == [[share, share, 1 - 2 * share]]


def test_reading_value_leaves_a_forest_as_it_is() -> None:
    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(3, random_state=0).fit(X, y)
    trees = forest.trees_
    assert forest.estimators_[0].tree_.value.sum() > 0
    assert forest.trees_ is trees


def test_what_is_no_prediction_is_refused() -> None:
    X, y = load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    model.tree_.value[0] = -1
    with pytest.raises(ValueError, match="no prediction"):
        model.predict(X)
    linear = tw.TreeRegressor(leaves="linear").fit(X[:, :3], X[:, 3])
    with pytest.raises(ValueError, match="read-only"):
        linear.tree_.value[0] = 1


def test_isinstance_takes_a_tree_for_scikit_learns_and_for_ours() -> None:
    tree = tw.DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
    assert isinstance(tree, sklearn.tree._tree.Tree)
    assert isinstance(tree, tw.Tree)
    assert not isinstance(tree, Mapping)
    for copied in (
        replace(tree, note="x"),
        copy.copy(tree),
        copy.deepcopy(tree),
        pickle.loads(pickle.dumps(tree)),
    ):
        assert type(copied) is tw.Tree
        assert copied == tree
