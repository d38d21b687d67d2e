"""Choose alpha by ten-fold cross-validation: treewright and rpart over every alpha, scikit-learn over twenty.

    python benchmarks/choose_alpha.py            needs Rscript with rpart; prints a table in Markdown

CPU seconds, medians; 10,000 rows of 20 features (workload I2).
"""

import argparse
import csv
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier as TheirTree
from timing import run_times
from workloads import two_classes

import treewright as tw
from treewright.pruning import CostComplexity


def cpu_seconds(work: Callable[[], object], repeat: int) -> float:
    return statistics.median(run_times(work, repeat, time.process_time))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    rows = two_classes(10_000)
    X, y = rows.train

    ours = tw.DecisionTreeClassifier(pruner=CostComplexity(cv=10))
    fit = cpu_seconds(lambda: tw.DecisionTreeClassifier().fit(X, y), repeat)
    chosen = cpu_seconds(lambda: ours.fit(X, y), repeat)
    print("| program | alphas | CPU seconds | times treewright's | leaves |\n|---|---|---|---|---|")
    print(f"| treewright, one fit | | {fit:.4f} | | |")
    size = f"{len(ours.path_.alpha)} | {chosen:.4f} | 1 | {ours.get_n_leaves()}"
    print(f"| treewright, alpha by ten folds | {size} |")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*(f"x{j}" for j in range(X.shape[1])), "y"])
            writer.writerows(
                [*map(repr, row), label] for row, label in zip(X.tolist(), y.tolist(), strict=True)
            )
        script = Path(__file__).with_suffix(".R")
        run = subprocess.run(
            ["Rscript", script, path, str(repeat)], stdout=subprocess.PIPE, text=True, check=True
        )
    seconds, leaves, alphas = run.stdout.split()
    print(f"| rpart | {alphas} | {float(seconds):.4f} | {float(seconds) / chosen:.1f} | {leaves} |")

    alphas = TheirTree(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas
    grid = GridSearchCV(TheirTree(random_state=0), {"ccp_alpha": alphas[:: len(alphas) // 20]}, cv=10)
    theirs = cpu_seconds(lambda: grid.fit(X, y), 1)
    size = f"{len(alphas)} | {theirs:.2f} | {theirs / chosen:.0f} | {grid.best_estimator_.get_n_leaves()}"
    print(f"| scikit-learn, a grid of twenty | 20 of {size} |")


if __name__ == "__main__":
    main()
