"""Tables with ties, point masses, categories, missing values and heavy tails, in memory and as files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import treewright as tw

N = 24_000
SMALL = "17MB"

TABLES = ["numbers", "three classes", "seven classes", "missing", "few categories", "categories", "noise"]


def numbers(rng, n=N):
    return {
        "normal": rng.normal(size=n),
        "ties": rng.integers(0, 20, n).astype(float),
        "mass": np.where(rng.random(n) < 0.5, 0.0, rng.normal(size=n)),
        "whole": rng.integers(-5, 10**6, n),
    }


def labels(rng, columns, k):
    first, second, *_ = columns.values()
    signal = np.asarray(first, float) + 0.3 * np.asarray(second, float) + rng.normal(size=len(first))
    return pa.array([f"class {c}" for c in np.digitize(signal, np.quantile(signal, np.arange(1, k) / k))])


def table_of(name):
    rng = np.random.default_rng(len(name))
    columns = numbers(rng)
    y = labels(rng, columns, {"three classes": 3, "seven classes": 7}.get(name, 2))
    if name == "missing":
        for key in ("normal", "ties"):
            columns[key] = np.where(rng.random(N) < 0.15, np.nan, columns[key])
        columns["whole"] = pa.array(columns["whole"], mask=rng.random(N) < 0.1)
    if "categories" in name:
        few, many = rng.integers(0, 12, N), np.minimum(rng.geometric(0.004, N), 1000)
        y = pa.array(["no" if c else "yes" for c in (rng.normal(size=N) + few % 3 + many % 2 > 1)])
        columns["few"] = pa.array([f"f{c}" for c in few], mask=rng.random(N) < 0.05)
        columns["many"] = pa.array([f"m{c}" for c in (many if name == "categories" else many % 60)])
        columns["truth"] = pa.array(rng.random(N) < 0.3)
        columns["size"] = pa.DictionaryArray.from_arrays(rng.integers(0, 3, N), ["S", "M", "L"], ordered=True)
        columns["day"] = pa.array(np.datetime64("2020-01-01") + rng.integers(0, 900, N))
        columns["moment"] = pa.array(np.datetime64("2020-01-01T00:00:00", "ns") + rng.integers(0, 10**15, N))
    if name == "noise":
        y = pa.array(rng.integers(0, 2, N))
    return pa.table({**columns, "y": y})


def write(table, folder, n_files, rows_of_group=3000):
    for number in range(n_files):
        begin, end = number * len(table) // n_files, (number + 1) * len(table) // n_files
        pq.write_table(
            table.slice(begin, end - begin), folder / f"{number:03d}.parquet", row_group_size=rows_of_group
        )
    return tw.open_table(folder, memory=SMALL)


def assert_same(one, other):
    assert one.schema == other.schema
    ours, theirs = one.arrays(), other.arrays()
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        assert array.dtype == theirs[name].dtype, name
        assert array.shape == theirs[name].shape, name
        assert array.tobytes() == theirs[name].tobytes(), name


def in_memory(model, table, weight=None):
    given = None if weight is None else table[weight].to_numpy()
    return model.fit(table.drop_columns(["y", *([weight] if weight else [])]), table["y"], given).tree_


def weights_of(kind, rng):
    """Weights whose sums round: some alike, some of all sizes from 1e-3 to 1e3, some that count nothing."""
    if kind == "tenths":
        return rng.integers(0, 9, N) / 10
    return np.where(rng.random(N) < 0.1, 0.0, 10.0 ** rng.uniform(-3, 3, N))


def regression_table(name):
    """Numbers to predict: near the sum of some columns, with heavy tails, or far from zero."""
    rng = np.random.default_rng(len(name))
    table = table_of(name if name in TABLES else "numbers").drop_columns(["y"])
    x = np.nan_to_num(table["normal"].to_numpy(zero_copy_only=False))
    y = 3 * x + (x > 0.5) + rng.normal(size=N)
    if name == "heavy tails":
        y = y + rng.standard_cauchy(N) ** 3
    elif name == "far from zero":
        y = 1e9 + np.round(y, 3)
    elif name == "few values":
        y = np.round(y)
    elif name == "noise":
        y = rng.normal(size=N)
    elif "categories" in name:
        y = y + np.array([len(text) % 3 + hash_of(text) for text in table["many"].to_pylist()])
    return table.append_column("y", pa.array(y))


def hash_of(text):
    return sum(map(ord, text)) % 7
