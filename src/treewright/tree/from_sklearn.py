"""scikit-learn's fitted trees as trees of this library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Column, Schema
from treewright.errors import DataTypeError
from treewright.tree import Tree
from treewright.tree.model import TreeModel
from treewright.tree.splits import NO_SPLITS, THRESHOLD, SplitTable
from treewright.tree.topology import preorder


def tree_of(model: Any) -> Tree:
    """Give the tree of a model: of a Tree itself, of an estimator of this library, or of scikit-learn's.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree_of(DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]))
    Tree(3 nodes, 2 leaves, depth 1, 2 classes)
    """
    if isinstance(model, Tree):
        return model
    if isinstance(model, TreeModel):
        return model._fitted_tree()
    if hasattr(model, "estimators_"):
        raise DataTypeError(
            f"{type(model).__name__} is a model of several trees: give one of its estimators_."
        )
    if not hasattr(getattr(model, "tree_", None), "children_left"):
        raise DataTypeError(
            f"{type(model).__name__} has no tree: give a fitted decision tree, of treewright or scikit-learn."
        )
    return tree_from_sklearn(model)


def tree_from_sklearn(estimator: Any, schema: Schema | None = None) -> Tree:
    """Convert a fitted decision tree of scikit-learn.

    scikit-learn compares its thresholds with numbers rounded to single precision. The thresholds here are
    where that rounding turns over, so that every row takes the same way: the cut 2.5 becomes 2.50000012, for
    all numbers up to it are rounded to 2.5.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier or ExtraTreeRegressor
        A fitted tree of one target.
    schema : Schema, optional
        What its features and classes are; a tree of a forest does not know them.

    Returns
    -------
    Tree
        The same tree, its nodes numbered in preorder, as scikit-learn does unless `max_leaf_nodes` is given.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> tree = tree_from_sklearn(DecisionTreeRegressor().fit([[1.0], [2.0], [4.0]], [1.0, 1.0, 5.0]))
    >>> tree.node_value.ravel().round(3).tolist(), f"{tree.threshold[0]:.6g}"
    ([2.333, 1.0, 5.0], '3')
    """
    source = estimator.tree_
    schema = schema_from_sklearn(estimator) if schema is None else schema
    order, parent = _in_preorder(source.children_left, source.children_right)
    inner = source.children_left[order] >= 0
    weight = source.weighted_n_node_samples[order].astype(np.float64)
    value = source.value[order, 0, :].astype(np.float64)
    if schema.classes is not None:
        value = value / value.sum(axis=1, keepdims=True) * weight[:, None]
        whole = np.round(value)
        value = np.where(np.abs(value - whole) < 1e-6, whole, value)
    impurity = source.impurity[order].astype(np.float64)
    mass = weight * impurity
    lost = mass - np.bincount(parent[1:], mass[1:], minlength=len(order))
    return Tree(
        schema=schema,
        parent=parent,
        default_branch=np.where(inner, _default_branch(source)[order], -1),
        count=source.n_node_samples[order],
        weight=weight,
        node_value=value,
        impurity=impurity,
        risk=mass if schema.classes is None else weight - value.max(axis=1),
        merit=np.where(inner, lost / weight, 0.0),
        split_begin=np.concatenate([[0], np.cumsum(inner)]),
        splits=_thresholds(source.feature[order][inner], _turning_points(source.threshold[order][inner])),
        competitor_begin=np.zeros(len(order) + 1, np.int64),
        competitors=NO_SPLITS,
    )


def _in_preorder(left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Give scikit-learn's nodes in preorder, and the parent of each."""
    above = np.full(len(left), -1)
    inner = np.flatnonzero(left >= 0)
    above[left[inner]] = above[right[inner]] = inner  # which come after it, the left one first
    number = preorder(above)
    order = np.argsort(number)
    parent = number[above[order]]
    parent[0] = -1
    return order, parent.astype(np.int32)


def _default_branch(source: Any) -> NDArray[np.int64]:
    """Give where missing values go: where scikit-learn learned it to be, else the larger branch."""
    learned = getattr(source, "missing_go_to_left", None)
    if learned is None:
        return np.zeros(len(source.feature), np.int64)
    return np.where(np.asarray(learned).astype(bool), 0, 1)


def _turning_points(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the largest number that, rounded to single precision, is no larger than each threshold."""
    nearest = threshold.astype(np.float32)
    below = np.where(nearest > threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest)
    above = np.nextafter(below, np.float32(np.inf))
    middle = (below.astype(np.float64) + above) / 2  # exact, and rounded to the even one of the two
    is_even = below.view(np.uint32) % 2 == 0
    turning = np.where(is_even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(above), turning, threshold)


def schema_from_sklearn(estimator: Any) -> Schema:
    """Say what the features and classes of a fitted model of scikit-learn are.

    Raises
    ------
    DataTypeError
        If it has several targets.
    """
    if estimator.n_outputs_ > 1:
        raise DataTypeError(
            f"{type(estimator).__name__} has {estimator.n_outputs_} targets: only models of one can be used."
        )
    names = getattr(estimator, "feature_names_in_", None)
    columns = [f"x{feature}" for feature in range(estimator.n_features_in_)] if names is None else names
    classes = getattr(estimator, "classes_", None)
    return Schema(
        tuple(Column(str(name)) for name in columns),
        None if classes is None else np.asarray(classes),
        names is not None,
    )


def _thresholds(feature: NDArray[Any], threshold: NDArray[Any]) -> SplitTable:
    size = len(feature)
    return SplitTable(
        kind=np.full(size, THRESHOLD, np.uint8),
        feature=feature,
        threshold=threshold,
        score=np.zeros(size),
        pool_begin=np.zeros(size + 1, np.int64),
        pool_index=np.empty(0, np.int32),
        pool_value=np.empty(0),
    )
