"""Growing: threads, limits, and how class weights, priors and costs reach the core."""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from treewright.data import Dataset
from treewright.growing.grow_tree import count_features, grow, progress_bar, threads
from treewright.growing.recipe import Recipe


@pytest.fixture
def dataset() -> Dataset:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.where(X[:, 0] + rng.normal(size=200) > 0.5, "yes", "no")
    return Dataset.from_table(X, y, task="classification")


def test_threads_follow_n_jobs_and_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("treewright.growing.grow_tree"), "_available_cores", lambda: 4)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert [threads(n_jobs) for n_jobs in (None, -1, -2, -9, 1, 3, 10**6)] == [4, 4, 3, 1, 1, 3, 4]
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert (threads(None), threads(-1)) == (2, 4)
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert threads(None) == 4


@pytest.mark.parametrize("n_jobs", [0, 1.5, True, "all"])
def test_threads_refuse_what_is_no_number_of_threads(n_jobs: Any) -> None:
    with pytest.raises(ValueError, match=f"n_jobs must be .* Got {n_jobs!r}"):
        threads(n_jobs)


@pytest.mark.parametrize(
    ("max_features", "looked_at"), [(None, 10), ("sqrt", 3), ("log2", 3), (0.25, 2), (0.01, 1), (4, 4)]
)
def test_features_are_counted_as_in_scikit_learn(max_features: Any, looked_at: int) -> None:
    assert count_features(max_features, 10) == looked_at


@pytest.mark.parametrize("order", ["depth_first", "breadth_first", "best_first"])
def test_an_unbounded_tree_is_the_same_in_every_order(dataset: Dataset, order: str) -> None:
    by_order = grow(dataset, Recipe("gini", order=order))
    first = grow(dataset, Recipe("gini"))
    assert by_order.n_leaves == first.n_leaves
    leaves = [tree.route(dataset.numbers, dataset.codes) for tree in (by_order, first)]
    assert len(set(zip(*map(np.ndarray.tolist, leaves), strict=True))) == first.n_leaves


@pytest.mark.parametrize(
    "limit",
    [
        {"max_depth": 2},
        {"max_leaf_nodes": 6},
        {"max_nodes": 9},
        {"min_samples_leaf": 11},
        {"min_samples_leaf": 0.055},
        {"min_samples_split": 40},
        {"min_samples_split": 0.2},
        {"min_weight_fraction_leaf": 0.055},
    ],
)
def test_limits_hold(dataset: Dataset, limit: dict[str, Any]) -> None:
    tree = grow(dataset, Recipe("entropy", order="best_first", **limit))
    inner = tree.n_children > 0
    assert 1 < tree.node_count < grow(dataset, Recipe("entropy")).node_count
    assert tree.depth <= limit.get("max_depth", np.inf)
    assert tree.n_leaves <= limit.get("max_leaf_nodes", np.inf)
    assert tree.node_count <= limit.get("max_nodes", np.inf)
    if "min_samples_split" in limit:
        assert tree.count[inner].min() >= 40
    if "min_samples_leaf" in limit or "min_weight_fraction_leaf" in limit:
        assert tree.count.min() >= 11


def test_min_impurity_decrease_counts_the_share_of_rows(dataset: Dataset) -> None:
    tree = grow(dataset, Recipe("gini", min_impurity_decrease=0.01))
    mass = tree.weight * tree.impurity / tree.weight[0]
    for node in np.flatnonzero(tree.n_children).tolist():
        assert mass[node] - mass[list(tree.children(node))].sum() >= 0.01 - 1e-12


def test_min_merit_must_be_exceeded(dataset: Dataset) -> None:
    tree = grow(dataset, Recipe("entropy", min_merit=0.2))
    assert (tree.merit[tree.n_children > 0] > 0.2).all()


def test_balanced_classes_weigh_the_same(dataset: Dataset) -> None:
    root = grow(dataset, Recipe("gini", class_weight="balanced", max_depth=1)).node_value[0]
    assert root == pytest.approx([100.0, 100.0])


