"""`treewright demo`: the whole way on a bundled table."""

from __future__ import annotations

import shlex
import shutil
import sys
import sysconfig
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

from treewright.cli.fit import command as fit
from treewright.cli.options import screen_of, screen_options
from treewright.persistence.atomic_file import whole_file

TABLES = {
    "labor": "57 labour contracts: which are good?",
    "iris": "150 irises: which species?",
    "tennis": "14 days: was tennis played?",
    "votes": "435 members of the House of 1984: which party?",
    "mpg": "398 cars: how many miles per gallon?",
    "mushrooms": "5 mushrooms: which are toxic?",
    "cars": "15 cars: which are fast?",
}
"""Bundled tables; the target is the last column."""

NAMES = {"cars": ("Model",)}
"""Columns that name the rows, and are nothing to learn from."""

OF_LECTURES = ("tennis", "mushrooms", "cars")
"""Tables of a few rows that lectures grow a tree on to the end."""

EPILOG = """\b
Examples:
  treewright demo
  treewright demo mpg
  treewright demo iris --copy"""

NEXT = """
Now with a table of your own:
  {program} fit data.csv --target NAME        all this for your rows, and a model file
  {program} explore data.csv --target NAME    in the browser: prune, ask what if, edit by hand
  {program} trace data.csv --target NAME      how the tree is grown, step by step as on the board
  {program} compare data.csv --target NAME    CART, C4.5, rules, forests and prunings side by side
And other tables to play with: {program} demo {others}"""


@click.command("demo", epilog=EPILOG)
@click.argument("table", type=click.Choice(list(TABLES)), default="labor")
@click.option("--copy", is_flag=True, help="Only write the table here, to try other commands on it.")
@click.option("--html", metavar="FILE", help="Write a report with a drawing as a web page too.")
@screen_options
@click.pass_context
def command(context: click.Context, /, table: str, copy: bool, html: str | None, **given: Any) -> None:
    """Grow a tree on a bundled table and show it.

    It is what `treewright fit` shows for a table of your own.
    """
    screen = screen_of(given)
    with as_file(files("treewright") / "tables" / f"{table}.csv") as path:
        content = path.read_text(encoding="utf-8")
        target = content.split("\n", 1)[0].split(",")[-1].strip()
        if copy:
            with whole_file(Path(path.name)) as beside:
                beside.write_text(content, encoding="utf-8")
            also = "".join(f", and {name} names the rows: --ignore {name}" for name in NAMES.get(table, ()))
            screen.text(f"written to {path.name}; its target is {target}{also}")
            screen.result({"output": path.name, "target": target})
            return
        screen.text(TABLES[table], bold=True)
        shown = {name: given[name] for name in ("quiet", "as_json")}
        asked = {
            "ignore": NAMES.get(table, ()),
            "algorithm": "decision_tree" if table in OF_LECTURES else None,
        }
        context.invoke(fit, data=(str(path),), target=target, no_save=True, html=html, **asked, **shown)
    others = ", ".join(name for name in TABLES if name != table)
    screen.text(NEXT.format(program=_program(), others=others))


def _program() -> str:
    """Give what to type for this program: its name alone is not enough outside an active environment."""
    if shutil.which("treewright"):
        return "treewright"
    script = Path(sysconfig.get_path("scripts"), "treewright")
    if not script.exists():
        return f"{shlex.quote(sys.executable)} -m treewright"
    if script.is_relative_to(Path.cwd()):
        script = script.relative_to(Path.cwd())
    return shlex.quote(str(script))
