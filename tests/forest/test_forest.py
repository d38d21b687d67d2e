"""Forests: each tree is the tree it claims to be, votes are means over trees, threads change nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.utils.estimator_checks import check_estimator

import treewright as tw
from helpers.forests import KINDS, mixed
from helpers.interrupting import interrupted_after
from treewright.pruning import CostComplexity


def same_up_to_rounding(tree: tw.Tree, other: tw.Tree) -> None:
    """The same splits on the same rows; merits may come from sums in another order."""
    ours, theirs = tree.arrays(), other.arrays()
    for name in ours:
        if name in ("merit", "split_score"):
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-12)
        else:
            assert np.array_equal(ours[name], theirs[name]), name


# ---- what a forest's trees are -------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("category_order", ["once", "node"])
@pytest.mark.parametrize("missing", ["direction", "available"])
@pytest.mark.parametrize("max_features", [2, None])
def test_a_tree_is_the_one_that_grows_alone_on_the_same_draws(
    kind: str, category_order: str, missing: str, max_features: int | None
) -> None:
    X, y = mixed()
    forest_kind, tree_kind, target = KINDS[kind](y)
    settings = {"max_features": max_features, "category_order": category_order, "missing": missing}
    forest = forest_kind(3, random_state=1, bootstrap=True, **settings).fit(X, target)
    for at, tree in enumerate(forest.trees_):
        alone = tree_kind(
            **settings, splitter=forest._splitter, ties="random", random_state=int(forest.draws_.seeds[at])
        ).fit(X, target, sample_weight=forest.draws_.times(at))
        if kind == "extra numbers":
            same_up_to_rounding(tree, alone.tree_)
        else:
            assert tree == alone.tree_


@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
@pytest.mark.parametrize(
    "limits",
    [
        {"max_depth": 3},
        {"min_samples_leaf": 7},
        {"min_samples_split": 40},
        {"min_weight_fraction_leaf": 0.05},
        {"min_impurity_decrease": 0.01},
        {"max_leaf_nodes": 9},
        {"monotonic_cst": [1, 0, 0]},
        {"max_bins": 8},
    ],
    ids=str,
)
def test_trees_stop_where_single_trees_do(kind: str, limits: dict[str, Any]) -> None:
    table, y = mixed(300)
    X = table[["a", "b", "c"]]
    forest_kind, tree_kind, target = KINDS[kind](y)
    forest = forest_kind(2, random_state=1, max_features=1, **limits).fit(X, target)
    assert forest.trees_[0] != forest_kind(1, random_state=1, max_features=1).fit(X, target).trees_[0]
    for at, tree in enumerate(forest.trees_):
        alone = tree_kind(max_features=1, ties="random", random_state=int(forest.draws_.seeds[at]), **limits)
        assert tree == alone.fit(X, target, sample_weight=forest.draws_.times(at)).tree_


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_large_nodes_are_split_as_exactly_as_small_ones(criterion: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(6000, 8))
    X[:, 3] = X[:, 3].round(1)
    y = X[:, 0] * X[:, 1] + X[:, 3] + rng.normal(size=6000) > 0
    forest = tw.RandomForestClassifier(2, criterion=criterion, max_features=3, random_state=0).fit(X, y)
    alone = tw.DecisionTreeClassifier(
        criterion=criterion, max_features=3, ties="random", random_state=int(forest.draws_.seeds[1])
    ).fit(X, y, sample_weight=forest.draws_.times(1))
    assert forest.trees_[1] == alone.tree_


def test_large_nodes_of_numbers_are_split_exactly() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(5000, 10))
    y = X[:, 0] * X[:, 1] + rng.standard_cauchy(5000)
    forest = tw.RandomForestRegressor(1, max_features=3, random_state=0).fit(X, y)
    alone = tw.DecisionTreeRegressor(
        max_features=3, ties="random", random_state=int(forest.draws_.seeds[0])
    ).fit(X, y, sample_weight=forest.draws_.times(0))
    same_up_to_rounding(forest.trees_[0], alone.tree_)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_nothing(kind: str, tmp_path: Path) -> None:
    X, y = mixed()
    forest_kind, _, target = KINDS[kind](y)
    files = []
    for n_jobs in (1, 2, 5):
        forest = forest_kind(7, random_state=2, n_jobs=n_jobs, max_features=2).fit(X, target)
        forest.n_jobs = None
        forest.save(tmp_path / f"{n_jobs}.tw")
        files.append((tmp_path / f"{n_jobs}.tw").read_bytes())
    assert files[0] == files[1] == files[2]


def test_trees_of_different_seeds_differ_and_of_equal_seeds_do_not() -> None:
    X, y = load_iris(return_X_y=True)
    forests = [tw.RandomForestClassifier(5, random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    assert forests[0].trees_ == forests[1].trees_
    assert forests[0].trees_ != forests[2].trees_
    assert forests[0].trees_[0] != forests[0].trees_[1]


def test_features_are_drawn_alike() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 6)), rng.integers(0, 2, 100)
    forest = tw.RandomForestClassifier(600, max_features=1, max_depth=1, random_state=0).fit(X, y)
    used = np.bincount([tree.feature[0] for tree in forest.trees_], minlength=6)
    assert (abs(used - 100) < 4 * np.sqrt(600 * 1 / 6 * 5 / 6)).all()


@pytest.mark.parametrize("max_features", [2, None])
@pytest.mark.parametrize("missing", ["direction", "surrogate"])
def test_the_order_of_the_columns_does_not_matter(max_features: int | None, missing: str) -> None:
    """Copies of one column are equally good everywhere: each is taken as often as the others."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 1)), 4, axis=1)
    y = (X[:, 0] > 0) ^ (rng.random(60) < 0.2)
    settings = {"max_features": max_features, "missing": missing}
    forest = tw.RandomForestClassifier(60, random_state=0, **settings).fit(X, y)
    used = np.bincount(np.concatenate([tree.feature[tree.n_children > 0] for tree in forest.trees_]))
    assert (abs(used - used.mean()) < 4 * np.sqrt(used.mean())).all()


