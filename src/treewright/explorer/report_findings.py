"""What a report has found out about a model: importances, partial dependence and Shapley values."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.data.frames import read
from treewright.data.target import target_rows
from treewright.draw.evaluation_plots import asked, shap_of, strongest
from treewright.draw.node_plots import axis_text
from treewright.draw.visible_tree import infinities, read_table
from treewright.explain.partial_dependence import PartialDependence, partial_dependence
from treewright.explain.shapley import mean_movement
from treewright.explorer.forest_page_data import is_forest
from treewright.explorer.report_parts import few_of
from treewright.formatting.text import printable
from treewright.tree import Tree

MOST_JUDGED = 5000
"""Rows that features are shuffled among."""
MOST_MOVED = 250
"""Rows whose Shapley values are shown."""
MOST_FEATURES = 12
MOST_CURVES = 3

Array = NDArray[np.float64]


class Moved(NamedTuple):
    """Shapley values of some rows (row × feature × class), their mean size, the features that moved most."""

    rows: Dataset
    values: Array
    mean: Array
    order: list[int]


@dataclass(frozen=True, eq=False)
class Findings:
    """A model, and rows to ask it about.

    Attributes
    ----------
    model : fitted estimator
    X, y : table and target, or None
    has_tree : bool
        Whether it is a tree or a forest: of rules nothing is found out.
    """

    model: Any
    X: Any = None
    y: Any = None
    has_tree: bool = True

    @cached_property
    def trees(self) -> list[Tree]:
        """The trees; none of a model of rules."""
        return asked(self.model)[0] if self.has_tree else []

    @cached_property
    def rows(self) -> Dataset | None:
        """The rows as the tree has them, few of many."""
        if self.X is None or not self.trees:
            return None
        table = read(self.X)
        rows = table.take(few_of(table.n_rows, MOST_JUDGED))
        return read_table(self.trees[0], rows, infinities(self.model))

    @cached_property
    def importances(self) -> list[tuple[str, float, float | None, float | None]]:
        """Name, share in the decrease of impurity, loss when shuffled and its spread, the largest first."""
        if not self.trees:
            return []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            drawn = not is_forest(self.model) or self.model.draws_.n_draws > 0
            if self.X is None or self.y is None or not drawn:
                found = self.model.importances()
            else:
                table = read(self.X)
                rows = few_of(table.n_rows, MOST_JUDGED)
                whole = is_forest(self.model) or len(rows) == table.n_rows
                given = (self.X, self.y) if whole else (table.take(rows), target_rows(self.y, rows))
                found = self.model.importances(*given)
        moved, spread = found.permutation, found.spreads.get("permutation")
        rows_of = [
            (
                printable(name),
                float(found.impurity[at]),
                None if moved is None else float(moved[at]),
                None if spread is None else float(spread[at]),
            )
            for at, name in enumerate(found.names)
        ]
        return sorted(rows_of, key=lambda row: -row[1])

    @cached_property
    def dependences(self) -> list[PartialDependence]:
        """How predictions depend on each of the strongest features."""
        rows = self.rows
        if rows is None or not len(rows):
            return []
        trees, says = asked(self.model)
        found = [
            partial_dependence(rows, feature, says) for feature in strongest(self.model, trees, MOST_CURVES)
        ]
        return [one for one in found if len(one.grid)]

    def grid_of(self, found: PartialDependence) -> list[Any]:
        """Give the values that a feature was set to: numbers, or text of categories and times."""
        column = self.trees[0].schema.columns[found.feature]
        if column.categories:
            return [printable(column.text(int(value))) for value in found.grid]
        if column.unit:
            return [axis_text(column, value) for value in found.grid.tolist()]
        return [value + column.offset for value in found.grid.tolist()]

    @cached_property
    def moved(self) -> Moved | None:
        """Shapley values of some rows; None where there are none."""
        rows = self.rows
        if rows is None or not len(rows) or self.trees[0].equations is not None:
            return None
        few = rows.take(few_of(len(rows), MOST_MOVED))
        trees = self.trees[:: max(1, len(self.trees) // 20)]
        values = shap_of(trees, self.model, few)
        mean = mean_movement(values)
        order = np.argsort(-mean, kind="stable")[:MOST_FEATURES].tolist()
        order = [place for place in order if mean[place] > 0]
        return Moved(few, values, mean, order) if order else None

    def figures(self) -> dict[str, Any]:
        """Give all of it as what JSON can hold."""
        names = [printable(name) for name in self.trees[0].schema.names] if self.trees else []
        return {
            "feature_importances": {name: share for name, share, *_ in self.importances},
            "permutation_importances": {
                name: {"mean": moved, "std": spread}
                for name, _, moved, spread in self.importances
                if moved is not None
            },
            "mean_absolute_shap": (
                {names[place]: float(self.moved.mean[place]) for place in self.moved.order}
                if self.moved
                else {}
            ),
            "partial_dependence": {
                names[one.feature]: {"grid_values": self.grid_of(one), "average": one.mean[:, -1].tolist()}
                for one in self.dependences
            },
        }
