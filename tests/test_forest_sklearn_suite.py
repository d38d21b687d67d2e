"""scikit-learn's own tests of its forests, run on ours; `LEFT_OUT` has what is not run, with its reason."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest
import sklearn.ensemble

import treewright as tw

pytestmark = pytest.mark.filterwarnings("ignore")

MULTI_OUTPUT = "several targets at once are refused with a clear sentence for now"
PRIVATE = "reads private attributes of scikit-learn's forests"
CHANCE = "compares a random figure with a bound that scikit-learn's own seeds were chosen for"
WORDS = "the same refusal in other words"

LEFT_OUT: dict[str, str] = {
    "test_multioutput": MULTI_OUTPUT,
    "test_multioutput_string": MULTI_OUTPUT,
    "test_classes_shape": MULTI_OUTPUT,
    "test_memory_layout": MULTI_OUTPUT,
    "test_sparse_input": MULTI_OUTPUT,
    "test_class_weights_forest": MULTI_OUTPUT,
    "test_class_weight_errors": MULTI_OUTPUT,
    "test_class_weight_balanced_and_bootstrap_multi_output": MULTI_OUTPUT,
    "test_classifier_error_oob_score_multiclass_multioutput": MULTI_OUTPUT,
    "test_forest_multioutput_integral_regression_target": MULTI_OUTPUT,
    "test_forest_classifier_oob:X3": MULTI_OUTPUT,
    "test_forest_regressor_oob:X1": MULTI_OUTPUT,
    "test_validate_y_class_weight": PRIVATE,
    "test_max_samples_geq_one": PRIVATE,
    "test_oob_not_computed_twice": PRIVATE,
    "test_classification_toy": PRIVATE,
    "test_backend_respected": "threads live in the core: no joblib backend is asked",
    "test_mse_criterion_object_segfault_smoke_test": "a criterion is a name",
    "test_importances_asymptotic": CHANCE,
    "test_distribution": CHANCE,
    "test_forest_regressor_oob:X0-y0-0.7": CHANCE,
    "test_poisson_y_positive_check": WORDS,
    "test_max_samples_bootstrap": WORDS,
    "test_forest_y_sparse": WORDS,
}
"""Tests that are not run and why, as `test` or `test:word of its parameters`."""

OURS = {
    name: getattr(tw, name)
    for name in (
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
    )
}


def suite_on_our_classes() -> ModuleType:
    spec = importlib.util.find_spec("sklearn.ensemble.tests.test_forest")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for name, ours in OURS.items():
            patch.setattr(sklearn.ensemble, name, ours)
        spec.loader.exec_module(module)
    return module


def with_lists_of_values(test: Any) -> Any:
    """Give a test's parametrizations as lists; newer versions of pytest refuse mere iterators."""
    test.pytestmark = [
        pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs).mark
        if mark.name == "parametrize"
        else mark
        for mark in getattr(test, "pytestmark", [])
    ]
    return test


SUITE = suite_on_our_classes()
TESTS = {name: with_lists_of_values(test) for name, test in vars(SUITE).items() if name.startswith("test_")}
globals().update(TESTS)


@pytest.fixture
def global_random_seed() -> int:
    """The seed that scikit-learn's tests take when none is chosen."""
    return 42


@pytest.fixture(autouse=True)
def leave_out(request: pytest.FixtureRequest) -> None:
    for left_out, reason in LEFT_OUT.items():
        test, _, word = left_out.partition(":")
        if test == request.node.originalname and word in request.node.name.partition("[")[2]:
            pytest.skip(reason)


def test_the_suite_ran_on_our_classes() -> None:
    assert SUITE.FOREST_CLASSIFIERS["RandomForestClassifier"] is tw.RandomForestClassifier


def test_nothing_is_left_out_that_does_not_exist() -> None:
    assert {left_out.partition(":")[0] for left_out in LEFT_OUT} <= TESTS.keys()
