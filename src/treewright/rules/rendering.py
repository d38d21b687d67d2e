"""Rules as text, as tables (text, Markdown, HTML) and as plain dictionaries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from treewright.data.columns import plain, plain_value
from treewright.export.text import percent
from treewright.formatting.html_table import html_table
from treewright.formatting.text import counted, figure, quoted
from treewright.formatting.text_table import aligned
from treewright.rules.rule import Rule
from treewright.tree.conditions import Condition, Interval, Values

if TYPE_CHECKING:
    from treewright.data import Schema
    from treewright.rules.ruleset import RuleSet


def text(rules: RuleSet, **choices: Any) -> str:
    """Write a line for each rule, see `RuleSet.to_text`."""
    lines = []
    for rule in rules:
        premise = " AND ".join(rule.premise(rules.schema, **choices)) or "TRUE"
        lines.append(f"IF {premise} THEN {said(rules, rule)}  ({_quality(rules, rule)})")
    return "\n".join([*lines, f"OTHERWISE {said(rules, rules.default)}  ({_quality(rules, rules.default)})"])


def said(rules: RuleSet, rule: Rule) -> str:
    """Say what a rule predicts."""
    if rules.schema.classes is None:
        return f"{rule.value[0]:.6g}"
    return quoted(str(plain(rules.schema.classes[rule.label])))


def _quality(rules: RuleSet, rule: Rule) -> str:
    rows = counted(rule.count, "row")
    if not rule.weight > 0:
        return rows
    if rules.is_classifier:
        return f"{rows}, {percent(rule.confidence)} %"
    return f"{rows}, ± {figure(_spread(rule))}"


def _spread(rule: Rule) -> float:
    return math.sqrt(rule.risk / rule.weight) if rule.weight > 0 else math.nan


# ---- tables ------------------------------------------------------------------------------------------


def _cells(rules: RuleSet) -> tuple[list[str], list[list[str]]]:
    """Give the heads and the cells of the table, the premise last: it is the longest."""
    heads = ["rule", "class", "rows", "cover", "confidence", "lift", "conditions"]
    if not rules.is_classifier:
        heads = ["rule", "value", "rows", "cover", "spread", "conditions"]
    body = []
    for number, rule in enumerate([*rules, rules.default], start=1):
        premise = " AND ".join(rule.premise(rules.schema)) if rule is not rules.default else "otherwise"
        start = [str(number), said(rules, rule), str(rule.count), f"{rule.weight / rules.weight:.3f}"]
        numbers = [_rounded(rule.confidence), _rounded(lift(rules, rule))]
        body.append([*start, *(numbers if rules.is_classifier else [figure(_spread(rule))]), premise])
    return heads, body


def lift(rules: RuleSet, rule: Rule) -> float:
    """How much more frequent the class is among the rows covered than among all."""
    share = rules.value[rule.label] / rules.weight
    return float(rule.confidence / share) if share > 0 else math.nan


def _rounded(number: float) -> str:
    return "–" if math.isnan(number) else f"{number:.3f}"


def table(rules: RuleSet) -> str:
    """Write the table in columns of equal width."""
    heads, body = _cells(rules)
    return "\n".join(aligned(heads, body, right=(0, *range(2, len(heads) - 1))))


def markdown(rules: RuleSet) -> str:
    """Write the table in Markdown."""
    heads, body = _cells(rules)
    right = (0, *range(2, len(heads) - 1))
    rule = ["--:" if place in right else "---" for place in range(len(heads))]
    lines = [heads, rule, *([cell.replace("\\", "\\\\").replace("|", "\\|") for cell in row] for row in body)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def html(rules: RuleSet) -> str:
    """Write the table in HTML."""
    heads, body = _cells(rules)
    return html_table(counted(len(rules), "rule"), heads, body, (0, *range(2, len(heads) - 1)))


# ---- plain values ------------------------------------------------------------------------------------


def dictionary(rules: RuleSet) -> dict[str, Any]:
    """Describe the rules by names, see `RuleSet.to_dict`."""
    return {
        "rules": [_described(rules, rule) for rule in rules],
        "default": _described(rules, rules.default),
    }


def _described(rules: RuleSet, rule: Rule) -> dict[str, Any]:
    schema = rules.schema
    prediction = rule.value[0].item() if schema.classes is None else plain(schema.classes[rule.label])
    found: dict[str, Any] = {
        "conditions": [condition_dict(condition, schema) for condition in rule.conditions],
        "prediction": prediction,
        "count": rule.count,
        "weight": rule.weight,
        "cover": rule.weight / rules.weight,
    }
    if schema.classes is None:
        return found | {"spread": _finite(_spread(rule))}
    return found | {"confidence": _finite(rule.confidence), "lift": _finite(lift(rules, rule))}


def condition_dict(condition: Condition, schema: Schema) -> dict[str, Any]:
    """Describe a condition by names, in plain values; open ends of an interval are None.

    Examples
    --------
    >>> from treewright.data import Column, Schema
    >>> condition_dict(Interval(0, high=2.5), Schema((Column("age"),)))
    {'kind': 'interval', 'feature': 'age', 'above': None, 'at_most': 2.5, 'missing': False}
    """
    if isinstance(condition, Interval):
        column = schema.columns[condition.feature]
        low, high = (
            None if math.isinf(bound) else plain_value(column, bound)
            for bound in (condition.low, condition.high)
        )
        found = {"kind": "interval", "feature": column.name, "above": low, "at_most": high}
        if condition.low == math.inf:
            found["known"] = False
    elif isinstance(condition, Values):
        column = schema.columns[condition.feature]
        values = [plain(column.categories[code]) for code in sorted(condition.codes)]
        found = {"kind": "values", "feature": column.name, "values": values}
    else:
        found = condition.split.to_dict(schema) | {"branch": condition.branch}
    return found | {"missing": condition.missing}


def _finite(number: float) -> float | None:
    return None if math.isnan(number) else number
