"""Saved models: how commands open one, and read a table as it was read for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click
import numpy as np

from treewright.cli.options import DataOptions
from treewright.cli.problem import read_staged, with_target
from treewright.cli.screen import Screen
from treewright.data import Column
from treewright.errors import DataError, ModelFileError
from treewright.files.delimited import literal
from treewright.files.kinds import Reading, as_at_fit
from treewright.files.table import Table, unknown_column
from treewright.files.workspace import Staged, Workspace
from treewright.words import counted


def open_model(path: str) -> Any:
    """Read a model file, or say why it cannot be."""
    from treewright.models import load

    try:
        return load(path)
    except OSError as problem:
        raise ModelFileError(f"cannot read {path!r}: {problem.strerror or problem}.") from None


def schema_of(model: Any) -> Any:
    """Give the schema of a model's tree, or of a forest's first."""
    return model.tree_.schema if hasattr(model, "tree_") else model.schema_


def read_features(workspace: Workspace, staged: Staged, model: Any, screen: Screen) -> list[Reading]:
    """Decide how to read the columns that a model needs; say what is missing or was never seen."""
    columns = schema_of(model).columns
    absent = [column.name for column in columns if column.name not in staged.columns]
    if absent:
        raise _absent(absent, staged, len(columns))
    readings = as_at_fit(workspace, staged, columns)
    for column, reading in zip(columns, readings, strict=True):
        _unseen(workspace, staged, model, column, reading, screen)
    return readings


def _absent(absent: list[str], staged: Staged, n_features: int) -> DataError:
    if len(absent) == 1:
        return unknown_column(absent[0], staged.names, staged.name)
    listed = ", ".join(map(repr, absent[:10])) + (", …" if len(absent) > 10 else "")
    return DataError(f"{staged.name} lacks {len(absent)} of the model's {n_features} columns: {listed}.")


def _unseen(
    workspace: Workspace, staged: Staged, model: Any, column: Column, reading: Reading, screen: Screen
) -> None:
    """Say which categories the model has never seen."""
    if column.kind == "numeric" or not reading.is_text or reading.kind != "categorical":
        return
    unseen = [category for category in workspace.categories(reading) if category not in column.code_of]
    if not unseen:
        return
    listed = ", ".join(map(literal, unseen))
    first = workspace.first(f"{reading.value} IN ({listed})", reading.value)
    (rows,) = workspace.connection.execute(
        f"SELECT count(*) FROM staged WHERE {reading.value} IN ({listed})"
    ).fetchone()
    assert first is not None
    found = (
        f"column {column.name!r} of {staged.name} has values that the model has never seen in "
        f"{counted(rows, 'row')}, first {first[1]!r} ({staged.locate(first[0])})"
    )
    if model.unseen == "error":
        raise DataError(f"{found}, and the model refuses such.")
    screen.note(
        f"{found}; {'they follow the largest branch' if model.unseen == 'majority' else 'they are missing'}."
    )


def refuse_infinities(table: Table, model: Any) -> None:
    """Refuse infinite numbers, by their place in the file."""
    if getattr(model, "inf", "error") == "extreme":
        return
    for name, raw in table.columns.items():
        values = getattr(raw, "values", None)
        if values is not None and values.dtype.kind == "f" and np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise DataError(
                f"column {name!r} of {table.name} holds an infinite number ({table.locate(row)}): "
                "correct it, or take it as missing with --na."
            )


def read_judged(workspace: Workspace, options: DataOptions, model: Any, screen: Screen) -> tuple[Table, str]:
    """Read the features and the target of a table as they were at fit; rows without a target are left out."""
    staged = read_staged(workspace, options)
    target = options.target or getattr(model, "target_name_", None) or staged.target
    if target is None:
        raise click.UsageError("which column is the target? The model does not say: add --target NAME.")
    staged.kind(target)
    schema = schema_of(model)
    classes = schema.classes
    truth = Column(target) if classes is None else Column(target, "categorical", tuple(classes.tolist()))
    readings = [*read_features(workspace, staged, model, screen), *as_at_fit(workspace, staged, [truth])]
    if options.weight is not None:
        readings += as_at_fit(workspace, staged, [Column(options.weight)])
    table, _ = with_target(workspace.load(staged, readings), target, screen)
    refuse_infinities(table, model)
    return table, target


def table_features(table: Table, model: Any) -> Any:
    """Give the features of a table as a model takes them."""
    schema = schema_of(model)
    features = table.features(schema.names)
    return features if schema.named else replace(features, names=None)
