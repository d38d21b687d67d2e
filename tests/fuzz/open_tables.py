"""Tables in files that are never read as a whole: the tree of the same rows in memory, or a refusal."""

from __future__ import annotations

import os
import shutil
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from fuzz.cases import Case, random_case
from fuzz.invariants import FOLDER, REFUSALS, saved, unforeseen

TARGET, WEIGHT = "the target", "the weight"
TAKEN = (  # what may be chosen without a refusal, most of the time
    *("max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "category_order"),
    *("min_impurity_decrease", "class_weight", "priors", "costs", "laplace", "ties", "random_state", "cut"),
    *("min_gain", "complexity", "ccp_alpha", "max_competitors", "splits", "shrinkage", "criterion"),
)
CRITERIA = ("gini", "entropy", "error", "sqrt")


def random_case_of_files(seed: int) -> Case:
    """A case of one tree, most of them such as files may have."""
    case = random_case(seed)
    if case.has_several_targets or case.learner not in ("DecisionTreeClassifier", "DecisionTreeRegressor"):
        case = replace(
            case,
            learner="DecisionTreeClassifier",
            parameters={},
            y=tuple("ab"[at % 2] for at in range(len(case.y))),
        )
    if seed % 10:
        parameters = {name: value for name, value in case.parameters.items() if name in TAKEN}
        if parameters.get("criterion") not in CRITERIA:
            parameters.pop("criterion", None)
        weight = None if case.weight is None else tuple(float(1 + at % 3) for at in range(len(case.y)))
        case = replace(case, parameters=parameters, weight=weight)
    return replace(case, form="pandas")


def check(case: Case, seed: int = 0) -> str | None:
    """Say how the model of files differs from that of the same rows in memory."""
    folder = FOLDER / f"treewright-fuzz-files-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _difference(case, seed, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _difference(case: Case, seed: int, folder: Path) -> str | None:
    frame = case.table.assign(**{TARGET: list(case.y)})
    if case.weight is not None:
        frame[WEIGHT] = list(case.weight)
    _write(frame, seed, folder)
    inside = pd.concat([pd.read_parquet(path) for path in sorted(folder.iterdir())], ignore_index=True)
    weight = None if case.weight is None else inside.pop(WEIGHT)
    target = inside.pop(TARGET)
    try:
        expected = case.model().fit(inside, target, weight)
    except REFUSALS:
        expected = None
    try:
        named = {} if case.weight is None else {"sample_weight": WEIGHT}
        model = case.model().fit(tw.open_table(folder, memory="20MB"), TARGET, **named)
    except Exception as problem:
        found = unforeseen(problem)
        return found and f"fit: {found}"
    if expected is None:
        return "accepted: the same rows in memory are refused"
    if saved(model) != saved(expected):
        return "differs: the tree of the files is another"
    return _answers(model, expected, inside, folder)


def _answers(model: Any, expected: Any, inside: pd.DataFrame, folder: Path) -> str | None:
    said, own = model.predict(tw.open_table(folder, columns=list(inside))), expected.predict(inside)
    return None if (said == own).all() else "predictions: files are answered otherwise"


def _write(frame: pd.DataFrame, seed: int, folder: Path) -> None:
    """Write rows as one to four files."""
    random = np.random.default_rng(seed)
    places = np.sort(random.integers(0, len(frame) + 1, int(random.integers(0, 4))))
    for number, (begin, end) in enumerate(zip([0, *places], [*places, len(frame)], strict=True)):
        if end > begin:
            frame.iloc[begin:end].to_parquet(folder / f"{number}.parquet", index=False)
