"""Models as JSON: read back, and written again in any language."""

from __future__ import annotations

import hashlib
import json

import pytest

import treewright as tw
from helpers.exporting import MAKERS, assert_certified, model
from treewright.errors import ExportError
from treewright.export import export_model, read_json


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_read_back_answers_as_the_model_does(name: str) -> None:
    assert_certified(name, "json")


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_read_back_is_written_the_same(name: str) -> None:
    text = model(name).export("json")
    assert export_model(read_json(text), "json") == text


def test_the_certificate_is_of_the_json() -> None:
    text = model("iris").export("json")
    certificate = tw.certify(model("iris"), text, "json")
    assert certificate.artefact_digest == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "treewright program", "version": 99}', '{"format": "x", "version": 1}'],
)
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(ExportError, match="the JSON holds no program"):
        read_json(text)


def test_what_is_read_becomes_no_code() -> None:
    content = json.loads(model("iris").export("json"))
    content["trees"][0]["nodes"][0]["branches"] = ["__import__('os')", 2]
    with pytest.raises(ExportError, match="the JSON holds no program"):
        read_json(json.dumps(content))
