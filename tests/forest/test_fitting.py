"""Fitting forests: scikit-learn's parameters and tools, hard tables, warm starts, progress, interrupts."""

from __future__ import annotations

import inspect
import io
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import treewright as tw
from treewright.errors import DataError

FORESTS = ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor")
X, Y = load_iris(return_X_y=True, as_frame=True)


# ---- scikit-learn's parameters, attributes and tools -----------------------------------------------


@pytest.mark.parametrize("name", FORESTS)
def test_every_parameter_of_scikit_learns_has_its_default(name: str) -> None:
    theirs, ours = (
        inspect.signature(getattr(package, name)).parameters for package in (sklearn.ensemble, tw)
    )
    for parameter, described in theirs.items():
        assert ours[parameter].default == described.default, parameter
        assert ours[parameter].kind == described.kind, parameter


@pytest.mark.parametrize("name", FORESTS)
def test_every_public_attribute_of_scikit_learns_is_there(name: str) -> None:
    theirs, ours = (
        getattr(package, name)(30, bootstrap=True, oob_score=True, random_state=0).fit(X, Y)
        for package in (sklearn.ensemble, tw)
    )
    internal = {"estimator_params", "class_weight"}  # how its classes are put together
    expected = {word for word in dir(theirs) if not word.startswith("_")} - internal
    assert all(hasattr(ours, word) for word in expected)
    for word in expected:
        one, other = getattr(theirs, word), getattr(ours, word)
        if callable(one):
            assert list(inspect.signature(one).parameters) == list(inspect.signature(other).parameters), word
        elif isinstance(one, np.ndarray):
            assert (one.shape, one.dtype) == (other.shape, other.dtype), word
        elif word not in ("estimator", "estimator_", "estimators_"):
            assert type(one) is type(other), word
    assert type(ours.estimators_[0]) is type(ours.estimator_)
    assert len(ours.estimators_) == len(ours) == 30


@pytest.mark.parametrize("max_features", [1, 2, 0.3, 0.01, "sqrt", "log2", None, 1.0])
def test_max_features_counts_as_scikit_learn_does(max_features: Any) -> None:
    table = np.random.default_rng(0).normal(size=(60, 10))
    theirs, ours = (
        package.RandomForestClassifier(2, max_features=max_features).fit(table, np.arange(60) % 2)
        for package in (sklearn.ensemble, tw)
    )
    assert ours.max_features_ == ours.estimators_[0].max_features_ == theirs.estimators_[0].max_features_


def test_forests_go_with_scikit_learns_tools() -> None:
    model = tw.RandomForestClassifier(10, random_state=0)
    assert make_pipeline(StandardScaler(), model).fit(X, Y).score(X, Y) > 0.95
    search = GridSearchCV(model, {"max_depth": [1, 3], "max_features": [1, "sqrt", 0.5]}, cv=2)
    assert search.fit(X, Y).best_score_ > 0.9
    assert cross_val_score(model, X, Y, cv=3, n_jobs=2).mean() > 0.9
    assert CalibratedClassifierCV(model, cv=2).fit(X, Y).predict_proba(X).shape == (150, 3)
    assert permutation_importance(clone(model).fit(X, Y), X, Y, n_repeats=2).importances_mean.argmax() >= 2
    file = io.BytesIO()
    joblib.dump(model.fit(X, Y), file)
    file.seek(0)
    assert np.array_equal(joblib.load(file).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("weight", [{0: 1, 1: 5, 2: 1}, [{0: 1, 1: 5, 2: 1}]])
def test_class_weights_come_as_a_dict_or_a_list_of_one(weight: Any) -> None:
    forest = tw.RandomForestClassifier(40, class_weight=weight, max_depth=1, random_state=0).fit(X, Y)
    shares = np.mean([tree.node_value[0] / tree.node_value[0].sum() for tree in forest.trees_], axis=0)
    np.testing.assert_allclose(shares, [1 / 7, 5 / 7, 1 / 7], atol=0.02)


@pytest.mark.parametrize("name", FORESTS)
def test_refusals_name_the_forest(name: str) -> None:
    model = getattr(tw, name)(3)
    with pytest.raises(DataError, match=f"is required by {name}"):
        model.fit(X[:0], Y[:0])
    wrong = np.array(list("abc"))[Y] if "Regressor" in name else Y + 0.5
    with pytest.raises(DataError, match=name.replace("Classifier", "Regressor")):
        model.fit(X, wrong)


# ---- hard tables -----------------------------------------------------------------------------------


def many_categories() -> tuple[pd.DataFrame, pd.Series]:
    """A feature of 10,000 categories, of which each third tells the class, with gaps."""
    rng = np.random.default_rng(0)
    code = rng.integers(0, 10_000, 6000)
    table = pd.DataFrame({"code": [f"v{k}" for k in code], "x": rng.normal(size=6000)})
    outcome = pd.Series(np.where(code % 3 == 0, table["x"] > 0, rng.random(6000) < 0.5))
    table.loc[::7, "code"] = None
    table.loc[::5, "x"] = np.nan
    return table, outcome


@pytest.mark.parametrize(
    "missing",
    ["direction", "available", "value", "mean", "median", "mode", "class_mode", "fractional", "surrogate",
     {"code": "value", "x": "median"}],
    ids=str,
)  # fmt: skip
def test_ten_thousand_categories_with_gaps_under_every_policy(missing: Any) -> None:
    table, outcome = many_categories()
    forest = tw.RandomForestClassifier(3, missing=missing, max_depth=6, random_state=0, oob_score=True)
    with pytest.warns(UserWarning, match="OOB"):
        forest.fit(table, outcome)
    strange = table[:200].assign(code="never seen")
    shares = forest.predict_proba(strange)
    np.testing.assert_allclose(shares, np.mean([tree.predict_proba(strange) for tree in forest], axis=0))
    assert forest.score(table, outcome) > 0.55
    with pytest.warns(UserWarning, match="OOB"):
        again = clone(forest).set_params(n_jobs=2).fit(table, outcome)
    assert again.trees_ == forest.trees_


def test_rows_of_no_weight_change_nothing() -> None:
    counted = np.arange(150) % 4 > 0
    for kind in (tw.ExtraTreesClassifier, tw.ExtraTreesRegressor):
        weighed = kind(4, random_state=0).fit(X, Y, sample_weight=counted * 1.0)
        assert weighed.trees_ == kind(4, random_state=0).fit(X[counted], Y[counted]).trees_
    drawn = tw.RandomForestClassifier(30, random_state=0).fit(X, Y, sample_weight=counted * 1.0)
    assert all(counted[rows].all() for rows in drawn.estimators_samples_)


def test_nothing_to_split_gives_the_mean() -> None:
    constant = np.ones((20, 3))
    forest = tw.RandomForestClassifier(50, random_state=0).fit(constant, np.arange(20) < 5)
    drawn = np.mean([(rows < 5).mean() for rows in forest.estimators_samples_])
    assert forest.predict_proba(constant[:1])[0, 1] == pytest.approx(drawn)
    assert forest.feature_importances_.tolist() == [0.0, 0.0, 0.0]
    assert tw.ExtraTreesRegressor(3).fit(constant, np.arange(20.0)).predict(constant[:1]) == [9.5]


# ---- warm starts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "target", "sentence"),
    [
        (X[:100], Y[:100], "X has 100 rows: warm_start goes on from a fit with 150 rows"),
        (X.iloc[:, :2], Y, "X has other columns or categories than the fit that warm_start goes on from"),
        (X, Y + 1, r"y has the classes \[1, 2, 3\]: warm_start goes on from a fit with \[0, 1, 2\]"),
    ],
)
def test_a_warm_start_goes_on_with_the_same_table_only(table: Any, target: Any, sentence: str) -> None:
    forest = tw.RandomForestClassifier(3, warm_start=True, random_state=0).fit(X, Y)
    with pytest.raises(DataError, match=sentence):
        forest.set_params(n_estimators=5).fit(table, target)
    assert len(forest.trees_) == 3


