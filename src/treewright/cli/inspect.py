"""`treewright inspect`: what a table or a model file holds."""

from __future__ import annotations

from typing import Any

from treewright.cli.options import DataOptions, kind_options, screen_of, table_command, taken
from treewright.cli.screen import Screen
from treewright.data.column_summary import column_line
from treewright.files.kinds import guess
from treewright.files.workspace import Workspace
from treewright.fitting.report import performance_section
from treewright.fitting.training_table import stage
from treewright.formatting.performance import folds_text
from treewright.formatting.text import counted

EPILOG = """\b
Examples:
  treewright inspect iris.csv
  treewright inspect 'sales-*.parquet' --json
  treewright inspect iris.tw"""

MOST_LINES = 500
"""Columns that are shown."""

MODEL = b'{"__metadata__":{"format":"treewright"'
SIGNS = {"\t": "tab", ",": "comma", ";": "semicolon", " ": "blank", "|": "pipe"}


@table_command(
    "inspect",
    EPILOG,
    kind_options,
)
def command(**given: Any) -> None:
    """Describe a table, or a model file.

    Of a table: its columns, what they are taken as, their values and how many are missing. Of a model: what
    it is and what it needs, without building it.
    """
    screen, options = screen_of(given), taken(DataOptions, given)
    if len(options.data) == 1 and _is_model(options.data[0]):
        _model(options.data[0], screen)
        return
    with Workspace() as workspace:
        staged = stage(workspace, options.data, options.table, screen)
        names = staged.names if screen.as_json else staged.names[:MOST_LINES]  # of what nobody sees, no more
        readings = guess(workspace, staged, options.table.choices(staged.names), names)
        table = workspace.load(staged, readings)
    lines = [column_line(reading.name, reading.kind, table[reading.name]) for reading in readings]
    screen.text(
        f"{counted(len(table), 'row')}, {counted(len(staged.names), 'column')} in {staged.name}", bold=True
    )
    if staged.dialect is not None:
        sign = SIGNS.get(staged.dialect.delimiter, staged.dialect.delimiter)
        header = "the first line names the columns" if staged.dialect.header else "no line of names was found"
        screen.text(f"fields separated by {sign}; {header}")
    screen.table(["column", "kind", "values", "missing"], lines[:MOST_LINES], left=3)
    if len(staged.names) > MOST_LINES:
        screen.text(f"… {len(staged.names) - MOST_LINES} more columns; --json lists all")
    screen.result(
        {
            "rows": len(table),
            "target": staged.target,
            "columns": [
                {"name": name, "kind": kind, "values": values, "missing": int(missing or 0)}
                for name, kind, values, missing in lines
            ],
        }
    )


def _value_text(value: Any) -> str:
    """Write a parameter as Python would, a pruner with its settings."""
    if not isinstance(value, dict) or "pruner" not in value:
        return str(value)
    settings = ", ".join(f"{name}={setting!r}" for name, setting in value["settings"].items() if setting)
    return f"{value['pruner']}({settings})"


def _is_model(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(8 + len(MODEL))[8:] == MODEL
    except OSError:
        return False


def _model(path: str, screen: Screen) -> None:
    """Describe a model file from its header."""
    from treewright.persistence.card import card_of_dict
    from treewright.persistence.container import read_model

    header, arrays = read_model(path)
    schema = header.get("schema", {})
    n_trees = len(arrays["tree_begin"]) - 1 if "tree_begin" in arrays else 0
    n_nodes = int(arrays["tree_begin"][-1]) if n_trees else 0
    columns = [
        (column["name"], "date" if column.get("unit") else column.get("kind", "numeric"))
        for column in schema.get("columns", [])
    ]
    classes = (schema.get("classes") or {}).get("values")
    screen.text(f"{header['kind']}, written by treewright {header['treewright']}", bold=True)
    if n_trees:
        screen.text(f"{counted(n_trees, 'tree')}, {counted(n_nodes, 'node')}")
    if "target" in header:
        screen.text(f"predicts {header['target']}")
    if classes is not None:
        screen.text(f"classes {', '.join(map(str, classes[:20]))}{', …' if len(classes) > 20 else ''}")
    card = card_of_dict(header["card"]) if "card" in header else None
    if card is not None:
        screen.text(str(card))
    screen.title("It needs")
    screen.table(["feature", "kind"], columns, left=2)
    given = {name: value for name, value in header.get("parameters", {}).items() if value is not None}
    screen.title("It was made with")
    screen.table(
        ["parameter", "value"], [(name, _value_text(value)) for name, value in given.items()], left=2
    )
    found = None if card is None else card.evaluation
    if found is not None:
        screen.section(performance_section(found.evaluation, folds_text(found), calibration=True))
    screen.result(
        {
            "kind": header["kind"],
            "treewright": header["treewright"],
            "target": header.get("target"),
            "trees": n_trees,
            "nodes": n_nodes,
            "classes": classes,
            "features": [{"name": name, "kind": kind} for name, kind in columns],
            "parameters": header.get("parameters", {}),
            "card": header.get("card"),
        }
    )
