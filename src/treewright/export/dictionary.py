"""`tree.to_dict()`: a tree as nested plain dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.columns import plain

if TYPE_CHECKING:
    from treewright.tree import Tree
    from treewright.tree.equations import Equations


def export_dict(tree: Tree) -> dict[str, Any]:
    """Describe a tree by names and in the values the user knows; see :meth:`treewright.tree.Tree.to_dict`."""
    names = ("count", "weight", "value", "impurity", "risk")
    columns = [getattr(tree, {"value": "node_value"}.get(name, name)).tolist() for name in names]
    if tree.schema.outputs:
        columns[2] = _by_target(tree)
    elif not tree.is_classifier:
        columns[2] = tree.node_value[:, 0].tolist()
    nodes: list[dict[str, Any]] = [
        dict(zip(names, entries, strict=True)) for entries in zip(*columns, strict=True)
    ]
    if tree.equations is not None:
        for node, described in enumerate(nodes):
            described["equation"] = _equation(tree, tree.equations, node)
    n_children, default = tree.n_children.tolist(), tree.default_branch.tolist()
    split_begin, competitor_begin = tree.split_begin.tolist(), tree.competitor_begin.tolist()
    for node in reversed(range(len(tree))):  # children come after their parent
        size, described = n_children[node], nodes[node]
        if size:
            begin, end = split_begin[node], split_begin[node + 1]
            described["split"] = tree.splits.split(begin, size).to_dict(tree.schema)
            described["missing"] = {-1: "share", -2: "stay"}.get(default[node], default[node])
            if end > begin + 1:
                described["surrogates"] = _surrogates(tree, range(begin + 1, end))
            rivals = range(competitor_begin[node], competitor_begin[node + 1])
            if rivals:
                described["competitors"] = _competitors(tree, rivals)
            described["branches"] = [nodes[child] for child in tree.children(node)]
    return nodes[0]


def _equation(tree: Tree, equations: Equations, node: int) -> dict[str, Any]:
    """Describe what a node of a tree with linear leaves says."""
    columns = tree.schema.columns
    terms: list[dict[str, Any]] = []
    for term in equations.terms(node):
        column = columns[term.feature]
        described: dict[str, Any] = {"feature": column.name, "coefficient": term.coefficient}
        if term.codes:
            described["categories"] = [plain(column.categories[code]) for code in term.codes]
        fill = float(equations.fill[term.feature])
        described["missing"] = plain(column.categories[int(fill)]) if term.codes else fill
        terms.append(described)
    low, high = equations.range.tolist()
    return {"constant": float(equations.constant[node]), "terms": terms, "lowest": low, "highest": high}


def _by_target(tree: Tree) -> list[Any]:
    """Give for each node and target the weight of each class, or the number."""
    if not tree.is_classifier:
        return list(tree.node_value.tolist())
    sizes = tree.n_classes.tolist()
    return [
        [weights[:size] for weights, size in zip(targets, sizes, strict=True)]
        for targets in tree.by_output(tree.node_value).tolist()
    ]


def _surrogates(tree: Tree, indices: range) -> list[dict[str, Any]]:
    """Describe surrogate splits, with how far they agree with the primary split."""
    table = tree.splits
    adjusted = np.zeros(len(table)) if table.adjusted is None else table.adjusted
    return [
        table.split(index).to_dict(tree.schema)
        | {"agreement": float(table.score[index]), "adjusted_agreement": float(adjusted[index])}
        for index in indices
    ]


def _competitors(tree: Tree, indices: range) -> list[dict[str, Any]]:
    """Describe the best splits on other features, with their merit."""
    table = tree.competitors
    return [
        table.split(index).to_dict(tree.schema) | {"merit": float(table.score[index])} for index in indices
    ]
