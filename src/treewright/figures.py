"""Figures of predictions by scikit-learn's names, with confidence intervals and the curves behind them.

Intervals are of 95 % for rows like these: Wilson's (1927) for shares of rows, DeLong's variance (1988) for
areas below ROC curves, resampled confusion matrices (Efron, 1979) for F1 and means over classes, the
normal one for other means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright._module_names import public
from treewright.data.columns import plain
from treewright.data.target import read_classes, read_numbers, read_weight
from treewright.formatting.html_table import html_table
from treewright.formatting.text import counted, figure
from treewright.formatting.text_table import aligned

Array: TypeAlias = NDArray[np.float64]
Interval: TypeAlias = tuple[float, float]

Z = 1.959963984540054
"""How many standard errors the middle 95 % of a normal distribution reach on each side."""
REPEATS = 2000
"""Resamples of a confusion matrix."""
MOST_POINTS = 200
"""Points of a curve that are kept."""
BINS = 10
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Curve:
    """Points of a curve, x ascending."""

    x: list[float]
    y: list[float]
    area: float


@public
@dataclass(frozen=True, eq=False)
class Evaluation:
    """What predictions are worth, beside the true target; attributes have scikit-learn's names.

    Of two classes `precision`, `recall`, `f1` and `roc_auc` are those of the second; of more they are means
    over the classes ("macro", "ovr"), as `scikit-learn` has them. `print` shows all figures with their
    intervals.

    Parameters
    ----------
    figures : dict
        The figures by name, as JSON has them.
    intervals : dict of name to pair
        Between which bounds the figure lies for rows like these, with 95 % confidence.
    on : str
        Which rows were predicted.
    per_class : list of dict
        Of each class `class`, `recall`, `precision`, `f1`, `support` and, where they are known, `roc_auc` and
        `average_precision`.
    curves : dict of name to dict of class to Curve
        `"roc"` and `"precision_recall"`, by class.
    calibration : list of dict
        `predicted`, `observed` and `weight` of the probabilities of each tenth.
    residuals : array of shape (n_rows, 2) or None
        Predicted and true numbers.

    Examples
    --------
    >>> from treewright import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> found = TreeClassifier().fit(X[::2], y[::2]).evaluate(X[1::2], y[1::2])
    >>> found.n_rows, round(found.accuracy, 3), [round(bound, 2) for bound in found.intervals["accuracy"]]
    (75, 0.947, [0.87, 0.98])
    >>> found.confusion_matrix
    [[25, 0, 0], [0, 24, 1], [0, 3, 22]]
    """

    figures: dict[str, Any]
    intervals: dict[str, Interval]
    on: str = "rows"
    per_class: list[dict[str, Any]] = field(default_factory=list)
    curves: dict[str, dict[str, Curve]] = field(default_factory=dict)
    calibration: list[dict[str, float]] = field(default_factory=list)
    residuals: Array | None = None

    def __getattr__(self, name: str) -> Any:
        figures = self.__dict__.get("figures", {})
        if name in figures:
            return figures[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.figures]

    def to_dict(self) -> dict[str, Any]:
        """Give all figures, and their intervals, as what JSON can hold.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> figures = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2]).evaluate(X[1::2], y[1::2])
        >>> figures.to_dict()["accuracy"]
        0.9466666666666667
        """
        further: dict[str, Any] = {
            "evaluated_on": self.on,
            "confidence_intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
        }
        if self.per_class:
            further["per_class"] = self.per_class
        if self.calibration:
            further["calibration"] = self.calibration
        return self.figures | further

    def lines(self) -> list[tuple[str, str, str]]:
        """Give name, value and interval of each figure, as text.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> figures = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2]).evaluate(X[1::2], y[1::2])
        >>> figures.lines()[0]
        ('accuracy', '0.9467', '0.8707 to 0.9791')
        """
        return [
            (name, figure(value), _between(self.intervals.get(name)))
            for name, value in self.figures.items()
            if isinstance(value, float)
        ]

    def __str__(self) -> str:
        head = f"{counted(self.figures['n_rows'], 'row')}: {self.on}"
        table = aligned(["figure", "value", "95 % interval"], self.lines(), right=(1, 2))
        return "\n".join([head, "", *table])

    def __repr__(self) -> str:
        name = "accuracy" if "accuracy" in self.figures else "r2"
        return f"<Evaluation: {name} {self.figures[name]:.3f} on {counted(self.figures['n_rows'], 'row')}>"

    def _repr_html_(self) -> str:
        parts = [
            html_table(str(self).partition("\n")[0], ["", "value", "95 % interval"], self.lines(), [1, 2])
        ]
        if self.per_class:
            names = [str(one["class"]) for one in self.per_class]
            matrix = [
                [name, *map(_count, line)]
                for name, line in zip(names, self.figures["confusion_matrix"], strict=True)
            ]
            head = ["true ↓ predicted →", *names]
            parts.append(html_table("confusion matrix", head, matrix, range(1, len(head))))
        return "".join(parts)

    # ---- plots, by matplotlib ------------------------------------------------------------------------------

    def plot_roc(self, *, ax: Any = None) -> Any:
        """Draw the ROC curve of each class; see `treewright.plot_roc`.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> figures = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2]).evaluate(X[1::2], y[1::2])
        >>> ax = figures.plot_roc()
        """
        from treewright.draw.evaluation_plots import draw_roc

        return draw_roc(self, ax)

    def plot_precision_recall(self, *, ax: Any = None) -> Any:
        """Draw precision against recall of each class.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> figures = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2]).evaluate(X[1::2], y[1::2])
        >>> ax = figures.plot_precision_recall()
        """
        from treewright.draw.evaluation_plots import draw_precision_recall

        return draw_precision_recall(self, ax)

    def plot_calibration(self, *, ax: Any = None) -> Any:
        """Draw how often what was predicted came true; see `treewright.plot_calibration`.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> figures = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2]).evaluate(X[1::2], y[1::2])
        >>> ax = figures.plot_calibration()
        """
        from treewright.draw.evaluation_plots import draw_calibration

        return draw_calibration(self, ax)

    def plot_residuals(self, *, ax: Any = None) -> Any:
        """Draw true against predicted numbers.

        Examples
        --------
        >>> from treewright import TreeRegressor, datasets
        >>> X, y = datasets.load_mpg()
        >>> ax = TreeRegressor().fit(X[::2], y[::2]).evaluate(X[1::2], y[1::2]).plot_residuals()
        """
        from treewright.draw.evaluation_plots import draw_residuals

        return draw_residuals(self, ax)


def _between(bounds: Interval | None) -> str:
    return "" if bounds is None else f"{figure(bounds[0])} to {figure(bounds[1])}"


def _count(weight: float) -> str:
    return f"{weight:g}"


# ---- classes -----------------------------------------------------------------------------------------------


def class_figures(
    truth: Any,
    predicted: ArrayLike,
    proba: ArrayLike | None = None,
    known: Sequence[Any] = (),
    sample_weight: ArrayLike | None = None,
    *,
    on: str = "rows",
) -> Evaluation:
    """Compare predicted classes, and their probabilities, with the true ones.

    Parameters
    ----------
    truth, predicted : array-like of shape (n_rows,)
        Labels; None among those predicted is no class at all, and never right.
    proba : array-like of shape (n_rows, n_known) or None
        The probability of each known class.
    known : sequence
        The classes that may be predicted.
    sample_weight : array-like or None
    on : str
        Which rows these are, in words.
    """
    labels = np.asarray(predicted, dtype=object).tolist()
    found, codes = read_classes(truth, len(labels))
    classes = list(dict.fromkeys([*known, *found.tolist()]))
    place: dict[Any, int] = {label: at for at, label in enumerate(classes)} | {None: len(classes)}
    true = np.array([place[label] for label in found.tolist()], np.int64)[codes]
    said = np.array([place[label] for label in labels], np.int64)
    given, _ = read_weight(sample_weight, len(labels))
    weight = np.ones(len(labels)) if given is None else given
    judged = _Classes(classes, true, said, weight)
    chances = None
    if proba is not None:
        chances = np.zeros((len(labels), len(classes)))
        chances[:, : len(known)] = np.nan_to_num(np.asarray(proba, np.float64))
    return judged.evaluation(chances, on)


@dataclass(frozen=True, eq=False)
class _Classes:
    """Codes of true and predicted classes with the weights of their rows."""

    classes: list[Any]
    true: NDArray[np.int64]
    said: NDArray[np.int64]
    weight: Array

    @cached_property
    def whole(self) -> Array:
        """Weights by true and predicted class; the last column has no class."""
        n_classes = len(self.classes)
        table = np.bincount(self.true * (n_classes + 1) + self.said, self.weight, n_classes * (n_classes + 1))
        return np.asarray(table, np.float64).reshape(n_classes, n_classes + 1)

    @cached_property
    def n_independent(self) -> float:
        """How many rows of equal weight would tell as much (Kish, 1965)."""
        return float(self.weight.sum() ** 2 / (self.weight**2).sum())

    def evaluation(self, chances: Array | None, on: str) -> Evaluation:
        matrix = self.whole[:, :-1]
        figures = {"n_rows": len(self.true)} | _of_matrix(self.whole[None])[0]
        intervals = self._intervals(figures["accuracy"])
        per_class = self._per_class()
        curves: dict[str, dict[str, Curve]] = {}
        calibration: list[dict[str, float]] = []
        if chances is not None:
            areas, curves = self._ranked(chances)
            for one, (area, _, average) in zip(per_class, areas, strict=True):
                one |= {"roc_auc": area, "average_precision": average}
            of_second = slice(1, 2) if len(self.classes) == 2 else slice(None)
            known = [found for found in areas[of_second] if found[0] is not None]
            if known:
                figures["roc_auc"] = float(np.mean([area for area, *_ in known]))
                half = Z * float(np.mean([error for _, error, _ in known]))  # at most, if they go together
                intervals["roc_auc"] = (
                    max(0.0, figures["roc_auc"] - half),
                    min(1.0, figures["roc_auc"] + half),
                )
            for name, losses in self._losses(chances).items():
                figures[name], intervals[name] = _mean(losses, self.weight, self.n_independent)
            calibration = self._calibration(chances)
        figures["confusion_matrix"] = [[int(x) if x == int(x) else x for x in row] for row in matrix.tolist()]
        figures["classes"] = [plain(label) for label in self.classes]
        return Evaluation(figures, intervals, on, per_class, curves, calibration)

    def _intervals(self, accuracy: float) -> dict[str, Interval]:
        """Give those of the figures of a confusion matrix: Wilson's of shares, else by resampling."""
        n_rows, shares = self.n_independent, (self.whole / self.whole.sum()).ravel()
        drawn = np.random.default_rng(0).multinomial(max(1, round(n_rows)), shares / shares.sum(), REPEATS)
        resampled = _of_matrix(drawn.reshape(REPEATS, *self.whole.shape).astype(np.float64))
        names = ("balanced_accuracy", "precision", "recall", "f1")
        found = {name: _middle([one[name] for one in resampled]) for name in names}
        found = {"accuracy": _of_share(accuracy, n_rows)} | found
        if len(self.classes) == 2:
            right, total = float(self.whole[1, 1]), float(self.whole.sum())
            for name, of in (("recall", self.whole[1].sum()), ("precision", self.whole[:, 1].sum())):
                if of > 0:
                    found[name] = _of_share(right / float(of), n_rows * float(of) / total)
        return found

    def _per_class(self) -> list[dict[str, Any]]:
        recall, precision, f1 = (part[0] for part in _by_class(self.whole[None]))
        support = self.whole.sum(axis=1)
        return [
            {
                "class": plain(label),
                "recall": float(recall[at]),
                "precision": float(precision[at]),
                "f1": float(f1[at]),
                "support": float(support[at]),
            }
            for at, label in enumerate(self.classes)
        ]

    def _ranked(self, chances: Array) -> tuple[list[tuple[Any, Any, Any]], dict[str, dict[str, Curve]]]:
        """Give the area below each class's ROC curve, its standard error and mean precision, and curves."""
        areas: list[tuple[Any, Any, Any]] = []
        curves: dict[str, dict[str, Curve]] = {"roc": {}, "precision_recall": {}}
        counted = self.weight > 0
        true, chances, weight = self.true[counted], chances[counted], self.weight[counted]
        for code, label in enumerate(self.classes):
            is_true = true == code
            if not is_true.any() or is_true.all():
                areas.append((None, None, None))
                continue
            roc, precision_recall, error = _rank(chances[:, code], is_true, weight, self.n_independent)
            areas.append((roc.area, error, precision_recall.area))
            curves["roc"][str(plain(label))], curves["precision_recall"][str(plain(label))] = (
                roc,
                precision_recall,
            )
        return areas, curves

    def _losses(self, chances: Array) -> dict[str, Array]:
        happened = self.true[:, None] == np.arange(len(self.classes))
        own = np.clip(chances[happened], SMALLEST_PROBABILITY, 1.0)
        squares = ((chances - happened) ** 2).sum(axis=1)
        return {
            "log_loss": -_core.log(own),
            "brier_score": squares / 2 if len(self.classes) == 2 else squares,
        }

    def _calibration(self, chances: Array) -> list[dict[str, float]]:
        of = slice(1, 2) if len(self.classes) == 2 else slice(None)
        happened = (self.true[:, None] == np.arange(len(self.classes)))[:, of].ravel()
        told, weight = chances[:, of].ravel(), np.repeat(self.weight, chances[:, of].shape[1])
        bins = np.minimum((told * BINS).astype(np.int64), BINS - 1)
        total = np.bincount(bins, weight, BINS)
        predicted, observed = (np.bincount(bins, weight * part, BINS) for part in (told, happened))
        return [
            {
                "predicted": float(predicted[at] / total[at]),
                "observed": float(observed[at] / total[at]),
                "weight": float(total[at]),
            }
            for at in np.flatnonzero(total > 0)
        ]


