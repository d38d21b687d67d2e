"""Files of drawings: the same picture as SVG, PNG and PDF, light and dark."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from helpers.drawings import SVG, drawn_irises
from helpers.trees import TREES, Leaf, build
from treewright import DecisionTreeClassifier, datasets, plot_tree
from treewright.data import Column, Schema
from treewright.formatting.colours import class_colour


def test_the_png_shows_the_colours_of_the_classes(tmp_path: Path) -> None:
    tree = build(Schema((Column("x"),), np.array(["a", "b"])), Leaf(8, [2, 6]))
    for theme, ground in (("light", 1.0), ("dark", 13 / 255)):
        drawing = plot_tree(tree, theme=theme)
        drawing.save(tmp_path / "tree.png", dots_per_inch=96)
        image = imread(tmp_path / "tree.png")[..., :3]
        assert image.shape[:2] == pytest.approx((drawing.height, drawing.width), abs=1)
        assert image[3, 3, 0] == pytest.approx(ground, abs=0.01)
        blue = np.abs(image - np.array([0, 0x72, 0xB2]) / 255).max(axis=-1) < 0.02
        orange = np.abs(image - np.array([0xE6, 0x9F, 0]) / 255).max(axis=-1) < 0.02
        assert orange.sum() > blue.sum() > 50


def test_a_file_must_say_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must end in one of .svg, .png, .pdf"):
        plot_tree(TREES["deep"]).save(tmp_path / "tree.jpeg")


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


def test_dark_pages_are_for_screens_that_ask_for_them() -> None:
    assert "prefers-color-scheme:dark" in plot_tree(TREES["deep"]).svg
    assert "screen and" in plot_tree(TREES["deep"]).svg
    assert "prefers-color-scheme" not in plot_tree(TREES["deep"], theme="light").svg
    assert "#0d1117" in plot_tree(TREES["deep"], theme="dark").svg


def test_only_a_drawing_that_follows_its_reader_can_be_restyled() -> None:
    assert 'class="tw-ink"' in plot_tree(TREES["deep"]).svg
    for theme in ("light", "dark"):  # the styles of another drawing on the page do not reach it
        assert 'class="tw-' not in plot_tree(TREES["deep"], theme=theme).svg


def test_a_drawing_is_right_without_styles() -> None:
    for theme in ("auto", "light", "dark"):
        root = ET.fromstring(plot_tree(TREES["deep"], theme=theme).svg)
        assert "style" not in root.attrib
        for element in root.iter():
            if element.tag.removeprefix(SVG) in ("rect", "path", "text", "polyline", "polygon", "circle"):
                assert "fill" in element.attrib
                assert "var(" not in element.attrib["fill"]
        outside = root.find(SVG + "style").text
        while "{" in outside:  # nothing stands outside of a rule for some media
            head, _, rest = outside.partition("{")
            assert head.startswith("@media")
            depth, end = 1, 0
            while depth:
                depth += {"{": 1, "}": -1}.get(rest[end], 0)
                end += 1
            outside = rest[end:]


@pytest.mark.parametrize("theme", ["auto", "dark"])
def test_a_program_that_knows_few_styles_draws_the_same(tmp_path: Path, theme) -> None:
    try:
        import cairosvg
    except (ImportError, OSError) as error:  # the package, or the library that it calls
        pytest.skip(str(error))
    drawing = plot_tree(*drawn_irises(), theme=theme)
    cairosvg.svg2png(bytestring=drawing.svg.encode(), write_to=str(tmp_path / "theirs.png"))
    drawing.save(tmp_path / "ours.png", dots_per_inch=96)
    theirs, ours = (imread(tmp_path / f"{name}.png")[..., :3] for name in ("theirs", "ours"))
    for code in range(3):
        colour = np.array([int(class_colour(code)[place : place + 2], 16) for place in (1, 3, 5)]) / 255
        there, here = (np.abs(image - colour).max(axis=-1).round(2) < 0.05 for image in (theirs, ours))
        assert there.sum() == pytest.approx(here.sum(), rel=0.25)
        assert here.sum() > 1000
    assert theirs[5, 5].round(1).tolist() == ours[5, 5].round(1).tolist()
