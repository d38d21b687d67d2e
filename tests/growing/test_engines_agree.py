"""However large a table is and whichever engine grows it: the same rows give the same tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fuzz.engines import CHECKS, CRITERIA, ORDERS, Case, random_case
from treewright import DecisionTreeClassifier, criteria
from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe

# ---- rows repeated, other paths, other orders ---------------------------------------------------------


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
        assert CHECKS[check](case) is None, f"random_case({seed}, {criterion!r})"


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_rows_repeated_beyond_what_two_bytes_count(criterion: str) -> None:
    case = random_case(1, criterion)
    assert CHECKS["repeated"](random_case(1, criterion, times=65_536 // len(case.y) + 1)) is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("times", [3, 7])
def test_best_first_splits_that_gain_nothing_wait_for_their_turn_however_often_rows_are_repeated(
    seed: int, times: int
) -> None:
    random = np.random.default_rng(seed)
    columns = {f"x{j}": np.round(random.normal(size=150), 1) for j in range(3)}
    y = (columns["x0"] + random.normal(size=150) > 0) * 1.0
    case = Case(columns, y, None, {"criterion": "error", "order": "best_first", "max_leaf_nodes": 40}, times)
    assert CHECKS["repeated"](case) is None


# ---- found by the fuzzer, shrunk ----------------------------------------------------------------------


def found(
    name: str, check: str, columns: Any, y: Any, *, weight: Any = None, times: int = 0, **recipe: Any
) -> Any:
    """A case of the fuzzer, its rows repeated until the engines of large tables grow it."""
    case = Case(columns, y, weight, recipe, times or 8_192 // len(y) + 1)
    return pytest.param(check, case, id=name.replace(" ", "-"))


FOUND = [
    found(
        "groups whose classes cost nothing more",
        "repeated",
        {"a": tuple("ppppqqqqqqrsttuuu")},
        (0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 2),
        times=5,
        criterion="error",
        max_groups=3,
    ),
    found(
        "splits of no gain, repeated",
        "repeated",
        {"a": (1.25, 0.5, -1.0, 4.25, 5.0, 0.5, 2.75, 1.25)},
        (1, 1, 0, 0, 2, 2, 2, 2),
        times=1037,
        criterion="entropy",
        order="best_first",
    ),
    found(
        "splits of no gain, best first",
        "best_first",
        {"a": ("r", "r", "p")},
        (1000000.0, 999998.0, 999998.0),
        weight=(1.14225315916691, 1.7292077046727228, 1.97841406120855),
        criterion="absolute_error",
    ),
    found(
        "splits of no gain, by the formula",
        "plain",
        {"a": (None, 0.6253, 0.7271, 0.2974, -0.4498)},
        (2, 2, 1, 0, 0),
        times=1651,
        criterion="entropy",
        missing="fractional",
        order="best_first",
    ),
    found(
        "a cut with missing values on the right ties with a lower one with them on the left",
        "repeated",
        {"a": (2.75, 4.25, 0.5, None)},
        (1, 0, 0, 0),
        criterion="gini",
    ),
    found(
        "known rows of one class, by policy",
        "policy_by_feature",
        {"a": (2.5, 0.25, None)},
        (1, 1, 0),
        criterion="gini",
        missing="available",
    ),
    found(
        "known rows of one class, repeated",
        "repeated",
        {"a": (None, 0.25, -2.0)},
        (1, 0, 0),
        criterion="gini",
        missing="surrogate",
    ),
    found(
        "categories that tie",
        "repeated",
        {"a": ("p", "x", None, "p", "p", "q", "t", "q", None, None, "t", "q")},
        (-4.0, 1.0, -1.0, 2.0, 0.0, -1.0, -4.0, 1.0, -4.0, -1.0, 0.0, -2.0),
        criterion="squared_error",
        missing="surrogate",
    ),
    found(
        "rates that tie",
        "repeated",
        {"a": ("q", "q", "s", "r", "t", "s", "p", "q", "p")},
        (0.1, 0.0, 0.4, 0.0, 0.0, 0.4, 0.2, 0.2, 0.0),
        times=972,
        criterion="poisson",
    ),
    found(
        "large counts",
        "repeated",
        {"a": (0.0459, -0.3524, -0.1686, 0.1058, 0.0737)},
        (3e6, 1e6, 1e6, 0.0, 0.0),
        times=1717,
        criterion="poisson",
        order="best_first",
    ),
    found(
        "sides of missing values that tie",
        "repeated",
        {"a": (0.0, 0.0, 0.0, None, 0.0, 0.0, 1.0, 0.0)},
        (2, 2, 2, 2, 1, 1, 1, 1),
        times=1106,
        criterion="error",
    ),
    found(
        "categories and shared rows",
        "repeated",
        {"a": ("s", None, "q", "t", "t", "t")},
        (-2.0, -3.0, -1.0, -4.0, -1.0, -1.0),
        criterion="squared_error",
        missing="fractional",
    ),
    found(
        "weights that add up to one less a rounding",
        "repeated",
        {"a": (1.0, 1.0, 1.0, 0.0, 0.0, 1.0), "b": (-0.9054, 0.17356, 0.0413, None, None, -0.088697)},
        (0, 1, 0, 0, 1, 1),
        weight=(
            0.6354864951752311,
            1.2162339693765465,
            1.5692964616882568,
            0.41659369544384695,
            0.6355693657264843,
            0.19319483627098732,
        ),
        criterion="sqrt",
    ),
    found(
        "deviations of targets far from zero",
        "repeated",
        {"a": (0.2868, -0.8761, 1.1510, -0.8053)},
        (1000002.717745499, 1000001.9966189018, 999999.2565259924, 999999.2422642611),
        criterion="absolute_error",
    ),
    found(
        "the median of shared rows",
        "repeated",
        {"a": (0.5, None, 2.0, 1.25, -1.0, None, 1.25)},
        (0.8335, -2.3118, 2.4352, 2.6116, 0.0623, -0.6825, -1.3887),
        criterion="absolute_error",
        missing="fractional",
    ),
    found(
        "a drawn feature that offers no split",
        "policy_by_feature",
        {"a": (5.0, 4.25, -0.25, 5.0, 2.0, 2.0, 5.0, 2.75), "b": (0.1, 0.4, 0.7, 1.9, 0.0, -0.9, 2.1, 0.9)},
        (-2.0, 0.0, 0.8, 0.8, -5.3, -3.0, -0.5, -2.6),
        criterion="squared_error",
        min_samples_leaf=2,
        max_features=0.5,
    ),
]


@pytest.mark.parametrize(("check", "case"), FOUND)
def test_tables_that_once_gave_two_trees(check: str, case: Case) -> None:
    assert CHECKS[check](case) is None


# ---- weights of very different size -------------------------------------------------------------------


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
        for name in ("merit", "impurity", "weight", "risk", "node_value"):
            assert np.isfinite(getattr(tree, name)).all(), name
        assert (tree.merit >= -4e-15 * (1 + tree.impurity)).all()
        assert (tree.impurity >= 0).all()
        assert (tree.weight > 0).all()


# ---- limits on the size of a tree ---------------------------------------------------------------------


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
    # Best first, the branches of every split but the last are searched; else nodes that are then split.
    assert searched <= (2 * splits - 1 if order == "best_first" else splits)
