"""Bounds: what theory guarantees about trees: their capacity, the rows they need, and their true error."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def wilson_interval(share: ArrayLike, n_rows: ArrayLike, confidence: float = 0.95) -> tuple[Array, Array]:
    """Interval for the true share of something that was seen with a share p among n rows (Wilson, 1927).

    Its ends are (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n). Unlike p ± z √(p (1 − p)/n) it never
    leaves [0, 1], and is no point where p is 0 or 1.

    Parameters
    ----------
    share, n_rows : array-like
        p and n; where n is 0 the interval is all of [0, 1].
    confidence : float
        How often the interval holds the true share.

    Examples
    --------
    >>> low, high = wilson_interval([1.0, 0.5], [3, 100])
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.44, 0.4], [1.0, 0.6])
    """
    p, n = np.broadcast_arrays(np.asarray(share, float), np.asarray(n_rows, float))
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    some = np.where(n > 0, n, 1.0)
    centre, room = p + z**2 / (2 * some), z * np.sqrt(p * (1 - p) / some + z**2 / (4 * some**2))
    low, high = ((centre + sign * room) / (1 + z**2 / some) for sign in (-1, 1))
    return np.where(n > 0, np.clip(low, 0, 1), 0.0), np.where(n > 0, np.clip(high, 0, 1), 1.0)
