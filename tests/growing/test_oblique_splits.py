"""Hyperplanes and spheres beside slow references: exact cuts, all lines, single weights; with constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from helpers.reference_forms import (
    best_sphere,
    cuts_of,
    naming_bits,
    parting_merits,
    partings_by_lines,
    saved_bits,
    turned_about_one_weight,
)
from helpers.tables import small_rows
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, criteria
from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.parameters import MISSING
from treewright.growing.recipe import Recipe
from treewright.tree import Tree
from treewright.tree.splits import Hyperplane, Intervals, Sphere, Threshold

Array = NDArray[np.float64]
CRITERIA = [*criteria.CLASSIFICATION, *criteria.REGRESSION]

pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")


def planted(seed: int, n: int, width: int, criterion: str) -> tuple[Array, Any, Array]:
    """Rows on two sides of a slanted plane, with noise: features, target and weights."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, width)).round(2)
    signal = X @ random.normal(size=width) + 0.3 * random.normal(size=n)
    y: Any = np.digitize(signal, [-0.5, 0.5])
    if criterion in criteria.REGRESSION:
        y = np.round(np.exp(signal / 2)) if criterion == "poisson" else signal.round(2)
    return X, y, random.integers(1, 4, n).astype(float)


def grown(X: Array, y: Any, weight: Array, criterion: str, **choices: Any) -> tuple[Tree, Any, int]:
    """A tree of one split, the target as the core has it, and the number of classes."""
    task: Any = "classification" if criterion in criteria.CLASSIFICATION else "regression"
    dataset = Dataset.from_table(X, y, task=task, sample_weight=weight)
    recipe = Recipe(criterion, max_depth=1, **{"splits": ("threshold", "hyperplane"), **choices})
    classes = dataset.schema.classes
    return grow(dataset, recipe, n_jobs=1), dataset.target, 0 if classes is None else len(classes)


def left_of(split: Any, X: Array) -> NDArray[np.bool_]:
    """Which rows a hyperplane or threshold sends left."""
    if isinstance(split, Threshold):
        return np.asarray(X[:, split.feature] <= split.threshold)
    return np.asarray(X[:, list(split.features)] @ split.weights <= split.threshold)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(4))
def test_along_its_direction_a_plane_is_cut_where_that_is_best(criterion: str, seed: int) -> None:
    X, y, weight = planted(seed, 60, 3, criterion)
    tree, target, k = grown(X, y, weight, criterion)
    split = tree[0].split
    own = parting_merits(criterion, left_of(split, X)[None], target, weight, k)[0]
    assert tree.merit[0] == pytest.approx(own, rel=1e-9)
    if isinstance(split, Hyperplane):
        along = cuts_of(X[:, list(split.features)] @ np.array(split.weights))
        if criterion == "poisson":  # a branch without events would predict a rate of zero
            along = along[(along @ y > 0) & (~along @ y > 0)]
        assert parting_merits(criterion, along, target, weight, k).max() <= own * (1 + 1e-9)


@settings(deadline=None)
@given(data=st.data(), criterion=st.sampled_from(CRITERIA), policy=st.sampled_from([*MISSING]))
def test_never_less_merit_than_the_best_split_of_one_feature(
    data: st.DataObject, criterion: str, policy: str
) -> None:
    policy = "mode" if policy == "class_mode" and criterion in criteria.REGRESSION else policy
    rows = data.draw(small_rows(criterion, holes=0 if policy == "error" else None))
    dataset = rows.dataset()
    if policy == "ignore" and rows.X.isna().any(axis=1).all():
        return
    one = grow(dataset, Recipe(criterion, missing=policy, max_depth=1), n_jobs=1)
    forms = ("threshold", "subset", "hyperplane", "sphere")
    several = grow(dataset, Recipe(criterion, splits=forms, missing=policy, max_depth=1), n_jobs=1)
    assert several.merit[0] >= one.merit[0] - 1e-9


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "squared_error"])
def test_the_best_of_all_lines_is_found(criterion: str) -> None:
    """On two features all partings by a line can be listed: the best is found, or does not pay."""
    attained = []
    for seed in range(120):
        X, y, weight = planted(seed, 12, 2, criterion)
        tree, target, k = grown(X, y, weight, criterion)
        if len(tree) == 1:
            continue
        left, split = partings_by_lines(X), tree[0].split
        merits = parting_merits(criterion, left, target, weight, k)
        assert tree.merit[0] <= merits.max() * (1 + 1e-9)
        if isinstance(split, Hyperplane):
            attained.append(tree.merit[0] >= merits.max() * (1 - 1e-9))
        else:
            slanted, straight = (
                saved_bits(criterion, parting, merit, target, weight) - naming_bits(12, 2, n_used)
                for parting, merit, n_used in (
                    (left[merits.argmax()], float(merits.max()), 2),
                    (left_of(split, X), float(tree.merit[0]), 1),
                )
            )
            assert slanted <= straight + 1e-9
    assert len(attained) > 20
    assert np.mean(attained) > 0.95


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_no_single_weight_could_be_much_better(criterion: str) -> None:
    """Turned to any value of one of its weights, the rest as it is, a plane gains little: it has settled."""
    gains = []
    for seed in range(40):
        X, y, weight = planted(seed, 80, 3, criterion)
        X = X + 5  # so that the planes of one weight do not all pass through the middle of the rows
        tree, target, k = grown(X, y, weight, criterion)
        split = tree[0].split
        if not isinstance(split, Hyperplane):
            continue
        columns, weights = X[:, list(split.features)], np.array(split.weights)
        for at in range(len(weights)):
            left = turned_about_one_weight(columns, weights, split.threshold, at)
            gains.append(parting_merits(criterion, left, target, weight, k).max() / tree.merit[0] - 1)
    assert len(gains) > 60
    assert np.mean(gains) < 0.005
    assert max(gains) < 0.06


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("seed", range(8))
def test_spheres_equal_a_second_implementation(criterion: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(70, 3)) * [1, 30, 0.2] + [0, 100, 5]
    inside = (((X - [0.3, 100, 5]) / [1, 30, 0.2]) ** 2)[:, : 2 + seed % 2].sum(axis=1) < 1.2
    y: Any = np.where(random.random(70) < 0.1, ~inside, inside) + (X[:, 1] > 120)
    if criterion == "squared_error":
        y = y * 3 + random.normal(size=70)
    weight = random.integers(1, 4, 70).astype(float)
    tree, target, k = grown(X, y, weight, criterion, splits=("sphere",))
    merit, features = best_sphere(criterion, X, target, weight, k)
    split = tree[0].split
    assert isinstance(split, Sphere)
    assert split.features == tuple(features)
    # written in few digits it may lose a thousandth, or be lucky
    assert merit * 0.999 - 1e-12 <= tree.merit[0] <= merit * 1.1
    distance = (np.array(split.scales) * (X[:, features] - split.centres) ** 2).sum(axis=1)
    exact = parting_merits(criterion, cuts_of(distance), target, weight, k).max()
    assert tree.merit[0] == pytest.approx(exact, rel=1e-9)


