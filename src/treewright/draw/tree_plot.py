"""`plot_tree`: a tree of this library or of scikit-learn as a picture."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from treewright.data.columns import plain
from treewright.draw.cards import Cards, Orientation
from treewright.draw.drawing import Drawing
from treewright.draw.labels import Labels, short_number
from treewright.draw.patterns import patterned
from treewright.draw.river import River
from treewright.draw.shapes import Group, Rect, Shape, Text, class_area, text_lines
from treewright.draw.svg import Theme
from treewright.draw.typography import BOLD, fit_lines, text_width
from treewright.draw.visible_tree import Rows, Shown, held_by, infinities, read_one, read_rows, show
from treewright.export.text import Writer
from treewright.formatting.colours import number_colour
from treewright.formatting.suggestions import unknown_name
from treewright.formatting.text import counted, printable
from treewright.parameter_types import is_whole
from treewright.tree import Tree
from treewright.tree.from_sklearn import tree_of
from treewright.tree.wrapped import unwrapped

Style: TypeAlias = Literal["cards", "river"]

MARGIN, HEADING, LEGEND = 20.0, 17.0, 13.0
NARROWEST, MOST_KEYS = 400.0, 32
CHOICES = {
    "style": ("cards", "river"),
    "orientation": ("top_down", "left_right"),
    "theme": ("auto", "light", "dark"),
}


def plot_tree(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    row: Any = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    style: Style = "cards",
    orientation: Orientation = "top_down",
    max_leaves: int | None = 24,
    title: str | None = None,
    decimals: int | None = None,
    missing: bool | Collection[int] = False,
    node_ids: bool = False,
    counts: bool = False,
    patterns: bool = False,
    theme: Theme = "auto",
) -> Drawing:
    """Draw a tree.

    Nodes show what they ask, the classes of their rows or the number they predict, and how many rows they
    have; branches are as wide as the rows they carry. With `X` and `y` each node also shows its rows: a
    histogram of the feature it asks for, with the cut, or for regression the target against that feature.
    If they are others than those that the tree was grown on, all counts, shares and widths are theirs, and
    the picture says so; predictions are the tree's. In a browser, pointing at a node tells all about it,
    its surrogates and competitors too.

    Parameters
    ----------
    model : fitted estimator or Tree
        A tree of this library, or a fitted `DecisionTree…` or `ExtraTree…` of scikit-learn.
    X, y : table and target, optional
        Rows to show inside the nodes; the training rows, or others.
    row : dict, Series, list or table of one row, optional
        One row: its path stands out, its values are marked, and its leaf is among those shown.
    feature_names, class_names : sequence of str, optional
        What to call the features, and the classes in the order of `classes_`, in the picture.
    style : {"cards", "river"}
        Cards joined by ribbons, or a river of rows, which stays readable with hundreds of leaves.
    orientation : {"top_down", "left_right"}
        Where the branches of cards lead.
    max_leaves : int or None, default=24
        Show at most so many leaves: what lies below is folded into its node and counted, where most is at
        stake last. None shows all.
    title : str, optional
        The heading; by default the size of the tree.
    decimals : int, optional
        How many decimals numbers show; by default thresholds of many digits are rounded on the branches and
        exact in what a node tells when it is pointed at.
    missing : bool or collection of int, default=False
        Whether to mark the branch that a row takes whose split is unanswered; or the nodes where to.
    node_ids : bool, default=False
        Whether cards show the number of their node.
    counts : bool, default=False
        Whether cards show how many rows of each class they have.
    patterns : bool, default=False
        Whether each class has a pattern beside its colour, for print in black and white; classes beyond the
        eight colours always have one.
    theme : {"auto", "light", "dark"}
        The ground; "auto" follows the settings of whoever looks, and is light on paper.

    Returns
    -------
    Drawing
        Shown by notebooks; `save` writes SVG, and PNG or PDF if matplotlib is installed.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, plot_tree
    >>> X, y = datasets.load_iris()
    >>> drawing = plot_tree(DecisionTreeClassifier(max_depth=2).fit(X, y), X, y)
    >>> drawing
    Drawing('150 rows, 5 nodes, 3 leaves, depth 2', ...)
    >>> drawing.svg[:4]
    '<svg'
    """
    _check_choices(style=style, orientation=orientation, theme=theme)
    _check_numbers(max_leaves=(max_leaves, 1), decimals=(decimals, 0))
    model, prepared = unwrapped(model)
    tree, X, row = tree_of(model), prepared(X), prepared(row)
    if style == "river":
        tree.schema.require_one_target("style='river' draws")
    if X is not None or y is not None:
        tree.schema.require_one_target("a picture with X and y shows")
    if class_names is not None:
        tree.schema.require_one_target("class_names names the classes of")
    one = None if row is None else read_one(tree, row, infinities(model))
    given = None if X is None and y is None else read_rows(tree, X, y, infinities(model))
    tree = _renamed(tree, feature_names, class_names)
    shown = show(tree, max_leaves, None if one is None else Rows(tree, one))
    path = None if one is None else Rows(shown.tree, one)
    if not isinstance(missing, bool):  # nodes of the tree, of which some are folded away
        missing = [node for node, source in enumerate(shown.source.tolist()) if source in missing]
    labels = Labels(shown.tree, decimals, missing)
    rows = None if given is None else Rows(shown.tree, given)
    shown = replace(shown, held=held_by(shown.tree, rows))
    painter = (
        River(shown, labels, path)
        if style == "river"
        else Cards(shown, labels, rows, orientation, node_ids, path, counts)
    )
    shapes, width, height = painter.draw()
    heading, width = _size(tree, shown) if title is None else str(title), max(width, NARROWEST)
    head, top = _head(tree, labels, heading, width, _whose(shown, tree))
    return Drawing(
        tuple(patterned([*head, Group(tuple(shapes), MARGIN, top)], patterns)),
        width + 2 * MARGIN,
        top + height + MARGIN,
        heading,
        _description(tree),
        theme,
    )


def _check_choices(**chosen: str) -> None:
    for name, value in chosen.items():
        if value not in CHOICES[name]:
            raise ValueError(unknown_name(name, value, CHOICES[name]))


def _check_numbers(**given: tuple[int | None, int]) -> None:
    """Refuse numbers below the least each may be."""
    for name, (number, least) in given.items():
        if number is not None and not (is_whole(number) and number >= least):
            raise ValueError(f"{name}={number!r} must be an int of at least {least}, or None.")


def _size(tree: Tree, shown: Shown) -> str:
    """Say how large the tree is; how many rows there are is told elsewhere if they are others."""
    size = Writer(tree, None, None, False, False).size()
    return size.partition(", ")[2] if shown.held.given else size


def _renamed(tree: Tree, features: Sequence[str] | None, classes: Sequence[str] | None) -> Tree:
    """Give a tree whose features and classes are called something else."""
    schema = tree.schema
    for name, given, known in (
        ("feature_names", features, len(schema.columns)),
        ("class_names", classes, 0 if schema.classes is None else len(schema.classes)),
    ):
        if given is not None and (isinstance(given, str) or len(given) != known):
            raise ValueError(f"{name}={given!r} must be {known} names, one for each.")
    if features is not None:
        renamed = zip(schema.columns, map(str, features), strict=True)
        schema = replace(schema, columns=tuple(replace(column, name=name) for column, name in renamed))
    if classes is not None:
        schema = replace(schema, classes=np.array([str(name) for name in classes], object))
    return tree if schema is tree.schema else replace(tree, schema=schema)


def _whose(shown: Shown, tree: Tree) -> str:
    """Say which rows the picture counts, if not those that the tree was grown on."""
    if not shown.held.given:
        return ""
    given, grown = counted(int(shown.held.count[0]), "row"), f"{int(tree.count[0]):,}"
    what = "Counts, bars" if tree.is_classifier else "Counts, points, means"
    return f"{what} and widths are of the {given} given; the tree was grown on {grown} rows."


def _head(tree: Tree, labels: Labels, heading: str, width: float, whose: str) -> tuple[list[Shape], float]:
    """Set the heading, what it is about, and the legend; give them, and where the tree begins."""
    y = MARGIN + HEADING
    lines = fit_lines(heading, width, HEADING * BOLD, 3)
    shapes = text_lines(lines, Text(MARGIN, y, "", HEADING, anchor="start", bold=True))
    y += (len(lines) - 1) * HEADING * 1.25 + LEGEND + 12
    if whose:
        lines = fit_lines(whose, width, LEGEND, 3)
        shapes += text_lines(lines, Text(MARGIN, y, "", LEGEND, "pale", "start"))
        y += len(lines) * LEGEND * 1.6
    if tree.schema.outputs:
        keys, y = _target_keys(tree, width, y)
    elif tree.is_classifier:
        keys, y = _class_keys(tree, labels, width, y)
    else:
        keys = _number_scale(tree, y)
    return shapes + keys, y + 22


def _target_keys(tree: Tree, width: float, y: float) -> tuple[list[Shape], float]:
    """Set for each of several targets, in the order of the bars, the colours of its classes or its range."""
    shapes: list[Shape] = []
    for place, output in enumerate(tree.schema.outputs[:MOST_KEYS]):
        if output.classes is None:
            low, high = (short_number(float(end(tree.node_value[:, place]))) for end in (np.min, np.max))
            shapes.append(
                Text(MARGIN, y, f"{printable(output.name)}: {low} to {high}", LEGEND, anchor="start")
            )
        else:
            labels = [printable(str(plain(label))) for label in output.classes[:MOST_KEYS]]
            names = [(None, f"{printable(output.name)}:"), *enumerate(labels)]
            keys, y = _keys(names, width, y)
            shapes += keys
        y += LEGEND * 1.6
    return shapes, y - LEGEND * 1.6


def _class_keys(tree: Tree, labels: Labels, width: float, y: float) -> tuple[list[Shape], float]:
    """Set the colours of the classes, of very many those of most rows; give them, and their last line."""
    common = np.sort(np.argsort(-tree.node_value[0], kind="stable")[:MOST_KEYS]).tolist()
    names: list[tuple[int | None, str]] = [(code, labels.class_texts[code]) for code in common]
    if len(common) < len(labels.class_texts):
        names.append((None, f"… {len(labels.class_texts) - len(common)} more"))
    return _keys(names, width, y)


def _keys(names: Sequence[tuple[int | None, str]], width: float, y: float) -> tuple[list[Shape], float]:
    """Set names, each behind the colour of its class if it is one; give them, and their last line."""
    shapes: list[Shape] = []
    x = MARGIN
    for code, name in names:
        words = fit_lines(name, 220.0, LEGEND, 1)[0]
        room = LEGEND + 6 + text_width(words, LEGEND) + 14
        if x > MARGIN and x + room > width + MARGIN:
            x, y = MARGIN, y + LEGEND * 1.6
        if code is not None:
            shapes.append(class_area(x, y - LEGEND + 2, LEGEND - 1, LEGEND - 1, code, radius=2))
        shapes.append(Text(x if code is None else x + LEGEND + 5, y, words, LEGEND, "ink", "start"))
        x += room
    return shapes, y


def _number_scale(tree: Tree, y: float) -> list[Shape]:
    """Draw the colours from the lowest to the highest number that a node predicts, or is the mean of."""
    word = "predicts" if tree.equations is None else "means"
    low, high = (short_number(float(number)) for number in (tree.node_value.min(), tree.node_value.max()))
    shapes: list[Shape] = [Text(MARGIN, y, f"{word} {low}", LEGEND, anchor="start")]
    if low == high:
        return shapes
    x, steps, step = MARGIN + text_width(f"{word} {low}", LEGEND) + 6, 40, 3.0
    for index in range(steps):  # each lies over the end of the one before: no seams
        colour, rest = number_colour(index / (steps - 1)), (steps - index) * step
        shapes.append(Rect(x + index * step, y - LEGEND + 3, rest, LEGEND - 2, colour))
    return [*shapes, Text(x + steps * step + 7, y, high, LEGEND, anchor="start")]


def _description(tree: Tree) -> str:
    """Say to those who cannot see the picture what the tree is."""
    from treewright.export.text import export_text

    return export_text(tree, max_depth=3, max_categories=5)
