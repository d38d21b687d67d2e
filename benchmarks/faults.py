"""Bad files, odd values, Ctrl-C and a full disk: what treewright and its peers do on the same tests.

    pip install lightgbm xgboost ydf     beside treewright and scikit-learn
    python benchmarks/faults.py          every program and test, as a table in Markdown (about five minutes)
    python benchmarks/faults.py ydf      some programs

Each test runs in a process of its own, so that a crash is seen and counted.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pickle
import resource
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

DAMAGED, TRUNCATED, LONGEST = 200, 50, 20  # seconds of the processor
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(400, 4))
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)


# ---- the programs: a small model and a file of it ------------------------------------------------------


class Program:
    """How a program fits, saves and loads a small classifier of trees."""

    package: str

    def __init__(self) -> None:
        import_module(
            {"scikit-learn": "sklearn.tree"}.get(self.package, self.package)
        )  # once, not in each process

    def fit(self, X: Any, y: Any, weight: Any = None, n_jobs: int = 1, rounds: int = 5) -> Any:
        """Fit `rounds` trees, or one."""
        raise NotImplementedError

    def save(self, model: Any, path: Path) -> None:
        model.save(path)

    def load(self, path: Path) -> Any:
        raise NotImplementedError

    def predict(self, model: Any, X: Any) -> Any:
        """Give probabilities."""
        return model.predict_proba(X)


class Treewright(Program):
    package = "treewright"

    def fit(self, X: Any, y: Any, weight: Any = None, n_jobs: int = 1, rounds: int = 5) -> Any:
        import treewright as tw

        return tw.DecisionTreeClassifier(random_state=0, n_jobs=n_jobs).fit(X, y, sample_weight=weight)

    def load(self, path: Path) -> Any:
        import treewright as tw

        return tw.load(path)


class ScikitLearn(Program):
    package = "scikit-learn"

    def fit(self, X: Any, y: Any, weight: Any = None, n_jobs: int = 1, rounds: int = 5) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(random_state=0).fit(X, y, sample_weight=weight)

    def save(self, model: Any, path: Path) -> None:
        with open(path, "wb") as file:
            pickle.dump(model, file)

    def load(self, path: Path) -> Any:
        with open(path, "rb") as file:
            return pickle.load(file)


class LightGBM(Program):
    package = "lightgbm"

    def fit(self, X: Any, y: Any, weight: Any = None, n_jobs: int = 1, rounds: int = 5) -> Any:
        from lightgbm import LGBMClassifier

        settings = {"min_child_samples": 1, "verbose": -1, "random_state": 0}
        model = LGBMClassifier(n_estimators=rounds, n_jobs=n_jobs, **settings)
        return model.fit(X, y, sample_weight=weight).booster_

    def save(self, model: Any, path: Path) -> None:
        model.save_model(path)

    def load(self, path: Path) -> Any:
        from lightgbm import Booster

        return Booster(model_file=path)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(X, num_threads=1)


class XGBoost(Program):
    package = "xgboost"
    suffix = ".ubj"

    def fit(self, X: Any, y: Any, weight: Any = None, n_jobs: int = 1, rounds: int = 5) -> Any:
        from xgboost import XGBClassifier

        model = XGBClassifier(n_estimators=rounds, n_jobs=n_jobs, random_state=0)
        return model.fit(X, y, sample_weight=weight)

    def save(self, model: Any, path: Path) -> None:
        model.save_model(path.with_suffix(self.suffix))
        path.with_suffix(self.suffix).rename(path)

    def load(self, path: Path) -> Any:
        from xgboost import XGBClassifier

        named = path.with_suffix(self.suffix)
        named.write_bytes(path.read_bytes())
        model = XGBClassifier()
        model.load_model(named)
        return model


class YDF(Program):
    package = "ydf"

    def fit(self, X: Any, y: Any, weight: Any = None, n_jobs: int = 1, rounds: int = 5) -> Any:
        import ydf

        ydf.verbose(0)
        table = {f"x{at}": X[:, at] for at in range(X.shape[1])} | {"y": y}
        table |= {} if weight is None else {"w": np.asarray(weight, dtype=float)}
        settings: dict[str, Any] = {"num_trees": rounds, "num_threads": n_jobs, "validation_ratio": 0.0}
        settings |= {"weights": None if weight is None else "w"}
        return ydf.GradientBoostedTreesLearner(label="y", **settings).train(table)

    def save(self, model: Any, path: Path) -> None:
        """A model is a folder; its files are put one after another, so that each can be damaged."""
        with tempfile.TemporaryDirectory() as folder:
            model.save(f"{folder}/m")
            files = {file.name: file.read_bytes() for file in sorted(Path(folder, "m").iterdir())}
        path.write_bytes(b"".join(files.values()))
        path.with_suffix(".index").write_bytes(pickle.dumps([(name, len(files[name])) for name in files]))

    def load(self, path: Path) -> Any:
        import ydf

        data, at = path.read_bytes(), 0
        with tempfile.TemporaryDirectory() as folder:
            for name, length in pickle.loads(path.with_suffix(".index").read_bytes()):
                Path(folder, name).write_bytes(data[at : at + length])
                at += length
            return ydf.load_model(folder)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict({f"x{at}": X[:, at] for at in range(X.shape[1])})


PROGRAMS = {program.package: program for program in (Treewright, ScikitLearn, LightGBM, XGBoost, YDF)}


# ---- running in a process of its own --------------------------------------------------------------------


def _answer(work: Callable[[], Any], pipe: Any, seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1), os.dup2(silent, 2)
    warnings.simplefilter("ignore")
    try:
        pipe.send(("answer", work()))
    except BaseException as problem:
        pipe.send(("error", f"{type(problem).__name__}: {problem}"[:300]))


def apart(work: Callable[[], Any], seconds: int = LONGEST) -> tuple[str, Any]:
    """What work gives in a forked process: ("answer" | "error" | "crash" | "hang", value)."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_answer, args=(work, theirs, seconds))
    process.start()
    theirs.close()
    try:
        found = ours.recv() if ours.poll(30 * seconds) else ("hang", "")
    except EOFError:
        process.join()
        end = -(process.exitcode or 0)
        return ("hang", "") if end in (signal.SIGXCPU, signal.SIGKILL) else ("crash", str(process.exitcode))
    if found[0] == "hang":
        process.kill()
    process.join()
    return found


