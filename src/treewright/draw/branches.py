"""Branches of a drawing: ribbons from a node to its children, as wide as their rows.

A ribbon that leads far aside runs across in the gap between two levels, where no card and no word stands. The
ribbons of a node have a lane each, the outermost next to the node, so that none lies over another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treewright.draw.shapes import Bend, Point

ROUND = 12.0
"""The radius of the inner edge of a bend, where there is room for it."""


class Way(NamedTuple):
    """Where the middle of a ribbon begins and ends, across the tree and along it, and how it bends.

    One that leads almost straight on has no bend, only a level up to which it goes beside all that have.
    """

    start: Point
    end: Point
    width: float
    bend: Bend | float

    def part(self, begin: float, width: float) -> Way:
        """Give the way of a part of the ribbon, which begins so far from its edge."""
        aside = begin + (width - self.width) / 2
        start, end = ((across + aside, along) for across, along in (self.start, self.end))
        outwards = aside if self.end[0] > self.start[0] else -aside
        bend = self.bend.beside(outwards) if isinstance(self.bend, Bend) else self.bend
        return Way(start, end, width, bend)


def ways(
    starts: Sequence[Point], ends: Sequence[Point], widths: Sequence[float], gap: tuple[float, float]
) -> list[Way]:
    """Find the ways of the ribbons of one node.

    Parameters
    ----------
    starts, ends : sequence of points
        Where the middle of each ribbon begins and ends: across the tree, and along it. Children are in order.
    widths : sequence of float
        Of the ribbons.
    gap : two floats
        Where the gap between the two levels begins and ends.

    Examples
    --------
    >>> [way.bend for way in ways([(-5, 0), (5, 0)], [(-50, 60), (7, 60)], [10, 10], (0, 40))]
    [Bend(level=20.0, first=17.0, second=17.0), 25.0]
    """
    aside = [end[0] - start[0] for start, end in zip(starts, ends, strict=True)]
    turning = [place for place, width in enumerate(widths) if abs(aside[place]) >= width + 2]
    bends: dict[int, Bend] = {}
    beyond = starts[0][1]
    to_the_left = [place for place in turning if aside[place] < 0]
    to_the_right = [place for place in reversed(turning) if aside[place] > 0]
    for places in (to_the_left, to_the_right):
        total = sum(widths[place] for place in places)
        pressed = min(1.0, (gap[1] - gap[0]) / (total or 1.0))
        begun = (gap[0] + gap[1] - pressed * total) / 2
        for place in places:
            width = widths[place]
            level = begun + pressed * width / 2
            begun += pressed * width
            radius = min(width / 2 + ROUND, abs(aside[place]) / 2)
            room = (level - starts[place][1], ends[place][1] - level)
            bends[place] = Bend(level, *(max(min(radius, free), width / 2) for free in room))
            beyond = max(beyond, begun)
    found = enumerate(zip(starts, ends, widths, strict=True))
    return [Way(*way, bends.get(place, beyond)) for place, way in found]
