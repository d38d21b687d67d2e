"""However large a table is and whichever engine grows it: the same rows give the same tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine_cases import CHECKS, CRITERIA, ORDERS, Case, random_case
from treewright import DecisionTreeClassifier, criteria
from treewright.data import Dataset
from treewright.grow import grow
from treewright.recipe import Recipe

# ---- rows repeated, other paths, other orders ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [7_200, 12_006, 12_024])
def test_a_first_split_without_gain_is_made_at_every_size(n: int) -> None:
    i = np.arange(n)
    X = np.column_stack([i % 3, i // 3 % 3]).astype(float)
    y = X.sum(axis=1).astype(int) % 3
    tree = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    assert tree.tree_.node_count == 17
    assert tree.score(X, y) == 1.0


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("check", CHECKS)
def test_random_tables(check: str, criterion: str) -> None:
    for seed in range(4 if check in ("plain", "threads") else 12):
        case = random_case(seed, criterion)
        assert CHECKS[check](case) is None, f"tools/fuzz_engines.py --first {seed} --cases 1 --criterion {criterion}"


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_rows_repeated_beyond_what_two_bytes_count(criterion: str) -> None:
    case = random_case(1, criterion)
    assert CHECKS["repeated"](random_case(1, criterion, times=65_536 // len(case.y) + 1)) is None


# ---- found by the fuzzer, shrunk -----------------------------------------------------------------------------------------

FOUND: list[Any] = [
    pytest.param(
        "policy_by_feature",
        Case({"x": (2.5, 0.25, None)}, (1, 1, 0), recipe={"criterion": "gini", "missing": "available"}, times=2749),
        id="known rows of one class",
    ),
    pytest.param(
        "policy_by_feature",
        Case(
            {"a": (5.0, 4.25, -0.25, 5.0, 2.0, 2.0, 5.0, 2.75), "b": (0.1, 0.4, 0.7, 1.9, 0.0, -0.9, 2.1, 0.9)},
            (-2.0, 0.0, 0.8, 0.8, -5.3, -3.0, -0.5, -2.6),
            recipe={"criterion": "squared_error", "min_samples_leaf": 2, "max_features": 0.5},
            times=1044,
        ),
        id="a drawn feature that offers no split",
    ),
]


@pytest.mark.parametrize(("check", "case"), FOUND)
def test_tables_that_once_gave_two_trees(check: str, case: Case) -> None:
    assert CHECKS[check](case) is None


# ---- weights of very different size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["direction", "available", "fractional", "surrogate"])
@pytest.mark.parametrize("heavy", [1e16, 1e20])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_that_drown_others(criterion: str, heavy: float, missing: str) -> None:
    """Both sides of a cut have weight: no merit is infinite, undefined, or negative by more than rounding."""
    random = np.random.default_rng(0)
    is_class = criterion in criteria.CLASSIFICATION
    for n, share in [(40, 0.1), (40, 0.9), (9_000, 0.5)]:
        X = np.round(random.normal(size=(n, 3)), 1)
        X[random.random((n, 3)) < 0.1] = np.nan
        y = random.integers(0, 3, n)
        dataset = Dataset.from_table(
            X,
            y if is_class else y.astype(float),
            task="classification" if is_class else "regression",
            sample_weight=np.where(random.random(n) < share, heavy, 1.0),
        )
        tree = grow(dataset, Recipe(criterion, missing=missing, max_depth=6), warn_of_odd=False)
        for name in ("merit", "impurity", "weight", "risk", "value"):
            assert np.isfinite(getattr(tree, name)).all(), name
        assert (tree.merit >= -1e-15 * (1 + tree.impurity)).all()
        assert (tree.impurity >= 0).all()
        assert (tree.weight > 0).all()


# ---- limits on the size of a tree ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["max_leaf_nodes", "max_nodes"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("leaves", [2, 4, 8])
def test_a_tree_at_its_limit_is_not_searched_further(leaves: int, order: str, limit: str) -> None:
    searched = 0

    def count_nodes(parent: Any, branches: Any) -> Any:
        nonlocal searched
        searched += 1
        share = branches / branches.sum(axis=-1, keepdims=True)
        weight = branches.sum(axis=-1) / parent.sum()
        return (weight * (share**2).sum(axis=-1)).sum(axis=-1) - ((parent / parent.sum()) ** 2).sum()

    random = np.random.default_rng(0)
    X = random.normal(size=(400, 1))
    dataset = Dataset.from_table(X, random.integers(0, 2, 400), task="classification")
    size = {limit: leaves if limit == "max_leaf_nodes" else 2 * leaves - 1}
    tree = grow(dataset, Recipe(count_nodes, order=order, **size), n_jobs=1)
    assert tree.n_leaves == leaves
    splits = leaves - 1
    # Best first, the branches of every split but the last compete to be the next; else a node is searched to be split.
    assert searched <= (2 * splits - 1 if order == "best_first" else splits)
