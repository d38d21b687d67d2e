"""Typography: how wide words are, where lines break, and what is left out of those that are too long.

No font is at hand when a picture is made, so widths are estimates, generous enough for the wide ones (DejaVu
Sans). Direction is left to the reader's program; breaks never part a letter from its accents.
"""

from __future__ import annotations

import unicodedata

LONGEST = 1000
"""Characters looked at; what follows is cut off before anything is measured."""

_NARROW = frozenset("ijl|!.,:;'`Iı")
_SLIM = frozenset('frt()[]{}/\\-" ·*°\u00a0')
_BROAD = frozenset("mwMWQO@%&—…≤≥→")
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


def text_width(text: str, size: float) -> float:
    """Estimate how wide a text is when it is set in a sans-serif font of a size.

    Examples
    --------
    >>> text_width("ill", 10.0) < text_width("mmm", 10.0) == 3 * text_width("m", 10.0)
    True
    """
    return size * sum(map(_advance, text))


def _advance(character: str) -> float:
    if character in _NARROW:
        return 0.33
    if character in _SLIM:
        return 0.40
    if character in _BROAD:
        return 0.92
    if character.isascii():
        return 0.68 if character.isupper() else 0.61
    if _clings(character):
        return 0.0
    return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.68


def _clings(character: str) -> bool:
    """Whether a character belongs to the letter before it."""
    return character in _JOINERS or unicodedata.category(character) in ("Mn", "Me", "Cf")


def fit_lines(text: str, width: float, size: float, most: int = 2) -> list[str]:
    """Set a text in at most so many lines of a width, broken between words where that is possible.

    Parameters
    ----------
    text : str
        One line of text.
    width : float
        The room for each line.
    size : float
        Of the font.
    most : int, default=2
        The most lines; what does not fit ends in ``…``.

    Examples
    --------
    >>> fit_lines("wage increase first year", 80.0, 10.0)
    ['wage increase', 'first year']
    >>> fit_lines("a very long name that goes on", 70.0, 10.0, most=1)
    ['a very long…']
    """
    rest = text[:LONGEST].strip()
    lines: list[str] = []
    while rest and len(lines) < most:
        fits = _longest_start(rest, width, size)
        if fits < len(rest) and len(lines) == most - 1:
            fits = _longest_start(rest, width - text_width("…", size), size)
            return [*lines, rest[:fits].rstrip() + "…"]
        if fits < len(rest) and rest[fits] != " ":
            space = rest.rfind(" ", 0, fits)
            fits = space if space > fits / 3 else fits  # a long word is broken rather than left alone
        lines.append(rest[:fits].rstrip())
        rest = rest[fits:].lstrip()
    return lines or [""]


def _longest_start(text: str, width: float, size: float) -> int:
    """Count the characters that fit, at least one letter with all that clings to it."""
    room, end = width / size, len(text)
    for place, character in enumerate(text):
        room -= _advance(character)
        if room < 0:
            end = max(place, 1)
            break
    while end < len(text) and _clings(text[end]):
        end += 1
    return end
