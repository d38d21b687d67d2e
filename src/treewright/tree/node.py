"""Node: a read-only view of one node of a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from treewright.tree.splits import Split

if TYPE_CHECKING:
    from treewright.tree import Tree

T = TypeVar("T")


class Entry(Generic[T]):
    """A node's entry of the tree's array of the same name, or of another."""

    def __init__(self, kind: Callable[[Any], T], doc: str, name: str = "") -> None:
        self.kind, self.__doc__, self.name = kind, doc, name

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    @overload
    def __get__(self, node: None, owner: type) -> Entry[T]: ...
    @overload
    def __get__(self, node: Node, owner: type) -> T: ...
    def __get__(self, node: Node | None, owner: type) -> Entry[T] | T:
        return self if node is None else self.kind(getattr(node.tree, self.name)[node.id])


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A read-only view of one node of a tree.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> root = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_[0]
    >>> root.is_leaf, root.children, root.value.tolist()
    (False, [1, 2], [2.0, 1.0])
    """

    tree: Tree
    id: int

    parent = Entry(int, "The id of the node above; −1 for the root.")
    default_branch = Entry(int, "The branch of an unanswered row; −1 shares it over all, −2 keeps it here.")
    count = Entry(int, "The number of rows.")
    weight = Entry(float, "The weight of the rows.")
    impurity = Entry(float, "The criterion's impurity, per unit of weight.")
    risk = Entry(float, "What the node would cost as a leaf on its rows.")
    merit = Entry(float, "The gain of the split by its criterion; 0 at a leaf.")

    @property
    def value(self) -> NDArray[np.float64]:
        """The weight of each class, or the number predicted; of several targets a row of weights for each."""
        value = self.tree.node_value[self.id]
        several = self.tree.schema.outputs and self.tree.is_classifier
        return np.asarray(value.reshape(self.tree.n_outputs, -1) if several else value)

    @property
    def label(self) -> Any:
        """The code of the class the node would predict; of several targets an array of them."""
        label = self.tree.label[self.id]
        return label if self.tree.schema.outputs else int(label)

    @property
    def depth(self) -> int:
        """The number of branches between the root and the node."""
        return int(self.tree.node_depth[self.id])

    @property
    def children(self) -> list[int]:
        """The ids of the children, in branch order."""
        return self.tree.children(self.id)

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no branches."""
        return self.tree.is_leaf(self.id)

    @property
    def split(self) -> Split | None:
        """The rule that chooses the branch; None at a leaf."""
        if self.is_leaf:
            return None
        return self.tree.splits.split(int(self.tree.split_begin[self.id]), len(self.children))

    @property
    def surrogates(self) -> list[Split]:
        """The splits that stand in, in this order, where the split cannot be answered.

        There are at most `max_surrogates`. A feature is left out if its best split agrees with the node's on
        no more rows than sending all of them down the larger branch would, or would send fewer than two rows
        one way.
        """
        begin, end = self.tree.split_begin[self.id : self.id + 2].tolist()
        return [self.tree.splits.split(index, len(self.children)) for index in range(begin + 1, end)]

    @property
    def agreements(self) -> list[float]:
        """The share of the rows with a known split that each surrogate sends the same way."""
        begin, end = self.tree.split_begin[self.id : self.id + 2].tolist()
        scores: list[float] = self.tree.splits.score[begin + 1 : end].tolist()
        return scores

    @property
    def adjusted_agreements(self) -> list[float]:
        """By how much each surrogate beats following the majority: 1 is perfect, 0 no better.

        With a the agreement and m the share of the larger branch among the rows with a known split that is
        (a − m) / (1 − m) (Breiman et al., 1984, §5.3).
        """
        begin, end = self.tree.split_begin[self.id : self.id + 2].tolist()
        known = self.tree.splits.adjusted
        return [] if known is None else known[begin + 1 : end].tolist()

    @property
    def competitors(self) -> list[Split]:
        """The best splits on other features, best first."""
        begin, end = self.tree.competitor_begin[self.id : self.id + 2].tolist()
        return [self.tree.competitors[index] for index in range(begin, end)]

    @property
    def competitor_merits(self) -> list[float]:
        """What the competitors would gain."""
        begin, end = self.tree.competitor_begin[self.id : self.id + 2].tolist()
        merits: list[float] = self.tree.competitors.score[begin:end].tolist()
        return merits

    def __repr__(self) -> str:
        return f"Node({self.id}, {'leaf' if self.is_leaf else self.split}, count={self.count})"
