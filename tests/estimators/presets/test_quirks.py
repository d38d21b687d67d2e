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


# rpart: event rates


@pytest.mark.parametrize(
    ("shrink", "rates", "cp"),
    [
        (
            None,
            (1.625, 0.5252525253, 2.496, 2.2674418605, 2.7659574468),
            (0.83013245127, 0.01848578775, 0.01),
        ),
        (0.5, (1.625, 0.7398373984, 2.3557046980), (0.7591484385, 0.01)),
        (0.0, (1.625, 0.4285714286, 2.5555555556, 2.3333333333, 3.0), (0.83966730547, 0.02218294797, 0.01)),
    ],
)
def test_event_rates_over_times_of_counting(shrink: float | None, rates: Any, cp: Any) -> None:
    X, time, events = np.arange(1.0, 9).reshape(-1, 1), [1, 2, 1, 3, 2, 4, 1, 2], [0, 1, 0, 2, 5, 9, 3, 6]
    limits = {"min_samples_leaf": 2, "max_depth": 2, "cp": 0.01}
    model = tw.CARTRegressor(criterion="poisson", **SMALLEST | limits, shrink=shrink)
    model.fit(X, np.column_stack([time, events]))
    np.testing.assert_allclose(model.tree_.node_value.ravel(), rates, rtol=1e-9)
    np.testing.assert_allclose(model.cp_table_["cp"], cp, rtol=1e-9)
    assert "events=26," in model.summary()


def test_cross_validated_event_rates_over_times_of_counting() -> None:
    X, y = np.arange(1.0, 9).reshape(-1, 1), [(1, 0), (2, 1), (1, 0), (3, 2), (2, 5), (4, 9), (1, 3), (2, 6)]
    limits = {"min_samples_leaf": 2, "max_depth": 2, "cp": 0.01, "cv": [1, 2] * 4}
    table = tw.CARTRegressor(criterion="poisson", **SMALLEST | limits).fit(X, y).cp_table_
    np.testing.assert_allclose(table["xerror"], [1.0006733177, 0.5878658814, 0.5878658814], rtol=1e-9)
    np.testing.assert_allclose(table["xstd"], [0.1730805987, 0.3325958680, 0.3325958680], rtol=1e-9)


def test_times_of_counting_are_above_zero() -> None:
    with pytest.raises(ValueError, match=r"the time of counting, must be above 0, .*: row 1 has 0"):
        tw.CARTRegressor(criterion="poisson").fit([[1.0], [2.0]], [(1, 0), (0, 2)])


# rpart and J48: rows without a target


def test_rows_without_a_target_are_left_out() -> None:
    nan = np.nan
    X, y = np.array([[1.0], [2], [3], [7], [8], [9], [6], [2]]), pd.Series([1, nan, 2, 5, nan, 6, 5, 1])
    folds = [1, 1, 2, 2, 1, 2, 1, 2]
    model = tw.CARTRegressor(**SMALLEST | {"cp": 0.01, "cv": folds}).fit(X, y)
    assert model.tree_.count.tolist() == [6, 3, 2, 1, 3, 2, 1]
    xerror = [1.04605263158, 0.09868421053, 0.07894736842, 0.07894736842]
    np.testing.assert_allclose(model.cp_table_["xerror"], xerror, rtol=1e-9)
    with pytest.raises(ValueError, match="Input y contains NaN: 2 rows, first 1"):
        tw.CARTRegressor().fit(X, y)


@pytest.mark.parametrize("weight", [None, np.ones(7), np.array([1.0, 1, 1, 0, 1, 1, 1])])
def test_j48_cuts_at_the_value_of_a_row_without_a_class(weight: Any) -> None:
    X, y = [[1.0], [2], [3], [4], [6], [7], [8]], ["a", "a", "a", None, "b", "b", "b"]
    model = tw.C45Classifier(compat="j48").fit(X, y, sample_weight=weight)
    cut = 4 if weight is None or weight[3] else 3
    assert model.text() == f"x0 <= {cut}: a (3.0)\nx0 > {cut}: b (3.0)"


def test_a_target_without_any_value_is_refused() -> None:
    for learner in (tw.C45Classifier(compat="j48"), tw.CARTClassifier(compat="rpart")):
        with pytest.raises(ValueError, match="y has no value in any of its 2 rows"):
            learner.fit([[1.0], [2.0]], [None, None])


# rpart: class shares under small weights


def test_a_class_that_weighs_less_than_a_row_counts_as_one() -> None:
    model = tw.CARTClassifier(compat="rpart", cv=None)
    model.fit(np.ones((4, 1)), list("abbc"), sample_weight=[0.25, 0.5, 1, 2])
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[0.01754385965, 0.4210526316, 0.5614035088]])
    book = model.set_params(compat=None).fit(np.ones((4, 1)), list("abbc"), sample_weight=[0.25, 0.5, 1, 2])
    np.testing.assert_allclose(book.predict_proba([[1.0]]), [[0.25 / 3.75, 1.5 / 3.75, 2 / 3.75]])


# rpart: every grouping of categories


def test_categories_of_too_many_groupings_are_refused_by_name() -> None:
    X = pd.DataFrame({"town": pd.Categorical([f"t{i}" for i in range(33)] * 4)})
    with pytest.raises(
        ValueError, match="column 'town' has 33 categories, of which rpart tries every grouping"
    ):
        tw.CARTClassifier(compat="rpart", cv=None).fit(X, np.arange(132) % 3)
    two = tw.CARTClassifier(compat="rpart", cv=None).fit(X, np.arange(132) % 2)
    assert two.n_features_in_ == 1
