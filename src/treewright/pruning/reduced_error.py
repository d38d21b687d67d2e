"""Reduced-error pruning: keep a branch only if it helps on rows that the tree was not grown on.

Quinlan (1987), *Simplifying decision trees*, International Journal of Man-Machine Studies 27.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.parameter_types import Domain, one_of
from treewright.pruning.bottom_up import ROUNDING, cheapest
from treewright.pruning.losses import held_out_loss, loss_words
from treewright.pruning.pruner import Needs, Pruned, Pruner
from treewright.pruning.report import ACTIONS, Report
from treewright.tree import Tree
from treewright.tree.topology import sum_below


@dataclass(frozen=True)
class ReducedError(Pruner):
    """Make a leaf of every node that errs no more as a leaf on held-out rows (Quinlan, 1987).

    A leaf predicts what its training rows say. A node that no held-out row reaches is pruned: nothing speaks
    for its branches.

    Parameters
    ----------
    strategy : {"bottom_up", "greedy"}
        "bottom_up" goes once from the leaves to the root and compares each node with what is left of its
        subtree by then; ties prune. The result is the smallest of the most accurate prunings. "greedy" prunes
        again and again the node that helps most, the larger subtree of equals, until every one would hurt
        (Mitchell, 1997, §3.7).
    risk : {"log_loss"} or None
        What is summed over the held-out rows: None counts errors, costs if the tree has any, or squared
        errors; "log_loss" is −log₂ of the probability that a node gives to the row's class, and a class that
        it has never seen has 2⁻⁵².

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, prune
    >>> X, y = datasets.load_iris()
    >>> model = DecisionTreeClassifier().fit(X[::2], y[::2])
    >>> pruned = prune(model, ReducedError(), X[1::2], y[1::2])
    >>> model.get_n_leaves(), pruned.get_n_leaves()
    (6, 4)
    """

    domains: ClassVar[dict[str, Domain]] = {
        "strategy": one_of("bottom_up", "greedy"),
        "risk": one_of("log_loss", none=True),
    }

    strategy: Literal["bottom_up", "greedy"] = "bottom_up"
    risk: Literal["log_loss"] | None = None

    @property
    def needs(self) -> Needs:
        """Held-out rows."""
        return "holdout"

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        rows = self.require_rows(rows)
        loss, words = held_out_loss(tree, rows, self.risk), loss_words(tree, rows, self.risk)
        if self.strategy == "greedy":
            steps = greedy_steps(tree, loss)
            return Pruned(tree.collapse(steps.collapsed), self._greedy_report(tree, words, steps))
        costs = cheapest(tree, loss)
        report = self.report(
            tree, words, costs.decided, before=costs.subtree, after=loss, collapse=costs.collapse
        )
        return Pruned(tree.collapse(costs.collapse), report)

    def _greedy_report(self, tree: Tree, words: str, steps: Steps) -> Report:
        action = np.full(len(steps.node), ACTIONS.index("collapse"), np.int8)
        if len(steps.collapsed) < len(steps.node):
            action[-1] = ACTIONS.index("keep")
        columns = ("tree before", "tree after")
        return Report(
            str(self),
            tree,
            f"{words}, by the whole tree",
            columns,
            steps.node,
            steps.loss[:-1],
            steps.loss[1:],
            action,
        )


@dataclass(frozen=True)
class Steps:
    """The steps of greedy pruning.

    Attributes
    ----------
    node : int array
        The node pruned in each step; the last may be the one that would have hurt.
    loss : float array, one longer
        Loss of the whole tree before the first step, and after each.
    collapsed : int array
        The nodes that were pruned.
    """

    node: NDArray[np.int64]
    loss: NDArray[np.float64]
    collapsed: NDArray[np.int64]


def greedy_steps(tree: Tree, leaf_loss: NDArray[np.float64], to_the_root: bool = False) -> Steps:
    """Prune the node that lowers the loss most, again and again, while none raises it, or down to the root.

    Pruning a node lowers the loss of all subtrees around it by the same amount, so that a heap of gains has
    few entries to renew: those of the node's ancestors, and only if anything was gained.
    """
    is_leaf = tree.n_children == 0
    below = sum_below(tree.parent, np.stack([is_leaf * leaf_loss, is_leaf], axis=1))
    gain = (below[:, 0] - leaf_loss).tolist()
    leaves, parent = below[:, 1].tolist(), tree.parent.tolist()
    slack = ROUNDING * max(float(leaf_loss.max()), 1e-300)
    gone = is_leaf.copy()  # leaves, and what hangs below a pruned node
    heap = [(-gain[node], -leaves[node], node) for node in np.flatnonzero(~is_leaf).tolist()]
    heapify(heap)
    nodes: list[int] = []
    losses, hurts = [float(below[0, 0])], False
    while heap and not hurts:
        key, size, node = heappop(heap)
        if gone[node]:
            continue
        if -key != gain[node] or -size != leaves[node]:  # something was pruned below it since
            heappush(heap, (-gain[node], -leaves[node], node))
            continue
        hurts = gain[node] < -slack and not to_the_root
        nodes.append(node)
        losses.append(losses[-1] - gain[node])
        if not hurts:
            _remove_below(tree, node, gone)
            _tell_ancestors(parent, node, gain, leaves)
    order = np.array(nodes, np.int64)
    return Steps(order, np.array(losses), order[:-1] if hurts else order)


def _remove_below(tree: Tree, node: int, gone: NDArray[np.bool_]) -> None:
    stack = [node]
    while stack:
        top = stack.pop()
        gone[top] = True
        stack += [child for child in tree.children(top) if not gone[child]]


def _tell_ancestors(parent: list[int], node: int, gain: list[float], leaves: list[float]) -> None:
    lost_gain, lost_leaves = gain[node], leaves[node] - 1
    above = parent[node]
    while above >= 0:
        gain[above] -= lost_gain
        leaves[above] -= lost_leaves
        above = parent[above]
