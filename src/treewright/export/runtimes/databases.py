"""Runtimes of SQL: DuckDB, SQLite, and a PostgreSQL server of its own."""

from __future__ import annotations

import atexit
import csv
import io
import math
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from treewright.data.columns import Column
from treewright.errors import ExportError, raise_if_interrupted
from treewright.export.comparisons import UNSEEN
from treewright.export.program import Program
from treewright.export.runtimes.base import (
    NotInstalledError,
    Outcome,
    Runtime,
    call,
    package_version,
    plain_value,
    program_path,
)
from treewright.export.witness import Rows

ID = "treewright row id"

NULL = "\\N"
"""What is missing in a file that a database copies."""

TYPES: dict[str, tuple[str, str, str]] = {
    "whole": ("BIGINT", "bigint", "INTEGER"),
    "large": ("HUGEINT", "numeric", "INTEGER"),
    "number": ("DOUBLE", "float8", "REAL"),
    "text": ("VARCHAR", "text", "TEXT"),
    "truth": ("BOOLEAN", "boolean", "INTEGER"),
    "datetime64": ("TIMESTAMP", "timestamp", "TEXT"),
    "datetime64_ns": ("TIMESTAMP_NS", "timestamp", "TEXT"),
    "timedelta64": ("INTERVAL", "interval", "INTEGER"),
    "timedelta64_ns": ("INTERVAL", "interval", "INTEGER"),
}
"""The type of a column by what it holds: of DuckDB, PostgreSQL and SQLite."""


class SQLRuntime(Runtime):
    """A database that runs a query over a table of the rows, in parentheses as any subquery."""

    dialect: ClassVar[int]
    """Its place in `TYPES`."""

    has_nan: ClassVar[bool] = True
    """Whether a column of numbers can hold NaN."""

    @property
    def table(self) -> str:
        """The table that the query reads, quoted."""
        given = self.options.get("table")
        found = re.search(r"^-- table: (.*)$", self.artefact, re.MULTILINE)
        return found[1] if found else quote("data" if given is None else given)

    def columns(self, rows: Rows, form: Callable[[Any], Any]) -> list[tuple[str, str, list[Any]]]:
        """Give the name, type and values of each column, in a form; missing numbers are NULL and NaN by turns."""
        found = [(ID, TYPES["whole"][self.dialect], [form(row) for row in range(len(rows))])]
        for at, one in rows.inputs:
            values = rows.column(at, form)
            kind = self._kind(one.column)
            if kind == "number" and self.has_nan:
                for row in np.flatnonzero(np.isnan(rows.x[:, at]))[::2].tolist():
                    values[row] = form(math.nan)
            found.append((one.name, TYPES[kind][self.dialect], values))
        return found

    def suited(self, rows: Rows) -> Rows:
        """A column of truth values can hold no third one."""
        truths = [at for at, one in rows.inputs if one.has_codes and self._kind(one.column) == "truth"]
        if not truths:
            return rows
        x = rows.x.copy()
        for at in truths:
            x[x[:, at] == UNSEEN, at] = np.nan
        return Rows(rows.program, x)

    @staticmethod
    def _kind(column: Column) -> str:
        if column.kind == "numeric":
            if column.unit is None:
                return "large" if column.offset else "number"
            return column.unit.partition("[")[0] + ("_ns" if column.unit.endswith("[ns]") else "")
        kinds = {type(category) for category in column.categories}
        for kind, name in ((str, "text"), (np.datetime64, "datetime64"), (np.timedelta64, "timedelta64")):
            if kind in kinds:
                return name
        return "number" if float in kinds else "truth" if kinds == {bool} else "large" if kinds else "text"

    def query(self, program: Program) -> str:
        """Give the query for the answers alone."""
        proba = [quote(f"p_{label}") for label in program.classes or []] if self.has_proba(program) else []
        names = ", ".join([quote(ID), "prediction", *proba])
        return f"SELECT {names} FROM (\n{self.artefact}\n) AS answers"

    def has_proba(self, program: Program) -> bool:
        """Whether the query gives class probabilities."""
        return program.classes is not None and "p_<class>" in self.artefact

    def outcome(self, program: Program, answers: list[Any]) -> Outcome:
        """Read the answers of the query."""
        if len(answers) != len({row[0] for row in answers}):
            raise ExportError("the query gives some rows twice.")
        answers.sort(key=itemgetter(0))
        prediction = [row[1] for row in answers]
        if not self.has_proba(program):
            return Outcome(prediction)
        return Outcome(prediction, np.array([row[2:] for row in answers], dtype=float))


