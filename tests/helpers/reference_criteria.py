"""Impurity and merit in plain NumPy, for the reference learner: formulas over whole arrays of splits.

Everything is computed from additive statistics: each row is a line of numbers, a branch the sum of its lines.
The last axis of a table holds the statistics, the one before it the branches. A criterion may be a function;
one of numbers has a name that begins with "number".
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any  # of floats; NumPy's own types lose themselves in arithmetic like this


def statistics(criterion: str, target: Array, weight: Array, n_classes: int) -> Array:
    """One line per row; the statistics of a branch are the sum of its rows' lines."""
    if n_classes:
        return np.eye(n_classes)[target.astype(int)] * weight[:, None]
    if callable(criterion):
        return weight[:, None] * np.stack([np.ones(len(target)), target, target**2], axis=1)
    if criterion == "absolute_error":  # a weight for every distinct target, in ascending order
        return (target[:, None] == np.unique(target)[None, :]) * weight[:, None]
    if criterion == "poisson":
        logs = np.log(target, where=target > 0, out=np.zeros(len(target)))
        return weight[:, None] * np.stack([np.ones(len(target)), target, target * logs], axis=1)
    centred = target - np.average(target, weights=weight)  # the variance from raw squares would cancel
    return weight[:, None] * np.stack([np.ones(len(target)), centred, centred**2], axis=1)


def total_weight(criterion: str, table: Array) -> Array:
    """Weight of each branch of a table."""
    if callable(criterion):
        return table[..., 0] if criterion.__name__.startswith("number") else table.sum(axis=-1)
    return table[..., 0] if criterion in ("squared_error", "poisson") else table.sum(axis=-1)


def impurity(criterion: str, table: Array, levels: Array) -> Array:
    """Impurity per unit of weight of each branch; `levels` are the distinct targets of `absolute_error`."""
    weight = total_weight(criterion, table)
    share = divide(table, weight[..., None])
    if criterion == "error":
        value = 1 - share.max(axis=-1)
    elif criterion in ("entropy", "gain_ratio"):
        value = -(share * np.log2(np.where(share > 0, share, 1))).sum(axis=-1)
    elif criterion == "sqrt":
        value = np.sqrt(np.clip(share * (1 - share), 0, None)).sum(axis=-1) / 2
    elif criterion == "squared_error" or (callable(criterion) and criterion.__name__.startswith("number")):
        value = share[..., 2] - share[..., 1] ** 2
    elif criterion == "poisson":
        mean = share[..., 1]
        value = share[..., 2] - mean * np.log(np.where(mean > 0, mean, 1))
    elif criterion == "absolute_error":
        middle = levels[(np.cumsum(share, axis=-1) >= 0.5 - 1e-12).argmax(axis=-1)]
        value = (share * np.abs(levels - middle[..., None])).sum(axis=-1)
    else:
        value = 1 - (share**2).sum(axis=-1)
    return np.where(weight > 0, value, 0.0)


def merit(criterion: str, tables: Array, levels: Array) -> Array:
    """Merit of each split of `tables`, shape (splits, branches, statistics)."""
    if callable(criterion):  # one split at a time: the function must not depend on what else is asked
        return np.array([criterion(table.sum(axis=0), table[None])[0] for table in tables])
    node, weight = tables.sum(axis=1), total_weight(criterion, tables)
    share = weight / weight.sum(axis=1, keepdims=True)
    if criterion == "twoing":  # of more than two branches each against the rest
        rest, rest_weight = node[:, None] - tables, weight.sum(axis=1, keepdims=True) - weight
        p, r = divide(tables, weight[:, :, None]), divide(rest, rest_weight[:, :, None])
        each = share * (1 - share) / 4 * np.abs(p - r).sum(axis=2) ** 2
        return each.sum(axis=1) / np.where((weight > 0).sum(axis=1) == 2, 2, 1)
    if criterion == "chi_square":
        expected = weight[:, :, None] * node[:, None, :] / weight.sum(axis=1)[:, None, None]
        return divide((tables - expected) ** 2, expected).sum(axis=(1, 2))
    if criterion == "hellinger":
        present = np.flatnonzero(node[0] > 0)
        root = np.sqrt(tables[:, :, present] / node[:, None, present])
        pairs = [
            ((root[:, :, i] - root[:, :, j]) ** 2).sum(axis=1)
            for i, j in combinations(range(len(present)), 2)
        ]
        return np.mean(np.sqrt(pairs), axis=0) if pairs else np.zeros(len(tables))
    decrease = impurity(criterion, node, levels) - (share * impurity(criterion, tables, levels)).sum(axis=1)
    if criterion == "gain_ratio":
        return divide(decrease, -(share * np.log2(np.where(share > 0, share, 1))).sum(axis=1))
    return decrease


def divide(above: Array, below: Array) -> Array:
    """The quotient, 0 where nothing is below."""
    return np.where(below > 0, above / np.where(below > 0, below, 1), 0.0)


def weighted_median(y: Array, w: Array) -> float:
    """Middle of all numbers that have at most half the weight on either side."""
    order = np.argsort(y, kind="stable")
    y, passed = y[order], np.cumsum(w[order]) / w.sum()
    low, high = np.searchsorted(passed, 0.5 - 1e-12), np.searchsorted(passed, 0.5 + 1e-12)
    return float((y[low] + y[high]) / 2)
