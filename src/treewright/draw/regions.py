"""`plot_regions`: decision regions and boundaries of a tree over two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Column, Dataset, Schema
from treewright.data.columns import MISSING
from treewright.draw.labels import Labels
from treewright.draw.plane import Plane
from treewright.draw.visible_tree import infinities, read_rows, said, stored_value
from treewright.errors import DataError, DataTypeError
from treewright.formatting.axes import axes_for, name_ticks, plain_text
from treewright.formatting.colours import CLASS_COLOURS, SCALE, class_colour
from treewright.formatting.text import counted
from treewright.tree import Tree
from treewright.tree.from_sklearn import tree_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_POINTS, MOST_KEYS = 2000, 32
MARKERS = "os^Dv<>P"
BESIDE: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}


def plot_regions(
    model: Any,
    X: Any,
    y: Any = None,
    features: Sequence[str | int] | None = None,
    *,
    others: Mapping[str, Any] | None = None,
    legend: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what a tree predicts in the plane of two features, its cuts as lines and the rows as points.

    Thresholds cut the plane as with a guillotine, each within what the cuts above have left of it;
    hyperplanes are oblique lines, spheres ellipses. Cuts near the root are drawn heavier. A categorical
    feature has a stripe for each category, over which its rows are strewn.

    Parameters
    ----------
    model : fitted estimator or Tree
        A tree of this library or of scikit-learn, or a forest of this library, whose many cuts are not drawn.
    X : table
        Rows: they say how far the plane reaches and where the other features stand.
    y : target, optional
        Colours the points; without it no points are drawn.
    features : two names or numbers of features, optional
        The plane; by default the two that matter most to the tree, numbers before categories.
    others : mapping from name to value, optional
        Where the other features stand; by default at their median, or their most frequent category.
    legend : bool, optional
        Whether to name the classes beside the plot; by default unless another plot lies there.
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
    trees = _trees(model)
    tree = tree_of(model) if trees is None else trees[0]
    importance = tree.compute_feature_importances() if trees is None else model.feature_importances_
    numbers, codes = tree.schema.encode(X, inf=infinities(model), check_names=False)
    across, up = _plane(tree.schema, importance, features)
    fixed = _fixed(tree.schema, numbers, codes, others)
    reach = (_reach(tree, across, numbers), _reach(tree, up, numbers))
    answer = partial(said, tree) if trees is None else partial(_votes, model)
    plane = Plane(tree, (across, up), fixed, reach, answer)
    names = tree.schema.names
    used = set(np.flatnonzero(importance > 0).tolist()) - {across, up}
    size = counted(tree.n_leaves, "leaf", "leaves") if trees is None else counted(len(trees), "tree")
    title = f"Regions of a {'tree' if trees is None else 'forest'} of {size}"
    title += f", {counted(len(used), 'other feature')} fixed" if used else ""
    ax = axes_for(ax, title, names[across], names[up])
    rows = None if y is None else read_rows(tree, X, y, infinities(model))
    scale = None if tree.is_classifier else _scale(plane.value, rows)
    plane.paint(ax, scale)
    if trees is None:
        plane.draw_cuts(ax)
    if rows is not None:
        _points(ax, rows, (across, up), scale)
    if tree.is_classifier:
        texts = [plain_text(text, 24) for text in Labels(tree).class_texts]
        if legend if legend is not None else not _has_neighbour(ax):
            _key(ax, texts, with_points=rows is not None)
        if trees is None and len(texts) > len(CLASS_COLOURS):
            plane.name_regions(ax, texts)
    for axis, feature, ends in zip((ax.xaxis, ax.yaxis), (across, up), plane.reach, strict=True):
        _name_positions(axis, tree.schema.columns[feature], ends)
    ax.set(xlim=plane.reach[0], ylim=plane.reach[1])
    return ax


def _trees(model: Any) -> Any:
    """Give the trees of a forest of this library, and None of a tree."""
    if hasattr(type(model), "estimators_"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
    if hasattr(model, "estimators_") and type(model).__module__.startswith("sklearn."):
        raise DataTypeError(
            f"{type(model).__name__} is a forest of scikit-learn: give treewright.from_sklearn(forest)."
        )
    return getattr(model, "trees_", None)


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
    if features is not None:
        if len(features) != 2:
            raise ValueError(f"features={list(features)!r} must be two features.")
        across, up = (schema.feature(feature) for feature in features)
        if across == up:
            raise ValueError(f"features={list(features)!r} must be two different features.")
        return across, up
    if schema.n_inputs < 2:
        raise DataError(f"a plane needs two features, the tree has {schema.n_inputs}.")

    def rank(place: int) -> tuple[bool, bool, float]:
        """Numbers before categories, and features that matter before all others."""
        return importance[place] == 0, schema.columns[place].kind == "categorical", -importance[place]

    two = sorted(sorted(range(schema.n_inputs), key=rank)[:2])
    return two[0], two[1]


def _fixed(
    schema: Schema, numbers: Array, codes: NDArray[np.int32], others: Mapping[str, Any] | None
) -> tuple[Array, NDArray[np.int32]]:
    """Give one row: where every feature stands that does not vary."""
    middle = np.array([_median(column) for column in numbers.T])
    common = np.array([_mode(column) for column in codes.T], np.int32)
    for name, value in (others or {}).items():
        place = schema.feature(name)
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
    """Give from where to where an axis goes: a little beyond all rows, or over all categories."""
    if tree.schema.columns[feature].kind == "categorical":
        return -0.5, len(tree.schema.columns[feature].categories) - 0.5
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
    x, y = (_places(rows, feature, chosen) for feature in features)
    target = rows.target[chosen]
    edge: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.5, "s": 22, "zorder": 3}
    if rows.schema.classes is None:
        ax.scatter(x, y, c=target, **edge, **(scale or {}))
        return
    for code in np.unique(target).tolist():
        here = target == code
        ax.scatter(x[here], y[here], color=class_colour(code), marker=_marker(code), **edge)


def _places(rows: Dataset, feature: int, chosen: NDArray[np.int64]) -> Array:
    """Give where rows stand on an axis; those of a category are strewn over its cell."""
    position = rows.schema.position[feature]
    if rows.schema.columns[feature].kind != "categorical":
        return np.asarray(rows.numbers[chosen, position])
    codes = rows.codes[chosen, position].astype(np.float64)
    strewn = np.random.default_rng(feature).uniform(-0.38, 0.38, len(codes))
    return np.where(codes < 0, np.nan, codes + strewn)


def _marker(code: int) -> str:
    """Give the form of a class's points: another one when the colours begin anew."""
    return MARKERS[code // len(CLASS_COLOURS) % len(MARKERS)]


def _has_neighbour(ax: Axes) -> bool:
    """Whether another plot of the figure lies to the right of this one."""
    own = ax.get_position()
    others = (other.get_position() for other in ax.figure.axes if other is not ax)
    return any(other.x0 >= own.x1 - 1e-9 and other.y0 < own.y1 and other.y1 > own.y0 for other in others)


def _key(ax: Axes, texts: list[str], with_points: bool) -> None:
    """Name the classes beside the plot, each with its points, or with its colour where there are none."""
    from matplotlib.lines import Line2D

    size = 5 if with_points else 7
    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=_marker(code) if with_points else "s",
            markersize=size,
            color=class_colour(code),
            label=text,
        )
        for code, text in enumerate(texts[:MOST_KEYS])
    ]
    if len(texts) > MOST_KEYS:
        handles.append(Line2D([], [], linestyle="", label=f"… {len(texts) - MOST_KEYS} more"))
    columns = 1 if len(handles) <= 16 else 2
    ax.legend(handles=handles, frameon=False, fontsize="small", ncols=columns, handletextpad=0.2, **BESIDE)


def _name_positions(axis: Any, column: Column, ends: tuple[float, float]) -> None:
    """Write categories, values of ordinal features and dates at the ticks."""
    if column.kind != "numeric":
        name_ticks(axis, [str(column.text(code)) for code in range(len(column.categories))])
        return
    if column.unit is not None:
        axis.set_ticks(_times(column.unit, column.offset, *ends))
    if column.unit is not None or column.offset:
        axis.set_major_formatter(lambda number, _: column.text(round(number)))


def _times(unit: str, offset: int, low: float, high: float) -> Array:
    """Give four times of an axis; dates that are days apart are whole days."""
    times = np.linspace(low, high, 6)[1:-1]
    if not unit.startswith("datetime64") or np.datetime_data(unit)[0] in ("Y", "M"):
        return times
    day = float(np.timedelta64(1, "D") / np.array(1, unit.replace("datetime", "timedelta")))
    begun = offset % day  # of the day in which stored numbers begin
    return np.rint((times + begun) / day) * day - begun if high - low >= 8 * day else times