# ---- votes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["direction", "available", "value", "mean", "fractional", "surrogate"])
def test_a_vote_is_the_mean_over_the_trees(kind: str, missing: str) -> None:
    X, y = mixed()
    forest_kind, _, target = KINDS[kind](y)
    forest = forest_kind(6, random_state=0, max_features=2, missing=missing).fit(X, target)
    unseen, _ = mixed(500, seed=9)
    if "numbers" in kind:
        mean = np.mean([tree.predict(unseen) for tree in forest], axis=0)
        np.testing.assert_allclose(forest.predict(unseen), mean, rtol=1e-12)
    else:
        mean = np.mean([tree.predict_proba(unseen) for tree in forest], axis=0)
        np.testing.assert_allclose(forest.predict_proba(unseen), mean, atol=1e-12)
        assert np.array_equal(forest.predict(unseen), forest.classes_[mean.argmax(axis=1)])
    leaves = np.stack([tree.apply(unseen) for tree in forest], axis=1)
    assert np.array_equal(forest.apply(unseen), leaves)


def test_a_hard_vote_counts_the_trees() -> None:
    X, y = mixed()
    forest = tw.RandomForestClassifier(9, vote="hard", max_depth=2, random_state=0).fit(X, y)
    labels = np.stack([tree.predict(X) for tree in forest])
    shares = np.stack([(labels == label).mean(axis=0) for label in forest.classes_], axis=1)
    np.testing.assert_allclose(forest.predict_proba(X), shares)


@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
def test_many_rows_at_once_get_what_each_gets_alone(kind: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)).round(1)
    _, y = mixed(400)
    forest_kind, _, target = KINDS[kind](y)
    forest = forest_kind(5, random_state=0, max_features=2).fit(X, target)
    rows = rng.normal(size=(4000, 5)).round(1)
    rows[:200] = X[:200]
    rows[rng.random(rows.shape) < 0.01] = np.nan
    thresholds = np.concatenate([tree.threshold[tree.n_children > 0] for tree in forest.trees_])
    rows[300:400, 2] = rng.choice(thresholds, 100)  # exactly on a cut
    together = forest.apply(rows)
    assert np.array_equal(together, np.concatenate([forest.apply(row[None]) for row in rows]))
    assert np.array_equal(together, forest.apply(np.asfortranarray(rows)))
    predict = forest.predict if kind == "numbers" else forest.predict_proba
    assert np.array_equal(predict(rows)[:50], predict(rows[:50]))


