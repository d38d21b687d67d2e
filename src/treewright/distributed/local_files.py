"""Partitions in temporary files of this machine, one in memory at a time."""

from __future__ import annotations

import mmap
import shutil
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.distributed.coding import Coding, Partition, Place
from treewright.distributed.executor import Question, TableQuestion, answered
from treewright.distributed.memory import Budget
from treewright.distributed.sources import FULL, no_space
from treewright.distributed.subtrees import Arrays, SubtreeTask

if TYPE_CHECKING:
    from treewright.distributed.table import OpenTable

COLUMNS = {
    "codes": np.uint16,
    "numbers": np.float64,
    "categories": np.int32,
    "target": None,
    "weight": np.float64,
    "row": np.int64,
}
"""Kinds of columns, and their types; a target is classes or numbers."""
GROWN_ON = ("numbers", "categories", "target", "weight")
NOWHERE = np.empty(0, np.int32)
DRAWN = np.empty(0, np.uint32)
UNROUTED = Place(NOWHERE)

Progress = Callable[[int, int], None]
"""Told which pass it is, and how many rows it has done."""


class LocalFiles:
    """An executor that keeps coded partitions in files, for as long as it is entered.

    Parameters
    ----------
    table : OpenTable
    columns : list of str
        Those that are read.
    progress : callable
        Told how far each pass is.
    """

    def __init__(self, table: OpenTable, columns: Sequence[str], progress: Progress) -> None:
        self._table, self._columns, self._progress = table, list(columns), progress
        self._rows = Budget(table.memory, len(self._columns)).partition_rows
        self.n_partitions = table.n_files + len(table) // self._rows
        self._stored: StoredPartitions | None = None
        self._n_passes = 0

    def __enter__(self) -> Self:
        self._folder = self._table.new_folder()
        # Should Ctrl-C come in between, or while files are removed, they are when the process ends.
        self._removed_at_exit = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stored is not None:
            self._stored.close()
            self._stored = None
        shutil.rmtree(self._folder, ignore_errors=True)
        self._removed_at_exit.detach()
        if isinstance(error, OSError) and error.errno in FULL:
            raise no_space(self._folder.parent, error.errno) from error

    def ask_tables(self, question: TableQuestion) -> Any:
        """Read all rows, and put a question to each batch of them."""
        return self._joined(question, self._table.batches(self._columns, self._rows))

    def ask(self, coding: Coding, question: Question) -> Any:
        """Put a question to each partition; the first time they are made."""
        return self._joined(question, self._coded(coding) if self._stored is None else self._partitions())

    def grow_subtrees(self, coding: Coding, task: SubtreeTask) -> list[Arrays]:
        """Bring the rows of each subtree side by side in a file, then grow one after the other."""
        place = np.full(max(one.node for one in task.subtrees) + 1, -1, np.int64)
        place[[one.node for one in task.subtrees]] = np.arange(len(task.subtrees))
        rows = RowsBySubtree(self._folder / "sorted", len(task.subtrees))
        for partition in self._partitions():
            task.rows.neighbours(partition)
            rows.add(partition, place, task.rows.given_weight(partition))
        grown = []
        self._n_passes += 1
        done = 0
        for number, subtree in enumerate(task.subtrees):
            grown.append(task.grow(subtree, *rows.of(number)))
            done += subtree.count
            self._progress(self._n_passes, done)
        rows.remove()
        return grown

    def _joined(self, question: Any, parts: Iterator[Any]) -> Any:
        self._n_passes += 1

        def watched() -> Iterator[Any]:
            done = 0
            for part in parts:
                yield part
                done += len(part)
                self._progress(self._n_passes, done)

        return answered(question, watched())

    def _coded(self, coding: Coding) -> Iterator[Partition]:
        self._stored = StoredPartitions(self._folder)
        first = 0
        for rows in self._table.batches(self._columns, self._rows):
            partition = coding.encode(rows, first)
            first += len(rows)
            self._stored.add(partition)
            yield partition

    def _partitions(self) -> Iterator[Partition]:
        assert self._stored is not None
        for number in range(len(self._stored)):
            partition = self._stored.load(number)
            yield partition
            self._stored.keep(number, partition)


