"""Rows through forests: many at once, few at once and one, all as the single trees send them."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw


def awkward(n: int, seed: int = 0) -> np.ndarray:
    """Columns whose values crowd, straggle, repeat or differ in their last digits only."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.standard_cauchy(n) ** 3,
        1e16 + 2 * rng.integers(0, 40, n),
        rng.integers(0, 3, n),
        rng.normal(size=n).round(2) * 1e-300,
        np.where(rng.random(n) < 0.5, rng.normal(size=n) * 1e-12, rng.normal(size=n) * 1e12),
        rng.normal(size=n),
    ]
    return np.stack(columns, axis=1)


def mixed(n: int, seed: int = 0) -> pd.DataFrame:
    """Numbers beside few, some and very many categories."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n).round(1)})
    for name, levels in (("two", 2), ("sixty", 60), ("seventy", 70), ("many", 3000)):
        table[name] = pd.Categorical.from_codes(
            rng.integers(0, levels, n), categories=[f"{name} {level}" for level in range(levels)]
        )
    return table


def target(X: Any, seed: int = 1) -> np.ndarray:
    """A target of three classes that depends on many columns."""
    numbers = pd.DataFrame(X).apply(lambda c: c.cat.codes if c.dtype == "category" else c.rank(pct=True) * 9)
    score = np.sin(numbers.to_numpy(float)).sum(axis=1) + np.random.default_rng(seed).normal(size=len(X)) / 4
    return np.digitize(score, np.quantile(score, [0.4, 0.7]))


def sums_by_tree(forest: Any, rows: Any) -> np.ndarray:
    """What the trees say of rows, each asked by itself and added in their order."""
    numbers, codes = forest._encode(rows)
    sums: Any = 0.0
    for tree in forest.trees_:
        value = tree.node_value
        if tree.schema.classes is not None:
            value = value / value.sum(axis=1, keepdims=True)
        sums = sums + value[tree.route(numbers, codes)]
    return np.asarray(sums)


def same_as_trees(forest: Any, rows: Any) -> None:
    """Leaves are the trees' own and sums the same to the last bit, for many rows and for few."""
    numbers, codes = forest._encode(rows)
    leaves = np.stack([tree.route(numbers, codes) for tree in forest.trees_], axis=1)
    sums = sums_by_tree(forest, rows)
    for threads in (1, 3):
        assert np.array_equal(forest.trees_.leaves(numbers, codes, threads), leaves)
        assert np.array_equal(forest.trees_.vote(numbers, codes, threads=threads)[0], sums)
    for some in (slice(0, 1), slice(3, 4), slice(5, 12), slice(7, 107)):
        assert np.array_equal(forest.trees_.leaves(numbers[some], codes[some]), leaves[some])
        assert np.array_equal(forest.trees_.vote(numbers[some], codes[some])[0], sums[some])


@pytest.mark.parametrize("max_depth", [1, 4, 5, 6, 10, 11, None])
@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.RandomForestRegressor])
def test_awkward_numbers_go_where_single_trees_send_them(kind: Any, max_depth: int | None) -> None:
    X, rows = awkward(600), awkward(3001, seed=2)
    rows[:600] = X
    forest = kind(20, max_depth=max_depth, max_features=2, random_state=0).fit(X, target(X))
    thresholds = np.concatenate([tree.threshold[tree.n_children > 0] for tree in forest.trees_])
    rows[1000:2000, 5] = np.random.default_rng(0).choice(thresholds, 1000)  # some exactly on a cut
    same_as_trees(forest, rows)
    same_as_trees(forest, np.asfortranarray(rows))


def test_a_column_of_more_thresholds_than_two_bytes_count() -> None:
    rng = np.random.default_rng(0)
    X, rows = rng.normal(size=(16_000, 2)), rng.normal(size=(90_000, 2))
    forest = tw.RandomForestRegressor(20, random_state=0, max_features=1).fit(X, rng.normal(size=16_000))
    column = np.concatenate([tree.threshold[tree.feature == 0] for tree in forest.trees_])
    assert len(np.unique(column)) > 65_534
    rows[:1000, 0] = rng.choice(column, 1000)
    rows[1000:1100, 1] = np.nan
    same_as_trees(forest, rows)


