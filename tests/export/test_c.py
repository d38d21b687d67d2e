"""Models as C, compiled and run on rows on and beside every boundary."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.exporting import MAKERS, assert_certified, model
from treewright.errors import ExportError

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")


@pytest.mark.parametrize("form", ["auto", "table"])
@pytest.mark.parametrize("name", MAKERS)
def test_a_program_answers_as_the_model_does(name: str, form: str) -> None:
    assert_certified(name, "c", form=form)


@pytest.mark.parametrize("form", ["auto", "table"])
@pytest.mark.parametrize(
    "name", ["iris", "any 3", "forest", "forest shared hard", "predicates", "many categories"]
)
def test_the_compiler_has_nothing_to_complain_of(name: str, form: str, tmp_path: Path) -> None:
    model(name).export("c", tmp_path / "model.c", form=form)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(["cc", *strict, "-c", "model.c"], cwd=tmp_path, check=True)


def test_two_models_can_be_linked_together(tmp_path: Path) -> None:
    for name in ("iris", "mpg"):
        model(name).export("c", tmp_path / f"{name}.c", prefix=f"{name}_")
    (tmp_path / "main.c").write_text(
        "#include <stdio.h>\n#include <math.h>\n"
        "int iris_predict(const double *); extern const char *const iris_classes[];\n"
        "double mpg_predict(const double *);\n"
        "int main(void) { double row[9] = {0}; row[0] = 1.0;\n"
        'printf("%s %d\\n", iris_classes[iris_predict(row)], isnan(mpg_predict(row))); return 0; }\n'
    )
    subprocess.run(["cc", "main.c", "iris.c", "mpg.c", "-o", "both"], cwd=tmp_path, check=True)
    done = subprocess.run(["./both"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "setosa 0\n"


def test_a_prefix_must_be_a_name() -> None:
    with pytest.raises(ExportError, match="prefix must be letters, digits and underscores"):
        model("iris").export("c", prefix="int x; //")
