"""Are optimal trees better on rows they have not seen? Cross-validated error beside greedy and pruned trees.

    python benchmarks/optimal_validation.py TABLES

TABLES is a folder as in `optimal.py`. Five times five folds, the same for all; error in per cent. A depth
that takes minutes for every fold is left out.
"""

import sys
from pathlib import Path

import numpy as np
from optimal import read_table
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

import treewright as tw
from treewright.pruning import CostComplexity

NAMES = ("anneal", "german", "tic-tac-toe", "yeast", "bank", "raisin", "wilt")


def main() -> None:
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=5, random_state=0)
    models = {
        "optimal, depth 3": tw.OptimalTreeClassifier(max_depth=3),
        "greedy, depth 3": tw.DecisionTreeClassifier(max_depth=3),
        "optimal, depth 4": tw.OptimalTreeClassifier(max_depth=4),
        "greedy, depth 4": tw.DecisionTreeClassifier(max_depth=4),
        "pruned, any depth": tw.DecisionTreeClassifier(pruner=CostComplexity(cv=5, se=1)),
        "TreeClassifier": tw.TreeClassifier(random_state=0),
    }
    print(f"| table | {' | '.join(models)} |\n|{'---|' * (len(models) + 1)}")
    for name in NAMES:
        (path,) = Path(sys.argv[1]).glob(f"*{name}*")
        X, y = read_table(path)
        kinds = {kind: model for kind, model in models.items() if name != "raisin" or "4" not in kind}
        cells = []
        for kind in models:
            error = 1 - cross_val_score(kinds[kind], X, y, cv=folds) if kind in kinds else [np.nan]
            cells.append("–" if kind not in kinds else f"{100 * np.mean(error):.1f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
