"""Fuzz for a while: `make fuzz MINUTES=60`.

Each failure is reduced and printed as Python; it is found again by its target and seed, as in
`python tests/fuzz/run.py --targets relations --first 7 --cases 1`.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from fuzz import (
    batches,
    cases,
    engines,
    exports,
    invariants,
    model_files,
    relations,
    server_requests,
    table_files,
)
from fuzz.batches import TooLongError, limited
from fuzz.reduction import reduce

CASES_OF_A_PROCESS = 4000
SECONDS_OF_A_PROCESS = 120


@dataclass(frozen=True)
class Target:
    """What is attacked: how a case is made of a seed, and what says that it fails."""

    make: Callable[[int], Any]
    check: Callable[[Any, int], str | None]
    share: float  # of the time


TARGETS = {
    "estimators": Target(cases.random_case, invariants.check, 0.5),
    "relations": Target(relations.relation_case, relations.check, 0.15),
    "exports": Target(cases.random_case, exports.check, 0.1),
    "engines": Target(engines.random_case, lambda case, _: engines.check(case), 0.1),
    "model_files": Target(model_files.random_file, lambda file, _: model_files.check(file), 0.15),
    "table_files": Target(table_files.random_table, lambda table, _: table_files.check(table), 0.06),
    "requests": Target(server_requests.random_request, lambda sent, _: server_requests.check(sent), 0.04),
}


def failure(target: Target, seed: int) -> tuple[Any, str] | None:
    """Give the case of a seed and what is wrong with it, if something is."""
    case = target.make(seed)
    found = None if case is None else checked(target, case, seed)
    return None if found is None else (case, found)


def checked(target: Target, case: Any, seed: int) -> str | None:
    """Say what is wrong with a case, within the time it may take."""
    try:
        with limited():
            return target.check(case, seed)
    except TooLongError as problem:
        return str(problem)


def reproduction(target: Target, seed: int, case: Any, found: str) -> str:
    """Reduce a failure, and write it as Python."""
    kind = found.split(":", maxsplit=1)[0]

    def fails(less: Any) -> bool:
        again = checked(target, less, seed)
        return again is not None and again.split(":")[0] == kind

    case = reduce(case, fails)
    code = relations.code(case, seed, kind) if kind in relations.RELATIONS else case.code()
    return f"{code}\n# {checked(target, case, seed)}"


@dataclass
class Tally:
    """What has been run of a target."""

    seed: int
    cases: int = 0
    failed: int = 0
    seconds: float = 0.0
    memory: int = 0

    def __str__(self) -> str:
        return (
            f"{self.cases} cases, {self.failed} failed, {self.seconds:.0f} s, "
            f"at most {self.memory / 1024**2:.0f} MiB; the next seed is {self.seed}"
        )


def attack(name: str, tally: Tally, most_cases: int, most_seconds: float, brief: bool) -> None:
    """Run a batch of a target."""
    target = TARGETS[name]

    def say(seed: int, what: str) -> None:
        print(f"{name}, seed {seed}: {what}", flush=True)

    def check(seed: int) -> bool:
        if (wrong := failure(target, seed)) is None:
            return False
        say(seed, wrong[1])
        if not brief:
            print(reproduction(target, seed, *wrong) + "\n", flush=True)
        return True

    begin = monotonic()
    batch = batches.run(check, range(tally.seed, tally.seed + most_cases), say, most_seconds)
    tally.seed = batch.next_seed
    tally.cases += batch.cases
    tally.failed += batch.failed
    tally.seconds += monotonic() - begin
    tally.memory = max(tally.memory, batch.memory)


def main() -> int:
    """Run cases until time is up; give 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--cases", type=int, default=10**9, help="most cases of a target")
    parser.add_argument("--brief", action="store_true", help="a line for each failure, not reduced")
    parser.add_argument("--progress", action="store_true", help="a line for each process of cases")
    given = parser.parse_args()
    gc.freeze()  # what is imported stays
    tallies = {name: Tally(given.first) for name in given.targets}
    begin = monotonic()
    while (left := 60 * given.minutes - (monotonic() - begin)) > 0:
        unfinished = [name for name in tallies if tallies[name].cases < given.cases]
        if not unfinished:
            break
        name = min(unfinished, key=lambda name: tallies[name].seconds / TARGETS[name].share)
        tally = tallies[name]
        cases_left = min(given.cases - tally.cases, CASES_OF_A_PROCESS)
        attack(name, tally, cases_left, min(left, SECONDS_OF_A_PROCESS), given.brief)
        if given.progress:
            print(f"# {name}: {tally}", flush=True)
    for name, tally in tallies.items():
        print(f"{name}: {tally}")
    return int(any(tally.failed for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
