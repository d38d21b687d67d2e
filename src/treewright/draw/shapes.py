"""Shapes: the few things that drawings are made of; `svg.py` and `figure.py` know how to put them on a page.

Colours are hex codes, or names of `treewright.colours.LIGHT`, which differ between light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from treewright.colours import class_colour

Anchor: TypeAlias = Literal["start", "middle", "end"]

RIBBON_OPACITY, FAINT = 0.45, 0.12
"""How much of a ribbon is seen, and of one that a row in question does not take."""


@dataclass(frozen=True)
class Rect:
    """A rectangle, its corners rounded; one that stands for a class has its code, which says its pattern."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0.0
    stroke: str | None = None
    opacity: float = 1.0
    class_code: int | None = None
    line: float = 1.0


@dataclass(frozen=True)
class Strokes:
    """Many thin lines, each from one point to another."""

    lines: tuple[tuple[tuple[float, float], tuple[float, float]], ...]
    stroke: str
    width: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Ribbon:
    """A band from one edge to another, both horizontal, or both vertical in a tree that grows sideways.

    One that carries the rows of a class has its code, which says its pattern.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    start_width: float
    end_width: float
    fill: str
    sideways: bool = False
    opacity: float = RIBBON_OPACITY
    class_code: int | None = None

    def corners(self) -> list[tuple[float, float]]:
        """Give the points of its outline: two curves, each of a start, two handles and an end."""
        (x0, y0), (x1, y1) = self.start, self.end
        if self.sideways:
            middle = (x0 + x1) / 2
            there = [(x0, y0), (middle, y0), (middle, y1), (x1, y1)]
            y0, y1 = y0 + self.start_width, y1 + self.end_width
            back = [(x1, y1), (middle, y1), (middle, y0), (x0, y0)]
        else:
            middle = (y0 + y1) / 2
            there = [(x0, y0), (x0, middle), (x1, middle), (x1, y1)]
            x0, x1 = x0 + self.start_width, x1 + self.end_width
            back = [(x1, y1), (x1, middle), (x0, middle), (x0, y0)]
        return there + back


@dataclass(frozen=True)
class Polygon:
    """A filled area, or an open line where there is no fill."""

    points: tuple[tuple[float, float], ...]
    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    opacity: float = 1.0
    dashed: bool = False


@dataclass(frozen=True)
class Dot:
    """A small disc."""

    x: float
    y: float
    radius: float
    fill: str
    opacity: float = 1.0


@dataclass(frozen=True)
class Text:
    """A line of text, standing on y."""

    x: float
    y: float
    text: str
    size: float = 12.0
    fill: str = "ink"
    anchor: Anchor = "middle"
    bold: bool = False
    halo: bool = False


@dataclass(frozen=True)
class Group:
    """Shapes that belong together, moved, with what a reader is told who points at them."""

    shapes: tuple[Shape, ...]
    x: float = 0.0
    y: float = 0.0
    tip: str = ""


Shape: TypeAlias = Rect | Strokes | Ribbon | Polygon | Dot | Text | Group


def class_area(x: float, y: float, width: float, height: float, code: int, *, radius: float = 0.0) -> Rect:
    """Make the area of a class, in its colour."""
    return Rect(x, y, width, height, class_colour(code), radius, class_code=code)


def text_lines(lines: Sequence[str], text: Text, leading: float = 1.25) -> list[Shape]:
    """Set several lines below each other, the first as the given text."""
    return [replace(text, text=line, y=text.y + row * text.size * leading) for row, line in enumerate(lines)]


def flat(shapes: Iterable[Shape], x: float = 0.0, y: float = 0.0) -> Iterator[tuple[Shape, float, float]]:
    """Go over all shapes that are no groups, each with how far its groups move it.

    Examples
    --------
    >>> inner = Group((Dot(0, 0, 1, "ink"),), x=2)
    >>> [(x, y) for _, x, y in flat([Group((inner,), x=1, y=5)])]
    [(3.0, 5.0)]
    """
    for shape in shapes:
        if isinstance(shape, Group):
            yield from flat(shape.shapes, x + shape.x, y + shape.y)
        else:
            yield shape, x, y
