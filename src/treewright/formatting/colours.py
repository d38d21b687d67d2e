"""Colour palettes of classes and numbers, safe for colour-blind readers, on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping

CLASS_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""The classes' colours (Okabe & Ito, 2008), used for areas and never for text; repeated beyond eight."""

SCALE = ("#1d5fa6", "#2f8fc0", "#62b6b7", "#a9d08a", "#f2e15c")
"""Blue to yellow for low to high numbers: each step lighter than the last, none lost on black or white."""

LIGHT: Mapping[str, str] = {
    "ground": "#ffffff",
    "card": "#ffffff",
    "edge": "#d0d7de",
    "ink": "#1f2328",
    "pale": "#59636e",
    "soft": "#eef1f4",
    "cut": "#1f2328",
}
"""What things are coloured in that stand for no class, on white."""

DARK: Mapping[str, str] = {
    "ground": "#0d1117",
    "card": "#161b22",
    "edge": "#3d444d",
    "ink": "#f0f6fc",
    "pale": "#a5adb8",
    "soft": "#21262d",
    "cut": "#f0f6fc",
}
"""The same on black."""


def css_variables(colours: Mapping[str, str], prefix: str = "") -> str:
    """Write colours as variables of a style sheet.

    Examples
    --------
    >>> css_variables({"ink": "#000000"}, "tw-")
    '--tw-ink:#000000;'
    """
    return "".join(f"--{prefix}{name}:{colour};" for name, colour in colours.items())


def class_colour(code: int) -> str:
    """Give the colour of a class.

    Examples
    --------
    >>> class_colour(0), class_colour(8) == class_colour(0)
    ('#0072b2', True)
    """
    return CLASS_COLOURS[code % len(CLASS_COLOURS)]


def number_colour(share: float) -> str:
    """Give the colour of a number that lies this far between the lowest and the highest, from 0 to 1.

    Examples
    --------
    >>> number_colour(0.0), number_colour(0.9), number_colour(1.0)
    ('#1d5fa6', '#d5da6e', '#f2e15c')
    """
    place = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    step = min(int(place), len(SCALE) - 2)
    low, high = (_channels(colour) for colour in SCALE[step : step + 2])
    mixed = (int(a + (b - a) * (place - step) + 0.5) for a, b in zip(low, high, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def is_light(colour: str) -> bool:
    """Whether black stands out better than white on a colour (relative luminance, WCAG 2).

    Examples
    --------
    >>> is_light("#f0e442"), is_light("#0072b2")
    (True, False)
    """
    red, green, blue = ((channel / 255.0) ** 2.2 for channel in _channels(colour))
    luminance: float = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return luminance > 0.18


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
