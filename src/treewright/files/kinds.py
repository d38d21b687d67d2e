"""Column types of a file: numeric, categorical, ordinal or date, guessed or chosen by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from treewright.data import Column
from treewright.errors import DataError, DataTypeError, warn
from treewright.files.declared_columns import Declared
from treewright.files.field_readers import READERS_OF_DATES, Look, look_at
from treewright.files.staged_table import TEXT, Staged, quoted_name
from treewright.files.table import unknown_column
from treewright.formatting.text import counted

if TYPE_CHECKING:
    from treewright.files.workspace import Workspace

FileKind: TypeAlias = Literal["numeric", "categorical", "ordinal", "date"]

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBERS = (*WHOLE, *(f"U{kind}" for kind in WHOLE), "FLOAT", "DOUBLE", "DECIMAL")
TIMES = ("DATE", "TIME", "TIMESTAMP", "INTERVAL")
TEXTS = ("VARCHAR", "ENUM", "UUID", "BOOLEAN", "NULL", '"NULL"')

MOSTLY = 0.9
"""A text column with at least this share of numbers was probably meant to be one of numbers."""


@dataclass(frozen=True)
class Choices:
    """What a user says about the columns; the others are guessed.

    Parameters
    ----------
    numeric, categorical : tuple of str
        Columns to take as numbers, and as categories.
    ordinal : mapping of str to tuple of str
        Columns of ordered categories, with their values from low to high.
    strict : bool
        Whether a column of numbers with some text in it is refused, rather than taken as categories.
    """

    numeric: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    ordinal: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    strict: bool = False

    def check(self, names: Sequence[str], where: str) -> None:
        """Refuse columns that are not there, or named twice."""
        named = [*self.numeric, *self.categorical, *self.ordinal]
        for name in named:
            if name not in names:
                raise unknown_column(name, names, where)
            if named.count(name) > 1:
                raise DataError(f"column {name!r} is called numeric, categorical or ordinal twice.")


@dataclass(frozen=True)
class Reading:
    """How one column of a staged table is read.

    Parameters
    ----------
    name : str
    kind : {"numeric", "categorical", "ordinal", "date"}
    column : str
        The column, or SQL for its text.
    form : str
        SQL for the value, `{}` the column: a number, a time, or the text of a category.
    categories : tuple of str or None
        Where the order of the categories is known.
    is_text : bool
        Whether the value is text, to be coded; categories may be truth values, numbers and times too.
    """

    name: str
    kind: FileKind
    column: str
    form: str = "{}"
    categories: tuple[str, ...] | None = None
    is_text: bool = True

    @property
    def value(self) -> str:
        """SQL for the value."""
        return self.form.format(self.column)

    @property
    def is_coded(self) -> bool:
        """Whether it is read as codes of categories."""
        return self.kind in ("categorical", "ordinal") and self.is_text


def guess(
    workspace: Workspace, staged: Staged, choices: Choices, names: Sequence[str] | None = None
) -> list[Reading]:
    """Decide what columns are: as the user says, as the file declares, else by all their values.

    Parameters
    ----------
    workspace : Workspace
        Where the table is staged.
    staged : Staged
        What is known of it.
    choices : Choices
        What the user says.
    names : sequence of str or None
        The columns to look at: what is left out need not make sense. None is all of them.
    """
    choices.check(staged.names, staged.name)
    names = staged.names if names is None else names
    looks = _looks(workspace, staged, [name for name in names if name not in choices.categorical])
    return [_reading(workspace, staged, choices, name, looks.get(name)) for name in names]


def _reading(workspace: Workspace, staged: Staged, choices: Choices, name: str, look: Look | None) -> Reading:
    kind, declared = staged.kind(name), staged.declared.get(name)
    if name in choices.ordinal:
        return _ordinal(workspace, staged, name, choices.ordinal[name])
    if name in choices.categorical:
        return _text(staged, name)
    if name in choices.numeric:
        return _numeric(workspace, staged, name, look, "is to be numeric")
    if declared is not None and declared.kind != "ignore":
        return _declared(workspace, staged, declared, look)  # what a file declares has no marks of its own
    if look is not None:
        return _guessed(workspace, staged, name, look, choices.strict)
    return _typed(staged, name, kind)


def as_at_fit(workspace: Workspace, staged: Staged, columns: Sequence[Column]) -> list[Reading]:
    """Read columns as those of a model's schema, whatever they would be guessed as."""
    for column in columns:
        staged.kind(column.name)
    looks = _looks(workspace, staged, [column.name for column in columns if column.kind == "numeric"])
    return [_as_column(workspace, staged, column, looks.get(column.name)) for column in columns]


