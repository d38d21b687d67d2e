"""Random tables and settings on which rpart and CART(compat="rpart") are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from seeds import FRESH


@dataclass
class Case:
    """A random table with random settings."""

    rows: pd.DataFrame
    fresh: pd.DataFrame
    target: pd.Series
    kinds: dict[str, str]
    levels: dict[str, list[str]]
    method: str
    weight: np.ndarray
    fold: np.ndarray
    control: dict[str, Any]
    parms: dict[str, Any] = field(default_factory=dict)
    cost: list[float] | None = None
    weighted: bool = False
    time: np.ndarray | None = None

    def settings(self) -> str:
        """All that was drawn besides the table, in a line."""
        given = [name for name in ("prior", "loss", "shrink") if name in self.parms]
        given += ["cost"] * (self.cost is not None) + ["weights"] * self.weighted
        given += ["time"] * (self.time is not None)
        rule = self.parms.get("split", self.method)
        control = " ".join(f"{name}={value}" for name, value in self.control.items())
        return f"{self.rows.shape[0]} × {self.rows.shape[1]}, {rule} {' '.join(given)} {control}"


def draw_case(seed: int, n_rows: int | None = None) -> Case:
    """Draw a table and settings: two rows to a thousand, one column to eight, two classes to 25."""
    draw = np.random.default_rng(seed)
    n = n_rows or int(draw.choice([2, 3, 5, 8, 12, 20, 30, 60, 150, 400, 1000]))
    method = str(draw.choice(["class", "class", "anova", "poisson"]))
    n_classes = int(draw.choice([2, 2, 3, 5, 19, 25])) if method == "class" else 0
    values, kinds = draw_values(draw, n + FRESH, n_classes)
    rank = values.iloc[:n].rank().fillna(0).sub(n / 2) / n
    signal = rank.iloc[:, 0] * 2 + rank.iloc[:, len(kinds) // 2] * np.sign(rank.iloc[:, -1] - 0.1)
    signal += draw.normal(0, float(draw.choice([0, 0.1, 0.5, 1])), n)
    target = draw_target(draw, method, n_classes, signal)
    rows, levels = with_levels(draw, values, kinds, n)
    lose_values(draw, rows, n)
    whole = draw.random() < 0.7
    weight = draw.integers(1, 4, n).astype(float) if whole else draw.integers(1, 64, n) / 8
    n_folds = min(5, n)
    fold = draw.integers(1, n_folds + 1, n)
    fold[:n_folds] = range(1, n_folds + 1)
    control = draw_control(draw)
    if n_rows:
        control |= {"minsplit": 200, "minbucket": 70, "cp": 0.001}
    known = target.cat.categories if method == "class" else []
    return Case(
        rows.iloc[:n].reset_index(drop=True),
        rows.iloc[n:].reset_index(drop=True),
        target,
        kinds,
        levels,
        method,
        weight,
        fold,
        control,
        draw_parms(draw, method, len(known)),
        (draw.integers(1, 5, len(kinds)) / 2).tolist() if draw.random() < 0.2 else None,
        bool(draw.random() < 0.3),
        draw.integers(1, 20, n) / 4 if method == "poisson" and draw.random() < 0.3 else None,
    )


def draw_values(draw: np.random.Generator, n: int, n_classes: int) -> tuple[pd.DataFrame, dict[str, str]]:
    """Draw one to eight features, as numbers, and their kinds.

    Numbers of every size, small whole numbers, categories, ordered ones, copies of others, a constant, or
    nothing at all; up to 52 categories where rpart need not try every grouping of them.
    """
    columns: dict[str, np.ndarray] = {}
    kinds: dict[str, str] = {}
    for j in range(int(draw.choice([1, 2, 3, 4, 5, 6, 8]))):
        kind, name = str(draw.choice(list("nnnniiffoowcmdd"))), f"x{j}"
        if kind == "d" and j:
            copied = f"x{int(draw.integers(j))}"
            columns[name], kinds[name] = columns[copied].copy(), kinds[copied]
            near = kinds[name] == "numeric" and draw.random() < 0.5
            columns[name] += draw.normal(0, 0.3, n).round(2) if near else 0
            continue
        kinds[name] = {"f": "categorical", "w": "categorical", "o": "ordinal"}.get(kind, "numeric")
        if kind == "i":
            columns[name] = draw.integers(0, int(draw.integers(2, 30)), n).astype(float)
        elif kind == "c":
            columns[name] = np.full(n, float(draw.integers(0, 3)))
        elif kind == "m":
            columns[name] = np.full(n, np.nan)
        elif kinds[name] == "numeric":
            size = float(draw.choice([1, 1, 1e-3, 1e4]))
            columns[name] = draw.normal(size=n).round(int(draw.integers(0, 7))) * size
        else:
            many = kind == "w" and n_classes <= 2
            most = int(draw.integers(2, 53)) if many else int(draw.integers(1, 9))
            columns[name] = draw.integers(0, most, n).astype(float)
    return pd.DataFrame(columns), kinds


def draw_target(draw: np.random.Generator, method: str, n_classes: int, signal: pd.Series) -> pd.Series:
    """Give bands of the signal or classes, some rare, rounded numbers, or counts; some are missing."""
    n = len(signal)
    if method == "class":
        band = np.digitize(signal, np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]))
        if draw.random() < 0.3:
            band = draw.choice(n_classes, n, p=draw.dirichlet(np.full(n_classes, 0.4)))
        found, code = np.unique(band, return_inverse=True)
        target = pd.Series(pd.Categorical.from_codes(code, [f"c{i}" for i in range(len(found))]))
    elif method == "anova":
        size, shift = float(draw.choice([1, 10, 1e5])), float(draw.choice([0, 0, 1e6]))
        target = (signal * size + shift).round(int(draw.choice([0, 2, 6])))
    else:
        rate = np.exp(np.clip(signal + draw.choice([-1, 0, 2]), -4, 4))
        target = pd.Series(draw.poisson(rate) / float(draw.choice([1, 1, 1, 3])))
        target.iloc[0] = 1.0
    if draw.random() < 0.1:  # not of the first of a class, so that each stays
        gone = target.duplicated() & (draw.random(n) < 0.2)
        target[gone] = np.nan
    return target


def with_levels(
    draw: np.random.Generator, values: pd.DataFrame, kinds: dict[str, str], n: int
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Name the categories; some of which only new rows have."""
    rows, levels = pd.DataFrame(index=values.index), {}
    for name, kind in kinds.items():
        if kind == "numeric":
            rows[name] = values[name].astype(float)
            continue
        most, spare = int(values[name].max()) + 1, int(draw.choice([0, 0, 1, 2]))
        place = np.sort(draw.choice(most + spare, most, replace=False))
        code = place[values[name].astype(int)]
        code[n:] = draw.integers(0, most + spare, len(code) - n)
        levels[name] = [f"l{i}" for i in range(most + spare)]
        rows[name] = pd.Categorical.from_codes(code, levels[name], ordered=kind == "ordinal")
    return rows, levels


