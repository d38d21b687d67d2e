"""`shap_values` of trees and forests: exact Shapley values, as arrays or as the package shap draws them."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data import Dataset
from treewright.data.schema import Schema
from treewright.explain.shapley import interaction_values, shapley_values
from treewright.growing.grow_tree import threads
from treewright.tree.model import TreeModel


def shap_values(self: Any, X: Any, *, interactions: bool = False, as_explanation: bool = False) -> Any:
    """Share the prediction of each row among the features: exact Shapley values (SHAP).

    The values of a row add up to what the model says of it less what it says on average of the training
    rows. Where a feature is not known, a split on it sends the row down every branch by their weights.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
        The rows.
    interactions : bool
        Share the values further among pairs of features: the diagonal has what a feature adds alone, the
        others half of what two add by meeting. The sum over the second feature is the value of the first.
    as_explanation : bool
        Give an `Explanation` of the package shap, which `shap.plots` draws.

    Returns
    -------
    ndarray of shape (n_rows, n_features) or (n_rows, n_features, n_classes)
        Of the number, or of the probability of each class; with `interactions` of shape (n_rows, n_features,
        n_features) or (n_rows, n_features, n_features, n_classes).

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor
    >>> X, y = [[1, 0], [1, 1], [2, 0], [2, 1]], [0.0, 0.0, 6.0, 10.0]
    >>> DecisionTreeRegressor().fit(X, y).shap_values([[2, 1]]).tolist()
    [[4.5, 1.5]]
    >>> DecisionTreeRegressor().fit(X, y).shap_values([[2, 1]], interactions=True).tolist()
    [[[4.0, 0.5], [0.5, 1.0]]]
    """
    if interactions and as_explanation:
        raise ValueError(
            "as_explanation=True goes without interactions=True: shap draws interactions as arrays."
        )
    trees, said = self._answering()
    if as_explanation:
        trees[0].schema.require_one_target("as_explanation=True explains")
    encoded = self._encode(X, trees[0]) if isinstance(self, TreeModel) else self._encode(X)
    rows = Dataset(trees[0].schema, *encoded)
    share = interaction_values if interactions else shapley_values
    n_threads = threads(self.n_jobs)
    by_tree = (share(tree, rows, value, n_threads) for tree, value in zip(trees, said, strict=True))
    values = next(by_tree)
    for more in by_tree:
        values += more
    values /= len(trees)
    if trees[0].schema.outputs:
        return _shap_by_target(trees[0].schema, values)
    if not trees[0].is_classifier:
        values = values[..., 0]
    if not as_explanation:
        return values
    from shap import Explanation as Explained

    answer = self.predict_proba(X) if trees[0].is_classifier else self.predict(X)
    return Explained(
        values=values,
        base_values=answer - values.sum(axis=1),
        data=_shown(rows),
        feature_names=list(trees[0].schema.names),
    )


def _shown(rows: Dataset) -> Any:
    """Give the values of rows as plots show them: numbers as they were given, the text of categories."""
    columns = rows.schema.columns
    shown = np.empty((len(rows), len(columns)), dtype=object)
    for feature, column in enumerate(columns):
        is_code = column.kind != "numeric"
        shown[:, feature] = [
            column.text(int(x)) if is_code and x >= 0 else None if is_code else float(x) + column.offset
            for x in rows.values(feature).tolist()
        ]
    of_numbers = all(column.kind == "numeric" for column in columns)
    return shown.astype(float) if of_numbers else shown  # some plots take nothing else


def _shap_by_target(schema: Schema, values: Any) -> Any:
    """Give Shapley values of several targets: of numbers a last axis for them, of classes a list."""
    if schema.classes is None:
        return values
    width = schema.n_classes
    return [
        np.ascontiguousarray(values[..., place * width : place * width + len(np.asarray(output.classes))])
        for place, output in enumerate(schema.outputs)
    ]
