"""Arrays of a tree under scikit-learn's names (`children_left`, `threshold`, `impurity` …)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.tree.decision import searched_weights
from treewright.tree.splits import HYPERPLANE, SPHERE, THRESHOLD, SplitTable, concatenated_ranges
from treewright.tree.topology import Topology

if TYPE_CHECKING:
    from treewright.data import Schema


class SklearnArrays(Topology):
    """What ``sklearn.tree._tree.Tree`` calls the arrays of a binary tree; each is made when asked for."""

    schema: Schema
    default_branch: NDArray[np.int32]
    count: NDArray[np.int64]
    weight: NDArray[np.float64]
    value: NDArray[np.float64]
    impurity: NDArray[np.float64]
    split_begin: NDArray[np.int64]
    splits: SplitTable
    costs: NDArray[np.float64] | None

    @property
    def children_left(self) -> NDArray[np.int64]:
        """The child each node's branch 0 leads to, −1 at leaves."""
        self._require_binary()
        return self._children_at(0)

    @property
    def children_right(self) -> NDArray[np.int64]:
        """The child each node's branch 1 leads to, −1 at leaves."""
        self._require_binary()
        return self._children_at(1)

    def _children_at(self, branch: int) -> NDArray[np.int64]:
        children, inner = np.full(len(self.count), -1), np.flatnonzero(self.n_children)
        children[inner] = self.child(inner, np.array(branch))
        return children

    @property
    def feature(self) -> NDArray[np.int64]:
        """The feature each node splits on, −2 at leaves and where a split uses several."""
        feature = np.full(len(self.count), -2)
        nodes = np.flatnonzero(self.n_children)
        feature[nodes] = self.splits.feature[self.split_begin[nodes]]
        return np.where(feature < 0, -2, feature)

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The threshold of each node's split, −2 at leaves."""
        self._require_binary()
        threshold = np.full(len(self.count), -2.0)
        nodes = np.flatnonzero(self.n_children)
        split = self.split_begin[nodes]
        if np.any(self.splits.kind[split] != THRESHOLD):
            raise ValueError(
                "this tree has splits that are no thresholds: read them from its nodes, as tree[0].split"
            )
        threshold[nodes] = self.splits.threshold[split]
        return threshold

    @property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """Whether a row whose value is missing takes branch 0."""
        self._require_binary()
        left: NDArray[np.bool_] = (self.default_branch == 0) & (self.n_children > 0)
        return left.astype(np.uint8)

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        """scikit-learn's name of `count`."""
        return self.count

    @property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """scikit-learn's name of `weight`."""
        return self.weight

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.schema.columns)

    @property
    def n_outputs(self) -> int:
        """The number of targets, which is one."""
        return 1

    @property
    def max_n_classes(self) -> int:
        """The number of classes; 1 for regression."""
        return int(self.value.shape[1])

    @property
    def n_classes(self) -> NDArray[np.int64]:
        """The number of classes of each target."""
        return np.array([self.max_n_classes])

    @property
    def capacity(self) -> int:
        """The number of nodes there is room for, which is that of the nodes."""
        return len(self.count)

    def compute_feature_importances(self, normalize: bool = True) -> NDArray[np.float64]:
        """Sum for each feature the impurity its splits remove, per unit of the root's weight.

        A split removes weight · impurity of its node less those of the node's children (Breiman et al.,
        1984, ch. 5.3). A split on several features counts for each of them in equal parts.

        Parameters
        ----------
        normalize : bool, default=True
            Whether the importances are scaled to sum to 1.
        """
        mass = impurity_mass(self)
        removed = mass - np.bincount(self.parent[1:], mass[1:], minlength=len(mass))
        nodes = np.flatnonzero(self.n_children)
        split, removed = self.split_begin[nodes], removed[nodes]
        several = np.isin(self.splits.kind[split], (HYPERPLANE, SPHERE))
        single = self.splits.feature[split[~several]]
        importances = np.bincount(single, removed[~several], minlength=self.n_features).astype(np.float64)
        begin, end = self.splits.pool_begin[split[several]], self.splits.pool_begin[split[several] + 1]
        features = self.splits.pool_index[concatenated_ranges(begin, end - begin)]
        shares = np.repeat(removed[several] / (end - begin), end - begin)
        importances += np.bincount(features, shares, minlength=self.n_features)
        total = float(importances.sum() if normalize else self.weight[0])
        return importances / total if total > 0 else importances

    def _require_binary(self) -> None:
        if np.any((self.n_children != 0) & (self.n_children != 2)):
            widest = int(self.n_children.argmax())
            raise ValueError(
                f"this tree is not binary (node {widest} has {self.n_children[widest]} branches): "
                "read its shape by tree.children(node)"
            )


def impurity_mass(tree: SklearnArrays) -> NDArray[np.float64]:
    """Give each node's impurity times the weight by which the search for splits had it.

    That of a node is no less than that of its branches together.
    """
    if tree.costs is None:
        return np.asarray(tree.weight * tree.impurity)
    filled = np.where(tree.weight[:, None] > 0, tree.value, 0.0)  # empty nodes have their parent's value
    return np.asarray(searched_weights(filled, tree.costs).sum(axis=1) * tree.impurity)
