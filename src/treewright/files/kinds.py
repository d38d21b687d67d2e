"""Column types of a file: numeric, categorical, ordinal or date, guessed or chosen by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from treewright.data import Column
from treewright.errors import DataError, DataTypeError, warn
from treewright.files.declared_columns import Declared
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

MACROS = r"""
CREATE MACRO whole(c) AS CASE WHEN regexp_full_match(c, '[+-]?[0-9]+') THEN try_cast(c AS BIGINT) END;
CREATE MACRO number(c) AS CASE WHEN NOT contains(c, '_') THEN try_cast(c AS DOUBLE) END;
CREATE MACRO comma(c) AS CASE WHEN regexp_full_match(c, '[+-]?[0-9]*,?[0-9]+([eE][+-]?[0-9]+)?')
    THEN try_cast(replace(c, ',', '.') AS DOUBLE) END;
CREATE MACRO moment(c) AS CASE WHEN regexp_full_match(c, '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9:.]+)?')
    THEN try_cast(c AS TIMESTAMP) END;
CREATE MACRO zoned(c) AS CASE WHEN regexp_full_match(c, '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}[ T].*')
    THEN try_cast(c AS TIMESTAMPTZ) END;
CREATE MACRO dotted(c) AS CASE WHEN regexp_full_match(c, '[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}( [0-9:.]+)?')
    THEN try_strptime(c, ['%d.%m.%Y', '%d.%m.%Y %H:%M', '%d.%m.%Y %H:%M:%S', '%d.%m.%Y %H:%M:%S.%f']) END;
CREATE MACRO slashed(c) AS
    CASE WHEN regexp_full_match(c, '[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}( .*)?') THEN c END;
CREATE MACRO marked(c) AS CASE WHEN regexp_full_match(c,
    '[+-]?[$€£]? ?([0-9]+|[0-9]{1,3}([, ''][0-9]{3})+)([.][0-9]+)? ?[%$€£]?')
    THEN try_cast(regexp_replace(c, '[^0-9.+-]', '', 'g') AS DOUBLE) END;
CREATE MACRO marked_comma(c) AS CASE WHEN regexp_full_match(c,
    '[+-]?[$€£]? ?([0-9]+|[0-9]{1,3}([. ''][0-9]{3})+)([,][0-9]+)? ?[%$€£]?')
    THEN try_cast(replace(regexp_replace(c, '[^0-9,+-]', '', 'g'), ',', '.') AS DOUBLE) END;
CREATE MACRO sign_of(c) AS regexp_replace(c, '[^%$€£]', '', 'g');
"""
"""How the text of a field is read; each gives NULL where it cannot be."""

FIRST_ROWS = 1000
"""Rows that are looked at to see what need not be asked of all."""

READERS = ("whole", "number", "comma", "moment", "zoned", "dotted", "marked", "marked_comma", "slashed")
"""The names of these, in the order in which they are tried; the last is for a hint only."""

READERS_OF_DATES = ("moment", "zoned", "dotted")


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


def _reading(
    workspace: Workspace, staged: Staged, choices: Choices, name: str, look: _Look | None
) -> Reading:
    kind, declared = staged.kind(name), staged.declared.get(name)
    if name in choices.ordinal:
        return _ordinal(workspace, staged, name, choices.ordinal[name])
    if name in choices.categorical:
        return _text(staged, name)
    if name in choices.numeric:
        return _numeric(workspace, staged, name, look, "is to be numeric")
    if declared is not None and declared.kind != "ignore":
        return _declared(workspace, staged, declared, look)
    if look is not None:
        return _guessed(workspace, staged, name, look, choices.strict)
    return _typed(staged, name, kind)


def as_at_fit(workspace: Workspace, staged: Staged, columns: Sequence[Column]) -> list[Reading]:
    """Read columns as those of a model's schema, whatever they would be guessed as."""
    for column in columns:
        staged.kind(column.name)
    looks = _looks(workspace, staged, [column.name for column in columns if column.kind == "numeric"])
    return [_as_column(workspace, staged, column, looks.get(column.name)) for column in columns]


def _as_column(workspace: Workspace, staged: Staged, column: Column, look: _Look | None) -> Reading:
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


def _declared(workspace: Workspace, staged: Staged, column: Declared, look: _Look | None) -> Reading:
    if column.kind == "numeric":
        return _numeric(workspace, staged, column.name, look, "is declared numeric")
    if column.kind == "date":
        return _date(workspace, staged, column.name)
    return _text(
        staged, column.name, "ordinal" if column.kind == "ordinal" else "categorical", column.categories
    )


