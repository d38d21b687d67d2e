"""Side by side: other trees of the same table that the page shows: greedy, pruned, forest-guided, optimal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.data import Dataset
from treewright.errors import DataError
from treewright.formatting.text import printable
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe
from treewright.tree import Tree
from treewright.tree.from_sklearn import tree_of
from treewright.tree.model import ProvenModel, TreeModel

_SHARED = ("max_depth", "max_leaf_nodes", "class_weight", "priors", "costs")


def trees_beside(
    model: Any, tree: Tree, training: Dataset | None, others: Mapping[str, Any] | None
) -> dict[str, Tree]:
    """Give by name the trees to show beside a model's: those given, and the greedy one of an optimal tree.

    Parameters
    ----------
    model : object
        Whose tree it is.
    tree : Tree
        The tree that is shown.
    training : Dataset or None
        The rows that it was grown on.
    others : mapping of name to fitted model, or None
        Models of the same table.
    """
    found = {printable(name): tree_of(other) for name, other in (others or {}).items()}
    for name, other in found.items():
        if other.schema.columns != tree.schema.columns or not _same_classes(other, tree):
            raise DataError(
                f"beside={{{name!r}: …}} must be a model of the same columns and classes as the page's tree."
            )
    greedy = greedy_tree(model, tree, training)
    return ({} if greedy is None or "greedy" in found else {"greedy": greedy}) | found


def _same_classes(one: Tree, other: Tree) -> bool:
    if one.schema.classes is None or other.schema.classes is None:
        return one.schema.classes is other.schema.classes
    return list(one.schema.classes) == list(other.schema.classes)


def kind_of(model: Any) -> str:
    """Name how the tree of a model came about."""
    if isinstance(model, ProvenModel):
        return "optimal"
    if getattr(model, "guide", None) == "forest":
        return "forest-guided"
    return "pruned" if hasattr(model, "pruner_") else "greedy"


def greedy_tree(model: object, tree: Tree, training: Dataset | None) -> Tree | None:
    """Grow by the Gini index, or squared error, what a model has as the best tree; None for other models.

    Nor is there one if mistakes on a class cost nothing: the Gini index weighs classes by these costs.
    """
    if training is None or not isinstance(model, TreeModel) or not isinstance(model, ProvenModel):
        return None
    known = model._recipe(tree.schema)
    choices = {name: getattr(known, name) for name in _SHARED}
    if choices["costs"] is not None and not all(map(any, choices["costs"])):
        return None
    recipe = Recipe("gini" if tree.is_classifier else "squared_error", **choices)
    return grow(training, recipe, n_jobs=model.n_jobs, warn_of_odd=False)
