"""A failure in few words: what a case can do without is left out for as long as it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, Protocol, TypeVar


class Reducible(Protocol):
    """What can be said with less."""

    def simpler(self) -> Iterator[Any]:
        """Give cases that say less."""


C = TypeVar("C", bound=Reducible)


def reduce(case: C, fails: Callable[[C], bool], seconds: float = 60.0) -> C:
    """Give the smallest case found that fails, trying for so long."""
    end = monotonic() + seconds
    smaller = True
    while smaller:
        smaller = False
        for less in case.simpler():
            if monotonic() > end:
                return case
            try:
                failed = fails(less)
            except Exception:  # a case that cannot be made
                failed = False
            if failed:
                case, smaller = less, True
                break
    return case
