"""TreeClassifier and TreeRegressor: scikit-learn's checks, useless columns, useful ones of many values."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from treewright.data import Dataset
from treewright.data.identifiers import IDENTIFIER_PRICE, identifier_prices


@parametrize_with_checks(
    [
        *(
            kind(guide=guide)
            for kind in (tw.TreeClassifier, tw.TreeRegressor)
            for guide in (None, "auto", "forest")
        ),
        tw.TreeRegressor(leaves="linear"),
    ]
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_neither_order_nor_repetition_changes_a_guided_tree() -> None:
    X, y = tw.datasets.load_votes()
    order = np.random.default_rng(0).permutation(len(X))
    tree = tw.TreeClassifier(guide="forest").fit(X, y).tree_
    mixed = tw.TreeClassifier(guide="forest").fit(X.iloc[order], y.iloc[order]).tree_
    assert mixed.splits.feature.tolist() == tree.splits.feature.tolist()
    np.testing.assert_allclose(mixed.node_value, tree.node_value)


def test_a_guided_tree_shows_true_counts_beside_smoothed_probabilities() -> None:
    X, y = tw.datasets.load_iris()
    model = tw.TreeClassifier(guide="forest").fit(X, y)
    tree, leaf = model.tree_, model.apply(X)
    expected = []
    for node in np.flatnonzero(tree.n_children == 0):
        rows = [int((np.asarray(y)[leaf == node] == label).sum()) for label in model.classes_]
        share = tree.class_probabilities[node].max()
        assert share < 1
        expected.append(f"(n={sum(rows)},{100 * share:.0f}%){rows}".replace(" ", ""))
    lines = [line.split("(", 1)[1] for line in str(tree).splitlines() if "→" in line]
    shown = ["(" + re.sub(r"(?<=\d) +(?=\d)", ",", line).replace(" ", "") for line in lines]
    assert sorted(shown) == sorted(expected)


@pytest.fixture(scope="module")
def shops() -> tuple[pd.DataFrame, np.ndarray]:
    """Sales of 150 shops, half of which sell well; beside the shop, numbers that tell little."""
    generator = np.random.default_rng(1)
    shop = generator.integers(0, 150, 3000)
    good = generator.random(150) < 0.5
    chance = np.where(good[shop], 0.85, 0.15)
    frame = pd.DataFrame(generator.normal(size=(3000, 3)), columns=["a", "b", "c"])
    frame["shop"] = [f"shop {number:03d}" for number in shop]
    return frame, np.where(generator.random(3000) < chance, "yes", "no")


def test_a_column_of_many_values_that_tells_is_used(shops: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = shops
    model = tw.TreeClassifier().fit(frame[:2000], y[:2000])
    assert model.tree_.schema.names[model.tree_.splits.feature[0]] == "shop"
    assert model.score(frame[2000:], y[2000:]) > 0.8  # .85 is all that can be known, .5 without the shop


@pytest.mark.parametrize("kind", ["text", "categories", "number"])
def test_a_useless_column_does_no_harm(kind: str) -> None:
    X, y = tw.datasets.load_votes()
    order = np.random.default_rng(0).permutation(len(X))
    groups = {"text": len(X), "categories": len(X) // 2}
    column = order if kind == "number" else [f"v{number % groups[kind]}" for number in order]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = [
            tw.fit(table, y, ignore=["physician fee freeze"]).evaluation.evaluation.error  # type: ignore[union-attr]
            for table in (X, X.assign(useless=column))
        ]
    assert scores[1] < scores[0] + 0.03


def test_a_number_that_names_the_rows_pays_for_its_cuts() -> None:
    generator = np.random.default_rng(16)
    number, colour = generator.permutation(100), generator.choice(["red", "green"], 100)
    told = np.where(generator.random(100) < 0.7, generator.random(100) < 0.5, colour == "red")
    frame = pd.DataFrame({"number": number, "colour": colour})
    roots = [
        model.tree_.schema.names[model.tree_.splits.feature[0]]
        for model in (
            tw.DecisionTreeClassifier(min_samples_leaf=2).fit(frame, told),
            tw.TreeClassifier(alpha=0.0).fit(frame, told),
            tw.TreeClassifier(alpha=0.0).fit(frame, number < 50),  # there it tells
        )
    ]
    assert roots == ["number", "colour", "number"]


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_numbers_use_row_numbers_only_where_they_tell(seed: int) -> None:
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": generator.permutation(300) + 1,
            "size": generator.gamma(6, 16, 300).round(1),
            "built": generator.integers(1900, 2023, 300),
        }
    )
    price = 2500 * frame["size"] + 800 * (frame["built"] - 1950) + generator.normal(0, 30000, 300)
    assert tw.TreeRegressor().fit(frame, price).feature_importances_[0] == 0
    assert tw.TreeRegressor().fit(frame, price + 400 * frame["number"]).feature_importances_[0] > 0


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_are_repeated_leave_identifiers_what_they_are(seed: int) -> None:
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame({"number": generator.permutation(40), "other": generator.integers(0, 5, 40)})
    rows = Dataset.from_table(frame, generator.integers(0, 2, 40), task="classification")
    assert (
        identifier_prices(rows) == identifier_prices(rows.take(np.arange(80) % 40)) == (IDENTIFIER_PRICE, 1.0)
    )


def test_cart_on_few_rows_lowers_its_folds_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="cv=10 folds are more than the 5 rows"):
        model = tw.CARTClassifier().fit([[1], [2], [3], [4], [5]], list("aabbb"))
    assert model.get_n_leaves() == 1


def test_a_leaf_that_answers_against_its_own_rows_says_so() -> None:
    X = [[number] for number in range(22)]
    y = ["no"] * 20 + ["yes"] * 2
    model = tw.DecisionTreeClassifier(shrinkage=50).fit(X, y)
    assert model.predict([[21]]).tolist() == ["no"]
    assert model.tree_.overruled.tolist() == [False, False, True]
    assert "x0 > 19.5  → no   (n= 2, 63 %, decided by smoothing)  [ 0 2]" in str(model.tree_)
    explained = str(model.explain([21]))
    assert "smoothing has decided: the 2 training rows of this leaf alone would lead to yes" in explained
    assert "decided by smoothing" in str(tw.plot_tree(model).svg)
    assert not tw.DecisionTreeClassifier().fit(X, y).tree_.overruled.any()
    assert "smoothing has" not in str(model.explain([3]))


def test_a_guided_tree_of_sparse_rows_is_that_of_dense_ones() -> None:
    X, y = tw.datasets.load_iris()
    X = np.where(X.to_numpy() > 3, X, 0.0)
    dense, sparse = (tw.TreeClassifier(guide="forest").fit(rows, y).tree_ for rows in (X, csr_array(X)))
    assert str(sparse) == str(dense)


def messy_table(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Give 300 rows of mixed columns, most of them noise, with missing values, copies and wrong labels."""
    rng = np.random.default_rng(seed)
    n = 300
    X = pd.DataFrame(
        {
            "age": rng.normal(45, 14, n).round(),
            "plan": rng.choice(["basic", "plus", "pro"], n),
            "tenure": rng.gamma(2, 18, n).round(1),
            **{f"noise {k}": rng.normal(size=n).round(2) for k in range(4)},
            "colour": rng.choice(list("abcdefgh"), n),
            "name": [f"customer {k}" for k in range(n)],
            "constant": "x",
        }
    )
    y = np.where((X["tenure"] < 24) & (X["plan"] == "basic") ^ (rng.random(n) < 0.2), "yes", "no")
    for column in X.columns[:-2]:
        X.loc[rng.random(n) < 0.15, column] = None
    X.loc[:20] = X.loc[21:41].to_numpy()
    return X.infer_objects(), y


