"""Columns of Python objects: finds their type by looking at every value."""

from __future__ import annotations

import datetime
import numbers
import operator
from collections.abc import Callable, Iterable
from decimal import Decimal
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import times
from treewright.data.columns import MISSING, Category, Raw, RawCodes, RawNumbers
from treewright.data.encoding import EXACT, count_rows
from treewright.errors import DataError, DataTypeError, warn
from treewright.formatting.text import some

FAMILIES: tuple[tuple[tuple[type, ...], str], ...] = (
    ((bool, np.bool_), "bool"),
    ((numbers.Integral,), "integer"),
    ((float, np.floating), "float"),
    ((Decimal, numbers.Rational), "exact"),
    ((str, bytes), "text"),
    ((datetime.datetime, np.datetime64, datetime.date), "date"),
    ((datetime.timedelta, np.timedelta64), "duration"),
    ((datetime.time,), "time of day"),
    ((complex, np.complexfloating), "complex"),
)
"""What a value is, by its type: the first that fits, since truth values are whole numbers to Python."""

NUMBERS = {"bool", "integer", "float", "exact"}
PLAIN: dict[str, Callable[[Any], Category]] = {"bool": bool, "integer": int, "float": float}


def family(kind: type) -> str:
    """Say what values of a type are: a name of `FAMILIES`, "missing", or "other".

    Examples
    --------
    >>> family(int), family(type(None)), family(list)
    ('integer', 'missing', 'other')
    """
    # pandas' own marks of a missing value are told by name: pandas need not be installed.
    if kind is type(None) or kind.__name__ in ("NAType", "NaTType"):
        return "missing"
    return next((name for types, name in FAMILIES if issubclass(kind, types)), "other")


def typed(name: str, values: Iterable[Any]) -> Raw:
    """Type a column of Python objects: numbers, times, or categories with their codes.

    Parameters
    ----------
    name : str
        Name of the column, for errors.
    values : iterable of objects
        `None`, NaN, `pandas.NA` and `NaT` are missing.

    Examples
    --------
    >>> typed("age", [3, None, 5]).values
    array([3, 0, 5])
    >>> typed("pet", ["dog", None, "cat"])
    RawCodes(codes=array([ 1, -1,  0]), categories=('cat', 'dog'), declared=False, ordered=False)
    """
    objects = list(values)
    family_of = {kind: family(kind) for kind in set(map(type, objects))}
    gaps = missing_objects(objects)
    known = [value for value, gap in zip(objects, gaps, strict=True) if not gap] if gaps.any() else objects
    families = {family_of[kind] for kind in set(map(type, known))}
    if families & {"other", "complex"}:
        raise _refusal(name, objects, family_of)
    if "text" in families:
        return _mixed(name, objects, gaps, family_of) if len(families) > 1 else _text(name, objects, gaps)
    if families <= NUMBERS:
        return _filled(_numbers(name, known, families, gaps), gaps)
    if len(families) > 1:
        raise DataTypeError(
            f"column {name!r} mixes {' and '.join(sorted(families))} values: give it one type."
        )
    return _filled(_times(name, known, families.pop()), gaps)


def find_categories(codes: NDArray[Any], categories: Iterable[Any]) -> RawCodes:
    """Sort the categories found in a column of text, numbers before text, and renumber their codes.

    Examples
    --------
    >>> find_categories(np.array([0, 1, -1]), ["b", "a"])
    RawCodes(codes=array([ 1,  0, -1]), categories=('a', 'b'), declared=False, ordered=False)
    """
    found = list(categories)
    order = sorted(range(len(found)), key=lambda code: (isinstance(found[code], str), found[code]))
    # One entry more: what code −1 points at.
    position = np.full(len(found) + 1, MISSING, dtype=np.intp)
    position[order] = np.arange(len(found))
    return RawCodes(position[codes], tuple(found[code] for code in order))


def categories_of(values: Iterable[Any]) -> tuple[Category, ...]:
    """Values of a category type as plain Python values; what has no plain form is known by its text.

    Examples
    --------
    >>> from fractions import Fraction
    >>> categories_of([np.int8(3), "a", Fraction(1, 2)])
    (3, 'a', '1/2')
    """
    return tuple(_category(value) for value in values)


def _category(value: Any) -> Category:
    kind = family(type(value))
    if kind in PLAIN and not (kind == "float" and not isfinite(value)):
        return PLAIN[kind](value)
    if kind == "date" and getattr(value, "tzinfo", None) is None:
        return times.scalar(_moment(value))
    return times.scalar(_duration(value)) if kind == "duration" else str(value)


def missing_objects(objects: list[Any]) -> NDArray[np.bool_]:
    """Find the objects that are missing: `None` and its like, and NaN and NaT, which differ from themselves.

    Examples
    --------
    >>> missing_objects([1.5, None, float("nan"), "text"])
    array([False,  True,  True, False])
    """
    family_of = {kind: family(kind) for kind in set(map(type, objects))}
    empty = {kind for kind, name in family_of.items() if name == "missing"}
    unequal = {kind for kind, name in family_of.items() if name in ("float", "date", "duration", "exact")}
    if not empty and not unequal:
        return np.zeros(len(objects), dtype=bool)
    gaps = (type(value) in empty or (type(value) in unequal and _is_nan(value)) for value in objects)
    return np.fromiter(gaps, dtype=bool, count=len(objects))


