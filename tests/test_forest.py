"""Forests: each tree is the tree it claims to be, votes are means over trees, threads change nothing."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import f1_score
from sklearn.utils.estimator_checks import check_estimator

import treewright as tw
from test_oracles import load
from treewright import _core
from treewright.errors import ModelFileError
from treewright.forest.trees import LooseTrees, Trees
from treewright.model_file import dumps, read_model, write_model
from treewright.pruning import CostComplexity


def mixed(n: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, few and many categories, all with missing values, and a target of three classes."""
    rng = np.random.default_rng(seed)
    codes, many = rng.integers(0, 5, n), rng.integers(0, 90, n)
    table = pd.DataFrame({"a": rng.normal(size=n).round(1), "b": rng.normal(size=n), "c": rng.normal(size=n)})
    table["few"] = pd.Categorical(np.array(list("vwxyz"))[codes])
    table["many"] = pd.Categorical([f"level {code}" for code in many])
    score = table["a"] + (codes > 2) + many % 3 + rng.normal(size=n) / 2
    for column, step in (("a", 7), ("few", 9), ("many", 11)):
        table.loc[::step, column] = np.nan
    return table, np.digitize(score, [1.0, 2.5])


KINDS = {
    "two classes": lambda y: (tw.RandomForestClassifier, tw.DecisionTreeClassifier, y > 0),
    "three classes": lambda y: (tw.RandomForestClassifier, tw.DecisionTreeClassifier, y),
    "numbers": lambda y: (tw.RandomForestRegressor, tw.DecisionTreeRegressor, y + np.sin(np.arange(len(y)))),
    "extra classes": lambda y: (tw.ExtraTreesClassifier, tw.DecisionTreeClassifier, y),
    "extra numbers": lambda y: (tw.ExtraTreesRegressor, tw.DecisionTreeRegressor, y * 1.0),
}


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
            **settings, splitter=forest.splitter, ties="random", random_state=int(forest.draws_.seeds[at])
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


# ---- draws -----------------------------------------------------------------------------------------


def test_rows_are_drawn_as_often_as_said() -> None:
    X, y = load_iris(return_X_y=True)
    for max_samples, drawn in ((None, 150), (40, 40), (0.5, 75), (300, 300)):
        forest = tw.RandomForestClassifier(4, max_samples=max_samples, random_state=0).fit(X, y)
        assert [len(rows) for rows in forest.estimators_samples_] == [drawn] * 4
        assert [tree.weight[0] for tree in forest.trees_] == [drawn] * 4
    everything = tw.ExtraTreesClassifier(2, random_state=0).fit(X, y)
    assert np.array_equal(everything.estimators_samples_[1], np.arange(150))


def test_drawing_is_uniform() -> None:
    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(400, max_depth=1, random_state=0).fit(X, y)
    times = sum(forest.draws_.times(tree).astype(float) for tree in range(400))
    assert np.abs(times - 400).max() < 5 * np.sqrt(400)
    assert abs(np.mean([forest.draws_.out_of_bag(t).mean() for t in range(400)]) - np.exp(-1)) < 0.005


def test_weights_are_chances_to_be_drawn() -> None:
    X, y = load_iris(return_X_y=True)
    weight = np.where(np.arange(150) < 75, 0.0, 1.0)
    weight[149] = 50.0
    forest = tw.RandomForestClassifier(100, max_depth=1, random_state=0).fit(X, y, sample_weight=weight)
    times = sum(forest.draws_.times(tree).astype(float) for tree in range(100))
    assert (times[:75] == 0).all()
    expected = 100 * 150 * 50 / weight.sum()
    assert abs(times[149] - expected) < 5 * np.sqrt(expected)


def test_without_draws_weights_are_those_of_the_rows() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.arange(len(y)) % 3 / 2
    forest = tw.RandomForestClassifier(2, bootstrap=False, random_state=0).fit(X, y, sample_weight=weight)
    alone = tw.DecisionTreeClassifier(
        max_features="sqrt", ties="random", random_state=int(forest.draws_.seeds[1])
    )
    assert forest.trees_[1] == alone.fit(X, y, sample_weight=weight).tree_


