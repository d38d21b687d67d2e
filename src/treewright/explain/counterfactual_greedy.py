"""Greedy counterfactuals of forests: found fast, not always the nearest."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.explain.counterfactual_search import Found, Search
from treewright.explain.path import vote_for
from treewright.explain.region import Region, cuts_by_feature
from treewright.tree import Tree
from treewright.tree.conditions import Interval, Values

Array = NDArray[np.float64]


def greedy_change(search: Search) -> Found | None:
    """Change one feature after the other, each time the one that brings the answer nearest to the goal.

    If one feature is enough, the one of the smallest change is found. Features that turn out not to be needed
    are set back at the end, and the others brought nearer.
    """
    changes: dict[int, float] = {}
    cells = _cells(search)
    for _ in range(len(cells)):
        tried = [(feature, value) for feature in cells if feature not in changes for value in cells[feature]]
        if not tried:
            return None
        margins = _margins(search, [changes | {feature: value} for feature, value in tried])
        good = [place for place in range(len(tried)) if margins[place] > 0]
        prices = {place: _price(search, *tried[place]) for place in good}
        best = min(prices, key=prices.__getitem__) if prices else int(np.argmax(margins))
        changes[tried[best][0]] = tried[best][1]
        if good:
            return _found(search, _nearer(search, _needed(search, changes), cells))
    return None


def _cells(search: Search) -> dict[int, list[float]]:
    """List for each feature a value in every cell that the trees' splits part it into, but for its own."""
    measure, schema = search.measure, search.measure.row.schema
    cuts = cuts_by_feature(search.trees)
    found: dict[int, list[float]] = {}
    for feature in sorted(search.asked):
        bound = measure.bounds.get(feature)
        conditions: list[Interval | Values]
        if schema.n_categories[feature]:
            conditions = [Values(feature, frozenset([code])) for code in range(schema.n_categories[feature])]
        else:
            ends = [-np.inf, *cuts.get(feature, np.empty(0)).tolist(), np.inf]
            conditions = [Interval(feature, low, high) for low, high in pairwise(ends)]
        joint = [one if bound is None else bound.join(one) for one in conditions]  # type: ignore[arg-type]
        values = [measure.value(feature, one) for one in joint if not measure.is_empty(feature, one)]
        # beyond the largest number there is none
        found[feature] = [value for value in values if value != measure.row[feature] and math.isfinite(value)]
    return found


def _price(search: Search, feature: int, value: float) -> float:
    measure = search.measure
    if measure.row.schema.n_categories[feature] or feature in measure.unknown:
        return 1.0
    return measure.distance(feature, value)


def _margins(search: Search, changes: list[dict[int, float]]) -> Array:
    """Give how far beyond the goal the answers for changed rows are."""
    rows = [search.measure.row.changed(one) for one in changes]
    numbers = np.asfortranarray([row.numbers for row in rows])
    codes = np.asfortranarray([row.codes for row in rows])
    n_rows, schema = len(rows), search.measure.row.schema
    n_codes = int(np.count_nonzero(schema.n_categories))
    numbers, codes = numbers.reshape(n_rows, -1), codes.reshape(n_rows, n_codes).astype(np.int32)
    pairs = zip(search.trees, search.values, strict=True)
    says = np.mean([_answers(search, tree, value, numbers, codes) for tree, value in pairs], axis=0)
    return search.goal.margin(np.asarray(says)) - search.slack


def _answers(search: Search, tree: Tree, value: Array, numbers: Array, codes: NDArray[np.int32]) -> Array:
    """Give what a tree answers to rows, see `Path.answer`."""
    if not search.votes_jointly or not tree.shares_rows:
        return tree.spread(numbers, codes, value)
    return vote_for(tree.spread(numbers, codes, tree.class_probabilities))


def _needed(search: Search, changes: dict[int, float]) -> dict[int, float]:
    """Set back the changes that the goal does not need, the dearest first."""
    for feature in sorted(changes, key=lambda one: -_price(search, one, changes[one])):
        fewer = {one: value for one, value in changes.items() if one != feature}
        if fewer and _margins(search, [fewer])[0] > 0:
            changes = fewer
    return changes


def _nearer(search: Search, changes: dict[int, float], cells: dict[int, list[float]]) -> dict[int, float]:
    """Bring each change as near as the goal allows, all others staying as they are."""
    for feature, now in changes.items():
        price = _price(search, feature, now)
        nearer = [value for value in cells[feature] if _price(search, feature, value) < price]
        if nearer:
            margins = _margins(search, [changes | {feature: value} for value in nearer])
            good = {value for value, margin in zip(nearer, margins.tolist(), strict=True) if margin > 0}
            changes = changes | {feature: min(good | {now}, key=partial(_price, search, feature))}
    return changes


def _found(search: Search, changes: dict[int, float]) -> Found:
    cost = (len(changes), sum(_price(search, feature, value) for feature, value in changes.items()))
    region = Region(search.measure, {}, (), search.measure.unknown - changes.keys())
    return Found(region, dict(sorted(changes.items())), cost, True)