def _numeric(workspace: Workspace, staged: Staged, name: str, look: _Look | None, because: str) -> Reading:
    """Read a column as numbers, or say which value is none."""
    kind, column, form = staged.kind(name), staged.identifier(name), staged.form
    if kind != TEXT:
        plain = kind.partition("(")[0]
        if plain in NUMBERS or plain == "BOOLEAN":
            return Reading(name, "numeric", column, "{}" if plain in NUMBERS else "{}::INTEGER")
        column = f"{column}::VARCHAR"
    if look is None:
        look = _look(workspace, form, [column])[0]
    for reader in _readers_of_numbers(staged):
        if look.all_by(reader):
            return Reading(name, "numeric", column, f"{reader}({form})")
    value = form.format(column)
    odd = workspace.first(f"{value} IS NOT NULL AND number({value}) IS NULL", value)
    assert odd is not None
    raise DataTypeError(
        f"column {name!r} of {staged.name} {because} and holds {odd[1]!r} ({staged.locate(odd[0])}), "
        f"which is no number; --na {odd[1]!r} takes it as missing."
    )


def _date(workspace: Workspace, staged: Staged, name: str) -> Reading:
    column = staged.value(name)
    for reader in READERS_OF_DATES:
        odd = workspace.first(f"{column} IS NOT NULL AND {reader}({column}) IS NULL", column)
        if odd is None:
            return Reading(name, "date", staged.identifier(name), f"{reader}({staged.form})")
    assert odd is not None
    raise DataTypeError(
        f"column {name!r} of {staged.name} holds {odd[1]!r} ({staged.locate(odd[0])}), which is no date of "
        "the form 2026-11-15, 2026-11-15 10:30:00 or 15.11.2026."
    )


@dataclass(frozen=True)
class _Look:
    """How many fields of a text column can be read in each way.

    The kind of the column is the narrowest way in which all of them, or nearly all, can be read.
    """

    known: int
    """Fields that are not empty."""
    read: Mapping[str, int]
    """How many of them each of `READERS` can read that was asked."""

    def all_by(self, reader: str) -> bool:
        """Whether a reader can read all fields there are."""
        return self.read.get(reader) == self.known


def _readers_of_numbers(staged: Staged) -> tuple[str, ...]:
    """Give the ways to read numbers, in the order in which they are tried."""
    comma = ("comma", "marked_comma") if staged.has_decimal_commas else ("marked",)
    return "whole", "number", *comma


def _looks(workspace: Workspace, staged: Staged, names: Sequence[str]) -> dict[str, _Look]:
    """Look at the text columns among some, unless the file declares their categories."""
    open_names = [
        name
        for name in names
        if staged.kind(name) == TEXT
        and (name not in staged.declared or staged.declared[name].kind in ("numeric", "ignore"))
    ]
    columns = [staged.identifier(name) for name in open_names]
    return dict(zip(open_names, _look(workspace, staged.form, columns), strict=True))


def _look(workspace: Workspace, form: str, columns: Sequence[str]) -> list[_Look]:
    """Look at all fields of text columns; for dates and such only where not all are numbers.

    Whether all fields are whole numbers is asked only where the first ones are: no other count is needed.
    """
    first = workspace.counts(form, columns, ("", "whole"), f" WHERE rowid < {FIRST_ROWS}")
    looks = [_Look(0, {})] * len(columns)
    for asks_whole in (True, False):
        some = [index for index, (known, whole) in enumerate(first) if (whole == known) == asks_whole]
        readers = ("", "whole", "number") if asks_whole else ("", "number")
        found = workspace.counts(form, [columns[index] for index in some], readers)
        for index, (known, *counts) in zip(some, found, strict=True):
            looks[index] = _Look(known, dict(zip(readers[1:], counts, strict=True)))
    rest = [index for index, look in enumerate(looks) if look.read["number"] < look.known]
    more = workspace.counts(form, [columns[index] for index in rest], READERS[2:])
    for index, counts in zip(rest, more, strict=True):
        read = {**looks[index].read, **dict(zip(READERS[2:], counts, strict=True))}
        looks[index] = replace(looks[index], read=read)
    return looks


def _has_one_sign(workspace: Workspace, staged: Staged, name: str) -> bool:
    """Tell whether marked numbers are all in one unit, and say what is left out or in the way."""
    sign = f"sign_of({staged.value(name)})"
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


def _guessed(workspace: Workspace, staged: Staged, name: str, look: _Look, strict: bool) -> Reading:
    column, form = staged.identifier(name), staged.form
    for reader in (*_readers_of_numbers(staged), *READERS_OF_DATES) if look.known else ():
        if look.all_by(reader):
            if reader.startswith("marked") and not _has_one_sign(workspace, staged, name):
                break
            kind: FileKind = "date" if reader in READERS_OF_DATES else "numeric"
            return Reading(name, kind, column, f"{reader}({form})")
    if look.known and look.all_by("slashed"):
        quoted = quoted_name(name)
        warn(
            f"column {name!r} of {staged.name} looks like dates with slashes, beginning with the day or the "
            "month: it is taken as categories; turn it into dates with --query "
            f"'select * replace (strptime({quoted}, $$%d/%m/%Y$$) as {quoted}) from data'."
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
