"""The searches for hyperplanes, spheres, intervals and medians: merits, readings, missing values, threads."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, load_iris, load_wine

from helpers.reference_forms import interval_cuts
from helpers.tables import small_rows
from helpers.trees import Inner, Leaf, build
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, criteria, load
from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe
from treewright.pruning import CostComplexity, ErrorBased, ReducedError
from treewright.pruning.structural_risk import log_splits
from treewright.tree.routing import Descent
from treewright.tree.splits import Hyperplane, Intervals, Sphere, Threshold

Array = NDArray[np.float64]

FORMS = ["hyperplane", "sphere", "interval", "median"]
POLICIES = ["direction", "available", "value", "fractional", "surrogate", "mean", "median", "mode"]

pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")


def slanted(n: int = 400, seed: int = 0) -> tuple[Array, NDArray[np.bool_]]:
    """Two classes on the sides of a slanted line: no threshold parts them, one hyperplane does."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4)) * [1.0, 20.0, 1.0, 0.01] + [0.0, 500.0, 0.0, 3.0]
    return X, 2 * X[:, 0] + X[:, 1] / 10 > 50


def recomputed_merit(model: Any, X: Array, y: NDArray[Any]) -> float:
    """The merit of the only split of a model from the rows that go each way."""
    leaf = model.apply(X)
    parts = [y[leaf == at] for at in np.unique(leaf)]
    if model.criterion in criteria.REGRESSION:
        return criteria.merit(model.criterion, parts)
    counts = [np.bincount(part, minlength=int(y.max()) + 1) for part in parts]
    return criteria.merit(model.criterion, np.array(counts))


# Hyperplanes


def test_a_slanted_line_is_one_readable_split() -> None:
    X, y = slanted()
    tree = DecisionTreeClassifier(splits=("threshold", "hyperplane")).fit(X, y).tree_
    split = tree[0].split
    assert isinstance(split, Hyperplane)
    assert tree.n_leaves == 2
    assert split.features == (0, 1)  # the others tell nothing, and go
    ratio = split.weights[0] / split.weights[1]
    assert ratio == pytest.approx(20, rel=0.1)
    assert len(f"{split.weights}") < 30  # few digits
    words = split.condition(tree.schema, 0)
    assert words.startswith("x0 + 0.")
    assert "·x1 ≤ " in words


@pytest.mark.parametrize("criterion", [*criteria.CLASSIFICATION, *criteria.REGRESSION])
def test_no_less_merit_than_a_threshold_whatever_the_criterion(criterion: str) -> None:
    if criterion in criteria.REGRESSION:
        X, y = load_diabetes(return_X_y=True)
        y = y[:200]
        model: Any = DecisionTreeRegressor
    else:
        X, y = load_wine(return_X_y=True)
        model = DecisionTreeClassifier
    X = X[: len(y)]
    axis = model(criterion=criterion, max_depth=1).fit(X, y).tree_
    grown = model(criterion=criterion, max_depth=1, splits=("hyperplane",)).fit(X, y)
    oblique = grown.tree_
    assert oblique.merit[0] >= axis.merit[0] * (1 - 1e-12)
    assert oblique.merit[0] == pytest.approx(recomputed_merit(grown, X, y), rel=1e-9)
    if criterion in ("gini", "entropy", "squared_error"):  # here a slanted cut is known to be better
        assert isinstance(oblique[0].split, Hyperplane)
        assert oblique.merit[0] > 1.01 * axis.merit[0]


@given(data=st.data(), form=st.sampled_from(FORMS), policy=st.sampled_from(POLICIES))
def test_small_tables_of_any_kind(data: st.DataObject, form: str, policy: str) -> None:
    """Growing and routing agree on every row, weighted, missing or not; each split is worth what it says."""
    criterion = data.draw(st.sampled_from(["gini", "entropy", "twoing", "squared_error", "absolute_error"]))
    dataset = data.draw(small_rows(criterion)).dataset()
    recipe = Recipe(criterion, splits=("threshold", form, "subset"), missing=policy)
    tree = grow(dataset, recipe, n_jobs=1)
    if policy != "fractional":
        leaf = tree.route(dataset.numbers, dataset.codes)
        kept = np.ones(len(dataset), bool) if dataset.weight is None else dataset.weight > 0
        np.testing.assert_array_equal(
            np.bincount(leaf[kept], minlength=len(tree))[tree.leaves], tree.count[tree.leaves]
        )
        settled = Descent(tree, dataset).route(Descent(tree, dataset).start())
        np.testing.assert_array_equal(settled.node, leaf)
    axis = grow(dataset, Recipe(criterion, splits=("threshold", "subset"), missing=policy), n_jobs=1)
    assert tree.merit[0] >= axis.merit[0] - 1e-9


