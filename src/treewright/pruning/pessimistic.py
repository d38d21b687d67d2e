"""Pessimistic error pruning: training errors and half an error for each leaf, compared from the top down.

Quinlan (1987), *Simplifying decision trees*, International Journal of Man-Machine Studies 27.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from treewright.data import Dataset
from treewright.parameter_types import Domain, number, one_of
from treewright.pruning.bottom_up import ROUNDING
from treewright.pruning.losses import training_errors
from treewright.pruning.pruner import Pruned, Pruner
from treewright.tree import Tree
from treewright.tree.topology import sum_below


@dataclass(frozen=True)
class Pessimistic(Pruner):
    """Prune where a leaf errs no more than the subtree and a standard error, all corrected (Quinlan, 1987).

    With e(t) the training errors of node t as a leaf, e(T) and L those of its subtree and its leaves, and n
    the rows at t, the corrected numbers are e'(t) = e(t) + ½ and e'(T) = e(T) + L/2. A node is pruned if
    e'(t) ≤ e'(T) + √(e'(T) (n − e'(T)) / n). The walk goes from the top down, and looks no further where it
    has pruned.

    Weights count as numbers of rows, and errors as errors whatever they cost.

    Parameters
    ----------
    correction : float
        What each leaf adds to its errors.
    se : float
        How many standard errors are granted.
    count : {"all", "used"}
        Which leaves add to the errors: all of them, or those with training rows alone; multiway splits have
        leaves without any.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> Pessimistic()(tree)
    Tree(7 nodes, 4 leaves, depth 3, 3 classes)
    """

    domains: ClassVar[dict[str, Domain]] = {
        "correction": number(0.0),
        "se": number(0.0),
        "count": one_of("all", "used"),
    }

    correction: float = 0.5
    se: float = 1.0
    count: Literal["all", "used"] = "all"

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        self.require_classes(tree)
        counted = (tree.weight > 0) | (self.count == "all")
        leaf = training_errors(tree) + self.correction * counted
        is_leaf = tree.n_children == 0
        subtree = sum_below(tree.parent, (leaf * is_leaf)[:, None])[:, 0]
        n = np.where(tree.weight > 0, tree.weight, 1.0)
        limit = subtree + self.se * np.sqrt(np.maximum(subtree * (n - subtree) / n, 0.0))
        collapse = ~is_leaf & (leaf <= limit + ROUNDING * n[0])
        pruned = tree.collapse(collapse)
        visited = np.flatnonzero(~is_leaf & ~tree.below(collapse))
        leaves = "leaves" if self.count == "all" else "leaves with rows"
        measure = f"errors + {self.correction:g} · {leaves}, and {self.se:g} standard error for the subtree"
        return Pruned(
            pruned, self.report(tree, measure, visited, before=limit, after=leaf, collapse=collapse)
        )
