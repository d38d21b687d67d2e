"""The learner's account says what the lectures write on the board."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import criteria
from treewright.trace import Trace
from treewright.trace.records import NodeTrace


def traced(model: Any, X: Any, y: Any, **parameters: Any) -> Trace:
    return model(trace=True, **parameters).fit(X, y).trace_


def figures(account: NodeTrace) -> dict[str, tuple[float, float, float]]:
    return {
        candidate.feature: (
            round(candidate.gain, 3),
            round(candidate.split_information, 3),
            round(candidate.gain_ratio, 3),
        )
        for candidate in account.candidates
    }


# The lectures' own examples


def test_play_tennis_as_mitchell_has_it() -> None:
    trace = traced(tw.ID3Classifier, *tw.datasets.load_tennis())
    root = trace[0]
    assert root.counts == (5, 9)
    assert root.impurity == pytest.approx(0.940, abs=5e-4)
    assert figures(root) == {  # gains of Mitchell (1997), §3.4.2
        "Outlook": (0.247, 1.577, 0.156),
        "Temperature": (0.029, 1.557, 0.019),
        "Humidity": (0.152, 1.0, 0.152),
        "Wind": (0.048, 0.985, 0.049),
    }
    humidity = root.candidates[2]
    assert [(branch.condition, branch.counts) for branch in humidity.branches] == [
        ("Humidity = High", (4, 3)),
        ("Humidity = Normal", (1, 6)),
    ]
    assert [round(branch.impurity, 3) for branch in humidity.branches] == [0.985, 0.592]
    assert root.decision == "split on Outlook"
    assert root.reason == "its gain of 0.247 is the largest, before Humidity with 0.152"
    sunny = next(account for account in trace if account.path == ("Outlook = Sunny",))
    assert {name: gain for name, (gain, _, _) in figures(sunny).items()} == {
        "Temperature": 0.571,
        "Humidity": 0.971,
        "Wind": 0.020,
    }
    assert sunny.without == ("Outlook",)
    # "We need to show that Wind attribute has the highest information gain" among the rainy days.
    rain = next(account for account in trace if account.path == ("Outlook = Rain",))
    assert rain.decision == "split on Wind"
    assert figures(rain)["Wind"][0] == 0.971


def test_the_mushrooms_as_in_the_lecture_on_id3() -> None:
    X, y = tw.datasets.load_mushrooms()
    trace = traced(
        tw.ID3Classifier, X[["Points", "Color", "Size"]], y
    )  # the lecture breaks the tie by Points
    root = trace[0]
    colour = root.candidates[1]
    assert [(branch.condition, branch.counts) for branch in colour.branches] == [
        ("Color = red", (1, 1)),
        ("Color = brown", (0, 2)),
        ("Color = green", (0, 1)),
    ]
    conditional = {candidate.feature: round(candidate.impurity, 2) for candidate in root.candidates}
    assert conditional == {"Points": 0.4, "Color": 0.4, "Size": 0.55}
    assert root.decision == "split on Points"
    assert root.reason == "its gain of 0.322 is the largest, as is that of Color: of equals the first wins"
    second = trace[1]
    assert second.path == ("Points = yes",)
    assert second.decision == "split on Color"
    green = next(account for account in trace if account.path == ("Points = yes", "Color = green"))
    assert green.decision == "leaf: toxic"
    assert green.reason == "no training row comes here, so it predicts what the node above does"


def test_only_cuts_where_the_class_changes_are_listed() -> None:
    temperature = [[40], [48], [60], [72], [80], [90]]
    play = ["No", "No", "Yes", "Yes", "Yes", "No"]
    root = traced(tw.DecisionTreeClassifier, temperature, play, criterion="entropy")[0]
    assert [cut for cut, _ in root.candidates[0].cuts] == ["54", "85"]
    gains = [criteria.merit("entropy", [[2, 0], [1, 3]]), criteria.merit("entropy", [[2, 3], [1, 0]])]
    assert [gain for _, gain in root.candidates[0].cuts] == pytest.approx(gains)


# Any tree


@pytest.mark.parametrize("criterion", [*criteria.CLASSIFICATION])
def test_merits_and_decreases_are_those_of_the_formulas(criterion: str) -> None:
    X, y = tw.datasets.load_votes()
    trace = traced(tw.DecisionTreeClassifier, X, y, criterion=criterion, max_depth=2, missing="available")
    for account in trace:
        for candidate in account.candidates:
            table = [branch.counts for branch in candidate.branches]
            known = sum(branch.weight for branch in candidate.branches) / account.weight
            assert candidate.merit == pytest.approx(known * criteria.merit(criterion, table))
            assert candidate.gain == pytest.approx(known * criteria.merit(trace.impurity_name, table))


@pytest.mark.parametrize(
    ("model", "criterion"),
    [
        *((tw.DecisionTreeClassifier, criterion) for criterion in ("gini", "entropy", "error", "sqrt")),
        *((tw.DecisionTreeRegressor, criterion) for criterion in criteria.REGRESSION),
    ],
)
def test_the_best_of_the_cuts_is_the_one_that_was_taken(model: Any, criterion: str) -> None:
    X, y = tw.datasets.load_iris()
    target = y if model is tw.DecisionTreeClassifier else X["petal width"].round()  # some are 0
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    X = X[["sepal length", "petal length"]]
    fitted = model(trace=True, criterion=criterion, max_depth=3).fit(X, target, sample_weight=weight)
    for account in fitted.trace_:
        for candidate in account.candidates:
            best = max(gain for _, gain in candidate.cuts)
            assert best == pytest.approx(candidate.gain)
            assert candidate.merit == pytest.approx(best)


@pytest.mark.parametrize("missing", ["direction", "surrogate", "fractional"])
@pytest.mark.parametrize("criterion", criteria.REGRESSION)
def test_nodes_have_the_numbers_that_the_tree_has(criterion: str, missing: str) -> None:
    X, y = tw.datasets.load_mpg()
    model = tw.DecisionTreeRegressor(trace=True, criterion=criterion, missing=missing, max_depth=3)
    trace = model.fit(X, y, sample_weight=np.arange(len(y)) % 3).trace_
    for account in trace:
        node = trace.tree[account.node]
        assert account.impurity == pytest.approx(node.impurity)
        assert account.value == pytest.approx(trace.tree.node_value[account.node, 0])
    middle = "median" if criterion == "absolute_error" else "mean"
    assert f", {middle} {trace[0].value:.4g}, {criterion} {trace.tree.impurity[0]:.3f}" in str(trace)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_nodes_of_cart_have_the_numbers_of_its_tree(criterion: str) -> None:
    X, y = tw.datasets.load_mpg()
    trace = traced(tw.CARTRegressor, X, y.round(), criterion=criterion, max_depth=2)
    for account in trace:
        assert account.impurity == pytest.approx(trace.tree.impurity[account.node])
        assert account.value == pytest.approx(trace.tree.node_value[account.node, 0])
        for candidate in account.candidates:
            if candidate.cuts:
                assert max(gain for _, gain in candidate.cuts) >= candidate.gain - 1e-9


def test_what_was_taken_is_worth_most_and_counts_add_up() -> None:
    X, y = tw.datasets.load_mpg()
    trace = traced(tw.DecisionTreeRegressor, X, y, max_depth=4)
    for account in trace:
        node = trace.tree[account.node]
        assert account.weight == node.weight
        for candidate in account.candidates:
            assert sum(branch.weight for branch in candidate.branches) + candidate.missing == account.weight
        if not node.is_leaf:
            chosen = next(candidate for candidate in account.candidates if candidate.chosen)
            assert chosen.merit >= max(candidate.merit for candidate in account.candidates) - 1e-9


def test_fractional_rows_count_by_their_share() -> None:
    X, y = tw.datasets.load_labor()
    trace = traced(tw.DecisionTreeClassifier, X, y, criterion="gain_ratio", missing="fractional", max_depth=3)
    for account in trace:
        assert account.weight == pytest.approx(trace.tree.weight[account.node])
        assert account.counts == pytest.approx(tuple(trace.tree.node_value[account.node]))


def test_costs_of_features_are_in_the_reason() -> None:
    X, y = tw.datasets.load_tennis()
    root = traced(tw.ID3Classifier, X, y, feature_costs={"Outlook": 10})[0]
    assert root.decision == "split on Humidity"
    assert root.reason == "its gain over its cost of 0.152 is the largest, before Wind with 0.048"


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_depth": 1}, "it lies at max_depth=1"),
        ({"significance": 1e-9}, "no split is significant at 1e-09"),
        (
            {"significance": 1e-9, "min_samples_leaf": 16},
            "the limits on growing forbid a split (min_samples_leaf=16, significance=1e-09)",
        ),
        (
            {"significance": 1e-9, "min_impurity_decrease": 0.9},
            "the limits on growing forbid a split (min_impurity_decrease=0.9, significance=1e-09)",
        ),
        (
            {"significance": 1e-9, "max_leaf_nodes": 2},
            "the limits on growing forbid a split (significance=1e-09, max_leaf_nodes=2)",
        ),
        ({"min_samples_leaf": 10}, "the limits on growing forbid a split (min_samples_leaf=10)"),
    ],
)
def test_leaves_say_why_they_are_leaves(parameters: dict[str, Any], words: str) -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.integers(0, 3, 30)})
    trace = traced(tw.DecisionTreeClassifier, X, random.integers(0, 2, 30), **parameters)
    reasons = {account.reason for account in trace if account.decision.startswith("leaf")}
    assert words in reasons
    last = next(account for account in trace if account.reason == words)
    assert last.candidates  # what it could have done
    assert not any(candidate.chosen for candidate in last.candidates)


def test_rows_that_nothing_tells_apart() -> None:
    trace = traced(tw.DecisionTreeClassifier, [[1], [1], [2]], [0, 1, 1])
    assert "no feature tells its rows apart" in {account.reason for account in trace}


def test_with_a_pruner_the_account_is_of_the_tree_before() -> None:
    X, y = tw.datasets.load_iris()
    model = tw.DecisionTreeClassifier(trace=True, pruner="reduced_error", random_state=0).fit(X, y)
    assert len(model.trace_) > model.tree_.node_count
    assert model.trace_[0].weight == 100  # a third of the rows was held out


# Its three forms


class Reader(HTMLParser):
    """Collects text, and checks that every part that opens is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_text_data_and_html_say_the_same() -> None:
    X, y = tw.datasets.load_tennis()
    trace = traced(tw.ID3Classifier, X.rename(columns={"Wind": "<Wind>"}), y)
    text, data = str(trace), json.loads(json.dumps(trace.to_dicts()))
    reader = Reader()
    reader.feed(trace.to_html())
    assert not reader.open
    for said in ("gain 0.247", "split information 1.577", "<Wind> = Weak", "split on Outlook"):
        assert said in text
        assert said in reader.text
    assert data[0]["candidates"][3]["feature"] == "<Wind>"
    assert data[0]["candidates"][3]["branches"][0]["counts"] == {"No": 2, "Yes": 6}
    assert len(data) == len(trace)


