"""Losses: what every node of a tree would cost as a leaf, on its training rows or on other rows."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.formatting.suggestions import unknown_name
from treewright.formatting.text import counted
from treewright.parameter_types import Domain, one_of
from treewright.tree import Tree
from treewright.tree.sklearn_arrays import impurity_mass

Array = NDArray[np.float64]

Risk = Literal["error", "cost", "squared_error", "impurity"]
"""What a leaf may be priced by on the training rows."""

RISK_DOMAIN: Domain = one_of(*get_args(Risk), none=True)


def training_errors(tree: Tree) -> Array:
    """Weight of the training rows that each node, as a leaf, would put in the wrong class."""
    right = np.take_along_axis(tree.value, tree.label[:, None], axis=1)[:, 0]
    return np.where(tree.weight > 0, tree.value.sum(axis=1) - right, 0.0)


def training_risk(tree: Tree, risk: Risk | None) -> Array:
    """Total of a risk on the training rows of each node.

    Parameters
    ----------
    tree : Tree
    risk : str or None
        "error": weight of misclassified rows; "cost": what they cost the tree; "squared_error": sum of
        squares about the node's mean; "impurity": weight · impurity of the criterion that grew the tree. None
        is the risk that the tree was grown for: cost, or the loss of its regression.
    """
    allowed = ("error", "cost", "impurity") if tree.is_classifier else ("squared_error", "impurity")
    if risk is not None and risk not in allowed:
        raise ValueError(unknown_name("risk for this tree", risk, allowed))
    if risk == "impurity":
        return impurity_mass(tree)
    return training_errors(tree) if risk == "error" else tree.risk


def held_out_loss(tree: Tree, rows: Dataset) -> Array:
    """Total loss of rows at each node, if it were a leaf and predicted what its training rows say.

    The loss is one for each row misclassified, the tree's costs if it has any, and the squared error for
    regression.
    """
    seen = tree.tally(rows)
    if not tree.is_classifier:
        above = tree.value[:, 0] - tree.value[0, 0]
        weight, total, squares = seen.T
        return np.asarray(np.maximum(squares - 2 * above * total + above**2 * weight, 0.0))
    if tree.costs is not None:
        return np.asarray((seen * tree.costs.T[tree.label]).sum(axis=1))
    return np.asarray(seen.sum(axis=1) - np.take_along_axis(seen, tree.label[:, None], axis=1)[:, 0])


def row_loss(tree: Tree, target: NDArray[np.generic], node: NDArray[np.int64]) -> Array:
    """Loss of each row at the node given for it, per unit of weight."""
    if not tree.is_classifier:
        return np.asarray((target - tree.value[node, 0]) ** 2)
    label = tree.label[node]
    if tree.costs is None:
        return np.asarray(target != label, np.float64)
    return np.asarray(tree.costs[target.astype(int), label])


def loss_words(tree: Tree, rows: Dataset) -> str:
    """Say what the loss on held-out rows is."""
    loss = "squared error" if not tree.is_classifier else "errors" if tree.costs is None else "costs"
    return f"{loss} on {counted(len(rows), 'held-out row')}"
