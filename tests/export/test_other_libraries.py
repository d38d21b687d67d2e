"""What docs/export.md says of other libraries is run with each of them that is installed (`.[interop]`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import export_graphviz, export_text, plot_tree

import treewright as tw
from helpers.exporting import examination, model

PAGE = (Path(__file__).parent.parent.parent / "docs" / "export.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## With other libraries")[2].partition("\n## ")[0]


def functions() -> dict[str, Any]:
    """The functions of the page."""
    space: dict[str, Any] = {}
    for code in re.findall(r"^```python\n(def .*?)^```$", SECTION, re.MULTILINE | re.DOTALL):
        exec(code, space)
    return space


@pytest.fixture
def fitted() -> Any:
    X, y = tw.datasets.load_iris()
    return tw.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y), X, y


def number_model() -> Any:
    X = tw.datasets.load_iris()[0]
    return tw.DecisionTreeRegressor(max_depth=3).fit(X, X["petal width"] * 2 + X["sepal width"])


@pytest.mark.parametrize("kind", ["class", "number"])
def test_scikit_learn_draws_and_prints_a_converted_tree(kind: str, fitted: Any) -> None:
    model = fitted[0] if kind == "class" else number_model()
    theirs = model.to_sklearn()
    leaves = model.get_n_leaves()
    assert export_text(theirs).count("class:" if kind == "class" else "value:") == leaves
    assert export_graphviz(theirs).count(" -> ") == 2 * leaves - 2
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, axes = pyplot.subplots()
    assert len(plot_tree(theirs, ax=axes)) >= 2 * leaves - 1
    pyplot.close(figure)


def test_dtreeviz_draws_a_converted_tree(fitted: Any) -> None:
    pytest.importorskip("dtreeviz")
    model, X, y = fitted
    codes = pd.factorize(y)[0]
    drawn = functions()["drawn_by_dtreeviz"](model, X, codes)
    tree = drawn.shadow_tree
    assert len(tree.leaves) == model.get_n_leaves()
    assert {node.feature_name() for node in tree.internal} <= set(X.columns)
    assert "petal" in drawn.explain_prediction_path(X.to_numpy()[80])


def test_supertree_shows_a_converted_tree(fitted: Any, tmp_path: Path) -> None:
    pytest.importorskip("supertree")
    model, X, y = fitted
    shown = functions()["shown_by_supertree"](model, X, pd.factorize(y)[0])
    shown.save_json_tree(str(tmp_path / "tree"))
    told = (tmp_path / "tree.json").read_text(encoding="utf-8")
    assert told.count('"is_leaf": true') == model.get_n_leaves()
    shown.save_html(str(tmp_path / "tree"))
    assert (tmp_path / "tree.html").stat().st_size > len(told)


def test_skops_keeps_a_model(fitted: Any, tmp_path: Path) -> None:
    pytest.importorskip("skops")
    model, X, _ = fitted
    again = functions()["kept_by_skops"](model, tmp_path / "model.skops")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    "name", ["forest", "cart", "many categories", "optimal", "rules", "linear", "learner"]
)
def test_skops_keeps_every_kind_of_model(name: str, tmp_path: Path) -> None:
    io = pytest.importorskip("skops.io")
    kept, rows = model(name), examination(name, 100).rows
    rows = rows.take(~rows.refused()).table()
    io.dump(kept, tmp_path / "model.skops")
    again = io.load(tmp_path / "model.skops", trusted=io.get_untrusted_types(file=tmp_path / "model.skops"))
    assert again.predict(rows).tolist() == kept.predict(rows).tolist()


@pytest.mark.filterwarnings("ignore")
def test_mlflow_keeps_and_scores_a_model(fitted: Any, tmp_path: Path, monkeypatch: Any) -> None:
    pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    model, X, _ = fitted
    assert functions()["scored_by_mlflow"](model, X, tmp_path / "model").tolist() == model.predict(X).tolist()


def test_shap_draws_one_class_of_ours(fitted: Any) -> None:
    pytest.importorskip("shap")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    functions()["drawn_by_shap"](*fitted[:2])
    assert [label.get_text() for label in pyplot.gca().get_yticklabels()].count("petal length") == 1
    pyplot.close("all")


@pytest.mark.parametrize("plot", ["beeswarm", "bar", "waterfall", "heatmap", "scatter", "violin"])
def test_plots_of_shap_take_our_values(plot: str) -> None:
    shap = pytest.importorskip("shap")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    model = number_model()
    found = model.shap_values(tw.datasets.load_iris()[0].iloc[:40], as_explanation=True)
    assert isinstance(found, shap.Explanation)
    shown = found[0] if plot == "waterfall" else found[:, 0] if plot == "scatter" else found
    getattr(shap.plots, plot)(shown, show=False)
    pyplot.close("all")
