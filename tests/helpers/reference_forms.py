"""Intervals, planes and spheres in plain NumPy, for the reference learner and the tests of the searches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from math import comb, log2
from typing import Any

import numpy as np

from helpers.reference_criteria import Array, merit, statistics


def interval_cuts(
    x: Array, y: Array, weight: Array, least_rows: int = 1, least_weight: float = 0.0
) -> list[float]:
    """The cuts of the recursive method of Fayyad & Irani (1993), ascending.

    Of all cuts the one of least entropy is tried, the lowest of equals, and kept if it gains more bits a row
    than (log2(n − 1) + log2(3^k − 2) − k·e + k1·e1 + k2·e2) / n; then each part is cut in the same way. Rows
    count as one each in n; weights set the classes' shares, and so the entropies e.
    """
    values, n = np.unique(x), len(x)
    whole, k = bits(y, weight), len(np.unique(y))
    best: tuple[float, float, bool] = (-np.inf, 0.0, False)
    for low, high in pairwise(values) if k > 1 else ():
        threshold = low / 2 + high / 2
        parts = [x <= threshold, x > threshold]
        if any(part.sum() < least_rows or weight[part].sum() < least_weight for part in parts):
            continue
        entropies = [bits(y[part], weight[part]) for part in parts]
        shares = [weight[part].sum() / weight.sum() for part in parts]
        gain = whole - float(np.dot(shares, entropies))
        classes = [len(np.unique(y[part])) for part in parts]
        price = np.log2(3.0**k - 2) - k * whole + float(np.dot(classes, entropies))
        if gain > best[0] + 1e-11:
            best = (gain, float(threshold), gain > (np.log2(n - 1) + price) / n)
    if not best[2]:
        return []
    left = x <= best[1]
    below = interval_cuts(x[left], y[left], weight[left], least_rows, least_weight)
    above = interval_cuts(x[~left], y[~left], weight[~left], least_rows, least_weight)
    return [*below, best[1], *above]


def step_cuts(
    x: Array, y: Array, weight: Array, least_rows: int = 1, least_weight: float = 0.0
) -> list[float]:
    """The cuts that a number as target is worth, ascending: binary segmentation by Schwarz's criterion.

    Of all parts the one is cut next whose best cut lowers the sum of squares S about the parts' means most,
    the lowest of equals, as long as n/2·log2(S / S') > log2(n − 1) + log2(n)/2.
    """
    n, cuts = len(x), list[float]()
    if n < 2:
        return cuts

    def squares(rows: Array) -> float:
        return float((weight[rows] * (y[rows] - np.average(y[rows], weights=weight[rows])) ** 2).sum())

    everything = squares(np.arange(n))
    left_over = everything
    while left_over > 1e-12 * everything:
        best, at = 0.0, None
        for low, high in pairwise([-np.inf, *sorted(cuts), np.inf]):
            part = np.flatnonzero((x > low) & (x <= high))
            for one, other in pairwise(np.unique(x[part])):
                threshold = one / 2 + other / 2
                sides = part[x[part] <= threshold], part[x[part] > threshold]
                if any(len(side) < least_rows or weight[side].sum() < least_weight for side in sides):
                    continue
                decrease = squares(part) - sum(map(squares, sides))
                if decrease > best + 1e-11 * everything:
                    best, at = decrease, float(threshold)
        after = max(left_over - best, 1e-12 * everything)
        if at is None or not n / 2 * np.log2(left_over / after) > np.log2(n - 1) + np.log2(n) / 2:
            break
        cuts.append(at)
        left_over = after
    return sorted(cuts)


def bits(y: Array, weight: Array) -> float:
    """Entropy of the classes."""
    shares: Any = np.bincount(y, weight) / weight.sum()
    return float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum())


def parting_merits(criterion: str, left: Array, y: Array, weight: Array, n_classes: int) -> Array:
    """Merits of partings, each a row of truth values: which rows go left."""
    lines = statistics(criterion, y, weight, n_classes)
    first = left.astype(float) @ lines
    return merit(criterion, np.stack([first, lines.sum(axis=0) - first], axis=1), np.unique(y))


def cuts_of(value: Array) -> Array:
    """Which rows go left, for every cut of a number between neighbouring values."""
    return np.array([value <= cut for cut in np.unique(value)[:-1]], dtype=bool).reshape(-1, len(value))


def partings_by_lines(X: Array) -> Array:
    """All ways in which a straight line can part the rows of two features, the features themselves included.

    Between two neighbouring angles at which a line through two rows stands, the order of the rows along the
    normal does not change: its cuts are all partings of that angle.
    """
    critical = [
        np.arctan2(*(X[i] - X[j])[::-1]) + np.pi / 2
        for i, j in combinations(range(len(X)), 2)
        if (X[i] != X[j]).any()
    ]
    angles = np.unique(np.mod([*critical, 0.0, np.pi / 2], np.pi))
    between = np.append(angles, angles[0] + np.pi)
    every = np.concatenate([angles, (between[1:] + between[:-1]) / 2])
    ways = [cuts_of(np.round(X @ [np.cos(angle), np.sin(angle)], 9)) for angle in every]
    return np.unique(np.concatenate(ways), axis=0)


def turned_about_one_weight(X: Array, weights: Array, threshold: float, feature: int) -> Array:
    """The partings that a plane comes by when one of its weights takes any value and all else stays."""
    x = X[:, feature]
    rest = X @ weights - x * weights[feature] - threshold
    moved = x != 0
    stops = np.unique(-rest[moved] / x[moved])
    between = (stops[1:] + stops[:-1]) / 2
    tried = np.concatenate([stops[:1] - 1, between, stops[-1:] + 1]) if len(stops) else np.zeros(1)
    return np.array([rest + w * x <= 0 for w in tried], dtype=bool)


def best_sphere(criterion: str, X: Array, y: Array, weight: Array, n_classes: int) -> tuple[float, Array]:
    """Merit and features of the sphere that the search's definition gives, with exact numbers.

    Features in standard units; about the centroid and the medoid of every class, for a number as target of
    the rows above and not above its mean, all radii are tried. Then features are dropped, each time the one
    that costs the least merit, and of all spheres on the way the one is kept that saves the most bits, less
    those that name it among all spheres on as many features.
    """
    scaled = (X - np.average(X, axis=0, weights=weight)) / np.sqrt(
        np.average((X - np.average(X, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
    )

    def best_cut(centre: Array, features: list[int]) -> tuple[float, float]:
        left = cuts_of(((scaled[:, features] - centre[features]) ** 2).sum(axis=1))
        merits = parting_merits(criterion, left, y, weight, n_classes)
        chosen = int(np.flatnonzero(merits >= merits.max() - 1e-11)[0])
        return float(merits[chosen]), saved_bits(criterion, left[chosen], float(merits[chosen]), y, weight)

    every = list(range(X.shape[1]))
    centres = list(_centres(scaled, y if n_classes else y > np.average(y, weights=weight), weight))
    worths = [best_cut(centre, every)[0] for centre in centres]
    centre = centres[int(np.flatnonzero(np.array(worths) >= max(worths) - 1e-11)[0])]
    path, features = [], every
    while True:
        value, saved = best_cut(centre, features)
        path.append((saved - naming_bits(len(y), len(every), len(features), sphere=True), value, features))
        if len(features) == 1:
            break
        fewer = [[f for f in features if f != dropped] for dropped in features]
        features = max(fewer, key=lambda others: best_cut(centre, others)[0])
    _, value, features = max(path, key=lambda step: (step[0], -len(step[2])))
    return value, np.array(features)


def naming_bits(n_rows: int, n_features: int, n_used: int, *, sphere: bool = False) -> float:
    """Bits that name one of all partings of the rows by planes, or spheres, on so many of the features.

    A plane parts n rows in d dimensions in Σ_{i ≤ d} (n − 1 over i) − 1 ways (Cover, 1965); a sphere is a
    plane with the sum of squares as one more dimension.
    """
    ways = sum(comb(n_rows - 1, i) for i in range(n_used + sphere + 1)) - 1
    return log2(comb(n_features, n_used) * ways)


def saved_bits(criterion: str, left: Array, value: float, y: Array, weight: Array) -> float:
    """Bits that a parting of this merit saves in telling the target of all rows."""
    n = len(y)
    if criterion == "squared_error":
        spread = np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
        return float(-n / 2 * np.log2(max(1 - value / spread, 1e-12)))
    share = weight[left].sum() / weight.sum()
    inside = share * bits(y[left], weight[left]) + (1 - share) * bits(y[~left], weight[~left])
    return n * (bits(y, weight) - inside)


def _centres(scaled: Array, group: Array, weight: Array) -> Iterator[Array]:
    for of in np.unique(group):
        rows = scaled[group == of]
        centroid = np.average(rows, axis=0, weights=weight[group == of])
        yield centroid
        yield rows[((rows - centroid) ** 2).sum(axis=1).argmin()]
