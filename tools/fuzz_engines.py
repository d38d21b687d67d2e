"""Look for tables from which two engines of the core grow different trees: `make fuzz`.

Each failure is shrunk and printed as code; `--first SEED --cases 1` finds it again.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from time import monotonic

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from helpers.engine_cases import CHECKS, random_case, shrink


def main() -> int:
    """Run cases until time is up; give 1 if a comparison failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="stop after this time (default: 60)")
    parser.add_argument("--cases", type=int, default=10**9, help="stop after so many tables")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first table")
    parser.add_argument(
        "--checks", nargs="+", choices=CHECKS, default=list(CHECKS), help="comparisons to make"
    )
    parser.add_argument("--criterion", help="grow by this criterion only")
    parser.add_argument("--brief", action="store_true", help="a line for each failure, not shrunk")
    given = parser.parse_args()
    end = monotonic() + given.seconds
    run: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for seed in range(given.first, given.first + given.cases):
        if monotonic() > end:
            break
        case = random_case(seed, given.criterion)
        for name in given.checks:
            run[name] += 1
            difference = CHECKS[name](case)
            if difference is None:
                continue
            failed[f"{name}, {case.recipe['criterion']}"] += 1
            print(f"seed {seed}, {name}: {difference}; {case.recipe}", flush=True)
            if not given.brief:
                smaller = shrink(case, CHECKS[name])
                print(f"{name}({smaller!r})  # {CHECKS[name](smaller)}\n", flush=True)
    print(f"{sum(run.values())} comparisons: {dict(run)}")
    for name, number in failed.most_common():
        print(f"{number} failed: {name}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
