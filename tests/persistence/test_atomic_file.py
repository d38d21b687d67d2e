"""Whole files: the new one or the old one, never a part, and never in place of a device."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from treewright.persistence.atomic_file import whole_file


def test_a_file_is_there_when_it_is_complete(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a") as beside:
        beside.write_text("new")
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").read_text() == "new"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("problem", [OSError("disk full"), KeyboardInterrupt()])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path, problem: BaseException) -> None:
    (tmp_path / "a").write_text("old")

    def write_half() -> None:
        with whole_file(tmp_path / "a") as beside:
            beside.write_text("half")
            raise problem

    with pytest.raises(type(problem)):
        write_half()
    assert (tmp_path / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_nothing_written_is_an_error_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "a"):
        pass
    assert os.listdir(tmp_path) == []


def test_a_device_stays_a_device() -> None:
    with whole_file("/dev/null") as beside:
        beside.write_text("gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with whole_file(pipe) as beside:
        beside.write_text("through")
    reader.join()
    assert read == ["through"]


WRITE_AND_WAIT = """
import sys, time
from treewright.persistence.atomic_file import whole_file
with whole_file(sys.argv[1]) as beside:
    beside.write_text("half of")
    print(flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(os.name != "posix", reason="asks for processes as POSIX does")
def test_what_a_killed_process_left_is_removed_by_the_next_that_writes_the_file(tmp_path: Path) -> None:
    (tmp_path / ".other.tmp").write_text("of somebody else")

    def writer(name: str) -> subprocess.Popen[str]:
        arguments = [sys.executable, "-c", WRITE_AND_WAIT, str(tmp_path / name)]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()  # it has written
        return process

    killed, of_another_file, running = writer("a.txt"), writer("b.txt"), writer("a.txt")
    try:
        for process in (killed, of_another_file):
            process.kill()
            process.wait()
        assert len(list(tmp_path.glob(".*.tmp"))) == 4
        with whole_file(tmp_path / "a.txt") as beside:
            beside.write_text("all of it")
        left = sorted(path.read_text() for path in tmp_path.glob(".*.tmp"))
        assert left == ["half of", "half of", "of somebody else"]  # b.txt's, and that of the running process
        assert (tmp_path / "a.txt").read_text() == "all of it"
    finally:
        for process in (killed, of_another_file, running):
            process.kill()
            process.communicate()
    for name in ("a.txt", "b.txt"):
        with whole_file(tmp_path / name) as beside:
            beside.write_text("again")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other.tmp", "a.txt", "b.txt"]


def test_names_of_any_length_and_letters_are_written(tmp_path: Path) -> None:
    for name in ("n" * 255, "ö[*]?", "a b", ".tmp"):
        with whole_file(tmp_path / name) as beside:
            beside.write_text(name)
        assert (tmp_path / name).read_text() == name
