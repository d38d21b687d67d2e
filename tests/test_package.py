"""The package as a whole: its public names, what importing it loads, its version, the stub of its core."""

import ast
import inspect
import pickle
import pkgutil
import re
import subprocess
import sys
import sysconfig
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import treewright
from treewright import _core
from treewright._module_names import MOVED

ROOT = Path(__file__).parent.parent


def modules_after(statement: str) -> set[str]:
    """Top-level packages loaded by a statement in a fresh interpreter."""
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_treewright_leaves_the_slow_packages_alone() -> None:
    slow = {"sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "narwhals", "safetensors"}
    slow |= {"click", "rich", "duckdb", "numpy"}
    assert not modules_after("import treewright") & slow


def test_the_version_is_told_without_numpy() -> None:
    assert "numpy" not in modules_after("from treewright.cli import main; main(['--version'])")


@pytest.mark.parametrize(
    "package", ["treewright", "treewright.export", "treewright.explain", "treewright.files"]
)
def test_names_that_are_loaded_when_asked_for_are_all_there(package: str) -> None:
    code = f"import {package} as room; print(*[name for name in room.__all__ if not hasattr(room, name)])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'absent'"):
        import_module(package).absent  # noqa: B018


def test_asking_for_an_estimator_loads_scikit_learn() -> None:
    assert "sklearn" in modules_after("import treewright; treewright.DecisionTreeClassifier")


@pytest.mark.parametrize("name", treewright.__all__)
def test_public_name_exists_and_is_documented(name: str) -> None:
    public = getattr(treewright, name)
    assert name in dir(treewright)
    assert isinstance(public, str) or inspect.getdoc(public)


def test_public_classes_say_that_they_are_of_treewright() -> None:
    public = [getattr(treewright, name) for name in treewright.__all__]
    classes = [thing for thing in public if inspect.isclass(thing)]
    assert len(classes) >= 15
    for kind in classes:
        assert repr(kind) == f"<class 'treewright.{kind.__name__}'>"
        assert pickle.loads(pickle.dumps(kind)) is kind


def test_no_name_hides_a_module() -> None:
    for found in pkgutil.walk_packages(treewright.__path__, "treewright."):
        if found.name != "treewright.__main__":
            module = import_module(found.name)
            room, _, name = found.name.rpartition(".")
            assert getattr(sys.modules[room], name) is module, found.name


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_a_module_of_version_0_1_gives_what_the_one_in_its_place_has(old: str, new: str) -> None:
    module = import_module(f"treewright.{new}")
    for name, value in vars(module).items():
        if not name.startswith("__") and not isinstance(value, ModuleType):
            assert getattr(import_module(f"treewright.{old}"), name) is value


def test_other_modules_that_are_no_more_are_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match="sklearn_trees"):
        import_module("treewright.sklearn_trees")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'DecisionTreeClasifier'"):
        treewright.DecisionTreeClasifier  # noqa: B018


def test_version_is_the_same_everywhere() -> None:
    citation = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert citation
    assert treewright.__version__ == version("treewright") == citation[1]
    assert f"## {treewright.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has its interpreter lock"
)
def test_a_free_threaded_python_has_its_lock_with_us() -> None:
    """docs/reliability.md says so: the core does not declare that it can do without."""
    assert sys._is_gil_enabled()  # type: ignore[attr-defined]


def test_the_core_is_one_file_for_all_versions_of_python() -> None:
    assert _core.__file__ is not None
    assert ".abi3." in Path(_core.__file__).name  # free-threaded builds have no such interface


def test_stub_of_the_core_names_the_functions_and_parameters_of_the_core() -> None:
    stub = ast.parse((ROOT / "src/treewright/_core.pyi").read_text())
    described = {}
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            described[node.name] = [argument.arg for argument in node.args.args]
        elif isinstance(node, ast.ClassDef):
            names = {method.name for method in node.body if isinstance(method, ast.FunctionDef)}
            described[node.name] = sorted(names - {"__init__"})
    compiled = {}
    for name, function in vars(_core).items():
        if isinstance(function, type):
            compiled[name] = sorted(method for method in vars(function) if not method.startswith("_"))
        elif not name.startswith("_"):
            signature = function.__nb_signature__[0][0]
            compiled[name] = re.findall(r"(\w+): ", signature)
    assert described == compiled
