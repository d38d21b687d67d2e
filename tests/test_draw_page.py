"""The page of a drawing: nothing over anything else, words inside their cards, classes told apart."""

import re
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font, LoadFlags
from matplotlib.path import Path
from sklearn.datasets import make_classification

from trees import Inner, Leaf, build, random_tree
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, datasets, plot_tree
from treewright.colours import CLASS_COLOURS
from treewright.data import Column, Schema
from treewright.draw import fonts
from treewright.draw.cards import FLOW
from treewright.draw.figure import _with_marks
from treewright.draw.fonts import families_for
from treewright.draw.patterns import pattern_of
from treewright.draw.shapes import Bend, Dot, Group, Rect, Ribbon, Strokes, Text, flat
from treewright.draw.typography import fit_lines, text_width
from treewright.splits import Table, Threshold

WORDS = [
    "i",
    "petal_width_in_centimetres",
    "WWW MMM",
    "wage increase first year",
    "ширина лепестка",
    "מחיר הבית",
    "40 % of it",
]


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


PANGRAMS = [
    "Falsches Üben von Xylophonmusik quält jeden größeren Zwerg",
    "Voix ambiguë d'un cœur qui au zéphyr préfère les jattes de kiwis",
    "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "Съешь ещё этих мягких французских булок, да выпей чаю",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "עטלף אבק נס דרך מזגן שהתפוצץ כי חם",
]


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40), st.booleans())
@settings(max_examples=200, deadline=None)
def test_no_ascii_text_is_wider_than_it_is_held_to_be(text, bold):
    assert text_width(text, 10.0, bold) >= true_width(Text(0, 0, text, 10.0, bold=bold))


@pytest.mark.parametrize("text", PANGRAMS)
def test_sentences_of_other_scripts_are_held_to_be_about_as_wide_as_they_are(text) -> None:
    for bold in (False, True):
        true = true_width(Text(0, 0, text, 10.0, bold=bold))
        assert true <= text_width(text, 10.0, bold) <= 1.4 * true


def test_names_without_spaces_break_at_their_marks() -> None:
    assert fit_lines("petal_width_in_centimetres", 100.0, 10.0, 3) == ["petal_width_in_", "centimetres"]
    assert fit_lines("first 12.5 of Never-married", 95.0, 10.0, 3) == ["first 12.5 of", "Never-married"]


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


# ---- words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["cards", "river"])
@pytest.mark.parametrize(("default", "told"), [(0, 1), (1, 1), (-1, 2), (-2, 0)])
def test_where_missing_values_go_is_told_whatever_the_length_of_names(style, default, told) -> None:
    many = tuple(f"category of a long name number {code}" for code in range(40))
    schema = Schema((Column("f" * 200, "categorical", many), Column("g" * 200)), np.array(["p", "q"]))
    pair = [Leaf(2, [2, 0]), Leaf(3, [0, 3])]
    for split in (Table(0, {code: code % 2 for code in range(40)}, 2), Threshold(1, 0.123456)):
        text = [
            shape.text.replace("\xa0", " ")
            for shape, _, _ in flat(
                plot_tree(build(schema, Inner(split, pair, default)), style=style, missing=True).shapes
            )
            if isinstance(shape, Text)
        ]
        assert sum("missing" in line for line in text) == told
        assert sum("(shared)" in line for line in text) == (2 if default == -1 else 0)
        if isinstance(split, Threshold):
            assert any("≤ 0.123456" in line for line in text)


def test_the_ends_of_an_axis_are_numbers_of_the_rows() -> None:
    X, y = datasets.load_iris()
    text = [
        shape.text
        for shape, _, _ in flat(plot_tree(DecisionTreeClassifier(max_depth=1).fit(X, y), X, y).shapes)
        if isinstance(shape, Text)
    ]
    assert f"{X['petal length'].min():g}" in text
    assert f"{X['petal length'].max():g}" in text
    outlier = pd.DataFrame({"x": [*np.linspace(0, 1, 499), 1e6]})
    answer = np.where(outlier["x"] > 0.5, "b", "a")
    text = [
        shape.text
        for shape, _, _ in flat(
            plot_tree(DecisionTreeClassifier().fit(outlier, answer), outlier, answer).shapes
        )
        if isinstance(shape, Text)
    ]
    assert "1e+06" not in text  # one row does not squeeze all others into a corner


