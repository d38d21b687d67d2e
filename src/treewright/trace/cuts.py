"""All cuts of a numeric feature at a node, and by how much each decreases the impurity."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from treewright import _core, criteria

Array = NDArray[np.float64]

ROUNDING_SHARE = 1e-13
"""Of a node's weight: a branch of less is what sums of weights lose, and no tree has it: NUMERICS.md."""


def cut_gains(
    impurity: str, x: Array, target: NDArray[np.generic], weight: Array, n_classes: int = 0
) -> list[tuple[float, float]]:
    """Give every cut halfway between neighbouring values that could be the best, with its gain.

    For classes these are the cuts where the class changes (Fayyad & Irani, 1992); for numbers all, but for
    those that leave a branch of "poisson" without any event, or one without any weight to speak of, which no
    tree makes.

    Parameters
    ----------
    impurity : str
        A criterion that is the impurity of nodes.
    x, weight : float arrays
        The values of the feature, all of them known, and the weights of the rows, all of them above 0.
    target : array
        Class codes or numbers.
    n_classes : int
        How many classes there are; 0 for numbers.

    Examples
    --------
    >>> cut_gains("squared_error", np.array([1.0, 2, 4]), np.array([0.0, 0, 3]), np.ones(3))
    [(1.5, 0.5), (3.0, 2.0)]
    """
    values, place = np.unique(x, return_inverse=True)
    cuts = values[:-1] / 2 + values[1:] / 2
    gains, wanted = (
        _class_gains(impurity, place, np.asarray(target, int), weight, n_classes)
        if n_classes
        else _number_gains(impurity, place, np.asarray(target, float), weight)
    )
    below = np.bincount(place, weight)
    lighter = np.minimum(np.cumsum(below)[:-1], np.cumsum(below[::-1])[-2::-1])
    wanted &= lighter > ROUNDING_SHARE * below.sum()
    return [(float(cuts[at]), float(gains[at])) for at in np.flatnonzero(wanted).tolist()]


def _class_gains(
    impurity: str, place: NDArray[np.int64], target: NDArray[np.int64], weight: Array, n_classes: int
) -> tuple[Array, NDArray[np.bool_]]:
    table = np.bincount(place * n_classes + target, weight, minlength=(place.max() + 1) * n_classes)
    table = table.reshape(-1, n_classes)
    left = np.cumsum(table, axis=0)[:-1]
    gains = [criteria.merit(impurity, pair) for pair in np.stack([left, table.sum(axis=0) - left], axis=1)]
    present = table > 0
    pure = present.sum(axis=1) == 1
    return np.array(gains), ~(pure[:-1] & pure[1:] & (present[:-1] == present[1:]).all(axis=1))


def _number_gains(
    impurity: str, place: NDArray[np.int64], target: Array, weight: Array
) -> tuple[Array, NDArray[np.bool_]]:
    order = np.argsort(place, kind="stable")
    y, w, last = target[order], weight[order], np.flatnonzero(np.diff(place[order]))
    mean, total = np.average(y, weights=w), w.sum()
    left, right = np.cumsum(w)[last], np.cumsum(w[::-1])[::-1][last + 1]
    if impurity == "absolute_error":
        below, above = _absolute_deviations(y, w), _absolute_deviations(y[::-1], w[::-1])[::-1]
        return (below[-1] - below[last] - above[last + 1]) / total, np.ones(len(last), bool)
    centred = np.cumsum(w * (y - mean))[last]  # the other side has as much, with the other sign
    if impurity == "squared_error":
        return centred**2 / left / right, np.ones(len(last), bool)
    events = np.stack([left * mean + centred, right * mean - centred])
    expected = np.stack([left, right]) * mean
    wanted = np.asarray((events > 1e-9 * expected).all(axis=0))  # what is less is rounding
    ratio = np.where(wanted, events / expected, 1.0)
    return (events * _core.log(ratio)).sum(axis=0) / total, wanted


def _absolute_deviations(target: Array, weight: Array) -> Array:
    """Sum up the absolute deviations from the median, of the first row, the first two rows and so on."""
    lower: list[tuple[float, float]] = []  # up to the median, the largest first
    upper: list[tuple[float, float]] = []
    weights, sums = [0.0, 0.0], [0.0, 0.0]

    def put(side: int, y: float, w: float) -> None:
        heappush((lower, upper)[side], (y if side else -y, w))
        weights[side] += w
        sums[side] += w * y

    def take(side: int) -> tuple[float, float]:
        key, w = heappop((lower, upper)[side])
        y = key if side else -key
        weights[side] -= w
        sums[side] -= w * y
        return y, w

    found = []
    for y, w in zip(target.tolist(), weight.tolist(), strict=True):
        put(int(bool(lower) and y > -lower[0][0]), y, w)
        while weights[0] - lower[0][1] >= weights[1] + lower[0][1]:
            put(1, *take(0))
        while upper and weights[0] < weights[1]:
            put(0, *take(1))
        median = -lower[0][0]
        found.append(sums[1] - median * weights[1] + median * weights[0] - sums[0])
    return np.array(found)
