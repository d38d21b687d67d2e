"""Bad tables get one clear sentence that names what is wrong and where."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from helpers.inputs import FRAME, Refused, X, check_refused, classify, put
from treewright.data import encoding
from treewright.errors import DataError, DataTypeError

REFUSED: dict[str, Refused] = {
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
        TypeError,
    ),
    "polars column of lists": (
        lambda: classify(pl.DataFrame({"tags": [["a"], ["b"]]}), [0, 1]),
        "column 'tags' holds list objects",
        TypeError,
    ),
    "Arrow column of structs": (
        lambda: classify(pa.table({"tags": [{"a": 1}, {"a": 2}]}), [0, 1]),
        "column 'tags' holds dict objects",
        TypeError,
    ),
    "dict in an object array": (
        lambda: classify(np.array([[1, {}], [2, 3]], dtype=object), [0, 1]),
        "must be a string, a number, a date or missing",
        TypeError,
    ),
    "structured array": (
        lambda: classify(np.zeros(6, dtype=[("a", float)])),
        "X is a structured array: pass a DataFrame",
    ),
    "np.matrix": (lambda: classify(X.view(np.matrix)), "np.matrix is not supported", TypeError),
    "bytes that are no text": (
        lambda: classify([[b"\xff"], [b"a"]], [0, 1]),
        "column 'x0' holds bytes that are no UTF-8 text (row 0)",
        TypeError,
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
        TypeError,
    ),
    "text at fit, numeric now": (
        lambda: classify(FRAME).schema.encode(FRAME.assign(planet=[None, 4, 5, 6, 7, 8])),
        "column 'planet' was text at fit and is numeric now (value 4.0, row 1)",
        TypeError,
    ),
    "text at fit, numeric array now": (
        lambda: classify([["a"], ["b"]], [0, 1]).schema.encode(np.array([[1.0]])),
        "column 'x0' was text at fit and is numeric now (value 1.0, row 0)",
        TypeError,
    ),
    "dates at fit, numeric now": (
        lambda: classify(np.array([["2020"]], dtype="datetime64[D]"), [0]).schema.encode([[3]]),
        "column 'x0' was dates at fit and is numeric now (value 3, row 0)",
        TypeError,
    ),
    "numeric at fit, durations now": (
        lambda: classify(X[:, :1]).schema.encode([[datetime.timedelta(1)]]),
        "column 'x0' was numeric at fit and is durations now (value '1 day', row 0)",
        TypeError,
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
        "categorical_features names 'planets', which is no feature: use one of 'age', 'planet', or a number "
        "from 0 to 1. Did you mean 'planet'?",
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
        TypeError,
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
        TypeError,
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
}


@pytest.mark.parametrize("row", REFUSED)
def test_refused(row: str) -> None:
    check_refused(*REFUSED[row])


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
