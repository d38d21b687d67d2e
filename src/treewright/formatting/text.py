"""How names, numbers, dates and categories read in text."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treewright.data.columns import plain, shortest

if TYPE_CHECKING:
    from treewright.data import Column

_HIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})  # controls, half characters, line and paragraph ends
_TURNING = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)  # override the direction of a line


def printable(text: str) -> str:
    r"""Show control characters, line ends and direction overrides as escapes; leave all else as it is.

    Examples
    --------
    >>> print(printable("first\nsecond"), printable("größe"))
    first\nsecond größe
    """
    if text.isprintable():
        return text
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in _HIDDEN or c in _TURNING else c for c in text)


def number_text(number: float, decimals: int | None = None) -> str:
    """Write a number in the fewest digits that read back as the same number, or with fixed decimals.

    Examples
    --------
    >>> number_text(0.8), number_text(3.0), number_text(2 / 3, decimals=2)
    ('0.8', '3', '0.67')
    """
    return shortest(number) if decimals is None else f"{number:.{decimals}f}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write how many there are of a thing.

    Examples
    --------
    >>> counted(1, "leaf", "leaves"), counted(3, "node")
    ('1 leaf', '3 nodes')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def quoted(text: str) -> str:
    """Show a category or class, in quotes where bare text would be misread inside a list.

    Examples
    --------
    >>> print(quoted("red"), quoted("red, green"), quoted(""))
    red "red, green" ""
    """
    text = printable(text)
    bare = text and text == text.strip() and not any(mark in text for mark in ',{}"')
    return text if bare else '"' + text.replace('"', '\\"') + '"'


def value_text(column: Column, number: float, decimals: int | None = None) -> str:
    """Write a stored number or code of a feature as what it stands for: a number, a date, a category.

    Examples
    --------
    >>> from treewright.data import Column
    >>> value_text(Column("width"), 0.8), value_text(Column("size", "ordinal", ("small", "large")), 0.5)
    ('0.8', 'small')
    """
    if column.kind != "numeric":
        return quoted(column.text(number))
    if decimals is None or column.unit is not None:
        return column.text(number)
    return number_text(number + column.offset, decimals)


def plain_value(column: Column, number: float) -> Any:
    """Return a stored number of a feature as a plain value: a number, a date's text, an ordinal category.

    Examples
    --------
    >>> from treewright.data import Column
    >>> plain_value(Column("width"), 0.8), plain_value(Column("size", "ordinal", ("small", "large")), 0.5)
    (0.8, 'small')
    """
    if column.kind == "ordinal":
        return plain(column.category(number))
    if column.unit is not None and math.isfinite(number):
        return column.text(number)
    # whole numbers are added as such: exact beyond 2**53
    return column.offset + (int(number) if column.offset and number.is_integer() else number)


def sum_text(factors: Sequence[float], terms: Sequence[str], decimals: int | None = None) -> str:
    """Write a sum of multiples.

    Examples
    --------
    >>> print(sum_text([0.8, -1, 2], ["a", "b", "c"]))
    0.8·a − b + 2·c
    """
    words = ""
    for factor, term in zip(factors, terms, strict=True):
        sign = ("−" if factor < 0 else "") if not words else (" − " if factor < 0 else " + ")
        words += sign + ("" if abs(factor) == 1 else number_text(abs(factor), decimals) + "·") + term
    return words
