"""Odd input gets the right dataset, and a warning where it may not be what was meant."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.exceptions import DataConversionWarning

import treewright
from helpers.inputs import FRAME, X, Y, classify, put, record, regress
from treewright.data import Dataset

SAME: dict[str, tuple[Callable[[], Dataset], Callable[[], Dataset]]] = {
    "NaN is missing": (
        lambda: classify(put(np.nan, 1)),
        lambda: classify([[row[0], None if i == 1 else row[1]] for i, row in enumerate(X)]),
    ),
    "infinity as the largest number": (
        lambda: classify(put(np.inf, 1), inf="extreme"),
        lambda: classify(put(np.finfo(float).max, 1)),
    ),
    "negative infinity in a frame": (
        lambda: classify(pd.DataFrame(put(-np.inf, 1)), inf="extreme"),
        lambda: classify(put(-np.finfo(float).max, 1)),
    ),
    "large and small numbers": (lambda: classify(put(1e39, 1)), lambda: classify(put(1e39, 1).tolist())),
    "denormals": (lambda: classify(put(5e-324, 1)), lambda: classify(put(5e-324, 1).astype(object))),
    "neighbours": (
        lambda: classify(put(np.nextafter(1, 2), 1)),
        lambda: classify(pd.DataFrame(put(np.nextafter(1, 2), 1))),
    ),
    "bool array": (lambda: classify(X > 3), lambda: classify((X > 3).astype(int))),
    "0/1 as object": (
        lambda: classify((X > 3).astype(int).astype(object)),
        lambda: classify((X > 3).astype(int)),
    ),
    "object column of numbers": (lambda: classify(X.astype(object)), lambda: classify(X)),
    "decimals": (lambda: classify([[Decimal(str(v)) for v in row] for row in X]), lambda: classify(X)),
    "masked values are missing": (
        lambda: classify(np.ma.MaskedArray(X, X == 3)),
        lambda: classify(np.where(X == 3, np.nan, X)),
    ),
    "masked whole numbers are missing": (
        lambda: classify(np.ma.MaskedArray(X.astype(int), X == 3)),
        lambda: classify(np.where(X == 3, np.nan, X)),
    ),
    "explicit zeros of a sparse matrix": (
        lambda: classify(scipy.sparse.csr_matrix((np.zeros(2), ([0, 1], [0, 1])), shape=(6, 2))),
        lambda: classify(np.zeros((6, 2))),
    ),
    "sparse with 64-bit indexes": (
        lambda: classify(
            scipy.sparse.csr_array(
                (X.ravel(), np.tile([0, 1], 6).astype(np.int64), np.arange(0, 13, 2, dtype=np.int64)),
                shape=(6, 2),
            )
        ),
        lambda: classify(X),
    ),
    "all missing marks are one": (
        lambda: classify(
            pd.DataFrame({"x0": pd.Series(["a", None, np.nan, pd.NA, pd.NaT, ""], dtype=object)})
        ),
        lambda: classify(pl.DataFrame({"x0": ["a", None, None, None, None, ""]})),
    ),
    "nullable whole numbers": (
        lambda: classify(pd.DataFrame({"x0": pd.array([1, None, 3, 4, 5, 6], dtype="Int64")})),
        lambda: classify(pd.DataFrame({"x0": [1.0, np.nan, 3, 4, 5, 6]})),
    ),
    "nullable truth values": (
        lambda: classify(pd.DataFrame({"x0": pd.array([True, None] * 3, dtype="boolean")})),
        lambda: classify(pl.DataFrame({"x0": [True, None] * 3})),
    ),
    "all-int names are positions": (lambda: classify(pd.DataFrame(X, columns=[5, 7])), lambda: classify(X)),
    "floats like 1.0 and 2.0 as labels": (lambda: classify(X, Y + 1.0), lambda: classify(X, Y + 1)),
    "index that does not count from 0": (
        lambda: classify(pd.DataFrame(X, index=range(6, 12)), Y),
        lambda: classify(X),
    ),
    "same index on X and y": (
        lambda: classify(pd.DataFrame(X, index=range(6, 12)), pd.Series(Y, index=range(6, 12))),
        lambda: classify(X),
    ),
    "weights all one": (lambda: classify(X, sample_weight=np.ones(6)), lambda: classify(X)),
    "some weights zero": (
        lambda: classify(X, sample_weight=[1, 1, 1, 1, 0, 0]),
        lambda: classify(X[:4], Y[:4]),
    ),
    "two labels for a regressor": (lambda: regress(X, Y), lambda: regress(X, Y.astype(float))),
    "truth values for a regressor": (lambda: regress(X, Y > 0), lambda: regress(X, Y)),
    "decimals for a regressor": (lambda: regress(X, [Decimal(1)] * 6), lambda: regress(X, np.ones(6))),
    "categories of numbers for a regressor": (lambda: regress(X, pd.Categorical(Y)), lambda: regress(X, Y)),
    "dictionary with a null and a repeat": (
        lambda: classify(
            pa.table(
                {
                    "x0": pa.DictionaryArray.from_arrays(
                        pa.array([0, 1, 2, 0, 1, 2]), pa.array(["u", None, "u"])
                    )
                }
            )
        ),
        lambda: classify(pd.DataFrame({"x0": pd.Categorical(["u", None, "u"] * 2)})),
    ),
    "dictionary with a NaN": (
        lambda: classify(
            pa.table(
                {"x0": pa.DictionaryArray.from_arrays(pa.array([0, 1] * 3), pa.array([0.5, float("nan")]))}
            )
        ),
        lambda: classify(pd.DataFrame({"x0": pd.Categorical([0.5, None] * 3)})),
    ),
    "bytes are text": (lambda: classify([[b"a"], [b"b"]] * 3), lambda: classify([["a"], ["b"]] * 3)),
    "Arrow views of text": (
        lambda: classify(pa.table({"x0": pa.array(["a", "b"] * 3, pa.string_view())})),
        lambda: classify(pd.DataFrame({"x0": ["a", "b"] * 3})),
    ),
    "integers of 128 bits": (
        lambda: classify(pl.DataFrame({"x0": pl.Series([5, None, 2**40] * 2, dtype=pl.Int128)})),
        lambda: classify(pl.DataFrame({"x0": pl.Series([5, None, 2**40] * 2, dtype=pl.Int64)})),
    ),
    "a column of nothing": (
        lambda: classify(pl.DataFrame({"x0": [None] * 6})),
        lambda: classify(pa.table({"x0": pa.nulls(6)})),
    ),
}


@pytest.mark.parametrize("row", SAME)
def test_same(row: str) -> None:
    one, other = (make() for make in SAME[row])
    np.testing.assert_array_equal(one.numbers, other.numbers)
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.target, other.target)
    assert one.weight is None or one.weight.tolist() == [1.0] * len(one)
    assert [column.categories for column in one.schema.columns] == [
        column.categories for column in other.schema.columns
    ]
    if one.schema.classes is not None and other.schema.classes is not None:
        assert one.schema.classes.tolist() == other.schema.classes.tolist()


WARNED: dict[str, tuple[Callable[[], Any], str]] = {
    "y a column": (
        lambda: classify(X, Y[:, None]),
        "A column-vector y was passed when a 1d array was expected",
    ),
    "y a frame of one column": (lambda: classify(FRAME, pd.DataFrame(Y)), "A column-vector y was passed"),
    "longdouble that loses digits": (
        lambda: classify(X[:, :1].astype(np.longdouble) + np.longdouble(2) ** -60),
        "column 'x0' loses digits in float64",
    ),
    "numbers and text": (
        lambda: classify([[1], [2], ["n/a"], [3], [4], [5]]),
        "column 'x0' mixes text with other values and is taken as categorical: 'n/a' (1 row, first 2)",
    ),
    "identifier": (
        lambda: classify([[f"row {i}"] for i in range(60)], np.arange(60) % 2),
        "column 'x0' has 100 % distinct values; likely an identifier",
    ),
    "categories that differ in blanks": (
        lambda: classify([["red"], ["red "], ["blue"]] * 2),
        "column 'x0' has the categories 'red' and 'red ', which differ only in blanks or in Unicode form",
    ),
    "categories that differ in Unicode form": (
        lambda: classify([["é"], ["e\u0301"]] * 3),
        "differ only in blanks or in Unicode form",
    ),
    "array for a frame": (
        lambda: classify(FRAME[["age"]]).schema.encode(X[:, :1], estimator="TreeClassifier"),
        "X does not have valid feature names, but TreeClassifier was fitted with feature names",
    ),
    "rows for a frame": (
        lambda: classify(FRAME).schema.encode([[1, "Earth"]], estimator="TreeClassifier"),
        "X does not have valid feature names, but TreeClassifier was fitted with feature names",
    ),
    "frame for an array": (
        lambda: classify(X[:, :1]).schema.encode(FRAME[["age"]], estimator="TreeClassifier"),
        "X has feature names, but TreeClassifier was fitted without feature names",
    ),
    "indexes in another order": (
        lambda: classify(FRAME, pd.Series(Y, index=range(5, -1, -1))),
        "X and y have the same index in another order; rows are matched by position",
    ),
    "indexes of different rows": (
        lambda: classify(FRAME.set_index(np.arange(3, 9)), pd.Series(Y, index=range(6, 12))),
        "X and y have indexes of different rows; rows are matched by position",
    ),
}


@pytest.mark.parametrize("row", WARNED)
def test_warned(row: str) -> None:
    action, message = WARNED[row]
    (warning,) = record(action)
    assert message in warning


def test_a_column_vector_is_scikit_learns_warning() -> None:
    with pytest.warns(DataConversionWarning):
        classify(X, Y[:, None])


def test_longdouble_without_loss_is_silent() -> None:
    assert record(lambda: classify(X.astype(np.longdouble))) == []


def test_ordinary_text_is_silent() -> None:
    colours = [["red"], ["Red"], ["blue"]] * 20
    assert record(lambda: classify(colours, np.arange(60) % 2)) == []
    few = [[f"row {i}"] for i in range(50)]
    assert record(lambda: classify(few, np.arange(50) % 2)) == []
    numbers = np.arange(100.0).reshape(100, 1)
    assert record(lambda: classify(numbers, np.arange(100) % 2, categorical_features=[0])) == []


def test_numbers_and_text_are_kept_apart() -> None:
    with pytest.warns(UserWarning, match="mixes text"):
        dataset = classify([[1], ["1"], [2], ["a"], [1.0], [None]])
    assert dataset.schema.columns[0].categories == (1, 2, "1", "a")
    assert dataset.codes.ravel().tolist() == [0, 2, 1, 3, 0, -1]


def test_zero_has_no_sign() -> None:
    dataset = classify(np.array([[0.0], [-0.0]]), [0, 1], categorical_features=[0])
    assert dataset.codes.ravel().tolist() == [0, 0]


def test_text_dates_stay_text() -> None:
    assert classify([["2020-01-01"], ["2020-01-02"]], [0, 1]).schema.columns[0].kind == "categorical"


def test_a_million_levels() -> None:
    n = 1_000_000
    dataset = Dataset.from_table(np.arange(n)[:, None] * 3, categorical_features=[0])
    assert dataset.schema.n_categories.tolist() == [n]
    assert dataset.codes[-1, 0] == n - 1


def test_a_column_of_no_categories() -> None:
    dataset = classify(
        pd.DataFrame({"a": pd.Categorical([None] * 6), "b": pd.array([None] * 6, dtype="string")})
    )
    assert [column.kind for column in dataset.schema.columns] == ["categorical", "categorical"]
    assert dataset.codes.tolist() == [[-1, -1]] * 6
    assert dataset.schema.n_categories.tolist() == [1, 1]
    codes = dataset.schema.encode(pd.DataFrame({"a": [None], "b": [None]}))[1]
    assert codes.tolist() == [[-1, -1]]


def test_nothing_known_is_missing_in_any_column() -> None:
    schema = classify(FRAME.assign(day=pd.Timestamp("2020-01-01"))).schema
    for nothing in (None, np.nan, pd.NaT, pd.NA):
        numbers, codes = schema.encode(
            pd.DataFrame({"age": [nothing], "planet": [nothing], "day": [nothing]})
        )
        assert np.isnan(numbers).all()
        assert codes.tolist() == [[-1]]


@pytest.mark.parametrize(
    "name",
    [
        "größe",
        "שלום",
        "a\tb\n",
        "'; DROP TABLE x; --",
        "</script><img src=x>",
        "class",
        "a,b",
        '"',
        "",
        "n" * 10_000,
    ],
)
def test_any_text_is_a_name(name: str) -> None:
    for table in (pd.DataFrame({name: [1, 2]}), pl.DataFrame({name: [1, 2]}), pa.table({name: [1, 2]})):
        assert classify(table, [0, 1]).schema.names == (name,)


def test_names_without_names() -> None:
    assert classify(X).schema.names == ("x0", "x1")
    assert not classify(X).schema.named


def test_check_names_can_be_left_out() -> None:
    schema = classify(FRAME).schema
    assert record(lambda: schema.encode([[1, "Earth"]], check_names=False)) == []


def test_infinity_when_predicting() -> None:
    schema = classify(X).schema
    numbers, _ = schema.encode(np.array([[np.inf, -np.inf]]), inf="extreme")
    assert numbers.tolist() == [[np.finfo(float).max, -np.finfo(float).max]]


def test_a_warning_points_at_the_line_that_led_to_it() -> None:
    model = treewright.DecisionTreeClassifier().fit(FRAME[["age"]], Y)
    with pytest.warns(UserWarning, match="does not have valid feature names") as caught:
        model.predict(X[:, :1])
    assert [warning.filename for warning in caught] == [__file__]
