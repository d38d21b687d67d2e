"""Whole files: the new one or the old one, never a part, and never in place of a device."""

from __future__ import annotations

import os
import stat
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