def _as_column(workspace: Workspace, staged: Staged, column: Column, look: Look | None) -> Reading:
    name, kind = column.name, staged.kind(column.name)
    families = {type(category) for category in column.categories}
    if column.kind != "numeric" and families <= {str}:
        return _text(staged, name)
    if families == {bool} and kind == TEXT:
        form = f"try_cast({staged.form} AS BOOLEAN)"
        return Reading(name, "categorical", staged.identifier(name), form, is_text=False)
    if column.unit is not None or families & {np.datetime64, np.timedelta64}:
        return _date(workspace, staged, name) if kind == TEXT else _typed(staged, name, kind)
    if families == {bool}:
        return _typed(staged, name, kind)
    return _numeric(workspace, staged, name, look, "was numeric at fit")


def _typed(staged: Staged, name: str, kind: str) -> Reading:
    """Read a column whose file says what it is."""
    plain = kind.partition("(")[0].partition(" ")[0]
    if plain in NUMBERS and not kind.endswith("]"):
        return Reading(name, "numeric", staged.identifier(name))
    if plain in TIMES and not kind.endswith("]"):
        return Reading(name, "date", staged.identifier(name))
    if plain in TEXTS and not kind.endswith("]"):
        if plain == "BOOLEAN":
            return Reading(name, "categorical", staged.identifier(name), is_text=False)
        return _text(staged, name)
    raise DataTypeError(
        f"column {name!r} of {staged.name} holds {kind} values, which no split can ask for: "
        f"leave it out with --ignore {name!r}, or take it apart with --query."
    )


def _text(
    staged: Staged, name: str, kind: FileKind = "categorical", categories: tuple[str, ...] | None = None
) -> Reading:
    """Read a column as the texts of categories."""
    column = staged.identifier(name)
    return Reading(
        name, kind, column if staged.kind(name) == TEXT else f"{column}::VARCHAR", staged.form, categories
    )


def _ordinal(workspace: Workspace, staged: Staged, name: str, order: tuple[str, ...]) -> Reading:
    reading = _text(staged, name, "ordinal", order)
    value = reading.value
    listed = ", ".join("'" + step.replace("'", "''") + "'" for step in order)
    odd = workspace.first(f"{value} IS NOT NULL AND {value} NOT IN ({listed})", value)
    if odd is not None:
        raise DataError(
            f"column {name!r} of {staged.name} holds {odd[1]!r} ({staged.locate(odd[0])}), which its order "
            f"{', '.join(order)} does not name."
        )
    return reading


def _declared(workspace: Workspace, staged: Staged, column: Declared, look: Look | None) -> Reading:
    if column.kind == "numeric":
        look = None if look is None or look.n_marks else look
        return _numeric(workspace, staged, column.name, look, "is declared numeric", marks=False)
    if column.kind == "date":
        return _date(workspace, staged, column.name)
    return _text(
        staged, column.name, "ordinal" if column.kind == "ordinal" else "categorical", column.categories
    )


