"""A schema knows its columns again: in JSON, in forgeries, and in tables of other types."""

from __future__ import annotations

import datetime
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data import Column, Dataset, Schema
from treewright.errors import DataError, ModelFileError
from treewright.persistence.schema import schema_from_dict, schema_to_dict

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
    st.integers(-(2**63), 2**64 - 1),
)
def test_a_schema_comes_back_from_json(categories: list[Any], classes: Any, offset: int) -> None:
    columns = (
        Column("number", offset=offset, unit="datetime64[ns]"),
        Column("named \n <b>", "categorical", tuple(categories)),
        Column("", "ordinal", tuple(categories)),
    )
    schema = Schema(columns, classes, True)
    back = schema_from_dict(json.loads(json.dumps(schema_to_dict(schema))))
    assert back == schema
    for column, twin in zip(schema.columns, back.columns, strict=True):
        assert [type(category) for category in column.categories] == [type(c) for c in twin.categories]
    if classes is not None:
        assert back.classes is not None
        assert back.classes.dtype == classes.dtype


def forged(**changes: Any) -> dict[str, Any]:
    """A valid schema with one part of it replaced."""
    content = schema_to_dict(
        Schema((Column("a"), Column("b", "categorical", ("x",))), np.array([0, 1]), True)
    )
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
        forged(columns__0__boolean=1),
        forged(columns__1__boolean=True),
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
        schema_from_dict(content)


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
