"""scikit-learn's own tests of its trees, run on ours; `LEFT_OUT` has what is not run, with its reason."""

from __future__ import annotations

from typing import Any

import pytest
import sklearn.ensemble  # before its trees are replaced, so that forests keep them
import sklearn.tree

import treewright as tw
from helpers.sklearn_suite import global_random_seed, leave_out, named, suite, tests_of  # noqa: F401 (fixtures)
from helpers.sklearn_swap import TREES

pytestmark = pytest.mark.filterwarnings("ignore")

OTHER_CODE = "tests private code of scikit-learn that our classes do not use"
FORESTS = "tests forests: tests/forest/test_sklearn_suite.py runs it on ours"
ANY_CLASSES = "monotonic_cst goes with any number of classes"
MIDDLE = (
    "holds branches to the middle of earlier ones; ours are held to the leaves beside them (test_monotone.py)"
)
EXACT = "we grow on float64 and tell values apart that scikit-learn's float32 cannot"

LEFT_OUT: dict[str, str] = {
    "test_build_pruned_tree_py": OTHER_CODE,
    "test_build_pruned_tree_infinite_loop": OTHER_CODE,
    "test_huge_allocations": "a huge max_leaf_nodes is only a bound: we allocate for the leaves there are",
    ":RandomForest": FORESTS,
    ":ExtraTrees": FORESTS,
    "test_multiclass_raises": ANY_CLASSES,
    "test_1d_tree_nodes_values": MIDDLE,
    "test_nd_tree_nodes_values": MIDDLE,
    "test_1d_opposite_monotonicity_cst_data": "its targets have the mean -8.9e-17; added in order, 0",
    "test_big_input": EXACT,
    "test_almost_constant_feature": EXACT,
    ":single-non-missing": "known against missing is a split of threshold +inf, however it is found",
}
"""Tests that are not run and why; see `sklearn_suite`."""


SUITE, MONOTONIC_SUITE = (
    suite(f"sklearn.tree.tests.{name}", sklearn.tree, TREES) for name in ("test_tree", "test_monotonic_tree")
)
TESTS = tests_of(SUITE, MONOTONIC_SUITE)
globals().update(TESTS)


def test_the_suite_ran_on_our_classes() -> None:
    assert SUITE.CLF_TREES["DecisionTreeClassifier"] is tw.DecisionTreeClassifier
    assert sklearn.tree.DecisionTreeClassifier is not tw.DecisionTreeClassifier


def test_nothing_is_left_out_that_does_not_exist() -> None:
    assert named(LEFT_OUT) <= TESTS.keys()


@pytest.mark.parametrize("name", SUITE.SPARSE_TREES)
@pytest.mark.parametrize("container", SUITE.CSC_CONTAINERS)
def test_min_weight_fraction_leaf_on_sparse_tables_of_one_target(name: str, container: Any) -> None:
    SUITE.check_min_weight_fraction_leaf(name, "sparse-pos", sparse_container=container)
    SUITE.check_min_weight_fraction_leaf_with_min_samples_leaf(name, "sparse-mix", sparse_container=container)
