"""Grows trees on random tables by Weka's J48 and by C45Classifier(compat="j48"), and compares them.

    python benchmarks/compare_j48.py 0 200 --weka weka.jar       the tables of these seeds

A few rows to 1500, two to 19 classes, some rows without one; numbers of every size, up to 80 nominal values,
with holes and with values that do not occur, features without any value; weights; all options of J48 but
those that change no tree. Compared are the printed trees, branch for branch with the cases and errors of the
leaves, and the class and the class shares of all rows and of new ones. It needs Java and Weka 3.9.6, whose
`weka.jar` is in the source of a Python package: `pip download python-weka-wrapper3==0.2.12 --no-deps
--no-binary :all:`, then unpack `python/weka/lib/weka.jar`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from seeds import FRESH, compare_all, seed_parser

import treewright as tw

PROGRAM = Path(__file__).with_name("CompareJ48.java")


@dataclass
class Case:
    """A random table with random options."""

    rows: pd.DataFrame
    fresh: pd.DataFrame
    target: pd.Series
    weight: np.ndarray | None
    options: dict[str, Any]

    def command(self) -> str:
        """Write the options as J48 takes them."""
        return " ".join(name if value is True else f"{name} {value}" for name, value in self.options.items())


# ---- tables ---------------------------------------------------------------------------------------------


def draw_case(seed: int, n_rows: int | None = None) -> Case:
    """Draw a table and options."""
    draw = np.random.default_rng(seed)
    n = n_rows or int(draw.choice([3, 5, 8, 15, 30, 100, 400, 1500]))
    rows = pd.DataFrame({f"x{j}": draw_values(draw, n) for j in range(int(draw.choice([1, 2, 3, 4, 5, 7])))})
    n_classes = int(draw.choice([2, 2, 3, 6, 19]))
    target = draw_target(draw, rows.iloc[:n], n_classes)
    everywhere = draw.random() < 0.6
    for name in rows:
        share = draw.choice([0, 0.05, 0.25, 0.6]) if everywhere else 0.3
        rows.loc[(draw.random(len(rows)) < share) & (everywhere | (rows.index >= n)), name] = np.nan
    weight = draw.integers(1, 5, n) / 2 if draw.random() < 0.2 else None
    old, fresh = rows.iloc[:n], rows.iloc[n:].reset_index(drop=True)
    return Case(old, fresh, target, weight, draw_options(draw))


def draw_values(draw: np.random.Generator, n: int) -> Any:
    """Draw a feature of n rows and of new ones: numbers, times, a constant, nothing, or nominal values."""
    kind, n_all = draw.choice(list("nnnnsticmfffw")), n + FRESH
    if kind in "nst":
        scale = {"n": [1, 100], "s": [1e-3, 1e-5, 1e-6], "t": [86_400_000]}[kind]
        numbers = draw.normal(size=n_all).round(int(draw.integers(0, 7))) * draw.choice(scale)
        return numbers + (1.6e12 if kind == "t" else 0)
    if kind == "i":
        return draw.integers(0, int(draw.integers(2, 30)), n_all).astype(float)
    if kind in "cm":
        return np.full(n_all, 2.0 if kind == "c" else np.nan)
    n_values, spare = (
        int(draw.integers(9, 80) if kind == "w" else draw.integers(1, 9)),
        int(draw.choice([0, 0, 1, 3])),
    )
    place = np.sort(draw.choice(n_values + spare, n_values, replace=False))
    code = place[draw.integers(0, n_values, n_all)]
    code[n:] = draw.integers(0, n_values + spare, FRESH)
    return pd.Categorical.from_codes(code, [f"v{i}" for i in range(n_values + spare)])


def draw_target(draw: np.random.Generator, rows: pd.DataFrame, n_classes: int) -> pd.Series:
    """Give bands of a signal, or classes of which some are rare; in some tables not for all rows."""
    n = len(rows)
    columns = [
        column.cat.codes % 3 if column.dtype == "category" else column.fillna(0) for _, column in rows.items()
    ]
    signal = sum(column.rank() * draw.normal() for column in columns[:4]) / n
    signal = signal + draw.normal(0, float(draw.choice([0, 0.2, 0.4])), n)
    band = np.digitize(signal, np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]))
    if draw.random() < 0.3:
        band = draw.choice(n_classes, n, p=draw.dirichlet(np.full(n_classes, 0.4)))
    band[:2] = [0, 1]  # J48 refuses a single class
    found, code = np.unique(band, return_inverse=True)
    target = pd.Series(pd.Categorical.from_codes(code, [f"k{i}" for i in range(len(found))]))
    if draw.random() < 0.15:
        target[target.duplicated() & (draw.random(n) < 0.2)] = np.nan
    return target


def draw_options(draw: np.random.Generator) -> dict[str, Any]:
    """Draw options of J48, none that contradict each other."""
    options: dict[str, Any] = {}
    pruning = draw.choice(["-U", "-R", "-C", ""], p=[0.2, 0.25, 0.3, 0.25])
    if pruning == "-R":
        options |= {"-R": True, "-N": int(draw.choice([2, 3, 5])), "-Q": int(draw.integers(1, 100))}
    elif pruning == "-U":
        options["-U"] = True
    elif pruning == "-C":
        options["-C"] = float(draw.choice([0.001, 0.05, 0.1, 0.4, 0.5]))
    if pruning in ("-C", "") and draw.random() < 0.3:
        options["-S"] = True
    if pruning != "-R" and draw.random() < 0.3:
        options["-O"] = True
    if draw.random() < 0.5:
        options["-M"] = int(draw.choice([1, 2, 5, 10, 50]))
    for name, chance in {"-B": 0.3, "-J": 0.2, "-A": 0.2, "-doNotMakeSplitPointActualValue": 0.2}.items():
        if draw.random() < chance:
            options[name] = True
    return options


# ---- J48 ------------------------------------------------------------------------------------------------


def run_j48(cases: dict[int, Case], folder: Path, jar: Path) -> None:
    """Write all tables, and have Weka work on them."""
    for seed, case in cases.items():
        (folder / f"{seed}.arff").write_text(arff(case.rows.assign(y=case.target), case.weight))
        no_class = pd.Categorical([None] * len(case.fresh), case.target.cat.categories)
        (folder / f"{seed}_fresh.arff").write_text(arff(case.fresh.assign(y=no_class), None))
    lines = [f"{seed} {case.command()}".strip() for seed, case in cases.items()]
    (folder / "cases.txt").write_text("\n".join(lines))
    opened = "java.base/java.lang=ALL-UNNAMED"  # Weka looks into Java's own classes
    subprocess.run(["java", "--add-opens", opened, "-cp", jar, PROGRAM, folder], check=True)


def arff(table: pd.DataFrame, weight: np.ndarray | None) -> str:
    """Write a table in Weka's format."""
    lines = ["@relation random"]
    for name, column in table.items():
        is_nominal = column.dtype == "category"
        lines.append(f"@attribute {name} {nominal(column) if is_nominal else 'numeric'}")
    text = table.to_csv(index=False, header=False, na_rep="?").splitlines()
    if weight is not None:
        text = [f"{line},{{{amount}}}" for line, amount in zip(text, weight, strict=True)]
    return "\n".join([*lines, "@data", *text, ""])


