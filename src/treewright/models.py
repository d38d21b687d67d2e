"""Models: fitted estimators read back from files."""

from __future__ import annotations

import os
from dataclasses import MISSING, fields
from typing import Any

from treewright.errors import ModelFileError
from treewright.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.fitted import FittedTree
from treewright.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.forest.files import read_forest
from treewright.forest.fitted import FittedForest
from treewright.model_file import Header, read_model, tree_from_parts
from treewright.parameters import stored_value
from treewright.presets import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from treewright.pruning import Pruner
from treewright.recipe import check_parameters

KINDS: dict[str, type[FittedTree] | type[FittedForest]] = {
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
    )
}
"""The estimators that a model file may hold, by name."""


def load(path: str | os.PathLike[str]) -> Any:
    """Read what an estimator's `save` wrote. Nothing in the file is run, and everything in it is checked.

    Parameters
    ----------
    path : str or path
        A model file.

    Returns
    -------
    estimator
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
    model = _unfitted(header)
    if isinstance(model, FittedForest):
        read_forest(model, header, arrays)
        return model
    tree = tree_from_parts(header, arrays)
    if model.task != ("regression" if tree.schema.classes is None else "classification"):
        raise ModelFileError(f"the model is broken: a {header['kind']} cannot have its tree")
    model._adopt(tree)
    if "pruner" in header:
        model.pruner_ = _pruner(header)
    return model


def _unfitted(header: Header) -> FittedTree | FittedForest:
    """Make the estimator that a header describes, with its parameters checked."""
    kind = KINDS.get(header["kind"])
    if kind is None:
        raise ModelFileError(
            f"the model is of the unknown kind {header['kind']!r}; known are {', '.join(KINDS)}"
        )
    defaults = {field.name: field.default for field in fields(kind) if field.default is not MISSING}
    try:
        stored = {name: stored_value(plain) for name, plain in header["parameters"].items()}
        unknown = sorted(stored.keys() - defaults.keys())
        if unknown:
            raise ValueError(f"it has the unknown parameters {unknown}")
        tuples = {name: tuple(stored[name]) for name in stored if isinstance(defaults[name], tuple)}
        parameters = defaults | stored | tuples
        check_parameters(kind.__name__, parameters, kind.rules)
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise ModelFileError(f"the model is broken: its parameters cannot be read ({problem})") from None
    return kind(**parameters)


def _pruner(header: Header) -> Pruner:
    """Make the pruner that a header names, with its settings checked."""
    try:
        pruner = stored_value(header["pruner"])
    except (ValueError, TypeError, KeyError) as problem:
        raise ModelFileError(f"the model is broken: its pruner cannot be read ({problem})") from None
    if not isinstance(pruner, Pruner):
        raise ModelFileError(f"the model is broken: it says that {pruner!r} pruned it")
    return pruner
