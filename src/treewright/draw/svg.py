"""Drawings as SVG, with colours for light and dark pages."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias

from treewright.draw.shapes import Dot, Group, Polygon, Rect, Ribbon, Shape, Strokes, Text
from treewright.formatting.colours import DARK, LIGHT, css_variables
from treewright.formatting.text import printable

Theme: TypeAlias = Literal["auto", "light", "dark"]

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', 'DejaVu Sans', sans-serif"


def write_svg(
    shapes: Sequence[Shape],
    width: float,
    height: float,
    *,
    title: str,
    description: str,
    theme: Theme,
    style: str = "",
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
    style : str
        How the whole picture stands in a page of HTML.
    """
    # A picture without a title has a name for those who cannot see it all the same.
    named, label = f"<title>{_safe(title)}</title>", ""
    if not title.strip():
        first, *_ = description.split("\n")
        named, label = "", f' aria-label="{_safe(first)}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" '
        f'height="{_n(height)}" role="img" class="treewright" font-family="{FONT}"'
        f"{label}{style and f' style={style!r}'}>"
        f"{named}<desc>{_safe_lines(description)}</desc>"
        f"<style>{_rules(theme)}</style>"
    )
    page = _Page(DARK if theme == "dark" else LIGHT, follows=theme == "auto")
    ground = Rect(0, 0, width, height, "ground", 8)
    return head + "".join(page.written((ground, *shapes))) + "</svg>\n"


def _rules(theme: Theme) -> str:
    """Write what improves a picture that is right without it.

    All stands in media rules, which programs that know few styles leave alone: some take ``height:auto`` to
    be no height at all.
    """
    paper = "@media print{svg.treewright:root{max-width:100%;height:auto}}"
    turned = "@media all{.treewright text{unicode-bidi:isolate}}"
    if theme != "auto":
        return paper + turned
    paints = "".join(
        f".tw-{name}{{fill:var(--tw-{name})}}.tw-line-{name}{{stroke:var(--tw-{name})}}" for name in LIGHT
    )
    light, dark = (css_variables(colours, "tw-") for colours in (LIGHT, DARK))
    return (
        f"{paper}{turned}@media screen{{{paints}.treewright{{{light}}}}}"
        f"@media screen and (prefers-color-scheme:dark){{.treewright{{{dark}}}}}"
        f"@media screen{{{in_themes('dark', 'false')}{{{dark}}}{in_themes('light', 'true')}{{{light}}}}}"
    )


def in_themes(name: str, is_light: str) -> str:
    """Select what is ours in pages of a theme of their own: those of Jupyter, of VS Code and of Sphinx."""
    themes = (f"[data-jp-theme-light={is_light}]", f".vscode-{name}", f"[data-theme={name}]")
    return ",".join(f"{theme} .treewright" for theme in themes)


@dataclass(frozen=True)
class _Page:
    """Writes shapes in the colours of a page, which may follow its reader's settings."""

    colours: Mapping[str, str]
    follows: bool

    def written(self, shapes: Iterable[Shape]) -> Iterator[str]:
        for shape in shapes:
            match shape:
                case Group():
                    tip = f"<title>{_safe_lines(shape.tip)}</title>" if shape.tip else ""
                    move = (
                        f' transform="translate({_n(shape.x)} {_n(shape.y)})"' if shape.x or shape.y else ""
                    )
                    yield f"<g{move}>{tip}"
                    yield from self.written(shape.shapes)
                    yield "</g>"
                case Rect():
                    yield self._rect(shape)
                case Strokes():
                    lines = "".join(
                        f"M{_n(x0)} {_n(y0)}L{_n(x1)} {_n(y1)}" for (x0, y0), (x1, y1) in shape.lines
                    )
                    paint = self._paint(None, shape.stroke, shape.opacity)
                    yield f'<path d="{lines}"{paint} stroke-width="{_n(shape.width)}"/>'
                case Ribbon():
                    yield f'<path d="{_curves(shape)}"{self._paint(shape.fill, None, shape.opacity)}/>'
                case Polygon():
                    yield self._polygon(shape)
                case Dot():
                    paint = self._paint(shape.fill, None, shape.opacity)
                    yield f'<circle cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}"{paint}/>'
                case Text():
                    yield self._text(shape)

    def _rect(self, shape: Rect) -> str:
        size = f'width="{_n(shape.width)}" height="{_n(shape.height)}"'
        corners = f' rx="{_n(shape.radius)}"' if shape.radius else ""
        paint = self._paint(shape.fill, shape.stroke, shape.opacity)
        if shape.line != 1:
            paint += f' stroke-width="{_n(shape.line)}"'
        return f'<rect x="{_n(shape.x)}" y="{_n(shape.y)}" {size}{corners}{paint}/>'

    def _polygon(self, shape: Polygon) -> str:
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        kind = "polyline" if shape.fill is None else "polygon"
        line = f' stroke-width="{_n(shape.width)}"' if shape.stroke else ""
        dash = ' stroke-dasharray="3 2"' if shape.dashed else ""
        paint = self._paint(shape.fill, shape.stroke, shape.opacity)
        return f'<{kind} points="{points}"{paint}{line}{dash}/>'

    def _text(self, shape: Text) -> str:
        place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}"'
        anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
        weight = ' font-weight="600"' if shape.bold else ""
        words = _safe(shape.text)
        written = f"<text {place}{anchor}{weight}{self._paint(shape.fill)}>{words}</text>"
        if not shape.halo:
            return written
        line = self._paint("ground", "ground", 0.85) + ' stroke-width="5" stroke-linejoin="round"'
        return f'<text {place}{anchor}{weight}{line} aria-hidden="true">{words}</text>{written}'

    def _paint(self, fill: str | None, stroke: str | None = None, opacity: float = 1.0) -> str:
        """Write the colours for programs without styles, and the classes by which styles change them."""
        colours = self.colours
        paint = f' fill="{"none" if fill is None else colours.get(fill, fill)}"'
        if stroke is not None:
            paint += f' stroke="{colours.get(stroke, stroke)}"'
        if opacity < 1:
            paint += f' opacity="{_n(opacity)}"'
        names = [f"tw-{fill}"] * (fill in colours) + [f"tw-line-{stroke}"] * (stroke in colours)
        return paint + (f' class="{" ".join(names)}"' if names and self.follows else "")


def _curves(ribbon: Ribbon) -> str:
    outline = ribbon.outline()
    letters = ["M", *("L" if len(segment) == 1 else "C" for segment in outline[1:])]
    points = (" ".join(f"{_n(x)} {_n(y)}" for x, y in segment) for segment in outline)
    return "".join(map(operator.add, letters, points)) + "z"


def _safe(text: str) -> str:
    return escape(printable(text))


def _safe_lines(text: str) -> str:
    """Write several lines; the names in them have been made printable one by one."""
    return "\n".join(map(_safe, text.split("\n")))


def _n(number: float) -> str:
    """Write a number with as many decimals as can be seen."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
