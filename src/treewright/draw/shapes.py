"""Shapes of drawings: rectangles, lines, text; `svg.py` and `figure.py` put them on a page.

Colours are hex codes, or names of `formatting.colours.LIGHT`, which differ between light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from treewright.formatting.colours import class_colour

Anchor: TypeAlias = Literal["start", "middle", "end"]
Point: TypeAlias = tuple[float, float]
Segment: TypeAlias = tuple[Point, ...]

ARC = 0.5523
"""How far along its tangents the handles of a quarter of a circle stand."""

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


class Bend(NamedTuple):
    """How a ribbon turns aside and back: where its middle runs across, and the radii of its two turns."""

    level: float
    first: float
    second: float

    def beside(self, offset: float) -> Bend:
        """Give the bend of a ribbon that runs inside this one, so far from its middle on the outer side."""
        return Bend(self.level - offset, self.first - offset, self.second + offset)


@dataclass(frozen=True)
class Ribbon:
    """A band from one edge to another, both horizontal, or both vertical in a tree that grows sideways.

    With a bend it is as wide all the way, else it is a curve for short ways, which may go straight on up to
    some level. One that carries the rows of a class has its code, which says its pattern.
    """

    start: Point
    end: Point
    width: float
    fill: str
    sideways: bool = False
    opacity: float = RIBBON_OPACITY
    class_code: int | None = None
    bend: Bend | float | None = None

    def outline(self) -> list[Segment]:
        """Give its first point, then points that lines lead to, and curves of two handles and an end."""
        there, back = self._edge(0.0), self._edge(self.width)
        ends = [segment[-1] for segment in back]
        home = [(*reversed(back[k][:-1]), ends[k - 1]) for k in range(len(back) - 1, 0, -1)]
        segments = [*there, (ends[-1],), *home]
        return [tuple(map(_turned, segment)) for segment in segments] if self.sideways else segments

    def _edge(self, beside: float) -> list[Segment]:
        """Draw one edge, so far from that of lower numbers, as if the tree grew down."""
        (x0, y0), (x1, y1) = map(_turned, (self.start, self.end)) if self.sideways else (self.start, self.end)
        x0, x1 = x0 + beside, x1 + beside
        if not isinstance(self.bend, Bend):
            begin = y0 if self.bend is None else self.bend
            middle = (begin + y1) / 2
            return [((x0, y0),), ((x0, begin),), ((x0, middle), (x1, middle), (x1, y1))]
        side = 1.0 if x1 > x0 else -1.0
        level, first, second = self.bend.beside(side * (beside - self.width / 2))
        near, far = x0 + side * first, x1 - side * second
        begin, end = level - first, level + second
        return [
            ((x0, y0),),
            ((x0, begin),),
            ((x0, begin + ARC * first), (near - side * ARC * first, level), (near, level)),
            ((far, level),),
            ((far + side * ARC * second, level), (x1, end - ARC * second), (x1, end)),
            ((x1, y1),),
        ]


def _turned(point: Point) -> Point:
    return point[1], point[0]


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
