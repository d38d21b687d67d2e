"""HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from treewright.formatting.colours import class_colour

_TABLE = "border-collapse:collapse;margin:.4em 0"
_LINES = {"th": "border-bottom:1px solid #8888;padding:.15em .7em", "td": "padding:.15em .7em"}
_BAR = "display:inline-block;height:.8em;min-width:1px"
_STACK = "display:inline-block;width:5em;height:.8em;overflow:hidden;white-space:nowrap;background:#8883"


class Markup(str):
    """A piece of HTML, not to be escaped."""

    __slots__ = ()


def html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Write a table, every cell that is no `Markup` escaped, the columns of the given numbers to the right.

    Examples
    --------
    >>> html_table("trees", ["name"], [["<oak>"]], ()).count("&lt;oak&gt;")
    1
    """
    lines = [_line("th", head, right), *(_line("td", row, right) for row in rows)]
    return _table(caption, lines)


def html_bars(caption: str, names: Sequence[str], shares: Sequence[float]) -> str:
    """Write a table of bars, each a share of one, with its name before it and its number behind.

    Examples
    --------
    >>> html_bars("trees", ["oak"], [0.25]).count("25.0 %")
    1
    """
    longest = max([*shares, 0.0]) or 1.0
    lines = (
        f'<tr><td style="{_LINES["td"]};text-align:left">{escape(name)}</td>'
        f'<td style="padding:0;width:16em;text-align:left">'
        f'<span style="{_BAR};width:{100 * share / longest:.1f}%;background:{class_colour(0)}"></span></td>'
        f'<td style="{_LINES["td"]};text-align:right">{100 * share:.1f} %</td></tr>'
        for name, share in zip(names, shares, strict=True)
    )
    return _table(caption, lines)


def html_shares(shares: Sequence[float]) -> Markup:
    """Write a bar of parts in the colours of the classes, each part a share of one.

    Examples
    --------
    >>> html_shares([0.25, 0.0, 0.75]).count("background:#e69f00")
    0
    """
    parts = "".join(
        f'<span style="display:inline-block;height:100%;vertical-align:top;width:{100 * share:.1f}%;'
        f'background:{class_colour(code)}"></span>'
        for code, share in enumerate(shares)
        if share > 0
    )
    return Markup(f'<span style="{_STACK}">{parts}</span>')


def html_lines(text: str) -> str:
    """Write lines of text, the first one bold.

    Examples
    --------
    >>> html_lines("a < b")
    '<div><b>a &lt; b</b></div>'
    """
    first, *rest = map(escape, text.split("\n"))
    return f"<div>{'<br>'.join([f'<b>{first}</b>', *rest])}</div>"


def _table(caption: str, lines: Iterable[str]) -> str:
    title = f'<caption style="text-align:left;white-space:nowrap">{escape(caption)}</caption>' * bool(caption)
    return f'<table style="{_TABLE}">{title}{"".join(lines)}</table>'


def _line(tag: str, cells: Sequence[str], right: Sequence[int]) -> str:
    sides = ("right" if place in right else "left" for place in range(len(cells)))
    written = (
        f'<{tag} style="{_LINES[tag]};text-align:{side}">{_written(cell)}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(written)}</tr>"


def _written(cell: str) -> str:
    return cell if isinstance(cell, Markup) else escape(cell)
