"""Ctrl-C stops whatever takes long within a quarter of a second, and the model is as it was before."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

import treewright as tw
from helpers.interrupting import interrupted_after
from treewright.files.workspace import Workspace
from treewright.forest.out_of_bag import predict_out_of_bag

RNG = np.random.default_rng(0)
N = 200_000
X = RNG.normal(size=(N, 12))
CLASSES, NUMBERS = (X[:, 0] + RNG.normal(size=N) > 0).astype(int), X[:, 0] + RNG.normal(size=N)
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
SPARSE = csr_matrix(np.where(np.abs(X) > 1.5, X, 0.0))
CATEGORIES = pd.DataFrame({f"c{at}": pd.Categorical(RNG.integers(0, 300, N).astype(str)) for at in range(4)})

LONG: dict[str, Callable[[], Any]] = {
    "tree": lambda: tw.DecisionTreeClassifier(n_jobs=1).fit(X, CLASSES),
    "tree with surrogates": lambda: tw.DecisionTreeClassifier(n_jobs=1, missing="surrogate").fit(
        GAPS, CLASSES
    ),
    "tree with shared rows": lambda: tw.DecisionTreeClassifier(n_jobs=1, missing="fractional").fit(
        GAPS, CLASSES
    ),
    "intervals": lambda: tw.DecisionTreeClassifier(n_jobs=1, splits=("interval",)).fit(X, CLASSES),
    "absolute error": lambda: tw.DecisionTreeRegressor(n_jobs=1, criterion="absolute_error").fit(X, NUMBERS),
    "C4.5": lambda: tw.C45Classifier(n_jobs=1).fit(X, CLASSES),
    "C4.5 with missing values": lambda: tw.C45Classifier(n_jobs=1).fit(GAPS, CLASSES),
    "C4.5 with categories": lambda: tw.C45Classifier(n_jobs=1, binary_splits=True).fit(CATEGORIES, CLASSES),
    "CART": lambda: tw.CARTClassifier(n_jobs=1).fit(GAPS, CLASSES),
    "CART as rpart": lambda: tw.CARTClassifier(n_jobs=1, compat="rpart").fit(X, CLASSES),
    "forest": lambda: tw.RandomForestClassifier(n_jobs=1).fit(X, CLASSES),
    "several targets": lambda: tw.DecisionTreeRegressor(n_jobs=1).fit(X, np.c_[NUMBERS, X[:, 1] * NUMBERS]),
    "sparse table": lambda: tw.DecisionTreeClassifier(n_jobs=1).fit(SPARSE, CLASSES),
    "sparse forest": lambda: tw.RandomForestClassifier(n_jobs=1).fit(SPARSE, CLASSES),
    "linear leaves": lambda: tw.TreeRegressor(leaves="linear", n_jobs=1).fit(X, NUMBERS),
    "optimal tree": lambda: tw.OptimalTreeClassifier(max_depth=3, n_jobs=1).fit(X[:20_000], CLASSES[:20_000]),
    "rules": lambda: tw.RuleClassifier().fit(X[:20_000], CLASSES[:20_000]),
}


def repeat(call: Callable[[], Any]) -> None:
    """Call again and again: on a fast machine once may be over before Ctrl-C."""
    while True:
        call()


def latency(call: Callable[[], Any], after: float) -> float:
    """Processor seconds from Ctrl-C to the exception: what others do on the machine counts in neither.

    Nobody's garbage is collected meanwhile: Python loses a Ctrl-C that falls into the callback of a weak
    reference, and tests that ran before this one may have left such references behind.
    """
    gc.collect()
    gc.disable()
    try:
        with interrupted_after(after) as found:
            repeat(call)
        return time.process_time() - found.pressed
    finally:
        gc.enable()


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("name", LONG)
def test_whatever_takes_long_is_stopped_at_once(name: str) -> None:
    assert latency(LONG[name], 0.15) < 0.25


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_predicting_many_rows_is_stopped_at_once() -> None:
    model = tw.DecisionTreeClassifier(max_depth=10, n_jobs=1).fit(X[:20_000], CLASSES[:20_000])
    forest = tw.RandomForestClassifier(20, n_jobs=1).fit(X[:20_000], CLASSES[:20_000])
    many = np.tile(X, (10, 1))
    assert latency(lambda: [model.predict(many) for _ in range(1000)], 0.1) < 0.25
    assert latency(lambda: forest.predict(many), 0.1) < 0.25


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("weighted", [False, True])
def test_drawing_many_rows_is_stopped_at_once(weighted: bool) -> None:
    """The rows of one tree: of a forest that grows, that votes out of bag, or whose draws are asked for."""
    draws, classes = 2**32 - 1, [0, 1] * 10
    weight = np.arange(1.0, 21) if weighted else None
    for table, options in ((X[:20], {}), (X[:20], {"criterion": "twoing"}), (SPARSE[:20], {})):
        forest = tw.RandomForestClassifier(1, random_state=0, n_jobs=1, **options)
        endless = clone(forest).set_params(max_samples=draws)
        assert latency(partial(endless.fit, table, classes, sample_weight=weight), 0.15) < 0.25
        forest.fit(table, classes, sample_weight=weight)
        many = replace(forest.draws_, n_draws=draws)
        rows = forest._training_rows(table, classes)
        vote = partial(predict_out_of_bag, forest.trees_, many, rows, hard=False, threads=1)
        assert latency(vote, 0.15) < 0.25
    assert latency(lambda: many.times(0), 0.15) < 0.25


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_explaining_and_certifying_are_stopped_at_once() -> None:
    forest = tw.RandomForestRegressor(10, max_depth=10, n_jobs=1).fit(X[:10_000], NUMBERS[:10_000])
    assert latency(lambda: forest.shap_values(X[:20_000]), 0.15) < 0.25
    assert latency(lambda: forest.shap_values(X[:2_000], interactions=True), 0.15) < 0.25
    model = tw.DecisionTreeClassifier(max_depth=10).fit(X[:10_000], CLASSES[:10_000])
    text = model.export("python")
    assert latency(lambda: tw.certify(model, text, "python", n_random=20_000), 0.15) < 0.25


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_paths_of_many_rows_are_stopped_at_once() -> None:
    model = tw.DecisionTreeClassifier(max_depth=10, n_jobs=1).fit(X[:20_000], CLASSES[:20_000])
    leaf = np.tile(model.tree_.leaves, 20_000)
    assert max(latency(lambda: model.tree_.paths(leaf), after) for after in (0.1, 0.3, 0.5)) < 0.25


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_reading_a_table_is_stopped_at_once() -> None:
    """DuckDB, which reads it, tells of Ctrl-C by an error of its own."""

    def read() -> None:
        with Workspace() as workspace:
            workspace.answer("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b")

    assert latency(read, 0.2) < 0.25
