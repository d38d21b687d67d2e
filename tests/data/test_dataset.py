"""Tables of every kind become the same dataset, and input is left as it was."""

from __future__ import annotations

import datetime
import json
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
from scipy.sparse import csr_array

from treewright.data import Column, Dataset
from treewright.data.encoding import distinct
from treewright.errors import DataError
from treewright.persistence.schema import schema_from_dict, schema_to_dict

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
        assert schema_from_dict(json.loads(json.dumps(schema_to_dict(dataset.schema)))) == dataset.schema


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


@pytest.mark.parametrize("rows", [[0, 0, 1, 3, 3, 3], [3, 1, 3, 0], [2], []])
def test_rows_of_a_sparse_table_are_taken_as_often_as_they_are_named(rows: list[int]) -> None:
    table = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [-1.0, 2.0, 0.0]])
    sparse, dense = Dataset.from_table(csr_array(table)), Dataset.from_table(table)
    chosen = np.array(rows, np.int64)
    taken = sparse.take(chosen)
    assert taken.numbers.tolist() == dense.take(chosen).numbers.tolist()
    fresh = Dataset.from_table(csr_array(table[chosen])) if rows else taken
    assert taken.columns.row.tolist() == fresh.columns.row.tolist()
    assert taken.columns.value.tolist() == fresh.columns.value.tolist()
