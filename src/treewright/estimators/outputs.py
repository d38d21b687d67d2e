"""What models say of their targets in scikit-learn's shapes: of one, or of several at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.tree.decision import decide

Array = NDArray[np.float64]


def describe_targets(model: Any, schema: Schema) -> None:
    """Set `n_outputs_`, and of classes `classes_` and `n_classes_`: lists where there are several targets."""
    model.n_outputs_ = schema.n_outputs
    if schema.classes is None:
        return
    if schema.outputs:
        model.classes_ = [np.asarray(output.classes) for output in schema.outputs]
        model.n_classes_ = [len(classes) for classes in model.classes_]
    else:
        model.classes_ = np.asarray(schema.classes)
        model.n_classes_ = len(model.classes_)


def labels(schema: Schema, codes: NDArray[Any]) -> NDArray[Any]:
    """Give the labels of class codes; of several targets a column for each.

    Columns of one kind of labels keep it; of several kinds they are objects.
    """
    if not schema.outputs and schema.classes is not None:
        return schema.classes.take(codes)
    columns = [
        np.asarray(output.classes).take(codes[:, place]) for place, output in enumerate(schema.outputs)
    ]
    kinds = {column.dtype.kind for column in columns}
    if len(kinds) > 1 and not kinds <= set("iuf"):
        columns = [column.astype(object) for column in columns]
    return np.stack(columns, axis=1)


def decided(schema: Schema, shares: Array) -> NDArray[np.intp]:
    """Give the class codes that class probabilities lead to; of several targets a column for each."""
    return decide(shares.reshape(len(shares), len(schema.outputs), -1) if schema.outputs else shares)


def probabilities(schema: Schema, shares: Array) -> Any:
    """Give class probabilities as they are or, of several targets, as a list with an array for each."""
    if not schema.outputs:
        return shares
    width = schema.n_classes
    return [
        np.ascontiguousarray(shares[:, place * width : place * width + len(np.asarray(output.classes))])
        for place, output in enumerate(schema.outputs)
    ]


def numbers(schema: Schema, values: Array) -> Array:
    """Give predicted numbers as one column, or as one for each of several targets."""
    return values if schema.outputs else values.ravel()
