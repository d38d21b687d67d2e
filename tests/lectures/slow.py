"""Slow code, written from the texts line by line, that the items are held to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log, log2, sqrt
from typing import Any

import numpy as np
import pandas as pd

from treewright.rules import Rule
from treewright.tree import Tree

Rows = list[dict[str, Any]]
Nested = Any
"""A tree as nested tuples: a label, or (feature, {value: branch})."""


def rows_of(X: pd.DataFrame) -> Rows:
    """A table as dictionaries."""
    return X.to_dict("records")


def entropy(labels: Sequence[Any]) -> float:
    """H = −Σ P log₂ P."""
    return -sum(n / len(labels) * log2(n / len(labels)) for n in Counter(labels).values())


def gini(labels: Sequence[Any]) -> float:
    """1 − Σ P²."""
    return 1 - sum((n / len(labels)) ** 2 for n in Counter(labels).values())


def error(labels: Sequence[Any]) -> float:
    """The share outside the most common class."""
    return 1 - max(Counter(labels).values()) / len(labels)


def gain(
    labels: Sequence[Any], parts: Sequence[Sequence[Any]], impurity: Callable[..., float] = entropy
) -> float:
    """Impurity before, less the mean impurity after."""
    after = sum(len(part) / len(labels) * impurity(part) for part in parts if len(part))
    return impurity(labels) - after


def same_table(X: Any, y: Any, text: str) -> str:
    """Hold a table to the text's own, a line for each row with its label last; say how large it is."""
    rows = [[*map(str, row), label] for row, label in zip(X.to_numpy(), y, strict=True)]
    assert rows == [line.split() for line in text.splitlines()]
    return f"{len(X)} rows, {X.shape[1]} features"


def most_common(labels: Sequence[Any], order: Sequence[Any]) -> Any:
    """The most common label, of equals the first in the order of the classes."""
    counts = Counter(labels)
    return max(order, key=lambda label: (counts[label], -list(order).index(label)))


def id3(
    rows: Rows,
    labels: list[Any],
    domains: dict[str, list[Any]],
    order: Sequence[Any],
    impurity: Callable[..., float] = entropy,
    *,
    stops: bool = False,
) -> Nested:
    """ID3(D, Features) of the texts: every value of the domain has a branch, an empty one the label above.

    With `stops` it is ID3(S, A) of S2: the first of the largest gains is x_j, and a leaf if all examples share
    its value; else features of one value are passed over.
    """
    label = most_common(labels, order)
    varied = [feature for feature in domains if len({row[feature] for row in rows}) > 1]
    asked = list(domains) if stops else varied
    if len(set(labels)) == 1 or not asked:
        return label

    def parts(feature: str) -> list[list[Any]]:
        return [[c for r, c in zip(rows, labels, strict=True) if r[feature] == a] for a in domains[feature]]

    gains = {feature: gain(labels, parts(feature), impurity) for feature in asked}
    chosen = next(feature for feature in asked if gains[feature] >= max(gains.values()) - 1e-9)
    if chosen not in varied:
        return label
    rest = {feature: values for feature, values in domains.items() if feature != chosen}
    branches = {}
    for value in domains[chosen]:
        own = [place for place, row in enumerate(rows) if row[chosen] == value]
        below = [rows[i] for i in own], [labels[i] for i in own]
        branches[value] = id3(*below, rest, order, impurity, stops=stops) if own else label
    return chosen, branches


def nested(tree: Tree, node: int = 0) -> Nested:
    """A tree of multiway splits as nested tuples."""
    split = tree[node].split
    if split is None:
        return tree.schema.classes[tree.label[node]]
    column = tree.schema.columns[split.feature]
    branches = {}
    for branch, child in enumerate(tree.children(node)):
        for code in split.groups[branch]:
            branches[column.categories[code]] = nested(tree, child)
    return column.name, branches


def domains_of(X: pd.DataFrame) -> dict[str, list[Any]]:
    """The values that each column declares."""
    return {name: list(X[name].cat.categories) for name in X}


def random_table(seed: int, n_rows: int = 14, n_values: int = 3) -> tuple[pd.DataFrame, list[Any]]:
    """Three categorical features with their domains, and labels of two or three classes."""
    rng = np.random.default_rng(seed)
    letters = list("uvw")[:n_values]
    columns = {name: pd.Categorical(rng.choice(letters, n_rows), categories=letters) for name in "abc"}
    return pd.DataFrame(columns), rng.integers(0, 2 + seed % 2, n_rows).tolist()


