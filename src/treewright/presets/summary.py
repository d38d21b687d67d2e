"""Summaries: a CART tree node by node as rpart's `summary` lists it, and a C4.5 tree as C4.5 prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.splits import Split, Table, Threshold
from treewright.words import counted, printable, quoted, value_text

if TYPE_CHECKING:
    from treewright.data import Schema
    from treewright.presets.cart import CARTEstimator
    from treewright.tree import Tree

ROUNDING = 1e-6
"""Weights closer than this are equal: sums of shares need not come out even."""


def cart_summary(model: CARTEstimator, digits: int = 7) -> str:
    """Write the cp table, the importances and every node with its splits, as rpart's users know it.

    Node numbers are rpart's: the branches of node k are 2k and 2k + 1.
    """
    tree = model.tree_
    lines = [f"n= {tree.count[0]}", "", str(model.cp_table_), ""]
    importance = model.variable_importance_
    if importance:
        total = sum(importance.values())
        lines += ["Variable importance"]
        lines += [f"  {printable(name)}: {100 * value / total:.0f}" for name, value in importance.items()]
        lines += [""]
    numbers = _node_numbers(tree)
    for node in sorted(range(len(tree)), key=lambda node: numbers[node]):
        lines += [*_node_lines(model, node, numbers, digits), ""]
    return "\n".join(lines).rstrip()


def _node_numbers(tree: Tree) -> list[int]:
    numbers = [1] * len(tree)
    for node in range(1, len(tree)):
        above = int(tree.parent[node])
        numbers[node] = 2 * numbers[above] + node - int(tree.first_child[above])
    return numbers


def _node_lines(model: CARTEstimator, node: int, numbers: list[int], digits: int) -> list[str]:
    tree = model.tree_
    size = counted(int(tree.count[node]), "observation")
    split = f",    complexity param={model.complexity_[node]:.{digits}g}" if tree.n_children[node] else ""
    lines = [f"Node number {numbers[node]}: {size}{split}"]
    if tree.is_classifier:
        classes = np.asarray(tree.schema.classes)
        value = tree.value[node]
        loss = tree.risk[node] / tree.weight[node]
        lines += [
            f"  predicted class={classes[tree.label[node]]}  expected loss={loss:.{digits}g}  "
            f"P(node) ={tree.weight[node] / tree.weight[0]:.{digits}g}",
            "    class weights: " + " ".join(f"{weight:.{digits}g}" for weight in value),
            "   probabilities: " + " ".join(f"{share:.3f}" for share in value / value.sum()),
        ]
    else:
        mean, error = tree.value[node, 0], tree.risk[node] / tree.weight[node]
        lines += [f"  mean={mean:.{digits}g}, MSE={error:.{digits}g}"]
    if not tree.n_children[node]:
        return lines
    sons = [f"{numbers[child]} ({tree.count[child]} obs)" for child in tree.children(node)]
    lines += [f"  left son={sons[0]} right son={sons[1]}", "  Primary splits:"]
    begin, end = tree.split_begin[node : node + 2].tolist()
    lines += [_split_line(tree, tree.splits[begin], f"improve={tree.splits.score[begin]:.{digits}g}")]
    rivals = range(*tree.competitor_begin[node : node + 2].tolist())
    for rival in rivals:
        lines += [
            _split_line(tree, tree.competitors[rival], f"improve={tree.competitors.score[rival]:.{digits}g}")
        ]
    if end - begin > 1:
        lines += ["  Surrogate splits:"]
    for index, adjusted in zip(range(begin + 1, end), model.adjusted_agreements(node), strict=True):
        figures = f"agree={tree.splits.score[index]:.3f}, adj={adjusted:.3f}"
        lines += [_split_line(tree, tree.splits[index], figures)]
    return lines


def _split_line(tree: Tree, split: Split, figures: str) -> str:
    schema = tree.schema
    if isinstance(split, Table):
        column = schema.columns[split.feature]
        sides = {0: "L", 1: "R"}
        letters = "".join(
            sides.get(split.branches.get(code, -1), "-") for code in range(len(column.categories))
        )
        test = f"{printable(column.name)} splits as {letters}"
    else:
        test = split.condition(schema, 0) + " to the left"
    return f"      {test}, {figures}"


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
        branch = node - int(tree.first_child[above])
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
    value = tree.value[node]
    label = np.argmax(value > value.max() - ROUNDING)  # the first of equals
    return f": {quoted(str(classes[label]))} ({figures})"
