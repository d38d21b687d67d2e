"""scikit-learn's own tests of its forests, run on ours; `LEFT_OUT` has what is not run, with its reason."""

from __future__ import annotations

import pytest
import sklearn.ensemble

import treewright as tw
from helpers.sklearn_suite import global_random_seed, leave_out, named, suite, tests_of  # noqa: F401 (fixtures)
from helpers.sklearn_swap import FORESTS

pytestmark = pytest.mark.filterwarnings("ignore")

PRIVATE = "reads private attributes of scikit-learn's forests"
TREES = "tests trees: tests/estimators/test_sklearn_suite.py runs it on ours"
CHANCE = "compares a random figure with a bound that scikit-learn's own seeds were chosen for"

LEFT_OUT: dict[str, str] = {
    "test_validate_y_class_weight": PRIVATE,
    "test_class_weights_forest": PRIVATE,
    "test_backend_respected": "threads live in the core: no joblib backend is asked",
    "test_mse_criterion_object_segfault_smoke_test": "a criterion is a name",
    "test_importances_asymptotic": CHANCE,
    ":DecisionTree": TREES,
    "test_1d_opposite_monotonicity_cst_data": TREES,
    "test_1d_tree_nodes_values": TREES,
    "test_nd_tree_nodes_values": TREES,
    "test_multiclass_raises": "monotonic_cst goes with any number of classes",
}
"""Tests that are not run and why; see `sklearn_suite`."""

SUITE, MONOTONIC_SUITE = (
    suite(f"sklearn.{name}", sklearn.ensemble, FORESTS)
    for name in ("ensemble.tests.test_forest", "tree.tests.test_monotonic_tree")
)
TESTS = tests_of(SUITE, MONOTONIC_SUITE)
globals().update(TESTS)


def test_the_suite_ran_on_our_classes() -> None:
    assert SUITE.FOREST_CLASSIFIERS["RandomForestClassifier"] is tw.RandomForestClassifier


def test_nothing_is_left_out_that_does_not_exist() -> None:
    assert named(LEFT_OUT) <= TESTS.keys()
