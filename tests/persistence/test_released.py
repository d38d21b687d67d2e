"""Model files and pickles of every released version load, and predict what they predicted then."""

from __future__ import annotations

import gzip
import json
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from released_models import expected, with_missing_values

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
        for leaf, leaf_then in zip(now.reshape(len(X), -1).T, np.reshape(then["leaves"], (len(X), -1)).T, strict=True):
            pairs = set(zip(leaf.tolist(), leaf_then.tolist(), strict=True))
            assert len(pairs) == len(set(leaf.tolist())) == len(set(leaf_then.tolist()))
