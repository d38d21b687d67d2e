"""Run code that others wrote for scikit-learn's trees and forests with our classes in their place.

python tools/clients.py [NAME ...]

Distributions are fetched with pip into build/clients, nothing of them is committed. What fails with our
classes runs with scikit-learn's, too; what fails with ours alone and is not in `LEFT_OUT` fails the run.
Names: gallery, guide, those of `SUITES`, and folders of the gallery as gallery/tree. Libraries whose
distributions have no tests, as mlxtend and imodels, are not among them; nor are examples that fetch data.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from pip._internal.commands import create_command
from pip._vendor.packaging.specifiers import SpecifierSet

from run_guide import DIFFER

ROOT = Path(__file__).parent.parent
HOME = ROOT / "build" / "clients"
PACKAGES = HOME / "packages"

SUITES = {
    "imbalanced-learn": "imblearn.ensemble",
    "forestci": "tests",
    "treeinterpreter": "tests",
    "shap": "tests/explainers/test_tree.py",
}
"""What to test of each distribution: a package that has its tests inside, or a place in its sources."""

NEEDED = ["sklearn-compat", "slicer", "tqdm", "numba", "llvmlite", "cloudpickle", "pytest-mpl", "xgboost"]
"""What they need besides what our own tests do."""

NAMED = re.compile(r"\b(DecisionTree|RandomForest|ExtraTrees)(Classifier|Regressor)\b")
NETWORK = re.compile(r"\bfetch_\w+\(")

CHANCE = "prints or compares figures of its own random draws"
OTHER_CODE = "tests the default of another class, which is scikit-learn's own tree"

LEFT_OUT: dict[str, str] = {
    "guide tree.rst line 207": CHANCE,
    "imblearn.ensemble.tests.test_bagging.test_estimator": OTHER_CODE,
    "TestExplainerSklearn.test_sklearn_random_forest_multiclass": CHANCE,
}
"""What fails with our classes and why that is no fault, by what its name contains."""


@dataclass(frozen=True)
class Outcome:
    """What came of one test, example or page."""

    client: str
    name: str
    theirs: bool
    ours: bool
    words: str

    @property
    def left_out(self) -> str:
        """The reason why a failure does not count; empty if it does."""
        if self.words == DIFFER:
            return CHANCE
        full = f"{self.client} {self.name}"
        return next((reason for part, reason in LEFT_OUT.items() if part in full), "")


def main() -> None:
    """Run all clients, or those named, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["guide", "gallery", *SUITES])
    HOME.mkdir(parents=True, exist_ok=True)
    failed = 0
    print(
        f"{'client':18} {'run':>5} {'passed':>7} {'failed':>7} {'left out':>9} {'not with scikit-learn':>22}"
    )
    for name in parser.parse_args().names:
        outcomes = list(outcomes_of(name))
        with_theirs = [outcome for outcome in outcomes if outcome.theirs]
        wrong = [outcome for outcome in with_theirs if not outcome.ours]
        excused = [outcome for outcome in wrong if outcome.left_out]
        counts = len(with_theirs) - len(wrong), len(wrong) - len(excused), len(excused)
        passed, failures, left_out = counts
        failed += failures
        others = len(outcomes) - len(with_theirs)
        print(f"{name:18} {len(outcomes):5} {passed:7} {failures:7} {left_out:9} {others:22}", flush=True)
        if not outcomes:
            failed += 1
            print("    nothing was run", flush=True)
        for outcome in wrong:
            print(f"    {outcome.name}: {outcome.left_out or outcome.words}", flush=True)
    sys.exit(1 if failed else 0)


def outcomes_of(name: str) -> Iterator[Outcome]:
    """Run one client."""
    if name.startswith("gallery"):
        return gallery(sources(f"scikit-learn=={version('scikit-learn')}") / "examples" / name[8:])
    if name == "guide":
        return guide(sources(f"scikit-learn=={version('scikit-learn')}") / "doc" / "modules")
    return suite(name)


# ---- what others have written ----------------------------------------------------------------------------


def sources(requirement: str) -> Path:
    """Fetch and unpack a source distribution."""
    folder = HOME / "sources" / requirement
    if not folder.exists():
        with tarfile.open(fileobj=BytesIO(source_archive(requirement))) as tar:
            tar.extractall(folder, filter="data")
    (inner,) = folder.iterdir()
    library = inner / requirement
    if library.is_dir():  # tests shall find the library that is installed, with what was compiled for it
        library.rename(inner / f"{requirement}-not-built")
    return inner


def source_archive(requirement: str) -> bytes:
    """Fetch a source distribution from where pip is told to look, without building it.

    `pip download` builds it to learn what it depends on: which for scikit-learn means to compile all of it.
    """
    name, _, wanted = requirement.partition("==")
    command = create_command("download")
    options, _ = command.parse_args(["--no-binary", name, name])
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session)
        found = finder.find_best_candidate(name, specifier=SpecifierSet(f"=={wanted}" if wanted else ""))
        if found.best_candidate is None:
            raise SystemExit(f"{requirement}: no source distribution found.")
        answer = session.get(found.best_candidate.link.url_without_fragment)
    answer.raise_for_status()
    return answer.content


