"""Labels keep their type and order, weights their meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from treewright.data import Dataset

NUMBERS = np.array([[0.0, 2.0, -1.0], [3.0, 0.0, 0.0], [0.0, 0.0, 5.0]])


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
