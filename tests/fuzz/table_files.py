"""Damaged table files through the command line: an answer, or one line and a documented exit code."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from helpers.command_line import TABLES
from treewright.cli import main

EXIT_CODES = {0, 2, 3, 4}
PIECES = [
    b",",
    b";",
    b"\t",
    b'"',
    b"'",
    b"\n",
    b"\r",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"nan",
    b"1e999",
]
PIECES += [
    b"",
    b"-",
    b"=1+1",
    b"\x1b[2J",
    b"99999999999999999999",
    b"2024-02-30",
    b"true",
    b"?",
    b"NA",
    b"#",
    b" ",
]
PIECES += ["é".encode("latin-1"), "日本".encode(), b"%" * 300, b"a" * 5000, b"@data", b"@attribute x {", b"{"]
COMMANDS = [
    *(("inspect",), ("inspect", "--json"), ("convert", "-o", "out.csv"), ("convert", "-o", "out.parquet")),
    *(("fit", "--folds", "0"), ("fit", "-a", "cart", "--folds", "2"), ("fit", "-a", "c4.5", "--folds", "0")),
    ("convert", "-o", "out.arff"),
]
NAMES = ("iris.csv", "labor.csv", "tennis.csv", "mpg.csv")


@dataclass(frozen=True)
class TableFile:
    """A table as bytes, the end of its name, and the command that reads it."""

    content: bytes
    suffix: str
    command: tuple[str, ...]

    def simpler(self) -> Iterator[TableFile]:
        """The table without some of its bytes."""
        n = length = len(self.content)
        while length := length // 2:
            for begin in range(0, n, length):
                yield replace(self, content=self.content[:begin] + self.content[begin + length :])

    def code(self) -> str:
        """Write the file and run the command."""
        arguments = [self.command[0], f"t{self.suffix}", *self.command[1:]]
        return (
            f"from pathlib import Path; from treewright.cli import main\n"
            f"Path('t{self.suffix}').write_bytes({self.content!r})\nmain({arguments!r})"
        )


def random_table(seed: int) -> TableFile:
    """A bundled table, or what looks like one, with some pieces put in, taken out or exchanged."""
    random = np.random.default_rng(seed)
    lines = (TABLES / NAMES[int(random.integers(len(NAMES)))]).read_bytes().splitlines(keepends=True)
    content = b"".join(lines[: int(random.choice([1, 2, 3, 12, 30]))])
    suffix = str(random.choice([".csv", ".csv", ".csv", ".tsv", ".arff", ".json", ".jsonl", ".txt", ".data"]))
    if suffix == ".arff":
        rows = content.split(b"\n")
        names = b"".join(b"@attribute %d string\n" % at for at in range(rows[0].count(b",") + 1))
        content = b"@relation t\n" + names + b"@data\n" + b"\n".join(rows[1:])
    elif suffix in (".json", ".jsonl"):
        content = b'{"a": 1, "b": "x"}\n{"a": 2.5, "b": null}\n{"a": "z", "c": [1]}\n'
    for _ in range(int(random.integers(0, 6))):
        at, length = int(random.integers(len(content) + 1)), int(random.choice([0, 0, 1, 1, 4, 40]))
        piece = PIECES[int(random.integers(len(PIECES)))]
        content = content[:at] + piece + content[at + length :]
    command = COMMANDS[int(random.integers(len(COMMANDS)))]
    return TableFile(content, suffix, command)


def check(table: TableFile) -> str | None:
    """Say what the command does that it must not."""
    before = os.getcwd()
    out, errors = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            with open(f"t{table.suffix}", "wb") as file:
                file.write(table.content)
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                status = main([table.command[0], f"t{table.suffix}", *table.command[1:]])
            left = [name for name in os.listdir(folder) if name.endswith(".tmp")]
        except BaseException as problem:  # the program reports what goes wrong, and raises nothing
            return f"{type(problem).__name__}: {problem}"
        finally:
            os.chdir(before)
    said = errors.getvalue()
    if status not in EXIT_CODES:
        return f"exit code {status}: {said[:300]}"
    if "Traceback" in said or any(sign in said for sign in ("\x1b", "\x9b", "\0")):
        return f"on the terminal: {said[:300]!r}"
    lines = [line for line in said.splitlines() if not line.startswith("note: ")]
    if status and len(lines) != 1:
        return f"{len(lines)} lines of error: {said[:300]!r}"
    return f"files left: {left}" if left else None
