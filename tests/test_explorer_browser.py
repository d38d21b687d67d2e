"""The explorer in a real browser: its modules against the library, and what a reader does with it."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from trees import Inner, Leaf, build, random_rows, random_tree
from treewright import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    datasets,
    edit,
    explore,
)
from treewright.data import Column, Schema
from treewright.draw.layout import centres
from treewright.explorer.content import Exploration, content_of, exact
from treewright.splits import Table, Threshold

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
CHROMIUM = (
    os.environ.get("TREEWRIGHT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

ASSETS = Path(__file__).parent.parent / "src" / "treewright" / "explorer" / "assets"
TABS = ["tree", "sunburst", "regions", "rules", "rows", "what-if", "quality", "teach"]


@pytest.fixture(name="browser", scope="module")
def _browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Reader:
    """A page that is being read, and everything that went wrong with it."""

    def __init__(self, browser, page, tmp_path: Path, **settings) -> None:
        path = tmp_path / "tree.html"
        page.save(path)
        settings = {"viewport": {"width": 1300, "height": 860}} | settings
        self.context = browser.new_context(**settings)
        self.page = self.context.new_page()
        self.troubles: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.troubles.append("dialog"), dialog.dismiss()))
        self.page.on("request", self.note_request)
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("body[data-ready]")

    def note_request(self, request) -> None:
        if not request.url.startswith(("file:", "blob:", "data:")):
            self.troubles.append(request.url)

    def open(self, tab: str) -> None:
        self.page.click(f"#tab-{tab}")

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()


@pytest.fixture(name="read")
def _read(browser, tmp_path):
    readers = []

    def read(page, **settings) -> Reader:
        readers.append(Reader(browser, page, tmp_path, **settings))
        return readers[-1]

    yield read
    troubles = [trouble for reader in readers for trouble in reader.troubles]
    for reader in readers:
        reader.context.close()
    assert troubles == []


@pytest.fixture(name="irises", scope="module")
def _irises():
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_competitors=2).fit(X[::2], y[::2])
    return explore(model, X[::2], y[::2], validation=(X[1::2], y[1::2]), cv=5, title="Irises")


@pytest.fixture(name="modules", scope="module")
def _modules(browser):
    """A page in which the modules can be imported one by one, as a browser would load them."""
    context = browser.new_context()
    page = context.new_page()

    def answer(route) -> None:
        name = route.request.url.rsplit("/", 1)[1]
        kind = "text/javascript" if name.endswith(".js") else "text/html"
        body = (ASSETS / name).read_text(encoding="utf-8") if name.endswith(".js") else "<!doctype html>"
        route.fulfill(body=body, content_type=kind)

    page.route("http://explorer.test/**", answer)
    page.goto("http://explorer.test/index.html")
    yield page
    context.close()


def rows_of(tree, numbers, codes) -> list[list[float | None]]:
    """Rows as the page's script has them: a value for each feature."""
    position, columns = tree.schema.position, tree.schema.columns
    by_feature = [
        codes[:, position[place]].tolist()
        if column.kind == "categorical"
        else exact(numbers[:, position[place]])
        for place, column in enumerate(columns)
    ]
    return [list(row) for row in zip(*by_feature, strict=True)]


def in_script(modules, tree, expression: str, rows=()):
    """Evaluate an expression over `model` and `rows` in the page."""
    found = json.loads(json.dumps(content_of(Exploration(tree), cv=None, max_rows=0, title=None)))
    program = """async ([content, rows, expression]) => {
        const modules = {};
        for (const name of ["model", "rules", "change", "layout", "ranking"]) {
            Object.assign(modules, await import(`http://explorer.test/${name}.js`));
        }
        const model = new modules.Model(content);
        return new Function("model", "rows", ...Object.keys(modules), `return ${expression}`)(
            model, rows, ...Object.values(modules));
    }"""
    return modules.evaluate(program, [found, list(rows), expression])


