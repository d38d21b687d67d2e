"""How good is one tree, untuned? TreeClassifier and TreeRegressor beside the tree that was grown before them.

    python benchmarks/learner.py ORACLES [--draws 3] [--first 0] [--only learned useless] [--set se=0.5 …]

ORACLES is a folder with the tables, as in `forest_agreement.py`. *learned*: error, leaves, log loss,
Brier score and AUC on ten public tables, R² on two of numbers, each row predicted by a tree that never
saw it, in ten folds drawn several times; and the CPU time of a fit. *useless*: what a column of unique
text, one of n/2 random categories, and one of shuffled row numbers cost when they are added. Before is
what `treewright fit` did: `DecisionTreeClassifier` pruned by cost-complexity, ten folds, one standard
error.
"""

import argparse
import time
import warnings
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

import treewright as tw
from treewright.data.arrays import RawTable
from treewright.data.columns import RawCodes, RawNumbers
from treewright.files import read_table
from treewright.pruning import CostComplexity

CLASSES = [
    "breast_cancer",
    "credit_g",
    "diabetes",
    "glass",
    "ionosphere",
    "iris",
    "lymph",
    "stagec",
    "tic_tac_toe",
    "vote",
]
NUMBERS = ["autompg", "cpu"]
USELESS = ["none", "text", "categories", "number"]


@dataclass
class Figures:
    """Means over the rows of a table, a number for each draw of the folds."""

    by_name: dict[str, list[float]] = field(default_factory=dict)

    def add(self, **figures: float) -> None:
        for name, figure in figures.items():
            self.by_name.setdefault(name, []).append(figure)

    def mean(self, name: str) -> float:
        return float(np.mean(self.by_name[name]))


def read(folder: Path, name: str) -> tuple[RawTable, np.ndarray]:
    """Give the features of a table, each column as `treewright fit` takes it, and the target."""
    table = read_table(str(folder / f"{name}.csv"))
    *features, target = table.names
    raw = table[target]
    y = np.asarray(raw.categories, dtype=object)[raw.codes] if isinstance(raw, RawCodes) else raw.values
    return table.features(features), np.asarray(y.astype(str) if name in CLASSES else y)


def with_useless(X: RawTable, kind: str, seed: int) -> RawTable:
    """Add a column that tells nothing."""
    order = np.random.default_rng(seed).permutation(X.n_rows)
    if kind == "none":
        return X
    if kind == "number":
        new = RawNumbers(order.astype(np.int64))
    else:
        groups = X.n_rows if kind == "text" else X.n_rows // 2
        new = RawCodes((order % groups).astype(np.int32), tuple(f"v{g:06d}" for g in range(groups)))
    columns = [*(X.column(j) for j in range(X.n_features)), new]
    return RawTable(X.n_rows, len(columns), (*X.names, "useless"), columns.__getitem__)


def before(task: str) -> object:
    kind = tw.DecisionTreeClassifier if task == "classification" else tw.DecisionTreeRegressor
    return kind(pruner=CostComplexity(cv=10, se=1), random_state=0)


def after(task: str, settings: dict[str, object]) -> object:
    return (tw.TreeClassifier if task == "classification" else tw.TreeRegressor)(**settings)


def cross_validated(make, X: RawTable, y: np.ndarray, draw: int, numbers: bool) -> dict[str, float]:
    """Predict each row by a tree that never saw it."""
    folds = (KFold if numbers else StratifiedKFold)(10, shuffle=True, random_state=draw)
    classes = np.unique(y)
    told = np.zeros(len(y)) if numbers else np.zeros((len(y), len(classes)))
    wrong, leaves, begin = np.zeros(len(y)), [], time.process_time()
    for shown, held_out in folds.split(np.zeros(len(y)), y):
        model = make().fit(X.take(shown), y[shown])
        leaves.append(model.tree_.n_leaves)
        if numbers:
            told[held_out] = model.predict(X.take(held_out))
        else:
            columns = np.searchsorted(classes, model.classes_)
            told[np.ix_(held_out, columns)] = model.predict_proba(X.take(held_out))
            wrong[held_out] = model.predict(X.take(held_out)) != y[held_out]
    found = {"leaves": float(np.mean(leaves)), "seconds": time.process_time() - begin}
    if numbers:
        return found | {"r2": 1 - np.mean((y - told) ** 2) / np.var(y)}
    truth = np.equal.outer(y, classes).astype(float)
    own = np.maximum(told[truth == 1], np.finfo(float).eps)
    auc = (
        roc_auc_score(truth, told, average="macro")
        if len(classes) > 2
        else roc_auc_score(truth[:, 1], told[:, 1])
    )
    return found | {
        "error": float(wrong.mean()),
        "log_loss": float(-np.log(own).mean()),
        "brier": float(((told - truth) ** 2).sum(axis=1).mean()),
        "auc": float(auc),
    }


