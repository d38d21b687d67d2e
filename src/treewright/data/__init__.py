"""Tables as columns of numbers and codes, with a schema of names, kinds, categories and classes.

`dataset` reads a table to learn from, `schema` encodes further rows of it. Below them `arrays` and `frames`
read raw columns, `objects` types columns of Python objects, `encoding` stores a column as numbers or codes,
`predicates` works out features of the user's own, `times` counts dates and durations, `target` reads labels
and weights, `folds` parts a dataset in training and held-out rows.
"""

from __future__ import annotations

from treewright.data.columns import Column
from treewright.data.dataset import Dataset
from treewright.data.schema import Schema

__all__ = ["Column", "Dataset", "Schema"]
