"""Core and reference grow the same tree: every criterion, form of split, policy for missing values, order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from hypothesis import assume, given, note
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.fixes import parse_version

from helpers.recompute import check_tree, stored_split
from helpers.reference import Node, Reference, scale
from helpers.reference_search import EQUAL, Candidate
from helpers.tables import small_rows
from treewright import criteria
from treewright.data import Dataset
from treewright.errors import DataError
from treewright.growing.grow_tree import grow
from treewright.growing.parameters import MISSING as ALL_POLICIES
from treewright.growing.recipe import Recipe
from treewright.tree import Tree
from treewright.tree.monotone import is_monotone

# Tables drawn at random may have nothing to split on.
pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")
CRITERIA = [*criteria.CLASSIFICATION, *criteria.REGRESSION]
CATEGORY_SPLITS = ["subset", "multiway", "one_vs_rest"]
MISSING = ["available", "direction"]
# "fractional_counts" has slow code of its own: test_lecture_choices.py
POLICIES = [name for name in ALL_POLICIES if name not in ("error", "fractional_counts")]
SEVERAL = ["gini", "entropy", "gain_ratio", "twoing", "squared_error", "poisson", "absolute_error"]
ORDERS = ["depth_first", "breadth_first", "best_first"]


def assert_same_tree(tree: Tree, root: Node, recipe: Recipe) -> None:
    """The same splits and counts; of several equally good groupings of one feature any will do."""
    pairs = [(0, root)]
    while pairs:
        at, node = pairs.pop()
        where = f"node {at}"
        assert tree.count[at] == node.count, where
        assert tree.weight[at] == pytest.approx(node.weight, rel=1e-9), where
        if node.split is None:
            assert tree.n_children[at] == 0, (
                f"{where} is split by {stored_split(tree, at)}, but must be a leaf"
            )
            continue
        assert tree.n_children[at] > 0, f"{where} is a leaf, but must be split by {node.split}"
        ours, theirs = stored_split(tree, at), node.split
        assert ours.feature == theirs.feature, f"{where}: {ours} instead of {theirs}"
        assert ours.threshold == theirs.threshold, f"{where}: {ours} instead of {theirs}"
        assert ours.cuts == theirs.cuts, f"{where}: {ours} instead of {theirs}"
        slack = 10 * EQUAL * scale(recipe.criterion, node) + 1e-13
        assert ours.merit == pytest.approx(theirs.merit, rel=1e-9, abs=slack), (
            f"{where}: {ours} instead of {theirs}"
        )
        if same_ways(ours, theirs):
            pairs += zip(tree.children(at), node.branches, strict=True)
        else:
            assert ours.table is not None, f"{where}: {ours} instead of {theirs}"


def same_ways(ours: Candidate, theirs: Candidate) -> bool:
    """Whether two splits send every row of their node the same way."""
    if ours.default_branch != theirs.default_branch or ours.n_branches != theirs.n_branches:
        return False
    return ours.table is None or all(
        ours.table.get(code) == way for code, way in (theirs.table or {}).items()
    )


def compare(dataset: Dataset, recipe: Recipe) -> None:
    note(f"{recipe}")
    tree = grow(dataset, recipe, n_jobs=1)
    check_tree(tree, dataset, recipe)
    assert_same_tree(tree, Reference(dataset, recipe).grow(), recipe)


# The reference itself, against a program that people trust


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.7"),
    reason="scikit-learn 1.6 grows other trees of weighted rows with missing values, and of absolute errors",
)
@pytest.mark.parametrize(
    "limits", [{"max_depth": 3}, {"max_leaf_nodes": 9}, {"min_samples_leaf": 7}], ids=str
)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error", "poisson"])
def test_the_reference_agrees_with_scikit_learn(criterion: str, limits: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 4)).astype(np.float32).astype(float)
    noisy = X[:, 0] + random.normal(size=250)
    if criterion != "absolute_error":  # there scikit-learn refuses missing values
        X[random.random(X.shape) < 0.1] = np.nan
    weight = random.integers(1, 4, 250).astype(float)
    if criterion in criteria.CLASSIFICATION:
        theirs: Any = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits)
        target: Any = np.digitize(noisy, [-0.5, 0.5])
        dataset = Dataset.from_table(X, target, task="classification", sample_weight=weight)
    else:
        theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **limits)
        target = np.round(np.exp(noisy), 2)
        dataset = Dataset.from_table(X, target, task="regression", sample_weight=weight)
    tree = theirs.fit(X, target, weight).tree_
    order = "best_first" if "max_leaf_nodes" in limits else "depth_first"
    nodes = [Reference(dataset, Recipe(criterion, order=order, **limits)).grow()]
    for node in nodes:  # the list grows as it is gone through
        nodes += node.branches
    assert len(nodes) == tree.node_count
    leaf = tree.children_left == -1
    expected = (tree.weighted_n_node_samples * tree.impurity)[leaf].sum()
    assert sum(node.weight * node.impurity for node in nodes if not node.branches) == pytest.approx(expected)


# Small tables


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("split", CATEGORY_SPLITS)
@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_small_tables(criterion: str, split: str, missing: str, data: st.DataObject) -> None:
    dataset = data.draw(small_rows(criterion)).dataset()
    recipe = Recipe(
        criterion,
        splits=("threshold", split),
        missing=missing,
        cut=data.draw(st.sampled_from(["midpoint", "observed"])),
        ties=data.draw(st.sampled_from(["first", "last"])),
    )
    compare(dataset, recipe)


@pytest.mark.parametrize("missing", [*POLICIES, "mixed"])
@given(data=st.data())
def test_every_policy_for_missing_values(missing: str, data: st.DataObject) -> None:
    """Holes abound; the core must send every share of every row where the reference sends it."""
    classes = missing == "class_mode" or data.draw(st.booleans())
    criterion = data.draw(st.sampled_from(SEVERAL[:4] if classes else SEVERAL[4:]))
    dataset = data.draw(small_rows(criterion, holes=3)).dataset()
    of_feature = st.sampled_from([name for name in POLICIES if classes or name != "class_mode"])
    drawn = tuple(data.draw(of_feature) for _ in dataset.schema.columns)
    recipe = Recipe(
        criterion,
        splits=("threshold", data.draw(st.sampled_from(CATEGORY_SPLITS))),
        missing=drawn if missing == "mixed" else missing,
        min_samples_leaf=data.draw(st.sampled_from([1, 2, 3])),
        max_depth=data.draw(st.sampled_from([1, 2, 4])),
        use_surrogates=data.draw(st.sampled_from([0, 1, 2])),
        max_surrogates=data.draw(st.sampled_from([0, 1, 5])),
    )
    note(f"{recipe}")
    try:
        tree = grow(dataset, recipe, n_jobs=1)
    except DataError:  # every row misses a value and is to be ignored
        assume(False)
    assert_same_tree(tree, Reference(dataset, recipe).grow(), recipe)


@pytest.mark.parametrize(
    "splits", [("interval",), ("threshold", "interval"), ("median",), ("threshold", "median")], ids=str
)
@given(data=st.data())
def test_intervals_and_medians(splits: tuple[str, ...], data: st.DataObject) -> None:
    criterion = data.draw(st.sampled_from(["gini", "gain_ratio", "twoing", *criteria.REGRESSION]))
    dataset = data.draw(small_rows(criterion)).dataset()
    recipe = Recipe(
        criterion,
        splits=(*splits, "subset"),
        missing=data.draw(st.sampled_from(MISSING)),
        cut=data.draw(st.sampled_from(["midpoint", "observed"])),
        min_samples_leaf=data.draw(st.sampled_from([1, 1, 2])),
    )
    compare(dataset, recipe)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_stopping(criterion: str, data: st.DataObject) -> None:
    dataset = data.draw(small_rows(criterion)).dataset()
    recipe = Recipe(
        criterion,
        splits=("threshold", data.draw(st.sampled_from(CATEGORY_SPLITS))),
        missing=data.draw(st.sampled_from(MISSING)),
        max_depth=data.draw(st.sampled_from([None, 1, 2])),
        min_samples_split=data.draw(st.sampled_from([2, 5, 0.5])),
        min_samples_leaf=data.draw(st.sampled_from([1, 2, 4, 0.2])),
        min_weight_fraction_leaf=data.draw(st.sampled_from([0.0, 0.1, 0.3])),
        min_impurity_decrease=data.draw(st.sampled_from([0.0, 0.01, 0.1])),
        min_merit=data.draw(st.sampled_from([-np.inf, 1e-6, 0.05])),
    )
    compare(dataset, recipe)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@given(data=st.data())
def test_orders_and_budgets(criterion: str, order: str, data: st.DataObject) -> None:
    dataset = data.draw(small_rows(criterion, max_rows=30)).dataset()
    recipe = Recipe(
        criterion,
        splits=("threshold", data.draw(st.sampled_from(CATEGORY_SPLITS))),
        order=order,
        max_leaf_nodes=data.draw(st.sampled_from([None, 2, 3, 5])),
        max_nodes=data.draw(st.sampled_from([None, 3, 8])),
    )
    compare(dataset, recipe)


@given(data=st.data())
def test_all_forms_of_splits_together(data: st.DataObject) -> None:
    """With several forms the best of all wins; which of equal forms is not said."""
    dataset = data.draw(small_rows("gini")).dataset()
    recipe = Recipe("gini", splits=("threshold", "subset", "multiway", "one_vs_rest"))
    check_tree(grow(dataset, recipe, n_jobs=1), dataset, recipe)


@pytest.mark.parametrize("criterion", ["gini", "gain_ratio", "squared_error"])
@given(data=st.data())
def test_competitors_are_the_best_splits_on_other_features(criterion: str, data: st.DataObject) -> None:
    dataset = data.draw(small_rows(criterion)).dataset()
    recipe = Recipe(criterion, splits=("threshold", "subset"), max_competitors=2)
    tree, learner = grow(dataset, recipe, n_jobs=1), Reference(dataset, recipe)
    root = learner.node(learner.rows, 0)
    if tree.n_children[0] == 0:
        return
    best: dict[int, float] = {}
    for candidate in learner.candidates(root):
        best[candidate.feature] = max(candidate.merit, best.get(candidate.feature, candidate.merit))
    chosen = int(tree.splits.feature[0])
    here = slice(tree.competitor_begin[0], tree.competitor_begin[1])
    features, scores = tree.competitors.feature[here].tolist(), tree.competitors.score[here].tolist()
    others = sorted((worth for feature, worth in best.items() if feature != chosen), reverse=True)[:2]
    assert scores == pytest.approx(others, abs=1e-12)
    assert chosen not in features
    assert scores == pytest.approx([best[feature] for feature in features], abs=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
@given(data=st.data())
def test_categories_ordered_once(criterion: str, data: st.DataObject) -> None:
    dataset = data.draw(small_rows(criterion)).dataset()
    assume(dataset.schema.classes is None or len(dataset.schema.classes) == 2)
    compare(dataset, Recipe(criterion, category_order="once", missing=data.draw(st.sampled_from(MISSING))))


# Constraints and functions


def drawn_constraints(dataset: Dataset, data: st.DataObject) -> dict[str, Any]:
    """Signs for what has an order, groups of features, costs."""
    n = len(dataset.schema.columns)
    signs = [
        0 if column.kind == "categorical" else data.draw(st.sampled_from([-1, 0, 1]))
        for column in dataset.schema.columns
    ]
    group = st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True).map(tuple)
    rest = tuple(range(n))
    groups = data.draw(st.one_of(st.none(), st.lists(group, min_size=1, max_size=3).map(tuple)))
    return {
        "monotonic": data.draw(st.sampled_from([None, tuple(signs)])),
        "interaction": None if groups is None else (*groups, *((f,) for f in rest)),
        "feature_costs": data.draw(st.one_of(st.none(), st.tuples(*[st.sampled_from([0.5, 1.0, 3.0])] * n))),
        "complexity": data.draw(st.sampled_from([0.0, 0.02])),
    }


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_constraints(criterion: str, data: st.DataObject) -> None:
    dataset, split = data.draw(small_rows(criterion)).dataset(), data.draw(st.sampled_from(CATEGORY_SPLITS))
    constraints = drawn_constraints(dataset, data)
    recipe = Recipe(criterion, splits=("threshold", split), **constraints)
    note(f"{recipe}")
    tree = grow(dataset, recipe, n_jobs=1)
    assert_same_tree(tree, Reference(dataset, recipe).grow(), recipe)
    for feature, sign in enumerate(constraints["monotonic"] or ()):
        assert not sign or is_monotone(tree, feature, sign)


def class_gini(parent: Any, branches: Any) -> Any:
    """The Gini index as a user would write it."""
    weight = np.maximum(branches.sum(axis=2), 1e-300)
    kept = ((branches**2).sum(axis=2) / weight).sum(axis=1) / parent.sum()
    return kept - (parent**2).sum() / parent.sum() ** 2


def class_hellinger(parent: Any, branches: Any) -> Any:
    """The Hellinger distance of the first class and the second."""
    shares = np.sqrt(branches / np.maximum(parent, 1e-300))
    return np.sqrt(((shares[:, :, 0] - shares[:, :, 1]) ** 2).sum(axis=1))


def number_variance(parent: Any, branches: Any) -> Any:
    """The decrease of the variance."""
    after = (branches[:, :, 1] ** 2 / np.maximum(branches[:, :, 0], 1e-300)).sum(axis=1)
    return (after - parent[1] ** 2 / parent[0]) / parent[0]


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("function", [class_gini, class_hellinger, number_variance])
@given(data=st.data())
def test_functions(function: Any, missing: str, data: st.DataObject) -> None:
    split = data.draw(st.sampled_from(CATEGORY_SPLITS))
    named = "squared_error" if function is number_variance else "gini"
    dataset = data.draw(small_rows(named)).dataset()
    constraints = drawn_constraints(dataset, data)
    if missing == "available":
        constraints["monotonic"] = None
    recipe = Recipe(function, splits=("threshold", split), missing=missing, **constraints)
    note(f"{recipe}")
    tree = grow(dataset, recipe, n_jobs=1)
    assert_same_tree(tree, Reference(dataset, recipe).grow(), recipe)


@pytest.mark.parametrize("split", CATEGORY_SPLITS)
@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("named", ["gini", "squared_error"])
@given(data=st.data())
def test_a_criterion_rewritten_as_a_function_grows_the_same_tree(
    named: str, missing: str, split: str, data: st.DataObject
) -> None:
    dataset = data.draw(small_rows(named)).dataset()
    ties = data.draw(st.sampled_from(["first", "last"]))
    function: Any = class_gini if named == "gini" else number_variance
    ours = grow(dataset, Recipe(function, splits=("threshold", split), missing=missing, ties=ties), n_jobs=1)
    theirs = grow(dataset, Recipe(named, splits=("threshold", split), missing=missing, ties=ties), n_jobs=1)
    assert ours.parent.tolist() == theirs.parent.tolist()
    assert ours.splits.feature.tolist() == theirs.splits.feature.tolist()
    assert ours.splits.threshold.tolist() == theirs.splits.threshold.tolist()
    assert ours.node_value.tolist() == theirs.node_value.tolist()