def test_altered_priors_equal_class_weights_in_the_search(dataset: Dataset) -> None:
    """With two classes, costs a : b choose the splits of class weights a : b (Breiman et al., 1984, §4.4)."""
    by_costs = grow(dataset, Recipe("gini", costs=((0.0, 3.0), (1.0, 0.0)), max_depth=3))
    by_weight = grow(dataset, Recipe("gini", class_weight=(3.0, 1.0), max_depth=3))
    assert by_costs.splits.threshold.tolist() == by_weight.splits.threshold.tolist()
    assert by_costs.label.tolist() == by_weight.label.tolist()
    assert by_costs.node_value.sum() < by_weight.node_value.sum()  # costs leave the statistics alone


def test_a_criterion_must_suit_the_target(dataset: Dataset) -> None:
    with pytest.raises(ValueError, match="Unknown criterion for this target 'squared_error'"):
        grow(dataset, Recipe("squared_error"))


def test_progress_is_told_the_share_done() -> None:
    rng = np.random.default_rng(0)
    dataset = Dataset.from_table(rng.normal(size=(200_000, 8)), rng.normal(size=200_000), task="regression")
    told: list[float] = []
    grow(dataset, Recipe("squared_error"), n_jobs=1, progress=told.append)
    assert told == sorted(told)
    assert all(0 <= share <= 1 for share in told)
    assert len(told) > 1
    assert told[-1] == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_progress_raises_stops_the_growing(n_jobs) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300_000, 10))
    dataset = Dataset.from_table(X, rng.normal(size=len(X)), task="regression")

    def refuse(share: float) -> None:
        raise InterruptedError(f"at {share:.0%}")

    with pytest.raises(InterruptedError, match=r"at .*%") as raised:
        grow(dataset, Recipe("squared_error"), n_jobs=n_jobs, progress=refuse)
    assert "100%" not in str(raised.value)  # on the way, and not when all is done
    assert grow(dataset, Recipe("squared_error", max_depth=1), n_jobs=n_jobs).n_leaves == 2


def leaky(n_rows: int, n_features: int) -> Dataset:
    """Rows of three classes, whose last feature is the class under other names."""
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % 3
    X = np.column_stack([rng.normal(size=(n_rows, n_features - 1)), 7.0 - 2 * y])
    return Dataset.from_table(X, y, task="classification")


def test_a_feature_that_renames_the_classes_is_a_leak() -> None:
    with pytest.warns(UserWarning, match="column 'x3' alone separates the classes: leak?"):
        grow(leaky(120, 4), Recipe("gini"))


@pytest.mark.parametrize(
    "dataset",
    [
        leaky(60, 4),  # by chance, in few rows
        leaky(120, 2),  # among few features
        Dataset.from_table(np.random.default_rng(0).normal(size=(200, 3)), [0] * 200, task="classification"),
        # many values, of which a cut separates the classes, as the petals of irises do
        Dataset.from_table(
            np.random.default_rng(0).permuted(np.tile(np.arange(150.0), (3, 1)), axis=1).T,
            np.arange(150) > 50,
            task="classification",
        ),
    ],
)
def test_small_tables_and_perfect_cuts_are_no_leak(dataset: Dataset) -> None:
    grow(dataset, Recipe("gini"))  # warnings are errors here


def test_a_tree_that_cannot_grow_although_depth_was_asked_for_warns() -> None:
    alike = Dataset.from_table(np.ones((6, 2)), [0, 1] * 3, task="classification")
    with pytest.warns(UserWarning, match="The tree is a single leaf although its rows differ in target"):
        assert len(grow(alike, Recipe("gini", max_depth=3))) == 1
    assert len(grow(alike, Recipe("gini"))) == 1  # no depth asked for, no warning
    pure = Dataset.from_table(np.arange(6.0)[:, None], [1] * 6, task="classification")
    assert len(grow(pure, Recipe("gini", max_depth=3))) == 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_is_one_line_and_only_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert progress_bar(0) is None
    show = progress_bar(1)
    assert show is not None
    show(0.5)
    show(1.0)
    assert terminal.getvalue().count("\n") == 1
    assert " 50%" in terminal.getvalue()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress_bar(1) is None
