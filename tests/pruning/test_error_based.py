"""Error-based pruning: the limits of the book, and raising against the recursion of C4.5 written out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.prunings import leaves_of
from treewright.criteria import CLASSIFICATION, NODE_IMPURITY, impurity
from treewright.data import Dataset
from treewright.pruning import ErrorBased, expected_errors
from treewright.pruning.recount import impurity_name, recount
from treewright.tree import Tree
from treewright.tree.routing import SHARE, STAY, Descent

# ---- the limits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", ["c45", "normal", "binomial"])
def test_the_limits_without_errors_are_those_of_the_book(bound: Any) -> None:
    rows = np.array([6.0, 9.0, 1.0])
    np.testing.assert_allclose(
        expected_errors(rows, [0, 0, 0], 0.25, bound) / rows, [0.206, 0.143, 0.750], atol=5e-4
    )


@pytest.mark.parametrize(
    ("rows", "errors", "binomial", "c45", "normal"),
    [
        (16, 1, 0.1596, 0.1567, 0.1547),
        (6, 2, 0.5532, 0.5571, 0.5536),
        (14, 5, 0.4835, 0.4854, 0.4829),
        (2, 1, 0.8660, 0.8981, 0.8957),
    ],
)
def test_the_three_limits_differ_as_the_three_programs_do(rows, errors, binomial, c45, normal) -> None:
    for bound, expected in (("binomial", binomial), ("c45", c45), ("normal", normal)):
        assert expected_errors(rows, errors, 0.25, bound) / rows == pytest.approx(expected, abs=6e-5)


def test_the_example_of_the_book_is_pruned() -> None:
    """Quinlan (1993), ch. 4: leaves of 6, 9 and 1 rows without errors against a leaf of 16 with one."""
    leaves = expected_errors([6, 9, 1], [0, 0, 0], 0.25, "binomial")
    leaf = expected_errors(16, 1, 0.25, "c45")
    assert leaves.sum() == pytest.approx(3.273, abs=3e-3)
    assert leaf == pytest.approx(2.512, abs=6e-3)
    assert leaf < leaves.sum()


@pytest.mark.parametrize("bound", ["normal", "binomial"])  # C4.5's falls where nearly all rows are wrong
def test_the_limit_rises_with_errors_and_lies_between_errors_and_rows(bound: Any) -> None:
    errors = np.linspace(0, 10, 201)
    limit = expected_errors(np.full(201, 10.0), errors, 0.25, bound)
    assert np.all(np.diff(limit) > -1e-9)
    assert np.all((limit >= errors - 1e-12) & (limit <= 10 + 1e-9))
    assert np.all(expected_errors(10, errors, 0.05, bound) >= limit - 1e-9)


def test_no_rows_have_no_errors_to_expect() -> None:
    for bound in ("c45", "normal", "binomial"):
        assert expected_errors(0, 0, 0.25, bound) == 0


def test_the_exact_limit_solves_the_equation_that_defines_it() -> None:
    from scipy.stats import binom

    for n, e in ((16, 1), (30, 7), (5, 0)):
        rate = float(expected_errors(n, e, 0.25, "binomial")) / n
        assert binom.cdf(e, n, rate) == pytest.approx(0.25)


# ---- C4.5's recursion, written out ---------------------------------------------------------------------

Part = tuple[int, float]  # a row, and how much of it


@dataclass
class Plain:
    """A node as C4.5 has it."""

    id: int
    branches: list[Plain] = field(default_factory=list)
    value: np.ndarray = field(default_factory=lambda: np.zeros(0))


class ByTheBook:
    """EstimateErrors of C4.5 Release 8: estimates, prunes and raises by recursion over sets of rows."""

    def __init__(self, tree: Tree, rows: Dataset, cf: float, bound: Any) -> None:
        self.tree, self.rows, self.cf, self.bound = tree, rows, cf, bound

    def plain(self, node: int = 0) -> Plain:
        return Plain(node, [self.plain(child) for child in self.tree.children(node)])

    def value(self, parts: list[Part]) -> np.ndarray:
        value = np.zeros(self.tree.node_value.shape[1])
        for row, weight in parts:
            value[self.rows.target[row]] += weight
        return value

    def grouped(self, node: Plain, parts: list[Part]) -> tuple[list[list[Part]], list[Part]]:
        """Give the parts by branch, and those that stay at the node."""
        split = self.tree[node.id].split
        groups: list[list[Part]] = [[] for _ in node.branches]
        unknown: list[Part] = []
        for row, weight in parts:
            branch = self.branch(split, row)
            if branch is None:
                branch = int(self.tree.default_branch[node.id])
            if branch < 0:
                unknown.append((row, weight))
            else:
                groups[branch].append((row, weight))
        if self.tree.default_branch[node.id] == STAY:
            return groups, unknown
        known = [sum(weight for _, weight in group) for group in groups]
        for row, weight in unknown:
            for group, mass in zip(groups, known, strict=True):
                if mass > 0:
                    group.append((row, weight * mass / sum(known)))
        return groups, []

    def branch(self, split: Any, row: int) -> int | None:
        position = self.tree.schema.position[split.feature]
        if self.tree.schema.columns[split.feature].kind == "categorical":
            return split.branches.get(int(self.rows.codes[row, position]))
        x = self.rows.numbers[row, position]
        return None if np.isnan(x) else int(x > split.threshold)

    def of_class(self, value: np.ndarray, label: int) -> float:
        return float(expected_errors(value.sum(), value.sum() - value[label], self.cf, self.bound))

    def estimate(self, node: Plain, parts: list[Part], update: bool) -> float:
        value = self.value(parts)
        leaf = self.of_class(value, int(value.argmax()))
        if update:
            node.value = value
        if not node.branches:
            return leaf
        groups, staying = self.grouped(node, parts)
        tree = self.of_class(self.value(staying), int(value.argmax()))
        for below, group in zip(node.branches, groups, strict=True):
            tree += self.estimate(below, group, update)
        if not update:
            return tree
        masses = [sum(weight for _, weight in group) for group in groups]
        largest = max(range(len(groups)), key=lambda branch: (round(masses[branch], 9), branch))
        branch = self.estimate(node.branches[largest], parts, False)
        if leaf <= branch + 0.1 and leaf <= tree + 0.1:
            node.branches = []
            return leaf
        if branch <= tree + 0.1:
            raised = node.branches[largest]
            node.id, node.branches = raised.id, raised.branches
            return self.estimate(node, parts, True)
        return tree


def same_tree(plain: Plain, tree: Tree, original: Tree, node: int = 0) -> None:
    if plain.value.sum() > 0:
        np.testing.assert_allclose(tree.node_value[node], plain.value, rtol=1e-9, atol=1e-9)
    assert tree.weight[node] == pytest.approx(plain.value.sum(), abs=1e-9)
    assert len(tree.children(node)) == len(plain.branches)
    if plain.branches:
        assert tree[node].split == original[plain.id].split
        for below, child in zip(plain.branches, tree.children(node), strict=True):
            same_tree(below, tree, original, child)


def grown(seed: int, n: int = 150, holes: float = 0.0, default: int | None = None) -> tuple[Tree, Dataset]:
    rng = np.random.default_rng(seed)
    numbers = np.round(rng.normal(size=(n, 3)), 1)
    numbers[rng.random(numbers.shape) < holes] = np.nan
    letters = rng.choice(list("abcd"), size=(n, 2))
    y = (np.nan_to_num(numbers[:, 0]) + (letters[:, 0] == "a") + rng.normal(size=n) > 0.5).astype(int)
    y += (letters[:, 1] == "b") & (rng.random(n) < 0.6)
    X = [[*row, *letter] for row, letter in zip(numbers.tolist(), letters.tolist(), strict=True)]
    rows = Dataset.from_table(X, y, task="classification")
    splits = ("threshold", "multiway") if seed % 2 else ("threshold", "subset")
    tree = tw.grow(rows, tw.Recipe("entropy", splits=splits, max_depth=7))
    if default is not None:
        tree = replace(tree, default_branch=np.where(tree.n_children > 0, default, -1).astype(np.int32))
        descent = Descent(tree, rows)
        tree = recount(tree, descent.route(descent.start(), share_by_rows=True), rows.target)
    return tree, rows


@pytest.mark.parametrize("criterion", CLASSIFICATION)
def test_nodes_are_counted_anew_by_the_impurity_of_their_tree(criterion: str) -> None:
    X, y = tw.datasets.load_iris()
    tree = tw.grow(Dataset.from_table(X, y, task="classification"), tw.Recipe(criterion, max_depth=3))
    assert impurity_name(tree) == NODE_IMPURITY.get(criterion, criterion)


@pytest.mark.parametrize(
    ("holes", "default"), [(0.0, None), (0.1, None), (0.1, SHARE), (0.1, STAY), (0.3, STAY)]
)
def test_raising_is_the_recursion_of_c45(holes: float, default: int | None) -> None:
    raised = 0
    for seed in range(24):
        tree, rows = grown(seed, holes=holes, default=default)
        bound: Any = ("c45", "normal", "binomial")[seed % 3]
        cf = (0.25, 0.4, 0.1)[seed % 3]
        result = ErrorBased(cf=cf, bound=bound).prune(tree, rows)
        book = ByTheBook(tree, rows, cf, bound)
        plain = book.plain()
        book.estimate(plain, [(row, 1.0) for row in range(len(rows))], True)
        same_tree(plain, result.tree, tree)
        raised += int((result.report.action == 2).sum())
    assert raised > 5


@pytest.mark.parametrize("use_surrogates", [0, 1])
@pytest.mark.parametrize("tolerance", [0.0, 0.1, 2.0])
def test_rows_that_stay_at_a_node_are_counted_and_go_down_a_raised_branch(
    use_surrogates: int, tolerance: float
) -> None:
    table = [[3, 0], [np.nan, 1], [2, np.nan], [0, 1], [np.nan, 0], [0, np.nan]]
    tables = [(np.array(table), np.array([1, 0, 1, 1, 0, 0]))]
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, (int(rng.integers(4, 60)), 3)).astype(float)
        X[rng.random(X.shape) < 0.3] = np.nan
        tables.append((X, rng.integers(0, 3, len(X))))
    for X, y in tables:
        model = tw.DecisionTreeClassifier(
            missing="surrogate", use_surrogates=use_surrogates, pruner=ErrorBased(tolerance=tolerance)
        )
        tree = model.fit(X, y).tree_
        rows = Dataset.from_table(X, y, task="classification")
        value = tree.tally(rows)
        filled = value.sum(axis=1) > 0
        np.testing.assert_array_equal(tree.node_value[filled], value[filled])
        np.testing.assert_array_equal(tree.count, value.sum(axis=1))


def test_a_raised_tree_has_the_statistics_of_its_rows() -> None:
    seen = 0
    for seed in range(30):
        tree, rows = grown(seed)
        result = ErrorBased().prune(tree, rows)
        if not (result.report.action == 2).any():
            continue
        seen += 1
        pruned = result.tree
        value = pruned.tally(rows)
        filled = value.sum(axis=1) > 0
        np.testing.assert_allclose(pruned.node_value[filled], value[filled])
        assert np.array_equal(pruned.count, value.sum(axis=1))
        np.testing.assert_allclose(pruned.risk, np.where(filled, value.sum(axis=1) - value.max(axis=1), 0))
        np.testing.assert_allclose(
            pruned.impurity[filled], [impurity("entropy", v) for v in value[filled]], atol=1e-12
        )
        for node in np.flatnonzero(~filled):
            np.testing.assert_allclose(pruned.node_value[node], pruned.node_value[pruned.parent[node]])
    assert seen > 3


def test_without_raising_it_is_a_pruning_and_never_smaller_by_mistake() -> None:
    for seed in range(10):
        tree, _ = grown(seed)
        leaves_of(tree, ErrorBased(raising=False)(tree))
        strict = ErrorBased(cf=0.01, raising=False)(tree)
        assert strict.n_leaves <= ErrorBased(cf=0.5, raising=False)(tree).n_leaves


def test_raising_needs_the_training_rows() -> None:
    tree, _ = grown(0)
    with pytest.raises(ValueError, match="needs the training rows"):
        ErrorBased()(tree)
    assert ErrorBased().needs == "training"
    assert ErrorBased(raising=False).needs == "nothing"


def test_an_estimator_gives_its_training_rows_to_the_pruner() -> None:
    X, y = tw.datasets.load_iris()
    fitted = tw.DecisionTreeClassifier(pruner="error_based").fit(X, y)
    later = tw.prune(tw.DecisionTreeClassifier().fit(X, y), ErrorBased(), X, y)
    assert fitted.tree_ == later.tree_


def test_class_weights_count_in_raised_branches_too() -> None:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(200, 3)), 1)
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = tw.DecisionTreeClassifier(
        class_weight={0: 3.0, 1: 1.0}, max_depth=7, ties="first", pruner=ErrorBased()
    ).fit(X, y)
    assert (model.report_.action == 2).any()
    assert model.tree_.node_value[0].tolist() == pytest.approx([3.0 * (y == 0).sum(), (y == 1).sum()])
    parts = model.tree_.node_value[model.tree_.leaves].sum(axis=0)
    np.testing.assert_allclose(parts, model.tree_.node_value[0])
