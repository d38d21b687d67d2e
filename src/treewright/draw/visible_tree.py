"""The visible part of a large tree in a drawing, and the rows that reach each of its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset, Schema
from treewright.data.dataset import labelled_rows
from treewright.data.schema import Infinities
from treewright.errors import DataError
from treewright.explain import read_row
from treewright.tree import Tree
from treewright.tree.routing import is_grown_on, place
from treewright.tree.splits import Split, Table, branch_of, compared
from treewright.tree.topology import sum_below

Ids = NDArray[np.int64]
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Held:
    """The rows that a picture counts: those that the tree was grown on, or others that are given.

    Attributes
    ----------
    count, weight : arrays of n nodes
        How many rows come to each node, and their weight.
    value : array of nodes × classes, or × 1
        Weight of each class among them, or their mean; what the node predicts where there are none.
    given : bool
        Whether they are others than those that the tree was grown on.
    """

    count: Ids
    weight: Array
    value: Array
    given: bool

    def share(self, tree: Tree, node: int) -> float:
        """Give the probability of a node's class, or among rows that are given their share of it."""
        code = tree.label[node]
        if self.given:
            return float(self.value[node, code] / self.weight[node])
        return float(tree.class_probabilities[node, code])


def held_by(tree: Tree, rows: Rows | None) -> Held:
    """Count rows at the nodes of a tree; of those that it was grown on the tree knows the counts."""
    if rows is None or is_grown_on(tree, rows.dataset):
        return Held(tree.count, tree.weight, tree.training_value, False)
    count = np.array([len(rows.at(node)) for node in range(len(tree))])
    seen = tree.tally(rows.dataset)
    if tree.is_classifier:
        weight, value = seen.sum(axis=1), seen
    else:
        weight, value = seen[:, 0], np.array(tree.node_value)
        some = weight > 0
        value[some, 0] = tree.node_value[0, 0] + seen[some, 1] / weight[some]
    return Held(count, weight, value, True)


@dataclass(frozen=True, eq=False)
class Shown:
    """The part of a tree that a picture shows.

    Attributes
    ----------
    tree : Tree
        The shown nodes as a tree of their own.
    source : int array
        The number each of them has in the whole tree.
    hidden : int array
        How many leaves of the whole tree are folded into each of them; 0 where none are.
    held : Held
        The rows that come to each of them.
    """

    tree: Tree
    source: Ids
    hidden: Ids
    held: Held


def show(tree: Tree, max_leaves: int | None, row: Rows | None = None) -> Shown:
    """Open the nodes of a tree where most is at stake until so many leaves are shown; fold the rest.

    The node opened next is the one of largest loss: where, as a leaf, the tree would lose most. Before that
    those are opened which a row passes, if one is given, all the way to its leaf.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> shown = show(DecisionTreeClassifier().fit(*datasets.load_iris()).tree_, 4)
    >>> shown.tree.n_leaves, shown.hidden.tolist()
    (4, [0, 0, 0, 0, 2, 3, 3])
    """
    folded = np.zeros(len(tree), bool)
    if max_leaves is not None and tree.n_leaves > max_leaves:
        stake = np.array(tree.risk)
        if row is not None:
            stake[[node for node in range(len(tree)) if len(row.at(node))]] = np.inf
        folded[_folded(tree, max_leaves, stake.tolist())] = True
    leaves = sum_below(tree.parent, (tree.n_children == 0).astype(np.float64)[:, None])[:, 0]
    source = np.flatnonzero(~tree.below(folded))
    hidden = np.where(folded, leaves, 0)[source].astype(np.int64)
    seen = tree.collapse(folded) if folded.any() else tree
    return Shown(seen, source, hidden, held_by(seen, None))


def _folded(tree: Tree, max_leaves: int, stake: list[float]) -> list[int]:
    """List the nodes that stay closed."""
    frontier, closed, n_leaves = [(-stake[0], 0)], [], 1
    while frontier:
        _, node = heappop(frontier)
        children = tree.children(node)
        if n_leaves + len(children) - 1 > max_leaves and stake[node] < np.inf:
            closed.append(node)
        elif children:
            n_leaves += len(children) - 1
            for child in children:
                heappush(frontier, (-stake[child], child))
    return closed


