"""Plots inside nodes: class probabilities, histograms with the cut, targets as points."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.data import Column
from treewright.data.columns import value_text
from treewright.draw.labels import short_number
from treewright.draw.shapes import Dot, Group, Polygon, Rect, Shape, Text, class_area
from treewright.draw.typography import fit_lines, text_width
from treewright.draw.visible_tree import Rows, Shown, reach
from treewright.formatting.colours import class_colour, number_colour
from treewright.formatting.text import counted
from treewright.tree import Tree
from treewright.tree.splits import Hyperplane, Sphere, Split, Table, cuts_of

Array = NDArray[np.float64]

MARK = "#d55e00"
"""The colour of the row in question."""

BINS = 24
MOST_BARS = 24
MOST_DOTS = 120
SMALL_BAR, BAR_GAP = 6.0, 2.0
"""The bar of one of several targets, and the room between two."""

AXIS, SMALL = 12.0, 9.0
"""Room below a plot for the ends of its axis, and the size of their text."""


def value_bar(shown: Shown, node: int, width: float, height: float, y: float) -> list[Shape]:
    """Draw the class probabilities at a node, or where its number lies in the tree's range.

    Of several targets there is a bar for each, one below the other.
    """
    n_outputs = shown.tree.schema.n_outputs
    each = (height - (n_outputs - 1) * BAR_GAP) / n_outputs
    return [
        shape
        for output in range(n_outputs)
        for shape in _value_bar(shown, node, output, width, (y + output * (each + BAR_GAP), each))
    ]


def bars_height(tree: Tree, one: float) -> float:
    """Give the height of the bars of all targets, that of one target being given."""
    n_outputs = tree.schema.n_outputs
    return one if n_outputs == 1 else n_outputs * (SMALL_BAR + BAR_GAP) - BAR_GAP


def _value_bar(shown: Shown, node: int, output: int, width: float, place: tuple[float, float]) -> list[Shape]:
    """Draw the bar of one target, its top and its height being given."""
    tree, (y, height) = shown.tree, place
    left = -width / 2
    shapes: list[Shape] = [Rect(left, y, width, height, "soft", 2)]
    if not tree.is_classifier:
        share = value_share(tree, node, output)
        shapes.append(Rect(left, y, max(width * share, 2), height, number_colour(share), 2))
        return shapes
    n_classes = tree.schema.n_classes
    value = shown.held.value[node, output * n_classes : (output + 1) * n_classes]
    for code, share in enumerate((value / (value.sum() or 1.0)).tolist()):
        if share > 0:
            shapes.append(class_area(left, y, width * share, height, code))
            left += width * share
    return shapes


def value_share(tree: Tree, node: int, output: int = 0) -> float:
    """Give where a node's number lies between the lowest and the highest of the tree, from 0 to 1."""
    value = tree.node_value[:, output] / 2  # halves: the range may be beyond all numbers
    low, high = value.min(), value.max()
    return float((value[node] - low) / (high - low)) if high > low else 0.5


class _Axis(NamedTuple):
    """A range of numbers in bins of equal width, none on both sides of a cut."""

    low: float
    high: float
    lowest: float
    highest: float

    @classmethod
    def around(cls, values: Array, cuts: tuple[float, ...]) -> _Axis:
        """Take all numbers but rare ones far out, and always the cuts; the first of them parts two bins."""
        lowest, highest = reach(values)
        low, high = min(lowest, cuts[0]), max(highest, cuts[-1])
        room = 0.04 * (high - low) or 0.5
        low, high = min(lowest, cuts[0] - room), max(highest, cuts[-1] + room)
        step = (high - low) / BINS
        low = cuts[0] - math.ceil((cuts[0] - low) / step - 1e-9) * step
        return cls(low, low + (BINS + 1) * step, lowest, highest)

    def share(self, number: Any) -> Any:
        """Give where a number lies on the axis, from 0 to 1."""
        return (number - self.low) / (self.high - self.low)

    def bins(self, values: Array) -> NDArray[np.int64]:
        """Give the bin of each number; one at the cut belongs to the bin on its left."""
        place = np.ceil(self.share(values) * (BINS + 1) - 1e-9) - 1
        return np.asarray(np.clip(place, 0, BINS), np.int64)


