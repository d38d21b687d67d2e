"""Waveforms: thresholds beside hyperplanes on the 21-feature waveforms of Breiman et al., by OC1's protocol.

    python benchmarks/waveform.py

5,000 rows, five times five-fold cross-validation, a tenth of the training rows held out for cost-complexity
pruning. Breiman, Friedman, Olshen & Stone (1984), *Classification and Regression Trees*, §2.6.2; Murthy,
Kasif & Salzberg (1994), *A system for induction of oblique decision trees*.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from treewright import DecisionTreeClassifier
from treewright.pruning import CostComplexity
from treewright.tree import Tree
from treewright.tree.splits import Hyperplane


def waveforms(n_rows: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Mix two of three triangular waves at random and add noise; the class tells which two."""
    random = np.random.default_rng(seed)
    place = np.arange(1, 22)
    waves = np.stack([np.maximum(6 - abs(place - peak), 0) for peak in (7, 15, 11)])
    label = random.integers(0, 3, n_rows)
    first, second = np.array([[0, 1], [0, 2], [1, 2]])[label].T
    share = random.random((n_rows, 1))
    mixed = share * waves[first] + (1 - share) * waves[second]
    return mixed + random.normal(size=mixed.shape), label


SPLITS: dict[str, dict[str, Any]] = {
    "thresholds": {"splits": ("threshold",)},
    "hyperplanes": {"splits": ("threshold", "hyperplane")},
    "hyperplanes of 5 terms": {"splits": ("threshold", "hyperplane"), "max_terms": 5},
    "hyperplanes of 3 terms": {"splits": ("threshold", "hyperplane"), "max_terms": 3},
}


def n_terms(tree: Tree) -> list[int]:
    """Count the features that each split of a tree looks at."""
    splits = (tree[node].split for node in np.flatnonzero(tree.n_children))
    return [len(split.features) if isinstance(split, Hyperplane) else 1 for split in splits]


def main() -> None:
    """Print accuracy, leaves and terms of a split, means over the 25 folds."""
    X, y = waveforms(5_000, seed=0)
    for criterion in ("gini", "twoing"):
        for name, parameters in SPLITS.items():
            accuracy: list[float] = []
            leaves: list[int] = []
            terms: list[int] = []
            for repeat in range(5):
                for fold, (train, test) in enumerate(KFold(5, shuffle=True, random_state=repeat).split(X)):
                    model = DecisionTreeClassifier(
                        criterion=criterion,
                        pruner=CostComplexity(holdout=True),
                        holdout=0.1,
                        random_state=5 * repeat + fold,
                        **parameters,
                    ).fit(X[train], y[train])
                    accuracy.append(100 * model.score(X[test], y[test]))
                    leaves.append(model.tree_.n_leaves)
                    terms += n_terms(model.tree_)
            print(
                f"{criterion:7} {name:22} accuracy {np.mean(accuracy):.1f} ± {np.std(accuracy):.1f} %   "
                f"leaves {np.mean(leaves):.1f}   terms {np.mean(terms):.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
