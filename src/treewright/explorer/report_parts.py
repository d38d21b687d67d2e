"""Parts of a report: tables, pictures with captions, calibration, Shapley values row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.draw.evaluation_plots import ranks
from treewright.explorer.report_charts import Chart, dots, short
from treewright.figures import Evaluation
from treewright.formatting.colours import class_colour, number_colour
from treewright.formatting.text import printable

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


def figure(svg: str, caption: str, names: Sequence[str] = ()) -> str:
    """Put a picture and its caption together; of several classes a key says which colour is whose."""
    key = ""
    if len(names) > 1:
        swatches = (
            '<span class="key"><svg width="12" height="12" aria-hidden="true">'
            f'<rect width="12" height="12" rx="2" fill="{class_colour(code)}"/></svg>&nbsp;'
            f"{escape(printable(name))}</span> "
            for code, name in enumerate(names[:12])
        )
        key = f'<div class="legend">{"".join(swatches)}</div>'
    return f'<figure>{svg}{key}<figcaption dir="auto">{escape(caption)}</figcaption></figure>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int) -> str:
    """Write a table, the columns after the first ones to the right."""
    side = [""] * left + [' class="right"'] * (len(head) - left)
    names = "".join(f'<th scope="col"{way}>{escape(name)}</th>' for name, way in zip(head, side, strict=True))
    lines = "".join(
        "<tr>"
        + "".join(f'<td dir="auto"{way}>{escape(cell)}</td>' for cell, way in zip(row, side, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table></div>'


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
    left, width, step = 170.0, 520.0, 24.0
    scale = (width - left - 40) / ((high - low) or 1.0)
    zero = left - low * scale
    parts = [f'<line x1="{zero:.1f}" x2="{zero:.1f}" y1="0" y2="{step * len(order)}" class="grid"/>']
    random = np.random.default_rng(0)
    for line, (place, name) in enumerate(zip(order, names, strict=True)):
        label = name if len(name) <= 24 else name[:23] + "…"
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
    return (
        f'<svg viewBox="0 0 {width:.0f} {base + 6:.0f}" class="chart" role="img" '
        f'aria-label="Shapley values of rows by feature">{"".join(parts)}</svg>'
    )