def _is_nan(value: Any) -> bool:
    # A signalling decimal NaN cannot be compared.
    return value.is_nan() if isinstance(value, Decimal) else bool(operator.ne(value, value))


def _refusal(name: str, objects: list[Any], family_of: dict[type, str]) -> DataError:
    for row, value in enumerate(objects):
        match family_of[type(value)]:
            case "complex":
                return DataError(f"Complex data not supported: column {name!r} holds {value} (row {row}).")
            case "other":
                return DataTypeError(
                    f"column {name!r} holds {type(value).__name__} objects (first at row {row}): "
                    "a value of a table argument must be a string, a number, a date or missing."
                )
    raise AssertionError("a refusal has its reason")


def _filled(known: NDArray[Any], gaps: NDArray[np.bool_]) -> RawNumbers:
    """Spread known values over all rows."""
    if not gaps.any():
        return RawNumbers(known)
    values = np.zeros(len(gaps), dtype=known.dtype)
    values[~gaps] = known
    return RawNumbers(values, gaps)


def _numbers(name: str, known: list[Any], families: set[str], gaps: NDArray[np.bool_]) -> NDArray[Any]:
    if not known:
        return np.zeros(0)
    if families == {"bool"}:
        return np.array(known, dtype=bool)
    if families <= {"bool", "integer"}:
        for kind in (np.int64, np.uint64):
            try:
                return np.array(known, dtype=kind)
            except OverflowError:
                continue
    elif families <= {"bool", "integer", "float"}:
        try:
            values = np.array(known, dtype=np.float64)
        except OverflowError:
            values = np.array([np.inf])
        if np.abs(values).max() < EXACT or families == {"float"}:
            return values
    return _told_apart(name, known, np.flatnonzero(~gaps))


def _told_apart(name: str, known: list[Any], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Exact numbers as float64, provided that different ones stay different."""
    first: dict[float, Any] = {}
    for row, value in zip(rows, known, strict=True):
        try:
            number = float(value)
        except OverflowError:
            raise DataError(f"column {name!r} holds a number beyond float64 (row {row}).") from None
        other = first.setdefault(number, value)
        if other != value:
            raise DataError(
                f"column {name!r} holds {other} and {value} (row {row}), which float64 cannot tell apart: "
                "subtract a value, round them or name the column in categorical_features."
            )
    return np.array([float(value) for value in known])


def _text(name: str, objects: list[Any], gaps: NDArray[np.bool_]) -> RawCodes:
    if any(issubclass(kind, bytes) for kind in set(map(type, objects))):
        objects = [_decoded(name, row, value) for row, value in enumerate(objects)]
    codes: dict[Any, int] = {}
    if not gaps.any():
        rows = [codes.setdefault(value, len(codes)) for value in objects]
    else:
        rows = [
            MISSING if gap else codes.setdefault(value, len(codes))
            for value, gap in zip(objects, gaps, strict=True)
        ]
    return find_categories(np.array(rows, dtype=np.intp), map(_plain, codes))


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, str) else value


def _decoded(name: str, row: int, value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise DataTypeError(f"column {name!r} holds bytes that are no UTF-8 text (row {row}).") from None


def _mixed(name: str, objects: list[Any], gaps: NDArray[np.bool_], family_of: dict[type, str]) -> RawCodes:
    """Text among numbers or times: all are categories, and a warning lists the odd ones."""
    is_text = np.array([family_of[type(value)] == "text" for value in objects])
    odd = is_text if 2 * is_text.sum() <= len(objects) - gaps.sum() else ~is_text & ~gaps
    rows = np.flatnonzero(odd)
    listed = some(dict.fromkeys(objects[row] for row in rows))
    warn(
        f"column {name!r} mixes text with other values and is taken as categorical: {listed} "
        f"({count_rows(rows)})."
    )
    plain = [
        value if gap or family_of[type(value)] == "text" else _category_in_text(value)
        for value, gap in zip(objects, gaps, strict=True)
    ]
    return _text(name, plain, gaps)


def _category_in_text(value: Any) -> Any:
    return _category(value) if family(type(value)) in ("bool", "integer", "float") else str(value)


def _times(name: str, known: list[Any], kind: str) -> NDArray[Any]:
    if kind == "date":
        zones = {
            str(zone) if zone else "none" for zone in {getattr(value, "tzinfo", None) for value in known}
        }
        if len(zones) > 1:
            raise DataError(
                f"column {name!r} mixes the time zones {', '.join(sorted(zones))}: convert it to one zone."
            )
        return np.array([_moment(value) for value in known])
    if kind == "duration":
        return np.array([_duration(value) for value in known])
    return np.array([_since_midnight(value) for value in known], dtype="timedelta64[us]")


def _moment(value: Any) -> np.datetime64:
    if getattr(value, "tzinfo", None) is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    # pandas' moments count nanoseconds, which Python's do not.
    return value.to_datetime64() if hasattr(value, "to_datetime64") else np.datetime64(value)


def _duration(value: Any) -> np.timedelta64:
    return value.to_timedelta64() if hasattr(value, "to_timedelta64") else np.timedelta64(value)


def _since_midnight(value: datetime.time) -> np.timedelta64:
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return np.timedelta64(seconds * 1_000_000 + value.microsecond, "us")
