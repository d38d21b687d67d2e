"""Shapley values: against their definition, in trees of every kind of split."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from helpers.trees import random_rows, random_tree
from treewright import C45Classifier, CARTClassifier, DecisionTreeClassifier, DecisionTreeRegressor, datasets
from treewright.data import Dataset
from treewright.explain.shapley import mean_movement, shapley_values
from treewright.tree.routing import SHARE, STAY, Descent
from treewright.tree.splits import features_of


def shares(tree):
    return (
        tree.node_value / tree.node_value.sum(axis=1, keepdims=True)
        if tree.is_classifier
        else tree.node_value
    )


def split_of(tree, node):
    return features_of(tree.splits[int(tree.split_begin[node])])


def said(tree, value, branches, known, node=0):
    """What a tree says of a row of which some features are known: the definition, node by node."""
    if tree.is_leaf(node):
        return value[node]
    branch = branches[node] if split_of(tree, node) in known else SHARE
    if branch >= 0:
        return said(tree, value, branches, known, tree.children(node)[branch])
    if branch == STAY:
        return value[node]
    children = np.array(tree.children(node))
    weight = tree.weight[children]
    parts = [said(tree, value, branches, known, child) for child in children]
    return weight @ np.array(parts) / weight.sum()


def by_definition(tree, rows, value):
    """Ask in every order, and credit each player with what it changes, on average."""
    descent = Descent(tree, rows)
    inner = [node for node in range(len(tree)) if not tree.is_leaf(node)]
    every = np.arange(len(rows))
    branches = {node: descent.branch(every, np.full(len(rows), node)) for node in inner}
    players = list(dict.fromkeys(split_of(tree, node) for node in inner))
    found = np.zeros((len(rows), len(tree.schema.columns), value.shape[1]))
    orders = list(permutations(players))
    for row in range(len(rows)):
        taken = {node: branch[row] for node, branch in branches.items()}
        says = {}
        for order in orders:
            for place, player in enumerate(order):
                before, after = frozenset(order[:place]), frozenset(order[: place + 1])
                for known in (before, after):
                    if known not in says:
                        says[known] = said(tree, value, taken, known)
                change = (says[after] - says[before]) / len(orders) / len(player)
                for feature in player:
                    found[row, feature] += change
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n_classes", [0, 3])
def test_values_are_those_of_the_definition(seed, n_classes) -> None:
    tree = random_tree(seed, 6, n_classes)
    numbers, codes = random_rows(seed)
    rows = Dataset(tree.schema, np.asfortranarray(numbers[:12]), np.asfortranarray(codes[:12]))
    value = shares(tree)
    assert np.allclose(shapley_values(tree, rows, value), by_definition(tree, rows, value), atol=1e-10)


@pytest.mark.parametrize(
    ("model", "load"),
    [
        (DecisionTreeClassifier(), datasets.load_iris),
        (DecisionTreeRegressor(max_leaf_nodes=40), datasets.load_mpg),
        (C45Classifier(), datasets.load_votes),  # rows that miss a value are shared
        (CARTClassifier(min_samples_split=4, min_samples_leaf=2), datasets.load_labor),  # surrogates
    ],
)
def test_values_add_up_to_the_prediction(model, load) -> None:
    X, y = load()
    tree = model.fit(X, y).tree_
    rows = Dataset(tree.schema, *tree.schema.encode(X))
    value = shares(tree)
    found = shapley_values(tree, rows, value)
    leaves = tree.leaves
    average = tree.weight[leaves] @ value[leaves] / tree.weight[leaves].sum()
    assert np.allclose(average + found.sum(axis=1), tree.spread(rows.numbers, rows.codes, value), atol=1e-9)
    asked = {feature for node in tree if node.split is not None for feature in features_of(node.split)}
    silent = [place for place in range(found.shape[1]) if place not in asked]
    assert not found[:, silent].any()
    for n_rows in (1, 5, 9):  # whichever rows are worked out side by side
        assert np.array_equal(shapley_values(tree, rows.take(np.arange(n_rows)), value, 2), found[:n_rows])


def test_a_leaf_has_nothing_to_share() -> None:
    tree = DecisionTreeRegressor().fit([[1.0], [2.0]], [3.0, 3.0]).tree_
    rows = Dataset(tree.schema, *tree.schema.encode([[1.0]]))
    assert shapley_values(tree, rows, tree.node_value).tolist() == [[[0.0]]]


def test_what_one_class_gains_another_loses() -> None:
    assert mean_movement(np.array([[[0.2, -0.2], [0.0, 0.0]]])).tolist() == [0.2, 0.0]
    assert mean_movement(np.array([[[-3.0]], [[1.0]]])).tolist() == [2.0]
