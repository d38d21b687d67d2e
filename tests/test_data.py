"""Every kind of table gives the same dataset, and a dataset holds exactly what the table said."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from treewright.data import Column, Dataset, Schema
from treewright.data.encoding import distinct
from treewright.errors import DataError, ModelFileError

COLUMNS: dict[str, list[Any]] = {
    "age": [31.5, None, 18.0, 31.5],
    "rooms": [2, 3, None, 1],
    "city": ["Rome", None, "Oslo", "Rome"],
    "owner": [True, False, None, True],
    "since": [
        datetime.datetime(2020, 1, 2),
        datetime.datetime(2020, 1, 1, 12),
        None,
        datetime.datetime(2021, 5, 1),
    ],
    "day": [datetime.date(2020, 1, 2), None, datetime.date(1969, 12, 31), datetime.date(2021, 5, 1)],
    "stay": [datetime.timedelta(days=2), datetime.timedelta(hours=1), None, datetime.timedelta(0)],
}
ROWS = [list(row) for row in zip(*COLUMNS.values(), strict=True)]

TABLES: dict[str, Any] = {
    "rows": ROWS,
    "tuples": [tuple(row) for row in ROWS],
    "object array": np.array(ROWS, dtype=object),
    "masked array": np.ma.MaskedArray(ROWS, mask=[[value is None for value in row] for row in ROWS]),
    "pandas": pd.DataFrame(COLUMNS),
    "pandas objects": pd.DataFrame(COLUMNS, dtype=object),
    "pandas nullable": pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas arrow": pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame(COLUMNS),
    "polars lazy": pl.LazyFrame(COLUMNS),
    "arrow": pa.table(COLUMNS),
    "arrow in chunks": pa.concat_tables([pa.table(COLUMNS).slice(0, 1), pa.table(COLUMNS).slice(1)]),
    "arrow batch": pa.RecordBatch.from_pydict(COLUMNS),
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_gives_the_same_dataset(kind: str) -> None:
    dataset = Dataset.from_table(TABLES[kind])
    days, hours = 86_400, 3_600
    # Moments count from the first of them: 1 May 2021 is 485.5 days after noon of 1 January 2020 and 18,749
    # days after the eve of 1970.
    expected = [
        [31.5, 2, days / 2, 18_264, 2 * days],
        [np.nan, 3, 0, np.nan, hours],
        [18, np.nan, np.nan, 0, np.nan],
        [31.5, 1, 485.5 * days, 18_749, 0],
    ]
    np.testing.assert_array_equal(dataset.numbers, np.array(expected, dtype=float))
    assert dataset.codes.tolist() == [[1, 1], [-1, 0], [0, -1], [1, 1]]
    columns = dataset.schema.columns
    assert [column.kind for column in columns] == ["numeric"] * 2 + ["categorical"] * 2 + ["numeric"] * 3
    assert columns[2].categories == ("Oslo", "Rome")
    assert columns[3].categories == (False, True)
    assert [column.unit for column in columns[4:]] == ["datetime64[s]", "datetime64[D]", "timedelta64[s]"]
    assert dataset.schema.named is not kind.endswith(("rows", "tuples", "array"))
    assert dataset.numbers.flags.f_contiguous
    assert dataset.codes.flags.f_contiguous


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("other", ["rows", "pandas", "polars", "arrow"])
def test_a_table_is_encoded_as_at_fit_whatever_its_kind(kind: str, other: str) -> None:
    dataset = Dataset.from_table(TABLES[kind])
    numbers, codes = dataset.schema.encode(TABLES[other], check_names=False)
    np.testing.assert_array_equal(numbers, dataset.numbers)
    np.testing.assert_array_equal(codes, dataset.codes)


NUMBERS = np.array([[0.0, 2.0, -1.0], [3.0, 0.0, 0.0], [0.0, 0.0, 5.0]])


@pytest.mark.parametrize(
    "make",
    [
        lambda X: X.tolist(),
        lambda X: X.astype(int),
        lambda X: X.astype(np.int8),
        lambda X: X.astype(np.float16),
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.longdouble),
        lambda X: X.astype(">f8"),
        lambda X: X.astype(">i4"),
        lambda X: X.astype(object),
        np.asfortranarray,
        lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        lambda X: X[::-1][::-1],
        np.ma.MaskedArray,
        pd.DataFrame,
        lambda X: pd.DataFrame(X).astype("Int16"),
        lambda X: pd.DataFrame(X).astype(pd.SparseDtype(float, 0.0)),
        lambda X: pl.DataFrame(X.astype(np.int16)),
        lambda X: pa.table([pa.array(column) for column in X.T.astype(np.float32)], names=["x0", "x1", "x2"]),
        scipy.sparse.csr_matrix,
        scipy.sparse.csc_array,
        lambda X: scipy.sparse.coo_array(X.astype(np.int64)),
        scipy.sparse.lil_matrix,
    ],
)
def test_numbers_are_the_same_in_any_table(make: Any) -> None:
    table = make(NUMBERS)
    dataset = Dataset.from_table(table)
    np.testing.assert_array_equal(dataset.numbers, NUMBERS)
    assert dataset.numbers.dtype == np.float64
    assert dataset.numbers.flags.f_contiguous
    assert dataset.codes.shape == (3, 0)
    np.testing.assert_array_equal(dataset.schema.encode(table)[0], NUMBERS)


def test_input_is_not_changed_and_a_column_matrix_is_not_copied() -> None:
    X = np.asfortranarray(NUMBERS)
    assert Dataset.from_table(X).numbers is X
    schema = Dataset.from_table(X).schema
    assert schema.encode(X)[0] is X
    read_only = NUMBERS.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(Dataset.from_table(read_only, inf="extreme").numbers, NUMBERS)


def test_unaligned_and_mapped_arrays(tmp_path: Any) -> None:
    packed = np.zeros(3, dtype=[("pad", "u1"), ("x", "f8", 3)])
    packed["x"] = NUMBERS
    np.testing.assert_array_equal(Dataset.from_table(packed["x"]).numbers, NUMBERS)
    np.testing.assert_array_equal(Dataset.from_table(packed["x"]).schema.encode(packed["x"])[0], NUMBERS)
    mapped = np.memmap(tmp_path / "x.bin", dtype=float, mode="w+", shape=(3, 3))
    mapped[:] = NUMBERS
    dataset = Dataset.from_table(mapped)
    np.testing.assert_array_equal(dataset.numbers, NUMBERS)
    np.testing.assert_array_equal(dataset.schema.encode(mapped)[0], NUMBERS)


def test_a_sparse_matrix_stays_as_it_was() -> None:
    twice = scipy.sparse.csc_matrix(([1.0, 2.0, 5.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    stored = twice.nnz
    np.testing.assert_array_equal(Dataset.from_table(twice).numbers, [[3, 0], [0, 5]])
    assert twice.nnz == stored


def test_categories_keep_the_order_of_their_type() -> None:
    sizes, values = ["small", "mid", "large", "huge"], ["large", "small", None, "large"]
    for column in (
        pd.Series(pd.Categorical(values, categories=sizes)),
        pl.Series(values, dtype=pl.Enum(sizes)),
        pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 2]), sizes),
    ):
        frame = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(column), pa.table)
        table = frame({"size": column})
        dataset = Dataset.from_table(table)
        # An unused category is a value of the domain all the same.
        assert dataset.schema.columns[0] == Column("size", "categorical", tuple(sizes))
        assert dataset.codes.ravel().tolist() == [2, 0, -1, 2]
        ordinal = Dataset.from_table(table, ordinal_features=["size"])
        assert ordinal.schema.columns[0] == Column("size", "ordinal", tuple(sizes))
        np.testing.assert_array_equal(ordinal.numbers.ravel(), [2, 0, np.nan, 2])


def test_ordered_pandas_categories_are_ordinal() -> None:
    ages = pd.DataFrame({"age": pd.cut([1, 30, 70], [0, 18, 65, 99])})
    dataset = Dataset.from_table(ages)
    assert dataset.schema.columns[0] == Column("age", "ordinal", ("(0, 18]", "(18, 65]", "(65, 99]"))
    assert dataset.numbers.ravel().tolist() == [0, 1, 2]
    assert dataset.schema.columns[0].text(0.5) == "(0, 18]"
    assert Dataset.from_table(ages, categorical_features=["age"]).schema.columns[0].kind == "categorical"


def test_ordinal_features_may_give_the_order() -> None:
    table = pl.DataFrame({"grade": ["b", "a", None], "size": ["L", "S", "M"]})
    dataset = Dataset.from_table(table, ordinal_features={"size": ["S", "M", "L"], 0: ["b", "a"]})
    np.testing.assert_array_equal(dataset.numbers, [[0, 2], [1, 0], [np.nan, 1]])
    numbers, _ = dataset.schema.encode(pl.DataFrame({"grade": ["c"], "size": ["M"]}))
    np.testing.assert_array_equal(numbers, [[np.nan, 1]])


@pytest.mark.parametrize("chosen", [["a", "c"], [0, 2], np.array([0, 2]), [True, False, True], ["a", 2]])
def test_features_are_chosen_by_name_index_or_mask(chosen: Any) -> None:
    table = pd.DataFrame({"a": [3, 1, 3], "b": [0, 1, 2], "c": [0.5, np.nan, -1]})
    dataset = Dataset.from_table(table, categorical_features=chosen)
    assert [column.kind for column in dataset.schema.columns] == ["categorical", "numeric", "categorical"]
    assert dataset.schema.position.tolist() == [0, 0, 1]
    assert dataset.schema.n_categories.tolist() == [2, 0, 2]
    assert dataset.codes.tolist() == [[1, 1], [0, -1], [1, 0]]
    assert dataset.schema.columns[0].categories == (1, 3)


def test_from_dtype_adds_nothing() -> None:
    assert Dataset.from_table(NUMBERS, categorical_features="from_dtype").schema.columns[0].kind == "numeric"


@given(
    arrays(
        st.sampled_from([np.int8, np.int64, np.uint64, np.float64, np.float32]),
        st.integers(1, 30),
        elements=st.integers(0, 127),
    ),
    st.sampled_from([0, 1, 2**40, 2**62]),
)
def test_distinct_values_are_those_of_numpy(values: Any, shift: int) -> None:
    if values.dtype.itemsize == 8:
        values = values + values.dtype.type(shift)
    elif values.dtype == np.int8 and len(values) > 1:
        values[0] = -128
    expected, inverse = np.unique(values, return_inverse=True)
    found, codes = distinct(values)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(codes, inverse)
    assert found.dtype == values.dtype


ANYTHING: list[st.SearchStrategy[Any]] = [
    st.none(),
    st.just(pd.NA),
    st.just(pd.NaT),
    st.booleans(),
    st.integers(),
    st.integers(0, 3),
    st.floats(),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.dates(),
    st.times(),
    st.datetimes(),
    st.datetimes(timezones=st.sampled_from([datetime.UTC, datetime.timezone(datetime.timedelta(hours=1))])),
    st.timedeltas(),
    st.lists(st.integers(), max_size=2),
]
KINDS_OF_COLUMN = st.lists(st.sampled_from(ANYTHING), min_size=1, max_size=2).map(st.one_of)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(st.data(), st.sampled_from(["classification", "regression", None]))
def test_anything_is_a_dataset_or_a_clear_error(data: Any, task: Any) -> None:
    n_rows = data.draw(st.integers(1, 5))
    columns = [
        data.draw(st.lists(data.draw(KINDS_OF_COLUMN), min_size=n_rows, max_size=n_rows)) for _ in range(3)
    ]
    y = columns.pop()
    rows = [list(row) for row in zip(*columns, strict=True)]
    objects = np.empty((n_rows, 2), dtype=object)
    objects[:] = [[value if not isinstance(value, list) else tuple(value) for value in row] for row in rows]
    for table in (rows, objects, pd.DataFrame(objects, dtype=object)):
        try:
            dataset = Dataset.from_table(table, y, task=task)
        except DataError:
            continue
        numbers, codes = dataset.schema.encode(table, unseen="error")
        np.testing.assert_array_equal(numbers, dataset.numbers)
        np.testing.assert_array_equal(codes, dataset.codes)
        for feature, column in enumerate(dataset.schema.columns):
            stored = codes if column.kind == "categorical" else numbers
            for value in stored[:, dataset.schema.position[feature]]:
                assert dataset.schema.columns[feature].text(value) or "" in column.categories
        assert Schema.from_dict(json.loads(json.dumps(dataset.schema.to_dict()))) == dataset.schema


def test_labels_of_classes() -> None:
    def classes_of(y: Any) -> tuple[list[Any], list[int]]:
        dataset = Dataset.from_table(np.zeros((len(y), 1)), y, task="classification")
        assert dataset.schema.classes is not None
        assert dataset.target is not None
        assert dataset.target.dtype == np.int32
        return dataset.schema.classes.tolist(), dataset.target.tolist()

    assert classes_of(["b", "a", "b"]) == (["a", "b"], [1, 0, 1])
    assert classes_of(np.array([7, 3, 7])) == ([3, 7], [1, 0, 1])
    assert classes_of(np.array([0, 1, 2])) == ([0, 1, 2], [0, 1, 2])
    assert classes_of(np.array([-5, 10**12])) == ([-5, 10**12], [0, 1])
    assert classes_of(np.array([2**64 - 1, 0], dtype=np.uint64)) == ([0, 2**64 - 1], [1, 0])
    assert classes_of([2.0, 1.0]) == ([1.0, 2.0], [1, 0])
    assert classes_of(np.array([1, 0], dtype=object)) == ([0, 1], [1, 0])
    assert classes_of([True, False]) == ([False, True], [1, 0])
    assert classes_of(np.array([2, 1], dtype=np.longdouble)) == ([1.0, 2.0], [1, 0])
    assert classes_of(pd.Categorical([2, 1], [2, 1])) == ([2, 1], [0, 1])
    assert classes_of(pd.Series(["b", "a"])) == (["a", "b"], [1, 0])
    assert classes_of(pl.Series(["b", "a"])) == (["a", "b"], [1, 0])
    assert classes_of(pa.chunked_array([["b"], ["a"]])) == (["a", "b"], [1, 0])
    # A categorical target keeps its own order, without what does not occur.
    ranks = ["low", "mid", "high"]
    assert classes_of(pd.Series(pd.Categorical(["high", "low"], ranks))) == (["low", "high"], [1, 0])
    assert classes_of(pl.Series(["high", "low"], dtype=pl.Enum(ranks))) == (["low", "high"], [1, 0])


def test_labels_keep_their_type() -> None:
    for y in (
        np.array([1, 2], dtype=np.int8),
        np.array([True, False]),
        np.array([1.0, 2.0], dtype=np.float32),
    ):
        dataset = Dataset.from_table(np.zeros((2, 1)), y, task="classification")
        assert dataset.schema.classes is not None
        assert dataset.schema.classes.dtype == y.dtype


def test_rows_of_weight_zero_teach_nothing_but_their_labels() -> None:
    table = pd.DataFrame(
        {"n": [np.inf, 1.0, 2.0], "t": ["z", "b", "a"], "d": pd.to_datetime(["1900", "2000", "2001"])}
    )
    dataset = Dataset.from_table(table, ["x", "y", "y"], task="classification", sample_weight=[0, 1, 2])
    alone = Dataset.from_table(table[1:], ["y", "y"], task="classification", sample_weight=[1, 2])
    assert dataset.schema.columns == alone.schema.columns
    np.testing.assert_array_equal(dataset.numbers, alone.numbers)
    np.testing.assert_array_equal(dataset.codes, alone.codes)
    np.testing.assert_array_equal(dataset.weight, [1, 2])
    assert dataset.schema.classes is not None
    assert dataset.schema.classes.tolist() == ["x", "y"]
    assert dataset.target is not None
    assert dataset.target.tolist() == [1, 1]
    plain = Dataset.from_table(NUMBERS, sample_weight=[1, 0, 1])
    np.testing.assert_array_equal(plain.numbers, NUMBERS[[0, 2]])


def test_equal_weights_of_one_are_none() -> None:
    assert Dataset.from_table(NUMBERS, sample_weight=[1, 1, 1]).weight is None
    weight = Dataset.from_table(NUMBERS, sample_weight=2).weight
    assert weight is not None
    assert weight.tolist() == [2, 2, 2]


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


CATEGORIES = st.one_of(
    st.text(max_size=5),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.builds(np.datetime64, st.integers(-(2**40), 2**40), st.sampled_from(["D", "s", "ns"])),
    st.builds(np.timedelta64, st.integers(-(2**40), 2**40), st.sampled_from(["D", "s", "ns"])),
)


@given(
    st.lists(CATEGORIES, max_size=6, unique=True),
    st.sampled_from(
        [
            None,
            np.array([False, True]),
            np.array([3, 5], dtype=np.uint8),
            np.array([-(2**63), 2**62]),
            np.array([1.0, 2.0], dtype=np.float32),
            np.array(["a", "größer"]),
            np.array(["a", ""], dtype=object),
        ]
    ),
    st.integers(),
)
def test_a_schema_comes_back_from_json(categories: list[Any], classes: Any, offset: int) -> None:
    columns = (
        Column("number", offset=offset, unit="datetime64[ns]"),
        Column("named \n <b>", "categorical", tuple(categories)),
        Column("", "ordinal", tuple(categories)),
    )
    schema = Schema(columns, classes, True)
    back = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert back == schema
    for column, twin in zip(schema.columns, back.columns, strict=True):
        assert [type(category) for category in column.categories] == [type(c) for c in twin.categories]
    if classes is not None:
        assert back.classes is not None
        assert back.classes.dtype == classes.dtype


def forged(**changes: Any) -> dict[str, Any]:
    """A valid schema with one part of it replaced."""
    content = Schema((Column("a"), Column("b", "categorical", ("x",))), np.array([0, 1]), True).to_dict()
    for path, value in changes.items():
        where: Any = content
        *parents, last = [int(part) if part.isdigit() else part for part in path.split("__")]
        for part in parents:
            where = where[part]
        where[last] = value
    return content


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {},
        forged(extra=1),
        forged(named=1),
        forged(columns=[]),
        forged(columns={}),
        forged(columns__0=None),
        forged(columns__0__name=3),
        forged(columns__0__name="b"),
        forged(columns__0__name="n" * 10_001),
        forged(columns__0__kind="object"),
        forged(columns__0__kind=[]),
        forged(columns__0__categories=["x"]),
        forged(columns__0__unit="datetime64[Y]"),
        forged(columns__0__unit="object"),
        forged(columns__0__unit=["datetime64[s]"]),
        forged(columns__0__offset=1.5),
        forged(columns__0__offset=True),
        forged(columns__1__offset=1),
        forged(columns__1__categories="x"),
        forged(columns__1__categories=["x", "x"]),
        forged(columns__1__categories=[1, True]),
        forged(columns__1__categories=[None]),
        forged(columns__1__categories=[[1]]),
        forged(columns__1__categories=[float("nan")]),
        forged(columns__1__categories=[{"datetime64[D]": 2**63}]),
        forged(columns__1__categories=[{"datetime64[D]": 1.0}]),
        forged(columns__1__categories=[{"os.system": 1}]),
        forged(columns__1__categories=[{"datetime64[D]": 1, "datetime64[s]": 1}]),
        forged(classes=[]),
        forged(classes__type="complex128"),
        forged(classes__type=["int64"]),
        forged(classes__values=[]),
        forged(classes__values=[0, 0]),
        forged(classes__values=[0, 1.0]),
        forged(classes__values=[0, "1"]),
        forged(classes__values=[0, 2**63]),
        forged(classes={"type": "int8", "values": [300]}),
        forged(classes={"type": "float64", "values": [float("nan")]}),
        forged(classes={"type": "float64", "values": [float("inf")]}),
        forged(classes={"type": "float32", "values": [0.1]}),
        forged(classes={"type": "str", "values": ["a\0"]}),
        forged(classes={"type": "object", "values": [None]}),
    ],
)
def test_a_forged_schema_is_refused(content: Any) -> None:
    with pytest.raises(ModelFileError):
        Schema.from_dict(content)


def test_schemas_are_equal_by_value() -> None:
    one, two = (Schema((Column("a"),), np.array(["x", "y"])) for _ in range(2))
    assert one == two
    assert one != Schema((Column("b"),), np.array(["x", "y"]))
    assert one != Schema((Column("a"),), np.array(["x", "z"]))
    assert one != Schema((Column("a"),), None)
    assert one != "a"
    with pytest.raises(TypeError):
        hash(one)


def test_unseen_categories() -> None:
    schema = Dataset.from_table([["Earth"], ["Venus"]]).schema
    table = [["Earth"], ["Mars"], [None], ["Mars"]]
    assert schema.encode(table)[1].ravel().tolist() == [0, -1, -1, -1]
    assert schema.encode(table, unseen="majority")[1].ravel().tolist() == [0, -2, -1, -2]
    with pytest.raises(DataError, match=r"unseen value 'Mars' in column 'x0' \(2 rows, first 1\)"):
        schema.encode(table, unseen="error")


def test_categories_are_met_again_in_other_types() -> None:
    schema = Dataset.from_table(np.array([[3.0], [7.0]]), categorical_features=[0]).schema
    assert schema.encode(np.array([[7], [3], [5]]))[1].ravel().tolist() == [1, 0, -1]
    assert schema.encode(pd.DataFrame([[7]], dtype="Int8"))[1].ravel().tolist() == [1]
    flags = Dataset.from_table(pd.DataFrame({"x": [True, False]})).schema
    assert flags.encode(np.array([[1.0], [0.0]]), check_names=False)[1].ravel().tolist() == [1, 0]
    days = Dataset.from_table(
        np.array([["2020-01-01"]], dtype="datetime64[ns]"), categorical_features=[0]
    ).schema
    assert days.encode([[datetime.date(2020, 1, 1)]])[1].ravel().tolist() == [0]


def test_numbers_are_met_again_as_categories_of_numbers() -> None:
    schema = Dataset.from_table(np.array([[3.0], [7.0]])).schema
    table = pd.DataFrame({0: pd.Categorical([7, None])})
    np.testing.assert_array_equal(schema.encode(table)[0], [[7], [np.nan]])


def test_take_gives_rows_of_every_part() -> None:
    dataset = Dataset.from_table(
        [[1.0, "a", 4, "c"], [2.0, "b", 5, "d"], [3.0, "a", 6, "d"]],
        [5, 6, 7],
        task="regression",
        sample_weight=[1, 2, 3],
    )
    for rows in (np.array([2, 0]), np.array([True, False, True])):
        taken = dataset.take(rows)
        assert len(taken) == 2
        np.testing.assert_array_equal(taken.numbers, dataset.numbers[rows])
        np.testing.assert_array_equal(taken.codes, dataset.codes[rows])
        np.testing.assert_array_equal(taken.target, np.array([5, 6, 7])[rows])
        np.testing.assert_array_equal(taken.weight, np.array([1, 2, 3])[rows])
        assert taken.schema is dataset.schema
        assert taken.numbers.flags.f_contiguous
        assert taken.codes.flags.f_contiguous
