"""The views beside the tree: rows, what if, rules, quality, teaching, two nodes; and all in a notebook."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, datasets, explore
from treewright.data import Dataset
from treewright.explain import mean_movement, shapley_values


def test_a_row_is_picked_and_its_way_is_lit(read, irises) -> None:
    reader = read(irises)
    reader.open("rows")
    assert "150 rows; the page holds 150 of 150" in reader.text("#panel-rows [role=status]")
    X = tw.datasets.load_iris()[0]
    reader.page.select_option("#panel-rows select >> nth=0", label="petal width")
    reader.page.select_option("#panel-rows select >> nth=1", label=">")
    reader.page.fill("#panel-rows input[aria-label='value']", "2.4")
    assert reader.page.locator("#panel-rows tbody tr").count() == int((X["petal width"] > 2.4).sum())
    reader.page.select_option("#panel-rows select >> nth=0", label="row")
    reader.page.select_option("#panel-rows select >> nth=1", label="=")
    reader.page.fill("#panel-rows input[aria-label='value']", "70")
    found = reader.page.locator("#panel-rows tbody tr th").all_inner_texts()
    assert found == ["70", "70 v"]  # one of the training rows, one of the others
    reader.page.select_option("#panel-rows select >> nth=0", label="petal width")
    reader.page.select_option("#panel-rows select >> nth=1", label=">")
    reader.page.fill("#panel-rows input[aria-label='value']", "2.4")
    reader.page.locator("#panel-rows tbody button").first.click()
    assert reader.text("#card h2").startswith("Leaf")
    reader.open("what-if")
    assert reader.text("#panel-what-if .says") == "predicted virginica"
    assert "petal length > 2.45" in reader.text("#panel-what-if ol").replace("\xa0", " ")


@pytest.mark.parametrize("kind", ["regression", "surrogates", "shared"])
def test_the_table_of_rows_predicts_as_the_model_does(read, kind) -> None:
    X, y = {
        "regression": tw.datasets.load_mpg,
        "surrogates": tw.datasets.load_labor,
        "shared": tw.datasets.load_votes,
    }[kind]()
    model = {
        "regression": tw.DecisionTreeRegressor(max_leaf_nodes=6),
        "surrogates": tw.CARTClassifier(min_samples_split=4, min_samples_leaf=2),
        "shared": tw.C45Classifier(),
    }[kind].fit(X, y)
    reader = read(tw.explore(model, X, y, cv=None))
    reader.open("rows")
    said = reader.page.locator("#panel-rows tbody tr td:nth-child(3)").all_inner_texts()
    expected = model.predict(X)[: len(said)]
    assert len(said) == min(len(X), 200)
    if kind == "regression":
        assert np.allclose(np.array(said, float), expected, rtol=1e-3)
    else:
        assert said == expected.tolist()


def test_dates_are_typed_as_dates(read) -> None:
    X = pd.DataFrame({"day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(60), "D")})
    y = np.where(X["day"] < "2024-02-01", "winter", "spring")
    reader = read(tw.explore(tw.DecisionTreeClassifier().fit(X, y), X, y, cv=None))
    reader.open("what-if")
    day = reader.page.locator("#panel-what-if").get_by_label("day").first
    day.fill("2024-01-31")
    assert reader.text("#panel-what-if .says") == "predicted winter"
    day.fill("2024-02-01")
    assert reader.text("#panel-what-if .says") == "predicted spring"
    day.fill("2024-02-")
    assert "no date" in reader.text("#panel-what-if .what-if")
    day.fill("2025-01-01")
    assert "beyond all rows: 2024-01-01 to 2024-02-29" in reader.text("#panel-what-if .what-if")
    slider = reader.page.get_by_label("day, slider")
    slider.press("Home")
    assert day.input_value() == "2024-01-01"


def test_what_if_answers_at_once_and_says_what_would_change_its_mind(read, irises) -> None:
    reader = read(irises)
    reader.open("what-if")
    length = reader.page.locator("#panel-what-if").get_by_label("petal length").first
    length.fill("1.0")
    assert reader.text("#panel-what-if .says") == "predicted setosa"
    assert "If petal length becomes 2.46, the tree says versicolor." in reader.text(".answer")
    reader.page.get_by_role("button", name="Try it").click()
    assert reader.text("#panel-what-if .says") == "predicted versicolor"
    length.fill("90")
    assert "beyond all rows: 1 to 6.9" in reader.text("#panel-what-if .what-if")
    length.fill("")
    assert "petal length is missing" in reader.text("#panel-what-if ol")


def test_rules_are_sorted_filtered_and_lead_to_their_leaf(read, irises) -> None:
    reader = read(irises)
    reader.open("rules")
    assert reader.page.locator("#panel-rules tbody tr").count() == 6
    reader.page.get_by_label("with").fill("sepal")
    shown = reader.page.locator("#panel-rules tbody tr").count()
    assert 0 < shown < 6
    reader.page.get_by_label("with").fill("")
    reader.page.get_by_label("cover from").fill("30")
    covers = reader.page.locator("#panel-rules tbody td:nth-child(2)").all_inner_texts()
    assert [int(cover.split()[0]) for cover in covers] == [33, 32]
    reader.page.get_by_label("cover from").fill("")
    reader.page.get_by_label("confidence from").fill("100")
    shares = reader.page.locator("#panel-rules tbody td:nth-child(3)").all_inner_texts()
    assert set(shares) == {"100\xa0%"}
    reader.page.get_by_label("confidence from").fill("101")
    assert reader.page.locator("#panel-rules tbody tr").count() == 0
    reader.page.get_by_label("confidence from").fill("")
    reader.page.locator("#panel-rules tbody button").first.click()
    assert reader.text("#card h2").startswith("Leaf")


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
    X = tw.datasets.load_iris()[0]["petal length"]
    means = [X[X <= 2.45].mean(), X[X > 2.45].mean()]  # the page holds all rows of both parts
    assert f"petal length\t{means[0]:.3g}\t{means[1]:.3g}" in found
    reader.page.get_by_role("button", name="Stop comparing").click()
    assert not reader.page.locator("#compare").is_visible()


def test_the_confusion_matrix_lights_the_leaves_of_its_rows(read, irises) -> None:
    reader = read(irises)
    reader.open("quality")
    assert "on 75 validation rows" in reader.text("#panel-quality h2 >> nth=0")
    assert "ROC curve, area" in reader.text("#panel-quality .pictures")
    assert "±" in reader.text("#panel-quality .importances")
    numbers = [int(text) for text in reader.page.locator(".confusion td").all_inner_texts()]
    assert sum(numbers) == 75
    plain = reader.picture()
    reader.page.get_by_role("button", name="rows of setosa taken for setosa").click()
    assert reader.page.locator("#panel-tree").is_visible()
    reader.wait_for_picture(plain, other=True)


def test_teaching_shows_the_gain_of_a_cut(read, irises) -> None:
    reader = read(irises)
    reader.open("teach")
    assert "gain = 1.585 − 25/75 · 0 − 50/75 · 1 = 0.9183, the best there is" in reader.text("#panel-teach")
    reader.page.locator("#panel-teach input[type=range]").press("End")
    assert "= 0" in reader.text("#panel-teach .formula >> nth=0")
    reader.page.get_by_role("button", name="Best cut").click()
    assert "the best there is" in reader.text("#panel-teach .formula >> nth=0")
    reader.page.locator("#panel-teach").get_by_label("impurity").last.select_option("Gini")
    assert "0.6667" in reader.text("#panel-teach table")
    reader.page.get_by_role("button", name="Resample the rows").click()
    picture = reader.page.locator(".teach-picture svg").bounding_box()
    reader.page.mouse.move(picture["x"] + 100, picture["y"] + 60)
    reader.page.mouse.down()
    reader.page.mouse.move(picture["x"] + 400, picture["y"] + 60)
    reader.page.mouse.up()
    assert reader.page.locator("#panel-teach input[type=range]").input_value() not in ("0", "1000")


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


@pytest.mark.parametrize(("theme", "is_dark"), [("true", False), ("false", True)])
def test_its_frame_follows_the_theme_of_the_notebook(browser, irises, theme, is_dark) -> None:
    context = browser.new_context(color_scheme="null")  # what is emulated overrides the frames
    page = context.new_page()
    page.set_content(f"<body data-jp-theme-light={theme}>{irises._repr_html_()}</body>")
    frame = page.frame_locator("iframe")
    frame.locator("body[data-ready]").wait_for()
    ground = frame.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    assert (ground == "rgb(13, 17, 23)") == is_dark
    context.close()


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_features_are_ranked_by_three_measures(read, kind) -> None:
    X, y = tw.datasets.load_iris() if kind == "classes" else tw.datasets.load_mpg()
    learner = tw.DecisionTreeClassifier() if kind == "classes" else tw.DecisionTreeRegressor(max_leaf_nodes=9)
    model = learner.fit(X[::2], y[::2])
    reader = read(tw.explore(model, X[::2], y[::2], validation=(X[1::2], y[1::2]), cv=None))
    reader.open("quality")
    table = reader.page.locator(".importances")
    assert table.locator("thead th").all_inner_texts() == ["feature", "impurity", "shuffled", "SHAP"]
    found = {line.split("\t")[0]: line.split("\t") for line in table.locator("tbody tr").all_inner_texts()}
    assert list(found) == [name for name in model.importances().ranked() if name in found]
    tree = model.tree_
    rows = Dataset(tree.schema, *tree.schema.encode(X[1::2]))
    value = (
        tree.node_value / tree.node_value.sum(axis=1, keepdims=True) if kind == "classes" else tree.node_value
    )
    moved = mean_movement(shapley_values(tree, rows, value))
    assert "SHAP: by how much the feature moves" in reader.text("#panel-quality")
    for name, share, size in zip(tree.schema.names, model.feature_importances_, moved, strict=True):
        assert (name in found) == (share > 0)
        if share > 0:
            assert found[name][1].strip() == f"{share:.0%}".replace("%", "\xa0%")
            assert float(found[name][3]) == pytest.approx(size, rel=0.06)
    reader.page.locator("#slider").press("Home")
    reader.page.locator("#slider").press("ArrowRight")
    assert table.locator("tbody tr").count() == 1  # all measures follow the slider


def test_many_classes_are_confused_in_a_matrix_that_can_be_read(read) -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 60, 600)
    X = (y + random.normal(size=600))[:, None]
    reader = read(tw.explore(tw.DecisionTreeClassifier(max_leaf_nodes=50).fit(X, y), X, y, cv=None))
    reader.open("quality")
    assert "The 20 classes with most mistakes, of 60." in reader.text("#panel-quality")
    cells = reader.page.locator(".confusion td").all_inner_texts()
    assert len(cells) == 21**2
    assert sum(map(int, cells)) == 600
    reader.page.get_by_role("button", name="of 40 other classes taken for 40 other classes").click()
    assert reader.page.locator("#panel-tree").is_visible()


@pytest.mark.parametrize("splits", ["hyperplane", "sphere"])
def test_a_split_of_two_features_is_seen_in_their_plane(read, splits) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    inside = X[:, 0] + X[:, 1] > 0.3 if splits == "hyperplane" else (X**2).sum(axis=1) < 1
    y = np.where(inside, "in", "out")
    model = tw.DecisionTreeClassifier(splits=["threshold", splits], max_depth=1).fit(X, y)
    split = model.tree_[0].split
    assert len(split.features) == 2
    reader = read(tw.explore(model, X, y, cv=None))
    picture = reader.page.locator("#card svg.chart").first
    dots = picture.locator("circle")
    assert dots.count() == 300
    border = picture.locator("line.cut" if splits == "hyperplane" else "ellipse.cut")
    assert border.count() == 1
    places = dots.evaluate_all(
        "all => all.map((one) => [one.cx.baseVal.value, one.cy.baseVal.value, one.getAttribute('fill')])"
    )
    if splits == "hyperplane":
        x1, y1, x2, y2 = (float(border.get_attribute(name)) for name in ("x1", "y1", "x2", "y2"))
        side = [y > y1 + (x - x1) * (y2 - y1) / (x2 - x1) for x, y, _ in places]
    else:
        cx, cy, rx, ry = (float(border.get_attribute(name)) for name in ("cx", "cy", "rx", "ry"))
        side = [((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 > 1 for x, y, _ in places]
    branch = model.apply(X) == 1
    assert side == branch.tolist() or side == (~branch).tolist()


def test_an_optimal_tree_stands_beside_the_greedy_one(read) -> None:
    draw = np.random.default_rng(0)
    X = pd.DataFrame(draw.integers(0, 2, (200, 4)), columns=list("abcd"))
    y = X["b"] ^ X["d"]
    model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    greedy = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    errors = round(200 * (1 - greedy.score(X, y)))
    reader = read(tw.explore(model, X, y, cv=None))
    reader.open("beside")
    found = reader.text("#panel-beside")
    assert f"saves {errors} of the greedy tree's {errors} errors" in found
    assert "no tree within these limits is better" in found
    leaves = reader.page.locator("#panel-beside h3").all_inner_texts()
    assert leaves == [f"optimal: {model.tree_.n_leaves} leaves", f"greedy: {greedy.tree_.n_leaves} leaves"]


def test_a_tree_without_others_stands_alone(read) -> None:
    X, y = tw.datasets.load_iris()
    page = tw.explore(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), X, y, cv=None)
    assert not read(page).page.locator("#tab-beside").count()


def test_nodes_and_values_are_searched(read, irises) -> None:
    reader = read(irises)
    X, y = tw.datasets.load_iris()
    tree = tw.DecisionTreeClassifier(ties="first").fit(X[::2], y[::2]).tree_
    asked = [tree.schema.names[tree[int(above)].split.feature] for above in tree.parent[1:]]
    field = reader.page.get_by_label("search nodes and values")
    field.fill("petal length")
    assert f"Lit: {asked.count('petal length')} nodes with “petal length”" in reader.text("#caption")
    field.press("Enter")
    assert reader.text("#card h2") in ("Leaf 1", "Node 1")
    field.fill("virginica")
    field.press("Enter")
    assert "virginica" in reader.text("#card .says")
    field.fill("nothing like it")
    assert "0 nodes" in reader.text("#search")


def test_what_if_lights_the_path_beside_the_answer(read, irises) -> None:
    reader = read(irises, viewport={"width": 1400, "height": 900})
    reader.open("what-if")
    form, answer, way = (
        reader.page.locator(f"#panel-what-if {part}") for part in ("form", ".answer", ".lit-way")
    )
    places = [one.bounding_box() for one in (form, answer, way)]
    assert places[0]["x"] < places[1]["x"] < places[2]["x"]
    before = way.locator("title").first.text_content()
    assert "to leaf" in before
    for slider in reader.page.locator("#panel-what-if .what-if > label input[type=range]").all():
        slider.press("End")
    assert way.locator("title").first.text_content() != before
    assert reader.page.locator("#panel-what-if").evaluate("panel => panel.scrollWidth <= panel.clientWidth")


def test_pruning_is_out_of_the_way_where_it_is_not_used(read, irises) -> None:
    reader = read(irises, viewport={"width": 1400, "height": 900})
    curves, slider = reader.page.locator("#path-curves"), reader.page.locator("#slider")
    shown = {}
    for tab in ("tree", "quality", "rules", "regions", "teach", "yours"):
        reader.open(tab)
        shown[tab] = (curves.is_visible(), slider.is_visible())
    assert shown["tree"] == shown["quality"] == (True, True)
    assert shown["rules"] == shown["regions"] == (False, True)
    assert shown["teach"] == shown["yours"] == (False, False)


def test_the_plane_is_that_of_oblique_splits_and_holds_every_row(read) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)), columns=["a", "b", "c", "d"])
    y = np.where(X["b"] + X["d"] > 0, "yes", "no")
    model = tw.DecisionTreeClassifier(splits=("hyperplane",), max_depth=1).fit(X, y)
    far = X.iloc[:2] * 0 + 50.0
    reader = read(explore(model, X, y, validation=(far, y[:2]), cv=None))
    reader.open("regions")
    chosen = reader.page.locator("#panel-regions select").evaluate_all(
        "all => all.map((one) => one.selectedOptions[0].text)"
    )
    assert chosen[:2] == ["b", "d"]
    assert "2 rows beyond the axes stand at the edge." in reader.text("#panel-regions")


def test_rows_stay_while_pruning_moves_and_say_what_the_smaller_tree_says(read, irises) -> None:
    reader = read(irises)
    reader.open("rows")
    first = reader.page.locator("#panel-rows tbody tr").first
    reader.page.evaluate("document.querySelector('#panel-rows tbody tr').dataset.seen = 'before'")
    reader.page.locator("#slider").fill("0")
    assert first.get_attribute("data-seen") == "before"
    said = reader.page.locator("#panel-rows tbody td:nth-child(3)").all_inner_texts()
    assert len(said) > 100
    assert len(set(said)) == 1
    wrong = reader.page.locator("#panel-rows tbody tr.wrong").count()
    truth = reader.page.locator("#panel-rows tbody td:nth-child(2)").all_inner_texts()
    assert wrong == sum(one != said[0] for one in truth)


def test_large_numbers_and_dates_are_whole_wherever_they_stand(read) -> None:
    days = pd.date_range("2020-01-01", periods=300, freq="3D")
    X = pd.DataFrame({"ordered": days, "amount": np.arange(300) * 37 % 101})
    y = np.where(days > "2021-06-01", 120_000.0, 80_000.0) + 200 * X["amount"]
    model = DecisionTreeRegressor(max_depth=3).fit(X, y)
    reader = read(explore(model, X, y, cv=3, title="Prices"))
    texts = """svg => [...svg.querySelectorAll("text")]
      .filter((text) => text.getBoundingClientRect().left < svg.getBoundingClientRect().left - 1)
      .map((text) => text.textContent)"""
    assert reader.page.locator("#path-curves svg").evaluate(texts) == []
    words = r"training rows \d{1,3}(,\d{3})+ · cross-validation \d{1,3}(,\d{3})+"
    assert re.search(words, reader.text("#path-words"))
    lines = "spans => spans.map((span) => span.getClientRects().length)"
    assert set(reader.page.locator("#outline .whole").evaluate_all(lines)) == {1}
    reader.open("quality")
    assert reader.page.locator("#panel-quality svg >> nth=0").evaluate(texts) == []


@pytest.mark.parametrize("where", ["Iris {} of the eastern peninsula", "Iris of the eastern peninsula: {}"])
def test_long_classes_leave_the_matrix_small_and_are_told_apart(read, where) -> None:
    X, y = datasets.load_iris()
    y = np.array([where.format(name) for name in y])
    reader = read(explore(DecisionTreeClassifier(max_depth=3).fit(X, y), X, y, cv=None))
    reader.open("quality")
    table, panel = (reader.page.locator(where).bounding_box() for where in (".confusion", "#panel-quality"))
    assert table["x"] + table["width"] < panel["x"] + panel["width"]
    heads = reader.page.locator(".confusion thead th + th").all_inner_texts()
    assert all("…" in head for head in heads)
    assert len(set(heads)) == 3


def test_categories_stand_below_their_bars_on_cards(read) -> None:
    X, y = datasets.load_votes()
    reader = read(explore(DecisionTreeClassifier(max_depth=1).fit(X, y), X, y, cv=None))
    reader.open("what-if")
    words = reader.page.locator("#panel-what-if .lit-way svg text").all_text_contents()
    assert words.count("y") >= 2  # of the branch and of the bar
