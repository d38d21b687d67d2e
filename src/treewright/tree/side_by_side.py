"""Several trees of one table side by side, so that what is worked out of all nodes is worked out once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.tree.tree import Tree

_OF_NODES = ("default_branch", "weight", "node_value", "risk", "node_depth", "n_children")
"""What there is of each node: what follows from splits, and from numbers of rows, is left out."""


def side_by_side(trees: Sequence[Tree]) -> Tree:
    """Give trees as one of several roots, the nodes of the second numbered after those of the first.

    It has what nodes say and cost, their parents, depths and numbers of branches, and no splits: it can be
    shrunk, and its nodes can be judged, but no row finds its way through it.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).tree_
    >>> side_by_side([tree, tree]).parent.tolist()
    [-1, 0, 0, -1, 3, 3]
    """
    if len(trees) == 1:
        return trees[0]
    first = np.cumsum([0, *map(len, trees[:-1])])
    parent = [np.where(tree.parent >= 0, tree.parent + at, -1) for tree, at in zip(trees, first, strict=True)]
    joined = object.__new__(Tree)
    vars(joined).update(
        {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in _OF_NODES},
        schema=trees[0].schema,
        parent=np.concatenate(parent).astype(np.int32),
        observed=np.concatenate([tree.training_value for tree in trees]),
        costs=trees[0].costs,
        decided=None,
        equations=None,
        note="",
    )
    return joined
