"""Text of names, numbers and categories: printable, quoted, counted, in the fewest digits."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from math import isfinite

_HIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})  # controls, half characters, line and paragraph ends
_TURNING = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)  # override the direction of a line

WRITTEN_OUT = 1e7
"""Numbers are written out up to here."""


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


def left_to_right(sentence: str) -> str:
    r"""Mark a sentence of ours as one from left to right, if a name in it is not.

    Examples
    --------
    >>> left_to_right("age from patients"), left_to_right("\u05d2\u05d9\u05dc from patients")[0]
    ('age from patients', '\u200e')
    """
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in sentence)
    return "\u200e" + sentence if turned else sentence


def isolated(name: str) -> str:
    r"""Keep a name that runs from right to left from turning the signs and numbers beside it.

    Examples
    --------
    >>> isolated("age"), isolated("\u05d2\u05d9\u05dc")
    ('age', '\u2068\u05d2\u05d9\u05dc\u2069')
    """
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\u2068{name}\u2069" if turned else name


def shortest(number: float, offset: int = 0) -> str:
    """Write the sum of a number and an offset in the fewest digits that give it back.

    Examples
    --------
    >>> shortest(3.0), shortest(0.5, 2**60)
    ('3', '1152921504606846976.5')
    """
    if not offset or not isfinite(number):
        return repr(float(number)).removesuffix(".0")
    with localcontext() as context:
        context.prec = 400  # enough for any float64 beside any offset
        return f"{Decimal(repr(float(number))) + offset:f}".removesuffix(".0")


# Below U+0300 and among arrows, lines and mathematical signs every character takes one column.


def number_text(number: float, decimals: int | None = None) -> str:
    """Write a number in the fewest digits that read back as the same number, or with fixed decimals.

    Examples
    --------
    >>> number_text(0.8), number_text(3.0), number_text(2 / 3, decimals=2)
    ('0.8', '3', '0.67')
    """
    return shortest(number) if decimals is None else f"{number:.{decimals}f}"


def figure(value: float) -> str:
    """Write a figure to four digits and, below ten million, at least to the unit.

    Examples
    --------
    >>> figure(0.123456), figure(58423.7), figure(12345678.0), figure(12.0)
    ('0.1235', '58424', '1.235e+07', '12')
    """
    return f"{value:.0f}" if 1e3 <= abs(value) < WRITTEN_OUT else f"{value:.4g}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write how many there are of a thing.

    Examples
    --------
    >>> counted(1, "leaf", "leaves"), counted(3, "node")
    ('1 leaf', '3 nodes')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def some(values: Iterable[object]) -> str:
    """List values, the first ten of them if there are more.

    Examples
    --------
    >>> some(["a", 2])
    "'a', 2"
    """
    listed = [repr(value) for value in values]
    return ", ".join(listed[:10]) + (f", … ({len(listed)} in all)" if len(listed) > 10 else "")


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
