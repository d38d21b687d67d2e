"""Random tables and recipes that every engine of the core must grow the same tree from, and the comparisons.

`tests/growing/test_engines_agree.py` holds a sample to them, `make fuzz` looks for new cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from treewright import _core, criteria
from treewright.data import Dataset
from treewright.forest.bootstrap import Draws
from treewright.growing.grow_tree import core_options, core_table
from treewright.growing.recipe import Recipe
from treewright.tree import Tree

CRITERIA = (*criteria.CLASSIFICATION, *criteria.REGRESSION)
POLICIES = ("direction", "available", "fractional", "surrogate")
ORDERS = ("depth_first", "breadth_first", "best_first")


@dataclass(frozen=True)
class Case:
    """A small table and a recipe; printed, it is the code that makes it again.

    A column of text is categorical, one of numbers numeric; None is a missing value.
    """

    columns: dict[str, tuple[float | str | None, ...]]
    y: tuple[float, ...]
    weight: tuple[float, ...] | None = None
    recipe: dict[str, Any] = field(default_factory=dict)
    times: int = 1  # how often each row is repeated, in the comparison that repeats

    def dataset(self) -> Dataset:
        columns: dict[str, Any] = {}
        for name, values in self.columns.items():
            known = {value for value in values if isinstance(value, str)}
            columns[name] = pd.Categorical(values, sorted(known)) if known else np.array(values, dtype=float)
        is_class = self.recipe["criterion"] in criteria.CLASSIFICATION
        return Dataset.from_table(
            pd.DataFrame(columns),
            np.array(self.y, dtype=int if is_class else float),
            task="classification" if is_class else "regression",
            sample_weight=None if self.weight is None else np.array(self.weight),
        )

    def take(self, rows: Any) -> Case:
        """The same with these rows only."""

        def some(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(values[i] for i in rows)

        columns = {name: some(values) for name, values in self.columns.items()}
        return replace(
            self,
            columns=columns,
            y=some(self.y),
            weight=None if self.weight is None else some(self.weight),
            times=max(self.times, 1 + self.times * len(self.y) // max(len(rows), 1)),
        )

    def code(self) -> str:
        """Compare once more."""
        return f"from fuzz.engines import *  # with tests/ on the path\nprint(check({self!r}))"

    def simpler(self) -> Iterator[Case]:
        """Cases without a column, a choice, weights or rows."""
        if len(self.columns) > 1:
            for name in self.columns:
                columns = {other: self.columns[other] for other in self.columns if other != name}
                yield replace(self, columns=columns)
        for name in self.recipe:
            if name != "criterion":
                recipe = {other: self.recipe[other] for other in self.recipe if other != name}
                yield replace(self, recipe=recipe)
        if self.weight is not None:
            yield replace(self, weight=None)
        n = length = len(self.y)
        while length := length // 2:
            for begin in range(0, n, length):
                if n - length >= 2:
                    yield self.take([*range(begin), *range(min(n, begin + length), n)])


def random_case(seed: int, criterion: str | None = None, times: int | None = None) -> Case:
    """A table of 30 to 400 rows on which splits tie, and a recipe."""
    random = np.random.default_rng(seed)
    n = int(np.exp(random.uniform(np.log(30), np.log(400))))
    criterion = criterion or str(random.choice(CRITERIA))
    columns = dict(_random_columns(random, n))
    y = _random_target(random, criterion, columns, n)
    weight = None
    if random.random() < 0.35:
        weight = (
            random.choice([0.5, 1.0, 1.0, 2.0, 3.0], n)
            if random.random() < 0.6
            else random.uniform(0.1, 2, n)
        )
    beyond = 65_536 if random.random() < 0.03 else 8_192
    return Case(
        columns={name: _plain(values) for name, values in columns.items()},
        y=tuple(y.tolist()),
        weight=None if weight is None else tuple(weight.tolist()),
        recipe=_random_recipe(random, criterion),
        times=times or beyond // n + 1,
    )


def _random_columns(random: np.random.Generator, n: int) -> Iterator[tuple[str, Any]]:
    made: list[Any] = []
    for position in range(int(random.integers(1, 6))):
        kind = str(random.choice(["few", "grid", "continuous", "binary", "category", "category", "copy"]))
        if kind == "copy" and made:  # as good a feature as another, but for rounding
            column = made[int(random.integers(len(made)))]
            if column.dtype == float:
                column = column * random.choice([1.0, -1.0, 3.0])
            yield f"copy{position}", column
            continue
        if kind == "category":
            column = np.array(list("pqrstuvwxyz"), dtype=object)[
                random.integers(0, random.choice([2, 3, 5, 11]), n)
            ]
        elif kind == "few":
            column = random.integers(0, random.choice([3, 5, 9]), n) * 0.75 - 1
        elif kind == "binary":
            column = random.integers(0, 2, n).astype(float)
        elif kind == "grid":
            column = np.round(random.normal(size=n), 1)
        else:
            column = random.normal(size=n)
        share = float(random.choice([0, 0, 0.1, 0.4]))
        if share:
            column[random.random(n) < share] = None if kind == "category" else np.nan
        made.append(column)
        yield f"{kind}{position}", column


def _random_target(random: np.random.Generator, criterion: str, columns: dict[str, Any], n: int) -> Any:
    """Noise, or what two columns say together and neither says alone, with or without noise."""
    codes = [pd.factorize(values, sort=False)[0] for values in columns.values()]
    signal = sum(codes[:2]) if random.random() < 0.6 else random.integers(0, 6, n)
    noise = random.integers(0, 3, n) * (random.random(n) < random.choice([0.0, 0.3]))
    y = np.asarray(signal) + noise
    if criterion in criteria.CLASSIFICATION:
        y = y % int(random.choice([2, 2, 3, 4, 7]))
    elif criterion == "poisson":
        y = y % 5 * random.choice([1.0, 1.0, 0.1, 1e6])
    else:
        y = y % 9 - 4 + (random.normal(size=n) if random.random() < 0.3 else 0)
        y = y + random.choice([0.0, 0.0, 1e6])
    y = y.astype(float)
    y[0], y[1] = y.max(), y.max() + (1 if y.max() == y.min() else 0)  # two different ones, and an event
    return y


def _random_recipe(random: np.random.Generator, criterion: str) -> dict[str, Any]:
    recipe: dict[str, Any] = {"criterion": criterion}
    choices: dict[str, tuple[float, tuple[Any, ...]]] = {  # how often another than the usual one is taken
        "missing": (0.6, POLICIES),
        "order": (0.5, ORDERS),
        "max_depth": (0.3, (1, 2, 4)),
        "max_leaf_nodes": (0.15, (2, 5, 12)),
        "min_samples_leaf": (0.2, (2, 5)),
        "splits": (0.2, (("threshold", "multiway"), ("threshold", "one_vs_rest"))),
        "ties": (0.15, ("random",)),
        "min_impurity_decrease": (0.1, (0.003,)),
        "max_features": (0.1, (0.5,)),
        "min_gain": (0.15, (0.0, 0.01)),
        "max_groups": (0.0 if criterion == "absolute_error" else 0.15, (3,)),
    }
    for name, (chance, values) in choices.items():
        if random.random() < chance:
            recipe[name] = values[int(random.integers(len(values)))]
    return recipe


def _plain(values: Any) -> tuple[float | str | None, ...]:
    return tuple(None if pd.isna(value) else value for value in values.tolist())


# ---- the comparisons: each says how two trees differ that should not, or nothing ----------------------


def grow_as(dataset: Dataset, recipe: Recipe, **options: Any) -> Tree:
    """Grow with some of the core's options set by hand."""
    dataset, usual = core_options(dataset, recipe, 1, None)
    arrays = _core.grow(*core_table(dataset), dataset.weight, usual | options)
    return Tree.from_arrays(dataset.schema, arrays)


