"""`Grower`: a tree from tables in partitions, the same that they give in memory.

Large nodes are searched from sums that partitions answer with, level by level; the rows of small ones are
brought together, and their subtrees grown in memory. Which node is split, and how, is decided by the core.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.distributed.coding import Coding, Numbers, Ranking, Ranks, TableTotals, rank_column
from treewright.distributed.drawn import Drawn
from treewright.distributed.executor import Executor
from treewright.distributed.memory import Budget
from treewright.distributed.parts import Parts
from treewright.distributed.questions import Count, Describe, Look, RowsAt, Splits, merge
from treewright.distributed.subtrees import Subtree, SubtreeTask, join_trees

Suspects = NDArray[np.int32]
Kept = dict[int, tuple[Numbers, list[Numbers], int]]
"""Histograms of nodes that were split, and how many rows they have."""


class Grower:
    """Grows one tree; `growth` is what the core knows of it.

    Parameters
    ----------
    executor, coding, budget
        Who holds the rows, how they are coded, and how much memory they may use.
    tree : int
        A number of its own, by which partitions know the tree.
    parts : Parts
        The rows to grow on.
    totals : TableTotals
        What these rows are as a whole; `met` that of the whole table.
    options : dict
        The recipe as the core reads it.
    drawn : Drawn or None
        How often rows are drawn.
    given_factors : tuple of arrays
        Factors on the weight of each class that are part of the weights of rows.
    """

    def __init__(
        self,
        executor: Executor,
        coding: Coding,
        budget: Budget,
        *,
        tree: int,
        parts: Parts,
        totals: TableTotals,
        options: dict[str, Any],
        drawn: Drawn | None = None,
        given_factors: tuple[Numbers, ...] = (),
    ) -> None:
        self.executor, self.coding, self.options, self.budget = executor, coding, options, budget
        schema = coding.schema
        sizes = schema.n_categories
        ranked = _core.ranked_features(options, sizes)
        truth = set(options.get("truth_values", ()))
        self.orders: list[NDArray[np.int32] | None] = [None] * len(sizes)
        column = np.where(sizes > 0, -1 - schema.position, schema.position).astype(np.int32)
        rankings: list[Ranking] = []
        for feature in np.flatnonzero(ranked).tolist():
            sums, weight = totals.categories[schema.position[feature]]
            order = _core.category_ranks(sums, weight, feature in truth, schema.classes is not None)
            self.orders[feature] = order
            column[feature] = len(coding.values) + len(rankings)
            rankings.append(rank_column(int(schema.position[feature]), order, int(sizes[feature])))
        grouped = [feature for feature in np.flatnonzero(sizes > 0).tolist() if not ranked[feature]]
        for place, feature in enumerate(grouped):
            column[feature] = -1 - place
        self.grouped = tuple((int(schema.position[feature]), int(sizes[feature])) for feature in grouped)
        values = [*coding.values, *(ranking.values for ranking in rankings)]
        met = np.concatenate([totals.met, *(ranking.met[None] for ranking in rankings)])
        factors = tuple(options[name] for name in ("class_factor", "search_factor") if name in options)
        weighed = drawn is not None or bool(factors or given_factors)
        unit = coding.weight is None and not weighed
        self.rows = RowsAt(
            tree, parts, (), Ranks(tuple(rankings)), factors, schema.n_classes, unit, drawn, given_factors
        )
        self.exact = schema.n_classes > 0 and (unit or (drawn is not None and not (factors or given_factors)))
        counted = np.where(ranked, 0, sizes).astype(np.int32)
        self.growth = _core.PartitionedGrowth(
            options,
            column,
            counted,
            totals.n_rows,
            totals.class_rows,
            unit,
            totals.class_times if self.exact and not unit else None,
            self.orders,
            met,
            values if options.get("random_cuts") else [],
        )
        self.n_numeric = len(met)
        self.kept: Kept = {}
        self.splits: Splits = ()

    def grow(self) -> dict[str, NDArray[Any]]:
        """Grow the tree: large nodes level by level, then the subtrees below them."""
        while True:
            waiting = [Waiting(*one) for one in self.growth.grow()]
            self._send_down()
            if self._describe():
                continue
            large = [one for one in waiting if one.count > self.budget.subtree_rows]
            if not large:
                break
            kept, self.kept = self.kept, {}
            for nodes in self._batches(large):
                self._search(nodes, self._histograms(nodes, waiting, kept))
        if self.splits and self._unrouted:  # the numbers next to the last cuts
            self._ask_for(())
            waiting = [Waiting(*one) for one in self.growth.grow()]
        tree = self.growth.tree()
        subtrees = tuple(Subtree(one.node, one.depth, one.seed, one.count, one.place) for one in waiting)
        if not subtrees:
            return join_trees(tree, {})
        task = SubtreeTask(
            self._rows_now,
            subtrees,
            self.coding.schema,
            self.options,
            self.growth.total_weight,
            tuple(self.orders),
        )
        grown = self.executor.grow_subtrees(self.coding, task)
        return join_trees(tree, dict(zip((one.place for one in subtrees), grown, strict=True)))

    @property
    def _rows_now(self) -> RowsAt:
        centres = None if self.rows.n_classes else self.growth.centres()
        return replace(self.rows, splits=self.splits, centres=centres)

    def _describe(self) -> bool:
        """Describe nodes of which more than counts is to be known; tell whether there were any."""
        ranges, sums = self.growth.unknown()
        were_any = False
        while len(ranges) or len(sums["node"]):
            were_any = True
            answer = self._ask(Describe(self._rows_now, ranges, sums, self.growth.n_nodes))
            self.growth.answer(answer.ranges, answer.sums)
            ranges, sums = self.growth.unknown()
        return were_any

    def _send_down(self) -> None:
        """Have rows go down the splits that are new."""
        level = self.growth.splits()
        self._unrouted = bool((level["first_child"] >= 0).any())
        if self._unrouted:
            self.splits = (*self.splits, level)

    def _ask_for(self, nodes: Sequence[int]) -> Any:
        """Count the rows of some nodes."""
        return self._ask(Count(self._rows_now, tuple(nodes), self.growth.n_nodes, self.grouped))

    def _ask(self, question: Count | Describe) -> Any:
        """Put a question to all rows; if they went down new splits, learn what stands next to these."""
        answer = self.executor.ask(self.coding, question)
        if self._unrouted:
            self.growth.set_neighbours(*answer.neighbours)
            self._unrouted = False
        return answer

    @property
    def _node_bytes(self) -> int:
        sums = self.n_numeric * 256 + sum(size + 1 for _, size in self.grouped)
        return 8 * self.rows.stride * sums

    def _batches(self, nodes: list[Waiting]) -> Iterator[list[Waiting]]:
        """Give nodes, side by side those of one parent, so many that their histograms fit."""
        most = max(2, self.budget.histogram_bytes // (3 * self._node_bytes))
        nodes = sorted(nodes, key=lambda one: one.node)
        for begin in range(0, len(nodes), most):
            yield nodes[begin : begin + most]

    def _histograms(
        self,
        nodes: list[Waiting],
        waiting: list[Waiting],
        kept: Kept,
    ) -> dict[int, tuple[Numbers, list[Numbers]]]:
        """Count the rows of nodes; of two siblings the smaller, the other is what is left of their parent."""
        siblings: dict[int, list[Waiting]] = {}
        for one in waiting:
            siblings.setdefault(one.parent, []).append(one)
        asked: dict[int, None] = {}
        rest: dict[int, tuple[int, int]] = {}
        for one in nodes:
            small, *others = sorted(siblings[one.parent], key=lambda node: (node.count, node.node))
            whole = kept.get(one.parent)
            if whole is not None and others == [one] and small.count + one.count == whole[2]:
                asked[small.node] = None
                rest[one.node] = small.node, one.parent
            else:
                asked[one.node] = None
        answer = self._ask_for(tuple(asked))
        counted = {
            node: (answer.bins[i], [sums[i] for sums in answer.categories]) for i, node in enumerate(asked)
        }
        for node, (other_node, parent) in rest.items():
            of_both, part = kept[parent], counted[other_node]
            counted[node] = of_both[0] - part[0], [a - b for a, b in zip(of_both[1], part[1], strict=True)]
        return {one.node: counted[one.node] for one in nodes}

    def _search(self, nodes: list[Waiting], histograms: dict[int, tuple[Numbers, list[Numbers]]]) -> None:
        """Find the splits of nodes, with as many further passes as their suspect bins need."""
        suspects: dict[int, Suspects] = {}
        for one in nodes:
            bins, categories = histograms[one.node]
            found = self.growth.search(
                one.node, np.ascontiguousarray(bins), [np.ascontiguousarray(sums) for sums in categories]
            )
            if len(found):
                suspects[one.node] = found
            fits = (len(self.kept) + 1) * self._node_bytes <= self.budget.histogram_bytes
            if self.exact and fits:  # other sums round, and are not taken apart
                self.kept[one.node] = bins, categories, one.count
        most = max(1, self.budget.histogram_bytes // (3 * 256 * 8 * self.rows.stride))
        while suspects:
            asked = np.ascontiguousarray(np.concatenate(list(suspects.values()))[:most])
            for node, (table, values, sums) in self._look(asked).items():
                found = self.growth.refine(node, table, values, sums)
                del suspects[node]
                if len(found):
                    suspects[node] = found

    def _look(self, asked: Suspects) -> dict[int, tuple[Suspects, list[Numbers], list[Numbers]]]:
        """Look into suspect bins: what each of them holds, by node."""
        look = Look(self._rows_now, asked, self.growth.n_nodes)
        answer = self.executor.ask(self.coding, look)
        found: dict[int, tuple[list[Suspects], list[Numbers], list[Numbers]]] = {}

        def put(suspect: Suspects, values: Numbers, sums: Numbers) -> None:
            rows, all_values, all_sums = found.setdefault(int(suspect[0]), ([], [], []))
            rows.append(suspect)
            all_values.append(np.ascontiguousarray(values))
            all_sums.append(np.ascontiguousarray(sums))

        for column, table in look.bins.items():
            for suspect, sums in zip(table, answer.codes[column], strict=True):
                put(suspect, np.empty(0), sums)
        for column, table in look.codes.items():
            number, values, sums = merge(answer.values[column])
            begin = np.searchsorted(number, np.arange(len(table) + 1))
            for i, suspect in enumerate(table):
                inside = slice(int(begin[i]), int(begin[i + 1]))
                put(suspect, values[inside], sums[inside])
        return {node: (np.array(rows, np.int32), *rest) for node, (rows, *rest) in found.items()}  # type: ignore[misc]


@dataclass(frozen=True)
class Waiting:
    """A node of which nothing is known yet."""

    node: int
    depth: int
    seed: int
    count: int
    parent: int
    place: int
