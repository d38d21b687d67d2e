"""Error curve of a forest: error against the number of trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.formatting.axes import axes_for
from treewright.formatting.colours import class_colour
from treewright.formatting.html_table import html_lines
from treewright.formatting.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """Out-of-bag error of the first 1, 2, … trees of a forest.

    Attributes
    ----------
    n_trees : int array
        How many trees.
    error : float array
        Share of wrong classes, or mean squared error, over the rows that some of the trees have not drawn;
        NaN while there are none.
    of_classes : bool
        Whether it is a share of wrong classes.
    """

    n_trees: NDArray[np.int64]
    error: NDArray[np.float64]
    of_classes: bool

    @property
    def measure(self) -> str:
        """What `error` is, in words."""
        return "error" if self.of_classes else "mean squared error"

    def _repr_html_(self) -> str:
        return html_lines(f"{self._summary()}\n.plot() draws the curve")

    def _summary(self) -> str:
        last = float(self.error[-1])
        says = f"{last:.1%}" if self.of_classes else f"{last:.4g}"
        return f"Out-of-bag {self.measure}: {says} with {counted(int(self.n_trees[-1]), 'tree')}"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the error against the number of trees.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.
        """
        ax = axes_for(ax, self._summary(), "trees", f"out-of-bag {self.measure}")
        ax.plot(self.n_trees, self.error, color=class_colour(0))
        ax.set_ylim(0, None)
        return ax
