"""The program `treewright`: finds and runs a command, turns errors into one sentence and an exit code."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from treewright import __version__
from treewright.cli.screen import harmless
from treewright.errors import DataError, ExportError, ModelFileError
from treewright.formatting.suggestions import nearest
from treewright.formatting.text import printable

DONE, FAILED, USAGE, BAD_DATA, BAD_MODEL, INTERRUPTED = 0, 1, 2, 3, 4, 130
"""Exit codes."""

COMMANDS: dict[str, tuple[str, str]] = {
    "fit": ("treewright.cli.fit", "Learn from a table, show the tree and its estimated error, save it."),
    "predict": ("treewright.cli.predict", "Predict the rows of a table of any size."),
    "show": ("treewright.cli.show", "Print a model, or one node of it in full."),
    "explain": ("treewright.cli.explain", "Say in words why a row is predicted as it is."),
    "rules": ("treewright.cli.rules", "Print a model as rules."),
    "explore": ("treewright.cli.explore", "Look at a model in the browser, prune it and edit it by hand."),
    "export": ("treewright.cli.export", "Write a model as SQL, source code or another program's model."),
    "prune": ("treewright.cli.prune", "Prune a saved model."),
    "evaluate": ("treewright.cli.evaluate", "Judge a model on a table with a known target."),
    "cv": ("treewright.cli.cv", "Judge a way of learning by cross-validation."),
    "compare": ("treewright.cli.compare", "Put learners and prunings side by side on one table."),
    "trace": ("treewright.cli.trace", "Show how a tree is grown, step by step as on the board."),
    "inspect": ("treewright.cli.inspect", "Describe a table, or a model file."),
    "convert": ("treewright.cli.convert", "Write a table in another form."),
    "demo": ("treewright.cli.demo", "Grow a tree on a bundled table and show it."),
    "completion": ("treewright.cli.completion", "Print what makes a shell complete commands and options."),
}
"""Every command: its module, whose `command` it is, and what it does."""

EPILOG = """\b
Examples:
  treewright fit iris.csv --target species
  treewright predict iris.tw new.csv --output answers.csv
  treewright explain iris.tw new.csv --row 3

\b
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad data, 4 bad model file, 130 interrupted."""


class Commands(click.Group):
    """The commands, each loaded when it is asked for: help and typing mistakes cost nothing."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Give the names in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Load a command."""
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[name][0]).command
        return command

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or offer the nearest."""
        name = click.utils.make_str(arguments[0])
        if name not in COMMANDS and not name.startswith("-"):
            raise click.UsageError(
                f"There is no command {name!r}.{nearest(name, COMMANDS)} Commands are {', '.join(COMMANDS)}.",
                context,
            )
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.command(
    cls=Commands,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="treewright")
def treewright() -> None:
    """Grow, prune, read and ship decision trees."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and give its exit code.

    Parameters
    ----------
    arguments : sequence of str or None
        What stands behind the program's name; None is `sys.argv`.

    Examples
    --------
    >>> main(["--version"])
    treewright, version ...
    0
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _show_warning
        try:
            status = treewright.main(given, prog_name="treewright", standalone_mode=False)
            return status if isinstance(status, int) else DONE
        except BaseException as problem:
            if isinstance(problem, SystemExit):  # click, when whoever reads our output has had enough
                raise
            if debug and not isinstance(problem, click.ClickException):
                raise
            return _report(problem)


def _report(problem: BaseException) -> int:
    """Say what went wrong in one line, and give the exit code."""
    if isinstance(problem, KeyboardInterrupt | click.Abort):
        click.echo("interrupted; nothing was written", err=True)
        return INTERRUPTED
    if isinstance(problem, click.UsageError):
        # What click finds wrong with the words themselves; what commands refuse says enough.
        by_click = type(problem) is not click.UsageError and problem.ctx is not None
        hint = (
            f" {problem.ctx.command_path} --help shows what is allowed." if by_click and problem.ctx else ""
        )
        click.echo(harmless(problem.format_message() + hint), err=True)
        return USAGE
    if isinstance(problem, click.ClickException):
        click.echo(harmless(problem.format_message()), err=True)
        return FAILED
    message = str(problem)
    if isinstance(problem, OSError) and problem.strerror and problem.filename:
        message = f"{str(problem.filename)!r}: {problem.strerror}."
    message = printable(" ".join(message.split()))
    for kinds, status, before in (
        (ModelFileError, BAD_MODEL, ""),
        (DataError, BAD_DATA, ""),
        (ExportError, USAGE, ""),
        (MemoryError, FAILED, "out of memory: " if message else "out of memory"),
        (OSError, FAILED, ""),
    ):
        if isinstance(problem, kinds):
            click.echo(before + message, err=True)
            return status
    if type(problem) is ValueError or type(problem).__name__ == "InvalidParameterError":
        click.echo(message, err=True)  # how treewright refuses parameters
        return USAGE
    click.echo(f"{type(problem).__name__}: {message} (--debug shows where)", err=True)
    return FAILED


def _show_warning(message: Warning | str, *place: Any, **where: Any) -> None:
    """Show a warning as a note, without the line of code that gave it."""
    if not _quiet():
        click.echo(printable(f"note: {' '.join(str(message).split())}"), err=True)


def _quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("quiet"))