@pytest.mark.parametrize("missing", ["direction", "available"])
@pytest.mark.parametrize("share", [0.001, 0.3])
def test_missing_numbers_go_where_single_trees_send_them(missing: str, share: float) -> None:
    X, rows, rng = awkward(600), awkward(3000, seed=2), np.random.default_rng(3)
    y = target(X)
    X[rng.random(X.shape) < 0.2] = np.nan  # some cuts tell known from missing
    rows[rng.random(rows.shape) < share] = np.nan
    for max_depth in (5, None):
        same_as_trees(
            tw.RandomForestClassifier(12, max_depth=max_depth, missing=missing, random_state=0).fit(X, y),
            rows,
        )


@pytest.mark.parametrize("category_order", ["once", "node"])
@pytest.mark.parametrize("max_depth", [4, None])
@pytest.mark.parametrize("columns", [["a", "b", "two", "sixty", "seventy"], ["many", "two"], ["sixty"]])
def test_categories_go_where_single_trees_send_them(
    category_order: str, max_depth: int | None, columns: list[str]
) -> None:
    X, rows, rng = mixed(700), mixed(3000, seed=2), np.random.default_rng(3)
    settings = {"category_order": category_order, "max_depth": max_depth, "unseen": "majority"}
    forest = tw.RandomForestClassifier(15, max_features=2, random_state=0, **settings)
    forest.fit(X[columns], target(X[columns]))
    rows = rows[columns].astype({name: object for name in columns if name not in "ab"})
    for name in columns:
        rows.loc[rng.random(len(rows)) < 0.05, name] = np.nan
        if name not in "ab":
            rows.loc[rng.random(len(rows)) < 0.05, name] = "never seen"
    same_as_trees(forest, rows)


def test_a_forest_of_leaves_has_nothing_to_ask() -> None:
    X = awkward(2000)
    forest = tw.RandomForestClassifier(3, random_state=0).fit(X, np.zeros(2000))
    assert (forest.apply(X) == 0).all()
    assert (forest.predict_proba(X) == 1).all()


@contextmanager
def third_time() -> Iterator[None]:
    """Ctrl-C again and again; only the third is heeded, so that one call must have listened thrice."""
    heard, done = [], threading.Event()

    def handler(*_: object) -> None:
        heard.append(1)
        if len(heard) == 3:
            raise KeyboardInterrupt

    def press() -> None:
        while not done.wait(0.05):
            _thread.interrupt_main()

    before = signal.signal(signal.SIGINT, handler)
    thread = threading.Thread(target=press)
    try:
        thread.start()
        yield
    finally:
        done.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("work", ["vote", "leaves", "walk", "route", "spread"])
def test_predicting_stops_on_ctrl_c(work: str) -> None:
    X = awkward(300)
    forest = tw.RandomForestClassifier(50, random_state=0).fit(X, target(X))
    trees, tree = forest.trees_, forest.trees_[0]
    table = mixed(300)[["a", "sixty"]]
    by_table = tw.DecisionTreeClassifier(max_depth=6).fit(table, target(table)).tree_
    rows = np.broadcast_to(X[:1], (300_000_000, X.shape[1]))  # one row again and again: no memory, much to do
    codes = np.broadcast_to(np.int32(1), (len(rows), 1))
    calls: dict[str, Callable[[], object]] = {
        "vote": lambda: trees.vote(rows[:20_000_000], codes[:20_000_000, :0], threads=2),
        "leaves": lambda: trees.leaves(rows[:5_000_000], codes[:5_000_000, :0], threads=2),
        "walk": lambda: tree.route(rows, codes[:, :0]),
        "route": lambda: by_table.route(rows[:, :1], codes),
        "spread": lambda: tree.spread(rows[:20_000_000], codes[:20_000_000, :0], tree.node_value),
    }
    with pytest.raises(KeyboardInterrupt), third_time():
        calls[work]()
