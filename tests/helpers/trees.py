"""Trees made by hand and by chance, for tests that need no grower."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain as chain_lists
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Column, Schema
from treewright.tree import Tree
from treewright.tree.splits import Hyperplane, Intervals, Sphere, Split, SplitTable, Table, Threshold


@dataclass
class Leaf:
    """A leaf of so many rows that predicts a number, or has these class weights."""

    count: int
    value: list[float]


@dataclass
class Inner:
    """A node with a split, its branches, and what else may be said of it."""

    split: Split
    branches: list[Leaf | Inner]
    default: int = 0
    surrogates: tuple[Split, ...] = ()
    competitors: tuple[Split, ...] = ()


def build(schema: Schema, plan: Leaf | Inner, costs: Any = None) -> Tree:
    """Number the nodes of a plan in preorder and fill in the statistics from the leaves up."""
    plans: list[Leaf | Inner] = []
    parent: list[int] = []
    stack = [(plan, -1)]
    while stack:
        node, above = stack.pop()
        if isinstance(node, Inner):
            stack.extend((branch, len(plans)) for branch in reversed(node.branches))
        plans.append(node)
        parent.append(above)
    value = np.zeros((len(plans), 1 if schema.classes is None else len(schema.classes)))
    count = np.zeros(len(plans), int)
    for i in reversed(range(len(plans))):
        node = plans[i]
        if isinstance(node, Leaf):
            count[i], value[i] = node.count, node.value
            continue
        children = np.flatnonzero(np.array(parent) == i)
        count[i] = count[children].sum()
        if schema.classes is None:
            value[i] = count[children] @ value[children] / max(count[i], 1)
        else:
            value[i] = value[children][count[children] > 0].sum(axis=0)
    if schema.classes is None:
        weight, impurity, risk = count.astype(float), np.ones(len(plans)), count.astype(float)
    else:
        weight = np.where(count > 0, value.sum(axis=1), 0.0)
        shares = value / value.sum(axis=1, keepdims=True)
        impurity, risk = 1 - (shares**2).sum(axis=1), weight * (1 - shares.max(axis=1))
    lists = [[node.split, *node.surrogates] if isinstance(node, Inner) else [] for node in plans]
    rivals = [list(node.competitors) if isinstance(node, Inner) else [] for node in plans]
    return Tree(
        schema=schema,
        parent=np.array(parent),
        default_branch=np.array([node.default if isinstance(node, Inner) else -1 for node in plans]),
        count=count,
        weight=weight,
        node_value=value,
        impurity=impurity,
        risk=risk,
        merit=np.array([0.5 if isinstance(node, Inner) else 0.0 for node in plans]),
        split_begin=np.cumsum([0, *map(len, lists)]),
        splits=SplitTable.from_splits(list(chain_lists(*lists))),
        competitor_begin=np.cumsum([0, *map(len, rivals)]),
        competitors=SplitTable.from_splits(list(chain_lists(*rivals))),
        costs=costs,
    )


def mixed_schema(n_classes: int = 2) -> Schema:
    """Two numeric features, one of four categories, one ordinal of three, one of ten categories."""
    columns = (
        Column("age"),
        Column("colour", "categorical", ("red", "green", "blue", "grey")),
        Column("width"),
        Column("size", "ordinal", ("small", "middle", "large")),
        Column("letter", "categorical", tuple("abcdefghij")),
    )
    return Schema(columns, np.array(["no", "yes", "maybe"][:n_classes]) if n_classes else None, True)


def random_tree(seed: int, n_splits: int = 6, n_classes: int = 2) -> Tree:
    """Return a tree over `mixed_schema` with splits of every kind, surrogates and competitors."""
    random = np.random.default_rng(seed)
    schema = mixed_schema(n_classes)

    def leaf() -> Leaf:
        if not n_classes:
            return Leaf(int(random.integers(1, 9)), [float(random.normal())])
        weights = random.integers(0, 9, n_classes)
        weights[random.integers(n_classes)] += 1
        return Leaf(int(weights.sum()), weights.tolist())

    plan: Leaf | Inner = leaf()
    leaves: list[tuple[Inner, int]] = []
    for _ in range(n_splits):
        split = random_split(random)
        node = Inner(
            split,
            [leaf() for _ in range(split.n_branches)],
            default=int(random.integers(-2, split.n_branches)),
            surrogates=tuple(random_split(random, binary=True) for _ in range(random.integers(0, 3))),
            competitors=tuple(random_split(random) for _ in range(random.integers(0, 3))),
        )
        if leaves:
            above, branch = leaves.pop(random.integers(len(leaves)))
            above.branches[branch] = node
        else:
            plan = node
        leaves += [(node, branch) for branch in range(split.n_branches)]
    return build(schema, plan)


def random_split(random: np.random.Generator, binary: bool = False) -> Split:
    """Return a split over `mixed_schema`."""
    match random.integers(7 if not binary else 5):
        case 0:
            return Threshold(int(random.choice([0, 2])), float(random.normal()))
        case 1:
            return Threshold(3, float(random.choice([0.0, 0.5, 1.0, 1.5])))
        case 2:
            codes = random.permutation(10)[: random.integers(2, 11)].tolist()
            return Table(4, {code: i % 2 for i, code in enumerate(sorted(codes))}, 2)
        case 3:
            return Hyperplane(
                (0, 2), (float(random.normal()), float(random.normal())), float(random.normal())
            )
        case 4:
            return Sphere((0, 2), (float(random.normal()), 0.5), (1.0, 2.0), float(random.uniform(0.5, 4)))
        case 5:
            return Intervals(int(random.choice([0, 2])), tuple(np.sort(random.normal(size=3)).tolist()))
        case _:
            return Table(1, {0: 0, 1: 1, 2: 2, 3: 3}, 4)


def random_rows(seed: int, n_rows: int = 60) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return numbers and codes of rows of `mixed_schema`, some of them missing or unseen."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=(n_rows, 3))
    numbers[:, 2] = random.integers(0, 3, n_rows)
    numbers[random.random(numbers.shape) < 0.2] = np.nan
    codes = np.column_stack([random.integers(-2, 4, n_rows), random.integers(-2, 10, n_rows)]).astype(
        np.int32
    )
    return numbers, codes


def chain(n_splits: int) -> Tree:
    """Return a tree in which every right branch splits again: as deep as it has splits."""
    n_nodes = 2 * n_splits + 1
    nodes = np.arange(n_nodes, dtype=np.int32)
    inner = (nodes % 2 == 0) & (nodes < n_nodes - 1)
    right = np.arange(n_splits, -1, -1.0)  # rows from each inner node on
    weight = np.empty(n_nodes)
    weight[0::2], weight[1::2] = right + 1, 1
    value = np.column_stack([weight // 2, weight - weight // 2])
    n_each = inner.astype(np.int64)
    empty = SplitTable.from_splits([])
    parent = (nodes - 1) // 2 * 2
    parent[0] = -1
    splits = SplitTable(
        kind=np.zeros(n_splits, np.uint8),
        feature=np.zeros(n_splits, np.int32),
        threshold=np.arange(0.5, n_splits),
        score=np.zeros(n_splits),
        pool_begin=np.zeros(n_splits + 1, np.int64),
        pool_index=np.empty(0, np.int32),
        pool_value=np.empty(0),
    )
    return Tree(
        schema=Schema((Column("x"),), np.array(["a", "b"])),
        parent=parent,
        default_branch=np.where(inner, 1, -1),
        count=weight.astype(np.int64),
        weight=weight,
        node_value=value,
        impurity=np.full(n_nodes, 0.5),
        risk=value.min(axis=1),
        merit=n_each * 0.1,
        split_begin=np.concatenate([[0], np.cumsum(n_each)]),
        splits=splits,
        competitor_begin=np.zeros(n_nodes + 1, np.int64),
        competitors=empty,
    )


def small_trees() -> dict[str, Tree]:
    """One tree for every kind of split and target, as small as they come."""
    pair: list[Leaf | Inner] = [Leaf(1, [1, 0]), Leaf(1, [0, 1])]
    numbers: list[Leaf | Inner] = [Leaf(1, [0.5]), Leaf(2, [-1.5])]
    return {
        "leaf": build(mixed_schema(), Leaf(3, [1, 2])),
        "threshold": build(
            mixed_schema(), Inner(Threshold(0, 0.5), pair, 1, (Threshold(2, 0.0),), (Threshold(3, 0.5),))
        ),
        "subset": build(mixed_schema(0), Inner(Table(1, {0: 0, 1: 1, 3: 0}, 2), numbers, -1)),
        "multiway": build(
            mixed_schema(), Inner(Table(1, {0: 0, 1: 1, 2: 2}, 3), [*pair, Leaf(0, [1, 1])], -2)
        ),
        "hyperplane": build(mixed_schema(), Inner(Hyperplane((0, 2), (1.0, -2.0), 0.5), pair)),
        "sphere": build(
            mixed_schema(), Inner(Sphere((0, 2), (1.0, 0.0), (1.0, 2.0), 0.5), pair), 1 - np.eye(2)
        ),
        "interval": build(mixed_schema(), Inner(Intervals(0, (0.5, 1.5)), [*pair, Leaf(2, [1, 1])])),
        "deep": build(
            mixed_schema(), Inner(Threshold(0, 0.5), [Inner(Threshold(2, 0.5), pair), Leaf(2, [1, 1])])
        ),
    }


TREES = small_trees()


WEATHER = Schema(
    (
        Column("outlook", "categorical", ("Sunny", "Overcast", "Rain")),
        Column("humidity", "categorical", ("High", "Normal")),
        Column("wind", "categorical", ("Weak", "Strong")),
    ),
    np.array(["No", "Yes"]),
    True,
)


def tennis_tree() -> Tree:
    """The known tree of the fourteen days of PlayTennis (Mitchell, 1997, fig. 3.1)."""
    humidity = Inner(Table(1, {0: 0, 1: 1}, 2), [Leaf(3, [3, 0]), Leaf(2, [0, 2])])
    wind = Inner(Table(2, {0: 0, 1: 1}, 2), [Leaf(3, [0, 3]), Leaf(2, [2, 0])])
    return build(WEATHER, Inner(Table(0, {0: 0, 1: 1, 2: 2}, 3), [humidity, Leaf(4, [0, 4]), wind]))
