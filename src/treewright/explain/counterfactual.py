"""Counterfactuals: the nearest change of a row that changes the prediction.

Also called a counterfactual explanation (Wachter, Mittelstadt & Russell, 2018). Fewest features come first,
then the smallest change, each feature in its own scale.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import plain
from treewright.explain.counterfactual_goal import Goal
from treewright.explain.counterfactual_greedy import greedy_change
from treewright.explain.counterfactual_search import Found, Search
from treewright.explain.region import Measure
from treewright.explain.row import Row
from treewright.formatting.text import printable, quoted
from treewright.formatting.text_table import aligned
from treewright.tree import Tree
from treewright.tree.conditions import Interval

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Change:
    """The nearest change of a row that brings about another answer.

    Parameters
    ----------
    before, after : Row
        The row as it is, and as it would have to be.
    found : Found
        What changes, and at what cost.
    says : float array
        Class shares, or the number, for the changed row.
    label : int
        The code of its class; 0 for numbers.
    """

    before: Row
    after: Row
    found: Found
    says: Array
    label: int

    @property
    def is_proven(self) -> bool:
        """Whether there is no nearer change; a search that was stopped cannot tell."""
        return self.found.is_proven

    @property
    def prediction(self) -> Any:
        """The class or number predicted for the changed row."""
        classes = self.before.schema.classes
        return float(self.says[0]) if classes is None else plain(classes[self.label])

    def __repr__(self) -> str:
        names = [self.before.schema.names[feature] for feature in self.found.changes]
        return f"Change({', '.join(names)} → {self.prediction!r})"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Write a line for each feature that changes, and what is then predicted."""
        schema, rows = self.before.schema, []
        beside = {feature for side in self.found.region.sides for feature in side.features}
        for feature in self.found.changes:
            condition = self.found.region.conditions.get(feature)
            words = ""
            if feature not in beside and isinstance(condition, Interval):
                words = f"({condition.words(schema)})"
            name = printable(schema.names[feature])
            rows.append([name, f"{self.before.text(feature)} →", self.after.text(feature), words])
        numbers = schema.classes is None
        said = f"{self.says[0]:.6g}" if numbers else quoted(str(self.prediction))
        lines = aligned(["feature", "from", "to", ""], rows)
        if not self.is_proven:
            lines.append("there may be a nearer one: the search was stopped or is not exact here")
        return [*lines, f"then the prediction is {said}"]

    def to_dict(self) -> dict[str, Any]:
        """Give the change as plain values."""
        return {
            "changes": {
                self.before.schema.names[feature]: {
                    "from": self.before.plain(feature),
                    "to": self.after.plain(feature),
                }
                for feature in self.found.changes
            },
            "prediction": self.prediction,
            "features": self.found.cost[0],
            "distance": min(self.found.cost[1], sys.float_info.max),  # by scales next to zero there is more
            "proven": self.is_proven,
        }


def nearest_change(
    trees: Sequence[Tree],
    values: Sequence[Array],
    row: Row,
    goal: Goal,
    *,
    hard: bool = False,
    fixed: Collection[Any] = (),
    directions: Mapping[Any, str] | None = None,
    scales: Mapping[Any, float] | None = None,
    time_limit: float | None = None,
) -> Change | None:
    """Find the nearest change of a row that one tree, or the mean of several, answers as wanted.

    Parameters
    ----------
    trees : sequence of Tree
        One tree, or the trees of a forest.
    values : sequence of float arrays
        What every node of each tree says.
    row : Row
    goal : Goal
        What is wanted.
    hard : bool
        Whether each tree of a forest gives its whole vote to one class, also where it shares a row.
    fixed : collection of features, by name or position
        They do not change.
    directions : dict of feature to "up" or "down"
        Numbers and ordinal features that change one way only.
    scales : dict of feature to float
        The change of a number that counts as one. By default it is the distance between the farthest of the
        trees' cuts of it, or the size of the number where there is only one. A change of category counts as
        one, as does filling in a missing value; a step of an ordered category its share of the whole order.
    time_limit : float or None
        Seconds after which the best change found so far is given.

    Returns
    -------
    Change or None
        None if no change within the limits has the answer wanted.

    Raises
    ------
    TimeoutError
        If none was found in time.
    """
    measure = Measure.of(trees, row, fixed, directions, scales)
    search = Search(trees, values, measure, goal, hard and len(trees) > 1)
    known = greedy_change(search) if len(trees) > 1 else None
    found = search.run(time_limit, known)
    if found is None:
        return None
    after = row.changed(found.changes)
    says = search.says(after)
    label = int(trees[0].decide(says)) if trees[0].is_classifier else 0
    return Change(row, after, found, says, label)
