"""Models as JavaScript modules, run by Node.js on rows on and beside every boundary."""

from __future__ import annotations

import shutil

import pytest

import treewright as tw
from helpers.exporting import MAKERS, model

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


@pytest.mark.parametrize("form", ["auto", "table"])
@pytest.mark.parametrize("name", MAKERS)
def test_a_module_answers_as_the_model_does(name: str, form: str) -> None:
    fitted = model(name)
    certificate = tw.certify(fitted, fitted.export("javascript", form=form), "javascript", n_random=500)
    assert certificate.mismatches == 0, str(certificate)


@pytest.mark.parametrize("name", ["iris", "mpg", "forest shared hard"])
def test_a_script_for_a_page_answers_as_the_model_does(name: str) -> None:
    fitted = model(name)
    certificate = tw.certify(fitted, fitted.export("javascript", module="script"), "javascript")
    assert certificate.mismatches == 0, str(certificate)
