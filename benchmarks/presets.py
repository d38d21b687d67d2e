"""Times the presets beside the programs they follow, with missing values and without.

    python benchmarks/presets.py                     what can be run here
    python benchmarks/presets.py --weka weka.jar     J48 too

rpart is timed by R's own clock around the call, J48 inside one warm virtual machine (the fastest of several
builds), treewright by the fastest of several fits; reading files is never counted.
"""

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from timing import run_times
from workloads import two_classes

import treewright as tw

RPART = """
suppressMessages(library(rpart))
table <- read.csv("table.csv", stringsAsFactors=TRUE)
seconds <- sapply(1:3, function(i) system.time(rpart(y ~ ., table, method="class"))[["elapsed"]])
cat(min(seconds))
"""

J48 = """
import java.io.*; import weka.core.*; import weka.classifiers.trees.J48;
public class TimeJ48 { public static void main(String[] args) throws Exception {
    Instances rows = new Instances(new BufferedReader(new FileReader("table.arff")));
    rows.setClassIndex(rows.numAttributes() - 1);
    double best = 1e9;
    for (int i = 0; i < 15; ++i) {
        long begin = System.nanoTime(); J48 tree = new J48(); tree.buildClassifier(rows);
        best = Math.min(best, (System.nanoTime() - begin) / 1e9);
    }
    System.out.println(best);
} }
"""


def like_adult(n_rows: int = 30_000) -> tuple[pd.DataFrame, Any]:
    """Census-like rows: six numeric and eight categorical columns, some of them with holes, two classes."""
    generator = np.random.default_rng(0)
    numbers = {f"n{i}": np.round(generator.gamma(2, 10 + 5 * i, n_rows), i % 2) for i in range(6)}
    table = pd.DataFrame(numbers)
    for i, size in enumerate([8, 16, 7, 14, 6, 5, 2, 41]):
        codes = np.minimum(generator.zipf(1.4, n_rows) - 1, size - 1)
        table[f"c{i}"] = pd.Categorical.from_codes(codes, [f"v{code}" for code in range(size)])
    codes = {name: table[name].cat.codes for name in table.columns if name.startswith("c")}
    signal = (
        table["n0"] / 20
        + (codes["c1"] % 3) * (table["n1"] > 25)
        + 0.5 * (codes["c3"] % 4)
        - (codes["c0"] == 2)
    )
    signal += generator.normal(0, 1, n_rows)
    for column in ("n3", "c1", "c3", "c7"):
        table.loc[generator.random(n_rows) < 0.05, column] = None
    return table, np.where(signal > signal.quantile(0.75), "more", "less")


def time_rpart(table: pd.DataFrame, y: Any) -> float:
    """Seconds of rpart with surrogates and ten-fold cross-validation."""
    with tempfile.TemporaryDirectory() as folder:
        table.assign(y=y).to_csv(Path(folder, "table.csv"), index=False, na_rep="NA")
        Path(folder, "time.R").write_text(RPART)
        return float(subprocess.check_output(["Rscript", "time.R"], cwd=folder, text=True))


def time_j48(table: pd.DataFrame, y: Any, weka: str) -> float:
    """Seconds of Weka's J48."""
    with tempfile.TemporaryDirectory() as folder:
        head = ["@relation table"]
        for name, column in table.items():
            values = getattr(column, "cat", None)
            kind = "numeric" if values is None else "{" + ",".join(values.categories) + "}"
            head.append(f"@attribute {name} {kind}")
        head += ["@attribute y {" + ",".join(sorted(set(y))) + "}", "@data\n"]
        body = table.assign(y=y).to_csv(index=False, header=False, na_rep="?")
        Path(folder, "table.arff").write_text("\n".join(head) + body)
        Path(folder, "TimeJ48.java").write_text(J48)
        opened = "java.base/java.lang=ALL-UNNAMED"  # Weka looks into Java's own classes
        command = ["java", "--add-opens", opened, "-cp", str(Path(weka).resolve()), "TimeJ48.java"]
        return float(subprocess.check_output(command, cwd=folder, text=True).split()[-1])


def compare_presets(weka: str | None) -> None:
    """C4.5 beside J48, CART beside rpart."""
    table, y = like_adult()
    print("| 30,000 rows, 6 numeric and 8 categorical columns | treewright | program | times faster |")
    print("|---|---|---|---|")
    rows = []
    if weka:
        rows.append(
            ("C4.5, compat='j48' | J48", tw.C45Classifier(compat="j48"), lambda: time_j48(table, y, weka))
        )
    if shutil.which("Rscript"):
        cart = tw.CARTClassifier(compat="rpart", n_jobs=1)
        rows.append(
            ("CART, compat='rpart', surrogates, ten folds | rpart", cart, lambda: time_rpart(table, y))
        )
    for words, model, program in rows:
        ours, theirs = min(run_times(lambda model=model: model.fit(table, y), 3)), program()
        print(
            f"| {words.replace(' | ', ' beside ')} | {ours:.3f} s | {theirs:.3f} s | {theirs / ours:.1f} |",
            flush=True,
        )


def compare_holes() -> None:
    """The same preset on a whole table and on one with a fifth of its cells missing."""
    X, y = two_classes(100_000).train
    holed = X.copy()
    holed[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    print("\n| 100,000 × 20, a fifth of the cells missing | whole | times that |\n|---|---|---|")
    for words, preset in (
        ("C4.5", tw.C45Classifier()),
        ("CART, cv=None", tw.CARTClassifier(cv=None, n_jobs=1)),
    ):
        whole, seconds = (
            *run_times(lambda p=preset: p.fit(X, y), 1),
            *run_times(lambda p=preset: p.fit(holed, y), 1),
        )
        print(f"| {words} | {whole:.3f} s | {seconds / whole:.1f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weka", help="weka.jar")
    compare_presets(parser.parse_args().weka)
    compare_holes()
