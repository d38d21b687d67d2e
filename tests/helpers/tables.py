"""Tables for the tests: small ones drawn so that ties abound, large ones that take the core's fast paths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from treewright import criteria
from treewright.data import Dataset

from_codes: Any = pd.Categorical.from_codes  # the stubs of pandas want an Index where a list will do

# Fourteen days, a table of text, truth values and numbers; was tennis played?
TENNIS = pd.DataFrame(
    {
        "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"] * 2,
        "windy": [False, True, False, False, False, True, True] * 2,
        "humidity": [85.0, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91],
    }
)
PLAY = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]


@dataclass(frozen=True)
class Rows:
    """A table before it becomes a Dataset, so that a test may change its rows and columns first."""

    X: pd.DataFrame
    y: Any
    weight: Any
    task: Any

    def dataset(self) -> Dataset:
        ordinal = [name for name in self.X.columns if getattr(self.X[name].dtype, "ordered", False)]
        return Dataset.from_table(
            self.X, self.y, task=self.task, sample_weight=self.weight, ordinal_features=ordinal or None
        )

    def take(self, rows: Any, weight: Any = None) -> Rows:
        """The rows with these numbers, in this order, with their own or with new weights."""
        if weight is None and self.weight is not None:
            weight = self.weight[rows]
        return replace(self, X=self.X.iloc[rows].reset_index(drop=True), y=self.y[rows], weight=weight)


@st.composite
def small_rows(
    draw: st.DrawFn, criterion: str, weighted: bool = True, max_rows: int = 18, holes: int | None = None
) -> Rows:
    """Few rows and few distinct values: numbers, categories, ordinals; now and then missing or weighted."""
    n = draw(st.integers(2, max_rows))
    if holes is None:
        holes = draw(st.sampled_from([0, 0, 1, 3]))
    columns: dict[str, Any] = {}
    for kind in draw(st.sampled_from(["n", "c", "nc", "cn", "no", "nnc", "cco", "ncc"])):
        codes = np.array(draw(st.lists(st.integers(-holes, 4), min_size=n, max_size=n)))
        if kind == "n":
            column: Any = np.where(codes < 0, np.nan, codes * 0.75 - 1)
        else:
            column = from_codes(np.maximum(codes, -1), list("pqrst"), ordered=kind == "o")
        columns[f"{kind}{len(columns)}"] = column
    weights = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 3.0]), min_size=n, max_size=n).filter(any)
    weight = draw(st.one_of(st.none(), weights.map(np.array))) if weighted else None
    task = "classification" if criterion in criteria.CLASSIFICATION else "regression"
    return Rows(pd.DataFrame(columns), draw(targets(criterion, n)), weight, task)


@st.composite
def targets(draw: st.DrawFn, criterion: str, n: int) -> Any:
    """Two to four classes, or small whole numbers."""
    if criterion in criteria.CLASSIFICATION:
        n_classes = draw(st.sampled_from([2, 2, 3, 4]))
        return from_codes(
            draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)), list("abcd")[:n_classes]
        )
    low = 0 if criterion == "poisson" else -4
    values = st.lists(st.integers(low, 4), min_size=n, max_size=n)
    return np.array(draw(values.filter(any) if criterion == "poisson" else values), dtype=float)


def large_table(
    n: int, task: str, *, seed: int = 0, n_classes: int = 2, weighted: bool = False, missing: bool = False
) -> Dataset:
    """Numbers with many and with few distinct values, two-valued columns, categories; a target with noise."""
    random = np.random.default_rng(seed)
    signal = random.normal(size=n)
    columns: dict[str, Any] = {
        "continuous": signal + random.normal(size=n),
        "rounded": np.round(signal + random.normal(size=n), 1),
        "binary": (signal + random.normal(size=n) > 0.5).astype(float),
        "constant": np.ones(n),
        "skewed": np.exp(3 * random.normal(size=n)),
        "huge": 1e15 + random.integers(0, 40, n),
        "category": from_codes(
            np.clip(np.round(3 * signal + 8 + random.normal(size=n)), 0, 11).astype(int), list("abcdefghijkl")
        ),
    }
    if missing:
        for name in ("continuous", "rounded", "binary"):
            columns[name][random.random(n) < 0.1] = np.nan
    noisy = signal + 0.5 * np.sin(3 * columns["skewed"]) + random.normal(size=n)
    if task == "classification":
        target: Any = np.digitize(noisy, np.quantile(noisy, np.linspace(0, 1, n_classes + 1)[1:-1]))
    else:
        target = noisy - noisy.min() if task == "poisson" else noisy
    return Dataset.from_table(
        pd.DataFrame(columns),
        target,
        task="classification" if task == "classification" else "regression",
        sample_weight=random.integers(0, 4, n) + random.integers(0, 2, n) / 4 if weighted else None,
    )


def golf() -> tuple[pd.DataFrame, list[str]]:
    """Quinlan's training set (1993, table 2.1), with the outlooks and classes that the gain is made of."""
    outlook = ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5
    windy = [True, True, False, False, False, True, False, True, False, True, True, False, False, False]
    humidity = [70, 90, 85, 95, 70, 90, 78, 65, 75, 80, 70, 80, 80, 96]
    temperature = [75, 80, 85, 72, 69, 72, 83, 64, 81, 71, 65, 75, 68, 70]
    play = ["Play", "Don't", "Don't", "Don't", "Play", "Play", "Play", "Play", "Play"]
    play += ["Don't", "Don't", "Play", "Play", "Play"]
    columns = {"outlook": outlook, "temperature": temperature, "humidity": humidity, "windy": windy}
    return pd.DataFrame(columns), play
