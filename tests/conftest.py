"""Settings shared by all tests."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

from browsing import one_browser, page_of_irises, reading, visiting  # noqa: F401  # fixtures of all tests in a browser
from serving import server_of_irises  # noqa: F401

# The suite draws the same examples every time; HYPOTHESIS_PROFILE=search goes looking for new ones.
settings.register_profile("suite", deadline=None, max_examples=25, derandomize=True, print_blob=True)
settings.register_profile("search", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes many seconds or much memory; deselect with -m 'not slow'")


# A run that was started in the background ignores Ctrl-C; tests of interrupts need it.
signal.signal(signal.SIGINT, signal.default_int_handler)
