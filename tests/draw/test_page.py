"""The page of a drawing: nothing over anything else, words inside their cards, branches that reach them."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.path import Path
from sklearn.datasets import make_classification

from helpers.drawings import box_of, nodes, outline_of
from helpers.trees import Inner, Leaf, build, random_tree
from treewright import DecisionTreeClassifier, plot_tree
from treewright.data import Column, Schema
from treewright.draw.cards import FLOW
from treewright.draw.shapes import Bend, Group, Rect, Ribbon, Text, flat
from treewright.tree.splits import Table

WORDS = [
    "i",
    "petal_width_in_centimetres",
    "WWW MMM",
    "wage increase first year",
    "ширина лепестка",
    "מחיר הבית",
    "40 % of it",
]


def renamed(tree, seed: int):
    """The same tree under other names, short and long, of several scripts."""
    random = np.random.default_rng(seed)

    def name(place: int) -> str:
        return " ".join(random.choice(WORDS, random.integers(1, 8))) + f" {place}"

    columns = tuple(
        Column(name(place), column.kind, tuple(name(code) for code in range(len(column.categories))))
        for place, column in enumerate(tree.schema.columns)
    )
    classes = tree.schema.classes
    labels = None if classes is None else np.array([name(code) for code in range(len(classes))], object)
    arrays = {field: getattr(tree, field) for field in tree.__dataclass_fields__}
    return type(tree)(**(arrays | {"schema": Schema(columns, labels)}))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(0, 12), st.sampled_from([0, 2, 3]),
    st.sampled_from(["top_down", "left_right"]), st.sampled_from([None, 4]),
)  # fmt: skip
def test_no_node_lies_over_another_and_no_word_leaves_the_page(seed, n_splits, n_classes, orientation, most):
    tree = renamed(random_tree(seed, n_splits, n_classes), seed)
    drawing = plot_tree(tree, orientation=orientation, max_leaves=most, missing=True, node_ids=True)
    (body,) = (shape for shape in drawing.shapes if isinstance(shape, Group))
    boxes = []
    for node in nodes(drawing):
        parts = [
            box_of(shape, x, y)
            for shape, x, y in flat([node], body.x, body.y)
            if isinstance(shape, Text | Rect)
        ]
        left, top, right, foot = zip(*parts, strict=True)
        boxes.append((min(left), min(top), max(right), max(foot)))
    for one, other in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    for shape, x, y in flat(drawing.shapes):
        if isinstance(shape, Text | Rect):
            left, top, right, foot = box_of(shape, x, y)
            assert left >= 0
            assert top >= 0
            assert right <= drawing.width
            assert foot <= drawing.height


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 8), st.sampled_from([0, 3]))
def test_the_words_of_a_card_stay_inside_it(seed, n_splits, n_classes):
    for node in nodes(plot_tree(renamed(random_tree(seed, n_splits, n_classes), seed))):
        inside = next(shape for shape in reversed(node.shapes) if isinstance(shape, Group))
        card = box_of(next(shape for shape in node.shapes if isinstance(shape, Rect)), 0, 0)
        for shape, x, y in flat([inside]):
            if isinstance(shape, Text):
                left, top, right, foot = box_of(shape, x, y)
                assert card[0] <= left
                assert right <= card[2]
                assert card[1] <= top
                assert foot <= card[3]


@pytest.mark.parametrize("orientation", ["top_down", "left_right"])
def test_branches_end_at_the_card_they_lead_to(orientation) -> None:
    split = Table(0, {0: 0, 1: 1}, 2)
    schema = Schema((Column("c", "categorical", ("a" * 30, "b")),), np.array(["p", "q"]))
    drawing = plot_tree(
        build(schema, Inner(split, [Leaf(2, [2, 0]), Leaf(3, [0, 3])])), orientation=orientation
    )
    (body,) = (shape for shape in drawing.shapes if isinstance(shape, Group))
    ribbons = [shape for shape in body.shapes if isinstance(shape, Ribbon)]
    for ribbon, node in zip(ribbons, nodes(drawing)[1:], strict=True):
        card = box_of(next(shape for shape in node.shapes if isinstance(shape, Rect)), node.x, node.y)
        if orientation == "left_right":
            assert ribbon.end[0] == pytest.approx(card[0])
            assert card[1] < ribbon.end[1] < card[3]
        else:
            assert ribbon.end[1] == pytest.approx(card[1])
            assert card[0] < ribbon.end[0] < card[2]


def area_of(outline: np.ndarray) -> float:
    x, y = outline.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.sampled_from([0, 3]), st.booleans())
@example(4023, 4, 3, True)  # one that leads almost straight on, beside one that bends
def test_branches_are_as_wide_all_the_way_and_none_lies_over_another(seed, n_splits, n_classes, sideways):
    tree = renamed(random_tree(seed, n_splits, n_classes), seed)
    drawing = plot_tree(tree, orientation="left_right" if sideways else "top_down")
    (body,) = (shape for shape in drawing.shapes if isinstance(shape, Group))
    ribbons = [shape for shape in body.shapes if isinstance(shape, Ribbon)]
    outlines = [outline_of(ribbon) for ribbon in ribbons]
    for ribbon, outline in zip(ribbons, outlines, strict=True):
        (x0, y0), (x1, y1) = ribbon.start, ribbon.end
        way = area_of(outline) / ribbon.width
        # No shorter than straight on, and where it turns aside about as long as both ways together.
        assert way > 0.98 * abs((x1 - x0) if sideways else (y1 - y0))
        if not isinstance(ribbon.bend, Bend):
            assert abs((y1 - y0) if sideways else (x1 - x0)) < FLOW + 2
        else:
            turns = (2 - np.pi / 2) * (ribbon.bend.first + ribbon.bend.second)
            assert way == pytest.approx(abs(x1 - x0) + abs(y1 - y0) - turns, rel=0.02)
    for (_, ribbon), (other, _) in combinations(zip(outlines, ribbons, strict=True), 2):
        if ribbon.width > 0.5:
            assert Path(other).contains_points(middle_of(ribbon)).mean() < 0.02


def middle_of(ribbon: Ribbon) -> np.ndarray:
    """Points in the middle of a ribbon, all the way: those of a hair that runs there."""
    half = ribbon.width / 2
    aside = (0, half) if ribbon.sideways else (half, 0)
    start, end = ((x + aside[0], y + aside[1]) for x, y in (ribbon.start, ribbon.end))
    hair = outline_of(replace(ribbon, start=start, end=end, width=1e-6))
    return hair[: len(hair) // 2]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.sampled_from([0, 3]))
def test_no_words_of_a_river_lie_over_others(seed, n_splits, n_classes):
    tree = renamed(random_tree(seed, n_splits, n_classes), seed)
    drawing = plot_tree(tree, style="river", max_leaves=None, missing=True)
    boxes = [box_of(shape, x, y) for shape, x, y in flat(drawing.shapes) if isinstance(shape, Text)]
    for one, other in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    for left, _, right, foot in boxes:
        assert left >= 0
        assert right <= drawing.width
        assert foot <= drawing.height


@pytest.mark.parametrize("n_leaves", [30, 100, 500])
def test_no_word_of_a_broad_river_is_half_a_number(n_leaves) -> None:
    X, y = make_classification(7000, 6, n_informative=4, flip_y=0.3, random_state=0)
    tree = DecisionTreeClassifier(max_leaf_nodes=n_leaves).fit(X, y).tree_
    drawing = plot_tree(tree, style="river", max_leaves=None)
    texts = [(shape, x, y) for shape, x, y in flat(drawing.shapes) if isinstance(shape, Text)]
    assert len(texts) > 20
    assert not any(shape.text.endswith("…") for shape, _, _ in texts)
    boxes = [box_of(*text) for text in texts]
    for one, other in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    words = [shape.text.replace("\xa0", " ") for shape, _, _ in texts]
    thresholds = [tree[node].split.threshold for node in np.flatnonzero(tree.n_children).tolist()]
    bounds = {form for threshold in thresholds for form in (f"{threshold:.5g}", f"{threshold!r}")}
    assert set(re.findall(r"[≤>] (\S*)", " | ".join(words))) <= bounds
    assert {line for line in words if re.fullmatch(r"[-.\d]+", line)} <= {"0", "1"}  # the classes
