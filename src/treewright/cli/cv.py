"""`treewright cv`: the cross-validated error of a way of learning."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.fit import suited_learner, validate
from treewright.cli.learners import check_learner
from treewright.cli.options import DataOptions, LearnerOptions, learning_command, screen_of, taken
from treewright.cli.performance import folds_text, show_evaluation
from treewright.cli.screen import number
from treewright.cli.training_table import describe, read_problem
from treewright.errors import DataError
from treewright.files.workspace import Workspace

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
        problem = read_problem(workspace, taken(DataOptions, given), screen)
        model = suited_learner(learning, problem)
        describe(problem, screen)
    found = validate(model, problem, folds, learning.seed, screen)
    if found is None:
        raise DataError(f"{problem.table.name} has one row: nothing can be held out to judge by.")
    show_evaluation(screen, found.evaluation, folds_text(found))
    if found.leaves is not None:
        screen.text(f"mean size {number(found.leaves)} leaves, depth {number(found.depth or 0.0)}")
    screen.result(found.to_dict())
