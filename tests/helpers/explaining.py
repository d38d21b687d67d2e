"""Tables, models and hand-made trees whose rows and leaves are explained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from treewright import DecisionTreeClassifier
from treewright.data import Column, Schema
from treewright.tree.splits import NO_SPLITS, SplitTable

POLICIES = ["direction", "available", "value", "fractional", "surrogate", "mean", "median", "mode"]


def mixed_table(seed: int, n_rows: int = 60, holes: float = 0.2) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and two categories with holes, and a class of three that depends on all."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 8, n_rows).astype(float),
            "b": rng.normal(size=n_rows).round(1),
            "c": rng.choice(["red", "green", "blue"], n_rows),
            "d": rng.choice(["u", "v"], n_rows),
        }
    )
    score = X["a"] / 4 + X["b"] + (X["c"] == "red") - (X["d"] == "u") * X["a"] / 5
    y = np.digitize(score + rng.normal(0, 0.3, n_rows), [0.3, 1.5])
    for name in X:
        X.loc[rng.random(n_rows) < holes, name] = None
    return X.astype({"c": "category", "d": "category"}), y


def models(policy: str, seed: int, **settings: Any) -> tuple[DecisionTreeClassifier, pd.DataFrame]:
    X, y = mixed_table(seed)
    return DecisionTreeClassifier(missing=policy, max_depth=4, min_samples_leaf=3, **settings).fit(X, y), X


def hand_made(splits: list[Any], parent: list[int], wanted_leaf: int) -> tw.Tree:
    """A tree of two numbers whose leaves say "a", but for one that says "b"."""
    n = len(parent)
    is_inner = np.array([node in parent for node in range(n)])
    value = np.where(is_inner[:, None], 1.0, [[1.0, 0.0]])
    value[wanted_leaf] = (0.0, 1.0)
    nothing = np.zeros(n)
    return tw.Tree(
        schema=Schema((Column("x"), Column("y")), np.array(["a", "b"])),
        parent=np.array(parent),
        default_branch=np.where(is_inner, 0, -1),
        count=np.ones(n),
        weight=np.ones(n),
        node_value=value,
        impurity=nothing,
        risk=nothing,
        merit=nothing,
        split_begin=np.concatenate(([0], np.cumsum(is_inner))),
        splits=SplitTable.from_splits(splits),
        competitor_begin=np.zeros(n + 1),
        competitors=NO_SPLITS,
    )


def share_of(tree: tw.Tree) -> np.ndarray:
    """The shares of the classes at every node."""
    return tree.node_value / tree.node_value.sum(axis=1, keepdims=True)
