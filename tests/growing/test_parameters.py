"""A parameter is declared once: what follows from its entry, and that one entry is enough to add one."""

from __future__ import annotations

import inspect
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree

import generate_parameters
import treewright as tw
from treewright import _core
from treewright.data import Dataset
from treewright.growing.grow_tree import core_options, core_table
from treewright.growing.parameters import ESTIMATORS, PARAMETERS, REQUIRED, parameters_of
from treewright.growing.recipe import Recipe

ROOT = Path(__file__).parent.parent.parent
OWNERS = sorted(generate_parameters.OWNERS)


def test_what_is_written_from_the_declaration_is_as_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate_parameters.main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("owner", OWNERS)
def test_every_default_is_allowed(owner: str) -> None:
    for name, entry in parameters_of(owner).items():
        assert entry.default is REQUIRED or entry.domain.test(entry.default), name


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_an_estimator_has_the_declared_parameters_in_order(name: str) -> None:
    signature = inspect.signature(getattr(tw, name)).parameters
    declared = parameters_of(name)
    assert {key: parameter.default for key, parameter in signature.items()} == {
        key: entry.default for key, entry in declared.items()
    }
    if name != "ID3Classifier":  # whose own come after those of the class it is made from
        assert list(signature) == list(declared)


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_signatures_begin_as_in_scikit_learn(name: str) -> None:
    ours = list(inspect.signature(getattr(tw, name)).parameters)
    theirs = getattr(sklearn.tree, name, None) or getattr(sklearn.ensemble, name, None)
    if theirs is None:
        theirs = sklearn.tree.DecisionTreeClassifier
    known = [key for key in inspect.signature(theirs).parameters if key in ours]
    if name.startswith(("Decision", "Random", "Extra")):
        assert ours[: len(known)] == known
    assert ours[0] not in ("unseen", "inf")
    assert [key for key in ours if key in known] == known


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_docstrings_describe_every_parameter_or_say_where(name: str) -> None:
    text = inspect.getdoc(getattr(tw, name)) or ""
    elsewhere = " ".join(text.split()).partition(" are those of `")[0] if "are those of" in text else ""
    for key, entry in parameters_of(name).items():
        described = f"\n{key} : {entry.domain.described}\n" in text
        assert described or f"`{key}`" in elsewhere or elsewhere.endswith(("All others", "They")), key


def test_every_parameter_is_in_the_table_of_the_docs() -> None:
    page = (ROOT / "docs" / "parameters.md").read_text("utf-8")
    for entry in PARAMETERS:
        assert f"| `{entry.name}` |" in page or not entry.owners & ESTIMATORS


# ---- one entry more ----------------------------------------------------------------------------------------

ENTRY = """    Parameter(
        "least_luck",
        number(0.0, 1.0),
        0.5,
        "How lucky a split must be. Only a test knows.",
        GROWN | FORESTS,
        core="{core}",
    ),
"""
HERE = '    Parameter(\n        "max_terms",\n'
FRESH = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
sys.path.insert(0, "src")
"""
SEEN = """
import inspect
import treewright as tw
from treewright.data import Dataset
for kind in (tw.DecisionTreeClassifier, tw.DecisionTreeRegressor, tw.ID3Classifier, tw.RandomForestRegressor):
    assert inspect.signature(kind).parameters["least_luck"].default == 0.5
    assert list(inspect.signature(kind).parameters).index("least_luck") > 10
told = "    least_luck : float\\n        How lucky a split must be. Only a test knows.\\n"
assert told in tw.DecisionTreeClassifier.__doc__
assert "`least_luck`" in tw.RandomForestClassifier.__doc__
try:
    tw.DecisionTreeClassifier(least_luck=7).fit([[1.0]], [0])
except ValueError as refused:
    print(refused)
model = tw.RandomForestClassifier(2, least_luck=0.25)
schema = Dataset.from_table([[1.0]], [0], task="classification").schema
print(model._tree_estimator()._recipe(schema).least_luck, tw.Recipe("gini").least_luck)
"""


@pytest.mark.parametrize("core", ["", "double = 0.5"])
def test_one_entry_adds_a_parameter(core: str, tmp_path: Path) -> None:
    def run(*arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-c", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    package = tmp_path / "src" / "treewright"
    shutil.copytree(
        ROOT / "src" / "treewright", package, ignore=shutil.ignore_patterns("__pycache__", "assets")
    )
    shutil.copy(_core.__file__, package)
    for file in ("tools/generate_parameters.py", "core/base/recipe.hpp", "docs/parameters.md"):
        (tmp_path / file).parent.mkdir(parents=True)
        shutil.copy(ROOT / file, tmp_path / file)
    declared = package / "growing" / "parameters.py"
    text = declared.read_text("utf-8")
    assert HERE in text
    declared.write_text(text.replace(HERE, ENTRY.format(core=core) + HERE, 1), "utf-8")

    generate = FRESH + "import runpy; runpy.run_path('tools/generate_parameters.py', run_name='__main__')"
    stale = run(generate, "--check", code=1)
    run(generate)
    run(generate, "--check")
    assert "src/treewright/estimators/tree.py" in stale
    assert ("core/base/recipe.hpp" in stale) is bool(core)
    choices = (tmp_path / "core/base/recipe.hpp").read_text()
    assert ("CHOICE(double, least_luck, 0.5)" in choices) is bool(core)
    assert "| `least_luck` | `0.5` | trees, ID3, forests |" in (tmp_path / "docs/parameters.md").read_text()

    said = run(FRESH + SEEN).splitlines()
    assert said == [
        "The 'least_luck' parameter of DecisionTreeClassifier must be a float in the range [0.0, 1.0]. Got 7 "
        "instead.",
        "0.25 0.5",
    ]
    command = FRESH + "from treewright.cli import main; raise SystemExit(main(sys.argv[1:]))"
    assert "--least-luck VALUE" in run(command, "fit", "--help")
    fitted = FRESH + "import treewright as tw; tw.DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])"
    run(fitted, code=1 if core else 0)  # the core was compiled without it


# ---- the border to the core --------------------------------------------------------------------------------


def rows() -> Dataset:
    return Dataset.from_table(np.arange(20.0).reshape(-1, 1), [0, 1] * 10, task="classification")


def test_the_core_refuses_a_choice_that_it_does_not_know() -> None:
    dataset, options = core_options(rows(), Recipe("gini"), 1, None)
    with pytest.raises(ValueError, match=r"a choice that core/base/recipe\.hpp does not have"):
        _core.grow(*core_table(dataset), dataset.weight, options | {"max_dept": 3})


@pytest.mark.parametrize(
    "name", ["max_depth", "max_leaf_nodes", "max_nodes", "max_bins", "max_competitors", "max_surrogates"]
)
def test_a_limit_may_be_larger_than_the_core_can_count(name: str) -> None:
    settings: dict[str, Any] = {"missing": "surrogate"} if name == "max_surrogates" else {}
    X, y = tw.datasets.load_iris()
    limited = tw.DecisionTreeClassifier(**{name: 10**30}, **settings).fit(X, y)
    assert limited.score(X, y) == 1.0
