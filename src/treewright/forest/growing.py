"""Growing of forests: dataset, recipe and bootstrap to trees, in one call of the core."""

from __future__ import annotations

import numpy as np

from treewright import _core
from treewright.data import Dataset
from treewright.forest.bootstrap import Draws
from treewright.forest.trees import LooseTrees, Trees
from treewright.growing.grow_tree import Progress, core_options, core_table
from treewright.growing.missing_policy import SHARED
from treewright.growing.recipe import Recipe
from treewright.pruning import CostComplexity
from treewright.tree import Tree
from treewright.tree.monotone import collapse_to_order
from treewright.tree.shrinkage import shrunk


def grow_trees(
    dataset: Dataset,
    recipe: Recipe,
    draws: Draws,
    *,
    ccp_alpha: float = 0.0,
    shrinkage: float = 0.0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Trees:
    """Grow the trees of a forest side by side.

    Each grows in a thread of its own, on the rows that its seed draws: the forest is the same for any number.

    Parameters
    ----------
    dataset : Dataset
        The rows to draw from. With draws, weights belong in the draws' chances.
    recipe : Recipe
        How to grow every tree; its `random_state` is not used.
    draws : Draws
        The seed and rows of each tree.
    ccp_alpha : float
        Price of a leaf in cost-complexity pruning of each tree.
    shrinkage : float
        How far what nodes predict is drawn towards what those above them predict, see `shrunk`.
    n_jobs : int or None
        Threads to use. The trees are the same for every number.
    progress : callable or None
        Called now and then with the share of the work that is done, at the end with 1.

    Examples
    --------
    >>> dataset = Dataset.from_table([[1.0], [2.0], [3.0]], ["a", "a", "b"], task="classification")
    >>> trees = grow_trees(dataset, Recipe("gini"), Draws(3, np.array([7, 8], np.uint64), 3))
    >>> len(trees), float(trees[0].weight[0])
    (2, 3.0)
    """
    schema, criterion = dataset.schema, str(recipe.criterion)
    if shrinkage > 0:
        schema.require_one_target("shrinkage draws the predictions of")
    dataset, options = core_options(dataset, recipe, n_jobs, progress)
    weight = None if draws.n_draws else dataset.weight
    drawn = draws.options(recipe.min_weight_fraction_leaf)
    grown = _core.grow_forest(*core_table(dataset), weight, options, drawn)
    if isinstance(grown, list):
        trees: Trees = LooseTrees(schema, criterion, [Tree.from_arrays(schema, arrays) for arrays in grown])
    else:
        trees = Trees(schema, criterion, grown)
        if recipe.missing in SHARED:  # nothing was missing, but may be in new rows
            trees = LooseTrees(schema, criterion, [_sharing(tree) for tree in trees])
    trees = pruned_and_shrunk(trees, recipe, ccp_alpha, shrinkage)
    if progress is not None:
        progress(1.0)
    return trees


def pruned_and_shrunk(trees: Trees, recipe: Recipe, ccp_alpha: float, shrinkage: float) -> Trees:
    """Prune each tree by cost-complexity, and draw what nodes predict towards what is above them."""
    schema, criterion = trees.schema, trees.criterion
    if ccp_alpha > 0:
        pruner = CostComplexity(ccp_alpha, risk="impurity")
        trees = Trees.of(
            schema, criterion, [collapse_to_order(pruner(tree), recipe.monotonic or ()) for tree in trees]
        )
    if shrinkage > 0:  # compact trees have no place for what was observed
        trees = LooseTrees(schema, criterion, [shrunk(tree, shrinkage) for tree in trees])
    return trees


def _sharing(tree: Tree) -> Tree:
    """Return the tree with rows that miss a value going down every branch."""
    arrays = tree.arrays()
    arrays["default_branch"] = np.full(len(tree), -1, np.int32)
    return Tree.from_arrays(tree.schema, arrays)
