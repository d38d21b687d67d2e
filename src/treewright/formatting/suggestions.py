"""Suggestions for misspelt names: 'did you mean'."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(given: object, known: Iterable[str]) -> str:
    """Give a hint such as ``" Did you mean 'gini'?"``, empty when nothing known looks like `given`.

    Examples
    --------
    >>> nearest("ginni", ["gini", "entropy"])
    " Did you mean 'gini'?"
    >>> nearest("hellinger", ["gini", "entropy"])
    ''
    >>> nearest("Y", ["x", "y"])
    " Did you mean 'y'?"
    """
    names = list(known)
    beginnings = [name for name in names if name.startswith(str(given)[:3])]
    close = (
        [name for name in names if name.casefold() == str(given).casefold()]
        or get_close_matches(str(given), names, n=1)
        or get_close_matches(str(given), beginnings, 1, 0.4)
    )
    return f" Did you mean {close[0]!r}?" if close else ""


def unknown_name(what: str, given: object, known: Iterable[str]) -> str:
    """Write one sentence that refuses a name, lists those allowed and offers the nearest.

    Examples
    --------
    >>> unknown_name("criterion", "ginni", ["gini", "entropy"])
    "Unknown criterion 'ginni': use one of 'gini', 'entropy'. Did you mean 'gini'?"
    """
    names = list(known)
    return f"Unknown {what} {given!r}: use one of {', '.join(map(repr, names))}.{nearest(given, names)}"
