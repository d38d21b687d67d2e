"""Dask DataFrames: the tree of the cluster is that of memory, whatever becomes of the workers."""

import os
from contextlib import contextmanager
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.killing import Watched
from helpers.open_tables import regression_table, table_of
from treewright.distributed import dask as cluster_of_dask

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")

# On a machine that has much else to do Dask warns of folders that take long to make.
pytestmark = pytest.mark.filterwarnings("ignore:.*taking a surprisingly long time")

N = 24_000


WAIT = 500  # seconds: as long as it takes where there is much else to do

PATIENT = {f"distributed.comm.timeouts.{name}": f"{WAIT}s" for name in ("connect", "tcp")}
"""On a machine that has much else to do it takes a while until a worker answers."""


@contextmanager
def workers(n_workers=2):
    with (
        dask.config.set(PATIENT),
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            dashboard_address=":0",
            memory_limit="1GB",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster, timeout=f"{WAIT}s") as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with workers() as client:
        yield client


@pytest.fixture
def mortal(client):
    """The same, of at least two workers, which may die: those who died twice are not started again."""
    while True:
        try:
            client.wait_for_workers(2, timeout=30)
            return client
        except TimeoutError:
            client.cluster.scale(len(client.cluster.worker_spec) + 1)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Little memory, so that a small table has large nodes."""
    monkeypatch.setattr(cluster_of_dask.DaskCluster, "memory", 5_000_000)


def rows(seed=0):
    rng = np.random.default_rng(seed)
    few = rng.integers(0, 9, N)
    frame = pd.DataFrame({"a": rng.normal(size=N), "b": rng.integers(0, 30, N), "c": [f"c{v}" for v in few]})
    frame.loc[rng.random(N) < 0.1, "a"] = np.nan
    frame["y"] = np.where(np.nan_to_num(frame["a"]) + few % 3 + rng.normal(size=N) > 1, "yes", "no")
    return frame


def arrays(model):
    return {name: array.tobytes() for name, array in model.tree_.arrays().items()}


def test_no_client_is_one_sentence():  # before there is one
    with pytest.raises(ValueError, match="there is no client"):
        tw.DecisionTreeClassifier().fit(dd.from_pandas(rows(), npartitions=2), "y")


@pytest.mark.parametrize("n_partitions", [1, 5])
def test_same_tree(client, n_partitions):
    frame = rows()
    expected = tw.DecisionTreeClassifier().fit(frame.drop(columns="y"), frame["y"])
    found = tw.DecisionTreeClassifier().fit(dd.from_pandas(frame, npartitions=n_partitions), "y")
    assert arrays(found) == arrays(expected)
    assert found.tree_.schema == expected.tree_.schema


@pytest.mark.slow
@pytest.mark.parametrize("name", ["seven classes", "categories", "missing", "noise", "heavy tails"])
def test_same_tree_of_every_kind_of_table(client, name):
    """Ties, point masses, 1,000 levels, missing values, several classes, noise, numbers far out."""
    numbers = name == "heavy tails"
    kind = tw.DecisionTreeRegressor if numbers else tw.DecisionTreeClassifier
    frame = (regression_table if numbers else table_of)(name).to_pandas(
        date_as_object=False
    )  # objects are text
    parts = dd.from_pandas(frame, npartitions=7)
    for depth in (8, None):
        expected = kind(max_depth=depth).fit(frame.drop(columns="y"), frame["y"])
        assert arrays(kind(max_depth=depth).fit(parts, "y")) == arrays(expected)


@pytest.mark.parametrize(
    "model",
    [
        tw.RandomForestClassifier(10, random_state=1),
        tw.ExtraTreesClassifier(2, random_state=1, max_depth=8),
        tw.RandomForestClassifier(1, random_state=1, class_weight="balanced_subsample"),
    ],
    ids=str,
)
def test_same_forest(client, model):
    frame = rows()
    expected = type(model)(**model.get_params()).fit(frame.drop(columns="y"), frame["y"])
    parts = dd.from_pandas(frame, npartitions=5)
    found = model.fit(parts, "y")
    for name, array in expected.trees_.arrays.items():
        assert array.tobytes() == found.trees_.arrays[name].tobytes(), name
    assert (found.predict(parts).compute() == expected.predict(frame.drop(columns="y"))).all()
    probabilities = found.predict_proba(parts).compute()
    assert (probabilities.to_numpy() == expected.predict_proba(frame.drop(columns="y"))).all()


def test_chances_of_rows_are_refused_by_name(client):
    frame = dd.from_pandas(rows(), npartitions=2)
    with pytest.raises(ValueError, match="class_weight are chances to be drawn"):
        tw.RandomForestClassifier(2, class_weight="balanced").fit(frame, "y")


@pytest.mark.parametrize(
    ("model", "numbers", "weight"),
    [
        (tw.DecisionTreeClassifier(class_weight="balanced"), False, None),
        (tw.DecisionTreeRegressor(), True, None),
        (tw.DecisionTreeRegressor(max_depth=8), True, "w"),
    ],
    ids=["balanced", "regression", "weighted regression"],
)
def test_same_tree_where_sums_round(client, model, numbers, weight):
    frame, rng = rows(5), np.random.default_rng(6)
    if numbers:
        frame["y"] = np.nan_to_num(frame["a"]) + rng.standard_cauchy(N)
    if weight:
        frame[weight] = rng.integers(0, 9, N) / 10
    X = frame.drop(columns=["y", *([weight] if weight else [])])
    expected = arrays(model.fit(X, frame["y"], None if weight is None else frame[weight]))
    found = model.fit(dd.from_pandas(frame, npartitions=4), "y", sample_weight=weight)
    assert arrays(found) == expected


def test_a_readable_tree_of_files_and_of_the_cluster(client, tmp_path):
    frame = rows(2)
    frame.to_parquet(tmp_path / "0.parquet")
    expected = tw.TreeClassifier(cv=3).fit(tw.open_table(tmp_path), "y")
    found = tw.TreeClassifier(cv=3).fit(dd.from_pandas(frame, npartitions=4), "y")
    assert arrays(found) == arrays(expected)


def test_predictions_are_lazy(client):
    frame = rows()
    model = tw.DecisionTreeClassifier(max_depth=4).fit(frame.drop(columns="y"), frame["y"])
    lazy = dd.from_pandas(frame, npartitions=3)
    found = model.predict(lazy)
    assert isinstance(found, dd.Series)
    np.testing.assert_array_equal(found.compute(), model.predict(frame.drop(columns="y")))
    shares = model.predict_proba(lazy).compute()
    assert list(shares.columns) == ["no", "yes"]
    np.testing.assert_array_equal(shares.to_numpy(), model.predict_proba(frame.drop(columns="y")))


PHASES = {
    "reading": ("_to_arrow", None),
    "survey": ("_ask", "Survey"),
    "coding": ("_encode", None),
    "totals": ("_ask", "TotalsQuestion"),
    "describing": ("_ask", "Describe"),
    "counting": ("_ask", "Count"),
    "looking": ("_ask", "Look"),
    "joining": ("_join", "Count"),
    "gathering subtrees": ("_take", None),
    "growing subtrees": ("_grow", None),
}
"""What a worker is at when it dies: a function, and the question that it is asked."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phase", "all_die"),
    [*((phase, False) for phase in PHASES), *((phase, True) for phase in ("coding", "looking"))],
)
def test_killed_workers_change_nothing(phase, all_die, mortal, monkeypatch, tmp_path):
    """SIGKILL in the middle of a task; where all die, the others with it."""
    frame, model = rows(3), tw.DecisionTreeClassifier(class_weight="balanced")
    expected = arrays(model.fit(frame.drop(columns="y"), frame["y"]))
    name, question = PHASES[phase]
    others = tuple(mortal.run(os.getpid).values()) if all_die else ()
    deadly = Watched(name, tmp_path, dies=True, question=question, others=others)
    monkeypatch.setattr(cluster_of_dask, name, deadly)
    found = model.fit(dd.from_pandas(frame, npartitions=4), "y")
    assert (tmp_path / "died").exists()
    assert arrays(found) == expected


