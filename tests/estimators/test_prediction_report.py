"""What predict met: missing and unseen values are counted, and columns found by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright
from treewright.errors import DataError


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
    assert model.predict_proba(model.tree_.schema.arrange(make(columns))).tolist() == [[0, 1], [1, 0]]


def test_reordering_needs_the_names() -> None:
    with pytest.raises(DataError, match=r"X lacks features that were seen at fit time: 'age'\."):
        pets().predict(pd.DataFrame({"says": ["woof"]}), reorder=True)
    with pytest.raises(DataError, match="but X has no column names"):
        pets().predict([["woof", 3.0]], reorder=True)
    unnamed = treewright.DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match="the model was fitted without them"):
        unnamed.predict(pd.DataFrame({"x0": [1.0]}), reorder=True)
