"""S4: Stein and Lettmann, decision tree algorithms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise, permutations, product
from math import log, log2
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from lectures import slow
from lectures.items import item
from lectures.s3 import groupings
from lectures.timing import seconds
from treewright import bounds
from treewright.tree import Tree
from treewright.tree.splits import Table, Threshold

Names = SimpleNamespace

MUSHROOMS = """\
red small yes toxic
brown small no edible
brown large yes edible
green small no edible
red large no edible"""
"""The table of lines 160–165."""


@item
def _(at: Names, tree: Tree) -> str:
    """S4.1 (36–42): ID3: one nominal feature, its complete domain; criterion information gain

    tw.ID3Classifier().fit(*cars).tree_
    """
    for node in range(len(tree)):
        split = tree[node].split
        if split is None:
            continue
        assert isinstance(split, Table)
        domain = tree.schema.columns[split.feature].categories
        assert [list(group) for group in split.groups] == [[code] for code in range(len(domain))]
    X, y = at.cars
    gains = {
        name: slow.gain(
            y.tolist(), [y[(X[name] == value).to_numpy()].tolist() for value in X[name].cat.categories]
        )
        for name in X
    }
    assert tree.merit[0] == pytest.approx(max(gains.values()))
    return (
        f"every split on one feature, a branch for each of its values; gain {tree.merit[0]:.3f} at the root"
    )


@item
def _(at: Names, tree: Tree) -> str:
    """S4.2 (44–145): ID3(D, Features), in words and as pseudo-code; an empty D_a takes label(t)

    tw.ID3Classifier().fit(*mushrooms).tree_
    """
    X, y = at.mushrooms
    order = list(y.cat.categories)
    assert slow.nested(tree) == slow.id3(slow.rows_of(X), y.tolist(), slow.domains_of(X), order)
    empty = 0
    for seed in range(60):
        X, labels = slow.random_table(seed, 8)
        model = tw.ID3Classifier().fit(X, labels)
        own = slow.id3(slow.rows_of(X), labels, slow.domains_of(X), sorted(set(labels)))
        assert slow.nested(model.tree_) == own
        empty += int((model.tree_.count[model.tree_.leaves] == 0).sum())
    assert empty > 20
    return f"60 random tables node for node, {empty} empty branches among them"


@item
def _(at: Names, found: Any) -> str:
    """S4.3 (156–165): The five mushrooms

    datasets.load_mushrooms()
    """
    return slow.same_table(*found, MUSHROOMS)


@item
def _(at: Names, branches: Any) -> str:
    """S4.4 (173–177): D by color: red 1 1, brown 0 2, green 0 1

    [(b.condition, b.counts) for b in tw.ID3Classifier(trace=True).fit(*mushrooms).trace_[0].candidates[0].branches]
    """
    assert [counts for _, counts in branches] == [(1, 1), (0, 2), (0, 1)]
    assert [condition for condition, _ in branches] == ["Color = red", "Color = brown", "Color = green"]
    return "; ".join(
        f"{condition}: {counts[0]:g} toxic, {counts[1]:g} edible" for condition, counts in branches
    )


@item
def _(at: Names, shares: dict[str, float]) -> str:
    """S4.5 (187–189): P̂(Color = red) = .4, brown .4, green .2

    {b.condition: b.share for b in tw.ID3Classifier(trace=True).fit(*mushrooms).trace_[0].candidates[0].branches}
    """
    assert list(shares.values()) == pytest.approx([2 / 5, 2 / 5, 1 / 5])
    return ", ".join(f"{condition} {share:g}" for condition, share in shares.items())


@item
def _(at: Names, found: dict[str, float]) -> str:
    """S4.6 (201–221): H(A given B): color .4, size ≈ .55, points .4

    {c.feature: c.impurity for c in tw.ID3Classifier(trace=True).fit(*mushrooms).trace_[0].candidates}
    """
    size = 3 / 5 * -(1 / 3 * log2(1 / 3) + 2 / 3 * log2(2 / 3))
    assert list(found.values()) == pytest.approx([0.4, size, 0.4])
    return (
        ", ".join(f"{name} {value:.3f}" for name, value in found.items())
        + " (line 203 has a slip that 217 mends)"
    )


@item
def _(at: Names, account: Any) -> str:
    """S4.7 (224–225): Smallest H(A given B) is largest gain: color and points

    tw.ID3Classifier(trace=True).fit(*mushrooms).trace_[0]
    """
    gains = {c.feature: c.gain for c in account.candidates}
    after = {c.feature: c.impurity for c in account.candidates}
    assert all(gains[name] == pytest.approx(account.impurity - after[name]) for name in gains)
    best = [name for name in gains if gains[name] >= max(gains.values()) - 1e-9]
    assert best == ["Color", "Points"]
    assert "as is that of Points" in account.reason
    return account.reason


@item
def _(at: Names, first: Tree, second: Tree) -> str:
    """S4.8 (231–245): The tree before the first and before the second recursion step

    tw.ID3Classifier(max_depth=0).fit(*mushrooms).tree_
    tw.ID3Classifier(ties=['Points', 'Color', 'Size'], max_depth=1).fit(*mushrooms).tree_
    """
    assert slow.nested(first) == "edible"
    feature, branches = slow.nested(second)
    assert feature == "Points"
    assert (first.node_value[0].tolist(), second.node_value[1:].tolist()) == ([1, 4], [[1, 1], [0, 3]])
    assert list(branches) == ["yes", "no"]
    return "a single leaf, edible; then Points"


@item
def _(at: Names, tree: Tree) -> str:
    """S4.9 (249–252): The final tree: Points, then Color

    tw.ID3Classifier(ties=['Points', 'Color', 'Size']).fit(*mushrooms).tree_
    """
    colors = {"red": "toxic", "brown": "edible", "green": "toxic"}
    assert slow.nested(tree) == ("Points", {"yes": ("Color", colors), "no": "edible"})
    return "Points at the root, Color below yes"


@item
def _(at: Names, found: Any) -> str:
    """S4.10 (254): Break of a tie: D_green is toxic

    tw.ID3Classifier(ties=['Points', 'Color', 'Size']).fit(*mushrooms).predict(pd.DataFrame({'Color': ['green'], 'Size': ['small'], 'Points': ['yes']}))
    """
    assert list(at.mushrooms[1].cat.categories) == ["toxic", "edible"]
    assert found.tolist() == ["toxic"]
    return "toxic, the first of the classes; from a file with `--classes toxic,edible`"


@item
def _(at: Names, found: int) -> str:
    """S4.11 (258–269): Search space: the p! orders of the features; its figure

    bounds.orderings(3)
    """
    assert found == len(list(permutations(at.mushrooms[0].columns))) == 6
    return f"{found} orders of the mushrooms' features"


@item
def _(at: Names, found: int) -> str:
    """S4.12 (270–272): Hypothesis space: at most 2^|D| trees; p! may be smaller or larger

    bounds.hypotheses(5)
    """
    assert found == len(list(product(["toxic", "edible"], repeat=5))) == 32
    assert bounds.orderings(3) < bounds.hypotheses(5) < bounds.orderings(5)
    return f"{found}; 3! is smaller, 5! larger"


@item
def _(at: Names, model: Any) -> str:
    """S4.13 (273): Time of ID3, O(p² n)

    tw.ID3Classifier(n_jobs=1).fit(*mushrooms)
    """

    def took(n: int, p: int) -> float:
        rng = np.random.default_rng(0)
        X = pd.DataFrame({f"f{j}": pd.Categorical(rng.integers(0, 2, n)) for j in range(p)})
        y = rng.integers(0, 2, n)
        return seconds(lambda: model.fit(X, y))

    base = took(4_000, 4)
    assert took(32_000, 4) < 4 * 8 * base
    assert took(4_000, 8) < 4 * 4 * base
    return "eight times the rows take less than 32 times as long, twice the features less than 16 times"


@item
def _(at: Names, depth: int) -> str:
    """S4.14 (285): On a branch at most as many decisions as features

    tw.ID3Classifier().fit(*cars).tree_.depth
    """
    assert depth <= at.cars[0].shape[1]
    for seed in range(20):
        X, labels = slow.random_table(seed, 40)
        assert tw.ID3Classifier().fit(X, labels).tree_.depth <= 3
    return f"depth {depth} with four features"


@item
def _(at: Names, scores: list[float]) -> str:
    """S4.15 (270, 295–296, 330): The hypothesis space is complete

    [tw.ID3Classifier().fit(mushrooms[0], c).score(mushrooms[0], c) for c in product('ab', repeat=5)]
    """
    assert len(scores) == 32
    assert set(scores) == {1.0}
    return "all 32 labellings of D are learned"


@item
def _(at: Names, default: Any, tree: Tree) -> str:
    """S4.16 (336–363): CART: features of any scale, binary splittings on one feature, information gain or Gini

    tw.CARTClassifier(cv=None).fit(*mushrooms)
    tw.CARTClassifier(criterion='entropy', min_samples_split=2, min_samples_leaf=1, cp=-1, cv=None).fit(*mushrooms).tree_
    """
    assert default.get_n_leaves() == 1
    assert set(tree.n_children[tree.n_children > 0].tolist()) == {2}
    X, y = at.mushrooms
    best = best_splitting(X, y.tolist(), slow.entropy)
    assert tree.merit[0] / tree.weight[0] == pytest.approx(
        best * log(2)
    )  # the program takes natural logarithms
    assert not training_impurity(tree)
    return f"five rows are no trouble: a leaf within the limits of the program, {tree.n_leaves} leaves without them"


def training_impurity(tree: Tree) -> float:
    return float((tree.weight * tree.impurity)[tree.leaves].sum())


def best_splitting(X: pd.DataFrame, labels: list[Any], impurity: Callable[..., float] = slow.gini) -> float:
    """The largest Δι over all splittings: nominal subsets, ordinal values, midpoints of neighbours."""
    found = []
    for name in X:
        column = X[name]
        if isinstance(column.dtype, pd.CategoricalDtype) and not column.cat.ordered:
            for small, large in groupings(list(column.cat.categories)):
                found.append(
                    [[c for c, v in zip(labels, column, strict=True) if v in g] for g in (small, large)]
                )
            continue
        codes = column.cat.codes if isinstance(column.dtype, pd.CategoricalDtype) else column
        values = sorted(set(codes))
        for low, high in pairwise(values):
            cut = 0.5 * (low + high)
            found.append(
                [
                    [c for c, v in zip(labels, codes, strict=True) if (v <= cut) == side]
                    for side in (True, False)
                ]
            )
    return max(slow.gain(labels, parts, impurity) for parts in found)


@item
def _(at: Names, tree: Tree) -> str:
    r"""S4.17 (365–371): Its splittings: nominal B with 0 < |B| ≤ |dom \ B|, ordinal a, numeric midpoint of neighbours

    tw.DecisionTreeClassifier(max_depth=1).fit(*tennis).tree_
    """
    X, y = at.tennis
    assert tree.merit[0] == pytest.approx(best_splitting(X, y.tolist()))
    kinds: Counter[str] = Counter()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame(
            {
                "nominal": pd.Categorical(rng.choice(list("uvwx"), 30), categories=list("uvwx")),
                "ordinal": pd.Categorical(rng.choice(list("slm"), 30), categories=list("slm"), ordered=True),
                "numeric": rng.integers(0, 9, 30).astype(float),
            }
        )
        labels = rng.integers(0, 2, 30).tolist()
        grown = tw.DecisionTreeClassifier(max_depth=1).fit(table, labels).tree_
        assert grown.merit[0] == pytest.approx(best_splitting(table, labels))
        split = grown[0].split
        kinds[table.columns[split.feature]] += 1
        if isinstance(split, Threshold) and split.feature == 2:
            values = np.unique(table.numeric)
            assert split.threshold in (values[:-1] + values[1:]) / 2
    assert len(kinds) == 3
    return "the best of all splittings; 30 random tables of all three scales"


@item
def _(at: Names, tree: Tree) -> str:
    """S4.18 (383–395): Δι is maximised; a feature can be chosen again

    tw.CARTClassifier(min_samples_split=2, min_samples_leaf=1, cp=-1, cv=None).fit(*temp).tree_
    """
    X, y = np.array(at.temp[0], float), at.temp[1]
    _, cuts = slow.best_cut(X, y, slow.gini)
    assert tree[0].split.threshold in [cut for _, cut in cuts]
    assert sorted(tree.threshold[tree.n_children > 0].tolist()) == [54, 85]
    return "54 and 85, both on the one feature"


@item
def _(at: Names, pictures: list[Any]) -> str:
    """S4.19 (399–433): Illustration in the plane, step by step: five pictures

    [tw.plot_regions(tw.prune(m, pruning.MinimalSize(leaves=k)), X, y, ['p', 'q']) for k in (1, 2, 3, 4, 5)]
    """
    cuts = [
        sum(len(path.vertices) == 2 for drawn in ax.collections for path in drawn.get_paths())
        for ax in pictures
    ]
    assert cuts[0] == 0
    assert cuts == sorted(cuts)
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3)
    for ax in axes:
        tw.plot_regions(at.m, at.X, at.y, ax=ax)
    assert [ax.get_legend() is not None for ax in axes] == [False, False, True]
    pyplot.close(figure)
    return f"{len(pictures)} pictures; side by side only the last of a row names the classes"


@item
def _(at: Names, ax: Any) -> str:
    """S4.20 (437): Four splittings cut the space into rectangles: guillotine cuts

    tw.plot_regions(tw.DecisionTreeClassifier(max_leaf_nodes=5).fit(X, y), X, y)
    """
    lines = [path.vertices for drawn in ax.collections for path in drawn.get_paths()]
    cuts = [line for line in lines if len(line) == 2]
    assert len(cuts) == 4
    assert all((line[0] == line[1]).sum() == 1 for line in cuts)
    return "four cuts, each parallel to an axis"
