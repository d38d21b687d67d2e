"""The report above the explorer: what was learned, from what, how well it predicts, and what it goes by.

It is HTML without scripts, so that it prints as it stands; the page also holds all its figures as JSON.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from html import escape
from inspect import signature
from typing import Any, Literal

import numpy as np

from treewright.data import Dataset
from treewright.data.columns import plain
from treewright.data.frames import read
from treewright.data.target import target_rows
from treewright.draw.evaluation_plots import asked, shap_of, strongest
from treewright.draw.node_plots import axis_text
from treewright.draw.tree_plot import plot_tree
from treewright.draw.visible_tree import read_table
from treewright.explain.partial_dependence import PartialDependence, partial_dependence
from treewright.explain.shapley import mean_movement
from treewright.explorer.forest_page_data import is_forest
from treewright.explorer.report_charts import Chart, bars, curves, matrix, short
from treewright.explorer.report_parts import (
    calibration_chart,
    few_of,
    figure,
    interval_text,
    swarm_chart,
    table,
)
from treewright.explorer.report_words import GLOSSARY, MEANINGS
from treewright.figures import Evaluation
from treewright.formatting.text import counted, printable
from treewright.tree import Tree

MOST_JUDGED = 5000
"""Rows that features are shuffled among."""
MOST_MOVED = 250
"""Rows whose Shapley values are shown."""
MOST_RESIDUALS = 600
MOST_FEATURES = 12
MOST_CURVES = 3
MOST_LEAVES = 60

Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Report:
    """A model with all that its report tells.

    Attributes
    ----------
    model : fitted estimator
    title : str
    evaluation : Evaluation or None
        What its predictions are worth.
    X, y : table and target, or None
        Rows to ask it about.
    columns : sequence of (name, kind, values, missing)
        What the table has.
    notes : sequence of str
        What reading the table has found.
    rules : str
        Rules of a model that has no tree.
    """

    model: Any
    title: str
    evaluation: Evaluation | None = None
    X: Any = None
    y: Any = None
    columns: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    rules: str = ""

    @cached_property
    def trees(self) -> list[Tree]:
        """The trees; none of a model of rules."""
        return [] if self.rules else asked(self.model)[0]

    @cached_property
    def rows(self) -> Dataset | None:
        """The rows as the tree has them, few of many."""
        if self.X is None or not self.trees:
            return None
        return read_table(self.trees[0], read(self.X).take(few_of(read(self.X).n_rows, MOST_JUDGED)))

    # ---- parts -----------------------------------------------------------------------------------------

    def html(self) -> str:
        """Compose the report."""
        parts = [
            self._head(),
            self._figures(),
            self._tree(),
            self._classes() if self._is_classifier else self._residuals(),
            self._importance(),
            self._dependence(),
            self._movement(),
            self._data(),
            self._parameters(),
            _glossary(self._is_classifier),
        ]
        return f'<section id="report" aria-label="report">{"".join(parts)}</section>\n'

    @property
    def _is_classifier(self) -> bool:
        return getattr(self.model, "classes_", None) is not None or bool(self.rules)

    @cached_property
    def figures(self) -> Json:
        """Everything that the report shows, as what JSON can hold."""
        found: Json = {} if self.evaluation is None else self.evaluation.to_dict()
        return found | {
            "title": self.title,
            "written": date.today().isoformat(),
            "model": {"class": type(self.model).__name__, "parameters": self._chosen(), **self._size()},
            "feature_importances": {name: share for name, share, *_ in self.importances},
            "permutation_importances": {
                name: {"mean": moved, "std": spread}
                for name, _, moved, spread in self.importances
                if moved is not None
            },
            "columns": [
                dict(zip(("name", "kind", "values", "missing"), column, strict=True))
                for column in self.columns
            ],
            "notes": list(self.notes),
        }

    def _size(self) -> Json:
        if not self.trees:
            return {}
        if len(self.trees) > 1:
            return {"n_trees": len(self.trees)}
        tree = self.trees[0]
        return {"n_leaves": int(tree.n_leaves), "n_nodes": len(tree), "depth": int(tree.depth)}

    def _chosen(self) -> Json:
        """Give the parameters that are not as usual."""
        usual = signature(type(self.model)).parameters
        return {
            name: plain(value) if isinstance(value, str | int | float | bool | None) else repr(value)
            for name, value in self.model.get_params(deep=False).items()
            if name not in usual or value is not usual[name].default
        }

    def _head(self) -> str:
        size = self._size()
        words = [type(self.model).__name__]
        if "n_leaves" in size:
            words += [counted(size["n_leaves"], "leaf", "leaves"), f"depth {size['depth']}"]
        elif "n_trees" in size:
            words.append(counted(size["n_trees"], "tree"))
        if self.trees:
            draws = getattr(self.model, "draws_", None)
            n_rows = int(self.trees[0].count[0]) if draws is None else draws.n_rows
            words.append(f"learned from {counted(n_rows, 'row')}")
            words.append(counted(len(self.trees[0].schema.columns), "feature"))
        words.append(f"report of {date.today().isoformat()}")
        return f'<h1 dir="auto">{escape(self.title)}</h1><p class="pale">{escape(" · ".join(words))}</p>'

    def _figures(self) -> str:
        found = self.evaluation
        if found is None:
            return "<p>No rows were given to judge it by.</p>"
        first = (
            ("accuracy", "roc_auc", "f1", "log_loss")
            if "accuracy" in found.figures
            else ("r2", "mean_absolute_error", "root_mean_squared_error")
        )
        cards = "".join(
            f"<div><small>{escape(MEANINGS[name][0])}</small><b>{short(found.figures[name])}</b>"
            f"<small>{interval_text(found, name)}</small></div>"
            for name in first
            if name in found.figures
        )
        rows = [[MEANINGS[name][0], value, between] for name, value, between in found.lines()]
        lead = f"On {counted(found.figures['n_rows'], 'row')}: {found.on}. Intervals are of 95 % confidence."
        return (
            f'<h2>How well it predicts</h2><p>{escape(lead)}</p><div class="headline">{cards}</div>'
            "<details><summary>All figures</summary>"
            f"{table(['figure', 'value', '95 % interval'], rows, 1)}</details>"
        )

    def _tree(self) -> str:
        if self.rules:
            return f'<h2>The rules</h2><pre class="scroll">{escape(self.rules)}</pre>'
        if len(self.trees) > 1:
            return ""
        tree = self.trees[0]
        way: Literal["top_down", "left_right"] = "top_down" if tree.n_leaves <= 8 else "left_right"
        drawing = plot_tree(tree, max_leaves=MOST_LEAVES, orientation=way)
        hidden = (
            ""
            if tree.n_leaves <= MOST_LEAVES
            else f" The {MOST_LEAVES} leaves where most is at stake are drawn."
        )
        size = counted(int(tree.n_leaves), "leaf", "leaves")
        words = f"{size}.{hidden} The explorer below has all about each node."
        return f'<h2>The tree</h2><p class="pale">{words}</p><div class="tree-picture">{drawing.svg}</div>'

    def _classes(self) -> str:
        found = self.evaluation
        if found is None:
            return ""
        names = [printable(str(label)) for label in found.figures["classes"]]
        rows = [
            [
                printable(str(one["class"])),
                *(short(one[name]) for name in ("recall", "precision", "f1")),
                "–" if one.get("roc_auc") is None else short(one["roc_auc"]),
                f"{one['support']:g}",
            ]
            for one in found.per_class
        ]
        parts = [table(["class", "recall", "precision", "F1", "ROC AUC", "rows"], rows, 1)]
        pictures = []
        if len(names) <= 20:
            pictures.append(
                figure(
                    matrix(names, found.figures["confusion_matrix"]),
                    "Confusion matrix, shaded by the share of the line",
                )
            )
        for name, across, up, words, area in (
            ("roc", "false positive rate", "recall", "ROC curve", "area"),
            ("precision_recall", "recall", "precision", "Precision–recall curve", "average precision"),
        ):
            lines = found.curves.get(name, {})
            if lines and len(names) <= 20:
                points = {label: list(zip(curve.x, curve.y, strict=True)) for label, curve in lines.items()}
                shown = list(lines.items())[1:] if len(lines) == 2 else list(lines.items())
                areas = ", ".join(f"{printable(label)} {curve.area:.3f}" for label, curve in shown[:6])
                drawn = curves(points, across, up, words, diagonal=name == "roc")
                pictures.append(figure(drawn, f"{words}: {area} {areas}", [label for label, _ in shown]))
        if found.calibration:
            pictures.append(
                figure(
                    calibration_chart(found),
                    "Calibration: on the dotted line, probabilities come true as often as they say",
                )
            )
        return f'<h2>By class</h2>{"".join(parts)}<div class="charts">{"".join(pictures)}</div>'

    def _residuals(self) -> str:
        found = self.evaluation
        if found is None or found.residuals is None:
            return ""
        said, true = found.residuals[few_of(len(found.residuals), MOST_RESIDUALS)].T
        low, high = float(min(said.min(), true.min())), float(max(said.max(), true.max()))
        pairs = Chart((low, high), (low, high), "predicted", "true", "True against predicted numbers")
        pairs.line([(low, low), (high, high)], "chance")
        off = true - said
        away = Chart(
            (low, high), (float(off.min()), float(off.max())), "predicted", "true − predicted", "Residuals"
        )
        away.line([(low, 0), (high, 0)], "chance")
        pairs.dots(zip(said.tolist(), true.tolist(), strict=True))
        away.dots(zip(said.tolist(), off.tolist(), strict=True))
        n_rows = len(found.residuals)
        drawn = "" if n_rows <= MOST_RESIDUALS else f", {MOST_RESIDUALS} of {n_rows} rows drawn"
        return (
            '<h2>Residuals</h2><div class="charts">'
            f"{figure(pairs.svg(), f'True against predicted{drawn}')}"
            f"{figure(away.svg(), 'Residuals')}</div>"
        )

    @cached_property
    def importances(self) -> list[tuple[str, float, float | None, float | None]]:
        """Name, share in the decrease of impurity, loss when shuffled and its spread, the largest first."""
        if not self.trees:
            return []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.X is None or self.y is None:
                found = self.model.importances()
            else:
                table = read(self.X)
                rows = few_of(table.n_rows, MOST_JUDGED)
                whole = is_forest(self.model) or len(rows) == table.n_rows
                given = (self.X, self.y) if whole else (table.take(rows), target_rows(self.y, rows))
                found = self.model.importances(*given)
        moved, spread = found.permutation, found.spreads.get("permutation")
        rows_of = [
            (
                printable(name),
                float(found.impurity[at]),
                None if moved is None else float(moved[at]),
                None if spread is None else float(spread[at]),
            )
            for at, name in enumerate(found.names)
        ]
        return sorted(rows_of, key=lambda row: -row[1])

    def _importance(self) -> str:
        rows = [row for row in self.importances if row[1] > 0][:MOST_FEATURES]
        if not rows:
            return ""
        left = bars(
            [(name, share, None) for name, share, *_ in rows],
            "Share of each feature in the decrease of impurity",
        )
        pictures = [figure(left, "Share in the decrease of impurity on the training rows")]
        if rows[0][2] is not None:
            shuffled = sorted(rows, key=lambda row: -(row[2] or 0.0))
            right = bars(
                [(name, moved or 0.0, spread) for name, _, moved, spread in shuffled],
                "What is lost when a feature is shuffled",
            )
            what = "accuracy" if self._is_classifier else "R²"
            between = "trees" if len(self.trees) > 1 else "shuffles"
            pictures.append(
                figure(
                    right, f"What {what} loses when the feature is shuffled, ± the spread between {between}"
                )
            )
        return f'<h2>Feature importance</h2><div class="charts wide-charts">{"".join(pictures)}</div>'

    def _dependence(self) -> str:
        rows = self.rows
        if rows is None or not len(rows):
            return ""
        trees, says = asked(self.model)
        pictures = [
            self._depends(partial_dependence(rows, feature, says))
            for feature in strongest(self.model, trees, MOST_CURVES)
        ]
        what = "the prediction" if not self._is_classifier else f"the probability of {self._last_class}"
        words = f"How {what} changes with a feature: the mean over rows, and thin single rows (ICE)."
        lead = f'<h2>Partial dependence</h2><p class="pale" dir="auto">{escape(words)}</p>'
        return f'{lead}<div class="charts">{"".join(pictures)}</div>'

    @property
    def _last_class(self) -> str:
        return printable(str(plain(self.trees[0].schema.classes[-1])))  # type: ignore[index]

    def _depends(self, found: PartialDependence) -> str:
        column = self.trees[0].schema.columns[found.feature]
        mean, each = found.mean[:, -1], found.each[:, :, -1]
        low, high = float(min(mean.min(), each.min())), float(max(mean.max(), each.max()))
        if self._is_classifier:
            low, high = 0.0, 1.0
        named = bool(column.categories)
        shift = 0 if column.unit else column.offset  # times are written from what is stored
        x = np.arange(len(found.grid), dtype=float) if named else found.grid + shift
        ends = (float(x.min()) - 0.4 * named, float(x.max()) + 0.4 * named)
        name = printable(column.name)
        up = "probability" if self._is_classifier else "prediction"
        chart = Chart(ends, (low, high), name, up, f"Partial dependence on {name}")
        if column.unit:
            is_date = column.unit.startswith("datetime64")
            chart.write = lambda number: axis_text(column, number)[: 10 if is_date else None]
        if named:
            chart.names = [printable(column.text(int(value))) for value in found.grid]
        for line in each[:25].tolist():
            chart.line(zip(x.tolist(), line, strict=True), "ice")
        chart.line(zip(x.tolist(), mean.tolist(), strict=True))
        if named:
            for place, value in zip(x.tolist(), mean.tolist(), strict=True):
                chart.dot(place, value, 4)
        return figure(chart.svg(), name)

    def _movement(self) -> str:
        rows = self.rows
        if rows is None or not len(rows):
            return ""
        few = rows.take(few_of(len(rows), MOST_MOVED))
        trees = self.trees[:: max(1, len(self.trees) // 20)]
        values = shap_of(trees, self.model, few)
        moved = mean_movement(values)
        order = [
            int(place) for place in np.argsort(-moved, kind="stable")[:MOST_FEATURES] if moved[place] > 0
        ]
        if not order:
            return ""
        names = trees[0].schema.names
        drawn = bars(
            [(printable(names[place]), float(moved[place]), None) for place in order],
            "Mean size of Shapley values",
        )
        swarm = swarm_chart(values[:, :, -1], few, order, [printable(names[place]) for place in order])
        what = "the prediction" if not self._is_classifier else f"the probability of {self._last_class}"
        words = (
            f"How far each feature moves {what} from its mean, row by row; a dot is a row, yellow if its "
            "value is high, blue if it is low."
        )
        pictures = figure(swarm, f"{len(few)} rows") + figure(drawn, "Mean size over rows and classes")
        lead = f'<h2>SHAP values</h2><p class="pale" dir="auto">{escape(words)}</p>'
        return f'{lead}<div class="charts wide-charts">{pictures}</div>'

    def _data(self) -> str:
        notes = "".join(f'<li dir="auto">{escape(printable(note))}</li>' for note in self.notes)
        if not self.columns:
            return f"<h2>Notes</h2><ul>{notes}</ul>" if notes else ""
        head = ["column", "kind", "values", "missing"]
        rows = [[printable(cell) for cell in column] for column in self.columns]
        return f"<h2>The data</h2>{f'<ul>{notes}</ul>' if notes else ''}{table(head, rows, 3)}"

    def _parameters(self) -> str:
        chosen = self._chosen()
        lines = "".join(
            f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in chosen.items()
        )
        return f"<h2>Parameters</h2>{f'<dl>{lines}</dl>' if lines else '<p>All parameters are as usual.</p>'}"


def _glossary(classifier: bool) -> str:
    terms = [entry for entry in GLOSSARY if entry[2] in ("both", "classes" if classifier else "numbers")]
    lines = "".join(f"<dt>{escape(term)}</dt><dd>{escape(words)}</dd>" for term, words, _ in terms)
    return f"<details><summary>Glossary</summary><dl>{lines}</dl></details>"
