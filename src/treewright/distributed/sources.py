"""The files of a table: found by name, of one schema, watched for changes, read in batches of rows."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.data.columns import is_row_labels
from treewright.distributed.memory import database_bytes
from treewright.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from treewright.files.kinds import Reading
    from treewright.files.staged_table import Staged, TextOptions
    from treewright.files.workspace import Workspace

ColumnChoice = Callable[[list[str]], list[str]]
"""Gives the names of the columns to use, out of those that a table has."""
Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

TEXT_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
ENDINGS = (".parquet", ".pq", *TEXT_ENDINGS)


def find_files(paths: Paths) -> list[Path]:
    """Find the files that paths, folders and patterns name, in the order of their names.

    Parameters
    ----------
    paths : str, path or list of them
        A file, a folder (all Parquet and CSV files in it), or a pattern such as ``"data/*.parquet"``.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    given = list(given) if isinstance(given, Iterable) and not hasattr(given, "columns") else []
    if not given or not all(isinstance(path, (str, os.PathLike)) for path in given):
        raise DataError("paths must be the name of a file or a folder, a pattern, or a list of such.")
    found: set[Path] = set()
    for one in [os.fspath(path) for path in given]:
        if os.path.isdir(one):
            inside = [path for path in Path(one).rglob("*") if path.is_file() and path.name.endswith(ENDINGS)]
        elif os.path.exists(one):
            inside = [Path(one)]
        else:
            inside = [Path(name) for name in glob.glob(one, recursive=True) if os.path.isfile(name)]
        if not inside:
            raise FileNotFoundError(f"no file matches {one!r}.")
        found.update(inside)
    for path in found:
        if not path.name.endswith(ENDINGS):
            raise DataError(
                f"file {str(path)!r} is neither Parquet nor CSV: its name must end with "
                f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}."
            )
    texts = [path for path in found if path.name.endswith(TEXT_ENDINGS)]
    if texts and len(texts) < len(found):
        other = min(found.difference(texts), key=str)
        raise DataError(
            f"{str(min(texts, key=str))!r} is text and {str(other)!r} is Parquet: give files of one form."
        )
    return sorted(found, key=str)


@dataclass(frozen=True)
class SourceFile:
    """A Parquet file as it was when the table was opened."""

    path: Path
    size: int
    changed: int
    n_rows: int
    shown: Path
    """The file that the user knows: the first of the text files that this one was made of."""

    @classmethod
    def of(cls, path: Path, shown: Path | None = None) -> SourceFile:
        """Look at a file."""
        state = os.stat(path)
        with _Named(shown or path):
            n_rows = _parquet(path).metadata.num_rows
        return cls(path, state.st_size, state.st_mtime_ns, n_rows, shown or path)

    def check(self) -> None:
        """Refuse a file that has changed since the table was opened."""
        try:
            state = os.stat(self.path)
        except OSError as error:
            raise DataError(
                f"file {str(self.shown)!r} has disappeared since the table was opened."
            ) from error
        if (state.st_size, state.st_mtime_ns) != (self.size, self.changed):
            raise DataError(f"file {str(self.shown)!r} has changed since the table was opened.")

    def schema(self) -> pa.Schema:
        """Give the columns of the file."""
        with _Named(self.shown):
            return _parquet(self.path).schema_arrow

    def batches(self, schema: pa.Schema, n_rows: int) -> Iterator[pa.Table]:
        """Give the columns of a schema, so many rows at a time."""
        import pyarrow as pa

        self.check()
        read = 0
        with _Named(self.shown):
            for batch in _parquet(self.path).iter_batches(n_rows, columns=schema.names, use_threads=False):
                read += len(batch)
                yield pa.Table.from_batches([batch]).select(schema.names).cast(schema)
        self.check()
        if read != self.n_rows:
            raise DataError(f"file {str(self.shown)!r} is damaged: it gave {read} of {self.n_rows} rows.")