def best_cut(
    X: np.ndarray, y: Sequence[Any], impurity: Callable[..., float]
) -> tuple[float, list[tuple[int, float]]]:
    """For each dimension sort, split half-way between neighbours: the best decrease, and all cuts that have it."""
    y, found = list(y), []
    for d in range(X.shape[1]):
        values = sorted(set(X[:, d].tolist()))
        for low, high in pairwise(values):
            cut = (low + high) / 2
            parts = [
                [c for x, c in zip(X[:, d], y, strict=True) if (x <= cut) == side] for side in (True, False)
            ]
            found.append((gain(y, parts, impurity), d, cut))
    best = max(found)[0]
    return best, [(d, cut) for value, d, cut in found if value >= best - 1e-9]


def subtree_leaves(tree: Tree, node: int) -> list[int]:
    """The leaves below a node."""
    if tree.is_leaf(node):
        return [node]
    return [leaf for child in tree.children(node) for leaf in subtree_leaves(tree, child)]


def errors_at(tree: Tree, target: Sequence[Any], passed: np.ndarray) -> list[int]:
    """Errors of rows at every node as a leaf; `passed` has 1 where a row (line) passes a node (column)."""
    labels = tree.schema.classes[tree.label]
    return [
        int(sum(passed[i, node] and target[i] != labels[node] for i in range(len(target))))
        for node in range(len(tree))
    ]


def reduced_error(tree: Tree, errors: Sequence[float], node: int = 0) -> tuple[float, list[int]]:
    """Bottom-up reduced-error pruning: errors of what is left below a node, and the nodes made leaves."""
    if tree.is_leaf(node):
        return errors[node], []
    below = [reduced_error(tree, errors, child) for child in tree.children(node)]
    kept = sum(cost for cost, _ in below)
    if errors[node] <= kept:
        return errors[node], [node]
    return kept, [pruned for _, nodes in below for pruned in nodes]


def structural_risk(tree: Tree, n_splits: float, delta: float, node: int = 0) -> tuple[float, int, list[int]]:
    """The bottom-up pass with the penalty: errors and nodes of what is left, and the nodes made leaves."""
    errors = tree.weight[node] - tree.node_value[node].max()
    if tree.is_leaf(node):
        return errors, 1, []
    below = [structural_risk(tree, n_splits, delta, child) for child in tree.children(node)]
    kept, size = sum(e for e, _, _ in below), 1 + sum(s for _, s, _ in below)
    depth = int(tree.node_depth[node])
    alpha = sqrt(((depth + size) * log(n_splits) + log(1 / delta)) / tree.count[node])
    m = tree.weight[node]
    if kept / m + alpha > errors / m:
        return errors, 1, [node]
    return kept, size, [pruned for _, _, nodes in below for pruned in nodes]


Test = tuple[str, Any]


def post_pruned(
    rules: list[tuple[list[Test], Any]], X: pd.DataFrame, y: list[Any], weight: list[float]
) -> list[tuple[list[Test], Any, float]]:
    """Convert, drop what improves the accuracy most while anything does, sort: slow, from the text."""

    def accuracy(tests: list[Test], label: Any) -> float:
        here = [row for row in range(len(y)) if all(X[name].iloc[row] == value for name, value in tests)]
        right = sum(weight[row] for row in here if y[row] == label)
        return right / sum(weight[row] for row in here) if here else 0.0

    found = []
    for conditions, label in rules:
        tests = conditions
        while tests:
            shorter = [tests[:place] + tests[place + 1 :] for place in range(len(tests))]
            best = max(shorter, key=lambda one: accuracy(one, label))
            if accuracy(best, label) <= accuracy(tests, label) + 1e-12:
                break
            tests = best
        found.append((tests, label, accuracy(tests, label)))
    return sorted(found, key=lambda rule: -round(rule[2], 12))


def preconditions(rule: Rule, schema: Any) -> list[Test]:
    names = [schema.columns[condition.feature] for condition in rule.conditions]
    return [
        (column.name, column.categories[next(iter(condition.codes))])
        for column, condition in zip(names, rule.conditions, strict=True)
    ]
