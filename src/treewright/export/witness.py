"""Witnesses: rows made from a program's own boundaries, on which a wrong export gives itself away.

For every test of every node, and every clause of every rule: rows that come there and lie on a cut and beside
it, one for each category, one with a category never seen, one with the value missing; for surrogates, with
the values before them missing; for sums over several columns, points found on the boundary. Of several rows
that come to a boundary those are taken that make the model change its answer there.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import times
from treewright.data.arrays import RawTable
from treewright.data.columns import Column, Raw, RawCodes, RawNumbers
from treewright.export.comparisons import UNSEEN, Ball, Cut, Input, Lookup, Oblique, Plane, Test
from treewright.export.program import SHARE, Node, Program, RuleBody, TreeBody

Array = NDArray[np.float64]
Values = list[float]
"""A row: a number for each input, NaN where missing, codes of categories, −1 a category never seen."""

MOST_BASES = 8
"""Rows that are tried on each side of a boundary."""

WORK = 40_000
"""Rows that are tried at all boundaries together, if there are not more boundaries."""

MOST_CODES = 256
"""Codes of one test that are tried with every row that comes to it; the others with one."""


# ---- rows in the terms of the user ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows as numbers of a program's inputs, and as the values they stand for.

    Parameters
    ----------
    program : Program
    x : float array of rows × inputs
        NaN is missing, −1 a category never seen.
    """

    program: Program
    x: Array

    def __len__(self) -> int:
        return len(self.x)

    @property
    def inputs(self) -> list[tuple[int, Input]]:
        """The inputs that are columns, with their places."""
        return [(at, one) for at, one in enumerate(self.program.inputs) if one.predicate is None]

    def take(self, chosen: NDArray[Any]) -> Rows:
        """Give some of the rows."""
        return Rows(self.program, self.x[chosen])

    def refused(self) -> NDArray[np.bool_]:
        """Say which rows the model refuses."""
        program = self.program
        found = np.zeros(len(self), bool)
        for at, one in self.inputs:
            x = self.x[:, at]
            if program.refuses_missing:
                found |= np.isnan(x)
            if one.has_codes and program.refuses_unseen:
                found |= x == UNSEEN
            # An unseen category that counts as missing is not refused: nothing is missing in the table.
            if program.refuses_infinite:
                found |= np.isinf(x)
        return found

    def column(self, at: int, form: Callable[[Any], Any] = lambda value: value) -> list[Any]:
        """Give the values of a column: numbers, categories, times of NumPy; None is missing.

        `form` says what is made of each; it is asked once for equal ones.
        """
        column = self.program.inputs[at].column
        bits, place = np.unique(np.ascontiguousarray(self.x[:, at]).view(np.int64), return_inverse=True)
        numbers = bits.view(np.float64).tolist()
        values = [form(None if math.isnan(x) else _value(column, x)) for x in numbers]
        return [values[at] for at in place.tolist()]

    def table(self) -> RawTable:
        """Give the rows as a table of all columns that the model was fitted on."""
        schema = self.program.schema
        place = {one.feature: at for at, one in self.inputs}
        columns = schema.columns[: schema.n_inputs]
        names = schema.names[: schema.n_inputs] if schema.named else None

        def column(feature: int) -> Raw:
            if feature in place:
                return _raw(columns[feature], self.x[:, place[feature]])
            # No test asks for it: any value will do, but it may not be missing.
            return _raw(columns[feature], np.zeros(len(self)))

        return RawTable(len(self), len(columns), names, column)


def resolution(column: Column) -> str:
    """Give the unit in which witnesses of a column of times are made."""
    assert column.unit is not None
    unit = column.unit.partition("[")[2].rstrip("]")
    if column.unit.startswith("timedelta64"):
        return unit
    return "ns" if unit == "ns" else "us"


def _ticks(column: Column, x: float) -> int:
    """Give a stored time in ticks of its `resolution`."""
    assert column.unit is not None
    unit = column.unit.partition("[")[2].rstrip("]")
    step = times.UNITS[unit] // times.UNITS[resolution(column)]
    return round(Fraction(x) * step) + column.offset * step


def _value(column: Column, x: float) -> Any:
    if column.kind != "numeric":
        category = _unseen_of(column) if x == UNSEEN else column.categories[int(x)]
        # Durations that are plain numbers somewhere are counted in nanoseconds there.
        return category.astype("m8[ns]") if isinstance(category, np.timedelta64) else category
    if column.unit is not None:
        kind = column.unit.partition("[")[0]
        return np.array(_ticks(column, x), dtype=f"{kind}[{resolution(column)}]")[()]
    return int(x) + column.offset if column.offset and math.isfinite(x) else x


