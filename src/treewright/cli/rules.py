"""`treewright rules`: a model as rules that one can read one by one."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.options import (
    DataOptions,
    model_argument,
    screen_of,
    screen_options,
    taken,
    text_options,
)
from treewright.cli.saved import open_model, read_judged, table_features
from treewright.files.workspace import Workspace
from treewright.whole_file import whole_file

EPILOG = """\b
Examples:
  treewright rules iris.tw
  treewright rules iris.tw holdout.csv --prune --format markdown --output rules.md"""


@click.command("rules", epilog=EPILOG)
@model_argument
@click.argument("data", nargs=-1, metavar="[DATA]...")
@click.option(
    "--prune", "pruned", is_flag=True, help="Drop conditions that DATA, rows kept aside, do not need."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "html", "table"]),
    default="text",
    show_default=True,
)
@click.option("--target", "-t", metavar="NAME", help="The target. [default: what the model was made for]")
@click.option("--output", "-o", metavar="FILE", help="Write there instead of to the terminal.")
@text_options
@screen_options
def command(
    model: str, data: tuple[str, ...], pruned: bool, form: str, output: str | None, **given: Any
) -> None:
    """Print a model as rules: one for each leaf, with its conditions merged."""
    screen = screen_of(given)
    fitted = open_model(model)
    if not hasattr(fitted, "rules") or isinstance(fitted.rules, dict):
        raise click.UsageError(f"{type(fitted).__name__} has no rules.")
    ruleset = fitted.rules()
    if pruned:
        if not data:
            raise click.UsageError(
                "--prune needs rows: add DATA, a table of rows that the model has not seen."
            )
        with Workspace() as workspace:
            table, target = read_judged(workspace, taken(DataOptions, given | {"data": data}), fitted, screen)
        ruleset = ruleset.prune(table_features(table, fitted), table[target])
    text = _written(ruleset, form)
    if output is None:
        screen.text(text)
    else:
        with whole_file(output) as beside:
            beside.write_text(text + "\n", encoding="utf-8")
        screen.text(f"saved to {output}")
    screen.result({"rules": ruleset.to_dict() if hasattr(ruleset, "to_dict") else str(ruleset).splitlines()})


def _written(ruleset: Any, form: str) -> str:
    if form == "markdown":
        return str(ruleset.to_markdown())
    if form == "html":
        return str(ruleset.to_html())
    return str(ruleset.table() if form == "table" else ruleset)
