"""Compare forests with those of randomForest, ranger and scikit-learn: means over seeds.

    python benchmarks/forest_agreement.py ORACLES            all recorded forests (about ten minutes)
    python benchmarks/forest_agreement.py ORACLES glass      some tables

ORACLES is a folder with `data/` (tables, their schemas) and `golden/` (the recorded means over 20 seeds). A
row of the printed table has the two means and their difference in standard errors of the difference.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw

SEEDS = range(20)


def read_table(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, bool]:
    """The features, the target and the recorded folds of a table, and whether the target is a number."""
    schema = json.loads((folder / f"{name}.schema.json").read_text())
    columns = schema["columns"]
    table = pd.read_csv(folder / f"{name}.csv", dtype=str, na_values=["?"], keep_default_na=False)
    for column, kind in columns.items():
        if kind["type"] == "numeric":
            table[column] = table[column].astype(float)
        else:
            table[column] = pd.Categorical(table[column], kind["values"])
    is_number = columns[schema["target"]]["type"] == "numeric"
    target = table.pop(schema["target"])
    y = target.to_numpy() if is_number else target.cat.codes.to_numpy()
    fold = np.empty(len(y), int)
    # Classes in domain order, rows in file order, dealt to ten folds by one running counter.
    fold[np.arange(len(y)) if is_number else np.argsort(y, kind="stable")] = np.arange(len(y)) % 10
    return table, y, fold, is_number


def forest(record: dict[str, Any], seed: int, is_number: bool) -> Any:
    settings = record["settings"]
    parameters: dict[str, Any] = {
        "random_state": seed,
        "max_features": settings.get("mtry", settings.get("max_features")),
        # They count a row as often as it was drawn, we count it once: 0.632 of the draws are different rows.
        "min_samples_split": max(2, round(0.632 * (settings.get("min_node_size", 1) + 1))),
        "oob_score": True,
    }
    if is_number:
        return tw.RandomForestRegressor(settings["trees"], **parameters)
    hard = record["tool"] in ("randomForest", "ranger")  # their trees have one vote each
    return tw.RandomForestClassifier(settings["trees"], vote="hard" if hard else "soft", **parameters)


def run(record: dict[str, Any], folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Score over the ten folds and out-of-bag error, for each seed."""
    table, y, fold, is_number = read_table(folder, record["dataset"])
    if "without missing" in str(record["settings"].get("rows")):
        complete = ~table.isna().any(axis=1).to_numpy()
        table, y, fold = table[complete].reset_index(drop=True), y[complete], np.arange(complete.sum()) % 10
    scores, errors = [], []
    for seed in SEEDS:
        predicted = np.empty(len(y))
        for part in range(10):
            model = forest(record, seed, is_number).set_params(oob_score=False)
            model.fit(table[fold != part], y[fold != part])
            predicted[fold == part] = model.predict(table[fold == part])
        whole = forest(record, seed, is_number).fit(table, y)
        spread = np.sum((y - y.mean()) ** 2)
        if is_number:
            scores.append(1 - np.sum((y - predicted) ** 2) / spread)
            errors.append((1 - whole.oob_score_) * spread / len(y))
        else:
            scores.append(np.mean(predicted == y))
            errors.append(1 - whole.oob_score_)
    return np.array(scores), np.array(errors)


def main() -> None:
    oracles, *names = sys.argv[1:]
    print("| program | table | CV: theirs | ours | apart | OOB: theirs | ours | apart |")
    print("|---|---|---|---|---|---|---|---|")
    for path in sorted((Path(oracles) / "golden").glob("forest__*.json")):
        record = json.loads(path.read_text())
        if "cv10" not in record or (names and record["dataset"] not in names):
            continue
        cells = [record["tool"], record["dataset"]]
        for theirs, ours in zip(
            (record["cv10"], record["oob"]), run(record, Path(oracles) / "data"), strict=True
        ):
            error = np.hypot(theirs["sd"], ours.std(ddof=1)) / np.sqrt(len(ours))
            apart = (ours.mean() - theirs["mean"]) / error
            cells += [f"{theirs['mean']:.4f}", f"{ours.mean():.4f}", f"{apart:+.1f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
