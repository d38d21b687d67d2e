"""Grows trees on random tables by rpart and by CART(compat="rpart"), and compares them node for node.

    python benchmarks/compare_rpart.py 0 200                  the tables of these seeds
    python benchmarks/compare_rpart.py 0 20 --rows 30000      larger ones

`rpart_cases.py` draws them: two rows to a thousand, classes (2 to 25), numbers and event rates; numeric,
categorical and ordinal features, with holes and without any value; weights, priors, costs, costs of features,
and every setting of `rpart.control`. Compared are size, counts, risk, prices, splits, competitors,
surrogates, the cp table with its cross-validation, the importances, and what is predicted for the rows and
for new ones. It needs R with rpart: `apt install r-cran-rpart`.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rpart_cases import Case, draw_case
from seeds import compare_all, seed_parser

import treewright as tw

SCRIPT = Path(__file__).with_suffix(".R")
CRITERIA = {"gini": "gini", "information": "entropy", "anova": "squared_error", "poisson": "poisson"}


# ---- rpart --------------------------------------------------------------------------------------------


def run_rpart(cases: dict[int, Case], folder: Path) -> None:
    """Write all tables, and have R work on them."""
    calls = [f'source("{SCRIPT}")']
    for seed, case in cases.items():
        beside = {"weight_": case.weight, "fold_": case.fold.astype(float)}
        beside |= {} if case.time is None else {"time_": case.time}
        write_table(case.rows.assign(y=case.target, **beside), folder / f"{seed}.csv")
        write_table(case.fresh, folder / f"{seed}_fresh.csv")
        levels, kinds = dict(case.levels), dict(case.kinds, y="numeric")
        if case.method == "class":
            levels["y"], kinds["y"] = list(case.target.cat.categories), "categorical"
        arguments = [str(seed), in_r(kinds), in_r(levels), in_r(case.method), in_r(case.parms)]
        arguments += [f"do.call(rpart.control, {in_r(case.control)})", in_r(case.cost), in_r(case.weighted)]
        told = f"function(e) cat({seed}, conditionMessage(e), '\\n')"
        calls.append(f"tryCatch(run({', '.join(arguments)}), error = {told})")
    (folder / "cases.R").write_text("\n".join(calls))
    subprocess.run(["Rscript", "cases.R"], cwd=folder, check=True)


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write rows with all digits."""
    text = pd.DataFrame(index=table.index)
    for name, column in table.items():
        text[name] = ["?" if pd.isna(v) else v if isinstance(v, str) else repr(float(v)) for v in column]
    text.to_csv(path, index=False)


def in_r(value: Any) -> str:
    """Write a value as R does."""
    if isinstance(value, dict):
        return f"list({', '.join(f'{name}={in_r(entry)}' for name, entry in value.items())})"
    if isinstance(value, np.ndarray):
        return f"matrix({in_r(value.ravel().tolist())}, {len(value)}, byrow = TRUE)"
    if isinstance(value, list):
        return f"c({', '.join(map(in_r, value))})"
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    return f'"{value}"' if isinstance(value, str) else repr(value)


def read_figures(path: Path) -> list[dict[str, str]]:
    """Read a table that R wrote; none if it wrote none."""
    if not path.exists():
        return []
    with path.open() as lines:
        return [{name: text.strip() for name, text in row.items()} for row in csv.DictReader(lines)]


# ---- comparison ---------------------------------------------------------------------------------------


def fit(case: Case) -> Any:
    """Grow the same tree."""
    control = case.control
    parameters: dict[str, Any] = {
        "compat": "rpart",
        "criterion": CRITERIA[case.parms.get("split", case.method)],
        "min_samples_split": control["minsplit"],
        "min_samples_leaf": control["minbucket"],
        "cp": control["cp"],
        "max_depth": control["maxdepth"],
        "max_competitors": control["maxcompete"],
        "max_surrogates": control["maxsurrogate"],
        "use_surrogates": control["usesurrogate"],
        "surrogate_style": control["surrogatestyle"],
        "cv": case.fold,
        "feature_costs": case.cost,
    }
    if case.method == "class":
        parameters |= {"priors": case.parms.get("prior"), "costs": case.parms.get("loss")}
    else:
        parameters["shrink"] = case.parms.get("shrink")
    target = case.target if case.time is None else np.column_stack([case.time, case.target])
    model = tw.CARTClassifier(**parameters) if case.method == "class" else tw.CARTRegressor(**parameters)
    return model.fit(case.rows, target, sample_weight=case.weight if case.weighted else None)


