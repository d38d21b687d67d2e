"""Repeat table 2 of Breiman (2001): error of forests on a hundred random tenths, beside the printed figures.

    python benchmarks/breiman2001.py ORACLES

ORACLES is a folder with the tables, as in `forest_agreement.py`. A forest of 100 trees looks at F = 1 or
at F = int(log2 M + 1) of the M features at a node; *selection* takes, on every split, the F of the smaller
out-of-bag error. Every tree has one vote.
"""

import sys
from pathlib import Path

import numpy as np
from forest_agreement import read_table

import treewright as tw

PRINTED = {"glass": (20.6, 21.2), "ionosphere": (7.1, 7.5), "diabetes": (24.2, 24.3)}
"""Test error in per cent by selection and with F = 1, for the tables at hand."""


def main() -> None:
    folder = Path(sys.argv[1]) / "data"
    print("| table | selection: printed | ours | F = 1: printed | ours | s.e. of ours |")
    print("|---|---|---|---|---|---|")
    for name, printed in PRINTED.items():
        X, y, _, _ = read_table(folder, name)
        errors = []
        for split in range(100):
            held_out = np.zeros(len(y), bool)
            held_out[np.random.default_rng(split).permutation(len(y))[: len(y) // 10]] = True
            forests = [
                tw.RandomForestClassifier(
                    100, max_features=features, vote="hard", oob_score=True, random_state=split
                ).fit(X[~held_out], y[~held_out])
                for features in (1, int(np.log2(X.shape[1]) + 1))
            ]
            wrong = [np.mean(forest.predict(X[held_out]) != y[held_out]) for forest in forests]
            chosen = int(forests[1].oob_score_ >= forests[0].oob_score_)
            errors.append((wrong[chosen], wrong[0]))
        mean, error = 100 * np.mean(errors, axis=0), 100 * np.std(errors, axis=0) / 10
        print(
            f"| {name} | {printed[0]} | {mean[0]:.1f} | {printed[1]} | {mean[1]:.1f} | {error.max():.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
