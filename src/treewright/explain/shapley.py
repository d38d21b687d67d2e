"""Shapley values (SHAP): the mean effect of each feature on a prediction over all orders of features.

Where a feature is not known yet, a split on it sends the row down every branch by the weights of the training
rows (Lundberg et al., 2020, *From local explanations to global understanding with explainable AI for trees*).
`core/predict/shapley.hpp` says how the core works the values out, exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Dataset
from treewright.tree import Tree
from treewright.tree.routing import STAY
from treewright.tree.splits import features_of

Array = NDArray[np.float64]
Ids = NDArray[np.int64]


def shapley_values(tree: Tree, rows: Dataset, value: Array, threads: int = 1) -> Array:
    """Share the prediction of each row among the features, exactly.

    The values of a row add up to what the tree says of it less what it says on average. A split that no value
    answers is its own feature's, whoever stands in; one on several features is shared equally among them.

    Parameters
    ----------
    tree : Tree
    rows : Dataset
    value : float array of nodes × classes, or nodes × 1
        What each node says.
    threads : int
        How many threads work.

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
    _refuse_equations(tree)
    n_features = len(tree.schema.columns)
    steps = Steps.of(tree, value, [(feature,) for feature in range(n_features)])
    by_player = steps.shapley(rows, pairs=False, threads=threads)[:, :, 0]
    found = by_player[:, :n_features]
    for player, features in enumerate(steps.players[n_features:], n_features):
        for feature in features:
            found[:, feature] += by_player[:, player] / len(features)
    return np.ascontiguousarray(found)


def interaction_values(tree: Tree, rows: Dataset, value: Array, threads: int = 1) -> Array:
    """Share the Shapley values of each row among pairs of features, exactly.

    What two features add by meeting is shared between the two orders of the pair; what is left of the Shapley
    value of a feature is its own, and stands on the diagonal. So the values of a row add up to those of
    `shapley_values`.

    Parameters
    ----------
    tree, rows, value, threads
        As for `shapley_values`.

    Returns
    -------
    float array of rows × features × features × classes, or rows × features × features × 1

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor().fit([[1, 0], [1, 1], [2, 0], [2, 1]], [0.0, 0.0, 6.0, 10.0])
    >>> tree, row = model.tree_, Dataset.from_table([[2, 1]])
    >>> interaction_values(tree, row, tree.node_value)[0, :, :, 0].tolist()
    [[4.0, 0.5], [0.5, 1.0]]
    """
    _refuse_equations(tree)
    steps = Steps.of(tree, value)
    n_features = len(tree.schema.columns)
    found = np.zeros((len(rows), n_features, n_features, value.shape[1]))
    by_pair = steps.shapley(rows, pairs=True, threads=threads)
    for one, features in enumerate(steps.players):
        met = by_pair[:, one].sum(axis=1) - by_pair[:, one, one]
        for feature in features:
            found[:, feature, feature] += (by_pair[:, one, one] - met) / len(features)
            for two, others in enumerate(steps.players):
                for other in others if two != one else ():
                    found[:, feature, other] += by_pair[:, one, two] / (len(features) * len(others))
    return found


@cache
def _points(n: int) -> tuple[Array, Array]:
    """Gauss and Legendre's points between 0 and 1, and their weights."""
    at, weight = np.polynomial.legendre.leggauss(n)
    return (at + 1) / 2, weight / 2


def _refuse_equations(tree: Tree) -> None:
    if tree.equations is not None:
        raise ValueError(
            "shap_values are those of constant leaves, and this tree's are linear: see explain()."
        )


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
    parent, branch, player : int arrays of steps
        The node that a step comes from, which of its branches it is, and who decides it.
    share : float array of steps
        The share of the training rows at its parent that take a step.
    value : float array of steps × classes
        What is said where a row ends; 0 where it does not.
    players : list of tuples of int
        The features that decide together.
    """

    tree: Tree
    parent: Ids
    branch: Ids
    player: Ids
    share: Array
    value: Array
    players: list[tuple[int, ...]]

    @classmethod
    def of(cls, tree: Tree, value: Array, players: Iterable[tuple[int, ...]] = ()) -> Steps:
        """Find the steps of a tree whose nodes say so much; given players come first, used or not."""
        inner = np.flatnonzero(tree.n_children > 0)
        stays = inner[tree.default_branch[inner] == STAY]
        parent = np.concatenate([tree.parent, stays]).astype(np.int64)
        number = {features: place for place, features in enumerate(players)}
        decides = np.full(len(tree), -1)
        first = tree.split_begin[inner]
        for node, split, feature in zip(inner, first, tree.splits.feature[first].tolist(), strict=True):
            features = (feature,) if feature >= 0 else features_of(tree.splits[int(split)])
            decides[node] = number.setdefault(features, len(number))
        branch = np.concatenate([tree.branch, np.full(len(stays), STAY)]).astype(np.int64)
        ends = np.concatenate([tree.n_children == 0, np.ones(len(stays), bool)])
        says = np.concatenate([value, value[stays]]) * ends[:, None]
        return cls(tree, parent, branch, decides[parent], _shares(tree, parent), says, list(number))

    @property
    def points(self) -> tuple[Array, Array]:
        """Where to take the integral, and with what weights: exact for as many players as meet on a way."""
        most = min(len(np.unique(self.player[1:])), self.tree.depth)
        return _points(max(1, -(-most // 2)))

    @property
    def size(self) -> int:
        """How many numbers are worked out for a row."""
        return len(self.points[0]) * self.value.size

    def shapley(self, rows: Dataset, *, pairs: bool, threads: int) -> Array:
        """Give what each player adds, rows × players × 1 × classes, or each pair; see the core."""
        schema = self.tree.schema
        classes = self.value.shape[1] > 1 and not schema.outputs  # what some gain the others lose
        found: Array = _core.shapley(
            self.tree.core_arrays,
            rows.numbers,
            rows.codes,
            schema.position,
            self.parent,
            self.branch,
            self.player,
            self.share,
            np.ascontiguousarray(self.value[:, 1:] if classes else self.value),
            *self.points,
            len(self.players),
            pairs,
            threads,
        )
        if not classes:
            return found
        every = np.empty((*found.shape[:-1], self.value.shape[1]))
        every[..., 1:] = found
        np.negative(found.sum(axis=-1) if found.shape[-1] > 1 else found[..., 0], out=every[..., 0])
        return every


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
