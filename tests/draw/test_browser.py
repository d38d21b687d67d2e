"""Drawings and results in a real browser, as notebooks put them on a page: light, dark, wide, hostile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification

import treewright as tw
from helpers.browsing import Watched
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, datasets, plot_tree, pruning
from treewright.formatting.colours import DARK, LIGHT

HOSTILE = "</title></style></script><img src=x onerror=alert(1)><script>alert(2)</script>"
THEMES = {
    "plain": "",
    "jupyter light": 'data-jp-theme-light="true"',
    "jupyter dark": 'data-jp-theme-light="false"',
    "vscode dark": 'class="vscode-dark"',
    "vscode light": 'class="vscode-light"',
    "sphinx dark": 'data-theme="dark"',
}
BOXES = """() => [...document.querySelectorAll('svg text:not([aria-hidden])')].map(text => {
  const box = text.getBoundingClientRect();
  return [text.textContent, box.left, box.top, box.right, box.bottom];
})"""


class Notebook(Watched):
    """A page that shows pieces of HTML as a notebook does."""

    def __init__(self, browser, path: Path, pieces: str, theme: str = "", **settings) -> None:
        path.write_text(f"<!doctype html><meta charset=utf-8><body {theme}>{pieces}</body>", encoding="utf-8")
        super().__init__(browser, path, viewport={"width": 900, "height": 700}, **settings)

    def note_request(self, request) -> None:
        super().note_request(request)
        if request.url.endswith("/x"):  # a hostile name's own file
            self.troubles.append(request.url)

    def ask(self, expression: str):
        return self.page.evaluate(expression)


def colour(code: str) -> str:
    return f"rgb({', '.join(str(int(code[place : place + 2], 16)) for place in (1, 3, 5))})"


def results() -> dict[str, object]:
    """Everything that a user may leave on the last line of a cell, under hostile names."""
    X, y = datasets.load_iris()
    X = X.rename(columns={"petal length": HOSTILE, "petal width": f"width {HOSTILE}"})
    y = np.where(np.asarray(y) == "setosa", HOSTILE, np.asarray(y))
    model = DecisionTreeClassifier(max_depth=3, trace=True).fit(X, y)
    forest = tw.RandomForestClassifier(30, random_state=0, oob_score=True).fit(X, y)
    pruned = tw.prune(model, pruning.CostComplexity(alpha=0.01))
    return {
        "model": model,
        "tree": model.tree_,
        "drawing": plot_tree(model, X, y, title=HOSTILE),
        "trace": model.trace_,
        "forest": forest,
        "error curve": forest.error_curve(X, y),
        "rules": model.rules(),
        "rule model": tw.RuleClassifier().fit(X, y),
        "report": pruned.report_,
        "path": pruned.path_,
        "comparison": tw.compare_pruners(model, X, y, cv=2, pruners=["pessimistic"]),
        "explanation": model.explain(X.iloc[0]),
        "importances": model.importances(X, y),
        "bound": model.bound(),
        "cp table": tw.CARTClassifier().fit(X, y).cp_table_,
        "overfitting": tw.overfitting_curve(model, X, y),
        "prediction report": model.predict(X, return_report=True)[1],
        "editor": tw.edit(model, X, y).split(1, feature="sepal width", threshold=3.0).undo(),
    }


def shown(result) -> str:
    if hasattr(result, "_repr_mimebundle_"):
        return result._repr_mimebundle_()["text/html"]
    return result._repr_html_()


def test_every_result_shows_hostile_names_as_text(browser, tmp_path) -> None:
    pieces = {name: shown(result) for name, result in results().items()}
    page = "".join(f"<section id='{name}'>{piece}</section>" for name, piece in pieces.items())
    for theme in ("", THEMES["jupyter dark"]):
        notebook = Notebook(browser, tmp_path / "notebook.html", page, theme)
        assert notebook.troubles == []
        assert notebook.ask("document.images.length") == 0
        for name in pieces:  # nothing has closed the place that it stands in
            assert notebook.ask(f"document.getElementById('{name}').parentElement.tagName") == "BODY"
            assert len(notebook.ask(f"document.getElementById('{name}').innerText")) > 5
        hostile = ("model", "tree", "drawing", "trace", "rules", "report", "importances", "editor", "forest")
        for name in hostile:
            assert "onerror=alert" in notebook.ask(f"document.getElementById('{name}').textContent")


@pytest.mark.parametrize(
    ("theme", "screen", "is_dark"),
    [
        ("plain", "light", False), ("plain", "dark", True),
        ("jupyter light", "dark", False), ("jupyter dark", "light", True),
        ("vscode light", "dark", False), ("vscode dark", "light", True),
        ("sphinx dark", "light", True),
    ],
)  # fmt: skip
def test_a_drawing_follows_the_theme_of_its_notebook(browser, tmp_path, theme, screen, is_dark) -> None:
    model = DecisionTreeClassifier(max_depth=2).fit(*datasets.load_iris())
    drawings = {name: plot_tree(model, theme=name)._repr_html_() for name in ("auto", "light", "dark")}
    page = "".join(f"<div id={name}>{drawing}</div>" for name, drawing in drawings.items())
    notebook = Notebook(browser, tmp_path / "n.html", page, THEMES[theme], color_scheme=screen)
    for name, dark in (("auto", is_dark), ("light", False), ("dark", True)):
        for tag, part in (("rect", "ground"), ("text:not([aria-hidden])", "ink")):
            fill = notebook.ask(f"getComputedStyle(document.querySelector('#{name} {tag}')).fill")
            assert fill == colour((DARK if dark else LIGHT)[part])


def test_paper_is_light_and_a_drawing_of_its_own_fits_on_it(browser, tmp_path) -> None:
    X, y = make_classification(600, 6, flip_y=0.3, random_state=0)
    drawing = plot_tree(DecisionTreeClassifier().fit(X, y), X, y)
    assert drawing.width > 1200
    drawing.save(tmp_path / "tree.svg")
    page = browser.new_context(color_scheme="dark", viewport={"width": 900, "height": 700}).new_page()
    page.goto((tmp_path / "tree.svg").as_uri())
    width = "document.documentElement.getBoundingClientRect().width"
    assert page.evaluate(width) == pytest.approx(drawing.width, abs=1)  # as large as it is drawn
    page.emulate_media(media="print")
    assert page.evaluate(width) <= 900
    assert page.evaluate("getComputedStyle(document.querySelector('rect')).fill") == colour(LIGHT["ground"])


def test_a_drawing_is_as_wide_as_its_cell_and_a_wide_one_is_scrolled(browser, tmp_path) -> None:
    X, y = make_classification(2000, 6, flip_y=0.3, random_state=0)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    for leaves, scrolled in ((2, False), (60, True)):
        drawing = plot_tree(tree, X, y, max_leaves=leaves)
        notebook = Notebook(browser, tmp_path / "n.html", drawing._repr_html_())
        box = notebook.ask(
            "(box => [box.clientWidth, box.scrollWidth])(document.querySelector('svg').parentNode)"
        )
        assert (box[1] > box[0]) == scrolled
        width, height = notebook.ask(
            "(box => [box.width, box.height])(document.querySelector('svg').getBoundingClientRect())"
        )
        assert width / drawing.width >= 0.69
        assert width / height == pytest.approx(drawing.width / drawing.height, rel=0.01)
        assert notebook.ask("document.documentElement.scrollWidth") <= 900


@pytest.mark.parametrize("settings", [{}, {"orientation": "left_right"}, {"style": "river"}], ids=str)
@pytest.mark.parametrize("n_leaves", [5, 500])
def test_no_words_lie_over_others_in_the_fonts_of_a_browser(browser, tmp_path, n_leaves, settings) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(8000, 4))
    target = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + random.normal(size=8000)
    labels = np.array(["no", "perhaps", "yes, by all means"])[np.digitize(target, [-0.5, 0.8])]
    for model, y in (
        (DecisionTreeClassifier(max_leaf_nodes=n_leaves), labels),
        (DecisionTreeRegressor(max_leaf_nodes=n_leaves), target),
    ):
        drawing = plot_tree(model.fit(X, y), X, y, missing=True, node_ids=True, **settings)
        drawing.save(tmp_path / "tree.svg")
        page = browser.new_page(viewport={"width": 900, "height": 700})
        page.goto((tmp_path / "tree.svg").as_uri())
        texts = page.evaluate(BOXES)
        page.close()
        boxes = np.array([text[1:] for text in texts])
        assert len(boxes) > 10
        left, top, right, foot = boxes.T
        depth = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
        height = np.minimum(foot[:, None], foot) - np.maximum(top[:, None], top)
        over = (depth > 1) & (height > 4) & ~np.eye(len(boxes), dtype=bool)  # lines of a text stand close
        assert not over.any(), [texts[place][0] for place in np.flatnonzero(over.any(axis=0))]
        assert (left >= 0).all()
        assert (right <= drawing.width).all()
        assert (foot <= drawing.height).all()


def test_the_explorer_stands_in_a_frame_that_reaches_nothing(browser, tmp_path) -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_depth=2).fit(X.rename(columns={"petal length": HOSTILE}), y)
    X = X.rename(columns={"petal length": HOSTILE})
    notebook = Notebook(browser, tmp_path / "n.html", tw.explore(model, X, y)._repr_html_())
    sandbox = notebook.ask("document.querySelector('iframe').getAttribute('sandbox')").split()
    assert "allow-scripts" in sandbox
    assert "allow-same-origin" not in sandbox
    frame = notebook.page.frame_locator("iframe")
    frame.locator("body[data-ready]").wait_for()
    assert frame.locator("svg, canvas").count() > 0
    assert notebook.troubles == []


def test_what_a_node_tells_is_shown_line_by_line(browser, tmp_path) -> None:
    drawing = plot_tree(DecisionTreeClassifier(max_depth=1).fit(*datasets.load_iris()))
    notebook = Notebook(browser, tmp_path / "n.html", drawing._repr_html_())
    tip = notebook.ask("document.querySelector('svg g g title').textContent")
    assert tip.split("\n")[:3] == ["node 0: all rows", "150 rows, 100 % of all", "predicts setosa"]