def difference(tree: Tree, other: Tree, times: int = 1, *, merits: bool = False) -> str | None:
    """How a tree differs from one of the same rows, each repeated so many times; None if it does not.

    `merits`: they too are the same to the last bit.
    """
    if len(tree) != len(other):
        return f"{len(tree)} nodes against {len(other)}"
    for name in ("parent", "default_branch"):
        if (at := _first(getattr(tree, name) != getattr(other, name))) is not None:
            return f"{name} of node {at}: {getattr(tree, name)[at]} against {getattr(other, name)[at]}"
    if (at := _first(tree.count * times != other.count)) is not None:
        return f"count of node {at}: {tree.count[at]} (times {times}) against {other.count[at]}"
    for name in ("kind", "feature", "threshold", "pool_begin", "pool_index", "pool_value"):
        one, two = getattr(tree.splits, name), getattr(other.splits, name)
        if len(one) != len(two):
            return f"{len(one)} entries of splits.{name} against {len(two)}"
        if (at := _first(one != two)) is not None:
            return f"splits.{name}[{at}]: {one[at]} against {two[at]}"
    if merits and (at := _first(tree.merit != other.merit)) is not None:
        return f"merit of node {at}: {tree.merit[at]} against {other.merit[at]}"
    classes = tree.schema.classes is not None
    factors = {"weight": times, "node_value": times if classes else 1, "impurity": 1, "risk": times}
    for name, factor in factors.items():
        one, two = getattr(tree, name) * factor, getattr(other, name)
        scale = np.abs(one).max() + 1e-3
        if not np.allclose(one, two, rtol=1e-9, atol=1e-9 * scale):
            at = int(np.argmax(np.abs(one - two)))
            return f"{name}: {np.ravel(one)[at]} against {np.ravel(two)[at]}"
    return None


