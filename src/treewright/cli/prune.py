"""`treewright prune`: a saved model made smaller."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from treewright.cli.learners import pruner_of_text
from treewright.cli.model_loading import open_model
from treewright.cli.options import DataOptions, model_argument, screen_of, screen_options, taken, text_options
from treewright.cli.outputs import refuse_outputs
from treewright.cli.table_loading import read_judged, table_features
from treewright.files.workspace import Workspace
from treewright.fitting.learners import METHODS
from treewright.fitting.report import model_section
from treewright.fitting.training_table import weights
from treewright.model_selection.validated_pruning import needs, prune

EPILOG = """\b
Examples:
  treewright prune iris.tw --method pessimistic
  treewright prune iris.tw --method cost_complexity:alpha=0.02 --output small.tw
  treewright prune iris.tw validation.csv --method reduced_error --report

\b
Methods: """ + ", ".join(METHODS)

ROWS = {
    "training": "the table it was made from",
    "holdout": "a table of rows that it was not made from",
}


@click.command("prune", epilog=EPILOG)
@model_argument
@click.argument("data", nargs=-1, metavar="[DATA]...")
@click.option("--method", "-m", required=True, metavar="NAME[:SETTING=VALUE,…]", help="How to prune.")
@click.option("--target", "-t", metavar="NAME", help="The target. [default: what the model was made for]")
@click.option("--weight", "-w", metavar="NAME", help="The column with the weight of each row.")
@click.option("--output", "-o", metavar="FILE", help="Where to save it. [default: MODEL-pruned.tw]")
@click.option("--report", is_flag=True, help="Show what was compared at each node and done.")
@text_options
@screen_options
def command(
    model: str, data: tuple[str, ...], method: str, output: str | None, report: bool, **given: Any
) -> None:
    """Prune a saved model, by any method, on rows where it needs some."""
    screen = screen_of(given)
    path = Path(output) if output else Path(model).with_name(f"{Path(model).stem}-pruned.tw")
    refuse_outputs(path, read=data)
    pruner = pruner_of_text(method)
    if pruner is None:
        raise click.UsageError("--method none prunes nothing.")
    fitted = open_model(model)
    if not hasattr(fitted, "tree_"):
        raise click.UsageError(f"{type(fitted).__name__} is a forest: forests are not pruned.")
    wanted = needs(pruner)
    if wanted != "nothing" and not data:
        raise click.UsageError(f"--method {method} needs rows: add DATA, {ROWS.get(wanted, wanted)}.")
    arguments: tuple[Any, ...] = ()
    if data:
        options = taken(DataOptions, given | {"data": data})
        with Workspace() as workspace:
            table, target = read_judged(workspace, options, fitted, screen)
            weight = None if options.weight is None else weights(table, options.weight)
        arguments = (table_features(table, fitted), table[target], weight)
    smaller = prune(fitted, pruner, *arguments)
    before, after = fitted.tree_, smaller.tree_
    smaller.save(path)
    screen.section(model_section(smaller))
    if report and smaller.report_ is not None:
        screen.title("What was compared, and done")
        screen.text(str(smaller.report_))
    screen.title(f"{before.n_leaves} leaves before, {after.n_leaves} now")
    screen.text(f"saved to {path}")
    screen.result(
        {
            "pruner": repr(pruner),
            "leaves_before": before.n_leaves,
            "leaves": after.n_leaves,
            "depth_before": before.depth,
            "depth": after.depth,
            "output": str(path),
        }
    )
