"""Minimum-error pruning: the expected error of a node as a leaf against that of its branches.

Niblett & Bratko (1987), *Learning decision rules in noisy domains*; Cestnik & Bratko (1991), *On estimating
probabilities in tree pruning*, EWSL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.arithmetic import matmul
from treewright.data import Dataset
from treewright.parameter_types import Domain, number
from treewright.pruning.bottom_up import cheapest
from treewright.pruning.pruner import Pruned, Pruner
from treewright.tree import Tree


@dataclass(frozen=True)
class MinimumError(Pruner):
    """Prune where the expected error as a leaf is no more than that of the branches, backed up from below.

    A node of n rows, n_c of them of class c, is expected to have class c with chance (n_c + m p_c) / (n + m),
    where p_c is the share of the class at the root. Its static error is that of the class with the least
    expected error (or cost), which need not be the majority. Its backed-up error is the mean of its
    branches', each of them the lesser of static and backed-up.

    Parameters
    ----------
    m : float or None
        How many rows the prior is worth: the larger, the smaller the tree (Cestnik & Bratko, 1991). None
        takes as many rows as there are classes, of each class alike: Laplace's estimate
        (n − n_c + k − 1) / (n + k) of Niblett & Bratko (1987).

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> [MinimumError(m)(tree).n_leaves for m in (0, 2, 50)]
    [9, 7, 3]
    """

    domains: ClassVar[dict[str, Domain]] = {
        "m": number(0.0, none=True),
    }

    m: float | None = 2.0

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        self.require_classes(tree)
        n_classes = tree.node_value.shape[1]
        m = float(n_classes) if self.m is None else float(self.m)
        prior = (
            np.full(n_classes, 1 / n_classes)
            if self.m is None
            else tree.node_value[0] / tree.node_value[0].sum()
        )
        costs = 1.0 - np.eye(n_classes) if tree.costs is None else tree.costs
        n = tree.weight
        expected = matmul(tree.node_value + m * prior, costs)
        error = expected.min(axis=1) / np.where(n + m > 0, n + m, 1.0)
        total = n * error  # errors expected among the node's rows: these add up over branches
        walk = cheapest(tree, total)
        rate = np.where(n > 0, n, 1.0)
        report = self.report(
            tree,
            "expected error, the node's own (static) against its branches' (backed up)",
            walk.decided,
            before=walk.subtree / rate,
            after=error,
            collapse=walk.collapse,
            columns=("backed up", "static"),
        )
        return Pruned(tree.collapse(walk.collapse), report)
