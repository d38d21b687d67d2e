"""Losses of nodes as leaves: error, cost or squared error, on training rows or on other rows."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Dataset
from treewright.formatting.suggestions import unknown_name
from treewright.formatting.text import counted
from treewright.parameter_types import Domain, one_of
from treewright.tree import Tree
from treewright.tree.routing import place
from treewright.tree.sklearn_arrays import impurity_mass

Array = NDArray[np.float64]

Risk = Literal["error", "cost", "squared_error", "impurity", "log_loss"]
"""What a leaf may be priced by on the training rows."""

Loss = Literal[Risk, "brier"]
"""What a leaf may be judged by on other rows."""

RISK_DOMAIN: Domain = one_of(*get_args(Risk), none=True)

LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
"""What a class that a node has never seen is taken to have on other rows, as in scikit-learn's `log_loss`."""


def training_errors(tree: Tree) -> Array:
    """Weight of the training rows that each node, as a leaf, would put in the wrong class."""
    right = np.take_along_axis(tree.node_value, tree.label[:, None], axis=1)[:, 0]
    return np.where(tree.weight > 0, tree.node_value.sum(axis=1) - right, 0.0)


def training_risk(tree: Tree, risk: Risk | None) -> Array:
    """Total of a risk on the training rows of each node.

    Parameters
    ----------
    tree : Tree
    risk : str or None
        "error": weight of misclassified rows; "cost": what they cost the tree; "squared_error": sum of
        squares about the node's mean; "impurity": weight · impurity of the criterion that grew the tree;
        "log_loss": −Σ log₂ P(y) of the node's class probabilities P, which is weight · entropy. None is the
        risk that the tree was grown for: cost, or the loss of its regression.
    """
    check_risk(tree, risk)
    if risk == "impurity":
        return impurity_mass(tree)
    if risk == "log_loss":
        return np.where(tree.weight > 0, (tree.node_value * bits_of(tree)).sum(axis=1), 0.0)
    return training_errors(tree) if risk == "error" else tree.risk


def check_risk(tree: Tree, risk: Risk | None) -> None:
    """Refuse a risk that a tree does not have."""
    if risk is None:
        return
    allowed = (
        ("error", "cost", "impurity", "log_loss") if tree.is_classifier else ("squared_error", "impurity")
    )
    if risk not in allowed:
        raise ValueError(unknown_name("risk for this tree", risk, allowed))


def bits_of(tree: Tree) -> Array:
    """−log₂ P of each class at each node, P being the class probabilities of its training rows."""
    probability = tree.node_value / tree.node_value.sum(axis=1, keepdims=True)
    return np.asarray(-_core.log2(np.maximum(probability, LEAST_PROBABILITY)))


def held_out_loss(tree: Tree, rows: Dataset, risk: Risk | None = None, seen: Array | None = None) -> Array:
    """Total loss of rows at each node, if it were a leaf and predicted what its training rows say.

    The loss is one for each row misclassified, the tree's costs if it has any, and the squared error for
    regression; with `risk="log_loss"` it is −log₂ P(y). `seen` is the rows' tally, where it is known already.
    """
    if tree.equations is not None:
        return _equation_loss(tree, rows)
    seen = tree.tally(rows) if seen is None else seen
    if risk == "log_loss":
        check_risk(tree, risk)
        return np.asarray((seen * bits_of(tree)).sum(axis=1))
    if not tree.is_classifier:
        above = tree.node_value[:, 0] - tree.node_value[0, 0]
        weight, total, squares = seen.T
        return np.asarray(np.maximum(squares - 2 * above * total + above**2 * weight, 0.0))
    if tree.costs is not None:
        return np.asarray((seen * tree.costs.T[tree.label]).sum(axis=1))
    return np.asarray(seen.sum(axis=1) - np.take_along_axis(seen, tree.label[:, None], axis=1)[:, 0])


def _equation_loss(tree: Tree, rows: Dataset) -> Array:
    """Give what the equations of all nodes that rows pass cost them."""
    assert tree.equations is not None
    assert rows.target is not None
    total = np.zeros(len(tree))
    parts = place(tree, rows)
    while len(parts.node):
        off = rows.target[parts.row] - tree.equations.say(rows, parts.row, parts.node)
        total += np.bincount(parts.node, parts.weight * off**2, minlength=len(tree))
        parts = parts._replace(node=tree.parent[parts.node].astype(np.int64))
        parts = parts.take(parts.node >= 0)
    return total


def row_loss(
    tree: Tree, target: NDArray[np.generic], node: NDArray[np.int64], risk: Loss | None = None
) -> Array:
    """Loss of each row at the node given for it, per unit of weight, see `held_out_loss`.

    Beside the losses there it may be the Brier score: the squared distance of the class probabilities from
    those of one who knows the class.
    """
    if risk == "brier":
        chances = tree.class_probabilities
        loss = (chances**2).sum(axis=1, keepdims=True) - 2 * chances + 1  # by node and class
        return np.asarray(loss[node, target.astype(int)])
    if risk == "log_loss":
        check_risk(tree, risk)
        return np.asarray(bits_of(tree)[node, target.astype(int)])
    if not tree.is_classifier:
        return np.asarray((target - tree.node_value[node, 0]) ** 2)
    label = tree.label[node]
    if tree.costs is None:
        return np.asarray(target != label, np.float64)
    return np.asarray(tree.costs[target.astype(int), label])


def loss_words(tree: Tree, rows: Dataset, risk: Risk | None = None) -> str:
    """Say what the loss on held-out rows is."""
    loss = "squared error" if not tree.is_classifier else "errors" if tree.costs is None else "costs"
    loss = "log loss" if risk == "log_loss" else loss
    return f"{loss} on {counted(len(rows), 'held-out row')}"