@pytest.mark.parametrize("guide", [None, "forest"])
def test_no_split_leads_to_one_class_alone(guide: str | None) -> None:
    """A split that changes no prediction only looks as if it told something."""
    for seed in range(8):
        tree = tw.TreeClassifier(guide=guide).fit(*messy_table(seed)).tree_
        for node in np.flatnonzero(tree.n_children).tolist():
            below = [leaf for leaf in tree.leaves.tolist() if node in ancestors(tree, leaf)]
            assert len(set(tree.label[below].tolist())) > 1


def ancestors(tree: tw.Tree, node: int) -> set[int]:
    found = set()
    while node:
        node = int(tree.parent[node])
        found.add(node)
    return found


@pytest.mark.parametrize("costs", [None, [[0.0, 1.0], [4.0, 0.0]]])
def test_errors_of_smoothed_leaves_are_those_of_what_they_predict(costs: list[list[float]] | None) -> None:
    X, y = messy_table(3)
    X = X.drop(columns="name")
    model = tw.DecisionTreeClassifier(shrinkage=30.0, costs=costs).fit(X, y)
    tree, codes = model.tree_, (y == "yes").astype(int)
    said = (model.predict(X) == "yes").astype(int)
    lost = (said != codes) if costs is None else np.array(costs)[codes, said]
    by_leaf = np.bincount(model.apply(X), lost, minlength=len(tree))
    assert by_leaf[tree.leaves] == pytest.approx(tree.risk[tree.leaves])
    assert tree.overruled[tree.leaves].any()