def _numeric(
    workspace: Workspace, staged: Staged, name: str, look: Look | None, because: str, *, marks: bool = True
) -> Reading:
    """Read a column as numbers, those of `MARKS` that it has as missing, or say which value is none."""
    kind, column, form = staged.kind(name), staged.identifier(name), staged.form
    if kind != TEXT:
        plain = kind.partition("(")[0]
        if plain in NUMBERS or plain == "BOOLEAN":
            return Reading(name, "numeric", column, "{}" if plain in NUMBERS else "{}::INTEGER")
        column = f"{column}::VARCHAR"
    if look is None:
        look = look_at(workspace, form, [column], marks=marks)[0]
    for reader in _readers_of_numbers(staged):
        if look.all_by(reader):
            _tell_of_marks(workspace, staged, name, look, "numbers")
            return Reading(name, "numeric", column, f"{reader}({look.form(form)})")
    value = form.format(column)
    odd = workspace.first(f"{value} IS NOT NULL AND number({value}) IS NULL", value)
    assert odd is not None
    raise DataTypeError(
        f"column {name!r} of {staged.name} {because} and holds {odd[1]!r} ({staged.locate(odd[0])}), "
        f"which is no number; --na {odd[1]!r} takes it as missing."
    )


def _date(workspace: Workspace, staged: Staged, name: str) -> Reading:
    column = staged.identifier(name)
    look = look_at(workspace, staged.form, [column])[0]
    for reader in READERS_OF_DATES if look.known else ():
        if look.all_by(reader):
            if reader == "day_first" and look.all_by("month_first"):
                break
            return Reading(name, "date", column, f"{reader}({look.form(staged.form)})")
    value = staged.value(name)
    tried = " AND ".join(f"{reader}({value}) IS NULL" for reader in READERS_OF_DATES)
    odd = workspace.first(f"{value} IS NOT NULL AND {tried}", value)
    if odd is None:
        odd = workspace.first(f"{value} IS NOT NULL", value)
        if odd is None:
            return Reading(name, "date", column, f"{READERS_OF_DATES[0]}({staged.form})")
        raise DataTypeError(
            f"column {name!r} of {staged.name} holds {odd[1]!r} ({staged.locate(odd[0])}), and no value says "
            "whether the day or the month comes first: write dates as 2026-11-15."
        )
    raise DataTypeError(
        f"column {name!r} of {staged.name} holds {odd[1]!r} ({staged.locate(odd[0])}), which is no date of "
        "the form 2026-11-15, 2026-11-15 10:30:00, 15.11.2026 or 15/11/2026."
    )


def _readers_of_numbers(staged: Staged) -> tuple[str, ...]:
    """Give the ways to read numbers, in the order in which they are tried."""
    comma = ("comma", "marked_comma") if staged.has_decimal_commas else ("marked",)
    return "whole", "number", *comma


def _looks(workspace: Workspace, staged: Staged, names: Sequence[str]) -> dict[str, Look]:
    """Look at the text columns among some, unless the file declares their categories."""
    open_names = [
        name
        for name in names
        if staged.kind(name) == TEXT
        and (name not in staged.declared or staged.declared[name].kind in ("numeric", "ignore"))
    ]
    columns = [staged.identifier(name) for name in open_names]
    return dict(zip(open_names, look_at(workspace, staged.form, columns), strict=True))


def _tell_of_labels(workspace: Workspace, staged: Staged, name: str) -> None:
    """Say that numbers are read of what may be names, such as postcodes."""
    value = staged.value(name)
    odd = workspace.first(f"label({value}) IS NOT NULL", value)
    assert odd is not None
    warn(
        f"column {name!r} of {staged.name} is read as numbers, and some begin with a zero, as {odd[1]!r} "
        f"({staged.locate(odd[0])}) does: if they are codes, --categorical {name!r} takes them as such."
    )


def _tell_of_marks(workspace: Workspace, staged: Staged, name: str, look: Look, what: str) -> None:
    """Say which fields of a column are missing values because all others are numbers, or dates."""
    if look.n_marks:
        value = staged.value(name)
        odd = workspace.first(f"{value} IS NOT NULL AND unmarked({value}) IS NULL", value)
        assert odd is not None
        more = "" if look.n_marks == 1 else f" and {counted(look.n_marks - 1, 'more field')} like it"
        warn(
            f"column {name!r} of {staged.name} is read as {what}: {odd[1]!r} ({staged.locate(odd[0])}){more} "
            f"taken as missing; --categorical {name!r} takes the column as text."
        )


def _as_dates(name: str, form: str) -> str:
    """Say how text is turned into dates."""
    quoted = quoted_name(name)
    return (
        "turn it into dates with --query "
        f"'select * replace (strptime({quoted}, $${form}$$) as {quoted}) from data'"
    )


