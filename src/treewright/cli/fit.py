"""`treewright fit`: from a table to a tree, its estimated error, and a model file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from treewright.cli.learners import check_learner, learner
from treewright.cli.learning_options import LearnerOptions, learning_command
from treewright.cli.options import DataOptions, memory_option, screen_of, taken
from treewright.cli.outputs import refuse_other_than_page, refuse_outputs
from treewright.cli.screen import Screen
from treewright.files.workspace import Workspace
from treewright.fitting.fit import advice_section, fit_table
from treewright.fitting.learners import check_folds
from treewright.fitting.report import importance_section, model_section, performance_section, table_section
from treewright.fitting.training_table import read_training_table
from treewright.formatting.performance import folds_text

EPILOG = """\b
Examples:
  treewright fit iris.csv --target species
  treewright fit 'sales-*.parquet' -t price --ignore id,date --output prices.tw
  treewright fit loans.csv --formula 'default ~ . - id' --costs '[[0, 1], [5, 0]]'
  treewright fit 'big/*.parquet' --target y --memory 2GB
  treewright fit weather.arff --algorithm c4.5
  treewright fit people.csv -t income --query "select * from data where age >= 18" """


@learning_command(
    "fit",
    EPILOG,
    click.option(
        "--output", "-o", metavar="FILE", help="Where to save the model. [default: DATA's name, .tw]"
    ),
    click.option("--no-save", is_flag=True, help="Save no model."),
    click.option("--html", metavar="FILE", help="Write report and explorer as one web page, too."),
    memory_option,
    click.option(
        "--folds", type=click.IntRange(min=0), metavar="N", help="Folds to judge by; 0: do not. [default: 10]"
    ),
)
def command(output: str | None, no_save: bool, html: str | None, folds: int | None, **given: Any) -> None:
    """Learn from a table, show the tree and its estimated error, and save it.

    DATA is a file of any common form (CSV, TSV, JSON lines, Parquet, Arrow, ARFF, C4.5), packed or not,
    several of them, a pattern, or - for standard input. Kinds of columns are guessed from all values and
    shown; missing values are empty fields, ?, NA, N/A, NaN and NULL.
    """
    options, screen = taken(DataOptions, given), screen_of(given)
    learning = taken(LearnerOptions, given)
    path = None if no_save else Path(output or default_output(options.data))
    refuse_outputs(path, html, read=options.data)
    refuse_other_than_page(html)
    check_folds(folds)
    check_learner(learning)
    if options.memory is not None:
        if html is not None:
            raise click.UsageError("--html needs the table in memory: leave it out, or --memory.")
        _fit_open(options, learning, folds, path, screen)
        return
    with Workspace() as workspace:
        data = read_training_table(workspace, options.data, options.table, screen)
        model = learner(learning, data)
    screen.works_unread = not no_save or html is not None
    screen.section(table_section(data), first=True)
    result = fit_table(data, model, folds, learning.seed, screen)
    if path is not None:
        result.save(path)
    for section in result.model_sections():
        screen.section(section)
    if html is not None:
        result.to_html(html)
    written = [str(file) for file in (path, html) if file is not None]
    screen.text(f"\nsaved to {' and '.join(written)}" if written else "\nnothing was saved")
    if screen.as_json:
        screen.result(result.to_dict() | {"output": None if path is None else str(path)})


def _fit_open(
    options: DataOptions, learning: LearnerOptions, folds: int | None, path: Path | None, screen: Screen
) -> None:
    """Learn from files that are larger than memory."""
    from treewright.fitting.open_fit import fit_open_table, open_training_table

    assert options.memory is not None
    data = open_training_table(options.data, options.table, options.memory)
    model = learner(learning, data)
    screen.works_unread = path is not None
    evaluation, table = fit_open_table(data, model, folds, learning.seed, screen)
    screen.section(table, first=True)
    if path is not None:
        model.save(path)
    screen.section(model_section(model, missing=False))
    if evaluation is not None:
        screen.section(performance_section(evaluation.evaluation, folds_text(evaluation)))
    for section in (importance_section(model), advice_section(model, evaluation)):
        if section is not None:
            screen.section(section)
    screen.text("\nnothing was saved" if path is None else f"\nsaved to {path}")
    known: dict[str, Any] = {"kind": type(model).__name__}
    if hasattr(model, "tree_"):
        known |= {"leaves": model.tree_.n_leaves, "tree": model.tree_.to_dict()}
    screen.result(
        {
            "data": {"source": data.table.name.strip("'"), "rows": len(data), "target": data.target},
            "model": known,
            "cross_validation": None if evaluation is None else evaluation.to_dict(),
            "output": None if path is None else str(path),
        }
    )


def default_output(data: tuple[str, ...]) -> str:
    """Name the model after the data, in the folder one works in.

    Examples
    --------
    >>> default_output(("tables/iris.csv.gz",)), default_output(("-",)), default_output(("a-*.csv",))
    ('iris.tw', 'model.tw', 'a.tw')
    """
    name = os.path.basename(data[0]).split(".")[0].replace("*", "").strip("-_ ")
    return f"{name or 'model'}.tw"
