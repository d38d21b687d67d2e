"""Loading of saved models for commands."""

from __future__ import annotations

from typing import Any

from treewright.errors import ModelFileError


def open_model(path: str) -> Any:
    """Read a model file, or say why it cannot be."""
    from treewright.estimators.loading import load

    try:
        return load(path)
    except OSError as problem:
        raise ModelFileError(f"cannot read {path!r}: {problem.strerror or problem}.") from None


def open_to_read(path: str) -> Any:
    """Read a model file to show or explain it: most trees need no estimator, and need not wait for it."""
    from treewright.fitting.saved_tree import SavedTree
    from treewright.persistence.container import read_model

    try:
        header, arrays = read_model(path)
    except OSError as problem:
        raise ModelFileError(f"cannot read {path!r}: {problem.strerror or problem}.") from None
    return SavedTree(header, arrays) if SavedTree.can_be(header, arrays) else open_model(path)
