"""Printed summaries: a CART tree as rpart's `summary` lists it, a C4.5 tree as C4.5 prints it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.data.columns import value_text
from treewright.formatting.text import counted, printable, quoted
from treewright.tree.splits import Hyperplane, Split, Table, Threshold

if TYPE_CHECKING:
    from treewright.data import Schema
    from treewright.estimators.presets.cart import CARTEstimator
    from treewright.estimators.presets.cart_statistics import CARTFigures
    from treewright.tree import Tree

ROUNDING = 1e-6
"""Weights closer than this are equal: sums of shares need not come out even."""


def cart_summary(model: CARTEstimator, figures: CARTFigures, digits: int = 7) -> str:
    """Write the cp table, the importances and every node with its splits, as rpart's users know it.

    Node numbers are rpart's: left and right of node k are 2k and 2k + 1.
    """
    tree = model.tree_
    lines = [f"  n= {tree.count[0]}", "", str(model.cp_table_), ""]
    importance = model.variable_importance_
    if importance:
        total = sum(importance.values())
        shares = {printable(name): f"{100 * value / total:.0f}" for name, value in importance.items()}
        seen = {name: share for name, share in shares.items() if share != "0"}
        lines += ["Variable importance", *_in_columns(seen), ""]
    numbers = _node_numbers(tree, figures)
    for node in sorted(range(len(tree)), key=lambda node: numbers[node]):
        lines += [*_node_lines(model, figures, node, numbers, digits), ""]
    return "\n".join(lines).rstrip()


def _in_columns(entries: dict[str, str], width: int = 80) -> list[str]:
    """Write names above their values, as many as fit on a line, each as wide as the widest."""
    each = max(map(len, entries)) + 1
    items = list(entries.items())
    per_line = max(1, width // each)
    lines = []
    for begin in range(0, len(items), per_line):
        for row in zip(*items[begin : begin + per_line], strict=True):
            lines.append("".join(word.rjust(each) for word in row))
    return lines


def _is_turned(tree: Tree, figures: CARTFigures, node: int) -> bool:
    """Whether the first branch of a node, which is below its cut, is rpart's right one."""
    first = int(tree.split_begin[node])
    return not isinstance(tree.splits[first], Table) and bool(figures.split_below[first] > 0)


def _sons(tree: Tree, figures: CARTFigures, node: int) -> list[int]:
    """Give the children of a node, left and right."""
    children = tree.children(node)
    return children[::-1] if children and _is_turned(tree, figures, node) else children


def _node_numbers(tree: Tree, figures: CARTFigures) -> list[int]:
    numbers = [1] * len(tree)
    for node in range(len(tree)):
        for side, child in enumerate(_sons(tree, figures, node)):
            numbers[child] = 2 * numbers[node] + side
    return numbers


def _node_lines(
    model: CARTEstimator, figures: CARTFigures, node: int, numbers: list[int], digits: int
) -> list[str]:
    tree = model.tree_
    is_leaf = tree.is_leaf(node)
    price = "" if is_leaf else f",    complexity param={model.complexity_[node]:.{digits}g}"
    head = f"Node number {numbers[node]}: {tree.count[node]} observations{price}"
    says = _class_lines if tree.is_classifier else _number_lines
    lines = [head, *says(model, figures, node, digits)]
    if is_leaf:
        return lines
    sons = [f"{numbers[child]} ({tree.count[child]} obs)" for child in _sons(tree, figures, node)]
    remain = int(tree.count[node] - sum(tree.count[child] for child in tree.children(node)))
    stay = f", {counted(remain, 'observation remains', 'observations remain')}" if remain else ""
    lines += [f"  left son={sons[0]} right son={sons[1]}{stay}"]
    return lines + _split_lines(model, figures, node, digits)


def _class_lines(model: CARTEstimator, figures: CARTFigures, node: int, digits: int) -> list[str]:
    tree = model.tree_
    classes = [str(label) for label in np.asarray(tree.schema.classes)]
    widest = max(map(len, classes))
    value, weight = tree.node_value[node], float(tree.weight[node])
    counts = [f"{amount:.{digits}g}" for amount in figures.counts(tree, node)]
    shares = [f"{share:.3f}" for share in value / value.sum()]
    width = max(map(len, counts + shares))
    return [
        f"  predicted class={classes[tree.label[node]]:<{widest}}  expected loss="
        f"{tree.risk[node] / weight:.{digits}g}  P(node) ={weight / tree.weight[0]:.{digits}g}",
        "    class counts: " + " ".join(count.rjust(width) for count in counts),
        "   probabilities: " + " ".join(share.rjust(width) for share in shares),
    ]


def _number_lines(model: CARTEstimator, _: CARTFigures, node: int, digits: int) -> list[str]:
    tree = model.tree_
    value, weight = float(tree.node_value[node, 0]), float(tree.weight[node])
    risk = f"{tree.risk[node] / weight:.{digits}g}"
    if model.criterion != "poisson":
        return [f"  mean={value:.{digits}g}, MSE={risk}"]
    shrink, overall = model._recipe(tree.schema).shrink, float(tree.node_value[0, 0])
    drawn = 1 / shrink**2 if shrink > 0 and overall > 0 else 0.0  # by as many events of the overall rate
    events = value * (weight + (drawn / overall if drawn else 0.0)) - drawn
    return [f"  events={events:.{digits}g},  estimated rate={value:.{digits}g} , mean deviance={risk}"]


