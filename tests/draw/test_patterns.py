"""Classes in drawings: told apart by pattern as well as colour, and named in the legend."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.path import Path

from helpers.drawings import outline_of
from helpers.trees import Leaf, build
from treewright import DecisionTreeClassifier, datasets, plot_tree
from treewright.data import Column, Schema
from treewright.draw.patterns import pattern_of
from treewright.draw.shapes import Rect, Ribbon, Strokes, Text, flat
from treewright.formatting.colours import CLASS_COLOURS


def test_sixty_four_classes_differ_in_colour_or_pattern() -> None:
    for always in (False, True):
        looks = {(code % len(CLASS_COLOURS), pattern_of(code, always)) for code in range(64)}
        assert len(looks) == 64
    assert len({pattern_of(code, always=True) for code in range(8)}) == 8  # on grey paper
    assert {pattern_of(code, always=False) for code in range(8)} == {0}


@pytest.mark.parametrize("settings", [{}, {"orientation": "left_right"}, {"style": "river"}])
def test_patterns_stay_inside_their_areas_and_ribbons(settings) -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    plain = plot_tree(model, X, y, **settings)
    assert not any(isinstance(shape, Strokes) for shape, _, _ in flat(plain.shapes))
    shapes = list(flat(plot_tree(model, X, y, patterns=True, **settings).shapes))
    seen = {Rect: 0, Ribbon: 0}
    for (area, _, _), (strokes, _, _) in pairwise(shapes):
        if isinstance(strokes, Strokes):
            seen[type(area)] += 1
            assert area.class_code in (1, 2)
            lines = np.array(strokes.lines)
            long = lines[np.hypot(*(lines[:, 1] - lines[:, 0]).T) > 1]
            points = [(1 - share) * long[:, 0] + share * long[:, 1] for share in (0.1, 0.5, 0.9)]
            if len(long):
                assert Path(outline_of(area)).contains_points(np.concatenate(points)).all()
    assert seen[Rect] > 5
    assert seen[Ribbon] >= 5


def test_every_class_of_a_ribbon_is_told_apart_by_its_pattern() -> None:
    X, y = datasets.load_iris()
    drawing = plot_tree(DecisionTreeClassifier(max_depth=1).fit(X, y), patterns=True)
    shapes = [shape for shape, _, _ in flat(drawing.shapes)]
    slopes = {}
    for area, strokes in pairwise(shapes):
        if isinstance(area, Ribbon) and isinstance(strokes, Strokes):
            slopes[area.class_code] = {
                round((y1 - y0) / (x1 - x0)) for (x0, y0), (x1, y1) in strokes.lines if abs(x1 - x0) > 0.1
            }
    assert slopes == {1: {-1}, 2: {1}}  # the first class is plain


def test_the_legend_names_the_classes_of_most_rows() -> None:
    classes = np.array([f"class {code}" for code in range(100)])
    tree = build(Schema((Column("x"),), classes), Leaf(5050, list(range(1, 101))))
    text = [shape.text for shape, _, _ in flat(plot_tree(tree).shapes) if isinstance(shape, Text)]
    assert "class 99" in text
    assert "class 3" not in text
    assert "… 68 more" in text