def test_the_search_does_not_depend_on_threads_nor_on_the_run() -> None:
    X, y = load_wine(return_X_y=True)
    trees = [
        DecisionTreeClassifier(splits=("hyperplane", "sphere"), n_jobs=n_jobs).fit(X, y).tree_
        for n_jobs in (1, 2, 1)
    ]
    assert trees[0] == trees[1] == trees[2]
    other = DecisionTreeClassifier(splits=("hyperplane",), random_state=7).fit(X, y).tree_
    again = DecisionTreeClassifier(splits=("hyperplane",), random_state=7, n_jobs=2).fit(X, y).tree_
    assert other == again


def test_units_and_origins_of_the_features_do_not_matter() -> None:
    X, y = slanted()
    plain = DecisionTreeClassifier(splits=("hyperplane",)).fit(X, y)
    moved = DecisionTreeClassifier(splits=("hyperplane",)).fit(X * [1e6, 1e-3, 1, 1] + [1e7, 0, -5, 0], y)
    np.testing.assert_array_equal(plain.tree_.count, moved.tree_.count)


def test_few_rows_are_cut_on_one_feature() -> None:
    """With fewer than two rows for each feature any labels can be parted (Murthy et al., 1994)."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(19, 10)), random.integers(0, 2, 19)
    tree = DecisionTreeClassifier(splits=("hyperplane",)).fit(X, y).tree_
    assert all(isinstance(tree[node].split, Threshold) for node in np.flatnonzero(tree.n_children))


def test_a_sample_serves_the_direction_of_large_nodes_and_all_rows_the_cut() -> None:
    X, y = slanted(60_000)
    model = DecisionTreeClassifier(splits=("hyperplane",), max_depth=1).fit(X, y)
    tree, axis = model.tree_, DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    assert isinstance(tree[0].split, Hyperplane)
    assert tree.merit[0] > 1.5 * axis.merit[0]
    assert tree.count[0] == 60_000
    assert tree.merit[0] == pytest.approx(recomputed_merit(model, X, y), rel=1e-9)


def test_limits_on_leaves_hold() -> None:
    X, y = load_wine(return_X_y=True)
    for form in FORMS:
        tree = DecisionTreeClassifier(splits=(form,), min_samples_leaf=25).fit(X, y).tree_
        assert tree.count.min() >= 25, form


def test_collinear_and_constant_features_do_no_harm() -> None:
    X, y = slanted()
    X = np.column_stack([X, X[:, 0], X[:, :2].sum(axis=1), np.ones(len(X)), np.full(len(X), 1e-300)])
    tree = DecisionTreeClassifier(splits=("hyperplane",)).fit(X, y).tree_
    assert tree.n_leaves <= 3


# Spheres


def test_a_ring_is_one_sphere() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 2)) * [1, 50] + [3, -200]
    y = (((X - [3, -200]) / [1, 50]) ** 2).sum(axis=1) < 1
    model = DecisionTreeClassifier(splits=("threshold", "sphere"), max_depth=1).fit(X, y)
    tree, split = model.tree_, model.tree_[0].split
    assert isinstance(split, Sphere)
    assert split.centres == pytest.approx((3, -200), abs=20)
    assert model.score(X, y) > 0.9
    assert tree.merit[0] == pytest.approx(recomputed_merit(model, X, y), rel=1e-9)


def test_a_hill_is_one_sphere_for_regression() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(500, 2))
    y = (np.hypot(*X.T) < 0.8) * 10.0 + random.normal(size=500) / 10
    axis = DecisionTreeRegressor(max_depth=1).fit(X, y)
    sphere = DecisionTreeRegressor(splits=("sphere",), max_depth=1).fit(X, y)
    assert sphere.score(X, y) > 0.8 > axis.score(X, y)


# Intervals


@pytest.mark.parametrize(
    ("feature", "cuts"),
    [(0, (5.55, 6.15)), (1, (2.95, 3.35)), (2, (2.45, 4.75)), (3, (0.8, 1.75))],
)
def test_iris_is_cut_as_fayyad_and_irani_do(feature: int, cuts: tuple[float, ...]) -> None:
    """The intervals that Weka's supervised Discretize gives."""
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(splits=("interval",), max_depth=1).fit(X[:, [feature]], y).tree_
    split = tree[0].split
    assert isinstance(split, Intervals)
    assert split.cuts == pytest.approx(cuts)
    assert tree.n_children[0] == 3


