"""What is known of a model stays with it: in memory, in its file, and on the screens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.command_line import IRIS, MPG, Run
from treewright.data.fingerprint import fingerprint, row_hashes, share_found
from treewright.errors import ModelFileError
from treewright.persistence.container import read_model, write_model


@pytest.mark.parametrize(("table", "target"), [(IRIS, "species"), (MPG, "mpg")])
def test_the_card_is_in_the_file(
    table: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    result = tw.fit(table, target, folds=3)
    result.save(tmp_path / "a.tw")
    card = tw.load(tmp_path / "a.tw").card_
    assert card.to_dict() == result.model.card_.to_dict()
    assert (card.learned, card.rows, card.treewright) == (
        "1970-01-02T00:00:00Z",
        len(result.data),
        tw.__version__,
    )
    assert result.evaluation is not None
    assert card.evaluation.to_dict() == result.evaluation.to_dict()


@pytest.mark.parametrize("algorithm", ["forest", "rules", "cart", "decision_tree"])
def test_every_learner_has_one(algorithm: str, tmp_path: Path) -> None:
    tw.fit(IRIS, "species", algorithm=algorithm, folds=2).save(tmp_path / "a.tw")
    model = tw.load(tmp_path / "a.tw")
    assert model.card_.rows == 150
    model.save(tmp_path / "b.tw")
    assert (tmp_path / "a.tw").read_bytes() == (tmp_path / "b.tw").read_bytes()


def test_a_card_is_of_one_tree() -> None:
    frame = pd.read_csv(IRIS)
    model = tw.fit(frame, "species", folds=2).model
    pruned = tw.prune(model, tw.pruning.CostComplexity(alpha=0.3))
    assert (pruned.card_.rows, pruned.card_.evaluation) == (150, None)
    assert model.card_.evaluation is not None
    model.fit(frame.iloc[:, :4], frame["species"])
    assert not hasattr(model, "card_")


def test_a_card_prints_in_two_lines() -> None:
    card = tw.fit(*tw.datasets.load_iris()).model.card_
    learned, error = str(card).split("\n")
    assert "from 150 rows" in learned
    assert card.short_fingerprint in learned
    assert error.startswith("estimated error ")
    assert len(repr(card)) < 120


def test_a_broken_card_is_refused(tmp_path: Path) -> None:
    tw.fit(IRIS, "species", folds=2).save(tmp_path / "a.tw")
    header, arrays = read_model(tmp_path / "a.tw")
    odd: list[dict[str, Any]] = [
        {"rows": "many"},
        {"fingerprint": ["x"]},
        {"fingerprint": 3},
        {"learned": 1},
        {"evaluation": {"confusion": [[1.0]]}},
    ]
    for change in odd:
        write_model(tmp_path / "b.tw", header | {"card": header["card"] | change}, arrays)
        with pytest.raises(ModelFileError, match="card"):
            tw.load(tmp_path / "b.tw")


def test_the_screens_show_it(run: Run) -> None:
    run("fit", IRIS, "-t", "species", "--folds", "4", "-q")
    card = tw.load("iris.tw").card_
    error = f"estimated error {100 * card.evaluation.evaluation.error:.1f} ±"
    for command in (["show", "iris.tw"], ["inspect", "iris.tw"], ["evaluate", "iris.tw", IRIS]):
        assert error in run(*command)[1]
    assert f"fingerprint {card.short_fingerprint}" in run("inspect", "iris.tw")[1]
    assert json.loads(run("inspect", "iris.tw", "--json")[1])["card"] == card.to_dict()


def test_evaluate_tells_training_rows_from_others(run: Run) -> None:
    frame = pd.read_csv(MPG, na_values="?").sample(frac=1, random_state=0)
    frame.iloc[:200].to_csv("train.csv", index=False)
    frame.iloc[200:].to_csv("test.csv", index=False)
    frame.iloc[:100].to_csv("part.csv", index=False)
    run("fit", "train.csv", "-t", "mpg", "-q", "-o", "a.tw")
    for name, low, high in (("train", 1, 1), ("test", 0, 0), ("part", 0.3, 0.7)):
        found = json.loads(run("evaluate", "a.tw", f"{name}.csv", "--json")[1])
        assert low <= found["share_of_training_rows"] <= high
        assert (found["cross_validation"] is None) == (name == "test")
    assert "These are the rows that the model was learned from" in run("evaluate", "a.tw", "train.csv")[1]
    assert "learned from" not in run("evaluate", "a.tw", "test.csv")[1]


def test_fingerprints_see_rows_and_nothing_else() -> None:
    generator = np.random.default_rng(0)
    X, codes = generator.normal(size=(3000, 3)), generator.integers(-1, 4, (3000, 2)).astype(np.int32)
    rows = row_hashes([*X.T, *codes.T], 3000)
    assert len(np.unique(rows)) == 3000
    order = generator.permutation(3000)
    assert fingerprint(row_hashes([*X[order].T, *codes[order].T], 3000)) == fingerprint(rows)
    found = [share_found(fingerprint(rows), rows[:part]) for part in (300, 1500, 3000)]
    assert found[0] < 0.3 < found[1] < 0.7 < found[2] == 1
    swapped = row_hashes([*X[:, [1, 0, 2]].T, *codes.T], 3000)
    assert share_found(fingerprint(rows), swapped) == 0
    assert row_hashes([np.array([0.0])], 1) == row_hashes([np.array([-0.0])], 1)