def install(*requirements: str) -> None:
    """Install packages beside our environment, without what it has already."""
    if missing := [one for one in requirements if not (PACKAGES / f".{one}").exists()]:
        pip("install", "--no-deps", "--upgrade", "--target", str(PACKAGES), *missing)
        for one in missing:
            (PACKAGES / f".{one}").touch()


def pip(*arguments: str) -> None:
    """Run pip quietly."""
    subprocess.run([sys.executable, "-m", "pip", arguments[0], "--quiet", *arguments[1:]], check=True)


# ---- running it --------------------------------------------------------------------------------------------


def run(arguments: Iterable[str], folder: Path, minutes: int = 10) -> subprocess.CompletedProcess[str]:
    """Run Python where our helpers and the installed packages are found, without windows."""
    paths = os.pathsep.join(map(str, (ROOT / "tests", ROOT / "tools", PACKAGES)))
    settings = os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "agg", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, *arguments]
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=settings,
            capture_output=True,
            text=True,
            check=False,
            timeout=60 * minutes,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"not done after {minutes} minutes")


RUN_SCRIPT = (
    "import runpy, sys; {swap}sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
)
SWAP = "import helpers.sklearn_swap as plugin; plugin.swap(); "


def gallery(examples: Path) -> Iterator[Outcome]:
    """Run the examples of scikit-learn that use our classes and need no network."""
    for path in sorted(examples.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if not NAMED.search(source) or NETWORK.search(source):
            continue
        ours = run(["-c", RUN_SCRIPT.format(swap=SWAP), str(path)], path.parent)
        passed = ours.returncode == 0
        theirs = passed or run(["-c", RUN_SCRIPT.format(swap=""), str(path)], path.parent).returncode == 0
        yield Outcome("gallery", f"{path.parent.name}/{path.name}", theirs, passed, last_line(ours.stderr))


def last_line(text: str) -> str:
    """Give the line that says what went wrong."""
    return text.strip().rpartition("\n")[2][:160]


def guide(pages: Path) -> Iterator[Outcome]:
    """Run the examples of the pages on trees and ensembles, one by one."""
    for page in ("tree.rst", "ensemble.rst"):
        program = [str(ROOT / "tools" / "run_guide.py"), str(pages / page)]
        theirs, ours = (
            dict(
                line.split("\t", 1)
                for line in run([*program, *swap], pages).stdout.splitlines()
                if "\t" in line
            )
            for swap in ([], ["--swap"])
        )
        for line, words in theirs.items():
            said = ours.get(line, "not run")
            yield Outcome("guide", f"{page} {line}", words == "", said == "", said)


def suite(name: str) -> Iterator[Outcome]:
    """Run the tests of a distribution."""
    install(name, *NEEDED)
    place = SUITES[name]
    # A library that has its tests inside may inherit from scikit-learn's classes: only its tests get ours.
    first = [] if place.startswith("tests") else [f"--import-first={place}"]
    ours = tested(name, ["-p", "helpers.sklearn_swap", "--all-tests", *first])
    theirs = tested(name, []) if not ours or any(ours.values()) else ours
    for test in sorted(theirs):
        yield Outcome(
            name, test, theirs[test] == "", test in ours and ours[test] == "", ours.get(test, "not run")
        )


def tested(name: str, plugin: list[str]) -> dict[str, str]:
    """Run the tests of a distribution once, and say what came of each."""
    place = SUITES[name]
    inside = "/" not in place and place != "tests"
    folder = HOME if inside else sources(name)
    report = HOME / f"{name}{'-ours' if plugin else ''}.xml"
    report.unlink(missing_ok=True)
    options = ["-q", "-p", "no:cacheprovider", "-p", "helpers.sklearn_removed", "-c", os.devnull]
    options += [f"--rootdir={folder}", f"--junitxml={report}"]
    options += ["-m", "not xslow"]  # what shap calls so asks for tens of gigabytes
    options += ["--pyargs", place] if inside else [place]
    run(["-m", "pytest", *plugin, *options], folder, minutes=40)
    return verdicts(report)


def verdicts(report: Path) -> dict[str, str]:
    """Read a report of pytest: the first line of each failure, nothing for what passed, no skipped tests."""
    found: dict[str, str] = {}
    if not report.exists():
        return found
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("skipped") is None:
            failure = case.find("failure")
            failure = case.find("error") if failure is None else failure
            words = "" if failure is None else (failure.get("message") or "failed").splitlines()[0][:160]
            found[f"{case.get('classname')}.{case.get('name')}"] = words
    return found


if __name__ == "__main__":
    main()
