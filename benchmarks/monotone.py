"""Monotone trees beside scikit-learn's: their error on fresh rows, and what they cost.

python benchmarks/monotone.py            # errors, a minute
python benchmarks/monotone.py --time     # 100,000 rows of 20 features, a minute
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor as SklearnRegressor

from treewright import DecisionTreeRegressor

FUNCTIONS: dict[str, tuple[Callable[[Any], Any], list[int]]] = {
    "3 x0 + x1^2": (lambda X: 3 * X[:, 0] + X[:, 1] ** 2, [1, 0, 0, 0, 0, 0]),
    "x0 + sin 2 x1 + x2 x3": (
        lambda X: X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3],
        [1, 0, 0, 0, 0, 0],
    ),
    "2 [x0 > 0] max(x1, 0) + exp(x2 / 2)": (
        lambda X: np.where(X[:, 0] > 0, 2, 0) * np.maximum(X[:, 1], 0) + np.exp(X[:, 2] / 2),
        [1, 1, 1, 0, 0, 0],
    ),
    "x0 + x1 + x2": (lambda X: X[:, 0] + X[:, 1] + X[:, 2], [1, 1, 1, 0, 0, 0]),
    "2 tanh 2 x0 - x1 + sin 3 x2": (
        lambda X: 2 * np.tanh(2 * X[:, 0]) - X[:, 1] + np.sin(3 * X[:, 2]),
        [1, -1, 0, 0, 0, 0],
    ),
    "three steps of x0, + x1 x2": (
        lambda X: sum((X[:, 0] > at) * 1.0 for at in (-1, 0, 1)) + X[:, 1] * X[:, 2],
        [1, 0, 0, 0, 0, 0],
    ),
    "max(x0, x1) - min(x2, x3)": (
        lambda X: np.maximum(X[:, 0], X[:, 1]) - np.minimum(X[:, 2], X[:, 3]),
        [1, 1, -1, -1, 0, 0],
    ),
    "(x0 + 2) (x1 + 2) / 2 + |x2|": (
        lambda X: (X[:, 0] + 2) * (X[:, 1] + 2) / 2 + np.abs(X[:, 2]),
        [1, 1, 0, 0, 0, 0],
    ),
    "0.3 x0 + 2 sin 2 x1 + x2 x3": (
        lambda X: 0.3 * X[:, 0] + 2 * np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3],
        [1, 0, 0, 0, 0, 0],
    ),
    "exp(x0 / 2) (1 + [x1 > 0]) + sin 2 x2": (
        lambda X: np.exp(X[:, 0] / 2) * (1 + (X[:, 1] > 0)) + np.sin(2 * X[:, 2]),
        [1, 1, 0, 0, 0, 0],
    ),
    "(x0^3 - x1^3) / 4 + x2 [x3 > 0]": (
        lambda X: (X[:, 0] ** 3 - X[:, 1] ** 3) / 4 + X[:, 2] * (X[:, 3] > 0),
        [1, -1, 0, 0, 0, 0],
    ),
    "six terms, four of them monotone": (
        lambda X: (
            X[:, 0]
            - X[:, 1]
            + np.sqrt(X[:, 2] + 2)
            - np.log(X[:, 3] + 2.1)
            + np.sin(2 * X[:, 4])
            + X[:, 5] ** 2 / 2
        ),
        [1, -1, 1, -1, 0, 0],
    ),
}


def errors(depth: int | None, seeds: int = 3) -> None:
    """Print R² against the function itself, on 20,000 fresh rows: ours, free, scikit-learn's."""
    means = []
    for name, (function, signs) in FUNCTIONS.items():
        lines = []
        for seed in range(seeds):
            random = np.random.default_rng(seed)
            X = random.uniform(-2, 2, size=(24_000, 6)).astype(np.float32).astype(float)
            truth = function(X)
            y = truth[:4000] + 0.7 * random.normal(size=4000)
            limits: dict[str, Any] = {"max_depth": depth, "min_samples_leaf": 5}
            models = (
                DecisionTreeRegressor(monotonic_cst=signs, **limits),
                DecisionTreeRegressor(**limits),
                SklearnRegressor(monotonic_cst=signs, **limits),
            )
            missed = [m.fit(X[:4000], y).predict(X[4000:]) - truth[4000:] for m in models]
            spread = truth[4000:].var()
            lines.append(
                [1 - (miss**2).mean() / spread for miss in missed] + [m.get_n_leaves() for m in models]
            )
        mean = np.mean(lines, axis=0)
        means.append(mean)
        print(f"{name:38} depth {depth}: {mean[0]:.3f} free {mean[1]:.3f} scikit-learn {mean[2]:.3f}", end="")
        print(f"   leaves {mean[3]:.0f}, {mean[4]:.0f}, {mean[5]:.0f}")
    ours, free, sklearn = np.mean(means, axis=0)[:3]
    name = f"mean of {len(FUNCTIONS)}"
    print(f"{name:38} depth {depth}: {ours:.3f} free {free:.3f} scikit-learn {sklearn:.3f}")


def times() -> None:
    """Print seconds of processor time on one thread."""
    random = np.random.default_rng(0)
    X = random.normal(size=(100_000, 20)).astype(np.float32).astype(float)
    y = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * random.normal(size=len(X))
    signs = [1, 0, 0, 0, -1] + [0] * 15
    for name, model in (
        ("free", DecisionTreeRegressor(n_jobs=1)),
        ("monotone", DecisionTreeRegressor(monotonic_cst=signs, n_jobs=1)),
        ("scikit-learn", SklearnRegressor(monotonic_cst=signs)),
    ):
        start = time.process_time()
        model.fit(X, y)
        print(f"{name:14} {time.process_time() - start:6.2f} s, {model.get_n_leaves()} leaves")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", action="store_true")
    if parser.parse_args().time:
        times()
    else:
        for depth in (4, 6, 8, None):
            errors(depth)
