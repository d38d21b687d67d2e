"""Standard errors of a forest's predictions by the infinitesimal jackknife."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.forest.bootstrap import Draws
from treewright.forest.trees import Trees, answer

Array = NDArray[np.float64]
ROWS_AT_ONCE = 1024


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
    times = np.stack([draws.times(tree) for tree in range(n_trees)])
    expected = np.full(draws.n_rows, draws.n_draws / draws.n_rows)
    if draws.chance is not None:
        expected = draws.n_draws * draws.chance / draws.chance.sum()
    errors = np.empty((len(numbers), 1 if trees.schema.classes is None else len(trees.schema.classes)))
    for begin in range(0, len(numbers), ROWS_AT_ONCE):
        part = slice(begin, begin + ROWS_AT_ONCE)
        said = np.stack(
            [answer(tree, numbers[part], codes[part], hard=hard, threads=threads) for tree in trees]
        )
        deviation = (said - said.mean(axis=0)).reshape(n_trees, -1)
        variance = np.zeros(deviation.shape[1])
        for first in range(0, draws.n_rows, ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            covariance = (times[:, rows] - expected[rows]).T @ deviation / n_trees
            variance += (covariance**2).sum(axis=0)
        excess = draws.n_draws / n_trees * (deviation**2).mean(axis=0)
        errors[part] = np.sqrt(np.maximum(variance - excess, 0.0)).reshape(said.shape[1:])
    return errors
