"""Choices that the lectures have: least gains, preferred features, truth values, groups, shares of counts."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from fuzz.engines import grow_as
from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe
from treewright.tree import Tree

# Tables drawn at random may have nothing to split on.
pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")


def impurity(criterion: str, counts: Any) -> float:
    return tw.criteria.impurity(criterion, counts) if np.sum(counts) > 0 else 0.0


def gain_of_shares(criterion: str, y: np.ndarray, shares: list[np.ndarray]) -> float:
    """Gain of branches that hold a share of each row, worked out from the counts."""
    counts = [np.bincount(y, share, minlength=y.max() + 1) for share in shares]
    after = sum(count.sum() * impurity(criterion, count) for count in counts)
    return impurity(criterion, np.bincount(y)) - after / len(y)


def with_shares(side: np.ndarray, known: np.ndarray) -> list[np.ndarray]:
    """Both branches of a split of the known rows, the others shared by weight."""
    share = side[known].mean()
    left = np.where(known, side, share).astype(float)
    return [left, 1 - left]


# ---- gain from fractional counts ---------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["entropy", "gini", "sqrt"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_gain_from_fractional_counts_of_every_split(criterion: str, n_classes: int) -> None:
    found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 5, 12).astype(float), rng.integers(0, n_classes, 12)
        x[rng.random(12) < 0.3] = np.nan
        known = ~np.isnan(x)
        values = np.unique(x[known])
        if len(values) < 2 or len(np.unique(y)) < n_classes:
            continue
        found += 1
        recipe = Recipe(criterion, missing="fractional_counts", max_depth=1)
        cuts = [with_shares(x <= value, known) for value in values[:-1]]
        large = [both for both in cuts if min(part.sum() for part in both) >= 1 - 1e-9]
        best = max((gain_of_shares(criterion, y, both) for both in large), default=0.0)
        tree = grow(Dataset.from_table(x[:, None], y, task="classification"), recipe)
        assert tree.merit[0] == pytest.approx(best)
        letters = pd.Categorical([None if np.isnan(value) else "abcde"[int(value)] for value in x])
        groups = [
            with_shares(np.isin(x, group), known)
            for size in range(1, len(values))
            for group in combinations(values, size)
        ]
        best = max(gain_of_shares(criterion, y, both) for both in groups)
        tree = grow(Dataset.from_table(pd.DataFrame({"x": letters}), y, task="classification"), recipe)
        assert tree.merit[0] == pytest.approx(best)
        assert tree.weight[1:].sum() == pytest.approx(12)  # and the rows are shared in that way
    assert found > 20


def test_sums_of_squares_from_shares() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 5, 14).astype(float), rng.normal(size=14)
        x[rng.random(14) < 0.3] = np.nan
        known = ~np.isnan(x)

        def squares(share: np.ndarray, y: np.ndarray = y) -> float:
            mean = (share * y).sum() / share.sum()
            return float((share * (y - mean) ** 2).sum())

        cuts = [with_shares(x <= value, known) for value in np.unique(x[known])[:-1]]
        large = [both for both in cuts if min(part.sum() for part in both) >= 1 - 1e-9]
        best = max((squares(np.ones(14)) - sum(map(squares, both))) / 14 for both in large)
        recipe = Recipe("squared_error", missing="fractional_counts", max_depth=1)
        assert grow(Dataset.from_table(x[:, None], y, task="regression"), recipe).merit[0] == pytest.approx(
            best
        )


def test_shares_of_counts_share_rows_as_fractional_does() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"]).mask(rng.random((200, 2)) < 0.2)
    y = (X.a.fillna(0) + X.b.fillna(0) > 0).to_numpy()
    one = tw.DecisionTreeClassifier(missing="fractional_counts", max_depth=3).fit(X, y)
    assert (one.tree_.default_branch == -1).all()
    assert one.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert one.score(X, y) > 0.75
    complete = X.dropna()
    same = [
        tw.DecisionTreeClassifier(missing=policy).fit(complete, y[complete.index]).tree_
        for policy in ("fractional", "fractional_counts")
    ]
    assert same[0] == same[1]


def test_shares_of_counts_need_sums() -> None:
    X, y = [[1.0], [np.nan], [3.0]], [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="'fractional_counts' needs sums"):
        tw.DecisionTreeRegressor(criterion="absolute_error", missing="fractional_counts").fit(X, y)


# ---- least gain ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "chi_square"])
def test_no_split_lowers_the_impurity_of_its_node_by_less(criterion: str) -> None:
    X, y = tw.datasets.load_iris()
    full = tw.DecisionTreeClassifier(criterion=criterion).fit(X, y).tree_
    tree = tw.DecisionTreeClassifier(criterion=criterion, min_gain=0.1).fit(X, y).tree_
    assert 1 < tree.n_leaves < full.n_leaves
    for node in np.flatnonzero(tree.n_children > 0):
        children = list(tree.children(int(node)))
        after = (tree.weight * tree.impurity)[children].sum() / tree.weight[node]
        assert tree.impurity[node] - after > 0.1


def test_least_gain_is_the_same_by_histograms_and_by_formulas() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30_000, 3))
    y = (X[:, 0] + rng.normal(size=30_000) > 0).astype(int)
    dataset = Dataset.from_table(X, y, task="classification")
    recipe = Recipe("gini", min_gain=0.02)
    tree = grow(dataset, recipe, n_jobs=1)
    assert tree == grow(dataset, recipe, n_jobs=2)
    plain = grow_as(dataset, recipe, plain=True)
    assert len(tree) == len(plain) > 3
    assert np.array_equal(tree.threshold, plain.threshold)


def test_numbers_have_least_gains_too() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 10.0, 10.5]
    assert tw.DecisionTreeRegressor(min_gain=1.0).fit(X, y).get_n_leaves() == 2
    assert tw.DecisionTreeRegressor().fit(X, y).get_n_leaves() == 3
    with pytest.raises(ValueError, match="min_gain"):
        tw.DecisionTreeRegressor(min_gain=-1).fit(X, y)


def test_a_tree_of_depth_zero_is_a_leaf_without_complaint(recwarn: pytest.WarningsRecorder) -> None:
    model = tw.DecisionTreeClassifier(max_depth=0).fit([[1], [2], [3]], ["a", "b", "b"])
    assert model.predict([[1]]).tolist() == ["b"]
    assert not recwarn.list


# ---- preferred features ----------------------------------------------------------------------------------


def equal_columns(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns that tie, some of them categories."""
    rng = np.random.default_rng(seed)
    number = rng.integers(0, 4, 60).astype(float)
    frame = pd.DataFrame({"a": number, "b": -number, "c": number * 2 + 1, "d": rng.random(60) < 0.5})
    frame["e"] = pd.Categorical(np.where(frame["d"], "x", "y"))
    return frame, ((number > 1) ^ frame["d"] ^ (rng.random(60) < 0.1)).to_numpy().astype(int)


