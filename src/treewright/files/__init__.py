"""Data files: CSV, Parquet, JSON, ARFF, C4.5 and Arrow, read by DuckDB, with column types guessed.

`sources` finds and unpacks what a user names, `staging` reads it into the one table of a `workspace`,
`staged_table` is what is known of that, `kinds` decides what each column is. `delimited`, `arff`, `c45_names`
and `arrow` know the forms, `declared_columns` is what two of them have in common; `formula` reads
`y ~ . - id`; `output` writes tables.
"""

from typing import TYPE_CHECKING

from treewright._module_names import loaded_when_asked_for

if TYPE_CHECKING:
    from treewright.files.formula import Formula, parse_formula
    from treewright.files.kinds import Choices, Reading, as_at_fit, guess
    from treewright.files.staged_table import Staged, TextOptions
    from treewright.files.table import Table
    from treewright.files.workspace import Workspace, read_table

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
    "read_table",
]

__getattr__ = loaded_when_asked_for(
    __name__,
    {
        "Formula": "treewright.files.formula",
        "parse_formula": "treewright.files.formula",
        "Choices": "treewright.files.kinds",
        "Reading": "treewright.files.kinds",
        "as_at_fit": "treewright.files.kinds",
        "guess": "treewright.files.kinds",
        "Staged": "treewright.files.staged_table",
        "TextOptions": "treewright.files.staged_table",
        "Table": "treewright.files.table",
        "Workspace": "treewright.files.workspace",
        "read_table": "treewright.files.workspace",
    },
)
