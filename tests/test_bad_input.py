"""Bad input gets one clear sentence that names what is wrong and where."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import treewright
from inputs import FRAME, X, Y, classify, put, regress
from treewright.data import Dataset, encoding
from treewright.errors import DataError, DataTypeError

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    # Shape
    "no rows": (
        lambda: classify(np.empty((0, 3)), []),
        "0 sample(s) (shape=(0, 3)) while a minimum of 1 is required",
    ),
    "no columns": (
        lambda: classify(np.empty((6, 0))),
        "0 feature(s) (shape=(6, 0)) while a minimum of 1 is required",
    ),
    "empty frame": (lambda: classify(pd.DataFrame(), []), "0 sample(s)"),
    "frame without columns": (lambda: classify(pd.DataFrame(index=range(6))), "0 feature(s) (shape=(6, 0))"),
    "predict on no rows": (
        lambda: classify(X).schema.encode(X[:0], estimator="TreeClassifier"),
        "0 sample(s) (shape=(0, 2)) while a minimum of 1 is required by TreeClassifier",
    ),
    "predict on an empty frame": (
        lambda: classify(FRAME).schema.encode(FRAME[:0]),
        "0 sample(s) (shape=(0, 2))",
    ),
    "1-D X": (lambda: classify(X[:, 0]), "Expected 2D array, got 1D array instead. Reshape your data"),
    "3-D X": (lambda: classify(X[None]), "Expected 2D array, got 3D array instead. Reshape your data"),
    "one row as a list": (lambda: classify(X).schema.encode([1.0, 2.0]), "Reshape your data"),
    "a Series as X": (lambda: classify(FRAME["age"]), "got 1D array instead"),
    "a polars Series as X": (lambda: classify(pl.Series([1.0] * 6)), "got 1D array instead"),
    "an Arrow array as X": (lambda: classify(pa.chunked_array([[1.0] * 6])), "got 1D array instead"),
    "ragged lists": (lambda: classify([[1, 2], [3]], [0, 1]), "row 1 of X has 1 values, row 0 has 2"),
    "a number among rows": (lambda: classify([[1, 2], 3], [0, 1]), "row 1 of X has 0 values, row 0 has 2"),
    "dict": (lambda: classify({"a": [1, 2]}, [0, 1]), "X is a dict: pass a DataFrame"),
    "list of dicts": (lambda: classify([{"a": 1}, {"a": 2}], [0, 1]), "pass a DataFrame"),
    "scalar": (lambda: classify(3.0), "Expected 2D array, got scalar array instead"),
    "generator": (lambda: classify(row for row in X), "Expected 2D array, got scalar array instead"),
    "y missing": (
        lambda: classify(X, None),
        "TreeClassifier requires y to be passed, but the target y is None",
    ),
    "y missing in a regression": (
        lambda: regress(X, None),
        "requires y to be passed, but the target y is None",
    ),
    "y short": (lambda: classify(X, Y[:5]), "y has 5 rows, X has 6"),
    "y long in a Series": (lambda: regress(FRAME, pd.Series(range(7))), "y has 7 rows, X has 6"),
    "y wide": (
        lambda: classify(X, np.zeros((6, 3))),
        "y has 3 columns: several targets are not supported yet",
    ),
    "y a wide frame": (lambda: regress(FRAME, pl.DataFrame(X)), "y has 2 columns: several targets"),
    "y 3-D": (lambda: classify(X, np.zeros((6, 1, 1))), "y should be a 1d array"),
    "y ragged": (lambda: classify(X[:2], [[1], [1, 2]]), "y should be a 1d array"),
    # Numbers
    "missing values refused": (
        lambda: classify(put(np.nan, 3, 5), missing="error"),
        "column 'x1' has 2 missing values, first at row 3",
    ),
    "missing categories refused": (
        lambda: classify(FRAME.assign(planet=[None, "a"] * 3), missing="error"),
        "column 'planet' has 3 missing values, first at row 0",
    ),
    "missing when predicting": (
        lambda: classify(X).schema.encode(put(np.nan, 3, 5), missing="error"),
        "column 'x1' has 2 missing values, first at row 3",
    ),
    "missing category when predicting": (
        lambda: classify(FRAME).schema.encode(FRAME.assign(planet=[None, "Mars"] * 3), missing="error"),
        "column 'planet' has 3 missing values, first at row 0",
    ),
    "infinity": (
        lambda: classify(put(np.inf, 2, 4)),
        "infinity in column 'x1' (2 rows, first 2). Clean it or set inf='extreme'",
    ),
    "negative infinity in float32": (
        lambda: classify(put(-np.inf, 2).astype(np.float32)),
        "infinity in column 'x1' (1 row, first 2)",
    ),
    "infinity in columns": (lambda: classify(np.asfortranarray(put(np.inf, 2))), "infinity in column 'x1'"),
    "infinity in float16": (lambda: classify(put(np.inf, 2).astype(np.float16)), "infinity in column 'x1'"),
    "infinity in a frame": (
        lambda: classify(FRAME.assign(age=np.inf)),
        "infinity in column 'age' (6 rows, first 0)",
    ),
    "infinity in a list": (lambda: classify(put(np.inf, 2).tolist()), "infinity in column 'x1'"),
    "infinity in a sparse matrix": (
        lambda: classify(scipy.sparse.csr_array(put(np.inf, 2))),
        "infinity in column 'x1'",
    ),
    "infinity when predicting from a frame": (
        lambda: classify(FRAME).schema.encode(FRAME.assign(age=np.inf)),
        "infinity in column 'age'",
    ),
    "NaN in y": (
        lambda: regress(X, [1, 2, 3, 4, 5, np.nan]),
        "Input y contains NaN: 1 row, first 5. Drop these rows",
    ),
    "NaN among labels": (
        lambda: classify(X, [1, np.nan, 2, np.nan, 1, 1]),
        "Input y contains NaN: 2 rows, first 1. Drop these rows or label them",
    ),
    "infinity in y": (
        lambda: regress(X, [1, 2, np.inf, 4, 5, 6]),
        "Input y contains infinity: 1 row, first 2",
    ),
    "infinity among labels": (
        lambda: classify(X, [1, 2, np.inf, 4, 5, 6]),
        "Input y contains infinity: 1 row, first 2",
    ),
    "whole numbers of too wide a range": (
        lambda: classify(np.array([[0], [2**53 + 1]]), [0, 1]),
        "column 'x0' runs from 0 to 9007199254740993: float64 cannot hold a range beyond 2**53 exactly",
    ),
    "nanoseconds over years": (
        lambda: classify(
            np.array([["2000-01-01T00:00:00.000000001"], ["2020-01-01"]], dtype="datetime64[ns]"), [0, 1]
        ),
        "column 'x0' runs from",
    ),
    "complex X": (lambda: classify(X.astype(complex)), "Complex data not supported"),
    "complex objects": (lambda: classify(X.astype(complex).astype(object)), "Complex data not supported"),
    "complex sparse": (
        lambda: classify(scipy.sparse.csr_array(X.astype(complex))),
        "Complex data not supported",
    ),
    "complex y": (lambda: classify(X, Y.astype(complex)), "Complex data not supported"),
    "complex y in a regression": (lambda: regress(X, Y.astype(complex)), "Complex data not supported"),
    "decimals float64 cannot tell apart": (
        lambda: classify([[Decimal(1)], [Decimal("1.00000000000000000001")]], [0, 1]),
        "column 'x0' holds 1 and 1.00000000000000000001 (row 1), which float64 cannot tell apart",
    ),
    "fractions float64 cannot tell apart": (
        lambda: classify([[None], [Fraction(1, 3)], [Fraction(10**30, 3 * 10**30 + 1)]], [0, 1, 1]),
        "(row 2), which float64 cannot tell apart",
    ),
    "huge whole numbers float64 cannot tell apart": (
        lambda: classify([[10**30], [10**30 + 1]], [0, 1]),
        "(row 1), which float64 cannot tell apart",
    ),
    "a whole number among floats": (
        lambda: classify([[2**60 + 1], [float(2**60)]], [0, 1]),
        "which float64 cannot tell apart",
    ),
    "a number beyond float64": (
        lambda: classify([[1], [10**400]], [0, 1]),
        "column 'x0' holds a number beyond float64 (row 1)",
    ),
    "object column of lists": (
        lambda: classify(pd.DataFrame({"tags": [["a"], ["b"]]}), [0, 1]),
        "column 'tags' holds list objects (first at row 0)",
    ),
    "polars column of lists": (
        lambda: classify(pl.DataFrame({"tags": [["a"], ["b"]]}), [0, 1]),
        "column 'tags' holds list objects",
    ),
    "Arrow column of structs": (
        lambda: classify(pa.table({"tags": [{"a": 1}, {"a": 2}]}), [0, 1]),
        "column 'tags' holds dict objects",
    ),
    "dict in an object array": (
        lambda: classify(np.array([[1, {}], [2, 3]], dtype=object), [0, 1]),
        "must be a string, a number, a date or missing",
    ),
    "structured array": (
        lambda: classify(np.zeros(6, dtype=[("a", float)])),
        "X is a structured array: pass a DataFrame",
    ),
    "np.matrix": (lambda: classify(X.view(np.matrix)), "np.matrix is not supported"),
    "bytes that are no text": (
        lambda: classify([[b"\xff"], [b"a"]], [0, 1]),
        "column 'x0' holds bytes that are no UTF-8 text (row 0)",
    ),
    "infinity in a category": (
        lambda: classify(put(np.inf, 2), categorical_features=[1]),
        "infinity in column 'x1' (1 row, first 2)",
    ),
    # Categories
    "unseen category": (
        lambda: classify(FRAME).schema.encode(
            FRAME.assign(planet=["Earth", "Mars", "Venus", "Mars", "Mars", None]), unseen="error"
        ),
        "unseen value 'Mars' in column 'planet' (3 rows, first 1). Known values: 'Earth', 'Venus'",
    ),
    "unseen number": (
        lambda: classify(X, categorical_features=[0]).schema.encode(
            np.array([[0.0, 1], [0.5, 1]]), unseen="error"
        ),
        "unseen value 0.5 in column 'x0' (1 row, first 1)",
    ),
    "damaged Arrow dictionary": (
        lambda: classify(
            pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0, 7]), ["u"], safe=False)}), [0, 1]
        ),
        "column 'a' is damaged",
    ),
    "numeric at fit, text now": (
        lambda: classify(FRAME).schema.encode(FRAME.assign(age="abc")),
        "column 'age' was numeric at fit and is text now (value 'abc', row 0)",
    ),
    "text at fit, numeric now": (
        lambda: classify(FRAME).schema.encode(FRAME.assign(planet=[None, 4, 5, 6, 7, 8])),
        "column 'planet' was text at fit and is numeric now (value 4.0, row 1)",
    ),
    "text at fit, numeric array now": (
        lambda: classify([["a"], ["b"]], [0, 1]).schema.encode(np.array([[1.0]])),
        "column 'x0' was text at fit and is numeric now (value 1.0, row 0)",
    ),
    "dates at fit, numeric now": (
        lambda: classify(np.array([["2020"]], dtype="datetime64[D]"), [0]).schema.encode([[3]]),
        "column 'x0' was dates at fit and is numeric now (value 3, row 0)",
    ),
    "numeric at fit, durations now": (
        lambda: classify(X[:, :1]).schema.encode([[datetime.timedelta(1)]]),
        "column 'x0' was numeric at fit and is durations now (value '1 day', row 0)",
    ),
    "ordinal value outside its order": (
        lambda: classify([["S"], ["XL"]], [0, 1], ordinal_features={0: ["S", "M"]}),
        "unseen value 'XL' in column 'x0' (1 row, first 1). Known values: 'S', 'M'",
    ),
    "ordinal text without an order": (
        lambda: classify(FRAME, ordinal_features=["planet"]),
        "ordinal column 'planet' is text without an order: pass ordinal_features={'planet': [",
    ),
    "ordinal order repeats": (
        lambda: classify(FRAME, ordinal_features={"planet": ["a", "a"]}),
        "repeats a value",
    ),
    "categorical and ordinal": (
        lambda: classify(FRAME, categorical_features=["age"], ordinal_features=[0]),
        "column 'age' is named in categorical_features and in ordinal_features",
    ),
    "unknown categorical feature": (
        lambda: classify(FRAME, categorical_features=["planets"]),
        "categorical_features names 'planets', but X has the columns 'age', 'planet'. Did you mean 'planet'?",
    ),
    "categorical index out of range": (
        lambda: classify(X, categorical_features=[2]),
        "categorical_features names 2",
    ),
    "categorical mask of wrong length": (
        lambda: classify(X, categorical_features=[True]),
        "the mask categorical_features has 1 entries, X has 2 features",
    ),
    "categorical_features as a word": (
        lambda: classify(X, categorical_features="all"),
        "categorical_features must be",
    ),
    # Time
    "mixed zones": (
        lambda: classify(
            [[datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)], [datetime.datetime(2020, 1, 1)]], [0, 1]
        ),
        "column 'x0' mixes the time zones UTC, none",
    ),
    "dates and numbers": (
        lambda: classify([[datetime.date(2020, 1, 1)], [3]], [0, 1]),
        "column 'x0' mixes date and integer values",
    ),
    "picoseconds": (
        lambda: classify(np.zeros((2, 1), "timedelta64[ps]"), [0, 1]),
        "counts time in units of 'ps'",
    ),
    # Names
    "repeated names": (
        lambda: classify(pd.DataFrame(X, columns=["a", "a"])),
        "column name 'a' occurs 2 times",
    ),
    "repeated Arrow names": (
        lambda: classify(pa.table([[1], [2]], names=["a", "a"]), [0]),
        "column name 'a' occurs 2 times",
    ),
    "mixed names": (
        lambda: classify(pd.DataFrame(X, columns=["a", 1])),
        "Feature names are only supported if all input features have string names",
    ),
    "predict: column missing": (
        lambda: classify(FRAME).schema.encode(FRAME[["age"]]),
        "were passed during fit.\nFeature names seen at fit time, yet now missing:\n- planet\n",
    ),
    "predict: column extra": (
        lambda: classify(FRAME).schema.encode(FRAME.assign(more=1)),
        "should match those that were passed during fit.\nFeature names unseen at fit time:\n- more",
    ),
    "predict: reordered": (
        lambda: classify(FRAME).schema.encode(FRAME[["planet", "age"]]),
        "Feature names must be in the same order as they were in fit.\n",
    ),
    "predict: renamed": (
        lambda: classify(FRAME).schema.encode(FRAME.rename(columns={"age": "years"})),
        "Feature names unseen at fit time:\n- years\nFeature names seen at fit time, yet now missing:\n- age",
    ),
    "predict: another number of features": (
        lambda: classify(X).schema.encode(np.zeros((2, 3)), estimator="TreeClassifier"),
        "X has 3 features, but TreeClassifier is expecting 2 features as input",
    ),
    "predict: another number of features in rows": (
        lambda: classify(X).schema.encode([["a"]], estimator="TreeClassifier"),
        "X has 1 features, but TreeClassifier is expecting 2 features as input",
    ),
    # Frames
    "indexes of different rows": (
        lambda: classify(FRAME, pd.Series(Y, index=range(6, 12))),
        "X and y have indexes of different rows",
    ),
    # Labels
    "labels of mixed types": (
        lambda: classify(X, ["a", "b", "a", "b", 1, "a"]),
        "y mixes str and int (row 4: 1)",
    ),
    "labels of mixed types in an array": (
        lambda: classify(X, np.array([1, 1, "a", 2, 3, 4], dtype=object)),
        "y mixes int and str (row 2: 'a')",
    ),
    "None among labels": (
        lambda: classify(X, ["a", None, "b", "a", "b", None]),
        "Input y contains NaN: 2 rows, first 1",
    ),
    "None among labels of a frame": (
        lambda: classify(X, pl.Series(["a", None] * 3)),
        "Input y contains NaN: 3 rows, first 1",
    ),
    "None among categories": (
        lambda: classify(X, pd.Categorical(["a", None] * 3)),
        "Input y contains NaN: 3 rows, first 1",
    ),
    "masked label": (
        lambda: classify(X, np.ma.MaskedArray(Y, np.arange(6) == 0)),
        "Input y contains NaN: 1 row, first 0",
    ),
    "NA in a nullable regression target": (
        lambda: regress(X, pd.array([1, None] * 3, dtype="Int64")),
        "Input y contains NaN",
    ),
    "continuous labels": (
        lambda: classify(X, [1, 2, 0.5, 1, 1, 1]),
        "Unknown label type: continuous (0.5, row 2). Use TreeRegressor",
    ),
    "dates as labels": (lambda: classify(X, np.zeros(6, "datetime64[D]")), "Unknown label type"),
    "bytes as labels": (
        lambda: classify(X, np.array([b"a"] * 6)),
        "labels represented as bytes is not supported",
    ),
    "text for a regressor": (
        lambda: regress(X, ["a"] * 6),
        "y holds text ('a', row 0): TreeRegressor needs numbers",
    ),
    "dates for a regressor": (lambda: regress(X, np.zeros(6, "datetime64[D]")), "y holds dates or durations"),
    "sparse y": (lambda: classify(X, scipy.sparse.csr_matrix(Y[:, None])), "y is a sparse matrix"),
    "dates as categories of labels": (
        lambda: classify(X, pd.Categorical(pd.to_datetime(["2020-01-01"] * 6))),
        "Unknown label type: y holds dates",
    ),
    "task unknown": (
        lambda: Dataset.from_table(X, Y, task="classify"),  # type: ignore[arg-type]
        "Unknown task 'classify': use one of 'classification', 'regression'. Did you mean 'classification'?",
    ),
    "target without a task": (
        lambda: Dataset.from_table(X, Y),
        "y was given without a task: add task='classification' or task='regression'",
    ),
    # Weights
    "masked weight": (
        lambda: classify(X, sample_weight=np.ma.MaskedArray(np.ones(6), np.arange(6) == 2)),
        "Input sample_weight contains NaN: 1 row, first 2",
    ),
    "complex weights": (
        lambda: classify(X, sample_weight=np.ones(6, complex)),
        "sample_weight must hold one number for each row",
    ),
    "negative weight": (
        lambda: classify(X, sample_weight=[1, -1, 1, 1, -2, 1]),
        "Negative values in data passed to `sample_weight`: 2 rows, first 1",
    ),
    "NaN weight": (
        lambda: classify(X, sample_weight=[1, 1, np.nan, 1, 1, 1]),
        "Input sample_weight contains NaN: 1 row, first 2",
    ),
    "infinite weight": (
        lambda: classify(X, sample_weight=[1, 1, np.inf, 1, 1, 1]),
        "Input sample_weight contains infinity: 1 row, first 2",
    ),
    "all weights zero": (
        lambda: classify(X, sample_weight=np.zeros(6)),
        "Sample weights must contain at least one non-zero number",
    ),
    "weights of wrong length": (
        lambda: classify(X, sample_weight=[1, 2]),
        "sample_weight has 2 rows, X has 6",
    ),
    "weight of no dimension": (
        lambda: classify(X, sample_weight=np.array(2)),
        "sample_weight: Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, "
        "got scalar `array(2.)` instead.",
    ),
    "weights 2-D": (
        lambda: classify(X, sample_weight=np.ones((6, 2))),
        "Sample weights must be 1D array or scalar, got shape (6, 2)",
    ),
    "weights of text": (
        lambda: classify(X, sample_weight=["a"] * 6),
        "sample_weight must hold one number for each row",
    ),
    "weights beyond 1e300": (
        lambda: classify(X, sample_weight=[9e299, 9e299, 0, 0, 0, 0]),
        "the sum of sample_weight is beyond 1e+300",
    ),
}
#: Rows that are about a wrong type, so that the error is a TypeError too.
WRONG_TYPE = {
    "complex weights",
    "weight of no dimension",
    "dates as categories of labels",
    "object column of lists",
    "polars column of lists",
    "Arrow column of structs",
    "dict in an object array",
    "np.matrix",
    "bytes that are no text",
    "numeric at fit, text now",
    "text at fit, numeric now",
    "text at fit, numeric array now",
    "dates at fit, numeric now",
    "numeric at fit, durations now",
    "dates and numbers",
    "mixed names",
    "labels of mixed types",
    "labels of mixed types in an array",
    "dates as labels",
    "bytes as labels",
    "sparse y",
    "weights of text",
}


@pytest.mark.parametrize("row", REFUSED)
def test_refused(row: str) -> None:
    action, message = REFUSED[row]
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        action()
    assert isinstance(caught.value, TypeError) is (row in WRONG_TYPE)


class Dask:
    """What is told by its module only."""


Dask.__module__ = "dask.dataframe"


def test_dask_is_told_how() -> None:
    with pytest.raises(DataTypeError, match=r"X is a dask Dask, which is not in memory: pass X.compute\(\)"):
        classify(Dask())


def test_more_categories_than_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "MOST_CATEGORIES", 2)
    with pytest.raises(DataError, match="column 'x0' has 3 categories, the limit is 2"):
        classify([["a"], ["b"], ["c"]], [0, 1, 0])


# From here on through the estimators.


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


# What predict met


def pets() -> Any:
    table = pd.DataFrame({"says": ["meow", "woof", "woof", "meow"], "age": [3.0, 2.0, 9.0, 1.0]})
    return treewright.DecisionTreeClassifier().fit(table, ["cat", "dog", "dog", "cat"])


def test_a_report_counts_missing_and_unseen_values() -> None:
    new = pd.DataFrame({"says": ["woof", "moo", None, "baa"], "age": [1.0, np.nan, np.nan, 2.0]})
    labels, report = pets().predict(new, return_report=True)
    assert (labels == pets().predict(new)).all()
    assert report.to_dict() == {
        "n_rows": 4,
        "missing": {"says": 1, "age": 2},
        "unseen": {"says": 2},
        "first_unseen": {"says": 1},
    }
    assert str(report).splitlines()[1] == (
        "says: 2 rows with an unseen category (first 1), 1 row with a missing value"
    )


def test_a_report_of_a_regression_tree() -> None:
    model = treewright.DecisionTreeRegressor().fit([[1.0, 2.0], [2.0, 1.0]], [0.5, 1.5])
    values, report = model.predict([[1.0, np.nan]], return_report=True)
    assert values.tolist() == [0.5]
    assert dict(report.missing) == {"x1": 1}
    assert not report.unseen


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_features_are_taken_by_name_on_request(make: Callable[[Any], Any]) -> None:
    model = pets()
    columns = {"id": [7, 8], "age": [5.0, 5.0], "says": ["woof", "meow"]}
    with pytest.raises(DataError, match="feature names should match"):
        model.predict(make(columns))
    assert model.predict(make(columns), reorder=True).tolist() == ["dog", "cat"]
    assert model.predict_proba(model.arrange(make(columns))).tolist() == [[0, 1], [1, 0]]


def test_reordering_needs_the_names() -> None:
    with pytest.raises(DataError, match=r"X lacks features that were seen at fit time: 'age'\."):
        pets().predict(pd.DataFrame({"says": ["woof"]}), reorder=True)
    with pytest.raises(DataError, match="but X has no column names"):
        pets().predict([["woof", 3.0]], reorder=True)
    unnamed = treewright.DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match="the model was fitted without them"):
        unnamed.predict(pd.DataFrame({"x0": [1.0]}), reorder=True)