# Few weights


def terms(tree: Tree) -> list[int]:
    """How many features each split looks at."""
    splits = [tree[node].split for node in np.flatnonzero(tree.n_children)]
    return [len(split.features) if isinstance(split, Hyperplane | Sphere) else 1 for split in splits]


@pytest.mark.parametrize("n_noise", [5, 10])
def test_features_that_tell_nothing_seldom_get_a_weight(n_noise: int) -> None:
    """A weight that saves fewer bits than it takes to name is dropped: of noise little passes that test."""
    weights = []
    for seed in range(9):
        random = np.random.default_rng(seed)
        X = random.normal(size=(800, 2 + n_noise))
        y = X[:, 0] - 0.6 * X[:, 1] + 0.3 * random.normal(size=800) > 0
        split = DecisionTreeClassifier(splits=("hyperplane",), max_depth=1).fit(X, y).tree_[0].split
        assert isinstance(split, Hyperplane)
        assert split.features[:2] == (0, 1)
        assert split.weights[1] / split.weights[0] == pytest.approx(-0.6, abs=0.3)
        weights.append(len(split.features) - 2)
    assert np.median(weights) == 0
    assert np.mean(weights) < 0.2 * n_noise


@pytest.mark.parametrize("most", [2, 3])
@pytest.mark.parametrize("form", ["hyperplane", "sphere"])
def test_no_more_terms_than_asked_for(form: str, most: int) -> None:
    X, y = load_wine(return_X_y=True)
    free = DecisionTreeClassifier(splits=(form,)).fit(X, y).tree_
    tree = DecisionTreeClassifier(splits=(form,), max_terms=most).fit(X, y).tree_
    assert max(terms(tree)) <= most < max(terms(free))
    with pytest.raises(ValueError, match="max_terms"):
        DecisionTreeClassifier(splits=(form,), max_terms=1).fit(X, y)


def test_forests_bound_the_terms_of_their_trees() -> None:
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(5, splits=("hyperplane",), max_terms=2, max_features=6, random_state=0)
    forest.fit(X, y)
    assert max(max(terms(tree)) for tree in forest.trees_) == 2
    assert forest.score(X, y) > 0.95


def test_what_is_printed_is_what_is_used() -> None:
    """The numbers of the text, read back, send every row where the model does."""
    X, y = load_breast_cancer(return_X_y=True)
    model = DecisionTreeClassifier(splits=("hyperplane",), max_depth=3, max_terms=3).fit(X, y)
    tree = model.tree_
    split = tree[0].split
    words = split.condition(tree.schema, 0)
    expression = words.replace("−", "-").replace("·", "*").replace("≤", "<=")
    names = {f"x{f}": X[:, f] for f in range(X.shape[1])}
    read = eval(expression, {}, names)
    np.testing.assert_array_equal(read, left_of(split, X))
    assert len(words) < 70
    assert read.sum() == tree.count[tree.children(0)[0]]


# With constraints, prices and tests