def test_lines_end_between_words_and_never_after_a_minus_sign() -> None:
    assert fit_lines("beta ≤\xa00.66569", 84.0, 13.0) == ["beta", "≤\xa00.66569"]
    assert fit_lines("gamma >\xa0-0.46215", 100.0, 13.0) == ["gamma", ">\xa0-0.46215"]


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


def test_one_row_far_out_does_not_squeeze_the_targets_of_all_others() -> None:
    X, y = datasets.load_mpg()
    y = np.asarray(y, float)
    model = DecisionTreeRegressor(max_depth=2).fit(X, y)
    far = np.where(np.arange(len(y)) == 5, 1e6, y)

    def heights(target):
        return [shape.y for shape, _, _ in flat(plot_tree(model, X, target).shapes) if isinstance(shape, Dot)]

    assert np.ptp(heights(far)) > 0.9 * np.ptp(heights(y))


# ---- classes -----------------------------------------------------------------------------------------------


def test_sixty_four_classes_differ_in_colour_or_pattern() -> None:
    for always in (False, True):
        looks = {(code % len(CLASS_COLOURS), pattern_of(code, always)) for code in range(64)}
        assert len(looks) == 64
    assert len({pattern_of(code, always=True) for code in range(8)}) == 8  # on grey paper
    assert {pattern_of(code, always=False) for code in range(8)} == {0}


def outline_of(area: Rect | Ribbon) -> np.ndarray:
    """Corners of an area, by matplotlib's own curves."""
    if isinstance(area, Rect):
        left, top, right, foot = box_of(area, 0, 0)
        return np.array([(left, top), (right, top), (right, foot), (left, foot)])
    segments = area.outline()
    codes = [Path.LINETO if len(segment) == 1 else Path.CURVE4 for segment in segments for _ in segment]
    points = np.array([point for segment in segments for point in segment])
    return Path(points * 100, [Path.MOVETO, *codes[1:]]).to_polygons(closed_only=False)[0] / 100


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


# ---- letters -----------------------------------------------------------------------------------------------


def test_one_warning_tells_of_all_letters_that_no_font_has(tmp_path) -> None:
    private = "\U0010fff0\U0010fff1"  # no letters of any script
    schema = Schema((Column(f"name {private}"),), np.array(["p", "q"]))
    drawing = plot_tree(build(schema, Inner(Threshold(0, 0.5), [Leaf(1, [1, 0]), Leaf(1, [0, 1])])))
    with pytest.warns(UserWarning, match="no installed font has the letters") as told:
        drawing.save(tmp_path / "tree.png", dots_per_inch=50)
    assert len(told) == 1


def test_signs_that_no_font_has_are_numbered_and_told_below(tmp_path, monkeypatch) -> None:
    letters = fonts._letters
    monkeypatch.setattr(fonts, "_letters", lambda file: letters(file) - {ord("🌸"), ord("📏")})
    schema = Schema((Column("🌸 \u200d petal 📏"),), np.array(["🌸", "q"]))
    drawing = plot_tree(build(schema, Inner(Threshold(0, 0.5), [Leaf(1, [1, 0]), Leaf(1, [0, 1])])))
    marked = _with_marks(drawing)  # no warning: nothing is lost
    text = [shape.text for shape, _, _ in flat(marked.shapes) if isinstance(shape, Text)]
    assert "❶  petal ❷" in text
    assert text[-1] == "❶ cherry blossom   ❷ straight ruler"
    assert marked.height > drawing.height
    assert "🌸" not in "".join(text)
    drawing.save(tmp_path / "tree.pdf")
    assert _with_marks(plot_tree(random_tree(0, 2, 2))).height == plot_tree(random_tree(0, 2, 2)).height


def test_a_file_is_the_same_every_time_and_no_larger_than_can_be_written(tmp_path) -> None:
    drawing = plot_tree(DecisionTreeClassifier(max_depth=2).fit(*datasets.load_iris()))
    for name in ("a.pdf", "a.png"):
        drawing.save(tmp_path / name)
        once = (tmp_path / name).read_bytes()
        drawing.save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == once
    with pytest.raises(
        ValueError, match=r"dots_per_inch=20000 makes a PNG of .* the most is 65535: use at most"
    ):
        drawing.save(tmp_path / "a.png", dots_per_inch=20000)


def test_letters_of_hebrew_and_arabic_need_no_other_font() -> None:
    assert families_for(["מחיר הבית", "طول البتلة", "größe ≤ 3", "Ёж", "☃"]) == ["DejaVu Sans"]
