"""What other rooms need of a fitted model: the estimators of one tree and of many, as protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from treewright.data import Dataset, Schema
    from treewright.forest.bootstrap import Draws
    from treewright.forest.trees import Trees
    from treewright.growing.recipe import AnyRecipe, Recipe
    from treewright.pruning import Pruned
    from treewright.tree.tree import Tree

Encoded = tuple[NDArray[np.float64], NDArray[np.int32]]
"""Rows as the arrays of a tree have them: numbers and codes."""


@runtime_checkable
class TreeModel(Protocol):
    """An estimator of one tree, of this library; `isinstance` tells whether a model is one."""

    n_jobs: int | None

    def _fitted_tree(self) -> Tree:
        """Give the tree, or raise scikit-learn's `NotFittedError`."""

    def _set_tree(self, tree: Tree) -> None:
        """Take a tree as the model's own."""

    def _recipe(self, schema: Schema) -> AnyRecipe:
        """Give the recipe that grows trees like this one."""

    def _dataset(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Dataset:
        """Read rows to learn from; a Dataset is read already."""

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        """Grow and prune a tree; the parameters are checked."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the parameters by name."""

    def _encode(self, X: Any, tree: Tree) -> Encoded:
        """Read rows to predict for."""

    def _node_values(self, tree: Tree) -> NDArray[np.float64]:
        """Give what each node says: class probabilities, or a number."""

    def export(self, target: str, path: Any = None, **options: Any) -> str | bytes | None:
        """Write the model as a program."""

    def _remember(self, pruner: Any, pruned: Pruned) -> None:
        """Keep what pruned the tree, what it did, and what it chose from."""

    def _forget_pruning(self) -> None:
        """Keep nothing of it."""


@runtime_checkable
class ProvenModel(Protocol):
    """An estimator that knows how good its tree is among all trees within its limits."""

    objective_: float
    lower_bound_: float
    optimal_: bool


@runtime_checkable
class ForestModel(Protocol):
    """An estimator of many trees, of this library."""

    n_jobs: int | None
    verbose: int | bool
    if TYPE_CHECKING:
        draws_: Draws  # once it is fitted

    @property
    def _task(self) -> str:
        """Whether it predicts classes ("classification") or numbers ("regression")."""

    @property
    def _hard(self) -> bool:
        """Whether each tree gives its whole vote to one class."""

    def _fitted_trees(self) -> Trees:
        """Give the trees, or raise scikit-learn's `NotFittedError`."""

    def _set_trees(self, trees: Trees, draws: Draws) -> None:
        """Take trees as the model's own."""

    def _recipe(self, dataset: Dataset) -> Recipe:
        """Give the recipe that grows its trees."""

    def _encode(self, X: Any) -> Encoded:
        """Read rows to predict for."""

    def _error_curve(self, rows: Dataset) -> Any:
        """Give the out-of-bag error against the number of trees."""

    def _target(self, y: Any, n_rows: int) -> NDArray[Any]:
        """Read targets as class codes or numbers."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the parameters by name."""