@settings(deadline=None)
@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 4), weighted=st.booleans())
def test_intervals_equal_a_second_implementation(seed: int, n_classes: int, weighted: bool) -> None:
    random = np.random.default_rng(seed)
    x = random.integers(0, 30, 120) / 2
    y = np.where(
        random.random(120) < 0.15, random.integers(0, n_classes, 120), (x // 4).astype(int) % n_classes
    )
    weight = random.integers(1, 4, 120).astype(float) if weighted else np.ones(120)
    dataset = Dataset.from_table(x[:, None], y, task="classification", sample_weight=weight)
    tree = grow(dataset, Recipe("gini", splits=("interval",), max_depth=1), n_jobs=1)
    split = tree[0].split
    found = split.cuts if isinstance(split, Intervals) else ()
    assert found == pytest.approx(interval_cuts(x, dataset.target, weight))


def test_temperatures_of_the_lecture_read_as_intervals() -> None:
    temperature = np.repeat([40.0, 48.0, 60.0, 72.0, 80.0, 90.0], 6)[:, None]
    play = np.repeat(["no", "no", "yes", "yes", "yes", "no"], 6)
    tree = DecisionTreeClassifier(splits=("interval",)).fit(temperature, play).tree_
    split = tree[0].split
    assert isinstance(split, Intervals)
    assert split.cuts == (54.0, 85.0)
    words = [split.condition(tree.schema, branch) for branch in range(3)]
    assert words == ["x0 ≤ 54", "54 < x0 ≤ 85", "x0 > 85"]
    assert tree.n_leaves == 3


def test_intervals_may_be_cut_at_values_of_the_data() -> None:
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(splits=("interval",), max_depth=1, cut="observed").fit(X[:, [2]], y).tree_
    split = tree[0].split
    assert isinstance(split, Intervals)
    assert set(split.cuts) <= set(X[:, 2])


# Medians


def test_medians_look_at_the_features_alone() -> None:
    random = np.random.default_rng(0)
    X = random.uniform(size=(256, 3)) * [1, 10, 3]
    y = random.integers(0, 2, 256)
    recipe = {"splits": ("median",), "max_depth": 3}
    tree = DecisionTreeClassifier(**recipe).fit(X, y).tree_
    other = DecisionTreeClassifier(**recipe).fit(X, random.permutation(y)).tree_
    for name in ("feature", "threshold", "count"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name))
    assert tree.feature[0] == 1  # the widest
    assert set(tree.count[tree.leaves].tolist()) == {32}
    assert tree.threshold[0] == np.median(X[:, 1])


def test_medians_weigh_rows() -> None:
    X = np.arange(10.0)[:, None]
    model = DecisionTreeClassifier(splits=("median",), max_depth=1)
    tree = model.fit(X, X[:, 0] % 2, sample_weight=[6, *[1] * 9]).tree_
    assert tree.threshold[0] == 1.5  # seven of fifteen, and eight


# Twoing


