"""Fingerprints of rows: which rows a model has learned from, in a few numbers that tell nothing else of them.

Every row is hashed to 64 bits, and a table is known by its 64 smallest hashes (bottom-k sketch, Cohen and
Kaplan 2007): the order of the rows does not matter, and of a part of them as large a part of it is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE = 64
"""Hashes that are kept of a table."""

Hashes = NDArray[np.uint64]


def row_hashes(columns: Iterable[NDArray[Any]], n_rows: int, seed: int = 0) -> Hashes:
    """Mix the values of each row to a number that is the same for rows that are the same.

    Parameters
    ----------
    columns : iterable of arrays of shape (n_rows,)
        Numbers or codes; one zero and one NaN.
    n_rows : int
    seed : int

    Examples
    --------
    >>> same = row_hashes([np.array([1.0, 2.0, 1.0]), np.array([np.nan, 0.0, np.nan])], 3)
    >>> bool(same[0] == same[2]), bool(same[0] == same[1])
    (True, False)
    """
    factor, shift = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
    mixed = np.full(n_rows, seed, np.uint64) * factor + np.uint64(1)
    for column in columns:
        values = np.array(column, dtype=np.float64) + 0.0  # −0.0 is 0.0
        values[np.isnan(values)] = np.nan
        mixed = (mixed ^ values.view(np.uint64)) * factor
        mixed ^= mixed >> shift
    return mixed


def encoded_hashes(schema: Any, numbers: NDArray[Any], codes: NDArray[Any], target: NDArray[Any]) -> Hashes:
    """Hash rows as a schema has encoded them, with their target; without features made of others."""
    inputs = schema.position[: schema.n_inputs], schema.n_categories[: schema.n_inputs] > 0
    columns = [(codes if coded else numbers)[:, at] for at, coded in zip(*inputs, strict=True)]
    return row_hashes([*columns, target], len(target))


def fingerprint(hashes: Hashes) -> tuple[int, ...]:
    """Keep the smallest hashes, each once."""
    return tuple(np.unique(hashes)[:SIZE].tolist())


def share_found(known: Sequence[int], hashes: Hashes) -> float:
    """Estimate which share of the different rows of a table is among the rows of these hashes.

    Examples
    --------
    >>> rows = row_hashes([np.arange(1000.0)], 1000)
    >>> share_found(fingerprint(rows), rows[::-1]), share_found(fingerprint(rows[:500]), rows[500:])
    (1.0, 0.0)
    """
    return float(np.isin(np.array(known, np.uint64), hashes).mean()) if len(known) else 0.0
