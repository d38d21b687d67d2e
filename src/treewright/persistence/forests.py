"""Forests as header and arrays of a model file, and back after validation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.criteria import CLASSIFICATION, REGRESSION
from treewright.data import Schema
from treewright.errors import ModelFileError
from treewright.forest.bootstrap import Draws
from treewright.forest.trees import LooseTrees, Trees
from treewright.persistence.container import Arrays, Header, dumps, loads, write_model
from treewright.persistence.parameters import described
from treewright.persistence.schema import schema_from_dict, schema_to_dict
from treewright.persistence.trees import trees_from_parts, trees_to_parts
from treewright.persistence.validation import check_begin, validate

if TYPE_CHECKING:
    from treewright.tree.model import ForestModel

NODE = np.dtype([("threshold", "<f8"), ("column", "<u4"), ("first_child", "<u4")])
MISSING_LEFT, TABLE_SPLIT, COLUMN = np.uint32(1 << 31), np.uint32(1 << 30), np.uint32((1 << 28) - 1)


def write_forest(forest: ForestModel, path: str | os.PathLike[str]) -> None:
    """Write a fitted forest to a model file."""
    header, arrays = trees_parts(forest._fitted_trees())
    draws = forest.draws_
    arrays["seeds"] = draws.seeds
    if draws.chance is not None:
        arrays["chance"] = draws.chance
    names = ("n_rows", "n_draws", "balanced", "splitmix")
    header["draws"] = {name: getattr(draws, name) for name in names}
    read_trees(header, arrays)  # what is written can be read
    write_model(path, header | described(forest), arrays)


def read_forest(forest: ForestModel, header: Header, arrays: Arrays) -> None:
    """Give an estimator the trees and draws of a model file."""
    trees, draws = read_trees(header, arrays)
    if forest._task != ("regression" if trees.schema.classes is None else "classification"):
        raise ModelFileError(f"the model is broken: a {header['kind']} cannot have its trees")
    forest._set_trees(trees, draws)


def read_trees(header: Header, arrays: Arrays) -> tuple[Trees, Draws]:
    """Return the trees and draws of a model file, after proving that they are sound."""
    rest = dict(arrays)
    seeds, chance = rest.pop("seeds", None), rest.pop("chance", None)
    trees = trees_of(header, rest)
    return trees, _draws(header, seeds, chance, len(trees))


def _draws(header: Header, seeds: NDArray[Any] | None, chance: NDArray[Any] | None, n_trees: int) -> Draws:
    said = header.get("draws")
    kinds = {"n_rows": int, "n_draws": int, "balanced": bool, "splitmix": bool}
    if isinstance(said, dict):
        said = {"splitmix": True} | said  # files of version 0.1 do not say it
    if not isinstance(said, dict) or {name: type(value) for name, value in said.items()} != kinds:
        raise ModelFileError("the model is broken: it does not say how its rows were drawn")
    if not (0 < said["n_rows"] < 2**32 and 0 <= said["n_draws"] < 2**48):
        raise ModelFileError("the model is broken: its numbers of rows and draws are out of range")
    if seeds is None or seeds.dtype != np.uint64 or seeds.shape != (n_trees,):
        raise ModelFileError("the model is broken: it has no seed for each of its trees")
    if chance is not None and (
        chance.dtype != np.float64
        or chance.shape != (said["n_rows"],)
        or not (np.isfinite(chance).all() and (chance >= 0).all() and chance.any())
    ):
        raise ModelFileError("the model is broken: its rows have no sound chances to be drawn")
    return Draws(said["n_rows"], seeds, said["n_draws"], chance, said["balanced"], said["splitmix"])


# ---- trees ---------------------------------------------------------------------------------------


def trees_parts(trees: Trees) -> tuple[Header, Arrays]:
    """Return header and arrays of trees; those in compact form stay so."""
    if isinstance(trees, LooseTrees):
        header, arrays = trees_to_parts(trees)
        return {**header, "criterion": trees.criterion}, arrays
    packed = trees.arrays
    node = packed["node"].view(NODE).ravel()
    tree_of = np.repeat(np.arange(len(trees)), np.diff(trees.node_begin))
    own_id = np.arange(trees.node_count) - trees.node_begin[tree_of]
    leaf = node["first_child"] == own_id
    table = (node["column"] & TABLE_SPLIT) != 0
    feature_of = _features_by_column(trees.schema)
    feature = np.full(len(node), -1, np.int32)
    for by_table in (False, True):
        of_kind = ~leaf & (table == by_table)
        feature[of_kind] = feature_of[by_table][node["column"][of_kind] & COLUMN]
    arrays = {
        "tree_begin": trees.node_begin,
        "first_child": np.where(leaf, -1, node["first_child"]).astype(np.int32),
        "feature": feature,
        "threshold": np.where(leaf | table, 0.0, node["threshold"]),
        "default_branch": ((node["column"] & MISSING_LEFT) == 0).astype(np.uint8),
        **{name: packed[name] for name in ("value", "count", "merit", "table_begin", "table_entry")},
    }
    if trees.schema.classes is None:
        arrays |= {name: packed[name] for name in ("weight", "risk")}
    return {"schema": schema_to_dict(trees.schema), "criterion": trees.criterion}, arrays


def trees_of(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Trees:
    """Return the trees of a model file, after proving that they are trees."""
    schema = schema_from_dict(header.get("schema", {}))
    criterion = header.get("criterion")
    if not isinstance(criterion, str) or criterion not in (
        REGRESSION if schema.classes is None else CLASSIFICATION
    ):
        raise ModelFileError(f"the model is broken: its criterion is {criterion!r}")
    if "table_entry" not in arrays:
        return LooseTrees(schema, criterion, trees_from_parts(header, arrays))
    _check_layout(arrays, schema)
    try:
        packed = _core.pack_columns(dict(arrays), schema.n_classes, schema.position, schema.n_categories)
    except ValueError as problem:
        raise ModelFileError(f"the model is broken: {problem}") from None
    trees = Trees(schema, criterion, packed)
    for tree in trees:
        validate(tree.arrays(), schema)
    return trees


def _check_layout(arrays: Mapping[str, NDArray[Any]], schema: Schema) -> None:
    """Check names, types and lengths of the compact arrays, and that features exist."""
    wide = (np.dtype(np.float32), np.dtype(np.float64))
    expected: dict[str, tuple[np.dtype[Any], ...]] = {
        "tree_begin": (np.dtype(np.int64),),
        "first_child": (np.dtype(np.int32),),
        "feature": (np.dtype(np.int32),),
        "threshold": (wide[1],),
        "default_branch": (np.dtype(np.uint8),),
        "value": wide,
        "count": (np.dtype(np.uint32),),
        "merit": (wide[1],),
        "table_begin": (np.dtype(np.int64),),
        "table_entry": (np.dtype(np.uint32),),
    }
    if schema.classes is None:
        expected |= {"weight": wide, "risk": (wide[1],)}
    wrong = [
        name for name, kinds in expected.items() if name not in arrays or arrays[name].dtype not in kinds
    ]
    if wrong or arrays.keys() != expected.keys():
        names = wrong or sorted(arrays.keys() ^ expected.keys())
        raise ModelFileError(
            f"the model is broken: array {names[0]!r} is missing, unknown or of a wrong type"
        )
    n_nodes = len(arrays["first_child"])
    by_node = {"first_child", "feature", "threshold", "default_branch", "count", "weight", "risk", "value"}
    for name in expected:
        width = (schema.n_outputs * max(schema.n_classes, 1),) if name == "value" else ()
        length = n_nodes if name in by_node else len(arrays[name])
        if arrays[name].shape != (length, *width):
            raise ModelFileError(f"the model is broken: array {name!r} has the shape {arrays[name].shape}")
    check_begin("tree_begin", arrays["tree_begin"], n_nodes)
    check_begin("table_begin", arrays["table_begin"], len(arrays["table_entry"]))
    if (np.diff(arrays["tree_begin"]) == 0).any() or not n_nodes:
        raise ModelFileError("the model is broken: one of its trees has no nodes")


def _features_by_column(schema: Schema) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the features whose columns lie in the matrices of numbers, and of codes."""
    found = []
    for coded in (False, True):
        features = np.flatnonzero((schema.n_categories > 0) == coded)
        found.append(features[np.argsort(schema.position[features])].astype(np.int32))
    return found[0], found[1]


# ---- bytes, for pickles --------------------------------------------------------------------------


def trees_to_bytes(trees: Trees) -> bytes:
    """Return trees as the bytes of a model file: what a pickle holds."""
    header, arrays = trees_parts(trees)
    return dumps({"kind": "trees", **header}, arrays)


def trees_from_bytes(data: bytes) -> Trees:
    """Return the trees in the bytes of a model file, after proving that they are trees."""
    return trees_of(*loads(data))
