"""`treewright explain`: why a row is predicted as it is, in words."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.model_loading import open_to_read
from treewright.cli.options import DataOptions, model_command, screen_of, taken, value_of_text
from treewright.cli.table_loading import read_features, row_values
from treewright.files.workspace import Workspace
from treewright.fitting.report import schema_of
from treewright.fitting.training_table import listed, refuse_infinities, stage
from treewright.formatting.text import counted

EPILOG = """\b
Examples:
  treewright explain iris.tw new.csv --row 3
  treewright explain iris.tw new.csv --where "id = 1207" --json
  treewright explain loans.tw new.csv --wanted granted --fixed age,sex --up income"""


@model_command(
    "explain",
    EPILOG,
    click.option(
        "--row", type=click.IntRange(min=1), metavar="N", help="Which row, counted from 1. [default: 1]"
    ),
    click.option(
        "--where", metavar="SQL", help="Which row, as a condition on the columns; the first that fits."
    ),
    click.option(
        "--wanted", metavar="ANSWER", help="The answer to look for a way to. [default: any other class]"
    ),
    click.option("--fixed", multiple=True, metavar="NAMES", help="Features that cannot change."),
    click.option("--up", multiple=True, metavar="NAMES", help="Features that can only rise."),
    click.option("--down", multiple=True, metavar="NAMES", help="Features that can only fall."),
)
def command(model: str, row: int | None, where: str | None, **given: Any) -> None:
    """Say in words why a row is predicted as it is, and what would change the answer.

    The path through the tree, what missing values did, how sure the answer is, what each feature contributed,
    and the nearest change to another answer.
    """
    screen, options = screen_of(given), taken(DataOptions, given)
    if row is not None and where is not None:
        raise click.UsageError("--row and --where both choose the row: give one.")
    if where is not None:
        options = taken(DataOptions, given | {"query": f"SELECT * FROM data WHERE {where}"})
    fitted = open_to_read(model)
    if not hasattr(fitted, "explain"):
        raise click.UsageError(f"{type(fitted).__name__} has no tree to explain its answers by.")
    with Workspace() as workspace:
        staged = stage(workspace, options.data, options.table, screen)
        wanted = (row or 1) - 1
        if wanted >= staged.n_rows:
            raise click.UsageError(f"--row {row}: {staged.name} has {counted(staged.n_rows, 'row')}.")
        readings = read_features(workspace, staged, fitted, screen)
        table = workspace.load(staged, readings, wanted, wanted + 1)
    refuse_infinities(table, fitted)
    values = row_values(table)
    row_given = values if schema_of(fitted).named else list(values.values())
    explanation = fitted.explain(row_given, **_goal(fitted, given))
    screen.text(str(explanation))
    screen.result(explanation.to_dict())


def _goal(model: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Read what is wanted, and what may change."""
    names = schema_of(model).names
    goal: dict[str, Any] = {"fixed": listed(given["fixed"], names)}
    ways = {name: way for way in ("up", "down") for name in listed(given[way], names)}
    if ways:
        goal["directions"] = ways
    if given["wanted"] is None:
        return goal
    classes = getattr(model, "classes_", None)
    if classes is None:
        return goal | {"wanted": value_of_text(given["wanted"])}
    by_text = {str(label): label for label in classes.tolist()}
    return goal | {"wanted": by_text.get(given["wanted"], given["wanted"])}
