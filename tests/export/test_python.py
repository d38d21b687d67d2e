"""Models as Python modules, run on rows on and beside every boundary."""

from __future__ import annotations

import pytest

import treewright as tw
from helpers.exporting import MAKERS, model


@pytest.mark.parametrize("name", MAKERS)
def test_a_module_answers_as_the_model_does(name: str) -> None:
    fitted = model(name)
    certificate = tw.certify(fitted, fitted.export("python"), "python", n_random=500)
    assert certificate.mismatches == 0, str(certificate)


@pytest.mark.parametrize("name", MAKERS)
def test_a_module_of_tables_answers_as_the_model_does(name: str) -> None:
    fitted = model(name)
    certificate = tw.certify(fitted, fitted.export("python", form="table"), "python", n_random=500)
    assert certificate.mismatches == 0, str(certificate)
