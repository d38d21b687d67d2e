"""HTML tables: what notebooks show of reports, paths and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_SET = {True: 'style="text-align:right"', False: 'style="text-align:left"'}


def html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Write a table, every cell escaped, the columns of the given numbers set to the right.

    Examples
    --------
    >>> html_table("trees", ["name"], [["<oak>"]], ()).count("&lt;oak&gt;")
    1
    """
    lines = [_line("th", head, right), *(_line("td", row, right) for row in rows)]
    return f"<table><caption {_SET[False]}>{escape(caption)}</caption>{''.join(lines)}</table>"


def _line(tag: str, cells: Sequence[str], right: Sequence[int]) -> str:
    written = (f"<{tag} {_SET[place in right]}>{escape(cell)}</{tag}>" for place, cell in enumerate(cells))
    return f"<tr>{''.join(written)}</tr>"
