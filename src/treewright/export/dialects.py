"""Dialects of SQL: how each writes names, values and the numbers that columns stand for."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from treewright.data import times
from treewright.data.columns import Column
from treewright.errors import ExportError

LARGEST = 1.7976931348623157e308

Term = tuple[float | None, str]
"""A weight and the number that it is of; without a weight, an amount of ordinary size."""


def may_be_no_number(terms: Sequence[Term]) -> bool:
    """Whether two infinities may meet in a sum: a product of finite numbers is infinite, and another number is not 0."""
    weights = [weight for weight, _ in terms if weight]
    return len(weights) > 1 and max(map(abs, weights)) > 1


class Dialect(ABC):
    """What databases say differently."""

    name: str
    double: str
    whole: str
    usage: tuple[str, ...] = ()

    # ---- names and values ------------------------------------------------------------------------------

    def identifier(self, name: str) -> str:
        """Quote the name of a table or column."""
        self._check(name, "the name")
        return '"' + name.replace('"', '""') + '"'

    def string(self, text: str) -> str:
        """Quote text."""
        self._check(text, "the value")
        return "'" + text.replace("'", "''") + "'"

    def _check(self, text: str, what: str) -> None:
        if "\0" in text:
            raise ExportError(f"{what} {text!r} has a NUL character, which {self.name} cannot hold.")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise ExportError(
                f"{what} {text!r} has half a character, which {self.name} cannot hold."
            ) from None

    def boolean(self, value: bool) -> str:
        """Write a truth value."""
        return "TRUE" if value else "FALSE"

    @abstractmethod
    def number(self, value: float) -> str:
        """Write a double so that it is read back to the last bit."""

    def literal(self, value: Any) -> str:
        """Write a label or a category."""
        if value is None:
            return "NULL"
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, bool):
            return self.boolean(value)
        return str(value) if isinstance(value, int) else self.number(value)

    # ---- what columns stand for ------------------------------------------------------------------------

    def as_number(self, reference: str) -> str:
        """Write a column as a double, NULL where it is missing."""
        return f"nullif(CAST({reference} AS {self.double}), 'NaN'::{self.double})"

    @abstractmethod
    def is_infinite(self, number: str) -> str:
        """Write that a number is infinite."""

    def less(self, reference: str, offset: int) -> str:
        """Write a column of whole numbers less an offset, as a double."""
        return f"CAST(CAST({reference} AS {self.whole}) - {offset} AS {self.double})"

    @abstractmethod
    def ticks(self, reference: str, unit: str, is_moment: bool) -> tuple[str, int]:
        """Write a column of times as whole ticks; also gives how many of these the unit has."""

    def time(self, reference: str, column: Column) -> str:
        """Write a column of times as its unit counts them, less its offset."""
        assert column.unit is not None
        kind, unit = column.unit.rstrip("]").split("[")
        ticks, step = self.ticks(reference, unit, kind == "datetime64")
        if step == 1:
            return f"CAST({ticks} - {column.offset} AS {self.double})"
        rest = f"(({ticks} % {step} + {step}) % {step})"
        whole = self.divided(f"{ticks} - {rest}", step)
        return (
            f"(CAST({whole} - {column.offset} AS {self.double}) "
            f"+ CAST({rest} AS {self.double}) / CAST({step} AS {self.double}))"
        )

    def arithmetic(self, sign: str, left: str, right: str) -> str:
        """Write one of ``+ - * /`` of two finite numbers: NULL where the result is none."""
        divisor = f"nullif({right}, 0)" if sign == "/" else right
        ends = self.number(math.inf), self.number(-math.inf)
        return f"nullif(nullif({left} {sign} {divisor}, {ends[0]}), {ends[1]})"

    def weighted_sum(self, terms: Sequence[Term]) -> str:
        """Write the sum of weighted numbers, from left to right: NULL where it is no number."""
        return self.known(self.plain_sum(terms), terms)

    def plain_sum(self, terms: Sequence[Term]) -> str:
        """Write the sum of weighted numbers as the database adds them."""
        return " + ".join(x if weight is None else f"{self.number(weight)} * {x}" for weight, x in terms)

    def known(self, total: str, terms: Sequence[Term]) -> str:
        """Write a sum as NULL where it is no number."""
        return total

    def within(self, low: float, high: float, terms: Sequence[Term]) -> str:
        """Write the sum of weighted numbers, held to a range: no number where the sum is none."""
        return self.held(low, high, self.plain_sum(terms))

    def held(self, low: float, high: float, total: str) -> str:
        """Write a sum held to a range."""
        return f"greatest({self.number(low)}, least({self.number(high)}, {total}))"

    def squared_distance(self, terms: Sequence[tuple[str, float, float]]) -> str:
        """Write the sum of scale · (x − centre)², from left to right, of terms (x, centre, scale)."""
        return " + ".join(f"{self.number(scale)} * {d} * {d}" for d, scale in self._distances(terms))

    def _distances(self, terms: Sequence[tuple[str, float, float]]) -> Iterator[tuple[str, float]]:
        return ((f"({x} - {self.number(centre)})", scale) for x, centre, scale in terms)

    @abstractmethod
    def divided(self, number: str, step: int) -> str:
        """Divide a multiple of a step by it."""

    def category(self, reference: str) -> str:
        """Write a column of text or whole numbers as it is compared with its categories."""
        return reference

    def stored(self, reference: str, column: Column) -> str:
        """Write a numeric column as the number that the model compares."""
        if column.unit is not None:
            return self.time(reference, column)
        return self.less(reference, column.offset) if column.offset else self.as_number(reference)

    def time_category(self, category: Any) -> str:
        """Write a moment or a duration that is a category, as `time_value` gives it."""
        ticks, rest = divmod(times.nanoseconds(category) or 0, times.UNITS["us"])
        if rest:
            raise ExportError(
                f"SQL tells times apart to a microsecond, and {category} is a category: round the column."
            )
        return str(ticks)

    def time_value(self, reference: str, is_moment: bool) -> str:
        """Write a column of times whose values are categories as whole ticks."""
        return self.ticks(reference, "us", is_moment)[0]


class DuckDB(Dialect):
    """DuckDB."""

    name = "duckdb"
    double, whole = "DOUBLE", "HUGEINT"
    usage = ("run it: duckdb data.db < model.sql",)

    def number(self, value: float) -> str:
        if math.isinf(value):
            return "'infinity'::DOUBLE" if value > 0 else "'-infinity'::DOUBLE"
        text = repr(float(value))
        return text if "e" in text else f"{text}e0"  # else it would be a DECIMAL

    def is_infinite(self, number: str) -> str:
        return f"isinf({number})"

    def known(self, total: str, terms: Sequence[Term]) -> str:
        # NaN would be larger than every number.
        return f"nullif({total}, 'NaN'::DOUBLE)" if may_be_no_number(terms) else total

    def within(self, low: float, high: float, terms: Sequence[Term]) -> str:
        held = super().within(low, high, terms)
        if not may_be_no_number(terms):
            return held
        return f"CASE WHEN isnan({self.plain_sum(terms)}) THEN 'NaN'::DOUBLE ELSE {held} END"

    def ticks(self, reference: str, unit: str, is_moment: bool) -> tuple[str, int]:
        if unit == "ns":
            return (f"epoch_ns({reference})" if is_moment else f"(epoch_us({reference}) * 1000)"), 1
        return f"epoch_us({reference})", times.UNITS[unit] // 1000

    def divided(self, number: str, step: int) -> str:
        return f"({number}) // {step}"


class SQLite(Dialect):
    """SQLite: dates are ISO 8601 text, durations numbers; text that is empty is missing."""

    name = "sqlite"
    double, whole = "REAL", "INTEGER"
    usage = ("run it: sqlite3 data.db < model.sql",)

    def boolean(self, value: bool) -> str:
        return "1" if value else "0"

    def number(self, value: float) -> str:
        # SQLite reads some decimals one bit wrong: what is no short sum of halves is written as a fraction.
        if math.isinf(value):
            return "9e999" if value > 0 else "-9e999"
        over, under = value.as_integer_ratio()
        if under <= 2**20 and abs(over) <= 2**53:
            return repr(float(value))
        mantissa, exponent = math.frexp(value)
        text = str(int(math.ldexp(mantissa, 53)))
        exponent -= 53
        while exponent:
            step = max(-52, min(52, exponent))
            text += f" / {2**-step}.0" if step < 0 else f" * {2**step}.0"
            exponent -= step
        return f"({text} /* {value!r} */)"

    def as_number(self, reference: str) -> str:
        return f"CAST(nullif({reference}, '') AS REAL)"

    def is_infinite(self, number: str) -> str:
        return f"abs({number}) = 9e999"

    def held(self, low: float, high: float, total: str) -> str:
        return f"max({self.number(low)}, min({self.number(high)}, {total}))"

    def less(self, reference: str, offset: int) -> str:
        return f"CAST(nullif({reference}, '') - {offset} AS REAL)"

    def category(self, reference: str) -> str:
        return f"nullif({reference}, '')"

    def time_category(self, category: Any) -> str:
        if isinstance(category, np.timedelta64):  # a plain number of nanoseconds
            return str(times.nanoseconds(category))
        return super().time_category(category)

    def time(self, reference: str, column: Column) -> str:
        is_duration = column.unit is not None and column.unit.startswith("timedelta64")
        return self.less(reference, column.offset) if is_duration else super().time(reference, column)

    def ticks(self, reference: str, unit: str, is_moment: bool) -> tuple[str, int]:
        if not is_moment:
            return f"CAST(nullif({reference}, '') AS INTEGER)", 1
        digits = 9 if unit == "ns" else 6
        seconds = f"CAST(strftime('%s', substr({reference}, 1, 19)) AS INTEGER)"
        behind = f"substr({reference}, instr({reference} || '.', '.') + 1) || '000000000'"
        ticks = f"({seconds} * {10**digits} + CAST(substr({behind}, 1, {digits}) AS INTEGER))"
        return ticks, times.UNITS[unit] // 10 ** (9 - digits)

    def divided(self, number: str, step: int) -> str:
        return f"({number}) / {step}"


_GUARDED = {
    "+": "CASE WHEN abs(a) > 2^960 AND abs(b) > 2^960 THEN "
    "CASE WHEN abs(a * 2^-1 + b * 2^-1) < 2^1023 THEN a + b END ELSE a + b END",
    "-": "CASE WHEN abs(a) > 2^960 AND abs(b) > 2^960 THEN "
    "CASE WHEN abs(a * 2^-1 - b * 2^-1) < 2^1023 THEN a - b END ELSE a - b END",
    "*": "CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN a = 0 OR b = 0 THEN 0 WHEN abs(a) >= 1 AND abs(b) >= 1 THEN "
    "CASE WHEN (abs(a) * 2^-512) * (abs(b) * 2^-512) < 1 THEN a * b END "
    "WHEN greatest(abs(a), abs(b)) < 1 AND least(abs(a), abs(b)) < 2^-500 THEN "
    "CASE WHEN (least(abs(a), abs(b)) * 2^1000) * (greatest(abs(a), abs(b)) * 2^75) <= 1 THEN 0 ELSE a * b END "
    "ELSE a * b END",
    "/": "CASE WHEN a IS NULL OR nullif(b, 0) IS NULL THEN NULL WHEN a = 0 THEN 0 "
    "WHEN abs(a) >= 2^500 AND abs(b) < 1 OR abs(a) >= 2^-51 AND abs(b) < 2^-500 THEN "
    "CASE WHEN (abs(a) * 2^-600) / (abs(b) * 2^600) < 2^-176 THEN a / b END "
    "WHEN abs(a) < 2^-50 AND abs(b) > 1 THEN "
    "CASE WHEN (abs(a) * 2^990) / (abs(b) * 2^-75) <= 2^-10 THEN 0 ELSE a / b END "
    "ELSE a / b END",
}
"""Arithmetic of PostgreSQL on a and b that never fails: NULL beyond the doubles."""

_UNBOUNDED = {
    "+": "CASE WHEN abs(a) = 'Infinity' OR abs(b) = 'Infinity' OR a = 'NaN' OR b = 'NaN' THEN a + b "
    "WHEN abs(a) > 2^960 AND abs(b) > 2^960 AND abs(a * 2^-1 + b * 2^-1) >= 2^1023 THEN sign(a) * 'Infinity' "
    "ELSE a + b END",
    "*": "CASE WHEN abs(a) = 'Infinity' OR abs(b) = 'Infinity' OR a = 'NaN' OR b = 'NaN' OR a = 0 OR b = 0 THEN a * b "
    "WHEN abs(a) >= 1 AND abs(b) >= 1 THEN CASE WHEN (abs(a) * 2^-512) * (abs(b) * 2^-512) < 1 THEN a * b "
    "ELSE sign(a) * sign(b) * 'Infinity' END "
    "WHEN greatest(abs(a), abs(b)) < 1 AND least(abs(a), abs(b)) < 2^-500 "
    "AND (least(abs(a), abs(b)) * 2^1000) * (greatest(abs(a), abs(b)) * 2^75) <= 1 THEN 0 ELSE a * b END",
}
"""The same, with what other programs say beyond the doubles."""


class PostgreSQL(Dialect):
    """PostgreSQL."""

    name = "postgresql"
    double, whole = "float8", "numeric"
    usage = (
        "run it: psql -d data -f model.sql",
        "before large models: SET jit = off (compiling them takes longer than running them)",
    )

    def string(self, text: str) -> str:
        quoted = super().string(text)
        return "E" + quoted.replace("\\", "\\\\") if "\\" in text else quoted

    def number(self, value: float) -> str:
        if math.isinf(value):
            return "'Infinity'::float8" if value > 0 else "'-Infinity'::float8"
        return f"'{value!r}'::float8"

    def is_infinite(self, number: str) -> str:
        return f"abs({number}) = 'Infinity'"

    def ticks(self, reference: str, unit: str, is_moment: bool) -> tuple[str, int]:
        if unit == "ns":
            return f"(round(extract(epoch FROM {reference}) * 1000000) * 1000)", 1
        return f"round(extract(epoch FROM {reference}) * 1000000)", times.UNITS[unit] // 1000

    def weighted_sum(self, terms: Sequence[Term]) -> str:
        careful = f"nullif({self._careful_sum(terms)}, 'NaN')"
        return self._careful_where_needed(self._ordinary(terms), self.plain_sum(terms), careful)

    def within(self, low: float, high: float, terms: Sequence[Term]) -> str:
        careful = (
            f"(SELECT CASE WHEN s = 'NaN' THEN s ELSE {self.held(low, high, 's')} END "
            f"FROM (SELECT {self._careful_sum(terms)} AS s OFFSET 0) AS p)"
        )
        return self._careful_where_needed(
            self._ordinary(terms), self.held(low, high, self.plain_sum(terms)), careful
        )

    def squared_distance(self, terms: Sequence[tuple[str, float, float]]) -> str:
        ordinary, careful = [], []
        for (x, centre, scale), (distance, _) in zip(terms, self._distances(terms), strict=True):
            exponent = math.frexp(scale)[1]
            ordinary.append(f"abs({x}) <= {self.number(2.0**960)}")
            ordinary += self._between(distance, (-999 - min(exponent, 0)) // 2, (999 - max(exponent, 0)) // 2)
            apart = self._unbounded("+", x, self.number(-centre))
            careful.append(self._unbounded("*", self._unbounded("*", self.number(scale), apart), apart))
        if max(abs(centre) for _, centre, _ in terms) > 2.0**960:
            ordinary = ["FALSE"]
        total = f"nullif({self._added(careful)}, 'NaN')"
        return self._careful_where_needed(ordinary, super().squared_distance(terms), total)

    # PostgreSQL fails where a result is too large for a double, or rounds to 0: numbers are scaled by powers of two,
    # which rounds nothing, to see whether it would. OFFSET 0 keeps both sides from being repeated.

    def arithmetic(self, sign: str, left: str, right: str) -> str:
        return self._chosen(_GUARDED[sign], left, right)

    def _unbounded(self, sign: str, left: str, right: str) -> str:
        """Write one of ``+ *`` as other programs do it: up to infinities, 0 and NaN."""
        return self._chosen(_UNBOUNDED[sign], left, right)

    def _chosen(self, text: str, left: str, right: str) -> str:
        chosen = re.sub(r"2\^(-?\d+)", lambda power: self.number(2.0 ** int(power[1])), text)
        return f"(SELECT {chosen} FROM (SELECT CAST({left} AS float8) AS a, CAST({right} AS float8) AS b OFFSET 0) AS p)"

    def _careful_sum(self, terms: Sequence[Term]) -> str:
        return self._added(
            [x if weight is None else self._unbounded("*", self.number(weight), x) for weight, x in terms]
        )

    def _added(self, parts: Sequence[str]) -> str:
        return reduce(lambda left, right: self._unbounded("+", left, right), parts)

    def _ordinary(self, terms: Sequence[Term]) -> list[str]:
        """Write that numbers are of a size that no product and no sum leaves the doubles."""
        found = []
        for weight, x in terms:
            if weight:
                exponent = math.frexp(weight)[1]
                found += self._between(x, -999 - min(exponent, 0), 999 - max(exponent, 0))
        return found

    def _between(self, x: str, low: int, high: int) -> list[str]:
        """Write that a number is 0 or of a size between powers of two; nothing if every number is."""
        ends = self.number(2.0 ** max(low, -1074)), self.number(2.0 ** min(high, 1000))
        return [f"(abs({x}) BETWEEN {ends[0]} AND {ends[1]} OR {x} = 0)"]

    def _careful_where_needed(self, ordinary: Sequence[str], plain: str, careful: str) -> str:
        if not ordinary:
            return plain
        return f"CASE WHEN ({' AND '.join(ordinary)}) IS NOT FALSE THEN {plain} ELSE {careful} END"

    def divided(self, number: str, step: int) -> str:
        return f"div({number}, {step})"


DIALECTS: dict[str, Dialect] = {one.name: one for one in (DuckDB(), SQLite(), PostgreSQL())}