@pytest.mark.parametrize("order", [["c", "e"], ["e", "d", "c", "b", "a"], [3, 1]])
def test_preferred_features_win_ties_as_if_they_came_first(order: list[Any]) -> None:
    for seed in range(10):
        X, y = equal_columns(seed)
        names = [name if isinstance(name, str) else X.columns[name] for name in order]
        moved = X[names + [name for name in X if name not in names]]
        settings = {"max_competitors": 2, "feature_costs": {"a": 2.0}, "interaction_cst": [["a", "b", "d"]]}
        ours = tw.DecisionTreeClassifier(ties=order, **settings).fit(X, y)
        theirs = tw.DecisionTreeClassifier(ties="first", **settings).fit(moved, y)
        assert str(ours.tree_) == str(theirs.tree_)
        assert described_competitors(ours.tree_) == described_competitors(theirs.tree_)
        assert np.array_equal(ours.predict(X), theirs.predict(moved))


def described_competitors(tree: Tree) -> list[list[str]]:
    return [
        [competitor.condition(tree.schema, 0) for competitor in tree[node].competitors]
        for node in range(len(tree))
    ]


def test_preference_reaches_oblique_splits_and_policies_by_feature() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    y = (X.a + 2 * X.c > 0).to_numpy()
    model = tw.DecisionTreeClassifier(ties=["c", "b"], splits=("hyperplane",), max_depth=1).fit(X, y)
    assert model.score(X, y) > 0.97
    assert {"a", "c"} <= set(model.tree_[0].split.condition(model.tree_.schema, 0).replace("·", " ").split())
    holes = X.mask(rng.random(X.shape) < 0.1)
    ways = {"a": "mean", "b": "fractional", "c": "surrogate"}
    ours = tw.DecisionTreeClassifier(ties=["c", "b"], missing=ways, max_depth=3).fit(holes, y)
    theirs = tw.DecisionTreeClassifier(missing=ways, max_depth=3).fit(holes[["c", "b", "a"]], y)
    assert str(ours.tree_) == str(theirs.tree_)


