"""Exact search for counterfactuals: the nearest row with the wanted prediction, best first.

A region of rows is narrowed split by split, always the one that is nearest to the row at the time, as in the
A* of Hart, Nilsson & Raphael (1968): narrowing never brings a region nearer, so that the first region found
in which the answer is as wanted has the nearest row. Regions whose leaves cannot add up to the goal are left
out.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.arithmetic import matmul
from treewright.explain.counterfactual_goal import ROUNDING, Goal
from treewright.explain.oblique_region import nearest_on_sides
from treewright.explain.path import follow
from treewright.explain.region import Cost, Measure, Region
from treewright.explain.row import Row
from treewright.tree import Tree
from treewright.tree.conditions import Condition, Side, Values, answered
from treewright.tree.routing import SHARE, STAY
from treewright.tree.splits import Hyperplane, Sphere, Split, Table, features_of

Array = NDArray[np.float64]
Way = tuple[tuple[Condition, ...], tuple[tuple[int, float], ...]]
"""Conditions on a row, and the nodes that it then goes to from a node, with the share that each gets."""


class Part(NamedTuple):
    """A part of the row on its way: the tree, the node, and how much of the row."""

    tree: int
    node: int
    share: float


@dataclass(frozen=True, eq=False)
class State:
    """A region, the parts of the row that are under way in it, and what those that ended have said.

    A state at the roots may have further unknown values filled in, from a place in their list on.
    """

    region: Region
    parts: tuple[Part, ...]
    said: Array
    fill_from: int | None = None


@dataclass(frozen=True)
class Found:
    """The nearest row: what changes, at what cost, and whether nothing nearer can be."""

    region: Region
    changes: dict[int, float]
    cost: Cost
    is_proven: bool


@dataclass(frozen=True, eq=False)
class Search:
    """A search for the nearest change of a row.

    It is best first over the leaves of the trees: what is found first is proven to be nearest.

    Parameters
    ----------
    trees : sequence of Tree
        Their answers are averaged.
    values : sequence of float arrays
        What every node of each tree says.
    measure : Measure
        The row, what may change, and what it costs.
    goal : Goal
    hard : bool
        Whether each tree gives its whole vote to one class, also where it shares a row.
    """

    trees: Sequence[Tree]
    values: Sequence[Array]
    measure: Measure
    goal: Goal
    hard: bool = False

    def run(self, time_limit: float | None = None, best: Found | None = None) -> Found | None:
        """Find the nearest change.

        Parameters
        ----------
        time_limit : float or None
            Seconds to search for; None searches to the end.
        best : Found or None
            A change that is known already: only nearer ones are looked for.

        Raises
        ------
        TimeoutError
            If time is up and no change is known.
        """
        deadline = None if time_limit is None else time.monotonic() + time_limit
        number = count()  # equal costs in the order in which they were found
        waiting: list[tuple[Cost, int, State]] = []
        start = self._start(self.measure.unknown, 0)
        heapq.heappush(waiting, (start.region.cost, next(number), start))
        while waiting:
            cost, _, state = heapq.heappop(waiting)
            if best is not None and cost >= best.cost:
                break
            if deadline is not None and time.monotonic() > deadline:
                if best is None:
                    raise TimeoutError(f"no change was found within time_limit={time_limit} seconds")
                return replace(best, is_proven=False)
            for fuller in self._filled(state):
                heapq.heappush(waiting, (fuller.region.cost, next(number), fuller))
            state = self._advanced(state)
            if not state.parts:
                if self.votes_jointly or self._is_wanted(state.said):
                    found = self._found(state.region)
                    if not self.votes_jointly or self._is_reached(found):
                        return found
                continue
            for narrower in self._narrowed(state):
                priced = self._priced(narrower)
                if priced is not None:
                    heapq.heappush(waiting, (priced, next(number), narrower))
        return best

    # ---- states ------------------------------------------------------------------------------------

    def _start(self, kept: frozenset[int], fill_from: int) -> State:
        """Put the row at the roots, with some of its unknown values kept as they are."""
        parts = tuple(Part(tree, 0, 1 / len(self.trees)) for tree in range(len(self.trees)))
        region = Region(self.measure, {}, (), kept)
        return State(region, parts, np.zeros(self.values[0].shape[1]), fill_from)

    def _filled(self, state: State) -> Iterator[State]:
        """Give states at the roots with one more unknown value filled in; each choice comes up once."""
        if state.fill_from is not None:
            for place in range(state.fill_from, len(self._may_be_filled)):
                yield self._start(state.region.kept - {self._may_be_filled[place]}, place + 1)

    @cached_property
    def _may_be_filled(self) -> list[int]:
        measure = self.measure
        return [
            feature
            for feature in sorted(measure.unknown & self.asked)
            if feature not in measure.bounds or not measure.is_empty(feature, measure.bounds[feature])
        ]

    @cached_property
    def asked(self) -> frozenset[int]:
        """The features that the trees ask for."""
        return frozenset().union(*(tree.splits.features() for tree in self.trees))

    def _advanced(self, state: State) -> State:
        """Move all parts on for which the region leaves one way only."""
        said, undecided = state.said.copy(), []
        waiting = list(state.parts)
        while waiting:
            part = waiting.pop()
            tree = self.trees[part.tree]
            if tree.is_leaf(part.node):
                said += part.share * self.values[part.tree][part.node]
                continue
            open_ways = self._ways(part, state.region)
            if len(open_ways) > 1:
                undecided.append(part)
                continue
            for node, share in open_ways[0][1]:
                if node == part.node:  # it stays
                    said += part.share * self.values[part.tree][node]
                else:
                    waiting.append(Part(part.tree, node, part.share * share))
        return State(state.region, tuple(undecided), said)

    def _narrowed(self, state: State) -> Iterator[State]:
        """Part the region by the split that matters most; give the parts in which the goal may be reached."""
        chosen = max(range(len(state.parts)), key=lambda at: self._weight(state.parts[at]))
        part = state.parts[chosen]
        others = state.parts[:chosen] + state.parts[chosen + 1 :]
        most = self._most_of(state.said, others)
        for conditions, nodes in self._ways(part, state.region):
            region = state.region.meet(conditions)
            if region is None:
                continue
            said, more, reach = state.said, [], most
            for node, share in nodes:
                if node == part.node:
                    said = said + part.share * self.values[part.tree][node]
                    reach = self._most_of(said, others)
                else:
                    more.append(Part(part.tree, node, part.share * share))
            for one in more:
                reach = reach + one.share * self._most[one.tree][one.node]
            if self.votes_jointly or self.goal.may_hold(reach, self.slack):
                yield State(region, (*more, *others), said)

    def _weight(self, part: Part) -> float:
        return part.share * float(self._most[part.tree][part.node].max())

    def _ways(self, part: Part, region: Region) -> list[Way]:
        """List where a part of the row may go from its node, within a region."""
        every = ways(self.trees[part.tree], part.node, self.measure, region.kept)
        return [way for way in every if _is_open(way[0], region)]

    # ---- goal --------------------------------------------------------------------------------------

    @cached_property
    def _most(self) -> list[Array]:
        """The most that each column of the goal can get from the ends below each node."""
        return [
            most_below(tree, matmul(value, self.goal.factors))
            for tree, value in zip(self.trees, self.values, strict=True)
        ]

    def _most_of(self, said: Array, parts: Iterable[Part]) -> Array:
        """Give the most that each column of the goal can get from what was said and from parts of the row."""
        most = matmul(said, self.goal.factors) + self.goal.offset
        for part in parts:
            most = most + part.share * self._most[part.tree][part.node]
        return most

    @cached_property
    def slack(self) -> float:
        """Give what sums may differ by rounding."""
        return ROUNDING * max(float(np.abs(value).max()) for value in self.values)

    def says(self, row: Row) -> Array:
        """Give what the trees say of a row, on average."""
        pairs = zip(self.trees, self.values, strict=True)
        every = [follow(tree, row).answer(value, self.hard) for tree, value in pairs]
        return np.asarray(np.mean(every, axis=0))

    @cached_property
    def votes_jointly(self) -> bool:
        """Whether the leaves that a row is shared over have one vote: what each adds to it is not known."""
        return self.hard and bool(self.measure.unknown) and any(tree.shares_rows for tree in self.trees)

    def _is_wanted(self, said: Array) -> bool:
        if not self.goal.labels:
            return bool(self.goal.margin(said) >= -self.slack)
        return int(self.trees[0].decide(said)) in self.goal.labels

    def _is_reached(self, found: Found | None) -> bool:
        """Say whether the trees answer a row as wanted."""
        return found is not None and self._is_wanted(self.says(self.measure.row.changed(found.changes)))

    # ---- cost --------------------------------------------------------------------------------------

    def _priced(self, state: State) -> Cost | None:
        """Give the cost of the nearest row of a state's region, None if there is none."""
        if not state.region.sides:
            return state.region.cost
        solved = nearest_on_sides(state.region)
        return None if solved is None else solved[0]

    def _found(self, region: Region) -> Found | None:
        if not region.sides:
            return Found(region, region.changes(), region.cost, True)
        solved = nearest_on_sides(region)
        return None if solved is None else Found(region, solved[1], solved[0], solved[2])


