"""`treewright explain`: why a row is predicted as it is, in words."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.options import (
    DataOptions,
    data_argument,
    model_argument,
    screen_of,
    screen_options,
    taken,
    text_options,
)
from treewright.cli.problem import read_staged, refuse_infinities
from treewright.cli.saved import open_model, read_features, table_features
from treewright.files.workspace import Workspace
from treewright.words import counted

EPILOG = """\b
Examples:
  treewright explain iris.tw new.csv --row 3
  treewright explain iris.tw new.csv --where "id = 1207" --json"""


@click.command("explain", epilog=EPILOG)
@model_argument
@data_argument
@click.option(
    "--row", type=click.IntRange(min=1), metavar="N", help="Which row, counted from 1. [default: 1]"
)
@click.option("--where", metavar="SQL", help="Which row, as a condition on the columns; the first that fits.")
@text_options
@screen_options
def command(model: str, row: int | None, where: str | None, **given: Any) -> None:
    """Say in words why a row is predicted as it is, and what would change the answer."""
    screen, options = screen_of(given), taken(DataOptions, given)
    if row is not None and where is not None:
        raise click.UsageError("--row and --where both choose the row: give one.")
    if where is not None:
        options = taken(DataOptions, given | {"query": f"SELECT * FROM data WHERE {where}"})
    fitted = open_model(model)
    if not hasattr(fitted, "explain"):
        raise click.UsageError(f"{type(fitted).__name__} cannot explain its answers.")
    with Workspace() as workspace:
        staged = read_staged(workspace, options)
        wanted = (row or 1) - 1
        if wanted >= staged.n_rows:
            raise click.UsageError(f"--row {row}: {staged.name} has {counted(staged.n_rows, 'row')}.")
        readings = read_features(workspace, staged, fitted, screen)
        table = workspace.load(staged, readings, wanted, wanted + 1)
    refuse_infinities(table, fitted)
    explanation = fitted.explain(table_features(table, fitted))
    screen.text(str(explanation))
    screen.result(explanation.to_dict())