def _split_lines(model: CARTEstimator, figures: CARTFigures, node: int, digits: int) -> list[str]:
    tree = model.tree_
    words = _Tests(tree.schema, model.compat == "rpart", digits)
    begin, end = tree.split_begin[node : node + 2].tolist()
    rivals = slice(*tree.competitor_begin[node : node + 2].tolist())
    below = [figures.split_below[begin], *figures.competitor_below[rivals]]
    missing = tree.count[node] - np.array([figures.split_rows[begin], *figures.competitor_rows[rivals]])
    improves = [f"{merit:.{digits}g}" for merit in (tree.splits.score[begin], *tree[node].competitor_merits)]
    widest = max(map(len, improves))
    splits = [tree.splits[begin], *tree[node].competitors]
    tests = [words(split, side < 0) for split, side in zip(splits, below, strict=True)]
    said = [f"improve={i:>{widest}}, ({m:.0f} missing)" for i, m in zip(improves, missing, strict=True)]
    lines = ["  Primary splits:", *_aligned(tests, said)]
    if end - begin == 1:
        return lines
    turned = _is_turned(tree, figures, node)
    tests = [words(tree.splits[at], figures.split_below[at] < 0, turned) for at in range(begin + 1, end)]
    agreements = zip(tree[node].agreements, tree[node].adjusted_agreements, strict=True)
    said = [
        f"agree={agree:.3f}, adj={adjusted:.3f}, ({sent:.0f} split)"
        for (agree, adjusted), sent in zip(agreements, figures.split_rows[begin + 1 : end], strict=True)
    ]
    return [*lines, "  Surrogate splits:", *_aligned(tests, said)]


@dataclass(frozen=True)
class _Tests:
    """How splits are written: rpart's test is that a number is less than the cut, or a list of levels."""

    schema: Schema
    rpart: bool
    digits: int

    def __call__(self, split: Split, below_left: bool, turned: bool = False) -> tuple[str, str]:
        """Give the feature that a split asks for, and which of its values go where."""
        feature = split.features[0] if isinstance(split, Hyperplane) else getattr(split, "feature", -1)
        column = self.schema.columns[feature]
        name = printable(column.name)
        if isinstance(split, Table):
            sides = {0: "R", 1: "L"} if turned else {0: "L", 1: "R"}
            codes = range(len(column.categories))
            letters = "".join(sides.get(split.branches.get(code, -1), "-") for code in codes)
            return name, f"splits as {letters}"
        cut = float(getattr(split, "threshold", 0.0)) * (-1 if isinstance(split, Hyperplane) else 1)
        if self.rpart and column.kind == "ordinal":
            below, above = "LR" if below_left else "RL"
            return name, "splits as " + "".join(
                below if code <= cut else above for code in range(len(column.categories))
            )
        if self.rpart and isinstance(split, Threshold):  # at most the number before the cut
            cut = math.nextafter(cut, math.inf) + 0.0
        is_plain = column.kind == "numeric" and column.unit is None and not column.offset
        words = f"{cut:.{self.digits}g}" if is_plain else value_text(column, cut)
        return name, f"{'<' if self.rpart else '≤'} {words} to the {'left' if below_left else 'right'}"


def _aligned(tests: list[tuple[str, str]], said: list[str]) -> list[str]:
    """Write features, tests and figures in columns."""
    name, test = (max(len(row[part]) for row in tests) for part in (0, 1))
    return [
        f"      {feature:<{name}} {words + ',':<{test + 1}} {figures}"
        for (feature, words), figures in zip(tests, said, strict=True)
    ]


def c45_text(tree: Tree) -> str:
    """Write a tree as C4.5 does: a line for each branch, leaves with (cases/errors)."""
    if len(tree) == 1:
        return _leaf_text(tree, 0).removeprefix(": ")
    lines = []
    stack = [(child, 0) for child in reversed(tree.children(0))]
    while stack:
        node, depth = stack.pop()
        above = int(tree.parent[node])
        split = tree[above].split
        assert split is not None  # a parent has a split
        branch = int(tree.branch[node])
        leaf = _leaf_text(tree, node) if tree.is_leaf(node) else ""
        lines.append("|   " * depth + _branch_text(tree.schema, split, branch) + leaf)
        stack += [(child, depth + 1) for child in reversed(tree.children(node))]
    return "\n".join(lines)


def _branch_text(schema: Schema, split: Split, branch: int) -> str:
    if isinstance(split, Table):
        name, group = printable(schema.names[split.feature]), split.groups[branch]
        column = schema.columns[split.feature]
        if split.is_multiway or branch == 0:
            return f"{name} = {value_text(column, group[0])}"
        return f"{name} != {value_text(column, split.groups[0][0])}"
    assert isinstance(split, Threshold)  # C4.5 has no other test of numbers
    sign, column = "<=" if branch == 0 else ">", schema.columns[split.feature]
    return f"{printable(column.name)} {sign} {value_text(column, split.threshold)}"


def _leaf_text(tree: Tree, node: int) -> str:
    classes = np.asarray(tree.schema.classes)
    cases, errors = round(float(tree.weight[node]), 2), round(float(tree.risk[node]), 2)
    figures = f"{cases}/{errors}" if tree.risk[node] > ROUNDING else f"{cases}"
    value = tree.node_value[node]
    label = np.argmax(value > value.max() - ROUNDING)  # the first of equals
    return f": {quoted(str(classes[label]))} ({figures})"
