"""Charts of a report as SVG, in the colours of its page: axes, curves, dots, bars, a confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

from treewright.draw.typography import cut_in_the_middle, text_width
from treewright.formatting.colours import class_colour

LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 10.0, 42.0
NAME_SIZE = 14.0
"""How large names beside bars and cells are, as in the style sheet."""

TICK_SIZE = 13.0
"""How large the numbers and names of axes are, as in the style sheet."""

SLOPE, COSLOPE = math.sin(math.radians(40)), math.cos(math.radians(40))
MOST_NAMED = 230.0
"""The room that names beside bars may take."""

MOST_SLANTED = 90.0
"""The height that slanted names may take."""

Point = tuple[float, float]


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Give round numbers between two others.

    Examples
    --------
    >>> ticks(0, 1), ticks(9, 46.6)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [10.0, 20.0, 30.0, 40.0])
    """
    rough = high / wanted - low / wanted  # the difference may be beyond all numbers
    if not rough > 1e-300 or rough <= 1e-15 * max(abs(low), abs(high)):
        return [low]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= 0.999 * rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def share_of(value: float, low: float, high: float) -> float:
    """Say how far a number is on the way from one to another, which may be as far apart as numbers are.

    Examples
    --------
    >>> share_of(3, 2, 6), share_of(0.0, -1.7e308, 1.7e308), share_of(2, 2, 2)
    (0.25, 0.5, 0.0)
    """
    factor = 0.25 if max(abs(low), abs(high)) > 1e307 else 1.0
    return (factor * value - factor * low) / ((factor * high - factor * low) or 1.0)


def short(number: float) -> str:
    """Write a number for an axis, or a count: whole numbers as they are, others in four digits.

    Examples
    --------
    >>> short(18253.0), short(2 / 3), short(12345.6), short(1e12), short(2e-7)
    ('18253', '0.6667', '12346', '1e+12', '2e-07')
    """
    return f"{number:.0f}" if 1e3 <= abs(number) < 1e9 else f"{number:.4g}"


