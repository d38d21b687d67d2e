"""Fonts: which of those installed have the letters of a picture that matplotlib's own font lacks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from os import path
from unicodedata import category

from treewright.errors import warn

OWN = "DejaVu Sans"
"""Comes with matplotlib: Latin, Greek, Cyrillic, Hebrew, Arabic and many signs."""

BOXES = "Last Resort"
"""Comes with matplotlib too, and has a box for every letter there is."""


def families_for(texts: Iterable[str]) -> list[str]:
    """List the families of fonts to set texts in, each for the letters that those before it lack.

    A warning names the letters that no installed font has.

    Examples
    --------
    >>> families_for(["größe ≤ 3", "מחיר"])
    ['DejaVu Sans']
    """
    from matplotlib.font_manager import FontProperties, findfont, fontManager

    letters = {ord(letter) for text in texts for letter in text if category(letter) not in ("Cf", "Mn")}
    families, missing = [OWN], letters - _letters(findfont(FontProperties(family=OWN)))
    if not missing:
        return families
    upright = (
        font
        for font in fontManager.ttflist
        if font.style == "normal" and font.weight == 400 and not font.name.startswith(BOXES)
    )
    for font in sorted(upright, key=lambda font: (font.name, font.fname)):
        if missing & _letters(font.fname):
            families.append(font.name)
            missing -= _letters(font.fname)
        if not missing:
            return families
    shown = "".join(map(chr, sorted(missing)[:8]))
    warn(
        f"no installed font has the letters {shown!r}: boxes stand in their place. Install one that has, for "
        "example of the Noto family, or save the drawing as .svg, which its reader's fonts show."
    )
    return families


@cache
def _letters(file: str) -> frozenset[int]:
    """Give the characters of a font; none if its glyphs are pictures, which matplotlib cannot set."""
    from matplotlib.ft2font import FT2Font

    if not path.exists(file):  # removed since matplotlib made its list
        return frozenset()
    font = FT2Font(file)
    return frozenset(font.get_charmap()) if font.scalable else frozenset()
