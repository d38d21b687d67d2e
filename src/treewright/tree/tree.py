"""Tree: an immutable struct of NumPy arrays, the product of every grower."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright._module_names import public
from treewright.errors import DataError
from treewright.formatting.text import counted
from treewright.tree.decision import decide
from treewright.tree.equations import Equations
from treewright.tree.node import Node
from treewright.tree.sklearn_arrays import SklearnArrays
from treewright.tree.splits import (
    SplitTable,
    array_types,
    concatenated_ranges,
    freeze,
    read_only,
    same_arrays,
)

if TYPE_CHECKING:
    from treewright.data import Dataset, Schema
    from treewright.data.sparse import SparseRows

NODE_ARRAYS = array_types(
    "int32 parent default_branch",
    "int64 count",
    "float64 weight node_value impurity risk merit",
    "int64 split_begin competitor_begin",
)
"""The types of the arrays with an entry for each node; `node_value` has a row, the begins one entry more."""


@public
@dataclass(frozen=True, eq=False, repr=False)
class Tree(SklearnArrays):
    """A decision tree as flat arrays, described one by one in ARCHITECTURE.md.

    Nodes are numbered in preorder: the root is 0, a node comes before its branches, and all of a branch
    before the next one. Going over the ids upwards is top-down, downwards bottom-up, and nothing here is
    recursive. `children`, `child` and `branch` tell what leads where. Every node keeps
    its statistics as if it were a leaf. The arrays given become the tree's own and can no longer be
    written to: edits give a new tree.

    Parameters
    ----------
    schema : Schema
        Names, kinds and categories of the features, and the classes.
    parent : int32 array of n nodes
        The shape; the root's parent is −1.
    default_branch : int32 array
        The branch of a row whose split is unanswered; −1 shares it over all, −2 keeps it at the node.
    count, weight, node_value, impurity, risk, merit : arrays
        Statistics of the training rows at each node; `node_value` has a row of class weights, or one number.
        (`value` is scikit-learn's: class probabilities, of shape (nodes, targets, classes).)
    split_begin, splits : int64 array of n + 1, SplitTable
        Node i owns ``splits[split_begin[i]:split_begin[i + 1]]``: its split, then its surrogates.
    competitor_begin, competitors : int64 array of n + 1, SplitTable
        The best splits on other features, listed in the same way.
    costs : float64 array of classes × classes, optional
        What it costs to predict a class (column) for a row of another (row).
    observed : float64 array like node_value, optional
        Class weights, or means, of the training rows at each node, where `node_value`, what nodes predict, is
        something else: smoothed by shrinkage or by a forest, or decided by hand.
    decided : int32 array of n, optional
        The class that was decided by hand for each leaf, whatever its rows say; −1 where none was. Of numbers
        it is 0 where the number of a leaf was decided by hand.
    equations : Equations, optional
        What each node of a tree with linear leaves predicts; `node_value` has the means of the rows.
    note : str
        What its text says of how it was grown, such as which rule kept it small; no part of what it is.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
    >>> tree
    Tree(3 nodes, 2 leaves, depth 1, 2 classes)
    >>> tree[0].split
    Threshold(feature=0, threshold=3.0)
    >>> [node.count for node in tree]
    [3, 2, 1]
    """

    schema: Schema
    parent: NDArray[np.int32]
    default_branch: NDArray[np.int32]
    count: NDArray[np.int64]
    weight: NDArray[np.float64]
    node_value: NDArray[np.float64]
    impurity: NDArray[np.float64]
    risk: NDArray[np.float64]
    merit: NDArray[np.float64]
    split_begin: NDArray[np.int64]
    splits: SplitTable
    competitor_begin: NDArray[np.int64]
    competitors: SplitTable
    costs: NDArray[np.float64] | None = None
    observed: NDArray[np.float64] | None = None
    decided: NDArray[np.int32] | None = None
    equations: Equations | None = None
    note: str = ""

    def __post_init__(self) -> None:
        freeze(self, NODE_ARRAYS, "costs", "observed")
        if self.decided is not None:
            vars(self)["decided"] = read_only(self.decided, np.int32) if (self.decided >= 0).any() else None

    @classmethod
    def from_arrays(
        cls, schema: Schema, arrays: Mapping[str, NDArray[Any]], costs: NDArray[np.float64] | None = None
    ) -> Tree:
        """Make a tree of flat arrays, split tables under the prefixes ``split_`` and ``competitor_``.

        The arrays are taken as they are, of the types and in the memory order that the core gives and
        `persistence.validation` has proved: small trees are made in microseconds.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> copies = {name: array.copy() for name, array in tree.arrays().items()}
        >>> type(tree).from_arrays(tree.schema, copies) == tree
        True
        """
        for array in arrays.values():
            array.setflags(write=False)
        return cls.from_read_only(schema, arrays, costs)

    @classmethod
    def from_read_only(
        cls, schema: Schema, arrays: Mapping[str, NDArray[Any]], costs: NDArray[np.float64] | None = None
    ) -> Tree:
        """Make a tree of arrays that nobody can write to, as `from_arrays` does of others.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> type(tree).from_read_only(tree.schema, tree.arrays()) == tree
        True
        """
        tree = object.__new__(cls)
        vars(tree).update(
            {name: arrays[name] for name in NODE_ARRAYS},
            schema=schema,
            splits=SplitTable.from_arrays(arrays, "split_"),
            competitors=SplitTable.from_arrays(arrays, "competitor_"),
            costs=None if costs is None else read_only(costs, np.float64),
            observed=arrays.get("observed"),
            decided=arrays.get("decided"),
            equations=Equations.from_arrays(arrays),
            note="",
        )
        return tree

    def predicting(self, value: NDArray[np.float64], risk: NDArray[np.float64] | None = None) -> Tree:
        """Give the tree with other predictions, and what these cost; what its rows say stays as `observed`.

        What follows from the shape of the tree is not worked out again.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.predicting(tree.node_value + 1.0).predict([[1.5]]).tolist()
        [[0.75, 0.25]]
        """
        own = vars(self)
        tree = object.__new__(Tree)
        vars(tree).update(
            {name: own[name] for name in (*_FIELDS, *_OF_SHAPE) if name in own},
            node_value=read_only(value, np.float64),
            observed=self.training_value,
            risk=self.risk if risk is None else read_only(risk, np.float64),
        )
        return tree

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by flat names, as :meth:`from_arrays` takes them.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.arrays()["count"].tolist()
        [3, 2, 1]
        """
        return dict(self._arrays)

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        own = vars(self)
        nodes = {name: own[name] for name in NODE_ARRAYS}
        nodes |= {name: own[name] for name in ("observed", "decided") if own[name] is not None}
        if self.equations is not None:
            nodes |= self.equations.arrays()
        return nodes | self.splits.arrays("split_") | self.competitors.arrays("competitor_")

    @cached_property
    def core_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays with those by which the core finds children."""
        begin, children = self._children
        return self._arrays | {"child_begin": begin, "children": children}

    # ---- nodes -----------------------------------------------------------------------------------

    def __getitem__(self, node: int) -> Node:
        return Node(self, range(len(self))[node])

    def __iter__(self) -> Iterator[Node]:
        return (Node(self, node) for node in range(len(self)))

    def __reversed__(self) -> Iterator[Node]:
        return (Node(self, node) for node in reversed(range(len(self))))

    # ---- what it says ----------------------------------------------------------------------------

    @property
    def is_classifier(self) -> bool:
        """Whether the tree predicts classes rather than numbers.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.is_classifier
        True
        """
        return self.schema.classes is not None

    @cached_property
    def label(self) -> NDArray[np.int32]:
        """The class code each node would predict: the heaviest, or the cheapest; the first of equals.

        Where it was decided by hand, that. Of several targets there is a column of codes for each.
        """
        if not self.is_classifier:
            raise AttributeError("a regression tree has no classes: each node predicts its value")
        label = self.decide(self.by_output(self.vote_weights))
        if self.decided is not None:
            label = np.where(self.decided >= 0, self.decided, label)
        return read_only(label, np.int32)

    @property
    def training_value(self) -> NDArray[np.float64]:
        """Class weights, or means, of the training rows at each node, also where predictions are smoothed.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.training_value.tolist()
        [[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]]
        """
        return self.node_value if self.observed is None else self.observed

    @cached_property
    def overruled(self) -> NDArray[np.bool_]:
        """Whether smoothing, not the training rows of a node, has decided for its class."""
        if self.observed is None or not self.is_classifier or self.schema.outputs:
            return read_only(np.zeros(len(self), bool), np.bool_)
        other = self.decide(self.observed) != self.label
        return read_only(other if self.decided is None else other & (self.decided < 0), np.bool_)

    def decided_by(self, node: int) -> str:
        """Say what has decided for another class than the rows of a leaf lead to; empty if nothing has.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.decided_by(1)
        ''
        """
        if self.decided is not None and self.decided[node] >= 0:
            return "decided by hand"
        return "decided by smoothing" if self.overruled[node] and not self.n_children[node] else ""

    @property
    def class_probabilities(self) -> NDArray[np.float64]:
        """What each node predicts: the probability of each class, or the number of a regression tree.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.class_probabilities.round(3).tolist()
        [[0.667, 0.333], [1.0, 0.0], [0.0, 1.0]]
        """
        if not self.is_classifier:
            return self.node_value
        value = self.by_output(self.node_value)
        return np.asarray(value / value.sum(axis=-1, keepdims=True)).reshape(self.node_value.shape)

    def for_target(self, target: str | int) -> Tree:
        """Give the tree of several targets as one of a single target: the same splits, and what it predicts.

        Whatever takes one target, such as rules, exports and pictures with rows, takes such a tree. The
        impurity stays the mean over all targets, by which the splits were found, and so does the loss of
        numbers.

        Parameters
        ----------
        target : str or int
            The name or the place of the target.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1], [2], [3]], [["a", 0], ["a", 1], ["b", 1]]).tree_
        >>> tree.for_target("y0")
        Tree(5 nodes, 3 leaves, depth 2, 2 classes)
        """
        if not self.schema.outputs:
            raise ValueError(f"target={target!r} chooses among several targets, and the tree has one.")
        place, width = self.schema.output(target), max(self.schema.n_classes, 1)
        schema, risk = self.schema.for_target(place), self.risk
        columns = slice(place * width, place * width + max(schema.n_classes, 1))
        if schema.classes is not None:
            value = self.node_value[:, columns]
            risk = np.where(self.weight > 0, self.weight - value.max(axis=1), 0.0)
        observed = None if self.observed is None else self.observed[:, columns]
        value = np.ascontiguousarray(self.node_value[:, columns])
        return replace(self, schema=schema, node_value=value, risk=risk, observed=observed)

    def by_output(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give rows of `node_value` with an axis for the targets where there are several.

        Examples
        --------
        >>> from treewright import DecisionTreeRegressor
        >>> tree = DecisionTreeRegressor().fit([[1.0], [4.0]], [[1.0, 5.0], [2.0, 5.0]]).tree_
        >>> tree.by_output(tree.node_value).shape
        (3, 2, 1)
        """
        outputs = self.schema.outputs
        return value.reshape(len(value), len(outputs), -1) if outputs else value

    @property
    def vote_weights(self) -> NDArray[np.float64]:
        """What classes are decided by: weights of a row's leaf or, where it may have several, shares.

        A leaf that was decided by hand gives all of its weight to its class.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.vote_weights.tolist()
        [[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]]
        """
        weight = self.class_probabilities if self.shares_rows else self.node_value
        if self.decided is None or not self.is_classifier:
            return weight
        voted = np.eye(weight.shape[1])[self.decided] * weight.sum(axis=1, keepdims=True)
        return np.where(self.decided[:, None] >= 0, voted, weight)

    def decide(self, weight: NDArray[np.float64]) -> NDArray[np.intp]:
        """Give the class code of rows of `vote_weights`, or of means of them (`tree.decision`).

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.decide(tree.vote_weights).tolist()
        [0, 0, 1]
        """
        return decide(weight, self.costs, exact=not self.shares_rows)

    @cached_property
    def _packed(self) -> tuple[NDArray[Any], NDArray[np.int32]] | None:
        """The tree as the core's 16-byte nodes with their ids; None if it is more than binary thresholds."""
        return _core.pack(self.core_arrays, self.schema.position)

    @cached_property
    def _packed_labels(self) -> NDArray[np.int32]:
        """The class code of each of the packed nodes: walking to it leads past its id."""
        assert self._packed is not None
        return self.label.take(self._packed[1])

    def class_codes(
        self, numbers: NDArray[np.float64], codes: NDArray[np.int32], threads: int = 1
    ) -> NDArray[np.int32]:
        """Return the class code of each row: the `label` of the node that `route` gives.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.class_codes(*tree.schema.encode([[1.5], [7.0]])).tolist()
        [0, 1]
        """
        shape, schema = (numbers.shape[1], codes.shape[1]), self.schema
        if (
            self._packed is not None
            and shape[0]
            and shape == schema.n_numbers_and_codes
            and not schema.outputs
        ):
            label, has_infinity = _core.walk(self._packed[0], self._packed_labels, numbers, threads)
            if not has_infinity:
                return label
        return self.label.take(self.route(numbers, codes, threads), axis=0)

    def route(
        self, numbers: NDArray[np.float64], codes: NDArray[np.int32], threads: int = 1
    ) -> NDArray[np.int32]:
        """Return the node each row ends in: a leaf, or the node an unanswered split keeps it at.

        Parameters
        ----------
        numbers, codes : arrays of rows × features
            The numeric and ordinal, and the categorical features, as in a Dataset.
        threads : int, default=1
            How many threads to use.

        Raises
        ------
        DataError
            If the arrays are not of the tree's features, or hold infinities.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.route(*tree.schema.encode([[1.5], [7.0]])).tolist()
        [1, 2]
        """
        position = self.schema.position
        needed = self.schema.n_numbers_and_codes
        if (numbers.shape[1], codes.shape[1]) != needed or len(numbers) != len(codes):
            raise DataError(
                f"the tree routes rows of {needed[0]} numbers and {needed[1]} codes, "
                f"got arrays of shape {numbers.shape} and {codes.shape}"
            )
        if self._packed is not None and needed[0]:
            leaf, has_infinity = _core.walk(*self._packed, numbers, threads)
        else:
            leaf = _core.route(self.core_arrays, numbers, codes, position, threads)
            has_infinity = bool(np.isinf(numbers).any())
        if has_infinity:
            self.schema.refuse_infinities(numbers)
        return leaf

    @property
    def walks_sparse(self) -> bool:
        """Whether rows need no more than the numbers they have stored.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.walks_sparse
        True
        """
        return self._packed is not None

    def route_sparse(self, rows: SparseRows, missing: str, threads: int = 1) -> NDArray[np.int32]:
        """Return the leaf each row ends in, of rows whose zeros are not stored.

        Parameters
        ----------
        rows : SparseRows
        missing : str
            Whether they may miss values, see `SparseRows.refuse`.
        threads : int, default=1
            How many threads to use.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> from scipy.sparse import csr_matrix
        >>> rows = tree.schema.sparse_rows(csr_matrix([[1.5], [7.0]]))
        >>> tree.route_sparse(rows, "direction").tolist()
        [1, 2]
        """
        if self._packed is None:
            raise ValueError("the tree has splits that ask for more than sparse rows have")
        leaf, flags = _core.walk_sparse(self._packed[0], self._packed[1], *rows.parts, threads)
        rows.refuse(flags, missing)
        return leaf

    def predict_value(
        self, numbers: NDArray[np.float64], codes: NDArray[np.int32], threads: int = 1
    ) -> NDArray[np.float64]:
        """Return for each row the `node_value` of the node it ends in, by its share if it ends in several.

        In a tree with linear leaves it is what the node's equation says of the row.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.predict_value(*tree.schema.encode([[1.5], [7.0]])).tolist()
        [[2.0, 0.0], [0.0, 1.0]]
        """
        if self.equations is None:
            return self.spread(numbers, codes, self.node_value, threads)
        from treewright.tree.routing import predict_equations

        return predict_equations(self, self.equations, numbers, codes, threads)

    @cached_property
    def shares_rows(self) -> bool:
        """Whether a row whose split is unanswered goes down every branch of some node, with its share."""
        return bool(((self.default_branch == -1) & (self.n_children > 0)).any())

    def spread(
        self,
        numbers: NDArray[np.float64],
        codes: NDArray[np.int32],
        value: NDArray[np.float64],
        threads: int = 1,
    ) -> NDArray[np.float64]:
        """Sum for each row what the nodes it ends in say, each by the share of the row that ends there.

        Parameters
        ----------
        numbers, codes : arrays of rows × features
            As for `route`.
        value : array of nodes × anything
            What each node says, such as its class probabilities.
        threads : int, default=1
            How many threads to use.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.spread(*tree.schema.encode([[1.5], [7.0]]), tree.class_probabilities).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        if not self.shares_rows:
            return value.take(self.route(numbers, codes, threads), axis=0)
        self.schema.refuse_infinities(numbers)
        value = np.ascontiguousarray(value, np.float64)
        return _core.spread(self.core_arrays, numbers, codes, self.schema.position, value, threads)

    def tally(self, rows: Dataset) -> NDArray[np.float64]:
        """Count rows through the tree: what each node has of them, as if it were a leaf.

        Parameters
        ----------
        rows : Dataset
            Rows of the tree's features, with their target; their weights count.

        Returns
        -------
        ndarray of shape (n_nodes, n_classes) or (n_nodes, 3)
            Weight of each class; for regression the weight, and the weighted sums of d and d², where d is how
            far the target lies above the number that the root predicts.

        Examples
        --------
        >>> from treewright import Dataset, Recipe, grow
        >>> rows = Dataset.from_table([[1.0], [2.0], [4.0]], ["a", "a", "b"], task="classification")
        >>> grow(rows, Recipe("gini")).tally(rows).tolist()
        [[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]]
        """
        from treewright.tree.routing import tally

        return tally(self, rows)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the node each row of a table ends in, whatever the table calls its features.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.apply([[1.5], [7.0]]).tolist()
        [1, 2]
        """
        return self.route(*self.schema.encode(X, check_names=False)).astype(np.int64)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return what each row of a table is predicted: class probabilities, or a number, a row of each.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.predict([[1.5], [7.0]]).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        self.take_edited_value()
        numbers, codes = self.schema.encode(X, check_names=False)
        if self.is_classifier:
            return self.spread(numbers, codes, self.class_probabilities)
        return self.predict_value(numbers, codes)

    def decision_path(self, X: Any) -> Any:
        """Return the nodes each row of a table passes, as :meth:`paths` does.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.decision_path([[1.5]]).toarray().tolist()
        [[1, 1, 0]]
        """
        return self.paths(self.apply(X))

    def to_dict(self) -> dict[str, Any]:
        """Describe the tree as nested plain dictionaries, by names and in the values the user knows.

        A node has ``count, weight, value, impurity, risk``; where it splits also ``split``, ``missing``
        (the branch of an unanswered row, ``"share"`` or ``"stay"``) and ``branches``, and if it has
        any ``surrogates`` and ``competitors``. Python's ``json`` writes some 400 levels; the export to
        ``"json"`` lists nodes and holds any depth.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
        >>> tree.to_dict()["split"]
        {'kind': 'threshold', 'feature': 'x0', 'threshold': 3.0}
        """
        from treewright.export.dictionary import export_dict

        return export_dict(self)

    # ---- edits: each gives a new tree --------------------------------------------------------------

    def collapse(self, nodes: ArrayLike) -> Tree:
        """Return the tree in which the given nodes are leaves.

        Parameters
        ----------
        nodes : mask of the tree's nodes, or ids
            Nodes whose branches are removed; those that are leaves already stay as they are.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> tree = DecisionTreeClassifier(max_depth=2).fit(*datasets.load_iris()).tree_
        >>> tree.n_leaves, tree.collapse([2]).n_leaves
        (3, 2)
        """
        collapsed = np.zeros(len(self), bool)
        collapsed[np.asarray(nodes) if np.size(nodes) else []] = True
        return rearranged(self, ~self.below(collapsed), np.arange(len(self)), collapsed)

    def raise_branch(self, node: int, branch: int) -> Tree:
        """Return the tree in which one branch of a node stands in the node's place.

        This is the grafting of C4.5 (Quinlan, 1993, ch. 4). The node keeps its own statistics and takes the
        raised child's split; the nodes below keep theirs until rows are counted through the new tree.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> tree = DecisionTreeClassifier(max_depth=2).fit(*datasets.load_iris()).tree_
        >>> tree.raise_branch(0, 1).n_leaves
        2
        """
        node = range(len(self))[node]
        if not 0 <= branch < self.n_children[node]:
            raise ValueError(
                f"branch={branch} of node {node} cannot be raised: it has {self.n_children[node]} branches"
            )
        raised = self.children(node)[branch]
        ids = np.arange(len(self))
        return rearranged(
            self, ~self.below(ids == node) | self.below(ids == raised), np.where(ids == node, raised, ids)
        )

    # ---- equality, printing, pickling ----------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        costs = (np.empty(0) if tree.costs is None else tree.costs for tree in (self, other))
        return (
            self.schema == other.schema
            and same_arrays(*costs)
            and self._arrays.keys() == other._arrays.keys()
            and all(same_arrays(array, other._arrays[name]) for name, array in self._arrays.items())
        )

    __hash__ = None  # type: ignore[assignment]  # equal by content, as arrays are

    def __repr__(self) -> str:
        target = counted(self.node_value.shape[1], "class", "classes") if self.is_classifier else "regression"
        if self.schema.outputs:
            kind = "classes" if self.is_classifier else "numbers"
            target = f"{self.n_outputs} targets of {kind}"
        size = f"{counted(len(self), 'node')}, {counted(self.n_leaves, 'leaf', 'leaves')}, depth {self.depth}"
        return f"Tree({size}, {target})"

    def __str__(self) -> str:
        from treewright.export.text import export_text

        return export_text(self)

    def _repr_html_(self) -> str:
        from treewright.export.html import export_html

        return export_html(self)

    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[..., Tree], tuple[Any, ...]]:
        """Pickle plain trees by their arrays, others as the bytes of a model file."""
        from treewright.persistence import pickles, trees

        if pickles.is_plain(self):
            return pickles.plain_from_state, pickles.plain_state(self)
        return trees.tree_from_bytes, (trees.tree_to_bytes(self),)

    def __reduce__(self) -> tuple[Callable[..., Tree], tuple[Any, ...]]:
        return self.__reduce_ex__(2)

    def __getstate__(self) -> dict[str, Any]:
        """Give the bytes of a model file, for skops, and of plain trees the arrays as scikit-learn does."""
        from treewright.persistence import trees

        state: dict[str, Any] = {"model_file": trees.tree_to_bytes(self)}
        return state if self.splits.kind.any() else super().__getstate__() | state

    def __setstate__(self, state: dict[str, Any]) -> None:
        from treewright.persistence import trees

        vars(self).update(vars(trees.tree_from_bytes(state["model_file"])))


