"""S2: Vandin, decision tree and random forest."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

import treewright as tw
from helpers.prunings import all_prunings, leaves_of
from lectures import slow
from lectures.items import item
from treewright.pruning.losses import training_errors

Names = SimpleNamespace


@item
def _(at: Names, scores: list[float]) -> str:
    """S2.1 (25–32): Proposition: some tree equals any f on {0, 1}^d

    [tw.DecisionTreeClassifier().fit(B, f).score(B, f) for f in product([0, 1], repeat=8)]
    """
    assert len(scores) == 2**8
    assert set(scores) == {1.0}
    return "all 256 functions of d = 3"


@item
def _(at: Names, found: int) -> str:
    """S2.2 (36–38): VC dimension 2^d

    bounds.vc_all_boolean(3)
    """
    assert found == 2**3  # S2.1 labels all eight points in every way, and there are no more
    return str(found)


@item
def _(at: Names, model: Any) -> str:
    """S2.3 (46–47): Limits: maximal depth, minimal number of samples of a leaf

    tw.DecisionTreeClassifier(max_depth=2, min_samples_leaf=9).fit(X, y)
    """
    sizes = Counter(model.apply(at.X).tolist())
    assert model.get_depth() <= 2
    assert min(sizes.values()) >= 9
    return f"depth {model.get_depth()}, no leaf of fewer than {min(sizes.values())} rows"


@item
def _(at: Names, pruned: Any) -> str:
    """S2.4 (48): L_S(h) + R(h)

    tw.prune(tw.DecisionTreeClassifier(max_depth=4).fit(X, y), pruning.Penalised(0.01)).tree_
    """
    tree = tw.DecisionTreeClassifier(max_depth=4).fit(at.X, at.y).tree_
    errors = training_errors(tree)
    cost = {p: errors[list(p)].sum() / 200 + 0.01 * (2 * len(p) - 1) for p in all_prunings(tree)}
    assert cost[leaves_of(tree, pruned)] == pytest.approx(min(cost.values()))
    return f"{pruned.n_leaves} leaves, the least of all {len(cost)} prunings; R is α · nodes"


def follow_best_first(model: Any, X: pd.DataFrame, labels: np.ndarray, n_splits: int) -> None:
    """From a single leaf on the best split of all leaves, one at a time, is the one that the tree has."""
    tree, table = model.tree_, X.to_numpy()
    passed = model.decision_path(X).toarray().astype(bool)
    frontier = {0}
    for _ in range(n_splits):
        gains = {}
        for node in frontier:
            rows = passed[:, node]
            if len(set(labels[rows])) > 1:
                gains[node] = rows.mean() * slow.best_cut(table[rows], labels[rows], slow.gini)[0]
        best = max(gains.values())
        chosen = next(node for node in gains if gains[node] >= best - 1e-9 and not tree.is_leaf(node))
        assert tree.merit[chosen] * tree.weight[chosen] / tree.weight[0] == pytest.approx(best)
        frontier = frontier - {chosen} | set(tree.children(chosen))
    assert all(tree.is_leaf(node) for node in frontier)


@item
def _(at: Names, model: Any) -> str:
    """S2.5 (64–72): The greedy scheme: from a single leaf on, the best split of a leaf, one at a time

    tw.DecisionTreeClassifier(order='best_first', max_leaf_nodes=6).fit(X, y)
    """
    follow_best_first(model, at.X, at.y, 5)
    return "five times the best split of all leaves"


@item
def _(at: Names, model: Any) -> str:
    """S2.6 (76–100): ID3(S, A)

    tw.ID3Classifier(criterion='error').fit(B, b)
    """
    assert model.score(at.B, at.b) == 1
    for seed in range(40):
        X, labels = slow.random_table(seed, n_values=2)
        labels = [label % 2 for label in labels]
        fitted = tw.ID3Classifier(criterion="error").fit(X, labels)
        order = sorted(set(labels))
        assert slow.nested(fitted.tree_) == slow.id3(
            slow.rows_of(X), labels, slow.domains_of(X), order, slow.error
        )
    return "40 random tables node for node, features of one value passed over"


@item
def _(at: Names, model: Any) -> str:
    """S2.7 (90–92): … "if all examples have the same value of x_j: return a leaf"

    tw.ID3Classifier(criterion='error', stop_on_constant=True).fit(B, b)
    """
    differ = 0
    for seed in range(200):
        X, labels = slow.random_table(seed, 5 + seed % 9, n_values=2)
        labels = [label % 2 for label in labels]
        own = slow.id3(
            slow.rows_of(X), labels, slow.domains_of(X), sorted(set(labels)), slow.error, stops=True
        )
        fitted = tw.ID3Classifier(criterion="error", stop_on_constant=True).fit(X, labels)
        assert slow.nested(fitted.tree_) == own
        differ += slow.nested(tw.ID3Classifier(criterion="error").fit(X, labels).tree_) != own
    assert differ > 5
    assert model.score(at.B, at.b) == 1
    return f"200 random tables node for node; without it {differ} of them differ"


@item
def _(at: Names, gain: float, entropy: float, gini: float) -> str:
    """S2.8 (108–134): C(a) = min{a, 1 − a}, error before and after, Gain; C of information gain and Gini

    criteria.merit('error', [[3, 2], [5, 0]])
    criteria.impurity('entropy', [8, 2])
    criteria.impurity('gini', [8, 2])
    """
    assert gain == pytest.approx(0.2 - (0.5 * 0.4 + 0.5 * 0), abs=1e-12)
    assert entropy == pytest.approx(-0.8 * np.log2(0.8) - 0.2 * np.log2(0.2))
    assert gini == pytest.approx(2 * 0.2 * 0.8)
    return f"{abs(gain):.2f}, {entropy:.3f}, {gini:.2f}"


@item
def _(at: Names, model: Any) -> str:
    """S2.9 (138–152): Real values: thresholds θ_{j,i}, binary features x < θ, then the binary algorithm

    tw.DecisionTreeClassifier(criterion='error', max_depth=3, ties='first').fit(X, y)
    """

    def binary(table: pd.DataFrame) -> pd.DataFrame:
        columns = {}
        for name in at.X:
            values = np.unique(at.X[name])
            for cut in values[:-1] / 2 + values[1:] / 2:
                columns[f"{name} < {cut}"] = table[name].to_numpy() < cut
        return pd.DataFrame(columns)

    twin = tw.DecisionTreeClassifier(criterion="error", max_depth=3, ties="first").fit(binary(at.X), at.y)
    leaves, of_twin = (sorted(tree.node_value[tree.leaves].tolist()) for tree in (model.tree_, twin.tree_))
    assert leaves == of_twin
    assert (model.predict(at.X) == twin.predict(binary(at.X))).all()
    return "the same answers as on the binary features"


@item
def _(at: Names, model: Any) -> str:
    """S2.10 (159): "scikit-learn uses an implementation of CART"

    tw.DecisionTreeRegressor(max_depth=4, min_samples_leaf=10).fit(X, X.p**2 + X.q)
    """
    peer = DecisionTreeRegressor(max_depth=4, min_samples_leaf=10, random_state=0)
    peer.fit(at.X, at.X.p**2 + at.X.q)
    assert model.predict(at.V) == pytest.approx(peer.predict(at.V))
    return "predicts as scikit-learn's"


@item
def _(at: Names, model: Any) -> str:
    """S2.11 (160–163): Regression: squared loss, mean of a leaf, mean squared error

    tw.DecisionTreeRegressor(max_depth=1).fit(X, X.p**2)
    """
    leaf, target = model.apply(at.X), at.X.p.to_numpy() ** 2
    for node in (1, 2):
        own = target[leaf == node]
        assert model.tree_.node_value[node, 0] == pytest.approx(own.mean())
        assert model.tree_.risk[node] / len(own) == pytest.approx(((own - own.mean()) ** 2).mean())
    best, cuts = min(
        (sum(((part - part.mean()) ** 2).sum() for part in (target[side], target[~side])), cut)
        for cut in (np.sort(at.X.p)[:-1] + np.sort(at.X.p)[1:]) / 2
        for side in [at.X.p.to_numpy() <= cut]
    )
    assert model.tree_.risk[1:].sum() == pytest.approx(best)
    assert model.tree_[0].split.threshold == pytest.approx(cuts)
    return f"means {model.tree_.node_value[1, 0]:.2f} and {model.tree_.node_value[2, 0]:.2f}, the least squared error of all cuts"


@item
def _(at: Names, forest: Any) -> str:
    """S2.12 (178): Random forest: majority vote over the trees

    tw.RandomForestClassifier(15, vote='hard', random_state=0).fit(X, y)
    """
    votes = np.array([tree.predict(at.V) for tree in forest.estimators_])
    if votes.dtype.kind in "if":  # trees of a forest may know classes by their numbers
        votes = forest.classes_[votes.astype(int)]
    expected = [Counter(column).most_common(1)[0][0] for column in votes.T]
    assert forest.predict(at.V).tolist() == expected
    return "with `vote='hard'`; the default averages the shares of the leaves"


@item
def _(at: Names, forest: Any) -> str:
    """S2.13 (179): … average of the trees

    tw.RandomForestRegressor(10, random_state=0).fit(X, X.p * X.q)
    """
    trees = np.array([tree.predict(at.V) for tree in forest.estimators_])
    assert forest.predict(at.V) == pytest.approx(trees.mean(axis=0))
    return "the mean of the ten trees"


@item
def _(at: Names, samples: Any) -> str:
    """S2.14 (189): … S' of size m drawn uniformly from S

    tw.RandomForestClassifier(200, max_depth=1, random_state=0).fit(X, y).estimators_samples_
    """
    assert all(len(rows) == 200 for rows in samples)
    times = np.bincount(np.concatenate(samples), minlength=200)
    assert abs(times.mean() - 200) < 1e-9
    assert np.abs(times - 200).max() < 5 * np.sqrt(200)
    share = np.mean([len(np.unique(rows)) / 200 for rows in samples])
    assert share == pytest.approx(1 - np.exp(-1), abs=0.01)
    return f"200 of 200 rows with replacement, {share:.2f} of them different"


@item
def _(at: Names, forest: Any) -> str:
    """S2.15 (190–191): … at each split the best of k features drawn at random

    tw.RandomForestClassifier(40, max_features=2, criterion='entropy', splits=('multiway',), random_state=0).fit(*tennis)
    """
    X, y = at.tennis
    used: Counter[str] = Counter()
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        grown = getattr(tree, "tree_", tree)
        labels = y.iloc[rows].tolist()
        gains = {}
        for name in X:
            drawn = X[name].iloc[rows].to_numpy()
            gains[name] = slow.gain(
                labels, [[c for c, v in zip(labels, drawn, strict=True) if v == a] for a in set(drawn)]
            )
        if grown.is_leaf(0):
            continue
        chosen = grown.schema.names[grown[0].split.feature]
        used[chosen] += 1
        assert gains[chosen] >= sorted(gains.values())[1] - 1e-9  # the better of some two
    assert len(used) >= 3
    return f"at the root {', '.join(f'{name} {times}' for name, times in used.most_common())} times"
