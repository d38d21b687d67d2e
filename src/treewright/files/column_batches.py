"""Batches of columns: one SQL query for many text columns, planned once and not for each.

A query over hundreds of columns takes far longer to plan than to run. Text columns that are read in the same
way become one column `v`, row by row, with `k` the number of the column that a field is from.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

MOST_COLUMNS = 200
"""Columns of one stack."""

MOST_FIELDS = 50_000_000
"""Fields of one stack that is read into memory, unless one column has more."""

Item = TypeVar("Item")


def stack(columns: Sequence[str], rows: str = "") -> str:
    """Write SQL for the columns of the staged table under each other.

    Examples
    --------
    >>> stack(["c0", "c1"])
    '(SELECT unnest([c0, c1]) AS v, unnest(range(2)) AS k FROM staged)'
    """
    return (
        f"(SELECT unnest([{', '.join(columns)}]) AS v, unnest(range({len(columns)})) AS k FROM staged{rows})"
    )


def alike(
    items: Iterable[Item], way: Callable[[Item], Hashable], most: int = MOST_COLUMNS
) -> Iterator[list[Item]]:
    """Part items into lists of those that are read in one way, none longer than so many.

    Examples
    --------
    >>> list(alike([1, 2, 3, 4, 6], lambda number: number % 2, 2))
    [[2, 4], [6], [1, 3]]
    """
    of_way: dict[Hashable, list[Item]] = {}
    for item in items:
        of_way.setdefault(way(item), []).append(item)
    for key in sorted(of_way, key=repr):
        for begin in range(0, len(of_way[key]), most):
            yield of_way[key][begin : begin + most]


class Coding(NamedTuple):
    """How the categories of a column are coded.

    Parameters
    ----------
    kind : str
        The type of the database that has the texts of several columns; empty if there are none.
    codes : int array
        The code of each of these texts in this column, −1 where it has none.
    categories : tuple of str
        The categories of this column, in order.
    """

    kind: str
    codes: NDArray[np.int64]
    categories: tuple[str, ...]


def codings(workspace: Any, form: str, columns: Sequence[str], kind: str) -> list[Coding]:
    """Find the categories of columns and make one type that has the texts of them all."""
    value = form.format("v")
    workspace.connection.execute(
        f"CREATE OR REPLACE TEMP TABLE known AS SELECT DISTINCT k, {value} AS v FROM {stack(columns)} "
        f"WHERE {value} IS NOT NULL"
    )
    listed = "SELECT DISTINCT v FROM known ORDER BY 1"
    texts = [text for (text,) in workspace.answer(listed)]
    if texts:
        workspace.connection.execute(f"CREATE TYPE {kind} AS ENUM ({listed})")
    place = {text: index for index, text in enumerate(texts)}
    pairs = groupby(workspace.answer("SELECT k, v FROM known ORDER BY k, v"), key=lambda pair: pair[0])
    own = {k: tuple(text for _, text in group) for k, group in pairs}
    found = []
    for k in range(len(columns)):
        categories = own.get(k, ())
        codes = np.full(len(texts), -1, np.int64)
        codes[[place[text] for text in categories]] = np.arange(len(categories))
        found.append(Coding(kind if texts else "", codes, categories))
    return found
