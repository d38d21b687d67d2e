"""A trace as text and as plain dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from itertools import islice
from typing import TYPE_CHECKING, Any

from treewright.formatting.text import counted, number_text, printable
from treewright.formatting.text_table import aligned

if TYPE_CHECKING:
    from treewright.trace import Trace
    from treewright.trace.records import Candidate, NodeTrace


MOST_CUTS = 8
"""How many cuts of a numeric feature are written out; the data has all."""

MOST_RECORDS = 30
"""How many rows of a node are written out."""


def trace_to_dicts(trace: Trace) -> list[dict[str, Any]]:
    """Give the steps as plain values, a dictionary for each node; counts are by class name."""
    names = trace.class_names

    def named(counts: Sequence[float]) -> Any:
        return dict(zip(names, counts, strict=True)) if names else counts[0]

    nodes = []
    for node in trace:
        said = {field.name: getattr(node, field.name) for field in fields(node)}
        del said["trace"]
        said["counts"] = named(node.counts)
        said["candidates"] = [asdict(candidate) for candidate in node.candidates]
        for candidate in said["candidates"]:
            for branch in candidate["branches"]:
                branch["counts"] = named(branch["counts"])
                branch["expected"] = named(branch["expected"]) if branch["expected"] else None
        nodes.append(said)
    return nodes


def trace_to_text(trace: Trace, *, max_nodes: int | None = 200) -> str:
    """Write the steps one below the other, as a lecture writes them on the board.

    Parameters
    ----------
    trace : Trace
    max_nodes : int or None
        How many nodes to show, parents before their children; those left out are counted. None shows all.
    """
    lines = [f"{trace.criterion}: {trace.merit_name} decides; trace of {counted(len(trace), 'node')}"]
    for node in islice(trace, max_nodes):
        lines += ["", *_text(trace, node)]
    return "\n".join([*lines, *left_out(trace, max_nodes)])


def node_to_text(node: NodeTrace) -> str:
    """Write the step at one node, with the rows that come to it."""
    head, *rows = record_cells(node)
    records = [f"  {line}" for line in aligned(head, rows)]
    more = len(node.records) - len(rows)
    records += [f"  … {counted(more, 'row')} more"] if more else []
    lines = _text(node.trace, node)
    return "\n".join(lines[:2] + (["", *records] if rows else []) + lines[2:])


def record_cells(node: NodeTrace) -> list[list[str]]:
    """The rows of a node under a line of names; the weight only where it is not 1."""
    trace = node.trace
    shown = node.records[:MOST_RECORDS]
    weighted = any(record.weight != 1 for record in shown)
    names = map(printable, trace.tree.schema.names)
    target = "class" if trace.class_names else "target"
    cells = [["row", *names, target] + ["weight"] * weighted]
    for record in shown:
        weight = [number_text(round(record.weight, 6))] * weighted
        cells.append([printable(str(record.row)), *record.values, record.target, *weight])
    return cells


def left_out(trace: Trace, max_nodes: int | None) -> list[str]:
    """Say how many nodes are not shown, and how to see them."""
    n_more = 0 if max_nodes is None else len(trace) - max_nodes
    return [f"… {counted(n_more, 'node')} more: max_nodes=None shows all"] if n_more > 0 else []


def _text(trace: Trace, node: NodeTrace) -> list[str]:
    where = " and ".join(node.path) or "all rows"
    rows = counted_weight(node.weight)
    holds = holding(trace, node.counts, node.value)
    impurity = f"{trace.impurity_name} {node.impurity:.3f}"
    lines = [f"node {node.node}: {where}", f"  {rows}{holds}, {impurity}"]
    for candidate in node.candidates:
        lines += ["", *("  " + line for line in _candidate_lines(trace, candidate))]
    if node.candidates:
        lines.append("")
    if node.candidates and node.without:
        lines.append(f"  no possible split: {', '.join(node.without)}")
    lines.append(f"  → {node.decision}: {node.reason}")
    return lines


def _candidate_lines(trace: Trace, candidate: Candidate) -> list[str]:
    head, *rows = cells_of(trace, candidate)
    lines = aligned(head, rows, right=range(1, len(head)))
    lines.append("; ".join(f"{name} {figure}" for name, figure in figures(trace, candidate)))
    return lines + ([f"cuts: {cut_words(candidate)}"] if len(candidate.cuts) > 1 else [])


def cut_words(candidate: Candidate) -> str:
    """The cuts of a numeric feature and what each gains; of many the best, in their order."""
    best = sorted(candidate.cuts, key=lambda cut: -cut[1])[:MOST_CUTS]
    said = ", ".join(f"{value} ({gain:.3f})" for value, gain in candidate.cuts if (value, gain) in best)
    left_out = len(candidate.cuts) - len(best)
    return f"{said}; {left_out} more gain less" if left_out > 0 else said


def cells_of(trace: Trace, candidate: Candidate) -> list[list[str]]:
    """The table of a candidate: a line for each branch under a line of names."""
    middle = list(trace.class_names) if trace.class_names else [trace.value_name]
    if trace.shows_expected:
        middle = [f"{name} (expected)" for name in middle]
    cells = [[candidate.feature, *middle, "rows", "share", trace.impurity_name]]
    for branch in candidate.branches:
        if trace.class_names:
            held = [number_text(round(count, 6)) for count in branch.counts]
        else:
            held = ["–" if branch.value is None else f"{branch.value:.4g}"]
        if trace.shows_expected:
            held = [f"{count} ({chance:.2f})" for count, chance in zip(held, branch.expected, strict=False)]
        rows = [number_text(round(branch.weight, 6)), f"{branch.share:.3f}", f"{branch.impurity:.3f}"]
        cells.append([branch.condition, *held, *rows])
    return cells


def figures(trace: Trace, candidate: Candidate) -> list[tuple[str, str]]:
    """The numbers that a candidate comes to, with their names."""
    given = [(f"mean {trace.impurity_name}", candidate.impurity)]
    given.append(("gain", candidate.gain))
    if trace.impurity_name == "entropy":
        given += [("split information", candidate.split_information), ("gain ratio", candidate.gain_ratio)]
    if trace.merit_name == trace.criterion:  # no decrease of impurity
        given.append((trace.criterion, candidate.merit))
    said = [
        (name, f"{number:.3f}" if abs(number) >= 5e-4 or number == 0 else f"{number:.3g}")
        for name, number in given
    ]
    if candidate.missing > 0:
        said.append(("unanswered", counted_weight(candidate.missing)))
    return said


def counted_weight(weight: float) -> str:
    """Say how many rows weigh as much."""
    return f"{number_text(round(weight, 6))} {'row' if weight == 1 else 'rows'}"


def holding(trace: Trace, counts: Sequence[float], value: float | None) -> str:
    """Say what a node holds: rows by class, or their mean or median."""
    if trace.class_names:
        pairs = zip(trace.class_names, counts, strict=True)
        return f" ({', '.join(f'{name} {number_text(round(count, 6))}' for name, count in pairs)})"
    return "" if value is None else f", {trace.value_name} {value:.4g}"
