"""`treewright demo`: the whole way on a bundled table."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

import click

from treewright.cli.options import screen_of, screen_options
from treewright.cli.screen import Screen

TABLES = {
    "labor": "57 labour contracts: which are good?",
    "iris": "150 irises: which species?",
    "tennis": "14 days: was tennis played?",
    "votes": "435 members of the House of 1984: which party?",
    "mpg": "398 cars: how many miles per gallon?",
}
"""Bundled tables; the target is the last column."""


@click.command("demo")
@click.argument("table", type=click.Choice(list(TABLES)), default="labor")
@screen_options
@click.pass_context
def command(context: click.Context, /, table: str, **given: Any) -> None:
    """Grow a tree on a bundled table and show it: labor, iris, tennis, votes or mpg.

    It is what `treewright fit` shows for a table of your own.
    """
    from treewright.cli.fit import command as fit

    screen = screen_of(given)
    screen.text(TABLES[table], style="bold")
    with as_file(files("treewright") / "tables" / f"{table}.csv") as path:
        with open(path, encoding="utf-8") as file:
            target = file.readline().strip().split(",")[-1]
        context.invoke(
            fit,
            data=(str(path),),
            target=target,
            no_save=True,
            **{k: v for k, v in given.items() if k != "debug"},
        )
    _farewell(screen)


def _farewell(screen: Screen) -> None:
    screen.text()
    screen.text("Now with a table of your own:  treewright fit data.csv --target NAME")
