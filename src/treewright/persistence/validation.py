"""Validation of tree arrays from files: proof that they are trees, before anything is built from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError, ModelFileError
from treewright.tree.equations import EQUATION_ARRAYS
from treewright.tree.equations import PREFIX as EQUATION
from treewright.tree.splits import (
    COLUMN_TYPES,
    HYPERPLANE,
    INTERVALS,
    SPHERE,
    TABLE,
    THRESHOLD,
)
from treewright.tree.tree import NODE_ARRAYS, Tree

if TYPE_CHECKING:
    from treewright.data import Schema

Arrays = Mapping[str, NDArray[Any]]

TOLERANCE = 1e-9
"""How far sums of weights may differ from the weight they should give, in shares of the root's weight."""


NODE_NUMBERS = tuple(name for name, dtype in NODE_ARRAYS.items() if dtype == np.float64)

FINITE = {
    **{name: f"the {name} of node" for name in (*NODE_NUMBERS, "observed")},
    "split_score": "the score of split",
    "split_adjusted": "the adjusted agreement of split",
    "competitor_score": "the score of competitor",
    **{
        EQUATION + name: f"the {name} of equation or term"
        for name, dtype in EQUATION_ARRAYS.items()
        if dtype == np.float64
    },
}
"""Arrays of trees that hold finite numbers, and what to call an entry of each."""


def check_grown_tree(tree: Tree) -> None:
    """Check a tree as `check_grown` does, and gather its arrays only if some number is not finite."""
    splits, own = tree.splits, vars(tree)
    numbers = [own[name] for name in NODE_NUMBERS]
    if (
        tree.equations is not None
        or splits.adjusted is not None
        or not _core.all_finite(*numbers, splits.score, tree.competitors.score)
    ):
        check_grown(tree.arrays())


def check_grown(arrays: Arrays) -> None:
    """Raise `DataError` if trees as they were grown hold a number that no file may.

    What an estimator accepts can be saved and loaded. The limits of targets, weights and factors see to it
    that numbers are finite; this is the proof, at the end of every fit.
    """
    found = _not_finite(arrays)
    if found:
        raise DataError(
            f"{found} is not finite: the target, the weights or the costs differ too much in size."
        )


def _not_finite(arrays: Arrays) -> str:
    """Name the first entry that is not finite, if there is one."""
    names = [name for name in FINITE if name in arrays]
    if _core.all_finite(*[arrays[name] for name in names]):
        return ""
    name = next(name for name in names if not np.isfinite(arrays[name]).all())
    return f"{FINITE[name]} {int(np.argwhere(~np.isfinite(arrays[name]))[0][0])}"


def validate(arrays: Arrays, schema: Schema, tree_begin: NDArray[np.int64] | None = None) -> None:
    """Raise `ModelFileError` unless the arrays are valid trees over the schema.

    Parameters
    ----------
    arrays : mapping of names to arrays
        The arrays of one tree, or of several set one after the other (ids stay each tree's own).
    schema : Schema
        The features and classes the trees speak of.
    tree_begin : int64 array, optional
        Where each tree's nodes begin, and at the end their number.
    """
    _check_layout(arrays, schema.n_outputs * max(schema.n_classes, 1))
    found = _not_finite(arrays)
    if found:
        raise ModelFileError(f"the model is broken: {found} is not finite")
    n_nodes = len(arrays["parent"])
    begin = np.array([0, n_nodes]) if tree_begin is None else tree_begin
    check_begin("tree_begin", begin, n_nodes)
    _require(begin[1:] > begin[:-1], "tree {at} has no nodes")
    first = np.repeat(begin[:-1], np.diff(begin))
    arrays = {**arrays, "n_children": _children(arrays["parent"], begin)}
    _check_statistics(arrays, first, schema)
    _check_lists(arrays)
    features = _Features(schema)
    leaf = arrays["n_children"] == 0
    if "decided" in arrays:
        decided = arrays["decided"]
        sound = (decided >= -1) & (decided < max(schema.n_classes, 1)) & (leaf | (decided == -1))
        sound &= not schema.outputs
        _require(sound, "what was decided for node {at} is no class of a leaf")
    splits = _Splits.owned(arrays, "split_")
    _check_splits(splits, features, arrays["n_children"][splits.owner], "split")
    _check_default_branches(arrays, splits)
    _require(
        leaf | (arrays["default_branch"] != -1) | (not schema.outputs),
        "node {at} shares rows, which a tree of several targets does not",
    )
    competitors = _Splits.owned(arrays, "competitor_")
    # A competitor has as many branches as its own table needs, and one for what that leaves unanswered.
    limits = np.where(np.isin(competitors.kind, (TABLE, INTERVALS)), competitors.sizes + 1, 2)
    _check_splits(competitors, features, limits, "competitor")
    for name in ("split_begin", "competitor_begin"):
        _require(~leaf | (np.diff(arrays[name]) == 0), f"leaf {{at}} owns splits ({name})")
    _require(leaf | (np.diff(arrays["split_begin"]) > 0), "node {at} has branches but no split")
    inner = np.flatnonzero(~leaf)
    kind = splits.kind[arrays["split_begin"][inner]]
    wide = (arrays["n_children"][inner] > 2) & ~np.isin(kind, (TABLE, INTERVALS))
    _require(~wide, "a node has more branches than its split tells apart")
    if EQUATION + "begin" in arrays:
        _require(np.array([len(begin) == 2]), "only one tree may have equations")
        _check_equations(arrays, features, schema)


