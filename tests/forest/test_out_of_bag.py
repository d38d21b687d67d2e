"""Out of bag, every row is predicted by the trees that have not drawn it, as other programs do."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import f1_score

import treewright as tw
from helpers.forests import KINDS, mixed
from helpers.oracles import load


@pytest.mark.parametrize("kind", ["three classes", "numbers"])
def test_out_of_bag_predictions_by_hand(kind: str) -> None:
    X, y = mixed()
    forest_kind, _, target = KINDS[kind](y)
    forest = forest_kind(40, random_state=0, oob_score=True, max_features=2).fit(X, target)
    sums, votes = 0.0, np.zeros(len(y))
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        out = ~np.isin(np.arange(len(y)), rows)
        said = tree.predict(X)[:, None] if kind == "numbers" else tree.predict_proba(X)
        sums, votes = sums + said * out[:, None], votes + out
    mean = sums / votes[:, None]
    if kind == "numbers":
        np.testing.assert_allclose(forest.oob_prediction_, mean.ravel())
        spread = np.sum((target - target.mean()) ** 2)
        assert forest.oob_score_ == pytest.approx(1 - np.sum((target - mean.ravel()) ** 2) / spread)
    else:
        np.testing.assert_allclose(forest.oob_decision_function_, mean)
        assert forest.oob_score_ == np.mean(mean.argmax(axis=1) == target)
    curve = forest.error_curve(X, target)
    last = np.mean((mean.ravel() - target) ** 2) if kind == "numbers" else 1 - forest.oob_score_
    assert curve.error[-1] == pytest.approx(last)
    assert len(curve.n_trees) == 40


def test_the_curve_plots_itself() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    X, y = load_iris(return_X_y=True)
    axes = tw.RandomForestClassifier(10, random_state=0).fit(X, y).error_curve(X, y).plot()
    assert axes.get_xlabel() == "trees"
    assert len(axes.lines[0].get_xdata()) == 10


def test_the_score_may_be_a_function() -> None:
    X, y = load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(
        60, random_state=0, oob_score=lambda true, said: f1_score(true, said, average="macro")
    ).fit(X, y)
    said = forest.oob_decision_function_.argmax(axis=1)
    assert forest.oob_score_ == f1_score(y, said, average="macro")


RECORDED = {  # out-of-bag error of 300 trees: mean and standard deviation over 20 seeds, and how trees vote
    ("diabetes", "randomForest 4.7", "hard"): (0.23366, 0.00547),
    ("diabetes", "ranger 0.14.1", "hard"): (0.23828, 0.00632),
    ("diabetes", "scikit-learn 1.9.1", "soft"): (0.23535, 0.00593),
    ("sk_breast_cancer", "randomForest 4.7", "hard"): (0.03682, 0.00367),
    ("sk_breast_cancer", "ranger 0.14.1", "hard"): (0.03840, 0.00281),
    ("sk_breast_cancer", "scikit-learn 1.9.1", "soft"): (0.03770, 0.00389),
}


@pytest.mark.parametrize("vote", ["hard", "soft"])
@pytest.mark.parametrize(("name", "mtry"), [("diabetes", 2), ("sk_breast_cancer", 5)])
def test_out_of_bag_errors_are_those_of_other_programs(name: str, mtry: int, vote: str) -> None:
    X, y, _ = load(name)
    errors = np.array(
        [
            1
            - tw.RandomForestClassifier(300, max_features=mtry, vote=vote, random_state=seed, oob_score=True)
            .fit(X, y)
            .oob_score_
            for seed in range(6)
        ]
    )
    for (table, program, their_vote), (mean, deviation) in RECORDED.items():
        if (table, their_vote) == (name, vote):
            standard_error = np.hypot(deviation / np.sqrt(20), deviation / np.sqrt(6))
            assert abs(errors.mean() - mean) < 3.5 * standard_error, program
