"""Times growing with a fifth of all cells missing beside growing on the whole table, by the same recipe.

    python benchmarks/missing.py               depths 6 and 10, and leaves of 50 rows; then, at depth 10,
                                               entropy, five classes and numbers; one and two threads
    python benchmarks/missing.py --repeat 9    the fastest of nine fits each

Fits are made in turn, and the fastest of each is kept. With one thread CPU time is counted, which other work
on the machine hardly changes; with two the time on the clock.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from workloads import noisy_numbers, teacher, two_classes

import treewright as tw

POLICIES = ("fractional", "surrogate", "available", "direction")


def fastest(works: list[Callable[[], object]], repeat: int, clock: Callable[[], float]) -> list[float]:
    """Seconds of the fastest run of each, the works taken in turn."""
    best = [float("inf")] * len(works)
    for _ in range(repeat):
        for i, work in enumerate(works):
            begin = clock()
            work()
            best[i] = min(best[i], clock() - begin)
    return best


def workloads(n_rows: int) -> Iterator[tuple[Any, Any, type[Any], dict[str, Any]]]:
    """Give tables without holes, targets, estimators and recipes."""
    X, y = two_classes(n_rows).train
    tree = tw.DecisionTreeClassifier
    for recipe in ({"max_depth": 6}, {"max_depth": 10}, {"min_samples_leaf": 50}):
        yield X, y, tree, recipe
    yield X, y, tree, {"max_depth": 10, "criterion": "entropy"}
    signal = teacher(X)
    fifths = np.digitize(signal, np.quantile(signal, [0.2, 0.4, 0.6, 0.8]))
    for criterion in ("gini", "entropy"):
        yield X, fifths, tree, {"max_depth": 10, "criterion": criterion}
    X, y = noisy_numbers(n_rows).train
    yield X, y, tw.DecisionTreeRegressor, {"max_depth": 10}


def compare(n_rows: int, repeat: int) -> None:
    """Print a table of ratios, workload by workload."""
    columns = ["a fifth missing", "target", "threads", "whole", *POLICIES, "rows in nodes, fractional"]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for X, y, estimator, recipe in workloads(n_rows):
        holed = X.copy()
        holed[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
        target = (
            f"{len(np.unique(y))} classes" if issubclass(estimator, tw.DecisionTreeClassifier) else "numbers"
        )
        for threads, clock in ((1, time.process_time), (2, time.perf_counter)):
            whole = estimator(**recipe, n_jobs=threads)
            models = [estimator(missing=name, **recipe, n_jobs=threads) for name in POLICIES]
            works = [partial(whole.fit, X, y), *[partial(model.fit, holed, y) for model in models]]
            base, *seconds = fastest(works, repeat, clock)
            ratios = " | ".join(f"{second / base:.2f}" for second in seconds)
            rows = models[0].tree_.count.sum() / whole.tree_.count.sum()
            print(
                f"| {recipe} | {target} | {threads} | {base:.3f} s | {ratios} | {rows:.1f} times |",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    compare(options.rows, options.repeat)
