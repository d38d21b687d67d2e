"""Models as Python modules, run on rows on and beside every boundary."""

from __future__ import annotations

import pytest

from helpers.exporting import MAKERS, assert_certified


@pytest.mark.parametrize("name", MAKERS)
def test_a_module_answers_as_the_model_does(name: str) -> None:
    assert_certified(name, "python")


@pytest.mark.parametrize("name", MAKERS)
def test_a_module_of_tables_answers_as_the_model_does(name: str) -> None:
    assert_certified(name, "python", form="table")
