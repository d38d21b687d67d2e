"""Target and sample weights: class labels as codes, numbers as float64, rows of weight zero."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.data.arrays import with_none
from treewright.data.columns import Raw, RawCodes, RawNumbers
from treewright.data.encoding import count_rows, distinct
from treewright.data.frames import read, read_series
from treewright.data.objects import family, missing_objects, typed
from treewright.errors import DataError, DataTypeError, warn

SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-60, 1e30
"""The least weight of a row that has one, and the most of all rows together."""

SMALLEST_NUMBER, LARGEST_NUMBER = 1e-60, 1e60
"""Between these lies the size of the largest number of a target.

Whatever is computed of targets and weights then stays finite and keeps its digits: squared errors, times a
weight, squared again for a standard error.
"""


def read_classes(
    y: Any, n_rows: int, estimator: str = "this estimator", *, declared: bool = False
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Read labels: the classes in order, and the code of each row.

    Plain labels are sorted; a categorical target keeps the order of its categories, without those that no
    row has unless `declared` ones are asked for.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels: text, whole numbers, truth values or categories.
    n_rows : int
        How many there must be.
    estimator : str
        Who asks, for errors.
    declared : bool
        Whether the categories of a categorical target that no row has are classes too.

    Examples
    --------
    >>> read_classes(["b", "a", "b"], 3)
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1], dtype=int32))
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind == "i" and len(y) == n_rows:
        found = _small_labels(y)
        if found is not None:
            return found
    values = _one_column(y, n_rows, estimator)
    if isinstance(values, np.ndarray):
        return _classes_of_array(values, estimator)
    return _classes_of_raw(values, estimator, declared=declared)


def read_numbers(y: Any, n_rows: int, estimator: str = "this estimator") -> NDArray[np.float64]:
    """Read the target of a regression: finite numbers.

    Examples
    --------
    >>> read_numbers([1, 2.5], 2)
    array([1. , 2.5])
    """
    values = _one_column(y, n_rows, estimator)
    if isinstance(values, np.ndarray) and values.dtype.kind not in "biuf":
        values = _typed(values)
    if isinstance(values, RawCodes):
        _refuse_gaps(values.gaps)
        label = values.categories[values.codes[0]]
        if not isinstance(label, (int, float)):
            raise DataError(f"y holds text ({label!r}, row 0): {estimator} needs numbers.")
        values = RawNumbers(np.array(values.categories)[values.codes])
    if isinstance(values, RawNumbers):
        _refuse_gaps(values.gaps)
        values = values.values
    if values.dtype.kind in "mM":
        raise DataError(f"y holds dates or durations: {estimator} needs numbers.")
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    _refuse_not_finite("y", numbers, "Drop these rows or give them a number.")
    _check_size(numbers)
    return numbers


def read_target(
    y: Any, classes: NDArray[Any] | None, n_rows: int, estimator: str = "this estimator"
) -> NDArray[Any]:
    """Read the target of further rows: the codes of known classes, −1 for others, or numbers.

    Parameters
    ----------
    y, n_rows, estimator
        As for `read_classes` and `read_numbers`.
    classes : array or None
        The classes in order; None for regression.

    Examples
    --------
    >>> read_target(["b", "c", "a"], np.array(["a", "b"]), 3)
    array([ 1, -1,  0], dtype=int32)
    """
    if classes is None:
        return read_numbers(y, n_rows, estimator)
    labels, code = read_classes(y, n_rows, estimator)
    known = {label: position for position, label in enumerate(classes.tolist())}
    return np.array([known.get(label, -1) for label in labels.tolist()], np.int32)[code]


def labelled(y: Any) -> NDArray[np.bool_]:
    """Tell which rows of a target have a value.

    Examples
    --------
    >>> labelled(["b", None, "b"])
    array([ True, False,  True])
    """
    values = _one_column(y, None, "this estimator")
    if not isinstance(values, np.ndarray):
        return ~values.gaps
    if values.dtype.kind == "O":
        return ~missing_objects(values.tolist())
    return np.ones(len(values), bool) if values.dtype.kind != "f" else ~np.isnan(values)


def target_rows(y: Any, rows: NDArray[np.int64]) -> NDArray[Any] | Raw:
    """Give some rows of a target, for any reader of targets.

    Examples
    --------
    >>> target_rows(["b", "a", "c"], np.array([0, 2])).tolist()
    ['b', 'c']
    """
    series = read_series("y", y)
    return np.asarray(y)[rows] if series is None else series.take(rows)


def read_weight(
    sample_weight: ArrayLike | None, n_rows: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_] | None]:
    """Read weights, and which rows count where some do not.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,), number or None
    n_rows : int

    Returns
    -------
    weight : float64 (n_rows,) or None
        `None` if every row counts one.
    counts : bool (n_rows,) or None
        Rows of weight above zero, `None` if all are.

    Examples
    --------
    >>> read_weight([1, 0, 2], 3)
    (array([1., 0., 2.]), array([ True, False,  True]))
    >>> read_weight([1, 1, 1], 3)
    (None, None)
    """
    if sample_weight is None:
        return None, None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, float(sample_weight))
    weight = _weights(sample_weight)
    if weight.ndim == 0:
        raise DataTypeError(
            "sample_weight: Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, "
            f"got scalar `{weight!r}` instead."
        )
    if weight.ndim != 1:
        raise DataError(f"Sample weights must be 1D array or scalar, got shape {weight.shape}.")
    if len(weight) != n_rows:
        raise DataError(f"sample_weight has {len(weight)} rows, X has {n_rows}.")
    _refuse_not_finite("sample_weight", weight, "Give every row a finite weight.")
    low, high = weight.min(), weight.max()
    if low < 0:
        rows = np.flatnonzero(weight < 0)
        raise DataError(f"Negative values in data passed to `sample_weight`: {count_rows(rows)}.")
    if high == 0:
        raise DataError("Sample weights must contain at least one non-zero number.")
    if low == high == 1:
        return None, None
    if float(np.sum(weight / LARGEST_WEIGHT)) > 1:
        raise DataError(
            f"the sum of sample_weight is beyond {LARGEST_WEIGHT:g}: divide the weights by {high:g}."
        )
    if low < SMALLEST_WEIGHT:
        rows = np.flatnonzero((weight > 0) & (weight < SMALLEST_WEIGHT))
        if len(rows):
            raise DataError(
                f"sample_weight is below {SMALLEST_WEIGHT:g} and not 0 in {count_rows(rows)}: give these "
                "rows the weight 0, or multiply all weights."
            )
    return weight, weight > 0 if low == 0 else None


def _weights(sample_weight: Any) -> NDArray[np.float64]:
    if isinstance(sample_weight, np.ma.MaskedArray):
        sample_weight = np.ma.filled(sample_weight.astype(np.float64), np.nan)
    try:
        weight = np.asarray(sample_weight)
        if weight.dtype.kind in "biufO":
            return np.asarray(weight, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        pass
    raise DataTypeError("sample_weight must hold one number for each row.")


def _small_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]] | None:
    """Classes of small whole numbers by counting; `None` if they are not small."""
    # For the few rows of a small table `argmax` and `nonzero` take a quarter of the time of `max` and `all`.
    if not len(y) or y[y.argmax()] > len(y) + 1024:
        return None
    try:
        counts = np.bincount(y)
    except ValueError:  # a negative label
        return None
    present = counts.nonzero()[0]
    if len(present) == len(counts):
        return present.astype(y.dtype, copy=False), y.astype(np.int32)
    code = np.zeros(len(counts), dtype=np.int32)
    code[present] = np.arange(len(present))
    return present.astype(y.dtype), code[y]


def _one_column(y: Any, n_rows: int | None, estimator: str) -> NDArray[Any] | Raw:
    """Take the target as one column, of `n_rows`: an array, or the raw values of a frame's column."""
    if y is None:
        raise DataError(f"{estimator} requires y to be passed, but the target y is None")
    values: NDArray[Any] | Raw | None = read_series("y", y)
    if values is None and (hasattr(y, "columns") or hasattr(y, "column_names")):
        table = read(y)
        _refuse_several(table.n_features, estimator)
        warn_of_column_vector()
        values = table.column(0)
    if values is None:
        values = _one_dimension(target_array(y), estimator)
    length = len(values) if isinstance(values, np.ndarray) else len(values.gaps)
    if n_rows is not None and length != n_rows:
        raise DataError(f"y has {length} rows, X has {n_rows}.")
    return values


