"""Where several intervals begin, in plain NumPy, for the reference learner."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from reference_criteria import Array


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


def bits(y: Array, weight: Array) -> float:
    """Entropy of the classes."""
    shares: Any = np.bincount(y, weight) / weight.sum()
    return float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum())
