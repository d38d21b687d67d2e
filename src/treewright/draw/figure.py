"""Drawings by matplotlib: the shapes of a picture as PNG or PDF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal
from unicodedata import name
from warnings import catch_warnings, filterwarnings

from treewright.draw.fonts import families_for, marks_for, quiet_fonts
from treewright.draw.shapes import Dot, Group, Polygon, Rect, Ribbon, Shape, Strokes, Text, flat, text_lines
from treewright.draw.typography import JOINERS, fit_lines
from treewright.formatting.colours import DARK, LIGHT
from treewright.formatting.text import printable

if TYPE_CHECKING:
    from treewright.draw.drawing import Drawing

PIXELS_PER_INCH = 96
POINTS_PER_PIXEL = 72 / PIXELS_PER_INCH
MARGIN, NOTE = 20.0, 11.0
MOST_DOTS = 65_535
"""The longest side of a PNG that matplotlib can write."""

ALIGNMENT: dict[str, Literal["left", "center", "right"]] = {
    "start": "left",
    "middle": "center",
    "end": "right",
}


def save_figure(drawing: Drawing, path: str | PathLike[str], form: str, dots_per_inch: float) -> None:
    """Write a drawing as "png" or "pdf"."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "PNG and PDF need matplotlib, which is not installed: pip install 'treewright[plot]'"
        ) from error
    drawing = _with_marks(drawing)
    if form == "png":
        _refuse_too_large(drawing, dots_per_inch)
    colours = DARK if drawing.theme == "dark" else LIGHT
    inches = (drawing.width / PIXELS_PER_INCH, drawing.height / PIXELS_PER_INCH)
    families = families_for(_texts(drawing))
    # Names are shown as they are: a dollar sign begins no formula.
    with (
        rc_context({"text.parse_math": False, "pdf.fonttype": 42, "font.family": families}),
        catch_warnings(),
        quiet_fonts(),
    ):
        filterwarnings("ignore", "Glyph .* missing from")  # one warning has told of all
        figure = Figure(figsize=inches)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, drawing.width), ylim=(drawing.height, 0))
        axes.axis("off")
        for order, (shape, x, y) in enumerate(flat(drawing.shapes)):
            artist = _text(shape, x, y, colours) if isinstance(shape, Text) else _patch(shape, x, y, colours)
            artist.set_zorder(order)  # later ones stand in front
            axes.add_artist(artist)
        # The same drawing gives the same bytes, whenever it is written.
        told = {"Title": drawing.title} | ({"CreationDate": None} if form == "pdf" else {})
        figure.savefig(path, format=form, dpi=dots_per_inch, facecolor=colours["ground"], metadata=told)


def _texts(drawing: Drawing) -> list[str]:
    return [printable(shape.text) for shape, _, _ in flat(drawing.shapes) if isinstance(shape, Text)]


def _with_marks(drawing: Drawing) -> Drawing:
    """Put marks for signs that no font has, and say below the picture which each stands for."""
    marks = marks_for(_texts(drawing))
    if not marks:
        return drawing
    says = "   ".join(f"{mark} {name(sign, 'unnamed').lower()}" for sign, mark in marks.items())
    lines = fit_lines(says, drawing.width - 2 * MARGIN, NOTE, len(marks))
    notes = text_lines(lines, Text(MARGIN, drawing.height, "", NOTE, "pale", "start"))
    table = str.maketrans(marks | dict.fromkeys(JOINERS, ""))
    return replace(
        drawing,
        shapes=(*_marked(drawing.shapes, table), *notes),
        height=drawing.height + len(lines) * NOTE * 1.25 + MARGIN / 2,
    )


def _marked(shapes: Iterable[Shape], table: dict[int, str]) -> tuple[Shape, ...]:
    return tuple(
        replace(shape, shapes=_marked(shape.shapes, table))
        if isinstance(shape, Group)
        else replace(shape, text=shape.text.translate(table))
        if isinstance(shape, Text)
        else shape
        for shape in shapes
    )


def _refuse_too_large(drawing: Drawing, dots_per_inch: float) -> None:
    longest = max(drawing.width, drawing.height) / PIXELS_PER_INCH
    if longest * dots_per_inch > MOST_DOTS:
        raise ValueError(
            f"dots_per_inch={dots_per_inch:g} makes a PNG of {longest * dots_per_inch:.0f} dots, the most is "
            f"{MOST_DOTS}: use at most {MOST_DOTS // longest:.0f}, show fewer leaves, or save as .svg."
        )


def _patch(shape: Shape, x: float, y: float, colours: Mapping[str, str]) -> Any:
    """Make one shape, moved by x and y."""
    from matplotlib import patches
    from matplotlib.path import Path

    match shape:
        case Rect():
            radius = min(shape.radius, shape.width / 2, shape.height / 2)
            corners = f"round,pad=0,rounding_size={radius}" if radius > 0 else "square,pad=0"
            corner = (x + shape.x, y + shape.y)
            patch: Any = patches.FancyBboxPatch(corner, shape.width, shape.height, boxstyle=corners)
        case Ribbon():
            patch = patches.PathPatch(_ribbon_path(shape, x, y))
        case Strokes():
            ends = [(x + across, y + down) for line in shape.lines for across, down in line]
            patch = patches.PathPatch(Path(ends, [Path.MOVETO, Path.LINETO] * len(shape.lines)))
        case Polygon():
            points = [(x + across, y + down) for across, down in shape.points]
            patch = patches.Polygon(points, closed=shape.fill is not None)
        case Dot():
            patch = patches.Circle((x + shape.x, y + shape.y), shape.radius)
        case _:
            raise TypeError(f"{shape!r} is no single shape")
    fill, stroke = getattr(shape, "fill", None), getattr(shape, "stroke", None)
    line = shape.width if isinstance(shape, Polygon | Strokes) else getattr(shape, "line", 1.0)
    patch.set(
        facecolor="none" if fill is None else colours.get(fill, fill),
        edgecolor="none" if stroke is None else colours.get(stroke, stroke),
        linewidth=0 if stroke is None else line * POINTS_PER_PIXEL,
        linestyle="--" if getattr(shape, "dashed", False) else "-",
        alpha=shape.opacity,
    )
    return patch


def _ribbon_path(ribbon: Ribbon, x: float, y: float) -> Any:
    from matplotlib.path import Path

    segments = ribbon.outline()
    points = [(x + across, y + down) for segment in segments for across, down in segment]
    codes = [Path.LINETO if len(segment) == 1 else Path.CURVE4 for segment in segments for _ in segment]
    return Path(points, [Path.MOVETO, *codes[1:]])


def _text(text: Text, x: float, y: float, colours: Mapping[str, str]) -> Any:
    from matplotlib import patheffects
    from matplotlib import text as texts

    words = texts.Text(
        x + text.x,
        y + text.y,
        printable(text.text),
        fontsize=text.size * POINTS_PER_PIXEL,
        fontweight="bold" if text.bold else "normal",
        color=colours.get(text.fill, text.fill),
        horizontalalignment=ALIGNMENT[text.anchor],
        verticalalignment="baseline",
    )
    if text.halo:
        ground = patheffects.withStroke(linewidth=4, foreground=colours["ground"], alpha=0.85)
        words.set_path_effects([ground])
    return words
