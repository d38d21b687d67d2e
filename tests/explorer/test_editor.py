"""Editing by hand: what edits do to a tree, that they are sound, undone, redone and replayed."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.trees import random_rows, random_tree
from treewright import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    datasets,
    edit,
    load,
    plot_tree,
)
from treewright.errors import DataError, ModelFileError
from treewright.explorer.regrow import same_place
from treewright.persistence.container import read_model, write_model
from treewright.persistence.validation import validate
from treewright.tree.subtrees import graft, subtree


@pytest.fixture(name="irises")
def _irises():
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(ties="first").fit(X[::2], y[::2])
    return edit(model, X[::2], y[::2], validation=(X[1::2], y[1::2]))


# ---- grafting --------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_a_subtree_put_back_changes_nothing(seed: int, n_splits: int) -> None:
    tree = random_tree(seed, n_splits)
    for node in range(len(tree)):
        again = graft(tree.collapse([node]), _at(tree, tree.collapse([node]), node), subtree(tree, node))
        validate(again.arrays(), again.schema)
        assert again.to_dict() == tree.to_dict()


@given(st.integers(0, 10**6))
def test_a_subtree_routes_as_the_tree_does_below_its_node(seed: int) -> None:
    tree = random_tree(seed, 8)
    numbers, codes = random_rows(seed)
    codes = np.asfortranarray(np.maximum(codes, -1))
    whole = tree.predict_value(np.asfortranarray(numbers), codes)
    branch = _first_step(tree, numbers, codes)
    for at, child in enumerate(tree.children(0)):
        part = subtree(tree, child)
        validate(part.arrays(), part.schema)
        below = np.flatnonzero((tree.default_branch[0] >= 0) & (branch == at))
        said = part.predict_value(np.asfortranarray(numbers), codes)
        assert np.allclose(said[below], whole[below])


def _at(tree, other, node):
    return same_place(tree, other, node)


def _first_step(tree, numbers, codes):
    stump = tree.collapse(tree.children(0))
    return stump.branch[stump.route(np.asfortranarray(numbers), codes)]


# ---- edits -----------------------------------------------------------------------------------------------


def test_pruning_makes_a_leaf_and_says_what_it_does_to_both_risks(irises) -> None:
    edited = irises.prune(2)
    assert edited.tree == irises.tree.collapse([2])
    X, y = datasets.load_iris()
    model = edited.fitted()
    assert edited.risk["training"] == pytest.approx(1 - model.score(X[::2], y[::2]))
    assert edited.risk["validation"] == pytest.approx(1 - model.score(X[1::2], y[1::2]))
    assert edited.log[0] == {"edit": "prune", "node": 2, "leaves": 2, "risk": edited.risk}


def test_growing_a_pruned_node_on_gives_the_tree_back(irises) -> None:
    for node in np.flatnonzero(irises.tree.n_children).tolist():
        pruned = irises.prune(node)
        assert pruned.grow(_at(irises.tree, pruned.tree, node)).tree.to_dict() == irises.tree.to_dict()


@pytest.mark.parametrize(
    "weighting", [{"class_weight": "balanced"}, {"priors": {"no": 0.2, "yes": 0.8}}, {"criterion": "entropy"}]
)
def test_a_forced_split_counts_as_a_grown_one(weighting) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = np.where(X[:, 0] + random.normal(size=200) > 0.7, "yes", "no")
    model = DecisionTreeClassifier(max_depth=3, ties="first", **weighting).fit(X, y)
    split = model.tree_[0].split
    forced = edit(model, X, y).split(0, split.feature, split.threshold, grow=True).tree
    validate(forced.arrays(), forced.schema)
    for name in ("count", "weight", "node_value", "impurity", "risk"):
        assert np.allclose(getattr(forced, name), getattr(model.tree_, name))
    assert (forced.parent == model.tree_.parent).all()


def test_another_feature_and_cut_are_forced(irises) -> None:
    edited = irises.split(0, feature="sepal length", threshold=5.5)
    X, y = datasets.load_iris()
    short = (X[::2]["sepal length"] <= 5.5).to_numpy()
    assert edited.tree.n_leaves == 2
    assert edited.tree.count.tolist() == [75, short.sum(), (~short).sum()]
    for child, side in ((1, short), (2, ~short)):
        counts = y[::2][side].value_counts().reindex(edited.tree.schema.classes, fill_value=0)
        assert edited.tree.node_value[child].tolist() == counts.tolist()
    assert edited.split(1, "petal length", 2.5).tree.n_leaves == 3


def test_regression_trees_are_edited_too() -> None:
    X, y = datasets.load_mpg()
    editor = edit(DecisionTreeRegressor(max_leaf_nodes=6).fit(X, y), X, y).split(0, "weight", 3000)
    validate(editor.tree.arrays(), editor.tree.schema)
    light = np.asarray(y)[(X["weight"] <= 3000).to_numpy()]
    assert editor.tree.node_value[1, 0] == pytest.approx(light.mean())
    assert editor.tree.risk[1] == pytest.approx(((light - light.mean()) ** 2).sum())
    assert editor.grow(1, max_depth=1).tree.n_leaves == 3


def test_categories_are_grouped_and_merged() -> None:
    X, y = datasets.load_tennis()
    editor = edit(ID3Classifier().fit(X, y), X, y)
    merged = editor.merge(0, [0, 2])
    assert merged.tree[0].split.groups == ((0, 2), (1,))
    assert merged.tree.count[:3].tolist() == [14, 10, 4]
    validate(merged.tree.arrays(), merged.tree.schema)
    assert editor.merge(0, [0, 1, 2]).tree.n_leaves == 1
    kept = editor.merge(0, [0, 1])  # Rain keeps what is below it
    assert kept.tree.count.tolist()[:3] == [14, 9, 5]
    assert kept.tree.n_leaves == 3
    grouped = editor.split(0, "Outlook", groups=[["Sunny", "Overcast"], ["Rain"]])
    assert grouped.tree.node_value[1].tolist() == [3.0, 6.0]


def test_presets_with_shared_rows_are_edited() -> None:
    X, y = datasets.load_votes()
    model = C45Classifier().fit(X, y)
    editor = edit(model, X, y)
    node = int(np.flatnonzero(model.tree_.n_children)[-1])
    forced = editor.split(node, X.columns[0], groups=[["n"], ["y"]])
    validate(forced.tree.arrays(), forced.tree.schema)
    assert forced.prune(node).tree == editor.prune(node).tree


def test_dates_and_ordered_categories_are_cut_in_their_own_words() -> None:
    X = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-01", "2020-02-01", "2020-03-01", "2020-04-01"]),
            "size": pd.Categorical(["s", "m", "l", "l"], ["s", "m", "l"], ordered=True),
        }
    )
    y = ["a", "a", "b", "b"]
    model = DecisionTreeClassifier(ordinal_features=["size"]).fit(X, y)
    assert edit(model, X, y).split(0, "day", "2020-01-15").tree.count.tolist() == [4, 1, 3]
    assert edit(model, X, y).split(0, "size", "m").tree.count.tolist() == [4, 2, 2]


# ---- history ---------------------------------------------------------------------------------------------


def test_edits_are_undone_and_redone_without_end(irises) -> None:
    editors = [irises]
    for _ in range(3):
        node = int(np.flatnonzero(editors[-1].tree.n_children)[-1])
        editors.append(editors[-1].prune(node))
    back = editors[-1]
    for before in reversed(editors[:-1]):
        back = back.undo()
        assert back.tree == before.tree
    with pytest.raises(ValueError, match="no edit to undo"):
        back.undo()
    for after in editors[1:]:
        back = back.redo()
        assert back.tree == after.tree
    with pytest.raises(ValueError, match="no undone edit to redo"):
        back.redo()
    other = back.undo().prune(0)
    with pytest.raises(ValueError, match="no undone edit to redo"):
        other.redo()


def test_the_log_replays_to_the_same_tree(irises) -> None:
    edited = (
        irises.prune(2)
        .split(2, "petal width", 1.6, grow=True)
        .undo()
        .redo()
        .split(1, 0, 5.0)
        .undo()
        .grow(2, 1)
    )
    log = json.loads(json.dumps(edited.log))
    assert irises.replay(log).tree == edited.tree
    assert irises.replay(log).log == edited.log
    with pytest.raises(ValueError, match="Unknown edit 'save'"):
        irises.replay([{"edit": "save"}])


def test_an_edited_tree_is_saved_as_a_model(irises, tmp_path) -> None:
    model = irises.prune(2).fitted()
    model.save(tmp_path / "edited.tw")
    assert load(tmp_path / "edited.tw").tree_ == model.tree_
    assert irises.model.tree_.n_leaves > model.tree_.n_leaves


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e.prune(99), r"node=99 must be one of the \d+ nodes"),
        (lambda e: e.prune(1), "node 1 is a leaf already"),
        (lambda e: e.grow(1), "node 1 cannot be grown on"),
        (lambda e: e.split(0, "petal"), "feature names 'petal', which is no feature: use one of"),
        (lambda e: e.split(0, 9, 1.0), "feature names 9, which is no feature"),
        (lambda e: e.split(0, "petal width"), "'petal width' is numeric: give a finite threshold"),
        (lambda e: e.split(0, "petal width", 99.0), "leaves branch 1 of node 0 without rows"),
        (lambda e: e.split(0, "petal width", groups=[["a"], ["b"]]), "and no groups"),
        (lambda e: e.merge(0, [0, 1]), "node 0 does not split categories"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(irises, change, message) -> None:
    with pytest.raises(ValueError, match=message):
        change(irises)


def test_groups_of_categories_must_be_such() -> None:
    X, y = datasets.load_tennis()
    editor = edit(ID3Classifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="'Outlook' is categorical: give two or more groups"):
        editor.split(0, "Outlook", 3.0)
    with pytest.raises(ValueError, match="Unknown category of 'Outlook' 'Snow'"):
        editor.split(0, "Outlook", groups=[["Sunny"], ["Snow"]])
    with pytest.raises(ValueError, match="is in two groups"):
        editor.split(0, "Outlook", groups=[["Sunny"], ["Sunny", "Rain"]])
    with pytest.raises(ValueError, match="must be two or more of the 3"):
        editor.merge(0, [0])
    with pytest.raises(DataError, match="y is missing"):
        edit(ID3Classifier().fit(X, y), X, None)


# ---- what a leaf says, and what a model remembers --------------------------------------------------------


def test_a_relabelled_leaf_says_what_was_decided_at_what_it_costs(irises) -> None:
    X, y = datasets.load_iris()
    pruned = irises.prune(2)
    edited = pruned.relabel(2, "virginica").relabel(2, "setosa").relabel(2, "virginica")
    validate(edited.tree.arrays(), edited.tree.schema)
    model = edited.fitted()
    assert set(model.predict(X)[model.apply(X) == 2]) == {"virginica"}
    assert edited.tree.risk[2] == 25  # the versicolors of the 50 rows, whatever was said before
    assert edited.risk["training"] == pytest.approx(1 - model.score(X[::2], y[::2]))
    assert edited.undo().undo().undo().tree == pruned.tree


def test_a_relabelled_leaf_keeps_the_counts_and_probabilities_of_its_rows(irises, tmp_path) -> None:
    X, _ = datasets.load_iris()
    pruned = irises.prune(2)
    edited = pruned.relabel(2, "setosa")
    model = edited.fitted()
    assert edited.tree.node_value.tolist() == pruned.tree.node_value.tolist()
    assert model.predict_proba(X).tolist() == pruned.fitted().predict_proba(X).tolist()
    assert set(model.predict(X)) == {"setosa"}
    assert "(n=50,   0 %, decided by hand)  [ 0 25 25]" in str(edited.tree)
    assert "decided by hand" in str(plot_tree(edited.tree).svg)
    assert model.explain(X.iloc[[100]]).prediction == "setosa"
    model.save(tmp_path / "m.tw")
    again = load(tmp_path / "m.tw")
    assert again.tree_ == edited.tree
    assert again.predict(X[100:101]).tolist() == ["setosa"]
    space: dict = {}
    exec(model.export("python"), space)
    assert space["predict"](X.iloc[100].to_dict()) == "setosa"
    grown = edited.grow(2).tree
    assert grown.decided is None
    assert edited.prune(0).tree.decided is None


def test_a_decision_by_hand_counts_where_rows_are_shared_and_under_costs() -> None:
    X = [[1.0], [2.0], [3.0], [4.0], [None], [3.5]]
    y = ["a", "a", "b", "b", "b", "b"]
    shared = edit(DecisionTreeClassifier(missing="fractional").fit(X, y), X, y).relabel(4, "a").fitted()
    assert shared.predict(X).tolist() == ["a"] * 6
    costs = [[0, 9], [1, 0]]
    costly = edit(DecisionTreeClassifier(costs=costs, missing="error").fit(X[:4], y[:4]), X[:4], y[:4])
    assert costly.relabel(1, "b").fitted().predict(X[:4]).tolist() == ["b"] * 4
    assert costly.relabel(1, "b").risk["training"] == 2 * 9 / 4


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_a_number_decided_for_a_leaf_is_priced_as_the_tree_was_grown(criterion) -> None:
    X, y = datasets.load_mpg()
    editor = edit(DecisionTreeRegressor(criterion=criterion, max_leaf_nodes=4).fit(X, y), X, y)
    leaf = int(np.flatnonzero(editor.tree.n_children == 0)[0])
    own = float(editor.tree.node_value[leaf, 0])
    assert editor.relabel(leaf, own).tree.risk[leaf] == pytest.approx(editor.tree.risk[leaf])
    assert editor.relabel(leaf, own + 5).tree.risk[leaf] > editor.tree.risk[leaf]
    assert editor.relabel(leaf, 7).fitted().predict(X)[editor.tree.apply(X) == leaf] == pytest.approx(7.0)
    assert editor.relabel(leaf, 7).tree.training_value[leaf, 0] == own


@pytest.mark.parametrize(
    ("node", "label", "words"),
    [(0, "setosa", "node 0 is no leaf"), (1, "rose", "class"), (99, "setosa", "one of the")],
)
def test_what_cannot_be_said_is_refused(irises, node, label, words) -> None:
    with pytest.raises(ValueError, match=words):
        irises.relabel(node, label)


def test_a_saved_model_keeps_its_log_and_replays_to_itself(irises, tmp_path) -> None:
    edited = irises.prune(2).split(2, "petal width", np.float64(1.6)).undo().relabel(2, np.str_("versicolor"))
    edited.fitted().save(tmp_path / "edited.tw")
    model = load(tmp_path / "edited.tw")
    assert model.edits_ == edited.log
    assert irises.replay(model.edits_).tree == model.tree_
    X, y = datasets.load_iris()
    again = edit(model, X[::2], y[::2]).grow(2).fitted()
    assert [entry["edit"] for entry in again.edits_] == ["prune", "split", "undo", "relabel", "grow"]
    assert irises.replay(again.edits_).tree == again.tree_
    assert not hasattr(again.fit(X, y), "edits_")  # another tree has another history


@pytest.mark.parametrize(
    "log", ["prune", {"edit": "prune"}, ["prune"], [{"node": 1}], [{"edit": 3}]], ids=str
)
def test_a_file_with_a_broken_log_is_refused(irises, tmp_path, log) -> None:
    irises.prune(2).fitted().save(tmp_path / "edited.tw")
    header, arrays = read_model(tmp_path / "edited.tw")
    write_model(tmp_path / "broken.tw", header | {"edits": log}, arrays)
    with pytest.raises(ModelFileError, match="its log of edits is no list of edits"):
        load(tmp_path / "broken.tw")


def test_logs_are_plain_json_and_name_dates_and_numbers_as_they_were(irises) -> None:
    X = pd.DataFrame({"when": pd.date_range("2020-01-01", periods=40), "kind": [1, 2, 3, 4] * 10})
    X["kind"] = X["kind"].astype("category")
    y = np.where(np.arange(40) < 13, "a", "b")
    editor = edit(DecisionTreeClassifier().fit(X, y), X, y)
    edited = editor.split(0, "when", pd.Timestamp("2020-01-20")).split(1, "kind", groups=[[1, 2], [3, 4]])
    log = json.loads(json.dumps(edited.log))
    assert editor.replay(log).tree == edited.tree
    as_page = editor.split(0, "kind", groups=[["1", "2"], ["3", "4"]])  # a page has names only
    assert as_page.tree == editor.split(0, "kind", groups=[[1, 2], [3, 4]]).tree
