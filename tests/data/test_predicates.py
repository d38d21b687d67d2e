"""Predicates: Boolean features of the user's own, beside those of the table."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.data import Dataset
from treewright.data.predicates import read_predicates
from treewright.errors import DataError, ModelFileError
from treewright.persistence.schema import schema_from_dict, schema_to_dict

pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")


def boxes(n: int = 200, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Boxes that are wide or high: no threshold on one side tells them apart."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "width": random.uniform(1, 9, n),
            "box height": random.uniform(1, 9, n),
            "colour": random.choice(["red", "green", "blue"], n),
            "sold": pd.to_datetime("2024-01-01") + pd.to_timedelta(random.integers(0, 365, n), "D"),
        }
    )
    return X, np.where(X["width"] > X["box height"], "wide", "high")


def is_wide(X: pd.DataFrame) -> Any:
    return X["width"] > X["box height"]


def codes_of(X: Any, rule: Any) -> list[int]:
    return Dataset.from_table(X, predicates=[("answer", rule)]).codes[:, -1].tolist()


@pytest.mark.parametrize("rule", ["width > `box height`", is_wide, ("wide", "width - `box height` > 0")])
def test_a_predicate_that_holds_the_answer_is_found(rule: Any) -> None:
    X, y = boxes()
    plain = tw.DecisionTreeClassifier().fit(X, y)
    model = tw.DecisionTreeClassifier(predicates=[rule]).fit(X, y)
    assert plain.get_n_leaves() > 10
    assert model.get_n_leaves() == 2
    fresh, truth = boxes(seed=1)
    assert model.score(fresh, truth) == 1
    assert model.n_features_in_ == 4
    assert list(model.feature_names_in_) == list(X.columns)


def test_predicates_have_their_own_names_in_what_a_tree_says() -> None:
    X, y = boxes()
    text = str(tw.DecisionTreeClassifier(predicates={"wide": is_wide}).fit(X, y).tree_)
    assert "├─ not (wide)  → high" in text
    assert "└─ wide  → wide" in text


EXPRESSIONS = {
    "width > 5 and `box height` <= 3": lambda X: (X["width"] > 5) & (X["box height"] <= 3),
    "width > 5 or colour == 'red'": lambda X: (X["width"] > 5) | (X["colour"] == "red"),
    "not (colour != 'red')": lambda X: X["colour"] == "red",
    "colour in ('red', 'blue')": lambda X: X["colour"].isin(["red", "blue"]),
    "colour not in ['red', 'blue']": lambda X: ~X["colour"].isin(["red", "blue"]),
    "2 < width < 4.5": lambda X: (X["width"] > 2) & (X["width"] < 4.5),
    "width / `box height` + 1 >= 2 * -0.5 + 3": lambda X: X["width"] / X["box height"] + 1 >= 2,
    "sold < '2024-06-01'": lambda X: X["sold"] < "2024-06-01",
    "width is not None": lambda X: X["width"].notna(),
    "-3 > -width": lambda X: X["width"] > 3,
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_mean_what_pandas_means(expression: str) -> None:
    X, _ = boxes()
    assert codes_of(X, expression) == EXPRESSIONS[expression](X).astype(int).tolist()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a > 1", [1, 0, -1]),
        ("not a > 1", [0, 1, -1]),
        ("a > 1 and b > 1", [1, 0, 0]),  # false and unknown is false
        ("a > 1 or b < 1", [1, 0, 1]),  # true or unknown is true
        ("a > 1 or b > 1", [1, 0, -1]),
        ("a is None", [0, 0, 1]),
        ("a + b > 0", [1, 1, -1]),
        ("a in (1, 2)", [1, 1, -1]),
    ],
)
def test_unknown_values_follow_kleene(expression: str, expected: list[int]) -> None:
    X = pd.DataFrame({"a": [2.0, 1.0, np.nan], "b": [2.0, 1.0, 0.0]})
    assert codes_of(X, expression) == expected


@given(st.lists(st.sampled_from([0, 1, -1]), min_size=3, max_size=3), st.booleans())
def test_de_morgan(cells: list[int], conjunction: bool) -> None:
    """not (p and q) is not p or not q, unknown values included."""
    values = [np.nan if cell < 0 else float(cell) for cell in cells]
    X = pd.DataFrame({"p": values, "q": values[::-1]})
    one, other = ("and", "or") if conjunction else ("or", "and")
    left = codes_of(X, f"not (p == 1 {one} q == 1)")
    assert left == codes_of(X, f"not p == 1 {other} not q == 1")


def test_ordinal_and_boolean_columns() -> None:
    size = pd.Categorical(["small", "large", "medium"], ["small", "medium", "large"], ordered=True)
    X = pd.DataFrame({"size": size, "new": [True, False, True]})
    assert codes_of(X, "size >= 'medium'") == [0, 1, 1]
    assert codes_of(X, "new") == [1, 0, 1]
    assert codes_of(X, "not new and size < 'large'") == [0, 0, 0]


def test_big_whole_numbers_stay_exact() -> None:
    X = pd.DataFrame({"id": [2**60, 2**60 + 1, 2**60 + 2]})
    assert codes_of(X, f"id > {2**60}") == [0, 1, 1]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("widht > 2", "names 'widht', which is no column. Did you mean 'width'"),
        ("colour == 'rde'", "names 'rde', which column 'colour' does not have"),
        ("colour > 'red'", "an order they do not have"),
        ("width > 'red'", "compares numbers with the text 'red'"),
        (("flag", "width"), "must compare the values of column 'width'"),
        ("width + 1", "has no comparison where one is needed"),
        ("colour + 1 > 2", "calculates with column 'colour', which is categorical"),
        ("1 < 2", "compares two values: name a column"),
        ("width >", "cannot be read"),
        ("__import__('os').system('true') == 0", "may use columns, numbers, text"),
        ("width.real > 1", "may use columns, numbers, text"),
        ("[w for w in width] == 1", "may use columns, numbers, text"),
        ("width ** 2 > 1", "may use columns, numbers, text"),
        ("width is 3", "may ask 'is None'"),
        ("colour in 'red'", "must name a list"),
        ("sold > 'soon'", "compares the times of column 'sold' with 'soon'"),
        ("width > 1 " * 200, "the limit is 1000"),
        (lambda X: X["width"] > 1, "a lambda needs a name"),
        (3, "a predicate is an expression, a function"),
        (("p", lambda X: [True]), "truth value for each of the 200 rows"),
        (("p", lambda X: ["yes"] * len(X)), "got 'yes' in row 0"),
        (("width", "width > 2"), "has the name of a column"),
    ],
)
def test_odd_predicates_get_a_clear_sentence(rule: Any, words: str) -> None:
    X, y = boxes()
    with pytest.raises(DataError) as raised:
        tw.DecisionTreeClassifier(predicates=[rule]).fit(X, y)
    assert words in str(raised.value)


def test_two_of_a_name_are_refused() -> None:
    with pytest.raises(DataError, match="two of the name 'p'"):
        read_predicates([("p", "a > 1"), ("p", "b > 1")])


def test_functions_may_leave_rows_unanswered() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    for answer in ([True, None, False], [1.0, np.nan, 0.0], pd.array([True, pd.NA, False], dtype="boolean")):
        assert codes_of(X, lambda _, answer=answer: answer) == [1, -1, 0]


def test_rows_of_weight_zero_are_left_out_of_predicates_too() -> None:
    X, y = boxes(20)
    weight = np.arange(20) % 2
    model = tw.DecisionTreeClassifier(predicates=[is_wide]).fit(X, y, weight)
    same = tw.DecisionTreeClassifier(predicates=[is_wide]).fit(X[weight > 0], y[weight > 0])
    assert model.tree_.count[0] == 10
    assert (model.predict(X) == same.predict(X)).all()


def test_plain_arrays_take_predicates() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    y = (X[:, 0] > X[:, 1]).astype(int)
    for rule in ("x0 > x1", ("above", lambda X: X[:, 0] > X[:, 1])):
        model = tw.DecisionTreeClassifier(predicates=[rule]).fit(X, y)
        assert model.get_n_leaves() == 2
        assert (model.predict(X) == y).all()
        assert (model.tree_.apply(X) == model.apply(X)).all()


def test_a_file_keeps_expressions_and_names_functions(tmp_path: Path) -> None:
    X, y = boxes()
    by_text = tw.DecisionTreeClassifier(predicates=["width > `box height`"]).fit(X, y)
    by_text.save(tmp_path / "text.tw")
    assert (tw.load(tmp_path / "text.tw").predict(X) == y).all()
    by_function = tw.DecisionTreeClassifier(predicates=[is_wide]).fit(X, y)
    by_function.save(tmp_path / "function.tw")
    loaded: Any = tw.load(tmp_path / "function.tw")
    with pytest.raises(ValueError, match="names the function 'is_wide' but holds no code: set it again"):
        loaded.predict(X)
    assert (loaded.set_params(predicates=[is_wide]).predict(X) == y).all()
    assert (pickle.loads(pickle.dumps(by_function)).predict(X) == y).all()


def test_features_taken_by_name_serve_predicates_too() -> None:
    X, y = boxes()
    model: Any = tw.DecisionTreeClassifier(predicates=[is_wide, "colour == 'red'"]).fit(X, y)
    mixed = X.assign(id=range(len(X)))[["id", *reversed(X.columns)]]
    predicted, report = model.predict(mixed, reorder=True, return_report=True)
    assert (predicted == y).all()
    assert report is not None


def test_a_forged_predicate_is_refused() -> None:
    schema = Dataset.from_table([[1.0]], predicates=["x0 > 0"]).schema
    content = schema_to_dict(schema)
    content["predicates"][0]["expression"] = "x0 >"
    with pytest.raises(ModelFileError, match="cannot be read"):
        schema_from_dict(content)
    content["predicates"][0] = {"name": "other", "expression": None}
    with pytest.raises(ModelFileError, match="has no column"):
        schema_from_dict(content)


def test_constraints_need_not_speak_of_predicates() -> None:
    X, y = boxes()
    numbers = X[["width", "box height"]]
    model = tw.DecisionTreeClassifier(
        predicates=[is_wide],
        monotonic_cst=[1, 0],
        feature_costs=[1, 1],
        interaction_cst=[["width", "is_wide"]],
    ).fit(numbers, y)
    assert tw.is_monotone(model, "width")


@pytest.mark.parametrize("digits", [19, 309, 400])
def test_whole_numbers_of_any_size_are_compared(digits: int) -> None:
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 1]
    for expression, holds in (("x0 < {}", True), ("x0 > {}", False), ("x0 > -{}", True), ("{} != x0", True)):
        model = tw.DecisionTreeClassifier(predicates=[expression.format("9" * digits)]).fit(X, y)
        _, codes = model.tree_.schema.encode(X)
        assert codes[:, 0].tolist() == [int(holds)] * 3
