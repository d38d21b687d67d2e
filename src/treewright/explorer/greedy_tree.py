"""Greedy tree: what an optimal tree is shown beside, grown on the same rows within the same limits."""

from __future__ import annotations

from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe
from treewright.tree import Tree
from treewright.tree.model import ProvenModel, TreeModel

_SHARED = ("max_depth", "max_leaf_nodes", "class_weight", "priors", "costs")


def greedy_tree(model: object, tree: Tree, training: Dataset | None) -> Tree | None:
    """Grow by the Gini index, or squared error, what a model has as the best tree; None for other models.

    Parameters
    ----------
    model : object
        Whose tree it is.
    tree : Tree
        The tree that is shown.
    training : Dataset or None
        The rows that it was grown on.
    """
    if training is None or not isinstance(model, TreeModel) or not isinstance(model, ProvenModel):
        return None
    known = model._recipe(tree.schema)
    choices = {name: getattr(known, name) for name in _SHARED}
    recipe = Recipe("gini" if tree.is_classifier else "squared_error", **choices)
    return grow(training, recipe, n_jobs=model.n_jobs, warn_of_odd=False)
