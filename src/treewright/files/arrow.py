"""Arrow and Feather files, read by pyarrow and checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treewright.files.sources import refuse


def arrow_batches(path: Path, given: str) -> Iterator[Any]:
    """Go over the record batches of an Arrow file.

    Offsets and codes of a damaged or forged file may point anywhere; nothing is passed on before all of them
    have been looked at.

    Parameters
    ----------
    path : Path
        The file: Arrow's file or stream form, or Feather of either version.
    given : str
        What it is called, for errors.
    """
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ImportError:
        raise refuse(given, "Arrow files need pyarrow: pip install pyarrow") from None
    try:
        with open(path, "rb") as file:
            first_version = file.read(4) == b"FEA1"
        if first_version:
            batches = feather.read_table(str(path)).to_batches()
        else:
            reader = pa.ipc.open_file(pa.memory_map(str(path)))
            batches = (reader.get_batch(index) for index in range(reader.num_record_batches))
        for batch in batches:
            batch.validate(full=True)
            yield batch
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise refuse(given, f"it is no sound Arrow file ({' '.join(str(problem).split())})") from None
