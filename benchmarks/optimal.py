"""Provably optimal trees beside STreeD (binary columns) and ConTree (raw numbers): CPU seconds of `fit`.

    python benchmarks/optimal.py TABLES [--part binary numbers squares large anytime] [--limit 60]

TABLES is a folder of tables `binary_*.gz` and `numeric_*.gz`: no header, blanks between columns, the class
first; of more than two classes the first is told from the rest. One thread, one program after the other in
one process (pip install pystreed pycontree), the least of the repeats. What is not done within the limit is
written as > its time; errors must be equal wherever both programs have ended.

- binary: STreeD, depth 2 to 4; numbers: ConTree, depth 2 to 4, also on tables made with many ties, with few
  rows and with many;
- squares: regression of the first number on five cuts of each of the others (STreeD);
- large: 30,000 × 84 two-valued columns, depth 4 (STreeD);
- anytime (wall seconds): how good the tree is after a tenth of a second, whether limits hold, and what two
  threads gain.

`--only`, `--depths` and `--repeat` choose among them, so that each run is short. Medians stand at the end.
"""

import argparse
import gzip
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw


def read_table(path: Path) -> tuple[Any, Any]:
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file)
    y = table[:, 0].astype(int)
    return np.ascontiguousarray(table[:, 1:]), (y != y[0]).astype(int)


