"""Pruning path: the trees that a method chooses from, as a table and as a curve of error against size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.formatting.axes import axes_for, legend, name_sizes
from treewright.formatting.colours import class_colour
from treewright.formatting.html_table import html_table
from treewright.formatting.text import counted
from treewright.formatting.text_table import aligned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.tree import Tree

Array = NDArray[np.float64]


class Prunings(Protocol):
    """The trees of a path: which nodes of which tree are leaves in each of them."""

    @property
    def tree(self) -> Tree:
        """The tree that they are prunings of."""

    def collapse(self, index: int) -> NDArray[np.bool_]:
        """Give the nodes to collapse for one tree of the path."""


@dataclass(frozen=True, eq=False)
class NestedPrunings:
    """Trees each of which is a pruning of the one before.

    They are not kept: each is made from the whole tree when it is asked for.

    Parameters
    ----------
    tree : Tree
        What they are prunings of.
    leaf_from : array of n nodes
        The first tree of the path in which each node is a leaf; infinite for one that is never made a leaf
        itself.
    """

    tree: Tree
    leaf_from: Array

    def collapse(self, index: int) -> NDArray[np.bool_]:
        """Give the nodes to collapse for one tree of the path."""
        return np.asarray(self.leaf_from <= index)


@dataclass(frozen=True, eq=False)
class PathPoint:
    """One tree of a path with its figures, see `PruningPath`; those that the path lacks are None."""

    leaves: int
    risk: float
    alpha: float | None
    held_out: float | None
    se: float | None
    penalised: float | None
    chosen: bool
    prunings: Prunings | None
    index: int

    @property
    def tree(self) -> Tree:
        """The tree itself, made when it is asked for."""
        if self.prunings is None:
            raise ValueError("This path has figures only: the tree that it belongs to was not kept.")
        return self.prunings.tree.collapse(self.prunings.collapse(self.index))

    def __repr__(self) -> str:
        return f"PathPoint({counted(self.leaves, 'leaf', 'leaves')}, training loss {self.risk:.4g})"


@dataclass(frozen=True, eq=False, repr=False)
class PruningPath:
    """Prunings of one tree, largest first; ``path[i]`` has the figures of one, and it as ``path[i].tree``.

    Attributes
    ----------
    leaves : int array
        Number of leaves of each tree.
    risk : float array
        Its loss on the training rows, per unit of weight.
    alpha : float array or None
        For cost-complexity pruning: from this alpha on it is the cheapest.
    held_out, se : float arrays or None
        Its mean loss on rows that it was not grown on, or by cross-validation, with the standard error.
    penalised : float array or None
        Its training loss with a penalty for its size.
    chosen : int or None
        Which of them was taken.
    prunings : Prunings or None
        Where the trees come from.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, pruning
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> path = pruning.CostComplexity(alpha=0.0).prune(tree).path
    >>> path[-3]
    PathPoint(3 leaves, training loss 0.04)
    >>> path[-3].tree
    Tree(5 nodes, 3 leaves, depth 2, 3 classes)
    """

    leaves: NDArray[np.int64]
    risk: Array
    alpha: Array | None = None
    held_out: Array | None = None
    se: Array | None = None
    penalised: Array | None = None
    chosen: int | None = None
    prunings: Prunings | None = None

    def __len__(self) -> int:
        return len(self.leaves)

    def __getitem__(self, index: int) -> PathPoint:
        index = range(len(self))[index]

        def at(column: Array | None) -> float | None:
            return None if column is None else float(column[index])

        return PathPoint(
            leaves=int(self.leaves[index]),
            risk=float(self.risk[index]),
            alpha=at(self.alpha),
            held_out=at(self.held_out),
            se=at(self.se),
            penalised=at(self.penalised),
            chosen=index == self.chosen,
            prunings=self.prunings,
            index=index,
        )

    def __iter__(self) -> Iterator[PathPoint]:
        return map(self.__getitem__, range(len(self)))

    def choose(
        self,
        estimate: Array,
        granted: float = 0.0,
        *,
        measure: str,
        se: Array | None = None,
        slack: float = 0.0,
    ) -> PruningPath:
        """Take the smallest tree whose estimate is within `granted` standard errors of the least.

        Parameters
        ----------
        estimate : float array
            What is known of the true loss of each tree.
        granted : float
            How many standard errors of the best tree are granted to smaller ones.
        measure : {"held_out", "penalised"}
            What the estimate is.
        se : float array or None
            Standard errors of the estimates.
        slack : float
            What is granted of the loss if it is more than these standard errors.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets, prune, pruning
        >>> model = DecisionTreeClassifier().fit(*datasets.load_iris())
        >>> path = prune(model, pruning.CostComplexity(alpha=0.02)).path_
        >>> path.choose(path.risk + 0.01 * path.leaves, measure="penalised").chosen
        2
        """
        best = int(np.argmin(estimate))
        limit = estimate[best] + max(0.0 if se is None else granted * se[best], slack)
        chosen = int(np.flatnonzero(estimate <= limit + 1e-12 * abs(limit))[-1])
        columns: dict[str, Any] = {measure: estimate}
        return replace(self, se=se, chosen=chosen, **columns)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Give the table as columns by name, those that it has.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets, prune, pruning
        >>> model = DecisionTreeClassifier().fit(*datasets.load_iris())
        >>> path = prune(model, pruning.CostComplexity(alpha=0.02)).path_
        >>> path.columns()["leaves"].tolist()
        [9, 7, 4, 3, 2, 1]
        """
        names = ("alpha", "leaves", "risk", "held_out", "se", "penalised")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def __repr__(self) -> str:
        return f"PruningPath({counted(len(self), 'tree')}, {self.leaves[0]} to {self.leaves[-1]} leaves)"

    def __str__(self) -> str:
        head, rows = self._table()
        return "\n".join(aligned(head, rows, right=tuple(range(len(head) - 1))))

    def _repr_html_(self) -> str:
        head, rows = self._table()
        return html_table("prunings, largest first", head, rows, range(len(head) - 1))

    def _table(self) -> tuple[list[str], list[list[str]]]:
        columns = self.columns()
        rows = [
            [f"{column[index]:.4g}" for column in columns.values()] + ["←" if index == self.chosen else ""]
            for index in range(len(self))
        ]
        return ["training" if name == "risk" else name for name in columns] + [""], rows

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the loss against the number of leaves, with one standard error up and down.

        Of what is known of other rows the least loss and the smallest tree within one standard error of it
        are marked, and what was chosen.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if None.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets, prune, pruning
        >>> model = DecisionTreeClassifier().fit(*datasets.load_iris())
        >>> path = prune(model, pruning.CostComplexity(alpha=0.02)).path_
        >>> ax = path.plot()
        """
        ax = axes_for(ax, "Loss against size", "leaves", "loss per row")
        ax.plot(self.leaves, self.risk, color=class_colour(0), marker=".", label="training rows")
        if self.held_out is not None:
            ax.plot(self.leaves, self.held_out, color=class_colour(5), marker=".", label="other rows")
            self._mark_choices(ax, self.held_out)
        if self.penalised is not None:
            ax.plot(self.leaves, self.penalised, color=class_colour(3), marker=".", label="with penalty")
        if self.chosen is not None:
            ax.axvline(self.leaves[self.chosen], color="0.4", linestyle=":", label="chosen")
        ax.set(xscale="log", ylim=(0, None))
        name_sizes(ax.xaxis)
        legend(ax)
        return ax

    def _mark_choices(self, ax: Axes, held_out: Array) -> None:
        best = len(self) - 1 - int(np.argmin(held_out[::-1]))
        ax.plot(self.leaves[best], held_out[best], "o", color=class_colour(5), label="least")
        if self.se is None:
            return
        low, high = held_out - self.se, held_out + self.se
        ax.fill_between(
            self.leaves, low, high, color=class_colour(5), alpha=0.18, linewidth=0, label="± 1 SE"
        )
        small = int(np.flatnonzero(held_out <= high[best])[-1])
        ax.axhline(high[best], color=class_colour(5), linestyle="--", linewidth=0.8)
        ax.plot(self.leaves[small], held_out[small], "D", color=class_colour(2), label="within 1 SE")
