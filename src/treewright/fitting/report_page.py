"""The report of a fit as a web page that stands alone, without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.draw.tree_plot import plot_tree
from treewright.evaluation import ClassEvaluation, CrossValidation
from treewright.export import export_html
from treewright.fitting.column_summary import column_line
from treewright.fitting.report import error_text, folds_text, importances, ruleset_of, title_of
from treewright.formatting.html_table import html_bars, html_table
from treewright.formatting.text import counted
from treewright.persistence.atomic_file import whole_file

if TYPE_CHECKING:
    from treewright.fitting.fit import FitResult

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
.drawing svg { max-width: none !important; border-radius: 8px; }
details { margin-top: 1rem; } summary { cursor: pointer; }
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The page loads nothing and runs nothing, whatever names and values it shows."""


def write_report(path: str | Path, result: FitResult) -> None:
    """Write the report as a web page, whole or not at all."""
    with whole_file(path) as beside:
        beside.write_text(report_page(result), encoding="utf-8")


def report_page(result: FitResult) -> str:
    """Compose the page."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(_title(result))}</title><style>{STYLE}</style></head>"
        f"<body>{report_body(result)}</body></html>\n"
    )


def _title(result: FitResult) -> str:
    return f"{result.data.target} from {result.data.table.name.strip(chr(39))}"


def report_body(result: FitResult) -> str:
    """Compose what the page shows: for notebooks too."""
    model, data, found = result.model, result.data, result.evaluation
    parts = [
        f"<h1>{escape(_title(result))}</h1>",
        f"<p>{escape(title_of(model))}, from {counted(len(data), 'row')} and "
        f"{counted(len(data.features), 'feature')}.</p>",
        *(f"<p>{escape(note)}</p>" for note in data.notes),
    ]
    if found is not None:
        parts += ["<h2>Performance</h2>", *_worth(found)]
    ruleset = ruleset_of(model)
    if ruleset is not None:
        parts += ["<h2>The rules</h2>", f'<pre class="scroll">{escape(str(ruleset))}</pre>']
    elif hasattr(model, "tree_"):
        drawing = plot_tree(model, data.X, data.y, missing=data.has_missing)
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