def test_decision_paths_stand_side_by_side() -> None:
    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(3, random_state=0).fit(X, y)
    paths, begin = forest.decision_path(X)
    assert begin[-1] == paths.shape[1] == sum(len(tree) for tree in forest.trees_)
    for at, tree in enumerate(forest):
        assert (paths[:, begin[at] : begin[at + 1]] != tree.decision_path(X)).nnz == 0


def test_infinities_are_refused_by_name() -> None:
    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(3, random_state=0).fit(X, y)
    X[5, 2] = np.inf
    with pytest.raises(ValueError, match=r"x2"):
        forest.predict(X)


def test_categories_never_seen_follow_the_policy() -> None:
    X, y = mixed()
    forest = tw.RandomForestClassifier(5, random_state=0, unseen="majority").fit(X, y)
    strange = X.assign(few=pd.Categorical(["new"] * len(X)), many=pd.Categorical(["new"] * len(X)))
    mean = np.mean([tree.predict_proba(strange) for tree in forest], axis=0)
    np.testing.assert_allclose(forest.predict_proba(strange), mean, atol=1e-12)


# ---- settings --------------------------------------------------------------------------------------


def test_warm_start_adds_the_trees_that_one_fit_would_have_grown() -> None:
    X, y = mixed()
    grown = tw.RandomForestClassifier(4, random_state=3, warm_start=True, oob_score=True)
    with pytest.warns(UserWarning, match="OOB"):
        grown.fit(X, y)
    grown.set_params(n_estimators=30).fit(X, y)
    at_once = tw.RandomForestClassifier(30, random_state=3, oob_score=True).fit(X, y)
    assert grown.trees_ == at_once.trees_
    assert grown.oob_score_ == at_once.oob_score_
    with pytest.raises(ValueError, match="n_estimators=2 must be larger"):
        grown.set_params(n_estimators=2).fit(X, y)


@pytest.mark.parametrize("edited", [False, True])
def test_a_warm_start_keeps_the_estimators_there_are(edited: bool) -> None:
    X, y = tw.datasets.load_iris()
    grown = tw.RandomForestClassifier(2, random_state=3, warm_start=True).fit(X, y)
    listed = grown.estimators_
    first, second = listed
    if edited:
        second.tree_.value[:] = second.tree_.value[0]
    grown.set_params(n_estimators=4).fit(X, y)
    assert grown.estimators_ is listed
    assert listed[0] is first
    assert listed[1] is second
    at_once = tw.RandomForestClassifier(4, random_state=3).fit(X, y)
    if edited:
        at_once.estimators_[1] = second
    for one, other in zip(listed, at_once.estimators_, strict=True):
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(grown.predict_proba(X), at_once.predict_proba(X))


def test_each_tree_is_pruned_by_ccp_alpha() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    full = tw.RandomForestClassifier(4, random_state=0).fit(X, y)
    pruned = tw.RandomForestClassifier(4, random_state=0, ccp_alpha=0.02).fit(X, y)
    prune = CostComplexity(0.02, risk="impurity")
    assert list(pruned.trees_) == [prune(tree) for tree in full.trees_]
    assert pruned.trees_.node_count < full.trees_.node_count


