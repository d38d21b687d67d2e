"""Model files: what comes back, what is refused, and that a file is written whole or not at all."""

from __future__ import annotations

import errno
import io
import json
import os
import pickle
import struct
import zipfile
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.trees import TREES, Leaf, build, chain, random_tree, small_trees
from treewright import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.data import Column, Schema
from treewright.errors import ModelFileError
from treewright.persistence import container as model_file
from treewright.persistence.container import dumps, loads, read_model, write_model
from treewright.persistence.trees import (
    tree_from_bytes,
    tree_from_parts,
    tree_to_bytes,
    tree_to_parts,
    trees_from_parts,
    trees_to_parts,
)

# ---- there and back ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
def test_a_tree_comes_back_equal(name: str, tmp_path: Path) -> None:
    tree = TREES[name]
    header, arrays = tree_to_parts(tree)
    write_model(tmp_path / "any name", {"kind": "tree", **header}, arrays)
    assert tree_from_parts(*read_model(tmp_path / "any name")) == tree
    assert os.listdir(tmp_path) == ["any name"]


def test_header_and_arrays_come_back_as_they_were() -> None:
    header = {"kind": "test", "parameters": {"a": [1, 2.5, None, True, "ä\ud800"]}}
    arrays: dict[str, Any] = {
        "b": np.arange(3, dtype=np.int32),
        "a": np.eye(2),
        "none": np.empty((0, 4)),
        "u": np.array([7], np.uint8),
    }
    got_header, got_arrays = loads(dumps(header, arrays))
    assert got_header.pop("treewright")
    assert got_header == header
    assert got_arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        assert got_arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(got_arrays[name], array)
        assert not got_arrays[name].flags.writeable


def test_the_same_model_gives_the_same_bytes() -> None:
    for name, tree in TREES.items():
        assert tree_to_bytes(tree) == tree_to_bytes(small_trees()[name])


def test_the_safetensors_package_reads_the_same_arrays(tmp_path: Path) -> None:
    from safetensors import numpy as safetensors

    for seed in range(5):
        data = tree_to_bytes(random_tree(seed))
        theirs, ours = safetensors.load(data), loads(data)[1]
        assert theirs.keys() == ours.keys()
        for name, array in ours.items():
            np.testing.assert_array_equal(theirs[name], array)


def test_several_trees_share_one_schema() -> None:
    trees = [random_tree(seed, n_splits=seed % 5) for seed in range(20)]
    header, arrays = trees_to_parts(trees)
    header, arrays = loads(dumps({"kind": "forest", **header}, arrays))
    assert trees_from_parts(header, arrays) == trees
    with pytest.raises(ModelFileError, match="holds 20"):
        tree_from_parts(header, arrays)


def test_unaligned_bytes_are_read_too() -> None:
    data = tree_to_bytes(TREES["deep"])
    moved = memoryview(b"x" + data)[1:]
    assert tree_from_parts(*loads(bytes(moved))) == TREES["deep"]


def test_strange_names_and_labels_survive(tmp_path: Path) -> None:
    names = ["", "a\nb", 'quote"', "גיל", "x" * 10_000, "</script>", "\ud800"]
    for classes in (np.array([1, 5]), np.array([False, True]), np.array([0.5, 1.5]), np.array(["", "ü"])):
        tree = build(Schema(tuple(map(Column, names)), classes, True), Leaf(3, [1, 2]))
        again = tree_from_bytes(tree_to_bytes(tree))
        assert again == tree
        assert np.asarray(again.schema.classes).dtype == classes.dtype


# ---- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
def test_every_single_bit_flip_is_refused(name: str) -> None:
    data = bytearray(tree_to_bytes(TREES[name]))
    for at, bit in product(range(len(data)), range(8)):
        data[at] ^= 1 << bit
        with pytest.raises(ModelFileError):
            loads(bytes(data))
        data[at] ^= 1 << bit


@pytest.mark.parametrize("name", TREES)
def test_every_prefix_is_refused(name: str) -> None:
    data = tree_to_bytes(TREES[name])
    for end in range(len(data)):
        with pytest.raises(ModelFileError):
            loads(data[:end])


