"""Proximity matrix of a forest: how often two rows share a leaf; outliers."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.forest.bootstrap import Draws

Array = NDArray[np.float64]
ROWS_AT_ONCE = 512


class Proximity:
    """The share of the trees in which two rows end in the same leaf (Breiman, 2001; Breiman & Cutler, 2003).

    Parameters
    ----------
    leaf : int array of rows × trees
        The leaf of each row in each tree.
    node_begin : int array
        Where the nodes of each tree begin.
    draws : Draws or None
        If given, a tree counts for two rows only if it has drawn neither: rows that a tree has grown on are
        kept apart by it on purpose.

    Examples
    --------
    >>> proximity = Proximity(np.array([[1, 2], [1, 3], [2, 3]]), np.array([0, 3, 7]))
    >>> proximity.full()
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """

    def __init__(self, leaf: NDArray[Any], node_begin: NDArray[Any], draws: Draws | None = None) -> None:
        self.leaf = leaf
        self.node_begin = node_begin
        self.counts = np.ones(leaf.shape, bool)
        if draws is not None:
            for tree in range(leaf.shape[1]):
                self.counts[:, tree] = draws.out_of_bag(tree)

    @cached_property
    def _together(self) -> Any:
        """Rows × leaves of all trees: 1 where a row ends."""
        from scipy.sparse import csr_matrix

        rows, trees = np.nonzero(self.counts)
        nodes = self.leaf[rows, trees] + self.node_begin[trees]
        shape = (len(self.leaf), int(self.node_begin[-1]))
        return csr_matrix((np.ones(len(rows)), (rows, nodes)), shape=shape)

    def _rows(self, begin: int, end: int) -> Any:
        """Proximities of some rows to all, as a sparse matrix."""
        same = (self._together[begin:end] @ self._together.T).tocsr()
        if self.counts.all():
            return same / self.leaf.shape[1]
        counts = self.counts.astype(np.float32)
        both = counts[begin:end] @ counts.T
        part = same.tocoo()
        part.data = part.data / both[part.row, part.col]
        return part.tocsr()

    def full(self) -> Array:
        """The whole matrix of rows × rows. A row is wholly near itself, even if every tree has drawn it."""
        matrix = np.empty((len(self.leaf), len(self.leaf)))
        for begin, end in self._parts():
            self._rows(begin, end).toarray(out=matrix[begin:end])
        np.fill_diagonal(matrix, 1.0)
        return matrix

    def sparse(self, least: float = 0.0) -> Any:
        """The proximities above `least`, as a sparse matrix."""
        from scipy.sparse import csr_matrix, eye_array, vstack

        parts = []
        for begin, end in self._parts():
            found = self._rows(begin, end).tocoo()
            kept = (found.data > least) & (found.row + begin != found.col)
            parts.append(
                csr_matrix((found.data[kept], (found.row[kept], found.col[kept])), shape=found.shape)
            )
        return (vstack(parts, format="csr") + eye_array(len(self.leaf), format="csr")).tocsr()

    def nearest(self, k: int = 5) -> tuple[NDArray[np.int64], Array]:
        """Return the k nearest other rows of each row, and their proximities; ties go to the earlier row.

        Parameters
        ----------
        k : int
            How many neighbours.
        """
        n_rows = len(self.leaf)
        if not 1 <= k < n_rows:
            raise ValueError(f"k must be from 1 to {n_rows - 1}, the number of other rows; got {k}.")
        neighbours, proximities = np.empty((n_rows, k), np.int64), np.empty((n_rows, k))
        for begin, end in self._parts():
            found = self._rows(begin, end)
            for row in range(begin, end):
                part = slice(*found.indptr[row - begin : row - begin + 2])
                others = found.indices[part] != row
                neighbours[row], proximities[row] = _largest(
                    found.indices[part][others], found.data[part][others], k, row, n_rows
                )
        return neighbours, proximities

    def outliers(self, y: ArrayLike) -> Array:
        """How far each row is from the others of its class, in units of their spread.

        The number of rows over the sum of squared proximities to the row's class, less the class's median and
        divided by its mean absolute deviation from that (Breiman & Cutler, 2003). Above 10 a row is odd.

        Parameters
        ----------
        y : array-like
            The class of each row.
        """
        labels = np.asarray(y)
        if len(labels) != len(self.leaf):
            raise ValueError(
                f"y must have a class for each of the {len(self.leaf)} rows; it has {len(labels)}."
            )
        measure = np.empty(len(labels))
        for begin, end in self._parts():
            near = self._rows(begin, end).power(2).tocoo()
            same = (labels[begin:end][near.row] == labels[near.col]) & (near.row + begin != near.col)
            sums = np.bincount(near.row[same], near.data[same], minlength=end - begin)
            measure[begin:end] = len(labels) / np.maximum(sums, 1 / len(labels))
        for label in np.unique(labels):
            of_class = labels == label
            median = np.median(measure[of_class])
            spread = np.mean(np.abs(measure[of_class] - median))
            measure[of_class] = (measure[of_class] - median) / (spread if spread > 0 else 1.0)
        return measure

    def _parts(self) -> list[tuple[int, int]]:
        n_rows = len(self.leaf)
        return [(begin, min(begin + ROWS_AT_ONCE, n_rows)) for begin in range(0, n_rows, ROWS_AT_ONCE)]


def _largest(
    rows: NDArray[Any], near: Array, k: int, itself: int, n_rows: int
) -> tuple[NDArray[np.int64], Array]:
    """Find the k nearest of some rows; those that are not named are as far as can be."""
    if len(near) > k:
        enough = near >= np.partition(near, len(near) - k)[len(near) - k]
        rows, near = rows[enough], near[enough]
    order = np.lexsort((rows, -near))[:k]
    rows, near = rows[order].astype(np.int64), near[order]
    if len(rows) < k:
        far = np.setdiff1d(np.arange(min(2 * k + 1, n_rows)), [*rows, itself])
        rows = np.concatenate([rows, far[: k - len(rows)]])
    return rows, np.concatenate([near, np.zeros(k - len(near))])
