"""Cases in a process of their own: a crash, a hang and memory that grows are failures, not the end of a run.

A process of the system ends with its batch, so that nothing adds up over a hundred thousand cases. Two limits
end a case: one that Python hears (`limited`), and, for what hears nothing, one of the system.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
import resource
import signal
import struct
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

MOST_SECONDS = 60
"""Of the processor, that a case may take."""
MOST_WAITING = 900
"""Seconds of the clock: a case that waits for ever takes none of the processor's."""
MOST_MEMORY = 2 * 1024**3
"""Bytes that a process of cases may have held at once."""


class TooLongError(Exception):
    """A case takes more time than any may."""


def _too_long(*_: object) -> None:
    raise TooLongError(f"no end after {MOST_SECONDS} seconds")


@contextmanager
def limited() -> Iterator[None]:
    """Raise `TooLongError` after `MOST_SECONDS`; where nobody hears of it for as long, end the process."""
    before = signal.signal(signal.SIGPROF, _too_long)
    usual, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + 2 * MOST_SECONDS) + 1, most))
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (usual, most))
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Batch:
    """What a process has done: cases that ended, failures among them, and the seed to go on with."""

    cases: int
    failed: int
    next_seed: int
    memory: int


def run(check: Callable[[int], bool], seeds: range, say: Callable[[int, str], None], seconds: float) -> Batch:
    """Check seeds in a process of their own, for so long; `check` says whether one fails."""
    with mmap.mmap(-1, 16) as board:  # the case at work, and how many have failed
        _write(board, seeds.start, 0)
        child = os.fork()
        if not child:
            _work(check, seeds, board, seconds)
        status, use = _wait(child, board)
        at, failed = struct.unpack("qq", board[:])
    if status:
        number = os.waitstatus_to_exitcode(status)
        say(at, f"the process ends with {signal.Signals(-number).name if number < 0 else number}")
        at, failed = at + 1, failed + 1
    memory = use.ru_maxrss * 1024
    if memory > MOST_MEMORY:
        say(at, f"{memory / 1024**3:.1f} GiB are held at once, by this case or one before it")
        failed += 1
    return Batch(at - seeds.start, failed, at, memory)


def run_here(check: Callable[[int], bool], seeds: range, seconds: float) -> Batch:
    """Check seeds in this process: ThreadSanitizer loses track of threads in a fork."""
    end, failed, at = time.monotonic() + seconds, 0, seeds.start
    while at < seeds.stop and time.monotonic() <= end:
        failed += check(at)
        at += 1
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Batch(at - seeds.start, failed, at, memory)


def _write(board: mmap.mmap, seed: int, failed: int) -> None:
    board[:] = struct.pack("qq", seed, failed)


def _work(check: Callable[[int], bool], seeds: range, board: mmap.mmap, seconds: float) -> NoReturn:
    """Check seeds, and end the process."""
    faulthandler.enable()
    faulthandler.register(signal.SIGXCPU, all_threads=True, chain=True)
    code, end, failed = 1, time.monotonic() + seconds, 0
    try:
        for seed in seeds:
            failed += check(seed)
            _write(board, seed + 1, failed)
            if time.monotonic() > end:
                break
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _wait(child: int, board: mmap.mmap) -> tuple[int, resource.struct_rusage]:
    """Wait for the end of a process, and end it if a case does not."""
    seen, since = -1, time.monotonic()
    pause = 0.001
    while True:
        ended, status, use = os.wait4(child, os.WNOHANG)
        if ended:
            return status, use
        (at,) = struct.unpack("q", board[:8])
        if at != seen:
            seen, since = at, time.monotonic()
        elif time.monotonic() - since > MOST_WAITING:
            os.kill(child, signal.SIGABRT)  # its threads are written down
        time.sleep(pause)
        pause = min(0.2, 1.5 * pause)
