"""Programs of the page: the tree that is shown as SQL and Python, as the exporters write them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from treewright.errors import ExportError
from treewright.tree.model import TreeModel

if TYPE_CHECKING:
    from treewright.explorer.page_data import Exploration

TARGETS = ("sql", "python")

MOST_NODES = 255
"""Programs of larger trees are left out of the page, which says how to write them."""


def programs(explored: Exploration) -> dict[str, str] | None:
    """Write the tree in the languages that rules are copied in; None if it is too large, or nobody can."""
    model, tree = explored.model, explored.tree
    if not isinstance(model, TreeModel) or len(tree) > MOST_NODES:
        return None
    if model._fitted_tree() is not tree:  # it was edited, or pruned for the page
        model = copy.copy(model)
        model._set_tree(tree)
    written = {}
    for target in TARGETS:
        try:
            written[target] = str(model.export(target))
        except ExportError:
            continue  # the language cannot hold it
    return written