@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 7))
def test_twoing_is_the_gini_index_of_the_best_two_superclasses(seed: int, n_classes: int) -> None:
    """The best of all groupings of the classes has twice its merit (Breiman et al., 1984, theorem 4.10)."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 12, 60).astype(float)
    y = (x.astype(int) * 5 % n_classes + (random.random(60) < 0.3)).astype(int) % n_classes
    weight = random.integers(1, 4, 60).astype(float)
    tree = (
        DecisionTreeClassifier(criterion="twoing", max_depth=1).fit(x[:, None], y, sample_weight=weight).tree_
    )
    table = (
        np.stack([tree.node_value[child] for child in tree.children(0)]) if len(tree) > 1 else np.ones((2, 2))
    )
    group, rest = criteria.superclasses(table)
    two_classes = np.stack([table[:, group].sum(axis=1), table[:, rest].sum(axis=1)], axis=1)
    assert 2 * tree.merit[0] == pytest.approx(criteria.merit("gini", two_classes), abs=1e-12)
    present = np.unique(y)
    best = 0.0
    for inside in product([False, True], repeat=len(present)):
        superclass = np.isin(y, present[list(inside)])
        for threshold in np.unique(x)[:-1]:
            sides = [x <= threshold, x > threshold]
            counts = [[weight[side & (superclass == of)].sum() for of in (False, True)] for side in sides]
            best = max(best, criteria.merit("gini", np.array(counts)))
    assert 2 * tree.merit[0] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_twoing_of_a_hundred_classes_is_what_its_formula_says(weighted: bool) -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 100, 3_000)
    X = np.column_stack([y % 10 + random.normal(size=3_000), y // 10 + random.normal(size=3_000)])
    weight = random.uniform(0.5, 2, 3_000) if weighted else np.ones(3_000)
    tree = DecisionTreeClassifier(criterion="twoing", max_depth=4).fit(X, y, sample_weight=weight).tree_
    for node in np.flatnonzero(tree.n_children):
        table = np.stack([tree.node_value[child] for child in tree.children(node)])
        assert tree.merit[node] == pytest.approx(criteria.merit("twoing", table), rel=1e-9)
    for feature, cut in product((0, 1), np.linspace(-1, 10, 60)):  # no cut of the root is better
        sides = [X[:, feature] <= cut, X[:, feature] > cut]
        table = np.stack([np.bincount(y[side], weight[side], minlength=100) for side in sides])
        assert criteria.merit("twoing", table) <= tree.merit[0] * (1 + 1e-9)


# Together with everything else


@pytest.fixture(scope="module")
def every_form() -> tuple[DecisionTreeClassifier, Array, NDArray[Any]]:
    """A tree that has splits of all forms, on rows of which some miss a value."""
    random = np.random.default_rng(3)
    X = random.normal(size=(900, 5))
    ring = np.hypot(X[:, 2], X[:, 3]) < 1
    strips = 2 + np.digitize(X[:, 4], [-1.2, -0.4, 0.4, 1.2])
    y = np.where(X[:, 0] + X[:, 1] > 0.8, 0, np.where(ring, 1, strips))
    X[random.random(X.shape) < 0.02] = np.nan
    model = DecisionTreeClassifier(splits=("hyperplane", "sphere", "interval"), min_samples_leaf=5).fit(X, y)
    kinds = {type(model.tree_[node].split) for node in np.flatnonzero(model.tree_.n_children)}
    assert kinds >= {Hyperplane, Sphere, Intervals}
    return model, X, y


def test_files_keep_every_form(every_form: Any, tmp_path: Any) -> None:
    model, X, _ = every_form
    model.save(tmp_path / "model.tw")
    again = load(tmp_path / "model.tw")
    assert again.tree_ == model.tree_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_every_form_is_printed_described_and_counted(every_form: Any) -> None:
    model, X, _ = every_form
    tree = model.tree_
    text = str(tree)
    assert len(text.splitlines()) == len(tree) + 2
    assert all(sign in text for sign in ("²", "·x", " < x"))
    kinds = set()
    waiting = [tree.to_dict()]
    while waiting:
        node = waiting.pop()
        if "split" in node:
            kinds.add(node["split"]["kind"])
            waiting += node["branches"]
    assert kinds >= {"hyperplane", "sphere", "interval"}
    assert tree._repr_html_()
    importances = model.feature_importances_
    assert importances.shape == (5,)
    assert importances.sum() == pytest.approx(1)
    leaf = model.apply(X)
    np.testing.assert_array_equal(
        np.bincount(leaf, minlength=len(tree))[tree.leaves], tree.count[tree.leaves]
    )


@pytest.mark.parametrize("pruner", [CostComplexity(alpha=0.002), ErrorBased(), ReducedError()], ids=str)
def test_every_form_is_pruned(every_form: Any, pruner: Any) -> None:
    model, X, y = every_form
    grown = DecisionTreeClassifier(**(model.get_params() | {"pruner": pruner, "random_state": 0})).fit(X, y)
    assert 1 < grown.tree_.n_leaves <= model.tree_.n_leaves
    assert grown.score(X, y) > 0.7


def test_structural_risk_counts_the_ways_in_which_planes_part_points() -> None:
    """Four points of a plane in general position: 14 of the 16 labellings can be cut apart (Cover, 1965)."""
    X, y = [[0.0, 0.0], [1.0, 0.1], [0.1, 1.0], [0.9, 1.2]], [0, 1, 0, 1]
    schema = DecisionTreeClassifier().fit(X, y).tree_.schema
    plan = Inner(Hyperplane((0, 1), (1.0, 1.0), 1.5), [Leaf(2, [2, 0]), Leaf(2, [0, 2])])
    assert np.exp(log_splits(build(schema, plan))) == pytest.approx(14 + 3 + 3)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"splitter": "random"}, "splitter goes with"),
        ({"monotonic_cst": [1, 0, 0, 0]}, "monotonic"),
        ({"max_bins": 20}, "max_bins goes with"),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_what_cannot_hold_together_is_refused(form: str, parameters: dict[str, Any], words: str) -> None:
    X, y = slanted(50)
    with pytest.raises(ValueError, match=words):
        DecisionTreeClassifier(splits=("threshold", form), **parameters).fit(X, y)


def test_every_feature_needs_a_form() -> None:
    X, y = slanted(50)
    with pytest.raises(ValueError, match="has no form for it"):
        DecisionTreeClassifier(splits=("hyperplane",)).fit([["a", 1.0], ["b", 2.0]], [0, 1])
    with pytest.raises(ValueError, match="Did you mean 'hyperplane'"):
        DecisionTreeClassifier(splits=("hyperplanes",)).fit(X, y)
