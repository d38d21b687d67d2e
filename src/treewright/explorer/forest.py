"""Forest: the page of many trees, one of them shown at a time, and what they say together.

The page holds as many trees as fit, in the order in which they were grown; what the whole forest says of the
rows, how its error falls and which features matter is counted over all of them.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.draw.shown import read_rows
from treewright.explorer.content import Exploration, Json, frame_content, rounded, tree_content
from treewright.explorer.movement import movement
from treewright.explorer.table import sampled
from treewright.grow import threads
from treewright.tree import Tree

MOST_NODES = 6000
"""So many nodes of trees go into the page, or one tree."""

MOST_SHUFFLED = 50_000_000
"""So many rows, by trees and features, are predicted again with a feature shuffled."""


def is_forest(model: Any) -> bool:
    """Whether a model has many trees that vote."""
    return hasattr(model, "_fitted_trees")


def forest_content(
    model: Any, X: Any, y: Any, validation: tuple[Any, Any] | None, *, max_rows: int, title: str | None
) -> Json:
    """Describe a forest and its rows for the page.

    Parameters
    ----------
    model : fitted forest
    X, y : table and target, or None
        The rows of the fit; rows that a tree did not draw judge it if there are no others.
    validation : pair of a table and a target, or None
    max_rows, title
        As for `treewright.explore`.
    """
    trees = model._fitted_trees()
    first = trees[0]
    rows = None if X is None and y is None else read_rows(first, X, y)
    held = None if validation is None else read_rows(first, *validation)
    is_drawn = rows is not None and model.draws_.n_draws > 0 and len(rows) == model.draws_.n_rows
    views = [
        Exploration(tree, rows, _left_out(rows, model, at) if held is None and is_drawn else held)
        for at, tree in enumerate(_that_fit(trees))
    ]
    shown = replace(views[0], validation=held)
    size = f"{len(trees)} trees" if title is None else title
    content = frame_content(shown, max_rows, size) | tree_content(views[0], None)
    if held is None and is_drawn:
        content["held_name"] = "rows out of bag"
    content["forest"] = {
        "trees": [tree_content(view, None) for view in views[1:]],
        "leaves": [int(tree.n_leaves) for tree in trees],
        "importance": _importance(model, *((X, y) if is_drawn and _can_wait(model) else ())),
        "moved": movement(trees, shown.judges, hard=model._hard),
        "asked_first": _asked_first(trees),
        "curve": _curve(model._error_curve(rows)) if is_drawn else None,
        "said": _said(model, shown, max_rows),
        "hard": bool(model._hard),
    }
    return content


def _that_fit(trees: Any) -> list[Tree]:
    """Take trees until the page is full."""
    ends = np.asarray(trees.node_begin[1:])
    return list(trees[: max(1, int(np.count_nonzero(ends <= MOST_NODES)))])


def _left_out(rows: Dataset | None, model: Any, at: int) -> Dataset | None:
    """Give the rows that a tree has not drawn; none if it has drawn them all."""
    assert rows is not None
    left_out = model.draws_.out_of_bag(at)
    return rows.take(left_out) if left_out.any() else None


def _can_wait(model: Any) -> bool:
    """Whether shuffling every feature for every tree is a matter of seconds."""
    draws, trees = model.draws_, model._fitted_trees()
    return bool(draws.n_rows * len(trees) * len(trees.schema.columns) <= MOST_SHUFFLED)


def _importance(model: Any, X: Any = None, y: Any = None) -> Json:
    """Give the importances of the features, means over all trees and spreads between them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the page has the honest measures beside the one that favours
        found = model.importances(X, y)
    measures = {"impurity": found.impurity, "shuffled": found.permutation}
    spreads = {"impurity": "impurity", "shuffled": "permutation"}
    return {
        name: {"mean": rounded(mean), "spread": rounded(found.spreads[spreads[name]])}
        for name, mean in measures.items()
        if mean is not None
    }


def _asked_first(trees: Any) -> list[int]:
    """Count for each feature the trees whose first question it is."""
    features = [int(tree.splits.feature[0]) for tree in trees if not tree.is_leaf(0)]
    asked = np.array([feature for feature in features if feature >= 0], np.int64)
    counts: list[int] = np.bincount(asked, minlength=len(trees.schema.columns)).tolist()
    return counts


def _curve(curve: Any) -> Json:
    return {"error": rounded(curve.error), "measure": curve.measure}


def _said(model: Any, shown: Exploration, max_rows: int) -> list[float | None] | None:
    """Give what all trees together say of each row of the page, its shares or its number, row by row."""
    parts = sampled(shown, max_rows)
    if not parts:
        return None
    means: list[NDArray[np.float64]] = []
    trees = model._fitted_trees()
    for part, chosen in parts:
        rows = part.take(chosen)
        sums, _ = trees.vote(rows.numbers, rows.codes, hard=model._hard, threads=threads(model.n_jobs))
        means.append(sums / len(trees))
    return [None if number is None else round(number, 6) for number in rounded(np.concatenate(means).ravel())]