def _first(differs: Any) -> int | None:
    return int(np.argmax(differs)) if differs.any() else None


def repeated(case: Case) -> str | None:
    """Repeating every row does not change the tree, whichever engine grows the larger table."""
    dataset, recipe = case.dataset(), Recipe(**case.recipe)

    def tree_of(times: int) -> Tree:
        choices = {
            "min_samples_leaf": times * recipe.min_samples_leaf,
            "min_samples_split": times * recipe.min_samples_split,
        }
        return grow_as(dataset.take(np.tile(np.arange(len(dataset)), times)), replace(recipe, **choices))

    # A surrogate has two rows on either side: of rows repeated at all, any has.
    least = 2 if recipe.missing == "surrogate" else 1
    return difference(tree_of(least), tree_of(least * case.times), case.times)


def plain(case: Case) -> str | None:
    """Every formula as it is written, without histograms or special scorers, gives the same tree."""
    dataset, recipe = _enlarged(case), Recipe(**case.recipe)
    merits = recipe.missing == "direction"
    return difference(grow_as(dataset, recipe), grow_as(dataset, recipe, plain=True), merits=merits)


def threads(case: Case) -> str | None:
    """The number of threads does not change a byte."""
    dataset, recipe = _enlarged(case), Recipe(**case.recipe)
    tree = grow_as(dataset, recipe)
    for number in (2, 8):
        other = grow_as(dataset, recipe, threads=number)
        if other != tree:
            return f"{number} threads: {difference(tree, other) or 'other bytes'}"
    return None


def policy_by_feature(case: Case) -> str | None:
    """One policy for all features, or the same for each of them: the engines differ, the trees do not."""
    recipe = Recipe(**case.recipe)
    if recipe.missing not in ("direction", "available"):
        return None
    for dataset in (case.dataset(), _enlarged(case)):
        policies = [recipe.missing] * len(dataset.schema.columns)
        trees = grow_as(dataset, recipe), grow_as(dataset, recipe, policies=policies)
        found = difference(*trees, merits=recipe.missing == "direction")
        if found:
            return f"{len(dataset)} rows: {found}"
    return None


def best_first(case: Case) -> str | None:
    """Without limits the order of growing does not matter."""
    dataset = case.dataset()
    recipe = Recipe(**case.recipe | {"order": "depth_first", "max_leaf_nodes": None})
    other = replace(recipe, order="best_first", max_leaf_nodes=2**40)
    return difference(grow_as(dataset, recipe), grow_as(dataset, other))