def test_long_traces_are_cut_short_with_a_word() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 3))
    trace = traced(tw.DecisionTreeClassifier, X, random.integers(0, 2, 1500))
    assert len(trace) > 600
    words = f"… {len(trace) - 200} nodes more: max_nodes=None shows all"
    assert str(trace).endswith(words)
    assert trace.to_html().endswith(f"<p>{words}</p></div>")
    assert trace.to_html(max_nodes=5).count("<details") == 5
    assert str(trace).count("\nnode ") == 200
    X, y = tw.datasets.load_iris()
    short = traced(tw.DecisionTreeClassifier, X, y)
    assert short.to_text(max_nodes=None) == str(short)
    assert "more" not in str(short).splitlines()[-1]


def test_bars_are_the_shares_of_the_classes() -> None:
    trace = traced(tw.ID3Classifier, *tw.datasets.load_tennis())
    first = trace.to_html().split("Outlook = Overcast", 1)[1].split("</tr>", 1)[0]
    assert first.count("background:#e69f00") == 1  # all four days are of the second class
    assert "width:100.0%" in first


def test_without_trace_there_is_none() -> None:
    model = tw.DecisionTreeClassifier(trace=True).fit([[1], [2]], [0, 1])
    assert hasattr(model, "trace_")
    assert not hasattr(model.set_params(trace=False).fit([[1], [2]], [0, 1]), "trace_")