def quote(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


class DuckDBRuntime(SQLRuntime):
    """DuckDB."""

    name = "DuckDB"
    dialect = 0

    def version(self) -> str:
        return package_version("duckdb")

    def run(self, program: Program, rows: Rows) -> Outcome:
        import duckdb

        columns = self.columns(rows, _csv)
        declared = ", ".join(f"{quote(name)} {kind}" for name, kind, _ in columns)
        with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
            path = Path(folder, "rows.csv")
            path.write_bytes(csv_text(columns).encode())
            schema, dot, _ = self.table.rpartition(".")
            if dot:
                database.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            database.execute(f"CREATE TABLE {self.table} ({declared})")
            database.execute(
                f"COPY {self.table} FROM '{path}' (FORMAT csv, HEADER false, NULLSTR '\\N', QUOTE '\"', ESCAPE '\"', PARALLEL false)"
            )
            try:
                return self.outcome(program, database.execute(self.query(program)).fetchall())
            except RuntimeError as problem:
                raise_if_interrupted(problem)
                raise


def csv_text(columns: list[tuple[str, str, list[str]]]) -> str:
    """Give rows for a database to copy."""
    rows = zip(*(cells for *_, cells in columns), strict=True)
    return "".join(",".join(row) + "\n" for row in rows)


def _csv(value: Any) -> str:
    r"""Give the cell of a value: \N if it is missing; all but numbers are quoted."""
    if value is None:
        return NULL
    if isinstance(value, np.datetime64):
        return f'"{value}"'.replace("T", " ")
    if isinstance(value, np.timedelta64):
        return f'"{int(value.astype("m8[us]").astype(np.int64))} microseconds"'
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value).replace("inf", "Infinity")
    return '"' + str(value).replace('"', '""') + '"'


class SQLiteRuntime(SQLRuntime):
    """SQLite, as Python has it."""

    name = "SQLite"
    dialect = 2
    has_nan = False

    def version(self) -> str:
        try:
            import sqlite3
        except ImportError:
            raise NotInstalledError("this Python has no sqlite3") from None
        return sqlite3.sqlite_version

    def run(self, program: Program, rows: Rows) -> Outcome:
        import sqlite3

        columns = self.columns(rows, plain_value)
        declared = ", ".join(f"{quote(name)} {kind}" for name, kind, _ in columns)
        table = self.table.rpartition(".")[2] if self.table.startswith('"main".') else self.table
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute(f"CREATE TABLE {table} ({declared})")
            values = zip(*(values for *_, values in columns), strict=True)
            database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", values)
            return self.outcome(program, database.execute(self.query(program)).fetchall())


