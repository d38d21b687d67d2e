"""How text fields are read: as numbers, dates or text; what each column of a staged table could be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treewright.data.columns import MISSING_TEXTS
from treewright.files.delimited import literal

if TYPE_CHECKING:
    from treewright.files.workspace import Workspace

MARKS = (*"-–—.", "--", "---", "..", "None", "none", "<NA>", "NaT", "n.a.", "N.A.", "#VALUE!", "#DIV/0!")
"""Fields that are missing values in a column whose other fields are all numbers, or all dates.

In others they may be categories. What could say something, such as *unknown*, is not among them.
"""

MACROS = (
    f"CREATE MACRO unmarked(c) AS CASE WHEN c NOT IN ({', '.join(map(literal, MARKS))}) THEN c END;"
    r"""
CREATE MACRO whole(c) AS CASE WHEN regexp_full_match(c, '[+-]?[0-9]+') THEN try_cast(c AS BIGINT) END;
CREATE MACRO label(c) AS CASE WHEN regexp_full_match(c, '0[0-9]+') THEN c END;
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
    CASE WHEN regexp_full_match(c, '[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{2,4}( .*)?') THEN c END;
CREATE MACRO day_first(c) AS
    CASE WHEN regexp_full_match(c, '[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}( [0-9:.]+)?')
    THEN try_strptime(replace(c, '-', '/'),
        ['%d/%m/%Y', '%d/%m/%Y %H:%M', '%d/%m/%Y %H:%M:%S', '%d/%m/%Y %H:%M:%S.%f']) END;
CREATE MACRO month_first(c) AS
    CASE WHEN regexp_full_match(c, '[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}( [0-9:.]+( ?[AaPp][Mm])?)?')
    THEN try_strptime(replace(c, '-', '/'),
        ['%m/%d/%Y', '%m/%d/%Y %H:%M', '%m/%d/%Y %H:%M:%S', '%m/%d/%Y %H:%M:%S.%f',
         '%m/%d/%Y %I:%M %p', '%m/%d/%Y %I:%M:%S %p']) END;
CREATE MACRO marked(c) AS CASE WHEN regexp_full_match(c,
    '[+-]?[$€£]? ?([0-9]+|[0-9]{1,3}([, ''][0-9]{3})+)([.][0-9]+)? ?[%$€£]?')
    THEN try_cast(regexp_replace(c, '[^0-9.+-]', '', 'g') AS DOUBLE) END;
CREATE MACRO marked_comma(c) AS CASE WHEN regexp_full_match(c,
    '[+-]?[$€£]? ?([0-9]+|[0-9]{1,3}([. ''][0-9]{3})+)([,][0-9]+)? ?[%$€£]?')
    THEN try_cast(replace(regexp_replace(c, '[^0-9,+-]', '', 'g'), ',', '.') AS DOUBLE) END;
CREATE MACRO sign_of(c) AS regexp_replace(c, '[^%$€£]', '', 'g');
"""
)
"""How the text of a field is read; each gives NULL where it cannot be."""

LIKE_NUMBERS = (
    r"[+-]?[$€£]? ?([0-9]*[.,]?[0-9]+|[0-9]{1,3}([,. '][0-9]{3})+([.,][0-9]+)?)([eE][+-]?[0-9]+)? ?[%$€£]?"
)
LIKE_DATES = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T].*)?|[0-9]{1,2}([./-])[0-9]{1,2}\2([0-9]{2}|[0-9]{4})( .*)?"
LIKE_LABELS = r"0[0-9]+"
"""Text that looks like numbers, like dates, and like numbers that are names, such as postcodes."""

FIRST_ROWS = 1000
"""Rows that are looked at to see what need not be asked of all."""

READERS_OF_DATES = ("moment", "zoned", "dotted", "day_first", "month_first")

READERS = ("whole", "number", "comma", *READERS_OF_DATES, "marked", "marked_comma", "slashed")
"""The names of these, in the order in which they are tried; the last is for a hint only."""


@dataclass(frozen=True)
class Look:
    """How many fields of a text column can be read in each way.

    The kind of the column is the narrowest way in which all of them, or nearly all, can be read.
    """

    known: int
    """Fields that are not empty."""
    read: Mapping[str, int]
    """How many of them each of `READERS` can read that was asked."""
    n_marks: int = 0
    """How many further fields there are that are missing values by `MARKS`."""
    has_labels: bool = False
    """Whether whole numbers among the first rows begin with a zero, as postcodes do."""

    def all_by(self, reader: str) -> bool:
        """Whether a reader can read all fields there are."""
        return self.read.get(reader) == self.known

    @property
    def is_read(self) -> bool:
        """Whether all fields are of a kind that is more than text."""
        return any(map(self.all_by, READERS))

    def form(self, form: str) -> str:
        """Give SQL for the text of a field, without marks if there are any, `form` being that of all."""
        return f"unmarked({form})" if self.n_marks else form


def look_alike(texts: Sequence[str]) -> tuple[str, list[str]]:
    """Tell what the texts of a column in memory look like, and which of them are marks of missing values.

    Whoever reads a file decides what its text is; a table in memory has been decided about, and to change
    that would leave further rows, which are given as these were, without a meaning.

    Examples
    --------
    >>> look_alike(["1,200", "-", "900"]), look_alike(["31/12/2020"]), look_alike(["01234", "99501"])
    (('numbers', ['-']), ('dates', []), ('', []))
    """
    marks = [text for text in texts if text.strip() in MARKS or text.strip() in MISSING_TEXTS]
    known = [text.strip() for text in texts if text not in marks]
    for what, pattern in (("numbers", LIKE_NUMBERS), ("dates", LIKE_DATES)):
        if known and all(re.fullmatch(pattern, text) for text in known):
            return ("", []) if any(re.fullmatch(LIKE_LABELS, text) for text in known) else (what, marks)
    return "", []


def look_at(workspace: Workspace, form: str, columns: Sequence[str], *, marks: bool = True) -> list[Look]:
    """Look at all fields of text columns; for dates and such only where not all are numbers.

    Whether all fields are whole numbers is asked only where the first ones are: no other count is needed.
    What is of no kind yet is looked at once more without `MARKS`, unless these are none.
    """
    first = workspace.counts(form, columns, ("", "whole", "label"), f" WHERE rowid < {FIRST_ROWS}")
    looks = [Look(0, {})] * len(columns)
    for asks_whole in (True, False):
        some = [index for index, (known, whole, _) in enumerate(first) if (whole == known) == asks_whole]
        readers = ("", "whole", "number") if asks_whole else ("", "number")
        found = workspace.counts(form, [columns[index] for index in some], readers)
        for index, (known, *counts) in zip(some, found, strict=True):
            read = dict(zip(readers[1:], counts, strict=True))
            looks[index] = Look(known, read, has_labels=first[index][2] > 0)
    rest = [index for index, look in enumerate(looks) if look.read["number"] < look.known]
    more = workspace.counts(form, [columns[index] for index in rest], READERS[2:])
    for index, counts in zip(rest, more, strict=True):
        read = {**looks[index].read, **dict(zip(READERS[2:], counts, strict=True))}
        looks[index] = replace(looks[index], read=read)
    unread = [index for index in rest if marks and looks[index].known and not looks[index].is_read]
    without = workspace.counts(f"unmarked({form})", [columns[index] for index in unread], ("", *READERS))
    for index, (known, *counts) in zip(unread, without, strict=True):
        look = Look(known, dict(zip(READERS, counts, strict=True)), looks[index].known - known)
        if look.n_marks and known and look.is_read:
            looks[index] = look
    return looks
