"""The style `cards` of a tree plot: nodes as cards, joined by ribbons as wide as their rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.draw.branches import Way, ways
from treewright.draw.labels import SPACE, Labels, short_number
from treewright.draw.layout import centres, level_starts
from treewright.draw.node_plots import (
    AXIS,
    SplitPlot,
    axis_text,
    bars_height,
    column_of,
    split_is_drawn,
    target_plot,
    value_bar,
    value_of,
    value_share,
)
from treewright.draw.shapes import FAINT, RIBBON_OPACITY, Group, Rect, Ribbon, Shape, Text, text_lines
from treewright.draw.typography import BOLD, fit_lines, text_width
from treewright.draw.visible_tree import Rows, Shown
from treewright.export.text import percent
from treewright.formatting.colours import class_colour, number_colour
from treewright.formatting.text import counted
from treewright.tree.splits import Hyperplane, Sphere

Orientation: TypeAlias = Literal["top_down", "left_right"]

WIDEST, NARROWEST, PLOT_WIDTH, PLOT_HEIGHT = 176.0, 84.0, 156.0, 58.0
THINNEST = 0.15
"""Stripes of a branch below this width are left to the others: nobody would see them."""

MOST_EQUATION_LINES, WIDEST_TERM = 8, 230.0
PADDING, BAR, FLOW = 10.0, 9.0, 36.0
GAP, SIDEWAYS_GAP = 40.0, 64.0
"""Between two levels, where branches run across: wider than all rows together."""

TITLE, WORDS, SMALL = 13.0, 12.0, 12.0
LINE = 1.25
Array = NDArray[np.float64]


class Block(NamedTuple):
    """A node's words and card: shapes from y = 0 down, the card around x = 0 and below the first `above`.

    `width` is that of words and card together: the words stand in the middle over the card, or in a tree that
    grows sideways begin where it begins.
    """

    shapes: tuple[Shape, ...]
    card_width: float
    width: float
    above: float
    height: float

    @property
    def middle(self) -> float:
        """How far down the middle of the card is."""
        return (self.above + self.height) / 2


def _lines(words: str, most: int) -> list[str]:
    """Set small words in at most so many lines of a card, none with the sign between words at its end."""
    lines = fit_lines(words, WIDEST - 2 * PADDING, SMALL, most)
    return [line.strip(f" ·{SPACE}") for line in lines]


def _terms(equation: str, most: int) -> list[str]:
    """Set an equation in at most so many lines, each term on its own."""
    terms = re.split(r",? (?=[−+] )", equation)
    lines = [line for term in terms for line in fit_lines(term, WIDEST_TERM - 2 * PADDING, TITLE * BOLD, 2)]
    return lines if len(lines) <= most else [*lines[: most - 1], "…"]


@dataclass(frozen=True)
class Cards:
    """Draws the nodes of a shown tree as cards, and its branches as ribbons.

    A card has the node's condition, counts and value, and a small plot of its rows if there are any.

    Parameters
    ----------
    shown : Shown
        What to draw.
    labels : Labels
        The words of the shown tree.
    rows : Rows or None
        Rows for the plots inside the cards.
    orientation : {"top_down", "left_right"}
        Where the branches lead.
    node_ids : bool
        Whether cards show the number of their node.
    row : Rows or None
        One row, whose path is drawn.
    counts : bool
        Whether cards show how many rows of each class there are.
    """

    shown: Shown
    labels: Labels
    rows: Rows | None
    orientation: Orientation
    node_ids: bool
    row: Rows | None = None
    counts: bool = False

    def draw(self) -> tuple[list[Shape], float, float]:
        """Give the shapes, and the size of the page they take."""
        tree = self.shown.tree
        blocks = [self._block(node) for node in range(len(tree))]
        width = np.array([block.width for block in blocks])
        height = np.array([block.height for block in blocks])
        sideways = self.orientation == "left_right"
        if sideways:
            y = centres(tree, height, 14.0) - height / 2
            left = level_starts(tree, width, SIDEWAYS_GAP)
            x = left + np.array([block.card_width for block in blocks]) / 2
        else:
            x = centres(tree, width, 18.0)
            left = x - width / 2
            y = level_starts(tree, height, GAP)
        shapes: list[Shape] = list(self._ribbons(blocks, x, y, sideways))
        for node, block in enumerate(blocks):
            tip = self.labels.tip(node, self.shown.held)
            shapes.append(Group(block.shapes, float(x[node]), float(y[node]), tip))
        return shapes, float((left + width).max()), float((y + height).max())

    def _block(self, node: int) -> Block:
        """Set the words that lead to a node, and its card."""
        tree = self.shown.tree
        answer = self.labels.lines(node, WIDEST, WORDS, 3) if node else []
        content, content_width, content_height = self._content(node)
        widths = [text_width(line, WORDS) for line in answer]
        card_width = content_width + 2 * PADDING
        above = len(answer) * WORDS * LINE + (5 if answer else 0)
        card_height = content_height + PADDING
        colour = self._colour(node)
        is_leaf = tree.is_leaf(node)
        sideways = self.orientation == "left_right"
        words = Text(0, WORDS, "", WORDS, halo=True)
        if sideways:
            words = replace(words, x=-card_width / 2, anchor="start")
        shapes: list[Shape] = text_lines(answer, words, LINE)
        if self.shown.hidden[node]:  # a second card behind tells that there is more
            shapes.append(
                Rect(-card_width / 2 + 4, above + 4, card_width, card_height, "card", 8, stroke="edge")
            )
        card = Rect(-card_width / 2, above, card_width, card_height, "card", 8, colour if is_leaf else "edge")
        shapes.append(replace(card, stroke="cut", line=2.0) if self.row and self._on_path(node) else card)
        if is_leaf:
            shapes.append(Rect(-card_width / 2, above, card_width, card_height, colour, 8, opacity=0.14))
        shapes.append(Group(tuple(content), 0, above))
        behind = 4 if self.shown.hidden[node] else 0
        width = max(card_width + (1 if sideways else 2) * behind, *widths, 0)
        height = above + card_height + behind
        if not self._on_path(node):  # a veil
            left = -card_width / 2 if sideways else -width / 2
            shapes.append(Rect(left - 1, 0, width + 2, height + 1, "ground", opacity=0.6))
        return Block(tuple(shapes), card_width, width, above, height)

    def _on_path(self, node: int) -> bool:
        """Whether a node is on the way of the row in question; all are if there is none."""
        return self.row is None or len(self.row.at(node)) > 0

    def _content(self, node: int) -> tuple[list[Shape], float, float]:
        """Give the shapes of a card, their width and their height."""
        tree, folded = self.shown.tree, int(self.shown.hidden[node])
        is_leaf, is_plotted = tree.is_leaf(node), self._is_plotted(node)
        title = self.labels.prediction(node) if is_leaf else self.labels.question(node)
        several = len(tree.schema.outputs)
        most = (
            MOST_EQUATION_LINES
            if is_leaf and tree.equations is not None
            else max(2, min(several, 6))
            if is_leaf
            else 6
            if isinstance(tree[node].split, Hyperplane | Sphere)
            else 3
        )
        lines = fit_lines(title, WIDEST - 2 * PADDING, TITLE * BOLD, most)
        if several and is_leaf:
            lines = self._predictions(node, most)
        elif is_leaf and tree.equations is not None:
            lines = _terms(title, most)
        notes = _lines(self._note(node), 2)
        if self.counts and tree.is_classifier and not several:
            held = self.shown.held
            words = self.labels.class_counts(held.value[node] * (held.count[node] > 0))
            notes += _lines(" · ".join(words), len(words))
        if folded:
            notes.append(f"… {counted(folded, 'leaf', 'leaves')} folded")
        texts = [text_width(line, TITLE, bold=True) for line in lines]
        texts += [text_width(line, SMALL) for line in notes]
        width = max(PLOT_WIDTH if is_plotted else NARROWEST - 2 * PADDING, *texts)
        y = PADDING + TITLE * 0.9
        shapes = text_lines(lines, Text(0, y, "", TITLE, bold=True), LINE)
        y += (len(lines) - 1) * TITLE * LINE + 8
        if is_plotted:
            shapes += self._plot(node, width, y)
            y += PLOT_HEIGHT + (0 if is_leaf else AXIS) + 5
        bar = bars_height(tree, BAR)
        shapes += value_bar(self.shown, node, width, bar, y)
        y += bar + SMALL + 3
        shapes += text_lines(notes, Text(0, y, "", SMALL, "pale"), LINE)
        return shapes, width, y + (len(notes) - 1) * SMALL * LINE

    def _predictions(self, node: int, most: int) -> list[str]:
        """Say what a leaf predicts, a line for each of several targets."""
        said = [f"{name} = {text}" for name, text in self.labels.predictions(node)]
        if len(said) > most:
            said[most - 1 :] = [f"… {len(said) - most + 1} more"]
        return [fit_lines(words, WIDEST - 2 * PADDING, TITLE * BOLD, 1)[0] for words in said]

    def _is_plotted(self, node: int) -> bool:
        tree = self.shown.tree
        if self.rows is None or not len(self.rows.at(node)):
            return False
        return not tree.is_classifier if tree.is_leaf(node) else split_is_drawn(tree[node].split)

    def _plot(self, node: int, width: float, y: float) -> list[Shape]:
        assert self.rows is not None
        if self.shown.tree.is_leaf(node):
            return target_plot(self.rows, node, width, PLOT_HEIGHT, y)
        return SplitPlot(self.rows, width, PLOT_HEIGHT, self.row).draw(node, y)

    def _note(self, node: int) -> str:
        """Say how many rows there are and how sure the node is."""
        tree = self.shown.tree
        held = self.shown.held
        words = [counted(int(held.count[node]), "row")]
        if tree.schema.outputs:
            pass  # the bars tell
        elif tree.is_classifier and tree.is_leaf(node) and held.weight[node] > 0:
            words.append(f"{percent(held.share(tree, node))} %")
        elif self.labels.says_mean(node) and not held.given:
            words.append(f"mean {self.labels.mean(node)}")
        elif not tree.is_classifier and held.given and held.count[node]:
            words.append(f"mean {short_number(float(held.value[node, 0]), self.labels.decimals)}")
        gaps = 0 if self.rows is None else self.rows.n_missing(node)
        if gaps:
            words.append(f"{gaps} missing")
        if self.node_ids:
            words.append(f"node {self.shown.source[node]}")
        split = tree[node].split
        if self.row and split is not None and self._on_path(node):
            value = value_of(self.row, split, node)
            words.append(f"row: {'missing' if value is None else axis_text(column_of(split, tree), value)}")
        return " · ".join(part.replace(" ", SPACE) for part in words)

    def _colour(self, node: int) -> str:
        tree = self.shown.tree
        if tree.schema.outputs:
            return "edge"
        if tree.is_classifier:
            return class_colour(int(tree.label[node]))
        return number_colour(value_share(tree, node))

    # ---- branches ----------------------------------------------------------------------------------

    def _ribbons(self, blocks: list[Block], x: Array, y: Array, sideways: bool) -> Iterable[Shape]:
        """Draw each branch as a ribbon of its rows, those of a class side by side."""
        tree = self.shown.tree
        weight = self.shown.held.weight
        flow = np.maximum(FLOW * weight / (weight[0] or 1.0), 1.2).tolist()
        for node, block in enumerate(blocks):
            children = tree.children(node)
            if not children:
                continue
            widths = [flow[child] for child in children]
            begun = accumulate(widths, initial=-sum(widths) / 2)
            across = [begin + width / 2 for begin, width in zip(begun, widths, strict=False)]
            if sideways:
                starts = [(y[node] + block.middle + a, x[node] + block.card_width / 2) for a in across]
                ends = [
                    (y[child] + blocks[child].middle, x[child] - blocks[child].card_width / 2)
                    for child in children
                ]
                level, gap = ends[0][1], SIDEWAYS_GAP
            else:
                starts = [(x[node] + a, y[node] + block.height) for a in across]
                ends = [(x[child], y[child] + blocks[child].above) for child in children]
                level, gap = y[children[0]], GAP
            found = ways(starts, ends, widths, (level - gap, level))
            for child, way in zip(children, found, strict=True):
                yield from self._stripes(child, way, sideways)

    def _stripes(self, child: int, way: Way, sideways: bool) -> Iterable[Shape]:
        """Draw a branch, its classes side by side."""
        tree, held = self.shown.tree, self.shown.held
        one = tree.is_classifier and not tree.schema.outputs
        value = held.value[child] if one else np.zeros(1)
        codes: Iterable[int | None] = [None]  # a number, or a branch that no row took
        shares = np.ones(1)
        if value.sum() > 0:
            shares = value / value.sum()
            seen = shares * way.width >= min(THINNEST, shares.max() * way.width)
            shares = np.where(seen, shares, 0.0) / shares[seen].sum()
            codes = range(len(shares))
        begun = 0.0
        for code, share in zip(codes, shares.tolist(), strict=True):
            if share > 0:
                colour = self._colour(child) if code is None else class_colour(code)
                part = way.part(begun, share * way.width)
                start, end = ((across - part.width / 2, along) for across, along in part[:2])
                if sideways:
                    start, end = start[::-1], end[::-1]
                yield Ribbon(
                    start,
                    end,
                    part.width,
                    colour if held.count[child] else "edge",
                    sideways,
                    RIBBON_OPACITY if self._on_path(child) else FAINT,
                    code,
                    part.bend,
                )
                begun += part.width
