"""A slow reference of trees of several targets: every cut of every feature, each target by itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

Impurity = Callable[[Any, Any], float]


def gini(y: Any, weight: Any) -> float:
    shares = np.bincount(y, weight) / weight.sum()
    return float(1 - np.sum(shares**2))


def entropy(y: Any, weight: Any) -> float:
    shares = np.bincount(y, weight) / weight.sum()
    shares = shares[shares > 0]
    return float(-np.sum(shares * np.log2(shares)))


def error(y: Any, weight: Any) -> float:
    return float(1 - (np.bincount(y, weight) / weight.sum()).max())


def squared_error(y: Any, weight: Any) -> float:
    mean = np.average(y, weights=weight)
    return float(np.average((y - mean) ** 2, weights=weight))


def absolute_error(y: Any, weight: Any) -> float:
    order = np.argsort(y, kind="stable")
    passed = np.cumsum(weight[order])
    half = passed[-1] / 2
    low = y[order[np.searchsorted(passed, half * (1 - 1e-13))]]
    return float(np.average(np.abs(y - low), weights=weight))


def poisson(y: Any, weight: Any) -> float:
    mean = np.average(y, weights=weight)
    if mean <= 0:
        return np.inf
    terms = np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0) / mean), 0.0)
    return float(np.average(terms - y + mean, weights=weight))


IMPURITIES: dict[str, Impurity] = {
    "gini": gini,
    "entropy": entropy,
    "error": error,
    "squared_error": squared_error,
    "absolute_error": absolute_error,
    "poisson": poisson,
}


def mean_impurity(criterion: str, Y: Any, weight: Any) -> float:
    """Give the mean over the targets of their impurities."""
    return float(np.mean([IMPURITIES[criterion](y, weight) for y in Y.T]))


def best_merit(criterion: str, X: Any, Y: Any, weight: Any) -> tuple[float, dict[tuple[int, float], float]]:
    """Give the largest decrease of the mean impurity, and the decrease by each feature and cut."""
    whole, total = mean_impurity(criterion, Y, weight), weight.sum()
    merits = {}
    for feature, values in enumerate(X.T):
        known = ~np.isnan(values)
        cuts = np.unique(values[known])
        for low, high in pairwise(cuts):
            for missing_left in (False, True) if not known.all() else (False,):
                left = np.where(known, values <= low, missing_left)
                merit = whole - _after(criterion, Y, weight, left) / total
                place = (feature, (low + high) / 2)
                merits[place] = max(merits.get(place, -np.inf), merit)
        if not known.all() and known.any():
            merits[feature, np.inf] = whole - _after(criterion, Y, weight, known) / total
    return max(merits.values(), default=-np.inf), merits


def _after(criterion: str, Y: Any, weight: Any, left: Any) -> float:
    """Give weight times impurity of both sides."""
    sides = (left, ~left)
    return sum(weight[side].sum() * mean_impurity(criterion, Y[side], weight[side]) for side in sides)
