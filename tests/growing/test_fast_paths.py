"""On larger tables, where the core takes its fast paths, it grows the tree of the plain one."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helpers.recompute import check_tree
from helpers.tables import large_table
from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe
from treewright.tree import Tree

LARGE = [
    ("gini", 2, False, None),
    ("gini", 2, True, None),
    ("gini", 2, False, "direction"),
    ("gini", 2, False, "available"),
    ("gini", 5, False, None),
    ("gini", 5, True, "direction"),
    ("entropy", 3, False, None),
    ("entropy", 2, True, "direction"),
    ("error", 3, False, None),
    ("sqrt", 2, False, None),
    ("gain_ratio", 2, False, None),
    ("twoing", 4, False, None),
    ("chi_square", 2, False, None),
    ("hellinger", 3, False, None),
    ("squared_error", 0, False, None),
    ("squared_error", 0, True, "direction"),
    ("squared_error", 0, True, "available"),
    ("poisson", 0, False, None),
]
MIXED = ("fractional", "surrogate", "available", "direction", "fractional", "surrogate", "direction")
SHARED_AND_SENT = [
    ("gini", 2, False, "fractional"),
    ("gini", 2, True, "fractional"),
    ("gini", 2, False, "surrogate"),
    ("gini", 2, True, "surrogate"),
    ("gini", 5, False, MIXED),
    ("entropy", 3, False, "fractional"),
    ("entropy", 2, True, MIXED),
    ("sqrt", 2, False, "surrogate"),
    ("squared_error", 0, True, "fractional"),
    ("squared_error", 0, False, "surrogate"),
    ("poisson", 0, False, MIXED),
]


def some_nodes(tree: Tree, seed: int = 0, number: int = 50) -> set[int]:
    """The largest nodes and a sample of all others."""
    random = np.random.default_rng(seed)
    largest = np.argsort(-tree.count, kind="stable")[:15].tolist()
    return set(largest) | set(random.integers(0, len(tree), number).tolist())


@pytest.mark.parametrize("n", [3_000, 20_000])
@pytest.mark.parametrize(("criterion", "n_classes", "weighted", "missing"), LARGE)
def test_large_tables(criterion: str, n_classes: int, weighted: bool, missing: str | None, n: int) -> None:
    task = "classification" if n_classes else criterion
    dataset = large_table(n, task, n_classes=n_classes, weighted=weighted, missing=missing is not None)
    # Criteria that like to split off single rows would grow chains of thousands of levels.
    max_depth = 12 if criterion in ("error", "gain_ratio", "hellinger") else None
    recipe = Recipe(criterion, missing=missing or "direction", max_depth=max_depth)
    tree = grow(dataset, recipe, n_jobs=1)
    check_tree(tree, dataset, recipe, judged=some_nodes(tree))
    assert grow(dataset, recipe, n_jobs=2) == tree
    assert grow(dataset, recipe, n_jobs=8) == tree


def grow_plain(dataset: Dataset, recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """The tree of every formula as it is written, by one sort and scan of each feature at each node."""
    module = sys.modules["treewright.growing.grow_tree"]
    options = module._options
    monkeypatch.setattr(module, "_options", lambda *given: options(*given) | {"plain": True})
    return grow(dataset, recipe, n_jobs=1)


def check_against_plain(dataset: Dataset, recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold the tree of the fast paths, on one thread and on two, to that of the plain one."""
    fast = grow(dataset, recipe, n_jobs=1)
    assert grow(dataset, recipe, n_jobs=2) == fast
    plain = grow_plain(dataset, recipe, monkeypatch)
    for name in ("parent", "count", "default_branch"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(plain, name), err_msg=name)
    np.testing.assert_allclose(fast.node_value, plain.node_value, rtol=1e-9, atol=1e-9)
    for name in ("kind", "feature", "threshold", "pool_value"):
        np.testing.assert_array_equal(getattr(fast.splits, name), getattr(plain.splits, name), err_msg=name)


