"""scikit-learn's own tests of its trees, run on ours.

The test modules of the installed scikit-learn are executed with our classes in the place of its own. What is
left out stands in `LEFT_OUT`, each with its reason; everything else must pass.
"""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest
import sklearn.ensemble  # before its trees are replaced, so that forests keep them
import sklearn.tree

import treewright as tw
from treewright.estimators import estimator

pytestmark = pytest.mark.filterwarnings("ignore")

OTHER_CODE = "tests private code of scikit-learn that our classes do not use"
MULTI_OUTPUT = "several targets at once are refused with a clear sentence for now"
N_BY_1 = "reads tree_.value as an array of n × 1 × 1; ours is n × 1 (test_estimators.py checks the same)"
ANY_CLASSES = "monotonic_cst goes with any number of classes"
EXACT = "we grow on float64 and tell values apart that scikit-learn's float32 cannot"

LEFT_OUT: dict[str, str] = {
    "test_realloc": OTHER_CODE,
    "test_criterion_copy": OTHER_CODE,
    "test_check_n_classes": OTHER_CODE,
    "test_check_value_ndarray": OTHER_CODE,
    "test_check_node_ndarray": OTHER_CODE,
    "test_splitter_serializable": OTHER_CODE,
    "test_build_pruned_tree_py": OTHER_CODE,
    "test_build_pruned_tree_infinite_loop": OTHER_CODE,
    "test_absolute_errors_precomputation_function": OTHER_CODE,
    "test_different_endianness_pickle": OTHER_CODE,
    "test_different_endianness_joblib_pickle": OTHER_CODE,
    "test_different_bitness_pickle": OTHER_CODE,
    "test_different_bitness_joblib_pickle": OTHER_CODE,
    "test_huge_allocations": "a huge max_leaf_nodes is only a bound: we allocate for the leaves there are",
    "test_multioutput": MULTI_OUTPUT,
    "test_classes_shape": MULTI_OUTPUT,
    "test_class_weights": MULTI_OUTPUT,
    "test_class_weight_errors": MULTI_OUTPUT,
    "test_multiple_output_raises": MULTI_OUTPUT,
    "test_min_weight_fraction_leaf_on_sparse_input": MULTI_OUTPUT,
    "test_min_weight_fraction_leaf_with_min_samples_leaf_on_sparse_input": MULTI_OUTPUT,
    ":multilabel": MULTI_OUTPUT,
    ":RandomForest": OTHER_CODE,
    ":ExtraTrees": OTHER_CODE,
    "test_multiclass_raises": ANY_CLASSES,
    "test_nd_tree_nodes_values": N_BY_1,
    "test_assert_nd_reg_tree_children_monotonic_bounded": N_BY_1,
    "test_big_input": EXACT,
    "test_almost_constant_feature": EXACT,
    ":single-non-missing": "known against missing is a split of threshold +inf, however it is found",
    "test_missing_value_errors": "we take missing values in sparse tables too",
}
"""Tests that are not run and why, as `test`, `test:word of its parameters` or `:word of any parameters`."""


@estimator
class ExtraTreeClassifier(tw.DecisionTreeClassifier):
    """Our classifier with the defaults of scikit-learn's extremely randomised tree."""

    splitter: str = "random"
    max_features: int | float | str | None = "sqrt"


@estimator
class ExtraTreeRegressor(tw.DecisionTreeRegressor):
    """Our regressor with the defaults of scikit-learn's extremely randomised tree."""

    splitter: str = "random"
    max_features: int | float | str | None = 1.0


OURS: dict[str, Any] = {
    "DecisionTreeClassifier": tw.DecisionTreeClassifier,
    "DecisionTreeRegressor": tw.DecisionTreeRegressor,
    "ExtraTreeClassifier": ExtraTreeClassifier,
    "ExtraTreeRegressor": ExtraTreeRegressor,
}


def suite_on_our_classes(module_name: str) -> ModuleType:
    """Execute one of scikit-learn's test modules while `sklearn.tree` offers our classes."""
    spec = importlib.util.find_spec(f"sklearn.tree.tests.{module_name}")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for name, ours in OURS.items():
            patch.setattr(sklearn.tree, name, ours)
        spec.loader.exec_module(module)
    return module


def with_lists_of_values(test: Any) -> Any:
    """Give a test's parametrizations as lists; newer versions of pytest refuse mere iterators."""
    marks = getattr(test, "pytestmark", [])
    test.pytestmark = [
        pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs).mark
        if mark.name == "parametrize"
        else mark
        for mark in marks
    ]
    return test


SUITE, MONOTONIC_SUITE = map(suite_on_our_classes, ("test_tree", "test_monotonic_tree"))
TESTS = {
    name: with_lists_of_values(test)
    for name, test in (vars(SUITE) | vars(MONOTONIC_SUITE)).items()
    if name.startswith("test_")
}
globals().update(TESTS)


@pytest.fixture
def global_random_seed() -> int:
    """The seed that scikit-learn's tests take when none is chosen."""
    return 42


@pytest.fixture(autouse=True)
def leave_out(request: pytest.FixtureRequest) -> None:
    for left_out, reason in LEFT_OUT.items():
        test, _, word = left_out.partition(":")
        if test in ("", request.node.originalname) and word in request.node.name.partition("[")[2]:
            pytest.skip(reason)


def test_the_suite_ran_on_our_classes() -> None:
    assert SUITE.CLF_TREES["DecisionTreeClassifier"] is tw.DecisionTreeClassifier
    assert sklearn.tree.DecisionTreeClassifier is not tw.DecisionTreeClassifier


def test_nothing_is_left_out_that_does_not_exist() -> None:
    assert {left_out.partition(":")[0] for left_out in LEFT_OUT} <= TESTS.keys() | {""}


@pytest.mark.parametrize("name", SUITE.SPARSE_TREES)
@pytest.mark.parametrize("container", SUITE.CSC_CONTAINERS)
def test_min_weight_fraction_leaf_on_sparse_tables_of_one_target(name: str, container: Any) -> None:
    SUITE.check_min_weight_fraction_leaf(name, "sparse-pos", sparse_container=container)
    SUITE.check_min_weight_fraction_leaf_with_min_samples_leaf(name, "sparse-mix", sparse_container=container)
