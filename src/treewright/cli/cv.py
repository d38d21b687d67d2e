"""`treewright cv`: the cross-validated error of a way of learning."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.learners import check_learner, learner
from treewright.cli.learning_options import LearnerOptions, learning_command
from treewright.cli.options import DataOptions, memory_option, screen_of, taken
from treewright.cli.screen import Screen
from treewright.errors import DataError
from treewright.evaluation import CrossValidation
from treewright.files.workspace import Workspace
from treewright.fitting.fit import validate
from treewright.fitting.report import performance_section, table_section
from treewright.fitting.training_table import TrainingTable, read_training_table
from treewright.formatting.performance import folds_text
from treewright.formatting.text import figure

EPILOG = """\b
Examples:
  treewright cv iris.csv --target species
  treewright cv iris.csv -t species --algorithm c4.5 --folds 5 --json"""


@learning_command(
    "cv",
    EPILOG,
    memory_option,
    click.option("--folds", type=click.IntRange(min=2), metavar="N", help="Folds. [default: 10]"),
)
def command(folds: int | None, **given: Any) -> None:
    """Judge a way of learning by cross-validation.

    Every row is predicted by a model that was made, pruning included, without its fold.
    """
    screen, learning = screen_of(given), taken(LearnerOptions, given)
    check_learner(learning)
    options = taken(DataOptions, given)
    if options.memory is not None:
        data, found = _validated_open(options, learning, folds, screen)
    else:
        with Workspace() as workspace:
            data = read_training_table(workspace, options.data, options.table, screen)
            model = learner(learning, data)
        screen.section(table_section(data), first=True)
        found = validate(model, data, folds, learning.seed, screen)
    if found is None:
        raise DataError(f"{data.table.name} has one row: nothing can be held out to judge by.")
    screen.section(performance_section(found.evaluation, folds_text(found)))
    if found.leaves is not None:
        screen.text(f"mean size {figure(found.leaves)} leaves, depth {figure(found.depth or 0.0)}")
    screen.result(found.to_dict())


def _validated_open(
    options: DataOptions, learning: LearnerOptions, folds: int | None, screen: Screen
) -> tuple[TrainingTable, CrossValidation | None]:
    """Judge a way of learning by files that are larger than memory."""
    from treewright.fitting.open_fit import (
        fitted_rows,
        open_table_section,
        open_training_table,
        validate_open,
    )

    assert options.memory is not None
    data = open_training_table(options.data, options.table, options.memory)
    model = learner(learning, data)
    with fitted_rows(data, model, screen) as (rows, work):
        table, found = open_table_section(data, rows), validate_open(model, rows, folds, learning.seed, work)
    screen.section(table, first=True)
    return data, found
