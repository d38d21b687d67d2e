"""The tables that the benchmark grows trees on: synthetic, seeded, the same on every machine.

Numbers are rounded to single precision, so that programs which compute in it see the same table.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Rows to learn from and rows to judge by; the last `n_categorical` columns hold category codes."""

    X: Any
    y: NDArray[np.generic]
    n_test: int
    n_categorical: int = 0

    @property
    def train(self) -> tuple[Any, NDArray[np.generic]]:
        return self.X[: -self.n_test], self.y[: -self.n_test]

    @property
    def test(self) -> tuple[Any, NDArray[np.generic]]:
        return self.X[-self.n_test :], self.y[-self.n_test :]


@dataclass(frozen=True)
class Workload:
    """What is measured: `fit` once or often, `predict`, the `path` of prunings, `choose alpha`, `pickle`.

    Both programs are given `parameters`, treewright also its `own`, which scikit-learn does not have.
    """

    words: str
    rows: Callable[[], Rows]
    measure: str = "fit"
    regression: bool = False
    forest: bool = False
    extra: bool = False
    threads: int = 1
    parameters: dict[str, object] = field(default_factory=dict)
    own: Callable[[], dict[str, object]] = dict


def superclasses() -> dict[str, object]:
    from treewright.criteria import Superclasses

    return {"criterion": Superclasses("entropy")}


def normal(generator: np.random.Generator, n_rows: int, n_columns: int) -> Array:
    return generator.standard_normal((n_rows, n_columns), dtype=np.float32).astype(np.float64)


def teacher(X: Array) -> Array:
    """A smooth wave, a product, a switch, a kink and a step, on the first eight columns."""
    switch = np.where(X[:, 3] > 0.3, X[:, 4], -X[:, 5])
    return np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + switch + 0.5 * np.abs(X[:, 6]) - 0.5 * (X[:, 7] > 0)


def two_classes(n_rows: int, n_columns: int = 20, n_test: int = 20_000) -> Rows:
    """Two classes of equal size, a tenth of the labels wrong."""
    generator = np.random.default_rng(0)
    X = normal(generator, n_rows + n_test, n_columns)
    signal = teacher(X)
    wrong = generator.random(len(X)) < 0.1
    return Rows(X, ((signal > np.median(signal)) != wrong).astype(np.int64), n_test)


def noisy_numbers(n_rows: int, n_columns: int = 20) -> Rows:
    generator = np.random.default_rng(0)
    X = normal(generator, n_rows + 20_000, n_columns)
    return Rows(X, teacher(X) + 0.5 * generator.standard_normal(len(X)), 20_000)


def counts(n_rows: int) -> Rows:
    """Events whose rate is the exponential of the teacher's signal, ten columns."""
    generator = np.random.default_rng(0)
    X = normal(generator, n_rows + 20_000, 10)
    return Rows(X, generator.poisson(np.exp(0.4 * teacher(X))).astype(float), 20_000)


def few_values(n_rows: int) -> Rows:
    """Thirty columns of whole numbers from 0 to 9, two classes."""
    rows = two_classes(n_rows, 30)
    return Rows(np.clip(np.floor(2 * rows.X) + 5, 0, 9), rows.y, rows.n_test)


def many_classes(n_rows: int, n_classes: int, n_columns: int = 20) -> Rows:
    """Classes of equal size along the teacher's signal, a tenth of the labels wrong."""
    generator = np.random.default_rng(0)
    X = normal(generator, n_rows + 20_000, n_columns)
    place = teacher(X).argsort().argsort() * n_classes // len(X)
    wrong = generator.random(len(X)) < 0.1
    return Rows(X, np.where(wrong, generator.integers(0, n_classes, len(X)), place), 20_000)


def with_holes(rows: Rows, share: float = 0.2) -> Rows:
    X = rows.X.copy()
    X[np.random.default_rng(5).random(X.shape) < share] = np.nan
    return Rows(X, rows.y, rows.n_test)


def many_thresholds(n_rows: int, n_test: int) -> Rows:
    """Few columns and a noisy target, so that every row is a leaf."""
    generator = np.random.default_rng(7)
    X = normal(generator, n_rows + n_test, 8)
    return Rows(X, teacher(X) + generator.standard_normal(len(X)), n_test)


