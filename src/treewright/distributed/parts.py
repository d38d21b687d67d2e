"""Some rows of a table in partitions: those of a fold, or all others, by their numbers in the table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.data.folds import folds_by_number


@dataclass(frozen=True)
class Part:
    """All rows but those of a fold, or those of it alone."""

    n_folds: int
    fold: int
    seed: int
    held_out: bool = False
    """Whether it is the rows of the fold."""

    def takes(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which rows are in it, by their numbers."""
        inside: NDArray[np.bool_] = folds_by_number(rows, self.n_folds, self.seed) == self.fold
        return inside if self.held_out else ~inside

    @property
    def others(self) -> Part:
        """The rows that it is without."""
        return replace(self, held_out=not self.held_out)


Parts = tuple[Part, ...]
"""Rows that are in all of these."""


BLOCK = 1 << 20
"""Rows that are counted at a time."""
_before: dict[Parts, list[int]] = {}
"""Of the parts asked for last, how many of their rows stand before each block."""


def rows_before(parts: Parts, row: int) -> int:
    """Count the rows that are in all parts and stand before a row of the table.

    Examples
    --------
    >>> fold = Part(3, 0, seed=0)
    >>> rows_before((fold,), 1000) + rows_before((fold.others,), 1000), rows_before((), 1000)
    (1000, 1000)
    """
    if not parts:
        return row
    if parts not in _before:
        _before.clear()
    counts = _before.setdefault(parts, [0])
    while len(counts) <= row // BLOCK:
        begin = (len(counts) - 1) * BLOCK
        counts.append(counts[-1] + int(taken(parts, np.arange(begin, begin + BLOCK)).sum()))
    block = row // BLOCK
    return counts[block] + int(taken(parts, np.arange(block * BLOCK, row)).sum())


def taken(parts: Parts, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which rows are in all parts, by their numbers.

    Examples
    --------
    >>> fold = Part(3, 0, seed=0)
    >>> bool(taken((fold, fold.others), np.arange(9)).any())
    False
    """
    inside = np.ones(len(rows), bool)
    for part in parts:
        inside &= part.takes(rows)
    return inside
