"""Accuracy and number of rules beside the trees they are read from: the table of docs/rules.md."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold

from treewright import C45Classifier, DecisionTreeClassifier, datasets

TREES = {
    "C4.5, unpruned": C45Classifier(pruner=None, collapse=False),
    "C4.5": C45Classifier(),
    "CART, unpruned": DecisionTreeClassifier(),
}


def tables() -> dict[str, tuple[Any, Any]]:
    found = {
        name: getattr(datasets, f"load_{name}")() for name in ("tennis", "cars", "iris", "labor", "votes")
    }
    for name, load in (("wine", load_wine), ("breast cancer", load_breast_cancer)):
        bunch = load(as_frame=True)
        found[name] = (bunch.data, bunch.target)
    return found


def compare(tree: Any, X: Any, y: np.ndarray) -> np.ndarray:
    """Accuracy of tree and rules, leaves and rules."""
    folds = (
        LeaveOneOut() if len(X) < 20 else RepeatedStratifiedKFold(n_splits=10, n_repeats=3, random_state=0)
    )
    found = []
    for growing, held in folds.split(X, y):
        model = clone(tree).fit(X.iloc[growing], y[growing])
        rules = model.rules().prune(X.iloc[growing], y[growing])
        right = [np.mean(one.predict(X.iloc[held]) == y[held]) for one in (model, rules)]
        found.append([*right, model.get_n_leaves(), len(rules)])
    return np.mean(found, axis=0)


def main() -> None:
    print("| table |", " | ".join(f"{name} | its rules" for name in TREES), "|")
    print("|---|" + "---|---|" * len(TREES))
    for name, (X, y) in tables().items():
        cells = []
        for tree in TREES.values():
            of_tree, of_rules, leaves, rules = compare(tree, X, np.asarray(y))
            cells += [f"{100 * of_tree:.1f} % ({leaves:.1f})", f"{100 * of_rules:.1f} % ({rules:.1f})"]
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
