"""Targets, weights and factors of any size are learned from, saved and loaded, or refused in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.data.target import LARGEST_NUMBER, LARGEST_WEIGHT, SMALLEST_NUMBER, SMALLEST_WEIGHT
from treewright.errors import DataError
from treewright.parameter_types import LARGEST_FACTOR, SMALLEST_FACTOR
from treewright.pruning import PRUNERS

N = 60
RNG = np.random.default_rng(3)
X = np.round(RNG.normal(size=(N, 3)), 1)
CLASSES = RNG.integers(0, 3, N)
NUMBERS = np.round(RNG.normal(size=N), 1)
COUNTS = RNG.integers(0, 4, N).astype(float)

CLASSIFIERS: dict[str, Any] = {
    **{
        f"tree by {criterion}": lambda criterion=criterion, **more: tw.DecisionTreeClassifier(
            criterion=criterion, max_competitors=2, **more
        )
        for criterion in tw.criteria.CLASSIFICATION
    },
    "tree with surrogates": lambda **more: tw.DecisionTreeClassifier(missing="surrogate", **more),
    "hyperplanes": lambda **more: tw.DecisionTreeClassifier(splits=("hyperplane",), max_depth=3, **more),
    "intervals": lambda **more: tw.DecisionTreeClassifier(splits=("interval",), **more),
    "C4.5": tw.C45Classifier,
    "CART": lambda **more: tw.CARTClassifier(min_samples_split=2, min_samples_leaf=1, cv=3, **more),
    "CART by entropy": lambda **more: tw.CARTClassifier(criterion="entropy", cv=3, **more),
    "rpart": lambda **more: tw.CARTClassifier(compat="rpart", cv=3, **more),
    "forest": lambda **more: tw.RandomForestClassifier(3, random_state=0, **more),
    "extra trees": lambda **more: tw.ExtraTreesClassifier(3, random_state=0, **more),
    "rules": tw.RuleClassifier,
}

REGRESSORS: dict[str, Any] = {
    **{
        f"tree by {criterion}": lambda criterion=criterion, **more: tw.DecisionTreeRegressor(
            criterion=criterion, max_competitors=2, **more
        )
        for criterion in tw.criteria.REGRESSION
    },
    "random cuts by poisson": lambda **more: tw.DecisionTreeRegressor(
        criterion="poisson", splitter="random", max_competitors=4, random_state=0, **more
    ),
    "tree with surrogates": lambda **more: tw.DecisionTreeRegressor(missing="surrogate", **more),
    "cross-validated": lambda **more: tw.DecisionTreeRegressor(pruner="cost_complexity", **more),
    "CART": lambda **more: tw.CARTRegressor(cv=3, cp=0.0, **more),
    "CART by poisson": lambda **more: tw.CARTRegressor(criterion="poisson", cv=3, cp=0.0, **more),
    "rpart": lambda **more: tw.CARTRegressor(compat="rpart", cv=3, **more),
    "rpart by poisson": lambda **more: tw.CARTRegressor(compat="rpart", criterion="poisson", cv=3, **more),
    "forest": lambda **more: tw.RandomForestRegressor(3, random_state=0, **more),
    "extra trees": lambda **more: tw.ExtraTreesRegressor(3, random_state=0, **more),
}


def check_whole_life(model: Any, folder: Path) -> None:
    """A fitted model predicts, explains, prints, comes back from a file and writes the same file again."""
    predicted = model.predict(X)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        assert np.isfinite(shares).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1)
    else:
        assert np.isfinite(predicted).all()
    for name in ("tree_", "rules_", "cp_table_", "path_", "report_"):
        if hasattr(model, name):
            str(getattr(model, name))
            getattr(model, name)._repr_html_() if hasattr(getattr(model, name), "_repr_html_") else None
    if hasattr(model, "explain"):
        str(model.explain(X[0]))
    if hasattr(model, "feature_importances_"):
        assert np.isfinite(model.feature_importances_).all()
    first, second = folder / "first.tw", folder / "second.tw"
    model.save(first)
    loaded = tw.load(first)
    assert np.array_equal(loaded.predict(X), predicted)
    loaded.save(second)
    assert first.read_bytes() == second.read_bytes()


def weights(kind: str) -> Any:
    """Weights as far apart as they may be."""
    largest, least = LARGEST_WEIGHT / (2 * N), SMALLEST_WEIGHT
    return {
        "largest": np.full(N, largest),
        "least": np.full(N, least),
        "both": np.where(np.arange(N) % 2, largest, least),
        "one large": np.where(np.arange(N) == 7, largest, least),
        "one small": np.where(np.arange(N) == 7, least, largest),
        "spread": np.geomspace(least, largest, N),
    }[kind]


KINDS = ("largest", "least", "both", "one large", "one small", "spread")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_classes_of_any_weights(learner: str, kind: str, tmp_path: Path) -> None:
    check_whole_life(CLASSIFIERS[learner]().fit(X, CLASSES, weights(kind)), tmp_path)


def target(learner: str, size: float) -> Any:
    counts = "poisson" in learner
    return (COUNTS / COUNTS.max() if counts else NUMBERS / np.abs(NUMBERS).max()) * size


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [SMALLEST_NUMBER, LARGEST_NUMBER])
@pytest.mark.parametrize("learner", REGRESSORS)
def test_numbers_of_any_size_and_weights(learner: str, size: float, kind: str, tmp_path: Path) -> None:
    y = target(learner, size)
    check_whole_life(REGRESSORS[learner]().fit(X, y, weights(kind)), tmp_path)


@pytest.mark.parametrize("learner", sorted(set(REGRESSORS) - {"rpart by poisson"}))  # it adds one event
def test_a_size_changes_nothing_but_the_size(learner: str) -> None:
    """Powers of two change no digit, so the trees are the same; near the limits no digit is lost."""
    plain, large, small = (
        REGRESSORS[learner]().fit(X, target(learner, size)).predict(X) / size
        for size in (1.0, 2.0**199, 2.0**-199)
    )
    assert np.array_equal(plain, large)
    assert np.array_equal(plain, small)


@pytest.mark.parametrize("pruner", PRUNERS)
@pytest.mark.parametrize("size", [SMALLEST_NUMBER, LARGEST_NUMBER])
def test_numbers_of_any_size_are_pruned(pruner: str, size: float, tmp_path: Path) -> None:
    model = tw.DecisionTreeRegressor(pruner=pruner, random_state=0)
    if pruner in ("reduced_error", "cost_complexity", "minimal_size", "simplify"):
        check_whole_life(model.fit(X, target("", size), weights("spread")), tmp_path)
    else:
        with pytest.raises(ValueError, match="this tree predicts numbers"):
            model.fit(X, target("", size), weights("spread"))


@pytest.mark.parametrize("learner", REGRESSORS)
@pytest.mark.parametrize("size", [1e61, 1e153, 1e200, 1e308, 1e-61, 1e-200, 5e-324])
def test_numbers_whose_squares_are_lost_are_refused(learner: str, size: float) -> None:
    with pytest.raises(DataError, match=r"^y is (beyond|at most) .* give it in a (larger|smaller) unit\.$"):
        REGRESSORS[learner]().fit(X, target(learner, size))


@pytest.mark.parametrize("size", [1e31, 1e200, 1e300, 1e-61, 1e-200, 5e-324])
@pytest.mark.parametrize("all_rows", [True, False])
def test_weights_whose_squares_are_lost_are_refused(size: float, all_rows: bool) -> None:
    weight = np.full(N, size) if all_rows else np.where(np.arange(N) < 3, size, 1.0)
    for learner in [*CLASSIFIERS.values(), *REGRESSORS.values()]:
        y = CLASSES if learner in CLASSIFIERS.values() else COUNTS
        with pytest.raises(DataError, match="sample_weight is b"):
            learner().fit(X, y, weight)


def test_a_weight_that_is_nearly_nothing_may_be_nothing() -> None:
    weight = np.where(np.arange(N) < 3, 0.0, 1.0)
    assert tw.DecisionTreeClassifier().fit(X, CLASSES, weight).tree_.weight[0] == N - 3


FACTORS = [
    ("class_weight", {0: 1e200, 1: 1, 2: 1}),
    ("class_weight", {0: 1e-200, 1: 1, 2: 1}),
    ("class_weight", {0: np.inf, 1: 1, 2: 1}),
    ("priors", [1e-200, 0.5, 0.5]),
    ("priors", [1e200, 1, 1]),
    ("priors", [0, 0, 0]),
    ("costs", [[0, 1e300, 1], [1, 0, 1], [1, 1, 0]]),
    ("costs", [[0, 1e-300, 1], [1, 0, 1], [1, 1, 0]]),
    ("costs", np.zeros((3, 3))),
    ("feature_costs", [1e-300, 1, 1]),
    ("feature_costs", [1e300, 1, 1]),
    ("laplace", 1e308),
]


@pytest.mark.parametrize(("parameter", "value"), FACTORS)
@pytest.mark.parametrize(
    "learner", [tw.DecisionTreeClassifier, tw.CARTClassifier, tw.C45Classifier, tw.RandomForestClassifier]
)
def test_factors_beyond_measure_are_refused(learner: Any, parameter: str, value: Any) -> None:
    if parameter in learner().get_params():
        with pytest.raises(ValueError, match=f"^(The '{parameter}' parameter|{parameter} must)"):
            learner(**{parameter: value}).fit(X, CLASSES)


def test_a_class_whose_mistakes_cost_nothing_is_refused_where_it_cannot_be_grown_for(tmp_path: Path) -> None:
    free = [[0, 0, 0], [1, 0, 1], [1, 1, 0]]
    with pytest.raises(
        ValueError, match=r"the row of class 0 is all 0\. Leave its rows out, or give it a small"
    ):
        tw.DecisionTreeClassifier(costs=free).fit(X, CLASSES)
    check_whole_life(tw.CARTClassifier(costs=free).fit(X, CLASSES), tmp_path)


@pytest.mark.parametrize("learner", CLASSIFIERS)
@pytest.mark.parametrize("size", [SMALLEST_FACTOR, LARGEST_FACTOR])
@pytest.mark.parametrize("parameter", ["class_weight", "priors", "costs", "feature_costs", "laplace"])
def test_factors_as_large_or_small_as_they_may_be(
    learner: str, parameter: str, size: float, tmp_path: Path
) -> None:
    values = {
        "class_weight": {0: size, 1: 1, 2: 1},
        "priors": [size, 1, 1],
        "costs": [[0, size, size], [1, 0, 1], [1, 1, 0]],
        "feature_costs": [size, 1, 1],
        "laplace": size,
    }
    if parameter in CLASSIFIERS[learner]().get_params():
        check_whole_life(CLASSIFIERS[learner](**{parameter: values[parameter]}).fit(X, CLASSES), tmp_path)


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_a_single_class(learner: str, tmp_path: Path) -> None:
    model = CLASSIFIERS[learner]().fit(X, np.ones(N, int))
    assert set(model.predict(X)) == {1}
    check_whole_life(model, tmp_path)


@pytest.mark.parametrize("learner", REGRESSORS)
def test_a_single_number(learner: str, tmp_path: Path) -> None:
    model = REGRESSORS[learner]().fit(X, np.ones(N))
    assert set(model.predict(X)) == {1.0}
    check_whole_life(model, tmp_path)


@pytest.mark.filterwarnings("ignore:The tree is a single leaf")
@pytest.mark.parametrize(
    "parameter", ["max_depth", "max_leaf_nodes", "max_nodes", "max_bins", "max_competitors", "max_surrogates",
                  "min_samples_leaf", "min_samples_split", "max_features", "max_terms"]
)  # fmt: skip
def test_whole_numbers_beyond_all_bounds_are_no_bounds(parameter: str, tmp_path: Path) -> None:
    for learner in [*CLASSIFIERS.values(), *REGRESSORS.values()]:
        model = learner()
        cart = isinstance(model, tw.CARTClassifier | tw.CARTRegressor)
        alone = {"surrogate", "hyperplane", "interval"} & {
            getattr(model, "missing", ""),
            *getattr(model, "splits", ()),
        }
        other = {"max_depth": cart, "max_bins": alone}
        if parameter in model.get_params() and not other.get(parameter):
            y = CLASSES if learner in CLASSIFIERS.values() else COUNTS
            check_whole_life(model.set_params(**{parameter: 10**30}).fit(X, y), tmp_path)
