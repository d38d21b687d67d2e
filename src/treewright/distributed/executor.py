"""What an executor does: it holds the partitions of a table and puts questions to them.

A question is put to every partition by itself, where that is, and the answers are joined two by two, in any
order; so nothing but the joined answer need travel. Questions carry all that is needed to answer them: a
partition that is lost is coded anew, and its rows are routed anew, and the answer is the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from treewright.distributed.coding import Coding, Partition
    from treewright.distributed.subtrees import SubtreeTask


class TableQuestion(Protocol):
    """A question to the rows as they are read."""

    def ask(self, rows: pa.Table) -> Any:
        """Answer it for the rows of one partition."""

    def join(self, one: Any, other: Any) -> Any:
        """Join two answers."""


class Question(Protocol):
    """A question to rows that are coded.

    One that has large answers also has ``add(answer, partition)``, which joins that of one more partition.
    """

    def ask(self, partition: Partition) -> Any:
        """Answer it for one partition."""

    def join(self, one: Any, other: Any) -> Any:
        """Join two answers."""


class Executor(Protocol):
    """Who holds the partitions."""

    def ask_tables(self, question: TableQuestion) -> Any:
        """Give the joined answer to a question about the rows as they are read."""

    def ask(self, coding: Coding, question: Question) -> Any:
        """Give the joined answer to a question about the coded rows."""

    def grow_subtrees(self, coding: Coding, task: SubtreeTask) -> list[dict[str, Any]]:
        """Grow subtrees, each from all rows at one node, in the order of the table; give their arrays."""


def answered(question: Any, parts: Iterable[Any]) -> Any:
    """Put a question to some partitions one after the other; give the joined answer, None if there are none.

    Examples
    --------
    >>> class Sum:
    ...     ask = staticmethod(sum)
    ...     join = staticmethod(lambda one, other: one + other)
    >>> answered(Sum(), [[1, 2], [3]])
    6
    """
    joined: Any = None
    for number, part in enumerate(parts):
        if number and hasattr(question, "add"):
            joined = question.add(joined, part)
        else:
            answer = question.ask(part)
            joined = question.join(joined, answer) if number else answer
    return joined
