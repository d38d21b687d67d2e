"""What programs written for scikit-learn do without a thought, held to what scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.preprocessing import StandardScaler

import treewright as tw

CLASSIFIERS = ["DecisionTreeClassifier", "RandomForestClassifier", "ExtraTreesClassifier"]
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.random((200, 3)), columns=list("abc"))
LEVEL = pd.cut(X["a"] + 0.2 * RNG.random(200), [0, 0.4, 0.8, 2], labels=["low", "mid", "high"])


def both(name: str, **parameters: Any) -> tuple[Any, Any]:
    if name != "DecisionTreeClassifier":
        parameters["n_estimators"] = 10
    package = sklearn.tree if name.startswith("DecisionTree") else sklearn.ensemble
    return getattr(package, name)(random_state=0, **parameters), getattr(tw, name)(
        random_state=0, **parameters
    )


@pytest.mark.filterwarnings("ignore:A column-vector")
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classes_of_a_categorical_target_are_sorted(name: str) -> None:
    theirs, ours = both(name, max_depth=3)
    for target in (LEVEL, LEVEL.cat.as_unordered(), LEVEL.to_frame()):
        theirs.fit(X, target)
        ours.fit(X, target)
        assert ours.classes_.tolist() == theirs.classes_.tolist() == ["high", "low", "mid"]
        assert ours.score(X, LEVEL) > 0.8
        assert roc_auc_score(LEVEL, ours.predict_proba(X), multi_class="ovr") > 0.9
        assert log_loss(LEVEL, ours.predict_proba(X)) < 1
    assert cross_val_score(ours, X, LEVEL, scoring="roc_auc_ovr", cv=3).min() > 0.8


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_second_column_is_of_the_class_that_scikit_learn_has_there(name: str) -> None:
    risk = pd.Series(np.where(X["a"] > 0.5, "bad", "good")).astype(pd.CategoricalDtype(["good", "bad"]))
    theirs, ours = (model.fit(X, risk) for model in both(name))
    assert np.array_equal(ours.predict_proba(X)[:, 1] > 0.5, theirs.predict_proba(X)[:, 1] > 0.5)
    in_polars = ours.fit(X, pl.Series(risk.tolist(), dtype=pl.Enum(["good", "bad"])))
    assert in_polars.classes_.tolist() == ["bad", "good"]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classes_of_several_categorical_targets_are_sorted(name: str) -> None:
    targets = pd.DataFrame({"level": LEVEL, "other": LEVEL.cat.remove_categories(["mid"]).fillna("low")})
    theirs, ours = (model.fit(X, targets) for model in both(name))
    assert [one.tolist() for one in ours.classes_] == [one.tolist() for one in theirs.classes_]
    assert np.mean(ours.predict(X) == targets.to_numpy()) > 0.9


def test_numbers_as_categories_are_sorted_as_numbers() -> None:
    stars = pd.Series([10, 9, 2, 10]).astype(pd.CategoricalDtype([10, 9, 2]))
    assert tw.DecisionTreeClassifier().fit(X[:4], stars).classes_.tolist() == [2, 9, 10]


def test_constraints_and_presets_keep_the_order_of_a_target() -> None:
    for model in (
        tw.RandomForestClassifier(2, monotonic_cst={"a": 1}),
        tw.DecisionTreeClassifier(monotonic_cst={"a": 1}),
        tw.TreeClassifier(),
        tw.CARTClassifier(),
        tw.C45Classifier(),
    ):
        assert model.fit(X, LEVEL).classes_.tolist() == ["low", "mid", "high"]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_scaled_table_has_lost_the_index_that_its_target_keeps(name: str) -> None:
    X_train, X_test, y_train, y_test = train_test_split(X, X["a"] > 0.5, random_state=0)
    scaler = StandardScaler().fit(X_train)
    scaled, scaled_test = (
        pd.DataFrame(scaler.transform(part), columns=X.columns) for part in (X_train, X_test)
    )
    theirs, ours = (model.fit(scaled, y_train) for model in both(name))
    assert ours.score(scaled_test, y_test) > 0.9
    assert theirs.score(scaled_test, y_test) > 0.9
    ours.fit(X_train, y_train.reset_index(drop=True))
    assert ours.score(X_test, y_test) > 0.9
