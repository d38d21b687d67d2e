"""The report above the explorer: what was learned, from what, how well it predicts, and what it goes by.

It is HTML without scripts, so that it prints as it stands; the page also holds all its figures as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from html import escape
from inspect import signature
from typing import Any, Literal

import numpy as np

from treewright.data.columns import plain
from treewright.draw.node_plots import axis_text
from treewright.draw.tree_plot import plot_tree
from treewright.explain.partial_dependence import PartialDependence
from treewright.explorer.report_charts import Chart, bars, curves, matrix, short
from treewright.explorer.report_findings import MOST_FEATURES, Findings
from treewright.explorer.report_parts import (
    calibration_chart,
    few_of,
    figure,
    interval_text,
    swarm_chart,
    table,
    tree_lines,
)
from treewright.explorer.report_words import GLOSSARY, MEANINGS, plain_words
from treewright.figures import Evaluation
from treewright.formatting.text import counted, isolated, printable

MOST_RESIDUALS = 600
MOST_LEAVES = 60
"""Leaves of a picture, and of the lines of a tree that has more than lines are written for."""

MOST_LINES = 250
SMALLEST = 0.77
"""A picture of a tree stays no smaller than this, or its words could not be read."""

ROOM = {"any": 342, "700": 703, "1180": 1132}
"""Widths of a window from which a picture is shown in place of lines, and the room of a report there."""

PAPER_HEIGHT = 868
FEW_CLASSES = 4
"""Classes whose areas stand below their curves one by one."""

MOST_DRAWN, MOST_CELLS = 20, 60
"""Classes that have curves of their own, and that have lines in a confusion matrix."""

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
    def findings(self) -> Findings:
        """What is found out by asking the model about the rows."""
        return Findings(self.model, self.X, self.y, not self.rules)

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
        return (
            found
            | self._curves()
            | {
                "title": self.title,
                "written": date.today().isoformat(),
                "model": {"class": type(self.model).__name__, "parameters": self._chosen(), **self._size()},
                **self.findings.figures(),
                "columns": [
                    dict(zip(("name", "kind", "values", "missing"), column, strict=True))
                    for column in self.columns
                ],
                "notes": list(self.notes),
            }
        )

    def _curves(self) -> Json:
        """Give the curves that are drawn, by class, with scikit-learn's names of their axes."""
        if self.evaluation is None:
            return {}
        axes = {"roc": ("fpr", "tpr"), "precision_recall": ("recall", "precision")}
        return {
            f"{name}_curve": {
                label: {across: _rounded(curve.x), up: _rounded(curve.y)} for label, curve in lines.items()
            }
            for name, lines in self.evaluation.curves.items()
            if lines and len(lines) <= MOST_DRAWN
            for across, up in [axes[name]]
        }

    def _size(self) -> Json:
        if not self.findings.trees:
            return {}
        if len(self.findings.trees) > 1:
            return {"n_trees": len(self.findings.trees)}
        tree = self.findings.trees[0]
        return {"n_leaves": int(tree.n_leaves), "n_nodes": len(tree), "depth": int(tree.depth)}

    def _chosen(self) -> Json:
        """Give the parameters that have not their default values."""
        usual = signature(type(self.model)).parameters
        return {
            name: _plain(value)
            for name, value in self.model.get_params(deep=False).items()
            if name not in usual or not _same(value, usual[name].default)
        }

    def _head(self) -> str:
        size = self._size()
        words = [type(self.model).__name__]
        if "n_leaves" in size:
            words += [counted(size["n_leaves"], "leaf", "leaves"), f"depth {size['depth']}"]
        elif "n_trees" in size:
            words.append(counted(size["n_trees"], "tree"))
        if self.findings.trees:
            draws = getattr(self.model, "draws_", None)
            n_rows = int(self.findings.trees[0].count[0]) if draws is None else draws.n_rows
            words.append(f"learned from {counted(n_rows, 'row')}")
            words.append(counted(len(self.findings.trees[0].schema.columns), "feature"))
        card = getattr(self.model, "card_", None)
        words.append(
            f"report of {date.today().isoformat()}" if card is None else f"learned on {card.learned[:10]}"
        )
        return f'<h1 dir="auto">{escape(self.title)}</h1><p class="pale">{escape(" · ".join(words))}</p>'

    def _figures(self) -> str:
        found = self.evaluation
        if found is None:
            return "<p>No rows were given to judge it by.</p>"
        first = (
            ("accuracy", "recall", "precision", "f1", "roc_auc", "log_loss")
            if "accuracy" in found.figures
            else ("r2", "mean_absolute_error", "root_mean_squared_error")
        )
        whose = self._whose(found)
        cards = "".join(
            f"<div><small>{escape(MEANINGS[name][0])}{whose.get(name, '')}</small>"
            f"<b>{short(found.figures[name])}</b><small>{interval_text(found, name)}</small></div>"
            for name in first
            if name in found.figures
        )
        rows = [
            [f"{MEANINGS[name][0]}{whose.get(name, '')}", value, between]
            for name, value, between in found.lines()
        ]
        lead = f"On {counted(found.figures['n_rows'], 'row')}: {found.on}. Intervals are of 95 % confidence."
        return (
            f"<h2>How well it predicts</h2><p>{escape(plain_words(found.figures))}</p>"
            f'<p class="pale">{escape(lead)}</p><div class="headline">{cards}</div>'
            "<details><summary>All figures</summary>"
            f"{table(['figure', 'value', '95 % interval'], rows, 1)}</details>"
        )

    def _whose(self, found: Evaluation) -> dict[str, str]:
        """Say of which class the figures are that are of one: the second of two, or the mean over all."""
        classes = found.figures.get("classes", [])
        if not classes:
            return {}
        words = f" of {isolated(printable(str(classes[1])))}" if len(classes) == 2 else ", mean of classes"
        return dict.fromkeys(("recall", "precision", "f1"), words)

    def _tree(self) -> str:
        if self.rules:
            return f'<h2>The rules</h2><pre class="scroll">{escape(self.rules)}</pre>'
        if len(self.findings.trees) > 1:
            return ""
        tree = self.findings.trees[0]
        way: Literal["top_down", "left_right"] = "top_down" if tree.n_leaves <= 8 else "left_right"
        drawing = plot_tree(tree, max_leaves=MOST_LEAVES, orientation=way, title="")
        hidden = (
            ""
            if tree.n_leaves <= MOST_LINES
            else f" The {MOST_LEAVES} leaves where most is at stake are shown."
        )
        size = counted(int(tree.n_leaves), "leaf", "leaves")
        below = '<span class="on-screen"> The explorer below has all about each node.</span>'
        words = f'<p class="pale">{size}.{hidden}{self._proof()}{below}</p>'
        width, height = drawing.width * SMALLEST, drawing.height * SMALLEST
        narrowest = next((least for least, room in ROOM.items() if width <= room), None)
        if narrowest in ("any", "700") and height > PAPER_HEIGHT:
            narrowest = "1180"
        if MOST_LEAVES < tree.n_leaves <= MOST_LINES:
            narrowest = None  # lines have room for the whole tree
        picture = f'<div class="tree-picture from-{narrowest}">{drawing.svg}</div>' if narrowest else ""
        lines = (
            ""
            if narrowest == "any"
            else tree_lines(tree, MOST_LINES if tree.n_leaves <= MOST_LINES else MOST_LEAVES)
        )
        return f"<h2>The tree</h2>{words}{picture}{lines}"

    def _proof(self) -> str:
        """Say of an optimal tree whether there can be none better."""
        if not hasattr(self.model, "optimal_"):
            return ""
        limits = "no tree within its limits has a lower objective"
        bounds = f"objective {short(self.model.objective_)}, lower bound {short(self.model.lower_bound_)}"
        return f" Proven optimal: {limits} ({bounds})." if self.model.optimal_ else f" Not proven: {bounds}."

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
                short(one["support"]),
            ]
            for one in found.per_class
        ]
        parts = [table(["class", "recall", "precision", "F1", "ROC AUC", "rows"], rows, 1)]
        pictures = []
        if len(names) <= MOST_CELLS:
            pictures.append(
                figure(
                    matrix(names, found.figures["confusion_matrix"]),
                    "Confusion matrix, shaded by the share of the true class",
                    size="whole" if len(names) > MOST_DRAWN else "large" if len(names) > FEW_CLASSES else "",
                )
            )
        for name, across, up, words, area in (
            ("roc", "false positive rate", "recall", "ROC curve", "area"),
            ("precision_recall", "recall", "precision", "Precision–recall curve", "average precision"),
        ):
            lines = found.curves.get(name, {})
            if lines and len(names) <= MOST_DRAWN:
                points = {label: list(zip(curve.x, curve.y, strict=True)) for label, curve in lines.items()}
                shown = list(lines.items())[1:] if len(lines) == 2 else list(lines.items())
                areas = ", ".join(f"{isolated(printable(label))} {curve.area:.3f}" for label, curve in shown)
                if len(shown) > FEW_CLASSES:
                    sizes = sorted(curve.area for _, curve in shown)
                    areas = f"{sizes[0]:.3f} to {sizes[-1]:.3f} by class"
                drawn = curves(points, across, up, words, diagonal=name == "roc")
                key = [label for label, _ in shown] if name == "roc" else []
                pictures.append(figure(drawn, f"{words}: {area} {areas}", key))
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
        name = self._target
        words = f"True against predicted {name}"
        pairs = Chart((low, high), (low, high), f"predicted {name}", f"true {name}", words)
        pairs.line([(low, low), (high, high)], "chance")
        off = true - said
        away = Chart(
            (low, high),
            (float(off.min()), float(off.max())),
            f"predicted {name}",
            "true − predicted",
            "Residuals",
        )
        away.line([(low, 0), (high, 0)], "chance")
        pairs.dots(zip(said.tolist(), true.tolist(), strict=True))
        away.dots(zip(said.tolist(), off.tolist(), strict=True))
        n_rows = len(found.residuals)
        drawn = "" if n_rows <= MOST_RESIDUALS else f", {MOST_RESIDUALS} of {n_rows} rows drawn"
        return (
            '<h2>Residuals</h2><div class="charts">'
            f"{figure(pairs.svg(), f'{words}{drawn}; on the dotted line they are equal')}"
            f"{figure(away.svg(), 'Residuals: how far each row is from its prediction')}</div>"
        )

    def _importance(self) -> str:
        rows = [row for row in self.findings.importances if row[1] > 0][:MOST_FEATURES]
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
            between = "trees" if len(self.findings.trees) > 1 else "shuffles"
            pictures.append(
                figure(
                    right, f"What {what} loses when the feature is shuffled, ± the spread between {between}"
                )
            )
        return f'<h2>Feature importance</h2><div class="charts two">{"".join(pictures)}</div>'

    def _dependence(self) -> str:
        pictures = [self._depends(found) for found in self.findings.dependences]
        if not pictures:
            return ""
        what = (
            f"predicted {self._target}"
            if not self._is_classifier
            else f"the probability of {self._last_class}"
        )
        words = f"How {what} changes with a feature: thick the mean over rows, thin single rows (ICE)."
        lead = f'<h2>Partial dependence</h2><p class="pale">{escape(words)}</p>'
        return f'{lead}<div class="charts">{"".join(pictures)}</div>'

    @property
    def _target(self) -> str:
        return isolated(printable(str(getattr(self.model, "target_name_", "") or "target")))

    @property
    def _last_class(self) -> str:
        return isolated(printable(str(plain(self.findings.trees[0].schema.classes[-1]))))  # type: ignore[index]

    def _depends(self, found: PartialDependence) -> str:
        column = self.findings.trees[0].schema.columns[found.feature]
        mean, each = found.mean[:, -1], found.each[:, :, -1]
        low, high = float(min(mean.min(), each.min())), float(max(mean.max(), each.max()))
        if self._is_classifier:
            low, high = 0.0, 1.0
        named = bool(column.categories)
        shift = 0 if column.unit else column.offset  # times are written from what is stored
        x = np.arange(len(found.grid), dtype=float) if named else found.grid + shift
        ends = (float(x.min()) - 0.4 * named, float(x.max()) + 0.4 * named)
        name = printable(column.name)
        up = f"probability of {self._last_class}" if self._is_classifier else f"predicted {self._target}"
        chart = Chart(ends, (low, high), name, up, f"Partial dependence on {name}")
        if column.unit:
            is_date = column.unit.startswith("datetime64")
            chart.write = lambda number: axis_text(column, number)[: 10 if is_date else None]
        if named:
            chart.names = self.findings.grid_of(found)
        if named:  # nothing lies between two categories
            for place, value, lines in zip(x.tolist(), mean.tolist(), each[:25].T.tolist(), strict=True):
                for line in sorted(set(lines)):
                    chart.dash(place, line)
                chart.dot(place, value, 5)
        else:
            for line in each[:25].tolist():
                chart.line(zip(x.tolist(), line, strict=True), "ice")
            chart.line(zip(x.tolist(), mean.tolist(), strict=True))
        return figure(chart.svg())

    def _movement(self) -> str:
        if self.findings.moved is None:
            return self._unmoved()
        few, values, moved, order = self.findings.moved
        names = self.findings.trees[0].schema.names
        drawn = bars(
            [(printable(names[place]), float(moved[place]), None) for place in order],
            "Mean size of Shapley values",
        )
        swarm = swarm_chart(values[:, :, -1], few, order, [printable(names[place]) for place in order])
        what = (
            f"predicted {self._target}"
            if not self._is_classifier
            else f"the probability of {self._last_class}"
        )
        words = (
            f"How far each feature moves {what} from its mean, row by row: a dot is a row, yellow where the "
            "feature's value is high, blue where it is low; categories are shaded in their order."
        )
        halves = "; half the sum over all classes" if values.shape[2] > 2 else ""
        pictures = figure(swarm, f"SHAP values of {counted(len(few), 'row')}") + figure(
            drawn, f"Mean absolute SHAP value of the rows{halves}"
        )
        lead = f'<h2>SHAP values</h2><p class="pale">{escape(words)}</p>'
        return f'{lead}<div class="charts two">{pictures}</div>'

    def _unmoved(self) -> str:
        """Say why there are no Shapley values where a reader would look for them."""
        if not self.findings.trees or self.findings.trees[0].equations is None or self.X is None:
            return ""
        words = "They are computed for trees whose leaves are constants; this one has linear leaves."
        return f'<h2>SHAP values</h2><p class="pale">{words}</p>'

    def _data(self) -> str:
        notes = "".join(f"<li>{escape(printable(note))}</li>" for note in self.notes)
        if not self.columns:
            return f"<h2>Notes</h2><ul>{notes}</ul>" if notes else ""
        head = ["column", "kind", "values", "missing"]
        rows = [[printable(cell) for cell in column] for column in self.columns]
        return f"<h2>The data</h2>{f'<ul>{notes}</ul>' if notes else ''}{table(head, rows, 3)}"

    def _parameters(self) -> str:
        chosen = self._chosen()
        every = {name: _plain(value) for name, value in self.model.get_params(deep=False).items()}
        told = _definitions(chosen) if chosen else "<p>All parameters have their default values.</p>"
        rest = (
            f"<details><summary>All {len(every)} parameters</summary>{_definitions(every, ' many')}</details>"
        )
        return f"<h2>Parameters</h2>{told}{rest}"


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(number, 6) for number in numbers]


def _same(value: Any, default: Any) -> bool:
    """Whether a parameter has its default value; searches copy what they try."""
    return value is default or (type(value) is type(default) and bool(np.array_equal(value, default)))


def _plain(value: Any) -> Any:
    return plain(value) if isinstance(value, str | int | float | bool | None) else repr(value)


def _definitions(values: Json, kind: str = "") -> str:
    lines = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in values.items())
    return f'<dl class="parameters{kind}">{lines}</dl>'


def _glossary(classifier: bool) -> str:
    terms = [entry for entry in GLOSSARY if entry[2] in ("both", "classes" if classifier else "numbers")]
    lines = "".join(f"<dt>{escape(term)}</dt><dd>{escape(words)}</dd>" for term, words, _ in terms)
    return f"<details><summary>Glossary</summary><dl>{lines}</dl></details>"
