"""Grow the deepest tree there is: where classes take turns along a line, every best cut splits off one row.

    python benchmarks/chain.py              half a million rows, a million nodes (some minutes)
    python benchmarks/chain.py 50000        fewer

The work grows with the square of the rows, whoever grows: every node must look at all of its own.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

import treewright as tw

T = TypeVar("T")


def timed(what: str, work: Callable[[], T]) -> T:
    start = time.process_time()
    result = work()
    print(f"{what:8} {time.process_time() - start:8.2f} s", flush=True)
    return result


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 500_001
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    model = timed("grow", lambda: tw.DecisionTreeClassifier().fit(X, y))
    print(f"{model.tree_.node_count:,} nodes, depth {model.get_depth():,}")
    text = timed("print", lambda: str(model.tree_))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.tw"
        timed("save", lambda: model.save(path))
        loaded = timed("load", lambda: tw.load(path))
    few = np.linspace(0, n - 1, 1000).astype(int)
    labels = timed("predict", lambda: loaded.predict(X[few]))
    assert loaded.tree_ == model.tree_
    assert (labels == y[few]).all()
    assert text.count("\n") >= model.tree_.node_count


if __name__ == "__main__":
    main()
