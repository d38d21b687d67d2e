"""What the way of a row tells: its leaf, missing values, contributions, intervals, as text and data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone

import treewright as tw
from helpers.explaining import POLICIES, hand_made, models, share_of
from treewright import C45Classifier, CARTClassifier, DecisionTreeClassifier, DecisionTreeRegressor, datasets
from treewright.data import Schema
from treewright.errors import DataError
from treewright.explain import contributions, explain_row, follow, read_row
from treewright.explain.of_model import explain
from treewright.tree.splits import Hyperplane

# ---- the way ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ("small", ["size ≤ medium", "size ≤ small", "(size = medium)"]),
        ("medium", ["size > small", "(size > medium)"]),
    ],
)
def test_ordered_categories_are_named(size: str, words: list[str]) -> None:
    sizes = ["small", "medium", "large", "huge"]
    X = pd.DataFrame({"size": pd.Categorical(sizes * 3, sizes, ordered=True)})
    model = DecisionTreeClassifier(random_state=0).fit(X, ["no", "yes", "no", "no"] * 3)
    told = str(model.explain({"size": size}))
    assert all(word in told for word in words)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_row_ends_where_the_core_sends_it(policy: str) -> None:
    model, X = models(policy, seed=1)
    tree = model.tree_
    leaf = tree.route(*tree.schema.encode(X))
    said = model.predict_proba(X)
    for i in range(len(X)):
        path = follow(tree, read_row(X.iloc[[i]], tree.schema))
        assert path.says(tree.node_value / tree.node_value.sum(axis=1, keepdims=True)) == pytest.approx(
            said[i]
        )
        if not tree.shares_rows:
            assert path.ends == ((leaf[i], 1.0),)


@pytest.mark.parametrize("use", [0, 1, 2])
def test_rows_stay_or_follow_surrogates_as_in_the_core(use: int) -> None:
    model, X = models("surrogate", seed=2, use_surrogates=use)
    leaf = model.apply(X)
    ends = [follow(model.tree_, read_row(X.iloc[i], model.tree_.schema)).ends[0][0] for i in range(len(X))]
    assert ends == leaf.tolist()


def test_c45_shares_add_up_to_its_prediction() -> None:
    X, y = datasets.load_labor()
    model = C45Classifier().fit(X, y)
    said = model.predict_proba(X)
    for i in range(len(X)):
        explained = model.explain(X.iloc[i])
        assert explained.says == pytest.approx(said[i])
        assert explained.prediction == model.predict(X.iloc[[i]])[0]


def test_every_way_to_give_a_row_is_the_same_row() -> None:
    X, y = datasets.load_tennis()
    model = DecisionTreeClassifier().fit(X, y)
    given = [X.iloc[2], X.iloc[[2]], dict(X.iloc[2]), X.iloc[2].tolist(), np.array(X.iloc[2], dtype=object)]
    import polars as pl

    given.append(pl.from_pandas(X.iloc[[2]].astype(str)))
    words = {str(model.explain(row)) for row in given}
    assert len(words) == 1


@pytest.mark.parametrize("row", [[np.array([0.5])], [pd.Series([0.5])], [(0.5,)], [[0.5]], [range(1)]])
def test_a_list_of_one_row_is_that_row_whatever_it_is(row: Any) -> None:
    model = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert model.explain(row).prediction == model.predict(row)[0]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"Outlook": "Rain"}, "no value for 'Temperature'"),
        ({"Outlok": "Rain"}, "'Outlok', which is no feature. Did you mean 'Outlook'"),
        (["Rain", "Hot"], "has 2 features"),
        (
            [["Rain", "Hot", "High", "Weak"], ["Rain", "Hot", "High", "Weak"]],
            "one row is explained at a time, got 2",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_what_is_no_row_is_refused_by_name(row: Any, words: str) -> None:
    model = DecisionTreeClassifier().fit(*datasets.load_tennis())
    with pytest.raises(DataError, match=words):
        model.explain(row)


# ---- missing and unseen values ------------------------------------------------------------------------


def six_rows() -> tuple[pd.DataFrame, list[str]]:
    """Give the table of the page on missing values."""
    X = pd.DataFrame({"dose": [1.0, 2.0, None, 7.0, 8.0, None], "age": [20.0, 30.0, 25.0, 60.0, 70.0, 65.0]})
    return X, ["well", "well", "well", "ill", "ill", "ill"]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("direction", "follows the branch learned for missing values"),
        ("available", "follows the largest branch"),
        ("value", "a value of its own"),
        ("fractional", "goes down every branch by the weight of its training rows, 50 % and 50 %"),
        ("mean", "filled with the mean"),
        ("median", "filled with the median"),
        ("mode", "filled with the most frequent value"),
        ("class_mode", "filled with the most frequent value"),
        ("ignore", "follows the largest branch"),
    ],
)
def test_it_says_what_each_policy_did_to_a_missing_value(policy: str, words: str) -> None:
    X, y = six_rows()
    model = DecisionTreeClassifier(missing={"dose": policy}, max_depth=1).fit(X[["dose"]], y)
    [sentence] = model.explain({"dose": None}).missing
    assert sentence.startswith("dose is missing: ")
    assert words in sentence


@pytest.mark.parametrize("policy", ["mean", "median", "mode"])
def test_categories_are_filled_by_their_mode_under_every_policy(policy: str) -> None:
    X = pd.DataFrame({"size": pd.Categorical(["S", "S", "L", "L", None, "L"])})
    model = DecisionTreeClassifier(missing=policy, splits=("multiway",), max_depth=1).fit(X, list("aabbab"))
    [sentence] = model.explain({"size": None}).missing
    assert (
        sentence
        == "size is missing: it is filled with the most frequent value of the node's rows (node 0: size)."
    )


def test_it_names_the_surrogate_that_stood_in_and_its_agreement() -> None:
    X, y = six_rows()
    model = DecisionTreeClassifier(missing="surrogate", max_depth=1).fit(X, y)
    asked = model.tree_[0].split
    assert asked is not None
    primary, other = ("dose", "age") if asked.feature == 0 else ("age", "dose")
    [sentence] = model.explain({primary: None, other: 8.0}).missing
    assert sentence.startswith(f"{primary} is missing: the surrogate {other} ")
    # of the six rows whose age is known two have no dose; on the other four both splits agree
    assert (primary, "agrees on 67 % of the rows" in sentence) == ("age", True)


def test_it_says_that_a_row_stays_at_a_node() -> None:
    X, y = six_rows()
    model = DecisionTreeClassifier(missing="surrogate", use_surrogates=0, max_depth=1).fit(X, y)
    name = X.columns[model.tree_[0].split.feature]  # type: ignore[union-attr]
    row = dict.fromkeys(X.columns, 3.0) | {name: None}
    assert "the row stays at this node" in model.explain(row).missing[0]


@pytest.mark.parametrize(
    ("unseen", "words"), [("missing", "branch learned for missing values"), ("majority", "largest branch")]
)
def test_it_says_what_an_unseen_category_did(unseen: Any, words: str) -> None:
    X, y = datasets.load_tennis()
    model = DecisionTreeClassifier(unseen=unseen, max_depth=1).fit(X, y)
    day = dict(X.iloc[0]) | {"Outlook": "Hail"}
    [sentence] = model.explain(day).missing
    assert sentence.startswith("Outlook = Hail was never seen in training: ")
    assert words in sentence
    assert model.explain(day).prediction == model.predict(pd.DataFrame([day]))[0]


# ---- shares and contributions -----------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_contributions_lead_from_the_root_to_the_prediction(policy: str) -> None:
    model, X = models(policy, seed=3, laplace=1.0)
    said = model.predict_proba(X)
    for i in range(0, len(X), 7):
        explained = model.explain(X.iloc[i])
        assert explained.root + explained.contributions.sum(axis=0) == pytest.approx(said[i])


def test_contributions_of_a_regression_tree_add_up() -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y)
    explained = model.explain(X.iloc[10])
    assert explained.root[0] == pytest.approx(np.mean(y))
    assert explained.root[0] + explained.contributions.sum() == pytest.approx(model.predict(X.iloc[[10]])[0])


def test_contributions_of_several_trees_are_their_mean() -> None:
    X, y = datasets.load_mpg()
    trees = [
        DecisionTreeRegressor(max_depth=4, max_features=2, random_state=s).fit(X, y).tree_ for s in (0, 1, 2)
    ]
    row = read_row(X.iloc[5], trees[0].schema)
    explained = explain_row(trees, row, [tree.node_value for tree in trees], wanted="higher", time_limit=5)
    expected = np.mean([tree.predict_value(*tree.schema.encode(X.iloc[[5]]))[0, 0] for tree in trees])
    assert explained.prediction == pytest.approx(expected)
    assert explained.root[0] + explained.contributions.sum() == pytest.approx(expected)
    assert explained.change is not None
    assert explained.change.prediction > expected


def test_intervals_hold_the_shares_and_are_those_of_wilson() -> None:
    X, y = datasets.load_iris()
    explained = DecisionTreeClassifier(max_depth=2).fit(X, y).explain(X.iloc[70])
    low, high = explained.intervals
    assert (low <= explained.says).all()
    assert (explained.says <= high).all()
    # 45 of 46 rows: the roots of (p − s)² = z² s (1 − s) / n
    p, n, z = 45 / 46, 46, 1.959963984540054
    roots = np.sort(np.roots([1 + z**2 / n, -(2 * p + z**2 / n), p**2]))
    code = int(np.argmax(explained.says))
    assert [low[code], high[code]] == pytest.approx(roots.tolist())


def test_the_interval_of_a_mean_is_student_s() -> None:
    rng = np.random.default_rng(0)
    X, y = np.arange(40.0)[:, None], np.where(np.arange(40) < 15, 0, 10) + rng.normal(size=40)
    explained = DecisionTreeRegressor(max_depth=1).fit(X, y).explain([3.0], confidence=0.9)
    expected = stats.t.interval(0.9, 14, y[:15].mean(), stats.sem(y[:15]))
    assert explained.intervals is not None
    assert explained.intervals[:, 0].tolist() == pytest.approx(expected)
    spread = y[:15].std(ddof=1) * np.sqrt(1 + 1 / 15)
    assert explained.prediction_interval is not None
    further = stats.t.interval(0.9, 14, y[:15].mean(), spread)
    assert explained.prediction_interval.tolist() == pytest.approx(further)
    assert "90 % confidence interval of the mean" in str(explained)
    assert f"prediction interval of a further row {further[0]:.4g} to {further[1]:.4g}" in str(explained)
    assert explained.to_dict()["prediction_interval"] == explained.prediction_interval.tolist()
    median = DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(X, y).explain([3.0])
    assert median.intervals is None
    assert median.prediction_interval is None


# ---- several trees -------------------------------------------------------------------------------


class Bag:
    """A forest, as far as explanations go."""

    _missing_policy, _time_limit = "direction", 5.0
    _choice = {"unseen": "missing", "inf": "error"}.get
    explain = explain

    def __init__(self, trees: list[tw.Tree]) -> None:
        self.trees = trees

    def _policies(self, schema: Schema) -> None:
        """It has none."""

    def _answering(self) -> Any:
        return self.trees, [share_of(tree) for tree in self.trees]


def test_several_trees_explain_a_row_by_the_same_method() -> None:
    X, y = datasets.load_votes()
    parts = [(X[start::3], y[start::3]) for start in range(3)]
    bag = Bag([DecisionTreeClassifier(max_depth=3).fit(*part).tree_ for part in parts])
    explained = bag.explain(X.iloc[0])
    shares = [tree.predict_value(*tree.schema.encode(X.iloc[[0]])) for tree in bag.trees]
    expected = np.mean([share / share.sum() for share in shares], axis=0)[0]
    assert explained.says == pytest.approx(expected)
    assert "3 trees were asked" in str(explained)
    assert explained.intervals is None
    assert explained.change is not None
    assert explained.change.prediction != explained.prediction


# ---- output -----------------------------------------------------------------------------------------------


def test_names_are_escaped_in_html() -> None:
    X = pd.DataFrame({"<img src=x>": [1.0, 2.0, 3.0, 4.0]})
    page = DecisionTreeClassifier().fit(X, ["<b>", "<b>", "c", "c"]).explain(X.iloc[0])._repr_html_()
    assert "<img" not in page
    assert page.count("<b>") == 1  # the headline's
    assert "&lt;img src=x&gt;" in page


def test_the_dictionary_is_plain_json() -> None:
    import json

    X, y = datasets.load_labor()
    for model in (C45Classifier(), CARTClassifier(min_samples_split=4, min_samples_leaf=2)):
        found = json.loads(json.dumps(model.fit(X, y).explain(X.iloc[0]).to_dict()))
        assert found["prediction"] in ("good", "bad")
        assert found.keys() >= {"row", "path", "missing", "classes", "intervals", "contributions", "change"}


# ---- splits on several features ------------------------------------------------------------------


def test_contributions_of_a_plane_are_shared_by_its_features() -> None:
    tree = hand_made([Hyperplane((0, 1), (1.0, 2.0), 3.0)], [-1, 0, 0], 2)
    moved = contributions([follow(tree, read_row([0.0, 0.0], tree.schema))], [share_of(tree)])
    assert moved.tolist() == [[0.25, -0.25], [0.25, -0.25]]


@pytest.mark.parametrize(
    "learner", [tw.DecisionTreeClassifier(), tw.RandomForestClassifier(5, random_state=0)]
)
@pytest.mark.parametrize("size", [1.7976931348623157e308, 1e308, 5e-324, 2.3e-308])
def test_changes_of_the_largest_and_the_least_numbers_are_found(learner: Any, size: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.choice([1.0, -1.0, 0.5, 0.0], size=(50, 2)) * size
    y = rng.integers(0, 2, 50)
    model = clone(learner).fit(X, y)
    for row in X[:8]:
        explained = model.explain(row)
        assert str(explained)
        change = explained.change
        if change is not None:
            assert np.isfinite(change.after.numbers).all()
            assert model.predict([change.after.numbers])[0] != explained.prediction


def test_explain_agrees_with_hard_votes_of_shared_rows() -> None:
    """A tree has one vote for a row, however many leaves it shares it over."""
    shared = changed = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, (40, 3)).astype(float)
        y = (X[:, 0] + X[:, 1] * rng.integers(0, 2, 40)) % 3
        X[rng.random(X.shape) < 0.35] = np.nan
        model = tw.RandomForestClassifier(
            seed % 5 + 1, missing="fractional", vote="hard", random_state=seed, max_depth=4
        ).fit(X, y)
        said, shares = model.predict(X), model.predict_proba(X)
        for row in range(8):
            found = model.explain(X[[row]], time_limit=0.05)
            shared += any(len(path.ends) > 1 for path in found.paths)
            assert found.prediction == said[row]
            np.testing.assert_allclose(found.says, shares[row], atol=1e-12)
            np.testing.assert_allclose(found.root + found.contributions.sum(axis=0), found.says, atol=1e-12)
            if found.change is not None:
                changed += 1
                assert found.change.prediction != said[row]
                assert model.predict([found.change.after.numbers])[0] == found.change.prediction
    assert shared > 40
    assert changed > 40