def _columns(partition: Partition, name: str) -> Sequence[NDArray[Any]]:
    columns = getattr(partition, name)
    return [columns] if isinstance(columns, np.ndarray) else columns or []


class ArrayFile:
    """Arrays in a file, one behind the other; they are read when they are looked at.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = ArrayFile(Path(folder.name) / "arrays")
    >>> at = file.add([np.arange(3), np.arange(3, 6)])
    >>> file.read(at, np.int64, (2, 3)).tolist()
    [[0, 1, 2], [3, 4, 5]]
    >>> file.remove()
    >>> folder.cleanup()
    """

    def __init__(self, path: Path) -> None:
        self._path, self._size = path, 0
        self._file: Any = open(path, "w+b", buffering=0)  # noqa: SIM115
        self._map: mmap.mmap | None = None

    @property
    def size(self) -> int:
        """Bytes that are written."""
        return self._size

    def add(self, columns: Sequence[NDArray[Any]]) -> int:
        """Write arrays of one type; give the place of the first."""
        begin = self._size
        for column in columns:
            rest = memoryview(np.ascontiguousarray(column).data).cast("B") if column.size else memoryview(b"")
            self._size += len(rest)
            while len(rest):
                rest = rest[self._file.write(rest) :]
        self._size += self._file.write(bytes(-self._size % 8))  # numbers stand where the processor likes them
        return begin

    def read(self, begin: int, kind: Any, shape: tuple[int, int]) -> NDArray[Any]:
        """Give arrays of one type and size that stand from a place on."""
        count = shape[0] * shape[1]
        if not count:
            return np.empty(shape, kind)
        if self._map is None or len(self._map) < self._size:
            self._map = mmap.mmap(self._file.fileno(), self._size, access=mmap.ACCESS_READ)
        return np.frombuffer(self._map, kind, count, begin).reshape(shape)

    def let_go(self, begin: int, end: int) -> None:
        """Let go of memory that a part of the file has been read into; arrays of it are read anew."""
        if self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            begin -= begin % mmap.PAGESIZE
            self._map.madvise(mmap.MADV_DONTNEED, begin, max(min(end, len(self._map)) - begin, 0))

    def remove(self) -> None:
        """Close the file and remove it."""
        self._map = None
        self._file.close()
        self._path.unlink(missing_ok=True)


@dataclass
class Stored:
    """Where a partition stands in the file of them all."""

    n_rows: int
    first: int
    begin: dict[str, tuple[int, int, Any]]
    """Of each kind of column: place, number of columns, and type."""
    end: int
    at: Place


