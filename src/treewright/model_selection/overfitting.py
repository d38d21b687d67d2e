"""`overfitting_curve`: training and test accuracy against tree size, while growing and pruning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.data import Dataset
from treewright.data.folds import holdout_split
from treewright.errors import DataTypeError
from treewright.formatting.axes import axes_for, legend
from treewright.formatting.colours import class_colour
from treewright.formatting.html_table import html_table
from treewright.growing.grow_tree import grow
from treewright.model_selection.validated_pruning import apply_class_weights
from treewright.pruning.early_stopping import best_first_order
from treewright.pruning.losses import held_out_loss
from treewright.pruning.nested import nested_losses, there_until
from treewright.pruning.reduced_error import greedy_steps
from treewright.tree import Tree
from treewright.tree.model import TreeModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OverfittingCurve:
    """Accuracy against the number of nodes, while a tree grows and while it is pruned again (Mitchell, 1997).

    Attributes
    ----------
    growing, pruning : dict of arrays
        Under `"nodes"` the number of nodes, rising while growing and falling while pruning; under
        `"training"`, `"pruning"` and `"test"` the accuracy on these rows. For regression it is the share of
        the variance explained.
    """

    growing: Mapping[str, Array]
    pruning: Mapping[str, Array]

    def _repr_html_(self) -> str:
        head = ["rows", "whole tree", "best growing", "nodes", "best pruning", "nodes"]
        rows = []
        for name in ("training", "pruning", "test"):
            row = [name, f"{self.growing[name][-1]:.3f}"]
            for part in (self.growing, self.pruning):
                best = int(np.argmax(part[name]))
                row += [f"{part[name][best]:.3f}", f"{part['nodes'][best]:.0f}"]
            rows.append(row)
        return html_table("accuracy against size", head, rows, range(1, len(head)))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw both in one picture: growing as lines, pruning dashed.

        Where the line of the training rows rises and that of the others falls, the tree fits chance.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.
        """
        ax = axes_for(ax, "Accuracy against size", "nodes", "accuracy")
        for rows, colour in (("training", 0), ("pruning", 5), ("test", 2)):
            for part, line, label in ((self.growing, "-", "rows"), (self.pruning, "--", "rows, pruned")):
                ax.plot(part["nodes"], part[rows], line, color=class_colour(colour), label=f"{rows} {label}")
        legend(ax)
        return ax


def overfitting_curve(
    model: TreeModel,
    X: Any,
    y: Any,
    *,
    holdout: float = 1 / 3,
    test: float = 1 / 3,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
) -> OverfittingCurve:
    """Follow accuracy on training, pruning and test rows while a tree grows, and while it is pruned again.

    The tree grows best first, node by node, until no split is left: where the accuracy on other rows is best
    is where early stopping would have stopped. Then reduced-error pruning takes away the node that helps the
    pruning rows most, again and again, down to the root.

    Parameters
    ----------
    model : estimator
        Says how to grow; it need not be fitted, and stays as it is.
    X, y, sample_weight
        As for its `fit`.
    holdout, test : float
        Shares of the rows that are for pruning (of those not for the test), and for the test.
    random_state : int
        Seed of the parting.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> curve = overfitting_curve(DecisionTreeClassifier(), *datasets.load_iris())
    >>> curve.growing["nodes"].tolist()[:3], float(curve.growing["training"][-1])
    ([1.0, 3.0, 5.0], 1.0)
    """
    if not isinstance(model, TreeModel):
        raise DataTypeError(
            f"{type(model).__name__} cannot be watched while it grows: give an estimator of treewright that "
            "grows one tree."
        )
    dataset = model._dataset(X, y, sample_weight)
    recipe = model._recipe(dataset.schema)
    rest, tested = holdout_split(dataset, test, random_state)
    growing, pruning = holdout_split(rest, holdout, random_state + 1)
    parts = {
        name: apply_class_weights(rows, recipe, growing)
        for name, rows in (("training", growing), ("pruning", pruning), ("test", tested))
    }
    tree = grow(growing, recipe, n_jobs=model.n_jobs)
    return OverfittingCurve(_growing_curve(tree, parts), _pruning_curve(tree, parts))


def _growing_curve(tree: Tree, parts: Mapping[str, Dataset]) -> dict[str, Array]:
    """Undo the splits from the last to the first, and read the curve backwards."""
    order = best_first_order(tree)
    leaf_from = np.full(len(tree), np.inf)
    leaf_from[order] = np.arange(len(order), 0, -1)
    return {name: curve[::-1] for name, curve in _curve(tree, parts, leaf_from, order[::-1]).items()}


def _pruning_curve(tree: Tree, parts: Mapping[str, Dataset]) -> dict[str, Array]:
    steps = greedy_steps(tree, held_out_loss(tree, parts["pruning"]), to_the_root=True)
    leaf_from = np.full(len(tree), np.inf)
    leaf_from[steps.collapsed] = np.arange(1, len(steps.collapsed) + 1)
    return _curve(tree, parts, leaf_from, steps.collapsed)


def _curve(
    tree: Tree, parts: Mapping[str, Dataset], leaf_from: Array, collapsed: NDArray[np.int64]
) -> dict[str, Array]:
    """Accuracy of the trees after each collapse, the whole tree first."""
    steps = np.arange(len(collapsed) + 1, dtype=float)
    gone = np.sort(there_until(tree.parent, leaf_from))
    curve = {"nodes": len(tree) - np.searchsorted(gone, steps, side="right").astype(float)}
    for name, rows in parts.items():
        loss = nested_losses(tree, rows, leaf_from, steps).mean
        curve[name] = 1 - loss / (1.0 if tree.is_classifier else _variance(rows))
    return curve


def _variance(rows: Dataset) -> float:
    """Weighted variance of the target."""
    assert rows.target is not None
    mean = np.average(rows.target, weights=rows.weight)
    return float(np.average((rows.target - mean) ** 2, weights=rows.weight)) or 1.0
