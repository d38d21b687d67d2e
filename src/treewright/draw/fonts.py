"""Fonts for matplotlib: installed ones that have the letters which its own font lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from logging import ERROR, getLogger
from os import path
from typing import Any
from unicodedata import category

from treewright.errors import warn

OWN = "DejaVu Sans"
"""Comes with matplotlib: Latin, Greek, Cyrillic, Hebrew, Arabic and many signs."""

BOXES = "Last Resort"
"""Comes with matplotlib too, and has a box for every letter there is."""

UNSEEN = ("Cf", "Mn", "Sk")
"""Kinds of characters that only change others: joiners, accents, the tones of emoji."""


MARKS = "❶❷❸❹❺❻❼❽❾❿①②③④⑤⑥⑦⑧⑨⑩"
"""What stands for signs that no font has, all of them in matplotlib's own."""


def families_for(texts: Iterable[str]) -> list[str]:
    """List the families of fonts to set texts in, each for the letters that those before it lack.

    A warning names the letters that no installed font has; for signs there are `marks_for`.

    Examples
    --------
    >>> families_for(["größe ≤ 3", "מחיר"])
    ['DejaVu Sans']
    """
    texts = list(texts)
    families, missing = _search(texts)
    missing = [letter for letter in missing if letter not in marks_for(texts)]
    if missing:
        warn(
            f"no installed font has the letters {''.join(missing[:8])!r}: boxes stand in their place. "
            "Install one that has, for example of the Noto family, or save the drawing as .svg, which its "
            "reader's fonts show."
        )
    return families


def marks_for(texts: Iterable[str]) -> dict[str, str]:
    """Give a mark for each sign that no font has, as of emoji, whose colour fonts matplotlib cannot set.

    Examples
    --------
    >>> marks_for(["größe", "☃"])  # a snowman is in matplotlib's font
    {}
    """
    missing = _search(list(texts))[1]
    return dict(zip((letter for letter in missing if category(letter) == "So"), MARKS, strict=False))


def _search(texts: list[str]) -> tuple[list[str], list[str]]:
    """Look for fonts; give their families and the letters that none has, in the order of the texts."""
    from matplotlib.font_manager import FontProperties, findfont

    letters = dict.fromkeys(letter for letter in "".join(texts) if category(letter) not in UNSEEN)
    families, own = [OWN], _letters(findfont(FontProperties(family=OWN)))
    missing = [letter for letter in letters if ord(letter) not in own]
    for font in _upright() if missing else ():
        lacking = [letter for letter in missing if ord(letter) not in _letters(font.fname)]
        if len(lacking) < len(missing):
            families.append(font.name)
            missing = lacking
    return families, missing


def _upright() -> list[Any]:
    """List the plain fonts of this machine, those too that came after matplotlib made its list."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    for file in sorted(set(findSystemFonts()) - {font.fname for font in fontManager.ttflist}):
        with suppress(OSError, RuntimeError, ValueError):  # a file that only looks like a font
            fontManager.addfont(file)
    fonts = (font for font in fontManager.ttflist if font.style == "normal" and font.weight == 400)
    return sorted(
        (font for font in fonts if not font.name.startswith(BOXES)), key=lambda font: (font.name, font.fname)
    )


@contextmanager
def quiet_fonts() -> Iterator[None]:
    """Keep matplotlib from telling of every family that has no bold letters: its plain ones do."""
    log = getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


@cache
def _letters(file: str) -> frozenset[int]:
    """Give the characters of a font; none if its glyphs are pictures, which matplotlib cannot set."""
    from matplotlib.ft2font import FT2Font

    if not path.exists(file):  # removed since matplotlib made its list
        return frozenset()
    font = FT2Font(file)
    return frozenset(font.get_charmap()) if font.scalable else frozenset()
