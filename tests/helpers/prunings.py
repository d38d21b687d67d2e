"""All prunings of small trees, and rows to judge them by: brute force for the tests of pruning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from helpers.trees import mixed_schema, random_rows, random_tree
from treewright.data import Dataset
from treewright.tree import Tree

Leaves = frozenset[int]
COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]])


def all_prunings(tree: Tree, node: int = 0) -> list[Leaves]:
    """Every pruning of the tree below a node, as the set of its leaves."""
    if tree.is_leaf(node):
        return [frozenset([node])]
    below = product(*(all_prunings(tree, child) for child in tree.children(node)))
    return [frozenset([node]), *(frozenset().union(*choice) for choice in below)]


def splits_above(tree: Tree, leaves: Leaves) -> set[int]:
    """The inner nodes of a pruning."""
    above = set()
    for leaf in leaves:
        node = int(tree.parent[leaf])
        while node >= 0:
            above.add(node)
            node = int(tree.parent[node])
    return above


def leaves_of(tree: Tree, pruned: Tree) -> Leaves:
    """The leaves of a pruning by their ids in the tree, found by walking both; fails if it is no pruning."""
    leaves, stack = [], [(0, 0)]
    while stack:
        old, new = stack.pop()
        assert pruned.count[new] == tree.count[old]
        assert np.array_equal(pruned.node_value[new], tree.node_value[old])
        if pruned.is_leaf(new):
            leaves.append(old)
            continue
        assert pruned[new].split == tree[old].split
        assert pruned.default_branch[new] == tree.default_branch[old]
        stack += zip(tree.children(old), pruned.children(new), strict=True)
    return frozenset(leaves)


def smallest_of_cheapest(cost: dict[Leaves, float]) -> list[Leaves]:
    """The prunings of least cost that have the fewest leaves."""
    least = min(cost.values())
    cheapest = [leaves for leaves in cost if cost[leaves] <= least + 1e-9 * (1 + abs(least))]
    fewest = min(map(len, cheapest))
    return [leaves for leaves in cheapest if len(leaves) == fewest]


def random_holdout(seed: int, tree: Tree, n_rows: int = 40, weighted: bool = False) -> Dataset:
    """Rows of `mixed_schema` with a target drawn at random."""
    random = np.random.default_rng(seed)
    numbers, codes = random_rows(seed, n_rows)
    if tree.is_classifier:
        target = random.integers(0, tree.node_value.shape[1], n_rows).astype(np.int32)
    else:
        target = random.normal(size=n_rows) * 3 + 1e6
    weight = random.integers(1, 40, n_rows) / 10 if weighted else None
    return Dataset(tree.schema, np.asfortranarray(numbers), np.asfortranarray(codes), target, weight)


def random_trees(n: int, n_splits: int = 5, n_classes: int | None = None) -> Iterator[tuple[int, Tree]]:
    """Random trees with multiway splits, of two and of three classes and of numbers, with their seeds."""
    for seed in range(n):
        yield (
            seed,
            random_tree(seed, 1 + seed % n_splits, [2, 3, 0][seed % 3] if n_classes is None else n_classes),
        )


__all__ = ["all_prunings", "leaves_of", "mixed_schema", "random_holdout", "random_tree", "random_trees"]


def cost_of(leaves: Leaves, cost: np.ndarray) -> float:
    """What a pruning costs, from the cost of each node as a leaf."""
    return float(cost[list(leaves)].sum())
