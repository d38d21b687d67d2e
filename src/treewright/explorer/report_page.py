"""The one page of a model: its report above, the explorer below."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from treewright.data.column_summary import table_lines
from treewright.evaluation import cross_validate
from treewright.explorer.forest_page_data import ForestExploration, is_forest
from treewright.explorer.page import (
    Page,
    content_hash,
    figures_script,
    page_content,
    refuse_several_targets,
    style_text,
    write_page,
)
from treewright.explorer.report import Report
from treewright.figures import Evaluation, class_figures, evaluate_model, number_figures
from treewright.formatting.text import left_to_right, printable


def report_page(
    model: Any, X: Any, y: Any, *, found: Evaluation | None = None, title: str | None = None, **shown: Any
) -> Page:
    """Make the page of a fitted tree or forest; `shown` is as for `to_html`.

    `found` is what its predictions are worth, where that is known.
    """
    refuse_several_targets(model)
    validation, cv = shown.get("validation"), shown.get("cv")
    found = found or judged(model, X, y, validation, cv)
    table, target = validation or ((None, None) if X is None else (X, y))
    usual = f"{getattr(model, 'target_name_', 'target')} by {type(model).__name__}"
    heading = title or left_to_right(usual)
    columns = [] if X is None or y is None else _columns(model, X, y)
    report = Report(model, printable(heading), found, table, target, columns=columns)
    return compose(report, X, y, **shown)


def _columns(model: Any, X: Any, y: Any) -> list[tuple[str, str, str, str]]:
    tree = model.estimators_[0].tree_ if is_forest(model) else model.tree_
    return table_lines(tree.schema, X, str(getattr(model, "target_name_", None) or "target"), y)


def compose(report: Report, X: Any, y: Any, **shown: Any) -> Page:
    """Put a report above the explorer of its model; `shown` is as for `page_content`."""
    content = page_content(report.model, X, y, title=report.title, **shown)
    return Page(write_page(content, "main", report.html(), report.figures), report.title)


def alone(report: Report) -> Page:
    """Give a report without an explorer: of a model that has no tree."""
    title, style = escape(report.title), style_text()
    policy_text = f"default-src 'none'; style-src {content_hash(style)}"
    html = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy_text)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{style}</style></head>"
        f'<body class="with-report">{report.html()}{figures_script(report.figures)}</body></html>\n'
    )
    return Page(html, report.title)


def judged(
    model: Any, X: Any, y: Any, validation: tuple[Any, Any] | None, cv: int | None
) -> Evaluation | None:
    """Judge a model by rows that it has not seen, as far as there are such."""
    if validation is not None:
        return evaluate_model(model, *validation, on="validation rows")
    if X is None:
        return None
    if is_forest(model):
        found = _out_of_bag(model, X, y)
        if found is not None:
            return found
    elif cv is not None and len(y) >= 2:
        return cross_validate(model, X, y, min(cv, len(y))).figures
    return evaluate_model(model, X, y, on="the rows that it was fitted to, which flatters it")


def _out_of_bag(model: Any, X: Any, y: Any) -> Evaluation | None:
    """Judge a forest by the votes of the trees that have not drawn a row."""
    explored = ForestExploration.of(model, X, y, None)
    rows = explored.training
    if rows is None or rows.target is None or not explored.is_drawn:
        return None
    sums, counts = model._fitted_trees().vote(rows.numbers, rows.codes, hard=model._hard, draws=model.draws_)
    heard = np.flatnonzero(counts > 0)
    if not len(heard):
        return None
    said, on = (
        sums[heard] / counts[heard, None],
        "rows out of bag, each judged by trees that have not drawn it",
    )
    truth = rows.target[heard]
    if rows.schema.classes is None:
        return number_figures(truth, said.ravel(), on=on)
    classes = np.asarray(rows.schema.classes, object)
    best = model._fitted_trees()[0].decide(said)
    return class_figures(classes[truth], classes[best], said, classes.tolist(), on=on)
