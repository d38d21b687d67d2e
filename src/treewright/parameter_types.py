"""Parameter types: whole numbers, numbers in a range, names; the test of a value, and how it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from sys import float_info
from typing import Any

import numpy as np

from treewright.formatting.suggestions import nearest

SMALLEST_FACTOR, LARGEST_FACTOR = 1e-30, 1e30
FACTOR_WORDS = f"0 or from {SMALLEST_FACTOR:g} to {LARGEST_FACTOR:g}"


@dataclass(frozen=True)
class Domain:
    """What a parameter may be: as a test, in the words of an error, as a type and in those of a docstring."""

    test: Callable[[Any], bool]
    words: str
    names: tuple[str, ...] = ()
    type: str = "Any"
    described: str = ""

    def refuse(self, owner: str, parameter: str, value: object) -> str:
        """One sentence for a value that fails the test."""
        given = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
        odd = [name for name in given if isinstance(name, str) and name not in self.names]
        hint = nearest(odd[0], self.names) if odd else ""
        return f"The {parameter!r} parameter of {owner} must be {self.words}. Got {value!r} instead.{hint}"


def is_whole(value: object) -> bool:
    """Whether `value` is a whole number of Python or NumPy; truth values are not."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_number(value: object) -> bool:
    """Whether `value` is a real number of Python or NumPy; truth values are not."""
    kind = type(value)
    return kind is float or kind is int or (isinstance(value, Real) and not isinstance(value, bool))


def is_factor(value: object) -> bool:
    """Whether `value` may multiply weights or merits: 0, or of a size whose products and squares are finite.

    Examples
    --------
    >>> is_factor(0), is_factor(2.5), is_factor(1e200), is_factor(-1)
    (True, True, False, False)
    """
    return is_number(value) and (value == 0 or SMALLEST_FACTOR <= value <= LARGEST_FACTOR)  # type: ignore[operator]


def clipped(value: Any) -> int:
    """Give a whole number as the core takes it: what is larger limits nothing there."""
    return min(int(value), 2**31 - 1)


def one_of(*names: str, none: bool = False) -> Domain:
    """Domain: one of these names."""
    allowed = frozenset(names)
    words = f"a str among {{{', '.join(map(repr, names))}}}" + (" or None" if none else "")
    listed = ", ".join(f'"{name}"' for name in names)
    return Domain(
        lambda value: value in allowed if isinstance(value, str) else none and value is None,
        words,
        names,
        "str" + " | None" * none,
        f"{{{listed}}}" + " or None" * none,
    )


def name_or_function(*names: str) -> Domain:
    """Domain: one of these names, or a function."""
    known = one_of(*names)
    return Domain(
        lambda value: known.test(value) or (callable(value) and not isinstance(value, type)),
        f"{known.words} or a callable",
        names,
        "str | MeritFunction",
        "str or callable",
    )


def whole(least: int, *, none: bool = False) -> Domain:
    """Domain: a whole number from `least` on."""
    words = f"an int in the range [{least}, inf)" + (" or None" if none else "")
    return Domain(
        lambda value: value >= least if is_whole(value) else none and value is None,
        words,
        type="int" + " | None" * none,
        described="int" + " or None" * none,
    )


def number(least: float, most: float = inf, *, none: bool = False) -> Domain:
    """Domain: a finite number from `least` to `most`."""
    words = f"a float in the range [{least}, {most}" + (")" if most == inf else "]") + " or None" * none
    return Domain(
        lambda value: (
            (none and value is None)
            or (is_number(value) and -float_info.max <= value <= float_info.max and least <= value <= most)
        ),
        words,
        type="float" + " | None" * none,
        described="float" + " or None" * none,
    )


def whole_or_share(least: int, *, all_of_it: bool) -> Domain:
    """Domain: a whole number from `least` on, or a share of the rows above 0 and at most (or below) 1."""

    def test(value: Any) -> bool:
        if is_whole(value):
            return bool(value >= least)
        return is_number(value) and (0 < value <= 1 if all_of_it else 0 < value < 1)

    end = "]" if all_of_it else ")"
    words = f"an int in the range [{least}, inf) or a float in the range (0.0, 1.0{end}"
    return Domain(test, words, type="int | float", described="int or float")


def truth(*, none: bool = False) -> Domain:
    """Domain: True or False."""
    return Domain(
        lambda value: isinstance(value, bool | np.bool_) or (none and value is None),
        "a bool" + " or None" * none,
        type="bool" + " | None" * none,
        described="bool" + " or None" * none,
    )


def check_parameters(
    owner: str,
    values: Mapping[str, Any],
    domains: Mapping[str, Domain],
    error: type[ValueError] = ValueError,
) -> None:
    """Raise `error` with one clear sentence for the first value that is out of its domain."""
    for parameter, domain in domains.items():
        if not domain.test(values[parameter]):
            raise error(domain.refuse(owner, parameter, values[parameter]))