# ---- the script against the library ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("n_classes", [0, 3])
def test_the_script_predicts_as_the_tree_does(modules, seed, n_classes) -> None:
    tree = random_tree(seed, 8, n_classes)
    numbers, codes = random_rows(seed)
    codes = np.maximum(codes, -1)  # what is unseen is missing, as estimators have it
    said = np.array(
        in_script(modules, tree, "rows.map((row) => model.predict(row))", rows_of(tree, numbers, codes))
    )
    value = tree.value / tree.value.sum(axis=1, keepdims=True) if n_classes else tree.value
    expected = tree.spread(np.asfortranarray(numbers), np.asfortranarray(codes), value)
    assert np.allclose(said, expected, atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_the_script_lays_out_as_plot_tree_does(modules, seed) -> None:
    tree = random_tree(seed, 14)
    expression = "Array.from(layoutOf(model, model.visible(-1), (node) => model.children(node, -1), true).x)"
    x = np.array(in_script(modules, tree, expression))
    expected = centres(tree, np.full(len(tree), 168.0), 18.0)
    assert np.allclose(x - x.min(), expected - expected.min(), atol=1e-6)


def test_rules_copied_as_python_predict_as_the_tree_does(modules) -> None:
    X, y = datasets.load_labor()
    tree = DecisionTreeClassifier().fit(X, y).tree_
    code = in_script(
        modules, tree, "rulesAsPython(model, model.leaves(-1).map((node) => ruleOf(model, node)))"
    )
    namespace: dict = {}
    exec(code, namespace)
    rows = [
        {name: None if pd.isna(value) else value for name, value in row.items()}
        for row in X.to_dict("records")
    ]
    expected = tree.schema.classes[tree.label[tree.apply(X)]]
    assert [namespace["predict"](row) for row in rows] == expected.tolist()


def test_the_nearest_change_is_one_and_none_is_nearer(modules) -> None:
    X, y = datasets.load_iris()
    tree = DecisionTreeClassifier(max_depth=4).fit(X, y).tree_
    numbers, codes = tree.schema.encode(X)
    found = in_script(
        modules, tree, "rows.map((row) => nearestChange(model, row, 0))", rows_of(tree, numbers, codes)
    )
    before = tree.label[tree.route(numbers, codes)]
    after = tree.label[tree.route(np.array([change["row"] for change in found]), codes)]
    assert (before != after).all()
    for row, change, label in zip(numbers, found, before, strict=True):
        if len(change["changes"]) == 2:  # then no single feature does it, wherever it is put
            for feature in range(4):
                tried = np.repeat(row[None, :], 200, axis=0)
                tried[:, feature] = np.linspace(-1, 9, 200)
                assert (tree.label[tree.route(tried, np.empty((200, 0), np.int32))] == label).all()


def test_roc_and_precision_are_those_of_scikit_learn(modules) -> None:
    random = np.random.default_rng(0)
    scores, truths = random.integers(0, 6, 80) / 5, random.random(80) < 0.4
    found = in_script(modules, random_tree(0, 2), "rocCurve(...rows)", [scores.tolist(), truths.tolist()])
    alarms, hits, _ = roc_curve(truths, scores, drop_intermediate=False)
    assert np.allclose(found["points"], np.column_stack([alarms, hits]))
    assert found["area"] == pytest.approx(roc_auc_score(truths, scores))
    precise = in_script(
        modules, random_tree(0, 2), "precisionCurve(...rows)", [scores.tolist(), truths.tolist()]
    )
    precision, recall, _ = precision_recall_curve(truths, scores)
    assert np.allclose(precise["points"], np.column_stack([recall, precision])[-2::-1])
    assert precise["average"] == pytest.approx(average_precision_score(truths, scores))
    bins = in_script(modules, random_tree(0, 2), "calibration(...rows)", [scores.tolist(), truths.tolist()])
    assert sum(one["count"] for one in bins) == 80
    assert sum(one["count"] * one["came"] for one in bins) == pytest.approx(truths.sum())


# ---- what a reader does ----------------------------------------------------------------------------------


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
    before = reader.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()")
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_timeout(100)
    assert reader.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()") != before


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


def test_a_row_is_picked_and_its_way_is_lit(read, irises) -> None:
    reader = read(irises)
    reader.open("rows")
    assert "150 rows; the page holds 150 of 150" in reader.text("#panel-rows [role=status]")
    X = datasets.load_iris()[0]
    reader.page.select_option("#panel-rows select >> nth=0", label="petal width")
    reader.page.select_option("#panel-rows select >> nth=1", label=">")
    reader.page.fill("#panel-rows input[aria-label='value']", "2.4")
    assert reader.page.locator("#panel-rows tbody tr").count() == int((X["petal width"] > 2.4).sum())
    reader.page.locator("#panel-rows tbody button").first.click()
    assert reader.text("#card h2").startswith("Leaf")
    reader.open("what-if")
    assert reader.text("#panel-what-if .says") == "predicted virginica"
    assert "petal length > 2.45" in reader.text("#panel-what-if ol").replace("\xa0", " ")


def test_what_if_answers_at_once_and_says_what_would_change_its_mind(read, irises) -> None:
    reader = read(irises)
    reader.open("what-if")
    length = reader.page.locator("#panel-what-if").get_by_label("petal length").first
    length.fill("1.0")
    assert reader.text("#panel-what-if .says") == "predicted setosa"
    assert "If petal length becomes 2.5, the tree says versicolor." in reader.text(".answer")
    reader.page.get_by_role("button", name="Try it").click()
    assert reader.text("#panel-what-if .says") == "predicted versicolor"
    length.fill("90")
    assert "beyond all rows: 1 to 6.9" in reader.text("#panel-what-if .what-if")
    length.fill("")
    assert "petal length is missing" in reader.text("#panel-what-if ol")


def test_the_confusion_matrix_lights_the_leaves_of_its_rows(read, irises) -> None:
    reader = read(irises)
    reader.open("quality")
    assert "of 75 validation rows right" in reader.text("#panel-quality h2 >> nth=0")
    assert "ROC curve, area" in reader.text("#panel-quality .pictures")
    assert "±" in reader.text("#panel-quality .importances")
    numbers = [int(text) for text in reader.page.locator(".confusion td").all_inner_texts()]
    assert sum(numbers) == 75
    plain = reader.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()")
    reader.page.get_by_role("button", name="rows of setosa taken for setosa").click()
    assert reader.page.locator("#panel-tree").is_visible()
    reader.page.wait_for_timeout(100)
    assert reader.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()") != plain


def test_teaching_shows_the_gain_of_a_cut(read, irises) -> None:
    reader = read(irises)
    reader.open("teach")
    assert "gain = 1.585 − 0.333 · 0 − 0.667 · 1 = 0.9183, the best there is" in reader.text("#panel-teach")
    reader.page.locator("#panel-teach input[type=range]").press("End")
    assert "= 0" in reader.text("#panel-teach .formula >> nth=0")
    reader.page.get_by_role("button", name="Best cut").click()
    assert "the best there is" in reader.text("#panel-teach .formula >> nth=0")
    reader.page.get_by_label("impurity").select_option("Gini")
    assert "0.6667" in reader.text("#panel-teach table")
    reader.page.get_by_role("button", name="Draw the rows anew").click()
    picture = reader.page.locator(".teach-picture svg").bounding_box()
    reader.page.mouse.move(picture["x"] + 100, picture["y"] + 60)
    reader.page.mouse.down()
    reader.page.mouse.move(picture["x"] + 400, picture["y"] + 60)
    reader.page.mouse.up()
    assert reader.page.locator("#panel-teach input[type=range]").input_value() not in ("0", "1000")


def test_rules_are_sorted_filtered_and_lead_to_their_leaf(read, irises) -> None:
    reader = read(irises)
    reader.open("rules")
    assert reader.page.locator("#panel-rules tbody tr").count() == 6
    reader.page.get_by_label("with").fill("sepal")
    shown = reader.page.locator("#panel-rules tbody tr").count()
    assert 0 < shown < 6
    reader.page.locator("#panel-rules tbody button").first.click()
    assert reader.text("#card h2").startswith("Leaf")


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


@pytest.mark.parametrize("kind", ["regression", "surrogates", "shared"])
def test_the_table_of_rows_predicts_as_the_model_does(read, kind) -> None:
    X, y = {
        "regression": datasets.load_mpg,
        "surrogates": datasets.load_labor,
        "shared": datasets.load_votes,
    }[kind]()
    model = {
        "regression": DecisionTreeRegressor(max_leaf_nodes=6),
        "surrogates": CARTClassifier(min_samples_split=4, min_samples_leaf=2),
        "shared": C45Classifier(),
    }[kind].fit(X, y)
    reader = read(explore(model, X, y, cv=None))
    reader.open("rows")
    said = reader.page.locator("#panel-rows tbody tr td:nth-child(3)").all_inner_texts()
    expected = model.predict(X)[: len(said)]
    assert len(said) == min(len(X), 200)
    if kind == "regression":
        assert np.allclose(np.array(said, float), expected, rtol=1e-3)
    else:
        assert said == expected.tolist()


def test_two_nodes_are_seen_side_by_side(read, irises) -> None:
    reader = read(irises)
    assert not reader.page.locator("#compare").is_visible()
    reader.page.locator("#outline [data-node='1'] > .line").click()
    reader.page.get_by_role("button", name="Compare").click()
    assert "Node 1 is kept" in reader.text("#compare")
    reader.page.locator("#outline [data-node='2'] > .line").click()
    found = reader.text("#compare").replace("\xa0", " ")
    assert "Node 1 beside node 2" in found
    assert "predicts\tsetosa\tversicolor" in found
    assert "rows\t25\t50" in found
    assert "Only node 1\npetal length ≤ 2.45" in found
    X = datasets.load_iris()[0]["petal length"]
    means = [X[X <= 2.45].mean(), X[X > 2.45].mean()]  # the page holds all rows of both parts
    assert f"petal length\t{means[0]:.3g}\t{means[1]:.3g}" in found
    reader.page.get_by_role("button", name="Stop comparing").click()
    assert not reader.page.locator("#compare").is_visible()


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
        f"training rows {risk['training']:.0%} · validation rows {risk['validation']:.0%}".replace("%", " %")
        in words
    )
    assert reader.page.locator("#outline [role=treeitem]").count() == 3
    assert reader.text("#card h2") == "Leaf 2 (pruned here)"
    reader.open("rules")
    assert reader.page.locator("#panel-rules tbody tr").count() == 2
    reader.page.get_by_role("button", name="restore 1 node pruned by hand").click()
    assert reader.text("#path-words") == whole


