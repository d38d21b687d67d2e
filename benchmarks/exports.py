"""Exports: what writing and certifying cost, and exported models beside treewright's own predict, one thread.

Seconds are those of the processor, programs that are called included: other work on the machine counts less.

.venv/bin/python benchmarks/exports.py      # with skl2onnx, tl2cgen and shap beside, where they are installed
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw

ROWS, FEATURES = 1_000_000, 10


def seconds() -> float:
    """Seconds that the processor has spent on this process and those it has called."""
    return sum(os.times()[:4])


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


def c_beside_predict(model: Any, rows: Any, what: str) -> None:
    used = [one for one in range(FEATURES) if one in set(model.tree_.splits.feature.tolist())]
    data, answers = np.ascontiguousarray(rows[:, used]), np.empty(len(rows), np.int32)
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(model.export("c"), folder)
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        library.predict_rows.argtypes = [pointer, size, pointer]
        run = best(lambda: library.predict_rows(data.ctypes.data, len(data), answers.ctypes.data))
    assert (model.classes_.take(answers) == model.predict(rows)).all()
    show(f"C, {what}", run, best(lambda: model.predict(rows)))


def main() -> None:
    X, y = table(120_000)
    rows = np.random.default_rng(1).normal(size=(ROWS, FEATURES))
    large = tw.DecisionTreeClassifier(max_leaf_nodes=10_000, n_jobs=1).fit(X, y)
    small = tw.DecisionTreeClassifier(max_leaf_nodes=1_000, n_jobs=1).fit(X, y)
    for target in ("sql", "c", "python", "javascript", "java", "onnx", "pmml", "json"):
        show(f"writing {large.get_n_leaves()} leaves as {target}", best(lambda t=target: large.export(t), 1))
    for target in ("sql", "c", "python", "javascript", "java", "onnx", "pmml", "json"):
        content = small.export(target)
        begin = seconds()
        found = tw.certify(small, content, target)
        words = (
            "not run" if found.mismatches is None else f"{found.mismatches} mismatches in {found.rows} rows"
        )
        show(f"certifying {small.get_n_leaves()} leaves as {target}", seconds() - begin)
        print(f"{'':<4}{words}")
    own = best(lambda: small.predict(rows))
    for model in (small, large):
        c_beside_predict(model, rows, f"{model.get_n_leaves()} leaves, {ROWS} rows")
    duckdb_beside_predict(small, rows, own)
    onnx_beside_predict(small, rows, own)
    shap_beside_ours(X[:5_000], y[:5_000])


def duckdb_beside_predict(model: Any, rows: Any, own: float) -> None:
    import duckdb
    import pyarrow as pa

    data = pa.table({f"x{feature}": rows[:, feature] for feature in range(FEATURES)})
    with duckdb.connect(config={"threads": 1}) as database:
        database.register("given", data)
        database.execute("CREATE TABLE data AS SELECT * FROM given")
        for form in ("auto", "nested", "table"):
            query = f"SELECT count(*) FILTER (prediction = 1) FROM ({model.export('sql', form=form)})"
            show(f"DuckDB, form {form}", best(lambda q=query: database.execute(q).fetchall(), 2), own)


def onnx_beside_predict(model: Any, rows: Any, own: float) -> None:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.export("onnx"), options)
    ours = best(lambda: session.run(["prediction"], {"X": rows}))
    show("ONNX Runtime", ours, own)
    try:
        from skl2onnx import to_onnx
    except ImportError:
        print("skl2onnx is not installed")
        return
    content = to_onnx(model.to_sklearn(), rows[:1].astype(np.float32), options={"zipmap": False})
    theirs = onnxruntime.InferenceSession(content.SerializeToString(), options)
    single = rows.astype(np.float32)
    show("ONNX Runtime beside skl2onnx", ours, best(lambda: theirs.run(None, {"X": single})), "skl2onnx")


def shap_beside_ours(X: Any, y: Any) -> None:
    forest = tw.RandomForestClassifier(20, max_depth=8, random_state=0, n_jobs=1).fit(X, y)
    some = X[:500].astype(np.float32).astype(float)
    ours = best(lambda: forest.shap_values(some), 2)
    try:
        import shap
    except ImportError:
        show("SHAP of 500 rows, 20 trees (shap is not installed)", ours)
        return
    explainer = shap.TreeExplainer(forest.to_sklearn(), feature_perturbation="tree_path_dependent")
    theirs = best(lambda: explainer.shap_values(some, check_additivity=False), 2)
    assert np.allclose(
        forest.shap_values(some), explainer.shap_values(some, check_additivity=False), atol=1e-6
    )
    show("SHAP of 500 rows, 20 trees", ours, theirs, "shap.TreeExplainer")


if __name__ == "__main__":
    main()
