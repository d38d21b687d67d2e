"""A full disk, no threads, forks after threads, two writers of one file: one sentence, or no difference."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.command_line import IRIS
from treewright.files.workspace import Workspace

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits processes as POSIX does")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20_000, 6))
Y = (X[:, 0] + RNG.normal(size=len(X)) > 0).astype(int)


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=folder, capture_output=True, text=True, check=False
    )


# ---- a disk that is full --------------------------------------------------------------------------

FULL = """
import resource, signal, sys
import treewright as tw
from treewright.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def fill():
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["fit", IRIS, "-t", "species", "--folds", "0", "-o", "out"],
        ["predict", "model.tw", IRIS, "-o", "out.csv", "--keep", "*"],
        ["convert", IRIS, "-o", "out.arff"],
        ["explore", "model.tw", "--data", IRIS, "--target", "species", "--html", "out.html"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_says_that_the_disk_is_full_and_leaves_nothing(tmp_path: Path, words: list[str]) -> None:
    tw.DecisionTreeClassifier().fit(*tw.datasets.load_iris()).save(tmp_path / "model.tw")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = python(f"{FULL}\nfill()\nsys.exit(main({words!r}))", tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("File too large.\n")  # and nothing of how DuckDB says it
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_full_disk_leaves_the_old_model(tmp_path: Path) -> None:
    code = f"""{FULL}
X, y = tw.datasets.load_iris()
model = tw.DecisionTreeClassifier(max_depth=1).fit(X, y)
model.save("model.tw")
fill()
for write in (lambda: model.fit(X, y).save("model.tw"), lambda: model.to_html("page.html")):
    try:
        write()
    except OSError:
        print("refused")
print(tw.load("model.tw").get_depth())
"""
    done = python(code.replace("max_depth=1", "max_depth=1, max_competitors=3"), tmp_path)
    assert done.stdout.split() == ["refused", "refused", "1"], done.stderr
    assert os.listdir(tmp_path) == ["model.tw"]


# ---- memory that is used up -----------------------------------------------------------------------


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="asks Linux what the process holds")
@pytest.mark.parametrize(
    "learner",
    [
        "DecisionTreeClassifier(random_state=0, n_jobs=1)",
        "RandomForestClassifier(3, random_state=0, n_jobs=2)",
        "C45Classifier(n_jobs=2)",
        "CARTClassifier(n_jobs=1)",
    ],
)
def test_out_of_memory_is_a_memory_error_and_the_next_fit_works(learner: str, tmp_path: Path) -> None:
    code = f"""
    import resource
    from pathlib import Path
    import numpy as np
    import treewright as tw

    random = np.random.default_rng(0)
    X, y = random.normal(size=(200_000, 20)), random.integers(0, 2, 200_000)
    model = tw.{learner}
    expected = model.fit(X[:200], y[:200]).predict(X[:1000])
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + 2**24, resource.RLIM_INFINITY))
    try:
        model.fit(X, y)
    except MemoryError:
        print("MemoryError", (model.predict(X[:1000]) == expected).all())
    print((model.fit(X[:200], y[:200]).predict(X[:1000]) == expected).all())
    """
    done = python(code, tmp_path)
    assert done.stdout.split() == ["MemoryError", "True", "True"], done.stderr


def test_out_of_memory_of_the_database_is_a_memory_error() -> None:
    with pytest.raises(MemoryError, match="no more"), Workspace() as workspace:
        workspace.connection.execute(
            "SET memory_limit = '1MB'; SET max_temp_directory_size = '0MB';"
            "CREATE TABLE t AS SELECT range AS a FROM range(10000000)"
        )


# ---- folders and files that refuse ----------------------------------------------------------------

ORDINARY = """
import os, sys
if os.getuid() == 0:  # who may read and write everywhere: now no longer
    import ctypes
    libc, header, held = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc.capget(header, held)
    held[0] &= ~6  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    held[1] &= ~6
    libc.capset(header, held)
import treewright as tw
from treewright.cli import main
"""


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Path]:
    """A folder with another that may not be written to, and files that may not be read."""
    closed = tmp_path / "closed"
    closed.mkdir()
    tw.DecisionTreeClassifier().fit(*tw.datasets.load_iris()).save(closed / "model.tw")
    for name in ("table.csv", "secret.csv", "secret.tw"):
        (tmp_path / name).write_bytes(Path(IRIS).read_bytes())
    (tmp_path / "secret.csv").chmod(0)
    (tmp_path / "secret.tw").chmod(0)
    closed.chmod(0o555)
    yield tmp_path
    closed.chmod(0o755)


