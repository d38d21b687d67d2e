"""Ctrl-C stops whatever takes long within a quarter of a second, and the model is as it was before."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

RNG = np.random.default_rng(0)
N = 200_000
X = RNG.normal(size=(N, 12))
CLASSES, NUMBERS = (X[:, 0] + RNG.normal(size=N) > 0).astype(int), X[:, 0] + RNG.normal(size=N)
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
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
    "rules": lambda: tw.RuleClassifier().fit(X[:20_000], CLASSES[:20_000]),
}


def repeat(call: Callable[[], Any]) -> None:
    """Call again and again: on a fast machine once may be over before Ctrl-C."""
    while True:
        call()


def latency(call: Callable[[], Any], after: float) -> float:
    """Processor seconds from Ctrl-C to the exception: what others do on the machine does not count."""
    sent = 0.0

    def interrupt() -> None:
        nonlocal sent
        sent = time.process_time()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        repeat(call)
    timer.join()
    return time.process_time() - sent


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
def test_paths_of_many_rows_are_stopped_at_once() -> None:
    model = tw.DecisionTreeClassifier(max_depth=10, n_jobs=1).fit(X[:20_000], CLASSES[:20_000])
    leaf = np.tile(model.tree_.leaves, 20_000)
    assert max(latency(lambda: model.tree_.paths(leaf), after) for after in (0.1, 0.3, 0.5)) < 0.25
