"""The tree in the explorer's page: pruned by the slider, walked by keys, picked, folded, printed, large."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers.browsing import TABS
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, datasets, edit, explore

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def test_every_view_opens_without_trouble(read, irises) -> None:
    reader = read(irises)
    assert reader.text("h1") == "Irises"
    for tab in TABS:
        reader.open(tab)
        assert reader.page.locator(f"#panel-{tab}").is_visible()
        assert reader.page.locator("[role=tabpanel]:visible").count() == 1


def test_the_slider_prunes_the_tree_at_once(read, irises) -> None:
    reader = read(irises)
    slider = reader.page.locator("#slider")
    assert "6 leaves of 6" in reader.text("#path-words")
    slider.focus()
    slider.press("Home")
    assert "1 leaf of 6" in reader.text("#path-words")
    assert reader.page.locator("#outline [role=treeitem]").count() == 1
    assert "Leaf 0 (pruned here)" in reader.text("#card h2")
    slider.press("ArrowRight")
    assert reader.page.locator("#outline [role=treeitem]").count() == 3
    assert "leaves" in slider.get_attribute("aria-valuetext")
    reader.page.get_by_role("button", name="within 1 SE, cross-validation").click()
    assert "3 leaves of 6" in reader.text("#path-words")
    reader.open("rules")
    assert reader.page.locator("#panel-rules tbody tr").count() == 3


def test_the_tree_grows_when_asked_to(read, irises) -> None:
    reader = read(irises)
    reader.page.locator("#slider").press("Home")
    reader.page.click("#play")
    assert reader.text("#play") == "Stop"
    sync_api.expect(reader.page.locator("#path-words")).to_contain_text("6 leaves of 6")
    sync_api.expect(reader.page.locator("#play")).to_have_text("Grow")


def test_keys_walk_the_outline(read, irises) -> None:
    reader = read(irises)
    root = reader.page.locator("#outline [data-node='0']")
    root.focus()
    keys = [
        ("ArrowDown", "1"),
        ("ArrowDown", "2"),
        ("ArrowRight", None),
        ("Home", "0"),
        ("End", None),
        ("ArrowLeft", None),
    ]
    for key, node in keys:
        reader.page.keyboard.press(key)
        picked = reader.page.locator("#outline [aria-selected='true']")
        assert picked.count() == 1
        assert picked.evaluate("item => item === document.activeElement")
        if node is not None:
            assert picked.get_attribute("data-node") == node
    reader.page.keyboard.press("Home")
    reader.page.keyboard.press("ArrowLeft")
    assert root.get_attribute("aria-expanded") == "false"
    reader.page.keyboard.press("Enter")
    assert root.get_attribute("aria-expanded") == "true"
    reader.page.keyboard.type("petal length >")
    assert reader.page.locator("#outline [aria-selected='true']").get_attribute("data-node") == "2"
    assert "node 2: petal length > 2.45" in reader.text("#live").replace("\xa0", " ")


def test_keys_walk_the_picture(read, irises) -> None:
    reader = read(irises)
    reader.page.locator("#canvas").focus()
    for key, words in [
        ("ArrowDown", "Leaf 1"),
        ("ArrowRight", "Node 2"),
        ("ArrowUp", "Node 0"),
        ("Home", "Node 0"),
    ]:
        reader.page.keyboard.press(key)
        assert reader.text("#card h2") == words
    before = reader.picture()
    reader.page.keyboard.press("Enter")
    reader.wait_for_picture(before, other=True)


def test_a_click_picks_the_node_under_it(read, irises) -> None:
    reader = read(irises)
    box = reader.page.locator("#canvas").bounding_box()
    reader.page.locator("#outline [data-node='2'] > .line").click()
    assert reader.text("#card h2") == "Node 2"
    reader.page.mouse.click(box["x"] + box["width"] / 2 - 20, box["y"] + 75)
    assert reader.text("#card h2") == "Node 0"
    reader.page.mouse.move(box["x"] + 200, box["y"] + 300)
    reader.page.mouse.wheel(0, -600)
    sync_api.expect(reader.page.locator("#map")).to_be_visible()


def test_the_address_leads_back_to_node_step_and_view(read, irises) -> None:
    reader = read(irises)
    reader.page.locator("#outline [data-node='2'] > .line").click()
    reader.open("rules")
    reader.page.wait_for_url(lambda url: "tab=rules" in url)  # it follows a moment later
    assert "node=2" in reader.page.url
    address = reader.page.url.replace("step=0", "step=2")
    reader.page.goto("about:blank")
    reader.page.goto(address)
    reader.page.wait_for_selector("body[data-ready]")
    assert reader.page.locator("#panel-rules").is_visible()
    assert reader.page.locator("#panel-rules tbody tr").count() < 6
    reader.page.evaluate("location.hash = 'node=1&step=0&tab=sunburst'")  # a link into the page that is open
    sync_api.expect(reader.page.locator("#panel-sunburst")).to_be_visible()
    assert reader.text("#card h2") == "Leaf 1"
    reader.page.evaluate("location.hash = 'outline'")
    reader.page.evaluate("location.hash = 'node=0&tab=constructor'")
    sync_api.expect(reader.page.locator("#card h2")).to_have_text("Node 0")
    assert reader.page.locator("#panel-sunburst").is_visible()


@pytest.mark.parametrize(
    ("choice", "name", "begin"),
    [
        ("Picture (SVG)", "tree.svg", "<svg"),
        ("Rules (text)", "rules.txt", "IF "),
        ("Tree (JSON)", "tree.json", "{"),
    ],
)
def test_files_are_saved_from_the_page(read, irises, choice, name, begin) -> None:
    reader = read(irises)
    with reader.page.expect_download() as saved:
        reader.page.locator("select[aria-label=save]").select_option(choice)
    assert saved.value.suggested_filename == name
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    assert text.startswith(begin)
    assert "petal length" in text


def test_pruning_by_hand_is_tried_in_the_page(read, irises) -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X[::2], y[::2])
    reader = read(irises)
    whole = reader.text("#path-words")
    reader.page.locator("#outline [data-node='2'] > .line").click()
    reader.page.get_by_role("button", name="Prune here").click()
    risk = edit(model, X[::2], y[::2], validation=(X[1::2], y[1::2])).prune(2).risk
    words = reader.text("#path-words").replace("\xa0", " ")
    assert words.startswith("2 leaves of 6")
    assert (
        f"training rows {risk['training']:.1%} · validation rows {risk['validation']:.1%}".replace("%", " %")
        in words
    )
    assert reader.page.locator("#outline [role=treeitem]").count() == 3
    assert reader.text("#card h2") == "Leaf 2 (pruned here)"
    reader.open("rules")
    assert reader.page.locator("#panel-rules tbody tr").count() == 2
    reader.page.get_by_role("button", name="restore 1 node pruned by hand").click()
    assert reader.text("#path-words") == whole


def test_pruning_by_hand_shows_the_risk_of_numbers(read) -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(max_leaf_nodes=8).fit(X[::2], y[::2])
    rows = {"X": X[::2], "y": y[::2], "validation": (X[1::2], y[1::2])}
    reader = read(explore(model, cv=None, **rows))
    reader.page.locator("#outline [data-node='1'] > .line").click()
    reader.page.get_by_role("button", name="Prune here").click()
    risk = edit(model, **rows).prune(1).risk
    words = reader.text("#path-words").replace("\xa0", " ")
    assert f"training rows {risk['training']:.4g} · validation rows {risk['validation']:.4g}" in words


def test_rows_fall_to_their_leaves_and_show_who_is_wrong(read, irises) -> None:
    reader = read(irises)
    before = reader.picture()
    reader.page.get_by_role("button", name="Send training rows down").click()
    assert "75 training rows: 100\xa0% come to a leaf" in reader.text("#fallen")
    reader.page.get_by_role("button", name="Send validation rows down").click()
    right = (75 - round(75 * 0.0533)) / 75  # 5.3 % of 75 validation rows are wrong, as the path says
    assert "validation rows 5.3\xa0%" in reader.text("#path-words")
    assert f"{right:.0%}".replace("%", "\xa0%") in reader.text("#fallen")
    reader.wait_for_picture(before, other=True)
    reader.page.get_by_role("button", name="Clear rows").click()
    assert reader.text("#fallen") == ""
    reader.wait_for_picture(before)


def test_classes_are_hatched_on_request(read, irises) -> None:
    reader = read(irises)
    hatch = reader.page.get_by_role("button", name="hatch")
    swatch = reader.page.locator("#legend .swatch").nth(1)
    plain = reader.picture()
    assert "url" not in swatch.evaluate("one => getComputedStyle(one).backgroundImage")
    hatch.click()
    assert hatch.get_attribute("aria-pressed") == "true"
    assert "data:image/svg" in swatch.evaluate("one => getComputedStyle(one).backgroundImage")
    assert reader.picture() != plain
    assert reader.page.locator("#card rect[fill^=url]").count() > 0
    with reader.page.expect_download() as saved:
        reader.page.locator("select[aria-label=save]").select_option("Picture (SVG)")
    picture = Path(saved.value.path()).read_text(encoding="utf-8")
    used = set(re.findall(r"url\(#([\w-]+)\)", picture))
    assert used
    assert used <= set(re.findall(r'<pattern[^>]* id="([\w-]+)"', picture))
    hatch.click()
    assert reader.picture() == plain


def test_paper_is_light_hatched_and_drawn_in_lines(read, irises, tmp_path) -> None:
    reader = read(irises, color_scheme="dark")
    dark = reader.picture()
    reader.page.emulate_media(media="print", color_scheme="dark")
    reader.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    paper = reader.page.locator("#paper svg")
    assert paper.is_visible()
    assert "petal length" in paper.inner_html()
    assert paper.locator("rect").first.get_attribute("fill") is not None
    assert paper.locator("> rect").get_attribute("fill") == "#ffffff"
    assert paper.locator("[fill^=url]").count() > 0
    assert not reader.page.locator("#canvas").is_visible()
    assert not reader.page.locator("#tabs").is_visible()
    reader.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    reader.page.emulate_media(media="screen", color_scheme="dark")
    assert reader.page.locator("#paper svg").count() == 0
    reader.wait_for_picture(dark)
    reader.page.pdf(path=tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


def test_narrow_pages_show_the_tree(read, irises) -> None:
    reader = read(irises, viewport={"width": 360, "height": 640})
    assert reader.page.locator("#canvas").bounding_box()["width"] > 300
    drawn = """canvas => {
        const tools = document.getElementById("tools").getBoundingClientRect();
        const scale = canvas.height / canvas.clientHeight;
        const down = Math.floor(scale * (tools.bottom - canvas.getBoundingClientRect().top));
        const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, down);
        return data.some((part, at) => part !== data[at % 4]);
    }"""
    assert not reader.page.locator("#canvas").evaluate(drawn)  # no card lies below the buttons


def test_ten_thousand_nodes_are_all_drawn_and_moved(read) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(30_000, 5))
    y = np.where(X[:, 0] * X[:, 1] + 1.5 * random.normal(size=30_000) > 0, "yes", "no")
    model = DecisionTreeClassifier(max_leaf_nodes=5001).fit(X, y)
    reader = read(explore(model, X, y, cv=None, max_rows=200))
    reader.page.get_by_role("button", name="Unfold").click()
    box = reader.page.locator("#canvas").bounding_box()
    colours = reader.page.locator("#canvas").evaluate(
        """canvas => {
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let drawn = 0;
            for (let i = 0; i < data.length; i += 4) drawn += data[i] < 250 || data[i + 2] < 250;
            return drawn;
        }"""
    )
    assert colours > 10_000
    reader.page.mouse.move(box["x"] + 300, box["y"] + 300)
    reader.page.mouse.down()
    reader.page.mouse.move(box["x"] + 380, box["y"] + 340, steps=10)
    reader.page.mouse.up()
    reader.page.locator("#slider").press("Home")
    assert "1 leaf of" in reader.text("#path-words")


def test_the_outline_scrolls_to_the_picked_node_and_the_page_does_not(read) -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(max_leaf_nodes=120).fit(X, y)
    reader = read(explore(model, X, y, cv=None), viewport={"width": 420, "height": 800})
    deepest = int(model.tree_.node_depth.argmax())
    reader.page.evaluate("part => { location.hash = part }", f"node={deepest}")
    sync_api.expect(reader.page.locator("#card h2")).to_contain_text(str(deepest))
    line = reader.page.locator("#outline [aria-selected='true'] > .line")
    reader.page.wait_for_function(
        """() => {
            const box = (selector) => document.querySelector(selector).getBoundingClientRect();
            const [line, frame] = [box("#outline [aria-selected='true'] > .line"), box(".outline")];
            return line.top >= frame.top - 1 && line.bottom <= frame.bottom + 1;
        }"""
    )
    assert line.count() == 1
    assert reader.page.evaluate("window.scrollY") == 0


def test_words_on_cards_are_whole(read) -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {"day": pd.date_range("2020-01-14", periods=3000), "amount": random.integers(10**6, 10**8, 3000)}
    )
    y = ((X["day"].dt.day_of_year > 150) * 3.0 + (X["amount"] > 5e7) + random.random(3000) * 2).to_numpy()
    model = DecisionTreeRegressor(max_leaf_nodes=40, ties="first").fit(X, y)
    page = read(explore(model, X, y, cv=None), viewport={"width": 1400, "height": 900}).page
    page.evaluate(
        """() => {
          window.written = [];
          const draw = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (words, ...place) {
            window.written.push(words);
            return draw.call(this, words, ...place);
          };
        }"""
    )
    page.get_by_role("button", name="Fit").click()
    for words in (r"^\d+ leaves$", r"^\d{4}-\d\d(-\d\d)?$"):  # of folded nodes, and dates
        page.wait_for_function("(words) => window.written.some((one) => one.match(words))", arg=words)
    assert [words for words in page.evaluate("window.written") if "…" in words] == []