@dataclass
class Chart:
    """A picture of two axes; what is added to it is in their numbers.

    Attributes
    ----------
    x, y : pair of float
        From where to where the axes go.
    across, up : str
        What they are of.
    words : str
        What screen readers say.
    """

    x: Point
    y: Point
    across: str
    up: str
    words: str
    width: float = 380.0
    height: float = 300.0
    names: Sequence[str] = ()
    write: Callable[[float], str] = short
    parts: list[str] = field(default_factory=list)

    @cached_property
    def left(self) -> float:
        """The room beside the axis: for its numbers, and for what they are of."""
        widest = max(text_width(short(tick), TICK_SIZE) for tick in ticks(*self.y))
        return max(LEFT, widest + 28)

    @cached_property
    def slanted(self) -> bool:
        """Whether names below the axis are too long to stand upright."""
        room = (self.width - self.left - RIGHT) / max(len(self.names), 1) - 6
        return any(text_width(name, TICK_SIZE) > room for name in self.names)

    @cached_property
    def bottom(self) -> float:
        """The room below the axis."""
        longest = max((text_width(name, TICK_SIZE) for name in self.names), default=0.0)
        return BOTTOM + min(longest * SLOPE, MOST_SLANTED) * self.slanted

    def _slanted_room(self, x: float) -> float:
        """Give the length of a slanted name that ends at a place and stays inside the picture."""
        return min(MOST_SLANTED / SLOPE, x / COSLOPE)

    def at(self, x: float, y: float) -> Point:
        """Give the place of a point on the page."""
        return (
            self.left + share_of(x, *self.x) * (self.width - self.left - RIGHT),
            self.height - self.bottom - share_of(y, *self.y) * (self.height - TOP - self.bottom),
        )

    def line(self, points: Iterable[Point], kind: str = "curve", colour: str | None = None) -> None:
        """Add a line through points. Of a level stretch, of which trees make many, it takes the two ends."""
        places = [(f"{x:.1f}", f"{y:.1f}") for x, y in (self.at(*point) for point in points)]
        between = zip(places, places[1:], places[2:], strict=False)
        level = {1 + i for i, (a, b, c) in enumerate(between) if a[1] == b[1] == c[1]}
        path = "M" + "L".join(f"{x} {y}" for i, (x, y) in enumerate(places) if i not in level)
        stroke = f' stroke="{colour}"' if colour else ""
        style = "curve" if kind == "curve" and not colour else kind
        self.parts.append(f'<path d="{path}" class="{style}"{stroke} fill="none"/>')

    def dot(
        self, x: float, y: float, radius: float = 3.0, colour: str | None = None, words: str = ""
    ) -> None:
        """Add a dot."""
        across, up = self.at(x, y)
        paint = f'fill="{colour}" opacity="0.7"' if colour else 'class="blob"'
        tip = f"<title>{escape(words)}</title>" if words else ""
        self.parts.append(f'<circle cx="{across:.1f}" cy="{up:.1f}" r="{radius:.1f}" {paint}>{tip}</circle>')

    def dash(self, x: float, y: float) -> None:
        """Add a short line across."""
        across, up = self.at(x, y)
        self.parts.append(f'<path d="M{across - 9:.1f} {up:.1f}h18" class="ice"/>')

    def dots(self, points: Iterable[Point], size: float = 4.5) -> None:
        """Add many dots in one stroke."""
        self.parts.append(dots((self.at(*point) for point in points), size))

    def _text(self, x: float, y: float, words: str, anchor: str, turn: str = "") -> str:
        return (
            f'<text x="{x:.1f}" y="{y:.1f}" class="tick" text-anchor="{anchor}"{turn}>{escape(words)}</text>'
        )

    def _axes(self) -> Iterable[str]:
        base, left = self.height - self.bottom, self.left
        low, high = self.x
        marks: list[tuple[float, str]]
        if self.names:
            marks = [(float(at), name) for at, name in enumerate(self.names)]
        elif self.write is short:
            marks = [(tick, short(tick)) for tick in ticks(low, high)]
        else:  # round numbers are no round times
            places = [low + share * (high - low) for share in (0.1, 0.48, 0.86)]
            marks = [(place, self.write(place)) for place in places]
        for place, words in marks:
            x, _ = self.at(float(place), self.y[0])
            yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{base}" class="grid"/>'
            if self.slanted:
                turn = f' transform="rotate(-40 {x + 4:.1f} {base + 14:.1f})"'
                shown = cut_in_the_middle(words, self._slanted_room(x), TICK_SIZE)
                yield self._text(x + 4, base + 14, shown, "end", turn)
            else:
                yield self._text(x, base + 16, words, "middle")
        for tick in ticks(*self.y):
            _, y = self.at(self.x[0], tick)
            yield f'<line x1="{left}" x2="{self.width - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>'
            yield self._text(left - 6, y + 4, short(tick), "end")
        across = cut_in_the_middle(self.across, self.width - left - RIGHT, TICK_SIZE)
        yield self._text((left + self.width - RIGHT) / 2, self.height - 6, across, "middle")
        middle = (TOP + base) / 2
        up = cut_in_the_middle(self.up, base - TOP, TICK_SIZE)
        yield self._text(13, middle, up, "middle", f' transform="rotate(-90 13 {middle:.1f})"')

    def svg(self) -> str:
        """Write the picture."""
        return picture(self.width, self.height, self.words, [*self._axes(), *self.parts])


def picture(width: float, height: float, words: str, parts: Iterable[str]) -> str:
    """Put parts together as a picture that tells screen readers what it shows."""
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" class="chart" role="img" '
        f'aria-label="{escape(words)}">'
        f"{''.join(parts)}</svg>"
    )


def dots(places: Iterable[Point], size: float, colour: str = "") -> str:
    """Write dots at places of the page as one path: a stroke of no length with round ends is a dot."""
    path = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in places)
    paint = f'stroke="{colour}"' if colour else 'class="dots"'
    return f'<path d="{path}" fill="none" {paint} stroke-width="{size:g}" stroke-linecap="round"/>'


