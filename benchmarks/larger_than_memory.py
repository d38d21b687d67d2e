"""An open table beside the same table in memory, and beside XGBoost's external memory: CPU seconds, memory.

    .venv/bin/python benchmarks/larger_than_memory.py                    # 3 million rows
    .venv/bin/python benchmarks/larger_than_memory.py --rows 30000000    # 2.4 GB as numbers

Each learner runs in a process of its own on one thread: two classes, ten numbers, depth 8. The open table has
a quarter of its size as memory. XGBoost takes part if it is installed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

ROWS_OF_FILE = 1_000_000
DEPTH = 8


def write(folder: Path, n_rows: int) -> None:
    """Write a table of ten numbers, with ties, and two classes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, begin in enumerate(range(0, n_rows, ROWS_OF_FILE)):
        n = min(ROWS_OF_FILE, n_rows - begin)
        rng = np.random.default_rng(number)
        x = [rng.random(n) for _ in range(10)]
        x[2] = -np.log1p(-x[2])
        x[7], x[8] = np.floor(100 * x[7]), np.round(x[8], 3)
        signal = np.where(x[0] > 0.37, 1.2, -0.8) + 1.5 * ((x[2] > 1.1) & (x[7] < 40)) + 2 * x[1] * x[3]
        signal += np.sin(9 * x[5]) - 1.5 * x[4] ** 2 + x[8] * x[0] + rng.normal(0, 1.1, n)
        columns = {f"x{i}": column for i, column in enumerate(x)} | {"y": (signal > 0.45).astype(np.int8)}
        pq.write_table(pa.table(columns), folder / f"{number:04d}.parquet", row_group_size=500_000)


@contextmanager
def timed(result: dict[str, float], name: str) -> Iterator[None]:
    """Keep the CPU seconds of a step."""
    begin = time.process_time()
    yield
    result[name] = result.get(name, 0.0) + time.process_time() - begin


def open_table(folder: str, memory: int) -> dict[str, float]:
    """Grow on files, in passes over them."""
    import treewright as tw
    from treewright.distributed.growing import Grower

    result: dict[str, float] = {}
    grow = Grower.grow

    def grow_timed(self: Grower) -> object:
        with timed(result, "grow"):
            return grow(self)

    Grower.grow = grow_timed  # type: ignore[method-assign,assignment]
    warm_up(tw)
    result.clear()
    table = tw.open_table(folder, memory=memory)
    with timed(result, "total"):
        tw.DecisionTreeClassifier(max_depth=DEPTH, n_jobs=1).fit(table, "y")
    return result


def in_memory(folder: str, memory: int) -> dict[str, float]:
    """Read the files, and grow on all rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import treewright as tw

    result: dict[str, float] = {}
    warm_up(tw)
    with timed(result, "total"):
        files = sorted(Path(folder).glob("*.parquet"))
        table = pa.concat_tables([pq.read_table(file, use_threads=False) for file in files])
        with timed(result, "grow"):
            tw.DecisionTreeClassifier(max_depth=DEPTH, n_jobs=1).fit(table.drop(["y"]), table["y"])
    return result


def warm_up(tw: object) -> None:
    """Import what is imported when it is first needed."""
    with tempfile.TemporaryDirectory() as small:
        write(Path(small), 2000)
        tw.DecisionTreeClassifier().fit(tw.open_table(small), "y")  # type: ignore[attr-defined]


def xgboost(folder: str, memory: int) -> dict[str, float]:
    """Grow one tree of 256 bins by XGBoost, from batches that are kept on disk."""
    import pyarrow.parquet as pq
    import xgboost as xgb

    files = sorted(Path(folder).glob("*.parquet"))

    class Batches(xgb.DataIter):  # type: ignore[misc]
        def __init__(self) -> None:
            self._at = 0
            super().__init__(cache_prefix=str(Path(folder) / "cache"))

        def next(self, input_data: object) -> bool:
            if self._at == len(files):
                return False
            rows = pq.read_table(files[self._at], use_threads=False)
            input_data(data=rows.drop(["y"]).to_pandas(), label=rows["y"].to_numpy())  # type: ignore[operator]
            self._at += 1
            return True

        def reset(self) -> None:
            self._at = 0

    result: dict[str, float] = {}
    with timed(result, "total"):
        matrix = xgb.ExtMemQuantileDMatrix(Batches(), max_bin=256, nthread=1)
        with timed(result, "grow"):
            options = {
                "objective": "binary:logistic",
                "max_depth": DEPTH,
                "tree_method": "hist",
                "nthread": 1,
            }
            xgb.train(options, matrix, num_boost_round=1)
    return result


LEARNERS = {"open table": open_table, "in memory": in_memory, "xgboost": xgboost}


def main() -> None:
    """Run all learners in turn, and print the least of several runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--learner", choices=LEARNERS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    given = parser.parse_args()
    memory = max(given.rows * 80 // 4, 16_000_000)
    if given.learner:
        result = LEARNERS[given.learner](given.folder, memory)
        result["MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(result))
        return
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), given.rows)
        print(f"{given.rows:,} rows × 10 numbers, depth {DEPTH}, memory {memory / 1e6:.0f} MB, one thread")
        print(f"{'':12}{'total':>8}{'growing':>9}{'peak MB':>9}")
        runs: dict[str, list[dict[str, float]]] = {}
        for _ in range(given.repeat):
            for name in LEARNERS:
                told = [sys.executable, __file__, "--rows", str(given.rows)]
                done = subprocess.run(
                    [*told, "--learner", name, "--folder", folder],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode == 0:
                    runs.setdefault(name, []).append(json.loads(done.stdout.splitlines()[-1]))
                elif "No module named 'xgboost'" not in done.stderr:
                    sys.stderr.write(done.stderr)
        for name, results in runs.items():
            best = {key: min(result[key] for result in results) for key in ("total", "grow", "MB")}
            print(f"{name:12}{best['total']:8.1f}{best['grow']:9.1f}{best['MB']:9.0f}")


if __name__ == "__main__":
    main()