# One node, as on the board


def test_one_node_prints_with_its_rows() -> None:
    trace = traced(tw.ID3Classifier, *tw.datasets.load_tennis())
    said = str(trace[5]).splitlines()
    assert said[:3] == ["node 5: Outlook = Rain", "  5 rows (No 2, Yes 3), entropy 0.971", ""]
    assert [line.split() for line in said[3:9]] == [
        ["row", "Outlook", "Temperature", "Humidity", "Wind", "class"],
        ["3", "Rain", "Mild", "High", "Weak", "Yes"],
        ["4", "Rain", "Cool", "Normal", "Weak", "Yes"],
        ["5", "Rain", "Cool", "Normal", "Strong", "No"],
        ["9", "Rain", "Mild", "Normal", "Weak", "Yes"],
        ["13", "Rain", "Mild", "High", "Strong", "No"],
    ]
    assert "  Wind = Weak     0    3     3  0.600    0.000" in said
    assert said[-1].startswith("  → split on Wind: its gain of 0.971 is the largest")
    assert str(trace).count("\n") > str(trace[5]).count("\n")
    shown = trace[5]._repr_html_()
    assert shown.count(">Rain</td>") == 5
    assert "<script" not in shown


def test_rows_are_called_as_their_table_calls_them() -> None:
    X, y = tw.datasets.load_cars()
    trace = traced(tw.ID3Classifier, X, y)
    heavy = max(trace, key=lambda account: (account.depth, account.weight))
    assert [record.row for record in heavy.records] == ["M3", "IS350", "E320"]
    left_out = tw.ID3Classifier(trace=True).fit(X, y, sample_weight=[0] * 3 + [1] * 12).trace_
    assert [record.row for record in left_out[0].records][:2] == ["M3", "RS4"]
    numbers = np.arange(8.0)[:, None]
    pruned = tw.DecisionTreeClassifier(trace=True, pruner="reduced_error", random_state=0)
    trace = pruned.fit(numbers, [0, 0, 0, 1, 0, 1, 1, 1]).trace_
    assert [record.values for record in trace[0].records] == [(str(r.row),) for r in trace[0].records]
    assert len(trace[0].records) < 8