def check_begin(name: str, begin: NDArray[np.int64], total: int) -> None:
    """Raise `ModelFileError` unless `begin` cuts `total` entries into consecutive parts."""
    good = len(begin) > 0 and begin[0] == 0 and begin[-1] == total and np.all(begin[1:] >= begin[:-1])
    if not good:
        raise ModelFileError(f"the model is broken: {name} does not cut its {total} entries into parts")


def _require(good: Any, sentence: str) -> None:
    """Raise an error that names the first entry that is not good."""
    if not good.all():
        raise ModelFileError(f"the model is broken: {sentence.format(at=int(np.argmin(good)))}")


def _check_layout(arrays: Arrays, n_values: int) -> None:
    """Check names, types and lengths of the arrays against each other."""
    expected = _expected(arrays)
    if arrays.keys() != expected.keys():
        odd = sorted(arrays.keys() ^ expected.keys())
        raise ModelFileError(f"the model is broken: arrays {odd} are missing or unknown")
    for name, dtype in expected.items():
        shape = _shape(name, arrays, n_values)
        if arrays[name].dtype != dtype or arrays[name].shape != shape:
            raise ModelFileError(
                f"the model is broken: {name} should hold {dtype} in shape {shape}, "
                f"not {arrays[name].dtype} in shape {arrays[name].shape}"
            )


def _expected(arrays: Arrays) -> dict[str, np.dtype[Any]]:
    """Give the types of the arrays that there should be, some of which only trees of some kinds have."""
    expected = dict(NODE_ARRAYS)
    for prefix in ("split_", "competitor_"):
        expected |= {prefix + name: dtype for name, dtype in COLUMN_TYPES.items()}
    optional: dict[str, np.dtype[Any]] = {
        "split_adjusted": np.dtype(np.float64),  # there are surrogates
        "observed": np.dtype(np.float64),  # predictions are smoothed
        "decided": np.dtype(np.int32),  # by hand
    }
    expected |= {name: dtype for name, dtype in optional.items() if name in arrays}
    if EQUATION + "begin" in arrays:  # leaves are linear
        expected |= {EQUATION + name: dtype for name, dtype in EQUATION_ARRAYS.items()}
    return expected


def _shape(name: str, arrays: Arrays, n_values: int) -> tuple[int, ...]:
    """Give the shape that an array should have beside the others."""
    n_nodes = arrays["parent"].size
    if name in ("node_value", "observed"):
        return (n_nodes, n_values)
    if name in ("split_begin", "competitor_begin", EQUATION + "begin"):
        return (n_nodes + 1,)
    if name in (EQUATION + "fill", EQUATION + "range"):
        return (2 if name.endswith("range") else arrays[name].size,)
    if name.startswith(EQUATION) and not name.endswith("constant"):
        return (arrays[EQUATION + "feature"].size,)
    if name.startswith(("split_", "competitor_")):
        prefix = name[: name.index("_") + 1]
        of_pool = name.endswith(("pool_index", "pool_value"))
        return (arrays[prefix + ("pool_index" if of_pool else "kind")].size + name.endswith("begin"),)
    return (n_nodes,)


