"""Statistics of a CART tree beyond its arrays: complexity of nodes, credit and rows of splits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.tree import Tree

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CARTFigures:
    """Figures of the nodes and of the splits of a tree.

    Attributes
    ----------
    complexity : float array
        For each node the price of a split at which it collapses, in units of risk.
    credit : float array of shape (n_nodes, n_features)
        What the split of a node and its surrogates count for the importance of their features.
    split_rows, competitor_rows : float arrays
        For each split of the tree, and each competitor, the rows that it was judged on, whose value is known;
        for a surrogate those that it sent on their way.
    split_below, competitor_below : float arrays
        For each of them where it sends numbers below its cut: −1 left, to the lower classes or values, or 1.
    class_weight : float array
        The weight of the rows of each class, without priors; empty for numbers.
    """

    complexity: Array
    credit: Array
    split_rows: Array
    competitor_rows: Array
    split_below: Array
    competitor_below: Array
    class_weight: Array

    @classmethod
    def taken_from(cls, arrays: dict[str, Any], class_weight: Array) -> CARTFigures:
        """Take the figures out of what the core gave."""
        names = [field.name for field in fields(cls) if field.name != "class_weight"]
        given = {name: np.asarray(arrays.pop(name), float) for name in names}
        return cls(**given, class_weight=class_weight)

    @classmethod
    def checked(cls, arrays: dict[str, NDArray[Any]], tree: Tree) -> CARTFigures:
        """Make figures of arrays that a file holds; raises ValueError if they cannot be those of the tree."""
        shapes = {
            "complexity": (len(tree),),
            "credit": (len(tree), len(tree.schema.columns)),
            "split_rows": (len(tree.splits),),
            "competitor_rows": (len(tree.competitors),),
            "split_below": (len(tree.splits),),
            "competitor_below": (len(tree.competitors),),
            "class_weight": (tree.node_value.shape[1] if tree.is_classifier else 0,),
        }
        if arrays.keys() != shapes.keys():
            raise ValueError(f"a tree of CART has {', '.join(shapes)}, not {', '.join(sorted(arrays))}")
        for name, array in arrays.items():
            if array.dtype != float or array.shape != shapes[name] or not np.isfinite(array).all():
                raise ValueError(f"its array {name!r} does not fit its tree")
        return cls(**arrays)

    def counts(self, tree: Tree, node: int) -> Array:
        """Give the weight of the rows of each class at a node, without priors."""
        seen = self.class_weight > 0
        factor = np.divide(tree.node_value[0], self.class_weight, where=seen, out=np.zeros(len(seen)))
        return np.asarray(np.divide(tree.node_value[node], factor, where=factor > 0, out=np.zeros(len(seen))))

    def collapsed(self, tree: Tree, collapsed: NDArray[np.bool_]) -> tuple[Tree, CARTFigures]:
        """Give the tree in which some nodes are leaves, and its figures."""
        gone = np.zeros(len(tree), bool)
        for node in range(1, len(tree)):
            above = tree.parent[node]
            gone[node] = gone[above] or collapsed[above]
        has_splits = ~gone & ~collapsed
        own = np.repeat(has_splits, np.diff(tree.split_begin))
        rivals = np.repeat(has_splits, np.diff(tree.competitor_begin))
        figures = CARTFigures(
            self.complexity[~gone],
            np.where(has_splits[:, None], self.credit, 0.0)[~gone],
            self.split_rows[own],
            self.competitor_rows[rivals],
            self.split_below[own],
            self.competitor_below[rivals],
            self.class_weight,
        )
        return tree.collapse(collapsed), figures
