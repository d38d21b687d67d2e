"""Print what identifies the optimal trees of many tables, to the last bit: `python optimal_digest.py`.

Every loss, width of places and kind of column takes part, so that the loops for each set of instructions
(TREEWRIGHT_INSTRUCTIONS) and processor can be held to one another.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))

import treewright as tw
from helpers.optimal_cases import fitted, random_case, separable_case, two_valued_case


def models() -> Iterator[Any]:
    for seed in range(100, 140):
        yield fitted(random_case(seed), n_jobs=1)
        yield fitted(two_valued_case(seed), n_jobs=1)
        yield fitted(separable_case(seed), n_jobs=1)
    draw = np.random.default_rng(0)
    for n, p, depth in ((400, 6, 3), (70, 5, 4), (66_000, 2, 2)):  # places of 16 bits and of 32
        X = draw.normal(size=(n, p))
        hidden = X[:, 0] * X[:, 1] + draw.normal(size=n)
        y, three = hidden > 0, np.digitize(hidden, [-0.5, 0.5])
        yield tw.OptimalTreeClassifier(max_depth=depth, n_jobs=1).fit(X, y)
        yield tw.OptimalTreeClassifier(max_depth=depth, n_jobs=1, class_weight={False: 1, True: 3}).fit(X, y)
        yield tw.OptimalTreeClassifier(max_depth=min(depth, 3), n_jobs=1).fit(X.round(1), three)
        yield tw.OptimalTreeClassifier(max_depth=2, n_jobs=1).fit(X.round(1), y, draw.random(n) + 0.1)
        yield tw.OptimalTreeRegressor(max_depth=2, n_jobs=1).fit(X.round(1), hidden)
    for p in (12, 20, 40):  # no mistakes, by two vectors of columns, three, or more
        X = draw.normal(size=(150, p)).round(1)
        y = np.where(X[:, 0] > 0.2, X[:, p // 2] > 0, X[:, p - 1] > -0.3)
        yield tw.OptimalTreeClassifier(max_depth=3, n_jobs=1).fit(X, y * (1 + (X[:, 1] > 0.5)))
    X = draw.normal(size=(300, 5)).round(1)
    X[draw.random(X.shape) < 0.1] = np.nan
    six = np.digitize(np.nan_to_num(X[:, 0] * X[:, 1] + X[:, 2]), [-1, -0.5, 0, 0.5, 1])
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=pd.Categorical(draw.integers(0, 4, 300)))
    yield tw.OptimalTreeClassifier(max_depth=3, n_jobs=1).fit(frame, six)
    yield tw.OptimalTreeClassifier(max_depth=3, n_jobs=1).fit(frame, six > 2)
    B = (draw.random((700, 40)) < 0.3).astype(float)
    hidden = B[:, 0] * B[:, 1] + B[:, 2] + draw.random(700)
    for depth in (3, 4):
        yield tw.OptimalTreeClassifier(max_depth=depth, n_jobs=1).fit(B, hidden > 0.8)
    yield tw.OptimalTreeRegressor(max_depth=3, n_jobs=1).fit(B, hidden)


def digest() -> str:
    """Give the digest of all trees and what is proven of them."""
    total = hashlib.sha256()
    for model in models():
        tree = model.tree_
        for array in (
            tree.parent,
            tree.splits.feature,
            tree.splits.threshold,
            tree.splits.pool_value,
            tree.value,
        ):
            total.update(np.ascontiguousarray(array).tobytes())
        total.update(repr((model.objective_, model.lower_bound_, model.n_solved_)).encode())
    return total.hexdigest()


if __name__ == "__main__":
    print(digest())
