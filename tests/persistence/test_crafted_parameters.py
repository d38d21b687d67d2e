"""What a file says of a model besides its trees is checked when it is loaded, and not found out later."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ModelFileError
from treewright.persistence.container import dumps, read_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)).round(1)
CLASSES, NUMBERS = RNG.integers(0, 3, 40), RNG.normal(size=40)
HUGE = 10**400

MODELS: dict[str, Any] = {
    "tree": tw.DecisionTreeClassifier(pruner=tw.pruning.CostComplexity(alpha=0.01)).fit(X, CLASSES),
    "regression tree": tw.DecisionTreeRegressor(max_depth=3).fit(X, NUMBERS),
    "CART": tw.CARTClassifier(cv=3).fit(X, CLASSES),
    "C4.5": tw.C45Classifier().fit(X, CLASSES),
    "forest": tw.RandomForestClassifier(3, random_state=0).fit(X, CLASSES),
    "regression forest": tw.ExtraTreesRegressor(3, random_state=0).fit(X, NUMBERS),
    "rules": tw.RuleClassifier().fit(X, CLASSES),
}

ODD: list[Any] = [
    *(
        {"pairs": []},
        {"pairs": 3},
        {"function": 3},
        {"pruner": "CostComplexity", "settings": {"alpha": HUGE}},
    ),
    *([], [[]], [[1], [1, 2]], [["a"]], "text", HUGE, -HUGE, 1e308, -1, True, None, {"pairs": [[1]]}, [None]),
]


def crafted(name: str, folder: Path, **changes: Any) -> Any:
    """Load a model whose file says something else."""
    good = folder / f"{name}.tw"
    if not good.exists():
        MODELS[name].save(good)
    header, arrays = read_model(good)
    if "parameter" in changes:
        header["parameters"] = header["parameters"] | changes["parameter"]
    header |= changes.get("header", {})
    odd = folder / "odd.tw"
    odd.write_bytes(dumps(header, arrays | changes.get("arrays", {})))
    return tw.load(odd)


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_set_to_everything_is_refused_or_harmless(name: str, tmp_path: Path) -> None:
    predicted, refused = MODELS[name].predict(X), 0
    for parameter in MODELS[name].get_params(deep=False):
        for value in ODD:
            try:
                model = crafted(name, tmp_path, parameter={parameter: value})
            except ModelFileError:
                refused += 1
                continue
            if parameter not in ("laplace", "vote"):
                assert np.array_equal(model.predict(X), predicted)
            pickle.dumps(model)
    assert refused > 20


@pytest.mark.parametrize(
    "key", ["kind", "parameters", "pruner", "schema", "target", "criterion", "draws", "edits"]
)
@pytest.mark.parametrize("name", MODELS)
def test_every_part_of_the_header_set_to_everything_is_refused_or_harmless(
    name: str, key: str, tmp_path: Path
) -> None:
    predicted = MODELS[name].predict(X)
    for value in ODD:
        try:
            model = crafted(name, tmp_path, header={key: value})
        except ModelFileError:
            continue
        if key not in ("kind", "parameters"):
            assert np.array_equal(model.predict(X), predicted)


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        ("tree", "criterion", {"pairs": []}),
        ("tree", "complexity", HUGE),
        ("tree", "costs", "text"),
        ("tree", "costs", [[0, 1], [1]]),
        ("tree", "costs", [1, 2, 3]),
        ("tree", "costs", [["a", "b"], ["c", "d"]]),
        ("tree", "priors", "text"),
        ("tree", "monotonic_cst", [[1], [1, 2]]),
        ("tree", "feature_costs", ["a"]),
        ("tree", "laplace", HUGE),
        ("tree", "pruner", {"pruner": "CostComplexity", "settings": {"alpha": HUGE}}),
        ("CART", "costs", "text"),
        ("CART", "se", HUGE),
        ("CART", "cp", HUGE),
        ("C4.5", "min_samples_leaf", HUGE),
        ("forest", "criterion", {"pairs": []}),
        ("rules", "cf", HUGE),
    ],
)
def test_wrong_parameters_are_refused_when_the_model_is_loaded(
    name: str, parameter: str, value: Any, tmp_path: Path
) -> None:
    with pytest.raises(ModelFileError, match=f"its parameters cannot be read .*{parameter}|alpha"):
        crafted(name, tmp_path, parameter={parameter: value})


@pytest.mark.parametrize("criterion", [{"gini": 1}, ["gini"], 3, None, "squared_error", HUGE])
def test_the_criterion_of_a_forest_is_a_name(criterion: Any, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="its criterion is"):
        crafted("forest", tmp_path, header={"criterion": criterion})


def test_a_node_without_class_weights_is_refused(tmp_path: Path) -> None:
    for name, array in (("forest", "value"), ("tree", "node_value")):
        MODELS[name].save(tmp_path / "good.tw")
        value = read_model(tmp_path / "good.tw")[1][array].copy()
        value[-1] = 0
        with pytest.raises(ModelFileError, match=r"has no class of any weight|do not sum to its weight"):
            crafted(name, tmp_path, arrays={array: value})
    value[:] = 0
    with pytest.raises(ModelFileError, match="no class of any weight"):
        crafted("tree", tmp_path, arrays={array: value, "weight": np.zeros(len(value))})


@pytest.mark.parametrize("kind", [tw.ExtraTreesClassifier, tw.ExtraTreesRegressor])
@pytest.mark.parametrize("weight", [2.0, 0.5, 1e20])
def test_a_forest_that_is_loaded_writes_the_same_bytes(kind: Any, weight: float, tmp_path: Path) -> None:
    """Whole weights fit in 32 bits, but the forest was grown in 64."""
    y = CLASSES if kind is tw.ExtraTreesClassifier else NUMBERS
    forest = kind(3, random_state=0).fit(X, y, np.where(np.arange(40) % 2, weight, 1.0))
    forest.save(tmp_path / "first.tw")
    tw.load(tmp_path / "first.tw").save(tmp_path / "second.tw")
    assert (tmp_path / "first.tw").read_bytes() == (tmp_path / "second.tw").read_bytes()


@pytest.mark.parametrize("offset", [HUGE, -HUGE, 2**64, -(2**63) - 1])
def test_an_offset_that_no_integer_has_is_refused(offset: int, tmp_path: Path) -> None:
    MODELS["tree"].save(tmp_path / "tree.tw")
    header, arrays = read_model(tmp_path / "tree.tw")
    header["schema"]["columns"][0]["offset"] = offset
    del header["treewright"]
    (tmp_path / "crafted.tw").write_bytes(dumps(header, arrays))
    with pytest.raises(ModelFileError, match="offset of column"):
        tw.load(tmp_path / "crafted.tw")


def test_a_day_that_no_calendar_has_is_shown(tmp_path: Path) -> None:
    days = np.array(["2024-02-01", "2024-02-03"], dtype="datetime64[s]")[:, None]
    tw.DecisionTreeClassifier().fit(days, [0, 1]).save(tmp_path / "tree.tw")
    header, arrays = read_model(tmp_path / "tree.tw")
    del header["treewright"]
    (tmp_path / "crafted.tw").write_bytes(
        dumps(header, dict(arrays) | {"split_threshold": np.array([1e308])})
    )
    assert "day 1.00000e+308" in str(tw.load(tmp_path / "crafted.tw").tree_)