def test_monotonic_forests_are_monotonic() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] - X[:, 1] + rng.normal(size=300) > 0
    forest = tw.RandomForestClassifier(10, monotonic_cst=[1, -1, 0], random_state=0).fit(X, y)
    steps = np.linspace(-3, 3, 50)
    for feature, sign in ((0, 1), (1, -1)):
        rows = np.zeros((50, 3))
        rows[:, feature] = steps
        assert (sign * np.diff(forest.predict_proba(rows)[:, 1]) >= -1e-12).all()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"n_estimators": 0}, r"'n_estimators' parameter of RandomForestClassifier must be an int .*Got 0"),
        ({"vote": "loud"}, r"'vote' parameter .* among \{'soft', 'hard'\}. Got 'loud'"),
        ({"missing": "ignore"}, r"'missing' parameter .* not 'ignore'"),
        ({"max_samples": -1}, r"'max_samples' parameter .* Got -1"),
        ({"bootstrap": False, "max_samples": 3}, r"max_samples=3: .* cannot be set if `bootstrap=False`"),
        ({"bootstrap": False, "oob_score": True}, r"Out of bag estimation only available if bootstrap=True"),
        ({"class_weight": "balance"}, r"'class_weight' parameter .*Did you mean 'balanced'"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(settings: dict[str, Any], sentence: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=sentence):
        tw.RandomForestClassifier(**settings).fit(X, y)


def test_one_row_one_class_and_many_categories() -> None:
    assert tw.RandomForestClassifier(3).fit([[1.0]], ["a"]).predict([[5.0]]).tolist() == ["a"]
    assert tw.RandomForestRegressor(3).fit([[1.0]], [2.5]).predict([[5.0]]).tolist() == [2.5]
    rng = np.random.default_rng(0)
    many = pd.DataFrame({"id": [f"v{k}" for k in rng.integers(0, 10_000, 4000)], "x": rng.normal(size=4000)})
    forest = tw.RandomForestClassifier(5, max_features=1, random_state=0).fit(many, many["x"] > 0)
    assert forest.score(many, many["x"] > 0) > 0.9


# ---- interrupts and progress ---------------------------------------------------------------------


def test_an_interrupted_fit_leaves_the_forest_as_it_was() -> None:
    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(5, random_state=0, n_jobs=2).fit(X, y)
    before = dict(forest.__dict__)
    rng = np.random.default_rng(0)
    forest.n_estimators = before["n_estimators"] = 10_000
    with interrupted_after(0.3):
        forest.fit(rng.normal(size=(20_000, 10)), rng.integers(0, 2, 20_000))
    assert forest.__dict__ == before


def test_progress_reaches_its_end() -> None:
    from treewright.data import Dataset
    from treewright.forest.bootstrap import Draws
    from treewright.forest.growing import grow_trees

    rng = np.random.default_rng(0)
    rows = Dataset.from_table(
        rng.normal(size=(20_000, 10)), rng.integers(0, 2, 20_000), task="classification"
    )
    seen: list[float] = []
    draws = Draws(len(rows), np.arange(30, dtype=np.uint64), len(rows))
    grow_trees(rows, tw.Recipe("gini", max_features=3), draws, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


# ---- scikit-learn ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        tw.RandomForestClassifier,
        tw.RandomForestRegressor,
        tw.ExtraTreesClassifier,
        tw.ExtraTreesRegressor,
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_pass(kind: Any) -> None:
    reason = "weights are chances to be drawn, so that repeated rows draw other numbers; as in scikit-learn"
    drawn = {f"check_sample_weight_equivalence_on_{layout}_data": reason for layout in ("dense", "sparse")}
    expected = drawn if "Random" in kind.__name__ else {}
    check_estimator(kind(n_estimators=5), expected_failed_checks=expected, on_skip=None)


def test_regression_agrees_with_scikit_learn_on_unseen_rows() -> None:
    from sklearn.ensemble import RandomForestRegressor

    X, y = load_diabetes(return_X_y=True)
    scores = {
        kind: np.array(
            [kind(100, max_features=3, random_state=s, oob_score=True).fit(X, y).oob_score_ for s in range(8)]
        )
        for kind in (RandomForestRegressor, tw.RandomForestRegressor)
    }
    theirs, ours = scores.values()
    assert abs(theirs.mean() - ours.mean()) < 3 * np.hypot(theirs.std(), ours.std()) / np.sqrt(7)


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_a_forest_explains_a_row_and_finds_a_change_that_flips_it(vote: str) -> None:
    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(15, max_depth=2, random_state=0, vote=vote).fit(X, y)
    row = X[70]
    explanation = forest.explain(row, time_limit=5.0)
    assert explanation.says == pytest.approx(forest.predict_proba([row])[0])
    assert explanation.change is not None
    changed = row.copy()
    for name, entry in explanation.to_dict()["change"]["changes"].items():
        changed[forest.trees_.schema.names.index(name)] = entry["to"]
    assert forest.predict([changed]) != forest.predict([row])


def test_two_targets_of_one_class_each_have_sound_probabilities() -> None:
    model = tw.RandomForestClassifier(3, random_state=0).fit([[0.0], [1.0]], [["a", "b"], ["a", "b"]])
    assert [proba.tolist() for proba in model.predict_proba([[0.0]])] == [[[1.0]], [[1.0]]]
