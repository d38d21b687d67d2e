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
