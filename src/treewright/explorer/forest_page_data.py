"""Data of the page of a forest: its trees, votes, error curve and importances, as JSON.

The page holds as many trees as fit, in the order in which they were grown; what the whole forest says of the
rows, how its error falls and which features matter is counted over all of them.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.draw.visible_tree import infinities, read_rows
from treewright.explorer.mean_shap import movement
from treewright.explorer.page_data import (
    Exploration,
    Json,
    frame_content,
    rounded,
    small_enough,
    target_name,
    tree_content,
)
from treewright.explorer.page_table import sampled
from treewright.growing.grow_tree import threads
from treewright.tree.model import ForestModel

MOST_NODES = 6000
"""So many nodes of trees go into the page, or one tree."""

MOST_SHUFFLED = 50_000_000
"""So many rows, by trees and features, are predicted again with a feature shuffled."""


def is_forest(model: Any) -> bool:
    """Whether a model has many trees that vote."""
    return isinstance(model, ForestModel)


@dataclass(frozen=True, eq=False)
class ForestExploration:
    """A forest with the rows to explore it with.

    Attributes
    ----------
    model : fitted forest
    table : pair of a table and a target, or None
        The rows of the fit as they were given.
    training, validation : Dataset or None
        The rows of the fit, and others. Rows that a tree has not drawn judge it if there are no others.
    """

    model: Any
    table: tuple[Any, Any] | None
    training: Dataset | None
    validation: Dataset | None

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, validation: tuple[Any, Any] | None) -> ForestExploration:
        """Read the rows for a forest."""
        first = model._fitted_trees()[0]
        table = None if X is None and y is None else (X, y)
        inf = infinities(model)
        rows = None if table is None else read_rows(first, *table, inf)
        return cls(model, table, rows, None if validation is None else read_rows(first, *validation, inf))

    @property
    def is_drawn(self) -> bool:
        """Whether it is known which of the rows each tree has drawn."""
        draws, rows = self.model.draws_, self.training
        return rows is not None and draws.n_draws > 0 and len(rows) == draws.n_rows

    def view(self, at: int) -> Exploration:
        """Give one of the trees with its rows; a tree too large for a page is pruned."""
        tree, rows = small_enough(self.model._fitted_trees()[at]), self.training
        if self.validation is not None or rows is None or not self.is_drawn:
            return Exploration(tree, rows, self.validation)
        left_out = self.model.draws_.out_of_bag(at)
        return Exploration(tree, rows, rows.take(left_out) if left_out.any() else None)

    def content(self, max_rows: int, title: str | None) -> Json:
        """Describe the forest and its rows for the page, see `treewright.explore`."""
        model, trees = self.model, self.model._fitted_trees()
        views = [self.view(at) for at in range(_how_many_fit(trees))]
        shown = replace(views[0], validation=self.validation)
        size = f"{len(trees)} trees" if title is None else title
        content = frame_content(shown, max_rows, size) | tree_content(views[0], None)
        content["target"] = target_name(model)
        content.pop("programs")  # of one of many trees they would be no answer
        if self.validation is None and self.is_drawn:
            content["held_name"] = "rows out of bag"
        shuffled = self.table if self.is_drawn and _can_wait(model) else None
        content["forest"] = {
            "trees": [tree_content(view, None) for view in views[1:]],
            "leaves": [int(tree.n_leaves) for tree in trees],
            "importance": _importance(model, *(shuffled or ())),
            "moved": movement(trees, shown.judges, hard=model._hard),
            "asked_first": _asked_first(trees),
            "curve": _curve(model._error_curve(self.training)) if self.is_drawn else None,
            "said": _said(model, shown, max_rows, hard=model._hard),
            "voted": _said(model, shown, max_rows, hard=True) if shown.tree.is_classifier else None,
            "hard": bool(model._hard),
        }
        return content


def _how_many_fit(trees: Any) -> int:
    """Count the trees until the page is full."""
    return max(1, int(np.count_nonzero(np.asarray(trees.node_begin[1:]) <= MOST_NODES)))


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


def _said(model: Any, shown: Exploration, max_rows: int, *, hard: bool) -> list[float | None] | None:
    """Give what all trees together say of each row of the page, its shares or its number, row by row.

    With `hard` it is the share of the trees that vote for each class.
    """
    parts = sampled(shown, max_rows)
    if not parts:
        return None
    means: list[NDArray[np.float64]] = []
    trees = model._fitted_trees()
    for part, chosen in parts:
        rows = part.take(chosen)
        sums, _ = trees.vote(rows.numbers, rows.codes, hard=hard, threads=threads(model.n_jobs))
        means.append(sums / len(trees))
    return [None if number is None else round(number, 6) for number in rounded(np.concatenate(means).ravel())]
