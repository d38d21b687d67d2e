"""Workers of a cluster that die in the middle of their work, once, and what they are asked to do, noted."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from treewright.distributed import dask as on_workers


@dataclass(frozen=True)
class Watched:
    """A function that workers run: each partition that it is given is noted in a folder, as a file.

    Parameters
    ----------
    name : str
        Of the function in `treewright.distributed.dask`.
    folder : Path
    dies : bool
        Whether one call is the last of its worker: it is killed, and what it lost is noted.
    question : str or None
        The kind of question to die of; None is any.
    others : tuple of int
        Processes that are killed with the worker.
    """

    name: str
    folder: Path
    dies: bool = False
    question: str | None = None
    others: tuple[int, ...] = ()

    def __call__(self, *given: Any) -> Any:
        partitions = given[1] if self.name == "_ask" else given[:1]
        self._note(self.name, len(partitions))
        if self.dies and self.question in (None, type(given[0]).__name__):
            self._die_once(len(partitions))
        return getattr(on_workers, self.name)(*given)

    def _note(self, what: str, n_partitions: int) -> None:
        for _ in range(n_partitions):
            (self.folder / f"{what} {uuid4()}").touch()

    def _die_once(self, n_partitions: int) -> None:
        """End as the system ends processes when memory is short; a file tells workers that one has."""
        try:
            (self.folder / "died").touch(exist_ok=False)
        except FileExistsError:
            return
        self._note("lost", n_partitions)
        for process in {*self.others, os.getpid()} - {os.getpid()}:
            os.kill(process, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
