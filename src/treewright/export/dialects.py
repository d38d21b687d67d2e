"""Dialects of SQL: how each writes names, values and the numbers that columns stand for."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from treewright.data import times
from treewright.data.columns import Column
from treewright.errors import ExportError

LARGEST = 1.7976931348623157e308


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

    def square(self, scale: str, distance: str) -> str:
        """Write scale · distance · distance."""
        return f"{scale} * {distance} * {distance}"

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

    def square(self, scale: str, distance: str) -> str:
        # PostgreSQL fails where a product is too small for a double.
        return f"CASE WHEN abs({distance}) < 1e-140 THEN 0 ELSE {super().square(scale, distance)} END"

    def divided(self, number: str, step: int) -> str:
        return f"div({number}, {step})"


DIALECTS: dict[str, Dialect] = {one.name: one for one in (DuckDB(), SQLite(), PostgreSQL())}
