"""The one page of a model: report above, explorer below; its figures are Python's."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.browsing import violations
from treewright.errors import DataError


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
    box = page.locator(".tree-picture svg").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width  # the whole tree, not cropped
    assert box["width"] / box["height"] == pytest.approx(
        page.locator(".tree-picture svg").evaluate("s => s.viewBox.baseVal.width / s.viewBox.baseVal.height"),
        rel=0.02,
    )
    assert violations(page) == []
    page.emulate_media(media="print")
    assert page.locator(".app").is_hidden()
    assert page.locator("#report h1").is_visible()


def test_hostile_names_stay_text_in_a_report(read) -> None:
    X = {"<img src=x onerror=alert(1)>": [1.0, 2.0, 3.0, 4.0] * 5, "b": list("xyxy") * 5}
    result = tw.fit(X, np.array(["</script><b>", "ok"] * 10, object), folds=2)
    reader = read(type("P", (), {"save": lambda self, path: result.to_html(path)})())
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