def lose_values(draw: np.random.Generator, rows: pd.DataFrame, n: int) -> None:
    """Lose values of the new rows and, in two of three tables, of all."""
    everywhere = draw.random() < 0.7
    for name in rows:
        share = draw.choice([0, 0.05, 0.3, 0.7]) if everywhere else 0.3
        rows.loc[(draw.random(len(rows)) < share) & (everywhere | (rows.index >= n)), name] = np.nan


def draw_control(draw: np.random.Generator) -> dict[str, Any]:
    """Draw the arguments of `rpart.control`."""
    return {
        "minsplit": int(draw.choice([1, 2, 3, 5, 20])),
        "cp": float(draw.choice([-1, 0, 0.001, 0.01, 0.05])),
        "maxcompete": int(draw.choice([0, 1, 2, 4, 9])),
        "maxsurrogate": int(draw.choice([0, 1, 2, 3, 5, 9])),
        "usesurrogate": int(draw.choice([0, 1, 2, 2])),
        "surrogatestyle": int(draw.choice([0, 1])),
        "maxdepth": int(draw.choice([1, 2, 3, 8, 30])),
        "minbucket": int(draw.choice([1, 2, 3, 7])),
    }


def draw_parms(draw: np.random.Generator, method: str, n_classes: int) -> dict[str, Any]:
    """Draw rpart's `parms`."""
    if method != "class":
        shrinks = method == "poisson" and draw.random() < 0.3
        return {"shrink": float(draw.choice([0, 0.5, 2]))} if shrinks else {}
    parms: dict[str, Any] = {"split": str(draw.choice(["gini", "information"]))}
    if draw.random() < 0.25:
        share = draw.integers(1, 9, n_classes) / 8
        share = np.maximum(np.round(share / share.sum() * 64), 1) / 64
        share[-1] = 1 - share[:-1].sum()
        if share[-1] > 0:
            parms["prior"] = share.tolist()
    if n_classes > 1 and draw.random() < 0.25:
        loss = draw.integers(1, 6, (n_classes, n_classes)).astype(float)
        np.fill_diagonal(loss, 0)
        parms["loss"] = loss
    return parms
