"""Rules as arrays of a model file, and back after validation.

The conditions are a table of splits: an interval is a threshold, its upper bound, with the lower one beside
it; a list of categories is a table; a side is a hyperplane or a sphere with the number of the branch.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.errors import ModelFileError
from treewright.persistence.container import Arrays, Header
from treewright.persistence.schema import schema_from_dict, schema_to_dict
from treewright.rules.rule import Rule
from treewright.tree.conditions import Condition, Interval, Side, Values
from treewright.tree.splits import (
    COLUMN_TYPES,
    SPHERE,
    TABLE,
    THRESHOLD,
    Hyperplane,
    Sphere,
    Split,
    SplitTable,
    Table,
    Threshold,
    array_types,
)

if TYPE_CHECKING:
    from treewright.rules.ruleset import RuleSet

RULE_ARRAYS = array_types(
    "int64 rule_begin",
    "float64 rule_value",
    "int32 rule_label",
    "int64 rule_count",
    "float64 rule_weight rule_risk condition_low",
    "uint8 condition_branch condition_missing",
    "float64 value weight",
)
"""The arrays of rules, beside those of the table of splits; the last rule is the default."""


def rules_to_parts(rules: RuleSet) -> tuple[Header, Arrays]:
    """Give header and arrays of rules, for `write_model`."""
    every = (*rules.rules, rules.default)
    conditions = [condition for rule in every for condition in rule.conditions]
    columns: dict[str, Any] = {
        "rule_begin": np.cumsum([0, *(len(rule.conditions) for rule in every)]),
        "rule_value": np.stack([rule.value for rule in every]),
        "rule_label": [rule.label for rule in every],
        "rule_count": [rule.count for rule in every],
        "rule_weight": [rule.weight for rule in every],
        "rule_risk": [rule.risk for rule in every],
        "condition_low": [getattr(condition, "low", -np.inf) for condition in conditions],
        "condition_branch": [getattr(condition, "branch", 0) for condition in conditions],
        "condition_missing": [condition.missing for condition in conditions],
        "value": rules.value,
        "weight": [rules.weight],
    }
    arrays = {name: np.asarray(columns[name], dtype) for name, dtype in RULE_ARRAYS.items()}
    table = SplitTable.from_splits([_as_split(condition) for condition in conditions])
    return {"schema": schema_to_dict(rules.schema)}, arrays | table.arrays("condition_")


def _as_split(condition: Condition) -> Split:
    match condition:
        case Interval():
            return Threshold(condition.feature, condition.high)
        case Values():
            return Table(condition.feature, dict.fromkeys(sorted(condition.codes), 0), 1)
        case Side():
            return condition.split


def rules_from_parts(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> RuleSet:
    """Give the rules of a model file, after proving that they are rules."""
    from treewright.rules.ruleset import RuleSet

    schema = schema_from_dict(header.get("schema", {}))
    _prove_shapes(arrays, schema)
    _prove_rules(arrays, schema)
    table = SplitTable.from_arrays(arrays, "condition_")
    conditions = [_condition(table, index, arrays, schema) for index in range(len(table))]
    rules = []
    for place, (begin, end) in enumerate(pairwise(arrays["rule_begin"].tolist())):
        numbers = (arrays[f"rule_{name}"][place].item() for name in ("label", "count", "weight", "risk"))
        label, count, weight, risk = numbers
        value = arrays["rule_value"][place]
        rules.append(Rule(tuple(conditions[begin:end]), value, label, count, weight, risk))
    return RuleSet(schema, tuple(rules[:-1]), rules[-1], arrays["value"], float(arrays["weight"][0]))


def _demand(holds: Any, what: str) -> None:
    if not np.all(holds):
        raise ModelFileError(f"the model is broken: {what}")


def _prove_shapes(arrays: Mapping[str, NDArray[Any]], schema: Schema) -> None:
    types = RULE_ARRAYS | {f"condition_{name}": dtype for name, dtype in COLUMN_TYPES.items()}
    _demand(arrays.keys() == types.keys(), f"it has the arrays {sorted(arrays)}")
    _demand([arrays[name].dtype == dtype for name, dtype in types.items()], "an array is of the wrong type")
    k = max(schema.n_classes, 1)
    n_rules, n_conditions = len(arrays["rule_label"]), len(arrays["condition_kind"])
    n_entries = len(arrays["condition_pool_index"])
    sizes: dict[str, tuple[int, ...]] = {
        "rule_begin": (n_rules + 1,),
        "rule_value": (n_rules, k),
        **{f"rule_{name}": (n_rules,) for name in ("label", "count", "weight", "risk")},
        **{f"condition_{name}": (n_conditions,) for name in ("low", "branch", "missing")},
        **{f"condition_{name}": (n_conditions,) for name in ("kind", "feature", "threshold", "score")},
        "condition_pool_begin": (n_conditions + 1,),
        "condition_pool_index": (n_entries,),
        "condition_pool_value": (n_entries,),
        "value": (k,),
        "weight": (1,),
    }
    _demand([arrays[name].shape == size for name, size in sizes.items()], "an array is of the wrong length")
    _demand(n_rules >= 1, "it has no default rule")
    for name, total in (("rule_begin", n_conditions), ("condition_pool_begin", n_entries)):
        begin = arrays[name]
        _demand(begin[0] == 0 and begin[-1] == total and (np.diff(begin) >= 0).all(), f"{name} does not rise")


def _prove_rules(arrays: Mapping[str, NDArray[Any]], schema: Schema) -> None:
    k = max(schema.n_classes, 1)
    _demand((arrays["rule_label"] >= 0) & (arrays["rule_label"] < k), "a rule has an unknown class")
    for name in ("rule_value", "rule_weight", "rule_risk", "value", "weight"):
        least = -np.inf if schema.classes is None and name.endswith("value") else 0.0
        _demand(np.isfinite(arrays[name]) & (arrays[name] >= least), f"{name} has impossible numbers")
    _demand(arrays["rule_count"] >= 0, "a rule has a negative count")
    if schema.classes is not None:
        _demand(arrays["rule_value"].sum(axis=1) > 0, "a rule has no class weights")
    _demand(arrays["rule_begin"][-2] == arrays["rule_begin"][-1], "its default rule has conditions")
    _demand(arrays["weight"] > 0, "it has no weight")
    _demand(arrays["condition_kind"] <= SPHERE, "a condition is of an unknown kind")
    for name in ("branch", "missing"):
        _demand(arrays[f"condition_{name}"] <= 1, f"a condition's {name} is neither 0 nor 1")
    for name in ("low", "threshold"):
        _demand(~np.isnan(arrays[f"condition_{name}"]), "a condition's bound is no number")


def _condition(
    table: SplitTable, index: int, arrays: Mapping[str, NDArray[Any]], schema: Schema
) -> Condition:
    kind, feature = int(table.kind[index]), int(table.feature[index])
    missing = bool(arrays["condition_missing"][index])
    pool = table.pool_index[table.pool_begin[index] : table.pool_begin[index + 1]]
    is_category = schema.n_categories > 0
    if kind in (THRESHOLD, TABLE):
        _demand(0 <= feature < len(schema.columns), "a condition is about an unknown feature")
        _demand(is_category[feature] == (kind == TABLE), "a condition does not fit its feature")
        if kind == THRESHOLD:
            _demand(len(pool) == 0, "an interval lists categories")
            low = float(arrays["condition_low"][index])
            return Interval(feature, low, float(table.threshold[index]), missing, table.reads_below)
        _demand((pool >= 0) & (pool < schema.n_categories[feature]), "a condition lists unknown categories")
        _demand(np.diff(pool) > 0, "a condition's categories are not in order")
        return Values(feature, frozenset(pool.tolist()), missing)
    _demand(len(pool) > 0 and (kind != SPHERE or len(pool) % 2 == 0), "a side lists no features")
    _demand((pool >= 0) & (pool < len(schema.columns)), "a condition is about an unknown feature")
    _demand(~is_category[pool], "a side is about categories")
    numbers = table.pool_value[table.pool_begin[index] : table.pool_begin[index + 1]]
    _demand(np.isfinite(numbers) & np.isfinite(table.threshold[index]), "a side has infinite numbers")
    split = table.split(index)
    assert isinstance(split, Hyperplane | Sphere)
    return Side(split, int(arrays["condition_branch"][index]), missing)
