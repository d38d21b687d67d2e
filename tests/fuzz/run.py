"""Fuzz for a while: `make fuzz MINUTES=60`.

Each failure is reduced and printed as Python; it is found again by its target and seed, as in
`python tests/fuzz/run.py --targets relations --first 7 --cases 1`.
"""

from __future__ import annotations

import argparse
import faulthandler
import signal
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from fuzz import cases, engines, exports, invariants, model_files, relations, server_requests, table_files
from fuzz.reduction import reduce

MOST_SECONDS = 60
"""Of the processor, that a case may take."""


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


class TooLongError(Exception):
    """A case takes more time than any may."""


def _too_long(*_: object) -> None:
    raise TooLongError(f"no end after {MOST_SECONDS} seconds")


def failure(target: Target, seed: int) -> tuple[Any, str] | None:
    """Give the case of a seed and what is wrong with it, if something is."""
    case = target.make(seed)
    if case is None:
        return None
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        found = target.check(case, seed)
    except TooLongError as problem:
        found = str(problem)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None if found is None else (case, found)


def reproduction(target: Target, seed: int, case: Any, found: str) -> str:
    """Reduce a failure, and write it as Python."""
    kind = found.split(":", maxsplit=1)[0]

    def fails(less: Any) -> bool:
        again = target.check(less, seed)
        return again is not None and again.split(":")[0] == kind

    case = reduce(case, fails)
    code = relations.code(case, seed, kind) if kind in relations.RELATIONS else case.code()
    return f"{code}\n# {target.check(case, seed)}"


def main() -> int:
    """Run cases until time is up; give 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--cases", type=int, default=10**9, help="most cases of a target")
    parser.add_argument("--brief", action="store_true", help="a line for each failure, not reduced")
    given = parser.parse_args()
    faulthandler.enable()
    signal.signal(signal.SIGPROF, _too_long)
    total = sum(TARGETS[name].share for name in given.targets)
    run, failed, took = Counter[str](), Counter[str](), Counter[str]()
    seeds = dict.fromkeys(given.targets, given.first)
    begin = monotonic()
    while (now := monotonic()) - begin < 60 * given.minutes:
        open_targets = [name for name in given.targets if seeds[name] < given.first + given.cases]
        if not open_targets:
            break
        name = min(open_targets, key=lambda name: took[name] / TARGETS[name].share * total)
        seed = seeds[name]
        seeds[name] += 1
        run[name] += 1
        if (wrong := failure(TARGETS[name], seed)) is not None:
            failed[name] += 1
            print(f"{name}, seed {seed}: {wrong[1]}", flush=True)
            if not given.brief:
                print(reproduction(TARGETS[name], seed, *wrong) + "\n", flush=True)
        took[name] += monotonic() - now
    server_requests.stop()
    for name, number in run.items():
        print(f"{name}: {number} cases, {failed[name]} failed, {took[name]:.0f} s")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
