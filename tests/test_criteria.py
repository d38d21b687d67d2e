"""The criteria's definitions: known values, their properties, and the core's agreement with them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_digits

from helpers.tables import Rows
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, _core, criteria
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe

CONCAVE = ("error", "gini", "entropy", "sqrt")
tables = arrays(
    np.float64, st.tuples(st.integers(2, 4), st.integers(2, 5)), elements=st.integers(0, 20).map(float)
).filter(lambda table: table.sum() > 0)


@pytest.mark.parametrize("name", CONCAVE)
def test_potential_is_normalised(name: str) -> None:
    assert criteria.potential(name, [0.0, 0.5, 1.0]).tolist() == pytest.approx([0.0, 0.5, 0.0])


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("gini", 0.32, 0.24), ("error", 0.20, 0.20), ("sqrt", 0.4, 0.6**0.5 * 0.4**0.5 / 2)],
)
def test_potential_of_a_split_that_error_cannot_see(name: str, before: float, after: float) -> None:
    """A node of share .8 is halved into shares .6 and 1: every strictly concave value falls."""
    assert criteria.potential(name, 0.8) == pytest.approx(before)
    assert (criteria.potential(name, 0.6) + criteria.potential(name, 1.0)) / 2 == pytest.approx(after)


def test_potential_refuses_what_is_no_share() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        criteria.potential("gini", 1.2)
    with pytest.raises(ValueError, match="Did you mean 'gini'"):
        criteria.potential("ginni", 0.5)


@pytest.mark.parametrize("name", CONCAVE)
@given(q=st.floats(0, 1))
def test_two_classes_agree_with_the_potential(name: str, q: float) -> None:
    scale = {"gini": 1, "entropy": 2}.get(name, 1)
    assert criteria.impurity(name, [q, 1 - q]) == pytest.approx(
        scale * criteria.potential(name, q), abs=1e-12
    )


@pytest.mark.parametrize(
    ("table", "gain"),
    [
        ([[2, 3], [4, 0], [3, 2]], 0.247),  # outlook
        ([[3, 4], [6, 1]], 0.152),  # humidity
        ([[6, 2], [3, 3]], 0.048),  # wind
        ([[2, 2], [4, 2], [3, 1]], 0.029),  # temperature
    ],
)
def test_gains_of_play_tennis(table: list[list[int]], gain: float) -> None:
    assert criteria.merit("entropy", table) == pytest.approx(gain, abs=5e-4)


def test_twoing_by_hand() -> None:
    # Branches of 2 and 8 of 10 rows with shares (1, 0) and (1/4, 3/4): .2 · .8 / 4 · (3/4 + 3/4)²
    assert criteria.merit("twoing", [[2, 0], [2, 6]]) == pytest.approx(0.2 * 0.8 / 4 * 1.5**2)


def test_chi_square_is_pearsons_statistic() -> None:
    from scipy.stats import chi2_contingency

    table = [[12, 5, 3], [4, 9, 7]]
    assert criteria.merit("chi_square", table) == pytest.approx(
        chi2_contingency(table, correction=False).statistic
    )


def test_hellinger_does_not_depend_on_class_shares() -> None:
    table = np.array([[8.0, 1.0], [2.0, 9.0]])
    assert criteria.merit("hellinger", table) == pytest.approx(criteria.merit("hellinger", table * [100, 1]))
    assert criteria.merit("hellinger", [[5, 0], [0, 7]]) == pytest.approx(2**0.5)


def test_regression_impurities_by_hand() -> None:
    assert criteria.impurity("squared_error", [1, 2, 6]) == pytest.approx((4 + 1 + 9) / 3)
    assert criteria.impurity("absolute_error", [1, 2, 6]) == pytest.approx((1 + 0 + 4) / 3)
    assert criteria.impurity("poisson", [0, 2]) == pytest.approx(2 * np.log(2) / 2)
    assert criteria.merit("squared_error", [[1, 2], [6]]) == pytest.approx(14 / 3 - 0.5 / 3)


@given(table=tables)
@pytest.mark.parametrize("name", CONCAVE)
def test_no_split_raises_a_concave_impurity(name: str, table: np.ndarray) -> None:
    assert criteria.merit(name, table) >= -1e-12


@given(table=tables)
@pytest.mark.parametrize("name", criteria.CLASSIFICATION)
def test_the_core_agrees(name: str, table: np.ndarray) -> None:
    assert _core.merit(name, table) == pytest.approx(criteria.merit(name, table), abs=1e-12)


@pytest.mark.parametrize("criterion", ["entropy", "gini", "sqrt"])
@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 6))
def test_superclasses_are_the_best_of_all_groupings(criterion: str, seed: int, n_classes: int) -> None:
    """Looked at one by one, no grouping of the classes decreases the impurity of the groups more."""
    random = np.random.default_rng(seed)
    node = random.integers(0, 9, n_classes).astype(float)
    node[0] += 1
    first = np.floor(random.random((4, n_classes)) * (node + 1))
    tables = np.stack([first, node - first], axis=1)
    merits = criteria.Superclasses(criterion)(node, tables)
    for table, found in zip(tables, merits, strict=True):
        best = 0.0
        for inside in product([False, True], repeat=n_classes):
            group = np.array(inside)
            two = np.stack([table[:, group].sum(axis=1), table[:, ~group].sum(axis=1)], axis=1)
            best = max(best, criteria.merit(criterion, two))
        assert found == pytest.approx(best, abs=1e-12)


def test_superclasses_by_gini_grow_the_tree_of_twoing() -> None:
    X, y = load_digits(return_X_y=True)
    trees = [
        DecisionTreeClassifier(criterion=criterion, max_depth=4).fit(X, y).tree_
        for criterion in ("twoing", criteria.Superclasses("gini"))
    ]
    np.testing.assert_array_equal(trees[0].feature, trees[1].feature)
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)
    np.testing.assert_allclose(2 * trees[0].merit, trees[1].merit, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("criterion", ["entropy", "gini", "sqrt"])
@pytest.mark.parametrize("weighted", [False, True])
@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 9))
def test_superclasses_grow_the_tree_of_the_formula(
    criterion: str, weighted: bool, seed: int, n_classes: int
) -> None:
    """The core leaves out cuts that cannot win; asked about every cut, the formula says the same."""
    random = np.random.default_rng(seed)
    X = np.column_stack(
        [
            random.normal(size=80),
            random.integers(0, 4, 80),
            np.where(random.random(80) < 0.2, np.nan, random.normal(size=80)),
            random.integers(0, 5, 80),
        ]
    )
    y = random.integers(0, n_classes, 80) + (X[:, 0] > 0) * n_classes // 2
    weight = random.random(80) + 0.1 if weighted else None
    formula = criteria.Superclasses(criterion)
    trees = [
        DecisionTreeClassifier(criterion=given, categorical_features=[3], min_samples_leaf=2, ties="first")
        .fit(X, y, sample_weight=weight)
        .tree_
        for given in (formula, formula.__call__)
    ]
    assert trees[0].n_leaves > 2
    np.testing.assert_array_equal(trees[0].parent, trees[1].parent)
    np.testing.assert_array_equal(trees[0].splits.feature, trees[1].splits.feature)
    np.testing.assert_array_equal(trees[0].splits.threshold, trees[1].splits.threshold)
    np.testing.assert_array_equal(trees[0].splits.pool_value, trees[1].splits.pool_value)
    rounded = 1e-7 if weighted and criterion == "sqrt" else 1e-12  # the root of what rounding leaves
    np.testing.assert_allclose(trees[0].merit, trees[1].merit, rtol=1e-9, atol=rounded)


def test_superclasses_refuse_what_has_no_order() -> None:
    with pytest.raises(ValueError, match="criterion of superclasses"):
        criteria.Superclasses("error")
    with pytest.raises(ValueError, match="two branches, got 3"):
        criteria.Superclasses()(np.ones(3), np.ones((1, 3, 3)))


@pytest.mark.parametrize("repeats", [800, 1334, 1336])
def test_no_gain_is_no_reason_to_stop(repeats: int) -> None:
    """On a 3×3 grid no single cut tells anything of the class; splits of merit zero are taken."""
    i = np.arange(9 * repeats)
    X = np.column_stack([i % 3, i // 3 % 3])
    model = DecisionTreeClassifier(criterion="entropy").fit(X, X.sum(axis=1) % 3)
    assert model.tree_.node_count == 17
    assert model.score(X, X.sum(axis=1) % 3) == 1.0


REPEATED = ("entropy", "error", "sqrt", "gini", "squared_error", "poisson", "absolute_error")


@pytest.mark.parametrize("criterion", REPEATED)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=12)
def test_repeated_rows_grow_the_same_tree(criterion: str, seed: int) -> None:
    """Whether a few rows or thousands: near ties are decided by the order of candidates, not by rounding."""
    rows = repeated_rows(criterion, np.random.default_rng(seed))
    recipe = Recipe(criterion, max_depth=6)
    few = grow(rows.dataset(), recipe, n_jobs=1)
    n = len(rows.y)
    many = grow(rows.take(np.tile(np.arange(n), 9_000 // n + 1)).dataset(), recipe, n_jobs=1)
    np.testing.assert_array_equal(many.parent, few.parent)
    np.testing.assert_array_equal(many.splits.feature, few.splits.feature)
    np.testing.assert_array_equal(many.splits.threshold, few.splits.threshold)
    np.testing.assert_array_equal(many.default_branch, few.default_branch)


def repeated_rows(criterion: str, random: np.random.Generator) -> Rows:
    """Few distinct values, so that many cuts are worth the same, some of them missing."""
    n = int(random.integers(30, 200))
    X = pd.DataFrame({name: random.integers(0, 6, n).astype(float) for name in "abc"})
    X["d"] = X["a"]  # the first of equal features wins
    X = X.mask(random.random(X.shape) < random.choice([0, 0.1]))
    classes = criterion in criteria.CLASSIFICATION
    y = random.integers(0, 3, n) if classes else random.choice([0.0, 0.1, 0.3, 1.0, 2.5], n)
    return Rows(X, y, None, "classification" if classes else "regression")


@pytest.mark.parametrize("heavy", [1e15, 1e16, 1e20])
@pytest.mark.parametrize("criterion", [*criteria.CLASSIFICATION, *criteria.REGRESSION])
@pytest.mark.parametrize("n", [40, 12_000])
def test_no_merit_is_made_of_rounding(criterion: str, heavy: float, n: int) -> None:
    """A side that weighs less than the rounding of the other cannot be told from nothing."""
    random = np.random.default_rng(n)
    X = pd.DataFrame(random.random((n, 3)), columns=list("abc"))
    X["d"] = pd.Categorical(random.integers(0, 3, n))
    y = random.integers(0, 3, n)
    weight = np.where(random.random(n) < 0.1, heavy, 1.0)
    weight[X["a"].argmax()] = weight[X["b"].argmin()] = 1.0
    classes = criterion in criteria.CLASSIFICATION
    task: Any = "classification" if classes else "regression"
    rows = Rows(X, y if classes else y.astype(float), weight, task)
    tree = grow(rows.dataset(), Recipe(criterion, max_depth=4))
    assert np.isfinite(tree.merit).all()
    rounding = 1e-7 if criterion == "sqrt" else 1e-14  # the root of 1e-16 is 1e-8
    assert (tree.merit[tree.n_children > 0] > -rounding).all()
    shares = tree.weight[1:] / tree.weight[tree.parent[1:]]
    assert (shares > 1e-13).all()


# ---- the theory of leaves, splits and trees -----------------------------------------------------------

labels = st.lists(st.integers(0, 3), min_size=1, max_size=12)
LOSSES = {
    "error": lambda y, guess: float(y != guess),
    "squared_error": lambda y, guess: (y - guess) ** 2,
    "log_loss": lambda y, guess: -np.log2(guess[y]) if guess[y] > 0 else np.inf,
}


def mean_loss(loss: str, y: list[int], guess: Any, weight: list[float] | None = None) -> float:
    """E[ℓ(Y, guess)], row by row."""
    weight = [1.0] * len(y) if weight is None else weight
    return sum(w * LOSSES[loss](one, guess) for w, one in zip(weight, y, strict=True)) / sum(weight)


@pytest.mark.parametrize("loss", LOSSES)
@given(y=labels, other=st.integers(0, 3), shares=st.lists(st.integers(1, 9), min_size=4, max_size=4))
def test_the_centroid_is_the_best_label_and_divergence_is_never_negative(loss, y, other, shares) -> None:
    best = criteria.centroid(loss, y, classes=range(4) if loss == "log_loss" else None)
    guess = np.array(shares) / sum(shares) if loss == "log_loss" else other
    least, given_up = mean_loss(loss, y, best), mean_loss(loss, y, guess)
    kept = {"classes": range(4)} if loss == "log_loss" else {}
    assert criteria.divergence(loss, y, guess, **kept) == pytest.approx(given_up - least, abs=1e-9)
    assert criteria.divergence(loss, y, guess, **kept) >= 0
    assert criteria.divergence(loss, y, best, **kept) == pytest.approx(0.0, abs=1e-12)
    node = y if loss == "squared_error" else np.bincount(y)
    assert criteria.impurity(loss, node) == pytest.approx(least, abs=1e-9)


def test_centroids_follow_the_order_of_classes_and_weights() -> None:
    assert criteria.centroid("error", ["b", "a"]) == "a"
    assert criteria.centroid("error", pd.Categorical(["b", "a"], categories=["b", "a"])) == "b"
    assert criteria.centroid("error", ["b", "a"], sample_weight=[2, 1]) == "b"
    assert criteria.centroid("squared_error", [0, 4], sample_weight=[3, 1]) == 1
    assert criteria.centroid("log_loss", pd.Series(["b"], dtype="category")).tolist() == [1.0]
    assert criteria.divergence("error", ["a", "b", "b"], "z") == pytest.approx(2 / 3)
    assert criteria.divergence("log_loss", ["a", "b"], [1, 0]) == np.inf
    assert criteria.divergence("log_loss", ["a"], [1, 0], classes=["a", "b"]) == 0
    assert criteria.divergence("squared_error", [1, 2, 6], 5, sample_weight=[1, 1, 0]) == 12.25


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: criteria.centroid("eror", ["a"]), "Unknown loss 'eror'.* Did you mean 'error'"),
        (lambda: criteria.centroid("error", []), "y must have at least one row"),
        (lambda: criteria.centroid("error", ["a", None]), "y must have no missing values"),
        (lambda: criteria.centroid("error", [1.0, np.nan]), "y must have no missing values"),
        (lambda: criteria.centroid("error", pd.array(["a", pd.NA])), "y must have no missing values"),
        (lambda: criteria.centroid("error", ["a", 1]), "can be sorted, or classes must give their order"),
        (lambda: criteria.centroid("error", ["a"], classes=["b"]), "no label but those of classes, got 'a'"),
        (lambda: criteria.centroid("squared_error", ["a"]), "y must be a list of finite numbers"),
        (lambda: criteria.centroid("squared_error", [1], sample_weight=[0]), "sample_weight must"),
        (lambda: criteria.divergence("squared_error", [1], "a"), "guess must be a finite number, got 'a'"),
        (lambda: criteria.divergence("log_loss", [0, 1], [0.5, 0.6]), "each of 2 classes, which sum to 1"),
        (lambda: criteria.divergence("log_loss", [0, 1], [1.0]), "each of 2 classes"),
        (lambda: criteria.split_potential("twoing", [[1, 0]]), "Unknown criterion 'twoing'"),
        (lambda: criteria.split_potential("gini", [1, 0]), "a row per branch"),
        (lambda: criteria.tree_potential("gini", 3), "tree must be a fitted tree of classes, got 3"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(call, said) -> None:
    with pytest.raises(ValueError, match=said):
        call()


@pytest.mark.parametrize("name", CONCAVE)
def test_the_potential_of_a_split_and_of_a_tree_are_sums_over_leaves(name: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (60, 3)), rng.integers(0, 2, 60)
    weight = rng.integers(1, 4, 60)
    model = DecisionTreeClassifier(max_depth=3).fit(X, y, sample_weight=weight)
    tree = model.tree_
    total = 0.0
    for leaf in tree.leaves:
        here = model.apply(X) == leaf
        p, q = weight[here].sum() / weight.sum(), weight[here & (y == 1)].sum() / weight[here].sum()
        total += p * criteria.potential(name, q)
    assert criteria.tree_potential(name, tree) == pytest.approx(total)
    assert criteria.tree_potential(name, model) >= 1 - model.score(X, y, sample_weight=weight) - 1e-12
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=weight).tree_
    assert criteria.split_potential(name, stump.node_value[1:]) == criteria.tree_potential(name, stump)
    u = stump.weight[1] / stump.weight[0]
    p, r = stump.node_value[1:, 1] / stump.weight[1:]
    by_hand = u * criteria.potential(name, p) + (1 - u) * criteria.potential(name, r)
    assert criteria.split_potential(name, stump.node_value[1:]) == pytest.approx(by_hand)


@given(table=tables)
def test_no_potential_lies_below_the_error_whatever_the_classes(table) -> None:
    error = criteria.split_potential("error", table)
    for name in ("gini", "entropy", "log_loss", "sqrt"):
        assert criteria.split_potential(name, table) >= error - 1e-12


def test_potentials_of_nothing_and_of_empty_branches() -> None:
    assert criteria.split_potential("gini", [[0, 0], [0, 0]]) == 0
    assert criteria.split_potential("gini", [[3, 2], [0, 0], [5, 0]]) == pytest.approx(0.24)
    X = pd.DataFrame({"a": pd.Categorical(["u", "v", "v"], categories=["u", "v", "w"])})
    tree = DecisionTreeClassifier(splits=("multiway",)).fit(X, ["yes", "no", "yes"]).tree_
    assert criteria.tree_potential("gini", tree) == pytest.approx(2 / 3 * 0.5)
    with pytest.raises(ValueError, match="tree of classes"):
        criteria.tree_potential("gini", DecisionTreeRegressor().fit([[1], [2]], [0.0, 1.0]))


def test_log_loss_is_another_name_of_entropy() -> None:
    assert criteria.impurity("log_loss", [9, 5]) == criteria.impurity("entropy", [9, 5])
    table = [[2, 3], [4, 0], [3, 2]]
    assert criteria.merit("log_loss", table) == criteria.merit("entropy", table)
    assert criteria.merit("friedman_mse", [[1.0], [3.0]]) == criteria.merit("squared_error", [[1.0], [3.0]])
    assert criteria.potential("log_loss", 0.3) == criteria.potential("entropy", 0.3)
