"""`treewright compare`: learners and prunings side by side on one table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from treewright.cli.learners import check_learner, learner, pruner_of_text
from treewright.cli.learning_options import LearnerOptions, learning_command
from treewright.cli.options import DataOptions, screen_of, taken
from treewright.cli.screen import Progress, Screen
from treewright.evaluation import CrossValidation, cross_validate
from treewright.files.workspace import Workspace
from treewright.fitting.learners import ALGORITHMS, METHODS, algorithm_name, folds_for
from treewright.fitting.report import table_section
from treewright.fitting.training_table import read_training_table
from treewright.formatting.performance import error_text
from treewright.formatting.text import figure
from treewright.model_selection.comparison import FOR_NUMBERS

EPILOG = """\b
Examples:
  treewright compare iris.csv --target species
  treewright compare iris.csv -t species --learners c4.5,cart --pruners none
  treewright compare cars.csv -t mpg --pruners all --folds 5"""

SUITED = {
    "classification": ("none", "cost_complexity:se=1", "error_based", "pessimistic", "reduced_error"),
    "regression": ("none", "cost_complexity:se=1", "reduced_error", "minimal_size"),
}
"""The prunings of `tree` that are compared unless others are named."""


@learning_command(
    "compare",
    EPILOG,
    click.option("--learners", metavar="NAMES", help="Algorithms. [default: all that suit but optimal]"),
    click.option("--pruners", metavar="NAMES", help="Prunings of decision_tree, or all. [default: five]"),
    click.option("--folds", type=click.IntRange(min=2), metavar="N", help="Folds. [default: 10]"),
)
def command(learners: str | None, pruners: str | None, folds: int | None, **given: Any) -> None:
    """Put learners and prunings side by side on one table.

    All are cross-validated on the same folds: errors on rows that were not shown, sizes, and times to fit.
    """
    screen, learning = screen_of(given), taken(LearnerOptions, given)
    check_learner(learning)
    for name in [] if pruners in (None, "all") else pruners.split(","):
        pruner_of_text(name.strip())
    with Workspace() as workspace:
        options = taken(DataOptions, given)
        data = read_training_table(workspace, options.data, options.table, screen)
    screen.section(table_section(data), first=True)
    ways = _ways(data.task, learners, pruners)
    n_folds = folds or folds_for(len(data))
    found: dict[str, CrossValidation] = {}
    refused: dict[str, str] = {}
    with screen.progress("comparing") as progress:
        for index, (name, (algorithm, pruner)) in enumerate(ways.items()):
            try:
                model = learner(replace(learning, algorithm=algorithm, pruner=pruner), data)
                found[name] = cross_validate(
                    model,
                    data.X,
                    data.y,
                    n_folds,
                    sample_weight=data.weight,
                    random_state=learning.seed,
                    progress=_part(progress, index, len(ways)),
                )
            except (ValueError, click.UsageError) as problem:
                refused[name] = " ".join(str(problem).split())
    if not found:
        raise click.UsageError(next(iter(refused.values())))
    _show(screen, found, refused, n_folds)
    if learners is None:
        screen.text(
            "Optimal trees may take long, and are compared when they are named: --learners tree,optimal"
        )
    screen.result({"folds": n_folds, "found": {n: f.to_dict() for n, f in found.items()}, "refused": refused})


def _part(progress: Progress, index: int, total: int) -> Progress:
    """Show the progress of one way of learning as that of all."""
    return lambda share: progress((index + share) / total)


def _ways(task: str, learners: str | None, pruners: str | None) -> dict[str, tuple[str, str | None]]:
    """List what to compare: algorithms as they come, and prunings of a decision tree."""
    if pruners == "all":
        named = ["none", *(name for name in METHODS if name not in ("penalised", "simplify"))]
        chosen = [name for name in named if task == "classification" or name in ("none", *FOR_NUMBERS)]
    else:
        chosen = list(SUITED[task]) if pruners is None else [name.strip() for name in pruners.split(",")]
    suited = [
        name
        for name, kinds in ALGORITHMS.items()
        if kinds[task == "regression"]
        and name not in ("decision_tree", "optimal")  # whose search may take long
    ]
    named = suited if learners is None else [algorithm_name(name.strip()) for name in learners.split(",")]
    ways: dict[str, tuple[str, str | None]] = {name: (name, None) for name in named}
    for name in chosen:
        ways[f"decision_tree, {'unpruned' if name == 'none' else name}"] = ("decision_tree", name)
    return ways


def _show(screen: Screen, found: dict[str, CrossValidation], refused: dict[str, str], n_folds: int) -> None:
    """Show the ways of learning, the one of least error first."""
    screen.title(f"Side by side, cross-validated on the same {n_folds} folds, best first")
    rows = [
        [
            name,
            error_text(one.evaluation),
            "" if one.leaves is None else figure(one.leaves),
            "" if one.depth is None else figure(one.depth),
            f"{one.seconds:.3f}",
        ]
        for name, one in sorted(found.items(), key=lambda item: item[1].evaluation.error)
    ]
    head = "error" if hasattr(next(iter(found.values())).evaluation, "confusion") else "mean squared error"
    screen.table(["learner", head, "leaves", "depth", "seconds"], rows)
    for name, reason in refused.items():
        screen.text(f"{name}: {reason}")
