"""Options of the command line that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from treewright.cli.screen import Screen

if TYPE_CHECKING:
    from treewright.fitting.training_table import TableOptions

Function = TypeVar("Function", bound=Callable[..., Any])
Options = TypeVar("Options")


def several(*options: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Join options into one decorator, in the order in which help lists them."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


data_argument = click.argument("data", nargs=-1, required=True, metavar="DATA...")
model_argument = click.argument("model", metavar="MODEL", type=click.Path(readable=False))

spreadsheet_option = click.option(
    "--spreadsheet", is_flag=True, help="Put a quote before text that a spreadsheet would take for a formula."
)

memory_option = click.option(
    "--memory",
    metavar="SIZE",
    help="Take Parquet and CSV files that are larger than memory, within so much of it, such as 2GB.",
)

screen_options = several(
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text."),
    click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors."),
    click.option("--debug", is_flag=True, help="Show a traceback if something fails."),
)

text_options = several(
    click.option("--query", metavar="SQL", help="Work on the answer of a query over the table `data`."),
    click.option("--encoding", metavar="NAME", help="How text is encoded, such as latin-1. [default: UTF-8]"),
    click.option("--delimiter", metavar="SIGN", help="What separates fields (also: tab). [default: sniffed]"),
    click.option("--header/--no-header", default=None, help="Whether the first line names the columns."),
    click.option("--na", multiple=True, metavar="TEXT", help="A further text that is a missing value."),
)

kind_options = several(
    click.option("--categorical", multiple=True, metavar="NAMES", help="Columns to take as categories."),
    click.option("--numeric", multiple=True, metavar="NAMES", help="Columns to take as numbers."),
    click.option(
        "--ordinal",
        multiple=True,
        metavar="NAME=LOW,…,HIGH",
        help="A column of ordered categories, from low to high.",
    ),
    click.option("--strict", is_flag=True, help="Refuse columns of numbers with some text in them."),
)

target_options = several(
    click.option("--target", "-t", metavar="NAME", help="The column to predict."),
    click.option("--formula", metavar="'y ~ . - id'", help="Target and features in one."),
    click.option("--ignore", multiple=True, metavar="NAMES", help="Columns to leave out."),
    click.option("--weight", "-w", metavar="NAME", help="The column with the weight of each row."),
    click.option(
        "--task",
        type=click.Choice(["classification", "regression"]),
        help="What the target is. [default: guessed]",
    ),
    click.option(
        "--classes",
        multiple=True,
        metavar="NAMES",
        help="The classes in order; the first of equals is predicted. [default: sorted]",
    ),
)

SETTING = "set_"
"""How the values of options begin, in what a command is given, that are named after parameters."""


def table_command(
    name: str, epilog: str, *own: Callable[[Any], Any], source: Callable[[Any], Any] = data_argument
) -> Callable[[Any], Any]:
    """Make a command that reads a table: its own options before those of text and screen."""
    return several(click.command(name, epilog=epilog), source, *own, text_options, screen_options)


def model_command(name: str, epilog: str, *own: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a command that puts a model to a table."""
    return table_command(name, epilog, *own, source=several(model_argument, data_argument))


@dataclass(frozen=True)
class DataOptions:
    """What the command line says about the table: which files, how to read them, what columns are."""

    data: tuple[str, ...]
    query: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    na: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    strict: bool = False
    target: str | None = None
    formula: str | None = None
    ignore: tuple[str, ...] = ()
    weight: str | None = None
    task: str | None = None
    classes: tuple[str, ...] = ()
    memory: str | None = None

    @property
    def table(self) -> TableOptions:
        """The same, as they are said in Python."""
        from treewright.fitting.training_table import TableOptions

        said = {field.name: getattr(self, field.name) for field in fields(TableOptions)}
        return TableOptions(**said | {"ordinal": dict(map(_order, self.ordinal))})


def taken(kind: type[Options], given: dict[str, Any]) -> Options:
    """Take from the values of a command those that belong together."""
    by_name: list[str] = [
        f"{name.removeprefix(SETTING)}={value}"
        for name, value in given.items()
        if name.startswith(SETTING) and value is not None
    ]
    given = given | {"settings": (*by_name, *given.get("settings", ()))}
    return kind(**{field.name: given[field.name] for field in fields(cast(Any, kind)) if field.name in given})


def screen_of(given: dict[str, Any]) -> Screen:
    """Make the screen that the options ask for."""
    return Screen(bool(given.get("quiet")), bool(given.get("as_json")))


def _order(text: str) -> tuple[str, tuple[str, ...]]:
    name, sign, values = text.partition("=")
    steps = tuple(step.strip() for step in values.split(","))
    if not sign or len(steps) < 2 or len(set(steps)) < len(steps) or not all(steps):
        raise click.UsageError(
            f"--ordinal {text!r} has no form NAME=LOW,…,HIGH with at least two different values."
        )
    return name.strip(), steps


def setting(text: str, option: str) -> tuple[str, Any]:
    """Read `name=value`; the value is a number, a truth value, none, JSON, or else text.

    Examples
    --------
    >>> setting("max_bins=64", "--set"), setting("monotonic-cst=[0, 1]", "--set"), setting("a=b", "--set")
    (('max_bins', 64), ('monotonic_cst', [0, 1]), ('a', 'b'))
    """
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise click.UsageError(f"{option} {text!r} has no form NAME=VALUE.")
    return name.strip().replace("-", "_"), value_of_text(value.strip())


def value_of_text(text: str) -> Any:
    """Read a value of the command line.

    Examples
    --------
    >>> [value_of_text(text) for text in ("3", ".5", "none", "True", "gini", "[1, 2]")]
    [3, 0.5, None, True, 'gini', [1, 2]]
    """
    word = text.lower()
    if word in ("none", "null", "true", "false"):
        return {"none": None, "null": None, "true": True, "false": False}[word]
    for read in (int, float, json.loads):
        try:
            return read(text)
        except ValueError:
            continue
    return text
