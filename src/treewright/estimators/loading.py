"""`load`: fitted estimators and rule sets read from model files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from treewright.errors import ModelFileError
from treewright.estimators.base_forest import ForestEstimator
from treewright.estimators.base_tree import TreeEstimator
from treewright.estimators.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.estimators.optimal import OptimalTreeClassifier, OptimalTreeRegressor
from treewright.estimators.presets import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from treewright.estimators.readable_tree import TreeClassifier, TreeRegressor
from treewright.estimators.rules import RuleClassifier
from treewright.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.growing.parameter_conversion import missing_policies
from treewright.parameter_types import check_parameters
from treewright.persistence.card import card_of_dict
from treewright.persistence.container import Arrays, Header, read_model
from treewright.persistence.forests import read_forest
from treewright.persistence.parameters import stored_value
from treewright.persistence.rules import rules_from_parts
from treewright.persistence.trees import tree_from_parts
from treewright.pruning import Pruner

Model = TypeVar("Model")

KINDS: dict[str, type[TreeEstimator] | type[ForestEstimator]] = {
    kind.__name__: kind
    for kind in (
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ID3Classifier,
        C45Classifier,
        CARTClassifier,
        CARTRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        OptimalTreeClassifier,
        OptimalTreeRegressor,
        TreeClassifier,
        TreeRegressor,
    )
}
"""The estimators that a model file may hold, by name."""


def load(path: str | os.PathLike[str]) -> Any:
    """Read what the `save` of an estimator or of a `RuleSet` wrote.

    Nothing in the file is run, and everything in it is checked.

    Parameters
    ----------
    path : str or path
        A model file.

    Returns
    -------
    estimator or RuleSet
        Fitted, and equal to the one that was saved.

    Raises
    ------
    ModelFileError
        If the file is damaged, cut short, too new or no model at all.

    Examples
    --------
    >>> import tempfile
    >>> model = DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.tw")
    ...     same = load(f"{folder}/model.tw")
    >>> same.tree_ == model.tree_
    True
    """
    header, arrays = read_model(path)
    if header["kind"] == "RuleSet":
        return rules_from_parts(header, arrays)
    if header["kind"] == "RuleClassifier":
        model: Any = _rule_classifier(header, arrays)
    else:
        model = _unfitted(header, KINDS)
        (read_forest if isinstance(model, ForestEstimator) else _read_tree)(model, header, arrays)
        _check_policies(model)
    if "target" in header:
        if not isinstance(header["target"], str):
            raise ModelFileError("the model is broken: the name of its target is no text")
        model.target_name_ = header["target"]
    if "card" in header:
        model.card_ = card_of_dict(header["card"])
    return model


def _read_tree(model: TreeEstimator, header: Header, arrays: Arrays) -> None:
    """Give an estimator the tree that a file holds, and what it keeps beside it."""
    own = {name: arrays.pop(name) for name in list(arrays) if name.startswith("own_")}
    tree = tree_from_parts(header, arrays)
    if model._task != ("regression" if tree.schema.classes is None else "classification"):
        raise ModelFileError(f"the model is broken: a {header['kind']} cannot have its tree")
    model._set_tree(tree)
    try:
        model._set_own_arrays({name.removeprefix("own_"): array for name, array in own.items()})
    except ValueError as problem:
        raise ModelFileError(f"the model is broken: {problem}") from None
    if "edits" in header:
        model.edits_ = _edits(header["edits"])
    if "pruner" in header:
        model.pruner_ = _pruner(header)


def _check_policies(model: Any) -> None:
    """Prove that policies for missing values, which `explain` asks for, are of features that there are."""
    schema = (model.trees_ if isinstance(model, ForestEstimator) else model.tree_).schema
    try:
        missing_policies(getattr(model, "missing", "direction"), schema)
    except ValueError as problem:
        raise ModelFileError(f"the model is broken: its parameters cannot be read ({problem})") from None


def _rule_classifier(header: Header, arrays: Arrays) -> RuleClassifier:
    rules = rules_from_parts(header, arrays)
    if not rules.is_classifier:
        raise ModelFileError("the model is broken: a RuleClassifier cannot predict numbers")
    model = _unfitted(header, {"RuleClassifier": RuleClassifier})
    model._set_rules(rules)
    return model


def _unfitted(header: Header, kinds: Mapping[str, type[Model]]) -> Model:
    """Make the estimator that a header describes, with its parameters checked."""
    kind: Any = kinds.get(header["kind"])
    if kind is None:
        known = ", ".join([*kinds, "RuleClassifier", "RuleSet"])
        raise ModelFileError(f"the model is of the unknown kind {header['kind']!r}; known are {known}")
    defaults = {field.name: field.default for field in fields(kind) if field.default is not MISSING}
    try:
        stored = {name: _stored(plain) for name, plain in header["parameters"].items()}
        unknown = sorted(stored.keys() - defaults.keys())
        if unknown:
            raise ValueError(f"it has the unknown parameters {unknown}")
        tuples = {name: tuple(stored[name]) for name in stored if isinstance(defaults[name], tuple)}
        parameters = defaults | stored | tuples
        check_parameters(kind.__name__, parameters, kind._domains)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as problem:
        raise ModelFileError(f"the model is broken: its parameters cannot be read ({problem})") from None
    model: Model = kind(**parameters)
    return model


def _stored(plain: Any) -> Any:
    """Read a parameter, which may be an estimator that is not fitted."""
    if isinstance(plain, dict) and "estimator" in plain:
        return _unfitted({"kind": plain["estimator"], "parameters": plain["parameters"]}, KINDS)
    return stored_value(plain)


def _edits(log: Any) -> tuple[dict[str, Any], ...]:
    """Take the log of edits by hand, which says of each what was done."""
    if not isinstance(log, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("edit"), str) for entry in log
    ):
        raise ModelFileError("the model is broken: its log of edits is no list of edits")
    return tuple(log)


def _pruner(header: Header) -> Pruner:
    """Make the pruner that a header names, with its settings checked."""
    try:
        pruner = stored_value(header["pruner"])
    except (ValueError, TypeError, KeyError) as problem:
        raise ModelFileError(f"the model is broken: its pruner cannot be read ({problem})") from None
    if not isinstance(pruner, Pruner):
        raise ModelFileError(f"the model is broken: it says that {pruner!r} pruned it")
    return pruner