def test_bytes_added_at_the_end_are_refused() -> None:
    with pytest.raises(ModelFileError, match="checksum"):
        loads(tree_to_bytes(TREES["deep"]) + b"\0")


# ---- what else it may be -------------------------------------------------------------------------


def zipped() -> bytes:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("schema.json", "{}")
        return file.getvalue()


def other_safetensors() -> bytes:
    header = b'{"__metadata__":{"format":"pt"}}'
    return struct.pack("<Q", len(header)) + header


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "it is empty"),
        (pickle.dumps({"a": 1}), "it is a pickle, .* does not load pickles"),
        (zipped(), "it is a zip archive"),
        (b"\x1f\x8b\x08" + bytes(20), "it is a compressed file"),
        (b"\x78\x9c" + bytes(20), "it is a compressed file"),
        (b"\x08\x0a\x12\x08skl2onnx\x1a\x04", "it is an ONNX model"),
        (b"\x89HDF\r\n\x1a\n" + bytes(8), "it is an HDF5 file"),
        (b'<?xml version="1.0"?><PMML/>', "it is an XML or HTML file"),
        (b'{"learner": {}}', "it is a JSON file"),
        (other_safetensors(), "a safetensors file of another program"),
        (b"tree\nversion=v4\nnum_class=1", "no treewright model"),
        (np.random.default_rng(0).bytes(3), "no treewright model"),
    ],
)
def test_other_files_are_named(tmp_path: Path, data: bytes, sentence: str) -> None:
    (tmp_path / "model.tw").write_bytes(data)
    with pytest.raises(ModelFileError, match=sentence) as caught:
        read_model(tmp_path / "model.tw")
    assert str(caught.value).startswith(f"'{tmp_path / 'model.tw'}' is ")


def test_a_newer_version_asks_for_an_upgrade() -> None:
    data = tree_to_bytes(TREES["leaf"]).replace(b'"version":"2"', b'"version":"3"')
    with pytest.raises(
        ModelFileError, match="format version 3, this treewright reads up to version 2: upgrade"
    ):
        loads(data)


def test_a_file_cut_short_says_how_much_is_missing() -> None:
    data = tree_to_bytes(TREES["deep"])
    with pytest.raises(ModelFileError, match="cut short: 5 bytes are missing"):
        loads(data[:-5])
    with pytest.raises(ModelFileError, match="cut short: 100 bytes do not even hold its header"):
        loads(data[:100])


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "none.tw")


# ---- crafted headers, the checksum made anew -----------------------------------------------------


def sealed(header_text: str, payload: bytes = b"") -> bytes:
    """Return a file of a header as given, with the right sizes and checksum."""
    text = header_text.encode()
    data = struct.pack("<Q", len(text)) + text + payload
    at = model_file._CHECKSUM_AT
    return data[:at] + model_file._checksum(data) + data[at + 64 :]


def header_text(model: str = '{"treewright":"0","kind":"x"}', entries: str = "", metadata: str = "") -> str:
    zeros = "0" * 64
    return (
        f'{{"__metadata__":{{"format":"treewright","version":"1","sha256":"{zeros}",'
        f'"model":{json.dumps(model)}{metadata}}}{entries}}}'
    )


def entry(dtype: str = '"F64"', shape: str = "[1]", offsets: str = "[0,8]", more: str = "") -> str:
    return f',"a":{{"dtype":{dtype},"shape":{shape},"data_offsets":{offsets}{more}}}'


def test_a_sealed_header_is_read() -> None:
    header, arrays = loads(sealed(header_text(entries=entry()), struct.pack("<d", 1.5)))
    assert header["kind"] == "x"
    assert arrays["a"].tolist() == [1.5]


