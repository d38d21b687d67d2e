"""How estimators are built: few classes, few public names, and one protocol for what others need of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sklearn.tree

import treewright as tw
from treewright.growing.parameters import ESTIMATORS
from treewright.tree.model import ForestModel, TreeModel

SOURCE = Path(tw.__file__).parent
GONE = {
    "allowed",
    "task",
    "arrange",
    "longest_search",
    "min_merit",
    "tree_kind",
    "packed",
    "decisive",
    "edited",
}
KINDS = [getattr(tw, name) for name in sorted(ESTIMATORS)]


def fitted(kind: Any) -> Any:
    X, y = tw.datasets.load_tennis()
    return kind().fit(X, [len(label) for label in y] if kind.__name__.endswith("Regressor") else y)


@pytest.mark.parametrize("kind", KINDS)
def test_an_estimator_is_at_most_four_classes_of_ours(kind: Any) -> None:
    ours = [made for made in kind.__mro__ if made.__module__.partition(".")[0] == "treewright"]
    assert len(ours) <= 4, [made.__name__ for made in ours]


@pytest.mark.parametrize("kind", KINDS)
def test_a_fitted_estimator_offers_few_names(kind: Any) -> None:
    """A tree at most 28 beside its parameters; what forests and optimal trees find is not counted."""
    model = fitted(kind)
    public = {name for name in dir(model) if not name.startswith("_")}
    others = public - set(model.get_params(deep=False))
    methods = {name for name in others if not name.endswith("_")}
    finds_more = kind.__name__.startswith(("Random", "Extra", "Optimal"))
    assert len(methods if finds_more else others) <= 28, sorted(others)
    assert all(callable(getattr(model, name)) for name in methods - {"estimator"})
    assert not public & GONE


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_offered_is_there(kind: Any) -> None:
    model = fitted(kind)
    assert model.n_features_in_ == len(model.feature_names_in_) == 4
    assert model.get_metadata_routing() is not None
    assert not {"get_metadata_routing", "set_fit_request"} & set(dir(model))
    assert ("n_features_in_" in dir(model)) is not isinstance(model, TreeModel)
    assert {"fit", "predict", "score", "get_params", "set_params"} <= set(dir(model))


def test_of_a_fitted_tree_few_names_are_other_than_scikit_learns() -> None:
    theirs = sklearn.tree.DecisionTreeClassifier().fit([[1], [2]], [0, 1])
    model = fitted(tw.DecisionTreeClassifier)
    names = {name for name in dir(model) if not name.startswith("_")} - set(model.get_params())
    ours = names - set(dir(theirs))
    assert ours == {
        *("bound", "evaluate", "explain", "export", "importances", "rules", "save", "shap_values", "to_html"),
        "to_sklearn",
    }


def test_a_tree_has_none_of_the_inner_names() -> None:
    assert not set(dir(fitted(tw.DecisionTreeClassifier).tree_)) & GONE


# ---- what other modules need of a model -----------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_protocols_tell_estimators_of_one_tree_and_of_many_apart(kind: Any) -> None:
    is_forest = "Forest" in kind.__name__ or "Extra" in kind.__name__
    is_tree = not is_forest and kind is not tw.RuleClassifier
    for model in (kind(), fitted(kind)):
        assert isinstance(model, TreeModel) is is_tree
        assert isinstance(model, ForestModel) is is_forest


def test_models_of_others_are_neither() -> None:
    theirs = sklearn.tree.DecisionTreeClassifier().fit([[1], [2]], [0, 1])
    for model in (theirs, tw.from_sklearn(theirs).tree_, None):
        assert not isinstance(model, TreeModel | ForestModel)


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))


def test_no_module_asks_a_model_for_a_private_name() -> None:
    asked = [
        f"{path.relative_to(SOURCE)}:{call.lineno}"
        for path in SOURCE.rglob("*.py")
        for call in calls(path)
        if isinstance(call.func, ast.Name)
        and call.func.id in ("hasattr", "getattr")
        and isinstance(call.args[1], ast.Constant)
        and str(call.args[1].value).startswith("_")
        and not str(call.args[1].value).startswith("__")
        and not (isinstance(call.args[0], ast.Name) and call.args[0].id == "self")
    ]
    assert asked == []


def test_the_private_module_of_scikit_learn_is_imported_once() -> None:
    imports = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "sklearn.utils._param_validation"
    ]
    assert imports == ["estimators/base.py"]