def target_array(y: Any) -> NDArray[Any]:
    """Take the target as an array; a list of several types keeps them, what is masked is missing."""
    if hasattr(y, "tocsc"):
        raise DataTypeError("sparse multilabel-indicator for y is not supported: pass y.toarray().")
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        return with_none(np.asarray(y), np.ma.getmaskarray(y))
    try:
        values = np.asarray(y)
    except ValueError:
        raise DataError("y should be a 1d array, got rows of different lengths.") from None
    if values.dtype.kind == "U" and isinstance(y, (list, tuple)) and not all(isinstance(v, str) for v in y):
        # NumPy makes text of numbers that stand beside text.
        return np.array(y, dtype=object)
    return values


def _one_dimension(values: NDArray[Any], estimator: str) -> NDArray[Any]:
    if values.ndim == 2:
        _refuse_several(values.shape[1], estimator)
        warn_of_column_vector()
        return values[:, 0]
    if values.ndim != 1:
        raise DataError(f"y should be a 1d array, got an array of shape {values.shape} instead.")
    return values


def _classes_of_array(values: NDArray[Any], estimator: str) -> tuple[NDArray[Any], NDArray[np.int32]]:
    kind = values.dtype.kind
    if kind == "f":
        values = values if values.dtype.itemsize <= 8 else values.astype(np.float64)
        _refuse_not_finite("y", values, "Drop these rows or label them.")
        fractional = np.flatnonzero(values != np.floor(values))
        if len(fractional):
            row = int(fractional[0])
            regressor = (
                estimator.replace("Classifier", "Regressor") if "Classifier" in estimator else "a regressor"
            )
            raise DataError(f"Unknown label type: continuous ({values[row]}, row {row}). Use {regressor}.")
    if kind == "c":
        raise DataError("Complex data not supported: y is complex.")
    if kind == "S":
        raise DataTypeError("Support for labels represented as bytes is not supported: decode y to text.")
    if kind in "iufb":
        classes, codes = distinct(values)
        return classes, codes.astype(np.int32)
    if kind == "U":
        classes, codes = np.unique(values, return_inverse=True)
        return classes, codes.astype(np.int32)
    return _classes_of_raw(_typed(values), estimator, declared=False)


