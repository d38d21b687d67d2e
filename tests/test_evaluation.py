"""Evaluation: figures worked out by hand, and against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.base import clone

import treewright as tw
from treewright.data.folds import each_fold, fold_numbers
from treewright.evaluation import (
    ClassEvaluation,
    NumberEvaluation,
    cross_validate,
    evaluate,
    judge_classes,
    judge_numbers,
    judge_probabilities,
)


def test_classes_are_judged_as_scikit_learn_judges_them() -> None:
    generator = np.random.default_rng(3)
    truth = generator.choice(["a", "b", "c"], 200, p=[0.6, 0.3, 0.1])
    right = (generator.random(200) < 0.7) & (truth != "c")
    given = np.where(right, truth, generator.choice(["a", "b"], 200))
    weight = generator.integers(1, 4, 200).astype(float)
    found = judge_classes(truth, given, weight, known=["a", "b", "c"])
    assert found.confusion.tolist() == metrics.confusion_matrix(truth, given, sample_weight=weight).tolist()
    assert found.error == pytest.approx(1 - metrics.accuracy_score(truth, given, sample_weight=weight))
    assert found.kappa == pytest.approx(metrics.cohen_kappa_score(truth, given, sample_weight=weight))
    recall = metrics.recall_score(truth, given, average=None, sample_weight=weight)
    assert found.recall == pytest.approx(recall.tolist())
    assert found.precision[2] is None  # c is never given
    precision = metrics.precision_score(truth, given, average=None, sample_weight=weight, zero_division=0.0)
    assert found.precision[:2] == pytest.approx(precision[:2].tolist())


def test_the_standard_error_is_the_binomial_one() -> None:
    found = judge_classes(["a"] * 8 + ["b"] * 2, ["a"] * 10)
    assert (found.error, found.baseline) == (pytest.approx(0.2), pytest.approx(0.2))
    assert found.se == pytest.approx(np.sqrt(0.2 * 0.8 / 10))


def test_costs_are_averaged_over_rows() -> None:
    found = judge_classes(
        ["a", "a", "b", "b"], ["a", "b", "a", "b"], costs=[[0, 1], [5, 0]], known=["a", "b"]
    )
    assert found.cost == pytest.approx((0 + 1 + 5 + 0) / 4)


def test_rows_without_a_class_are_errors_of_their_own_column() -> None:
    found = judge_classes(["a", "b"], np.array(["a", None], dtype=object))
    assert (found.predicted, found.error) == (["a", "b", "unclassified"], 0.5)
    assert found.confusion.tolist() == [[1, 0, 0], [0, 0, 1]]


def test_a_class_the_model_never_knew_counts_as_wrong() -> None:
    model = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    found = evaluate(model, [[1], [2], [3]], ["a", "b", "z"])
    assert isinstance(found, ClassEvaluation)
    assert (found.classes, found.error) == (["a", "b", "z"], pytest.approx(1 / 3))


def test_the_log_loss_is_that_of_scikit_learn() -> None:
    generator = np.random.default_rng(7)
    X, y = generator.integers(0, 5, (80, 2)), generator.choice(["a", "b", "c"], 80)
    V, v, weight = generator.integers(0, 5, (60, 2)), generator.choice(["a", "b", "c"], 60), np.arange(60.0)
    for model in (
        tw.DecisionTreeClassifier(max_depth=3),  # some leaves have never seen a class
        tw.RandomForestClassifier(5, random_state=0),
        tw.RuleClassifier(),
    ):
        found = evaluate(model.fit(X, y), V, v, weight)
        assert isinstance(found, ClassEvaluation)
        expected = metrics.log_loss(v, model.predict_proba(V), sample_weight=weight, labels=["a", "b", "c"])
        assert found.log_loss == pytest.approx(expected, rel=1e-9)
        assert found.to_dict()["log_loss"] == found.log_loss
    assert judge_classes(["a"], ["a"]).log_loss is None
    assert "log_loss" not in judge_classes(["a"], ["a"]).to_dict()


def test_a_class_the_model_never_knew_has_no_probability() -> None:
    model = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    found = evaluate(model, [[1], [2]], ["a", "z"])
    assert found.log_loss == pytest.approx(52 * np.log(2) / 2)
    X, y = np.array([[1], [2], [3], [4], [5]]), np.array(["a", "a", "b", "b", "c"])
    crossed = cross_validate(tw.DecisionTreeClassifier(max_depth=1), X, y, n_folds=5).evaluation
    assert crossed.log_loss >= 52 * np.log(2) / 5  # the model that is shown no c gives it nothing


def test_numbers_are_judged_as_scikit_learn_judges_them() -> None:
    generator = np.random.default_rng(5)
    truth, weight = generator.normal(size=100), generator.random(100)
    given = truth + generator.normal(size=100)
    found = judge_numbers(truth, given, weight)
    assert found.error == pytest.approx(metrics.mean_squared_error(truth, given, sample_weight=weight))
    assert found.absolute_error == pytest.approx(
        metrics.mean_absolute_error(truth, given, sample_weight=weight)
    )
    assert found.r2 == pytest.approx(metrics.r2_score(truth, given, sample_weight=weight))
    plain = judge_numbers(truth, given)
    assert plain.se == pytest.approx(np.std((truth - given) ** 2) / np.sqrt(100))


@pytest.mark.parametrize("frame", ["pandas", "polars", "rows"])
def test_cross_validation_is_the_loop_written_out(frame: str) -> None:
    X, y = tw.datasets.load_iris(frame=frame)  # type: ignore[arg-type]
    model = tw.DecisionTreeClassifier(max_depth=2)
    found = cross_validate(model, X, y, 5, random_state=7)
    table, labels = tw.datasets.load_iris(frame="pandas")
    dataset = tw.Dataset.from_table(table, labels, task="classification")
    folds = fold_numbers(dataset, 5, 7)
    wrong = sum(
        int(
            (
                clone(model).fit(table[folds != k], labels[folds != k]).predict(table[folds == k])
                != labels[folds == k]
            ).sum()
        )
        for k in range(5)
    )
    assert found.evaluation.error == pytest.approx(wrong / 150)
    assert found.leaves == 3
    assert len(list(each_fold(dataset, folds))) == found.n_folds
    assert not hasattr(model, "tree_")


def test_progress_is_told_and_regressions_are_judged_by_squares() -> None:
    X, y = tw.datasets.load_mpg()
    told: list[float] = []
    found = cross_validate(tw.DecisionTreeRegressor(max_depth=3), X, y, 4, progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]
    assert isinstance(found.evaluation, NumberEvaluation)
    assert 0 < found.evaluation.error < found.evaluation.baseline == pytest.approx(float(np.var(y)))
    assert found.to_dict()["folds"] == 4


def test_weights_count_in_the_fit_and_in_the_judgement() -> None:
    X = pd.DataFrame({"x": np.arange(60)})
    y = pd.Series(np.where(np.arange(60) < 30, "a", "b"))
    y[::10] = "c"
    weight = np.where(y == "c", 0.0, 1.0)
    found = cross_validate(tw.DecisionTreeClassifier(max_depth=1), X, y, 3, sample_weight=weight)
    assert found.evaluation.error < 0.1


def test_probabilities_are_judged_by_hand_worked_figures() -> None:
    truth, proba = ["a", "b", "b", "a"], np.array([[0.9, 0.1], [0.4, 0.6], [0.95, 0.05], [0.9, 0.1]])
    found = judge_probabilities(
        judge_classes(truth, ["a", "b", "a", "a"]), truth, proba, ["a", "b"], [1, 1, 1, 3]
    )
    # squares of both classes: .02, .32, 1.805, .02, the last three times; of two classes half of them
    assert found.brier == pytest.approx((0.02 + 0.32 + 1.805 + 3 * 0.02) / 2 / 6)
    assert [(round(part.predicted, 9), part.observed, part.weight) for part in found.calibration] == [
        (0.05, 1.0, 1.0),
        (0.1, 0.0, 4.0),
        (0.6, 1.0, 1.0),
    ]
    assert found.calibration_error == pytest.approx((0.95 + 4 * 0.1 + 0.4) / 6)


def test_brier_score_and_calibration_are_scikit_learns() -> None:
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss

    X, y = tw.datasets.load_votes()
    model = tw.TreeClassifier().fit(X, y)
    found = evaluate(model, X, y)
    assert isinstance(found, ClassEvaluation)
    proba = model.predict_proba(X)[:, 1]
    positive = np.asarray(y) == model.classes_[1]
    assert found.brier == pytest.approx(brier_score_loss(positive, proba))
    observed, predicted = calibration_curve(positive, proba, n_bins=10)
    assert [part.observed for part in found.calibration] == pytest.approx(observed.tolist())
    assert [part.predicted for part in found.calibration] == pytest.approx(predicted.tolist())


def test_what_cross_validation_found_can_be_printed() -> None:
    table, target = tw.datasets.load_votes()
    text = str(cross_validate(tw.DecisionTreeClassifier(max_depth=1), table, target, 5))
    assert text.startswith("cross-validation in 5 folds")
    assert "democrat" in text
    assert "recall" in text
    table, target = tw.datasets.load_mpg()
    assert "R²" in str(cross_validate(tw.DecisionTreeRegressor(max_depth=1), table, target, 5))


@pytest.mark.parametrize(
    "parameters",
    [
        {"costs": [[0, 1, 2], [1, 0, 2], [3, 3, 0]]},
        {"priors": [0.3, 0.3, 0.4]},
        {"class_weight": {"no": 1, "rare": 3, "yes": 2}},
    ],
)
def test_folds_may_lack_a_class_that_parameters_speak_of(parameters: dict[str, Any]) -> None:
    y = np.array(["no", "yes"] * 10, dtype=object)
    y[3] = "rare"
    model = tw.DecisionTreeClassifier(**parameters)
    found = cross_validate(model, np.arange(20.0).reshape(-1, 1), y, 5).evaluation
    assert found.confusion.sum() == 20
    assert found.confusion[1, 1] == 0  # no model that judged the rare row had seen its class
    assert model.get_params()[next(iter(parameters))] is parameters[next(iter(parameters))]