def _unseen_of(column: Column) -> Any:
    """Make up a value of the same kind that is no category."""
    categories: tuple[Any, ...] = column.categories
    first = categories[0] if categories else ""
    if any(isinstance(category, str) for category in column.categories) or not column.categories:
        text = "never seen"
        while text in column.code_of:
            text += "!"
        return text
    if isinstance(first, np.datetime64 | np.timedelta64):
        return max(categories) + np.timedelta64(1, "D")
    return max(categories) + 7


def _raw(column: Column, x: Array) -> Raw:
    """Give a column as the model reads it."""
    gaps = np.isnan(x)
    if column.kind != "numeric" and not column.categories:
        return RawCodes(np.full(len(x), -1), (), declared=True)  # nothing was ever known of it
    if column.kind != "numeric":
        categories = (*column.categories, _unseen_of(column))
        codes = np.where(gaps, -1, np.where(x == UNSEEN, len(categories) - 1, x)).astype(np.int64)
        return RawCodes(codes, categories, declared=True)
    if column.unit is not None:
        ticks = np.array(
            [0 if gap else _ticks(column, one) for one, gap in zip(x.tolist(), gaps, strict=True)]
        )
        kind = column.unit.partition("[")[0]
        return RawNumbers(ticks.astype(np.int64).view(f"{kind}[{resolution(column)}]"), gaps)
    if column.offset:
        finite = np.isfinite(x)
        whole = [
            int(one) + column.offset if known else 0 for one, known in zip(x.tolist(), finite, strict=True)
        ]
        dtype = np.uint64 if max(whole, default=0) > np.iinfo(np.int64).max else np.int64
        return RawNumbers(np.array(whole, dtype), ~finite)
    return RawNumbers(x)


# ---- what a row may have in a column ---------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """The numbers that an input can have: all of them, or whole multiples of a step, between two ends."""

    step: Fraction | None
    low: float = -math.inf
    high: float = math.inf

    @classmethod
    def of(cls, one: Input) -> Scale:
        """Give the scale of an input."""
        column = one.column
        if one.has_codes:
            return cls(Fraction(1), 0, len(column.categories) - 1)
        if column.unit is not None:
            unit = column.unit.partition("[")[2].rstrip("]")
            return cls(Fraction(times.UNITS[resolution(column)], times.UNITS[unit]))
        return cls(Fraction(1) if column.offset else None)

    def beside(self, cut: float) -> list[float]:
        """Give the last number up to a cut, its neighbours below and above, as far as there are any."""
        if math.isinf(cut):
            return []
        if self.step is None:
            found = [math.nextafter(cut, -math.inf), cut, math.nextafter(cut, math.inf)]
        else:
            on = math.floor(Fraction(cut) / self.step)
            found = [float(number * self.step) for number in (on - 1, on, on + 1)]
        return [x for x in found if self.low <= x <= self.high and math.isfinite(x)]

    def inside(self, low: float, high: float) -> float | None:
        """Give a number above `low` and at most `high`."""
        if not low < high:
            return None
        low_end, high_end = max(low, self.low - 0.5), min(high, self.high)
        if math.isinf(low_end) and math.isinf(high_end):
            x = 0.0
        elif math.isinf(high_end):
            x = max(low_end + abs(low_end) * 0.01 + 1.0, math.nextafter(low_end, math.inf))
        elif math.isinf(low_end):
            x = high_end - abs(high_end) * 0.01 - 1.0 if self.step is None else high_end
        else:
            x = low_end / 2 + high_end / 2
        if self.step is not None:
            x = float(math.floor(Fraction(x) / self.step) * self.step)
            x = x if x > low else float((math.floor(Fraction(low_end) / self.step) + 1) * self.step)
        x = x if low < x <= high else high
        return x if low < x <= high and self.low <= x <= self.high and math.isfinite(x) else None


# ---- rows that come to a node ----------------------------------------------------------------------------


@dataclass
class _Region:
    """What holds for rows on the way to a node: a range or codes of inputs, and sides of sums."""

    ranges: dict[int, tuple[float, float]] = field(default_factory=dict)
    codes: dict[int, frozenset[int]] = field(default_factory=dict)
    sides: list[tuple[Oblique, float, float]] = field(default_factory=list)
    missing: set[int] = field(default_factory=set)