def forest_cover(n_rows: int) -> Rows:
    """Seven uneven classes, ten columns of whole numbers and 44 of zeros and ones, as in Covertype."""
    generator = np.random.default_rng(1)
    n = n_rows + 20_000
    spread = [280, 110, 7, 210, 58, 1560, 27, 20, 38, 1300]
    numbers = np.round(generator.standard_normal((n, 10)) * spread)
    area = generator.choice(4, n, p=[0.45, 0.05, 0.44, 0.06])
    soil = generator.zipf(1.5, n) % 40
    signal = 0.004 * numbers[:, 0] + 0.3 * np.sin(numbers[:, 5] / 900) + 0.25 * area
    signal += 0.02 * soil * (numbers[:, 9] > 0) + 0.002 * numbers[:, 3] * (numbers[:, 1] > 20)
    signal += 0.15 * generator.standard_normal(n)
    y = np.searchsorted(np.quantile(signal, [0.36, 0.85, 0.91, 0.915, 0.93, 0.96]), signal)
    return Rows(np.hstack([numbers, np.eye(4)[area], np.eye(40)[soil]]), y, 20_000)


def many_categories(n_rows: int) -> Rows:
    """Five numeric columns, and five of a thousand categories each with an effect of its own."""
    generator = np.random.default_rng(2)
    n = n_rows + 20_000
    numbers = generator.standard_normal((n, 5)).astype(np.float32).astype(np.float64)
    codes = generator.integers(0, 1000, (n, 5))
    effect = generator.standard_normal((5, 1000))
    signal = effect[np.arange(5), codes].sum(axis=1) + numbers[:, 0] * numbers[:, 1] + numbers[:, 2]
    y = (signal + 0.7 * generator.standard_normal(n) > 0).astype(np.int64)
    return Rows(np.hstack([numbers, codes]), y, 20_000, n_categorical=5)


def three_targets(rows: Rows) -> Rows:
    """The same table with two more targets: of classes where it has classes, else of numbers."""
    X, noise = rows.X, np.random.default_rng(5).standard_normal(len(rows.X))
    more = [X[:, 1] + X[:, 3] * X[:, 4] + 0.1 * noise, X[:, 0] * X[:, 2] + 0.1 * noise]
    if rows.y.dtype.kind == "i":
        more = [(column > 0).astype(np.int64) for column in more]
    return Rows(X, np.column_stack([rows.y, *more]), rows.n_test)


def census(n_rows: int) -> Rows:
    """Six numbers and eight categories, as in the census data *adult*; a quarter is of the second class."""
    generator = np.random.default_rng(6)
    n = n_rows + 10_000
    age = np.clip(generator.gamma(6, 6.5, n).round(), 17, 90)
    hours = np.clip((40 + 12 * generator.standard_normal(n)).round(), 1, 99)
    gain = np.where(generator.random(n) < 0.08, generator.gamma(1.2, 9000, n).round(), 0)
    loss = np.where(generator.random(n) < 0.05, 1900 + (300 * generator.standard_normal(n)).round(), 0)
    years = np.clip((10 + 2.5 * generator.standard_normal(n)).round(), 1, 16)
    weight = generator.gamma(3, 63_000, n).round()
    levels = [8, 16, 7, 14, 6, 5, 2, 41]
    codes = np.stack([generator.zipf(1.6, n) % level for level in levels], axis=1)
    effect = [generator.standard_normal(level) for level in levels]
    signal = (
        0.04 * (age - 40) + 0.03 * (hours - 40) + 0.35 * (years - 10) + 2.0 * (gain > 5000) + 0.8 * (loss > 0)
    )
    signal += sum(0.5 * each[codes[:, i]] for i, each in enumerate(effect)) + generator.standard_normal(n)
    numbers = np.stack([age, weight, years, gain, loss, hours], axis=1)
    return Rows(np.hstack([numbers, codes]), (signal > np.quantile(signal, 0.75)).astype(np.int64), 10_000, 8)


def wide(n_rows: int, n_columns: int) -> Rows:
    X = normal(np.random.default_rng(3), n_rows + 1000, n_columns)
    return Rows(X, (teacher(X) > 0).astype(np.int64), 1000)


def sparse(n_rows: int, n_columns: int, n_test: int = 1000, stored: float = 0.005) -> Rows:
    """Rows of which few columns are stored, by rows; the classes hang on 200 of them."""
    from scipy.sparse import csr_matrix

    generator = np.random.default_rng(4)
    n, each = n_rows + n_test, int(stored * n_columns)
    column = np.sort(generator.integers(0, n_columns, (n, each)), axis=1).ravel()
    value = generator.random(n * each, dtype=np.float32).astype(np.float64)
    X = csr_matrix((value, column, np.arange(0, n * each + 1, each)), shape=(n, n_columns))
    X.sum_duplicates()
    effect = np.zeros(n_columns)
    effect[generator.choice(n_columns, 200, replace=False)] = generator.standard_normal(200)
    signal = X @ effect
    signal += 0.1 * signal.std() * generator.standard_normal(n)
    return Rows(X, (signal > np.median(signal)).astype(np.int64), n_test)