@pytest.mark.slow
def test_four_workers_of_which_one_dies(monkeypatch, tmp_path):
    frame, model = rows(4), tw.DecisionTreeClassifier(max_depth=8)
    expected = arrays(model.fit(frame.drop(columns="y"), frame["y"]))
    parts = dd.from_pandas(frame, npartitions=9)
    with workers(4):
        assert arrays(model.fit(parts, "y")) == expected
        deadly = Watched("_ask", tmp_path, dies=True, question="Count")
        monkeypatch.setattr(cluster_of_dask, "_ask", deadly)
        assert arrays(model.fit(parts, "y")) == expected
    assert (tmp_path / "died").exists()


def read_noted(number, folder):
    """Read one part of the table, and note that it was read."""
    (folder / f"read {uuid4()}").touch()
    return rows(3)[number * N // 6 : (number + 1) * N // 6]


@pytest.mark.slow
def test_a_killed_worker_costs_its_part_and_two_rounds(mortal, monkeypatch, tmp_path):
    """Its partitions are read and coded once more, and asked no more than two questions again."""
    frame, model = rows(3), tw.DecisionTreeClassifier(class_weight="balanced")
    counts = {}
    for dies in (False, True):
        folder = tmp_path / str(dies)
        folder.mkdir()
        with monkeypatch.context() as patched:
            for name in ("_ask", "_encode"):
                deadly = dies and name == "_ask"
                patched.setattr(cluster_of_dask, name, Watched(name, folder, dies=deadly, question="Count"))
            model.fit(dd.from_map(read_noted, range(6), folder=folder, meta=frame.iloc[:0]), "y")
        counts[dies] = [len(list(folder.glob(f"{what} *"))) for what in ("read", "_encode", "_ask")]
    lost = len(list(folder.glob("lost *")))
    assert counts[False][:2] == [6, 6]
    again = np.subtract(counts[True], counts[False])
    assert 0 < lost <= 6
    assert (again <= [lost, lost, 2 * lost]).all(), (counts, lost)


def test_joining_again_adds_nothing_twice():
    """A task that joins answers may be tried again: those that it was given stay as they are."""

    class Sums:
        @staticmethod
        def join(one, other):
            one += other
            return one

    answers = [np.ones(2), np.ones(2)]
    for _ in range(2):
        assert cluster_of_dask._join(Sums, answers).tolist() == [2, 2]
