"""Partial dependence (Friedman, 2001) and individual conditional expectation (Goldstein et al., 2015).

A feature is set to each value of a grid in every row, and the model asked again: the lines of single rows are
their conditional expectation, the mean of the lines is the partial dependence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset

Array = NDArray[np.float64]
Says = Callable[[Dataset], Array]
"""Gives what a model says of rows: class probabilities, or a number, a row of each."""

MOST_VALUES = 40
MOST_ROWS = 300
MOST_LINES = 40


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """How what a model says depends on one feature.

    Attributes
    ----------
    feature : int
    grid : float array of n
        The values that the feature was set to, as they are stored: numbers, or codes of categories.
    mean : float array of n × classes
        What the model says on average; of numbers there is one column.
    each : float array of rows × n × classes
        What it says of single rows, of which there are few.
    """

    feature: int
    grid: Array
    mean: Array
    each: Array


def partial_dependence(rows: Dataset, feature: int, says: Says) -> PartialDependence:
    """Ask a model about rows with one feature set to each of some of its values.

    Parameters
    ----------
    rows : Dataset
        Of more than a few hundred rows some are taken, evenly over all.
    feature : int
        The number of the feature.
    says : callable
        The model.
    """
    few = rows.take(np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(np.int64)))
    grid = _grid(rows, feature)
    said = [says(_with(few, feature, value)) for value in grid.tolist()]
    lines = np.stack(said, axis=1) if said else says(few)[:, None][:, :0]  # of no value that is known
    shown = np.unique(np.linspace(0, len(few) - 1, min(len(few), MOST_LINES)).astype(np.int64))
    return PartialDependence(feature, grid, lines.mean(axis=0), lines[shown])


def _column(rows: Dataset, feature: int) -> tuple[str, int]:
    is_code = rows.schema.columns[feature].kind == "categorical"
    return ("codes" if is_code else "numbers"), int(rows.schema.position[feature])


def _grid(rows: Dataset, feature: int) -> Array:
    """Give the values of a feature, of many those at even shares of the rows, and of its values."""
    name, at = _column(rows, feature)
    column: NDArray[Any] = getattr(rows, name)[:, at]
    known = column[column >= 0] if name == "codes" else column[~np.isnan(column)]
    values = np.unique(known).astype(np.float64)
    if len(values) <= MOST_VALUES:
        return values
    if name == "codes":
        often = np.argsort(-np.bincount(known), kind="stable")[:MOST_VALUES]
        return np.sort(often).astype(np.float64)
    even = np.unique(np.quantile(known, np.linspace(0.01, 0.99, MOST_VALUES), method="nearest"))
    # Where many rows share a value, the places that they take are spread over the others.
    between = values[(values >= even[0]) & (values <= even[-1])]
    spread = np.quantile(between, np.linspace(0, 1, MOST_VALUES - len(even) + 2)[1:-1], method="nearest")
    return np.union1d(even, spread)


def _with(rows: Dataset, feature: int, value: float) -> Dataset:
    name, at = _column(rows, feature)
    array = getattr(rows, name).copy(order="F")
    array[:, at] = value
    return replace(rows, **{name: array})
