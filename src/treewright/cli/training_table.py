"""The training table of a command: its file, target, features and sample weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from treewright.cli.options import DataOptions, listed
from treewright.cli.screen import Screen, number
from treewright.data.arrays import RawTable
from treewright.data.columns import Raw, RawCodes
from treewright.errors import DataError
from treewright.files.formula import parse_formula
from treewright.files.kinds import Reading, guess
from treewright.files.staged_table import Staged
from treewright.files.table import Table, unknown_column
from treewright.files.workspace import Workspace
from treewright.formatting.suggestions import nearest
from treewright.formatting.text import counted, number_text, quoted
from treewright.parameter_types import is_number

MOST_CLASSES = 20
"""Whole numbers of no more different values than this are guessed to be classes."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A table to learn from, with what it is taken for.

    It is what `fit`, `cv`, `compare`, `trace` and `explore` begin with.

    Parameters
    ----------
    table : Table
        Features, target and weights; rows without a target are left out.
    readings : dict of str to Reading
        What the columns were taken as.
    target : str
    features : list of str
    task : {"classification", "regression"}
    weight : array or None
    n_left_out : int
        Rows without a target.
    """

    table: Table
    readings: dict[str, Reading]
    target: str
    features: list[str]
    task: str
    weight: NDArray[np.float64] | None
    n_left_out: int

    @property
    def X(self) -> RawTable:  # noqa: N802  # the name everybody knows
        """The features, as estimators take them."""
        return self.table.features(self.features)

    @property
    def y(self) -> Raw:
        """The target."""
        return self.table[self.target]


def read_staged(workspace: Workspace, options: DataOptions, screen: Screen) -> Staged:
    """Stage the files that the options name, and answer their query."""
    with screen.progress("reading", known=False):
        staged = workspace.stage(options.data, options.text)
        if options.query is not None:
            staged = workspace.query(staged, options.query, options.choices(staged.names))
    return staged


def read_problem(workspace: Workspace, options: DataOptions, screen: Screen) -> Problem:
    """Read the table to learn from, as the options say."""
    staged = read_staged(workspace, options, screen)
    if staged.dialect is not None and not staged.dialect.header and options.header is None:
        screen.note(
            f"the first line of {staged.name} does not look like names, so columns are x0, x1, …; "
            "--header takes it as names."
        )
    target, features = _roles(staged, options)
    weight_name = options.weight or staged.weight
    if weight_name is not None:
        staged.kind(weight_name)
        features = [name for name in features if name != weight_name]
    if not features:
        raise DataError(f"{staged.name} has no columns to learn from besides the target {target!r}.")
    wanted = [*features, target, *([weight_name] if weight_name else [])]
    with screen.progress("looking at all values", known=False):
        guessed = guess(workspace, staged, options.choices(staged.names), wanted)
        table = workspace.load(staged, guessed)
    table, n_left_out = with_target(table, target, screen)
    if options.classes:
        table = replace(table, columns=table.columns | {target: in_order(table, target, options)})
    task = options.task or guess_task(table[target])
    weight = None if weight_name is None else weights(table, weight_name)
    readings = {reading.name: reading for reading in guessed}
    return Problem(table, readings, target, features, task, weight, n_left_out)


def with_target(table: Table, target: str, screen: Screen) -> tuple[Table, int]:
    """Leave out the rows whose target is missing."""
    gaps = table[target].gaps
    if not gaps.any():
        return table, 0
    if gaps.all():
        raise DataError(f"column {target!r} of {table.name}, the target, has no values.")
    n_left_out, first = int(gaps.sum()), table.locate(int(np.flatnonzero(gaps)[0]))
    screen.note(
        f"{counted(n_left_out, 'row')} without a value of the target {target!r} left out, first at {first}."
    )
    return table.take(~gaps), n_left_out


def in_order(table: Table, target: str, options: DataOptions) -> RawCodes:
    """Give the target as classes in the order of `--classes`, which names each of them once."""
    raw = table[target]
    if options.task == "regression":
        raise click.UsageError("--classes goes with classes, not with --task regression.")
    if isinstance(raw, RawCodes):
        labels, codes = list(raw.categories), np.asarray(raw.codes)
    else:
        values, codes = np.unique(raw.values, return_inverse=True)
        labels = list(values.tolist())
    used = np.unique(codes)
    of_text = {number_text(labels[at]) if is_number(labels[at]) else str(labels[at]): at for at in used}
    wanted = listed(options.classes, list(of_text))
    for name in wanted:
        if name not in of_text:
            raise DataError(
                f"--classes names {name!r}, which is no class of the target {target!r} of {table.name}."
                f"{nearest(name, list(of_text))}"
            )
    left = [quoted(name) for name in of_text if name not in wanted]
    if left:
        raise DataError(f"--classes must name every class of the target {target!r}: {left[0]} is left out.")
    place = np.zeros(len(labels), np.int32)
    place[[of_text[name] for name in wanted]] = np.arange(len(wanted))
    return RawCodes(place[codes], tuple(labels[of_text[name]] for name in wanted), declared=True)


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
                "correct it, or take it as missing with --na."
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


def describe(problem: Problem, screen: Screen) -> None:
    """Show what the columns were taken as, before anything is learned from them."""
    table = problem.table
    n_features = counted(len(problem.features), "feature")
    screen.text(f"{counted(len(table), 'row')}, {n_features} from {table.name}", style="bold")
    rows = [column_line(name, problem.readings[name].kind, table[name]) for name in problem.features[:40]]
    if len(problem.features) > 40:
        rows.append((f"… {len(problem.features) - 40} more", "", "", ""))
    screen.table(["feature", "kind", "values", "missing"], rows, left=3)
    kind = "classes" if problem.task == "classification" else "numbers"
    other = "regression" if problem.task == "classification" else "classification"
    hint = "" if isinstance(problem.y, RawCodes) else f"  (--task {other} if not)"
    _, _, values, _ = column_line(problem.target, problem.readings[problem.target].kind, problem.y)
    screen.text(f"target {problem.target}: {kind}, {values}{hint}")


def column_line(name: str, kind: str, raw: Raw) -> tuple[str, str, str, str]:
    """Describe a column in four words: its name, its kind, its values and how many are missing."""
    gaps = int(raw.gaps.sum())
    return name, kind, values_text(raw), str(gaps) if gaps else ""


def values_text(raw: Raw) -> str:
    """Say what values a column has: its categories, or from where to where it goes."""
    if isinstance(raw, RawCodes):
        counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.categories))
        used = [c for c, count in zip(raw.categories, counts, strict=True) if count or raw.declared]
        words = [quoted(_beginning(str(category))) for category in used[:5]]
        shown = ", ".join(words) + (", …" if len(used) > 5 else "")
        return f"{len(used)}: {shown}" if used else "none"
    known = raw.values[~raw.gaps]
    if not len(known):
        return "none"
    if known.dtype.kind == "b":
        return f"{len(np.unique(known))}: " + ", ".join(map(str, np.unique(known).tolist()))
    low, high = known.min(), known.max()
    if known.dtype.kind in "mM":
        return f"{_date(low)} … {_date(high)}"
    return f"{_figure(low)} … {_figure(high)}"


def _beginning(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _figure(value: Any) -> str:
    return str(value) if isinstance(value, np.integer) else number(float(value))


def _date(value: Any) -> str:
    return str(value).split("T00:00:00")[0].replace("T", " ").split(".")[0]


def _roles(staged: Staged, options: DataOptions) -> tuple[str, list[str]]:
    """Find the target and the features."""
    names = staged.names
    ignored = listed(options.ignore, names)
    for name in ignored:
        if name not in names:
            raise unknown_column(name, names, staged.name)
    skipped = {name for name, column in staged.declared.items() if column.kind == "ignore"} | set(ignored)
    if options.formula is not None:
        formula = parse_formula(options.formula)
        if options.target not in (None, formula.target):
            raise click.UsageError(
                f"--target {options.target!r} and the formula's {formula.target!r} are two targets: give one."
            )
        chosen = formula.select(names, staged.name)
        return formula.target, [name for name in chosen if name not in skipped]
    target = options.target or staged.target
    if target is None:
        raise click.UsageError(
            f"which column is to be predicted? Add --target NAME; {staged.name} has {', '.join(names[:20])}"
            f"{', …' if len(names) > 20 else ''}."
        )
    if target not in names:
        raise unknown_column(target, names, staged.name)
    return target, [name for name in names if name != target and name not in skipped]
