"""Text tables with aligned columns."""

from __future__ import annotations


def aligned(head: list[str], rows: list[list[str]], right: tuple[int, ...] = ()) -> list[str]:
    r"""Set a table in columns of equal width.

    Examples
    --------
    >>> print("\n".join(aligned(["tree", "leaves"], [["oak", "12"], ["birch", "7"]], right=(1,))))
    tree   leaves
    oak        12
    birch       7
    """
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [head, *rows]
    ]
