"""Text tables with aligned columns, in terminals too that show some characters wider than others."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

_OF_ANY_WIDTH = re.compile("[\u0300-\u1fff\u2800-\U0010ffff]")


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    r"""Set a table in columns of equal width, those of the given numbers to the right.

    Examples
    --------
    >>> print("\n".join(aligned(["tree", "leaves"], [["oak", "12"], ["birch", "7"]], right=(1,))))
    tree   leaves
    oak        12
    birch       7
    """
    columns = []
    for place, column in enumerate(zip(head, *rows, strict=True)):
        widths = [terminal_width(text) for text in column]
        room = [" " * (max(widths) - width) for width in widths]
        left, beside = (room, column) if place in right else (column, room)
        columns.append([*map(str.__add__, left, beside)])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def terminal_width(text: str) -> int:
    """Count the columns that a text takes in a terminal.

    Examples
    --------
    >>> terminal_width("größe"), terminal_width("大小")
    (5, 4)
    """
    if text.isascii() or not _OF_ANY_WIDTH.search(text):
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
