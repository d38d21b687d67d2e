"""Take the pictures of the explorer that the documentation shows.

python tools/screenshots.py

needs Chromium (of the system, or where TREEWRIGHT_CHROMIUM says) and playwright, and writes
docs/pictures/explorer-*.png.
"""

import os
import shutil
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from treewright import (
    DecisionTreeClassifier,
    ID3Classifier,
    OptimalTreeClassifier,
    RandomForestClassifier,
    TreeClassifier,
    datasets,
    edit,
    explore,
)
from treewright.explorer.server import ExplorerServer

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
CHROMIUM = os.environ.get("TREEWRIGHT_CHROMIUM") or shutil.which("chromium")
TITLE = "Breast cancer: benign or malignant?"
SIZE = {"width": 1280, "height": 800}

data = load_breast_cancer(as_frame=True)
X, X_held, y, y_held = train_test_split(
    data.data,
    data.target_names[data.target],
    test_size=0.4,
    stratify=data.target,
    random_state=3,
)
model = DecisionTreeClassifier(max_competitors=3).fit(X, y)  # overfits a little: there is something to prune


def take(page: Page, name: str) -> None:
    """Keep what the page shows."""
    page.wait_for_timeout(600)
    page.screenshot(path=PICTURES / f"explorer-{name}.png")
    print(f"wrote {PICTURES / f'explorer-{name}.png'}")


def opened(browser: Browser, address: str, scheme: str = "light") -> Page:
    """Open a page and wait until it is drawn."""
    page = browser.new_page(viewport=SIZE, color_scheme=scheme)
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    return page


def shown(model: object, path: Path, **settings: object) -> str:
    """Write the explorer of a model and give its address."""
    explore(model, X, y, **settings).save(path)
    return path.as_uri()


def take_tree(browser: Browser, folder: Path) -> None:
    """Go through the views of a tree."""
    path = folder / "tree.html"
    beside = {
        "forest-guided": TreeClassifier(guide="forest").fit(X, y),
        "optimal": OptimalTreeClassifier(max_depth=2).fit(X, y),
    }
    address = shown(model, path, validation=(X_held, y_held), title=TITLE, beside=beside)
    page = opened(browser, address)
    page.get_by_role("button", name="least error, validation rows").click()
    take(page, "tree")
    for tab in ("what-if", "regions", "sunburst", "beside"):
        page.click(f"#tab-{tab}")
        take(page, tab)
    page.click("#tab-yours")
    page.select_option("#panel-yours select >> nth=0", label="worst texture")
    page.get_by_role("button", name="Cut here", exact=True).click()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Let the tree do the rest").click()
    page.wait_for_timeout(6000)
    take(page, "yours")
    page.click("#tab-quality")
    page.locator("#panel-quality section").last.evaluate("part => part.scrollIntoView()")
    take(page, "quality")
    dark = opened(browser, address, "dark")
    dark.click("#tab-teach")
    take(dark, "teach")
    dark.click("#tab-tree")
    dark.get_by_role("button", name="Send training rows down").click()
    dark.get_by_role("button", name="Send validation rows down").click()
    dark.wait_for_timeout(6000)
    take(dark, "rows")


def take_report(browser: Browser, folder: Path) -> None:
    """Show the report that stands above the explorer."""
    path = folder / "report.html"
    model.to_html(path, X, y, validation=(X_held, y_held), title=TITLE)
    take(opened(browser, path.as_uri()), "report")


def take_lesson(browser: Browser, folder: Path) -> None:
    """Split PlayTennis once."""
    path = folder / "tennis.html"
    table, target = datasets.load_tennis()
    explore(ID3Classifier().fit(table, target), table, target, title="PlayTennis").save(path)
    page = opened(browser, path.as_uri())
    page.get_by_role("button", name="As the tree did").click()
    take(page, "cards")


def take_forest(browser: Browser, folder: Path) -> None:
    """Show the votes on a row that is hard to tell."""
    path = folder / "forest.html"
    forest = RandomForestClassifier(random_state=0).fit(X, y)
    page = opened(browser, shown(forest, path, title=f"{TITLE} A forest"))
    page.click("#tab-forest")
    take(page, "forest")


def take_edit(browser: Browser) -> None:
    """Prune a node in the browser."""
    server = ExplorerServer(edit(model, X, y, validation=(X_held, y_held)), title=TITLE)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    page = opened(browser, server.address)
    page.locator("#outline [data-node='1'] > .line").click()
    page.locator("#edit").get_by_role("button", name="Prune here").click()
    page.wait_for_selector("#edit-done:not(:empty)")
    take(page, "edit")
    server.shutdown()
    thread.join()
    server.server_close()


def main() -> None:
    """Take all pictures."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        take_tree(browser, Path(folder))
        take_report(browser, Path(folder))
        take_lesson(browser, Path(folder))
        take_forest(browser, Path(folder))
        take_edit(browser)
        browser.close()


if __name__ == "__main__":
    main()
