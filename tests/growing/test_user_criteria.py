"""Criteria of the user's own: what they are given, what they may give, and what becomes of them in files."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core
from treewright.data import Dataset
from treewright.data.functions import AbsentFunction
from treewright.growing.grow_tree import core_options, core_table
from treewright.growing.recipe import Recipe

pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")


def gini(parent: Any, branches: Any) -> Any:
    weight = branches.sum(axis=2)
    return ((branches**2).sum(axis=2) / weight).sum(axis=1) / parent.sum() - (
        parent**2
    ).sum() / parent.sum() ** 2


def hellinger(parent: Any, branches: Any) -> Any:
    roots = np.sqrt(branches / parent)
    return np.sqrt(((roots[:, :, 0] - roots[:, :, 1]) ** 2).sum(axis=1))


def variance(parent: Any, branches: Any) -> Any:
    return ((branches[:, :, 1] ** 2 / branches[:, :, 0]).sum(axis=1) - parent[1] ** 2 / parent[0]) / parent[0]


def same_shape(ours: tw.Tree, theirs: tw.Tree) -> bool:
    return (
        ours.parent.tolist() == theirs.parent.tolist()
        and ours.splits.feature.tolist() == theirs.splits.feature.tolist()
        and ours.splits.threshold.tolist() == theirs.splits.threshold.tolist()
        and ours.default_branch.tolist() == theirs.default_branch.tolist()
    )


@pytest.mark.parametrize("n_rows", [300, 70_000])
@pytest.mark.parametrize(
    ("function", "name"), [(gini, "gini"), (hellinger, "hellinger"), (variance, "squared_error")]
)
def test_rewritten_criteria_grow_the_same_trees(function: Any, name: str, n_rows: int) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(n_rows, 4)).round(2)
    noisy = X[:, 0] * X[:, 1] + random.normal(size=n_rows)
    weight = random.integers(1, 4, n_rows)
    limits = {"max_depth": 6}
    if function is variance:
        model: Any = tw.DecisionTreeRegressor
        y: Any = noisy + 10
    else:
        model, y = tw.DecisionTreeClassifier, noisy > 0
    ours = model(criterion=function, **limits).fit(X, y, weight).tree_
    theirs = model(criterion=name, **limits).fit(X, y, weight).tree_
    assert same_shape(ours, theirs)


def test_every_candidate_is_asked_about_once_and_adds_up_to_its_node() -> None:
    seen = []

    def watching(parent: Any, branches: Any) -> Any:
        assert not branches.flags.writeable
        assert branches.shape[1:] == (2, 3)
        np.testing.assert_allclose(branches.sum(axis=1), np.broadcast_to(parent, (len(branches), 3)))
        seen.append((parent.copy(), branches.copy()))
        return gini(parent, branches)

    X = np.array([[1, 5], [2, 5], [2, 6], [4, 7], [5, 7]])
    tw.DecisionTreeClassifier(criterion=watching, max_depth=1, ties="first").fit(X, [0, 1, 1, 2, 2])
    (parent, branches), *others = seen
    assert not others  # one call for both features
    assert parent.tolist() == [1, 2, 2]
    # The scale: the largest class against the rest; then three cuts of the first feature, two of the second.
    left = [[0, 2, 0], [1, 0, 0], [1, 2, 0], [1, 2, 1], [1, 1, 0], [1, 2, 0]]
    assert branches[:, 0].tolist() == left


def test_numbers_are_given_as_weight_sum_and_sum_of_squares() -> None:
    seen = []

    def watching(parent: Any, branches: Any) -> Any:
        seen.append((parent.tolist(), branches[1:, 0].tolist()))
        return variance(parent, branches)

    model = tw.DecisionTreeRegressor(criterion=watching, max_depth=1)
    model.fit([[1], [2], [3], [9]], [1.0, 2.0, 5.0, 7.0], [2, 1, 1, 0])  # a row of weight zero is not there
    assert seen == [([4, 9, 31], [[2, 2, 2], [3, 4, 6]])]


def test_multiway_splits_are_asked_about_with_all_their_branches() -> None:
    shapes = []

    def watching(parent: Any, branches: Any) -> Any:
        shapes.append(branches.shape)
        weight = np.maximum(branches.sum(axis=2), 1e-300)
        return ((branches**2).sum(axis=2) / weight).sum(axis=1)

    X, y = tw.datasets.load_tennis()
    tree = (
        tw.DecisionTreeClassifier(criterion=watching, splits=("multiway",), missing="error").fit(X, y).tree_
    )
    assert (1, 3, 2) in shapes
    assert tree.schema.names[tree.feature[0]] == "Outlook"


def test_what_a_function_raises_comes_out_as_it_is() -> None:
    class OddError(Exception):
        pass

    def failing(parent: Any, branches: Any) -> Any:
        raise OddError("no idea")

    model = tw.DecisionTreeClassifier(criterion=failing)
    with pytest.raises(OddError, match="no idea"):
        model.fit([[1], [2]], [0, 1])
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda parent, branches: 1.0, r"expected shape \(2,\), got \(\)"),
        (lambda parent, branches: np.zeros((len(branches), 2)), r"expected shape \(2,\), got \(2, 2\)"),
        (
            lambda parent, branches: np.full(len(branches), np.nan),
            "must give numbers below infinity: got nan",
        ),
        (
            lambda parent, branches: np.full(len(branches), np.inf),
            "must give numbers below infinity: got inf",
        ),
        (lambda parent, branches: ["a", "b"], "must give an array of numbers"),
    ],
)
def test_odd_merits_get_a_clear_sentence(function: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.DecisionTreeClassifier(criterion=function).fit([[1], [2]], [0, 1])


def test_minus_infinity_forbids_a_split() -> None:
    def never_small(parent: Any, branches: Any) -> Any:
        merits = gini(parent, branches)
        return np.where(branches.sum(axis=2).min(axis=1) >= 3, merits, -np.inf)

    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 2)), random.integers(0, 2, 60)
    ours = tw.DecisionTreeClassifier(criterion=never_small).fit(X, y).tree_
    theirs = tw.DecisionTreeClassifier(min_samples_leaf=3).fit(X, y).tree_
    assert ours.count[ours.leaves].min() == 3
    assert same_shape(ours, theirs)


def test_a_file_names_the_function_and_predicts_without_it(tmp_path: Path) -> None:
    X, y = tw.datasets.load_iris()
    model = tw.DecisionTreeClassifier(criterion=gini).fit(X, y)
    model.save(tmp_path / "model.tw")
    loaded: Any = tw.load(tmp_path / "model.tw")
    assert loaded.criterion == AbsentFunction("gini")
    assert (loaded.predict(X) == model.predict(X)).all()
    with pytest.raises(ValueError, match="names the function 'gini' but holds no code"):
        loaded.fit(X, y)
    assert loaded.set_params(criterion=gini).fit(X, y).tree_ == model.tree_


def test_models_copy_and_pickle() -> None:
    model = tw.DecisionTreeClassifier(criterion=gini).fit([[1], [2]], [0, 1])
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.predict([[1]]) == [0]
        assert other.criterion is gini


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"missing": "fractional"}, "a function as criterion goes with missing='direction' or 'available'"),
        ({"splitter": "random"}, "does not go with a function as criterion"),
    ],
)
def test_what_does_not_go_together_is_refused(parameters: dict[str, Any], words: str) -> None:
    X = pd.DataFrame({"a": [1.0, None, 3.0], "b": ["x", None, "y"]})
    with pytest.raises(ValueError, match=words):
        tw.DecisionTreeClassifier(criterion=gini, **parameters).fit(X, [0, 1, 1])


def test_merits_of_many_classes_and_categories() -> None:
    random = np.random.default_rng(5)
    X = pd.DataFrame({"c": random.integers(0, 40, 800).astype(str), "n": random.normal(size=800)})
    y = (X["c"].astype(int).to_numpy() % 5 + (X["n"] > 1)) % 5
    ours = tw.DecisionTreeClassifier(criterion=gini, max_depth=3).fit(X, y)
    theirs = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.02)
    assert ours.tree_.merit[0] == pytest.approx(theirs.tree_.merit[0])


@pytest.mark.parametrize("name", ["parent", "branches", "merits"])
def test_the_core_refuses_memory_that_it_would_have_to_copy(name: str) -> None:
    """Of a copy the function would read nothing, and it would be gone before the first call."""
    dataset = Dataset.from_table([[1.0], [2.0], [3.0]], ["a", "a", "b"], task="classification")
    dataset, options = core_options(dataset, Recipe(gini), 1, None)
    options["function"][name] = np.zeros(options["function"][name].shape, np.float32)
    with pytest.raises(RuntimeError):
        _core.grow(*core_table(dataset), dataset.weight, options)