@pytest.mark.parametrize(
    "text",
    [
        *(
            header_text(entries=entry(offsets=offsets))
            for offsets in ("[0,16]", "[1,9]", "[-8,0]", "[8,0]", "[0,8.0]", "[0,8,8]", "8")
        ),
        *(
            header_text(entries=entry(shape=shape))
            for shape in ("[2]", "[-1]", "[true]", "[1,1,1]", "[4294967296,4294967297]")
        ),
        header_text(entries=entry(shape=f"[{10**400}]")),
        header_text(entries=entry(dtype='"F16"')),
        header_text(entries=entry(dtype="8")),
        header_text(entries=entry(dtype="[]")),
        header_text(entries=entry(more=',"extra":1')),
        header_text(entries=entry() + entry()),
        header_text(entries=',"a":[]'),
        header_text(entries=""),
        header_text(entries=entry(), metadata=',"extra":"1"'),
        header_text('{"treewright":"0","kind":"x","kind":"y"}', entry()),
        header_text('{"treewright":"0","kind":"x","code":"y"}', entry()),
        header_text('{"treewright":"0"}', entry()),
        header_text('{"treewright":"0","kind":[]}', entry()),
        header_text('{"treewright":0,"kind":"x"}', entry()),
        header_text('{"treewright":"0","kind":"x","parameters":NaN}', entry()),
        header_text('{"treewright":"0","kind":"x","parameters":1e999}', entry()),
        header_text('{"treewright":"0","kind":"x","parameters":' + "9" * 5000 + "}", entry()),
        header_text('{"treewright":"0","kind":"x","parameters":' + "[" * 40 + "]" * 40 + "}", entry()),
        header_text('{"treewright":"0","kind":"x","parameters":' + "[" * 10**5 + "]" * 10**5 + "}", entry()),
        header_text("[]", entry()),
        header_text("", entry()),
        header_text(entries=entry()) + "x",
        header_text(entries=entry())[:-1],
    ],
)
def test_crafted_headers_are_refused(text: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        loads(sealed(text, struct.pack("<d", 1.5)))
    assert len(str(caught.value)) < 1000


def test_a_header_that_is_no_utf8_is_refused() -> None:
    text = header_text(entries=entry())
    data = sealed(text, struct.pack("<d", 1.5)).replace(b'"a":', b'"\xff":')
    at = model_file._CHECKSUM_AT
    with pytest.raises(ModelFileError, match="utf-8"):
        loads(data[:at] + model_file._checksum(data) + data[at + 64 :])


def test_a_header_that_claims_to_be_huge_is_refused() -> None:
    data = tree_to_bytes(TREES["leaf"])
    with pytest.raises(ModelFileError, match="at most 100000000 are allowed"):
        loads(struct.pack("<Q", 2**63) + data[8:])


def test_what_json_cannot_hold_is_not_written() -> None:
    for value in (float("nan"), float("inf"), object(), {1, 2}):
        with pytest.raises(ModelFileError, match="cannot be written"):
            dumps({"kind": "x", "parameters": {"a": value}}, {})


def test_a_pickled_tree_of_more_than_thresholds_is_proved_when_it_is_read() -> None:
    data, held = bytearray(pickle.dumps(TREES["multiway"])), tree_to_bytes(TREES["multiway"])
    data[data.index(held) + len(held) - 1] ^= 1
    with pytest.raises(ModelFileError):
        pickle.loads(bytes(data))


def test_a_pickled_tree_of_thresholds_cannot_lead_outside_of_its_features() -> None:
    X = np.random.default_rng(0).normal(size=(200, 9))
    tree = DecisionTreeClassifier(max_depth=4).fit(X, X[:, 3] * X[:, 5] > X[:, 7]).tree_
    data, feature = pickle.dumps(tree), tree.splits.feature.tobytes()
    assert data.count(feature) == 1
    with pytest.raises(ModelFileError, match="the pickle is broken"):
        pickle.loads(data.replace(feature, b"\x7f" * len(feature)))
    make, (schema, (n_nodes, n_splits), *rest) = tree.__reduce_ex__(2)
    with pytest.raises(ValueError, match="buffer"):
        make(schema, (n_nodes + 9, n_splits), *rest)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", TREES)
def test_trees_come_back_from_pickles(name: str, protocol: int) -> None:
    again = pickle.loads(pickle.dumps(TREES[name], protocol))
    assert again == TREES[name]
    assert again.note == TREES[name].note
    assert tree_to_bytes(again) == tree_to_bytes(TREES[name])
    assert not again.parent.flags.writeable


@pytest.mark.parametrize("more", ["adjusted", "decided"])
def test_what_few_trees_have_comes_back_from_pickles(more: str) -> None:
    X = np.array([[3.0, 3.0], [-5.0, 0.0], [-3.0, 1.0], [1.0, 2.0]])
    tree = DecisionTreeRegressor(missing="surrogate").fit(X, [-1.0, -2.0, 0.0, -4.0]).tree_
    assert tree.splits.adjusted is not None
    if more == "decided":
        tree = DecisionTreeRegressor().fit(X, [0.0, 1.0, 2.0, 3.0]).tree_
        tree = replace(tree, decided=np.where(tree.n_children, -1, 0))
    assert pickle.loads(pickle.dumps(tree)) == tree


# ---- writing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["write", "flush", "fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: Any
) -> None:
    path = tmp_path / "model.tw"
    write_model(path, {"kind": "old"}, {})

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise error

    if step in ("write", "flush"):

        class Failing(io.BufferedWriter):
            pass

        setattr(Failing, step, fail)
        monkeypatch.setattr(
            "builtins.open", lambda name, mode: Failing(io.FileIO(name, mode.replace("b", "")))
        )
    else:
        monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        write_model(path, {"kind": "new"}, {"a": np.eye(2)})
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["model.tw"]
    assert read_model(path)[0]["kind"] == "old"


