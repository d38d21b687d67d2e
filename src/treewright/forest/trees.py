"""Trees of a forest in compact arrays; each is a `Tree` when asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Schema
from treewright.data.sparse import SparseRows
from treewright.forest.bootstrap import Draws
from treewright.tree import Tree
from treewright.tree.decision import decide

Array = NDArray[np.float64]
Votes = tuple[Array, NDArray[np.uint32]]
Codes = NDArray[np.int32]
One = TypeVar("One")


class MadeWhenAskedFor(Sequence[One]):
    """A sequence whose members are made when they are asked for, and not kept."""

    @abstractmethod
    def _made(self, index: int) -> One:
        """Make one member."""

    @overload
    def __getitem__(self, index: int) -> One: ...
    @overload
    def __getitem__(self, index: slice) -> list[One]: ...
    def __getitem__(self, index: int | slice) -> One | list[One]:
        if isinstance(index, slice):
            return [self[at] for at in range(len(self))[index]]
        return self._made(range(len(self))[index])

    def __iter__(self) -> Iterator[One]:
        return map(self._made, range(len(self)))


class Trees(MadeWhenAskedFor[Tree]):
    """Trees of binary splits in the core's compact arrays, about 32 bytes a node for two classes.

    A node keeps what it takes to walk on, its class weights (or its number, weight and risk) and its count;
    all else of a `Tree` follows from these and is computed when a tree is asked for. Names, categories and
    classes are kept once.

    Parameters
    ----------
    schema : Schema
        The features and classes that all trees speak of.
    criterion : str
        The criterion that grew them: it tells the impurity of each node.
    arrays : mapping of names to arrays
        As the core gives them.
    """

    def __init__(self, schema: Schema, criterion: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.schema = schema
        self.criterion = criterion
        self.arrays = dict(arrays)
        for array in self.arrays.values():
            array.setflags(write=False)

    @classmethod
    def of(cls, schema: Schema, criterion: str, trees: Sequence[Tree]) -> Trees:
        """Make the trees compact, if they are such that they can be."""
        arrays = _core.pack_forest(
            [tree.arrays() for tree in trees], schema.n_classes, schema.position, schema.n_categories
        )
        return LooseTrees(schema, criterion, trees) if arrays is None else cls(schema, criterion, arrays)

    def widened(self) -> Trees:
        """Return the trees with all weights in double precision, as forests on weighted rows have them."""
        wide = {
            name: self.arrays[name].astype(np.float64) for name in ("value", "weight") if name in self.arrays
        }
        return type(self)(self.schema, self.criterion, self.arrays | wide)

    def with_schema(self, schema: Schema) -> Trees:
        """Return the trees with other names of features."""
        return type(self)(schema, self.criterion, self.arrays)

    def __len__(self) -> int:
        return len(self.arrays["tree_begin"]) - 1

    def _made(self, index: int) -> Tree:
        schema = self.schema
        arrays = _core.unpack_tree(
            self.arrays, schema.n_classes, index, self.criterion, schema.position, schema.n_categories
        )
        return Tree.from_arrays(schema, arrays)

    def parts(self) -> list[Mapping[str, NDArray[Any]]]:
        """Return all arrays there are, by name."""
        return [self.arrays]

    @property
    def node_begin(self) -> NDArray[np.int64]:
        """Where the nodes of each tree begin, and at the end their number."""
        begin: NDArray[np.int64] = self.arrays["tree_begin"]
        return begin

    @property
    def node_count(self) -> int:
        """The nodes of all trees."""
        return int(self.node_begin[-1])

    @property
    def leaf_count(self) -> int:
        """The leaves of all trees."""
        return self.node_count - int(self.arrays["split_begin"][-1])

    @property
    def nbytes(self) -> int:
        """The memory that the trees take."""
        return sum(array.nbytes for array in self.arrays.values())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trees):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # equal by content, as arrays are

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} trees, {self.node_count} nodes, {self.nbytes} bytes)"

    def __reduce__(self) -> tuple[Callable[..., Trees], tuple[Any, ...]]:
        """Pickle the arrays as they are."""
        return type(self), (self.schema, self.criterion, self.arrays)

    def joined(self, more: Trees) -> Trees:
        """Return these trees and more of them, over the same features."""
        return join(self.schema, self.criterion, [self, more])

    def vote(
        self, numbers: Array, codes: Codes, hard: bool = False, draws: Draws | None = None, threads: int = 1
    ) -> Votes:
        """Sum over the trees what the leaf of each row says, and count the trees that spoke.

        Parameters
        ----------
        numbers, codes : arrays of rows × features
            As in a Dataset.
        hard : bool
            Whether a tree gives its whole vote to one class, rather than its leaf's shares to all.
        draws : Draws or None
            If given, only the trees that have not drawn a row speak of it.
        threads : int
            How many threads to use; the sums do not depend on it.

        Returns
        -------
        sums : float64 array of shape (n_rows, n_classes or 1)
        votes : array of shape (n_rows,)
        """
        options = None if draws is None else draws.options()
        n_classes = self.schema.n_classes
        sums, votes, infinite = _core.vote(self.arrays, n_classes, numbers, codes, hard, options, threads)
        if infinite:
            self.schema.refuse_infinities(numbers)
        return sums, np.full(len(sums), len(self), np.uint32) if draws is None else votes

    @property
    def takes_sparse(self) -> bool:
        """Whether rows need no more than the numbers they have stored."""
        return not self.schema.n_categories.any()

    def vote_sparse(
        self, rows: SparseRows, missing: str, hard: bool = False, draws: Draws | None = None, threads: int = 1
    ) -> Votes:
        """As `vote`, of rows whose zeros are not stored; `missing` says whether they may miss values."""
        options = None if draws is None else draws.options()
        sums, votes, flags = _core.vote_sparse(
            self.arrays, self.schema.n_classes, *rows.parts, hard, options, threads
        )
        rows.refuse(flags, missing)
        return sums, np.full(len(sums), len(self), np.uint32) if draws is None else votes

    def leaves_sparse(self, rows: SparseRows, missing: str, threads: int = 1) -> NDArray[np.int32]:
        """As `leaves`, of rows whose zeros are not stored."""
        leaf, flags = _core.leaves_sparse(self.arrays, self.schema.n_classes, self._ids, *rows.parts, threads)
        rows.refuse(flags, missing)
        return leaf

    @cached_property
    def _ids(self) -> NDArray[np.int32]:
        """The id of each node in its tree, in preorder; the arrays have siblings side by side."""
        return _core.node_ids(self.arrays, self.schema.n_classes)

    def leaves(self, numbers: Array, codes: Codes, threads: int = 1) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, an array of rows × trees."""
        n_classes = self.schema.n_classes
        leaf, infinite = _core.leaves(self.arrays, n_classes, self._ids, numbers, codes, threads)
        if infinite:
            self.schema.refuse_infinities(numbers)
        return leaf


