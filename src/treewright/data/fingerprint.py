"""Fingerprints of rows: which rows a model has learned from, in a few numbers that tell nothing else of them.

Every row is hashed to 64 bits, and a table is known by its 64 smallest hashes (bottom-k sketch, Cohen and
Kaplan 2007): the order of the rows does not matter, and of a part of them as large a part of it is found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SIZE = 64
"""Hashes that are kept of a table."""

Hashes = NDArray[np.uint64]


def row_hashes(*columns: NDArray[np.float64] | NDArray[np.int32]) -> Hashes:
    """Hash rows, given as matrices of numbers or codes of as many rows each.

    Examples
    --------
    >>> same = row_hashes(np.array([[1.0, np.nan], [2.0, 0.0], [1.0, np.nan]]))
    >>> bool(same[0] == same[2]), bool(same[0] == same[1])
    (True, False)
    """
    found = np.zeros(len(columns[0]), np.uint64)
    for matrix in columns:
        for at in range(matrix.shape[1]):
            found = _mixed(found ^ _mixed(_bits(matrix[:, at])))
    return found


def _bits(column: NDArray[np.float64] | NDArray[np.int32]) -> Hashes:
    """Give the bits of numbers: one zero and one NaN."""
    values = column.astype(np.float64) + 0.0
    values[np.isnan(values)] = np.nan
    return values.view(np.uint64)


def _mixed(bits: Hashes) -> Hashes:
    """Mix the bits, as SplitMix64 does (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        bits = bits + np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = bits ^ (bits >> np.uint64(31))
    return mixed


def fingerprint(hashes: Hashes) -> tuple[int, ...]:
    """Keep the smallest hashes, each once."""
    return tuple(np.unique(hashes)[:SIZE].tolist())


def share_found(known: Sequence[int], hashes: Hashes) -> float:
    """Estimate which share of the different rows of a table is among the rows of these hashes.

    Examples
    --------
    >>> rows = row_hashes(np.arange(1000.0)[:, None])
    >>> share_found(fingerprint(rows), rows[::-1]), share_found(fingerprint(rows[:500]), rows[500:])
    (1.0, 0.0)
    """
    return float(np.isin(np.array(known, np.uint64), hashes).mean()) if len(known) else 0.0
