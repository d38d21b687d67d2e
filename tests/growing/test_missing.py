"""Missing values: every policy against worked examples, filled tables and the fast engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.tables import golf
from treewright.growing.parameters import MISSING

PLAIN = ("fractional", "fractional_counts", "surrogate", "mean", "median", "mode", "class_mode")
"""The policies that only the plain engine knows."""


def golf_with_a_hole() -> tuple[pd.DataFrame, list[str]]:
    """The table as the book has it where it speaks of missing values."""
    X, y = golf()
    X["outlook"] = X["outlook"].astype("category")
    X.loc[5, "outlook"] = None
    return X, y


def random_table(seed: int, holes: float = 0.2, n: int = 120) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.integers(0, 12, n).astype(float) for name in "abc"})
    frame["d"] = pd.Categorical(rng.choice(list("uvwx"), n))
    y = (frame["a"] + 3 * (frame["d"] == "v") + rng.normal(0, 2, n) > 6).to_numpy().astype(int)
    for column in frame.columns:
        frame.loc[rng.random(n) < holes, column] = None
    return frame, y


def shape(tree: Any) -> list[Any]:
    """What a tree asks and holds, node by node."""
    return [
        (str(node.split), node.count, node.value.round(9).tolist(), round(node.merit, 9)) for node in tree
    ]


@pytest.mark.parametrize("policy", PLAIN)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "twoing", "chi_square"])
@pytest.mark.parametrize("categories", ["subset", "multiway", "one_vs_rest"])
def test_without_holes_every_policy_grows_the_same_tree(policy: str, criterion: str, categories: str) -> None:
    X, y = random_table(1, holes=0)
    choices = {"criterion": criterion, "splits": ("threshold", categories), "min_samples_leaf": 3}
    fast = tw.DecisionTreeClassifier(**choices, missing="available").fit(X, y)
    plain = tw.DecisionTreeClassifier(**choices, missing={"a": policy}).fit(X, y)  # a mix: the plain engine
    assert shape(plain.tree_) == shape(fast.tree_)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("categories", ["subset", "multiway", "one_vs_rest"])
def test_without_holes_regression_grows_the_same_tree(criterion: str, categories: str) -> None:
    X, y = random_table(2, holes=0)
    target = y + X["b"].to_numpy() / 10 + 1
    choices = {"criterion": criterion, "splits": ("threshold", categories), "max_depth": 4}
    fast = tw.DecisionTreeRegressor(**choices, missing="available").fit(X, target)
    plain = tw.DecisionTreeRegressor(**choices, missing={"a": "mean"}).fit(X, target)
    assert shape(plain.tree_) == shape(fast.tree_)


def test_fractional_gain_ratio_of_the_book() -> None:
    """Quinlan (1993, p. 28): outlook is missing once; gain 0.199, split information 1.809, ratio 0.110."""
    X, y = golf_with_a_hole()
    model = tw.DecisionTreeClassifier(
        criterion="gain_ratio", missing="fractional", splits=("threshold", "multiway"), max_depth=1
    )
    merit = model.fit(X[["outlook"]], y).tree_.merit[0]
    assert merit == pytest.approx(0.199 / 1.809, abs=5e-4)


def test_fractional_rows_of_the_book() -> None:
    """The row without an outlook goes down its branches with 5/13, 3/13 and 5/13 (Quinlan, 1993, p. 30)."""
    X, y = golf_with_a_hole()
    model = tw.C45Classifier(pruner=None).fit(X, y)
    outlook = dict(zip(X["outlook"].cat.categories, model.tree_.children(0), strict=True))
    assert model.tree_.weight[outlook["sunny"]] == pytest.approx(5 + 5 / 13)
    assert model.tree_.weight[outlook["overcast"]] == pytest.approx(3 + 3 / 13)
    assert model.tree_.weight[outlook["rain"]] == pytest.approx(5 + 5 / 13)
    # p. 31: sunny, humidity unknown: humidity ≤ 75 is reached with 2/5.4, > 75 with 3.4/5.4
    row = pd.DataFrame({"outlook": ["sunny"], "temperature": [70.0], "humidity": [np.nan], "windy": [False]})
    low, high = 2 / (5 + 5 / 13), (3 + 5 / 13) / (5 + 5 / 13)
    expected = low * 1.0 + high * (5 / 13) / (3 + 5 / 13)
    shares = dict(zip(model.classes_, model.predict_proba(row)[0], strict=True))
    assert shares["Play"] == pytest.approx(expected)


@pytest.mark.parametrize("policy", ["mean", "median", "mode"])
@pytest.mark.parametrize("seed", range(4))
def test_fills_at_the_root_are_those_of_a_filled_table(policy: str, seed: int) -> None:
    X, y = random_table(seed)
    filled = X.copy()
    for column in X.columns:
        mode = X[column].mode()[0]
        by = {"mean": X[column].mean, "median": X[column].median} if column != "d" else {}
        filled[column] = X[column].fillna(by.get(policy, lambda mode=mode: mode)())
    stump = tw.DecisionTreeClassifier(missing=policy, max_depth=1).fit(X, y)
    same = tw.DecisionTreeClassifier(missing="error", max_depth=1).fit(filled, y)
    np.testing.assert_allclose(stump.tree_.node_value, same.tree_.node_value)
    np.testing.assert_array_equal(stump.apply(X), same.apply(filled))


def test_class_mode_fills_by_class_when_growing_and_by_mode_when_predicting() -> None:
    X = pd.DataFrame({"x": [1.0, 1.0, 1.0, None, 9.0, 9.0, None]})
    y = ["a", "a", "a", "a", "b", "b", "b"]
    model = tw.DecisionTreeClassifier(missing="class_mode").fit(X, y)
    np.testing.assert_array_equal(model.tree_.node_value[1:], [[4, 0], [0, 3]])
    assert model.predict(pd.DataFrame({"x": [np.nan]})).tolist() == ["a"]


def test_value_gives_missing_a_branch_of_its_own() -> None:
    X = pd.DataFrame({"x": pd.Categorical(["u", "u", "v", "v", None, None])})
    model = tw.DecisionTreeClassifier(missing="value", splits=("multiway",)).fit(X, list("aabbcc"))
    assert model.tree_.n_leaves == 3
    assert model.predict(X).tolist() == list("aabbcc")
    binary = tw.DecisionTreeClassifier(missing="value").fit(X, list("aaaabb"))
    assert binary.predict(X).tolist() == list("aaaabb")


def test_ignore_grows_on_the_complete_rows() -> None:
    X, y = random_table(5)
    complete = X.notna().all(axis=1)
    model = tw.DecisionTreeClassifier(missing="ignore", max_depth=4).fit(X, y)
    same = tw.DecisionTreeClassifier(missing="available", max_depth=4).fit(X[complete], y[complete])
    assert shape(model.tree_) == shape(same.tree_)
    one = tw.DecisionTreeClassifier(missing={"a": "ignore"}, max_depth=4).fit(X, y)
    assert one.tree_.count[0] == X["a"].notna().sum()


def test_surrogates_are_ranked_by_agreement_and_used_in_order() -> None:
    x = np.arange(20.0)
    worse = np.where(x < 10, 0.0, 1.0)
    worse[[2, 3, 15]] = 1 - worse[[2, 3, 15]]
    better = -x  # runs the other way
    better[0] = -25.0
    X, y = pd.DataFrame({"x": x, "worse": worse, "better": better}), (x >= 10).astype(int)
    model = tw.DecisionTreeClassifier(missing="surrogate", max_depth=1).fit(X, y)
    tree = model.tree_
    assert tree.splits.score.tolist()[1:] == pytest.approx([0.95, 0.85])
    holes = pd.DataFrame({"x": [np.nan] * 3, "worse": [1.0, 1.0, np.nan], "better": [-3.0, np.nan, np.nan]})
    assert model.predict(holes).tolist() == [0, 1, 0]  # by the better, the worse, the majority
    stay = tw.DecisionTreeClassifier(missing="surrogate", max_depth=1, use_surrogates=1).fit(X, y)
    assert stay.apply(holes).tolist()[2] == 0
    never = tw.DecisionTreeClassifier(missing="surrogate", max_depth=1, use_surrogates=0).fit(X, y)
    assert never.apply(holes).tolist() == [0, 0, 0]


@pytest.mark.parametrize("policy", [name for name in MISSING if name != "error"])
def test_weights_count_like_repeated_rows(policy: str) -> None:
    X, y = random_table(7, n=60)
    weight = np.arange(len(X)) % 3 + 1
    again = np.repeat(np.arange(len(X)), weight)
    limits = {"missing": policy, "max_depth": 3, "criterion": "entropy"}
    weighted = tw.DecisionTreeClassifier(**limits).fit(X, y, sample_weight=weight)
    repeated = tw.DecisionTreeClassifier(**limits).fit(X.iloc[again].reset_index(drop=True), y[again])
    np.testing.assert_allclose(weighted.tree_.node_value, repeated.tree_.node_value)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.parametrize("policy", [name for name in MISSING if name != "error"])
@pytest.mark.parametrize("categories", ["subset", "multiway", "one_vs_rest"])
def test_rows_are_neither_lost_nor_made(policy: str, categories: str) -> None:
    X, y = random_table(8)
    model = tw.DecisionTreeClassifier(missing=policy, splits=("threshold", categories), min_samples_leaf=4)
    tree = model.fit(X, y).tree_
    for node in np.flatnonzero(tree.n_children):
        children = list(tree.children(node))
        np.testing.assert_allclose(
            tree.node_value[children][tree.weight[children] > 0].sum(axis=0), tree.node_value[node]
        )
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    if policy not in ("fractional", "fractional_counts", "class_mode", "ignore"):
        assert (
            np.bincount(model.apply(X), minlength=len(tree))[tree.leaves].tolist()
            == tree.count[tree.leaves].tolist()
        )


def test_a_dict_sets_the_policy_by_feature() -> None:
    X, y = random_table(9)
    model = tw.DecisionTreeClassifier(missing={"a": "fractional", 3: "surrogate"}, max_depth=4).fit(X, y)
    tree = model.tree_
    feature = np.array([tree.splits.feature[begin] for begin in tree.split_begin[:-1][tree.n_children > 0]])
    default = tree.default_branch[tree.n_children > 0]
    assert (default[feature == 0] == -1).all()
    assert (default[feature != 0] >= 0).all()


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ({"a": "error"}, "column 'a' has missing values"),
        ({"z": "mean"}, "missing names 'z'"),
        ({"a": "maen"}, "'missing' parameter of DecisionTreeClassifier"),
        ("maen", "Did you mean 'mean'"),
    ],
)
def test_bad_policies_are_named(missing: Any, words: str) -> None:
    X, y = random_table(10)
    with pytest.raises(ValueError, match=words):
        tw.DecisionTreeClassifier(missing=missing).fit(X, y)


def test_class_mode_needs_classes() -> None:
    X, y = random_table(11)
    with pytest.raises(ValueError, match="needs classes"):
        tw.DecisionTreeRegressor(missing="class_mode").fit(X, y)


def test_crumbs_of_rows_do_not_make_up_a_leaf() -> None:
    """Under `fractional` a leaf of five rows is worth five rows, however many rows it holds parts of."""
    X, y = random_table(5, holes=0.5, n=400)
    tree = tw.DecisionTreeClassifier(missing="fractional", min_samples_leaf=5).fit(X, y).tree_
    assert tree.n_leaves <= len(y) / 5
    assert tree.weight.min() >= 5 - 1e-6
    assert tree.count.max() == len(y)


def test_policies_of_one_engine_agree_on_where_later_holes_go() -> None:
    """Half the rows each way: a later hole goes right under `direction`, whichever engine grew the tree."""
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 1.0, 1.0, 1.0]})
    for missing in ("direction", {"b": "mean"}):
        tree = tw.DecisionTreeClassifier(missing=missing).fit(X, list("uuvv")).tree_
        assert tree.default_branch[0] == 1


@pytest.mark.parametrize("policy", PLAIN)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "squared_error", "absolute_error"])
def test_cuts_are_drawn_under_every_policy(policy: str, criterion: str) -> None:
    if policy == "class_mode" and "error" in criterion:
        pytest.skip("numbers have no classes")
    if policy == "fractional_counts" and criterion == "absolute_error":
        pytest.skip("medians have no sums")
    rng = np.random.default_rng(0)
    x = rng.random(80)
    y: Any = x + 0.3 * rng.random(80) if "error" in criterion else x + 0.3 * rng.random(80) > 0.6
    known = rng.random(80) > 0.3
    table = pd.DataFrame({"x": np.where(known, x, np.nan), "z": rng.random(80)})
    kind = tw.DecisionTreeRegressor if "error" in criterion else tw.DecisionTreeClassifier
    model = kind(criterion=criterion, missing=policy, splitter="random", max_features=1, max_depth=1)
    cuts = []
    for seed in range(120):
        tree = model.set_params(random_state=seed).fit(table, y).tree_
        assert tree == model.fit(table, y).tree_
        cuts += [tree[0].split.threshold] if tree[0].split.feature == 0 else []
    assert 30 < len(cuts) < 90  # either feature is drawn as often
    lowest, highest = x[known].min(), x[known].max()
    assert lowest <= min(cuts) < 0.2
    assert 0.8 < max(cuts) < highest
    assert abs(np.mean(cuts) - (lowest + highest) / 2) < 0.12  # uniform: four standard errors


@pytest.mark.parametrize("policy", ["fractional", "surrogate", "mean"])
def test_extra_trees_learn_from_rows_with_holes(policy: str) -> None:
    table, y = random_table(3, n=400)
    fresh, truth = random_table(4, holes=0.0, n=400)
    forest = tw.ExtraTreesClassifier(30, missing=policy, min_samples_leaf=3, random_state=0, n_jobs=2)
    share = forest.fit(table, y).score(fresh, truth)
    assert share > max(np.mean(truth == label) for label in set(truth)) + 0.1
    assert forest.set_params(n_jobs=1).fit(table, y).score(fresh, truth) == share
