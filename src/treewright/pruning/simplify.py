"""Simplification: merges branches with the same prediction, undoes splits that save no training error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.parameter_types import Domain, number, one_of
from treewright.pruning.bottom_up import cheapest
from treewright.pruning.losses import training_risk
from treewright.pruning.pruner import Pruned, Pruner
from treewright.tree import Tree


@dataclass(frozen=True)
class Simplify(Pruner):
    """Make a leaf of every node whose branches all say the same: no prediction changes.

    Parameters
    ----------
    by : {"class", "proba"}
        What must be the same: the class predicted, or the class probabilities too. For regression both mean
        the number predicted.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> X, y = [[1], [2], [3], [4]], ["a", "a", "b", "a"]
    >>> model = DecisionTreeClassifier(max_depth=1, criterion="entropy").fit(X, y)
    >>> Simplify()(model.tree_).n_leaves
    1
    """

    domains: ClassVar[dict[str, Domain]] = {"by": one_of("class", "proba")}

    by: Literal["class", "proba"] = "class"

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        unlike = np.zeros(len(tree), bool)  # nodes that do not say what their parent would
        unlike[1:] = ~self._same(tree, np.arange(1, len(tree)), tree.parent[1:])
        different = unlike.tolist()
        parent, n_children = tree.parent.tolist(), tree.n_children.tolist()
        count = [0] * len(tree)  # branches that keep each node from being merged
        for node in range(len(tree) - 1, 0, -1):
            count[parent[node]] += different[node] or (n_children[node] > 0 and count[node] > 0)
        differing = np.array(count, dtype=float)
        inner = tree.n_children > 0
        collapse = inner & (differing == 0)
        report = self.report(
            tree,
            f"branches that do not say the same ({self.by})",
            np.flatnonzero(inner)[::-1],
            before=differing,
            after=np.zeros(len(tree)),
            collapse=collapse,
            columns=("differing", "allowed"),
        )
        return Pruned(tree.collapse(collapse), report)

    def _same(self, tree: Tree, one: NDArray[np.int64], other: NDArray[np.int32]) -> NDArray[np.bool_]:
        if tree.is_classifier and self.by == "class":
            return np.asarray(tree.label[one] == tree.label[other])
        shares = tree.class_probabilities
        return np.asarray(np.isclose(shares[one], shares[other], rtol=1e-12, atol=0).all(axis=1))


@dataclass(frozen=True)
class Collapse(Pruner):
    """Undo what saves no training errors: C4.5 does so before it prunes (Quinlan, 1993, Release 8).

    Parameters
    ----------
    tolerance : float
        A subtree must save more errors than this.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(max_depth=1).fit([[1], [2], [3], [4]], ["a", "a", "b", "a"]).tree_
    >>> Collapse()(tree).n_leaves
    1
    """

    domains: ClassVar[dict[str, Domain]] = {"tolerance": number(0.0)}

    tolerance: float = 1e-3

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        loss = training_risk(tree, None)
        walk = cheapest(tree, loss, tolerance=self.tolerance)
        report = self.report(
            tree, "training errors", walk.decided, before=walk.subtree, after=loss, collapse=walk.collapse
        )
        return Pruned(tree.collapse(walk.collapse), report)