def test_rows_fall_to_their_leaves_and_show_who_is_wrong(read, irises) -> None:
    reader = read(irises)
    canvas = reader.page.locator("#canvas")
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    reader.page.get_by_role("button", name="Drop training rows").click()
    assert "75 training rows: 100\xa0% come to a leaf" in reader.text("#fallen")
    reader.page.get_by_role("button", name="Drop validation rows").click()
    right = (75 - round(75 * 0.0533)) / 75  # 5 % of 75 validation rows are wrong, as the path says
    assert "validation rows 5\xa0%" in reader.text("#path-words")
    assert f"{right:.0%}".replace("%", "\xa0%") in reader.text("#fallen")
    reader.page.wait_for_timeout(300)
    assert canvas.evaluate("canvas => canvas.toDataURL()") != before
    reader.page.get_by_role("button", name="Clear rows").click()
    assert reader.text("#fallen") == ""
    reader.page.wait_for_timeout(100)
    assert canvas.evaluate("canvas => canvas.toDataURL()") == before


def test_classes_are_hatched_on_request(read, irises) -> None:
    reader = read(irises)
    hatch = reader.page.get_by_role("button", name="hatch")
    swatch = reader.page.locator("#legend .swatch").nth(1)
    plain = reader.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()")
    assert "url" not in swatch.evaluate("one => getComputedStyle(one).backgroundImage")
    hatch.click()
    assert hatch.get_attribute("aria-pressed") == "true"
    assert "data:image/svg" in swatch.evaluate("one => getComputedStyle(one).backgroundImage")
    assert reader.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()") != plain
    assert reader.page.locator("#card rect[fill^=url]").count() > 0
    with reader.page.expect_download() as saved:
        reader.page.locator("select[aria-label=save]").select_option("Picture (SVG)")
    picture = Path(saved.value.path()).read_text(encoding="utf-8")
    used = set(re.findall(r"url\(#([\w-]+)\)", picture))
    assert used
    assert used <= set(re.findall(r'<pattern[^>]* id="([\w-]+)"', picture))
    hatch.click()
    assert reader.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()") == plain


