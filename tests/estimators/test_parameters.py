"""Estimators know their parameters by name, and offer the nearest to one they do not know."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest
from sklearn.base import clone

import treewright as tw

ESTIMATORS = [
    tw.DecisionTreeClassifier,
    tw.DecisionTreeRegressor,
    tw.ID3Classifier,
    tw.C45Classifier,
    tw.CARTClassifier,
    tw.CARTRegressor,
    tw.RandomForestClassifier,
    tw.RandomForestRegressor,
    tw.ExtraTreesClassifier,
    tw.ExtraTreesRegressor,
    tw.RuleClassifier,
]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_letter_left_out_is_noticed(kind: Any) -> None:
    for name in inspect.signature(kind).parameters:
        mistyped = name[:-1]
        if mistyped in inspect.signature(kind).parameters:
            continue
        words = f"{kind.__name__} has no parameter '{mistyped}'. Did you mean '"
        with pytest.raises(TypeError) as refused:
            kind(**{mistyped: 1})
        assert str(refused.value).startswith(words)
        with pytest.raises(ValueError, match=r"Did you mean '") as refused_later:
            kind().set_params(**{mistyped: 1})
        assert str(refused_later.value) == str(refused.value)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_what_resembles_nothing_is_answered_with_all_there_is(kind: Any) -> None:
    with pytest.raises(TypeError, match=rf"{kind.__name__} has no parameter 'qqq'\. It has .*verbose"):
        kind(qqq=1)


def test_parameters_go_by_name_alone() -> None:
    with pytest.raises(TypeError, match=r"DecisionTreeClassifier takes its parameters by name.*'gini'"):
        tw.DecisionTreeClassifier("gini")  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"RandomForestClassifier takes its parameters by name.*'gini'"):
        tw.RandomForestClassifier(5, "gini")  # type: ignore[misc]
    assert tw.RandomForestClassifier(5).n_estimators == 5  # as in scikit-learn


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_signature_clone_and_pickle_see_the_parameters(kind: Any) -> None:
    model = kind()
    assert list(model.get_params(deep=False)) == sorted(inspect.signature(kind).parameters)
    for copied in (clone(model), pickle.loads(pickle.dumps(model))):
        assert type(copied) is kind
        assert copied.get_params() == model.get_params()


def test_names_inside_an_inner_estimator() -> None:
    model = tw.RuleClassifier(tree=tw.C45Classifier())
    assert model.set_params(tree__confidence=0.1).tree.confidence == 0.1
    with pytest.raises(
        ValueError, match=r"C45Classifier has no parameter 'confidenc'\. Did you mean 'confidence'"
    ):
        model.set_params(tree__confidenc=0.1)


def test_a_class_of_the_users_own_may_add_parameters() -> None:
    class Shallow(tw.DecisionTreeClassifier):
        def __init__(self, *, limit: int = 2) -> None:
            super().__init__(max_depth=limit)
            self.limit = limit

    assert Shallow(limit=3).max_depth == 3
    assert clone(Shallow(limit=4)).limit == 4
