"""The grouping of categories that the core finds is the best of all there are, or comes close."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.reference import Reference
from treewright import criteria
from treewright.data import Dataset
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe

# Tables drawn at random may have nothing to split on.
pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")


@pytest.mark.parametrize(
    "criterion", ["error", "gini", "entropy", "sqrt", "twoing", "chi_square", "hellinger"]
)
@given(counts=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=7))
def test_two_classes_need_only_cuts_of_the_ordered_categories(
    criterion: str, counts: list[tuple[int, int]]
) -> None:
    code = np.concatenate([np.full(sum(pair), level) for level, pair in enumerate(counts)])
    target = np.concatenate([np.repeat([0, 1], pair) for pair in counts])
    assume(0 < target.sum() < len(target))
    assert_best_of_all_groupings(criterion, code, target, np.array(counts, dtype=float))


@given(data=st.data(), n_classes=st.sampled_from([3, 4]))
def test_more_classes_try_every_grouping(data: st.DataObject, n_classes: int) -> None:
    n = data.draw(st.integers(4, 40))
    code = np.array(data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n)))
    target = np.array(data.draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    table = np.zeros((7, n_classes))
    np.add.at(table, (code, target), 1)
    assert_best_of_all_groupings("entropy", code, target, table)


def assert_best_of_all_groupings(criterion: str, code: Any, target: Any, table: Any) -> None:
    """The root's merit is the largest over all ways to put the lines of `table` into two groups."""
    table = table[table.sum(axis=1) > 0]
    dataset = Dataset.from_table(code[:, None], target, task="classification", categorical_features=[0])
    tree = grow(dataset, Recipe(criterion, max_depth=1), n_jobs=1)
    groupings = [
        criteria.merit(criterion, [table[list(left)].sum(axis=0), np.delete(table, left, axis=0).sum(axis=0)])
        for size in range(1, len(table))
        for left in combinations(range(len(table)), size)
    ]
    assert tree.merit[0] == pytest.approx(max(groupings, default=0), abs=1e-12)


def test_many_categories_and_classes_come_close_to_the_best_grouping() -> None:
    """Beyond twelve categories the search is not exhaustive, but loses next to nothing."""
    kept = []
    for seed in range(12):
        random = np.random.default_rng(seed)
        code = random.integers(0, 13, 600)
        shares = random.dirichlet(np.ones(4), size=13)
        target = np.array([random.choice(4, p=shares[c]) for c in code])
        dataset = Dataset.from_table(code[:, None], target, task="classification", categorical_features=[0])
        recipe = Recipe("gini", max_depth=1)
        learner = Reference(dataset, recipe)
        best = max(candidate.merit for candidate in learner.candidates(learner.node(learner.rows, 0)))
        kept.append(grow(dataset, recipe, n_jobs=1).merit[0] / best)
    assert min(kept) > 0.95
    assert max(kept) <= 1 + 1e-9
    assert np.mean(kept) > 0.99


def test_ten_thousand_categories_are_cut_where_their_means_say() -> None:
    random = np.random.default_rng(0)
    n, k = 60_000, 10_000
    code = random.integers(0, k, n)
    target = random.normal(size=k)[code] + random.normal(size=n)
    dataset = Dataset.from_table(code[:, None], target, task="regression", categorical_features=[0])
    tree = grow(dataset, Recipe("squared_error", max_depth=1), n_jobs=1)
    size, total = np.bincount(code, minlength=k), np.bincount(code, target - target.mean(), minlength=k)
    order = np.argsort(total[size > 0] / size[size > 0])
    left, left_sum = np.cumsum(size[size > 0][order])[:-1], np.cumsum(total[size > 0][order])[:-1]
    merit = (left_sum**2 / left + left_sum**2 / (n - left)) / n
    assert tree.merit[0] == pytest.approx(merit.max(), rel=1e-9)
    assert tree.count[1] == left[merit.argmax()]
