"""Training rows of the presets: rows with a target and a value, and the values they may hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from treewright.data import Dataset
from treewright.data.target import labelled
from treewright.errors import DataError

Mask = NDArray[np.bool_]

MOST_CATEGORIES = 32
"""Categories of which every grouping may be tried: 2³¹, a minute for each node of seven classes."""


def fill_target(y: Any) -> tuple[Any, Mask | None]:
    """Give rows without a target that of another row, so that they can be read, and tell which rows have one.

    Returns
    -------
    y
        The target without gaps.
    has_target : mask or None
        None if every row has one.

    Examples
    --------
    >>> fill_target(["a", None, "b"])
    (['a', 'a', 'b'], array([ True, False,  True]))
    """
    has_target = labelled(y)
    if has_target.all():
        return y, None
    if not has_target.any():
        raise DataError(f"y has no value in any of its {len(has_target)} rows.")
    rows = np.where(has_target, np.arange(len(has_target)), int(has_target.argmax()))
    filled = _safe_indexing(y, rows)
    if hasattr(filled, "set_axis"):  # a pandas column, whose index must stay that of the table
        filled = filled.set_axis(y.index)
    return filled, has_target


def has_values(dataset: Dataset) -> Mask:
    """Tell which rows have a value in some feature."""
    return np.asarray(~np.isnan(dataset.numbers).all(axis=1) | (dataset.codes >= 0).any(axis=1))


def refuse_too_many_groupings(dataset: Dataset) -> None:
    """Refuse features whose groupings nobody could wait for: rpart tries all, if there are three classes."""
    schema = dataset.schema
    for column, position in zip(schema.columns, schema.position.tolist(), strict=True):
        if column.kind != "categorical":
            continue
        codes = dataset.codes[:, position]
        n_seen = len(np.unique(codes[codes >= 0]))
        if n_seen > MOST_CATEGORIES:
            raise DataError(
                f"column {column.name!r} has {n_seen} categories, of which rpart tries every grouping where "
                f"there are three classes: with compat='rpart' at most {MOST_CATEGORIES} can be. Merge some, "
                "or use compat=None."
            )
