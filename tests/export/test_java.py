"""Models as Java classes, compiled and run on rows on and beside every boundary."""

from __future__ import annotations

import shutil

import pytest

import treewright as tw
from helpers.exporting import MAKERS, assert_certified, model
from treewright.errors import ExportError

needs_java = pytest.mark.skipif(shutil.which("javac") is None, reason="no Java Development Kit is installed")


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_a_class_answers_as_the_model_does(name: str) -> None:
    assert_certified(name, "java")


@needs_java
def test_a_class_may_stand_in_a_package() -> None:
    fitted = model("iris")
    text = fitted.export("java", class_name="Iris", package="org.example.flowers")
    assert tw.certify(fitted, text, "java").mismatches == 0


@pytest.mark.parametrize("name", ["class", "a b", "A { } //", "1A"])
def test_a_class_must_have_a_name_of_java(name: str) -> None:
    with pytest.raises(ExportError, match="class_name must be a name of Java"):
        model("iris").export("java", class_name=name)
