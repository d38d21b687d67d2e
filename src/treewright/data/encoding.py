"""Encoding of raw columns as numbers or category codes, at fit and for new rows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from treewright.data import times
from treewright.data.columns import (
    MAJORITY,
    MISSING,
    Category,
    Column,
    Kind,
    Raw,
    RawCodes,
    RawNumbers,
    Unseen,
    plain,
)
from treewright.errors import DataError, DataTypeError, warn
from treewright.formatting.text import some

Values: TypeAlias = NDArray[np.float64] | NDArray[np.int32]

EXACT = 2**53
"""Whole numbers up to here are float64 numbers too."""

MOST_CATEGORIES = 2**31 - 1
"""Codes are int32."""


def learn(
    name: str, raw: Raw, kind: Kind, order: tuple[Category, ...] | None = None
) -> tuple[Column, Values]:
    """Decide how a column is stored, and store it.

    Parameters
    ----------
    name : str
    raw : RawNumbers or RawCodes
    kind : {"numeric", "categorical", "ordinal"}
    order : tuple or None
        Values of an ordinal feature from low to high, where its type does not say.

    Returns
    -------
    column, values
        `float64` numbers or positions, `int32` codes of a categorical column.

    Examples
    --------
    >>> column, codes = learn("pet", RawCodes(np.array([1, 0, 1]), ("cat", "dog")), "categorical")
    >>> column.categories, codes
    (('cat', 'dog'), array([1, 0, 1], dtype=int32))
    """
    if isinstance(raw, RawNumbers):
        if kind == "numeric":
            return _learn_numbers(name, raw)
        if raw.values.dtype.kind == "f":
            refuse_infinities(name, raw.values, ~raw.gaps)
    if order is not None:
        column = Column(name, "ordinal", order)
        return column, _encode_positions(column, raw, "error")
    coded = _without_unused(raw if isinstance(raw, RawCodes) else _codes_of_numbers(raw))
    if len(coded.categories) > MOST_CATEGORIES:
        raise DataError(
            f"column {name!r} has {len(coded.categories)} categories, the limit is {MOST_CATEGORIES}."
        )
    if isinstance(raw, RawCodes) and not raw.declared:
        _warn_of_odd_categories(name, coded)
        if kind == "ordinal":
            raise DataError(
                f"ordinal column {name!r} is text without an order: "
                f"pass ordinal_features={{{name!r}: [values from low to high]}}."
            )
    column = Column(name, kind, coded.categories)
    if kind == "categorical":
        return column, coded.codes.astype(np.int32, copy=False)
    return column, _positions(coded.codes)


def encode(column: Column, raw: Raw, unseen: Unseen = "missing") -> Values:
    """Store the values of a column seen at fit, as it was stored then.

    Parameters
    ----------
    column : Column
    raw : RawNumbers or RawCodes
    unseen : {"missing", "majority", "error"}
        What a category that fit has not seen becomes: code −1, code −2, or an error.

    Returns
    -------
    values
        `float64` numbers or positions, `int32` codes of a categorical column.

    Examples
    --------
    >>> encode(Column("pet", "categorical", ("cat", "dog")), RawCodes(np.array([0, 1]), ("dog", "eel")))
    array([ 1, -1], dtype=int32)
    """
    if column.kind == "numeric":
        return _encode_numbers(column, raw)
    if column.kind == "ordinal":
        return _encode_positions(column, raw, unseen)
    return _encode_codes(column, raw, unseen)


def _learn_numbers(name: str, raw: RawNumbers) -> tuple[Column, NDArray[np.float64]]:
    values = raw.values
    if values.dtype.kind in "mM":
        ticks, unit = times.ticks_of(name, values)
        ticks, unit = times.coarsen(np.where(raw.gaps, 0, ticks), unit)
        offset = _exact_offset(name, ticks[~raw.gaps], always=True)
        column = Column(name, unit=f"{_time_type(values)}[{unit}]", offset=offset)
        return column, _with_gaps(_subtract(ticks, offset, raw.gaps), raw.gaps)
    offset = 0
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        offset = _exact_offset(name, values if raw.missing is None else values[~raw.gaps])
    elif values.dtype.kind == "f" and values.dtype.itemsize > 8:
        _warn_of_lost_digits(name, raw)
    return Column(name, offset=offset), _numbers(raw, offset)


def _encode_numbers(column: Column, raw: Raw) -> NDArray[np.float64]:
    numbers = _as_numbers(column, raw)
    values = numbers.values
    is_time = values.dtype.kind in "mM"
    if (_time_type(values) if is_time else None) != (column.unit and column.unit.partition("[")[0]):
        if not numbers.gaps.all():
            raise _changed(column, raw)
        return np.full(len(values), np.nan)
    if column.unit is None:
        return _numbers(numbers, column.offset)
    ticks, unit = times.ticks_of(column.name, values)
    stored = column.unit.partition("[")[2].rstrip("]")
    return _with_gaps(
        times.convert(np.where(numbers.gaps, 0, ticks), unit, column.offset, stored), numbers.gaps
    )


def _encode_codes(column: Column, raw: Raw, unseen: Unseen) -> NDArray[np.int32]:
    coded = raw if isinstance(raw, RawCodes) else _codes_of_numbers(raw)
    then = _families(column.categories)  # none if all were missing at fit: any value is unseen then
    if then and not coded.gaps.all() and then.isdisjoint(_families(coded.categories)):
        raise _changed(column, raw)
    unknown = MAJORITY if unseen == "majority" else MISSING
    # The last entry is what code −1 points at.
    lookup = [column.code_of.get(category, unknown) for category in coded.categories] + [MISSING]
    codes: NDArray[np.int32] = np.array(lookup, dtype=np.int32)[coded.codes]
    if unseen == "error":
        _refuse_unseen(column, coded, codes)
    return codes


def _encode_positions(column: Column, raw: Raw, unseen: Unseen) -> NDArray[np.float64]:
    # A position has no place for "follow the largest branch", so an unseen value is missing.
    return _positions(_encode_codes(column, raw, unseen))


def _refuse_unseen(column: Column, coded: RawCodes, codes: NDArray[np.int32]) -> None:
    rows = np.flatnonzero((codes < 0) & ~coded.gaps)
    if len(rows):
        value = coded.categories[coded.codes[rows[0]]]
        raise DataError(
            f"unseen value {plain(value)!r} in column {column.name!r} ({count_rows(rows)}). "
            f"Known values: {some(map(plain, column.categories))}."
        )


def _as_numbers(column: Column, raw: Raw) -> RawNumbers:
    """Take a column that was numeric at fit as numbers, even if it is a category of numbers now."""
    if isinstance(raw, RawNumbers):
        return raw
    if raw.gaps.all():
        return RawNumbers(np.full(len(raw.codes), np.nan))
    if _families(raw.categories) - {"numeric", "dates", "durations"}:
        raise _changed(column, raw)
    return RawNumbers(np.array(raw.categories)[raw.codes], raw.gaps)


def _changed(column: Column, raw: Raw) -> DataTypeError:
    """Build the error for a column that was one kind of thing at fit and is another now."""
    row = int(np.flatnonzero(~raw.gaps)[0])
    value: Any = raw.values[row] if isinstance(raw, RawNumbers) else raw.categories[raw.codes[row]]
    then = _families(column.categories) if column.kind != "numeric" else {_family_of_unit(column.unit)}
    return DataTypeError(
        f"column {column.name!r} was {' and '.join(sorted(then))} at fit "
        f"and is {_family_of_type(type(value))} now (value {plain(value)!r}, row {row})."
    )


def _families(categories: tuple[Category, ...]) -> set[str]:
    """Say what kinds of values stand among some categories."""
    return {_family_of_type(kind) for kind in set(map(type, categories))}


def _family_of_type(kind: type) -> str:
    if issubclass(kind, str):
        return "text"
    return {np.datetime64: "dates", np.timedelta64: "durations"}.get(kind, "numeric")


def _family_of_unit(unit: str | None) -> str:
    return "numeric" if unit is None else "dates" if unit.startswith("datetime64") else "durations"


def _time_type(values: NDArray[Any]) -> str:
    return "datetime64" if values.dtype.kind == "M" else "timedelta64"


def _exact_offset(name: str, known: NDArray[Any], always: bool = False) -> int:
    """Find what to subtract from whole numbers so that float64 holds them exactly: 0 if nothing need be."""
    if not len(known):
        return 0
    low, high = int(known.min()), int(known.max())
    if not always and low >= -EXACT and high <= EXACT:
        return 0
    if high - low > EXACT:
        raise DataError(
            f"column {name!r} runs from {low} to {high}: float64 cannot hold a range beyond 2**53 exactly. "
            "Round it to a coarser unit, or name it in categorical_features if it is an identifier."
        )
    return low


def _numbers(raw: RawNumbers, offset: int) -> NDArray[np.float64]:
    """Raw numbers less the offset as float64, NaN where missing."""
    values = raw.values
    if offset:
        return _with_gaps(_subtract(values, offset, raw.gaps), raw.gaps)
    numbers = values.astype(np.float64, copy=raw.missing is not None)
    if raw.missing is not None:
        numbers[raw.missing] = np.nan
    return numbers


def _with_gaps(numbers: NDArray[np.float64], gaps: NDArray[np.bool_]) -> NDArray[np.float64]:
    numbers[gaps] = np.nan
    return numbers


def _subtract(values: NDArray[Any], offset: int, gaps: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Values less the offset, rounded once; whatever their type, nothing wraps around."""
    if values.dtype.kind in "iu" and not gaps.all():
        low, high = int(values[~gaps].min()) - offset, int(values[~gaps].max()) - offset
        bounds = np.iinfo(values.dtype)
        if bounds.min <= min(low, offset) and max(high, offset) <= bounds.max:
            # The values under gaps may wrap, and nobody looks at them.
            return np.asarray(np.subtract(values, values.dtype.type(offset)).astype(np.float64))
    skipped = gaps | ~np.isfinite(values)
    numbers = values.astype(np.float64)
    for row in np.flatnonzero(~skipped):
        numbers[row] = float(Fraction(values[row].item()) - offset)
    return numbers


