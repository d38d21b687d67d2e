"""Recipe of C4.5: its choices, and growing by the core's C4.5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any, ClassVar

import numpy as np

from treewright import _core
from treewright.data import Dataset
from treewright.growing.grow_tree import Progress, core_table, threads
from treewright.growing.recipe import ProgramRecipe
from treewright.parameter_types import clipped
from treewright.pruning.error_based import table_deviate
from treewright.trace.records import Candidate
from treewright.tree import Tree

TOLERANCE = 1e-6
"""Weka's J48 takes numbers closer than this as equal."""


@dataclass(frozen=True)
class C45Recipe(ProgramRecipe):
    """Every choice of C4.5; see `C45Classifier`.

    `prune` is whether the grown tree is pruned by an upper limit on the error rate; `beside` are rows that
    are not grown on, but whose values numeric cuts may take: J48 looks at all rows it is given, also those
    that it holds out for pruning.
    """

    merit_name: ClassVar[str] = "gain ratio"
    missing: ClassVar[str] = "fractional"

    criterion: str = "gain_ratio"

    # parameters: written by tools/generate_parameters.py
    min_samples_leaf: float = 2
    random_state: int = 0
    confidence: float = 0.25
    prune: bool = True
    cut: str = "observed"
    max_competitors: int = 0
    subtree_raising: bool = True
    collapse: bool = True
    binary_splits: bool = False
    mdl: bool = True
    compat: str | None = None
    # end of parameters
    beside: Dataset | None = field(default=None, compare=False, repr=False)

    def grow(self, dataset: Dataset, *, n_jobs: int | None = None, progress: Progress | None = None) -> Tree:
        """Grow the tree, collapse and prune it."""
        schema = dataset.schema
        rows = dataset if self.beside is None else together(dataset, unweighed(self.beside))
        options = self._options() | {"threads": threads(n_jobs), "progress": progress}
        return Tree.from_arrays(schema, _core.grow_c45(*core_table(rows, "C4.5"), rows.weight, options))

    def unpruned(self) -> C45Recipe:
        """Give the recipe of the tree before collapsing and pruning."""
        return replace(self, prune=False, collapse=False)

    def without_limits(self) -> C45Recipe:
        """Give the recipe that splits whatever can be split."""
        return replace(self.unpruned(), min_samples_leaf=1, mdl=False)

    @property
    def limits(self) -> dict[str, Any]:
        """What may have kept a node from being split."""
        return {"min_samples_leaf": self.min_samples_leaf} | ({"mdl": True} if self.mdl else {})

    def passed_over(self, candidates: Sequence[Candidate], rows: Dataset) -> tuple[frozenset[str], str]:
        """Name the features whose gain is below average (Quinlan, 1993, §2.2).

        The average leaves out features with so many categories that they split rows apart by their number.
        """
        schema = rows.schema
        n_categories = dict(zip(schema.names, schema.n_categories.tolist(), strict=True))
        gain = {candidate.feature: _gain(candidate) for candidate in candidates}
        counted = [gain[name] for name in gain if n_categories[name] < 0.3 * len(rows)] or list(gain.values())
        average = fsum(counted) / len(counted)
        below = [name for name in gain if gain[name] < average - 1e-3]
        if not below:
            return frozenset(), ""
        verb = "is" if len(below) == 1 else "are"
        words = f"{' and '.join(below)} {verb} not compared: a gain below the average of {average:.3f}"
        return frozenset(below), words

    def _options(self) -> dict[str, Any]:
        """Write the choices as the core reads them."""
        confidence, deviate = _confidence(float(self.confidence), self.compat)
        return {
            "min_weight": float(self.min_samples_leaf),
            "binary": self.binary_splits,
            "mdl": self.mdl,
            "observed": self.cut == "observed",
            "tolerance": TOLERANCE if self.compat == "j48" else 1e-9,
            "same_value": 0.0 if self.compat is None else 1e-5,
            "collapse": self.collapse,
            "prune": self.prune,
            "raising": self.subtree_raising,
            "confidence": confidence,
            "deviate": deviate,
            "last_half": 0.67 if self.compat == "release8" else 1.0,
            "last_of_largest": self.compat is not None,
            "max_competitors": clipped(self.max_competitors),
        }


def _gain(candidate: Candidate) -> float:
    """What C4.5 calls the gain: times the known share, less what a numeric cut pays for its choice.

    It is the ratio, which the core gave, times the split information with missing rows as a branch.
    """
    weights = [branch.weight for branch in candidate.branches] + [candidate.missing]
    total = fsum(weights)
    shares = [weight / total for weight in weights if weight > 0]
    return candidate.merit * -fsum(share * _core.log2(share) for share in shares)


def together(*parts: Dataset) -> Dataset:
    """Put rows of one schema together."""
    weighed = any(part.weight is not None for part in parts)
    weights = [np.ones(len(part)) if part.weight is None else part.weight for part in parts]
    return Dataset(
        parts[0].schema,
        np.asfortranarray(np.concatenate([part.numbers for part in parts])),
        np.asfortranarray(np.concatenate([part.codes for part in parts])),
        np.concatenate([np.asarray(part.target) for part in parts]),
        np.concatenate(weights) if weighed else None,
    )


def unweighed(rows: Dataset) -> Dataset:
    """Give rows that have values, and no weight."""
    return rows.weighted(np.zeros(len(rows)))


def _confidence(level: float, compat: str | None) -> tuple[float, float]:
    """Give the level as the program holds it, and the normal deviate it goes with."""
    if compat == "release8":
        return level, table_deviate(level)
    if compat == "j48":  # held in 32 bits
        single = np.float32(level)
        return float(single), _core.normal_quantile(1 - float(np.float32(1) - single))
    return level, _core.normal_quantile(level)


def weka_parts(dataset: Dataset, n_parts: int) -> tuple[Dataset, Dataset]:
    """Part the rows as J48 does for reduced-error pruning: those to grow on, and the last of `n_parts` parts.

    Weka brings rows of one class together, by exchanging each with the first row that stands in its way, in
    the order in which the classes are met; then it deals the rows round, and takes what was dealt last.

    Examples
    --------
    >>> rows = Dataset.from_table([[n] for n in range(6)], list("abaabb"), task="classification")
    >>> growing, pruning = weka_parts(rows, 3)
    >>> pruning.numbers.ravel().tolist()
    [3.0, 5.0]
    """
    assert dataset.target is not None
    order = _by_class(dataset.target.tolist())
    n_rows = len(order)
    dealt = [order[at] for first in range(n_parts) for at in range(first, n_rows, n_parts)]
    aside = np.zeros(n_rows, bool)
    aside[dealt[n_rows - n_rows // n_parts :]] = True
    return dataset.take(~aside), dataset.take(aside)


def _by_class(target: list[int]) -> list[int]:
    """Rows by class, after Weka's exchanges.

    A class that is brought together takes the places from the front on; the rows that stood there go to where
    its rows came from. So the rows not yet brought together stay in a list, with a few of them elsewhere.
    """
    order, label = list(range(len(target))), list(target)
    begin = 0
    while begin < len(order):
        front = begin + 1
        for at in range(begin + 1, len(order)):
            if label[at] == label[begin]:
                order[front], order[at] = order[at], order[front]
                label[front], label[at] = label[at], label[front]
                front += 1
        begin = front
    return order