def wilson_interval(share: ArrayLike, n_rows: ArrayLike, confidence: float = 0.95) -> tuple[Array, Array]:
    """Interval for the true share of something that was seen with a share p among n rows (Wilson, 1927).

    Its ends are (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n). Unlike p ± z √(p (1 − p)/n) it never
    leaves [0, 1], and is no point where p is 0 or 1.

    Parameters
    ----------
    share, n_rows : array-like
        p and n; where n is 0 the interval is all of [0, 1].
    confidence : float
        How often the interval holds the true share.

    Examples
    --------
    >>> low, high = wilson_interval([1.0, 0.5], [3, 100])
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.44, 0.4], [1.0, 0.6])
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be above 0 and below 1, got {confidence!r}.")
    p, n = np.broadcast_arrays(np.asarray(share, float), np.asarray(n_rows, float))
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    some = np.where(n > 0, n, 1.0)
    centre, room = p + z**2 / (2 * some), z * np.sqrt(p * (1 - p) / some + z**2 / (4 * some**2))
    low, high = ((centre + sign * room) / (1 + z**2 / some) for sign in (-1, 1))
    # where the share is 0 or 1 that end is exact, whatever rounding says
    return np.where((n > 0) & (p > 0), low, 0.0), np.where((n > 0) & (p < 1), high, 1.0)


def _of_share(share: float, n_rows: float) -> Interval:
    low, high = wilson_interval(share, n_rows)
    return float(low), float(high)


def _by_class(whole: Array) -> tuple[Array, Array, Array]:
    """Give recall, precision and F1 of each class, of each of several confusion matrices; 0 if undefined."""
    right = np.diagonal(whole, axis1=1, axis2=2)
    true, said = whole.sum(axis=2), whole[:, :, :-1].sum(axis=1)
    recall = np.divide(right, true, out=np.zeros_like(right), where=true > 0)
    precision = np.divide(right, said, out=np.zeros_like(right), where=said > 0)
    both = true + said
    return recall, precision, np.divide(2 * right, both, out=np.zeros_like(right), where=both > 0)


def _of_matrix(whole: Array) -> list[dict[str, Any]]:
    """Give the figures of each of several confusion matrices."""
    recall, precision, f1 = _by_class(whole)
    right = np.diagonal(whole, axis1=1, axis2=2).sum(axis=1) / whole.sum(axis=(1, 2))
    is_there = whole.sum(axis=2) > 0
    balanced = np.where(is_there, recall, 0.0).sum(axis=1) / is_there.sum(axis=1)
    n_classes = whole.shape[1]
    one = [part[:, 1] if n_classes == 2 else part.mean(axis=1) for part in (precision, recall, f1)]
    names = ("accuracy", "balanced_accuracy", "precision", "recall", "f1")
    return [dict(zip(names, row, strict=True)) for row in np.stack([right, balanced, *one], axis=1).tolist()]


def _rank(
    score: Array, is_true: NDArray[np.bool_], weight: Array, n_rows: float
) -> tuple[Curve, Curve, float]:
    """Give the ROC and the precision–recall curve of scores, and the standard error of the first's area."""
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))  # rows of equal score come together
    right = np.cumsum(np.where(is_true, weight, 0.0)[order])[last]
    wrong = np.cumsum(np.where(is_true, 0.0, weight)[order])[last]
    found, alarms = (np.insert(part / part[-1], 0, 0.0) for part in (right, wrong))
    area = float(((alarms[1:] - alarms[:-1]) * (found[1:] + found[:-1])).sum() / 2)
    precision = right / (right + wrong)
    average = float((np.diff(found) * precision).sum())
    place = np.empty(len(score), np.int64)
    place[order] = np.repeat(np.arange(len(last)), np.diff(last, prepend=-1))
    # for each row the share of the other class that it is ranked before, or by a true one behind
    beats_wrong = 1 - (alarms[1:] + alarms[:-1]) / 2
    behind_right = (found[1:] + found[:-1]) / 2
    share = is_true.mean()
    variance = [
        float(np.average((part - area) ** 2, weights=weight[rows])) / max(1.0, n_rows * of - 1)
        for part, rows, of in (
            (beats_wrong[place[is_true]], is_true, share),
            (behind_right[place[~is_true]], ~is_true, 1 - share),
        )
    ]
    roc = Curve(*_thinned(alarms, found), area)
    return (
        roc,
        Curve(*_thinned(found, np.insert(precision, 0, precision[0])), average),
        float(np.sqrt(sum(variance))),
    )


