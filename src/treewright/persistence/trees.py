"""Trees as header and arrays of a model file, and back after proof that they are trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.persistence.container import Arrays, Header, dumps, loads, version_of
from treewright.persistence.schema import schema_from_dict, schema_to_dict
from treewright.persistence.validation import validate
from treewright.tree import Tree
from treewright.tree.equations import PREFIX as EQUATION

LONGEST_NOTE = 1000


def trees_to_parts(trees: Sequence[Tree]) -> tuple[Header, Arrays]:
    """Return header and arrays of trees that share one schema, for `write_model`.

    The arrays of the trees are set one after the other; ``tree_begin`` says where each tree's nodes begin.
    """
    if len(trees) > 1 and any(tree.equations is not None for tree in trees):
        raise ValueError("trees with linear leaves are saved one by one")
    every = [tree.arrays() for tree in trees]
    if any(tree.observed is not None for tree in trees):
        every = [{"observed": tree.node_value} | one for tree, one in zip(trees, every, strict=True)]
    if any(tree.decided is not None for tree in trees):
        every = [
            {"decided": np.full(len(tree), -1, np.int32)} | one
            for tree, one in zip(trees, every, strict=True)
        ]
    if any("split_adjusted" in one for one in every):  # some trees of a forest may have no surrogates
        every = [{"split_adjusted": np.zeros(len(one["split_kind"]))} | one for one in every]
    arrays = {
        name: _join_begins([one[name] for one in every])
        if name.endswith("begin")
        else np.concatenate([one[name] for one in every])
        for name in every[0]
    }
    tree_begin = np.cumsum([0, *map(len, trees)], dtype=np.int64)
    validate(arrays, trees[0].schema, tree_begin)
    arrays["tree_begin"] = tree_begin
    if trees[0].costs is not None:
        arrays["costs"] = trees[0].costs
    return {"schema": schema_to_dict(trees[0].schema)}, arrays


def trees_from_parts(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> list[Tree]:
    """Return the trees of a model file, after proving that they are trees."""
    schema = schema_from_dict(header.get("schema", {}))
    rest = dict(arrays)
    costs, tree_begin = rest.pop("costs", None), rest.pop("tree_begin", None)
    if tree_begin is None or tree_begin.dtype != np.int64 or tree_begin.ndim != 1:
        raise ModelFileError("the model is broken: it does not say where its trees begin")
    n_classes = schema.n_classes
    if costs is not None and (
        schema.outputs
        or costs.dtype != float
        or costs.shape != 2 * (n_classes,)
        or not np.isfinite(costs).all()
    ):
        raise ModelFileError(f"the model is broken: its costs are no finite {n_classes} × {n_classes} matrix")
    validate(rest, schema, tree_begin)
    return [
        Tree.from_arrays(schema, _cut(rest, begin, end), costs)
        for begin, end in pairwise(tree_begin.tolist())
    ]


def tree_to_parts(tree: Tree) -> tuple[Header, Arrays]:
    """Return header and arrays of one tree, for `write_model`."""
    header, arrays = trees_to_parts([tree])
    return header | ({"note": tree.note} if tree.note else {}), arrays


def tree_from_parts(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Tree:
    """Return the one tree of a model file, after proving that it is a tree."""
    trees = trees_from_parts(header, arrays)
    if len(trees) != 1:
        raise ModelFileError(f"the model is broken: it should hold one tree and holds {len(trees)}")
    note = header.get("note", "")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise ModelFileError("the model is broken: its note is no short text")
    return replace(trees[0], note=note) if note else trees[0]


def tree_to_bytes(tree: Tree) -> bytes:
    """Return a tree as the bytes of a model file: what a pickle holds."""
    header, arrays = tree_to_parts(tree)
    return dumps({"kind": "tree", **header}, arrays)


def tree_from_bytes(data: bytes) -> Tree:
    """Return the tree in the bytes of a model file, after proving that it is a tree."""
    tree = tree_from_parts(*loads(data))
    if version_of(data) == 1:
        vars(tree)["numbered_anew"] = True  # what else its pickle says of nodes has other numbers
    return tree


def _join_begins(begins: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Join arrays that each begin with 0 and end with a total."""
    totals = np.cumsum([0, *(begin[-1] for begin in begins)], dtype=np.int64)
    shifted = [begin[:-1] + total for begin, total in zip(begins, totals[:-1], strict=True)]
    return np.concatenate([*shifted, totals[-1:]])


def _cut(arrays: Mapping[str, NDArray[Any]], begin: int, end: int) -> Arrays:
    """Return the arrays of the tree with the nodes ``begin:end`` out of those of all trees."""
    tree: Arrays = {}
    for prefix in ("split_", "competitor_"):
        splits = arrays[prefix + "begin"][begin : end + 1]
        pools = arrays[prefix + "pool_begin"][splits[0] : splits[-1] + 1]
        tree[prefix + "begin"], tree[prefix + "pool_begin"] = splits - splits[0], pools - pools[0]
        for name in ("kind", "feature", "threshold", "score", "adjusted"):
            if prefix + name in arrays:
                tree[prefix + name] = arrays[prefix + name][splits[0] : splits[-1]]
        for name in ("pool_index", "pool_value"):
            tree[prefix + name] = arrays[prefix + name][pools[0] : pools[-1]]
    of_tree = {
        name: array for name, array in arrays.items() if name.startswith(EQUATION)
    }  # it is the only one
    return {name: array[begin:end] for name, array in arrays.items() if name not in tree} | tree | of_tree
