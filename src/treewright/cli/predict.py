"""`treewright predict`: the predictions of a model for a table of any size."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from treewright.cli.model_loading import open_model
from treewright.cli.options import (
    DataOptions,
    memory_option,
    model_command,
    screen_of,
    spreadsheet_option,
    taken,
)
from treewright.cli.outputs import refuse_outputs
from treewright.cli.table_loading import read_features, table_features
from treewright.data.columns import plain
from treewright.distributed.memory import database_bytes, read_size
from treewright.errors import DataError
from treewright.files.output import check_output, write_query
from treewright.files.staged_table import quoted_name
from treewright.files.staging import CHUNK_ROWS
from treewright.files.table import unknown_column
from treewright.files.workspace import Workspace
from treewright.fitting.report import schema_of
from treewright.fitting.training_table import listed, refuse_infinities, stage
from treewright.formatting.text import counted

EPILOG = """\b
Examples:
  treewright predict iris.tw new.csv
  treewright predict iris.tw new.csv --keep id --proba --output answers.parquet
  cat new.csv | treewright predict iris.tw - > answers.csv"""

SQL_TYPES = {"i": "BIGINT", "u": "UBIGINT", "f": "DOUBLE", "b": "BOOLEAN"}


@model_command(
    "predict",
    EPILOG,
    click.option(
        "--output",
        "-o",
        default="-",
        metavar="FILE",
        help="Where to write: .csv, .tsv, .jsonl, .parquet, .arrow.",
    ),
    click.option("--keep", multiple=True, metavar="NAMES", help="Columns of DATA to write too; * is all."),
    click.option("--proba", is_flag=True, help="Write the probability of every class too."),
    click.option("--leaf", is_flag=True, help="Write the leaf of each row too."),
    spreadsheet_option,
    memory_option,
)
def command(model: str, output: str, keep: tuple[str, ...], spreadsheet: bool, **given: Any) -> None:
    """Predict the rows of a table of any size.

    Rows are read, predicted and written in parts, in their order: memory stays bounded. Columns are found by
    name and read as they were when the model was made; others may be there too.
    """
    screen, options = screen_of(given), taken(DataOptions, given)
    proba, leaf = bool(given["proba"]), bool(given["leaf"])
    check_output(output, spreadsheet)
    refuse_outputs(output, read=[model, *options.data])
    fitted = open_model(model)
    if proba and schema_of(fitted).classes is None:
        raise click.UsageError("--proba needs a model of classes, and this one predicts numbers.")
    if leaf and not hasattr(fitted, "tree_"):
        raise click.UsageError(f"--leaf needs a model of one tree, and this is a {type(fitted).__name__}.")
    memory = None if options.memory is None else database_bytes(read_size(options.memory))
    with Workspace(memory) as workspace:
        staged = stage(workspace, options.data, options.table, screen)
        kept = staged.names if keep == ("*",) else listed(keep, staged.names)
        for name in kept:
            if name not in staged.columns:
                raise unknown_column(name, staged.names, staged.name)
        readings = read_features(workspace, staged, fitted, screen)
        columns = _columns(fitted, proba, leaf)
        for name in columns:
            if name in kept:
                raise DataError(f"{staged.name} has a column {name!r} already: leave it out of --keep.")
        described = ", ".join(f"{quoted_name(name)} {kind}" for name, kind in columns.items())
        workspace.connection.execute(f"CREATE TABLE predicted ({described})")
        with screen.progress("predicting") as progress:
            for begin, table in workspace.chunks(staged, readings):
                refuse_infinities(table, fitted)
                workspace.append("predicted", _answers(fitted, table_features(table, fitted), proba, leaf))
                progress(min(1.0, (begin + CHUNK_ROWS) / staged.n_rows))
        kept_columns = [f"staged.{staged.identifier(name)} AS {quoted_name(name)}" for name in kept]
        listed_columns = ", ".join([*kept_columns, "predicted.*"])
        query = f"SELECT {listed_columns} FROM staged POSITIONAL JOIN predicted"
        write_query(workspace, query, output, spreadsheet)
    if output != "-":
        screen.text(f"{counted(staged.n_rows, 'row')} predicted, written to {output}")
        screen.result({"rows": staged.n_rows, "output": output})


def _columns(model: Any, proba: bool, leaf: bool) -> dict[str, str]:
    """Name what is written, with its type in SQL."""
    classes = schema_of(model).classes
    kind = "DOUBLE" if classes is None else SQL_TYPES.get(classes.dtype.kind, "VARCHAR")
    columns = {"prediction": kind}
    if proba and classes is not None:
        columns |= {f"p {plain(label)}": "DOUBLE" for label in classes}
    return columns | ({"leaf": "INTEGER"} if leaf else {})


def _answers(model: Any, X: Any, proba: bool, leaf: bool) -> dict[str, Any]:
    """Predict some rows, as arrays by name."""
    predicted = model.predict(X)
    if predicted.dtype.kind in "UO":
        predicted = np.array(
            [None if label is None else str(plain(label)) for label in predicted], dtype=object
        )
    answers: dict[str, Any] = {"prediction": predicted}
    if proba:
        shares = np.asfortranarray(model.predict_proba(X))
        answers |= {f"p{index}": shares[:, index].copy() for index in range(shares.shape[1])}
    if leaf:
        answers["leaf"] = model.apply(X)
    return answers
