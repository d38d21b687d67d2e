"""Chi-square pruning: undo splits whose branches look independent of the class.

Quinlan (1986), *Induction of decision trees*, Machine Learning 1, used the test to stop growing; Mingers
(1987), *Expert systems: rule induction with statistical data*, to prune.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Dataset
from treewright.parameter_types import Domain, number
from treewright.pruning.pruner import Pruned, Pruner
from treewright.tree import Tree

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ChiSquare(Pruner):
    """From below, undo splits between leaves that a chi-square test does not find significant.

    Looked at are nodes whose branches are all leaves by then. The test is Pearson's, of branch against class
    on the training rows, with (branches − 1)(classes − 1) degrees of freedom, counting those that have rows.
    The split was chosen as the best of many, so that its p-value is too small: use a small `alpha`.

    Parameters
    ----------
    alpha : float
        A node with a larger p-value is made a leaf.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> ChiSquare(alpha=0.01)(tree)
    Tree(11 nodes, 6 leaves, depth 4, 3 classes)
    """

    domains: ClassVar[dict[str, Domain]] = {"alpha": number(0.0, 1.0)}

    alpha: float = 0.05

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        self.require_classes(tree)
        p_value = split_p_values(tree)
        weak = (p_value > self.alpha).tolist()
        parent, n_children = tree.parent.tolist(), tree.n_children.tolist()
        splitting = [0] * len(tree)  # branches of each node that are no leaves
        looked_at, collapse = [], np.zeros(len(tree), bool)
        for node in range(len(tree) - 1, -1, -1):
            if not n_children[node]:
                continue
            if not splitting[node]:
                looked_at.append(node)
                collapse[node] = weak[node]
            if node and not collapse[node]:
                splitting[parent[node]] += 1
        report = self.report(
            tree,
            "p-value of the test that branch and class are independent; collapse where it is above alpha",
            np.array(looked_at, np.int64),
            before=p_value,
            after=np.full(len(tree), self.alpha),
            collapse=collapse,
            columns=("p-value", "alpha"),
        )
        return Pruned(tree.collapse(collapse), report)


def split_p_values(tree: Tree) -> Array:
    """P-value of each node's split under independence of branch and class; 1 at leaves."""
    value = np.where(tree.weight[:, None] > 0, tree.node_value, 0.0)
    branch, above = np.arange(1, len(tree)), tree.parent[1:]
    node_rows = np.zeros_like(value)
    np.add.at(node_rows, above, value[branch])  # rows that stayed at the node are in no branch
    total = node_rows.sum(axis=1)
    weight = value[branch].sum(axis=1)
    expected = weight[:, None] * node_rows[above] / np.where(total > 0, total, 1.0)[above, None]
    terms = (value[branch] - expected) ** 2 / np.where(expected > 0, expected, 1.0)
    statistic = np.bincount(above, terms.sum(axis=1), minlength=len(tree))
    branches = np.bincount(above, weight > 0, minlength=len(tree))
    freedom = np.maximum(branches - 1, 0) * np.maximum((node_rows > 0).sum(axis=1) - 1, 0)
    halves = zip((freedom / 2).tolist(), (statistic / 2).tolist(), strict=True)
    return np.array([_core.gamma_tail(a, x) if a > 0 else 1.0 for a, x in halves])
