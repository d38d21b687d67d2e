"""`treewright convert`: a table written in another form."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.options import (
    DataOptions,
    kind_options,
    screen_of,
    spreadsheet_option,
    table_command,
    taken,
)
from treewright.cli.outputs import refuse_outputs
from treewright.files.kinds import guess
from treewright.files.output import check_output, write_table
from treewright.files.table import unknown_column
from treewright.files.workspace import Workspace
from treewright.fitting.training_table import listed, stage
from treewright.formatting.text import counted

EPILOG = """\b
Examples:
  treewright convert weather.arff --output weather.csv
  treewright convert 'part-*.csv.gz' --output all.parquet
  treewright convert golf.data --output golf.jsonl --query "select * from data where wind = 'weak'" """


@table_command(
    "convert",
    EPILOG,
    click.option(
        "--output",
        "-o",
        required=True,
        metavar="FILE",
        help=".csv, .tsv, .jsonl, .json, .parquet, .arrow, .feather or .arff; .gz and .zst pack text.",
    ),
    click.option("--ignore", multiple=True, metavar="NAMES", help="Columns to leave out."),
    spreadsheet_option,
    kind_options,
)
def command(output: str, spreadsheet: bool, **given: Any) -> None:
    """Write a table in another form, with the kinds that its columns were found to have."""
    screen, options = screen_of(given), taken(DataOptions, given)
    check_output(output, spreadsheet)
    refuse_outputs(output, read=options.data)
    with Workspace() as workspace:
        staged = stage(workspace, options.data, options.table, screen)
        ignored = listed(options.ignore, staged.names)
        for name in ignored:
            if name not in staged.columns:
                raise unknown_column(name, staged.names, staged.name)
        names = [name for name in staged.names if name not in ignored]
        readings = guess(workspace, staged, options.table.choices(staged.names), names)
        write_table(workspace, staged, readings, output, spreadsheet)
    screen.text(f"{counted(staged.n_rows, 'row')}, {counted(len(names), 'column')} written to {output}")
    screen.result({"rows": staged.n_rows, "columns": names, "output": output})
