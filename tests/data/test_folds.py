"""Holdout sets and folds of cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.data import Dataset
from treewright.data.folds import aside_mask, by_name, fold_numbers, folds_by_content, holdout_split
from treewright.estimators.presets.cp_table import folds_of_rows
from treewright.evaluation import cross_validate

Y = list("babbacbbcaabcabbaacb")
X = pd.DataFrame({"x": [at % 7 for at in range(20)], "z": [str(at % 3) for at in range(20)]})


def declared(classes: str, categories: str) -> Dataset:
    """The table with its classes and categories in an order."""
    table = X.assign(z=pd.Categorical(X["z"], list(categories)))
    return Dataset.from_table(table, pd.Categorical(Y, list(classes)), task="classification")


@pytest.mark.parametrize("classes", ["abc", "cab", "bca", "cba"])
@pytest.mark.parametrize("categories", ["012", "210", "120"])
@pytest.mark.parametrize("seed", [0, 7])
def test_folds_do_not_hang_on_the_order_in_which_classes_are_declared(
    classes: str, categories: str, seed: int
) -> None:
    usual, other = declared("abc", "012"), declared(classes, categories)
    assert list(other.schema.classes) == list(classes)
    all_used = np.ones(20, bool)
    for folds in (fold_numbers, folds_by_content):
        assert folds(other, 4, seed).tolist() == folds(usual, 4, seed).tolist()
    assert folds_of_rows(4, other, all_used).tolist() == folds_of_rows(4, usual, all_used).tolist()
    parts = [holdout_split(dataset, 1 / 3, seed)[1].numbers.tolist() for dataset in (usual, other)]
    assert parts[0] == parts[1]


@pytest.mark.parametrize("names", [[True, "a", 3], [2.5, "2.5", 1], ["b", None, "a"]])
def test_names_of_several_kinds_have_an_order(names: list[Any]) -> None:
    codes = np.array([0, 1, 2, -1, 2], np.int32)
    there = by_name(names, codes)
    back = by_name(names[::-1], np.where(codes < 0, codes, 2 - codes))
    assert there.tolist() == back.tolist()
    assert sorted(there[:3]) == [0, 1, 2]
    assert there[3] == -1


def test_a_model_is_judged_alike_from_a_file_and_from_memory() -> None:
    frame, y = (
        tw.datasets.load_labor()
    )  # whose categories and classes stand in the order of their description
    errors = {
        tw.fit(frame, target, folds=5).evaluation.evaluation.error  # type: ignore[union-attr]
        for target in (y, y.astype(str), y.cat.reorder_categories(["bad", "good"]))
    }
    assert len(errors) == 1


def test_every_class_keeps_a_row_to_learn_from() -> None:
    codes = by_name(["z", "a"], np.array([0, 0, 0, 0, 0, 1]))
    aside = aside_mask(6, codes, 0.5, 0)
    assert set(codes[~aside]) == {0, 1}


@pytest.mark.parametrize("n_folds", [1, 0, -3])
def test_fewer_than_two_folds_are_refused(n_folds: int) -> None:
    with pytest.raises(ValueError, match=f"n_folds must be at least 2, got {n_folds}"):
        cross_validate(tw.DecisionTreeClassifier(), X[["x"]], Y, n_folds=n_folds)
    if n_folds:
        with pytest.raises(ValueError, match=f"folds={n_folds} leaves no rows to learn from"):
            tw.fit(X, Y, folds=n_folds)
