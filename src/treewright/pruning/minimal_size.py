"""Minimal size: for every number of errors the smallest pruning that makes no more, by dynamic programming.

Bohanec & Bratko (1994), *Trading accuracy for simplicity in decision trees*, Machine Learning 15; Almuallim
(1996), *An efficient algorithm for optimal pruning of decision trees*, Artificial Intelligence 83.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.formatting.text import number_text
from treewright.parameter_types import Domain, number, one_of, whole
from treewright.pruning.bottom_up import ROUNDING
from treewright.pruning.losses import RISK_DOMAIN, Risk, held_out_loss, training_risk
from treewright.pruning.path import PruningPath
from treewright.pruning.pruner import Needs, Pruned, Pruner
from treewright.tree import Tree
from treewright.tree.decision import loss_name
from treewright.tree.routing import sum_below

Array = NDArray[np.float64]
Ids = NDArray[np.int64]
Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]  # positions of points in two lists

MOST_STEPS = 2e10
MOST_POINTS = 5e7
"""Beyond so many additions, or so many points to remember, a tree is refused: hours, or gigabytes."""

FEW_POINTS = 64
"""All pairs of lists with up to so many points are sorted at once; longer ones are gone through by row."""

ONE = np.ones(1, np.int64)


@dataclass(frozen=True)
class MinimalSize(Pruner):
    """Choose from the whole frontier: for every number of errors the pruning of fewest leaves.

    The prunings of cost-complexity pruning are those of them at the corners of the curve's lower convex hull;
    here are all, each with its tree as ``path[i].tree``. The work grows with the square of the number of
    leaves: ten thousand leaves take half a second.

    Parameters
    ----------
    select : {"holdout", "structural_risk"}
        Take the pruning of least loss on held-out rows, the smallest of equals; or of least loss + √(s / n)
        on the n training rows, s being its number of nodes (structural risk minimisation).
    risk : {"error", "cost", "squared_error", "impurity", "log_loss"} or None
        What is counted as errors on the training rows, see `CostComplexity`.
    max_leaves : int or None
        Look at no larger prunings. This bounds time and memory for very large trees.
    errors : float or None
        Take the smallest pruning with at most so many errors on the training rows, in weight of rows, or in
        units of `risk`. Neither this nor `leaves` needs held-out rows.
    leaves : int or None
        Take the pruning with the fewest errors on the training rows that has at most so many leaves.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> pruned = MinimalSize(select="structural_risk").prune(tree)
    >>> pruned.tree.n_leaves
    3
    >>> (pruned.path.risk * 150).round(9).tolist(), pruned.path.leaves.tolist()
    ([0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 50.0, 100.0], [9, 7, 6, 5, 4, 3, 2, 1])
    >>> MinimalSize(errors=5)(tree).n_leaves, MinimalSize(leaves=6)(tree).n_leaves
    (4, 6)
    >>> pruned.path[2].tree
    Tree(11 nodes, 6 leaves, depth 4, 3 classes)
    """

    domains: ClassVar[dict[str, Domain]] = {
        "select": one_of("holdout", "structural_risk"),
        "risk": RISK_DOMAIN,
        "max_leaves": whole(1, none=True),
        "errors": number(0.0, none=True),
        "leaves": whole(1, none=True),
    }

    select: Literal["holdout", "structural_risk"] = "holdout"
    risk: Risk | None = None
    max_leaves: int | None = None
    errors: float | None = None
    leaves: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.errors is not None) + (self.leaves is not None) + (self.select != "holdout") > 1:
            raise ValueError(f"Give one of 'errors', 'leaves' and 'select' to MinimalSize. Got {self}.")

    @property
    def needs(self) -> Needs:
        """Held-out rows to choose by, unless the training rows decide."""
        decided = self.errors is not None or self.leaves is not None or self.select != "holdout"
        return "nothing" if decided else "holdout"

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report and the frontier, see `Pruner.prune`."""
        cost = training_risk(tree, self.risk)
        if self.needs == "holdout":
            rows = self.require_rows(rows)
            frontier = Frontier(tree, cost, held_out_loss(tree, rows, self.risk), 0.0, self.max_leaves)
            total = float(len(rows)) if rows.weight is None else float(rows.weight.sum())
            # Of one row none is held out.
            path = frontier.path().choose(frontier.carried / (total or 1.0), measure="held_out")
        else:
            frontier = Frontier(tree, cost, np.ones(len(tree)), 1.0, self._most(tree))
            path = self._decided(frontier)
        assert path.chosen is not None
        collapse = frontier.collapse(path.chosen)
        is_leaf = tree.n_children == 0
        below = sum_below(tree.parent, (cost * is_leaf)[:, None])[:, 0]
        seen = np.flatnonzero(~is_leaf & ~tree.below(collapse))
        measure = f"{self.risk or loss_name(tree)} on the training rows, before any pruning below"
        return Pruned(
            tree.collapse(collapse),
            self.report(tree, measure, seen, before=below, after=cost, collapse=collapse),
            path,
        )

    def _most(self, tree: Tree) -> int | None:
        """How many leaves to look at: all, but of a tree too large for that no more than are asked for."""
        if self.max_leaves is None and self.leaves is not None and too_large(tree, len(tree)):
            return self.leaves
        return self.max_leaves

    def _decided(self, frontier: Frontier) -> PruningPath:
        """Take the point that the training rows decide for."""
        path = frontier.path()
        if self.errors is not None:
            fits = np.flatnonzero(frontier.cost <= self.errors + frontier.slack)
            if not len(fits):
                raise ValueError(
                    f"{self} asks for too few errors: the least that this tree and its prunings make on the "
                    f"training rows is {number_text(float(frontier.cost[0]))}."
                )
            return replace(path, chosen=int(fits[-1]))
        if self.leaves is not None:
            return replace(path, chosen=int(np.flatnonzero(frontier.leaves <= self.leaves)[0]))
        n_rows = max(int(frontier.tree.count[0]), 1)
        return path.choose(path.risk + np.sqrt(frontier.carried / n_rows), measure="penalised")


