"""Layout of trees: positions of nodes, close together and without overlap.

The tidy drawing of Reingold & Tilford (1981) for nodes of different widths: subtrees are pushed together
until their outlines touch, and a node stands over the middle of its children. An outline is kept as a list
from the deepest level up, with a shift that is added when it is read, so that joining two subtrees costs as
many steps as the shallower one has levels, and the whole tree one step for each node. Nothing is recursive.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.tree import Tree

Array = NDArray[np.float64]


def centres(tree: Tree, breadth: ArrayLike, gap: float, pull: ArrayLike | None = None) -> Array:
    """Give the place of every node across the direction in which the tree grows.

    Parameters
    ----------
    tree : Tree
        The tree; only its shape is read.
    breadth : array of n nodes
        How much room each node takes at its level.
    gap : float
        The room between neighbours.
    pull : array of n nodes, optional
        How much each node pulls its parent towards itself; by default parents stand over the middle.

    Returns
    -------
    array of n nodes
        Where the middle of each node is; the leftmost node begins at 0.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
    >>> centres(tree, [10.0, 10.0, 10.0], 2.0).tolist()
    [11.0, 5.0, 17.0]
    """
    half = (np.asarray(breadth, float) / 2).tolist()
    weight = None if pull is None else np.asarray(pull, float)
    beside = np.zeros(len(tree))  # of each node to its parent
    outlines: dict[int, _Outline] = {}
    for node in reversed(range(len(tree))):  # children come after their parent
        children = tree.children(node)
        outline = _Outline()
        places = [outline.join(outlines.pop(child), gap) for child in children]
        if places:
            pulls = None if weight is None else weight[children]
            balanced = pulls is not None and pulls.sum() > 0
            middle = float(np.average(places, weights=pulls)) if balanced else (places[0] + places[-1]) / 2
            beside[children] = [place - middle for place in places]
            outline.shift(-middle)
        outline.crown(half[node])
        outlines[node] = outline
    x = beside
    for level in levels(tree)[1:]:
        x[level] += x[tree.parent[level]]
    return np.asarray(x - (x - half).min())


def levels(tree: Tree) -> list[NDArray[np.int64]]:
    """List the nodes of each depth, the root's first."""
    order = np.argsort(tree.node_depth, kind="stable")
    return np.split(order, np.cumsum(np.bincount(tree.node_depth))[:-1])


def level_starts(tree: Tree, thickness: ArrayLike, gap: float) -> Array:
    """Give where each node's level begins, every level as thick as its thickest node.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).tree_
    >>> level_starts(tree, [10.0, 5.0, 7.0], 3.0).tolist()
    [0.0, 13.0, 13.0]
    """
    deepest = np.zeros(tree.depth + 1)
    np.maximum.at(deepest, tree.node_depth, np.asarray(thickness, float))
    begin = np.concatenate([[0.0], np.cumsum(deepest + gap)[:-1]])
    return np.asarray(begin[tree.node_depth])


@dataclass
class _Outline:
    """The left and right edges of some subtrees side by side, level by level, the deepest first."""

    left: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    left_shift: float = 0.0
    right_shift: float = 0.0

    def shift(self, by: float) -> None:
        self.left_shift += by
        self.right_shift += by

    def crown(self, half: float) -> None:
        """Put a node in the middle on top."""
        self.left.append(-half - self.left_shift)
        self.right.append(half - self.right_shift)

    def join(self, other: _Outline, gap: float) -> float:
        """Push a subtree against the right edge, and say by how far it was moved."""
        shared = min(len(self.right), len(other.left))
        apart = (self.right[-level] - other.left[-level] for level in range(1, shared + 1))
        push = max(apart, default=0.0)
        if shared:
            push += self.right_shift - other.left_shift + gap
        other.shift(push)
        # Each edge is the nearer one as far down as that reaches, and below it the farther one.
        self.left, self.left_shift = _over(self.left, self.left_shift, other.left, other.left_shift)
        self.right, self.right_shift = _over(other.right, other.right_shift, self.right, self.right_shift)
        return push


def _over(
    near: list[float], near_shift: float, far: list[float], far_shift: float
) -> tuple[list[float], float]:
    """Lay one edge over another, at the cost of the shorter: the longer list is kept and written to."""
    if len(near) >= len(far):
        return near, near_shift
    for level in range(1, len(near) + 1):
        far[-level] = near[-level] + near_shift - far_shift
    return far, far_shift