def test_paper_is_light_hatched_and_drawn_in_lines(read, irises, tmp_path) -> None:
    reader = read(irises, color_scheme="dark")
    dark = reader.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()")
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
    reader.page.wait_for_timeout(400)
    assert reader.page.locator("#canvas").evaluate("canvas => canvas.toDataURL()") == dark
    reader.page.pdf(path=tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_a_forest_is_walked_tree_by_tree_and_votes_as_it_predicts(read, vote) -> None:
    X, y = datasets.load_iris()
    model = RandomForestClassifier(n_estimators=12, vote=vote, max_depth=3, random_state=0).fit(X, y)
    reader = read(explore(model, X, y))
    reader.open("forest")
    assert reader.page.locator(".squares button").count() == 12
    error = model.error_curve(X, y).error[-1]
    assert f"share of errors of {error:.0%}".replace("%", "\xa0%") in reader.text("#panel-forest")
    for row in (0, 70, 133):
        reader.open("rows")
        reader.page.locator("#panel-rows tbody button").nth(row).click()
        reader.open("forest")
        said = model.predict(X[row : row + 1])[0]
        assert reader.text("#panel-forest .says") == f"the forest says {said}"
        shares = reader.page.locator("#panel-forest .votes tbody tr").all_inner_texts()
        share = model.predict_proba(X[row : row + 1]).max()
        assert f"{round(100 * share)}\xa0%" in shares[0].replace(">99", "100")
        votes = [tree.predict(X[row : row + 1])[0] for tree in model.estimators_]
        assert f"{votes.count(said)} tree" in shares[0]
    reader.page.get_by_role("button", name="tree 5 says").click()
    assert reader.page.locator("#forest input").input_value() == "5"
    assert f"leaves of {model.estimators_[4].get_n_leaves()}" in reader.text("#path-words")
    leaf = model.estimators_[4].apply(X[133:134])[0]
    assert reader.text("#card h2") == f"Leaf {leaf}"
    reader.page.get_by_role("button", name="the next tree").click()
    assert f"leaves of {model.estimators_[5].get_n_leaves()}" in reader.text("#path-words")
    reader.open("rows")
    said = reader.page.locator("#panel-rows tbody tr td:nth-child(4)").all_inner_texts()
    assert said == model.predict(X).tolist()
    address = reader.page.url
    assert "tree=5" in address
    reader.page.goto("about:blank")
    reader.page.goto(address)
    reader.page.wait_for_selector("body[data-ready]")
    assert f"leaves of {model.estimators_[5].get_n_leaves()}" in reader.text("#path-words")


def test_a_forest_of_numbers_shows_what_each_tree_says(read) -> None:
    X, y = datasets.load_mpg()
    model = RandomForestRegressor(n_estimators=8, max_leaf_nodes=6, random_state=0).fit(X, y)
    reader = read(explore(model, X, y))
    reader.open("rows")
    reader.page.locator("#panel-rows tbody button").nth(3).click()
    reader.open("forest")
    said = float(model.predict(X[3:4])[0])
    assert reader.text("#panel-forest .says").startswith(f"the forest says {said:.4g} ±")
    reader.open("what-if")
    assert reader.page.locator("#panel-what-if form").evaluate(
        "form => [...form.childNodes].every((child) => child.nodeType === Node.ELEMENT_NODE)"
    )
    assert reader.page.locator("#panel-forest .vote").count() == 8


def test_hostile_names_are_shown_as_text(read) -> None:
    hostile = [
        "</script><script>window.hacked = 1</script>",
        "<img src=x onerror='window.hacked = 1'>",
        '"><svg onload=window.hacked=1>',
        "{{constructor}}",
        "javascript:window.hacked=1",
        "\u202eright to left\u202c",
        "שלום عالم",
        "x" * 500,
        "line\nbreak\x00",
        "__proto__",
    ]
    columns = (*map(Column, hostile), Column("c", "categorical", tuple(hostile)))
    schema = Schema(columns, np.array([hostile[0], hostile[1]], dtype=object), True)
    plan: Leaf | Inner = Inner(
        Table(len(hostile), {code: code % 2 for code in range(len(hostile))}, 2),
        [Leaf(2, [2, 0]), Leaf(1, [0, 1])],
    )
    for feature in range(len(hostile)):
        plan = Inner(Threshold(feature, 0.5), [plan, Leaf(1, [0, 1])])
    tree = build(schema, plan)
    rows = [[0.1] * len(hostile) + [name] for name in hostile]
    reader = read(explore(tree, rows, [hostile[code % 2] for code in range(len(hostile))], title=hostile[1]))
    for tab in TABS:
        reader.open(tab)
    assert reader.page.evaluate("window.hacked") is None
    assert reader.text("h1") == hostile[1]
    reader.open("rules")
    assert hostile[0] in reader.text("#panel-rules")
    reader.open("rows")
    assert hostile[1] in reader.text("#panel-rows")
    assert reader.page.locator("img, script[src], iframe, object").count() == 0


def test_it_is_framed_in_a_notebook_without_an_origin(browser, irises) -> None:
    context = browser.new_context()
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.set_content(irises._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator("body[data-ready]").wait_for()
    frame.locator("#tab-rules").click()
    assert frame.locator("#panel-rules tbody tr").count() == 6
    assert troubles == []
    context.close()


@pytest.mark.slow
def test_nothing_is_found_by_the_accessibility_check(read, irises) -> None:
    reader = read(irises, bypass_csp=True)
    for tab in TABS:
        reader.open(tab)
        found = axe.Axe().run(reader.page).response["violations"]
        assert [(tab, violation["id"], violation["nodes"][0]["target"]) for violation in found] == []


@pytest.mark.slow
def test_a_forest_and_two_nodes_side_by_side_are_accessible(read) -> None:
    X, y = datasets.load_iris()
    reader = read(
        explore(RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y), X, y), bypass_csp=True
    )
    reader.open("forest")
    reader.page.get_by_role("button", name="Compare").click()
    reader.page.locator("#outline [data-node='2'] > .line").click()
    found = axe.Axe().run(reader.page).response["violations"]
    assert [(violation["id"], violation["nodes"][0]["target"]) for violation in found] == []


@pytest.mark.slow
def test_dark_pages_have_contrast(read, irises) -> None:
    reader = read(irises, bypass_csp=True, color_scheme="dark")
    for tab in ("tree", "rules", "what-if"):
        reader.open(tab)
        found = axe.Axe().run(reader.page, options={"runOnly": ["color-contrast"]}).response["violations"]
        assert found == []


def test_narrow_pages_show_the_tree(read, irises) -> None:
    reader = read(irises, viewport={"width": 420, "height": 800})
    assert reader.page.locator("#canvas").bounding_box()["width"] > 350


def test_ten_thousand_nodes_are_all_drawn_and_moved(read) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(30_000, 5))
    y = np.where(X[:, 0] * X[:, 1] + 1.5 * random.normal(size=30_000) > 0, "yes", "no")
    model = DecisionTreeClassifier(max_leaf_nodes=5001).fit(X, y)
    reader = read(explore(model, X, y, cv=None, max_rows=200))
    reader.page.get_by_role("button", name="unfold all").click()
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