def _thinned(x: Array, y: Array) -> tuple[list[float], list[float]]:
    """Keep so many points of a curve as can be seen, its ends among them."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).astype(np.int64))
    return np.round(x[kept], 6).tolist(), np.round(y[kept], 6).tolist()


def _middle(numbers: Sequence[float]) -> Interval:
    low, high = np.quantile(np.asarray(numbers), [0.025, 0.975]).tolist()
    return low, high


def _mean(each: Array, weight: Array, n_rows: float) -> tuple[float, Interval]:
    """Give the mean of numbers that are not negative, and its interval."""
    mean = float(np.average(each, weights=weight))
    half = Z * float(np.sqrt(np.average((each - mean) ** 2, weights=weight) / n_rows))
    return mean, (max(0.0, mean - half), mean + half)


# ---- numbers -----------------------------------------------------------------------------------------------


def number_figures(
    truth: Any, predicted: ArrayLike, sample_weight: ArrayLike | None = None, *, on: str = "rows"
) -> Evaluation:
    """Compare predicted numbers with the true ones.

    Parameters
    ----------
    truth, predicted : array-like of shape (n_rows,)
    sample_weight : array-like or None
    on : str
        Which rows these are, in words.
    """
    said = np.asarray(predicted, np.float64)
    target = read_numbers(truth, len(said))
    given, _ = read_weight(sample_weight, len(said))
    weight = np.ones(len(said)) if given is None else given
    n_rows = float(weight.sum() ** 2 / (weight**2).sum())
    squared, (low, high) = _mean((target - said) ** 2, weight, n_rows)
    absolute, between = _mean(np.abs(target - said), weight, n_rows)
    mean = np.average(target, weights=weight)
    spread = (target - mean) ** 2
    baseline = float(np.average(spread, weights=weight))
    r2 = 1 - squared / baseline if baseline > 0 else float(squared == 0)
    figures = {
        "n_rows": len(said),
        "r2": r2,
        "mean_absolute_error": absolute,
        "root_mean_squared_error": float(np.sqrt(squared)),
        "mean_squared_error": squared,
    }
    intervals: dict[str, Interval] = {
        "mean_absolute_error": between,
        "root_mean_squared_error": (float(np.sqrt(low)), float(np.sqrt(high))),
        "mean_squared_error": (low, high),
    }
    if baseline > 0:
        pulls = ((target - said) ** 2 - (1 - r2) * spread) / baseline  # of each row on the ratio
        half = Z * float(np.sqrt(np.average(pulls**2, weights=weight) / n_rows))
        intervals["r2"] = (r2 - half, min(1.0, r2 + half))
    return Evaluation(figures, intervals, on, residuals=np.column_stack([said, target]))


def evaluate_model(
    model: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, on: str = "rows given"
) -> Evaluation:
    """Judge a fitted model on rows with a known target."""
    predicted = model.predict(X)
    classes = getattr(model, "classes_", None)
    if classes is None:
        return number_figures(y, predicted, sample_weight, on=on)
    proba = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    return class_figures(y, predicted, proba, np.asarray(classes, object).tolist(), sample_weight, on=on)