def nominal(column: pd.Series) -> str:
    """Write the domain of a nominal attribute."""
    return "{" + ",".join(column.cat.categories) + "}"


# ---- comparison -----------------------------------------------------------------------------------------


def fit(case: Case) -> Any:
    """Grow the same tree."""
    options = case.options
    model = tw.C45Classifier(
        compat="j48",
        min_samples_leaf=options.get("-M", 2),
        confidence=options.get("-C", 0.25),
        pruner=None if "-U" in options else "reduced_error" if "-R" in options else "error_based",
        holdout=1 / options.get("-N", 3),
        subtree_raising="-S" not in options,
        collapse="-O" not in options,
        binary_splits="-B" in options,
        mdl="-J" not in options,
        cut="midpoint" if "-doNotMakeSplitPointActualValue" in options else "observed",
        laplace="-A" in options,
    )
    return model.fit(case.rows, case.target, sample_weight=case.weight)


FIGURE = re.compile(r"(?<=[(/])\d[\d.]*(?=[/)])")
CUT = re.compile(r"(<=|>) -?[\d.]+([Ee]-?\d+)?")


def printed(text: str, case: Case) -> tuple[list[str], list[float]]:
    """Give the lines of a printed tree without its numbers, and the cases and errors; J48 rounds cuts."""
    lines = [line for line in text.splitlines() if " (" in line or re.search(r"[<>!=]", line)]
    figures = [float(figure) for line in lines for figure in FIGURE.findall(line)]
    words = [CUT.sub(r"\1", FIGURE.sub("", line)) for line in lines]
    two = {name for name, column in case.rows.items() if column.dtype == "category" and has_two(column)}
    return [
        re.sub(r"(\w+) != v0", r"\1 = v1", line) if _feature(line) in two else line for line in words
    ], figures