# ---- the tests: each gives the words of a cell ------------------------------------------------------------


def _outcomes(program: Program, contents: list[bytes], folder: Path) -> str:
    """Load and use damaged files: how many crash, hang, are accepted or refused."""
    found: Counter[str] = Counter()
    for content in contents:
        path = folder / "damaged"
        path.write_bytes(content)
        if (folder / "model.index").exists():
            (folder / "damaged.index").write_bytes((folder / "model.index").read_bytes())

        def use(path: Path = path) -> None:
            program.predict(program.load(path), X[:50])

        found[apart(use)[0]] += 1
    words = {"crash": "crash", "hang": "hang", "answer": "accepted", "error": "refused"}
    return ", ".join(f"{found[kind]} {words[kind]}" for kind in words if found[kind])


def _model_file(program: Program, folder: Path) -> bytes:
    def make() -> None:
        program.save(program.fit(X, Y), folder / "model")

    kind, said = apart(make)
    assert kind == "answer", said
    return (folder / "model").read_bytes()


def damaged_files(program: Program, folder: Path) -> str:
    """Bytes of a model file set at random, one to three of them."""
    whole, random = _model_file(program, folder), np.random.default_rng(1)
    contents = []
    for _ in range(DAMAGED):
        content = bytearray(whole)
        for at in random.integers(0, len(whole), int(random.integers(1, 4))):
            content[at] ^= 1 << int(random.integers(8))
        contents.append(bytes(content))
    return _outcomes(program, contents, folder)


def truncated_files(program: Program, folder: Path) -> str:
    whole = _model_file(program, folder)
    ends = np.linspace(0, len(whole) - 1, TRUNCATED).astype(int)
    return _outcomes(program, [whole[:end] for end in ends], folder)


def full_disk(program: Program, folder: Path) -> str:
    """A save over an older file where the disk takes 1,000 bytes: what is said, and what the file is then."""
    old = _model_file(program, folder)

    def save() -> None:
        model = program.fit(X, Y, rounds=50)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        program.save(model, folder / "model")

    kind, said = apart(save)
    is_old = (folder / "model").exists() and (folder / "model").read_bytes() == old
    words = {"error": str(said).split(":")[0], "answer": "no word of it", "crash": f"crash ({said})"}
    return f"{words.get(kind, kind)}; the old file is {'intact' if is_old else 'lost'}"


def _fit_words(program: Program, X: Any, y: Any, weight: Any = None) -> str:
    def fit() -> bool:
        model = program.fit(X, y, weight)
        return bool(np.isfinite(np.asarray(program.predict(model, X), dtype=float)).all())

    kind, said = apart(fit)
    if kind == "answer":
        return "accepted" if said else "accepted, predicts NaN"
    return f"refused ({str(said).split(':')[0]})" if kind == "error" else kind


def infinite_values(program: Program, folder: Path) -> str:
    odd = X.copy()
    odd[::7, 0] = np.inf
    return _fit_words(program, odd, Y)


def missing_values(program: Program, folder: Path) -> str:
    odd = X.copy()
    odd[::7, 0] = np.nan
    return _fit_words(program, odd, Y)


