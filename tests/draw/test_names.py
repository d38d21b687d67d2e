"""Names in drawings: hostile, long, of every script, or as the reader likes, always shown as text."""

import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import tree as sklearn_trees

from helpers.drawings import SVG, joined, true_width, words
from helpers.trees import Inner, Leaf, build, random_tree
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, datasets, plot_tree
from treewright.data import Column, Schema
from treewright.draw import fonts
from treewright.draw.figure import _with_marks
from treewright.draw.fonts import families_for
from treewright.draw.shapes import Text, flat
from treewright.draw.typography import fit_lines, text_width
from treewright.tree.splits import Table, Threshold

HOSTILE = [
    "</text><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "]]><!--&lt;&#x0;",
    "line\nbreak\x00\x1b[31m",
    "\u202eright to left\u202c",
    "מחיר הבית بالدولار",
    "x" * 500,
    "名前" * 60,
    "e\u0301" * 80,
    "",
    " ",
    "$\\alpha$ {0} %s",
]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("style", ["cards", "river"])
def test_a_hostile_name_is_shown_as_text(name, style) -> None:
    schema = Schema(
        (Column(name), Column(name + "2", "categorical", (name, "other"))),
        np.array([name, "b"], dtype=object),
    )
    below = Inner(Table(1, {0: 0, 1: 1}, 2), [Leaf(2, [2, 0]), Leaf(1, [0, 1])])
    drawing = plot_tree(
        build(schema, Inner(Threshold(0, 0.5), [below, Leaf(1, [0, 1])])), style=style, title=name
    )
    root = ET.fromstring(drawing.svg)  # well formed: control characters are escaped
    allowed = {"svg", "title", "desc", "style", "rect", "g", "path", "text", "polyline", "polygon", "circle"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not any(key.startswith("on") or "href" in key for key in attributes)
    assert all(text_width(text, 13) < 460 for text in words(drawing))
    assert "\u202e" not in drawing.svg


def test_pictures_with_hostile_names_become_png_and_pdf(tmp_path: Path) -> None:
    schema = Schema(tuple(Column(name + str(i)) for i, name in enumerate(HOSTILE)), np.array(["$a$", "b_{"]))
    plan = Leaf(1, [1, 0])
    for feature in range(len(HOSTILE)):
        plan = Inner(Threshold(feature, 0.5), [plan, Leaf(1, [0, 1])])
    drawing = plot_tree(build(schema, plan))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no installed font has the letters")
        drawing.save(tmp_path / "tree.png", dots_per_inch=50)
        drawing.save(tmp_path / "tree.pdf")
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "tree.pdf").read_bytes().startswith(b"%PDF")


def test_features_and_classes_are_called_as_the_reader_likes() -> None:
    X, y = datasets.load_iris()
    codes = np.unique(np.asarray(y), return_inverse=True)[1]
    names, classes = ["a", "b", "c", "<d>"], ["Setosa", "Versicolor", "Virginica"]
    for learner in (sklearn_trees.DecisionTreeClassifier, DecisionTreeClassifier):
        model = learner(max_depth=2).fit(X.to_numpy(), codes)
        assert "x3" in joined(plot_tree(model))
        drawing = plot_tree(
            model, X.to_numpy(), codes, row=X.to_numpy()[3], feature_names=names, class_names=classes
        )
        assert {"<d>", "Virginica"} <= set(words(drawing))
        assert "x3" not in drawing.svg
        assert model.predict(X.to_numpy())[0] == 0  # the model keeps its own
    with pytest.raises(ValueError, match=r"feature_names=.* must be 4 names"):
        plot_tree(model, feature_names=["a"])
    with pytest.raises(ValueError, match="class_names='abc' must be 3 names"):
        plot_tree(model, class_names="abc")
    with pytest.raises(ValueError, match=r"class_names=.* must be 0 names"):
        plot_tree(DecisionTreeRegressor().fit(X.to_numpy(), codes), class_names=classes)


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


def test_letters_of_hebrew_and_arabic_need_no_other_font() -> None:
    assert families_for(["מחיר הבית", "طول البتلة", "größe ≤ 3", "Ёж", "☃"]) == ["DejaVu Sans"]


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


def test_lines_end_between_words_and_never_after_a_minus_sign() -> None:
    assert fit_lines("beta ≤\xa00.66569", 84.0, 13.0) == ["beta", "≤\xa00.66569"]
    assert fit_lines("gamma >\xa0-0.46215", 100.0, 13.0) == ["gamma", ">\xa0-0.46215"]
