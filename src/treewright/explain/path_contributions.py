"""Contributions: how far each feature moved a prediction away from what the root of the tree says.

Palczewska, Palczewski, Marchese Robinson & Neagu (2014), *Interpreting random forest classification models
using a feature contribution method*; Saabas (2014) for regression.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.explain.path import Path
from treewright.tree.conditions import features_of

Array = NDArray[np.float64]


def contributions(paths: Sequence[Path], values: Sequence[Array]) -> Array:
    """Share the way of a prediction from the root's among the features that were asked on it.

    Each step changes what the row's node says; the change is the feature's that chose the branch: that of the
    split, of the surrogate that stood in, or the one whose value was missing. A split on several features
    shares its change equally among them. The contributions and what the root says add up to the prediction;
    those of several trees are averaged.

    Parameters
    ----------
    paths : sequence of Path
        The way of the row through each tree.
    values : sequence of float arrays of nodes × classes, or nodes × 1
        What each node of each tree says.

    Returns
    -------
    float array of features × classes, or features × 1

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor
    >>> from treewright.explain import follow, read_row
    >>> tree = DecisionTreeRegressor().fit([[1, 0], [1, 1], [2, 0], [2, 1]], [0.0, 0.0, 6.0, 10.0]).tree_
    >>> path = follow(tree, read_row([2, 1], tree.schema))
    >>> contributions([path], [tree.value]).ravel().tolist(), tree.value[0].tolist()
    ([4.0, 2.0], [4.0])
    """
    total = np.zeros((len(paths[0].tree.schema.columns), values[0].shape[1]))
    for path, value in zip(paths, values, strict=True):
        for step in path.steps:
            first = path.tree.first_child[step.node]
            change = sum(
                (share * (value[first + branch] - value[step.node]) for branch, share in step.branches),
                np.zeros(value.shape[1]),
            )
            features = features_of(path.split(step))
            total[list(features)] += change / len(features)
    return total / len(paths)
