"""Changes of a table that must not change its tree: relations that hold without a reference.

Rows repeated, weights in place of repeated rows, rows or columns in another order, other names of classes and
categories, features that rise otherwise, weights times a power of two.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from fuzz.cases import BY_FEATURE, IMPORTS, Case, Values, random_case
from fuzz.engines import difference
from fuzz.invariants import REFUSALS
from treewright.tree import Tree

SAME_WHATEVER = (  # what may be chosen without an eye on how many rows there are
    *("criterion", "max_depth", "max_leaf_nodes", "missing", "order", "splits", "cut", "category_order"),
    *("min_impurity_decrease", "monotonic_cst", "interaction_cst", "feature_costs", "max_nodes"),
    *("class_weight", "costs", "priors", "max_competitors", "max_terms", "random_state"),
)
LEARNERS = ("DecisionTreeClassifier", "DecisionTreeRegressor")


def relation_case(seed: int) -> Case | None:
    """A case whose tree must stay the same; None if the seed gives none."""
    case = random_case(seed)
    if case.learner not in LEARNERS:
        return None
    case = replace(case.keeping(SAME_WHATEVER), form="pandas")
    forms = case.parameters.get("splits", ())
    if "hyperplane" in forms or "sphere" in forms:  # they are searched for from where rows stand
        return None
    if "mean" in _policies(case):  # the sum of other rows rounds otherwise
        return None
    if not case.is_classifier and not 1e-3 < max(map(abs, case.y)) < 1e3:
        return replace(case, y=tuple(float(at % 7) for at in range(len(case.y))))
    return case


def _tree(case: Case) -> Tree:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree: Tree = case.fit().tree_
    return tree


def _whole(case: Case) -> Case:
    """The case with weights of 1, 2 or 3."""
    return replace(case, weight=tuple(float(1 + at % 3) for at in range(len(case.y))))


def _plain_weights(case: Case) -> Case:
    """The case with weights whose sums are exact: rounding would decide which of two branches is larger."""
    halves = case.weight is None or all(2 * weight == int(2 * weight) < 100 for weight in case.weight)
    return case if halves else _whole(case)


def _counts_rows(case: Case) -> bool:
    """Whether rows that are repeated tell more.

    Surrogates need two rows on either side, parts of rows together one; intervals pay in bits.
    """
    return bool(_policies(case) & {"surrogate", "fractional"}) or "interval" in case.parameters.get(
        "splits", ()
    )


def _policies(case: Case) -> set[str]:
    policies = case.parameters.get("missing", "direction")
    return set(policies.values()) if isinstance(policies, dict) else {policies}


# ---- how trees may differ --------------------------------------------------------------------------


def _first_difference(
    one: Tree, two: Tree, of_nodes: tuple[str, ...], of_splits: tuple[str, ...]
) -> str | None:
    if len(one) != len(two):
        return f"{len(one)} nodes against {len(two)}"
    for name in of_nodes:
        if (getattr(one, name) != getattr(two, name)).any():
            return f"{name}: {getattr(one, name)} against {getattr(two, name)}"
    for name in of_splits:
        ours, theirs = getattr(one.splits, name), getattr(two.splits, name)
        if len(ours) != len(theirs) or (ours != theirs).any():
            return f"splits.{name}: {ours} against {theirs}"
    return None


def _same_splits(one: Tree, two: Tree) -> str | None:
    """The side of values that never were missing follows the number of rows: it is left out."""
    return _first_difference(
        one, two, ("parent",), ("kind", "feature", "threshold", "pool_index", "pool_value")
    )


def _same_rows(one: Tree, two: Tree) -> str | None:
    return _first_difference(
        one, two, ("parent", "default_branch", "count"), ("kind", "feature", "pool_index")
    )


def _same_merit(one: Tree, two: Tree) -> str | None:
    merits = float(one.merit[0]), float(two.merit[0])
    close = np.isclose(*merits, rtol=1e-9, atol=1e-12 * (1 + float(one.impurity[0])))
    return None if close else f"the best merit: {merits[0]} against {merits[1]}"


# ---- the relations: each gives two cases, and how their trees agree --------------------------------

Pairs = Iterator[tuple[Case, Case, Callable[[Tree, Tree], str | None]]]


def repeated_rows(case: Case, random: np.random.Generator) -> Pairs:
    if not _counts_rows(case):
        case = _plain_weights(case)
        yield case, case.take(np.tile(np.arange(len(case.y)), 3)), partial(difference, times=3)


def whole_weights(case: Case, random: np.random.Generator) -> Pairs:
    if not _counts_rows(case):
        weighed = _whole(case)
        times = np.asarray(weighed.weight, int)
        repeated = replace(weighed.take(np.repeat(np.arange(len(case.y)), times)), weight=None)
        yield weighed, repeated, _same_splits


def permuted_rows(case: Case, random: np.random.Generator) -> Pairs:
    case = _plain_weights(case)
    yield case, case.take(random.permutation(len(case.y))), difference


def scaled_weights(case: Case, random: np.random.Generator) -> Pairs:
    if case.weight is not None:
        factor = float(2.0 ** random.integers(-8, 9))
        yield case, replace(case, weight=tuple(weight * factor for weight in case.weight)), _same_splits


def renamed_classes(case: Case, random: np.random.Generator) -> Pairs:
    if case.is_classifier and "class_weight" not in case.parameters:
        names = {label: f"k{at:02d}" for at, label in enumerate(sorted(set(case.y)))}
        yield case, replace(case, y=tuple(names[label] for label in case.y)), difference


def renamed_categories(case: Case, random: np.random.Generator) -> Pairs:
    def renamed(kind: str, values: Values) -> Values:
        if kind not in ("text", "category"):
            return values
        return tuple(None if value is None else f"name of {value}" for value in values)

    columns = {name: (kind, renamed(kind, values)) for name, (kind, values) in case.columns.items()}
    yield case, replace(case, columns=columns), difference


def risen_features(case: Case, random: np.random.Generator) -> Pairs:
    if _policies(case) & {"mean", "median"} or "median" in case.parameters.get("splits", ()):
        return  # they take the distance of values, or their spread

    def risen(kind: str, values: Values) -> Values:
        if kind != "number":
            return values
        known = np.array(values)[~np.isnan(values)]
        ranks = {value: float(at) ** 2 - 7 for at, value in enumerate(np.unique(known).tolist())}
        return tuple(ranks.get(value, value) for value in values)

    columns = {name: (kind, risen(kind, values)) for name, (kind, values) in case.columns.items()}
    yield case, replace(case, columns=columns), _same_rows


def permuted_columns(case: Case, random: np.random.Generator) -> Pairs:
    """Up to ties: the best merit of the first split."""
    order = random.permutation(len(case.columns))
    names = list(case.columns)
    parameters = {
        name: [value[at] for at in order] if name in BY_FEATURE else value
        for name, value in case.parameters.items()
    }
    columns = {names[at]: case.columns[names[at]] for at in order}
    yield case, replace(case, columns=columns, parameters=parameters), _same_merit


RELATIONS: dict[str, Callable[[Case, np.random.Generator], Pairs]] = {
    relation.__name__: relation
    for relation in (
        *(repeated_rows, whole_weights, permuted_rows, scaled_weights),
        *(renamed_classes, renamed_categories, risen_features, permuted_columns),
    )
}


def check(case: Case, seed: int = 0, only: str | None = None) -> str | None:
    """Say which change of a table changes its tree."""
    for name, relation in RELATIONS.items():
        if only is not None and name != only:
            continue
        for one, two, compare in relation(case, np.random.default_rng(seed)):
            try:
                trees = _tree(one), _tree(two)
            except REFUSALS:
                continue
            if found := compare(*trees):
                return f"{name}: {found}"
    return None


def code(case: Case, seed: int, name: str) -> str:
    """Write both programs whose trees differ."""
    one, two, _ = next(RELATIONS[name](case, np.random.default_rng(seed)))
    second = two.code().removeprefix(IMPORTS + "\n")
    return f"{one.code()}\nprint(model.tree_)\n{second}\nprint(model.tree_)"
