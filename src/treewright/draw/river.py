"""The style `river` of a tree plot: nodes as bars as wide as their rows, for trees of many leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from treewright.draw.labels import Labels
from treewright.draw.layout import centres
from treewright.draw.node_plots import value_share
from treewright.draw.shapes import FAINT, RIBBON_OPACITY, Group, Rect, Ribbon, Shape, Text, text_lines
from treewright.draw.typography import BOLD, fit_lines, text_width
from treewright.draw.visible_tree import Rows, Shown
from treewright.export.text import percent
from treewright.formatting.colours import class_colour, number_colour
from treewright.formatting.text import counted

Array = NDArray[np.float64]

STREAM, SLOT, LEVEL, BAR, FEWEST, NARROWEST = 460.0, 150.0, 122.0, 12.0, 16, 70.0
"""Breadth of the river, room of a leaf with words, height of a level, thickness of a bar; up to so many
leaves all have words, and in a river twice as broad bars of some width."""


@dataclass(frozen=True)
class River:
    """Draws the nodes of a shown tree as bars, and its branches as what flows between them."""

    shown: Shown
    labels: Labels
    row: Rows | None = None

    def draw(self) -> tuple[list[Shape], float, float]:
        """Give the shapes, and the size of the page they take."""
        tree, weight = self.shown.tree, self.shown.held.weight
        few = tree.n_leaves <= FEWEST
        broad = STREAM if few else max(2 * STREAM, 2.0 * tree.n_leaves)
        scale = broad / (weight[0] or 1.0)
        width = weight * scale
        room = np.maximum(width, SLOT if few else 2.0)
        x = centres(tree, room, 0.0 if few else 3.0, pull=weight)  # the main stream runs straight
        level = LEVEL if few or tree.depth < 8 else LEVEL * 0.7
        y = np.asarray(22.0 + level * tree.node_depth, np.float64)
        shapes = [shape for node in range(len(tree)) for shape in self._branches(node, x, y, scale)]
        for node in range(len(tree)):
            bar = self._bar(node, x, y, scale)
            shapes.append(Group(tuple(bar), tip=self.labels.tip(node, self.shown.held)))
        for node in range(len(tree)):
            if few or width[node] >= NARROWEST:
                shapes += self._words(
                    node, float(x[node]), float(y[node]), float(room[node]), 3 if few else 2
                )
        return shapes, float((x + np.maximum(width, SLOT if few else 0) / 2).max()), float(y.max() + BAR + 44)

    def _colours(self, node: int) -> list[tuple[str, float]]:
        """Give the colours of a node with the weight of each."""
        tree, held = self.shown.tree, self.shown.held
        if tree.is_classifier:
            return [(class_colour(code), weight) for code, weight in enumerate(held.value[node].tolist())]
        return [(number_colour(value_share(tree, node)), float(held.weight[node]))]

    def _branches(self, node: int, x: Array, y: Array, scale: float) -> Iterable[Shape]:
        """Each class of a bar is shared out among the children, in order."""
        tree, held = self.shown.tree, self.shown.held.weight
        begin = [weight * scale for _, weight in self._colours(node)]
        starts = list(accumulate(begin, initial=float(x[node] - held[node] * scale / 2)))
        for child in tree.children(node):
            end = float(x[child] - held[child] * scale / 2)
            seen = FAINT if self.row and not len(self.row.at(child)) else RIBBON_OPACITY
            if not held[child]:
                continue
            for place, (colour, weight) in enumerate(self._colours(child)):
                width = weight * scale
                if width > 0:
                    above, below = (starts[place], y[node] + BAR), (end, y[child])
                    code = place if tree.is_classifier else None
                    yield Ribbon(above, below, width, colour, opacity=seen, class_code=code)
                starts[place] += width
                end += width

    def _bar(self, node: int, x: Array, y: Array, scale: float) -> Iterable[Shape]:
        weight = self.shown.held.weight[node]
        left = float(x[node] - weight * scale / 2)
        if not weight:
            yield Rect(left - 1, float(y[node]), 2, BAR, "edge")
            return
        for code, (colour, part) in enumerate(self._colours(node)):
            if part > 0:
                bar = Rect(left, float(y[node]), part * scale, BAR, colour)
                yield replace(bar, class_code=code) if self.shown.tree.is_classifier else bar
                left += part * scale

    def _words(self, node: int, x: float, y: float, room: float, most: int) -> Iterable[Shape]:
        """Write in at most so many lines what leads to a node, and at a leaf what it predicts."""
        lines = self.labels.lines(node, room - 6, 13.0, most, whole=True)
        bound = self.labels.answer(node).partition(" ")[0]
        if most < 3 and (lines[-1].endswith("…") or not any(bound in line for line in lines)):
            lines = []  # half a number tells nothing
        top = Text(x, y - 9 - 16 * (len(lines) - 1), "", 13.0, halo=True)
        yield from text_lines(lines, top)
        if self.shown.tree.is_leaf(node):
            words = fit_lines(self.labels.prediction(node), room - 6, 14.0 * BOLD, 1)
            yield from text_lines(words, Text(x, y + BAR + 18, "", 14.0, bold=True))
            yield from text_lines(self._note(node, room), Text(x, y + BAR + 35, "", 12.0, "pale"))

    def _note(self, node: int, room: float) -> list[str]:
        """Say how many rows a leaf has and, where there is room, how many leaves or how sure it is."""
        tree, folded = self.shown.tree, int(self.shown.hidden[node])
        held = self.shown.held
        rows, more = counted(int(held.count[node]), "row"), ""
        if folded:
            more = f" in {counted(folded, 'leaf', 'leaves')}"
        elif tree.is_classifier and held.weight[node] > 0:
            more = f", {percent(held.share(tree, node))} %"
        return [rows + more if text_width(rows + more, 12.0) <= room else rows]
