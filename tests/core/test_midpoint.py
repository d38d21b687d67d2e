"""A cut keeps any two numbers apart, and stands halfway between them if a number does."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import treewright as tw

LARGEST = float(np.finfo(float).max)
SMALLEST = 5e-324
NORMAL = float(np.finfo(float).tiny)

HARD = [
    (np.nextafter(LARGEST, 0), LARGEST),
    (-LARGEST, np.nextafter(-LARGEST, 0)),
    (-LARGEST, LARGEST),
    (np.nextafter(-LARGEST, 0), LARGEST),
    (LARGEST / 2, LARGEST),
    (0.0, SMALLEST),
    (-SMALLEST, 0.0),
    (-SMALLEST, SMALLEST),
    (SMALLEST, 2 * SMALLEST),
    (SMALLEST, 4 * SMALLEST),
    (3 * SMALLEST, NORMAL),
    (np.nextafter(NORMAL, 0), NORMAL),
    (-3 * SMALLEST, LARGEST),
    (1.0, np.nextafter(1.0, 2.0)),
    (np.nextafter(1.0, 2.0), np.nextafter(np.nextafter(1.0, 2.0), 2.0)),
    (-np.nextafter(1.0, 2.0), -1.0),
    (0.1, 0.2),
    (1.0, 2.0),
]

DRAW = np.random.default_rng(0)


def pairs(n: int) -> NDArray[np.float64]:
    """Draw two numbers a row, the lower first: any, of like size, neighbours, tiny, and of few digits."""
    bits = DRAW.integers(0, 2**64, (n, 2), np.uint64)
    anything = bits.view(np.float64)
    anything = anything[np.isfinite(anything).all(axis=1)]
    first = anything[:, 0]
    with np.errstate(over="ignore"):
        alike = np.column_stack([first, first * DRAW.uniform(0.9, 1.1, len(first))])
        beside = np.column_stack([first, np.nextafter(first, DRAW.choice([-np.inf, np.inf], len(first)))])
    subnormal = (bits % np.uint64(2**53)).view(np.float64)
    decimals = np.round(DRAW.normal(0, 100, (n, 2)), 2)
    drawn = np.sort(np.concatenate([anything, alike, beside, subnormal, decimals]), axis=1)
    return drawn[np.isfinite(drawn).all(axis=1) & (drawn[:, 0] < drawn[:, 1])]


def thresholds(
    learner: Any, of: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Give the thresholds of features of two values: the split and its competitors name them all."""
    for begin in range(0, len(of), 500):
        some = of[begin : begin + 500]
        model = learner(max_competitors=len(some)).fit(some.T, [0, 1])
        feature = np.concatenate([model.tree_.splits.feature[:1], model.tree_.competitors.feature])
        assert sorted(feature) == list(range(len(some)))
        yield (
            some[feature],
            np.concatenate([model.tree_.splits.threshold[:1], model.tree_.competitors.threshold]),
        )


def tree(**parameters: Any) -> Any:
    return tw.DecisionTreeClassifier(**parameters)


def c45(**parameters: Any) -> Any:
    return tw.C45Classifier(min_samples_leaf=1, cut="midpoint", pruner=None, collapse=False, **parameters)


def j48(**parameters: Any) -> Any:
    return c45(compat="j48", **parameters)


def cart(**parameters: Any) -> Any:
    return tw.CARTClassifier(
        min_samples_split=2, min_samples_leaf=1, cv=None, cp=0, max_surrogates=0, **parameters
    )


def rpart(**parameters: Any) -> Any:
    return cart(compat="rpart", **parameters)


@pytest.mark.parametrize("learner", [tree, c45, cart, rpart])
def test_cuts_are_correctly_rounded_midpoints_that_keep_their_values_apart(learner: Any) -> None:
    drawn = np.concatenate([HARD, DRAW.permutation(pairs(200))[:482]])
    for both, threshold in thresholds(learner, drawn):
        for (low, high), found in zip(both.tolist(), threshold.tolist(), strict=True):
            middle = float((Fraction(low) + Fraction(high)) / 2)
            if learner is rpart:  # its test is x < cut
                expected = float(np.nextafter(middle if low < middle else high, -np.inf))
            else:
                expected = middle if middle < high else low
            assert (low, high, found) == (low, high, expected)
            assert low <= found < high


def test_sums_that_do_not_overflow_are_halved() -> None:
    drawn = pairs(40_000)
    for both, threshold in thresholds(tree, drawn):
        low, high = both.T
        with np.errstate(over="ignore"):
            middle = (low + high) / 2
        plain = np.isfinite(middle)
        assert np.array_equal(threshold[plain], np.where(middle < high, middle, low)[plain])


def forest() -> Any:
    return tw.RandomForestClassifier(5, random_state=0, bootstrap=False)


@pytest.mark.parametrize(("low", "high"), HARD)
@pytest.mark.parametrize(
    "learner", [tree, tw.C45Classifier, c45, j48, tw.RuleClassifier, cart, rpart, forest]
)
@pytest.mark.parametrize("n", [3, 200])  # features of two values are counted as bits from 256 rows on
def test_two_numbers_are_told_apart(learner: Any, low: float, high: float, n: int) -> None:
    X, y = np.repeat([[low], [high]], n, axis=0), np.repeat([0, 1], n)
    told_apart = learner is not j48 or low + 1e-5 < high  # J48 takes numbers as equal that are closer
    assert learner().fit(X, y).predict(X).tolist() == (y if told_apart else 0 * y).tolist()


@pytest.mark.parametrize("compat", [None, "rpart"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("low", "high"), HARD)
def test_surrogates_of_cart_tell_two_numbers_apart(
    low: float, high: float, turned: bool, compat: str | None
) -> None:
    split = np.repeat([0.0, 1.0], 10)
    surrogate = np.repeat([high, low] if turned else [low, high], 10)
    y = np.repeat([0, 1], 10)
    model = tw.CARTClassifier(min_samples_split=2, min_samples_leaf=1, cv=None, compat=compat)
    model.fit(np.column_stack([split, surrogate]), y)
    assert model.predict([[np.nan, low], [np.nan, high]]).tolist() == ([1, 0] if turned else [0, 1])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("low", "high"), HARD)
def test_surrogates_of_large_nodes_tell_two_numbers_apart(low: float, high: float, turned: bool) -> None:
    n = 5_000
    split = np.repeat([0.0, 1.0], n)
    surrogate = np.repeat([high, low] if turned else [low, high], n)
    y = np.repeat([0, 1], n)
    model = tw.DecisionTreeClassifier(missing="surrogate", ties="first")
    model.fit(np.column_stack([split, surrogate]), y)
    assert model.tree_.splits.feature[0] == 0
    assert model.predict([[np.nan, low], [np.nan, high]]).tolist() == ([1, 0] if turned else [0, 1])
