"""Exports to files, written whole or not at all."""

from __future__ import annotations

import os
from typing import Any

from treewright.export.write import export_model
from treewright.persistence.atomic_file import whole_file


def export_file(
    model: Any, target: str, path: str | os.PathLike[str] | None = None, **options: Any
) -> str | bytes | None:
    """Write a model as a target, to a file if a path is given; see `Exporting.export`."""
    content = export_model(model, target, **options)
    if path is None:
        return content
    with whole_file(path) as beside:
        beside.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return None