def test_classes_are_balanced_in_drawing_or_in_each_sample() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    y = y * (np.arange(len(y)) % 4 > 0)
    chance = tw.RandomForestClassifier(50, class_weight="balanced", max_depth=1, random_state=0).fit(X, y)
    shares = np.mean([tree.value[0] / tree.value[0].sum() for tree in chance.trees_], axis=0)
    np.testing.assert_allclose(shares, 0.5, atol=0.02)
    each = tw.RandomForestClassifier(5, class_weight="balanced_subsample", max_depth=1, random_state=0)
    for tree in each.fit(X, y).trees_:
        np.testing.assert_allclose(tree.value[0], tree.value[0].sum() / 2, rtol=1e-12)
    never = tw.RandomForestClassifier(5, class_weight={0: 1, 1: 0}, random_state=0).fit(X, y)
    assert all(tree.value[0, 1] == 0 for tree in never.trees_)


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
        ({"bootstrap": False, "max_samples": 3}, r"`max_samples` cannot be set if `bootstrap=False`"),
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


# ---- out of bag ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["three classes", "numbers"])
def test_out_of_bag_predictions_by_hand(kind: str) -> None:
    X, y = mixed()
    forest_kind, _, target = KINDS[kind](y)
    forest = forest_kind(40, random_state=0, oob_score=True, max_features=2).fit(X, target)
    sums, votes = 0.0, np.zeros(len(y))
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        out = ~np.isin(np.arange(len(y)), rows)
        said = tree.predict(X)[:, None] if kind == "numbers" else tree.predict_proba(X)
        sums, votes = sums + said * out[:, None], votes + out
    mean = sums / votes[:, None]
    if kind == "numbers":
        np.testing.assert_allclose(forest.oob_prediction_, mean.ravel())
        spread = np.sum((target - target.mean()) ** 2)
        assert forest.oob_score_ == pytest.approx(1 - np.sum((target - mean.ravel()) ** 2) / spread)
    else:
        np.testing.assert_allclose(forest.oob_decision_function_, mean)
        assert forest.oob_score_ == np.mean(mean.argmax(axis=1) == target)
    curve = forest.error_curve(X, target)
    last = np.mean((mean.ravel() - target) ** 2) if kind == "numbers" else 1 - forest.oob_score_
    assert curve.error[-1] == pytest.approx(last)
    assert len(curve.n_trees) == 40


def test_the_curve_plots_itself() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    X, y = load_iris(return_X_y=True)
    axes = tw.RandomForestClassifier(10, random_state=0).fit(X, y).error_curve(X, y).plot()
    assert axes.get_xlabel() == "trees"
    assert len(axes.lines[0].get_xdata()) == 10


def test_the_score_may_be_a_function() -> None:
    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(
        60, random_state=0, oob_score=lambda true, said: f1_score(true, said, average="macro")
    ).fit(X, y)
    said = forest.oob_decision_function_.argmax(axis=1)
    assert forest.oob_score_ == f1_score(y, said, average="macro")


# ---- files, memory, interrupts ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["direction", "fractional"])
def test_a_forest_comes_back_from_a_file_and_from_a_pickle(kind: str, missing: str, tmp_path: Path) -> None:
    X, y = mixed()
    forest_kind, _, target = KINDS[kind](y)
    forest = forest_kind(5, random_state=0, missing=missing, max_features=3).fit(X, target)
    forest.save(tmp_path / "forest.tw")
    for same in (tw.load(tmp_path / "forest.tw"), pickle.loads(pickle.dumps(forest))):
        assert type(same) is forest_kind
        assert same.get_params() == forest.get_params()
        assert same.trees_ == forest.trees_
        assert np.array_equal(same.predict(X), forest.predict(X))
        assert all(map(np.array_equal, same.estimators_samples_, forest.estimators_samples_))
    assert isinstance(forest.trees_, LooseTrees) == (missing == "fractional")


def test_names_and_categories_are_kept_once(tmp_path: Path) -> None:
    X, y = mixed()
    forest = tw.RandomForestClassifier(50, random_state=0).fit(X, y)
    assert all(tree.schema is forest.trees_.schema for tree in forest.trees_)
    forest.save(tmp_path / "forest.tw")
    assert (tmp_path / "forest.tw").read_bytes().count(b"level 77") == 1


def test_two_classes_take_at_most_forty_bytes_a_node() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    trees = tw.RandomForestClassifier(100, random_state=0).fit(X, y).trees_
    assert trees.nbytes <= 40 * trees.node_count
    assert trees.nbytes == sum(array.nbytes for array in trees.arrays.values())


