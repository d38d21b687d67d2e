"""Random tables by their seeds, grown by another program and by treewright: how many trees are equal."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

FRESH = 40
"""New rows that each tree predicts, with missing values and with categories that no row had."""


def seed_parser(doc: str | None, rows: str) -> argparse.ArgumentParser:
    """Make a command line that asks for a range of seeds."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int, help="the first seed")
    parser.add_argument("last", type=int, help="the seed to stop before")
    parser.add_argument("--rows", type=int, help=f"rows of each table ({rows} if not given)")
    return parser


def compare_all(
    program: str,
    cases: Mapping[int, Any],
    run: Callable[[Path], object],
    difference: Callable[[Path, int, Any], str | None],
) -> int:
    """Run another program on all tables and compare; the exit status says whether all trees are equal.

    Parameters
    ----------
    program : str
    cases : dict of seed to table
    run : callable
        Runs the program, which writes its answers into a folder.
    difference : callable
        Gives the first difference on a table with the case it is about, empty if there is none, None if the
        program has no answer.
    """
    with tempfile.TemporaryDirectory() as name:
        run(Path(name))
        found = {seed: difference(Path(name), seed, case) for seed, case in cases.items()}
    answered = {seed: words for seed, words in found.items() if words is not None}
    for seed, words in answered.items():
        if words:
            print(f"seed {seed} {words}")
    equal = sum(not words for words in answered.values())
    print(f"{equal} of {len(answered)} trees equal {program}'s")
    return 0 if equal == len(answered) else 1