@pytest.mark.parametrize(
    ("ties", "words"),
    [
        (["a", "z"], "ties names 'z', which is no feature"),
        (["a", 0], "ties names feature 'a' twice"),
        ([], "must be a str among"),
        ("frst", "Did you mean 'first'"),
    ],
)
def test_odd_preferences_get_a_clear_sentence(ties: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.DecisionTreeClassifier(ties=ties).fit(pd.DataFrame({"a": [1, 2], "b": [2, 1]}), [0, 1])


def test_the_trace_says_that_preference_decided() -> None:
    X, y = tw.datasets.load_mushrooms()
    model = tw.ID3Classifier(ties=["Points", "Color", "Size"], trace=True).fit(X, y)
    assert model.trace_[0].reason == (
        "its gain of 0.322 is the largest, as is that of Color: of equals the one that ties prefers wins"
    )


# ---- truth values and predicates -------------------------------------------------------------------------


def false_goes_left(tree: Tree) -> int:
    found = 0
    for node in range(len(tree)):
        split = tree[node].split
        if split is not None and tree.schema.columns[split.feature].categories == (False, True):
            groups = [list(group) for group in split.groups]
            assert groups == [[0], [1]] or not all(groups)  # else known against missing
            found += 1
    return found


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"ties": "last"},
        {"splits": ("threshold", "one_vs_rest"), "ties": "last"},
        {"category_order": "once"},
        {"splitter": "random", "random_state": 0},
        {"missing": "surrogate"},
        {"missing": "fractional"},
        {"missing": "value"},
    ],
    ids=str,
)
@pytest.mark.parametrize("holes", [False, True])
def test_false_goes_left(parameters: dict[str, Any], holes: bool) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.random(400) < 0.5 for name in "abc"}).assign(x=rng.normal(size=400))
    if holes:
        X["a"] = X["a"].astype("boolean").mask(rng.random(400) < 0.1)
    for n_classes in (2, 3):
        y = rng.integers(0, n_classes, 400)
        assert false_goes_left(tw.DecisionTreeClassifier(**parameters).fit(X, y).tree_) > 5
    z = rng.normal(size=400)
    assert false_goes_left(tw.DecisionTreeRegressor(**parameters).fit(X, z).tree_) > 3
    if parameters in ({}, {"splits": ("threshold", "one_vs_rest"), "ties": "last"}):
        model = tw.DecisionTreeRegressor(criterion="absolute_error", max_depth=5, **parameters).fit(X, z)
        assert false_goes_left(model.tree_) > 1


def test_false_goes_left_in_programs_and_forests() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.random(300) < 0.5 for name in "abcd"})
    y, z = rng.integers(0, 2, 300), rng.normal(size=300)
    loose = {"cp": -1, "cv": None, "min_samples_leaf": 1, "min_samples_split": 2}
    assert false_goes_left(tw.CARTClassifier(**loose).fit(X, y).tree_) > 8
    assert false_goes_left(tw.CARTRegressor(**loose).fit(X, z).tree_) > 8
    assert false_goes_left(tw.C45Classifier(min_samples_leaf=1, pruner=None).fit(X, y).tree_) > 3
    for forest, target in ((tw.RandomForestClassifier, y), (tw.ExtraTreesRegressor, z)):
        model = forest(3, random_state=0).fit(X, target)
        assert sum(false_goes_left(tree.tree_) for tree in model.estimators_) > 20


def test_predicates_alone() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80)})
    X["c"] = pd.Categorical(rng.choice(list("uv"), 80))
    y = ((X.a > X.b) ^ (X.c == "u")).to_numpy()
    predicates = ["a > b", "a + b > 0"]
    alone = tw.DecisionTreeClassifier(splits=("predicate",), predicates=predicates).fit(X, y)
    assert {alone.tree_.schema.names[f] for f in alone.tree_.feature[alone.tree_.n_children > 0]} <= set(
        predicates
    )
    by_hand = pd.DataFrame({"a > b": X.a > X.b, "a + b > 0": X.a + X.b > 0})
    assert np.array_equal(
        alone.tree_.node_value, tw.DecisionTreeClassifier().fit(by_hand, y).tree_.node_value
    )
    numbers = tw.DecisionTreeClassifier(splits=("threshold", "predicate"), predicates=predicates).fit(X, y)
    used = {numbers.tree_.schema.names[f] for f in numbers.tree_.feature[numbers.tree_.n_children > 0]}
    assert "c" not in used
    assert {"a", "b"} & used
    both = tw.DecisionTreeClassifier(splits=("threshold", "subset", "predicate"), predicates=predicates).fit(
        X, y
    )
    assert both.tree_ == tw.DecisionTreeClassifier(predicates=predicates).fit(X, y).tree_
    with pytest.raises(ValueError, match="'predicate', but there is none"):
        tw.DecisionTreeClassifier(splits=("predicate",)).fit(X, y)


# ---- groups of categories ----------------------------------------------------------------------------------


