"""Models come back whole from files, and forged ones are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.tables import PLAY, TENNIS
from treewright import pruning
from treewright.pruning import CostComplexity


@pytest.mark.parametrize(
    "model",
    [
        tw.DecisionTreeClassifier(max_depth=3, class_weight={"no": 2.0}, costs=np.array([[0, 1], [2, 0]])),
        tw.DecisionTreeClassifier(random_state=np.random.RandomState(0), pruner=CostComplexity(0.0)),
        tw.DecisionTreeClassifier(pruner=CostComplexity(cv=[row % 2 for row in range(len(PLAY))])),
        tw.ID3Classifier(compat="weka"),
    ],
)
def test_a_saved_model_comes_back_whole(model: Any, tmp_path: Path) -> None:
    X = TENNIS if not isinstance(model, tw.ID3Classifier) else TENNIS[["outlook"]]
    model.fit(X, PLAY).save(tmp_path / "model.tw")
    same = tw.load(tmp_path / "model.tw")
    assert type(same) is type(model)
    assert same.tree_ == model.tree_
    assert same.predict(X).tolist() == model.predict(X).tolist()
    assert same.feature_names_in_.tolist() == X.columns.tolist()
    for name, value in same.get_params().items():
        if name != "random_state":
            assert np.array_equal(
                np.asarray(value, dtype=object), np.asarray(model.get_params()[name], dtype=object)
            )
    assert getattr(same, "pruner_", None) == getattr(model, "pruner_", None)
    assert same.fit(X, PLAY).tree_ == model.tree_


@pytest.mark.parametrize("name", pruning.KINDS)
def test_a_saved_model_knows_what_pruned_it(name: str, tmp_path: Path) -> None:
    pruner = pruning.KINDS[name](**({"alpha": 0.25} if name == "Penalised" else {}))
    rows = [] if pruner.needs == "nothing" else [TENNIS, PLAY]
    pruned = tw.prune(tw.DecisionTreeClassifier().fit(TENNIS, PLAY), pruner, *rows)
    pruned.save(tmp_path / "model.tw")
    same = tw.load(tmp_path / "model.tw")
    assert same.pruner_ == pruner
    assert same.pruner is None
    assert same.tree_ == pruned.tree_


def test_a_saved_model_does_not_name_a_pruner_of_ones_own(tmp_path: Path) -> None:
    model = tw.DecisionTreeClassifier(pruner=lambda tree: tree.collapse([0])).fit(TENNIS, PLAY)
    model.save(tmp_path / "model.tw")
    same = tw.load(tmp_path / "model.tw")
    assert same.pruner is None
    assert not hasattr(same, "pruner_")


def test_a_forged_model_is_refused(tmp_path: Path) -> None:
    from treewright.persistence.container import read_model, write_model

    model = tw.DecisionTreeClassifier().fit([[1], [2]], [0, 1])
    model.save(tmp_path / "model.tw")
    header, arrays = read_model(tmp_path / "model.tw")
    header.pop("treewright")
    for change in (
        {"kind": "os.system"},
        {"kind": "DecisionTreeRegressor"},
        {"parameters": {"max_depth": -1}},
        {"parameters": {"command": "rm"}},
        {"parameters": [1]},
        {"pruner": "Pessimistic"},
        {"pruner": {"pruner": "system", "settings": {}}},
        {"pruner": {"pruner": "Pessimistic"}},
        {"pruner": {"pruner": "Pessimistic", "settings": {"se": -1}}},
        {"pruner": {"pruner": "Pessimistic", "settings": {"command": "rm"}}},
        {"pruner": {"pruner": "Pessimistic", "settings": [1]}},
        {"pruner": {"pruner": ["Pessimistic"], "settings": {}}},
        {"pruner": {"pairs": []}},
        {"parameters": {"pruner": {"pruner": "Pessimistic", "settings": {"se": -1}}}},
    ):
        write_model(tmp_path / "forged.tw", header | change, arrays)
        with pytest.raises(tw.errors.ModelFileError):
            tw.load(tmp_path / "forged.tw")
