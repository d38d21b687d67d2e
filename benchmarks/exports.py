"""Exports: what writing and certifying cost, and exported models beside treewright's own predict, one thread.

Seconds are those of the processor, programs that are called included: other work on the machine counts less.

.venv/bin/python benchmarks/exports.py        # with skl2onnx, tl2cgen and shap beside, where installed
.venv/bin/python benchmarks/exports.py --parts c shap
"""

from __future__ import annotations

import argparse
import ctypes
import resource
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw

ROWS, FEATURES = 1_000_000, 10


def seconds() -> float:
    """Seconds that the processor has spent on this process and those it has called."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def best(run: Callable[[], Any], repeat: int = 3) -> float:
    """Seconds of the fastest of several runs."""
    found = []
    for _ in range(repeat):
        begin = seconds()
        run()
        found.append(seconds() - begin)
    return min(found)


def table(n_rows: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, FEATURES))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=n_rows) > 0).astype(int)


def show(what: str, spent: float, beside: float | None = None, name: str = "predict") -> None:
    ratio = "" if beside is None else f"{spent / beside:8.2f} × {name} ({beside:.3f} s)"
    print(f"{what:<44}{spent:9.3f} s {ratio}")


def compiled(text: str, folder: str) -> Any:
    Path(folder, "model.c").write_text(text, encoding="utf-8")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "model.c", "-o", "model.so"], cwd=folder, check=True)
    return ctypes.CDLL(str(Path(folder, "model.so")))


def alternating(*runs: Callable[[], Any], repeat: int = 7) -> list[float]:
    """Seconds of the fastest of several runs of each, taken in turns: a slow minute slows all of them."""
    found: list[list[float]] = [[] for _ in runs]
    for _ in range(repeat):
        for spent, run in zip(found, runs, strict=True):
            spent.append(best(run, 1))
    return [min(spent) for spent in found]


TARGETS = ("duckdb", "sqlite", "postgresql", "c", "python", "javascript", "java", "onnx", "pmml", "json")
DATABASES = ("duckdb", "sqlite", "postgresql")


def exported(model: Any, target: str) -> tuple[str, Any]:
    """What a model is written as for a target; its certificate is asked for by the first."""
    if target in DATABASES:
        return "sql", model.export("sql", dialect=target)
    return target, model.export(target)


def writing(small: Any, large: Any, rows: Any) -> None:
    for target in TARGETS:
        spent = best(lambda t=target: exported(large, t), 1)
        show(f"writing {large.get_n_leaves()} leaves, {target}", spent)


def certifying(small: Any, large: Any, rows: Any) -> None:
    for target in TARGETS:
        name, content = exported(small, target)
        begin = seconds()
        found = tw.certify(small, content, name)
        words = (
            found.reason
            if found.mismatches is None
            else f"{found.mismatches} mismatches in {found.rows} rows"
        )
        show(f"certifying {small.get_n_leaves()} leaves, {target}", seconds() - begin)
        print(f"{'':<4}{words}")


def c(small: Any, large: Any, rows: Any) -> None:
    run = c_beside_predict(small, rows)
    tl2cgen_beside(small, rows, run)
    c_beside_predict(large, rows)


def c_beside_predict(model: Any, rows: Any) -> float:
    used = [one for one in range(FEATURES) if one in set(model.tree_.splits.feature.tolist())]
    data, answers = np.ascontiguousarray(rows[:, used]), np.empty(len(rows), np.int32)
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(model.export("c"), folder)
        library.predict_rows.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        run, own = alternating(
            lambda: library.predict_rows(data.ctypes.data, len(data), answers.ctypes.data),
            lambda: model.predict(rows),
        )
    assert (model.classes_.take(answers) == model.predict(rows)).all()
    show(f"C, {model.get_n_leaves()} leaves", run, own)
    return run


def tl2cgen_beside(model: Any, rows: Any, ours: float) -> None:
    try:
        import tl2cgen
        import treelite
    except ImportError:
        print("tl2cgen or treelite is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "theirs.so"))
        theirs = treelite.Model.deserialize_bytes(model.export("treelite"))
        tl2cgen.export_lib(theirs, toolchain="gcc", libpath=path, params={})
        predictor, data = tl2cgen.Predictor(path, nthread=1), tl2cgen.DMatrix(rows)
        spent = best(lambda: predictor.predict(data), 5)
    show(f"C, {model.get_n_leaves()} leaves", ours, spent, "tl2cgen")


def databases(small: Any, large: Any, rows: Any) -> None:
    import duckdb
    import pyarrow as pa

    data = pa.table({f"x{feature}": rows[:, feature] for feature in range(FEATURES)})
    with duckdb.connect(config={"threads": 1}) as database:
        database.register("given", data)
        database.execute("CREATE TABLE data AS SELECT * FROM given")
        query = f"SELECT count(*) FILTER (prediction = 1) FROM ({small.export('sql')})"
        run, own = alternating(
            lambda: database.execute(query).fetchall(), lambda: small.predict(rows), repeat=3
        )
    show(f"DuckDB, {small.get_n_leaves()} leaves", run, own)


def onnx(small: Any, large: Any, rows: Any) -> None:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    single = rows.astype(np.float32)
    for model in (small, large):
        what = f"ONNX Runtime, {model.get_n_leaves()} leaves"
        session = onnxruntime.InferenceSession(model.export("onnx"), options)
        runs = [lambda s=session: s.run(None, {"X": rows}), lambda m=model: m.predict(rows)]
        with suppress(ImportError):
            from skl2onnx import to_onnx

            content = to_onnx(model.to_sklearn(), single[:1], options={"zipmap": False}).SerializeToString()
            theirs = onnxruntime.InferenceSession(content, options)
            runs.append(lambda s=theirs: s.run(None, {"X": single}))
        ours, own, *others = alternating(*runs)
        show(what, ours, own)
        for spent in others:
            show(what, ours, spent, "skl2onnx, in single precision")


def shap(small: Any, large: Any, rows: Any) -> None:
    X, y = table(5_000)
    X = X.astype(np.float32).astype(float)
    models = {
        "a tree of depth 4": tw.DecisionTreeClassifier(max_depth=4, n_jobs=1),
        "a tree of depth 6": tw.DecisionTreeClassifier(max_depth=6, n_jobs=1),
        "a full tree": tw.DecisionTreeClassifier(random_state=0, n_jobs=1),
        "20 trees of depth 8": tw.RandomForestClassifier(20, max_depth=8, random_state=0, n_jobs=1),
    }
    for name, model in models.items():
        model.fit(X, y)
        some = X[:5_000] if "depth 4" in name or "depth 6" in name else X[:300]
        try:
            import shap as theirs
        except ImportError:
            show(f"SHAP of {len(some)} rows, {name}", best(lambda m=model, r=some: m.shap_values(r)))
            continue
        explainer = theirs.TreeExplainer(model.to_sklearn(), feature_perturbation="tree_path_dependent")
        ours, spent = alternating(
            lambda m=model, r=some: m.shap_values(r),
            lambda e=explainer, r=some: e.shap_values(r, check_additivity=False),
            repeat=4,
        )
        assert np.allclose(model.shap_values(some), explainer.shap_values(some, check_additivity=False))
        show(f"SHAP of {len(some)} rows, {name}", ours, spent, "shap.TreeExplainer")


PARTS = {one.__name__: one for one in (writing, certifying, c, databases, onnx, shap)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    given = parser.parse_args()
    X, y = table(120_000)
    rows = np.random.default_rng(1).normal(size=(ROWS, FEATURES))
    small = tw.DecisionTreeClassifier(max_leaf_nodes=1_000, n_jobs=1).fit(X, y)
    large = tw.DecisionTreeClassifier(max_leaf_nodes=10_000, n_jobs=1).fit(X, y)
    for name in given.parts:
        PARTS[name](small, large, rows)


if __name__ == "__main__":
    main()