def _codes_of_numbers(raw: RawNumbers) -> RawCodes:
    """Codes of numbers, truth values or times, their distinct values sorted."""
    gaps = raw.gaps
    if gaps.any():
        found, known_codes = distinct(raw.values[~gaps])
        codes = np.full(len(gaps), MISSING, dtype=np.intp)
        codes[~gaps] = known_codes
    else:
        found, codes = distinct(raw.values)
    if found.dtype.kind in "mM":
        return RawCodes(codes, tuple(times.scalar(value) for value in found))
    return RawCodes(codes, tuple(found.tolist()))


def distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sorted distinct values and the position of each row's value among them.

    Whole numbers in a narrow range are looked up in a table of that range instead of being sorted.
    """
    if values.dtype.kind in "iuf" and len(values):
        low, high = values.min(), values.max()
        if np.isfinite(low) and np.isfinite(high) and int(high) - int(low) <= 4 * len(values) + 1024:
            # The widest type of the kind, lest a difference wrap around.
            wide = np.dtype(f"{values.dtype.kind}8")
            steps = np.subtract(values, low, dtype=wide).astype(np.intp)
            if values.dtype.kind != "f" or (low == np.floor(low) and np.array_equal(steps + low, values)):
                present = np.bincount(steps) > 0
                position = np.cumsum(present) - 1
                found = np.flatnonzero(present).astype(wide) + low.astype(wide)
                return found.astype(values.dtype), position[steps]
    found, inverse = np.unique(values, return_inverse=True)
    return found, inverse


def _without_unused(coded: RawCodes) -> RawCodes:
    """Drop categories that no row has, unless the column's type declares its domain."""
    if coded.declared:
        return coded
    used = np.bincount(coded.codes[~coded.gaps], minlength=len(coded.categories)) > 0
    if used.all():
        return coded
    # The last entry is what code −1 points at.
    position = np.append(np.cumsum(used) - 1, MISSING)
    kept = tuple(category for category, keep in zip(coded.categories, used, strict=True) if keep)
    return RawCodes(position[coded.codes], kept)


