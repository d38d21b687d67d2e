"""Atomic writing of files: completely or not at all."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the name of a new file beside `path` to write to; at the end it is `path`, on an error it is gone.

    What was written is forced to the disk before it takes the name, so that after a power cut the name leads
    to the old file or to the new one. A process that is killed leaves what it had written, which the next
    that writes this file removes. A link of that name is replaced, not followed; a pipe or a device, such as
    `/dev/stdout`, is written to as it is.

    Parameters
    ----------
    path : str or path
        The file to make or to replace.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/a.txt") as beside:
    ...         _ = beside.write_text("all of it")
    ...     Path(folder, "a.txt").read_text()
    'all of it'
    """
    target = Path(path)
    is_file = not _is_device(target)
    beside = _beside(target) if is_file else target
    try:
        yield beside
        if is_file:
            with open(beside, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(beside, target)
    except BaseException as problem:
        if is_file:
            with suppress(OSError):
                beside.unlink()
        if isinstance(problem, OSError) and problem.errno and problem.filename in (None, str(beside), beside):
            problem.filename, problem.filename2 = str(target), None  # the name that the user knows
        raise
    if is_file and os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _beside(target: Path) -> Path:
    """Name a new file in the folder of another, and remove what others have left there for it."""
    name = hashlib.sha256(f"{platform.node()}/{target.name}".encode(errors="surrogateescape")).hexdigest()
    prefix = f".{name[:12]}-"
    _remove_abandoned(target.parent, prefix)
    return target.with_name(f"{prefix}{os.getpid()}-{secrets.token_hex(8)}.tmp")


def _remove_abandoned(folder: Path, prefix: str) -> None:
    """Remove what processes of this machine left when they were killed writing a file of this name."""
    if os.name != "posix":
        return  # elsewhere asking for a process may end it
    with suppress(OSError):
        for left in folder.glob(f"{prefix}*.tmp"):
            process = left.name.removeprefix(prefix).partition("-")[0]
            if process.isdecimal() and not _is_running(int(process)):
                left.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass  # it is somebody else's, or no number of a process
    return True


def _is_device(path: Path) -> bool:
    """Whether a name is that of a pipe or a device, which nobody wants to be replaced by a file."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or path.parent == Path("/dev")
