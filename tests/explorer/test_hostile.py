"""Hundreds of hostile names and values in the explorer's page: text, all of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers.browsing import TABS
from helpers.hostile import FAMILIES, NAMES
from helpers.serving import running
from treewright import DecisionTreeClassifier, RandomForestClassifier, datasets, edit, explore
from treewright.explorer.server import ExplorerServer
from treewright.formatting.text import printable

FOREIGN = "img, iframe, object, embed, video, audio, base, marquee, script[src], link:not([rel=icon])"
CAREFUL = """() => {
    const found = window.harmed === undefined ? [] : ["harmed"];
    for (const element of document.querySelectorAll("*"))
        for (const { name, value } of element.attributes)
            if (name.startsWith("on") || (/^(href|src|action)$/.test(name) && !/^(#|data:image)/.test(value)))
                found.push(`${element.tagName} ${name}=${value}`);
    return found;
}"""

WHOLE = [name for name in NAMES if "\ud800" not in name]
"""Half characters are no names of columns, neither in pandas nor in files."""

# Many categories differ in blanks alone, and the data says so.
pytestmark = pytest.mark.filterwarnings("ignore:column")


def texts(names) -> set[str]:
    """Names as the page shows them."""
    return {" ".join(printable(name).split()) for name in names}


def shown(reader, selector: str) -> set[str]:
    """The texts of all elements of a kind."""
    found = reader.page.locator(selector).evaluate_all("all => all.map((one) => one.textContent)")
    return {" ".join(text.split()) for text in found}


def walk(reader) -> None:
    """Look at every view, with every part of it open; nothing may have become more than text."""
    for tab in reader.page.locator("[role=tab]").evaluate_all("all => all.map((tab) => tab.id.slice(4))"):
        reader.open(tab)
        reader.page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        assert reader.page.evaluate(CAREFUL) == []
        assert reader.page.locator(FOREIGN).count() == 0


def saved(reader, choice: str) -> str:
    """Keep a file from the page."""
    reader.open("tree")
    with reader.page.expect_download() as download:
        reader.page.locator("select[aria-label=save]").select_option(choice)
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_there_are_five_hundred_of_ten_families() -> None:
    assert len(NAMES) >= 500
    assert len(FAMILIES) == 10
    assert all(len(family) >= 10 for family in FAMILIES.values())


@pytest.fixture(name="features", scope="module")
def _features():
    """A tree that asks for many hostile features, one after the other, on rows that it holds."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, len(WHOLE))).round(2)
    y = random.integers(0, 2, 40)
    table = pd.DataFrame(X, columns=WHOLE)
    model = DecisionTreeClassifier(splitter="random", max_competitors=3, random_state=1).fit(table, y)
    return explore(model, table, y, cv=None, title=NAMES[0])


def test_features_are_text_in_every_view(read, features) -> None:
    reader = read(features)
    walk(reader)
    assert reader.text("h1") == NAMES[0]
    assert reader.page.title() == NAMES[0]
    reader.open("what-if")
    assert shown(reader, "#panel-what-if .name") == texts(WHOLE)
    reader.open("rows")
    assert shown(reader, "#panel-rows thead th button") == texts(WHOLE)
    for choice in ("Picture (SVG)", "Rules (text)", "Tree (JSON)"):
        assert "harmed" in saved(reader, choice)  # there, and not run
    assert reader.page.evaluate(CAREFUL) == []
    reader.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert reader.page.evaluate(CAREFUL) == []


def test_categories_are_text_in_every_view(read) -> None:
    X = np.array([[name, name[::-1]] for name in NAMES] * 3, dtype=object)
    y = ["odd" if len(name) % 2 else "even" for name in NAMES] * 3
    model = DecisionTreeClassifier(max_competitors=1).fit(X, y)
    reader = read(explore(model, X, y, cv=None, max_rows=3000))
    walk(reader)
    reader.open("what-if")
    assert texts(NAMES) <= shown(reader, "#panel-what-if option")
    reader.open("rows")
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="Download as CSV").click()
    cells = [
        cell
        for line in csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8")))
        for cell in line
    ]
    assert [cell for cell in cells if cell.strip()[:1] in ("=", "+", "-", "@")] == ["-1"] * 3  # a number


def test_classes_are_text_in_every_view(read) -> None:
    X = np.arange(len(NAMES), dtype=float)[:, None]
    model = DecisionTreeClassifier().fit(X, np.array(NAMES, dtype=object))
    reader = read(explore(model, X, np.array(NAMES, dtype=object), cv=None))
    walk(reader)
    reader.open("quality")
    assert shown(reader, "#panel-quality select option") == texts(NAMES)


def test_a_forest_of_hostile_names_is_text(read) -> None:
    random = np.random.default_rng(1)
    X = np.array([[random.choice(NAMES[::20]) for _ in range(3)] for _ in range(90)], dtype=object)
    y = np.array([random.choice(NAMES[::60]) for _ in range(90)], dtype=object)
    model = RandomForestClassifier(n_estimators=4, random_state=0).fit(X, y)
    walk(read(explore(model, X, y)))


def test_what_is_typed_is_text(read, irises) -> None:
    reader = read(irises)
    for tab in TABS:
        reader.open(tab)
        fields = reader.page.locator(f"#panel-{tab} input:is([type=text], [type=search])")
        for field in fields.all():
            for family in FAMILIES.values():
                field.fill(family[len(family) // 2].replace("\n", " "))
    reader.page.locator("#outline [data-node='0']").focus()
    reader.page.keyboard.type(FAMILIES["markup"][3])
    assert reader.page.evaluate(CAREFUL) == []
    for name in NAMES[::80]:
        reader.page.evaluate("part => { location.hash = part }", f"node={name}&tab={name}&step={name}")
        reader.page.reload()
        reader.page.wait_for_selector("body[data-ready]")
    assert reader.page.evaluate(CAREFUL) == []


def test_the_local_app_shows_them_as_text(visit) -> None:
    X = np.array([[name, "xyz"[len(name) % 3]] for name in NAMES] * 3, dtype=object)
    y = np.array([FAMILIES["markup"][len(name) % 4] for name in NAMES] * 3, dtype=object)
    server = ExplorerServer(edit(DecisionTreeClassifier().fit(X, y), X, y), title=NAMES[0])
    with running(server):
        page = visit(server)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        said = page.evaluate(
            """async (names) => {
                const edits = (name) => [{ edit: name }, { edit: "relabel", node: 1, label: name },
                    { edit: "split", node: 0, feature: name, groups: [[name], [name]] }];
                const found = [];
                for (const [at, name] of names.entries()) {
                    const body = JSON.stringify(edits(name)[at % 3]);
                    const headers = { "content-type": "application/json" };
                    const answer = await fetch("/edit", { method: "POST", body, headers });
                    found.push([answer.status, (await answer.json()).error.length > 10]);
                }
                return found;
            }""",
            NAMES,
        )
        assert said == [[400, True]] * len(NAMES)
        page.locator("#edit-forms fieldset").first.get_by_role("button", name="Force").click()
        page.locator("#edit-trouble:not(:empty), #edit-done:not(:empty)").first.wait_for()
        assert page.evaluate(CAREFUL) == []
        assert page.locator(FOREIGN).count() == 0
        assert {url.split("/")[2] for url in asked} == {f"127.0.0.1:{server.server_port}"}


def test_names_from_the_right_turn_no_line_of_the_page(read) -> None:
    X, y = datasets.load_iris()
    X = X.rename(columns={"petal length": "\u05d0\u05d5\u05e8\u05da", "petal width": "w" * 90})
    classes = {
        "setosa": "\u05db\u05df",
        "versicolor": "\u05dc\u05d0",
        "virginica": "\u05d0\u05d5\u05dc\u05d9",
    }
    said = [classes[name] for name in y]
    reader = read(explore(DecisionTreeClassifier(max_competitors=2).fit(X, said), X, said, cv=None))
    for tab in ("tree", "rules", "rows", "what-if", "quality", "teach"):
        reader.open(tab)
        turned = reader.page.evaluate(
            "[...document.querySelectorAll('.app *:not(bdi)')].filter((one) => one.checkVisibility() &&"
            " getComputedStyle(one).direction !== 'ltr').map((one) => one.outerHTML.slice(0, 80))"
        )
        assert (tab, turned) == (tab, [])
    reader.open("what-if")
    form, answer = (
        reader.page.locator(f"#panel-what-if {part}") for part in (".what-if .name >> nth=1", ".answer")
    )
    assert form.bounding_box()["x"] + form.bounding_box()["width"] <= answer.bounding_box()["x"]