def test_rows_in_parts_are_one_record_with_their_share() -> None:
    X, y = tw.datasets.load_labor()
    trace = traced(tw.C45Classifier, X, y)
    for account in trace:
        rows = [record.row for record in account.records]
        assert rows == sorted(set(rows))
        assert sum(record.weight for record in account.records) == pytest.approx(account.weight)
    assert any(record.weight < 1 for record in trace[1].records)
    assert str(trace[1]).splitlines()[3].endswith("weight")


def test_a_node_of_many_rows_shows_some_and_one_of_none_none() -> None:
    trace = traced(tw.DecisionTreeRegressor, *tw.datasets.load_mpg(), max_depth=1)
    assert "  … 368 rows more" in str(trace[0]).splitlines()
    assert str(trace[0]).splitlines()[3].endswith("target")
    X, y = tw.datasets.load_cars()
    empty = next(account for account in traced(tw.ID3Classifier, X, y) if account.weight == 0)
    assert empty.records == ()
    assert str(empty).splitlines()[-1] == (
        "  → leaf: no: no training row comes here, so it predicts what the node above does"
    )


def test_names_that_would_break_a_line_are_written_as_escapes() -> None:
    X = pd.DataFrame({"a\nb": ["x", "y"]}, dtype="category")
    assert "a\\nb" in str(traced(tw.ID3Classifier, X, ["u", "v"])[0]).splitlines()[3]


