"""The one page of a model: report above, explorer below; its figures are Python's."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import auc, roc_auc_score

import treewright as tw
from helpers.browsing import violations
from treewright.errors import DataError

SHOWN_TREE = ".tree-picture svg:visible, .tree-lines:visible"


def page_of(result):
    """The page of a fit, as tests open pages."""
    return type("P", (), {"save": lambda self, path: result.to_html(path)})()


def figures(html: str) -> dict:
    found = re.search(r'<script type="application/json" id="treewright-report">(.*?)</script>', html)
    assert found is not None
    return json.loads(found[1])


def test_a_report_has_the_figures_of_all_evaluation_rows(tmp_path) -> None:
    X, y = tw.datasets.load_votes()
    model = tw.TreeClassifier().fit(X[::3], y[::3])
    rest = np.arange(len(y)) % 3 > 0
    model.to_html(tmp_path / "r.html", X[::3], y[::3], validation=(X[rest], y[rest]), max_rows=20)
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    found, expected = figures(html), model.evaluate(X[rest], y[rest])
    for name, value in expected.figures.items():
        assert found[name] == value
    assert found["n_rows"] == int(rest.sum())
    assert found["confidence_intervals"]["accuracy"] == pytest.approx(expected.intervals["accuracy"])
    shares = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
    assert found["feature_importances"] == pytest.approx(shares)
    assert f"<b>{expected.accuracy:.4g}</b>" in html


def test_a_report_says_in_a_sentence_how_good_it_is_beside_one_answer_for_all() -> None:
    X, y = tw.datasets.load_votes()
    model = tw.TreeClassifier().fit(X[::2], y[::2])
    html = model.to_html(None, X[::2], y[::2], validation=(X[1::2], y[1::2])).replace("\xa0", " ")
    usual, most = y[1::2].value_counts().index[0], y[1::2].value_counts().iloc[0]
    right = (model.predict(X[1::2]) == y[1::2]).mean()
    words = f"the class of {100 * right:.3g} % of the rows; always answering {usual} would be right for "
    assert f"{words}{100 * most / len(y[1::2]):.3g} %." in html
    X, y = tw.datasets.load_mpg()
    model = tw.TreeRegressor().fit(X[::2], y[::2])
    html = model.to_html(None, X[::2], y[::2], validation=(X[1::2], y[1::2])).replace("\xa0", " ")
    off, explained = (model.predict(X[1::2]) - y[1::2]).abs().mean(), model.score(X[1::2], y[1::2])
    assert f"off by {off:.4g} on average and explain {100 * explained:.3g} % of the variance" in html
    constant = np.where(np.arange(len(y)) % 2, y.mean() + 1, y)
    html = tw.DecisionTreeRegressor(max_depth=0).fit(X, constant).to_html(None, X, y, validation=(X, y))
    assert "always answering the mean would be as good" in html


def test_without_other_rows_it_is_cross_validated(tmp_path) -> None:
    X, y = tw.datasets.load_mpg()
    model = tw.DecisionTreeRegressor(max_depth=3, ties="first").fit(X, y)
    model.to_html(tmp_path / "r.html", X, y, cv=5)
    found = figures((tmp_path / "r.html").read_text(encoding="utf-8"))
    from treewright.evaluation import cross_validate

    assert found["r2"] == pytest.approx(cross_validate(model, X, y, 5).evaluation.r2)
    assert found["evaluated_on"].startswith("cross-validation in 5 folds")


def test_a_forest_is_judged_out_of_bag(tmp_path) -> None:
    X, y = tw.datasets.load_iris()
    model = tw.RandomForestClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    model.to_html(tmp_path / "r.html", X, y)
    assert figures((tmp_path / "r.html").read_text(encoding="utf-8"))["accuracy"] == pytest.approx(
        model.oob_score_
    )


@pytest.mark.parametrize("algorithm", [None, "rules", "forest"])
def test_a_fit_gives_the_same_page(algorithm, tmp_path) -> None:
    X, y = tw.datasets.load_iris()
    result = tw.fit(X, y, algorithm=algorithm, folds=3)
    html = result.to_html(tmp_path / "r.html")
    assert html == (tmp_path / "r.html").read_text(encoding="utf-8")
    found = figures(html)
    assert found["accuracy"] == pytest.approx(1 - result.evaluation.evaluation.error)
    assert [column["name"] for column in found["columns"]] == [*X.columns, "species"]
    assert ('id="canvas"' in html) == (algorithm != "rules")
    assert not hasattr(result.model.card_.evaluation.figures, "figures")


def test_a_report_is_a_web_page_and_small() -> None:
    X, y = tw.datasets.load_iris()
    result = tw.fit(X, y, folds=3)
    with pytest.raises(DataError, match=r"must end in \.html or \.htm"):
        result.to_html("report.pdf")
    html = result.to_html()
    data = re.search(r'id="content" type="application/json">(.*?)</script>', html)[1]
    assert len(html.encode()) - len(data.encode()) < 350 * 1024
    assert "http://" not in html.replace("http://www.w3.org/", "")


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (800, "dark"), (390, "light")])
def test_the_page_is_whole_at_every_width(read, width, scheme) -> None:
    X, y = tw.datasets.load_mpg()
    model = tw.TreeRegressor().fit(X, y)
    from treewright.explorer.report_page import report_page

    reader = read(
        report_page(model, X, y, cv=None),
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        bypass_csp=True,
    )
    page = reader.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(SHOWN_TREE).count() == 1  # the picture, or lines where it would be too small to read
    box = page.locator(SHOWN_TREE).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width  # the whole tree, not cropped
    assert violations(page) == []
    page.emulate_media(media="print")
    assert page.locator(".app").is_hidden()
    assert page.locator("#report h1").is_visible()


def test_hostile_names_stay_text_in_a_report(read) -> None:
    X = {"<img src=x onerror=alert(1)>": [1.0, 2.0, 3.0, 4.0] * 5, "b": list("xyxy") * 5}
    result = tw.fit(X, np.array(["</script><b>", "ok"] * 10, object), folds=2)
    reader = read(page_of(result))
    assert reader.page.locator("#report img, #report b b").count() == 0
    assert "<img src=x" in reader.text("#report")


def test_dates_are_dates_and_odd_columns_are_noted() -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {"day": pd.date_range("2024-01-01", periods=200), "name": [f"n{row}" for row in range(200)]}
    )
    y = np.where((X["day"] > "2024-04-10") ^ (random.random(200) < 0.05), "a", "b")
    result = tw.fit(X, y, folds=2)
    html = result.to_html()
    drawn = html[html.index("<h2>Partial dependence") : html.index("<h2>SHAP")]
    assert re.findall(r">(2024-\d\d-\d\d)<", drawn)
    assert "e+" not in drawn
    assert "column 'name' has 100 % distinct values; likely an identifier." in figures(html)["notes"]


def test_figures_are_those_of_scikit_learn(tmp_path) -> None:
    from sklearn import metrics

    X, y = tw.datasets.load_iris()
    model = tw.TreeClassifier().fit(X[::2], y[::2])
    held = X[1::2], y[1::2]
    model.to_html(tmp_path / "r.html", X[::2], y[::2], validation=held)
    found = figures((tmp_path / "r.html").read_text(encoding="utf-8"))
    said, chances = model.predict(held[0]), model.predict_proba(held[0])
    expected = {
        "accuracy": metrics.accuracy_score(held[1], said),
        "balanced_accuracy": metrics.balanced_accuracy_score(held[1], said),
        "precision": metrics.precision_score(held[1], said, average="macro"),
        "recall": metrics.recall_score(held[1], said, average="macro"),
        "f1": metrics.f1_score(held[1], said, average="macro"),
        "roc_auc": metrics.roc_auc_score(held[1], chances, multi_class="ovr"),
        "log_loss": metrics.log_loss(held[1], chances),
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert found["confusion_matrix"] == metrics.confusion_matrix(held[1], said).tolist()
    for code, one in enumerate(found["per_class"]):
        is_it = np.asarray(held[1]) == one["class"]
        average = metrics.average_precision_score(is_it, chances[:, code])
        assert one["average_precision"] == pytest.approx(average)
    sizes = np.abs(model.shap_values(held[0])).sum(axis=2).mean(axis=0) / 2
    assert found["mean_absolute_shap"] == pytest.approx(
        {name: size for name, size in zip(X.columns, sizes, strict=True) if size > 0}
    )
    for name, one in found["partial_dependence"].items():
        means = [
            model.predict_proba(held[0].assign(**{name: value}))[:, -1].mean() for value in one["grid_values"]
        ]
        assert one["average"] == pytest.approx(means)


@pytest.mark.parametrize("leaves", ["constant", "linear"])
def test_partial_dependence_is_what_the_model_predicts(leaves) -> None:
    X, y = tw.datasets.load_mpg()
    model = tw.TreeRegressor(leaves=leaves).fit(X, y)
    from treewright.explorer.report_page import report_page

    found = figures(report_page(model, X, y, cv=None).html)
    assert found["partial_dependence"]
    for name, one in found["partial_dependence"].items():
        rows = X.iloc[np.unique(np.linspace(0, len(X) - 1, 300).astype(int))]
        means = [model.predict(rows.assign(**{name: value})).mean() for value in one["grid_values"]]
        assert one["average"] == pytest.approx(means)


def test_several_targets_are_refused_with_the_remedy() -> None:
    X, y = tw.datasets.load_iris()
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, np.c_[y, y])
    with pytest.raises(
        DataError, match=r"fit a model for each: it explores one target, and this model has 2"
    ):
        model.to_html("never.html", X, np.c_[y, y])


def test_paper_has_what_the_screen_folds_and_says_nothing_of_an_explorer(read) -> None:
    X, y = tw.datasets.load_iris()
    result = tw.fit(X, y, folds=2)
    page = read(page_of(result)).page
    folded, words = page.locator("#report details[open]"), page.locator("#report .on-screen")
    assert (folded.count(), words.is_visible()) == (0, True)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert (folded.count(), words.is_visible()) == (3, False)
    ends = page.evaluate("[...document.body.children].map(part => part.getBoundingClientRect().bottom)")
    assert max(ends) == page.locator("#report").evaluate("report => report.getBoundingClientRect().bottom")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert folded.count() == 0


def test_a_heading_of_ours_is_read_from_the_left(read) -> None:
    X, y = tw.datasets.load_iris()
    target = pd.Series(
        np.where(y == "setosa", "\u05db\u05df", "\u05dc\u05d0"), name="\u05ea\u05e9\u05d5\u05d1\u05d4"
    )
    result = tw.fit(X, target, folds=2)
    page = read(page_of(result)).page
    assert page.locator("#report h1").evaluate("h => getComputedStyle(h).direction") == "ltr"


SMALLEST_LETTERS = """() => {
  const parts = [...document.querySelectorAll(".tree-picture svg text, .tree-lines li")];
  const seen = parts.filter((part) => part.checkVisibility());
  const zoom = (part) => (part.ownerSVGElement ? part.getScreenCTM().a : 1);
  return Math.min(...seen.map((part) => parseFloat(getComputedStyle(part).fontSize) * zoom(part)));
}"""


@pytest.mark.parametrize("max_depth", [1, 3, 4, 12])
def test_the_whole_tree_can_be_read_at_every_width(read, max_depth) -> None:
    X, y = tw.datasets.load_mpg()
    model = tw.DecisionTreeRegressor(max_depth=max_depth, max_leaf_nodes=50).fit(X, y)
    from treewright.explorer.report_page import report_page

    page = read(report_page(model, X, y, cv=None)).page
    for width in (1400, 1000, 800, 703, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(SHOWN_TREE).count() == 1
        assert page.evaluate(SMALLEST_LETTERS) >= 8.4, width
        lines = page.locator(".tree-lines:visible li")
        assert lines.count() in (0, len(model.tree_))


def test_lines_of_a_tree_say_what_its_text_does(read) -> None:
    X, y = tw.datasets.load_iris()
    X = X.rename(columns={"petal width": "\u05e8\u05d5\u05d7\u05d1"})
    model = tw.DecisionTreeClassifier(ties="first").fit(X, y)
    from treewright.explorer.report_page import report_page

    page = read(report_page(model, X, y, cv=None)).page
    page.set_viewport_size({"width": 390, "height": 900})
    lines = [line.replace("  ", " ") for line in page.locator(".tree-lines li > p").all_inner_texts()]
    assert lines[:3] == [
        "all rows 150 rows · 33 %",
        "petal length ≤ 2.45 → setosa 50 rows · 100 %",
        "petal length > 2.45 100 rows · 50 %",
    ]
    assert lines[3] == "\u2068\u05e8\u05d5\u05d7\u05d1\u2069 ≤ 1.75 54 rows · 91 %"
    assert len(lines) == len(model.tree_)


def test_counts_and_axes_are_written_out(tmp_path) -> None:
    random = np.random.default_rng(0)
    X = {"pay": random.integers(0, 90000, 30000).astype(float)}
    y = np.where((X["pay"] > 60000) ^ (random.random(30000) < 0.1), "yes", "no")
    html = tw.fit(X, y, folds=2).to_html()
    report = html[html.index("<section") : html.index('<div class="app">')]
    assert not re.search(r">[\d.]+e\+\d", report)
    assert f">{figures(html)['confusion_matrix'][0][0]}</text>" in html
    assert ">20000</text>" in html


def test_a_curve_of_a_column_of_zeros_steps_where_the_tree_does() -> None:
    random = np.random.default_rng(0)
    gain = np.where(random.random(4000) < 0.92, 0.0, random.integers(100, 99999, 4000))
    y = np.where((gain > 5000) ^ (random.random(4000) < 0.05), "rich", "poor")
    one = figures(tw.fit({"gain": gain}, y, folds=2).to_html())["partial_dependence"]["gain"]
    low = [value for value, mean in zip(one["grid_values"], one["average"], strict=True) if mean < 0.5]
    high = [value for value, mean in zip(one["grid_values"], one["average"], strict=True) if mean > 0.5]
    assert min(high) - max(low) < 6000


def test_long_names_and_categories_stay_whole_on_charts(read) -> None:
    random = np.random.default_rng(0)
    kinds = ["Married-civ-spouse", "Never-married", "Divorced", "Separated", "Widowed", "Married-AF-spouse"]
    long = "a name of a column that nobody would want to type in twice, in millimetres of mercury"
    X = pd.DataFrame({"status": random.choice(kinds, 600), long: random.random(600)})
    y = np.where(X["status"].isin(kinds[:2]) & (X[long] > 0.3), "yes", "no")
    page = read(page_of(tw.fit(X, y, folds=2))).page
    chart = page.locator("svg[aria-label='Partial dependence on status']")
    assert set(kinds) <= set(chart.locator("text").all_text_contents())
    spills = """svg => [...svg.querySelectorAll("text")].filter((text) => {
      const [inner, outer] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
      return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1;
    }).map((text) => text.textContent)"""
    for svg in page.locator("#report svg.chart").all():
        assert svg.evaluate(spills) == []


def test_names_from_the_right_do_not_scramble_captions(read) -> None:
    X, y = tw.datasets.load_iris()
    names = {"setosa": "\u05db\u05df", "versicolor": "\u05dc\u05d0", "virginica": "\u05d0\u05d5\u05dc\u05d9"}
    page = read(page_of(tw.fit(X, [names[name] for name in y], folds=2))).page
    caption = page.locator("figcaption", has_text="ROC curve")
    for name in names.values():
        assert f"\u2068{name}\u2069" in caption.text_content()
    words = page.locator("#report p, #report li, #report figcaption")
    assert set(words.evaluate_all("all => all.map((one) => getComputedStyle(one).direction)")) == {"ltr"}


def test_a_long_class_keeps_its_swatch_and_ends_in_dots(read) -> None:
    X, y = tw.datasets.load_iris()
    long = np.where(y == "setosa", "an exceptionally long name of a class that goes on and on", y)
    page = read(page_of(tw.fit(X, long, folds=2))).page
    for key in page.locator(".key").all():
        box = key.bounding_box()
        swatch = key.locator("svg, .swatch").bounding_box()
        assert box["x"] <= swatch["x"] < box["x"] + box["width"]
        if "exceptionally" in key.text_content():
            assert key.locator("bdi").evaluate(
                "n => getComputedStyle(n).textOverflow === 'ellipsis' && n.scrollWidth > n.clientWidth"
            )


def test_page_picture_and_text_give_the_same_figures(tmp_path) -> None:
    """A smoothed leaf has one probability, and a Brier score of two classes is scikit-learn's."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"id": np.arange(400), "x": rng.random(400), "z": rng.random(400)})
    table["y"] = np.where(rng.random(400) < 0.2 + 0.6 * (table["x"] > 0.5), "yes", "no")
    table.to_csv(tmp_path / "rows.csv", index=False)
    result = tw.fit(tmp_path / "rows.csv", "y", folds=3)
    html, text = result.to_html(), str(result)
    found = figures(html)
    assert f"Brier score {found['brier_score']:.4g}" in text
    assert found["title"] == "Predicting y from rows.csv"
    assert any("id looks like an identifier" in note for note in found["notes"])
    tree = result.model.tree_
    assert tree.observed is not None
    picture = re.search(r'<div class="tree-picture.*?</svg>', html, re.DOTALL)
    assert picture is not None
    for leaf in tree.leaves:
        share = f"{100 * tree.class_probabilities[leaf].max():.0f}"
        assert re.search(rf"{tree.count[leaf]}\srows\s·\s{share}\s%", picture[0].replace("\xa0", " "))
    plain = re.sub("[\u2066-\u2069]", "", html)
    assert all(f"<small>{name} of yes</small>" in plain for name in ("Recall", "Precision", "F1"))


