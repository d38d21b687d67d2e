"""The page for everybody: what axe finds, contrast, and no mouse."""

from __future__ import annotations

import pytest

from helpers.browsing import TABS, violations
from treewright import DecisionTreeRegressor, RandomForestClassifier, RandomForestRegressor, datasets, explore


@pytest.mark.slow
def test_nothing_is_found_by_the_accessibility_check(read, irises) -> None:
    reader = read(irises, bypass_csp=True)
    for tab in TABS:
        reader.open(tab)
        assert (tab, violations(reader.page)) == (tab, [])


@pytest.mark.slow
def test_a_forest_and_two_nodes_side_by_side_are_accessible(read) -> None:
    X, y = datasets.load_iris()
    reader = read(
        explore(RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y), X, y), bypass_csp=True
    )
    reader.open("forest")
    reader.page.get_by_role("button", name="Compare").click()
    reader.page.locator("#outline [data-node='2'] > .line").click()
    assert violations(reader.page) == []


@pytest.mark.slow
def test_nothing_is_found_on_dark_pages(read, irises) -> None:
    reader = read(irises, bypass_csp=True, color_scheme="dark")
    for tab in TABS:
        reader.open(tab)
        assert (tab, violations(reader.page)) == (tab, [])
    reader.page.get_by_role("button", name="Let the tree do the rest").click()
    assert violations(reader.page) == []


def focused(reader) -> str:
    """The id of what has the focus, or of the nearest part around it; nothing outside the page."""
    around = "document.activeElement.closest('[id], .side, .skip, body')"
    return reader.page.evaluate(f"{around}.id || {around}.className")


def test_the_tab_key_reaches_every_part_and_is_caught_by_none(read, irises) -> None:
    reader = read(irises)
    visited = []
    for _ in range(80):
        reader.page.keyboard.press("Tab")
        visited.append(focused(reader))
        if visited[-1] == "":
            break  # it has left the page
    assert visited[0] == "skip"
    for part in ("tab-tree", "outline", "canvas", "tools", "card", "slider", "play", "path-choices"):
        assert part in visited, part
    assert visited[-1] == ""


def test_a_reader_without_a_mouse_prunes_asks_and_judges(read, irises) -> None:
    reader = read(irises)
    keyboard = reader.page.keyboard
    reader.page.locator("#tab-tree").focus()
    for tab in TABS[1:]:
        keyboard.press("ArrowRight")
        assert focused(reader) == f"tab-{tab}"
        assert reader.page.locator(f"#panel-{tab}").is_visible()
    for _ in TABS[TABS.index("quality") + 1 :]:
        keyboard.press("ArrowLeft")
    assert focused(reader) == "tab-quality"
    while "rows of" not in (reader.page.evaluate("document.activeElement.ariaLabel") or ""):
        keyboard.press("Tab")
    keyboard.press("Enter")
    assert reader.page.locator("#panel-tree").is_visible()
    reader.page.locator("#slider").focus()
    keyboard.press("Home")
    assert "1 leaf of 6" in reader.text("#path-words")
    keyboard.press("End")
    reader.page.locator("#outline [tabindex='0']").focus()
    keyboard.press("ArrowDown")
    assert reader.text("#card h2") == "Leaf 1"
    assert (
        reader.page.evaluate("getComputedStyle(document.activeElement.firstElementChild).outlineStyle")
        == "solid"
    )  # where the focus is can be seen


def named(reader) -> str:
    """What a screen reader says of what has the focus."""
    words = reader.page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")
    return words.replace("\xa0", " ")


def test_the_rings_of_the_sunburst_are_walked_by_arrows(read, irises) -> None:
    reader = read(irises)
    keyboard = reader.page.keyboard
    reader.open("sunburst")
    reader.page.locator("#panel-sunburst").focus()
    keyboard.press("Tab")
    assert named(reader).startswith("all rows → setosa")
    keyboard.press("ArrowDown")
    assert named(reader) == "petal length ≤ 2.45 → setosa, 25 rows · 100 %"
    assert reader.text("#card h2") == "Leaf 1"
    keyboard.press("ArrowRight")
    assert named(reader).startswith("petal length > 2.45")
    keyboard.press("ArrowRight")  # round the ring
    assert reader.text("#card h2") == "Leaf 1"
    keyboard.press("ArrowUp")
    assert reader.text("#card h2") == "Node 0"
    keyboard.press("Tab")  # all arcs are one stop
    assert reader.page.locator("#panel-sunburst :focus").count() == 0


@pytest.mark.slow
def test_dots_are_one_stop_each_has_a_name_and_enter_is_a_click(read) -> None:
    X, y = datasets.load_mpg()
    for model, tab, mark in (
        (DecisionTreeRegressor(max_leaf_nodes=5).fit(X, y), "quality", ".dot"),
        (RandomForestRegressor(4, max_leaf_nodes=5, random_state=0).fit(X, y), "forest", ".vote"),
    ):
        reader = read(explore(model, X, y, cv=None), bypass_csp=True)
        reader.open(tab)
        marks = reader.page.locator(f"#panel-{tab} {mark}")
        assert marks.count() > 1
        stops = reader.page.locator(f"#panel-{tab} {mark}[tabindex='0']")
        assert stops.count() == 1
        assert violations(reader.page) == []
        stops.focus()
        first = named(reader)
        reader.page.keyboard.press("ArrowRight")
        assert named(reader) != first
        assert stops.count() == 1
        reader.page.keyboard.press("Home")
        assert named(reader) == first
        reader.page.keyboard.press("Enter")
        assert reader.page.locator("#panel-tree").is_visible()


def test_forced_colours_keep_swatches_bars_and_shading(read, irises) -> None:
    reader = read(irises, forced_colors="active")
    colour = "one => getComputedStyle(one).backgroundColor"
    swatches = reader.page.locator("#legend .swatch")
    assert len({one.evaluate(colour) for one in swatches.all()}) == 3
    plain = reader.page.locator("#legend").evaluate(colour)
    assert plain not in {one.evaluate(colour) for one in swatches.all()}
    reader.open("quality")
    cells = reader.page.locator("#panel-quality .confusion .cell")
    assert len({one.evaluate(colour) for one in cells.all()}) > 2
    reader.open("what-if")
    bars = reader.page.locator("#panel-what-if td.bar span")
    assert all(one.evaluate(colour) != plain for one in bars.all())


def test_a_button_puts_out_what_is_lit_and_is_named_for_it(read, irises) -> None:
    reader = read(irises)
    reader.open("rules")
    reader.page.locator("#panel-rules .rule").first.click()
    reader.open("tree")
    caption = reader.page.locator("#caption")
    assert "the rule of leaf" in caption.inner_text()
    reader.page.locator("#tools").get_by_role("button", name="Clear", exact=True).click()
    assert not caption.is_visible()
