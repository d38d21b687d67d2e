"""What is known of a table, a model and its performance, as parts of a text: for screens and for `print`."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from treewright.data.columns import RawCodes
from treewright.evaluation import AnyEvaluation, ClassEvaluation, CrossValidation, NumberEvaluation
from treewright.fitting.column_summary import column_line
from treewright.fitting.training_table import TrainingTable
from treewright.formatting.text import counted, printable, quoted
from treewright.formatting.text_table import aligned
from treewright.persistence.card import ModelCard

MOST_CLASSES = 12
"""A confusion matrix of more classes than this is not shown."""

MOST_COLUMNS = 40
"""Columns of a table that are listed."""

MOST_LINES = 60
"""A tree of more nodes than this is shown from the top only."""


@dataclass(frozen=True)
class Section:
    """A title, which may be empty, and the lines below it."""

    title: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.title, *self.lines] if self.title else self.lines)


def figure(value: float) -> str:
    """Write a figure to four digits.

    Examples
    --------
    >>> figure(0.123456), figure(1234567.0), figure(12.0)
    ('0.1235', '1.235e+06', '12')
    """
    return f"{value:.4g}"


# ---- the table ---------------------------------------------------------------------------------------------


def table_section(data: TrainingTable) -> Section:
    """Say what the columns were taken as."""
    table = data.table
    rows = [column_line(name, data.kinds[name], table[name]) for name in data.features[:MOST_COLUMNS]]
    if len(data.features) > MOST_COLUMNS:
        rows.append((f"… {len(data.features) - MOST_COLUMNS} more", "", "", ""))
    kind = "classes" if data.task == "classification" else "numbers"
    other = "regression" if data.task == "classification" else "classification"
    hint = "" if isinstance(data.y, RawCodes) else f"  (the task {other} takes it otherwise)"
    _, _, values, _ = column_line(data.target, data.kinds[data.target], data.y)
    return Section(
        f"{counted(len(table), 'row')}, {counted(len(data.features), 'feature')} from {table.name}",
        (
            *_table(["feature", "kind", "values", "missing"], rows, left=3),
            f"target {data.target}: {kind}, {values}{hint}",
        ),
    )


def _table(head: list[str], rows: Iterable[Iterable[str]], left: int) -> list[str]:
    """Set a table whose first columns are words, the others figures."""
    cells = [[printable(cell) for cell in row] for row in rows]
    return aligned(head, cells, right=range(left, len(head)))


# ---- the model ---------------------------------------------------------------------------------------------


def model_section(model: Any, *, missing: bool | Collection[int] = False) -> Section:
    """Give the tree, with where missing values go at some nodes or at all; of a forest its size."""
    ruleset = ruleset_of(model)
    if ruleset is not None:
        text = str(ruleset)
    elif not hasattr(model, "tree_"):
        text = f"{counted(len(model.estimators_), 'tree')}"
    else:
        text = tree_text(model.tree_, missing=missing)
    return Section(title_of(model), tuple(text.split("\n")))


def tree_text(tree: Any, max_depth: int | None = None, *, missing: bool | Collection[int] = False) -> str:
    """Write a tree, from the top only if it is large."""
    from treewright.export import export_text

    if max_depth is None and len(tree) > MOST_LINES:
        levels = tree.node_depth
        max_depth = max(
            depth for depth in range(tree.depth) if depth <= 1 or (levels <= depth).sum() <= MOST_LINES
        )
    return export_text(tree, max_depth=max_depth, missing=missing)


def title_of(model: Any) -> str:
    """Say what made a model."""
    title = f"Learned by {kind_name(model)}"
    pruner = getattr(model, "pruner_", None)
    name = getattr(model, "pruner_name", None) if pruner is None else type(pruner).__name__
    return title if name is None else f"{title}, pruned by {name}"


def kind_name(model: Any) -> str:
    """Give the name of a model's estimator."""
    return str(getattr(model, "kind", None) or type(model).__name__)


def ruleset_of(model: Any) -> Any:
    """Give the rules that a model consists of; None if it has a tree."""
    if type(model).__name__ == "RuleSet":
        return model
    return getattr(model, "ruleset_", None)


def schema_of(model: Any) -> Any:
    """Give the schema of a model: of its tree, of its rules, or of the trees of a forest."""
    for part in (getattr(model, "tree_", None), ruleset_of(model)):
        if part is not None:
            return part.schema
    return model.estimators_[0].tree_.schema


def importances(model: Any) -> list[tuple[str, float]]:
    """Give features with their importances, the largest first."""
    values = getattr(model, "feature_importances_", None)
    if values is None:  # rules have none
        return []
    return sorted(zip(schema_of(model).names, values.tolist(), strict=True), key=lambda pair: -pair[1])


def importance_section(model: Any, most: int = 8, width: int = 30) -> Section | None:
    """Give the features that matter most, with bars."""
    shares = [(printable(name), share) for name, share in importances(model) if share > 0][:most]
    if not shares:
        return None
    longest = max(len(name) for name, _ in shares)
    lines = (
        f"  {name:<{longest}}  {'█' * round(width * share) or '▏'} {share:.0%}" for name, share in shares
    )
    return Section("Feature importance (share of the impurity decrease)", tuple(lines))


