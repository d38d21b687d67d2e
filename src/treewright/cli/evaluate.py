"""`treewright evaluate`: the metrics of a saved model on rows whose target is known."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.model_loading import open_model
from treewright.cli.options import DataOptions, memory_option, model_command, screen_of, taken
from treewright.cli.screen import Screen
from treewright.cli.table_loading import read_as_judged, read_judged, table_features
from treewright.evaluation import evaluate
from treewright.files.kinds import Reading
from treewright.files.staged_table import Staged
from treewright.files.workspace import Workspace
from treewright.fitting.card import share_learned
from treewright.fitting.report import performance_section, schema_of
from treewright.fitting.training_table import weights
from treewright.formatting.performance import error_line
from treewright.formatting.text import counted

EPILOG = """\b
Examples:
  treewright evaluate iris.tw test.csv
  treewright evaluate iris.tw test.csv --target species --json"""

TOLD = 0.1
"""The share of its training rows from which on figures are called too good; a few are alike by chance."""


@model_command(
    "evaluate",
    EPILOG,
    click.option(
        "--target", "-t", metavar="NAME", help="The true answers. [default: what the model was made for]"
    ),
    click.option("--weight", "-w", metavar="NAME", help="The column with the weight of each row."),
    memory_option,
)
def command(model: str, **given: Any) -> None:
    """Judge a model on a table with a known target.

    Figures of rows that the model was made from are too good: give rows that it has never seen.
    """
    screen, options = screen_of(given), taken(DataOptions, given)
    fitted = open_model(model)
    if options.memory is not None:
        _evaluate_open(fitted, options, screen)
        return
    with Workspace() as workspace:
        table, target = read_judged(workspace, options, fitted, screen)
        weight = None if options.weight is None else weights(table, options.weight)
    X, y = table_features(table, fitted), table[target]
    found, learned = evaluate(fitted, X, y, weight), share_learned(fitted, X, y)
    how = f"{counted(len(table), 'row')} of {table.name}"
    screen.section(performance_section(found, how, calibration=True), first=True)
    validated = fitted.card_.evaluation if learned >= TOLD else None
    if learned >= TOLD:
        screen.text(f"\n{_warning(learned)}")
        if validated is not None:
            screen.text(error_line(validated))
    known = {
        "share_of_training_rows": learned,
        "cross_validation": None if validated is None else validated.to_dict(),
    }
    screen.result(found.to_dict() | known)


def _evaluate_open(model: Any, options: DataOptions, screen: Screen) -> None:
    """Judge a model on files that are larger than memory, in one pass."""
    from treewright.distributed import OpenTable
    from treewright.distributed.judging import judge_files
    from treewright.distributed.sources import TextReading

    target = options.target or getattr(model, "target_name_", None)
    if target is None:
        raise click.UsageError("which column is the target? The model does not say: add --target NAME.")
    schema = schema_of(model)
    columns = [*schema.names, target, *([] if options.weight is None else [options.weight])]

    def readings(workspace: Workspace, staged: Staged, _: list[str]) -> list[Reading]:
        return read_as_judged(workspace, staged, model, screen, target=target, weight=options.weight)

    text = TextReading(options.table.text, readings)
    files = OpenTable(list(options.data), memory=options.memory or "1GB", columns=columns, text=text)
    with screen.passes(len(files)) as progress:
        sums = judge_files(model, schema.names, files, target, options.weight, progress=progress)
    found = sums.evaluation()
    how = f"{counted(len(files), 'row')} of {', '.join(map(repr, options.data))}"
    screen.section(performance_section(found, how, calibration=True), first=True)
    screen.result(found.to_dict())


def _warning(learned: float) -> str:
    """Say that a model is judged on rows it was learned from."""
    which = "These are the rows" if learned == 1 else f"About {100 * learned:.0f} % of the rows"
    here = "" if learned == 1 else " are among these"
    return f"{which} that the model was learned from{here}: the figures above are too good."