def _dates(workspace: Workspace, staged: Staged, name: str, look: Look) -> Reading:
    """Read a column whose fields are all dates; say whether the day or the month is first, where one is."""
    reader = next(reader for reader in READERS_OF_DATES if look.all_by(reader))
    column, value = staged.identifier(name), look.form(staged.value(name))
    if reader in ("day_first", "month_first"):
        other = "month_first" if reader == "day_first" else "day_first"
        odd = workspace.first(f"{value} IS NOT NULL AND {other}({value}) IS NULL", value)
        if odd is None:
            warn(
                f"column {name!r} of {staged.name} holds dates that may begin with the day or the month: it "
                f"is taken as categories; {_as_dates(name, '%d/%m/%Y')}, or with $$%m/%d/%Y$$."
            )
            return Reading(name, "categorical", column, staged.form)
        first = "day" if reader == "day_first" else "month"
        warn(
            f"column {name!r} of {staged.name} is read as dates that begin with the {first}, as "
            f"{odd[1]!r} ({staged.locate(odd[0])}) does; --categorical {name!r} takes it as text."
        )
    _tell_of_marks(workspace, staged, name, look, "dates")
    return Reading(name, "date", column, f"{reader}({look.form(staged.form)})")


def _has_one_sign(workspace: Workspace, staged: Staged, name: str, look: Look) -> bool:
    """Tell whether marked numbers are all in one unit, and say what is left out or in the way."""
    sign = f"sign_of({look.form(staged.value(name))})"
    low, high = workspace.answer(f"SELECT min({sign}), max({sign}) FROM staged")[0]
    if low == high:
        marks = f"the sign {low!r}" if low else "thousands marks"
        warn(
            f"column {name!r} of {staged.name} is read as numbers without {marks}; --categorical {name!r} "
            "takes it as text."
        )
        return True
    signs = " and ".join(repr(sign) if sign else "no sign" for sign in (low, high))
    warn(
        f"column {name!r} of {staged.name} has numbers with {signs}: it is taken as categories; "
        f"--numeric {name!r} takes it as numbers, whatever their signs."
    )
    return False


def _guessed(workspace: Workspace, staged: Staged, name: str, look: Look, strict: bool) -> Reading:
    column, form = staged.identifier(name), staged.form
    if strict and look.n_marks:
        look = look_at(workspace, form, [column], marks=False)[0]
    for reader in _readers_of_numbers(staged) if look.known else ():
        if look.all_by(reader):
            if reader.startswith("marked") and not _has_one_sign(workspace, staged, name, look):
                return Reading(name, "categorical", column, form)
            _tell_of_marks(workspace, staged, name, look, "numbers")
            if reader == "whole" and look.has_labels:
                _tell_of_labels(workspace, staged, name)
            return Reading(name, "numeric", column, f"{reader}({look.form(form)})")
    if look.known and any(map(look.all_by, READERS_OF_DATES)):
        return _dates(workspace, staged, name, look)
    if look.known and look.all_by("slashed"):
        warn(
            f"column {name!r} of {staged.name} looks like dates, with the day or the month first or years "
            f"of two digits: it is taken as categories; {_as_dates(name, '%d/%m/%y')}."
        )
        return Reading(name, "categorical", column, form)
    most, reader = max((look.read.get(reader, 0), reader) for reader in _readers_of_numbers(staged))
    if MOSTLY * look.known <= most < look.known:
        value = form.format(column)
        odd = workspace.first(f"{value} IS NOT NULL AND {reader}({value}) IS NULL", value)
        assert odd is not None
        found = (
            f"column {name!r} of {staged.name} has {most} numbers and "
            f"{counted(look.known - most, 'other value')}, first {odd[1]!r} ({staged.locate(odd[0])})"
        )
        if strict:
            raise DataTypeError(f"{found}; --na {odd[1]!r} takes such a value as missing.")
        warn(f"{found}: it is taken as categories; --na {odd[1]!r} takes such a value as missing.")
    return Reading(name, "categorical", column, form)
