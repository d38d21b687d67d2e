"""Partitions of a Dask DataFrame on the workers of its cluster: work goes to the data.

Coded partitions are results of tasks, which Dask makes again if a worker is lost; nothing is scattered. Where
the rows of a partition are in the tree is kept beside it, and follows from the question should it be lost. A
question is one task for each worker, whatever the number of partitions, and answers are joined on workers.
"""

from __future__ import annotations

import sys
from asyncio import CancelledError
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.distributed.coding import Coding, Partition
from treewright.distributed.executor import Question, TableQuestion, answered
from treewright.distributed.subtrees import Arrays, Subtree, SubtreeTask
from treewright.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

JOINED = 8
"""Answers that one task joins."""
RETRIES = 3
"""How often a task that fails is tried again."""
PATIENCE = 5
"""Seconds after which a result that is not there has the cluster looked after."""
LOST = "the scheduler of the Dask cluster cannot be reached any more: start the cluster, and fit again."


def is_dask(X: Any) -> bool:
    """Say whether a table is a Dask DataFrame."""
    frames = sys.modules.get("dask.dataframe")
    return frames is not None and isinstance(X, frames.DataFrame)


class DaskCluster:
    """An executor on the cluster of the client that is there.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    columns : list of str
        Those that are used.
    """

    def __init__(self, frame: Any, columns: Sequence[str]) -> None:
        try:
            from distributed import get_client
        except ImportError:
            raise ImportError(
                "a Dask DataFrame is learned from on a cluster: pip install 'treewright[dask]'"
            ) from None
        try:
            self._client: Any = get_client()
        except ValueError:
            raise ValueError(
                "a Dask DataFrame is learned from on a cluster, and there is no client: "
                "make one first, as in client = distributed.Client()."
            ) from None
        self.schema = frame_schema(frame, columns)
        self._tables = [
            self._submit(_to_arrow, part, self.schema) for part in self._parts(frame[list(columns)])
        ]
        self._coded: list[Any] = []
        self.n_partitions = len(self._tables)

    def _parts(self, frame: Any) -> list[Any]:
        """Give the partitions as what tasks depend on: they are read where they are needed."""
        return list(self._client.compute(frame.to_delayed(), retries=RETRIES))

    @property
    def memory(self) -> int:
        """What a thread of the smallest worker may use of its memory for one piece of work."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [worker["memory_limit"] // max(worker["nthreads"], 1) for worker in workers]
        return (min(limits, default=0) or 4 * 10**9) // 4

    def ask_tables(self, question: TableQuestion) -> Any:
        """Put a question to the rows as they are read."""
        return self._answer(question, self._tables)

    def ask(self, coding: Coding, question: Question) -> Any:
        """Put a question to the coded rows; the first time they are coded, and let go as they were read."""
        if not self._coded:
            sizes = [self._result(size) for size in [self._submit(len, rows) for rows in self._tables]]
            first = np.cumsum([0, *sizes]).tolist()
            self._coded = [
                self._submit(_encode, coding, rows, at) for rows, at in zip(self._tables, first, strict=False)
            ]
            self._tables = []
        return self._answer(question, self._coded)

    def grow_subtrees(self, coding: Coding, task: SubtreeTask) -> list[Arrays]:
        """Bring the rows of some subtrees at a time together on a worker, and grow them there."""
        groups = _groups(task.subtrees, max(1, len(self._by_worker(self._coded))))
        grown = []
        for group in groups:
            rows = [self._submit(_take, part, task, group) for part in self._coded]
            grown.append(self._submit(_grow, rows, task, group))
            del rows
        of_node = {
            subtree.node: arrays
            for group, trees in zip(groups, map(self._result, grown), strict=True)
            for subtree, arrays in zip(group, trees, strict=True)
        }
        return [of_node[subtree.node] for subtree in task.subtrees]

    def _submit(self, function: Any, *given: Any, **options: Any) -> Any:
        return self._client.submit(function, *given, pure=False, retries=RETRIES, **options)

    def _result(self, future: Any) -> Any:
        """Wait for a result, or say in a sentence what has become of the cluster."""
        from distributed import KilledWorker

        while True:
            try:
                return future.result(timeout=PATIENCE)
            except KilledWorker as error:
                raise MemoryError(
                    "the workers of the cluster were killed again and again over one piece of work, as "
                    "happens when memory does not hold it: use more partitions, or more memory for workers."
                ) from error
            except CancelledError as error:
                raise ConnectionError(LOST) from error
            except TimeoutError:
                if future.status == "error":  # it is the task's own
                    raise
                if self._client.status != "running":
                    raise ConnectionError(LOST) from None

    def _by_worker(self, parts: Sequence[Any]) -> dict[str, list[Any]]:
        """Give the partitions that each worker holds; those that nobody holds yet by themselves."""
        try:
            holders = self._client.who_has(parts)
        except (OSError, TimeoutError) as error:
            raise ConnectionError(LOST) from error
        held: dict[str, list[Any]] = {}
        for number, part in enumerate(parts):
            workers = sorted(holders.get(part.key, ()))
            held.setdefault(workers[0] if workers else f"nobody {number}", []).append(part)
        return held

    def _answer(self, question: Any, parts: Sequence[Any]) -> Any:
        """Ask each worker for its partitions, and join what they say two or more at a time, on workers."""
        answers = []
        for worker, own in self._by_worker(parts).items():
            place = {} if worker.startswith("nobody") else {"workers": [worker], "allow_other_workers": True}
            answers.append(self._submit(_ask, question, own, **place))
        while len(answers) > 1:
            joined = [answers[i : i + JOINED] for i in range(0, len(answers), JOINED)]
            answers = [self._submit(_join, question, some) for some in joined]
        return self._result(answers[0])


def predict_lazily(frame: Any, predict: Callable[[Any], Any], names: Sequence[str], columns: Any) -> Any:
    """Give the predictions for a Dask DataFrame as a lazy result: a series, or a frame with some columns.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    predict : callable
        Gives the predictions for some rows.
    names : list of str
        The features.
    columns : list or None
        Names of what is predicted, if there are several.
    """
    import pandas as pd

    def predicted(rows: Any) -> Any:
        values = predict(rows[list(names)])
        if columns is None:
            return pd.Series(values, rows.index, name="prediction")
        return pd.DataFrame(values, rows.index, columns)

    like = predicted(frame._meta_nonempty)
    return frame.map_partitions(
        lambda rows: predicted(rows) if len(rows) else like.iloc[:0], meta=like.iloc[:0]
    )


def frame_schema(frame: Any, columns: Sequence[str]) -> pa.Schema:
    """Give the columns of a Dask DataFrame as Arrow has them."""
    import pyarrow as pa

    unknown = [name for name in columns if name not in frame.columns]
    if unknown:
        raise DataError(
            f"the table has no column {unknown[0]!r}. It has {', '.join(map(str, frame.columns))}."
        )
    some = frame._meta_nonempty[list(columns)]
    return pa.Table.from_pandas(some, preserve_index=False).schema.remove_metadata()


def _to_arrow(rows: Any, schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pandas(rows, preserve_index=False).select(schema.names).cast(schema)


def _encode(coding: Coding, rows: pa.Table, first: int) -> Partition:
    return coding.encode(rows, first)


def _ask(question: Any, parts: Sequence[Any]) -> Any:
    return answered(question, parts)


def _join(question: Any, answers: Sequence[Any]) -> Any:
    """Join answers into a copy: the first is kept by the worker, for a task that may be tried again."""
    return reduce(question.join, answers[1:], deepcopy(answers[0]))


def _groups(subtrees: Sequence[Subtree], n_workers: int) -> list[tuple[Subtree, ...]]:
    """Share subtrees out so that each worker has about as many rows, a few groups for each."""
    groups: list[list[Subtree]] = [[] for _ in range(min(len(subtrees), 4 * n_workers))]
    rows = np.zeros(len(groups), np.int64)
    for subtree in sorted(subtrees, key=lambda one: (-one.count, one.node)):
        least = int(rows.argmin())
        groups[least].append(subtree)
        rows[least] += subtree.count
    return [tuple(group) for group in groups]


def _take(partition: Partition, task: SubtreeTask, group: Sequence[Subtree]) -> list[tuple[Any, ...]]:
    """The rows of each subtree of a group, in the order of the partition."""
    task.rows.neighbours(partition)
    weights = task.rows.given_weight(partition)
    taken = []
    for subtree in group:
        rows = np.flatnonzero(partition.at.node == subtree.node)
        numbers = np.array([column[rows] for column in partition.numbers], np.float64)
        categories = np.array([column[rows] for column in partition.categories], np.int32)
        weight = None if weights is None else weights[rows]
        columns = (numbers.reshape(len(numbers), len(rows)), categories.reshape(len(categories), len(rows)))
        taken.append((*columns, partition.target[rows], weight))
    return taken


def _grow(
    rows: Sequence[Sequence[tuple[Any, ...]]], task: SubtreeTask, group: Sequence[Subtree]
) -> list[Arrays]:
    grown = []
    for place, subtree in enumerate(group):
        numbers, categories, target, weight = zip(*(part[place] for part in rows), strict=True)
        grown.append(
            task.grow(
                subtree,
                np.concatenate(numbers, axis=1).T,
                np.concatenate(categories, axis=1).T,
                np.concatenate(target),
                None if weight[0] is None else np.concatenate(weight),
            )
        )
    return grown
