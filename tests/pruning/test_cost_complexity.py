"""Cost-complexity pruning against brute force and against cutting the weakest link step by step."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.data import Dataset
from treewright.pruning import CostComplexity, ErrorBased
from treewright.pruning.cost_complexity import _collapse_alphas, between, leaf_alphas, weakest_links
from treewright.pruning.losses import training_risk
from treewright.pruning.nested import nested_losses


def random_tree(seed: int, n_splits: int) -> Any:
    """Shape and risks of a random tree in which no split raises the risk, children after their parents."""
    rng = np.random.default_rng(seed)
    parent, n_children, risk = [-1], [0], [1.0]
    for _ in range(n_splits):
        node = int(rng.choice([node for node, children in enumerate(n_children) if children == 0]))
        n_children[node] = int(rng.integers(2, 4))
        shares = rng.dirichlet(np.ones(n_children[node])) * risk[node] * rng.choice([0.5, 0.9, 1.0])
        parent += [node] * n_children[node]
        risk += shares.tolist()
        n_children += [0] * n_children[node]
    return SimpleNamespace(parent=np.array(parent), n_children=np.array(n_children), risk=np.array(risk))


def prunings(tree: Any, node: int = 0) -> list[frozenset[int]]:
    """Every pruning of the tree below a node, as the set of its leaves."""
    children = np.flatnonzero(tree.parent == node).tolist()
    if not children:
        return [frozenset([node])]
    below = [frozenset().union(*choice) for choice in product(*(prunings(tree, child) for child in children))]
    return [frozenset([node]), *below]


def leaves_after(tree: Any, collapsed: np.ndarray) -> frozenset[int]:
    leaves, stack = [], [0]
    while stack:
        node = stack.pop()
        children = np.flatnonzero(tree.parent == node).tolist()
        if collapsed[node] or not children:
            leaves.append(node)
        else:
            stack += children
    return frozenset(leaves)


@given(seed=st.integers(0, 10_000), n_splits=st.integers(1, 6), alpha=st.floats(0, 0.5))
def test_pruning_is_the_smallest_of_the_cheapest(seed: int, n_splits: int, alpha: float) -> None:
    tree = random_tree(seed, n_splits)
    alphas, _ = _collapse_alphas(tree, tree.risk)
    ours = leaves_after(tree, alphas <= alpha)
    cost = {leaves: tree.risk[list(leaves)].sum() + alpha * len(leaves) for leaves in prunings(tree)}
    cheapest = min(cost.values())
    assert cost[ours] == pytest.approx(cheapest, abs=1e-12)
    smaller = [leaves for leaves in cost if len(leaves) < len(ours)]
    assert all(cost[leaves] > cheapest - 1e-12 for leaves in smaller)


def links_by_the_book(tree: Any) -> list[tuple[float, int]]:
    """The sequence by the book: collapse the node of least (R(t) − R(T_t)) / (|T_t| − 1), again and again."""
    collapsed = np.zeros(len(tree.parent), dtype=bool)
    steps: list[tuple[float, int]] = []
    while True:
        alive = [
            node
            for node in range(len(tree.parent))
            if tree.n_children[node] and not any(collapsed[above] for above in path_to_root(tree, node))
        ]
        if not alive:
            return steps
        strength = {}
        for node in alive:
            leaves = [leaf for leaf in leaves_after(tree, collapsed) if node in path_to_root(tree, leaf)]
            strength[node] = (tree.risk[node] - tree.risk[leaves].sum()) / (len(leaves) - 1)
        weakest = min(alive, key=lambda node: (strength[node], node))
        steps.append((strength[weakest], weakest))
        collapsed[weakest] = True


def path_to_root(tree: Any, node: int) -> list[int]:
    path = []
    while node >= 0:
        path.append(node)
        node = int(tree.parent[node])
    return path


@given(seed=st.integers(0, 10_000), n_splits=st.integers(1, 12))
def test_sequence_is_that_of_the_weakest_links(seed: int, n_splits: int) -> None:
    tree = random_tree(seed, n_splits)
    alphas, _ = _collapse_alphas(tree, tree.risk)
    expected = links_by_the_book(tree)
    for step in range(len(expected) - 1):  # equal alphas may come in either order: compare between them
        if expected[step + 1][0] > expected[step][0] + 1e-9:
            middle = (expected[step + 1][0] + expected[step][0]) / 2
            by_the_book = np.zeros(len(tree.parent), dtype=bool)
            by_the_book[[node for _, node in expected[: step + 1]]] = True
            assert leaves_after(tree, alphas <= middle) == leaves_after(tree, by_the_book)
    assert alphas[0] == pytest.approx(expected[-1][0])


def test_a_long_chain_is_pruned_without_looking_at_every_node_in_every_step() -> None:
    n_splits = 100_000  # quadratic work would be 10^10 steps
    parent = np.concatenate([[-1], np.repeat(np.arange(0, 2 * n_splits, 2), 2)])
    n_children = np.zeros(2 * n_splits + 1, dtype=np.int64)
    n_children[parent[parent >= 0]] = 2
    risk = np.zeros(2 * n_splits + 1)
    inner = np.flatnonzero(n_children)
    risk[inner] = np.linspace(1, 0, len(inner), endpoint=False)
    tree: Any = SimpleNamespace(parent=parent, n_children=n_children)
    alphas, leaves = _collapse_alphas(tree, risk)
    assert np.isfinite(alphas[0])
    assert leaves[np.isfinite(alphas)].sum() == n_splits


@pytest.fixture(scope="module")
def fitted() -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300) > 1).astype(int)
    return tw.DecisionTreeClassifier().fit(X, y)


def test_links_describe_the_prunings_that_their_alphas_give(fitted: Any) -> None:
    tree = fitted.tree_
    links = weakest_links(tree, "impurity")
    assert links.leaves[0] == tree.n_leaves
    assert links.leaves[-1] == 1
    assert np.all(np.diff(links.alpha) >= 0)
    assert np.all(np.diff(links.leaves) < 0)
    for step in (0, len(links.alpha) // 2, len(links.alpha) - 1):
        same = np.flatnonzero(links.alpha == links.alpha[step])[-1]
        pruned = CostComplexity(links.alpha[step], risk="impurity")(tree)
        assert pruned.n_leaves == links.leaves[same]
        is_leaf = pruned.n_children == 0
        risk = (pruned.weight * pruned.impurity)[is_leaf].sum() / pruned.weight[0]
        assert risk == pytest.approx(links.risk[same])


@pytest.mark.parametrize("risk", [None, "error", "impurity"])
def test_the_path_has_one_tree_for_each_alpha_and_they_are_nested(fitted: Any, risk: Any) -> None:
    tree = fitted.tree_
    path = weakest_links(tree, risk).path()
    assert path.alpha is not None
    assert path.alpha[0] == 0
    assert np.all(np.diff(path.alpha) > 0)
    larger = tree
    for alpha, leaves, total in zip(path.alpha, path.leaves, path.risk, strict=True):
        pruned = CostComplexity(float(alpha), risk=risk)(tree)
        assert pruned.n_leaves == leaves
        measure = pruned.weight * pruned.impurity if risk == "impurity" else pruned.risk
        assert measure[pruned.leaves].sum() / tree.weight[0] == pytest.approx(total)
        assert CostComplexity(float(alpha), risk=risk)(larger) == pruned
        larger = pruned
    assert len(path) == len(str(path).splitlines()) - 1


def test_equal_alphas_of_error_counts_are_pruned_together() -> None:
    """Two splits that save one error with one leaf each, in ways that round differently per row."""
    X = [[0, a] for a in range(6)] + [[1, a] for a in range(6)]
    y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0]
    tree = tw.DecisionTreeClassifier().fit(X, y).tree_
    path = weakest_links(tree).path()
    assert path.leaves.tolist() == [4, 2, 1]
    assert path.alpha is not None
    np.testing.assert_allclose(path.alpha, [0, 1 / 12, 4 / 12])


def test_the_first_tree_is_already_without_splits_that_save_nothing() -> None:
    tree = tw.DecisionTreeClassifier(max_depth=1).fit([[1], [2], [3], [4]], ["a", "a", "b", "a"]).tree_
    path = weakest_links(tree).path()
    assert path.leaves.tolist() == [1]
    assert CostComplexity(0.0)(tree).n_leaves == 1


def test_error_risk_prunes_by_training_errors(fitted: Any) -> None:
    tree = fitted.tree_
    links = weakest_links(tree, "error")
    assert links.risk[0] == 0  # a full tree makes no training errors here
    assert links.risk[-1] == pytest.approx(tree.risk[0] / tree.weight[0])
    assert CostComplexity(1.0, risk="error")(tree).node_count == 1


def test_costs_and_errors_are_different_risks() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(120, 2)), rng.integers(0, 2, 120)
    tree = tw.DecisionTreeClassifier(costs=[[0, 5], [1, 0]], max_depth=5).fit(X, y).tree_
    cost, error = weakest_links(tree, "cost"), weakest_links(tree, "error")
    assert cost.risk[-1] * 120 == pytest.approx(min(5 * (y == 0).sum(), (y == 1).sum()))
    wrong = (y == 0).sum() if tree.label[0] == 1 else (y == 1).sum()
    assert error.risk[-1] * 120 == pytest.approx(wrong)


# ---- many trees judged in one pass ------------------------------------------------------------------------


def dataset(seed: int, n: int, regression: bool = False, weighted: bool = False) -> Dataset:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    signal = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n)
    y = signal if regression else np.digitize(signal, [0.0, 2.0])
    task = "regression" if regression else "classification"
    weight = rng.integers(1, 5, n) / 2 if weighted else None
    return Dataset.from_table(X, y, task=task, sample_weight=weight)


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_pass_gives_the_losses_of_every_pruned_tree(regression: bool, weighted: bool) -> None:
    train, other = dataset(1, 150, regression), dataset(2, 90, regression, weighted)
    recipe = tw.Recipe("squared_error" if regression else "gini")
    tree = tw.grow(train, recipe)
    links = weakest_links(tree)
    alphas = links.path().alpha
    assert alphas is not None
    steps = np.sort(np.concatenate([alphas, between(alphas)[:-1], [np.inf]]))
    sums = nested_losses(tree, other, leaf_alphas(tree), steps)
    weight = np.ones(90) if other.weight is None else other.weight
    for step, mean, se in zip(steps, sums.mean, sums.se, strict=True):
        pruned = CostComplexity(min(float(step), 1e9))(tree)
        node = pruned.route(other.numbers, other.codes)
        if regression:
            loss = (other.target - pruned.node_value[node, 0]) ** 2
        else:
            loss = (other.target != pruned.label[node]).astype(float)
        expected = np.average(loss, weights=weight)
        assert mean == pytest.approx(expected)
        assert se == pytest.approx(
            np.sqrt((weight**2 * (loss - expected) ** 2).sum()) / weight.sum(), abs=1e-9
        )


def test_the_standard_error_of_an_error_rate_is_binomial() -> None:
    train, other = dataset(1, 150), dataset(2, 90)
    tree = tw.grow(train, tw.Recipe("gini"))
    sums = nested_losses(tree, other, np.full(len(tree), np.inf), np.zeros(1))
    rate = sums.mean[0]
    assert sums.se[0] == pytest.approx(np.sqrt(rate * (1 - rate) / 90))


def test_holdout_takes_the_best_tree_and_one_standard_error_a_smaller_one() -> None:
    train, other = dataset(1, 200), dataset(2, 200)
    tree = tw.grow(train, tw.Recipe("gini"))
    best = CostComplexity(holdout=True).prune(tree, other)
    smaller = CostComplexity(holdout=True, se=1).prune(tree, other)
    path = best.path
    assert path.held_out[path.chosen] == path.held_out.min()
    assert all(path.held_out[path.chosen + 1 :] > path.held_out.min())  # the smallest of equals
    least = int(np.argmin(path.held_out))
    limit = path.held_out[least] + path.se[least]
    assert smaller.path.chosen == np.flatnonzero(path.held_out <= limit)[-1]
    assert smaller.tree.n_leaves < best.tree.n_leaves


def cross_validated_by_hand(train: Dataset, folds: np.ndarray, recipe: tw.Recipe, risk: Any) -> np.ndarray:
    """Refit and prune for every fold and alpha."""
    alphas = weakest_links(tw.grow(train, recipe), risk).path().alpha
    assert alphas is not None
    losses = np.zeros(len(alphas))
    for fold in np.unique(folds):
        tree = tw.grow(train.take(folds != fold), recipe)
        rest = train.take(folds == fold)
        for k, alpha in enumerate(between(alphas)):
            pruned = CostComplexity(min(float(alpha), 1e9), risk=risk)(tree)
            node = pruned.route(rest.numbers, rest.codes)
            if train.schema.classes is None:
                losses[k] += ((rest.target - pruned.node_value[node, 0]) ** 2).sum()
            else:
                losses[k] += (rest.target != pruned.label[node]).sum()
    return losses / len(train)


@pytest.mark.parametrize("risk", [None, "impurity"])
@pytest.mark.parametrize("regression", [False, True])
def test_cross_validation_pools_what_every_fold_and_alpha_by_itself_gives(
    regression: bool, risk: Any
) -> None:
    rows = dataset(5, 120, regression)
    folds = np.random.default_rng(0).integers(0, 6, 120)
    estimator = tw.DecisionTreeRegressor if regression else tw.DecisionTreeClassifier
    target = rows.target if regression else rows.schema.classes[rows.target]  # type: ignore[index]
    pruner = CostComplexity(cv=folds, risk=risk)
    model = estimator(pruner=pruner).fit(rows.numbers, target)
    recipe = tw.Recipe("squared_error" if regression else "gini", ties="random")
    np.testing.assert_allclose(model.path_.held_out, cross_validated_by_hand(rows, folds, recipe, risk))
    assert model.path_.leaves[model.path_.chosen] == model.get_n_leaves()
    later = tw.prune(estimator().fit(rows.numbers, target), pruner, rows.numbers, target)
    assert later.tree_ == model.tree_


def test_repeats_average_over_other_folds() -> None:
    rows = dataset(5, 120)
    once = [
        tw.DecisionTreeClassifier(pruner=CostComplexity(cv=4, random_state=seed)).fit(
            rows.numbers, rows.target
        )
        for seed in (7, 8)
    ]
    twice = tw.DecisionTreeClassifier(pruner=CostComplexity(cv=4, random_state=7, repeats=2))
    twice.fit(rows.numbers, rows.target)
    mean = (once[0].path_.held_out + once[1].path_.held_out) / 2
    np.testing.assert_allclose(twice.path_.held_out, mean)
    assert not np.array_equal(once[0].path_.held_out, once[1].path_.held_out)


def test_fold_numbers_must_be_as_many_as_the_rows() -> None:
    rows = dataset(5, 30)
    with pytest.raises(ValueError, match="cv has 20 fold numbers, but there are 30 rows"):
        tw.DecisionTreeClassifier(pruner=CostComplexity(cv=[0, 1] * 10)).fit(rows.numbers, rows.target)


def test_fold_numbers_go_with_their_rows_when_some_have_no_weight() -> None:
    rows = dataset(5, 60)
    folds, weight = np.arange(60) % 3, np.ones(60)
    weight[::7] = 0
    model = tw.DecisionTreeClassifier().fit(rows.numbers, rows.target, sample_weight=weight)
    pruned = tw.prune(model, CostComplexity(cv=folds), rows.numbers, rows.target, sample_weight=weight)
    kept = weight > 0
    same = tw.prune(model, CostComplexity(cv=folds[kept]), rows.numbers[kept], rows.target[kept])
    np.testing.assert_array_equal(pruned.path_.held_out, same.path_.held_out)


def test_cross_validation_of_a_bare_tree_says_what_to_use(fitted: Any) -> None:
    with pytest.raises(ValueError, match=r"use treewright.prune\(model, pruner, X, y\)"):
        CostComplexity(cv=5)(fitted.tree_)


def test_ccp_alpha_is_cost_complexity_by_impurity(fitted: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300) > 1).astype(int)
    model = tw.DecisionTreeClassifier(ccp_alpha=0.01).fit(X, y)
    assert model.tree_ == CostComplexity(0.01, risk="impurity")(fitted.tree_)
    assert model.pruner_ == CostComplexity(0.01, risk="impurity")


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "sqrt", "gain_ratio", "twoing"])
@pytest.mark.parametrize(
    "costs", [None, [[0, 9, 1], [1, 0, 1], [0.1, 3, 0]], [[0, 1, 0], [1, 0, 0], [0, 70, 0]]]
)
def test_the_path_of_impurities_never_falls(criterion: str, costs: Any) -> None:
    """Under costs a node's impurity is that of altered priors, and so is the weight it counts by."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 6, (60, 3)).astype(float)
        X[rng.random(X.shape) < 0.1] = np.nan
        y = rng.integers(0, 3, 60)
        model = tw.DecisionTreeClassifier(criterion=criterion, costs=costs)
        path = model.cost_complexity_pruning_path(X, y)
        assert path.ccp_alphas[0] == 0
        assert (np.diff(path.ccp_alphas) >= 0).all()
        assert (np.diff(path.impurities) >= 0).all()
        tree = model.fit(X, y).tree_
        assert (model.feature_importances_ >= -1e-12).all()
        mass = training_risk(tree, "impurity")
        assert (np.bincount(tree.parent[1:], mass[1:], minlength=len(tree)) <= mass + 1e-9).all()
        assert path.impurities[-1] == pytest.approx(tree.impurity[0])


