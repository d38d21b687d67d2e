"""Forms of a tree in SQL: nested CASE, chained common table expressions, a table of states; one thread.

Chained, a first expression sends rows to one of several subtrees, and a CASE for each of these goes on.
Numbers are plain columns in all forms, so that these differ in nothing else. Prints seconds.

.venv/bin/python benchmarks/sql_forms.py --database duckdb --leaves 100 1000 --rows 1000000
"""

from __future__ import annotations

import argparse
import heapq
import re
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from exports import FEATURES, table

import treewright as tw
from treewright.export.dialects import DIALECTS
from treewright.export.program import Node, TreeBody
from treewright.export.program_of_model import program_of
from treewright.export.runtimes.databases import PostgreSQLServer
from treewright.export.sql import _Query

COLUMNS = [f"x{feature}" for feature in range(FEATURES)]


class PlainQuery(_Query):
    """Columns as they are: the table has no missing values."""

    def x(self, place: int) -> str:
        return f"t.{self.program.inputs[place].name}"


def subtree(body: TreeBody, root: int, stops: set[int]) -> tuple[TreeBody, list[int]]:
    """A part of a tree, and the nodes that it ends at."""
    order, waiting = [], [root]
    while waiting:
        order.append(waiting.pop())
        if order[-1] not in stops:
            waiting += reversed(body.nodes[order[-1]].children)
    place = {node: at for at, node in enumerate(order)}
    ends = [node for node in order if node in stops or not body.nodes[node].tests]
    nodes = [
        Node(place[node])
        if node in ends
        else replace(
            body.nodes[node],
            id=place[node],
            children=tuple(place[child] for child in body.nodes[node].children),
        )
        for node in order
    ]
    return TreeBody(tuple(nodes), tuple(place[node] for node in ends), body.answers), ends


def largest_subtrees(body: TreeBody, how_many: int) -> list[int]:
    """Subtrees of about the same size that have all leaves."""
    leaves = [1] * len(body.nodes)
    for node in reversed(body.nodes):
        if node.tests:
            leaves[node.id] = sum(leaves[child] for child in node.children)
    heap = [(-leaves[0], 0)]
    while len(heap) < how_many and heap[0][0] < -1:
        _, largest = heapq.heappop(heap)
        for child in body.nodes[largest].children:
            heapq.heappush(heap, (-leaves[child], child))
    return [node for _, node in heap]


def queries(model: Any, dialect: str, n_parts: int) -> dict[str, str]:
    """The query of each form."""
    program = program_of(model)
    query = PlainQuery(
        program, DIALECTS[dialect], table="data", schema=None, proba=False, form="nested", key=None
    )
    query.__dict__["prepared"] = []
    body = program.bodies[0]
    assert isinstance(body, TreeBody)

    def case(part: TreeBody, ends: list[int]) -> str:
        return query.case(part, [query._said(body, body.end_of[end]) for end in ends], "  ")

    parts = largest_subtrees(body, n_parts)
    top, ends = subtree(body, 0, set(parts))
    chosen = query.case(top, [str(parts.index(end)) for end in ends], "  ")
    columns = ", ".join(f"t.{name}" for name in COLUMNS)
    first = f"WITH first AS MATERIALIZED (SELECT t.*, {chosen} AS part FROM data AS t)\n"
    below = [case(*subtree(body, part, set())) for part in parts]
    union = "\nUNION ALL ".join(
        f"SELECT {columns}, {text} AS prediction FROM first AS t WHERE part = {part}"
        for part, text in enumerate(below)
    )
    whens = "\n".join(f"WHEN {part} THEN {text}" for part, text in enumerate(below))
    return {
        "nested": f"SELECT t.*, {case(*subtree(body, 0, set()))} AS prediction FROM data AS t",
        "chained": f"{first}SELECT {columns}, CASE part {whens} END AS prediction FROM first AS t",
        "chained, union": first + union,
        "table": model.export("sql", dialect=dialect, form="table"),
    }


def duckdb_runner(rows: Any) -> Callable[[str], tuple[int, float]]:
    import duckdb
    import pyarrow as pa

    database = duckdb.connect(config={"threads": 1})
    database.register("given", pa.table(dict(zip(COLUMNS, rows.T, strict=True))))
    database.execute("CREATE TABLE data AS SELECT * FROM given")

    return timed(database)


def timed(database: Any) -> Callable[[str], tuple[int, float]]:
    """Give what runs a query and says its first number and how long it took."""

    def run(query: str) -> tuple[int, float]:
        begin = time.process_time()
        found = database.execute(query).fetchall()
        return int(found[0][0]), time.process_time() - begin

    return run


def sqlite_runner(rows: Any) -> Callable[[str], tuple[int, float]]:
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE data ({', '.join(f'{name} REAL' for name in COLUMNS)})")
    database.executemany(f"INSERT INTO data VALUES ({', '.join('?' * FEATURES)})", rows.tolist())
    return timed(database)


def postgresql_runner(rows: Any) -> Callable[[str], tuple[int, float]]:
    server = PostgreSQLServer.running()

    def psql(script: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.sql")
            path.write_text(script, encoding="utf-8")
            command = [
                "psql",
                "-XqAt",
                "-h",
                server.folder,
                "-U",
                "postgres",
                "-d",
                "postgres",
                "-f",
                str(path),
            ]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    declared = ", ".join(f"{name} float8" for name in COLUMNS)
    values = "\n".join("\t".join(map(repr, row)) for row in rows.tolist())
    psql(f"CREATE TABLE data ({declared});\nCOPY data FROM STDIN;\n{values}\n\\.\n")

    def run(query: str) -> tuple[int, float]:
        text = psql(f"SET jit = off; SET max_parallel_workers_per_gather = 0;\n\\timing on\n{query};")
        found = re.search(r"^(\d+)\nTime: ([\d.]+) ms", text)
        assert found is not None
        return int(found[1]), float(found[2]) / 1000

    return run


RUNNERS = {"duckdb": duckdb_runner, "sqlite": sqlite_runner, "postgresql": postgresql_runner}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--database", choices=RUNNERS, nargs="+", default=list(RUNNERS))
    parser.add_argument("--leaves", type=int, nargs="+", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--parts", type=int, default=16, help="subtrees of the chained forms")
    given = parser.parse_args()
    X, y = table(120_000)
    rows = np.random.default_rng(1).normal(size=(given.rows, FEATURES))
    for database in given.database:
        run = RUNNERS[database](rows)
        for n_leaves in given.leaves:
            model = tw.DecisionTreeClassifier(max_leaf_nodes=n_leaves, n_jobs=1).fit(X, y)
            expected = int(model.predict(rows).sum())
            for form, query in queries(model, database, given.parts).items():
                counted = f"SELECT sum(prediction) FROM ({query}) AS answers"
                found, spent = min((run(counted) for _ in range(2)), key=lambda pair: pair[1])
                assert found == expected, (database, n_leaves, form)
                print(f"{database:<12}{n_leaves:>8} leaves {form:<16}{spent:9.3f} s", flush=True)


if __name__ == "__main__":
    main()
