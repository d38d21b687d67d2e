"""Ctrl-C while something works: after so much of the processor's time, however busy the machine is."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


class Interruption:
    """When Ctrl-C was pressed, by the clock of this process's work; infinity if it was not."""

    pressed = float("inf")


@contextmanager
def pressed_after(seconds: float) -> Iterator[Interruption]:
    """Press Ctrl-C once this process has worked for so long in what is inside, if it still does.

    Outside of that it is not heard, whoever handles signals there: it would end the whole run of tests.
    """
    found, done, begin = Interruption(), threading.Event(), time.process_time()

    def hear(*_: object) -> None:
        if not done.is_set():
            raise KeyboardInterrupt

    def press() -> None:
        while time.process_time() < begin + seconds:
            if done.wait(0.005):
                return
        found.pressed = time.process_time()
        os.kill(os.getpid(), signal.SIGINT)

    before, thread = signal.signal(signal.SIGINT, hear), threading.Thread(target=press)
    try:
        thread.start()
        yield found
    finally:
        done.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted_after(seconds: float) -> Iterator[Interruption]:
    """The same, of what must be stopped by it."""
    with pytest.raises(KeyboardInterrupt), pressed_after(seconds) as found:
        yield found


def interrupt(process: subprocess.Popen[str], seconds: float = 60) -> tuple[str, str]:
    """Press Ctrl-C in a process until it ends; give what it has said, as `communicate` does.

    Python loses a Ctrl-C that falls into an import or into the callback of a weak reference: a person would
    press again.
    """
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    return process.communicate()
