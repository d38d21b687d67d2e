"""Models as JavaScript modules, run by Node.js on rows on and beside every boundary."""

from __future__ import annotations

import shutil

import pytest

from helpers.exporting import MAKERS, assert_certified

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


@pytest.mark.parametrize("form", ["auto", "table"])
@pytest.mark.parametrize("name", MAKERS)
def test_a_module_answers_as_the_model_does(name: str, form: str) -> None:
    assert_certified(name, "javascript", form=form)


@pytest.mark.parametrize("name", ["iris", "mpg", "forest shared hard"])
def test_a_script_for_a_page_answers_as_the_model_does(name: str) -> None:
    assert_certified(name, "javascript", n_random=0, module="script")
