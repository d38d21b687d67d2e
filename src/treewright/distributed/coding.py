"""The rows of a partition as codes: two bytes a number, a whole number a category; and their target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data.schema import Infinities, Schema
from treewright.data.target import read_target, read_weight
from treewright.distributed.drawn import Drawn
from treewright.distributed.parts import Parts, taken

if TYPE_CHECKING:
    import pyarrow as pa

Numbers = NDArray[np.float64]
MOST_CODES = 255 * 256
ALL_CODES = 65536


@dataclass(frozen=True)
class Place:
    """Where the rows of a partition are in a tree."""

    node: NDArray[np.int32]
    """−1 of rows that take no part."""
    tree: int = -1
    """The number of the tree; of none yet it is −1."""
    n_routed: int = 0
    """Levels of splits that they have passed."""
    neighbours: tuple[Numbers, Numbers] = (np.empty(0), np.empty(0))
    """What stands next to the cuts of the last of them, below and above."""
    times: NDArray[np.uint32] | None = None
    """How often the tree has drawn each row, if it draws."""


@dataclass
class Partition:
    """Coded rows: an array for each column, in memory or in a file, and the node that each row is at.

    Rows are numbered in the order of the table, `first` being the number of the first; where some are left
    out, `row` has the numbers.
    """

    codes: Sequence[NDArray[np.uint16]]
    numbers: Sequence[Numbers]
    categories: Sequence[NDArray[np.int32]]
    target: NDArray[Any]
    """Classes, or numbers."""
    weight: Numbers | None
    at: Place
    met: NDArray[np.uint8] | None = None
    """What was met of each code of each numeric column, when the rows were coded."""
    first: int = 0
    row: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.target)

    def taken(self, parts: Parts) -> NDArray[np.bool_]:
        """Tell which rows are in all parts of the table."""
        return taken(parts, np.arange(self.first, self.first + len(self)) if self.row is None else self.row)

    def route(
        self,
        tree: int,
        parts: Parts,
        splits: Sequence[dict[str, Any]],
        ranks: Ranks,
        drawn: Drawn | None = None,
    ) -> None:
        """Send the rows of some parts down a tree, by levels of splits that they have not passed yet."""
        at = self.at if self.at.tree == tree else self._start(tree, parts, drawn)
        if at.n_routed < len(splits):
            node, low, high = np.array(at.node), np.empty(0), np.empty(0)
            for level in splits[at.n_routed :]:
                low, high = np.full(len(level["column"]), -np.inf), np.full(len(level["column"]), np.inf)
                used = set(level["column"][level["first_child"] >= 0].tolist())
                codes, numbers = self.numeric_columns(ranks, used)
                _core.route_rows(node, codes, numbers, list(self.categories), level, low, high)
            at = Place(node, tree, len(splits), (low, high), at.times)
        self.at = at  # at once, as another thread may ask

    def _start(self, tree: int, parts: Parts, drawn: Drawn | None) -> Place:
        inside, times = self.taken(parts), None if drawn is None else drawn.of(self)
        if times is not None:
            inside &= times > 0
        return Place(np.where(inside, 0, -1).astype(np.int32), tree, times=times)

    def numeric_columns(
        self, ranks: Ranks, used: set[int] | None = None
    ) -> tuple[list[NDArray[np.uint16]], list[Numbers | None]]:
        """Give codes and numbers of the columns that are grown on as numbers; ranks stand behind the others.

        Numbers are given of the `used` columns alone.
        """
        n_numbers = len(self.codes)
        codes, numbers = (
            list(self.codes),
            [column if used is None or place in used else None for place, column in enumerate(self.numbers)],
        )
        for place, ranking in enumerate(ranks.rankings):
            category = self.categories[ranking.column]
            codes.append(ranking.code[category])  # the last is what code −1 points at
            wanted = used is None or n_numbers + place in used
            numbers.append(ranking.rank[category] if wanted else None)
        return codes, numbers

    def weighed(self, times: NDArray[np.uint32] | None, factors: Sequence[Numbers]) -> Numbers | None:
        """Give the weights of the rows by factors on classes, one after the other.

        Rows that are drawn weigh as often as they are: their own weights are the chance to be drawn.
        """
        weight = None if self.weight is None else np.asarray(self.weight)
        if times is not None:
            weight = times.astype(np.float64)
        for factor in factors:
            weight = factor[self.target] if weight is None else weight * factor[self.target]
        return weight


@dataclass(frozen=True)
class Ranking:
    """A categorical column whose values are grown on as ranks; of missing values the last entry."""

    column: int
    """Among the categorical ones."""
    rank: Numbers
    code: NDArray[np.uint16]
    met: NDArray[np.uint8]
    values: Numbers
    """What codes stand for."""


@dataclass(frozen=True)
class Ranks:
    """The categorical columns that are grown on as ranks."""

    rankings: tuple[Ranking, ...] = ()


@dataclass(frozen=True)
class Coding:
    """How the rows of every partition are coded."""

    schema: Schema
    target: str
    weight: str | None
    values: tuple[Numbers, ...]
    """Of each numeric column, what its codes stand for."""
    inf: Infinities = "error"
    missing: str = "direction"
    estimator: str = "this estimator"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "coders"}

    @cached_property
    def coders(self) -> list[Any]:
        """What codes each numeric column; made where it is needed."""
        return [_core.TwoByteCoder(values) for values in self.values]

    def encode(self, rows: pa.Table, first: int) -> Partition:
        """Code rows, of which the first has this number in the table; those of no weight are left out."""
        weight, row = None, None
        if self.weight is not None:
            weight = _weights(rows.column(self.weight))
            if not weight.all():
                row = first + np.flatnonzero(weight)
                rows, weight = rows.filter(weight > 0), weight[weight > 0]
        if len(rows):
            target = read_target(rows.column(self.target), self.schema.classes, len(rows), self.estimator)
            numbers, categories = self.schema.encode(
                rows.select(list(self.schema.names)),
                missing=self.missing,
                inf=self.inf,
                estimator=self.estimator,
            )
        else:
            is_category = self.schema.n_categories > 0
            target = np.empty(0)
            numbers = np.empty((0, np.count_nonzero(~is_category)))
            categories = np.empty((0, np.count_nonzero(is_category)), np.int32)
        met = np.zeros((len(self.values), ALL_CODES), np.uint8)
        codes = []
        columns = [np.ascontiguousarray(column) for column in numbers.T]
        for column, coder, seen in zip(columns, self.coders, met, strict=True):
            code = np.empty(len(column), np.uint16)
            coder.encode(column, code, seen)
            codes.append(code)
        kinds = [np.ascontiguousarray(column) for column in categories.T]
        at = Place(np.full(len(target), -1, np.int32))
        of_class = self.schema.classes is not None
        own = np.ascontiguousarray(target, np.int32 if of_class else np.float64)
        return Partition(codes, columns, kinds, own, weight, at, met, first, row)


def _weights(column: Any) -> Numbers:
    """Weights of a partition, in which every row may count one, or none."""
    weight, _ = read_weight(
        np.append(np.asarray(column), 2), len(column) + 1
    )  # so that there is one of weight
    assert weight is not None
    return weight[:-1]


def code_values(sample: Numbers) -> Numbers:
    """Choose the values that codes stand for: all of a sample, or its quantiles if there are too many.

    Examples
    --------
    >>> code_values(np.array([2.0, np.nan, 1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    known = np.sort(sample[~np.isnan(sample)]) + 0.0
    if not len(known):
        return np.zeros(1)
    values = np.unique(known)
    if len(values) > MOST_CODES:
        values = np.unique(known[np.arange(1, MOST_CODES + 1) * len(known) // MOST_CODES - 1])
    return values


def rank_column(column: int, order: NDArray[np.int32], n_categories: int) -> Ranking:
    """Give a categorical column the ranks of an order of its categories."""
    rank = np.zeros(n_categories + 1)
    rank[order] = np.arange(len(order))
    rank[-1] = np.nan
    ranks = np.arange(max(len(order), 1), dtype=np.float64)
    code, met = np.empty(n_categories + 1, np.uint16), np.zeros(ALL_CODES, np.uint8)
    coder = _core.TwoByteCoder(code_values(ranks))
    coder.encode(ranks, np.empty(len(ranks), np.uint16), met)
    coder.encode(rank, code, np.zeros(ALL_CODES, np.uint8))
    return Ranking(column, rank, code, met, code_values(ranks))


@dataclass
class TableTotals:
    """What is known of the whole table once it is coded."""

    n_rows: int
    class_rows: Numbers
    """Of each class; none of numbers."""
    class_times: Numbers
    """The same, each row as often as it is drawn."""
    categories: list[tuple[Numbers, Numbers]]
    """Of each categorical column, by category: weights of classes, or the sum of the target; weights."""
    met: NDArray[np.uint8]


@dataclass(frozen=True)
class TotalsQuestion:
    """The question of what a coded table, or some parts of it, are as a whole.

    What was met of each code is told when the partitions are made, of the whole table.
    """

    n_categories: tuple[int, ...]
    n_classes: int
    parts: Parts = ()
    drawn: Drawn | None = None
    factors: tuple[Numbers, ...] = ()
    """On the weight of each class."""

    def ask(self, partition: Partition) -> TableTotals:
        """Sum up one partition."""
        inside = partition.taken(self.parts)
        times = None if self.drawn is None else self.drawn.of(partition)
        if times is not None:
            inside &= times > 0
        weight = partition.weighed(times, self.factors) if partition.categories else None
        by_category = [
            self._sums(partition, inside, weight, codes, n)
            for codes, n in zip(partition.categories, self.n_categories, strict=True)
        ]
        met = np.empty(0, np.uint8) if partition.met is None else partition.met
        target = partition.target[inside]
        rows = np.bincount(target, minlength=self.n_classes) if self.n_classes else np.empty(0)
        class_times = rows
        if times is not None and self.n_classes:
            class_times = np.bincount(target, times[inside], self.n_classes)
        counts = rows.astype(np.float64), class_times.astype(np.float64)
        return TableTotals(len(target), *counts, by_category, met)

    def _sums(
        self,
        partition: Partition,
        inside: NDArray[np.bool_],
        weights: Numbers | None,
        codes: NDArray[np.int32],
        n: int,
    ) -> tuple[Numbers, Numbers]:
        known, k = inside & (codes >= 0), max(self.n_classes, 1)
        place, target = codes[known].astype(np.int64), partition.target[known]
        weight = np.ones(len(place)) if weights is None else weights[known]
        if self.n_classes:
            sums: Numbers = np.bincount(place * k + target, weight, n * k).astype(np.float64)
        else:
            sums = np.bincount(place, weight * target, n).astype(np.float64)
        return sums.reshape(n, k), np.bincount(place, weight, n).astype(np.float64)

    def join(self, one: TableTotals, other: TableTotals) -> TableTotals:
        """Add two up."""
        return TableTotals(
            one.n_rows + other.n_rows,
            one.class_rows + other.class_rows,
            one.class_times + other.class_times,
            [(a + c, b + d) for (a, b), (c, d) in zip(one.categories, other.categories, strict=True)],
            np.maximum(one.met, other.met),
        )