class Points(NamedTuple):
    """Prunings of one subtree that none with as few leaves undercuts: leaves rise, costs fall."""

    leaves: Ids
    cost: Array
    carried: Array  # goes along with each pruning: its loss on other rows, or its number of nodes


class Frontier:
    """The points of the root, those of most leaves first, and what it takes to find the prunings behind them.

    Parameters
    ----------
    tree : Tree
    leaf_cost : array of n nodes
        What each node costs as a leaf.
    carried : array of n nodes
        What each leaf adds to a second sum, which is carried along but not minimised.
    split_carried : float
        What each split adds to it.
    max_leaves : int or None
    """

    def __init__(
        self,
        tree: Tree,
        leaf_cost: Array,
        carried: Array,
        split_carried: float,
        max_leaves: int | None = None,
    ) -> None:
        most = max_leaves or len(tree)
        if endless := too_large(tree, most):
            raise ValueError(endless)
        self.tree = tree
        self._pairs: list[Pairs | None] = [None] * len(tree)  # by which a child joined its parent
        self._dropped = [0] * len(tree)  # points of each node's split that its leaf undercuts
        self.slack = slack = ROUNDING * float(np.abs(leaf_cost).max())
        parent, n_children = tree.parent.tolist(), tree.n_children.tolist()
        waiting: list[Points | None] = [None] * len(tree)  # points of the children that have come so far
        for node in range(len(tree) - 1, -1, -1):
            own = Points(ONE, leaf_cost[node : node + 1], carried[node : node + 1])
            joined = waiting[node]
            if n_children[node] and joined is not None:
                begin = int(np.count_nonzero(joined.cost >= own.cost[0] - slack))
                self._dropped[node] = begin
                plus = (joined.leaves, joined.cost, joined.carried + split_carried)
                own = Points(
                    *(np.concatenate([one, rest[begin:]]) for one, rest in zip(own, plus, strict=True))
                )
                waiting[node] = None
            if node:
                above = parent[node]
                waiting[above], self._pairs[node] = _join(waiting[above], own, most, slack)
        fits = np.flatnonzero(own.leaves <= most)[::-1]
        self.leaves, self.cost, self.carried = own.leaves[fits], own.cost[fits], own.carried[fits]

    def path(self) -> PruningPath:
        """Give the points as a path, each with its tree."""
        return PruningPath(self.leaves, self.cost / self.tree.weight[0], prunings=self)

    def collapse(self, index: int) -> NDArray[np.bool_]:
        """Give the nodes to collapse for one of the points."""
        collapse = np.zeros(len(self.tree), bool)
        stack = [(0, len(self.leaves) - 1 - index)]  # while growing, the fewest leaves came first
        while stack:
            node, point = stack.pop()
            if point == 0:  # the first point of every node is the node as a leaf
                collapse[node] = True
                continue
            index = point - 1 + self._dropped[node]
            for child in self.tree.children(node):  # the first child joined last
                pairs = self._pairs[child]
                if pairs is None:
                    stack.append((child, index))
                else:
                    stack.append((child, int(pairs[1][index])))
                    index = int(pairs[0][index])
        return collapse


