"""Regions: what a tree predicts everywhere in the plane of two features, and the cuts that part it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.colours import SCALE, class_colour
from treewright.data import Column, Dataset, Schema
from treewright.data.columns import MISSING
from treewright.draw.axes import axes_for, legend, plain_text
from treewright.draw.shown import Rows, cuts_of, labels, read_rows, said, stored_value
from treewright.errors import DataError
from treewright.export.text import Writer
from treewright.names import unknown_name
from treewright.sklearn_trees import tree_of
from treewright.splits import Table
from treewright.tree import Tree
from treewright.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

CELLS = 300
MOST_CUTS = 200
MOST_POINTS = 2000
BESIDE: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}


def plot_regions(
    model: Any,
    X: Any,
    y: Any = None,
    features: Sequence[str | int] | None = None,
    *,
    others: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what a tree predicts in the plane of two features, its cuts as lines and the rows as points.

    Thresholds cut the plane as with a guillotine, each within what the cuts above have left of it;
    hyperplanes are oblique lines, spheres ellipses. Cuts near the root are drawn heavier.

    Parameters
    ----------
    model : fitted estimator or Tree
        A tree of this library or of scikit-learn, or a forest of this library, whose many cuts are not drawn.
    X : table
        Rows: they say how far the plane reaches and where the other features stand.
    y : target, optional
        Colours the points; without it no points are drawn.
    features : two names or numbers of features, optional
        The plane, numeric or ordinal features; by default the two that matter most to the tree.
    others : mapping from name to value, optional
        Where the other features stand; by default at their median, or their most frequent category.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, plot_regions
    >>> X, y = datasets.load_iris()
    >>> ax = plot_regions(DecisionTreeClassifier(max_depth=3).fit(X, y), X, y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('petal length', 'petal width')
    """
    trees = getattr(model, "trees_", None)
    tree = tree_of(model) if trees is None else trees[0]
    importance = tree.compute_feature_importances() if trees is None else model.feature_importances_
    numbers, codes = tree.schema.encode(X, check_names=False)
    across, up = _plane(tree.schema, importance, features)
    fixed = _fixed(tree.schema, numbers, codes, others)
    reach = (_reach(tree, across, numbers), _reach(tree, up, numbers))
    answer = partial(said, tree) if trees is None else partial(_votes, model)
    plane = _Plane(tree, (across, up), fixed, reach, answer)
    names = tree.schema.names
    used = set(np.flatnonzero(importance > 0).tolist()) - {across, up}
    title = "Regions" + (f" ({counted(len(used), 'other feature')} fixed)" if used else "")
    ax = axes_for(ax, title, names[across], names[up])
    rows = None if y is None else read_rows(tree, X, y)
    scale = None if tree.is_classifier else _scale(plane.value, rows)
    plane.paint(ax, scale)
    if trees is None:
        plane.draw_cuts(ax)
    if rows is not None:
        _points(ax, rows, (across, up), scale)
    elif tree.is_classifier:
        _key(ax, tree)
    for axis, feature in ((ax.xaxis, across), (ax.yaxis, up)):
        _name_positions(axis, tree.schema.columns[feature])
    ax.set(xlim=plane.reach[0], ylim=plane.reach[1])
    return ax


class _Plane:
    """A slice through the space of the features: two of them vary, the others stand still."""

    def __init__(
        self,
        tree: Tree,
        features: tuple[int, int],
        fixed: tuple[Array, NDArray[np.int32]],
        reach: tuple[tuple[float, float], tuple[float, float]],
        answer: Callable[[Dataset], Array],
    ) -> None:
        self.tree, self.features, self.reach, self.answer = tree, features, reach, answer
        self.edges = [
            self._edges(feature, reach) for feature, reach in zip(features, self.reach, strict=True)
        ]
        self.middles = [(edges[:-1] + edges[1:]) / 2 for edges in self.edges]
        grid = np.meshgrid(*self.middles)
        self.shape = grid[0].shape
        numbers = np.repeat(fixed[0][None, :], grid[0].size, axis=0)
        for feature, values in zip(features, grid, strict=True):
            numbers[:, tree.schema.position[feature]] = values.ravel()
        codes = np.repeat(fixed[1][None, :], grid[0].size, axis=0)
        self.rows = Rows(tree, Dataset(tree.schema, np.asfortranarray(numbers), np.asfortranarray(codes)))

    def _edges(self, feature: int, reach: tuple[float, float]) -> Array:
        """Part an axis in cells, the tree's own cuts among the edges, so that their lines are exact."""
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

        best = labels(self.tree, self.value)
        colours = np.array([to_rgb(class_colour(code)) for code in range(self.value.shape[-1])])
        strength = 0.15 + 0.4 * np.take_along_axis(self.value, best[..., None], axis=-1)
        ax.pcolormesh(*self.edges, 1 - strength * (1 - colours[best]), rasterized=True)

    def draw_cuts(self, ax: Axes) -> None:
        """Draw each split as the line on which it turns over, within the region of its node."""
        inner = np.flatnonzero(self.tree.n_children)
        for node in inner[np.argsort(self.tree.node_depth[inner], kind="stable")][:MOST_CUTS].tolist():
            split = self.tree[node].split
            rows = self.rows.at(node)
            if split is None or isinstance(split, Table) or not len(rows):
                continue
            numbers = np.full(self.shape, np.nan)
            numbers.flat[rows] = self.rows.compared(split, node)
            cuts = [cut for cut in cuts_of(split) if np.nanmin(numbers) < cut < np.nanmax(numbers)]
            if not cuts:
                continue  # this slice lies on one side of it
            width = max(0.6, 2.2 - 0.35 * int(self.tree.node_depth[node]))
            ax.contour(
                *self.middles, np.ma.masked_invalid(numbers), levels=cuts, colors="0.15", linewidths=width
            )