@pytest.mark.parametrize("constraint", ["monotonic", "interaction", "feature_costs", "significance"])
@pytest.mark.parametrize(
    ("criterion", "n_classes", "weighted", "missing"),
    [
        ("gini", 2, False, "direction"),
        ("entropy", 3, True, "direction"),
        ("gini", 2, False, "available"),
        ("squared_error", 0, False, "direction"),
        ("squared_error", 0, True, "available"),
        ("poisson", 0, False, "direction"),
    ],
)
def test_constraints_go_with_every_path(
    *,
    criterion: str,
    n_classes: int,
    weighted: bool,
    missing: str,
    constraint: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = "classification" if n_classes else criterion
    holes = constraint != "monotonic" or missing == "direction"
    dataset = large_table(12_000, task, n_classes=n_classes, weighted=weighted, missing=holes)
    columns = dataset.schema.columns
    n = len(columns)
    given: dict[str, Any] = {
        "monotonic": tuple(
            int(column.kind != "categorical") * (1, 0, -1)[f % 3] for f, column in enumerate(columns)
        ),
        "interaction": (tuple(range(0, n, 2)), tuple(range(1, n, 2)), (0, 1)),
        "feature_costs": tuple(1.0 + f % 3 for f in range(n)),
        "significance": 0.05,
    }
    recipe = Recipe(criterion, missing=missing, max_depth=10, **{constraint: given[constraint]})
    fast = grow(dataset, recipe, n_jobs=1)
    assert len(fast) > 10
    assert grow(dataset, recipe, n_jobs=3) == fast
    assert fast != grow(dataset, replace(recipe, **{constraint: None}), n_jobs=1)
    plain = grow_plain(dataset, recipe, monkeypatch)
    np.testing.assert_array_equal(fast.parent, plain.parent)
    np.testing.assert_array_equal(fast.count, plain.count)


@pytest.mark.parametrize(("criterion", "n_classes", "weighted", "missing"), LARGE + SHARED_AND_SENT)
def test_fast_paths_equal_the_plain_one(
    criterion: str,
    n_classes: int,
    weighted: bool,
    missing: str | tuple[str, ...] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Histograms, presorted blocks and special scorers give the tree of one plain sort and scan."""
    task = "classification" if n_classes else criterion
    dataset = large_table(20_000, task, n_classes=n_classes, weighted=weighted, missing=missing is not None)
    shared = missing in ("fractional", MIXED)  # rows stand in many nodes
    recipe = Recipe(criterion, missing=missing or "direction", max_depth=8 if shared else 12)
    check_against_plain(dataset, recipe, monkeypatch)


@pytest.mark.parametrize("missing", [None, "direction", "available"])
@pytest.mark.parametrize(("criterion", "n_classes"), [("gini", 3), ("gini", 40), ("squared_error", 0)])
def test_nodes_of_few_rows(
    criterion: str, n_classes: int, missing: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their search ends where no split can be better; most nodes of full trees are of few rows."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        n = int(random.choice([3, 5, 8, 40, 300]))
        X = random.standard_normal((n, 6))
        if missing:
            X[random.random(X.shape) < 0.3] = np.nan
        y: Any = random.integers(0, n_classes, n) if n_classes else np.round(2 * random.standard_normal(n))
        dataset = Dataset.from_table(X, y, task="classification" if n_classes else "regression")
        recipe = Recipe(criterion, missing=missing or "direction", ties="random", random_state=seed)
        check_against_plain(dataset, recipe, monkeypatch)


@pytest.mark.parametrize("use_surrogates", [0, 1])
def test_rows_that_stay_at_large_nodes(use_surrogates: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = large_table(20_000, "classification", missing=True)
    recipe = Recipe("gini", missing="surrogate", use_surrogates=use_surrogates, max_depth=12)
    check_against_plain(dataset, recipe, monkeypatch)


def test_absolute_error_of_a_large_table() -> None:
    dataset = large_table(3_000, "regression", weighted=True, missing=True)
    recipe = Recipe("absolute_error", max_depth=6)
    tree = grow(dataset, recipe, n_jobs=1)
    check_tree(tree, dataset, recipe, judged={node for node in range(len(tree)) if tree.count[node] < 400})
    assert grow(dataset, recipe, n_jobs=2) == tree
