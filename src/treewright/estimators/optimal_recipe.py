"""Recipe of optimal trees: its choices, the search by the core, and what is proven of its tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from time import monotonic
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Dataset
from treewright.growing.grow_tree import Progress, class_factor, core_table, threads
from treewright.growing.recipe import ProgramRecipe, Recipe
from treewright.tree import Tree

Array = NDArray[np.float64]
Watch = Callable[[float, float], None]
"""Told the best objective and the lower bound now and then."""


@dataclass(frozen=True)
class Proof:
    """What is known of a tree: its objective, a bound that no tree is below, and whether these meet."""

    objective: float
    lower_bound: float
    optimal: bool
    n_solved: int
    memory_limited: bool


@dataclass(frozen=True)
class OptimalRecipe(ProgramRecipe):
    """Every choice of the search for the best tree, those of classes in class order."""

    merit_name: ClassVar[str] = "decrease of the mean loss"

    criterion: str
    # parameters: written by tools/generate_parameters.py
    max_depth: int | None = 3
    max_leaf_nodes: int | None = None
    class_weight: str | tuple[float, ...] | None = None
    alpha: float = 0.0
    time_limit: float | None = None
    work_limit: int | None = None
    memory_limit: int | None = None
    on_interrupt: str = "raise"
    priors: tuple[float, ...] | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    # end of parameters

    def grow(self, dataset: Dataset, *, n_jobs: int | None = None, progress: Progress | None = None) -> Tree:
        """Find the best tree."""
        return self.solve(dataset, n_jobs)[0]

    def solve(
        self,
        dataset: Dataset,
        n_jobs: int | None = None,
        watch: Watch | None = None,
        begin: float | None = None,
    ) -> tuple[Tree, Proof]:
        """Find the best tree, and tell what is proven of it.

        Parameters
        ----------
        dataset : Dataset
            The rows to learn from.
        n_jobs : int or None
            Threads, see `treewright.growing.grow_tree.threads`.
        watch : callable or None
            Told the best objective and the lower bound now and then.
        begin : float or None
            When `time_limit` began, by `time.monotonic`; now if None.
        """
        options = self._options(dataset, n_jobs, watch)
        if self.time_limit is not None and begin is not None:
            options["time_limit"] = max(0.0, self.time_limit - (monotonic() - begin))
        found = _core.grow_optimal(*core_table(dataset, "optimal trees"), dataset.weight, options)
        proof = Proof(*(found.pop(field.name) for field in fields(Proof)))
        return Tree.from_arrays(dataset.schema, found, options["costs"]), proof

    def root_choices(self, dataset: Dataset, n_jobs: int | None = None) -> Array:
        """Give the best objective for each feature at the root."""
        options = self._options(dataset, n_jobs, None)
        return _core.optimal_root_choices(*core_table(dataset, "optimal trees"), dataset.weight, options)

    def frontier(self, dataset: Dataset, n_jobs: int | None = None) -> Array:
        """Give the best objective for up to 1, 2, … leaves."""
        options = self._options(dataset, n_jobs, None)
        return _core.optimal_frontier(*core_table(dataset, "optimal trees"), dataset.weight, options)

    def class_factor(self, dataset: Dataset) -> Array | None:
        """Give the factor that class weights or priors put on the weight of each class."""
        if dataset.schema.classes is None or (self.class_weight is None and self.priors is None):
            return None
        return class_factor(dataset, Recipe("error", class_weight=self.class_weight, priors=self.priors))

    def without_limits(self) -> OptimalRecipe:
        """Give the recipe that splits whatever can be split."""
        return replace(self, max_depth=1, max_leaf_nodes=None, alpha=0.0)

    @property
    def limits(self) -> dict[str, Any]:
        """What may have kept a node from being split."""
        return {"max_depth": self.max_depth, "alpha": self.alpha}

    def _options(self, dataset: Dataset, n_jobs: int | None, watch: Watch | None) -> dict[str, Any]:
        """Write the choices as the core reads them; −1 is no limit."""
        depth = (self.max_leaf_nodes or 1) - 1 if self.max_depth is None else self.max_depth
        return {
            "max_depth": min(int(depth), 2**30),
            "max_leaf_nodes": min(int(self.max_leaf_nodes or 0), 2**31),
            "alpha": float(self.alpha),
            "time_limit": -1.0 if self.time_limit is None else float(self.time_limit),
            "work_limit": -1 if self.work_limit is None else min(int(self.work_limit), 2**62),
            "memory_limit": -1 if self.memory_limit is None else min(int(self.memory_limit), 2**62),
            "keep": self.on_interrupt == "keep",
            "class_factor": self.class_factor(dataset),
            "costs": None if self.costs is None else np.array(self.costs),
            "threads": threads(n_jobs),
            "progress": watch,
        }
