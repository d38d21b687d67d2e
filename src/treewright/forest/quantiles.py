"""Quantile regression forests: the distribution of targets in the leaves of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.data.target import read_weight
from treewright.forest.trees import Trees
from treewright.growing.grow_tree import threads

if TYPE_CHECKING:
    from treewright.tree.model import ForestModel

Array = NDArray[np.float64]
ROWS_AT_ONCE = 512


class LeafRows:
    """The rows in each leaf of a forest, with their targets (quantile regression forests: Meinshausen, 2006).

    A new row is described by the rows it shares leaves with: in every tree those of its leaf share the
    weight 1, and the weights are averaged over the trees. Their targets, so weighted, are the distribution
    from which quantiles and intervals are read.

    Parameters
    ----------
    forest : fitted forest
        Whose leaves they are.
    leaf : int array of rows × trees
        The leaf of each row in each tree.
    target : float array
        The target of each row.
    weight : float array or None
        The weight of each row.
    """

    def __init__(
        self, forest: ForestModel, leaf: NDArray[Any], target: Array, weight: Array | None = None
    ) -> None:
        from scipy.sparse import csr_matrix

        self.forest = forest
        order = np.argsort(target, kind="stable")
        self.target = target[order]
        trees: Trees = forest._fitted_trees()
        nodes = leaf[order] + trees.node_begin[:-1]
        shape = (trees.node_count, len(target))
        columns = np.repeat(np.arange(len(target)), leaf.shape[1])
        mass = np.repeat(np.ones(len(target)) if weight is None else weight[order], leaf.shape[1])
        inside = csr_matrix((mass, (nodes.ravel(), columns)), shape=shape)
        total = np.asarray(inside.sum(axis=1)).ravel()
        inside.data /= np.repeat(total, np.diff(inside.indptr)) * len(trees)
        self._inside = inside

    @classmethod
    def of(cls, forest: ForestModel, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Route rows to the leaves of a forest that predicts numbers."""
        if forest._fitted_trees().schema.classes is not None:
            raise ValueError("quantiles need numbers to predict: use a forest for regression.")
        leaf = forest._fitted_trees().leaves(*forest._encode(X), threads(forest.n_jobs))
        target = forest._target(y, len(leaf))
        weight, counted = read_weight(sample_weight, len(leaf))
        if weight is not None and counted is not None:
            leaf, target, weight = leaf[counted], target[counted], weight[counted]
        return cls(forest, leaf, target, weight)

    def weights(self, X: Any) -> Any:
        """Weight of each remembered row (in the order of `target`) for each new row, as a sparse matrix."""
        return self._weights(self._nodes(X))

    def _nodes(self, X: Any) -> NDArray[np.int64]:
        """The leaf of each row in each tree, numbered through all trees."""
        trees = self.forest._fitted_trees()
        leaf = trees.leaves(*self.forest._encode(X), threads(self.forest.n_jobs))
        return np.asarray(leaf + trees.node_begin[:-1])

    def _weights(self, nodes: NDArray[np.int64]) -> Any:
        from scipy.sparse import csr_matrix

        begin = np.arange(0, nodes.size + 1, nodes.shape[1])
        shape = (len(nodes), self._inside.shape[0])
        found = (csr_matrix((np.ones(nodes.size), nodes.ravel(), begin), shape=shape) @ self._inside).tocsr()
        found.sort_indices()
        return found

    def quantiles(self, X: Any, q: ArrayLike) -> Array:
        """Quantiles of the target for each row: the smallest target at which the weights reach `q`.

        Parameters
        ----------
        X : table
            Rows to predict for.
        q : array-like of numbers from 0 to 1
            Which quantiles.

        Returns
        -------
        ndarray of shape (n_rows, n_quantiles)
            NaN for a row that shares no leaf with any that is remembered.

        Examples
        --------
        >>> from treewright.estimators.forest import RandomForestRegressor
        >>> X, y = [[0]] * 9 + [[1]] * 9, [1.0, 2, 3, 4, 5, 6, 7, 8, 9] * 2
        >>> forest = RandomForestRegressor(10, max_depth=1, random_state=0).fit(X, y)
        >>> forest.leaf_rows(X, y).quantiles([[0]], [0.1, 0.5, 0.9]).tolist()
        [[1.0, 5.0, 9.0]]
        """
        wanted = np.atleast_1d(np.asarray(q, dtype=float))
        if wanted.ndim != 1 or not ((wanted >= 0) & (wanted <= 1)).all():
            raise ValueError(f"q must be numbers from 0 to 1, got {q!r}.")
        nodes = self._nodes(X)
        found = np.full((len(nodes), len(wanted)), np.nan)
        for begin in range(0, len(nodes), ROWS_AT_ONCE):
            weights = self._weights(nodes[begin : begin + ROWS_AT_ONCE])
            for row in np.flatnonzero(np.diff(weights.indptr)):
                part = slice(weights.indptr[row], weights.indptr[row + 1])
                reached = np.cumsum(weights.data[part])
                at = np.searchsorted(reached, wanted * reached[-1] * (1 - 1e-12))
                found[begin + row] = self.target[weights.indices[part][np.minimum(at, len(reached) - 1)]]
        return found

    def interval(self, X: Any, level: float = 0.9) -> Array:
        """Prediction interval of each row: lower and upper end, half of what is left out on either side.

        Parameters
        ----------
        X : table
            Rows to predict for.
        level : float
            The share of targets that should lie inside.
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1, got {level!r}.")
        return self.quantiles(X, [(1 - level) / 2, (1 + level) / 2])
