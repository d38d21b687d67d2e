"""Structural-risk pruning: keep a subtree only if it is better than a leaf with high probability.

Kearns & Mansour (1998), *A fast, bottom-up decision tree pruning algorithm with near-optimal generalization*,
ICML.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import fsum, sqrt
from sys import float_info
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._core import exp, exp2, log, log1p
from treewright.data import Dataset
from treewright.parameter_types import Domain, is_number, is_whole
from treewright.pruning.losses import training_risk
from treewright.pruning.pruner import Pruned, Pruner
from treewright.tree import Tree
from treewright.tree.splits import HYPERPLANE, INTERVALS, SPHERE, TABLE


@dataclass(frozen=True)
class StructuralRisk(Pruner):
    """One pass from below: prune unless the subtree's error and a penalty are no more than the leaf's error.

    The penalty of node v, ℓ_v splits below the root, with m_v rows and a subtree of |T_v| nodes by then, is
    √(((ℓ_v + |T_v|) ln n + ln(1/δ)) / m_v). It is *conservative*: with probability 1 − δ every subtree that
    is kept is truly better than a leaf, so that the result lies inside the best pruning. As it is made for
    the worst case it prunes hard: with the constant of the lecture, 1, nearly every table of some hundred
    rows becomes a single leaf. The default scale is of use there: ten public tables keep 8.6 leaves in the
    mean, with an error of .199 (full trees .214 with 60, constant 1 .383).

    Parameters
    ----------
    delta : float
        The chance of keeping a subtree that should go.
    scale : float or "lecture"
        Factor on the penalty; "lecture" is 1, the constant of the theorem.
    n_splits : int or None
        n, how many splits there were to choose from at a node. None counts what the features could give: one
        for a Boolean attribute, be it of truth values, of two categories or of the numbers 0 and 1 alone; a
        cut between any two rows for another numeric one; all groupings in two of a categorical one, or one
        where the tree gives each value its own branch. Where the tree has splits on several features or into
        intervals, all ways in which such splits part the rows are added.
    loss_bound : float or None
        The largest loss of a row, by which risks are divided. None is 1, or the largest of the tree's costs;
        a regression tree has none of its own.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> StructuralRisk()(tree).n_leaves, StructuralRisk(scale="lecture")(tree).n_leaves
    (3, 1)
    """

    domains: ClassVar[dict[str, Domain]] = {
        "delta": Domain(lambda value: is_number(value) and 0 < value <= 1, "a float in the range (0.0, 1.0]"),
        "scale": Domain(
            lambda value: value == "lecture" or (is_number(value) and 0 <= value <= float_info.max),
            "a float in the range [0.0, inf) or 'lecture'",
        ),
        "n_splits": Domain(
            lambda value: value is None or (is_whole(value) and value >= 1),
            "an int in the range [1, inf) or None",
        ),
        "loss_bound": Domain(
            lambda value: value is None or (is_number(value) and 0 < value <= float_info.max),
            "a float in the range (0.0, inf) or None",
        ),
    }

    delta: float = 0.05
    scale: float | str = 0.1
    n_splits: int | None = None
    loss_bound: float | None = None

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        risk = training_risk(tree, None) / self._loss_bound(tree)
        log_n = log_splits(tree) if self.n_splits is None else log(self.n_splits)
        scale = 1.0 if self.scale == "lecture" else float(self.scale)
        walk = _Walk(tree, risk, log_n, log(1 / self.delta), scale)
        inner = np.flatnonzero(tree.n_children)[::-1]
        measure = f"error rate, a subtree's with its penalty; ln n = {log_n:.3g}"
        report = self.report(
            tree, measure, inner, before=walk.subtree, after=walk.leaf, collapse=walk.collapse
        )
        return Pruned(tree.collapse(walk.collapse), report)

    def _loss_bound(self, tree: Tree) -> float:
        if self.loss_bound is not None:
            return float(self.loss_bound)
        if not tree.is_classifier:
            raise ValueError(
                "StructuralRisk needs a bounded loss, and this tree predicts numbers: "
                "set loss_bound to the largest loss of a row, such as the squared range of the target."
            )
        return 1.0 if tree.costs is None else float(tree.costs.max()) or 1.0  # of one class


class _Walk:
    """The pass from below: error rates with penalties at every node, and what collapses."""

    def __init__(self, tree: Tree, risk: NDArray[np.float64], log_n: float, confidence: float, scale: float):
        rate = risk / np.where(tree.weight > 0, tree.weight, 1.0)
        leaf_risk, leaf_rate, weight = risk.tolist(), rate.tolist(), tree.weight.tolist()
        rows = np.maximum(tree.count, 1).tolist()
        depth, parent, n_children = tree.node_depth.tolist(), tree.parent.tolist(), tree.n_children.tolist()
        below, size = [0.0] * len(tree), [1] * len(tree)
        penalised, collapse = [np.nan] * len(tree), [False] * len(tree)
        for node in range(len(tree) - 1, -1, -1):
            kept, nodes = leaf_risk[node], 1
            if n_children[node]:
                penalty = scale * sqrt(((depth[node] + size[node]) * log_n + confidence) / rows[node])
                penalised[node] = (below[node] / weight[node] if weight[node] > 0 else 0.0) + penalty
                collapse[node] = penalised[node] > leaf_rate[node] or below[node] >= leaf_risk[node]
                if not collapse[node]:
                    kept, nodes = below[node], size[node]
            if node:
                below[parent[node]] += kept
                size[parent[node]] += nodes
        self.subtree, self.leaf, self.collapse = np.array(penalised), rate, np.array(collapse)


def log_splits(tree: Tree, n_rows: int | None = None) -> float:
    """Logarithm of the number of ways in which splits on the features of a tree could part its rows.

    A column of the numbers 0 and 1 alone is a Boolean attribute: one way. See `StructuralRisk`.

    Parameters
    ----------
    tree : Tree
    n_rows : int or None
        Rows to be parted; None is those that the tree was grown on. If the tree has splits over several
        numbers, planes in p dimensions part n rows in 2 Σ_{i≤p} C(n − 1, i) ways (Cover, 1965), spheres like
        planes in p + 1.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1, 0], [2, 0], [3, 1], [4, 1]], ["a", "b", "b", "a"]).tree_
    >>> round(float(np.exp(log_splits(tree))), 6)  # three cuts of the first feature, one of the second
    4.0
    """
    inner = np.flatnonzero(tree.n_children)
    kinds = tree.splits.kind[tree.split_begin[inner]]
    tables = kinds == TABLE
    branches = tree.n_children[inner][tables]
    n_rows = int(tree.count[0]) if n_rows is None else n_rows
    multiway = bool(tables.any() and (branches > 2).any())
    logs = []
    for column in tree.schema.columns:
        if column.kind == "categorical":
            groups = len(column.categories) - 1
            logs.append(0.0 if multiway or groups < 2 else groups * log(2) + log1p(-exp2(-groups)))
        else:
            values = 2 if column.boolean else n_rows
            cuts = len(column.categories) if column.kind == "ordinal" else values
            logs.append(log(max(min(cuts, n_rows) - 1, 1)))
    numeric = sum(column.kind != "categorical" for column in tree.schema.columns)
    if HYPERPLANE in kinds:
        logs.append(log(2) + _log_choices(n_rows - 1, numeric))
    if SPHERE in kinds:  # a plane once the squared length is one more feature
        logs.append(log(2) + _log_choices(n_rows - 1, numeric + 1))
    if INTERVALS in kinds:
        most_cuts = int(tree.n_children[inner][kinds == INTERVALS].max()) - 1
        logs.append(log(numeric) + _log_choices(n_rows - 1, most_cuts))
    return max(_log_sum(logs), log(2))


def _log_choices(n: int, most: int) -> float:
    """Logarithm of the number of ways to choose up to `most` of n things.

    Twice that number of n − 1 things is in how many ways a plane can part n points in general position in a
    space of so many dimensions (Cover, 1965).
    """
    steps = (log(n - k) - log(k + 1) for k in range(min(n, most)))
    return _log_sum(list(accumulate(steps, initial=0.0)))


def _log_sum(logs: Sequence[float]) -> float:
    """Logarithm of the sum of numbers given by their logarithms."""
    largest = max(logs)
    return largest + log(fsum(exp(one - largest) for one in logs))
