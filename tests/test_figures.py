"""Figures of predictions against scikit-learn, their intervals, and their plots."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import sklearn.metrics as sk
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import treewright as tw
from treewright.evaluation import cross_validate
from treewright.figures import class_figures, number_figures


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["iris", "votes", "labor"])
def test_figures_of_classes_are_those_of_scikit_learn(name, weighted) -> None:
    X, y = getattr(tw.datasets, f"load_{name}")()
    y = np.asarray(y, object)
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    true, weight = y[1::2], np.random.default_rng(0).uniform(0.5, 2, len(y[1::2])) if weighted else None
    found = model.evaluate(X[1::2], true, weight)
    said, proba = model.predict(X[1::2]), model.predict_proba(X[1::2])
    classes = model.classes_.tolist()
    two = len(classes) == 2
    given = {"sample_weight": weight}
    mean = {"average": "binary", "pos_label": classes[1]} if two else {"average": "macro", "labels": classes}
    assert found.n_rows == len(true)
    assert found.classes == classes
    assert found.accuracy == pytest.approx(sk.accuracy_score(true, said, **given))
    assert found.balanced_accuracy == pytest.approx(sk.balanced_accuracy_score(true, said, **given))
    assert found.precision == pytest.approx(sk.precision_score(true, said, zero_division=0, **mean, **given))
    assert found.recall == pytest.approx(sk.recall_score(true, said, **mean, **given))
    assert found.f1 == pytest.approx(sk.f1_score(true, said, **mean, **given))
    assert np.array(found.confusion_matrix) == pytest.approx(
        sk.confusion_matrix(true, said, labels=classes, **given)
    )
    scores = proba[:, 1] if two else proba
    labels = true == classes[1] if two else true
    assert found.roc_auc == pytest.approx(sk.roc_auc_score(labels, scores, multi_class="ovr", **given))
    assert found.log_loss == pytest.approx(sk.log_loss(true, proba, labels=classes, **given))
    happened = true[:, None] == np.array(classes, object)
    squares = ((proba - happened) ** 2).sum(axis=1) / (2 if two else 1)
    assert found.brier_score == pytest.approx(np.average(squares, weights=weight))
    for code, label in enumerate(classes):
        curve = found.curves["precision_recall"][str(label)]
        assert curve.area == pytest.approx(sk.average_precision_score(true == label, proba[:, code], **given))


def test_figures_of_numbers_are_those_of_scikit_learn() -> None:
    X, y = tw.datasets.load_mpg()
    model = tw.TreeRegressor().fit(X[::2], y[::2])
    found, said = model.evaluate(X[1::2], y[1::2]), model.predict(X[1::2])
    assert found.r2 == pytest.approx(sk.r2_score(y[1::2], said))
    assert found.mean_absolute_error == pytest.approx(sk.mean_absolute_error(y[1::2], said))
    assert found.root_mean_squared_error == pytest.approx(sk.root_mean_squared_error(y[1::2], said))
    assert found.mean_squared_error == pytest.approx(sk.mean_squared_error(y[1::2], said))


def test_a_class_never_seen_and_rows_without_an_answer_count_as_errors() -> None:
    found = class_figures(
        ["a", "b", "c", "a"], ["a", None, "a", "a"], [[1, 0], [0, 0], [1, 0], [1, 0]], ["a", "b"]
    )
    assert found.classes == ["a", "b", "c"]
    assert found.accuracy == 0.5
    assert found.confusion_matrix == [[2, 0, 0], [0, 0, 0], [1, 0, 0]]
    one = class_figures(["a", "a"], ["a", "a"], [[1.0], [1.0]], ["a"])
    assert one.accuracy == 1
    assert "roc_auc" not in one.figures


def test_intervals_hold_the_true_figure_in_about_19_of_20_samples() -> None:
    random = np.random.default_rng(0)
    inside = {"accuracy": 0, "recall": 0, "roc_auc": 0, "brier_score": 0}
    score = random.normal(size=200_000)
    chance = 1 / (1 + np.exp(-score))
    truth = random.random(200_000) < chance
    proba = np.column_stack([1 - chance, chance])
    whole = class_figures(truth, chance > 0.5, proba, [False, True])
    for _ in range(200):
        rows = random.integers(0, len(truth), 150)
        found = class_figures(truth[rows], chance[rows] > 0.5, proba[rows], [False, True])
        for name in inside:
            low, high = found.intervals[name]
            inside[name] += low <= whole.figures[name] <= high
    assert all(178 <= times <= 200 for times in inside.values()), inside


def test_intervals_of_numbers_hold_their_figures() -> None:
    random = np.random.default_rng(1)
    true = random.normal(size=100_000)
    said = true + random.normal(size=100_000)
    whole, inside = (
        number_figures(true, said),
        {"r2": 0, "mean_absolute_error": 0, "root_mean_squared_error": 0},
    )
    for _ in range(200):
        rows = random.integers(0, len(true), 200)
        found = number_figures(true[rows], said[rows])
        for name in inside:
            low, high = found.intervals[name]
            inside[name] += low <= whole.figures[name] <= high
    assert all(times >= 165 for times in inside.values()), inside


def test_an_evaluation_prints_plots_and_is_plain_json() -> None:
    X, y = tw.datasets.load_votes()
    model = tw.TreeClassifier().fit(X[::2], y[::2])
    found = model.evaluate(X[1::2], y[1::2])
    assert "accuracy" in str(found)
    assert "95 % interval" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["n_rows"] == found.n_rows
    assert found.plot_roc().get_xlabel() == "false positive rate"
    assert found.plot_precision_recall().get_ylabel() == "precision"
    assert found.plot_calibration().get_xlabel() == "predicted probability"
    with pytest.raises(TypeError, match="classes have no residuals"):
        found.plot_residuals()
    with pytest.raises(AttributeError, match="no attribute 'r2'"):
        _ = found.r2


def test_cross_validation_has_the_same_figures() -> None:
    X, y = tw.datasets.load_iris()
    found = cross_validate(tw.DecisionTreeClassifier(ties="first"), X, y, 5)
    assert found.figures.accuracy == pytest.approx(1 - found.evaluation.error)
    assert found.figures.log_loss == pytest.approx(found.evaluation.log_loss)
    assert found.figures.brier_score == pytest.approx(found.evaluation.brier)


# ---- pipelines, searches, forests ------------------------------------------------------------------------


@pytest.fixture(name="wrapped", params=["pipeline", "search", "both"])
def _wrapped(request):
    X, y = tw.datasets.load_iris()
    tree = tw.DecisionTreeClassifier(max_depth=2, ties="first")
    pipeline = make_pipeline(StandardScaler(), tree)
    grid = {"max_leaf_nodes": [3, 4]}
    return {
        "pipeline": pipeline,
        "search": GridSearchCV(tree, grid, cv=3),
        "both": GridSearchCV(pipeline, {"decisiontreeclassifier__max_depth": [2]}, cv=3),
    }[request.param].fit(X, y)


def test_pipelines_and_searches_are_shown_as_the_tree_in_them(wrapped) -> None:
    X, y = tw.datasets.load_iris()
    assert "petal length" in tw.export_text(wrapped)
    assert "petal length" in tw.plot_tree(wrapped, X, y).svg
    page = tw.explore(wrapped, X, y, cv=3)
    content = json.loads(re.search(r'id="content" type="application/json">(.*?)</script>', page.html)[1])
    assert content["features"][2]["name"] == "petal length"
    assert content["path"]["training"][0] == pytest.approx(1 - wrapped.score(X, y))
    assert "cross_validation" in content["path"]
    for draw in (tw.plot_roc, tw.plot_calibration):
        draw(wrapped, X, y)
    assert tw.plot_partial_dependence(wrapped, X, "petal width").get_xlabel() == "petal width"
    assert tw.plot_shap(wrapped, X).get_xlabel() == "adds to the probability of virginica"


def test_what_has_no_tree_is_refused_in_a_sentence() -> None:
    X, y = tw.datasets.load_iris()
    with pytest.raises(TypeError, match="fit it with refit=True"):
        tw.plot_tree(GridSearchCV(tw.DecisionTreeClassifier(), {"max_depth": [1]}, refit=False).fit(X, y))
    with pytest.raises(TypeError, match="ends in StandardScaler, which predicts nothing"):
        tw.export_text(make_pipeline(StandardScaler()).fit(X))
    with pytest.raises(TypeError, match="give one of its estimators_"):
        tw.export_text(tw.RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y))
    with pytest.raises(TypeError, match="has no class probabilities"):
        tw.plot_roc(tw.TreeRegressor().fit(X, np.arange(150.0)), X, np.arange(150.0))


def test_partial_dependence_is_that_of_scikit_learn() -> None:
    from sklearn.inspection import partial_dependence

    X, y = tw.datasets.load_iris()
    model = tw.DecisionTreeClassifier(max_depth=3, ties="first").fit(X.to_numpy(), y)
    expected = partial_dependence(model, X.to_numpy(), [2], grid_resolution=1000)  # all values
    line = tw.plot_partial_dependence(model, X.to_numpy(), 2, target="virginica").get_lines()[-1]
    values = np.unique(X.to_numpy()[:, 2])
    chosen = np.isin(values, line.get_xdata())
    assert line.get_ydata() == pytest.approx(expected["average"][2][chosen])


def test_shap_and_dependence_of_forests_are_drawn() -> None:
    X, y = tw.datasets.load_mpg()
    model = tw.RandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    assert tw.plot_partial_dependence(model, X).get_ylabel() == "prediction"
    assert len(tw.plot_shap(model, X, max_features=3).get_yticks()) == 3
