"""Models as Java classes, compiled and run on rows on and beside every boundary."""

from __future__ import annotations

import shutil

import pytest

import treewright as tw
from helpers.exporting import MAKERS, examination, model
from treewright.errors import ExportError
from treewright.export.runtimes.languages import JavaRuntime

needs_java = pytest.mark.skipif(shutil.which("javac") is None, reason="no Java Development Kit is installed")


BATCH = 12
"""Models that are compiled at once: Java takes a second to start, and little for one more."""


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(MAKERS), BATCH))
def test_classes_answer_as_the_models_do(first: int) -> None:
    names = list(MAKERS)[first : first + BATCH]
    held = [examination(name) for name in names]
    runtimes = [
        JavaRuntime(model(name).export("java", class_name=f"Model{at}"), {}) for at, name in enumerate(names)
    ]
    jobs = [(runtime, one.program, one.rows) for runtime, one in zip(runtimes, held, strict=True)]
    outcomes = JavaRuntime.run_all(jobs)
    for name, one, runtime, outcome in zip(names, held, runtimes, outcomes, strict=True):
        certificate = one.compare(runtime, "java", "", one.rows, outcome)
        assert certificate.mismatches == 0, f"{name}: {certificate}"


@needs_java
def test_a_class_may_stand_in_a_package() -> None:
    fitted = model("iris")
    text = fitted.export("java", class_name="Iris", package="org.example.flowers")
    assert tw.certify(fitted, text, "java").mismatches == 0


@pytest.mark.parametrize("name", ["class", "a b", "A { } //", "1A"])
def test_a_class_must_have_a_name_of_java(name: str) -> None:
    with pytest.raises(ExportError, match="class_name must be a name of Java"):
        model("iris").export("java", class_name=name)
