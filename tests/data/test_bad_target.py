"""Bad targets and weights get one clear sentence that names what is wrong and where."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from helpers.inputs import FRAME, Refused, X, Y, check_refused, classify, regress
from treewright.data import Dataset

REFUSED: dict[str, Refused] = {
    # Shape
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
        "y has 3 columns, and TreeClassifier takes one target: DecisionTree, RandomForest",
    ),
    "y a wide frame": (
        lambda: regress(FRAME, pl.DataFrame(X)),
        "y has 2 columns, and TreeRegressor takes one target",
    ),
    "y 3-D": (lambda: classify(X, np.zeros((6, 1, 1))), "y should be a 1d array"),
    "y ragged": (lambda: classify(X[:2], [[1], [1, 2]]), "y should be a 1d array"),
    # Numbers
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
    "complex y": (lambda: classify(X, Y.astype(complex)), "Complex data not supported"),
    "complex y in a regression": (lambda: regress(X, Y.astype(complex)), "Complex data not supported"),
    # Labels
    "labels of mixed types": (
        lambda: classify(X, ["a", "b", "a", "b", 1, "a"]),
        "y mixes str and int (row 4: 1)",
        TypeError,
    ),
    "labels of mixed types in an array": (
        lambda: classify(X, np.array([1, 1, "a", 2, 3, 4], dtype=object)),
        "y mixes int and str (row 2: 'a')",
        TypeError,
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
    "dates as labels": (lambda: classify(X, np.zeros(6, "datetime64[D]")), "Unknown label type", TypeError),
    "bytes as labels": (
        lambda: classify(X, np.array([b"a"] * 6)),
        "labels represented as bytes is not supported",
        TypeError,
    ),
    "text for a regressor": (
        lambda: regress(X, ["a"] * 6),
        "y holds text ('a', row 0): TreeRegressor needs numbers",
    ),
    "dates for a regressor": (lambda: regress(X, np.zeros(6, "datetime64[D]")), "y holds dates or durations"),
    "sparse y": (
        lambda: classify(X, scipy.sparse.csr_matrix(Y[:, None])),
        "sparse multilabel-indicator for y",
        TypeError,
    ),
    "dates as categories of labels": (
        lambda: classify(X, pd.Categorical(pd.to_datetime(["2020-01-01"] * 6))),
        "Unknown label type: y holds dates",
        TypeError,
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
        TypeError,
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
        TypeError,
    ),
    "weights 2-D": (
        lambda: classify(X, sample_weight=np.ones((6, 2))),
        "Sample weights must be 1D array or scalar, got shape (6, 2)",
    ),
    "weights of text": (
        lambda: classify(X, sample_weight=["a"] * 6),
        "sample_weight must hold one number for each row",
        TypeError,
    ),
    "weights beyond 1e30": (
        lambda: classify(X, sample_weight=[9e29, 9e29, 0, 0, 0, 0]),
        "the sum of sample_weight is beyond 1e+30: divide the weights by 9e+29",
    ),
    "weights below 1e-60": (
        lambda: classify(X, sample_weight=[1, 1, 1e-61, 0, 0, 5e-324]),
        "sample_weight is below 1e-60 and not 0 in 2 rows, first 2: give these rows the weight 0",
    ),
}


@pytest.mark.parametrize("row", REFUSED)
def test_refused(row: str) -> None:
    check_refused(*REFUSED[row])