def test_an_optimal_tree_says_what_is_proven(tmp_path) -> None:
    X, y = tw.datasets.load_iris()
    path = tmp_path / "page.html"
    tw.OptimalTreeClassifier(max_depth=2).fit(X, y).to_html(path, X, y, cv=2)
    assert "Proven optimal: no tree within its limits has a lower objective" in path.read_text("utf-8")


def test_words_of_charts_can_be_read_on_a_screen(read) -> None:
    X, y = load_digits(return_X_y=True, as_frame=True)
    result = tw.fit(X.iloc[:600], y.iloc[:600], folds=2, max_depth=4)
    reader = read(page_of(result), viewport={"width": 1400, "height": 900})
    sizes = reader.page.evaluate(
        """() => [...document.querySelectorAll('#report .chart')].map((chart) =>
            (chart.getBoundingClientRect().width / chart.viewBox.baseVal.width)
            * parseFloat(getComputedStyle(chart.querySelector('text')).fontSize))"""
    )
    assert len(sizes) > 6
    assert min(sizes) > 11.4


def test_every_report_has_the_columns_of_its_table(tmp_path) -> None:
    X, y = tw.datasets.load_labor()
    tw.C45Classifier().fit(X, y).to_html(tmp_path / "r.html", X, y, cv=None)
    found = figures((tmp_path / "r.html").read_text(encoding="utf-8"))["columns"]
    assert [column["name"] for column in found] == [*X.columns, "contract"]
    assert found[0] == {"name": "duration", "kind": "numeric", "values": "1 … 3", "missing": "1"}
    assert found[-1]["values"] == "2: good, bad"


