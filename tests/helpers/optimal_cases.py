"""Random tables for optimal trees, with every combination of options, held to trying all trees.

    make exact MINUTES=10

tries one combination after the other; a failure names the seed, `--first SEED --cases 1` finds it again.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from math import inf, nan
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

import treewright as tw
from helpers.optimal_reference import Reference

CHOICES = {
    "target": ("two classes", "classes", "numbers"),
    "columns": ("numbers", "categories", "ordinals", "mixed"),
    "missing": (False, True),
    "weight": (None, "whole", "any"),
    "costs": (False, True),
    "factor": (None, "class_weight", "balanced", "priors"),
    "alpha": (False, True),
    "leaves": (False, True),
}
COMBINATIONS = [
    chosen
    for values in product(*CHOICES.values())
    if (chosen := dict(zip(CHOICES, values, strict=True)))["target"] != "numbers"
    or (not chosen["costs"] and chosen["factor"] is None)
]
DOMAIN = 6


def random_case(seed: int) -> dict[str, Any]:
    """A small table with many ties, and the parameters of a fit: seeds go through all combinations in turn.

    Tables of few values may have hundreds of rows: more than a block of the core holds.
    """
    draw = np.random.default_rng(seed)
    chosen = COMBINATIONS[seed * 7919 % len(COMBINATIONS)]
    n = int(draw.choice([3, 6, 10, 14, 40, 90, 200]))
    kinds = {"numbers": (1, 0, 0), "categories": (0, 1, 0), "ordinals": (0, 0, 1), "mixed": (1, 1, 1)}
    counts = [wanted * int(draw.integers(1, 4)) for wanted in kinds[chosen["columns"]]]
    if sum(counts) > 4:
        counts = [min(count, 1) for count in counts]
    domain = int(draw.choice([2, 3, 4, DOMAIN])) if n <= 14 else int(draw.choice([2, 3]))
    numbers = [draw.integers(0, domain, n).astype(float) for _ in range(counts[0])]
    ordinals = [draw.integers(0, domain, n).astype(float) for _ in range(counts[2])]
    codes = [draw.integers(0, int(draw.integers(1, 5)), n) for _ in range(counts[1])]
    if chosen["missing"]:
        for column in [*numbers, *ordinals]:
            column[draw.random(n) < 0.25] = nan
        for column in codes:
            column[draw.random(n) < 0.25] = -1
    weight = {None: None, "whole": draw.integers(1, 4, n).astype(float), "any": draw.random(n) + 0.1}
    parameters = {
        "max_depth": int(draw.integers(1, 4 if n > 14 else 5)),
        "max_leaf_nodes": int(draw.integers(1, 8)) if chosen["leaves"] else None,
        "alpha": float(draw.choice([0.01, 0.05, 0.1])) if chosen["alpha"] else 0.0,
    }
    case = {
        "numbers": numbers,
        "ordinals": ordinals,
        "codes": codes,
        "weight": weight[chosen["weight"]],
        "parameters": parameters,
    }
    if chosen["target"] == "numbers":
        y = draw.normal(size=n).round(1) if draw.random() < 0.5 else draw.integers(0, 3, n).astype(float)
        return case | {"y": y, "costs": None, "factor": None}
    k = 2 if chosen["target"] == "two classes" else int(draw.integers(3, 6))
    # every class, if there is room
    y = np.concatenate([np.arange(k), draw.integers(0, k, max(0, n - k))])[:n]
    k = int(y.max()) + 1
    costs = draw.integers(1, 5, (k, k)) * (1.0 - np.eye(k)) if chosen["costs"] else 1.0 - np.eye(k)
    size = np.bincount(y, case["weight"], k)
    priors = draw.integers(1, 4, k) / 1.0
    priors /= priors.sum()
    factors = {
        None: np.ones(k),
        "class_weight": draw.integers(1, 4, k).astype(float),
        "balanced": len(y) / (k * np.bincount(y)),
        "priors": priors * size.sum() / size,
    }
    factor = factors[chosen["factor"]]
    if chosen["factor"] == "class_weight":
        parameters["class_weight"] = dict(enumerate(factor.tolist()))
    elif chosen["factor"] == "balanced":
        parameters["class_weight"] = "balanced"
    elif chosen["factor"] == "priors":
        parameters["priors"] = priors.tolist()
    if chosen["costs"]:
        parameters["costs"] = costs
    return case | {"y": y, "costs": costs, "factor": factor}


def two_valued_case(seed: int) -> dict[str, Any]:
    """A table of two-valued columns, which are counted in sets; more rows than a word has bits.

    Some columns part the rows as others do, the same way round or the other.
    """
    draw = np.random.default_rng(seed)
    n, p = int(draw.integers(66, 300)), int(draw.integers(2, 6))
    numbers = [(draw.random(n) < draw.uniform(0.05, 0.95)).astype(float) for _ in range(p)]
    codes = [np.where(draw.random(n) < 0.4, 1, 3) for _ in range(int(draw.integers(0, 2)))]
    hidden = sum(column * draw.normal() for column in [*numbers, *codes])
    hidden = hidden + draw.normal(size=n) * draw.choice([0.1, 1.0])
    if draw.random() < 0.3:
        numbers.insert(int(draw.integers(p + 1)), numbers[0] if draw.random() < 0.5 else 5 - 3 * numbers[0])
    weight = None if draw.random() < 0.7 else draw.integers(1, 4, n).astype(float)
    alpha = float(draw.choice([0.0, 0.0, 0.01]))
    parameters = {"max_depth": int(draw.integers(2, 6)), "max_leaf_nodes": None, "alpha": alpha}
    case = {"numbers": numbers, "ordinals": [], "codes": codes, "weight": weight, "parameters": parameters}
    kind = draw.choice(["two classes", "two classes", "classes", "numbers"])
    if kind == "numbers":
        return case | {"y": hidden.round(1), "costs": None, "factor": None}
    k = 2 if kind == "two classes" else 3
    y = np.searchsorted(np.quantile(hidden, np.arange(1, k) / k), hidden)
    y[:k] = np.arange(k)
    costs, factor = 1.0 - np.eye(k), np.ones(k)
    if draw.random() < 0.3:
        costs, factor = draw.integers(1, 4, (k, k)) * costs, draw.choice([1.0, 2.5], k)
        parameters |= {"costs": costs, "class_weight": dict(enumerate(factor.tolist()))}
    return case | {"y": y, "costs": costs, "factor": factor}


def separable_case(seed: int) -> dict[str, Any]:
    """A table of numbers whose classes are the leaves of a hidden tree: some tree makes no mistake."""
    draw = np.random.default_rng(seed)
    n, p, k = int(draw.choice([8, 14, 70, 150])), int(draw.integers(1, 4)), int(draw.integers(2, 5))
    numbers = [draw.integers(0, 5 if p < 3 else 4, n).astype(float) for _ in range(p)]

    def label(rows: Any, depth: int, y: Any) -> None:
        y[rows] = draw.integers(k)
        if depth:
            below = numbers[draw.integers(p)] <= draw.integers(0, 4)
            label(rows & below, depth - 1, y)
            label(rows & ~below, depth - 1, y)

    y = np.zeros(n, int)
    label(np.ones(n, bool), 3, y)
    y = np.unique(y, return_inverse=True)[1]
    if y.max() == 0:
        y[0] = 1
    k = int(y.max()) + 1
    parameters = {
        "max_depth": int(draw.integers(3, 5)),
        "max_leaf_nodes": int(draw.integers(3, 9)) if draw.random() < 0.3 else None,
        "alpha": float(draw.choice([0.0, 0.0, 0.001])),
    }
    case = {"numbers": numbers, "ordinals": [], "codes": [], "weight": None, "parameters": parameters}
    return case | {"y": y, "costs": 1.0 - np.eye(k), "factor": np.ones(k)}


def table_of(case: dict[str, Any]) -> pd.DataFrame:
    columns = {f"n{i}": column for i, column in enumerate(case["numbers"])}
    kinds = [f"c{code}" for code in range(DOMAIN)]
    for i, column in enumerate(case["ordinals"]):
        positions = np.nan_to_num(column, nan=-1).astype(int)
        columns[f"o{i}"] = pd.Categorical.from_codes(positions, kinds, ordered=True)
    for i, column in enumerate(case["codes"]):
        columns[f"c{i}"] = pd.Categorical.from_codes(column, kinds)
    return pd.DataFrame(columns)


def fitted(case: dict[str, Any], **more: Any) -> Any:
    parameters = case["parameters"] | more
    learner = tw.OptimalTreeRegressor if case["costs"] is None else tw.OptimalTreeClassifier
    return learner(**parameters).fit(table_of(case), case["y"], case["weight"])


def reference(case: dict[str, Any]) -> Reference:
    return Reference(
        [*case["numbers"], *case["ordinals"]],
        case["codes"],
        case["y"],
        weight=case["weight"],
        costs=case["costs"],
        factor=case["factor"],
        alpha=case["parameters"]["alpha"],
    )


def assert_same_tree(tree: tw.Tree, expected: Any, case: dict[str, Any]) -> None:
    """The tests of a tree are those of the reference, told from the rows that come to each node."""
    columns = [*case["numbers"], *case["ordinals"], *case["codes"]]
    waiting = [(0, expected, np.arange(len(case["y"])))]
    while waiting:
        node, wanted, rows = waiting.pop()
        assert (wanted is None) == (tree.n_children[node] == 0)
        if wanted is None:
            continue
        feature, what, missing_left, left, right = wanted
        split = int(tree.split_begin[node])
        assert tree.splits.feature[split] == feature
        x = columns[feature][rows]
        missing = np.isnan(x) if x.dtype.kind == "f" else x < 0
        begin, end = tree.splits.pool_begin[split : split + 2]
        on_left = tree.splits.pool_index[begin:end][tree.splits.pool_value[begin:end] == 0].tolist()
        default = int(tree.default_branch[node])
        if what == "known":
            inside, goes_left = ~missing, False
            assert tree.splits.threshold[split] == inf or set(x[inside].tolist()) <= set(on_left)
        elif isinstance(what, float):
            threshold = tree.splits.threshold[split]
            assert what <= threshold < min(x[~missing & (x > what)])
            inside, goes_left = (x <= what) | (missing & missing_left), missing_left
        elif what[0] == "=":
            assert on_left == [what[1]]
            inside, goes_left = (x == what[1]) | (missing & missing_left), missing_left
        else:  # a subset: equally good ones may differ
            assert all(tree.is_leaf(child) for child in tree.children(node))
            continue
        if missing.any():
            assert default == (0 if goes_left else 1)
        first, second = tree.children(node)
        waiting += [(first, left, rows[inside]), (second, right, rows[~inside])]


def assert_optimal(case: dict[str, Any], *, frontier: bool = False) -> None:
    """The tree is the one that trying all trees finds, and has the objective that it claims."""
    model, known = fitted(case), reference(case)
    depth, leaves = case["parameters"]["max_depth"], case["parameters"]["max_leaf_nodes"]
    best = known.solve(depth, leaves)
    assert model.optimal_
    assert model.lower_bound_ == model.objective_
    assert model.gap_ == 0
    assert model.objective_ == pytest.approx(best.objective, abs=1e-9)
    assert model.tree_.n_leaves == best.n_leaves
    assert_same_tree(model.tree_, best.tree, case)
    risk = model.tree_.risk[model.tree_.leaves].sum() / model.tree_.weight[0]
    assert risk + model.alpha * model.tree_.n_leaves == pytest.approx(model.objective_, abs=1e-9)
    if case["costs"] is not None:
        wrong = known.row_costs[np.arange(len(case["y"])), model.tree_.label[model.apply(table_of(case))]]
        price = model.alpha * model.tree_.n_leaves
        assert wrong.sum() / known.total + price == pytest.approx(model.objective_)
    if frontier:
        for n_leaves, objective in model.frontier_.items():
            assert objective == pytest.approx(known.solve(depth, n_leaves).objective, abs=1e-9)
        choices = model.root_choices_
        assert min(*choices.values(), model.frontier_[1]) == pytest.approx(model.objective_, abs=1e-9)
    if model.tree_.n_leaves > 1:  # a search that ends early claims no more than is true
        early = fitted(case, work_limit=max(1, model.n_solved_ // 2))
        assert early.lower_bound_ <= best.objective + 1e-12
        assert early.objective_ >= best.objective - 1e-9
        assert early.lower_bound_ <= early.objective_
        assert early.optimal_ == (early.gap_ == 0)


def main() -> None:
    """Try cases until time is up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--cases", type=int, default=10**9)
    given = parser.parse_args()
    end, tried, failed = monotonic() + 60 * given.minutes, 0, 0
    for seed in range(given.first, given.first + given.cases):
        if monotonic() > end:
            break
        for make in (random_case, two_valued_case):
            try:
                assert_optimal(make(seed), frontier=seed % 4 == 0 and make is random_case)
            except Exception as problem:
                failed += 1
                print(f"{make.__name__}({seed}): {type(problem).__name__}: {problem}", flush=True)
            tried += 1
    print(f"{tried} tables, {failed} failed; {len(COMBINATIONS)} combinations of options; next seed {seed}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
