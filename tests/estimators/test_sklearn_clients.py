"""scikit-learn's tests of what uses trees and forests, with ours; `LEFT_OUT` has what is not run, and why."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.sklearn_suite import named

MODULES = {
    "ensembles": [
        f"ensemble.tests.test_{name}" for name in ("bagging", "common", "voting", "weight_boosting")
    ],
    "stacking": ["ensemble.tests.test_stacking"],
    "inspection": [
        "inspection.tests.test_partial_dependence",
        "inspection.tests.test_permutation_importance",
        "inspection._plot.tests.test_boundary_decision_display",
        "tree.tests.test_export",
    ],
    "selection": [
        "feature_selection.tests.test_from_model",
        "feature_selection.tests.test_rfe",
        "model_selection.tests.test_classification_threshold",
        "model_selection.tests.test_plot",
        "model_selection.tests.test_search",
        "model_selection.tests.test_validation",
    ],
    "others": [
        "metrics._plot.tests.test_common_curve_display",
        "metrics.tests.test_score_objects",
        "semi_supervised.tests.test_self_training",
        "tests.test_base",
        "tests.test_calibration",
        "tests.test_multiclass",
        "tests.test_multioutput",
        "tests.test_pipeline",
        "utils.tests.test_class_weight",
        "utils.tests.test_response",
        "utils.tests.test_validation",
    ],
}

CHANCE = "compares figures of a handful of rows that scikit-learn's own draws give"
OTHER_CODE = "tests the default of another class of scikit-learn, which is its own tree"
SLOW = "spends seconds on support vector machines or processes, not on trees"

LEFT_OUT = {
    "test_bagging.test_estimator": OTHER_CODE,
    "test_bagging.test_oob_score_classification": SLOW,
    "test_bagging.test_parallel_classification": SLOW,
    "test_voting.test_set_estimator_drop": CHANCE,
    "test_rfe.test_rfe_features_importance": CHANCE,
    "test_voting.test_parallel_fit": SLOW,
    "test_partial_dependence.test_recursion_decision_tree_vs_forest_and_gbdt": (
        "compares the tree with that of scikit-learn's gradient boosting, which draws another of equal splits"
    ),
    "test_base.test_pickle_version_warning_is_not_raised_with_matching_version": (
        "pickles carry treewright's version, not scikit-learn's"
    ),
    "test_multioutput.test_multi_output_classification_sample_weights": CHANCE,
    "test_multioutput.test_classifier_chain_tuple_order": CHANCE,
}
"""Tests that are not run and why, as `module.test` or `module.test:word of its parameters`."""


def test_nothing_is_left_out_of_modules_that_are_not_run() -> None:
    modules = {name.rpartition(".")[2] for names in MODULES.values() for name in names}
    assert {test.partition(".")[0] for test in named(LEFT_OUT)} <= modules


@pytest.mark.slow
@pytest.mark.parametrize("group", MODULES)
def test_what_uses_trees_works_with_ours(group: str, tmp_path: Path) -> None:
    tests = Path(__file__).parent.parent
    command = [sys.executable, "-m", "pytest", "-p", "helpers.sklearn_swap", "-p", "no:cacheprovider"]
    command += ["-c", os.devnull, f"--rootdir={tmp_path}", "-q", "--tb=short", "-W", "ignore"]
    command += ["--left-out", " ".join(LEFT_OUT), "--pyargs", *(f"sklearn.{name}" for name in MODULES[group])]
    run = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tests)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
    passed = re.search(r"(\d+) passed", run.stdout)
    assert passed is not None
    assert int(passed[1]) >= 10
