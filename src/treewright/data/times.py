"""Dates and durations as exact whole numbers of a unit, and back as text."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError

UNITS = {
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}
"""Length of each unit in nanoseconds, coarsest first."""

STORED = ("D", "s", "ms", "us", "ns")
"""Units that columns are stored in: hours and minutes read no better than seconds."""

SCALAR_TYPES = {"datetime64": np.datetime64, "timedelta64": np.timedelta64}

Ticks = NDArray[np.int64]


def ticks_of(name: str, values: NDArray[Any]) -> tuple[Ticks, str]:
    """Whole ticks of an array of NumPy dates or durations, and the unit they count.

    Examples
    --------
    >>> ticks_of("day", np.array(["1970-01-03", "1970-02-01"], dtype="datetime64[D]"))
    (array([ 2, 31]), 'D')
    """
    unit, _ = np.datetime_data(values.dtype)
    kind = values.dtype.kind
    if unit == "W" or (kind == "M" and unit in ("Y", "M")):
        unit = "D"
    if unit not in UNITS:
        raise DataError(
            f"column {name!r} counts time in units of {unit!r}; convert it to one of {', '.join(UNITS)}."
        )
    return values.astype(f"{kind}8[{unit}]", copy=False).view(np.int64), unit


def coarsen(ticks: Ticks, unit: str) -> tuple[Ticks, str]:
    """Count the same moments in the coarsest stored unit in which all of them are whole.

    A year of nanoseconds is beyond the 2⁵³ that float64 holds exactly; a year of days, seconds or
    microseconds is not, and few columns need more.

    Examples
    --------
    >>> coarsen(np.array([0, 172_800_000]), "ms")
    (array([0, 2]), 'D')
    """
    for coarser in STORED:
        step, remainder = divmod(UNITS[coarser], UNITS[unit])
        if remainder == 0 and not np.any(ticks % step):
            return ticks // step, coarser
    # Hours and minutes that make no whole days are whole seconds.
    return ticks * (UNITS[unit] // UNITS["s"]), "s"


def convert(ticks: Ticks, unit: str, offset: int, stored: str) -> NDArray[np.float64]:
    """Ticks of `unit` as ticks of the unit `stored`, counted from `offset`; fractions where it is finer.

    Examples
    --------
    >>> convert(np.array([36]), "h", 1, "D")
    array([0.5])
    """
    if UNITS[unit] <= UNITS[stored]:
        step = UNITS[stored] // UNITS[unit]
        whole = ticks // step
        fraction = (ticks - whole * step) / step
    else:
        step = UNITS[unit] // UNITS[stored]
        limit = np.iinfo(np.int64).max // step
        # Beyond the limit all that counts is that the moment lies far outside the times seen at fit.
        whole = np.clip(ticks, -limit, limit) * step
        fraction = np.zeros(len(ticks))
    bounds = np.iinfo(np.int64)
    low, high = max(bounds.min, bounds.min + offset), min(bounds.max, bounds.max + offset)
    return (np.clip(whole, low, high) - offset).astype(np.float64) + fraction


def scalar(value: np.datetime64 | np.timedelta64) -> np.datetime64 | np.timedelta64:
    """Give a moment or duration in its coarsest unit, so that equal times are equal categories.

    Examples
    --------
    >>> str(scalar(np.datetime64("2026-11-15T00:00:00.000")))
    '2026-11-15'
    """
    ticks, unit = ticks_of("", np.atleast_1d(np.asarray(value)))
    ticks, unit = coarsen(ticks, unit)
    coarse: np.datetime64 | np.timedelta64 = ticks.view(f"{np.asarray(value).dtype.kind}8[{unit}]")[0]
    return coarse


def nanoseconds(value: Any) -> int | None:
    """Give a moment, counted from 1970, or a duration in nanoseconds; None for what is neither.

    Examples
    --------
    >>> nanoseconds(np.timedelta64(2, "us")), nanoseconds("2 us")
    (2000, None)
    """
    if not isinstance(value, np.datetime64 | np.timedelta64):
        return None
    ticks, unit = ticks_of("", np.atleast_1d(np.asarray(value)))
    return int(ticks[0]) * UNITS[unit]


def text(value: float | Fraction, unit: str) -> str:
    """Write a date as ISO 8601 or a duration in days and hours, in the shortest form that is exact.

    Parameters
    ----------
    value : float or Fraction
        Ticks since 1970 or ticks of the duration.
    unit : str
        The NumPy type that says what a tick is, such as `"datetime64[s]"`.

    Examples
    --------
    >>> text(18262.5, "datetime64[D]"), text(18262, "datetime64[D]")
    ('2020-01-01T12:00', '2020-01-01')
    >>> text(93600.25, "timedelta64[s]"), text(2, "timedelta64[D]")
    ('1 day 02:00:00.25', '2 days')
    """
    kind, step = unit.partition("[")[0], UNITS[unit.partition("[")[2].rstrip("]")]
    length = floor(Fraction(value) * step)
    if kind == "datetime64":
        days, rest = divmod(length, UNITS["D"])
        if abs(days) >= 2**63:
            return f"day {Decimal(days):.6g}"  # no calendar goes as far; a file may hold it
        date = str(np.datetime64(days, "D"))
        return date if rest == 0 else f"{date}T{_clock(rest, seconds=False)}"
    days, rest = divmod(abs(length), UNITS["D"])
    words = [f"{days} day{'s' if days != 1 else ''}"] if days else []
    if rest or not days:
        words.append(_clock(rest, seconds=True))
    return ("-" if length < 0 else "") + " ".join(words)


def _clock(nanoseconds: int, seconds: bool) -> str:
    """Hours and minutes, with seconds if asked for or needed."""
    whole, fraction = divmod(nanoseconds, UNITS["s"])
    minutes, second = divmod(whole, 60)
    clock = f"{minutes // 60:02}:{minutes % 60:02}"
    if seconds or second or fraction:
        clock += f":{second:02}"
    return clock + (f".{fraction:09}".rstrip("0") if fraction else "")
