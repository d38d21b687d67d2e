"""R² of linear leaves by ten folds, several draws: `linear_leaves.py FOLDER [parameter=value …]`.

FOLDER holds autompg.csv and cpu.csv, each with its .schema.json, which names the target and the kinds of
columns.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treewright import TreeRegressor

TABLES = ("autompg", "cpu")
DRAWS, FOLDS = 3, 10


def table(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Read a table with the kinds of columns that its schema declares."""
    schema = json.loads((folder / f"{name}.schema.json").read_text())
    frame = pd.read_csv(folder / f"{name}.csv", na_values=schema["missing"])
    target = frame.pop(schema["target"]).to_numpy(float)
    for column, kind in schema["columns"].items():
        if kind["type"] == "nominal" and column != schema["target"]:
            frame[column] = frame[column].astype(str).astype("category")
    return frame, target


def main() -> None:
    """Print R², leaves and terms of each table, and the mean R²."""
    folder, settings = Path(sys.argv[1]), dict(pair.split("=") for pair in sys.argv[2:])
    chosen = {"leaves": "linear"} | {name: ast.literal_eval(value) for name, value in settings.items()}
    means = []
    for name in TABLES:
        X, y = table(folder, name)
        scores, leaves, terms = [], [], []
        for draw in range(DRAWS):
            fold = np.random.default_rng(100 + draw).permutation(len(y)) % FOLDS
            predicted = np.zeros(len(y))
            for held_out in range(FOLDS):
                model = TreeRegressor(**chosen).fit(X[fold != held_out], y[fold != held_out])
                predicted[fold == held_out] = model.predict(X[fold == held_out])
                tree = model.tree_
                leaves.append(tree.n_leaves)
                if tree.equations is not None:
                    terms += [len(tree.equations.terms(int(leaf))) for leaf in tree.leaves]
            scores.append(1 - ((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum())
        means.append(np.mean(scores))
        size = f"{np.mean(leaves):.1f} leaves, {np.mean(terms or [0]):.1f} terms of a leaf"
        print(f"{name}: R² {means[-1]:.4f}, {size}")
    print(f"mean R² {np.mean(means):.4f}")


if __name__ == "__main__":
    main()
