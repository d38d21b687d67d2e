"""Explanations of what a model says of a row, whatever kind of model of trees it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema import Infinities, Schema
from treewright.explain.explanation import Explanation, Explanations, explain_row
from treewright.explain.row import read_row
from treewright.tree import Tree


class Answering(Protocol):
    """What `explain` asks of a model."""

    _time_limit: ClassVar[float | None]  # seconds for a counterfactual, if nothing else is asked for

    def _choice(self, name: str) -> Any:
        """Give the parameter "unseen" or "inf", or what stands for it."""

    @property
    def _missing_policy(self) -> str:
        """Whether a row may miss values: "error" if not."""

    def _policies(self, schema: Schema) -> tuple[str, ...] | None:
        """Give the policy for missing values of each feature, if the model has any."""

    def _answering(self) -> tuple[Sequence[Tree], Sequence[NDArray[np.float64]]]:
        """Give the trees whose answers are averaged, and what every node of each says."""


def explain(
    self: Answering,
    row: Any,
    *,
    target: str | int | None = None,
    wanted: Any = None,
    fixed: Collection[Any] = (),
    directions: Mapping[Any, str] | None = None,
    scales: Mapping[Any, float] | Any = None,
    confidence: float = 0.95,
    time_limit: float | None = None,
) -> Any:
    """Say why the model predicts what it does for one row, and what would have to change.

    Parameters
    ----------
    row : dict, Series, frame of one row, list or array
        The row; None or NaN is a missing value.
    target : str, int or None
        Which of several targets to explain, by name or place; all of them by default.
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
    Explanation, or of several targets a mapping of their names to such
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
    schema = trees[0].schema
    chosen: dict[str, Any] = {
        "fixed": fixed,
        "directions": directions,
        "scales": _scales(scales, schema, self._choice("inf")),
        "confidence": confidence,
        "time_limit": self._time_limit if time_limit is None else time_limit,
    }
    if not schema.outputs:
        if target is not None:
            raise ValueError(f"target={target!r} chooses among several targets, and this model has one.")
        means = getattr(self, "criterion", "squared_error") == "squared_error"
        means = means and getattr(self, "leaves", "constant") == "constant"
        return _explain(self, row, trees, values, wanted=wanted, are_means=means, **chosen)
    if target is None and wanted is not None:
        raise ValueError(f"wanted={wanted!r} is an answer for one target: choose it as target=... .")
    names = [output.name for output in schema.outputs]
    places = range(len(names)) if target is None else [schema.output(target)]
    each = {
        names[place]: _explain(self, row, *_of_target(trees, values, place), wanted=wanted, **chosen)
        for place in places
    }
    return Explanations(each) if target is None else each[names[places[0]]]


def _of_target(trees: Any, values: Any, place: int) -> tuple[list[Any], list[Any]]:
    """Give trees of several targets for one of them, and what their nodes say of it."""
    own = [tree.for_target(place) for tree in trees]
    width = max(trees[0].schema.n_classes, 1)
    columns = slice(place * width, place * width + own[0].node_value.shape[1])
    return own, [np.ascontiguousarray(value[:, columns]) for value in values]


def _explain(self: Any, row: Any, trees: Any, values: Any, **choices: Any) -> Explanation:
    """Explain what trees of one target say of a row."""
    schema = trees[0].schema
    read = read_row(
        row,
        schema,
        unseen=self._choice("unseen"),
        missing=self._missing_policy,
        inf=self._choice("inf"),
        estimator=type(self).__name__,
    )
    hard = getattr(self, "vote", "soft") == "hard"
    return explain_row(trees, read, values, policies=self._policies(schema), hard=hard, **choices)


def _scales(scales: Any, schema: Schema, inf: Infinities) -> Mapping[Any, float] | None:
    """Give scales as they are, or those of the rows of a table."""
    if scales is None or isinstance(scales, Mapping):
        return scales
    spread = np.nanstd(schema.encode(scales, inf=inf)[0], axis=0)
    numeric = [feature for feature, column in enumerate(schema.columns) if column.kind == "numeric"]
    by_feature = {feature: float(spread[schema.position[feature]]) for feature in numeric}
    return {feature: scale for feature, scale in by_feature.items() if scale > 0}
