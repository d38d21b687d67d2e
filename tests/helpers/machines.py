"""Models of every kind, grown and told by the hash of what is stored of them and what they predict.

Run as a program it prints one line of JSON: the tests run it as if on other processors, and compare.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

import treewright as tw
from treewright import pruning
from treewright.criteria import CLASSIFICATION, REGRESSION, Superclasses
from treewright.growing.parameters import MISSING, SPLITS
from treewright.growing.recipe import CATEGORY_SPLITS

N_ROWS = 300
Case: TypeAlias = tuple[str, Any, bool]
"""A name, a model not yet fitted, and whether its table misses values."""

classifier, regressor = tw.DecisionTreeClassifier, tw.DecisionTreeRegressor


def table(missing: bool = False, n_rows: int = N_ROWS) -> tuple[pd.DataFrame, Any, Any, Any]:
    """Numbers and categories, classes, numbers not below zero, and weights: odd, so that sums are rounded."""
    rng = np.random.default_rng(7)
    numbers = rng.random((n_rows, 4)) * [1.0, 10.0, 0.1, 1000.0]
    colours, shape = rng.integers(0, 6, n_rows), rng.integers(0, 3, n_rows)
    signal = numbers[:, 0] + numbers[:, 1] / 10 + 0.3 * (colours % 2) + 0.5 * rng.random(n_rows)
    X = pd.DataFrame(numbers, columns=["a", "b", "c", "d"])
    X["colour"] = pd.Categorical.from_codes(colours, list("uvwxyz"))  # type: ignore[call-overload]
    X["shape"] = pd.Categorical.from_codes(shape, ["I", "II", "III"])  # type: ignore[call-overload]
    if missing:
        for place, name in enumerate(["a", "b", "colour"]):
            X.loc[rng.random(n_rows) < 0.1 + 0.05 * place, name] = None
    classes = np.array(["p", "q", "r"])[np.searchsorted([0.9, 1.6], signal)]
    return X, classes, np.floor(signal * signal * 3) * 0.7, 0.1 + rng.random(n_rows)


def by_criterion() -> Iterator[Case]:
    for missing in (False, True):
        for criterion in CLASSIFICATION:
            yield f"criterion {criterion}", classifier(criterion=criterion, max_depth=6), missing
        for criterion in REGRESSION:
            yield f"criterion {criterion}", regressor(criterion=criterion, max_depth=6), missing
    for criterion in ("entropy", "gini", "sqrt"):
        yield f"superclasses {criterion}", classifier(criterion=Superclasses(criterion), max_depth=4), False


def by_missing() -> Iterator[Case]:
    for policy in MISSING:
        if policy != "error":
            yield f"missing {policy}", classifier(criterion="entropy", missing=policy, max_depth=6), True
        if policy not in ("error", "class_mode"):
            yield f"missing {policy}", regressor(criterion="poisson", missing=policy, max_depth=6), True


def by_split() -> Iterator[Case]:
    for form in (name for name in SPLITS if name != "predicate"):  # which asks what it is given
        forms = ("threshold", form) if form in CATEGORY_SPLITS else ("subset", form)
        yield f"split {form}", classifier(criterion="entropy", splits=forms, max_depth=5), False
        yield f"split {form}", regressor(splits=forms, max_depth=5), False


def by_class_weight() -> Iterator[Case]:
    for dear in (1.3, 2.1, 3.7, 5.9):
        for criterion in ("gini", "entropy"):
            yield f"costs {dear}", classifier(criterion=criterion, costs=costs(dear), max_depth=6), False
    yield "priors", classifier(priors=[0.2, 0.3, 0.5], max_depth=6), False
    yield "class weights", classifier(class_weight={"p": 1.1, "q": 0.3, "r": 2.7}, max_depth=6), False
    yield "balanced", classifier(criterion="entropy", class_weight="balanced", max_depth=6), False
    yield "laplace", classifier(laplace=0.3, max_depth=6), False


def by_rule() -> Iterator[Case]:
    yield "significance", classifier(significance=0.2), False
    yield "significance", regressor(significance=0.2), True
    yield "monotone", classifier(monotonic_cst={"a": 1, "b": 1}, criterion="entropy", max_depth=6), False
    yield "monotone", regressor(monotonic_cst={"a": 1, "b": -1}, max_depth=6), False
    yield "bins", classifier(max_bins=8, criterion="entropy", max_depth=6), False
    yield "random cuts", classifier(splitter="random", criterion="entropy", random_state=3), False
    yield "best first", classifier(criterion="entropy", max_leaf_nodes=12, feature_costs={"a": 1.7}), False
    yield "early stopping", classifier(criterion="entropy", early_stopping="cv", random_state=1), False


def by_pruner() -> Iterator[Case]:
    every: list[Any] = [*pruning.PRUNERS, pruning.DescriptionLength(code="shares")]
    every += [pruning.ErrorBased(cf=0.3, bound="normal"), pruning.ErrorBased(cf=0.3, bound="binomial")]
    for pruner in every:
        model = classifier(criterion="entropy", costs=costs(1.3), pruner=pruner, random_state=2)
        yield f"pruner {pruner}", model, True
    for pruner in ("reduced_error", "cost_complexity", "minimal_size"):
        yield f"pruner {pruner}", regressor(criterion="poisson", pruner=pruner, random_state=2), False


def by_preset() -> Iterator[Case]:
    for criterion in ("gini", "entropy"):
        yield "CART", tw.CARTClassifier(criterion=criterion, costs=costs(1.3), cp=0.001, se=1.0), True
    for criterion in ("squared_error", "poisson"):
        yield "CART", tw.CARTRegressor(criterion=criterion, cp=0.001), True
    for compat in (None, "j48", "release8"):
        yield f"C4.5 {compat}", tw.C45Classifier(compat=compat), True
    yield "ID3", tw.ID3Classifier(), False
    yield "rules", tw.RuleClassifier(), True
    yield "rules", tw.RuleClassifier(tree=classifier(costs=costs(1.3)), estimate="holdout"), False


def forests() -> Iterator[Case]:
    for kind in (tw.RandomForestClassifier, tw.ExtraTreesClassifier):
        yield "forest", kind(5, criterion="entropy", random_state=0, class_weight="balanced"), False
    for number_kind in (tw.RandomForestRegressor, tw.ExtraTreesRegressor):
        for criterion in ("squared_error", "poisson"):
            yield "forest", number_kind(5, criterion=criterion, random_state=0), True


def costs(dear: float) -> list[list[float]]:
    return [[0.0, dear, 2.1], [0.7, 0.0, 1.1], [3.3, 0.9, 0.0]]


def told(model: Any, X: pd.DataFrame, folder: Path) -> str:
    """Hash the file of a model, and what it predicts."""
    model.save(folder / "model")
    found = hashlib.sha256((folder / "model").read_bytes())
    for name in ("predict", "predict_proba", "predict_log_proba"):
        if hasattr(model, name):
            answers = getattr(model, name)(X)
            found.update(str(answers.tolist()).encode())
    return found.hexdigest()


def hashes() -> dict[str, str]:
    """Grow every model, of rows without weights and with them."""
    found: dict[str, str] = {}
    ways = (by_criterion, by_missing, by_split, by_class_weight, by_rule, by_pruner, by_preset, forests)
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, model, missing) in enumerate(chain.from_iterable(way() for way in ways)):
            X, classes, numbers, weight = table(missing)
            target = classes if hasattr(model, "predict_proba") else numbers
            weights = {"": None, " weighted": weight}
            if isinstance(model, tw.ID3Classifier):
                X, weights = X[["colour", "shape"]], {"": None}
            for words, sample_weight in weights.items():
                model.fit(X, target, sample_weight=sample_weight)
                found[f"{number} {type(model).__name__} {name}{words}"] = told(model, X, Path(folder))
    return found


if __name__ == "__main__":
    print(json.dumps(hashes()))
