"""`open_table`: files as one table that is never read as a whole."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from treewright._module_names import public
from treewright.distributed.memory import Budget, read_size
from treewright.distributed.sources import (
    TEXT_ENDINGS,
    ColumnChoice,
    Paths,
    SourceFile,
    TextReading,
    agreed_schema,
    as_parquet,
    column_names,
    find_files,
)
from treewright.distributed.survey import concatenated
from treewright.errors import DataError
from treewright.formatting.suggestions import nearest
from treewright.formatting.text import counted

if TYPE_CHECKING:
    import pyarrow as pa


@public
class OpenTable:
    r"""A table in files that is read batch by batch; `open_table` makes it.

    Rows are in the order of the files' names. It is accepted where `fit`, `predict`, `score` and `evaluate`
    take X; the target is then named, as is the column of weights.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from treewright import open_table
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "days.csv").write_text("wind,plays\nweak,yes\nstrong,no\n")
    ...     table = open_table(f"{folder}/*.csv")
    ...     table
    OpenTable(2 rows, 2 columns, 1 file)
    """

    is_partitioned = True
    """It is never in memory as a whole."""

    def __init__(
        self,
        paths: Paths,
        *,
        memory: int | str = "1GB",
        columns: Sequence[str] | ColumnChoice | None = None,
        temporary_folder: str | Path | None = None,
        text: TextReading | None = None,
    ) -> None:
        _require_pyarrow()
        self.memory = read_size(memory)
        self.temporary_folder = temporary_folder
        if not callable(columns):
            _check_columns(columns)
        if temporary_folder is not None and not Path(temporary_folder).is_dir():
            raise FileNotFoundError(f"temporary_folder {str(temporary_folder)!r} is no folder.")
        choose = columns if callable(columns) else _all_of(columns)
        paths = find_files(paths)
        self.n_files = len(paths)
        self.is_text = paths[0].name.endswith(TEXT_ENDINGS)
        if self.is_text:
            self._files = [as_parquet(paths, self._own_folder, self.memory, choose, text or TextReading())]
            self.schema = agreed_schema(self._files, None)
        else:
            self._files = [SourceFile.of(path) for path in paths]
            chosen = choose(column_names(self._files[0])) if columns is not None else None
            self.schema = agreed_schema(self._files, chosen)
        if not len(self):
            raise DataError(f"the table has no rows: {self}.")

    @cached_property
    def _own_folder(self) -> Path:
        """Where CSV files stand as Parquet for as long as the table is there."""
        folder = self.new_folder()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def new_folder(self) -> Path:
        r"""Make a folder for temporary files.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from treewright import open_table
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "days.csv").write_text("wind,plays\nweak,yes\nstrong,no\n")
        ...     table = open_table(f"{folder}/*.csv")
        ...     made = table.new_folder()
        ...     made.is_dir(), made.rmdir()
        (True, None)
        """
        return Path(mkdtemp(prefix="treewright-", dir=self.temporary_folder))

    def __len__(self) -> int:
        return sum(file.n_rows for file in self._files)

    def __repr__(self) -> str:
        size = counted(self.n_files, "file")
        return f"OpenTable({counted(len(self), 'row')}, {counted(len(self.columns), 'column')}, {size})"

    def __sklearn_is_fitted__(self) -> bool:  # a table is no estimator
        return False

    @property
    def columns(self) -> list[str]:
        r"""Names of the columns.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from treewright import open_table
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "days.csv").write_text("wind,plays\nweak,yes\nstrong,no\n")
        ...     table = open_table(f"{folder}/*.csv")
        ...     table.columns
        ['wind', 'plays']
        """
        return list(self.schema.names)

    @property
    def shape(self) -> tuple[int, int]:
        r"""Numbers of rows and columns.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from treewright import open_table
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "days.csv").write_text("wind,plays\nweak,yes\nstrong,no\n")
        ...     table = open_table(f"{folder}/*.csv")
        ...     table.shape
        (2, 2)
        """
        return len(self), len(self.columns)

    def read(self, name: Any, parameter: str) -> Any:
        r"""Read one column into memory, which a parameter names; None is none.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from treewright import open_table
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "days.csv").write_text("wind,plays\nweak,yes\nstrong,no\n")
        ...     table = open_table(f"{folder}/*.csv")
        ...     table.read("plays", "y").tolist()
        ['yes', 'no']
        """
        if name is None:
            return None
        chosen = column_name(self, name, parameter)
        return concatenated(list(self.batches([chosen]))).column(chosen).to_numpy()

    def batches(self, columns: Sequence[str] | None = None, n_rows: int | None = None) -> Iterator[pa.Table]:
        r"""Give the rows as Arrow tables, so many at a time that they fit the memory of the table.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from treewright import open_table
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "days.csv").write_text("wind,plays\nweak,yes\nstrong,no\n")
        ...     table = open_table(f"{folder}/*.csv")
        ...     [batch.num_rows for batch in table.batches()]
        [2]
        """
        import pyarrow as pa

        schema = self.schema
        if columns is not None:
            schema = pa.schema([schema.field(column_name(self, name, None)) for name in columns])
        size = n_rows or Budget(self.memory, len(schema.names)).partition_rows
        for file in self._files:
            yield from file.batches(schema, size)


def _check_columns(columns: Any) -> None:
    """Refuse what is no list of different names."""
    if columns is None:
        return
    names = [] if isinstance(columns, str) else list(columns)
    if not names or not all(isinstance(name, str) for name in names):
        raise DataError(f"columns must be a list of the names of columns to use. Got {columns!r} instead.")
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"columns names {name!r} twice.")


def _all_of(columns: Sequence[str] | None) -> ColumnChoice:
    """Choose the columns that are named, or all."""
    return lambda names: names if columns is None else list(columns)


def open_table(
    paths: Paths,
    memory: int | str = "1GB",
    columns: Sequence[str] | None = None,
    temporary_folder: str | Path | None = None,
) -> OpenTable:
    """Open files as one table, to grow trees on more rows than memory holds.

    Parameters
    ----------
    paths : str, path or list of them
        Parquet files, or text (``.csv``, ``.csv.gz``, ``.tsv``), read as `fit` reads it: names, folders, or
        patterns such as ``"data/*.parquet"``. Rows are in the order of the files' names.
    memory : int or str
        How much memory a fit may use beside what the process has already, as ``"2GB"``.
    columns : list of str or None
        The columns to use, the target among them; None is all.
    temporary_folder : path or None
        Where temporary files are written, which take about ten bytes a value and are removed at the end of
        each fit; None is the system's folder for them.

    Returns
    -------
    OpenTable
        To be passed as X, with the target by name: ``model.fit(table, "y")``. The tree is the one that the
        same rows give in memory, byte for byte.

    Examples
    --------
    >>> import treewright as tw, pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> pq.write_table(pa.table({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "b"]}), f"{folder.name}/1.parquet")
    >>> table = tw.open_table(f"{folder.name}/*.parquet", memory="100MB")
    >>> tw.DecisionTreeClassifier().fit(table, "y").score(table, "y")
    1.0
    >>> folder.cleanup()
    """
    return OpenTable(paths, memory=memory, columns=columns, temporary_folder=temporary_folder)


def is_open(X: Any) -> bool:
    """Say whether a table is one that is read batch by batch."""
    return isinstance(X, OpenTable)


def column_name(table: Any, name: Any, parameter: str | None) -> str:
    """Give the name of a column of a table in partitions, which a parameter names, or a model by itself."""
    if not isinstance(name, str):
        raise DataError(
            f"{parameter} must name a column of the table, as in fit(table, 'y'); got {type(name).__name__}."
        )
    names = [str(column) for column in table.columns]
    if name not in names:
        hint = nearest(name, names) or f" It has {', '.join(names)}."
        who = "the model was made with" if parameter is None else f"{parameter} names"
        raise DataError(f"the table has no column {name!r}, which {who}.{hint}")
    return name


def _require_pyarrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise ImportError("open_table reads files with pyarrow: pip install 'treewright[arrow]'") from None
