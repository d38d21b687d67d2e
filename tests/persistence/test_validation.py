"""Validation: arrays that are no trees are refused, and what is let through does no harm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers.trees import TREES, Inner, Leaf, build, mixed_schema, random_rows
from treewright.data import Column, Schema
from treewright.errors import ModelFileError
from treewright.persistence import trees as saved
from treewright.persistence.schema import schema_to_dict
from treewright.tree import Tree
from treewright.tree.splits import Table, Threshold

INTEGERS = [-1, 0, 1, 2, -2, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]
FLOATS = [np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e308, -1.0, 0.5, 2.0, 1e9]


def use(tree: Tree) -> None:
    """Do with a tree whatever can be done with one."""
    numbers, codes = random_rows(1)
    tree.predict_value(numbers, codes, 1)
    str(tree), tree._repr_html_(), tree.to_dict(), tree.compute_feature_importances(), tree.node_depth
    assert saved.tree_from_bytes(saved.tree_to_bytes(tree)) == tree


def lowest(array: Any) -> Any:
    return np.iinfo(array.dtype).min


def highest(array: Any) -> Any:
    return np.iinfo(array.dtype).max


@pytest.mark.parametrize("name", TREES)
def test_every_entry_set_to_every_extreme_is_refused_or_harmless(name: str) -> None:
    header, arrays = saved.tree_to_parts(TREES[name])
    n_nodes = len(TREES[name])
    accepted = refused = 0
    for array_name, array in arrays.items():
        for at in range(array.size):
            extremes = FLOATS if array.dtype.kind == "f" else [*INTEGERS, at, n_nodes, n_nodes + 1]
            for extreme in extremes:
                if array.dtype.kind != "f" and not lowest(array) <= extreme <= highest(array):
                    continue
                changed = array.copy()
                changed.flat[at] = extreme
                try:
                    tree = saved.tree_from_parts(header, arrays | {array_name: changed})
                except ModelFileError:
                    refused += 1
                else:
                    use(tree)
                    accepted += 1
    assert refused > accepted


@pytest.mark.parametrize("name", TREES)
def test_damage_at_several_places_is_refused_or_harmless(name: str) -> None:
    random = np.random.default_rng(0)
    header, arrays = saved.tree_to_parts(TREES[name])
    names = [name for name, array in arrays.items() if array.size]
    for _ in range(300):
        changed = dict(arrays)
        for array_name in random.choice(names, random.integers(2, 4)):
            array = changed[array_name].copy()
            values = FLOATS if array.dtype.kind == "f" else [-1, 0, 1, 2, 3, 4]
            with np.errstate(all="ignore"):
                array.flat[random.integers(array.size)] = np.array(random.choice(values)).astype(array.dtype)
            changed[array_name] = array
        try:
            tree = saved.tree_from_parts(header, changed)
        except ModelFileError:
            continue
        use(tree)


@pytest.mark.parametrize("name", TREES)
def test_arrays_missing_added_or_of_another_shape_are_refused(name: str) -> None:
    header, arrays = saved.tree_to_parts(TREES[name])
    changes = [arrays | {"extra": np.eye(1)}]
    for array_name, array in arrays.items():
        other_type = np.int64 if array.dtype == np.float64 else np.float64
        longer = np.concatenate([array, array[-1:]]) if array.size else array[..., None]
        changes += [arrays | {array_name: other} for other in (longer, array.astype(other_type), array[None])]
        if array_name != "costs":  # there need not be any
            changes.append({name: array for name, array in arrays.items() if name != array_name})
    for changed in changes:
        with pytest.raises(ModelFileError):
            saved.tree_from_parts(header, changed)


def broken(name: str, **entries: tuple[Any, float]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return header and arrays of a tree in which some entries are changed, as ``array=(index, value)``."""
    header, arrays = saved.tree_to_parts(TREES[name])
    for array_name, (at, value) in entries.items():
        arrays[array_name] = arrays[array_name].copy()
        arrays[array_name][at] = value
    return header, arrays


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (broken("deep", parent=(0, 0)), "in tree 0 the first node must be the root"),
        (broken("deep", parent=(3, 3)), "in tree 0 node 3 does not come after its parent in preorder"),
        (broken("deep", parent=(3, -1)), "in tree 0 node 3 does not come after its parent in preorder"),
        (broken("deep", parent=(4, 2)), "in tree 0 node 4 does not come after its parent in preorder"),
        (broken("deep", parent=(3, 0)), "the number of branches of node 1 is not 0, 2 or more"),
        (broken("deep", default_branch=(0, 2)), "the default branch of node 0 is out of range"),
        (broken("deep", default_branch=(2, 0)), "the default branch of node 2 is out of range"),
        (broken("deep", weight=(3, np.nan)), "the weight of node 3 is not finite"),
        (broken("deep", weight=(3, -1.0)), "the weight of node 3 is negative"),
        (broken("deep", weight=(0, 0.0)), "the root above node 0 weighs nothing"),
        (broken("deep", count=(3, -1)), "the count of node 3 is negative"),
        (broken("deep", count=(3, 3)), "has more rows than its node"),
        (broken("deep", count=(3, 2)), "the branches of node 1 have more rows than the node"),
        (broken("deep", node_value=((3, 0), -1.0)), "node 3 has a class of negative weight"),
        (broken("deep", node_value=((3, 0), 2.0)), "the class weights of node 3 do not sum to its weight"),
        (
            broken("deep", weight=(3, 2.0), node_value=((3, 1), 2.0)),
            "the branches of node 1 weigh more than the node",
        ),
        (broken("deep", merit=(2, 1.0)), "leaf 2 has the gain of a split"),
        (broken("deep", split_feature=(1, 5)), "split 1 has no such feature"),
        (broken("deep", split_feature=(1, 1)), "split 1 does not suit the kind of its feature"),
        (broken("subset", split_feature=(0, 0)), "split 0 does not suit the kind of its feature"),
        (broken("deep", split_kind=(1, 9)), "split 1 is of an unknown kind"),
        (broken("deep", split_threshold=(1, -np.inf)), "the threshold of split 1 is not finite"),
        (broken("hyperplane", split_threshold=(0, np.inf)), "the threshold of split 0 is not finite"),
        (broken("deep", split_begin=(1, 2)), "has branches but no split"),
        (broken("deep", split_begin=(2, 1)), "owns splits"),
        (broken("deep", split_begin=(2, 5)), "split_begin does not cut"),
        (broken("subset", split_pool_begin=(1, 2)), "split_pool_begin does not cut"),
        (broken("subset", split_pool_index=(2, 4)), "pool entry 2 names no category"),
        (broken("subset", split_pool_index=(2, 1)), "pool entry 2 is out of order"),
        (broken("subset", split_pool_value=(1, 2.0)), "pool entry 1 leads to no branch"),
        (broken("subset", split_pool_value=(1, 0.5)), "pool entry 1 leads to no branch"),
        (broken("hyperplane", split_pool_index=(1, 1)), "pool entry 1 names a categorical feature"),
        (broken("hyperplane", split_pool_index=(1, 9)), "pool entry 1 names no feature"),
        (broken("hyperplane", split_pool_value=(1, np.nan)), "pool entry 1 is not finite"),
        (broken("sphere", split_pool_value=(3, -1.0)), "pool entry 3 is a negative scale"),
        (broken("sphere", split_pool_index=(3, 3)), "pool entry 3 is out of order"),
        (broken("interval", split_pool_value=(1, 0.5)), "pool entry 1 is a cut out of order"),
        (broken("interval", split_pool_index=(1, 3)), "pool entry 1 leads to no branch"),
        (broken("interval", split_feature=(0, 1)), "does not suit the kind of its feature"),
        (broken("sphere", costs=((0, 1), np.nan)), "its costs are no finite 2 × 2 matrix"),
        (broken("leaf", tree_begin=(1, 2)), "tree_begin does not cut"),
    ],
)
def test_a_broken_tree_is_refused_in_one_sentence(parts: Any, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        saved.tree_from_parts(*parts)


def test_a_split_that_sends_every_row_one_way_is_refused() -> None:
    plan = Inner(Table(1, {0: 1, 1: 1}, 2), [Leaf(1, [1, 0]), Leaf(1, [0, 1])], 1)
    with pytest.raises(ModelFileError, match="split 0 sends every row to one branch"):
        saved.tree_to_bytes(build(mixed_schema(), plan))
    known = Inner(Table(1, {0: 1, 1: 1}, 2), [Leaf(1, [1, 0]), Leaf(1, [0, 1])], 0)  # known against missing
    assert saved.tree_to_bytes(build(mixed_schema(), known))


def test_a_threshold_cannot_choose_among_three_branches() -> None:
    plan = Inner(Threshold(0, 0.5), [Leaf(1, [1, 0]), Leaf(1, [0, 1]), Leaf(1, [0, 1])])
    with pytest.raises(ModelFileError, match="more branches than its split tells apart"):
        saved.tree_to_bytes(build(mixed_schema(), plan))


def test_trees_cannot_reach_into_each_other() -> None:
    header, arrays = saved.trees_to_parts([TREES["deep"], TREES["deep"]])
    for name, at, value in [
        ("tree_begin", 1, 4),
        ("tree_begin", 1, 10),
        ("parent", 5, 0),
    ]:
        changed = arrays[name].copy()
        changed[at] = value
        with pytest.raises(ModelFileError, match="the model is broken"):
            saved.trees_from_parts(header, arrays | {name: changed})


def test_a_schema_that_does_not_fit_is_refused() -> None:
    _, arrays = saved.tree_to_parts(TREES["deep"])
    with pytest.raises(ModelFileError):
        saved.tree_from_parts({}, arrays)
    with pytest.raises(ModelFileError):
        saved.tree_from_parts({"schema": schema_to_dict(mixed_schema(3))}, arrays)
    with pytest.raises(ModelFileError):
        saved.tree_from_parts({"schema": schema_to_dict(Schema((Column("a"),), np.array([0, 1])))}, arrays)


def test_a_note_that_is_no_short_text_is_refused() -> None:
    header, arrays = saved.tree_to_parts(next(iter(TREES.values())))
    assert saved.tree_from_parts(header | {"note": "as it was"}, arrays).note == "as it was"
    for note in (3, None, "x" * 2000):
        with pytest.raises(ModelFileError, match="its note is no short text"):
            saved.tree_from_parts(header | {"note": note}, arrays)
