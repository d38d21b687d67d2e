"""The bundled tables: their shapes, kinds and orders, in every kind of frame."""

from __future__ import annotations

import importlib.util
from typing import Any

import pandas as pd
import polars as pl
import pytest

from treewright import datasets

SHAPES = {
    "cars": (15, 4),
    "iris": (150, 4),
    "labor": (57, 16),
    "mpg": (398, 7),
    "mushrooms": (5, 3),
    "tennis": (14, 4),
    "votes": (435, 16),
}


def loader(name: str) -> Any:
    return getattr(datasets, f"load_{name}")


def test_every_loader_is_public_and_tested() -> None:
    assert sorted(datasets.__all__) == [f"load_{name}" for name in SHAPES]


@pytest.mark.parametrize("name", SHAPES)
def test_every_frame_holds_the_same_cells(name: str) -> None:
    rows, labels = loader(name)(frame="rows")
    assert (len(rows), len(rows[0])) == SHAPES[name]
    assert len(labels) == len(rows)
    for frame in ("pandas", "polars"):
        table, target = loader(name)(frame=frame)
        assert table.shape == SHAPES[name]
        for j, column in enumerate(table.columns):
            cells = [None if pd.isna(cell) else cell for cell in table[column].to_list()]
            assert cells == [row[j] for row in rows], column
        assert target.to_list() == labels


@pytest.mark.parametrize("name", SHAPES)
def test_numbers_are_floats_and_texts_are_categories(name: str) -> None:
    table, _ = loader(name)(frame="pandas")
    polars, _ = loader(name)(frame="polars")
    for column in table.columns:
        if isinstance(table[column].dtype, pd.CategoricalDtype):
            assert isinstance(polars[column].dtype, pl.Enum)
            assert list(table[column].cat.categories) == polars[column].dtype.categories.to_list()
        else:
            assert table[column].dtype == "float64"
            assert polars[column].dtype == pl.Float64


def test_categories_keep_the_order_of_the_books() -> None:
    X, y = datasets.load_tennis(frame="pandas")
    assert list(X["Outlook"].cat.categories) == ["Sunny", "Overcast", "Rain"]
    assert list(y.cat.categories) == ["No", "Yes"]
    _, y = datasets.load_mushrooms(frame="pandas")
    assert list(y.cat.categories) == ["toxic", "edible"]


def test_the_noisy_day_is_the_fifteenth() -> None:
    clean, _ = datasets.load_tennis(frame="rows")
    rows, labels = datasets.load_tennis(noisy=True, frame="rows")
    assert rows[:14] == clean
    assert (rows[14], labels[14]) == (["Sunny", "Hot", "Normal", "Strong"], "No")


def test_missing_cells_are_where_the_sources_have_them() -> None:
    assert datasets.load_labor(frame="pandas")[0].isna().sum().sum() == 326
    assert datasets.load_votes(frame="pandas")[0].isna().any(axis=1).sum() == 203
    assert datasets.load_mpg(frame="pandas")[0].isna().sum().to_dict()["horsepower"] == 6


def test_an_unknown_frame_is_refused() -> None:
    with pytest.raises(ValueError, match=r"frame is 'excel', but must be one of 'auto', 'pandas'"):
        datasets.load_iris(frame="excel")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("installed", "expected"), [({"pandas"}, pd.DataFrame), ({"polars"}, pl.DataFrame), (set(), list)]
)
def test_auto_takes_what_is_installed(
    installed: set[str], expected: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(datasets, "find_spec", lambda name: find(name) if name in installed else None)
    X, _ = datasets.load_tennis()
    assert isinstance(X, expected)
