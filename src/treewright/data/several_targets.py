"""Several targets at once: a column of classes or of numbers for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import Raw
from treewright.data.frames import read
from treewright.data.target import read_classes, read_numbers, read_target, target_array
from treewright.errors import DataError


@dataclass(frozen=True, eq=False)
class Output:
    """One of several targets.

    Parameters
    ----------
    name : str
        Its name; `y0`, `y1`, … where the table of targets has none.
    classes : ndarray or None
        Labels in class order; `None` for a number.
    """

    name: str
    classes: NDArray[Any] | None = None

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Output):
            return NotImplemented
        if self.classes is None or other.classes is None:
            return self.name == other.name and self.classes is other.classes
        return self.name == other.name and np.array_equal(self.classes, other.classes)


def first_column(y: Any) -> NDArray[Any] | Raw:
    """Give the first column of a target that has columns.

    Examples
    --------
    >>> first_column([["b"], ["a"]]).tolist()
    ['b', 'a']
    """
    _, column = _columns(y)
    return column(0)


def n_columns(y: Any) -> int:
    """Count the columns of a target: 0 if it is one-dimensional, 1 of an array of shape (n, 1).

    Examples
    --------
    >>> n_columns([[1, 2], [3, 4]]), n_columns([[1], [2]]), n_columns(["a", "b"])
    (2, 1, 0)
    """
    shape = getattr(y, "shape", None)
    if shape is None and isinstance(y, (list, tuple)) and len(y) and not isinstance(y[0], str):
        try:
            shape = np.shape(y[0]) and (len(y), *np.shape(y[0]))
        except ValueError:  # rows of different lengths: reading says so
            return 0
    if hasattr(y, "column_names") and hasattr(y, "num_columns"):  # Arrow
        return int(y.num_columns)
    return int(shape[1]) if not hasattr(y, "tocsc") and shape is not None and len(shape) == 2 else 0


def read_several(
    y: Any, task: str, n_rows: int, estimator: str, *, declared: bool = False
) -> tuple[tuple[Output, ...], NDArray[Any]]:
    """Read several targets: what they are, and a column of class codes or numbers for each.

    Examples
    --------
    >>> outputs, codes = read_several([["b", 1], ["a", 2]], "classification", 2, "this estimator")
    >>> [output.classes.tolist() for output in outputs], codes.tolist()
    ([['a', 'b'], [1, 2]], [[1, 0], [0, 1]])
    """
    names, column = _columns(y)
    outputs: list[Output] = []
    targets: list[NDArray[Any]] = []
    target: NDArray[Any]
    for place, name in enumerate(names):
        values = column(place)
        try:
            if task == "classification":
                classes, target = read_classes(values, n_rows, estimator, declared=declared)
                outputs.append(Output(name, classes))
            else:
                target = read_numbers(values, n_rows, estimator)
                outputs.append(Output(name))
        except DataError as error:
            raise type(error)(f"target {name!r}: {error}") from None
        targets.append(target)
    return tuple(outputs), np.column_stack(targets)


def read_known(y: Any, outputs: tuple[Output, ...], n_rows: int, estimator: str) -> NDArray[Any]:
    """Read several targets of further rows: codes of known classes, −1 for others, or numbers."""
    if n_columns(y) < 2:
        raise DataError(f"y has one column, and {estimator} was fitted to {len(outputs)} targets.")
    names, column = _columns(y)
    if len(names) != len(outputs):
        raise DataError(f"y has {len(names)} columns, and {estimator} was fitted to {len(outputs)} targets.")
    columns = (
        read_target(column(place), output.classes, n_rows, estimator) for place, output in enumerate(outputs)
    )
    return np.column_stack(list(columns))


def _columns(y: Any) -> tuple[tuple[str, ...], Callable[[int], NDArray[Any] | Raw]]:
    """Give the names of the targets, and what reads one of them."""
    if hasattr(y, "columns") or hasattr(y, "column_names"):
        table = read(y)
        names = table.names or tuple(f"y{place}" for place in range(table.n_features))
        return names, table.column
    values = target_array(y)
    return tuple(f"y{place}" for place in range(values.shape[1])), lambda place: values[:, place]
