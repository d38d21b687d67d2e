"""Decision regions in a plane of two features: predictions of a grid, and the cuts of the tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.draw.visible_tree import Rows
from treewright.formatting.colours import class_colour
from treewright.tree import Tree
from treewright.tree.decision import decide
from treewright.tree.splits import Hyperplane, Sphere, cuts_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

CELLS = 300
MOST_CUTS = 200
LETTER = (0.018, 0.06)
"""About how much of a plot's width and height a small letter takes."""


class Plane:
    """Two features vary, the others stand still; a categorical one varies over its categories.

    Parameters
    ----------
    tree : Tree
        Whose cuts are drawn.
    features : two numbers of features
        That across, and that upwards.
    fixed : row of numbers, row of codes
        Where every feature stands that does not vary.
    reach : two pairs
        From where to where each axis goes.
    answer : callable
        Says of rows the class probabilities, or a number.
    """

    def __init__(
        self,
        tree: Tree,
        features: tuple[int, int],
        fixed: tuple[Array, NDArray[np.int32]],
        reach: tuple[tuple[float, float], tuple[float, float]],
        answer: Callable[[Dataset], Array],
    ) -> None:
        self.tree, self.features, self.reach, self.answer = tree, features, reach, answer
        self.edges = [self._edges(*axis) for axis in zip(features, reach, strict=True)]
        self.middles = [(edges[:-1] + edges[1:]) / 2 for edges in self.edges]
        grid = np.meshgrid(*self.middles)
        self.shape = grid[0].shape
        numbers, codes = (np.repeat(row[None, :], grid[0].size, axis=0) for row in fixed)
        for feature, values in zip(features, grid, strict=True):
            column = codes if self._is_categorical(feature) else numbers
            column[:, tree.schema.position[feature]] = values.ravel()
        self.rows = Rows(tree, Dataset(tree.schema, np.asfortranarray(numbers), np.asfortranarray(codes)))

    def _is_categorical(self, feature: int) -> bool:
        return self.tree.schema.columns[feature].kind == "categorical"

    def _edges(self, feature: int, reach: tuple[float, float]) -> Array:
        """Part an axis in cells: one for each category, or many with the tree's own cuts among the edges."""
        if self._is_categorical(feature):
            return np.arange(reach[0], reach[1] + 0.5)
        splits = (self.tree[node].split for node in np.flatnonzero(self.tree.n_children).tolist())
        own = (split for split in splits if split is not None and getattr(split, "feature", None) == feature)
        cuts = [cut for split in own for cut in cuts_of(split) if reach[0] < cut < reach[1]]
        return np.unique(np.concatenate([np.linspace(*reach, CELLS + 1), cuts]))

    @cached_property
    def value(self) -> Array:
        """What the model says in each cell."""
        return self.answer(self.rows.dataset).reshape(*self.shape, -1)

    def paint(self, ax: Axes, scale: dict[str, Any] | None) -> None:
        """Colour every cell: by class, stronger where it is surer; or by the number predicted."""
        if scale is not None:
            mesh = ax.pcolormesh(*self.edges, self.value[..., 0], rasterized=True, **scale)
            ax.figure.colorbar(mesh, ax=ax, label="prediction; points: target")
            return
        from matplotlib.colors import to_rgb

        best = decide(self.value, self.tree.costs)
        colours = np.array([to_rgb(class_colour(code)) for code in range(self.value.shape[-1])])
        strength = 0.15 + 0.4 * np.take_along_axis(self.value, best[..., None], axis=-1)
        ax.pcolormesh(*self.edges, 1 - strength * (1 - colours[best]), rasterized=True)

    def name_regions(self, ax: Axes, names: list[str]) -> None:
        """Write its class in the middle of every leaf that has room for it."""
        grid = np.meshgrid(*self.middles)
        for leaf in self.tree.leaves.tolist():
            cells = self.rows.at(leaf)
            name = names[int(self.tree.label[leaf])]
            ends = [(values.flat[cells].min(), values.flat[cells].max()) for values in grid if len(cells)]
            shares = [
                (high - low) / (to - go) for (low, high), (go, to) in zip(ends, self.reach, strict=False)
            ]
            if not shares or shares[0] < LETTER[0] * (len(name) + 1) or shares[1] < LETTER[1]:
                continue
            x, y = ((low + high) / 2 for low, high in ends)
            ground = {"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.75, "edgecolor": "none"}
            ax.text(x, y, name, ha="center", va="center", fontsize="x-small", zorder=4, bbox=ground)

    def draw_cuts(self, ax: Axes) -> None:
        """Draw each split as the line on which it turns over, within the region of its node."""
        inner = np.flatnonzero(self.tree.n_children)
        for node in inner[np.argsort(self.tree.node_depth[inner], kind="stable")][:MOST_CUTS].tolist():
            split = self.tree[node].split
            rows = self.rows.at(node)
            if split is None or not len(rows):
                continue
            numbers = np.full(self.shape, np.nan)
            width = max(0.6, 2.2 - 0.35 * int(self.tree.node_depth[node]))
            if isinstance(split, Hyperplane | Sphere):
                numbers.flat[rows] = self.rows.compared(split, node)
                self._draw_contour(ax, split, numbers, width)
            else:
                numbers.flat[rows] = self.rows.branch(split, node)
                self._draw_edges(ax, numbers, width)

    def _draw_contour(self, ax: Axes, split: Hyperplane | Sphere, numbers: Array, width: float) -> None:
        """Draw where a sum passes its threshold, unless this slice lies on one side of it."""
        if np.nanmin(numbers) < split.threshold < np.nanmax(numbers):
            ax.contour(
                *self.middles,
                np.ma.masked_invalid(numbers),
                levels=[split.threshold],
                colors="0.15",
                linewidths=width,
                linestyles="solid",
            )

    def _draw_edges(self, ax: Axes, branch: Array, width: float) -> None:
        """Draw the edges between neighbouring cells of a node that take different branches."""
        for across, up, turn in (
            (self.edges[0], self.edges[1], False),
            (self.edges[1], self.edges[0], True),
        ):
            cells = branch.T if turn else branch
            known = ~np.isnan(cells)
            parted = known[:, 1:] & known[:, :-1] & (cells[:, 1:] != cells[:, :-1])
            for place in np.flatnonzero(parted.any(axis=0)).tolist():
                begin, end = _runs(parted[:, place])
                (ax.hlines if turn else ax.vlines)(
                    np.full(len(begin), across[place + 1]),
                    up[begin],
                    up[end],
                    colors="0.15",
                    linewidths=width,
                )


def _runs(flags: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give where runs of True begin and where they have ended.

    Examples
    --------
    >>> [ends.tolist() for ends in _runs(np.array([True, True, False, True]))]
    [[0, 3], [2, 4]]
    """
    change = np.diff(np.concatenate([[0], flags.astype(np.int8), [0]]))
    return np.flatnonzero(change == 1), np.flatnonzero(change == -1)
