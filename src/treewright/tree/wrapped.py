"""Models inside others: the last step of a pipeline, and what a search over parameters found best."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from treewright.errors import DataTypeError
from treewright.tree.model import ForestModel, TreeModel


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
    """Give a model whose features have these names, if they had none."""
    if names is None:
        return model
    if not isinstance(model, TreeModel | ForestModel):
        return _named_as_by_sklearn(model, names)
    grown: Any = model._fitted_tree() if isinstance(model, TreeModel) else model._fitted_trees()
    if grown.schema.named or len(names) != len(grown.schema.columns):
        return model
    columns = zip(grown.schema.columns, names, strict=True)
    schema = replace(grown.schema, columns=tuple(replace(column, name=name) for column, name in columns))
    renamed: Any = copy.copy(model)
    if isinstance(model, TreeModel):
        renamed._set_tree(replace(grown, schema=schema))
    else:
        renamed._set_trees(grown.with_schema(schema), renamed.draws_)
    for name, known in vars(model).items():  # such as the proof of an optimal tree
        vars(renamed).setdefault(name, known)
    return renamed


def _named_as_by_sklearn(model: Any, names: list[str]) -> Any:
    """Give a model of scikit-learn that knows the names of its features."""
    if hasattr(model, "feature_names_in_") or getattr(model, "n_features_in_", None) != len(names):
        return model
    named = copy.copy(model)
    named.feature_names_in_ = np.array(names, dtype=object)
    return named
