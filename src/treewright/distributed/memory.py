"""How much memory a fit may use, and what it is used for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from treewright.parameter_types import is_whole

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
LEAST = 16 * 10**6
LEAST_OF_DATABASE = 64 * 10**6
SAMPLE = 131_072
"""Rows whose values lead to codes."""
LEAST_SUBTREE = 8192
"""Nodes of more rows know where to send even the categories they lack: subtrees hold all that have fewer."""


def read_size(memory: int | str) -> int:
    """Read an amount of memory: a number of bytes, or a text such as ``"2GB"``.

    Examples
    --------
    >>> read_size("2GB"), read_size("1.5 GiB"), read_size(10**9)
    (2000000000, 1610612736, 1000000000)
    """
    if is_whole(memory):
        size = int(memory)
    else:
        found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([A-Za-z]*)\s*", str(memory))
        if found is None or found[2].upper() not in UNITS:
            raise ValueError(
                f"memory must be a number of bytes or a text such as '2GB'. Got {memory!r} instead."
            )
        size = int(float(found[1]) * UNITS[found[2].upper()])
    if size < LEAST:
        raise ValueError(f"memory must be at least 16MB. Got {memory!r} instead.")
    return size


def database_bytes(memory: int) -> int:
    """Give what DuckDB may use of an amount of memory; it cannot do with less than 64 MB."""
    return max(memory // 2, LEAST_OF_DATABASE)


@dataclass(frozen=True)
class Budget:
    """What the memory of a fit is used for.

    Examples
    --------
    >>> Budget(10**9, 10).partition_rows, Budget(10**9, 10).subtree_rows
    (781250, 651041)
    """

    memory: int
    n_features: int

    @property
    def partition_rows(self) -> int:
        """Rows of a partition: as they are read, as numbers, and as codes."""
        return max(1024, self.memory // 4 // (32 * self.n_features))

    @property
    def subtree_rows(self) -> int:
        """Rows of a subtree that is grown in memory."""
        return max(LEAST_SUBTREE, self.memory // 4 // (36 * self.n_features + 24))

    @property
    def histogram_bytes(self) -> int:
        """Histograms of nodes that are searched by one pass; those of their parents wait in as much."""
        return self.memory // 8

    @property
    def sample_rows(self) -> int:
        """Rows whose values lead to codes."""
        return max(1024, min(SAMPLE, self.memory // 16 // (24 * self.n_features)))
