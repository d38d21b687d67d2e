"""S0: Mansour, decision trees and their pruning."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise, product
from math import comb, inf, log, log2, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.drawings import joined
from helpers.prunings import all_prunings, leaves_of, splits_above
from lectures import slow
from lectures.items import item
from lectures.timing import seconds
from treewright import bounds, criteria, pruning
from treewright.pruning.losses import training_errors
from treewright.tree import Tree
from treewright.tree.splits import Hyperplane, Threshold

Names = SimpleNamespace


def walk(tree: Tree, row: np.ndarray) -> list[int]:
    """Start at the root and follow the answers: x ≤ t to the left, x > t to the right."""
    path = [0]
    while not tree.is_leaf(path[-1]):
        split = tree[path[-1]].split
        assert isinstance(split, Threshold)
        path.append(tree.children(path[-1])[int(row[split.feature] > split.threshold)])
    return path


@item
def _(at: Names, predicted: Any, passed: Any, explained: Any) -> str:
    """S0.1 (5–7): A tree: predicates at nodes, values at leaves; evaluated from the root, left or right by the predicate

    m.predict(X)
    m.decision_path(X)
    m.explain(X[:1])
    """
    for row, (values, said) in enumerate(zip(at.X.to_numpy(), predicted, strict=True)):
        path = walk(at.T, values)
        assert np.flatnonzero(passed.toarray()[row]).tolist() == path
        assert said == at.m.classes_[at.T.label[path[-1]]]
    assert str(predicted[0]) in str(explained)
    return "the value of the leaf at the end of each row's path"


def truth_splits(tree: Tree) -> int:
    """Count the splits on truth values, of which each has False on the left."""
    found = 0
    for node in range(len(tree)):
        split = tree[node].split
        if split is not None and tree.schema.columns[split.feature].categories == (False, True):
            assert [list(group) for group in split.groups] == [[0], [1]]
            found += 1
    return found


@item
def _(at: Names, model: Any, drawing: Any) -> str:
    """S0.2 (5–13): Figure 8.1: Boolean attributes, leaves +1 and −1, 0 goes left, 1 right (so DT(S) too: right subtree T₁, 159)

    tw.DecisionTreeClassifier().fit(B, b)
    tw.plot_tree(tw.DecisionTreeClassifier().fit(B, b))
    """
    drawn = joined(drawing).split()
    assert drawn.index("False") < drawn.index("True")
    found = truth_splits(model.tree_)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = pd.DataFrame(rng.random((60, 4)) < 0.5, columns=list("abcd")), rng.integers(0, 2, 60)
        models = [tw.DecisionTreeClassifier(), tw.DecisionTreeRegressor(max_depth=4), tw.C45Classifier()]
        models += [tw.CARTClassifier(min_samples_split=2, min_samples_leaf=1, cp=-1, cv=None)]
        found += sum(truth_splits(one.fit(X, y).tree_) for one in models)
    return f"False goes left, True right, in all of {found:,} nodes"


@item
def _(at: Names, text: str, drawing: Any) -> str:
    """S0.3 (15–20): Decision stumps, "x₁ > 5"; figure 8.2

    str(T)
    tw.plot_tree(m, X, y)
    """
    assert "p ≤ " in text
    assert "p > " in text
    assert {"p", "q"} <= set(joined(drawing).split())
    return "nodes ask `p ≤ t`, branches answer"


@item
def _(at: Names, ax: Any) -> str:
    """S0.4 (22–25): Figure 8.3: axis-parallel boundary

    tw.plot_regions(m, X, y)
    """
    lines = [path.vertices for drawn in ax.collections for path in drawn.get_paths()]
    cuts = [line for line in lines if len(line) == 2]
    assert len(cuts) > 3
    assert all((line[0] == line[1]).any() for line in cuts)
    return "every boundary is parallel to an axis"


@item
def _(at: Names, model: Any) -> str:
    """S0.5 (29): A class of predicates H, any

    tw.DecisionTreeClassifier(splits=('predicate',), predicates=['p > q', 'p + q > 0']).fit(X, y)
    """
    of_hand = pd.DataFrame({"p > q": at.X.p > at.X.q, "p + q > 0": at.X.p + at.X.q > 0})
    by_hand = tw.DecisionTreeClassifier().fit(of_hand, at.y)
    assert np.array_equal(model.tree_.node_value, by_hand.tree_.node_value)
    categories = at.X.assign(c=pd.Categorical(at.y))  # would tell all
    alone = tw.DecisionTreeClassifier(splits=("predicate",), predicates=["p > q", "p + q > 0"])
    assert np.array_equal(alone.fit(categories, at.y).tree_.node_value, by_hand.tree_.node_value)
    return f"a tree of {model.get_n_leaves()} leaves that asks nothing but the two predicates"


@item
def _(at: Names, model: Any) -> str:
    """S0.6 (31): H of hyperplanes

    tw.DecisionTreeClassifier(splits=('hyperplane',), max_depth=1).fit(X, y)
    """
    split = model.tree_[0].split
    assert isinstance(split, Hyperplane)
    left = at.X.to_numpy()[:, list(split.features)] @ np.array(split.weights) <= split.threshold
    assert np.array_equal(model.apply(at.X) == 1, left)
    return "`w·x ≤ t` at the root"


@item
def _(at: Names, outer: Any) -> str:
    """S0.7 (31): "in each node even a large decision tree"

    tw.DecisionTreeClassifier(predicates={'inner': lambda t: m.predict(t) == 'yes'}, max_depth=1).fit(X, y)
    """
    assert outer.tree_.schema.names[outer.tree_[0].split.feature] == "inner"
    assert (outer.predict(at.X) == at.m.predict(at.X)).all()
    return f"one node that asks a tree of {at.m.get_n_leaves()} leaves"


def boolean_functions(n_leaves: int, n: int) -> set[int]:
    """All labellings of {0, 1}ⁿ, as bits, by trees of at most so many leaves."""
    points = list(product((0, 1), repeat=n))
    sides = [sum(1 << i for i, point in enumerate(points) if point[j]) for j in range(n)]
    every = (1 << len(points)) - 1

    @cache
    def trees(leaves: int) -> frozenset[int]:
        found = {0, every}
        for left in range(1, leaves):
            for f, g, side in product(trees(left), trees(leaves - left), sides):
                found.add((f & ~side) | (g & side))
        return frozenset(found)

    return set(trees(n_leaves))


def vc_dimension(functions: set[int], n_points: int) -> int:
    """The size of the largest set of points that is labelled in every way."""
    best = 0
    for size in range(1, n_points + 1):
        if not any(
            len({tuple(f >> p & 1 for p in points) for f in functions}) == 2**size
            for points in combinations(range(n_points), size)
        ):
            return best
        best = size
    return best


@item
def _(at: Names, found: tuple[int, int]) -> str:
    """S0.8 (49–53): s leaves (size 2s − 1): s ≤ VCdim(s, n) ≤ s log(8n)

    bounds.vc_boolean(4, 10)
    """
    assert found == (4, int(4 * log2(80)))
    for n, s in product((1, 2, 3), (1, 2, 3, 4)):
        low, high = bounds.vc_boolean(s, n)
        assert low <= vc_dimension(boolean_functions(s, n), 2**n) <= high
    return f"{found}; all trees of n ≤ 3, s ≤ 4 lie between"


@item
def _(at: Names, found: list[int]) -> str:
    """S0.9 (53): The number of trees: Catalan, C(2s, s)/(s + 1) ≤ 4^s

    [bounds.catalan(s) for s in range(1, 7)]
    """
    assert found == [1, 2, 5, 14, 42, 132]
    assert all(found[s - 1] == comb(2 * s, s) // (s + 1) <= 4**s for s in range(1, 7))
    return ", ".join(map(str, found))


@item
def _(at: Names, found: int) -> str:
    """S0.10 (53): With attributes and labels 4^s n^(s−1) 2^s ≤ (8n)^s

    bounds.boolean_trees(4, 10)
    """
    assert found == 80**4
    assert found >= 4**4 * 10**3 * 2**4
    assert len(boolean_functions(3, 3)) <= bounds.boolean_trees(3, 3)
    return f"{found:,}"


@item
def _(at: Names, found: int) -> str:
    """S0.11 (55–57): Splits of VC dimension d: 2^m ≤ 4^s 2^s m^(ds), VCdim = O(ds log ds)

    bounds.vc_general(4, 2)
    """

    def sauer(m: int) -> int:
        return sum(comb(m, i) for i in range(3))

    assert found == max(m for m in range(1, 300) if 2**m <= 8**4 * sauer(m) ** 3)
    text = max(m for m in range(1, 300) if 2**m <= 8**4 * m**8)
    assert found <= text
    return f"{found}, with Sauer's sum and s − 1 columns; the text's m is {text}"


@item
def _(at: Names, model: Any) -> str:
    """S0.12 (61–67): Time O(|H| m log m) when balanced

    tw.DecisionTreeClassifier(n_jobs=1).fit(X, y)
    """
    rng = np.random.default_rng(0)
    took = {}
    for n in (8_000, 64_000):
        X = rng.normal(size=(n, 5))
        y = rng.random(n) < 0.5
        took[n] = seconds(lambda X=X, y=y: model.fit(X, y))
    assert took[64_000] < 32 * took[8_000]  # m log m has 10 times, m² 64 times as long
    return "eight times the rows take less than 32 times as long, where m² would take 64 times"


@item
def _(at: Names, found: float) -> str:
    """S0.13 (75, 82, 151): val(v) = val(v, h) = u·val(p) + (1 − u)·val(r)

    criteria.split_potential('gini', [[3, 2], [5, 0]])
    """
    u, p, r = 0.5, 3 / 5, 1.0
    assert found == pytest.approx(u * 2 * p * (1 - p) + (1 - u) * 2 * r * (1 - r)) == pytest.approx(0.24)
    return f"{found:.2f}"


@item
def _(at: Names, ax: Any) -> str:
    """S0.14 (78): Figure 8.4: the split on which the observed error stands still

    tw.plot_split([[3, 2], [5, 0]], 'error')
    """
    drawn = {line.get_label(): line.get_xydata().tolist() for line in ax.get_lines()}
    assert np.allclose(drawn["branches (share of the rows)"], [[0.6, 0.4], [1.0, 0.0]])
    assert np.allclose(drawn["the node"], [[0.8, 0.2]])
    assert np.allclose(drawn["after the split"], [[0.8, 0.2]])
    return ax.get_title(loc="left")


@item
def _(at: Names, found: float) -> str:
    """S0.15 (80, 102): val(T) = Σ p_v val(q_v), and val(T) ≥ error(T)

    criteria.tree_potential('entropy', tw.DecisionTreeClassifier(max_depth=2).fit(X, y))
    """
    X, y = at.X, at.y
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    leaf, total = model.apply(X), 0.0
    for node in set(leaf.tolist()):
        q = np.mean(y[leaf == node] == "yes")
        value = 0.0 if q in (0, 1) else (q * log2(1 / q) + (1 - q) * log2(1 / (1 - q))) / 2
        total += np.mean(leaf == node) * value
    error = np.mean(model.predict(X) != y)
    assert found == pytest.approx(total)
    assert found >= error
    return f"{found:.3f}, where the error is {error:.3f}"


@item
def _(at: Names, before: float, after: float) -> str:
    """S0.16 (84–86): Observed error min(q, 1 − q): .20 before, .5·.4 + .5·0 = .20 after

    criteria.potential('error', 0.8)
    criteria.split_potential('error', [[3, 2], [5, 0]])
    """
    assert before == pytest.approx(0.2)
    assert after == pytest.approx(0.5 * 0.4 + 0.5 * 0)
    return f"{before:.2f}, {after:.2f}"


@item
def _(at: Names, ends: Any, merit: float) -> str:
    """S0.17 (88–100): Four conditions of val: strictly concave, symmetric, 0 at 0 and 1, ½ at ½; hence every non-trivial split lowers it

    criteria.potential('sqrt', [0, 0.5, 1])
    criteria.merit('sqrt', [[3, 2], [5, 0]])
    """
    assert ends.tolist() == [0, 0.5, 0]
    assert merit > 0
    q = np.linspace(0, 1, 101)
    rng = np.random.default_rng(0)
    for name in ("gini", "entropy", "sqrt"):
        value = criteria.potential(name, q)
        assert np.allclose(value, value[::-1])
        u, p, r = rng.random((3, 200))
        mixed = criteria.potential(name, u * p + (1 - u) * r)
        parts = u * criteria.potential(name, p) + (1 - u) * criteria.potential(name, r)
        apart = (np.abs(p - r) > 0.01) & (u > 0.01) & (u < 0.99)
        assert (mixed[apart] > parts[apart]).all()
    return f"0, ½, 0; the split lowers it by {merit:.3f}"


@item
def _(at: Names, found: list[float]) -> str:
    """S0.18 (106–118): Gini 2q(1 − q), entropy ½(q log 1/q + …), variance √(q(1 − q))

    [criteria.potential(name, 0.3) for name in ('gini', 'entropy', 'sqrt')]
    """
    by_hand = [2 * 0.3 * 0.7, (0.3 * log2(1 / 0.3) + 0.7 * log2(1 / 0.7)) / 2, sqrt(0.3 * 0.7)]
    assert found == pytest.approx(by_hand)
    return ", ".join(f"{value:.3f}" for value in found) + '; the text\'s "variance" is `sqrt`'


@item
def _(at: Names, found: dict[str, tuple[float, float]]) -> str:
    """S0.19 (120–128): G(.8) = .32, after the split .24; the other two fall too

    {name: (criteria.potential(name, 0.8), criteria.split_potential(name, [[3, 2], [5, 0]])) for name in ('gini', 'entropy', 'sqrt')}
    """
    assert found["gini"] == pytest.approx((0.32, 0.24))
    assert found["sqrt"] == pytest.approx((0.4, 0.5 * sqrt(0.24)))
    assert found["entropy"][0] == pytest.approx((0.8 * log2(1 / 0.8) + 0.2 * log2(5)) / 2)
    assert all(after < before for before, after in found.values())
    return ", ".join(f"{name} {before:.3f} → {after:.3f}" for name, (before, after) in found.items())


@item
def _(at: Names, ax: Any) -> str:
    """S0.20 (130–131): Figure 8.5, from inner to outer error, Gini, entropy, variance

    tw.plot_impurities()
    """
    lines = {line.get_label(): line.get_ydata()[1:-1] for line in ax.get_lines()}
    inner = ("error", "gini", "entropy", "sqrt")
    for one, next_one in pairwise(inner):
        assert (lines[one] <= lines[next_one] + 1e-12).all()
        assert (lines[one] < lines[next_one] - 1e-6).any()
    return "four curves, in that order"


@item
def _(at: Names, *models: Any) -> str:
    """S0.21 (135–159): Procedure DT(S)

    tw.ID3Classifier(criterion='gini').fit(B, b)
    tw.DecisionTreeClassifier(criterion='sqrt').fit(B, b)
    """
    B, b = at.B, at.b
    for model, name in zip(models, ("gini", "sqrt"), strict=True):
        passed = model.decision_path(B).toarray().astype(bool)
        for node in range(len(model.tree_)):
            here = passed[:, node]
            if model.tree_.is_leaf(node):
                assert len(set(b[here])) == 1  # all examples are labelled alike
                continue
            values = {}
            for h in B:
                u = B[h][here].mean()
                if 0 < u < 1:
                    p, r = (np.mean(b[here & (B[h] == side)] == 1) for side in (True, False))
                    values[h] = u * criteria.potential(name, p) + (1 - u) * criteria.potential(name, r)
            chosen = B.columns[model.tree_[node].split.feature]
            assert values[chosen] == pytest.approx(min(values.values()))
        assert (model.predict(B) == b).all()
    return "at every node the predicate of least val(h); no training error"


@item
def _(at: Names, first: Any, random: list[int]) -> str:
    """S0.22 (165): x₁ ⊕ x₂ over d attributes: greedy growing chooses at random, the tree becomes very large

    tw.DecisionTreeClassifier(ties='first').fit(C, C[:, 4] ^ C[:, 5])
    [tw.DecisionTreeClassifier(ties='random', random_state=s).fit(C, C[:, 4] ^ C[:, 5]).get_n_leaves() for s in range(9)]
    """
    tree = first.tree_
    for node in range(len(tree)):
        if not tree.is_leaf(node) and tree[node].split.feature < 4:
            assert tree.merit[node] == pytest.approx(0)
    assert tree.n_leaves == 64
    assert min(random) >= 4
    assert max(random) > 4
    return f"64 leaves where 4 do if the first of equals wins; at random {min(random)} to {max(random)}"


def smallest(
    rows: list[tuple[bool, ...]], labels: tuple[int, ...], used: frozenset[int] = frozenset()
) -> int:
    """Count the leaves of the smallest tree without an error, by trying every feature at every node."""
    if len(set(labels)) == 1:
        return 1
    sizes = []
    for feature in set(range(len(rows[0]))) - used:
        parts = [
            [(r, c) for r, c in zip(rows, labels, strict=True) if r[feature] is value]
            for value in (False, True)
        ]
        if all(parts):
            sizes.append(
                sum(smallest(*map(list, zip(*part, strict=True)), used | {feature}) for part in parts)
            )  # type: ignore[arg-type]
    return min(sizes)


@item
def _(at: Names, xor: Any, sizes: list[int]) -> str:
    """S0.23 (167): The smallest tree, NP-hard to find (S2, 54, too)

    tw.OptimalTreeClassifier(max_depth=2).fit(C, C[:, 4] ^ C[:, 5])
    [tw.OptimalTreeClassifier(max_depth=3).fit(B, f).get_n_leaves() for f in product([0, 1], repeat=8)]
    """
    assert xor.optimal_
    assert xor.score(at.C, at.C[:, 4] ^ at.C[:, 5]) == 1
    rows = list(at.B.itertuples(index=False, name=None))
    assert sizes == [smallest(rows, labels) for labels in product([0, 1], repeat=8)]
    return f"{xor.get_n_leaves()} leaves, with a proof; the smallest of all 256 functions of three attributes by trying all trees"


@item
def _(at: Names, found: list[float]) -> str:
    """S0.24 (169–173): Size under the weak-learner hypothesis ½ − γ: e^O(1/γ² · 1/ε² log² 1/ε), e^O(1/γ² log² 1/ε), e^O(1/γ² log 1/ε)

    [bounds.log_size_by_weak_learning(name, gamma=0.2, epsilon=0.1) for name in ('gini', 'entropy', 'sqrt')]
    """
    assert found == pytest.approx([25 * 100 * log(10) ** 2, 25 * log(10) ** 2, 25 * log(10)])
    return ", ".join(f"{value:,.1f}" for value in found) + "; the constant is open"


@item
def _(at: Names, few: Any, small: Any, bounded: Any) -> str:
    """S0.25 (181): Early stopping: few examples, small reduction, a bound on the nodes

    tw.DecisionTreeClassifier(min_samples_split=15).fit(X, y)
    tw.DecisionTreeClassifier(min_impurity_decrease=0.01).fit(X, y)
    tw.DecisionTreeClassifier(max_nodes=9).fit(X, y)
    """
    tree = few.tree_
    inner = tree.n_children > 0
    assert tree.count[inner].min() >= 15
    assert (tree.impurity[~inner & (tree.count >= 15)] == 0).all()
    share = small.tree_.weight / small.tree_.weight[0]
    inner = small.tree_.n_children > 0
    assert (share * small.tree_.merit)[inner].min() >= 0.01
    assert len(bounded.tree_) <= 9
    return f"{few.get_n_leaves()}, {small.get_n_leaves()} and {bounded.get_n_leaves()} leaves"


@item
def _(at: Names, collapsed: Tree, raised: Tree) -> str:
    """S0.26 (187): Pruning: a leaf in the place of an inner node; or the sub-tree of one of its children

    T.collapse([1])
    T.raise_branch(0, 1)
    """
    tree = at.T
    assert collapsed.is_leaf(1)
    assert collapsed.n_leaves == tree.n_leaves - len(slow.subtree_leaves(tree, 1)) + 1
    assert raised[0].split == tree[tree.children(0)[1]].split
    assert raised.n_leaves == len(slow.subtree_leaves(tree, tree.children(0)[1]))
    return f"{tree.n_leaves} leaves become {collapsed.n_leaves}, or {raised.n_leaves}"


@item
def _(at: Names, pruned: Any) -> str:
    """S0.27 (189–195): Reduced error pruning with S₂: bottom-up, ties prune, against the current sub-tree

    tw.prune(m, pruning.ReducedError(), V, v)
    """
    model, V, v = at.m, at.V, at.v
    errors = slow.errors_at(model.tree_, v, model.decision_path(V).toarray())
    least, nodes = slow.reduced_error(model.tree_, errors)
    assert pruned.tree_ == model.tree_.collapse(nodes)
    assert (pruned.predict(V) != v).sum() == least
    return f"{model.get_n_leaves()} leaves become {pruned.get_n_leaves()}, as by the procedure step by step"


@item
def _(at: Names, own: Any, held_out: Any, pruned: Any) -> str:
    """S0.28 (197–198): Figure 8.6: the tree with the counts of S₁, with those of S₂, pruned; ones before zeros

    tw.plot_tree(m, X, y, counts=True, max_leaves=None)
    tw.plot_tree(m, V, v, counts=True, max_leaves=None)
    tw.plot_tree(tw.prune(m, pruning.ReducedError(), V, v), V, v, counts=True)
    """
    model, X, y, V, v = at.m, at.X, at.y, at.V, at.v
    for drawing, table, target in ((own, X, y), (held_out, V, v)):
        said = joined(drawing).replace("\u00a0", " ")
        passed = model.decision_path(table).toarray().astype(bool)
        for node in range(len(model.tree_)):
            here = target[passed[:, node]]
            assert f"no: {np.sum(here == 'no')}" in said
            assert f"yes: {np.sum(here == 'yes')}" in said
    assert "given" not in joined(own)
    for drawing in (held_out, pruned):
        assert f"{len(V)} rows given" in joined(drawing)
    return "three pictures; each says whose rows it counts, by the names of the classes"


@item
def _(at: Names, pruned: Any) -> str:
    """S0.29 (202–208): Bottom-up SRM: prune if ε̂(T_v) + α(m_v, |T_v|, ℓ_v, δ) > ε̂(∅)

    tw.prune(m, pruning.StructuralRisk(delta=0.05, scale="lecture"))
    """
    model = at.m
    _, _, nodes = slow.structural_risk(model.tree_, 2 * 199, 0.05)  # two features, 200 different values each
    assert pruned.tree_ == model.tree_.collapse(nodes)
    kept = 0
    for seed in range(4):
        X, _, tree = noisy_boolean(seed)
        _, _, nodes = slow.structural_risk(tree, X.shape[1], 0.05)
        assert pruning.StructuralRisk(scale="lecture")(tree) == tree.collapse(nodes)
        kept += tree.collapse(nodes).n_leaves > 1
    assert kept
    return f"{model.get_n_leaves()} leaves become {pruned.get_n_leaves()}, as by the rule node by node"


def noisy_boolean(seed: int) -> tuple[np.ndarray, np.ndarray, Tree]:
    """A Boolean target of five attributes, 4,000 rows with 5 % of the labels wrong, and the full tree."""
    rng = np.random.default_rng(seed)
    truth = rng.random(32) < 0.5
    X = rng.integers(0, 2, (4000, 5))
    y = truth[X @ (1 << np.arange(5))] ^ (rng.random(4000) < 0.05)
    return X, y, tw.DecisionTreeClassifier(random_state=0).fit(X, y).tree_


@item
def _(at: Names, pruner: Any) -> str:
    """S0.30 (210–218, 224): Conservative: what is kept is truly better, with probability 1 − δ; T_srm is a subtree of T_opt

    pruning.StructuralRisk(delta=0.05, scale="lecture")
    """
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth = rng.random(32) < 0.5
        _, _, tree = noisy_boolean(seed)
        corners = np.array(list(product((0, 1), repeat=5)))
        chance = np.where(truth[corners @ (1 << np.arange(5))], 0.95, 0.05)  # of the label True
        passed = np.zeros((32, len(tree)), bool)
        for place, corner in enumerate(corners):
            passed[place, walk(tree, corner)] = True
        labels = tree.schema.classes[tree.label]
        true_error = [
            float(np.where(labels[node], 1 - chance, chance)[passed[:, node]].sum())
            for node in range(len(tree))
        ]
        _, best = slow.reduced_error(tree, true_error)  # the best pruning by the true distribution
        inner_of_best = splits_above(tree, leaves_of(tree, tree.collapse(best)))
        assert splits_above(tree, leaves_of(tree, pruner(tree))) <= inner_of_best
    return "six Boolean targets: always within the best pruning by the true distribution"


@item
def _(at: Names, found: float) -> str:
    """S0.31 (220–222): α = √(((ℓ + |T|) log n + log 1/δ)/m)

    bounds.structural_penalty(depth=2, n_nodes=3, n_rows=1000, n_splits=10, delta=0.05)
    """
    assert found == pytest.approx(sqrt(((2 + 3) * log(10) + log(20)) / 1000))
    return f"{found:.4f}"


@item
def _(at: Names, numbers: str, truth_values: str) -> str:
    """S0.32 (220–222): n: the attributes of a Boolean domain

    tw.prune(tw.DecisionTreeClassifier().fit(B.astype(int), b), pruning.StructuralRisk()).report_.measure
    tw.prune(tw.DecisionTreeClassifier().fit(B, b), pruning.StructuralRisk()).report_.measure
    """
    assert numbers == truth_values
    assert numbers.endswith(f"ln n = {log(3):.3g}")
    return numbers.partition("; ")[2] + ", whether they are truth values or the numbers 0 and 1"


@item
def _(at: Names, found: float) -> str:
    """S0.33 (226–230): ε(T_srm) − ε(T_opt) ≤ √(|T_opt|/m) · O(log(|T_opt|/δ) + h_opt log(nm/δ))

    bounds.structural_regret(n_nodes=7, depth=2, n_rows=1_000_000, n_splits=10, delta=0.05)
    """
    assert found == pytest.approx(sqrt(7e-6) * (log(7 / 0.05) + 2 * log(10 * 1e6 / 0.05)))
    return f"{found:.3f}; the constant is open"


def prune(k: int, tree: Tree, node: int = 0, memory: dict[Any, Any] | None = None) -> tuple[float, list[int]]:
    """prune(k, T) ⇒ (s, P), line by line; P as the leaves of the pruning. What was worked out is remembered."""
    memory = {} if memory is None else memory
    if (k, node) in memory:
        return memory[k, node]
    if not memory:
        memory["errors"] = training_errors(tree).tolist()
    errors = memory["errors"][node]
    if tree.is_leaf(node):
        found: tuple[float, list[int]] = (1 if errors <= k else inf), [node]
    elif errors <= k:
        found = 1, [node]
    else:
        left, right = tree.children(node)
        found = inf, [node]
        for i in range(k + 1):
            s0, p0 = prune(i, tree, left, memory)
            s1, p1 = prune(k - i, tree, right, memory)
            if s0 + s1 + 1 < found[0]:
                found = s0 + s1 + 1, p0 + p1
    memory[k, node] = found
    return found


def sizes(tree: Tree) -> list[float]:
    """The minimal size k_e for every number of errors e, up to those of the root."""
    memory: dict[Any, Any] = {}
    return [prune(e, tree, 0, memory)[0] for e in range(int(training_errors(tree)[0]) + 1)]


@item
def _(at: Names, path: Any) -> str:
    """S0.34 (238–239): For each e the minimal pruning size k_e

    tw.prune(m, pruning.MinimalSize('structural_risk')).path_
    """
    tree = at.T
    errors = np.rint(path.risk * tree.weight[0]).astype(int)
    found = [
        2 * path.leaves[errors <= e].min() - 1 if (errors <= e).any() else inf
        for e in range(errors.max() + 1)
    ]
    assert found == sizes(tree)
    points = ", ".join(f"{e}: {2 * n - 1}" for e, n in zip(errors[-4:], path.leaves[-4:], strict=True))
    return f"{points}, and so on, as prune(k, T) gives them"


@item
def _(at: Names, path: Any, thirty: Tree) -> str:
    """S0.35 (239): … and the pruned tree T_e

    tw.prune(m, pruning.MinimalSize('structural_risk')).path_
    tw.prune(m, pruning.MinimalSize(errors=30)).tree_
    """
    tree, memory = at.T, {}
    for point in path:
        e = int(training_errors(point.tree)[point.tree.leaves].sum())
        size, leaves = prune(e, tree, 0, memory)
        assert (point.tree.node_count, point.tree.n_leaves) == (size, len(leaves))
        assert leaves_of(tree, point.tree)
    assert training_errors(thirty)[thirty.leaves].sum() <= 30
    return f"`path_[i].tree`; with at most 30 errors {thirty.n_leaves} leaves"


@item
def _(at: Names, pruned: Tree) -> str:
    """S0.36 (242): … or, for a given size, the pruning of fewest errors

    tw.prune(m, pruning.MinimalSize(leaves=4)).tree_
    """
    tree = at.T
    found = int(training_errors(pruned)[pruned.leaves].sum())
    assert pruned.n_leaves <= 4
    assert prune(found, tree)[0] <= 2 * 4 - 1
    assert prune(found - 1, tree)[0] > 2 * 4 - 1  # no pruning of four leaves has fewer
    return f"{found} errors with {pruned.n_leaves} leaves"


@item
def _(at: Names, pruned: Tree) -> str:
    """S0.37 (246–268): prune(k, T) ⇒ (s, P), s = ∞ where k errors cannot be had

    tw.prune(m, pruning.MinimalSize(errors=40)).tree_
    """
    grown = pruned.n_leaves
    assert pruned.node_count == prune(40, at.T)[0]
    shallow = tw.DecisionTreeClassifier(max_depth=2).fit(at.X, at.y).tree_
    least = int(training_errors(shallow)[shallow.leaves].sum())
    for k in range(int(training_errors(shallow)[0]) + 1):
        size, _ = prune(k, shallow)
        if size == inf:
            with pytest.raises(ValueError, match=f"is {least}"):
                pruning.MinimalSize(errors=k)(shallow)
        else:
            assert pruning.MinimalSize(errors=k)(shallow).node_count == size
    return f"{grown} leaves; where s = ∞ an error that names the least"


@item
def _(at: Names, pruner: Any) -> str:
    """S0.38 (272–274): Its time, O(m²)

    pruning.MinimalSize('structural_risk')
    """
    rng = np.random.default_rng(0)
    took, leaves = [], []
    for n in (600, 2400):
        tree = tw.DecisionTreeClassifier().fit(rng.normal(size=(n, 4)), rng.integers(0, 2, n)).tree_
        leaves.append(tree.n_leaves)
        took.append(seconds(lambda tree=tree: pruner(tree)))
    assert took[1] / took[0] < 4 * (leaves[1] / leaves[0]) ** 2
    return "four times the leaves take less than 64 times as long"


@item
def _(at: Names, pruned: Any) -> str:
    """S0.39 (276–278): Hypothesis validation: the P_i with the fewest errors on S₂

    tw.prune(m, pruning.MinimalSize(), V, v)
    """
    model, V, v = at.m, at.V, at.v
    wrong = [(tw.prune(model, lambda _, t=point.tree: t).predict(V) != v).sum() for point in pruned.path_]
    assert (pruned.predict(V) != v).sum() == min(wrong)
    return f"{pruned.get_n_leaves()} leaves, {min(wrong)} errors on S₂"


@item
def _(at: Names, found: int) -> str:
    """S0.40 (280–284): |S₂| = 1/ε² log(m/δ), then within 2ε of the best

    bounds.holdout_size(50, epsilon=0.02, delta=0.05)
    """
    assert found == -(-log(50 / 0.05) // 0.02**2)
    return f"{found:,}"


@item
def _(at: Names, model: Any, penalty: Any) -> str:
    """S0.41 (286–290): SRM: argmin error(P) + √(|P|/m)

    tw.DecisionTreeClassifier(pruner=pruning.MinimalSize('structural_risk')).fit(*datasets.load_iris())
    bounds.selection_penalty([1, 25], 100)
    """
    pruned, tree = model.tree_, tw.DecisionTreeClassifier().fit(*tw.datasets.load_iris()).tree_
    errors = training_errors(tree)

    def score(leaves: Any) -> float:
        return errors[list(leaves)].sum() / 150 + sqrt((2 * len(leaves) - 1) / 150)

    assert score(leaves_of(tree, pruned)) == pytest.approx(min(map(score, all_prunings(tree))))
    assert penalty.tolist() == [0.1, 0.5]
    return f"{pruned.n_leaves} leaves, the best of all {len(all_prunings(tree))} prunings"
