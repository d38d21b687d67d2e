"""Report of a prediction: missing values and unseen categories in the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import MAJORITY, MISSING
from treewright.data.schema import Schema
from treewright.formatting.html_table import html_lines
from treewright.formatting.text import counted, printable


@dataclass(frozen=True)
class PredictionReport:
    """Counts of what was not known in the rows of one `predict`.

    Parameters
    ----------
    n_rows : int
        Rows asked about.
    missing, unseen : mapping of str to int
        By feature, the rows whose value is missing, and those whose category training had not seen; features
        without any are left out.
    first_unseen : mapping of str to int
        By feature, the first row with an unseen category.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright import DecisionTreeClassifier
    >>> pets = pd.DataFrame({"says": ["meow", "woof", "woof"], "age": [3.0, 2.0, 9.0]})
    >>> model = DecisionTreeClassifier().fit(pets, ["cat", "dog", "dog"])
    >>> new = pd.DataFrame({"says": ["moo", "meow"], "age": [None, 4.0]})
    >>> labels, report = model.predict(new, return_report=True)
    >>> print(report)
    2 rows
    says: 1 row with an unseen category (first 0)
    age: 1 row with a missing value
    """

    n_rows: int
    missing: Mapping[str, int] = field(default_factory=dict)
    unseen: Mapping[str, int] = field(default_factory=dict)
    first_unseen: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Schema, numbers: NDArray[np.float64], codes: NDArray[np.int32]) -> PredictionReport:
        """Count rows encoded with `unseen="majority"`, which tells unseen categories from missing ones."""
        missing, unseen, first = {}, {}, {}
        for feature, column in enumerate(schema.columns):
            at = schema.position[feature]
            if column.kind == "categorical":
                gaps, strangers = codes[:, at] == MISSING, codes[:, at] == MAJORITY
                if strangers.any():
                    unseen[column.name] = int(strangers.sum())
                    first[column.name] = int(strangers.argmax())
            else:
                gaps = np.isnan(numbers[:, at])
            if gaps.any():
                missing[column.name] = int(gaps.sum())
        return cls(len(numbers), missing, unseen, first)

    def to_dict(self) -> dict[str, Any]:
        """Give the counts as plain values."""
        return {
            "n_rows": self.n_rows,
            "missing": dict(self.missing),
            "unseen": dict(self.unseen),
            "first_unseen": dict(self.first_unseen),
        }

    def _repr_html_(self) -> str:
        return html_lines(str(self))

    def __str__(self) -> str:
        lines = [counted(self.n_rows, "row")]
        for name in dict.fromkeys([*self.unseen, *self.missing]):
            parts = []
            if name in self.unseen:
                rows = counted(self.unseen[name], "row")
                parts.append(f"{rows} with an unseen category (first {self.first_unseen[name]})")
            if name in self.missing:
                parts.append(f"{counted(self.missing[name], 'row')} with a missing value")
            lines.append(f"{printable(name)}: " + ", ".join(parts))
        return "\n".join(lines)
