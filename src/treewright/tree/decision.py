"""Decision: the predicted class from class weights and costs, the same for trees, forests and rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arithmetic import matmul

Array = NDArray[np.float64]

SAME_WEIGHT = 1e-11
"""Weights of classes that differ by less, as a share of them, are equal; so are costs."""


def searched_weights(value: Array, costs: Array | None) -> Array:
    """Give class weights of nodes, the root first, as the search for splits weighs them.

    Under costs a class counts by what mistakes on it cost (altered priors, Breiman et al., 1984, §4.4), and
    the root keeps its weight.
    """
    if costs is None:
        return value
    altered = value * costs.sum(axis=1)
    total = float(altered[0].sum())
    return altered * (float(value[0].sum()) / total) if total > 0 else value


def loss_name(tree: Any, errors: str = "error") -> str:
    """Name what a tree loses on rows: its errors, called so, or their cost, or the loss of a regression."""
    if tree.schema.classes is None:
        return "loss"
    return errors if tree.costs is None else "cost"


def decide(
    weight: NDArray[np.float64], costs: NDArray[np.float64] | None = None, *, exact: bool = False
) -> NDArray[np.intp]:
    """Give the class that weights lead to: the heaviest or, with costs, the cheapest; the first of equals.

    Shares of rows add up to whole rows but for rounding, so what differs by no more is equal.

    Parameters
    ----------
    weight : float array of shape (..., n_classes)
        The weight or probability of each class, none negative.
    costs : float array of shape (n_classes, n_classes) or None
        What it costs to predict a class (column) for a row of another (row); None = 1 for every mistake.
    exact : bool
        Whether costs are compared to the last bit, as rpart does.

    Returns
    -------
    int array of shape (...)
        Class codes.

    Examples
    --------
    >>> import numpy as np
    >>> decide(np.array([[0.3, 0.1 + 0.2], [1.0, 2.0]])).tolist()
    [0, 1]
    >>> int(decide(np.array([1.0, 2.0]), np.array([[0.0, 3.0], [1.0, 0.0]])))
    0
    """
    if costs is None:
        rows = weight.reshape(-1, weight.shape[-1])
        first = np.arange(0, rows.size, rows.shape[1])
        heaviest = rows.ravel().take(first + rows.argmax(axis=1))  # `max` of short rows is far slower
        is_best = rows >= heaviest[:, None] * (1 - SAME_WEIGHT)
        return np.asarray(is_best.argmax(axis=1).reshape(weight.shape[:-1]))
    cost = matmul(weight, costs)
    cheapest = cost.min(axis=-1, keepdims=True)
    return np.asarray((cost <= (cheapest if exact else cheapest * (1 + SAME_WEIGHT))).argmax(axis=-1))


def costs_of(label: NDArray[np.integer[Any]], weight: Array, costs: Array | None = None) -> Array:
    """Give what nodes that predict a class cost on rows of so much weight of each class.

    Examples
    --------
    >>> import numpy as np
    >>> costs_of(np.array([0, 1]), np.array([[3.0, 1.0], [3.0, 1.0]])).tolist()
    [1.0, 3.0]
    """
    if costs is not None:
        return np.asarray((weight * costs.T[label]).sum(axis=1))
    wrong = weight.copy()
    np.put_along_axis(wrong, label[:, None], 0.0, axis=1)
    return np.asarray(wrong.sum(axis=1))
