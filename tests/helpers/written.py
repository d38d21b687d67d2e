"""A small table to write in every form, and the reading of files that tests have written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from treewright.data.columns import RawCodes
from treewright.files import Choices, Table, TextOptions, Workspace, guess

SMALL = "id,age,pet,y\n1,3.5,dog,yes\n2,?,cat,no\n3,NA,,yes\n4,7,dog,no\n"
EXPECTED = {
    "id": [1, 2, 3, 4],
    "age": [3.5, None, None, 7.0],
    "pet": ["dog", "cat", None, "dog"],
    "y": ["yes", "no", "yes", "no"],
}


def write(folder: Path, name: str, content: str | bytes) -> str:
    """Write a file, and give its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def read(workspace: Workspace, *given: str | Path, choices: Choices | None = None, **options: Any) -> Table:
    """Read files as one table, its kinds guessed or chosen."""
    staged = workspace.stage([str(path) for path in given], TextOptions(**options))
    return workspace.load(staged, guess(workspace, staged, choices or Choices()))


def values(table: Table) -> dict[str, list[Any]]:
    """The values of every column, as one would write them; None is missing."""
    found = {}
    for name, raw in table.columns.items():
        if isinstance(raw, RawCodes):
            found[name] = [None if code < 0 else raw.categories[code] for code in raw.codes.tolist()]
        else:
            known = raw.values.tolist()
            found[name] = [
                None if gap else value for gap, value in zip(raw.gaps.tolist(), known, strict=True)
            ]
    return found
