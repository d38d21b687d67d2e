"""Bottom-up pruning: the walk that most methods share, given the cost of each node as a leaf."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Tree

Array = NDArray[np.float64]

ROUNDING = 1e-10
"""Costs that differ by less than this share of the largest one are equal: sums of weights are rounded."""


class Costs(NamedTuple):
    """What the walk finds at every node.

    Attributes
    ----------
    subtree : ndarray of float
        The cost of each node's split with the cheapest tree below it; NaN at leaves.
    collapse : ndarray of bool
        The nodes that cost no more as a leaf.
    """

    subtree: Array
    collapse: NDArray[np.bool_]

    @property
    def decided(self) -> NDArray[np.int64]:
        """The nodes that there was a decision about, in the order of the walk."""
        return np.flatnonzero(~np.isnan(self.subtree))[::-1]


def cheapest(
    tree: Tree, leaf_cost: Array, split_cost: Array | float = 0.0, tolerance: float | None = None
) -> Costs:
    """Find, from below, the nodes that are no dearer as a leaf than as the cheapest tree below them.

    The tree in which they are collapsed is the smallest of the cheapest prunings, whatever the costs are:
    what is cheapest below one branch does not depend on the other branches.

    Parameters
    ----------
    tree : Tree
    leaf_cost : array of n nodes
        What each node costs as a leaf.
    split_cost : array of n nodes, or one number
        What each node's split costs, beside what is below it.
    tolerance : float or None
        A leaf that is dearer by no more than this is taken all the same; None allows for rounding alone.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"]).tree_
    >>> costs = cheapest(tree, tree.risk + 1)
    >>> costs.subtree[0].item(), costs.collapse[0].item()
    (2.0, True)
    """
    slack = ROUNDING * float(np.abs(leaf_cost).max()) if tolerance is None else tolerance
    best = leaf_cost.tolist()
    own = np.broadcast_to(np.asarray(split_cost, dtype=float), len(tree)).tolist()
    parent, n_children = tree.parent.tolist(), tree.n_children.tolist()
    subtree, collapse = own[:], [False] * len(best)
    for node in range(len(best) - 1, -1, -1):  # children come after their parent
        if n_children[node]:
            kept = subtree[node]
            if best[node] <= kept + slack:
                collapse[node] = True
            else:
                best[node] = kept
        else:
            subtree[node] = np.nan
        if node:
            subtree[parent[node]] += best[node]
    return Costs(np.array(subtree), np.array(collapse))
