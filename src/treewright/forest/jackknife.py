"""Jackknife: how far a forest's prediction would vary between training sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.forest.draws import Draws
from treewright.forest.trees import Trees

Array = NDArray[np.float64]


def standard_error(
    trees: Trees,
    draws: Draws,
    numbers: Array,
    codes: NDArray[np.int32],
    *,
    hard: bool = False,
    threads: int = 1,
) -> Array:
    """Standard error of each prediction by the infinitesimal jackknife (Wager, Hastie & Efron, 2014).

    With N_ib how often tree b has drawn row i and t_b what it predicts, the variance is
    Σ_i Cov_b(N_ib, t_b)², which too few trees make too large by about (m/B)·Var_b(t_b), for m draws of each
    of B trees: that is taken off (their eq. 7), and what falls below 0 is 0.

    Returns
    -------
    ndarray of shape (n_rows, n_classes or 1)
    """
    if not draws.n_draws:
        raise ValueError("Standard errors need drawn rows: set bootstrap=True.")
    n_trees = len(trees)
    if n_trees < 2:
        raise ValueError(f"Standard errors need at least 2 trees, the forest has {n_trees}.")
    leaf = trees.leaves(numbers, codes, threads)
    classes = trees.schema.classes
    width = 1 if classes is None else len(classes)
    said = np.empty((n_trees, len(leaf), width))
    covariance = np.zeros((draws.n_rows, len(leaf) * width))
    for at, tree in enumerate(trees):
        value = tree.value
        if classes is not None:
            value = np.eye(width)[value.argmax(axis=1)] if hard else value / value.sum(axis=1, keepdims=True)
        said[at] = value[leaf[:, at]]
    deviation = said - said.mean(axis=0)
    expected = draws.n_draws / draws.n_rows
    if draws.chance is not None:
        expected = draws.n_draws * draws.chance / draws.chance.sum()
    for at in range(n_trees):
        drawn = draws.times(at) - expected
        covariance += np.outer(drawn, deviation[at].ravel()) / n_trees
    variance = (covariance**2).sum(axis=0).reshape(len(leaf), width)
    excess = draws.n_draws / n_trees * (deviation**2).mean(axis=0)
    return np.asarray(np.sqrt(np.maximum(variance - excess, 0.0)))
