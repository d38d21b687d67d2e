"""SVG: shapes as a picture that any browser, editor or paper takes, light or dark as its reader has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Literal, TypeAlias

from treewright.colours import DARK, LIGHT
from treewright.draw.shapes import Dot, Group, Polygon, Rect, Ribbon, Shape, Strokes, Text
from treewright.words import printable

Theme: TypeAlias = Literal["auto", "light", "dark"]

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', 'DejaVu Sans', sans-serif"


def write_svg(
    shapes: Sequence[Shape], width: float, height: float, *, title: str, description: str, theme: Theme
) -> str:
    """Write shapes as an SVG document.

    All names are escaped, no scripts and no links are written, and classes begin with ``tw-`` so that pages
    which hold several pictures keep their own style.

    Parameters
    ----------
    shapes : sequence of shapes
        What to draw, from the back to the front.
    width, height : float
        Of the page.
    title, description : str
        What screen readers say.
    theme : {"auto", "light", "dark"}
        The ground; "auto" follows the reader's settings, and is light on paper.
    """
    colours = DARK if theme == "dark" else LIGHT
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" '
        f'height="{_n(height)}" role="img" class="treewright" style="max-width:100%;height:auto">'
        f"<title>{_safe(title)}</title><desc>{_safe(description)}</desc>"
        f"<style>.treewright text{{font-family:{FONT};unicode-bidi:isolate}}"
        f"{_dark_rules() if theme == 'auto' else ''}</style>"
    )
    ground = Rect(0, 0, width, height, "ground", 8)
    return head + "".join(_written((ground, *shapes), colours)) + "</svg>\n"


def _dark_rules() -> str:
    rules = "".join(
        f".tw-{name}{{fill:{colour}}}.tw-line-{name}{{stroke:{colour}}}" for name, colour in DARK.items()
    )
    return f"@media screen and (prefers-color-scheme:dark){{{rules}}}"


def _written(shapes: Iterable[Shape], colours: Mapping[str, str]) -> Iterator[str]:
    for shape in shapes:
        match shape:
            case Group():
                tip = f"<title>{_safe(shape.tip)}</title>" if shape.tip else ""
                move = f' transform="translate({_n(shape.x)} {_n(shape.y)})"' if shape.x or shape.y else ""
                yield f"<g{move}>{tip}"
                yield from _written(shape.shapes, colours)
                yield "</g>"
            case Rect():
                size = f'width="{_n(shape.width)}" height="{_n(shape.height)}"'
                corners = f' rx="{_n(shape.radius)}"' if shape.radius else ""
                paint = _paint(colours, shape.fill, shape.stroke, shape.opacity)
                yield f'<rect x="{_n(shape.x)}" y="{_n(shape.y)}" {size}{corners}{paint}/>'
            case Strokes():
                lines = "".join(f"M{_n(x0)} {_n(y0)}L{_n(x1)} {_n(y1)}" for (x0, y0), (x1, y1) in shape.lines)
                paint = _paint(colours, None, shape.stroke, shape.opacity)
                yield f'<path d="{lines}"{paint} stroke-width="{_n(shape.width)}"/>'
            case Ribbon():
                yield f'<path d="{_curves(shape)}"{_paint(colours, shape.fill, None, shape.opacity)}/>'
            case Polygon():
                yield _polygon(shape, colours)
            case Dot():
                paint = _paint(colours, shape.fill, None, shape.opacity)
                yield f'<circle cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}"{paint}/>'
            case Text():
                yield _text(shape, colours)


def _polygon(shape: Polygon, colours: Mapping[str, str]) -> str:
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
    kind = "polyline" if shape.fill is None else "polygon"
    line = f' stroke-width="{_n(shape.width)}"' if shape.stroke else ""
    dash = ' stroke-dasharray="3 2"' if shape.dashed else ""
    paint = _paint(colours, shape.fill, shape.stroke, shape.opacity)
    return f'<{kind} points="{points}"{paint}{line}{dash}/>'


def _curves(ribbon: Ribbon) -> str:
    points = [f"{_n(x)} {_n(y)}" for x, y in ribbon.corners()]
    return f"M{points[0]}C{' '.join(points[1:4])}L{points[4]}C{' '.join(points[5:])}z"


def _text(shape: Text, colours: Mapping[str, str]) -> str:
    place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}"'
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    weight = ' font-weight="600"' if shape.bold else ""
    words = _safe(shape.text)
    written = f"<text {place}{anchor}{weight}{_paint(colours, shape.fill)}>{words}</text>"
    if not shape.halo:
        return written
    line = _paint(colours, "ground", "ground", 0.85) + ' stroke-width="5" stroke-linejoin="round"'
    return f'<text {place}{anchor}{weight}{line} aria-hidden="true">{words}</text>{written}'


def _paint(
    colours: Mapping[str, str], fill: str | None, stroke: str | None = None, opacity: float = 1.0
) -> str:
    """Write the colours for programs without styles, and the classes by which styles change them."""
    names = [fill] if fill in colours else []
    names += [f"line-{stroke}"] if stroke in colours else []
    paint = f' fill="{"none" if fill is None else colours.get(fill, fill)}"'
    if stroke is not None:
        paint += f' stroke="{colours.get(stroke, stroke)}"'
    if opacity < 1:
        paint += f' opacity="{_n(opacity)}"'
    return paint + (f' class="{" ".join(f"tw-{name}" for name in names)}"' if names else "")


def _safe(text: str) -> str:
    return escape(printable(text))


def _n(number: float) -> str:
    """Write a number with as many decimals as can be seen."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