def _classes_of_raw(raw: Raw, estimator: str, *, declared: bool) -> tuple[NDArray[Any], NDArray[np.int32]]:
    _refuse_gaps(raw.gaps)
    if isinstance(raw, RawNumbers):
        if raw.values.dtype.kind in "mM":
            raise DataTypeError("Unknown label type: y holds dates or durations; give classes as text.")
        return _classes_of_array(raw.values, estimator)
    used = (np.bincount(raw.codes, minlength=len(raw.categories)) > 0) | declared
    labels = [category for category, keep in zip(raw.categories, used, strict=True) if keep]
    types = {type(label) for label in labels}
    if types & {np.datetime64, np.timedelta64}:
        raise DataTypeError("Unknown label type: y holds dates or durations; give classes as text.")
    classes = np.array(labels, dtype=object if str in types or len(types) > 1 else None)
    return classes, (np.cumsum(used) - 1)[raw.codes].astype(np.int32)


def _typed(values: NDArray[Any]) -> Raw:
    """Type labels that are objects; several types at once are a mistake."""
    labels = values.tolist()
    _refuse_gaps(missing_objects(labels))
    families = [family(type(label)) for label in labels]
    if "text" in families and len(set(families)) > 1:
        row = next(row for row, name in enumerate(families) if name != families[0])
        first, other = type(labels[0]).__name__, type(labels[row]).__name__
        raise DataTypeError(
            f"y mixes {first} and {other} (row {row}: {labels[row]!r}): give all labels one type."
        )
    return typed("y", labels)


def _refuse_gaps(gaps: NDArray[np.bool_]) -> None:
    rows = np.flatnonzero(gaps)
    if len(rows):
        raise DataError(f"Input y contains NaN: {count_rows(rows)}. Drop these rows or label them.")


def _refuse_not_finite(what: str, values: NDArray[Any], remedy: str) -> None:
    for name, test in (("NaN", np.isnan), ("infinity", np.isinf)):
        rows = np.flatnonzero(test(values))
        if len(rows):
            raise DataError(f"Input {what} contains {name}: {count_rows(rows)}. {remedy}")


def _check_size(numbers: NDArray[np.float64]) -> None:
    """Refuse numbers whose squares overflow, or vanish."""
    if not len(numbers):
        return
    largest = max(abs(float(numbers.max())), abs(float(numbers.min())))
    if largest > LARGEST_NUMBER:
        row = int(np.argmax(np.abs(numbers) > LARGEST_NUMBER))
        raise DataError(
            f"y is beyond ±{LARGEST_NUMBER:g} ({numbers[row]:g}, row {row}): give it in a larger unit."
        )
    if 0 < largest < SMALLEST_NUMBER:
        raise DataError(
            f"y is at most {largest:g} in size, and {SMALLEST_NUMBER:g} is the least: give it in a smaller "
            "unit."
        )


def _refuse_several(n_targets: int, estimator: str) -> None:
    if n_targets != 1:
        raise DataError(
            f"y has {n_targets} columns, and {estimator} takes one target: DecisionTree, RandomForest and "
            "ExtraTrees models take several."
        )


def warn_of_column_vector() -> None:
    """Warn of a target of shape (n, 1), as scikit-learn does."""
    from sklearn.exceptions import DataConversionWarning

    warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
        "(n_samples,), for example using ravel().",
        DataConversionWarning,
    )
