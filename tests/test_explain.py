"""explain(row): the way of a row, what it is made of, and the nearest change, held to brute force."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import treewright as tw
from treewright import C45Classifier, CARTClassifier, DecisionTreeClassifier, DecisionTreeRegressor, datasets
from treewright.data import Column, Schema
from treewright.errors import DataError
from treewright.explain import contributions, explain_row, follow, goal_of, nearest_change, read_row
from treewright.explain.region import Measure, feature_cuts
from treewright.reading import RowReader
from treewright.splits import NO_SPLITS, Hyperplane, Sphere, SplitTable

SIZES = ["small", "medium", "large", "huge"]
POLICIES = ["direction", "available", "value", "fractional", "surrogate", "mean", "median", "mode"]


def mixed_table(seed: int, n_rows: int = 60, holes: float = 0.2) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and two categories with holes, and a class of three that depends on all."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 8, n_rows).astype(float),
            "b": rng.normal(size=n_rows).round(1),
            "c": rng.choice(["red", "green", "blue"], n_rows),
            "d": rng.choice(["u", "v"], n_rows),
        }
    )
    score = X["a"] / 4 + X["b"] + (X["c"] == "red") - (X["d"] == "u") * X["a"] / 5
    y = np.digitize(score + rng.normal(0, 0.3, n_rows), [0.3, 1.5])
    for name in X:
        X.loc[rng.random(n_rows) < holes, name] = None
    return X.astype({"c": "category", "d": "category"}), y


def models(policy: str, seed: int, **settings: Any) -> tuple[DecisionTreeClassifier, pd.DataFrame]:
    X, y = mixed_table(seed)
    return DecisionTreeClassifier(missing=policy, max_depth=4, min_samples_leaf=3, **settings).fit(X, y), X


# ---- the way ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ("small", ["size ≤ medium", "size ≤ small", "(size = medium)"]),
        ("medium", ["size > small", "(size > medium)"]),
    ],
)
def test_ordered_categories_are_named(size: str, words: list[str]) -> None:
    X = pd.DataFrame({"size": pd.Categorical(SIZES * 3, SIZES, ordered=True)})
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
        assert path.says(tree.value / tree.value.sum(axis=1, keepdims=True)) == pytest.approx(said[i])
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
    explained = explain_row(trees, row, [tree.value for tree in trees], wanted="higher", time_limit=5)
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
    assert "90 % interval" in str(explained)
    median = DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(X, y).explain([3.0])
    assert median.intervals is None


def test_dates_and_ordered_categories_change_to_values_of_their_kind() -> None:
    X = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=40, freq="D"),
            "size": pd.Categorical(SIZES * 10, SIZES, ordered=True),
        }
    )
    y = (X["day"] > "2024-01-20") & (X["size"] >= "large")
    model = DecisionTreeClassifier().fit(X, y)
    explained = model.explain(X.iloc[[32]])
    assert explained.prediction is False
    assert explained.change is not None
    assert explained.change.to_dict()["changes"] == {"size": {"from": "small", "to": "large"}}
    fixed = model.explain(X.iloc[[3]], fixed=["size"]).change
    assert fixed is not None
    # the first large one after the 20th is of the 23rd, and the cut lies half a day before
    assert fixed.to_dict()["changes"] == {"day": {"from": "2024-01-04", "to": "2024-01-23"}}


# ---- the nearest change --------------------------------------------------------------------------------


def cells(measure: Measure, tree: tw.Tree, feature: int) -> list[tuple[float, tuple[int, float]]]:
    """Give a value in every cell of a feature, with the least cost of getting into the cell."""
    row, schema = measure.row, tree.schema
    x = row[feature]
    found = [(x, (0, 0.0))]
    if schema.n_categories[feature]:
        return found + [(float(c), (1, 1.0)) for c in range(schema.n_categories[feature]) if c != x]
    ends = [-math.inf, *feature_cuts([tree]).get(feature, np.empty(0)).tolist(), math.inf]
    for low, high in itertools.pairwise(ends):
        if math.isnan(x):
            inside = high if math.isfinite(high) else low + 1 if math.isfinite(low) else 0.0
            found.append((inside, (1, 1.0)))
        elif x <= low:
            step = math.floor(low) + 1 if feature in measure.whole else low
            if step <= high:
                value = step if feature in measure.whole else math.nextafter(low, math.inf)
                found.append((value, (1, (step - x) / measure.scales[feature])))
        elif x > high:
            step = math.floor(high) if feature in measure.whole else high
            if step > low:
                found.append((step, (1, (x - step) / measure.scales[feature])))
    return found


def brute_force_of_forest(trees: list[tw.Tree], row: Any, measure: Measure) -> tuple[int, float]:
    """Try every combination of cells, a cell being whatever no tree cuts."""
    every = [sorted({cell for tree in trees for cell in cells(measure, tree, f)}) for f in range(3)]
    best = (99, 0.0)
    for choice in itertools.product(*every):
        cost = (sum(c for _, (c, _) in choice), sum(d for _, (_, d) in choice))
        if cost < best:
            changed = row.changed({f: v for f, (v, (c, _)) in enumerate(choice) if c})
            said = [follow(tree, changed).says(share_of(tree)) for tree in trees]
            if np.mean(said, axis=0).argmax() == 1:
                best = cost
    return best


def share_of(tree: tw.Tree) -> np.ndarray:
    return tree.value / tree.value.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_change_for_a_forest_is_the_one_brute_force_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((200, 3))
    y = X.sum(axis=1) + rng.normal(0, 0.2, 200) > 1.6
    trees = []
    for _ in range(5):
        drawn = rng.integers(0, 200, 200)
        trees.append(DecisionTreeClassifier(max_depth=2).fit(X[drawn], y[drawn]).tree_)
    row = read_row([0.2, 0.3, 0.25], trees[0].schema)
    explained = explain_row(trees, row, [share_of(tree) for tree in trees])
    assert explained.prediction is False
    assert explained.change is not None
    assert explained.change.is_proven
    expected = brute_force_of_forest(trees, row, Measure.of(trees, row))
    assert explained.change.found.cost[0] == expected[0]
    assert explained.change.found.cost[1] == pytest.approx(
        expected[1], abs=0.02
    )  # to a number short to write


class Bag(RowReader):
    """A forest, as far as explanations go."""

    unseen, inf, longest_search = "missing", "error", 5.0

    def __init__(self, trees: list[tw.Tree]) -> None:
        self.trees = trees

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


def test_a_search_that_is_stopped_says_so() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((500, 12))
    y = (X**2).sum(axis=1) + rng.normal(0, 0.3, 500) > 4
    drawn = [rng.integers(0, 500, 500) for _ in range(30)]
    trees = [DecisionTreeClassifier(max_features=3, random_state=0).fit(X[d], y[d]).tree_ for d in drawn]
    row = read_row(np.full(12, 0.3), trees[0].schema)
    explained = explain_row(trees, row, [share_of(tree) for tree in trees], time_limit=0.1)
    assert explained.change is not None
    assert not explained.change.is_proven
    assert "there may be a nearer one" in str(explained)
    after = explained.change.after
    assert np.mean([follow(tree, after).says(share_of(tree)) for tree in trees], axis=0).argmax() == 1


def brute_force(
    tree: tw.Tree, row: Any, measure: Measure, wanted: set[int], fixed: set[int]
) -> tuple[int, float] | None:
    """Try every combination of cells."""
    columns = [
        cells(measure, tree, feature)[: 1 if feature in fixed else None]
        for feature in range(len(tree.schema.columns))
    ]
    best = None
    share = tree.value / tree.value.sum(axis=1, keepdims=True)
    for choice in itertools.product(*columns):
        cost = (sum(c for _, (c, _) in choice), sum(d for _, (_, d) in choice))
        if best is not None and cost >= best:
            continue
        changed = row.changed({f: v for f, (v, (c, _)) in enumerate(choice) if c})
        if int(np.argmax(follow(tree, changed).says(share))) in wanted:
            best = cost
    return best


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("fixed", [(), ("a",), ("b", "c")])
def test_the_nearest_change_is_the_one_brute_force_finds(policy: str, fixed: tuple[str, ...]) -> None:
    model, X = models(
        policy, seed=4, splits=("threshold", "multiway") if policy == "value" else ("threshold", "subset")
    )
    tree = model.tree_
    share = tree.value / tree.value.sum(axis=1, keepdims=True)
    found = 0
    for i in range(0, len(X), 9):
        row = read_row(X.iloc[i], tree.schema)
        says = follow(tree, row).says(share)
        label = int(np.argmax(says))
        for wanted in (None, *(c for c in range(3) if c != label)):
            goal = goal_of(wanted, tree, says, label)
            assert goal is not None
            measure = Measure.of([tree], row, fixed)
            change = nearest_change([tree], [share], row, goal, fixed=fixed)
            expected = brute_force(tree, row, measure, set(goal.labels), {list(X).index(f) for f in fixed})
            assert (change is None) == (expected is None)
            if change is not None and expected is not None:
                found += 1
                assert change.found.cost[0] == expected[0]
                assert change.found.cost[1] == pytest.approx(expected[1])
                assert change.label in goal.labels
                assert len(change.found.changes) == expected[0]
                assert change.is_proven
    assert found > 3


def test_a_direction_is_kept_to() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    free = model.explain(X.iloc[60], wanted="setosa").change
    assert free is not None
    assert free.to_dict()["changes"].keys() == {"petal length"}
    assert model.explain(X.iloc[60], wanted="setosa", directions={"petal length": "up"}).change is None
    assert "there is none within what may change" in str(
        model.explain(X.iloc[60], wanted="setosa", fixed=["petal length"])
    )


def test_changes_are_measured_by_the_spread_of_rows_if_they_are_given() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    change = model.explain(X.iloc[70], scales=X).change
    assert change is not None
    [(name, moved)] = change.to_dict()["changes"].items()
    assert (name, moved["from"]) == ("petal width", 1.8)
    assert change.found.cost[1] == pytest.approx(0.05 / X["petal width"].std(ddof=0))


def test_the_changed_row_is_predicted_as_promised() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    for i in range(0, 150, 10):
        change = model.explain(X.iloc[i]).change
        assert change is not None
        after = X.iloc[[i]].copy()
        for name, moved in change.to_dict()["changes"].items():
            after[name] = moved["to"]
        assert model.predict(after)[0] == change.prediction != model.predict(X.iloc[[i]])[0]


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        ("higher", lambda now, then: then > now),
        ("lower", lambda now, then: then < now),
        (30, lambda now, then: then >= 30),
        (14.5, lambda now, then: then <= 14.5),
        ((28, 33), lambda now, then: 28 <= then <= 33),
        ((None, 13.5), lambda now, then: then <= 13.5),
    ],
)
def test_a_number_is_brought_to_what_is_wanted(wanted: Any, holds: Any) -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(max_depth=5).fit(X, y)
    row = X.iloc[[150]]
    assert model.explain(row).change is None
    explained = model.explain(row, wanted=wanted)
    assert explained.change is not None
    assert holds(explained.prediction, explained.change.prediction)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"wanted": "rose"}, "wanted='rose' is no class: use one of 'setosa'"),
        ({"wanted": "setosa"}, "already"),
        (
            {"fixed": ["petal lenght"]},
            "fixed names 'petal lenght', which is no feature. Did you mean 'petal length'",
        ),
        ({"directions": {"petal length": "sideways"}}, "must be 'up' or 'down', got 'sideways'"),
        ({"scales": {"petal length": 0}}, "must be above 0"),
    ],
)
def test_what_cannot_be_looked_for_is_refused_by_name(choices: dict[str, Any], words: str) -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match=words):
        model.explain(X.iloc[0], **choices)


# ---- output -----------------------------------------------------------------------------------------------


def test_a_search_without_time_does_not_say_that_there_is_none() -> None:
    X, y = datasets.load_iris()
    explained = DecisionTreeClassifier().fit(X, y).explain(X.iloc[0], time_limit=0)
    assert explained.change is None
    assert "none was found in time" in str(explained)


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


# ---- splits over several features ----------------------------------------------------------------------


def hand_made(splits: list[Any], parent: list[int], wanted_leaf: int) -> tw.Tree:
    """A tree of two numbers whose leaves say "a", but for one that says "b"."""
    n = len(parent)
    children = [[i for i in range(n) if parent[i] == node] for node in range(n)]
    is_inner = np.array([bool(below) for below in children])
    value = np.where(is_inner[:, None], 1.0, [[1.0, 0.0]])
    value[wanted_leaf] = (0.0, 1.0)
    nothing = np.zeros(n)
    return tw.Tree(
        schema=Schema((Column("x"), Column("y")), np.array(["a", "b"])),
        parent=np.array(parent),
        first_child=np.array([below[0] if below else -1 for below in children]),
        n_children=np.array([len(below) for below in children]),
        default_branch=np.where(is_inner, 0, -1),
        count=np.ones(n),
        weight=np.ones(n),
        value=value,
        impurity=nothing,
        risk=nothing,
        merit=nothing,
        split_begin=np.concatenate(([0], np.cumsum(is_inner))),
        splits=SplitTable.from_splits(splits),
        competitor_begin=np.zeros(n + 1),
        competitors=NO_SPLITS,
    )


def change_of(tree: tw.Tree, row: list[float], **limits: Any) -> Any:
    share = tree.value / tree.value.sum(axis=1, keepdims=True)
    read = read_row(row, tree.schema)
    says = follow(tree, read).says(share)
    goal = goal_of("b", tree, says, int(np.argmax(says)))
    assert goal is not None
    return nearest_change([tree], [share], read, goal, scales={"x": 1, "y": 1}, **limits)


def test_one_feature_crosses_a_plane() -> None:
    tree = hand_made([Hyperplane((0, 1), (1.0, 2.0), 3.0)], [-1, 0, 0], 2)
    change = change_of(tree, [0.0, 0.0])  # y above 1.5 is nearer than x above 3
    assert list(change.found.changes) == [1]
    assert change.found.cost[1] == pytest.approx(1.5, abs=0.02)
    assert change.is_proven
    fixed = change_of(tree, [0.0, 0.0], fixed=["y"])
    assert fixed.found.cost[1] == pytest.approx(3.0, abs=0.02)


def test_two_features_go_to_the_nearest_point_between_planes() -> None:
    planes = [
        Hyperplane((0, 1), (1.0, 1.0), 10.0),  # x + y > 10
        Hyperplane((0, 1), (1.0, -1.0), 1.0),  # x − y ≤ 1
        Hyperplane((0, 1), (1.0, -1.0), -1.0),  # x − y > −1
    ]
    tree = hand_made(planes, [-1, 0, 0, 2, 2, 3, 3], 6)
    change = change_of(tree, [0.0, 0.0])
    assert change.found.cost[0] == 2
    assert change.found.cost[1] == pytest.approx(10.0, abs=0.03)
    assert change.prediction == "b"
    assert change.is_proven


def test_a_sphere_is_entered_and_left() -> None:
    sphere = Sphere((0, 1), (5.0, 5.0), (1.0, 1.0), 4.0)
    entered = change_of(hand_made([sphere], [-1, 0, 0], 1), [0.0, 0.0])
    assert entered.found.cost[0] == 2  # no single feature gets there
    assert entered.found.cost[1] == pytest.approx(2 * (5 - math.sqrt(2)), abs=0.03)
    assert not entered.is_proven
    left = change_of(hand_made([sphere], [-1, 0, 0], 2), [5.0, 4.0])
    assert left.found.changes.keys() == {1}
    assert left.found.cost[1] == pytest.approx(1.0, abs=0.02)
    assert left.is_proven


def test_contributions_of_a_plane_are_shared_by_its_features() -> None:
    tree = hand_made([Hyperplane((0, 1), (1.0, 2.0), 3.0)], [-1, 0, 0], 2)
    share = tree.value / tree.value.sum(axis=1, keepdims=True)
    moved = contributions([follow(tree, read_row([0.0, 0.0], tree.schema))], [share])
    assert moved.tolist() == [[0.25, -0.25], [0.25, -0.25]]
