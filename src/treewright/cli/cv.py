"""`treewright cv`: the cross-validated error of a way of learning."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.learners import check_learner, learner
from treewright.cli.options import DataOptions, LearnerOptions, learning_command, screen_of, taken
from treewright.errors import DataError
from treewright.files.workspace import Workspace
from treewright.fitting.fit import validate
from treewright.fitting.report import figure, folds_text, performance_section, table_section
from treewright.fitting.training_table import read_training_table

EPILOG = """\b
Examples:
  treewright cv iris.csv --target species
  treewright cv iris.csv -t species --algorithm c4.5 --folds 5 --json"""


@learning_command(
    "cv",
    EPILOG,
    click.option("--folds", type=click.IntRange(min=2), metavar="N", help="Folds. [default: 10]"),
)
def command(folds: int | None, **given: Any) -> None:
    """Judge a way of learning by cross-validation.

    Every row is predicted by a model that was made, pruning included, without its fold.
    """
    screen, learning = screen_of(given), taken(LearnerOptions, given)
    check_learner(learning)
    with Workspace() as workspace:
        options = taken(DataOptions, given)
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
