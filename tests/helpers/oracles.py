"""The recorded answers of other programs in `tests/oracles/`, and the tables that they are about."""

from __future__ import annotations

import gzip
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

ORACLES = Path(__file__).parent.parent / "oracles"


def load(name: str) -> tuple[pd.DataFrame, pd.Series, dict[str, Any]]:
    """A table with its categories in domain order, its target, and everything recorded about it."""
    record = json.loads((ORACLES / f"{name}.json").read_text())
    path = ORACLES / record["file"]
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    return *_table(text, record), record


@cache
def programs() -> dict[str, Any]:
    """The answers of rpart and Weka's J48, and their tables."""
    return dict(json.loads(gzip.decompress((ORACLES / "programs.json.gz").read_bytes())))


@cache
def program_table(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """A table of those that `programs` is about, and its target."""
    record = programs()["tables"][name]
    return _table(record["text"], record)


def _table(text: str, record: dict[str, Any]) -> tuple[pd.DataFrame, pd.Series]:
    table = pd.read_csv(io.StringIO(text), dtype=str, na_values=[record["missing"]], keep_default_na=False)
    for column, kind in record["columns"].items():
        if kind == "numeric":
            table[column] = table[column].astype(float)
        else:
            table[column] = pd.Categorical(table[column], kind[1], ordered=kind[0] == "ordinal")
    target = table.pop(record["target"])
    return table, target.cat.remove_unused_categories() if target.dtype == "category" else target
