"""A trace as a static HTML page: a section for each node, a card for each candidate split."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from treewright.formatting.colours import class_colour
from treewright.formatting.html_table import html_shares, html_table
from treewright.formatting.text import counted
from treewright.trace.text import (
    cells_of,
    counted_weight,
    cut_words,
    figures,
    holding,
    left_out,
    record_cells,
)

if TYPE_CHECKING:
    from treewright.trace import Trace
    from treewright.trace.records import Candidate, NodeTrace

STYLE = f"""
.tw-trace{{font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;max-width:75em}}
.tw-trace details{{border-left:2px solid color-mix(in srgb,currentColor 15%,transparent);padding-left:.8em}}
.tw-trace details+details{{margin-top:.3em}}
.tw-trace summary{{cursor:pointer;padding:.2em 0}}
.tw-trace .pale{{opacity:.65}}
.tw-trace .cards{{display:flex;flex-wrap:wrap;gap:.8em;margin:.5em 0}}
.tw-trace .card{{border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:8px;
padding:.5em .8em;flex:0 1 auto}}
.tw-trace .chosen{{border:2px solid {class_colour(0)};box-shadow:0 1px 6px {class_colour(0)}40}}
.tw-trace .worth{{height:5px;border-radius:3px;background:{class_colour(0)};min-width:1px}}
.tw-trace .scale{{border-radius:3px;margin:.2em 0 .4em;
background:color-mix(in srgb,currentColor 12%,transparent)}}
.tw-trace th,.tw-trace td{{white-space:nowrap}}
.tw-trace .figures{{font-size:90%;margin-top:.3em;width:0;min-width:100%}}
.tw-trace .reason{{margin:.2em 0 .6em}}
"""


def trace_to_html(trace: Trace, *, max_nodes: int | None = 200) -> str:
    """Write the steps as parts that open and close; every name is escaped, and there are no scripts.

    `max_nodes` is as for `trace_to_text`.
    """
    parts = [_node(trace, node) for node in islice(trace, max_nodes)]
    parts += [f"<p>{escape(words)}</p>" for words in left_out(trace, max_nodes)]
    return _styled("".join(parts))


def node_to_html(node: NodeTrace) -> str:
    """Write the step at one node, with the rows that come to it."""
    head, *rows = record_cells(node)
    more = len(node.records) - len(rows)
    said = f"<p>… {counted(more, 'row')} more</p>" if more else ""
    records = f"{html_table('', head, rows, ())}{said}" if rows else ""
    return _styled(_node(node.trace, node, records))


def _styled(parts: str) -> str:
    return f'<div class="tw-trace"><style>{STYLE}</style>{parts}</div>'


def _node(trace: Trace, node: NodeTrace, records: str = "") -> str:
    where = " and ".join(node.path) or "all rows"
    rows = f"{counted_weight(node.weight)}{holding(trace, node.counts, node.value)}"
    impurity = f"{trace.impurity_name} {node.impurity:.3f}"
    best = max((abs(candidate.merit) for candidate in node.candidates), default=0.0)
    cards = "".join(_card(trace, candidate, best) for candidate in node.candidates)
    nothing = f"No possible split: {', '.join(node.without)}. " if cards and node.without else ""
    indent = 0 if records else 1.5 * min(node.depth, 20)
    decision = f"<b>{escape(node.decision)}</b>"
    shares = _shares(node.counts) if trace.class_names else ""
    return (
        f'<details{" open" if node.depth < 2 or records else ""} style="margin-left:{indent:g}em">'
        f'<summary><span class="pale">node {node.node}:</span> <b>{escape(where)}</b> {shares} '
        f'<span class="pale">{escape(rows)}, {escape(impurity)}</span> → {decision}</summary>'
        + records
        + (f'<div class="cards">{cards}</div>' if cards else "")
        + f'<p class="reason">{escape(nothing)}{decision}: {escape(node.reason)}</p></details>'
    )


def _card(trace: Trace, candidate: Candidate, best: float) -> str:
    """A candidate: how it compares with the best, its table of counts, and the figures it comes to."""
    head, *rows = cells_of(trace, candidate)
    share = 100 * max(candidate.merit, 0.0) / best if best > 0 else 0.0
    if trace.class_names:
        head = [*head, ""]
        rows = [[*row, _shares(branch.counts)] for row, branch in zip(rows, candidate.branches, strict=True)]
    said = "; ".join(f"{name} {figure}" for name, figure in figures(trace, candidate))
    cuts = f"<br>cuts: {escape(cut_words(candidate))}" if len(candidate.cuts) > 1 else ""
    return (
        f'<div class="card{" chosen" if candidate.chosen else ""}">'
        f'<div class="scale"><div class="worth" style="width:{share:.1f}%"></div></div>'
        f"{html_table('', head, rows, range(1, len(head)))}"
        f'<div class="figures pale">{escape(said)}{cuts}</div></div>'
    )


def _shares(counts: Sequence[float]) -> str:
    """The classes of a branch as a bar of their colours."""
    total = sum(counts)
    return html_shares([count / total if total else 0.0 for count in counts])