def reach(values: Array) -> tuple[float, float]:
    """Give the lowest and the highest number, without rare ones far out that would squeeze all others.

    Examples
    --------
    >>> reach(np.append(np.arange(1000.0), 1e9))
    (5.0, 995.0)
    """
    lowest, highest = float(values.min()), float(values.max())
    low, high = np.quantile(values, [0.005, 0.995], method="nearest").tolist()
    if highest / 2 - lowest / 2 > high - low > 0:  # half the axis would be for a hundredth of the rows
        return low, high
    return lowest, highest


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with their target, as they come to the nodes of a shown tree."""

    tree: Tree
    dataset: Dataset

    @cached_property
    def _at(self) -> list[Ids]:
        parts = place(self.tree, self.dataset)
        order = np.argsort(parts.node, kind="stable")
        end = np.cumsum(np.bincount(parts.node, minlength=len(self.tree)))
        at: list[list[Ids]] = [[rows] for rows in np.split(parts.row[order], end[:-1])]
        for node in range(len(self.tree) - 1, 0, -1):  # children come after their parent
            at[self.tree.parent[node]].extend(at[node])
        ascending = (np.sort(np.concatenate(rows)) for rows in at)
        return [rows[np.diff(rows, prepend=-1) > 0] for rows in ascending]  # a shared row comes once

    def at(self, node: int) -> Ids:
        """Give the rows that pass or end in a node, whole or in part."""
        return self._at[node]

    def n_missing(self, node: int) -> int:
        """Count the rows at a node that do not answer its split; none at a leaf."""
        split = self.tree[node].split
        return 0 if split is None else int(np.count_nonzero(np.isnan(self.compared(split, node))))

    def target(self, node: int) -> NDArray[Any]:
        """Give the targets of the rows at a node."""
        assert self.dataset.target is not None
        return self.dataset.target[self._at[node]]

    @cached_property
    def _target_reach(self) -> tuple[float, float]:
        return reach(np.asarray(self.dataset.target, np.float64))

    def target_share(self, number: Any) -> Any:
        """Give where numbers lie in the reach of all targets, from 0 to 1."""
        low, high = (end / 2 for end in self._target_reach)  # halves: the range may be beyond all numbers
        return np.clip((np.asarray(number) / 2 - low) / ((high - low) or 1.0), 0.0, 1.0)

    def compared(self, split: Split, node: int) -> Array:
        """Give what a split looks at in the rows of a node: a number, a code or a sum; NaN if missing."""
        if not isinstance(split, Table):
            return compared(split, self.dataset, self._at[node])
        codes = self.dataset.values(split.feature)[self._at[node]].astype(np.float64)
        return np.where(codes < 0, np.nan, codes)

    def branch(self, split: Split, node: int) -> Array:
        """Give the branch of the rows of a node by a split; NaN where it does not answer."""
        branch = branch_of(split, self.dataset, self._at[node]).astype(np.float64)
        return np.where(branch < 0, np.nan, branch)


def stored_value(schema: Schema, feature: int, value: Any) -> float:
    """Give a value of a feature, as its reader writes it, as it is stored: a number, or a code.

    Examples
    --------
    >>> from treewright.data import Column
    >>> stored_value(Schema((Column("a"), Column("b", "categorical", ("x", "y")))), 1, "y")
    1.0
    """
    row: list[Any] = [None] * len(schema.columns)
    is_date = isinstance(value, str) and (schema.columns[feature].unit or "").startswith("datetime64")
    row[feature] = np.datetime64(value) if is_date else value
    numbers, codes = schema.encode([row], check_names=False, unseen="error")
    array = codes if schema.columns[feature].kind == "categorical" else numbers
    return float(array[0, schema.position[feature]])


def said(tree: Tree, rows: Dataset) -> Array:
    """Give what a tree says of each row: the class probabilities, or a number."""
    value = tree.node_value
    if tree.is_classifier:
        value = value / np.maximum(value.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return tree.spread(rows.numbers, rows.codes, value)


def infinities(model: Any) -> Infinities:
    """Say what a model does with infinities; a tree alone refuses them."""
    policy: Infinities = getattr(model, "inf", "error")
    return policy


def read_table(tree: Tree, X: Any, inf: Infinities = "error") -> Dataset:
    """Encode rows as those that the tree was grown on, without their target."""
    return Dataset(tree.schema, *map(np.asfortranarray, tree.schema.encode(X, inf=inf, check_names=False)))


def read_one(tree: Tree, row: Any, inf: Infinities = "error") -> Dataset:
    """Read one row from whatever holds it."""
    read = read_row(row, tree.schema, inf=inf)
    return Dataset(tree.schema, read.numbers[None, :], read.codes[None, :])


def read_rows(tree: Tree, X: Any, y: Any, inf: Infinities = "error") -> Dataset:
    """Encode rows as those that the tree was grown on; rows of unknown classes are left out.

    Raises
    ------
    DataError
        If there is a target without rows, rows without their target, or no row of a known class.
    """
    if X is None or y is None:
        raise DataError(
            f"{'X' if X is None else 'y'} is missing: give the rows and their target, or neither."
        )
    encoded = tree.schema.encode(X, inf=inf, check_names=False)
    return labelled_rows(tree.schema, *encoded, y, name="the tree")[0]