def test_a_fit_that_fails_at_the_end_leaves_the_forest_as_it_was() -> None:
    def refuse(true: Any, said: Any) -> float:
        raise ZeroDivisionError

    forest = tw.RandomForestClassifier(30, random_state=0).fit(X, Y).set_params(oob_score=refuse)
    before = dict(forest.__dict__)
    with pytest.raises(ZeroDivisionError):
        forest.set_params(random_state=1).fit(X[:120], Y[:120])
    assert forest.__dict__ == before | {"random_state": 1}


# ---- progress and interrupts -----------------------------------------------------------------------

PREPARE = """
import numpy as np, signal, sys, threading, time, treewright as tw
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.normal(size=({n_rows}, 10)), rng.integers(0, 2, {n_rows})
forest = tw.RandomForestClassifier({n_trees}, random_state=0, verbose=1, n_jobs=1)

def again_and_again(work):
    def say():
        begin = time.process_time()
        while time.process_time() < begin + 0.3:  # however busy the machine is
            time.sleep(0.01)
        print("begun", file=sys.stderr, flush=True)
    threading.Thread(target=say, daemon=True).start()
    while True:
        work()

"""


@contextmanager
def running(code: str, **settings: int) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run Python on a terminal of its own; its standard error is read from the number given."""
    ours, theirs = pty.openpty()
    source = str(Path(tw.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", PREPARE.format(**settings) + code],
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": source},
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def read_until(terminal: int, words: bytes) -> bytes:
    seen = b""
    while words not in seen:
        try:
            seen += os.read(terminal, 4096)
        except OSError:  # the other side has gone
            break
    return seen


def test_a_terminal_shows_how_far_the_fit_is_and_how_long_it_will_take() -> None:
    with running("forest.fit(X, y)", n_rows=20_000, n_trees=40) as (_, terminal):
        seen = read_until(terminal, b"100%")
    assert b"growing [" in seen
    assert b" s left" in seen
    assert b"100%" in seen


# Said when the work is under way: Python may lose an interrupt that comes while a module is imported.
INTERRUPTED = {
    "fit": (b"growing [", "forest.fit(X, y)", {"n_rows": 50_000, "n_trees": 10_000}),
    "importances": (
        b"shuffling [",
        "forest.fit(X, y).importances(X, y, n_repeats=100)",
        {"n_rows": 1000, "n_trees": 200},
    ),
    "proximity": (
        b"begun",
        "near = forest.fit(X[:5000], y[:5000]).proximity(X); again_and_again(lambda: near.nearest(5))",
        {"n_rows": 100_000, "n_trees": 20},
    ),
    "standard errors": (
        b"begun",
        "forest.fit(X, y); again_and_again(lambda: forest.standard_error(np.tile(X, (200, 1))))",
        {"n_rows": 5000, "n_trees": 20},
    ),
}


@pytest.mark.parametrize("work", INTERRUPTED)
def test_an_interrupt_stops_long_work(work: str) -> None:
    begun, code, settings = INTERRUPTED[work]
    with running(code, **settings) as (process, terminal):
        assert begun in read_until(terminal, begun)
        process.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in read_until(terminal, b"KeyboardInterrupt")
        assert process.wait() != 0