def forests(case: Case) -> str | None:
    """A forest grown by sorting the features drawn at a node, and one grown on presorted lists."""
    dataset = case.dataset()
    of_forest = {"ties": "random", "category_order": "node", "max_features": 0.5, "max_leaf_nodes": None}
    choices = case.recipe | of_forest | {"missing": "direction", "order": "depth_first"}
    recipe = Recipe(**{name: choice for name, choice in choices.items() if name != "splits"})
    dataset, options = core_options(dataset, recipe, 1, None)
    draws = Draws(len(dataset), np.arange(3, dtype=np.uint64), len(dataset) if case.weight is None else 0)
    drawn = draws.options(0.0)
    by_sorting = _core.grow_forest(*core_table(dataset), dataset.weight, options, drawn)
    by_lists = _core.grow_forest(*core_table(dataset), dataset.weight, options | {"max_nodes": 2**40}, drawn)
    if isinstance(by_sorting, list):
        return None  # trees that compact arrays have no form for: they are grown on lists
    for name in ("tree_begin", "node", "count", "table_begin", "table_entry"):
        one, two = by_sorting[name], by_lists[name]
        if one.shape != two.shape or (one != two).any():
            return f"{name} of the forest: {one.shape} {two.shape}"
    for name in ("value", "merit"):
        if not np.allclose(by_sorting[name], by_lists[name], rtol=1e-9, atol=1e-9):
            return f"{name} of the forest"
    return None


def permuted(case: Case) -> str | None:
    """The order of rows does not change a byte, of a tree or of a forest that is given all rows."""
    recipe = Recipe(**case.recipe)
    # where rows without a value take no part, merits are as the search added them up
    but = () if recipe.missing == "direction" else ("merit", "split_score", "split_adjusted")
    for dataset in (case.dataset(), _enlarged(case)):
        order = np.random.default_rng(len(dataset)).permutation(len(dataset))
        trees = grow_as(dataset, recipe), grow_as(dataset.take(order), recipe)
        if found := difference(*trees, merits=not but) or _other_bytes(
            *(tree.arrays() for tree in trees), but
        ):
            return f"{len(dataset)} rows: {found}"
    choices = {**case.recipe, "ties": "random", "max_leaf_nodes": None, "missing": "direction"}
    recipe = Recipe(**{name: choice for name, choice in choices.items() if name not in ("splits", "order")})
    forests = []
    for rows in (case.dataset(), case.dataset().take(np.random.default_rng(0).permutation(len(case.y)))):
        dataset, options = core_options(rows, recipe, 1, None)
        drawn = Draws(len(dataset), np.arange(3, dtype=np.uint64), 0).options(0.0)
        forests.append(_core.grow_forest(*core_table(dataset), dataset.weight, options, drawn))
    if isinstance(forests[0], list):
        return None  # trees that compact arrays have no form for
    found = _other_bytes(*forests)
    return found and f"forest: {found}"


def _other_bytes(one: dict[str, Any], other: dict[str, Any], but: tuple[str, ...] = ()) -> str | None:
    names = [name for name in one if name not in but and one[name].tobytes() != other[name].tobytes()]
    return f"other bytes of {', '.join(names)}" if names else None


def _enlarged(case: Case) -> Dataset:
    """The table with its rows repeated, and no row just as often as another."""
    dataset = case.dataset()
    return dataset.take(np.resize(np.arange(len(dataset)), len(dataset) * case.times - len(dataset) // 2))


CHECKS: dict[str, Callable[[Case], str | None]] = {
    check.__name__: check
    for check in (
        repeated,
        plain,
        threads,
        policy_by_feature,
        best_first,
        forests,
        permuted,
    )
}


def check(case: Case, only: str | None = None) -> str | None:
    """Say which engines differ on a case."""
    for name, compare in CHECKS.items():
        if only in (None, name) and (found := compare(case)):
            return f"{name}: {found}"
    return None