@dataclass(frozen=True)
class SplitPlot:
    """Draws the rows of a node over what its split looks at, and where it cuts.

    Numbers are a histogram, categories bars, a split over several features the sum that it compares.

    Parameters
    ----------
    rows : Rows
        The rows of the tree.
    width, height : float
        Of the plot itself; the axis takes `AXIS` more.
    row : Rows or None
        One row, whose value is marked.
    """

    rows: Rows
    width: float
    height: float
    row: Rows | None = None

    def draw(self, node: int, y: float) -> list[Shape]:
        """Draw the plot of a node, in the middle around 0, its top at y."""
        tree = self.rows.tree
        split = tree[node].split
        assert split is not None
        values, target = self.rows.compared(split, node), self.rows.target(node)
        known = ~np.isnan(values)
        ground = _line([(-self.width / 2, y + self.height), (self.width / 2, y + self.height)], "edge")
        shapes: list[Shape] = [ground]
        if not known.any():
            return shapes
        values, target = values[known], target[known]
        if isinstance(split, Table):
            return shapes + self._categories(split, node, values.astype(np.int64), target, y)
        cuts = cuts_of(split)
        column = column_of(split, tree)
        axis = _Axis.around(values, cuts)
        shapes += self._ends(column, axis, axis.share(np.array(cuts)), y)
        if tree.is_classifier:
            shapes += self._histogram(axis.bins(values), target, y)
        else:
            shapes += self._dots(axis.share(np.clip(values, axis.low, axis.high)), target, y)
        shapes += self._cuts(node, axis.share(np.array(cuts)), y)
        value = value_of(self.row, split, node)
        return shapes + ([] if value is None else self._mark(float(np.clip(axis.share(value), 0, 1)), y))

    def _mark(self, share: float, y: float) -> list[Shape]:
        """Mark on top where the row in question stands."""
        x = self.width * (share - 0.5)
        return [
            _line([(x, y), (x, y + self.height)], MARK, 1.2),
            Polygon(((x - 5, y - 3), (x + 5, y - 3), (x, y + 5)), MARK),
        ]

    # ---- numbers ---------------------------------------------------------------------------------

    def _ends(self, column: Column | None, axis: _Axis, cuts: Array, y: float) -> list[Shape]:
        """Write the lowest and the highest number below the axis, unless the mark of the cut is there."""
        shapes: list[Shape] = []
        foot, half = y + self.height + AXIS - 2, self.width / 2
        for number, share, anchor in ((axis.lowest, 0, "start"), (axis.highest, 1, "end")):
            words = fit_lines(axis_text(column, number), self.width * 0.45, SMALL, 1)[0]
            if np.abs(cuts - share).min() * self.width > text_width(words, SMALL) + 6:
                shapes.append(Text(half * (2 * share - 1), foot, words, SMALL, "pale", anchor))  # type: ignore[arg-type]
        return shapes

    def _histogram(self, bins: NDArray[np.int64], target: NDArray[np.int32], y: float) -> list[Shape]:
        """Stack the classes of each bin."""
        counts = _table(bins, target, BINS + 1, self.rows.tree.node_value.shape[1])
        step = self.width / (BINS + 1)
        lefts = [step * index - self.width / 2 for index in range(BINS + 1)]
        return [shape for column in self._stacks(counts, lefts, step * 0.92, y) for shape in column]

    def _stacks(self, counts: Array, lefts: list[float], width: float, y: float) -> list[list[Shape]]:
        """Draw columns of classes, each a list of its own."""
        columns = []
        tallest = counts.sum(axis=1).max() or 1.0
        for stack, left in zip(counts.tolist(), lefts, strict=True):
            foot = y + self.height
            shapes: list[Shape] = []
            for code, count in enumerate(stack):
                if count:
                    height = count / tallest * (self.height - 4)
                    foot -= height
                    shapes.append(class_area(left, foot, width, height, code))
            columns.append(shapes)
        return columns

    def _dots(self, share: Array, target: Array, y: float) -> list[Shape]:
        """Draw rows as points: across by the feature, upwards by the target."""
        some = np.linspace(0, len(share) - 1, min(len(share), MOST_DOTS)).astype(np.int64)
        order = np.argsort(share, kind="stable")[some]
        return [
            Dot(-self.width / 2 + self.width * x, self._height(t, y), 1.7, class_colour(0), 0.6)
            for x, t in zip(share[order].tolist(), target[order].tolist(), strict=True)
        ]

    def _height(self, number: float, y: float) -> float:
        """Give where a target stands; all nodes share one scale."""
        return float(y + self.height - 2 - self.rows.target_share(number) * (self.height - 4))

    def _cuts(self, node: int, shares: Array, y: float) -> list[Shape]:
        """Draw the cuts, and in regression the values between them."""
        foot, tree = y + self.height, self.rows.tree
        places = (self.width * (np.clip(shares, 0, 1) - 0.5)).tolist()
        shapes: list[Shape] = []
        for x in places:
            shapes.append(_line([(x, y), (x, foot)], "cut", 1.2, dashed=True))
            shapes.append(Polygon(((x, foot + 1), (x - 4, foot + 8), (x + 4, foot + 8)), "cut"))
        if not tree.is_classifier:
            ends = pairwise([-self.width / 2, *places, self.width / 2])
            for child, (left, right) in zip(tree.children(node), ends, strict=True):
                height = self._height(float(tree.node_value[child, 0]), y)
                shapes.append(_line([(left, height), (right, height)], class_colour(5), 2))
        return shapes

    # ---- categories ------------------------------------------------------------------------------

    def _categories(
        self, split: Table, node: int, codes: NDArray[np.int64], target: NDArray[np.float64], y: float
    ) -> list[Shape]:
        """Draw a bar, or a column of points, for each category, those of a branch together."""
        counts = np.bincount(codes)
        common = set(np.argsort(-counts, kind="stable")[:MOST_BARS].tolist())
        groups = [[code for code in group if code in common and counts[code]] for group in split.groups]
        groups = [group for group in groups if group]
        bars = [code for group in groups for code in group]
        if not bars:
            return []
        pitch = self.width / (len(bars) + 0.7 * (len(groups) - 1))
        lefts, left = [], -self.width / 2
        for group in groups:
            lefts += [left + pitch * index for index in range(len(group))]
            left += pitch * (len(group) + 0.7)
        names = [value_text(self.rows.tree.schema.columns[split.feature], code) for code in bars]
        if self.rows.tree.is_classifier:
            n_classes = self.rows.tree.node_value.shape[1]
            table = _table(codes, target.astype(np.int32), len(counts), n_classes)[bars]
            columns = self._stacks(table, [left + pitch * 0.06 for left in lefts], pitch * 0.88, y)
        else:
            of_bars = [target[codes == code] for code in bars]
            columns = [self._column(left, pitch, t, y) for left, t in zip(lefts, of_bars, strict=True)]
        shapes: list[Shape] = [
            Group(tuple(column), tip=f"{name}: {counted(int(counts[code]), 'row')}")
            for column, name, code in zip(columns, names, bars, strict=True)
        ]
        shapes += self._names(names, [len(group) for group in groups], lefts, pitch, y)
        value = value_of(self.row, split, node)
        if value in bars:
            shapes += self._mark((lefts[bars.index(int(value))] + pitch / 2) / self.width + 0.5, y)
        return shapes

    def _column(self, left: float, pitch: float, target: Array, y: float) -> list[Shape]:
        """Draw the targets of a category as points, and their mean."""
        spread = (np.arange(len(target)) * 0.618034) % 1  # golden steps: even, and the same every time
        share = np.asarray((left + self.width / 2 + pitch * (0.1 + 0.8 * spread)) / self.width)
        height = self._height(float(target.mean()), y)
        mean = _line([(left, height), (left + pitch * 0.94, height)], class_colour(5), 2)
        return [*self._dots(share, target, y), mean]

    def _names(
        self, names: list[str], sizes: list[int], lefts: list[float], pitch: float, y: float
    ) -> list[Shape]:
        """Write the categories below their bars if most have room, else underline those of a branch."""
        foot = y + self.height
        places = [left + pitch / 2 for left in lefts]
        room = min([pitch + 16, *(after - before for before, after in pairwise(places))]) - 3
        written = [fit_lines(name, room, SMALL, 1)[0] for name in names]
        if 2 * sum(map(operator.eq, written, names)) > len(names):
            return [
                Text(place, foot + AXIS - 2, words, SMALL, "pale")
                for words, place in zip(written, places, strict=True)
            ]
        ends = list(accumulate(sizes, initial=0))
        return [
            _line([(lefts[begin] + 2, foot + 5), (lefts[end - 1] + pitch - 2, foot + 5)], "pale", 2)
            for begin, end in pairwise(ends)
        ]


