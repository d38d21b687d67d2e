"""Metrics of an evaluation as tables on the screen and as JSON."""

from __future__ import annotations

import math

from treewright.cli.screen import Screen, number
from treewright.evaluation import AnyEvaluation, ClassEvaluation, CrossValidation, NumberEvaluation
from treewright.formatting.text import counted, quoted

MOST_CLASSES = 12
"""A confusion matrix of more classes than this is not shown."""


def show_evaluation(screen: Screen, evaluation: AnyEvaluation, how: str) -> None:
    """Show the figures, and the confusion matrix of classes.

    Parameters
    ----------
    screen : Screen
    evaluation : ClassEvaluation or NumberEvaluation
    how : str
        Where the figures come from, in words.
    """
    screen.title(f"Performance: {how}")
    if isinstance(evaluation, NumberEvaluation):
        _show_numbers(screen, evaluation)
    else:
        _show_classes(screen, evaluation)


def error_text(evaluation: AnyEvaluation) -> str:
    """Write the error with its standard error."""
    if isinstance(evaluation, ClassEvaluation):
        return f"{100 * evaluation.error:.1f} ± {100 * evaluation.se:.1f} %"
    return f"{number(evaluation.error)} ± {number(evaluation.se)}"


def folds_text(found: CrossValidation) -> str:
    """Say how many folds there were."""
    folds = counted(found.n_folds, "fold")
    return f"cross-validation in {folds}, every row predicted by a model that never saw it"


def _show_numbers(screen: Screen, found: NumberEvaluation) -> None:
    screen.text(
        f"mean squared error {error_text(found)}; always giving the mean would be {number(found.baseline)}"
    )
    screen.text(
        f"typical error {number(math.sqrt(found.error))} (root mean square), "
        f"{number(found.absolute_error)} (mean absolute); R² {found.r2:.3f}"
    )


def _show_classes(screen: Screen, found: ClassEvaluation) -> None:
    screen.text(
        f"error {error_text(found)} of {counted(found.n_rows, 'row')}; always answering the most frequent "
        f"class would be {100 * found.baseline:.1f} %"
    )
    if found.cost is not None:
        screen.text(f"mean cost {number(found.cost)}")
    if len(found.classes) > MOST_CLASSES:
        return
    screen.text()
    names = [quoted(str(label)) for label in found.predicted]
    whole = not (found.confusion % 1).any()
    rows = [
        [
            quoted(str(label)),
            *(f"{weight:.0f}" if whole else f"{weight:.1f}" for weight in row),
            f"{100 * recall:.0f} %",
        ]
        for label, row, recall in zip(found.classes, found.confusion.tolist(), found.recall, strict=True)
    ]
    screen.table(["true class ↓  predicted →", *names, "recall"], rows)
    precision = ["" if share is None else f"{100 * share:.0f} %" for share in _by_column(found)]
    screen.text()
    shares = ", ".join(f"{name} {share}" for name, share in zip(names, precision, strict=True) if share)
    screen.text(f"precision: {shares}")


def _by_column(found: ClassEvaluation) -> list[float | None]:
    precision = dict(zip(found.classes, found.precision, strict=True))
    return [precision.get(label) for label in found.predicted]
