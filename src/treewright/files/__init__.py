"""Files: tables of every common form, read by DuckDB, with columns guessed from all their values.

`sources` finds and unpacks what a user names, `workspace` stages it as one table and reads columns of that,
`kinds` decides what each column is. `delimited`, `arff` and `c45_names` know the text forms, `declared` is
what the latter two have in common; `formula` reads `y ~ . - id`; `output` writes tables.
"""

from treewright.files.formula import Formula, parse_formula
from treewright.files.kinds import Choices, Reading, as_at_fit, guess
from treewright.files.table import Table
from treewright.files.workspace import Staged, TextOptions, Workspace

__all__ = [
    "Choices",
    "Formula",
    "Reading",
    "Staged",
    "Table",
    "TextOptions",
    "Workspace",
    "as_at_fit",
    "guess",
    "parse_formula",
]
