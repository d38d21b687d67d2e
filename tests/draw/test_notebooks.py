"""Views of a notebook: a fitted model as a drawing, reports and paths as tables."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from sklearn import config_context

from treewright import (
    DecisionTreeClassifier,
    RandomForestClassifier,
    compare_pruners,
    datasets,
    explore,
    plot_tree,
    prune,
    pruning,
)


def test_notebooks_show_a_fitted_model_as_a_drawing() -> None:
    model = DecisionTreeClassifier(max_depth=2)
    assert "treewright" not in model._repr_mimebundle_()["text/html"]
    X, y = datasets.load_iris()
    shown = model.fit(X.rename(columns={"petal length": "<script>"}), y)._repr_mimebundle_()
    assert shown["text/plain"] == "DecisionTreeClassifier(max_depth=2)"
    assert "<svg" in model._repr_html_()
    assert "<svg" in shown["text/html"]
    assert ">&lt;script&gt;</text>" in shown["text/html"]
    with config_context(display="text"):
        assert list(model._repr_mimebundle_()) == ["text/plain"]


@pytest.mark.parametrize("shown", ["drawing", "page", "model"])
def test_a_notebook_that_is_not_trusted_shows_one_line(shown) -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    html = {"drawing": plot_tree(model), "page": explore(model, X, y, cv=None), "model": model}[
        shown
    ]._repr_html_()
    # as Jupyter cleans it: no styles, frames or pictures, but the text in them
    kept = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    kept = re.sub(r"<(?!/?div)[^>]*>", "", kept)
    visible = re.sub(r"<div[^>]* hidden>(<div[^>]*>.*?</div>|.*?)</div>", "", kept, flags=re.DOTALL)
    assert "This picture is not shown: trust the notebook, or run the cell again." in visible
    assert "≤" not in visible


def test_notebooks_show_reports_and_paths_as_tables() -> None:
    X, y = datasets.load_iris()
    pruned = prune(DecisionTreeClassifier().fit(X.rename(columns={"petal width": "<b>"}), y), "pessimistic")
    report = ET.fromstring(pruned.report_._repr_html_())
    assert len(report.findall("tr")) == 1 + len(pruned.report_)
    assert "<b> ≤ 1.75" in [cell.text for cell in report.iter("td")]
    path = prune(DecisionTreeClassifier().fit(X, y), pruning.CostComplexity(alpha=0.02)).path_
    assert len(ET.fromstring(path._repr_html_()).findall("tr")) == 1 + len(path)
    compared = compare_pruners(DecisionTreeClassifier(), X, y, cv=2, pruners=["pessimistic"])
    assert next(ET.fromstring(compared._repr_html_()).iter("td")).text == "unpruned"


@pytest.mark.parametrize("splits", [("threshold", "subset"), ("threshold", "multiway")])
def test_notebooks_count_the_leaves_of_a_forest(splits: tuple[str, ...]) -> None:
    X, y = datasets.load_cars()
    model = RandomForestClassifier(5, splits=splits, random_state=0).fit(X, y)
    leaves = np.mean([tree.n_leaves for tree in model.trees_])
    assert f"5 trees of {leaves:.0f} leaves on average" in model._repr_html_()