def target_plot(rows: Rows, node: int, width: float, height: float, y: float) -> list[Shape]:
    """Draw the targets of a node's rows as a histogram over the range of all, and the node's own number."""
    place = np.minimum(rows.target_share(rows.target(node)) * BINS, BINS - 1).astype(np.int64)
    counts = np.bincount(place, minlength=BINS)
    step, tallest, foot = width / BINS, counts.max(initial=0) or 1, y + height
    shapes: list[Shape] = [_line([(-width / 2, foot), (width / 2, foot)], "edge")]
    for index, count in enumerate(counts.tolist()):
        if count:
            tall = count / tallest * (height - 4)
            shapes.append(Rect(-width / 2 + step * index, foot - tall, step * 0.92, tall, class_colour(0)))
    x = width * (float(rows.target_share(rows.tree.node_value[node, 0])) - 0.5)
    return [*shapes, _line([(x, y), (x, foot)], class_colour(5), 2)]


def value_of(row: Rows | None, split: Split, node: int) -> float | None:
    """Give what a split compares of a row that comes to its node; None if there is none, or it is missing."""
    if row is None or not len(row.at(node)):
        return None
    value = float(row.compared(split, node)[0])
    return None if math.isnan(value) else value


def column_of(split: Split, tree: Tree) -> Column | None:
    """Give the column that a split looks at; None if they are several."""
    return None if isinstance(split, Hyperplane | Sphere) else tree.schema.columns[split.feature]


def split_is_drawn(split: Split | None) -> bool:
    """Whether there is something to draw of a split: all but *known or missing* have a scale."""
    return split is not None and not any(map(math.isinf, cuts_of(split)))


def axis_text(column: Column | None, number: float) -> str:
    """Write a number on an axis, of a feature or of a sum of several."""
    if column is None or (column.kind == "numeric" and column.unit is None):
        return short_number(number + (0 if column is None else column.offset))
    return value_text(column, number)


def _table(place: NDArray[np.int64], target: NDArray[np.int32], n_places: int, n_classes: int) -> Array:
    """Count classes by place."""
    flat = np.bincount(place * n_classes + target, minlength=n_places * n_classes)
    return flat.reshape(n_places, n_classes).astype(np.float64)


def _line(points: list[tuple[float, float]], stroke: str, width: float = 1.0, dashed: bool = False) -> Shape:
    return Polygon(tuple(points), None, stroke, width, dashed=dashed)
