"""Refusal of outputs that cannot be written, before a command does any work."""

from __future__ import annotations

import os
from collections.abc import Iterable
from glob import glob
from pathlib import Path

import click


def refuse_other_than_page(html: str | None) -> None:
    """Refuse a name that is no web page's before anything is learned."""
    if html is not None and Path(html).suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(
            f"--html {html} must end in .html or .htm: it is a web page, which a browser prints to PDF."
        )


def refuse_outputs(*paths: Path | str | None, read: Iterable[str]) -> None:
    """Refuse outputs that cannot be written, or would replace what is read, before anything is learned."""
    inputs = {os.path.realpath(name) for given in read for name in (given, *glob(given))}
    for path in paths:
        if path is None:
            continue
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise click.UsageError(f"cannot write {str(path)!r}: there is no folder {folder!r}.")
        if os.path.isdir(path):
            raise click.UsageError(f"cannot write {str(path)!r}: it is a folder.")
        if os.path.isfile(path) and os.path.realpath(path) in inputs:
            raise click.UsageError(f"cannot write {str(path)!r}: it is read, and would be lost.")