def _join(one: Points | None, other: Points, most: int, slack: float) -> tuple[Points, Pairs | None]:
    """Put the prunings of two subtrees side by side, keep those that count, and say which pairs they are."""
    if one is None:
        return other, None
    n_one, n_other = len(one.leaves), len(other.leaves)
    if n_one == 1 or n_other == 1:  # as most joins are: nothing to choose
        leaves = one.leaves + other.leaves
        n = max(int(np.searchsorted(leaves, most, "right")), 1)
        index, zeros = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
        joined = Points(leaves[:n], (one.cost + other.cost)[:n], (one.carried + other.carried)[:n])
        return joined, ((zeros, index) if n_one == 1 else (index, zeros))
    if max(n_one, n_other) <= FEW_POINTS:
        first, second = _best_pairs_sorted(one, other, most)
    elif n_one <= n_other:
        first, second = _best_pairs_by_row(one, other, most)
    else:
        second, first = _best_pairs_by_row(other, one, most)
    cost = one.cost[first] + other.cost[second]
    falls = cost < np.minimum.accumulate(np.concatenate([[np.inf], cost[:-1]])) - slack
    first, second = first[falls], second[falls]
    leaves = one.leaves[first] + other.leaves[second]
    joined = Points(leaves, cost[falls], one.carried[first] + other.carried[second])
    return joined, (first.astype(np.int32), second.astype(np.int32))


def _best_pairs_sorted(one: Points, other: Points, most: int) -> tuple[Ids, Ids]:
    """The cheapest pair for each number of leaves, by sorting all pairs."""
    leaves = np.add.outer(one.leaves, other.leaves).ravel()
    cost = np.add.outer(one.cost, other.cost).ravel()
    order = np.lexsort((cost, leaves))
    leaves = leaves[order]
    new = leaves <= max(most, leaves[0])
    new[1:] &= leaves[1:] > leaves[:-1]
    return np.divmod(order[new], len(other.leaves))


def _best_pairs_by_row(few: Points, many: Points, most: int) -> tuple[Ids, Ids]:
    """The cheapest pair for each number of leaves, by going through the fewer points one by one."""
    start = int(many.leaves[0])
    at = many.leaves - start
    cost = np.full(int(at[-1]) + 1, np.inf)
    cost[at] = many.cost
    size = max(min(most, int(few.leaves[-1] + many.leaves[-1])) - start, int(few.leaves[0])) + 1
    best, row = np.full(size, np.inf), np.zeros(size, np.int64)
    for index, (leaves, more) in enumerate(zip(few.leaves.tolist(), few.cost.tolist(), strict=True)):
        standing = best[leaves : leaves + len(cost)]
        candidate = cost[: len(standing)] + more
        better = candidate < standing
        np.copyto(standing, candidate, where=better)
        np.copyto(row[leaves : leaves + len(cost)], index, where=better)
    found = np.flatnonzero(np.isfinite(best))
    first = row[found]
    return first, np.searchsorted(at, found - few.leaves[first])


def too_large(tree: Tree, most: int) -> str:
    """Say so if a tree would take too long or too much memory, by the most points there can be."""
    leaves = sum_below(tree.parent, (tree.n_children == 0).astype(float)[:, None])[:, 0].tolist()
    parent, joined = tree.parent.tolist(), [0.0] * len(tree)
    steps = points = 0.0
    for node in range(len(tree) - 1, 0, -1):
        above, own = parent[node], min(leaves[node], most)
        steps += min(joined[above], most) * own
        joined[above] += own
        points += min(joined[above], most)
    if steps <= MOST_STEPS and points <= MOST_POINTS:
        return ""
    return (
        f"MinimalSize would take up to {steps:.0e} steps and remember {points:.0e} points for this tree "
        f"of {tree.n_leaves} leaves: set max_leaves, or use CostComplexity, whose trees lie on its hull."
    )
