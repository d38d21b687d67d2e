"""Settings shared by all tests, and the fixtures of those that run commands or read files."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from helpers.browsing import one_browser, page_of_irises, reading, visiting  # noqa: F401  # fixtures
from helpers.command_line import IRIS, Run
from helpers.node import node_beside_the_page  # noqa: F401
from helpers.serving import server_of_irises  # noqa: F401
from treewright.cli import main
from treewright.files import Workspace

# The suite draws the same examples every time; HYPOTHESIS_PROFILE=search goes looking for new ones.
# How long it takes to draw them says how busy the machine is.
usual = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("suite", usual, max_examples=25, derandomize=True)
settings.register_profile("search", usual, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes many seconds or much memory; deselect with -m 'not slow'")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close what plots have opened: matplotlib warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


# A run that was started in the background ignores Ctrl-C; tests of interrupts need it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder of its own; give exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        captured = capfd.readouterr()
        return status, captured.out, captured.err

    return run_command


@pytest.fixture
def iris(run: Run) -> str:
    """A model of the irises, in the folder of the test."""
    assert run("fit", IRIS, "--target", "species", "--folds", "0", "--quiet") == (0, "", "")
    return "iris.tw"


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    """A place to read files into."""
    with Workspace() as opened:
        yield opened