def test_curves_stand_among_the_figures(tmp_path) -> None:
    X, y = tw.datasets.load_iris()
    model = tw.TreeClassifier(max_depth=2).fit(X[::2], y[::2])
    model.to_html(tmp_path / "r.html", X[::2], y[::2], validation=(X[1::2], y[1::2]), cv=None)
    found = figures((tmp_path / "r.html").read_text(encoding="utf-8"))
    for place, name in enumerate(model.classes_):
        true, said = y[1::2] == name, model.predict_proba(X[1::2])[:, place]
        curve = found["roc_curve"][name]
        area = auc(curve["fpr"], curve["tpr"])
        assert area == pytest.approx(roc_auc_score(true, said), abs=1e-4)
        assert set(found["precision_recall_curve"][name]) == {"precision", "recall"}


def test_a_matrix_of_thirty_classes_is_drawn(read) -> None:
    X = pd.DataFrame({"number": np.arange(300) // 10, "noise": np.arange(300) % 7})
    y = np.array([f"class {number:02d}" for number in X["number"]])
    page = read(page_of(tw.fit(X, y, folds=2))).page
    matrix = page.locator("#report svg[aria-label^='Confusion matrix']")
    assert matrix.locator("rect").count() == 900
    assert matrix.evaluate("svg => svg.getBoundingClientRect().right <= innerWidth")


def test_long_numbers_and_names_leave_room_for_each_other(read) -> None:
    X, y = tw.datasets.load_mpg()
    target = pd.Series(
        np.asarray(y) * 10_000, name="how many metres the car goes on a gallon, measured twice"
    )
    page = read(page_of(tw.fit(X, target, folds=2))).page
    overlaps = """svg => {
      const texts = [...svg.querySelectorAll("text")];
      const turned = texts.find((text) => text.getAttribute("transform")?.includes("-90"));
      const up = turned?.getBoundingClientRect();
      const box = svg.getBoundingClientRect();
      if (!up) return [];
      if (up.top < box.top - 1 || up.bottom > box.bottom + 1) return ["cut off"];
      return texts.filter((text) => text.getAttribute("text-anchor") === "end")
        .filter((text) => text.getBoundingClientRect().left < up.right).map((text) => text.textContent);
    }"""
    for svg in page.locator("#report svg.chart").all():
        assert svg.evaluate(overlaps) == []


def test_a_report_with_a_picture_of_its_tree_has_no_violations(read) -> None:
    X, y = tw.datasets.load_iris()
    from treewright.explorer.report_page import report_page

    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    page = read(report_page(model, X, y, cv=None), bypass_csp=True).page
    assert page.locator("#report .tree-picture").is_visible()
    assert violations(page) == []
