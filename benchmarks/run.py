"""Time treewright beside scikit-learn: each workload in a fresh process per program, the programs in turn.

    python benchmarks/run.py                     all workloads, three times each (about half an hour)
    python benchmarks/run.py A1 F1 --repeat 1    some of them, once
    python benchmarks/run.py trees forests sparse predict pickles    groups of them
    python benchmarks/run.py panel --repeat 1    trees, forests and predictions: what goals are set for

Prints a table in Markdown: the median of each figure. Fitting includes every conversion that a user pays for.
Times are CPU seconds, which other work disturbs least, and of workloads on two threads the time of the clock.
"""

import argparse
import json
import os
import pickle
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from workloads import GROUPS, WORKLOADS, Rows, Workload

PROGRAMS = ("scikit-learn", "treewright")
Result = dict[str, float]


def estimator(program: str, workload: Workload, rows: Rows) -> Any:
    parameters = dict(workload.parameters, random_state=0)
    if program == "scikit-learn":
        from sklearn import ensemble, tree

        package: Any = ensemble if workload.forest else tree
        if workload.forest:
            parameters["n_jobs"] = workload.threads
    else:
        import treewright as package

        parameters |= workload.own() | {"n_jobs": workload.threads}
        if rows.n_categorical:
            n_columns = rows.X.shape[1]
            parameters["categorical_features"] = list(range(n_columns - rows.n_categorical, n_columns))
    kind = "ExtraTrees" if workload.extra else "RandomForest" if workload.forest else "DecisionTree"
    return getattr(package, kind + ("Regressor" if workload.regression else "Classifier"))(**parameters)


def count_nodes(model: Any) -> int:
    trees = model.estimators_ if hasattr(model, "estimators_") else [model]
    return sum(tree.tree_.node_count for tree in trees)


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    work()
    return clock() - start


class Memory:
    """Peak of this process beyond what it holds now, in MiB; Linux only, elsewhere not a number."""

    status = Path("/proc/self/status")

    def __init__(self) -> None:
        if self.status.exists():
            Path("/proc/self/clear_refs").write_text("5")  # forget the peak of making the table
        self.now = self.read("VmRSS")

    def read(self, key: str) -> float:
        if not self.status.exists():
            return float("nan")
        line = next(line for line in self.status.read_text().splitlines() if line.startswith(key))
        return int(line.split()[1]) / 2**10

    def beyond(self) -> float:
        return self.read("VmHWM") - self.now


def choose_alpha(program: str, model: Any, X: Any, y: Any) -> Any:
    """Prune by cost-complexity, alpha by ten folds: from twenty alphas of the path, or from all of them."""
    if program == "treewright":
        from treewright.pruning import CostComplexity

        return model.set_params(pruner=CostComplexity(cv=10)).fit(X, y)
    from sklearn.model_selection import GridSearchCV

    alphas = model.cost_complexity_pruning_path(X, y).ccp_alphas
    few = alphas[:: max(1, len(alphas) // 20)]
    return GridSearchCV(model, {"ccp_alpha": few}, cv=10).fit(X, y).best_estimator_


def measure(program: str, workload: Workload) -> Result:
    rows = workload.rows()
    X, y = rows.train
    X_test, y_test = rows.test
    model = estimator(program, workload, rows)
    memory = Memory()
    clock = time.process_time if workload.threads == 1 else time.perf_counter
    result = {"seconds": seconds(lambda: model.fit(X, y), clock), "memory": memory.beyond()}
    if workload.measure == "fit often":
        result["seconds"] = statistics.median(seconds(lambda: model.fit(X, y)) for _ in range(1000))
    if workload.measure == "path":
        result["seconds"] = seconds(lambda: model.cost_complexity_pruning_path(X, y))
    if workload.measure == "pickle":
        data = pickle.dumps(model, pickle.HIGHEST_PROTOCOL)
        result["seconds"] = min(seconds(lambda: pickle.loads(pickle.dumps(model, 5))) for _ in range(9))
        result["size"] = len(data)
    if workload.measure == "choose alpha":
        begin = clock()
        model = choose_alpha(program, model, X, y)
        result["seconds"] = clock() - begin
    if workload.measure == "predict":
        model.predict(X_test[:1000])
        result["seconds"] = min(seconds(lambda: model.predict(X_test)) for _ in range(3))
        one_row = X_test[:1]
        result["microseconds per row alone"] = 1e6 * statistics.median(
            seconds(lambda: model.predict(one_row)) for _ in range(200 if workload.forest else 2000)
        )
    result["score"] = float(model.score(X_test, y_test))
    result["nodes"] = count_nodes(model)
    return result


def measure_in_fresh_process(program: str, name: str) -> Result:
    # One thread for every library of numerical loops; treewright is told its own number.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).resolve()), name, "--program", program]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(run.stdout))


def report(name: str, workload: Workload, repeat: int) -> str:
    runs: dict[str, list[Result]] = {program: [] for program in PROGRAMS}
    for _ in range(repeat):
        for program in PROGRAMS:
            runs[program].append(measure_in_fresh_process(program, name))

    def figure(program: str, key: str) -> float:
        return statistics.median(run[key] for run in runs[program])

    theirs, ours = (figure(program, "seconds") for program in PROGRAMS)
    cells = [name, workload.words, f"{theirs:.4g} s", f"{ours:.4g} s", f"**{theirs / ours:.1f}**"]
    for key, form in (("score", ".4f"), ("nodes", ",.0f"), ("memory", ",.0f")):
        cells.append(" / ".join(format(figure(program, key), form) for program in PROGRAMS))
    lines = ["| " + " | ".join(cells) + " |"]
    if workload.measure == "predict":
        alone = [figure(program, "microseconds per row alone") for program in PROGRAMS]
        times = [f"{microseconds:.1f} µs" for microseconds in alone]
        cells = [name, "one row", *times, f"**{alone[0] / alone[1]:.1f}**"]
        lines.append("| " + " | ".join(cells) + " | | | |")
    if workload.measure == "pickle":
        sizes = [figure(program, "size") for program in PROGRAMS]
        bytes_of = [f"{size:,.0f} bytes" for size in sizes]
        cells = [name, "its size", *bytes_of, f"**{sizes[0] / sizes[1]:.1f}**"]
        lines.append("| " + " | ".join(cells) + " | | | |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workloads", nargs="*", metavar="workload", help=", ".join([*WORKLOADS, *GROUPS]))
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program; medians are shown")
    parser.add_argument("--program", choices=PROGRAMS, help="measure one program in this process, as JSON")
    options = parser.parse_args()
    unknown = set(options.workloads) - set(WORKLOADS) - set(GROUPS)
    if unknown:
        known = ", ".join([*WORKLOADS, *GROUPS])
        parser.error(f"unknown workload {', '.join(sorted(unknown))}; there are {known}")
    asked = [name for each in options.workloads for name in GROUPS.get(each, [each])]
    names = list(dict.fromkeys(asked)) or list(WORKLOADS)
    if options.program:
        print(json.dumps([measure(options.program, WORKLOADS[name]) for name in names][-1]))
        return
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()},", end=" ")
    print(f"scikit-learn {version('scikit-learn')}, treewright {version('treewright')}\n")
    print("| | workload | scikit-learn | treewright | times faster | score | nodes | extra memory, MiB |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        print(report(name, WORKLOADS[name], options.repeat), flush=True)


if __name__ == "__main__":
    main()
