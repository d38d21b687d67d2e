"""Table of the page: features of a tree and a sample of its rows, as JSON."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Column, Dataset
from treewright.data.columns import plain
from treewright.formatting.text import printable
from treewright.tree import Tree

if TYPE_CHECKING:
    from treewright.explorer.page_data import Exploration

Array = NDArray[np.float64]
Json = dict[str, Any]


def feature_content(tree: Tree, place: int, explored: Exploration) -> Json:
    """Describe a feature: its name, its kind, and the range of its values."""
    column = tree.schema.columns[place]
    described: Json = {"name": printable(column.name), "kind": column.kind}
    if described["name"] != column.name and _can_be_sent(column.name):
        described["column"] = column.name
    if column.categories:
        described["categories"] = [printable(column.text(code)) for code in range(len(column.categories))]
        described["values"] = code_values([plain(category) for category in column.categories])
    if column.kind == "numeric" and (column.unit is not None or column.offset):
        described |= {"unit": column.unit, "offset": column.offset}
    rows = explored.training or explored.validation
    if rows is None:
        return described | _range_of_cuts(column, explored.cuts.get(place))
    position = tree.schema.position[place]
    if column.kind == "categorical":
        codes = rows.codes[:, position]
        known = codes[codes >= 0]
        return described | {"middle": int(np.bincount(known).argmax()) if len(known) else None}
    numbers = rows.numbers[:, position]
    known_numbers = numbers[~np.isnan(numbers)]
    if not len(known_numbers):
        return described | {"low": None, "high": None, "middle": None}
    middle = float(np.quantile(known_numbers, 0.5, method="nearest"))
    whole = bool((np.floor(known_numbers) == known_numbers).all())
    low, high = float(known_numbers.min()), float(known_numbers.max())
    return described | {"low": low, "high": high, "middle": middle, "whole": whole}


def code_values(values: list[Any]) -> list[Any] | None:
    """Give categories as code must write them; nothing if all of them are the texts that the page shows."""
    if all(isinstance(value, str) and printable(value) == value for value in values):
        return None
    return [value if _can_be_sent(value) else printable(str(value)) for value in values]


def _can_be_sent(value: Any) -> bool:
    """Whether JSON has such a value; half a character is none."""
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))


def _range_of_cuts(column: Column, cuts: Array | None) -> Json:
    """Say as much of a feature's values as the tree tells, if there are no rows."""
    if column.kind == "categorical":
        return {"middle": 0 if column.categories else None}
    if cuts is None:
        return {"low": None, "high": None, "middle": None}
    low, high = float(cuts.min()), float(cuts.max())
    room, most = 0.25 * high - 0.25 * low or 1.0, sys.float_info.max
    middle = float(np.quantile(cuts, 0.5, method="nearest"))
    return {"low": max(low - room, -most), "high": min(high + room, most), "middle": middle}


def rows_content(explored: Exploration, max_rows: int) -> Json | None:
    """Take a sample of the rows along, half of them for validation if there are such."""
    pairs = sampled(explored, max_rows)
    if not pairs:
        return None
    parts, chosen = [part for part, _ in pairs], [rows for _, rows in pairs]
    schema = explored.tree.schema
    features = []
    for place, column in enumerate(schema.columns):
        position = schema.position[place]
        if column.kind == "categorical":
            codes = np.concatenate(
                [part.codes[rows, position] for part, rows in zip(parts, chosen, strict=True)]
            )
            features.append(codes.tolist())
        else:
            numbers = [part.numbers[rows, position] for part, rows in zip(parts, chosen, strict=True)]
            features.append(exact(np.concatenate(numbers)))
    targets = [np.asarray(part.target)[rows] for part, rows in zip(parts, chosen, strict=True)]
    is_validation = [part is explored.validation for part in parts]
    return {
        "total": [len(part) for part in parts],
        "id": np.concatenate(chosen).tolist(),
        "validation": np.repeat(is_validation, [len(rows) for rows in chosen]).astype(int).tolist(),
        "features": features,
        "target": np.concatenate(targets).tolist(),
    }


def sampled(explored: Exploration, max_rows: int) -> list[tuple[Dataset, NDArray[np.int64]]]:
    """Give each part of the rows with the numbers of those that go into the page."""
    parts = [part for part in (explored.training, explored.validation) if part is not None]
    each = max(1, max_rows // len(parts)) if parts else 0
    return [(part, drawn(len(part), each)) for part in parts] if max_rows else []


def exact(numbers: Array) -> list[float | None]:
    """Write numbers that rows are routed by as they are; what is missing becomes null."""
    return [None if math.isnan(number) else number for number in numbers.tolist()]


def drawn(n_rows: int, most: int) -> NDArray[np.int64]:
    """Draw row numbers, always the same, in their order; all of them if there are not more."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))