def has_two(column: pd.Series) -> bool:
    """Whether a nominal feature has two values: of these J48 -B says that it is not the first."""
    return len(column.cat.categories) == 2


def _feature(line: str) -> str:
    return line.replace("|", "").split(maxsplit=1)[0]


def differences(case: Case, model: Any, folder: Path, seed: int) -> Iterator[str]:
    """Say what differs."""
    theirs, their_figures = printed((folder / f"{seed}_tree.txt").read_text(), case)
    ours, figures = printed(model.text() if len(model.tree_) > 1 else f": {model.text()}", case)
    if len(ours) != len(theirs):
        yield f"{len(ours)} branches, not {len(theirs)}"
    yield from (f"{a!r}, not {b!r}" for a, b in zip(ours, theirs, strict=False) if a != b)
    if len(figures) != len(their_figures) or not np.allclose(figures, their_figures, atol=0.0101):
        yield "other cases or errors at leaves"  # of two digits, half a hundredth is rounded up by J48
    want = np.loadtxt(folder / f"{seed}_said.txt", ndmin=2)
    rows = pd.concat([case.rows, case.fresh], ignore_index=True)
    if (model.predict(rows) != model.classes_.take(want[:, 0].astype(int))).any():
        yield "other classes"
    unlike = ~np.isclose(model.predict_proba(rows), want[:, 1:], atol=1e-6).all(axis=1)
    if unlike.any():
        yield f"other class shares for {unlike.sum()} rows"


def main() -> int:
    """Compare the tables of a range of seeds; the exit status says whether all are equal."""
    parser = seed_parser(__doc__, "3 to 1500")
    parser.add_argument("--weka", type=Path, required=True, help="path of weka.jar, version 3.9.6")
    given = parser.parse_args()
    if shutil.which("java") is None or not given.weka.exists():
        sys.exit(f"Java or {given.weka} is not there: see `{parser.prog} --help` for how to get them.")
    warnings.simplefilter("ignore")
    cases = {seed: draw_case(seed, given.rows) for seed in range(given.first, given.last)}

    def difference(folder: Path, seed: int, case: Case) -> str | None:
        if not (folder / f"{seed}_tree.txt").exists():  # Weka has said why
            return None
        found = next(differences(case, fit(case), folder, seed), None)
        return f"({len(case.rows)} rows, J48 {case.command()}): {found}" if found else ""

    return compare_all("J48", cases, lambda folder: run_j48(cases, folder, given.weka.resolve()), difference)


if __name__ == "__main__":
    sys.exit(main())
