"""Out-of-bag predictions and score: each row predicted by the trees that were not grown on it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.data.sparse import SparseRows
from treewright.data.sparse_dataset import SparseDataset
from treewright.errors import warn
from treewright.forest.bootstrap import Draws
from treewright.forest.error_curve import ErrorCurve
from treewright.forest.trees import Trees, answer
from treewright.tree.decision import decide

Array = NDArray[np.float64]


def predict_out_of_bag(
    trees: Trees, draws: Draws, rows: Dataset, *, hard: bool = False, threads: int = 1
) -> Array:
    """Mean of what the trees say that have not drawn a row (Breiman, 2001, §3.1); zeros where all have."""
    if isinstance(rows, SparseDataset) and trees.takes_sparse:
        stored = SparseRows.of_columns(rows.columns)
        sums, votes = trees.vote_sparse(stored, "direction", hard=hard, draws=draws, threads=threads)
    else:
        sums, votes = trees.vote(rows.numbers, rows.codes, hard=hard, draws=draws, threads=threads)
    if not votes.all():
        warn(
            "Some inputs do not have OOB scores. This probably means too few trees were used to compute "
            "any reliable OOB estimates."
        )
    return np.asarray(sums / np.maximum(votes, 1)[:, None])


def score_out_of_bag(rows: Dataset, means: Array, scoring: Callable[..., float] | None = None) -> float:
    """Score out-of-bag predictions: by accuracy or R², or by a function of targets and predictions."""
    target = rows.target
    if target is None:
        raise ValueError("the dataset has no target to score against")
    outputs = rows.schema.outputs
    if outputs:
        means = means.reshape(len(means), len(outputs), -1)
    predicted = means.reshape(target.shape) if rows.schema.classes is None else decide(means)
    if scoring is not None:
        return scoring(target, predicted)
    if rows.schema.classes is not None:  # of several targets, a row is right if all of them are
        right = predicted == target
        return float(np.mean(right.all(axis=1) if outputs else right))
    spread = np.atleast_1d(np.sum((target - target.mean(axis=0)) ** 2, axis=0))
    error = np.atleast_1d(np.sum((target - predicted) ** 2, axis=0))
    scores = [
        1.0 - lost / all_ if all_ > 0 else float(lost == 0) for lost, all_ in zip(error, spread, strict=True)
    ]
    return float(sum(scores) / len(scores))


def check_scorable(rows: Dataset) -> None:
    """Refuse several targets of more than two classes, as scikit-learn does."""
    if any(output.classes is not None and len(output.classes) > 2 for output in rows.schema.outputs):
        raise ValueError(
            "The type of target cannot be used to compute OOB estimates: each of several targets may have "
            "two classes, or be a number."
        )


def error_curve(
    trees: Trees, draws: Draws, rows: Dataset, *, hard: bool = False, threads: int = 1
) -> ErrorCurve:
    """Follow the out-of-bag error while trees are added one by one."""
    if not draws.n_draws:
        raise ValueError("Out of bag estimation only available if bootstrap=True")
    target, classes = np.asarray(rows.target), rows.schema.classes
    sums = np.zeros((len(rows), 1 if classes is None else len(classes)))
    votes = np.zeros(len(rows))
    errors = np.full(len(trees), np.nan)
    for at, tree in enumerate(trees):
        left_out = np.flatnonzero(draws.out_of_bag(at))
        sums[left_out] += answer(
            tree, rows.numbers[left_out], rows.codes[left_out], hard=hard, threads=threads
        )
        votes[left_out] += 1
        known = np.flatnonzero(votes)
        if len(known) == 0:
            continue
        if classes is None:
            errors[at] = np.mean((sums[known, 0] / votes[known] - target[known]) ** 2)
        else:
            errors[at] = np.mean(decide(sums[known]) != target[known])
    return ErrorCurve(np.arange(1, len(trees) + 1), errors, classes is not None)
