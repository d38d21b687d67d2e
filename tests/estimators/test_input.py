"""What estimators make of tables with nothing to learn, with neighbouring numbers, and of odd new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright
from helpers.inputs import X, Y, put
from treewright.errors import DataError


@pytest.mark.parametrize(
    ("table", "target"),
    [(X[:1], Y[:1]), (np.ones((6, 2)), Y), (X, np.zeros(6)), (np.full((6, 2), np.nan), Y)],
    ids=["one row", "constant features", "one class", "all missing"],
)
def test_nothing_to_split_gives_one_leaf(table: Any, target: Any) -> None:
    model = treewright.DecisionTreeClassifier().fit(table, target)
    assert model.get_n_leaves() == 1
    assert model.predict(table).tolist() == [target[0]] * len(table)


def test_min_samples_leaf_beyond_the_rows_gives_one_leaf() -> None:
    assert treewright.DecisionTreeClassifier(min_samples_leaf=7).fit(X, Y).get_n_leaves() == 1


@pytest.mark.parametrize(
    "values",
    [[2**53, 2**53 + 1], [2**64 - 2, 2**64 - 1], [1.0, np.nextafter(1, 2)], [0.0, 5e-324], [-1e308, 1e308]],
)
def test_neighbours_are_split(values: list[Any]) -> None:
    table = [[value] for value in values]
    model = treewright.DecisionTreeClassifier().fit(table, ["low", "high"])
    assert model.predict(table).tolist() == ["low", "high"]


def test_signs_of_zero_are_not_split() -> None:
    assert treewright.DecisionTreeClassifier().fit([[0.0], [-0.0]], [0, 1]).get_n_leaves() == 1


def test_truth_values_of_frames_and_arrays_give_the_same_leaves() -> None:
    flags = np.array([[True], [False], [True], [False]])
    y = [0, 1, 0, 1]
    by_number = treewright.DecisionTreeClassifier().fit(flags, y)
    by_category = treewright.DecisionTreeClassifier().fit(pd.DataFrame({"flag": flags.ravel()}), y)
    assert by_number.predict(flags).tolist() == y
    assert by_category.predict(pd.DataFrame({"flag": flags.ravel()})).tolist() == y


@pytest.mark.parametrize("words", [(False, True), ("False", "True"), ("false", "true"), ("FALSE", "TRUE")])
@pytest.mark.parametrize("y", [[0, 1, 0, 1], [1, 0, 1, 0]])
def test_false_goes_left_also_where_a_file_has_it_as_a_word(words: tuple[Any, Any], y: list[int]) -> None:
    flags = pd.DataFrame({"flag": [words[1], words[0], words[1], words[0]]})
    text = treewright.export_text(treewright.DecisionTreeClassifier().fit(flags, y))
    assert text.index(f"flag = {words[0]}") < text.index(f"flag = {words[1]}")


@pytest.mark.parametrize("weight", [np.inf, -np.inf])
def test_infinity_when_predicting_with_an_estimator(weight: float) -> None:
    model = treewright.DecisionTreeClassifier().fit(X, Y)
    with pytest.raises(DataError, match="infinity in column 'x1'"):
        model.predict(put(weight, 2))


def test_unseen_categories_follow_the_estimators_choice() -> None:
    table, y = [["a"], ["a"], ["b"]], [0, 0, 1]
    assert treewright.DecisionTreeClassifier(unseen="majority").fit(table, y).predict([["z"]]).tolist() == [0]
    with pytest.raises(DataError, match="unseen value 'z' in column 'x0'"):
        treewright.DecisionTreeClassifier(unseen="error").fit(table, y).predict([["z"]])


def test_a_failed_fit_leaves_the_estimator_as_it_was() -> None:
    model = treewright.DecisionTreeClassifier().fit(X, Y)
    with pytest.raises(DataError):
        model.fit(put(np.inf, 2), Y)
    assert model.predict(X).tolist() == Y.tolist()


@pytest.mark.parametrize("missing", [np.array([[np.nan]]), [[None]]])
def test_missing_values_are_refused_when_predicting_too(missing: Any) -> None:
    model = treewright.DecisionTreeClassifier(missing="error").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(DataError, match="column 'x0' has 1 missing value, first at row 0"):
        model.predict(missing)


def test_an_unseen_category_is_no_missing_value_of_the_table() -> None:
    model = treewright.ID3Classifier().fit([["a"], ["a"], ["b"]], [0, 0, 1])
    assert model.predict([["z"]]).tolist() == [0]
