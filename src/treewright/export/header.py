"""What every export says of itself first: the model, the date, the columns with their types."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from treewright.data.columns import value_text
from treewright.export.comparisons import Input
from treewright.export.program import Program, TreeBody
from treewright.formatting.text import counted, printable, quoted

MOST_LISTED = 8
"""Categories and classes that a header lists; of more it tells the number."""


def today() -> str:
    """Give the date of writing; `SOURCE_DATE_EPOCH` sets it, for builds that must give the same bytes."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(given), UTC) if given else datetime.now(UTC)
    return moment.date().isoformat()


def size_of(program: Program) -> str:
    """Say how large a model is."""
    first = program.bodies[0]
    if program.forest:
        return f"{counted(len(program.bodies), 'tree')}, {counted(program.n_ends, 'leaf', 'leaves')}"
    if not isinstance(first, TreeBody):
        return counted(len(first.rules), "rule")
    leaves = sum(not node.tests for node in first.nodes)
    return f"{counted(len(first.nodes), 'node')}, {counted(leaves, 'leaf', 'leaves')}, depth {first.depth}"


def listed(texts: list[str]) -> str:
    """List texts, the first of them if there are many."""
    shown = ", ".join(texts[:MOST_LISTED])
    return shown if len(texts) <= MOST_LISTED else f"{shown}, … ({len(texts)} in all)"


def type_of(one: Input) -> str:
    """Say what values a column has."""
    column = one.column
    if column.kind != "numeric":
        words = [value_text(column, code) for code in range(min(len(column.categories), MOST_LISTED + 1))]
        many = len(column.categories) > MOST_LISTED
        shown = ", ".join(words[:MOST_LISTED]) + (f", … ({len(column.categories)} in all)" if many else "")
        return f"{'ordered' if column.kind == 'ordinal' else 'category'}: {shown}"
    if column.unit is None:
        return "whole number" if column.offset else "number"
    return "date or time" if column.unit.startswith("datetime64") else "duration"


def header(program: Program, *usage: str) -> list[str]:
    """Give the lines that an export begins with.

    Parameters
    ----------
    program : Program
    *usage : str
        How to run it, a line each.
    """
    from treewright import __version__

    lines = [f"{program.kind} of treewright {__version__}: {size_of(program)}", f"written {today()}"]
    if program.classes is not None:
        lines.append(f"classes: {listed([quoted(str(label)) for label in program.classes])}")
    lines.append("columns:" if program.inputs else "columns: none is asked for")
    lines += [f"  {quoted(one.name)}: {type_of(one)}" for one in program.inputs if one.predicate is None]
    lines += [
        f"  {quoted(one.name)}: worked out as {printable(str(one.predicate.rule))}"
        for one in program.inputs
        if one.predicate is not None
    ]
    refused = [
        what
        for refuses, what in (
            (program.refuses_missing, "a missing value"),
            (program.refuses_unseen, "a category never seen"),
            (program.refuses_infinite and any(not one.has_codes for one in program.inputs), "an infinity"),
        )
        if refuses
    ]
    if refused:
        lines.append(f"rows are refused that have {' or '.join(refused)}")
    return [*lines, *usage]
