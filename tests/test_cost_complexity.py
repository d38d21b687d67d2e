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
from treewright.pruning import CostComplexity, pruning_path
from treewright.pruning.cost_complexity import _collapse_alphas


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


def weakest_links(tree: Any) -> list[tuple[float, int]]:
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
    expected = weakest_links(tree)
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


def test_path_describes_the_prunings_that_its_alphas_give(fitted: Any) -> None:
    tree = fitted.tree_
    path = pruning_path(tree)
    assert path.leaves[0] == tree.n_leaves
    assert path.leaves[-1] == 1
    assert np.all(np.diff(path.alphas) >= 0)
    assert np.all(np.diff(path.leaves) < 0)
    for step in (0, len(path.alphas) // 2, len(path.alphas) - 1):
        same = np.flatnonzero(path.alphas == path.alphas[step])[-1]
        pruned = CostComplexity(path.alphas[step])(tree)
        assert pruned.n_leaves == path.leaves[same]
        is_leaf = pruned.n_children == 0
        risk = (pruned.weight * pruned.impurity)[is_leaf].sum() / pruned.weight[0]
        assert risk == pytest.approx(path.risks[same])


def test_error_risk_prunes_by_training_errors(fitted: Any) -> None:
    tree = fitted.tree_
    path = pruning_path(tree, risk="error")
    assert path.risks[0] == 0  # a full tree makes no training errors here
    assert path.risks[-1] == pytest.approx(tree.risk[0] / tree.weight[0])
    assert CostComplexity(1.0, risk="error")(tree).node_count == 1
