"""Patterns: lines over the colours of classes, to tell them apart on grey paper and beyond eight colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from treewright.colours import CLASS_COLOURS, is_light
from treewright.draw.shapes import Group, Rect, Shape, Strokes

SPACING = 4.5
"""From one line of a pattern to the next."""

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
        if isinstance(shape, Rect) and shape.class_code is not None:
            lines = tuple(_lines(shape, pattern_of(shape.class_code, always)))
            if lines:
                ink = "#000000" if is_light(shape.fill) else "#ffffff"
                drawn.append(Strokes(lines, ink, 1.1, 0.75))
    return drawn


def pattern_of(code: int, always: bool) -> int:
    """Give the number of a class's pattern.

    Examples
    --------
    >>> [pattern_of(code, always=False) for code in (0, 7, 8)], [pattern_of(code, True) for code in (0, 7, 8)]
    ([0, 0, 1], [0, 7, 1])
    """
    turn = code // len(CLASS_COLOURS)
    return (code + turn if always else turn) % len(PATTERNS)


def _lines(area: Rect, pattern: int) -> Iterator[Line]:
    """Draw the lines of a pattern as far as they lie in an area; those of neighbours meet."""
    left, top, right, foot = area.x, area.y, area.x + area.width, area.y + area.height
    for across, down in PATTERNS[pattern]:
        spacing = SPACING * math.hypot(across, down)
        levels = sorted(across * x + down * y for x in (left, right) for y in (top, foot))
        for step in range(math.ceil(levels[0] / spacing), math.floor(levels[-1] / spacing) + 1):
            level = step * spacing
            if not across:
                yield (left, level), (right, level)
            elif not down:
                yield (level, top), (level, foot)
            else:  # it enters and leaves through two of the four sides
                ends = sorted(across * (level - y) for y in (top, foot))
                begin, end = max(left, ends[0]), min(right, ends[1])
                if begin < end:
                    yield (begin, level - across * begin), (end, level - across * end)
