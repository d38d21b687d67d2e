"""`treewright rules`: a model as rules that one can read one by one."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.model_loading import open_to_read
from treewright.cli.options import DataOptions, model_argument, screen_of, screen_options, taken, text_options
from treewright.cli.outputs import refuse_outputs
from treewright.cli.screen import Screen
from treewright.fitting.report import ruleset_of
from treewright.persistence.atomic_file import whole_file

EPILOG = """\b
Examples:
  treewright rules iris.tw
  treewright rules iris.tw iris.csv --prune
  treewright rules iris.tw --format markdown --output rules.md
  treewright rules iris.tw holdout.csv --prune --estimate holdout --output rules.tw"""


@click.command("rules", epilog=EPILOG)
@model_argument
@click.argument("data", nargs=-1, metavar="[DATA]...")
@click.option("--prune", "pruned", is_flag=True, help="Drop conditions and rules that DATA does not need.")
@click.option(
    "--estimate",
    type=click.Choice(["pessimistic", "holdout", "smoothed"]),
    default="pessimistic",
    show_default=True,
    help="DATA is what the model was made from, and errors are rounded up; or it was held out, and errors "
    "are counted (all rules are kept, the most accurate first) or drawn to those of a guess.",
)
@click.option("--format", "form", type=click.Choice(["text", "markdown", "html", "table"]), default="text")
@click.option("--target", "-t", metavar="NAME", help="The target. [default: what the model was made for]")
@click.option("--weight", "-w", metavar="NAME", help="The column with the weight of each row.")
@click.option("--output", "-o", metavar="FILE", help="Write there; a name in .tw saves them as a model.")
@text_options
@screen_options
def command(model: str, data: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Print a model as rules.

    There is one for each leaf, its conditions merged; --prune makes fewer and shorter ones.
    """
    screen = screen_of(given)
    refuse_outputs(output, read=[model, *data])
    if given["pruned"] and not data:
        raise click.UsageError("--prune needs rows: add DATA, the table that the model was made from.")
    fitted = open_to_read(model)
    ruleset = ruleset_of(fitted)
    if ruleset is None and not hasattr(fitted, "tree_"):
        raise click.UsageError(f"{type(fitted).__name__} has no single tree to read as rules.")
    ruleset = fitted.rules() if ruleset is None else ruleset
    if given["pruned"]:
        options = taken(DataOptions, given | {"data": data})
        ruleset = _pruned(ruleset, fitted, options, given["estimate"], screen)
    if output is None:
        screen.text(_written(ruleset, given["form"]))
    elif output.endswith(".tw"):
        ruleset.save(output)
    else:
        with whole_file(output) as beside:
            beside.write_text(_written(ruleset, given["form"]) + "\n", encoding="utf-8")
    if output is not None:
        screen.text(f"saved to {output}")
    screen.result(ruleset.to_dict())


def _pruned(ruleset: Any, fitted: Any, options: DataOptions, estimate: str, screen: Screen) -> Any:
    """Prune rules by the rows of a table, which is read for that alone."""
    from treewright.cli.table_loading import read_judged, table_features
    from treewright.files.workspace import Workspace
    from treewright.fitting.training_table import weights

    with Workspace() as workspace:
        table, target = read_judged(workspace, options, fitted, screen)
        weight = None if options.weight is None else weights(table, options.weight)
    features, infinities = table_features(table, fitted), getattr(fitted, "inf", "error")
    return ruleset.prune(features, table[target], weight, estimate=estimate, inf=infinities)


def _written(ruleset: Any, form: str) -> str:
    if form == "markdown":
        return str(ruleset.to_markdown())
    if form == "html":
        return str(ruleset.to_html())
    return str(ruleset.table() if form == "table" else ruleset)