@pytest.mark.parametrize("parameters", [{"criterion": "chi_square"}, {"significance": 0.5}])
def test_expected_counts_are_those_of_independence(parameters: dict[str, Any]) -> None:
    """Of s rows with p of a class a branch of s_f rows should have about s_f · p / s."""
    X, y = tw.datasets.load_tennis()
    trace = traced(tw.DecisionTreeClassifier, X, y, splits=("multiway",), **parameters)
    root = trace[0]
    for candidate in root.candidates:
        for branch in candidate.branches:
            assert branch.expected == pytest.approx((branch.weight * 5 / 14, branch.weight * 9 / 14))
            assert branch.share == pytest.approx(branch.weight / 14)
        if "criterion" in parameters:
            squares = [
                (count - chance) ** 2 / chance
                for branch in candidate.branches
                for count, chance in zip(branch.counts, branch.expected, strict=True)
            ]
            assert sum(squares) == pytest.approx(candidate.merit)
    assert "  Outlook = Sunny          3 (1.79)        2 (3.21)     5  0.357" in str(root)
    assert trace.to_dicts()[0]["candidates"][0]["branches"][0]["expected"]["No"] == pytest.approx(25 / 14)
    plain = traced(tw.DecisionTreeClassifier, X, y, splits=("multiway",))
    assert "expected" not in str(plain)


def test_a_tree_that_a_test_has_kept_small_says_so(tmp_path: Any) -> None:
    X, y = tw.datasets.load_tennis()
    model = tw.ID3Classifier(significance=0.05).fit(X, y)
    words = "a single leaf: no split is significant at 0.05"
    assert str(model.tree_).splitlines()[1] == words
    assert words in model.tree_._repr_html_()
    model.save(tmp_path / "model.tw")
    assert str(tw.load(tmp_path / "model.tw").tree_) == str(model.tree_)
    X, y = tw.datasets.load_iris()
    grown = tw.DecisionTreeClassifier(significance=0.001).fit(X, y).tree_
    assert str(grown).splitlines()[1] == "grown until no split was significant at 0.001"
    assert grown == tw.DecisionTreeClassifier(max_leaf_nodes=grown.n_leaves).fit(X, y).tree_  # no part of it
    for parameters in ({}, {"significance": 0.05, "min_samples_leaf": 8}):
        alone = tw.ID3Classifier(**parameters).fit(*tw.datasets.load_tennis(), [1] * 14).tree_
        assert "significant" not in str(alone)
    assert "significant" not in str(tw.ID3Classifier(significance=0.5).fit([["a"], ["b"]], [1, 1]).tree_)


@pytest.mark.parametrize("model", [tw.C45Classifier, tw.CARTClassifier, tw.CARTRegressor])
def test_presets_keep_the_same_account_with_predicates(model: Any) -> None:
    X, y = tw.datasets.load_iris()
    target = X["sepal length"] if model is tw.CARTRegressor else y
    trace = traced(model, X, target, predicates={"long": "`petal length` > 2.45"})
    root = trace[0]
    assert "long" in [candidate.feature for candidate in root.candidates]
    assert len(root.records) == 150
    assert root.records[0].values[-1] == "False"
    assert str(root).startswith("node 0: all rows\n  150 rows")
