"""Fuzz for a while: `make fuzz MINUTES=60`; `make fuzz-long` runs the cases of a release, and can be stopped.

Each failure is reduced and printed as Python; it is found again by its target and seed, as in
`python tests/fuzz/run.py --targets relations --first 7 --cases 1`.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
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
    open_tables,
    relations,
    server_requests,
    table_files,
)
from fuzz.batches import TooLongError, limited
from fuzz.reduction import reduce

CASES_OF_A_PROCESS = 4000
SECONDS_OF_A_PROCESS = 600
"""Each loads afresh what is loaded when it is asked for: polars, pages, drawings."""


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
    "open_tables": Target(open_tables.random_case_of_files, open_tables.check, 0.05),
    "model_files": Target(model_files.random_file, lambda file, _: model_files.check(file), 0.15),
    "table_files": Target(table_files.random_table, lambda table, _: table_files.check(table), 0.06),
    "requests": Target(server_requests.random_request, lambda sent, _: server_requests.check(sent), 0.04),
}
LONG = {
    "estimators": 200_000,
    "relations": 20_000,
    "exports": 4_000,
    "engines": 4_000,
    "open_tables": 4_000,
    "model_files": 100_000,
    "table_files": 4_000,
    "requests": 10_000,
}
"""Cases of a release."""


def failure(target: Target, seed: int, without: str | None = None) -> tuple[Any, str] | None:
    """Give the case of a seed and what is wrong with it, if something is; `without` tables of a form."""
    case = target.make(seed)
    if case is None or (without is not None and getattr(case, "form", None) == without):
        return None
    found = checked(target, case, seed)
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
    """What has been run of a target: seeds from `first` on, up to `last`, which is not one of them."""

    first: int
    last: int
    seed: int
    failed: int = 0
    seconds: float = 0.0
    memory: int = 0

    @property
    def cases(self) -> int:
        return self.seed - self.first

    def __str__(self) -> str:
        return (
            f"{self.cases} cases, {self.failed} failed, {self.seconds:.0f} s, "
            f"at most {self.memory / 1024**2:.0f} MiB; the next seed is {self.seed}"
        )


class Progress:
    """The tallies, kept in a file if one is named, so that a run goes on where it was stopped."""

    def __init__(self, tallies: dict[str, Tally], file: Path | None) -> None:
        self.tallies, self.file = tallies, file
        if file is None or not file.exists():
            return
        for name, kept in json.loads(file.read_text()).items():
            if name in tallies and (kept["first"], kept["last"]) == (tallies[name].first, tallies[name].last):
                tallies[name] = Tally(**kept)

    def save(self) -> None:
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            new = self.file.with_suffix(".new")
            new.write_text(json.dumps({name: asdict(tally) for name, tally in self.tallies.items()}))
            new.replace(self.file)

    def say(self, text: str) -> None:
        """Print what failed, and write it down."""
        print(text, flush=True)
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.with_suffix(".failures").open("a") as failures:
                failures.write(text + "\n")


def attack(name: str, progress: Progress, most_seconds: float, given: argparse.Namespace) -> None:
    """Run a batch of a target."""
    target, tally = TARGETS[name], progress.tallies[name]

    def say(seed: int, what: str) -> None:
        progress.say(f"{name}, seed {seed}: {what}")

    def check(seed: int) -> bool:
        if (wrong := failure(target, seed, given.without)) is None:
            return False
        say(seed, wrong[1])
        if not given.brief:
            progress.say(reproduction(target, seed, *wrong) + "\n")
        return True

    begin = monotonic()
    seeds = range(tally.seed, min(tally.last, tally.seed + CASES_OF_A_PROCESS))
    if given.no_fork:
        batch = batches.run_here(check, seeds, most_seconds)
    else:
        batch = batches.run(check, seeds, say, most_seconds)
    tally.seed = batch.next_seed
    tally.failed += batch.failed
    tally.seconds += monotonic() - begin
    tally.memory = max(tally.memory, batch.memory)
    progress.save()


def run(progress: Progress, given: argparse.Namespace) -> None:
    """Attack the target that has had least of its time, until time is up or all cases have been run."""
    begin = monotonic()
    while (left := 60 * given.minutes - (monotonic() - begin)) > 0:
        unfinished = [name for name, tally in progress.tallies.items() if tally.seed < tally.last]
        if not unfinished:
            break
        name = min(unfinished, key=lambda name: progress.tallies[name].seconds / TARGETS[name].share)
        attack(name, progress, min(left, SECONDS_OF_A_PROCESS), given)
        if given.progress:
            print(f"# {name}: {progress.tallies[name]}", flush=True)


def part_of(given: argparse.Namespace, part: int) -> Progress:
    """Give the seeds of one of the processes at work."""
    tallies = {}
    for name in given.targets:
        cases = LONG[name] if given.long else given.cases
        first, last = (given.first + cases * at // given.jobs for at in (part, part + 1))
        tallies[name] = Tally(first, last, first)
    file = None if given.state is None else Path(given.state) / f"part-{part + 1}-of-{given.jobs}.json"
    return Progress(tallies, file)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, help="60, or as long as --long takes")
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--cases", type=int, default=10**9, help="most cases of a target")
    parser.add_argument("--long", action="store_true", help="as many cases as before a release")
    parser.add_argument("--state", metavar="FOLDER", help="keep there what was run, and go on with it")
    parser.add_argument("--jobs", type=int, default=1, help="processes at work; each has its own seeds")
    parser.add_argument("--brief", action="store_true", help="a line for each failure, not reduced")
    parser.add_argument("--progress", action="store_true", help="a line for each process of cases")
    parser.add_argument("--no-fork", action="store_true", help="all in one process, as ThreadSanitizer needs")
    parser.add_argument("--without", metavar="FORM", help="leave out tables that are handed over as this")
    given = parser.parse_args()
    if given.jobs > 1 and given.state is None:
        parser.error("--jobs needs --state, where each process keeps what it has run")
    if given.minutes is None:
        given.minutes = float("inf") if given.long else 60
    return given


def main() -> int:
    """Run cases until time is up; give 1 if one failed."""
    given = arguments()
    gc.freeze()  # what is imported stays
    others = []
    for part in range(1, given.jobs):
        if not (child := os.fork()):
            run(part_of(given, part), given)
            os._exit(0)
        others.append(child)
    parts = [part_of(given, 0)]
    run(parts[0], given)
    for child in others:
        os.waitpid(child, 0)
    parts += [part_of(given, part) for part in range(1, given.jobs)]  # as they were saved
    for name in given.targets:
        for part in parts:
            print(f"{name}: {part.tallies[name]}")
    if given.long:
        print("\n| target | seeds | cases | failures | seconds |\n|---|---|---|---|---|")
        for name in given.targets:
            own = [part.tallies[name] for part in parts]
            figures = (
                sum(getattr(tally, figure) for tally in own) for figure in ("cases", "failed", "seconds")
            )
            print(
                f"| {name} | {own[0].first} to {own[-1].last - 1} | "
                + " | ".join(f"{one:,.0f}" for one in figures)
                + " |"
            )
    return int(any(tally.failed for part in parts for tally in part.tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