def _positions(codes: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(codes < 0, np.nan, codes.astype(np.float64))


def _warn_of_odd_categories(name: str, coded: RawCodes) -> None:
    for sentence in odd_categories(name, coded):
        warn(sentence)


def odd_categories(name: str, coded: RawCodes) -> Iterator[str]:
    """Say that a column looks like an identifier, and that categories look the same."""
    rows = int(np.count_nonzero(~coded.gaps))
    if rows > 50 and len(coded.categories) >= 0.99 * rows:
        share = 100 * len(coded.categories) // rows
        yield f"column {name!r} has {share} % distinct values; likely an identifier."
    texts = [category for category in coded.categories if isinstance(category, str)]
    first: dict[str, str] = {}
    for category in texts:
        other = first.setdefault(normalize("NFC", category).strip(), category)
        if other != category:
            yield (
                f"column {name!r} has the categories {other!r} and {category!r}, which differ only in blanks "
                "or in Unicode form; they are kept apart."
            )
            return


def _warn_of_lost_digits(name: str, raw: RawNumbers) -> None:
    rows = np.flatnonzero(~raw.gaps & (raw.values.astype(np.float64) != raw.values))
    if len(rows):
        warn(f"column {name!r} loses digits in float64 ({count_rows(rows)}).")


def refuse_infinities(name: str, values: NDArray[Any], counted: NDArray[np.bool_] | None = None) -> None:
    """Refuse infinities in a column, in rows that count."""
    infinite = np.isinf(values)
    if infinite.any():
        rows = np.flatnonzero(infinite if counted is None else infinite & counted)
        if len(rows):
            raise DataError(
                f"infinity in column {name!r} ({count_rows(rows)}). Clean it or set inf='extreme'."
            )


def refuse_missing(name: str, gaps: NDArray[np.bool_]) -> None:
    """Refuse missing values in a column."""
    rows = np.flatnonzero(gaps)
    if len(rows):
        values = "1 missing value" if len(rows) == 1 else f"{len(rows)} missing values"
        raise DataError(
            f"column {name!r} has {values}, first at row {rows[0]}. "
            "Fill them or choose another policy than missing='error'."
        )


def count_rows(rows: NDArray[Any]) -> str:
    """Say how many rows, and the first of them.

    Examples
    --------
    >>> count_rows(np.array([8, 9])), count_rows(np.array([3]))
    ('2 rows, first 8', '1 row, first 3')
    """
    return f"{len(rows)} row{'s' if len(rows) != 1 else ''}, first {rows[0]}"