_FIELDS = tuple(field.name for field in fields(Tree))
_OF_SHAPE = ("n_leaves", "leaves", "node_depth", "depth", "_children", "n_children", "branch", "shares_rows")


def deciding(trees: Sequence[Tree], values: Sequence[NDArray[np.float64]]) -> Sequence[NDArray[np.float64]]:
    """Give what the nodes of one tree, or of several, say when a class is decided.

    Of one tree that is what its labels are decided by, also where `values`, what its nodes are shown to say,
    have been smoothed.
    """
    return [trees[0].vote_weights] if len(trees) == 1 else values


def rearranged(
    tree: Tree, kept: NDArray[np.bool_], source: NDArray[np.int64], collapsed: NDArray[np.bool_] | None = None
) -> Tree:
    """Return the tree of the kept nodes, each with the split and children of its source unless collapsed.

    The kept nodes are the root, and all children of every source that is not collapsed.
    """
    nodes = np.flatnonzero(kept)
    new_id = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    new_id[source[nodes]] = new_id[nodes]  # a raised node's children find the node it stands for
    parent = new_id[tree.parent[nodes]]
    parent[0] = -1
    source = source[nodes]
    leaf = tree.n_children[source] == 0
    if collapsed is not None:
        leaf |= collapsed[nodes]
    split_begin, splits = _take_lists(tree.split_begin, tree.splits, source, leaf)
    competitor_begin, competitors = _take_lists(tree.competitor_begin, tree.competitors, source, leaf)
    return replace(
        tree,
        parent=parent,
        default_branch=np.where(leaf, -1, tree.default_branch[source]),
        merit=np.where(leaf, 0.0, tree.merit[source]),
        **{
            name: getattr(tree, name)[nodes] for name in ("count", "weight", "node_value", "impurity", "risk")
        },
        observed=None if tree.observed is None else tree.observed[nodes],
        decided=None if tree.decided is None else np.where(leaf, tree.decided[nodes], -1),
        equations=None if tree.equations is None else tree.equations.take(nodes),
        split_begin=split_begin,
        splits=splits,
        competitor_begin=competitor_begin,
        competitors=competitors,
    )


def _take_lists(
    begin: NDArray[np.int64], table: SplitTable, nodes: NDArray[np.int64], leaf: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], SplitTable]:
    """Return the lists of splits of the given nodes, empty at leaves, as (begin, table)."""
    sizes = np.where(leaf, 0, begin[nodes + 1] - begin[nodes])
    taken = table.take(concatenated_ranges(begin[nodes], sizes))
    return np.concatenate(([0], np.cumsum(sizes))), taken
