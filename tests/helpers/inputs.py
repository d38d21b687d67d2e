"""A small table and target to spoil in many ways, and what the tests of odd and bad input do with them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.errors import DataError

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])
NAMES = ["age", "planet"]
FRAME: Any = pd.DataFrame({"age": [3.0, 5, 8, 9, 1, 2], "planet": ["Earth", "Venus"] * 3})

Refused = tuple[Callable[[], Any], str] | tuple[Callable[[], Any], str, type[TypeError]]
"""What is refused, words of the sentence that says so, and TypeError if it is about a wrong type."""


def classify(X: Any, y: Any = Y, **options: Any) -> Dataset:
    return Dataset.from_table(X, y, task="classification", estimator="TreeClassifier", **options)


def regress(X: Any, y: Any, **options: Any) -> Dataset:
    return Dataset.from_table(X, y, task="regression", estimator="TreeRegressor", **options)


def put(value: Any, *rows: int) -> NDArray[Any]:
    """The matrix with a value in some rows of its second column."""
    table = X.copy()
    table[list(rows), 1] = value
    return table


def record(action: Callable[[], Any]) -> list[str]:
    """Texts of the warnings that an action gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [str(warning.message) for warning in caught]


def check_refused(action: Callable[[], Any], message: str, kind: type[Exception] = ValueError) -> None:
    """See that an action is refused in these words, as a TypeError too if it is about a wrong type."""
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        action()
    assert isinstance(caught.value, TypeError) is (kind is TypeError)
