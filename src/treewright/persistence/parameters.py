"""Parameters of an estimator in a model file: numbers, names, pruners, estimators, functions by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from treewright.data.functions import AbsentFunction, function_name
from treewright.pruning import KINDS

_ODD = object()  # what is no plain value

NAMED_FUNCTIONS = ("criterion", "predicates")
"""Parameters whose functions a file names, though it cannot hold them: the tree was made by them."""


@runtime_checkable
class Estimator(Protocol):
    """An estimator of this library."""

    _declared_as: ClassVar[type]


def described(model: Any) -> dict[str, Any]:
    """Describe an estimator in the header of a file: its class, its parameters, its target and its card.

    A class of the user's own is described as the one of `treewright` that it was made from.
    """
    kind = model._declared_as
    parameters = {field.name: getattr(model, field.name) for field in fields(kind)}
    target = {"target": model.target_name_} if hasattr(model, "target_name_") else {}
    card = {"card": model.card_.to_dict()} if hasattr(model, "card_") else {}
    return {"kind": kind.__name__, "parameters": plain_parameters(parameters), **target, **card}


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the parameters that JSON can say, as it says them."""
    said = {name: _plain(value, name in NAMED_FUNCTIONS) for name, value in parameters.items()}
    return {name: value for name, value in said.items() if value is not _ODD}


def stored_value(plain: Any) -> Any:
    """Read back a parameter that `plain_parameters` wrote."""
    if isinstance(plain, list):
        return [stored_value(entry) for entry in plain]
    if not isinstance(plain, dict):
        return plain
    if "pruner" in plain:
        return KINDS[plain["pruner"]](**plain["settings"])
    if "function" in plain:
        return AbsentFunction(str(plain["function"]))
    return {key: stored_value(entry) for key, entry in plain["pairs"]}


def _plain(value: Any, functions: bool = False) -> Any:
    """Say a parameter as JSON can; functions, where they may be, by name."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        pairs = [[_plain(key), _plain(entry, functions)] for key, entry in value.items()]
        return _ODD if any(_ODD in pair for pair in pairs) else {"pairs": pairs}
    if isinstance(value, list | tuple):
        entries = [_plain(entry, functions) for entry in value]
        return _ODD if _ODD in entries else entries
    if type(value) in KINDS.values():
        return {"pruner": type(value).__name__, "settings": plain_parameters(vars(value))}
    if isinstance(value, Estimator):
        inner = described(value)
        return {"estimator": inner["kind"], "parameters": inner["parameters"]}
    if functions and callable(value) and not isinstance(value, type):
        return {"function": function_name(value)}
    return _ODD
