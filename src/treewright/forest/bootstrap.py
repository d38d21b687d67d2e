"""Bootstrap: the rows that each tree of a forest is grown on, from its seed alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core


@dataclass(frozen=True, eq=False)
class Draws:
    """How the rows of each tree are drawn.

    Nothing is stored but the seeds: the rows of a tree are drawn again whenever they are asked for. They are
    the rows that scikit-learn draws with the same seed.

    Parameters
    ----------
    n_rows : int
        Rows to draw from.
    seeds : uint64 array
        The seed of each tree.
    n_draws : int
        How many rows a tree draws, with replacement; 0 = every tree has every row once.
    chance : float64 array of shape (n_rows,) or None
        The chance of each row to be drawn, up to a common factor; `None` = all alike.
    balanced : bool
        Whether the classes drawn by a tree weigh the same in it.
    splitmix : bool
        Whether rows are drawn as version 0.1 did, by another generator than NumPy's `RandomState`.

    Examples
    --------
    >>> draws = Draws(5, np.array([1, 2], np.uint64), n_draws=5)
    >>> int(draws.times(0).sum()), len(draws.rows(1))
    (5, 5)
    """

    n_rows: int
    seeds: NDArray[np.uint64]
    n_draws: int
    chance: NDArray[np.float64] | None = None
    balanced: bool = False
    splitmix: bool = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"splitmix": True} | state)  # pickles of version 0.1 do not say it

    def options(self, min_weight_fraction: float = 0.0) -> dict[str, Any]:
        """Write the draws as the core reads them."""
        return {
            "seeds": self.seeds,
            "n_draws": self.n_draws,
            "chance": self.chance,
            "balanced": self.balanced,
            "splitmix": self.splitmix,
            "min_weight_fraction": float(min_weight_fraction),
        }

    def times(self, tree: int) -> NDArray[np.uint32]:
        """How often a tree has drawn each row."""
        return _core.draw_rows(self.n_rows, self.options(), tree)

    def rows(self, tree: int) -> NDArray[np.int32]:
        """Return the numbers of the rows that a tree has drawn, as often as it has."""
        return np.repeat(np.arange(self.n_rows, dtype=np.int32), self.times(tree))

    def out_of_bag(self, tree: int) -> NDArray[np.bool_]:
        """Whether each row was left out by a tree."""
        return np.asarray(self.times(tree) == 0)
