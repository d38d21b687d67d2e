"""S3: speaker's notes on trees."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log, log2, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, f_oneway
from sklearn.metrics import log_loss

import treewright as tw
from helpers.prunings import all_prunings, leaves_of
from lectures import slow
from lectures.items import item
from lectures.s2 import follow_best_first
from lectures.timing import seconds
from treewright import criteria, pruning
from treewright.pruning.losses import training_errors
from treewright.tree import Tree
from treewright.tree.splits import Sphere

Names = SimpleNamespace


@item
def _(at: Names, model: Any) -> str:
    """S3.1 (43–44): Spheres (general hyperplanes: S0.6)

    tw.DecisionTreeClassifier(splits=('sphere',), max_depth=1).fit(X, X.p**2 + X.q**2 < 1)
    """
    split = model.tree_[0].split
    assert isinstance(split, Sphere)
    away = at.X.to_numpy()[:, list(split.features)] - np.array(split.centres)
    inside = (np.array(split.scales) * away**2).sum(axis=1) <= split.threshold
    assert np.array_equal(model.apply(at.X) == 1, inside)
    assert model.score(at.X, at.X.p**2 + at.X.q**2 < 1) > 0.9
    return "`Σ s (x − c)² ≤ r²` at the root"


@item
def _(at: Names, model: Any) -> str:
    """S3.2 (51–54): Splits from X₁ … X_n alone; leaves are labelled as always

    tw.DecisionTreeClassifier(splits=('median',), max_depth=3).fit(X, y)
    """
    other = tw.DecisionTreeClassifier(splits=("median",), max_depth=3).fit(at.X, np.roll(at.y, 50))
    assert model.tree_.threshold.tolist() == other.tree_.threshold.tolist()
    leaf = model.apply(at.X)
    sizes = Counter(leaf.tolist())
    assert max(sizes.values()) - min(sizes.values()) <= 1
    for node in sizes:
        own = at.y[leaf == node]
        assert model.predict(at.X)[leaf == node][0] == slow.most_common(own.tolist(), ["no", "yes"])
    return f"eight leaves of {min(sizes.values())} rows each, whatever the labels"


@item
def _(at: Names, classes: Any, numbers: Any, costly: Any) -> str:
    """S3.3 (71–80): Losses: zero-one, squared, log likelihood; ŷ(j) of a leaf

    tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    tw.DecisionTreeRegressor(max_depth=2).fit(X, X.p)
    tw.DecisionTreeClassifier(max_depth=2, costs=[[0, 1], [5, 0]]).fit(X, y)
    """
    for model, target in ((classes, at.y), (numbers, at.X.p.to_numpy()), (costly, at.y)):
        leaf, said = model.apply(at.X), model.predict(at.X)
        for node in set(leaf.tolist()):
            own, here = target[leaf == node], said[leaf == node]
            if model is numbers:
                assert here == pytest.approx(own.mean())
                continue
            shares = np.array([np.mean(own == label) for label in ("no", "yes")])
            if model is classes:
                assert here[0] == ("no", "yes")[int(np.argmax(shares))]
                assert model.predict_proba(at.X)[leaf == node][0] == pytest.approx(shares)
            else:
                assert here[0] == ("no", "yes")[int(np.argmin(shares @ np.array([[0, 1], [5, 0]])))]
    return "majority, shares, mean, and under costs the cheapest"


@item
def _(at: Names, label: str, number: float, shares: Any) -> str:
    """S3.4 (83–85, 93–95): Centroid y*(j) = argmin E[ℓ(Y, ŷ) given j]; the best label of a leaf

    criteria.centroid('error', ['a', 'b', 'b'])
    criteria.centroid('squared_error', [1, 2, 6])
    criteria.centroid('log_loss', ['a', 'b', 'b', 'b'])
    """
    own = ["a", "b", "b"]
    assert label == min("ab", key=lambda guess: sum(c != guess for c in own))
    grid = np.linspace(0, 7, 7001)
    assert number == pytest.approx(grid[np.argmin([np.mean((np.array([1, 2, 6]) - g) ** 2) for g in grid])])
    chance = np.linspace(0.001, 0.999, 999)
    assert shares[0] == pytest.approx(chance[np.argmin(-(np.log2(chance) + 3 * np.log2(1 - chance)) / 4)])
    return f"{label}, {number:g}, ({', '.join(f'{share:g}' for share in shares)})"


@item
def _(at: Names, error: float, square: float, bits: float, model: Any) -> str:
    """S3.5 (87–91, 99, 139–145): Leaf impurity I(j) = E[ℓ(Y, y*(j)) given j]; R_opt = Σ P(j) I(j)

    criteria.impurity('error', [1, 3])
    criteria.impurity('squared_error', [1, 2, 6])
    criteria.impurity('log_loss', [1, 3])
    tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    """
    assert error == 1 / 4
    assert square == pytest.approx(np.mean([(y - 3) ** 2 for y in (1, 2, 6)]))
    assert bits == pytest.approx((-log2(1 / 4) - 3 * log2(3 / 4)) / 4)
    tree = model.tree_
    risk = tree.risk[tree.leaves].sum() / tree.weight[0]
    by_hand = sum(
        np.mean(model.apply(at.X) == leaf) * slow.error(at.y[model.apply(at.X) == leaf].tolist())
        for leaf in tree.leaves
    )
    assert risk == pytest.approx(by_hand) == pytest.approx(np.mean(model.predict(at.X) != at.y))
    return f"{error:g}, {square:.3f}, {bits:.3f} bits; R_opt {risk:.3f}"


@item
def _(at: Names, error: float, square: float, bits: float) -> str:
    """S3.6 (99–107): Divergence d(j, ŷ), the increase in risk; lemma: never negative

    criteria.divergence('error', ['a', 'b', 'b', 'b'], 'a')
    criteria.divergence('squared_error', [1, 2, 6], 5)
    criteria.divergence('log_loss', ['a', 'b', 'b', 'b'], [0.5, 0.5])
    """
    assert error == pytest.approx(3 / 4 - 1 / 4)
    assert square == pytest.approx(
        np.mean([(y - 5) ** 2 for y in (1, 2, 6)]) - np.mean([(y - 3) ** 2 for y in (1, 2, 6)])
    )
    assert bits == pytest.approx(1 - slow.entropy(["a", "b", "b", "b"]))
    rng = np.random.default_rng(0)
    for _ in range(100):
        own = rng.integers(0, 3, rng.integers(1, 9)).tolist()
        shares = rng.dirichlet([1, 1, 1])
        assert criteria.divergence("error", own, int(rng.integers(3))) >= 0
        assert criteria.divergence("squared_error", own, rng.normal()) >= 0
        assert criteria.divergence("log_loss", own, shares, classes=[0, 1, 2]) >= 0
    return f"{error:g}, {square:g}, {bits:.3f} bits; never negative for 300 random leaves"


@item
def _(at: Names, pruned: Any, judged: float) -> str:
    """S3.7 (75, 203): The loss −log P̂(y) as risk: pruning and judging by log likelihood on other rows

    tw.prune(m, pruning.CostComplexity(holdout=True, risk='log_loss'), V, v)
    evaluate(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), V, v).log_loss
    """
    path = pruned.path_
    for point in path:
        model = tw.prune(at.m, lambda _, tree=point.tree: tree)
        assert point.held_out == pytest.approx(log_loss(at.v, model.predict_proba(at.V)) / log(2), rel=1e-6)
        tree = point.tree
        entropy = [
            tree.weight[leaf] * criteria.impurity("entropy", tree.node_value[leaf]) for leaf in tree.leaves
        ]
        assert point.risk == pytest.approx(sum(entropy) / tree.weight[0], abs=1e-12)
    assert path[path.chosen].held_out == min(point.held_out for point in path)
    shallow = tw.DecisionTreeClassifier(max_depth=2).fit(at.X, at.y)
    assert judged == pytest.approx(log_loss(at.v, shallow.predict_proba(at.V)))
    return f"{pruned.get_n_leaves()} leaves of the least log loss on other rows; {judged:.3f} for a tree of depth 2"


@item
def _(at: Names, merit: float) -> str:
    """S3.8 (111–117): Splitting never increases impurity, nor the overall risk

    criteria.merit('error', [[3, 2], [5, 0]])
    """
    assert merit == pytest.approx(0, abs=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(200):
        table = rng.integers(0, 9, (2, 3)) + 0.0
        for name in ("error", "gini", "entropy", "sqrt"):
            assert criteria.merit(name, table) >= -1e-12
        assert criteria.merit("squared_error", [rng.normal(size=4), rng.normal(size=3)]) >= -1e-12
    return "0, never below; 200 random splits"


@item
def _(at: Names, impurity: float, risk: float) -> str:
    """S3.9 (124–127): ΔI, and ΔR = P(j) ΔI

    T.merit[1]
    T.merit[1] * T.weight[1] / T.weight[0]
    """
    passed = at.m.decision_path(at.X).toarray().astype(bool)
    parts = [at.y[passed[:, child]].tolist() for child in at.T.children(1)]
    assert impurity == pytest.approx(slow.gain(at.y[passed[:, 1]].tolist(), parts, slow.gini))

    def overall(tree: Tree) -> float:
        return float((tree.weight * tree.impurity)[tree.leaves].sum() / tree.weight[0])

    before = at.T.collapse([1, 2])
    after = at.T.collapse([2, *at.T.children(1)])
    assert risk == pytest.approx(overall(before) - overall(after))
    return f"{impurity:.3f}, {risk:.3f}"


def held_to_least_gain(model: Any, X: pd.DataFrame, y: Any, least: float) -> int:
    """Every split gains more than so much, no leaf could have been split with such a gain; count the leaves."""
    tree, leaf = model.tree_, model.apply(X)
    assert (tree.merit[tree.n_children > 0] > least).all()
    for node in tree.leaves:
        rows = leaf == node
        if len(set(np.asarray(y)[rows])) > 1 and len(np.unique(X.to_numpy()[rows], axis=0)) > 1:
            best, _ = slow.best_cut(X.to_numpy()[rows], np.asarray(y)[rows], slow.gini)
            assert best <= least + 1e-9
    return int(tree.n_leaves)


@item
def _(at: Names, xor: Any, model: Any) -> str:
    """S3.10 (131): Stop: the best split does not reduce impurity

    tw.DecisionTreeClassifier(min_gain=0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    tw.DecisionTreeClassifier(min_gain=0).fit(X, y)
    """
    assert xor.get_n_leaves() == 1
    assert tw.DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).get_n_leaves() == 4
    held_to_least_gain(model, at.X, at.y, 0.0)
    return "XOR stays a single leaf, as no split reduces the impurity there"


@item
def _(at: Names, model: Any) -> str:
    """S3.11 (132–133): Stop: risk within T of the Bayes risk (size threshold: S0.25)

    tw.DecisionTreeClassifier(risk_threshold=0.05, bayes_risk=0.1, order='best_first').fit(X, y)
    """
    risk = np.mean(model.predict(at.X) != at.y)
    assert risk <= 0.15 + 1e-12
    order = pruning.early_stopping.best_first_order(model.tree_)
    before = model.tree_.collapse(order[-1:])
    assert before.risk[before.leaves].sum() / 200 > 0.15
    return f"{model.get_n_leaves()} leaves, risk {risk:.3f}; one split less is above 0.15"


@item
def _(at: Names, model: Any) -> str:
    """S3.12 (119–122, 147–152): For each dimension sort, split half-way, take the best; then the best dimension

    tw.DecisionTreeClassifier().fit(X, y)
    """
    tree, table = model.tree_, at.X.to_numpy()
    passed = model.decision_path(at.X).toarray().astype(bool)
    inner = [node for node in range(len(tree)) if not tree.is_leaf(node)]
    for node in inner:
        rows = passed[:, node]
        best, cuts = slow.best_cut(table[rows], at.y[rows], slow.gini)
        split = tree[node].split
        assert tree.merit[node] == pytest.approx(best)
        assert any(split.feature == d and split.threshold == pytest.approx(cut) for d, cut in cuts)
    return f"so it is at all {len(inner)} nodes"


@item
def _(at: Names, wide: Any, best: Any) -> str:
    """S3.13 (154–159): Split all nodes at each iteration, or the best node of the entire tree

    tw.DecisionTreeClassifier(order='breadth_first', max_nodes=15).fit(X, y)
    tw.DecisionTreeClassifier(order='best_first', max_leaf_nodes=6).fit(X, y)
    """
    tree = wide.tree_
    deepest = max(int(tree.node_depth[node]) for node in range(len(tree)) if not tree.is_leaf(node))
    for node in tree.leaves.tolist():
        if tree.node_depth[node] < deepest:  # all that can be split above the last level are
            assert tree.impurity[node] == 0
    follow_best_first(best, at.X, at.y, 5)
    return f"depth {tree.depth} and {best.tree_.depth}"


@item
def _(at: Names, tree: Tree) -> str:
    """S3.14 (165–166): Stop: all samples have the same feature vector, or the same label

    tw.DecisionTreeClassifier().fit([[1], [1], [2]], [0, 1, 0]).tree_
    """
    assert tree.node_value[tree.leaves].tolist() == [[1, 1], [1, 0]]
    return "two leaves: one of equal rows, one of equal labels"


@item
def _(at: Names, held_out: Any, crossed: Any, first: Any) -> str:
    """S3.15 (167): Stop: no improvement on a test set, or by cross-validation

    tw.DecisionTreeClassifier(early_stopping='holdout', random_state=0).fit(X, y)
    tw.DecisionTreeClassifier(early_stopping='cv', random_state=0).fit(X, y)
    tw.prune(m, pruning.EarlyStopping(patience=1), V, v)
    """
    for model in (held_out, crossed):
        path = model.path_
        assert path[path.chosen].tree == model.tree_
        later = [point.held_out for point in path if point.leaves > model.get_n_leaves()][-10:]
        assert min(later, default=1.0) >= path[path.chosen].held_out - 1e-12
    order = pruning.early_stopping.best_first_order(at.T)
    wrong = []
    for splits in range(len(order) + 1):
        stage = tw.prune(at.m, lambda tree, splits=splits: tree.collapse(order[splits:]))
        wrong.append(int((stage.predict(at.V) != at.v).sum()))
    stop = next(k for k in range(len(order)) if wrong[k + 1] >= wrong[k])
    assert first.get_n_leaves() == stop + 1
    return f"{held_out.get_n_leaves()} and {crossed.get_n_leaves()} leaves; with patience 1 at the first split that does not help"


@item
def _(at: Names, model: Any) -> str:
    """S3.16 (168): Stop: ΔI ≤ T for all splits

    tw.DecisionTreeClassifier(min_gain=0.03).fit(X, y)
    """
    leaves = held_to_least_gain(model, at.X, at.y, 0.03)
    assert 1 < leaves < at.T.n_leaves
    return f"{leaves} leaves instead of {at.T.n_leaves}; every split lowers its node's impurity by more than 0.03, none of a leaf would"


@item
def _(at: Names, grown: Tree, pruned: Tree, shortest: Tree) -> str:
    """S3.17 (169–173): α · nodes + impurity of all leaves; with entropy like MDL

    tw.DecisionTreeClassifier(complexity=0.004).fit(X, y).tree_
    tw.prune(tw.DecisionTreeClassifier(max_depth=4).fit(X, y), pruning.Penalised(0.02, risk='impurity')).tree_
    tw.prune(m, pruning.DescriptionLength()).tree_
    """
    share = grown.weight / grown.weight[0]
    inner = grown.n_children > 0
    assert (share * grown.merit)[inner].min() >= 2 * 0.004 - 1e-12  # what a split of two nodes must save
    tree = tw.DecisionTreeClassifier(max_depth=4).fit(at.X, at.y).tree_
    impure = tree.weight * tree.impurity / tree.weight[0]
    cost = {p: impure[list(p)].sum() + 0.02 * (2 * len(p) - 1) for p in all_prunings(tree)}
    assert cost[leaves_of(tree, pruned)] == pytest.approx(min(cost.values()))
    return f"{grown.n_leaves} leaves while growing, {pruned.n_leaves} by pruning, {shortest.n_leaves} by description length"


@item
def _(at: Names, model: Any) -> str:
    """S3.18 (175): Stop: a test of independence between X and Y

    tw.DecisionTreeRegressor(significance=0.05, max_depth=1).fit(X, X.p + X.q)
    """
    assert model.get_n_leaves() == 2
    kept = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        noise = rng.normal(size=(60, 2))
        target = noise[:, 0] * (seed % 3) / 2 + rng.normal(size=60)
        best = tw.DecisionTreeRegressor(max_depth=1).fit(noise, target)
        tested = tw.DecisionTreeRegressor(max_depth=1, significance=0.05).fit(noise, target)
        leaf = best.apply(noise)
        p = f_oneway(target[leaf == 1], target[leaf == 2]).pvalue * 2 * 59  # cuts of two features
        assert (tested.get_n_leaves() == 2) == (p <= 0.05)
        kept += tested.get_n_leaves() == 2
    assert 0 < kept < 20
    return "the F test, corrected for all cuts; categories: S1.16"


@item
def _(at: Names, model: Any) -> str:
    """S3.19 (181): Multivariate splits: steepest descent gives linear-time splitting (Chou)

    tw.DecisionTreeClassifier(splits=('hyperplane',), max_depth=1).fit(X, X.p + 2 * X.q > 0)
    """
    assert model.score(at.X, at.X.p + 2 * at.X.q > 0) > 0.98

    def took(n: int) -> float:
        X = np.random.default_rng(0).normal(size=(n, 3))
        return seconds(lambda: model.fit(X, X @ [1, 2, -1] > 0))

    assert took(16_000) < 4 * 8 * took(2_000)  # the square would take 64 times as long
    return "`w·x ≤ t` by descent along one weight at a time (OC1; Chou's is for groups of values, S3.22); eight times the rows take less than 32 times as long"


@item
def _(at: Names, tree: Tree, numbers: Tree) -> str:
    """S3.20 (182): Non-binary trees: several points optimised at the same time

    tw.DecisionTreeClassifier(splits=('interval',), max_intervals=4, max_depth=1).fit(X, y).tree_
    tw.DecisionTreeRegressor(splits=('interval',), max_intervals=4, max_depth=1).fit(X, X.q).tree_
    """
    assert len(tree.children(0)) == len(numbers.children(0)) == 4
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x, labels, z = rng.integers(0, 8, 16).astype(float), rng.integers(0, 3, 16), rng.normal(size=16)
        most = 2 + seed % 3
        values = np.unique(x)
        middles = ((values[:-1] + values[1:]) / 2).tolist()
        for target, impurity, learner in (
            (labels.tolist(), slow.gini, tw.DecisionTreeClassifier),
            (z.tolist(), np.var, tw.DecisionTreeRegressor),
        ):
            gains = {}  # by number of cuts
            for size in range(1, most):
                for cuts in combinations(middles, size):
                    branch = np.searchsorted(cuts, x)
                    parts = [
                        [c for c, b in zip(target, branch, strict=True) if b == at_]
                        for at_ in range(size + 1)
                    ]
                    gains[size] = max(gains.get(size, 0.0), slow.gain(target, parts, impurity))
            best = max(gains.values())
            fewest = min(size for size, value in gains.items() if value > best - 1e-9)
            grown = (
                learner(splits=("interval",), max_intervals=most, max_depth=1).fit(x[:, None], target).tree_
            )
            assert grown.merit[0] == pytest.approx(best)
            assert len(grown[0].split.cuts) == fewest
    return "the best of all ways to cut at most three times; of 40 random tables, classes and numbers, each"


def groupings(values: list[Any]) -> list[tuple[list[Any], list[Any]]]:
    """All ways of dividing values into two groups."""
    first, *rest = values
    found = []
    for size in range(len(rest)):
        for others in combinations(rest, size):
            group = [first, *others]
            found.append((group, [value for value in values if value not in group]))
    return found


@item
def _(at: Names, model: Any) -> str:
    """S3.21 (183): Categories: all ways of dividing the values into two groups

    tw.DecisionTreeClassifier(splits=('subset',), max_depth=1).fit(*cars)
    """

    def best_of(X: pd.DataFrame, labels: list[Any]) -> float:
        return max(
            slow.gain(
                labels,
                [[c for c, v in zip(labels, X[f], strict=True) if v in group] for group in pair],
                slow.gini,
            )
            for f in X
            for pair in groupings(list(X[f].cat.categories))
        )

    X, y = at.cars
    assert model.tree_.merit[0] == pytest.approx(best_of(X, y.tolist()))
    for seed in range(20):  # three classes, five values
        rng = np.random.default_rng(seed)
        table = pd.DataFrame({"a": pd.Categorical(rng.choice(list("uvwxy"), 40), categories=list("uvwxy"))})
        labels = rng.integers(0, 3, 40).tolist()
        found = tw.DecisionTreeClassifier(splits=("subset",), max_depth=1).fit(table, labels)
        assert found.tree_.merit[0] == pytest.approx(best_of(table, labels))
    return "the best of all, for two and for three classes"


def shares_by_value(column: Any, labels: list[Any], n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """The weight of each value and its class shares."""
    table = np.zeros((len(column.cat.categories), n_classes))
    np.add.at(table, (column.cat.codes, labels), 1)
    return table.sum(axis=1), table / table.sum(axis=1, keepdims=True)


@item
def _(at: Names, descent: Any, in_three: Any, exchange: Any) -> str:
    """S3.22 (183): … and steepest descent in linear time

    tw.DecisionTreeClassifier(category_search='descent', max_depth=1)
    tw.DecisionTreeClassifier(category_search='descent', max_groups=3, max_depth=1)
    tw.DecisionTreeClassifier(category_search='exchange', max_depth=1)
    """
    best = {"descent": 0, "exchange": 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        values = list("abcdefghijklmn")
        column = pd.Categorical(rng.permutation(np.repeat(values, 30)), categories=values)
        table = pd.DataFrame({"c": column})
        means = rng.dirichlet(np.ones(4), len(values)).cumsum(axis=1)[:, :-1]
        labels = (rng.random(len(column))[:, None] > means[column.codes]).sum(axis=1).tolist()
        weight, shares = shares_by_value(table["c"], labels, 4)
        for model in (descent, in_three):  # each value is nearest to the centroid of its own group
            split = model.fit(table, labels).tree_[0].split
            groups = [list(group) for group in split.groups]
            assert len(groups) == 2 + (model is in_three)
            centroids = [np.average(shares[group], axis=0, weights=weight[group]) for group in groups]
            for place, group in enumerate(groups):
                apart = [((shares[group] - centroid) ** 2).sum(axis=1) for centroid in centroids]
                assert (apart[place] <= np.min(apart, axis=0) + 1e-4).all()
        counts = shares * weight[:, None]
        right = (np.arange(1, 2 ** (len(values) - 1))[:, None] >> np.arange(len(values)) & 1) @ counts
        both = [right, counts.sum(axis=0) - right]
        after = sum(part.sum(axis=1) - (part**2).sum(axis=1) / part.sum(axis=1) for part in both)
        most = slow.gini(labels) - after.min() / len(labels)
        for name, model in (("descent", descent), ("exchange", exchange)):
            best[name] += model.fit(table, labels).tree_.merit[0] > most - 1e-9
    assert best["exchange"] >= best["descent"] > 0
    return (
        f"groups in which every value is nearest to its own centroid, two or three; of 40 tables of 14 values {best['descent']} are the "
        f"best of all groupings, by `category_search='exchange'`, the default, {best['exchange']}"
    )


@item
def _(at: Names, found: Any, tree: Tree) -> str:
    """S3.23 (184): More than two classes: two superclasses that reduce I most

    criteria.superclasses([[40, 5, 30, 0], [10, 45, 20, 50]])
    tw.DecisionTreeClassifier(criterion='twoing', max_depth=1).fit(*datasets.load_iris()).tree_
    """
    table = np.array([[40, 5, 30, 0], [10, 45, 20, 50]])

    def decrease(group: Any) -> float:
        inside = table[:, list(group)].sum(axis=1)
        return criteria.merit("gini", np.stack([inside, table.sum(axis=1) - inside], axis=1))

    best = max((group for size in (1, 2, 3) for group in combinations(range(4), size)), key=decrease)
    assert set(best) in (set(found[0]), set(found[1]))
    counts = tree.node_value[1:]
    pairs = [counts[:, [k]] for k in range(3)]
    grouped = max(
        criteria.merit("gini", np.hstack([pair, counts.sum(axis=1, keepdims=True) - pair])) for pair in pairs
    )
    assert tree.merit[0] == pytest.approx(grouped / 2)
    return f"{found[0]} against {found[1]}; of the irises {', '.join(f'{c:g}' for c in counts[0])} against the rest"


@item
def _(at: Names, greedy: Any, full: Any) -> str:
    """S3.24 (186–193): XOR with four examples might not be split; so split to one example per node, then prune

    tw.C45Classifier(min_samples_leaf=1).fit([['a', 'c'], ['a', 'd'], ['b', 'c'], ['b', 'd']], [0, 1, 1, 0])
    tw.DecisionTreeClassifier().fit([['a', 'c'], ['a', 'd'], ['b', 'c'], ['b', 'd']], [0, 1, 1, 0])
    """
    assert greedy.get_n_leaves() == 1
    assert full.tree_.count[full.tree_.leaves].tolist() == [1, 1, 1, 1]
    assert full.tree_.merit[0] == pytest.approx(0)
    kept = tw.prune(full, "reduced_error", [["a", "c"], ["a", "d"], ["b", "c"], ["b", "d"]], [0, 1, 1, 0])
    assert kept.get_n_leaves() == 4
    return "C4.5 has one leaf, a full tree four of one example each"


@item
def _(at: Names, pruned: Any) -> str:
    """S3.25 (199–211): REP: the smallest of the most accurate subtrees; each node visited once

    tw.prune(tw.DecisionTreeClassifier(max_depth=4).fit(X, y), pruning.ReducedError(), V, v)
    """
    model = tw.DecisionTreeClassifier(max_depth=4).fit(at.X, at.y)
    errors = slow.errors_at(model.tree_, at.v, model.decision_path(at.V).toarray())
    cost = {p: (sum(errors[leaf] for leaf in p), len(p)) for p in all_prunings(model.tree_)}
    assert cost[leaves_of(model.tree_, pruned.tree_)] == min(cost.values())
    visited = pruned.report_.node.tolist()
    assert sorted(visited) == np.flatnonzero(model.tree_.n_children).tolist()
    wrong, leaves = min(cost.values())
    return f"{leaves} leaves, {wrong} errors, the least of all {len(cost)} prunings"


def pessimistic(tree: Tree, se: float, node: int = 0) -> list[int]:
    """e'(t) ≤ e'(T(t)) + se · SE, from the top down; gives the nodes pruned."""
    if tree.is_leaf(node):
        return []
    leaves, errors = slow.subtree_leaves(tree, node), training_errors(tree)
    n = tree.weight[node]
    corrected = len(leaves) / 2 + sum(errors[j] for j in leaves)
    error = sqrt(max(corrected * (n - corrected) / n, 0.0))
    if errors[node] + 0.5 <= corrected + se * error + 1e-12:
        return [node]
    return [pruned for child in tree.children(node) for pruned in pessimistic(tree, se, child)]


@item
def _(at: Names, report: Any) -> str:
    """S3.26 (214–230): PEP: e'(t) = e(t) + ½, e'(T) = |L(t)|/2 + Σ e(j)

    tw.prune(tw.ID3Classifier().fit(*cars), pruning.Pessimistic(se=0)).report_
    """
    tree = tw.ID3Classifier().fit(*at.cars).tree_
    errors = training_errors(tree)
    for decision in report:
        leaves = slow.subtree_leaves(tree, decision.node)
        assert decision.after == pytest.approx(errors[decision.node] + 0.5)
        assert decision.before == pytest.approx(len(leaves) / 2 + sum(errors[j] for j in leaves))
    first = report[0]
    return f"at the root {first.after:g} against {first.before:g}: every leaf counts ½, also one without cars"


@item
def _(at: Names, stringent: Any, granted: Any) -> str:
    """S3.27 (232–239): PEP: prune if e'(t) ≤ e'(T), too stringent; or ≤ e'(T) + SE

    tw.prune(m, pruning.Pessimistic(se=0))
    tw.prune(m, pruning.Pessimistic())
    """
    assert stringent.tree_ == at.T.collapse(pessimistic(at.T, 0.0))
    assert granted.tree_ == at.T.collapse(pessimistic(at.T, 1.0))
    for seed in range(30):
        X, labels = slow.random_table(seed, 30)
        tree = tw.ID3Classifier().fit(X, labels).tree_
        assert pruning.Pessimistic()(tree) == tree.collapse(pessimistic(tree, 1.0))
    return f"{at.T.n_leaves} leaves become {stringent.get_n_leaves()} and {granted.get_n_leaves()}"


def minimum_error(tree: Tree, m: float, prior: np.ndarray, node: int = 0) -> tuple[float, list[int]]:
    """Expected error of a node, itself or backed up from its children, and the nodes pruned."""
    n = tree.weight[node]
    static = 1 - max((tree.node_value[node] + prior * m) / (n + m))
    if tree.is_leaf(node):
        return static, []
    below = [minimum_error(tree, m, prior, child) for child in tree.children(node)]
    backed = sum(tree.weight[child] / n * e for child, (e, _) in zip(tree.children(node), below, strict=True))
    if static <= backed + 1e-12:
        return static, [node]
    return backed, [pruned for _, nodes in below for pruned in nodes]


@item
def _(at: Names, trees: list[Tree], laplace: Tree) -> str:
    """S3.28 (245–259): MEP: (n_y + p(y) m)/(n + m), a node against its children; larger m prunes more; the number of classes matters

    [tw.prune(m, pruning.MinimumError(m=k)).tree_ for k in (0.5, 2, 20)]
    tw.prune(m, pruning.MinimumError(m=None)).tree_
    """
    prior = at.T.node_value[0] / at.T.weight[0]
    for tree, m in zip(trees, (0.5, 2, 20), strict=True):
        assert tree == at.T.collapse(minimum_error(at.T, m, prior)[1])
    assert laplace == at.T.collapse(minimum_error(at.T, 2, np.array([0.5, 0.5]))[1])
    sizes = [tree.n_leaves for tree in trees]
    assert sizes == sorted(sizes, reverse=True)
    return f"{', '.join(map(str, sizes))} leaves; by Laplace's estimate {laplace.n_leaves}"


def weakest_links(tree: Tree) -> list[tuple[float, int]]:
    """Prune the nodes of least α = (r(t) − r(T_t))/(L_t − 1), all equal ones together, until the root is left."""
    errors, n, found = training_errors(tree), tree.weight[0], []
    while len(tree) > 1:
        errors = training_errors(tree)
        alpha = {}
        for node in np.flatnonzero(tree.n_children).tolist():
            leaves = slow.subtree_leaves(tree, node)
            alpha[node] = (errors[node] - sum(errors[j] for j in leaves)) / n / (len(leaves) - 1)
        least = min(alpha.values())
        tree = tree.collapse([node for node in alpha if alpha[node] <= least + 1e-12])
        if found and abs(found[-1][0] - least) <= 1e-12:
            found.pop()  # what the same α prunes after the first
        found.append((least, tree.n_leaves))
    return found


@item
def _(at: Names, path: Any) -> str:
    """S3.29 (261–271): CCP: α = (r(t) − r(T))/(L − 1), the family T⁰ … T^L, equal α together

    tw.prune(m, pruning.CostComplexity(alpha=0.0)).path_
    """
    slowly = [(alpha, leaves) for alpha, leaves in weakest_links(at.T) if alpha > 1e-12]
    found = [(point.alpha, point.leaves) for point in path if point.alpha > 1e-12]
    assert [leaves for _, leaves in found] == [leaves for _, leaves in slowly]
    assert [alpha for alpha, _ in found] == pytest.approx([alpha for alpha, _ in slowly])
    return f"{len(path)} trees, of {', '.join(str(point.leaves) for point in path)} leaves"


@item
def _(at: Names, crossed: Any, held_out: Any) -> str:
    """S3.30 (272–282): … chosen by cross-validation, or by a pruning set

    tw.prune(m, pruning.CostComplexity(cv=np.arange(200) % 5), X, y)
    tw.prune(m, pruning.CostComplexity(holdout=True), V, v)
    """
    path, fold = crossed.path_, np.arange(200) % 5
    inside = [*np.sqrt(path.alpha[:-1] * path.alpha[1:]), np.inf]
    wrong = np.zeros(len(path))
    for one in range(5):
        model = tw.DecisionTreeClassifier().fit(at.X[fold != one], at.y[fold != one])
        for k, alpha in enumerate(inside):
            pruned = tw.prune(model, pruning.CostComplexity(alpha=min(alpha, 1e9)))
            wrong[k] += (pruned.predict(at.X[fold == one]) != at.y[fold == one]).sum()
    assert path.held_out == pytest.approx(wrong / 200)
    assert path.held_out[path.chosen] == path.held_out.min()
    for point in held_out.path_:
        model = tw.prune(at.m, lambda _, tree=point.tree: tree)
        assert point.held_out == pytest.approx(np.mean(model.predict(at.V) != at.v))
    assert held_out.path_[held_out.path_.chosen].held_out == min(held_out.path_.held_out)
    return f"{crossed.get_n_leaves()} and {held_out.get_n_leaves()} leaves"


@item
def _(at: Names, found: Any) -> str:
    """S3.31 (290–297): EBP: upper limit of the confidence interval, binomial; wider for fewer samples

    pruning.expected_errors([6, 9, 1, 16], [0, 0, 0, 1], cf=0.25, bound='binomial')
    """
    for rows, errors, total in zip((6, 9, 1, 16), (0, 0, 0, 1), found, strict=True):
        assert binom.cdf(errors, rows, total / rows) == pytest.approx(0.25, abs=1e-6)
    rates = [total / rows for total, rows in zip(found, (6, 9, 1, 16), strict=True)]
    assert rates[2] > rates[0] > rates[1]
    return f"rates {', '.join(f'{rate:.3f}' for rate in rates)}"


@item
def _(at: Names, pruned: Any, contracts: Any) -> str:
    """S3.32 (293, 298–301): EBP: bottom-up; leave alone, prune, or graft the largest sub-branch

    tw.prune(m, pruning.ErrorBased(cf=0.25), X, y)
    tw.C45Classifier(pruner=pruning.ErrorBased(cf=0.25), collapse=False).fit(*datasets.load_labor())
    """
    errors = training_errors(at.T)
    estimates = pruning.expected_errors(at.T.weight, errors, cf=0.25).tolist()

    def estimate(tree: Tree) -> float:
        return float(pruning.expected_errors(tree.weight, training_errors(tree), cf=0.25)[tree.leaves].sum())

    for decision in pruned.report_:
        if decision.action == "collapse":
            assert decision.after == pytest.approx(estimates[decision.node])
            assert decision.after <= decision.before + 0.1 + 1e-9
    assert estimate(pruned.tree_) < estimate(at.T)
    actions = Counter(decision.action for decision in contracts.report_)
    assert set(actions) == {"keep", "collapse", "raise"}
    words = ", ".join(f"{name} {times}" for name, times in sorted(actions.items()))
    return f"{at.T.n_leaves} leaves become {pruned.get_n_leaves()}; of the labour contracts {words}"


@item
def _(at: Names, tree: Tree) -> str:
    """S3.33 (314–317): Missing: ignore the sample only for that feature's split

    tw.DecisionTreeClassifier(missing='available', criterion='entropy', max_depth=1, max_competitors=3).fit(tennis[0].assign(Outlook=lacking.Outlook), tennis[1]).tree_
    """
    X, y = at.tennis[0].assign(Outlook=at.lacking.Outlook), at.tennis[1]
    merits = dict(
        zip(
            [tree.schema.names[split.feature] for split in (tree[0].split, *tree[0].competitors)],
            [tree.merit[0], *tree[0].competitor_merits],
            strict=True,
        )
    )
    for name, merit in merits.items():
        known = X[name].notna()
        labels = y[known].tolist()
        best = max(
            slow.gain(
                labels,
                [[c for c, v in zip(labels, X[name][known], strict=True) if v in group] for group in pair],
            )
            for pair in groupings(list(X[name].cat.categories))
        )
        assert merit == pytest.approx(known.mean() * best)
    return "Outlook is searched on the 12 days that have it, the others on all 14"


@item
def _(at: Names, numbers: list[Any], categories: Any) -> str:
    """S3.34 (319–324): Default value when classifying: mean, median, mode

    [tw.DecisionTreeClassifier(missing=how, max_depth=1).fit([[0], [1], [2], [3], [50]], [0, 0, 1, 1, 1]) for how in ('mean', 'median')]
    tw.ID3Classifier(missing='mode').fit(lacking, tennis[1])
    """
    values = np.array([0, 1, 2, 3, 50])
    for model, default in zip(numbers, (values.mean(), np.median(values)), strict=True):
        assert model.apply([[np.nan]]).tolist() == model.apply([[default]]).tolist()
        assert model.tree_[0].split.threshold == 1.5
    common = Counter(at.lacking.Outlook.dropna()).most_common(1)[0][0]
    missing = pd.DataFrame(
        {"Outlook": pd.Categorical([None, common], categories=at.lacking.Outlook.cat.categories)}
    )
    assert len(set(categories.apply(missing).tolist())) == 1
    return f"a row without the value goes where {values.mean():g}, {np.median(values):g} or {common} goes"


@item
def _(at: Names, node: Any) -> str:
    """S3.35 (325–328): Surrogate splits: of each remaining feature the most similar, by samples that "go the wrong way"; sorted

    tw.DecisionTreeClassifier(missing='surrogate', max_depth=1).fit(*datasets.load_iris()).tree_[0]
    """
    for seed in range(8):
        rng = np.random.default_rng(seed)
        table = rng.normal(size=(40, 4)) + rng.normal(size=(40, 1))
        labels = (table[:, 0] + rng.normal(size=40) > 0).astype(int)
        model = tw.DecisionTreeClassifier(missing="surrogate", max_depth=1).fit(table, labels)
        root = model.tree_[0]
        left = table[:, root.split.feature] <= root.split.threshold
        majority = max(left.mean(), 1 - left.mean())
        agreements = {}
        for feature in range(4):
            if feature == root.split.feature:
                continue
            values = np.unique(table[:, feature])
            cuts = (values[:-1] + values[1:]) / 2
            sides = [table[:, feature] <= cut for cut in cuts]
            sides = [side for side in sides if 2 <= side.sum() <= 38]  # two rows each way
            agreements[feature] = max(max(np.mean(side == left), np.mean(side != left)) for side in sides)
        expected = sorted((value for value in agreements.values() if value > majority + 1e-9), reverse=True)
        assert root.agreements == pytest.approx(expected)
    assert node.agreements == sorted(node.agreements, reverse=True)
    names = [
        split.condition(tw.DecisionTreeClassifier().fit(*tw.datasets.load_iris()).tree_.schema, 0)
        for split in node.surrogates
    ]
    return f"`{names[0]}` agrees on {node.agreements[0]:.3f} of the rows, and so on; who is left out is said (`treewright show --node`)"
