"""Models of PMML, run by JPMML-Evaluator on rows on and beside every boundary."""

from __future__ import annotations

import shutil
from contextlib import suppress

import pytest

from helpers.exporting import MAKERS, examination, model
from treewright.errors import ExportError

pytest.importorskip("jpmml_evaluator")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")


@pytest.mark.parametrize("name", MAKERS)
def test_a_document_answers_as_the_model_does_or_is_refused(name: str) -> None:
    fitted = model(name)
    document = None
    with suppress(ExportError):
        document = fitted.export("pmml")
    if document is None:
        with pytest.raises(ExportError, match="which pmml cannot hold"):
            fitted.export("pmml")
        return
    certificate = examination(name).certify(document, "pmml")
    assert certificate.mismatches == 0, str(certificate)