class PostgreSQLRuntime(SQLRuntime):
    """PostgreSQL: a server of its own, on a socket of its own."""

    name = "PostgreSQL"
    dialect = 1

    def version(self) -> str:
        return call(
            str(Path(server_programs(), "postgres")), "--version", folder="/", what="postgres"
        ).split()[2]

    def suited(self, rows: Rows) -> Rows:
        """PostgreSQL counts time in microseconds."""
        rows = super().suited(rows)
        finer = [(at, one) for at, one in rows.inputs if (one.column.unit or "").endswith("[ns]")]
        if not finer:
            return rows
        x = rows.x.copy()
        for at, one in finer:
            known = np.isfinite(x[:, at])
            offset = one.column.offset
            ticks = [int(tick) + offset for tick in x[known, at].tolist()]
            x[known, at] = [float(tick - tick % 1000 - offset) for tick in ticks]
        return Rows(rows.program, x)

    def run(self, program: Program, rows: Rows) -> Outcome:
        columns = self.columns(rows, _csv)
        declared = ", ".join(f"{quote(name)} {kind}" for name, kind, _ in columns)
        with tempfile.TemporaryDirectory() as folder:
            schema, dot, _ = self.table.rpartition(".")
            script = [
                "SET client_min_messages = warning;",
                "SET jit = off;",
                "BEGIN;",
                f"CREATE SCHEMA IF NOT EXISTS {schema};" if dot else "",
                f"CREATE TABLE {self.table} ({declared});",
                f"COPY {self.table} FROM STDIN WITH (FORMAT csv, NULL '\\N');",
                csv_text(columns) + "\\.",
                f"COPY ({self.query(program)}) TO STDOUT WITH (FORMAT csv, NULL '\\N');",
                "ROLLBACK;",
            ]
            Path(folder, "run.sql").write_bytes("\n".join(script).encode())
            socket = PostgreSQLServer.running().folder
            options = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", socket, "-U", "postgres", "-d", "postgres"]
            text = call("psql", *options, "-f", "run.sql", folder=folder, what="psql")
        answers = list(csv.reader(io.StringIO(text, newline="")))
        labels = {cell: self._label(cell, program) for cell in {row[1] for row in answers}}
        return self.outcome(
            program, [[int(at), labels[label], *map(_number, proba)] for at, label, *proba in answers]
        )

    @staticmethod
    def _label(text: str, program: Program) -> Any:
        if text == NULL or program.classes is None:
            return None if text == NULL else float(text)
        for label in program.classes:
            if isinstance(label, str) and text == label:
                return label
            if isinstance(label, bool):
                if text == ("t" if label else "f"):
                    return label
            elif isinstance(label, int | float) and text not in ("t", "f") and float(text) == label:
                return label
        return text


def _number(cell: str) -> float:
    return math.nan if cell == NULL else float(cell)


def server_programs() -> Path:
    """Find the folder with the programs of a PostgreSQL server; raises NotInstalledError."""
    program_path("psql", "postgresql")
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NotInstalledError("postgres is not installed: apt-get install postgresql")


class PostgreSQLServer:
    """A server that ends with this process, on a socket in a folder of its own."""

    _one: ClassVar[PostgreSQLServer | None] = None

    @classmethod
    def running(cls) -> PostgreSQLServer:
        """Give the server, started when it is first asked for."""
        if cls._one is None:
            cls._one = cls()
        return cls._one

    def __init__(self) -> None:
        programs = server_programs()
        self._folder = tempfile.TemporaryDirectory(prefix="treewright-")
        self.folder = self._folder.name
        data = str(Path(self.folder, "data"))
        # A server refuses to run as root.
        user: dict[str, Any] = {"user": "postgres"} if hasattr(os, "geteuid") and os.geteuid() == 0 else {}
        if user:
            shutil.chown(self.folder, "postgres")
        quiet: dict[str, Any] = {
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": self.folder,
        }
        make = [
            str(programs / "initdb"),
            "-D",
            data,
            "-A",
            "trust",
            "-U",
            "postgres",
            "-N",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        subprocess.run(make, check=True, **quiet, **user)
        options = [
            "-c",
            "listen_addresses=",
            "-c",
            "fsync=off",
            "-c",
            "unix_socket_directories=" + self.folder,
        ]
        self._process = subprocess.Popen([str(programs / "postgres"), "-D", data, *options], **quiet, **user)
        atexit.register(self.stop)
        ready = ["psql", "-X", "-h", self.folder, "-U", "postgres", "-d", "postgres", "-c", "SELECT 1"]
        for _ in range(600):
            if subprocess.run(ready, check=False, **quiet).returncode == 0:
                return
            time.sleep(0.1)
        raise ExportError("the PostgreSQL server did not start within a minute.")

    def stop(self) -> None:
        """End the server and remove what it wrote."""
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()
