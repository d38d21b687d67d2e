"""How long work takes."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]


def run_times(work: Callable[[], object], times: int, clock: Clock = time.perf_counter) -> list[float]:
    """Run work several times; give the seconds of each run by a clock."""
    taken = []
    for _ in range(times):
        begin = clock()
        work()
        taken.append(clock() - begin)
    return taken
