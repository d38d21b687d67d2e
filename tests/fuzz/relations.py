"""Changes of a table that must not change its tree: relations that hold without a reference.

Rows repeated, weights in place of repeated rows, rows or columns in another order, other names of classes and
categories, features that rise otherwise, weights times a power of two, a target twice, targets in another
order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from fuzz.cases import (
    BY_FEATURE,
    IMPORTS,
    OFTEN,
    OPTIMAL,
    Case,
    Values,
    of_one_target,
    random_case,
)
from fuzz.engines import difference
from fuzz.invariants import REFUSALS, Fitted
from treewright.tree import Tree
from treewright.tree.splits import features_of

SAME_WHATEVER = (  # what may be chosen without an eye on how many rows there are
    *("criterion", "max_depth", "max_leaf_nodes", "missing", "order", "splits", "cut", "category_order"),
    *("min_impurity_decrease", "monotonic_cst", "interaction_cst", "feature_costs", "max_nodes"),
    *("class_weight", "costs", "priors", "max_competitors", "max_terms", "random_state", "min_gain"),
    *("max_surrogates", "use_surrogates", "max_groups", "max_intervals", "complexity", "laplace"),
)


def relation_case(seed: int) -> Case:
    """A case whose tree must stay the same."""
    case = replace(random_case(seed), form="pandas")
    if not case.is_classifier and not 1e-3 < np.abs(case.y).max() < 1e3:
        several = case.has_several_targets
        case = replace(
            case, y=tuple((at % 7.0, at % 4.0) if several else at % 7.0 for at in range(len(case.y)))
        )
    if "mean" in _policies(case):  # the mean is to be that of the same rows in another order
        columns = {name: _with_exact_sums(*column) for name, column in case.columns.items()}
        case = replace(case, columns=columns)
    return case


def _with_exact_sums(kind: str, values: Values) -> tuple[str, Values]:
    """Numbers by their rank, in quarters."""
    if kind not in ("number", "small"):
        return kind, values
    ranks = {value: at / 4 for at, value in enumerate(sorted({*values} - {np.nan}))}
    return kind, tuple(ranks.get(value, value) for value in values)


def _trees(case: Case) -> list[Tree]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(Fitted(case, case.fit()).trees)


def _of_rows(case: Case) -> Case | None:
    """The case if its tree follows what rows say, whatever their number and order; None if it has none.

    Presets are left out: their programs count rows in bits and confidence limits, and sum in the order of
    rows. Hyperplanes and spheres are searched for from where rows stand, and intervals pay in bits for the
    number of rows; the mean that stands for a missing value rounds otherwise, if not all sums are exact.
    """
    forms = case.parameters.get("splits", ())
    if case.learner not in OFTEN or {"hyperplane", "sphere"} & set(forms):
        return None
    if "interval" in forms and "max_intervals" not in case.parameters:
        return None
    if "mean" in _policies(case) and not all(map(_sums_exactly, case.columns.values())):
        return None
    return _plain_weights(case.keeping(SAME_WHATEVER))


def _sums_exactly(column: tuple[str, Values]) -> bool:
    kind, values = column
    if kind not in ("number", "small"):
        return kind not in ("whole", "date", "zoned", "duration")
    known = [value for value in values if not np.isnan(value)]
    return all(abs(value) < 2**20 and value * 2**20 == int(value * 2**20) for value in known)


def _whole(case: Case) -> Case:
    """The case with weights of 1, 2 or 3."""
    return replace(case, weight=tuple(float(1 + at % 3) for at in range(len(case.y))))


def _plain_weights(case: Case) -> Case:
    """The case with weights whose sums are exact: rounding would decide which of two branches is larger."""
    halves = case.weight is None or all(2 * weight == int(2 * weight) < 100 for weight in case.weight)
    return case if halves else _whole(case)


def _twice(case: Case) -> Case:
    """The case with every row twice, where surrogates need two rows on either side."""
    return case.take(np.repeat(np.arange(len(case.y)), 2)) if "surrogate" in _policies(case) else case


def _policies(case: Case) -> set[str]:
    policies = case.parameters.get("missing", "direction")
    return set(policies.values()) | {"direction"} if isinstance(policies, dict) else {policies}


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


def _same_merit_per_cost(one: Tree, two: Tree, costs: tuple[list[float], list[float]]) -> str | None:
    merits = [
        float(tree.merit[0]) / sum(prices[f] for f in features_of(tree.splits[0])) if len(tree) > 1 else 0.0
        for tree, prices in zip((one, two), costs, strict=True)
    ]
    close = np.isclose(*merits, rtol=1e-9, atol=1e-12 * (1 + float(one.impurity[0])))
    return None if close else f"the best merit for its cost: {merits[0]} against {merits[1]}"


def _same_loss(one: Tree, two: Tree) -> str | None:
    losses = [float(tree.risk[tree.n_children == 0].sum()) for tree in (one, two)]
    close = np.isclose(*losses, rtol=1e-9, atol=1e-9 * float(one.risk[0]))
    return None if close else f"the loss of the leaves: {losses[0]} against {losses[1]}"


# ---- the relations: each gives two cases, and how their trees agree --------------------------------

Pairs = Iterator[tuple[Case, Case, Callable[[Tree, Tree], str | None]]]


def repeated_rows(case: Case, random: np.random.Generator) -> Pairs:
    """Where rows are shared out, the least weight of a branch is counted in rows too."""
    if found := _of_rows(case):
        one = _twice(found)
        two = one.take(np.tile(np.arange(len(one.y)), 3)).with_parameters(
            min_samples_leaf=3, min_samples_split=6
        )
        yield one, two, partial(difference, times=3)


def whole_weights(case: Case, random: np.random.Generator) -> Pairs:
    """What never was missing follows the number of rows; whether a tree is monotone depends on where to.

    Balanced classes are balanced by their rows, not by what these weigh, as scikit-learn does it.
    """
    found = _of_rows(case)
    if found is None or found.parameters.get("class_weight") == "balanced":
        return
    if not any(found.parameters.get("monotonic_cst", ())):
        weighed = _whole(_twice(found))
        times = np.asarray(weighed.weight, int)
        repeated = replace(weighed.take(np.repeat(np.arange(len(weighed.y)), times)), weight=None)
        yield weighed, repeated, _same_splits


def permuted_rows(case: Case, random: np.random.Generator) -> Pairs:
    if found := _of_rows(case):
        yield found, found.take(random.permutation(len(found.y))), difference


def scaled_weights(case: Case, random: np.random.Generator) -> Pairs:
    if case.learner in OFTEN:
        case = case.keeping(SAME_WHATEVER)
        factor = float(2.0 ** random.integers(-8, 9))
        weight = case.weight or (1.0,) * len(case.y)
        if not 1e-20 < sum(weight) < 1e20:  # they may pass the sizes that fit takes
            return
        yield (
            replace(case, weight=weight),
            replace(case, weight=tuple(one * factor for one in weight)),
            _same_splits,
        )


def renamed_classes(case: Case, random: np.random.Generator) -> Pairs:
    if not case.is_classifier:
        return
    several = case.has_several_targets
    targets = list(zip(*case.y, strict=True)) if several else [case.y]
    names = [{label: f"k{at:02d}" for at, label in enumerate(sorted(set(one)))} for one in targets]
    renamed = [tuple(own[label] for label in one) for own, one in zip(names, targets, strict=True)]
    parameters = dict(case.parameters)
    given = parameters.get("class_weight")
    if isinstance(given, dict | list):
        factors = [
            {own[label]: factor for label, factor in weights.items()}
            for own, weights in zip(names, given if several else [given], strict=True)
        ]
        parameters["class_weight"] = factors if several else factors[0]
    y = tuple(zip(*renamed, strict=True)) if several else renamed[0]
    yield case, replace(case, y=y).with_parameters(**parameters), difference


def renamed_categories(case: Case, random: np.random.Generator) -> Pairs:
    def renamed(kind: str, values: Values) -> Values:
        if kind not in ("text", "category"):
            return values
        return tuple(None if value is None else f"name of {value}" for value in values)

    columns = {name: (kind, renamed(kind, values)) for name, (kind, values) in case.columns.items()}
    yield case, replace(case, columns=columns), difference


def risen_features(case: Case, random: np.random.Generator) -> Pairs:
    found = _of_rows(case)
    if (
        found is None
        or _policies(found) & {"mean", "median"}
        or "median" in found.parameters.get("splits", ())
    ):
        return  # they take the distance of values, or their spread
    case = found

    def risen(kind: str, values: Values) -> Values:
        if kind != "number":
            return values
        known = np.array(values)[~np.isnan(values)]
        ranks = {value: float(at) ** 2 - 7 for at, value in enumerate(np.unique(known).tolist())}
        return tuple(ranks.get(value, value) for value in values)

    columns = {name: (kind, risen(kind, values)) for name, (kind, values) in case.columns.items()}
    yield case, replace(case, columns=columns), _same_rows


def permuted_columns(case: Case, random: np.random.Generator) -> Pairs:
    """Up to ties: the best merit of the first split, for what its features cost."""
    found = _of_rows(case)
    if found is None or "median" in found.parameters.get("splits", ()):
        return  # of features that are equally wide the first is cut at its median, whatever that gains
    case = found
    order = random.permutation(len(case.columns))
    names = list(case.columns)
    parameters = {
        name: [value[at] for at in order] if name in BY_FEATURE else value
        for name, value in case.parameters.items()
    }
    columns = {names[at]: case.columns[names[at]] for at in order}
    agree = _same_merit
    if (costs := case.parameters.get("feature_costs")) is not None:
        agree = partial(_same_merit_per_cost, costs=(costs, parameters["feature_costs"]))
    yield case, replace(case, columns=columns, parameters=parameters), agree


def doubled_target(case: Case, random: np.random.Generator) -> Pairs:
    """A target twice is that target, up to ties: criteria are means over targets."""
    if case.learner not in OFTEN or case.has_several_targets:
        return
    if case.parameters.get("criterion") == "absolute_error":  # which groups categories by one target
        return
    kept = [name for name in SAME_WHATEVER if name in case.parameters and name != "class_weight"]
    kept = [name for name in kept if not of_one_target(name, case.parameters[name])]
    one = case.keeping(kept)
    yield one, replace(one, y=tuple((value, value) for value in one.y)), _same_merit


def permuted_targets(case: Case, random: np.random.Generator) -> Pairs:
    """Up to ties: the best merit of the first split."""
    found = _of_rows(case)
    if found is not None and found.has_several_targets:
        parameters = dict(found.parameters)
        if isinstance(factors := parameters.get("class_weight"), list):
            parameters["class_weight"] = factors[::-1]
        yield found, replace(found, y=tuple(row[::-1] for row in found.y), parameters=parameters), _same_merit


def optimal_loss(case: Case, random: np.random.Generator) -> Pairs:
    """Rows and columns in another order: trees that are as good."""
    if case.learner not in OPTIMAL:
        return
    one = case.keeping(("max_depth", "max_leaf_nodes", "class_weight", "costs"))
    one = _plain_weights(one.with_parameters(max_depth=min(2, one.parameters.get("max_depth", 2))))
    names = list(one.columns)
    columns = {names[at]: one.columns[names[at]] for at in random.permutation(len(names))}
    yield one, replace(one, columns=columns).take(random.permutation(len(one.y))), _same_loss


RELATIONS: dict[str, Callable[[Case, np.random.Generator], Pairs]] = {
    relation.__name__: relation
    for relation in (
        *(repeated_rows, whole_weights, permuted_rows, scaled_weights),
        *(renamed_classes, renamed_categories, risen_features, permuted_columns),
        *(doubled_target, permuted_targets, optimal_loss),
    )
}


def check(case: Case, seed: int = 0, only: str | None = None) -> str | None:
    """Say which change of a table changes its tree."""
    for name, relation in RELATIONS.items():
        if only is not None and name != only:
            continue
        for one, two, compare in relation(case, np.random.default_rng(seed)):
            try:
                ours = _trees(one)
            except REFUSALS:
                continue
            try:
                theirs = _trees(two)
            except REFUSALS as problem:
                return f"{name}: refused: {problem}"
            if len(ours) != len(theirs):
                return f"{name}: {len(ours)} trees against {len(theirs)}"
            for tree, other in zip(ours, theirs, strict=True):
                if found := compare(tree, other):
                    return f"{name}: {found}"
    return None


def code(case: Case, seed: int, name: str) -> str:
    """Write both programs whose trees differ."""
    one, two, _ = next(RELATIONS[name](case, np.random.default_rng(seed)))
    second = two.code().removeprefix(IMPORTS + "\n")
    return f"{one.code()}\nprint(model.tree_)\n{second}\nprint(model.tree_)"
