"""Models inside others: the last step of a pipeline, and what a search over parameters found best."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from treewright.errors import DataTypeError
from treewright.tree.model import TreeModel
from treewright.tree.tree import Tree


class Unwrapped(NamedTuple):
    """A model, and what turns tables into what it takes."""

    model: Any
    prepared: Callable[[Any], Any]


def unwrapped(model: Any) -> Unwrapped:
    """Take a model out of a pipeline or a search; a model of its own is given as it is.

    The features of a tree in a pipeline are called what the steps before it call what they give.

    Raises
    ------
    DataTypeError
        If a search has no best model, or a pipeline ends in a transformer.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> inside = unwrapped(make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=1)).fit(X, y))
    >>> inside.model.tree_.schema.names[2], inside.prepared(X).shape
    ('petal length', (150, 4))
    """
    if hasattr(model, "best_estimator_"):
        return unwrapped(model.best_estimator_)
    if hasattr(model, "param_grid") or hasattr(model, "param_distributions"):
        raise DataTypeError(f"{type(model).__name__} has no best_estimator_: fit it with refit=True first.")
    if not (hasattr(model, "steps") and hasattr(model, "named_steps")):
        return Unwrapped(model, lambda X: X)
    last, before = model.steps[-1][1], model[:-1]
    if not hasattr(last, "predict"):
        raise DataTypeError(
            f"the pipeline ends in {type(last).__name__}, which predicts nothing: "
            "give a fitted one whose last step is a tree or a forest."
        )
    inner = unwrapped(last)

    def prepared(X: Any) -> Any:
        return X if X is None else inner.prepared(before.transform(X) if len(before) else X)

    return Unwrapped(_with_names(inner.model, _names_after(before)), prepared)


def _names_after(steps: Any) -> list[str] | None:
    """Give what the steps of a pipeline call what they give, if they say."""
    try:
        return [str(name) for name in steps.get_feature_names_out()] if len(steps) else None
    except (AttributeError, ValueError):
        return None


def _with_names(model: Any, names: list[str] | None) -> Any:
    """Give a model of one tree whose features have these names, if they had none."""
    if not isinstance(model, TreeModel) or names is None:
        return model
    tree: Tree = model._fitted_tree()
    if tree.schema.named or len(names) != len(tree.schema.columns):
        return model
    columns = tuple(
        replace(column, name=name) for column, name in zip(tree.schema.columns, names, strict=True)
    )
    renamed = copy.copy(model)
    renamed._set_tree(replace(tree, schema=replace(tree.schema, columns=columns)))
    return renamed
