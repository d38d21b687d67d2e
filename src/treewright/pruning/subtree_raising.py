"""Subtree raising (C4.5): keeps a node, collapses it, or puts its largest branch in its place.

From below, all nodes are judged at once that wait for no node below them. Where a branch is raised, what
stands below is judged again with the rows that come to it now. Quinlan (1993), *C4.5: Programs for Machine
Learning*, ch. 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.pruning.recount import errors_of, recount
from treewright.pruning.report import ACTIONS, Report
from treewright.tree import Tree
from treewright.tree.routing import STAY, Descent, Parts, Shape, place, tally_ends
from treewright.tree.topology import over_ancestors, sum_below
from treewright.tree.tree import rearranged

Array = NDArray[np.float64]
Ids = NDArray[np.int64]
Estimate = Callable[[Array, Array], Array]
KEEP, COLLAPSE, RAISE = range(len(ACTIONS))


class Judged(NamedTuple):
    """What was found at some nodes, none of which lies below another."""

    node: Ids
    largest: Ids  # the child that may be raised
    as_tree: Array
    as_leaf: Array
    as_branch: Array
    action: NDArray[np.int8]


NO_NODES, NO_ERRORS = np.empty(0, np.int64), np.empty(0)
NOTHING = Judged(NO_NODES, NO_NODES, NO_ERRORS, NO_ERRORS, NO_ERRORS, np.empty(0, np.int8))


class Raising:
    """A tree while it is pruned with raising.

    Parameters
    ----------
    tree : Tree
        The tree to prune.
    rows : Dataset
        Its training rows.
    estimate : callable
        Gives the errors to expect of leaves, from their rows and errors.
    tolerance : float
        What a simpler tree may err more.
    """

    def __init__(self, tree: Tree, rows: Dataset, estimate: Estimate, tolerance: float) -> None:
        assert rows.target is not None
        self._tree, self._target = tree, rows.target
        self._estimate, self._tolerance = estimate, tolerance
        self._descent = Descent(tree, rows)
        self._shares, self._stays = tree.shares_rows, bool((tree.default_branch == STAY).any())
        start = self._descent.start()
        self._parts = self._descent.route(start, share_by_rows=True) if self._shares else place(tree, rows)
        # The tree as it is now: whose split each node has, what hangs where, and what is a leaf or gone.
        self._content = np.arange(len(tree))
        self._parent = tree.parent.astype(np.int64)
        self._is_leaf = tree.n_children == 0
        self._gone = np.zeros(len(tree), bool)
        self._raised = False
        self._count()
        self._as_tree = self._as_leaf.copy()  # of inner nodes once they are judged
        self._history: list[Judged] = []

    def run(self) -> None:
        """Judge all nodes from below, and those below a raised branch again."""
        pending = ~self._is_leaf
        while len(waiting := np.flatnonzero(pending)):
            ready = pending.copy()
            ready[self._parent[waiting]] = False  # −1 is the last node, a leaf
            nodes = np.flatnonzero(ready)
            pending[nodes] = False
            under = self._children_above(nodes)
            judged = self._judge(nodes, under)
            self._history.append(judged)
            self._as_tree[nodes] = np.where(judged.action == COLLAPSE, judged.as_leaf, judged.as_tree)
            if (judged.action == COLLAPSE).any():
                self._collapse(nodes[judged.action == COLLAPSE], under)
            if (judged.action == RAISE).any():
                pending |= self._raise(judged, under)
            pending &= ~self._gone & ~self._is_leaf

    def tree(self) -> Tree:
        """Give the tree as it is now; its statistics are made anew if anything was raised."""
        collapsed = self._is_leaf & (self._tree.n_children[self._content] > 0)
        tree = rearranged(self._tree, ~self._gone, self._content, collapsed)
        if not self._raised:
            return tree
        new_id = np.cumsum(~self._gone) - 1
        return recount(tree, self._parts._replace(node=new_id[self._parts.node]), self._target)

    def report(self, pruner: str, measure: str) -> Report:
        """Report the decisions in order, by the nodes of the tree that was given."""
        columns_of = zip(NOTHING, *self._history, strict=True)
        node, _, as_tree, as_leaf, as_branch, action = map(np.concatenate, columns_of)
        after = np.where(action == RAISE, as_branch, as_leaf)
        columns = ("subtree", "leaf or branch")
        return Report(pruner, self._tree, measure, columns, node, as_tree, after, action.astype(np.int8))

    # ---- judging ---------------------------------------------------------------------------------------

    def _count(self) -> None:
        """Count the rows at all nodes, and estimate what each errs as a leaf."""
        ended = tally_ends(self._tree, self._parts, self._target)
        self._value = sum_below(self._parent, ended)
        self._weight = self._value.sum(axis=1)
        self._as_leaf = self._errors(self._value, self._value)
        # Rows that no split answers for may stay at an inner node and have its class.
        self._ended, self._as_end = ended, self._errors(ended, self._value)

    def _errors(self, value: Array, vote_weights: Array) -> Array:
        """Estimate the errors among class weights at nodes whose class follows from other weights."""
        return self._estimate(value.sum(axis=1), errors_of(value, vote_weights, self._tree.costs))

    def _children_above(self, nodes: Ids) -> Ids:
        """For every node the child of one of the given nodes that it is or lies below, else −1."""
        chosen = np.zeros(len(self._tree), bool)
        chosen[nodes] = True
        ids = np.arange(len(self._tree))
        step = np.where((self._parent >= 0) & chosen[np.maximum(self._parent, 0)] & ~self._gone, ids, -1)
        return over_ancestors(self._parent, step, np.maximum)

    def _judge(self, nodes: Ids, under: Ids) -> Judged:
        tree, content = self._tree, self._content[nodes]
        sizes = tree.n_children[content]
        children = tree.all_children(content).astype(np.int64)
        owner = np.repeat(np.arange(len(nodes)), sizes)
        as_tree = self._as_end[nodes] + np.bincount(owner, self._as_tree[children], len(nodes))
        weight = self._weight[children].round(9)  # sums of parts of rows are rounded
        order = np.lexsort((children, weight, owner))
        largest = children[order[np.cumsum(sizes) - 1]]  # the last of equals, as C4.5 has it
        as_leaf = self._as_leaf[nodes]
        as_branch = self._as_branch(nodes, largest, under)
        slack = self._tolerance
        collapse = (as_leaf <= as_branch + slack) & (as_leaf <= as_tree + slack)
        collapse |= self._is_leaf[largest] & (as_branch <= as_tree + slack)  # raised, it is the same leaf
        action = np.where(collapse, COLLAPSE, np.where(as_branch <= as_tree + slack, RAISE, KEEP))
        return Judged(nodes, largest, as_tree, as_leaf, as_branch, action.astype(np.int8))

    def _as_branch(self, nodes: Ids, largest: Ids, under: Ids) -> Array:
        """Estimate the errors of each node's rows in its largest branch."""
        place_of = np.full(len(self._tree), -1)
        place_of[largest] = np.arange(len(nodes))
        moved = self._settle(self._movers(nodes, largest, under))
        if self._stays:  # rows at an inner node err by its class, which all rows that come there decide
            added = tally_ends(self._tree, moved, self._target)
            come = sum_below(self._parent, added)
            touched = np.flatnonzero(come.any(axis=1) & (under >= 0))
            added, come = added[touched], come[touched]
        else:
            n_classes = self._value.shape[1]
            touched, slot = np.unique(moved.node, return_inverse=True)
            slot = slot * n_classes + self._target[moved.row]
            added = np.zeros((len(touched), n_classes))
            added += np.bincount(slot, moved.weight, added.size).reshape(added.shape)
            come = added
        owner = place_of[under[touched]]
        if self._shares:  # all rows have come anew
            return np.bincount(owner, self._errors(added, come), len(nodes)).astype(np.float64)
        after = self._errors(self._ended[touched] + added, self._value[touched] + come)
        change = after - self._as_end[touched]
        return np.asarray(self._as_tree[largest] + np.bincount(owner, change, len(nodes)))

    def _movers(self, nodes: Ids, largest: Ids, under: Ids) -> Parts:
        """The rows that raising would send down the largest branches: those that are elsewhere at the node.

        Where rows are shared by weight, new rows change the shares of the old: then all rows go down again.
        """
        goal = np.full(len(self._tree), -1)
        goal[nodes] = largest
        goal = np.where(under >= 0, goal[self._parent[under]], goal)
        moving = goal >= 0 if self._shares else (goal >= 0) & (goal != under)
        chosen = np.flatnonzero(moving[self._parts.node])
        movers = self._parts.take(chosen)
        movers = movers._replace(node=goal[movers.node])
        return _merged(movers) if self._shares else movers

    def _settle(self, parts: Parts) -> Parts:
        shape = Shape(self._content, self._is_leaf, self._weight)
        return self._descent.route(parts, shape, share_by_rows=self._shares)

    # ---- editing ---------------------------------------------------------------------------------------

    def _collapse(self, nodes: Ids, under: Ids) -> None:
        leaf = np.zeros(len(self._tree), bool)
        leaf[nodes] = True
        self._is_leaf |= leaf
        self._ended[nodes], self._as_end[nodes] = self._value[nodes], self._as_leaf[nodes]
        below = (under >= 0) & leaf[np.maximum(self._parent[under], 0)]
        self._gone |= below
        ends_at = np.where(below, self._parent[under], np.arange(len(self._tree)))
        parts = self._parts._replace(node=ends_at[self._parts.node])
        self._parts = _merged(parts) if self._shares else parts

    def _raise(self, judged: Judged, under: Ids) -> NDArray[np.bool_]:
        """Put the largest branches in the places of their nodes; give the nodes to be judged again."""
        self._raised = True
        chosen = judged.action == RAISE
        nodes, largest = judged.node[chosen], judged.largest[chosen]
        replaced = np.zeros(len(self._tree), bool)
        replaced[nodes] = True
        inside = (under >= 0) & replaced[np.maximum(self._parent[under], 0)]
        kept = inside & np.isin(under, largest)
        movers = self._movers(nodes, largest, under)
        at = self._parts.node
        outside = ~(inside | replaced)[at]
        staying = self._parts.take(outside if self._shares else outside | kept[at])
        source = self._content[largest]
        self._content[nodes] = source
        sizes = self._tree.n_children[source]
        self._parent[self._tree.all_children(source)] = np.repeat(nodes, sizes)
        self._gone |= inside & ~kept
        self._gone[largest] = True
        stands_for = np.arange(len(self._tree))
        stands_for[largest] = nodes
        moved = self._settle(movers._replace(node=stands_for[movers.node]))
        columns = zip(staying._replace(node=stands_for[staying.node]), moved, strict=True)
        self._parts = Parts(*(np.concatenate(column) for column in columns))
        self._count()
        fresh = kept | replaced
        self._as_tree[fresh] = self._as_leaf[fresh]
        return fresh


def _merged(parts: Parts) -> Parts:
    """Put the parts of a row that are at the same node together."""
    order = np.lexsort((parts.row, parts.node))
    parts = parts.take(order)
    new = np.append(True, (np.diff(parts.node) != 0) | (np.diff(parts.row) != 0))[: len(order)]
    weight = np.bincount(np.cumsum(new) - 1, parts.weight).astype(np.float64)
    return Parts(parts.row[new], parts.node[new], weight)
