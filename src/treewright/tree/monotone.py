"""Monotonicity check: proof that the prediction of a tree only rises, or only falls, with a feature.

Two rows that differ in one feature alone take the same way until a split asks for that feature. From there on
one follows the low side and the other the high side, so the tree is monotone if nothing below the low side
exceeds anything below the high side that a common row could reach. The check descends both sides at once,
and stops as soon as the largest prediction of one is no more than the smallest of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Tree
from treewright.tree.routing import SHARE, STAY
from treewright.tree.splits import (
    Hyperplane,
    Intervals,
    Sphere,
    Split,
    Table,
    Threshold,
    feature_cuts,
    features_of,
)

if TYPE_CHECKING:
    from treewright.tree.model import TreeModel

OBLIQUE = -1
"""Stands among features for splits on several of them, and for surrogates."""


@dataclass(frozen=True)
class Violation:
    """Two nodes for which a tree is not monotone, or cannot be proved to be.

    Attributes
    ----------
    lower, upper : int
        Ids of the nodes where a row ends, and where it ends with a larger value of the feature.
    lower_value, upper_value : float
        What they predict, in the wrong order.
    certain : bool
        Whether there are such two rows. There may be none if the way to the nodes has splits on several
        features, or if only rows without a value take it where these are shared or follow surrogates.
    """

    lower: int
    upper: int
    lower_value: float
    upper_value: float
    certain: bool = True


def is_monotone(tree: Tree | TreeModel, feature: str | int, sign: int = 1) -> bool:
    """Whether the prediction can never fall (or rise, for sign −1) when a feature's value rises.

    This is a proof for all rows there could be, not a sample: two rows that both have a value of the feature
    and agree in all others, which may have any value or none. The prediction is the number of a leaf; of
    classes the mean of their positions in `classes_` by their shares, which for two classes is the share of
    the second.

    Parameters
    ----------
    tree : Tree or estimator
        A grown tree. If it is not proved monotone, `find_violation` says whether it is certain not to be.
    feature : str or int
        Name or number of a numeric or ordinal feature.
    sign : {1, −1}
        1: never falls; −1: never rises.

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor
    >>> X, y = [[1], [2], [3], [4]], [1.0, 3.0, 2.0, 4.0]
    >>> is_monotone(DecisionTreeRegressor().fit(X, y), "x0")
    False
    >>> is_monotone(DecisionTreeRegressor(monotonic_cst=[1]).fit(X, y), "x0")
    True
    """
    return find_violation(tree, feature, sign) is None


def find_violation(tree: Tree | TreeModel, feature: str | int, sign: int = 1) -> Violation | None:
    """Give two nodes that predict in the wrong order, or None if there are none; see `is_monotone`.

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor().fit([[1], [2], [3], [4]], [1.0, 3.0, 2.0, 4.0])
    >>> violation = find_violation(model, 0)
    >>> violation.lower_value, violation.upper_value, violation.certain
    (3.0, 2.0, True)
    """
    if sign not in (1, -1):
        raise ValueError(f"sign must be 1 (never falls) or -1 (never rises), got {sign!r}.")
    grown = tree if isinstance(tree, Tree) else tree._fitted_tree()
    found = None
    for violation in _Check(grown, _feature_number(grown, feature), sign).violations():
        found = violation
        if violation.certain:
            break
    return found


def collapse_to_order(tree: Tree, signs: Sequence[int]) -> Tree:
    """Collapse nodes of a tree until it is monotone: what pruning may have put out of order.

    Of two leaves in the wrong order, the parent of fewer rows becomes a leaf.

    Parameters
    ----------
    tree : Tree
    signs : sequence of {−1, 0, 1}
        For each feature whether the prediction may only fall, do anything, or only rise with it.

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor().fit([[1], [2], [3], [4]], [1.0, 3.0, 2.0, 4.0]).tree_
    >>> ordered = collapse_to_order(tree, [1])
    >>> ordered.node_value[ordered.leaves, 0].tolist()  # 3 and 2 have become one leaf
    [1.0, 2.5, 4.0]
    """
    while True:
        collapse = np.zeros(len(tree), bool)
        for feature in np.flatnonzero(signs).tolist():
            for violation in _Check(tree, feature, signs[feature]).violations():
                parents = (int(tree.parent[violation.lower]), int(tree.parent[violation.upper]))
                collapse[min(parents, key=lambda node: float(tree.weight[node]))] = True
        if not collapse.any():
            return tree
        tree = tree.collapse(collapse)


def predictions(tree: Tree) -> NDArray[np.float64]:
    """Give the number that each node predicts: its value, or the mean position of its classes."""
    if not tree.is_classifier:
        return tree.node_value[:, 0]
    # Sums and one division, as the grower computes them: equal shares give equal numbers.
    return np.asarray(
        (tree.node_value * np.arange(tree.node_value.shape[1])).sum(axis=1) / tree.node_value.sum(axis=1)
    )


def _feature_number(tree: Tree, feature: str | int) -> int:
    number = tree.schema.feature(feature)
    if tree.schema.columns[number].kind == "categorical":
        raise ValueError(f"feature {tree.schema.names[number]!r} is categorical: its values have no order.")
    return number


@dataclass(frozen=True)
class _Interval:
    """Values above `low` and up to `high`, and whether the value may be missing."""

    low: float = -inf
    high: float = inf
    missing: bool = True

    def part(self, split: Threshold | Intervals, branch: int, missing: bool) -> _Interval:
        cuts = (-inf, *feature_cuts(split), inf)
        return _Interval(max(self.low, cuts[branch]), min(self.high, cuts[branch + 1]), missing)

    @property
    def known(self) -> bool:
        return self.low < self.high

    @property
    def empty(self) -> bool:
        return not (self.known or self.missing)


_Region = dict[int, _Interval | int]
"""What is left of each feature that the two rows share: an interval, or a category set as bits."""


@dataclass(frozen=True)
class _Pair:
    """Where the row of the smaller value and that of the larger stand, and the values they may have."""

    lower: int
    upper: int
    own: tuple[_Interval, _Interval]
    region: _Region
    settled: tuple[bool, bool] = (False, False)  # a row that stays at its node goes no further
    loose: frozenset[int] = frozenset()  # features of which the region may hold more than the rows can have


class _Check:
    """The descent of two rows that differ in one feature."""

    def __init__(self, tree: Tree, feature: int, sign: int) -> None:
        self.tree, self.feature = tree, feature
        self.value = sign * predictions(tree)
        self.sign = sign
        self.least, self.most = self._extremes()
        self.splits: dict[int, Split] = {}

    def _extremes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The smallest and the largest prediction below each node."""
        tree = self.tree
        ends = (tree.n_children == 0) | (tree.default_branch == STAY)
        least, most = np.where(ends, self.value, inf), np.where(ends, self.value, -inf)
        for node in reversed(range(1, len(tree))):
            above = tree.parent[node]
            least[above] = min(least[above], least[node])
            most[above] = max(most[above], most[node])
        return least, most

    def violations(self) -> Iterator[Violation]:
        """Go over the splits that part the two rows: a violation below each that has one."""
        for node in np.flatnonzero(self.tree.n_children > 0).tolist():
            children = self.tree.children(node)
            for low, high in self._partings(node):
                lower, upper = children[low], children[high]
                if self.most[lower] > self.least[upper]:
                    found = self._descend(self._start(node, lower, upper))
                    if found is not None:
                        yield found

    def _split(self, node: int) -> Split:
        if node not in self.splits:
            split = self.tree[node].split
            assert split is not None
            self.splits[node] = split
        return self.splits[node]

    def _asks(self, split: Split) -> bool:
        """Whether a split is on the feature alone."""
        return isinstance(split, Threshold | Intervals) and split.feature == self.feature

    def _partings(self, node: int) -> Iterator[tuple[int, int]]:
        """Pairs of branches by which the two rows may part at a node."""
        match self._split(node):
            case Threshold(feature=feature, threshold=threshold):
                if feature == self.feature and threshold < inf:
                    yield 0, 1
            case Intervals(feature=feature, cuts=cuts):
                if feature == self.feature:
                    yield from combinations(range(len(cuts) + 1), 2)
            case Hyperplane(features=features, weights=weights):
                if self.feature in features:
                    yield (0, 1) if weights[features.index(self.feature)] > 0 else (1, 0)
            case Sphere(features=features):
                if self.feature in features:
                    yield from ((0, 1), (1, 0))
        surrogates = self.tree[node].surrogates  # of rows that miss the split's own value
        if any(self.feature in features_of(split) for split in surrogates):
            yield from permutations(range(int(self.tree.n_children[node])), 2)

    def _start(self, node: int, lower: int, upper: int) -> _Pair:
        """The pair below a parting, with all that the way to it says."""
        own = _Interval(missing=False)
        pair = _Pair(lower, upper, (own, own), {})
        path = [lower]
        while path[-1] != 0:
            path.append(int(self.tree.parent[path[-1]]))
        for above, below in zip(path[:0:-1], path[-2::-1], strict=True):
            if above == node:
                break
            branch, split = int(self.tree.branch[below]), self._split(above)
            if isinstance(split, Threshold | Intervals) and self._asks(split):
                own = own.part(split, branch, missing=False)
            else:
                region, loose = self._narrowed(pair, above, branch)
                pair = _Pair(lower, upper, pair.own, region, loose=loose)
        split = self._split(node)
        if not (isinstance(split, Threshold | Intervals) and self._asks(split)):
            return _Pair(lower, upper, (own, own), pair.region, loose=pair.loose | {OBLIQUE})
        low, high = self.tree.branch[[lower, upper]].tolist()
        parts = (own.part(split, low, False), own.part(split, high, False))
        return _Pair(lower, upper, parts, pair.region, loose=pair.loose)

    def _narrowed(self, pair: _Pair, node: int, branch: int) -> tuple[_Region, frozenset[int]]:
        """What is left for rows that take a branch; splits on several features say nothing here."""
        tree, region, split = self.tree, pair.region, self._split(node)
        if not isinstance(split, Threshold | Intervals | Table):
            return region, pair.loose | {OBLIQUE}
        default = int(tree.default_branch[node])
        has_surrogates = tree.split_begin[node + 1] - tree.split_begin[node] > 1
        unanswered = default in (branch, SHARE) or has_surrogates
        loose = pair.loose | {split.feature} if default == SHARE or has_surrogates else pair.loose
        if isinstance(split, Table):
            taken = sum(1 << code for code, way in split.branches.items() if way == branch)
            if unanswered:  # the highest bit stands for missing values and unseen ones
                named = sum(1 << code for code in split.branches)
                taken |= ~named & self._all_categories(split.feature)
            return region | {split.feature: self._codes(region, split.feature) & taken}, loose
        here = self._interval(region, split.feature)
        only_missing = isinstance(split, Threshold) and split.threshold == inf and branch == 1
        missing = here.missing and (unanswered or only_missing)
        return region | {split.feature: here.part(split, branch, missing)}, loose

    def _interval(self, region: _Region, feature: int) -> _Interval:
        here = region.get(feature, _Interval())
        assert isinstance(here, _Interval)
        return here

    def _codes(self, region: _Region, feature: int) -> int:
        codes = region.get(feature, self._all_categories(feature))
        assert isinstance(codes, int)
        return codes

    def _all_categories(self, feature: int) -> int:
        return (1 << (len(self.tree.schema.columns[feature].categories) + 1)) - 1

    def _descend(self, start: _Pair) -> Violation | None:
        """Give the first violation that is certain, else the first."""
        pairs, first = [start], None
        while pairs:
            pair = pairs.pop()
            ends = [
                settled or self.tree.is_leaf(node)
                for node, settled in zip((pair.lower, pair.upper), pair.settled, strict=True)
            ]
            if not all(ends):
                pairs += [below for below in self._below(pair, 1 if ends[0] else 0) if self._open(below)]
            elif self.value[pair.lower] > self.value[pair.upper]:
                found = self._violation(pair)
                if found.certain:
                    return found
                first = first or found
        return first

    def _open(self, pair: _Pair) -> bool:
        """Whether a pair is possible, and not yet known to be in order."""
        most = self.value[pair.lower] if pair.settled[0] else self.most[pair.lower]
        least = self.value[pair.upper] if pair.settled[1] else self.least[pair.upper]
        lower, upper = pair.own
        possible = not lower.empty and not upper.empty and lower.low < upper.high
        shared = all(not part.empty if isinstance(part, _Interval) else part for part in pair.region.values())
        return bool(most > least) and possible and shared

    def _below(self, pair: _Pair, side: int) -> Iterator[_Pair]:
        """The pairs after one of the two has gone a step further."""
        tree, node = self.tree, (pair.lower, pair.upper)[side]
        split = self._split(node)

        def stepped(
            to: int, own: _Interval, region: _Region, loose: frozenset[int], settled: bool = False
        ) -> _Pair:
            nodes, owns, ends = [pair.lower, pair.upper], list(pair.own), list(pair.settled)
            nodes[side], owns[side], ends[side] = to, own, settled
            return _Pair(nodes[0], nodes[1], (owns[0], owns[1]), region, (ends[0], ends[1]), loose)

        for branch, child in enumerate(tree.children(node)):
            if isinstance(split, Threshold | Intervals) and self._asks(split):
                own = pair.own[side].part(split, branch, missing=False)
                yield stepped(child, own, pair.region, pair.loose)
            else:
                yield stepped(child, pair.own[side], *self._narrowed(pair, node, branch))
        if tree.default_branch[node] == STAY and not self._asks(split):
            yield stepped(node, pair.own[side], *self._only_missing(pair, node, split), settled=True)

    def _only_missing(self, pair: _Pair, node: int, split: Split) -> tuple[_Region, frozenset[int]]:
        if isinstance(split, Hyperplane | Sphere):
            return pair.region, pair.loose | {OBLIQUE}
        has_surrogates = self.tree.split_begin[node + 1] - self.tree.split_begin[node] > 1
        loose = pair.loose | {split.feature} if has_surrogates else pair.loose
        if isinstance(split, Table):
            unnamed = self._all_categories(split.feature) & ~sum(1 << code for code in split.branches)
            return pair.region | {split.feature: self._codes(pair.region, split.feature) & unnamed}, loose
        here = self._interval(pair.region, split.feature)
        return pair.region | {split.feature: _Interval(inf, -inf, here.missing)}, loose

    def _violation(self, pair: _Pair) -> Violation:
        lower, upper = (self.sign * float(self.value[node]) for node in (pair.lower, pair.upper))
        certain = OBLIQUE not in pair.loose and all(
            part.known if isinstance(part, _Interval) else part & (self._all_categories(feature) >> 1)
            for feature, part in pair.region.items()
            if feature in pair.loose
        )
        return Violation(pair.lower, pair.upper, lower, upper, bool(certain))
