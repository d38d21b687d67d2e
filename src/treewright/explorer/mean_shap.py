"""Mean absolute Shapley values (SHAP) of a forest, on as many rows as time allows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.explain.shapley import Steps, mean_movement, shapley_values
from treewright.explorer.page_table import drawn
from treewright.tree import Tree

Array = NDArray[np.float64]

MOST_WORK = 12_000_000
"""So many numbers are worked out: about a second."""

MOST_ROWS = 1000
LEAST_ROWS = 50
"""Of a forest rather fewer trees than fewer rows."""


def movement(
    trees: Iterable[Tree], rows: Dataset | None, *, hard: bool = False, work: int = MOST_WORK
) -> dict[str, Any] | None:
    """Give the mean movement by each feature, and on how many rows and by how many trees it was found.

    Parameters
    ----------
    trees : iterable of Tree
        Those whose answers are averaged.
    rows : Dataset or None
        Rows to predict; without them there is no movement.
    hard : bool
        Whether a tree gives its whole vote to one class.
    work : int
        How many numbers may be worked out.
    """
    if rows is None or not len(rows):
        return None
    taken: list[tuple[Tree, Array]] = []
    each = 0
    for tree in trees:
        said = _node_values(tree, hard)
        size = Steps.of(tree, said).size
        if taken and (each + size) * min(len(rows), LEAST_ROWS) > work:
            break
        taken.append((tree, said))
        each += size
    some = rows.take(drawn(len(rows), min(MOST_ROWS, max(1, work // each))))
    total = sum(shapley_values(tree, some, said) for tree, said in taken)
    mean = mean_movement(np.asarray(total) / len(taken))
    return {
        "mean": [float(f"{moved:.4g}") for moved in mean.tolist()],
        "rows": len(some),
        "trees": len(taken),
    }


def _node_values(tree: Tree, hard: bool) -> Array:
    return (
        np.eye(tree.node_value.shape[1])[tree.label]
        if hard and tree.is_classifier
        else tree.class_probabilities
    )
