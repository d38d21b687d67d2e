"""Holdout sets and cross-validation folds of a dataset, drawn at random and stratified by class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.dataset import Dataset
from treewright.data.fingerprint import row_hashes
from treewright.errors import DataError


def holdout_split(dataset: Dataset, share: float, seed: int) -> tuple[Dataset, Dataset]:
    """Part a dataset in two, at random and with the classes in the same shares: the rest, and the share.

    Examples
    --------
    >>> dataset = Dataset.from_table([[n] for n in range(9)], list("aaabbbccc"), task="classification")
    >>> rest, third = holdout_split(dataset, 1 / 3, seed=0)
    >>> sorted(third.target.tolist()), len(rest)
    ([0, 1, 2], 6)
    """
    aside = aside_mask(len(dataset), _classes_of(dataset), share, seed)
    return dataset.take(~aside), dataset.take(aside)


def aside_mask(n_rows: int, classes: NDArray[Any] | None, share: float, seed: int) -> NDArray[np.bool_]:
    """Draw the rows to hold out, with the classes, if there are any, in the same shares."""
    place = np.empty(n_rows, np.int64)
    place[_mixed_order(n_rows, classes, seed)] = np.arange(n_rows)
    aside = np.floor((place + 1) * share + 1e-9) > np.floor(place * share + 1e-9)
    if classes is not None and aside.any():  # a class that is held out altogether could not be learned
        sizes = np.bincount(classes)
        lost = sizes == np.bincount(classes[aside], minlength=len(sizes))
        first = np.unique(classes, return_index=True)[1]
        aside[first[lost[classes[first]]]] = False
        if not aside.any():
            spare = np.flatnonzero(sizes[classes] > 1)
            aside[spare[np.argsort(place[spare])[-1:]]] = True
    if not aside.any() or aside.all():
        raise DataError(
            f"{n_rows} rows are too few to keep a share of {share:.2g} aside for pruning: "
            "add rows, change holdout, or use a pruner that needs none."
        )
    return np.asarray(aside)


def fold_numbers(dataset: Dataset, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Give each row a fold, at random and with the classes in the same shares in all folds.

    Examples
    --------
    >>> dataset = Dataset.from_table([[n] for n in range(6)], list("aaabbb"), task="classification")
    >>> folds = fold_numbers(dataset, 3, seed=0)
    >>> sorted(folds[:3].tolist()), sorted(folds[3:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    if n_folds > len(dataset):
        raise DataError(f"{len(dataset)} rows cannot be parted in {n_folds} folds: use fewer.")
    folds = np.empty(len(dataset), np.int64)
    folds[_mixed_order(len(dataset), _classes_of(dataset), seed)] = np.arange(len(dataset)) % n_folds
    return folds


def folds_by_content(dataset: Dataset, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Give each row a fold by what it holds, with the classes in the same shares in all folds.

    Rows that are the same share a fold, so that none is judged by a model that has seen its like, and neither
    the order of the rows nor a weight in place of repeated rows changes anything. Where a table is of few
    distinct rows, each on average there for every fold, all folds have some of each: else none would know
    the rows it is judged by.

    Examples
    --------
    >>> dataset = Dataset.from_table([[1], [2], [1], [3]], list("aaab"), task="classification")
    >>> folds = folds_by_content(dataset, 2, seed=0)
    >>> bool(folds[0] == folds[2]), bool(folds[0] != folds[1])
    (True, True)
    """
    first, row = same_rows(dataset, seed)
    classes = _classes_of(dataset)
    order = np.arange(len(first)) if classes is None else np.argsort(classes[first], kind="stable")
    place = np.empty(len(first), np.int64)
    place[order] = np.arange(len(first))
    if n_folds * len(first) > len(dataset):
        return place[row] % n_folds
    folds = np.empty(len(dataset), np.int64)
    folds[np.argsort(place[row], kind="stable")] = np.arange(len(dataset)) % n_folds
    return folds


def folds_by_number(rows: NDArray[np.int64], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Give rows a fold by their numbers in the table, by chance and whatever other rows there are.

    So a table that is never in memory as a whole has folds, however it is cut into parts: those of a hash of
    seed and number (Steele, Lea & Flood, 2014).

    Examples
    --------
    >>> folds = folds_by_number(np.arange(3000), 3, seed=0)
    >>> bool(np.bincount(folds).min() > 900)
    True
    >>> bool((folds_by_number(np.arange(1000, 1010), 3, seed=0) == folds[1000:1010]).all())
    True
    """
    mixed = rows.astype(np.uint64) + np.uint64((seed * 0x9E3779B97F4A7C15 + 1) % 2**64)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray((mixed ^ (mixed >> np.uint64(31))) % np.uint64(n_folds), np.int64)


def same_rows(dataset: Dataset, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find rows that are the same: the first of each kind, ordered by content, and the kind of each row."""
    kinds = [column for column in dataset.schema.columns if column.kind == "categorical"]
    codes = [by_name(column.categories, own) for column, own in zip(kinds, dataset.codes.T, strict=True)]
    classes = _classes_of(dataset)
    columns = [*dataset.numbers.T, *codes, dataset.target if classes is None else classes]
    hashes = row_hashes(columns, len(dataset), seed)
    _, first, kind = np.unique(hashes, return_index=True, return_inverse=True)
    return first, kind


def each_fold(dataset: Dataset, folds: NDArray[np.int64]) -> Iterator[tuple[Dataset, Dataset]]:
    """Go over the folds: all rows but the fold's, and the fold's."""
    for fold in np.unique(folds):
        yield dataset.take(folds != fold), dataset.take(folds == fold)


def by_name(names: Sequence[Any] | NDArray[Any], codes: NDArray[Any]) -> NDArray[Any]:
    """Number classes or categories in the order of their names, not in which they are declared.

    Examples
    --------
    >>> by_name(["good", "bad"], np.array([0, 1, 0, -1], np.int32))
    array([ 1,  0,  1, -1], dtype=int32)
    """
    given = list(names)
    try:
        order = sorted(range(len(given)), key=given.__getitem__)
    except TypeError:  # of several kinds
        order = sorted(range(len(given)), key=lambda at: (type(given[at]).__name__, str(given[at])))
    if order == list(range(len(given))):
        return codes
    place = np.empty(len(given), codes.dtype)
    place[order] = np.arange(len(given))
    return np.where(codes < 0, codes, place[codes])


def _classes_of(dataset: Dataset) -> NDArray[Any] | None:
    classes, target = dataset.schema.classes, dataset.target
    return None if classes is None or target is None else by_name(classes, target)


def _mixed_order(n_rows: int, classes: NDArray[Any] | None, seed: int) -> NDArray[np.int64]:
    """Rows in random order, class by class."""
    draw = np.random.default_rng(seed).random(n_rows)
    return np.argsort(draw) if classes is None else np.lexsort((draw, classes))
