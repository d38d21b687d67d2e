"""Errors and warnings: what is wrong with data, a model file, an export or an address, in one sentence."""

from __future__ import annotations

import sys
import warnings


class DataError(ValueError):
    """A table, a target or weights that cannot be used as they are.

    Examples
    --------
    >>> raise DataError("column name 'a' occurs 2 times")
    Traceback (most recent call last):
    ...
    treewright.errors.DataError: column name 'a' occurs 2 times
    """


class DataTypeError(DataError, TypeError):
    """A value of a kind that does not belong where it stands; also a `TypeError`.

    Examples
    --------
    >>> issubclass(DataTypeError, DataError) and issubclass(DataTypeError, TypeError)
    True
    """


class ModelFileError(ValueError):
    """A file that holds no model, or one that is damaged, too new or of another program.

    Examples
    --------
    >>> raise ModelFileError("'x.tw' is damaged: its checksum does not match")
    Traceback (most recent call last):
    ...
    treewright.errors.ModelFileError: 'x.tw' is damaged: its checksum does not match
    """


class ExportError(ValueError):
    """A model that a target cannot hold, or an export that cannot be read.

    Examples
    --------
    >>> raise ExportError("node 3 splits on 'age' by surrogates, which onnx cannot hold.")
    Traceback (most recent call last):
    ...
    treewright.errors.ExportError: node 3 splits on 'age' by surrogates, which onnx cannot hold.
    """


class AddressError(OSError):
    """An address that cannot be listened at.

    Examples
    --------
    >>> raise AddressError("cannot listen at 127.0.0.1, port 80: permission denied.")
    Traceback (most recent call last):
    ...
    treewright.errors.AddressError: cannot listen at 127.0.0.1, port 80: permission denied.
    """


def raise_if_interrupted(problem: BaseException | None) -> None:
    """Raise `KeyboardInterrupt` or `MemoryError` if that is what an error of DuckDB stands for.

    Examples
    --------
    >>> raise_if_interrupted(RuntimeError("disk full"))  # nothing: it stands for what it says
    """
    if isinstance(problem, RuntimeError) and str(problem) == "Query interrupted":
        raise KeyboardInterrupt from None
    if type(problem).__name__ == "OutOfMemoryException":
        raise MemoryError("the system gives DuckDB, which reads tables, no more") from None


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Give a warning at the line outside treewright that led to it.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always")
    ...     warn("column 'age' is empty.")
    >>> print(given[0].message)
    column 'age' is empty.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "treewright":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