def ways(tree: Tree, node: int, measure: Measure, kept: frozenset[int]) -> Iterator[Way]:
    """Go over the ways out of a node: what holds for the rows that take it, and where they go.

    Where the split is not answered the surrogates are asked, in order, and then what the node keeps for such
    rows decides. Features in `kept` are unknown and stay so.
    """
    children = tree.children(node)
    begin, end = tree.split_begin[node : node + 2].tolist()
    unanswered: tuple[Condition, ...] = ()
    for index in range(begin, end):
        split = tree.splits.split(index, len(children))
        features = features_of(split)
        unknown = [feature for feature in features if feature in kept]
        if any(measure.row[feature] < 0 and isinstance(split, Table) for feature in unknown):
            largest = int(np.argmax(tree.weight[children]))
            yield unanswered, ((children[largest], 1.0),)
            return
        if unknown:
            continue
        for branch in range(split.n_branches):  # a surrogate may have fewer than the node
            yield (*unanswered, answered(split, branch)), ((children[branch], 1.0),)
        others = _unlisted(split, int(tree.schema.n_categories[features[0]]))
        if not others:
            return
        unanswered = (*unanswered, Values(features[0], others))
    default = int(tree.default_branch[node])
    if default == STAY:
        yield unanswered, ((node, 1.0),)
    elif default == SHARE:
        weight = tree.weight[children]
        shares = (weight / weight.sum()).tolist()
        yield (
            unanswered,
            tuple((child, share) for child, share in zip(children, shares, strict=True) if share > 0),
        )
    else:
        yield unanswered, ((children[default], 1.0),)