def least_seconds(fit: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """Give the least CPU time of some runs, fewer if they are long, and the model."""
    best, total = np.inf, 0.0
    for _ in range(repeat):
        start = time.process_time()
        model = fit()
        seconds = time.process_time() - start
        best, total = min(best, seconds), total + seconds
        if total > 10:
            break
    return best, model


def ours(X: Any, y: Any, depth: int, limit: float, repeat: int) -> tuple[float, int, bool]:
    def fit() -> Any:
        return tw.OptimalTreeClassifier(max_depth=depth, n_jobs=1, time_limit=limit).fit(X, y)

    seconds, model = least_seconds(fit, repeat)
    errors = int((model.predict(X) != y).sum())
    assert round(model.objective_ * len(y)) == errors
    return seconds, errors, model.optimal_


def theirs(X: Any, y: Any, depth: int, limit: float, repeat: int, *, binary: bool) -> tuple[float, int, bool]:
    from pycontree import ConTree
    from pystreed import STreeDClassifier

    def fit() -> Any:
        if binary:
            return STreeDClassifier("accuracy", max_depth=depth, time_limit=limit).fit(X, y)
        model = ConTree(max_depth=depth, time_limit=limit)
        model.fit(X, y)
        return model

    if binary:
        X = X.astype(int)
    start = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, model = least_seconds(fit, repeat)
    ended = time.monotonic() - start < 0.98 * limit  # their limit is on the clock, also on a busy machine
    return seconds, int((model.predict(X) != y).sum()), ended


def made(rows: int, columns: int, steps: int) -> tuple[Any, Any]:
    """Numbers of which two act together; of so many values a unit, or all different (0)."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(rows, columns))
    hidden = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * (X[:, 3] > 0.3) * X[:, 4] + 0.2 * draw.normal(size=rows)
    return np.floor(X * steps) if steps else X, (hidden > np.median(hidden)).astype(int)


MADE = {
    f"made {rows}×{columns}{f', {steps} values a unit' if steps else ''}": (rows, columns, steps)
    for rows, columns, steps in ((200, 10, 0), (500, 60, 0), (1000, 5, 4), (10_000, 5, 0), (50_000, 10, 2))
}


def compare_classes(
    name: str, X: Any, y: Any, depth: int, options: argparse.Namespace, *, binary: bool
) -> None:
    mine, errors, proven = ours(X, y, depth, options.limit, options.repeat)
    other, others, ended = theirs(X, y, depth, options.limit, options.repeat, binary=binary)
    assert errors == others or not (proven and ended), (name, depth, errors, others)
    cells = [
        name if "×" in name else f"{name} {X.shape[0]}×{X.shape[1]}",
        str(depth),
        f"{'' if proven else '> '}{mine:.4f}",
        str(errors),
        f"{'' if ended else '> '}{other:.4f}",
        str(others),
        f"{other / mine:.1f}",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    RATIOS.setdefault(f"{'binary' if binary else 'numbers'}, depth {depth}", []).append(other / mine)


RATIOS: dict[str, list[float]] = {}


def compare_squares(path: Path, options: argparse.Namespace) -> None:
    from pystreed import STreeDRegressor

    X, _ = read_table(path)
    y, cuts = X[:, 0].copy(), np.linspace(0, 1, 7)[1:-1]
    columns = [X[:, j] <= cut for j in range(1, X.shape[1]) for cut in np.unique(np.quantile(X[:, j], cuts))]
    B = np.array([column for column in columns if 0 < column.mean() < 1], float).T
    mine, model = least_seconds(
        lambda: tw.OptimalTreeRegressor(max_depth=3, n_jobs=1).fit(B, y), options.repeat
    )
    whole = B.astype(int)
    other, peer = least_seconds(
        lambda: STreeDRegressor("regression", max_depth=3).fit(whole, y), options.repeat
    )
    losses = [float(np.mean((said - y) ** 2)) for said in (model.predict(B), peer.predict(whole))]
    assert np.isclose(*losses), (path.name, losses)
    name = f"{path.name.partition('.')[0]} squares {B.shape[0]}×{B.shape[1]}"
    RATIOS.setdefault("squares, depth 3", []).append(other / mine)
    print(
        f"| {name} | 3 | {mine:.4f} | {losses[0]:.4g} | {other:.4f} | {losses[1]:.4g} | {other / mine:.1f} |",
        flush=True,
    )


def large(options: argparse.Namespace) -> None:
    draw = np.random.default_rng(0)
    X = (draw.random((30_000, 84)) < draw.uniform(0.02, 0.6, 84)).astype(float)
    hidden = (
        X[:, :12] @ draw.normal(size=12)
        + X[:, 12] * X[:, 13]
        - X[:, 14] * X[:, 15]
        + draw.normal(size=30_000)
    )
    y = (hidden > np.quantile(hidden, 0.75)).astype(int)
    compare_classes("made, two-valued, 30000×84", X, y, 4, options, binary=True)


def anytime(path: Path) -> None:
    """Wall seconds: how far the tree is from the best after a tenth of a second; one thread and two."""
    X, y = read_table(path)
    early = tw.OptimalTreeClassifier(max_depth=3, n_jobs=1, time_limit=0.1).fit(X, y)
    seconds = {}
    for jobs in (1, 2):
        start = time.monotonic()
        model = tw.OptimalTreeClassifier(max_depth=3, n_jobs=jobs).fit(X, y)
        seconds[jobs] = time.monotonic() - start
    above = early.objective_ / model.objective_ - 1
    print(
        f"\n{path.name}, depth 3: after 0.1 s {above:.1%} above the optimum; proof in {seconds[1]:.2f} s, ",
        end="",
    )
    print(f"by two threads in {seconds[2]:.2f} s ({seconds[1] / seconds[2]:.2f} times)")
    for limit in (0.1, 0.5, 2.0):
        for depth in (4, 5):
            start = time.monotonic()
            tw.OptimalTreeClassifier(max_depth=depth, n_jobs=1, time_limit=limit).fit(X, y)
            print(f"depth {depth}, time_limit={limit}: {time.monotonic() - start:.3f} s")


PARTS = ("binary", "numbers", "squares", "large", "anytime")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=Path)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 3, 4])
    options = parser.parse_args()
    tw.OptimalTreeClassifier().fit([[0.0], [1.0]], [0, 1])  # whatever is imported late
    print("| table | depth | treewright | errors | other | errors | ratio |\n|---|---|---|---|---|---|---|")
    paths = [path for path in sorted(options.tables.glob("*.gz")) if options.only in path.name]
    numeric = [path for path in paths if path.name.startswith("numeric")]
    tables = {path.name.partition(".")[0]: read_table(path) for path in paths}
    tables |= {name: made(*shape) for name, shape in MADE.items() if options.only in name}
    for part, binary in (("binary", True), ("numbers", False)):
        for name, (X, y) in tables.items() if part in options.part else ():
            if name.startswith("binary") == binary:
                for depth in options.depths:
                    compare_classes(name, X, y, depth, options, binary=binary)
    for path in numeric if "squares" in options.part else ():
        compare_squares(path, options)
    if "large" in options.part:
        large(options)
    if numeric and "anytime" in options.part:
        anytime(max(numeric, key=lambda path: path.stat().st_size))
    for what, ratios in RATIOS.items():
        print(f"\n{what}: median {np.median(ratios):.1f}, least {min(ratios):.1f}, {len(ratios)} tables")


if __name__ == "__main__":
    main()