def test_features_of_one_split_belong_to_one_group() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, groups = X[:, [0, 1, 2, 3, 7, 20, 21, 22, 27]], [[0, 1, 5], [2, 3, 4], [6, 7, 8]]
    for form in ("hyperplane", "sphere"):
        tree = DecisionTreeClassifier(splits=(form,), interaction_cst=groups, max_depth=4).fit(X, y).tree_
        used: list[set[int]] = [set() for _ in range(len(tree))]
        several = 0
        for node in range(len(tree)):
            if tree.n_children[node] == 0:
                continue
            split = tree[node].split
            features = split.features if isinstance(split, Hyperplane | Sphere) else (split.feature,)
            several += len(features) > 1
            path = used[node] | set(features)
            assert any(path <= set(group) for group in groups)
            for child in tree.children(node):
                used[child] = path
        assert several


def test_one_group_of_all_features_changes_nothing() -> None:
    X, y = load_wine(return_X_y=True)
    plain = DecisionTreeClassifier(splits=("hyperplane",)).fit(X, y).tree_
    grouped = DecisionTreeClassifier(splits=("hyperplane",), interaction_cst=[range(13)]).fit(X, y).tree_
    assert plain == grouped


def test_a_split_pays_for_every_feature_it_looks_at() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    y = X[:, 0] + X[:, 1] > 0
    X[:, 2] = X[:, 0] + X[:, 1] + 0.3 * random.normal(size=400)  # nearly as good, alone
    parameters: dict[str, Any] = {"splits": ("threshold", "hyperplane"), "max_depth": 1}
    free = DecisionTreeClassifier(**parameters).fit(X, y).tree_
    assert isinstance(free[0].split, Hyperplane)
    dear = DecisionTreeClassifier(feature_costs=[1, 1, 1.2], **parameters).fit(X, y).tree_
    assert isinstance(dear[0].split, Threshold)
    assert dear[0].split.feature == 2
    cheap = DecisionTreeClassifier(feature_costs=[1, 1, 3], **parameters).fit(X, y).tree_
    assert isinstance(cheap[0].split, Hyperplane)
    assert cheap[0].split.features == (0, 1)


@pytest.mark.parametrize("form", ["hyperplane", "sphere", "interval", "median"])
def test_noise_is_not_split_and_a_pattern_is(form: str) -> None:
    """With a target of pure chance no more than the asked-for share of trees may grow at all."""
    random = np.random.default_rng(0)
    grew = []
    for _ in range(60):
        X, y = random.normal(size=(80, 3)), random.integers(0, 2, 80)
        model = DecisionTreeClassifier(splits=(form,), significance=0.05, max_depth=1).fit(X, y)
        grew.append(model.tree_.n_leaves > 1)
    assert np.mean(grew) <= 0.1  # 0.05, and two standard deviations of sixty draws
    X = random.normal(size=(300, 2)) * [3, 1]
    slant, ring = X[:, 0] + 3 * X[:, 1], 1.2 - ((X / [3, 1]) ** 2).sum(axis=1)
    pattern = {"hyperplane": slant, "sphere": ring}.get(form, X[:, 0])
    model = DecisionTreeClassifier(splits=(form,), significance=0.05, max_depth=1).fit(X, pattern > 0)
    assert model.tree_.n_leaves > 1
    kind = {"hyperplane": Hyperplane, "sphere": Sphere, "interval": Intervals, "median": Threshold}[form]
    assert isinstance(model.tree_[0].split, kind)


# Numbers as target


def test_steps_of_a_number_are_found_as_intervals() -> None:
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(0, 10, 400))
    y = np.array([1.0, 5.0, 2.0, 8.0])[np.digitize(x, [2, 5, 7])] + random.normal(size=400)
    tree = DecisionTreeRegressor(splits=("interval",), max_depth=1).fit(x[:, None], y).tree_
    cuts = tree[0].split.cuts
    assert cuts == pytest.approx([2, 5, 7], abs=0.2)
    assert tree.n_children[0] == 4


def test_intervals_of_noise_are_one() -> None:
    random = np.random.default_rng(1)
    grew = [
        DecisionTreeRegressor(splits=("interval",)).fit(random.normal(size=(200, 1)), random.normal(size=200))
        for _ in range(40)
    ]
    assert np.mean([model.tree_.n_leaves > 1 for model in grew]) < 0.15


@pytest.mark.parametrize("criterion", criteria.REGRESSION)
@pytest.mark.parametrize("form", ["hyperplane", "sphere", "interval", "median"])
def test_every_form_grows_for_every_criterion_of_numbers(criterion: str, form: str) -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(splits=(form,), criterion=criterion, max_depth=3, min_samples_leaf=10)
    model.fit(X, y)
    tree = model.tree_
    assert tree.n_leaves > 2
    assert tree.count[tree.leaves].min() >= 10
    inner = np.flatnonzero(tree.n_children)
    for node in inner:
        below = sum(tree.risk[child] for child in tree.children(node))
        if criterion != "poisson":
            assert tree.merit[node] * tree.weight[node] == pytest.approx(tree.risk[node] - below, rel=1e-6)
    assert model.score(X, y) > 0.15
