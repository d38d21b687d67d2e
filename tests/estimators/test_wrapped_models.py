"""Pages and explanations of pipelines, searches and scikit-learn's own models."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from sklearn import ensemble, linear_model, tree
from sklearn.compose import make_column_transformer
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import treewright as tw


def report(html: str) -> dict:
    return json.loads(re.search(r'id="treewright-report">(.*?)</script>', html)[1])


def test_a_pipeline_is_judged_as_a_whole_on_other_rows(tmp_path) -> None:
    X, y = tw.datasets.load_votes()
    y = np.asarray(y)
    model = make_pipeline(OneHotEncoder(), tw.DecisionTreeClassifier(max_depth=3))
    model.fit(X[::2].astype(str), y[::2])
    held = X[1::2].astype(str), y[1::2]
    html = tw.to_html(model, tmp_path / "page.html", X[::2].astype(str), y[::2], validation=held)
    assert html == (tmp_path / "page.html").read_text(encoding="utf-8")
    found = report(html)
    assert found["accuracy"] == pytest.approx(accuracy_score(held[1], model.predict(held[0])))
    chances = model.predict_proba(held[0])[:, 1]
    assert found["roc_auc"] == pytest.approx(roc_auc_score(held[1] == model.classes_[1], chances))
    assert set(found["feature_importances"]) == set(model[:-1].get_feature_names_out())


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_steps_that_do_nothing_change_no_figure(task) -> None:
    X, y = tw.datasets.load_iris() if task == "classes" else tw.datasets.load_mpg()
    kind = tw.DecisionTreeClassifier if task == "classes" else tw.DecisionTreeRegressor
    alone = kind(max_depth=3, random_state=0).fit(X, y)
    steps = FunctionTransformer(feature_names_out="one-to-one")
    inside = make_pipeline(steps, kind(max_depth=3, random_state=0)).fit(X, y)
    one, other = report(alone.to_html(None, X, y, cv=4)), report(tw.to_html(inside, None, X, y, cv=4))
    name = "accuracy" if task == "classes" else "r2"
    assert other[name] == one[name]
    assert other["feature_importances"] == one["feature_importances"]
    assert other["evaluated_on"] == one["evaluated_on"]


def test_preprocessing_is_fitted_anew_in_every_fold() -> None:
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2
    sizes = []

    def noted(table):
        sizes.append(len(table))
        return table

    model = make_pipeline(FunctionTransformer(noted), tw.DecisionTreeClassifier()).fit(X, y)
    sizes.clear()
    tw.to_html(model, None, X, y, cv=4)
    assert sizes.count(30) == 4


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_a_search_says_that_it_chose_on_these_rows(search) -> None:
    X, y = tw.datasets.load_iris()
    further = {"n_iter": 2} if search is RandomizedSearchCV else {}
    model = search(tw.DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=3, **further).fit(X, y)
    found = report(tw.to_html(model, None, X, y, cv=3))
    assert found["evaluated_on"].endswith("chosen on the same rows, which flatters it")
    assert found["model"]["parameters"] == {"max_depth": 2}


@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, ensemble.RandomForestClassifier])
def test_forests_have_the_names_after_preprocessing(kind) -> None:
    X, y = tw.datasets.load_iris()
    steps = make_column_transformer((StandardScaler(), [0, 1, 2]), remainder="passthrough")
    model = make_pipeline(steps, kind(n_estimators=8, random_state=0)).fit(X, y)
    html = tw.to_html(model, None, X, y, cv=3)
    found = report(html)
    assert "standardscaler__petal length" in found["feature_importances"]
    ours = kind is tw.RandomForestClassifier
    assert found["evaluated_on"].startswith("rows out of bag" if ours else "cross-validation in 3 folds")
    assert tw.explain_prediction(model, X.iloc[0]).prediction == "setosa"


def test_trees_of_scikit_learn_have_a_page() -> None:
    X, y = tw.datasets.load_iris()
    model = tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    found = report(tw.to_html(model, None, X, y, cv=3))
    shares = dict(zip(X.columns, model.feature_importances_, strict=True))
    assert found["feature_importances"] == pytest.approx(shares)


def test_the_proof_of_an_optimal_tree_outlives_its_names() -> None:
    X, y = tw.datasets.load_iris()
    model = make_pipeline(StandardScaler(), tw.OptimalTreeClassifier(max_depth=2)).fit(X, y)
    html = tw.to_html(model, None, X, y, cv=None)
    assert "Proven optimal" in html
    assert "petal width" in html


@pytest.mark.parametrize("form", ["series", "dict", "frame", "list"])
def test_a_row_is_explained_as_the_pipeline_takes_it(form) -> None:
    X, y = tw.datasets.load_iris()
    model = make_pipeline(StandardScaler(), tw.DecisionTreeClassifier(max_depth=3)).fit(X, y)
    rows = [0, 60, 120]
    for at in rows:
        row = X.iloc[at]
        given = {"series": row, "dict": row.to_dict(), "frame": X.iloc[[at]], "list": row.tolist()}[form]
        found = tw.explain_prediction(model, given)
        assert found.prediction == model.predict(X.iloc[[at]])[0]
        assert "petal" in str(found)


def test_rows_of_sparse_steps_and_categories_are_explained() -> None:
    X, y = tw.datasets.load_tennis()
    model = make_pipeline(OneHotEncoder(), tw.DecisionTreeClassifier()).fit(X, y)
    assert tw.explain_prediction(model, X.iloc[0]).prediction == model.predict(X.iloc[[0]])[0]
    with pytest.raises(TypeError, match="the row lacks Wind"):
        tw.explain_prediction(model, X.iloc[0].drop("Wind"))
    unnamed = make_pipeline(StandardScaler(), tw.DecisionTreeClassifier()).fit([[1.0], [2.0]], [0, 1])
    assert tw.explain_prediction(unnamed, [2.0]).prediction == 1
    with pytest.raises(TypeError, match="give the row as a list"):
        tw.explain_prediction(unnamed, {"a": 1.0})


def test_what_has_no_tree_is_refused_with_the_remedy() -> None:
    X, y = tw.datasets.load_iris()
    model = make_pipeline(StandardScaler(), linear_model.LogisticRegression()).fit(X, y)
    for ask in (lambda: tw.to_html(model, None, X, y), lambda: tw.explain_prediction(model, X.iloc[0])):
        with pytest.raises(TypeError, match="LogisticRegression has no tree to show: give a fitted tree"):
            ask()


def test_a_tree_of_scikit_learn_in_a_pipeline_has_the_names_after_preprocessing() -> None:
    X, y = tw.datasets.load_iris()
    model = make_pipeline(StandardScaler(), tree.DecisionTreeClassifier(max_depth=2, random_state=0)).fit(
        X, y
    )
    assert "petal" in tw.export_text(model)
    assert not hasattr(model[-1], "feature_names_in_")  # the model stays as it is


@pytest.mark.parametrize("cv", [0, 1])
def test_too_few_folds_are_refused(cv: int) -> None:
    X, y = tw.datasets.load_iris(frame="pandas")
    pipeline = make_pipeline(StandardScaler(), tw.DecisionTreeClassifier(max_depth=1)).fit(X, y)
    with pytest.raises(ValueError, match="n_folds must be at least 2"):
        tw.to_html(pipeline, None, X, y, cv=cv)
