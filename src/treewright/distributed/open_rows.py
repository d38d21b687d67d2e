"""`OpenRows`: the rows of a table in partitions, to grow trees on and to judge them by."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Dataset
from treewright.data.dataset import chosen_features
from treewright.data.schema import Schema
from treewright.distributed.coding import (
    Coding,
    Numbers,
    Partition,
    Ranks,
    TableTotals,
    TotalsQuestion,
    code_values,
)
from treewright.distributed.drawn import Drawn
from treewright.distributed.executor import Executor, Question
from treewright.distributed.growing import Grower
from treewright.distributed.memory import Budget
from treewright.distributed.parts import Parts, taken
from treewright.distributed.questions import Describe, RowsAt, sum_requests
from treewright.distributed.survey import Survey, TableSurvey, concatenated, example_rows
from treewright.errors import DataError
from treewright.forest.bootstrap import Draws
from treewright.growing.grow_tree import core_options
from treewright.growing.parameters import PARAMETERS
from treewright.growing.recipe import AnyRecipe, Recipe
from treewright.tree import Tree

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are used for, and how they are read."""

    table: pa.Schema
    target: str
    weight: str | None
    reading: dict[str, Any]
    """How `Dataset.from_table` reads them."""

    @property
    def features(self) -> list[str]:
        """Names of the features."""
        return [name for name in self.table.names if name not in (self.target, self.weight)]

    @property
    def used(self) -> list[str]:
        """Names of all columns that are read."""
        return [*self.features, self.target, *([] if self.weight is None else [self.weight])]

    def categories(self) -> frozenset[str]:
        """Give the columns that are categories of whatever type: classes, and what the user calls so."""
        features = self.table.empty_table().select(self.features)
        kinds = {name: self.reading[name] for name in ("categorical_features", "ordinal_features")}
        classes = [self.target] if self.reading["task"] == "classification" else []
        return frozenset([*classes, *chosen_features(features, **kinds)])

    def read(self) -> pa.Schema:
        """Give all columns that are read."""
        return self.table.empty_table().select(self.used).schema


@dataclass
class GivenRows:
    """Numbers, targets and weights of rows, in pieces."""

    pieces: list[tuple[NDArray[np.int64], NDArray[Any], Numbers | None]]


@dataclass(frozen=True)
class GivenRowsQuestion:
    """The question of all targets and weights."""

    def ask(self, partition: Partition) -> GivenRows:
        """Give those of one partition."""
        row = np.arange(partition.first, partition.first + len(partition))
        weight = None if partition.weight is None else np.array(partition.weight)
        return GivenRows(
            [(row if partition.row is None else partition.row, np.array(partition.target), weight)]
        )

    def join(self, one: GivenRows, other: GivenRows) -> GivenRows:
        """Put two together."""
        return GivenRows(one.pieces + other.pieces)


@dataclass(frozen=True)
class RowsAsAWhole:
    """Rows as a recipe meets them: what a `Dataset` knows, without its rows."""

    schema: Schema
    totals: TableTotals
    weights: tuple[Numbers, float]
    """Of each class, and of all rows."""
    target: bool = True

    def __len__(self) -> int:
        return self.totals.n_rows

    def total_weight(self) -> float:
        """Sum up the weights of all rows."""
        return self.weights[1]

    def class_totals(self) -> tuple[Numbers, Numbers]:
        """Count the rows of each class, and sum up their weights."""
        return self.totals.class_rows, self.weights[0]


