"""A table for forests, and the kinds of forests with the trees they are made of."""

from __future__ import annotations

import numpy as np
import pandas as pd

import treewright as tw


def mixed(n: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, few and many categories, all with missing values, and a target of three classes."""
    rng = np.random.default_rng(seed)
    codes, many = rng.integers(0, 5, n), rng.integers(0, 90, n)
    table = pd.DataFrame({"a": rng.normal(size=n).round(1), "b": rng.normal(size=n), "c": rng.normal(size=n)})
    table["few"] = pd.Categorical(np.array(list("vwxyz"))[codes])
    table["many"] = pd.Categorical([f"level {code}" for code in many])
    score = table["a"] + (codes > 2) + many % 3 + rng.normal(size=n) / 2
    for column, step in (("a", 7), ("few", 9), ("many", 11)):
        table.loc[::step, column] = np.nan
    return table, np.digitize(score, [1.0, 2.5])


KINDS = {
    "two classes": lambda y: (tw.RandomForestClassifier, tw.DecisionTreeClassifier, y > 0),
    "three classes": lambda y: (tw.RandomForestClassifier, tw.DecisionTreeClassifier, y),
    "numbers": lambda y: (tw.RandomForestRegressor, tw.DecisionTreeRegressor, y + np.sin(np.arange(len(y)))),
    "extra classes": lambda y: (tw.ExtraTreesClassifier, tw.DecisionTreeClassifier, y),
    "extra numbers": lambda y: (tw.ExtraTreesRegressor, tw.DecisionTreeRegressor, y * 1.0),
}
