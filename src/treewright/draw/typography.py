"""Text in drawings: width of words, line breaks, and shortening of what is too long.

No font is at hand when a picture is made, so widths are those of a wide one, DejaVu Sans: a little more for
ASCII and letters with accents, estimates for all others. Direction is left to the reader's program; breaks
never part a letter from its accents.
"""

from __future__ import annotations

import unicodedata
from functools import cache

LONGEST = 1000
"""Characters looked at; what follows is cut off before anything is measured."""

BREAKS = "_-/"
"""Marks after which a line may end, where names have no spaces."""

BOLD = 1.14
"""How much wider bold words are."""

_WIDTHS = {
    letter: width
    for width, letters in (
        (0.33, "'ijlIJ"),
        (0.37, " ,./:;\\|-\u00a0"),
        (0.42, "()[]t!f·°"),
        (0.54, '"*_`sz?r'),
        (0.60, "cLkvxy"),
        (0.66, "FPTYaoeESbdghnpqu$0123456789{}"),
        (0.70, "AVBRXZC"),
        (0.78, "KUHNDG"),
        (0.84, "&OQw#+<=>^~≤≥−→ß"),
        (1.00, "%mMW@—…"),
    )
    for letter in letters
}
"""How wide letters are, in sizes of the font."""

JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""Characters that are not seen, and say how those beside them look."""


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Estimate how wide a text is when it is set in a sans-serif font of a size.

    Examples
    --------
    >>> text_width("ill", 10.0) < text_width("mmm", 10.0) == 3 * text_width("m", 10.0)
    True
    """
    return size * (BOLD if bold else 1.0) * sum(map(_advance, text))


@cache
def _advance(character: str) -> float:
    if character in _WIDTHS:
        return _WIDTHS[character]
    if _clings(character):
        return 0.0
    plain = unicodedata.normalize("NFD", character)[0]  # without its accents
    if plain in _WIDTHS:
        return _WIDTHS[plain]
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    if unicodedata.bidirectional(character) in ("R", "AL"):  # Hebrew, and Arabic letters when they are joined
        return 0.62
    return 0.90 if character.isupper() or unicodedata.category(character)[0] in "NS" else 0.72


def _clings(character: str) -> bool:
    """Whether a character belongs to the letter before it."""
    return character in JOINERS or unicodedata.category(character) in ("Mn", "Me", "Cf")


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
    >>> fit_lines("a very long name that goes on", 75.0, 10.0, most=1)
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
            fits = _last_break(rest, fits, width, size)
        lines.append(rest[:fits].rstrip())
        rest = rest[fits:].lstrip()
    return lines or [""]


def cut_in_the_middle(text: str, width: float, size: float) -> str:
    """Set a text in one line; what is too long loses its middle, as names often differ at their ends.

    Examples
    --------
    >>> cut_in_the_middle("household income", 80.0, 10.0), cut_in_the_middle("age", 80.0, 10.0)
    ('house…come', 'age')
    """
    text = text[:LONGEST].strip()
    if text_width(text, size) <= width:
        return text
    half = (width - text_width("…", size)) / 2
    start, end = _longest_start(text, half, size), len(text)
    room = half / size
    while end > start and room >= _advance(text[end - 1]):
        end -= 1
        room -= _advance(text[end])
    while end < len(text) and _clings(text[end]):
        end += 1
    return text[:start].rstrip() + "…" + text[end:].lstrip()


def _last_break(text: str, fits: int, width: float, size: float) -> int:
    """Find where a line ends that has room for so many characters: at a space, after a mark, or anywhere."""
    space = text.rfind(" ", 0, fits)
    word = text[space + 1 :].partition(" ")[0]
    if space > fits / 3 or (space > 0 and text_width(word, size) <= width):
        return space
    # A mark ends a part of a name; a minus sign, which begins a number, is none.
    marks = (i for i in range(1, fits) if text[i] in BREAKS and text[i - 1].isalnum())
    mark = 1 + max(marks, default=-1)
    return mark if mark > fits / 3 else fits  # a long word is broken rather than left alone


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