class Finder:
    """Finds rows that come to nodes of a program and lie on boundaries there."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.scales = [Scale.of(one) for one in program.inputs]
        self.random = np.random.default_rng(0)

    # ---- evaluation ------------------------------------------------------------------------------------

    def quantity(self, quantity: int, row: Values) -> float:
        """Work out what a test compares."""
        oblique = self.program.oblique(quantity)
        return row[quantity] if oblique is None else total(oblique, row)

    def branch(self, test: Test, row: Values) -> int | None:
        """Give the branch of a row by a test; None if it is unanswered."""
        return test.branch(self.quantity(test.quantity, row))

    # ---- the way to a node -----------------------------------------------------------------------------

    def row_at(
        self, body: TreeBody, parents: Sequence[tuple[int, int]], node: int, missing: frozenset[int]
    ) -> Values | None:
        """Find a row that comes to a node with some inputs missing; None if none is found."""
        missing_too = set(missing)
        for _ in range(len(self.program.inputs) + 1):
            region = self._region(body, parents, node, missing_too)
            if region is None:
                return None
            if region.missing <= missing_too:
                return self._solve(region)
            missing_too |= region.missing
        return None

    def _region(
        self, body: TreeBody, parents: Sequence[tuple[int, int]], node: int, missing: set[int]
    ) -> _Region | None:
        """Join what the nodes above ask for; None if that cannot be."""
        region = _Region(missing=set(missing))
        while node:
            above, branch = parents[node]
            if not self._ask(region, body.nodes[above], branch):
                return None
            node = above
        return region

    def _ask(self, region: _Region, node: Node, branch: int) -> bool:
        """Make a region such that its rows take a branch of a node."""
        for test in node.tests:
            asked = self.program.inputs_of(test.quantity)
            if region.missing.intersection(asked):
                continue
            if self._narrow(region, test, branch):
                return True
            if len(asked) > 1 or node.default not in (branch, SHARE):
                return False
            region.missing.add(asked[0])  # only a missing value leads there
        return node.default in (branch, SHARE)

    def _narrow(self, region: _Region, test: Test, branch: int) -> bool:
        """Ask for one branch of one test."""
        at = test.quantity
        oblique = self.program.oblique(at)
        if isinstance(test, Lookup):
            known = frozenset(range(len(self.program.inputs[at].column.categories)))
            codes = region.codes.get(at, known) & frozenset(test.codes(branch))
            if not codes:
                return False
            region.codes[at] = codes
            return True
        low, high = test.bounds(branch)
        if oblique is not None:
            region.sides.append((oblique, low, high))
            return True
        old_low, old_high = region.ranges.get(at, (-math.inf, math.inf))
        low, high = max(low, old_low), min(high, old_high)
        if self.scales[at].inside(low, high) is None:
            return False
        region.ranges[at] = low, high
        return True

    def _solve(self, region: _Region) -> Values | None:
        """Find a row in a region."""
        row: Values = []
        for at, (one, scale) in enumerate(zip(self.program.inputs, self.scales, strict=True)):
            if at in region.missing:
                row.append(math.nan)
            elif one.column.kind == "categorical":
                row.append(float(min(region.codes.get(at, {0}))))
            else:
                x = scale.inside(*region.ranges.get(at, (-math.inf, math.inf)))
                row.append(0.0 if x is None else x)
        if not region.sides:
            return row
        return self._pull(row, region)

    def _pull(self, row: Values, region: _Region) -> Values | None:
        """Move a row until it lies on the right side of all sums, from several starts."""
        free = sorted({at for oblique, *_ in region.sides for at, *_ in oblique.terms})
        starts = [row]
        for spread in (1.0, 1.0, 10.0, 100.0):
            start = list(row)
            for at in free:
                low, high = region.ranges.get(at, (-math.inf, math.inf))
                start[at] = self._clipped(at, start[at] + spread * float(self.random.normal()), low, high)
            starts.append(start)
        for start in starts:
            found = self._project(start, region)
            if found is not None:
                return found
        return None

    def _project(self, row: Values, region: _Region) -> Values | None:
        for _ in range(100):
            wrong = [side for side in region.sides if not side[1] < total(side[0], row) <= side[2]]
            if not wrong:
                return row
            for oblique, low, high in wrong:
                row = self._toward(row, region, oblique, low, high)
        return None

    def _toward(self, row: Values, region: _Region, oblique: Oblique, low: float, high: float) -> Values:
        """Move a row to the side of a sum that lies above `low` and is at most `high`."""
        now = total(oblique, row)
        if isinstance(oblique, Plane):
            margin = 0.01 * (abs(low if now <= low else high) + 1.0)
            goal = low + margin if now <= low else high - margin
            norm = sum(weight * weight for _, weight in oblique.terms) or 1.0
            goals = [(at, row[at] + (goal - now) * weight / norm) for at, weight in oblique.terms]
        else:
            goal = 1.1 * low if now <= low else 0.8 * high
            factor = math.sqrt(goal / now) if now > 0 else 0.0
            goals = [
                (at, centre + (factor * (row[at] - centre) if now > 0 else math.sqrt(goal / (size or 1.0))))
                for at, centre, size in oblique.terms
            ]
        moved = list(row)
        for at, x in goals:
            moved[at] = self._clipped(at, x, *region.ranges.get(at, (-math.inf, math.inf)))
        return moved

    def _clipped(self, at: int, x: float, low: float, high: float) -> float:
        """Give the number of an input's scale next to x, between bounds."""
        scale = self.scales[at]
        if scale.step is not None and math.isfinite(x):
            x = float(round(Fraction(x) / scale.step) * scale.step)
        if low < x <= high and scale.low <= x <= scale.high and math.isfinite(x):
            return x
        inner = scale.inside(low, high)
        if inner is None:
            return 0.0
        return (scale.beside(low)[-1:] or [inner])[0] if x <= low else min(high, scale.high)

    # ---- rows on a boundary ----------------------------------------------------------------------------

    def variants(self, test: Test, base: Values, few: bool = False) -> list[Values]:
        """Give rows on and beside every boundary of a test, all else as in `base`."""
        at = test.quantity
        oblique = self.program.oblique(at)
        if oblique is not None:
            assert isinstance(test, Cut)
            rows = [row for cut in test.cuts for row in self._on_sum(oblique, cut, base)]
            return rows + [_with(base, term[0], math.nan) for term in oblique.terms]
        numbers: list[float] = [math.nan]
        if isinstance(test, Lookup):
            codes = sorted(set(test.branches) - {UNSEEN})
            unlisted = set(range(len(self.program.inputs[at].column.categories))) - set(codes)
            if few:
                codes = [test.codes(branch)[0] for branch in sorted(set(test.branches.values()))]
                codes = sorted(set(codes) - {UNSEEN})
            numbers += [*map(float, codes), *sorted(map(float, unlisted))[:1], float(UNSEEN)]
        else:
            numbers += [x for cut in test.cuts for x in self.scales[at].beside(cut)]
            if self.program.inputs[at].has_codes:
                numbers.append(float(UNSEEN))
        return [_with(base, at, x) for x in dict.fromkeys(numbers)]

    def _on_sum(self, oblique: Oblique, cut: float, base: Values) -> Iterator[Values]:
        """Find points where a sum passes a cut, one input moved at a time."""
        if math.isinf(cut) or any(math.isnan(base[term[0]]) for term in oblique.terms):
            return
        for term in oblique.terms:
            at = term[0]
            step = self.scales[at].step
            unit = 1.0 if step is None else float(step)
            for far in (-1.0, 1.0):
                ends = self._bracket(oblique, cut, base, at, far * unit)
                if ends is None:
                    continue
                low, high = ends
                yield from (_with(base, at, x) for x in (low, high))
                if step is None:
                    yield _with(base, at, math.nextafter(low, -math.inf))
                    yield _with(base, at, math.nextafter(high, math.inf))
                break

    def _bracket(
        self, oblique: Oblique, cut: float, base: Values, at: int, step: float
    ) -> tuple[float, float] | None:
        """Find neighbouring numbers of an input between which a sum passes a cut."""
        scale = self.scales[at]

        def below(x: float) -> bool:
            return total(oblique, _with(base, at, x)) <= cut

        near = base[at]
        side = below(near)
        far = near + step
        while below(far) == side:
            step *= 2
            far = near + step
            if not abs(far) < 1e300 or not scale.low <= far <= scale.high:
                return None
        while True:
            middle = near + (far - near) / 2
            if scale.step is not None:
                middle = float(math.floor(Fraction(middle) / scale.step) * scale.step)
            if middle in (near, far) or not min(near, far) < middle < max(near, far):
                return min(near, far), max(near, far)
            near, far = (middle, far) if below(middle) == side else (near, middle)


