"""Estimators pass scikit-learn's checks, agree with its trees, and work in its tools."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        tw.DecisionTreeClassifier(),
        tw.DecisionTreeClassifier(criterion="entropy", missing="available", max_leaf_nodes=8, laplace=1),
        tw.DecisionTreeRegressor(),
        tw.DecisionTreeRegressor(criterion="absolute_error", order="breadth_first", ccp_alpha=0.01),
    ]
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


# ---- the same as scikit-learn's ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(tw.DecisionTreeClassifier, SklearnClassifier), (tw.DecisionTreeRegressor, SklearnRegressor)],
)
def test_parameters_and_defaults_are_scikit_learns(ours: Any, theirs: Any) -> None:
    parameters = theirs().get_params()
    assert {name: value for name, value in ours().get_params().items() if name in parameters} == parameters


@pytest.mark.parametrize(
    "parameters", [{}, {"max_depth": 3}, {"min_samples_leaf": 5}, {"criterion": "entropy"}]
)
def test_predictions_are_scikit_learns_where_no_splits_tie(parameters: dict[str, Any]) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32).astype(float)  # scikit-learn grows on float32
    ours = tw.DecisionTreeClassifier(**parameters).fit(X, y)
    theirs = [SklearnClassifier(**parameters, random_state=seed).fit(X, y) for seed in range(10)]
    assert ours.get_depth() in [tree.get_depth() for tree in theirs] or not parameters
    agreement = max((ours.predict(X) == tree.predict(X)).mean() for tree in theirs)
    assert agreement > 0.98


def test_fitted_attributes() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = tw.DecisionTreeClassifier(max_features=2, random_state=0).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.n_classes_, model.n_features_in_, model.n_outputs_, model.max_features_) == (3, 4, 1, 2)
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert not hasattr(model.fit(X.to_numpy(), y), "feature_names_in_")


def test_pruning_path_is_scikit_learns() -> None:
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32).astype(float)
    ours = tw.DecisionTreeRegressor(max_depth=4).cost_complexity_pruning_path(X, y)
    theirs = SklearnRegressor(max_depth=4, random_state=0).cost_complexity_pruning_path(X, y)
    assert ours.ccp_alphas == pytest.approx(theirs.ccp_alphas)
    assert ours.impurities == pytest.approx(theirs.impurities)


def test_decision_path_marks_the_way_to_the_leaf() -> None:
    X, y = load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier().fit(X, y)
    paths, leaves = model.decision_path(X), model.apply(X)
    assert paths.shape == (150, model.tree_.node_count)
    assert paths.sum(axis=0).A1.tolist() == model.tree_.count.tolist()
    for row, leaf in enumerate(leaves):
        nodes = paths[row].indices
        assert nodes[0] == 0
        assert nodes[-1] == leaf
        assert (model.tree_.parent[nodes[1:]] == nodes[:-1]).all()


# ---- scikit-learn's tools --------------------------------------------------------------------------


def test_clone_and_pickle_keep_parameters_and_predictions() -> None:
    X, y = load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=3, class_weight={0: 2.0}).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    same = pickle.loads(pickle.dumps(model))
    assert same.get_params() == model.get_params()
    assert same.tree_ == model.tree_
    assert (same.predict_proba(X) == model.predict_proba(X)).all()


def test_a_pickle_is_no_larger_than_scikit_learns() -> None:
    X, y = load_iris(return_X_y=True)
    ours, theirs = (pickle.dumps(kind().fit(X, y)) for kind in (tw.DecisionTreeClassifier, SklearnClassifier))
    assert len(ours) <= len(theirs)


def test_a_pickle_names_the_parameters_that_are_not_as_they_are_by_default() -> None:
    model = tw.DecisionTreeClassifier(max_depth=3, min_samples_leaf=1.0, ccp_alpha=0.0, criterion="gini")
    state = model.__getstate__()
    assert state == {"max_depth": 3, "min_samples_leaf": 1.0}  # a share, and not the number 1
    every = tw.DecisionTreeClassifier()
    every.__setstate__(dict(vars(model)))  # as version 0.1 wrote it
    assert every.get_params() == model.get_params()
    once_again = tw.DecisionTreeClassifier(max_depth=5, criterion="entropy")
    once_again.__setstate__(state)
    assert once_again.get_params() == model.get_params()


def test_pipeline_grid_search_and_cross_validation() -> None:
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), tw.DecisionTreeClassifier()),
        {
            "decisiontreeclassifier__max_depth": [1, 3],
            "decisiontreeclassifier__criterion": ["gini", "entropy"],
        },
        cv=3,
    ).fit(X, y)
    assert search.best_params_["decisiontreeclassifier__max_depth"] == 3
    assert cross_val_score(tw.DecisionTreeClassifier(), X, y, cv=5).mean() > 0.9


def test_weights_are_routed_through_cross_validation() -> None:
    import sklearn

    X, y = load_iris(return_X_y=True)
    with sklearn.config_context(enable_metadata_routing=True):
        model = (
            tw.DecisionTreeClassifier()
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=True)
        )
        scores = cross_val_score(model, X, y, params={"sample_weight": np.arange(1.0, 151.0)})
    assert scores.mean() > 0.9


def test_inspection() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean
    assert (found[model.feature_importances_ == 0] == 0).all()
    assert found.max() > 0.05


def test_displays_and_calibration() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X[:, :2], y)
    drawn = DecisionBoundaryDisplay.from_estimator(
        model, X[:, :2], response_method="predict", grid_resolution=20
    )
    assert set(np.unique(drawn.response)) <= {0, 1, 2}
    shown = PartialDependenceDisplay.from_estimator(model, X[:, :2], [0], target=1, grid_resolution=5)
    assert shown.pd_results[0].average.shape == (3, 5)
    matplotlib.pyplot.close("all")
    calibrated = CalibratedClassifierCV(tw.DecisionTreeClassifier(max_depth=2), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(150))