class LooseTrees(Trees):
    """Trees with splits or ways of missing values that the compact form has no room for, each by itself."""

    def __init__(self, schema: Schema, criterion: str, trees: Sequence[Tree]) -> None:
        super().__init__(schema, criterion, {})
        self.trees = list(trees)

    def __reduce__(self) -> tuple[Callable[..., Trees], tuple[Any, ...]]:
        return type(self), (self.schema, self.criterion, self.trees)

    def widened(self) -> Trees:
        """Return the trees, which have all weights in double precision."""
        return self

    def with_schema(self, schema: Schema) -> Trees:
        """Return the trees with other names of features."""
        return type(self)(schema, self.criterion, [replace(tree, schema=schema) for tree in self.trees])

    def __len__(self) -> int:
        return len(self.trees)

    @property
    def takes_sparse(self) -> bool:
        """Whether rows need no more than the numbers they have stored."""
        return False

    def _made(self, index: int) -> Tree:
        return self.trees[index]

    def parts(self) -> list[Mapping[str, NDArray[Any]]]:
        """Return the arrays of each tree, by name."""
        return [tree.arrays() for tree in self.trees]

    @property
    def node_begin(self) -> NDArray[np.int64]:
        """Where the nodes of each tree begin, and at the end their number."""
        return np.cumsum([0, *map(len, self.trees)], dtype=np.int64)

    @property
    def leaf_count(self) -> int:
        """The leaves of all trees."""
        return sum(tree.n_leaves for tree in self.trees)

    @property
    def nbytes(self) -> int:
        """The memory that the trees take."""
        return sum(array.nbytes for arrays in self.parts() for array in arrays.values())

    def vote(
        self, numbers: Array, codes: Codes, hard: bool = False, draws: Draws | None = None, threads: int = 1
    ) -> Votes:
        """As for compact trees; a row that ends in several leaves has a share in each."""
        sums = np.zeros((len(numbers), self.schema.n_outputs * max(self.schema.n_classes, 1)))
        votes = np.zeros(len(numbers), np.uint32)
        for at, tree in enumerate(self.trees):
            rows: Any = slice(None) if draws is None else np.flatnonzero(draws.out_of_bag(at))
            sums[rows] += answer(tree, numbers[rows], codes[rows], hard=hard, threads=threads)
            votes[rows] += 1
        return sums, votes

    def leaves(self, numbers: Array, codes: Codes, threads: int = 1) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, an array of rows × trees."""
        return np.stack([tree.route(numbers, codes, threads) for tree in self.trees], axis=1)


def answer(tree: Tree, numbers: Array, codes: Codes, *, hard: bool = False, threads: int = 1) -> Array:
    """What a tree says of each row; with `hard`, its whole vote for one class."""
    said = tree.spread(numbers, codes, tree.class_probabilities, threads)
    if not hard or not tree.is_classifier:
        return said
    votes: Array = np.eye(tree.schema.n_classes)[decide(tree.by_output(said))]
    return votes.reshape(said.shape)


def join(schema: Schema, criterion: str, parts: Sequence[Trees]) -> Trees:
    """Set the trees of several forests over the same features one after the other."""
    if any(isinstance(part, LooseTrees) for part in parts):
        return LooseTrees(schema, criterion, [tree for part in parts for tree in part])
    arrays = {
        name: _join_begins([part.arrays[name] for part in parts])
        if name in ("tree_begin", "split_begin", "tables_of", "table_begin")
        else np.concatenate([part.arrays[name] for part in parts])
        for name in parts[0].arrays
    }
    return Trees(schema, criterion, arrays)


def _join_begins(begins: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    ends = np.cumsum([0, *(begin[-1] for begin in begins)], dtype=np.int64)
    return np.concatenate([[0], *(begin[1:] + end for begin, end in zip(begins, ends[:-1], strict=True))])
