"""Take the pictures of the explorer that the documentation shows.

python tools/screenshots.py

needs Chromium (of the system, or where TREEWRIGHT_CHROMIUM says) and playwright, and writes
docs/pictures/explorer-*.png.
"""

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from treewright import DecisionTreeClassifier

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
CHROMIUM = os.environ.get("TREEWRIGHT_CHROMIUM") or shutil.which("chromium")


def write_page(path: Path) -> None:
    """Write the page of a tree that overfits a little, so that there is something to prune."""
    data = load_breast_cancer(as_frame=True)
    y = data.target_names[data.target]
    grown, held, y_grown, y_held = train_test_split(data.data, y, test_size=0.4, stratify=y, random_state=3)
    model = DecisionTreeClassifier(max_competitors=3).fit(grown, y_grown)
    title = "Breast cancer: benign or malignant?"
    model.to_html(path, grown, y_grown, validation=(held, y_held), title=title)


def take(page: Page, name: str) -> None:
    """Keep what the page shows."""
    page.wait_for_timeout(300)
    page.screenshot(path=PICTURES / f"explorer-{name}.png")
    print(f"wrote {PICTURES / f'explorer-{name}.png'}")


def main() -> None:
    """Go through the views."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "tree.html"
        write_page(path)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
            page.goto(path.as_uri())
            page.wait_for_selector("body[data-ready]")
            if scheme == "dark":
                page.click("#tab-teach")
                take(page, "teach")
                continue
            page.get_by_role("button", name="least validation rows").click()
            take(page, "tree")
            page.click("#tab-what-if")
            take(page, "what-if")
            page.click("#tab-regions")
            take(page, "regions")
        browser.close()


if __name__ == "__main__":
    main()
