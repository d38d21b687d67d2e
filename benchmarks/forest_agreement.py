"""Compare forests with those of randomForest, ranger, scikit-learn and Weka: means over seeds.

    python benchmarks/forest_agreement.py ORACLES            all recorded forests (a few minutes)
    python benchmarks/forest_agreement.py ORACLES glass      some tables

ORACLES is a folder with `data/` (tables, their schemas) and `golden/` (the recorded means over 20 seeds, of
Weka over 10). A row of the printed table has the two means and their difference in standard errors of it.

The programs differ in what they do with nominal columns, which among these tables autompg alone has. By
default ranger takes categories for numbers in the order of their levels, and so we are given them beside it.
randomForest looks for the best two groups of categories at each node, `category_order="node"`; it sends one
that the node has not met where the mean of all rows would go, and makes a leaf where every feature it has
drawn is constant, while we draw on as scikit-learn does. forest_agreement.R grows forests of both that do not
differ from ours in this.
"""

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw


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


@cache
def run(folder: Path, name: str, n_seeds: int, complete: bool, nominal: str, **settings: Any) -> Any:
    """Score over the ten folds and out-of-bag error, a row for each seed.

    Nominal columns are taken as "categories", for the "numbers" they are, or for those of their "levels".
    """
    table, y, fold, is_number = read_table(folder, name)
    if complete:
        kept = ~table.isna().any(axis=1).to_numpy()
        table, y, fold = table[kept].reset_index(drop=True), y[kept], np.arange(kept.sum()) % 10
    if nominal != "categories":
        for column in table.columns[table.dtypes == "category"]:
            values = table[column]
            table[column] = (values.cat.codes if nominal == "levels" else values).astype(float)
    kind = tw.RandomForestRegressor if is_number else tw.RandomForestClassifier
    spread = np.sum((y - y.mean()) ** 2)
    found = []
    for seed in range(n_seeds):
        predicted = np.empty(len(y))
        for part in range(10):
            model = kind(random_state=seed, **settings).fit(table[fold != part], y[fold != part])
            predicted[fold == part] = model.predict(table[fold == part])
        whole = kind(random_state=seed, oob_score=True, **settings).fit(table, y)
        if is_number:
            found.append(
                (1 - np.sum((y - predicted) ** 2) / spread, (1 - whole.oob_score_) * spread / len(y))
            )
        else:
            found.append((np.mean(predicted == y), 1 - whole.oob_score_))
    return np.array(found)


def beside(record: dict[str, Any], folder: Path) -> Any:
    """Our scores and errors, with the settings of a recorded forest."""
    theirs, tool, name = record["settings"], record["tool"], record["dataset"]
    if tool == "weka":
        n_features = len(read_table(folder, name)[0].columns)
        return run(
            folder, name, 10, False, False, n_estimators=100, max_features=int(np.log2(n_features)) + 1
        )
    settings: dict[str, Any] = {
        "n_estimators": theirs["trees"],
        "max_features": theirs.get("mtry", theirs.get("max_features")),
        # They count a row as often as it was drawn, we count it once: 0.632 of the draws are different rows.
        "min_samples_split": max(2, round(0.632 * (theirs.get("min_node_size", 1) + 1))),
    }
    if "classes" in record or "accuracy" in record["score"]:
        settings["vote"] = "soft" if tool == "scikit-learn" else "hard"  # in R each tree has one vote
    nominal = theirs.get("nominal", "levels" if tool == "ranger" else "categories")
    if nominal == "categories":
        settings["category_order"] = "node"
    complete = "without missing" in str(theirs.get("rows"))
    return run(folder, name, 20, complete, nominal, **settings)


def main() -> None:
    oracles, *names = sys.argv[1:]
    print("| table | program | CV: theirs | ours | apart | OOB: theirs | ours | apart |")
    print("|---|---|---|---|---|---|---|---|")
    records = [json.loads(path.read_text()) for path in sorted((Path(oracles) / "golden").glob("forest__*"))]
    for record in sorted(records, key=lambda record: record["dataset"]):
        if names and record["dataset"] not in names:
            continue
        cells = [record["dataset"], f"{record['tool']} {record['version']}"]
        ours = beside(record, Path(oracles) / "data")
        for at, kind in enumerate(("cv10", "oob")):
            theirs = record.get(kind, record.get("cv10_schema_folds") if kind == "cv10" else None)
            if theirs is None:
                cells += ["", "", ""]
                continue
            error = np.hypot(theirs["sd"], ours[:, at].std(ddof=1)) / np.sqrt(len(ours))
            apart = (ours[:, at].mean() - theirs["mean"]) / error
            cells += [f"{theirs['mean']:.4f}", f"{ours[:, at].mean():.4f}", f"{apart:+.1f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
