"""Loading of tables with the columns that a model was fitted on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from treewright.cli.options import DataOptions
from treewright.cli.screen import Screen
from treewright.data import Column
from treewright.data.columns import RawCodes
from treewright.errors import DataError
from treewright.files.delimited import literal
from treewright.files.kinds import Reading, as_at_fit
from treewright.files.staged_table import Staged
from treewright.files.table import Table, unknown_column
from treewright.files.workspace import Workspace
from treewright.fitting.report import schema_of
from treewright.fitting.training_table import refuse_infinities, stage, with_target
from treewright.formatting.text import counted


def read_features(workspace: Workspace, staged: Staged, model: Any, screen: Screen) -> list[Reading]:
    """Decide how to read the columns that a model needs; say what is missing or was never seen."""
    columns = schema_of(model).columns
    absent = [column.name for column in columns if column.name not in staged.columns]
    if absent:
        raise _absent(absent, staged, len(columns))
    readings = as_at_fit(workspace, staged, columns)
    categories = workspace.categories(readings)
    policy = getattr(model, "unseen", "missing")
    for column, reading in zip(columns, readings, strict=True):
        found = _unseen(workspace, staged, column, reading, categories.get(column.name, ()))
        if found is not None and policy == "error":
            raise DataError(f"{found}, and the model refuses such.")
        if found is not None:
            fate = "they follow the largest branch" if policy == "majority" else "they are missing"
            screen.note(f"{found}; {fate}.")
    return readings


def _absent(absent: list[str], staged: Staged, n_features: int) -> DataError:
    if len(absent) == 1:
        return unknown_column(absent[0], staged.names, staged.name)
    listed = ", ".join(map(repr, absent[:10])) + (", …" if len(absent) > 10 else "")
    return DataError(f"{staged.name} lacks {len(absent)} of the model's {n_features} columns: {listed}.")


def _unseen(
    workspace: Workspace, staged: Staged, column: Column, reading: Reading, categories: tuple[str, ...]
) -> str | None:
    """Say which categories of a column the model has never seen."""
    if column.kind == "numeric" or not reading.is_text or reading.kind != "categorical":
        return None
    unseen = [category for category in categories if category not in column.code_of]
    if not unseen:
        return None
    condition = f"{reading.value} IN ({', '.join(map(literal, unseen))})"
    first = workspace.first(condition, reading.value)
    assert first is not None
    ((rows,),) = workspace.answer(f"SELECT count(*) FROM staged WHERE {condition}")
    return (
        f"column {column.name!r} of {staged.name} has values that the model has never seen in "
        f"{counted(rows, 'row')}, first {first[1]!r} ({staged.locate(first[0])})"
    )


def read_judged(workspace: Workspace, options: DataOptions, model: Any, screen: Screen) -> tuple[Table, str]:
    """Read the features and the target of a table as they were at fit; rows without a target are left out."""
    staged = stage(workspace, options.data, options.table, screen)
    target = options.target or getattr(model, "target_name_", None) or staged.target
    if target is None:
        raise click.UsageError("which column is the target? The model does not say: add --target NAME.")
    staged.kind(target)
    readings = read_as_judged(workspace, staged, model, screen, target=target, weight=options.weight)
    table, _ = with_target(workspace.load(staged, readings), target, screen.note)
    refuse_infinities(table, model)
    return table, target


def read_as_judged(
    workspace: Workspace, staged: Staged, model: Any, screen: Screen, *, target: str, weight: str | None
) -> list[Reading]:
    """Decide how to read features, target and weights as they were at fit."""
    classes = schema_of(model).classes
    truth = Column(target) if classes is None else Column(target, "categorical", tuple(classes.tolist()))
    further = [truth] if weight is None else [truth, Column(weight)]
    return [*read_features(workspace, staged, model, screen), *as_at_fit(workspace, staged, further)]


def row_values(table: Table) -> dict[str, Any]:
    """Give the one row of a table as values by name; None is missing."""
    row: dict[str, Any] = {}
    for name, raw in table.columns.items():
        if raw.gaps[0]:
            row[name] = None
        elif isinstance(raw, RawCodes):
            row[name] = raw.categories[int(raw.codes[0])]
        else:
            row[name] = raw.values[0] if raw.values.dtype.kind in "mM" else raw.values[0].item()
    return row


def table_features(table: Table, model: Any) -> Any:
    """Give the features of a table as a model takes them."""
    schema = schema_of(model)
    features = table.features(schema.names)
    return features if schema.named else replace(features, names=None)
