"""Gridded tables, rows on and beside the boundaries of splits, and a second opinion on their branches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.tree import Tree
from treewright.tree.splits import Hyperplane, Intervals, Sphere, Split, Table, Threshold

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]
Values = list[float]
"""A row, feature by feature: numbers, NaN where missing, and codes, −1 where missing."""

UNANSWERED, UNSEEN, SHARE, STAY = -1, -2, -1, -2


def grid_table(
    seed: int, n_rows: int = 90, n_numbers: int = 3, holes: float = 0.1
) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Numbers on a grid of 0.1 and categories, all with ties and holes, and a class that depends on all."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"x{place}": rng.integers(0, 10, n_rows) / 10 for place in range(n_numbers)})
    X["colour"] = pd.Categorical(rng.choice(list("rgbk"), n_rows))
    X["letter"] = pd.Categorical(rng.choice(list("uvw"), n_rows))
    numbers = X.iloc[:, :n_numbers].to_numpy()
    score = ((numbers - 0.45) ** 2).sum(axis=1) + 0.3 * (X["colour"] == "r") - 0.2 * (X["letter"] == "u")
    y = np.digitize(score + rng.normal(0, 0.1, n_rows), [0.2, 0.4])
    for name in X:
        X.loc[rng.random(n_rows) < holes, name] = None
    return X, y


# ---- a second opinion ------------------------------------------------------------------------------------


def compared(split: Hyperplane | Sphere, row: Values) -> float:
    """What a split over several features compares: the formula of ARCHITECTURE.md, from left to right."""
    total = 0.0
    if isinstance(split, Hyperplane):
        for feature, weight in zip(split.features, split.weights, strict=True):
            total += weight * row[feature]
        return total
    for feature, centre, scale in zip(split.features, split.centres, split.scales, strict=True):
        distance = row[feature] - centre
        total += scale * distance * distance
    return total


def branch_by(split: Split, row: Values) -> int:
    """The branch of a row by one split, UNANSWERED or UNSEEN."""
    if isinstance(split, Table):
        code = int(row[split.feature])
        return code if code < 0 else split.branches.get(code, UNANSWERED)
    number = compared(split, row) if isinstance(split, Hyperplane | Sphere) else row[split.feature]
    if math.isnan(number):
        return UNANSWERED
    return sum(number > cut for cut in (split.cuts if isinstance(split, Intervals) else (split.threshold,)))


class Walker:
    """Sends rows through a tree, one by one, with nothing of the core."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.splits = [[node.split, *node.surrogates] if node.split else [] for node in tree]
        self.weights = [tree.weight[list(node.children)] for node in tree]

    def choose(self, node: int, row: Values) -> tuple[int, int]:
        """The branch of a row at a node, SHARE or STAY, and which split answered, UNANSWERED or UNSEEN."""
        for place, split in enumerate(self.splits[node]):
            branch = branch_by(split, row)
            if branch >= 0:
                return branch, place
            if branch == UNSEEN:
                return int(np.argmax(self.weights[node])), UNSEEN
        return int(self.tree.default_branch[node]), UNANSWERED

    def ends(self, row: Values) -> dict[int, float]:
        """The nodes that a row ends in, with its share in each."""
        ends: dict[int, float] = {}
        waiting = [(0, 1.0)]
        while waiting:
            node, share = waiting.pop()
            branch = self.choose(node, row)[0] if self.splits[node] else STAY
            if branch == STAY:
                ends[node] = share
                continue
            weight = self.weights[node]
            parts = enumerate((weight / weight.sum()).tolist()) if branch == SHARE else [(branch, 1.0)]
            children = self.tree.children(node)
            waiting.extend((children[taken], share * part) for taken, part in parts if part > 0)
        return ends

    def passed(self, rows: list[Values]) -> list[set[int]]:
        """For each node the rows that come to it, whole or in part."""
        found: list[set[int]] = [set() for _ in self.splits]
        for place, row in enumerate(rows):
            for end in self.ends(row):
                found[end].add(place)
        for node in range(len(found) - 1, 0, -1):  # children come after their parent
            found[self.tree.parent[node]] |= found[node]
        return found


# ---- rows on and beside boundaries -----------------------------------------------------------------------


def all_splits(tree: Tree) -> list[Split]:
    """Every split of a tree, and every surrogate and competitor."""
    inner = [node for node in tree if not node.is_leaf]
    return [split for node in inner for split in [node.split, *node.surrogates, *node.competitors] if split]


def boundary_rows(tree: Tree, rows: list[Values], seed: int) -> list[Values]:
    """Rows on each boundary of a tree and one step to either side, all else as in a row that comes there."""
    rng = np.random.default_rng(seed)
    found = []
    for node, here in zip(tree, Walker(tree).passed(rows), strict=True):
        for split in [node.split, *node.surrogates, *node.competitors] if node.split else []:
            for place in rng.choice(sorted(here) or len(rows), 2):
                base = rows[place]
                found += [_moved(base, feature, x) for feature, x in _steps(split, base)]
    return found


def is_on(split: Split, row: Values) -> bool:
    """Whether a row lies exactly on a boundary of a split."""
    if isinstance(split, Table):
        return False
    if isinstance(split, Hyperplane | Sphere):
        return compared(split, row) == split.threshold
    return row[split.feature] in (split.cuts if isinstance(split, Intervals) else (split.threshold,))


def _steps(split: Split, base: Values) -> Iterator[tuple[int, float]]:
    if isinstance(split, Table):
        return
    if isinstance(split, Threshold | Intervals):
        for cut in split.cuts if isinstance(split, Intervals) else (split.threshold,):
            if math.isfinite(cut):
                yield from ((split.feature, x) for x in _beside(cut))
        return
    for feature in split.features:
        last = _last_of_branch(split, base, feature)
        if last is not None:
            yield from ((feature, x) for near in last for x in _beside(near))


def _beside(x: float) -> tuple[float, float, float]:
    return math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf)


def _last_of_branch(split: Split, base: Values, feature: int) -> tuple[float, float] | None:
    """Neighbouring numbers of a feature between which the split passes from one branch to the other."""

    def branch(x: float) -> int:
        return branch_by(split, _moved(base, feature, x))

    low = base[feature]
    high = next((x for x in (low - 8.0, low + 8.0) if {branch(low), branch(x)} == {0, 1}), None)
    if high is None:
        return None
    while math.nextafter(low, high) != high:
        middle = low + (high - low) / 2
        middle = middle if middle not in (low, high) else math.nextafter(low, high)
        low, high = (middle, high) if branch(middle) == branch(low) else (low, middle)
    return low, high


def _moved(base: Values, feature: int, x: float) -> Values:
    return [x if place == feature else value for place, value in enumerate(base)]


# ---- rows as lists and as arrays -------------------------------------------------------------------------


def values_of(rows: Dataset) -> list[Values]:
    """Rows as lists of values, feature by feature."""
    return np.column_stack([rows.values(feature) for feature in range(len(rows.schema.columns))]).tolist()


def dataset_of(tree: Tree, rows: list[Values]) -> Dataset:
    """Rows as the arrays of a dataset."""
    schema = tree.schema
    table = np.array(rows).reshape(len(rows), len(schema.columns))
    is_code = schema.n_categories > 0
    return Dataset(
        schema, np.asfortranarray(table[:, ~is_code]), np.asfortranarray(table[:, is_code].astype(np.int32))
    )
