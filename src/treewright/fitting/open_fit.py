"""Learning from files that are larger than memory: what `fit` does with a table that it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.data.column_summary import values_text
from treewright.data.columns import RawNumbers
from treewright.distributed import OpenTable
from treewright.distributed.judging import Fingerprint, cross_validate_parts
from treewright.distributed.open_rows import OpenRows, OpenTableModel
from treewright.distributed.sources import TextReading
from treewright.distributed.survey import example_rows
from treewright.evaluation import CrossValidation
from treewright.files.kinds import Reading, guess
from treewright.files.staged_table import Staged
from treewright.files.table import Table
from treewright.files.workspace import Workspace
from treewright.fitting.card import make_card
from treewright.fitting.learners import folds_for
from treewright.fitting.memory_table import column_of, kind_of
from treewright.fitting.report import MOST_COLUMNS, Section
from treewright.fitting.training_table import Listener, TableOptions, TrainingTable, guess_task, roles
from treewright.formatting.performance import figures_table
from treewright.formatting.text import counted

NOT_OF_OPEN_TABLES = ("query", "classes")
"""What needs the whole table."""
OF_TEXT = ("encoding", "delimiter", "header", "na", "strict", "numeric")
"""What is said about reading text."""
MOST_VALUES = 1000
"""Different values of a target that are looked at to guess its task."""


@dataclass(frozen=True, eq=False)
class OpenTrainingTable(TrainingTable):
    """A table in files to learn from, with what it is taken for; its rows are never in memory."""

    files: OpenTable | None = None
    weight_name: str | None = None
    reading: dict[str, Any] = field(default_factory=dict)
    """Parameters of the estimator that say what columns are."""

    def __len__(self) -> int:
        return len(self.files or ())


def open_training_table(data: Sequence[str], options: TableOptions, memory: str) -> OpenTrainingTable:
    """Open files to learn from.

    Parameters
    ----------
    data : sequence of str
        Names of files, folders, patterns.
    options : TableOptions
        What is said of target and features.
    memory : str
        How much may be used.
    """
    for name in NOT_OF_OPEN_TABLES:
        if getattr(options, name):
            raise ValueError(f"{name} needs the table in memory: leave out --{name} or --memory.")
    named = ", ".join(map(repr, data))
    weight = [] if options.weight is None else [options.weight]
    found: list[tuple[str, list[str]]] = []

    def used(names: list[str]) -> list[str]:
        target, features = roles(names, named, options, None, [])
        features = [name for name in features if name != options.weight]
        found.append((target, features))
        return [*features, target, *weight]

    def readings(workspace: Workspace, staged: Staged, names: list[str]) -> list[Reading]:
        return guess(workspace, staged, options.choices(staged.names), names)

    files = OpenTable(list(data), memory=memory, columns=used, text=TextReading(options.text, readings))
    for name in () if files.is_text else OF_TEXT:
        if getattr(options, name):
            raise ValueError(f"{name} needs the table in memory: leave out --{name} or --memory.")
    target, features = found[0]
    task = options.task or _guess(files, target)
    reading: dict[str, Any] = {}
    if options.categorical:
        reading["categorical_features"] = list(options.categorical)
    if options.ordinal:
        reading["ordinal_features"] = {name: list(order) for name, order in options.ordinal.items()}
    empty = files.schema.empty_table()
    kinds = {name: kind_of(column_of(name, empty.column(name))) for name in files.columns}
    return OpenTrainingTable(
        table=Table(named, {}),
        kinds=kinds,
        target=target,
        features=features,
        task=task,
        weight=None,
        n_left_out=0,
        files=files,
        weight_name=options.weight,
        reading=reading,
    )


def _guess(files: OpenTable, target: str) -> str:
    """Tell whether a target is one of classes or of numbers, as `guess_task` does, by one pass over it."""
    values: Any = np.empty(0)
    for rows in files.batches([target]):
        column = column_of(target, rows.column(target))
        if not isinstance(column, RawNumbers) or column.values.dtype.kind not in "iuf":
            return "classification"
        values = np.unique(np.concatenate([values, column.values[~column.gaps]]))
        if len(values) > MOST_VALUES:
            return "regression"
    return guess_task(RawNumbers(np.concatenate([values, np.repeat(values[:1], len(files) - len(values))])))


@dataclass
class Work:
    """What passes over a table are made for, which is shown of each of them."""

    show: Callable[[str, int, int], None]
    what: str = "reading"

    def __call__(self, number: int, n_done: int) -> None:
        """Tell how many rows a pass has done."""
        self.show(self.what, number, n_done)


@contextmanager
def fitted_rows(data: OpenTrainingTable, model: Any, listener: Listener) -> Iterator[tuple[OpenRows, Work]]:
    """Give the rows of an open table as a model reads them, and who hears of passes over them."""
    if not isinstance(model, OpenTableModel):
        raise ValueError(
            f"{type(model).__name__} needs the table in memory: use the algorithm tree, decision_tree or "
            "forest, or leave out --memory."
        )
    for name, value in data.reading.items():
        setattr(model, name, value)
    model._check_parameters()
    model._refuse_of_open_tables()
    with listener.passes(len(data)) as show:
        work = Work(show)
        with model._open_rows(data.files, data.target, data.weight_name, work) as rows:
            yield rows, work


def fit_open_table(
    data: OpenTrainingTable, model: Any, folds: int | None, seed: int, listener: Listener
) -> tuple[CrossValidation | None, Section]:
    """Fit a model to a table in files, and judge it; give what that came to, and what the table is."""
    with fitted_rows(data, model, listener) as (rows, work):
        section = open_table_section(data, rows)
        work.what = "growing"
        model._fit_parts(rows, ())
        evaluation = validate_open(model, rows, folds, seed, work)
        print_of_rows = rows.ask(Fingerprint(rows.schema))
    model.target_name_ = data.target
    model.card_ = make_card(model, data, evaluation, print_of_rows)
    return evaluation, section


def validate_open(
    model: Any, rows: OpenRows, folds: int | None, seed: int, work: Work
) -> CrossValidation | None:
    """Cross-validate the way in which a model is made, pruning included."""
    n_rows = len(rows.as_a_whole())
    n_folds = folds_for(n_rows) if folds is None else folds
    if not n_folds or n_rows < 2:
        return None

    def begin(fold: int) -> None:
        work.what = f"fold {fold + 1} of {n_folds}"

    return cross_validate_parts(model, rows, n_folds, seed, begin)


def open_table_section(data: OpenTrainingTable, rows: OpenRows) -> Section:
    """Say what the columns were taken as."""
    columns = example_rows(rows.survey, rows.columns.read())
    found = dict(zip(rows.columns.used, rows.survey.columns, strict=True))
    kinds: dict[str, str] = {column.name: column.kind for column in rows.schema.columns}
    lines = [
        (
            name,
            "date" if found[name].holds == "times" else kinds[name],
            values_text(column_of(name, columns.column(name))),
            str(found[name].n_missing or ""),
        )
        for name in data.features[:MOST_COLUMNS]
    ]
    if len(data.features) > MOST_COLUMNS:
        lines.append((f"… {len(data.features) - MOST_COLUMNS} more", "", "", ""))
    kind = "classes" if data.task == "classification" else "numbers"
    values = values_text(column_of(data.target, columns.column(data.target)))
    return Section(
        f"{counted(len(data), 'row')}, {counted(len(data.features), 'feature')} from {data.table.name}",
        (
            *figures_table(["feature", "kind", "values", "missing"], lines, left=3),
            f"target {data.target}: {kind}, {values}",
        ),
    )
