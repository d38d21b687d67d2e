"""What programs written for scikit-learn do without a thought, held to what scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
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


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_scorers_read_the_columns_of_a_categorical_target_given_as_text(name: str) -> None:
    _, ours = both(name, max_depth=3)
    assert ours.fit(X, LEVEL).classes_.tolist() == ["low", "mid", "high"]
    text = LEVEL.astype(str)
    assert ours.fit(X, text).classes_.tolist() == ["high", "low", "mid"]
    assert log_loss(text, ours.predict_proba(X)) < 1
    assert roc_auc_score(text, ours.predict_proba(X), multi_class="ovr") > 0.9
    assert cross_val_score(ours, X, text, scoring="roc_auc_ovr", cv=3).min() > 0.8


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
