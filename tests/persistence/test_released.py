"""Model files and pickles of every released version load, and predict what they predicted then."""

from __future__ import annotations

import gzip
import json
import pickle
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from released_models import expected, with_missing_values
from treewright.errors import ModelFileError
from treewright.persistence.schema import schema_to_dict
from treewright.persistence.trees import tree_from_parts
from treewright.persistence.version_1 import renumbered

RELEASED = Path(__file__).parent.parent / "released"
FILES = sorted(RELEASED.glob("*/*.tw"))


def table_of(path: Path) -> Any:
    name = path.stem.split("-")[0]
    return getattr(tw.datasets, f"load_{name}")(frame="pandas")[0]


def predictions(path: Path) -> Any:
    return json.loads((path.parent / "predictions.json").read_text())[path.stem]


def test_there_are_files_of_every_release() -> None:
    assert {path.parent.name for path in FILES} >= {"0.1.0"}
    for folder in RELEASED.iterdir():
        assert set(json.loads((folder / "predictions.json").read_text())) == {
            path.stem for path in folder.glob("*.tw")
        }


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_released_model_predicts_as_it_did(path: Path) -> None:
    predicts_as_then(tw.load(path), path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_model_pickled_by_a_released_version_predicts_as_it_did(path: Path) -> None:
    if int(np.__version__.split(".")[0]) < 2:
        pytest.skip("the pickles were made with NumPy 2, which older versions cannot read")
    model = pickled(path.parent)[path.stem]
    predicts_as_then(model, path)
    assert type(model).__module__ == "treewright"
    again = pickle.loads(pickle.dumps(model))
    assert expected(again, table_of(path)) == expected(model, table_of(path))


@cache
def pickled(folder: Path) -> dict[str, Any]:
    """The models of a release, as other modules of it were called then."""
    models: dict[str, Any] = pickle.loads(gzip.decompress((folder / "models.pickle.gz").read_bytes()))
    return models


def predicts_as_then(model: Any, path: Path) -> None:
    X, then = table_of(path), predictions(path)
    assert expected(model, X) == then["rows"]
    assert expected(model, with_missing_values(X)) == then["with missing values"]
    if then["leaves"] is not None:  # the same leaves, whatever their numbers
        now = np.asarray(model.apply(X))
        for leaf, leaf_then in zip(
            now.reshape(len(X), -1).T, np.reshape(then["leaves"], (len(X), -1)).T, strict=True
        ):
            pairs = set(zip(leaf.tolist(), leaf_then.tolist(), strict=True))
            assert len(pairs) == len(set(leaf.tolist())) == len(set(leaf_then.tolist()))


@pytest.mark.parametrize("as_pickle", [False, True])
def test_a_released_forest_draws_again_the_rows_that_it_has_grown_on(as_pickle: bool, tmp_path: Path) -> None:
    folder = RELEASED / "0.1.0"
    forest = pickled(folder)["labor-forest"] if as_pickle else tw.load(folder / "labor-forest.tw")
    forest.save(tmp_path / "again.tw")
    labels = tw.datasets.load_labor()[1]
    codes = [list(forest.classes_).index(label) for label in labels]
    for model in (forest, tw.load(tmp_path / "again.tw"), pickle.loads(pickle.dumps(forest))):
        for at, tree in enumerate(model.trees_):
            drawn = np.bincount(codes, weights=model.draws_.times(at))
            assert drawn.tolist() == tree.node_value[0].tolist()


def test_trees_of_version_1_are_renumbered_or_refused() -> None:
    tree = tw.load(RELEASED / "0.1.0" / "labor-surrogate.tw").tree_
    arrays, header = side_by_side(tree), {"schema": schema_to_dict(tree.schema)}
    again = renumbered(arrays)
    assert again.keys() == tree.arrays().keys() | {"tree_begin"}
    assert all(np.array_equal(again[name], array) for name, array in tree.arrays().items())
    rng = np.random.default_rng(0)
    for name, array in arrays.items():
        for odd in (-1, 0, 1, 2**31 - 1, len(array)) if array.size else ():
            changed = array.copy()
            changed.flat[rng.integers(array.size)] = np.array(odd).astype(array.dtype)
            for broken in (changed, array[:-1], array.astype(np.int16)):
                with suppress(ModelFileError):
                    tree_from_parts(
                        {"schema": schema_to_dict(tree.schema)}, renumbered(arrays | {name: broken})
                    )
        if name == "split_adjusted":  # there need not be any
            continue
        with pytest.raises(ModelFileError):
            tree_from_parts(header, renumbered({other: arrays[other] for other in arrays.keys() - {name}}))


def side_by_side(tree: tw.Tree) -> dict[str, Any]:
    """The arrays that version 1 had of a tree: siblings have consecutive ids, subtree by subtree."""
    order, first = [0], {}
    stack = [0]
    while stack:
        node = stack.pop()
        first[node] = len(order)
        order += tree.children(node)
        stack += reversed(tree.children(node))
    place = np.argsort(order)
    arrays = {name: tree.arrays()[name] for name in tree.arrays()}
    for name in ("parent", "default_branch", "count", "weight", "node_value", "impurity", "risk", "merit"):
        arrays[name] = arrays[name][order]
    arrays["parent"] = np.where(arrays["parent"] < 0, -1, place[arrays["parent"]]).astype(np.int32)
    arrays["n_children"] = tree.n_children[order]
    arrays["first_child"] = np.array(
        [first[node] if tree.n_children[node] else -1 for node in order], np.int32
    )
    for prefix in ("split_", "competitor_"):
        begin = arrays[prefix + "begin"]
        taken = [split for node in order for split in range(begin[node], begin[node + 1])]
        pools = arrays[prefix + "pool_begin"]
        entries = [entry for split in taken for entry in range(pools[split], pools[split + 1])]
        arrays[prefix + "begin"] = np.cumsum([0, *np.diff(begin)[order]])
        arrays[prefix + "pool_begin"] = np.cumsum([0, *np.diff(pools)[taken]])
        for name in ("kind", "feature", "threshold", "score", "adjusted"):
            if prefix + name in arrays:
                arrays[prefix + name] = arrays[prefix + name][taken]
        for name in ("pool_index", "pool_value"):
            arrays[prefix + name] = arrays[prefix + name][entries]
    arrays["value"] = arrays.pop("node_value")
    return arrays | {"tree_begin": np.array([0, len(tree)])}
