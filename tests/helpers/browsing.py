"""Reading pages in a real browser: one Chromium for all tests, and whoever reads notes what goes wrong."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from treewright import DecisionTreeClassifier, datasets, explore

CHROMIUM = (
    os.environ.get("TREEWRIGHT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
ASSETS = Path(__file__).parent.parent.parent / "src" / "treewright" / "explorer" / "assets"
MOST_WAITING = 300_000
"""Milliseconds of the clock, for what comes at once unless the machine is busy."""
TABS = ["tree", "sunburst", "regions", "rules", "rows", "what-if", "quality", "beside", "teach", "yours"]


class Watched:
    """A page from a file, and everything that went wrong with it."""

    def __init__(self, browser, path: Path, **settings) -> None:
        self.context = browser.new_context(**settings)
        self.context.set_default_timeout(MOST_WAITING)
        self.page = self.context.new_page()
        self.troubles: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.troubles.append("dialog"), dialog.dismiss()))
        self.page.on("request", self.note_request)
        self.page.goto(path.as_uri())

    def note_request(self, request) -> None:
        if not request.url.startswith(("file:", "blob:", "data:")):
            self.troubles.append(request.url)


class Reader(Watched):
    """An explorer's page that is being read."""

    def __init__(self, browser, page, tmp_path: Path, **settings) -> None:
        path = tmp_path / "tree.html"
        page.save(path)
        super().__init__(browser, path, **{"viewport": {"width": 1300, "height": 860}} | settings)
        self.page.wait_for_selector("body[data-ready]")

    def open(self, tab: str) -> None:
        self.page.click(f"#tab-{tab}")

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()

    def picture(self) -> str:
        """What is drawn on the canvas."""
        return self.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()")

    def wait_for_picture(self, given: str, *, other: bool = False) -> None:
        """Wait until this picture is drawn, or another one."""
        self.page.wait_for_function(
            """([picture, other]) =>
                (document.querySelector("#canvas").toDataURL() !== picture) === other""",
            arg=[given, other],
        )


def violations(page, **options) -> list[tuple[str, Any]]:
    """What the accessibility check finds, each with the first element it is found at."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found = axe.Axe().run(page, options=options).response["violations"]
    return [(one["id"], one["nodes"][0]["target"]) for one in found]


@pytest.fixture(name="browser", scope="session")
def one_browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(name="read")
def reading(browser, tmp_path):
    """Open a page; in the end nothing may have gone wrong with it."""
    readers = []

    def read(page, **settings) -> Reader:
        readers.append(Reader(browser, page, tmp_path, **settings))
        return readers[-1]

    yield read
    troubles = [trouble for reader in readers for trouble in reader.troubles]
    for reader in readers:
        reader.context.close()
    assert troubles == []


@pytest.fixture(name="irises", scope="session")
def page_of_irises():
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_competitors=2, ties="first").fit(X[::2], y[::2])
    return explore(model, X[::2], y[::2], validation=(X[1::2], y[1::2]), cv=5, title="Irises")


@pytest.fixture(name="visit")
def visiting(browser):
    """Open the page of a server; in the end nothing may have gone wrong but what was refused."""
    troubles: list[str] = []
    contexts = []

    def visit(server, **settings):
        contexts.append(browser.new_context(**settings))
        contexts[-1].set_default_timeout(MOST_WAITING)
        page = contexts[-1].new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("dialog", lambda dialog: (troubles.append("dialog"), dialog.dismiss()))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(server.address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield visit
    for context in contexts:
        context.close()
    refused = ("400 (Bad Request)", "409 (Conflict)")
    assert [trouble for trouble in troubles if not any(words in trouble for words in refused)] == []
