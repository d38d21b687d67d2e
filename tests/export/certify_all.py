"""Certify every export of every kind of model on 100,000 random rows besides all boundaries: `make certify`.

A line tells what came of each model in each runtime: rows, mismatches, seconds; or why it was refused. The
exit code is 1 if there is a mismatch. Parts of it: `python tests/export/certify_all.py --targets c duckdb
--models "forest*" --random-rows 1000`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from time import monotonic
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from helpers.exporting import LONG, MAKERS, examination, model
from treewright.errors import ExportError

FORMS: dict[str, tuple[dict[str, Any], ...]] = {
    "duckdb": ({"form": "auto"}, {"form": "table"}),
    "sqlite": ({"form": "auto"}, {"form": "table"}),
    "postgresql": ({"form": "auto"}, {"form": "table"}),
    "c": ({"form": "auto"}, {"form": "table"}),
    "python": ({"form": "auto"}, {"form": "table"}),
    "javascript": ({"form": "auto"}, {"form": "table"}),
    "java": ({},),
    "json": ({},),
    "onnx": ({"inputs": "matrix"}, {"inputs": "columns"}),
    "pmml": ({},),
    "treelite": ({},),
    "sklearn": ({},),
}
"""Every runtime, and the options that decide what an export looks like."""


def artefacts(name: str, runtime: str) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Give what a model is exported to for a runtime: the target, the artefact, its options."""
    fitted = model(name)
    for options in FORMS[runtime]:
        if runtime == "sklearn":
            if not hasattr(fitted, "to_sklearn"):
                raise ExportError("a list of rules is no tree, which scikit-learn cannot hold.")
            yield "sklearn", fitted.to_sklearn(), options
        elif runtime in ("duckdb", "sqlite", "postgresql"):
            has_classes = examination(name, 0).program.classes is not None
            chosen = {"dialect": runtime, "table": "rows", "proba": has_classes, **options}
            yield "sql", fitted.export("sql", **chosen), options
        else:
            yield runtime, fitted.export(runtime, **options), options


def certified(name: str, runtime: str, n_random: int) -> Iterator[tuple[str, str]]:
    """Certify a model in a runtime; gives what came of each form, and a line on it."""
    try:
        for target, artefact, options in artefacts(name, runtime):
            begin = monotonic()
            found = examination(name, n_random).certify(artefact, target)
            words = " ".join(map(str, options.values()))
            if found.mismatches is None:
                yield "not run", found.reason
                continue
            state = "certified" if found.certified else "DIFFERENT"
            told = f"{found.mismatches} mismatches in {found.rows} rows, {monotonic() - begin:.1f} s {words}"
            yield state, told if found.certified else f"{told}\n{found}"
    except ExportError as problem:
        yield (
            ("refused" if "cannot hold" in str(problem) or "categories" in str(problem) else "FAILED"),
            str(problem),
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--random-rows", type=int, default=100_000)
    parser.add_argument("--targets", nargs="+", default=list(FORMS), choices=list(FORMS))
    parser.add_argument("--models", nargs="+", default=["*"], metavar="PATTERN", help="names, as in a shell")
    given = parser.parse_args()
    came: Counter[str] = Counter()
    for name in MAKERS | LONG:
        if any(fnmatch(name, pattern) for pattern in given.models):
            for runtime in given.targets:
                for state, line in certified(name, runtime, given.random_rows):
                    came[state] += 1
                    print(f"{state:<10}{name:<22}{runtime:<12}{line}", flush=True)
            examination.cache_clear()
    print(", ".join(f"{n} {state}" for state, n in sorted(came.items())))
    return bool(came["DIFFERENT"] + came["FAILED"])


if __name__ == "__main__":
    sys.exit(main())