def is_close(ours: float, theirs: float, tolerance: float = 1e-6) -> bool:
    """Whether two figures are equal to six digits."""
    return abs(ours - theirs) <= tolerance * max(1.0, abs(ours), abs(theirs))


class Comparison:
    """A tree of ours beside rpart's."""

    def __init__(self, case: Case, model: Any, folder: Path, seed: int) -> None:
        self.case, self.model, self.tree = case, model, model.tree_
        self.cp = read_figures(folder / f"{seed}_cp.csv")
        self.importance = read_figures(folder / f"{seed}_importance.csv")
        self.predictions = read_figures(folder / f"{seed}_predictions.csv")
        groups = folder / f"{seed}_groups.csv"
        self.groups = [list(map(int, line.split(","))) for line in groups.open()] if groups.exists() else []
        splits = iter(read_figures(folder / f"{seed}_splits.csv"))
        self.nodes: dict[int, dict[str, str]] = {}
        self.splits: dict[int, list[dict[str, str]]] = {}
        for node in read_figures(folder / f"{seed}_nodes.csv"):
            number = int(node["node"])
            n_splits = 0 if node["var"] == "<leaf>" else 1 + int(node["ncompete"]) + int(node["nsurrogate"])
            self.nodes[number], self.splits[number] = node, [next(splits) for _ in range(n_splits)]

    def differences(self) -> Iterator[str]:
        """Say what differs, the root first."""
        if len(self.nodes) != len(self.tree):
            yield f"{len(self.tree)} nodes, not {len(self.nodes)}"
            return
        stack = [(0, 1)]
        while stack:
            ours, theirs = stack.pop()
            for difference in self.of_node(ours, theirs):
                yield f"node {theirs}: {difference}"
            if self.tree.n_children[ours] and self.splits[theirs]:
                low, high = (
                    (2 * theirs + 1, 2 * theirs)
                    if self.is_turned(ours, theirs)
                    else (2 * theirs, 2 * theirs + 1)
                )
                first, second = self.tree.children(ours)
                stack += [(second, high), (first, low)]
        yield from self.of_tables()
        yield from self.of_predictions()

    def of_node(self, ours: int, theirs: int) -> Iterator[str]:
        """Compare one node."""
        tree, node = self.tree, self.nodes[theirs]
        is_leaf = node["var"] == "<leaf>"
        if is_leaf != (tree.n_children[ours] == 0):
            yield "a leaf in one tree only"
            return
        figures = {"n": tree.count[ours], "dev": tree.risk[ours]}
        if self.case.method != "class":
            figures["yval"] = tree.node_value[ours, 0]
        if not is_leaf:
            figures["complexity"] = self.model.complexity_[ours]
        for name, figure in figures.items():
            if not is_close(float(figure), float(node[name])):
                yield f"{name} {figure}, not {node[name]}"
        if is_leaf:
            return
        n_competitors, n_surrogates = int(node["ncompete"]), int(node["nsurrogate"])
        own = range(*tree.split_begin[ours : ours + 2].tolist())
        rivals = range(*tree.competitor_begin[ours : ours + 2].tolist())
        if self.case.control["usesurrogate"] == 0:  # rpart lists them, but nothing asks them
            n_surrogates = 0
        if (len(rivals), len(own) - 1) != (n_competitors, n_surrogates):
            yield f"{len(rivals)} competitors, {len(own) - 1} surrogates, not {n_competitors}, {n_surrogates}"
            return
        turned = self.is_turned(ours, theirs)
        primary, *others = self.splits[theirs]
        yield from self.of_split(tree.splits, own[0], primary, turned=False)
        for at, split in zip(rivals, others[:n_competitors], strict=True):
            yield from self.of_split(tree.competitors, at, split, turned=False)
        for at, split in zip(own[1:], others[n_competitors:], strict=False):
            yield from self.of_split(tree.splits, at, split, turned=turned)

    def of_split(self, table: Any, at: int, split: dict[str, str], *, turned: bool) -> Iterator[str]:
        """Compare two splits; those on ordered factors R shows as lists of levels: counts tell them apart."""
        mirrored = table.feature[at] < 0
        pool = slice(*table.pool_begin[at : at + 2].tolist())
        feature = int(table.pool_index[pool][0] if mirrored else table.feature[at])
        name = self.case.rows.columns[feature]
        if name != split["var"]:
            yield f"a split on {name}, not {split['var']}"
        elif not is_close(table.score[at], float(split["improve"])):
            yield f"score {table.score[at]} of {name}, not {split['improve']}"
        elif self.case.kinds[name] == "numeric":
            cut = -table.threshold[at] if mirrored else table.threshold[at]
            if not is_close(cut, float(split["index"]), 1e-9):
                yield f"cut of {name} at {cut}, not {split['index']}"
        elif self.case.kinds[name] == "categorical":
            ours = dict(zip(table.pool_index[pool].tolist(), table.pool_value[pool].tolist(), strict=True))
            sides = enumerate(self.groups[int(float(split["index"])) - 1])
            theirs = {
                code: (3 - side) // 2 if turned else (side - 1) // 2 for code, side in sides if side != 2
            }
            if ours != theirs:
                yield f"groups of {name} {ours}, not {theirs}"

    def is_turned(self, ours: int, theirs: int) -> bool:
        """Whether our first branch is rpart's second."""
        split = self.splits[theirs][0]
        if self.case.kinds[split["var"]] != "ordinal":
            return int(split["ncat"]) == 1
        children, low, high = self.tree.children(ours), self.nodes[2 * theirs], self.nodes[2 * theirs + 1]
        first, counts = children[0], self.tree.count[children].tolist()
        if counts[0] != counts[1]:
            return bool(counts != [int(low["n"]), int(high["n"])])
        says = self.tree.label[first] + 1 if self.case.method == "class" else self.tree.node_value[first, 0]
        return not (
            is_close(self.tree.risk[first], float(low["dev"])) and is_close(float(says), float(low["yval"]))
        )

    def of_tables(self) -> Iterator[str]:
        """Compare the cp table and the importances."""
        titles = {
            "CP": "cp",
            "nsplit": "nsplit",
            "rel.error": "rel_error",
            "xerror": "xerror",
            "xstd": "xstd",
        }
        for theirs, ours in titles.items():
            want = np.array(
                [float(row.get(theirs) or row.get(theirs.replace(".", " ")) or 0) for row in self.cp]
            )
            want = np.nan_to_num(want)  # R has none where the root makes no error
            have = np.nan_to_num(np.asarray(self.model.cp_table_[ours], float))
            if len(want) != len(have) or not np.allclose(have, want, rtol=1e-6, atol=1e-9):
                yield f"{ours} {have[:8]}, not {want[:8]}"
        importance = {row["var"]: float(row["value"]) for row in self.importance}
        counted = self.model.variable_importance_
        if importance.keys() != counted.keys() or not all(
            is_close(counted[name], v) for name, v in importance.items()
        ):
            yield f"importances {counted}, not {importance}"

    def of_predictions(self) -> Iterator[str]:
        """Compare what is predicted, for the rows and for new ones."""
        rows = pd.concat([self.case.rows, self.case.fresh], ignore_index=True)
        shares = [[float(row[name]) for name in row if name != "says"] for row in self.predictions]
        if self.case.method == "class":
            said, ours = [row["says"] for row in self.predictions], self.model.predict(rows).astype(str)
            unlike = np.flatnonzero(ours != np.array(said))
            if len(unlike):
                yield f"row {unlike[0]} is {ours[unlike[0]]}, not {said[unlike[0]]} ({len(unlike)} differ)"
        ours = self.model.predict_proba(rows) if shares[0] else self.model.predict(rows)
        theirs = shares if shares[0] else [float(row["says"]) for row in self.predictions]
        unlike = np.flatnonzero(
            ~np.isclose(ours, theirs, rtol=1e-6, atol=1e-9).reshape(len(rows), -1).all(axis=1)
        )
        if len(unlike):
            yield f"row {unlike[0]} is given {ours[unlike[0]]}, not {theirs[unlike[0]]}"


def main() -> int:
    """Compare the tables of a range of seeds; the exit status says whether all are equal."""
    given = seed_parser(__doc__, "30 to 1000").parse_args()
    if shutil.which("Rscript") is None:
        sys.exit("Rscript is not there: install R with rpart, for example by `apt install r-cran-rpart`.")
    warnings.simplefilter("ignore")
    cases = {seed: draw_case(seed, given.rows) for seed in range(given.first, given.last)}

    def difference(folder: Path, seed: int, case: Case) -> str | None:
        if not (folder / f"{seed}_nodes.csv").exists():  # R has said why
            return None
        found = next(Comparison(case, fit(case), folder, seed).differences(), None)
        return f"({case.settings()}): {found}" if found else ""

    return compare_all("rpart", cases, lambda folder: run_rpart(cases, folder), difference)


if __name__ == "__main__":
    sys.exit(main())
