"""Minimum description length (MDL) pruning: the tree that takes the fewest bits with its exceptions.

Quinlan & Rivest (1989), *Inferring decision trees using the minimum description length principle*,
Information and Computation 80; Mehta, Rissanen & Agrawal (1995), *MDL-based decision tree pruning*, KDD.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treewright._core import exp2, log, log1p, log2, log_gamma
from treewright.data import Dataset
from treewright.parameter_types import Domain, number, one_of
from treewright.pruning.bottom_up import cheapest
from treewright.pruning.losses import training_errors
from treewright.pruning.pruner import Pruned, Pruner
from treewright.tree import Tree
from treewright.tree.splits import INTERVALS, TABLE, THRESHOLD

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DescriptionLength(Pruner):
    """The pruning of fewest bits: one for each node, those of its splits, and those of its classes.

    A node says with one bit whether it is a leaf. A split takes log₂ p bits to name one of p features, and
    then to name a cut log₂(n − 1) bits with n rows at the node, to name a grouping of k categories
    log₂(2^(k−1) − 1), and nothing for one branch per category. Weights count as numbers of rows.

    Parameters
    ----------
    code : {"exceptions", "shares"}
        How a leaf tells the classes of its n rows, of k classes. "exceptions" names the leaf's class and then
        the e rows that are not of it: log₂ k + log₂(b + 1) + log₂ C(n, e) + e log₂(k − 1), where b = n (k −
        1) / k is the most there can be (Quinlan & Rivest, 1989). "shares" takes −log₂ of the chance of the
        classes, averaged over all class probabilities (Krichevsky & Trofimov, 1981), whose value for many
        rows is the stochastic complexity of Mehta et al. (1995).
    split_weight : float
        Factor on the bits of the tree itself: above 1 it prunes more.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> DescriptionLength()(tree).n_leaves
    4
    """

    domains: ClassVar[dict[str, Domain]] = {
        "code": one_of("exceptions", "shares"),
        "split_weight": number(0.0),
    }

    code: Literal["exceptions", "shares"] = "exceptions"
    split_weight: float = 1.0

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        self.require_classes(tree)
        leaf = self.split_weight + (exception_bits(tree) if self.code == "exceptions" else share_bits(tree))
        walk = cheapest(tree, leaf, self.split_weight * (1 + split_bits(tree)))
        report = self.report(
            tree,
            "bits for the tree and its classes",
            walk.decided,
            before=walk.subtree,
            after=leaf,
            collapse=walk.collapse,
        )
        return Pruned(tree.collapse(walk.collapse), report)


def exception_bits(tree: Tree) -> Array:
    """Bits to name the class of each node as a leaf, and the rows that are not of it."""
    n, k, errors = tree.weight, tree.node_value.shape[1], training_errors(tree)
    which = (log_gamma(n + 1) - log_gamma(errors + 1) - log_gamma(n - errors + 1)) / log(2)
    return np.asarray(log2(k) + log2(n * (k - 1) / k + 1) + which + errors * log2(max(k - 1, 1)))


def share_bits(tree: Tree) -> Array:
    """Bits of the classes of each node as a leaf, under the mean over all class probabilities."""
    value = np.where(tree.weight[:, None] > 0, tree.node_value, 0.0)
    k = value.shape[1]
    chance = log_gamma(value + 0.5).sum(axis=1) - k / 2 * log(pi) + log_gamma(k / 2)
    return np.asarray((log_gamma(value.sum(axis=1) + k / 2) - chance) / log(2))


def split_bits(tree: Tree) -> Array:
    """Bits to name each node's split; 0 at leaves."""
    bits = np.zeros(len(tree))
    inner = np.flatnonzero(tree.n_children)
    split = tree.split_begin[inner]
    kind, feature = tree.splits.kind[split], tree.splits.feature[split]
    cuts = log2(np.maximum(tree.count[inner] - 1, 1))
    values = np.array([len(column.categories) or 2**31 for column in tree.schema.columns])
    ordinal = np.minimum(cuts, log2(np.maximum(values[feature] - 1, 1)))
    entries = tree.splits.pool_begin[split + 1] - tree.splits.pool_begin[split]
    groups = np.maximum(entries - 1, 1.0)
    grouping = np.where(tree.n_children[inner] == 2, groups + log1p(-exp2(-groups)) / log(2), 0.0)
    # an oblique split names a number for each of its features, beside the threshold
    oblique = entries * (log2(max(tree.n_features, 1)) + cuts)
    choices = [kind == THRESHOLD, kind == TABLE, kind == INTERVALS]
    named = [ordinal, grouping, entries * ordinal]
    bits[inner] = log2(max(tree.n_features, 1)) + np.select(choices, named, oblique)
    return bits