class StoredPartitions:
    """Partitions in a file, and in others where their rows are in a tree, and how often it draws them."""

    def __init__(self, folder: Path) -> None:
        self._rows = ArrayFile(folder / "rows")
        self._nodes: Any = open(folder / "nodes", "w+b", buffering=0)  # noqa: SIM115
        self._times: Any = open(folder / "times", "w+b", buffering=0)  # noqa: SIM115
        self._stored: list[Stored] = []
        self._n_rows = [0]

    def __len__(self) -> int:
        return len(self._stored)

    def close(self) -> None:
        """Remove the files."""
        self._rows.remove()
        self._nodes.close()
        self._times.close()

    def add(self, partition: Partition) -> None:
        """Write a partition behind the others."""
        begin = {}
        for name, kind in COLUMNS.items():
            columns = _columns(partition, name)
            begin[name] = self._rows.add(columns), len(columns), kind or partition.target.dtype
        end = self._rows.size
        self._stored.append(Stored(len(partition), partition.first, begin, end, UNROUTED))
        self._n_rows.append(self._n_rows[-1] + len(partition))

    def load(self, number: int) -> Partition:
        """Give a partition; its columns are read when they are looked at."""
        stored = self._stored[number]
        codes, numbers, categories, target, weight, row = (
            self._rows.read(begin, kind, (n_columns, stored.n_rows))
            for begin, n_columns, kind in stored.begin.values()
        )
        return Partition(
            list(codes),
            list(numbers),
            list(categories),
            target[0],
            weight[0] if len(weight) else None,
            self._place(number, stored.at),
            first=stored.first,
            row=row[0] if len(row) else None,
        )

    def keep(self, number: int, partition: Partition) -> None:
        """Remember how far the rows of a partition are, and let go of them."""
        stored = self._stored[number]
        at, now = stored.at, partition.at
        if now is not UNROUTED and (at.tree, at.n_routed) != (now.tree, now.n_routed):
            self._write(self._nodes, number, now.node)
            if now.times is not None and at.tree != now.tree:
                self._write(self._times, number, now.times)
            stored.at = replace(now, node=NOWHERE, times=None if now.times is None else DRAWN)
        self._rows.let_go(min(begin for begin, _, _ in stored.begin.values()), stored.end)

    def _place(self, number: int, at: Place) -> Place:
        if at is UNROUTED:
            return at
        node = np.empty(self._stored[number].n_rows, np.int32)
        times = None if at.times is None else np.empty(len(node), np.uint32)
        for file, array in ((self._nodes, node), (self._times, times)):
            if array is not None:
                file.seek(4 * self._n_rows[number])
                file.readinto(array.data)
        return replace(at, node=node, times=times)

    def _write(self, file: Any, number: int, array: NDArray[Any]) -> None:
        file.seek(4 * self._n_rows[number])
        rest = memoryview(np.ascontiguousarray(array).data).cast("B")
        while len(rest):
            rest = rest[file.write(rest) :]


class RowsBySubtree:
    """The rows of subtrees in a file, those of one and of a partition side by side."""

    def __init__(self, path: Path, n_subtrees: int) -> None:
        self._file, self._n_subtrees = ArrayFile(path), n_subtrees
        self._begin: list[NDArray[np.int64]] = []
        self._columns: list[dict[str, tuple[int, int, Any]]] = []

    def remove(self) -> None:
        """Remove the file."""
        self._file.remove()

    def add(self, partition: Partition, place: NDArray[np.int64], weight: NDArray[np.float64] | None) -> None:
        """Write the rows of a partition, sorted by subtree; `place` is that of each node, −1 of others."""
        node = partition.at.node
        known = (node >= 0) & (node < len(place))
        own = place[np.where(known, node, 0)]
        own[~known] = -1
        if self._n_subtrees < 2**15:  # which are sorted by counting
            own = own.astype(np.int16)
        order = np.argsort(own, kind="stable")[np.count_nonzero(own < 0) :]
        self._begin.append(np.searchsorted(own[order], np.arange(self._n_subtrees + 1)))
        written = {}
        for name in GROWN_ON:
            columns, kind = _columns(partition, name), COLUMNS[name] or partition.target.dtype
            if name == "weight":
                columns = [] if weight is None else [weight]
            written[name] = self._file.add([column[order] for column in columns]), len(columns), kind
        self._columns.append(written)

    def of(self, subtree: int) -> tuple[Any, Any, Any, Any]:
        """Give numbers, categories, target and weights of the rows of one subtree."""
        inside = [(int(begin[subtree]), int(begin[subtree + 1])) for begin in self._begin]
        n_rows = sum(end - first for first, end in inside)
        gathered = []
        for name in GROWN_ON:
            _, n_columns, kind = self._columns[0][name]
            rows, at = np.empty((n_columns, n_rows), kind), 0
            for (first, end), begin, columns in zip(inside, self._begin, self._columns, strict=True):
                if first < end and n_columns:
                    stored = self._file.read(columns[name][0], kind, (n_columns, int(begin[-1])))
                    rows[:, at : at + end - first] = stored[:, first:end]
                    self._file.let_go(columns[name][0], columns[name][0] + stored.nbytes)
                at += end - first
            gathered.append(rows)
        numbers, categories, target, weight = gathered
        return numbers.T, categories.T, target[0], weight[0] if len(weight) else None
