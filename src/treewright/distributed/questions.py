"""What partitions are asked while a tree grows: sums of their rows by node and bin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.distributed.coding import Numbers, Partition, Ranks
from treewright.distributed.drawn import Drawn
from treewright.distributed.parts import Parts

Splits = tuple[dict[str, Any], ...]
"""Levels of splits, from the root down."""


@dataclass(frozen=True)
class RowsAt:
    """Rows as the nodes have them: what every question to grow by begins with."""

    tree: int
    """The number of the tree that grows."""
    parts: Parts
    """The rows that it grows on."""
    splits: Splits
    ranks: Ranks
    factors: tuple[Numbers, ...]
    """On the weight of each class, one after the other."""
    n_classes: int
    """0 where the target is a number."""
    unit: bool
    """Whether every row weighs one."""
    drawn: Drawn | None = None
    """How often rows are drawn, if they are."""
    given_factors: tuple[Numbers, ...] = ()
    """On the weight of each class, as part of the weights that are given."""
    centres: Numbers | None = None
    """By node, what is taken off the target in searches, where that is a number."""

    @property
    def stride(self) -> int:
        """Numbers of a bin: the weights of the classes, or three; and the count of rows unless it follows."""
        return (self.n_classes or 3) + (not self.unit)

    def target(self, partition: Partition) -> tuple[NDArray[Any], Numbers | None]:
        """Give target and weights of the rows, as they are searched."""
        factors = (*self.given_factors, *self.factors)
        return np.ascontiguousarray(partition.target), partition.weighed(partition.at.times, factors)

    def given_weight(self, partition: Partition) -> Numbers | None:
        """Give the weights of the rows as they are given to whoever grows in memory."""
        return partition.weighed(partition.at.times, self.given_factors)

    def neighbours(self, partition: Partition) -> tuple[Numbers, Numbers]:
        """Route the rows; give the numbers next to the last cuts, below and above."""
        partition.route(self.tree, self.parts, self.splits, self.ranks, self.drawn)
        return partition.at.neighbours


def join_neighbours(one: tuple[Numbers, Numbers], other: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
    """Give the nearest of the numbers on each side of the cuts."""
    return np.maximum(one[0], other[0]), np.minimum(one[1], other[1])


@dataclass
class Counted:
    """Sums of rows by node, and what stands next to the cuts above them."""

    neighbours: tuple[Numbers, Numbers]
    bins: Numbers
    """Nodes × numeric columns × 256 × numbers of a bin."""
    categories: list[Numbers]
    """Of each categorical column that is none of ranks, nodes × (categories, missing) × numbers of a bin."""


@dataclass(frozen=True)
class Count:
    """Histograms of some nodes."""

    rows: RowsAt
    nodes: tuple[int, ...]
    n_nodes: int
    grouped: tuple[tuple[int, int], ...]
    """Number and size of the categorical columns that are counted by category."""

    def ask(self, partition: Partition) -> Counted:
        """Count the rows of one partition."""
        n_columns = len(partition.codes) + len(self.rows.ranks.rankings)
        return self._count(partition, np.zeros((len(self.nodes), n_columns, 256, self.rows.stride)))

    def add(self, counted: Counted, partition: Partition) -> Counted:
        """Count the rows of one partition into the sums of others."""
        return self._join(counted, self._count(partition, counted.bins))

    def join(self, one: Counted, other: Counted) -> Counted:
        """Add two up."""
        one.bins += other.bins
        return self._join(one, other)

    def _count(self, partition: Partition, bins: Numbers) -> Counted:
        neighbours = self.rows.neighbours(partition)
        counted = places(self.nodes, self.n_nodes)
        target, weight = self.rows.target(partition)
        searched = (target, weight, self.rows.centres, self.rows.n_classes)
        codes, _ = partition.numeric_columns(self.rows.ranks, set())
        node, m = partition.at.node, len(self.nodes)
        _core.count_bins(node, counted, codes, *searched, m, bins.reshape(-1))
        categories = [
            _core.count_categories(node, counted, partition.categories[c], size, *searched, m).reshape(
                m, size + 1, self.rows.stride
            )
            for c, size in self.grouped
        ]
        return Counted(neighbours, bins, categories)

    def _join(self, one: Counted, other: Counted) -> Counted:
        """Add up all but bins."""
        categories = [a + b for a, b in zip(one.categories, other.categories, strict=True)]
        return Counted(join_neighbours(one.neighbours, other.neighbours), one.bins, categories)


def places(nodes: Sequence[int] | NDArray[np.int32], n_nodes: int) -> NDArray[np.int32]:
    """Give the place of each node among some, −1 of others."""
    place = np.full(n_nodes, -1, np.int32)
    place[np.asarray(nodes, np.int64)] = np.arange(len(nodes))
    return place


def sum_requests(n_rows: int = 0, heaviest: float = 0.0) -> dict[str, NDArray[Any]]:
    """Ask for the weight of all rows, as the core asks for sums; of no rows for nothing."""
    one = {"node": 0, "power": 0, "n": n_rows, "bound": heaviest, "centre": 0.0}
    kinds = {"node": np.int32, "power": np.int32, "n": np.int64, "bound": np.float64, "centre": np.float64}
    return {name: np.array([one[name]] if n_rows else [], kind) for name, kind in kinds.items()}


@dataclass
class Described:
    """What nodes are described by, and what stands next to the cuts above them."""

    neighbours: tuple[Numbers, Numbers]
    ranges: Numbers
    """Nodes × (least target, largest target, heaviest weight)."""
    sums: NDArray[np.uint64]
    """Sums in no order, as whole numbers that wrap around."""


@dataclass(frozen=True)
class Describe:
    """Ranges of some nodes, and sums over others: their grids follow from ranges that are known."""

    rows: RowsAt
    ranges: NDArray[np.int32]
    sums: dict[str, NDArray[Any]]
    n_nodes: int

    def ask(self, partition: Partition) -> Described:
        """Look at the rows of one partition."""
        neighbours = self.rows.neighbours(partition)
        target, weight = self.rows.target(partition)
        node, k = partition.at.node, self.rows.n_classes
        counted = places(self.ranges, self.n_nodes)
        ranges = _core.node_ranges(node, counted, target, weight, k, len(self.ranges))
        sums = _core.node_sums(node, self.sums, self.n_nodes, target, weight, k)
        return Described(neighbours, ranges, sums)

    def join(self, one: Described, other: Described) -> Described:
        """Put two together."""
        low = np.minimum(one.ranges[:, :1], other.ranges[:, :1])
        ranges = np.hstack([low, np.maximum(one.ranges[:, 1:], other.ranges[:, 1:])])
        return Described(join_neighbours(one.neighbours, other.neighbours), ranges, one.sums + other.sums)


Behind = tuple[NDArray[np.int32], Numbers, Numbers]
"""For each value behind suspect codes the suspect, the value, and its sums."""


@dataclass
class Looked:
    """What hides in suspect bins."""

    codes: dict[int, Numbers]
    """Of each numeric column, suspects × 256 × numbers of a bin."""
    values: dict[int, list[Behind]]
    """Of each numeric column what is behind its suspect codes, in parts that are to be merged."""


@dataclass(frozen=True)
class Look:
    """The codes behind suspect bins, and the values behind suspect codes."""

    rows: RowsAt
    suspects: NDArray[np.int32]
    """Node, numeric column, code, and whether it is one code alone."""
    n_nodes: int

    @cached_property
    def bins(self) -> dict[int, NDArray[np.int32]]:
        """The suspects of each column that are bins."""
        return _by_column(self.suspects[self.suspects[:, 3] == 0])

    @cached_property
    def codes(self) -> dict[int, NDArray[np.int32]]:
        """The suspects of each column that are single codes."""
        return _by_column(self.suspects[self.suspects[:, 3] != 0])

    def ask(self, partition: Partition) -> Looked:
        """Look into the rows of one partition."""
        sums = {column: np.zeros((len(asked), 256, self.rows.stride)) for column, asked in self.bins.items()}
        return self._look(partition, sums)

    def add(self, looked: Looked, partition: Partition) -> Looked:
        """Look into the rows of one partition, and add them to the sums of others."""
        return self._join(looked, self._look(partition, looked.codes))

    def join(self, one: Looked, other: Looked) -> Looked:
        """Add two up."""
        for column, sums in other.codes.items():
            one.codes[column] += sums
        return self._join(one, other)

    def _look(self, partition: Partition, sums: dict[int, Numbers]) -> Looked:
        self.rows.neighbours(partition)
        target, weight = self.rows.target(partition)
        searched = (target, weight, self.rows.centres, self.rows.n_classes)
        node = partition.at.node
        codes, numbers = partition.numeric_columns(self.rows.ranks, set(self.codes))
        for column, asked in self.bins.items():
            to = sums[column].reshape(-1)
            _core.count_codes(node, codes[column], asked, self.n_nodes, *searched, to)
        values = {}
        for column, asked in self.codes.items():
            suspect, row, of_rows = _core.rows_of_codes(node, codes[column], asked, self.n_nodes, *searched)
            own = numbers[column]
            assert own is not None
            values[column] = [_merged(suspect, own[row] + 0.0, of_rows)]
        return Looked(sums, values)

    def _join(self, one: Looked, other: Looked) -> Looked:
        """Put together what is behind codes."""
        for column, further in other.values.items():
            one.values[column] += further
            sizes = [len(part[0]) for part in one.values[column]]
            if sum(sizes) > 2 * sizes[0] + 65536:  # so that values are sorted a few times
                one.values[column] = [merge(one.values[column])]
        return one


def merge(parts: Sequence[Behind]) -> Behind:
    """Put together what parts say is behind suspect codes; suspects, and their values, ascending."""
    return _merged(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _by_column(suspects: NDArray[np.int32]) -> dict[int, NDArray[np.int32]]:
    return {
        column: np.ascontiguousarray(suspects[suspects[:, 1] == column])
        for column in np.unique(suspects[:, 1]).tolist()
    }


def _merged(suspect: Any, value: Any, sums: Any) -> tuple[Any, Any, Any]:
    """Sum up what has the same suspect and the same value; suspects, and their values, ascending."""
    if not len(suspect):
        return suspect, value, sums
    order = np.lexsort((value, suspect))
    suspect, value, sums = suspect[order], value[order], sums[order]
    new = np.r_[True, (suspect[1:] != suspect[:-1]) | (value[1:] != value[:-1])]
    first = np.flatnonzero(new)
    return suspect[first], value[first], np.add.reduceat(sums, first, axis=0)