def curves(lines: dict[str, list[Point]], across: str, up: str, words: str, *, diagonal: bool) -> str:
    """Draw curves of classes in the unit square; of two classes the second."""
    chart = Chart((0, 1), (0, 1), across, up, words)
    if diagonal:
        chart.line([(0, 0), (1, 1)], "chance")
    for code, points in enumerate(lines.values()):
        if len(lines) != 2 or code == 1:
            chart.line(points, "line", class_colour(code))
    return chart.svg().replace('class="line"', 'stroke-width="2.2"')


def name_room(names: Iterable[str], most: float = MOST_NAMED) -> float:
    """Give the room for names on the left of a picture."""
    return 12 + min(max((text_width(name, NAME_SIZE) for name in names), default=0.0), most)


def bars(rows: Sequence[tuple[str, float, float | None]], words: str) -> str:
    """Draw bars to the right with their spread, the names on the left."""
    step, left = 24.0, max(name_room(name for name, *_ in rows), 100.0)
    width = max(left + 280.0, 420.0)
    most = max((size + (spread or 0.0) for _, size, spread in rows), default=1.0) or 1.0
    parts = []
    for line, (name, size, spread) in enumerate(rows):
        y = 6 + step * line
        long = max(0.0, size) / most * (width - left - 70)
        shown = cut_in_the_middle(name, left - 8, NAME_SIZE)
        parts.append(
            f'<text x="{left - 8}" y="{y + 14}" class="number" text-anchor="end">{escape(shown)}</text>'
        )
        parts.append(
            f'<rect x="{left}" y="{y + 3}" width="{max(long, 0.5):.1f}" height="14" rx="2" class="bar"/>'
        )
        if spread:
            ends = [
                left + max(0.0, part) / most * (width - left - 70) for part in (size - spread, size + spread)
            ]
            parts.append(
                f'<line x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y + 10}" y2="{y + 10}" class="whisker"/>'
            )
        end = max(long, 0.0) + (spread or 0.0) / most * (width - left - 70)
        parts.append(f'<text x="{left + end + 6:.1f}" y="{y + 14}" class="tick">{short(size)}</text>')
    return picture(width, 12 + step * len(rows), words, parts)


def matrix(names: Sequence[str], table: Sequence[Sequence[float]]) -> str:
    """Draw a confusion matrix, a line for each true class; cells are shaded by the share of their line."""
    many = len(names) > 20
    cell = 25.0 if many else max(34.0, min(64.0, 420.0 / len(names)))
    slanted = max(text_width(name, NAME_SIZE) for name in names) > cell - 4
    left, top = max(name_room(names, 150.0), 56.0), 96.0 if slanted else 46.0
    size = "cell-number" if many else "number"
    width, height = left + cell * len(names) + (70 if slanted else 24), top + cell * len(names) + 8
    parts = [
        f'<text x="{left}" y="14" class="tick">predicted</text>',
        f'<text x="6" y="{top - 8}" class="tick">true</text>',
    ]
    for line, (name, counts) in enumerate(zip(names, table, strict=True)):
        shown = escape(cut_in_the_middle(name, left - 10, NAME_SIZE))
        head = escape(cut_in_the_middle(name, 110.0, NAME_SIZE)) if slanted else shown
        middle = cell * line + cell / 2
        parts.append(
            f'<text x="{left - 8}" y="{top + middle + 5}" class="number" text-anchor="end">{shown}</text>'
        )
        x, y = left + middle, top - 10
        turn = f' transform="rotate(-40 {x:.1f} {y:.1f})"' if slanted else ""
        anchor = "start" if turn else "middle"
        parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="number" text-anchor="{anchor}"{turn}>{head}</text>'
        )
        total = sum(counts) or 1.0
        for place, count in enumerate(counts):
            across = left + cell * place
            parts.append(
                f'<rect x="{across + 1:.1f}" y="{top + cell * line + 1:.1f}" width="{cell - 2:.1f}" '
                f'height="{cell - 2:.1f}" rx="3" class="cell" opacity="{0.06 + 0.44 * count / total:.2f}"/>'
                + (
                    f'<text x="{across + cell / 2:.1f}" y="{top + middle + 5:.1f}" class="{size}" '
                    f'text-anchor="middle">{short(count)}</text>'
                    if count or not many
                    else ""
                )
            )
    return picture(width, height, "Confusion matrix: true classes down, predicted across", parts)
