"""A trace as a static HTML page: a section for each node, a card for each candidate split."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from treewright.formatting.colours import class_colour
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
    from treewright.trace.records import CandidateAccount, NodeAccount

STYLE = """
.tw-trace{font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;max-width:75em}
.tw-trace details{border-left:2px solid color-mix(in srgb,currentColor 15%,transparent);padding-left:.8em}
.tw-trace details+details{margin-top:.3em}
.tw-trace summary{cursor:pointer;padding:.2em 0}
.tw-trace .pale{opacity:.65}
.tw-trace .cards{display:flex;flex-wrap:wrap;gap:.8em;margin:.5em 0}
.tw-trace .card{border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:8px;
padding:.5em .8em;flex:0 1 auto}
.tw-trace .chosen{border:2px solid #0072b2;box-shadow:0 1px 6px #0072b240}
.tw-trace .worth{height:5px;border-radius:3px;background:#0072b2;min-width:1px}
.tw-trace .scale{border-radius:3px;margin:.2em 0 .4em;
background:color-mix(in srgb,currentColor 12%,transparent)}
.tw-trace table{border-collapse:collapse;margin:0;font:inherit}
.tw-trace th,.tw-trace td{text-align:right;padding:.05em .5em;white-space:nowrap;border:0;background:none}
.tw-trace th{font-weight:600}
.tw-trace th:first-child,.tw-trace td:first-child{text-align:left;padding-left:0}
.tw-trace .shares{display:inline-flex;width:5em;height:.7em;border-radius:3px;overflow:hidden;
vertical-align:baseline;background:color-mix(in srgb,currentColor 12%,transparent)}
.tw-trace .shares i{display:block;height:100%}
.tw-trace .records td,.tw-trace .records th{text-align:left}
.tw-trace .figures{font-size:90%;margin-top:.3em;width:0;min-width:100%}
.tw-trace .reason{margin:.2em 0 .6em}
"""


def trace_to_html(trace: Trace, *, max_nodes: int | None = 200) -> str:
    """Write the accounts as parts that open and close; every name is escaped, and there are no scripts.

    Parameters
    ----------
    trace : Trace
    max_nodes : int or None
        How many nodes to show, in the order of their account; those left out are counted. None shows all.
    """
    parts = [_node(trace, account) for account in islice(trace, max_nodes)]
    parts += [f"<p>{escape(words)}</p>" for words in left_out(trace, max_nodes)]
    return _styled("".join(parts))


def account_to_html(account: NodeAccount) -> str:
    """Write the account of one node, with the rows that come to it."""
    head, *rows = record_cells(account)
    more = len(account.records) - len(rows)
    lines = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    said = f"<p>… {counted(more, 'row')} more</p>" if more else ""
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    records = f'<table class="records"><tr>{heads}</tr>{lines}</table>{said}' if rows else ""
    return _styled(_node(account.trace, account, records))


def _styled(parts: str) -> str:
    return f'<div class="tw-trace"><style>{STYLE}</style>{parts}</div>'


def _node(trace: Trace, account: NodeAccount, records: str = "") -> str:
    where = " and ".join(account.path) or "all rows"
    rows = f"{counted_weight(account.weight)}{holding(trace, account.counts, account.value)}"
    impurity = f"{trace.impurity_name} {account.impurity:.3f}"
    best = max((abs(candidate.merit) for candidate in account.candidates), default=0.0)
    cards = "".join(_card(trace, candidate, best) for candidate in account.candidates)
    nothing = f"Nothing to offer: {', '.join(account.without)}. " if cards and account.without else ""
    indent = 0 if records else 1.5 * min(account.depth, 20)
    decision = f"<b>{escape(account.decision)}</b>"
    shares = _shares(account.counts) if trace.class_names else ""
    return (
        f'<details{" open" if account.depth < 2 or records else ""} style="margin-left:{indent:g}em">'
        f'<summary><span class="pale">node {account.node}:</span> <b>{escape(where)}</b> {shares} '
        f'<span class="pale">{escape(rows)}, {escape(impurity)}</span> → {decision}</summary>'
        + records
        + (f'<div class="cards">{cards}</div>' if cards else "")
        + f'<p class="reason">{escape(nothing)}{decision}: {escape(account.reason)}</p></details>'
    )


def _card(trace: Trace, candidate: CandidateAccount, best: float) -> str:
    """A candidate: how it compares with the best, its table of counts, and the figures it comes to."""
    header, *rows = cells_of(trace, candidate)
    share = 100 * max(candidate.merit, 0.0) / best if best > 0 else 0.0
    counted = [_shares(branch.counts) if trace.class_names else "" for branch in candidate.branches]
    lines = "".join(
        f"<tr>{_cells(row)}{f'<td>{shares}</td>' if shares else ''}</tr>"
        for row, shares in zip(rows, counted, strict=True)
    )
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header) + ("<th></th>" if trace.class_names else "")
    said = "; ".join(f"{name} {figure}" for name, figure in figures(trace, candidate))
    cuts = f"<br>cuts: {escape(cut_words(candidate))}" if len(candidate.cuts) > 1 else ""
    return (
        f'<div class="card{" chosen" if candidate.chosen else ""}">'
        f'<div class="scale"><div class="worth" style="width:{share:.1f}%"></div></div>'
        f"<table><tr>{head}</tr>{lines}</table>"
        f'<div class="figures pale">{escape(said)}{cuts}</div></div>'
    )


def _cells(row: Sequence[str]) -> str:
    return "".join(f"<td>{escape(cell)}</td>" for cell in row)


def _shares(counts: Sequence[float]) -> str:
    """The classes of a branch as a bar of their colours."""
    total = sum(counts)
    parts = "".join(
        f'<i style="width:{100 * count / total:.1f}%;background:{class_colour(code)}"></i>'
        for code, count in enumerate(counts)
        if count > 0
    )
    return f'<span class="shares">{parts}</span>'
