"""Reading a drawing back: its words, the cards of its nodes, and where shapes lie on the page."""

from functools import cache

import numpy as np
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font, LoadFlags
from matplotlib.path import Path

from treewright import DecisionTreeClassifier, datasets
from treewright.draw.shapes import Group, Rect, Ribbon, Text, flat

SVG = "{http://www.w3.org/2000/svg}"


def words(drawing) -> list[str]:
    texts = (shape.text for shape, _, _ in flat(drawing.shapes) if isinstance(shape, Text))
    return [text.replace("\xa0", " ") for text in texts]


def joined(drawing) -> str:
    return " ".join(words(drawing))


@cache
def advance(letter: str, bold: bool) -> float:
    font = _open("bold" if bold else "normal")
    return font.load_char(ord(letter), flags=LoadFlags.NO_SCALE).horiAdvance / font.units_per_EM


@cache
def _open(weight: str) -> FT2Font:
    return FT2Font(findfont(FontProperties(family="DejaVu Sans", weight=weight)))


def true_width(text: Text) -> float:
    """The width in the widest of the fonts that the page asks for."""
    return text.size * sum(advance(letter, text.bold) for letter in text.text)


def box_of(shape: Text | Rect, x: float, y: float) -> tuple[float, float, float, float]:
    """Left, top, right and foot of a shape."""
    if isinstance(shape, Rect):
        return x + shape.x, y + shape.y, x + shape.x + shape.width, y + shape.y + shape.height
    width = true_width(shape)
    left = x + shape.x - {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
    return left, y + shape.y - 0.8 * shape.size, left + width, y + shape.y


def nodes(drawing) -> list[Group]:
    """The groups of the nodes, those that tell something when they are pointed at."""
    (body,) = (shape for shape in drawing.shapes if isinstance(shape, Group))
    return [shape for shape in body.shapes if isinstance(shape, Group) and shape.tip]


def outline_of(area: Rect | Ribbon) -> np.ndarray:
    """Corners of an area, by matplotlib's own curves."""
    if isinstance(area, Rect):
        left, top, right, foot = box_of(area, 0, 0)
        return np.array([(left, top), (right, top), (right, foot), (left, foot)])
    segments = area.outline()
    codes = [Path.LINETO if len(segment) == 1 else Path.CURVE4 for segment in segments for _ in segment]
    points = np.array([point for segment in segments for point in segment])
    return Path(points * 100, [Path.MOVETO, *codes[1:]]).to_polygons(closed_only=False)[0] / 100


def drawn_irises():
    """A small tree, with the rows to draw it with."""
    X, y = datasets.load_iris()
    return DecisionTreeClassifier(max_depth=3).fit(X, y), X, y
