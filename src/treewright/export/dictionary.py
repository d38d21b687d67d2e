"""A tree as nested plain dictionaries: what ``tree.to_dict()`` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.splits import SplitTable
    from treewright.tree import Tree


def export_dict(tree: Tree) -> dict[str, Any]:
    """Describe a tree by names and in the values the user knows; see :meth:`treewright.tree.Tree.to_dict`."""
    names = ("count", "weight", "value", "impurity", "risk")
    columns = [getattr(tree, name).tolist() for name in names]
    if not tree.is_classifier:
        columns[2] = tree.value[:, 0].tolist()
    nodes: list[dict[str, Any]] = [
        dict(zip(names, entries, strict=True)) for entries in zip(*columns, strict=True)
    ]
    first_child, n_children, default = (
        getattr(tree, name).tolist() for name in ("first_child", "n_children", "default_branch")
    )
    split_begin, competitor_begin = tree.split_begin.tolist(), tree.competitor_begin.tolist()
    for node in reversed(range(len(tree))):  # children come after their parent
        size, described = n_children[node], nodes[node]
        if size:
            begin, end = split_begin[node], split_begin[node + 1]
            described["split"] = tree.splits.split(begin, size).to_dict(tree.schema)
            described["missing"] = {-1: "share", -2: "stay"}.get(default[node], default[node])
            _describe(described, "surrogates", tree, tree.splits, range(begin + 1, end))
            rivals = range(competitor_begin[node], competitor_begin[node + 1])
            _describe(described, "competitors", tree, tree.competitors, rivals)
            described["branches"] = nodes[first_child[node] : first_child[node] + size]
    return nodes[0]


def _describe(described: dict[str, Any], name: str, tree: Tree, table: SplitTable, indices: range) -> None:
    """Add a list of splits to the description of a node, unless it is empty."""
    if indices:
        described[name] = [table.split(index).to_dict(tree.schema) for index in indices]
