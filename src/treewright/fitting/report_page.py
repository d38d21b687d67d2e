"""The report of a fit: the one page of its model, and what notebooks show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from treewright.data.column_summary import column_line
from treewright.data.columns import RawCodes
from treewright.data.encoding import odd_categories
from treewright.draw.tree_plot import plot_tree
from treewright.evaluation import ClassEvaluation, CrossValidation
from treewright.explorer.page import Page
from treewright.explorer.report import Report
from treewright.explorer.report_page import alone, compose
from treewright.export import export_html
from treewright.figures import evaluate_model
from treewright.fitting.findings import advice_lines, identifier_lines, nodes_that_miss
from treewright.fitting.report import importances, ruleset_of, title_of
from treewright.formatting.html_table import html_bars, html_table
from treewright.formatting.performance import error_text, folds_text
from treewright.formatting.text import counted, left_to_right

if TYPE_CHECKING:
    from treewright.fitting.fit import FitResult


FOLDS = 10
MOST_REGROWN = 20_000
"""Rows of a table up to which the page's path of prunings is cross-validated, too."""


def report_page(result: FitResult) -> Page:
    """Compose the one page: the report above, the explorer below; of rules and the like the report alone."""
    model, data, found = result.model, result.data, result.evaluation
    ruleset = ruleset_of(model)
    lines = [column_line(name, data.kinds[name], data.table[name]) for name in [*data.features, data.target]]
    columns = ((name, data.table[name]) for name in data.features)
    odd = [words for name, raw in columns if isinstance(raw, RawCodes) for words in odd_categories(name, raw)]
    figures = None if found is None else found.figures
    report = Report(
        model,
        _title(result),
        figures or evaluate_model(model, data.X, data.y, data.weight, on="the rows that it was fitted to"),
        data.X,
        data.y,
        columns=lines,
        notes=[*data.notes, *odd, *_findings(result)],
        rules="" if ruleset is None else str(ruleset),
    )
    return (
        alone(report)
        if report.rules
        else compose(report, data.X, data.y, cv=FOLDS if len(data) <= MOST_REGROWN else None)
    )


def _findings(result: FitResult) -> list[str]:
    """Say what was found out about the model: why it is a single leaf, what identifies rows, what to try."""
    model = result.model
    note = getattr(getattr(model, "tree_", None), "note", "")
    return [
        *([f"The tree is {note}."] if note.startswith("a single leaf") else []),
        *identifier_lines(model, result.data),
        *advice_lines(model, result.evaluation),
    ]


def _title(result: FitResult) -> str:
    """Say what is predicted, and from which file."""
    source = result.data.table.name
    file = re.split(r"[/\\]", source.strip("'"))[-1] if source.startswith("'") else ""
    from_file = f" from {file}" if file else ""
    return left_to_right(f"Predicting {result.data.target}{from_file}")


def report_body(result: FitResult) -> str:
    """Compose what the page shows: for notebooks too."""
    model, data, found = result.model, result.data, result.evaluation
    parts = [
        f"<h1>{escape(_title(result))}</h1>",
        f"<p>{escape(title_of(model))}, from {counted(len(data), 'row')} and "
        f"{counted(len(data.features), 'feature')}.</p>",
        *(f"<p>{escape(note)}</p>" for note in (*data.notes, *_findings(result))),
    ]
    if found is not None:
        parts += ["<h2>Performance</h2>", *_worth(found)]
    ruleset = ruleset_of(model)
    if ruleset is not None:
        parts += ["<h2>The rules</h2>", f'<pre class="scroll">{escape(str(ruleset))}</pre>']
    elif hasattr(model, "tree_"):
        drawing = plot_tree(model, data.X, data.y, missing=nodes_that_miss(model, data))
        parts += ["<h2>The tree</h2>", f'<div class="scroll drawing">{drawing.svg}</div>']
        parts.append(f"<details><summary>in words</summary>{export_html(model.tree_)}</details>")
    shares = {name: share for name, share in importances(model) if share > 0}
    if shares:
        parts += ["<h2>Feature importance</h2>", html_bars("", list(shares), list(shares.values()))]
    lines = [column_line(name, data.kinds[name], data.table[name]) for name in [*data.features, data.target]]
    parts += ["<h2>The table</h2>", _table(["column", "kind", "values", "missing"], lines, left=3)]
    return "".join(parts)


def _worth(found: CrossValidation) -> list[str]:
    evaluation = found.evaluation
    if not isinstance(evaluation, ClassEvaluation):
        words = f"Mean squared error {error_text(evaluation)}, R² {evaluation.r2:.3f}"
        return [f"<p>{escape(words)} ({escape(folds_text(found))}).</p>"]
    words = f"Error {error_text(evaluation)}; always answering the most frequent class would be "
    rows = [
        [str(label), *(f"{weight:g}" for weight in row), f"{100 * recall:.0f} %"]
        for label, row, recall in zip(
            evaluation.classes, evaluation.confusion.tolist(), evaluation.recall, strict=True
        )
    ]
    head = ["true class ↓ predicted →", *map(str, evaluation.predicted), "recall"]
    return [
        f"<p>{escape(words)}{100 * evaluation.baseline:.1f} % ({escape(folds_text(found))}).</p>",
        _table(head, rows, left=1),
    ]


def _table(head: list[str], rows: Sequence[Sequence[str]], left: int) -> str:
    """Write a table of words in the first columns and figures in the others."""
    return f'<div class="scroll">{html_table("", head, rows, range(left, len(head)))}</div>'
