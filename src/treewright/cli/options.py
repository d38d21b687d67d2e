"""Options of the command line that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import click

from treewright.cli.screen import Screen
from treewright.fitting.training_table import TableOptions
from treewright.growing.parameters import ESTIMATORS, PARAMETERS

Function = TypeVar("Function", bound=Callable[..., Any])


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

learner_options = several(
    click.option(
        "--algorithm",
        "-a",
        metavar="NAME",
        help="tree, decision_tree, cart, c4.5, id3, rules, forest or optimal. [default: tree, or "
        "decision_tree where a pruner or parameters ask for it]",
    ),
    click.option("--criterion", metavar="NAME", help="What makes a split good, such as gini or entropy."),
    click.option("--missing", metavar="POLICY", help="What becomes of missing values, such as surrogate."),
    click.option(
        "--pruner",
        metavar="NAME[:SETTING=VALUE,…]",
        help="How to prune, such as pessimistic, error_based:cf=0.1 or none.  [default: by the algorithm]",
    ),
    click.option("--max-depth", type=int, metavar="N", help="Deepest level of the tree."),
    click.option("--min-leaf", type=int, metavar="N", help="Fewest rows of a leaf."),
    click.option("--max-leaves", type=int, metavar="N", help="Most leaves."),
    click.option("--costs", metavar="JSON|FILE", help="Cost of predicting (column) what truly is (row)."),
    click.option("--balanced", is_flag=True, help="Give all classes the same weight."),
    click.option("--trees", type=int, metavar="N", help="Trees of a forest."),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Any parameter of the estimator, such as max_bins=64.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of all that is drawn."),
    click.option("--jobs", type=int, metavar="N", help="Threads. [default: all cores]"),
)


NOT_OFFERED = {
    *("criterion", "missing", "pruner", "max_depth", "costs"),  # above
    *("categorical_features", "ordinal_features"),  # --categorical and --ordinal say it of columns
    *("tree", "trace", "verbose"),  # for programs
}
"""Parameters of estimators that have no option made from their declaration."""


SETTING = "set_"
"""How the values of these options begin in what a command is given."""


class ParameterOption(click.Option):
    """An option that is named after a parameter of the estimators."""


class LearningCommand(click.Command):
    """A command whose help lists the parameters of the estimators after its other options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in two sections."""
        for title, named in (("Options", False), ("Parameters of the estimators", True)):
            options = [o for o in self.get_params(ctx) if isinstance(o, ParameterOption) is named]
            with formatter.section(title):
                formatter.write_dl([record for o in options if (record := o.get_help_record(ctx))])


def _parameter_options() -> list[Callable[[Any], Any]]:
    """Make an option of every parameter, with the first sentence on it as help."""
    help_of: dict[str, dict[tuple[str, ...], str]] = {}  # several where estimators know different names
    for entry in PARAMETERS:
        if entry.owners & ESTIMATORS and entry.name not in NOT_OFFERED:
            sentence = entry.text.replace("`", "").partition(". ")[0].rstrip(".") + "."
            help_of.setdefault(entry.name, {}).setdefault(entry.domain.names, sentence)
    return [
        click.option(
            f"--{name.replace('_', '-')}",
            f"{SETTING}{name}",
            cls=ParameterOption,
            metavar="VALUE",
            help=" ".join(dict.fromkeys(sentences.values())),
        )
        for name, sentences in help_of.items()
    ]


parameter_options = several(*_parameter_options())


def learning_command(
    name: str, epilog: str, *own: Callable[[Any], Any], source: Callable[[Any], Any] = data_argument
) -> Callable[[Any], Any]:
    """Make a command that learns from a table: its own options among those that all such commands have."""
    return several(
        click.command(name, cls=LearningCommand, epilog=epilog),
        source,
        target_options,
        *own,
        learner_options,
        parameter_options,
        text_options,
        kind_options,
        screen_options,
    )


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
        said = {field.name: getattr(self, field.name) for field in fields(TableOptions)}
        return TableOptions(**said | {"ordinal": dict(map(_order, self.ordinal))})


@dataclass(frozen=True)
class LearnerOptions:
    """What the command line says about learning."""

    algorithm: str | None = None
    criterion: str | None = None
    missing: str | None = None
    pruner: str | None = None
    max_depth: int | None = None
    min_leaf: int | None = None
    max_leaves: int | None = None
    costs: str | None = None
    balanced: bool = False
    trees: int | None = None
    settings: tuple[str, ...] = ()
    seed: int = 0
    jobs: int | None = None


Options = TypeVar("Options", DataOptions, LearnerOptions)


def taken(kind: type[Options], given: dict[str, Any]) -> Options:
    """Take from the values of a command those that belong together."""
    by_name: list[str] = [
        f"{name.removeprefix(SETTING)}={value}"
        for name, value in given.items()
        if name.startswith(SETTING) and value is not None
    ]
    given = given | {"settings": (*by_name, *given.get("settings", ()))}
    return kind(**{field.name: given[field.name] for field in fields(kind) if field.name in given})


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
