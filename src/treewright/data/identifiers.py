"""Columns of whole numbers that only number the rows, as identifiers do, and what cuts of them pay."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.data.dataset import Dataset
from treewright.data.folds import same_rows
from treewright.data.sparse_dataset import SparseDataset

FEWEST_ROWS = 20
"""In fewer rows any numbers may all differ."""
PRICED_ROWS = 2000
"""In more rows the best of all cuts gains little by chance."""
IDENTIFIER_PRICE = 5.0
"""What a cut of an identifier must gain, in gains of a cut of another feature."""


def number_the_rows(values: NDArray[np.generic]) -> bool:
    """Whether the known values of a column are whole numbers, each of one row, few left out between them.

    Examples
    --------
    >>> number_the_rows(np.arange(100, 130)), number_the_rows(np.arange(30) % 29)
    (True, False)
    """
    n_rows = len(values)
    if n_rows < FEWEST_ROWS or values.dtype.kind not in "iuf":
        return False
    if float(values.max()) - float(values.min()) >= 2 * n_rows or np.any(np.asarray(values, float) % 1):
        return False
    return len(np.unique(values)) == n_rows


def identifier_prices(dataset: Dataset) -> tuple[float, ...] | None:
    """Give the price of each feature: more for one that numbers the rows; None if none does.

    Such a feature has a cut between any two rows, and the best of them gains by chance. Rows that are the
    same count as one, as a weight would in their place.

    Examples
    --------
    >>> table = [[number, number % 3] for number in range(30)]
    >>> identifier_prices(Dataset.from_table(table, [0, 1] * 15, task="classification"))
    (5.0, 1.0)
    """
    if len(dataset) > PRICED_ROWS or isinstance(dataset, SparseDataset):
        return None
    rows = dataset.take(same_rows(dataset)[0])
    prices = [1.0] * len(dataset.schema.columns)
    for feature, column in enumerate(dataset.schema.columns):
        if column.kind == "numeric" and column.unit is None and not column.boolean:
            values = rows.numbers[:, dataset.schema.position[feature]]
            if number_the_rows(values[~np.isnan(values)]):
                prices[feature] = IDENTIFIER_PRICE
    return tuple(prices) if max(prices, default=1.0) > 1 else None
