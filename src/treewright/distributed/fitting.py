"""`rows_to_grow_on`: the rows of the files of an open table, or of a Dask DataFrame on its cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from treewright.distributed.dask import DaskCluster, is_dask
from treewright.distributed.local_files import LocalFiles, Progress
from treewright.distributed.open_rows import Columns, OpenRows
from treewright.distributed.table import column_name
from treewright.errors import DataError


@contextmanager
def rows_to_grow_on(
    table: Any,
    target: Any,
    weight: Any,
    reading: dict[str, Any],
    *,
    n_jobs: int | None = None,
    verbose: int | bool = 0,
    progress: Progress | None = None,
    all_rows: bool = False,
) -> Iterator[OpenRows]:
    """Give the rows of a table in partitions to grow trees on; temporary files are there until it is left.

    Parameters
    ----------
    table : OpenTable or dask.dataframe.DataFrame
    target, weight : str
        Names of the target and of the column of weights, if there is one.
    reading : dict
        How `Dataset.from_table` reads a table.
    n_jobs, verbose
        Threads, and whether to show how far it is.
    progress : callable or None
        Told how far passes over files are, in the place of what `verbose` shows.
    all_rows : bool
        Whether rows of no weight, too, tell what the columns are.
    """
    names = column_name(table, target, "y"), _weight_name(table, target, weight)
    if is_dask(table):
        cluster = DaskCluster(table, list(table.columns))
        columns = Columns(cluster.schema, *names, reading)
        yield OpenRows(
            cluster,
            columns,
            memory=cluster.memory,
            n_jobs=1,
            n_partitions=cluster.n_partitions,
            all_rows=all_rows,
            far=True,
        )
        return
    columns = Columns(table.schema, *names, reading)
    with LocalFiles(table, columns.used, progress or _progress(verbose, len(table))) as files:
        yield OpenRows(
            files,
            columns,
            memory=table.memory,
            n_jobs=n_jobs,
            n_partitions=files.n_partitions,
            all_rows=all_rows,
        )


def _weight_name(table: Any, target: Any, weight: Any) -> str | None:
    """Give the name of the column of weights, which is not that of the target."""
    if weight is None:
        return None
    name = column_name(table, weight, "sample_weight")
    if name == target:
        raise DataError(f"y and sample_weight name the same column, {name!r}.")
    return name


def _progress(verbose: int | bool, n_rows: int) -> Progress:
    """Show passes on standard error, where somebody sees them."""
    if not verbose or not sys.stderr.isatty():
        return lambda _pass, _rows: None
    started: dict[int, float] = {}

    def show(number: int, done: int) -> None:
        passed = monotonic() - started.setdefault(number, monotonic())
        left = passed * (n_rows - done) / done if done else 0.0
        sys.stderr.write(
            f"\rpass {number}: {done / 1e6:.2f} of {n_rows / 1e6:.2f} million rows, {left:.0f} s left   "
        )
        sys.stderr.write("\n" if done >= n_rows else "")
        sys.stderr.flush()

    return show