def test_a_folder_that_may_not_be_written_to_is_left_as_it_was(shared: Path) -> None:
    before = (shared / "closed" / "model.tw").read_bytes()
    code = f"""{ORDINARY}
model = tw.DecisionTreeClassifier(max_depth=1).fit(*tw.datasets.load_iris())
for write, name in ((model.save, "model.tw"), (model.to_html, "page.html")):
    try:
        write("closed/" + name)
    except PermissionError as problem:
        print(problem.filename)
"""
    done = python(code, shared)
    assert len(done.stdout.splitlines()) == 2, done.stderr
    assert os.listdir(shared / "closed") == ["model.tw"]
    assert (shared / "closed" / "model.tw").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["fit", "table.csv", "-t", "species", "--folds", "0", "-o", "closed/model.tw"], 1),
        (["predict", "closed/model.tw", "table.csv", "-o", "closed/out.csv"], 1),
        (["convert", "table.csv", "-o", "closed/out.arff"], 1),
        (["inspect", "secret.csv"], 3),
        (["fit", "secret.csv", "-t", "species"], 3),
        (["predict", "secret.tw", "table.csv"], 4),
    ],
    ids=lambda words: "-".join(words[:2]) if isinstance(words, list) else "",
)
def test_a_command_says_what_may_not_be_read_or_written(shared: Path, words: list[str], status: int) -> None:
    done = python(f"{ORDINARY}\nsys.exit(main({words!r}))", shared)
    assert done.returncode == status, done.stderr
    assert len([line for line in done.stderr.splitlines() if not line.startswith("note: ")]) == 1
    assert "ermission denied" in done.stderr


@pytest.mark.parametrize("gone", ["model.tw", "table.csv", "folder"])
def test_what_vanishes_is_told_in_a_line(tmp_path: Path, gone: str) -> None:
    tw.DecisionTreeClassifier().fit(*tw.datasets.load_iris()).save(tmp_path / "model.tw")
    (tmp_path / "table.csv").write_bytes(Path(IRIS).read_bytes())
    (tmp_path / "folder").mkdir()
    path = tmp_path / gone
    path.rmdir() if path.is_dir() else path.unlink()
    words = ["predict", "model.tw", "table.csv", "-o", "folder/out.csv"]
    done = python(f"import sys\nfrom treewright.cli import main\nsys.exit(main({words!r}))", tmp_path)
    assert done.returncode == {"model.tw": 4, "table.csv": 3, "folder": 2}[gone], done.stderr
    assert done.stderr.count("\n") == 1
    assert path.name in done.stderr


# ---- threads and processes ------------------------------------------------------------------------


def test_without_threads_to_be_had_the_tree_is_the_same(tmp_path: Path) -> None:
    code = """
        import os, resource
        import numpy as np, treewright as tw
        X = np.random.default_rng(0).normal(size=(20_000, 6)); y = (X[:, 0] > 0) ^ (X[:, 1] > 0.3)
        models = [tw.DecisionTreeClassifier, tw.RandomForestClassifier, tw.C45Classifier]
        some = {"random_state": 0}
        trees = [make(**some, n_jobs=4).fit(X, y).predict_proba(X) for make in models]
        if os.getuid() == 0:  # whom no limit holds
            os.setgid(65534), os.setuid(65534)
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        import threading
        try:
            threading.Thread(target=print).start()
        except RuntimeError:
            print("no threads")
        again = [make(**some, n_jobs=4).fit(X, y).predict_proba(X) for make in models]
        print(all((one == other).all() for one, other in zip(trees, again)))
    """
    done = python(code, tmp_path)
    if "no threads" not in done.stdout:
        pytest.skip("threads cannot be forbidden here")
    assert done.stdout.split() == ["no", "threads", "True"], done.stderr


def _fit_and_predict(seed: int) -> Any:
    model = tw.RandomForestClassifier(3, random_state=seed, n_jobs=2).fit(X[:2000], Y[:2000])
    return model.predict_proba(X[:50])


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver", "loky"])
def test_processes_started_after_threads_fit_as_this_one(method: str) -> None:
    expected = [_fit_and_predict(seed) for seed in range(3)]  # with threads
    if method == "loky":
        from joblib import Parallel, delayed

        found = Parallel(n_jobs=2)(delayed(_fit_and_predict)(seed) for seed in range(3))
    else:
        with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
            found = list(pool.map(_fit_and_predict, range(3), timeout=500))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_two_writers_and_a_reader_of_one_file(tmp_path: Path) -> None:
    code = """
        import treewright as tw
        models = [tw.DecisionTreeClassifier(max_depth=d).fit(*tw.datasets.load_iris()) for d in (1, 3)]
        print(flush=True)
        while True:
            for model in models:
                model.save("model.tw")
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    writers = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        while not (tmp_path / "model.tw").exists():
            assert all(writer.poll() is None for writer in writers)
        depths = {tw.load(tmp_path / "model.tw").get_depth() for _ in range(200)}
    finally:
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
    assert depths <= {1, 3}
    tw.load(tmp_path / "model.tw").save(tmp_path / "model.tw")
    assert os.listdir(tmp_path) == ["model.tw"]  # what the killed ones left is gone
