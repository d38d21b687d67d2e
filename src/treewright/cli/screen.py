"""Output of commands: tables and progress bars for a person, JSON for a program (`--json`)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from treewright.errors import ExportError
from treewright.formatting.text import printable

if TYPE_CHECKING:
    from rich.console import Console

    from treewright.fitting.report import Section

WIDTH = 120
"""Columns of lines that go to a file or another program."""

Progress = Callable[[float], None]
PassProgress = Callable[[str, int, int], None]


class Screen:
    """Where a command shows what it found.

    Parameters
    ----------
    quiet : bool
        Show nothing but errors.
    as_json : bool
        Show one JSON object at the end, instead of text.

    Attributes
    ----------
    works_unread : bool
        Go on when whoever reads the output has had enough (`| head`), because files are to be written.
    """

    def __init__(self, quiet: bool = False, as_json: bool = False) -> None:
        self.quiet, self.as_json = quiet, as_json
        self.works_unread = False

    @property
    def shows_text(self) -> bool:
        """Whether a person is reading."""
        return not self.quiet and not self.as_json

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console

        width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH
        return Console(width=width, highlight=False, markup=False, emoji=False)

    def text(self, text: str = "", bold: bool = False) -> None:
        """Show text line by line, without what terminals obey; long lines are left to the terminal."""
        if self.shows_text:
            try:
                click.secho(harmless(text), bold=bold or None)
            except BrokenPipeError:
                _print_nowhere()
                if not self.works_unread:
                    raise SystemExit(1) from None
                self.quiet = True

    def title(self, text: str) -> None:
        """Begin a part of the output."""
        self.text()
        self.text(text, bold=True)

    def section(self, section: Section, first: bool = False) -> None:
        """Show a part of a report; its table cells were made harmless."""
        if section.title:
            self.text(section.title, bold=True) if first else self.title(section.title)
        self.text("\n".join(section.lines))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
        """Show rows under a head; the first `left` columns are words, the others figures."""
        if not self.shows_text:
            return
        from rich.table import Table
        from rich.text import Text

        table = Table(
            box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0), show_header=any(head)
        )
        for index, name in enumerate(head):
            table.add_column(name, justify="left" if index < left else "right", overflow="fold")
        for row in rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        with self._console.capture() as captured:
            self._console.print(table)
        for line in captured.get().splitlines():
            click.echo(line.rstrip())

    def result(self, result: dict[str, Any]) -> None:
        """Give the result to a program."""
        if not self.as_json or self.quiet:
            return
        try:
            text = json.dumps(result, default=_plain, indent=2, ensure_ascii=sys.stdout.isatty())
        except RecursionError:  # a level of a tree is two of JSON
            raise ExportError(
                "the tree is too deep to be nested in JSON: leave out --json, or write it with "
                "`treewright export --to json`, which lists its nodes."
            ) from None
        click.echo(text)

    def note(self, text: str) -> None:
        """Say something that is no result."""
        if not self.quiet:
            click.echo(harmless(f"note: {text}"), err=True)

    @contextmanager
    def progress(self, what: str, known: bool = True) -> Iterator[Progress]:
        """Show a bar on a terminal while long work goes on, or that it goes on if its length is not known."""
        if self.quiet or not sys.stderr.isatty():
            yield lambda share: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            *([TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn()] if known else []),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        with bar:
            task = bar.add_task(what, total=1.0 if known else None)
            yield lambda share: bar.update(task, completed=share)

    @contextmanager
    def passes(self, n_rows: int) -> Iterator[PassProgress]:
        """Show on a terminal which pass over a table it is, of what, its rows and the time left of it."""
        if self.quiet or not sys.stderr.isatty():
            yield lambda what, number, done: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[rows]}"),
            TimeRemainingColumn(),
            TextColumn("left of this pass"),
            console=Console(stderr=True),
            transient=True,
        )
        last = 0
        with bar:
            task = bar.add_task("reading", total=n_rows, rows="")

            def show(what: str, number: int, done: int) -> None:
                nonlocal last
                rows = f"{done / 1e6:.2f} of {n_rows / 1e6:.2f} million rows"
                change = bar.update if number == last else bar.reset
                change(task, description=f"{what}, pass {number}", completed=done, rows=rows)
                last = number

            yield show


def harmless(text: str) -> str:
    r"""Write what a terminal would obey as escapes, line by line.

    Examples
    --------
    >>> print(harmless("two\nlines, one \x1b[31mred"))
    two
    lines, one \x1b[31mred
    """
    return "\n".join(printable(line) for line in text.split("\n"))


def _print_nowhere() -> None:
    """Turn what is printed from now on to nowhere: nobody reads it, and flushing it at the end would fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _plain(value: Any) -> Any:
    """Give a value of NumPy as JSON can say it."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)
