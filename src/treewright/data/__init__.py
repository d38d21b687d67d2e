"""Data: tables of any kind as columns of numbers and codes, under a schema that remembers what they were.

`dataset` reads a table to learn from, `schema` encodes further rows of it. Below them `arrays` and `frames`
read raw columns, `objects` types columns of Python objects, `encoding` stores a column as numbers or codes,
`predicates` works out features of the user's own, `times` counts dates and durations, `target` reads labels
and weights, `schema_json` is the form in files.
"""

from __future__ import annotations

from treewright.data.columns import Column
from treewright.data.dataset import Dataset
from treewright.data.schema import Schema

__all__ = ["Column", "Dataset", "Schema"]
