"""Criteria of the user's own: the memory that a function shares with the core, and checks of its answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.functions import function_name

MeritFunction = Callable[[NDArray[np.float64], NDArray[np.float64]], Any]
"""A criterion: gives the merits of candidates from the statistics of their node and of their branches."""

NUMBERS_A_CALL = 65_536
"""How many statistics one call sees at most: they and what is computed from them stay in a core's cache."""


def shared_memory(function: MeritFunction, n_classes: int, most_branches: int) -> dict[str, Any]:
    """Lay out what the core and a criterion share: the core writes candidates, the function their merits.

    Parameters
    ----------
    function : callable
        The criterion.
    n_classes : int
        Number of classes, 0 for regression.
    most_branches : int
        The largest number of branches of a split.

    Returns
    -------
    dict
        The arrays, and `ask`, which the core calls with numbers of candidates and branches and the distance
        of two statistics of a candidate.
    """
    width = n_classes or 3
    capacity = max(16, NUMBERS_A_CALL // (2 * width))
    parent, merits = np.empty(width), np.empty(capacity)
    branches = np.empty(width * max(2 * capacity, most_branches))
    seen_parent, seen_branches = parent.view(), branches.view()
    seen_parent.flags.writeable = seen_branches.flags.writeable = False

    def ask(n_candidates: int, n_branches: int, stride: int) -> None:
        # A statistic of all candidates lies together: arithmetic over the last axis runs over long arrays.
        table = seen_branches[: n_branches * width * stride].reshape(n_branches, width, stride)
        given = function(seen_parent, table[:, :, :n_candidates].transpose(2, 0, 1))
        if type(given) is not np.ndarray or given.dtype != np.float64:
            given = _as_numbers(given, function)
        if given.shape != (n_candidates,):
            raise ValueError(
                f"criterion {function_name(function)!r} must give one number for each candidate: "
                f"expected shape ({n_candidates},), got {given.shape}."
            )
        if not given.max() < np.inf:
            odd = int(np.flatnonzero(~(given < np.inf))[0])
            raise ValueError(
                f"criterion {function_name(function)!r} must give numbers below infinity: got {given[odd]} "
                f"for the branches {table[:, :, odd].tolist()} of {parent.tolist()}."
            )
        merits[:n_candidates] = given

    return {"ask": ask, "parent": parent, "branches": branches, "merits": merits, "capacity": capacity}


def _as_numbers(given: Any, function: MeritFunction) -> NDArray[np.float64]:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"criterion {function_name(function)!r} must give an array of numbers, got {given!r}."
        ) from None