def _children(parent: NDArray[np.int32], begin: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the children of each node, after proving that each tree is one and numbered in preorder."""
    n_children = np.empty(len(parent), np.int64)
    for tree, (first, last) in enumerate(pairwise(begin.tolist())):
        try:
            n_children[first:last] = np.diff(_core.children(parent[first:last])[0])
        except ValueError as problem:
            raise ModelFileError(f"the model is broken: in tree {tree} {problem}") from None
    _require(n_children != 1, "the number of branches of node {at} is not 0, 2 or more")
    return n_children


def _check_statistics(arrays: Arrays, first: NDArray[np.int64], schema: Schema) -> None:
    """Prove that the statistics of branches are no more than those of their node."""
    count, weight, value, parent = (arrays[name] for name in ("count", "weight", "node_value", "parent"))
    with np.errstate(over="ignore"):
        _require(np.isfinite(weight * arrays["impurity"]), "weight and impurity of node {at} are too large")
    _require(count >= 0, "the count of node {at} is negative")
    _require(weight >= 0, "the weight of node {at} is negative")
    slack = TOLERANCE * weight[first]
    if schema.classes is not None:
        _require((value >= 0).all(axis=1), "node {at} has a class of negative weight")
        by_target = value.reshape(len(value), schema.n_outputs, -1)
        _require(np.all(np.any(by_target, axis=2), axis=1), "node {at} has no class of any weight")
        # An empty branch keeps its parent's value: it predicts what its parent would.
        total = by_target.sum(axis=2)
        apart = np.any(
            np.abs(total - weight[:, None]) > np.maximum(slack, TOLERANCE * weight)[:, None], axis=1
        )
        _require(~apart | (weight == 0), "the class weights of node {at} do not sum to its weight")
        for place, output in enumerate(schema.outputs):
            beyond = by_target[:, place, len(np.asarray(output.classes)) :]
            _require(~beyond.any(axis=1), "node {at} has weight of a class that a target has not")
    _require((weight > 0)[first], "the root above node {at} weighs nothing")
    below = np.flatnonzero(parent >= 0)
    above = parent[below] + first[below]
    _require(count[below] <= count[above], "branch {at} has more rows than its node")
    total = np.bincount(above, weight[below], minlength=len(count))
    _require(total <= weight + slack, "the branches of node {at} weigh more than the node")
    rows = np.bincount(above, count[below], minlength=len(count))
    shared = arrays["default_branch"] == -1  # a shared row counts in every branch
    _require((rows <= count) | shared, "the branches of node {at} have more rows than the node")
    leaf = arrays["n_children"] == 0
    _require(~leaf | (arrays["merit"] == 0), "leaf {at} has the gain of a split")


def _check_lists(arrays: Arrays) -> None:
    for prefix in ("split_", "competitor_"):
        check_begin(prefix + "begin", arrays[prefix + "begin"], len(arrays[prefix + "kind"]))
        check_begin(prefix + "pool_begin", arrays[prefix + "pool_begin"], len(arrays[prefix + "pool_index"]))


class _Features:
    """What the splits may do with each feature."""

    def __init__(self, schema: Schema) -> None:
        self.n_categories = np.array([len(column.categories) for column in schema.columns])
        self.categorical = np.array([column.kind == "categorical" for column in schema.columns], bool)
        ordinal = np.array([column.kind == "ordinal" for column in schema.columns], bool)
        self.without_values = ordinal & (self.n_categories == 0)

    def in_range(self, feature: NDArray[np.int32]) -> NDArray[np.bool_]:
        return (feature >= 0) & (feature < len(self.categorical))


@dataclass(frozen=True)
class _Splits:
    """The columns of a split table, with the owner of each split and of each pool entry."""

    kind: NDArray[np.uint8]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    score: NDArray[np.float64]
    index: NDArray[np.int32]
    value: NDArray[np.float64]
    sizes: NDArray[np.int64]
    owner: NDArray[np.int64]
    entry_owner: NDArray[np.int64]

    @classmethod
    def owned(cls, arrays: Arrays, prefix: str) -> _Splits:
        kind, feature, threshold, score = (
            arrays[prefix + name] for name in ("kind", "feature", "threshold", "score")
        )
        n_owned, sizes = np.diff(arrays[prefix + "begin"]), np.diff(arrays[prefix + "pool_begin"])
        owner, entry_owner = (
            np.repeat(np.arange(len(n_owned)), n_owned),
            np.repeat(np.arange(len(sizes)), sizes),
        )
        index, value = arrays[prefix + "pool_index"], arrays[prefix + "pool_value"]
        return cls(kind, feature, threshold, score, index, value, sizes, owner, entry_owner)


def _check_splits(splits: _Splits, features: _Features, n_branches: NDArray[Any], word: str) -> None:
    """Prove that each split speaks of features of its kind and leads to branches there are."""
    kind, feature, sizes = splits.kind, splits.feature, splits.sizes
    table, single = kind == TABLE, np.isin(kind, (THRESHOLD, TABLE, INTERVALS))
    oblique = np.isin(kind, (HYPERPLANE, SPHERE))
    _require(single | oblique, f"{word} {{at}} is of an unknown kind")
    _require(
        np.where(single, features.in_range(feature), feature == -1), f"{word} {{at}} has no such feature"
    )
    of_category = single & features.categorical[np.where(single, feature, 0)]
    _require(of_category == table, f"{word} {{at}} does not suit the kind of its feature")
    known = (kind == THRESHOLD) & (splits.threshold == np.inf)  # known against missing
    _require(np.isfinite(splits.threshold) | known, f"the threshold of {word} {{at}} is not finite")
    cuts_nothing = single & ~known & features.without_values[np.where(single, feature, 0)]
    _require(~cuts_nothing, f"{word} {{at}} cuts a feature without values")
    _require((sizes > 0) == (kind != THRESHOLD), f"the pool of {word} {{at}} does not suit its kind")
    _check_pools(splits, features, n_branches, word)


def _check_pools(splits: _Splits, features: _Features, n_branches: NDArray[Any], word: str) -> None:
    """Prove that pools name categories or features there are, in order, with sound numbers."""
    index, value, owner = splits.index, splits.value, splits.entry_owner
    in_table, in_sphere, is_cut = (splits.kind[owner] == kind for kind in (TABLE, SPHERE, INTERVALS))
    n_categories = features.n_categories[np.where(in_table, splits.feature[owner], 0)]
    _require(~in_table | ((index >= 0) & (index < n_categories)), "pool entry {at} names no category")
    of_feature = ~in_table & ~is_cut
    _require(~of_feature | features.in_range(index), "pool entry {at} names no feature")
    numeric = ~features.categorical[np.where(of_feature, index, 0)]
    _require(~of_feature | numeric, "pool entry {at} names a categorical feature")
    without_values = features.without_values[np.where(of_feature, index, 0)]
    _require(~of_feature | ~without_values, "pool entry {at} names a feature without values")
    _require(np.isfinite(value), "pool entry {at} is not finite")
    branch = (value >= 0) & (value < n_branches[owner]) & (value == np.floor(value))
    _require(~in_table | branch, "pool entry {at} leads to no branch")
    _require((splits.kind != SPHERE) | (splits.sizes % 2 == 0), f"the pool of {word} {{at}} is not in pairs")
    starts = np.repeat(np.cumsum(splits.sizes) - splits.sizes, splits.sizes)
    second = in_sphere & ((np.arange(len(index)) - starts) % 2 == 1)
    _require(~second | (value >= 0), "pool entry {at} is a negative scale")
    step = np.diff(index, prepend=-1)
    first_entry = starts == np.arange(len(index))
    _require(first_entry | np.where(second, step == 0, step > 0), "pool entry {at} is out of order")
    place = np.arange(len(index)) - starts
    _require(~is_cut | (index == place + 1), "pool entry {at} leads to no branch")
    rising = first_entry | (np.diff(value, prepend=-np.inf) > 0)
    _require(~is_cut | rising, "pool entry {at} is a cut out of order")
    cuts = splits.kind == INTERVALS
    _require(~cuts | (splits.sizes < n_branches), f"{word} {{at}} has more cuts than branches")


def _check_equations(arrays: Arrays, features: _Features, schema: Schema) -> None:
    """Prove that equations speak of numbers and categories there are, and are held to a range."""
    _require(np.array([schema.classes is None]), "a tree that predicts classes has equations")
    feature, code, fill = (arrays[EQUATION + name] for name in ("feature", "code", "fill"))
    check_begin(EQUATION + "begin", arrays[EQUATION + "begin"], len(feature))
    _require(
        np.array([len(fill) == len(features.n_categories)]), "not every feature has a fill for equations"
    )
    _require(features.in_range(feature), "term {at} names no feature")
    sizes = features.n_categories[np.where(features.in_range(feature), feature, 0)]
    _require(np.where(sizes > 0, (code >= 0) & (code < sizes), code == -1), "term {at} names no category")
    is_place = (fill >= 0) & (fill < np.maximum(features.n_categories, 1)) & (fill == np.floor(fill))
    _require((features.n_categories == 0) | is_place, "the fill of feature {at} is no category of it")
    low, high = arrays[EQUATION + "range"].tolist()
    _require(np.array([low <= high]), "equations are held to no range")


def _check_default_branches(arrays: Arrays, splits: _Splits) -> None:
    """Prove that unanswered rows have somewhere to go and that no split sends every row one way."""
    branch, n_children = arrays["default_branch"], arrays["n_children"]
    leaf = n_children == 0
    _require(
        np.where(leaf, branch == -1, (branch >= -2) & (branch < n_children)),
        "the default branch of node {at} is out of range",
    )
    lowest, highest = np.full(len(splits.kind), np.inf), np.full(len(splits.kind), -np.inf)
    np.minimum.at(lowest, splits.entry_owner, splits.value)
    np.maximum.at(highest, splits.entry_owner, splits.value)
    one_way = (splits.kind == TABLE) & (lowest == highest) & (branch[splits.owner] == lowest)
    _require(~one_way, "split {at} sends every row to one branch")
