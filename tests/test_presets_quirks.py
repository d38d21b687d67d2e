"""Small cases in which rpart and J48 do what one would not expect; the answers are theirs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

SMALLEST = {"compat": "rpart", "min_samples_split": 2, "min_samples_leaf": 1, "cp": 0.0, "cv": None}


# rpart: ordered factors


def ordered(values: str) -> pd.Categorical:
    return pd.Categorical([None if value == "?" else value for value in values], list("abc"), ordered=True)


def test_a_level_on_the_cut_goes_right_in_fitting_and_left_in_predicting() -> None:
    """The level b is the middle of a and c, which the rows with a known x have."""
    X = pd.DataFrame({"x": [1.0, 2, 3, 7, 8, 9, np.nan, 5], "o": ordered("aaacacbc")})
    model = tw.CARTClassifier(**SMALLEST).fit(X, list("nnnyyyny"))
    assert model.tree_.count[:3].tolist() == [8, 3, 5]  # the row without x went right
    new = pd.DataFrame({"x": [np.nan] * 3, "o": ordered("abc")})
    assert model.predict(new).tolist() == ["n", "n", "y"]


# rpart: classes that tie under priors


@pytest.mark.parametrize(
    ("counts", "chosen"),
    [
        ((3, 5, 7), "a"),
        ((6, 7, 11), "a"),
        ((5, 5, 9), "c"),
        ((3, 7, 9, 11), "a"),
        ((11, 13, 3, 7, 9), "b"),
    ],
)
def test_of_classes_that_tie_under_priors_rounding_chooses(counts: tuple[int, ...], chosen: str) -> None:
    """The costs of the mistakes are summed class by class; all sums are equal but for their last bits."""
    y = np.repeat(list("abcde")[: len(counts)], counts)
    equal = [1 / len(counts)] * len(counts)
    model = tw.CARTClassifier(compat="rpart", priors=equal, cv=None).fit(np.ones((len(y), 1)), y)
    assert model.predict([[1.0]]).tolist() == [chosen]


# rpart: folds by number


@pytest.mark.parametrize(
    ("folds", "xerror", "xstd"),
    [
        ((1, 2), (1.0025532, 0.4051064), (0.1937970, 0.3032344)),
        ((2, 3), (0.4646809, 0.0306383), (0.1991135, 0.0145927)),
        ((1, 5), (0.4646809, 0.0306383), (0.1991135, 0.0145927)),
        ((1, 2, 9), (0.9640851, 0.3933806), (0.2710828, 0.3049329)),
    ],
)
def test_folds_are_held_out_up_to_their_number(folds: Any, xerror: Any, xstd: Any) -> None:
    """Of the folds 1 and 5 there are two, so rpart holds out the first and the second."""
    X, y = np.arange(8.0).reshape(-1, 1), [1, 1, 2, 2, 5, 5, 6, 6.5]
    model = tw.CARTRegressor(**SMALLEST | {"cp": 0.05, "cv": np.resize(folds, 8)}).fit(X, y)
    np.testing.assert_allclose(model.cp_table_["xerror"], xerror, rtol=1e-6)
    np.testing.assert_allclose(model.cp_table_["xstd"], xstd, rtol=1e-6)
    by_name = model.set_params(compat=None, cv=np.resize(list("abcde")[: len(folds)], 8)).fit(X, y)
    again = model.set_params(cv=np.resize(folds, 8)).fit(X, y)
    assert by_name.cp_table_["xerror"].tolist() == again.cp_table_["xerror"].tolist()
