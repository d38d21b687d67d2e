"""Arrays of a tree under scikit-learn's names (`children_left`, `threshold`, `impurity` …)."""

from __future__ import annotations

import sys
from functools import cache, cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.tree.decision import searched_weights
from treewright.tree.splits import (
    HYPERPLANE,
    SPHERE,
    TABLE,
    THRESHOLD,
    SplitTable,
    concatenated_ranges,
    read_only,
)
from treewright.tree.topology import Topology

if TYPE_CHECKING:
    from treewright.data import Schema
    from treewright.tree.equations import Equations


NODE_RECORD = np.dtype(
    [
        ("left_child", np.int64),
        ("right_child", np.int64),
        ("feature", np.int64),
        ("threshold", np.float64),
        ("impurity", np.float64),
        ("n_node_samples", np.int64),
        ("weighted_n_node_samples", np.float64),
        ("missing_go_to_left", np.uint8),
    ],
    align=True,
)
"""A node as scikit-learn stores it."""


class SklearnArrays(Topology):
    """What ``sklearn.tree._tree.Tree`` calls the arrays of a binary tree, made once; `value` takes edits."""

    schema: Schema
    default_branch: NDArray[np.int32]
    count: NDArray[np.int64]
    weight: NDArray[np.float64]
    node_value: NDArray[np.float64]
    equations: Equations | None
    impurity: NDArray[np.float64]
    split_begin: NDArray[np.int64]
    splits: SplitTable
    costs: NDArray[np.float64] | None
    observed: NDArray[np.float64] | None
    decided: NDArray[np.int32] | None
    __dataclass_fields__: ClassVar[dict[str, Any]]

    if TYPE_CHECKING:

        @property
        def training_value(self) -> NDArray[np.float64]:
            """Class weights, or means, of the training rows at each node."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # `isinstance` asks for it: what computes with scikit-learn's trees, as shap does, looks for their
        # class, which is compiled and cannot be told of ours.
        ours: type = type(self)
        theirs = sys.modules.get("sklearn.tree._tree")
        if theirs is None:
            return ours
        if (skops := sys.modules.get("skops.io._utils")) is not None:
            _told_apart(skops, ours)
        return _class_of_both(ours, theirs.Tree)

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """What each node predicts: class probabilities, or a number; of shape (nodes, targets, classes).

        Libraries write into it, as they do into scikit-learn's: estimators predict what it holds. That of
        linear leaves, and of leaves decided by hand, is read-only.
        """
        value = self._fresh_value()
        own = self.equations is not None or self.decided is not None
        return read_only(value, np.float64) if own else value

    def _fresh_value(self) -> NDArray[np.float64]:
        value = self.node_value.reshape(len(self), self.schema.n_outputs, -1)
        total = 1.0 if self.schema.classes is None else value.sum(axis=2, keepdims=True)
        return np.asarray(value / total)

    def take_edited_value(self) -> bool:
        """Predict what was written into `value`, if anything was; what the training rows say stays.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.value[1] = [[0.9, 0.1]]
        >>> tree.take_edited_value()
        True
        >>> tree.predict([[1.5]]).tolist()
        [[0.9, 0.1]]
        """
        value = vars(self).get("value")
        if value is None or np.array_equal(value, self._fresh_value(), equal_nan=True):
            return False
        total = self.node_value.reshape(value.shape).sum(axis=2, keepdims=True)
        edited = value if self.schema.classes is None else value * total
        if not np.isfinite(edited).all() or (self.schema.classes is not None and (edited < 0).any()):
            raise ValueError("tree_.value was edited and is negative or not finite: that is no prediction.")
        observed = None if self.schema.outputs else self.training_value
        made = {name: vars(self)[name] for name in self.__dataclass_fields__}
        made |= {"node_value": read_only(edited.reshape(self.node_value.shape), np.float64), "value": value}
        self.__dict__.clear()  # whatever else follows from these
        self.__dict__.update(made, observed=observed)
        return True

    @cached_property
    def children_left(self) -> NDArray[np.int64]:
        """The child each node's branch 0 leads to, −1 at leaves."""
        return self._children_at(0)

    @cached_property
    def children_right(self) -> NDArray[np.int64]:
        """The child each node's branch 1 leads to, −1 at leaves."""
        return self._children_at(1)

    def _children_at(self, branch: int) -> NDArray[np.int64]:
        self._require_binary()
        children, inner = np.full(len(self), -1), np.flatnonzero(self.n_children)
        children[inner] = self.child(inner, np.array(branch))
        return read_only(children, np.int64)

    @cached_property
    def feature(self) -> NDArray[np.int64]:
        """The feature each node splits on, −2 at leaves and where a split uses several."""
        feature = np.full(len(self), -2)
        nodes = np.flatnonzero(self.n_children)
        feature[nodes] = self.splits.feature[self.split_begin[nodes]]
        return read_only(np.where(feature < 0, -2, feature), np.int64)

    @cached_property
    def threshold(self) -> NDArray[np.float64]:
        """The threshold of each node's split, −2 at leaves; 0.5 between False and True."""
        self._require_binary()
        threshold = np.full(len(self), -2.0)
        nodes = np.flatnonzero(self.n_children)
        split = self.split_begin[nodes]
        other = self.splits.kind[split] != THRESHOLD
        threshold[nodes] = np.where(other, 0.5, self.splits.threshold[split])
        if not all(self._parts_truth_values(index) for index in split[other].tolist()):
            raise ValueError(
                "this tree has splits that are no thresholds: read them from its nodes, as tree[0].split"
            )
        return read_only(threshold, np.float64)

    def _parts_truth_values(self, split: int) -> bool:
        """Whether a split sends False to branch 0 and True to branch 1."""
        table = self.splits
        if table.kind[split] != TABLE or self.schema.columns[table.feature[split]].categories != (
            False,
            True,
        ):
            return False
        pool = slice(*table.pool_begin[split : split + 2].tolist())
        return bool((table.pool_index[pool] == table.pool_value[pool]).all())

    @cached_property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """Whether a row whose value is missing takes branch 0."""
        self._require_binary()
        return read_only((self.default_branch == 0) & (self.n_children > 0), np.uint8)

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        """scikit-learn's name of `count`.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.n_node_samples.tolist()
        [3, 2, 1]
        """
        return self.count

    @property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """scikit-learn's name of `weight`.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.weighted_n_node_samples.tolist()
        [3.0, 2.0, 1.0]
        """
        return self.weight

    @property
    def n_features(self) -> int:
        """The number of features.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.n_features
        1
        """
        return len(self.schema.columns)

    @property
    def n_outputs(self) -> int:
        """The number of targets.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.n_outputs
        1
        """
        return int(self.value.shape[1])

    @property
    def max_n_classes(self) -> int:
        """The most classes that a target has; 1 for regression.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.max_n_classes
        2
        """
        return int(self.value.shape[2])

    @property
    def n_classes(self) -> NDArray[np.int64]:
        """The number of classes of each target.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.n_classes.tolist()
        [2]
        """
        outputs = self.schema.outputs
        if not outputs:
            return np.array([self.max_n_classes])
        return np.array([1 if output.classes is None else len(output.classes) for output in outputs])

    @property
    def capacity(self) -> int:
        """The number of nodes there is room for, which is that of the nodes.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.capacity
        3
        """
        return len(self)

    def compute_node_depths(self) -> NDArray[np.int64]:
        """Give the number of nodes between the root and each node, both counted, as scikit-learn does.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.compute_node_depths().tolist()
        [1, 2, 2]
        """
        return self.node_depth.astype(np.int64) + 1

    def __getstate__(self) -> dict[str, Any]:
        """Give the tree as scikit-learn pickles one; this library's are pickled as model files."""
        nodes = np.empty(len(self), NODE_RECORD)
        nodes["left_child"], nodes["right_child"] = self.children_left, self.children_right
        for name in list(NODE_RECORD.fields or ())[2:]:
            nodes[name] = getattr(self, name)
        return {"max_depth": self.max_depth, "node_count": len(self), "nodes": nodes, "values": self.value}

    def compute_feature_importances(self, normalize: bool = True) -> NDArray[np.float64]:
        """Sum for each feature the impurity its splits remove, per unit of the root's weight.

        A split removes weight · impurity of its node less those of the node's children (Breiman et al.,
        1984, ch. 5.3). A split on several features counts for each of them in equal parts. The terms of
        linear leaves count by what they save of the sum of squares.

        Parameters
        ----------
        normalize : bool, default=True
            Whether the importances are scaled to sum to 1.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> tree = DecisionTreeClassifier(max_depth=2).fit(*datasets.load_iris()).tree_
        >>> tree.compute_feature_importances().round(2).tolist()
        [0.0, 0.0, 0.56, 0.44]
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
        if self.equations is not None:  # what the terms of leaves save counts as what splits do
            importances += self.equations.gain_by_feature(np.flatnonzero(self.n_children == 0))
        total = float(importances.sum() if normalize else self.weight[0])
        return importances / total if total > 0 else importances

    def compute_partial_dependence(
        self, X: NDArray[Any], target_features: NDArray[Any], out: NDArray[np.float64]
    ) -> None:
        """Add to `out` what is predicted where some features are known, averaged over the others.

        Where a split asks for another feature both branches are taken, each with its share of the training
        rows (Friedman, 2001).

        Parameters
        ----------
        X : array of rows × target features
        target_features : int array
            The features whose values the columns of `X` are.
        out : float array of rows

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> import numpy as np
        >>> out = np.zeros(2)
        >>> tree.compute_partial_dependence(np.array([[1.0], [4.0]]), np.array([0]), out)
        >>> out.tolist()
        [1.0, 0.0]
        """
        left, right, feature = self.children_left, self.children_right, self.feature.tolist()
        column = {int(known): place for place, known in enumerate(target_features)}
        waiting = {0: np.ones(len(X))}
        for node in range(len(self)):
            share = waiting.pop(node)
            if left[node] < 0:
                out += share * self.value[node, 0, 0]
                continue
            goes_left = self.weight[left[node]] / self.weight[node]
            if feature[node] in column:
                goes_left = X[:, column[feature[node]]] <= self.threshold[node]
            waiting[int(left[node])], waiting[int(right[node])] = share * goes_left, share * (1.0 - goes_left)

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
    filled = np.where(tree.weight[:, None] > 0, tree.node_value, 0.0)  # empty nodes have their parent's value
    return np.asarray(searched_weights(filled, tree.costs).sum(axis=1) * tree.impurity)


@cache
def _class_of_both(ours: type, theirs: type) -> type:
    """Give a class that is both for `isinstance`; what it makes is ours."""

    def make(cls: type, *arguments: Any, **named: Any) -> Any:
        return ours(*arguments, **named)

    return type(ours.__name__, (ours, theirs), {"__module__": ours.__module__, "__new__": make})


@cache
def _told_apart(skops: ModuleType, ours: type) -> None:
    """Have skops keep trees as objects of ours: by their class it would make scikit-learn's of them."""
    if (keep := vars(skops).get("_get_state")) is not None:
        keep.register(ours, keep.dispatch(object))