def best_partition(criterion: str, code: np.ndarray, y: np.ndarray, most: int) -> float:
    levels = np.unique(code)
    best = 0.0
    for groups in product(range(most), repeat=len(levels) - 1):
        of_level = np.array([0, *groups])[np.searchsorted(levels, code)]
        best = max(best, gain_of_shares(criterion, y, [(of_level == g).astype(float) for g in range(most)]))
    return best


@pytest.mark.parametrize("most", [3, 4])
def test_several_groups_of_two_classes_are_the_best_of_all(most: int) -> None:
    for seed in range(15):
        rng = np.random.default_rng(seed)
        code, y = rng.integers(0, 6, 50), rng.integers(0, 2, 50)
        table = Dataset.from_table(pd.DataFrame({"c": pd.Categorical(code)}), y, task="classification")
        tree = grow(table, Recipe("gini", max_groups=most, max_depth=1))
        assert tree.merit[0] == pytest.approx(best_partition("gini", code, y, most))
        assert len(tree.children(0)) <= most


def test_several_groups_of_numbers_are_runs_of_their_means() -> None:
    city = np.repeat(list("abcdef"), 4)
    price = np.repeat([1.0, 9.0, 1.1, 5.0, 9.2, 5.1], 4)
    model = tw.DecisionTreeRegressor(max_groups=3, max_depth=1).fit(city[:, None], price)
    assert sorted(map(sorted, map(list, model.tree_[0].split.groups))) == [[0, 2], [1, 4], [3, 5]]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_descent_ends_where_no_single_move_of_all_helps(criterion: str) -> None:
    """Close to the best for three groups of a few categories, and never above it."""
    near = []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        code, y = rng.integers(0, 6, 80), rng.integers(0, 3, 80)
        table = Dataset.from_table(pd.DataFrame({"c": pd.Categorical(code)}), y, task="classification")
        found = grow(table, Recipe(criterion, max_groups=3, max_depth=1)).merit[0]
        best = best_partition(criterion, code, y, 3)
        assert found <= best + 1e-9
        near.append(found / best)
    assert np.mean(near) > 0.8


def test_groups_are_grown_the_same_by_every_finder() -> None:
    rng = np.random.default_rng(0)
    code = rng.integers(0, 30, 20_000)
    X = pd.DataFrame({"c": pd.Categorical(code), "x": rng.normal(size=20_000)})
    X.loc[rng.random(20_000) < 0.05, "c"] = None
    y = (code % 3 + (rng.random(20_000) < 0.2)).clip(0, 2)
    dataset = Dataset.from_table(X, y, task="classification")
    for choices in ({"max_groups": 3}, {"category_search": "descent"}):
        recipe = Recipe("gini", max_depth=3, **choices)
        tree = grow(dataset, recipe, n_jobs=1)
        assert tree == grow(dataset, recipe, n_jobs=2)
        plain = grow_as(dataset, recipe, plain=True)
        assert np.array_equal(tree.parent, plain.parent)
        assert tree.node_value == pytest.approx(plain.node_value)


def test_groups_need_sums() -> None:
    with pytest.raises(ValueError, match="max_groups"):
        tw.DecisionTreeRegressor(criterion="absolute_error", max_groups=3).fit([["a"], ["b"]], [1.0, 2.0])


# ---- leaves on constant features ---------------------------------------------------------------------------


def test_a_constant_first_feature_makes_a_leaf_where_nothing_is_gained() -> None:
    X = pd.DataFrame({"same": ["u"] * 4, "a": list("uuvv"), "b": list("uvuv")}, dtype="category")
    y = [0, 1, 1, 0]
    assert tw.ID3Classifier().fit(X, y).get_n_leaves() == 4
    assert tw.ID3Classifier(stop_on_constant=True).fit(X, y).get_n_leaves() == 1
    behind = X[["a", "b", "same"]]
    assert tw.ID3Classifier(stop_on_constant=True).fit(behind, y).get_n_leaves() == 4
    preferred = tw.ID3Classifier(stop_on_constant=True, ties=["a", "b"]).fit(X, y)
    assert preferred.get_n_leaves() == 4
    assert tw.ID3Classifier(stop_on_constant=True, missing="value").fit(X, y).get_n_leaves() == 1


def test_fractions_of_one_row_in_the_gain_and_beside_it() -> None:
    """Ten rows know A, four of them A = 1, and one goes .4 : .6; by hand: .205, and C4.5's .233."""
    X = pd.DataFrame({"A": pd.Categorical([1] * 4 + [0] * 6 + [None])})
    y = [1] * 3 + [0] * 1 + [1] * 1 + [0] * 5 + [1]
    gains = [
        tw.ID3Classifier(missing=policy, trace=True).fit(X, y).trace_[0].candidates[0].merit
        for policy in ("fractional_counts", "fractional")
    ]
    np.testing.assert_allclose(gains, [0.2053, 0.2331], atol=1e-4)
