"""Guidance of one tree by a forest: targets smoothed by out-of-bag votes, and the tree grown on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.data.folds import same_rows
from treewright.forest.bootstrap import Draws
from treewright.forest.growing import grow_trees
from treewright.growing.grow_tree import class_factor, grow
from treewright.growing.missing_policy import complete_rows
from treewright.growing.recipe import Recipe
from treewright.tree import Tree
from treewright.tree.decision import costs_of
from treewright.tree.routing import count_rows, place, tally_parts

Array = NDArray[np.float64]

N_TREES = 100
OWN_SHARE = 0.5
"""How much of a row's smoothed target is its own; the rest is what the forest says of it."""
LEAST_SHARE = 0.02
"""Classes of a smaller share are left out of a row's smoothed target."""


def smoothed_targets(dataset: Dataset, recipe: Recipe, seed: int, n_jobs: int | None = None) -> Array:
    """Give the target of each row, smoothed by the trees of a forest that have not drawn the row.

    Rows that are the same are one row of more weight, so that none is judged by a tree that has seen its
    like, and neither the order of the rows nor a weight in place of repeated rows changes anything.

    Parameters
    ----------
    dataset : Dataset
    recipe : Recipe
        How the one tree will be grown: the forest judges features as it does.
    seed : int
        That of the forest.
    n_jobs : int or None
        Threads.

    Returns
    -------
    array of shape (n_rows, n_classes), or (n_rows, 1) for numbers
        Shares of the classes, or a number.
    """
    complete = complete_rows(dataset, recipe.missing)
    if not complete.all():  # the others are grown on by nobody
        smoothed = np.zeros((len(dataset), max(dataset.schema.n_classes, 1)))
        smoothed[complete] = smoothed_targets(dataset.take(complete), recipe, seed, n_jobs)
        return smoothed
    first, kind = same_rows(dataset)
    weight = np.bincount(kind, dataset.weight).astype(np.float64)
    return _smoothed(dataset.take(first).weighted(weight), recipe, seed, n_jobs)[kind]


def _smoothed(dataset: Dataset, recipe: Recipe, seed: int, n_jobs: int | None) -> Array:
    """Smooth the targets of rows that all differ."""
    assert dataset.target is not None
    classes = dataset.schema.classes
    seeds = np.random.default_rng(seed).integers(0, 2**63, N_TREES).astype(np.uint64)
    draws = Draws(len(dataset), seeds, len(dataset), chance=dataset.weight)
    of_forest = Recipe(
        recipe.criterion,
        max_features=None if classes is None else "sqrt",
        missing=recipe.missing,
        fair_categories=recipe.fair_categories,
    )
    trees = grow_trees(dataset, of_forest, draws, n_jobs=n_jobs)
    sums, votes = trees.vote(dataset.numbers, dataset.codes, draws=draws)
    own = dataset.target[:, None] if classes is None else np.eye(len(classes))[dataset.target]
    said = np.where(votes[:, None] > 0, sums / np.maximum(votes, 1)[:, None], own)
    return np.asarray(OWN_SHARE * own + (1 - OWN_SHARE) * said)


def grow_on_smoothed(
    dataset: Dataset, smoothed: Array, rows: NDArray[np.int64], recipe: Recipe, n_jobs: int | None = None
) -> Tree:
    """Grow a tree on some rows with smoothed targets; what was observed of the rows stays with it.

    Of classes a row counts once for each, by its share.
    """
    rows = rows[complete_rows(dataset.take(rows), recipe.missing)]
    part, shares = dataset.take(rows), smoothed[rows]
    if dataset.schema.classes is None:
        tree = grow(part.with_target(shares[:, 0]), recipe, n_jobs=n_jobs)
    else:
        at, code = np.nonzero(shares >= LEAST_SHARE)
        weight = shares[at, code] if part.weight is None else shares[at, code] * part.weight[at]
        soft = part.take(at).with_target(code.astype(np.int32)).weighted(weight)
        tree = grow(soft, recipe, n_jobs=n_jobs, warn_of_odd=False)
    return _with_observed(tree, part, recipe)


def _with_observed(tree: Tree, rows: Dataset, recipe: Recipe) -> Tree:
    """Count the rows as they are through a tree that was grown on smoothed targets."""
    parts = place(tree, rows)
    assert rows.target is not None
    seen = tally_parts(tree, parts, rows.target)
    if not tree.is_classifier:
        empty = seen[:, 0] <= 0
        mean = tree.node_value[0] + seen[:, 1:2] / np.where(empty, 1.0, seen[:, 0])[:, None]
        return replace(tree, observed=np.where(empty[:, None], tree.node_value, mean))
    factor = class_factor(rows, recipe)
    seen = seen if factor is None else seen * factor
    weight = seen.sum(axis=1)
    return replace(
        tree,
        count=count_rows(tree, parts),
        weight=weight,
        node_value=tree.class_probabilities * np.where(weight > 0, weight, 1.0)[:, None],
        risk=costs_of(tree.label, seen, tree.costs),
        observed=seen,
    )