def _votes(forest: Any, rows: Dataset) -> Array:
    """Give what a forest of this library says of each row."""
    votes, _ = forest.trees_.vote(rows.numbers, rows.codes, hard=forest._hard)
    return np.asarray(votes / len(forest.trees_))


def _scale(value: Array, rows: Dataset | None) -> dict[str, Any]:
    """Give one scale of colours for what is predicted and for the targets of rows."""
    from matplotlib.colors import LinearSegmentedColormap

    numbers = value.ravel() if rows is None else np.concatenate([value.ravel(), np.asarray(rows.target)])
    cmap = LinearSegmentedColormap.from_list("treewright", SCALE)
    return {"cmap": cmap, "vmin": numbers.min(), "vmax": numbers.max()}


def _plane(schema: Schema, importance: Array, features: Sequence[str | int] | None) -> tuple[int, int]:
    """Find the two features that span the plane."""
    columns = schema.columns
    numeric = [place for place, column in enumerate(columns) if column.kind != "categorical"]
    if features is None:
        if len(numeric) < 2:
            raise DataError(f"a plane needs two numeric or ordinal features, the tree has {len(numeric)}.")
        two = sorted(sorted(numeric, key=lambda place: -importance[place])[:2])
        return two[0], two[1]
    if len(features) != 2:
        raise ValueError(f"features={list(features)!r} must be two features.")
    found = [_feature(schema, feature) for feature in features]
    for place in found:
        if place not in numeric:
            raise DataError(f"feature {columns[place].name!r} is categorical: a plane needs numbers.")
    return found[0], found[1]


def _feature(schema: Schema, feature: str | int) -> int:
    if isinstance(feature, str):
        if feature not in schema.names:
            raise ValueError(unknown_name("feature", feature, schema.names))
        return schema.names.index(feature)
    return range(len(schema.columns))[feature]


def _fixed(
    schema: Schema, numbers: Array, codes: NDArray[np.int32], others: Mapping[str, Any] | None
) -> tuple[Array, NDArray[np.int32]]:
    """Give one row: where every feature stands that does not vary."""
    middle = np.array([_median(column) for column in numbers.T])
    common = np.array([_mode(column) for column in codes.T], np.int32)
    for name, value in (others or {}).items():
        place = _feature(schema, name)
        fixed = common if schema.columns[place].kind == "categorical" else middle
        fixed[schema.position[place]] = stored_value(schema, place, value)
    return middle, common


def _median(column: Array) -> float:
    known = column[~np.isnan(column)]
    return float(np.quantile(known, 0.5, method="nearest")) if len(known) else np.nan


def _mode(column: NDArray[np.int32]) -> int:
    known = column[column >= 0]
    return int(np.bincount(known).argmax()) if len(known) else MISSING


def _reach(tree: Tree, feature: int, numbers: Array) -> tuple[float, float]:
    """Give from where to where an axis goes: a little beyond all rows."""
    column = numbers[:, tree.schema.position[feature]]
    known = column[~np.isnan(column)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


def _points(ax: Axes, rows: Dataset, features: tuple[int, int], scale: dict[str, Any] | None) -> None:
    """Draw rows as points, at most so many of them, the same ones every time."""
    assert rows.target is not None
    chosen = np.arange(len(rows.target))
    if len(chosen) > MOST_POINTS:
        chosen = np.random.default_rng(0).choice(chosen, MOST_POINTS, replace=False)
    position = rows.schema.position
    x, y = (rows.numbers[chosen, position[feature]] for feature in features)
    target = rows.target[chosen]
    edge: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.5, "s": 22, "zorder": 3}
    if rows.schema.classes is None:
        ax.scatter(x, y, c=target, **edge, **(scale or {}))
        return
    for code, name in enumerate(rows.schema.classes):
        of_class = target == code
        ax.scatter(x[of_class], y[of_class], color=class_colour(code), label=plain_text(str(name)), **edge)
    if len(rows.schema.classes) <= 12:
        legend(ax, **BESIDE)


def _key(ax: Axes, tree: Tree) -> None:
    from matplotlib.patches import Patch

    texts = Writer(tree, None, None, True, False).class_texts[:12]
    patches = [
        Patch(color=class_colour(code), alpha=0.5, label=plain_text(t)) for code, t in enumerate(texts)
    ]
    ax.legend(handles=patches, frameon=False, fontsize="small", **BESIDE)


def _name_positions(axis: Any, column: Column) -> None:
    """Write the values of ordinal features and dates at the ticks."""
    if column.kind == "ordinal":
        axis.set_ticks(
            range(len(column.categories)),
            [plain_text(column.text(i), 20) for i in range(len(column.categories))],
        )
    elif column.unit is not None or column.offset:
        axis.set_major_formatter(lambda number, _: column.text(round(number)))
