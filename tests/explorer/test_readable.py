"""Words on the page: none too small and none broken, in every view and at the widths of screens."""

from __future__ import annotations

import pytest

import treewright as tw
from helpers.browsing import TABS

SMALL = """() => [...document.querySelectorAll(".app *")].flatMap((one) => {
  const own = [...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  if (!own || one.tagName === "title" || !one.checkVisibility()) return [];
  if (one.closest(".unseen, .skip, option")) return [];
  const matrix = one.getScreenCTM?.();
  const size = parseFloat(getComputedStyle(one).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
  return size < 11.9 ? [`${one.textContent.slice(0, 30)}: ${size.toFixed(1)}`] : [];
})"""

WRITTEN = """() => {
  window.written = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (words, ...place) {
    const scale = this.getTransform().a / devicePixelRatio;
    window.written.push([words, scale * parseFloat(/([\\d.]+)px/.exec(this.font)[1])]);
    return draw.call(this, words, ...place);
  };
}"""


def written(page, button: str) -> list[tuple[str, float]]:
    """What the canvas says after a button was pressed, with the size of its letters on the page."""
    page.evaluate("() => { window.written = [] }")
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_function("() => window.written.length > 3")
    return page.evaluate("window.written")


@pytest.fixture(name="pages", scope="module")
def pages_of_all_kinds(irises):
    X, y = tw.datasets.load_mpg()
    votes = tw.datasets.load_votes()
    return {
        "classes": irises,
        "categories": tw.explore(tw.DecisionTreeClassifier().fit(*votes), *votes, cv=None),
        "equations": tw.explore(tw.TreeRegressor(leaves="linear").fit(X, y), X, y, cv=None),
        "numbers": tw.explore(tw.DecisionTreeRegressor(max_leaf_nodes=60).fit(X, y), X, y, cv=None),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classes", "categories", "equations", "numbers"])
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (800, 1000), (360, 740)])
def test_no_words_are_smaller_than_twelve_points(read, pages, kind, width, height) -> None:
    settings = {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce"}
    reader = read(pages[kind], **settings)
    there = [tab for tab in TABS if reader.page.locator(f"#tab-{tab}").count()]
    for tab in there:
        if width < 1400 and tab == "beside":
            continue  # trees side by side share what width there is
        reader.open(tab)
        reader.page.wait_for_timeout(100)  # charts are drawn anew where their place has changed
        assert (tab, reader.page.evaluate(SMALL)) == (tab, [])


@pytest.mark.parametrize("kind", ["classes", "categories", "equations", "numbers"])
def test_cards_can_be_read_and_no_number_on_them_is_broken(read, pages, kind) -> None:
    page = read(pages[kind], viewport={"width": 1400, "height": 900}, reduced_motion="reduce").page
    page.evaluate(WRITTEN)
    for button in ("Fit", "Turn", "Turn"):
        for words, size in written(page, button):
            assert size > 11.9, words
            assert not (words.endswith("…") and words.rstrip("…")[-1:].isdigit()), words
            assert not (" rows" not in words and words.startswith("mean ")), words


def test_the_path_of_a_row_can_be_read_however_deep_it_is(read, pages) -> None:
    reader = read(pages["numbers"], viewport={"width": 1400, "height": 900})
    reader.open("what-if")
    picture = reader.page.locator(".lit-way svg")
    steps = reader.page.locator("#panel-what-if ol li").count()
    assert steps >= 5
    assert picture.bounding_box()["height"] > 90 * steps  # taller than its place, which scrolls
    place = reader.page.locator(".lit-way").bounding_box()
    assert place["y"] + place["height"] <= 900
    assert picture.bounding_box()["width"] <= place["width"] + 1