def _unlisted(split: Split, n_categories: int) -> frozenset[int]:
    if not isinstance(split, Table):
        return frozenset()
    return frozenset(range(n_categories)) - split.branches.keys()


def _is_open(conditions: Sequence[Condition], region: Region) -> bool:
    """Say whether conditions may hold in a region; of a side, by the bounds of its features alone."""
    for condition in conditions:
        if isinstance(condition, Side):
            low, high = side_span(condition.split, region)
            if (
                (low > condition.split.threshold)
                if condition.branch == 0
                else (high <= condition.split.threshold)
            ):
                return False
    return region.meet([condition for condition in conditions if not isinstance(condition, Side)]) is not None


def side_span(split: Hyperplane | Sphere, region: Region) -> tuple[float, float]:
    """Give bounds of what a split over several features compares with its threshold, in a region.

    Rounding never turns an order around: in the core's order of operations the bounds hold for its sums too.
    """
    least = most = 0.0
    factors = split.weights if isinstance(split, Hyperplane) else split.scales
    for place, (feature, factor) in enumerate(zip(split.features, factors, strict=True)):
        low, high = region.span(feature)
        if isinstance(split, Hyperplane):
            ends = (factor * low if factor else 0.0, factor * high if factor else 0.0)
            least, most = least + min(ends), most + max(ends)
            continue
        below, above = low - split.centres[place], high - split.centres[place]
        ends = (factor * below * below, factor * above * above)
        least, most = least + (0.0 if below <= 0 <= above else min(ends)), most + max(ends)
    return least, most


def most_below(tree: Tree, value: Array) -> Array:
    """Give for each node the largest entry, in each column, of the ends at and below it."""
    most = np.full(value.shape, -np.inf)
    ends = (tree.n_children == 0) | (tree.default_branch == STAY)
    most[ends] = value[ends]
    lines, parent = list(most), tree.parent.tolist()
    for node in range(len(lines) - 1, 0, -1):  # children come after their parent
        np.maximum(lines[parent[node]], lines[node], out=lines[parent[node]])
    return most