def test_a_raised_branch_under_costs_has_the_impurity_of_its_rows() -> None:
    costs, raised = [[0, 5], [1, 0]], 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 3)).round(1)
        y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
        model = tw.DecisionTreeClassifier(costs=costs, max_depth=6, pruner=ErrorBased()).fit(X, y)
        raised += bool((model.report_.action == 2).any())
        q = model.tree_.node_value * [5, 1]
        q /= q.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.tree_.impurity, 1 - (q**2).sum(axis=1), atol=1e-12)
    assert raised


def test_a_smaller_tree_may_cost_a_share_of_the_least_loss() -> None:
    """Standard errors of large tables are next to nothing."""
    tree = tw.DecisionTreeClassifier().fit(*tw.datasets.load_iris()).tree_
    path = CostComplexity(alpha=0.0).prune(tree).path
    assert path is not None
    loss = np.linspace(1.0, 1.5, len(path))
    se = np.full(len(path), 0.1)
    step = 0.5 / (len(path) - 1)

    def chosen(granted: float, slack: float) -> int | None:
        return path.choose(loss, granted, measure="held_out", se=se, slack=slack).chosen

    assert chosen(0.0, 0.0) == 0
    assert chosen(0.0, 1.5 * step) == 1
    assert chosen(25 * step, 1.5 * step) == 2  # the larger of the two
