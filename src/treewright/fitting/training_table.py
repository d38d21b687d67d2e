"""The training table: features, target and sample weights, out of files or of a table in memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.data.arrays import RawTable
from treewright.data.columns import Raw, RawCodes
from treewright.data.identifiers import FEWEST_ROWS
from treewright.errors import DataError
from treewright.files.formula import parse_formula
from treewright.files.kinds import Choices, guess
from treewright.files.staged_table import Staged, TextOptions
from treewright.files.table import Table, unknown_column
from treewright.files.workspace import Workspace
from treewright.fitting.memory_table import (
    NAME,
    column_of,
    columns_of,
    has_names,
    kind_of,
    memory_table,
    odd_texts,
)
from treewright.formatting.suggestions import nearest
from treewright.formatting.text import counted, number_text, quoted
from treewright.parameter_types import is_number

MOST_CLASSES = 20
"""Whole numbers of no more different values than this are guessed to be classes."""

MOST_ODD_CLASSES, ROWS_OF_A_CLASS = 1000, 10
"""More classes, of fewer rows each, are refused: every node counts all of them, which takes gigabytes."""


class Listener(Protocol):
    """Who is told how reading and learning go on: the screen of a command, or nobody."""

    def note(self, text: str) -> None:
        """Hear something that is no result."""

    def progress(self, what: str, known: bool = True) -> AbstractContextManager[Callable[[float], None]]:
        """Hear that long work goes on, and of its share that is done."""

    def passes(self, n_rows: int) -> AbstractContextManager[Callable[[str, int, int], None]]:
        """Hear of passes over a table: what they are for, which it is, and how many rows it has done."""


class Nobody:
    """A listener that does not listen."""

    def note(self, text: str) -> None:
        """Say nothing."""

    def progress(self, what: str, known: bool = True) -> AbstractContextManager[Callable[[float], None]]:
        """Show nothing."""
        return nullcontext(lambda share: None)

    def passes(self, n_rows: int) -> AbstractContextManager[Callable[[str, int, int], None]]:
        """Show nothing."""
        return nullcontext(lambda what, number, done: None)


@dataclass(frozen=True)
class TableOptions:
    """How a table is read, and what its columns are; `treewright.fit` says what each option means."""

    target: Any = None
    formula: str | None = None
    ignore: Sequence[str] = ()
    weight: Any = None
    task: str | None = None
    classes: Sequence[Any] = ()
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    ordinal: Mapping[str, Sequence[Any]] | None = None
    strict: bool = False
    query: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    na: Sequence[str] = ()

    @property
    def text(self) -> TextOptions:
        """How text files are read."""
        return TextOptions(self.encoding, self.delimiter, self.header, tuple(self.na))

    def choices(self, names: Sequence[str]) -> Choices:
        """What is said about columns."""
        return Choices(
            numeric=listed(self.numeric, names),
            categorical=listed(self.categorical, names),
            ordinal={name: tuple(order) for name, order in (self.ordinal or {}).items()},
            strict=self.strict,
        )


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """A table to learn from, with what it is taken for.

    Parameters
    ----------
    table : Table
        Features, target and weights; rows without a target are left out.
    kinds : dict of str to str
        What the columns were taken as: numeric, categorical, ordinal or date.
    target : str
    features : list of str
    task : {"classification", "regression"}
    weight : array or None
    n_left_out : int
        Rows without a target.
    notes : tuple of str
        What was noticed on reading.
    named : bool
        Whether the columns have names of their own.
    """

    table: Table
    kinds: dict[str, str]
    target: str
    features: list[str]
    task: str
    weight: NDArray[np.float64] | None
    n_left_out: int
    notes: tuple[str, ...] = ()

    named: bool = True

    def __len__(self) -> int:
        return len(self.table)

    @property
    def has_missing(self) -> bool:
        """Whether a feature misses values."""
        return any(self.table[name].gaps.any() for name in self.features)

    @property
    def X(self) -> RawTable:  # noqa: N802  # the name everybody knows
        """The features, as estimators take them."""
        features = self.table.features(self.features)
        return features if self.named else replace(features, names=None)

    @property
    def y(self) -> Raw:
        """The target."""
        return self.table[self.target]


def read_training_table(
    workspace: Workspace, source: Any, options: TableOptions, listener: Listener
) -> TrainingTable:
    """Read the table to learn from: files by their names, or any table in memory.

    Parameters
    ----------
    workspace : Workspace
        Where files are staged; it must be open as long as errors are to name lines.
    source : str, path, sequence of them, or table
    options : TableOptions
    listener : Listener
    """
    noted: list[str] = []

    def note(text: str) -> None:
        noted.append(text)
        listener.note(text)

    if is_file(source):
        if not isinstance(options.target, str | None):
            raise ValueError("target must be the name of a column where the table is a file.")
        with hearing(noted):
            table, kinds, target, features, weight = _read_files(workspace, source, options, listener, note)
    else:
        table, kinds, target, features, weight = _read_memory(source, options)
        for text in odd_texts(table, features, options.choices(table.names)):
            note(text)
    if not features:
        raise DataError(f"{table.name} has no columns to learn from besides the target {target!r}.")
    table, kept = with_target(table, target, note)
    if len(options.classes):
        table = replace(table, columns=table.columns | {target: in_order(table, target, options)})
    if isinstance(weight, str):
        weight = weights(table, weight)
    elif weight is not None:
        weight = np.asarray(weight, dtype=np.float64)
        weight = weight if kept is None or len(weight) != len(kept) else weight[kept]
    task = options.task or guess_task(table[target])
    if task == "classification" and (odd := _odd_classes(table, target)):
        note(f"the target {target!r} {odd}.")
    n_left_out = 0 if kept is None else int((~kept).sum())
    named = is_file(source) or has_names(source)
    return TrainingTable(table, kinds, target, features, task, weight, n_left_out, tuple(noted), named)


@contextmanager
def hearing(noted: list[str]) -> Iterator[None]:
    """Add the warnings that reading gives to what was noticed; they are given all the same."""
    heard: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            yield
    finally:
        for one in heard:
            noted.append(str(one.message))
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


Read = tuple[Table, dict[str, str], str, list[str], Any]
"""A table, the kinds of its columns, the target, the features, and the name or the values of the weights."""


def is_file(source: Any) -> bool:
    """Tell whether a source is named, rather than given."""
    several = isinstance(source, list | tuple) and len(source) > 0
    return all(isinstance(part, str | os.PathLike) for part in (source if several else [source]))


def stage(workspace: Workspace, source: Any, options: TableOptions, listener: Listener) -> Staged:
    """Stage the files of a source, and answer its query."""
    several = source if isinstance(source, list | tuple) else [source]
    with listener.progress("reading", known=False):
        staged = workspace.stage(tuple(map(os.fspath, several)), options.text)
        if options.query is not None:
            staged = workspace.query(staged, options.query, options.choices(staged.names))
    return staged


def _read_files(
    workspace: Workspace, source: Any, options: TableOptions, listener: Listener, note: Callable[[str], None]
) -> Read:
    staged = stage(workspace, source, options, listener)
    if staged.dialect is not None and not staged.dialect.header and options.header is None:
        note(
            f"the first line of {staged.name} does not look like names, so columns are x0, x1, …; "
            "--header takes it as names."
        )
    skipped = [name for name, column in staged.declared.items() if column.kind == "ignore"]
    target, features = roles(staged.names, staged.name, options, staged.target, skipped)
    weight = options.weight if options.weight is not None else staged.weight
    if isinstance(weight, str):
        staged.kind(weight)
        features = [name for name in features if name != weight]
    wanted = [*features, target, *([weight] if isinstance(weight, str) else [])]
    with listener.progress("looking at all values", known=False):
        guessed = guess(workspace, staged, options.choices(staged.names), wanted)
        table = workspace.load(staged, guessed)
    return table, {reading.name: reading.kind for reading in guessed}, target, features, weight


def _read_memory(source: Any, options: TableOptions) -> Read:
    """Take a table in memory, with the target among its columns or beside them."""
    for name in ("query", "encoding", "delimiter", "header"):
        if getattr(options, name) is not None:
            raise ValueError(f"{name} is for files, and the table is a {type(source).__name__}.")
    columns = columns_of(source)
    if options.target is not None and not isinstance(options.target, str):
        wanted = str(getattr(options.target, "name", None) or "target")
        columns = {name: column for name, column in columns.items() if name != wanted}
        columns[wanted] = column_of(wanted, options.target)
        options = replace(options, target=wanted)
    target, features = roles(list(columns), NAME, options, None, [])
    if isinstance(options.weight, str):
        if options.weight not in columns:
            raise unknown_column(options.weight, list(columns), NAME)
        features = [feature for feature in features if feature != options.weight]
    table = memory_table(columns, options.choices(list(columns)), options.na)
    return table, {name: kind_of(table[name]) for name in table.names}, target, features, options.weight


def with_target(
    table: Table, target: str, note: Callable[[str], None]
) -> tuple[Table, NDArray[np.bool_] | None]:
    """Leave out the rows whose target is missing; say which are kept, None if all are."""
    gaps = table[target].gaps
    if not gaps.any():
        return table, None
    if gaps.all():
        raise DataError(f"column {target!r} of {table.name}, the target, has no values.")
    n_left_out, first = int(gaps.sum()), table.locate(int(np.flatnonzero(gaps)[0]))
    note(f"{counted(n_left_out, 'row')} without a value of the target {target!r} left out, first at {first}.")
    return table.take(~gaps), ~gaps


def _odd_classes(table: Table, target: str) -> str:
    """Say why there is little to learn of a target, refuse it if that would not end; nothing if there is."""
    raw = table[target]
    values = raw.codes if isinstance(raw, RawCodes) else raw.values
    n_rows, n_classes = len(values), len(np.unique(values))
    if n_classes == 1:
        return "has one class only: there is nothing to tell apart"
    odd = f"has {n_classes} classes in {n_rows} rows: it looks like an identifier, or like numbers"
    if n_classes > MOST_ODD_CLASSES and n_rows < ROWS_OF_A_CLASS * n_classes:
        raise DataError(f"column {target!r} of {table.name}, the target, {odd}.")
    return odd if n_classes > n_rows / 2 and n_rows >= FEWEST_ROWS else ""


def in_order(table: Table, target: str, options: TableOptions) -> RawCodes:
    """Give the target as classes in the order of the option `classes`, which names each of them once."""
    raw = table[target]
    if options.task == "regression":
        raise ValueError("classes goes with classes, not with the task regression.")
    if isinstance(raw, RawCodes):
        labels, codes = list(raw.categories), np.asarray(raw.codes)
    else:
        values, codes = np.unique(raw.values, return_inverse=True)
        labels = list(values.tolist())
    used = np.unique(codes)
    of_text = {_text(labels[at]): at for at in used if at >= 0}
    wanted = listed([_text(label) for label in options.classes], list(of_text))
    for name in wanted:
        if name not in of_text:
            raise DataError(
                f"classes names {name!r}, which is no class of the target {target!r} of {table.name}."
                f"{nearest(name, list(of_text))}"
            )
    left = [quoted(name) for name in of_text if name not in wanted]
    if left:
        raise DataError(f"classes must name every class of the target {target!r}: {left[0]} is left out.")
    place = np.zeros(len(labels), np.int32)
    place[[of_text[name] for name in wanted]] = np.arange(len(wanted))
    return RawCodes(place[codes], tuple(labels[of_text[name]] for name in wanted), declared=True)


def _text(label: Any) -> str:
    return number_text(label) if is_number(label) else str(label)


def listed(values: Sequence[str] | str, names: Sequence[str]) -> tuple[str, ...]:
    """Read names that may be given one by one or joined by commas.

    Examples
    --------
    >>> listed(["a,b", "x, y"], ["a", "b", "x, y"])
    ('a', 'b', 'x, y')
    """
    found: list[str] = []
    for value in [values] if isinstance(values, str) else values:
        found += [value] if value in names else [name.strip() for name in str(value).split(",")]
    return tuple(dict.fromkeys(found))


def weights(table: Table, name: str) -> NDArray[np.float64]:
    """Read the weight of each row."""
    raw = table[name]
    if isinstance(raw, RawCodes) or raw.values.dtype.kind not in "biuf":
        raise DataError(f"column {name!r} of {table.name} should hold weights, and holds no numbers.")
    values = raw.values.astype(np.float64)
    odd = raw.gaps | ~np.isfinite(values) | (values < 0)
    if odd.any():
        row = int(np.flatnonzero(odd)[0])
        shown = "no value" if raw.gaps[row] else number_text(values[row])
        raise DataError(
            f"column {name!r} of {table.name} should hold weights, and holds {shown} ({table.locate(row)}): "
            "a weight is a number from 0 on."
        )
    return values


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
                "correct it, or take it as missing (na)."
            )


def guess_task(target: Raw) -> str:
    """Tell whether a target is one of classes or of numbers.

    Text and truth values are classes, and so are whole numbers of few different values.

    Examples
    --------
    >>> from treewright.data.columns import RawNumbers
    >>> guess_task(RawNumbers(np.array([1, 2, 1, 2, 1]))), guess_task(RawNumbers(np.array([1.5, 2.0])))
    ('classification', 'regression')
    """
    if isinstance(target, RawCodes) or target.values.dtype.kind == "b":
        return "classification"
    values = target.values[~target.gaps]
    if values.dtype.kind not in "iuf":
        return "classification"
    few = len(np.unique(values)) <= min(MOST_CLASSES, len(values) / 2)
    return "classification" if few and not np.any(values % 1) else "regression"


def roles(
    names: list[str], where: str, options: TableOptions, declared: str | None, skipped: Sequence[str]
) -> tuple[str, list[str]]:
    """Find the target and the features."""
    ignored = listed(options.ignore, names)
    for name in ignored:
        if name not in names:
            raise unknown_column(name, names, where)
    left_out = {*skipped, *ignored}
    if options.formula is not None:
        formula = parse_formula(options.formula)
        if options.target not in (None, formula.target):
            raise ValueError(
                f"{options.target!r} and the formula's {formula.target!r} are two targets: give one."
            )
        chosen = formula.select(names, where)
        return formula.target, [name for name in chosen if name not in left_out]
    target = options.target or declared
    if target is None:
        raise ValueError(
            f"which column is to be predicted? Name it as the target (--target NAME); {where} has "
            f"{', '.join(names[:20])}{', …' if len(names) > 20 else ''}."
        )
    if target not in names:
        raise unknown_column(target, names, where)
    return target, [name for name in names if name != target and name not in left_out]
