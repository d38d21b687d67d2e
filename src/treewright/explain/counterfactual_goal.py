"""Goal of a counterfactual: the wanted prediction, as linear conditions on the values of trees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arithmetic import matmul
from treewright.data.columns import plain
from treewright.formatting.text import quoted
from treewright.tree import Tree

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Sums over trees that differ by less than this, of shares or of a target's range, may be equal."""


@dataclass(frozen=True, eq=False)
class Goal:
    """What is wanted of a prediction s: s·factors + offset ≥ 0 in every column, or in one of them.

    Parameters
    ----------
    factors : float array of classes × columns, or 1 × columns
    offset : float array of columns
    every : bool
        Whether all columns must hold, or any one.
    labels : frozenset of int
        The codes of the classes wanted; empty for numbers.
    words : str
        The goal, to follow "the nearest change to".
    """

    factors: Array
    offset: Array
    every: bool
    labels: frozenset[int]
    words: str

    def may_hold(self, most: Array, slack: float) -> NDArray[np.bool_]:
        """Say whether columns that are at most this, offset included, leave room for the goal."""
        enough = most >= -slack
        return np.asarray(enough.all(axis=-1) if self.every else enough.any(axis=-1))

    def margin(self, says: Array) -> Array:
        """Give how far predictions (rows) are beyond the goal; below zero they fall short."""
        columns = matmul(says, self.factors) + self.offset
        return np.asarray(columns.min(axis=-1) if self.every else columns.max(axis=-1))


def goal_of(wanted: Any, tree: Tree, says: Array, label: int) -> Goal | None:
    """Read what is wanted; None if nothing is.

    Parameters
    ----------
    wanted : class label, number, pair of numbers, "higher", "lower" or None
        For classes, one of them, or None for any other than the present one. For numbers, one to be reached
        or passed, a pair to lie between (either end may be None), or a direction; None looks for nothing.
    tree : Tree
    says : float array
        The present prediction.
    label : int
        The code of the present class.
    """
    classes = tree.schema.classes
    if classes is None:
        largest = float(np.abs(tree.node_value).max())
        return None if wanted is None else _number_goal(wanted, float(says[0]), largest)
    k = len(classes)
    score = np.eye(k) if tree.costs is None else -tree.costs
    if wanted is None:
        others = [code for code in range(k) if code != label]
        if not others:
            return None
        factors = score[:, others] - score[:, [label]]
        words = f"an answer other than {quoted(str(plain(classes[label])))}"
        return Goal(factors, np.zeros(len(others)), False, frozenset(others), words)
    names = [plain(one) for one in classes]
    if wanted not in names:
        known = ", ".join(map(repr, names))
        raise ValueError(f"wanted={wanted!r} is no class: use one of {known}, or None for any other.")
    code = names.index(wanted)
    if code == label:
        raise ValueError(f"wanted={wanted!r} is what the row is given already: name another class.")
    others = [other for other in range(k) if other != code]
    factors = score[:, [code]] - score[:, others]
    return Goal(factors, np.zeros(len(others)), True, frozenset([code]), quoted(str(wanted)))


def _number_goal(wanted: Any, now: float, largest: float) -> Goal:
    clearly = 4 * ROUNDING * largest
    low, high, words = -math.inf, math.inf, ""
    if wanted == "higher":
        low, words = now + clearly, f"more than {now:.6g}"
    elif wanted == "lower":
        high, words = now - clearly, f"less than {now:.6g}"
    elif isinstance(wanted, int | float | np.number) and math.isfinite(wanted):
        low, high = (float(wanted), math.inf) if wanted > now else (-math.inf, float(wanted))
        words = f"{'at least' if wanted > now else 'at most'} {wanted:.6g}"
    elif isinstance(wanted, tuple | list) and len(wanted) == 2:
        low, high = (
            end if bound is None else float(bound)
            for bound, end in zip(wanted, (-math.inf, math.inf), strict=True)
        )
        words = f"a value from {low:.6g} to {high:.6g}"
    if not words or low > high:
        raise ValueError(
            f"wanted={wanted!r} is no goal for a number: "
            "use a number, a pair (low, high), 'higher' or 'lower'."
        )
    if low <= now <= high:
        raise ValueError(f"wanted={wanted!r} holds already: the row is given {now:.6g}.")
    ends = [(sign, bound) for sign, bound in ((1.0, low), (-1.0, high)) if math.isfinite(bound)]
    factors = np.array([[sign for sign, _ in ends]])
    return Goal(factors, np.array([-sign * bound for sign, bound in ends]), True, frozenset(), words)
