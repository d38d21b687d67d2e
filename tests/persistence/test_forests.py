"""Forests come back from files and pickles, take little memory, and broken ones are refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import treewright as tw
from helpers.forests import KINDS, mixed
from treewright.errors import ModelFileError
from treewright.forest.trees import LooseTrees, Trees
from treewright.persistence.container import dumps, read_model, write_model


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["direction", "fractional"])
def test_a_forest_comes_back_from_a_file_and_from_a_pickle(kind: str, missing: str, tmp_path: Path) -> None:
    X, y = mixed()
    forest_kind, _, target = KINDS[kind](y)
    forest = forest_kind(5, random_state=0, missing=missing, max_features=3).fit(X, target)
    forest.save(tmp_path / "forest.tw")
    for same in (tw.load(tmp_path / "forest.tw"), pickle.loads(pickle.dumps(forest))):
        assert type(same) is forest_kind
        assert same.get_params() == forest.get_params()
        assert same.trees_ == forest.trees_
        assert np.array_equal(same.predict(X), forest.predict(X))
        assert all(map(np.array_equal, same.estimators_samples_, forest.estimators_samples_))
    assert isinstance(forest.trees_, LooseTrees) == (missing == "fractional")


def test_names_and_categories_are_kept_once(tmp_path: Path) -> None:
    X, y = mixed()
    forest = tw.RandomForestClassifier(50, random_state=0).fit(X, y)
    assert all(tree.schema is forest.trees_.schema for tree in forest.trees_)
    forest.save(tmp_path / "forest.tw")
    assert (tmp_path / "forest.tw").read_bytes().count(b"level 77") == 1


def test_two_classes_take_at_most_forty_bytes_a_node() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    trees = tw.RandomForestClassifier(100, random_state=0).fit(X, y).trees_
    assert trees.nbytes <= 40 * trees.node_count
    assert trees.nbytes == sum(array.nbytes for array in trees.arrays.values())


def test_broken_forests_are_refused(tmp_path: Path) -> None:
    X, y = mixed()
    forest = tw.RandomForestClassifier(3, random_state=0).fit(X, y)
    forest.save(tmp_path / "good.tw")
    header, arrays = read_model(tmp_path / "good.tw")
    rng = np.random.default_rng(0)
    refused = 0
    for name, array in sorted(arrays.items()):
        if name in ("seeds", "merit", "threshold", "value", "count"):
            continue  # any number of the right sign is a model
        for odd in (0, 1, -1, 2**31 - 1, len(array)):
            changed = array.copy()
            at = rng.integers(len(changed))
            changed[at] = np.array(odd).astype(array.dtype)
            if np.array_equal(changed, array):
                continue
            write_model(tmp_path / "odd.tw", header, {**arrays, name: changed})
            try:
                tw.load(tmp_path / "odd.tw").predict(X)
            except ModelFileError:
                refused += 1
    assert refused >= 15
    for name in arrays:
        rest = {key: array for key, array in arrays.items() if key != name}
        write_model(tmp_path / "odd.tw", header, rest)
        with pytest.raises(ModelFileError):
            tw.load(tmp_path / "odd.tw")
    for key in ("draws", "criterion"):
        rest = {name: value for name, value in header.items() if name != key}
        (tmp_path / "odd.tw").write_bytes(dumps(rest, arrays))
        with pytest.raises(ModelFileError, match="broken"):
            tw.load(tmp_path / "odd.tw")


def test_compact_trees_hold_any_binary_tree() -> None:
    X, y = mixed()
    trees = [tw.DecisionTreeClassifier(max_depth=depth).fit(X, y).tree_ for depth in range(1, 5)]
    packed = Trees.of(trees[0].schema, "gini", trees)
    assert type(packed) is Trees
    assert list(packed) == trees
    wide = tw.DecisionTreeClassifier(splits=("threshold", "multiway")).fit(X, y).tree_
    assert type(Trees.of(wide.schema, "gini", [wide])) is LooseTrees
