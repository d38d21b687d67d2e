"""Cost-complexity pruning: the nested trees that minimise risk + alpha · leaves, for every alpha.

Breiman, Friedman, Olshen & Stone (1984), *Classification and Regression Trees*, ch. 3, cut the weakest link
again and again: the node whose leaves buy the least decrease of risk each. Doing so literally looks at every
node in every step. Here each node's alpha is found once, from below. As a function of alpha the least cost of
a subtree is concave and piecewise linear; it bends at the alphas of the nodes that collapse inside it. A node
collapses where the line *its risk as a leaf + alpha* meets the sum of its children's functions, and the bends
beyond that point are gone for good. So a heap of bends that children hand to their parent gives all alphas in
O(n log n), or O(n log² n) when large heaps must be merged again and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Tree

Array = NDArray[np.float64]
Risk = Literal["impurity", "error"]
Bends = list[tuple[float, int]]  # a heap of (−alpha, node), the largest alpha on top


@dataclass(frozen=True)
class PruningPath:
    """The nested sequence of prunings of one tree, largest tree first.

    Entry 0 is the tree itself at alpha 0; each further entry collapses one node more.

    Attributes
    ----------
    nodes : ndarray of int
        The node collapsed in each step, −1 in the first entry.
    alphas : ndarray of float
        From this alpha on the step is worth taking.
    risks : ndarray of float
        Risk of the pruned tree per unit of weight.
    leaves : ndarray of int
        Number of leaves of the pruned tree.
    """

    nodes: NDArray[np.int64]
    alphas: Array
    risks: Array
    leaves: NDArray[np.int64]


@dataclass(frozen=True)
class CostComplexity:
    """Pruner: the smallest subtree of least risk + alpha · leaves (Breiman et al., 1984).

    Parameters
    ----------
    alpha : float
        The price of a leaf, in units of risk per unit of weight.
    risk : {"impurity", "error"}
        What a leaf costs: its impurity under the criterion that grew it, as scikit-learn's `ccp_alpha`
        has it, or its risk (errors, costs, squares), as the book has it.
    """

    alpha: float
    risk: Risk = "impurity"

    def __call__(self, tree: Tree) -> Tree:
        """Give the pruned tree."""
        alphas, _ = _collapse_alphas(tree, _node_risks(tree, self.risk))
        return tree.collapse(alphas <= self.alpha)


def pruning_path(tree: Tree, risk: Risk = "impurity") -> PruningPath:
    """Every pruning of a tree that is best for some alpha, with the alpha at which it becomes so.

    Parameters
    ----------
    tree : Tree
        The tree to prune; it stays as it is.
    risk : {"impurity", "error"}
        What a leaf costs, see `CostComplexity`.

    Returns
    -------
    PruningPath
        The nested sequence.
    """
    risks = _node_risks(tree, risk)
    alphas, saved_leaves = _collapse_alphas(tree, risks)
    nodes = np.flatnonzero(np.isfinite(alphas))
    nodes = nodes[np.argsort(alphas[nodes], kind="stable")]
    is_leaf = tree.n_children == 0
    # Collapsing at its alpha changes a node's risk by alpha for every leaf it saves.
    rises = alphas[nodes] * saved_leaves[nodes]
    return PruningPath(
        nodes=np.concatenate([[-1], nodes]),
        alphas=np.concatenate([[0.0], alphas[nodes]]),
        risks=risks[is_leaf].sum() + np.concatenate([[0.0], np.cumsum(rises)]),
        leaves=np.count_nonzero(is_leaf) - np.concatenate([[0], np.cumsum(saved_leaves[nodes])]),
    )


def _node_risks(tree: Tree, risk: Risk) -> Array:
    """Risk of each node as a leaf, per unit of the tree's weight."""
    if risk == "impurity":
        return np.asarray(tree.weight * tree.impurity / tree.weight[0])
    return np.asarray(tree.risk / tree.weight[0])


def _collapse_alphas(tree: Tree, risks: Array) -> tuple[Array, NDArray[np.int64]]:
    """Alpha at which each node collapses by itself, and how many leaves that saves.

    Alpha is infinite at leaves and at nodes that a collapsing ancestor takes with it.
    """
    risk, parent, n_children = risks.tolist(), tree.parent.tolist(), tree.n_children.tolist()
    n_nodes = len(risk)
    alpha, saved_risk, saved_leaves = [inf] * n_nodes, [0.0] * n_nodes, [0] * n_nodes
    children_risk = [0.0] * n_nodes
    bends: list[Bends] = [[] for _ in range(n_nodes)]  # of each node's subtree
    for node in reversed(range(n_nodes)):  # children come after their parent
        if n_children[node]:
            inside = bends[node]
            # For large alpha all children are leaves; go down from there to where this node is one too.
            gain, leaves = risk[node] - children_risk[node], n_children[node] - 1
            while inside and -inside[0][0] >= gain / leaves:
                swallowed = heappop(inside)[1]
                alpha[swallowed] = inf
                gain += saved_risk[swallowed]
                leaves += saved_leaves[swallowed]
            alpha[node], saved_risk[node], saved_leaves[node] = gain / leaves, gain, leaves
            heappush(inside, (-alpha[node], node))
        if node:
            above = parent[node]
            children_risk[above] += risk[node]
            bends[above] = _merge(bends[above], bends[node])
            bends[node] = []
    return np.array(alpha), np.array(saved_leaves, dtype=np.int64)


def _merge(one: Bends, other: Bends) -> Bends:
    """Put the smaller of two heaps into the larger."""
    if len(one) < len(other):
        one, other = other, one
    for bend in other:
        heappush(one, bend)
    return one
