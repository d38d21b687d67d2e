"""Text of evaluations: errors with their standard errors, the confusion matrix, calibration."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from treewright.formatting.text import counted, figure, printable, quoted
from treewright.formatting.text_table import aligned

if TYPE_CHECKING:
    from treewright.evaluation import AnyEvaluation, ClassEvaluation, CrossValidation, NumberEvaluation

MOST_CLASSES = 12
"""A confusion matrix of more classes than this is not shown."""


def figures_table(head: list[str], rows: Iterable[Iterable[str]], left: int) -> list[str]:
    """Set a table whose first columns are words, the others figures."""
    cells = [[printable(cell) for cell in row] for row in rows]
    return aligned(head, cells, right=range(left, len(head)))


def error_text(found: AnyEvaluation) -> str:
    """Write the error with its standard error: of classes as a percentage."""
    if hasattr(found, "confusion"):
        return f"{100 * found.error:.1f} ± {100 * found.se:.1f} %"
    return f"{figure(found.error)} ± {figure(found.se)}"


def error_line(found: CrossValidation) -> str:
    """Write the cross-validated error in one line."""
    evaluation = found.evaluation
    how = f"cross-validated in {counted(found.n_folds, 'fold')}, ± standard error"
    if hasattr(evaluation, "confusion"):
        return (
            f"estimated error {error_text(evaluation)} ({how}); always answering the most frequent class "
            f"would be {100 * evaluation.baseline:.1f} %"
        )
    return f"estimated mean squared error {error_text(evaluation)} ({how}), R² {evaluation.r2:.3f}"


def folds_text(found: CrossValidation) -> str:
    """Say how many folds there were."""
    folds = counted(found.n_folds, "fold")
    return f"cross-validation in {folds}, every row predicted by a model that never saw it"


def number_lines(found: NumberEvaluation) -> tuple[str, ...]:
    """Write the errors of predicted numbers."""
    return (
        f"mean squared error {error_text(found)} (standard error); always giving the mean would be "
        f"{figure(found.baseline)}",
        f"typical error {figure(math.sqrt(found.error))} (root mean square), "
        f"{figure(found.absolute_error)} (mean absolute); R² {found.r2:.3f}",
    )


def class_lines(found: ClassEvaluation) -> tuple[str, ...]:
    """Write the error of predicted classes, their confusion matrix, recall and precision."""
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
    confusion = figures_table(["true class ↓  predicted →", *names, "recall"], _confusion(found), left=1)
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


def calibration_lines(found: ClassEvaluation) -> list[str]:
    """Put the class probabilities beside what happened."""
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
        *figures_table(["predicted", "observed", "rows" if two else "rows × classes"], rows, left=0),
    ]
