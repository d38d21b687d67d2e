"""Schemas as JSON in the header of a model file, checked when they are read; types by an explicit list."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema, times
from treewright.data.columns import Category, Column, Kind
from treewright.data.functions import AbsentFunction
from treewright.data.predicates import TRUTH, Predicate, read_predicates
from treewright.data.several_targets import Output
from treewright.errors import DataError, ModelFileError

LONGEST_NAME = 10_000
TIME_TYPE = re.compile(rf"(datetime64|timedelta64)\[({'|'.join(times.UNITS)})\]")
CLASS_TYPES: dict[str, type] = {
    "bool": np.bool_,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
    "str": np.str_,
    "object": np.object_,
}
"""Types of class labels, by the name that files know them by; `str` is text of any length."""

LABELS: dict[str, tuple[type, ...]] = {
    "b": (bool,),
    "i": (int,),
    "u": (int,),
    "f": (float,),
    "U": (str,),
    "O": (str, bool, int, float),
}
"""What JSON must hold for labels of each kind of type."""


def schema_to_dict(schema: Schema) -> dict[str, Any]:
    """Give a schema as what JSON can hold.

    Examples
    --------
    >>> schema_to_dict(Schema((Column("age"),), np.array(["no", "yes"])))["classes"]
    {'type': 'str', 'values': ['no', 'yes']}
    """
    content: dict[str, Any] = {
        "columns": [_column_to_dict(column) for column in schema.columns],
        "classes": _classes_to_dict(schema.classes),
        "named": schema.named,
    }
    if schema.predicates:
        content["predicates"] = _predicates_to_list(schema.predicates)
    if schema.outputs:
        content["targets"] = [
            {"name": output.name, "classes": _classes_to_dict(output.classes)} for output in schema.outputs
        ]
    return content


def schema_from_dict(content: Any) -> Schema:
    """Build a schema from what `schema_to_dict` gave, and refuse anything else.

    Raises
    ------
    ModelFileError
        If the content is no schema: it may come from a damaged or a forged file.

    Examples
    --------
    >>> schema = Schema((Column("age"),), np.array([0, 1]))
    >>> schema_from_dict(schema_to_dict(schema)) == schema
    True
    """
    optional = {"predicates", "targets"} & content.keys() if isinstance(content, Mapping) else set()
    _check_keys("schema", content, {"columns", "classes", "named"} | optional)
    _check(isinstance(content["columns"], list) and content["columns"], "the schema has no columns")
    _check(type(content["named"]) is bool, "'named' of the schema is not true or false")
    columns = tuple(_checked_column(column) for column in content["columns"])
    _check(len({column.name for column in columns}) == len(columns), "the schema repeats a column's name")
    classes = _checked_classes(content["classes"])
    predicates = _checked_predicates(content.get("predicates", []), columns)
    schema = Schema(columns, classes, content["named"], predicates)
    if "targets" not in content:
        return schema
    several = schema.with_outputs(_checked_targets(content["targets"]))
    same = np.array_equal(np.asarray(several.classes), np.asarray(classes))
    _check(
        same and (classes is None) == (several.classes is None), "the classes are not those of the targets"
    )
    return several


def _column_to_dict(column: Column) -> dict[str, Any]:
    """Give a column as what JSON can hold; a time among its categories names its unit."""
    return {
        "name": column.name,
        "kind": column.kind,
        "categories": [_category_to_json(category) for category in column.categories],
        "unit": column.unit,
        "offset": column.offset,
    } | ({"boolean": True} if column.boolean else {})


def _classes_to_dict(classes: NDArray[Any] | None) -> dict[str, Any] | None:
    """Give class labels as what JSON can hold; None stays."""
    if classes is None:
        return None
    name = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if name not in CLASS_TYPES:
        raise TypeError(
            f"classes of type {classes.dtype} cannot be written; use one of {', '.join(CLASS_TYPES)}."
        )
    return {"type": name, "values": classes.tolist()}


def _predicates_to_list(predicates: tuple[Predicate, ...]) -> list[dict[str, Any]]:
    """Give predicates as what JSON can hold: the text of expressions, of functions their name alone."""
    return [
        {"name": predicate.name, "expression": predicate.rule if isinstance(predicate.rule, str) else None}
        for predicate in predicates
    ]


def _checked_predicates(content: Any, columns: tuple[Column, ...]) -> tuple[Predicate, ...]:
    _check(
        isinstance(content, list) and len(content) < len(columns), "the predicates are no list of features"
    )
    predicates = []
    for entry, column in zip(content, columns[len(columns) - len(content) :], strict=True):
        _check_keys("predicate", entry, {"name", "expression"})
        name, expression = entry["name"], entry["expression"]
        _check(name == column.name, f"predicate {str(name)[:40]!r} has no column")
        _check(column.categories == TRUTH, f"the column of predicate {name!r} is not of truth values")
        _check(expression is None or isinstance(expression, str), f"predicate {name!r} is no text")
        predicates.append((name, AbsentFunction(name) if expression is None else expression))
    try:
        return read_predicates(predicates)
    except DataError as problem:
        raise ModelFileError(str(problem)) from None


def _category_to_json(category: Category) -> Any:
    if isinstance(category, (np.datetime64, np.timedelta64)):
        return {category.dtype.name: int(category.astype(np.int64))}
    return category


def _checked_column(content: Any) -> Column:
    optional = {"boolean"} & content.keys() if isinstance(content, Mapping) else set()
    _check_keys("column", content, {"name", "kind", "categories", "unit", "offset"} | optional)
    name, kind, unit, offset = content["name"], content["kind"], content["unit"], content["offset"]
    _check(
        isinstance(name, str) and len(name) <= LONGEST_NAME,
        f"column name {str(name)[:40]!r} is no short text",
    )
    _check(kind in get_args(Kind), f"column {name!r} is of the unknown kind {kind!r}")
    _check(unit is None or (isinstance(unit, str) and TIME_TYPE.fullmatch(unit)), f"unknown unit in {name!r}")
    fits = type(offset) is int and -(2**63) <= offset < 2**64
    _check(fits, f"the offset of column {name!r} is no whole number of 64 bits")
    _check(
        kind == "numeric" or (unit is None and offset == 0), f"{kind} column {name!r} has a unit or offset"
    )
    _check(isinstance(content["categories"], list), f"the categories of column {name!r} are no list")
    categories = tuple(_checked_category(name, value) for value in content["categories"])
    _check(len(set(categories)) == len(categories), f"column {name!r} repeats a category")
    _check(kind != "numeric" or not categories, f"numeric column {name!r} has categories")
    boolean = content.get("boolean", False)
    _check(type(boolean) is bool, f"'boolean' of column {name!r} is not true or false")
    _check(not boolean or (kind == "numeric" and unit is None and offset == 0), f"{name!r} cannot be boolean")
    return Column(name, kind, categories, unit, offset, boolean)


def _checked_category(name: str, value: Any) -> Category:
    if isinstance(value, dict):
        _check(len(value) == 1, f"column {name!r} has an unknown category")
        ((unit, ticks),) = value.items()
        found = TIME_TYPE.fullmatch(unit)
        fits = type(ticks) is int and -(2**63) < ticks < 2**63
        if found is None or not fits:
            raise ModelFileError(f"column {name!r} has an unknown category.")
        time: Category = times.SCALAR_TYPES[found[1]](ticks, found[2])
        return time
    known = isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value))
    _check(known, f"column {name!r} has an unknown category")
    category: Category = value
    return category


def _checked_targets(content: Any) -> tuple[Output, ...]:
    _check(isinstance(content, list) and len(content) > 1, "the targets are no list of several")
    outputs = []
    for entry in content:
        _check_keys("target", entry, {"name", "classes"})
        name = entry["name"]
        _check(isinstance(name, str) and len(name) <= LONGEST_NAME, "the name of a target is no short text")
        outputs.append(Output(name, _checked_classes(entry["classes"])))
    _check(len({output.classes is None for output in outputs}) == 1, "targets are both classes and numbers")
    return tuple(outputs)


def _checked_classes(content: Any) -> NDArray[Any] | None:
    if content is None:
        return None
    _check_keys("classes", content, {"type", "values"})
    kind, values = content["type"], content["values"]
    _check(isinstance(kind, str) and kind in CLASS_TYPES, f"the classes are of the unknown type {kind!r}")
    _check(isinstance(values, list) and values, "the classes are no list of labels")
    dtype = np.dtype(CLASS_TYPES[kind])
    known = all(type(value) in LABELS[dtype.kind] and value not in (math.inf, -math.inf) for value in values)
    _check(known, f"a class is not of the type {kind!r}")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.name)
        fits = all(limits.min <= value <= limits.max for value in values)
        _check(fits, f"a class does not fit the type {kind!r}")
    classes = np.array(values, dtype=dtype)
    _check(classes.tolist() == values, f"a class does not fit the type {kind!r}")
    _check(len(set(values)) == len(values), "the schema repeats a class")
    return classes


def _check_keys(what: str, content: Any, keys: set[str]) -> None:
    _check(
        isinstance(content, Mapping) and set(content) == keys, f"the {what} has not the keys {sorted(keys)}"
    )


def _check(condition: Any, message: str) -> None:
    if not condition:
        raise ModelFileError(f"{message}.")