class _Named:
    """Name the file in errors of whoever reads it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        import pyarrow as pa

        if isinstance(error, (OSError, pa.ArrowException)) and not isinstance(error, DataError):
            reason = str(error).partition("\n")[0]
            raise DataError(f"file {str(self._path)!r} cannot be read: {reason}") from error


def _parquet(path: Path) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False, memory_map=False)


def agreed_schema(files: Sequence[SourceFile], columns: Sequence[str] | None) -> pa.Schema:
    """Give the columns that all files have, each of a type that holds what every file has in it."""
    import pyarrow as pa

    schema = _chosen(files[0].schema(), columns, files[0])
    for file in files[1:]:
        further = _chosen(file.schema(), columns if columns is not None else schema.names, file)
        own = [] if columns is not None else _chosen(file.schema(), None, file).names
        unknown = [name for name in own if name not in schema.names]
        if unknown:
            raise DataError(
                f"file {str(file.shown)!r} has a column {unknown[0]!r} that {str(files[0].shown)!r} has not."
            )
        try:
            schema = pa.unify_schemas([schema, further], promote_options="permissive")
        except pa.ArrowException as error:
            odd = next(n for n in schema.names if schema.field(n).type != further.field(n).type)
            raise DataError(
                f"column {odd!r} is {schema.field(odd).type} in {str(files[0].shown)!r} and "
                f"{further.field(odd).type} in {str(file.shown)!r}."
            ) from error
    return pa.schema([pa.field(field.name, _plain_type(field)) for field in schema])


def column_names(file: SourceFile) -> list[str]:
    """Name the columns of a file, without the labels of rows that pandas writes."""
    return [name for name in file.schema().names if not is_row_labels(name)]


def _chosen(schema: pa.Schema, columns: Sequence[str] | None, file: SourceFile) -> pa.Schema:
    import pyarrow as pa

    names = [name for name in schema.names if not is_row_labels(name)] if columns is None else list(columns)
    for name in names:
        if name not in schema.names:
            raise DataError(
                f"file {str(file.shown)!r} has no column {name!r}. It has {', '.join(schema.names)}."
            )
    return pa.schema([pa.field(name, schema.field(name).type) for name in names])


def _plain_type(field: pa.Field) -> pa.DataType:
    """A type that batches can be cast to: no nulls alone, no decimal or nested values."""
    import pyarrow as pa

    kind, types = field.type, pa.types
    if types.is_null(kind):
        return pa.float64()
    known = (
        types.is_dictionary(kind)
        or types.is_boolean(kind)
        or types.is_integer(kind)
        or types.is_floating(kind)
    )
    text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    time = types.is_timestamp(kind) or types.is_date(kind) or types.is_time(kind) or types.is_duration(kind)
    if types.is_decimal(kind):
        return pa.float64()
    if not (known or text or time):
        raise DataError(
            f"column {field.name!r} has values of type {kind}, which a table larger than memory cannot have."
        )
    return kind


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No space on the disk, or none that one may use."""
NO_SPACE = tuple(map(os.strerror, FULL))
"""What systems say of it."""
BATCH = 20_000
"""Rows of text that are written at a time."""


def no_space(folder: Path, number: int = errno.ENOSPC) -> OSError:
    """Give the error for a disk that is full."""
    return OSError(
        number,
        f"no space left for temporary files in {str(folder)!r}, which take about ten bytes a value: "
        "free some, or set temporary_folder of open_table to another place",
    )


@dataclass(frozen=True)
class TextReading:
    """How the text files of a table are read, where that is not left to a guess."""

    options: TextOptions | None = None
    readings: Callable[[Workspace, Staged, list[str]], list[Reading]] | None = None
    """How each of the columns that are named is read."""


def as_parquet(
    paths: Sequence[Path], folder: Path, memory: int, choose: ColumnChoice, reading: TextReading
) -> SourceFile:
    """Write text files as one of Parquet, in little memory, read by the rules that hold for files in memory.

    Parameters
    ----------
    paths : list of Path
        The files; they have the same columns, of kinds found in all of their rows.
    folder : Path
        Where it is written.
    memory : int
        How much may be used.
    choose : callable
        Gives the names of the columns to use out of all.
    reading : TextReading
    """
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    from treewright.files.kinds import Choices, guess
    from treewright.files.workspace import Workspace

    to = folder / "text.parquet"
    try:
        with Workspace(database_bytes(memory), folder) as workspace:
            staged = workspace.stage([str(path) for path in paths], reading.options)
            names = choose(staged.names)
            if reading.readings is None:
                readings = guess(workspace, staged, Choices(), names)
            else:
                readings = reading.readings(workspace, staged, names)
            values = ", ".join(f"{one.value} AS v{place}" for place, one in enumerate(readings))
            found = workspace.connection.sql(f"SELECT {values} FROM staged").to_arrow_reader(BATCH)
            fields = zip(readings, found.schema.types, strict=True)
            schema = pa.schema([pa.field(one.name, _without_zone(kind)) for one, kind in fields])
            with pq.ParquetWriter(to, schema) as writer:
                for batch in found:
                    writer.write_table(pa.table(batch.columns, names=schema.names).cast(schema))
    except (duckdb.Error, OSError, DataError) as error:
        if getattr(error, "errno", None) in FULL or any(words in str(error) for words in NO_SPACE):
            raise no_space(folder.parent) from error
        raise
    return SourceFile.of(to, paths[0])


def _without_zone(kind: pa.DataType) -> pa.DataType:
    """Moments of a time zone are those of UTC, as in memory."""
    import pyarrow as pa

    return pa.timestamp(kind.unit) if pa.types.is_timestamp(kind) else kind