class OpenRows:
    """The rows of a table that an executor holds.

    Parameters
    ----------
    executor : Executor
        Who holds the partitions.
    columns : Columns
        What the columns are used for.
    n_partitions : int
        How many there are, roughly.
    memory : int
        How much may be used, in bytes.
    n_jobs : int or None
        Threads that grow subtrees.
    all_rows : bool
        Whether rows of no weight, too, tell what the columns are, as they do of forests.
    far : bool
        Whether the rows are on other machines.
    """

    def __init__(
        self,
        executor: Executor,
        columns: Columns,
        *,
        n_partitions: int,
        memory: int,
        n_jobs: int | None = None,
        all_rows: bool = False,
        far: bool = False,
    ) -> None:
        if not columns.features:
            raise DataError(f"the table has no column beside {columns.target!r} to learn from.")
        self.columns, self.n_jobs, self.far = columns, n_jobs, far
        self._executor, self._budget = executor, Budget(memory, len(columns.used))
        n_sampled = max(64, self._budget.sample_rows // n_partitions)
        weight = None if all_rows else columns.weight
        question = Survey(n_sampled, columns.target, weight, columns.categories())
        self.survey: TableSurvey = executor.ask_tables(question)
        self.schema = _schema(self.survey, columns)
        self._coding = _coding(self.schema, self.survey, columns)
        self.survey = replace(self.survey, sample=[])
        self._n_trees = 0
        self._known: dict[Parts, RowsAsAWhole] = {}

    @property
    def weighed(self) -> bool:
        """Whether rows have weights."""
        return self.columns.weight is not None

    @cached_property
    def _totals(self) -> TableTotals:
        """What the whole table is; to ask for it has its rows coded."""
        totals: TableTotals = self.ask(self._question(()))
        return totals

    def _question(
        self, parts: Parts, drawn: Drawn | None = None, factors: tuple[Numbers, ...] = ()
    ) -> TotalsQuestion:
        sizes = tuple(self.schema.n_categories[self.schema.n_categories > 0].tolist())
        return TotalsQuestion(sizes, self.schema.n_classes, parts, drawn, factors)

    def ask(self, question: Question) -> Any:
        """Give the joined answer of all partitions to a question about their coded rows."""
        return self._executor.ask(self._coding, question)

    def as_a_whole(self, parts: Parts = ()) -> RowsAsAWhole:
        """Sum up the rows of some parts."""
        if parts not in self._known:
            totals = self._totals
            if parts:
                totals = replace(self.ask(self._question(parts)), met=totals.met)
            if not totals.n_rows:
                raise DataError("a fold has all rows of the table: use fewer folds, or add rows.")
            self._known[parts] = RowsAsAWhole(self.schema, totals, self._given_weights(parts, totals))
        return self._known[parts]

    def grow(self, recipe: AnyRecipe, parts: Parts = ()) -> Tree:
        """Grow a tree on the rows of some parts: the one that they give in memory."""
        recipe = _recipe_of_open_tables(recipe)
        rows = self.as_a_whole(parts)
        _, options = core_options(cast(Dataset, rows), recipe, self.n_jobs, None)
        _refuse(options, len(self.schema.columns))
        tree = self._grow_from(rows.totals, options, parts)
        return Tree.from_arrays(self.schema, tree, options.get("costs"))

    def grow_drawn(
        self,
        recipe: Recipe,
        draws: Draws,
        *,
        parts: Parts = (),
        factors: tuple[Numbers, ...] = (),
    ) -> list[Tree]:
        """Grow the trees of a forest, one after the other, each on the rows that its seed draws.

        Parameters
        ----------
        recipe : Recipe
            How to grow every tree; its `random_state` is not used.
        draws : Draws
            The seed and rows of each tree.
        parts : Parts
            The rows to draw from.
        factors : tuple of arrays
            Factors on the weight of each class.
        """
        recipe = _recipe_of_open_tables(recipe)
        rows = self.as_a_whole(parts)
        known = replace(rows, totals=replace(rows.totals, n_rows=draws.n_rows)) if draws.n_draws else rows
        _, options = core_options(cast(Dataset, known), recipe, self.n_jobs, None)
        _refuse(options, len(self.schema.columns))
        trees = []
        for seed in draws.seeds.tolist():
            drawn = Drawn(draws.n_rows, seed, draws.n_draws, draws.chance, parts) if draws.n_draws else None
            own = options | {"random_state": seed}
            trees.append(
                self._grow_one(own, recipe, factors, parts=parts, drawn=drawn, balanced=draws.balanced)
            )
        return trees

    def _grow_one(
        self,
        options: dict[str, Any],
        recipe: Recipe,
        factors: tuple[Numbers, ...],
        *,
        parts: Parts,
        drawn: Drawn | None,
        balanced: bool,
    ) -> Tree:
        totals = self.as_a_whole(parts).totals
        if drawn is not None or factors:
            totals = replace(self.ask(self._question(parts, drawn, factors)), met=totals.met)
        if drawn is not None and balanced:
            factors = (_balance(totals.class_times, drawn.n_draws),)
            totals = replace(self.ask(self._question(parts, drawn, factors)), met=totals.met)
        if recipe.min_weight_fraction_leaf:
            of_class = RowsAt(
                self._next_tree(), parts, (), Ranks(), (), self.schema.n_classes, False, drawn, factors
            )
            total = self._sum_weights(of_class, totals.n_rows)[1]
            options = options | {"min_weight_leaf": recipe.min_weight_fraction_leaf * total}
        return Tree.from_arrays(self.schema, self._grow_from(totals, options, parts, drawn, factors))

    def _grow_from(
        self,
        totals: TableTotals,
        options: dict[str, Any],
        parts: Parts,
        drawn: Drawn | None = None,
        factors: tuple[Numbers, ...] = (),
    ) -> dict[str, Any]:
        """Grow the next tree, and give its arrays."""
        grower = Grower(
            self._executor,
            self._coding,
            self._budget,
            tree=self._next_tree(),
            parts=parts,
            totals=totals,
            options=options,
            drawn=drawn,
            given_factors=factors,
        )
        return grower.grow()

    def targets_and_weights(self, parts: Parts = ()) -> tuple[NDArray[Any], Numbers | None]:
        """Bring the targets of all rows of some parts into memory, and weights; of no weight both are 0."""
        found: GivenRows = self.ask(GivenRowsQuestion())
        target = np.zeros(self.survey.n_rows, np.int32 if self.schema.n_classes else np.float64)
        weight = None if self._coding.weight is None else np.zeros(self.survey.n_rows)
        for row, its_target, its_weight in found.pieces:
            target[row] = its_target
            if weight is not None:
                weight[row] = its_weight
        inside = taken(parts, np.arange(self.survey.n_rows))
        return target[inside], None if weight is None else weight[inside]

    def _next_tree(self) -> int:
        self._n_trees += 1
        return self._n_trees

    def _given_weights(self, parts: Parts, totals: TableTotals) -> tuple[Numbers, float]:
        """Sum up the weights that are given to rows: by class, and in all."""
        if self._coding.weight is None:
            return totals.class_rows, float(totals.n_rows)
        rows = RowsAt(self._next_tree(), parts, (), Ranks(), (), self.schema.n_classes, unit=False)
        return self._sum_weights(rows, totals.n_rows)

    def _sum_weights(self, rows: RowsAt, n_rows: int) -> tuple[Numbers, float]:
        """Sum up the weights of rows, in no order: by class, and in all."""
        root, nothing = np.zeros(1, np.int32), sum_requests()
        heaviest = float(self.ask(Describe(rows, root, nothing, 1)).ranges[0, 2])
        asked = sum_requests(n_rows, heaviest)
        added = self.ask(Describe(rows, root[:0], asked, 1)).sums
        of_all = np.add.reduce(added, axis=0, keepdims=True)
        return _core.sum_totals(asked, added, len(added)), float(_core.sum_totals(asked, of_all, 1)[0])


def _balance(drawn: Numbers, n_draws: int) -> Numbers:
    """Factors by which all classes that were drawn weigh the same."""
    present = np.count_nonzero(drawn)
    return n_draws / (present * np.where(drawn > 0, drawn, 1.0))


def _schema(survey: TableSurvey, columns: Columns) -> Schema:
    """The schema of the table, by rows that stand for all of them."""
    found = dict(zip(columns.used, survey.columns, strict=True))
    if found[columns.target].n_missing:
        n_missing = found[columns.target].n_missing
        raise DataError(f"the target {columns.target!r} misses {n_missing} values. Drop these rows.")
    for name in columns.features:
        values = found[name].values
        if found[name].holds == "numbers" and columns.reading["inf"] == "error" and np.isinf(values).any():
            raise DataError(f"infinity in column {name!r}. Clean it or set inf='extreme'.")
        if found[name].n_missing and columns.reading["missing"] == "error":
            raise DataError(
                f"column {name!r} misses {found[name].n_missing} values, which missing='error' refuses."
            )
    rows = example_rows(survey, columns.read())
    dataset = Dataset.from_table(
        rows.select(columns.features), rows.column(columns.target), **columns.reading
    )
    return dataset.schema


def _coding(schema: Schema, survey: TableSurvey, columns: Columns) -> Coding:
    reading = {name: columns.reading[name] for name in ("inf", "missing", "estimator")}
    sample = concatenated(survey.sample).select(columns.features)
    if not len(sample):
        raise DataError("Sample weights must contain at least one non-zero number.")
    numbers, _ = schema.encode(sample, **reading)
    values = tuple(code_values(column) for column in numbers.T)
    return Coding(schema, columns.target, columns.weight, values, **reading)


def _recipe_of_open_tables(recipe: AnyRecipe) -> Recipe:
    """Give a recipe in terms that need no rows, or refuse it."""
    if not isinstance(recipe, Recipe):
        raise ValueError(
            f"{type(recipe).__name__.removesuffix('Recipe')} grows by a program of its own, which needs the "
            "table in memory: use DecisionTreeClassifier."
        )
    if callable(recipe.criterion):
        raise ValueError(
            "a function as criterion needs the table in memory: use criterion='gini' or 'entropy'."
        )
    if recipe.missing not in ("direction", "error"):
        raise ValueError(f"missing={recipe.missing!r} needs the table in memory: use missing='direction'.")
    return replace(recipe, missing="direction")  # by "error" the columns have been read, and miss nothing


def _refuse(options: dict[str, Any], n_features: int) -> None:
    """Refuse what cannot be exact, or is not worth it, where rows are seen in partitions."""
    if not isinstance(options["ties"], str):
        raise ValueError(
            "an order of preferred features in ties needs the table in memory: use ties='first'."
        )
    choice = _core.memory_only(options)
    if choice == "order" or options.get("max_leaf_nodes") is not None:
        choice = "max_leaf_nodes" if options.get("max_leaf_nodes") is not None else "order='best_first'"
    if choice:
        named = next((one.name for one in PARAMETERS if one.choice == choice), choice)
        raise ValueError(
            f"{named} needs the table in memory: a table that is opened cannot be grown on by it."
        )


@runtime_checkable
class OpenTableModel(Protocol):
    """What an estimator has that learns from tables in partitions."""

    def _check_parameters(self) -> None: ...

    def _refuse_of_open_tables(self) -> None: ...

    def _open_rows(
        self, X: Any, y: Any, sample_weight: Any, progress: Callable[[int, int], None] | None
    ) -> AbstractContextManager[OpenRows]: ...

    def _fit_parts(self, rows: OpenRows, parts: Parts) -> None: ...
