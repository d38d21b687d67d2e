"""treelite and scikit-learn: binary trees on and beside every boundary, and a sentence for the rest."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier

import treewright as tw
from helpers.exporting import MAKERS, examination, model
from treewright.errors import ExportError


def numeric(**settings: Any) -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)) * [1, 1e3, 1e-3, 1, 1]
    y = np.digitize(X[:, 0] + X[:, 1] / 1e3 * X[:, 3], [-0.5, 0.5])
    if settings.pop("holes", True):
        X[rng.random(X.shape) < 0.1] = np.nan
    kind = settings.pop("kind", tw.DecisionTreeClassifier)
    return kind(**settings).fit(X, np.array(["a", "b", "c"])[y] if is_classifier(kind()) else y)


NUMERIC: dict[str, dict[str, Any]] = {
    "tree": {},
    "known": {"holes": False, "missing": "error"},
    "numbers": {"kind": tw.DecisionTreeRegressor},
    "laplace": {"laplace": 1.0},
    "forest": {"kind": tw.RandomForestClassifier, "n_estimators": 7, "random_state": 1},
    "hard": {"kind": tw.RandomForestClassifier, "n_estimators": 7, "random_state": 1, "vote": "hard"},
    "forest numbers": {"kind": tw.RandomForestRegressor, "n_estimators": 7, "random_state": 1},
    "extra trees": {"kind": tw.ExtraTreesRegressor, "n_estimators": 7, "random_state": 1},
}


@pytest.mark.parametrize("name", NUMERIC)
def test_scikit_learn_answers_as_the_model_does(name: str) -> None:
    fitted = numeric(**NUMERIC[name])
    certificate = tw.certify(fitted, fitted.to_sklearn(), "sklearn", n_random=1000)
    assert certificate.mismatches == 0, str(certificate)
    assert certificate.rows > 1000


@pytest.mark.parametrize("name", NUMERIC)
def test_treelite_answers_as_the_model_does(name: str) -> None:
    pytest.importorskip("treelite")
    fitted = numeric(**NUMERIC[name])
    certificate = tw.certify(fitted, fitted.export("treelite"), "treelite", n_random=1000)
    assert certificate.mismatches == 0, str(certificate)


@pytest.mark.parametrize("name", MAKERS)
def test_every_model_is_the_same_or_refused(name: str) -> None:
    pytest.importorskip("treelite")
    fitted = model(name)
    for target, write in (
        ("treelite", lambda: fitted.export("treelite")),
        ("sklearn", fitted_sklearn(fitted)),
    ):
        artefact = None
        with suppress(ExportError):
            artefact = write()
        if artefact is None:
            with pytest.raises(ExportError, match=r"which (treelite|scikit-learn) cannot hold"):
                write()
        else:
            certificate = examination(name).certify(artefact, target)
            assert certificate.mismatches == 0, str(certificate)


def fitted_sklearn(fitted: Any) -> Any:
    if hasattr(fitted, "to_sklearn"):
        return fitted.to_sklearn

    def none() -> Any:
        raise ExportError("rules, which scikit-learn cannot hold")

    return none


def test_a_converted_tree_is_scikit_learns() -> None:
    from sklearn.tree import export_graphviz, export_text

    X, y = tw.datasets.load_iris()
    fitted = tw.DecisionTreeClassifier().fit(X, y)
    theirs = fitted.to_sklearn()
    assert export_text(theirs).count("class:") == fitted.get_n_leaves()
    assert "petal length" in export_graphviz(theirs, feature_names=list(X.columns))
    assert np.allclose(theirs.feature_importances_, fitted.feature_importances_)
    again = tw.from_sklearn(theirs)
    single = X.astype(np.float32)
    assert (again.predict(single) == fitted.predict(single)).all()


def test_what_scikit_learn_cannot_hold_is_told() -> None:
    with pytest.raises(
        ExportError, match=r"node \d+ splits on '\w+' by sets of categories, which scikit-learn"
    ):
        model("threshold direction").to_sklearn()
    X, y = tw.datasets.load_iris()
    costly = tw.DecisionTreeClassifier(max_depth=2, costs=[[0, 1, 1], [1, 0, 1], [9, 9, 0]]).fit(X, y)
    with pytest.raises(ExportError, match="predicts another class than the one of most weight"):
        costly.to_sklearn()
