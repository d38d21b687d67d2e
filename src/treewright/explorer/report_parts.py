"""Parts of a report: the tree in lines, tables, pictures with captions, calibration, Shapley values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.draw.evaluation_plots import ranks
from treewright.draw.typography import cut_in_the_middle
from treewright.draw.visible_tree import show
from treewright.explorer.report_charts import NAME_SIZE, Chart, dots, name_room, picture, short
from treewright.export.text import Writer, percent
from treewright.figures import Evaluation
from treewright.formatting.colours import class_colour, number_colour
from treewright.formatting.text import counted, isolated, printable
from treewright.tree import Tree

DEEPEST_LINES = 16
"""Lines of deeper nodes are not indented any more."""

MOST_CATEGORIES = 8
FROM_THE_RIGHT = re.compile(
    r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+(?:\s+[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)*"
)
SHADES = 6
"""Shades by which a dot shows whether its value is low or high."""


def few_of(n_rows: int, most: int) -> NDArray[np.int64]:
    """Give the numbers of so many rows, evenly over all."""
    return (
        np.unique(np.linspace(0, n_rows - 1, min(n_rows, most)).astype(np.int64)) if n_rows else np.arange(0)
    )


def interval_text(found: Evaluation, name: str) -> str:
    """Say between which bounds a figure is."""
    bounds = found.intervals.get(name)
    return "" if bounds is None else f"{short(bounds[0])} to {short(bounds[1])}"


def tree_lines(tree: Tree, most: int) -> str:
    """Write a tree as lists in lists, which can be read at any width; very deep lines say how deep."""
    shown = show(tree, most)
    writer = Writer(shown.tree, None, MOST_CATEGORIES, class_weights=False, missing=False)
    depth, hidden = shown.tree.node_depth.tolist(), shown.hidden.tolist()
    counts, shares = shown.tree.count.tolist(), _shares(shown.tree)
    parts: list[str] = []
    stack: list[tuple[int, str] | str] = [(0, "all rows")]
    while stack:
        step = stack.pop()
        if isinstance(step, str):
            parts.append(step)
            continue
        node, condition = step
        children = shown.tree.children(node)
        says = (
            "" if children else f" → {_swatch(shown.tree, node)}<b>{_sentence(writer.prediction(node))}</b>"
        )
        below = f" · {counted(hidden[node], 'leaf', 'leaves')}" if hidden[node] else ""
        note = f'<small class="pale">{counted(counts[node], "row")}{shares[node]}{below}</small>'
        deep = f"[{depth[node]}] " if depth[node] > DEEPEST_LINES else ""
        parts.append(f"<li><p>{deep}{_sentence(condition)}{says} {note}</p>")
        nested = depth[node] < DEEPEST_LINES
        stack.append("</ul></li>" if children and nested else "</li>" if nested or not children else "")
        if children:
            parts.append("<ul>" if nested else "</li>")
            stack += reversed(list(zip(children, writer.conditions(node), strict=True)))
    return f'<ul class="tree-lines">{"".join(parts)}</ul>'


def _sentence(words: str) -> str:
    """Escape a sentence; words in it that run from right to left do not turn the signs beside them."""
    return escape(FROM_THE_RIGHT.sub(lambda found: isolated(found[0]), words))


def _shares(tree: Tree) -> list[str]:
    """Say of each node how sure its class is."""
    if not tree.is_classifier:
        return [""] * len(tree)
    sure = tree.class_probabilities[np.arange(len(tree)), tree.label]
    return [f" · {percent(share)} %" for share in sure.tolist()]


def _swatch(tree: Tree, node: int) -> str:
    if not tree.is_classifier:
        return ""
    colour = class_colour(int(tree.label[node]))
    square = f'<rect width="11" height="11" rx="2" fill="{colour}"/>'
    return f'<svg width="11" height="11" aria-hidden="true">{square}</svg> '


def figure(svg: str, caption: str = "", names: Sequence[str] = (), *, size: str = "") -> str:
    """Put a picture and its caption together; of several classes a key says which colour is whose."""
    key = ""
    if len(names) > 1:
        swatches = (
            '<span class="key"><svg width="12" height="12" aria-hidden="true">'
            f'<rect width="12" height="12" rx="2" fill="{class_colour(code)}"/></svg>'
            f"<bdi>{escape(printable(name))}</bdi></span> "
            for code, name in enumerate(names[:12])
        )
        key = f'<div class="legend">{"".join(swatches)}</div>'
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    kind = f' class="{size}"' if size else ""
    return f"<figure{kind}>{svg}{key}{words}</figure>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int) -> str:
    """Write a table, the columns after the first ones to the right."""
    side = [""] * left + [' class="right"'] * (len(head) - left)
    names = "".join(f'<th scope="col"{way}>{escape(name)}</th>' for name, way in zip(head, side, strict=True))
    lines = "".join(
        "<tr>"
        + "".join(
            f"<td{way}><bdi>{escape(cell)}</bdi></td>" if place == 0 else f"<td{way}>{escape(cell)}</td>"
            for place, (cell, way) in enumerate(zip(row, side, strict=True))
        )
        + "</tr>"
        for row in rows
    )
    # Where it is wider than the page, the keys of a reader without a mouse move it.
    frame = f'<div class="scroll" tabindex="0" role="group" aria-label="table by {escape(head[0])}">'
    return f"{frame}<table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table></div>"


def calibration_chart(found: Evaluation) -> str:
    """Draw what happened where a probability was given; larger dots are more rows."""
    chart = Chart((0, 1), (0, 1), "predicted probability", "share that came true", "Calibration")
    chart.line([(0, 0), (1, 1)], "chance")
    chart.line([(one["predicted"], one["observed"]) for one in found.calibration])
    most = max(one["weight"] for one in found.calibration)
    for one in found.calibration:
        words = f"predicted {one['predicted']:.2f}, came true {one['observed']:.2f}, {one['weight']:g} rows"
        chart.dot(
            one["predicted"], one["observed"], 3 + 6 * float(np.sqrt(one["weight"] / most)), None, words
        )
    return chart.svg()


def swarm_chart(
    values: NDArray[np.float64], rows: Dataset, order: Sequence[int], names: Sequence[str]
) -> str:
    """Draw Shapley values, a line of dots for each feature."""
    shown = values[:, order]
    low, high = float(shown.min()), float(shown.max())
    left, step = max(name_room(names), 100.0), 24.0
    width = max(left + 280.0, 420.0)
    scale = (width - left - 40) / ((high - low) or 1.0)
    zero = left - low * scale
    parts = [f'<line x1="{zero:.1f}" x2="{zero:.1f}" y1="0" y2="{step * len(order)}" class="grid"/>']
    random = np.random.default_rng(0)
    for line, (place, name) in enumerate(zip(order, names, strict=True)):
        label = cut_in_the_middle(name, left - 8, NAME_SIZE)
        above = f'<text x="{left - 8}" y="{step * line + 16}" class="number" text-anchor="end">'
        parts.append(f"{above}{escape(label)}</text>")
        up = step * line + 12 + random.uniform(-7, 7, len(shown))
        across, shade = left + (shown[:, line] - low) * scale, np.rint(SHADES * ranks(rows, place)) / SHADES
        for share in np.unique(shade).tolist():
            chosen = zip(across[shade == share].tolist(), up[shade == share].tolist(), strict=True)
            parts.append(dots(chosen, 4, number_colour(share)))
    base = step * len(order) + 14
    parts += [
        f'<text x="{left + (number - low) * scale:.1f}" y="{base}" class="tick" text-anchor="middle">'
        f"{short(number)}</text>"
        for number in (low, 0.0, high)
        if number == 0 or abs(number) * scale > 30
    ]
    return picture(width, base + 6, "Shapley values of rows by feature", parts)