def total(oblique: Oblique, row: Values) -> float:
    """Work out a sum from left to right."""
    result = 0.0
    if isinstance(oblique, Plane):
        for at, weight in oblique.terms:
            result += weight * row[at]
        return result
    assert isinstance(oblique, Ball)
    for at, centre, scale in oblique.terms:
        distance = row[at] - centre
        result += scale * distance * distance
    return result


def _with(base: Values, at: int, x: float) -> Values:
    row = list(base)
    row[at] = x
    return row


# ---- all of them ---------------------------------------------------------------------------------------


@dataclass
class Boundary:
    """One test of a node or rule, with groups of rows that come to it: a row for each side."""

    groups: list[list[Values]] = field(default_factory=list)


def boundaries(program: Program) -> Iterator[Boundary]:
    """Find rows on every boundary of a program, several groups for each where there are."""
    finder = Finder(program)
    n_tests = sum(1 for body in program.bodies for _ in body.all_tests())
    n_bases = min(max(WORK // max(4 * n_tests, 1), 1), MOST_BASES)
    for body in program.bodies:
        if isinstance(body, RuleBody):
            yield from _of_rules(finder, body, n_bases)
        else:
            yield from _of_tree(finder, body, n_bases)


def _of_tree(finder: Finder, body: TreeBody, n_bases: int) -> Iterator[Boundary]:
    parents = [(0, 0)] * len(body.nodes)
    for node in body.nodes:
        for branch, child in enumerate(node.children):
            parents[child] = (node.id, branch)
    found = [finder.row_at(body, parents, node.id, frozenset()) for node in body.nodes]
    below = _rows_below(body, found, n_bases)
    if not body.nodes[0].tests:
        yield Boundary([[found[0] or []]])
    for node in body.nodes:
        missing: frozenset[int] = frozenset()
        for place, test in enumerate(node.tests):
            own = found[node.id] if not place else finder.row_at(body, parents, node.id, missing)
            bases = [row for row in [own, *below[node.id]] if row is not None]
            boundary = Boundary()
            for number, base in enumerate(bases):
                shaped = [math.nan if at in missing else x for at, x in enumerate(base)]
                boundary.groups.append(finder.variants(test, shaped, few=number > 0))
            if not place and not finder.program.refuses_missing:
                boundary.groups += _missing_groups(finder, body, parents, node)
            yield boundary
            missing |= frozenset(finder.program.inputs_of(test.quantity))


def _missing_groups(
    finder: Finder, body: TreeBody, parents: Sequence[tuple[int, int]], node: Node
) -> list[list[Values]]:
    """Find a row that comes to a node although what its split asks for is missing."""
    asked = finder.program.inputs_of(node.tests[0].quantity)
    groups = []
    for at in asked:
        row = finder.row_at(body, parents, node.id, frozenset({at}))
        if row is not None:
            groups.append([row])
    return groups


def _rows_below(body: TreeBody, found: list[Values | None], n_bases: int) -> list[list[Values]]:
    """Give some rows that end below each node, from all parts of its subtree."""
    below: list[list[Values]] = [[] for _ in body.nodes]
    for node in reversed(body.nodes):
        row = found[node.id]
        if not node.children:
            below[node.id] = [] if row is None else [row]
            continue
        each = max(2 * n_bases // len(node.children), 1)
        for child in node.children:
            rows = below[child]
            stride = max(-(-len(rows) // each), 1)
            below[node.id] += rows[::stride]
    return below


def _of_rules(finder: Finder, body: RuleBody, n_bases: int) -> Iterator[Boundary]:
    """Rows on the boundary of each clause; what no clause asks for is drawn at random."""
    pools = _pools(finder.program)
    for rule in body.rules:
        region = _Region()
        sound = True
        for clause in rule:
            if not finder._narrow(region, clause.test, clause.branch):
                region.missing.update(finder.program.inputs_of(clause.test.quantity))
                sound = sound and clause.missing
        base = finder._solve(region) if sound else None
        if base is None:
            continue
        asked = {at for clause in rule for at in finder.program.inputs_of(clause.test.quantity)}
        bases = [base]
        for _ in range(2 * n_bases):
            drawn = [pool[finder.random.integers(len(pool))] for pool in pools]
            bases.append([x if at in asked else drawn[at] for at, x in enumerate(base)])
        for clause in rule:
            yield Boundary([finder.variants(clause.test, row, few=n > 0) for n, row in enumerate(bases)])
    yield Boundary([[[pool[0] for pool in pools]]])


def _pools(program: Program) -> list[list[float]]:
    """Give for each input the numbers that random rows take: on, beside and between its cuts, or codes."""
    scales = [Scale.of(one) for one in program.inputs]
    cuts: list[set[float]] = [set() for _ in program.inputs]
    spread: list[float] = [0.0] * len(program.inputs)
    for body in program.bodies:
        for _, test in body.all_tests():
            oblique = program.oblique(test.quantity)
            if isinstance(test, Cut) and oblique is None:
                cuts[test.quantity].update(cut for cut in test.cuts if math.isfinite(cut))
            elif isinstance(oblique, Ball):
                assert isinstance(test, Cut)
                for at, centre, size in oblique.terms:
                    cuts[at].add(centre)
                    spread[at] = max(spread[at], math.sqrt(abs(test.cuts[0]) / size) if size > 0 else 0.0)
            elif isinstance(oblique, Plane):
                assert isinstance(test, Cut)
                for at, weight in oblique.terms:
                    if weight:
                        spread[at] = max(spread[at], min(abs(test.cuts[0] / weight), 1e6))
    for at, x, reach in _of_equations(program):
        cuts[at].add(x)
        spread[at] = max(spread[at], reach)
    pools = []
    for at, one in enumerate(program.inputs):
        if one.has_codes:
            pools.append([*map(float, range(len(one.column.categories))), float(UNSEEN), math.nan])
            continue
        known = sorted(cuts[at] | {-spread[at], spread[at]})
        wide = max(known[-1] - known[0], 1.0)
        middles = [low + (high - low) / 2 for low, high in pairwise(known)]
        near = [x for cut in known for x in scales[at].beside(cut)]
        outer = [known[0] - wide, known[0] - wide / 4, known[-1] + wide / 4, known[-1] + wide]
        scale = scales[at]
        snapped = [
            x if scale.step is None else float(math.floor(Fraction(x) / scale.step) * scale.step)
            for x in (*middles, *outer)
        ]
        pools.append([*near, *snapped, math.nan])
    return pools


def _of_equations(program: Program) -> Iterator[tuple[int, float, float]]:
    """Give for inputs of linear leaves a number, and how far an equation takes to pass its range."""
    if program.linear is not None:
        reach = program.linear.high - program.linear.low
        for at, code, coefficient in (term for terms in program.linear.terms for term in terms):
            if code < 0:
                yield at, program.linear.fill[at], abs(reach / coefficient)


def random_rows(program: Program, n_rows: int, seed: int = 0) -> Rows:
    """Draw rows at random: numbers on, beside, between and beyond cuts, categories, missing values."""
    random = np.random.default_rng(seed)
    x = np.empty((n_rows, len(program.inputs)))
    for at, pool in enumerate(_pools(program)):
        one, scale = program.inputs[at], Scale.of(program.inputs[at])
        x[:, at] = np.array(pool)[random.integers(0, len(pool), n_rows)]
        if not one.has_codes and scale.step is None:
            known = np.array([number for number in pool if not math.isnan(number)])
            share = random.random(n_rows)
            drawn = known.min() * (1 - share) + known.max() * share
            x[:, at] = np.where(random.random(n_rows) < 0.5, drawn, x[:, at])
        x[random.random(n_rows) < 0.05, at] = np.nan
    return Rows(program, x)


def infinite_rows(program: Program) -> list[Values]:
    """Give a row for each infinity in each input that is a plain number."""
    base = [0.0] * len(program.inputs)
    return [_with(base, at, end) for at in _plain_numbers(program) for end in (-math.inf, math.inf)]


def extreme_rows(program: Program) -> list[Values]:
    """Give rows whose sums leave the doubles, upwards, downwards, both ways at once, and towards 0."""
    if not program.obliques and program.linear is None:
        return []
    plain = _plain_numbers(program)
    return [
        [
            size * sign**turn if at in plain else 0.0
            for turn, at in enumerate(range(len(program.inputs)), first)
        ]
        for size in (sys.float_info.max, 1e308, 1e200, 1e-200, 5e-324)
        for first in (0, 1)
        for sign in (-1, 1)
    ] + [
        [-size if at in plain else 0.0 for at in range(len(program.inputs))]
        for size in (sys.float_info.max, 1e200)
    ]


def _plain_numbers(program: Program) -> list[int]:
    """Which inputs are numbers that may be of any size."""
    return [
        at
        for at, one in enumerate(program.inputs)
        if not one.has_codes and one.column.unit is None and not one.column.offset
    ]
