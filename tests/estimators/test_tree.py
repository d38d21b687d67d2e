"""Estimators learn as their parameters say, refuse what makes no sense, and fail without a trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

import treewright as tw
from helpers.interrupting import interrupted_after
from helpers.tables import PLAY, TENNIS
from treewright import _core
from treewright.persistence.trees import tree_to_bytes
from treewright.pruning import CostComplexity

# ---- data ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [TENNIS, pl.from_pandas(TENNIS), TENNIS.to_numpy().tolist()])
def test_mixed_tables_are_learned_as_they_are(table: Any) -> None:
    model = tw.DecisionTreeClassifier().fit(table, PLAY)
    assert model.predict(table).tolist() == PLAY
    assert model.score(table, PLAY) == 1


def test_sample_weight_is_repetition() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    weight = rng.integers(0, 4, 200)
    weighted = tw.DecisionTreeClassifier(max_depth=4).fit(X, y, sample_weight=weight)
    repeated = tw.DecisionTreeClassifier(max_depth=4).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert (weighted.predict_proba(X) == repeated.predict_proba(X)).all()


def test_class_weight_is_a_factor_on_sample_weight() -> None:
    X, y = load_iris(return_X_y=True)
    by_class = tw.DecisionTreeClassifier(max_depth=2, class_weight={1: 5.0}).fit(X, y)
    by_row = tw.DecisionTreeClassifier(max_depth=2).fit(X, y, sample_weight=np.where(y == 1, 5.0, 1.0))
    assert by_class.predict_proba(X) == pytest.approx(by_row.predict_proba(X))


def test_priors_set_the_shares_at_the_root() -> None:
    X, y = load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=1, priors={0: 0.2, 1: 0.2, 2: 0.6}).fit(X[:120], y[:120])
    root = model.tree_.node_value[0]
    assert root / root.sum() == pytest.approx([0.2, 0.2, 0.6])
    assert root.sum() == pytest.approx(120)


def test_costs_move_the_label_to_the_cheapest_class() -> None:
    X, y = np.zeros((10, 1)), [0] * 7 + [1] * 3
    assert tw.DecisionTreeClassifier().fit(X, y).predict(X[:1]).tolist() == [0]
    dear = tw.DecisionTreeClassifier(costs=[[0, 1], [10, 0]]).fit(X, y)
    assert dear.predict(X[:1]).tolist() == [1]
    assert dear.predict_proba(X[:1]) == pytest.approx(np.array([[0.7, 0.3]]))
    assert dear.tree_.risk == pytest.approx([7.0])


def test_laplace_smooths_shares_only() -> None:
    model = tw.DecisionTreeClassifier(laplace=True).fit([[0], [0], [1]], ["a", "a", "b"])
    assert model.predict_proba([[0], [1]]) == pytest.approx(np.array([[3 / 4, 1 / 4], [1 / 3, 2 / 3]]))
    assert model.tree_.node_value.tolist()[1] == [2.0, 0.0]


def test_best_first_is_the_order_when_leaves_are_bounded() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    bounded = tw.DecisionTreeClassifier(max_leaf_nodes=5).fit(X, y)
    explicit = tw.DecisionTreeClassifier(max_leaf_nodes=5, order="best_first").fit(X, y)
    assert bounded.get_n_leaves() == 5
    assert bounded.tree_ == explicit.tree_


@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "gini", "entropy"])
@pytest.mark.parametrize(
    "parameters", [{}, {"max_leaf_nodes": 30}, {"splitter": "random", "random_state": 0}]
)
def test_monotonic_features_never_turn_the_prediction_back(
    criterion: str, parameters: dict[str, Any]
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    signal = np.exp(X[:, 0] - X[:, 1] + rng.normal(size=400))
    predict: Any
    if criterion in ("gini", "entropy"):
        model: Any = tw.DecisionTreeClassifier(criterion=criterion, monotonic_cst=[1, -1, 0], **parameters)
        model.fit(X, signal > 1)
        predict = lambda rows: model.predict_proba(rows)[:, 1]  # noqa: E731
    else:
        model = tw.DecisionTreeRegressor(criterion=criterion, monotonic_cst=[1, -1, 0], **parameters)
        predict = model.fit(X, signal).predict
    for feature, sign in ((0, 1), (1, -1)):
        here = rng.normal(size=(500, 3))
        beyond = here.copy()
        beyond[:, feature] += rng.exponential(size=500)
        assert (sign * (predict(beyond) - predict(here)) >= -1e-12).all()


def test_pruner_is_applied_after_growing() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    by_pruner = tw.DecisionTreeClassifier(pruner=CostComplexity(0.01, risk="impurity")).fit(X, y)
    by_alpha = tw.DecisionTreeClassifier(ccp_alpha=0.01).fit(X, y)
    assert by_pruner.tree_ == by_alpha.tree_
    assert by_pruner.get_n_leaves() < tw.DecisionTreeClassifier().fit(X, y).get_n_leaves()


# ---- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
def test_not_fitted(method: str) -> None:
    with pytest.raises(NotFittedError, match="DecisionTreeClassifier instance is not fitted yet"):
        getattr(tw.DecisionTreeClassifier(), method)([[1.0]])


def test_not_fitted_has_no_depth_and_cannot_be_saved(tmp_path: Path) -> None:
    model = tw.DecisionTreeRegressor()
    for call in (
        model.get_depth,
        model.get_n_leaves,
        lambda: model.save(tmp_path / "m"),
        lambda: model.feature_importances_,
    ):
        with pytest.raises(NotFittedError):
            call()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"max_depth": -1},
            r"The 'max_depth' parameter of DecisionTreeClassifier must be an int in the range \[0, inf\) "
            "or None. Got -1 instead.",
        ),
        ({"criterion": "entropie"}, "Did you mean 'entropy'"),
        ({"criterion": "squared_error"}, "must be a str among {'error', 'gini'"),
        ({"splits": ("tresholds",)}, "must be a tuple of names among"),
        ({"missing": "surogate"}, "must be a str among {'direction'"),
        ({"unseen": "eror"}, "Did you mean 'error'"),
        ({"random_state": "seed"}, "RandomState"),
        ({"n_jobs": 0}, "an int other than 0"),
        ({"class_weight": "balance"}, "Did you mean 'balanced'"),
        ({"laplace": -1}, r"a float, 0 or from 1e-30 to 1e\+30, or a bool"),
        ({"pruner": "eror_based"}, "a callable from tree to tree"),
    ],
)
def test_wrong_parameters_are_refused_by_name(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        tw.DecisionTreeClassifier(**parameters).fit([[1], [2]], [0, 1])


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"class_weight": {"x": 1.0}}, "not in class_weight"),
        ({"priors": [0.5, 0.2, 0.3]}, "priors must have a number for each of the 2 classes"),
        ({"priors": {0: 1.0}}, "priors must name the classes"),
        ({"priors": [-0.5, 1.5]}, "priors must be finite numbers that are not negative"),
        ({"class_weight": {0: np.nan}}, "class_weight must be finite numbers that are not negative"),
        ({"costs": [[0, 1]]}, "costs must have a row and a column for each of the 2 classes"),
        ({"costs": [[1, 1], [1, 0]]}, "0 on the diagonal"),
        ({"priors": [0.5, 0.5], "class_weight": "balanced"}, "either 'class_weight' or 'priors'"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has shape 2 but the input data X has 1 features"),
        ({"splits": ("multiway",)}, "'x0' is numeric"),
        ({"monotonic_cst": [1], "categorical_features": [0]}, "feature 'x0', which is categorical"),
    ],
)
def test_parameters_that_do_not_fit_the_data_are_refused(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tw.DecisionTreeClassifier(**parameters).fit([[1], [2]], [0, 1])


def test_poisson_refuses_negative_targets() -> None:
    model = tw.DecisionTreeRegressor(criterion="poisson")
    with pytest.raises(ValueError, match=r"negative.*Poisson"):
        model.fit([[1], [2]], [-1.0, 2.0])
    with pytest.raises(ValueError, match=r"not positive.*Poisson"):
        model.fit([[1], [2]], [0.0, 0.0])


def test_infinities_are_the_largest_numbers_where_that_is_asked_for() -> None:
    largest = np.finfo(float).max
    X = np.array([[-np.inf, 0.5], [1.0, np.inf], [2.0, np.nan], [np.inf, -np.inf]])
    finite = np.clip(X, -largest, largest)
    y = [1.0, 2.0, 3.0, 4.0]
    model = tw.DecisionTreeRegressor(inf="extreme")
    assert model.fit(X, y).tree_ == tw.DecisionTreeRegressor().fit(finite, y).tree_
    assert model.predict(X).tolist() == y
    frame = pd.DataFrame({"a": X[:, 0].astype(np.float32), "b": ["u", "v", "u", "v"]})
    assert model.fit(frame, y).predict(frame).tolist() == y
    as_category = tw.DecisionTreeRegressor(inf="extreme", categorical_features=[0]).fit(X[:, :1], y)
    assert as_category.predict(X[:, :1]).tolist() == y


# ---- interrupts, progress, determinism -----------------------------------------------------------


def test_an_interrupted_fit_leaves_everything_as_it_was() -> None:
    X, y = load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(n_jobs=1).fit(X, y)
    before = dict(model.__dict__)
    rng = np.random.default_rng(0)
    large, noise = rng.normal(size=(400_000, 20)), rng.integers(0, 2, 400_000)
    with interrupted_after(0.3):
        model.fit(large, noise)
    assert model.__dict__ == before


def test_a_failed_fit_leaves_everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier().fit(X, y)
    before = dict(model.__dict__)

    def fail(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(_core, "grow", fail)
    with pytest.raises(MemoryError):
        model.fit(X[:50, :2], y[:50])
    assert model.__dict__ == before


def test_verbose_is_silent_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tw.DecisionTreeClassifier(verbose=1).fit([[1], [2]], [0, 1])
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"max_features": 3, "random_state": 7},
        {"splitter": "random", "random_state": 1},
        {"order": "best_first"},
    ],
)
def test_the_tree_has_the_same_bytes_for_every_number_of_threads(parameters: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 6))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0]) + rng.normal(size=len(X)) > 0).astype(int)
    model = tw.DecisionTreeClassifier(**parameters)
    one, two, eight = (tree_to_bytes(model.set_params(n_jobs=n_jobs).fit(X, y).tree_) for n_jobs in (1, 2, 8))
    assert one == two == eight


def test_a_random_state_gives_the_same_tree_again() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_features=2, random_state=3)
    assert clone(model).fit(X, y).tree_ == model.fit(X, y).tree_
    assert clone(model).set_params(random_state=4).fit(X, y).tree_ != model.tree_
