"""Columns of a table in few words: what they are taken as, and which values they have."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.columns import Raw, RawCodes, RawNumbers
from treewright.data.frames import read
from treewright.data.schema import Schema
from treewright.data.target import read_classes, read_numbers
from treewright.formatting.text import counted, figure, quoted

MOST_COLUMNS = 200
"""Columns of a table that are described."""

Line = tuple[str, str, str, str]


def table_lines(schema: Schema, X: Any, target: str, y: Any) -> list[Line]:
    """Describe the columns of a table as a model takes them, and its target."""
    table = read(X)
    lines = [
        column_line(column.name, "date" if column.unit else column.kind, table.column(feature))
        for feature, column in enumerate(schema.columns[: min(schema.n_inputs, MOST_COLUMNS)])
    ]
    if schema.n_inputs > MOST_COLUMNS:
        lines.append((f"… {counted(schema.n_inputs - MOST_COLUMNS, 'more column')}", "", "", ""))
    if schema.classes is None:
        return [*lines, column_line(target, "numeric", RawNumbers(read_numbers(y, table.n_rows)))]
    labels, codes = read_classes(y, table.n_rows)
    return [*lines, column_line(target, "categorical", RawCodes(codes, tuple(labels.tolist())))]


def column_line(name: str, kind: str, raw: Raw) -> Line:
    """Describe a column in four words: its name, its kind, its values and how many are missing."""
    gaps = int(raw.gaps.sum())
    return name, kind, values_text(raw), str(gaps) if gaps else ""


def values_text(raw: Raw) -> str:
    """Say what values a column has: its categories, or from where to where it goes."""
    if isinstance(raw, RawCodes):
        counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.categories))
        used = [c for c, count in zip(raw.categories, counts, strict=True) if count or raw.declared]
        words = [quoted(_beginning(str(category))) for category in used[:5]]
        shown = ", ".join(words) + (", …" if len(used) > 5 else "")
        return f"{len(used)}: {shown}" if used else "none"
    known = raw.values[~raw.gaps]
    if not len(known):
        return "none"
    if known.dtype.kind == "b":
        return f"{len(np.unique(known))}: " + ", ".join(map(str, np.unique(known).tolist()))
    low, high = known.min(), known.max()
    if known.dtype.kind in "mM":
        return f"{_date(low)} … {_date(high)}"
    return f"{_figure(low)} … {_figure(high)}"


def _beginning(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _figure(value: Any) -> str:
    return str(value) if isinstance(value, np.integer) else figure(float(value))


def _date(value: Any) -> str:
    return str(value).split("T00:00:00")[0].replace("T", " ").split(".")[0]
