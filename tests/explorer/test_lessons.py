"""Teach by cards, the reader's own tree and trees side by side, in Chromium."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

import treewright as tw


@pytest.fixture(name="tennis", scope="module")
def page_of_tennis():
    X, y = tw.datasets.load_tennis()
    return tw.explore(tw.ID3Classifier().fit(X, y), X, y, cv=None, title="PlayTennis")


def cards(reader) -> list[str]:
    return [card.get_attribute("aria-label") for card in reader.page.locator(".cards svg").all()]


def test_a_lecture_opens_on_its_cards_and_grows_as_the_trace_has_it(read, tennis) -> None:
    reader = read(tennis)
    X, y = tw.datasets.load_tennis()
    trace = tw.ID3Classifier(trace=True).fit(X, y).trace_
    assert reader.page.locator("#panel-teach").is_visible()
    for node in [node for node in trace if node.candidates and node.decision.startswith("split")]:
        ranked = sorted(node.candidates, key=lambda one: -one.gain)
        assert cards(reader) == [
            f"{one.feature}: gain {one.gain:.3f}".replace("0.000", "0") for one in ranked if one.branches
        ]
        assert f"{node.weight:g} rows" in reader.text("#panel-teach h2")
        reader.page.get_by_role("button", name="As the tree did").click()
    assert reader.page.get_by_role("button", name="As the tree did").is_disabled()
    reader.page.get_by_role("button", name="Back", exact=True).click()
    reader.page.get_by_role("button", name="Split on Temperature here").click()
    assert "no such node" in reader.text("#panel-teach [role=status] >> nth=0")


def test_a_chip_that_is_dragged_moves_the_gain(read, tennis) -> None:
    reader = read(tennis)
    before = cards(reader)
    chip = reader.page.locator("[data-feature='0'] .chip").first
    box = chip.bounding_box()
    reader.page.mouse.move(box["x"] + 5, box["y"] + 5)
    reader.page.mouse.down()
    reader.page.mouse.move(box["x"] + 12, box["y"] + 66, steps=3)
    reader.page.mouse.up()
    X, y = tw.datasets.load_tennis()
    X.loc[X.index[0], "Outlook"] = "Overcast"
    moved = tw.ID3Classifier(trace=True).fit(X, y).trace_[0].candidates[0]
    assert f"Outlook: gain {moved.gain:.3f}" in cards(reader)
    assert [card for card in cards(reader) if not card.startswith("Outlook")] == before[1:]
    reader.page.get_by_role("button", name="Put the chips back").click()
    assert cards(reader) == before
    chip.focus()
    reader.page.keyboard.press("Enter")
    assert f"Outlook: gain {moved.gain:.3f}" in cards(reader)


def test_each_step_is_a_slide(read, tennis) -> None:
    reader = read(tennis)
    reader.page.get_by_role("button", name="Slides").click()
    slide = reader.page.locator(".slide > svg")
    titles = [slide.get_attribute("aria-label")]
    for _ in range(3):
        reader.page.keyboard.press("ArrowRight")
        titles.append(slide.get_attribute("aria-label"))
    assert titles == [
        "Step 1. all rows: split on Outlook",
        "Step 2. Outlook = Sunny: split on Humidity",
        "Step 3. Outlook = Rain: split on Wind",
        "The whole tree",
    ]
    with reader.page.expect_download() as saved:
        reader.page.get_by_role("button", name="Save this picture").click()
    assert saved.value.suggested_filename == "step-4.svg"
    reader.page.get_by_role("button", name="Back to the cards").click()
    assert reader.page.locator(".cards").is_visible()
    reader.page.get_by_role("button", name="Slides").press("Enter")
    reader.page.keyboard.press("Escape")
    assert reader.page.locator(".cards").is_visible()
    assert reader.page.evaluate("document.activeElement.textContent") == "Slides"


def test_the_readers_tree_is_judged_beside_the_trees_and_sent_to_a_friend(read, irises) -> None:
    reader = read(irises, reduced_motion="reduce")
    reader.open("yours")
    feature = reader.page.locator("#panel-yours").get_by_label("feature")
    feature.select_option(label="sepal width")
    reader.page.get_by_role("button", name="Cut here", exact=True).click()
    X, y = tw.datasets.load_iris()
    model = tw.DecisionTreeClassifier(max_depth=3, ties="first").fit(X[::2], y[::2])
    words = reader.text("#panel-yours [role=status]")
    assert f"The tree gains {model.tree_.merit[0]:.3g} here" in words
    reader.page.get_by_role("button", name="Go on").click()
    reader.page.get_by_role("button", name="Let the tree do the rest").click()
    score = 100 * model.score(X[1::2], y[1::2])
    result = reader.text("#panel-yours h2").replace("\xa0", " ")
    you, tree = map(float, re.match(r"You ([\d.]+) %, tree ([\d.]+) % on rows neither", result).groups())
    assert tree == pytest.approx(score, abs=0.06)
    ringed = reader.page.locator("#panel-yours section >> nth=0").locator(".ringed").count()
    assert you == pytest.approx(100 - 100 * ringed / 75, abs=0.06)
    reader.page.wait_for_function("location.hash.includes('cuts=')")
    address = reader.page.url
    reader.page.goto("about:blank")
    reader.page.goto(address)
    friend = reader.text("#panel-yours h2").replace("\xa0", " ")
    assert friend == result.replace("You", "They")
    reader.page.get_by_role("button", name="Can you do better?").click()
    assert reader.text("#panel-yours h2 >> nth=0") == "Where would you cut?"


def test_a_newcomer_sees_what_a_good_cut_is(read, irises) -> None:
    reader = read(irises, reduced_motion="reduce", viewport={"width": 360, "height": 740})
    reader.open("yours")
    assert "leaves boxes of one colour" in reader.text("#panel-yours p >> nth=0")
    feature = reader.page.locator("#panel-yours").get_by_label("feature")
    feature.select_option(label="petal length")
    reader.page.get_by_role("button", name="Cut here", exact=True).click()
    fallen = reader.page.locator(".game circle").evaluate_all(
        "dots => dots.map(dot => [dot.cx.baseVal.value, dot.cy.baseVal.value, dot.getAttribute('fill')])"
    )
    for is_left in (True, False):  # from below, line by line
        box = sorted((-y, x, fill) for x, y, fill in fallen if (x < 165) == is_left)
        colours = [fill for *_, fill in box]
        assert sum(one != other for one, other in pairwise(colours)) == len(set(colours)) - 1
    answer = reader.page.get_by_role("button", name="Go on").bounding_box()
    assert 0 <= answer["y"] <= 740 - answer["height"]
    reader.page.get_by_role("button", name="Go on").click()
    head = reader.page.locator("#panel-yours h2 >> nth=0").bounding_box()
    assert -1 < head["y"] < 700
    assert "boxes of one colour" not in reader.text("#panel-yours p >> nth=0")


PLACES = """
const { placesFor } = await import("./drawing/small_tree.js");
answer(given.map(([widths, all]) => placesFor(widths, all)));
"""


def test_pictures_stand_in_as_few_lines_as_their_least_width_allows(run_in_node) -> None:
    one, many, narrow = run_in_node(
        PLACES, [[[300, 900], 1000], [[700, 500, 700, 4000, 3000], 1300], [[700, 500], 250]]
    )
    assert one[1] > one[0] >= 280
    assert sum(one) == pytest.approx(1000)
    assert min(many) >= 280
    assert [sum(many[:3]), sum(many[3:])] == pytest.approx([1300, 1300])
    assert narrow == [250, 250]


def test_trees_of_the_same_table_stand_side_by_side(read) -> None:
    X, y = tw.datasets.load_iris()
    training, others = (X[::2], y[::2]), (X[1::2], y[1::2])
    model = tw.DecisionTreeClassifier(ties="first").fit(*training)
    beside = {
        "forest-guided": tw.TreeClassifier(guide="forest").fit(*training),
        "optimal": tw.OptimalTreeClassifier(max_depth=2).fit(*training),
    }
    reader = read(tw.explore(model, *training, validation=others, cv=None, beside=beside))
    reader.open("beside")
    lines = reader.page.locator("#panel-beside tbody tr").all_inner_texts()
    named = {line.split("\t")[0]: line.replace("\xa0", " ").split("\t")[1:] for line in lines}
    for name, other in {"greedy": model, **beside}.items():
        wrong = 100 * (1 - other.score(*others))
        assert named[name][1] == f"{wrong:.0f} %"
        assert named[name][2:] == [str(other.tree_.n_leaves), str(other.tree_.depth)]
    assert reader.page.locator("#panel-beside svg").count() == len(lines)
    with pytest.raises(tw.errors.DataError, match="beside"):
        tw.explore(model, *training, beside={"other": tw.DecisionTreeClassifier().fit(X.iloc[:, :2], y)})


def test_names_and_gains_do_not_lie_on_each_other(read) -> None:
    X, y = tw.datasets.load_votes()
    page = read(tw.explore(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), X, y, cv=None)).page
    page.click("#tab-teach")
    overlaps = """svg => {
      const boxes = [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
      return boxes.some((one, at) => boxes.slice(at + 1).some((other) =>
        Math.abs(one.bottom - other.bottom) < 4 && one.left < other.right && other.left < one.right));
    }"""
    cards = page.locator("#panel-teach .card svg")
    assert cards.count() > 4
    assert not any(card.evaluate(overlaps) for card in cards.all())


def test_below_a_report_an_opened_view_is_in_sight(browser, tmp_path) -> None:
    X, y = tw.datasets.load_iris()
    path = tmp_path / "report.html"
    tw.DecisionTreeClassifier(max_depth=2).fit(X, y).to_html(path, X, y, cv=None)
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready]")
    top = "document.querySelector('.app').getBoundingClientRect().top"
    assert page.evaluate("scrollY") == 0
    page.click("#tab-yours")
    assert 0 <= page.evaluate(top) < 80
    page.wait_for_function("location.hash.includes('yours')")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    assert 0 <= page.evaluate(top) < 80
    page.close()


def test_what_is_copied_is_what_the_button_says_and_it_says_so(read, irises) -> None:
    reader = read(irises, permissions=["clipboard-read", "clipboard-write"], reduced_motion="reduce")
    page = reader.page

    def copied(name: str) -> str:
        button = page.get_by_role("button", name=name)
        button.click()
        page.get_by_role("button", name="Copied").wait_for()
        button.wait_for()  # it has its name again
        return page.evaluate("navigator.clipboard.readText()")

    page.locator("#slider").press("ArrowLeft")
    assert "tw.pruning.CostComplexity(alpha=" in copied("Copy Python")
    page.locator("#slider").press("End")
    reader.open("rules")
    assert copied("Copy as text").count("IF") == 6
    assert "SELECT" in copied("Copy as SQL")
    compile(copied("Copy as Python"), "rules.py", "exec")
    reader.open("yours")
    page.get_by_role("button", name="Let the tree do the rest").click()
    page.wait_for_function("location.hash.includes('cuts=')")
    assert copied("Copy the link").endswith(page.url)