def huge_values(program: Program, folder: Path) -> str:
    """1e300 and 2e300, which a classifier that sees doubles tells apart."""
    return _separates(program, 1e300, 2e300)


def neighbouring_values(program: Program, folder: Path) -> str:
    """The double that 0.1 + 0.2 gives, and 0.3."""
    return _separates(program, 0.3, 0.1 + 0.2)


def _separates(program: Program, low: float, high: float) -> str:
    column = np.repeat([low, high], 200)[:, None]
    y = np.repeat([0, 1], 200)

    def fit() -> bool:
        said = np.asarray(program.predict(program.fit(column, y, rounds=50), column), dtype=float)
        return bool((said[:200] != said[200:]).all())

    kind, said = apart(fit)
    if kind == "answer":
        return "told apart" if said else "taken as one"
    return f"refused ({str(said).split(':')[0]})" if kind == "error" else kind


def constant_columns(program: Program, folder: Path) -> str:
    return _fit_words(program, np.ones_like(X), Y)


def one_class(program: Program, folder: Path) -> str:
    return _fit_words(program, X, np.zeros_like(Y))


def missing_labels(program: Program, folder: Path) -> str:
    return _fit_words(program, X, np.where(np.arange(len(Y)) % 9, Y, np.nan))


def negative_weights(program: Program, folder: Path) -> str:
    return _fit_words(program, X, Y, np.where(np.arange(len(Y)) % 9, 1.0, -1.0))


def threads(program: Program, folder: Path) -> str:
    """Bytes of the file of a model fitted with one thread and with four; 50,000 rows."""
    random = np.random.default_rng(2)
    many = random.normal(size=(50_000, 8))
    y = (many[:, 0] + many[:, 1] + random.normal(size=len(many)) > 0).astype(int)

    def compare() -> bool:
        said = [np.asarray(program.predict(program.fit(many, y, n_jobs=n, rounds=20), many)) for n in (1, 4)]
        return bool((said[0] == said[1]).all())

    if program.package == "scikit-learn":
        return "one thread"
    kind, said = apart(compare, 300)
    return ("the same" if said else "other predictions") if kind == "answer" else f"{kind}: {said}"


def interrupted(program: Program, folder: Path) -> str:
    """Seconds of the processor from Ctrl-C to the exception, in a fit of 400,000 × 20; the worst of two."""

    def stop(after: float) -> tuple[float, str]:
        random = np.random.default_rng(3)
        many = random.normal(size=(400_000, 20))
        y = (many[:, 0] + random.normal(size=len(many)) > 0).astype(int)
        sent = 0.0

        def interrupt() -> None:
            nonlocal sent
            sent = time.process_time()
            os.kill(os.getpid(), signal.SIGINT)

        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(after, interrupt).start()
        try:
            while True:
                program.fit(many, y, n_jobs=2, rounds=2000)
        except BaseException as problem:
            return time.process_time() - sent, type(problem).__name__

    worst, names = 0.0, set()
    for after in (3.0, 4.1):
        kind, said = apart(lambda after=after: stop(after), 120)
        if kind != "answer":
            return kind
        worst, names = max(worst, said[0]), names | {said[1]}
    return f"{worst:.2f} s, {' or '.join(sorted(names))}"


TESTS: dict[str, Callable[[Program, Path], str]] = {
    f"a model file with one to three bits changed, {DAMAGED} times": damaged_files,
    f"a model file cut short, {TRUNCATED} times": truncated_files,
    "disk full while saving": full_disk,
    "infinite values in X": infinite_values,
    "missing values in X": missing_values,
    "1e300 and 2e300": huge_values,
    "0.3 and 0.1 + 0.2": neighbouring_values,
    "constant columns": constant_columns,
    "one class": one_class,
    "missing labels": missing_labels,
    "negative weights": negative_weights,
    "predictions after fitting with one thread and with four": threads,
    "Ctrl-C while fitting": interrupted,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "programs", nargs="*", default=list(PROGRAMS), metavar="program", help=", ".join(PROGRAMS)
    )
    parser.add_argument("--only", help="tests with this in their name")
    given = parser.parse_args()
    tests = {name: TESTS[name] for name in TESTS if given.only is None or given.only in name}
    print("| test | " + " | ".join(f"{name} {version(name)}" for name in given.programs) + " |")
    print("|---" * (1 + len(given.programs)) + "|", flush=True)
    for name, test in tests.items():
        cells = []
        for package in given.programs:
            with tempfile.TemporaryDirectory() as folder:
                cells.append(test(PROGRAMS[package](), Path(folder)))
            print(f"{name}: {package}: {cells[-1]}", file=sys.stderr, flush=True)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
