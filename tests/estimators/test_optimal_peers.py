"""Optimal trees are as good as those of STreeD (two-valued columns) and ConTree (numbers).

Their answers are kept in `tests/oracles/optimal.jsonl`; with both programs installed (pystreed 1.4.0,
pycontree 1.0.8), `python tests/estimators/test_optimal_peers.py` writes them anew.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw

FILE = Path(__file__).parents[1] / "oracles" / "optimal.jsonl"
ANSWERS = {line["case"]: line["objective"] for line in map(json.loads, FILE.read_text().splitlines())}
CASES = [
    (kind, seed, depth) for kind in ("binary", "numbers", "squares") for seed in range(6) for depth in (2, 3)
]
CASES += [("binary", seed, 4) for seed in range(6)]


def table(kind: str, seed: int) -> tuple[Any, Any]:
    """Make a table of two-valued columns, more than a vector has lanes, or of numbers with many ties."""
    draw = np.random.default_rng(seed)
    n, p = (400, 45) if kind != "numbers" else (150, 4)
    if kind == "numbers":
        X = (draw.random((n, p)) * 25).round()
    else:
        X = (draw.random((n, p)) < 0.1 + 0.8 * draw.random(p)).astype(float)
    hidden = X[:, 0] * (1 + X[:, 1]) - X[:, 2] * X[:, 3] + 2 * draw.random(n) * X.std()
    return X, hidden.round(2) if kind == "squares" else (hidden > np.median(hidden)).astype(int)


@pytest.mark.parametrize(("kind", "seed", "depth"), CASES)
def test_as_good_as_other_programs(kind: str, seed: int, depth: int) -> None:
    X, y = table(kind, seed)
    learner = tw.OptimalTreeRegressor if kind == "squares" else tw.OptimalTreeClassifier
    model = learner(max_depth=depth).fit(X, y)
    assert model.optimal_
    assert model.objective_ == pytest.approx(ANSWERS[f"{kind} {seed} {depth}"])


def their_objective(kind: str, seed: int, depth: int) -> float:
    """Ask the other program."""
    from pycontree import ConTree
    from pystreed import STreeDClassifier, STreeDRegressor

    X, y = table(kind, seed)
    if kind == "numbers":
        model = ConTree(max_depth=depth)
    elif kind == "binary":
        model = STreeDClassifier("accuracy", max_depth=depth)
    else:
        model = STreeDRegressor("regression", max_depth=depth)
    X = X if kind == "numbers" else X.astype(int)
    model.fit(X, y)
    return float(np.mean((model.predict(X) - y) ** 2))


if __name__ == "__main__":
    with FILE.open("w") as file:
        for case in CASES:
            answer = {"case": " ".join(map(str, case)), "objective": their_objective(*case)}
            print(json.dumps(answer), file=file)
