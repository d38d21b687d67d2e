"""Methods that trees and forests share: `explain`, `shap_values` and `to_html`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.data.schema import Infinities, Schema
from treewright.explain import Explanation, explain_row, read_row
from treewright.explain.shapley import interaction_values, shapley_values
from treewright.growing.grow_tree import threads
from treewright.growing.parameter_conversion import missing_policies
from treewright.tree import Tree
from treewright.tree.model import TreeModel


class Answering(Protocol):
    """What `explain` asks of a model."""

    _time_limit: ClassVar[float | None]  # seconds for a counterfactual, if nothing else is asked for

    def _choice(self, name: str) -> Any:
        """Give the parameter "unseen" or "inf", or what stands for it."""

    @property
    def _missing_policy(self) -> str:
        """Whether a row may miss values: "error" if not."""

    def _answering(self) -> tuple[Sequence[Tree], Sequence[NDArray[np.float64]]]:
        """Give the trees whose answers are averaged, and what every node of each says."""


def explain(
    self: Answering,
    row: Any,
    *,
    wanted: Any = None,
    fixed: Collection[Any] = (),
    directions: Mapping[Any, str] | None = None,
    scales: Mapping[Any, float] | Any = None,
    confidence: float = 0.95,
    time_limit: float | None = None,
) -> Explanation:
    """Say why the model predicts what it does for one row, and what would have to change.

    Parameters
    ----------
    row : dict, Series, frame of one row, list or array
        The row; None or NaN is a missing value.
    wanted : class label, number, pair of numbers, "higher", "lower" or None
        The answer to look for in the nearest change. A classifier looks for any other class by default;
        a regressor for a number to be reached or passed, a value between two (None is no bound), or a
        higher or lower one, and by default for nothing.
    fixed : collection of features, by name or position
        They do not change.
    directions : dict of feature to "up" or "down"
        Numbers and ordered categories that change one way only.
    scales : dict of feature to float, table or None
        The change of a number that counts as one, or rows of which the standard deviations are taken. By
        default it is the span of the tree's cuts of it, which is known without any rows.
    confidence : float
        That of the intervals of the class probabilities.
    time_limit : float or None
        Seconds after which the search for the nearest change is stopped; None lets it end for a tree.

    Returns
    -------
    Explanation
        Its `str` is the answer in words: the path through the tree, what missing and unseen values did,
        the class probabilities with intervals, what each feature contributed, and the nearest change that has
        another answer: of the fewest features, then the smallest.

    Examples
    --------
    >>> from treewright import ID3Classifier, datasets
    >>> model = ID3Classifier().fit(*datasets.load_tennis())
    >>> day = {"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Strong"}
    >>> print(model.explain(day))
    Predicted: No (100 %)
    <BLANKLINE>
    The path through the tree
      branch          value   training
      Outlook = Rain  Rain      5 rows  60 % Yes
      Wind = Strong   Strong    2 rows  100 % No
    <BLANKLINE>
    Classes
      class  probability  95 % confidence interval
      No           100 %               34 to 100 %
      Yes            0 %                 0 to 66 %
    <BLANKLINE>
    What moved the probability of No from 36 %, that of all rows, to 100 %
      feature  moved by  value
      Wind      +60.0 %  Strong
      Outlook    +4.3 %  Rain
    <BLANKLINE>
    Counterfactual: the nearest change to an answer other than No
      feature  from    to
      Outlook  Rain →  Overcast
      then the prediction is Yes
    """
    trees, values = self._answering()
    schema, missing = trees[0].schema, getattr(self, "missing", None)
    read = read_row(
        row,
        schema,
        unseen=self._choice("unseen"),
        missing=self._missing_policy,
        inf=self._choice("inf"),
        estimator=type(self).__name__,
    )
    policies = None if missing is None else missing_policies(missing, schema)
    if isinstance(policies, str):
        policies = (policies,) * len(schema.columns)
    return explain_row(
        trees,
        read,
        values,
        wanted=wanted,
        policies=policies,
        confidence=confidence,
        are_means=getattr(self, "criterion", "squared_error") == "squared_error"
        and getattr(self, "leaves", "constant") == "constant",
        fixed=fixed,
        directions=directions,
        scales=_scales(scales, schema, self._choice("inf")),
        time_limit=self._time_limit if time_limit is None else time_limit,
    )


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
    encoded = self._encode(X, trees[0]) if isinstance(self, TreeModel) else self._encode(X)
    rows = Dataset(trees[0].schema, *encoded)
    share = interaction_values if interactions else shapley_values
    n_threads = threads(self.n_jobs)
    values = sum(share(tree, rows, value, n_threads) for tree, value in zip(trees, said, strict=True))
    values = np.asarray(values) / len(trees)
    if not trees[0].is_classifier:
        values = values[..., 0]
    if not as_explanation:
        return values
    from shap import Explanation as Explained

    answer = self.predict_proba(X) if trees[0].is_classifier else self.predict(X)
    shown = np.empty((len(values), values.shape[1]), dtype=object)
    for feature, column in enumerate(trees[0].schema.columns):
        at = trees[0].schema.position[feature]
        stored = rows.numbers[:, at] if column.kind != "categorical" else rows.codes[:, at]
        is_code = column.kind != "numeric"
        shown[:, feature] = [
            column.text(int(x)) if is_code and x >= 0 else None if is_code else float(x) + column.offset
            for x in stored.tolist()
        ]
    return Explained(
        values=values,
        base_values=answer - values.sum(axis=1),
        data=shown,
        feature_names=list(trees[0].schema.names),
    )


def to_html(
    self: Any,
    path: str | PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    validation: tuple[Any, Any] | None = None,
    cv: int | None = 10,
    max_rows: int = 1000,
    title: str | None = None,
) -> None:
    """Write one HTML file: a report of the model above, and below it the explorer; without a network.

    The report has figures on all rows that judge it, with confidence intervals, the whole tree, curves,
    feature importance, partial dependence and SHAP values; all figures also stand there as JSON, in the
    script `treewright-report`.

    Parameters
    ----------
    path : str or path
        Where to write; the name ends in `.html` or `.htm`.
    X, y : table and target, optional
        The rows of the fit.
    validation : pair of a table and a target, optional
        Rows that judge it. Without them it is cross-validated, a forest judged by the rows that each tree has
        not drawn.
    cv : int or None, default=10
        In how many folds; None judges it by the rows of the fit.
    max_rows, title
        As for `treewright.explore`.
    """
    from treewright.explorer.report_page import report_page

    report_page(self, X, y, validation=validation, cv=cv, max_rows=max_rows, title=title).save(path)


def _scales(scales: Any, schema: Schema, inf: Infinities) -> Mapping[Any, float] | None:
    """Give scales as they are, or those of the rows of a table."""
    if scales is None or isinstance(scales, Mapping):
        return scales
    spread = np.nanstd(schema.encode(scales, inf=inf)[0], axis=0)
    numeric = [feature for feature, column in enumerate(schema.columns) if column.kind == "numeric"]
    by_feature = {feature: float(spread[schema.position[feature]]) for feature in numeric}
    return {feature: scale for feature, scale in by_feature.items() if scale > 0}
