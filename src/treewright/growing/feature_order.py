"""An order of preference among features: the core has them in that order, and the tree is turned back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core

CoreTable = tuple[Any, Any, Any, Any, Any, int]
"""A dataset as the first arguments of the core's growers."""

_OBLIQUE = 2, 3
"""The kinds of splits whose pools name features: hyperplanes and spheres."""


def grow_in_order(table: CoreTable, weight: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Grow a tree by the core; `ties` may be a tuple of features: of equal splits that on the first wins.

    Parameters
    ----------
    table : tuple
        The arguments of the core's grower.
    weight : array or None
    options : dict
        As the core reads them, but for `ties`.
    """
    if isinstance(options["ties"], str):
        return _core.grow(*table, weight, options)
    numbers, codes, position, n_categories, target, n_classes = table
    order = whole_order(options["ties"], len(position))
    place = np.argsort(order)  # of each feature in the order
    turned = options | {
        "ties": "first",
        "policies": [options["policies"][feature] for feature in order] if options["policies"] else [],
        "truth_values": [int(place[feature]) for feature in options.get("truth_values", ())],
    }
    if "interaction" in options:
        turned["interaction"] = [sorted(place[list(group)].tolist()) for group in options["interaction"]]
    for name in ("monotonic", "feature_costs"):
        if len(options.get(name, ())) > 0:
            turned[name] = np.ascontiguousarray(options[name][order])
    position, n_categories = (np.ascontiguousarray(array[order]) for array in (position, n_categories))
    arrays = _core.grow(numbers, codes, position, n_categories, target, n_classes, weight, turned)
    for table_of in ("split", "competitor"):
        if f"{table_of}_kind" in arrays:
            _turn_back(arrays, table_of, np.array(order, np.int32))
    return arrays


def whole_order(preferred: Sequence[int], n_features: int) -> list[int]:
    """Put all other features behind the preferred ones, in their own order.

    Examples
    --------
    >>> whole_order([2, 0], 4)
    [2, 0, 1, 3]
    """
    return [*preferred, *(feature for feature in range(n_features) if feature not in set(preferred))]


def _turn_back(arrays: dict[str, Any], table: str, order: NDArray[np.int32]) -> None:
    """Name features by their own numbers again."""
    feature, kind = arrays[f"{table}_feature"], arrays[f"{table}_kind"]
    arrays[f"{table}_feature"] = np.where(feature >= 0, order[feature], feature).astype(feature.dtype)
    index, begin = np.array(arrays[f"{table}_pool_index"]), arrays[f"{table}_pool_begin"]
    oblique = np.repeat(np.isin(kind, _OBLIQUE), np.diff(begin))
    index[oblique] = order[index[oblique]]
    arrays[f"{table}_pool_index"] = index
