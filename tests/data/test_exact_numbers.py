"""Whole numbers, decimals and moments stay exact however large or fine, and are written as they were."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data import Column, Dataset, Schema


@pytest.mark.parametrize(
    "values",
    [
        [2**53, 2**53 + 1, 2**53 + 2],
        [-(2**63), -(2**63) + 1, -(2**63) + 9],
        [2**64 - 1, 2**64 - 2, 2**64 - 9],
        [10**30, 10**30 + 2**80, 10**31],
    ],
)
def test_large_whole_numbers_stay_apart(values: list[int]) -> None:
    dataset = Dataset.from_table([[value] for value in values])
    stored = dataset.numbers.ravel().tolist()
    assert sorted(range(3), key=stored.__getitem__) == sorted(range(3), key=values.__getitem__)
    assert len(set(stored)) == 3
    if max(values) < 2**64:
        offset = dataset.schema.columns[0].offset
        assert [offset + int(number) for number in stored] == values
        assert [dataset.schema.columns[0].text(number) for number in stored] == list(map(str, values))
    numbers, _ = dataset.schema.encode([[value] for value in values])
    assert numbers.ravel().tolist() == stored


def test_whole_numbers_are_encoded_exactly_in_other_types() -> None:
    schema = Dataset.from_table(np.array([[2**62], [2**62 + 3]])).schema
    assert schema.encode(np.array([[float(2**62)], [0.5]]))[0].tolist() == [[0.0], [float(0.5 - 2**62)]]
    assert schema.encode(np.array([[-(2**63)]]))[0].tolist() == [[float(-(2**63) - 2**62)]]
    nullable = pd.DataFrame({"x0": pd.array([2**62 + 1, None], dtype="Int64")})
    np.testing.assert_array_equal(schema.encode(nullable, check_names=False)[0], [[1], [np.nan]])


def test_exact_numbers_become_floats() -> None:
    table = [[Decimal("0.1"), Fraction(1, 3)], [Decimal("NaN"), 2]]
    np.testing.assert_array_equal(Dataset.from_table(table).numbers, [[0.1, 1 / 3], [np.nan, 2]])


def test_moments_are_stored_in_the_coarsest_exact_unit() -> None:
    moments = pd.to_datetime(["2020-01-01", "1800-06-01"])
    for unit in ("s", "ms", "us", "ns"):
        schema = Dataset.from_table(pd.DataFrame({"t": moments.as_unit(unit)})).schema
        assert schema.columns[0].unit == "datetime64[D]"
        assert schema.columns[0].text(0) == "1800-06-01"
    years = Dataset.from_table(np.array([["2020"], ["2021"]], dtype="datetime64[Y]"))
    assert years.numbers.ravel().tolist() == [0, 366]
    fine = Dataset.from_table(np.array([["2020-01-01T00:00:00.5"], ["2020-01-01"]], dtype="datetime64[ns]"))
    assert fine.schema.columns[0].unit == "datetime64[ms]"


def test_finer_moments_are_compared_exactly() -> None:
    schema = Dataset.from_table(np.array([["2020-01-01"], ["2020-01-03"]], dtype="datetime64[D]")).schema
    later = np.array([["2020-01-02T12:00:00"], ["NaT"], ["2019-12-31T18:00"]], dtype="datetime64[ns]")
    np.testing.assert_array_equal(schema.encode(later)[0], [[1.5], [np.nan], [-0.25]])
    far = np.array([["9999-12-31"], ["-9999-01-01"]], dtype="datetime64[D]")
    seconds = Dataset.from_table(np.array([["2020-01-01T00:00:01"]], dtype="datetime64[ns]")).schema
    assert np.sign(seconds.encode(far)[0]).ravel().tolist() == [1, -1]


def test_zones_are_kept_in_utc() -> None:
    paris = pd.DataFrame({"t": pd.to_datetime(["2020-07-01 02:00"]).tz_localize("Europe/Paris")})
    for table in (paris, pl.from_pandas(paris), pa.Table.from_pandas(paris, preserve_index=False)):
        schema = Dataset.from_table(table).schema
        assert schema.columns[0].text(0) == "2020-07-01"


def test_periods_and_times_of_day() -> None:
    months = Dataset.from_table(pd.DataFrame({"m": pd.period_range("2020-01", periods=2, freq="M")}))
    assert months.numbers.ravel().tolist() == [0, 31]
    assert months.schema.columns[0].text(31) == "2020-02-01"
    clock = [datetime.time(9, 30), None, datetime.time(9, 30, 1)]
    tables = [pd.DataFrame({"t": clock}), pl.DataFrame({"t": clock}), pa.table({"t": clock})]
    for table in tables:
        dataset = Dataset.from_table(table)
        np.testing.assert_array_equal(dataset.numbers.ravel(), [0, np.nan, 1])
        assert dataset.schema.columns[0].text(0.5) == "09:30:00.5"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_as_they_are(number: float) -> None:
    text = Column("x").text(number)
    assert float(text) == number
    assert len(text) <= len(repr(number))


@given(st.integers(-(2**70), 2**70), st.integers(-(2**53), 2**53), st.integers(0, 1))
def test_an_offset_is_added_exactly(offset: int, number: int, half: int) -> None:
    stored = float(number) + 0.5 * half
    if Fraction(stored) != Fraction(number) + Fraction(half, 2):
        return
    assert Fraction(Column("x", offset=offset).text(stored)) == offset + Fraction(stored)


@given(st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 1, 1)))
def test_moments_are_written_as_iso_dates(moment: datetime.datetime) -> None:
    schema = Dataset.from_table(np.array([[moment]], dtype="datetime64[us]")).schema
    assert datetime.datetime.fromisoformat(schema.columns[0].text(0.0)) == moment


def test_words_of_what_is_not_a_value() -> None:
    schema = Schema((Column("x"), Column("c", "categorical", ("a", 2, 2.5)), Column("o", "ordinal", (1, 5))))
    assert schema.columns[0].text(np.nan) == "missing"
    assert [schema.columns[1].text(code) for code in (-1, -2, 0, 1, 2)] == [
        "missing",
        "unseen",
        "a",
        "2",
        "2.5",
    ]
    assert [schema.columns[2].text(cut) for cut in (0.5, 1.0, np.nan)] == ["1", "5", "missing"]
