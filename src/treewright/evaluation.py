"""Evaluation metrics: accuracy, recall, precision, confusion matrix, errors; on rows or cross-validated."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.data import Dataset, Schema
from treewright.data.columns import plain
from treewright.data.folds import fold_numbers
from treewright.data.frames import read
from treewright.data.target import read_classes, read_numbers, read_weight, target_rows
from treewright.figures import Evaluation, class_figures, number_figures
from treewright.formatting.performance import class_lines, folds_text, number_lines

Array: TypeAlias = NDArray[np.float64]

UNCLASSIFIED = "unclassified"
"""What the last column of a confusion matrix is called if some rows got no class."""


def _known(figure: Any) -> float | None:
    return None if figure is None else float(figure)


@dataclass(frozen=True)
class CalibrationBin:
    """Probabilities between two tenths: their mean, how often what they are of happened, and their weight.

    Examples
    --------
    >>> CalibrationBin(predicted=0.12, observed=0.1, weight=40.0)  # predicted 12 %, came true 10 %
    CalibrationBin(predicted=0.12, observed=0.1, weight=40.0)
    """

    predicted: float
    observed: float
    weight: float


@dataclass(frozen=True, eq=False)
class ClassEvaluation:
    """Predicted classes beside the true ones.

    Parameters
    ----------
    classes : list
        The true classes, in the order of the rows of `confusion`.
    predicted : list
        The classes that may be predicted, in the order of its columns.
    confusion : array of shape (n_classes, n_predicted)
        Weight of the rows of a true class (row) that were given a class (column).
    n_rows : int
    cost : float or None
        Mean cost of a row, where costs are not one for every mistake.
    log_loss : float or None
        Mean of −ln of the probability given to the true class, as scikit-learn's `log_loss` has it: no
        probability counts as less than 2⁻⁵². None where no probabilities are known.
    brier : float or None
        Brier score (1950): mean over the rows of Σ (probability of a class − 1 if it is true, else 0)², half
        of it where there are two classes, as in scikit-learn.
    calibration : tuple of CalibrationBin
        What happened where a probability was given, by tenths of the probabilities: of the second class of
        two, of every class where there are more.

    Examples
    --------
    >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    >>> found.confusion.tolist(), found.error, found.baseline
    ([[1.0, 1.0], [0.0, 2.0]], 0.25, 0.5)
    """

    classes: list[Any]
    predicted: list[Any]
    confusion: Array
    n_rows: int
    cost: float | None = None
    log_loss: float | None = None
    brier: float | None = None
    calibration: tuple[CalibrationBin, ...] = ()

    def __str__(self) -> str:
        return "\n".join(class_lines(self))

    @property
    def calibration_error(self) -> float | None:
        """Mean distance of the probabilities from what happened; None where none are known.

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> found.calibration_error is None  # no probabilities were given
        True
        """
        total = sum(part.weight for part in self.calibration)
        apart = sum(part.weight * abs(part.predicted - part.observed) for part in self.calibration)
        return apart / total if total > 0 else None

    def square(self, classes: list[Any]) -> Array:
        """Give the confusion matrix of some classes alone, in their order; rows of others are left out.

        Examples
        --------
        >>> judge_classes(["a", "b", "c"], ["a", "a", "a"]).square(["b", "a"]).tolist()
        [[0.0, 1.0], [0.0, 1.0]]
        """
        rows, columns = (
            [place.get(label, -1) for label in classes]
            for place in (
                {label: at for at, label in enumerate(own)} for own in (self.classes, self.predicted)
            )
        )
        return np.asarray(np.pad(self.confusion, ((0, 1), (0, 1)))[np.ix_(rows, columns)])

    @property
    def _right(self) -> Array:
        return self.square(self.classes).diagonal()

    @property
    def accuracy(self) -> float:
        """Share of the weight that is given its class.

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> found.accuracy
        0.75
        """
        return float(self._right.sum() / self.confusion.sum())

    @property
    def error(self) -> float:
        """Share of the weight that is given a wrong class.

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> found.error
        0.25
        """
        return 1 - self.accuracy

    @property
    def se(self) -> float:
        """Standard error of the error: √(e(1 − e) / n).

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> round(found.se, 3)
        0.217
        """
        return float(np.sqrt(self.error * (1 - self.error) / self.n_rows))

    @property
    def baseline(self) -> float:
        """The error of always giving the most frequent class.

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> found.baseline
        0.5
        """
        return float(1 - self.confusion.sum(axis=1).max() / self.confusion.sum())

    @property
    def recall(self) -> list[float]:
        """For each true class the share that is found.

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> found.recall
        [0.5, 1.0]
        """
        total = self.confusion.sum(axis=1)
        shares: list[float] = np.divide(
            self._right, total, out=np.zeros(len(total)), where=total > 0
        ).tolist()
        return shares

    @property
    def precision(self) -> list[float | None]:
        """For each true class the share of what is given it that has it; None if it is never given.

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> found.precision
        [1.0, 0.6666666666666666]
        """
        given = {label: float(self.confusion[:, index].sum()) for index, label in enumerate(self.predicted)}
        return [
            float(right / given[label]) if given.get(label) else None
            for label, right in zip(self.classes, self._right, strict=True)
        ]

    @property
    def kappa(self) -> float:
        """Cohen's kappa (1960): agreement beyond what the two sets of frequencies give by chance.

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> found.kappa
        0.5
        """
        shares = self.confusion / self.confusion.sum()
        given = {label: float(shares[:, index].sum()) for index, label in enumerate(self.predicted)}
        chance = sum(
            float(row.sum()) * given.get(label, 0.0) for row, label in zip(shares, self.classes, strict=True)
        )
        return (1 - self.error - chance) / (1 - chance) if chance < 1 else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Give all figures as what JSON can hold.

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> found.to_dict()["error"]
        0.25
        """
        figures: dict[str, Any] = {
            "rows": self.n_rows,
            "error": self.error,
            "se": self.se,
            "baseline_error": self.baseline,
            "kappa": self.kappa,
            "classes": [plain(label) for label in self.classes],
            "predicted": [plain(label) for label in self.predicted],
            "confusion": self.confusion.tolist(),
            "recall": self.recall,
            "precision": self.precision,
        }
        further: dict[str, Any] = {"mean_cost": self.cost, "log_loss": self.log_loss, "brier": self.brier}
        if self.calibration:
            further["calibration_error"] = self.calibration_error
            further["calibration"] = [asdict(part) for part in self.calibration]
        return figures | {name: figure for name, figure in further.items() if figure is not None}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Read what `to_dict` gave.

        Examples
        --------
        >>> found = judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> ClassEvaluation.from_dict(found.to_dict()).error
        0.25
        """
        confusion = np.array(plain["confusion"], dtype=np.float64)
        classes, predicted = list(plain["classes"]), list(plain["predicted"])
        if confusion.shape != (len(classes), len(predicted)):
            raise ValueError("a confusion matrix of another shape than its classes")
        return cls(
            classes,
            predicted,
            confusion,
            int(plain["rows"]),
            cost=_known(plain.get("mean_cost")),
            log_loss=_known(plain.get("log_loss")),
            brier=_known(plain.get("brier")),
            calibration=tuple(
                CalibrationBin(*(float(part[name]) for name in ("predicted", "observed", "weight")))
                for part in plain.get("calibration", ())
            ),
        )


@dataclass(frozen=True)
class NumberEvaluation:
    """Predicted numbers beside the true ones.

    `figures` has them by scikit-learn's names.

    Parameters
    ----------
    n_rows : int
    error, se : float
        Mean squared error, and its standard error.
    absolute_error : float
        Mean absolute error.
    baseline : float
        The mean squared error of always giving the mean.

    Examples
    --------
    >>> found = judge_numbers([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    >>> round(found.error, 3), round(found.r2, 3)
    (0.333, 0.5)
    """

    n_rows: int
    error: float
    se: float
    absolute_error: float
    baseline: float

    def __str__(self) -> str:
        return "\n".join(number_lines(self))

    @property
    def r2(self) -> float:
        """Share of the variance that is explained.

        Examples
        --------
        >>> found = judge_numbers([1.0, 2.0, 6.0], [1.0, 3.0, 5.0])
        >>> round(found.r2, 3)
        0.857
        """
        return 1 - self.error / self.baseline if self.baseline > 0 else float(self.error == 0)

    def to_dict(self) -> dict[str, Any]:
        """Give all figures as what JSON can hold.

        Examples
        --------
        >>> found = judge_numbers([1.0, 2.0, 6.0], [1.0, 3.0, 5.0])
        >>> sorted(found.to_dict())[:3]
        ['baseline_mean_squared_error', 'mean_absolute_error', 'mean_squared_error']
        """
        return {
            "rows": self.n_rows,
            "mean_squared_error": self.error,
            "se": self.se,
            "root_mean_squared_error": float(np.sqrt(self.error)),
            "mean_absolute_error": self.absolute_error,
            "r2": self.r2,
            "baseline_mean_squared_error": self.baseline,
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Read what `to_dict` gave.

        Examples
        --------
        >>> found = judge_numbers([1.0, 2.0, 6.0], [1.0, 3.0, 5.0])
        >>> NumberEvaluation.from_dict(found.to_dict()) == found
        True
        """
        names = ("mean_squared_error", "se", "mean_absolute_error", "baseline_mean_squared_error")
        return cls(int(plain["rows"]), *(float(plain[name]) for name in names))


AnyEvaluation: TypeAlias = ClassEvaluation | NumberEvaluation


def judge_classes(
    truth: Any,
    predicted: ArrayLike,
    sample_weight: ArrayLike | None = None,
    costs: Any = None,
    known: Any = None,
) -> ClassEvaluation:
    """Compare predicted classes with the true ones.

    Parameters
    ----------
    truth, predicted : array-like of shape (n_rows,)
        Labels; None among those predicted is no class at all.
    sample_weight : array-like or None
    costs : array of shape (n_known, n_known) or None
        Cost of predicting a class (column) where another is true (row).
    known : array-like or None
        The classes that `costs` are about, and that may be predicted.

    Examples
    --------
    >>> judge_classes(["a", "a", "b", "b"], ["a", "b", "b", "b"]).confusion.tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    labels = np.asarray(predicted, dtype=object)
    classes, codes = read_classes(truth, len(labels))
    given = list(known) if known is not None else list(dict.fromkeys([*classes.tolist(), *labels.tolist()]))
    given = [label for label in given if label is not None]
    if any(label is None for label in labels):
        given.append(UNCLASSIFIED)
    column = {label: index for index, label in enumerate(given)} | {None: len(given) - 1}
    columns = np.array([column[label] for label in labels.tolist()], dtype=np.intp)
    weight, _ = read_weight(sample_weight, len(labels))
    confusion = np.zeros((len(classes), len(given)))
    np.add.at(confusion, (codes, columns), 1.0 if weight is None else weight)
    judged = ClassEvaluation(classes.tolist(), given, confusion, len(labels))
    return replace(judged, cost=_mean_cost(judged, costs))


def _mean_cost(judged: ClassEvaluation, costs: Any) -> float | None:
    """Give the mean cost of a row; None where there are no costs, or none of a class that is true."""
    if costs is None or any(label not in judged.predicted for label in judged.classes):
        return None
    rows = [judged.predicted.index(label) for label in judged.classes]
    paid = judged.confusion[:, : len(costs)] * np.asarray(costs)[rows]
    return float(paid.sum() / judged.confusion.sum())


def judge_probabilities(
    judged: ClassEvaluation, truth: Any, proba: ArrayLike, known: Any, sample_weight: ArrayLike | None = None
) -> ClassEvaluation:
    """Add to an evaluation what the probabilities are worth.

    Parameters
    ----------
    judged : ClassEvaluation
    truth : array-like of shape (n_rows,)
        Labels.
    proba : array-like of shape (n_rows, n_known)
        Probability of each known class; a class that is not known has none.
    known : array-like of shape (n_known,)
        The classes of the columns.
    sample_weight : array-like or None

    Examples
    --------
    >>> found = judge_classes(["a", "b"], ["a", "b"], known=["a", "b"])
    >>> found = judge_probabilities(found, ["a", "b"], [[0.5, 0.5], [0.2, 0.8]], ["a", "b"])
    >>> round(found.log_loss, 4), round(found.brier, 3)  # (−ln .5 − ln .8) / 2, (.5² + .2²) / 2
    (0.4581, 0.145)
    >>> found.calibration_error  # (|.5 − 0| + |.8 − 1|) / 2
    0.35
    """
    return replace(judged, **_ProbabilitySums.of(truth, proba, known, sample_weight).figures())


@dataclass(frozen=True, eq=False)
class _ProbabilitySums:
    """Sums over rows, by weight, of what probabilities are judged by."""

    loss: float
    squares: float
    weight: float
    tenths: Array
    """Of each tenth of the probabilities: weight, probabilities, and what happened."""

    @classmethod
    def of(cls, truth: Any, proba: ArrayLike, known: Any, sample_weight: ArrayLike | None) -> Self:
        chances = np.nan_to_num(np.asarray(proba, dtype=np.float64))
        classes, codes = read_classes(truth, len(chances))
        column = {label: index for index, label in enumerate(np.asarray(known, dtype=object).tolist())}
        columns = np.array([column.get(label, -1) for label in classes.tolist()])[codes]
        weight = _weights(sample_weight, len(chances))
        happened = columns[:, None] == np.arange(chances.shape[1])
        own = np.where(happened, chances, 0.0).sum(axis=1)
        loss = -_core.log(np.maximum(own, np.finfo(np.float64).eps))
        squares = ((chances - happened) ** 2).sum(axis=1) + (columns < 0)
        if chances.shape[1] == 2:
            squares /= 2
        of = slice(1, 2) if chances.shape[1] == 2 else slice(None)
        tenth = np.minimum((chances[:, of] * 10).astype(np.int64), 9).ravel()
        each = np.repeat(weight, chances[:, of].shape[1])
        parts = (1.0, chances[:, of].ravel(), happened[:, of].ravel())
        tenths = np.array([np.bincount(tenth, each * part, 10) for part in parts])
        return cls(float((weight * loss).sum()), float((weight * squares).sum()), float(weight.sum()), tenths)

    def __add__(self, other: _ProbabilitySums) -> _ProbabilitySums:
        tenths = self.tenths + other.tenths
        loss, squares = self.loss + other.loss, self.squares + other.squares
        return _ProbabilitySums(loss, squares, self.weight + other.weight, tenths)

    def figures(self) -> dict[str, Any]:
        """Give what an evaluation has of them; tenths without any are left out."""
        total, told, seen = self.tenths
        bins = tuple(
            CalibrationBin(float(told[at] / total[at]), float(seen[at] / total[at]), float(total[at]))
            for at in np.flatnonzero(total > 0)
        )
        of_row = {"log_loss": self.loss / self.weight, "brier": self.squares / self.weight}
        return of_row | {"calibration": bins}


def _weights(sample_weight: ArrayLike | None, n_rows: int) -> Array:
    weight, _ = read_weight(sample_weight, n_rows)
    return np.ones(n_rows) if weight is None else weight


def judge_numbers(
    truth: Any, predicted: ArrayLike, sample_weight: ArrayLike | None = None
) -> NumberEvaluation:
    """Compare predicted numbers with the true ones.

    Parameters
    ----------
    truth, predicted : array-like of shape (n_rows,)
    sample_weight : array-like or None

    Examples
    --------
    >>> round(judge_numbers([1.0, 2.0, 6.0], [1.0, 3.0, 5.0]).error, 3)
    0.667
    """
    guess = np.asarray(predicted, dtype=np.float64)
    target = read_numbers(truth, len(guess))
    weight = _weights(sample_weight, len(guess))
    return _NumberSums.of(target, guess, weight, float(np.average(target, weights=weight))).evaluation()


@dataclass(frozen=True, eq=False)
class _NumberSums:
    """Sums over rows of what predicted numbers are judged by; targets less a number near their mean."""

    n_rows: int
    sums: Array
    """By weight: 1, squared error, its square, absolute error, target, squared target."""

    @classmethod
    def of(cls, target: Array, predicted: Array, weight: Array, near: float) -> Self:
        squares, less = (target - predicted) ** 2, target - near
        terms = (1.0, squares, squares**2, np.abs(target - predicted), less, less**2)
        return cls(len(target), np.array([(weight * term).sum() for term in terms]))

    def __add__(self, other: _NumberSums) -> _NumberSums:
        return _NumberSums(self.n_rows + other.n_rows, self.sums + other.sums)

    def evaluation(self) -> NumberEvaluation:
        """Give the figures."""
        error, fourth, absolute, mean, square = (self.sums[1:] / self.sums[0]).tolist()
        return NumberEvaluation(
            n_rows=self.n_rows,
            error=error,
            se=float(np.sqrt(max(fourth - error**2, 0.0) / self.n_rows)),
            absolute_error=absolute,
            baseline=max(square - mean**2, 0.0),
        )


@dataclass(frozen=True, eq=False)
class EvaluationSums:
    """An evaluation that is made of parts of the rows: those of several parts add up to that of all.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    >>> parts = [EvaluationSums.of(model, X[begin::2], y[begin::2]) for begin in (0, 1)]
    >>> (parts[0] + parts[1]).evaluation().error == evaluate(model, X, y).error
    True
    """

    numbers: _NumberSums | None = None
    classes: ClassEvaluation | None = None
    probabilities: _ProbabilitySums | None = None
    costs: Any = None

    @classmethod
    def of(
        cls, model: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, near: float = 0.0
    ) -> Self:
        """Judge a fitted model on some rows; targets of a regression are near this number.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> EvaluationSums.of(DecisionTreeClassifier(max_depth=2).fit(X, y), X, y).evaluation().n_rows
        150
        """
        predicted = model.predict(X)
        known = getattr(model, "classes_", getattr(getattr(model, "schema", None), "classes", None))
        if known is None:
            weight = _weights(sample_weight, len(predicted))
            return cls(_NumberSums.of(read_numbers(y, len(predicted)), predicted, weight, near))
        costs = getattr(getattr(model, "tree_", None), "costs", None)
        judged = judge_classes(y, predicted, sample_weight, None, known.tolist())
        if not hasattr(model, "predict_proba"):
            return cls(classes=judged, costs=costs)
        chances = _ProbabilitySums.of(y, model.predict_proba(X), known, sample_weight)
        return cls(classes=judged, probabilities=chances, costs=costs)

    def __add__(self, other: EvaluationSums) -> EvaluationSums:
        if self.numbers is not None:
            assert other.numbers is not None
            return EvaluationSums(self.numbers + other.numbers)
        assert self.classes is not None
        assert other.classes is not None
        both = None
        if self.probabilities is not None and other.probabilities is not None:
            both = self.probabilities + other.probabilities
        return EvaluationSums(None, _of_both(self.classes, other.classes), both, self.costs)

    def evaluation(self) -> AnyEvaluation:
        """Give the figures of all rows.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> sums = EvaluationSums.of(DecisionTreeClassifier(max_depth=2).fit(X, y), X, y)
        >>> sums.evaluation().error
        0.040000000000000036
        """
        if self.numbers is not None:
            return self.numbers.evaluation()
        assert self.classes is not None
        judged = replace(self.classes, cost=_mean_cost(self.classes, self.costs))
        return judged if self.probabilities is None else replace(judged, **self.probabilities.figures())


def _of_both(one: ClassEvaluation, other: ClassEvaluation) -> ClassEvaluation:
    """Add up two confusion matrices, by their labels."""
    classes = sorted({*one.classes, *other.classes}, key=lambda label: (isinstance(label, str), label))
    given = list(dict.fromkeys([*one.predicted, *other.predicted]))
    confusion = np.zeros((len(classes), len(given)))
    for part in (one, other):
        places = [classes.index(label) for label in part.classes], [given.index(x) for x in part.predicted]
        confusion[np.ix_(*places)] += part.confusion
    return ClassEvaluation(classes, given, confusion, one.n_rows + other.n_rows)


def evaluate(model: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> AnyEvaluation:
    """Judge a fitted model on rows with a known target.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> evaluate(DecisionTreeClassifier(max_depth=1).fit(X, y), X, y).error.__round__(3)
    0.333
    """
    predicted = model.predict(X)
    classes = getattr(model, "classes_", getattr(getattr(model, "schema", None), "classes", None))
    if classes is None:
        return judge_numbers(y, predicted, sample_weight)
    costs = getattr(getattr(model, "tree_", None), "costs", None)
    judged = judge_classes(y, predicted, sample_weight, costs, classes.tolist())
    if not hasattr(model, "predict_proba"):
        return judged
    return judge_probabilities(judged, y, model.predict_proba(X), classes, sample_weight)


@dataclass(frozen=True)
class CrossValidation:
    """What cross-validation came to: the figures of all rows, each predicted by a model that never saw it.

    Parameters
    ----------
    evaluation : ClassEvaluation or NumberEvaluation
    n_folds : int
    leaves, depth : float or None
        Means over the models of the folds; None for models of several trees.
    seconds : float
        Mean time to fit.
    figures : Evaluation or None
        The figures of all rows by scikit-learn's names, with intervals and curves; no part of a file.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> found = cross_validate(DecisionTreeClassifier(max_depth=2), *datasets.load_iris(), n_folds=5)
    >>> found.n_folds, found.depth
    (5, 2.0)
    """

    evaluation: AnyEvaluation
    n_folds: int
    leaves: float | None
    depth: float | None
    seconds: float
    figures: Evaluation | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{folds_text(self)}\n{self.evaluation}"

    def to_dict(self) -> dict[str, Any]:
        """Give all figures as what JSON can hold.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> found = cross_validate(DecisionTreeClassifier(max_depth=2), *datasets.load_iris(), n_folds=5)
        >>> sorted(found.to_dict())[:3]
        ['baseline_error', 'brier', 'calibration']
        """
        return self.evaluation.to_dict() | {
            "folds": self.n_folds,
            "mean_leaves": self.leaves,
            "mean_depth": self.depth,
            "seconds": self.seconds,
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Read what `to_dict` gave; a `ValueError` or its like says that it cannot be.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> found = cross_validate(DecisionTreeClassifier(max_depth=2), *datasets.load_iris(), n_folds=5)
        >>> CrossValidation.from_dict(found.to_dict()).n_folds
        5
        """
        kind = ClassEvaluation if "confusion" in plain else NumberEvaluation
        leaves, depth = (_known(plain[name]) for name in ("mean_leaves", "mean_depth"))
        return cls(kind.from_dict(plain), int(plain["folds"]), leaves, depth, float(plain["seconds"]))


def cross_validate(
    model: Any,
    X: Any,
    y: Any,
    n_folds: int = 10,
    *,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
    progress: Callable[[float], None] | None = None,
) -> CrossValidation:
    """Fit a model anew for every fold, pruning included, and predict the rows that it was not shown.

    Parameters
    ----------
    model : estimator
        It need not be fitted, and stays as it is.
    X, y, sample_weight
        As for its `fit`.
    n_folds : int
        How many folds; classes have the same shares in all.
    random_state : int
        Seed of the folds.
    progress : callable or None
        Is told the share that is done.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> found = cross_validate(DecisionTreeClassifier(), *datasets.load_iris(), n_folds=5)
    >>> found.evaluation.n_rows, found.evaluation.error < 0.1
    (150, True)
    """
    table = read(X)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    sizes, seconds, costs = [], [], getattr(model, "costs", None)

    def fitted_to(shown: NDArray[np.int64], classes: NDArray[Any] | None, codes: NDArray[Any]) -> Any:
        fitted = _for_classes(model, classes, codes)
        begin = time.perf_counter()
        part = table.take(shown), target_rows(y, shown)
        fitted.fit(*part, None if weight is None else weight[shown])
        seconds.append(time.perf_counter() - begin)
        if hasattr(fitted, "tree_"):
            sizes.append((fitted.tree_.n_leaves, fitted.tree_.depth))
        if progress is not None:
            progress(len(seconds) / n_folds)
        return fitted

    classify = model.__sklearn_tags__().estimator_type == "classifier"
    held_out = predict_held_out(
        fitted_to, table.take, y, table.n_rows, n_folds, classify=classify, random_state=random_state
    )
    evaluation: AnyEvaluation
    if held_out.classes is None:
        evaluation = judge_numbers(y, held_out.predicted, weight)
    else:
        evaluation = judge_classes(y, held_out.predicted, weight, costs, held_out.classes.tolist())
        if held_out.proba is not None:
            evaluation = judge_probabilities(evaluation, y, held_out.proba, held_out.classes, weight)
    leaves, depth = np.mean(sizes, axis=0).tolist() if sizes else (None, None)
    figures = held_out.figures(y, weight)
    return CrossValidation(evaluation, n_folds, leaves, depth, float(np.mean(seconds)), figures)


class HeldOut(NamedTuple):
    """What models predict of rows that they were not shown.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> X, y = map(np.asarray, datasets.load_iris(frame="rows"))
    >>> def fitted_to(rows, classes, codes):
    ...     return DecisionTreeClassifier(max_depth=2).fit(X[rows], classes[codes])
    >>> held_out = predict_held_out(fitted_to, X.__getitem__, y, len(X), 5, classify=True)
    >>> held_out.predicted[:2].tolist(), held_out.proba.shape
    (['setosa', 'setosa'], (150, 3))
    """

    n_folds: int
    classes: NDArray[Any] | None
    predicted: NDArray[Any]
    proba: NDArray[np.float64] | None

    def figures(self, y: Any, sample_weight: ArrayLike | None = None, further: str = "") -> Evaluation:
        """Compare them with the target; `further` is said of the rows, too.

        Examples
        --------
        >>> import numpy as np
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = map(np.asarray, datasets.load_iris(frame="rows"))
        >>> def fitted_to(rows, classes, codes):
        ...     return DecisionTreeClassifier(max_depth=2).fit(X[rows], classes[codes])
        >>> held_out = predict_held_out(fitted_to, X.__getitem__, y, len(X), 5, classify=True)
        >>> held_out.figures(y).n_rows
        150
        """
        folds = f"cross-validation in {self.n_folds} folds"
        on = f"{folds}, each row predicted by a model that was fitted without it{further}"
        if self.classes is None:
            return number_figures(y, self.predicted, sample_weight, on=on)
        known = self.classes.tolist()
        return class_figures(y, self.predicted, self.proba, known, sample_weight, on=on)


def predict_held_out(
    fitted_to: Callable[[NDArray[np.int64], NDArray[Any] | None, NDArray[Any]], Any],
    take: Callable[[NDArray[np.int64]], Any],
    y: Any,
    n_rows: int,
    n_folds: int,
    *,
    classify: bool,
    random_state: int = 0,
) -> HeldOut:
    """Predict every row by a model that was not shown it.

    Parameters
    ----------
    fitted_to : callable
        Fits a new model to rows of these numbers; is told the classes of all rows, and the codes of these.
    take : callable
        Gives rows of these numbers, as the models predict them.
    y, n_rows, n_folds, classify, random_state
        The target of all rows, how many rows and folds, whether it has classes, the seed of the folds.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> X, y = map(np.asarray, datasets.load_iris(frame="rows"))
    >>> def fitted_to(rows, classes, codes):
    ...     return DecisionTreeClassifier(max_depth=2).fit(X[rows], classes[codes])
    >>> held_out = predict_held_out(fitted_to, X.__getitem__, y, len(X), 5, classify=True)
    >>> held_out.n_folds
    5
    """
    if n_folds < 2:
        raise ValueError(f"n_folds must be at least 2, got {n_folds}: fewer leave no rows to learn from.")
    classes, codes = read_classes(y, n_rows) if classify else (None, read_numbers(y, n_rows))
    rows = Dataset(Schema((), classes), np.empty((n_rows, 0)), np.empty((n_rows, 0), np.int32), codes)
    folds = fold_numbers(rows, n_folds, random_state)
    predicted: NDArray[Any] = np.empty(n_rows, dtype=object if classify else np.float64)
    proba = None if classes is None else np.zeros((n_rows, len(classes)))
    for fold in range(n_folds):
        shown, held_out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        fitted = fitted_to(shown, classes, codes[shown])
        predicted[held_out] = fitted.predict(take(held_out))
        if classes is None or not hasattr(fitted, "predict_proba"):
            proba = None
        elif proba is not None:
            own = [classes.tolist().index(label) for label in fitted.classes_.tolist()]
            proba[np.ix_(held_out, own)] = fitted.predict_proba(take(held_out))
    return HeldOut(n_folds, classes, predicted, proba)


def _for_classes(model: Any, classes: NDArray[Any] | None, codes: NDArray[Any]) -> Any:
    """Copy an estimator, for rows that may lack some of the classes its parameters speak of."""
    copied, present = copy.copy(model), np.unique(codes)
    if classes is None or len(present) == len(classes):
        return copied
    kept = set(classes[present].tolist())
    for name in ("costs", "priors", "class_weight"):
        given = getattr(model, name, None)
        if isinstance(given, Mapping):
            setattr(copied, name, {label: value for label, value in given.items() if label in kept})
        elif given is not None and not isinstance(given, str):
            numbers = np.asarray(given)
            setattr(copied, name, numbers[np.ix_(*[present] * numbers.ndim)])
    return copied
