"""Bounds: each against the lecture's formula, and small cases by trying everything."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from functools import cache

import numpy as np
import pytest

import treewright as tw
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, bounds, datasets, pruning
from treewright.pruning.structural_risk import log_splits

Functions = frozenset[int]
"""Labellings of a list of points, as bits."""


def shattered(functions: Functions, n_points: int) -> int:
    """Size of the largest set of points that the functions label in every way."""
    best = 0
    for size in range(1, n_points + 1):
        for points in itertools.combinations(range(n_points), size):
            if len({tuple(f >> p & 1 for p in points) for f in functions}) == 2**size:
                best = size
                break
        else:
            return best
    return best


def all_labellings(n_points: int, sides: Iterable[int], n_leaves: int) -> Functions:
    """All labellings by trees of at most so many leaves, whose splits send these sets of points right."""
    every = tuple(sides)

    @cache
    def trees(leaves: int) -> Functions:
        found = {0, (1 << n_points) - 1}
        for left in range(1, leaves):
            for f, g, right in itertools.product(trees(left), trees(leaves - left), every):
                found.add((f & ~right) | (g & right))
        return frozenset(found)

    return trees(n_leaves)


def boolean_trees(n_leaves: int, n_features: int) -> Functions:
    """All labellings of the corners of a cube by trees of at most so many leaves."""
    n_points = 2**n_features
    sides = [sum(1 << p for p in range(n_points) if p >> j & 1) for j in range(n_features)]

    return all_labellings(n_points, sides, n_leaves)


def threshold_trees(points: np.ndarray, n_leaves: int) -> Functions:
    """All labellings of given points by trees of at most so many leaves with splits x ≤ t."""
    n_points, n_features = points.shape
    sides = {
        sum(1 << p for p in range(n_points) if points[p, j] > t)
        for j in range(n_features)
        for t in np.unique(points[:, j])
    }

    return all_labellings(n_points, sides, n_leaves)


# ---- capacity ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_leaves", "n_features"), [(1, 2), (2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (4, 3)])
def test_the_vc_dimension_of_boolean_trees_lies_within_the_bounds(n_leaves: int, n_features: int) -> None:
    true = shattered(boolean_trees(n_leaves, n_features), 2**n_features)
    low, high = bounds.vc_boolean(n_leaves, n_features)
    assert low <= true <= high


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_all_boolean_trees_shatter_the_whole_cube(n_features: int) -> None:
    trees = boolean_trees(2**n_features, n_features)
    assert shattered(trees, 2**n_features) == bounds.vc_all_boolean(n_features) == 2**n_features


def orders(n_points: int, n_features: int) -> list[np.ndarray]:
    """Points in every order of every feature but the first: what thresholds see of any points."""
    first = tuple(range(n_points))
    others = itertools.product(itertools.permutations(range(n_points)), repeat=n_features - 1)
    return [np.array([first, *rest]).T for rest in others]


@pytest.mark.parametrize("n_features", [1, 2])
def test_the_vc_dimension_of_stumps_is_exact(n_features: int) -> None:
    d = bounds.vc_stump(n_features)
    everything = [len(threshold_trees(points, 2)) for points in orders(d, n_features)]
    assert max(everything) == 2**d
    one_more = [len(threshold_trees(points, 2)) for points in orders(d + 1, n_features)]
    assert max(one_more) < 2 ** (d + 1)


def test_the_vc_dimension_of_stumps_is_that_of_the_table() -> None:
    table = {1: 2, 2: 3, 3: 4, 5: 5, 10: 6, 18: 7, 35: 8, 63: 9, 126: 10}
    assert {n: bounds.vc_stump(n) for n in table} == table
    assert bounds.vc_stump(125) == 9


@pytest.mark.parametrize(("n_leaves", "n_points"), [(2, 5), (3, 5), (3, 6)])
def test_general_trees_shatter_no_more_than_the_bound(n_leaves: int, n_points: int) -> None:
    line = np.arange(n_points)[:, None]
    true = shattered(threshold_trees(line, n_leaves), n_points)
    assert true <= bounds.vc_general(n_leaves, split_vc=1)


@pytest.mark.parametrize(("s", "d"), [(2, 1), (5, 3), (20, 10), (100, 4)])
def test_the_general_bound_is_the_last_m_of_the_lecture_s_inequality(s: int, d: int) -> None:
    m = bounds.vc_general(s, d)
    ways = [math.log2(sum(math.comb(n, i) for i in range(d + 1))) for n in (m, m + 1)]
    assert m <= 2 * s + s + (s - 1) * ways[0]
    assert m + 1 > 2 * s + s + (s - 1) * ways[1]
    # the lecture's own form, m^(ds), is looser for m ≥ 2
    assert m <= 3 * s + d * s * math.log2(m)


@pytest.mark.parametrize(("n_leaves", "n_points"), [(2, 4), (3, 4), (3, 5), (4, 5)])
def test_trees_label_rows_in_no_more_ways_than_counted(n_leaves: int, n_points: int) -> None:
    rng = np.random.default_rng(0)
    points = np.stack([rng.permutation(n_points) for _ in range(2)], axis=1)
    # trees of at most so many leaves are no more than those of each number of leaves together
    counted = sum(
        math.exp(bounds.log_trees(leaves - 1, leaves, 2, math.log(2 * (n_points - 1))))
        for leaves in range(1, n_leaves + 1)
    )
    assert len(threshold_trees(points, n_leaves)) <= counted


# ---- rows needed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize(("n_models", "epsilon", "delta"), [(1, 0.1, 0.05), (20, 0.1, 0.05), (5, 0.2, 0.3)])
def test_so_many_rows_kept_aside_are_enough(n_models: int, epsilon: float, delta: float, tight: bool) -> None:
    n = bounds.holdout_size(n_models, epsilon, delta, tight=tight)
    for true in (0.1, 0.3, 0.5):
        chance = sum(
            math.comb(n, k) * true**k * (1 - true) ** (n - k)
            for k in range(n + 1)
            if abs(k / n - true) > epsilon
        )
        assert n_models * chance <= delta


def test_holdout_and_sample_sizes_are_the_formulas() -> None:
    assert bounds.holdout_size(50, 0.1, 0.05) == math.ceil(100 * math.log(50 / 0.05))
    assert bounds.sample_size(3.0, 0.1, 0.05) == math.ceil(50 * (3 + math.log(40)))
    assert bounds.sample_size(3.0, 0.1, 0.05, realizable=True) == math.ceil(10 * (3 + math.log(20)))


def test_a_consistent_hypothesis_is_seldom_bad_after_so_many_rows() -> None:
    # 16 hypotheses that each err ε: the chance that one makes no error on n rows
    n = bounds.sample_size(math.log(16), 0.1, 0.05, realizable=True)
    assert 16 * 0.9**n <= 0.05


# ---- growing and pruning -------------------------------------------------------------------------------


def test_the_size_under_weak_learning_is_the_lecture_s() -> None:
    gamma, epsilon = 0.1, 0.05
    x = math.log(1 / epsilon)
    assert bounds.log_size_by_weak_learning("gini", gamma, epsilon) == pytest.approx(x**2 / (0.01 * 0.0025))
    assert bounds.log_size_by_weak_learning("entropy", gamma, epsilon) == pytest.approx(x**2 / 0.01)
    assert bounds.log_size_by_weak_learning("sqrt", gamma, epsilon) == pytest.approx(x / 0.01)


def test_structural_risk_prunes_by_the_penalty() -> None:
    tree = DecisionTreeClassifier(max_depth=1).fit(*datasets.load_iris()).tree_
    report = pruning.StructuralRisk(n_splits=50, scale="lecture").prune(tree).report
    assert report is not None
    below = tree.risk[1:].sum() / 150
    assert report[0].before == pytest.approx(below + bounds.structural_penalty(0, 3, 150, 50))


# ---- the true error ------------------------------------------------------------------------------------


def test_the_binomial_limit_leaves_the_chance_delta() -> None:
    for errors, n in [(0, 20), (3, 50), (20, 50)]:
        rate = bounds.binomial_upper(errors, n, 0.05)
        chance = sum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(errors + 1))
        assert chance == pytest.approx(0.05)
    assert bounds.binomial_upper(7, 7) == 1.0


def test_wilson_s_ends_are_where_the_share_is_z_deviations_away() -> None:
    low, high = bounds.wilson_interval(0.3, 40)
    for end in (low, high):
        assert abs(0.3 - end) / math.sqrt(end * (1 - end) / 40) == pytest.approx(1.959963984540054)
    assert [float(end) for end in bounds.wilson_interval(0.5, 0)] == [0.0, 1.0]
    for n in range(1, 50):
        assert bounds.wilson_interval(0.0, n)[0] == 0.0
        assert bounds.wilson_interval(1.0, n)[1] == 1.0


def test_the_bound_of_a_tree_is_its_formula() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    y = (X[:, 0] > 0) ^ (rng.random(20_000) < 0.05)
    model = DecisionTreeClassifier(max_depth=2, max_leaf_nodes=3).fit(X, y)
    found = model.bound(delta=0.1)
    error = np.mean(model.predict(X) != y)
    splits = model.tree_.n_leaves - 1
    delta = 0.1 * (6 / math.pi**2) ** 2 / (splits + 1) ** 2 / (splits + 1) ** 2
    # shapes, cuts of two features between 40,000 values, classes
    ways = math.comb(2 * splits + 1, splits) * (2 * 39_999) ** splits * 2 ** (splits + 1)
    a = (math.log(ways) + math.log(8 / delta)) / 20_000
    assert found.error == pytest.approx(error)
    assert found.bound == pytest.approx(
        min(error + 2 * math.sqrt(error * a) + 4 * a, error + math.sqrt(8 * a))
    )
    assert not found.is_vacuous
    assert log_splits(model.tree_, 40_000) == pytest.approx(math.log(2 * 39_999))


def test_the_bound_holds_far_more_often_than_promised() -> None:
    failures = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.random((400, 2))
        y = rng.random(400) < np.where(X[:, 0] > 0.5, 0.9, 0.1)
        model = DecisionTreeClassifier(max_depth=1).fit(X, y)
        fresh = rng.random((4000, 2))
        true = np.mean(np.where(model.predict(fresh), fresh[:, 0] <= 0.5, fresh[:, 0] > 0.5)) * 0.8 + 0.1
        failures += model.bound(delta=0.2).bound < true
    assert failures == 0


def test_held_out_rows_bound_by_the_binomial_limit() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    wrong = int((model.predict(X[1::2]) != y[1::2]).sum())
    found = model.bound(delta=0.1, X=X[1::2], y=y[1::2])
    assert found.bound == bounds.binomial_upper(wrong, 75, 0.1)
    assert "rows that it has not seen" in str(found)


def test_a_loose_bound_says_so() -> None:
    words = str(DecisionTreeClassifier().fit(*datasets.load_iris()).bound())
    assert "the bound says nothing here" in words
    assert "rows to be sure within 10 %" in words


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.holdout_size(3, 0.0), "epsilon must be above 0 and below 1, got 0.0"),
        (lambda: bounds.wilson_interval(0.5, 3, 95), "confidence must be above 0 and below 1, got 95"),
        (lambda: bounds.log_size_by_weak_learning("error", 0.1, 0.1), "criterion must be one of 'gini'"),  # type: ignore[arg-type]
        (lambda: bounds.log_size_by_weak_learning("gini", 0.7, 0.1), "gamma must be above 0 and at most 0.5"),
        (lambda: bounds.binomial_upper(5, 3), "errors must lie between 0 and n_rows=3, got 5"),
        (lambda: DecisionTreeRegressor().fit([[1], [2]], [1.0, 2.0]).bound(), "predicts numbers"),
        (
            lambda: DecisionTreeClassifier().fit([[1], [2]], [0, 1], [1.0, 3.0]).bound(),
            "rows that all count alike",
        ),
        (lambda: tw.ID3Classifier().fit(*datasets.load_tennis()).bound(delta=2), "delta must be above 0"),
    ],
)
def test_what_has_no_bound_is_refused(call: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()  # type: ignore[operator]


def shapes(n_leaves: int) -> int:
    """Count the binary trees of so many leaves, one by one."""
    if n_leaves == 1:
        return 1
    return sum(shapes(left) * shapes(n_leaves - left) for left in range(1, n_leaves))


def test_the_numbers_of_trees_are_those_of_the_lectures() -> None:
    for s in range(1, 9):
        assert bounds.catalan(s) == math.factorial(2 * s) // math.factorial(s) ** 2 // (s + 1)
        assert shapes(s) == bounds.catalan(s - 1) <= bounds.catalan(s) <= 4**s
        for n in range(1, 5):
            written = 4**s * n ** (s - 1) * 2**s
            assert shapes(s) * n ** (s - 1) * 2**s <= written <= bounds.boolean_trees(s, n) == (8 * n) ** s
    for s, n in itertools.product((1, 2, 3, 4), (1, 2, 3)):
        assert len(boolean_trees(s, n)) <= bounds.boolean_trees(s, n)
    for p in range(6):
        assert bounds.orderings(p) == len(list(itertools.permutations(range(p))))
        assert bounds.hypotheses(p) == len(list(itertools.product((0, 1), repeat=p)))


def test_the_regret_of_structural_risk_is_its_formula() -> None:
    found = bounds.structural_regret(n_nodes=7, depth=2, n_rows=1000, n_splits=10, delta=0.1, constant=3)
    assert found == pytest.approx(3 * math.sqrt(7 / 1000) * (math.log(70) + 2 * math.log(100_000)))
    assert bounds.structural_regret(1, 0, 100, 1) == pytest.approx(math.log(20) / 10)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: bounds.catalan(-1), "n_leaves must be a whole number from 0 on, got -1"),
        (lambda: bounds.catalan(2.5), "n_leaves must be a whole number"),
        (lambda: bounds.boolean_trees(0, 3), "n_leaves must be a whole number from 1 on"),
        (lambda: bounds.boolean_trees(2, 0), "n_features must be a whole number from 1 on"),
        (lambda: bounds.orderings(-2), "n_features must be"),
        (lambda: bounds.hypotheses(True), "n_rows must be"),
        (lambda: bounds.structural_regret(7, 2, 0, 10), "n_rows must be a whole number from 1 on, got 0"),
        (lambda: bounds.structural_regret(7, 2, 10, 0), "n_splits must be at least 1, got 0"),
        (lambda: bounds.structural_regret(7, 2, 10, 5, delta=1), "delta must be above 0"),
        (lambda: bounds.structural_regret(7, 2, 10, 5, constant=0), "constant must be"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(call, said) -> None:
    with pytest.raises(ValueError, match=said):
        call()


@pytest.mark.parametrize("n_classes", [9, 10, 30])
def test_a_bound_on_any_error_can_be_printed(n_classes: int) -> None:
    y = np.repeat(np.arange(n_classes), 2)
    model = tw.DecisionTreeClassifier().fit(np.zeros((len(y), 1)), y)
    bound = model.bound()
    assert (bound.rows_needed is None) == (n_classes >= 10)  # from an error of 90 % on
    assert ("it would take about" in str(bound)) == (n_classes < 10)
    assert f"It errs on {100 * (1 - 1 / n_classes):.3g} %" in str(bound)
