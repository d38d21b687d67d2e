"""`treewright evaluate`: the metrics of a saved model on rows whose target is known."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.model_loading import open_model, read_judged, table_features
from treewright.cli.options import DataOptions, model_command, screen_of, taken
from treewright.evaluation import evaluate
from treewright.files.workspace import Workspace
from treewright.fitting.report import performance_section
from treewright.fitting.training_table import weights
from treewright.formatting.text import counted

EPILOG = """\b
Examples:
  treewright evaluate iris.tw test.csv
  treewright evaluate iris.tw test.csv --target species --json"""


@model_command(
    "evaluate",
    EPILOG,
    click.option(
        "--target", "-t", metavar="NAME", help="The true answers. [default: what the model was made for]"
    ),
    click.option("--weight", "-w", metavar="NAME", help="The column with the weight of each row."),
)
def command(model: str, **given: Any) -> None:
    """Judge a model on a table with a known target.

    Figures of rows that the model was made from are too good: give rows that it has never seen.
    """
    screen, options = screen_of(given), taken(DataOptions, given)
    fitted = open_model(model)
    with Workspace() as workspace:
        table, target = read_judged(workspace, options, fitted, screen)
        weight = None if options.weight is None else weights(table, options.weight)
    found = evaluate(fitted, table_features(table, fitted), table[target], weight)
    how = f"{counted(len(table), 'row')} of {table.name}"
    screen.section(performance_section(found, how, calibration=True))
    screen.result(found.to_dict())