def test_a_model_replaces_an_older_one_and_obeys_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "model.tw"
    write_model(path, {"kind": "old"}, {})
    write_model(str(path), {"kind": "new"}, {})
    assert read_model(path)[0]["kind"] == "new"
    (tmp_path / "plain").write_text("")
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("mine")
    (tmp_path / "model.tw").symlink_to(tmp_path / "target")
    write_model(tmp_path / "model.tw", {"kind": "x"}, {})
    assert (tmp_path / "target").read_text() == "mine"
    assert read_model(tmp_path / "model.tw")[0]["kind"] == "x"


def test_a_folder_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_model(tmp_path / "none" / "model.tw", {"kind": "x"}, {})
    with pytest.raises(IsADirectoryError):
        write_model(tmp_path, {"kind": "x"}, {})


def test_a_chain_of_a_million_nodes_saves_and_loads(tmp_path: Path) -> None:
    tree = chain(500_000)
    header, arrays = tree_to_parts(tree)
    write_model(tmp_path / "deep.tw", {"kind": "tree", **header}, arrays)
    assert tree_from_parts(*read_model(tmp_path / "deep.tw")) == tree


class Stump(tw.DecisionTreeClassifier):
    """A user's own class."""

    def __init__(self, *, colour: str = "red", max_depth: int | None = 1) -> None:
        super().__init__(max_depth=max_depth)
        self.colour = colour


def test_a_class_of_ones_own_comes_back_as_what_it_was_made_from(tmp_path: Path) -> None:
    model = Stump().fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    model.save(tmp_path / "stump.tw")
    loaded = tw.load(tmp_path / "stump.tw")
    assert type(loaded) is tw.DecisionTreeClassifier
    assert loaded.tree_ == model.tree_
    assert loaded.max_depth == 1


class SmallForest(tw.RandomForestClassifier):
    """A user's own forest."""


class FewRules(tw.RuleClassifier):
    """A user's own rules."""


@pytest.mark.parametrize("model", [SmallForest(n_estimators=2, random_state=0), FewRules()])
def test_forests_and_rules_of_ones_own_come_back_as_what_they_were_made_from(
    model: Any, tmp_path: Path
) -> None:
    X, y = tw.datasets.load_iris()
    model.fit(X, y).save(tmp_path / "own.tw")
    loaded = tw.load(tmp_path / "own.tw")
    assert type(loaded) is type(model).__base__
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