def test_broken_forests_are_refused(tmp_path: Path) -> None:
    X, y = mixed()
    forest = tw.RandomForestClassifier(3, random_state=0).fit(X, y)
    forest.save(tmp_path / "good.tw")
    header, arrays = read_model(tmp_path / "good.tw")
    rng = np.random.default_rng(0)
    refused = 0
    for name, array in sorted(arrays.items()):
        if name in ("seeds", "merit", "threshold", "value", "count"):
            continue  # any number of the right sign is a model
        for odd in (0, 1, -1, 2**31 - 1, len(array)):
            changed = array.copy()
            at = rng.integers(len(changed))
            changed[at] = np.array(odd).astype(array.dtype)
            if np.array_equal(changed, array):
                continue
            write_model(tmp_path / "odd.tw", header, {**arrays, name: changed})
            try:
                tw.load(tmp_path / "odd.tw").predict(X)
            except ModelFileError:
                refused += 1
    assert refused >= 15
    for name in arrays:
        rest = {key: array for key, array in arrays.items() if key != name}
        write_model(tmp_path / "odd.tw", header, rest)
        with pytest.raises(ModelFileError):
            tw.load(tmp_path / "odd.tw")
    for key in ("draws", "criterion"):
        rest = {name: value for name, value in header.items() if name != key}
        (tmp_path / "odd.tw").write_bytes(dumps(rest, arrays))
        with pytest.raises(ModelFileError, match="broken"):
            tw.load(tmp_path / "odd.tw")


def test_compact_trees_hold_any_binary_tree() -> None:
    X, y = mixed()
    trees = [tw.DecisionTreeClassifier(max_depth=depth).fit(X, y).tree_ for depth in range(1, 5)]
    packed = Trees.of(trees[0].schema, "gini", trees)
    assert type(packed) is Trees
    assert list(packed) == trees
    wide = tw.DecisionTreeClassifier(splits=("threshold", "multiway")).fit(X, y).tree_
    assert type(Trees.of(wide.schema, "gini", [wide])) is LooseTrees


def test_an_interrupted_fit_leaves_the_forest_as_it_was() -> None:
    import _thread

    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(5, random_state=0, n_jobs=2).fit(X, y)
    before = dict(forest.__dict__)
    rng = np.random.default_rng(0)
    forest.n_estimators = before["n_estimators"] = 10_000
    stop = threading.Timer(0.3, _thread.interrupt_main)
    stop.start()
    with pytest.raises(KeyboardInterrupt):
        forest.fit(rng.normal(size=(20_000, 10)), rng.integers(0, 2, 20_000))
    stop.join()
    assert forest.__dict__ == before


def test_progress_reaches_its_end() -> None:
    from treewright.data import Dataset
    from treewright.forest.draws import Draws
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


def test_the_core_refuses_draws_of_the_wrong_length() -> None:
    options = {"seeds": np.ones(1, np.uint64), "n_draws": 3, "balanced": False, "min_weight_fraction": 0.0}
    with pytest.raises(ValueError, match="chance must have a number for every row"):
        _core.draw_rows(5, options | {"chance": np.ones(4)}, 0)


RECORDED = {  # out-of-bag error of 300 trees: mean and standard deviation over 20 seeds, and how trees vote
    ("diabetes", "randomForest 4.7", "hard"): (0.23366, 0.00547),
    ("diabetes", "ranger 0.14.1", "hard"): (0.23828, 0.00632),
    ("diabetes", "scikit-learn 1.9.1", "soft"): (0.23535, 0.00593),
    ("sk_breast_cancer", "randomForest 4.7", "hard"): (0.03682, 0.00367),
    ("sk_breast_cancer", "ranger 0.14.1", "hard"): (0.03840, 0.00281),
    ("sk_breast_cancer", "scikit-learn 1.9.1", "soft"): (0.03770, 0.00389),
}


@pytest.mark.parametrize("vote", ["hard", "soft"])
@pytest.mark.parametrize(("name", "mtry"), [("diabetes", 2), ("sk_breast_cancer", 5)])
def test_out_of_bag_errors_are_those_of_other_programs(name: str, mtry: int, vote: str) -> None:
    X, y, _ = load(name)
    errors = np.array(
        [
            1
            - tw.RandomForestClassifier(300, max_features=mtry, vote=vote, random_state=seed, oob_score=True)
            .fit(X, y)
            .oob_score_
            for seed in range(6)
        ]
    )
    for (table, program, their_vote), (mean, deviation) in RECORDED.items():
        if (table, their_vote) == (name, vote):
            standard_error = np.hypot(deviation / np.sqrt(20), deviation / np.sqrt(6))
            assert abs(errors.mean() - mean) < 3.5 * standard_error, program


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
