"""`Drawn`: how often a tree of a forest draws each row of a table in partitions, by their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.distributed.parts import Parts, rows_before, taken

if TYPE_CHECKING:
    from treewright.distributed.coding import Partition

Times = NDArray[np.uint32]
LEAST_BLOCK, MOST_BLOCK = 1 << 20, 1 << 25
"""Rows that are drawn at a time: for each block all draws of the tree are made, and those inside kept."""

_last: dict[tuple[int, ...], tuple[NDArray[np.float64] | None, Times]] = {}
"""The block that was drawn last, and by which chances: partitions are asked one after the other."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """The draws of one tree, with replacement, as a forest in memory makes them.

    Parameters
    ----------
    n_rows : int
        Rows of the table, or of some parts of it.
    seed : int
        The seed of the tree.
    n_draws : int
        How many rows it draws.
    chance : float64 array of shape (n_rows,) or None
        The chance of each row to be drawn; `None` = all alike.
    parts : Parts
        The rows that are drawn from, numbered as if there were no others.

    Examples
    --------
    >>> drawn = Drawn(10, seed=1, n_draws=10)
    >>> int(drawn.times(0, 4).sum() + drawn.times(4, 10).sum())
    10
    """

    n_rows: int
    seed: int
    n_draws: int
    chance: NDArray[np.float64] | None = None
    parts: Parts = ()

    def times(self, first: int, end: int) -> Times:
        """Tell how often each of some rows, one behind the other, is drawn."""
        size = min(max(self.n_rows // 8, LEAST_BLOCK), MOST_BLOCK)
        pieces = []
        for block in range(first // size, (max(end, first + 1) - 1) // size + 1):
            begin = block * size
            inside = self._block(begin, min(begin + size, self.n_rows))
            pieces.append(inside[max(first - begin, 0) : max(end - begin, 0)])
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def of(self, partition: Partition) -> Times:
        """Tell how often each row of a partition is drawn."""
        if not len(partition):
            return np.empty(0, np.uint32)
        row = partition.row
        first = partition.first if row is None else int(row[0])
        end = first + len(partition) if row is None else int(row[-1]) + 1
        begin, inside = rows_before(self.parts, first), taken(self.parts, np.arange(first, end))
        times = np.zeros(end - first, np.uint32)
        times[inside] = self.times(begin, begin + int(inside.sum()))
        return times if row is None else times[row - first]

    def _block(self, begin: int, end: int) -> Times:
        key = (self.n_rows, self.seed, self.n_draws, begin, end)
        chance, found = _last.get(key, (None, None))
        if found is None or chance is not self.chance:
            draws: dict[str, Any] = {
                "seeds": np.array([self.seed], np.uint64),
                "n_draws": self.n_draws,
                "chance": self.chance,
                "balanced": False,
                "splitmix": False,
                "min_weight_fraction": 0.0,
            }
            found = _core.draw_rows(self.n_rows, draws, 0, begin, end)
            _last.clear()
            _last[key] = self.chance, found
        return found
