"""Shapley values (SHAP): the mean effect of each feature on a prediction over all orders of features.

Where a feature is not known yet, a split on it sends the row down every branch by the weights of the training
rows (Lundberg et al., 2020, *From local explanations to global understanding with explainable AI for trees*).
Then the row comes to a leaf with the product, over the features on the way, of 1 or 0 if the feature is known
and of a share of the training rows if not, and the Shapley values follow from one integral over the chance t
that a feature is known (Owen, 1972, *Multilinear extensions of games*),

    value_j = Σ_leaves says · ∫₀¹ (known_j − share_j) · Π_{i ≠ j} (share_i + t · (known_i − share_i)) dt,

of a polynomial in t, which Gauss and Legendre's points give exactly. Sums are taken over nodes and not over
leaves times features (Bifet, Read & Xu, 2022, *Linear TreeShap*).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.tree import Tree
from treewright.tree.routing import SHARE, STAY, Descent
from treewright.tree.splits import features_of

Array = NDArray[np.float64]
Ids = NDArray[np.int64]

MOST_NUMBERS = 400_000
"""So many numbers are held at once: they should stay near the core."""


def shapley_values(tree: Tree, rows: Dataset, value: Array) -> Array:
    """Share the prediction of each row among the features, exactly.

    The values of a row add up to what the tree says of it less what it says on average. A split that no value
    answers is its own feature's, whoever stands in; one on several features is shared equally among them.

    Parameters
    ----------
    tree : Tree
    rows : Dataset
    value : float array of nodes × classes, or nodes × 1
        What each node says.

    Returns
    -------
    float array of rows × features × classes, or rows × features × 1

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor
    >>> X, y = [[1, 0], [1, 1], [2, 0], [2, 1]], [0.0, 0.0, 6.0, 10.0]
    >>> tree = DecisionTreeRegressor().fit(X, y).tree_
    >>> row = Dataset(tree.schema, *tree.schema.encode([[2, 1]]))
    >>> shapley_values(tree, row, tree.node_value).ravel().tolist()
    [4.5, 1.5]
    """
    steps = Steps.of(tree, value)
    found = np.zeros((len(rows), len(tree.schema.columns), value.shape[1]))
    if not len(steps.players):
        return found
    at_once = max(1, MOST_NUMBERS // steps.size)
    for begin in range(0, len(rows), at_once):
        chosen = np.arange(begin, min(begin + at_once, len(rows)))
        by_player = steps.shared(steps.known(Descent(tree, rows.take(chosen))))
        for features, part in zip(steps.players, by_player, strict=True):
            for feature in features:
                found[chosen, feature] += part / len(features)
    return found


def mean_movement(values: Array) -> Array:
    """Say how far each feature moves a prediction on average: the number, or the class probabilities.

    Of classes it is half the sum over them, as what one gains another loses.

    Examples
    --------
    >>> mean_movement(np.array([[[0.25, -0.25]], [[-0.75, 0.75]]])).tolist()
    [0.5]
    """
    sums: Array = np.abs(values).sum(axis=2).mean(axis=0)
    return sums / 2 if values.shape[2] > 1 else sums


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of rows from node to node, one into every node but the root, and who takes them.

    A row that may stay at an inner node steps to a further leaf that says the same.

    Attributes
    ----------
    tree : Tree
    parent, player, before : int arrays of steps
        Where a step comes from, who decides it, and the step above by the same player; 0 if there is none.
    share : float array of steps
        The share of the training rows that take the step and those above by the same player.
    value : float array of steps × classes
        What is said where a row ends; 0 where it does not.
    players : list of tuples of int
        The features that decide together.
    """

    tree: Tree
    parent: Ids
    player: Ids
    before: Ids
    share: Array
    value: Array
    players: list[tuple[int, ...]]

    @classmethod
    def of(cls, tree: Tree, value: Array) -> Steps:
        """Find the steps of a tree whose nodes say so much."""
        inner = np.flatnonzero(tree.n_children > 0)
        stays = inner[tree.default_branch[inner] == STAY]
        parent = np.concatenate([tree.parent, stays]).astype(np.int64)
        players: dict[tuple[int, ...], int] = {}
        decides = np.full(len(tree), -1)
        first = tree.split_begin[inner]
        for node, split, feature in zip(inner, first, tree.splits.feature[first].tolist(), strict=True):
            features = (feature,) if feature >= 0 else features_of(tree.splits[int(split)])
            decides[node] = players.setdefault(features, len(players))
        player = np.where(parent >= 0, decides[parent], -1)
        before = _before(parent, player)
        ends = np.concatenate([tree.n_children == 0, np.ones(len(stays), bool)])
        says = np.concatenate([value, value[stays]]) * ends[:, None]
        steps = cls(tree, parent, player, before, np.ones(len(parent)), says, list(players))
        steps.share[:] = steps.joined(_shares(tree, parent))
        return steps

    @cached_property
    def levels(self) -> list[Ids]:
        """The steps by their level, those from the same node side by side."""
        deep = self.tree.node_depth.astype(np.int64)
        level = np.concatenate([deep, deep[self.parent[len(deep) :]] + 1])
        order = np.lexsort((self.parent, level))
        return np.split(order, np.flatnonzero(np.diff(level[order])) + 1)

    @cached_property
    def points(self) -> tuple[Array, Array]:
        """Where to take the integral, and with what weights: exact for as many players as meet on a way."""
        met = np.zeros(len(self.parent), np.int64)
        for level in self.levels[1:]:
            met[level] = met[self.parent[level]] + (self.before[level] == 0)
        at, weight = np.polynomial.legendre.leggauss(max(1, -(-int(met.max()) // 2)))
        return (at + 1) / 2, weight / 2

    @property
    def size(self) -> int:
        """How many numbers a row takes."""
        return len(self.points[0]) * self.value.size

    def joined(self, taken: Array) -> Array:
        """Multiply each step with those above by the same player."""
        for level in self.levels[1:]:
            taken[level] *= taken[self.before[level]]
        return taken

    def known(self, descent: Descent) -> Array:
        """Give the part of each row that takes each step, and those above by the same player, once known."""
        tree, n_rows = self.tree, len(descent.rows)
        inner = np.flatnonzero(tree.n_children > 0)
        place = np.zeros(len(tree), np.int64)
        place[inner] = np.arange(len(inner))
        node, row = np.repeat(inner, n_rows), np.tile(np.arange(n_rows), len(inner))
        branch = descent.branch(row, node).reshape(len(inner), n_rows)
        number = np.full(len(self.parent), STAY)
        number[: len(tree)] = tree.branch
        asked = branch[place[self.parent]]
        taken = np.where(asked == SHARE, _shares(tree, self.parent)[:, None], asked == number[:, None])
        taken[0] = 1.0
        return self.joined(taken.astype(np.float64))

    def shared(self, known: Array) -> Array:
        """Give what each player adds to the prediction of each row: players × rows × classes."""
        points, weights = self.points
        gain = (known - self.share[:, None])[:, None, :]
        factor = self.share[:, None, None] + points[None, :, None] * gain
        safe = np.where(factor > 0, factor, 1.0)  # a step that nobody takes leads to nothing
        reached = np.ones_like(factor)
        for level in self.levels[1:]:
            ratio = factor[level] / safe[self.before[level]]
            reached[level] = reached[self.parent[level]] * ratio
        below = reached[..., None] * self.value[:, None, None, :]
        for level in reversed(self.levels[1:]):
            first = np.flatnonzero(np.diff(self.parent[level], prepend=-1))
            below[self.parent[level[first]]] += np.add.reduceat(below[level], first, axis=0)
        rate = gain / safe
        rate[0] = 0.0
        moved = np.einsum("sqrk,sqr,q->srk", below, rate - rate[self.before], weights, optimize=True)
        found = np.zeros((len(self.players), *moved.shape[1:]))
        np.add.at(found, self.player[1:], moved[1:])
        return found


def _before(parent: Ids, player: Ids) -> Ids:
    """Find for each step the nearest above by the same player; 0 if there is none."""
    before = np.maximum(parent, 0)
    while len(further := np.flatnonzero((before > 0) & (player[before] != player))):
        before[further] = parent[before[further]]
    return before


def _shares(tree: Tree, parent: Ids) -> Array:
    """Give the share of the training rows at a node that take each step from it; 1 for the root."""
    weight = np.concatenate([tree.weight, np.zeros(len(parent) - len(tree))])
    taken = np.bincount(parent[1:], weight[1:], len(tree))
    stays = np.arange(len(parent)) >= len(tree)
    weight[stays] = np.maximum(tree.weight - taken, 0.0)[parent[stays]]
    total = np.bincount(parent[1:], weight[1:], len(tree))
    ways = np.bincount(parent[1:], minlength=len(tree))
    evenly = 1 / np.maximum(ways, 1)[parent]  # below a node without rows
    share = np.where(total[parent] > 0, weight / np.where(total > 0, total, 1.0)[parent], evenly)
    share[0] = 1.0
    return np.asarray(share)