# ---- its performance ---------------------------------------------------------------------------------------


def performance_section(evaluation: AnyEvaluation, how: str, *, calibration: bool = False) -> Section:
    """Give the figures, and the confusion matrix of classes.

    Parameters
    ----------
    evaluation : ClassEvaluation or NumberEvaluation
    how : str
        Where the figures come from, in words.
    calibration : bool
        Whether to put the class probabilities beside what happened.
    """
    if isinstance(evaluation, NumberEvaluation):
        return Section(f"Performance: {how}", _number_lines(evaluation))
    lines = _class_lines(evaluation)
    if calibration and evaluation.calibration:
        lines += ("", *_calibration_lines(evaluation))
    return Section(f"Performance: {how}", lines)


def error_text(evaluation: AnyEvaluation) -> str:
    """Write the error with its standard error."""
    if isinstance(evaluation, ClassEvaluation):
        return f"{100 * evaluation.error:.1f} ± {100 * evaluation.se:.1f} %"
    return f"{figure(evaluation.error)} ± {figure(evaluation.se)}"


def error_line(found: CrossValidation) -> str:
    """Write the cross-validated error in one line."""
    evaluation = found.evaluation
    how = f"cross-validated in {counted(found.n_folds, 'fold')}, ± standard error"
    if isinstance(evaluation, ClassEvaluation):
        return (
            f"estimated error {error_text(evaluation)} ({how}); always answering the most frequent class "
            f"would be {100 * evaluation.baseline:.1f} %"
        )
    return f"estimated mean squared error {error_text(evaluation)} ({how}), R² {evaluation.r2:.3f}"


def card_lines(card: ModelCard) -> list[str]:
    """Say when and from which rows a model was learned, and its estimated error."""
    moment = card.learned.replace("T", " ").removesuffix("Z")
    lines = [
        f"learned {moment} UTC by treewright {card.treewright} from {counted(card.rows, 'row')} of "
        f"{quoted(card.source)} (fingerprint {card.short_fingerprint})"
    ]
    return lines if card.evaluation is None else [*lines, error_line(card.evaluation)]


def folds_text(found: CrossValidation) -> str:
    """Say how many folds there were."""
    folds = counted(found.n_folds, "fold")
    return f"cross-validation in {folds}, every row predicted by a model that never saw it"


def _number_lines(found: NumberEvaluation) -> tuple[str, ...]:
    return (
        f"mean squared error {error_text(found)} (standard error); always giving the mean would be "
        f"{figure(found.baseline)}",
        f"typical error {figure(math.sqrt(found.error))} (root mean square), "
        f"{figure(found.absolute_error)} (mean absolute); R² {found.r2:.3f}",
    )


def _class_lines(found: ClassEvaluation) -> tuple[str, ...]:
    lines = [
        f"error {error_text(found)} (standard error) of {counted(found.n_rows, 'row')}; always answering the "
        f"most frequent class would be {100 * found.baseline:.1f} %"
    ]
    if found.cost is not None:
        lines.append(f"mean cost {figure(found.cost)}")
    if found.log_loss is not None and found.brier is not None:
        lines.append(f"probabilities: log loss {figure(found.log_loss)}, Brier score {figure(found.brier)}")
    if len(found.classes) > MOST_CLASSES:
        return tuple(lines)
    names = [quoted(str(label)) for label in found.predicted]
    precision = dict(zip(found.classes, found.precision, strict=True))
    given = [(name, precision.get(label)) for name, label in zip(names, found.predicted, strict=True)]
    shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in given if share is not None)
    confusion = _table(["true class ↓  predicted →", *names, "recall"], _confusion(found), left=1)
    return (*lines, "", *confusion, "", f"precision: {shares}")


def _confusion(found: ClassEvaluation) -> list[list[str]]:
    whole = not (found.confusion % 1).any()
    return [
        [
            quoted(str(label)),
            *(f"{weight:.0f}" if whole else f"{weight:.1f}" for weight in row),
            f"{100 * recall:.0f} %",
        ]
        for label, row, recall in zip(found.classes, found.confusion.tolist(), found.recall, strict=True)
    ]


def _calibration_lines(found: ClassEvaluation) -> list[str]:
    two = len(found.predicted) == 2
    of = (
        f"the probability of {quoted(str(found.predicted[1]))}" if two else "the probabilities of all classes"
    )
    rows = [
        [f"{100 * part.predicted:.1f} %", f"{100 * part.observed:.1f} %", f"{part.weight:.0f}"]
        for part in found.calibration
    ]
    error = 100 * (found.calibration_error or 0.0)
    return [
        f"calibration of {of}, {error:.1f} points off in the mean:",
        *_table(["predicted", "observed", "rows" if two else "rows × classes"], rows, left=0),
    ]