def iris() -> Rows:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return Rows(np.asarray(X, dtype=np.float64)[order], y[order], len(y) // 4)


WORKLOADS = {
    "A1": Workload("full tree, 100,000 x 20", lambda: two_classes(100_000)),
    "A2": Workload("full tree, 1,000,000 x 20", lambda: two_classes(1_000_000)),
    "A2-2": Workload("the same, two threads", lambda: two_classes(1_000_000), threads=2),
    "A3": Workload("full tree, 500,000 x 54, 7 classes", lambda: forest_cover(500_000)),
    "A3-2": Workload("the same, two threads", lambda: forest_cover(500_000), threads=2),
    "B1": Workload("full regression tree, 500,000 x 20", lambda: noisy_numbers(500_000), regression=True),
    "B2": Workload("full regression tree, 100,000 x 20", lambda: noisy_numbers(100_000), regression=True),
    "B3": Workload(
        "absolute error, depth 10, 20,000 x 10",
        lambda: noisy_numbers(20_000, 10),
        regression=True,
        parameters={"criterion": "absolute_error", "max_depth": 10},
    ),
    "B4": Workload(
        "Poisson deviance, full tree, 100,000 x 10",
        lambda: counts(100_000),
        regression=True,
        parameters={"criterion": "poisson"},
    ),
    "B5": Workload(
        "monotone in three features, 100,000 x 20",
        lambda: noisy_numbers(100_000),
        regression=True,
        parameters={"monotonic_cst": [0, 0, 0, 0, 1, -1, 0, -1, *[0] * 12]},
    ),
    "A4": Workload(
        "depth 12, 500,000 x 30, ten values a column",
        lambda: few_values(500_000),
        parameters={"max_depth": 12},
    ),
    "A5": Workload(
        "full tree, max_features='sqrt', 300,000 x 40",
        lambda: two_classes(300_000, 40),
        parameters={"max_features": "sqrt"},
    ),
    "A6": Workload("full tree, 50,000 x 20, 100 classes", lambda: many_classes(50_000, 100)),
    "A7": Workload(
        "entropy, full tree, 100,000 x 20", lambda: two_classes(100_000), parameters={"criterion": "entropy"}
    ),
    "A8": Workload(
        "31 leaves, best first, 1,000,000 x 20",
        lambda: two_classes(1_000_000),
        parameters={"max_leaf_nodes": 31},
    ),
    "A9": Workload("full tree, 100,000 x 20, a fifth missing", lambda: with_holes(two_classes(100_000))),
    "A10": Workload(
        "the same, rows without a value shared out",
        lambda: with_holes(two_classes(100_000)),
        own=lambda: {"missing": "fractional"},
    ),
    "A11": Workload(
        "two superclasses by entropy (scikit-learn: entropy), 20,000 x 10, 100 classes",
        lambda: many_classes(20_000, 100, 10),
        parameters={"criterion": "entropy"},
        own=superclasses,
    ),
    "C": Workload(
        "depth 6, 1,000,000 x 50, two threads",
        lambda: two_classes(1_000_000, 50),
        threads=2,
        parameters={"max_depth": 6},
    ),
    "D1": Workload(
        "forest of 100 trees, 100,000 x 20, two threads",
        lambda: two_classes(100_000),
        forest=True,
        threads=2,
        parameters={"max_features": 4},
    ),
    "D3": Workload(
        "regression forest of 100 trees, 100,000 x 20, two threads",
        lambda: noisy_numbers(100_000),
        regression=True,
        forest=True,
        threads=2,
        parameters={"max_features": 4},
    ),
    "D4": Workload(
        "forest of 100 trees, 30,000 rows, 6 numbers and 8 categories, two threads",
        lambda: census(30_000),
        forest=True,
        threads=2,
        parameters={"max_features": 4},
    ),
    "E1": Workload(
        "predict 1,000,000 rows", lambda: two_classes(100_000, n_test=1_000_000), measure="predict"
    ),
    "E2": Workload(
        "predict 1,000,000 rows by 100 deep trees",
        lambda: two_classes(20_000, n_test=1_000_000),
        measure="predict",
        forest=True,
        parameters={"max_features": 4},
    ),
    "E4": Workload(
        "predict 1,000,000 rows by 100 trees of depth 8",
        lambda: two_classes(20_000, n_test=1_000_000),
        measure="predict",
        forest=True,
        parameters={"max_features": 4, "max_depth": 8},
    ),
    "E5": Workload(
        "predict 500,000 rows by 30 trees of 130,000 thresholds a column",
        lambda: many_thresholds(50_000, 500_000),
        measure="predict",
        regression=True,
        forest=True,
        parameters={"n_estimators": 30, "max_features": 2},
    ),
    "F1": Workload("one small fit: iris", iris, measure="fit often"),
    "G1": Workload("full tree, 1,000 x 10,000", lambda: wide(1000, 10_000)),
    "G2": Workload(
        "forest of 100 trees, 1,000 x 10,000, two threads",
        lambda: wide(1000, 10_000),
        forest=True,
        threads=2,
        parameters={"max_features": 100},
    ),
    "S1": Workload(
        "depth 20, sparse, 20,000 x 20,000, 0.5 % stored",
        lambda: sparse(20_000, 20_000),
        parameters={"max_depth": 20},
    ),
    "S2": Workload(
        "forest of 20 trees, sparse, 5,000 x 20,000, 0.5 % stored",
        lambda: sparse(5000, 20_000),
        forest=True,
        parameters={"n_estimators": 20},
    ),
    "S3": Workload(
        "predict 5,000 sparse rows by that forest",
        lambda: sparse(5000, 20_000, n_test=5000),
        measure="predict",
        forest=True,
        parameters={"n_estimators": 20},
    ),
    "S4": Workload(
        "predict 20,000 sparse rows by a tree of depth 20",
        lambda: sparse(20_000, 20_000, n_test=20_000),
        measure="predict",
        parameters={"max_depth": 20},
    ),
    "J1": Workload(
        "cuts drawn at random, 100,000 x 20",
        lambda: two_classes(100_000),
        parameters={"splitter": "random"},
    ),
    "J2": Workload(
        "extra trees, 50 of them, 100,000 x 20",
        lambda: two_classes(100_000),
        forest=True,
        extra=True,
        parameters={"n_estimators": 50},
    ),
    "J3": Workload(
        "extra trees of numbers, 10 of them, 100,000 x 20",
        lambda: noisy_numbers(100_000),
        regression=True,
        forest=True,
        extra=True,
        parameters={"n_estimators": 10},
    ),
    "J4": Workload(
        "cuts of numbers drawn at random, 100,000 x 20",
        lambda: noisy_numbers(100_000),
        regression=True,
        parameters={"splitter": "random"},
    ),
    "M1": Workload("full tree, three targets, 100,000 x 20", lambda: three_targets(two_classes(100_000))),
    "M2": Workload(
        "full tree, three targets of numbers, 300,000 x 20",
        lambda: three_targets(noisy_numbers(300_000)),
        regression=True,
    ),
    "M3": Workload(
        "forest of 20 trees, three targets, 50,000 x 20",
        lambda: three_targets(two_classes(50_000)),
        forest=True,
        parameters={"n_estimators": 20},
    ),
    "M4": Workload(
        "extra trees, 20 of them, three targets, 50,000 x 20",
        lambda: three_targets(two_classes(50_000)),
        forest=True,
        extra=True,
        parameters={"n_estimators": 20},
    ),
    "M5": Workload(
        "extra trees, 10 of them, three targets of numbers, 50,000 x 20",
        lambda: three_targets(noisy_numbers(50_000)),
        regression=True,
        forest=True,
        extra=True,
        parameters={"n_estimators": 10},
    ),
    "P0": Workload("pickle and unpickle a small tree: iris", iris, measure="pickle"),
    "P1": Workload(
        "pickle and unpickle a full tree, 100,000 x 20", lambda: two_classes(100_000), measure="pickle"
    ),
    "P2": Workload(
        "pickle and unpickle a forest of 10 trees",
        lambda: two_classes(100_000),
        measure="pickle",
        forest=True,
        parameters={"n_estimators": 10},
    ),
    "H2": Workload(
        "depth 8, 500,000 rows, five features of 1,000 categories",
        lambda: many_categories(500_000),
        parameters={"max_depth": 8},
    ),
    "I1": Workload(
        "fit and cost-complexity path, 100,000 x 20", lambda: two_classes(100_000), measure="path"
    ),
    "I2": Workload(
        "alpha by ten folds, 10,000 x 20 (20 alphas / all)",
        lambda: two_classes(10_000),
        measure="choose alpha",
    ),
}

GROUPS = {
    "panel": [name for name in WORKLOADS if name[0] in "ABCDEFGH"],
    "trees": [
        name
        for name, workload in WORKLOADS.items()
        if not workload.forest and workload.measure.startswith("fit") and name[0] in "ABCFGH"
    ],
    "forests": ["D1", "D3", "D4", "G2", "J1", "J2", "J3", "J4", "M1", "M2", "M3", "M4", "M5"],
    "sparse": ["S1", "S2", "S3", "S4"],
    "predict": ["E1", "E2", "E4", "E5", "S3", "S4"],
    "pickles": ["P0", "P1", "P2"],
}
"""Names for several workloads."""
