"""What goes wrong while a tree grows from files or on a cluster: it grows all the same, or one is told."""

import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treewright as tw
from helpers.interrupting import interrupt
from treewright.distributed import dask as cluster_of_dask

N = 24_000
WAIT = 500  # seconds: as long as it takes where there is much else to do; a test may take 600


def rows(n_rows=N):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=n_rows), "b": rng.integers(0, 30, n_rows)})
    return frame.assign(y=np.where(frame["a"] + rng.normal(size=n_rows) > 1, "yes", "no"))


# ---- this machine ------------------------------------------------------------------------------------------


def run(program, *, check=True):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=check,
        timeout=WAIT,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_disk_that_is_full_is_one_sentence(kind, tmp_path):
    frame, temporary = rows(200_000), tmp_path / "scratch"
    temporary.mkdir()
    frame.to_parquet(tmp_path / "t.parquet") if kind == "parquet" else frame.to_csv(
        tmp_path / "t.csv", index=False
    )
    found = run(
        f"""
        import resource, treewright as tw
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        try:
            table = tw.open_table({str(tmp_path / f"t.{kind}")!r}, temporary_folder={str(temporary)!r})
            tw.DecisionTreeClassifier().fit(table, "y")
        except OSError as error:
            print(error)
        """
    )
    assert "no space left for temporary files" in found.stdout
    assert len(found.stdout.splitlines()) == 1
    assert list(temporary.iterdir()) == []


def is_growing(folder):
    """Whether rows have been sent to nodes. Folders that vanish meanwhile are passed over."""
    return any("nodes" in names for _, _, names in os.walk(folder))


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_ends_it_and_removes_temporary_files(tmp_path):
    temporary = tmp_path / "scratch"
    temporary.mkdir()
    rows(400_000).to_parquet(tmp_path / "t.parquet")
    program = textwrap.dedent(
        f"""
        import treewright as tw
        place = {str(temporary)!r}
        table = tw.open_table({str(tmp_path / "t.parquet")!r}, memory="16MB", temporary_folder=place)
        while True:
            tw.DecisionTreeClassifier().fit(table, "y")
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) as process:
        try:
            deadline = time.monotonic() + WAIT
            while not is_growing(temporary) and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            assert is_growing(temporary) or process.poll() is None, process.communicate()[1]
            _, said = interrupt(process)
        finally:
            process.kill()
    assert "KeyboardInterrupt" in said
    assert list(temporary.iterdir()) == []


def test_ctrl_c_while_files_are_removed_leaves_none(tmp_path):
    """What is left of them goes when the process ends."""
    rows(1000).to_parquet(tmp_path / "t.parquet")
    temporary = tmp_path / "scratch"
    temporary.mkdir()
    found = run(
        f"""
        import treewright as tw
        from treewright.distributed import local_files
        def interrupt(self):
            raise KeyboardInterrupt
        local_files.StoredPartitions.close = interrupt
        table = tw.open_table({str(tmp_path / "t.parquet")!r}, temporary_folder={str(temporary)!r})
        tw.DecisionTreeClassifier().fit(table, "y")
        """,
        check=False,
    )
    assert "KeyboardInterrupt" in found.stderr
    assert list(temporary.iterdir()) == []


@pytest.fixture(scope="module")
def hundred_megabytes(tmp_path_factory):
    """A table of 1.2 million rows of ten numbers, and classes and numbers to predict."""
    folder = tmp_path_factory.mktemp("table")
    for number in range(4):
        rng = np.random.default_rng(number)
        columns = {f"x{i}": rng.normal(size=300_000) for i in range(10)}
        number_of = columns["x0"] + rng.normal(size=300_000)
        columns |= {"number": number_of, "class": (number_of > 0).astype(np.int8)}
        pq.write_table(pa.table(columns), folder / f"{number}.parquet")
    return folder


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits what the kernel gives to the process")
@pytest.mark.parametrize(
    "model",
    [
        "DecisionTreeClassifier(max_depth=6)",
        "DecisionTreeRegressor(max_depth=6)",
        "TreeClassifier(cv=2, max_depth=6)",
        "RandomForestClassifier(2, max_depth=6)",
    ],
)
def test_memory_stays_within_its_limit(model, hundred_megabytes):
    """A quarter of the table and 100 MB beside what the imports take: resident, and all the system gives."""
    target, other = ("number", "class") if "Regressor" in model else ("class", "number")
    found = run(
        f"""
        import resource
        import duckdb, pyarrow.parquet, sklearn.tree, treewright as tw

        def taken(what):
            with open("/proc/self/status") as status:
                return next(1024 * int(line.split()[1]) for line in status if line.startswith(what + ":"))

        allowed = 24_000_000 + 100_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (taken("VmData") + allowed,) * 2)
        before = taken("VmRSS")
        table = tw.open_table({str(hundred_megabytes)!r}, memory="24MB")
        columns = [name for name in table.columns if name != {other!r}]
        table = tw.open_table({str(hundred_megabytes)!r}, memory="24MB", columns=columns)
        model = tw.{model}.set_params(n_jobs=1).fit(table, {target!r})
        print(table.shape, model.score(table, {target!r}) > 0.1, taken("VmHWM") - before < allowed)
        """
    )
    assert found.stdout == "(1200000, 11) True True\n"


# ---- a cluster ---------------------------------------------------------------------------------------------


distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")


@pytest.fixture
def small(monkeypatch):
    """Little memory, so that a small table has large nodes."""
    monkeypatch.setattr(cluster_of_dask.DaskCluster, "memory", 5_000_000)


@pytest.mark.slow
def test_a_lost_scheduler_is_one_sentence(small, monkeypatch, tmp_path):
    address = tmp_path / "scheduler.json"
    script = "from distributed.cli.dask_scheduler import main; main()"
    scheduler = subprocess.Popen(
        [sys.executable, "-c", script, "--port", "0", "--no-dashboard", "--scheduler-file", str(address)],
        stderr=subprocess.DEVNULL,
    )
    worker = subprocess.Popen(
        [
            *(sys.executable, "-c", "from distributed.cli.dask_worker import main; main()"),
            *(
                "--scheduler-file",
                str(address),
                "--nthreads",
                "1",
                "--no-dashboard",
                "--death-timeout",
                str(WAIT),
            ),
        ],
        stderr=subprocess.DEVNULL,
    )
    answer = cluster_of_dask.DaskCluster._answer

    def answered(self, asked, parts):
        if type(asked).__name__ == "Count":
            scheduler.kill()
        return answer(self, asked, parts)

    monkeypatch.setattr(cluster_of_dask.DaskCluster, "_answer", answered)
    try:
        with distributed.Client(scheduler_file=str(address), timeout=WAIT) as client:
            client.wait_for_workers(1, timeout=WAIT)
            with pytest.raises(ConnectionError, match="scheduler of the Dask cluster cannot be reached"):
                tw.DecisionTreeClassifier().fit(dd.from_pandas(rows(), npartitions=2), "y")
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