def test_what_little_can_be_known_is_kept() -> None:
    side = np.arange(2000) % 2
    y = np.arange(2000) % 50 < np.where(side, 29, 21)
    assert [y[side == branch].mean() for branch in (0, 1)] == [0.44, 0.56]
    model = tw.TreeClassifier().fit(side[:, np.newaxis], y)
    assert model.tree_.n_leaves == 2
    assert model.score(side[:, np.newaxis], y) == 0.56


def _noise(positive, n_rows=400):
    rng = np.random.default_rng(11)
    return rng.normal(size=(n_rows, 3)).round(2), np.where(rng.random(n_rows) < positive, "yes", "no")


@pytest.mark.parametrize("positive", [0.1, 0.5])
def test_a_single_leaf_says_why_and_what_the_best_split_would_come_to(tmp_path, positive):
    model = tw.TreeClassifier().fit(*_noise(positive))
    tree, path = model.tree_, model.path_
    assert len(tree) == 1
    best = np.argmin(path.held_out[:-1])
    first = path.prunings.tree[0].split
    before, after = (f"{path.held_out[at] / 2:.4g}" for at in (-1, best))
    assert tree.note == (
        "a single leaf: no split holds up in cross-validation; the first would be "
        f"{tree.schema.names[first.feature]} ≤ {first.threshold:g}, and the best tree with it, of "
        f"{path.leaves[best]} leaves, takes the Brier score from {before} to {after} (less is better)"
    )
    assert tree.note in str(tree)
    model.save(tmp_path / "a.tw")
    assert tw.load(tmp_path / "a.tw").tree_.note == tree.note


def test_a_single_leaf_of_numbers_of_one_class_and_of_a_price():
    X, y = _noise(0.5)
    target = np.random.default_rng(0).normal(size=len(X))
    assert "takes the squared error from" in tw.TreeRegressor().fit(X, target).tree_.note
    assert not tw.TreeClassifier().fit(X, ["one"] * len(X)).tree_.note
    assert "no split is worth the price of a leaf" in tw.TreeClassifier(alpha=1.0).fit(X, y).tree_.note
    assert "no split has a gain" in tw.TreeClassifier().fit(np.ones((400, 1)), y).tree_.note
    assert not tw.TreeClassifier().fit(*tw.datasets.load_iris()).tree_.note
