"""Regions of hyperplane and sphere splits: the nearest row on given sides of them."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain.region import ROOM, Cost, Region
from treewright.tree.conditions import Rows, Side
from treewright.tree.splits import Hyperplane, Sphere, compared

Array = NDArray[np.float64]
Solved = tuple[Cost, dict[int, float], bool]
"""The cost of a row, the values that change, and whether no row is nearer."""

INSIDE = 1e-7
"""How far beyond the border, by the size of what is summed, a row is put on the open side of a split."""


def nearest_on_sides(region: Region) -> Solved | None:
    """Find the nearest row of a region that lies on its sides, by trying the fewest features first.

    Sets of features are tried by size. One feature is solved exactly, for planes and spheres; several by
    linear programming where all sides are planes, so that the fewest features and the smallest change are
    exact too. With spheres several features are moved by a local search from the row.
    """
    changes = region.changes()
    if _holds(region, changes):
        return region.cost, changes, True
    free = _free_features(region)
    moved = tuple(feature for feature in free if feature in changes)  # they change anyway
    others = [feature for feature in free if feature not in changes]
    for size in range(len(others) + 1):
        solved = [
            one
            for chosen in combinations(others, size)
            if (one := _solve(region, changes, (*moved, *chosen))) is not None
        ]
        if solved:
            return min(solved, key=lambda one: one[0])
    return None


def _free_features(region: Region) -> list[int]:
    """List the features of the sides that may move."""
    features = sorted({feature for side in region.sides for feature in side.features})
    bounds = {feature: region.span(feature) for feature in features}
    return [
        feature
        for feature, (low, high) in bounds.items()
        if feature not in region.kept and math.nextafter(low, math.inf) < high
    ]


def _point(region: Region, changes: dict[int, float]) -> dict[int, float]:
    features = {feature for side in region.sides for feature in side.features}
    return {feature: changes.get(feature, region.measure.row[feature]) for feature in features}


def _holds(region: Region, changes: dict[int, float]) -> bool:
    return _is_on_all(region, _point(region, changes))


def _is_on_all(region: Region, point: dict[int, float]) -> bool:
    """Say whether a point lies on all sides of a region."""
    return all(_is_on(region, side, point) for side in region.sides)


def _is_on(region: Region, side: Side, point: dict[int, float]) -> bool:
    return bool(side.holds(_rows(region, point))[0])


def _rows(region: Region, point: dict[int, float]) -> Rows:
    """Give the row with the numbers of a point, to ask splits about."""
    row = region.measure.row.changed(point)
    return Rows(row.schema, row.numbers[None], row.codes[None])


def _solve(region: Region, changes: dict[int, float], chosen: tuple[int, ...]) -> Solved | None:
    """Find the nearest row in which only the chosen features move beyond what the bounds ask for."""
    point = _point(region, changes)
    planes = all(isinstance(side.split, Hyperplane) for side in region.sides)
    found = [_one_feature(region, point, feature) for feature in chosen]
    if len(chosen) > 1:
        found.append((_by_planes if planes else _by_local_search)(region, point, chosen))
    row = region.measure.row
    solved = [
        {f: x for f, x in (changes | _shortened(region, point, moved)).items() if x != row[f]}
        for moved in found
        if moved is not None and _is_on_all(region, point | moved)
    ]
    if not solved:
        return None
    best = min(solved, key=lambda values: _cost(region, values))
    return _cost(region, best), best, planes or len(chosen) == 1


def _shortened(region: Region, point: dict[int, float], moved: dict[int, float]) -> dict[int, float]:
    """Move a little farther to numbers that are short to write, if they lie on all sides too."""
    measure = region.measure
    for decimals in range(-3, 12):
        step = 10.0**-decimals
        short = {
            f: round((math.ceil if x > point[f] else math.floor)(x / step) * step, decimals)
            for f, x in moved.items()
        }
        near = all(abs(short[f] - x) <= ROOM * measure.scales[f] for f, x in moved.items())
        inside = all(low < short[f] <= high for f in moved for low, high in [region.span(f)])
        if near and inside and _is_on_all(region, point | short):
            return short
    return moved


def _inside(low: float) -> float:
    """Give the least number above a bound."""
    return math.nextafter(low, math.inf) if math.isfinite(low) else low


def _cost(region: Region, values: dict[int, float]) -> Cost:
    measure = region.measure
    total = 0.0
    for feature, value in values.items():
        category = measure.row.schema.n_categories[feature] or feature in measure.unknown
        total += 1.0 if category else measure.distance(feature, value)
    return len(values), total


# ---- one feature ---------------------------------------------------------------------------------------


def _one_feature(region: Region, point: dict[int, float], feature: int) -> dict[int, float] | None:
    """Move one feature as little as possible; every side leaves it at most two intervals."""
    pieces = [region.span(feature)]
    for side in region.sides:
        allowed = _line(region, side, point, feature)
        pieces = [
            (max(low, a), min(high, b))
            for low, high in pieces
            for a, b in allowed
            if max(low, a) < min(high, b)
        ]
    x = point[feature]
    best: float | None = None
    for low, high in pieces:
        near = min(max(0.0 if math.isnan(x) else x, _inside(low)), high)
        if math.isfinite(near) and (best is None or math.isnan(x) or abs(near - x) < abs(best - x)):
            best = near
    if best is None:
        return None
    if feature in region.measure.whole:
        best = float(math.floor(best) if best < x else math.ceil(best))
    return {feature: best}


def _line(region: Region, side: Side, point: dict[int, float], feature: int) -> list[tuple[float, float]]:
    """List the intervals of a feature on a side, all others staying where they are."""
    split = side.split
    if feature not in side.features:
        return [(-math.inf, math.inf)] if _is_on(region, side, point) else []
    place = split.features.index(feature)
    others = _without(region, split, place, point)
    room = split.threshold - others
    margin = INSIDE * max(abs(split.threshold), abs(others), 1e-300)
    if isinstance(split, Hyperplane):
        weight = split.weights[place]
        if not weight:
            return [(-math.inf, math.inf)] if (room < 0) == bool(side.branch) else []
        bound = (room + margin if side.branch else room - margin) / weight
        return [(bound, math.inf)] if bool(side.branch) == (weight > 0) else [(-math.inf, bound)]
    centre, scale = split.centres[place], split.scales[place]
    if side.branch == 0:
        reach = math.sqrt((room - margin) / scale) if room > margin else -1.0
        return [(centre - reach, centre + reach)] if reach > 0 else []
    if room < 0:
        return [(-math.inf, math.inf)]
    reach = math.sqrt((room + margin) / scale)
    return [(-math.inf, centre - reach), (centre + reach, math.inf)]


def _without(region: Region, split: Hyperplane | Sphere, place: int, point: dict[int, float]) -> float:
    """Give the sum of a split without one of its features."""
    kept = [at for at in range(len(split.features)) if at != place]
    features = tuple(split.features[at] for at in kept)
    if isinstance(split, Hyperplane):
        part: Any = Hyperplane(features, tuple(split.weights[at] for at in kept), 0.0)
    else:
        centres, scales = (tuple(column[at] for at in kept) for column in (split.centres, split.scales))
        part = Sphere(features, centres, scales, 0.0)
    return float(compared(part, _rows(region, point))[0])


# ---- several features ----------------------------------------------------------------------------------


def _by_planes(region: Region, point: dict[int, float], chosen: tuple[int, ...]) -> dict[int, float] | None:
    """Move several features by a linear programme: the least sum of scaled steps up and down."""
    from scipy.optimize import linprog

    scale = np.array([region.measure.scales[feature] for feature in chosen])
    x = np.array([0.0 if math.isnan(point[f]) else point[f] for f in chosen])
    rows, room = [], []
    for side in region.sides:
        weights = dict(zip(side.split.features, side.split.weights, strict=True))  # type: ignore[union-attr]
        fixed = sum(weight * point[f] for f, weight in weights.items() if f not in chosen)
        sign = -1.0 if side.branch else 1.0
        margin = INSIDE * max(abs(side.split.threshold), abs(fixed), 1e-300)
        own = np.array([weights.get(feature, 0.0) for feature in chosen])
        rows.append(sign * own)
        room.append(sign * (side.split.threshold - fixed) - margin - sign * own @ x)
    steps = np.array(rows) * scale
    spans = [region.span(feature) for feature in chosen]
    least = [(_inside(low) - at) / by for (low, _), at, by in zip(spans, x, scale, strict=True)]
    most = [(high - at) / by for (_, high), at, by in zip(spans, x, scale, strict=True)]
    # each step is up minus down; both are not negative and the bounds hold for their difference
    bound = np.hstack([np.eye(len(chosen)), -np.eye(len(chosen))])
    limits = [(bound[i], most[i]) for i in range(len(chosen)) if math.isfinite(most[i])]
    limits += [(-bound[i], -least[i]) for i in range(len(chosen)) if math.isfinite(least[i])]
    matrix = np.vstack([np.hstack([steps, -steps]), *(row for row, _ in limits)])
    right = np.array([*room, *(limit for _, limit in limits)])
    solution = linprog(np.ones(2 * len(chosen)), A_ub=matrix, b_ub=right, method="highs")
    if not solution.success:
        return None
    up, down = np.split(solution.x, 2)
    return dict(zip(chosen, (x + (up - down) * scale).tolist(), strict=True))


def _by_local_search(
    region: Region, point: dict[int, float], chosen: tuple[int, ...]
) -> dict[int, float] | None:
    """Move several features by sequential quadratic programming, from the row and from spheres' centres."""
    from scipy.optimize import minimize

    scale = np.array([region.measure.scales[feature] for feature in chosen])
    x = np.array([0.0 if math.isnan(point[f]) else point[f] for f in chosen])
    spans = [region.span(feature) for feature in chosen]
    bounds = [
        ((_inside(low) - at) / by, (high - at) / by)
        for (low, high), at, by in zip(spans, x, scale, strict=True)
    ]

    def room(step: Array, side: Side) -> float:
        moved = point | dict(zip(chosen, (x + step * scale).tolist(), strict=True))
        total = compared(side.split, _rows(region, moved))[0]
        margin = INSIDE * max(abs(side.split.threshold), 1e-300)
        return float((total - side.split.threshold if side.branch else side.split.threshold - total) - margin)

    limits = [{"type": "ineq", "fun": room, "args": (side,)} for side in region.sides]
    starts = [np.full(len(chosen), start) for start in (0.1, -0.1)]
    starts += [(_centre(side, chosen, x) - x) / scale for side in region.sides]
    best: Array | None = None
    for start in starts:
        solution = minimize(
            lambda step: float(np.sqrt(step**2 + 1e-12).sum()),
            start,
            bounds=bounds,
            constraints=limits,
            method="SLSQP",
        )
        moved = point | dict(zip(chosen, (x + solution.x * scale).tolist(), strict=True))
        good = solution.success and _is_on_all(region, moved)
        if good and (best is None or np.abs(solution.x).sum() < np.abs(best).sum()):
            best = solution.x
    return None if best is None else dict(zip(chosen, (x + best * scale).tolist(), strict=True))


def _centre(side: Side, chosen: tuple[int, ...], x: Array) -> Array:
    if isinstance(side.split, Hyperplane):
        return x
    centres = dict(zip(side.split.features, side.split.centres, strict=True))
    return np.array([centres.get(feature, at) for feature, at in zip(chosen, x, strict=True)])
