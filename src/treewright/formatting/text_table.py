"""Text tables with aligned columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from treewright.formatting.text import terminal_width


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    r"""Set a table in columns of equal width, those of the given numbers to the right.

    Examples
    --------
    >>> print("\n".join(aligned(["tree", "leaves"], [["oak", "12"], ["birch", "7"]], right=(1,))))
    tree   leaves
    oak        12
    birch       7
    """
    widths = [max(map(terminal_width, column)) for column in zip(head, *rows, strict=True)]

    def cell(place: int, text: str) -> str:
        room = " " * (widths[place] - terminal_width(text))
        return room + text if place in right else text + room

    return ["  ".join(cell(place, text) for place, text in enumerate(row)).rstrip() for row in (head, *rows)]