def measure_learned(folder: Path, draws: range, settings: dict[str, object]) -> None:
    """Print error, probabilities, R² and time, before and after."""
    names = ["error", "leaves", "log_loss", "brier", "auc", "seconds"]
    print(f"| table | {' | '.join(f'{name}: before | after' for name in names)} |")
    print("|---" * (1 + 2 * len(names)) + "|")
    makers = [before, lambda task: after(task, settings)]
    all_figures: list[tuple[str, list[Figures]]] = []
    for name in CLASSES:
        X, y = read(folder, name)
        found = _figures(makers, "classification", X, y, draws)
        all_figures.append((name, found))
        _line(name, [figures.mean(key) for key in names for figures in found])
    means = [float(np.mean([f[at].mean(key) for _, f in all_figures])) for key in names for at in (0, 1)]
    _line("**mean**", means)
    _line(
        "**after / before**", [x for at in range(0, len(means), 2) for x in (1.0, means[at + 1] / means[at])]
    )
    per_draw = [np.mean([f[1].by_name["error"][at] for _, f in all_figures]) for at in range(len(draws))]
    print("\nerror after, by draw:", " ".join(f"{error:.4f}" for error in per_draw), "\n")
    print("| table | R²: before | after | leaves: before | after |\n|---|---|---|---|---|")
    scores = []
    for name in NUMBERS:
        X, y = read(folder, name)
        found = _figures(makers, "regression", X, y, draws)
        scores.append([figures.mean(key) for key in ("r2", "leaves") for figures in found])
        _line(name, scores[-1])
    _line("**mean**", np.mean(scores, axis=0).tolist())


def _figures(makers, task: str, X: RawTable, y: np.ndarray, draws: range) -> list[Figures]:
    """Give the figures of each maker's learner, of every draw of folds."""
    found = [Figures() for _ in makers]
    for draw in draws:
        for figures, maker in zip(found, makers, strict=True):
            figures.add(**cross_validated(partial(maker, task), X, y, draw, task == "regression"))
    return found


def measure_useless(folder: Path, draws: range, settings: dict[str, object]) -> None:
    """Print what useless columns add to the error, in points."""
    print(f"| table | {' | '.join(USELESS)} |\n|---|---|---|---|---|")
    costs = []
    for name in CLASSES:
        X, y = read(folder, name)
        errors = [
            np.mean(
                [
                    cross_validated(
                        lambda: after("classification", settings), with_useless(X, kind, draw), y, draw, False
                    )["error"]
                    for draw in draws
                ]
            )
            for kind in USELESS
        ]
        costs.append([100 * errors[0], *(100 * (error - errors[0]) for error in errors[1:])])
        _line(name, costs[-1])
    _line("**mean**", np.mean(costs, axis=0).tolist())
    _line("**worst**", np.max(costs, axis=0).tolist())


def _line(name: str, figures: list[float]) -> None:
    print(f"| {name} | {' | '.join(f'{figure:.3f}' for figure in figures)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("oracles", type=Path)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="seed of the first draw of folds")
    parser.add_argument("--only", nargs="+", default=["learned", "useless"], choices=["learned", "useless"])
    parser.add_argument(
        "--set", nargs="*", default=[], metavar="NAME=VALUE", help="parameters of the learner"
    )
    given = parser.parse_args()
    warnings.filterwarnings("ignore", message="The least populated class")
    settings = {name: eval(value) for name, value in (text.split("=", 1) for text in given.set)}
    draws = range(given.first, given.first + given.draws)
    for part in given.only:
        print(f"\n## {part}\n")
        {"learned": measure_learned, "useless": measure_useless}[part](
            given.oracles / "data", draws, settings
        )


if __name__ == "__main__":
    main()
