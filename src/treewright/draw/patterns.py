"""Patterns over class colours, to tell classes apart on grey paper and beyond eight colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.draw.shapes import RIBBON_OPACITY, Group, Point, Rect, Ribbon, Shape, Strokes
from treewright.formatting.colours import CLASS_COLOURS, is_light

SPACING, THINNEST = 4.5, 2.0
"""From one line of a pattern to the next; ribbons that are thinner have no room for any."""

RISING, FALLING, LEVEL, UPRIGHT = (1, 1), (-1, 1), (0, 1), (1, 0)
"""Families of parallel lines: those on which a·x + b·y stays the same."""

PATTERNS: tuple[tuple[tuple[int, int], ...], ...] = (
    (),
    (RISING,),
    (FALLING,),
    (LEVEL,),
    (UPRIGHT,),
    (RISING, FALLING),
    (LEVEL, UPRIGHT),
    (RISING, LEVEL),
)
"""The families that make up each pattern; the first is plain."""

Line = tuple[tuple[float, float], tuple[float, float]]
Points = NDArray[np.float64]


def patterned(shapes: Iterable[Shape], always: bool) -> list[Shape]:
    """Lay its pattern over every area of a class, in groups too.

    Parameters
    ----------
    shapes : iterable of shapes
        What is drawn, from the back to the front.
    always : bool
        Whether each class has a pattern of its own; else only classes beyond the colours have one, so that
        no two of 64 classes look the same either way.

    Examples
    --------
    >>> from treewright.draw.shapes import class_area
    >>> [type(shape).__name__ for shape in patterned([class_area(0, 0, 20, 9, 1)], always=True)]
    ['Rect', 'Strokes']
    """
    drawn: list[Shape] = []
    for shape in shapes:
        if isinstance(shape, Group):
            drawn.append(replace(shape, shapes=tuple(patterned(shape.shapes, always))))
            continue
        drawn.append(shape)
        if isinstance(shape, Rect | Ribbon) and shape.class_code is not None:
            families = PATTERNS[pattern_of(shape.class_code, always)]
            lines = tuple(_lines(_outline(shape), families)) if families else ()
            if lines:
                drawn.append(_strokes(shape, lines))
    return drawn


def _strokes(area: Rect | Ribbon, lines: tuple[Line, ...]) -> Strokes:
    """Give lines a colour that stands out from what they lie on: through a ribbon one sees the ground."""
    if isinstance(area, Ribbon):
        return Strokes(lines, "ink", 1.0, 0.5 * area.opacity / RIBBON_OPACITY)
    return Strokes(lines, "#000000" if is_light(area.fill) else "#ffffff", 1.1, 0.75)


def pattern_of(code: int, always: bool) -> int:
    """Give the number of a class's pattern.

    Examples
    --------
    >>> [pattern_of(code, always=False) for code in (0, 7, 8)], [pattern_of(code, True) for code in (0, 7, 8)]
    ([0, 0, 1], [0, 7, 1])
    """
    turn = code // len(CLASS_COLOURS)
    return (code + turn if always else turn) % len(PATTERNS)


def _outline(area: Rect | Ribbon) -> Points:
    """Give the corners of an area, those of a curve close together; none of a ribbon thinner than lines."""
    if isinstance(area, Rect):
        x, y = (area.x, area.x + area.width), (area.y, area.y + area.height)
        return np.array([(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])])
    if area.width < THINNEST:
        return np.empty((0, 2))
    points: list[Point] = []
    for segment in area.outline():
        points += segment if len(segment) == 1 else _curve(points[-1], *segment)
    return np.array(points)


def _curve(start: Point, *rest: Point) -> list[Point]:
    """Give points on a curve, by its start, two handles and its end."""
    share = np.linspace(0, 1, 33)[1:]
    bernstein = np.array([math.comb(3, k) * share**k * (1 - share) ** (3 - k) for k in range(4)])
    return [(x, y) for x, y in (bernstein.T @ np.array([start, *rest])).tolist()]


def _lines(outline: Points, families: Iterable[tuple[int, int]]) -> Iterator[Line]:
    """Draw families of lines as far as they lie in an outline; those of neighbours meet."""
    if not len(outline):
        return
    following = np.roll(outline, -1, axis=0)
    for across, down in families:
        spacing = SPACING * math.hypot(across, down)
        here, there = (points @ (across, down) for points in (outline, following))
        for step in range(math.ceil(here.min() / spacing), math.floor(here.max() / spacing) + 1):
            level = step * spacing
            crossed = (here >= level) != (there >= level)  # a line that enters an outline leaves it again
            share = ((level - here[crossed]) / (there - here)[crossed])[:, None]
            points = outline[crossed] + share * (following - outline)[crossed]
            ends = points[np.argsort(points @ (-down, across), kind="stable")].tolist()
            yield from ((tuple(begin), tuple(end)) for begin, end in zip(ends[::2], ends[1::2], strict=True))
